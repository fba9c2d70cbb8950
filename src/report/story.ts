/**
 * The facts a reader needs first, picked from the manifest: which out-of-memory the report is about, who held
 * what at that moment, how each process ended. No words here, only numbers and choices; the words-*.ts say
 * them. Pure.
 */
import type { Manifest, ManifestProcess } from '../evidence/manifest.js';
import {
  CATEGORY_NAMES,
  type CategoryName,
  type CategoryOwner,
  type Census,
  type CensusDevice,
  type Device,
  type End,
  type Frame,
  type Oom,
} from '../evidence/receipt.js';
import { heldBy } from '../gpu/holders.js';
import type { GpuObservation } from '../gpu/observe.js';
import { isFatal } from '../judge/outcomes.js';
import { endedByOom } from '../judge/outside.js';
import { openEnds } from '../judge/verdict.js';
import { userFrame } from './frames.js';

/** One out-of-memory and its process. */
export interface OomStory {
  readonly process: ManifestProcess;
  readonly oom: Oom;
  /** Nothing caught it: it ended the process. */
  readonly fatal: boolean;
}

const timeOf = (oom: Oom): number => oom.time ?? Number.POSITIVE_INFINITY;

/**
 * Where an out-of-memory that ended a process was raised first, and that of the worker which had it; nulls
 * for one of its own.
 */
export function raisedFirst(
  { processes }: Manifest,
  { pid, host, end, recorder }: ManifestProcess,
): { readonly from: End['reraised_from']; readonly story: OomStory | null } {
  const said = end?.reraised_from ?? null;
  // What never used CUDA has no out-of-memory of its own.
  if (!end?.oom || (said === null && recorder.state !== 'idle')) return { from: null, story: null };
  const latest = end.time ?? Number.POSITIVE_INFINITY;
  const had = processes.flatMap((worker): OomStory[] => {
    const oom = worker.end?.oom ? undefined : worker.ooms.findLast((o) => timeOf(o) <= latest);
    return oom === undefined ? [] : [{ process: worker, oom, fatal: true }];
  });
  const children = had.filter(({ process }) => process.ppid === pid && process.host === host);
  // A worker of a fork server is no child; it is known where it is the only one that can have been it.
  const workers = children.length > 0 ? children : said !== null && had.length === 1 ? had : [];
  const story = workers.sort((x, y) => timeOf(x.oom) - timeOf(y.oom)).at(-1) ?? null;
  return { from: said ?? (story === null ? null : 'process'), story };
}

/**
 * Out-of-memory errors that were raised again elsewhere and ended that process, by the manifest that they are
 * of.
 */
const raisedAgain = new WeakMap<Manifest, ReadonlySet<Oom>>();

function isRaisedAgain(manifest: Manifest, oom: Oom | undefined): boolean {
  let all = raisedAgain.get(manifest);
  if (all === undefined) {
    all = new Set(manifest.processes.flatMap((p) => raisedFirst(manifest, p).story?.oom ?? []));
    raisedAgain.set(manifest, all);
  }
  return oom !== undefined && all.has(oom);
}

/**
 * Every process that ended by an out-of-memory and recorded it, itself or in a worker of it, and every test that failed by one, the
 * first to fail first.
 */
export function fatalStories(manifest: Manifest): readonly OomStory[] {
  return manifest.processes
    .flatMap((process): OomStory[] => {
      const told = process.ooms.filter(isFatal).map((oom) => ({ process, oom, fatal: true }));
      if (!process.end?.oom) return told;
      const { from, story } = raisedFirst(manifest, process);
      if (from !== null) return story === null ? told : [...told, story];
      const oom = process.ooms.at(-1);
      return oom && !isFatal(oom) ? [...told, { process, oom, fatal: true }] : told;
    })
    .sort((a, b) => timeOf(a.oom) - timeOf(b.oom));
}

/** The out-of-memory that the report is about: the first that ended a process, otherwise the newest. */
export function mainStory(manifest: Manifest): OomStory | null {
  const fatal = fatalStories(manifest)[0];
  if (fatal) return fatal;
  let newest: OomStory | null = null;
  for (const process of manifest.processes) {
    for (const oom of process.ooms) {
      if (newest === null || (oom.time ?? 0) > (newest.oom.time ?? 0))
        newest = { process, oom, fatal: false };
    }
  }
  return newest;
}

/**
 * Processes with an out-of-memory at their end that is none of those which the allocator's observer saw
 * there.
 */
export const unseenOoms = (manifest: Manifest): readonly ManifestProcess[] =>
  manifest.processes.filter(
    (p) =>
      p.end?.outside_oom?.certain === true ||
      (p.end?.oom === true && (p.ooms.length === 0 || p.end.reraised_from !== null)),
  );

/** The device of an out-of-memory, as its process described it. */
export const deviceOf = ({ process, oom }: OomStory): Device | null =>
  process.devices.find((d) => d.index === oom.device) ?? null;

