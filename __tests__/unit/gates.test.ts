/** Gates speak only when asked to, and never change a red step's exit code. */
import { describe, expect, it } from '@jest/globals';
import { finalExitCode, type GateFacts, judgeGates } from '../../src/gates.js';

const quiet: GateFacts = {
  torchProcesses: 1,
  shimFault: null,
  notReached: null,
  cycleCount: 0,
  topCycle: null,
  parity: 'match',
  parityReason: null,
};
const options = { ifNoTorch: 'warn', cycles: 'warn', parity: 'fail' } as const;
const said = (facts: Partial<GateFacts>, over: object = {}) =>
  judgeGates({ ...quiet, ...facts }, { ...options, ...over }).map(({ gate, level }) => `${gate}:${level}`);

describe('judgeGates', () => {
  it('is silent when all is well', () => expect(said({})).toEqual([]));

  it('tells that nothing was reached, as asked', () => {
    expect(said({ torchProcesses: 0 })).toEqual(['if-no-torch:warn']);
    expect(said({ torchProcesses: 0 }, { ifNoTorch: 'fail' })).toEqual(['if-no-torch:fail']);
    expect(said({ torchProcesses: 0 }, { ifNoTorch: 'ignore' })).toEqual([]);
    const [finding] = judgeGates({ ...quiet, torchProcesses: 0, notReached: 'docker in line 3' }, options);
    expect(finding?.message).toMatch(/docker in line 3/);
  });

  it('tells cycles and drift, as asked', () => {
    expect(said({ cycleCount: 2 })).toEqual(['cycles:warn']);
    expect(said({ cycleCount: 2 }, { cycles: 'fail' })).toEqual(['cycles:fail']);
    expect(said({ cycleCount: 2 }, { cycles: 'off' })).toEqual([]);
    expect(said({ parity: 'drift' })).toEqual(['parity:fail']);
    expect(said({ parity: 'drift' }, { parity: 'warn' })).toEqual(['parity:warn']);
    expect(said({ parity: 'unverifiable' })).toEqual([]);
  });
});

it('turns only a green step red', () => {
  const fail = judgeGates({ ...quiet, parity: 'drift' }, options);
  expect(finalExitCode(0, fail)).toBe(1);
  expect(finalExitCode(7, fail)).toBe(7);
  expect(finalExitCode(0, judgeGates({ ...quiet, cycleCount: 1 }, options))).toBe(0);
});
