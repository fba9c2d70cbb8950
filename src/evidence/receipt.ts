/**
 * Receipts: what each process that imported torch wrote about itself, as it is known here once it was read (receipt-parse.ts).
 *
 * Field names are those of the file (schema `oom-autopsy.receipt.v1`, see schemas/receipt.schema.json). Amounts are bytes,
 * times are seconds since the epoch.
 */
import type { Owner, SnapshotReason } from './names.js';

export const RECEIPT_SCHEMA = 'oom-autopsy.receipt.v1';
/** Bytes of the largest receipt that is read. The shim keeps its own below this. */
export const MAX_RECEIPT_BYTES = 4 * 2 ** 20;

/** Variables a receipt may hold, in the order in which they name a process's rank. */
export const RANK_VARIABLES = [
  'RANK',
  'LOCAL_RANK',
  'WORLD_SIZE',
  'LOCAL_WORLD_SIZE',
  'GROUP_RANK',
  'NODE_RANK',
  'SLURM_PROCID',
  'OMPI_COMM_WORLD_RANK',
] as const;
export type RankVariable = (typeof RANK_VARIABLES)[number];

export type RecorderState = 'idle' | 'armed' | 'disarmed' | 'foreign' | 'unsupported' | 'failed';
export type ReceiptHistory = 'armed' | 'interrupted' | 'foreign' | 'none';

