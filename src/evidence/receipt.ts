/**
 * Receipts: what each process that imported torch wrote about itself, read as untrusted input.
 *
 * A receipt comes from the wrapped step, which may have run a stranger's code, and from a shim that may be older or newer than
 * this file. So reading is strict on what everything else hangs on (schema, step, host, pid, token and the file's name agree;
 * no file is claimed that another process would have written) and lenient elsewhere: unknown fields are left out, a part of
 * the wrong type is left out with a note, lists and texts are cut to a bound with a note. Texts lose control characters and
 * direction marks here, once, so no later reader has to remember to.
 *
 * Field names are those of the file (schema `oom-autopsy.receipt.v1`, see schemas/receipt.schema.json). Amounts are bytes,
 * times are seconds since the epoch.
 */
import {
  displayName,
  isSafeName,
  type Owner,
  parsePageName,
  parseReceiptName,
  parseSnapshotName,
  SNAPSHOT_REASONS,
  type SnapshotReason,
  sameOwner,
} from './names.js';

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
  readonly path: string | null;
}
export interface Recorder {
  readonly state: RecorderState;
  readonly reason: string | null;
  readonly armed_at: number | null;
  readonly disarmed_at: number | null;
  /** True when the recorder was seen off after disarming, null when nobody could tell. */
  readonly disarm_proven: boolean | null;
  readonly interrupted: boolean;
  readonly max_entries: number | null;
  readonly stacks: string | null;
}
export interface Device {
  readonly index: number;
  readonly name: string | null;
  readonly total: number | null;
  readonly limit: number | null;
  readonly allocated: number | null;
  readonly reserved: number | null;
  readonly peak_allocated: number | null;
  readonly peak_reserved: number | null;
  readonly retries: number | null;
  readonly ooms: number | null;
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
export interface Cycle {
  readonly id: string;
  readonly seen: number;
  readonly size: number;
  readonly types: readonly { readonly name: string; readonly count: number }[];
  readonly tensors: number;
  readonly bytes: DeviceBytes;
  readonly frames: readonly CountedFrame[];
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
export interface Oom {
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
  readonly allocated: number | null;
  readonly reserved: number | null;
  readonly peak_allocated: number | null;
  readonly peak_reserved: number | null;
  readonly retries: number | null;
  readonly ooms: number | null;
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
export interface End {
  readonly kind: 'exit' | 'exception' | 'sigterm';
  readonly exception: string | null;
  readonly oom: boolean;
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

export type ParsedReceipt =
  | { readonly ok: true; readonly receipt: Receipt }
  | { readonly ok: false; readonly reason: string };

const LIMITS = {
  notes: 20,
  short: 200,
  line: 500,
  path: 1000,
  devices: 128,
  ooms: 50,
  frames: 100,
  snapshots: 256,
  owners: 10,
  reasons: 20,
  pools: 17,
  cycles: 50,
  types: 50,
  faults: 20,
  threadEnds: 20,
  jsonDepth: 12,
  jsonNodes: 50_000,
} as const;

// Control characters, zero-width and direction marks, line and paragraph separators, tag characters.
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters taken out
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** `text` in one line without control characters and direction marks, whole code points, at most `limit` of UTF-16 units. */
export function cleanText(text: string, limit: number): string {
  const start = text
    .slice(0, limit * 4)
    .toWellFormed()
    .replace(/[\t\r\n]+/g, ' ')
    .replace(INVISIBLE, '');
  if (start.length <= limit) return start;
  return `${start
    .slice(0, limit - 1)
    .toWellFormed()
    .replace(/\ufffd$/, '')}…`;
}

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads fields one by one and keeps notes of what it left out. `at` is where in the receipt, for the notes. */
class Reader {
  readonly notes: string[] = [];
  private more = 0;

  note(line: string): void {
    if (this.notes.length < LIMITS.notes) this.notes.push(line);
    else this.more += 1;
  }

  allNotes(): readonly string[] {
    return this.more > 0 ? [...this.notes, `and ${this.more} more like these`] : this.notes;
  }

  private get<T>(o: Fields, key: string, at: string, kind: string, read: (v: unknown) => T | null): T | null {
    const value = Object.hasOwn(o, key) ? o[key] : undefined;
    if (value === undefined || value === null) return null;
    const result = read(value);
    if (result === null) this.note(`${at}${key} is not ${kind}: left out`);
    return result;
  }

