/**
 * What main leaves for post: the plan, the process group, and whether main finished. Versioned, and checked when
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

/** The leader of the step's process group; the start time tells a reused pid apart. */
export interface Group {
  readonly pid: number;
  /** Field 22 of /proc/PID/stat in clock ticks since boot, or null where there is no /proc. */
  readonly startTicks: number | null;
}

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const absolute = v.pipe(v.string(), v.maxLength(4096), v.check(isAbsolute));
const short = v.pipe(v.string(), v.maxLength(300));
const fact = v.nullable(short);

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

const StateSchema = v.object({
  schema: v.literal('oom-autopsy.state.v1'),
  plan: PlanSchema,
  group: v.nullable(v.object({ pid: v.pipe(count, v.minValue(2)), startTicks: v.nullable(count) })),
});

/** What post may find: nothing (main never planned), something it cannot read, an unfinished step, a finished one. */
export type SavedState =
  | { readonly kind: 'none' }
  | { readonly kind: 'unreadable'; readonly reason: string }
  | { readonly kind: 'finished' }
  | { readonly kind: 'unfinished'; readonly plan: Plan; readonly group: Group | null };

/** Saves the plan before the step starts, and again with the group once it runs. */
export function savePlan(runner: Runner, plan: Plan, group: Group | null): void {
  runner.saveState('oom-autopsy', JSON.stringify({ schema: 'oom-autopsy.state.v1', plan, group }));
}

/** Tells post that main came to its end, so that nothing is left to do. */
export function saveFinished(runner: Runner): void {
  runner.saveState('finished', 'true');
}

/** Reads back what main saved. Never throws. */
export function readState(runner: Runner): SavedState {
  if (runner.state('finished') === 'true') return { kind: 'finished' };
  const text = runner.state('oom-autopsy');
  if (text === '') return { kind: 'none' };
  try {
    const parsed = v.safeParse(StateSchema, JSON.parse(text));
    if (parsed.success)
      return { kind: 'unfinished', plan: parsed.output.plan as Plan, group: parsed.output.group };
    return { kind: 'unreadable', reason: `${v.getDotPath(parsed.issues[0]) ?? 'state'} has a wrong value` };
  } catch {
    return { kind: 'unreadable', reason: 'it is not JSON' };
  }
}
