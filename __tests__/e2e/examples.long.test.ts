/**
 * Every file of examples/workflows, run under act as it stands, with declared doubles for what cannot be here
 * (examples/README.md): green, and out of memory or over its gate.
 */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { startService } from '../../lab/standins/service/service.mjs';
import { cleanUp, cudaPython, deviceEnv, freshFolder, node24, plainPython, ROOT } from './kit.js';

let checkout = '';
beforeAll(() => {
  // act copies the whole folder of an action.
  checkout = freshFolder('oom-autopsy-action-');
  for (const name of ['action.yml', 'dist', 'python', 'schemas'])
    cpSync(join(ROOT, name), join(checkout, name), { recursive: true });
});
afterAll(cleanUp);
const WORKFLOWS = join(ROOT, 'examples', 'workflows');
const HERE = join(import.meta.dirname, 'examples');
const MINUTES = 60_000;

/** What a step `uses:`, of all examples. */
const used = new Set(
  readdirSync(WORKFLOWS).flatMap((name) =>
    [...readFileSync(join(WORKFLOWS, name), 'utf8').matchAll(/uses: (\S+)/g)].map(
      (match) => match[1] as string,
    ),
  ),
);

/** Folder that stands for an action (`owner/name@ref`, without what is below), or null: act has that one itself. */
function standInFor(repository: string): string | null {
  const [name = ''] = repository.split('@');
  if (name === 'actions/checkout') return null;
  return name === 'OWNER/oom-autopsy' ? checkout : join(HERE, 'doubles', name.replace('/', '-'));
}

/** A repository in a folder that can be used again: what is cached or commented stays. */
function newRepository(): string {
  // act itself does not quote the path of a script.
  const root = freshFolder('oom-autopsy-examples-');
  const repository = join(root, 'repository');
  cpSync(join(HERE, 'repository'), repository, { recursive: true });
  return root;
}

interface Ran {
  readonly code: number | null;
  readonly text: string;
  readonly artifacts: readonly string[];
}

/** Runs one workflow on `event`. */
async function act(
  root: string,
  workflow: string,
  {
    event = 'push',
    env = {},
    payload = {},
  }: { event?: string; env?: Record<string, string>; payload?: object } = {},
): Promise<Ran> {
  const repository = join(root, 'repository');
  const folder = join(repository, '.github', 'workflows');
  mkdirSync(folder, { recursive: true });
  // No container on this machine: the job of that one runs on the host.
  const text = readFileSync(join(WORKFLOWS, workflow), 'utf8').replace(/ {4}container:\n(?: {6}.*\n)+/, '');
  writeFileSync(join(folder, workflow), text);
  const git = (...args: string[]) =>
    spawnSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid', ...args], {
      cwd: repository,
    });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', `${workflow} ${Math.random()}`, '--allow-empty');
  const eventFile = join(root, 'event.json');
  writeFileSync(eventFile, JSON.stringify(payload));
  const locals = [...used].flatMap((action) => {
    const [path = '', ref = ''] = action.split('@');
    const name = path.split('/').slice(0, 2).join('/');
    const stand = standInFor(name);
    return stand === null ? [] : [`${name}@${ref}=${stand}`];
  });
  const service = await startService({ dir: join(root, `service-${Date.now()}`), maxSeconds: 300 });
  try {
    const settings = {
      ...service.env,
      ...deviceEnv('512M', 2),
      CACHE_DOUBLE: join(root, 'cache'),
      COMMENTS_DOUBLE: join(root, 'comments.json'),
      CHART_DOUBLE: join(root, 'chart.json'),
      RAY_DOUBLE: join(root, 'ray'),
      ...env,
    };
    const args = [
      ...[event, '-W', join(folder, workflow), '-e', eventFile],
      ...['-P', 'self-hosted=-self-hosted', '-P', 'ubuntu-latest=-self-hosted'],
      ...[...new Set(locals)].flatMap((local) => ['--local-repository', local]),
      ...Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    ];
    const ran = await new Promise<Omit<Ran, 'artifacts'>>((resolve) => {
      const child = spawn(join(dirname(plainPython()), 'act'), args, {
        cwd: repository,
        env: {
          PATH: [join(HERE, 'programs'), dirname(cudaPython()), dirname(node24()), process.env['PATH']].join(
            delimiter,
          ),
          HOME: root,
          XDG_CACHE_HOME: join(root, 'act'),
        },
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: 2 * MINUTES,
      });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (chunk: string) => {
          output += chunk;
        });
      child.on('error', (error) => resolve({ code: null, text: String(error) }));
      child.on('close', (code) => resolve({ code, text: output }));
    });
    return {
      ...ran,
      artifacts: service
        .artifacts()
        .map(({ name }) => name)
        .sort(),
    };
  } finally {
    await service.close();
  }
}

/** Fails with act's own output where it ended otherwise than wanted. */
function expectCode({ code, text }: Ran, wanted: 0 | 1): void {
  if (code !== wanted) throw new Error(`act ended with ${code}:\n${text}`);
}

const tested = new Set<string>();
/** An example that is green as it stands, and red with what `env` makes its program do. */
function example(
  workflow: string,
  red: { env: Record<string, string>; log: RegExp; artifacts?: number },
  prepare: (root: string) => void = () => undefined,
): void {
  tested.add(workflow);
  it(
    `${workflow}: green, and red where it should be`,
    async () => {
      const root = newRepository();
      prepare(root);
      const green = await act(root, workflow);
      expectCode(green, 0);
      expect(green.text).toContain('verdict ok');
      expect(green.artifacts).toEqual([]);
      const bad = await act(root, workflow, { env: red.env });
      expectCode(bad, 1);
      expect(bad.text).toMatch(red.log);
      expect(bad.artifacts.filter((name) => !name.endsWith('.html'))).toHaveLength(red.artifacts ?? 1);
    },
    5 * MINUTES,
  );
}

