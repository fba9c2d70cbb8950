/**
 * Which processes held GPU memory before and after the step, and which of them are the step's. The only
 * source for annotation, summary, page, hints and manifest. Pure.
 */
import { type Group, sameProcess } from '../step/own.js';
import type { GpuObservation, ObservedProcess } from './observe.js';

/** Bytes; null where the tool does not say. */
export interface Held {
  readonly used: number | null;
}

/**
 * `stranger`: certainly not the step's. `unknown`: seen only after the step, and its pid does not exist here.
 * It has exited, or we are in a container and the tool shows pids of the host.
 */
export type Whose = 'step' | 'stranger' | 'unknown';

/** A process that holds memory of a device. One that holds memory of two devices is there twice. */
export interface Holder {
  readonly pid: number;
  readonly name: string | null;
  /** Index of the device; null when the tool does not say. */
  readonly device: number | null;
  readonly whose: Whose;
  /** Null where it was not listed then. */
  readonly before: Held | null;
  readonly after: Held | null;
  /** Present before the step and absent after it. Whether it was present in between is unknown. */
  readonly gone: boolean;
}

/**
 * Bytes that another process held independently of the step: the amount before the step, where it was listed
 * then.
 */
export const heldBy = ({ before, after }: Holder): number | null => (before ?? after)?.used ?? null;

const processesOf = (look: GpuObservation | null): readonly ObservedProcess[] =>
  look?.state === 'seen' ? look.processes : [];

/** Rows of one process and device, as of two MIG instances, count together. */
const plus = (held: Held | null, used: number | null): Held =>
  held === null || held.used === null ? { used } : { used: held.used + (used ?? 0) };

/**
 * Joins what was seen before the step with what was seen after it, or at another later moment; those that
 * hold most first.
 * @param own processes of the step, from receipts, /proc and the watch
 */
export function holdersOf(
  before: GpuObservation | null,
  after: GpuObservation | null,
  own: readonly Group[] = [],
): readonly Holder[] {
  const late = processesOf(after);
  const asked = after?.state === 'seen' && after.note === null;
  const found: (ObservedProcess & { before: Held | null; after: Held | null })[] = [];
  const add = (process: ObservedProcess, when: 'before' | 'after'): void => {
    let one = found.find((f) => f.device === process.device && sameProcess(f, process));
    if (!one) {
      one = { ...process, before: null, after: null };
      found.push(one);
    }
    one[when] = plus(one[when], process.used);
  };
  for (const process of processesOf(before)) add(process, 'before');
  for (const process of late) add(process, 'after');
  return found
    .map(
      (one): Holder => ({
        pid: one.pid,
        name: one.name,
        device: one.device,
        whose: whoseIs(one, one.before !== null, own),
        before: one.before,
        after: one.after,
        gone: one.before !== null && asked && !late.some((process) => sameProcess(process, one)),
      }),
    )
    .sort((a, b) => (heldBy(b) ?? 0) - (heldBy(a) ?? 0));
}

/** A process listed before the step is never the step's, even if its pid was reused later. */
function whoseIs(process: ObservedProcess, early: boolean, own: readonly Group[]): Whose {
  if (early) return 'stranger';
  if (process.startTicks === null) return 'unknown';
  return own.some((one) => sameProcess(one, process)) ? 'step' : 'stranger';
}
