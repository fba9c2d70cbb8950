/**
 * Where the parts of the check lie in the project. The packed folder has the same layout, so this table
 * serves both.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Paths from the project's top folder. When something moves, it moves here. */
export const PATHS = {
  entry: 'lab/scripts/gpu-check',
  check: 'lab/scripts/gpu',
  programs: 'lab/scripts/gpu/programs',
  action: 'action.yml',
  dist: 'dist',
  python: 'python',
  license: 'LICENSE',
  package: 'package.json',
  example: 'examples/train_oom.py',
  runner: 'lab/standins/runner',
  service: 'lab/standins/service',
  smi: 'lab/standins/cuda/bin',
  yaml: 'node_modules/yaml',
  node: `node_modules/node-linux-${process.arch}`,
};

/** The project's top folder, or that of the unpacked check: where action.yml lies. */
export const ROOT = (() => {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, PATHS.action)) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
})();

/** Absolute path of an entry of the table. @param {keyof typeof PATHS} name @param {...string} more */
export const at = (name, ...more) => join(ROOT, PATHS[name], ...more);

/** The stand-in runner and artifact service. */
export async function loadStandins() {
  const load = (/** @type {string} */ path) => import(pathToFileURL(path).href);
  const [{ runAction, cleanEnv }, { startService }] = await Promise.all([
    load(at('runner', 'runner.mjs')),
    load(at('service', 'service.mjs')),
  ]);
  return { runAction, cleanEnv, startService };
}
