/** The headline of the report: one line that can stand alone. Pure. */
import type { Manifest } from '../evidence/manifest.js';
import { count } from '../text.js';
import { shorten } from './rich.js';
import { fatalStories, openOoms } from './story.js';
import { allCaught } from './verdict.js';
import { rankWords } from './words.js';

/** Icon and headline. */
export interface Headline {
  readonly icon: string;
  readonly tone: 'bad' | 'warn' | 'good' | 'neutral';
  readonly title: string;
}

function oomTitle(manifest: Manifest): string {
  const ended = manifest.processes.filter((p) => p.end?.oom);
  const ranks = [...new Set(ended.flatMap((p) => (p.rank === null ? [] : [p.rank])))];
  const first = fatalStories(manifest)[0]?.process.rank;
  if (ranks.length === 1) return `Out of GPU memory on rank ${ranks[0]}`;
  if (ranks.length > 1) {
    return `Out of GPU memory on ranks ${rankWords(ranks)}${first == null ? '' : `, first on rank ${first}`}`;
  }
  if (ended.length > 1) return `Out of GPU memory in ${ended.length} processes`;
  const program = ended[0]?.program;
  return program ? `Out of GPU memory in ${shorten(program, 60)}` : 'Out of GPU memory';
}

function recoveredTitle(manifest: Manifest): string {
  const open = openOoms(manifest);
  const one = manifest.oom_count === 1;
  const errors = count(manifest.oom_count, 'out-of-memory error');
  if (allCaught(open)) return `${errors}, ${one ? 'caught' : 'all caught'}: the program went on`;
  if (one && open.running > 0) return `${errors}, and its process still runs`;
  return `${errors}; whether ${one ? 'it was' : 'all were'} caught is not known`;
}

/** What the headline of a failed step says of out-of-memory errors: of those that were caught, nothing. */
function seenTitle(manifest: Manifest): string {
  if (manifest.oom_count === 0) return '; no out-of-memory was seen';
  if (allCaught(openOoms(manifest))) return '';
  return manifest.oom_count === 1
    ? '; an out-of-memory was seen'
    : `; ${manifest.oom_count} out-of-memory errors were seen`;
}

/** What happened, in one line. */
export function headline(manifest: Manifest): Headline {
  const exit = manifest.step.exit_code;
  switch (manifest.verdict.name) {
    case 'oom':
      return { icon: '🔴', tone: 'bad', title: oomTitle(manifest) };
    case 'oom-recovered':
      return { icon: '🟡', tone: 'warn', title: recoveredTitle(manifest) };
    case 'host-oom':
      return { icon: '🔴', tone: 'bad', title: 'The host ran out of memory, not the GPU' };
    case 'killed':
      return { icon: '🔴', tone: 'bad', title: 'Killed by SIGKILL' };
    case 'cancelled':
      return { icon: '⚪', tone: 'neutral', title: 'Cancelled or out of time' };
    case 'ok':
      return { icon: '✅', tone: 'good', title: 'No out-of-memory' };
    default:
      return {
        icon: '🔴',
        tone: 'bad',
        title: `The step failed${exit === null ? '' : ` with exit code ${exit}`}${seenTitle(manifest)}`,
      };
  }
}
