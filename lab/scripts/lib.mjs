/** Small things that the scripts share. Node built-ins only: these files run before anything is installed. */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Top folder of the project. */
export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** Prints a progress line on stderr, so that stdout stays for results. */
export const say = (line) => process.stderr.write(`${line}\n`);

/** Ends the script with a message that a person can act on. */
export class Unmet extends Error {}

/** SHA-256 over the contents of files (names included), for caches keyed by their inputs. */
export function hashFiles(files) {
  const hash = createHash('sha256');
  for (const file of files)
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(ROOT, file)))
      .update('\0');
  return hash.digest('hex').slice(0, 16);
}

/** The Node 24 that npm installed with the project; action.yml runs the action on Node 24 too. */
export function node24() {
  const path = join(ROOT, 'node_modules', '.bin', 'node');
  return existsSync(path) ? path : process.execPath;
}

/**
 * Runs a program to its end, output passed through.
 * @returns {Promise<number>} its exit code, 128 + n when a signal ended it
 */
export function run(file, args, options = {}) {
  return new Promise((done) => {
    const child = spawn(file, args, { cwd: ROOT, stdio: 'inherit', ...options });
    child.on('error', (error) => {
      say(`${file}: ${error.message}`);
      done(127);
    });
    child.on('close', (code, signal) => done(code ?? (signal === 'SIGINT' ? 130 : 143)));
  });
}

/** Runs a program and gives its output. */
export function capture(file, args, options = {}) {
  return spawnSync(file, args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 << 20, ...options });
}

/** Runs `main` and turns its failure into one line and exit code 1. */
export async function runMain(main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    say(error instanceof Unmet ? `\n${error.message}` : (error?.stack ?? String(error)));
    process.exitCode = 1;
  }
}
