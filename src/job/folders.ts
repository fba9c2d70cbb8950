/**
 * The folders of watched jobs in RUNNER_TEMP. The runner empties that before each job; where it does not (a
 * folder shared by several runners, act), the next job's main removes what a killed one left.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { JOB_FOLDER, type Plan } from '../plan.js';
import { type Group, sameProcess } from '../step/own.js';
import { isLive, listProcesses, type ProcessFacts, processFacts, readEnvironment } from '../step/proc.js';

/** Says who runs the job: the runner's worker, which started main and lives until the job ends. */
const WORKER = 'worker.json';

export const jobFolder = (temp: string, id: string): string => join(temp, `${JOB_FOLDER}${id}`);
/** The folder of a job's plan. */
export const folderOf = (plan: Pick<Plan, 'stepDir'>): string => dirname(plan.stepDir);

/** Makes the folder of this job. */
export function makeJobFolder(folder: string, worker = process.ppid): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const facts = worker > 1 ? processFacts(worker) : null;
  const group: Group | null = facts && { pid: worker, startTicks: facts.startTicks };
  writeFileSync(join(folder, WORKER), `${JSON.stringify(group)}\n`, { mode: 0o600 });
}

/** Is the job that a folder belongs to known to be over? Where nobody can tell (a container), it is not. Pure. */
export function isOver(worker: Group | null, all: readonly ProcessFacts[]): boolean {
  return worker !== null && all.length > 0 && !all.some((one) => isLive(one) && sameProcess(worker, one));
}

/** Removes the folders of jobs that are over. @returns how many */
export function removeLeft(temp: string): number {
  let removed = 0;
  try {
    const names = readdirSync(temp).filter((name) => name.startsWith(JOB_FOLDER));
    const all = names.length > 0 ? listProcesses() : [];
    for (const name of names) {
      try {
        const worker = JSON.parse(readFileSync(join(temp, name, WORKER), 'utf8')) as Group | null;
        if (!isOver(worker, all)) continue;
        rmSync(join(temp, name), { recursive: true, force: true });
        removed += 1;
      } catch {
        // another user's, or not whole
      }
    }
  } catch {
    // there is no such folder: nothing was left
  }
  return removed;
}

/** Processes that have the job's shim on PYTHONPATH: what its steps left running. */
export const jobProcesses = (shimDir: string): readonly Group[] =>
  listProcesses()
    .filter(
      (facts) =>
        isLive(facts) &&
        facts.pid !== process.pid &&
        (readEnvironment(facts.pid)?.some(
          (line) => line.startsWith('PYTHONPATH=') && line.includes(shimDir),
        ) ??
          false),
    )
    .map(({ pid, startTicks }) => ({ pid, startTicks }));
