/**
 * Everything after the step, shared by main and by a post that has to finish for it:
 * evidence → parity → verdict and gates → manifest → published → report → outputs, exit code.
 *
 * A fault of ours on this way is a line in the log and in the manifest; the step's exit code stays what it is.
 */

import { type Concluded, conclude } from './deliver/deliver.js';
import { NOT_YET } from './deliver/publishing.js';
import type { Evidence } from './evidence/collect.js';
import { buildManifest, cycleTotals, type Manifest } from './evidence/manifest.js';
import { thisHost } from './evidence/names.js';
import { holdsNothing, nothing } from './evidence/nothing.js';
import type { Receipt } from './evidence/receipt.js';
import { observeGpus } from './gpu/observe.js';
import { blindSpots, isBlind } from './judge/blind.js';
import { baselineAccount, judgeBudget } from './judge/budget.js';
import { finalExitCode, judgeGates } from './judge/gates.js';
import { fatalOoms, unexplained } from './judge/outcomes.js';
import { countOoms, endedByOom, outsideOoms } from './judge/outside.js';
import { missingRanks } from './judge/ranks.js';
import { likelyReason, unreached, unreachedLine } from './judge/reach.js';
import { judge, openEnds } from './judge/verdict.js';
import type { VerdictName } from './judge/verdicts.js';
import { formatBytes } from './lib/bytes.js';
import { count, logLine } from './lib/text.js';
import { VERSION } from './lib/version.js';
import { largest, memoryOf } from './memory/document.js';
import { parityOf } from './parity/run.js';
import { fromWorkspace, type Plan } from './plan.js';
import type { Outputs } from './runner/outputs.js';
import type { Runner } from './runner/runner.js';
import { goneCheck } from './step/abandoned.js';
import { type Ended, markOf, ownOf } from './step/ended.js';
import { hostOom, readHostCounters, readHostMemory } from './step/host.js';
import { OWN_CGROUP } from './step/launchers.js';
import { lostPids, type Marks, readMarks } from './step/marks.js';
import { stepProcesses } from './step/own.js';
import { type NamedProcess, nameProcess } from './step/proc.js';

const GPU_TIMEOUT_MS = 5000;

/** How it went. */
export interface Finished extends Concluded {
  /** Exit code of the action. */
  readonly code: number;
  /** Processes of the step that still ran when its evidence was collected. */
  readonly stillRunning: number;
  readonly evidence: Evidence;
}

/** Outputs of a step of which nothing was started: its inputs are wrong, or its commands cannot be written. */
export const REFUSED_OUTPUTS: Outputs = {
  'exit-code': 1,
  verdict: 'not-run' satisfies VerdictName,
  'oom-count': 0,
  fingerprint: '',
  'snapshot-count': 0,
  snapshots: '[]',
  manifest: '',
  'artifact-id': '',
  'artifact-url': '',
  'artifact-digest': '',
  'report-url': '',
  'cycle-count': 0,
  parity: 'off',
  'peak-allocated': '',
  'peak-reserved': '',
  'memory-file': '',
  'summary-file': '',
  'evidence-dir': '',
};

/** With its fingerprint. What makes it is not loaded by a step in which no memory ran out. */
async function named(manifest: Manifest): Promise<Manifest> {
  if (manifest.oom_count === 0) return manifest;
  return { ...manifest, fingerprint: (await import('./judge/fingerprint.js')).fingerprintOf(manifest) };
}

/** The evidence as it lies on disk. */
export interface Look {
  readonly evidence: Evidence;
  /** Processes of the step that ran before it: whoever ends after that may have written after it too. */
  readonly stillRunning: readonly NamedProcess[];
}

/** Looks at the step's processes, then at its evidence, unless that was found to be late already. */
export async function look(ended: Ended): Promise<Look> {
  const { evidenceDir: dir, id: step, startedAt: since } = ended.plan;
  const stillRunning = stepProcesses(markOf(ended)).map(({ pid }) => nameProcess(pid));
  const isGone = goneCheck(ended, stillRunning.length);
  if (ended.late) return { evidence: ended.late, stillRunning };
  if (holdsNothing(dir, step)) return { evidence: nothing(dir, step), stillRunning };
  const { collect } = await import('./evidence/collect.js');
  return {
    evidence: await collect({ dir, step, since, isGone, signal: ended.cancel?.overdue }),
    stillRunning,
  };
}

