/**
 * The runner's side of the conversation: inputs, outputs, state, annotations and the summary file.
 *
 * Annotations are `@actions/core`'s, by its public entry, which is loaded only when one is said: it brings
 * the OIDC client and undici, and with them a green run cost 2.8 times the CPU of an empty script (0.07 s
 * against 0.025 s on Node 24). State, outputs and summary are written here for the same reason; core's own
 * writer loads node:crypto (9 ms) for a delimiter, ours is one that the value does not hold.
 */
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';
import { type MakeRoom, withRoomSync } from '../lib/files.js';
import { randomHex } from '../lib/random.js';
import { logLine, printable } from '../lib/text.js';

/** Where an annotation points: a file of the workspace and a line, when known. */
export interface AnnotationPlace {
  readonly title?: string;
  readonly file?: string;
  readonly startLine?: number;
}

/**
 * What the action asks of the runner. Injected, so that the order of the steps can be tested without a
 * runner.
 */
export interface Runner {
  input(name: string): string;
  state(name: string): string;
  saveState(name: string, value: string): void;
  /** All or none of them, with one write. */
  setOutputs(outputs: Readonly<Record<string, string>>): void;
  info(line: string): void;
  annotate(level: 'error' | 'warning' | 'notice', message: string, place?: AnnotationPlace): Promise<void>;
  /**
   * Puts Markdown into the job summary, before all that the program wrote there, and after what this process has put
   * there already, or in place of it. A missing summary file is logged, never fatal.
   * @param instead what was put there earlier
   */
  summary(markdown: string, instead?: string): void;
  /** Bytes that the job summary of this step has room for: what the program wrote to it counts too. */
  summaryRoom(instead?: string): number;
}

/** Over it the runner drops the whole file, the program's own part too. */
const SUMMARY_LIMIT = 1024 * 1024;
/** Cutting to exactly the limit still failed for some (GH maester365/maester/issues/905). */
const SUMMARY_MARGIN = 4096;

/**
 * Input as the runner passes it: upper case, spaces as underscores, hyphens kept. Surrounding blanks stay.
 */
export const inputVariable = (name: string): string => `INPUT_${name.replace(/ /g, '_').toUpperCase()}`;

/** Values in the form of the runner's files: each as a name, a delimiter, the value, the delimiter again. */
export function keyValueMessage(values: Readonly<Record<string, string>>): string {
  const all = Object.values(values);
  let delimiter: string;
  do delimiter = `ghadelimiter_${randomHex(16)}`;
  while (all.some((value) => value.includes(delimiter)));
  return Object.entries(values)
    .map(([name, value]) => `${name}<<${delimiter}\n${value}\n${delimiter}\n`)
    .join('');
}

/**
 * Size of a file in bytes; 0 when there is none: the program may have removed it, and writing makes it anew.
 */
function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}

/**
 * Opens a file of the runner's, in whose place the program may have put anything: an open of a FIFO would wait for
 * good, and a link could lead to another file.
 */
export function openFile(path: string): number {
  const { O_RDWR, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;
  const file = openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0o666);
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw Object.assign(new Error(`${path} is not a regular file`), { code: 'not a regular file' });
}

/** Fills `buffer` from the position on; fewer bytes only at the end of the file. */
function readAt(file: number, buffer: Buffer, position: number): Buffer {
  let done = 0;
  for (let read = 1; read > 0 && done < buffer.length; done += read)
    read = readSync(file, buffer, done, buffer.length - done, position + done);
  return buffer.subarray(0, done);
}

function writeAt(file: number, bytes: Buffer, position: number): void {
  for (let done = 0; done < bytes.length; )
    done += writeSync(file, bytes, done, bytes.length - done, position + done);
}

/**
 * Puts text into a file, all or nothing: `put` says what stands in it from `from` on. Half of a value, which a full
 * disk leaves, makes the runner fail the step: it finds no end of it ("Matching delimiter not found").
 * @param most bytes at the file's end that `put` is asked about
 */
function change(path: string, most: number, put: (end: Buffer) => string | Buffer): void {
  const file = openFile(path);
  try {
    const { size } = fstatSync(file);
    const from = Math.max(0, size - most);
    const end = readAt(file, Buffer.alloc(size - from), from);
    try {
      writeAt(file, Buffer.from(put(end)), from);
    } catch (error) {
      writeAt(file, end, from);
      ftruncateSync(file, size);
      throw error;
    }
  } finally {
    closeSync(file);
  }
}

