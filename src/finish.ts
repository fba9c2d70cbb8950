/**
 * Everything after the step, shared by main and by a post that has to finish for it:
 * evidence → parity → verdict and gates → manifest → published → report → outputs, exit code.
 *
 * A fault of ours on this way is a line in the log and in the manifest; the step's exit code stays what it is.
 */
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Runner } from './actions.js';
import { formatBytes } from './bytes.js';
import { type Ended, markOf } from './ended.js';
import { collect } from './evidence/collect.js';
import {
  buildManifest,
  cycleTotals,
  type Manifest,
  manifestText,
  snapshotReferences,
} from './evidence/manifest.js';
import { hostInNames } from './evidence/names.js';
import type { Receipt } from './evidence/receipt.js';
import { writeWhole } from './files.js';
import { finalExitCode, judgeGates } from './gates.js';
import { observeGpus } from './gpu/observe.js';
import { type Outputs, setOutputs } from './outputs.js';
import { parityOf } from './parity/run.js';
import type { Published } from './publish/publish.js';
import {
  manifestPublished,
  NOT_YET,
  publishEvidence,
  removeEvidence,
  reportOf,
  worthKeeping,
} from './publishing.js';
import { likelyReason, unreached, unreachedLine } from './reach.js';
import { annotations } from './report/annotations.js';
import { GUIDE_URL } from './report/guide.js';
import { peakJson } from './report/peak.js';
import { renderSummary } from './report/summary.js';
import { judge, openEnds } from './report/verdict.js';
import { hostOom, readHostCounters, readHostMemory } from './step/host.js';
import { nameProcess, processFacts, stepProcesses } from './step/proc.js';
import { count, logLine } from './text.js';
import { VERSION } from './version.js';

const GPU_TIMEOUT_MS = 5000;
/** In place of "cancelled": what a reader of the summary wants to know. */
const CUT_REASON = 'the job was cancelled before the upload was done; the post step tries again';

/** How it went. */
export interface Finished {
  /** Exit code of the action. */
  readonly code: number;
  /** Processes of the step that still run. */
  readonly stillRunning: number;
  /** A cancel stopped the upload. */
  readonly cut: boolean;
}

/** Outputs of a run that was refused for wrong inputs. */
export const REFUSED_OUTPUTS: Outputs = {
  'exit-code': 1,
  verdict: 'failed',
  'oom-count': 0,
  'snapshot-count': 0,
  snapshots: '[]',
  manifest: '',
  'artifact-id': '',
  'artifact-url': '',
  'artifact-digest': '',
  'report-url': '',
  'cycle-count': 0,
  parity: 'off',
  'evidence-dir': '',
};

