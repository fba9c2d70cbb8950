/** Evidence that is missing or cannot be read: never "no out-of-memory", on a green step a verdict of its own, and one warning. */
import { chmodSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { collect, type Evidence } from '../../src/evidence/collect.js';
import { BLIND_KINDS, type BlindSpot, blindRemedy, blindSpots, blindWords } from '../../src/judge/blind.js';
import { annotations } from '../../src/report/annotations.js';
import { renderSummary } from '../../src/report/summary/summary.js';
import { made, receiptFile, STEP, snapshotFile, writeReceipt, writeSnapshot } from './evidence-kit.js';
import { failedRank, links, manifest, quietRank, read } from './report-kit.js';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'oom-autopsy-blind-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const NOW = Date.now();
const look = (more: object = {}): Promise<Evidence> => collect({ dir, step: STEP, since: NOW, ...more });
const spots = async (lost: readonly number[] = [], shimFault: string | null = null): Promise<string[]> =>
  blindSpots(await look(), { lost, shimFault }).map(
    ({ kind, count, reason }) => `${kind} ${count} ${reason}`,
  );

describe('blind spots', () => {
  it('are none where each process left its receipt', async () => {
    writeReceipt(dir);
    writeSnapshot(dir);
    expect(await spots()).toEqual([]);
  });

  it('are a snapshot without a receipt, by its reason', async () => {
    writeSnapshot(dir, snapshotFile(made(7)));
    writeSnapshot(dir, snapshotFile(made(8)).replace('-oom.', '-exit.'));
    expect(await spots()).toEqual(['oom-without-receipt 1 null', 'without-receipt 1 null']);
  });

  it('are a process that imported torch and left nothing', async () => {
    writeSnapshot(dir, snapshotFile(made(7)));
    expect(await spots([7, 9])).toEqual(['oom-without-receipt 1 null', 'without-receipt 1 null']);
  });

  it.each<[string, () => unknown, string]>([
    ['is empty', () => writeFileSync(join(dir, receiptFile(made(7))), ''), 'empty'],
    ['is no JSON', () => writeFileSync(join(dir, receiptFile(made(7))), '{'), 'not JSON'],
    [
      'is of a newer shim',
      () => writeReceipt(dir, made(7), { schema: 'oom-autopsy.receipt.v2' }),
      'schema oom-autopsy.receipt.v2, not oom-autopsy.receipt.v1',
    ],
  ])('are a receipt that %s, and its snapshot is not counted twice', async (_name, plant, reason) => {
    plant();
    writeSnapshot(dir, snapshotFile(made(7)));
    expect(await spots([7])).toEqual([`unreadable 1 ${reason}`]);
  });

  (process.getuid?.() === 0 ? it.skip : it)("are another user's receipt and snapshot", async () => {
    const receipt = writeReceipt(dir);
    chmodSync(join(dir, receipt), 0);
    chmodSync(join(dir, writeSnapshot(dir)), 0);
    expect(await spots()).toEqual([`unreadable 1 EACCES: ${receipt} belongs to uid ${process.getuid?.()}`]);
  });

  it('are none of what is older than the step, in a folder that others use too', async () => {
    const old = join(dir, receiptFile(made(7)));
    writeFileSync(old, '{');
    utimesSync(old, NOW / 1000 - 3600, NOW / 1000 - 3600);
    writeReceipt(dir, made(8), { step: 'ffffffffffff' });
    expect(await spots()).toEqual([]);
  });

  it('are receipts that there are too many of', async () => {
    writeReceipt(dir, made(7));
    writeReceipt(dir, made(8));
    const { unread } = await look({ limits: { receipts: 1 } });
    expect(unread).toEqual([{ owner: expect.objectContaining({ pid: 8 }), reason: 'too many receipts' }]);
  });

  it('are a folder that is gone, and one that was never there', async () => {
    rmSync(dir, { recursive: true });
    expect(await spots()).toEqual(['no-folder 0 ENOENT']);
    expect(await spots([], 'the disk is full')).toEqual(['not-laid 0 the disk is full']);
  });

  it('are processes in which torch refused to report', () => {
    const evidence = { folderFault: null, snapshots: [], unread: [] } as unknown as Evidence;
    const of = (recorder: object, torch: object = {}) =>
      blindSpots(
        {
          ...evidence,
          receipts: [read(made(), { recorder: { state: 'failed', reason: 'why', ...recorder }, torch })],
        },
        { lost: [], shimFault: null },
      ).map(({ kind }) => kind);
    expect(of({ observer: 'refused' })).toEqual(['refused']);
    expect(of({ state: 'unsupported' }, { version: '2', backend: 'cudaMallocAsync' })).toEqual(['refused']);
    // A build without CUDA, and a process that never used it, have no out-of-memory to report.
    expect(of({ state: 'unsupported', observer: 'none' })).toEqual([]);
    expect(of({ state: 'idle', observer: 'none' })).toEqual([]);
    expect(of({ observer: 'attached' })).toEqual([]);
    expect(of({})).toEqual([]);
  });
});

const one = (kind: BlindSpot['kind']): BlindSpot => ({ kind, count: 2, reason: null });

describe.each(BLIND_KINDS)('%s', (kind) => {
  const blind = [one(kind)];
  const text = (exitCode: number): string =>
    renderSummary(manifest({ exitCode, receipts: [quietRank(4, 0)], blindSpots: blind }), links());

  it('makes a green step unknown, with one warning, and never says that none was seen', () => {
    const of = manifest({ receipts: [quietRank(4, 0)], blindSpots: blind });
    expect(of.verdict.name).toBe('unknown');
    const gates = [{ gate: 'parity', level: 'warn', message: 'Parity could not be checked' }] as const;
    for (const warned of [of, { ...of, gates }]) {
      const [warning, ...rest] = annotations(warned, null);
      expect([warning?.level, rest]).toEqual(['warning', []]);
      expect(warning?.message).toContain(blindWords(one(kind)));
    }
    expect(annotations({ ...of, gates: [{ ...gates[0], level: 'fail' }] }, null)).toMatchObject([
      { level: 'error', message: expect.stringContaining('Parity could not be checked') },
    ]);
    expect(text(0)).toMatch(/^## 🟡 (What became of an out-of-memory|Whether memory ran out) is not known\n/);
    expect(text(0)).not.toMatch(/no out-of-memory/i);
    expect(text(0)).toContain(blindRemedy(one(kind)).slice(0, 20));
  });

  it('leaves a red one failed, and says so in its headline', () => {
    expect(text(3)).toMatch(/^## 🔴 The step failed with exit code 3; (what became|whether memory)/);
    expect(text(3)).not.toMatch(/no out-of-memory/i);
  });

  it('is no doubt where an out-of-memory was seen', () => {
    const receipts = [failedRank()];
    expect(manifest({ receipts, exitCode: 1, blindSpots: blind }).verdict.name).toBe('oom');
    const caught = [quietRank(4, 0, { oom_count: 1 })];
    expect(manifest({ receipts: caught, blindSpots: blind }).verdict.name).toBe('oom-recovered');
  });
});
