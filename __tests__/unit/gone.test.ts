/** Whose unfinished dump may be removed: only one that certainly nobody writes any more. */
import { spawnSync } from 'node:child_process';
import { hostname } from 'node:os';
import { expect, it } from '@jest/globals';
import { hostInNames } from '../../src/evidence/names.js';
import { parseInputs } from '../../src/inputs.js';
import { makePlan } from '../../src/plan.js';
import { goneCheck, type Sight } from '../../src/step/abandoned.js';

const parsed = parseInputs((name) => (name === 'run' ? 'true' : ''));
if (!parsed.ok) throw new Error('must parse');
const plan = makePlan(parsed.inputs, {}, { id: '0123456789ab', temp: '/t', workspace: '/w', now: 1 });

const NOW = 1_000_000_000;
const FRESH = NOW - 1000;
/** Older than the 120 s that a dump with Python stacks may take. */
const STALE = NOW - 200_000;
const DEAD = spawnSync('true').pid;
const file = `.${hostInNames(hostname())}-ranknone-${DEAD}-0123abcd-1-oom.pickle.tmp-${DEAD}`;
const seen = (more: Partial<NonNullable<Sight['seen']>> = {}): Sight['seen'] => ({
  sightings: [],
  carriers: [],
  hidden: [],
  use: null,
  ...more,
});
const sight = (more: Partial<Sight> = {}): Sight => ({ plan, seen: seen(), hints: [], ...more });

it.each<[string, Sight, number, number, boolean]>([
  ['a process that died in a step of which nobody is left', sight(), 0, FRESH, true],
  ['one that died while others of the step live on', sight(), 1, FRESH, false],
  ['one that died long ago while others live on', sight(), 1, STALE, false],
  ['a step that ran docker', sight({ seen: seen({ carriers: ['docker'] }) }), 0, FRESH, false],
  ['a step that ran docker, long ago', sight({ seen: seen({ carriers: ['docker'] }) }), 0, STALE, true],
  [
    'a step whose text names sudo',
    sight({ hints: [{ line: 1, what: 'sudo', advice: '' }] }),
    0,
    FRESH,
    false,
  ],
  [
    'a step with a process of another user',
    sight({ seen: seen({ hidden: [{ pid: 5, program: 'python3' }] }) }),
    0,
    FRESH,
    false,
  ],
  ['a clock that runs ahead', sight({ seen: seen({ carriers: ['srun'] }) }), 0, NOW + 500_000, false],
])('%s', (_what, of, survivors, modified, gone) => {
  expect(goneCheck(of, survivors, NOW)(DEAD, file, modified)).toBe(gone && process.platform === 'linux');
});

it('knows nothing of a process that lives, or of another machine', () => {
  const check = goneCheck(sight(), 0, NOW);
  expect(check(process.pid, file, STALE)).toBe(false);
  expect(check(DEAD, file.replace(/^\.[^-]*-/, '.elsewhere-'), STALE)).toBe(false);
});

it('takes the longer deadline of a dump with C++ stacks into account', () => {
  const all = { ...plan, options: { ...plan.options, stacks: 'all' as const } };
  const check = goneCheck(sight({ plan: all, seen: seen({ carriers: ['docker'] }) }), 0, NOW);
  expect(check(DEAD, file, STALE)).toBe(false);
  expect(check(DEAD, file, NOW - 700_000)).toBe(process.platform === 'linux');
});
