/**
 * Fixtures that are looked at before the step: one that `freeze` wrote, and every way to spoil it. That our reader of
 * the schema says what a validator says, wherever a fixture is spoilt.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { fixtureProblem } from '../../src/parity/fixture.js';

const root = mkdtempSync(join(tmpdir(), 'fixture '));
afterAll(() => rmSync(root, { recursive: true, force: true }));

// biome-ignore lint/suspicious/noExplicitAny: it is spoilt in every way
type Data = any;
const SHIPPED: Data = JSON.parse(readFileSync('python/parity/fixtures/torch-2.13.json', 'utf8'));
const NAME = 'mlp/sgd/first';

/** As `freeze --scenario my_step.py` writes one, with the numbers of a built-in scenario. */
function ofTheUser(): Data {
  const { table, sha256, ...rest } = structuredClone(SHIPPED);
  const { says, ...migration } = rest.scenarios[NAME].migration;
  return {
    ...rest,
    built_in: false,
    scenario_file: { path: 'ci/my step.py', sha256: 'a'.repeat(64) },
    scenarios: { 'my step': { ...rest.scenarios[NAME], migration } },
  };
}

const sorted = (value: Data): Data =>
  Array.isArray(value)
    ? value.map(sorted)
    : value !== null && typeof value === 'object'
      ? Object.fromEntries(
          Object.keys(value)
            .sort()
            .map((key) => [key, sorted(value[key])]),
        )
      : value;

/** With its digest made good. */
function sealed(data: Data): Data {
  if (data === null || typeof data !== 'object' || Array.isArray(data)) return data;
  const { sha256, ...rest } = data;
  const text = JSON.stringify(sorted(rest)).replace(
    /[^ -~]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return { ...rest, sha256: createHash('sha256').update(text).digest('hex') };
}

mkdirSync(join(root, 'ci'));
writeFileSync(join(root, 'ci', 'my step.py'), '');
let made = 0;
function written(text: string): string {
  const path = join(root, `fixture${++made}.json`);
  writeFileSync(path, text);
  return path;
}
const problemOf = (data: Data): string | null => fixtureProblem(written(JSON.stringify(sealed(data))));

describe('a fixture that can be used', () => {
  it('is the shipped one, as Python wrote and sealed it, and one of the user’s', () => {
    expect(fixtureProblem('python/parity/fixtures/torch-2.13.json')).toBeNull();
    expect(problemOf(ofTheUser())).toBeNull();
  });

  it('may have any characters in its names, and a scenario file by its whole path', () => {
    const data = ofTheUser();
    const path = join(root, 'ci', 'шаг 𝛼.py');
    writeFileSync(path, '');
    data.scenario_file.path = path;
    data.scenarios = { 'шаг 𝛼\u007f"\\': data.scenarios['my step'] };
    expect(problemOf(data)).toBeNull();
  });

  it('may be of a torch without the categorizer', () => {
    const data = ofTheUser();
    data.scenarios['my step'].oracle = { failed: 'removed', reason: 'it is gone' };
    data.scenarios['my step'].migration = { failed: 'removed', reason: 'it is gone' };
    expect(problemOf(data)).toBeNull();
  });
});

describe('a fixture that cannot be used', () => {
  const text = JSON.stringify(sealed(ofTheUser()));

  it.each<[string, () => string, RegExp]>([
    ['is not there', () => join(root, 'none.json'), /^there is no such file$/],
    ['is a folder', () => join(root, 'ci'), /^it is not a file$/],
    ['is empty', () => written(''), /^it is no JSON \(.*\); freeze it again$/],
    ['ends early', () => written(text.slice(0, 999)), /^it is no JSON \(.*\); freeze it again$/],
    ['is no object', () => written('[]'), /^it is no JSON object; freeze it again$/],
    ['is something else', () => written('{"name": "x"}'), /no schema oom-autopsy\.fixture\.v1; freeze it/],
    [
      'is of a later schema',
      () => written(text.replace('fixture.v1', 'fixture.v7')),
      /schema oom-autopsy\.fixture\.v7, a later one .*; update the action/,
    ],
    [
      'was edited',
      () => written(text.replace('"steps":1', '"steps":2')),
      /its own sha256.*; freeze it again, or take the file back from git$/,
    ],
    ['nests without end', () => written('['.repeat(1e6)), /^it (is no JSON|cannot be read)/],
    [
      'is far too large',
      () => {
        const path = written('');
        truncateSync(path, 33 * 2 ** 20);
        return path;
      },
      /^it is larger than 33554432 bytes; freeze it again$/,
    ],
  ])('because it %s', (_name, path, reason) => {
    expect(fixtureProblem(path())).toMatch(reason);
  });

  it.each<[string, (data: Data) => void, string]>([
    ['lacks a part', (d) => delete d.environment, 'environment is missing; freeze it again'],
    ['lacks a fact', (d) => delete d.environment.cpu, 'environment.cpu is missing; freeze it again'],
    ['holds no scenario', (d) => (d.scenarios = {}), 'scenarios is empty; freeze it again'],
    [
      'says a word that is never emitted',
      (d) => d.scenarios['my step'].view.events.push('+ TEMPORARY 8'),
      'scenarios.my step.view.events.35 is "+ TEMPORARY 8"; freeze it again',
    ],
    [
      'has events that are numbers',
      (d) => (d.scenarios['my step'].view.events = [1]),
      'scenarios.my step.view.events.0 is no string; freeze it again',
    ],
    [
      'has half of an oracle',
      (d) => delete d.scenarios['my step'].oracle.peak,
      'scenarios.my step.oracle.peak is missing; freeze it again',
    ],
    ['names no scenario file', (d) => (d.scenario_file = null), 'it names no scenario file; freeze it again'],
    [
      'names one that is gone',
      (d) => (d.scenario_file.path = 'ci/gone.py'),
      'its scenario file ci/gone.py: there is no such file; put it back, or freeze the fixture again',
    ],
  ])('because it %s, though its digest was made good', (_name, spoil, reason) => {
    const data = ofTheUser();
    spoil(data);
    expect(problemOf(data)).toBe(reason);
  });
});

it('is judged as a validator judges it, wherever it is spoilt', () => {
  const validate = new Ajv2020({ strict: false }).compile(
    JSON.parse(readFileSync('schemas/fixture.schema.json', 'utf8')),
  );
  const places = (value: Data, at: readonly (string | number)[] = []): (readonly (string | number)[])[] =>
    Array.isArray(value)
      ? [at, ...(value.length > 0 ? places(value[0], [...at, 0]) : [])]
      : value !== null && typeof value === 'object'
        ? [at, ...Object.keys(value).flatMap((key) => places(value[key], [...at, key]))]
        : [at];
  let spoilt = 0;
  // The digest, and which schema it says it has, have words of their own.
  const own = /^(schema|sha256|scenario_file)/;
  for (const at of places(ofTheUser()).filter(([first]) => first !== undefined && !own.test(String(first)))) {
    for (const put of [undefined, {}, [], 'x', -1, true, 1.5, null]) {
      const data = ofTheUser();
      const above = at.slice(0, -1).reduce<Data>((value, key) => value[key], data);
      const last = at.at(-1) as string | number;
      if (put !== undefined) above[last] = put;
      else if (Array.isArray(above)) above.splice(Number(last), 1);
      else delete above[last];
      const valid = validate(sealed(data));
      expect([at, put, problemOf(data) === null]).toEqual([at, put, valid]);
      if (!valid) spoilt++;
    }
  }
  expect(spoilt).toBeGreaterThan(300);
});
