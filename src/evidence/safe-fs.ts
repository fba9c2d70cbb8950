/**
 * File system calls on a folder that a hostile program may be changing at the same moment.
 *
 * The folder is opened once; every name in it is then reached through `/proc/self/fd/<n>/`, so replacing the
 * folder by a link has no effect. A file is first checked by lstat, so that no device is opened. It is opened
 * with O_NOFOLLOW and O_NONBLOCK: a plain open of a FIFO would hang, and then even `process.exit` hangs
 * (measured on Node 20 and 24). The decision is made by fstat of the handle that is read.
 */
// As a property: `node:fs/promises` takes 2 ms to load, which a step without evidence need not.
import { type BigIntStats, constants, existsSync, promises } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Identity of a file when it was digested. Strings, so that it can be saved as JSON; times in nanoseconds.
 */
export interface Seal {
  readonly dev: string;
  readonly ino: string;
  readonly size: string;
  readonly mtime: string;
  /** Changes with every write, and cannot be set back by the file's owner. A new link changes it too. */
  readonly ctime: string;
}

export const sealOf = (stat: BigIntStats): Seal => ({
  dev: String(stat.dev),
  ino: String(stat.ino),
  size: String(stat.size),
  mtime: String(stat.mtimeNs),
  ctime: String(stat.ctimeNs),
});

/** Same file with the same content, as far as size and times tell. */
export const sameSeal = (a: Seal, b: Seal): boolean =>
  a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtime === b.mtime && a.ctime === b.ctime;

export interface OpenFolder {
  /** Path to join names to: through the open handle where the system has /proc. */
  readonly path: string;
  close(): Promise<void>;
}

/** Opens `dir`, which must be a folder and not a link to one. Throws the system's own error. */
export async function openFolder(dir: string): Promise<OpenFolder> {
  const handle = await promises.open(dir, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const proc = `/proc/self/fd/${handle.fd}`;
  return { path: existsSync(proc) ? proc : dir, close: () => handle.close() };
}

export type OpenedFile =
  | { readonly ok: true; readonly handle: FileHandle; readonly seal: Seal }
  | { readonly ok: false; readonly reason: string };

/** Why this file must not be read, or null. */
function refuse(stat: BigIntStats): string | null {
  if (stat.isSymbolicLink()) return 'a symbolic link';
  if (stat.isDirectory()) return 'a folder';
  if (stat.isFIFO()) return 'a FIFO';
  if (stat.isSocket()) return 'a socket';
  if (stat.isBlockDevice() || stat.isCharacterDevice()) return 'a device';
  if (!stat.isFile()) return 'not a regular file';
  // A second hard link may be outside the folder: another user's file that was linked in.
  if (stat.nlink > 1n) return `a hard link (${stat.nlink} names share this file)`;
  return null;
}

/** Opens the regular file `name` in `folder` for reading, or says why not. The caller closes the handle. */
export async function openRegular(folder: string, name: string): Promise<OpenedFile> {
  const path = join(folder, name);
  let handle: FileHandle | undefined;
  try {
    const seen = refuse(await promises.lstat(path, { bigint: true }));
    if (seen) return { ok: false, reason: seen };
    handle = await promises.open(
      path,
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY,
    );
    const stat = await handle.stat({ bigint: true });
    const held = refuse(stat);
    if (held === null) return { ok: true, handle, seal: sealOf(stat) };
    await handle.close();
    return { ok: false, reason: held };
  } catch (error) {
    await handle?.close().catch(() => undefined);
    return { ok: false, reason: `cannot be read (${errorCode(error)})` };
  }
}

/** Text of the regular file `name` in `dir`. Throws where it is none, or longer than `maxBytes`. */
export async function readRegular(dir: string, name: string, maxBytes: number): Promise<string> {
  const folder = await openFolder(dir);
  try {
    const opened = await openRegular(folder.path, name);
    if (!opened.ok) throw new Error(opened.reason);
    try {
      if (Number(opened.seal.size) > maxBytes) throw new Error(`longer than ${maxBytes} bytes`);
      return await opened.handle.readFile('utf8');
    } finally {
      await opened.handle.close();
    }
  } finally {
    await folder.close();
  }
}

/** True when `handle` and the name in the folder are still the file that `seal` describes, unchanged. */
export async function stillSealed(
  folder: string,
  name: string,
  handle: FileHandle,
  seal: Seal,
): Promise<boolean> {
  const held = sealOf(await handle.stat({ bigint: true }));
  const there = await promises.lstat(join(folder, name), { bigint: true }).catch(() => null);
  return there !== null && sameSeal(held, seal) && sameSeal(sealOf(there), seal);
}

/** `ENOENT` and the like; never the message, which holds paths. */
export function errorCode(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : error instanceof Error ? error.name : 'unknown error';
}
