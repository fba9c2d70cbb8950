/** The parity check of a step: whether it is run, and in which interpreter. */
import { basename, isAbsolute, join } from 'node:path';
import type { Evidence } from '../evidence/collect.js';
import type { Receipt } from '../evidence/receipt.js';
import { INPUT_NAMES } from '../inputs.js';
import { plainStepEnvironment } from '../plan.js';
import { inputVariable } from '../runner/runner.js';
import type { Ended } from '../step/ended.js';
import type { Parity } from './check.js';
import { fixturePath, interpreterPath } from './paths.js';

/**
 * The check takes 4 s on two quiet cores, and holds up a step by no more than 30 s, the time to end it
 * included.
 */
const BUILT_IN_TIMEOUT_MS = 28_000;
/** A scenario of the user's own is as large as they made it. */
const OWN_TIMEOUT_MS = 180_000;

/** A receipt is untrusted: only what looks like a Python interpreter is taken from it to be run. */
const usedTorch = (receipt: Receipt): boolean =>
  receipt.torch !== null &&
  receipt.executable !== null &&
  isAbsolute(receipt.executable) &&
  /^(python|pypy)[\d.]*t?d?$/.test(basename(receipt.executable));

/**
 * Why there is no time for the check, or null. A step that came to its own end was not cancelled, whatever
 * became of main since.
 */
function cutShort({ result, hurried, cancel }: Pick<Ended, 'result' | 'hurried' | 'cancel'>): string | null {
  if (result?.cancelledBy != null) return 'the step was cancelled, so the check was not run';
  if (hurried) return 'main was ended before it had run the check';
  return cancel?.asked.aborted ? 'the job was cancelled before the check was run' : null;
}

/** The check, when it is asked for and there is something to check with. */
export async function parityOf(
  ended: Ended,
  evidence: Evidence,
  log: (line: string) => void,
): Promise<Parity> {
  const { options, workspace } = ended.plan;
  if (options.parity === 'off') return { state: 'off', reason: null, result: null };
  const cut = cutShort(ended);
  if (cut !== null) return { state: 'unverifiable', reason: cut, result: null, notRun: false };
  const python =
    interpreterPath(options.python, workspace) ?? evidence.receipts.find(usedTorch)?.executable ?? null;
  if (python === null) {
    return {
      state: 'unverifiable',
      reason: 'no process of the step used torch, so there is nothing to compare',
      result: null,
      notRun: false,
    };
  }
  log(`checking parity with ${python} …`);
  const { checkParity } = await import('./check.js');
  const fixture = fixturePath(options.fixture, workspace);
  return checkParity({
    python,
    parityDir: join(ended.actionDir, 'python', 'parity'),
    fixture,
    cwd: workspace,
    // The interpreter and its packages are the step's own: it gets no more than the step did.
    env: plainStepEnvironment(ended.env, INPUT_NAMES.map(inputVariable)),
    timeoutMs: fixture === null ? BUILT_IN_TIMEOUT_MS : OWN_TIMEOUT_MS,
    remember: ended.env['RUNNER_TEMP'] || null,
    ...(ended.cancel ? { signal: ended.cancel.asked } : {}),
  });
}
