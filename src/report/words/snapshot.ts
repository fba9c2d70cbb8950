/** Snapshots in words: why and when one was taken, and what it holds. Pure. */
import type { Manifest, SnapshotReference } from '../../evidence/manifest.js';

export const REASON_WORDS: Readonly<Record<SnapshotReference['reason'], string>> = {
  oom: 'at an out-of-memory',
  exception: 'at an uncaught exception',
  sigterm: 'at SIGTERM',
  exit: 'at exit',
  budget: 'at exit, above the memory budget',
};

/** Why and when a snapshot was taken: `at an out-of-memory, 412.0 s in`. */
export function takenWords(manifest: Manifest, snapshot: SnapshotReference): string {
  const process = manifest.processes.find((p) => p.host === snapshot.host && p.pid === snapshot.pid);
  const time = process?.ooms.find((oom) => oom.snapshot === snapshot.file)?.time ?? null;
  const words = REASON_WORDS[snapshot.reason];
  return time === null ? words : `${words}, ${Math.max(0, time - manifest.step.started).toFixed(1)} s in`;
}

/** What a snapshot holds, as far as the receipts say. */
export function historyWords(snapshot: SnapshotReference): string {
  switch (snapshot.history) {
    case 'armed':
      return snapshot.max_entries === null
        ? 'armed'
        : `armed, newest ${snapshot.max_entries.toLocaleString('en-US')} events`;
    case 'interrupted':
      return 'interrupted by the program: live blocks, no trace of what came before';
    case 'foreign':
      return "the program's own recording";
    case 'none':
      return 'none: live blocks without stacks, not a full snapshot';
    default:
      return 'unknown: its process left no receipt of it';
  }
}

/** Over this size the viewer in the browser freezes or kills its tab (pytorch/pytorch#158364). */
export const LARGE_SNAPSHOT = 300 * 2 ** 20;
