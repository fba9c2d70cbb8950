/**
 * Runs the step's command as the runner's own `run:` would: output inherited byte for byte, no input, in a
 * process group of its own, and ended with its shell. On a cancel the signals are passed on in order, the
 * processes get the grace period, and then what is left of the whole tree is killed.
 *
 * `@actions/exec` is not used here: it exposes no pid, handles no signals, gives `null` for a child that a
 * signal ended, and holds back an unterminated last line.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { CANCEL_SIGNALS } from './cancel.js';
import { CARRIERS } from './launchers.js';
import { type Group, type StepMark, stepProcesses } from './own.js';
import { type NamedProcess, nameProcess, processFacts, signalProcess } from './proc.js';

/** How the command ended. Facts only. */
export interface RunResult {
  /** The shell's code, 128 + the signal's number, or 127 / 126 when it could not be started. */
  readonly exitCode: number;
  readonly signal: NodeJS.Signals | null;
  /** First signal that asked us to stop, or null. */
  readonly cancelledBy: NodeJS.Signals | null;
  /** Why the program could not be started, or null. */
  readonly startError: string | null;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Processes that had to be killed after the grace period of a cancel. */
  readonly killed: readonly NamedProcess[];
}

export interface RunOptions {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly graceMs: number;
  /** `NAME=value` that marks the step's processes. */
  readonly mark: string;
  /**
   * A person started it: its input is theirs, and a signal is passed on and no more. What the program makes of Ctrl-C (a
   * debugger's prompt, a checkpoint that takes minutes) is its own matter.
   */
  readonly terminal?: boolean;
  /** Processes of the step that were seen so far. */
  readonly met?: () => readonly Group[];
  readonly onStart?: (group: Group) => void;
}

const DRAIN_POLL_MS = 50;
const UNKILLABLE_MS = 2000;
/**
 * Launchers (`srun`, `mpirun`, `torchrun`) end what they have started elsewhere at SIGTERM, and take seconds for it. The runner's own
 * comes after 7.5 s, with 2.5 s to go.
 */
const SIGTERM_AFTER_MS = 2500;
/** What starts others is killed after them: it may be telling a node to end its part. */
const LAUNCHERS_LATER_MS = 300;

/** Exit code as a shell reports it. */
export const shellExitCode = (code: number | null, signal: NodeJS.Signals | null): number =>
  code ?? 128 + (signal === null ? 0 : (constants.signals[signal] ?? 0));

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** What is done to the step's processes, and when: milliseconds since the epoch. */
interface Ladder {
  /** SIGTERM to what is left; null where it was sent. */
  readonly term: number | null;
  /** SIGKILL to what is left then. */
  readonly kill: number;
}

/**
 * Waits until no process of the step is alive. Those that remain get SIGTERM, then SIGKILL.
 * @param onTerm called before SIGTERM is sent; false: it was passed on meanwhile
 * @param patience milliseconds after it that a killed process may take to exit
 * @returns those that had to be killed
 */
export async function drain(
  mark: StepMark,
  { term, kill: deadline }: Ladder,
  patience = UNKILLABLE_MS,
  onTerm: () => boolean = () => true,
): Promise<readonly NamedProcess[]> {
  const killed = new Map<number, NamedProcess>();
  let termed = term === null;
  for (let empty = 0; ; ) {
    const left = stepProcesses(mark);
    // During exec a process shows no environment, and so no mark, for an instant.
    empty = left.length === 0 ? empty + 1 : 0;
    if (empty === 2) return [...killed.values()];
    if (!termed && Date.now() >= (term ?? 0)) {
      termed = true;
      if (onTerm()) for (const { pid } of left) signalProcess(pid, 'SIGTERM');
    }
    if (Date.now() >= deadline) {
      const wait = Date.now() < deadline + Math.min(LAUNCHERS_LATER_MS, patience);
      for (const { pid } of left) {
        const named = killed.get(pid) ?? nameProcess(pid);
        if (wait && CARRIERS.has(named.program ?? '')) continue;
        killed.set(pid, named);
        signalProcess(pid, 'SIGKILL');
      }
      // A process in uninterruptible sleep cannot be killed, nor can another user's: do not wait for it for
      // ever.
      if (Date.now() >= deadline + patience) {
        for (const { pid } of stepProcesses(mark)) killed.delete(pid);
        return [...killed.values()];
      }
    }
    await pause(DRAIN_POLL_MS);
  }
}

