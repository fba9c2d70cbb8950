/**
 * Everything after the step, shared by main and by a post that has to finish for it:
 * evidence → parity → verdict and gates → manifest → published → report → outputs, exit code.
 *
 * A fault of ours on this way is a line in the log and in the manifest; the step's exit code stays what it is.
 */
import { existsSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, isAbsolute, join } from 'node:path';
import { inputVariable, type Runner } from './actions.js';
import { formatBytes } from './bytes.js';
import { collect, type Evidence } from './evidence/collect.js';
import {
  buildManifest,
  cycleTotals,
  type Manifest,
  type ManifestParts,
  type ManifestPublished,
  manifestText,
  snapshotReferences,
} from './evidence/manifest.js';
import type { Receipt } from './evidence/receipt.js';
import { finalExitCode, type GateFinding, judgeGates } from './gates.js';
import { type GpuObservation, observeGpus } from './gpu/observe.js';
import { INPUT_NAMES } from './inputs.js';
import { type Outputs, setOutputs } from './outputs.js';
import type { Parity } from './parity/check.js';
import { fixturePath, interpreterPath } from './parity/paths.js';
import { type Plan, plainStepEnvironment, STEP_VARIABLE } from './plan.js';
import type { Published } from './publish/publish.js';
import { likelyReason, unreached, unreachedLine } from './reach.js';
import { annotations } from './report/annotations.js';
import { peakJson } from './report/peak.js';
import { renderSummary } from './report/summary.js';
import { judge } from './report/verdict.js';
import type { CancelWatch } from './step/cancel.js';
import { type HostCounters, hostOom, readHostCounters, readHostMemory } from './step/host.js';
import { type NamedProcess, nameProcess, processFacts, stepProcesses } from './step/proc.js';
import type { RunResult } from './step/process.js';
import type { ScriptHint } from './step/script-hints.js';
import type { Seen } from './step/watch.js';
import { count, logLine } from './text.js';
import { VERSION } from './version.js';

const GPU_TIMEOUT_MS = 5000;
/** The check is meant to take 10 s; a cold disk or a loaded machine may need several times that. */
const PARITY_TIMEOUT_MS = 180_000;
/** For everything that is uploaded. Half of the time limits that workflows set are below an hour. */
const PUBLISH_DEADLINE_MS = 10 * 60_000;
/** After a cancel the runner gives the post steps of a job five minutes in all. */
const PUBLISH_AFTER_CANCEL_MS = 120_000;
/** The page is a few megabytes at most. */
const REPORT_DEADLINE_MS = 60_000;
/** Seconds that publishing may take, for slow lines (10 GiB at 10 MB/s take 18 minutes) and for jobs that cannot wait. */
const PUBLISH_TIMEOUT_VARIABLE = 'OOM_AUTOPSY_PUBLISH_TIMEOUT';
/** In place of "cancelled": what a reader of the summary wants to know. */
const CUT_REASON = 'the job was cancelled before the upload was done; the post step tries again';

/** What is known when the step has ended. */
export interface Ended {
  readonly plan: Plan;
  readonly env: NodeJS.ProcessEnv;
  /** Null when main was killed, so that nobody saw how the step ended. */
  readonly result: RunResult | null;
  readonly before: { readonly gpu: GpuObservation | null; readonly host: HostCounters | null };
  /** What was seen of the step's processes while it ran. */
  readonly seen: Seen;
  readonly hints: readonly ScriptHint[];
  readonly faults: readonly string[];
  readonly shimLaid: boolean;
  readonly leader: number | null;
  /** When the leader started, in clock ticks since boot; null when it is not known. */
  readonly since: number | null;
  /** Processes that post had to kill. */
  readonly killed?: readonly NamedProcess[];
  /** Folder of the built action: parity/, upload/. */
  readonly distDir: string;
  /** A cancel that comes while we are at it. */
  readonly cancel?: Pick<CancelWatch, 'asked' | 'overdue'>;
  /** What the step's processes wrote after main had finished: only that is told and published. */
  readonly late?: Evidence;
  /** main was killed, most likely by a cancel: what takes long is left out. */
  readonly hurried?: boolean;
}

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
    observeGpus({ timeoutMs: GPU_TIMEOUT_MS, env: ended.env }),
  ]);
  const survivors = stepProcesses({
    leader: ended.leader,
    variable: `${STEP_VARIABLE}=${plan.id}`,
    since: ended.since,
  });
  const stillRunning = survivors.map(({ pid }) => nameProcess(pid));
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
    // The machine's count may be of somebody else's process: it only explains a SIGKILL that was seen.
    hostOomKills:
      host?.state !== 'read' ? null : host.scope === 'machine' && stepCode !== 137 ? 0 : host.kills,
    hostOomScope: host?.state === 'read' ? host.scope : 'cgroup',
  });
  const unarmed = unreached(ended.seen.sightings, evidence.receipts);
  const gates = judgeGates(
    {
      torchProcesses: evidence.receipts.length,
      shimFault: ended.shimLaid ? null : (ended.faults[0] ?? null),
      unreached: unreachedLine(unarmed),
      likely: likelyReason(ended.seen, ended.hints),
      cycleCount: cycles.count,
      topCycle: topCycle(evidence.receipts),
      parity: parity.state,
      parityReason: parity.reason,
      parityNotRun: parity.state === 'unverifiable' && parity.notRun,
    },
    plan.options,
  );

  const parts: Omit<ManifestParts, 'published'> = {
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
    host: { oom: host, memory: host?.state === 'read' && host.kills > 0 ? readHostMemory() : null },
    parity: { state: parity.state, reason: parity.reason, result: parity.result },
    notSeen: notSeen(evidence.receipts),
    unarmed,
    scriptHints: ended.hints,
    stillRunning,
    killed: result?.killed ?? ended.killed ?? [],
    gates,
    faults: ended.faults,
  };

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
  const outcome = await publishEvidence(ended, evidence, parts, verdict.name, log);
  const cut = outcome.state === 'failed' && ended.cancel?.overdue.aborted === true;
  const published = cut ? { ...outcome, reason: CUT_REASON } : outcome;
  const manifest = buildManifest({ ...parts, published: manifestPublished(published) });
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

