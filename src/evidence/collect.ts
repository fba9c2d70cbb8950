/**
 * Collects the evidence: the receipts and snapshots of this step, with their digests.
 *
 * The folder is untrusted: the step may have run code from a fork, and its processes may still be running. A
 * file is accepted only if it is a plain file in this folder, without a second hard link, with a name that
 * the shim uses, within the size limit, and unchanged while it was read. Every other file is listed with the
 * reason, in words that are safe to show. A snapshot is bytes: it is hashed and never parsed.
 */
import { type FileHandle, lstat, opendir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type Digest, digestHandle } from './digest.js';
import {
  displayName,
  isReserve,
  isSafeName,
  type Owner,
  ownerKey,
  parseReceiptName,
  parseSnapshotName,
  parseUnfinishedName,
  type SnapshotName,
} from './names.js';
import { MAX_RECEIPT_BYTES, type Receipt, type ReceiptHistory } from './receipt.js';
import { type Rejected, type RejectedReason, Rejections } from './rejected.js';
import { errorCode, openFolder, openRegular, type Seal, stillSealed } from './safe-fs.js';

export interface FileRef {
  readonly file: string;
  readonly bytes: number;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  /** What the file was when it was digested; publishing compares. */
  readonly seal: Seal;
}

export type CollectedReceipt = Receipt & FileRef;

export interface SnapshotFile extends FileRef, SnapshotName {
  /** File name of the receipt of the process that wrote it; null for an orphan. */
  readonly receipt: string | null;
  /** True when its process left no (readable) receipt: all that is known comes from the name. */
  readonly orphan: boolean;
  readonly device: number | null;
  readonly time: number | null;
  /** `unknown` when no receipt lists it. */
  readonly history: ReceiptHistory | 'unknown';
  readonly notes: readonly string[];
}

/** A receipt or snapshot that by name and age belongs to this step and could not be read or parsed. */
export interface Unread {
  readonly owner: Owner;
  readonly reason: string;
}

export interface Evidence {
  readonly dir: string;
  readonly step: string;
  readonly receipts: readonly CollectedReceipt[];
  readonly snapshots: readonly SnapshotFile[];
  /** Receipts and snapshots of this step that could not be read. */
  readonly unread: readonly Unread[];
  /** Why the folder itself cannot be read, or null. */
  readonly folderFault: string | null;
  /** A sample of each kind, the rarest kind first; `rejectedCount` counts all. */
  readonly rejected: readonly Rejected[];
  readonly rejectedCount: number;
  /** How many of each kind; they add up to `rejectedCount`. */
  readonly rejectedReasons: readonly RejectedReason[];
  /** Our own failures, one line each. */
  readonly faults: readonly string[];
}

export interface CollectLimits {
  /** Number of names read from the folder. */
  readonly names: number;
  readonly receipts: number;
  /** Bytes of all receipts together: they are held in memory, and the manifest repeats most of them. */
  readonly receiptBytes: number;
  readonly snapshots: number;
  /** Bytes of one snapshot. */
  readonly snapshotBytes: number;
  /** Bytes that are hashed in all. */
  readonly totalBytes: number;
  readonly rejected: number;
  readonly milliseconds: number;
}

export const COLLECT_LIMITS: CollectLimits = {
  names: 250_000,
  receipts: 4096,
  receiptBytes: 64 * 2 ** 20,
  snapshots: 4096,
  snapshotBytes: 32 * 2 ** 30,
  totalBytes: 256 * 2 ** 30,
  rejected: 100,
  milliseconds: 300_000,
};

export interface CollectOptions {
  readonly dir: string;
  /** The step's 12 hexadecimal digits: a shared folder may hold receipts of other steps. */
  readonly step: string;
  readonly limits?: Partial<CollectLimits>;
  /**
   * Start of the step, in milliseconds since the epoch. An unreadable file that is older belongs to another
   * step.
   */
  readonly since?: number;
  /** Ends the hashing of snapshots at once: a cancel leaves seconds. post hashes what is left. */
  readonly signal?: AbortSignal | undefined;
  /** Is this unfinished dump abandoned? Without this function all of them are kept. */
  readonly isGone?: IsGone;
}

