/**
 * The runner's side of the conversation: inputs, outputs, state, annotations and the summary file.
 *
 * Annotations are `@actions/core`'s, by its public entry, which is loaded only when one is said: it brings
 * the OIDC client and undici, and with them a green run cost 2.8 times the CPU of an empty script (0.07 s
 * against 0.025 s on Node 24). State, outputs and summary are written here for the same reason; core's own
 * writer loads node:crypto (9 ms) for a delimiter, ours is one that the value does not hold.
 */
import { appendFileSync, closeSync, openSync, readSync, statSync, truncateSync } from 'node:fs';
import { type MakeRoom, withRoomSync } from '../lib/files.js';
import { randomHex } from '../lib/random.js';
import { logLine, printable } from '../lib/text.js';

/** Where an annotation points: a file of the workspace and a line, when known. */
export interface AnnotationPlace {
  readonly title?: string;
  readonly file?: string;
  readonly startLine?: number;
}

/**
 * What the action asks of the runner. Injected, so that the order of the steps can be tested without a
 * runner.
 */
export interface Runner {
  input(name: string): string;
  state(name: string): string;
  saveState(name: string, value: string): void;
  /** All or none of them, with one write. */
  setOutputs(outputs: Readonly<Record<string, string>>): void;
  info(line: string): void;
  annotate(level: 'error' | 'warning' | 'notice', message: string, place?: AnnotationPlace): Promise<void>;
  /** Appends Markdown to the job summary. A missing summary file is logged, never fatal. */
  summary(markdown: string): void;
  /** Bytes that the job summary of this step has room for: what the program wrote to it counts too. */
  summaryRoom(): number;
}

/** Over it the runner drops the whole file, the program's own part too. */
const SUMMARY_LIMIT = 1024 * 1024;
/** Cutting to exactly the limit still failed for some (GH maester365/maester/issues/905). */
const SUMMARY_MARGIN = 4096;

/**
 * Input as the runner passes it: upper case, spaces as underscores, hyphens kept. Surrounding blanks stay.
 */
export const inputVariable = (name: string): string => `INPUT_${name.replace(/ /g, '_').toUpperCase()}`;

/** Values in the form of the runner's files: each as a name, a delimiter, the value, the delimiter again. */
export function keyValueMessage(values: Readonly<Record<string, string>>): string {
  const all = Object.values(values);
  let delimiter: string;
  do delimiter = `ghadelimiter_${randomHex(16)}`;
  while (all.some((value) => value.includes(delimiter)));
  return Object.entries(values)
    .map(([name, value]) => `${name}<<${delimiter}\n${value}\n${delimiter}\n`)
    .join('');
}

/**
 * Size of a file in bytes; 0 when there is none: the program may have removed it, and writing makes it anew.
 */
function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}

/**
 * What ends the last line of a file that the program wrote to before us: a line break, or nothing where it
 * has one. One more does no harm where that cannot be read.
 */
function lineEnd(path: string, size: number): '' | '\n' {
  if (size === 0) return '';
  const last = Buffer.alloc(1);
  try {
    const file = openSync(path, 'r');
    try {
      readSync(file, last, 0, 1, size - 1);
    } finally {
      closeSync(file);
    }
  } catch {
    return '\n';
  }
  return last.toString('latin1') === '\n' ? '' : '\n';
}

/**
 * Adds to a file all or nothing. Half of a value, which a full disk leaves, makes the runner fail the step:
 * it finds no end of it ("Matching delimiter not found"); so does a value behind an unfinished line of the
 * program.
 * @param apart where the program writes too: on a line of its own; as a paragraph of its own, into which the
 *   last one of the program's would else run
 */
function append(path: string, text: string, apart: 'line' | 'paragraph' | null): void {
  const size = sizeOf(path);
  const between =
    apart === null ? '' : `${lineEnd(path, size)}${apart === 'paragraph' && size > 0 ? '\n' : ''}`;
  try {
    appendFileSync(path, between + text);
  } catch (error) {
    if (size > 0 || sizeOf(path) > 0) truncateSync(path, size);
    throw error;
  }
}

