/**
 * Finds processes that ran without the shim. While the step runs, its processes are scanned in /proc. A
 * process that has torch mapped and leaves no receipt was not reached; how it was started shows why.
 *
 * A scan lists /proc and reads the facts of new processes and the mappings of the step's processes in which
 * torch was not yet seen. It takes 0.1 ms for 100 processes and 0.1 to 0.6 ms for each such Python. During
 * `import torch` the libraries stay mapped for a second or more, so one scan a second finds every process
 * that gets that far.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { type HostUse, HostUseWatch } from './host-use.js';
import { CARRIERS } from './launchers.js';
import { byStart, type Group, ownAmong, type StepMark } from './own.js';
import {
  effectiveUser,
  innerPid,
  type ProcessFacts,
  processFacts,
  readArguments,
  readEnvironment,
  readExecutable,
} from './proc.js';
import { PYTHON, type Unarmed, whyUnarmed } from './unarmed.js';

/** A process of the step that had torch loaded. */
export interface Sighting extends Unarmed {
  readonly pid: number;
  readonly startTicks: number;
  /** Its pid as the process itself sees it, in a pid namespace of its own. */
  readonly innerPid: number;
  /** File name of the program. */
  readonly program: string;
  /**
   * Address of torch in its memory. Only a forked child has the same address as its parent: the kernel
   * randomises it for each new program.
   */
  readonly base: string;
}

/** What a watch saw, without command lines and environments. */
export interface Seen {
  readonly sightings: readonly Sighting[];
  /** Programs of the step that hand work to processes outside of it, as `docker`. */
  readonly carriers: readonly string[];
  /** Python processes of another user, whose memory cannot be looked at. */
  readonly hidden: readonly { readonly pid: number; readonly program: string }[];
  /** Who held the host's memory at the fullest moment; null before the first look. */
  readonly use: HostUse | null;
}

/** Files of torch that are mapped once `import torch` is under way, behind their first address. */
const TORCH = /^([0-9a-f]+)-.*\/lib(?:torch|torch_cpu|torch_cuda|torch_python|c10)\.(?:so|dylib)/m;

/** A step that forks without end must not fill our memory. */
const MOST = 10_000;
const FIRST_LOOK_MS = 250;
const GROWTH = 1.25;
const LONGEST_MS = 1000;
/** The pause after a scan is at least this many times its CPU time: at most one percent of a core. */
const SPARING = 100;

/** One process, for as long as it lives. */
interface Known {
  readonly facts: ProcessFacts;
  /** As the last scan found it. */
  now: ProcessFacts;
  readonly ours: boolean;
  /** Torch was seen in it: it need not be scanned again. */
  settled: boolean;
}

/** Scans the step's processes until it is stopped. Linux only: elsewhere it sees nothing. */
export class TorchWatch {
  readonly #sightings = new Map<string, Sighting>();
  readonly #carriers = new Set<string>();
  readonly #hidden = new Map<number, string>();
  readonly #use: HostUseWatch;
  #known = new Map<number, Known>();
  #timer: NodeJS.Timeout | undefined;
  #looked = false;
  #told = 0;

  /**
   * @param mark how to recognise the step's processes; called at each scan, since the leader is known only
   *   once it runs
   * @param root where /proc is (for tests)
   */
  constructor(
    private readonly mark: () => StepMark,
    private readonly shimDir: string,
    private readonly root = '/proc',
  ) {
    this.#use = new HostUseWatch(root);
  }

