/**
 * `manifest.json` (schema `oom-autopsy.manifest.v1`, see schemas/manifest.schema.json): the machine-readable
 * account of one step, uploaded with the evidence. A snapshot in it is an opaque reference: kind, digest,
 * size, and what receipts say about it. `SHA256SUMS` beside it is for `sha256sum -c`. Pure.
 */

import { type Holder, holdersOf } from '../gpu/holders.js';
import type { GpuObservation } from '../gpu/observe.js';
import type { BlindSpot } from '../judge/blind.js';
import type { BaselineAccount } from '../judge/budget.js';
import type { GateFinding } from '../judge/gates.js';
import { countOoms } from '../judge/outside.js';
import type { Verdict } from '../judge/verdict.js';
import type { ParityResult } from '../parity/check.js';
import type { HostMemory, HostOom } from '../step/host.js';
import type { HostUse } from '../step/host-use.js';
import type { Group } from '../step/own.js';
import type { UnarmedReason } from '../step/unarmed.js';
import type { CollectedReceipt, Evidence, SnapshotFile } from './collect.js';
import { bareDigest } from './digest.js';
import type { SnapshotReason } from './names.js';
import type {
  Census,
  Cycles,
  Device,
  End,
  Oom,
  PlainJson,
  Receipt,
  Recorder,
  ThreadEnd,
  Torch,
} from './receipt.js';
import type { Rejected, RejectedReason } from './rejected.js';
import type { SourceLine } from './source.js';

export const MANIFEST_SCHEMA = 'oom-autopsy.manifest.v1';
export const SNAPSHOT_KIND = 'torch.cuda.memory_snapshot';

/** What is known of a snapshot without opening it. */
export interface SnapshotReference {
  readonly kind: typeof SNAPSHOT_KIND;
  /** `sha256:` and 64 hexadecimal digits, of the file itself (the artifact's digest is of the zip). */
  readonly digest: string;
  readonly bytes: number;
  readonly file: string;
  readonly reason: SnapshotReason;
  readonly host: string;
  readonly rank: number | null;
  readonly pid: number;
  readonly device: number | null;
  /** Version of torch that wrote it; null when its process left no receipt. */
  readonly torch: string | null;
  readonly max_entries: number | null;
  readonly stacks: string | null;
  /** `none` and `unknown` are not full snapshots: nothing shows that recording was on before. */
  readonly history: SnapshotFile['history'];
}

/** One process that imported torch: every number of its receipt that the report shows. */
export interface ManifestProcess {
  readonly host: string;
  readonly pid: number;
  readonly ppid: number | null;
  readonly token: string;
  readonly rank: number | null;
  /** The variables that say so, as the launcher set them. */
  readonly rank_variables: Receipt['rank'];
  readonly identity: Receipt['identity'];
  readonly program: string | null;
  /** The runner's names of the step: its id, and the folder of the composite action that it is a part of. */
  readonly github_action: string | null;
  readonly github_action_path: string | null;
  readonly python: string | null;
  readonly executable: string | null;
  readonly torch: string | null;
  /** Versions, allocator backend and settings of that torch. */
  readonly build: Torch | null;
  readonly receipt: string;
  readonly started: number | null;
  readonly recorder: Recorder;
  readonly devices: readonly Device[];
  readonly oom_count: number;
  /** At most 50: the first 10 and the newest 40. */
  readonly ooms: readonly Oom[];
  readonly ooms_dropped: number;
  readonly snapshots_removed: number;
  /** What was alive when the process ended. */
  readonly census: Census | null;
  readonly cycles: Cycles | null;
  readonly timeline: PlainJson;
  readonly thread_ends: readonly ThreadEnd[];
  readonly end: End | null;
  readonly faults: readonly string[];
  /** What was left out when the receipt was read. */
  readonly notes: readonly string[];
}

export interface ManifestFile {
  readonly file: string;
  readonly bytes: number;
  readonly digest: string;
}

