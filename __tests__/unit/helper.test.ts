/** Helper programs as real processes: what they are told and what not, every way in which one ends, and that nothing of it stays. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type HelperLimits, noAnswer, runHelper, startHelper } from '../../src/step/helper.js';
import { isLive, processFacts } from '../../src/step/proc.js';
import { temporaryFolder } from './evidence-kit.js';

const root = temporaryFolder('oa-helper');
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folder: string;
let n = 0;
beforeEach(() => {
  folder = join(root, String(n++));
  mkdirSync(folder);
});

const ENV = { PATH: process.env['PATH'] };
const LIMITS: HelperLimits = { timeoutMs: 60_000, maxBytes: 2 ** 20 };
/** A script that finds its folder as `$D`. */
const command = (script: string, env: NodeJS.ProcessEnv = ENV) => ({
  file: '/bin/bash',
  args: ['-c', script],
  env: { ...env, D: folder },
});
const run = (script: string, limits: Partial<HelperLimits> = {}) =>
  runHelper(command(script), { ...LIMITS, ...limits });

async function until<T>(what: string, get: () => T | null | false): Promise<T> {
  for (let i = 0; i < 1000; i++) {
    const got = get();
    if (got !== null && got !== false) return got;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`never: ${what}`);
}
const written = (name: string): Promise<number> =>
  until(name, () => {
    const path = join(folder, name);
    return (
      existsSync(path) && readFileSync(path, 'utf8').endsWith('\n') && Number(readFileSync(path, 'utf8'))
    );
  });
const gone = (pid: number): Promise<true> =>
  until(`process ${pid} gone`, () => {
    const facts = processFacts(pid);
    return facts === null || !isLive(facts);
  });

