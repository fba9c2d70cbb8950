/**
 * Who of the step held the host's memory, at the fullest moment that the watch saw: what the kernel ends by its OOM killer cannot be
 * asked any more. Programs by their file name; workers that a program has forked count together.
 */
import { readFileSync, statfsSync } from 'node:fs';
import { nameProcess, type ProcessFacts } from './proc.js';

/** A program of the step, or its workers. Bytes. */
export interface HostOwner {
  readonly program: string;
  /** Of the program; of workers, that of who started them. */
  readonly pid: number;
  readonly workers: number;
  /** Resident memory of its own. Pages that several share are in `shared`, of the one that has most of them. */
  readonly own: number;
  readonly shared: number;
}

export interface HostUse {
  /** Seconds since the epoch. */
  readonly time: number;
  /** The largest first. */
  readonly owners: readonly HostOwner[];
  /** What lies in /dev/shm, and how large that may be; null where there is none. */
  readonly shm: { readonly used: number; readonly total: number } | null;
}

/** One process, in bytes. */
export interface HostProcess {
  readonly pid: number;
  readonly ppid: number;
  readonly program: string;
  readonly own: number;
  readonly shared: number;
}

const MOST_PROCESSES = 256;
export const MOST_OWNERS = 6;
/** A look is kept where the step holds this much more than at the last one kept. */
const WORTH = 1.05;

/** Workers are children of a program of the same name: a DataLoader's, a pool's. Pure. */
export function hostOwners(processes: readonly HostProcess[]): readonly HostOwner[] {
  const byPid = new Map(processes.map((one) => [one.pid, one]));
  const owners = new Map<string, HostOwner>();
  for (const { pid, ppid, program, own, shared } of processes) {
    const parent = byPid.get(ppid);
    const worker = parent?.program === program;
    const key = worker ? `workers of ${ppid}` : `${pid}`;
    const known = owners.get(key) ?? { program, pid: worker ? ppid : pid, workers: 0, own: 0, shared: 0 };
    owners.set(key, {
      ...known,
      workers: known.workers + (worker ? 1 : 0),
      own: known.own + own,
      shared: Math.max(known.shared, shared),
    });
  }
  return [...owners.values()].sort((a, b) => b.own + b.shared - (a.own + a.shared)).slice(0, MOST_OWNERS);
}

/** Keeps the fullest moment. One file is read for each process, and only where the step holds more than before. */
export class HostUseWatch {
  #pages = 0;
  #use: HostUse | null = null;

  constructor(private readonly root = '/proc') {}

  look(own: readonly ProcessFacts[]): void {
    const pages = own.reduce((sum, { resident }) => sum + resident, 0);
    if (pages <= this.#pages * WORTH) return;
    this.#pages = pages;
    const largest = [...own].sort((a, b) => b.resident - a.resident).slice(0, MOST_PROCESSES);
    const owners = hostOwners(largest.flatMap((facts) => memoryOf(facts, this.root) ?? []));
    if (owners.length > 0) this.#use = { time: Date.now() / 1000, owners, shm: sharedMemory() };
  }

  use(): HostUse | null {
    return this.#use;
  }
}

function memoryOf({ pid, ppid }: ProcessFacts, root: string): HostProcess | null {
  try {
    const status = readFileSync(`${root}/${pid}/status`, 'utf8');
    const kib = (name: string): number =>
      1024 * Number(new RegExp(`^${name}:\\s+([0-9]+) kB$`, 'm').exec(status)?.[1] ?? 0);
    const program = nameProcess(pid, root).program ?? '?';
    return { pid, ppid, program, own: kib('RssAnon'), shared: kib('RssFile') + kib('RssShmem') };
  } catch {
    return null; // It has exited.
  }
}

function sharedMemory(): HostUse['shm'] {
  try {
    const { bsize, blocks, bfree } = statfsSync('/dev/shm');
    return blocks === 0 ? null : { used: (blocks - bfree) * bsize, total: blocks * bsize };
  } catch {
    return null;
  }
}
