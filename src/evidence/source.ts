/**
 * The line of the user's own program where memory ran out, as the commit of the run has it: of a regular file that git tracks there and
 * that was not changed since. A link, an untracked file and one that the step has written are never opened for it.
 */
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { printable } from '../lib/text.js';
import { runHelper } from '../step/helper.js';
import { openFolder, openRegular } from './safe-fs.js';

export interface SourceLine {
  /** From the workspace. */
  readonly file: string;
  readonly line: number;
  readonly text: string;
  /** Of the line at that commit; null where the repository's address is not known. */
  readonly url: string | null;
}

const MAX_BYTES = 2 * 2 ** 20;
const MAX_TEXT = 160;
const LIMITS = { timeoutMs: 3000, maxBytes: 64 * 1024 };

/** Is `bytes` what git knows by this id? Of a checkout that changes line ends it is not. */
function isBlob(bytes: Buffer, id: string): boolean {
  const hash = createHash(id.length === 64 ? 'sha256' : 'sha1');
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex') === id;
}

/** The text of a tracked regular file; null where it is another kind, another content, or too large. */
async function unchanged(dir: string, name: string, id: string): Promise<string | null> {
  const folder = await openFolder(dir);
  try {
    const opened = await openRegular(folder.path, name);
    if (!opened.ok) return null;
    try {
      if (Number(opened.seal.size) > MAX_BYTES) return null;
      const bytes = await opened.handle.readFile();
      return isBlob(bytes, id) ? bytes.toString('utf8') : null;
    } finally {
      await opened.handle.close();
    }
  } finally {
    await folder.close();
  }
}

/** Never throws: a line that cannot be had is null. */
export async function sourceLine(
  place: { readonly file?: string; readonly startLine?: number },
  run: { readonly workspace: string | null; readonly sha: string | null; readonly repository: string | null },
  env: NodeJS.ProcessEnv,
): Promise<SourceLine | null> {
  const { file, startLine: line } = place;
  const { workspace, sha, repository } = run;
  if (file === undefined || line === undefined || workspace === null) return null;
  if (sha === null || !/^[0-9a-f]{40,64}$/.test(sha)) return null;
  try {
    // Containers check out as another user. Nothing of the folder's own settings is used to list a tree.
    const safe = ['-c', 'safe.directory=*', '-c', 'core.fsmonitor=false'];
    const [folder, name] = [join(workspace, dirname(file)), file.slice(file.lastIndexOf('/') + 1)];
    const args = ['-C', folder, ...safe, 'ls-tree', '-z', '--full-name', sha, '--', `:(literal)${name}`];
    const listed = await runHelper({ file: 'git', args, env }, LIMITS);
    if (listed.kind !== 'ok') return null;
    const [, id, tracked = ''] = /^100(?:644|755) blob ([0-9a-f]{40,64})\t([^\0]+)/.exec(listed.stdout) ?? [];
    const text = id === undefined ? null : await unchanged(folder, name, id);
    const found = text?.split(/\r?\n/)[line - 1]?.trim();
    if (!found) return null;
    const server = (env['GITHUB_SERVER_URL'] || 'https://github.com').replace(/\/+$/, '');
    const path = tracked.split('/').map(encodeURIComponent).join('/');
    const url = repository === null ? null : `${server}/${repository}/blob/${sha}/${path}#L${line}`;
    return { file, line, text: printable(found, MAX_TEXT), url };
  } catch {
    return null;
  }
}
