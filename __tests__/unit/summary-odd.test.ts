/** Receipts of any shape through reader, manifest and report: nothing throws, nothing escapes, the budget holds. More of them with OA_LONG=1, 10,000 with OA_SOAK=1. */
import { expect, it } from '@jest/globals';
import { parseReceipt } from '../../src/evidence/receipt-parse.js';
import { benchmarkText, memoryOf } from '../../src/memory/document.js';
import { annotations } from '../../src/report/annotations.js';
import { bytesOf } from '../../src/report/blocks.js';
import { renderPage } from '../../src/report/page/page.js';
import { renderSummary, SUMMARY_BUDGET } from '../../src/report/summary/summary.js';
import { made, random, receipt, receiptFile } from './evidence-kit.js';
import { renderGfm, tagsOf } from './gfm-kit.js';
import {
  CENSUS,
  failedRank,
  GIB,
  HOSTILE,
  links,
  manifest,
  oom,
  STACK,
  stranger,
  WORKSPACE,
} from './report-kit.js';

const ODD: readonly unknown[] = [
  null,
  0,
  -1,
  1.5,
  2 ** 53,
  1e308,
  true,
  '',
  HOSTILE,
  '\ud800',
  '`'.repeat(300),
  '|'.repeat(2000),
  [],
  {},
  [[[[]]]],
  { bytes: 5 },
  '__proto__',
];

/** A copy of `value` in which a few places hold something else. */
function mutated(value: unknown, r: ReturnType<typeof random>, rate: number): unknown {
  if (r.int(1000) < rate) return r.pick(ODD);
  if (Array.isArray(value)) {
    const items = value.map((item) => mutated(item, r, rate));
    return r.int(20) === 0 ? [...items, ...items] : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, mutated(v, r, rate)]));
}

const ALLOWED =
  /^<\/?(h2|p|code|pre|span|strong|b|ul|li|table|thead|tbody|tr|th|td|details|summary|sub|br|a)( (align="\w+"|class="language-\w+"|aria-hidden="true"|open|href="https:\/\/github\.com\/[^"]*"))*>$/;

it('says something of anything', () => {
  const runs = process.env['OA_SOAK'] ? 10_000 : process.env['OA_LONG'] ? 1000 : 100;
  const base = failedRank();
  let read = 0;
  for (let seed = 1; seed <= runs; seed++) {
    const r = random(seed);
    const of = made(100 + seed);
    const identity = receipt(of, {
      devices: [
        {
          index: 1,
          name: 'A100',
          total: 40 * GIB,
          peak_allocated: CENSUS.allocated,
          peak_reserved: GIB,
          ooms: 1,
        },
      ],
      ooms: [oom({ stack: STACK, main_stack: STACK })],
      snapshots: [],
      timeline: {
        state: 'done',
        steps: 1,
        devices: [{ device: 'cuda:0', points: [{ step: 1, by_category: { parameter: 5 } }] }],
      },
    });
    const { schema, step, host, pid, token, ...rest } = identity;
    const text = JSON.stringify({
      ...(mutated(rest, r, 1 + r.int(150)) as object),
      schema,
      step,
      host,
      pid,
      token,
    });
    const parsed = parseReceipt(text, receiptFile(of));
    if (!parsed.ok) continue;
    read += 1;
    const odd = { ...parsed.receipt, bytes: 1, digest: base.digest, seal: base.seal };
    const m = manifest({
      receipts: seed % 3 === 0 ? [odd] : [base, odd],
      exitCode: seed % 2,
      gpu: stranger(seed),
    });
    const summary = renderSummary(m, links());
    expect(bytesOf(summary)).toBeLessThanOrEqual(SUMMARY_BUDGET);
    expect(summary).not.toMatch(/undefined|\bNaN\b|\[object /);
    expect(tagsOf(renderGfm(summary)).filter((tag) => !ALLOWED.test(tag))).toEqual([]);
    const page = renderPage(m);
    expect(page.match(/<script/g)).toHaveLength(2);
    expect(page.slice(0, page.indexOf('id="data"'))).not.toMatch(/>undefined<|NaN|\[object /);
    expect(annotations(m, WORKSPACE).length).toBeLessThanOrEqual(2);
    expect(() => JSON.parse(benchmarkText(memoryOf(m)))).not.toThrow();
  }
  expect(read).toBeGreaterThan(runs / 4);
}, 600_000);
