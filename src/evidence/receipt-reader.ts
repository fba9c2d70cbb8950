/**
 * Reads fields of a receipt one by one: lenient, within bounds, with a note of everything that was left out or cut. Texts lose
 * control characters and direction marks here, once, so no later reader has to remember to.
 */
import { cleanText } from '../text.js';
import type { Frame, ReceiptHistory } from './receipt.js';

export const LIMITS = {
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
  graph: 32,
  held: 8,
  faults: 20,
  threadEnds: 20,
  jsonDepth: 12,
  jsonNodes: 50_000,
} as const;

export type Fields = Readonly<Record<string, unknown>>;
export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads fields one by one and keeps notes of what it left out. `at` is where in the receipt, for the notes. */
export class Reader {
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

export const HISTORIES: readonly ReceiptHistory[] = ['armed', 'interrupted', 'foreign', 'none'];

export function readFrame(r: Reader, o: Fields, at: string): Frame | null {
  const file = r.text(o, 'file', at, LIMITS.path);
  const line = r.amount(o, 'line', at);
  const name = r.text(o, 'function', at, LIMITS.short);
  return file === null && name === null
    ? null
    : { file: file ?? '?', line: line ?? 0, function: name ?? '?' };
}

/** A stack, innermost frame last: when it is too long, the innermost frames are the ones to keep. */
export const readStack = (r: Reader, o: Fields, key: string, at: string): readonly Frame[] =>
  r.list(o, key, at, LIMITS.frames, (f, where) => readFrame(r, f, where), 'last').items;
