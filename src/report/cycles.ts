/** Reference cycles of all processes together. Pure. */
import type { Manifest } from '../evidence/manifest.js';
import type { Cycle } from '../evidence/receipt.js';
import { processName } from './words/words.js';

export interface MergedCycle {
  readonly cycle: Cycle;
  readonly seen: number;
  readonly bytes: number;
  readonly processes: ReadonlySet<string>;
}

/** Cycles of all processes by shape, those that held most first. */
export function mergedCycles(manifest: Manifest): readonly MergedCycle[] {
  const merged = new Map<string, { cycle: Cycle; seen: number; bytes: number; processes: Set<string> }>();
  for (const process of manifest.processes) {
    for (const cycle of process.cycles?.cycles ?? []) {
      const held = Object.values(cycle.bytes).reduce((sum, n) => sum + n, 0);
      const entry = merged.get(cycle.id) ?? { cycle, seen: 0, bytes: 0, processes: new Set<string>() };
      // A kind is alike everywhere; one process may have its graph where another has run out of room for it.
      if (entry.cycle.graph === null) entry.cycle = { ...entry.cycle, graph: cycle.graph };
      entry.seen += cycle.seen;
      entry.bytes += held;
      entry.processes.add(processName(process));
      merged.set(cycle.id, entry);
    }
  }
  return [...merged.values()].sort((a, b) => b.bytes - a.bytes);
}