/** Finishes the step and tells the runner. */
export async function finish(runner: Runner, ended: Ended): Promise<Finished> {
  const { plan, result } = ended;
  const log = (line: string): void => runner.info(logLine(line));
  const [{ evidence, stillRunning }, gpuAfter] = await Promise.all([
    look(ended),
    // Where there was no tool before the step there is none after it.
    ended.before.gpu?.state === 'absent'
      ? ended.before.gpu
      : observeGpus({ timeoutMs: GPU_TIMEOUT_MS, env: ended.env }),
  ]);
  const host = ended.before.host === null ? null : hostOom(ended.before.host, readHostCounters());
  const parity = await parityOf(ended, evidence, log);

  const stepCode = result?.exitCode ?? 1;
  // Nobody saw the end of a step whose main was killed. A runner does that on a cancel or a time limit; the kernel on a lack of memory.
  const cancelled =
    result === null
      ? !(host?.state === 'read' && host.scope === 'cgroup' && host.kills > 0)
      : result.cancelledBy !== null;
  const { receipts, unread } = evidence;
  const cycles = cycleTotals(receipts);
  const marks = readMarks(plan.shimDir);
  // Of what was seen and marked before a late part nothing is in that part.
  const sightings = ended.late ? [] : (ended.seen?.sightings ?? []);
  const unarmed = unreached(sightings, { receipts, unread, marks });
  const shimFault = ended.shimLaid ? null : (ended.faults[0] ?? 'the shim was not laid');
  const blind = blindSpots(evidence, {
    shimFault,
    lost: ended.late ? [] : lost(evidence, marks, stillRunning),
  });
  const verdict = judge({
    exitCode: stepCode,
    cancelled,
    startError: result?.startError ?? null,
    oomCount: countOoms(receipts),
    endedByOom: receipts.filter(endedByOom).length,
    threadsEndedByOom: receipts.filter((receipt) => receipt.thread_ends.some((end) => end.oom)).length,
    fatal: fatalOoms(receipts),
    unexplained: unexplained(receipts),
    outside: outsideOoms(receipts),
    openEnds: openEnds(receipts, stillRunning, thisHost()),
    reached: receipts.length === 0 ? 'none' : unarmed.length > 0 ? 'part' : 'all',
    blindSpots: blind,
    // The machine's count may be of somebody else's process: it only explains a SIGKILL that was seen.
    hostOomKills:
      host?.state !== 'read' ? null : host.scope === 'machine' && stepCode !== 137 ? 0 : host.kills,
    hostOomScope: host?.state === 'read' ? host.scope : 'cgroup',
    machineOomKills: host?.state === 'read' ? host.machine_kills : null,
    ownCgroups: ownCgroups(ended),
  });
  const gates = judgeGates(
    {
      // One that left no receipt, or none that can be read, is the verdict's matter: it did import torch.
      torchProcesses: Math.max(receipts.length, ...blind.map((spot) => spot.count)),
      shimFault,
      unreached: unreachedLine(unarmed),
      likely: likelyReason(ended.seen, ended.hints),
      cycleCount: cycles.count,
      topCycle: topCycle(receipts),
      cyclesUnseen: cyclesUnseen(receipts),
      parity: parity.state,
      parityReason: parity.reason,
      parityNotRun: parity.state === 'unverifiable' && parity.notRun,
    },
    plan.options,
  );

  const judged = buildManifest({
    evidence,
    version: VERSION,
    now: Date.now(),
    step: {
      id: plan.id,
      ...(ended.job ? { scope: 'job' as const } : {}),
      shell: ended.job ? null : plan.command.file,
      exit_code: result === null ? null : stepCode,
      signal: result?.signal ?? null,
      cancelled,
      started: plan.startedAt / 1000,
      ended: result === null ? null : result.endedAt / 1000,
      workspace: plan.workspace,
    },
    runner: {
      name: plan.job.runnerName,
      host: thisHost(),
      os: process.platform,
      arch: process.arch,
      repository: plan.job.repository,
      sha: plan.job.sha,
      run_id: plan.job.runId,
      run_attempt: plan.job.runAttempt,
      job: plan.job.job,
    },
    verdict,
    gpu: { before: ended.before.gpu, after: gpuAfter, own: gpuAfter.state === 'seen' ? ownOf(ended) : [] },
    host: {
      oom: host,
      memory: host?.state === 'read' && host.kills > 0 ? readHostMemory('/', host.ooms === 0) : null,
      use: host?.state === 'read' && host.kills > 0 ? (ended.seen?.use ?? null) : null,
    },
    parity: { state: parity.state, reason: parity.reason, result: parity.result },
    notSeen: [
      ...notSeen(receipts),
      ...(ended.late || evidence.unread.length > 0 ? [] : missingRanks(receipts, ended.env)),
    ],
    unarmed,
    blindSpots: blind,
    scriptHints: ended.hints,
    stillRunning,
    killed: result?.killed ?? ended.killed ?? [],
    gates,
    faults: ended.faults,
    published: NOT_YET,
  });
  const measured = await withMemory(await withSource(await named(judged), ended.env), plan);
  const account = ended.job ? (await import('./job/words.js')).jobAccount(measured) : measured;

  const concluded = await conclude(runner, ended, evidence, account);
  const code = finalExitCode(stepCode, account.gates);
  return { ...concluded, code, stillRunning: stillRunning.length, evidence };
}

