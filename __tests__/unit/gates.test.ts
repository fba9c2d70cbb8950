/** Gates speak only when asked to, and never change a red step's exit code. */
import { describe, expect, it } from '@jest/globals';
import { finalExitCode, type GateFacts, judgeGates } from '../../src/judge/gates.js';

const quiet: GateFacts = {
  torchProcesses: 1,
  shimFault: null,
  unreached: null,
  likely: null,
  cycleCount: 0,
  topCycle: null,
  cyclesUnseen: null,
  parity: 'match',
  parityReason: null,
  parityNotRun: false,
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
    expect(said({ torchProcesses: 0, shimFault: 'full disk' })).toEqual(['if-no-torch:warn']);
  });

  it('tells PyTorch out of reach from no PyTorch at all', () => {
    const message = (facts: Partial<GateFacts>) => judgeGates({ ...quiet, ...facts }, options)[0]?.message;
    expect(message({ torchProcesses: 0 })).toMatch(/none was seen with torch loaded.*if-no-torch: ignore/);
    expect(message({ torchProcesses: 0, likely: 'docker in line 3' })).toMatch(
      /none was seen.*docker in line 3/,
    );
    const out = message({ torchProcesses: 0, unreached: 'python (pid 3): -I', likely: 'docker in line 3' });
    expect(out).toMatch(/^PyTorch ran in this step out of reach.*-I/);
    expect(out).not.toMatch(/docker|ignore/);
    expect(message({ torchProcesses: 0, shimFault: 'full disk', likely: 'x' })).toMatch(/: full disk$/);
  });

  it('warns of the part of a step that was not recorded, and never fails for it', () => {
    const mixed = { torchProcesses: 2, unreached: 'python (pid 3): -I' };
    expect(said(mixed, { ifNoTorch: 'fail' })).toEqual(['if-no-torch:warn']);
    expect(said(mixed, { ifNoTorch: 'ignore' })).toEqual([]);
    expect(judgeGates({ ...quiet, ...mixed }, options)[0]?.message).toMatch(/^Not all of this step.*-I/);
  });

  it('tells cycles and drift, as asked', () => {
    expect(said({ cycleCount: 2 })).toEqual(['cycles:warn']);
    expect(said({ cycleCount: 2 }, { cycles: 'fail' })).toEqual(['cycles:fail']);
    expect(said({ cycleCount: 2 }, { cycles: 'off' })).toEqual([]);
    expect(said({ parity: 'drift' })).toEqual(['parity:fail']);
    expect(said({ parity: 'drift' }, { parity: 'warn' })).toEqual(['parity:warn']);
  });

  it('warns of a parity check that could not be made, and of nothing that could not be compared', () => {
    expect(said({ parity: 'unverifiable' })).toEqual([]);
    const broken = { parity: 'unverifiable', parityNotRun: true, parityReason: 'no fixture' } as const;
    expect(said(broken)).toEqual(['parity:warn']);
    expect(said(broken, { parity: 'off' })).toEqual([]);
    expect(judgeGates({ ...quiet, ...broken }, options)[0]?.message).toMatch(
      /could not be checked: no fixture/,
    );
  });
});

it('turns only a green step red', () => {
  const fail = judgeGates({ ...quiet, parity: 'drift' }, options);
  expect(finalExitCode(0, fail)).toBe(1);
  expect(finalExitCode(7, fail)).toBe(7);
  expect(finalExitCode(0, judgeGates({ ...quiet, cycleCount: 1 }, options))).toBe(0);
});

it('does not take a look that was cut short for a pass', () => {
  expect(said({ cyclesUnseen: 'cut' }, { cycles: 'fail' })).toEqual(['cycles:warn']);
  expect(said({ cyclesUnseen: 'cut' })).toEqual([]);
  expect(said({ cyclesUnseen: 'cut', cycleCount: 1 }, { cycles: 'fail' })).toEqual(['cycles:fail']);
});
