/** Writing files so that no reader ever sees the half of one. */
import { rename, rm, writeFile } from 'node:fs/promises';

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
