/**
 * The process that uploads, and the only place where the artifact client is loaded.
 *
 * A process of its own, because the client cannot be trusted with ours: it throws from event handlers, keeps sockets alive
 * after it failed, waits minutes for a service that hangs, and logs every block. And a thread that
 * hangs in a system call keeps even `process.exit` from ending a process. This one can be killed, and that ends all of it.
 *
 * The client takes paths, and opens what they lead to by then. It gets paths that exist nowhere: each stands for
 * a descriptor that this process was started with, which five functions of `node:fs` know.
 *
 * It gets one job over IPC, answers once, and ends when its parent does. It imports nothing of the project at run time, so Node can run
 * it from source too.
 */

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

export interface UploadJob {
  readonly name: string;
  /** Names of the files: the first is open as `FIRST_FD`, the next as the one after it. */
  readonly files: readonly string[];
  readonly retentionDays: number | null;
  readonly compressionLevel: number;
  /** Uploads the only file as it is; the artifact is then named like the file. */
  readonly raw: boolean;
  /** What the environment of this process must not show: others of the user read it in /proc. */
  readonly secrets: Readonly<Record<string, string>>;
}

export type UploadAnswer =
  | {
      readonly ok: true;
      readonly id: number;
      /** Bytes that were uploaded. */
      readonly size: number | null;
      /** sha256 of what was uploaded, 64 hexadecimal digits. */
      readonly digest: string | null;
    }
  | {
      readonly ok: false;
      readonly name: string;
      readonly message: string;
      readonly code: string | null;
      readonly status: number | null;
    };

function failure(error: unknown): UploadAnswer {
  const e = (typeof error === 'object' && error !== null ? error : { message: String(error) }) as {
    name?: unknown;
    message?: unknown;
    code?: unknown;
    statusCode?: unknown;
  };
  return {
    ok: false,
    name: typeof e.name === 'string' ? e.name : 'Error',
    message: String(e.message ?? 'no message').slice(0, 4000),
    code: typeof e.code === 'string' ? e.code : null,
    status: typeof e.statusCode === 'number' ? e.statusCode : null,
  };
}

/** After stdin, stdout, stderr and the IPC channel. */
const FIRST_FD = 4;
/** A folder that the client may look at; what it reads below it are descriptors. */
const ROOT = '/proc/self/fd';

/** Lets these functions take a path of a file of the job for its descriptor. Before the client is loaded. */
function serveDescriptors(files: readonly string[]): void {
  const held = new Map(files.map((file, index) => [`${ROOT}/${file}`, `${ROOT}/${FIRST_FD + index}`]));
  type Call = (path: unknown, ...rest: unknown[]) => unknown;
  const redirect = (on: object, name: string, instead = name): void => {
    const calls = on as Record<string, Call>;
    const [plain, other] = [calls[name] as Call, calls[instead] as Call];
    calls[name] = (path, ...rest) => {
      const open = held.get(String(path));
      return open === undefined ? plain(path, ...rest) : other(open, ...rest);
    };
  };
  redirect(fs, 'existsSync');
  redirect(fs, 'open');
  redirect(fs, 'lstat', 'stat');
  redirect(fs, 'lstatSync', 'statSync');
  redirect(fs.promises, 'lstat', 'stat');
  syncBuiltinESMExports();
}

async function upload(job: UploadJob): Promise<UploadAnswer> {
  Object.assign(process.env, job.secrets);
  serveDescriptors(job.files);
  const { DefaultArtifactClient } = await import('@actions/artifact');
  const files = job.files.map((file) => `${ROOT}/${file}`);
  const result = await new DefaultArtifactClient().uploadArtifact(job.name, files, ROOT, {
    compressionLevel: job.compressionLevel,
    skipArchive: job.raw,
    ...(job.retentionDays === null ? {} : { retentionDays: job.retentionDays }),
  });
  if (result.id === undefined) throw new Error('the service gave the artifact no id');
  return { ok: true, id: result.id, size: result.size ?? null, digest: result.digest ?? null };
}

let answered = false;
function answer(result: UploadAnswer): void {
  if (answered) return;
  answered = true;
  process.send?.(result, undefined, undefined, () => process.exit(0));
}

// The parent was killed: nobody waits for this upload any more, and nobody would end it.
process.on('disconnect', () => process.exit(1));
process.on('uncaughtException', (error) => answer(failure(error)));
process.on('unhandledRejection', (error) => answer(failure(error)));
process.once('message', (job) => {
  upload(job as UploadJob).then(answer, (error: unknown) => answer(failure(error)));
});
