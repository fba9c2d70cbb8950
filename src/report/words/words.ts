/** How processes, ranks and foreign names are called in a sentence. Pure. */
import type { ManifestProcess } from '../../evidence/manifest.js';
import { code, shorten } from '../rich.js';
import { ranges } from '../story.js';

export const MAX_NAME = 80;

/** A foreign name, short enough for a sentence. */
export const name = (text: string, limit = MAX_NAME) => code(shorten(text, limit));

/** `rank 1`, `pid 4121`: how a process is called. */
export const processName = (process: Pick<ManifestProcess, 'rank' | 'pid'>): string =>
  process.rank === null ? `pid ${process.pid}` : `rank ${process.rank}`;

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
