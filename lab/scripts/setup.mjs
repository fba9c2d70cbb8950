/**
 * Sets up what the demo and the tests need, from nothing: node packages, then Python environments with torch.
 * Everything lands in folders that git ignores, keyed by the hash of what it was made from, so that the
 * second time costs nothing. `node lab/scripts/setup.mjs` prints the paths as one line of JSON.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { hashFiles, ROOT, run, runMain, say, Unmet } from './lib.mjs';
import { ensurePython } from './setup-python.mjs';

const MARKER = join(ROOT, 'node_modules', '.oom-autopsy-lock');

/** `npm ci` when node_modules is not what package-lock.json says. */
export async function ensureNodePackages() {
  const [major] = process.versions.node.split('.').map(Number);
  if (major < 20)
    throw new Unmet(`Node 20 or newer is needed; this is ${process.version}. Install it from nodejs.org.`);
  const wanted = hashFiles(['package-lock.json', '.npmrc']);
  if (existsSync(MARKER) && readFileSync(MARKER, 'utf8') === wanted) return;
  say('set-up: node packages (npm ci) …');
  const code = await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    stdio: ['ignore', 2, 2],
  });
  if (code !== 0) throw new Unmet(`npm ci failed with exit code ${code}. Is the npm registry reachable?`);
  writeFileSync(MARKER, wanted);
}

/**
 * Everything: node packages and the named Python environments.
 * @param {('cuda'|'cpu'|'tools')[]} kinds
 */
export async function setup(kinds) {
  await ensureNodePackages();
  return kinds.length > 0 ? ensurePython({ root: ROOT, log: say, which: kinds }) : {};
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await runMain(async () => {
    console.log(JSON.stringify(await setup(['cuda', 'cpu', 'tools'])));
    return 0;
  });
}
