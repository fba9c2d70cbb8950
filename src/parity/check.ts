/**
 * Runs the parity check (python/parity) once after the step, in the interpreter that the step's torch
 * processes used or the user named, as processes of its own without the shim. What it says is untrusted input
 * like any other: parsed, bounded, and a case of its own when it cannot be had.
 *
 * `@actions/exec` gives no pid and leaves the standard input open. So the check ends by itself when that does
 * (main is gone), and what has to be stopped is found by a mark in its environment.
 */
import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { exec } from '@actions/exec';
import * as v from 'valibot';
import { randomHex } from '../lib/random.js';
import { printable } from '../lib/text.js';
import { drain } from '../step/process.js';

const line = v.pipe(
  v.string(),
  v.transform((text) => printable(text, 500)),
);
const lines = v.pipe(
  v.array(line),
  v.transform((all) => all.slice(0, 50)),
);
const amount = v.pipe(v.number(), v.finite(), v.minValue(0));
const short = v.pipe(
  v.union([v.string(), v.number(), v.null()]),
  v.transform((value) => printable(String(value), 160)),
);
/** One place where the fixture and today differ, as the one line that is shown of it. */
const difference = v.pipe(
  v.object({ scenario: line, what: line, fixture: short, now: short }),
  v.transform(({ scenario, what, fixture, now }) => `${scenario}, ${what}: fixture ${fixture}, now ${now}`),
);
const differences = v.optional(
  v.pipe(
    v.array(difference),
    v.transform((all) => all.slice(0, 50)),
  ),
  [],
);
/** Facts by name; the check writes null where it found none. */
const facts = v.pipe(
  v.nullish(v.record(v.string(), v.unknown()), {}),
  v.transform((value) => value ?? {}),
);

const ResultSchema = v.object({
  schema: v.literal('oom-autopsy.parity.v1'),
  verdict: v.picklist(['match', 'drift', 'unverifiable']),
  /** What holds and what does not, in sentences. */
  says: v.optional(lines),
  view: v.object({ status: line, differences }),
  oracle: v.object({
    status: v.picklist(['same', 'changed', 'removed', 'not-comparable', 'crashed']),
    reason: v.optional(v.nullable(line), null),
    differences,
  }),
  migration: v.object({
    status: line,
    reason: v.nullish(line),
    rows: v.pipe(
      v.array(v.object({ from: line, to: line, count: amount, bytes: amount })),
      v.transform((all) => all.slice(0, 100)),
    ),
    lines: v.optional(lines, []),
    differences,
  }),
  environment: facts,
  fixture: facts,
  trigger: v.nullish(v.object({ status: line, new: v.optional(lines, []) })),
  seconds: v.optional(v.nullable(amount), null),
  /** An earlier step of the job had a match with the same of everything, so nothing was measured. */
  earlier: v.optional(v.boolean()),
});

/** The check's own account, as it wrote it, cleaned and bounded. */
export type ParityResult = v.InferOutput<typeof ResultSchema>;

/** What is known about parity: off, checked, or not checkable with the reason. */
export type Parity =
  | { readonly state: 'off'; readonly reason: null; readonly result: null }
  | { readonly state: 'match' | 'drift'; readonly reason: string | null; readonly result: ParityResult }
  | {
      readonly state: 'unverifiable';
      readonly reason: string;
      readonly result: ParityResult | null;
      /**
       * The check was asked for and nothing could be measured: an interpreter, fixture or scenario that is at
       * fault.
       */
      readonly notRun: boolean;
    };

export interface ParityRequest {
  /** Interpreter as a path or a name on PATH. */
  readonly python: string;
  /** Folder that holds `oom_autopsy_parity/`. */
  readonly parityDir: string;
  /** Absolute path of the fixture; null for the built-in one. */
  readonly fixture: string | null;
  /** Where it runs: a scenario of the user's finds its data as it did when it was frozen. */
  readonly cwd: string;
  /**
   * Of the step. PYTHONPATH stays the user's own: their torch, or what their scenario imports, may be on it.
   */
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  /** Folder of this job's, in which a match is remembered for its later steps; null to remember none. */
  readonly remember: string | null;
  /** Ends the check at once. */
  readonly signal?: AbortSignal;
}

const MAX_OUTPUT_BYTES = 4 * 2 ** 20;
/** How long a pipe may stay open after the process that had it. */
const LEFT_OPEN_MS = 1000;
/** Of the check: its input cannot be used, and its last line says why and what to do. */
const REFUSED = 2;
const OWN_PREFIX = /^oom_autopsy_parity: /;

/** Reads the last line of the check's output. A string says what is wrong with it. */
export function parseParityOutput(text: string): ParityResult | string {
  const last = lastLine(text);
  let value: unknown;
  try {
    value = JSON.parse(last);
  } catch {
    return `the check printed no JSON (${last === '' ? 'nothing at all' : printable(last, 120)})`;
  }
  const parsed = v.safeParse(ResultSchema, value);
  return parsed.success
    ? parsed.output
    : `the check's result has a wrong value at ${v.getDotPath(parsed.issues[0]) ?? 'its top'}`;
}

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1) ?? '';

const notRun = (reason: string): Parity => ({ state: 'unverifiable', reason, result: null, notRun: true });

/** What a result means. */
export function judgeParity(result: ParityResult): Parity {
  const { verdict } = result;
  const said = (result.says ?? []).join(' ');
  if (verdict === 'match') return { state: verdict, reason: null, result };
  if (verdict === 'drift') return { state: verdict, reason: said || null, result };
  return {
    state: verdict,
    reason: said || `rebuilt view: ${result.view.status}, oracle: ${result.oracle.status}`,
    result,
    // What was measured at all was measured in an environment.
    notRun: Object.keys(result.environment).length === 0,
  };
}

