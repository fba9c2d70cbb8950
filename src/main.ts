/**
 * main: the order of the arrows, and nothing else.
 * inputs → plan → laid folders → the step → evidence → verdict → published → report → outputs, exit code
 */
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environmentRunner, inputVariable, type Runner } from './actions.js';
import { finish, REFUSED_OUTPUTS } from './finish.js';
import { observeGpus } from './gpu/observe.js';
import { describeProblem, INPUT_NAMES, type InputProblem, type Inputs, parseInputs } from './inputs.js';
import { setOutputs } from './outputs.js';
import { makePlan, type Plan, planScript, STEP_VARIABLE, stepEnvironment } from './plan.js';
import { leftoverWarning } from './report/leftovers.js';
import { saveFinished, savePlan } from './state.js';
import { readHostCounters } from './step/host.js';
import { folderProblem, layStep } from './step/lay.js';
import { runStep } from './step/process.js';
import { PythonWatch, scriptHints } from './step/unarmed.js';
import { count, logLine } from './text.js';

/** Longest that nvidia-smi may take before the step, in milliseconds. */
const GPU_TIMEOUT_MS = 5000;

/** Where dist/shim and dist/parity lie: beside the folder of this bundle. */
export const distDir = (): string => join(import.meta.dirname, '..');

/** Runs the action and exits with the step's own exit code. */
export async function main(runner: Runner = environmentRunner(process.env)): Promise<void> {
  process.exitCode = await run(runner, process.env);
  // Sockets of a hung upload, or a helper's pipe, must not keep the job waiting once everything is said.
  process.exit();
}

async function run(runner: Runner, env: NodeJS.ProcessEnv): Promise<number> {
  const workspace = env.GITHUB_WORKSPACE || process.cwd();
  const parsed = parseInputs(runner.input);
  if (!parsed.ok) return refuse(runner, parsed.problems);
  const { inputs } = parsed;
  const plan = makePlan(inputs, env, {
    id: randomBytes(6).toString('hex'),
    temp: env.RUNNER_TEMP || tmpdir(),
    workspace,
    now: Date.now(),
  });
  const problems = folderProblems(inputs, plan);
  if (problems.length > 0) return refuse(runner, problems);

  savePlan(runner, plan, null);
  const laid = layStep(plan, planScript(inputs), join(distDir(), 'shim'));
  for (const fault of laid.faults) runner.info(logLine(fault));

  const before = { gpu: await observeGpus({ timeoutMs: GPU_TIMEOUT_MS }), host: readHostCounters() };
  const warning = leftoverWarning(before.gpu);
  if (warning !== null) runner.annotate('warning', warning, { title: 'oom-autopsy: GPU in use' });

  let leader: number | null = null;
  const mark = `${STEP_VARIABLE}=${plan.id}`;
  const watch = new PythonWatch(() => ({ leader, variable: mark }), plan.shimDir);
  watch.start();
  const result = await runStep({
    file: plan.command.file,
    args: plan.command.args,
    cwd: plan.cwd,
    env: stepEnvironment(plan, env, {
      inputVariables: INPUT_NAMES.map(inputVariable),
      scratchState: join(plan.stepDir, 'state'),
      shim: laid.shim,
    }),
    graceMs: plan.options.gracePeriod * 1000,
    mark,
    onStart: (group) => {
      leader = group.pid;
      savePlan(runner, plan, group);
    },
  });
  watch.stop();

  const code = await finish(runner, {
    plan,
    env,
    result,
    before,
    sightings: watch.sightings(),
    hints: scriptHints(inputs.run),
    faults: laid.faults,
    shimLaid: laid.shim,
    leader,
    distDir: distDir(),
  });
  saveFinished(runner);
  return code;
}

/** Problems that only the file system can tell; listed like those of the inputs, before anything runs. */
function folderProblems(inputs: Inputs, plan: Plan): InputProblem[] {
  const problem = folderProblem(plan.cwd);
  return problem === null
    ? []
    : [
        {
          input: 'working-directory',
          given: inputs.workingDirectory || plan.cwd,
          accepted: `a folder that exists (${problem})`,
        },
      ];
}

/** Says everything that is wrong at once, runs nothing, and fails. */
function refuse(runner: Runner, problems: readonly InputProblem[]): number {
  const lines = problems.map(describeProblem);
  for (const line of lines) runner.info(logLine(line));
  runner.annotate(
    'error',
    `${count(problems.length, 'input is', 'inputs are')} wrong; nothing was run.\n${lines.join('\n')}`,
    {
      title: 'oom-autopsy: wrong inputs',
    },
  );
  setOutputs(runner, REFUSED_OUTPUTS);
  saveFinished(runner);
  return 1;
}
