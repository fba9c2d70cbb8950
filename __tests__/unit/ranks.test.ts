/** Many ranks: what is said first, and that summary stays small however many there are. */
import { describe, expect, it } from '@jest/globals';
import type { Manifest } from '../../src/evidence/manifest.js';
import { renderPage } from '../../src/report/page/page.js';
import { renderSummary } from '../../src/report/summary/summary.js';
import { rankWords } from '../../src/report/words/words.js';
import { failedRank, GIB, links, manifest, quietRank } from './report-kit.js';

/** Eight ranks a host; every one of them ran out, rank 5 (or the only one) first. */
function allFailed(ranks: number): Manifest {
  const first = Math.min(5, ranks - 1);
  const receipts = Array.from({ length: ranks }, (_, rank) => ({
    ...failedRank(10_000 + rank, rank, {}, { time: 1_700_000_412 + (rank === first ? 0 : 1 + rank / 100) }),
    host: `gpu-${String(Math.floor(rank / 8)).padStart(3, '0')}`,
  }));
  return manifest({ receipts, exitCode: 1 });
}

const sizes = (m: Manifest): Record<string, number> => ({
  summary: Buffer.byteLength(renderSummary(m, links())),
  page: Buffer.byteLength(renderPage(m)),
  manifest: Buffer.byteLength(JSON.stringify(m, null, 2)),
});

describe('the growth over ranks', () => {
  it('leaves the summary within 16 KB at 4,096 ranks', () => {
    const table = [1, 8, 64, 512, 4096].map((ranks) => ({ ranks, ...sizes(allFailed(ranks)) }));
    if (process.env.OA_SHOW_GROWTH) console.table(table);
    for (const { summary } of table as readonly { summary?: number }[])
      expect(summary).toBeLessThanOrEqual(16 * 1024);
  }, 120_000);
});

describe('the first failure', () => {
  const text = renderSummary(allFailed(64), links());

  it('is named with its host in the headline', () => {
    expect(text).toMatch(/^## 🔴 Out of GPU memory on ranks 0 to 63, first on rank 5 of gpu-000\n/);
    expect(renderSummary(allFailed(8), links())).toMatch(/first on rank 5\n/);
  });

  it('stands on top of the processes, which are grouped by host', () => {
    const rows = text
      .slice(text.indexOf('<summary>64 processes'))
      .split('\n')
      .filter((line) => /^\| \d/.test(line));
    expect(rows[0]).toMatch(/^\| 5 \|/);
    expect(rows[1]).toMatch(/^\| 0 to 4, 6, 7 \|/);
    expect(rows).toHaveLength(9);
  });
});

describe('the spread of the peaks', () => {
  const peaks = (...gib: readonly number[]): string =>
    renderSummary(
      manifest({
        exitCode: 3,
        receipts: gib.map((peak, rank) =>
          quietRank(100 + rank, rank, {
            devices: [
              {
                index: 0,
                name: 'GPU',
                total: 80 * GIB,
                peak_allocated: Math.round(peak * GIB),
                peak_reserved: Math.round(peak * GIB),
              },
            ],
          }),
        ),
      }),
      links(),
    );

  it('names the rank that stands apart', () => {
    expect(peaks(70.1, 78, 71.4, 70.5).replaceAll('\u00a0', ' ')).toContain(
      'Rank 1 peaked at 78.00 GiB; the others at 70.10 GiB to 71.40 GiB.',
    );
  });

  it.each([[[70, 71, 72]], [[70, 70, 70.1]], [[70, 78]]])('says nothing of %j', (gib) => {
    expect(peaks(...gib)).not.toContain('the others at');
  });
});

it('counts the ranks that are too many to list', () => {
  const even = Array.from({ length: 100 }, (_, i) => 2 * i);
  expect(rankWords(even)).toBe('0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, … (100 ranks)');
});