/**
 * Has the writer of an unfinished dump exited? If so the dump is removed: it is useless, and it may be what
 * filled the disk. The arguments are the writer's pid, the file's name, which begins with the writer's host,
 * and the time of the last write in milliseconds since the epoch.
 */
export type IsGone = (pid: number, file: string, modified: number) => boolean;

const OTHER_STEP = 'of another step';

const ATTEMPTS = 3;
/** Tolerance for the clock of a file server. */
const CLOCKS_MS = 60_000;
/** Most unfinished dumps that are examined: one for each possible receipt. */
const MOST_UNFINISHED = 4096;

/** Collects what is in `dir`. Never throws: a folder that cannot be read is a fault and no evidence. */
export async function collect(options: CollectOptions): Promise<Evidence> {
  const limits = { ...COLLECT_LIMITS, ...options.limits };
  const { dir, step, since = 0, isGone = () => false, signal } = options;
  const collector = new Collector(dir, step, limits, since, isGone, signal);
  try {
    await collector.run();
  } catch (error) {
    collector.folderFault = errorCode(error);
    collector.faults.push(`the evidence folder cannot be read (${collector.folderFault})`);
  }
  return collector.evidence();
}

interface Names {
  readonly receipts: string[];
  readonly snapshots: string[];
}

type Content = FileRef & { readonly text: string | null };

class Collector {
  readonly faults: string[] = [];
  folderFault: string | null = null;
  private readonly receipts: CollectedReceipt[] = [];
  private readonly snapshots: SnapshotFile[] = [];
  private readonly unread: Unread[] = [];
  private readonly rejections: Rejections;
  /** Processes of other steps that share the folder. Their snapshots are rejected as well. */
  private readonly strangers = new Set<string>();
  private unfinishedSeen = 0;
  private hashed = 0;
  private receiptBytes = 0;
  private readonly until: number;
  private folder = '';

  constructor(
    private readonly dir: string,
    private readonly step: string,
    private readonly limits: CollectLimits,
    private readonly since: number,
    private readonly isGone: IsGone,
    private readonly signal?: AbortSignal,
  ) {
    this.until = performance.now() + limits.milliseconds;
    this.rejections = new Rejections(limits.rejected);
  }

  evidence(): Evidence {
    const { dir, step, receipts, snapshots, unread, folderFault, faults, rejections } = this;
    const rejected = {
      rejected: rejections.list(),
      rejectedCount: rejections.count,
      rejectedReasons: rejections.reasons(),
    };
    return { dir, step, receipts, snapshots, unread, folderFault, ...rejected, faults };
  }

  async run(): Promise<void> {
    const folder = await openFolder(this.dir);
    this.folder = folder.path;
    try {
      const names = await this.list();
      // Receipts of processes with a snapshot come first, so that a flood of foreign files cannot displace
      // them.
      const dumped = new Set(names.snapshots.map((name) => keyOf(parseSnapshotName(name))));
      const hasDump = (name: string): boolean => dumped.has(keyOf(parseReceiptName(name)));
      const receipts = [
        ...names.receipts.filter(hasDump),
        ...names.receipts.filter((name) => !hasDump(name)),
      ];
      for (const name of this.some(receipts, this.limits.receipts, 'receipts')) await this.receipt(name);
      for (const name of receipts.slice(this.limits.receipts))
        await this.missed(parseReceiptName(name), name, 'too many receipts');
      // The size of the table of processes is bounded by now: one entry per accepted receipt.
      const owners = new Map(this.receipts.map((r) => [ownerKey(r), r]));
      const listed = new Map(this.receipts.flatMap((r) => r.snapshots.map((s) => [s.file, s] as const)));
      // Snapshots that a receipt lists come first, so that a flood of foreign files cannot displace them.
      names.snapshots.sort((a, b) => Number(listed.has(b)) - Number(listed.has(a)));
      const snapshots = this.own(names.snapshots, parseSnapshotName);
      for (const name of this.some(snapshots, this.limits.snapshots, 'snapshots')) {
        await this.snapshot(name, owners);
      }
    } finally {
      await folder.close();
    }
  }

  private reject(name: string, reason: string, bytes: number | null = null): void {
    this.rejections.add({ name: displayName(name), reason, bytes });
  }

