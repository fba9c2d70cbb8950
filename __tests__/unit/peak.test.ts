/** peak.json: the form github-action-benchmark reads, with names that stay the same from run to run. */
import { expect, it } from '@jest/globals';
import { peakEntries, peakJson } from '../../src/report/peak.js';
import { CENSUS, eightRanks, manifest, quietRank } from './report-kit.js';

it('is a list of name, unit and value, smaller is better', () => {
  const entries = JSON.parse(peakJson(eightRanks()));
  expect(entries.length).toBeGreaterThan(16);
  for (const entry of entries) {
    expect(Object.keys(entry)).toEqual(['name', 'unit', 'value']);
    expect(Number.isSafeInteger(entry.value)).toBe(true);
  }
  expect(entries).toContainEqual({
    name: 'rank 1, cuda:1: peak allocated',
    unit: 'bytes',
    value: CENSUS.allocated,
  });
  expect(entries).toContainEqual({
    name: 'rank 1, cuda:1: parameter at out-of-memory',
    unit: 'bytes',
    value: CENSUS.census.devices[0]?.categories.parameter.bytes,
  });
});

it('holds no pid, and one entry for processes of one name: the largest', () => {
  const entries = peakEntries(manifest({ receipts: [quietRank(50, null), quietRank(70, null)] }));
  expect(entries.map((e) => e.name)).toEqual([
    'train.py, cuda:0: peak allocated',
    'train.py, cuda:0: peak reserved',
  ]);
  expect(entries[0]?.value).toBe(CENSUS.allocated - 50);
});

it('tells the categories at exit of a run that ended well', () => {
  const census = structuredClone(CENSUS.census);
  const names = peakEntries(manifest({ receipts: [quietRank(7, 1, { census })] })).map((e) => e.name);
  expect(names).toContain('rank 1, cuda:1: optimizer_state at exit');
});