/** A runner that is driven by environment variables and commands on stdout, as GitHub's and act's are. */
export function environmentRunner(env: NodeJS.ProcessEnv): Runner {
  const keyValue = (file: 'OUTPUT' | 'STATE', values: Readonly<Record<string, string>>): void => {
    const path = env[`GITHUB_${file}`];
    if (!path) throw new Error(`GITHUB_${file} is not set`);
    // The state is main's alone: the program has a file of its own in its place.
    append(path, keyValueMessage(values), file === 'OUTPUT' ? 'line' : null);
  };
  const info = (line: string): void => {
    process.stdout.write(`${line}\n`);
  };
  return {
    input: (name) => env[inputVariable(name)] ?? '',
    state: (name) => env[`STATE_${name}`] ?? '',
    saveState: (name, value) => keyValue('STATE', { [name]: value }),
    setOutputs: (outputs) => keyValue('OUTPUT', outputs),
    info,
    annotate: async (level, message, place = {}) => {
      const core = await import('@actions/core');
      core[level](message, place);
    },
    summary: (markdown) => {
      const file = env.GITHUB_STEP_SUMMARY;
      if (!file) {
        info('oom-autopsy: GITHUB_STEP_SUMMARY is not set, so the summary follows here.');
        for (const line of markdown.trimEnd().split('\n'))
          info(line === '' ? '' : `| ${printable(line, line.length)}`);
        return;
      }
      append(file, markdown.endsWith('\n') ? markdown : `${markdown}\n`, 'paragraph');
    },
    summaryRoom: () => {
      const file = env.GITHUB_STEP_SUMMARY;
      return Math.max(0, SUMMARY_LIMIT - SUMMARY_MARGIN - (file ? sizeOf(file) : 0));
    },
  };
}

/**
 * The same for a person at a terminal: stdout is the program's alone, and a workflow command means nothing there. What is
 * an annotation on the runner is in the summary too, but for what is said before the program runs.
 */
export function terminalRunner(env: NodeJS.ProcessEnv): Runner {
  const info = (line: string): void => void process.stderr.write(`${line}\n`);
  return {
    ...environmentRunner(env),
    info,
    annotate: async (_, message, { title } = {}) => {
      if (title?.startsWith('oom-autopsy')) info(logLine(message.split('\n', 1)[0] ?? ''));
    },
  };
}

/**
 * The same runner, but what cannot be handed over is a line in the log: its files lie under RUNNER_TEMP, and
 * a full disk there must not turn a step red, or keep one from starting.
 * @param makeRoom what to do on a full disk before it is tried once more
 */
export function forgiving(runner: Runner, makeRoom?: MakeRoom): Runner {
  const told = new Set<string>();
  const attempt = (what: string, act: () => void): void => {
    try {
      withRoomSync(act, makeRoom);
    } catch (error) {
      const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
      if (told.has(what)) return;
      told.add(what);
      runner.info(logLine(`the runner could not be given ${what} (${reason})`));
    }
  };
  return {
    ...runner,
    saveState: (name, value) => attempt('the state', () => runner.saveState(name, value)),
    setOutputs: (outputs) => attempt('the outputs', () => runner.setOutputs(outputs)),
    annotate: (level, message, place) =>
      runner.annotate(level, message, place).catch((error: NodeJS.ErrnoException) =>
        attempt('an annotation', () => {
          throw error;
        }),
      ),
    summary: (markdown) => attempt('the summary', () => runner.summary(markdown)),
    summaryRoom: () => {
      let room = SUMMARY_LIMIT - SUMMARY_MARGIN;
      attempt('the summary', () => {
        room = runner.summaryRoom();
      });
      return room;
    },
  };
}

/** A runner that went away closes our output; writing there must not end us, since the step still runs. */
export function outliveOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}
