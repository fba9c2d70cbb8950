/**
 * What main leaves for post: the plan, what it knew so far, and how far it came. Versioned; `saved-state.ts` reads it
 * back. Writing needs no schema, so main does not load the library for it: a quarter of a megabyte of its bundle.
 */
import type { Runner } from './actions.js';
import type { Plan } from './plan.js';
import type { HostCounters } from './step/host.js';
import type { RunResult } from './step/process.js';
import type { ScriptHint } from './step/script-hints.js';

/** The leader of the step's process group; the start time tells a reused pid apart. */
export interface Group {
  readonly pid: number;
  /** Field 22 of /proc/PID/stat in clock ticks since boot, or null where there is no /proc. */
  readonly startTicks: number | null;
}

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
}

export const NOTHING_KNOWN: Known = {
  group: null,
  host: null,
  result: null,
  shimLaid: true,
  faults: [],
  hints: [],
};

/**
 * How far main came: `true`, nothing is left to do; `late`, processes of the step outlived it and may write evidence
 * after it; `cut`, a cancel stopped the upload.
 */
export type Finish = 'true' | 'late' | 'cut';

/** Entries of a list in the state. */
export const MAX_LIST = 200;

export const STATE_SCHEMA = 'oom-autopsy.state.v1';

/** No hyphen: it becomes the environment variable STATE_step, and some shells drop those with one. */
export const STATE = 'step';

/**
 * Saves the plan before the step starts, and again whenever more is known. What may be long is cut: post gets this as
 * an environment variable, and Linux starts no program with one of 128 KiB or more.
 */
export function savePlan(runner: Runner, plan: Plan, known: Known = NOTHING_KNOWN): void {
  const { result } = known;
  const bounded: Known = {
    ...known,
    result: result && {
      ...result,
      startError: result.startError?.slice(0, 1000) ?? null,
      killed: result.killed.slice(0, MAX_LIST),
    },
    faults: known.faults.slice(0, 5).map((fault) => fault.slice(0, 1000)),
  };
  runner.saveState(STATE, JSON.stringify({ schema: STATE_SCHEMA, plan, known: bounded }));
}

/** Tells post how far main came. */
export function saveFinished(runner: Runner, finish: Finish = 'true'): void {
  runner.saveState('finished', finish);
}
