/**
 * Reads untrusted JSON by a schema, leniently and within bounds, and notes everything that was left out or
 * cut.
 *
 * valibot accepts or rejects a whole value, but a receipt with one bad field is still useful. So this walks
 * the schema field by field and lets valibot check each one; receipt-schema.ts says what happens to a bad
 * field. Control characters and direction marks are removed from all texts here, once.
 */
import type * as v from 'valibot';
import { cleanText } from '../lib/text.js';
import type { PlainJson } from './receipt-schema.js';

const MOST_NOTES = 20;
const JSON_DEPTH = 12;
const JSON_NODES = 50_000;

type Fields = Readonly<Record<string, unknown>>;
export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What the reader asks of a schema: valibot's own properties of the kinds that receipt-schema.ts uses. */
interface Node {
  readonly type: string;
  readonly fallback?: unknown;
  readonly wrapped?: Node;
  readonly entries?: Readonly<Record<string, Node>>;
  readonly item?: Node;
  readonly key?: Node;
  readonly value?: Node;
  readonly options?: readonly string[];
  readonly pipe?: readonly Action[];
}
interface Action {
  readonly kind: 'schema' | 'validation' | 'transformation' | 'metadata';
  readonly type: string;
  readonly requirement?: unknown;
  readonly message?: string | undefined;
  readonly metadata?: { readonly keep?: 'first' | 'last' };
  '~run'(dataset: { typed: true; value: unknown }, config: object): Dataset;
}
interface Dataset {
  readonly value: unknown;
  readonly issues?: readonly { readonly message: string }[];
}

/** A value that cannot be used. Its note, if any, is already recorded. */
const UNUSABLE = Symbol('unusable');

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
};

class Walk {
  readonly notes: string[] = [];
  private more = 0;
  private jsonNodes = JSON_NODES;

  note(line: string): void {
    if (this.notes.length < MOST_NOTES) this.notes.push(line);
    else this.more += 1;
  }

  allNotes(): readonly string[] {
    return this.more > 0 ? [...this.notes, `and ${this.more} more like these`] : this.notes;
  }

  /** `at`: where in the document, for the notes. A missing value is `undefined`. */
  read(node: Node, given: unknown, at: string): unknown {
    if (node.type === 'nullable') {
      if (given === undefined || given === null) return null;
      const value = this.judged(node.wrapped as Node, given, at);
      return value === UNUSABLE ? null : value;
    }
    // Of any JSON, null is a value.
    const missing = given === undefined || (given === null && node.type !== 'custom');
    const value = missing ? UNUSABLE : this.judged(node, given, at);
    if (value !== UNUSABLE) return value;
    if ('fallback' in node) return node.fallback;
    const mayBeEmpty = node.type === 'array' && !node.pipe?.some(({ type }) => type === 'min_length');
    return mayBeEmpty ? [] : UNUSABLE;
  }

  private judged(node: Node, given: unknown, at: string): unknown {
    const raw = this.raw(node, given, at);
    if (raw === UNUSABLE) return UNUSABLE;
    let value = raw;
    for (const action of node.pipe?.slice(1) ?? []) {
      if (action.kind === 'metadata' || action.type === 'max_length') continue;
      const dataset = action['~run']({ typed: true, value }, {});
      const issue = dataset.issues?.[0];
      if (issue !== undefined) {
        this.note(
          action.type === 'raw_check'
            ? `${at}.${issue.message}`
            : `${at} is not ${action.message ?? kindOf(node)}: left out`,
        );
        return UNUSABLE;
      }
      value = dataset.value;
    }
    return value;
  }

  /** The value in its own type, before the schema's checks. */
  private raw(node: Node, given: unknown, at: string): unknown {
    switch (node.type) {
      case 'string':
        if (typeof given === 'string') return cleanText(given, maxLength(node));
        break;
      case 'number':
        if (typeof given === 'number' && Number.isFinite(given)) return given;
        break;
      case 'boolean':
        if (typeof given === 'boolean') return given;
        break;
      case 'picklist':
        if (node.options?.includes(given as string)) return given;
        break;
      case 'literal':
        return given;
      case 'array':
        if (Array.isArray(given)) return this.list(node, given, at);
        break;
      case 'object':
        if (isFields(given)) return this.object(node, given, at);
        break;
      case 'record':
        if (isFields(given)) return this.record(node, given, at);
        break;
      case 'custom':
        return this.json(given, at);
      default:
        throw new Error(`the reader knows no schema of type ${node.type}`);
    }
    this.note(`${at} is not ${kindOf(node)}: left out`);
    return UNUSABLE;
  }

