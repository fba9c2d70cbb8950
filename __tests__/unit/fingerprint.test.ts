/** The same out-of-memory has the same name in every run, and another one another. */
import { expect, it } from '@jest/globals';
import { fingerprintOf } from '../../src/judge/fingerprint.js';
import { CENSUS, eightRanks, failedRank, frame, GIB, manifest, quietRank, WORKSPACE } from './report-kit.js';

type Changes = Record<string, unknown>;
const one = (event: Changes = {}, story: Changes = {}, process: Changes = {}): string =>
  fingerprintOf(manifest({ receipts: [failedRank(5123, 1, process, event)], exitCode: 1, ...story }));
const at = (file: string, line: number, name: string) => ({ stack: [frame(file, line, name)] });
const first = at(`${WORKSPACE}/train.py`, 60, 'train');
const owned = (name: string, bytes = 4 * GIB) => {
  const owners = [
    { name: 'small', bytes: GIB, count: 1 },
    { name, bytes, count: 1 },
  ];
  const categories = { activation: { bytes: 5 * GIB, count: 2, owners } };
  return { census: { ...CENSUS.census, devices: [{ index: 1, allocated: 5 * GIB, categories }] } };
};

it('is the same whatever the amounts, the line, the process, the rank and the workspace', () => {
  const name = one(first);
  expect(name).toMatch(/^[0-9a-f]{12}$/);
  expect(one({ ...first, wanted: 2 * GIB, free: 1, time: 1_800_000_000 })).toBe(name);
  expect(one(at(`${WORKSPACE}/train.py`, 61, 'train'))).toBe(name);
  expect(fingerprintOf(manifest({ receipts: [failedRank(7, 3, {}, first)], exitCode: 1 }))).toBe(name);
  const { step } = manifest();
  expect(one(at('/other/train.py', 60, 'train'), { step: { ...step, workspace: '/other' } })).toBe(name);
  expect(one({ ...first, ...owned('a', 4 * GIB) })).toBe(one({ ...first, ...owned('a', 3 * GIB) }));
});

it('is another one for another file, function, owner or kind', () => {
  const outside = { kind: 'cublas', certain: true, device_free: 0 };
  const end = {
    kind: 'exception',
    exception: 'RuntimeError',
    oom: true,
    time: 1_700_000_414,
    at: first.stack[0],
    outside_oom: outside,
  };
  const names = [
    one(first),
    one(at(`${WORKSPACE}/eval.py`, 60, 'train')),
    one(at(`${WORKSPACE}/train.py`, 60, 'evaluate')),
    one({ ...first, ...owned('a') }),
    one({ ...first, ...owned('b') }),
    one({}, {}, { ooms: [], oom_count: 0, end }),
    one({}, {}, { ooms: [], oom_count: 0, end: { ...end, outside_oom: { ...outside, kind: 'cudnn' } } }),
  ];
  expect(new Set(names).size).toBe(names.length);
  expect(names).not.toContain('');
});

it('is that of the first rank to fail', () => {
  expect(fingerprintOf(eightRanks())).toBe(one());
});

it('is empty where no out-of-memory was', () => {
  expect(fingerprintOf(manifest())).toBe('');
  expect(fingerprintOf(manifest({ receipts: [quietRank(1, 0)], exitCode: 1 }))).toBe('');
});
