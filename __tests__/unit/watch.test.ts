/** Which processes of the step had torch loaded: on a /proc made by hand, where every case can be had. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type Left, likelyReason, unreached, unreachedLine } from '../../src/judge/reach.js';
import { sameProcess, stepProcesses } from '../../src/step/own.js';
import { innerPid, listProcesses } from '../../src/step/proc.js';
import { type Sighting, TorchWatch } from '../../src/step/watch.js';

const MARK = 'OOM_AUTOPSY_STEP=0123456789ab';
/** As in RUNNER_TEMP: not ASCII. */
const SHIM = '/temp ä/path';
const LEADER = 100;
let proc: string;
beforeEach(() => {
  proc = mkdtempSync(join(tmpdir(), 'proc-'));
});
afterEach(() => rmSync(proc, { recursive: true }));

interface Fake {
  readonly ppid?: number;
  readonly pgid?: number;
  readonly start?: number;
  readonly env?: readonly string[];
  readonly program?: string;
  readonly args?: readonly string[];
  /** Address of torch; null: not mapped. */
  readonly torch?: string | null;
}

/** Makes or changes a process. */
function put(pid: number, { ppid = 1, pgid = pid, start = 50, env = [], ...more }: Fake): void {
  const dir = join(proc, String(pid));
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir);
  const fields = ['S', ppid, pgid, pgid, ...Array(15).fill(0), start, 0];
  writeFileSync(join(dir, 'stat'), `${pid} (a (b) c) ${fields.join(' ')}`);
  writeFileSync(join(dir, 'environ'), env.map((entry) => `${entry}\0`).join(''));
  writeFileSync(join(dir, 'cmdline'), (more.args ?? ['python', 'x.py']).map((arg) => `${arg}\0`).join(''));
  symlinkSync(`/usr/bin/${more.program ?? 'python3.11'}`, join(dir, 'exe'));
  symlinkSync('/srv', join(dir, 'cwd'));
  const lines = ['55d0-55d1 r-xp 0 fe:00 1 /usr/bin/python3.11'];
  if (more.torch) lines.push(`${more.torch}-7fff r-xp 0 fe:00 2 /x/torch/lib/libtorch_cpu.so`);
  writeFileSync(join(dir, 'maps'), `${lines.join('\n')}\n`);
}

const watch = (leader: number | null = LEADER) =>
  new TorchWatch(() => ({ leader, variable: MARK, since: leader === null ? null : 50 }), SHIM, proc);
const pids = (one: TorchWatch) => one.seen().sightings.map(({ pid }) => pid);

describe('a look', () => {
  it('finds those of the group, below it, and marked; not those of others', () => {
    put(LEADER, { program: 'bash' });
    put(101, { ppid: 1, pgid: LEADER, torch: '7f01' });
    put(102, { ppid: 101, torch: '7f02' });
    put(90, { ppid: 102, start: 60, torch: '7f03' }); // after pids began anew
    put(104, { env: ['A=1', MARK], torch: '7f04' });
    put(105, { env: ['OOM_AUTOPSY_STEP=ffffffffffff'], torch: '7f05' });
    put(106, { torch: '7f06' });
    put(107, { ppid: LEADER });
    const one = watch();
    one.look();
    expect(pids(one)).toEqual([101, 102, 104, 90]);
  });

  it('leaves out what started before the step, whatever it says', () => {
    put(LEADER, { program: 'bash' });
    put(101, { start: 49, env: [MARK], torch: '7f01' });
    const one = watch();
    one.look();
    expect(pids(one)).toEqual([]);
  });

  it('goes on with those that show torch later, and with new ones', () => {
    put(LEADER, { program: 'bash' });
    put(101, { ppid: LEADER, torch: null });
    const one = watch();
    one.look();
    expect(pids(one)).toEqual([]);
    put(101, { ppid: LEADER, torch: '7f01' });
    put(102, { ppid: 101, torch: '7f02' });
    one.look();
    expect(pids(one)).toEqual([101, 102]);
    // The parent is gone and its pid belongs to a stranger by now.
    rmSync(join(proc, '101'), { recursive: true });
    one.look();
    put(101, { start: 99, torch: '7f09' });
    one.look();
    expect(pids(one)).toEqual([101, 102]);
  });

  it('works without a leader, by the mark alone', () => {
    put(101, { env: [MARK], torch: '7f01' });
    const one = watch(null);
    one.look();
    expect(pids(one)).toEqual([101]);
  });

  it('tells what it saw when there is news, and not each time of a step that starts processes without end', async () => {
    put(LEADER, { program: 'bash' });
    const one = watch();
    const told: number[] = [];
    let pid = 101;
    const looks = async (n: number, fresh: number): Promise<void> => {
      for (let i = 0; i < n; i += 1) {
        for (let k = 0; k < fresh; k += 1) put(pid++, { ppid: LEADER, torch: '7f01' });
        await jest.advanceTimersByTimeAsync(120_000);
      }
    };
    jest.useFakeTimers();
    try {
      one.start((seen) => told.push(seen.sightings.length));
      await looks(3, 0);
      expect(told).toEqual([]);
      await looks(20, 1);
      expect(told).toEqual([1, 2, 4, 8, 16]);
      await looks(3, 0);
      expect(told).toHaveLength(5);
    } finally {
      one.stop();
      jest.useRealTimers();
    }
  });

  it('says why, and keeps neither arguments nor environment', () => {
    put(LEADER, { program: 'bash' });
    const env = [MARK, 'PYTHONPATH=/secret-path', 'TOKEN=secret'];
    put(101, { ppid: LEADER, torch: '7f01', env, args: ['python', 'x.py', '--key=secret'] });
    put(102, { ppid: LEADER, torch: '7f02', program: 'trainer', env: [MARK, `PYTHONPATH=${SHIM}`] });
    const one = watch();
    one.look();
    expect(one.seen().sightings.map(({ program, reason }) => [program, reason])).toEqual([
      ['python3.11', 'pythonpath-replaced'],
      ['trainer', 'not-python'],
    ]);
    expect(JSON.stringify(one.seen())).not.toContain('secret');
  });

  it('notes programs that hand work to others', () => {
    put(LEADER, { program: 'bash' });
    put(101, { ppid: LEADER, program: 'docker' });
    put(102, { program: 'ssh' });
    const one = watch();
    one.look();
    expect(one.seen().carriers).toEqual(['docker']);
  });
});

