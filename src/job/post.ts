/**
 * post of job/action.yml: collects, judges by the job's status, reports, uploads, removes what main laid. It
 * fails, and with it the job, only on a green job whose gate was named.
 */
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Finished, finish } from '../account.js';
import { takeAway } from '../deliver/deliver.js';
import { Reserve } from '../deliver/reserve.js';
import { logLine } from '../lib/text.js';
import { type Plan, withoutJob } from '../plan.js';
import { forgiving, outliveOutput, type Runner } from '../runner/runner.js';
import { readState } from '../saved-state.js';
import type { Ended } from '../step/ended.js';
import { folderOf, jobProcesses } from './folders.js';
import { STATUS_INPUT } from './inputs.js';
import { endOfJob } from './status.js';
import { wrappedParagraph, wrappedSteps } from './wrapped.js';

const actionDir = join(import.meta.dirname, '..', '..');

export async function jobPost(runner: Runner): Promise<void> {
  outliveOutput();
  const reserve = new Reserve();
  let code = 0;
  try {
    code = await run(forgiving(silent(runner), reserve.free), process.env, reserve);
  } catch (error) {
    runner.info(logLine(`the job's evidence could not be gathered (${(error as Error).message})`));
  }
  process.exitCode = code;
  process.exit();
}

/** Outputs of a post reach nobody. */
const silent = (runner: Runner): Runner => ({ ...runner, setOutputs: () => undefined });

async function run(runner: Runner, env: NodeJS.ProcessEnv, reserve: Reserve): Promise<number> {
  const state = readState(runner);
  if (state.kind === 'unreadable')
    runner.info(logLine(`the state that main saved cannot be read (${state.reason}); nothing was done`));
  if (!('plan' in state)) return 0;
  const { plan, known } = state;
  reserve.of(plan);
  const status = runner.input(STATUS_INPUT);
  const { result, fault } = endOfJob(status, { startedAt: plan.startedAt, endedAt: Date.now() });
  const ended: Ended = {
    plan,
    env: unwatched(env),
    result,
    before: { gpu: known.gpu, host: known.host },
    seen: null,
    hints: [],
    faults: fault === null ? known.faults : [...known.faults, fault],
    shimLaid: known.shimLaid,
    leader: null,
    since: null,
    met: jobProcesses(plan.shimDir),
    actionDir,
    makeRoom: reserve.free,
    job: true,
    ...(status === 'cancelled' ? { hurried: true } : {}),
  };
  // Our own helpers, the parity check above all, are no part of the job.
  process.env.PYTHONPATH = ended.env.PYTHONPATH ?? '';
  const finished = await finish(runner, ended);
  const pointers = wrappedParagraph(wrappedSteps(dirname(folderOf(plan)), plan.startedAt));
  if (pointers !== '') runner.summary(pointers);
  reserve.free();
  await removeLaid(runner, plan, finished);
  return status === 'success' || fault !== null ? finished.code : 0;
}

/** The environment without the job's shim. */
function unwatched({ PYTHONPATH, ...env }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const rest = withoutJob(PYTHONPATH);
  return rest === '' ? env : { ...env, PYTHONPATH: rest };
}

/** What the shim needs stays while a process of the job runs; evidence stays unless an artifact holds it, or there was none to keep. */
async function removeLaid(runner: Runner, plan: Plan, finished: Finished): Promise<void> {
  const { manifest, spent, stillRunning, evidence } = finished;
  const none = manifest.published.state === 'skipped' && plan.options.upload;
  const held = (spent && (await takeAway(runner, evidence))) || plan.evidenceKept;
  if (stillRunning === 0 && (none || held)) rmSync(folderOf(plan), { recursive: true, force: true });
}
