// Reading receipts: strict on identity and on claimed files, lenient on the rest, and never thrown off by what is in them.
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { receiptJsonSchema } from '../../lab/scripts/schemas.mjs';
import {
  displayName,
  isSafeName,
  parseReceiptName,
  parseSnapshotName,
  parseUnfinishedName,
} from '../../src/evidence/names.js';
import type { Receipt } from '../../src/evidence/receipt.js';
import { parseReceipt } from '../../src/evidence/receipt-parse.js';
import { DEFINITIONS, ReceiptSchema } from '../../src/evidence/receipt-schema.js';
import { cleanText } from '../../src/lib/text.js';
import { made, random, receipt, receiptFile, snapshotFile } from './evidence-kit.js';

const parse = (value: unknown, file = receiptFile(made())) =>
  parseReceipt(typeof value === 'string' ? value : JSON.stringify(value), file);

function good(changes: Record<string, unknown> = {}): Receipt {
  const result = parse(receipt(made(), changes));
  if (!result.ok) throw new Error(result.reason);
  return result.receipt;
}
const reasonOf = (value: unknown, file?: string): string => {
  const result = parse(value, file);
  return result.ok ? 'accepted' : result.reason;
};
const dirty = (...codes: number[]): string => String.fromCodePoint(...codes);

it('reads every field of the contract as it was written', () => {
  const { notes, file, ...read } = good();
  expect(notes).toEqual([]);
  expect(file).toBe(receiptFile(made()));
  const written = receipt();
  // What the reader adds to each category so that nobody has to ask whether it is there.
  const text = JSON.stringify(read).replaceAll(',"reasons":[]', '');
  const { categories: _c, pools: _p, kept: _k, ...rest } = JSON.parse(text).census.devices[0];
  expect(rest).toEqual({ index: 0, allocated: 1000, reserved: 2000, reserved_unused: 1000, attributed: 900 });
  expect(JSON.parse(text)).toEqual(written);
});

it('reads which categories were not seen whole, and no other words', () => {
  const read = (not_reached: unknown) => {
    const written = JSON.parse(JSON.stringify(receipt()));
    written.census.not_reached = not_reached;
    const result = parse(written);
    return result.ok && result.receipt.census?.not_reached;
  };
  expect(read(['parameter', 'activation'])).toEqual(['parameter', 'activation']);
  expect(read(['parameter', 'evil', 7])).toEqual(['parameter']);
  expect(read(undefined)).toEqual([]);
});

it('reads a private pool only where its parts add up, and says so', () => {
  const read = (change: Record<string, unknown>) => {
    const written = JSON.parse(JSON.stringify(receipt()));
    Object.assign(written.census.devices[0].pools[0], change);
    const result = parse(written);
    return result.ok ? result.receipt : null;
  };
  const pools = (change: Record<string, unknown>) => read(change)?.census?.devices[0]?.pools;
  expect(pools({})).toHaveLength(1);
  expect(pools({ allocated: 201 })).toEqual([]);
  expect(read({ allocated: 201 })?.notes.join()).toMatch(/pools\[0\].*add up to 200 bytes/);
  expect(pools({ reserved: 100 })).toEqual([]);
  expect(pools({ kind: 'evil' })).toEqual([]);
  const older = JSON.parse(JSON.stringify(receipt()));
  delete older.census.devices[0].pools;
  const parsed = parse(older);
  expect(parsed.ok && parsed.receipt.census?.devices[0]?.pools).toBeNull();
});

it('reads the graph of a cycle only as far as it hangs together', () => {
  const graph = (change: Record<string, unknown>) => {
    const written = JSON.parse(JSON.stringify(receipt()));
    Object.assign(written.cycles.cycles[0].graph, change);
    const result = parse(written);
    return result.ok ? result.receipt.cycles?.cycles[0]?.graph : undefined;
  };
  expect(graph({})?.ring).toHaveLength(2);
  expect(graph({ ring: [] })).toBeNull();
  expect(graph({ ring: 'x' })).toBeNull();
  const held = { at: 1, path: [{ label: '.b', name: 'torch.Tensor' }], bytes: 1, device: 'cuda:0' };
  expect(graph({ held: [held, { ...held, at: 2 }, { ...held, path: [] }] })?.held).toEqual([held]);
  expect(graph({ ring: Array(99).fill({ name: 'a', label: 'b' }) })?.ring).toHaveLength(32);
});

