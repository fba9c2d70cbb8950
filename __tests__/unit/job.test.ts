/** The decisions of a whole job: words, status, inputs, whose folders are left. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { isOver } from '../../src/job/folders.js';
import { JOB_DEFAULTS, JOB_INPUT_NAMES, parseJobInputs, STATUS_INPUT } from '../../src/job/inputs.js';
import { endOfJob } from '../../src/job/status.js';
import { ofJob, stepName } from '../../src/job/words.js';
import { wrappedParagraph } from '../../src/job/wrapped.js';
import { inWatchedJob, withoutJob } from '../../src/plan.js';

const ROOT = join(import.meta.dirname, '..', '..');
const action = parse(readFileSync(join(ROOT, 'job', 'action.yml'), 'utf8')) as {
  inputs: Record<string, { default: string }>;
  outputs?: unknown;
  runs: Record<string, string>;
};

describe('job/action.yml', () => {
  it('has the inputs of the table, with their defaults, and the status of the job', () => {
    const { [STATUS_INPUT]: status, ...rest } = action.inputs;
    expect(status?.default).toBe(['$', '{{ job.status }}'].join(''));
    expect(Object.keys(rest)).toEqual(JOB_INPUT_NAMES);
    for (const [name, { default: value }] of Object.entries(rest))
      if (name !== 'artifact-name') expect([name, value]).toEqual([name, JOB_DEFAULTS[name]]);
  });

  it('runs the bundles of the wrapping action, and post always', () => {
    expect(action.runs).toEqual({
      using: 'node24',
      main: '../dist/main/index.js',
      post: '../dist/post/index.js',
      'post-if': 'always()',
    });
    expect(action.outputs).toBeUndefined();
  });

  it('asks for no `run`, and has gates off unless they are named', () => {
    const parsed = parseJobInputs((name) => (name === 'min-free' ? 'nonsense' : ''));
    expect(parsed).toMatchObject({ ok: true, inputs: { parity: 'off', cycles: 'off', memoryBudget: null } });
    expect(parseJobInputs((name) => (name === 'cycles' ? 'fail' : ''))).toMatchObject({
      inputs: { cycles: 'fail' },
    });
  });
});

it.each([
  ['the step exited with 0 and no out-of-memory was seen', 'the job is green and no out-of-memory was seen'],
  [
    '2 processes ended, though the step itself exited with 0',
    '2 processes ended, though the job itself is green',
  ],
  [
    'the step exited with 1, and no process of it was recorded',
    'the job failed, and no process of it was recorded',
  ],
  ['The step failed with exit code 1; nothing was recorded', 'The job failed; nothing was recorded'],
  ['No process of this step imported torch', 'No process of this job imported torch'],
])('says %j of a job', (step, job) => {
  expect(ofJob(step)).toBe(job);
});

it.each([
  ['train', null, 'train'],
  ['__run', '/w/./.github/actions/train', '__run of .github/actions/train'],
  ['__run', '/r/_work/_actions/owner/name/v1', '__run of owner/name@v1'],
  ['__run', '/r/_work/_actions/owner/name/v1/sub/dir', '__run of owner/name/sub/dir@v1'],
  ['a\nb', null, 'a b'],
  [null, '/w/x', null],
])('names step %j of %j', (step, path, name) => {
  const named = stepName({ github_action: step, github_action_path: path }, '/w');
  if (step === 'a\nb') expect(named).not.toContain('\n');
  else expect(named).toBe(name);
});

it.each([
  ['success', 0, null, false],
  ['failure', 1, null, false],
  ['cancelled', 1, 'SIGINT', false],
  ['', 0, null, true],
])('takes status %j for exit code %d', (status, exitCode, cancelledBy, unknown) => {
  const { result, fault } = endOfJob(status, { startedAt: 1, endedAt: 2 });
  expect(result).toMatchObject({ exitCode, cancelledBy, startedAt: 1, endedAt: 2 });
  expect(fault !== null).toBe(unknown);
});

it('takes a job for over only where its worker is known to be gone', () => {
  const alive = { pid: 7, ppid: 1, pgid: 7, state: 'S', startTicks: 100 } as never;
  expect(isOver({ pid: 7, startTicks: 100 }, [alive])).toBe(false);
  expect(isOver({ pid: 7, startTicks: 99 }, [alive])).toBe(true); // its pid has been given to another
  expect(isOver({ pid: 8, startTicks: 100 }, [alive])).toBe(true);
  expect(isOver(null, [alive])).toBe(false);
  expect(isOver({ pid: 8, startTicks: 100 }, [])).toBe(false); // nobody can tell
});

it('takes the shim of a job off the path of a wrapped step, and nothing else', () => {
  const job = '/t/oom-autopsy-job-0123456789ab/oom-autopsy-0123456789ab/path';
  expect(withoutJob(`${job}:/own::/t/oom-autopsy-0123456789ab/path`)).toBe(
    '/own::/t/oom-autopsy-0123456789ab/path',
  );
  expect([withoutJob(job), withoutJob(undefined)]).toEqual(['', '']);
  expect([inWatchedJob(`/own:${job}`), inWatchedJob('/own')]).toEqual([true, false]);
});

it('points to wrapped steps, and says nothing where there was none', () => {
  expect(wrappedParagraph([])).toBe('');
  const text = wrappedParagraph([
    { verdict: 'oom', artifact: { name: 'a', url: 'https://example.invalid/a' } },
    { verdict: 'ok', artifact: null },
  ]);
  expect(text).toContain('- verdict `oom`, artifact [a](https://example.invalid/a)\n');
  expect(text).toContain('- verdict `ok`, no artifact\n');
});
