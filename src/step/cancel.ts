/**
 * What a cancel leaves us. A runner that cancels sends SIGINT, SIGTERM 7.5 s later and SIGKILL 2.5 s after
 * that; node's own answer to the first would be to die, and with it the outputs, the summary and an upload
 * that is nearly done. So main stays: what takes long is given up at the first signal (`asked`), an upload
 * that runs gets a few seconds more, and at the second signal or after those seconds (`overdue`) it is
 * stopped too. post goes on with what was stopped.
 */

export const CANCEL_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Short of the 7.5 s after which the runner's second signal comes, and well short of the 10 s of its last.
 */
const OVERDUE_MS = 6000;

export interface CancelWatch {
  /** Aborted at the first signal. */
  readonly asked: AbortSignal;
  /** Aborted when nothing more may be waited for. */
  readonly overdue: AbortSignal;
  /** Gives the signals back to whoever else listens, or to node. */
  stop(): void;
}

/** Listens from now on. @param overdueMs from the first signal */
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
