/**
 * Making sure that what is uploaded is what was digested.
 *
 * The artifact client opens files by path, follows links, and reads whatever is there by then. So it gets a private folder (0700,
 * random name, on the evidence's own file system) with hard links to exactly the inodes that were hashed. That costs no
 * bytes and no time, and a name in the evidence folder that is swapped for a link, a device or another file changes nothing.
 * A link shares its inode, so a process of the step that still runs could write into it: size, modification and change
 * times are compared before and after the upload (a write cannot avoid the change time), and a file that
 * changed is told, by name, never passed over. Where links cannot be made (another user's file, a file system without them) the
 * bytes are copied from the checked handle and hashed again on the way.
 *
 * What this does not see: a write through a shared mapping that was dirty before and stays unflushed. Then `sha256sum -c` on the
 * downloaded files says so. The step can only spoil its own evidence that way.
 */
import { constants, existsSync } from 'node:fs';
import {
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  rm,
  rmdir,
  statfs,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import type { FileRef } from '../evidence/collect.js';
import { digestHandle } from '../evidence/digest.js';
import type { LeftOut } from '../evidence/manifest.js';
import {
  errorCode,
  type OpenFolder,
  openFolder,
  openRegular,
  type Seal,
  sameContent,
  sameSeal,
  sealOf,
} from '../evidence/safe-fs.js';
import { DOCUMENTS, removeStaging, stagingName } from '../evidence/staging.js';
import { formatBytes } from '../lib/bytes.js';
import { isFull, type MakeRoom, withRoom } from '../lib/files.js';

export interface StagedFile extends FileRef {
  /** Seal of the staged name, taken after it was made. */
  readonly staged: Seal;
}

/** Calls that fail on some file systems. Tests let them fail on every one. */
export interface StagingCalls {
  readonly link: (from: string, to: string) => Promise<void>;
  readonly mkdir: (path: string) => Promise<void>;
  readonly write: (path: string, text: string) => Promise<void>;
}

const CALLS: StagingCalls = {
  link,
  mkdir: (path) => mkdir(path, { mode: 0o700 }).then(() => undefined),
  write: (path, text) => writeFile(path, text, { flag: 'wx', mode: 0o600 }),
};

export interface StagingOptions {
  readonly calls?: Partial<StagingCalls>;
  /** Ends a copy that is being made. */
  readonly signal?: AbortSignal | undefined;
  /** What to do on a full disk before a call is tried once more. */
  readonly makeRoom?: MakeRoom | undefined;
}

/** The evidence folder cannot take what an upload needs. The message is the system's code. */
export class Unwritable extends Error {}

const unwritable = (error: unknown): never => {
  throw new Unwritable(errorCode(error));
};

const CHANGED = 'changed after it was digested';
const CANCELLED = Object.assign(new Error('cancelled'), { code: 'ECANCELED' });

const notStaged = (error: unknown): string => {
  const code = errorCode(error);
  return isFull(error) ? `no room to stage it (${code})` : `cannot be staged (${code})`;
};

/** Bytes that copies may take of the file system of `path`: half of what is free, since others use it too. */
async function roomAt(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return Math.floor((bavail * bsize) / 2);
}

/** A staging folder that is open; `close` takes it away. */
export class Staging {
  readonly files: StagedFile[] = [];
  readonly leftOut: LeftOut[] = [];
  /** Seals of our documents, by name. */
  private readonly documents = new Map<string, Seal>();
  private readonly copies = new Set<string>();
  /** Bytes that may still be copied; null until it matters. */
  private room: number | null = null;

  private constructor(
    private readonly evidence: OpenFolder,
    private readonly name: string,
    /** An open handle of the folder, to hand to the process that uploads. */
    readonly handle: FileHandle,
    private readonly path: string,
    private readonly calls: StagingCalls,
    private readonly options: StagingOptions,
  ) {}

  /**
   * Makes the folder for an upload of `step` inside of `dir`. Throws the system's error for an evidence folder that cannot be
   * opened, and `Unwritable` where the staging folder cannot be made.
   */
  static async open(dir: string, step: string, options: StagingOptions = {}): Promise<Staging> {
    const calls = { ...CALLS, ...options.calls };
    const evidence = await openFolder(dir);
    try {
      const name = stagingName(step);
      const path = join(evidence.path, name);
      await withRoom(() => calls.mkdir(path), options.makeRoom);
      try {
        const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
        const proc = `/proc/self/fd/${handle.fd}`;
        const reached = existsSync(proc) ? proc : join(dir, name);
        return new Staging(evidence, name, handle, reached, calls, options);
      } catch (error) {
        await rmdir(path).catch(() => undefined);
        throw error;
      }
    } catch (error) {
      await evidence.close();
      return unwritable(error);
    }
  }

  /** Path that needs no handle, for systems without /proc. */
  get plainPath(): string {
    return this.path;
  }

  /** Adds the file if it is still the one that was digested; else it is in `leftOut`, with the reason. */
  async add(ref: FileRef, until: number): Promise<void> {
    const reason = await this.tryAdd(ref, until).catch(notStaged);
    if (reason !== null) this.leftOut.push({ file: ref.file, bytes: ref.bytes, digest: ref.digest, reason });
  }

  private async tryAdd(ref: FileRef, until: number): Promise<string | null> {
    const opened = await openRegular(this.evidence.path, ref.file);
    if (!opened.ok) return `${CHANGED}: now ${opened.reason}`;
    try {
      if (!sameSeal(opened.seal, ref.seal)) return CHANGED;
      const path = join(this.path, ref.file);
      const link = (): Promise<void> => this.calls.link(join(this.evidence.path, ref.file), path);
      const linked = await withRoom(link, this.options.makeRoom).then(
        () => true,
        () => false,
      );
      const trouble = linked ? null : await this.copy(opened.handle, ref, path, until);
      if (trouble !== null) return trouble;
      const staged = sealOf(await lstat(path, { bigint: true }));
      if (linked && !sameContent(staged, opened.seal)) return CHANGED;
      this.files.push({ ...ref, staged });
      return null;
    } finally {
      await opened.handle.close();
    }
  }

  /** Copies within the room there is. @returns why not, or null */
  private async copy(from: FileHandle, ref: FileRef, path: string, until: number): Promise<string | null> {
    this.room ??= await roomAt(this.path);
    if (ref.bytes > this.room)
      return `no room to stage it: ${formatBytes(this.room)} may still be used in the evidence folder`;
    const to = await open(path, 'wx', 0o600);
    this.copies.add(ref.file);
    let trouble: string | null = CHANGED;
    try {
      const result = await digestHandle(from, {
        maxBytes: ref.bytes,
        until,
        onChunk: async (chunk) => {
          if (this.options.signal?.aborted) throw CANCELLED;
          for (let done = 0; done < chunk.length; ) done += (await to.write(chunk, done)).bytesWritten;
        },
      });
      if (result.ok && result.digest === ref.digest) trouble = null;
      else if (!result.ok && result.reason === 'too-slow') trouble = 'out of time while it was copied';
    } catch (error) {
      trouble = notStaged(error);
    } finally {
      await to.close();
    }
    if (trouble === null) this.room -= ref.bytes;
    // The half of a copy is of no use, and takes the room of the next.
    else await unlink(path).then(() => this.copies.delete(ref.file));
    return trouble;
  }

  /** Writes a document of ours (`manifest.json`, `SHA256SUMS`, a page) into the folder. Throws `Unwritable`. */
  async write(name: string, text: string): Promise<void> {
    if (!DOCUMENTS.has(name)) this.copies.add(name);
    const path = join(this.path, name);
    const write = (): Promise<void> =>
      this.calls.write(path, text).catch(async (error) => {
        await rm(path, { force: true });
        throw error;
      });
    await withRoom(write, this.options.makeRoom).catch(unwritable);
    this.documents.set(name, sealOf(await lstat(path, { bigint: true }).catch(unwritable)));
  }

  /** Takes documents away again, to write them anew. */
  async discard(names: readonly string[]): Promise<void> {
    for (const name of names) await unlink(join(this.path, name));
  }

  /** Staged files and documents that are not what they were when they were staged, by name, each with what became of it. */
  async changed(): Promise<ReadonlyMap<string, string>> {
    const changed = new Map<string, string>();
    const staged = [...this.files.map((f) => [f.file, f.staged] as const), ...this.documents];
    for (const [file, seal] of staged) {
      const now = await lstat(join(this.path, file), { bigint: true }).catch(() => null);
      if (now === null) changed.set(file, 'vanished while it was uploaded');
      else if (!sameSeal(sealOf(now), seal))
        changed.set(file, 'changed while it was uploaded: the artifact may hold other bytes');
    }
    return changed;
  }

  /** Takes the folder away. False when something is left: then it holds something found nowhere else. */
  async close(): Promise<boolean> {
    await this.handle.close().catch(() => undefined);
    const gone = await removeStaging(this.evidence.path, this.name, this.copies);
    await this.evidence.close().catch(() => undefined);
    return gone;
  }
}
