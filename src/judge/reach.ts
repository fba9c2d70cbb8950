/**
 * What of the step was not reached, and why, in one line each: processes that were seen with torch loaded and
 * left no receipt; else what in the step may have carried its programs out of reach. Pure.
 */
import type { Unread } from '../evidence/collect.js';
import type { Receipt } from '../evidence/receipt.js';
import { count, printable } from '../lib/text.js';
import { type Came, cameOf, type Marks } from '../step/marks.js';
import type { ScriptHint } from '../step/script-hints.js';
import { settled, wasReached } from '../step/unarmed.js';
import type { Seen, Sighting } from '../step/watch.js';

/** A long list of forked workers says no more than its start. */
const MOST = 100;

/** A process in the manifest. */
export type Unreached = Pick<Sighting, 'pid' | 'program' | 'reason' | 'advice'>;

/** What tells of a process, beside having been seen. */
export interface Left {
  readonly receipts: readonly Pick<Receipt, 'pid' | 'start_ticks'>[];
  readonly unread: readonly Unread[];
  readonly marks: Marks;
}

/**
 * Processes that had torch loaded and left no receipt. A child that an armed process forked (a worker of a
 * DataLoader) is none of them: the shim is in it too, and writes a receipt for it as soon as it uses CUDA.
 * Nor is one that read the hook and never imported torch, such as a helper of torch.compile, unless nobody
 * else had torch.
 */
export function unreached(
  sightings: readonly Sighting[],
  { receipts, unread, marks }: Left,
): readonly Unreached[] {
  const armed = new Set(receipts.map(({ pid, start_ticks }) => `${pid}.${start_ticks}`));
  const isArmed = ({ pid, innerPid, startTicks }: Sighting): boolean =>
    armed.has(`${pid}.${startTicks}`) || armed.has(`${innerPid}.${startTicks}`);
  const bases = new Set(sightings.filter(isArmed).map(({ base }) => base));
  const unreadable = new Map(unread.map(({ owner, reason }) => [owner.pid, reason]));
  // A forked child has read what its parent had.
  const came = new Map<string, Came>();
  for (const seen of sightings) {
    const stage = cameOf(marks, seen);
    if (stage !== null) came.set(seen.base, stage);
  }
  const missed = sightings
    .filter((seen) => !isArmed(seen) && !bases.has(seen.base))
    .map((seen) => {
      const { pid, innerPid, program, base } = seen;
      const reason = unreadable.get(pid) ?? unreadable.get(innerPid) ?? null;
      const now = settled(seen, cameOf(marks, seen) ?? came.get(base) ?? null, reason);
      return { pid, program: printable(program, 80), ...now };
    });
  const real = missed.filter(({ reason }) => reason !== 'not-imported');
  return (real.length > 0 || receipts.length + unread.length > 0 ? real : missed).slice(0, MOST);
}

/** The first kind of them in one line, and how many others there are; null when there are none. */
export function unreachedLine(missed: readonly Unreached[]): string | null {
  const processes = missed.filter(({ reason }) => !wasReached(reason));
  const [first] = processes;
  if (!first) return null;
  const alike = processes.filter((p) => p.program === first.program && p.advice === first.advice).length;
  const others = processes.length - alike;
  const more = alike > 1 ? ` and ${alike - 1} more` : '';
  const rest =
    others > 0 ? ` (and ${count(others, 'other process', 'other processes')}: see the summary)` : '';
  return `${first.program} (pid ${first.pid}${more}) had torch loaded, but ${first.advice}${rest}`;
}

const CARRIED = 'a process outside of the step does its work, and does not get the environment of the step';

/**
 * What may have kept all of PyTorch out of reach where no process was seen with it; null when nothing points
 * to it.
 * @param seen null when there was no watch
 */
export function likelyReason(
  seen: Pick<Seen, 'carriers' | 'hidden'> | null,
  hints: readonly ScriptHint[],
): string | null {
  const [hint] = hints;
  if (hint) return `line ${hint.line} of the step uses ${hint.what}; ${hint.advice}`;
  if (seen === null) return 'main was ended before it finished, and had seen nothing of it yet';
  const [carrier] = seen.carriers;
  if (carrier !== undefined) return `the step ran ${carrier}; ${CARRIED} (docs/reach.md)`;
  const [python] = seen.hidden;
  return python
    ? `${printable(python.program, 80)} (pid ${python.pid}) ran as another user, where it could not be looked at; as root it is reached by sudo --preserve-env=PYTHONPATH`
    : null;
}
