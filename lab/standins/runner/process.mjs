// Runs one process as GitHub's runner does (ProcessInvoker.cs): stdin closed, both outputs as pipes read line
// by line, SIGINT, SIGTERM and SIGKILL to that process alone on a stop, and no more than a few seconds for
// pipes that survivors hold open after it ended.
import { spawn, spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { closeSync, constants, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** @typedef {{sigint: number, sigterm: number, streams: number}} Graces milliseconds */
/** The real runner's times. @type {Readonly<Graces>} */
export const GRACES = Object.freeze({ sigint: 7500, sigterm: 2500, streams: 5000 });
const CLOCK_TICK_MS = 10; // USER_HZ is 100 on every Linux that Node runs on
const MAX_UNREAD_LINE = 1 << 20;

/**
 * @typedef {object} Output
 * @property {number} bytes
 * @property {string} sha256 bare hex
 * @property {Buffer | null} data the raw bytes; null where they were only counted
 */
/**
 * @typedef {object} Ended
 * @property {number | null} code null where a signal ended it
 * @property {NodeJS.Signals | null} signal
 * @property {number} ms
 * @property {number | null} cpuMs CPU time of the process and of every descendant that it waited for, from
 *   the kernel's account of our children, which ticks in 10 ms: add up many runs, the error does not grow.
 *   Null where another process of ours ran at the same time, or off Linux.
 * @property {Output} stdout
 * @property {Output} stderr
 * @property {NodeJS.Signals[]} sent the signals it was sent, in order
 * @property {boolean} heldOpen survivors held its output open; it was let go
 */

/** Splits bytes into lines at LF, CR and CRLF, as .NET's ReadLine does. */
export class LineReader {
  /**
   * @param {(line: string) => void} onLine
   * @param {boolean} everyLine false: only lines that can hold a workflow command, and at most their first
   *   MiB
   */
  constructor(onLine, everyLine) {
    this.onLine = onLine;
    this.everyLine = everyLine;
    /** @type {Buffer[]} */
    this.rest = [];
    this.restBytes = 0;
    this.afterCr = false;
  }

  /** @param {Buffer} chunk */
  push(chunk) {
    let bytes = this.afterCr && chunk[0] === LF ? chunk.subarray(1) : chunk;
    if (chunk.length > 0) this.afterCr = false;
    if (!this.everyLine) {
      if (this.restBytes > 0) bytes = this.#take(bytes);
      if (!holdsCommand(bytes)) {
        // nothing in it, but perhaps the first half of a command in its last line
        this.afterCr ||= bytes.at(-1) === CR;
        this.#keep(bytes.subarray(Math.max(bytes.lastIndexOf(LF), bytes.lastIndexOf(CR)) + 1));
        return;
      }
    }
    while (bytes.length > 0) bytes = this.#take(bytes);
  }

  /** Takes one line, or the beginning of one, and returns what follows it. @param {Buffer} bytes */
  #take(bytes) {
    const lf = bytes.indexOf(LF);
    const cr = (lf < 0 ? bytes : bytes.subarray(0, lf)).indexOf(CR);
    const end = cr < 0 ? lf : cr;
    this.#keep(end < 0 ? bytes : bytes.subarray(0, end));
    if (end < 0) return bytes.subarray(bytes.length);
    this.#emit();
    this.afterCr = end === cr && end === bytes.length - 1;
    return bytes.subarray(end === cr && bytes[end + 1] === LF ? end + 2 : end + 1);
  }

  end() {
    if (this.restBytes > 0) this.#emit();
  }

  /** @param {Buffer} part */
  #keep(part) {
    if (part.length === 0 || (!this.everyLine && this.restBytes > MAX_UNREAD_LINE)) return;
    this.rest.push(part);
    this.restBytes += part.length;
  }

  #emit() {
    const line = this.rest.length === 1 ? /** @type {Buffer} */ (this.rest[0]) : Buffer.concat(this.rest);
    this.rest = [];
    this.restBytes = 0;
    if (this.everyLine || holdsCommand(line)) this.onLine(line.toString('utf8'));
  }
}
const [LF, CR] = [10, 13];
const MARKS = ['::', '##['].map((mark) => Buffer.from(mark));
const holdsCommand = (/** @type {Buffer} */ bytes) => MARKS.some((mark) => bytes.includes(mark));

/**
 * A pipe(2) with a name that is gone at once. Node's own 'pipe' is a socket pair, which differs where a
 * script opens /dev/stdout (ENXIO on a socket); the real runner gives pipes.
 * @returns {{read: number, write: number}[]}
 */
function makePipes(/** @type {number} */ count) {
  const names = Array.from({ length: count }, () => join(tmpdir(), `runner-pipe-${randomUUID()}`));
  const made = spawnSync('mkfifo', ['-m', '600', ...names]);
  if (made.status !== 0) throw new Error(`mkfifo failed: ${made.error?.message ?? made.stderr}`);
  try {
    return names.map((name) => {
      const read = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
      return { read, write: openSync(name, constants.O_WRONLY) };
    });
  } finally {
    for (const name of names) rmSync(name, { force: true });
  }
}

/** CPU time of the children we waited for, in milliseconds. @returns {number | null} */
function childrenCpu() {
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[13]) + Number(fields[14])) * CLOCK_TICK_MS; // cutime, cstime
  } catch {
    return null;
  }
}
let started = 0;
let running = 0;

