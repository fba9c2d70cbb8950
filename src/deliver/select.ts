/**
 * What of the evidence goes into the artifact, in which order, within the bytes the user allows. Pure.
 *
 * Receipts first: they are small and say what happened. Then snapshots by value. The process that failed first
 * explains the others (torchrun ends the other ranks after it), so its last snapshot comes first, then the
 * last one of the next process that failed, and so on; only then the second-best ones. A file that does not fit is left out and the
 * next one is tried: three small snapshots are worth more than one that is too big.
 */
import type { Evidence, FileRef, SnapshotFile } from '../evidence/collect.js';
import type { LeftOut } from '../evidence/manifest.js';
import { type Owner, ownerKey, SNAPSHOT_REASONS } from '../evidence/names.js';
import type { Receipt } from '../evidence/receipt.js';

/** Bytes that receipts may take beside the snapshots: 4,096 processes with 64 KiB each. */
export const SMALL_FILES_BYTES = 256 * 2 ** 20;

export interface Selection {
  readonly files: readonly FileRef[];
  readonly leftOut: readonly LeftOut[];
}

/** When a process failed for good, then when it first ran out of memory: smaller is earlier. */
function failure(receipt: Receipt | undefined): readonly [number, number] {
  const first = Math.min(...(receipt?.ooms ?? []).map((o) => o.time ?? Number.MAX_VALUE), Number.MAX_VALUE);
  return [receipt?.end?.oom === true ? (receipt.end.time ?? first) : Number.POSITIVE_INFINITY, first];
}

const compare = (a: readonly number[], b: readonly number[]): number => {
  for (const [i, left] of a.entries()) {
    const right = b[i] ?? 0;
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
};

/** Snapshots of one process, best first: by reason, then the newest, then the first, then the rest from new to old. */
function bestFirst(snapshots: readonly SnapshotFile[]): SnapshotFile[] {
  const reason = (s: SnapshotFile): number => SNAPSHOT_REASONS.indexOf(s.reason);
  const sorted = [...snapshots].sort((a, b) => reason(a) - reason(b) || b.seq - a.seq);
  const sameReason = sorted.filter((s) => s.reason === sorted[0]?.reason);
  const first = sameReason.at(-1);
  if (!first || sameReason.length < 3) return sorted;
  return [sorted[0] ?? first, first, ...sorted.slice(1).filter((s) => s !== first)];
}

/** All snapshots, the most telling first. */
export function byValue(evidence: Evidence): readonly SnapshotFile[] {
  const receipts = new Map(evidence.receipts.map((r) => [ownerKey(r), r]));
  const groups = new Map<string, SnapshotFile[]>();
  for (const snapshot of evidence.snapshots) {
    const key = ownerKey(snapshot as Owner);
    groups.set(key, [...(groups.get(key) ?? []), snapshot]);
  }
  const ranked = [...groups].map(([key, snapshots]) => ({
    key,
    order: [...failure(receipts.get(key)), snapshots[0]?.rank ?? Number.MAX_VALUE],
    snapshots: bestFirst(snapshots),
  }));
  ranked.sort((a, b) => compare(a.order, b.order) || (a.key < b.key ? -1 : 1));
  const rounds = Math.max(0, ...ranked.map(({ snapshots }) => snapshots.length));
  return Array.from({ length: rounds }, (_, round) =>
    ranked.flatMap(({ snapshots }) => snapshots[round] ?? []),
  ).flat();
}

/** @param maxUploadBytes for all snapshots together */
export function selectFiles(evidence: Evidence, maxUploadBytes: number): Selection {
  const files: FileRef[] = [];
  const leftOut: LeftOut[] = [];
  const take = (candidates: readonly FileRef[], budget: number, reason: string): void => {
    let left = budget;
    for (const { file, bytes, digest, seal } of candidates) {
      if (bytes <= left) {
        left -= bytes;
        files.push({ file, bytes, digest, seal });
      } else leftOut.push({ file, bytes, digest, reason });
    }
  };
  const failures = new Map(evidence.receipts.map((r) => [r, failure(r)]));
  const receipts = [...evidence.receipts].sort((a, b) =>
    compare(failures.get(a) ?? [], failures.get(b) ?? []),
  );
  take(receipts, SMALL_FILES_BYTES, 'more receipts than an artifact takes here');
  take(byValue(evidence), maxUploadBytes, 'over max-upload-size');
  return { files, leftOut };
}
