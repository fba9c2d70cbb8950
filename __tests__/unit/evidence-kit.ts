/** Evidence made for tests: receipts as the shim writes them, in a folder of their own. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const STEP = '0123456789ab';
export const OTHER_STEP = 'ffffffffffff';

export const temporaryFolder = (name = 'oa'): string => mkdtempSync(join(tmpdir(), `${name}-`));

export interface Made {
  readonly host: string;
  readonly pid: number;
  readonly token: string;
}
export const made = (pid = 4242, token = 'deadbeef', host = 'gpu-07'): Made => ({ host, pid, token });

export const receiptFile = (of: Made): string => `${of.host}-${of.pid}-${of.token}.receipt.json`;
export const snapshotFile = (of: Made, seq = 1, rank: number | 'none' = 1, reason = 'oom'): string =>
  `${of.host}-rank${rank}-${of.pid}-${of.token}-${seq}-${reason}.pickle`;

const category = (bytes: number) => ({
  bytes,
  count: 1,
  owners: [{ name: 'layers.0.weight', bytes, count: 1, kind: 'tensor', largest: 'float32[10, 10]' }],
});

const census = () => ({
  seconds: 0.02,
  complete: true,
  cut: null,
  not_reached: [],
  signs: {
    eval_activations: 0,
    optimizer_step: null,
    graph_passes: 1,
    live_passes: 1,
    twins: { names: ['net', 'ema'], bytes: 400 },
  },
  devices: [
    {
      index: 0,
      allocated: 1000,
      reserved: 2000,
      reserved_unused: 1000,
      attributed: 900,
      kept: [{ name: '`outputs[*]` in `evaluate` (eval.py)', by: 'graph', bytes: 100, count: 2 }],
      pools: [
        {
          id: '1:0',
          kind: 'graph',
          count: 1,
          reserved: 600,
          allocated: 200,
          categories: {
            parameter: 150,
            gradient: 0,
            optimizer_state: 0,
            activation: 0,
            input: 0,
            unknown: 50,
          },
        },
      ],
      categories: {
        parameter: category(500),
        gradient: category(400),
        unknown: {
          bytes: 100,
          count: 1,
          owners: [],
          reasons: [{ reason: 'not seen', bytes: 100, count: null }],
        },
      },
    },
  ],
});

const cycles = () => ({
  mode: 'sampled',
  state: 'watching',
  reason: null,
  looks: 3,
  seconds: 0.1,
  count: 1,
  tensors: 2,
  bytes: { 'cuda:0': 512 },
  cycles: [
    {
      id: 'cafe0123',
      seen: 2,
      size: 4,
      types: [{ name: 'mod.Holder', count: 2 }],
      tensors: 2,
      bytes: { 'cuda:0': 512 },
      frames: [{ file: '/w/train.py', line: 9, function: 'make', count: 2 }],
      graph: {
        ring: [
          { name: 'mod.Holder', label: '.other' },
          { name: 'mod.Holder', label: '' },
        ],
        ring_cut: 0,
        held: [{ at: 1, path: [{ label: '.buffer', name: 'torch.Tensor' }], bytes: 512, device: 'cuda:0' }],
        held_cut: 1,
      },
    },
  ],
  cycles_dropped: 0,
});

const memory = {
  allocated: 900,
  reserved: 950,
  peak_allocated: 920,
  peak_reserved: 960,
  retries: 1,
  ooms: 1,
};

/** A complete receipt of a process that ran out of memory once, with one snapshot. */
export function receipt(of: Made = made(), changes: Record<string, unknown> = {}): Record<string, unknown> {
  const snapshot = snapshotFile(of);
  return {
    schema: 'oom-autopsy.receipt.v1',
    step: STEP,
    host: of.host,
    pid: of.pid,
    ppid: 1,
    token: of.token,
    start_ticks: 12345,
    python: '3.11.7',
    executable: '/usr/bin/python3',
    program: 'train.py',
    github_action: 'train',
    github_action_path: '/w/actions/train',
    rank: { RANK: '1', LOCAL_RANK: '1', WORLD_SIZE: '4' },
    identity: null,
    time: { started: 1_700_000_000.5, updated: 1_700_000_100.25 },
    torch: {
      version: '2.14.1+cu130',
      cuda: '13.0',
      hip: null,
      backend: 'native',
      alloc_conf: null,
      expandable_segments: false,
      path: '/usr/lib/torch',
    },
    recorder: {
      state: 'disarmed',
      reason: null,
      armed_at: 1_700_000_010,
      disarmed_at: 1_700_000_100,
      disarm_proven: true,
      interrupted: false,
      observer: 'attached',
      max_entries: 100_000,
      stacks: 'python',
    },
    devices: [{ index: 0, name: 'NVIDIA A100-SXM4-40GB', total: 4000, limit: null, ...memory }],
    ooms: [
      {
        seq: 1,
        time: 1_700_000_090,
        device: 0,
        wanted: 16_777_216,
        limit: 4000,
        free: 100,
        thread: 'backward',
        stack: [{ file: '/w/train.py', line: 48, function: 'train_step' }],
        main_stack: [{ file: '/w/train.py', line: 50, function: 'main' }],
        ...memory,
        device_free: 100,
        device_total: 4000,
        snapshot,
        snapshot_error: null,
        dump_seconds: 0.5,
        history: 'armed',
        census: census(),
        cycles: cycles(),
        test: { runner: 'pytest', id: 'test_train.py::test_step[bf16]', phase: 'call', child: false },
        outcome: {
          kind: 'test-failed',
          at: { file: '/w/train.py', line: 51, function: 'main' },
          tool: null,
          later: null,
        },
        cell: 5,
      },
    ],
    ooms_dropped: 0,
    oom_count: 1,
    snapshots: [
      {
        file: snapshot,
        bytes: 11,
        reason: 'oom',
        device: 0,
        seq: 1,
        time: 1_700_000_090.5,
        history: 'armed',
      },
    ],
    snapshots_removed: 0,
    thread_ends: [{ exception: 'torch.OutOfMemoryError', oom: true, time: 1_700_000_050, at: null }],
    census: census(),
    cycles: cycles(),
    timeline: null,
    faults: [],
    end: {
      kind: 'exception',
      exception: 'torch.OutOfMemoryError',
      oom: true,
      outside_oom: null,
      reraised_from: null,
      time: 1_700_000_100,
      at: { file: '/w/train.py', line: 50, function: 'main' },
    },
    ...changes,
  };
}

export function writeReceipt(dir: string, of: Made = made(), changes: Record<string, unknown> = {}): string {
  writeFileSync(join(dir, receiptFile(of)), JSON.stringify(receipt(of, changes)));
  return receiptFile(of);
}

export function writeSnapshot(
  dir: string,
  name = snapshotFile(made()),
  content: string | Buffer = 'hello world',
): string {
  writeFileSync(join(dir, name), content);
  return name;
}

/** A small generator of pseudo-random numbers, so that a failing case can be run again from its seed. */
export function random(seed: number): {
  int(below: number): number;
  pick<T>(list: readonly T[]): T;
  bytes(n: number): Buffer;
} {
  let state = (seed * 2654435761 + 1) >>> 0;
  const next = (): number => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
  const int = (below: number): number => Math.floor(next() * below);
  return {
    int,
    pick: (list) => list[int(list.length)] as (typeof list)[number],
    bytes: (n) => (n > 4096 ? randomBytes(n) : Buffer.from(Array.from({ length: n }, () => int(256)))),
  };
}
