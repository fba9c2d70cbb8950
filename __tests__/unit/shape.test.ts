// What the recordings of the end-to-end tests are compared by; and that no recording holds a path of the machine it was made on.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { shapeOf } from '../e2e/shape.js';

const receipt = { schema: 's.v1', pid: 7, end: null, ooms: [{ state: 'done', bytes: 5 }, { reason: null }] };

it('is the same whatever the numbers, the order of names and the length of lists', () => {
  const again = { ooms: [{ bytes: 9, state: 'done' }, { reason: 'x' }, { reason: null }], end: null };
  expect(shapeOf({ ...again, pid: 8, schema: 's.v1' })).toEqual(shapeOf(receipt));
});

it.each([
  ['a name more', { ...receipt, more: 1 }],
  ['a name less', { schema: 's.v1', pid: 7, end: null }],
  ['another type', { ...receipt, pid: '7' }],
  ['something where nothing was', { ...receipt, end: { kind: 'exit' } }],
  ['another schema', { ...receipt, schema: 's.v2' }],
  ['another state, deep inside', { ...receipt, ooms: [{ state: 'cut', bytes: 5 }, { reason: null }] }],
  ['an empty list', { ...receipt, ooms: [] }],
])('is another with %s', (_what, other) => {
  expect(shapeOf(other)).not.toEqual(shapeOf(receipt));
});

const folder = join(import.meta.dirname, '..', 'e2e', 'recorded');
it.each(readdirSync(folder))('%s holds no path of the machine it was recorded on', (name) => {
  const text = readFileSync(join(folder, name), 'utf8');
  expect(text.match(/(?<![\w@/.])\/(?:work|root|home|tmp|opt|Users|var|data)\/[^"]*/g)).toBeNull();
  expect(Object.keys(JSON.parse(text).receipts).filter((file) => !file.startsWith('@HOST-'))).toEqual([]);
});
