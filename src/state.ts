/**
 * What main leaves for post: the plan, what it knew so far, and how far it came. Versioned, and checked when
 * it is read back, since anything that runs in the job can write to the runner's state file.
 */
import { isAbsolute } from 'node:path';
import * as v from 'valibot';
import type { Runner } from './actions.js';
import {
  CATEGORY_MODES,
  CYCLE_WATCHES,
  GATES,
  NO_TORCH_POLICIES,
  SNAPSHOT_POLICIES,
  STACKS,
} from './inputs.js';
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

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const absolute = v.pipe(v.string(), v.maxLength(4096), v.check(isAbsolute));
const short = v.pipe(v.string(), v.maxLength(300));
const fact = v.nullable(short);
/** Entries of a list in the state. */
const MAX_LIST = 200;

const PlanSchema = v.object({
  id: v.pipe(v.string(), v.regex(/^[0-9a-f]{12}$/)),
  stepDir: absolute,
  shimDir: absolute,
  evidenceDir: absolute,
  evidenceKept: v.boolean(),
  outputDir: absolute,
  script: absolute,
  command: v.object({
    file: v.string(),
    args: v.array(v.string()),
    scriptExtension: short,
  }),
  cwd: absolute,
  workspace: absolute,
  startedAt: count,
  options: v.object({
    snapshot: v.picklist(SNAPSHOT_POLICIES),
    maxEntries: count,
    stacks: v.picklist(STACKS),
    maxSnapshots: count,
    maxUploadSize: count,
    cycles: v.picklist(GATES),
    cyclesWatch: v.picklist(CYCLE_WATCHES),
    categories: v.picklist(CATEGORY_MODES),
    timelineSteps: count,
    parity: v.picklist(GATES),
    fixture: v.string(),
    python: v.string(),
    ifNoTorch: v.picklist(NO_TORCH_POLICIES),
    upload: v.boolean(),
    artifactName: short,
    retentionDays: count,
    compressionLevel: count,
    gracePeriod: count,
  }),
  job: v.object({
    repository: fact,
    job: fact,
    runId: fact,
    runAttempt: fact,
    sha: fact,
    serverUrl: fact,
    runnerName: fact,
  }),
});

const text = v.pipe(v.string(), v.maxLength(4096));
const named = v.object({ pid: count, program: v.nullable(short) });

const KnownSchema = v.object({
  group: v.nullable(v.object({ pid: v.pipe(count, v.minValue(2)), startTicks: v.nullable(count) })),
  host: v.nullable(
    v.union([
      v.object({
        state: v.literal('read'),
        source: v.picklist(['cgroup-v2', 'cgroup-v1', 'vmstat']),
        path: text,
        oom_kill: count,
        oom: v.nullable(count),
      }),
      v.object({ state: v.literal('unreadable'), reason: text }),
    ]),
  ),
  result: v.nullable(
    v.object({
      exitCode: v.pipe(count, v.maxValue(0xffffffff)),
      signal: v.nullable(v.pipe(short, v.regex(/^SIG[A-Z0-9]+$/))),
      cancelledBy: v.nullable(v.pipe(short, v.regex(/^SIG[A-Z0-9]+$/))),
      startError: v.nullable(text),
      startedAt: count,
      endedAt: count,
      killed: v.pipe(v.array(named), v.maxLength(MAX_LIST)),
    }),
  ),
  shimLaid: v.boolean(),
  faults: v.pipe(v.array(text), v.maxLength(MAX_LIST)),
  hints: v.pipe(v.array(v.object({ line: count, what: short, advice: text })), v.maxLength(MAX_LIST)),
});

/** No hyphen: it becomes the environment variable STATE_step, and some shells drop those with one. */
const STATE = 'step';

const StateSchema = v.object({
  schema: v.literal('oom-autopsy.state.v1'),
  plan: PlanSchema,
  known: KnownSchema,
});

/** What post may find: nothing (main never planned), something it cannot read, an unfinished step, a finished one. */
export type SavedState =
  | { readonly kind: 'none' }
  | { readonly kind: 'unreadable'; readonly reason: string }
  | { readonly kind: 'finished' }
  | { readonly kind: 'unfinished' | 'late' | 'cut'; readonly plan: Plan; readonly known: Known };

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
  runner.saveState(STATE, JSON.stringify({ schema: 'oom-autopsy.state.v1', plan, known: bounded }));
}

/** Tells post how far main came. */
export function saveFinished(runner: Runner, finish: Finish = 'true'): void {
  runner.saveState('finished', finish);
}

/** Reads back what main saved. Never throws. */
export function readState(runner: Runner): SavedState {
  const finish = runner.state('finished');
  if (finish === 'true') return { kind: 'finished' };
  const saved = runner.state(STATE);
  if (saved === '') return { kind: 'none' };
  try {
    const parsed = v.safeParse(StateSchema, JSON.parse(saved));
    if (!parsed.success) {
      return {
        kind: 'unreadable',
        reason: `${v.getDotPath(parsed.issues[0]) ?? 'state'} has a wrong value`,
      };
    }
    const { plan, known } = parsed.output;
    return {
      kind: finish === 'late' || finish === 'cut' ? finish : 'unfinished',
      plan: plan as Plan,
      known: known as Known,
    };
  } catch {
    return { kind: 'unreadable', reason: 'it is not JSON' };
  }
}
