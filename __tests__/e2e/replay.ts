/**
 * For tests of faults: real evidence, recorded (recorded.ts), put into the evidence folder of as many steps as the test
 * likes. So a row of the fault matrix takes a second and not ten. And what must hold after any of them.
 */
import { existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { freshFolder, plainPython, runStep, type Step, type StepOptions } from './kit.js';
import { replayProgram } from './recorded.js';

/** A training that ran out of memory, in a few lines and with a small snapshot. */
export const OUT_OF_MEMORY = `
import torch
held = [torch.empty(1 << 20, dtype=torch.uint8, device='cuda') for _ in range(8)]
def train_step():
    return torch.empty(1 << 40, dtype=torch.uint8, device='cuda')
train_step()
`;

let made: string | null = null;

/** Path of a script that puts an out-of-memory's evidence (one receipt, one snapshot) into the step that runs it. */
export async function replayScript(): Promise<string> {
  made ??= replayProgram('small-oom', false);
  return made;
}

/** A step with a plain Python, silent about torch. */
export const plain = (
  run: string,
  more: Partial<StepOptions> & { with?: Record<string, string> } = {},
): Promise<Step> =>
  runStep({
    python: plainPython(),
    ...more,
    inputs: { run, 'if-no-torch': 'ignore', ...more.with },
  });

/** All names below a folder, links not followed. */
export function* namesBelow(folder: string): Generator<string> {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const path = join(folder, name);
    yield path;
    if (lstatSync(path).isDirectory()) yield* namesBelow(path);
  }
}

/** Files of the evidence that lie on disk after the step, by name. */
export const onDisk = (step: Step): string[] =>
  [...namesBelow(step.temp)]
    .filter((path) => /\/evidence\/[^/]+$/.test(path))
    .map((path) => path.split('/').at(-1) ?? '')
    .sort();

/** What must hold after every fault: no process, no temporary, no staging folder, and a post that turns nothing red. */
export function expectClean(step: Step): void {
  expect(step.report.orphans).toEqual([]);
  expect(
    [...namesBelow(step.temp)].filter((path) => /\/\.upload-|\.tmp-(\d+|[0-9a-f]{16})$/.test(path)),
  ).toEqual([]);
  expect(step.report.post?.code).toBe(0);
  // Whoever outlives a main that was killed holds its output until post ends it.
  const killed = step.report.main.signal === 'SIGKILL';
  expect(step.report.problems.filter((problem) => !killed || !/held open/.test(problem))).toEqual([]);
}

/** Waits until something holds. */
export async function until(holds: () => boolean, what: string): Promise<void> {
  for (let i = 0; i < 3000; i++) {
    if (holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`${what} never happened`);
}

/** A cancel at the moment the artifact service gets its first call. */
export function cancelAtUpload(): Required<Pick<StepOptions, 'onService'>> & {
  readonly cancelAfter: AbortSignal;
} {
  const stop = new AbortController();
  return {
    cancelAfter: stop.signal,
    onService: (service) => {
      const timer = setInterval(() => {
        if (service.calls().length === 0) return;
        clearInterval(timer);
        stop.abort();
      }, 20);
      timer.unref();
    },
  };
}

/** A folder that only this test knows, for pids and marks of the step. */
export function scratch(): string {
  const folder = freshFolder('oom-autopsy-scratch-');
  mkdirSync(folder, { recursive: true });
  return folder;
}