/** Why nothing can be checked, or null. */
function obstacle({ python, fixture }: ParityRequest): string | null {
  if (isAbsolute(python) && !existsSync(python)) {
    return `there is no interpreter ${printable(python)}; name one that has torch with the input \`python\``;
  }
  if (fixture !== null && !existsSync(fixture)) {
    return `there is no fixture at ${printable(fixture)}; check the input \`fixture\``;
  }
  return null;
}

/** Runs the check. Never throws; never outlives its time. */
export async function checkParity(request: ParityRequest): Promise<Parity> {
  const problem = obstacle(request);
  if (problem !== null) return notRun(problem);
  const ended = await run(request, argumentsOf(request));
  if (ended.kind === 'cancelled') {
    return {
      state: 'unverifiable',
      reason: 'the job was cancelled, so the check was ended',
      result: null,
      notRun: false,
    };
  }
  if (ended.kind === 'failed') return notRun(ended.reason);
  if (ended.code !== 0) {
    const last = printable(lastLine(ended.stderr), 500);
    return notRun(
      ended.code === REFUSED && OWN_PREFIX.test(last)
        ? last.replace(OWN_PREFIX, '')
        : `the check ended with exit code ${ended.code}: ${last}`,
    );
  }
  const result = parseParityOutput(ended.stdout);
  return typeof result === 'string' ? notRun(result) : judgeParity(result);
}

function argumentsOf({ parityDir, fixture, remember, timeoutMs }: ParityRequest): string[] {
  return [
    // By its path, not by -m, which would put the current folder first and let a json.py of the user's in.
    join(parityDir, 'oom_autopsy_parity'),
    'check',
    '--json',
    // In case we are killed before we can stop it.
    ...['--worker', String(timeoutMs / 1000 + 2)],
    ...(remember === null ? [] : ['--remember', remember]),
    ...(fixture === null ? [] : ['--fixture', fixture]),
  ];
}

type Ended =
  | { readonly kind: 'ended'; readonly code: number; readonly stdout: string; readonly stderr: string }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'cancelled' };

/** What a process printed, up to a limit. */
class Output {
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  /** Whether there was room for all of it. */
  take(chunk: Buffer): boolean {
    this.#bytes += chunk.length;
    if (this.#bytes <= MAX_OUTPUT_BYTES) this.#chunks.push(chunk);
    return this.#bytes <= MAX_OUTPUT_BYTES;
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}

/** Runs the interpreter with its output bounded; killed, with all that it started, at its deadline. */
async function run(request: ParityRequest, args: readonly string[]): Promise<Ended> {
  const { python, cwd, timeoutMs, signal, fixture } = request;
  const mark = { name: 'OOM_AUTOPSY_PARITY_CHECK', value: randomHex(8) };
  const [stdout, stderr] = [new Output(), new Output()];
  const stopping = Promise.withResolvers<Ended>();
  const stop = (reason: string): void => stopping.resolve({ kind: 'failed', reason });
  const listen = (output: Output) => (chunk: Buffer) => {
    if (!output.take(chunk))
      stop(`the check printed more than ${MAX_OUTPUT_BYTES / 2 ** 20} MiB and was ended`);
  };
  const timer = setTimeout(
    () => stop(`the check took longer than ${Math.round(timeoutMs / 1000)} s and was ended`),
    timeoutMs,
  );
  const cancel = (): void => stopping.resolve({ kind: 'cancelled' });
  signal?.addEventListener('abort', cancel, { once: true });
  if (signal?.aborted) cancel();

  const environment = { ...request.env, PYTHONDONTWRITEBYTECODE: '1', [mark.name]: mark.value };
  const ran = exec(`"${python.replaceAll('"', '\\"')}"`, [...args], {
    ...(existsSync(cwd) ? { cwd } : {}),
    env: Object.fromEntries(Object.entries(environment).filter((entry) => entry[1] !== undefined)) as Record<
      string,
      string
    >,
    silent: true,
    ignoreReturnCode: true,
    delay: LEFT_OPEN_MS,
    listeners: { stdout: listen(stdout), stderr: listen(stderr) },
  }).then(
    // exec gives null where a signal ended the process.
    (code: number | null): Ended =>
      code === null
        ? { kind: 'failed', reason: 'the check was ended by a signal' }
        : { kind: 'ended', code, stdout: stdout.text(), stderr: stderr.text() },
    (error: Error): Ended => ({ kind: 'failed', reason: startProblem(python, error) }),
  );
  const stopped = stopping.promise.then((ended) => ({ ended, whole: false }));
  const { ended, whole } = await Promise.race([ran.then((one) => ({ ended: one, whole: true })), stopped]);
  clearTimeout(timer);
  signal?.removeEventListener('abort', cancel);
  // A scenario of the user's may have started what outlives it.
  if (!whole || fixture !== null) {
    await drain({ leader: null, variable: `${mark.name}=${mark.value}` }, { term: null, kill: Date.now() });
  }
  return ended;
}

function startProblem(python: string, error: Error): string {
  const name = printable(python);
  return error.message.startsWith('Unable to locate executable') && !isAbsolute(python)
    ? `there is no interpreter "${name}" on PATH; name one that has torch with the input \`python\``
    : `the interpreter ${name} could not be started (${printable(error.message.replace(/^.*Error: /, ''), 200)})`;
}
