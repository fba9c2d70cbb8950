/**
 * Reads a receipt, as untrusted input: it comes from the wrapped step, which may have run a stranger's code, and from a shim that may
 * be older or newer than this file. So reading is strict on what everything else hangs on (schema, step, host, pid, token and
 * the file's name agree; no file is claimed that another process would have written) and lenient elsewhere: unknown fields are left
 * out, a part of the wrong type is left out with a note, lists and texts are cut to a bound with a note.
 */
import { cleanText } from '../text.js';
import {
  displayName,
  isSafeName,
  type Owner,
  parsePageName,
  parseReceiptName,
  parseSnapshotName,
  SNAPSHOT_REASONS,
  sameOwner,
} from './names.js';
import {
  type AllocatorCounts,
  type Device,
  type End,
  MAX_RECEIPT_BYTES,
  OBSERVERS,
  type Oom,
  OUTSIDE_KINDS,
  type OutsideOom,
  RANK_VARIABLES,
  type RankVariable,
  RECEIPT_SCHEMA,
  RERAISED_FROM,
  type Receipt,
  type ReceiptSnapshot,
  type Recorder,
  type ThreadEnd,
  type Torch,
} from './receipt.js';
import { readCensus, readCycles, readTimeline } from './receipt-looks.js';
import { type Fields, HISTORIES, isFields, LIMITS, Reader, readStack } from './receipt-reader.js';

export type ParsedReceipt =
  | { readonly ok: true; readonly receipt: Receipt }
  | { readonly ok: false; readonly reason: string };

const readCounts = (r: Reader, o: Fields, at: string): AllocatorCounts => ({
  allocated: r.amount(o, 'allocated', at),
  reserved: r.amount(o, 'reserved', at),
  peak_allocated: r.amount(o, 'peak_allocated', at),
  peak_reserved: r.amount(o, 'peak_reserved', at),
  retries: r.amount(o, 'retries', at),
  ooms: r.amount(o, 'ooms', at),
});

function readDevice(r: Reader, o: Fields, at: string): Device | null {
  const index = r.amount(o, 'index', at);
  if (index === null) return null;
  return {
    index,
    name: r.text(o, 'name', at, LIMITS.short),
    total: r.amount(o, 'total', at),
    limit: r.amount(o, 'limit', at),
    ...readCounts(r, o, at),
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
    ...readCounts(r, o, at),
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
      observer: null,
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
    observer: r.oneOf(o, 'observer', at, OBSERVERS),
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
    expandable_segments: r.flag(o, 'expandable_segments', at),
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

function readOutsideOom(r: Reader, end: Fields): OutsideOom | null {
  const o = r.fields(end, 'outside_oom', 'end.');
  const kind = o && r.oneOf(o, 'kind', 'end.outside_oom.', OUTSIDE_KINDS);
  if (!o || kind === null) return null;
  // What does not say that it is certain is a hint.
  const certain = r.flag(o, 'certain', 'end.outside_oom.') ?? false;
  return { kind, certain, device_free: r.amount(o, 'device_free', 'end.outside_oom.') };
}

function readEnd(r: Reader, root: Fields): End | null {
  const o = r.fields(root, 'end', '');
  const kind = o && r.oneOf(o, 'kind', 'end.', ['exit', 'exception', 'sigterm']);
  if (!o || kind === null) return null;
  return {
    kind,
    exception: r.text(o, 'exception', 'end.', LIMITS.short),
    oom: r.flag(o, 'oom', 'end.') ?? false,
    outside_oom: readOutsideOom(r, o),
    reraised_from: r.oneOf(o, 'reraised_from', 'end.', RERAISED_FROM),
    time: r.seconds(o, 'time', 'end.'),
  };
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
