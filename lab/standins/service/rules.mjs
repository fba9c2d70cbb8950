// What the artifact service checks before it does anything: the token, the scope, the name, the type. Pure.
import { createHmac, timingSafeEqual } from 'node:crypto';

/** A refusal in Twirp's terms. */
export class Refusal extends Error {
  /** @param {string} code @param {string} msg */
  constructor(code, msg) {
    super(msg);
    this.code = code;
    this.status = STATUS[code] ?? 500;
  }
}

/**
 * HTTP statuses of Twirp's error codes (twitchtv.github.io/twirp/docs/errors.html).
 * @type {Record<string, number>}
 */
const STATUS = {
  invalid_argument: 400,
  malformed: 400,
  unauthenticated: 401,
  permission_denied: 403,
  not_found: 404,
  bad_route: 404,
  already_exists: 409,
  failed_precondition: 412,
  resource_exhausted: 429,
  internal: 500,
  unavailable: 503,
};
/** @param {number} status @returns {string} */
export const codeOf = (status) => Object.keys(STATUS).find((c) => STATUS[c] === status) ?? 'unknown';

/**
 * GitHub's words when the storage quota is used up; @actions/artifact looks for "insufficient usage" in them.
 */
export const QUOTA_MSG = 'insufficient usage to create artifact';
/** GitHub's words for a name that is taken. */
export const DUPLICATE_MSG = 'an artifact with this name already exists on the workflow run';

const b64 = (/** @type {string | Buffer} */ v) => Buffer.from(v).toString('base64url');
const sign = (/** @type {string} */ text, /** @type {string} */ secret) =>
  createHmac('sha256', secret).update(text).digest();

/** @param {Buffer} a @param {Buffer} b */
export const same = (a, b) => a.length === b.length && timingSafeEqual(a, b);

/**
 * A runtime token as a job gets one: a JWT whose `scp` names the run and the job.
 * @param {string} secret
 * @param {{run: string, job: string, expires: number}} claims `expires` in seconds since 1970
 */
export function makeToken(secret, { run, job, expires }) {
  const scp = `Actions.GenericRead:00000000-0000-0000-0000-000000000000 Actions.Results:${run}:${job}`;
  const head = `${b64(JSON.stringify({ alg: 'HS256', typ: 'JWT' }))}.${b64(JSON.stringify({ scp, exp: expires }))}`;
  return `${head}.${b64(sign(head, secret))}`;
}

/**
 * Who calls: the run and the job of the token in an Authorization header.
 * @param {string | undefined} header @param {string} secret @param {number} now milliseconds since 1970
 */
export function readToken(header, secret, now) {
  const token = /^Bearer (\S+)$/.exec(header ?? '')?.[1];
  if (!token) throw new Refusal('unauthenticated', 'no bearer token');
  const [head = '', body = '', signature = ''] = token.split('.');
  if (!same(Buffer.from(signature, 'base64url'), sign(`${head}.${body}`, secret)))
    throw new Refusal('unauthenticated', 'the token is not one of this service');
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
  if (Number(claims.exp) * 1000 < now) throw new Refusal('unauthenticated', 'the token has expired');
  const scope = /(?:^| )Actions\.Results:([^: ]+):([^: ]+)(?: |$)/.exec(claims.scp ?? '');
  if (!scope) throw new Refusal('permission_denied', 'the token has no Actions.Results scope');
  return { run: /** @type {string} */ (scope[1]), job: /** @type {string} */ (scope[2]) };
}

/** @param {unknown} name */
export function checkName(name) {
  if (typeof name !== 'string' || name === '') throw new Refusal('invalid_argument', 'name is required');
  const bad = /[":<>|*?\r\n\\/]/.exec(name);
  if (bad)
    throw new Refusal(
      'invalid_argument',
      `name holds a character that is not allowed: ${JSON.stringify(bad[0])}`,
    );
  if (Buffer.byteLength(name) > 255) throw new Refusal('invalid_argument', 'name is longer than 255 bytes');
  return name;
}

/**
 * Version 4 was a zip and nothing else; version 7 (@actions/artifact 6) says its type.
 * @param {Record<string, unknown>} request
 * @returns {string} mime type
 */
export function checkType(request) {
  const { version, mime_type: mime } = request;
  if (version === 4) {
    if (mime !== undefined) throw new Refusal('invalid_argument', 'version 4 has no mime_type');
    return 'application/zip';
  }
  if (version !== 7) throw new Refusal('invalid_argument', `version ${version}; known are 4 and 7`);
  if (typeof mime !== 'string' || !/^[\w.+-]+\/[\w.+-]+$/.test(mime))
    throw new Refusal('invalid_argument', `mime_type ${JSON.stringify(mime)} is not a type`);
  return mime;
}

/** @param {unknown} at RFC 3339 @param {number} now @returns {string | null} */
export function checkExpiry(at, now) {
  if (at === undefined) return null;
  const time = Date.parse(String(at));
  if (Number.isNaN(time))
    throw new Refusal('invalid_argument', `expires_at ${JSON.stringify(at)} is not a time`);
  if (time <= now) throw new Refusal('invalid_argument', 'expires_at has passed');
  return new Date(time).toISOString();
}
