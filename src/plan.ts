/**
 * The plan of one wrapped step: every path, name and limit that main and post need, made from the inputs and
 * the runner's environment. Pure. It is saved to state before the step starts, so that post can finish what a
 * killed main began from the very same values (it never reads the inputs again).
 */
import { delimiter, isAbsolute, join, normalize } from 'node:path';
import type { Inputs } from './inputs.js';
import { type Command, scriptBody, shellCommand } from './step/shell.js';

/** Everything that is decided before the step runs. Holds no environment, no script text and no secret. */
export interface Plan {
  /** 12 hex digits, unique for the step; names its folder and marks its processes and receipts. */
  readonly id: string;
  readonly stepDir: string;
  /** First entry of the step's PYTHONPATH. */
  readonly shimDir: string;
  readonly evidenceDir: string;
  /** The user named the evidence folder: it is never removed. */
  readonly evidenceKept: boolean;
  /** Files that are written at the end, outside of the evidence folder so that the step cannot plant them. */
  readonly outputDir: string;
  readonly script: string;
  readonly command: Command;
  readonly cwd: string;
  readonly workspace: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly options: PlanOptions;
  readonly job: JobFacts;
}

/** The inputs without the commands: what later arrows need, and no secret. */
export type PlanOptions = Omit<Inputs, 'run' | 'shell' | 'workingDirectory' | 'evidenceDir'>;

/** Where the step ran: names and numbers that GitHub shows on the run's page anyway. */
export interface JobFacts {
  readonly repository: string | null;
  readonly job: string | null;
  readonly runId: string | null;
  readonly runAttempt: string | null;
  readonly sha: string | null;
  readonly serverUrl: string | null;
  readonly runnerName: string | null;
}

/** What the shim reads beside itself once torch is imported (schema `oom-autopsy.config.v1`). */
export interface ShimConfig {
  readonly schema: 'oom-autopsy.config.v1';
  readonly step: string;
  readonly evidence: string;
  readonly snapshot: Inputs['snapshot'];
  readonly max_entries: number;
  readonly stacks: Inputs['stacks'];
  readonly max_snapshots: number;
  readonly cycles: Inputs['cycles'];
  readonly cycles_watch: Inputs['cyclesWatch'];
  readonly categories: Inputs['categories'];
  readonly timeline_steps: number;
  readonly dump_deadline_s: number;
  /** Bytes, or below 1 a share of the device's memory; null without a budget. */
  readonly memory_budget: number | null;
}

/**
 * Seconds a dump may take inside the user's program; symbolising C++ frames was reported to take 158 to 403
 * s.
 */
const DUMP_DEADLINE_S = { python: 120, all: 600 } as const;

/**
 * @param id 12 hex digits
 * @param temp RUNNER_TEMP or the system's folder for temporary files
 * @param workspace GITHUB_WORKSPACE or the current folder
 */
export function makePlan(
  inputs: Inputs,
  env: NodeJS.ProcessEnv,
  where: { readonly id: string; readonly temp: string; readonly workspace: string; readonly now: number },
): Plan {
  const { run: _run, shell, workingDirectory, evidenceDir, ...options } = inputs;
  const stepDir = join(where.temp, `oom-autopsy-${where.id}`);
  const scriptBase = join(stepDir, 'run');
  const command = shellCommand(shell, (extension) => `${scriptBase}${extension}`);
  const named = (value: string | undefined): string | null => (value ? value : null);
  return {
    id: where.id,
    stepDir,
    shimDir: join(stepDir, 'path'),
    evidenceDir:
      evidenceDir === '' ? join(stepDir, 'evidence') : normalize(fromWorkspace(evidenceDir, where.workspace)),
    evidenceKept: evidenceDir !== '',
    outputDir: join(stepDir, 'out'),
    script: `${scriptBase}${command.scriptExtension}`,
    command,
    cwd: fromWorkspace(workingDirectory, where.workspace),
    workspace: where.workspace,
    startedAt: where.now,
    options,
    job: {
      repository: named(env.GITHUB_REPOSITORY),
      job: named(env.GITHUB_JOB),
      runId: named(env.GITHUB_RUN_ID),
      runAttempt: named(env.GITHUB_RUN_ATTEMPT),
      sha: named(env.GITHUB_SHA),
      serverUrl: named(env.GITHUB_SERVER_URL),
      runnerName: named(env.RUNNER_NAME),
    },
  };
}