export interface Frame {
  readonly file: string;
  readonly line: number;
  readonly function: string;
}
export interface CountedFrame extends Frame {
  readonly count: number;
}
export interface Torch {
  readonly version: string;
  readonly cuda: string | null;
  readonly hip: string | null;
  readonly backend: string | null;
  readonly alloc_conf: string | null;
  /** At the last out-of-memory or at the end; null where it is not known. */
  readonly expandable_segments: boolean | null;
  readonly path: string | null;
}
/** Whether torch's allocator tells of its out-of-memory errors; `refused` where none could be seen. */
export const OBSERVERS = ['attached', 'refused', 'none'] as const;
export interface Recorder {
  readonly state: RecorderState;
  readonly reason: string | null;
  readonly armed_at: number | null;
  readonly disarmed_at: number | null;
  /** True when the recorder was seen off after disarming, null when nobody could tell. */
  readonly disarm_proven: boolean | null;
  readonly interrupted: boolean;
  /** null: of a shim that did not say. */
  readonly observer: (typeof OBSERVERS)[number] | null;
  readonly max_entries: number | null;
  readonly stacks: string | null;
}
/** What the caching allocator counted on a device. Bytes and counts. */
export interface AllocatorCounts {
  readonly allocated: number | null;
  readonly reserved: number | null;
  readonly peak_allocated: number | null;
  readonly peak_reserved: number | null;
  readonly retries: number | null;
  readonly ooms: number | null;
}
export interface Device extends AllocatorCounts {
  readonly index: number;
  readonly name: string | null;
  readonly total: number | null;
  readonly limit: number | null;
}
export interface CategoryOwner {
  readonly name: string;
  readonly bytes: number;
  readonly count: number;
}
export interface UnknownReason {
  readonly reason: string;
  readonly bytes: number;
  readonly count: number | null;
}
export interface Category {
  readonly bytes: number;
  readonly count: number;
  readonly owners: readonly CategoryOwner[];
  readonly reasons: readonly UnknownReason[];
}
export const CATEGORY_NAMES = [
  'parameter',
  'gradient',
  'optimizer_state',
  'activation',
  'input',
  'unknown',
] as const;
export type CategoryName = (typeof CATEGORY_NAMES)[number];
export const POOL_KINDS = ['graph', 'handle', 'rest'] as const;
/** A private pool of the allocator, or the pools beyond those that have a row of their own (`rest`). Part of its device's sum. */
export interface CensusPool {
  /** As the allocator numbers it; null for `rest`. */
  readonly id: string | null;
  /** Of a captured CUDA graph, or of a `MemPool` or `graph_pool_handle`. */
  readonly kind: (typeof POOL_KINDS)[number];
  /** Pools. */
  readonly count: number;
  readonly reserved: number;
  readonly allocated: number;
  /** Bytes; they add up to `allocated`. */
  readonly categories: Readonly<Partial<Record<CategoryName, number>>>;
}
export interface CensusDevice {
  readonly index: number;
  readonly allocated: number;
  readonly reserved: number;
  readonly reserved_unused: number;
  readonly attributed: number;
  readonly categories: Readonly<Partial<Record<CategoryName, Category>>>;
  /** The largest first; null where they could not be told apart. */
  readonly pools: readonly CensusPool[] | null;
}
export interface Census {
  readonly seconds: number | null;
  readonly complete: boolean;
  readonly cut: string | null;
  readonly devices: readonly CensusDevice[];
}
/** Bytes by device name, such as `{"cuda:0": 1024}`. */
export type DeviceBytes = Readonly<Record<string, number>>;
/** A closed path through a cycle and what hangs on it, in names of types and attributes. */
export interface CycleGraph {
  /** Each refers to the next by `label`, the last to the first; "" where the reference has no name. */
  readonly ring: readonly { readonly name: string; readonly label: string }[];
  /** Objects of the ring that are not listed. */
  readonly ring_cut: number;
  readonly held: readonly {
    /** Index in `ring`. */
    readonly at: number;
    /** From there down to the tensor; `label` is the reference by which each is held. */
    readonly path: readonly { readonly label: string; readonly name: string }[];
    readonly bytes: number;
    readonly device: string;
  }[];
  readonly held_cut: number;
}
export interface Cycle {
  readonly id: string;
  readonly seen: number;
  readonly size: number;
  readonly types: readonly { readonly name: string; readonly count: number }[];
  readonly tensors: number;
  readonly bytes: DeviceBytes;
  readonly frames: readonly CountedFrame[];
  /** null beyond the kinds that held most. */
  readonly graph: CycleGraph | null;
}
export interface Cycles {
  readonly mode: 'sampled' | 'continuous' | 'off';
  readonly state: 'watching' | 'nothing-to-watch' | 'failed';
  readonly reason: string | null;
  readonly looks: number;
  readonly seconds: number | null;
  readonly count: number;
  readonly tensors: number;
  readonly bytes: DeviceBytes;
  readonly cycles: readonly Cycle[];
  readonly cycles_dropped: number;
  readonly page: string | null;
}
export interface Oom extends AllocatorCounts {
  readonly seq: number;
  readonly time: number | null;
  readonly device: number | null;
  readonly wanted: number | null;
  readonly limit: number | null;
  readonly free: number | null;
  readonly thread: 'main' | 'backward' | 'other' | null;
  /** Innermost frame last. */
  readonly stack: readonly Frame[];
  readonly main_stack: readonly Frame[] | null;
  readonly device_free: number | null;
  readonly device_total: number | null;
  readonly snapshot: string | null;
  readonly snapshot_error: string | null;
  readonly dump_seconds: number | null;
  readonly history: ReceiptHistory | null;
  readonly census: Census | null;
  readonly cycles: Cycles | null;
}
export interface ReceiptSnapshot {
  readonly file: string;
  readonly bytes: number | null;
  readonly reason: SnapshotReason;
  readonly device: number | null;
  readonly seq: number | null;
  readonly time: number | null;
  readonly history: ReceiptHistory | null;
}
/** Whose memory ran out, where it was not that of torch's caching allocator. */
export const OUTSIDE_KINDS = [
  'cublas',
  'driver',
  'nccl',
  'rmm',
  'cupy',
  'jax',
  'onnxruntime',
  'tensorrt',
  'nvml-assert',
  'pinned-host',
  'cusolver',
  'cudnn',
] as const;
export interface OutsideOom {
  readonly kind: (typeof OUTSIDE_KINDS)[number];
  /** False where the error only hints at memory. */
  readonly certain: boolean;
  /** Bytes that the device had free, where pinned memory of the host ran out; else null. */
  readonly device_free: number | null;
}
export const RERAISED_FROM = ['process', 'ray'] as const;
export interface End {
  readonly kind: 'exit' | 'exception' | 'sigterm';
  readonly exception: string | null;
  readonly oom: boolean;
  /** Of the exception that ended the process; at an exit, of the last one that was printed and survived (pytest's, say). */
  readonly outside_oom: OutsideOom | null;
  /** Where that exception was first raised, if not here. */
  readonly reraised_from: (typeof RERAISED_FROM)[number] | null;
  readonly time: number | null;
}
/** A thread that ended by an exception which nothing caught, while its process went on. */
export interface ThreadEnd {
  readonly exception: string | null;
  readonly oom: boolean;
  readonly time: number | null;
}
/** JSON that was cut to a depth and a number of nodes, with its texts cleaned. */
export type PlainJson =
  | null
  | boolean
  | number
  | string
  | readonly PlainJson[]
  | { readonly [key: string]: PlainJson };

export interface Receipt extends Owner {
  readonly schema: typeof RECEIPT_SCHEMA;
  /** The receipt's own file name. */
  readonly file: string;
  readonly step: string;
  readonly ppid: number | null;
  readonly start_ticks: number | null;
  readonly python: string | null;
  readonly executable: string | null;
  readonly program: string | null;
  readonly rank: Readonly<Partial<Record<RankVariable, string>>>;
  readonly time: { readonly started: number | null; readonly updated: number | null };
  readonly torch: Torch | null;
  readonly recorder: Recorder;
  readonly devices: readonly Device[];
  readonly ooms: readonly Oom[];
  readonly ooms_dropped: number;
  /** All out-of-memory errors of the process, those not listed too. */
  readonly oom_count: number;
  readonly snapshots: readonly ReceiptSnapshot[];
  readonly snapshots_removed: number;
  readonly census: Census | null;
  readonly cycles: Cycles | null;
  readonly timeline: PlainJson;
  readonly faults: readonly string[];
  readonly thread_ends: readonly ThreadEnd[];
  /** null: ended without running its exit handlers, or still running. */
  readonly end: End | null;
  /** What this reader left out or cut, one line each. */
  readonly notes: readonly string[];
}
