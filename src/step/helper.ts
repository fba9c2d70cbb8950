/**
 * Runs helper programs such as `nvidia-smi`. A helper runs without a shell, without input, in its own process
 * group and with the environment of a plain step. Every process that it started ends with it, even a daemon
 * that left its process group. We never wait for a helper that cannot be killed (a hung driver leaves it in
 * uninterruptible sleep), nor for a pipe that another process holds open.
 *
 * Two child processes are not helpers: the step's command (process.ts), and the upload, which needs our
 * token, an IPC channel and an open folder.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { INPUT_NAMES } from '../inputs.js';
import { randomHex } from '../lib/random.js';
import { cleanText } from '../lib/text.js';
import { plainStepEnvironment } from '../plan.js';
import { inputVariable } from '../runner/runner.js';
import { CANCEL_SIGNALS } from './cancel.js';
import { stepProcesses } from './own.js';
import { listProcesses, processFacts, signalProcess } from './proc.js';

export interface HelperCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** Our own environment: what a helper must not see is taken out here. */
  readonly env: NodeJS.ProcessEnv;
}

export interface HelperLimits {
  readonly timeoutMs: number;
  /** Of stdout and of stderr. */
  readonly maxBytes: number;
}

/** How a helper ended. */
export type HelperEnd =
  | { readonly kind: 'ok' }
  /** By its exit code, or by a signal. */
  | { readonly kind: 'failed'; readonly code: number | NodeJS.Signals }
  /** There is no such program, or it may not be run. */
  | { readonly kind: 'not-found'; readonly code: string }
  | { readonly kind: 'too-much-output' | 'cancelled' }
  | { readonly kind: 'timed-out'; readonly ms: number };

export type HelperResult = HelperEnd & { readonly stdout: string; readonly stderr: string };

/** Files by which an action speaks to the runner. */
const COMMAND_FILE = /^GITHUB_(ENV|OUTPUT|PATH|STATE|STEP_SUMMARY)$/;

/**
 * The environment of a plain step, without the files for the runner and, in post, our own state. Answers come
 * in English.
 */
export function helperEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const plain = plainStepEnvironment(env, INPUT_NAMES.map(inputVariable));
  const kept = Object.entries(plain).filter(([name]) => !COMMAND_FILE.test(name) && !/^STATE_/.test(name));
  return { ...Object.fromEntries(kept), LC_ALL: 'C' };
}

/** Marks what a helper starts, so that a daemon of it is found. */
const HELPER_VARIABLE = 'OOM_AUTOPSY_HELPER';

/**
 * Starts a helper. `begin` is called once it runs. `end` is called once, when every process of it that can be
 * killed has exited.
 */
function launch(
  { file, args, env }: HelperCommand,
  begin: (child: ChildProcess) => void,
  end: (how: HelperEnd) => void,
): (how: HelperEnd) => void {
  const id = randomHex(6);
  let child: ChildProcess | undefined;
  let since: number | null = null;
  let ended = false;
  const killAll = (): void => {
    const leader = child?.pid;
    if (leader === undefined) return;
    const mark = { leader, variable: `${HELPER_VARIABLE}=${id}`, since };
    // Only pids above the leader's: reading all of /proc takes 1 ms for 80 processes. A daemon is missed when
    // pids have just wrapped around.
    for (const { pid } of stepProcesses(mark, listProcesses('/proc', leader))) signalProcess(pid, 'SIGKILL');
    signalProcess(-leader, 'SIGKILL');
  };
  const finish = (how: HelperEnd): void => {
    if (ended) return;
    ended = true;
    killAll();
    child?.stdout?.destroy();
    child?.stderr?.destroy();
    child?.unref();
    end(how);
  };
  const unable = (error: NodeJS.ErrnoException): void =>
    finish({ kind: 'not-found', code: error.code ?? cleanText(error.message, 200) });
  try {
    child = spawn(file, args, {
      cwd: '/',
      env: { ...helperEnvironment(env), [HELPER_VARIABLE]: id },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      windowsHide: true,
    });
  } catch (error) {
    process.nextTick(unable, error);
    return finish;
  }
  if (child.pid) since = processFacts(child.pid)?.startTicks ?? null;
  child.on('error', unable);
  // Not 'close', which waits until every holder of the pipes has closed them. The helper's output is in the
  // pipes by now, and is read in this turn of the event loop or in the next.
  child.on('exit', (code, signal) => {
    const how: HelperEnd = code === 0 ? { kind: 'ok' } : { kind: 'failed', code: code ?? signal ?? 0 };
    setImmediate(() => setImmediate(() => finish(how)));
  });
  begin(child);
  return finish;
}