/** Did it run on the machine whose GPUs and processes were looked at? A pid means nothing on another one. */
export const isLocal = (manifest: Manifest, { host }: Pick<ManifestProcess, 'host'>): boolean =>
  host === manifest.runner.host;

/** A process that is none of the step's own, on the device of the story. */
export interface OtherProcess {
  readonly pid: number;
  readonly name: string | null;
  /** Bytes; null where the tool does not say. */
  readonly used: number | null;
  readonly before: boolean;
  /** Present before the step and absent after it. Whether it was present in between is unknown. */
  readonly gone: boolean;
}

/** Who held the memory of the device at the moment of an out-of-memory. Bytes; null where it is not known. */
export interface Account {
  readonly total: number | null;
  readonly free: number | null;
  /** By this process's caching allocator, in blocks and cached. */
  readonly reserved: number | null;
  readonly allocated: number | null;
  /** Cached by it, in no block. */
  readonly unused: number | null;
  /**
   * Total less free less reserved: other processes, and memory of this one outside of the caching allocator.
   */
  readonly outside: number | null;
  /** A limit below the device's size (a memory fraction); null when there is none. */
  readonly limit: number | null;
  /** Other processes that can have held what they were seen with. */
  readonly others: readonly OtherProcess[];
  /** Bytes of `others` together; never more than `outside`. */
  readonly othersHeld: number;
  /**
   * Other processes that were seen before or after the step, and of which nothing can be said at that moment.
   */
  readonly unsure: readonly OtherProcess[];
}

/** Strangers on a device, the largest first. None for a process of another machine. */
function othersOn(
  manifest: Manifest,
  process: ManifestProcess,
  device: Device | null,
): readonly OtherProcess[] {
  const { gpu } = manifest;
  if (!gpu || !isLocal(manifest, process)) return [];
  return gpu.holders
    .filter((one) => one.whose === 'stranger')
    .filter((one) => sameDevice(one.before ? gpu.before : gpu.after, one.device, device))
    .map((one) => {
      const { pid, name, before, gone } = one;
      return { pid, name, used: heldBy(one), before: before !== null, gone };
    });
}

/**
 * Is entry `index` of the tool the device that torch calls `device`? Indices agree only without
 * CUDA_VISIBLE_DEVICES and the like, so the size has to agree as well (within 5 %: the driver keeps some for
 * itself), or there is only one device anyway.
 */
function sameDevice(look: GpuObservation | null, index: number | null, device: Device | null): boolean {
  if (look?.state !== 'seen') return false;
  if (device === null || look.devices.length === 1) return true;
  if (index === null || index !== device.index) return false;
  const total = look.devices.find((d) => d.index === index)?.total ?? null;
  return total === null || device.total === null || Math.abs(total - device.total) <= 0.05 * total;
}

export function accountOf(manifest: Manifest, story: OomStory): Account {
  const { oom } = story;
  const device = deviceOf(story);
  const total = oom.device_total ?? device?.total ?? null;
  const free = oom.device_free ?? oom.free;
  const { reserved, allocated } = oom;
  const limit = oom.limit ?? device?.limit ?? null;
  const seen = othersOn(manifest, story.process, device);
  const there = seen.filter((o) => !o.gone);
  const held = there.reduce((sum, o) => sum + (o.used ?? 0), 0);
  const outside =
    total === null || free === null || reserved === null ? null : Math.max(0, total - free - reserved);
  // They were seen before or after that moment. Where they cannot have held as much then, nobody knows what
  // they held.
  const fits = outside === null || held <= outside;
  return {
    total,
    free,
    reserved,
    allocated,
    unused: reserved === null || allocated === null ? null : Math.max(0, reserved - allocated),
    outside,
    limit: limit !== null && total !== null && limit < total ? limit : null,
    others: fits ? there : [],
    othersHeld: fits ? held : 0,
    unsure: fits ? seen.filter((o) => o.gone) : seen,
  };
}

/** A part of a device's memory at the moment of an out-of-memory. */
export interface Part {
  readonly name: CategoryName | 'allocated' | 'unused' | 'others' | 'outside' | 'free';
  readonly bytes: number;
  /** False where the look ended before it had seen all of it. */
  readonly whole: boolean;
  /** Storages. */
  readonly count: number | null;
  readonly owners: readonly CategoryOwner[];
  /** Why something is `unknown`. */
  readonly reasons: readonly { readonly reason: string; readonly bytes: number }[];
}

export const censusOf = (census: Census | null, index: number | null): CensusDevice | null =>
  census?.devices.find((d) => d.index === index) ?? (index === null ? (census?.devices[0] ?? null) : null);

/** Bytes that private pools of a device keep in no block; 0 where no census told pools apart. */
export const unusedInPools = (census: CensusDevice | null): number =>
  (census?.pools ?? []).reduce((sum, pool) => sum + pool.reserved - pool.allocated, 0);

/**
 * The whole device in parts that add up to its size (as far as that is known): the categories, what the
 * allocator keeps unused, what other processes were seen to hold, what else lies outside of the allocator,
 * and what was free.
 */
