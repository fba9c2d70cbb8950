/** A job of plain steps after job/action.yml, on the stand-in runner. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshFolder, ROOT, runStep, type Step, type StepOptions } from './kit.js';

/** A `run:` step. */
export interface JobStep {
  readonly id: string;
  readonly run: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Folder of the composite action that it is a part of. */
  readonly action?: string;
  readonly continueOnError?: boolean;
}

/** A file with a program, for `python FILE`. */
export function program(text: string, name = 'train.py'): string {
  const path = join(freshFolder('oom-autopsy-job-'), name);
  writeFileSync(path, text);
  return path;
}

/** Runs one as the runner does: bash -e, in the workspace; its output and exit code. */
export const runPlain = (
  step: JobStep,
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<{ code: number | null; output: string }> =>
  new Promise((resolve, reject) => {
    const child = spawn('bash', ['-e', '-c', step.run], {
      cwd,
      env: {
        ...env,
        GITHUB_ACTION: step.id,
        ...(step.action === undefined ? {} : { GITHUB_ACTION_PATH: step.action }),
        ...step.env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk;
      });
    child.on('error', reject);
    child.on('exit', (code) => resolve({ code, output }));
  });

/** The steps until one fails, and what became of each. */
export interface Job {
  readonly step: Step;
  readonly ran: readonly { readonly id: string; readonly code: number | null; readonly output: string }[];
  /** PYTHONPATH of the steps. */
  readonly path: string;
}

export async function runJob(
  steps: readonly JobStep[],
  options: Partial<StepOptions> & { readonly status?: 'cancelled' } = {},
): Promise<Job> {
  const ran: { id: string; code: number | null; output: string }[] = [];
  const workspace = options.workspace ?? freshFolder();
  let path = '';
  const step = await runStep({
    ...options,
    workspace,
    inputs: { 'if-no-torch': 'ignore', ...options.inputs },
    run: {
      actionDir: join(ROOT, 'job'),
      between: async (env) => {
        path = env['PYTHONPATH'] ?? '';
        for (const one of steps) {
          const { code, output } = await runPlain(one, env, workspace);
          ran.push({ id: one.id, code, output });
          if (code !== 0 && !one.continueOnError) return options.status ?? 'failure';
        }
        return options.status ?? 'success';
      },
      ...options.run,
    },
  });
  return { step, ran, path };
}
