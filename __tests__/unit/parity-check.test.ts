/**
 * Running the parity check and reading what it says: with interpreters that hang, crash, lie or do not exist. What the
 * real check says of real torch is in __tests__/parity and __tests__/e2e/parity.test.ts.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import { checkParity, type ParityRequest, parseParityOutput } from '../../src/parity/check.js';
import { fixturePath, interpreterPath } from '../../src/parity/paths.js';

const root = mkdtempSync(join(tmpdir(), 'pärity check '));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let made = 0;
/** An "interpreter" that is a shell script. */
function fake(script: string): string {
  const path = join(root, `python${++made}`);
  writeFileSync(path, `#!/bin/bash\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

const ask = (python: string, more: Partial<ParityRequest> = {}) =>
  checkParity({
    python,
    parityDir: '/action/python/parity',
    fixture: null,
    cwd: root,
    env: { PATH: process.env['PATH'] },
    timeoutMs: 20_000,
    remember: null,
    ...more,
  });

const part = { differences: [], reason: null };
/** A result as the check prints it, with what TypeScript does not read left out. */
const result = (changes: object = {}) => ({
  schema: 'oom-autopsy.parity.v1',
  verdict: 'match',
  says: ['The rebuilt view matches the fixture in 14 of 14 scenarios.'],
  view: { status: 'match', ...part },
  oracle: { status: 'same', ...part },
  migration: { status: 'exact', rows: [{ from: 'INPUT', to: 'input', count: 2, bytes: 1024 }], ...part },
  environment: { torch: '2.14.1' },
  fixture: { built_in: true },
  trigger: { status: 'quiet', new: [] },
  seconds: 7.2,
  ...changes,
});
const printing = (changes: object = {}): string => {
  const file = join(root, `result${++made}`);
  writeFileSync(file, `${JSON.stringify(result(changes))}\n`);
  return fake(`echo "a line of a start-up hook"\ncat '${file}'`);
};

describe('what the check says', () => {
  it('is a match', async () => {
    const parity = await ask(printing());
    expect(parity).toMatchObject({ state: 'match', reason: null });
    expect(parity.result?.migration.rows).toEqual([{ from: 'INPUT', to: 'input', count: 2, bytes: 1024 }]);
  });

  it('is drift, with the sentences and each difference as a line', async () => {
    const difference = { scenario: 'mlp', what: 'bytes of parameter', fixture: 2208, now: 2464 };
    const parity = await ask(
      printing({
        verdict: 'drift',
        says: ['The rebuilt view drifted from the fixture: mlp.', 'The migration table is exact.'],
        view: { status: 'drift', differences: [difference, { ...difference, now: null }] },
      }),
    );
    expect(parity).toMatchObject({
      state: 'drift',
      reason: 'The rebuilt view drifted from the fixture: mlp. The migration table is exact.',
    });
    expect(parity.result?.view.differences).toEqual([
      'mlp, bytes of parameter: fixture 2208, now 2464',
      'mlp, bytes of parameter: fixture 2208, now null',
    ]);
  });

  it('is unverifiable: measured and not comparable, or not measured at all', async () => {
    const says = ['The oracle is gone from this torch.'];
    const removed = await ask(
      printing({ verdict: 'unverifiable', says, oracle: { status: 'removed', ...part } }),
    );
    expect(removed).toMatchObject({ state: 'unverifiable', reason: says[0], notRun: false });
    // As cli.py prints it when torch cannot be imported: no environment, no trigger.
    const none = await ask(
      printing({ verdict: 'unverifiable', says: ['no torch'], environment: null, trigger: null }),
    );
    expect(none).toMatchObject({ state: 'unverifiable', reason: 'no torch', notRun: true });
  });

  it.each([
    ['verdict', { verdict: 'fine' }],
    ['schema', { schema: 'oom-autopsy.parity.v2' }],
    ['view.status', { view: {} }],
    ['oracle.status', { oracle: { status: 'who knows' } }],
    [
      'migration.rows.0.bytes',
      { migration: { status: 'exact', rows: [{ from: 'a', to: 'b', count: 1, bytes: -1 }] } },
    ],
  ])('is not believed where it has a wrong value at %s', (path, changes) => {
    const said = parseParityOutput(JSON.stringify(result(changes)));
    expect(said).toMatch(new RegExp(`wrong value at ${path.replaceAll('.', '\\.')}$`));
  });

  it('is bounded and cannot reach the runner', async () => {
    const parity = await ask(
      printing({ verdict: 'drift', says: [`##[error]x\n::error::y${'z'.repeat(9000)}`] }),
    );
    expect(parity.reason).not.toMatch(/##\[|\n/);
    expect(parity.reason?.length).toBeLessThan(700);
  });
});