export function partsOf(account: Account, oom: Pick<Oom, 'census' | 'device'>): readonly Part[] {
  const census = censusOf(oom.census, oom.device);
  const parts: Part[] = [];
  const plain = (name: Part['name'], bytes: number | null): void => {
    if (bytes !== null && bytes > 0)
      parts.push({ name, bytes, whole: true, count: null, owners: [], reasons: [] });
  };
  if (census) {
    for (const name of CATEGORY_NAMES) {
      const whole = !oom.census?.not_reached.includes(name);
      const category = census.categories[name];
      // What was not seen is not nothing.
      if (!category || (category.bytes === 0 && whole)) continue;
      const { bytes, count, owners, reasons } = category;
      parts.push({ name, bytes, whole, count, owners, reasons });
    }
    plain('unused', census.reserved_unused);
  } else {
    plain('allocated', account.allocated);
    plain('unused', account.unused);
  }
  const others = Math.min(account.othersHeld, account.outside ?? 0);
  plain('others', others);
  plain('outside', account.outside === null ? null : account.outside - others);
  plain('free', account.free);
  return parts;
}

/**
 * The stack that tells where the user's program stood: the failing thread's, or the main thread's when that
 * has none of the user's.
 */
export function tellingStack(
  oom: Oom,
  workspace: string | null,
): { readonly frame: Frame | null; readonly stack: readonly Frame[]; readonly main: boolean } {
  const own = userFrame(oom.stack, workspace);
  if (own || !oom.main_stack) return { frame: own, stack: oom.stack, main: false };
  return { frame: userFrame(oom.main_stack, workspace), stack: oom.main_stack, main: true };
}

/** How a process ended. */
export type Ending = 'oom' | 'exception' | 'sigterm' | 'exit' | 'no-handlers' | 'running' | 'elsewhere';

export function endingOf(manifest: Manifest, process: ManifestProcess): Ending {
  if (endedByOom(process)) return 'oom';
  if (process.end) return process.end.kind;
  // Who still runs was looked at on this machine alone, and by the pids of this machine.
  if (!isLocal(manifest, process)) return 'elsewhere';
  return manifest.still_running.some((s) => s.pid === process.pid) ? 'running' : 'no-handlers';
}

/** Processes with an out-of-memory that may or may not have been caught. */
export const openOoms = (manifest: Manifest) =>
  openEnds(manifest.processes, manifest.still_running, manifest.runner.host);

/** What became of one out-of-memory; `thread`: it ended a thread or was caught, and nobody can tell which. */
export type Outcome =
  | 'process'
  | 'test'
  | 'exit'
  | 'left'
  | 'exited'
  | 'raised-again'
  | 'thread'
  | 'caught'
  | 'sigterm'
  | 'no-handlers'
  | 'running'
  | 'elsewhere';

const TOLD: Readonly<Record<NonNullable<Oom['outcome']>['kind'], Outcome | null>> = {
  'test-failed': 'test',
  handled: 'caught',
  exit: 'exit',
  left: 'left',
  raised: null,
};

/**
 * What became of out-of-memory `index` of a process. It was caught where the thread that had it is known to
 * have gone on.
 */
export function outcomeOf(manifest: Manifest, process: ManifestProcess, index: number): Outcome {
  const { ooms } = process;
  const onMain = ooms[index]?.thread === 'main';
  const told = TOLD[ooms[index]?.outcome?.kind ?? 'raised'];
  if (told !== null) return told;
  if (process.end?.oom && process.end.reraised_from === null && index === ooms.length - 1) return 'process';
  if (isRaisedAgain(manifest, ooms[index])) return 'raised-again';
  if (!onMain && process.thread_ends.some((end) => end.oom)) return 'thread';
  const ending = endingOf(manifest, process);
  if (ending === 'oom' || ending === 'exception') return 'caught';
  if (ending === 'exit')
    return index < ooms.length - 1 || manifest.step.exit_code === 0 ? 'caught' : 'exited';
  return onMain && ooms.slice(index + 1).some((later) => later.thread === 'main') ? 'caught' : ending;
}

/** What became of recording in a process. */
export type Disarm = 'disarmed' | 'idle' | 'foreign' | 'not-armed' | 'armed-still' | 'unproven';

export function disarmOf({ recorder }: ManifestProcess): Disarm {
  switch (recorder.state) {
    case 'idle':
      return 'idle';
    case 'foreign':
      return 'foreign';
    case 'armed':
      return 'armed-still';
    case 'disarmed':
      return recorder.disarm_proven === false ? 'unproven' : 'disarmed';
    default:
      return 'not-armed';
  }
}

/** The largest peak of a process over its devices; null when it used none. */
export function peakOf(process: ManifestProcess): Device | null {
  let best: Device | null = null;
  for (const device of process.devices) {
    if ((device.peak_allocated ?? -1) > (best?.peak_allocated ?? -1)) best = device;
  }
  return best;
}
