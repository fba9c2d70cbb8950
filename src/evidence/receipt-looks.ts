/** What the looks at live memory left in a receipt: census, cycles, timeline. Sums that do not add up are left out. */
import { cleanText } from '../text.js';
import {
  CATEGORY_NAMES,
  type Category,
  type CategoryName,
  type Census,
  type CensusDevice,
  type CensusPool,
  type Cycle,
  type CycleGraph,
  type Cycles,
  type DeviceBytes,
  type PlainJson,
  POOL_KINDS,
} from './receipt.js';
import { type Fields, isFields, LIMITS, type Reader, readFrame } from './receipt-reader.js';

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

export function readCensus(r: Reader, parent: Fields, at: string): Census | null {
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
    graph: readCycleGraph(r, o, at),
  };
}

/** The graph of a cycle, or null where there is none, or where it does not hang together. */
function readCycleGraph(r: Reader, parent: Fields, at: string): CycleGraph | null {
  const o = r.fields(parent, 'graph', at);
  if (!o) return null;
  const here = `${at}graph.`;
  const step = (f: Fields, where: string): { label: string; name: string } | null => {
    const name = r.text(f, 'name', where, LIMITS.short);
    return name === null ? null : { name, label: r.text(f, 'label', where, LIMITS.short) ?? '' };
  };
  const ring = r.list(o, 'ring', here, LIMITS.graph, step).items;
  if (ring.length === 0) return null;
  const held = r.list(o, 'held', here, LIMITS.held, (f, where) => {
    const start = r.amount(f, 'at', where);
    const path = r.list(f, 'path', where, LIMITS.graph, step).items;
    const [bytes, device] = [r.amount(f, 'bytes', where), r.text(f, 'device', where, LIMITS.short)];
    if (start === null || start >= ring.length || path.length === 0 || bytes === null || device === null)
      return null;
    return { at: start, path, bytes, device };
  }).items;
  return {
    ring,
    ring_cut: r.amount(o, 'ring_cut', here) ?? 0,
    held,
    held_cut: r.amount(o, 'held_cut', here) ?? 0,
  };
}

export function readCycles(r: Reader, parent: Fields, at: string): Cycles | null {
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

export function readTimeline(r: Reader, root: Fields): PlainJson {
  const o = r.fields(root, 'timeline', '');
  if (!o) return null;
  const budget = { nodes: LIMITS.jsonNodes };
  const timeline = plainJson(o, budget);
  if (budget.nodes <= 0) r.note(`timeline has more than ${LIMITS.jsonNodes} values: cut`);
  return timeline;
}
