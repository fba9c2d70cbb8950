/** The marks that the hook leaves: how far a process came, whose receipt is gone, and what a step may plant in their place. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { unreached, unreachedLine } from '../../src/judge/reach.js';
import { cameOf, lostPids, MARKS, parseMarks, readMarks } from '../../src/step/marks.js';
import { settled, UNARMED_REASONS, type UnarmedReason } from '../../src/step/unarmed.js';
import type { Sighting } from '../../src/step/watch.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'oom-autopsy-marks-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const TEXT = 's 7 100.00\ni 7 101.00\nt 7 103.50\ns 8 100.20\ns 9 100.30\ni 9 100.90\n';
const at = (innerPid: number, startTicks = 9990) => ({ innerPid, startTicks });

it('say how far each process came', () => {
  const marks = parseMarks(TEXT);
  expect([7, 8, 9, 10].map((pid) => cameOf(marks, at(pid)))).toEqual([
    'imported',
    'started',
    'importing',
    null,
  ]);
});

it('of an earlier process with the same pid are not those of a later one', () => {
  expect(cameOf(parseMarks(TEXT), at(7, 20_000))).toBeNull();
  expect(cameOf(parseMarks(`${TEXT}s 7 200.01\n`), at(7, 20_000))).toBe('started');
});

it('name those that imported torch and of which nothing else is there', () => {
  expect(lostPids(parseMarks(TEXT), new Set([8]))).toEqual([7]);
  expect(lostPids(parseMarks(TEXT), new Set([7]))).toEqual([]);
});

it('are lines of one form: whatever else is written there says nothing', () => {
  expect(parseMarks('t -1 1.00\nx 1 1.00\nt 1\nt 1 1.00 x\n\nt 1 1e9\nt 99999999999 1.00\n').size).toBe(0);
  expect(parseMarks('half t 5 1.00\nt 6 1.0').size).toBe(0);
});

it('are read from a plain file alone', () => {
  const path = join(folder, MARKS);
  expect(readMarks(folder).size).toBe(0);
  writeFileSync(path, TEXT);
  expect(readMarks(folder)).toEqual(parseMarks(TEXT));
  writeFileSync(join(folder, 'other'), TEXT);
  const planted: readonly (() => unknown)[] = [
    () => symlinkSync('other', path),
    () => mkdirSync(path),
    () => spawnSync('mkfifo', [path]),
  ];
  for (const plant of planted) {
    rmSync(path, { recursive: true });
    plant();
    expect(readMarks(folder).size).toBe(0);
  }
});

const sighting = (pid: number, reason: UnarmedReason = 'unknown', base = `b${pid}`): Sighting => ({
  ...{ pid, innerPid: pid, startTicks: 9990, program: 'python3.11', base },
  ...{ reason, advice: `advice for ${reason}` },
});
const left = (more: object = {}) => ({ receipts: [], unread: [], marks: parseMarks(TEXT), ...more });
const reasons = (...args: Parameters<typeof unreached>): string[] =>
  unreached(...args).map(({ pid, reason }) => `${pid} ${reason}`);

it('overrule what the start of a process only suggests', () => {
  for (const guess of ['unknown', 'shadowed', 'not-python', 'other-user'] as const) {
    const all = [7, 9, 10].map((pid) => sighting(pid, guess));
    expect(reasons(all, left())).toEqual(['7 receipt-lost', '9 import-unfinished', `10 ${guess}`]);
  }
  expect(reasons([sighting(7, 'isolated')], left())).toEqual(['7 isolated']);
});

it("a process that never imported torch is no news beside others' torch, as a helper of torch.compile", () => {
  expect(reasons([sighting(8)], left({ receipts: [{ pid: 1, start_ticks: 1 }] }))).toEqual([]);
  expect(reasons([sighting(8), sighting(10)], left())).toEqual(['10 unknown']);
  // Where nobody else had torch, it is all there is to say.
  expect(reasons([sighting(8)], left())).toEqual(['8 not-imported']);
  // A child that it forked has read what it had read.
  expect(
    reasons([sighting(8), sighting(11, 'unknown', 'b8')], left({ receipts: [{ pid: 1, start_ticks: 1 }] })),
  ).toEqual([]);
});

it('a process whose receipt cannot be read was reached: the warning of a gate is not about it', () => {
  const unread = [{ owner: { host: 'a', pid: 10, token: 'deadbeef' }, reason: 'EACCES' }];
  const all = unreached([sighting(10), sighting(7)], left({ unread }));
  expect(all.map(({ advice }) => advice)).toEqual([
    'its receipt cannot be read (EACCES)',
    expect.stringContaining('left no receipt'),
  ]);
  expect(unreachedLine(all)).toBeNull();
});

it.each(UNARMED_REASONS)('%s has an advice of one line, which claims no cause that nobody saw', (reason) => {
  const { advice } = settled({ reason, advice: '' }, null, null);
  expect(advice).toBe('');
  expect(settled({ reason: 'unknown', advice: '' }, 'importing', null).advice).toMatch(/had begun/);
});
