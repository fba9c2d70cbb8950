/** The plan holds what main and post need, no secret, and puts the shim first without an empty path entry. */
import { describe, expect, it } from '@jest/globals';
import { type Inputs, parseInputs } from '../../src/inputs.js';
import { makePlan, prependPath, shimConfig, stepEnvironment } from '../../src/plan.js';

const inputs = (given: Record<string, string> = {}): Inputs => {
  const parsed = parseInputs((name) => ({ run: 'echo hunter2', ...given })[name] ?? '');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.inputs;
};
const where = { id: '0123456789ab', temp: '/r/tmp dir', workspace: '/r/ws', now: 1_700_000_000_000 };
const env = {
  PATH: '/bin',
  PYTHONPATH: ':/mine:',
  INPUT_RUN: 'echo hunter2',
  ACTIONS_RUNTIME_TOKEN: 'jwt',
  ACTIONS_RESULTS_URL: 'https://results',
  ACTIONS_ID_TOKEN_REQUEST_URL: 'https://oidc',
  STATE_x: 'y',
  GITHUB_STATE: '/r/state',
  GITHUB_OUTPUT: '/r/out',
  RUNNER_TRACKING_ID: 'github_1',
  GITHUB_JOB: 'train',
  MY_SECRET: 's3cret',
};

describe('makePlan', () => {
  it('lays the step under RUNNER_TEMP', () => {
    const plan = makePlan(inputs(), env, where);
    expect(plan).toMatchObject({
      stepDir: '/r/tmp dir/oom-autopsy-0123456789ab',
      shimDir: '/r/tmp dir/oom-autopsy-0123456789ab/path',
      evidenceDir: '/r/tmp dir/oom-autopsy-0123456789ab/evidence',
      evidenceKept: false,
      script: '/r/tmp dir/oom-autopsy-0123456789ab/run.sh',
      cwd: '/r/ws',
      command: { file: 'bash' },
    });
    expect(plan.command.args.at(-1)).toBe(plan.script);
  });

  it('takes folders of the user from the workspace', () => {
    const plan = makePlan(inputs({ 'working-directory': 'sub', 'evidence-dir': '../nfs/ev' }), env, where);
    expect([plan.cwd, plan.evidenceDir, plan.evidenceKept]).toEqual(['/r/ws/sub', '/r/nfs/ev', true]);
    expect(makePlan(inputs({ 'working-directory': '/abs' }), env, where).cwd).toBe('/abs');
  });

  it('holds no script text and no environment', () => {
    const text = JSON.stringify(makePlan(inputs(), env, where));
    expect(text).not.toMatch(/hunter2|s3cret|jwt/);
  });
});

describe('stepEnvironment', () => {
  const plan = makePlan(inputs(), env, where);
  const result = stepEnvironment(plan, env, {
    inputVariables: ['INPUT_RUN'],
    scratchState: '/scratch',
    shim: true,
  });

  it('gives the program what a plain step would see', () => {
    expect(result).toMatchObject({
      PATH: '/bin',
      MY_SECRET: 's3cret',
      RUNNER_TRACKING_ID: 'github_1',
      STATE_x: 'y',
      GITHUB_OUTPUT: '/r/out',
      GITHUB_STATE: '/scratch',
      ACTIONS_ID_TOKEN_REQUEST_URL: 'https://oidc',
      OOM_AUTOPSY_STEP: '0123456789ab',
    });
    for (const name of ['INPUT_RUN', 'ACTIONS_RUNTIME_TOKEN', 'ACTIONS_RESULTS_URL']) {
      expect(result).not.toHaveProperty(name);
    }
    expect(env.INPUT_RUN).toBe('echo hunter2');
  });

  it('leaves PYTHONPATH alone when the shim could not be laid', () => {
    const plain = stepEnvironment(plan, env, { inputVariables: [], scratchState: '/scratch', shim: false });
    expect(plain.PYTHONPATH).toBe(':/mine:');
  });

  it('prepends to PYTHONPATH and adds no empty entry', () => {
    expect(result.PYTHONPATH).toBe(`${plan.shimDir}::/mine:`);
    expect(prependPath('/shim', '')).toBe('/shim');
    expect(prependPath('/shim', undefined)).toBe('/shim');
    expect(prependPath('/shim', 'rel')).toBe('/shim:rel');
  });
});

it('writes the config that the shim reads', () => {
  const plan = makePlan(inputs({ stacks: 'all', 'max-entries': '7' }), env, where);
  expect(shimConfig(plan)).toEqual({
    schema: 'oom-autopsy.config.v1',
    step: '0123456789ab',
    evidence: plan.evidenceDir,
    snapshot: 'on-oom',
    max_entries: 7,
    stacks: 'all',
    max_snapshots: 3,
    cycles: 'warn',
    cycles_watch: 'sampled',
    categories: 'census',
    timeline_steps: 3,
    memory_budget: null,
    dump_deadline_s: 600,
  });
});

it.each([
  ['20GiB', 20 * 2 ** 30],
  ['90%', 0.9],
  ['0', 1],
  ['100%', null],
])('gives the shim a budget of %s as %s', (budget, wanted) => {
  expect(shimConfig(makePlan(inputs({ 'memory-budget': budget }), env, where)).memory_budget).toBe(wanted);
});