/** A path that an input gives: relative paths start at the workspace; empty means the workspace. */
export const fromWorkspace = (path: string, workspace: string): string =>
  path === '' ? workspace : isAbsolute(path) ? path : join(workspace, path);

/** A budget as the shim takes it. No peak is above all of a device. */
function shimBudget(budget: Inputs['memoryBudget']): number | null {
  if (budget === null) return null;
  if ('share' in budget) return budget.share < 1 ? budget.share : null;
  return Math.max(1, budget.bytes);
}

/** The config that is laid beside the shim. */
export function shimConfig(plan: Plan): ShimConfig {
  const { options } = plan;
  return {
    schema: 'oom-autopsy.config.v1',
    step: plan.id,
    evidence: plan.evidenceDir,
    snapshot: options.snapshot,
    max_entries: options.maxEntries,
    stacks: options.stacks,
    max_snapshots: options.maxSnapshots,
    cycles: options.cycles,
    cycles_watch: options.cyclesWatch,
    categories: options.categories,
    timeline_steps: options.timelineSteps,
    dump_deadline_s: DUMP_DEADLINE_S[options.stacks],
    memory_budget: shimBudget(options.memoryBudget),
  };
}

/** Text of the script file for a `run` input. */
export const planScript = (inputs: Inputs): string => scriptBody(inputs.run, inputs.shell);

/** Variable that marks the step's processes, so that those that left the process group are still found. */
export const STEP_VARIABLE = 'OOM_AUTOPSY_STEP';

/**
 * What the runner gives to actions but not to a `run:` step (actions/runner, NodeScriptActionHandler against
 * ScriptHandler). The program gets what a plain step would see, and not the token that writes artifacts.
 */
const ACTION_ONLY = [
  'ACTIONS_RUNTIME_TOKEN',
  'ACTIONS_RUNTIME_URL',
  'ACTIONS_RESULTS_URL',
  'ACTIONS_CACHE_URL',
  'ACTIONS_CACHE_SERVICE_V2',
] as const;

/**
 * The job's environment as a `run:` step would see it: without our inputs and the action-only variables.
 * `STATE_*` stays: the runner gives an action's state to its pre and post alone, so in main such a variable
 * is the user's.
 */
export function plainStepEnvironment(
  env: NodeJS.ProcessEnv,
  inputVariables: readonly string[],
): NodeJS.ProcessEnv {
  const hidden = new Set<string>([...inputVariables, ...ACTION_ONLY]);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !hidden.has(name)));
}

/** What the step's environment depends on beside the plan. */
export interface EnvironmentOptions {
  /** Variables that hold our inputs. */
  readonly inputVariables: readonly string[];
  /** A file for `GITHUB_STATE`: a plain step has no post, and what it wrote there must not become ours. */
  readonly scratchState: string;
  /** False when the shim could not be laid: PYTHONPATH then stays the user's own. */
  readonly shim: boolean;
}

/**
 * The environment of the wrapped program: the job's own, our inputs and the action-only variables taken out,
 * our folder put first on PYTHONPATH.
 */
export function stepEnvironment(
  plan: Plan,
  env: NodeJS.ProcessEnv,
  options: EnvironmentOptions,
): NodeJS.ProcessEnv {
  const result = plainStepEnvironment(env, options.inputVariables);
  if (result.GITHUB_STATE !== undefined) result.GITHUB_STATE = options.scratchState;
  if (options.shim) result.PYTHONPATH = prependPath(plan.shimDir, withoutJob(env.PYTHONPATH));
  result[STEP_VARIABLE] = plan.id;
  return result;
}

/** A watched job's folder in RUNNER_TEMP begins so (src/job). */
export const JOB_FOLDER = 'oom-autopsy-job-';
const OF_JOB = new RegExp(`/${JOB_FOLDER}[0-9a-f]{12}/`);

/** PYTHONPATH without the shim of a watched job: a wrapped step in it reports for itself. */
export const withoutJob = (path: string | undefined): string =>
  (path ?? '')
    .split(delimiter)
    .filter((entry) => !OF_JOB.test(entry))
    .join(delimiter);

/** Is PYTHONPATH watched by the shim of a job? */
export const inWatchedJob = (path: string | undefined): boolean => OF_JOB.test(path ?? '');

/**
 * `dir` before the user's own PYTHONPATH, with no empty entry of ours (an empty entry means the current
 * folder).
 */
export const prependPath = (dir: string, existing: string | undefined): string =>
  existing ? `${dir}${delimiter}${existing}` : dir;