describe('a check that cannot be made', () => {
  it.each([
    ['says nothing', 'exit 0', /printed no JSON \(nothing at all\)/],
    ['prints no JSON', 'echo Segmentation fault', /printed no JSON \(Segmentation fault\)/],
    ['ends with a code', 'echo boom >&2; exit 3', /exit code 3: boom/],
    ['is killed', 'kill -SEGV $$', /ended by a signal/],
    [
      'floods its output',
      'head -c 9000000 /dev/zero | tr "\\0" x; sleep 600',
      /more than 4 MiB and was ended/,
    ],
    [
      'refuses its fixture',
      'echo "oom_autopsy_parity: fixture \'f.json\': has schema v9. Update the action." >&2; exit 2',
      /^fixture 'f\.json': has schema v9\. Update the action\.$/,
    ],
  ])('because it %s, is unverifiable with the reason', async (_name, script, reason) => {
    const parity = await ask(fake(script));
    expect(parity).toMatchObject({ state: 'unverifiable', result: null, notRun: true });
    expect(parity.reason).toMatch(reason);
  });

  it('because it hangs, is ended with all its processes, also those that left its group', async () => {
    const pids = join(root, 'pids');
    const hanging = fake(`setsid sleep 600 & echo $$ $! > '${pids}'; trap '' TERM; wait`);
    const parity = await ask(hanging, { timeoutMs: 1500 });
    expect(parity).toMatchObject({ state: 'unverifiable', notRun: true });
    expect(parity.reason).toMatch(/longer than 2 s and was ended/);
    // SIGKILL takes effect when each is scheduled next; a zombie waits for its parent to read it.
    const running = (pid: string): boolean => {
      try {
        return !/\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
      } catch {
        return false;
      }
    };
    const both = readFileSync(pids, 'utf8').trim().split(' ');
    expect(both).toHaveLength(2);
    for (let tries = 0; tries < 200 && both.some(running); tries++) await setTimeout(50);
    expect(both.filter(running)).toEqual([]);
  });

  it('because the job was cancelled is nobody’s fault', async () => {
    for (const signal of [AbortSignal.abort(), AbortSignal.timeout(300)]) {
      const parity = await ask(fake('sleep 600'), { signal });
      expect(parity).toMatchObject({ state: 'unverifiable', notRun: false });
      expect(parity.reason).toMatch(/cancelled/);
    }
  });

  it('because of its interpreter, names it and the input', async () => {
    const file = join(root, 'not-executable');
    writeFileSync(file, '');
    for (const [python, reason] of [
      ['/no/such/python', /no interpreter \/no\/such\/python.*`python`/],
      ['no-such-python', /no interpreter "no-such-python" on PATH.*`python`/],
      [file, /not-executable could not be started \(.*executable/],
    ] as const) {
      const parity = await ask(python);
      expect(parity).toMatchObject({ state: 'unverifiable', notRun: true });
      expect(parity.reason).toMatch(reason);
    }
  });

  it('because its fixture went away, says so', async () => {
    const parity = await ask(printing(), { fixture: join(root, 'gone.json') });
    expect(parity).toMatchObject({ state: 'unverifiable', notRun: true });
    expect(parity.reason).toMatch(/no fixture at .*gone\.json.*`fixture`/);
  });
});

it('runs the check by its path, in the workspace, with the environment it was given', async () => {
  const seen = join(root, 'seen');
  const fixture = join(root, 'my fixture.json');
  writeFileSync(fixture, '{}');
  const parity = await ask(fake(`{ printf '%s\\n' "$PWD" "$@"; env | sort; } > '${seen}'`), {
    fixture,
    remember: root,
    env: { PATH: process.env['PATH'], PYTHONPATH: '/their/own' },
  });
  expect(parity.state).toBe('unverifiable');
  const [cwd, ...rest] = readFileSync(seen, 'utf8').split('\n');
  expect(cwd).toBe(root);
  expect(rest.slice(0, 9)).toEqual([
    '/action/python/parity/oom_autopsy_parity',
    'check',
    '--json',
    // Longer than it is waited for: for where main is gone before it can end it.
    '--worker',
    '22',
    '--remember',
    root,
    '--fixture',
    fixture,
  ]);
  expect(rest).toContain('PYTHONPATH=/their/own');
});

describe('paths', () => {
  it('are from the workspace; an interpreter may be a name', () => {
    expect(fixturePath('', '/w')).toBeNull();
    expect(fixturePath('a/f.json', '/w')).toBe('/w/a/f.json');
    expect(fixturePath('/f.json', '/w')).toBe('/f.json');
    expect(interpreterPath('', '/w')).toBeNull();
    expect(interpreterPath('python3', '/w')).toBe('python3');
    expect(interpreterPath('.venv/bin/python', '/w')).toBe('/w/.venv/bin/python');
    expect(interpreterPath('/opt/python', '/w')).toBe('/opt/python');
  });
});
