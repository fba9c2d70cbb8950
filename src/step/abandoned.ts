/**
 * Is this dump abandoned, that is, has its writer exited? A process that is not in /proc may still run in
 * another pid namespace (a container, `unshare`) or be hidden. Removing its dump would lose the snapshot.
 */

import type { IsGone } from '../evidence/collect.js';
import { thisHost } from '../evidence/names.js';
import { shimConfig } from '../plan.js';
import type { Ended } from './ended.js';
import { processFacts } from './proc.js';

/** Added to the deadline of a dump, for a slow machine. */
const MARGIN_MS = 60_000;

/** What is known about processes that /proc may not show. */
export type Sight = Pick<Ended, 'plan' | 'seen' | 'hints'>;

/**
 * Known only for this host: the names of dumps begin with their host, and a pid means nothing on another one.
 * No dump counts as abandoned while a process of the step is alive. After docker, sudo or srun a dump counts
 * as abandoned once it is older than its deadline.
 * @param survivors processes of the step that still run
 * @param now milliseconds since the epoch
 */
export function goneCheck({ plan, seen, hints }: Sight, survivors: number, now = Date.now()): IsGone {
  // `uname` and the shim agree on Linux alone, and only there /proc shows which processes have exited.
  if (process.platform !== 'linux' || survivors > 0) return () => false;
  const outOfSight = hints.length > 0 || (seen !== null && seen.carriers.length + seen.hidden.length > 0);
  const stale = now - shimConfig(plan).dump_deadline_s * 1000 - MARGIN_MS;
  const start = `.${thisHost()}-`;
  return (pid, file, modified) =>
    file.startsWith(start) && processFacts(pid) === null && (!outOfSight || modified < stale);
}
