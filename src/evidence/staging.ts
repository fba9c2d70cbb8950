/**
 * The staging folder inside the evidence folder: hard links to exactly the files that were digested, for the time of an upload.
 * Lives here, and not with publishing, because a main that was killed while uploading leaves it behind, and then
 * every snapshot has two names: collecting has to take the second names away before it may refuse files with two.
 */
import { lstat, opendir, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { randomHex } from '../random.js';
import { parsePageName } from './names.js';
import { openFolder, sameFile, sealOf } from './safe-fs.js';

const STAGING = /^\.upload-[0-9a-f]{12}$/;
const MAX_NAMES = 20_000;
/** Files that are made for an upload and exist in the staging folder alone. */
export const DOCUMENTS: ReadonlySet<string> = new Set(['manifest.json', 'peak.json', 'SHA256SUMS']);

/** A document, or the report page, which is staged under the artifact's name. Cycle pages are evidence. */
const isDocument = (name: string): boolean =>
  DOCUMENTS.has(name) || (name.endsWith('.html') && parsePageName(name) === null);

export const stagingName = (): string => `.upload-${randomHex(6)}`;
export const isStagingName = (name: string): boolean => STAGING.test(name);

/**
 * Removes the staging folder `name` of `folder`: second names of evidence files, the documents made for the
 * upload and the `copies` made where links are not possible. Anything else stays, and so does the folder then: nothing that exists only there is ever removed.
 * Returns true when the folder is gone.
 */
export async function removeStaging(
  folder: string,
  name: string,
  copies: ReadonlySet<string> = new Set(),
): Promise<boolean> {
  try {
    const staging = await openFolder(join(folder, name));
    try {
      let seen = 0;
      for await (const entry of await opendir(staging.path)) {
        seen += 1;
        if (seen > MAX_NAMES) return false;
        const path = join(staging.path, entry.name);
        const staged = await lstat(path, { bigint: true });
        const original = await lstat(join(folder, entry.name), { bigint: true }).catch(() => null);
        const linked = original !== null && sameFile(sealOf(staged), sealOf(original));
        const made = isDocument(entry.name) || copies.has(entry.name);
        if (linked || (made && staged.isFile())) await unlink(path);
      }
    } finally {
      await staging.close();
    }
    await rmdir(join(folder, name));
    return true;
  } catch {
    return false;
  }
}
