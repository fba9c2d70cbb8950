/**
 * Snapshots for the page: compressed, in base64, and never looked into. The only effect of the report: it
 * reads files, through the same guarded door as collecting and publishing, and takes a file only when its
 * bytes are still those that were digested.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { bareDigest } from '../../evidence/digest.js';
import type { LeftOut, ManifestFile } from '../../evidence/manifest.js';
import { openFolder, openRegular } from '../../evidence/safe-fs.js';
import { EMBED_LIMIT, type EmbeddedSnapshot } from './options.js';

/** A snapshot larger than this is not even read: it compresses to about a tenth. */
const READ_LIMIT = 8 * EMBED_LIMIT;

async function packed(folder: string, snapshot: ManifestFile): Promise<Buffer | null> {
  const opened = await openRegular(folder, snapshot.file);
  if (!opened.ok) return null;
  try {
    // Of the size that was digested, and no more, whatever became of the file since.
    const bytes = Buffer.alloc(snapshot.bytes);
    for (let at = 0; at < bytes.length; ) {
      const { bytesRead } = await opened.handle.read(bytes, at, bytes.length - at, at);
      if (bytesRead === 0) return null;
      at += bytesRead;
    }
    const digest = createHash('sha256').update(bytes).digest('hex');
    return digest === bareDigest(snapshot.digest) ? await promisify(gzip)(bytes) : null;
  } finally {
    await opened.handle.close().catch(() => undefined);
  }
}

/**
 * The snapshots of `evidence`, in its order, as far as they fit into `limit` compressed bytes together. Never
 * throws: what cannot be read is left out. What was not to leave the runner (`leftOut`, as by
 * `max-upload-size`) does not leave it inside of the page.
 */
export async function embedSnapshots(
  evidence: { readonly dir: string; readonly snapshots: readonly ManifestFile[] },
  leftOut: readonly LeftOut[] = [],
  limit: number = EMBED_LIMIT,
): Promise<readonly EmbeddedSnapshot[]> {
  const result: EmbeddedSnapshot[] = [];
  const withheld = new Set(leftOut.map(({ file }) => file));
  let left = limit;
  try {
    const folder = await openFolder(evidence.dir);
    try {
      for (const snapshot of evidence.snapshots) {
        if (snapshot.bytes > READ_LIMIT || snapshot.bytes === 0 || withheld.has(snapshot.file)) continue;
        const bytes = await packed(folder.path, snapshot);
        if (bytes === null || bytes.length > left) continue;
        left -= bytes.length;
        result.push({ file: snapshot.file, gzipBase64: bytes.toString('base64') });
      }
    } finally {
      await folder.close();
    }
  } catch {
    // A folder that is gone has nothing to embed.
  }
  return result;
}