it('reads which memory ran out only by the kinds that are known, and a hint where it is not said to be certain', () => {
  const outside = (outside_oom: unknown) =>
    good({ end: { kind: 'exception', outside_oom } }).end?.outside_oom;
  expect(outside({ kind: 'rmm', certain: true })).toEqual({ kind: 'rmm', certain: true, device_free: null });
  expect(outside({ kind: 'rmm' })).toEqual({ kind: 'rmm', certain: false, device_free: null });
  expect(outside({ kind: 'rmm', certain: 'yes' })).toEqual({
    kind: 'rmm',
    certain: false,
    device_free: null,
  });
  for (const wrong of [{ kind: 'x' }, {}, 'cublas', [], 1, null]) expect(outside(wrong)).toBeNull();
  const end = { kind: 'exit', reraised_from: 'elsewhere' };
  const read = good({
    end,
    recorder: { state: 'idle', observer: 'x' },
    torch: { expandable_segments: 'no' },
  });
  expect(read.end).toMatchObject({ outside_oom: null, reraised_from: null });
  expect([read.recorder.observer, read.torch?.expandable_segments]).toEqual([null, null]);
  expect(read.notes.join()).toMatch(/reraised_from is not one of process, ray: left out/);
});

it('is what the JSON Schema says a receipt is, and that is made from what the reader walks', () => {
  const schema = JSON.parse(readFileSync('schemas/receipt.schema.json', 'utf8'));
  expect(schema).toEqual(JSON.parse(JSON.stringify(receiptJsonSchema(ReceiptSchema, DEFINITIONS))));
  const validate = new Ajv2020({ strict: true, allErrors: true }).compile(schema);
  validate(receipt());
  expect(validate.errors).toBeNull();
  for (const wrong of [
    { pid: 0 },
    { step: 'x' },
    { ooms: [{}] },
    { recorder: { state: 'on' } },
    { rank: { RANK: 'a' } },
    { recorder: { state: 'idle', observer: 'asleep' } },
    { end: { kind: 'exit', outside_oom: { kind: 'a tensor of mine', certain: true } } },
    { end: { kind: 'exit', reraised_from: 'host-07' } },
  ]) {
    expect(validate(receipt(made(), wrong))).toBe(false);
  }
});

it.each([
  ['no JSON', '{', 'not JSON'],
  ['nothing', ' ', 'empty'],
  ['a list', '[]', 'not a JSON object'],
  ['nesting without end', '['.repeat(200_000), 'not JSON'],
  [
    'another schema',
    receipt(made(), { schema: 'oom-autopsy.receipt.v2' }),
    'schema oom-autopsy.receipt.v2, not oom-autopsy.receipt.v1',
  ],
  ['no schema', receipt(made(), { schema: undefined }), 'no schema oom-autopsy.receipt.v1'],
  ['a step that is none', receipt(made(), { step: '../../etc' }), 'step is not 12 hexadecimal digits'],
  ['a pid that is none', receipt(made(), { pid: -4242 }), 'pid is not a process id'],
  ['a pid as text', receipt(made(), { pid: '4242' }), 'pid is not a process id'],
  ['another pid', receipt(made(1)), "host, pid or token differ from the file's name"],
  [
    'another host',
    receipt(made(4242, 'deadbeef', 'gpu-08')),
    "host, pid or token differ from the file's name",
  ],
])('refuses %s', (_name, value, reason) => {
  expect(reasonOf(value)).toBe(reason);
});

it.each([
  [
    'snapshots',
    { snapshots: [{ file: '../../../etc/passwd', bytes: 1, reason: 'oom' }] },
    /outside of the evidence/,
  ],
  [
    'snapshots',
    { snapshots: [{ file: `a/${snapshotFile(made())}`, bytes: 1, reason: 'oom' }] },
    /outside of the evidence/,
  ],
  [
    'snapshots',
    { snapshots: [{ file: snapshotFile(made(99)), bytes: 1, reason: 'oom' }] },
    /of another process/,
  ],
  [
    'snapshots',
    { snapshots: [{ file: 'manifest.json', bytes: 1, reason: 'oom' }] },
    /that no process writes/,
  ],
  ['ooms', { ooms: [{ seq: 1, snapshot: snapshotFile(made(4242, 'abadcafe')) }] }, /of another process/],
  ['ooms', { ooms: [{ seq: 1, snapshot: '/dev/zero' }] }, /outside of the evidence/],
])('refuses a receipt that claims a file it does not own: %s', (_where, changes, reason) => {
  expect(reasonOf(receipt(made(), changes))).toMatch(reason);
});