/** A file of the evidence, or a document of ours, that the artifact does not hold unchanged. */
export interface LeftOut extends ManifestFile {
  readonly reason: string;
}

/** Times in seconds since the epoch. */
export interface ManifestStep {
  readonly id: string;
  /** The account of a whole job: `exit_code` is 0 or 1, by its status. */
  readonly scope?: 'job';
  readonly shell: string | null;
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly cancelled: boolean;
  readonly started: number;
  readonly ended: number | null;
  /** Folder that the user's own files lie in; null when it is not known. */
  readonly workspace: string | null;
}

export interface ManifestRunner {
  readonly name: string | null;
  /** Host name, as in the receipts: processes and GPUs were observed on this host only. Null when unknown. */
  readonly host: string | null;
  readonly os: string | null;
  readonly arch: string | null;
  readonly repository: string | null;
  readonly sha: string | null;
  readonly run_id: string | null;
  readonly run_attempt: string | null;
  readonly job: string | null;
}

/** Where the evidence went, as far as it is known when the manifest is written. */
export interface ManifestPublished {
  /** `planned`: the copy inside the artifact, which cannot know its own id. */
  readonly state: 'planned' | 'uploaded' | 'skipped' | 'failed';
  readonly reason: string | null;
  readonly artifact: {
    readonly name: string;
    readonly id: number | null;
    readonly url: string | null;
    /** sha256 of the uploaded zip. */
    readonly digest: string | null;
    readonly size: number | null;
  } | null;
  readonly left_out: readonly LeftOut[];
}

export interface ManifestParity {
  readonly state: 'match' | 'drift' | 'unverifiable' | 'off';
  readonly reason: string | null;
  /** The check's own account, where it could be had. */
  readonly result?: ParityResult | null;
}

/** GPU memory by process before and after the step: the tool's answers, and the two joined. */
export interface ManifestGpu {
  readonly before: GpuObservation | null;
  readonly after: GpuObservation | null;
  readonly holders: readonly Holder[];
}

/** Host memory: what the kernel's OOM killer did during the step, and how full the host is. */
export interface ManifestHost {
  readonly oom: HostOom | null;
  readonly memory: HostMemory | null;
  /** Who of the step held it at the fullest moment that was seen; null where the kernel ended nothing. */
  readonly use?: HostUse | null;
}

/** A process that had torch loaded and left no receipt: it was not reached. */
export interface ManifestUnarmed {
  readonly pid: number;
  readonly program: string;
  readonly reason: UnarmedReason;
  /** What to do about it. */
  readonly advice: string;
}

/** A line of the step's text (from 1) that starts programs without our PYTHONPATH. */
export interface ManifestScriptHint {
  readonly line: number;
  readonly what: string;
  readonly advice: string;
}

/** A process of the step that outlived its shell. */
export interface ManifestSurvivor {
  readonly pid: number;
  readonly program: string | null;
}

/** The peaks of the step, and how they compare with a baseline. Bytes. */
export interface ManifestMemory {
  /** Of the rank where it was largest; null where nothing used a GPU. */
  readonly peak_allocated: number | null;
  readonly peak_reserved: number | null;
  /** Null where the input `baseline` names none. */
  readonly baseline: BaselineAccount | null;
}

