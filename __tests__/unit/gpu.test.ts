// Who is on the GPUs: the tools' own output as printed by them, real child processes that fail, hang and flood.
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { holdersOf } from '../../src/gpu/holders.js';
import { type GpuObservation, observeGpus } from '../../src/gpu/observe.js';
import {
  amount,
  parseAmd,
  parseNvidiaDevices,
  parseNvidiaProcesses,
  parseRocm,
  programName,
} from '../../src/gpu/parse.js';
import { leftoverWarning } from '../../src/report/words/leftovers.js';
import { type Group, stepProcesses } from '../../src/step/own.js';
import { processFacts } from '../../src/step/proc.js';
import { drain, runStep } from '../../src/step/process.js';
import { temporaryFolder } from './evidence-kit.js';
import { stranger } from './report-kit.js';

const root = temporaryFolder('oa-gpu');
afterAll(() => rmSync(root, { recursive: true, force: true }));
const MIB = 2 ** 20;
let bin: string;
let n = 0;
beforeEach(() => {
  n += 1;
  bin = join(root, `bin ${n}`);
  mkdirSync(bin);
});

function tool(name: string, script: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
}
const observe = (timeoutMs = 20_000) => observeGpus({ timeoutMs, env: { PATH: `${bin}:/usr/bin:/bin` } });

const DEVICES = `0, GPU-aaaa, NVIDIA A100-SXM4-40GB, 40960, 28000, 12500
1, GPU-bbbb, NVIDIA H200, 143771, [N/A], [Not Supported]
`;
const PROCESSES = `GPU-aaaa, ${process.pid}, /opt/conda/bin/python3.11, 12000
GPU-bbbb, 999999999, [Not Found], [N/A]
GPU-bbbb, 77, /srv/x, y/server,one --key=SECRET/a, 512
`;

it('reads nvidia-smi', () => {
  const devices = parseNvidiaDevices(`NVIDIA warning\n${DEVICES}`);
  expect(devices).toEqual([
    {
      index: 0,
      uuid: 'GPU-aaaa',
      name: 'NVIDIA A100-SXM4-40GB',
      total: 40960 * MIB,
      used: 28000 * MIB,
      free: 12500 * MIB,
    },
    { index: 1, uuid: 'GPU-bbbb', name: 'NVIDIA H200', total: 143771 * MIB, used: null, free: null },
  ]);
  expect(parseNvidiaProcesses(PROCESSES, devices)).toEqual([
    { pid: process.pid, name: 'python3.11', device: 0, used: 12000 * MIB },
    { pid: 999_999_999, name: null, device: 1, used: null },
    { pid: 77, name: 'server_one', device: 1, used: 512 * MIB },
  ]);
});

it('reads rocm-smi', () => {
  const text = `WARNING: AMD GPU device(s) is/are in a low-power state.
{"card0": {"Unique ID": "0x1234", "VRAM Total Memory (B)": "206141652992", "VRAM Total Used Memory (B)": "297246720", "Card Series": "AMD Instinct MI300X"},
 "system": {"PID4121": "python3, 1, 12884901888, 0, 0"}}`;
  expect(parseRocm(text)).toEqual({
    devices: [
      {
        index: 0,
        uuid: '0x1234',
        name: 'AMD Instinct MI300X',
        total: 206_141_652_992,
        used: 297_246_720,
        free: 205_844_406_272,
      },
    ],
    processes: [{ pid: 4121, name: 'python3', device: null, used: 12_884_901_888 }],
  });
  for (const bad of ['', 'x', '[]', '{}', '{"card0": 1}', '{"system": {"PIDx": 1}}'])
    expect(parseRocm(bad)).toBeNull();
});

