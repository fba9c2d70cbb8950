/**
 * Who ran without the shim. While the step runs, its processes are looked at in /proc; one that has torch
 * mapped and left no receipt was not reached, and how it was started says why.
 *
 * A look reads the names in /proc, the facts of processes that are new, and the mappings of those of the step
 * that have not shown torch yet: 0.1 ms for 100 processes and 0.1 to 0.6 ms for each such Python. `import
 * torch` takes a second or more with its libraries mapped, so a look each second meets every process that
 * gets that far.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
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
   * Where torch lies in its memory. A forked child has it where its parent has, and nobody else, for the
   * kernel places libraries at random in each new program.
   */
  readonly base: string;
}

/** What a watch saw. Without command lines and environments. */
export interface Seen {
  readonly sightings: readonly Sighting[];
  /** Programs of the step that hand work to processes outside of it, as `docker`. */
  readonly carriers: readonly string[];
  /** Python processes of another user, whose memory cannot be looked at. */
  readonly hidden: readonly { readonly pid: number; readonly program: string }[];
}

/** Files of torch that are mapped once `import torch` is under way, behind their first address. */
const TORCH = /^([0-9a-f]+)-.*\/lib(?:torch|torch_cpu|torch_cuda|torch_python|c10)\.(?:so|dylib)/m;

/** A step that forks without end must not fill our memory. */
const MOST = 10_000;
const FIRST_LOOK_MS = 250;
const GROWTH = 1.25;
const LONGEST_MS = 1000;
/**
 * The next look is at least so many times as far away as the CPU time of the last one: one percent of a core.
 */
const SPARING = 100;

/** One process, for as long as it lives. */
interface Known {
  readonly facts: ProcessFacts;
  readonly ours: boolean;
  /** Torch was seen in it: nothing more is to be learnt. */
  settled: boolean;
}

/** Looks at the step's processes until it is stopped. Linux only: elsewhere it sees nothing. */
export class TorchWatch {
  readonly #sightings = new Map<string, Sighting>();
  readonly #carriers = new Set<string>();
  readonly #hidden = new Map<number, string>();
  #known = new Map<number, Known>();
  #timer: NodeJS.Timeout | undefined;
  #looked = false;
  #told = 0;

  /**
   * @param mark what marks the step's processes; asked at each look, for its leader is known only once it
   *   runs
   * @param root where /proc is (for tests)
   */
  constructor(
    private readonly mark: () => StepMark,
    private readonly shimDir: string,
    private readonly root = '/proc',
  ) {}

  /**
   * @param tell gets what was seen, at first and whenever it is twice as much as the last time it was told: a
   *   step that starts processes without end must not fill the state of the job
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
   * Ends the watch with a last look, at those that outlive the step; not after a step too short to load
   * torch.
   */
  stop(): void {
    clearTimeout(this.#timer);
    if (this.#looked) this.look();
  }

  /** One look. */
  look(): void {
    this.#looked = true;
    for (const known of this.#meet()) {
      if (known.ours && !known.settled) this.#examine(known);
    }
  }

  seen(): Seen {
    return {
      sightings: [...this.#sightings.values()],
      carriers: [...this.#carriers],
      hidden: [...this.#hidden].map(([pid, program]) => ({ pid, program })),
    };
  }

  /** Processes of the step that lived at the last look. */
  met(): readonly Group[] {
    const ours = [...this.#known.values()].filter((known) => known.ours);
    return ours.map(({ facts: { pid, startTicks } }) => ({ pid, startTicks }));
  }

  /** Processes that live now; those not met before are told apart into the step's own and others. */
  #meet(): Iterable<Known> {
    const living = new Map<number, Known>();
    const all: ProcessFacts[] = [];
    for (const name of namesIn(this.root)) {
      const pid = Number(name);
      if (!(pid > 1) || pid === process.pid) continue;
      const known = this.#known.get(pid);
      // One of the step's may have gone and left its pid to another, who must not be taken for it.
      const facts = known && !known.ours ? known.facts : processFacts(pid, this.root);
      if (facts === null) continue;
      all.push(facts);
      if (known?.facts.startTicks === facts.startTicks) living.set(pid, known);
    }
    const own = ownAmong(this.mark(), all, ({ pid }) => living.get(pid)?.ours, this.root);
    for (const facts of all.filter(({ pid }) => !living.has(pid)).sort(byStart)) {
      living.set(facts.pid, { facts, ours: own.has(facts.pid), settled: false });
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

  /** Mappings of a process; null when it is gone or belongs to another user. */
  #maps(pid: number): string | null {
    try {
      return readFileSync(`${this.root}/${pid}/maps`, 'utf8');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if ((code === 'EACCES' || code === 'EPERM') && this.#hidden.size < MOST) this.#hide(pid);
      return null;
    }
  }

  /** Remembers a process that only shows its name. */
  #hide(pid: number): void {
    try {
      const name = readFileSync(`${this.root}/${pid}/comm`, 'utf8').trim();
      if (PYTHON.test(name)) this.#hidden.set(pid, name);
    } catch {
      // It is gone.
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
