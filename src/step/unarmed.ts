/**
 * Who ran without the shim. While the step runs, its Python processes are looked at in /proc now and then; one that
 * has torch mapped and left no receipt was not reached, and what its start shows (flags, environment) says why.
 * Command lines and environments are only looked at, never stored: they hold secrets.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import {
  isLive,
  listProcesses,
  readArguments,
  readEnvironment,
  readExecutable,
  type StepMark,
  stepProcesses,
} from './proc.js';

/** Why the shim did not start in a Python process. */
export type UnarmedReason = 'isolated' | 'ignore-environment' | 'no-site' | 'pythonpath-replaced' | 'unknown';

/** A Python process of the step that had torch loaded. */
export interface PythonSighting {
  readonly pid: number;
  readonly startTicks: number;
  readonly program: string;
  readonly reason: UnarmedReason;
}

/** One line of advice for each reason. */
export const UNARMED_ADVICE: Readonly<Record<UnarmedReason, string>> = {
  isolated:
    'it was started with -I, which ignores PYTHONPATH; drop -I (use -P and -s for what they do of it)',
  'ignore-environment':
    'it was started with -E or without our environment, which ignores PYTHONPATH; drop -E',
  'no-site': 'it was started with -S, which skips sitecustomize; drop -S',
  'pythonpath-replaced':
    'PYTHONPATH was replaced or cleared on the way; write PYTHONPATH="$PWD:$PYTHONPATH" and pass the variable on',
  unknown:
    'it started before torch could be followed, or in a Python below 3.9, or its sitecustomize was shadowed; see docs/reach.md',
};

const PYTHON = /^(python|pypy)[\d.]*(-\w+)?$/;
/** Files of torch that are mapped once `import torch` is under way. */
const TORCH = /\/lib(torch|torch_cpu|torch_cuda|torch_python|c10)\.(so|dylib)/;

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
 * Why a Python process could not be reached, from how it was started.
 * @param args its command line
 * @param env its environment as `NAME=value`, or null when it cannot be read
 */
export function whyUnarmed(
  args: readonly string[],
  env: readonly string[] | null,
  shimDir: string,
): UnarmedReason {
  const flags = interpreterFlags(args);
  if (flags.includes('I')) return 'isolated';
  if (flags.includes('E')) return 'ignore-environment';
  if (flags.includes('S')) return 'no-site';
  if (env === null) return 'unknown';
  const path = env.find((entry) => entry.startsWith('PYTHONPATH='))?.slice('PYTHONPATH='.length) ?? '';
  return path.split(':').includes(shimDir) ? 'unknown' : 'pythonpath-replaced';
}

/** Has a process mapped one of torch's libraries? */
function mapsTorch(pid: number): boolean {
  try {
    return TORCH.test(readFileSync(`/proc/${pid}/maps`, 'latin1'));
  } catch {
    return false;
  }
}

/** Looks at the step's Python processes again and again, ever less often. */
export class PythonWatch {
  readonly #seen = new Map<string, PythonSighting>();
  readonly #settled = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly mark: () => StepMark,
    private readonly shimDir: string,
  ) {}

  /** First look after `firstMs`, then 1.5 times as long after each, up to every `maxMs`. Linux only. */
  start(firstMs = 700, maxMs = 15_000): void {
    if (process.platform !== 'linux') return;
    const again = (wait: number): void => {
      this.#timer = setTimeout(() => {
        this.look();
        again(Math.min(wait * 1.5, maxMs));
      }, wait);
      this.#timer.unref();
    };
    again(firstMs);
  }

  /** One look. */
  look(): void {
    const all = listProcesses();
    for (const facts of stepProcesses(this.mark(), all)) {
      const key = `${facts.pid}.${facts.startTicks}`;
      if (this.#settled.has(key) || !isLive(facts)) continue;
      const program = basename(readExecutable(facts.pid) ?? '');
      if (!PYTHON.test(program)) continue;
      if (!mapsTorch(facts.pid)) continue;
      this.#settled.add(key);
      this.#seen.set(key, {
        pid: facts.pid,
        startTicks: facts.startTicks,
        program,
        reason: whyUnarmed(readArguments(facts.pid) ?? [], readEnvironment(facts.pid), this.shimDir),
      });
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Python processes that were seen with torch loaded. */
  sightings(): readonly PythonSighting[] {
    return [...this.#seen.values()];
  }
}

/** A way to start programs that PYTHONPATH does not survive, found in the text of the step. */
export interface ScriptHint {
  readonly line: number;
  readonly what: string;
  readonly advice: string;
}

const HINTS: readonly { readonly pattern: RegExp; readonly what: string; readonly advice: string }[] = [
  {
    pattern: /\bdocker\s+(container\s+)?(run|exec)\b|\bpodman\s+(run|exec)\b|\bnerdctl\s+run\b/,
    what: 'docker',
    advice:
      "a container does not get the step's environment: run the whole job in `container:`, or see docs/reach.md for the arguments to add",
  },
  {
    pattern: /(^|[\s;&|(])tox(\s|$)/,
    what: 'tox',
    advice:
      'tox passes only the variables it is told to: TOX_OVERRIDE=testenv:NAME.pass_env+=PYTHONPATH with the name of your environment',
  },
  {
    pattern: /(^|[\s;&|(])sudo\s/,
    what: 'sudo',
    advice: 'sudo clears the environment: sudo --preserve-env=PYTHONPATH',
  },
  {
    pattern: /(^|[\s;&|(])env\s+(-\S+\s+)*(-i|-|--ignore-environment)(\s|$)/,
    what: 'env -i',
    advice: 'env -i clears the environment: add PYTHONPATH="$PYTHONPATH" after it',
  },
  {
    pattern: /(^|[\s;&|(])srun\s/,
    what: 'srun',
    advice:
      'srun has to export the environment (the default, --export=ALL) and the step folder must lie on a shared file system',
  },
  {
    pattern: /(^|[\s;&|(])(ray\s+(start|job\s+submit))\b/,
    what: 'ray',
    advice:
      'workers of a Ray cluster that runs already have the environment of the day it started: start it in the wrapped step',
  },
  {
    pattern: /(^|[\s;&|(])(export\s+)?PYTHONPATH=(?!.*\$\{?PYTHONPATH)/,
    what: 'PYTHONPATH=',
    advice: 'this replaces PYTHONPATH; write PYTHONPATH="$PWD:$PYTHONPATH"',
  },
  {
    pattern: /\bunset\s+(\S+\s+)*PYTHONPATH\b/,
    what: 'unset PYTHONPATH',
    advice: 'this clears PYTHONPATH; leave it set in the wrapped step',
  },
  {
    pattern: /\bpython[\d.]*\s+(-[A-Za-z]+\s+)*-[A-Zabd-ln-z]*[IES]/,
    what: 'python -I, -E or -S',
    advice: 'these flags make Python ignore PYTHONPATH or skip sitecustomize; drop them',
  },
];

/** Hints in the text of the step, first of each kind, with its line (from 1). Comments are left out. */
export function scriptHints(script: string): ScriptHint[] {
  const found = new Map<string, ScriptHint>();
  for (const [index, line] of script.split(/\r?\n/).entries()) {
    const code = line.replace(/(^|\s)#.*$/, '');
    for (const { pattern, what, advice } of HINTS) {
      if (!found.has(what) && pattern.test(code)) found.set(what, { line: index + 1, what, advice });
    }
  }
  return [...found.values()];
}