/** Writes a file whole or not at all: on a full disk the half of a manifest is worse than none. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const half = `${path}.tmp-${process.pid}`;
  try {
    await writeFile(half, text, { mode: 0o600 });
    await rename(half, path);
  } catch (error) {
    await rm(half, { force: true }).catch(() => undefined);
    throw error;
  }
}

/**
 * Is the process that left this unfinished file gone? Only known of processes of this machine: their files begin with its name, as the shim
 * writes it, and on a shared folder the pids of another machine mean nothing here.
 */
export function isGone(pid: number, file: string): boolean {
  const host = hostname()
    .replace(/[^A-Za-z0-9-]/g, '-')
    .slice(0, 40);
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

/** The reading guide of this version; null where the action's own repository is not known. */
const GUIDE_URL = guideUrl(process.env);

/** docs/reading-a-snapshot.md in the repository and at the ref that the workflow names. */
export function guideUrl(env: NodeJS.ProcessEnv): string | null {
  const { GITHUB_ACTION_REPOSITORY: repository, GITHUB_ACTION_REF: ref } = env;
  const server = (env['GITHUB_SERVER_URL'] || 'https://github.com').replace(/\/+$/, '');
  return repository && ref && /^[\w.-]+\/[\w.-]+$/.test(repository)
    ? `${server}/${repository}/blob/${encodeURIComponent(ref)}/docs/reading-a-snapshot.md`
    : null;
}

/** Publishes the page beside the evidence. A late part has none: the page of the step stands. */
export async function reportOf(
  ended: Pick<Ended, 'plan' | 'env' | 'distDir' | 'late' | 'cancel'>,
  evidence: Evidence,
  manifest: Manifest,
  published: Published,
  log: (line: string) => void,
): Promise<string | null> {
  if (published.state !== 'uploaded' || ended.late) return null;
  const { publishReport } = await import('./publish/report.js');
  const { retentionDays, worker, env, onMask } = uploadSettings(ended);
  return publishReport({
    ...{ evidence, manifest, retentionDays, worker, env, onMask, log },
    artifactName: published.name,
    outputDir: ended.plan.outputDir,
    guideUrl: GUIDE_URL,
    deadlineMs: REPORT_DEADLINE_MS,
    ...(ended.cancel ? { signal: ended.cancel.overdue } : {}),
  });
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

/** A receipt is untrusted: only what looks like a Python interpreter is taken from it to be run. */
const usedTorch = (receipt: Receipt): boolean =>
  receipt.torch !== null &&
  receipt.executable !== null &&
  isAbsolute(receipt.executable) &&
  /^(python|pypy)[\d.]*t?d?$/.test(basename(receipt.executable));

/** The check, when it is asked for and there is something to check with. */
async function parityOf(ended: Ended, evidence: Evidence, log: (line: string) => void): Promise<Parity> {
  const { options, workspace } = ended.plan;
  if (options.parity === 'off') return { state: 'off', reason: null, result: null };
  if (ended.hurried || ended.result?.cancelledBy != null || ended.cancel?.asked.aborted) {
    return {
      state: 'unverifiable',
      reason: 'the step was cancelled, so the check was not run',
      result: null,
      notRun: false,
    };
  }
  const python =
    interpreterPath(options.python, workspace) ?? evidence.receipts.find(usedTorch)?.executable ?? null;
  if (python === null) {
    return {
      state: 'unverifiable',
      reason: 'no process of the step used torch, so there is nothing to compare',
      result: null,
      notRun: false,
    };
  }
  log(`checking parity with ${python} …`);
  const { checkParity } = await import('./parity/check.js');
  return checkParity({
    python,
    parityDir: join(ended.distDir, 'parity'),
    fixture: fixturePath(options.fixture, workspace),
    cwd: workspace,
    // The interpreter and its packages are the step's own: it gets no more than the step did.
    env: plainStepEnvironment(ended.env, INPUT_NAMES.map(inputVariable)),
    timeoutMs: PARITY_TIMEOUT_MS,
    ...(ended.cancel ? { signal: ended.cancel.asked } : {}),
  });
}

/** Milliseconds for all of the upload. */
export function publishDeadline(env: NodeJS.ProcessEnv, hurried: boolean): number {
  const own = Number(env[PUBLISH_TIMEOUT_VARIABLE]);
  const usual = own >= 1 && own <= 86_400 ? own * 1000 : PUBLISH_DEADLINE_MS;
  return hurried ? Math.min(usual, PUBLISH_AFTER_CANCEL_MS) : usual;
}

/** Is there evidence of something? A green run that saw nothing leaves no artifact. */
const worthKeeping = (evidence: Evidence, verdict: string, gates: readonly GateFinding[]): boolean =>
  evidence.snapshots.length + evidence.pages.length > 0 ||
  (evidence.receipts.length > 0 && verdict !== 'ok') ||
  hasFailingGate(gates);

/** What every upload of this step has in common. */
export const uploadSettings = (ended: Pick<Ended, 'plan' | 'env' | 'distDir'>) => ({
  name: ended.plan.options.artifactName,
  retentionDays: ended.plan.options.retentionDays === 0 ? null : ended.plan.options.retentionDays,
  compressionLevel: ended.plan.options.compressionLevel,
  maxUploadBytes: ended.plan.options.maxUploadSize,
  worker: join(ended.distDir, 'upload', 'index.js'),
  env: ended.env,
  onMask: (line: string): void => void process.stdout.write(`${line}\n`),
});

async function publishEvidence(
  ended: Ended,
  evidence: Evidence,
  parts: Omit<ManifestParts, 'published'>,
  verdict: string,
  log: (line: string) => void,
): Promise<Published> {
  const { plan } = ended;
  if (!worthKeeping(evidence, verdict, parts.gates ?? []))
    return { state: 'skipped', reason: 'there is no evidence to keep' };
  if (!plan.options.upload) return { state: 'skipped', reason: '`upload` is false' };
  log(
    `publishing ${count(evidence.snapshots.length, 'snapshot')} as artifact ${plan.options.artifactName} …`,
  );
  const { publish } = await import('./publish/publish.js');
  return publish({
    ...uploadSettings(ended),
    peak: peakJson(buildManifest({ ...parts, published: NOT_YET })),
    evidence,
    deadlineMs: publishDeadline(ended.env, ended.hurried ?? parts.step.cancelled),
    log,
    ...(ended.cancel ? { signal: ended.cancel.overdue } : {}),
    manifest: ({ name, leftOut }) =>
      manifestText(
        buildManifest({
          ...parts,
          published: {
            state: 'planned',
            reason: null,
            artifact: { name, id: null, url: null, digest: null, size: null },
            left_out: leftOut,
          },
        }),
      ),
  });
}

/** What a manifest says of its own upload before there is one. */
const NOT_YET: ManifestPublished = { state: 'planned', reason: null, artifact: null, left_out: [] };

const hasFailingGate = (gates: readonly GateFinding[]): boolean =>
  gates.some((finding) => finding.level === 'fail' && finding.gate !== 'if-no-torch');

/** What the manifest on disk says about the upload. */
export function manifestPublished(published: Published): ManifestPublished {
  switch (published.state) {
    case 'uploaded':
      return {
        state: 'uploaded',
        reason: null,
        artifact: {
          name: published.name,
          id: published.id,
          url: published.url,
          digest: published.digest,
          size: published.size,
        },
        left_out: published.notUploaded,
      };
    case 'skipped':
      return { state: 'skipped', reason: published.reason, artifact: null, left_out: [] };
    case 'failed':
      return { state: 'failed', reason: published.reason, artifact: null, left_out: [] };
  }
}

/** Removes our own evidence folder once artifacts hold all of it. Never one that the user named. */
export async function removeEvidence(plan: Plan, published: Published, inUse: boolean): Promise<boolean> {
  if (plan.evidenceKept || inUse || published.state !== 'uploaded' || !published.complete) return false;
  return rm(plan.evidenceDir, { recursive: true, force: true }).then(
    () => true,
    () => false,
  );
}

/** One line for each kind of process that left a receipt but could not be recorded. */
function notSeen(receipts: readonly Receipt[]): readonly string[] {
  const reasons = new Map<string, number>();
  for (const { recorder } of receipts) {
    if (recorder.state !== 'unsupported' && recorder.state !== 'failed') continue;
    const reason = recorder.reason ?? 'the receipt gives no reason';
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  return [...reasons].map(([reason, n]) => `${count(n, 'process', 'processes')} not recorded: ${reason}`);
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
