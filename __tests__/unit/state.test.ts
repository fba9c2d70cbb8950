/** What main saves is what post reads; anything else is refused, never guessed. */
import { describe, expect, it } from '@jest/globals';
import type { GpuObservation } from '../../src/gpu/observe.js';
import { parseInputs } from '../../src/inputs.js';
import { makePlan } from '../../src/plan.js';
import type { Runner } from '../../src/runner/runner.js';
import { readState } from '../../src/saved-state.js';
import { type Known, NOTHING_KNOWN, saveFinished, savePlan } from '../../src/state.js';

const parsed = parseInputs((name) => (name === 'run' ? 'true' : ''));
if (!parsed.ok) throw new Error('defaults must parse');
const plan = makePlan(parsed.inputs, {}, { id: 'abcdef012345', temp: '/t', workspace: '/w', now: 1 });

/** A runner that only remembers state. */
function memory(initial: Record<string, string> = {}): Runner & { readonly saved: Map<string, string> } {
  const saved = new Map(Object.entries(initial));
  return {
    saved,
    state: (name: string) => saved.get(name) ?? '',
    saveState: (name: string, value: string) => void saved.set(name, value),
  } as unknown as Runner & { readonly saved: Map<string, string> };
}

const KNOWN: Known = {
  group: { pid: 77, startTicks: 5 },
  host: { state: 'read', source: 'cgroup-v2', path: '/sys/fs/cgroup/x', oom_kill: 1, oom: null, machine: 4 },
  result: {
    exitCode: 137,
    signal: 'SIGKILL',
    cancelledBy: null,
    startError: null,
    startedAt: 1,
    endedAt: 2,
    killed: [{ pid: 3, program: 'python3' }],
  },
  shimLaid: false,
  faults: ['one'],
  hints: [{ line: 1, what: 'docker', advice: 'see docs' }],
  gpu: {
    state: 'seen',
    tool: 'nvidia-smi',
    devices: [{ index: 0, uuid: 'GPU-1', name: 'NVIDIA A100', total: 100, used: 50, free: 50 }],
    processes: [{ pid: 4121, startTicks: 70, name: 'python3', device: 0, used: null }],
    pidsKnown: true,
    note: null,
    seconds: 0.1,
  },
  seen: {
    sightings: [
      {
        pid: 9,
        startTicks: 7,
        innerPid: 2,
        program: 'python3',
        base: '7f01',
        reason: 'isolated',
        advice: 'drop -I',
      },
    ],
    carriers: ['docker'],
    hidden: [{ pid: 8, program: 'python3' }],
    use: {
      time: 1.5,
      owners: [{ program: 'python3', pid: 8, workers: 4, own: 2 ** 40, shared: 0 }],
      shm: { used: 1, total: 2 },
    },
  },
  met: [{ pid: 11, startTicks: 70 }],
};

describe('state', () => {
  it('comes back equal, and with how far main came', () => {
    const runner = memory();
    savePlan(runner, plan);
    expect(readState(runner)).toEqual({ kind: 'unfinished', plan, known: NOTHING_KNOWN });
    savePlan(runner, plan, KNOWN);
    expect(readState(runner)).toEqual({ kind: 'unfinished', plan, known: KNOWN });
    for (const finish of ['told'] as const) {
      saveFinished(runner, finish);
      expect(readState(runner)).toEqual({ kind: finish, plan, known: KNOWN });
    }
    saveFinished(runner);
    expect(readState(runner)).toEqual({ kind: 'finished' });
  });

  it('is nothing when main never planned', () => {
    expect(readState(memory())).toEqual({ kind: 'none' });
    expect(readState(memory({ finished: 'told' }))).toEqual({ kind: 'none' });
  });

  it('fits into an environment variable whatever it holds', () => {
    const runner = memory();
    const long = 'x'.repeat(100_000);
    savePlan(runner, plan, {
      ...KNOWN,
      result: {
        ...(KNOWN.result as NonNullable<Known['result']>),
        startError: long,
        killed: Array.from({ length: 9000 }, (_, i) => ({ pid: i + 2, program: 'y'.repeat(80) })),
      },
      faults: Array(50).fill(long),
      gpu: {
        ...(KNOWN.gpu as GpuObservation & { state: 'seen' }),
        devices: Array.from({ length: 1024 }, (_, index) => ({
          ...{
            index,
            uuid: 'u'.repeat(60),
            name: 'n'.repeat(60),
            total: 2 ** 40,
            used: 2 ** 40,
            free: 2 ** 40,
          },
        })),
        processes: Array.from({ length: 1024 }, (_, i) => ({
          ...{ pid: i, startTicks: 2 ** 50, name: 'p'.repeat(80), device: 0, used: i },
        })),
      },
      seen: {
        sightings: Array.from({ length: 9000 }, (_, i) => ({
          ...{
            pid: i,
            startTicks: i,
            innerPid: i,
            program: 'y'.repeat(80),
            base: '7f01',
            reason: 'isolated' as const,
          },
          advice: 'a'.repeat(250),
        })),
        carriers: ['docker', 'ssh'],
        hidden: Array.from({ length: 9000 }, (_, pid) => ({ pid, program: 'z'.repeat(15) })),
        use: null,
      },
      met: Array.from({ length: 9000 }, (_, i) => ({ pid: i + 2, startTicks: 2 ** 50 })),
    });
    expect([...runner.saved.values()].join('').length).toBeLessThan(100_000);
    const read = readState(runner);
    expect(read.kind).toBe('unfinished');
    const gpu = read.kind === 'unfinished' ? read.known.gpu : null;
    expect(gpu?.state === 'seen' && gpu.processes[0]?.used).toBe(1023);
  });

  const state = (more: object): string =>
    JSON.stringify({ schema: 'oom-autopsy.state.v1', plan, known: NOTHING_KNOWN, ...more });
  it.each([
    ['not JSON', '{'],
    ['no object', '3'],
    ['another schema', state({ schema: 'v9' })],
    ['nothing known', state({ known: undefined })],
    ['a relative folder', state({ plan: { ...plan, stepDir: '../x' } })],
    ['init as the group', state({ known: { ...NOTHING_KNOWN, group: { pid: 1, startTicks: null } } })],
    ['a wrong policy', state({ plan: { ...plan, options: { ...plan.options, snapshot: 'x' } } })],
    [
      'a signal that is none',
      state({ known: { ...KNOWN, result: { ...KNOWN.result, signal: '::error::' } } }),
    ],
    ['an exit code that is none', state({ known: { ...KNOWN, result: { ...KNOWN.result, exitCode: -1 } } })],
  ])('refuses %s', (_name, text) => {
    expect(readState(memory({ step: text })).kind).toBe('unreadable');
  });
});