/** Finishes the step and tells the runner. */
export async function finish(runner: Runner, ended: Ended): Promise<Finished> {
  const { plan, result } = ended;
  const log = (line: string): void => runner.info(logLine(line));
  const [evidence, gpuAfter] = await Promise.all([
    ended.late ?? collect({ dir: plan.evidenceDir, step: plan.id, isGone }),
    // Where there was no tool before the step there is none after it.
    ended.before.gpu?.state === 'absent'
      ? ended.before.gpu
      : observeGpus({ timeoutMs: GPU_TIMEOUT_MS, env: ended.env }),
  ]);
  const stillRunning = stepProcesses(markOf(ended)).map(({ pid }) => nameProcess(pid));
  const host = ended.before.host === null ? null : hostOom(ended.before.host, readHostCounters());
  const parity = await parityOf(ended, evidence, log);

  const stepCode = result?.exitCode ?? 1;
  // Nobody saw the end of a step whose main was killed. A runner does that on a cancel or a time limit; the kernel on a lack of memory.
  const cancelled =
    result === null
      ? !(host?.state === 'read' && host.scope === 'cgroup' && host.kills > 0)
      : result.cancelledBy !== null;
  const oomCount = evidence.receipts.reduce((sum, receipt) => sum + receipt.oom_count, 0);
  const cycles = cycleTotals(evidence.receipts);
  const verdict = judge({
    exitCode: stepCode,
    cancelled,
    startError: result?.startError ?? null,
    oomCount,
    endedByOom: evidence.receipts.filter((receipt) => receipt.end?.oom === true).length,
    threadsEndedByOom: evidence.receipts.filter((receipt) => receipt.thread_ends.some((end) => end.oom))
      .length,
    openEnds: openEnds(evidence.receipts, stillRunning, hostInNames(hostname())),
    // The machine's count may be of somebody else's process: it only explains a SIGKILL that was seen.
    hostOomKills:
      host?.state !== 'read' ? null : host.scope === 'machine' && stepCode !== 137 ? 0 : host.kills,
    hostOomScope: host?.state === 'read' ? host.scope : 'cgroup',
  });
  const unarmed = unreached(ended.seen?.sightings ?? [], evidence.receipts);
  const gates = judgeGates(
    {
      torchProcesses: evidence.receipts.length,
      shimFault: ended.shimLaid ? null : (ended.faults[0] ?? null),
      unreached: unreachedLine(unarmed),
      likely: likelyReason(ended.seen, ended.hints),
      cycleCount: cycles.count,
      topCycle: topCycle(evidence.receipts),
      cyclesUnseen: cyclesUnseen(evidence.receipts),
      parity: parity.state,
      parityReason: parity.reason,
      parityNotRun: parity.state === 'unverifiable' && parity.notRun,
    },
    plan.options,
  );

  const account = buildManifest({
    evidence,
    version: VERSION,
    now: Date.now(),
    step: {
      id: plan.id,
      shell: plan.command.file,
      exit_code: result === null ? null : stepCode,
      signal: result?.signal ?? null,
      cancelled,
      started: plan.startedAt / 1000,
      ended: result === null ? null : result.endedAt / 1000,
      workspace: plan.workspace,
    },
    runner: {
      name: plan.job.runnerName,
      host: hostInNames(hostname()),
      os: process.platform,
      arch: process.arch,
      repository: plan.job.repository,
      sha: plan.job.sha,
      run_id: plan.job.runId,
      run_attempt: plan.job.runAttempt,
      job: plan.job.job,
    },
    verdict,
    gpu: { before: ended.before.gpu, after: gpuAfter },
    host: {
      oom: host,
      memory: host?.state === 'read' && host.kills > 0 ? readHostMemory('/', host.ooms === 0) : null,
    },
    parity: { state: parity.state, reason: parity.reason, result: parity.result },
    notSeen: notSeen(evidence.receipts),
    unarmed,
    scriptHints: ended.hints,
    stillRunning,
    killed: result?.killed ?? ended.killed ?? [],
    gates,
    faults: ended.faults,
    published: NOT_YET,
  });

  const facts: Outputs = {
    'exit-code': stepCode,
    verdict: verdict.name,
    'oom-count': oomCount,
    'snapshot-count': evidence.snapshots.length,
    snapshots: JSON.stringify(snapshotReferences(evidence)),
    manifest: '',
    'artifact-id': '',
    'artifact-url': '',
    'artifact-digest': '',
    'report-url': '',
    'cycle-count': cycles.count,
    parity: parity.state,
    'evidence-dir': plan.evidenceDir,
  };
  // Whoever is killed while it uploads has told what it knows by now; later steps read the newest value.
  if (worthKeeping(evidence, verdict.name, gates)) setOutputs(runner, facts);
  const outcome = await publishEvidence(ended, evidence, account, log);
  const cut = outcome.state === 'failed' && ended.cancel?.overdue.aborted === true;
  const published = cut ? { ...outcome, reason: CUT_REASON } : outcome;
  const manifest: Manifest = { ...account, published: manifestPublished(published) };
  const manifestPath = join(plan.outputDir, ended.late ? LATE_MANIFEST : MANIFEST);
  await writeWhole(manifestPath, manifestText(manifest)).catch((error: Error) =>
    log(`${ended.late ? LATE_MANIFEST : MANIFEST} could not be written (${error.message})`),
  );
  if (manifest.processes.length > 0) {
    await writeWhole(join(plan.outputDir, 'peak.json'), peakJson(manifest)).catch(() => undefined);
  }
  const reportUrl = await reportOf(ended, evidence, manifest, published, log);
  const removed = await removeEvidence(plan, published, stillRunning.length > 0);
  tell(runner, manifest, published, ended, { removed, reportUrl });
  setOutputs(runner, {
    ...facts,
    manifest: existsSync(manifestPath) ? manifestPath : '',
    'artifact-id': published.state === 'uploaded' ? published.id : '',
    'artifact-url': published.state === 'uploaded' ? (published.url ?? '') : '',
    'artifact-digest': published.state === 'uploaded' ? (published.digest ?? '') : '',
    'report-url': reportUrl ?? '',
    'evidence-dir': removed ? '' : plan.evidenceDir,
  });
  return { code: finalExitCode(stepCode, gates), stillRunning: stillRunning.length, cut };
}