/**
 * Ends the step of a killed main: SIGTERM to all its processes, the grace period, then SIGKILL.
 * @returns how many were found, and those that had to be killed
 */
export async function endStep(
  mark: StepMark,
  graceMs: number,
  patience?: number,
): Promise<{ readonly found: number; readonly killed: readonly NamedProcess[] }> {
  const found = stepProcesses(mark);
  for (const { pid } of found) signalProcess(pid, 'SIGTERM');
  return {
    found: found.length,
    killed: await drain(mark, { term: null, kill: Date.now() + graceMs }, patience),
  };
}

/** Runs the command to its end. Never rejects: a program that cannot be started is a result too. */
export function runStep(options: RunOptions): Promise<RunResult> {
  const startedAt = Date.now();
  const posix = process.platform !== 'win32';
  return new Promise((resolve) => {
    let child: ChildProcess | null = null;
    let cancelledBy: NodeJS.Signals | null = null;
    let draining: Promise<readonly NamedProcess[]> | null = null;
    let settled = false;
    let termed = false;

    let since: number | null = null;
    const mark = (): StepMark => ({
      leader: child?.pid ?? null,
      variable: options.mark,
      since,
      met: options.met?.(),
    });

    const onSignal = (signal: NodeJS.Signals): void => {
      cancelledBy ??= signal;
      if (!child?.pid) return;
      if (!posix) {
        child.kill(signal);
        return;
      }
      const leader = child.pid;
      if (options.terminal) {
        signalProcess(-leader, signal);
        return;
      }
      if (signal === 'SIGTERM') {
        if (termed) return; // the ladder was faster: once is what a plain step gets
        termed = true;
      }
      // Descendants with a group of their own (`timeout`, `setsid`) do not get a signal that is sent to ours.
      const outside = stepProcesses(mark()).filter((facts) => facts.pgid !== leader);
      signalProcess(-leader, signal);
      for (const facts of outside) signalProcess(facts.pid, signal);
      const now = Date.now();
      const ladder = { term: now + SIGTERM_AFTER_MS, kill: now + options.graceMs };
      draining ??= drain(mark(), ladder, UNKILLABLE_MS, () => {
        const first = !termed;
        termed = true;
        return first;
      });
    };

    const finish = async (
      code: number | null,
      signal: NodeJS.Signals | null,
      startError: string | null,
    ): Promise<void> => {
      if (settled) return;
      settled = true;
      const shellEndedAt = Date.now();
      // bash dies at once on SIGTERM while its children still clean up: wait for them, but only after a
      // cancel.
      const killed = (await draining) ?? [];
      for (const name of CANCEL_SIGNALS) process.off(name, onSignal);
      resolve({
        exitCode: shellExitCode(code, signal),
        signal,
        cancelledBy,
        startError,
        startedAt,
        endedAt: shellEndedAt,
        killed,
      });
    };

    for (const name of CANCEL_SIGNALS) process.on(name, onSignal);
    try {
      child = spawn(options.file, options.args, {
        cwd: options.cwd,
        env: options.env,
        stdio: [options.terminal ? 'inherit' : 'ignore', 'inherit', 'inherit'],
        detached: posix,
        windowsHide: true,
      });
    } catch (error) {
      void finish(126, null, (error as Error).message);
      return;
    }
    child.on('error', (error: NodeJS.ErrnoException) => {
      void finish(error.code === 'ENOENT' ? 127 : 126, null, error.message);
    });
    // 'exit', not 'close': the step ends with its shell, even if surviving processes hold its pipes open.
    child.on('exit', (code, signal) => void finish(code, signal, null));
    if (child.pid) {
      since = processFacts(child.pid)?.startTicks ?? null;
      options.onStart?.({ pid: child.pid, startTicks: since });
    }
  });
}
