/** Outputs of the step's own commands that have names of ours. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { boundedList } from '../../src/deliver/deliver.js';
import { namesIn, replacedOutputs } from '../../src/runner/outputs.js';

const folder = mkdtempSync(join(tmpdir(), 'oom-autopsy-outputs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  ['', []],
  ['acc=0.9\nverdict=good\n', ['acc', 'verdict']],
  ['acc=0.9\r\nverdict=good', ['acc', 'verdict']],
  ['text<<EOF\nverdict=inside\nEOF\nmanifest=x', ['text', 'manifest']],
  ['a=b<<c\nverdict=1', ['a', 'verdict']],
  ['text<<EOF\nverdict=never ends', ['text']],
  ['no name here\n=x\n', ['']],
])('%j', (text, names) => expect(namesIn(text)).toEqual(names));

it('are those of the contract, in any case of their letters', () => {
  const path = join(folder, 'output');
  writeFileSync(path, 'Manifest=model/manifest.json\nverdict<<E\ngood\nE\nacc=0.9\n');
  expect(replacedOutputs(path)).toEqual(['verdict', 'manifest']);
  expect(replacedOutputs(undefined)).toEqual([]);
  expect(replacedOutputs(join(folder, 'none'))).toEqual([]);
  expect(replacedOutputs(folder)).toEqual([]);
});

it('the list of snapshots ends within 32 KiB, at a whole entry', () => {
  const all = Array.from({ length: 20_000 }, (_, seq) => ({
    file: `host-rank0-7-aaaaaaaa-${seq}-oom.pickle`,
    note: 'ü',
  }));
  const text = boundedList(all);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(32 * 1024);
  const list = JSON.parse(text);
  expect(list.length).toBeGreaterThan(400);
  expect(list).toEqual(all.slice(0, list.length));
  expect(boundedList(all.slice(0, 3))).toBe(JSON.stringify(all.slice(0, 3)));
  expect(boundedList([])).toBe('[]');
});
