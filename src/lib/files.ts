/** Writing files so that no reader ever sees the half of one, and once more where a full disk can be made less full. */
import { promises, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

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

/** Writes a file whole or not at all: on a full disk the half of a manifest is worse than none. */
export function writeWhole(path: string, text: string, makeRoom?: MakeRoom): Promise<void> {
  return withRoom(() => writeOnce(path, text), makeRoom);
}

/** Characters of a text that is written at once: the pool of threads would take longer (1 ms of a green step). */
const SMALL = 64 * 1024;

async function writeOnce(path: string, text: string): Promise<void> {
  const half = `${path}.tmp-${process.pid}`;
  try {
    if (text.length <= SMALL) {
      writeFileSync(half, text, { mode: 0o600 });
      renameSync(half, path);
      return;
    }
    await promises.writeFile(half, text, { mode: 0o600 });
    await promises.rename(half, path);
  } catch (error) {
    try {
      rmSync(half, { force: true });
    } catch {
      // what it was is told
    }
    throw error;
  }
}

/** Removes what a `writeWhole` in a folder of ours left that was killed in the middle. */
export async function removeHalves(folder: string): Promise<void> {
  const names = await promises.readdir(folder).catch(() => [] as string[]);
  const halves = names.filter((name) => /\.tmp-\d+$/.test(name));
  await Promise.all(
    halves.map((name) => promises.rm(join(folder, name), { force: true }).catch(() => undefined)),
  );
}
