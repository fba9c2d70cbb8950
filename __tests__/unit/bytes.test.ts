/** Amounts as people write and read them; GiB is 2^30. */
import { expect, it } from '@jest/globals';
import { formatBytes, parseBytes } from '../../src/lib/bytes.js';

it.each([
  [0, '0 B'],
  [512, '512 B'],
  [1023, '1023 B'],
  [1024, '1.00 KiB'],
  [10 * 2 ** 20, '10.00 MiB'],
  [39.39 * 2 ** 30, '39.39 GiB'],
  [2 ** 20 - 1, '1.00 MiB'],
  [1024 * 1023.99, '1023.99 KiB'],
  [3 * 2 ** 40, '3.00 TiB'],
  [-2048, '-2.00 KiB'],
])('writes %d as %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));

it.each([
  ['', null],
  ['GiB', null],
  ['1 XiB', null],
  ['-1', null],
  ['99999999TiB', null],
  ['1k', 1024],
  ['1.5GiB', 1.5 * 2 ** 30],
])('reads %j as %p', (text, bytes) => expect(parseBytes(text)).toBe(bytes));
