/** Manifests for tests of the report: made from receipts by the code that reads and builds them, so that their shape is the real one. */
import { createHash } from 'node:crypto';
import type { CollectedReceipt, Evidence, SnapshotFile } from '../../src/evidence/collect.js';
import { buildManifest, type Manifest, type ManifestParts } from '../../src/evidence/manifest.js';
import { parseSnapshotName } from '../../src/evidence/names.js';
import { parseReceipt } from '../../src/evidence/receipt-parse.js';
import { fatalOoms, unexplained } from '../../src/judge/outcomes.js';
import { countOoms, endedByOom, outsideOoms } from '../../src/judge/outside.js';
import { judge, openEnds } from '../../src/judge/verdict.js';
import type { SummaryLinks } from '../../src/report/summary/summary.js';
import { type Made, made, receipt, receiptFile, STEP, snapshotFile } from './evidence-kit.js';

export const GIB = 2 ** 30;
export const MIB = 2 ** 20;
export const WORKSPACE = '/home/runner/_work/llm/llm';
/** What stands for markup, commands, mentions and directions everywhere that a step can write text. */
export const HOSTILE =
  '<img src=x onerror=alert(1)> **bold** `tick` | pipe [link](https://evil.example) @octocat #1 :smile: $x$ ::error::boom </script></details> www.evil.example ‮evil‬ _under_ ~~gone~~ &amp; \\';

const seal = { dev: '1', ino: '1', size: '1', mtime: '1', ctime: '1' };
const digest = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

type Changes = Record<string, unknown>;

/** What the shim writes, read back by the reader. */
export function read(of: Made = made(), changes: Changes = {}): CollectedReceipt {
  const file = receiptFile(of);
  const parsed = parseReceipt(JSON.stringify(receipt(of, changes)), file);
  if (!parsed.ok) throw new Error(parsed.reason);
  return { ...parsed.receipt, bytes: 2000, digest: digest(file), seal };
}

export const frame = (file: string, line: number, name: string) => ({ file, line, function: name });
const inTorch = (file: string, line: number, name: string) =>
  frame(`/opt/venv/lib/python3.11/site-packages/torch/${file}`, line, name);

/** A stack as the observer takes it: the user's frames, torch's, and the shim's own at the end. */
export const STACK = [
  frame(`${WORKSPACE}/train.py`, 60, '<module>'),
  frame(`${WORKSPACE}/train.py`, 48, 'train_step'),
  inTorch('nn/modules/module.py', 1783, 'Module._wrapped_call_impl'),
  inTorch('nn/modules/module.py', 1794, 'Module._call_impl'),
  frame(`${WORKSPACE}/model/block.py`, 22, 'Block.forward'),
  inTorch('nn/modules/linear.py', 134, 'Linear.forward'),
  frame('/tmp/oom-autopsy-0123456789ab/path/_oom_autopsy/recording/observer.py', 12, 'observe'),
];

const part = (bytes: number, owner: string) => ({
  bytes,
  count: 10,
  owners: [{ name: owner, bytes, count: 10 }],
});

/** A census of 25.99 GiB, and 1.11 GiB that are reserved and unused. */
export const CENSUS = (() => {
  const gib = (n: number): number => Math.round((n * GIB) / 512) * 512;
  const categories = {
    parameter: part(gib(3.02), 'layers.3.mlp.weight'),
    gradient: part(gib(3.02), 'layers.3.mlp.weight'),
    optimizer_state: part(gib(6.04), 'AdamW exp_avg'),
    activation: part(gib(12.8), 'NativeLayerNormBackward0'),
    unknown: {
      ...part(gib(1.11), ''),
      owners: [],
      reasons: [{ reason: 'not seen', bytes: gib(1.11), count: null }],
    },
  };
  const allocated = Object.values(categories).reduce((sum, c) => sum + c.bytes, 0);
  const unused = gib(1.11);
  return {
    allocated,
    unused,
    census: {
      seconds: 0.1,
      complete: true,
      cut: null,
      not_reached: [],
      devices: [
        {
          index: 1,
          allocated,
          reserved: allocated + unused,
          reserved_unused: unused,
          attributed: 0,
          categories,
        },
      ],
    },
  };
})();

/**
 * A receipt's account of one kind of cycle, or of none where `cycle` is null; `bytes` on GPU 1. Its graph is a ring of its types, each
 * referring to the next by `label`, and the first of them holds the tensor.
 */
