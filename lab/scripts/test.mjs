/**
 * The tests: set-up, checks, jest (unit, contract, end to end) and pytest (shim, parity), each part with the
 * time it took. The last line is `N passed, N failed` over all of them.
 *
 *   npm test                      all but what is long and rare
 *   npm run test:all              all: also what is marked long or soak, and the files *.long.test.ts
 *   npm test -- PATH… [OPTION…]   files or folders of either language; the options go to jest or pytest
 *   npm test -- --only PART       one of: checks, jest, shim, parity
 *
 * jest and pytest run side by side. Both wait a good deal (for signals, deadlines, servers), so one process
 * of jest's and two of pytest's keep two cores busy.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { runChecks } from './checks.mjs';
import { node24, ROOT, runMain, say, Unmet } from './lib.mjs';
import { setup } from './setup.mjs';

/** Parts that run one after the other, the two lists side by side. */
const LANES = [
  ['checks', 'jest'],
  ['shim', 'parity'],
];

const PYTEST_FOUND_NONE = 5; // its exit code where it ran no test

const heading = (text) => say(`\n── ${text} ${'─'.repeat(Math.max(0, 90 - text.length))}`);

/** Numbers from a jest JSON report; a suite that could not even load counts as one failure. */
function jestNumbers(file) {
  const report = JSON.parse(readFileSync(file, 'utf8'));
  const failed = report.numFailedTests + report.numRuntimeErrorTestSuites;
  return { passed: report.numPassedTests, failed, skipped: report.numPendingTests };
}

/** Numbers from a junit file as pytest writes it. */
function junitNumbers(file) {
  const head = /<testsuite [^>]*>/.exec(readFileSync(file, 'utf8'))?.[0] ?? '';
  const number = (name) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(head)?.[1] ?? 0);
  const failed = number('failures') + number('errors');
  return { passed: number('tests') - failed - number('skipped'), failed, skipped: number('skipped') };
}

/**
 * Runs a test runner and reads its report. One that failed without counting a failure has failed all the
 * same. Where another runs beside it, its output comes in one piece at its end.
 */
function testRunner(file, args, { env, report, read, stdout, beside }) {
  return new Promise((done) => {
    const to = beside ? 'pipe' : 2;
    const child = spawn(file, args, { cwd: ROOT, env, stdio: ['ignore', stdout ? to : 'ignore', to] });
    const output = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => output.push(chunk));
    child.on('error', (error) => say(`${file}: ${error.message}`));
    child.on('close', (code) => {
      if (beside) say(Buffer.concat(output).toString().trimEnd());
      if (code === PYTEST_FOUND_NONE) say('What is long runs by `npm run test:all -- PATH` only.');
      try {
        const result = read(report);
        done(code !== 0 && result.failed === 0 ? { ...result, failed: 1 } : result);
      } catch {
        done({ passed: 0, failed: 1, skipped: 0 });
      }
    });
  });
}

/** jest over `paths` (none: all), with `options` of its own; `long`: the long ones too. */
function jest(env, { paths, options }, { long, beside, results }) {
  const report = join(results, 'jest.json');
  const args = [
    ...['--experimental-vm-modules', '--no-warnings', join(ROOT, 'node_modules/jest/bin/jest.js')],
    ...['--json', `--outputFile=${report}`, '--maxWorkers=1', ...options, ...paths],
  ];
  const named = paths.some((path) => path.endsWith('.long.test.ts'));
  if (!long && !named) args.push('--testPathIgnorePatterns', '/node_modules/', '\\.long\\.test\\.ts$');
  return testRunner(node24(), args, { env, report, read: jestNumbers, stdout: false, beside });
}

/** pytest over one folder, or over `paths` in it. */
function pytest(python, env, { paths, options }, { long, beside, results, name }) {
  const report = join(results, `${name}.xml`);
  const args = ['-m', 'pytest', `--junit-xml=${report}`];
  if (long) args.push('-m', '');
  // By file: what a file sets up for all its tests is set up once.
  if (paths.length === 0) args.push('-n', '2', '--dist', 'loadfile', `__tests__/${name}`);
  args.push(...options, ...paths);
  return testRunner(python, args, { env, report, read: junitNumbers, stdout: true, beside });
}

/** Which part runs a path below __tests__, or null where it is none. */
function partOf(word) {
  const path = relative(ROOT, word.replace(/::.*/, ''));
  const [top, folder] = path.split('/');
  if (top !== '__tests__' || folder === undefined || !existsSync(join(ROOT, path))) return null;
  return folder === 'shim' || folder === 'parity' ? folder : 'jest';
}

/** The command line: what is asked for, and for each part its paths where some are named. */
function parse(words) {
  const long = words.includes('--long');
  const rest = words.filter((word) => word !== '--long');
  const at = rest.indexOf('--only');
  const only = at < 0 ? null : (rest.splice(at, 2)[1] ?? '');
  const named = new Map();
  for (const word of rest) {
    const part = partOf(word);
    if (part !== null) named.set(part, [...(named.get(part) ?? []), word]);
  }
  const options = rest.filter((word) => partOf(word) === null);
  if (options.length > 0 && named.size === 0)
    throw new Unmet(`${options.join(' ')}: no path below __tests__ and no option of lab/scripts/test.mjs`);
  return { long, only, named, options };
}

await runMain(async () => {
  const { long, only, named, options } = parse(process.argv.slice(2));
  heading('set-up');
  const pythons = await setup(['cuda', 'cpu', 'tools']);
  const results = mkdtempSync(join(tmpdir(), 'oom-autopsy-results-'));
  process.on('exit', () => rmSync(results, { recursive: true, force: true }));
  const env = {
    ...process.env,
    OA_PYTHON_CUDA: pythons.cuda,
    OA_PYTHON_CPU: pythons.cpu,
    OA_PYTHON_TOOLS: pythons.tools,
    OA_NODE: node24(),
    ...(long ? { OA_LONG: '1', OA_SOAK: '1' } : {}),
  };
  const parts = {
    checks: () => runChecks(pythons.tools, pythons.cpu),
    jest: (which, how) => jest(env, which, { ...how, long, results }),
    shim: (which, how) => pytest(pythons.cuda, env, which, { ...how, long, results, name: 'shim' }),
    parity: (which, how) => pytest(pythons.cpu, env, which, { ...how, long, results, name: 'parity' }),
  };
  if (only !== null && !(only in parts)) throw new Unmet(`--only: one of ${Object.keys(parts).join(', ')}`);
  const total = { passed: 0, failed: 0, skipped: 0 };
  const timings = [];
  async function part(name, which, how) {
    if (how.beside !== true) heading(name);
    const started = Date.now();
    const result = await parts[name](which, how);
    for (const key of Object.keys(total)) total[key] += result[key] ?? 0;
    const took = ((Date.now() - started) / 1000).toFixed(0);
    timings.push(`${name}: ${result.passed} passed, ${result.failed} failed in ${took} s`);
    say(timings.at(-1));
  }
  const all = { paths: [], options: [] };
  if (named.size > 0) for (const [name, paths] of named) await part(name, { paths, options }, {});
  else if (only !== null) await part(only, all, {});
  else {
    heading(LANES.map((lane) => lane.join(', ')).join(' beside '));
    await Promise.all(
      LANES.map(async (lane) => {
        for (const name of lane) await part(name, all, { beside: true });
      }),
    );
    heading('time');
    say(timings.join('\n'));
  }
  const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
  console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);
  return total.failed === 0 && total.passed > 0 ? 0 : 1;
});
