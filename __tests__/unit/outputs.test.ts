/** Outputs of the step's own commands that have names of ours. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { boundedList } from '../../src/deliver/deliver.js';
import { replacedOutputs, valuesIn } from '../../src/runner/outputs.js';

const folder = mkdtempSync(join(tmpdir(), 'oom-autopsy-outputs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  ['', {}],
  ['acc=0.9\nverdict=good\n', { acc: '0.9', verdict: 'good' }],
  ['acc=0.9\r\nverdict=good', { acc: '0.9', verdict: 'good' }],
  ['text<<EOF\nverdict=inside\n\nEOF\nmanifest=x', { text: 'verdict=inside\n', manifest: 'x' }],
  ['text<<EOF\nEOF\n', { text: '' }],
  ['a=b<<c\nverdict=1', { a: 'b<<c', verdict: '1' }],
  ['a=1\na=2\na<<E\n3\nE\n', { a: '3' }],
  ['text<<EOF\nverdict=never ends', { text: 'verdict=never ends' }],
  ['no name here\n=x\n', { '': 'x' }],
])('%j', (text, values) => expect(Object.fromEntries(valuesIn(text))).toEqual(values));

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
