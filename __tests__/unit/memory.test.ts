/** memory.json, two runs side by side, and the gates of the memory budget. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { memoryJsonSchema } from '../../lab/scripts/schemas.mjs';
import { baselineAccount, changeWords, judgeBudget } from '../../src/judge/budget.js';
import { type Amount, bytesOfAmount, formatAmount, parseAmount } from '../../src/lib/amount.js';
import { parseBaseline, readBaseline } from '../../src/memory/baseline.js';
import { compare, grewTooMuch } from '../../src/memory/compare.js';
import { benchmarkEntries, benchmarkText, largest, memoryOf, memoryText } from '../../src/memory/document.js';
import { type Memory, type MemoryRow, MemorySchema } from '../../src/memory/schema.js';
import { renderSummary } from '../../src/report/summary/summary.js';
import { roomFor } from '../../src/report/words/leftovers.js';
import { CENSUS, eightRanks, GIB, HOSTILE, links, manifest, quietRank } from './report-kit.js';

describe('memory.json', () => {
  it('has a JSON Schema that is made from what its reader takes, and is true of it', () => {
    const schema = JSON.parse(readFileSync('schemas/memory.schema.json', 'utf8'));
    expect(schema).toEqual(JSON.parse(JSON.stringify(memoryJsonSchema(MemorySchema))));
    const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true });
    (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
    const validate = ajv.compile(schema);
    const memory = memoryOf(eightRanks());
    validate(memory);
    expect(validate.errors).toBeNull();
    expect(validate({ ...memory, rows: [{ ...memory.rows[0], peak_allocated: -1 }] })).toBe(false);
  });

  it('is what its own reader takes, whatever names hold', () => {
    for (const m of [
      eightRanks(),
      manifest(),
      manifest({ receipts: [quietRank(7, null, { program: HOSTILE })] }),
    ]) {
      expect(parseBaseline(memoryText(memoryOf(m)))).toMatchObject({ state: 'read', earlier: [] });
    }
  });

  it('holds no pid, and one row for processes of one name: the largest peak, with their number', () => {
    const { rows } = memoryOf(manifest({ receipts: [quietRank(50, null), quietRank(70, null)] }));
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      who: 'train.py',
      device: 0,
      processes: 2,
      peak_allocated: CENSUS.allocated - 50,
      final: true,
    });
  });

  it('orders ranks as numbers', () => {
    const receipts = [10, 2, 1].map((rank) => quietRank(rank, rank));
    expect(memoryOf(manifest({ receipts })).rows.map((row) => row.who)).toEqual([
      'rank 1',
      'rank 2',
      'rank 10',
    ]);
  });

  it('tells the last figures known of a process that did not get to its end, and says so', () => {
    const killed = eightRanks().processes[0];
    const m = { ...eightRanks(), processes: [{ ...killed, devices: [], end: null }] } as ReturnType<
      typeof manifest
    >;
    const [row] = memoryOf(m).rows;
    expect(row?.final).toBe(false);
    expect(row?.peak_allocated).toBe(killed?.ooms.at(-1)?.peak_allocated);
  });

  it('tells the categories at exit of a run that ended well', () => {
    const census = structuredClone(CENSUS.census);
    const [row] = memoryOf(manifest({ receipts: [quietRank(7, 1, { census })] })).rows;
    expect(row?.seen).toBe('at exit');
    const sum = Object.values(row?.categories ?? {}).reduce(
      (all, category) => all + (category?.bytes ?? 0),
      0,
    );
    expect(sum).toBe(row?.allocated);
  });

  it('also has the form of github-action-benchmark: name, unit and value, smaller is better', () => {
    const memory = memoryOf(eightRanks());
    const entries = JSON.parse(benchmarkText(memory));
    expect(entries).toEqual(benchmarkEntries(memory));
    expect(entries.length).toBeGreaterThan(16);
    for (const entry of entries) expect(Object.keys(entry)).toEqual(['name', 'unit', 'value']);
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
});

it.each<[string, Amount | null, string]>([
  ['20GiB', { bytes: 20 * GIB }, '20.00 GiB'],
  ['90%', { share: 0.9 }, '90 %'],
  [' 12.5 % ', { share: 0.125 }, '12.5 %'],
  ['0%', null, ''],
  ['101%', null, ''],
  ['-5%', null, ''],
  ['much', null, ''],
])('reads %j as an amount', (text, amount, words) => {
  expect(parseAmount(text)).toEqual(amount);
  if (amount) expect(formatAmount(amount)).toBe(words);
});

it('takes a share only of what is known', () => {
  expect(bytesOfAmount({ share: 0.5 }, 1001)).toBe(500);
  expect(bytesOfAmount({ share: 0.5 }, null)).toBeNull();
  expect(bytesOfAmount({ bytes: 7 }, null)).toBe(7);
});

const rowOf = (changes: Partial<MemoryRow> = {}): MemoryRow => ({
  who: 'train.py',
  device: 0,
  device_name: 'H100',
  device_total: 80 * GIB,
  processes: 1,
  peak_allocated: 5 * GIB,
  peak_reserved: 6 * GIB,
  final: true,
  seen: 'at exit',
  allocated: 3 * GIB,
  categories: {
    parameter: { bytes: GIB, owners: [{ name: 'net.0', bytes: GIB }] },
    activation: { bytes: 2 * GIB, owners: [{ name: 'net.1', bytes: 2 * GIB }] },
  },
  ...changes,
});
const memory = (rows: readonly MemoryRow[], settings: Partial<Memory['settings']> = {}): Memory => ({
  schema: 'oom-autopsy.memory.v1',
  created: '2026-01-02T03:04:05.000Z',
  action: { version: '1.0.0' },
  sha: '3f2c1d0aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  verdict: 'ok',
  settings: {
    devices: ['H100'],
    world_size: null,
    torch: '2.13.0',
    backend: 'native',
    alloc_conf: null,
    ...settings,
  },
  rows: [...rows],
});
const grewBy = (bytes: number): MemoryRow =>
  rowOf({
    peak_allocated: 5 * GIB + bytes,
    categories: {
      parameter: { bytes: GIB, owners: [{ name: 'net.0', bytes: GIB }] },
      activation: {
        bytes: 2 * GIB + bytes,
        owners: [
          { name: 'net.1', bytes: 2 * GIB },
          { name: 'net.2', bytes },
        ],
      },
    },
  });
const NO_GATES = { memoryBudget: null, maxGrowth: null, ifNoBaseline: 'warn' } as const;
const compared = (before: Memory, after: Memory) => {
  const result = compare(before, after);
  if (result.state !== 'compared') throw new Error(result.differences.join());
  return result;
};

describe('two runs', () => {
  it('name what grew most: the category, and the owner that is most of it', () => {
    const { peak, rows } = compared(memory([rowOf()]), memory([grewBy(GIB)]));
    expect(peak).toEqual({ before: 5 * GIB, after: 6 * GIB });
    expect(rows[0]?.grew).toEqual({ category: 'activation', owner: 'net.2', bytes: GIB });
    expect(changeWords(peak)).toBe('1.00 GiB (20 %) more');
  });

  it('name no owner where the list of the baseline was cut and does not hold it', () => {
    const cut = rowOf({
      categories: { activation: { bytes: 2 * GIB, owners: [{ name: 'net.1', bytes: 1.9 * GIB }] } },
    });
    expect(compared(memory([cut]), memory([grewBy(GIB)])).rows[0]?.grew?.owner).toBeNull();
  });

  it('tell ranks that are in one of them only, and order by growth', () => {
    const before = memory([rowOf({ who: 'rank 0' }), rowOf({ who: 'rank 1' })]);
    const after = memory([
      rowOf({ who: 'rank 1', peak_allocated: 9 * GIB }),
      rowOf({ who: 'rank 0' }),
      rowOf({ who: 'rank 2' }),
    ]);
    const { rows, gone, added } = compared(before, after);
    expect(rows.map((row) => row.who)).toEqual(['rank 1', 'rank 0']);
    expect([gone, added]).toEqual([[], ['rank 2, cuda:0']]);
    expect(compared(after, before).gone).toEqual(['rank 2, cuda:0']);
  });

  it.each<[string, Partial<Memory['settings']>]>([
    ['GPU A100, was H100', { devices: ['A100'] }],
    ['number of ranks 8, was none', { world_size: 8 }],
    ['torch 2.14.1, was 2.13.0', { torch: '2.14.1' }],
    ['allocator cudaMallocAsync, was native', { backend: 'cudaMallocAsync' }],
    [
      'PYTORCH_CUDA_ALLOC_CONF expandable_segments:True, was none',
      { alloc_conf: 'expandable_segments:True' },
    ],
  ])('are not comparable: %s', (words, settings) => {
    const account = baselineAccount(
      { state: 'read', memory: memory([rowOf()]), earlier: [] },
      memory([grewBy(GIB)], settings),
    );
    expect(account).toMatchObject({ state: 'not-comparable', differences: [words] });
    expect(judgeBudget(memory([grewBy(GIB)]), account, { ...NO_GATES, maxGrowth: { bytes: 0 } })).toEqual([
      expect.objectContaining({
        gate: 'if-no-baseline',
        level: 'warn',
        message: expect.stringContaining(words),
      }),
    ]);
  });

  it('are not comparable where one has no peak', () => {
    expect(compare(memory([]), memory([rowOf()]))).toMatchObject({ state: 'not-comparable' });
    expect(compare(memory([rowOf()]), memory([]))).toMatchObject({ state: 'not-comparable' });
  });

  it.each<[Amount, number, boolean]>([
    [{ share: 0.2 }, GIB, false],
    [{ share: 0.19 }, GIB, true],
    [{ bytes: GIB - 1 }, GIB, true],
    [{ bytes: 0 }, 0, false],
    [{ bytes: 0 }, -GIB, false],
  ])('with at most %j of growth and %d bytes of it: too much is %s', (most, bytes, much) => {
    expect(grewTooMuch(compared(memory([rowOf()]), memory([grewBy(bytes)])), most)).toBe(much);
  });
});

describe('gates', () => {
  const read = (before: Memory, after: Memory) =>
    baselineAccount({ state: 'read', memory: before, earlier: [] }, after);

  it.each<[Amount, boolean]>([
    [{ bytes: 5 * GIB }, false],
    [{ bytes: 5 * GIB - 1 }, true],
    [{ share: 0.0625 }, false],
    [{ share: 0.0624 }, true],
  ])('a budget of %j is exceeded: %s', (memoryBudget, over) => {
    const found = judgeBudget(memory([rowOf()]), null, { ...NO_GATES, memoryBudget });
    expect(found.map(({ gate, level }) => [gate, level])).toEqual(over ? [['memory-budget', 'fail']] : []);
    if (over) expect(found[0]?.message).toContain('5.00 GiB, above the memory budget of');
    if (over)
      expect(found[0]?.message).toContain('Most at exit: activation 2.00 GiB, net.1 2.00 GiB of that');
  });

  it('says nothing of a share of a device whose size is not known', () => {
    const row = rowOf({ device_total: null });
    expect(judgeBudget(memory([row]), null, { ...NO_GATES, memoryBudget: { share: 0.001 } })).toEqual([]);
  });

  it('growth turns red with what grew; without max-growth it is only told', () => {
    const [before, after] = [memory([rowOf()]), memory([grewBy(GIB)])];
    const [found] = judgeBudget(after, read(before, after), { ...NO_GATES, maxGrowth: { share: 0.05 } });
    expect(found).toMatchObject({ gate: 'max-growth', level: 'fail' });
    expect(found?.message).toBe(
      "The peak is 6.00 GiB, 1.00 GiB (20 %) more than the baseline's 5.00 GiB; at most 5 % more is allowed. activation of net.2 grew by 1.00 GiB",
    );
    expect(judgeBudget(after, read(before, after), NO_GATES)).toEqual([]);
  });

  it.each(['ignore', 'warn', 'fail'] as const)(
    'a missing baseline with if-no-baseline: %s',
    (ifNoBaseline) => {
      const account = baselineAccount(
        { state: 'missing', reason: 'there is no such file' },
        memory([rowOf()]),
      );
      const found = judgeBudget(memory([rowOf()]), account, { ...NO_GATES, ifNoBaseline });
      expect(found.map(({ level }) => level)).toEqual(ifNoBaseline === 'ignore' ? [] : [ifNoBaseline]);
    },
  );
});

describe('a baseline on disk', () => {
  const folder = mkdtempSync(join(tmpdir(), 'baseline-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = (text: string): string => {
    const path = join(folder, 'memory.json');
    writeFileSync(path, text);
    return path;
  };

  it('may hold several runs: the newest is compared with', async () => {
    const runs = [memory([rowOf()]), memory([grewBy(GIB)])];
    const found = await readBaseline(file(JSON.stringify(runs)));
    expect(found).toEqual({ state: 'read', memory: runs[1], earlier: [runs[0]] });
  });

  it.each([
    ['{', 'it is not JSON'],
    ['[]', 'it is an empty list'],
    ['{"schema":"other"}', 'is missing or wrong'],
    [
      JSON.stringify({ ...memory([rowOf()]), rows: [{ ...rowOf(), peak_allocated: -1 }] }),
      'rows.0.peak_allocated',
    ],
    ['"text"', 'not an object'],
  ])('%s is unreadable, with what is wrong', async (text, words) => {
    expect(await readBaseline(file(text))).toEqual({
      state: 'unreadable',
      reason: expect.stringContaining(words),
    });
  });

  it('is missing, or no file', async () => {
    expect(await readBaseline(join(folder, 'none.json'))).toMatchObject({ state: 'missing' });
    expect(await readBaseline(folder)).toMatchObject({ state: 'unreadable', reason: 'it is not a file' });
  });
});

describe('the summary', () => {
  const green = (changes: Partial<ReturnType<typeof manifest>> = {}) => {
    const m = manifest({ receipts: [quietRank(7, null)] });
    return { ...m, ...changes };
  };
  const beside = (before: Memory, after: Memory) => ({
    peak_allocated: largest(after.rows)?.peak_allocated ?? null,
    peak_reserved: null,
    baseline: baselineAccount({ state: 'read', memory: before, earlier: [] }, after),
  });

  it('sets a green run beside its baseline in one sentence, with the table folded', () => {
    const text = renderSummary(green({ memory: beside(memory([rowOf()]), memory([grewBy(GIB)])) }), links());
    expect(text).toContain('1.00 GiB (20 %) more');
    expect(text).toContain('`3f2c1d0`');
    expect(text).toContain('activation of net.2 grew by 1.00 GiB');
    expect(text.indexOf('<details>')).toBeGreaterThan(text.indexOf('`3f2c1d0`'));
    expect(text).toMatch(/activation \| 2\.00.GiB \| 3\.00.GiB \| 1\.00.GiB \(50.%\) more/);
  });

  it('says that less is used, and that a baseline is not comparable', () => {
    const less = renderSummary(green({ memory: beside(memory([grewBy(GIB)]), memory([rowOf()])) }), links());
    expect(less).toContain('1.00 GiB (17 %) less');
    const other = beside(memory([rowOf()], { torch: '2.9.0' }), memory([rowOf()]));
    expect(renderSummary(green({ memory: other }), links())).toContain('torch 2.13.0, was 2.9.0');
  });

  it('turns red with the gate’s own sentence, said once', () => {
    const [before, after] = [memory([rowOf()]), memory([grewBy(GIB)])];
    const m = green({ memory: beside(before, after) });
    const gates = judgeBudget(after, m.memory.baseline, { ...NO_GATES, maxGrowth: { bytes: 0 } });
    const text = renderSummary({ ...m, gates }, links());
    expect(text.startsWith('🔴')).toBe(true);
    expect(text.match(/net\.2 grew by/g)).toHaveLength(1);
  });

  it('tells a red step what grew since', () => {
    const red = { ...eightRanks(), memory: beside(memory([rowOf()]), memory([grewBy(GIB)])) };
    const text = renderSummary(red, links());
    expect(text).toContain('activation of net.2 grew by 1.00 GiB');
    expect(text.indexOf('net.2 grew')).toBeLessThan(text.indexOf('<details>'));
  });
});

describe('min-free', () => {
  const gpu = (index: number, free: number | null, total: number | null = 80 * GIB) => ({
    index,
    uuid: `GPU-0000${index}`,
    name: 'H100',
    total,
    free,
    used: free === null || total === null ? null : total - free,
  });
  const seen = (...devices: ReturnType<typeof gpu>[]) => ({
    state: 'seen' as const,
    tool: 'nvidia-smi' as const,
    devices,
    processes: [{ pid: 4121, startTicks: null, name: 'python3', device: 0, used: 60 * GIB }],
    pidsKnown: true,
    note: null,
    seconds: 0.1,
  });

  it.each<[Amount, string | undefined, boolean]>([
    [{ bytes: 20 * GIB }, undefined, false],
    [{ bytes: 20 * GIB + 1 }, undefined, true],
    [{ share: 0.25 }, undefined, false],
    [{ share: 0.9 }, undefined, true],
    [{ share: 0.9 }, '1', false],
    [{ share: 0.9 }, 'GPU-00001', false],
    [{ share: 0.9 }, '1,0', true],
  ])('%j free with CUDA_VISIBLE_DEVICES=%s: too little is %s', (amount, setting, short) => {
    const room = roomFor(seen(gpu(0, 20 * GIB), gpu(1, 80 * GIB)), amount, setting);
    expect(room?.state ?? null).toBe(short ? 'full' : null);
    if (short) expect(room?.message).toContain('pid 4121 python3 with 60.00 GiB');
  });

  it('is not known without a tool, without a figure, without a device', () => {
    expect(roomFor({ state: 'absent', tool: null }, { share: 0.9 })?.state).toBe('unknown');
    expect(roomFor(seen(gpu(0, 20 * GIB)), { share: 0.9 }, '')?.state).toBe('unknown');
    expect(roomFor(seen(gpu(0, null, null)), { share: 0.9 })).toBeNull();
  });
});
