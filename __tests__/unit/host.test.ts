// Host memory: cgroup v2, v1 and /proc/vmstat as systems show them, in trees of files; and this machine as it is.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, expect, it } from '@jest/globals';
import { findCgroups, hostOom, readHostCounters, readHostMemory } from '../../src/step/host.js';
import { temporaryFolder } from './evidence-kit.js';

const base = temporaryFolder('oa-host');
afterAll(() => rmSync(base, { recursive: true, force: true }));
let root: string;
let n = 0;
beforeEach(() => {
  n += 1;
  root = join(base, String(n));
});

function tree(files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

const V2 = '30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n';
const V1 =
  '31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n34 31 0:31 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n';

it('reads cgroup v2, and the difference between two moments', () => {
  tree({
    'proc/self/cgroup': '0::/system.slice/runner.service\n',
    'proc/self/mountinfo': V2,
    'sys/fs/cgroup/system.slice/runner.service/memory.events':
      'low 0\nhigh 0\nmax 7\noom 2\noom_kill 1\noom_group_kill 0\n',
  });
  const before = readHostCounters(root);
  expect(before).toEqual({
    state: 'read',
    source: 'cgroup-v2',
    path: '/sys/fs/cgroup/system.slice/runner.service',
    oom_kill: 1,
    oom: 2,
    machine: null,
  });
  tree({ 'sys/fs/cgroup/system.slice/runner.service/memory.events': 'oom 3\noom_kill 4\n' });
  expect(hostOom(before, readHostCounters(root))).toEqual({
    state: 'read',
    kills: 3,
    ooms: 1,
    machine_kills: null,
    scope: 'cgroup',
    source: 'cgroup-v2',
    path: '/sys/fs/cgroup/system.slice/runner.service',
  });
  expect(hostOom(before, before)).toMatchObject({ kills: 0 });
});

it('reads cgroup v1, beside a v2 that has no memory controller', () => {
  tree({
    'proc/self/cgroup': '8:pids:/\n4:cpuacct,memory:/docker/abc\n0::/\n',
    'proc/self/mountinfo': `${V1}41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n`.replace(
      'rw,memory\n',
      'rw,cpuacct,memory\n',
    ),
    'sys/fs/cgroup/memory/docker/abc/memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 5\n',
    'proc/vmstat': 'oom_kill 99\n',
  });
  expect(readHostCounters(root)).toEqual({
    state: 'read',
    source: 'cgroup-v1',
    path: '/sys/fs/cgroup/memory/docker/abc',
    oom_kill: 5,
    oom: null,
    machine: 99,
  });
});

it('takes the mount root off the path in a container without a cgroup namespace, and survives one outside of it', () => {
  const mount = V2.replace('0:26 / ', '0:26 /docker/abc ').replace(
    '/sys/fs/cgroup ',
    '/sys/fs/my\\040cgroup ',
  );
  expect(findCgroups('0::/docker/abc/step\n', mount)).toEqual([
    { version: 2, mount: '/sys/fs/my cgroup', folder: '/sys/fs/my cgroup/step' },
  ]);
  expect(findCgroups('0::/docker/abc\n', mount)[0]?.folder).toBe('/sys/fs/my cgroup');
  expect(findCgroups('0::/../../other\n', V2)).toEqual([]);
  expect(findCgroups('0::/\n', V2.replace('0:26 / ', '0:26 /.. '))).toEqual([]);
  expect(findCgroups('0::/\n', V2)[0]?.folder).toBe('/sys/fs/cgroup');
  expect(findCgroups('nonsense\n', 'nonsense\n')).toEqual([]);
});

it('falls back to the count of the whole machine, and says so', () => {
  tree({
    'proc/self/cgroup': '0::/\n',
    'proc/self/mountinfo': V2,
    'proc/vmstat': 'nr_free_pages 1\noom_kill 2\n',
  });
  const before = readHostCounters(root);
  expect(before).toMatchObject({ source: 'vmstat', oom_kill: 2 });
  expect(
    hostOom(before, {
      ...{ state: 'read', source: 'vmstat', path: '/proc/vmstat' },
      ...{ oom_kill: 3, oom: null, machine: 3 },
    }),
  ).toMatchObject({ kills: 1, scope: 'machine', ooms: null });
});

it('says why it does not know', () => {
  tree({ 'proc/self/cgroup': '0::/\n' });
  const unreadable = readHostCounters(root);
  expect(unreadable).toEqual({ state: 'unreadable', reason: expect.stringMatching(/^no memory.events/) });
  const read = { state: 'read', source: 'cgroup-v2', path: '/a', oom_kill: 5, oom: 5, machine: 9 } as const;
  expect(hostOom(unreadable, read)).toBe(unreadable);
  expect(hostOom(read, unreadable)).toBe(unreadable);
  expect(hostOom(read, { ...read, path: '/b' })).toEqual({
    state: 'unreadable',
    reason: 'the counters moved from /a to /b',
  });
  expect(hostOom(read, { ...read, oom_kill: 4 })).toEqual({
    state: 'unreadable',
    reason: 'the count in /a was set back',
  });
});

it('reads memory of machine and cgroup, the lowest limit upwards', () => {
  tree({
    'proc/self/cgroup': '0::/pod/box\n',
    'proc/self/mountinfo': V2,
    'proc/meminfo': 'MemTotal:       16384 kB\nMemFree: 1 kB\nMemAvailable:    8192 kB\n',
    'sys/fs/cgroup/pod/memory.max': '1048576\n',
    'sys/fs/cgroup/pod/box/memory.max': 'max\n',
    'sys/fs/cgroup/pod/box/memory.current': '1000\n',
    'sys/fs/cgroup/pod/box/memory.peak': '2000\n',
  });
  expect(readHostMemory(root)).toEqual({
    total: 16384 * 1024,
    available: 8192 * 1024,
    limit: 1048576,
    used: 1000,
    peak: 2000,
    reason: null,
  });
  tree({ 'sys/fs/cgroup/pod/box/memory.max': '1000\n' });
  expect(readHostMemory(root).limit).toBe(1000);
  expect(readHostMemory(root, true).limit).toBe(1048576);
});

it('does not call a limit above the memory of the machine one', () => {
  tree({
    'proc/self/cgroup': '0::/\n',
    'proc/self/mountinfo': V2,
    'proc/meminfo': 'MemTotal: 16384 kB\n',
    'sys/fs/cgroup/memory.max': `${16384 * 1024 + 1}\n`,
    'sys/fs/cgroup/memory.current': '7\n',
  });
  expect(readHostMemory(root).limit).toBeNull();
});

it('does not take the "no limit" of cgroup v1 for a limit', () => {
  tree({
    'proc/self/cgroup': '4:memory:/\n',
    'proc/self/mountinfo': V1,
    'proc/meminfo': 'MemTotal: 16384 kB\n',
    'sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n',
    'sys/fs/cgroup/memory/memory.usage_in_bytes': '7\n',
  });
  expect(readHostMemory(root)).toEqual({
    total: 16384 * 1024,
    available: null,
    limit: null,
    used: 7,
    peak: null,
    reason: null,
  });
  expect(readHostMemory(join(base, 'nothing'))).toMatchObject({
    total: null,
    reason: '/proc/meminfo and the memory cgroup cannot be read here',
  });
});

it('reads this machine, whatever it is', () => {
  const now = readHostCounters();
  if (now.state === 'read')
    expect(hostOom(now, readHostCounters())).toMatchObject({ state: 'read', kills: expect.any(Number) });
  else expect(now.reason).not.toBe('');
  if (process.platform === 'linux') expect(readHostMemory().total).toBeGreaterThan(2 ** 20);
});
