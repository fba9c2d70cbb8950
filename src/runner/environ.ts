/**
 * Takes what the step is not to see out of /proc/PID/environ of this process, which any process of the same user
 * reads. That file shows the memory in which the process was started: changing `process.env` leaves it as it was.
 * So the values are copied first, by the C library, and their places in that memory are overwritten. It is data
 * of our own; there is no plainer means in Node (`prctl` is not offered, a second start of Node takes 24 ms).
 */
import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { INPUT_NAMES } from '../inputs.js';
import { plainStepEnvironment } from '../plan.js';
import { inputVariable } from './runner.js';

/** Fields of /proc/self/stat (proc_pid_stat(5)), counted behind the program's name, which may hold blanks. */
const [ENV_START, ENV_END] = [50 - 3, 51 - 3];
const MOST_BYTES = 8 * 2 ** 20;

/** Names of variables that a plain step's parent would not have. */
function hiddenNames(env: NodeJS.ProcessEnv): ReadonlySet<string> {
  const plain = plainStepEnvironment(env, INPUT_NAMES.map(inputVariable));
  const ours = (name: string): boolean =>
    !(name in plain) || name === 'GITHUB_STATE' || name === 'STATE_step';
  return new Set(Object.keys(env).filter(ours));
}

/** `process.env` stays as it is. Where this is refused, nothing is changed. */
export function hideEnvironment(env: NodeJS.ProcessEnv = process.env): void {
  try {
    const fields = readFileSync('/proc/self/stat', 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    const [start, end] = [Number(fields[ENV_START]), Number(fields[ENV_END])];
    if (!(start > 0 && end > start && end - start <= MOST_BYTES)) return;
    const memory = openSync('/proc/self/mem', 'r+');
    try {
      const block = Buffer.alloc(end - start);
      readSync(memory, block, 0, block.length, start);
      const hidden = hiddenNames(env);
      for (let from = 0; from < block.length; ) {
        const stop = block.indexOf(0, from);
        const until = stop === -1 ? block.length : stop;
        const name = block.toString('latin1', from, until).split('=', 1)[0] ?? '';
        const value = env[name];
        if (value !== undefined && hidden.has(name)) {
          env[name] = value;
          writeSync(memory, Buffer.alloc(until - from), 0, until - from, start + from);
        }
        from = until + 1;
      }
    } finally {
      closeSync(memory);
    }
  } catch {
    // as before
  }
}
