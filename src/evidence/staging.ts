/**
 * The staging folder inside the evidence folder: hard links to exactly the files that were digested, for the
 * time of an upload. It is here and not with publishing because a main killed during an upload leaves it
 * behind. Every snapshot then has two hard links, and collecting must remove the second before it rejects
 * files with two.
 */
import { promises } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { randomHex } from '../lib/random.js';
import { openFolder, openRegular, sameFile, sealOf, stillSealed } from './safe-fs.js';

const STAGING = /^\.upload-([0-9a-f]{12})-[0-9a-f]{12}$/;
const MAX_NAMES = 20_000;
/** Twice the longest time that publishing may be given: no upload of any step still runs. */
export const STALE_MS = 2 * 86_400_000;
/** Files that are made for an upload and exist in the staging folder alone. */
export const DOCUMENTS: ReadonlySet<string> = new Set(['manifest.json', 'memory.json', 'SHA256SUMS']);

/** A document, or the report page, which is staged under the artifact's name. */
const isDocument = (name: string): boolean => DOCUMENTS.has(name) || name.endsWith('.html');

/**
 * @param step the step's 12 hexadecimal digits: so that another step in a shared folder does not remove it
 */
export const stagingName = (step: string): string => `.upload-${step}-${randomHex(6)}`;
/** The step whose upload has a staging folder of this name; null for any other name. */
export const stagingStep = (name: string): string | null => STAGING.exec(name)?.[1] ?? null;

const RESERVE = /^\.reserve-[0-9a-f]{12}$/;
/** The file that keeps room on the disk for the end of a step: no evidence, in the evidence folder or elsewhere. */
export const reserveName = (step: string): string => `.reserve-${step}`;
export const isReserve = (name: string): boolean => RESERVE.test(name);

/**
 * Was the upload of the staging folder `name` interrupted? One of `step` was, since the caller is not
 * uploading now. One of another step may still be running on any machine that shares the folder, until it is
 * too old.
 * @param now milliseconds since the epoch
 */
export async function isInterrupted(
  folder: string,
  name: string,
  step: string,
  now: number,
): Promise<boolean> {
  if (stagingStep(name) === step) return true;
  const stat = await promises.lstat(join(folder, name)).catch(() => null);
  return stat !== null && now - stat.mtimeMs > STALE_MS;
}

const CHUNK = 2 ** 20;
/**
 * Longest time, in milliseconds, for comparing copies with what they are copies of. They come from a cache or
 * a local disk.
 */
export const COMPARE_MS = 30_000;

/** Fills `buffer` from `position` of the file on; fewer bytes only at its end. */
async function readFully(file: FileHandle, buffer: Buffer, position: number): Promise<number> {
  let done = 0;
  while (done < buffer.length) {
    const { bytesRead } = await file.read(buffer, done, buffer.length - done, position + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return done;
}

/**
 * Are the bytes of `copy` the first of `original`, or all of them? False when `until` (`performance.now()`)
 * comes first.
 */
async function isBeginning(copy: FileHandle, original: FileHandle, until: number): Promise<boolean> {
  const [left, right] = [Buffer.allocUnsafe(CHUNK), Buffer.allocUnsafe(CHUNK)];
  for (let position = 0; ; position += CHUNK) {
    if (performance.now() > until) return false;
    const bytes = await readFully(copy, left, position);
    if (bytes === 0) return true;
    const there = await readFully(original, right.subarray(0, bytes), position);
    if (there !== bytes || left.compare(right, 0, bytes, 0, bytes) !== 0) return false;
  }
}

/**
 * Is the file `name` of `staging` a whole or partial copy of the one in `folder`? It can then be removed
 * without loss. Where hard links cannot be made an upload copies the files, and a kill leaves copies that
 * nothing lists.
 */
async function isCopy(staging: string, folder: string, name: string, until: number): Promise<boolean> {
  const copy = await openRegular(staging, name);
  if (!copy.ok) return false;
  try {
    const original = await openRegular(folder, name);
    if (!original.ok) return false;
    try {
      return (
        BigInt(copy.seal.size) <= BigInt(original.seal.size) &&
        (await isBeginning(copy.handle, original.handle, until)) &&
        (await stillSealed(staging, name, copy.handle, copy.seal)) &&
        (await stillSealed(folder, name, original.handle, original.seal))
      );
    } finally {
      await original.handle.close();
    }
  } finally {
    await copy.handle.close();
  }
}

/**
 * Removes the staging folder `name` of `folder`: second names of evidence files, copies of them, the
 * documents made for the upload and the `copies` that are known to be ours. Any other file stays, and then so
 * does the folder: a file that exists only there is never removed.
 * @param until `performance.now()` up to which files are compared
 * @returns true when the folder was removed
 */
export async function removeStaging(
  folder: string,
  name: string,
  copies: ReadonlySet<string> = new Set(),
  until = performance.now() + COMPARE_MS,
): Promise<boolean> {
  try {
    const staging = await openFolder(join(folder, name));
    try {
      let seen = 0;
      for await (const entry of await promises.opendir(staging.path)) {
        seen += 1;
        if (seen > MAX_NAMES) return false;
        const path = join(staging.path, entry.name);
        const staged = await promises.lstat(path, { bigint: true });
        const original = await promises.lstat(join(folder, entry.name), { bigint: true }).catch(() => null);
        const linked = original !== null && sameFile(sealOf(staged), sealOf(original));
        const made = (isDocument(entry.name) || copies.has(entry.name)) && staged.isFile();
        if (linked || made || (await isCopy(staging.path, folder, entry.name, until)))
          await promises.unlink(path);
      }
    } finally {
      await staging.close();
    }
    await promises.rmdir(join(folder, name));
    return true;
  } catch {
    return false;
  }
}
