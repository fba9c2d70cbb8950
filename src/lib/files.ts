/** Writing files so that no reader ever sees the half of one. */
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Writes a file whole or not at all: on a full disk the half of a manifest is worse than none. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const half = `${path}.tmp-${process.pid}`;
  try {
    await writeFile(half, text, { mode: 0o600 });
    await rename(half, path);
  } catch (error) {
    await rm(half, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Removes what a `writeWhole` in a folder of ours left that was killed in the middle. */
export async function removeHalves(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [] as string[]);
  const halves = names.filter((name) => /\.tmp-\d+$/.test(name));
  await Promise.all(halves.map((name) => rm(join(folder, name), { force: true }).catch(() => undefined)));
}
