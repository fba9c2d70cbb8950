/** Who held the host's memory, and what to do first about it. Processes are real. */
import { spawn } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import type { Manifest } from '../../src/evidence/manifest.js';
import { hostAdvice } from '../../src/judge/host-advice.js';
import { plainText } from '../../src/report/rich.js';
import { type HostOwner, HostUseWatch, hostOwners } from '../../src/step/host-use.js';
import { processFacts } from '../../src/step/proc.js';

const MIB = 2 ** 20;

describe('who held the memory of the host', () => {
  it('is told by program, its workers together', () => {
    const one = (pid: number, ppid: number, program: string, own: number, shared = 0) => ({
      ...{ pid, ppid, program, own: own * MIB, shared: shared * MIB },
    });
    const all = [
      one(1, 0, 'bash', 1),
      one(2, 1, 'python3', 100, 30),
      one(3, 2, 'python3', 50, 80),
      one(4, 2, 'python3', 60, 90),
      one(5, 3, 'ffmpeg', 7),
    ];
    expect(hostOwners(all)).toEqual([
      { program: 'python3', pid: 2, workers: 2, own: 110 * MIB, shared: 90 * MIB },
      { program: 'python3', pid: 2, workers: 0, own: 100 * MIB, shared: 30 * MIB },
      { program: 'ffmpeg', pid: 5, workers: 0, own: 7 * MIB, shared: 0 },
      { program: 'bash', pid: 1, workers: 0, own: 1 * MIB, shared: 0 },
    ]);
  });

  it('is read from a live process, and kept at its fullest', async () => {
    const held = `const held = Buffer.alloc(${64 * MIB}, 1); console.log('held'); setTimeout(() => held, 60000)`;
    const child = spawn(process.execPath, ['-e', held], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      await new Promise((resolve) => child.stdout.once('data', resolve));
      const facts = processFacts(child.pid ?? 0);
      if (facts === null) throw new Error('no process');
      const watch = new HostUseWatch();
      watch.look([facts]);
      const first = watch.use();
      expect(first?.owners[0]?.pid).toBe(child.pid);
      expect(first?.owners[0]?.own).toBeGreaterThan(64 * MIB);
      watch.look([{ ...facts, resident: 1 }]);
      expect(watch.use()).toBe(first);
      watch.look([]);
      expect(watch.use()).toBe(first);
    } finally {
      child.kill('SIGKILL');
    }
  });
});

describe('what to do first where the host ran out', () => {
  const owner = (own: number, workers = 0, shared = 0): HostOwner => ({
    ...{ program: 'python3', pid: 7, workers, own: own * MIB, shared: shared * MIB },
  });
  const advice = (owners: readonly HostOwner[], shm = 0, name = 'host-oom'): string | null => {
    const use = { time: 1, owners, shm: { used: shm * MIB, total: 1000 * MIB } };
    const manifest = { verdict: { name }, host: { memory: { limit: 1000 * MIB, total: null }, use } };
    const told = hostAdvice(manifest as unknown as Manifest);
    return told === null ? null : plainText(told);
  };

  it.each<[string, readonly HostOwner[], number, RegExp | null]>([
    [
      'workers',
      [owner(600, 4, 50), owner(200)],
      0,
      /^4 workers of python3 \(pid 7\) held 650\.00 MiB, 65 % of the 1000\.00 MiB, 150\.00 MiB each/,
    ],
    [
      'few workers, a large program',
      [owner(500), owner(300, 2)],
      0,
      /^python3 \(pid 7\) itself held 500\.00 MiB/,
    ],
    [
      'shared memory',
      [owner(100), owner(200, 2, 100)],
      400,
      /^Shared memory \(\/dev\/shm\) held 400\.00 MiB, 40 %/,
    ],
    ['nothing that stands out', [owner(200), owner(200, 4)], 100, null],
  ])('%s', (_, owners, shm, told) => {
    if (told === null) expect(advice(owners, shm)).toBeNull();
    else expect(advice(owners, shm)).toMatch(told);
    expect(advice(owners, shm, 'oom')).toBeNull();
  });
});
