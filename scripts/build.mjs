/**
 * Builds dist/ from src/, shim/ and parity/: tsc to build/, ncc to one file for main and one for post, then the
 * Python files by an allowlist (ncc carries no data files reliably). Same input, same bytes.
 */
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureNodePackages } from './setup.mjs';
import { node24, ROOT, run, runMain, say, Unmet } from './lib.mjs';

/** What of the Python side goes into dist. */
const PYTHON = [
  { from: 'shim', accept: (name) => name.endsWith('.py') },
  { from: 'parity', accept: (name) => name.endsWith('.py') || /^fixtures\/[\w.-]+\.json$/.test(name) },
];

function* filesBelow(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}

async function must(file, args, options) {
  const code = await run(file, args, options);
  if (code !== 0) throw new Unmet(`${args.join(' ')} failed with exit code ${code}`);
}

/** Builds into `<ROOT>/dist`. */
export async function build() {
  await ensureNodePackages();
  const bin = (name) => join(ROOT, 'node_modules', '.bin', name);
  rmSync(join(ROOT, 'build'), { recursive: true, force: true });
  rmSync(join(ROOT, 'dist'), { recursive: true, force: true });
  await must(bin('tsc'), ['-p', 'tsconfig.build.json']);
  for (const part of ['main', 'post']) {
    await must(
      node24(),
      [join(ROOT, 'node_modules/@vercel/ncc/dist/ncc/cli.js'), 'build', `build/entry-${part}.js`, '-o', `dist/${part}`, '--license', 'licenses.txt'],
      { stdio: ['ignore', 'ignore', 2] },
    );
  }
  for (const { from, accept } of PYTHON) {
    for (const path of [...filesBelow(join(ROOT, from))].sort()) {
      const name = relative(join(ROOT, from), path);
      if (!accept(name) || name.includes('__pycache__')) continue;
      const target = join(ROOT, 'dist', from, name);
      mkdirSync(dirname(target), { recursive: true });
      copyFileSync(path, target);
    }
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await runMain(async () => {
    await build();
    say('dist/ is built');
    return 0;
  });
}
