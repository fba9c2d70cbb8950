/**
 * Taking the evidence folder away once artifacts hold all of it. Only files that were collected, and are still what was collected,
 * are ever removed, and the folder only when it is empty then: what came in between by anybody stays, and keeps the rest.
 */
import { promises } from 'node:fs';
import { join } from 'node:path';
import type { Evidence, FileRef } from '../evidence/collect.js';
import type { Manifest, ManifestFile } from '../evidence/manifest.js';
import { errorCode, openFolder, sameSeal, sealOf } from '../evidence/safe-fs.js';

/** A file by its name and what is in it. */
export const fileKey = ({ file, digest }: Pick<ManifestFile, 'file' | 'digest'>): string =>
  `${file} ${digest}`;

/** Every file of the evidence. */
export const filesOf = ({ receipts, snapshots }: Evidence): readonly FileRef[] => [...receipts, ...snapshots];

/** Files that the artifact of an account holds, as they were digested; none where it has no artifact. */
export function heldFiles({ files, snapshots, published }: Manifest): readonly ManifestFile[] {
  if (published.state !== 'uploaded') return [];
  const left = new Set(published.left_out.map(({ file }) => file));
  return [...files, ...snapshots].filter(({ file }) => !left.has(file));
}

/** Do the artifacts of `accounts` hold all that lies in the folder, as it lies there, and all that they were to hold? Pure. */
export function isSpent(evidence: Evidence, accounts: readonly Manifest[]): boolean {
  const held = new Set(accounts.flatMap(heldFiles).map(fileKey));
  return (
    held.size > 0 &&
    evidence.rejectedCount === 0 &&
    accounts.every(({ published }) => published.left_out.length === 0) &&
    filesOf(evidence).every((file) => held.has(fileKey(file)))
  );
}

/**
 * Removes the files of `evidence` and their folder. Where one has changed, or another has come, all of them stay.
 * @returns true when the folder is gone
 */
export async function removeSpent(evidence: Evidence): Promise<boolean> {
  const seals = new Map(filesOf(evidence).map(({ file, seal }) => [file, seal]));
  try {
    const folder = await openFolder(evidence.dir);
    try {
      const same = async (name: string): Promise<boolean> => {
        const seal = seals.get(name);
        const now = await promises.lstat(join(folder.path, name), { bigint: true }).catch(() => null);
        return seal !== undefined && now !== null && sameSeal(sealOf(now), seal);
      };
      for await (const { name } of await promises.opendir(folder.path, { bufferSize: 1024 })) {
        if (!(await same(name))) return false;
      }
      for (const name of seals.keys()) {
        if (await same(name)) await promises.unlink(join(folder.path, name));
      }
    } finally {
      await folder.close();
    }
    await promises.rmdir(evidence.dir);
    return true;
  } catch (error) {
    return errorCode(error) === 'ENOENT';
  }
}
