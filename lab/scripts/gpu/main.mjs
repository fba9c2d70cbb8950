/**
 * The check: finds a Python with torch, runs every part within its time, prints a table and writes one file
 * of JSON. Its last line is `N passed, N failed`. docs/gpu-check.md says how to run it.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bench } from './bench.mjs';
import { describe, findTorch, Unfit } from './machine.mjs';
import { MAX_BYTES, pack } from './pack.mjs';
import { parts } from './parts.mjs';
import { at } from './paths.mjs';
import { count, runParts, WHOLE_S } from './results.mjs';
import { programEnv, STANDIN_ENV } from './step.mjs';

const USAGE = `usage: gpu-check [--python PATH] [--only NAME,…] [--results FILE] [--seconds N] [--keep]
       gpu-check --list
       gpu-check --pack [--to FILE]`;
const SIGNS = { passed: '✓', failed: '✗', skipped: '–', noted: '·' };
const GIB = 2 ** 30;
const MAX_LINE = 160;

/** One line of the table. @param {import('./results.mjs').Result} result */
function row({ name, what, status, seconds, line, wrong }) {
  const whole = status === 'failed' ? (wrong[0] ?? '') : line;
  const said = whole.length > MAX_LINE ? `${whole.slice(0, MAX_LINE - 1)}…` : whole;
  const more = status === 'failed' && wrong.length > 1 ? ` (and ${wrong.length - 1} more)` : '';
  return `${SIGNS[status]} ${name.padEnd(18)} ${seconds.toFixed(1).padStart(6)} s  ${what}\n${' '.repeat(31)}${said}${more}`;
}

/** The machine in a few lines. @param {ReturnType<typeof describe>} machine */
function headline(machine) {
  const gpus = machine.gpus.map(({ name, total }) => `${name}, ${(total / GIB).toFixed(1)} GiB`);
  return [
    machine.device === 'stand-in'
      ? `stand-in device, no physical GPU (${gpus.join('; ')})`
      : `${gpus.join('; ')}; driver ${machine.driver ?? 'unknown'}`,
    `torch ${machine.torch}, CUDA ${machine.cuda}, cuDNN ${machine.cudnn ?? 'none'}, NCCL ${machine.nccl ?? 'none'}, Python ${machine.python}`,
    `${machine.os ?? 'unknown system'}, kernel ${machine.kernel}, ${machine.arch}, ${machine.cpus} processors, ` +
      `${(machine.memory / GIB).toFixed(0)} GiB, Node ${machine.node}`,
  ].join('\n');
}

/** @param {string | undefined} text @param {number} fallback */
function seconds(text, fallback) {
  if (text === undefined) return fallback;
  if (!(Number(text) > 0)) throw new Unfit(`--seconds ${text} is not a number of seconds`);
  return Number(text);
}

/** @param {Record<string, any>} values */
async function check(values) {
  const started = new Date();
  const work = mkdtempSync(join(tmpdir(), 'gpu-check-'));
  try {
    const torch = findTorch(values['python'], STANDIN_ENV);
    const tools = torch.standin ? `${at('smi')}${delimiter}` : '';
    const env = programEnv({ PATH: `${tools}${process.env['PATH']}` });
    const jobs = Math.min(4, availableParallelism());
    const limit = seconds(values['seconds'], WHOLE_S);
    const context = { torch, env, work, jobs, patience: limit / WHOLE_S };
    // What cannot fail comes last: it is what may be missing when the time is up.
    const all = [...parts(context), ...bench(context)].sort(
      (a, b) => Number(a.kind === 'report') - Number(b.kind === 'report'),
    );
    if (values['list']) {
      for (const { name, what } of all) console.log(`${name.padEnd(18)} ${what}`);
      return 0;
    }
    const only = values['only']?.split(',');
    const unknown = only?.filter((/** @type {string} */ name) => !all.some((part) => part.name === name));
    if (unknown?.length > 0)
      throw new Unfit(`--only ${unknown}: there are ${all.map(({ name }) => name).join(', ')}`);
    const machine = describe(torch, env);
    console.log(`${headline(machine)}\n`);
    const results = await runParts(only ? all.filter(({ name }) => only.includes(name)) : all, {
      seconds: limit,
      jobs,
      onResult: (result) => console.log(row(result)),
    });
    const { passed, failed, skipped } = count(results);
    const file = resolve(values['results'] ?? 'gpu-check.json');
    const { version } = JSON.parse(readFileSync(at('package'), 'utf8'));
    const report = {
      ...{ schema: 'oom-autopsy.gpu-check.v1', version, started: started.toISOString() },
      seconds: Math.round((Date.now() - started.getTime()) / 1000),
      ...{ machine, passed, failed, skipped, results },
    };
    writeFileSync(file, `${JSON.stringify(report, null, 1)}\n`);
    for (const { name, wrong } of results.filter(({ status }) => status === 'failed'))
      console.log(`\n${name}\n${wrong.map((line) => `  ${line}`).join('\n')}`);
    console.log(`\n${report.seconds} s, ${skipped} skipped; all of it in ${file}`);
    if (values['keep']) console.log(`what the parts wrote: ${work}`);
    console.log(`${passed} passed, ${failed} failed`);
    return failed === 0 && passed > 0 ? 0 : 1;
  } finally {
    if (!values['keep']) rmSync(work, { recursive: true, force: true });
  }
}

/** @param {string | undefined} to */
function packed(to) {
  const { path, bytes, files } = pack(to);
  console.log(`${path}: ${files} files, ${(bytes / 1e6).toFixed(1)} MB`);
  console.log('There: tar xf FILE && gpu-check/gpu-check [--python PATH]');
  if (bytes <= MAX_BYTES) return 0;
  console.error(`gpu-check: more than ${MAX_BYTES / 1e6} MB`);
  return 1;
}

try {
  const { values } = parseArgs({
    options: {
      pack: { type: 'boolean' },
      to: { type: 'string' },
      python: { type: 'string' },
      only: { type: 'string' },
      results: { type: 'string' },
      seconds: { type: 'string' },
      list: { type: 'boolean' },
      keep: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) console.log(USAGE);
  else process.exitCode = values.pack ? packed(values.to) : await check(values);
} catch (error) {
  const wrongUse = error instanceof TypeError && 'code' in error;
  console.error(
    `gpu-check: ${error instanceof Unfit || wrongUse ? error.message : (error?.stack ?? error)}${wrongUse ? `\n${USAGE}` : ''}`,
  );
  process.exitCode = 2;
}