/** main's account of the step, in the plan's output folder. */
export const MANIFEST = 'manifest.json';
/** post's account of what came after it. */
const LATE_MANIFEST = 'manifest-late.json';

/**
 * Is the process that left this unfinished file gone? Only known of processes of this machine: their files begin with its name, as the shim
 * writes it, and on a shared folder the pids of another machine mean nothing here.
 */
export function isGone(pid: number, file: string): boolean {
  const host = hostInNames(hostname());
  // `uname` and the shim agree on Linux alone, and only there /proc tells who is gone.
  return process.platform === 'linux' && file.startsWith(`.${host}-`) && processFacts(pid) === null;
}

/** Log line, summary and annotations. A report that fails is told in the log and changes nothing else. */
function tell(
  runner: Runner,
  manifest: Manifest,
  published: Published,
  { plan, late }: Ended,
  { removed, reportUrl }: { readonly removed: boolean; readonly reportUrl: string | null },
): void {
  runner.info(logLine(`verdict ${manifest.verdict.name}: ${manifest.verdict.because}`));
  // The summary says so too, unless what hindered the upload, a full disk, hinders it as well.
  if (published.state === 'failed') {
    const kept = count(published.kept.length, 'file');
    runner.info(
      logLine(`the evidence was not uploaded: ${published.reason}; ${kept} kept in ${plan.evidenceDir}`),
    );
  }
  try {
    const summary = renderSummary(manifest, {
      ...artifactLinks(published),
      reportUrl,
      evidenceDir: removed ? null : plan.evidenceDir,
      guideUrl: GUIDE_URL,
    });
    runner.summary(late ? `${LATE_HEADING}\n\n${summary}` : summary);
  } catch (error) {
    runner.info(logLine(`the summary could not be written (${(error as Error).message})`));
  }
  for (const { level, message, place } of annotations(manifest, plan.workspace)) {
    runner.annotate(level, message, place);
  }
}

const LATE_HEADING =
  '### After the step had ended\n\nProcesses that it left running went on; this is what they wrote since.';

const artifactLinks = (published: Published) =>
  published.state === 'uploaded'
    ? {
        artifactName: published.name,
        artifactId: published.id,
        artifactUrl: published.url,
        artifactDigest: published.digest,
      }
    : { artifactName: null, artifactId: null, artifactUrl: null, artifactDigest: null };

/** One line for each kind of process that left a receipt but could not be recorded. */
function notSeen(receipts: readonly Receipt[]): readonly string[] {
  const reasons = new Map<string, number>();
  for (const { recorder } of receipts) {
    if (recorder.state !== 'unsupported' && recorder.state !== 'failed') continue;
    const reason = recorder.reason ?? 'the receipt gives no reason';
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  const lines = [...reasons].map(
    ([reason, n]) => `${count(n, 'process', 'processes')} not recorded: ${reason}`,
  );
  const cycles = cyclesUnseen(receipts);
  return cycles === null ? lines : [...lines, `Reference cycles were not fully looked for: ${cycles}`];
}

/** Looks for cycles that failed, were cut short or were not taken, in one line: what they did not see may be there. */
export function cyclesUnseen(receipts: readonly Pick<Receipt, 'cycles'>[]): string | null {
  const reasons = receipts.flatMap(({ cycles }) =>
    cycles !== null &&
    (cycles.state === 'failed' || /^(a look was cut short|not looked)/.test(cycles.reason ?? ''))
      ? [cycles.reason ?? 'the watch failed']
      : [],
  );
  return reasons.length === 0 ? null : `${reasons[0]} (${count(reasons.length, 'process', 'processes')})`;
}

/** The cycle that holds most, in one line. */
function topCycle(receipts: readonly Receipt[]): string | null {
  const held = (bytes: Readonly<Record<string, number>>): number =>
    Object.values(bytes).reduce((sum, n) => sum + n, 0);
  const top = receipts
    .flatMap((receipt) => receipt.cycles?.cycles ?? [])
    .sort((a, b) => held(b.bytes) - held(a.bytes))[0];
  if (!top) return null;
  const types = top.types
    .slice(0, 3)
    .map((type) => type.name)
    .join(', ');
  return `${types} holding ${formatBytes(held(top.bytes))}`;
}
