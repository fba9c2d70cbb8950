/**
 * Lint, types and consistency: each check is one program, and passes or fails as a whole.
 * `node lab/scripts/checks.mjs` runs them all; `npm test` counts them among the tests.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildInto } from './build.mjs';
import { node24, ROOT, runMain, say } from './lib.mjs';
import { setup } from './setup.mjs';

/** Files below a folder, as relative paths. */
function listing(folder) {
  const found = [];
  const walk = (at) => {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) walk(path);
      else found.push(relative(folder, path));
    }
  };
  if (existsSync(folder)) walk(folder);
  return found.sort();
}

/** Rebuilds dist/ elsewhere and compares it with the one that is checked in, byte for byte. */
async function distMatches() {
  const fresh = mkdtempSync(join(tmpdir(), 'oom-autopsy-dist-'));
  try {
    await buildInto(fresh);
    const [ours, theirs] = [listing(join(ROOT, 'dist')), listing(fresh)];
    const names = [...new Set([...ours, ...theirs])].sort();
    const differing = names.filter(
      (name) =>
        !ours.includes(name) ||
        !theirs.includes(name) ||
        !readFileSync(join(ROOT, 'dist', name)).equals(readFileSync(join(fresh, name))),
    );
    return differing.length === 0
      ? { ok: true, output: '' }
      : {
          ok: false,
          output: `dist/ is not what the sources build (run \`npm run build\`): ${differing.join(', ')}`,
        };
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

const program = (file, args) => () =>
  new Promise((done) => {
    const child = spawn(file, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => (output += error.message));
    child.on('close', (code) => done({ ok: code === 0, output }));
  });

/** The checks, by name. @param tools interpreter of the tools environment; @param torch one that has torch */
export function checks(tools, torch) {
  const bin = (name) => join(ROOT, 'node_modules', '.bin', name);
  const tool = (name) => join(dirname(tools), name);
  const workflows = ['.github/workflows', 'examples/workflows'].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.yml'))
      .map((name) => join(folder, name)),
  );
  return {
    'biome (lint and format)': program(bin('biome'), [
      'ci',
      '--error-on-warnings',
      '--colors=off',
      '--max-diagnostics=40',
    ]),
    'tsc (types)': program(bin('tsc'), ['--noEmit']),
    'ruff (lint)': program(tool('ruff'), ['check', '--no-cache', '.']),
    'ruff (format)': program(tool('ruff'), ['format', '--no-cache', '--check', '.']),
    'pyright (types)': program(node24(), [bin('pyright'), '--pythonpath', torch]),
    'actionlint (workflows)': program(tool('actionlint'), workflows),
    'zizmor (workflow security)': program(tool('zizmor'), [
      '--offline',
      '--no-progress',
      '.github',
      'action.yml',
    ]),
    'dist matches the sources': distMatches,
  };
}

/** Runs every check and prints one line for each, with the output of those that fail. */
export async function runChecks(tools, torch) {
  let passed = 0;
  let failed = 0;
  for (const [name, check] of Object.entries(checks(tools, torch))) {
    const { ok, output } = await check();
    say(`${ok ? '✓' : '✗'} ${name}`);
    if (!ok) say(output.trimEnd());
    if (ok) passed++;
    else failed++;
  }
  return { passed, failed };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await runMain(async () => {
    const { tools, cpu } = await setup(['tools', 'cpu']);
    const { passed, failed } = await runChecks(tools, cpu);
    console.log(`${passed} passed, ${failed} failed`);
    return failed === 0 ? 0 : 1;
  });
}