  /**
   * @param tell called with what was seen, first and then whenever that has doubled: a step that keeps
   *   starting processes must not fill the job's state
   */
  start(tell: (seen: Seen) => void = () => undefined): void {
    if (process.platform !== 'linux') return;
    const again = (wait: number): void => {
      this.#timer = setTimeout(() => {
        const before = process.cpuUsage();
        this.look();
        this.#tellNews(tell);
        const { user, system } = process.cpuUsage(before);
        again(Math.max(Math.min(wait * GROWTH, LONGEST_MS), ((user + system) / 1000) * SPARING));
      }, wait);
      this.#timer.unref();
    };
    again(FIRST_LOOK_MS);
  }

  #tellNews(tell: (seen: Seen) => void): void {
    const amount = this.#sightings.size + this.#carriers.size + this.#hidden.size;
    if (amount === 0 || amount < 2 * this.#told) return;
    this.#told = amount;
    tell(this.seen());
  }

  /**
   * Stops the watch after a last scan, for processes that outlive the step. No last scan after a step too
   * short to load torch.
   */
  stop(): void {
    clearTimeout(this.#timer);
    if (this.#looked) this.look();
  }

  /** Scans once. */
  look(): void {
    this.#looked = true;
    const own: ProcessFacts[] = [];
    for (const known of this.#meet()) {
      if (!known.ours) continue;
      own.push(known.now);
      if (!known.settled) this.#examine(known);
    }
    this.#use.look(own);
  }

  seen(): Seen {
    return {
      sightings: [...this.#sightings.values()],
      carriers: [...this.#carriers],
      hidden: [...this.#hidden].map(([pid, program]) => ({ pid, program })),
      use: this.#use.use(),
    };
  }

  /** Processes of the step that were alive at the last scan. */
  met(): readonly Group[] {
    const ours = [...this.#known.values()].filter((known) => known.ours);
    return ours.map(({ facts: { pid, startTicks } }) => ({ pid, startTicks }));
  }

  /** Live processes. New ones are classified: the step's own, or others. */
  #meet(): Iterable<Known> {
    const living = new Map<number, Known>();
    const all: ProcessFacts[] = [];
    for (const name of namesIn(this.root)) {
      const pid = Number(name);
      if (!(pid > 1) || pid === process.pid) continue;
      const known = this.#known.get(pid);
      // The pid may have been reused since; the new process is not the step's.
      const facts = known && !known.ours ? known.facts : processFacts(pid, this.root);
      if (facts === null) continue;
      all.push(facts);
      if (known?.facts.startTicks !== facts.startTicks) continue;
      known.now = facts;
      living.set(pid, known);
    }
    const own = ownAmong(this.mark(), all, ({ pid }) => living.get(pid)?.ours, this.root);
    for (const facts of all.filter(({ pid }) => !living.has(pid)).sort(byStart)) {
      living.set(facts.pid, { facts, now: facts, ours: own.has(facts.pid), settled: false });
    }
    this.#known = living;
    return living.values();
  }

  #examine(known: Known): void {
    const { pid } = known.facts;
    const program = basename(readExecutable(pid, this.root) ?? '');
    if (CARRIERS.has(program)) this.#carriers.add(program);
    const maps = this.#maps(pid);
    const base = maps === null ? undefined : TORCH.exec(maps)?.[1];
    if (base === undefined) return;
    known.settled = true;
    const { startTicks } = processFacts(pid, this.root) ?? known.facts;
    if (this.#sightings.size >= MOST) return;
    this.#sightings.set(`${pid}.${startTicks}`, {
      pid,
      startTicks,
      innerPid: innerPid(pid, this.root),
      program,
      base,
      ...whyUnarmed(
        {
          program,
          args: readArguments(pid, this.root) ?? [],
          env: readEnvironment(pid, this.root),
          cwd: readLink(`${this.root}/${pid}/cwd`),
          uid: effectiveUser(pid, this.root),
        },
        this.shimDir,
      ),
    });
  }

  /** Mappings of a process; null when it has exited or belongs to another user. */
  #maps(pid: number): string | null {
    try {
      return readFileSync(`${this.root}/${pid}/maps`, 'utf8');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if ((code === 'EACCES' || code === 'EPERM') && this.#hidden.size < MOST) this.#hide(pid);
      return null;
    }
  }

  /** Remembers a process of which only the name can be read. */
  #hide(pid: number): void {
    try {
      const name = readFileSync(`${this.root}/${pid}/comm`, 'utf8').trim();
      if (PYTHON.test(name)) this.#hidden.set(pid, name);
    } catch {
      // It has exited.
    }
  }
}

function namesIn(root: string): string[] {
  try {
    return readdirSync(root).filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

function readLink(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
