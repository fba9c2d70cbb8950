/**
 * Decides which processes of this machine belong to the step. Used by the watch, a cancel, post and the list
 * of GPU processes.
 */
import { isLive, listProcesses, type ProcessFacts, readEnvironment } from './proc.js';

/** A process of the step, above all the leader of its group; the start time tells a reused pid apart. */
export interface Group {
  readonly pid: number;
  /** Field 22 of /proc/PID/stat in clock ticks since boot, or null where there is no /proc. */
  readonly startTicks: number | null;
}

/**
 * Are these the same process? A pid is reused, so start times are compared as well; if one is unknown, the
 * pid must do.
 */
export const sameProcess = (a: Group, b: Group): boolean =>
  a.pid === b.pid && (a.startTicks === null || b.startTicks === null || a.startTicks === b.startTicks);

/** Parents before their children. */
export const byStart = (a: ProcessFacts, b: ProcessFacts): number =>
  a.startTicks - b.startTicks || a.pid - b.pid;

/** What marks a process as the step's own. */
export interface StepMark {
  /** Leader of the step's process group, or null when it is not known. */
  readonly leader: number | null;
  /** `NAME=value` in the environment, kept across setsid, nohup and re-parenting. */
  readonly variable: string;
  /** Start time of the leader, in clock ticks since boot. Older processes are ignored. */
  readonly since?: number | null;
  /** Processes seen earlier that belonged to the step, with their start times in clock ticks since boot. */
  readonly met?: readonly Group[] | undefined;
}

/**
 * Pid of the step's process group, or null. Never 0 or 1, which a signal would take for our own group or for
 * every process. Never a reused pid: the kernel reuses it only when the group is empty.
 */
function livingLeader({ leader, since }: StepMark, all: readonly ProcessFacts[]): number | null {
  if (leader === null || leader <= 1) return null;
  const now = all.find(({ pid }) => pid === leader);
  return now === undefined || since == null || now.startTicks === since ? leader : null;
}

/**
 * Pids of those of `all` that are the step's own: in the leader's group, below it in the tree, marked in
 * their environment, or seen earlier as the step's. The mark finds processes that `timeout`, `setsid` or a
 * daemon moved out of the group and the tree. The earlier sighting finds those whose mark `env -i` removed.
 * @param judged what was decided about a process earlier, so that a watch does not read its environment at
 *   each scan
 */
export function ownAmong(
  mark: StepMark,
  all: readonly ProcessFacts[],
  judged: (facts: ProcessFacts) => boolean | undefined = () => undefined,
  root = '/proc',
): ReadonlySet<number> {
  const { variable, since } = mark;
  const leader = livingLeader(mark, all);
  const met = new Map(mark.met?.map(({ pid, startTicks }) => [pid, startTicks]));
  const own = new Set<number>();
  const open: ProcessFacts[] = [];
  for (const facts of all) {
    const known = met.get(facts.pid) === facts.startTicks || judged(facts);
    if (known === true || facts.pid === leader) own.add(facts.pid);
    else if (known === undefined && facts.startTicks >= (since ?? 0)) open.push(facts);
  }
  for (const { pid, ppid, pgid } of open.sort(byStart)) {
    const marked = (): boolean => readEnvironment(pid, root)?.includes(variable) ?? false;
    if (pgid === leader || own.has(ppid) || marked()) own.add(pid);
  }
  return own;
}

/** Live processes of the step, without this one. */
export function stepProcesses(
  mark: StepMark,
  all: readonly ProcessFacts[] = listProcesses(),
  root = '/proc',
): ProcessFacts[] {
  const own = ownAmong(mark, all, undefined, root);
  return all.filter(
    (facts) => isLive(facts) && facts.pid > 1 && facts.pid !== process.pid && own.has(facts.pid),
  );
}
