/**
 * Lays the step's folders before it starts: the script, the shim with its config beside it, the evidence
 * folder. PYTHONPATH may be the only variable that tox, sudo or docker pass on. So everything that the shim
 * needs is beside its sitecustomize.py.
 */
import {
  accessSync,
  constants,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Plan, shimConfig } from '../plan.js';
import { MARKS } from './marks.js';
import { writeScript } from './shell.js';

/** What was prepared, or why the shim was not. Only a script that cannot be written stops the step. */
export interface Laid {
  /** False when the step has to run without the shim; `faults` then says why. */
  readonly shim: boolean;
  readonly faults: readonly string[];
  /** Path of the evidence folder with all links resolved. A link that replaces it later is not followed. */
  readonly evidenceDir: string;
}

const reason = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? (error as Error).message;

/**
 * @param shimSource folder that holds the shim's files (python/shim)
 * @returns what was laid; a fault of ours here leaves the step as a plain `run:` would be
 * @throws when the step's folder or script cannot be written: then nothing could run
 */
export function layStep(plan: Plan, script: string, shimSource: string): Laid {
  mkdirSync(plan.stepDir, { recursive: true, mode: 0o700 });
  mkdirSync(plan.outputDir, { mode: 0o700 });
  writeScript(plan.script, script);
  writeFileSync(join(plan.stepDir, 'state'), '', { mode: 0o600 });
  let { evidenceDir } = plan;
  try {
    mkdirSync(evidenceDir, { recursive: true, mode: 0o700 });
    accessSync(evidenceDir, constants.W_OK | constants.X_OK);
    evidenceDir = realpathSync(evidenceDir);
  } catch (error) {
    return {
      shim: false,
      faults: [`evidence folder ${evidenceDir} cannot be written (${reason(error)}); nothing is recorded`],
      evidenceDir,
    };
  }
  try {
    copyPython(shimSource, plan.shimDir);
    const config = shimConfig({ ...plan, evidenceDir });
    writeFileSync(join(plan.shimDir, '_oom_autopsy', 'config.json'), `${JSON.stringify(config, null, 1)}\n`);
    writeFileSync(join(plan.shimDir, MARKS), '', { mode: 0o600 });
  } catch (error) {
    return {
      shim: false,
      faults: [`the shim could not be laid (${reason(error)}); nothing is recorded`],
      evidenceDir,
    };
  }
  if (plan.shimDir.includes(':')) {
    return {
      shim: false,
      faults: [
        `RUNNER_TEMP holds a colon (${plan.shimDir}), which cannot be on PYTHONPATH; nothing is recorded`,
      ],
      evidenceDir,
    };
  }
  return { shim: true, faults: [], evidenceDir };
}

/**
 * Copies the Python files of a folder: not the bytecode that an interpreter may have left beside them. The folder for
 * it is ours from the start: one that a container's root makes, the runner cannot remove.
 */
function copyPython(from: string, to: string): void {
  mkdirSync(to);
  mkdirSync(`${to}/__pycache__`);
  for (const name of readdirSync(from)) {
    const [source, target] = [`${from}/${name}`, `${to}/${name}`];
    // Read and written takes 1.5 ms for all of them, copyFileSync 3.9.
    if (name.endsWith('.py')) writeFileSync(target, readFileSync(source));
    else if (!name.startsWith('__')) copyPython(source, target);
  }
}

/** Why a working directory cannot be used, or null when it can. */
export function folderProblem(path: string): string | null {
  try {
    return statSync(path).isDirectory() ? null : 'it is not a folder';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no such folder' : reason(error);
  }
}
