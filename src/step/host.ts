/**
 * Host memory: did the kernel's OOM killer end a process of this step? The answer comes from counters read
 * before and after the step, never from an exit code. The most precise readable source is used:
 * `memory.events` of our cgroup (v2), `memory.oom_control` of our cgroup (v1), and `oom_kill` in
 * /proc/vmstat, which counts the whole machine (or VM).
 *
 * A kill caused by a parent's limit (a pod's, a slice's) is counted in the victim's cgroup and its parents.
 * So our own cgroup has the right counter, as long as the step stays in it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type OomSource = 'cgroup-v2' | 'cgroup-v1' | 'vmstat';

/** Counters at one moment. Plain values, so that they can be saved in state before the step starts. */
export type HostCounters =
  | {
      readonly state: 'read';
      readonly source: OomSource;
      /** Folder of the cgroup, or the file that was read. */
      readonly path: string;
      /** Processes the OOM killer has ended so far. */
      readonly oom_kill: number;
      /** Times the limit was hit without a way out; null where it is not counted. */
      readonly oom: number | null;
      /** As `oom_kill`, of the whole machine; null where it is not counted. */
      readonly machine: number | null;
    }
  | { readonly state: 'unreadable'; readonly reason: string };

export type HostOom =
  | {
      readonly state: 'read';
      /**
       * Processes that the OOM killer ended between the two readings. With `memory.oom.group` the kernel
       * counts one too many.
       */
      readonly kills: number;
      readonly ooms: number | null;
      /**
       * The same for the whole machine, including containers, which have their own cgroups; null where not
       * counted.
       */
      readonly machine_kills: number | null;
      /** `machine`: the count covers the whole machine, so the process may not be the step's. */
      readonly scope: 'cgroup' | 'machine';
      readonly source: OomSource;
      readonly path: string;
    }
  | { readonly state: 'unreadable'; readonly reason: string };

/** Bytes; null when unknown or unlimited. */
export interface HostMemory {
  readonly total: number | null;
  readonly available: number | null;
  /** Lowest limit from our cgroup upwards that can have been hit. */
  readonly limit: number | null;
  readonly used: number | null;
  readonly peak: number | null;
  /** Why something is not known, or null. */
  readonly reason: string | null;
}

const text = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
};

/** `name value` lines as a table. */
export function parseCounters(content: string): ReadonlyMap<string, number> {
  const table = new Map<string, number>();
  for (const line of content.split('\n')) {
    const match = /^([a-z0-9_]+) ([0-9]+)$/.exec(line.trim());
    if (match) table.set(match[1] ?? '', Number(match[2]));
  }
  return table;
}

interface Cgroup {
  readonly version: 1 | 2;
  /** Folder of our own cgroup, as far as it can be seen. */
  readonly folder: string;
  /** Folder of the mount: the highest one that can be read. */
  readonly mount: string;
}

/**
 * Our memory cgroups from the texts of /proc/self/cgroup and /proc/self/mountinfo. In a container with a
 * cgroup namespace the path is `/`. Without one, the mount's root is a prefix of the path and is removed.
 */
export function findCgroups(cgroup: string, mountinfo: string): readonly Cgroup[] {
  const found: Cgroup[] = [];
  const paths = cgroup.split('\n').map((line) => /^(\d+):([^:]*):(.*)$/.exec(line));
  for (const line of mountinfo.split('\n')) {
    const [before, after] = line.split(' - ', 2);
    const fields = before?.split(' ') ?? [];
    const [root, mount] = [fields[3] ?? '/', unescapeMount(fields[4] ?? '')];
    const type = after?.split(' ')[0];
    const version = type === 'cgroup2' ? 2 : type === 'cgroup' ? 1 : null;
    if (version === null) continue;
    if (version === 1 && !(after ?? '').split(' ').at(-1)?.split(',').includes('memory')) continue;
    const own = paths.find((m) =>
      version === 2 ? m?.[1] === '0' && m[2] === '' : (m?.[2] ?? '').split(',').includes('memory'),
    );
    if (!own) continue;
    const path = own[3] ?? '/';
    const below =
      root !== '/' && (path === root || path.startsWith(`${root}/`)) ? path.slice(root.length) : path;
    // `..` in either path: our cgroup is outside the namespace or the mount, so the mount's counters are not
    // ours.
    if (`${root}/${path}`.split('/').includes('..')) continue;
    found.push({ version, mount, folder: below === '/' ? mount : join(mount, below) });
  }
  return found.sort((a, b) => b.version - a.version);
}

const unescapeMount = (path: string): string =>
  path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));