  text(o: Fields, key: string, at: string, limit: number): string | null {
    return this.get(o, key, at, 'a text', (v) => (typeof v === 'string' ? cleanText(v, limit) : null));
  }

  /** A whole number that is not negative: bytes, counts, lines, pids. */
  amount(o: Fields, key: string, at: string): number | null {
    return this.get(o, key, at, 'a whole number from 0', (v) =>
      typeof v === 'number' && Number.isSafeInteger(v) && v >= 0 ? v : null,
    );
  }

  /** Seconds, or a time in seconds since the epoch: finite, not negative. */
  seconds(o: Fields, key: string, at: string): number | null {
    return this.get(o, key, at, 'a finite number from 0', (v) =>
      typeof v === 'number' && Number.isFinite(v) && v >= 0 && v <= 1e12 ? v : null,
    );
  }

  flag(o: Fields, key: string, at: string): boolean | null {
    return this.get(o, key, at, 'true or false', (v) => (typeof v === 'boolean' ? v : null));
  }

  oneOf<T extends string>(o: Fields, key: string, at: string, values: readonly T[]): T | null {
    return this.get(o, key, at, `one of ${values.join(', ')}`, (v) => values.find((x) => x === v) ?? null);
  }

  fields(o: Fields, key: string, at: string): Fields | null {
    return this.get(o, key, at, 'an object', (v) => (isFields(v) ? v : null));
  }

