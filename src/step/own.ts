/**
 * Whose process it is: which of the processes of this machine are the step's own. The watch, a cancel, post
 * and the account of who was on the GPU all ask here.
 */
import { isLive, listProcesses, type ProcessFacts, readEnvironment } from './proc.js';

/** A process of the step, above all the leader of its group; the start time tells a reused pid apart. */
export interface Group {
  readonly pid: number;
  /** Field 22 of /proc/PID/stat in clock ticks since boot, or null where there is no /proc. */
  readonly startTicks: number | null;
}

/**
 * Is it one process? A pid alone is given to another as soon as it is free; where a start is not known the
 * pid has to do.
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
  /** When the leader started, in clock ticks since boot: what is older is not looked at. */
  readonly since?: number | null;
  /** Processes that were the step's when they were met, with their starts in clock ticks since boot. */
  readonly met?: readonly Group[] | undefined;
}

/**
 * Pid of the step's process group, or null. Never 0 or 1, which stand for the kernel's and everybody's
 * processes, and not a pid that another process has got since: the kernel gives it away only once nobody is
 * left in the group.
 */
function livingLeader({ leader, since }: StepMark, all: readonly ProcessFacts[]): number | null {
  if (leader === null || leader <= 1) return null;
  const now = all.find(({ pid }) => pid === leader);
  return now === undefined || since == null || now.startTicks === since ? leader : null;
}

/**
 * Pids of those of `all` that are the step's own: in the leader's group, below it in the tree, marked in
 * their environment, or met while they were. The mark finds those that `timeout`, `setsid` or a daemon moved
 * out of the group and the tree; having met them, those that `env -i` took the mark from too.
 * @param judged what was found of a process earlier, so that a watch does not read its environment at each
 *   look
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

/** The step's own processes that live, this one left out. */
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
