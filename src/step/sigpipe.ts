/**
 * SIGPIPE as in a plain `run:`. GitHub's runner ignores it, and what it starts inherits that: there `yes |
 * head -1` fails with an error of `yes`, and not by a signal (141). Node gives every child the default back
 * (libuv, uv__process_child_init), so where the runner that started us ignores SIGPIPE, the step's shell is
 * started by one of its kind that has the kernel ignore it again.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

const SIGPIPE = 13;

/**
 * Does the process that started us ignore SIGPIPE? Not where that cannot be known: in a container, say, it is
 * out of sight.
 */
export function runnerIgnoresSigpipe(runner = process.ppid, root = '/proc'): boolean {
  try {
    const [, mask] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync(`${root}/${runner}/status`, 'utf8')) ?? [];
    return mask !== undefined && ((BigInt(`0x${mask}`) >> BigInt(SIGPIPE - 1)) & 1n) === 1n;
  } catch {
    return false;
  }
}

/**
 * `exec` keeps the pid. bash reads neither BASH_ENV (`-p`) nor ~/.bashrc (`--norc`; it does so where its
 * input is a socket), which are for the shell itself to read, and hands the environment on as it is, which
 * dash does not.
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
 * The same program, started with SIGPIPE ignored, where it is a shell that can do so for itself. Python and
 * PowerShell ignore it by themselves; others keep the default.
 */
export function ignoringSigpipe({ file, args }: Program): Program {
  const name = basename(file);
  const how = Object.hasOwn(BY_SHELL, name) ? BY_SHELL[name] : undefined;
  return how === undefined ? { file, args } : { file, args: [...how, name, file, ...args] };
}
