/**
 * Packs the check: an uncompressed tar of the files below, in the layout of the project, with Node compressed
 * on its own (it is nine tenths of the bytes). A list of what goes in, never of what stays out.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { at, PATHS, ROOT } from './paths.mjs';

/** What may be in each folder of the table. */
const FOLDERS = /** @type {const} */ ({
  dist: /^(main|post|upload)\/[\w.]+\.(js|txt|json)$/,
  python: /^(shim|parity)\/[\w./-]+\.py$|^parity\/fixtures\/[\w.-]+\.json$/,
  check: /^[\w-]+\.mjs$|^programs\/[\w-]+\.(py|sh)$/,
  runner: /^[\w-]+\.mjs$/,
  service: /^[\w-]+\.mjs$/,
  smi: /^nvidia-smi$/,
  yaml: /^(package\.json|LICENSE|dist\/[\w./-]+\.js)$/,
});
/** Single files of the table. */
const FILES = /** @type {const} */ (['entry', 'action', 'package', 'license', 'example']);
const NODE_FILES = ['bin/node', 'LICENSE'];

/** The folder that the archive unpacks into. */
export const FOLDER = 'gpu-check';
/** At most so many bytes: what a small channel to such a machine takes. */
export const MAX_BYTES = 60 * 10 ** 6;

/** @param {string} folder @returns {Generator<string>} */
function* filesBelow(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}

/** Paths from the top folder of all files that are packed as they are (Node is packed beside them). */
export function packList() {
  const found = FILES.map((name) => PATHS[name]);
  for (const [name, accept] of Object.entries(FOLDERS)) {
    const folder = at(/** @type {keyof typeof PATHS} */ (name));
    for (const path of filesBelow(folder))
      if (accept.test(relative(folder, path))) found.push(relative(ROOT, path));
  }
  return [...new Set(found)].sort();
}

/** Copies the files of the list into a folder. @param {string} top */
export function stage(top) {
  const list = packList();
  for (const name of list) {
    const target = join(top, name);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(ROOT, name), target);
  }
  return list;
}

/**
 * Runs a program; its failure is an error with what it said.
 * @param {string} file
 * @param {string[]} args
 * @param {object} options
 */
function must(file, args, options = {}) {
  const { status, error, stderr } = spawnSync(file, args, { encoding: 'utf8', ...options });
  if (status !== 0) throw new Error(`${file} failed: ${error?.message ?? stderr}`);
}

/** @param {string} [to] path of the archive @returns {{path: string, bytes: number, files: number}} */
export function pack(to = `${FOLDER}-linux-${process.arch}.tar`) {
  const path = resolve(to);
  const work = mkdtempSync(join(tmpdir(), 'gpu-check-pack-'));
  try {
    const top = join(work, FOLDER);
    const list = stage(top);
    const [binary, license] = NODE_FILES.map((name) => at('node', name));
    copyFileSync(license, join(top, PATHS.check, 'node.LICENSE'));
    // 35 MB in 18 s of processor time; level 6 makes 30 MB in 120 s.
    const compressed = openSync(join(top, PATHS.check, 'node.xz'), 'w');
    must('xz', ['-1', '-T0', '-c', binary], {
      stdio: ['ignore', compressed, 'pipe'],
    });
    const start = join(top, 'gpu-check');
    writeFileSync(start, `#!/bin/sh\nexec "$(dirname -- "$0")/${PATHS.entry}" "$@"\n`);
    chmodSync(start, 0o755);
    must('tar', [
      ...['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner'],
      ...['-C', work, '-cf', path, FOLDER],
    ]);
    return { path, bytes: statSync(path).size, files: list.length + 3 };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
