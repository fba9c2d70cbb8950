/**
 * post: runs always and turns no job red. It does nothing after a main that came to its end. After one that was killed it
 * ends the step's processes, gathers what exists, publishes it and writes the summary, from the saved plan alone;
 * after one that left processes running, or an upload that a cancel stopped, it does what is left of that.
 */
import { join } from 'node:path';
import { finish, type Look, look } from './account.js';
import { isSpent, removeSpent } from './deliver/cleanup.js';
import { type Told, takeAway } from './deliver/deliver.js';
import { Reserve } from './deliver/reserve.js';
import { goOn, hasEvidence, latePlan, newEvidence, readManifest, readTold } from './deliver/resume.js';
import type { Evidence } from './evidence/collect.js';
import type { Manifest } from './evidence/manifest.js';
import { removeHalves } from './lib/files.js';
import { count, logLine } from './lib/text.js';
import type { Plan } from './plan.js';
import { hideEnvironment } from './runner/environ.js';
import { forgiving, outliveOutput, type Runner } from './runner/runner.js';
import { readState } from './saved-state.js';
import type { Known } from './state.js';
import { type Ended, markOf } from './step/ended.js';
import { endStep } from './step/process.js';

/** Runs post. It never fails the job: what goes wrong is a line in the log. */
export async function post(runner: Runner): Promise<void> {
  outliveOutput();
  hideEnvironment();
  const reserve = new Reserve();
  try {
    await run(forgiving(runner, reserve.free), process.env, reserve);
  } catch (error) {
    runner.info(logLine(`post could not finish (${(error as Error).message})`));
  }
  reserve.free();
  process.exitCode = 0;
  process.exit();
}

async function run(runner: Runner, env: NodeJS.ProcessEnv, reserve: Reserve): Promise<void> {
  const state = readState(runner);
  if ('plan' in state) {
    removeHalves(state.plan.outputDir);
    reserve.of(state.plan);
  }
  switch (state.kind) {
    case 'none':
    case 'finished':
      return;
    case 'unreadable':
      runner.info(logLine(`the state that main saved cannot be read (${state.reason}); nothing was done`));
      return;
    case 'unfinished':
    case 'told':
      return resume(
        runner,
        { ...ended(env, state.plan, state.known), makeRoom: reserve.free },
        state.kind === 'told' ? 'all' : await readTold(state.plan),
      );
  }
}

const actionDir = (): string => join(import.meta.dirname, '..', '..');

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
  met: known.met,
  actionDir: actionDir(),
});

/**
 * The one way to go on: what main's account tells is told, what its artifact does not hold is published, and so is
 * what came since. Where it left no account, post makes it.
 * @param told how much of main's account is with the runner
 */
async function resume(runner: Runner, facts: Ended, told: Told | null): Promise<void> {
  if (told === 'all') return goOnOrFinish(runner, facts, told);
  const { plan, result, faults } = facts;
  if (result !== null) {
    // The step had come to its end: what it left running is as much the user's as after any other step.
    runner.info(logLine('main was ended before it had told everything; gathering the evidence'));
    return goOnOrFinish(runner, { ...facts, hurried: true }, told);
  }
  runner.info(logLine('main was ended before it finished; ending its processes and gathering the evidence'));
  const { found, killed } = await endStep(markOf(facts), plan.options.gracePeriod * 1000);
  if (found > 0) {
    runner.info(
      logLine(`ended ${count(found, 'process', 'processes')} of the step, ${killed.length} by SIGKILL`),
    );
  }
  const unseen = 'main was ended before it finished, so the exit code of the step was not seen';
  return goOnOrFinish(runner, { ...facts, faults: [...faults, unseen], killed, hurried: true }, told);
}

/** From the account of whoever was killed when there is one: it knows more, and part of its evidence may be gone by now. */
async function goOnOrFinish(runner: Runner, facts: Ended, how: Told | null): Promise<void> {
  const told = await readManifest(facts.plan);
  if (told !== null) {
    try {
      const seen = await look(facts);
      await goOn(runner, facts, seen.evidence, told, how);
      return await gatherLate(runner, facts, seen);
    } catch (error) {
      // Anybody of the step may have written it: then it is as good as none.
      runner.info(logLine(`the account that was found is of no use (${(error as Error).message})`));
    }
  }
  // What was told without an account, on a full disk, is in the summary: only what came since is to be told.
  if (how !== null) return gatherLate(runner, facts);
  const { spent, evidence } = await finish(runner, facts);
  if (spent && !(await takeAway(runner, evidence))) await gatherLate(runner, facts);
}

/**
 * Tells and publishes what came to the evidence since its account was written: by survivors of the step, who are left alone. Then our
 * own folder goes, if nobody is left and artifacts hold all of it.
 * @param before an earlier look, good enough where there is no news in it
 */
async function gatherLate(runner: Runner, facts: Ended, before?: Look): Promise<void> {
  const told = await readManifest(facts.plan);
  const news = ({ evidence }: Look): Evidence => newEvidence(evidence, told);
  const seen = before && !hasEvidence(news(before)) ? before : await look(facts);
  const late = news(seen);
  const accounts: Manifest[] = told === null ? [] : [told];
  if (hasEvidence(late)) {
    runner.info(logLine('evidence has come since main looked at it; gathering it'));
    const { manifest } = await finish(runner, { ...facts, plan: latePlan(facts.plan), late });
    accounts.push(manifest);
  }
  const spent =
    !facts.plan.evidenceKept && seen.stillRunning.length === 0 && isSpent(seen.evidence, accounts);
  if (spent) await removeSpent(seen.evidence);
}