export interface Manifest {
  readonly schema: typeof MANIFEST_SCHEMA;
  /** ISO 8601, UTC. */
  readonly created: string;
  readonly action: { readonly version: string };
  readonly step: ManifestStep;
  readonly runner: ManifestRunner;
  readonly verdict: Verdict;
  readonly oom_count: number;
  /** The same for the same failure in another run (fingerprint.ts); empty where no out-of-memory was. */
  readonly fingerprint: string;
  /** The line of the program where memory ran out; null where it is not in the commit of the run as it stands. */
  readonly source: SourceLine | null;
  readonly snapshots: readonly SnapshotReference[];
  readonly files: readonly ManifestFile[];
  readonly processes: readonly ManifestProcess[];
  readonly gpu: ManifestGpu | null;
  readonly host: ManifestHost | null;
  readonly cycles: {
    readonly count: number;
    readonly tensors: number;
    readonly bytes: Readonly<Record<string, number>>;
  };
  readonly parity: ManifestParity;
  readonly memory: ManifestMemory;
  readonly faults: readonly string[];
  readonly rejected: readonly Rejected[];
  readonly rejected_count: number;
  /** Number of names for each kind of reason, the most frequent first. */
  readonly rejected_reasons: readonly RejectedReason[];
  /** What could not be seen, one line each: processes without a receipt, recorders that were not armed. */
  readonly not_seen: readonly string[];
  readonly unarmed: readonly ManifestUnarmed[];
  /** Where an out-of-memory may have been missed in a process that was reached. */
  readonly blind_spots: readonly BlindSpot[];
  readonly script_hints: readonly ManifestScriptHint[];
  /** Processes of the step that were alive after its shell exited. */
  readonly still_running: readonly ManifestSurvivor[];
  /** Processes that did not exit within the grace period of a cancel and were killed. */
  readonly killed: readonly ManifestSurvivor[];
  /** Gates that have something to say. */
  readonly gates: readonly GateFinding[];
  readonly published: ManifestPublished;
}

export interface ManifestParts {
  readonly evidence: Evidence;
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly step: ManifestStep;
  readonly runner: ManifestRunner;
  readonly verdict: Verdict;
  /** `own`: processes known to be the step's, besides those with a receipt. */
  readonly gpu: (Omit<ManifestGpu, 'holders'> & { readonly own?: readonly Group[] }) | null;
  readonly host: ManifestHost | null;
  readonly parity: ManifestParity;
  readonly memory?: ManifestMemory;
  readonly notSeen: readonly string[];
  readonly unarmed?: readonly ManifestUnarmed[];
  readonly blindSpots?: readonly BlindSpot[];
  readonly scriptHints?: readonly ManifestScriptHint[];
  readonly stillRunning?: readonly ManifestSurvivor[];
  readonly killed?: readonly ManifestSurvivor[];
  readonly gates?: readonly GateFinding[];
  readonly faults: readonly string[];
  readonly published: ManifestPublished;
}

/** A process's rank. A receipt of an older shim holds the variables alone. */
export const rankOf = ({ identity, rank }: Pick<Receipt, 'identity' | 'rank'>): number | null =>
  identity?.rank ?? (rank.RANK === undefined ? null : Number(rank.RANK));

export function snapshotReference(snapshot: SnapshotFile, receipt: Receipt | undefined): SnapshotReference {
  return {
    kind: SNAPSHOT_KIND,
    digest: snapshot.digest,
    bytes: snapshot.bytes,
    file: snapshot.file,
    reason: snapshot.reason,
    host: snapshot.host,
    rank: snapshot.rank,
    pid: snapshot.pid,
    device: snapshot.device,
    torch: receipt?.torch?.version ?? null,
    max_entries: receipt?.recorder.max_entries ?? null,
    stacks: receipt?.recorder.stacks ?? null,
    history: snapshot.history,
  };
}

/**
 * The opaque references of all snapshots, in the order of the evidence: also the action's `snapshots` output.
 */
export function snapshotReferences(evidence: Evidence): readonly SnapshotReference[] {
  const receipts = new Map(evidence.receipts.map((r) => [r.file, r]));
  return evidence.snapshots.map((s) => snapshotReference(s, receipts.get(s.receipt ?? '')));
}

function manifestProcess(receipt: CollectedReceipt): ManifestProcess {
  return {
    host: receipt.host,
    pid: receipt.pid,
    ppid: receipt.ppid,
    token: receipt.token,
    rank: rankOf(receipt),
    rank_variables: receipt.rank,
    identity: receipt.identity,
    program: receipt.program,
    github_action: receipt.github_action,
    github_action_path: receipt.github_action_path,
    python: receipt.python,
    executable: receipt.executable,
    torch: receipt.torch?.version ?? null,
    build: receipt.torch,
    receipt: receipt.file,
    started: receipt.time.started,
    recorder: receipt.recorder,
    devices: receipt.devices,
    oom_count: receipt.oom_count,
    ooms: receipt.ooms,
    ooms_dropped: receipt.ooms_dropped,
    snapshots_removed: receipt.snapshots_removed,
    census: receipt.census,
    cycles: receipt.cycles,
    timeline: receipt.timeline,
    thread_ends: receipt.thread_ends,
    end: receipt.end,
    faults: receipt.faults,
    notes: receipt.notes,
  };
}

