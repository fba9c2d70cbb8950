/**
 * Reads back what main saved for post. Checked in full, since anything that runs in the job can write to the
 * runner's state file.
 */
import { isAbsolute } from 'node:path';
import * as v from 'valibot';
import { TOOLS } from './gpu/observe.js';
import {
  CATEGORY_MODES,
  CYCLE_WATCHES,
  GATES,
  NO_BASELINE_POLICIES,
  NO_TORCH_POLICIES,
  SNAPSHOT_POLICIES,
  STACKS,
} from './inputs.js';
import type { Plan } from './plan.js';
import type { Runner } from './runner/runner.js';
import { type Known, MAX_LIST, MAX_SEEN, STATE, STATE_SCHEMA } from './state.js';
import { UNARMED_REASONS } from './step/unarmed.js';

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const absolute = v.pipe(v.string(), v.maxLength(4096), v.check(isAbsolute));
const short = v.pipe(v.string(), v.maxLength(300));
const fact = v.nullable(short);
const amount = v.nullable(v.union([v.object({ bytes: count }), v.object({ share: v.number() })]));
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
    memoryBudget: amount,
    baseline: v.string(),
    maxGrowth: amount,
    ifNoBaseline: v.picklist(NO_BASELINE_POLICIES),
    minFree: amount,
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

const list = <T extends v.GenericSchema>(entry: T) => v.pipe(v.array(entry), v.maxLength(MAX_SEEN));

const GpuSchema = v.variant('state', [
  v.object({ state: v.literal('absent'), tool: v.null() }),
  v.object({ state: v.literal('failed'), tool: v.picklist(TOOLS), reason: text, seconds: v.number() }),
  v.object({
    state: v.literal('seen'),
    tool: v.picklist(TOOLS),
    devices: list(
      v.object({
        index: count,
        uuid: fact,
        name: fact,
        total: v.nullable(count),
        used: v.nullable(count),
        free: v.nullable(count),
      }),
    ),
    processes: list(
      v.object({
        pid: count,
        startTicks: v.nullable(count),
        name: fact,
        device: v.nullable(count),
        used: v.nullable(count),
      }),
    ),
    pidsKnown: v.boolean(),
    note: v.nullable(text),
    seconds: v.number(),
  }),
]);

const SeenSchema = v.object({
  sightings: list(
    v.object({
      pid: count,
      startTicks: count,
      program: short,
      innerPid: count,
      base: v.pipe(short, v.regex(/^[0-9a-f]+$/)),
      reason: v.picklist(UNARMED_REASONS),
      advice: text,
    }),
  ),
  carriers: list(short),
  hidden: list(v.object({ pid: count, program: short })),
  use: v.nullable(
    v.object({
      time: v.number(),
      owners: list(v.object({ program: short, pid: count, workers: count, own: count, shared: count })),
      shm: v.nullable(v.object({ used: count, total: count })),
    }),
  ),
});

const GroupSchema = v.object({ pid: v.pipe(count, v.minValue(2)), startTicks: v.nullable(count) });

const KnownSchema = v.object({
  group: v.nullable(GroupSchema),
  host: v.nullable(
    v.union([
      v.object({
        state: v.literal('read'),
        source: v.picklist(['cgroup-v2', 'cgroup-v1', 'vmstat']),
        path: text,
        oom_kill: count,
        oom: v.nullable(count),
        machine: v.nullable(count),
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
  gpu: v.nullable(GpuSchema),
  seen: v.nullable(SeenSchema),
  met: v.pipe(v.array(GroupSchema), v.maxLength(MAX_LIST)),
});

const StateSchema = v.object({
  schema: v.literal(STATE_SCHEMA),
  plan: PlanSchema,
  known: KnownSchema,
});

/**
 * What post may find: nothing (main never planned), something it cannot read, an unfinished step, a finished
 * one.
 */
export type SavedState =
  | { readonly kind: 'none' }
  | { readonly kind: 'unreadable'; readonly reason: string }
  | { readonly kind: 'finished' }
  | { readonly kind: 'unfinished' | 'told'; readonly plan: Plan; readonly known: Known };

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
      kind: finish === 'told' ? finish : 'unfinished',
      plan: plan as Plan,
      known: known as Known,
    };
  } catch {
    return { kind: 'unreadable', reason: 'it is not JSON' };
  }
}
