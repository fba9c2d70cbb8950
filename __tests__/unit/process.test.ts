/** Real processes: exit codes as a shell reports them, cancel of the whole tree, and no waiting for survivors. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Group, stepProcesses } from '../../src/step/own.js';
import { isLive, processFacts, readExecutable } from '../../src/step/proc.js';
import { drain, endStep, type RunOptions, runStep } from '../../src/step/process.js';
import { TorchWatch } from '../../src/step/watch.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'oa process '));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let serial = 0;
const bash = (script: string, more: Partial<RunOptions> = {}) => {
  const id = `${process.pid}x${serial++}`;
  return runStep({
    file: 'bash',
    args: ['-c', script],
    cwd: folder,
    env: { ...process.env, OOM_AUTOPSY_STEP: id },
    graceMs: 1000,
    mark: `OOM_AUTOPSY_STEP=${id}`,
    ...more,
  });
};

/** Waits for a file that a script writes once it is ready. */
async function appears(name: string): Promise<string> {
  const path = join(folder, name);
  for (let i = 0; i < 500; i++) {
    if (existsSync(path) && readFileSync(path, 'utf8').endsWith('\n'))
      return readFileSync(path, 'utf8').trim();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`${name} never appeared`);
}

const alive = (pid: number) => {
  const facts = processFacts(pid);
  return facts !== null && isLive(facts);
};

describe('exit codes', () => {
  it.each([
    ['exit 0', 0, null],
    ['exit 3', 3, null],
    ['exit 137', 137, null],
    ['kill -SEGV $$', 139, 'SIGSEGV'],
    ['kill -KILL $$', 137, 'SIGKILL'],
    ['kill -TERM $$', 143, 'SIGTERM'],
  ])('%s gives %d', async (script, exitCode, signal) => {
    expect(await bash(script)).toMatchObject({ exitCode, signal, cancelledBy: null, startError: null });
  });

  it('gives 127 for a shell that is not there and says so', async () => {
    const result = await bash('', { file: 'no-such-shell-anywhere' });
    expect(result.exitCode).toBe(127);
    expect(result.startError).toMatch(/ENOENT/);
  });

  it('gives 126 for a file that cannot be run', async () => {
    const path = join(folder, 'plain.txt');
    writeFileSync(path, 'x');
    expect(await bash('', { file: path })).toMatchObject({ exitCode: 126 });
  });
});

describe('a normal end', () => {
  it('is the end of the shell: a server started with & lives on and is not waited for', async () => {
    let group: Group | null = null;
    const started = Date.now();
    const result = await bash('sleep 30 & echo $! > server; exit 4', { onStart: (g) => (group = g) });
    expect(result.exitCode).toBe(4);
    expect(Date.now() - started).toBeLessThan(15_000);
    const server = Number(await appears('server'));
    expect(alive(server)).toBe(true);
    expect((group as Group | null)?.startTicks).toEqual(expect.any(Number));
    process.kill(server, 'SIGKILL');
  });
});