/** Reference cycles of all processes together: kinds, tensors, and bytes by device name. */
export function cycleTotals(receipts: readonly Receipt[]): Manifest['cycles'] {
  const bytes: Record<string, number> = {};
  const kinds = new Set<string>();
  let unlisted = 0;
  let tensors = 0;
  for (const { cycles } of receipts) {
    if (!cycles) continue;
    // A kind has the same id in every process: the same cycle in eight ranks is one kind.
    for (const { id } of cycles.cycles) kinds.add(id);
    unlisted = Math.max(unlisted, cycles.count - cycles.cycles.length);
    tensors += cycles.tensors;
    for (const [device, held] of Object.entries(cycles.bytes)) bytes[device] = (bytes[device] ?? 0) + held;
  }
  return { count: kinds.size + unlisted, tensors, bytes };
}

/** A pid of another host says nothing about the GPUs here. */
function manifestGpu(
  { before, after, own = [] }: NonNullable<ManifestParts['gpu']>,
  { receipts }: Evidence,
  host: string | null,
): ManifestGpu {
  const left = receipts
    .filter((receipt) => receipt.host === host)
    .map(({ pid, start_ticks }): Group => ({ pid, startTicks: start_ticks }));
  return { before, after, holders: holdersOf(before, after, [...left, ...own]) };
}

export function buildManifest(parts: ManifestParts): Manifest {
  const { evidence } = parts;
  const plain = ({ file, bytes, digest }: ManifestFile): ManifestFile => ({ file, bytes, digest });
  return {
    schema: MANIFEST_SCHEMA,
    created: new Date(parts.now).toISOString(),
    action: { version: parts.version },
    step: parts.step,
    runner: parts.runner,
    verdict: { name: parts.verdict.name, because: parts.verdict.because },
    oom_count: countOoms(evidence.receipts),
    fingerprint: '',
    source: null,
    snapshots: snapshotReferences(evidence),
    files: evidence.receipts.map(plain),
    processes: evidence.receipts.map(manifestProcess),
    gpu: parts.gpu && manifestGpu(parts.gpu, evidence, parts.runner.host),
    host: parts.host,
    cycles: cycleTotals(evidence.receipts),
    parity: parts.parity,
    memory: parts.memory ?? { peak_allocated: null, peak_reserved: null, baseline: null },
    faults: [...evidence.faults, ...parts.faults],
    rejected: evidence.rejected,
    rejected_count: evidence.rejectedCount,
    rejected_reasons: evidence.rejectedReasons,
    not_seen: parts.notSeen,
    unarmed: parts.unarmed ?? [],
    blind_spots: parts.blindSpots ?? [],
    script_hints: parts.scriptHints ?? [],
    still_running: parts.stillRunning ?? [],
    killed: parts.killed ?? [],
    gates: parts.gates ?? [],
    published: parts.published,
  };
}

/** The text of `manifest.json`. */
export const manifestText = (manifest: Manifest): string => `${JSON.stringify(manifest, null, 2)}\n`;

/**
 * `SHA256SUMS` for `sha256sum -c`, in byte order of the names. Names of evidence need no escaping (see
 * names.ts).
 */
export function sha256Sums(files: readonly Pick<ManifestFile, 'file' | 'digest'>[]): string {
  const lines = files.map(({ file, digest }) => `${bareDigest(digest)}  ${file}\n`);
  return lines.sort((a, b) => (a.slice(66) < b.slice(66) ? -1 : 1)).join('');
}
