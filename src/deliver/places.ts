/**
 * Where an upload is staged when the evidence folder cannot take it (a full disk, a quota, a folder that is read-only): the
 * runner's folder for temporary files, the system's, and /dev/shm, whose bytes are memory. Copies must not fill those too.
 *
 * The folder's name holds the step's id, so that a post whose main was killed meanwhile finds it.
 */
import { lstat, opendir, realpath, rmdir, statfs, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFolder } from '../evidence/safe-fs.js';
import { STALE_MS } from '../evidence/staging.js';
import { randomHex } from '../lib/random.js';
import { type HostMemory, readHostMemory } from '../step/host.js';

/** A folder that a staging folder can be made in. */
export interface Place {
  /** What a reader knows it by. */
  readonly label: string;
  readonly path: string;
}

const MIB = 2 ** 20;
/** Bytes of a file system that copies leave alone: for logs, the manifest, outputs and the summary. */
const MARGIN_BYTES = 64 * MIB;
/** Bytes that copies may take in memory. */
const MEMORY_BYTES = 256 * MIB;
/** `f_type` of tmpfs and ramfs (linux/magic.h). */
const IN_MEMORY: ReadonlySet<number> = new Set([0x0102_1994, 0x8584_58f6]);

/** Places beside the evidence folder, the best first. */
export function secondPlaces(env: NodeJS.ProcessEnv): readonly Place[] {
  const places: Place[] = [];
  const offer = (label: string, path: string | undefined): void => {
    if (path && !places.some((place) => place.path === path)) places.push({ label, path });
  };
  offer('RUNNER_TEMP', env.RUNNER_TEMP);
  offer(tmpdir(), tmpdir());
  if (process.platform === 'linux') offer('/dev/shm', '/dev/shm');
  return places;
}

/** Memory in bytes that is free in the machine and below the limit of our cgroup; null when neither is known. */
export function freeMemory({ available, limit, used }: HostMemory): number | null {
  const known = [available, limit === null || used === null ? null : limit - used].filter((n) => n !== null);
  return known.length === 0 ? null : Math.max(0, Math.min(...known));
}

/**
 * Bytes that copies may take of a file system. Pure.
 * @param free bytes that are free in it. On a small one (Docker gives a container 64 MiB of /dev/shm) the margin is half of that
 * @param memory null for a disk; else the bytes of memory that are free, of which a quarter may be taken
 */
export function roomIn(free: number, memory: number | null): number {
  const room = free - Math.min(MARGIN_BYTES, free / 2);
  return Math.floor(memory === null ? room : Math.min(room, MEMORY_BYTES, memory / 4));
}

/** Bytes that copies may take in the folder `path`. Throws the system's error. */
export async function roomAt(path: string): Promise<number> {
  const { type, bavail, bsize } = await statfs(path);
  return roomIn(bavail * bsize, IN_MEMORY.has(type) ? (freeMemory(readHostMemory()) ?? 0) : null);
}

/** @param room bytes that copies may take there; null where that cannot be read */
type Measured = Place & { readonly room: number | null };

/** Places in which everything fits, in the order they have; then the others, the roomiest first. Pure. */
export function byRoom(places: readonly Measured[], wanted: number): readonly Measured[] {
  const room = (place: Measured): number => place.room ?? -1;
  const fits = places.filter((place) => room(place) >= wanted);
  const others = places.filter((place) => room(place) < wanted);
  return [...fits, ...others.sort((a, b) => room(b) - room(a))];
}

/** `places` in the order in which they are worth trying for `wanted` bytes. */
export async function measured(places: readonly Place[], wanted: number): Promise<readonly Measured[]> {
  const rooms = places.map(async (place) => ({ ...place, room: await roomAt(place.path).catch(() => null) }));
  return byRoom(await Promise.all(rooms), wanted);
}

const STRAY = /^oom-autopsy-upload-([0-9a-f]{12})-[0-9a-f]{12}$/;
/** Names of a folder that are looked at. */
const MAX_NAMES = 100_000;

/** @param step the step's 12 hexadecimal digits */
export const secondName = (step: string): string => `oom-autopsy-upload-${step}-${randomHex(6)}`;

/**
 * Removes the folder `name` of `parent` with the files in it: copies and documents, all made by us for an upload.
 * @returns true when it is gone
 */
export async function removeSecond(parent: string, name: string): Promise<boolean> {
  try {
    const stat = await lstat(join(parent, name));
    if (!stat.isDirectory() || stat.uid !== (process.getuid?.() ?? stat.uid)) return false;
    const folder = await openFolder(join(parent, name));
    try {
      for await (const entry of await opendir(folder.path)) {
        if (entry.isFile()) await unlink(join(folder.path, entry.name));
      }
    } finally {
      await folder.close();
    }
    await rmdir(join(parent, name));
    return true;
  } catch {
    return false;
  }
}

/**
 * Takes away what a process that was killed has left in `places`: what it staged for `step`, and what any step of ours staged
 * two days ago, since nobody else would give /dev/shm its memory back before the machine starts anew.
 * @param now milliseconds since the epoch
 * @returns how many folders were removed
 */
export async function removeStrays(places: readonly Place[], step: string, now: number): Promise<number> {
  let removed = 0;
  for (const { path } of places) {
    try {
      const folder = await openFolder(await realpath(path));
      try {
        let seen = 0;
        for await (const { name } of await opendir(folder.path, { bufferSize: 1024 })) {
          seen += 1;
          if (seen > MAX_NAMES) break;
          const match = STRAY.exec(name);
          if (!match) continue;
          const stale = async (): Promise<boolean> =>
            now - (await lstat(join(folder.path, name))).mtimeMs > STALE_MS;
          if ((match[1] === step || (await stale())) && (await removeSecond(folder.path, name))) removed += 1;
        }
      } finally {
        await folder.close();
      }
    } catch {
      // A place that cannot be read holds nothing that we could remove.
    }
  }
  return removed;
}
