/** What root leaves in folders of ours, as docker and sudo run programs, the runner can read and remove. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { parseInputs } from '../../src/inputs.js';
import { makePlan } from '../../src/plan.js';
import { layStep } from '../../src/step/lay.js';
import { STEP, temporaryFolder } from './evidence-kit.js';

const root = temporaryFolder('oa-lay');
afterAll(() => rmSync(root, { recursive: true, force: true }));

const RUNNER = 65534;
const asRoot = process.getuid?.() === 0 ? it : it.skip;

asRoot('the bytecode of a Python that root runs is in folders of the runner', () => {
  const parsed = parseInputs((name) => (name === 'run' ? 'true' : ''));
  if (!parsed.ok) throw new Error('must parse');
  const temp = join(root, 'temp');
  mkdirSync(temp);
  chmodSync(root, 0o755);
  const plan = makePlan(parsed.inputs, {}, { id: STEP, temp, workspace: '/', now: 1 });
  expect(layStep(plan, 'true\n', resolve('python/shim'))).toMatchObject({ shim: true, faults: [] });
  execFileSync('chown', ['-R', `${RUNNER}:${RUNNER}`, temp]);
  const program = 'import _oom_autopsy.store, _oom_autopsy.cycles.rings';
  execFileSync('python3', ['-c', program], { env: { PATH: process.env.PATH, PYTHONPATH: plan.shimDir } });
  const compiled = join(plan.shimDir, '_oom_autopsy', '__pycache__');
  expect(readdirSync(compiled).some((name) => name.endsWith('.pyc'))).toBe(true);
  execFileSync('rm', ['-rf', plan.stepDir], { uid: RUNNER, gid: RUNNER });
  expect(existsSync(plan.stepDir)).toBe(false);
});