const OUT_OF_MEMORY = /verdict oom: 1 process ended by an out-of-memory/;
example('one-gpu.yml', { env: { FILL: '0' }, log: OUT_OF_MEMORY });
example('pytest.yml', { env: { FILL: '0' }, log: /verdict oom/ });
example('matrix.yml', { env: { FILL_BATCH: '64' }, log: /batch 64, oom, peak \d+ B/ });
example('torchrun.yml', { env: { FILL: '1' }, log: OUT_OF_MEMORY });
example('slurm.yml', { env: { FILL: '1' }, log: OUT_OF_MEMORY });
example('ray.yml', { env: { FILL: '0' }, log: OUT_OF_MEMORY });
example('container.yml', { env: { FILL: '0' }, log: OUT_OF_MEMORY });
example('cycles-gate.yml', { env: { CYCLES: '1' }, log: /cycles/ });
example('fixture.yml', { env: { FILL: '0' }, log: OUT_OF_MEMORY }, (root) => {
  const memory = join(root, 'repository', 'memory');
  const freeze = ['freeze', '--scenario', 'my_step.py', '-o', 'my-step.json'];
  const made = spawnSync(cudaPython(), [join(ROOT, 'python', 'parity', 'oom_autopsy_parity'), ...freeze], {
    cwd: memory,
    encoding: 'utf8',
  });
  if (made.status !== 0) throw new Error(made.stderr);
});

tested.add('memory-budget.yml');
it(
  'memory-budget.yml: main keeps the file, and a pull request is compared with it',
  async () => {
    const root = newRepository();
    const main = await act(root, 'memory-budget.yml');
    expectCode(main, 0);
    expect(readdirSync(join(root, 'cache'))).toHaveLength(1);
    const same = await act(root, 'memory-budget.yml', { event: 'pull_request' });
    expectCode(same, 0);
    expect(readdirSync(join(root, 'cache'))).toHaveLength(1);
    const train = join(root, 'repository', 'train.py');
    writeFileSync(train, readFileSync(train, 'utf8').replaceAll('256', '4096'));
    const more = await act(root, 'memory-budget.yml', { event: 'pull_request' });
    expectCode(more, 1);
    expect(more.text).toMatch(/max-growth/);
  },
  5 * MINUTES,
);

tested.add('sticky-comment.yml');
it(
  'sticky-comment.yml: one comment, which is written anew, and none where nothing was wrong',
  async () => {
    const root = newRepository();
    const comments = join(root, 'comments.json');
    const own = { full_name: 'octocat/hello-world' };
    const payload = { pull_request: { number: 7, head: { repo: own } }, repository: own };
    const run = (env: Record<string, string> = {}) =>
      act(root, 'sticky-comment.yml', {
        event: 'pull_request',
        env: { GITHUB_REPOSITORY: own.full_name, ...env },
        payload,
      });
    expectCode(await run(), 0);
    expect(existsSync(comments)).toBe(false);
    expectCode(await run({ FILL: '0' }), 1);
    const [first, ...others] = JSON.parse(readFileSync(comments, 'utf8'));
    expect(others).toEqual([]);
    expect(first).toMatchObject({ id: 1, issue_number: 7 });
    expect(first.body).toMatch(
      /^<!-- oom-autopsy -->\n\*\*Out of GPU memory\*\* \(`oom`\), 1 times, `\w+`\. \[Summary\]/,
    );
    expectCode(await run(), 0);
    const again = JSON.parse(readFileSync(comments, 'utf8'));
    expect(again).toHaveLength(1);
    expect(again[0].body).toMatch(/GPU memory is enough again: peak 0\.\d\d GiB/);
  },
  5 * MINUTES,
);

tested.add('benchmark-chart.yml');
it(
  'benchmark-chart.yml: the chart gets the peaks',
  async () => {
    const root = newRepository();
    expectCode(await act(root, 'benchmark-chart.yml'), 0);
    const rows = JSON.parse(readFileSync(join(root, 'chart.json'), 'utf8'));
    expect(rows.length).toBeGreaterThan(0);
  },
  5 * MINUTES,
);

it('every example is run, and every action in it is pinned or ours', () => {
  expect([...tested].sort()).toEqual(readdirSync(WORKFLOWS).sort());
  for (const action of used) expect(action).toMatch(/^OWNER\/oom-autopsy@v1$|@[0-9a-f]{40}$/);
});

it('a double has the inputs that the examples give it, and every output that they read', () => {
  for (const name of readdirSync(WORKFLOWS)) {
    const { jobs } = parse(readFileSync(join(WORKFLOWS, name), 'utf8'));
    for (const { steps } of Object.values<{ steps: { uses?: string; with?: object }[] }>(jobs)) {
      for (const { uses, with: given = {} } of steps) {
        const [path = ''] = (uses ?? '').split('@');
        const [owner, repository, ...below] = path.split('/');
        const stand = uses === undefined ? null : standInFor(`${owner}/${repository}`);
        if (stand === null) continue;
        const { inputs } = parse(readFileSync(join(stand, ...below, 'action.yml'), 'utf8'));
        expect([uses, ...Object.keys(inputs)]).toEqual(expect.arrayContaining(Object.keys(given)));
      }
    }
  }
});
