/**
 * Handles a cancel of the job. The runner sends SIGINT, then SIGTERM after 7.5 s, then SIGKILL 2.5 s later.
 * Node would exit at SIGINT, and the outputs, the summary and an almost finished upload would be lost. So
 * main stays alive. At the first signal (`asked`) long work is skipped. A running upload may go on until the
 * second signal or the timeout (`overdue`). post resumes what was stopped.
 */

export const CANCEL_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Below the 7.5 s until the runner's second signal, and well below the 10 s until SIGKILL. */
const OVERDUE_MS = 6000;

export interface CancelWatch {
  /** Aborted at the first signal. */
  readonly asked: AbortSignal;
  /** Aborted when the upload must stop as well. */
  readonly overdue: AbortSignal;
  /** Removes the signal handlers. */
  stop(): void;
}

/**
 * Installs the signal handlers.
 * @param overdueMs from the first signal
 */
export function watchCancel(overdueMs = OVERDUE_MS): CancelWatch {
  const asked = new AbortController();
  const overdue = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const onSignal = (): void => {
    if (asked.signal.aborted) {
      overdue.abort();
      return;
    }
    asked.abort();
    timer = setTimeout(() => overdue.abort(), overdueMs);
    timer.unref();
  };
  for (const name of CANCEL_SIGNALS) process.on(name, onSignal);
  return {
    asked: asked.signal,
    overdue: overdue.signal,
    stop: () => {
      clearTimeout(timer);
      for (const name of CANCEL_SIGNALS) process.off(name, onSignal);
    },
  };
}
