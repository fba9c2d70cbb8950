/**
 * Publishing the evidence: one artifact, one deadline, and never a change of the step's outcome. Whatever goes wrong, the files stay where
 * they are and the result says why in one line, with the path and digest of each.
 */
import { join } from 'node:path';
import type { Evidence, FileRef } from '../evidence/collect.js';
import { bareDigest, digestOf } from '../evidence/digest.js';
import { type LeftOut, type ManifestFile, sha256Sums } from '../evidence/manifest.js';
import { errorCode } from '../evidence/safe-fs.js';
import { isFull, type MakeRoom } from '../lib/files.js';
import { type UploadPorts, upload } from './client.js';
import { artifactNameProblem, cleanArtifactName, otherName } from './names.js';
import { explain, isConflict } from './reasons.js';
import { Sealed, Unwritable } from './sealed.js';
import { type Selection, selectFiles } from './select.js';
import type { UploadAnswer } from './worker.js';

export interface KeptFile {
  readonly path: string;
  readonly digest: string;
  readonly bytes: number;
}

export type Published =
  | {
      readonly state: 'uploaded';
      readonly name: string;
      readonly id: number;
      /** Page of the artifact; null when the environment does not say which run this is. */
      readonly url: string | null;
      /** `sha256:…` of the uploaded zip (for a page: of the page). */
      readonly digest: string | null;
      /** Bytes that were uploaded. */
      readonly size: number | null;
      /** Evidence that the artifact holds as it was digested. */
      readonly files: readonly ManifestFile[];
      /** Evidence, and documents of ours, that it does not hold, or holds otherwise. */
      readonly notUploaded: readonly LeftOut[];
      /** Those of them that changed or vanished while they were uploaded: their digest is of what they were before. */
      readonly changed: readonly string[];
      readonly seconds: number;
      /** True when the artifact holds all of the evidence, unchanged, and its folder may be removed. */
      readonly complete: boolean;
    }
  | { readonly state: 'skipped'; readonly reason: string }
  | {
      readonly state: 'failed';
      readonly reason: string;
      readonly kept: readonly KeptFile[];
      readonly seconds: number;
    };

/** Where our documents are made, and what to do on a full disk before that is tried once more. */
interface Scratch {
  readonly scratch: string;
  readonly makeRoom?: MakeRoom | undefined;
}

export interface PublishOptions extends UploadPorts, Scratch {
  readonly evidence: Evidence;
  readonly name: string;
  readonly retentionDays: number | null;
  readonly compressionLevel: number;
  /** For all snapshots together. */
  readonly maxUploadBytes: number;
  readonly deadlineMs: number;
  /**
   * The text of `manifest.json`, once it is known which files will be in the artifact and which will not.
   * `SHA256SUMS` is made from the same list.
   */
  readonly manifest: (plan: UploadPlan) => string;
  /** Text of `memory.json`. */
  readonly memory?: string;
  /** One line now and then on anything over 10 s. */
  readonly log?: (line: string) => void;
}

export interface UploadPlan {
  readonly name: string;
  readonly files: readonly ManifestFile[];
  readonly leftOut: readonly LeftOut[];
}

const PROGRESS_MS = 10_000;

const plain = ({ file, bytes, digest }: ManifestFile): ManifestFile => ({ file, bytes, digest });

const totalBytes = (files: readonly Pick<FileRef, 'bytes'>[]): number =>
  files.reduce((sum, { bytes }) => sum + bytes, 0);

/** All evidence as it lies on disk: for a summary when nothing could be uploaded. */
export function keptFiles(evidence: Evidence): readonly KeptFile[] {
  const all: readonly FileRef[] = [...evidence.snapshots, ...evidence.receipts];
  return all.map(({ file, bytes, digest }) => ({ path: join(evidence.dir, file), digest, bytes }));
}