  /** Names that belong to this step. Those of processes whose receipt names another step are rejected. */
  private own(names: readonly string[], parse: (name: string) => Owner | null): readonly string[] {
    return names.filter((name) => {
      const stranger = this.strangers.has(keyOf(parse(name)));
      if (stranger) this.reject(name, OTHER_STEP);
      return !stranger;
    });
  }

  /** The first `limit` names. The rest are counted as rejected, with one line. */
  private some(names: readonly string[], limit: number, what: string): readonly string[] {
    if (names.length > limit) {
      this.rejections.skip(`not looked at: too many ${what}`, names.length - limit);
      this.faults.push(`${names.length} ${what} are in the evidence folder: only ${limit} were looked at`);
    }
    return names.slice(0, limit);
  }

  private async list(): Promise<Names> {
    const names: Names = { receipts: [], snapshots: [] };
    let seen = 0;
    for await (const { name } of await opendir(this.folder, { bufferSize: 1024 })) {
      seen += 1;
      if (seen > this.limits.names || performance.now() > this.until) {
        this.faults.push(`the evidence folder holds more than ${seen - 1} names: the rest was not looked at`);
        break;
      }
      if (!isReserve(name)) await this.sort(name, names);
    }
    for (const list of [names.receipts, names.snapshots]) list.sort();
    return names;
  }

  private async sort(name: string, names: Names): Promise<void> {
    const unfinished = parseUnfinishedName(name);
    if (parseReceiptName(name)) names.receipts.push(name);
    else if (parseSnapshotName(name)) names.snapshots.push(name);
    else if (unfinished !== null) {
      await this.unfinished(name, unfinished);
    } else {
      this.reject(name, isSafeName(name) ? 'no receipt or snapshot has such a name' : 'strange name');
    }
  }

  /**
   * Lists an unfinished dump with its size (a kill or a full disk stopped it). Removes it if its writer has
   * exited.
   */
  private async unfinished(name: string, pid: number): Promise<void> {
    const path = join(this.folder, name);
    this.unfinishedSeen += 1;
    const found = this.unfinishedSeen <= MOST_UNFINISHED ? await plainFile(path) : null;
    const bytes = found?.bytes ?? null;
    const removed =
      found !== null &&
      this.isGone(pid, name, found.modified) &&
      (await unlink(path).then(
        () => true,
        () => false,
      ));
    if (removed)
      this.faults.push(`removed the unfinished dump of a process that died (pid ${pid}, ${bytes} bytes)`);
    else this.reject(name, `unfinished dump of a process that died or still runs (pid ${pid})`, bytes);
  }