it('reads amd-smi, old lists and new objects', () => {
  const metric = [
    {
      gpu: 0,
      mem_usage: {
        total_vram: { value: 196592, unit: 'MB' },
        used_vram: { value: 283, unit: 'MB' },
        free_vram: 'N/A',
      },
    },
  ];
  const process = [
    {
      gpu: 0,
      process_list: [
        {
          process_info: {
            name: '/usr/bin/python3 x',
            pid: 5,
            memory_usage: { vram_mem: { value: 1024, unit: 'B' } },
          },
        },
        { process_info: 'No running processes detected' },
      ],
    },
  ];
  const statics = [{ gpu: 0, asic: { market_name: 'AMD Instinct MI300X', asic_serial: '0xAB' } }];
  const expected = {
    devices: [
      {
        index: 0,
        uuid: '0xAB',
        name: 'AMD Instinct MI300X',
        total: 196592 * MIB,
        used: 283 * MIB,
        free: null,
      },
    ],
    processes: [{ pid: 5, name: 'python3', device: 0, used: 1024 }],
  };
  const [s, m, p] = [statics, metric, process].map((v) => JSON.stringify(v)) as [string, string, string];
  expect(parseAmd(s, m, p)).toEqual(expected);
  expect(parseAmd(`{"gpu_data":${s}}`, `{"gpu_data":${m}}`, `{"gpu_data":${p}}`)).toEqual(expected);
  expect(parseAmd('', 'error', '')).toBeNull();
});

it('reduces a process to a harmless name', () => {
  expect(programName('/a/b/python3.11')).toBe('python3.11');
  expect(programName('C:\\x\\python.exe')).toBe('python.exe');
  expect(programName('python3 train.py --password=/x/y')).toBe('python3');
  expect(programName('::error::x\u202e<b>`')).toBe('__error__x_b__');
  expect(programName('x'.repeat(500))).toHaveLength(60);
  expect([programName(''), programName('[N/A]'), programName('/'), programName(7)]).toEqual([
    null,
    null,
    null,
    null,
  ]);
  expect([
    amount('12', MIB),
    amount('12 B', MIB),
    amount('[N/A]', MIB),
    amount('-1', MIB),
    amount('9'.repeat(15), 2 ** 30),
  ]).toEqual([12 * MIB, 12, null, null, null]);
});

it('costs no process where there is no tool, and takes none from a relative PATH', async () => {
  expect(await observeGpus({ timeoutMs: 1, env: { PATH: bin } })).toEqual({ state: 'absent', tool: null });
  expect(await observeGpus({ timeoutMs: 1, env: {} })).toEqual({ state: 'absent', tool: null });
  tool('nvidia-smi', 'exit 0');
  const relative = bin.slice(root.length + 1);
  const here = process.cwd();
  process.chdir(root);
  try {
    expect(await observeGpus({ timeoutMs: 1, env: { PATH: `${relative}:.:` } })).toEqual({
      state: 'absent',
      tool: null,
    });
  } finally {
    process.chdir(here);
  }
  chmodSync(join(bin, 'nvidia-smi'), 0o644);
  mkdirSync(join(bin, 'rocm-smi'));
  expect(await observeGpus({ timeoutMs: 1, env: { PATH: bin } })).toEqual({ state: 'absent', tool: null });
});

it('asks nvidia-smi, and knows its own pid among the processes', async () => {
  tool(
    'nvidia-smi',
    `case "$1" in --query-gpu=*) cat <<'E'\n${DEVICES}E\n;; *) cat <<'E'\n${PROCESSES}E\n;; esac`,
  );
  const seen = await observe();
  expect(seen).toMatchObject({ state: 'seen', tool: 'nvidia-smi', pidsKnown: true, note: null });
  const processes = seen.state === 'seen' ? seen.processes : [];
  expect(processes.map((p) => [p.pid, p.startTicks])).toEqual([
    [process.pid, processFacts(process.pid)?.startTicks],
    [999_999_999, null],
    [77, processFacts(77)?.startTicks ?? null],
  ]);
});

it('keeps the devices when only the processes cannot be asked for', async () => {
  tool(
    'nvidia-smi',
    `case "$1" in --query-gpu=*) echo '0, GPU-a, X, 10, 5, 5';; *) echo 'no permission' >&2; exit 4;; esac`,
  );
  expect(await observe()).toMatchObject({
    state: 'seen',
    devices: [{ index: 0 }],
    processes: [],
    note: 'the processes could not be asked for: failed (4): no permission',
  });
});