export function cyclesOf(
  cycle: (Changes & { types: readonly { name: string; count: number }[]; frames: readonly Changes[] }) | null,
  bytes: Readonly<Record<string, number>> = { 'cuda:1': 5 },
  more: Changes = {},
  label = '.next',
) {
  const [device = 'cuda:1', amount = 0] = Object.entries(bytes)[0] ?? [];
  const graph = {
    ring: cycle?.types.map(({ name }) => ({ name, label })),
    ring_cut: 2,
    held: [{ at: 0, path: [{ label, name: 'torch.Tensor' }], bytes: amount, device }],
    held_cut: 0,
  };
  const row = { id: 'cafe0123', seen: 1, size: cycle?.types.length, tensors: 1, bytes, graph };
  return {
    ...{ mode: 'sampled', state: 'watching', looks: 1, count: 1, tensors: 1, bytes },
    cycles: cycle === null ? [] : [{ ...row, ...cycle }],
    ...more,
  };
}

const DEVICE = { index: 1, name: 'NVIDIA A100-SXM4-40GB', total: 40 * GIB, limit: null };
const memory = {
  allocated: CENSUS.allocated,
  reserved: CENSUS.allocated + CENSUS.unused,
  peak_allocated: CENSUS.allocated,
  peak_reserved: CENSUS.allocated + CENSUS.unused,
  retries: 1,
  ooms: 1,
};

export const oom = (changes: Changes = {}): Changes => ({
  seq: 1,
  time: 1_700_000_412,
  device: 1,
  wanted: 16 * MIB,
  limit: 40 * GIB,
  free: 10 * MIB,
  thread: 'main',
  stack: STACK,
  main_stack: null,
  ...memory,
  device_free: 10 * MIB,
  device_total: 40 * GIB,
  snapshot: null,
  snapshot_error: null,
  dump_seconds: 0.5,
  history: 'armed',
  census: CENSUS.census,
  cycles: null,
  ...changes,
});

/** A rank that ran out of memory on GPU 1. */
export function failedRank(
  pid = 5123,
  rank = 1,
  changes: Changes = {},
  event: Changes = {},
): CollectedReceipt {
  const of = made(pid);
  return read(of, {
    rank: { RANK: String(rank), LOCAL_RANK: String(rank), WORLD_SIZE: '8' },
    devices: [{ ...DEVICE, ...memory }],
    ooms: [oom({ snapshot: snapshotFile(of, 1, rank), ...event })],
    oom_count: 1,
    snapshots: [
      {
        file: snapshotFile(of, 1, rank),
        bytes: 8_600_000,
        reason: 'oom',
        device: 1,
        seq: 1,
        time: 1_700_000_413,
        history: 'armed',
      },
    ],
    cycles: null,
    census: null,
    thread_ends: [],
    end: { kind: 'exception', exception: 'torch.OutOfMemoryError', oom: true, time: 1_700_000_414 },
    ...changes,
  });
}

/** A rank that did its work and ended well, or by what `changes` say. */
export function quietRank(pid: number, rank: number | null, changes: Changes = {}): CollectedReceipt {
  return read(made(pid), {
    rank: rank === null ? {} : { RANK: String(rank), LOCAL_RANK: String(rank) },
    devices: [
      {
        ...DEVICE,
        index: rank ?? 0,
        ...memory,
        retries: 0,
        ooms: 0,
        peak_allocated: memory.peak_allocated - pid,
      },
    ],
    ooms: [],
    oom_count: 0,
    snapshots: [],
    cycles: null,
    census: null,
    thread_ends: [],
    end: { kind: 'exit', exception: null, oom: false, time: 1_700_000_500 },
    ...changes,
  });
}

function snapshotsOf(receipts: readonly CollectedReceipt[]): SnapshotFile[] {
  return receipts.flatMap((r) =>
    r.snapshots.map((s): SnapshotFile => {
      const named = parseSnapshotName(s.file);
      if (!named) throw new Error(s.file);
      return {
        ...named,
        file: s.file,
        bytes: s.bytes ?? 0,
        digest: digest(s.file),
        seal,
        receipt: r.file,
        orphan: false,
        device: s.device,
        time: s.time,
        history: s.history ?? 'unknown',
        notes: [],
      };
    }),
  );
}

export interface Story extends Partial<Omit<ManifestParts, 'evidence'>> {
  readonly receipts?: readonly CollectedReceipt[];
  readonly exitCode?: number;
  readonly evidence?: Partial<Evidence>;
}

