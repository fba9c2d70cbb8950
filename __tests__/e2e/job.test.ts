/** The whole job (job/action.yml) on the stand-in runner: steps after it are plain ones. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { JOB_FOLDER } from '../../src/plan.js';
import { program, runJob, runPlain } from './job-kit.js';
import { cleanUp, freshFolder, plainPython, ROOT } from './kit.js';
import { OUT_OF_MEMORY } from './replay.js';

afterAll(cleanUp);
const MINUTES = 60_000;

const left = (temp: string): string[] => readdirSync(temp).filter((name) => name.startsWith('oom-autopsy'));

describe('a job of five steps', () => {
  it(
    'that runs out of memory in the third says so, and in which step',
    async () => {
      const train = program(OUT_OF_MEMORY);
      const { step, ran } = await runJob([
        { id: 'install', run: 'python -c pass' },
        { id: 'build', run: 'node -e 0' },
        { id: 'train', run: `python '${train}'` },
        { id: 'test', run: 'echo not here' },
        { id: 'last', run: 'echo not here' },
      ]);
      expect(ran.map(({ id, code }) => [id, code])).toEqual([
        ['install', 0],
        ['build', 0],
        ['train', 1],
      ]);
      const { report, artifacts, pages, temp } = step;
      expect(report.post?.code).toBe(0);
      expect(report.jobConclusion).toBe('failure');
      expect(report.summary).toContain('Out of GPU memory in train.py in step train');
      expect(report.summary).not.toContain('install');
      const [annotation] = report.post?.annotations ?? [];
      expect(annotation).toMatchObject({
        level: 'error',
        title: 'Out of GPU memory in train.py in step train',
      });
      expect(artifacts).toHaveLength(1);
      expect(artifacts[0]?.name).toBe('oom-autopsy-job-job-0-1');
      expect(artifacts[0]?.files.filter((name) => name.endsWith('.pickle'))).toHaveLength(1);
      expect(pages).toHaveLength(1);
      expect(left(temp)).toEqual([]);
    },
    2 * MINUTES,
  );

  it(
    'names the composite action that the step is a part of',
    async () => {
      const workspace = freshFolder();
      const train = program(OUT_OF_MEMORY);
      const { step } = await runJob(
        [{ id: '__run', run: `python '${train}'`, action: join(workspace, '.github/actions/train') }],
        { workspace },
      );
      expect(step.report.summary).toContain('in step \\_\\_run of .github/actions/train');
    },
    2 * MINUTES,
  );

  it(
    'that is green where the step may fail says that the job is',
    async () => {
      const train = program(OUT_OF_MEMORY);
      const { step } = await runJob([{ id: 'train', run: `python '${train}'`, continueOnError: true }]);
      expect(step.report.jobConclusion).toBe('success');
      expect(step.report.log).toContain('verdict oom: ');
      expect(step.report.log).toContain('though the job itself is green');
    },
    2 * MINUTES,
  );
  it(
    'tells a service of an earlier step as alive, and leaves it what it needs',
    async () => {
      const service = program(
        'import torch, time; torch.empty(1, device="cuda"); print(flush=True); time.sleep(60)',
        'serve.py',
      );
      const { step } = await runJob([
        {
          id: 'serve',
          run: `python '${service}' > out 2>&1 & echo $! > pid; until [ -s out ]; do sleep 0.1; done`,
        },
        { id: 'use', run: 'kill -0 $(cat pid)' },
      ]);
      expect(step.report.jobConclusion).toBe('success');
      expect(step.report.log).not.toContain('verdict unknown');
      expect(step.report.summary).toContain('serve.py');
      expect(step.report.summary).toMatch(/still run/);
      expect(left(step.temp)).toHaveLength(1);
    },
    2 * MINUTES,
  );
});

describe('without torch', () => {
  const python = plainPython();

  it('leaves exit codes, output and environment as they are, but for PYTHONPATH, and nothing behind', async () => {
    const steps = [
      { id: 'env', run: 'env | grep -v "^PYTHONPATH=\\|^_=" | sort' },
      { id: 'python', run: 'python -c "import sys; print(sys.flags)"' },
      { id: 'shell', run: 'echo "out"; echo "err" >&2' },
      { id: 'red', run: 'exit 7' },
    ];
    const { step, ran, path } = await runJob(steps, { python });
    expect(path).toContain(JOB_FOLDER);
    expect(Object.keys(step.report.env)).toEqual(['PYTHONPATH']);
    expect(ran.map(({ code }) => code)).toEqual([0, 0, 0, 7]);
    const workspace = freshFolder();
    const env = Object.fromEntries(
      (ran[0]?.output ?? '')
        .trimEnd()
        .split('\n')
        .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
    for (const [at, one] of steps.entries()) {
      if (one.id === 'env') continue;
      const { code, output } = await runPlain(one, env, workspace);
      expect({ code, output }).toEqual({ code: ran[at]?.code, output: ran[at]?.output });
    }
    expect(step.report.log).toContain('verdict failed: ');
    expect(step.report.summary).not.toMatch(/[Tt]he step (failed|exited)/);
    expect(step.artifacts).toEqual([]);
    expect(left(step.temp)).toEqual([]);
  });

  it('keeps what the job has on PYTHONPATH behind it', async () => {
    const { path } = await runJob([{ id: 'green', run: 'true' }], { python, env: { PYTHONPATH: '/own' } });
    expect(path.split(':').slice(1)).toEqual(['/own']);
  });

  it('tells a cancelled job from a failed one', async () => {
    const { step } = await runJob([{ id: 'train', run: 'exit 130' }], { python, status: 'cancelled' });
    expect(step.report.log).toContain('verdict cancelled: the job was cancelled');
  });

  it('turns a green job red by a gate that is named, and by none else', async () => {
    const steps = [{ id: 'green', run: 'true' }];
    const red = await runJob(steps, { python, inputs: { 'if-no-torch': 'fail' } });
    expect(red.step.report.post?.code).toBe(1);
    expect(red.step.report.jobConclusion).toBe('failure');
    expect(red.step.report.summary).toContain('this job');
    const green = await runJob(steps, { python, inputs: { 'if-no-torch': 'warn' } });
    expect(green.step.report.jobConclusion).toBe('success');
  });

  it('refuses wrong inputs at the head of the job', async () => {
    const { step, ran } = await runJob([{ id: 'a', run: 'true' }], { python, inputs: { cycles: 'maybe' } });
    expect(step.report.conclusion).toBe('failure');
    expect(ran).toEqual([]);
    expect(left(step.temp)).toEqual([]);
  });

  it('removes what a runner that was killed before post left, and nothing of a job that runs', async () => {
    const temp = freshFolder();
    // A worker (the shell) that is gone by the time that the next job starts, and one that lives.
    const start = (shell: string): unknown =>
      spawnSync('bash', ['-c', `${shell} node '${join(ROOT, 'dist/main/index.js')}'; exit`], {
        env: {
          PATH: process.env['PATH'],
          RUNNER_TEMP: temp,
          GITHUB_ENV: join(temp, 'env'),
          GITHUB_STATE: join(temp, 'state'),
          'INPUT_JOB-STATUS': 'success',
        },
      });
    start('exec');
    const alive = left(temp);
    start('');
    expect([alive.length, left(temp).length]).toEqual([1, 2]);
    const { step } = await runJob([{ id: 'a', run: 'true' }], { python, run: { temp } });
    expect(left(temp)).toEqual(alive);
    expect(step.report.log).toContain('removed what 1 earlier job had left');
  });

  it('two on one runner, one after another', async () => {
    const temp = freshFolder();
    for (const id of ['first', 'second']) {
      const { step, path } = await runJob([{ id, run: 'python -c pass' }], { python, run: { temp } });
      expect(step.report.jobConclusion).toBe('success');
      expect(existsSync(path)).toBe(false);
      expect(left(temp)).toEqual([]);
    }
  });

  it('points to a wrapped step, which reports for itself', async () => {
    const wrap = `exec node '${join(ROOT, 'dist/main/index.js')}'`;
    const files = freshFolder();
    const env = Object.fromEntries(
      ['STATE', 'OUTPUT', 'STEP_SUMMARY'].map((name) => {
        writeFileSync(join(files, name), '');
        return [`GITHUB_${name}`, join(files, name)];
      }),
    );
    const { step, ran } = await runJob(
      [
        {
          id: 'wrapped',
          run: wrap,
          env: { ...env, INPUT_RUN: 'echo "path=$PYTHONPATH"', 'INPUT_IF-NO-TORCH': 'ignore' },
        },
      ],
      { python },
    );
    expect(ran[0]?.code).toBe(0);
    expect(ran[0]?.output).toMatch(/path=.*\/oom-autopsy-[0-9a-f]{12}\/path$/m);
    expect(ran[0]?.output).not.toContain(JOB_FOLDER);
    expect(step.report.summary).toContain('### Wrapped steps of this job');
    expect(step.report.summary).toContain('verdict `ok`');
  });
});