  private object(node: Node, given: Fields, at: string): unknown {
    const result: Record<string, unknown> = {};
    for (const [key, field] of Object.entries(node.entries ?? {})) {
      const value = this.read(field, own(given, key), at === '' ? key : `${at}.${key}`);
      if (value === UNUSABLE) return UNUSABLE;
      result[key] = value;
    }
    // Items left out here are added to the writer's own count of left-out items.
    for (const key of Object.keys(result)) {
      const dropped = result[`${key}_dropped`];
      const list = own(given, key);
      if (typeof dropped === 'number' && Array.isArray(list))
        result[`${key}_dropped`] = dropped + list.length - (result[key] as unknown[]).length;
    }
    return result;
  }

  private record(node: Node, given: Fields, at: string): unknown {
    const { key, value } = node as Required<Pick<Node, 'key' | 'value'>>;
    const names = key.options ?? Object.keys(given).slice(0, 200);
    const entries: [string, unknown][] = [];
    for (const name of names) {
      const field = own(given, name);
      if (field === undefined || (key.options === undefined && !accepts(key, name))) continue;
      const read = this.read(value, field, `${at}.${name}`);
      if (read !== UNUSABLE) entries.push([key.pipe ? name : cleanText(name, 200), read]);
    }
    // fromEntries defines, so a key named __proto__ stays an ordinary key.
    return Object.fromEntries(entries);
  }

  private list(node: Node, all: readonly unknown[], at: string): unknown {
    const most = maxLength(node);
    const keep = node.pipe?.find(({ metadata }) => metadata?.keep)?.metadata?.keep ?? 'first';
    const from = keep === 'first' ? 0 : Math.max(0, all.length - most);
    const items: unknown[] = [];
    for (const [index, given] of all.slice(from, from + most).entries()) {
      const where = `${at}[${from + index}]`;
      const kind = node.item as Node;
      const item = kind.type === 'object' && !isFields(given) ? UNUSABLE : this.read(kind, given, where);
      if (item === UNUSABLE) this.note(`${where} is not usable: left out`);
      else items.push(item);
    }
    if (all.length > most) this.note(`${at} has ${all.length} entries: ${keep} ${most} read`);
    return items;
  }

  /** Any JSON, cut to a depth and a number of nodes over all of the document. */
  private json(value: unknown, at: string, depth = 0): PlainJson {
    if (this.jsonNodes === 0) this.note(`${at.split('.')[0]} has more than ${JSON_NODES} values: cut`);
    this.jsonNodes -= 1;
    if (this.jsonNodes < 0 || depth > JSON_DEPTH) return null;
    if (typeof value === 'string') return cleanText(value, 500);
    if (typeof value === 'number') return Number.isFinite(value) ? value : null;
    if (typeof value === 'boolean' || value === null) return value;
    const room = (): boolean => this.jsonNodes >= 0;
    if (Array.isArray(value)) {
      const items: PlainJson[] = [];
      for (const item of value) if (room()) items.push(this.json(item, at, depth + 1));
      return items;
    }
    if (!isFields(value)) return null;
    const entries: [string, PlainJson][] = [];
    for (const key of Object.keys(value))
      if (room()) entries.push([cleanText(key, 200), this.json(value[key], at, depth + 1)]);
    return Object.fromEntries(entries);
  }
}

const own = (fields: Fields, key: string): unknown => (Object.hasOwn(fields, key) ? fields[key] : undefined);

const maxLength = (node: Node): number =>
  (node.pipe?.find(({ type }) => type === 'max_length')?.requirement as number | undefined) ?? 500;

const accepts = (node: Node, value: string): boolean =>
  (node.pipe ?? []).slice(1).every((action) => !action['~run']({ typed: true, value }, {}).issues);

/** What a value should have been, in words. */
function kindOf(node: Node): string {
  if (node.type === 'picklist') return `one of ${node.options?.join(', ')}`;
  if (node.type !== 'number') return KINDS[node.type] ?? 'usable';
  return node.pipe?.some(({ type }) => type === 'safe_integer')
    ? 'a whole number from 0'
    : 'a finite number from 0';
}

/**
 * Reads `value` by `schema`, an object.
 * @returns the value, or null when all of it is unusable; and notes on what was left out or cut, one line
 *   each
 */
export function readLeniently<T extends v.GenericSchema>(
  schema: T,
  value: unknown,
): { readonly value: v.InferOutput<T> | null; readonly notes: readonly string[] } {
  const walk = new Walk();
  const read = walk.read(schema as unknown as Node, value, '');
  return { value: read === UNUSABLE ? null : (read as v.InferOutput<T>), notes: walk.allNotes() };
}