  /** The first or newest `limit` items that `read` accepts, and how many were left out. */
  list<T>(
    o: Fields,
    key: string,
    at: string,
    limit: number,
    read: (item: Fields, at: string) => T | null,
    keep: 'first' | 'last' = 'first',
  ): { readonly items: readonly T[]; readonly dropped: number } {
    const all = this.get(o, key, at, 'a list', (v) => (Array.isArray(v) ? (v as readonly unknown[]) : null));
    if (!all) return { items: [], dropped: 0 };
    const from = keep === 'first' ? 0 : Math.max(0, all.length - limit);
    const items: T[] = [];
    const some = all.slice(from, from + limit);
    some.forEach((item, index) => {
      const where = `${at}${key}[${from + index}].`;
      const value = isFields(item) ? read(item, where) : null;
      if (value === null) this.note(`${where.slice(0, -1)} is not usable: left out`);
      else items.push(value);
    });
    if (all.length > limit) this.note(`${at}${key} has ${all.length} entries: ${keep} ${limit} read`);
    return { items, dropped: all.length - items.length };
  }
}

const HISTORIES: readonly ReceiptHistory[] = ['armed', 'interrupted', 'foreign', 'none'];

function readFrame(r: Reader, o: Fields, at: string): Frame | null {
  const file = r.text(o, 'file', at, LIMITS.path);
  const line = r.amount(o, 'line', at);
  const name = r.text(o, 'function', at, LIMITS.short);
  return file === null && name === null
    ? null
    : { file: file ?? '?', line: line ?? 0, function: name ?? '?' };
}

/** A stack, innermost frame last: when it is too long, the innermost frames are the ones to keep. */
const readStack = (r: Reader, o: Fields, key: string, at: string): readonly Frame[] =>
  r.list(o, key, at, LIMITS.frames, (f, where) => readFrame(r, f, where), 'last').items;

function readDevice(r: Reader, o: Fields, at: string): Device | null {
  const index = r.amount(o, 'index', at);
  if (index === null) return null;
  return {
    index,
    name: r.text(o, 'name', at, LIMITS.short),
    total: r.amount(o, 'total', at),
    limit: r.amount(o, 'limit', at),
    allocated: r.amount(o, 'allocated', at),
    reserved: r.amount(o, 'reserved', at),
    peak_allocated: r.amount(o, 'peak_allocated', at),
    peak_reserved: r.amount(o, 'peak_reserved', at),
    retries: r.amount(o, 'retries', at),
    ooms: r.amount(o, 'ooms', at),
  };
}

function readCategory(r: Reader, o: Fields, at: string): Category | null {
  const bytes = r.amount(o, 'bytes', at);
  if (bytes === null) return null;
  return {
    bytes,
    count: r.amount(o, 'count', at) ?? 0,
    owners: r.list(o, 'owners', at, LIMITS.owners, (c, where) => {
      const name = r.text(c, 'name', where, LIMITS.short);
      const held = r.amount(c, 'bytes', where);
      return name === null || held === null
        ? null
        : { name, bytes: held, count: r.amount(c, 'count', where) ?? 0 };
    }).items,
    reasons: r.list(o, 'reasons', at, LIMITS.reasons, (c, where) => {
      const reason = r.text(c, 'reason', where, LIMITS.short);
      const held = r.amount(c, 'bytes', where);
      return reason === null || held === null
        ? null
        : { reason, bytes: held, count: r.amount(c, 'count', where) };
    }).items,
  };
}

function readCensus(r: Reader, parent: Fields, at: string): Census | null {
  const o = r.fields(parent, 'census', at);
  if (!o) return null;
  const here = `${at}census.`;
  return {
    seconds: r.seconds(o, 'seconds', here),
    complete: r.flag(o, 'complete', here) ?? false,
    cut: r.text(o, 'cut', here, LIMITS.line),
    devices: r.list(o, 'devices', here, LIMITS.devices, (d, where) => readCensusDevice(r, d, where)).items,
  };
}

/** One device of a census, or null (and a note) when its parts do not add up: a wrong account is worse than none. */
function readCensusDevice(r: Reader, o: Fields, at: string): CensusDevice | null {
  const index = r.amount(o, 'index', at);
  const allocated = r.amount(o, 'allocated', at);
  const raw = r.fields(o, 'categories', at);
  if (index === null || allocated === null || !raw) return null;
  const categories: Partial<Record<CategoryName, Category>> = {};
  let sum = 0;
  for (const name of CATEGORY_NAMES) {
    const fields = r.fields(raw, name, `${at}categories.`);
    const category = fields ? readCategory(r, fields, `${at}categories.${name}.`) : null;
    if (!category) continue;
    categories[name] = category;
    sum += category.bytes;
  }
  if (sum !== allocated) {
    r.note(`${at}categories add up to ${sum} bytes, not to the ${allocated} allocated`);
    return null;
  }
  const reserved = r.amount(o, 'reserved', at) ?? allocated;
  return {
    index,
    allocated,
    reserved,
    reserved_unused: r.amount(o, 'reserved_unused', at) ?? Math.max(0, reserved - allocated),
    attributed: sum - (categories.unknown?.bytes ?? 0),
    categories,
    pools:
      o['pools'] === undefined || o['pools'] === null
        ? null
        : r.list(o, 'pools', at, LIMITS.pools, (p, where) => readPool(r, p, where)).items,
  };
}

/** One private pool, or null (and a note) when its parts do not add up. */
function readPool(r: Reader, o: Fields, at: string): CensusPool | null {
  const kind = r.oneOf(o, 'kind', at, POOL_KINDS);
  const [reserved, allocated] = [r.amount(o, 'reserved', at), r.amount(o, 'allocated', at)];
  const raw = r.fields(o, 'categories', at);
  if (kind === null || reserved === null || allocated === null || !raw) return null;
  const categories: Partial<Record<CategoryName, number>> = {};
  for (const name of CATEGORY_NAMES) categories[name] = r.amount(raw, name, `${at}categories.`) ?? 0;
  const sum = Object.values(categories).reduce((all, bytes) => all + bytes, 0);
  if (sum !== allocated || allocated > reserved) {
    r.note(`${at}categories add up to ${sum} bytes, of ${allocated} allocated and ${reserved} reserved`);
    return null;
  }
  return {
    id: r.text(o, 'id', at, LIMITS.short),
    kind,
    count: r.amount(o, 'count', at) ?? 1,
    reserved,
    allocated,
    categories,
  };
}

function readDeviceBytes(r: Reader, parent: Fields, at: string): DeviceBytes {
  const o = r.fields(parent, 'bytes', at) ?? {};
  const result: Record<string, number> = {};
  for (const key of Object.keys(o).slice(0, LIMITS.devices)) {
    const bytes = /^[a-z]{1,10}(:[0-9]{1,4})?$/.test(key) ? r.amount(o, key, `${at}bytes.`) : null;
    if (bytes !== null) result[key] = bytes;
  }
  return result;
}

function readCycle(r: Reader, o: Fields, at: string): Cycle | null {
  const id = r.text(o, 'id', at, 64);
  if (id === null || !/^[0-9a-f]{4,64}$/.test(id)) return null;
  return {
    id,
    seen: r.amount(o, 'seen', at) ?? 1,
    size: r.amount(o, 'size', at) ?? 0,
    types: r.list(o, 'types', at, LIMITS.types, (t, where) => {
      const name = r.text(t, 'name', where, LIMITS.short);
      return name === null ? null : { name, count: r.amount(t, 'count', where) ?? 1 };
    }).items,
    tensors: r.amount(o, 'tensors', at) ?? 0,
    bytes: readDeviceBytes(r, o, at),
    frames: r.list(o, 'frames', at, LIMITS.frames, (f, where) => {
      const frame = readFrame(r, f, where);
      return frame && { ...frame, count: r.amount(f, 'count', where) ?? 1 };
    }).items,
  };
}

function readCycles(r: Reader, parent: Fields, at: string): Cycles | null {
  const o = r.fields(parent, 'cycles', at);
  if (!o) return null;
  const here = `${at}cycles.`;
  const cycles = r.list(o, 'cycles', here, LIMITS.cycles, (c, where) => readCycle(r, c, where));
  return {
    mode: r.oneOf(o, 'mode', here, ['sampled', 'continuous', 'off']) ?? 'off',
    state: r.oneOf(o, 'state', here, ['watching', 'nothing-to-watch', 'failed']) ?? 'failed',
    reason: r.text(o, 'reason', here, LIMITS.line),
    looks: r.amount(o, 'looks', here) ?? 0,
    seconds: r.seconds(o, 'seconds', here),
    count: r.amount(o, 'count', here) ?? cycles.items.length,
    tensors: r.amount(o, 'tensors', here) ?? 0,
    bytes: readDeviceBytes(r, o, here),
    cycles: cycles.items,
    cycles_dropped: (r.amount(o, 'cycles_dropped', here) ?? 0) + cycles.dropped,
    page: r.text(o, 'page', here, LIMITS.short),
  };
}

function readOom(r: Reader, o: Fields, at: string): Oom | null {
  const seq = r.amount(o, 'seq', at);
  if (seq === null) return null;
  return {
    seq,
    time: r.seconds(o, 'time', at),
    device: r.amount(o, 'device', at),
    wanted: r.amount(o, 'wanted', at),
    limit: r.amount(o, 'limit', at),
    free: r.amount(o, 'free', at),
    thread: r.oneOf(o, 'thread', at, ['main', 'backward', 'other']),
    stack: readStack(r, o, 'stack', at),
    main_stack: Array.isArray(o.main_stack) ? readStack(r, o, 'main_stack', at) : null,
    allocated: r.amount(o, 'allocated', at),
    reserved: r.amount(o, 'reserved', at),
    peak_allocated: r.amount(o, 'peak_allocated', at),
    peak_reserved: r.amount(o, 'peak_reserved', at),
    retries: r.amount(o, 'retries', at),
    ooms: r.amount(o, 'ooms', at),
    device_free: r.amount(o, 'device_free', at),
    device_total: r.amount(o, 'device_total', at),
    snapshot: r.text(o, 'snapshot', at, LIMITS.short),
    snapshot_error: r.text(o, 'snapshot_error', at, LIMITS.line),
    dump_seconds: r.seconds(o, 'dump_seconds', at),
    history: r.oneOf(o, 'history', at, HISTORIES),
    census: readCensus(r, o, at),
    cycles: readCycles(r, o, at),
  };
}

function readRecorder(r: Reader, root: Fields): Recorder {
  const o = r.fields(root, 'recorder', '');
  if (!o) {
    return {
      state: 'failed',
      reason: 'the receipt says nothing about the recorder',
      armed_at: null,
      disarmed_at: null,
      disarm_proven: null,
      interrupted: false,
      max_entries: null,
      stacks: null,
    };
  }
  const at = 'recorder.';
  const state = r.oneOf(o, 'state', at, ['idle', 'armed', 'disarmed', 'foreign', 'unsupported', 'failed']);
  return {
    state: state ?? 'failed',
    reason:
      r.text(o, 'reason', at, LIMITS.line) ??
      (state === null ? 'the receipt gives no state that is known here' : null),
    armed_at: r.seconds(o, 'armed_at', at),
    disarmed_at: r.seconds(o, 'disarmed_at', at),
    disarm_proven: r.flag(o, 'disarm_proven', at),
    interrupted: r.flag(o, 'interrupted', at) ?? false,
    max_entries: r.amount(o, 'max_entries', at),
    stacks: r.text(o, 'stacks', at, 20),
  };
}

function readTorch(r: Reader, root: Fields): Torch | null {
  const o = r.fields(root, 'torch', '');
  if (!o) return null;
  const at = 'torch.';
  return {
    version: r.text(o, 'version', at, 100) ?? 'unknown',
    cuda: r.text(o, 'cuda', at, 100),
    hip: r.text(o, 'hip', at, 100),
    backend: r.text(o, 'backend', at, 100),
    alloc_conf: r.text(o, 'alloc_conf', at, LIMITS.line),
    path: r.text(o, 'path', at, LIMITS.path),
  };
}

function readRank(r: Reader, root: Fields): Receipt['rank'] {
  const o = r.fields(root, 'rank', '') ?? {};
  const rank: Partial<Record<RankVariable, string>> = {};
  for (const name of RANK_VARIABLES) {
    const value = r.text(o, name, 'rank.', 20);
    if (value === null) continue;
    if (/^[0-9]{1,9}$/.test(value)) rank[name] = value;
    else r.note(`rank.${name} is not a number: left out`);
  }
  return rank;
}

function readEnd(r: Reader, root: Fields): End | null {
  const o = r.fields(root, 'end', '');
  const kind = o && r.oneOf(o, 'kind', 'end.', ['exit', 'exception', 'sigterm']);
  if (!o || kind === null) return null;
  return {
    kind,
    exception: r.text(o, 'exception', 'end.', LIMITS.short),
    oom: r.flag(o, 'oom', 'end.') ?? false,
    time: r.seconds(o, 'time', 'end.'),
  };
}

/** Any JSON, cut to a depth and a number of nodes; a part whose fields this version does not know is kept this way. */
function plainJson(value: unknown, budget: { nodes: number }, depth = 0): PlainJson {
  budget.nodes -= 1;
  if (budget.nodes < 0 || depth > LIMITS.jsonDepth) return null;
  if (typeof value === 'string') return cleanText(value, LIMITS.line);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'boolean' || value === null) return value;
  if (Array.isArray(value)) {
    const items: PlainJson[] = [];
    for (const item of value) {
      if (budget.nodes <= 0) break;
      items.push(plainJson(item, budget, depth + 1));
    }
    return items;
  }
  if (!isFields(value)) return null;
  const entries: [string, PlainJson][] = [];
  for (const key of Object.keys(value)) {
    if (budget.nodes <= 0) break;
    entries.push([cleanText(key, LIMITS.short), plainJson(value[key], budget, depth + 1)]);
  }
  // fromEntries defines, so a key named __proto__ stays an ordinary key.
  return Object.fromEntries(entries);
}

function readTimeline(r: Reader, root: Fields): PlainJson {
  const o = r.fields(root, 'timeline', '');
  if (!o) return null;
  const budget = { nodes: LIMITS.jsonNodes };
  const timeline = plainJson(o, budget);
  if (budget.nodes <= 0) r.note(`timeline has more than ${LIMITS.jsonNodes} values: cut`);
  return timeline;
}

/** Why a file that the receipt names cannot be its own, or null. */
function foreignClaim(name: string, own: Owner, kind: 'snapshot' | 'page'): string | null {
  if (!isSafeName(name)) return `names a file outside of the evidence folder's rules: ${displayName(name)}`;
  const of = kind === 'snapshot' ? parseSnapshotName(name) : parsePageName(name);
  if (!of) return `names a ${kind} that no process writes: ${displayName(name)}`;
  return sameOwner(of, own) ? null : `claims a ${kind} of another process: ${displayName(name)}`;
}

/** Every file a receipt claims, before any cleaning could make a bad name look good. */
function* claims(root: Fields): Generator<readonly [string, 'snapshot' | 'page']> {
  const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
  for (const item of list(root.snapshots)) {
    if (isFields(item) && typeof item.file === 'string') yield [item.file, 'snapshot'];
  }
  const looks: unknown[] = [root.cycles];
  for (const item of list(root.ooms)) {
    if (!isFields(item)) continue;
    if (typeof item.snapshot === 'string') yield [item.snapshot, 'snapshot'];
    looks.push(item.cycles);
  }
  for (const look of looks) {
    if (isFields(look) && typeof look.page === 'string') yield [look.page, 'page'];
  }
}

/** Reads the text of the receipt in `fileName`. Pure; never throws. */
export function parseReceipt(text: string, fileName: string): ParsedReceipt {
  const no = (reason: string): ParsedReceipt => ({ ok: false, reason });
  const named = parseReceiptName(fileName);
  if (!named) return no('its name is not one of a receipt');
  if (text.length > MAX_RECEIPT_BYTES) return no(`longer than ${MAX_RECEIPT_BYTES} bytes`);
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    // A deeply nested text ends in a RangeError here; the parser's own message would quote the text.
    return no(text.trim() === '' ? 'empty' : 'not JSON');
  }
  if (!isFields(root)) return no('not a JSON object');
  if (root.schema !== RECEIPT_SCHEMA) {
    return no(
      typeof root.schema === 'string'
        ? `schema ${displayName(root.schema, 60)}, not ${RECEIPT_SCHEMA}`
        : `no schema ${RECEIPT_SCHEMA}`,
    );
  }
  const step = root.step;
  if (typeof step !== 'string' || !/^[0-9a-f]{12}$/.test(step))
    return no('step is not 12 hexadecimal digits');
  const pid = root.pid;
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid < 1) return no('pid is not a process id');
  if (root.host !== named.host || pid !== named.pid || root.token !== named.token) {
    return no("host, pid or token differ from the file's name");
  }
  for (const [name, kind] of claims(root)) {
    const problem = foreignClaim(name, named, kind);
    if (problem) return no(problem);
  }
  return { ok: true, receipt: readReceipt(new Reader(), root, named, fileName, step) };
}

function readReceipt(r: Reader, root: Fields, own: Owner, file: string, step: string): Receipt {
  const time = r.fields(root, 'time', '') ?? {};
  const ooms = readOoms(r, root);
  const snapshots = r.list(root, 'snapshots', '', LIMITS.snapshots, (o, at): ReceiptSnapshot | null => {
    const name = r.text(o, 'file', at, LIMITS.short);
    const reason = r.oneOf(o, 'reason', at, SNAPSHOT_REASONS);
    const parsed = name === null ? null : parseSnapshotName(name);
    if (name === null || !parsed) return null;
    return {
      file: name,
      bytes: r.amount(o, 'bytes', at),
      reason: reason ?? parsed.reason,
      device: r.amount(o, 'device', at),
      seq: r.amount(o, 'seq', at),
      time: r.seconds(o, 'time', at),
      history: r.oneOf(o, 'history', at, HISTORIES),
    };
  });
  const faults = Array.isArray(root.faults) ? (root.faults as readonly unknown[]) : [];
  const receipt = {
    schema: RECEIPT_SCHEMA,
    file,
    step,
    host: own.host,
    pid: own.pid,
    token: own.token,
    ppid: r.amount(root, 'ppid', ''),
    start_ticks: r.amount(root, 'start_ticks', ''),
    python: r.text(root, 'python', '', 100),
    executable: r.text(root, 'executable', '', LIMITS.path),
    program: r.text(root, 'program', '', LIMITS.short),
    rank: readRank(r, root),
    time: { started: r.seconds(time, 'started', 'time.'), updated: r.seconds(time, 'updated', 'time.') },
    torch: readTorch(r, root),
    recorder: readRecorder(r, root),
    devices: r.list(root, 'devices', '', LIMITS.devices, (o, at) => readDevice(r, o, at)).items,
    ooms: ooms.items,
    ooms_dropped: ooms.dropped,
    oom_count: ooms.count,
    snapshots: snapshots.items,
    snapshots_removed: r.amount(root, 'snapshots_removed', '') ?? 0,
    census: readCensus(r, root, ''),
    cycles: readCycles(r, root, ''),
    timeline: readTimeline(r, root),
    faults: faults
      .filter((line): line is string => typeof line === 'string')
      .slice(0, LIMITS.faults)
      .map((line) => cleanText(line, LIMITS.line)),
    thread_ends: r.list(
      root,
      'thread_ends',
      '',
      LIMITS.threadEnds,
      (o, at): ThreadEnd => ({
        exception: r.text(o, 'exception', at, LIMITS.short),
        oom: r.flag(o, 'oom', at) ?? false,
        time: r.seconds(o, 'time', at),
      }),
    ).items,
    end: readEnd(r, root),
  } as const;
  return { ...receipt, notes: r.allNotes() };
}

/** The listed out-of-memory errors and how many there were in all: never fewer than those that are listed. */
function readOoms(r: Reader, root: Fields): { items: readonly Oom[]; dropped: number; count: number } {
  const list = r.list(root, 'ooms', '', LIMITS.ooms, (o, at) => readOom(r, o, at), 'last');
  const dropped = (r.amount(root, 'ooms_dropped', '') ?? 0) + list.dropped;
  const said = r.amount(root, 'oom_count', '') ?? 0;
  const count = Math.max(said, list.items.length);
  if (said < list.items.length) r.note(`oom_count is ${said}, but ${list.items.length} are listed`);
  return { items: list.items, dropped, count };
}
