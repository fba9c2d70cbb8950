/**
 * post: runs always and turns no job red. It does nothing after a main that came to its end. After one that was killed it
 * ends the step's processes, gathers what exists, publishes it and writes the summary, from the saved plan alone;
 * after one that left processes running, or an upload that a cancel stopped, it does what is left of that.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { environmentRunner, forgiving, outliveOutput, type Runner } from './actions.js';
import { type Ended, markOf } from './ended.js';
import { collect } from './evidence/collect.js';
import { finish, isGone } from './finish.js';
import { hasEvidence, latePlan, newEvidence, publishAgain, readManifest } from './late.js';
import type { Plan } from './plan.js';
import { removeStrays, secondPlaces } from './publish/places.js';
import { readState } from './saved-state.js';
import type { Known } from './state.js';
import { stepProcesses } from './step/proc.js';
import { endStep } from './step/process.js';
import { count, logLine } from './text.js';

/** Runs post. It never fails the job: what goes wrong is a line in the log. */
export async function post(runner: Runner = environmentRunner(process.env)): Promise<void> {
  outliveOutput();
  try {
    await run(forgiving(runner), process.env);
  } catch (error) {
    runner.info(logLine(`post could not finish (${(error as Error).message})`));
  }
  process.exitCode = 0;
  process.exit();
}

async function run(runner: Runner, env: NodeJS.ProcessEnv): Promise<void> {
  const state = readState(runner);
  switch (state.kind) {
    case 'none':
    case 'finished':
      return;
    case 'unreadable':
      runner.info(logLine(`the state that main saved cannot be read (${state.reason}); nothing was done`));
      return;
    case 'unfinished':
      await takeAway(runner, env, state.plan);
      return finishFor(runner, env, state.plan, state.known);
    case 'late':
      return gatherLate(runner, env, state.plan, state.known);
    case 'cut':
      if (await publishAgain(runner, { plan: state.plan, env, distDir: distDir() })) return;
      return finishFor(runner, env, state.plan, state.known);
  }
}

/** Removes what a main that was killed had staged outside of the evidence folder: copies, which nobody else would find. */
async function takeAway(runner: Runner, env: NodeJS.ProcessEnv, plan: Plan): Promise<void> {
  const removed = await removeStrays(secondPlaces(env), plan.id, Date.now());
  if (removed > 0)
    runner.info(logLine('an upload was interrupted before; the copies that it had made were removed'));
}

const distDir = (): string => join(import.meta.dirname, '..');

/** What post has for `finish` beside the plan. */
const ended = (env: NodeJS.ProcessEnv, plan: Plan, known: Known): Ended => ({
  plan,
  env,
  result: known.result,
  before: { gpu: known.gpu, host: known.host },
  seen: known.seen,
  hints: known.hints,
  faults: known.faults,
  shimLaid: known.shimLaid,
  leader: known.group?.pid ?? null,
  since: known.group?.startTicks ?? null,
  met: new Map(known.met.flatMap(({ pid, startTicks }) => (startTicks === null ? [] : [[pid, startTicks]]))),
  distDir: distDir(),
});

async function finishFor(runner: Runner, env: NodeJS.ProcessEnv, plan: Plan, known: Known): Promise<void> {
  const facts = ended(env, plan, known);
  if (known.result !== null) {
    // The step had come to its end: what it left running is as much the user's as after any other step.
    runner.info(logLine('main was ended before it had told everything; gathering the evidence'));
    await finish(runner, { ...facts, hurried: true });
    return;
  }
  runner.info(logLine('main was ended before it finished; ending its processes and gathering the evidence'));
  const { found, killed } = await endStep(markOf(facts), plan.options.gracePeriod * 1000);
  if (found > 0) {
    runner.info(
      logLine(`ended ${count(found, 'process', 'processes')} of the step, ${killed.length} by SIGKILL`),
    );
  }
  await finish(runner, {
    ...facts,
    faults: [...known.faults, 'main was ended before it finished, so the exit code of the step was not seen'],
    killed,
    hurried: true,
  });
}

/** Tells and publishes what the step's survivors wrote since main finished. They are left alone. */
async function gatherLate(runner: Runner, env: NodeJS.ProcessEnv, plan: Plan, known: Known): Promise<void> {
  const told = await readManifest(plan);
  const evidence = await collect({ dir: plan.evidenceDir, step: plan.id, isGone });
  const late = newEvidence(evidence, told);
  const facts = ended(env, latePlan(plan, told), known);
  if (!hasEvidence(late)) {
    // main kept the folder for its survivors alone. Whatever was refused in it is not published, so then it stays.
    const spent =
      !facts.plan.evidenceKept && evidence.rejectedCount === 0 && stepProcesses(markOf(facts)).length === 0;
    if (spent) await rm(plan.evidenceDir, { recursive: true, force: true });
    return;
  }
  runner.info(logLine('processes that the step left running have written evidence since; gathering it'));
  await finish(runner, { ...facts, late });
}
