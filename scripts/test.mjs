/**
 * The whole test run: set-up, checks, jest (unit, contract, end to end) and pytest (shim, parity). Its last line
 * is `N passed, N failed` over all of them.
 *
 *   node scripts/test.mjs                 everything
 *   node scripts/test.mjs --only jest     one of: checks, jest, shim, parity
 *   node scripts/test.mjs --soak          the long runs instead
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runChecks } from './checks.mjs';
import { node24, ROOT, run, runMain, say } from './lib.mjs';
import { setup } from './setup.mjs';

const RESULTS = join(ROOT, '.setup', 'results');

const heading = (text) => say(`\n── ${text} ${'─'.repeat(Math.max(0, 90 - text.length))}`);

/** Numbers from a jest JSON report; a suite that could not even load counts as one failure. */
function jestNumbers(file) {
  const report = JSON.parse(readFileSync(file, 'utf8'));
  return { passed: report.numPassedTests, failed: report.numFailedTests + report.numRuntimeErrorTestSuites };
}

/** Numbers from a junit file as pytest writes it. */
function junitNumbers(file) {
  const head = /<testsuite [^>]*>/.exec(readFileSync(file, 'utf8'))?.[0] ?? '';
  const number = (name) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(head)?.[1] ?? 0);
  const failed = number('failures') + number('errors');
  return { passed: number('tests') - failed - number('skipped'), failed, skipped: number('skipped') };
}

async function jest(env) {
  const output = join(RESULTS, 'jest.json');
  rmSync(output, { force: true });
  const code = await run(
    node24(),
    [
      '--experimental-vm-modules',
      '--no-warnings',
      join(ROOT, 'node_modules/jest/bin/jest.js'),
      '--json',
      `--outputFile=${output}`,
      '--maxWorkers=2',
    ],
    { env, stdio: ['ignore', 'ignore', 2] },
  );
  return numbers(code, () => jestNumbers(output));
}

async function pytest(python, folder, env, extra) {
  const output = join(RESULTS, `${folder}.xml`);
  rmSync(output, { force: true });
  const code = await run(python, ['-m', 'pytest', `__tests__/${folder}`, `--junit-xml=${output}`, ...extra], {
    env,
    stdio: ['ignore', 2, 2],
  });
  return numbers(code, () => junitNumbers(output));
}

/** A runner that failed without counting a failure has failed all the same. */
function numbers(code, read) {
  try {
    const result = read();
    return code !== 0 && result.failed === 0 ? { ...result, failed: 1 } : result;
  } catch {
    return { passed: 0, failed: 1 };
  }
}

await runMain(async () => {
  const only = process.argv.includes('--only') ? process.argv[process.argv.indexOf('--only') + 1] : null;
  const soak = process.argv.includes('--soak');
  heading('set-up');
  const pythons = await setup(['cuda', 'cpu', 'tools']);
  mkdirSync(RESULTS, { recursive: true });
  const env = {
    ...process.env,
    OA_PYTHON_CUDA: pythons.cuda,
    OA_PYTHON_CPU: pythons.cpu,
    OA_PYTHON_TOOLS: pythons.tools,
    OA_NODE: node24(),
    ...(soak ? { OA_SOAK: '1' } : {}),
  };
  const marks = soak ? ['-m', 'soak'] : ['-m', 'not soak'];
  const parts = {
    checks: () => (soak ? { passed: 0, failed: 0 } : runChecks(pythons.tools, pythons.cpu)),
    jest: () => jest(env),
    shim: () => pytest(pythons.cuda, 'shim', env, marks),
    parity: () => pytest(pythons.cpu, 'parity', env, marks),
  };
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const [name, part] of Object.entries(parts)) {
    if (only !== null && only !== name) continue;
    heading(name);
    const started = Date.now();
    const result = await part();
    for (const key of Object.keys(total)) total[key] += result[key] ?? 0;
    say(
      `${name}: ${result.passed} passed, ${result.failed} failed in ${((Date.now() - started) / 1000).toFixed(0)} s`,
    );
  }
  const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
  console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);
  return total.failed === 0 && total.passed > 0 ? 0 : 1;
});
