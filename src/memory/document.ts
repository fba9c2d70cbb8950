/**
 * `memory.json`: the peaks of a step and who held memory, by rank and device, made from its manifest; and the same numbers in the
 * form that github-action-benchmark reads as `customSmallerIsBetter`. No pid, no time and no host is in a name, so that runs can be
 * compared. Pure.
 */
import type { Manifest, ManifestProcess } from '../evidence/manifest.js';
import { CATEGORY_NAMES, type Census, type CensusDevice, type Device } from '../evidence/receipt.js';
import { shorten } from '../report/rich.js';
import type { Memory, MemoryRow, MemorySettings } from './schema.js';

const MEMORY_SCHEMA: Memory['schema'] = 'oom-autopsy.memory.v1';
const MOST_OWNERS = 10;

const whoIs = (process: ManifestProcess): string =>
  process.rank !== null
    ? `rank ${process.rank}`
    : shorten(
        (process.identity?.launcher === 'ray' && process.identity.name) || (process.program ?? 'process'),
        60,
      );

/** The census that says most about a run: at the last out-of-memory when that ended it, otherwise at exit. */
function censusOf(
  process: ManifestProcess,
): { readonly seen: MemoryRow['seen']; readonly census: Census } | null {
  const last = process.ooms.at(-1)?.census ?? null;
  if (process.end?.oom && last) return { seen: 'at out-of-memory', census: last };
  return process.census ? { seen: 'at exit', census: process.census } : null;
}

function categoriesOf({ categories }: CensusDevice): NonNullable<MemoryRow['categories']> {
  const rows = CATEGORY_NAMES.flatMap((name) => {
    const category = categories[name];
    if (!category) return [];
    const owners = category.owners
      .slice(0, MOST_OWNERS)
      .map(({ name: who, bytes }) => ({ name: who, bytes }));
    return [[name, { bytes: category.bytes, owners }] as const];
  });
  return Object.fromEntries(rows) as NonNullable<MemoryRow['categories']>;
}

/** What is known of one device of one process; at an out-of-memory that ended it, the counts of that moment are the newest. */
function rowOf(process: ManifestProcess, device: Device): MemoryRow | null {
  const { peak_allocated, peak_reserved } = device;
  if (peak_allocated === null || peak_reserved === null) return null;
  const found = censusOf(process);
  const row = found?.census.devices.find(({ index }) => index === device.index);
  return {
    who: whoIs(process),
    device: device.index,
    device_name: device.name,
    device_total: device.total,
    processes: 1,
    peak_allocated,
    peak_reserved,
    final: process.end !== null,
    seen: row ? (found?.seen ?? null) : null,
    allocated: row?.allocated ?? null,
    categories: row ? categoriesOf(row) : null,
  };
}

/** A process that was killed has no row of devices; its out-of-memory errors tell the peak so far. */
const atOoms = (process: ManifestProcess): readonly Device[] =>
  process.ooms.flatMap((oom) =>
    oom.device === null ? [] : [{ ...oom, index: oom.device, name: null, total: oom.device_total }],
  );

/** rank 2 before rank 10. (Intl.Collator would load 10 ms of ICU data on a green step.) */
const order = ({ who, device }: MemoryRow): string =>
  `${who}, ${device}`.replace(/\d+/g, (digits) => digits.padStart(12, '0'));

/** Rows by rank or program and device, ordered by name; of processes of one name the one with the largest peak, and their number. */
export function memoryRows(manifest: Manifest): readonly MemoryRow[] {
  const rows = new Map<string, MemoryRow>();
  for (const process of manifest.processes) {
    const mine = new Map<number, MemoryRow>();
    for (const device of [...atOoms(process), ...process.devices]) {
      const row = rowOf(process, device);
      const before = mine.get(device.index);
      if (row !== null && (!before || row.peak_allocated >= before.peak_allocated))
        mine.set(device.index, row);
    }
    for (const row of mine.values()) {
      const key = `${row.who}\0${row.device}`;
      const other = rows.get(key);
      const larger = other && other.peak_allocated >= row.peak_allocated ? other : row;
      rows.set(key, {
        ...larger,
        processes: (other?.processes ?? 0) + 1,
        final: row.final && (other?.final ?? true),
      });
    }
  }
  return [...rows.values()].sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

/** The largest of a figure over all rows; null where there is none. */
export const largest = (
  rows: readonly MemoryRow[],
  figure: 'peak_allocated' | 'peak_reserved' = 'peak_allocated',
): MemoryRow | null =>
  rows.reduce<MemoryRow | null>((best, row) => (best && best[figure] >= row[figure] ? best : row), null);

function settingsOf({ processes }: Manifest, rows: readonly MemoryRow[]): MemorySettings {
  const used = processes.filter(({ devices, ooms }) => devices.length + ooms.length > 0);
  const first = used[0];
  const sizes = used.map(({ identity, rank_variables }) =>
    Number(identity?.size ?? rank_variables.WORLD_SIZE ?? Number.NaN),
  );
  return {
    devices: [...new Set(rows.map((row) => row.device_name ?? 'unknown'))].sort().slice(0, 64),
    world_size: sizes.find(Number.isSafeInteger) ?? null,
    torch: first?.torch ?? null,
    backend: first?.build?.backend ?? null,
    alloc_conf: first?.build?.alloc_conf ?? null,
  };
}

/** The document of one step. */
export function memoryOf(manifest: Manifest): Memory {
  const rows = memoryRows(manifest);
  return {
    schema: MEMORY_SCHEMA,
    created: manifest.created,
    action: manifest.action,
    sha: manifest.runner.sha,
    verdict: manifest.verdict.name,
    settings: settingsOf(manifest, rows),
    rows: [...rows],
  };
}

export const memoryText = (memory: Memory): string => `${JSON.stringify(memory, null, 1)}\n`;

export interface BenchmarkEntry {
  readonly name: string;
  readonly unit: 'bytes';
  readonly value: number;
}

/** The same figures as a flat list of numbers, each smaller the better. */
export function benchmarkEntries({ rows }: Memory): readonly BenchmarkEntry[] {
  return rows.flatMap((row) => {
    const where = `${row.who}, cuda:${row.device}`;
    const held = CATEGORY_NAMES.flatMap((name) => {
      const category = row.categories?.[name];
      return category ? [[`${name} ${row.seen}`, category.bytes] as const] : [];
    });
    const all = [
      ['peak allocated', row.peak_allocated],
      ['peak reserved', row.peak_reserved],
      ...held,
    ] as const;
    return all.map(([name, value]): BenchmarkEntry => ({ name: `${where}: ${name}`, unit: 'bytes', value }));
  });
}

export const benchmarkText = (memory: Memory): string =>
  `${JSON.stringify(benchmarkEntries(memory), null, 2)}\n`;