/** The manifest of a step with these receipts; verdict by the real judge. */
export function manifest({ receipts = [], exitCode = 0, evidence = {}, ...parts }: Story = {}): Manifest {
  const snapshots = snapshotsOf(receipts);
  return buildManifest({
    evidence: {
      dir: '/tmp/evidence',
      step: STEP,
      receipts,
      snapshots,
      unread: [],
      folderFault: null,
      rejected: [],
      rejectedCount: 0,
      rejectedReasons: [],
      faults: [],
      ...evidence,
    },
    version: '0.1.0',
    now: Date.UTC(2026, 0, 2, 3, 4, 5),
    step: {
      id: STEP,
      shell: 'bash',
      exit_code: exitCode,
      signal: null,
      cancelled: false,
      started: 1_700_000_000,
      ended: 1_700_000_500,
      workspace: WORKSPACE,
    },
    runner: {
      name: 'gpu-07',
      host: 'gpu-07',
      os: 'linux',
      arch: 'x64',
      repository: 'acme/llm',
      sha: 'a'.repeat(40),
      run_id: '42',
      run_attempt: '1',
      job: 'train',
    },
    verdict: judge({
      exitCode,
      cancelled: false,
      startError: null,
      oomCount: countOoms(receipts),
      endedByOom: receipts.filter(endedByOom).length,
      threadsEndedByOom: receipts.filter((r) => r.thread_ends.some((end) => end.oom)).length,
      fatal: fatalOoms(receipts),
      unexplained: unexplained(receipts),
      openEnds: openEnds(receipts, parts.stillRunning ?? [], 'gpu-07'),
      hostOomKills: 0,
      hostOomScope: 'cgroup',
      outside: outsideOoms(receipts),
      reached: receipts.length === 0 ? 'none' : (parts.unarmed ?? []).length > 0 ? 'part' : 'all',
      blindSpots: parts.blindSpots ?? [],
      machineOomKills: null,
      ownCgroups: [],
    }),
    gpu: null,
    host: null,
    parity: { state: 'off', reason: null, result: null },
    notSeen: [],
    faults: [],
    published: {
      state: snapshots.length > 0 ? 'uploaded' : 'skipped',
      reason: null,
      artifact:
        snapshots.length > 0
          ? {
              name: 'oom-autopsy-train-0-1',
              id: 5,
              url: 'https://github.com/acme/llm/actions/runs/42/artifacts/5',
              digest: `sha256:${'b'.repeat(64)}`,
              size: 1,
            }
          : null,
      left_out: [],
    },
    ...parts,
  });
}

export const links = (changes: Partial<SummaryLinks> = {}): SummaryLinks => ({
  artifactName: 'oom-autopsy-train-0-1',
  artifactId: 5,
  artifactUrl: 'https://github.com/acme/llm/actions/runs/42/artifacts/5',
  artifactDigest: `sha256:${'b'.repeat(64)}`,
  reportUrl: 'https://github.com/acme/llm/actions/runs/42/artifacts/6',
  evidenceDir: null,
  guideUrl: 'https://github.com/acme/oom-autopsy/blob/v1/docs/reading-a-snapshot.md',
  ...changes,
});

/** Another process on the GPU, as nvidia-smi shows it before the step. */
export const stranger = (held: number, name = 'python3', pid = 4121) => ({
  before: {
    state: 'seen' as const,
    tool: 'nvidia-smi' as const,
    devices: [
      {
        index: 1,
        uuid: 'GPU-1',
        name: 'NVIDIA A100-SXM4-40GB',
        total: 40 * GIB,
        used: held,
        free: 40 * GIB - held,
      },
    ],
    processes: [{ pid, startTicks: 70, name, device: 1, used: held }],
    pidsKnown: true,
    note: null,
    seconds: 0.1,
  },
  after: null,
});

/** Eight ranks of which rank 1 ran out of memory and the launcher ended the rest, beside somebody else's process. */
export function eightRanks(event: Changes = {}): Manifest {
  const sigterm = { end: { kind: 'sigterm', exception: null, oom: false, time: 1_700_000_415 } };
  const rest = [0, 2, 3, 4, 5, 6, 7].map((rank) => quietRank(6000 + rank, rank, sigterm));
  return manifest({
    receipts: [failedRank(5123, 1, {}, event), ...rest],
    exitCode: 1,
    gpu: stranger(Math.round(12.2 * GIB)),
  });
}