/**
 * @param {object} options
 * @param {string} options.file @param {string[]} options.args @param {string} options.cwd
 * @param {NodeJS.ProcessEnv} options.env the whole environment
 * @param {(line: string, stream: 'stdout'|'stderr') => void} options.onLine
 * @param {boolean} [options.keep] keep the raw bytes and read every line (true); false: count, hash, and read
 *   only lines that can hold a command
 * @param {boolean} [options.everyLine] read every line all the same
 * @param {AbortSignal} [options.stop]
 * @param {'github'|'act'} [options.style] act: SIGKILL at once
 * @param {Graces} [options.graces]
 * @param {(pid: number) => void} [options.onStart]
 * @returns {Promise<Ended>} rejects where the process could not be started
 */
export async function runProcess(options) {
  const { keep = true, stop, style = 'github', graces = GRACES } = options;
  const pipes = makePipes(2);
  const t0 = performance.now();
  const cpu0 = childrenCpu();
  const mine = ++started;
  const alone = ++running === 1;
  const child = spawn(options.file, options.args, {
    cwd: options.cwd,
    env: options.env,
    stdio: ['pipe', /** @type {any} */ (pipes[0]).write, /** @type {any} */ (pipes[1]).write],
  });
  for (const pipe of pipes) closeSync(pipe.write);
  child.stdin?.on('error', () => {});
  child.stdin?.end();
  if (child.pid !== undefined) {
    try {
      // the runner makes its steps the kernel's first choice when memory runs out
      writeFileSync(`/proc/${child.pid}/oom_score_adj`, '500');
    } catch {}
  }

  const streams = /** @type {const} */ (['stdout', 'stderr']).map((name, i) => {
    const reader = new LineReader((line) => options.onLine(line, name), options.everyLine ?? keep);
    const hash = createHash('sha256');
    /** @type {Buffer[]} */
    const data = [];
    const state = { bytes: 0, ended: false };
    const socket = new Socket({ fd: /** @type {any} */ (pipes[i]).read, readable: true, writable: false });
    socket.on('data', (chunk) => {
      state.bytes += chunk.length;
      hash.update(chunk);
      if (keep) data.push(chunk);
      reader.push(chunk);
    });
    const over = new Promise((ok) => {
      socket.on('error', () => {});
      socket.on('close', () => ok(undefined));
      socket.on('end', () => {
        state.ended = true;
        ok(undefined);
      });
    });
    return {
      over,
      state,
      letGo: () => socket.destroy(),
      finish: () => {
        reader.end();
        return { bytes: state.bytes, sha256: hash.digest('hex'), data: keep ? Buffer.concat(data) : null };
      },
    };
  });

  const exited = new Promise((ok, fail) => {
    child.once('error', fail);
    child.once('exit', (code, signal) => ok({ code, signal, ms: performance.now() - t0 }));
  });
  if (child.pid !== undefined) options.onStart?.(child.pid);
  let isOver = false;
  const over = (async () => {
    try {
      await exited;
      const patience = new AbortController();
      await Promise.race([
        Promise.all(streams.map((s) => s.over)),
        delay(graces.streams, undefined, { signal: patience.signal }).catch(() => {}),
      ]);
      patience.abort();
    } finally {
      isOver = true;
    }
  })();

  /** @type {NodeJS.Signals[]} */
  const sent = [];
  const end = async () => {
    /** @type {[NodeJS.Signals, number][]} */
    const ladder = [
      ['SIGINT', graces.sigint],
      ['SIGTERM', graces.sigterm],
      ['SIGKILL', 0],
    ];
    for (const [signal, wait] of style === 'act' ? ladder.slice(2) : ladder) {
      if (isOver || child.exitCode !== null || child.signalCode !== null) return;
      if (child.kill(signal)) sent.push(signal);
      await Promise.race([over.catch(() => {}), delay(wait, undefined, { ref: false })]);
    }
  };
  const onStop = () => void end();
  if (stop?.aborted) onStop();
  else stop?.addEventListener('abort', onStop, { once: true });

  try {
    await over;
    const { code, signal, ms } = /** @type {any} */ (await exited);
    const heldOpen = streams.some((s) => !s.state.ended);
    const cpu1 = childrenCpu();
    const undisturbed = alone && mine === started && cpu0 !== null && cpu1 !== null;
    const [stdout, stderr] = streams.map((s) => s.finish());
    return {
      ...{ code, signal, ms: Math.round(ms), sent, heldOpen },
      cpuMs: undisturbed ? cpu1 - cpu0 : null,
      stdout: /** @type {Output} */ (stdout),
      stderr: /** @type {Output} */ (stderr),
    };
  } finally {
    running--;
    stop?.removeEventListener('abort', onStop);
    for (const s of streams) s.letGo();
  }
}

const SIGKILL_BIT = 1n << 8n;
/**
 * Was the process of this /proc/PID/status killed? On a busy machine it may be there for a while, but it does
 * nothing more.
 * @param {string} status
 */
export const isDying = (status) =>
  [...status.matchAll(/^(?:SigPnd|ShdPnd):\s*([0-9a-f]+)$/gm)].some(
    ([, pending]) => (BigInt(`0x${pending}`) & SIGKILL_BIT) !== 0n,
  );

/**
 * The living processes whose environment holds a variable, ours left out. Only Linux has an answer.
 * @param {string} name @param {string} value
 * @returns {{pid: number, command: string}[]}
 */
export function processesWith(name, value) {
  const found = [];
  const wanted = Buffer.from(`${name}=${value}`);
  /** @type {string[]} */
  let pids = [];
  try {
    pids = readdirSync('/proc').filter((d) => /^\d+$/.test(d));
  } catch {}
  for (const pid of pids) {
    if (Number(pid) === process.pid) continue;
    try {
      if (!readFileSync(`/proc/${pid}/environ`).includes(wanted)) continue;
      if (isDying(readFileSync(`/proc/${pid}/status`, 'latin1'))) continue;
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      found.push({ pid: Number(pid), command });
    } catch {
      // gone, or another user's
    }
  }
  return found;
}
