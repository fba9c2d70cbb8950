/**
 * What is left to do after a main that has left its own account (manifest.json in the output folder), which says what has been
 * told and published: evidence that came since, an upload that a cancel stopped, and what a kill kept main from telling.
 */
import { join } from 'node:path';
import type { CollectedReceipt, Evidence } from '../evidence/collect.js';
import { MANIFEST_SCHEMA, type Manifest, type ManifestProcess, manifestText } from '../evidence/manifest.js';
import { readRegular } from '../evidence/safe-fs.js';
import { endedByOom } from '../judge/outside.js';
import { isVerdict } from '../judge/verdicts.js';
import { formatBytes } from '../lib/bytes.js';
import { writeWhole } from '../lib/files.js';
import { count, logLine } from '../lib/text.js';
import type { Plan } from '../plan.js';
import { escapeCode, escapeText, markdown } from '../report/markdown.js';
import { code, link, say } from '../report/rich.js';
import type { Runner } from '../runner/runner.js';
import type { Ended } from '../step/ended.js';
import { fileKey, filesOf } from './cleanup.js';
import { CUT_REASON, conclude, MANIFEST, TOLD, type Told } from './deliver.js';
import { type Published, publish } from './publish.js';
import {
  documentsOf,
  manifestPublished,
  NOT_YET,
  publishDeadline,
  publishedOf,
  reportOf,
  uploadSettings,
} from './publishing.js';

/** Receipts are held to 64 MiB in all, and the manifest repeats them with blanks. */
const MAX_MANIFEST_BYTES = 256 * 2 ** 20;

/** The account of this step as it lies on disk; null when there is none that can be read. */
export async function readManifest(plan: Plan): Promise<Manifest | null> {
  try {
    const manifest = JSON.parse(await readRegular(plan.outputDir, MANIFEST, MAX_MANIFEST_BYTES)) as Manifest;
    const lists = [manifest.files, manifest.snapshots, manifest.processes, manifest.published.left_out];
    const ours =
      manifest.schema === MANIFEST_SCHEMA && manifest.step.id === plan.id && isVerdict(manifest.verdict.name);
    return ours && lists.every(Array.isArray) ? manifest : null;
  } catch {
    return null;
  }
}

const knownFiles = (told: Manifest | null): ReadonlySet<string> =>
  new Set([...(told?.files ?? []), ...(told?.snapshots ?? [])].map(fileKey));

/** Does a receipt tell of an out-of-memory that `told` does not know, or that one ended its process or a thread? */
function tellsMore(receipt: CollectedReceipt, told: ManifestProcess | undefined): boolean {
  const threads = (ends: ManifestProcess['thread_ends'] = []): number => ends.filter((end) => end.oom).length;
  return (
    receipt.oom_count > (told?.oom_count ?? 0) ||
    (endedByOom(receipt) && !(told && endedByOom(told))) ||
    threads(receipt.thread_ends) > threads(told?.thread_ends)
  );
}

/**
 * The part of the evidence that `told` does not know: new or changed snapshots, receipts that tell of more than before,
 * and the receipts that belong to any of those. A receipt that only says that its process has ended since, otherwise than by an
 * out-of-memory, is no news. Pure.
 */
export function newEvidence(evidence: Evidence, told: Manifest | null): Evidence {
  const files = knownFiles(told);
  const processes = new Map((told?.processes ?? []).map((process) => [process.receipt, process]));
  const snapshots = evidence.snapshots.filter((snapshot) => !files.has(fileKey(snapshot)));
  const owners = new Set(snapshots.map((snapshot) => snapshot.receipt));
  const receipts = evidence.receipts.filter(
    (receipt) => owners.has(receipt.file) || tellsMore(receipt, processes.get(receipt.file)),
  );
  return { ...evidence, receipts, snapshots, unread: [] };
}

/** The part of the evidence that `told` knows, with receipts as they are by now. Pure. */
export function toldEvidence(evidence: Evidence, told: Manifest): Evidence {
  const files = knownFiles(told);
  const names = new Set(told.files.map(({ file }) => file));
  return {
    ...evidence,
    receipts: evidence.receipts.filter(({ file }) => names.has(file)),
    snapshots: evidence.snapshots.filter((snapshot) => files.has(fileKey(snapshot))),
  };
}

export const hasEvidence = ({ receipts, snapshots }: Evidence): boolean =>
  receipts.length + snapshots.length > 0;

