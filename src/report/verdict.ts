/**
 * What happened, in one word of the contract. Pure, and from facts alone: exit code, signal, receipts and the
 * kernel's counters; never from the text of stderr, and never from whether the upload worked.
 */

export const VERDICTS = ['ok', 'oom-recovered', 'oom', 'host-oom', 'killed', 'cancelled', 'failed'] as const;
export type VerdictName = (typeof VERDICTS)[number];

/** The numbers a verdict is made from. */
export interface VerdictFacts {
  readonly exitCode: number;
  readonly cancelled: boolean;
  /** The program could not be started at all. */
  readonly startError: string | null;
  /** GPU out-of-memory events in all receipts, caught or not. */
  readonly oomCount: number;
  /** Processes that ended by an out-of-memory that nothing caught. */
  readonly endedByOom: number;
  /** Processes that went on after a thread of theirs had ended by an out-of-memory that nothing caught. */
  readonly threadsEndedByOom: number;
  /** Host OOM-killer kills in our cgroup during the step; null when the kernel's counters could not be read. */
  readonly hostOomKills: number | null;
  /** Whose kills were counted: those of our cgroup, or, where only that can be read, of the whole machine. */
  readonly hostOomScope: 'cgroup' | 'machine';
}

/** A verdict and, as a case of its own, why it is that one. */
export interface Verdict {
  readonly name: VerdictName;
  readonly because: string;
}

const SIGKILL_EXIT = 137;
const SCOPES = { cgroup: 'of this cgroup', machine: 'on this machine' } as const;

/** The kernel's count with `memory.oom.group` holds the first victim twice (Linux 6.1), so more than one has no number. */
const killed = ({ hostOomKills, hostOomScope }: VerdictFacts): string =>
  `the kernel's OOM killer ended ${hostOomKills === 1 ? '1 process' : 'processes'} ${SCOPES[hostOomScope]} during the step`;

const okBecause = (facts: VerdictFacts): string =>
  (facts.hostOomKills ?? 0) > 0
    ? `the step exited with 0 and no out-of-memory of a GPU was seen, but ${killed(facts)}`
    : 'the step exited with 0 and no out-of-memory was seen';

/**
 * `oom` comes first whatever the exit code: `|| true` and `| tee` hide many a real one, and a launcher that is
 * cancelled after a rank ran out of memory was cancelled because of it. SIGKILL alone is never called a host
 * out-of-memory: without the kernel's counter it is `killed`.
 */
export function judge(facts: VerdictFacts): Verdict {
  const green = facts.exitCode === 0 ? ', though the step itself exited with 0' : '';
  if (facts.endedByOom > 0) {
    const processes = facts.endedByOom === 1 ? '1 process' : `${facts.endedByOom} processes`;
    return { name: 'oom', because: `${processes} ended by an out-of-memory that nothing caught${green}` };
  }
  if (facts.threadsEndedByOom > 0) {
    const processes = facts.threadsEndedByOom === 1 ? '1 process' : `${facts.threadsEndedByOom} processes`;
    return {
      name: 'oom',
      because: `a thread of ${processes} ended by an out-of-memory that nothing caught, while the process went on${green}`,
    };
  }
  if (facts.cancelled)
    return { name: 'cancelled', because: 'the step was cancelled or ran into a time limit' };
  if (facts.exitCode === 0) {
    return facts.oomCount > 0
      ? { name: 'oom-recovered', because: 'every out-of-memory was caught and the program went on' }
      : { name: 'ok', because: okBecause(facts) };
  }
  if (facts.hostOomKills !== null && facts.hostOomKills > 0) {
    return { name: 'host-oom', because: killed(facts) };
  }
  if (facts.exitCode === SIGKILL_EXIT) {
    return {
      name: 'killed',
      because:
        facts.hostOomKills === null
          ? 'a process was killed by SIGKILL; the kernel counters that would tell a host out-of-memory cannot be read here'
          : 'a process was killed by SIGKILL, and the kernel counted no out-of-memory kill',
    };
  }
  if (facts.startError !== null) return { name: 'failed', because: 'the shell could not be started' };
  return {
    name: 'failed',
    because:
      facts.oomCount > 0
        ? `the step exited with ${facts.exitCode}; the ${facts.oomCount === 1 ? 'out-of-memory' : `${facts.oomCount} out-of-memory errors`} that were seen had been caught by the program`
        : `the step exited with ${facts.exitCode} and no out-of-memory was seen`,
  };
}