function ownCgroups(root: string): readonly Cgroup[] {
  const cgroup = text(join(root, 'proc/self/cgroup'));
  const mountinfo = text(join(root, 'proc/self/mountinfo'));
  return cgroup === null || mountinfo === null ? [] : findCgroups(cgroup, mountinfo);
}

/** Reads the counters now. `root` is where /proc and /sys are (for tests). Never throws. */
export function readHostCounters(root = '/'): HostCounters {
  const machine = parseCounters(text(join(root, 'proc/vmstat')) ?? '').get('oom_kill') ?? null;
  for (const { version, folder } of ownCgroups(root)) {
    const path = join(root, folder, version === 2 ? 'memory.events' : 'memory.oom_control');
    const counters = parseCounters(text(path) ?? '');
    const kills = counters.get('oom_kill');
    if (kills === undefined) continue;
    return {
      state: 'read',
      source: version === 2 ? 'cgroup-v2' : 'cgroup-v1',
      path: folder,
      oom_kill: kills,
      oom: counters.get('oom') ?? null,
      machine,
    };
  }
  if (machine !== null) {
    return { state: 'read', source: 'vmstat', path: '/proc/vmstat', oom_kill: machine, oom: null, machine };
  }
  return {
    state: 'unreadable',
    reason:
      process.platform === 'linux' || root !== '/'
        ? 'no memory.events, memory.oom_control or /proc/vmstat with a count of OOM kills can be read here'
        : `not known on ${process.platform}`,
  };
}

const difference = (before: number | null, after: number | null): number | null =>
  before === null || after === null ? null : Math.max(0, after - before);

/** What happened between two readings. */
export function hostOom(before: HostCounters, after: HostCounters): HostOom {
  if (before.state === 'unreadable') return before;
  if (after.state === 'unreadable') return after;
  if (before.source !== after.source || before.path !== after.path) {
    return { state: 'unreadable', reason: `the counters moved from ${before.path} to ${after.path}` };
  }
  const kills = after.oom_kill - before.oom_kill;
  if (kills < 0) return { state: 'unreadable', reason: `the count in ${after.path} was set back` };
  return {
    state: 'read',
    kills,
    ooms: difference(before.oom, after.oom),
    machine_kills: difference(before.machine, after.machine),
    scope: after.source === 'vmstat' ? 'machine' : 'cgroup',
    source: after.source,
    path: after.path,
  };
}

const number = (content: string | null): number | null =>
  content !== null && /^[0-9]{1,15}$/.test(content.trim()) ? Number(content.trim()) : null;

/** The lowest limit from `from` up to the mount. v1 writes a huge number for "none", v2 the word `max`. */
function lowestLimit(root: string, { mount, version }: Cgroup, from: string): number | null {
  let lowest: number | null = null;
  for (let at = from; at.startsWith(mount) && at.length >= mount.length; at = join(at, '..')) {
    const limit = number(text(join(root, at, version === 2 ? 'memory.max' : 'memory.limit_in_bytes')));
    if (limit !== null && (lowest === null || limit < lowest)) lowest = limit;
    if (at === mount || at === '/') break;
  }
  return lowest;
}

/**
 * Memory of the machine and of our cgroup. `above`: our own limit was not reached, so only the parents'
 * limits count. Never throws.
 */
export function readHostMemory(root = '/', above = false): HostMemory {
  const meminfo = text(join(root, 'proc/meminfo'));
  const kib = (name: string): number | null => {
    const match = new RegExp(`^${name}:\\s+([0-9]+) kB$`, 'm').exec(meminfo ?? '');
    return match ? Number(match[1]) * 1024 : null;
  };
  const [v2, v1] = [
    { used: 'memory.current', peak: 'memory.peak' },
    { used: 'memory.usage_in_bytes', peak: 'memory.max_usage_in_bytes' },
  ];
  let limit: number | null = null;
  let used: number | null = null;
  let peak: number | null = null;
  for (const cgroup of ownCgroups(root)) {
    const files = cgroup.version === 2 ? v2 : v1;
    const now = number(text(join(root, cgroup.folder, files.used)));
    if (now === null) continue;
    used = now;
    peak = number(text(join(root, cgroup.folder, files.peak)));
    limit = lowestLimit(root, cgroup, above ? join(cgroup.folder, '..') : cgroup.folder);
    break;
  }
  const total = kib('MemTotal');
  if (limit !== null && total !== null && limit >= total) limit = null;
  const missing = [meminfo === null ? '/proc/meminfo' : null, used === null ? 'the memory cgroup' : null];
  const names = missing.filter((name) => name !== null);
  return {
    total,
    available: kib('MemAvailable'),
    limit,
    used,
    peak,
    reason: names.length > 0 ? `${names.join(' and ')} cannot be read here` : null,
  };
}
