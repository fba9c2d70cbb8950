/**
 * main: the order of the arrows, and nothing else.
 * inputs → plan → laid folders → the step → evidence → verdict → published → report → outputs, exit code
 */
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { finish, REFUSED_OUTPUTS } from './account.js';
import { takeAway } from './deliver/deliver.js';
import { layReserve, Reserve } from './deliver/reserve.js';
import { observeGpus } from './gpu/observe.js';
import { describeProblem, INPUT_NAMES, type InputProblem, type Inputs, parseInputs } from './inputs.js';
import { randomHex } from './lib/random.js';
import { count, logLine, printable } from './lib/text.js';
import { fixturePath } from './parity/paths.js';
import { fromWorkspace, makePlan, type Plan, planScript, STEP_VARIABLE, stepEnvironment } from './plan.js';
import { markdown } from './report/markdown.js';
import { say, strong } from './report/rich.js';
import { leftoverWarning, roomFor } from './report/words/leftovers.js';
import { hideEnvironment } from './runner/environ.js';
import { replacedOutputs, setOutputs } from './runner/outputs.js';
import { forgiving, inputVariable, outliveOutput, type Runner } from './runner/runner.js';
import { type Known, saveFinished, savePlan } from './state.js';
import { watchCancel } from './step/cancel.js';
import type { Ended } from './step/ended.js';
import { readHostCounters } from './step/host.js';
import { folderProblem, type Laid, layStep } from './step/lay.js';
import { runStep } from './step/process.js';
import { scriptHints } from './step/script-hints.js';
import { ignoringSigpipe, runnerIgnoresSigpipe } from './step/sigpipe.js';
import { TorchWatch } from './step/watch.js';

/** Longest that nvidia-smi may take before the step, in milliseconds. */
const GPU_TIMEOUT_MS = 5000;

/** The action's checkout: this bundle lies in dist/main, the shim and the parity check in python/. */
export const actionDir = (): string => join(import.meta.dirname, '..', '..');

/**
 * Runs the action and exits with the step's own exit code.
 * @param terminal a person started the step: its input and the keys pressed are theirs
 */
export async function main(runner: Runner, terminal: boolean): Promise<void> {
  outliveOutput();
  hideEnvironment();
  const reserve = new Reserve();
  process.exitCode = await run(forgiving(runner, reserve.free), process.env, reserve, terminal);
  // Sockets of a hung upload, or a helper's pipe, must not keep the job waiting once everything is said.
  process.exit();
}

async function run(
  runner: Runner,
  env: NodeJS.ProcessEnv,
  reserve: Reserve,
  terminal: boolean,
): Promise<number> {
  const workspace = resolve(env.GITHUB_WORKSPACE || '.');
  const parsed = parseInputs(runner.input);
  const problems = [
    ...(parsed.ok ? [] : parsed.problems),
    ...(await fileProblems(parsed.ok ? parsed.inputs : parsed.valid, workspace)),
  ];
  if (!parsed.ok || problems.length > 0) return refuse(runner, problems);
  const { inputs } = parsed;
  const planned = makePlan(inputs, env, {
    id: randomHex(6),
    temp: resolve(env.RUNNER_TEMP || tmpdir()),
    workspace,
    now: Date.now(),
  });

  savePlan(runner, planned);
  let laid: Laid;
  try {
    laid = layStep(planned, planScript(inputs), join(actionDir(), 'python', 'shim'));
  } catch (error) {
    return notLaid(runner, planned, error as NodeJS.ErrnoException);
  }
  const plan: Plan = { ...planned, evidenceDir: laid.evidenceDir };
  layReserve(plan);
  reserve.of(plan);
  savePlan(runner, plan);
  for (const fault of laid.faults) runner.info(logLine(fault));

  const before = { gpu: await observeGpus({ timeoutMs: GPU_TIMEOUT_MS }), host: readHostCounters() };
  const room = inputs.minFree === null ? null : roomFor(before.gpu, inputs.minFree, env.CUDA_VISIBLE_DEVICES);
  if (room?.state === 'full') return noRoom(runner, plan, room.message);
  if (room !== null) await runner.annotate('warning', room.message, { title: 'oom-autopsy: min-free' });
  const warning = leftoverWarning(before.gpu);
  if (warning !== null) await runner.annotate('warning', warning, { title: 'oom-autopsy: GPU in use' });

  const hints = scriptHints(inputs.run);
  let known: Known = {
    group: null,
    host: before.host,
    result: null,
    shimLaid: laid.shim,
    faults: laid.faults,
    hints,
    gpu: before.gpu,
    seen: null,
    met: [],
  };
  const learn = (more: Partial<Known>): void => {
    known = { ...known, ...more };
    savePlan(runner, plan, known);
  };
  const mark = `${STEP_VARIABLE}=${plan.id}`;
  const watch = new TorchWatch(
    () => ({ leader: known.group?.pid ?? null, variable: mark, since: known.group?.startTicks ?? null }),
    plan.shimDir,
  );
  watch.start((seen) => learn({ seen }));
  const cancel = watchCancel();
  const result = await runStep({
    ...(runnerIgnoresSigpipe() ? ignoringSigpipe(plan.command) : plan.command),
    cwd: plan.cwd,
    env: stepEnvironment(plan, env, {
      inputVariables: INPUT_NAMES.map(inputVariable),
      scratchState: join(plan.stepDir, 'state'),
      shim: laid.shim,
    }),
    graceMs: plan.options.gracePeriod * 1000,
    mark,
    terminal,
    met: () => watch.met(),
    onStart: (group) => learn({ group }),
  });
  watch.stop();
  const replaced = replacedOutputs(env.GITHUB_OUTPUT);
  if (replaced.length > 0) {
    const names = replaced.join(', ');
    runner.info(
      logLine(`the step set outputs that are this action's, whose own values replace them: ${names}`),
    );
  }
  const met = watch.met();
  learn({ result, seen: watch.seen(), met });

  const ended: Ended = {
    plan,
    env,
    result,
    before,
    seen: watch.seen(),
    hints,
    faults: laid.faults,
    shimLaid: laid.shim,
    leader: known.group?.pid ?? null,
    since: known.group?.startTicks ?? null,
    met,
    actionDir: actionDir(),
    makeRoom: reserve.free,
    cancel,
  };
  try {
    const { code, stillRunning, cut, spent, evidence } = await finish(runner, ended);
    const left = spent ? !(await takeAway(runner, evidence)) : cut || stillRunning > 0;
    if (!left) {
      saveFinished(runner);
      reserve.free();
    }
    return code;
  } catch (error) {
    // State says unfinished, so post tries once more. The step's own code is what counts.
    runner.info(logLine(`the evidence could not be gathered (${(error as Error).message})`));
    return result.exitCode;
  }
}

