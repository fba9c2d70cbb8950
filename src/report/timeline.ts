/**
 * The timelines of the receipts (python/shim/_oom_autopsy/timeline/timeline.py), read for drawing. Untrusted like all
 * of a receipt. Pure.
 */
import type { Manifest, ManifestProcess } from '../evidence/manifest.js';
import { CATEGORY_NAMES, type CategoryName, type PlainJson } from '../evidence/receipt.js';
import { processName } from './words/words.js';

/** One moment, bytes by category in the order of CATEGORY_NAMES. */
export interface TimelinePoint {
  readonly step: number;
  readonly phase: string;
  readonly bytes: readonly number[];
}

/** One device of one process. */
export interface TimelineSeries {
  readonly label: string;
  readonly device: string;
  readonly peak: number;
  readonly points: readonly TimelinePoint[];
}

export interface TimelineFacts {
  readonly process: ManifestProcess;
  readonly state: string;
  readonly reason: string | null;
  readonly mode: string | null;
  readonly steps: number;
  readonly blind: readonly { readonly what: string; readonly count: number }[];
  readonly series: readonly TimelineSeries[];
}

type Fields = Readonly<Record<string, PlainJson>>;
const isFields = (value: PlainJson | undefined): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const list = (value: PlainJson | undefined): readonly PlainJson[] => (Array.isArray(value) ? value : []);
const text = (value: PlainJson | undefined): string | null =>
  typeof value === 'string' && value !== '' ? value : null;
const amount = (value: PlainJson | undefined): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;

function readPoint(value: PlainJson): TimelinePoint | null {
  if (!isFields(value)) return null;
  const parts = isFields(value.by_category) ? value.by_category : {};
  return {
    step: amount(value.step),
    phase: text(value.phase) ?? '',
    bytes: CATEGORY_NAMES.map((category: CategoryName) =>
      Object.hasOwn(parts, category) ? amount(parts[category]) : 0,
    ),
  };
}

/** The timeline of a process, or null when it has none. */
export function readTimeline(process: ManifestProcess): TimelineFacts | null {
  const root = process.timeline;
  if (!isFields(root)) return null;
  const series = list(root.devices).flatMap((device): TimelineSeries[] => {
    if (!isFields(device)) return [];
    const points = list(device.points)
      .map(readPoint)
      .filter((p) => p !== null);
    const name = text(device.device) ?? '?';
    const peak = points.reduce(
      (most, p) =>
        Math.max(
          most,
          p.bytes.reduce((a, b) => a + b, 0),
        ),
      0,
    );
    return points.length === 0
      ? []
      : [{ label: `${processName(process)}, ${name}`, device: name, peak, points }];
  });
  return {
    process,
    state: text(root.state) ?? 'unknown',
    reason: text(root.reason),
    mode: text(root.mode),
    steps: amount(root.steps),
    blind: list(root.blind).flatMap((b) =>
      isFields(b) ? [{ what: text(b.what) ?? '?', count: amount(b.count) }] : [],
    ),
    series,
  };
}

export const timelines = (manifest: Manifest): readonly TimelineFacts[] =>
  manifest.processes.map(readTimeline).filter((t) => t !== null);
