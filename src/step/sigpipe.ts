/**
 * SIGPIPE as in a plain `run:`. GitHub's runner ignores it, and its children inherit that: there `yes | head
 * -1` fails with an error of `yes` and not by the signal (141). Node restores the default in every child
 * (libuv, uv__process_child_init). So when the runner ignores SIGPIPE, we start the step's shell through a
 * shell of the same kind that ignores it again.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

const SIGPIPE = 13;

/** Does the process that started us ignore SIGPIPE? False when that cannot be read, as in a container. */
export function runnerIgnoresSigpipe(runner = process.ppid, root = '/proc'): boolean {
  try {
    const [, mask] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync(`${root}/${runner}/status`, 'utf8')) ?? [];
    return mask !== undefined && ((BigInt(`0x${mask}`) >> BigInt(SIGPIPE - 1)) & 1n) === 1n;
  } catch {
    return false;
  }
}

/**
 * `exec` keeps the pid. bash must not read BASH_ENV (hence `-p`) or ~/.bashrc (hence `--norc`: it reads that
 * when its input is a socket); the step's own shell reads them. bash passes the environment on unchanged,
 * which dash does not.
 */
const IGNORE = ['-c', 'trap "" PIPE; exec "$@"'];
const BY_SHELL: Readonly<Record<string, readonly string[]>> = {
  bash: ['--norc', '-p', ...IGNORE],
  sh: IGNORE,
};

interface Program {
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * The same program, started with SIGPIPE ignored if it is a shell that can do so. Python and PowerShell
 * ignore SIGPIPE themselves. Other programs keep the default.
 */
export function ignoringSigpipe({ file, args }: Program): Program {
  const name = basename(file);
  const how = Object.hasOwn(BY_SHELL, name) ? BY_SHELL[name] : undefined;
  return how === undefined ? { file, args } : { file, args: [...how, name, file, ...args] };
}
