/** The job's status as the end of a step, so that the same rules judge it. Pure. */
import type { RunResult } from '../step/process.js';

export function endOfJob(
  status: string,
  times: { readonly startedAt: number; readonly endedAt: number },
): { readonly result: RunResult; readonly fault: string | null } {
  const red = status === 'failure' || status === 'cancelled';
  const known = red || status === 'success';
  return {
    result: {
      exitCode: red ? 1 : 0,
      signal: null,
      cancelledBy: status === 'cancelled' ? 'SIGINT' : null,
      startError: null,
      ...times,
      killed: [],
    },
    fault: known ? null : "the runner did not tell the job's status, so it is taken for green",
  };
}
