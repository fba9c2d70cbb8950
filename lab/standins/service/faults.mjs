// Faults that the artifact service stand-in can be told to show: which call, what happens, when and how
// often. Pure: parsing, validation and counting only; service.mjs acts on the answer.

/** The Twirp calls of github.actions.results.api.v1.ArtifactService. */
export const RPC_CALLS = Object.freeze([
  'CreateArtifact',
  'FinalizeArtifact',
  'ListArtifacts',
  'GetSignedArtifactURL',
  'DeleteArtifact',
]);
/** The block-blob calls. GET and HEAD are the download. */
export const BLOB_CALLS = Object.freeze(['PutBlock', 'PutBlockList', 'PutBlob', 'GET', 'HEAD']);
const CALLS = [...RPC_CALLS, ...BLOB_CALLS];

const KINDS = ['status', 'reset', 'hang', 'okfalse', 'cut', 'slow', 'quota'];

/**
 * One fault, in full.
 * @typedef {object} Fault
 * @property {'status'|'reset'|'hang'|'okfalse'|'cut'|'slow'|'quota'} kind status: answer with an HTTP error
 *   status. reset: the socket is destroyed. hang: no answer until close(). okfalse: HTTP 200 with `ok: false`
 *   (calls of the service only). cut: the connection is destroyed after `bytes` bytes of the body, of the
 *   request for a PUT and of the answer for everything else. slow: the same body at `rate` bytes/s. quota:
 *   what GitHub answers when the storage quota is used up.
 * @property {number} [status] HTTP status of `status` (400 to 599) and `quota` (403 unless given)
 * @property {number} [retryAfter] seconds, sent as Retry-After with `status`
 * @property {number} [bytes] for `cut`
 * @property {number} [rate] bytes per second, for `slow`
 * @property {number} [after] how many calls pass untouched first (0)
 * @property {number} [times] how many calls are hit (every one)
 */

/** @typedef {number | string | Fault | Array<number | string | Fault>} FaultSpec */

/**
 * Reads one fault: a status number, a Fault, or a word `KIND[:ARG][@AFTER][xTIMES]`: `503x2`, `429:7`
 * (Retry-After: 7), `reset@1`, `cut:4096x1`, `slow:65536`, `quota`, `quota:400`, `okfalse`, `hang`.
 * @param {string} call
 * @param {number | string | Fault} spec
 * @returns {Required<Pick<Fault, 'kind'|'after'|'times'>> & Fault}
 */
export function parseFault(call, spec) {
  const fault = typeof spec === 'object' && spec !== null ? { ...spec } : parseWord(call, String(spec));
  const bad = (/** @type {string} */ why) => new TypeError(`fault of ${call}: ${why}`);
  if (!KINDS.includes(fault.kind)) throw bad(`kind ${fault.kind}; accepted are ${KINDS.join(', ')}`);
  if (fault.kind === 'quota') fault.status ??= 403;
  if (fault.kind === 'status' || fault.kind === 'quota') {
    if (!Number.isInteger(fault.status) || Number(fault.status) < 400 || Number(fault.status) > 599)
      throw bad(`status ${fault.status}; accepted are 400 to 599`);
  }
  if (fault.kind === 'cut' && !(Number(fault.bytes) >= 0))
    throw bad('cut needs a number of bytes, as cut:4096');
  if (fault.kind === 'slow' && !(Number(fault.rate) > 0))
    throw bad('slow needs bytes per second, as slow:65536');
  if (fault.kind === 'okfalse' && call !== '*' && !RPC_CALLS.includes(call))
    throw bad(`okfalse is an answer of ${RPC_CALLS.join(', ')} only`);
  return { after: 0, times: Number.POSITIVE_INFINITY, ...fault };
}

/** @param {string} call @param {string} word @returns {Fault} */
function parseWord(call, word) {
  const m = /^(\d{3}|[a-z]+)(?::(\d+))?(?:@(\d+))?(?:x(\d+))?$/.exec(word);
  if (!m)
    throw new TypeError(`fault of ${call}: cannot read "${word}"; the form is KIND[:ARG][@AFTER][xTIMES]`);
  const [, what = '', arg, after, times] = m;
  /** @type {any} */
  const fault = /^\d/.test(what) ? { kind: 'status', status: Number(what) } : { kind: what };
  if (arg !== undefined) {
    const key = { status: 'retryAfter', cut: 'bytes', slow: 'rate', quota: 'status' }[
      /** @type {string} */ (fault.kind)
    ];
    if (!key) throw new TypeError(`fault of ${call}: ${fault.kind} takes no argument`);
    fault[key] = Number(arg);
  }
  if (after !== undefined) fault.after = Number(after);
  if (times !== undefined) fault.times = Number(times);
  return fault;
}

/**
 * Reads the command line's form: `CALL=WORD`, several with commas or several times.
 * @param {string[]} args
 * @returns {Record<string, string[]>}
 */
export function parseFaultArgs(args) {
  /** @type {Record<string, string[]>} */
  const out = {};
  for (const part of args.flatMap((a) => a.split(',')).filter(Boolean)) {
    const eq = part.indexOf('=');
    if (eq < 1)
      throw new TypeError(`cannot read fault "${part}"; the form is CALL=KIND[:ARG][@AFTER][xTIMES]`);
    const call = part.slice(0, eq);
    out[call] ??= [];
    out[call].push(part.slice(eq + 1));
  }
  return out;
}

/**
 * Counts calls and says which fault, if any, hits the next one.
 * @param {Record<string, FaultSpec>} [faults] by call name, or `*` for every call
 * @returns {(call: string) => Fault | undefined} to be asked once per call
 */
export function faultPlan(faults = {}) {
  const plan = new Map();
  for (const [call, spec] of Object.entries(faults)) {
    if (call !== '*' && !CALLS.includes(call))
      throw new TypeError(`fault of ${call}: no such call; accepted are ${CALLS.join(', ')} and *`);
    plan.set(
      call,
      [spec].flat().map((s) => ({ fault: parseFault(call, s), seen: 0, used: 0 })),
    );
  }
  return (call) => {
    /** @type {Fault | undefined} */
    let hit;
    for (const entry of [...(plan.get(call) ?? []), ...(plan.get('*') ?? [])]) {
      const due = entry.seen++ >= entry.fault.after && entry.used < entry.fault.times;
      if (!due || hit) continue;
      if (entry.fault.kind === 'okfalse' && !RPC_CALLS.includes(call)) continue;
      entry.used++;
      hit = entry.fault;
    }
    return hit;
  };
}
