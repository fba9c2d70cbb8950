/**
 * Is nobody left who writes an unfinished dump? A process that cannot be found may run in a pid namespace of
 * its own (a container, `unshare`) or be hidden from us, and its pid then means another here. Removing the
 * dump under it would lose the snapshot.
 */

import type { IsGone } from '../evidence/collect.js';
import { thisHost } from '../evidence/names.js';
import { shimConfig } from '../plan.js';
import type { Ended } from './ended.js';
import { processFacts } from './proc.js';

/** Beyond the deadline of a dump, for a machine that is slow to end it. */
const MARGIN_MS = 60_000;

/** What is known of processes that may be out of sight. */
export type Sight = Pick<Ended, 'plan' | 'seen' | 'hints'>;

/**
 * Only known of processes of this machine: their files begin with its name, as the shim writes it, and on a
 * shared folder the pids of another machine mean nothing here. While anybody of the step lives no dump is
 * given up; where the step ran what carries programs out of sight, only one that is older than any dump may
 * take.
 * @param survivors processes of the step that still run
 * @param now milliseconds since the epoch
 */
export function goneCheck({ plan, seen, hints }: Sight, survivors: number, now = Date.now()): IsGone {
  // `uname` and the shim agree on Linux alone, and only there /proc tells who is gone.
  if (process.platform !== 'linux' || survivors > 0) return () => false;
  const outOfSight = hints.length > 0 || (seen !== null && seen.carriers.length + seen.hidden.length > 0);
  const stale = now - shimConfig(plan).dump_deadline_s * 1000 - MARGIN_MS;
  const start = `.${thisHost()}-`;
  return (pid, file, modified) =>
    file.startsWith(start) && processFacts(pid) === null && (!outOfSight || modified < stale);
}
