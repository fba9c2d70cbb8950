/** main of job/action.yml: lays the shim for every step after it, and puts it first on their PYTHONPATH. */
import { appendFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { layReserve } from '../deliver/reserve.js';
import { observeGpus } from '../gpu/observe.js';
import { describeProblem } from '../inputs.js';
import { randomHex } from '../lib/random.js';
import { count, logLine } from '../lib/text.js';
import { inWatchedJob, makePlan, type Plan, prependPath } from '../plan.js';
import { forgiving, keyValueMessage, outliveOutput, type Runner } from '../runner/runner.js';
import { NOTHING_KNOWN, saveFinished, savePlan } from '../state.js';
import { readHostCounters } from '../step/host.js';
import { type Laid, layStep } from '../step/lay.js';
import { jobFolder, makeJobFolder, removeLeft } from './folders.js';
import { parseJobInputs } from './inputs.js';

/** Longest that nvidia-smi may take, in milliseconds. */
const GPU_TIMEOUT_MS = 5000;

/** State that tells post that it is a job's. */
export const JOB_STATE = 'job';

/** Runs main. Only a wrong input fails it: a fault of ours leaves the job as it would be without this line. */
export async function jobMain(actionDir: string, runner: Runner): Promise<void> {
  outliveOutput();
  process.exitCode = await run(forgiving(runner), process.env, actionDir);
  process.exit();
}

async function run(runner: Runner, env: NodeJS.ProcessEnv, actionDir: string): Promise<number> {
  runner.saveState(JOB_STATE, 'true');
  const parsed = parseJobInputs(runner.input);
  if (!parsed.ok) {
    saveFinished(runner);
    const lines = parsed.problems.map(describeProblem);
    const message = `${count(lines.length, 'input is', 'inputs are')} wrong; the job is not watched.\n${lines.join('\n')}`;
    await runner.annotate('error', message, { title: 'oom-autopsy: wrong inputs' });
    return 1;
  }
  if (inWatchedJob(env.PYTHONPATH)) {
    saveFinished(runner);
    runner.info(logLine('this job is watched already, by an earlier step'));
    return 0;
  }
  const temp = resolve(env.RUNNER_TEMP || tmpdir());
  const left = removeLeft(temp);
  if (left > 0)
    runner.info(logLine(`removed what ${count(left, 'earlier job')} had left, ended before its post`));
  const id = randomHex(6);
  const folder = jobFolder(temp, id);
  const workspace = resolve(env.GITHUB_WORKSPACE || '.');
  const planned = makePlan(parsed.inputs, env, { id, temp: folder, workspace, now: Date.now() });
  let laid: Laid;
  try {
    makeJobFolder(folder);
    laid = layStep(planned, '', join(actionDir, 'python', 'shim'));
    if (laid.shim) putOnPath(env, planned.shimDir);
  } catch (error) {
    return notWatched(runner, folder, (error as NodeJS.ErrnoException).code ?? (error as Error).message);
  }
  if (!laid.shim) return notWatched(runner, folder, laid.faults[0] ?? 'the shim was not laid');
  const plan: Plan = { ...planned, evidenceDir: laid.evidenceDir };
  layReserve(plan);
  savePlan(runner, plan);
  const gpu = await observeGpus({ timeoutMs: GPU_TIMEOUT_MS });
  savePlan(runner, plan, { ...NOTHING_KNOWN, host: readHostCounters(), gpu });
  return 0;
}

/** For every later step of the job, with what the job has on PYTHONPATH behind it. */
function putOnPath(env: NodeJS.ProcessEnv, shimDir: string): void {
  if (!env.GITHUB_ENV) throw new Error('GITHUB_ENV is not set');
  appendFileSync(env.GITHUB_ENV, keyValueMessage({ PYTHONPATH: prependPath(shimDir, env.PYTHONPATH) }));
}

async function notWatched(runner: Runner, folder: string, reason: string): Promise<number> {
  saveFinished(runner);
  rmSync(folder, { recursive: true, force: true });
  await runner.annotate('warning', `The job is not watched: ${reason}`, { title: 'oom-autopsy' });
  return 0;
}
