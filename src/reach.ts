/**
 * What of the step was not reached, and why, in one line each: processes that were seen with torch loaded and left no
 * receipt; else what in the step may have carried its programs out of reach. Pure.
 */
import type { Receipt } from './evidence/receipt.js';
import type { ScriptHint } from './step/script-hints.js';
import type { Seen, Sighting } from './step/watch.js';
import { count, printable } from './text.js';

/** A long list of forked workers says no more than its start. */
const MOST = 100;

/** A process in the manifest. */
export type Unreached = Pick<Sighting, 'pid' | 'program' | 'reason' | 'advice'>;

/** Where a receipt says which process left it. */
type Left = Pick<Receipt, 'pid' | 'start_ticks'>;

/**
 * Processes that had torch loaded and left no receipt. A child that an armed process forked (a worker of a DataLoader) is
 * none of them: the shim is in it too, and writes a receipt for it as soon as it uses CUDA.
 */
export function unreached(sightings: readonly Sighting[], receipts: readonly Left[]): readonly Unreached[] {
  const armed = new Set(receipts.map(({ pid, start_ticks }) => `${pid}.${start_ticks}`));
  const isArmed = ({ pid, innerPid, startTicks }: Sighting): boolean =>
    armed.has(`${pid}.${startTicks}`) || armed.has(`${innerPid}.${startTicks}`);
  const bases = new Set(sightings.filter(isArmed).map(({ base }) => base));
  return sightings
    .filter((seen) => !isArmed(seen) && !bases.has(seen.base))
    .slice(0, MOST)
    .map(({ pid, program, reason, advice }) => ({ pid, program: printable(program, 80), reason, advice }));
}

/** The first kind of them in one line, and how many others there are; null when there are none. */
export function unreachedLine(processes: readonly Unreached[]): string | null {
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
 * What may have kept all of PyTorch out of reach where no process was seen with it; null when nothing points to it.
 * @param seen null when nobody watched
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
    ? `${printable(python.program, 80)} (pid ${python.pid}) ran as another user, where it could not be looked at; sudo --preserve-env=PYTHONPATH hands the variable on`
    : null;
}
