/**
 * Whether a fixture that the user names can be used: asked before the step, which may take hours. What is in
 * a fixture is said by schemas/fixture.schema.json alone; the check
 * (python/parity/oom_autopsy_parity/shape.py) reads the same file.
 */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { printable } from '../lib/text.js';

/** As in the check: the built-in fixture has under 1 MiB. */
const LIMIT_BYTES = 32 * 2 ** 20;
const SCHEMA_ID = 'oom-autopsy.fixture.v1';
/** From this file, and from dist/main, alike. */
const SCHEMA_PATH = join(import.meta.dirname, '..', '..', 'schemas', 'fixture.schema.json');

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type Members = { readonly [key: string]: Json };

/** The keywords that the schema uses. */
interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly oneOf?: readonly Schema[];
  readonly const?: Json;
  readonly enum?: readonly Json[];
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'boolean' | 'null';
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly minProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly items?: Schema;
}

const isMembers = (value: Json): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const typeOf = (value: Json): string =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'array'
      : Number.isSafeInteger(value)
        ? 'integer'
        : typeof value;

/** What is wrong first, with its place; null when nothing is. */
function shapeProblem(value: Json, given: Schema, root: Schema, at: string): string | null {
  const schema = given.$ref === undefined ? given : (root.$defs?.[given.$ref.replace(/^.*\//, '')] ?? given);
  if (schema.oneOf !== undefined) {
    const found = schema.oneOf.map((one) => shapeProblem(value, one, root, at));
    if (found.includes(null)) return null;
    // The deepest place belongs to the alternative that was meant.
    const depth = (text: string): number => (text.split(' is ')[0] ?? '').split('.').length;
    return found.filter((text) => text !== null).sort((a, b) => depth(b) - depth(a))[0] ?? null;
  }
  if (schema.const !== undefined && value !== schema.const) return `${at} is not ${schema.const}`;
  if (schema.enum !== undefined && !schema.enum.includes(value)) {
    return `${at} is none of ${schema.enum.join(', ')}`;
  }
  if (schema.type !== undefined && typeOf(value) !== schema.type) return `${at} is no ${schema.type}`;
  if (typeof value === 'string') {
    if (schema.pattern !== undefined && !new RegExp(schema.pattern).test(value)) {
      return `${at} is "${value.slice(0, 60)}"`;
    }
    return value.length > (schema.maxLength ?? value.length)
      ? `${at} is longer than ${schema.maxLength} characters`
      : null;
  }
  if (typeof value === 'number') {
    return value < (schema.minimum ?? value) ? `${at} is below ${schema.minimum}` : null;
  }
  if (isMembers(value)) return membersProblem(value, schema, root, at);
  if (!Array.isArray(value)) return null;
  return firstOf(value.entries(), ([index, one]) =>
    shapeProblem(one, schema.items ?? {}, root, `${at}.${index}`),
  );
}

function membersProblem(value: Members, schema: Schema, root: Schema, at: string): string | null {
  const missing = schema.required?.find((key) => !Object.hasOwn(value, key));
  if (missing !== undefined) return `${at}.${missing} is missing`;
  if (Object.keys(value).length < (schema.minProperties ?? 0)) return `${at} is empty`;
  const { properties = {}, additionalProperties: rest = true, propertyNames } = schema;
  return firstOf(Object.entries(value), ([key, inner]) => {
    const place = `${at}.${key}`;
    const known = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if ((known === undefined && rest === false) || propertyNames?.enum?.includes(key) === false) {
      return `${place} is not known`;
    }
    return shapeProblem(inner, known ?? (typeof rest === 'object' ? rest : {}), root, place);
  });
}

function firstOf<T>(all: Iterable<T>, find: (one: T) => string | null): string | null {
  for (const one of all) {
    const found = find(one);
    if (found !== null) return found;
  }
  return null;
}

/**
 * As Python's `json.dumps(value, sort_keys=True, separators=(",", ":"))` writes it: the fixture's digest is
 * over that.
 */
function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (isMembers(value)) {
    const members = Object.keys(value).sort();
    return `{${members.map((key) => `${canonical(key)}:${canonical(value[key] ?? null)}`).join(',')}}`;
  }
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function contentProblem(text: string, path: string): string | null {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (error) {
    return `it is no JSON (${printable((error as Error).message, 120)}); freeze it again`;
  }
  if (!isMembers(value)) return 'it is no JSON object; freeze it again';
  const { schema, sha256, ...rest } = value;
  if (schema !== SCHEMA_ID) {
    const later = typeof schema === 'string' && /^oom-autopsy\.fixture\.v([2-9]|[1-9]\d+)$/.test(schema);
    return later
      ? `it has schema ${printable(schema, 60)}, a later one than ${SCHEMA_ID}; update the action, or freeze it again with this version`
      : `it has no schema ${SCHEMA_ID}; freeze it again`;
  }
  const digest = createHash('sha256')
    .update(canonical({ schema, ...rest }))
    .digest('hex');
  if (sha256 !== digest) {
    return 'it does not match its own sha256: it was edited after it was frozen; freeze it again, or take the file back from git';
  }
  const described = JSON.parse(readFileSync(SCHEMA_PATH, 'utf8')) as Schema;
  const shape = shapeProblem(value, described, described, '');
  if (shape !== null) return `${printable(shape.replace(/^\./, ''), 200)}; freeze it again`;
  return scenarioProblem(value, path);
}

/** The scenario file is the user's too, and is kept beside the fixture. */
function scenarioProblem(fixture: Members, path: string): string | null {
  const file = fixture['scenario_file'] ?? null;
  const place = isMembers(file) && typeof file['path'] === 'string' ? file['path'] : null;
  if (fixture['built_in'] === true) return null;
  if (place === null) return 'it names no scenario file; freeze it again';
  const problem = fileProblem(resolve(dirname(path), place));
  return problem === null
    ? null
    : `its scenario file ${printable(place, 120)}: ${problem}; put it back, or freeze the fixture again`;
}

function fileProblem(path: string): string | null {
  try {
    return statSync(path).isFile() ? null : 'it is not a file';
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? 'there is no such file' : (code ?? message);
  }
}

/** Why the fixture at this path cannot be used, with the remedy; null when it can. */
export function fixtureProblem(path: string): string | null {
  const problem = fileProblem(path);
  if (problem !== null) return problem;
  try {
    if (statSync(path).size > LIMIT_BYTES) return `it is larger than ${LIMIT_BYTES} bytes; freeze it again`;
    return contentProblem(readFileSync(path, 'utf8'), path);
  } catch (error) {
    return `it cannot be read (${(error as NodeJS.ErrnoException).code ?? printable(String(error), 120)})`;
  }
}