/**
 * Runs a helper until it exits or reaches a limit. A cancel ends the helper first and then takes its usual
 * effect. Never rejects.
 */
export function runHelper(command: HelperCommand, limits: HelperLimits): Promise<HelperResult> {
  const { timeoutMs, maxBytes } = limits;
  const texts: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const onSignal = (signal: NodeJS.Signals): void => {
      stop({ kind: 'cancelled' });
      if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
    };
    const collect = (child: ChildProcess): void => {
      for (const name of ['stdout', 'stderr'] as const) {
        let bytes = 0;
        child[name]?.on('error', () => undefined);
        child[name]?.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > maxBytes) stop({ kind: 'too-much-output' });
          else texts[name].push(chunk);
        });
      }
    };
    // Before it starts: a signal in between would end us and leave the helper running.
    for (const name of CANCEL_SIGNALS) process.on(name, onSignal);
    const stop = launch(command, collect, (how) => {
      clearTimeout(timer);
      for (const name of CANCEL_SIGNALS) process.off(name, onSignal);
      const [stdout, stderr] = [texts.stdout, texts.stderr].map((all) => Buffer.concat(all).toString());
      resolve({ ...how, stdout: stdout ?? '', stderr: stderr ?? '' });
    });
    timer = setTimeout(() => stop({ kind: 'timed-out', ms: timeoutMs }), timeoutMs);
  });
}

/** A helper that goes on until it is stopped. */
export interface RunningHelper {
  readonly ended: Promise<HelperEnd>;
  /** Ends it; `ended` is `ok` then. */
  stop(): void;
}

/**
 * Starts a helper and passes on each line as it arrives. The caller stops it. When main is killed, the
 * helper's pipe breaks.
 */
export function startHelper(command: HelperCommand, use: (line: string) => void): RunningHelper {
  const read = (child: ChildProcess): void => {
    eachLine(child.stdout, use);
    eachLine(child.stderr, () => undefined);
  };
  let stop = (): void => undefined;
  const ended = new Promise<HelperEnd>((resolve) => {
    const finish = launch(command, read, resolve);
    stop = () => finish({ kind: 'ok' });
  });
  return { ended, stop };
}

/** Lines of a stream, each cut to 4 KiB, without keeping more than one. */
export function eachLine(stream: Readable | null, use: (line: string) => void): void {
  let rest = '';
  stream?.setEncoding('utf8');
  stream?.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = (lines.pop() ?? '').slice(0, 4096);
    for (const line of lines) use(line.slice(0, 4096));
  });
  stream?.on('error', () => undefined);
}

/** Why there is no answer of a helper, in one line. */
export function noAnswer(result: Exclude<HelperResult, { kind: 'ok' }>): string {
  switch (result.kind) {
    case 'failed': {
      const said = cleanText((result.stderr || result.stdout).trim().split('\n')[0] ?? '', 200);
      return `failed (${result.code})${said === '' ? '' : `: ${said}`}`;
    }
    case 'not-found':
      return `could not be started (${result.code})`;
    case 'too-much-output':
      return 'printed too much';
    case 'cancelled':
      return 'not waited for: the job was cancelled';
    case 'timed-out':
      return `no answer in ${Math.max(1, Math.round(result.ms / 1000))} s`;
  }
}
