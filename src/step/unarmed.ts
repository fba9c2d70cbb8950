/**
 * Why a process with torch left no receipt, judged by how it was started (flags, environment, program, user)
 * and by the marks of the start-up hook. Each reason is a fact with a one-line remedy; otherwise it is
 * `unknown`. Command lines and environments hold secrets: they are read and never stored.
 */
import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { STEP_VARIABLE } from '../plan.js';
import { LAUNCHERS, reasonOf } from './launchers.js';
import type { Came } from './marks.js';

/** Why a process that had torch loaded left no receipt that could be read. */
export const UNARMED_REASONS = [
  'pex',
  'isolated',
  'ignore-environment',
  'no-site',
  'other-user',
  'tox',
  'sudo',
  'environment-cleared',
  'pythonpath-cleared',
  'pythonpath-replaced',
  'shadowed',
  'old-python',
  'not-python',
  'not-imported',
  'import-unfinished',
  'receipt-lost',
  'receipt-unreadable',
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
  /** Its effective user; null when that cannot be read. */
  readonly uid: number | null;
}

const ADVICE: Readonly<Record<UnarmedReason, string>> = {
  pex: reasonOf(LAUNCHERS.pex),
  isolated:
    'it was started with -I, which ignores PYTHONPATH; drop -I (use -P and -s for what they do of it)',
  'ignore-environment': 'it was started with -E, which ignores PYTHONPATH; drop -E',
  'no-site': 'it was started with -S, which skips sitecustomize; drop -S',
  'other-user':
    'it ran as another user, who may not read the folder of the step; run it as the user of the runner, or as root',
  tox: reasonOf(LAUNCHERS.tox),
  sudo: reasonOf(LAUNCHERS.sudo),
  'environment-cleared': reasonOf(LAUNCHERS.environment),
  'pythonpath-cleared': reasonOf(LAUNCHERS.cleared),
  'pythonpath-replaced': reasonOf(LAUNCHERS.replaced),
  shadowed: reasonOf(LAUNCHERS.shadowed),
  'old-python': 'its Python is older than 3.9, where nothing is recorded; use Python 3.9 or newer',
  'not-python':
    'it is not a Python interpreter of its own (a C++ program, or a frozen or embedded Python), so no sitecustomize is read; run the script with python',
  'not-imported':
    "it read the hook and never imported torch: it uses torch's libraries from C++ or by ctypes, which cannot be recorded",
  'import-unfinished':
    'its `import torch` had begun and not come to its end: it failed, or the process was killed in it or is still at it',
  'receipt-lost':
    'it imported torch and left no receipt: where that could not be written, a line of the log that begins with "oom-autopsy:" says why',
  'receipt-unreadable': 'its receipt cannot be read',
  unknown:
    'why is not known: it left no mark of the hook, and nothing in its command line and environment explains that. What `python -c "import sitecustomize; print(sitecustomize)"` prints in its place would tell; see docs/reach.md',
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
 * Why a process with torch loaded was not reached.
 * @param shimDir first entry of the step's PYTHONPATH
 * @param exists whether a file exists (for tests)
 */
export function whyUnarmed(
  start: Start,
  shimDir: string,
  exists: (path: string) => boolean = existsSync,
): Unarmed {
  const reason = find(start, shimDir, exists);
  const name = reason === 'tox' ? variable(start.env ?? [], 'TOX_ENV_NAME') : undefined;
  // The name comes from the step and goes into a report.
  if (name === undefined || !/^[\w.-]{1,60}$/.test(name)) return { reason, advice: ADVICE[reason] };
  const advice = ADVICE.tox.replace('testenv:NAME.', `testenv:${name}.`).replace(/ with the name .*$/, '');
  return { reason, advice };
}

function find(
  { program, args, env, cwd, uid }: Start,
  shimDir: string,
  exists: (path: string) => boolean,
): UnarmedReason {
  if (isPex(args, env)) return 'pex';
  const isPython = PYTHON.test(program);
  if (isPython) {
    const [, major, minor] = /^python(\d)(?:\.(\d+))?/.exec(program) ?? [];
    if (major === '2' || (minor !== undefined && Number(minor) < 9)) return 'old-python';
    const flags = interpreterFlags(args);
    if (flags.includes('I')) return 'isolated';
    if (flags.includes('E')) return 'ignore-environment';
    if (flags.includes('S')) return 'no-site';
  }
  // The folder is for the user of the runner alone; root may read it.
  if (uid !== null && uid !== 0 && uid !== process.getuid?.()) return 'other-user';
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

/**
 * A PEX starts its program in a new Python. With `--venv` that is `-I` and a script named `pex` in its own
 * venv; otherwise PYTHONPATH is removed (seen with pex 2.105). Children of that program inherit `PEX` too.
 */
const isPex = (args: readonly string[], env: readonly string[] | null): boolean =>
  env !== null &&
  variable(env, 'PEX') !== undefined &&
  (variable(env, '_PEX_PYTHONPATH') !== undefined ||
    (interpreterFlags(args).includes('I') && args.some((arg) => arg.endsWith('/pex'))));

/** Was the process reached, so that only its evidence is missing? The verdict then deals with it. */
export const wasReached = (reason: UnarmedReason): boolean =>
  reason === 'receipt-lost' || reason === 'receipt-unreadable';

/** Reasons that only suggest why the hook was not read. A mark proves that it was read. */
const GUESSES: ReadonlySet<UnarmedReason> = new Set(['other-user', 'shadowed', 'not-python', 'unknown']);

const BY_MARK: Readonly<Record<Came, UnarmedReason>> = {
  started: 'not-imported',
  importing: 'import-unfinished',
  imported: 'receipt-lost',
};

/**
 * The final reason, with what is known after the step.
 * @param came how far it came under the hook; null when it left no mark
 * @param unreadable why a receipt of it could not be read, or null
 */
export function settled(seen: Unarmed, came: Came | null, unreadable: string | null): Unarmed {
  if (unreadable !== null)
    return {
      reason: 'receipt-unreadable',
      advice: `${ADVICE['receipt-unreadable']} (${unreadable})`,
    };
  if (came === null || !GUESSES.has(seen.reason)) return { reason: seen.reason, advice: seen.advice };
  const reason = BY_MARK[came];
  return { reason, advice: ADVICE[reason] };
}

const variable = (env: readonly string[], name: string): string | undefined =>
  env.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1);
