/**
 * Builds dist/ from src/: tsc to build/, ncc to one file for each part. Same input, same bytes. The Python
 * files are used where they lie (python/): an action is checked out whole.
 */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { node24, ROOT, run, runMain, say, Unmet } from './lib.mjs';
import { ensureNodePackages } from './setup.mjs';
import { withTable } from './tables.mjs';

/**
 * Bundles of dist and what they start from. The upload runs in a process of its own, so main never loads its
 * client.
 */
const BUNDLES = {
  main: 'entry/main.js',
  post: 'entry/post.js',
  upload: 'deliver/worker.js',
  cli: 'entry/cli.js',
};

async function must(file, args, options) {
  const code = await run(file, args, options);
  if (code !== 0) throw new Unmet(`${args.join(' ')} failed with exit code ${code}`);
}

/**
 * Writes anew what is made from the compiled sources: the JSON Schemas, the table of launchers in
 * the docs.
 */
async function writeMade(compiled) {
  const load = (name) => import(pathToFileURL(join(compiled, name)).href);
  const { launcherTable } = await load('step/launchers.js');
  const reach = join(ROOT, 'docs', 'reach.md');
  writeFileSync(reach, withTable(readFileSync(reach, 'utf8'), 'launchers', launcherTable()));
  const { ReceiptSchema, DEFINITIONS } = await load('evidence/receipt-schema.js');
  // Only now: on a fresh clone its package is not there before the set-up.
  const { memoryJsonSchema, receiptJsonSchema } = await import('./schemas.mjs');
  const { MemorySchema } = await load('memory/schema.js');
  const documents = {
    'receipt.schema.json': receiptJsonSchema(ReceiptSchema, DEFINITIONS),
    'memory.schema.json': memoryJsonSchema(MemorySchema),
  };
  const files = Object.entries(documents).map(([name, document]) => {
    const file = join(ROOT, 'schemas', name);
    writeFileSync(file, `${JSON.stringify(document)}\n`);
    return file;
  });
  await must(join(ROOT, 'node_modules', '.bin', 'biome'), [
    'format',
    '--write',
    '--log-level=error',
    ...files,
  ]);
}

/**
 * Builds everything into `target`, an empty or missing folder; with `made` also what is made from the sources
 * elsewhere.
 */
export async function buildInto(target, { made = false } = {}) {
  await ensureNodePackages();
  // Beside src/, so that relative imports into node_modules mean the same; one fixed name, since ncc writes
  // module paths into its output.
  const compiled = join(ROOT, 'build');
  rmSync(compiled, { recursive: true, force: true });
  try {
    await must(join(ROOT, 'node_modules', '.bin', 'tsc'), [
      '-p',
      'tsconfig.build.json',
      '--outDir',
      compiled,
    ]);
    if (made) await writeMade(compiled);
    for (const [part, entry] of Object.entries(BUNDLES)) {
      await must(
        node24(),
        [
          join(ROOT, 'node_modules/@vercel/ncc/dist/ncc/cli.js'),
          'build',
          join(compiled, entry),
          '-o',
          join(target, part),
          '--license',
          'licenses.txt',
          '--no-cache',
        ],
        { stdio: ['ignore', 'ignore', 2] },
      );
    }
  } finally {
    rmSync(compiled, { recursive: true, force: true });
  }
}

/** Builds `dist/` anew, and puts it in place only when all of it is built. */
export async function build() {
  const [dist, fresh, old] = ['dist', 'dist.new', 'dist.old'].map((name) => join(ROOT, name));
  for (const leftover of [fresh, old]) rmSync(leftover, { recursive: true, force: true });
  await buildInto(fresh, { made: true });
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(fresh, dist);
  rmSync(old, { recursive: true, force: true });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await runMain(async () => {
    await build();
    say('dist/ is built');
    return 0;
  });
}
