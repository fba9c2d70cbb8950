/**
 * CPU of main and post on a green run, over an empty script on the same Node (budget: 2.5 times each), and
 * beside it the wall time. The step is `true`; what its own shell costs is not main's, so it is measured
 * beside and taken off. Interleaved, medians with spread, in one run. Prints; asserts nothing.
 *
 *   node lab/bench/action.mjs [rounds]
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { node24, ROOT } from '../scripts/lib.mjs';
import { ratioLine, statistics } from './statistics.mjs';

const rounds = Number(process.argv[2] ?? 20);
const root = mkdtempSync(join(tmpdir(), 'oom-autopsy-bench-'));
const empty = join(root, 'empty.mjs');
writeFileSync(empty, '');
const step = join(root, 'step.sh');
writeFileSync(step, 'true\n');

/** CPU and wall time of one process and its children, in milliseconds, by bash's own `time`. */
function timed(script, env, program = [node24()]) {
  const run = spawnSync(
    'bash',
    ['-c', 'TIMEFORMAT="%3U %3S %3R"; time "$@" >/dev/null', 'bash', ...program, script],
    { env: { PATH: process.env.PATH, HOME: root, ...env }, encoding: 'utf8' },
  );
  const [user, system, real] = run.stderr.trim().split('\n').at(-1).split(' ').map(Number);
  return { cpu: (user + system) * 1000, wall: real * 1000 };
}

/** The environment of one step, with fresh files. */
function stepEnv() {
  const folder = mkdtempSync(join(root, 'step-'));
  const file = (name) => {
    writeFileSync(join(folder, name), '');
    return join(folder, name);
  };
  return {
    RUNNER_TEMP: folder,
    GITHUB_WORKSPACE: folder,
    GITHUB_OUTPUT: file('output'),
    GITHUB_STATE: file('state'),
    GITHUB_STEP_SUMMARY: file('summary'),
    INPUT_RUN: 'true',
    'INPUT_IF-NO-TORCH': 'ignore',
  };
}

/** What the runner hands to post, from the state file of main. */
function stateVariables(path) {
  const found = {};
  for (const [, name, delimiter, value] of readFileSync(path, 'utf8').matchAll(
    /^(.+?)<<(.+)\n([\s\S]*?)\n\2$/gm,
  )) {
    if (delimiter) found[`STATE_${name}`] = value;
  }
  return found;
}

try {
  const samples = { empty: [], shell: [], main: [], post: [] };
  for (let round = 0; round < rounds; round++) {
    samples.empty.push(timed(empty, {}));
    samples.shell.push(timed(step, {}, ['bash', '--noprofile', '--norc', '-e', '-o', 'pipefail']));
    const env = stepEnv();
    samples.main.push(timed(join(ROOT, 'dist/main/index.js'), env));
    samples.post.push(
      timed(join(ROOT, 'dist/post/index.js'), { ...env, ...stateVariables(env.GITHUB_STATE) }),
    );
  }
  console.log(
    `Node ${spawnSync(node24(), ['--version'], { encoding: 'utf8' }).stdout.trim()}, ${rounds} rounds, interleaved`,
  );
  for (const measure of ['cpu', 'wall']) {
    const of = (name) => statistics(samples[name].map((sample) => sample[measure]));
    const base = of('empty');
    console.log(ratioLine(`${measure}: empty script`, base, base, 'ms'));
    const shell = of('shell').median;
    console.log(ratioLine(`${measure}: the step's shell`, of('shell'), base, 'ms'));
    const own = statistics(samples.main.map((sample) => sample[measure] - shell));
    console.log(ratioLine(`${measure}: main, green step, less its shell`, own, base, 'ms'));
    console.log(ratioLine(`${measure}: post, after it`, of('post'), base, 'ms'));
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}
