// Block blobs on disk, as Azure's storage keeps them: blocks arrive in any order, a list commits them.
// Everything streams; memory stays at one buffer per transfer, whatever the size of the blob.
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** A fault that ends a transfer on purpose. */
export class CutError extends Error {}

/**
 * Lets `bytes` bytes through, then fails with CutError.
 * @param {number} bytes
 */
export function cutAfter(bytes) {
  let left = bytes;
  return new Transform({
    transform(chunk, _encoding, done) {
      if (chunk.length < left) {
        left -= chunk.length;
        done(null, chunk);
      } else {
        this.push(chunk.subarray(0, left));
        // the part that is let through must be on its way before the connection is destroyed
        setImmediate(() => done(new CutError(`cut after ${bytes} bytes`)));
      }
    },
  });
}

/**
 * Lets bytes through at `rate` bytes per second, in tenths of a second.
 * @param {number} rate
 */
export function throttle(rate) {
  const step = Math.max(1, Math.floor(rate / 10));
  return new Transform({
    async transform(chunk, _encoding, done) {
      for (let at = 0; at < chunk.length; at += step) {
        const part = chunk.subarray(at, at + step);
        this.push(part);
        await delay((part.length / rate) * 1000);
      }
      done();
    },
  });
}

/** @typedef {{bytes: number, sha256: string, path: string}} Blob `sha256` is bare hex */

/**
 * The blobs under one folder: `<dir>/<key>/blob`, blocks beside it until they are committed.
 * @param {string} dir
 */
export function blobStore(dir) {
  mkdirSync(dir, { recursive: true });
  /** @type {Map<string, Blob>} */
  const committed = new Map();
  /** @type {Map<string, Map<string, string>>} key -> block id -> path of its file */
  const blocks = new Map();
  const folder = (/** @type {string} */ key) => {
    mkdirSync(join(dir, key), { recursive: true });
    return join(dir, key);
  };

  /**
   * Writes a body to a new file; a body that ends early or fails leaves nothing.
   * @param {string} key @param {NodeJS.ReadableStream} body @param {Transform[]} through
   * @param {number | null} declared Content-Length in bytes
   * @param {import('node:crypto').Hash} [hash] of a whole blob; blocks are hashed when they are joined
   */
  async function receive(key, body, through, declared, hash) {
    const path = join(folder(key), `part-${randomBytes(6).toString('hex')}`);
    let bytes = 0;
    const tap = new Transform({
      transform(chunk, _encoding, done) {
        hash?.update(chunk);
        bytes += chunk.length;
        done(null, chunk);
      },
    });
    const file = await open(path, 'wx'); // before anything can fail, so that it can be removed after
    try {
      await pipeline([body, ...through, tap, file.createWriteStream()]);
      if (declared !== null && bytes !== declared)
        throw new Error(`body of ${bytes} bytes, ${declared} declared`);
    } catch (error) {
      rmSync(path, { force: true });
      throw error;
    }
    return { path, bytes };
  }

  return {
    /** @param {string} key @returns {Blob | undefined} */
    get: (key) => committed.get(key),

    /**
     * The whole blob in one request.
     * @param {string} key
     * @param {any} body
     * @param {any[]} through
     * @param {number|null} declared
     */
    async putBlob(key, body, through, declared) {
      const hash = createHash('sha256');
      const { path: part, bytes } = await receive(key, body, through, declared, hash);
      const path = join(folder(key), 'blob');
      renameSync(part, path);
      committed.set(key, { path, bytes, sha256: hash.digest('hex') });
      return bytes;
    },

    /**
     * @param {string} key
     * @param {string} id
     * @param {any} body
     * @param {any[]} through
     * @param {number|null} declared
     */
    async putBlock(key, id, body, through, declared) {
      const part = await receive(key, body, through, declared);
      const known = blocks.get(key) ?? new Map();
      blocks.set(key, known);
      const old = known.get(id);
      if (old) rmSync(old, { force: true });
      known.set(id, part.path);
      return part.bytes;
    },

    /**
     * Joins the named blocks, in that order; those not named are dropped, as Azure does.
     * @param {string} key @param {string[]} ids
     * @returns {Promise<string | null>} the id of a block that is not there, or null
     */
    async commit(key, ids) {
      const known = blocks.get(key) ?? new Map();
      const missing = ids.find((id) => !known.has(id));
      if (missing !== undefined) return missing;
      const path = join(folder(key), 'blob');
      const joining = `${path}.joining`;
      const hash = createHash('sha256');
      rmSync(joining, { force: true });
      if (ids.length === 0) await pipeline([Buffer.alloc(0)], createWriteStream(joining));
      for (const id of ids) {
        const tap = new Transform({
          transform(chunk, _encoding, done) {
            hash.update(chunk);
            done(null, chunk);
          },
        });
        const block = /** @type {string} */ (known.get(id));
        await pipeline(createReadStream(block), tap, createWriteStream(joining, { flags: 'a' }));
      }
      for (const file of known.values()) rmSync(file, { force: true });
      blocks.delete(key);
      renameSync(joining, path);
      committed.set(key, { path, bytes: statSync(path).size, sha256: hash.digest('hex') });
      return null;
    },

    /** @param {string} key */
    remove(key) {
      committed.delete(key);
      blocks.delete(key);
      rmSync(join(dir, key), { recursive: true, force: true });
    },
  };
}
