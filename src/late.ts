/**
 * What is left to do after a main that finished: evidence that the step's surviving processes wrote since, and an upload that a
 * cancel stopped. main's own account (manifest.json in the output folder) says what has been told and published.
 */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Runner } from './actions.js';
import { formatBytes } from './bytes.js';
import { collect, type Evidence } from './evidence/collect.js';
import { MANIFEST_SCHEMA, type Manifest, type ManifestFile, manifestText } from './evidence/manifest.js';
import { writeWhole } from './files.js';
import { isGone, MANIFEST } from './finish.js';
import { type Plan, STEP_VARIABLE } from './plan.js';
import { type Published, publish } from './publish/publish.js';
import {
  documentsOf,
  manifestPublished,
  publishDeadline,
  removeEvidence,
  reportOf,
  uploadSettings,
} from './publishing.js';
import { escapeCode, escapeText, markdown } from './report/markdown.js';
import { code, link, say } from './report/rich.js';
import { stepProcesses } from './step/proc.js';
import { count, logLine } from './text.js';

/** Receipts are held to 64 MiB in all, and the manifest repeats them with blanks. */
const MAX_MANIFEST_BYTES = 256 * 2 ** 20;

/** main's account as it lies on disk; null when there is none that can be read. */
export async function readManifest(plan: Plan): Promise<Manifest | null> {
  try {
    const path = join(plan.outputDir, MANIFEST);
    const { size } = await stat(path);
    if (size > MAX_MANIFEST_BYTES) return null;
    const manifest = JSON.parse(await readFile(path, 'utf8')) as Manifest;
    const lists = [manifest.files, manifest.snapshots, manifest.processes, manifest.published.left_out];
    return manifest.schema === MANIFEST_SCHEMA && lists.every(Array.isArray) ? manifest : null;
  } catch {
    return null;
  }
}

const key = ({ file, digest }: Pick<ManifestFile, 'file' | 'digest'>): string => `${file} ${digest}`;

/**
 * The part of the evidence that `told` does not know: new or changed snapshots and pages, receipts that count more
 * out-of-memory events than before, and the receipts that belong to any of those. A receipt that only says that
 * its process has ended since is no news. Pure.
 */
export function newEvidence(evidence: Evidence, told: Manifest | null): Evidence {
  const files = new Set([...(told?.files ?? []), ...(told?.snapshots ?? [])].map(key));
  const counts = new Map((told?.processes ?? []).map((process) => [process.receipt, process.oom_count]));
  const snapshots = evidence.snapshots.filter((snapshot) => !files.has(key(snapshot)));
  const pages = evidence.pages.filter((page) => !files.has(key(page)));
  const owners = new Set(snapshots.map((snapshot) => snapshot.receipt));
  const receipts = evidence.receipts.filter(
    (receipt) => owners.has(receipt.file) || receipt.oom_count > (counts.get(receipt.file) ?? 0),
  );
  return { ...evidence, receipts, snapshots, pages };
}

export const hasEvidence = ({ receipts, snapshots, pages }: Evidence): boolean =>
  receipts.length + snapshots.length + pages.length > 0;

/** Does main's artifact hold all that main had collected? Then nothing but what came later is on disk alone. */
export const publishedWhole = (told: Manifest | null): boolean =>
  told?.published.state === 'uploaded' && told.published.left_out.length === 0 && told.rejected_count === 0;

const LATE_ENDING = '-late';

/** The plan for an artifact beside main's, with no gate: they have been judged. */
export function latePlan(plan: Plan, told: Manifest | null): Plan {
  const name = `${plan.options.artifactName.slice(0, 200 - LATE_ENDING.length)}${LATE_ENDING}`;
  return {
    ...plan,
    evidenceKept: plan.evidenceKept || !publishedWhole(told),
    options: { ...plan.options, artifactName: name, parity: 'off', cycles: 'off', ifNoTorch: 'ignore' },
  };
}

/**
 * Uploads what main had begun to upload, with main's own account, which knows more than post does.
 * @returns false when that account cannot be read, so that all has to be gathered anew
 */
export async function publishAgain(
  runner: Runner,
  ended: { readonly plan: Plan; readonly env: NodeJS.ProcessEnv; readonly distDir: string },
): Promise<boolean> {
  const told = await readManifest(ended.plan);
  if (told === null) return false;
  const log = (line: string): void => runner.info(logLine(line));
  const evidence = await collect({ dir: ended.plan.evidenceDir, step: ended.plan.id, isGone });
  log(`publishing ${count(evidence.snapshots.length, 'snapshot')}, which a cancel had stopped …`);
  const published = await publish({
    ...uploadSettings(ended),
    evidence,
    ...documentsOf(told),
    deadlineMs: publishDeadline(ended.env, true),
    log,
  });
  const account: Manifest = { ...told, published: manifestPublished(published) };
  await writeWhole(join(ended.plan.outputDir, MANIFEST), manifestText(account)).catch((error: Error) =>
    log(`${MANIFEST} could not be written (${error.message})`),
  );
  runner.summary(uploadParagraph(published, await reportOf(ended, evidence, account, published, log)));
  const mark = { leader: null, variable: `${STEP_VARIABLE}=${ended.plan.id}` };
  await removeEvidence(ended.plan, published, stepProcesses(mark).length > 0);
  return true;
}

/** What became of an upload that a cancel had stopped. Markdown. */
export function uploadParagraph(published: Published, reportUrl: string | null = null): string {
  const title = '### The upload that the cancel had stopped\n\n';
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