it.each([
  [
    'fails',
    'echo "NVIDIA-SMI has failed\x1b[0m because" >&2; exit 9',
    20_000,
    'failed (9): NVIDIA-SMI has failed[0m because',
  ],
  ['says nothing', 'exit 0', 20_000, 'named no device'],
  ['hangs', 'exec sleep 60', 300, 'no answer in 1 s'],
  ['prints without end', 'exec cat /dev/zero', 20_000, 'printed too much'],
  ['dies', 'kill -SEGV $$', 20_000, 'failed (SIGSEGV)'],
])('says that a tool %s', async (_how, script, timeoutMs, reason) => {
  tool('nvidia-smi', script);
  expect(await observe(timeoutMs)).toMatchObject({ state: 'failed', tool: 'nvidia-smi', reason });
});

it('does not wait for one that cannot be killed, or for whoever holds its output', async () => {
  tool('nvidia-smi', 'sleep 30 & exec sleep 30');
  const since = Date.now();
  expect(await observe(300)).toMatchObject({ state: 'failed', reason: 'no answer in 1 s' });
  expect(Date.now() - since).toBeLessThan(20_000);
});

it('gives a tool the environment of the step, and not ours', async () => {
  tool('nvidia-smi', `test -z "$ACTIONS_RUNTIME_TOKEN$INPUT_RUN" && echo "0, $CUDA_SEEN, X, 10, 5, 5"`);
  const env = {
    PATH: `${bin}:/usr/bin:/bin`,
    ACTIONS_RUNTIME_TOKEN: 't',
    INPUT_RUN: 'echo secret',
    CUDA_SEEN: 'GPU-9',
  };
  expect(await observeGpus({ timeoutMs: 20_000, env })).toMatchObject({
    state: 'seen',
    devices: [{ uuid: 'GPU-9' }],
  });
});

it('asks rocm-smi and amd-smi where they are', async () => {
  tool('rocm-smi', `echo '{"card1": {"VRAM Total Memory (B)": "10", "VRAM Total Used Memory (B)": "4"}}'`);
  expect(await observe()).toMatchObject({
    tool: 'rocm-smi',
    devices: [{ index: 1, total: 10, used: 4, free: 6 }],
  });
  tool('amd-smi', `test "$1" = metric && echo '[{"gpu": 2, "mem_usage": {"total_vram": 1}}]' || exit 3`);
  expect(await observe()).toMatchObject({
    tool: 'amd-smi',
    devices: [{ index: 2, total: MIB }],
    note: 'the processes could not be asked for',
  });
});

