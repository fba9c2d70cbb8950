/**
 * What main leaves for post: the plan, what it knew so far, and how far it came. Versioned; `saved-state.ts`
 * reads it back. Writing needs no schema, so main does not load the library for it: a quarter of a megabyte
 * of its bundle.
 */

import type { GpuObservation } from './gpu/observe.js';
import type { Plan } from './plan.js';
import type { Runner } from './runner/runner.js';
import type { HostCounters } from './step/host.js';
import type { Group } from './step/own.js';
import type { RunResult } from './step/process.js';
import type { ScriptHint } from './step/script-hints.js';
import type { Seen } from './step/watch.js';

/** What main has seen so far. A post that has to finish for it knows this and nothing else. */
export interface Known {
  /** Null until the step's process runs. */
  readonly group: Group | null;
  /** The kernel's counters before the step. */
  readonly host: HostCounters | null;
  /** How the step ended; null until it has. */
  readonly result: RunResult | null;
  readonly shimLaid: boolean;
  readonly faults: readonly string[];
  readonly hints: readonly ScriptHint[];
  /** Who was on the GPUs before the step; null until that was asked. */
  readonly gpu: GpuObservation | null;
  /** What the watch over the step's processes had seen by then; null until it saw something. */
  readonly seen: Seen | null;
  /** Processes of the step that were alive when it ended. */
  readonly met: readonly Group[];
}

export const NOTHING_KNOWN: Known = {
  group: null,
  host: null,
  result: null,
  shimLaid: true,
  faults: [],
  hints: [],
  gpu: null,
  seen: null,
  met: [],
};

/**
 * How far main came: `true`, nothing is left to do; `told`, its summary is with the runner, and the step's evidence
 * may hold more than its artifact: a cancel stopped the upload, or processes of the step outlived it.
 */
export type Finish = 'true' | 'told';

/** Entries of a list in the state. */
export const MAX_LIST = 200;
/** Entries of each list of what was seen, which have more to say. */
export const MAX_SEEN = 50;
/** UTF-16 units of a line in the state. */
export const MAX_LINE = 1000;

export const STATE_SCHEMA = 'oom-autopsy.state.v1';

/** No hyphen: it becomes the environment variable STATE_step, and some shells drop those with one. */
export const STATE = 'step';

/**
 * Saves the plan before the step starts, and again whenever more is known. What may be long is cut: post gets
 * this as an environment variable, and Linux starts no program with one of 128 KiB or more.
 */
export function savePlan(runner: Runner, plan: Plan, known: Known = NOTHING_KNOWN): void {
  const { result } = known;
  const bounded: Known = {
    ...known,
    result: result && {
      ...result,
      startError: result.startError?.slice(0, MAX_LINE) ?? null,
      killed: result.killed.slice(0, MAX_LIST),
    },
    faults: known.faults.slice(0, 5).map((fault) => fault.slice(0, MAX_LINE)),
    gpu: known.gpu && boundedGpu(known.gpu),
    seen: known.seen && {
      sightings: known.seen.sightings.slice(0, MAX_SEEN),
      carriers: known.seen.carriers.slice(0, MAX_SEEN),
      hidden: known.seen.hidden.slice(0, MAX_SEEN),
      use: known.seen.use,
    },
    met: known.met.slice(0, MAX_LIST),
  };
  runner.saveState(STATE, JSON.stringify({ schema: STATE_SCHEMA, plan, known: bounded }));
}

/** The devices, and the processes that hold most. */
function boundedGpu(gpu: GpuObservation): GpuObservation {
  if (gpu.state !== 'seen') return gpu;
  const largest = [...gpu.processes].sort((a, b) => (b.used ?? 0) - (a.used ?? 0));
  return { ...gpu, devices: gpu.devices.slice(0, MAX_SEEN), processes: largest.slice(0, MAX_SEEN) };
}

/** Records for post how far main came. */
export function saveFinished(runner: Runner, finish: Finish = 'true'): void {
  runner.saveState('finished', finish);
}