it('leaves out unknown fields and parts of a wrong type, with a note', () => {
  const read = good({
    later: { anything: 1 },
    devices: [{ index: 0, total: 'much', allocated: -1 }, 'x', { index: 1.5 }],
    torch: { version: 7, cuda: ['13'] },
    oom_count: 1e300,
    faults: ['one', 2, null],
    rank: { RANK: '-1', LOCAL_RANK: 0, WORLD_SIZE: '4', HOME: '/root' },
    end: { kind: 'exploded' },
  });
  expect(read).not.toHaveProperty('later');
  expect(read.devices).toMatchObject([{ index: 0, total: null, allocated: null }]);
  expect(read.torch).toMatchObject({ version: 'unknown', cuda: null });
  expect(read.oom_count).toBe(1);
  expect(read.faults).toEqual(['one']);
  expect(read.rank).toEqual({ WORLD_SIZE: '4' });
  expect(read.end).toBeNull();
  expect(read.notes).toEqual(
    expect.arrayContaining([
      'devices[0].total is not a whole number from 0: left out',
      'devices[1] is not usable: left out',
      'rank.RANK is not a number: left out',
      'end.kind is not one of exit, exception, sigterm: left out',
      'oom_count is 0, but 1 are listed',
    ]),
  );
});

it('keeps a part whose fields it does not know, its nulls too', () => {
  const timeline = { state: 'done', reason: null, steps: [1, null, { deep: null }] };
  expect(good({ timeline }).timeline).toEqual(timeline);
});

it('cuts lists and counts what it cut', () => {
  const ooms = Array.from({ length: 60 }, (_, i) => ({ seq: i + 1 }));
  const stack = Array.from({ length: 300 }, (_, i) => ({ file: 'f', line: i, function: 'g' }));
  const read = good({
    ooms: [...ooms.slice(0, 59), { seq: 60, stack }],
    ooms_dropped: 5,
    oom_count: 65,
    snapshots: [],
  });
  expect(read.ooms).toHaveLength(50);
  expect(read.ooms.at(-1)?.seq).toBe(60);
  expect(read.ooms.at(-1)?.stack.map((f) => f.line)).toEqual(Array.from({ length: 100 }, (_, i) => 200 + i));
  expect(read.ooms_dropped).toBe(15);
  expect(read.oom_count).toBe(65);
});

it('does not repeat an account that does not add up', () => {
  const census = receipt().census as { devices: { allocated: number }[] };
  const read = good({ census: { ...census, devices: [{ ...census.devices[0], allocated: 1001 }] } });
  expect(read.census?.devices).toEqual([]);
  expect(read.notes).toContain(
    'census.devices[0].categories add up to 1000 bytes, not to the 1001 allocated',
  );
});

it('takes control characters and direction marks out of every text', () => {
  const nasty = `a${dirty(0x1b)}[31m${dirty(0x202e)}b${dirty(0x200b)}c${dirty(0)}\n::error::x${dirty(0xe0041)}`;
  const read = good({
    program: nasty,
    faults: [nasty],
    timeline: { [nasty]: [nasty, { deep: nasty }] },
    torch: { version: nasty },
  });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none of these may be left
  expect(JSON.stringify(read)).not.toMatch(/\\u00|[\u0000-\u001f\u200b\u202e]|\\n/);
  expect(read.program).toBe('a[31mbc ::error::x');
});

it('cuts long texts at whole characters', () => {
  expect(cleanText('x'.repeat(500), 10)).toBe(`${'x'.repeat(9)}…`);
  expect(cleanText('😀'.repeat(20), 10)).toBe('😀😀😀😀…');
  expect(cleanText('\ud800', 10)).toBe('\ufffd');
});

it('is not fooled by __proto__ and constructor', () => {
  const text = JSON.stringify(receipt()).replace('{', '{"__proto__":{"end":null},"constructor":{"x":1},');
  const result = parse(text.replace('"timeline":null', '"timeline":{"__proto__":{"polluted":1}}'));
  expect(result.ok && result.receipt.end?.kind).toBe('exception');
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});