/** The script of the step cannot be written: a plain `run:` step would not start either. */
async function notLaid(runner: Runner, plan: Plan, error: NodeJS.ErrnoException): Promise<number> {
  await runner.annotate(
    'error',
    `The commands could not be written to ${plan.stepDir} (${error.code ?? error.message}); nothing was run.`,
    { title: 'oom-autopsy: the step could not start' },
  );
  setOutputs(runner, REFUSED_OUTPUTS);
  saveFinished(runner);
  return 1;
}

/** Other processes hold more of a GPU than `min-free` allows: nothing is started, and nothing of ours stays. */
async function noRoom(runner: Runner, plan: Plan, message: string): Promise<number> {
  await runner.annotate('error', `${message}. Nothing was run.`, {
    title: 'oom-autopsy: not enough GPU memory is free',
  });
  runner.summary(`${markdown(say`🔴 ${strong('Not run: not enough GPU memory is free.')} ${message}.`)}\n`);
  setOutputs(runner, REFUSED_OUTPUTS);
  rmSync(plan.stepDir, { recursive: true, force: true });
  saveFinished(runner);
  return 1;
}

/**
 * Problems that only the file system can tell; listed like those of the inputs, before anything runs. A
 * fixture is compared with what the step's torch does, so the step cannot be what makes it. The interpreter
 * for the check may well be made by the step (`uv sync`), so a missing interpreter is reported after the
 * step.
 */
async function fileProblems(inputs: Partial<Inputs>, workspace: string): Promise<InputProblem[]> {
  const problems: InputProblem[] = [];
  const { workingDirectory, fixture, parity } = inputs;
  const folder =
    workingDirectory === undefined ? null : folderProblem(fromWorkspace(workingDirectory, workspace));
  if (folder !== null) {
    problems.push({
      input: 'working-directory',
      given: workingDirectory || workspace,
      accepted: `a folder that exists (${folder})`,
    });
  }
  const path = fixture === undefined || parity === 'off' ? null : fixturePath(fixture, workspace);
  const file = path === null ? null : (await import('./parity/fixture.js')).fixtureProblem(path);
  if (file !== null) {
    problems.push({
      input: 'fixture',
      given: printable(fixture ?? '', 120),
      accepted: `a file that \`freeze\` of the parity check wrote (${file})`,
    });
  }
  return problems;
}

/** Says everything that is wrong at once, runs nothing, and fails. */
async function refuse(runner: Runner, problems: readonly InputProblem[]): Promise<number> {
  const lines = problems.map(describeProblem);
  for (const line of lines) runner.info(logLine(line));
  await runner.annotate(
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
