/** Processes in words: how one ended, and what became of recording in it. Pure. */
import type { Manifest, ManifestProcess } from '../../evidence/manifest.js';
import { disarmOf, type Ending, endingOf, type Outcome } from '../story.js';
import { lastName } from './words.js';

export function endingWords(manifest: Manifest, process: ManifestProcess): string {
  const ending: Ending = endingOf(manifest, process);
  const exception = process.end?.exception;
  switch (ending) {
    case 'oom':
      return `${lastName(exception ?? 'OutOfMemoryError')}, not caught`;
    case 'exception':
      return exception == null ? 'exception' : lastName(exception);
    case 'sigterm':
      return 'SIGTERM';
    case 'exit':
      return 'exit';
    case 'running':
      return 'still running';
    case 'elsewhere':
      return 'no end recorded, under another host name';
    default:
      return 'without exit handlers (killed, or os._exit)';
  }
}

/** What became of an out-of-memory. */
export const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
  process: 'ended the process',
  test: 'failed a test',
  exit: 'the program ended itself',
  left: 'left the program, and a tool caught it',
  exited: 'not known: the process exited after it',
  'raised-again': 'raised again in another process',
  thread: 'ended a thread, or caught',
  caught: 'caught',
  sigterm: 'not known: ended by SIGTERM',
  'no-handlers': 'not known: ended without exit handlers',
  running: 'not known: still running',
  elsewhere: 'not known: no end recorded',
};

const ARMED_WORDS: Readonly<Partial<Record<Ending, string>>> = {
  running: 'still armed',
  elsewhere: 'not seen disarmed',
};

export function disarmWords(manifest: Manifest, process: ManifestProcess): string {
  switch (disarmOf(process)) {
    case 'disarmed':
      return process.recorder.interrupted ? 'yes (the program had switched it off)' : 'yes';
    case 'unproven':
      return 'not proven: still on after it';
    case 'idle':
      return 'never armed: no GPU used';
    case 'foreign':
      return "the program's own recording, left alone";
    case 'not-armed':
      return 'never armed';
    default:
      return ARMED_WORDS[endingOf(manifest, process)] ?? 'ended before disarming';
  }
}
