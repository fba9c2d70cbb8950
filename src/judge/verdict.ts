/**
 * What happened, in one word of the contract. Pure, and from facts alone: exit code, signal, receipts and the
 * kernel's counters; never from the text of stderr, and never from whether the upload worked.
 */

import type { Receipt } from '../evidence/receipt.js';
import { count } from '../lib/text.js';
import { type BlindSpot, blindWords, doubtOf } from './blind.js';
import { type FatalOoms, fatalBecause } from './outcomes.js';
import { type OutsideOoms, outsideNames } from './outside.js';
import type { VerdictName } from './verdicts.js';

/** Processes with an out-of-memory whose outcome is unknown, grouped by why. */
export interface OpenEnds {
  /** They ended without saying how: a hook that calls `os._exit`, or a kill. */
  readonly gone: number;
  /** They still run. */
  readonly running: number;
  /**
   * They ran on another machine, or in a container with a name of its own: whether they still do cannot be
   * seen here.
   */
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
  /** Out-of-memory errors of a GPU in all receipts, caught or not. */
  readonly oomCount: number;
  /** Processes that ended by an out-of-memory that nothing caught. */
  readonly endedByOom: number;
  /** Processes that went on after a thread of theirs had ended by an out-of-memory that nothing caught. */
  readonly threadsEndedByOom: number;
  /** Errors that ended a test, or had the program end itself. */
  readonly fatal: FatalOoms;
  /** Processes that exited after an error of which nobody knows who handled it. */
  readonly unexplained: number;
  /** Those beside torch's allocator; they are in the two counts above. */
  readonly outside: OutsideOoms;
  /** Processes with an out-of-memory whose outcome is unknown. */
  readonly openEnds: OpenEnds;
  /** How much of the step's PyTorch was reached, as far as anybody saw. */
  readonly reached: 'all' | 'part' | 'none';
  /** Where an out-of-memory may have gone unseen in what was reached. */
  readonly blindSpots: readonly BlindSpot[];
  /**
   * Host OOM-killer kills in our cgroup during the step; null when the kernel's counters could not be read.
   */
  readonly hostOomKills: number | null;
  /** Whose kills were counted: those of our cgroup, or, where only that can be read, of the whole machine. */
  readonly hostOomScope: 'cgroup' | 'machine';
  /** Kills on the whole machine during the step; null where that is not counted. */
  readonly machineOomKills: number | null;
  /** Programs of the step that run others in cgroups of their own, as `docker`. */
  readonly ownCgroups: readonly string[];
}

/** A verdict and, as a case of its own, why it is that one. */
export interface Verdict {
  readonly name: VerdictName;
  readonly because: string;
}

const SIGKILL_EXIT = 137;
const SCOPES = { cgroup: 'of this cgroup', machine: 'on this machine' } as const;

/**
 * The kernel's count with `memory.oom.group` holds the first victim twice (Linux 6.1), so more than one has
 * no number.
 */
const killed = ({ hostOomKills, hostOomScope }: VerdictFacts): string =>
  `the kernel's OOM killer ended ${hostOomKills === 1 ? '1 process' : 'processes'} ${SCOPES[hostOomScope]} during the step`;

/** What the kernel's counters say of a SIGKILL that they do not explain: no more than what they count. */
function notKilled({ hostOomKills, hostOomScope, machineOomKills, ownCgroups }: VerdictFacts): string {
  if (hostOomKills === null)
    return 'the kernel counters that would tell a host out-of-memory cannot be read here';
  const where = hostOomScope === 'machine' ? 'on this machine' : 'in this cgroup';
  const none = `the kernel counted no out-of-memory kill ${where}`;
  if (hostOomScope === 'machine') return none;
  const others = machineOomKills !== null && machineOomKills > 0;
  const elsewhere = others ? ', but one or more elsewhere on this machine' : '';
  if (ownCgroups.length === 0) return `${none}${elsewhere}`;
  return `${none}${elsewhere}; what ${ownCgroups.join(' and ')} ran has a cgroup and a limit of its own, whose kills are not counted here (\`docker inspect\` and its like tell: OOMKilled)`;
}

/**
 * How the step ended, and what was seen of out-of-memory errors where none was: no more than what could be
 * seen.
 */
