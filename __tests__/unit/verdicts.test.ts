/** The closed list of verdicts, and all that has to know each: README, action.yml, the JSON Schema, headline and annotation. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { isVerdict, VERDICT_TRAITS, VERDICTS } from '../../src/judge/verdicts.js';
import { annotations } from '../../src/report/annotations.js';
import { renderSummary } from '../../src/report/summary/summary.js';
import { headline } from '../../src/report/words/headline.js';
import { links, manifest } from './report-kit.js';

const root = join(import.meta.dirname, '..', '..');
const read = (name: string): string => readFileSync(join(root, name), 'utf8');

it('is the list of the contract', () => {
  expect(VERDICTS).toEqual(
    'ok oom-recovered oom host-oom killed cancelled failed unknown not-run'.split(' '),
  );
  expect(VERDICTS.every(isVerdict)).toBe(true);
  expect([isVerdict('fine'), isVerdict(undefined)]).toEqual([false, false]);
});

describe('documents', () => {
  it('have a row for each in the README, in this order', () => {
    const [, table = ''] =
      /<!-- verdicts:start -->\n([\s\S]*?)<!-- verdicts:end -->/.exec(read('README.md')) ?? [];
    const rows = table.split('\n').filter((line) => line.startsWith('| `'));
    expect(rows.map((row) => /^\| `([^`]+)` \| \S/.exec(row)?.[1])).toEqual([...VERDICTS]);
  });

  it('name each in action.yml', () => {
    const { outputs } = parse(read('action.yml')) as { outputs: Record<string, { description: string }> };
    expect(outputs.verdict?.description.match(/`([^`]+)`/g)?.map((name) => name.slice(1, -1))).toEqual([
      ...VERDICTS,
    ]);
  });

  it('allow each in the schema', () => {
    const schema = JSON.parse(read('schemas/manifest.schema.json'));
    expect(schema.properties.verdict.properties.name.enum).toEqual([...VERDICTS]);
  });
});

describe.each(VERDICTS)('%s', (name) => {
  const of = manifest({ exitCode: 1, verdict: { name, because: 'the reason' } });

  it('has a headline, a summary and at most one annotation', () => {
    const { icon, tone, annotation, quiet } = VERDICT_TRAITS[name];
    expect(headline(of)).toMatchObject({ icon, tone, title: expect.stringMatching(/^[A-Z0-9]/) });
    expect(renderSummary(of, links())).toMatch(quiet ? /^\S+ \*\*/ : new RegExp(`^## ${icon} `));
    expect(annotations(of, null).map(({ level }) => level)).toEqual(annotation === null ? [] : [annotation]);
  });
});
