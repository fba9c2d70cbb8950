/**
 * sha256 of an open file, streamed: two buffers of at most 1 MiB; one is filled while the other is hashed.
 * The bytes are not interpreted.
 */
import type { FileHandle } from 'node:fs/promises';
import { lazyCrypto } from '../lib/random.js';

const CHUNK = 2 ** 20;

export interface Digest {
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  /** Bytes that were read and hashed. */
  readonly bytes: number;
}

export type DigestResult =
  | ({ readonly ok: true } & Digest)
  | { readonly ok: false; readonly reason: 'too-long' | 'too-slow' };

export interface DigestBounds {
  /** Reading stops, without a digest, once the file turns out longer than this. */
  readonly maxBytes: number;
  /** Time on the `performance.now()` clock after which reading stops. */
  readonly until: number;
  /** Ends reading as that time does. */
  readonly signal?: AbortSignal | undefined;
  /** Sees every chunk as it is read; the buffer is used again afterwards. */
  readonly onChunk?: (chunk: Buffer) => void | Promise<void>;
}

/**
 * Digest of what `handle` holds from its beginning. Reads by position, so the handle's own offset does not
 * matter.
 */
export async function digestHandle(handle: FileHandle, bounds: DigestBounds): Promise<DigestResult> {
  const hash = lazyCrypto().createHash('sha256');
  // One byte more than allowed detects a longer file. The buffer is no larger than needed: a receipt is 10
  // KiB, and 2 MiB for each took half of the time in the garbage collector.
  const length = Math.min(CHUNK, bounds.maxBytes + 1);
  const read = (into: Buffer, position: number): Promise<{ bytesRead: number }> => {
    const reading = handle.read(into, 0, length, position);
    // On an early return this read is not awaited, and its failure must not be an unhandled rejection.
    reading.catch(() => undefined);
    return reading;
  };
  let [buffer, spare] = [Buffer.allocUnsafe(length), Buffer.allocUnsafe(length)];
  let bytes = 0;
  let reading = read(buffer, 0);
  for (;;) {
    const { bytesRead } = await reading;
    if (bytesRead === 0) return { ok: true, digest: `sha256:${hash.digest('hex')}`, bytes };
    bytes += bytesRead;
    if (bytes > bounds.maxBytes) return { ok: false, reason: 'too-long' };
    if (performance.now() > bounds.until || bounds.signal?.aborted) return { ok: false, reason: 'too-slow' };
    reading = read(spare, bytes);
    const chunk = buffer.subarray(0, bytesRead);
    hash.update(chunk);
    await bounds.onChunk?.(chunk);
    [buffer, spare] = [spare, buffer];
  }
}

/** Digest of a text or of bytes that are in memory already. */
export function digestOf(content: string | Uint8Array): Digest {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
  return {
    digest: `sha256:${lazyCrypto().createHash('sha256').update(bytes).digest('hex')}`,
    bytes: bytes.byteLength,
  };
}

/** The 64 digits alone, as `sha256sum` writes them. */
export const bareDigest = (digest: string): string => digest.replace(/^sha256:/, '');
