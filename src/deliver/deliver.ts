/**
 * What follows the account of a step: published → manifest → report → summary, annotations, outputs. Shared by main, by a post
 * that finishes for it, and by one that goes on from main's own account.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Evidence } from '../evidence/collect.js';
import { type Manifest, manifestText } from '../evidence/manifest.js';
import { writeWhole } from '../lib/files.js';
import { count, logLine } from '../lib/text.js';
import { benchmarkText, memoryOf, memoryText } from '../memory/document.js';
import { annotations } from '../report/annotations.js';
import { GUIDE_URL } from '../report/guide.js';
import { COMMENT_BUDGET, renderSummary, SUMMARY_BUDGET } from '../report/summary/summary.js';
import { type Outputs, setOutputs } from '../runner/outputs.js';
import type { Runner } from '../runner/runner.js';
import { saveFinished } from '../state.js';
import type { Ended } from '../step/ended.js';
import { isSpent, removeSpent } from './cleanup.js';
import type { Published } from './publish.js';
import { manifestPublished, publishEvidence, reportOf, toUpload } from './publishing.js';

/** In place of "cancelled": what a reader of the summary wants to know. */
export const CUT_REASON = 'the job was cancelled before the upload was done; the post step tries again';
/** main's account of the step, in the plan's output folder. */
export const MANIFEST = 'manifest.json';
/** The peaks of the step, in the plan's output folder and in the artifact. */
const MEMORY = 'memory.json';
/** The same in the form that github-action-benchmark takes. */
const BENCHMARK = 'memory-benchmark.json';
/** The summary within COMMENT_BUDGET, in the plan's output folder. */
const SUMMARY = 'summary.md';
/** post's account of what came after it. */
const LATE_MANIFEST = 'manifest-late.json';

/** Beside the account: how much of it is with the runner. */
export const TOLD = 'told';
/** `first`, the verdict with what the receipts say; `all`, the upload too. */
export type Told = 'first' | 'all';

/** How it went. */
export interface Concluded {
  /** The account, with what became of the upload. */
  readonly manifest: Manifest;
  /** A cancel stopped the upload. */
  readonly cut: boolean;
  /** The artifact holds all of the evidence, and nobody of the step is left: its folder, which is ours, may go. */
  readonly spent: boolean;
}

/** The runner takes 1 MiB for all outputs of a job; a later step gets this one as an environment variable. */
const LIST_BYTES = 32 * 1024;

/** As many from the beginning as fit. `snapshot-count` has their number. */
export function boundedList(list: readonly unknown[]): string {
  const texts: string[] = [];
  let left = LIST_BYTES - 2;
  for (const item of list) {
    const text = JSON.stringify(item);
    left -= Buffer.byteLength(text) + 1;
    if (left < 0) break;
    texts.push(text);
  }
  return `[${texts.join(',')}]`;
}

/** Outputs of a step as its account has them, before anything is said of an artifact. */
const factsOf = (account: Manifest, evidenceDir: string): Outputs => ({
  'exit-code': account.step.exit_code ?? 1,
  verdict: account.verdict.name,
  'oom-count': account.oom_count,
  fingerprint: account.fingerprint,
  'snapshot-count': account.snapshots.length,
  snapshots: boundedList(account.snapshots),
  manifest: '',
  'artifact-id': '',
  'artifact-url': '',
  'artifact-digest': '',
  'report-url': '',
  'cycle-count': account.cycles.count,
  parity: account.parity.state,
  'peak-allocated': account.memory.peak_allocated ?? '',
  'peak-reserved': account.memory.peak_reserved ?? '',
  'memory-file': '',
  'summary-file': '',
  'evidence-dir': evidenceDir,
});

/**
 * Publishes the evidence and tells the runner. The evidence folder goes last, by `takeAway`: whoever is killed before has left all
 * that post needs to tell the same.
 * @param account says nothing of the upload yet, unless `before` does
 * @param before the upload, where it was done already
 */
export async function conclude(
  runner: Runner,
  ended: Ended,
  evidence: Evidence,
  account: Manifest,
  before: Published | null = null,
): Promise<Concluded> {
  const { plan, late } = ended;
  const log = (line: string): void => runner.info(logLine(line));
  const facts = factsOf(account, plan.evidenceDir);
  // Whoever is killed while it uploads has told what it knows by now; later steps read the newest value.
  let first: string | undefined;
  if (before === null && toUpload(plan, evidence, account)) {
    setOutputs(runner, facts);
    await keepAccount(ended, account, log);
    first = await tell(runner, account, { state: 'planned' }, ended, {
      ...NOWHERE,
      evidenceDir: plan.evidenceDir,
    });
    await markTold(ended, 'first');
  }
  const outcome = before ?? (await publishEvidence(ended, evidence, account, log));
  const cut = outcome.state === 'failed' && ended.cancel?.overdue.aborted === true;
  const published = cut ? { ...outcome, reason: CUT_REASON } : outcome;
  const manifest: Manifest = { ...account, published: manifestPublished(published) };
  const manifestPath = await keepAccount(ended, manifest, log);
  const reportUrl = await reportOf(ended, evidence, manifest, published, log);
  const inUse = manifest.still_running.length > 0;
  const spent = !late && !plan.evidenceKept && !inUse && isSpent(evidence, [manifest]);
  // On a full disk its room is what summary and outputs need; a post that had to go on would have no account of it anyway.
  const gone = spent && manifestPath === null && (await removeSpent(evidence));
  const where = { evidenceDir: spent ? null : plan.evidenceDir, reportUrl };
  await tell(runner, manifest, published, ended, where, first);
  await markTold(ended, 'all');
  if (!late) saveFinished(runner, 'told');
  setOutputs(runner, {
    ...facts,
    manifest: manifestPath ?? '',
    'artifact-id': published.state === 'uploaded' ? published.id : '',
    'artifact-url': published.state === 'uploaded' ? (published.url ?? '') : '',
    'artifact-digest': published.state === 'uploaded' ? (published.digest ?? '') : '',
    'report-url': reportUrl ?? '',
    'memory-file': existsSync(join(plan.outputDir, MEMORY)) ? join(plan.outputDir, MEMORY) : '',
    'summary-file': existsSync(join(plan.outputDir, SUMMARY)) ? join(plan.outputDir, SUMMARY) : '',
    'evidence-dir': spent ? '' : plan.evidenceDir,
  });
  return { manifest, cut, spent: spent && !gone };
}

