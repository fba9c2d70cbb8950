// Which names are told when there are too many to tell them all.
import { expect, it } from '@jest/globals';
import { displayName } from '../../src/evidence/names.js';
import { parseReceipt } from '../../src/evidence/receipt-parse.js';
import { kindOf, Rejections } from '../../src/evidence/rejected.js';
import { made, random, receipt, receiptFile } from './evidence-kit.js';

const JUNK = 'no receipt, snapshot or page has such a name';
const rejected = (name: string, reason: string) => ({ name, reason, bytes: null });

it('keeps one telling name behind a hundred thousand of many kinds', () => {
  const rejections = new Rejections(100);
  const kinds = [
    JUNK,
    'strange name',
    'empty',
    'a FIFO',
    'a folder',
    'a symbolic link',
    'a device',
    'a socket',
  ];
  for (let i = 0; i < 100_000; i += 1)
    rejections.add(rejected(`junk-${i}`, kinds[i % kinds.length] as string));
  rejections.add(rejected('telling', 'changed while it was read'));
  const list = rejections.list();
  expect(list).toHaveLength(100);
  expect(list[0]).toEqual(rejected('telling', 'changed while it was read'));
  // The rest is shared out: 99 places for 8 kinds.
  for (const kind of kinds) {
    const share = list.filter(({ reason }) => reason === kind).length;
    expect([kind, share >= 12 && share <= 13]).toEqual([kind, true]);
  }
  expect(rejections.count).toBe(100_001);
  expect(rejections.reasons().at(-1)).toEqual({ reason: 'changed while it was read', count: 1 });
  expect(rejections.reasons().at(0)).toEqual({ reason: JUNK, count: 12_500 });
});

it('leaves a single kind all the places, in the order of arrival', () => {
  const rejections = new Rejections(3);
  for (const name of ['a', 'b', 'c', 'd']) rejections.add(rejected(name, JUNK));
  rejections.skip('not looked at: too many receipts', 5);
  expect(rejections.list().map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  expect(rejections.reasons()).toEqual([
    { reason: 'not looked at: too many receipts', count: 5 },
    { reason: JUNK, count: 4 },
  ]);
});

it.each([
  [
    'unfinished dump of a process that died or still runs (pid 4242)',
    'unfinished dump of a process that died or still runs',
  ],
  ['a hard link (2 names share this file)', 'a hard link'],
  ['1099511627776 bytes, more than the 4194304 that are read', 'more bytes than are read'],
  ['cannot be read (EACCES)', 'cannot be read (EACCES)'],
  ['not read: out of time', 'not read: out of time'],
  ['step is not 12 hexadecimal digits', 'step is not 12 hexadecimal digits'],
])('%s: kind %s', (reason, kind) => {
  expect(kindOf(reason)).toBe(kind);
});

it('lets no stranger make kinds of their own: names and schemas are left out, and kinds are bounded', () => {
  const r = random(11);
  const rejections = new Rejections(100);
  for (let i = 0; i < 3000; i += 1) {
    const text = r.pick([
      r.bytes(12).toString('latin1'),
      `x: ${i}`,
      `x${i}`,
      `, not ${i}: a`,
      `(pid ${i})`,
      `\n${i}`,
    ]);
    const changes = r.pick<Record<string, unknown>>([
      { schema: text },
      { snapshots: [{ file: text }] },
      { ooms: [{ seq: 1, snapshot: text }] },
      { snapshots: [{ file: `h-rank0-${i + 1}-deadbeef-1-oom.pickle` }] },
    ]);
    const parsed = parseReceipt(JSON.stringify(receipt(made(), changes)), receiptFile(made()));
    if (!parsed.ok) rejections.add(rejected(displayName(text), parsed.reason));
  }
  expect(rejections.count).toBeGreaterThan(2900);
  expect(new Set(rejections.reasons().map(({ reason }) => reason))).toEqual(
    new Set([
      'a schema that is not oom-autopsy.receipt.v1',
      "names a file outside of the evidence folder's rules",
      'claims a snapshot of another process',
      'names a snapshot that no process writes',
    ]),
  );
  for (let i = 0; i < 1000; i += 1)
    rejections.add(rejected('x', `reason ${String.fromCodePoint(0x4e00 + i)}`));
  const reasons = rejections.reasons();
  expect(reasons).toHaveLength(60);
  expect(reasons.reduce((sum, { count }) => sum + count, 0)).toBe(rejections.count);
  expect(rejections.list()).toHaveLength(100);
});
