/** The built action under act, a second runner: sad paths asserted by outcome, outputs by value. */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { startService } from '../../lab/standins/service/service.mjs';
import { cleanUp, cudaPython, deviceEnv, freshFolder, node24, plainPython, ROOT } from './kit.js';

afterAll(cleanUp);

/** Runs act in a folder; its output, both streams. Asynchronous: the service answers from this very process. */
function act(
  cwd: string,
  env: NodeJS.ProcessEnv,
  args: readonly string[],
): Promise<{ code: number | null; text: string }> {
  return new Promise((resolve) => {
    const child = spawn(join(dirname(plainPython()), 'act'), args, {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
    }
    child.on('error', (error) => resolve({ code: null, text: String(error) }));
    child.on('close', (code) => resolve({ code, text }));
  });
}

/** A repository with the action in it, and files at other places. */
function repositoryWith(root: string, files: Readonly<Record<string, string>>): string {
  const repository = join(root, 'repository');
  mkdirSync(repository, { recursive: true });
  for (const name of ['action.yml', 'job', 'dist', 'python', 'examples'])
    cpSync(join(ROOT, name), join(repository, name), { recursive: true });
  for (const [from, to] of Object.entries(files))
    cpSync(join(ROOT, '__tests__', 'e2e', from), join(repository, '.github', to), { recursive: true });
  const git = (...args: string[]) =>
    spawnSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid', ...args], {
      cwd: repository,
    });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'for act');
  return repository;
}

it('runs a job of three wrapped steps, red and green', async () => {
  // act itself does not quote the path of a script.
  const root = freshFolder('oom-autopsy-act-');
  const repository = repositoryWith(root, { 'act-workflow.yml': 'workflows/act.yml' });
  const service = await startService({ dir: join(root, 'service'), maxSeconds: 300 });
  try {
    const settings = { ...service.env, ...deviceEnv('512M') };
    const { code, text } = await act(
      repository,
      {
        PATH: [dirname(cudaPython()), dirname(node24()), process.env['PATH']].join(delimiter),
        HOME: root,
        XDG_CACHE_HOME: join(root, 'cache'),
      },
      [
        'push',
        '-P',
        'ubuntu-latest=-self-hosted',
        ...Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
      ],
    );
    if (code !== 0) throw new Error(`act ended with ${code}:\n${text}`);
    expect(text).toContain('oom: outcome=failure code=1 verdict=oom snapshots=1');
    expect(text).toContain('green: outcome=success verdict=ok answer=42 env=kept');
    expect(text).toContain('red: outcome=failure code=1');
    const digest = /digest: (sha256:[0-9a-f]{64})/.exec(text)?.[1];
    expect(digest).toBeDefined();
    expect(service.artifacts().map(({ name, state }) => [name, state])).toEqual([
      ['from-act', 'finalized'],
      ['from-act.html', 'finalized'],
    ]);
    expect(text.match(/Success - Post/g)).toHaveLength(3);
  } finally {
    await service.close();
  }
}, 180_000);

it('watches whole jobs: a step of five, a composite action, a matrix, a reusable workflow', async () => {
  const root = freshFolder('oom-autopsy-act-');
  const repository = repositoryWith(root, {
    'act-job-workflow.yml': 'workflows/act.yml',
    'act-called-workflow.yml': 'workflows/called.yml',
    'act-composite.yml': 'actions/train/action.yml',
  });
  const service = await startService({ dir: join(root, 'service'), maxSeconds: 300 });
  try {
    const settings = { ...service.env, ...deviceEnv('512M') };
    const { code, text } = await act(
      repository,
      {
        PATH: [dirname(cudaPython()), dirname(node24()), process.env['PATH']].join(delimiter),
        HOME: root,
        XDG_CACHE_HOME: join(root, 'cache'),
      },
      [
        'push',
        '-W',
        '.github/workflows/act.yml',
        '-P',
        'ubuntu-latest=-self-hosted',
        ...Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
      ],
    );
    expect(code).toBe(1);
    expect(text).toContain('cleaned');
    expect(text).not.toMatch(/\| not reached/);
    const names = service
      .artifacts()
      .filter(({ state, mime }) => state === 'finalized' && mime === 'application/zip')
      .map(({ name }) => name)
      .sort();
    expect(names).toEqual(['composite', 'matrix-128', 'matrix-64', 'recovered', 'reusable', 'third']);
    for (const step of ['train', 'inner', 'inside of .github/actions/train'])
      expect(text).toContain(`in step ${step}`);
  } finally {
    await service.close();
  }
}, 300_000);