it('who is older than the step is not of it, though it be marked', () => {
  put(LEADER, { program: 'bash' });
  put(101, { start: 49, env: [MARK] });
  put(102, { start: 50, env: [MARK] });
  const found = (since: number | null) =>
    stepProcesses({ leader: LEADER, variable: MARK, since }, listProcesses(proc), proc).map(({ pid }) => pid);
  expect(found(50)).toEqual([LEADER, 102]);
  expect(found(null)).toEqual([LEADER, 101, 102]);
});

it('the watch and a cancel agree on whose they are', () => {
  put(LEADER, { program: 'bash' });
  put(101, { ppid: 1, pgid: LEADER, start: 60 });
  put(102, { ppid: 101, start: 61 });
  put(103, { env: [MARK], start: 62 });
  put(90, { ppid: 103, start: 63 }); // env -i below one that left group and tree; pids began anew
  put(104, { start: 64 });
  put(105, { ppid: 104, start: 65 });
  put(106, { start: 49, env: [MARK] });
  put(107, { ppid: LEADER, start: 49 });
  const both = (since: number) => {
    const mark = { leader: LEADER, variable: MARK, since };
    const one = new TorchWatch(() => mark, SHIM, proc);
    one.look();
    const found = stepProcesses(mark, listProcesses(proc), proc);
    const sorted = (all: readonly { pid: number }[]) => all.map(({ pid }) => pid).sort((a, b) => a - b);
    expect(sorted(one.met())).toEqual(sorted(found));
    return sorted(found);
  };
  expect(both(50)).toEqual([90, LEADER, 101, 102, 103]);
  // Another process has got the leader's pid since: neither it nor those below it are the step's.
  expect(both(45)).toEqual([90, 103, 106]);
});

it('one process is told from another under the same pid by its start, where both are known', () => {
  const at = (startTicks: number | null, pid = 7) => ({ pid, startTicks });
  expect(sameProcess(at(5), at(5))).toBe(true);
  expect(sameProcess(at(5), at(6))).toBe(false);
  expect(sameProcess(at(null), at(6))).toBe(true);
  expect(sameProcess(at(5), at(null))).toBe(true);
  expect(sameProcess(at(5), at(5, 8))).toBe(false);
});

it("who was met as the step's is still of it without mark, group and parent; its pid alone is not", () => {
  put(LEADER, { program: 'bash' });
  put(101, { ppid: LEADER, pgid: LEADER, start: 60, env: [MARK] });
  const one = watch();
  one.look();
  put(101, { ppid: 1, start: 60 }); // env -i setsid, and its parent is gone
  put(102, { ppid: 101, start: 70 });
  one.look();
  put(103, { ppid: 1, start: 80 });
  const mark = () => ({ leader: LEADER, variable: MARK, since: 50, met: one.met() });
  const found = () => stepProcesses(mark(), listProcesses(proc), proc).map(({ pid }) => pid);
  expect(found()).toEqual([LEADER, 101, 102]);
  put(101, { ppid: 1, start: 90 }); // another process under the same pid
  put(102, { ppid: 1, start: 70 });
  expect(found()).toEqual([LEADER, 102]);
});