/** The account with the line of the program where memory ran out. */
async function withSource(account: Manifest, env: NodeJS.ProcessEnv): Promise<Manifest> {
  if (account.processes.every(({ oom_count: ooms }) => ooms === 0)) return account;
  const { storyPlace } = await import('./report/annotations.js');
  const place = storyPlace(account, account.step.workspace);
  if (place.file === undefined) return account;
  const { sourceLine } = await import('./evidence/source.js');
  const run = { ...account.runner, workspace: account.step.workspace };
  return { ...account, source: await sourceLine(place, run, env) };
}

/** The account with its peaks, what they are beside a baseline, and the gates of the memory budget. */
async function withMemory(account: Manifest, { options, workspace }: Plan): Promise<Manifest> {
  const now = memoryOf(account);
  const path = options.baseline === '' ? null : fromWorkspace(options.baseline, workspace);
  const baseline =
    path === null
      ? null
      : baselineAccount(await (await import('./memory/baseline.js')).readBaseline(path), now);
  const green = account.step.exit_code === 0 && !account.step.cancelled;
  return {
    ...account,
    memory: {
      peak_allocated: largest(now.rows)?.peak_allocated ?? null,
      peak_reserved: largest(now.rows, 'peak_reserved')?.peak_reserved ?? null,
      baseline,
    },
    gates: [...account.gates, ...(green ? judgeBudget(now, baseline, options) : [])],
  };
}

/** Pids that imported torch to the end, have gone, and left nothing that is there. */
function lost(
  { receipts, unread }: Evidence,
  marks: Marks,
  stillRunning: readonly NamedProcess[],
): readonly number[] {
  const left = [...receipts, ...unread.map(({ owner }) => owner), ...stillRunning];
  return lostPids(marks, new Set(left.map(({ pid }) => pid)));
}

const ownCgroups = ({ seen, hints }: Pick<Ended, 'seen' | 'hints'>): readonly string[] => {
  const met = new Set([...(seen?.carriers ?? []), ...hints.map(({ what }) => what)]);
  return [...OWN_CGROUP].filter((program) => met.has(program));
};

/** One line for each kind of process that left a receipt but could not be recorded. */
function notSeen(receipts: readonly Receipt[]): readonly string[] {
  const reasons = new Map<string, number>();
  for (const receipt of receipts) {
    const { recorder } = receipt;
    // The verdict tells of those in which no out-of-memory can be seen either.
    if (isBlind(receipt)) continue;
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