it('knows the names of evidence files, and no other', () => {
  expect(parseSnapshotName('a-b-rank0-7-0123abcd-2-oom.pickle')).toEqual({
    host: 'a-b',
    rank: 0,
    label: null,
    pid: 7,
    token: '0123abcd',
    seq: 2,
    reason: 'oom',
  });
  expect(parseSnapshotName(snapshotFile(made(), 3, 'none', 'exit'))).toMatchObject({
    rank: null,
    reason: 'exit',
  });
  expect(parseSnapshotName('a-b-gw3-7-0123abcd-2-oom.pickle')).toMatchObject({
    host: 'a-b',
    rank: null,
    label: 'gw3',
  });
  expect(parseSnapshotName('h-actor_Trainer-7-0123abcd-2-oom.pickle')).toMatchObject({
    label: 'actor_Trainer',
  });
  expect(parseReceiptName(receiptFile(made()))).toEqual(made());
  expect(parseUnfinishedName(`.${snapshotFile(made())}.tmp-77`)).toBe(77);
  for (const bad of [
    'h-rank0-7-0123ABCD-2-oom.pickle',
    'h-rank-7-0123abcd-2-oom.pickle',
    '../h-rank0-7-0123abcd-2-oom.pickle',
    'h-rank0-7-0123abcd-2-oom.pickle\n',
  ]) {
    expect(parseSnapshotName(bad)).toBeNull();
  }
  expect([isSafeName('..'), isSafeName('a b'), isSafeName('a.b-c_1')]).toEqual([false, false, true]);
});

it('shows a strange name without anything a log or Markdown could take for more', () => {
  expect(displayName('::error::x\n##[endgroup]<b>`|')).toBe(
    '\\x3a\\x3aerror\\x3a\\x3ax\\x0a\\x23\\x23\\x5bendgroup\\x5d\\x3cb\\x3e\\x60\\x7c',
  );
  expect(displayName(dirty(0x202e))).toBe('\\u{202e}');
  expect(displayName('x'.repeat(500))).toHaveLength(123);
});

const MUTANTS: readonly unknown[] = [
  null,
  -1,
  1.5,
  1e308,
  -0,
  '',
  'x',
  '../../etc/passwd',
  '::set-output name=x::y',
  '<script>',
  '\u202e',
  true,
  [],
  {},
  [[]],
  [null],
  { file: '/etc/passwd' },
  'x'.repeat(70_000),
  Number.MAX_SAFE_INTEGER + 2,
  { __proto__: null, a: 1 },
];

/** One random change somewhere in the tree. */
function mutate(value: unknown, r: ReturnType<typeof random>, depth = 0): unknown {
  if (depth > 0 && (r.int(4) === 0 || typeof value !== 'object' || value === null)) return r.pick(MUTANTS);
  if (Array.isArray(value)) {
    if (r.int(5) === 0) return Array.from({ length: r.int(2000) }, () => value[0] ?? r.pick(MUTANTS));
    const at = r.int(value.length);
    return value.map((item, i) => (i === at ? mutate(item, r, depth + 1) : item));
  }
  const entries = Object.entries(value as object);
  const at = r.int(entries.length);
  return Object.fromEntries(
    entries.map(([k, v], i) => [
      i === at && r.int(6) === 0 ? `${k}${r.int(9)}` : k,
      i === at ? mutate(v, r, depth + 1) : v,
    ]),
  );
}

const rounds = process.env.OA_SOAK === '1' ? 10_000 : 500;
it(`reads or refuses ${rounds} mutated receipts, within bounds and without a foreign file`, () => {
  let accepted = 0;
  for (let seed = 1; seed <= rounds; seed += 1) {
    const r = random(seed);
    let value: unknown = receipt();
    for (let times = 1 + r.int(4); times > 0; times -= 1) value = mutate(value, r);
    let text = JSON.stringify(value);
    if (r.int(10) === 0) {
      const at = r.int(text.length);
      text = text.slice(0, at) + r.bytes(r.int(9)).toString('latin1') + text.slice(at + r.int(20));
    }
    const result = parse(text);
    if (!result.ok) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: none of these may be in a reason
      expect(`${seed}: ${result.reason}`).not.toMatch(/[\u0000-\u001f<`]/);
      continue;
    }
    accepted += 1;
    const { receipt: read } = result;
    for (const s of read.snapshots) expect([seed, parseSnapshotName(s.file)]).toMatchObject([seed, made()]);
    expect(JSON.stringify(read).length).toBeLessThan(4 * 2 ** 20);
    expect(read.oom_count).toBeGreaterThanOrEqual(read.ooms.length);
    const again = parse(JSON.stringify({ ...read, file: undefined }));
    expect([seed, again.ok]).toEqual([seed, true]);
  }
  // Both ways must have been gone, or this test shows nothing.
  expect(accepted).toBeGreaterThan(rounds / 10);
  expect(accepted).toBeLessThan(rounds);
});
