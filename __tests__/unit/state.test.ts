/** What main saves is what post reads; anything else is refused, never guessed. */
import { describe, expect, it } from '@jest/globals';
import type { Runner } from '../../src/actions.js';
import { parseInputs } from '../../src/inputs.js';
import { makePlan } from '../../src/plan.js';
import { readState, saveFinished, savePlan } from '../../src/state.js';

const parsed = parseInputs((name) => (name === 'run' ? 'true' : ''));
if (!parsed.ok) throw new Error('defaults must parse');
const plan = makePlan(parsed.inputs, {}, { id: 'abcdef012345', temp: '/t', workspace: '/w', now: 1 });

/** A runner that only remembers state. */
function memory(initial: Record<string, string> = {}): Runner {
  const state = new Map(Object.entries(initial));
  return {
    state: (name: string) => state.get(name) ?? '',
    saveState: (name: string, value: string) => void state.set(name, value),
  } as unknown as Runner;
}

describe('state', () => {
  it('comes back equal', () => {
    const runner = memory();
    savePlan(runner, plan, null);
    expect(readState(runner)).toEqual({ kind: 'unfinished', plan, group: null });
    savePlan(runner, plan, { pid: 77, startTicks: 5 });
    expect(readState(runner)).toEqual({ kind: 'unfinished', plan, group: { pid: 77, startTicks: 5 } });
    saveFinished(runner);
    expect(readState(runner)).toEqual({ kind: 'finished' });
  });

  it('is nothing when main never planned', () => {
    expect(readState(memory())).toEqual({ kind: 'none' });
  });

  it.each([
    ['not JSON', '{'],
    ['no object', '3'],
    ['another schema', JSON.stringify({ schema: 'v9', plan, group: null })],
    [
      'a relative folder',
      JSON.stringify({ schema: 'oom-autopsy.state.v1', plan: { ...plan, stepDir: '../x' }, group: null }),
    ],
    [
      'init as the group',
      JSON.stringify({ schema: 'oom-autopsy.state.v1', plan, group: { pid: 1, startTicks: null } }),
    ],
    [
      'a wrong policy',
      JSON.stringify({
        schema: 'oom-autopsy.state.v1',
        plan: { ...plan, options: { ...plan.options, snapshot: 'x' } },
        group: null,
      }),
    ],
  ])('refuses %s', (_name, text) => {
    expect(readState(memory({ 'oom-autopsy': text })).kind).toBe('unreadable');
  });
});
