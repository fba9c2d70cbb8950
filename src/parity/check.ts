/**
 * Runs the parity check (dist/parity) once after the step, in the interpreter that the step's torch processes used,
 * as processes of its own without the shim. What it says is untrusted input like any other: parsed, bounded, and a
 * case of its own when it cannot be had.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import * as v from 'valibot';
import { printable } from '../text.js';

const line = v.pipe(
  v.string(),
  v.transform((text) => printable(text, 500)),
);
const lines = v.pipe(
  v.array(line),
  v.transform((all) => all.slice(0, 50)),
);
/** `scenario, what: fixture 185, now 127`: a difference as the check lists it, or a line. */
const difference = v.union([
  line,
  v.pipe(
    v.object({ scenario: v.string(), what: v.string(), fixture: v.unknown(), now: v.unknown() }),
    v.transform((d) =>
      printable(`${d.scenario}, ${d.what}: fixture ${String(d.fixture)}, now ${String(d.now)}`, 500),
    ),
  ),
]);
const differences = v.pipe(
  v.array(difference),
  v.transform((all) => all.slice(0, 50)),
);
const amount = v.pipe(v.number(), v.finite(), v.minValue(0));

const ResultSchema = v.object({
  schema: v.literal('oom-autopsy.parity.v1'),
  verdict: v.picklist(['match', 'drift', 'unverifiable']),
  reason: v.optional(v.nullable(line), null),
  view: v.object({ status: line, differences: v.optional(differences, []) }),
  oracle: v.object({
    status: v.picklist(['same', 'changed', 'removed', 'not-comparable', 'crashed']),
    reason: v.optional(v.nullable(line), null),
    differences: v.optional(differences, []),
  }),
  migration: v.object({
    status: line,
    rows: v.pipe(
      v.array(v.object({ from: line, to: line, count: amount, bytes: amount })),
      v.transform((all) => all.slice(0, 100)),
    ),
    lines: v.optional(lines, []),
    differences: v.optional(differences, []),
  }),
  environment: v.optional(v.record(v.string(), v.unknown()), {}),
  fixture: v.optional(v.record(v.string(), v.unknown()), {}),
  trigger: v.optional(v.object({ status: line, new: v.optional(lines, []) })),
  seconds: v.optional(v.nullable(amount), null),
});

/** The check's own account, as it wrote it, cleaned and bounded. */
export type ParityResult = v.InferOutput<typeof ResultSchema>;

/** What is known about parity: off, checked, or not checkable with the reason. */
export type Parity =
  | { readonly state: 'off'; readonly reason: string | null; readonly result: null }
  | { readonly state: 'match' | 'drift'; readonly reason: string | null; readonly result: ParityResult }
  | { readonly state: 'unverifiable'; readonly reason: string; readonly result: ParityResult | null };

export interface ParityRequest {
  /** Interpreter as a path or a name; null when no process of the step used torch. */
  readonly python: string | null;
  /** Folder that holds `oom_autopsy_parity/`. */
  readonly parityDir: string;
  /** Absolute path of the fixture; null for the built-in one. */
  readonly fixture: string | null;
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  /** Ends the check at once. */
  readonly signal?: AbortSignal;
}

const MAX_OUTPUT_BYTES = 4 * 2 ** 20;

/** Reads the last line of the check's output. */
export function parseParityOutput(text: string): ParityResult | string {
  const last = text.trimEnd().split('\n').at(-1) ?? '';
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

/** Why nothing can be checked, or null. */
function obstacle(request: ParityRequest): string | null {
  if (request.python === null) return 'no process of the step used torch, so there is nothing to compare';
  if (isAbsolute(request.python) && !existsSync(request.python)) {
    return `the interpreter ${printable(request.python)} is gone; name one with the input \`python\``;
  }
  if (request.fixture !== null && !existsSync(request.fixture)) {
    return `there is no fixture at ${printable(request.fixture)}; check the input \`fixture\``;
  }
  return null;
}

/** Runs the check. Never throws; never outlives its time. */
export async function checkParity(request: ParityRequest): Promise<Parity> {
  const problem = obstacle(request);
  if (problem !== null || request.python === null) {
    return { state: 'unverifiable', reason: problem ?? '', result: null };
  }
  const args = ['-m', 'oom_autopsy_parity', 'check', '--json'];
  if (request.fixture !== null) args.push('--fixture', request.fixture);
  const env: NodeJS.ProcessEnv = {
    ...request.env,
    PYTHONPATH: request.parityDir,
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const ended = await capture(request.python, args, env, request.timeoutMs, request.signal);
  if (ended.kind !== 'ended') return { state: 'unverifiable', reason: ended.reason, result: null };
  if (ended.code !== 0) {
    const last = ended.stderr.trimEnd().split('\n').at(-1) ?? '';
    return {
      state: 'unverifiable',
      reason: `the check ended with exit code ${ended.code}: ${printable(last, 300)}`,
      result: null,
    };
  }
  const result = parseParityOutput(ended.stdout);
  if (typeof result === 'string') return { state: 'unverifiable', reason: result, result: null };
  return result.verdict === 'unverifiable'
    ? { state: 'unverifiable', reason: result.reason ?? `oracle: ${result.oracle.status}`, result }
    : { state: result.verdict, reason: result.reason, result };
}

type Ended =
  | { readonly kind: 'ended'; readonly code: number; readonly stdout: string; readonly stderr: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** Runs a helper process in a group of its own, output bounded, killed whole at its deadline. */
function capture(
  file: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        if (output[name].length < MAX_OUTPUT_BYTES) output[name] += text;
      });
    }
    const kill = (): void => {
      try {
        if (child.pid) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // Ended by itself at this very moment.
      }
    };
    const timer = setTimeout(() => {
      kill();
      resolve({
        kind: 'failed',
        reason: `the check took longer than ${Math.round(timeoutMs / 1000)} s and was ended`,
      });
    }, timeoutMs);
    const onAbort = (): void => {
      clearTimeout(timer);
      kill();
      resolve({ kind: 'failed', reason: 'the job was cancelled, so the check was ended' });
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    child.on('error', (error) => {
      clearTimeout(timer);
      resolve({
        kind: 'failed',
        reason: `the interpreter could not be started (${printable(error.message, 200)})`,
      });
    });
    child.on('close', (code, endedBy) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      kill();
      if (endedBy !== null) resolve({ kind: 'failed', reason: `the check was ended by ${endedBy}` });
      else resolve({ kind: 'ended', code: code ?? 1, ...output });
    });
  });
}

/** Path of the fixture that the input names, from the workspace. */
export const fixturePath = (fixture: string, workspace: string): string | null =>
  fixture === '' ? null : isAbsolute(fixture) ? fixture : join(workspace, fixture);
