/** How processes, ranks and foreign names are called in a sentence. Pure. */
import type { ManifestProcess, SnapshotReference } from '../../evidence/manifest.js';
import { parseSnapshotName } from '../../evidence/names.js';
import { ranges } from '../../lib/text.js';
import { code, shorten } from '../rich.js';

export const MAX_NAME = 80;

/** A foreign name, short enough for a sentence. */
export const name = (text: string, limit = MAX_NAME) => code(shorten(text, limit));

/** Two actors of a class have one name. */
const named = (called: string, pid: number): string =>
  called.startsWith('gw') ? called : `${shorten(called, 60)} (pid ${pid})`;

/** `rank 1`, `gw3`, `actor Trainer (pid 7)`, `pid 4121`: how a process is called. */
export const processName = ({
  rank,
  identity,
  pid,
}: Pick<ManifestProcess, 'rank' | 'pid' | 'identity'>): string => {
  if (rank !== null) return `rank ${rank}`;
  return identity?.name == null ? `pid ${pid}` : named(identity.name, pid);
};

/** The same of a snapshot, whose name says it. */
export const snapshotOwner = ({ rank, file, pid }: SnapshotReference): string => {
  const label = parseSnapshotName(file)?.label;
  return rank !== null ? `rank ${rank}` : label == null ? `pid ${pid}` : named(label.replace('_', ' '), pid);
};

/** More runs of ranks than this are counted: every second one of 4,096 would fill a screen. */
const MOST_RUNS = 12;

/** `1` for one rank, `1 and 3`, `0, 2 to 7`. */
export function rankWords(ranks: readonly number[]): string {
  if (ranks.length === 2) return [...ranks].sort((a, b) => a - b).join(' and ');
  const runs = ranges(ranks).split(', ');
  if (runs.length <= MOST_RUNS) return runs.join(', ');
  return `${runs.slice(0, MOST_RUNS).join(', ')}, … (${ranks.length} ranks)`;
}

/** The same, to begin a sentence with. */
export const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** `OutOfMemoryError` of `torch.OutOfMemoryError`. */
export const lastName = (exception: string): string => shorten(exception.split('.').at(-1) ?? exception, 60);
