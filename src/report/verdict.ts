/**
 * What happened, in one word of the contract. Pure, and from facts alone: exit code, signal, receipts and the
 * kernel's counters; never from the text of stderr, and never from whether the upload worked.
 */

import type { Receipt } from '../evidence/receipt.js';
import { count } from '../text.js';

export const VERDICTS = ['ok', 'oom-recovered', 'oom', 'host-oom', 'killed', 'cancelled', 'failed'] as const;
export type VerdictName = (typeof VERDICTS)[number];

/** Processes that had an out-of-memory and of which nobody saw whether it ended them, by what is known of them instead. */
export interface OpenEnds {
  /** They ended without saying how: a hook that calls `os._exit`, or a kill. */
  readonly gone: number;
  /** They still run. */
  readonly running: number;
  /** They ran on another machine, or in a container with a name of its own: whether they still do cannot be seen here. */
  readonly elsewhere: number;
}

/**
 * Counts them among `processes`. Pure.
 * @param alive processes of the step that still run on the machine `host`
 */
export function openEnds(
  processes: readonly Pick<Receipt, 'host' | 'pid' | 'oom_count' | 'end'>[],
  alive: readonly { readonly pid: number }[],
  host: string | null,
): OpenEnds {
  const pids = new Set(alive.map(({ pid }) => pid));
  const open = processes.filter((p) => p.oom_count > 0 && p.end === null);
  const here = open.filter((p) => p.host === host);
  const running = here.filter((p) => pids.has(p.pid)).length;
  return { gone: here.length - running, running, elsewhere: open.length - here.length };
}

/** Was every out-of-memory that ended nothing caught, as far as the receipts go? */
export const allCaught = ({ gone, running, elsewhere }: OpenEnds): boolean =>
  gone + running + elsewhere === 0;

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
  /** Processes with an out-of-memory of which nobody saw whether it ended them. */
  readonly openEnds: OpenEnds;
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

const processes = (n: number): string => count(n, 'process', 'processes');

/** What became of the out-of-memory errors that ended no process for sure: caught, or not known. */
function seenBecause({ exitCode, oomCount, openEnds: open }: VerdictFacts): string {
  const one = oomCount === 1;
  const exited = `the step exited with ${exitCode}`;
  if (allCaught(open)) {
    const seen = one ? 'the out-of-memory that was' : `the ${oomCount} out-of-memory errors that were`;
    return `${exited}; ${seen} seen had been caught by the program`;
  }
  const whose = (n: number): string => (one ? 'its process' : `${processes(n)} that had some`);
  const why = [
    open.gone === 0 ? null : `${whose(open.gone)} ended without exit handlers (killed, or os._exit)`,
    open.running === 0 ? null : `${whose(open.running)} still ${open.running === 1 ? 'runs' : 'run'}`,
    open.elsewhere === 0 ? null : `${whose(open.elsewhere)} ran under another host name and recorded no end`,
  ].filter((part) => part !== null);
  const what = one
    ? 'the out-of-memory that was seen was caught'
    : `all ${oomCount} out-of-memory errors that were seen were caught`;
  return `${exited}; whether ${what} is not known: ${why.join(', ')}`;
}

/**
 * `oom` comes first whatever the exit code: `|| true` and `| tee` hide many a real one, and a launcher that is
 * cancelled after a rank ran out of memory was cancelled because of it. Where nobody saw whether one was caught, the exit code decides
 * between `oom-recovered` and `failed`, and the reason says that it is not known. SIGKILL alone is never called a host
 * out-of-memory: without the kernel's counter it is `killed`.
 */
export function judge(facts: VerdictFacts): Verdict {
  const green = facts.exitCode === 0 ? ', though the step itself exited with 0' : '';
  if (facts.endedByOom > 0) {
    return {
      name: 'oom',
      because: `${processes(facts.endedByOom)} ended by an out-of-memory that nothing caught${green}`,
    };
  }
  if (facts.threadsEndedByOom > 0) {
    return {
      name: 'oom',
      because: `a thread of ${processes(facts.threadsEndedByOom)} ended by an out-of-memory that nothing caught, while the process went on${green}`,
    };
  }
  if (facts.cancelled)
    return { name: 'cancelled', because: 'the step was cancelled or ran into a time limit' };
  if (facts.exitCode === 0) {
    if (facts.oomCount === 0) return { name: 'ok', because: okBecause(facts) };
    return {
      name: 'oom-recovered',
      because: allCaught(facts.openEnds)
        ? 'every out-of-memory was caught and the program went on'
        : seenBecause(facts),
    };
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
        ? seenBecause(facts)
        : `the step exited with ${facts.exitCode} and no out-of-memory was seen`,
  };
}
