/**
 * Why the shim did not start in a process, told from how that process was started: its flags, its environment, its
 * program. Each reason has its remedy in one line. Command lines and environments are only looked at, never stored:
 * they hold secrets.
 */
import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { STEP_VARIABLE } from '../plan.js';

/** Why the shim did not start in a process that had torch loaded. */
export const UNARMED_REASONS = [
  'isolated',
  'ignore-environment',
  'no-site',
  'tox',
  'sudo',
  'environment-cleared',
  'pythonpath-cleared',
  'pythonpath-replaced',
  'shadowed',
  'old-python',
  'not-python',
  'unknown',
] as const;
export type UnarmedReason = (typeof UNARMED_REASONS)[number];

/** A reason with its remedy, fit to follow "it had torch loaded, but". */
export interface Unarmed {
  readonly reason: UnarmedReason;
  readonly advice: string;
}

/** How a process was started. */
export interface Start {
  /** File name of its program, `python3.11`. */
  readonly program: string;
  /** Its command line. */
  readonly args: readonly string[];
  /** Its environment at the start, as `NAME=value`; null when it cannot be read. */
  readonly env: readonly string[] | null;
  /** Folder that relative entries of PYTHONPATH start from; null when it cannot be read. */
  readonly cwd: string | null;
}

const ADVICE: Readonly<Record<UnarmedReason, string>> = {
  isolated:
    'it was started with -I, which ignores PYTHONPATH; drop -I (use -P and -s for what they do of it)',
  'ignore-environment': 'it was started with -E, which ignores PYTHONPATH; drop -E',
  'no-site': 'it was started with -S, which skips sitecustomize; drop -S',
  tox: 'tox passes only the variables it is told to; set TOX_OVERRIDE=testenv:NAME.pass_env+=PYTHONPATH with the name of your environment',
  sudo: 'sudo cleared the environment; use sudo --preserve-env=PYTHONPATH',
  'environment-cleared':
    'the environment of the step did not reach it (env -i, another user, a daemon); hand PYTHONPATH on to it',
  'pythonpath-cleared': 'PYTHONPATH was cleared on the way; leave it set, or hand it on',
  'pythonpath-replaced': 'PYTHONPATH was replaced on the way; write PYTHONPATH="$PWD:$PYTHONPATH"',
  shadowed:
    'a folder before ours on PYTHONPATH holds a sitecustomize that runs no other; put that folder behind, as in PYTHONPATH="$PYTHONPATH:FOLDER"',
  'old-python': 'its Python is older than 3.9, where nothing is recorded; use Python 3.9 or newer',
  'not-python':
    'it is not a Python interpreter of its own (a C++ program, or a frozen or embedded Python), so no sitecustomize is read; run the script with python',
  unknown:
    'its `import torch` had not come to its end, or its own code kept sitecustomize from running; see docs/reach.md',
};

/** Names of interpreters: `python`, `python3.11`, `python3.13t`, `pypy3.10`, `python3.11-intel64`. */
export const PYTHON = /^(python|pypy)[\d.]*[td]*(-\w+)?$/;

/** Flags of the interpreter before its script: `-I`, `-E`, `-S`, alone or joined as in `-IS`. */
export function interpreterFlags(args: readonly string[]): string {
  let flags = '';
  for (let i = 1; i < args.length; i++) {
    const arg = args[i] as string;
    if (!/^-[A-Za-z]/.test(arg)) break;
    // -c and -m take the rest; -W and -X take a value, joined or as the next word.
    const stop = arg.search(/[cmWX]/);
    flags += stop < 0 ? arg.slice(1) : arg.slice(1, stop);
    if (stop >= 0 && /[cm]/.test(arg[stop] as string)) break;
    if (stop === arg.length - 1) i++;
  }
  return flags;
}

/**
 * Why a process that has torch loaded could not be reached.
 * @param shimDir first entry of the step's PYTHONPATH
 * @param exists tells whether a file exists (for tests)
 */
export function whyUnarmed(
  start: Start,
  shimDir: string,
  exists: (path: string) => boolean = existsSync,
): Unarmed {
  const reason = reasonOf(start, shimDir, exists);
  const name = reason === 'tox' ? variable(start.env ?? [], 'TOX_ENV_NAME') : undefined;
  // The name comes from the step and goes into a report.
  if (name === undefined || !/^[\w.-]{1,60}$/.test(name)) return { reason, advice: ADVICE[reason] };
  return {
    reason,
    advice: `tox passes only the variables it is told to; set TOX_OVERRIDE=testenv:${name}.pass_env+=PYTHONPATH`,
  };
}

function reasonOf(
  { program, args, env, cwd }: Start,
  shimDir: string,
  exists: (path: string) => boolean,
): UnarmedReason {
  const isPython = PYTHON.test(program);
  if (isPython) {
    const [, major, minor] = /^python(\d)(?:\.(\d+))?/.exec(program) ?? [];
    if (major === '2' || (minor !== undefined && Number(minor) < 9)) return 'old-python';
    const flags = interpreterFlags(args);
    if (flags.includes('I')) return 'isolated';
    if (flags.includes('E')) return 'ignore-environment';
    if (flags.includes('S')) return 'no-site';
  }
  if (env === null) return 'unknown';
  const path = variable(env, 'PYTHONPATH')?.split(':') ?? [];
  const place = path.indexOf(shimDir);
  if (place < 0) {
    if (variable(env, STEP_VARIABLE) === undefined) {
      if (variable(env, 'TOX_ENV_NAME') !== undefined) return 'tox';
      return variable(env, 'SUDO_COMMAND') !== undefined ? 'sudo' : 'environment-cleared';
    }
    return path.join('') === '' ? 'pythonpath-cleared' : 'pythonpath-replaced';
  }
  if (!isPython) return 'not-python';
  const folders = path
    .slice(0, place)
    .map((entry) => (isAbsolute(entry) ? entry : cwd === null ? null : join(cwd, entry)))
    .filter((folder) => folder !== null);
  const forms = ['sitecustomize.py', join('sitecustomize', '__init__.py'), 'sitecustomize.pyc'];
  return folders.some((folder) => forms.some((form) => exists(join(folder, form)))) ? 'shadowed' : 'unknown';
}

const variable = (env: readonly string[], name: string): string | undefined =>
  env.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1);