/** Holds a process at its exit, as a driver that hangs does: SIGKILL does not end it. Null where ptrace is not allowed. */
async function hold(pid: number): Promise<ChildProcess | null> {
  const tracer = spawn(
    'python3',
    [
      '-c',
      `import ctypes, sys, time
ptrace = ctypes.CDLL(None).ptrace
ptrace.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)
# PTRACE_SEIZE with PTRACE_O_TRACEEXIT, and nobody goes on from there
print(ptrace(0x4206, int(sys.argv[1]), None, 0x40), flush=True)
time.sleep(60)`,
      String(pid),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [said] = (await once(tracer.stdout, 'data')) as [Buffer];
  if (String(said).trim() === '0') return tracer;
  tracer.kill('SIGKILL');
  return null;
}

/** A node process of its own that runs a helper, and ends when it has nothing more to wait for. `module` and `command` are there. */
function inNode(script: string, body: string): ChildProcess {
  const hook = `import { registerHooks } from 'node:module';
registerHooks({ resolve: (name, context, next) => {
  try { return next(name, context); } catch { return next(name.replace(/\\.js$/, '.ts'), context); }
} });`;
  const source = pathToFileURL(join(import.meta.dirname, '..', '..', 'src', 'step', 'helper.ts')).href;
  const command = { file: '/bin/bash', args: ['-c', script], env: { ...ENV, D: folder } };
  return spawn(
    process.execPath,
    [
      '--no-warnings',
      ...['--import', `data:text/javascript,${encodeURIComponent(hook)}`],
      ...['--input-type=module', '-e'],
      `const module = await import(${JSON.stringify(source)}), command = ${JSON.stringify(command)}; ${body}`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
}
const said = (timeoutMs: number): string =>
  `console.log((await module.runHelper(command, { timeoutMs: ${timeoutMs}, maxBytes: 1000 })).kind);`;

describe('what a helper is told', () => {
  it('is the environment of a plain step, and not ours', async () => {
    const ours = {
      ACTIONS_RUNTIME_TOKEN: 'secret',
      ACTIONS_RESULTS_URL: 'secret',
      INPUT_RUN: 'secret',
      'INPUT_MAX-ENTRIES': 'secret',
      GITHUB_STATE: 'secret',
      GITHUB_OUTPUT: 'secret',
      GITHUB_ENV: 'secret',
      GITHUB_PATH: 'secret',
      GITHUB_STEP_SUMMARY: 'secret',
      STATE_step: 'secret',
    };
    const env = { ...ENV, ...ours, CUDA_VISIBLE_DEVICES: '3', GITHUB_SHA: 'abc', INPUT_MINE: 'kept' };
    const { kind, stdout } = await runHelper(command('exec env', env), LIMITS);
    expect(kind).toBe('ok');
    expect(stdout).not.toContain('secret');
    for (const line of ['CUDA_VISIBLE_DEVICES=3', 'GITHUB_SHA=abc', 'INPUT_MINE=kept', 'LC_ALL=C'])
      expect(stdout.split('\n')).toContain(line);
  });

  it('is its arguments as they are, no input, and no folder of the job', async () => {
    const words = ['$(echo no)', 'a b', '`id`', '"', ';exit 9'];
    const file = join(folder, 'tool');
    writeFileSync(file, '#!/bin/bash\ncat\npwd\nprintf "%s\\n" "$@"\n');
    chmodSync(file, 0o755);
    const result = await runHelper({ file, args: words, env: ENV }, LIMITS);
    expect(result).toEqual({ kind: 'ok', stdout: `/\n${words.join('\n')}\n`, stderr: '' });
  });
});

describe('how a helper ends', () => {
  it.each([
    ['by itself', 'echo out; echo err >&2', { kind: 'ok', stdout: 'out\n', stderr: 'err\n' }],
    ['with a code', 'echo out; exit 9', { kind: 'failed', code: 9, stdout: 'out\n', stderr: '' }],
    ['by a signal', 'kill -SEGV $$', { kind: 'failed', code: 'SIGSEGV', stdout: '', stderr: '' }],
  ])('%s', async (_how, script, expected) => {
    expect(await run(script)).toEqual(expected);
  });

  it('not at all: no such program, one that may not be run, an argument that cannot be', async () => {
    const plain = join(folder, 'plain');
    writeFileSync(plain, 'x');
    const start = (file: string, ...args: string[]) => runHelper({ file, args, env: ENV }, LIMITS);
    expect(await start(join(folder, 'nobody'))).toMatchObject({ kind: 'not-found', code: 'ENOENT' });
    expect(await start(plain)).toMatchObject({ kind: 'not-found', code: 'EACCES' });
    expect(await start('/bin/true', 'a\0b')).toMatchObject({
      kind: 'not-found',
      code: 'ERR_INVALID_ARG_VALUE',
    });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) expect(process.listenerCount(signal)).toBe(0);
  });

  it.each([
    ['stdout', ''],
    ['stderr', '>&2'],
  ])('by a flood on %s', async (_name, where) => {
    const result = await run(`echo $$ > $D/flood; exec cat /dev/zero ${where}`, { maxBytes: 100_000 });
    expect(result.kind).toBe('too-much-output');
    expect(result.stdout.length + result.stderr.length).toBeLessThanOrEqual(100_000);
    await gone(await written('flood'));
  });

  it('with all that it printed, though nobody read it in time', async () => {
    for (const bytes of [150_000, 1_000_000]) {
      const running = run(`head -c ${bytes} /dev/zero | tr '\\0' x; printf end`);
      const busy = Date.now();
      while (Date.now() - busy < 150); // nothing is read meanwhile
      const { kind, stdout } = await running;
      expect([kind, stdout.length, stdout.slice(-3)]).toEqual(['ok', bytes + 3, 'end']);
    }
  });

  it('at its time, deaf as it may be', async () => {
    const result = await run('trap "" TERM INT HUP; echo $$ > $D/deaf; while :; do sleep 0.1; done', {
      timeoutMs: 500,
    });
    expect(result).toMatchObject({ kind: 'timed-out', ms: 500 });
    await gone(await written('deaf'));
  });

  it('at a cancel, which goes on to whoever else listens', async () => {
    const heard: string[] = [];
    const other = (signal: string): void => void heard.push(signal);
    process.on('SIGTERM', other);
    try {
      const running = run('echo $$ > $D/asked; exec sleep 60');
      const pid = await written('asked');
      process.emit('SIGTERM', 'SIGTERM');
      expect((await running).kind).toBe('cancelled');
      expect(heard).toEqual(['SIGTERM']);
      await gone(pid);
    } finally {
      process.off('SIGTERM', other);
    }
  });

  it('is told in one line', () => {
    const nothing = { stdout: '', stderr: '' };
    expect([
      noAnswer({ kind: 'failed', code: 9, stdout: 'out', stderr: '\nBad\x1b[0m news\nmore' }),
      noAnswer({ kind: 'failed', code: 'SIGSEGV', ...nothing }),
      noAnswer({ kind: 'not-found', code: 'EACCES', ...nothing }),
      noAnswer({ kind: 'too-much-output', ...nothing }),
      noAnswer({ kind: 'timed-out', ms: 300, ...nothing }),
      noAnswer({ kind: 'cancelled', ...nothing }),
    ]).toEqual([
      'failed (9): Bad[0m news',
      'failed (SIGSEGV)',
      'could not be started (EACCES)',
      'printed too much',
      'no answer in 1 s',
      'not waited for: the job was cancelled',
    ]);
  });
});

describe('what a helper leaves behind', () => {
  it.each([
    ['a child that holds its output', 'sleep 600 & echo $! > $D/left', {}, 'ok'],
    [
      'a child of one that hangs',
      'sleep 600 & echo $! > $D/left; sleep 600',
      { timeoutMs: 500 },
      'timed-out',
    ],
    // A loop, not one program: a process shows no environment in the instant in which it becomes another program.
    [
      'a daemon in a session of its own that holds its output',
      `setsid bash -c 'echo $$ > $D/left; while :; do sleep 0.2; done' & until [ -s $D/left ]; do sleep 0.01; done`,
      {},
      'ok',
    ],
    [
      'the same without its output, of one that fails',
      `setsid bash -c 'echo $$ > $D/left; while :; do sleep 0.2; done' >&- 2>&- & until [ -s $D/left ]; do sleep 0.01; done; exit 3`,
      {},
      'failed',
    ],
  ])('is not %s', async (_what, script, limits, kind) => {
    const result = await run(`echo said; ${script}`, limits);
    expect([result.kind, result.stdout]).toEqual([kind, 'said\n']);
    await gone(await written('left'));
  });

  it('is not somebody who had nothing to do with it', async () => {
    const other = spawn('sleep', ['60'], { stdio: 'ignore' });
    try {
      await run('true');
      await run('sleep 60', { timeoutMs: 100 });
      expect(isLive(processFacts(other.pid as number) as NonNullable<ReturnType<typeof processFacts>>)).toBe(
        true,
      );
    } finally {
      other.kill('SIGKILL');
    }
  });

  it('is nothing when a signal ends us, which it does as without it', async () => {
    const node = inNode('echo $$ > $D/tool; sleep 600', said(60_000));
    const pid = await written('tool');
    node.kill('SIGINT');
    expect(await once(node, 'exit')).toEqual([null, 'SIGINT']);
    await gone(pid);
  });

  it('holds up nothing when it cannot be killed', async () => {
    const node = inNode('echo $$ > $D/tool; sleep 600', said(3000));
    const tracer = await hold(await written('tool'));
    if (tracer === null) return node.kill('SIGKILL');
    try {
      const [text] = (await once(node.stdout as NonNullable<typeof node.stdout>, 'data')) as [Buffer];
      expect(String(text)).toBe('timed-out\n');
      expect(await once(node, 'exit')).toEqual([0, null]);
      expect(processFacts(await written('tool'))).not.toBeNull();
    } finally {
      tracer.kill('SIGKILL');
    }
    await gone(await written('tool'));
  });
});

describe('a helper that goes on', () => {
  it('is heard line by line until it is stopped, and leaves nothing behind', async () => {
    const lines: string[] = [];
    const helper = startHelper(
      command(
        'echo $$ > $D/loop; sleep 600 & echo $! > $D/left; i=0; while :; do echo tick $((i++)); sleep 0.02; done',
      ),
      (line) => lines.push(line),
    );
    await until('three lines', () => lines.length >= 3);
    helper.stop();
    expect(await helper.ended).toEqual({ kind: 'ok' });
    expect(lines.slice(0, 3)).toEqual(['tick 0', 'tick 1', 'tick 2']);
    await gone(await written('loop'));
    await gone(await written('left'));
    const heard = lines.length;
    helper.stop();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(lines).toHaveLength(heard);
  });

  it('keeps no more of a line than is used, and does not stall on what it says beside', async () => {
    const lines: string[] = [];
    const helper = startHelper(
      command(
        `head -c 3000000 /dev/zero | tr '\\0' x; head -c 3000000 /dev/zero >&2; echo; echo end; exec sleep 600`,
      ),
      (line) => lines.push(line),
    );
    await until('the end', () => lines.includes('end'));
    expect(lines.map((line) => line.length)).toEqual([4096, 3]);
    helper.stop();
  });

  it('says how it ended by itself, or why it did not start', async () => {
    expect(await startHelper(command('exit 4'), () => undefined).ended).toEqual({ kind: 'failed', code: 4 });
    const nobody = { file: join(folder, 'nobody'), args: [], env: ENV };
    expect(await startHelper(nobody, () => undefined).ended).toEqual({ kind: 'not-found', code: 'ENOENT' });
  });

  it('ends by itself when whoever reads it is killed', async () => {
    const ticking = 'echo $$ > $D/orphan; while :; do echo tick; sleep 0.05; done';
    const node = inNode(ticking, 'module.startHelper(command, () => undefined);');
    const pid = await written('orphan');
    node.kill('SIGKILL');
    await gone(pid);
  });
});