function unseenBecause({ exitCode, reached, blindSpots, outside }: VerdictFacts): string {
  const exited = `the step exited with ${exitCode}`;
  const names = outsideNames(outside.maybe);
  const doubts = [
    names === '' ? null : `it may be memory that ran out: ${names} failed as it does then`,
    blindSpots.length === 0
      ? null
      : `${doubtOf(blindSpots)}: ${blindSpots.map((spot) => blindWords(spot)).join('; ')}`,
  ].filter((doubt) => doubt !== null);
  if (doubts.length > 0) return [exited, ...doubts].join('; ');
  if (reached === 'none') return `${exited}, and no process of it was recorded`;
  return `${exited} and no out-of-memory was seen${reached === 'part' ? ' in what was recorded of it' : ''}`;
}

const processes = (n: number): string => count(n, 'process', 'processes');

/** What became of the out-of-memory errors that ended no process for sure: caught, or not known. */
function seenBecause({ exitCode, oomCount, openEnds: open, unexplained }: VerdictFacts): string {
  const one = oomCount === 1;
  const exited = `the step exited with ${exitCode}`;
  if (allCaught(open)) {
    const seen = one
      ? 'the out-of-memory that was seen'
      : `the ${oomCount} out-of-memory errors that were seen`;
    return unexplained === 0
      ? `${exited}; ${seen} had been caught by the program`
      : `${exited}; ${seen} ended no process by ${one ? 'itself' : 'themselves'}: whether the program handled ${one ? 'it' : 'them'} and went on, or ended because of ${one ? 'it' : 'them'}, is not known`;
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

/** An out-of-memory that ended something, or null. */
function oomBecause(facts: VerdictFacts): string | null {
  const { endedByOom, threadsEndedByOom, outside, exitCode } = facts;
  const green = exitCode === 0 ? ', though the step itself exited with 0' : '';
  if (endedByOom > 0) {
    const all = outside.ended.length === endedByOom ? ` of ${outsideNames(outside.ended)}` : '';
    return `${processes(endedByOom)} ended by an out-of-memory${all} that nothing caught${green}`;
  }
  if (threadsEndedByOom > 0) {
    return `a thread of ${processes(threadsEndedByOom)} ended by an out-of-memory that nothing caught, while the process went on${green}`;
  }
  const because = fatalBecause(facts.fatal, exitCode);
  return because === null ? null : `${because}${green}`;
}

/**
 * `oom` comes first whatever the exit code: `|| true` and `| tee` hide many a real one, and a launcher that
 * is cancelled after a rank ran out of memory was cancelled because of it. Where it is unknown whether one
 * was caught, the exit code decides between `oom-recovered` and `failed`, and the reason says that it is not
 * known. SIGKILL alone is never called a host out-of-memory: without the kernel's counter it is `killed`.
 */
export function judge(facts: VerdictFacts): Verdict {
  const { exitCode, oomCount, outside, hostOomKills } = facts;
  const oom = oomBecause(facts);
  if (oom !== null) return { name: 'oom', because: oom };
  if (facts.cancelled)
    return { name: 'cancelled', because: 'the step was cancelled or ran into a time limit' };
  if (facts.startError !== null) return { name: 'not-run', because: 'the shell could not be started' };
  if (exitCode === 0) {
    if (oomCount > 0) {
      const caught = allCaught(facts.openEnds);
      const all = 'every out-of-memory was caught and the program went on';
      return { name: 'oom-recovered', because: caught ? all : seenBecause(facts) };
    }
    const kernel = (hostOomKills ?? 0) > 0 ? `, but ${killed(facts)}` : '';
    const because = `${unseenBecause(facts)}${kernel}`;
    return { name: facts.blindSpots.length > 0 ? 'unknown' : 'ok', because };
  }
  if (outside.handled.length > 0) {
    const of = outsideNames(outside.handled);
    return {
      name: 'oom',
      because: `the step exited with ${exitCode} after an out-of-memory of ${of}`,
    };
  }
  if (hostOomKills !== null && hostOomKills > 0) return { name: 'host-oom', because: killed(facts) };
  if (exitCode === SIGKILL_EXIT) {
    const because = `the step exited with 137, as after SIGKILL, and ${notKilled(facts)}`;
    return { name: 'killed', because };
  }
  return { name: 'failed', because: oomCount > 0 ? seenBecause(facts) : unseenBecause(facts) };
}
