/**
 * post: runs always and turns no job red. It does nothing after a main that finished; after one that was killed it
 * ends the step's processes, gathers what exists, publishes it and writes the summary, from the saved plan alone.
 */
import { join } from 'node:path';
import { environmentRunner, type Runner } from './actions.js';
import { finish } from './finish.js';
import type { Plan } from './plan.js';
import { STEP_VARIABLE } from './plan.js';
import { type Group, readState, saveFinished } from './state.js';
import { processFacts, type StepMark } from './step/proc.js';
import { endStep } from './step/process.js';
import { count, logLine } from './text.js';

/** Runs post. It never fails the job: what goes wrong is a line in the log. */
export async function post(runner: Runner = environmentRunner(process.env)): Promise<void> {
  try {
    await run(runner, process.env);
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
      await finishFor(runner, env, state.plan, state.group);
  }
}

async function finishFor(
  runner: Runner,
  env: NodeJS.ProcessEnv,
  plan: Plan,
  group: Group | null,
): Promise<void> {
  runner.info(logLine('main was ended before it finished; ending its processes and gathering the evidence'));
  const mark: StepMark = { leader: liveLeader(group), variable: `${STEP_VARIABLE}=${plan.id}` };
  const { found, killed } = await endStep(mark, plan.options.gracePeriod * 1000);
  if (found > 0) {
    runner.info(
      logLine(`ended ${count(found, 'process', 'processes')} of the step, ${killed.length} by SIGKILL`),
    );
  }
  await finish(runner, {
    plan,
    env,
    result: null,
    before: null,
    sightings: [],
    hints: [],
    faults: ['main was ended before it finished, so the exit code of the step was not seen'],
    shimLaid: true,
    leader: mark.leader,
    killed,
    distDir: join(import.meta.dirname, '..'),
  });
  saveFinished(runner);
}

/** The group's leader if its pid still means the same group: a pid that was given to another process is not it. */
function liveLeader(group: Group | null): number | null {
  if (group === null) return null;
  const facts = processFacts(group.pid);
  return facts === null || facts.startTicks === group.startTicks ? group.pid : null;
}
