/**
 * Runs the parts of the check, each within its own time and all within one, and gathers what they found. A
 * part that fails, throws or hangs is one line of the results and hides no other.
 */
import { setTimeout as delay } from 'node:timers/promises';

/** Seconds for all parts; on a slower machine `--seconds` stretches the limit of each part too. */
export const WHOLE_S = 300;
const PART_S = 45;
/** Seconds that a part gets, once its time is up, to end its processes and to say so. */
const LAST_WORDS_S = 15;
/** Characters of a failed part's log that go into the results. */
const MAX_LOG = 6000;

/** A part that says nothing here, with the reason: no second device, no compiler. */
export class Skip extends Error {}

/**
 * @typedef {object} Part
 * @property {string} name
 * @property {string} what one line: what must hold
 * @property {'check' | 'measure' | 'report'} kind `measure` prints numbers and asserts none; `report` cannot
 *   fail
 * @property {boolean} [alone] it needs the device, or the machine, to itself
 * @property {number} [seconds] its time limit, where all have WHOLE_S
 * @property {(found: Findings, signal: AbortSignal) => Promise<void>} run
 */

/** What a part found: numbers and words to print, and what was wrong. */
export class Findings {
  constructor() {
    /** @type {Record<string, unknown>} */
    this.seen = {};
    /** @type {string[]} */
    this.wrong = [];
    this.log = '';
    this.line = '';
  }

  /** Keeps facts for the JSON. @param {Record<string, unknown>} facts */
  see(facts) {
    Object.assign(this.seen, facts);
  }

  /** One line for the table. @param {string} line */
  say(line) {
    this.line = line;
  }

  /**
   * Notes a difference between what was seen and what was wanted.
   * @param {string} what
   * @param {unknown} seen
   * @param {unknown} wanted
   */
  same(what, seen, wanted) {
    const [left, right] = [seen, wanted].map((value) => JSON.stringify(value) ?? 'nothing');
    if (left !== right) this.wrong.push(`${what}: ${left}, expected ${right}`);
  }

  /** Notes what does not hold. @param {string} what @param {unknown} holds @param {unknown} [detail] */
  holds(what, holds, detail) {
    if (!holds) this.wrong.push(detail === undefined ? what : `${what}: ${JSON.stringify(detail)}`);
  }
}

/**
 * @typedef {object} Result
 * @property {string} name @property {string} what @property {Part['kind']} kind
 * @property {'passed' | 'failed' | 'skipped' | 'noted'} status
 * @property {number} seconds
 * @property {string} line
 * @property {Record<string, unknown>} seen
 * @property {string[]} wrong
 * @property {string} [log] the end of what a failed part printed
 */

/** @param {Part} part @param {Findings} found @returns {Result['status']} */
function judge(part, found) {
  if (part.kind === 'report') return 'noted';
  return found.wrong.length > 0 ? 'failed' : 'passed';
}

/**
 * Runs one part to its end.
 * @param {Part} part
 * @param {{limit: number, lastWords: number}} seconds
 * @param {AbortSignal} overall
 * @returns {Promise<Result>}
 */
async function runPart(part, { limit, lastWords }, overall) {
  const started = performance.now();
  const found = new Findings();
  const signal = AbortSignal.any([overall, AbortSignal.timeout(limit * 1000)]);
  const late = overall.aborted ? 'not started: no time was left' : null;
  /** @type {Result['status'] | null} */
  let status = null;
  if (late !== null) found.wrong.push(late);
  else {
    const over = new AbortController();
    const giveUp = new Promise((_, reject) => {
      signal.addEventListener('abort', async () => {
        await delay(lastWords * 1000, undefined, { signal: over.signal }).catch(() => {});
        reject(new Error('it did not end with its processes'));
      });
    });
    try {
      await Promise.race([part.run(found, signal), giveUp]);
    } catch (error) {
      if (error instanceof Skip) {
        status = 'skipped';
        found.line = error.message;
      } else found.wrong.push(error instanceof Error ? error.message : String(error));
    }
    over.abort();
    giveUp.catch(() => {});
    if (signal.aborted) {
      status = null;
      found.wrong.unshift(
        overall.aborted
          ? 'stopped: the time of the whole check was up'
          : `stopped after ${Math.round(limit)} s`,
      );
    }
  }
  status ??= judge(part, found);
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  const { name, what, kind } = part;
  const { line, seen, wrong } = found;
  return {
    ...{ name, what, kind, status, seconds, line, seen, wrong },
    ...(wrong.length > 0 && found.log !== '' ? { log: found.log.slice(-MAX_LOG) } : {}),
  };
}

/**
 * Runs all parts: those that can share the device side by side, then the others one after the other.
 * @param {readonly Part[]} parts
 * @param {{seconds: number, jobs: number, lastWords?: number, onResult: (result: Result) => void}} options
 * @returns {Promise<Result[]>} in the order of the parts
 */
export async function runParts(parts, { seconds, jobs, lastWords = LAST_WORDS_S, onResult }) {
  const overall = AbortSignal.timeout(seconds * 1000);
  /** @type {Map<Part, Result>} */
  const results = new Map();
  const work = async (/** @type {Part[]} */ queue) => {
    for (let part = queue.shift(); part !== undefined; part = queue.shift()) {
      const limit = ((part.seconds ?? PART_S) * seconds) / WHOLE_S;
      const result = await runPart(part, { limit, lastWords }, overall);
      results.set(part, result);
      onResult(result);
    }
  };
  const shared = parts.filter((part) => !part.alone);
  await Promise.all(Array.from({ length: jobs }, () => work(shared)));
  await work(parts.filter((part) => part.alone));
  return parts.map((part) => /** @type {Result} */ (results.get(part)));
}

/** How many of each. @param {readonly Result[]} results */
export const count = (results) => ({
  passed: results.filter(({ status }) => status === 'passed').length,
  failed: results.filter(({ status }) => status === 'failed').length,
  skipped: results.filter(({ status }) => status === 'skipped').length,
});
