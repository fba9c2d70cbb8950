/** Looks for cycles that did not see everything are named; a watch that had nothing to watch is not one of them. */
import { expect, it } from '@jest/globals';
import { cyclesUnseen } from '../../src/account.js';
import type { Cycles } from '../../src/evidence/receipt.js';

const look = (state: Cycles['state'], reason: string | null) => ({ cycles: { state, reason } as Cycles });

it.each([
  [[], null],
  [[{ cycles: null }], null],
  [[look('watching', null), look('nothing-to-watch', 'a CPU build')], null],
  [[look('watching', 'the recorder was off')], null],
  [
    [look('watching', 'a look was cut short: 1 s were over'), look('failed', 'boom')],
    'a look was cut short: 1 s were over (2 processes)',
  ],
  [
    [look('watching', 'not looked: another look was under way')],
    'not looked: another look was under way (1 process)',
  ],
])('%#', (receipts, line) => expect(cyclesUnseen(receipts)).toBe(line));