  /**
   * Reads and hashes one file, again if it changed meanwhile. Returns the reason, and lists the file, when it
   * is rejected.
   */
  private async read(name: string, maxBytes: number, keepText: boolean): Promise<Content | string> {
    let reason = '';
    let bytes: number | null = null;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const opened = await openRegular(this.folder, name);
      if (!opened.ok) {
        this.reject(name, opened.reason);
        return opened.reason;
      }
      try {
        bytes = Number(opened.seal.size);
        const result = await this.readOnce(name, opened.handle, opened.seal, maxBytes, keepText);
        if (typeof result !== 'string') return result;
        reason = result;
        if (!reason.startsWith('changed')) break;
      } catch (error) {
        reason = `cannot be read (${errorCode(error)})`;
        break;
      } finally {
        await opened.handle.close().catch(() => undefined);
      }
    }
    this.reject(name, reason, bytes);
    return reason;
  }

  /** Records a plain file of this step that could not be used. */
  private async missed(owner: Owner | null, name: string, reason: string): Promise<void> {
    const file = await plainFile(join(this.folder, name));
    if (owner === null || file === null || file.names > 1 || file.modified < this.since - CLOCKS_MS) return;
    const [, code] = /^cannot be read \((.*)\)$/.exec(reason) ?? [];
    // Of another user, as a container's root: whose it is tells what to do.
    this.unread.push({ owner, reason: code ? `${code}: ${name} belongs to uid ${file.uid}` : reason });
  }

  private async readOnce(
    name: string,
    handle: FileHandle,
    seal: Seal,
    maxBytes: number,
    keepText: boolean,
  ): Promise<Content | string> {
    const size = Number(seal.size);
    if (size === 0) return 'empty';
    if (size > maxBytes) return `${size} bytes, more than the ${maxBytes} that are read`;
    if (this.hashed + size > this.limits.totalBytes) return 'not read: too many bytes in all';
    const chunks: Buffer[] = [];
    const result = await digestHandle(handle, {
      maxBytes: size,
      until: this.until,
      signal: keepText ? undefined : this.signal,
      ...(keepText ? { onChunk: (chunk) => void chunks.push(Buffer.from(chunk)) } : {}),
    });
    this.hashed += size;
    if (!result.ok && result.reason === 'too-slow')
      return `not read: ${this.signal?.aborted ? 'the job was cancelled' : 'out of time'}`;
    if (!result.ok || result.bytes !== size || !(await stillSealed(this.folder, name, handle, seal))) {
      return 'changed while it was read';
    }
    const text = keepText ? Buffer.concat(chunks).toString('utf8') : null;
    return { file: name, ...digestAndBytes(result), seal, text };
  }

  private async receipt(name: string): Promise<void> {
    const content = await this.read(name, MAX_RECEIPT_BYTES, true);
    const owner = parseReceiptName(name);
    if (typeof content === 'string') {
      await this.missed(owner, name, content);
      return;
    }
    // A separate chunk, with valibot: not loaded when the step left no receipt.
    const { parseReceipt } = await import('./receipt-parse.js');
    const parsed = parseReceipt(content.text ?? '', name);
    if (!parsed.ok) {
      this.reject(name, parsed.reason, content.bytes);
      await this.missed(owner, name, parsed.reason);
    } else if (parsed.receipt.step !== this.step) {
      this.strangers.add(ownerKey(parsed.receipt));
      this.reject(name, OTHER_STEP, content.bytes);
    } else if (this.receiptBytes + content.bytes > this.limits.receiptBytes) {
      this.reject(name, 'too many bytes of receipts in all', content.bytes);
      await this.missed(owner, name, 'too many bytes of receipts in all');
    } else {
      this.receiptBytes += content.bytes;
      this.receipts.push({ ...parsed.receipt, ...withoutText(content) });
    }
  }

  private async snapshot(name: string, owners: ReadonlyMap<string, Receipt>): Promise<void> {
    const named = parseSnapshotName(name);
    if (named === null) return;
    const content = await this.read(name, this.limits.snapshotBytes, false);
    const receipt = owners.get(ownerKey(named));
    if (typeof content !== 'string') this.snapshots.push(joinReceipt(named, withoutText(content), receipt));
    else if (receipt === undefined) await this.missed(named, name, content);
  }
}

const keyOf = (named: Owner | null): string => (named ? ownerKey(named) : '');

interface PlainFile {
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
  /** Number of hard links. */
  readonly names: number;
  readonly uid: number;
}

/** Facts about a regular file without opening it; null for anything else. */
const plainFile = (path: string): Promise<PlainFile | null> =>
  lstat(path).then(
    (stat) =>
      stat.isFile() ? { bytes: stat.size, modified: stat.mtimeMs, names: stat.nlink, uid: stat.uid } : null,
    () => null,
  );

const withoutText = ({ file, bytes, digest, seal }: FileRef): FileRef => ({ file, bytes, digest, seal });
const digestAndBytes = ({ digest, bytes }: Digest): Digest => ({ digest, bytes });

/** The snapshot with what its process's receipt says about it. */
export function joinReceipt(named: SnapshotName, ref: FileRef, receipt: Receipt | undefined): SnapshotFile {
  const entry = receipt?.snapshots.find((s) => s.file === ref.file);
  const notes: string[] = [];
  if (!receipt) notes.push('no receipt of its process: known by its name alone');
  else if (!entry)
    notes.push("not listed in its process's receipt: the process died before it could write that down");
  else if (entry.bytes !== null && entry.bytes !== ref.bytes) {
    notes.push(`its receipt says ${entry.bytes} bytes`);
  }
  return {
    ...named,
    ...ref,
    receipt: receipt?.file ?? null,
    orphan: receipt === undefined,
    device: entry?.device ?? null,
    time: entry?.time ?? null,
    history: entry?.history ?? 'unknown',
    notes,
  };
}
