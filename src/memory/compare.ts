/**
 * Two runs side by side: whether they can be compared, what grew, and who. Pure; `before` is the baseline, `after` this step.
 */
import type { CategoryName } from '../evidence/vocabulary.js';
import { type Amount, bytesOfAmount } from '../lib/amount.js';
import { largest } from './document.js';
import type { Memory, MemoryRow, MemorySettings } from './schema.js';

/** A figure of both runs, in bytes. */
export interface Change {
  readonly before: number;
  readonly after: number;
}

/** Bytes more than before; negative where it is less. */
export const grown = ({ before, after }: Change): number => after - before;

export interface RowChange {
  readonly who: string;
  readonly device: number;
  readonly peak: Change;
  /** Only those that both runs know. */
  readonly categories: Partial<Record<CategoryName, Change>>;
  /** What grew most: a category, and its owner where both runs name owners. */
  readonly grew: {
    readonly category: CategoryName;
    readonly owner: string | null;
    readonly bytes: number;
  } | null;
}

export type Comparison =
  | { readonly state: 'not-comparable'; readonly differences: readonly string[] }
  | {
      readonly state: 'compared';
      /** The largest peak of any rank, then and now. */
      readonly peak: Change;
      readonly rows: readonly RowChange[];
      /** Ranks or programs of one run only. */
      readonly gone: readonly string[];
      readonly added: readonly string[];
    };

const SETTING_WORDS: { readonly [Key in keyof MemorySettings]: string } = {
  devices: 'GPU',
  world_size: 'number of ranks',
  torch: 'torch',
  backend: 'allocator',
  alloc_conf: 'PYTORCH_CUDA_ALLOC_CONF',
};

const shown = (value: MemorySettings[keyof MemorySettings]): string =>
  value === null ? 'none' : Array.isArray(value) ? value.join(', ') : String(value);

/** One line for each setting that differs: "torch 2.14.1, was 2.13.0". */
export function settingDifferences(then: MemorySettings, now: MemorySettings): readonly string[] {
  return (Object.keys(SETTING_WORDS) as (keyof MemorySettings)[]).flatMap((key) =>
    shown(then[key]) === shown(now[key])
      ? []
      : [`${SETTING_WORDS[key]} ${shown(now[key])}, was ${shown(then[key])}`],
  );
}

const keyOf = ({ who, device }: MemoryRow): string => `${who}\0${device}`;

function grewMost(then: MemoryRow, now: MemoryRow): RowChange['grew'] {
  let most: RowChange['grew'] = null;
  const consider = (category: CategoryName, owner: string | null, bytes: number): void => {
    if (bytes > (most?.bytes ?? 0)) most = { category, owner, bytes };
  };
  for (const [name, category] of Object.entries(now.categories ?? {})) {
    const before = then.categories?.[name as CategoryName];
    if (!category || !before) continue;
    const more = category.bytes - before.bytes;
    const known = new Map(before.owners.map((owner) => [owner.name, owner.bytes]));
    // A list of owners that was cut says nothing of those that are not in it.
    const whole = before.owners.reduce((sum, owner) => sum + owner.bytes, 0) >= before.bytes;
    const [top] = category.owners
      .filter((owner) => whole || known.has(owner.name))
      .map((owner) => ({ name: owner.name, bytes: owner.bytes - (known.get(owner.name) ?? 0) }))
      .sort((a, b) => b.bytes - a.bytes);
    const owner = top && top.bytes * 2 > more ? top.name : null;
    consider(name as CategoryName, owner, more);
  }
  return most;
}

/** The two runs side by side. Categories are compared only where both were looked at in the same situation or one ran out. */
export function compare(then: Memory, now: Memory): Comparison {
  const differences = settingDifferences(then.settings, now.settings);
  const [before, after] = [largest(then.rows), largest(now.rows)];
  if (before === null)
    return { state: 'not-comparable', differences: ['the baseline holds no peak', ...differences] };
  if (after === null)
    return { state: 'not-comparable', differences: ['this step used no GPU', ...differences] };
  if (differences.length > 0) return { state: 'not-comparable', differences };
  const old = new Map(then.rows.map((row) => [keyOf(row), row]));
  const rows = now.rows.flatMap((row): RowChange[] => {
    const was = old.get(keyOf(row));
    if (!was) return [];
    const names = Object.keys(row.categories ?? {}) as CategoryName[];
    const categories = names.flatMap((name) => {
      const [b, a] = [was.categories?.[name], row.categories?.[name]];
      return b && a ? [[name, { before: b.bytes, after: a.bytes }] as const] : [];
    });
    return [
      {
        who: row.who,
        device: row.device,
        peak: { before: was.peak_allocated, after: row.peak_allocated },
        categories: Object.fromEntries(categories),
        grew: grewMost(was, row),
      },
    ];
  });
  const named = new Set(now.rows.map(keyOf));
  const words = (row: MemoryRow): string => `${row.who}, cuda:${row.device}`;
  return {
    state: 'compared',
    peak: { before: before.peak_allocated, after: after.peak_allocated },
    rows: rows.sort((a, b) => grown(b.peak) - grown(a.peak)),
    gone: then.rows.filter((row) => !named.has(keyOf(row))).map(words),
    added: now.rows.filter((row) => !old.has(keyOf(row))).map(words),
  };
}

/** Did the largest peak grow by more than is allowed? A share is of the baseline's peak. */
export const grewTooMuch = ({ peak }: Extract<Comparison, { state: 'compared' }>, most: Amount): boolean =>
  grown(peak) > (bytesOfAmount(most, peak.before) ?? Number.POSITIVE_INFINITY);

/** Rows whose peak is above the budget. A share is of the device's memory; where that is not known nothing is claimed. */
export const overBudget = (rows: readonly MemoryRow[], budget: Amount): readonly MemoryRow[] =>
  rows.filter(
    (row) => row.peak_allocated > (bytesOfAmount(budget, row.device_total) ?? Number.POSITIVE_INFINITY),
  );