/** Adds values on a line of their own: behind an unfinished line of the program they would be no values. */
const appendLine = (path: string, text: string): void =>
  change(path, 1, (last) =>
    Buffer.concat([last, Buffer.from(/^(\n|)$/.test(last.toString('latin1')) ? text : `\n${text}`)]),
  );

/** A runner that is driven by environment variables and commands on stdout, as GitHub's and act's are. */
export function environmentRunner(env: NodeJS.ProcessEnv): Runner {
  const keyValue = (file: 'OUTPUT' | 'STATE', values: Readonly<Record<string, string>>): void => {
    const path = env[`GITHUB_${file}`];
    if (!path) throw new Error(`GITHUB_${file} is not set`);
    appendLine(path, keyValueMessage(values));
  };
  /** What this process has put into the summary, and how that stands there. */
  let [parts, ours]: [readonly string[], string] = [[], ''];
  const info = (line: string): void => {
    process.stdout.write(`${line}\n`);
  };
  return {
    input: (name) => env[inputVariable(name)] ?? '',
    state: (name) => env[`STATE_${name}`] ?? '',
    saveState: (name, value) => keyValue('STATE', { [name]: value }),
    setOutputs: (outputs) => keyValue('OUTPUT', outputs),
    info,
    annotate: async (level, message, place = {}) => {
      const core = await import('@actions/core');
      core[level](message, place);
    },
    summary: (markdown, instead) => {
      const file = env.GITHUB_STEP_SUMMARY;
      if (!file) {
        info('oom-autopsy: GITHUB_STEP_SUMMARY is not set, so the summary follows here.');
        for (const line of markdown.trimEnd().split('\n'))
          info(line === '' ? '' : `| ${printable(line, line.length)}`);
        return;
      }
      const said = parts.filter((part) => part !== instead?.trimEnd());
      parts = [...said, markdown.trimEnd()];
      const [before, now] = [ours, `${parts.join('\n\n')}\n`];
      // Before the program's: an open comment, fence or element in it would take ours in.
      change(file, SUMMARY_LIMIT, (all) => {
        const known = before !== '' && all.indexOf(before) === 0;
        const theirs = known ? all.subarray(Buffer.byteLength(before)) : all;
        const apart = theirs.length === 0 || theirs[0] === 10 ? '' : '\n';
        return Buffer.concat([Buffer.from(now + apart), theirs]);
      });
      ours = now;
    },
    summaryRoom: (instead = '') => {
      const file = env.GITHUB_STEP_SUMMARY;
      const used = file ? sizeOf(file) - Buffer.byteLength(instead) : 0;
      return Math.max(0, SUMMARY_LIMIT - SUMMARY_MARGIN - used);
    },
  };
}

/**
 * The same for a person at a terminal: stdout is the program's alone, and a workflow command means nothing there. What is
 * an annotation on the runner is in the summary too, but for what is said before the program runs.
 */
export function terminalRunner(env: NodeJS.ProcessEnv): Runner {
  const info = (line: string): void => void process.stderr.write(`${line}\n`);
  return {
    ...environmentRunner(env),
    info,
    annotate: async (_, message, { title } = {}) => {
      if (title?.startsWith('oom-autopsy')) info(logLine(message.split('\n', 1)[0] ?? ''));
    },
  };
}

/**
 * The same runner, but what cannot be handed over is a line in the log: its files lie under RUNNER_TEMP, and
 * a full disk there must not turn a step red, or keep one from starting.
 * @param makeRoom what to do on a full disk before it is tried once more
 */
export function forgiving(runner: Runner, makeRoom?: MakeRoom): Runner {
  const told = new Set<string>();
  const attempt = (what: string, act: () => void): void => {
    try {
      withRoomSync(act, makeRoom);
    } catch (error) {
      const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
      if (told.has(what)) return;
      told.add(what);
      runner.info(logLine(`the runner could not be given ${what} (${reason})`));
    }
  };
  return {
    ...runner,
    saveState: (name, value) => attempt('the state', () => runner.saveState(name, value)),
    setOutputs: (outputs) => attempt('the outputs', () => runner.setOutputs(outputs)),
    annotate: (level, message, place) =>
      runner.annotate(level, message, place).catch((error: NodeJS.ErrnoException) =>
        attempt('an annotation', () => {
          throw error;
        }),
      ),
    summary: (markdown, instead) => attempt('the summary', () => runner.summary(markdown, instead)),
    summaryRoom: (instead) => {
      let room = SUMMARY_LIMIT - SUMMARY_MARGIN;
      attempt('the summary', () => {
        room = runner.summaryRoom(instead);
      });
      return room;
    },
  };
}

/** A runner that went away closes our output; writing there must not end us, since the step still runs. */
export function outliveOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}
