/**
 * What is uploaded is what was digested: files are opened once more, compared with their seals, and held open
 * until the upload is through. The uploading process gets these descriptors and no path, so it changes nothing
 * whoever renames, removes or replaces a name meanwhile, in this folder or in a container that shares it.
 * Our own documents are files without a name, made by O_EXCL under a name that nobody can guess.
 *
 * A process of the step may still write into a file of its own: size, modification and change times are
 * compared before and after the upload, and a file that changed is told. What this does not see: a write
 * through a shared mapping that was dirty before and stays unflushed. Then `sha256sum -c` on the downloaded
 * files says so. The step can only spoil its own evidence that way.
 */
import { constants, promises, readFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileRef } from '../evidence/collect.js';
import type { LeftOut } from '../evidence/manifest.js';
import {
  errorCode,
  type OpenFolder,
  openFolder,
  openRegular,
  type Seal,
  sameSeal,
  sealOf,
} from '../evidence/safe-fs.js';
import { type MakeRoom, withRoom } from '../lib/files.js';
import { randomHex } from '../lib/random.js';

/** The folder for our documents cannot take them. The message is the system's code. */
export class Unwritable extends Error {}

const CHANGED = 'changed after it was digested';
/** Descriptors for everything else that main has open. */
const SPARE = 256;

/** Files that may be held: below the limit of open files, which Node has raised to the hard one. */
function mostOpen(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return Math.max(SPARE, Number(soft ?? 1024) - SPARE);
  } catch {
    return 1024 - SPARE;
  }
}

interface Held {
  readonly handle: FileHandle;
  readonly seal: Seal;
}

/** Files and documents of one upload, held open; `close` lets go of them. */
export class Sealed {
  readonly files: FileRef[] = [];
  readonly leftOut: LeftOut[] = [];
  private readonly held = new Map<string, Held>();
  private readonly most = mostOpen();

  private constructor(
    private readonly evidence: OpenFolder | null,
    private readonly scratch: string,
    private readonly makeRoom: MakeRoom | undefined,
  ) {}

  /**
   * @param dir the evidence folder, or null for documents alone. Throws the system's error where it cannot be opened.
   * @param scratch folder for our documents, which leave no name there
   */
  static async open(dir: string | null, scratch: string, makeRoom?: MakeRoom): Promise<Sealed> {
    return new Sealed(dir === null ? null : await openFolder(dir), scratch, makeRoom);
  }

  /** Holds the file if it is still the one that was digested; else it is in `leftOut`, with the reason. */
  async add(ref: FileRef): Promise<void> {
    const reason = await this.tryAdd(ref).catch((error) => `cannot be read (${errorCode(error)})`);
    if (reason !== null) this.leftOut.push({ file: ref.file, bytes: ref.bytes, digest: ref.digest, reason });
  }

  private async tryAdd(ref: FileRef): Promise<string | null> {
    if (this.held.size >= this.most) return `more files than may be open at a time here (${this.most})`;
    const opened = await openRegular(this.evidence?.path ?? '', ref.file);
    if (!opened.ok) return `${CHANGED}: now ${opened.reason}`;
    if (!sameSeal(opened.seal, ref.seal)) {
      await opened.handle.close();
      return CHANGED;
    }
    this.held.set(ref.file, opened);
    this.files.push(ref);
    return null;
  }

  /** Makes a document of ours (`manifest.json`, `SHA256SUMS`, a page), in place of one of that name. Throws `Unwritable`. */
  async write(name: string, text: string): Promise<void> {
    await this.held.get(name)?.handle.close();
    this.held.delete(name);
    const make = async (): Promise<FileHandle> => {
      const handle = await nameless(this.scratch);
      try {
        await handle.writeFile(text);
        return handle;
      } catch (error) {
        await handle.close();
        throw error;
      }
    };
    const handle = await withRoom(make, this.makeRoom).catch((error: unknown) => {
      throw new Unwritable(errorCode(error));
    });
    this.held.set(name, { handle, seal: sealOf(await handle.stat({ bigint: true })) });
  }

  /** Descriptors of these files and documents, in this order. */
  descriptors(names: readonly string[]): readonly number[] {
    return names.map((name) => this.held.get(name)?.handle.fd ?? -1);
  }

  /** Names of files that are not what they were when they were opened. */
  async changed(): Promise<ReadonlySet<string>> {
    const changed = new Set<string>();
    for (const [file, { handle, seal }] of this.held) {
      if (!sameSeal(sealOf(await handle.stat({ bigint: true })), seal)) changed.add(file);
    }
    return changed;
  }

  async close(): Promise<void> {
    for (const { handle } of this.held.values()) await handle.close().catch(() => undefined);
    await this.evidence?.close().catch(() => undefined);
  }
}

/** A file that only its descriptor reaches. */
async function nameless(scratch: string): Promise<FileHandle> {
  const folder = await openFolder(scratch);
  try {
    const path = join(folder.path, `.${randomHex(16)}`);
    const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
    const handle = await promises.open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    await promises.unlink(path).catch(() => undefined);
    return handle;
  } finally {
    await folder.close();
  }
}
