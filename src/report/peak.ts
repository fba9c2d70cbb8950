/**
 * `peak.json`: the numbers for other tools, in the form that github-action-benchmark reads as
 * `customSmallerIsBetter`. Names hold no pid and no time, so that runs can be compared; processes of one name
 * (data workers) are one entry, with the largest of their values. Pure.
 */
import type { Manifest, ManifestProcess } from '../evidence/manifest.js';
import { CATEGORY_NAMES, type Census } from '../evidence/receipt.js';
import { shorten } from './rich.js';

export interface PeakEntry {
  readonly name: string;
  readonly unit: 'bytes';
  readonly value: number;
}

const whoIs = (process: ManifestProcess): string =>
  process.rank === null ? shorten(process.program ?? 'process', 60) : `rank ${process.rank}`;

/** The census that says most about a run: at the last out-of-memory when that ended it, otherwise at exit. */
function census(process: ManifestProcess): { readonly when: string; readonly census: Census } | null {
  const last = process.ooms.at(-1)?.census ?? null;
  if (process.end?.oom && last) return { when: 'at out-of-memory', census: last };
  return process.census ? { when: 'at exit', census: process.census } : null;
}

/** Peak allocated and reserved by rank and device, and the bytes of each category, ordered by name. */
export function peakEntries(manifest: Manifest): readonly PeakEntry[] {
  const values = new Map<string, number>();
  const add = (name: string, value: number | null): void => {
    if (value !== null) values.set(name, Math.max(value, values.get(name) ?? 0));
  };
  for (const process of manifest.processes) {
    const who = whoIs(process);
    for (const device of process.devices) {
      add(`${who}, cuda:${device.index}: peak allocated`, device.peak_allocated);
      add(`${who}, cuda:${device.index}: peak reserved`, device.peak_reserved);
    }
    const seen = census(process);
    for (const device of seen?.census.devices ?? []) {
      for (const category of CATEGORY_NAMES) {
        add(
          `${who}, cuda:${device.index}: ${category} ${seen?.when}`,
          device.categories[category]?.bytes ?? null,
        );
      }
    }
  }
  const collator = new Intl.Collator('en', { numeric: true });
  return [...values]
    .map(([name, value]): PeakEntry => ({ name, unit: 'bytes', value }))
    .sort((a, b) => collator.compare(a.name, b.name));
}

/** The text of `peak.json`. */
export const peakJson = (manifest: Manifest): string => `${JSON.stringify(peakEntries(manifest), null, 2)}\n`;
