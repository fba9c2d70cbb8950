/**
 * Publishing after a step: whether there is anything worth keeping, the evidence as one artifact, and the page beside it. The client and the page are loaded when needed.
 */
import { join } from 'node:path';
import type { Evidence } from '../evidence/collect.js';
import { type Manifest, type ManifestPublished, manifestText } from '../evidence/manifest.js';
import type { GateFinding } from '../judge/gates.js';
import { VERDICT_TRAITS, type VerdictName } from '../judge/verdicts.js';
import { count } from '../lib/text.js';
import { memoryOf, memoryText } from '../memory/document.js';
import type { Plan } from '../plan.js';
import { GUIDE_URL } from '../report/guide.js';
import type { Ended } from '../step/ended.js';
import { heldFiles } from './cleanup.js';
import type { Published, UploadPlan } from './publish.js';

/** For everything that is uploaded. Half of the time limits that workflows set are below an hour. */
const PUBLISH_DEADLINE_MS = 10 * 60_000;
/** After a cancel the runner gives the post steps of a job five minutes in all. */
const PUBLISH_AFTER_CANCEL_MS = 120_000;
/** The page is a few megabytes at most. */
const REPORT_DEADLINE_MS = 60_000;
/** Seconds that publishing may take, for slow lines (10 GiB at 10 MB/s take 18 minutes) and for jobs that cannot wait. */
const PUBLISH_TIMEOUT_VARIABLE = 'OOM_AUTOPSY_PUBLISH_TIMEOUT';

/** Milliseconds for all of the upload. */
export function publishDeadline(env: NodeJS.ProcessEnv, hurried: boolean): number {
  const own = Number(env[PUBLISH_TIMEOUT_VARIABLE]);
  const usual = own >= 1 && own <= 86_400 ? own * 1000 : PUBLISH_DEADLINE_MS;
  return hurried ? Math.min(usual, PUBLISH_AFTER_CANCEL_MS) : usual;
}

/**
 * Is there evidence of something? A green run that saw nothing leaves no artifact; a timeline that was asked
 * for is something.
 */
export const worthKeeping = (
  evidence: Evidence,
  verdict: VerdictName,
  gates: readonly GateFinding[],
): boolean =>
  evidence.snapshots.length > 0 ||
  evidence.receipts.some(({ cycles, timeline }) => (cycles?.count ?? 0) > 0 || timeline !== null) ||
  (evidence.receipts.length > 0 && !VERDICT_TRAITS[verdict].quiet) ||
  hasFailingGate(gates);

/** Does the user want an upload, and is there evidence for one? */
export const toUpload = (
  { options }: Pick<Plan, 'options'>,
  evidence: Evidence,
  account: Manifest,
): boolean => options.upload && worthKeeping(evidence, account.verdict.name, account.gates);

/** What every upload of this step has in common. */
export const uploadSettings = (ended: Pick<Ended, 'plan' | 'env' | 'actionDir' | 'makeRoom'>) => ({
  name: ended.plan.options.artifactName,
  retentionDays: ended.plan.options.retentionDays === 0 ? null : ended.plan.options.retentionDays,
  compressionLevel: ended.plan.options.compressionLevel,
  maxUploadBytes: ended.plan.options.maxUploadSize,
  scratch: ended.plan.outputDir,
  worker: join(ended.actionDir, 'dist', 'upload', 'index.js'),
  env: ended.env,
  makeRoom: ended.makeRoom,
  onMask: (line: string): void => void process.stdout.write(`${line}\n`),
});

/** Publishes the evidence when there is some and the user wants it uploaded. `account` says nothing of the upload yet. */
export async function publishEvidence(
  ended: Ended,
  evidence: Evidence,
  account: Manifest,
  log: (line: string) => void,
): Promise<Published> {
  const { plan } = ended;
  if (!worthKeeping(evidence, account.verdict.name, account.gates))
    return { state: 'skipped', reason: 'there is no evidence to keep' };
  if (!plan.options.upload) return { state: 'skipped', reason: '`upload` is false' };
  log(
    `publishing ${count(evidence.snapshots.length, 'snapshot')} as artifact ${plan.options.artifactName} …`,
  );
  const { publish } = await import('./publish.js');
  return publish({
    ...uploadSettings(ended),
    ...documentsOf(account),
    evidence,
    deadlineMs: publishDeadline(ended.env, ended.hurried ?? account.step.cancelled),
    log,
    ...(ended.cancel ? { signal: ended.cancel.overdue } : {}),
  });
}

/** What a manifest says of its own upload before there is one. */
export const NOT_YET: ManifestPublished = { state: 'planned', reason: null, artifact: null, left_out: [] };

/** Our own documents in an artifact, made from an account of the step. */
export const documentsOf = (account: Manifest) => ({
  memory: memoryText(memoryOf(account)),
  manifest: ({ name, leftOut }: UploadPlan): string =>
    manifestText({
      ...account,
      published: {
        ...NOT_YET,
        artifact: { name, id: null, url: null, digest: null, size: null },
        left_out: leftOut,
      },
    }),
});

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

/** The upload that an account tells of, as `publish` told it; null when there was none. */
export function publishedOf(account: Manifest): Published | null {
  const { state, artifact, left_out } = account.published;
  if (state !== 'uploaded' || artifact === null || artifact.id === null) return null;
  const files = heldFiles(account).map(({ file, bytes, digest }) => ({ file, bytes, digest }));
  return {
    state,
    ...artifact,
    id: artifact.id,
    files,
    notUploaded: left_out,
    changed: [],
    seconds: 0,
    complete: left_out.length === 0 && account.rejected_count === 0,
  };
}

/** Publishes the page beside the evidence. A late part has none: the page of the step stands. */
export async function reportOf(
  ended: Pick<Ended, 'plan' | 'env' | 'actionDir' | 'makeRoom' | 'late' | 'cancel'>,
  evidence: Evidence,
  manifest: Manifest,
  published: Published,
  log: (line: string) => void,
): Promise<string | null> {
  if (published.state !== 'uploaded' || ended.late) return null;
  const { publishReport } = await import('./report.js');
  const { retentionDays, worker, env, makeRoom, onMask } = uploadSettings(ended);
  return publishReport({
    ...{ evidence, manifest, retentionDays, worker, env, makeRoom, onMask, log },
    artifactName: published.name,
    outputDir: ended.plan.outputDir,
    guideUrl: GUIDE_URL,
    deadlineMs: REPORT_DEADLINE_MS,
    ...(ended.cancel ? { signal: ended.cancel.overdue } : {}),
  });
}