function artifactUrl(env: NodeJS.ProcessEnv, id: number): string | null {
  const { GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = env;
  const server = (env.GITHUB_SERVER_URL || 'https://github.com').replace(/\/+$/, '');
  return repository && run ? `${server}/${repository}/actions/runs/${run}/artifacts/${id}` : null;
}

/** Why there is no service to upload to, or null. */
function noService(env: NodeJS.ProcessEnv): string | null {
  const missing = ['ACTIONS_RESULTS_URL', 'ACTIONS_RUNTIME_TOKEN'].filter((name) => !env[name]);
  return missing.length > 0
    ? `the runner offers no artifact service (${missing.join(' and ')} not set)`
    : null;
}

/** A line every 10 s with what has gone out. Returns what stops it. */
function tellProgress(log: PublishOptions['log'], total: number, sent: () => number): () => void {
  if (!log) return () => undefined;
  const mib = (bytes: number): string => (bytes / 2 ** 20).toFixed(0);
  const timer = setInterval(
    () => log(`uploading: ${mib(sent())} MiB sent, from ${mib(total)} MiB of files`),
    PROGRESS_MS,
  );
  timer.unref();
  return () => clearInterval(timer);
}

/** Uploads under `name`, and once more under another name when that one is taken. */
async function uploadOnce(
  sealed: Sealed,
  files: readonly string[],
  name: string,
  options: Pick<PublishOptions, 'retentionDays' | 'compressionLevel'> &
    UploadPorts & { readonly raw: boolean },
  until: number,
): Promise<UploadAnswer> {
  const { retentionDays, compressionLevel, raw } = options;
  const request = {
    name,
    files,
    retentionDays,
    compressionLevel,
    raw,
    descriptors: sealed.descriptors(files),
  };
  const left = Math.round(until - performance.now());
  if (left <= 0)
    return { ok: false, name: 'Stopped', message: 'out of time before the upload', code: null, status: null };
  return upload(request, options, left);
}

/** Publishes what `evidence` names. Never throws, and is done when it resolves: no process, socket or timer is left. */
export async function publish(options: PublishOptions): Promise<Published> {
  const { evidence } = options;
  const started = performance.now();
  const until = started + options.deadlineMs;
  const failed = (reason: string): Published => ({
    state: 'failed',
    reason,
    kept: keptFiles(evidence),
    seconds: (performance.now() - started) / 1000,
  });
  const absent = noService(options.env);
  if (absent) return failed(absent);
  if (artifactNameProblem(options.name))
    return failed(`the artifact name ${artifactNameProblem(options.name)}`);
  const selection = selectFiles(evidence, options.maxUploadBytes);
  try {
    return await withSealed(evidence.dir, options, failed, (sealed) =>
      publishSealed(options, selection, sealed, started, until, failed),
    );
  } catch (error) {
    return failed(`the upload could not be prepared (${errorCode(error)})`);
  }
}

/** Does `use` with files that are held open, and lets go of them however it ends. */
async function withSealed(
  dir: string | null,
  { scratch, makeRoom }: Scratch,
  failed: (reason: string) => Published,
  use: (sealed: Sealed) => Promise<Published>,
): Promise<Published> {
  let sealed: Sealed;
  try {
    sealed = await Sealed.open(dir, scratch, makeRoom);
  } catch (error) {
    return failed(`the evidence folder cannot be read for the upload (${errorCode(error)})`);
  }
  try {
    return await use(sealed);
  } catch (error) {
    if (!(error instanceof Unwritable)) throw error;
    const remedy = isFull({ code: error.message }) ? ': free some space there' : '';
    return failed(`the documents of the upload cannot be written to ${scratch} (${error.message})${remedy}`);
  } finally {
    await sealed.close();
  }
}

const SUMS = 'SHA256SUMS';
const SPOILT = 'changed while it was uploaded: the artifact may hold other bytes';

async function publishSealed(
  options: PublishOptions,
  selection: Selection,
  sealed: Sealed,
  started: number,
  until: number,
  failed: (reason: string) => Published,
): Promise<Published> {
  const { evidence } = options;
  for (const ref of selection.files) await sealed.add(ref);
  const notUploaded = [...selection.leftOut, ...sealed.leftOut];
  const files = sealed.files.map(plain);
  const total = totalBytes(files);
  let sent = 0;
  const onProgress = (bytes: number): void => {
    sent = bytes;
    options.onProgress?.(bytes);
  };
  const ports = { ...options, raw: false, onProgress };
  const stopTelling = tellProgress(options.log, total, () => sent);
  try {
    let name = options.name;
    for (let attempt = 1; ; attempt += 1) {
      const manifest = options.manifest({ name, files, leftOut: notUploaded });
      const texts = {
        'manifest.json': manifest,
        ...(options.memory === undefined ? {} : { 'memory.json': options.memory }),
      };
      const documents = await writeDocuments(sealed, texts, files);
      const order = [...documents, ...files].map(({ file }) => file);
      const answer = await uploadOnce(sealed, order, name, ports, until);
      if (answer.ok) {
        const changed = await sealed.changed();
        const whole = (file: ManifestFile): boolean => !changed.has(file.file);
        const spoilt = [...files, ...documents].filter((file) => !whole(file));
        return {
          state: 'uploaded',
          name,
          id: answer.id,
          url: artifactUrl(options.env, answer.id),
          digest: answer.digest === null ? null : `sha256:${answer.digest}`,
          size: answer.size,
          files: files.filter(whole),
          notUploaded: [...notUploaded, ...spoilt.map((file) => ({ ...file, reason: SPOILT }))],
          changed: [...changed],
          seconds: (performance.now() - started) / 1000,
          complete: notUploaded.length === 0 && changed.size === 0 && evidence.rejectedCount === 0,
        };
      }
      if (attempt > 1 || !isConflict(answer)) return failed(explain(answer, name));
      name = otherName(options.name, evidence.step);
      options.log?.(`an artifact named ${options.name} exists already in this run: trying ${name}`);
    }
  } finally {
    stopTelling();
  }
}

/**
 * Writes our documents and `SHA256SUMS` over everything; a second attempt writes them anew, since the name is in them.
 * @returns the documents, the sums last
 */
async function writeDocuments(
  sealed: Sealed,
  texts: Readonly<Record<string, string>>,
  files: readonly ManifestFile[],
): Promise<readonly ManifestFile[]> {
  const documents = Object.entries(texts).map(([file, text]) => ({ file, ...digestOf(text) }));
  for (const [file, text] of Object.entries(texts)) await sealed.write(file, text);
  const sums = sha256Sums([...documents, ...files]);
  await sealed.write(SUMS, sums);
  return [...documents, { file: SUMS, ...digestOf(sums) }];
}

export interface PublishPageOptions extends UploadPorts, Scratch {
  readonly html: string;
  /** Name of the artifact and of the file, with `.html`: GitHub shows such an artifact in the browser. */
  readonly name: string;
  /** The step's id, for another name when this one is taken. */
  readonly step: string;
  readonly retentionDays: number | null;
  readonly deadlineMs: number;
}

/** Publishes one HTML page as an artifact of its own, not zipped. Same promises as `publish`. */
export async function publishPage(options: PublishPageOptions): Promise<Published> {
  const started = performance.now();
  const until = started + options.deadlineMs;
  const seconds = (): number => (performance.now() - started) / 1000;
  const failed = (reason: string): Published => ({ state: 'failed', reason, kept: [], seconds: seconds() });
  const absent = noService(options.env);
  if (absent) return failed(absent);
  const stem = cleanArtifactName(options.name.replace(/\.html$/, ''));
  const publishIn = async (sealed: Sealed): Promise<Published> => {
    const page = digestOf(options.html);
    for (const name of [`${stem}.html`, `${otherName(stem, options.step)}.html`]) {
      await sealed.write(name, options.html);
      const answer = await uploadOnce(
        sealed,
        [name],
        name,
        { ...options, compressionLevel: 0, raw: true },
        until,
      );
      if (!answer.ok && isConflict(answer) && name === `${stem}.html`) continue;
      if (!answer.ok) return failed(explain(answer, name));
      // The client calls a file that was cut short while it was read a success: its digest tells.
      if (answer.digest !== bareDigest(page.digest))
        return failed('what was uploaded is not the page that was written');
      return {
        state: 'uploaded',
        name,
        id: answer.id,
        url: artifactUrl(options.env, answer.id),
        digest: page.digest,
        size: answer.size,
        files: [{ file: name, ...page }],
        notUploaded: [],
        changed: [],
        seconds: seconds(),
        complete: true,
      };
    }
    return failed('both names for the page are taken');
  };
  try {
    return await withSealed(null, options, failed, publishIn);
  } catch (error) {
    return failed(`the page could not be prepared (${errorCode(error)})`);
  }
}