describe('whose a process on a GPU is', () => {
  const p = (pid: number, used: number | null, startTicks: number | null = 70, device = 0) => ({
    ...{ pid, startTicks, name: 'x', device, used },
  });
  const seen = (processes: readonly ReturnType<typeof p>[], note: string | null = null): GpuObservation => ({
    ...{ state: 'seen', tool: 'nvidia-smi', devices: [], processes, pidsKnown: true, note, seconds: 0 },
  });
  const none: GpuObservation = { state: 'absent', tool: null };
  const short = (...args: Parameters<typeof holdersOf>) =>
    holdersOf(...args).map((h) => [h.pid, h.whose, h.before?.used ?? null, h.after?.used ?? null, h.gone]);

  it('is told by pid and start, the largest first', () => {
    const own = [
      { pid: 3, startTicks: 70 },
      { pid: 1, startTicks: 90 },
      { pid: 4, startTicks: 70 },
      { pid: 6, startTicks: null },
    ];
    const after = seen([p(1, 6), p(2, 7), p(3, 9), p(4, 3, 71), p(5, 2), p(6, 1)]);
    expect(short(seen([p(1, 5)]), after, own)).toEqual([
      [3, 'step', null, 9, false],
      [2, 'stranger', null, 7, false],
      [1, 'stranger', 5, 6, false],
      [4, 'stranger', null, 3, false],
      [5, 'stranger', null, 2, false],
      [6, 'step', null, 1, false],
    ]);
  });

  it('is not known of one that came later and cannot be found here', () => {
    const after = seen([p(1, 5, null), p(2, 7, null)]);
    expect(short(seen([p(1, 5, null)]), after, [{ pid: 2, startTicks: 70 }])).toEqual([
      [2, 'unknown', null, 7, false],
      [1, 'stranger', 5, 5, false],
    ]);
  });

  it('is surely not the step where it was there before, and it is gone only where the tool was asked', () => {
    expect(short(seen([p(1, 5)]), seen([]))).toEqual([[1, 'stranger', 5, null, true]]);
    expect(short(seen([p(1, 5)]), seen([p(1, 4, 99)]))).toEqual([
      [1, 'stranger', 5, null, true],
      [1, 'stranger', null, 4, false],
    ]);
    expect(short(seen([p(1, 5)]), seen([p(1, 4, 70, 1)])).map((h) => h.at(-1))).toEqual([false, false]);
    for (const unasked of [none, null, seen([], 'no permission')])
      expect(short(seen([p(1, 5)]), unasked)).toEqual([[1, 'stranger', 5, null, false]]);
    expect(short(none, null)).toEqual([]);
  });

  it('counts rows of one process and device together', () => {
    expect(short(seen([p(1, 5), p(1, null), p(1, 2), p(1, 1, 70, 1)]), null)).toEqual([
      [1, 'stranger', 7, null, false],
      [1, 'stranger', 1, null, false],
    ]);
  });

  it('is found of real processes: a server that the step left, and somebody else', async () => {
    const other = spawn('sleep', ['600'], { stdio: 'ignore' });
    const early = spawn('sleep', ['600'], { stdio: 'ignore' });
    tool(
      'nvidia-smi',
      `case "$1" in --query-gpu=*) echo '0, GPU-a, X, 10, 5, 5';; *) while read -r pid; do echo "GPU-a, $pid, x, 1"; done < '${bin}/pids';; esac`,
    );
    const list = (...pids: readonly unknown[]): void =>
      writeFileSync(join(bin, 'pids'), pids.map((pid) => `${pid}\n`).join(''));
    const id = `${process.pid}gpu`;
    const variable = `OOM_AUTOPSY_STEP=${id}`;
    let group: Group | null = null;
    try {
      list(early.pid);
      const before = await observe();
      await runStep({
        file: '/bin/bash',
        args: [
          '-c',
          `setsid bash -c 'echo $$ > server; while :; do sleep 0.2; done' & until [ -s server ]; do sleep 0.01; done`,
        ],
        cwd: bin,
        env: { ...process.env, OOM_AUTOPSY_STEP: id },
        graceMs: 1000,
        mark: variable,
        onStart: (started) => {
          group = started;
        },
      });
      const server = Number(readFileSync(join(bin, 'server'), 'utf8'));
      list(server, other.pid, early.pid, 999_999_999);
      const after = await observe();
      const started = group as Group | null;
      const mark = { leader: started?.pid ?? null, variable, since: started?.startTicks ?? null };
      const whose = (look: GpuObservation, own: readonly Group[]) =>
        new Map(holdersOf(before, look, own).map((h) => [h.pid, h.whose]));
      const own = stepProcesses(mark);
      expect([...whose(after, own)]).toEqual(
        expect.arrayContaining([
          [server, 'step'],
          [other.pid, 'stranger'],
          [early.pid, 'stranger'],
          [999_999_999, 'unknown'],
        ]),
      );
      // As in a container, whose /proc knows none of these pids.
      const inside = await observeGpus({ timeoutMs: 20_000, env: { PATH: `${bin}:/bin` }, proc: bin });
      expect(inside).toMatchObject({ state: 'seen', pidsKnown: false });
      expect(whose(inside, own).get(server)).toBe('unknown');
      expect(whose(inside, own).get(early.pid as number)).toBe('stranger');
    } finally {
      await drain({ leader: null, variable }, { term: null, kill: 0 });
      other.kill('SIGKILL');
      early.kill('SIGKILL');
    }
  });
});

it('names who holds memory before anything runs, the largest first', () => {
  const look = stranger(12 * 2 ** 30);
  const [held] = look.before.processes;
  const processes = [{ ...held, pid: 5, used: 1 }, held] as typeof look.before.processes;
  expect(leftoverWarning({ ...look.before, processes })?.replaceAll('\u00a0', ' ')).toBe(
    'Before this step started, GPU memory was in use. GPU 1: 12.00 GiB of 40.00 GiB held by pid 4121 python3 with 12.00 GiB, pid 5 python3 with 1 B',
  );
  expect(leftoverWarning(stranger(2 ** 20).before)).toBeNull();
});