describe('cancel', () => {
  it('passes the signals on, once each, and reports the first', async () => {
    const done = bash(
      'trap "echo int >> got" INT; trap "echo term >> got; exit 9" TERM; echo > ready1; while :; do sleep 0.05; done',
      { graceMs: 8000 },
    );
    await appears('ready1');
    process.emit('SIGINT', 'SIGINT');
    await appears('got');
    process.emit('SIGTERM', 'SIGTERM');
    expect(await done).toMatchObject({ exitCode: 9, cancelledBy: 'SIGINT', killed: [] });
    expect(readFileSync(join(folder, 'got'), 'utf8')).toBe('int\nterm\n');
  });

  it('sends SIGTERM itself after 2.5 s, for launchers that need time, and then never again', async () => {
    const done = bash(
      'trap "echo int >> got5" INT; trap "echo term >> got5" TERM; echo > ready5; until [ -e stop5 ]; do sleep 0.05; done; exit 7',
      { graceMs: 8000 },
    );
    await appears('ready5');
    process.emit('SIGINT', 'SIGINT');
    while (!(existsSync(join(folder, 'got5')) && readFileSync(join(folder, 'got5'), 'utf8').includes('term')))
      await new Promise((r) => setTimeout(r, 20));
    process.emit('SIGTERM', 'SIGTERM');
    writeFileSync(join(folder, 'stop5'), '');
    expect(await done).toMatchObject({ exitCode: 7, cancelledBy: 'SIGINT', killed: [] });
    expect(readFileSync(join(folder, 'got5'), 'utf8')).toBe('int\nterm\n');
  });

  it('kills what starts others after them', async () => {
    copyFileSync('/bin/bash', join(folder, 'srun'));
    chmodSync(join(folder, 'srun'), 0o755);
    const done = bash(
      `./srun -c 'trap "" INT TERM HUP; (trap "" INT TERM HUP; exec sleep 60) & echo > ready6; while :; do wait; done' & trap "" INT TERM; wait; wait; sleep 60`,
      { graceMs: 300 },
    );
    await appears('ready6');
    process.emit('SIGTERM', 'SIGTERM');
    const { killed } = await done;
    expect(killed.map(({ program }) => program).at(-1)).toBe('srun');
    expect(killed.map(({ program }) => program)).toContain('sleep');
  });

  it('waits for a child that cleans up after its shell is gone', async () => {
    const done = bash(
      `bash -c 'trap "sleep 0.4; echo clean > cleaned; exit 0" TERM; echo > ready2; while :; do sleep 0.05; done'; true`,
      { graceMs: 8000 },
    );
    await appears('ready2');
    process.emit('SIGTERM', 'SIGTERM');
    expect(await done).toMatchObject({ exitCode: 143, signal: 'SIGTERM' });
    expect(existsSync(join(folder, 'cleaned'))).toBe(true);
  });

  it('kills what ignores it after the grace period, groups of their own and orphans included', async () => {
    const deaf = `bash -c 'trap "" INT TERM HUP; echo $$ > PID; while :; do sleep 0.1; done'`;
    const done = bash(
      `setsid ${deaf.replace('PID', 'deaf1')} & timeout 60 ${deaf.replace('PID', 'deaf2')} & (setsid nohup ${deaf.replace('PID', 'deaf3')} >/dev/null 2>&1 &) ; wait`,
      { graceMs: 400 },
    );
    const pids = await Promise.all(
      ['deaf1', 'deaf2', 'deaf3'].map(async (name) => Number(await appears(name))),
    );
    process.emit('SIGTERM', 'SIGTERM');
    const result = await done;
    expect(result.killed.map(({ pid }) => pid)).toEqual(expect.arrayContaining(pids));
    expect(pids.map(alive)).toEqual([false, false, false]);
  });

  it('ends a daemon that threw the mark away too, once it was met', async () => {
    let group: Group | null = null;
    const mark = 'OOM_AUTOPSY_STEP=daemon';
    const watch = new TorchWatch(
      () => ({ leader: group?.pid ?? null, variable: mark, since: group?.startTicks ?? null }),
      folder,
    );
    const done = bash(
      '(env -i setsid sleep 60 >/dev/null 2>&1 & echo $! > daemon; until [ -e go ]; do sleep 0.05; done); echo > orphaned; sleep 60',
      { mark, met: () => watch.met(), onStart: (started) => (group = started), graceMs: 8000 },
    );
    const daemon = Number(await appears('daemon'));
    while (readExecutable(daemon)?.endsWith('/sleep') !== true) await new Promise((r) => setTimeout(r, 10));
    watch.look();
    writeFileSync(join(folder, 'go'), '');
    await appears('orphaned');
    process.emit('SIGTERM', 'SIGTERM');
    expect(await done).toMatchObject({ exitCode: 143, killed: [] });
    expect(alive(daemon)).toBe(false);
  });
});

describe('endStep', () => {
  it('ends a step whose main is gone, from its mark alone', async () => {
    const mark = { leader: null, variable: `OOM_AUTOPSY_STEP=orphan${process.pid}` };
    spawnSync('bash', ['-c', 'setsid sleep 60 >/dev/null 2>&1 & sleep 60 >/dev/null 2>&1 &'], {
      env: { ...process.env, OOM_AUTOPSY_STEP: `orphan${process.pid}` },
      stdio: 'ignore',
    });
    // Each shows no mark in the instant in which it becomes `sleep`.
    const since = Date.now();
    while (stepProcesses(mark).length < 2 && Date.now() - since < 10_000)
      await new Promise((r) => setTimeout(r, 10));
    expect(await endStep(mark, 2000)).toEqual({ found: 2, killed: [] });
    expect(stepProcesses(mark)).toEqual([]);
    expect(await drain(mark, { term: null, kill: Date.now() })).toEqual([]);
  });

  it.each([0, 1])('takes no leader %d: it would mean every process of the machine', (leader) => {
    expect(stepProcesses({ leader, variable: 'OOM_AUTOPSY_STEP=nobody' })).toEqual([]);
  });

  it('names none as killed that could not be: one in uninterruptible sleep', async () => {
    const variable = `OOM_AUTOPSY_STEP=held${process.pid}`;
    const env = { ...process.env, OOM_AUTOPSY_STEP: `held${process.pid}` };
    const held = spawn('sleep', ['60'], { env, stdio: 'ignore' });
    // Stands for it: a tracer that asked to be told of the exit, PTRACE_SEIZE with PTRACE_O_TRACEEXIT, and does not go on.
    const tracer = spawn(
      'python3',
      [
        '-c',
        `import ctypes, sys, time
ptrace = ctypes.CDLL(None).ptrace
ptrace.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)
print(ptrace(0x4206, int(sys.argv[1]), None, 0x40), flush=True)
time.sleep(60)`,
        String(held.pid),
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    try {
      const [said] = (await once(tracer.stdout, 'data')) as [Buffer];
      if (String(said).trim() !== '0') return; // no ptrace here
      const mark = { leader: null, variable };
      expect(await endStep(mark, 100, 200)).toEqual({ found: 1, killed: [] });
      expect(stepProcesses(mark)).toHaveLength(1);
    } finally {
      tracer.kill('SIGKILL');
      await once(held, 'exit');
    }
  });
});