const NOWHERE = { evidenceDir: null, reportUrl: null };

/** Writes the account, and the peaks in it, into the step's output folder. @returns the account's path, or null */
async function keepAccount(
  { plan, late, makeRoom }: Ended,
  manifest: Manifest,
  log: (line: string) => void,
): Promise<string | null> {
  const write = (file: string, text: string): Promise<string | null> =>
    writeWhole(join(plan.outputDir, file), text, makeRoom).then(
      () => join(plan.outputDir, file),
      (error: Error) => {
        log(`${file} could not be written (${error.message})`);
        return null;
      },
    );
  const path = await write(late ? LATE_MANIFEST : MANIFEST, manifestText(manifest));
  if (manifest.processes.length > 0) {
    const memory = memoryOf(manifest);
    await write(MEMORY, memoryText(memory));
    await write(BENCHMARK, benchmarkText(memory));
  }
  return path;
}

/** On a full disk there is no mark, and a post would tell once more. */
const markTold = ({ plan, late }: Ended, told: Told): Promise<void> =>
  late ? Promise.resolve() : writeWhole(join(plan.outputDir, TOLD), told).catch(() => undefined);

/** Takes the evidence folder of a step that was told away. What came to it meanwhile stays, and is told. @returns true when it is gone */
export async function takeAway(runner: Runner, evidence: Evidence): Promise<boolean> {
  if (await removeSpent(evidence)) return true;
  runner.info(logLine('the evidence folder was kept: something in it came after the rest was collected'));
  runner.setOutputs({ 'evidence-dir': evidence.dir });
  return false;
}

/**
 * Log line, summary and annotations. A report that fails is told in the log and changes nothing else.
 * @param first what was told before the upload: only the summary is told again, in its place
 * @returns the summary
 */
async function tell(
  runner: Runner,
  manifest: Manifest,
  published: Published | { readonly state: 'planned' },
  { plan, late, makeRoom }: Ended,
  where: { readonly evidenceDir: string | null; readonly reportUrl: string | null },
  first?: string,
): Promise<string> {
  const again = first !== undefined;
  if (!again) runner.info(logLine(`verdict ${manifest.verdict.name}: ${manifest.verdict.because}`));
  // The summary says so too, unless what hindered the upload, a full disk, hinders it as well.
  if (published.state === 'failed') {
    const kept = count(published.kept.length, 'file');
    runner.info(
      logLine(`the evidence was not uploaded: ${published.reason}; ${kept} kept in ${plan.evidenceDir}`),
    );
  }
  let summary = '';
  try {
    const heading = late ? `${LATE_HEADING}\n\n` : '';
    const links = { ...artifactLinks(published), ...where, guideUrl: GUIDE_URL };
    const room = Math.min(SUMMARY_BUDGET, runner.summaryRoom(first) - heading.length);
    const text = renderSummary(manifest, links, room);
    summary = text === '' ? '' : heading + text;
    if (summary !== '') runner.summary(summary, first);
    else if (!again)
      runner.info(logLine('the summary that the step itself wrote leaves no room for ours (1 MiB in all)'));
    if (!late && published.state !== 'planned') {
      const comment = renderSummary(manifest, links, COMMENT_BUDGET);
      await writeWhole(join(plan.outputDir, SUMMARY), comment, makeRoom).catch((error: Error) =>
        runner.info(logLine(`${SUMMARY} could not be written (${error.message})`)),
      );
    }
  } catch (error) {
    runner.info(logLine(`the summary could not be written (${(error as Error).message})`));
  }
  if (again) return summary;
  for (const { level, message, place } of annotations(manifest, plan.workspace)) {
    await runner.annotate(level, message, place);
  }
  return summary;
}

const LATE_HEADING =
  '### After the step had ended\n\nProcesses that it had started went on; this is what they wrote since.';

const artifactLinks = (published: Published | { readonly state: 'planned' }) =>
  published.state === 'uploaded'
    ? {
        artifactName: published.name,
        artifactId: published.id,
        artifactUrl: published.url,
        artifactDigest: published.digest,
      }
    : { artifactName: null, artifactId: null, artifactUrl: null, artifactDigest: null };
