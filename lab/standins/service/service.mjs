// An artifact service on loopback that the real @actions/artifact client (6.2) talks to: Twirp JSON
// github.actions.results.api.v1.ArtifactService, and the block-blob calls of its signed URLs. For tests and
// the demo; shows faults when told to. Any number may run at once; each ends by itself after maxSeconds.
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { appendFileSync, createReadStream, mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { blobStore, CutError, cutAfter, throttle } from './blobs.mjs';
import { faultPlan, RPC_CALLS } from './faults.mjs';
import * as rules from './rules.mjs';

const SERVICE = '/twirp/github.actions.results.api.v1.ArtifactService/';
const MAX_RPC_BYTES = 1 << 20;

/**
 * @typedef {object} Artifact
 * @property {number} id
 * @property {string} name
 * @property {'pending'|'finalized'|'deleted'} state pending: created, not finalized (or refused there)
 * @property {string} run backend id of the workflow run
 * @property {string} job backend id of the job
 * @property {number} version
 * @property {string} mime
 * @property {string} created ISO time
 * @property {string | null} expires ISO time, null where the repository's retention holds
 * @property {number | null} size bytes, once finalized
 * @property {string | null} digest `sha256:<64 hex>` of what was uploaded, once finalized
 * @property {string | null} path of the blob on disk, once uploaded
 * @property {string | null} refused why it was not finalized
 */

/**
 * @typedef {object} Call
 * @property {number} n from 1
 * @property {string} call CreateArtifact, …, PutBlock, PutBlockList, PutBlob, GET, HEAD
 * @property {number | null} status what was answered; null where the connection was ended or left hanging
 * @property {string | null} fault the kind of fault shown, if any
 * @property {string | null} error why the service refused
 * @property {number | null} artifact id
 * @property {string | null} name of the artifact
 * @property {number} bytes of the request's body that were kept
 */

/**
 * @typedef {object} Service
 * @property {string} url
 * @property {string} token
 * @property {{ACTIONS_RESULTS_URL: string, ACTIONS_RUNTIME_TOKEN: string}} env
 * @property {string} dir
 * @property {(job?: string) => string} tokenFor a token of another job of the same run
 * @property {() => Artifact[]} artifacts
 * @property {() => Call[]} calls
 * @property {(name: string) => string} download path of the newest finalized blob of that name
 * @property {(faults: Record<string, import('./faults.mjs').FaultSpec>) => void} setFaults replaces all
 *   faults
 * @property {() => Promise<void>} close ends every connection
 * @property {Promise<void>} closed
 */

/**
 * @param {object} options
 * @param {string} options.dir folder for blobs, `calls.jsonl` and `artifacts.jsonl`; made when absent
 * @param {Record<string, import('./faults.mjs').FaultSpec>} [options.faults]
 * @param {number} [options.port] 0 picks one
 * @param {number} [options.maxSeconds] ends by itself after that (1800)
 * @param {string} [options.run] backend id of the workflow run
 * @param {string} [options.job] backend id of the job
 * @returns {Promise<Service>}
 */
export async function startService({ dir: folder, faults, port = 0, maxSeconds = 1800, run, job }) {
  const dir = resolve(folder);
  mkdirSync(dir, { recursive: true });
  const secret = randomBytes(32).toString('hex');
  const runId = run ?? randomUUID();
  const jobId = job ?? randomUUID();
  const store = blobStore(join(dir, 'blobs'));
  /** @type {(Artifact & {key: string})[]} */
  const artifacts = [];
  /** @type {Call[]} */
  const calls = [];
  let nextFault = faultPlan(faults);
  let base = '';

  // ---- signed URLs: which blob, what may be done with it, until when
  const signature = (/** @type {string} */ key, /** @type {string} */ sp, /** @type {string} */ se) =>
    createHmac('sha256', secret).update(`${key}\n${sp}\n${se}`).digest();
  const signedUrl = (/** @type {string} */ key, /** @type {string} */ sp) => {
    const se = new Date(Date.now() + 3600e3).toISOString();
    const query = new URLSearchParams({
      sv: '2025-01-05',
      sp,
      se,
      sig: signature(key, sp, se).toString('base64'),
    });
    return `${base}/blobs/${key}?${query}`;
  };
  const mayUse = (/** @type {URL} */ url, /** @type {string} */ key, /** @type {string} */ need) => {
    const [sp, se, sig] = ['sp', 'se', 'sig'].map((n) => url.searchParams.get(n) ?? '');
    const right = rules.same(Buffer.from(sig ?? '', 'base64'), signature(key, sp ?? '', se ?? ''));
    return right && Date.parse(se ?? '') > Date.now() && (sp ?? '').includes(need);
  };

  // ---- the five calls of the service
  /** @param {Artifact & {key: string}} artifact @returns {Artifact} */
  const publicView = ({ key: _key, ...artifact }) => artifact;
  const note = (/** @type {Artifact & {key: string}} */ a) =>
    appendFileSync(join(dir, 'artifacts.jsonl'), `${JSON.stringify(publicView(a))}\n`);
  const live = (/** @type {string} */ inRun, /** @type {unknown} */ name) =>
    artifacts.findLast((a) => a.run === inRun && a.name === name && a.state !== 'deleted');
  const finalized = (/** @type {string} */ inRun, /** @type {unknown} */ name) => {
    const found = live(inRun, name);
    if (found?.state !== 'finalized') throw new rules.Refusal('not_found', 'artifact not found');
    return found;
  };

  /** @type {Record<string, (request: Record<string, any>, call: Call) => object>} */
  const rpc = {
    CreateArtifact(request) {
      const name = rules.checkName(request.name);
      const mime = rules.checkType(request);
      const expires = rules.checkExpiry(request.expires_at, Date.now());
      const inRun = request.workflow_run_backend_id;
      if (live(inRun, name)) throw new rules.Refusal('already_exists', rules.DUPLICATE_MSG);
      const id = 1000 + artifacts.length;
      const artifact = {
        ...{
          id,
          name,
          state: /** @type {const} */ ('pending'),
          run: inRun,
          job: request.workflow_job_run_backend_id,
        },
        ...{ version: request.version, mime, created: new Date().toISOString(), expires },
        ...{ size: null, digest: null, path: null, refused: null },
        key: `${id}-${randomBytes(8).toString('hex')}`,
      };
      artifacts.push(artifact);
      return { ok: true, signed_upload_url: signedUrl(artifact.key, 'cw') };
    },
    FinalizeArtifact(request) {
      const artifact = live(request.workflow_run_backend_id, request.name);
      if (artifact?.state !== 'pending' || artifact.job !== request.workflow_job_run_backend_id)
        throw new rules.Refusal('not_found', 'no artifact of this job waits to be finalized under that name');
      const blob = store.get(artifact.key);
      const refuse = (/** @type {string} */ code, /** @type {string} */ why) => {
        artifact.refused = why;
        return new rules.Refusal(code, why);
      };
      if (!blob) throw refuse('failed_precondition', 'nothing was uploaded');
      const size = Number(request.size ?? 0);
      if (size !== blob.bytes)
        throw refuse('invalid_argument', `size ${size}, but ${blob.bytes} bytes were uploaded`);
      if (request.hash !== undefined && request.hash !== `sha256:${blob.sha256}`)
        throw refuse('invalid_argument', `hash ${request.hash}, but the upload has sha256:${blob.sha256}`);
      Object.assign(artifact, { state: 'finalized', size, digest: `sha256:${blob.sha256}`, refused: null });
      note(artifact);
      return { ok: true, artifact_id: String(artifact.id) };
    },
    ListArtifacts(request) {
      const wanted = artifacts.filter(
        (a) =>
          a.state === 'finalized' &&
          a.run === request.workflow_run_backend_id &&
          (request.name_filter === undefined || a.name === request.name_filter) &&
          (request.id_filter === undefined || a.id === Number(request.id_filter)),
      );
      return {
        artifacts: wanted.map((a) => ({
          workflow_run_backend_id: a.run,
          workflow_job_run_backend_id: a.job,
          database_id: String(a.id),
          name: a.name,
          size: String(a.size),
          created_at: a.created,
          digest: a.digest,
        })),
      };
    },
    GetSignedArtifactURL(request) {
      return { signed_url: signedUrl(finalized(request.workflow_run_backend_id, request.name).key, 'r') };
    },
    DeleteArtifact(request) {
      const artifact = finalized(request.workflow_run_backend_id, request.name);
      store.remove(artifact.key);
      Object.assign(artifact, { state: 'deleted', path: null });
      note(artifact);
      return { ok: true, artifact_id: String(artifact.id) };
    },
  };

  // ---- answers
  /**
   * Sends a whole answer, or as much of it as a fault allows.
   * @param {import('node:http').ServerResponse} res
   * @param {number} status
   * @param {Record<string, string|number>} headers
   * @param {string} text @param {import('./faults.mjs').Fault} [fault]
   */
  const send = async (res, status, headers, text, fault) => {
    const body = Buffer.from(text);
    res.writeHead(status, { ...headers, 'content-length': body.length });
    if (body.length === 0) return void res.end();
    await pipeline([Readable.from([body]), ...meters(fault), res]);
  };
  const meters = (/** @type {import('./faults.mjs').Fault | undefined} */ fault) => {
    if (fault?.kind === 'cut') return [cutAfter(fault.bytes ?? 0)];
    if (fault?.kind === 'slow') return [throttle(fault.rate ?? 1)];
    return [];
  };
  const json = { 'content-type': 'application/json' };
  const xml = () => ({
    'content-type': 'application/xml',
    'x-ms-request-id': randomUUID(),
    'x-ms-version': '2025-01-05',
    etag: `"0x${randomBytes(8).toString('hex').toUpperCase()}"`,
    'last-modified': new Date().toUTCString(),
  });
  const AZURE = /** @type {Record<number, string>} */ ({
    400: 'InvalidHeaderValue',
    403: 'AuthenticationFailed',
    404: 'BlobNotFound',
    409: 'BlobImmutableDueToPolicy',
    429: 'ServerBusy',
    500: 'InternalError',
    503: 'ServerBusy',
  });
  const azureError = (
    /** @type {any} */ res,
    /** @type {number} */ status,
    /** @type {string} */ why,
    extra = {},
  ) => {
    const code = AZURE[status] ?? 'Injected';
    const text = `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>${why}</Message></Error>`;
    return send(res, status, { ...xml(), 'x-ms-error-code': code, ...extra }, text);
  };

  /**
   * Shows a fault that replaces the call. False where the call goes on (cut, slow, none).
   * @param {import('./faults.mjs').Fault | undefined} fault
   * @param {import('node:http').IncomingMessage} req @param {import('node:http').ServerResponse} res
   * @param {Call} call @param {boolean} isRpc
   */
  async function showFault(fault, req, res, call, isRpc) {
    if (!fault) return false;
    call.fault = fault.kind;
    if (fault.kind === 'hang') return true;
    if (fault.kind === 'reset') {
      req.socket.resetAndDestroy();
      return true;
    }
    if (fault.kind === 'cut' || fault.kind === 'slow') return false;
    for await (const _ of req); // a body left unread would end as a reset instead of the status
    if (fault.kind === 'okfalse') {
      call.status = 200;
      await send(res, 200, json, JSON.stringify({ ok: false }));
      return true;
    }
    const status = fault.status ?? 500;
    const quota = fault.kind === 'quota';
    const retry = fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter };
    call.status = status;
    if (!isRpc) await azureError(res, status, quota ? rules.QUOTA_MSG : 'injected', retry);
    else {
      const msg = quota ? rules.QUOTA_MSG : status === 409 ? rules.DUPLICATE_MSG : `injected ${status}`;
      const code = quota ? 'permission_denied' : rules.codeOf(status);
      await send(res, status, { ...json, ...retry }, JSON.stringify({ code, msg }));
    }
    return true;
  }

  /** @param {import('node:http').IncomingMessage} req @param {number} limit bytes */
  async function readAll(req, limit) {
    const parts = [];
    let bytes = 0;
    for await (const part of req) {
      bytes += part.length;
      if (bytes > limit) throw new rules.Refusal('malformed', `a body of more than ${limit} bytes`);
      parts.push(part);
    }
    return Buffer.concat(parts).toString();
  }

  /**
   * @type {(req: import('node:http').IncomingMessage, res: import('node:http').ServerResponse, url: URL) =>
   *   Promise<void>}
   */
  async function serveRpc(req, res, url) {
    const method = url.pathname.slice(SERVICE.length);
    const call = begin(method);
    const fault = RPC_CALLS.includes(method) ? nextFault(method) : undefined;
    try {
      if (await showFault(fault, req, res, call, true)) return;
      const text = await readAll(req, MAX_RPC_BYTES);
      const caller = rules.readToken(req.headers.authorization, secret, Date.now());
      if (req.method !== 'POST' || !rpc[method])
        throw new rules.Refusal('bad_route', `no handler for ${url.pathname}`);
      if (!/^application\/json\b/.test(req.headers['content-type'] ?? ''))
        throw new rules.Refusal('bad_route', `unexpected Content-Type: ${req.headers['content-type']}`);
      const request = parseJson(text);
      if (request.workflow_run_backend_id !== caller.run || !request.workflow_job_run_backend_id)
        throw new rules.Refusal('permission_denied', 'the token is not of this run');
      // listing and downloading reach the whole run; making and finalizing only the token's own job
      if (/^(Create|Finalize)/.test(method) && request.workflow_job_run_backend_id !== caller.job)
        throw new rules.Refusal('permission_denied', 'the token is not of this job');
      call.name = request.name ?? null;
      const answer = /** @type {NonNullable<typeof rpc[string]>} */ (rpc[method])(request, call);
      call.artifact = live(caller.run, request.name)?.id ?? null;
      call.status = 200;
      await send(res, 200, json, JSON.stringify(answer), fault);
    } catch (error) {
      if (!(error instanceof rules.Refusal)) throw error;
      call.status = error.status;
      call.error = error.message;
      await send(res, error.status, json, JSON.stringify({ code: error.code, msg: error.message }));
    } finally {
      log(call);
    }
  }

  const parseJson = (/** @type {string} */ text) => {
    try {
      const value = JSON.parse(text);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
    } catch {}
    throw new rules.Refusal('malformed', 'the json request could not be decoded');
  };

  /**
   * @type {(req: import('node:http').IncomingMessage, res: import('node:http').ServerResponse, url: URL) =>
   *   Promise<void>}
   */
  async function serveBlob(req, res, url) {
    const comp = url.searchParams.get('comp');
    const put = comp === 'block' ? 'PutBlock' : comp === 'blocklist' ? 'PutBlockList' : 'PutBlob';
    const kind = req.method === 'PUT' ? put : String(req.method);
    const call = begin(kind);
    const key = /^\/blobs\/([\w-]+)$/.exec(url.pathname)?.[1] ?? '';
    const artifact = artifacts.find((a) => a.key === key);
    call.artifact = artifact?.id ?? null;
    call.name = artifact?.name ?? null;
    const fault = ['PUT', 'GET', 'HEAD'].includes(String(req.method)) ? nextFault(kind) : undefined;
    const refuse = async (/** @type {number} */ status, /** @type {string} */ why) => {
      for await (const _ of req);
      call.status = status;
      call.error = why;
      await azureError(res, status, why);
    };
    const done = async (/** @type {number} */ status) => {
      call.status = status;
      await send(res, status, xml(), '');
    };
    try {
      if (await showFault(fault, req, res, call, false)) return;
      if (!artifact || !mayUse(url, key, req.method === 'PUT' ? 'w' : 'r'))
        return await refuse(403, 'the signature does not allow this');
      const declared =
        req.headers['content-length'] === undefined ? null : Number(req.headers['content-length']);
      if (kind === 'PutBlock') {
        const id = url.searchParams.get('blockid');
        if (!id) return await refuse(400, 'no blockid');
        call.bytes = await store.putBlock(key, id, req, meters(fault), declared);
        return await done(201);
      }
      if (kind === 'PutBlob') {
        if (req.headers['x-ms-blob-type'] !== 'BlockBlob')
          return await refuse(400, 'x-ms-blob-type is not BlockBlob');
        call.bytes = await store.putBlob(key, req, meters(fault), declared);
        artifact.path = store.get(key)?.path ?? null;
        return await done(201);
      }
      if (kind === 'PutBlockList') {
        const text = await readAll(
          /** @type {any} */ (meters(fault).reduce((s, m) => pipe(s, m), req)),
          16 << 20,
        );
        const ids = [...text.matchAll(/<(?:Latest|Uncommitted|Committed)>([^<]+)</g)].map((m) =>
          String(m[1]),
        );
        const missing = await store.commit(key, ids);
        if (missing !== null) return await refuse(400, `block ${missing} was not uploaded`);
        artifact.path = store.get(key)?.path ?? null;
        return await done(201);
      }
      if (kind !== 'GET' && kind !== 'HEAD') return await refuse(400, `no ${kind}`);
      const blob = store.get(key);
      if (!blob) return await refuse(404, 'no such blob');
      call.status = 200;
      const file =
        artifact.mime === 'application/zip' && !/\.zip$/i.test(artifact.name)
          ? `${artifact.name}.zip`
          : artifact.name;
      const ascii = file.replace(/[^\x20-\x7e]|["%;]/g, '_');
      res.writeHead(200, {
        ...xml(),
        'content-type': artifact.mime,
        'content-length': blob.bytes,
        'content-disposition': `attachment; filename="${ascii}"; filename*=UTF-8''${encodeURIComponent(file)}`,
      });
      if (kind === 'HEAD' || blob.bytes === 0) return void res.end();
      await pipeline([createReadStream(blob.path), ...meters(fault), res]);
    } finally {
      log(call);
    }
  }
  const pipe = (/** @type {any} */ source, /** @type {any} */ through) => {
    const both = source.pipe(through);
    source.on('error', (/** @type {Error} */ e) => through.destroy(e));
    return both;
  };

  /** @param {string} name @returns {Call} */
  const begin = (name) => {
    const empty = { status: null, fault: null, error: null, artifact: null, name: null, bytes: 0 };
    const call = { n: calls.length + 1, call: name, ...empty };
    calls.push(call);
    return call;
  };
  const log = (/** @type {Call} */ call) =>
    appendFileSync(join(dir, 'calls.jsonl'), `${JSON.stringify(call)}\n`);

  const server = createServer((req, res) => {
    const url = new URL(req.url ?? '/', base);
    const { socket } = req; // a request that was cut off has none any more
    const serve = url.pathname.startsWith(SERVICE) ? serveRpc : serveBlob;
    serve(req, res, url).catch((error) => {
      if (error instanceof CutError || res.headersSent || socket.destroyed) socket.destroy();
      else send(res, 500, json, JSON.stringify({ code: 'internal', msg: String(error) })).catch(() => {});
    });
  });
  server.requestTimeout = 0; // a slow upload is a fault that we show, not one of the server's
  server.headersTimeout = 60_000;
  await new Promise((ok, fail) => {
    server.once('error', fail);
    server.listen(port, '127.0.0.1', () => ok(undefined));
  });
  base = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;

  /** @type {() => void} */
  let ended = () => {};
  const closed = new Promise((ok) => {
    ended = () => ok(undefined);
  });
  const close = async () => {
    clearTimeout(timer);
    server.closeAllConnections();
    if (server.listening) await new Promise((ok) => server.close(() => ok(undefined)));
    ended();
  };
  const timer = setTimeout(() => void close(), maxSeconds * 1000);
  timer.unref();

  const tokenFor = (/** @type {string} */ forJob = jobId) =>
    rules.makeToken(secret, {
      run: runId,
      job: forJob,
      expires: Math.floor(Date.now() / 1000) + maxSeconds + 60,
    });
  const token = tokenFor();
  return {
    url: base,
    token,
    env: { ACTIONS_RESULTS_URL: `${base}/`, ACTIONS_RUNTIME_TOKEN: token },
    dir,
    tokenFor,
    artifacts: () => artifacts.map(publicView),
    calls: () => calls.map((c) => ({ ...c })),
    download(name) {
      const found = artifacts.findLast((a) => a.name === name && a.state === 'finalized');
      if (found?.path) return found.path;
      const names = artifacts.map((a) => `${a.name} (${a.state})`).join(', ') || 'none';
      throw new Error(`no artifact "${name}" was uploaded; there are: ${names}`);
    },
    setFaults(spec) {
      nextFault = faultPlan(spec);
    },
    close,
    closed: /** @type {Promise<void>} */ (closed),
  };
}
