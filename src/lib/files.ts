/** Writing files so that no reader ever sees the half of one, and once more where a full disk can be made less full. */
import {
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFile,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { randomHex } from './random.js';

/** Makes room on a full disk. Returns true when there is more of it now. */
export type MakeRoom = () => boolean;
const NO_ROOM: MakeRoom = () => false;

/** Is a disk full, or a quota used up? */
export const isFull = (error: unknown): boolean =>
  /^(ENOSPC|EDQUOT)$/.test(String((error as NodeJS.ErrnoException | null)?.code));

/** Does `work`; where the disk is full, and room could be made, once more. `work` leaves nothing of itself when it fails. */
export async function withRoom<T>(work: () => Promise<T>, makeRoom: MakeRoom = NO_ROOM): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isFull(error) || !makeRoom()) throw error;
    return work();
  }
}

/** The same for work that waits for nothing. */
export function withRoomSync(work: () => void, makeRoom: MakeRoom = NO_ROOM): void {
  try {
    work();
  } catch (error) {
    if (!isFull(error) || !makeRoom()) throw error;
    work();
  }
}

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
/** Path of an open folder, which no rename leads elsewhere; its usual path where the system has no /proc. */
const held = (fd: number, path: string): string =>
  existsSync(`/proc/self/fd/${fd}`) ? `/proc/self/fd/${fd}` : path;

/**
 * Opens a folder of ours. Neither it nor the one around it may be a link: a container that shares them could have
 * put one in their place, to a folder of the host.
 */
function hold(folder: string): { readonly path: string; readonly close: () => void } {
  const around = openSync(dirname(folder), FOLDER);
  try {
    const fd = openSync(join(held(around, dirname(folder)), basename(folder)), FOLDER);
    return { path: held(fd, folder), close: () => closeSync(fd) };
  } finally {
    closeSync(around);
  }
}

/** Writes a file whole or not at all: on a full disk the half of a manifest is worse than none. */
export function writeWhole(path: string, text: string, makeRoom?: MakeRoom): Promise<void> {
  return withRoom(() => writeOnce(path, text), makeRoom);
}

/** Characters of a text that is written at once: the pool of threads would take longer (1 ms of a green step). */
const SMALL = 64 * 1024;

const write = promisify<number, string>(writeFile);

async function writeOnce(path: string, text: string): Promise<void> {
  const folder = hold(dirname(path));
  const half = join(folder.path, `.${basename(path)}.tmp-${randomHex(8)}`);
  try {
    const file = openSync(half, NEW, 0o600);
    try {
      if (text.length <= SMALL) writeFileSync(file, text);
      else await write(file, text);
    } finally {
      closeSync(file);
    }
    renameSync(half, join(folder.path, basename(path)));
  } catch (error) {
    try {
      rmSync(half, { force: true });
    } catch {
      // what it was is told
    }
    throw error;
  } finally {
    folder.close();
  }
}

/** Removes what a `writeWhole` in a folder of ours left that was killed in the middle. */
export function removeHalves(folder: string): void {
  try {
    const open = hold(folder);
    try {
      for (const name of readdirSync(open.path))
        if (/^\..*\.tmp-[0-9a-f]{16}$/.test(name)) rmSync(join(open.path, name), { force: true });
    } finally {
      open.close();
    }
  } catch {
    // nothing is there, or it is not ours to tidy
  }
}