const LATE_ENDING = '-late';

/** The plan for an artifact beside main's, with no gate: they have been judged. */
export function latePlan(plan: Plan): Plan {
  const name = `${plan.options.artifactName.slice(0, 200 - LATE_ENDING.length)}${LATE_ENDING}`;
  return {
    ...plan,
    options: { ...plan.options, artifactName: name, parity: 'off', cycles: 'off', ifNoTorch: 'ignore' },
  };
}

/**
 * Tells what main had published and was killed before it told, or publishes what it had not. What is in an artifact is not uploaded
 * again, and what the runner has been told is not told again.
 * @param told main's own account, which knows more than post does
 * @param how how much of it is with the runner
 */
export async function goOn(
  runner: Runner,
  ended: Ended,
  evidence: Evidence,
  told: Manifest,
  how: Told | null,
): Promise<void> {
  const done = publishedOf(told);
  if (how === null) {
    const account = done === null ? { ...withFiles(told, evidence), published: NOT_YET } : told;
    await conclude(runner, ended, toldEvidence(evidence, told), account, done);
  } else if (done === null && (told.published.state === 'planned' || told.published.reason === CUT_REASON)) {
    await publishAgain(runner, ended, evidence, told);
  } else if (done !== null && how === 'first') {
    const log = (line: string): void => runner.info(logLine(line));
    const part = toldEvidence(evidence, told);
    runner.summary(uploadParagraph(done, await reportOf(ended, part, told, done, log)));
  }
}

/** How much of main's account is with the runner. */
export const readTold = (plan: Plan): Promise<Told | null> =>
  readRegular(plan.outputDir, TOLD, 10).then(
    (text) => (text === 'first' || text === 'all' ? text : null),
    () => null,
  );

/** The account, with receipts as they are by now: that is what an upload takes. */
function withFiles(told: Manifest, evidence: Evidence): Manifest {
  const now = new Map(filesOf(evidence).map((file) => [file.file, file]));
  const files = told.files.map((file) => {
    const { bytes, digest } = now.get(file.file) ?? file;
    return { file: file.file, bytes, digest };
  });
  return { ...told, files };
}

/** Uploads what main had begun to upload, with main's own account. */
async function publishAgain(
  runner: Runner,
  ended: Pick<Ended, 'plan' | 'env' | 'actionDir'>,
  evidence: Evidence,
  told: Manifest,
): Promise<void> {
  const log = (line: string): void => runner.info(logLine(line));
  const part = toldEvidence(evidence, told);
  const account = withFiles(told, part);
  log(`publishing ${count(part.snapshots.length, 'snapshot')}, whose upload had been stopped …`);
  const published = await publish({
    ...uploadSettings(ended),
    evidence: part,
    ...documentsOf(account),
    deadlineMs: publishDeadline(ended.env, true),
    log,
  });
  const manifest: Manifest = { ...account, published: manifestPublished(published) };
  await writeWhole(join(ended.plan.outputDir, MANIFEST), manifestText(manifest)).catch((error: Error) =>
    log(`${MANIFEST} could not be written (${error.message})`),
  );
  runner.summary(uploadParagraph(published, await reportOf(ended, part, manifest, published, log)));
}

/** What became of an upload that a cancel or a kill had stopped. Markdown. */
export function uploadParagraph(published: Published, reportUrl: string | null = null): string {
  const title = '### The upload that had been stopped\n\n';
  if (published.state !== 'uploaded') {
    const kept = published.state === 'failed' ? published.kept : [];
    const rows = kept
      .slice(0, 24)
      .map(
        ({ path, bytes, digest }) => `- ${escapeCode(path)}, ${formatBytes(bytes)}, ${escapeCode(digest)}\n`,
      );
    const more = kept.length > rows.length ? `\nand ${kept.length - rows.length} more.\n` : '';
    return `${title}${escapeText(`It did not succeed: ${published.reason}. The files stay on the runner.`)}\n\n${rows.join('')}${more}`;
  }
  const { name, url, digest, files } = published;
  const words = say`It is done: artifact ${link([name], url)} with ${count(files.length, 'file')}, zip ${code(digest ?? 'without a digest')}.${reportUrl === null ? null : say` ${link(['The report'], reportUrl)}.`}`;
  return `${title}${markdown(words)}\n`;
}
