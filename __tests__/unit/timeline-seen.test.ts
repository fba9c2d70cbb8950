/** A timeline that was asked for is seen: in the summary, and kept with its page on a green step as well. */
import { expect, it } from '@jest/globals';
import { worthKeeping } from '../../src/deliver/publishing.js';
import type { Evidence } from '../../src/evidence/collect.js';
import { renderSummary } from '../../src/report/summary/summary.js';
import { timeline } from './browser-kit.js';
import { failedRank, links, manifest, quietRank } from './report-kit.js';

const plain = (text: string): string => text.replaceAll('\u00a0', ' ');

it('has the peak of each category on a green step', () => {
  const text = plain(
    renderSummary(manifest({ receipts: [quietRank(7, 0, { timeline: timeline(300) })] }), links()),
  );
  expect(text).toMatch(/^✅/);
  expect(text).toContain('Memory by category over 3 optimizer steps');
  expect(text).toMatch(
    /\| rank 0, cuda:0 \| 3\.22 KiB \(step 3, forward\) \| 1000 B \| 500 B \| +\| 1\.76 KiB \|/,
  );
});

it('is there on a red step, the fullest first', () => {
  const receipts = [
    quietRank(7, 0, { timeline: timeline(30) }),
    failedRank(5123, 1, { timeline: timeline(300) }),
  ];
  const text = renderSummary(manifest({ receipts, exitCode: 1 }), links());
  expect(text.indexOf('rank 1, cuda:0')).toBeGreaterThan(0);
  expect(text.indexOf('rank 1, cuda:0')).toBeLessThan(text.indexOf('rank 0, cuda:0'));
});

it('says why it has no point', () => {
  const none = { ...timeline(0), state: 'waiting', reason: 'no optimizer step was made' };
  const text = renderSummary(manifest({ receipts: [quietRank(7, 0, { timeline: none })] }), links());
  expect(text).toContain('No timeline: no optimizer step was made.');
});

it('is not spoken of where none was asked for', () => {
  expect(renderSummary(manifest({ receipts: [quietRank(7, 0)] }), links())).not.toContain('by category over');
});

it('keeps the evidence of a green step', () => {
  const kept = (changes: Record<string, unknown>): boolean =>
    worthKeeping({ snapshots: [], receipts: [quietRank(7, 0, changes)] } as unknown as Evidence, 'ok', []);
  expect(kept({ timeline: timeline(3) })).toBe(true);
  expect(kept({})).toBe(false);
});
