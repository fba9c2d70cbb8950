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
import { type FileHandle, link, lstat, mkdir, open, unlink, writeFile } from 'node:fs/promises';
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

export interface StagedFile extends FileRef {
  /** Seal of the staged name, taken after it was made. */
  readonly staged: Seal;
}

type LinkFile = (from: string, to: string) => Promise<void>;

/** A staging folder that is open; `close` takes it away. */
export class Staging {
  readonly files: StagedFile[] = [];
  readonly leftOut: LeftOut[] = [];
  private readonly copies = new Set<string>();

  private constructor(
    private readonly evidence: OpenFolder,
    private readonly name: string,
    /** An open handle of the folder, to hand to the process that uploads. */
    readonly handle: FileHandle,
    private readonly path: string,
    private readonly link: LinkFile,
  ) {}

  /** Makes the folder inside of `dir`. Throws the system's error: no space, read-only, not there. */
  static async open(dir: string, linkFile: LinkFile = link): Promise<Staging> {
    const evidence = await openFolder(dir);
    try {
      const name = stagingName();
      const path = join(evidence.path, name);
      await mkdir(path, { mode: 0o700 });
      const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
      const proc = `/proc/self/fd/${handle.fd}`;
      return new Staging(evidence, name, handle, existsSync(proc) ? proc : join(dir, name), linkFile);
    } catch (error) {
      await evidence.close();
      throw error;
    }
  }

  /** Path that needs no handle, for systems without /proc. */
  get plainPath(): string {
    return this.path;
  }

  /** Adds the file if it is still the one that was digested; else it is in `leftOut`, with the reason. */
  async add(ref: FileRef, until: number): Promise<void> {
    const reason = await this.tryAdd(ref, until).catch(
      (error: unknown) => `cannot be staged (${errorCode(error)})`,
    );
    if (reason !== null) this.leftOut.push({ file: ref.file, bytes: ref.bytes, digest: ref.digest, reason });
  }

  private async tryAdd(ref: FileRef, until: number): Promise<string | null> {
    const changed = 'changed after it was digested';
    const opened = await openRegular(this.evidence.path, ref.file);
    if (!opened.ok) return `${changed}: now ${opened.reason}`;
    try {
      if (!sameSeal(opened.seal, ref.seal)) return changed;
      const path = join(this.path, ref.file);
      const linked = await this.link(join(this.evidence.path, ref.file), path).then(
        () => true,
        () => false,
      );
      if (!linked && !(await this.copy(opened.handle, ref, path, until))) return changed;
      const staged = sealOf(await lstat(path, { bigint: true }));
      if (linked && !sameContent(staged, opened.seal)) return changed;
      this.files.push({ ...ref, staged });
      return null;
    } finally {
      await opened.handle.close();
    }
  }

  private async copy(from: FileHandle, ref: FileRef, path: string, until: number): Promise<boolean> {
    const to = await open(path, 'wx', 0o600);
    this.copies.add(ref.file);
    try {
      const result = await digestHandle(from, {
        maxBytes: ref.bytes,
        until,
        onChunk: async (chunk) => {
          for (let done = 0; done < chunk.length; ) done += (await to.write(chunk, done)).bytesWritten;
        },
      });
      return result.ok && result.digest === ref.digest;
    } finally {
      await to.close();
    }
  }

  /** Writes a document of ours (`manifest.json`, `SHA256SUMS`, a page) into the folder. */
  async write(name: string, text: string): Promise<void> {
    if (!DOCUMENTS.has(name)) this.copies.add(name);
    await writeFile(join(this.path, name), text, { flag: 'wx', mode: 0o600 });
  }

  /** Takes documents away again, to write them anew. */
  async discard(names: readonly string[]): Promise<void> {
    for (const name of names) await unlink(join(this.path, name));
  }

  /** Names of staged files that are not what they were when they were staged. */
  async changed(): Promise<readonly string[]> {
    const names: string[] = [];
    for (const { file, staged } of this.files) {
      const now = await lstat(join(this.path, file), { bigint: true }).catch(() => null);
      if (now === null || !sameSeal(sealOf(now), staged)) names.push(file);
    }
    return names;
  }

  /** Takes the folder away. False when something is left: then it holds something found nowhere else. */
  async close(): Promise<boolean> {
    await this.handle.close().catch(() => undefined);
    const gone = await removeStaging(this.evidence.path, this.name, this.copies);
    await this.evidence.close().catch(() => undefined);
    return gone;
  }
}
