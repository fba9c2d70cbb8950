/** Text from outside, safe to show in a log line. */
import { expect, it } from '@jest/globals';
import { count, logLine, printable } from '../../src/lib/text.js';

it.each([
  ['plain – ☃', 'plain – ☃'],
  ['a\nb\r\u001b[31m', 'a\\u000ab\\u000d\\u001b[31m'],
  ['left\u202eright\u200b', 'left\\u202eright\\u200b'],
  ['x ##[error]boo', 'x # #[error]boo'],
])('shows %j as text', (given, shown) => expect(printable(given)).toBe(shown));

it('is bounded', () => expect(printable('x'.repeat(1_000_000), 50)).toBe(`${'x'.repeat(50)}…`));

it('gives the runner no command to read', () => {
  expect(logLine('\n::error::no')).toBe('oom-autopsy: \\u000a::error::no');
});

it('counts', () =>
  expect([count(1, 'process', 'processes'), count(2, 'snapshot')]).toEqual(['1 process', '2 snapshots']));