it('a pid of the step that a stranger got since makes neither him nor his children of the step', () => {
  put(LEADER, { program: 'bash' });
  put(101, { ppid: LEADER, start: 60 });
  const one = watch();
  one.look();
  put(101, { ppid: 1, start: 90, torch: '7f01' });
  put(102, { ppid: 101, start: 91, torch: '7f02' });
  one.look();
  expect(pids(one)).toEqual([]);
  expect(one.met().map(({ pid }) => pid)).toEqual([LEADER]);
});

it('a pid of the leader that a stranger got since is nobody of the step', () => {
  put(LEADER, { start: 90 });
  put(101, { ppid: LEADER, start: 91 });
  put(102, { start: 60, env: [MARK] });
  const found = (since: number | null) =>
    stepProcesses({ leader: LEADER, variable: MARK, since }, listProcesses(proc), proc).map(({ pid }) => pid);
  expect(found(50)).toEqual([102]);
  expect(found(90)).toEqual([LEADER, 101]);
});

it('reads the pid that a process has in its own namespace', () => {
  put(101, {});
  expect(innerPid(101, proc)).toBe(101);
  writeFileSync(join(proc, '101', 'status'), 'Name:\tNSpid:\t1\nNSpid:\t101\t17\t2\nThreads:\t1\n');
  expect(innerPid(101, proc)).toBe(2);
  expect(innerPid(process.pid)).toBe(process.pid);
});

it('a stopped watch has a last look only after a first one', () => {
  put(101, { env: [MARK], torch: '7f01' });
  const short = watch(null);
  short.stop();
  expect(pids(short)).toEqual([]);
  const long = watch(null);
  long.look();
  put(102, { env: [MARK], torch: '7f02' });
  long.stop();
  expect(pids(long)).toEqual([101, 102]);
});

describe('unreached', () => {
  const seen = (pid: number, base: string, advice = 'drop -I'): Sighting => ({
    ...{ pid, startTicks: 10 * pid, innerPid: pid, program: 'python3.11' },
    ...{ reason: 'isolated', advice, base },
  });
  const left = (...receipts: readonly (number | readonly [number, number])[]): Left => ({
    receipts: receipts.map((one) => {
      const [pid, start_ticks] = typeof one === 'number' ? [one, 10 * one] : one;
      return { pid, start_ticks };
    }),
    unread: [],
    marks: new Map(),
  });

  it('leaves out who left a receipt, and the children that such a one forked', () => {
    const sightings = [seen(1, 'a'), seen(2, 'a'), seen(3, 'b'), seen(4, 'c')];
    expect(unreached(sightings, left(1, 9)).map(({ pid }) => pid)).toEqual([3, 4]);
    expect(unreached(sightings, left([1, 11], 3)).map(({ pid }) => pid)).toEqual([1, 2, 4]);
  });

  it('knows a process of another pid namespace by the pid that it has there', () => {
    const inside = { ...seen(12_345, 'a'), innerPid: 2 };
    expect(unreached([inside], left([2, inside.startTicks]))).toEqual([]);
    expect(unreached([inside], left([2, 7]))).toHaveLength(1);
  });

  it('in one line: the first kind and how many more', () => {
    const line = (...all: Sighting[]) => unreachedLine(unreached(all, left()));
    expect(line()).toBeNull();
    expect(line(seen(1, 'a'))).toBe('python3.11 (pid 1) had torch loaded, but drop -I');
    expect(line(seen(1, 'a'), seen(2, 'b'), seen(3, 'c', 'other'))).toBe(
      'python3.11 (pid 1 and 1 more) had torch loaded, but drop -I (and 1 other process: see the summary)',
    );
  });
});

it('the likeliest reason: the text of the step, then what was seen to run', () => {
  const hint = { line: 3, what: 'tox', advice: 'do so' };
  const hidden = [{ pid: 7, program: 'python3' }];
  expect(likelyReason({ carriers: ['docker'], hidden }, [hint])).toBe('line 3 of the step uses tox; do so');
  expect(likelyReason({ carriers: ['docker'], hidden }, [])).toMatch(/ran docker/);
  expect(likelyReason({ carriers: [], hidden }, [])).toMatch(/python3 \(pid 7\) ran as another user/);
  expect(likelyReason({ carriers: [], hidden: [] }, [])).toBeNull();
  expect(likelyReason(null, [])).toMatch(/main was ended/);
  expect(likelyReason(null, [hint])).toMatch(/line 3/);
});
