/**
 * What follows the account of a step: published → manifest → report → summary, annotations, outputs. Shared by main, by a post
 * that finishes for it, and by one that goes on from main's own account.
 */
import { existsSync, writeFileSync } from 'node:fs';
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
import type { Ended } from '../step/ended.js';
import { isSpent, removeSpent } from './cleanup.js';
import type { Published } from './publish.js';
import { manifestPublished, publishEvidence, reportOf, worthKeeping } from './publishing.js';

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
/** An empty file beside the account: its summary is with the runner. */
export const TOLD = 'told';

/** How it went. */
export interface Concluded {
  /** The account, with what became of the upload. */
  readonly manifest: Manifest;
  /** A cancel stopped the upload. */
  readonly cut: boolean;
  /** The artifact holds all of the evidence, and nobody of the step is left: its folder, which is ours, may go. */
  readonly spent: boolean;
}

/** Outputs of a step as its account has them, before anything is said of an artifact. */
const factsOf = (account: Manifest, evidenceDir: string): Outputs => ({
  'exit-code': account.step.exit_code ?? 1,
  verdict: account.verdict.name,
  'oom-count': account.oom_count,
  fingerprint: account.fingerprint,
  'snapshot-count': account.snapshots.length,
  snapshots: JSON.stringify(account.snapshots),
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
  if (worthKeeping(evidence, account.verdict.name, account.gates)) setOutputs(runner, facts);
  const outcome = before ?? (await publishEvidence(ended, evidence, account, log));
  const cut = outcome.state === 'failed' && ended.cancel?.overdue.aborted === true;
  const published = cut ? { ...outcome, reason: CUT_REASON } : outcome;
  const manifest: Manifest = { ...account, published: manifestPublished(published) };
  const name = late ? LATE_MANIFEST : MANIFEST;
  const manifestPath = join(plan.outputDir, name);
  const written = await writeWhole(manifestPath, manifestText(manifest), ended.makeRoom).then(
    () => true,
    (error: Error) => {
      log(`${name} could not be written (${error.message})`);
      return false;
    },
  );
  if (manifest.processes.length > 0) {
    const memory = memoryOf(manifest);
    for (const [file, text] of [
      [MEMORY, memoryText(memory)],
      [BENCHMARK, benchmarkText(memory)],
    ] as const) {
      await writeWhole(join(plan.outputDir, file), text, ended.makeRoom).catch((error: Error) =>
        log(`${file} could not be written (${error.message})`),
      );
    }
  }
  const reportUrl = await reportOf(ended, evidence, manifest, published, log);
  const inUse = manifest.still_running.length > 0;
  const spent = !late && !plan.evidenceKept && !inUse && isSpent(evidence, [manifest]);
  // On a full disk its room is what summary and outputs need; a post that had to go on would have no account of it anyway.
  const gone = spent && !written && (await removeSpent(evidence));
  await tell(runner, manifest, published, ended, { evidenceDir: spent ? null : plan.evidenceDir, reportUrl });
  if (!late) markTold(plan.outputDir);
  setOutputs(runner, {
    ...facts,
    manifest: existsSync(manifestPath) ? manifestPath : '',
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

/** By one call and at once: a green step pays for it too. On a full disk there is no mark, and a post would tell once more. */
function markTold(folder: string): void {
  try {
    writeFileSync(join(folder, TOLD), '');
  } catch {
    // as said
  }
}

/** Takes the evidence folder of a step that was told away. What came to it meanwhile stays, and is told. @returns true when it is gone */
export async function takeAway(runner: Runner, evidence: Evidence): Promise<boolean> {
  if (await removeSpent(evidence)) return true;
  runner.info(logLine('the evidence folder was kept: something in it came after the rest was collected'));
  runner.setOutputs({ 'evidence-dir': evidence.dir });
  return false;
}

/** Log line, summary and annotations. A report that fails is told in the log and changes nothing else. */
async function tell(
  runner: Runner,
  manifest: Manifest,
  published: Published,
  { plan, late, makeRoom }: Ended,
  where: { readonly evidenceDir: string | null; readonly reportUrl: string | null },
): Promise<void> {
  runner.info(logLine(`verdict ${manifest.verdict.name}: ${manifest.verdict.because}`));
  // The summary says so too, unless what hindered the upload, a full disk, hinders it as well.
  if (published.state === 'failed') {
    const kept = count(published.kept.length, 'file');
    runner.info(
      logLine(`the evidence was not uploaded: ${published.reason}; ${kept} kept in ${plan.evidenceDir}`),
    );
  }
  try {
    const heading = late ? `${LATE_HEADING}\n\n` : '';
    const links = { ...artifactLinks(published), ...where, guideUrl: GUIDE_URL };
    const room = Math.min(SUMMARY_BUDGET, runner.summaryRoom() - heading.length);
    const summary = renderSummary(manifest, links, room);
    if (summary !== '') runner.summary(heading + summary);
    else
      runner.info(logLine('the summary that the step itself wrote leaves no room for ours (1 MiB in all)'));
    if (!late) {
      const text = renderSummary(manifest, links, COMMENT_BUDGET);
      await writeWhole(join(plan.outputDir, SUMMARY), text, makeRoom).catch((error: Error) =>
        runner.info(logLine(`${SUMMARY} could not be written (${error.message})`)),
      );
    }
  } catch (error) {
    runner.info(logLine(`the summary could not be written (${(error as Error).message})`));
  }
  for (const { level, message, place } of annotations(manifest, plan.workspace)) {
    await runner.annotate(level, message, place);
  }
}

const LATE_HEADING =
  '### After the step had ended\n\nProcesses that it had started went on; this is what they wrote since.';

const artifactLinks = (published: Published) =>
  published.state === 'uploaded'
    ? {
        artifactName: published.name,
        artifactId: published.id,
        artifactUrl: published.url,
        artifactDigest: published.digest,
      }
    : { artifactName: null, artifactId: null, artifactUrl: null, artifactDigest: null };
