/**
 * Why an upload failed, in one line a person can act on. Pure. Signed URLs never get into it.
 */
import { cleanText } from '../lib/text.js';
import type { UploadAnswer } from './worker.js';

type Failure = Extract<UploadAnswer, { readonly ok: false }>;

const UNREACHABLE =
  /\b(ECONNREFUSED|ECONNRESET|ENOTFOUND|ETIMEDOUT|EHOSTUNREACH|EAI_AGAIN|EPIPE|ECONNABORTED)\b/;

/** First line of a message, without query strings (they are signatures) and control characters. */
export const oneLine = (text: string, limit = 300): string =>
  cleanText(
    (text.trim().split(/[\r\n]/)[0] ?? '').replace(/(https?:\/\/[^\s"'?]+)\?[^\s"']*/g, '$1?…'),
    limit,
  );

/** HTTP status of a failure, from the blob client's field or the service client's message. */
function statusOf(failure: Failure): number | null {
  const match = /\(([45][0-9]{2})\)/.exec(failure.message);
  return failure.status ?? (match ? Number(match[1]) : null);
}

/** True when an artifact of that name exists already: another name would do. */
export const isConflict = (failure: Failure): boolean =>
  statusOf(failure) === 409 && failure.message.includes('CreateArtifact');

export function explain(failure: Failure, name: string): string {
  const status = statusOf(failure);
  const network =
    failure.code && UNREACHABLE.test(failure.code) ? failure.code : UNREACHABLE.exec(failure.message)?.[1];
  const said = oneLine(failure.message);
  if (failure.name === 'GHESNotSupportedError' || /not currently supported on GHES/.test(failure.message)) {
    return 'GitHub Enterprise Server: the artifact client refuses to upload there (GHESNotSupportedError)';
  }
  if (
    failure.name === 'UsageError' ||
    /storage quota has been hit|insufficient usage/.test(failure.message)
  ) {
    return 'the artifact storage quota is used up; GitHub counts it anew every 6 to 12 hours';
  }
  if (isConflict(failure)) return `an artifact named ${oneLine(name, 200)} exists already in this run (409)`;
  if (status !== null && !said.includes(String(status)) && status !== 401 && status !== 403) {
    return `the artifact service answered ${status}: ${said}`;
  }
  if (status === 401 || status === 403) return `the artifact service refused it: ${said}`;
  if (network) return `the artifact service cannot be reached (${network})`;
  return said === '' ? `the artifact client failed (${oneLine(failure.name, 60)})` : said;
}
