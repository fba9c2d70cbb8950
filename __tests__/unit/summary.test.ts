/** The job summary as a string, and as GitHub shows it. */
import { describe, expect, it } from '@jest/globals';
import type { Manifest } from '../../src/evidence/manifest.js';
import { formatBytes } from '../../src/lib/bytes.js';
import { ranges } from '../../src/lib/text.js';
import { type Block, bytesOf, withinBudget } from '../../src/report/blocks.js';
import { escapeCode, escapeText, markdown, shellWord } from '../../src/report/markdown.js';
import { renderPage } from '../../src/report/page/page.js';
import { shorten } from '../../src/report/rich.js';
import type { Part } from '../../src/report/story.js';
import { picture, renderSummary, SUMMARY_BUDGET } from '../../src/report/summary/summary.js';
import { ownersRich } from '../../src/report/words/memory.js';
import { rejectedLine } from '../../src/report/words/unseen.js';
import { made, snapshotFile } from './evidence-kit.js';
import { renderGfm, tagsOf, textOf } from './gfm-kit.js';
import {
  CENSUS,
  cyclesOf,
  eightRanks,
  failedRank,
  frame,
  GIB,
  HOSTILE,
  links,
  MIB,
  manifest,
  oom,
  quietRank,
  read,
  type Story,
  stranger,
  WORKSPACE,
} from './report-kit.js';

const summary = (m: Manifest, more = {}): string => renderSummary(m, links(more));
const section = (text: string, from: string): string => text.slice(text.indexOf(from));

/** The kernel killed one process of the step's cgroup. */
const oomFacts = {
  machine_kills: null,
  state: 'read',
  kills: 1,
  ooms: 1,
  scope: 'cgroup',
  source: 'cgroup-v2',
  path: '/x',
} as const;

describe('the first lines', () => {
  it('say who asked for what, what was free and who held the rest', () => {
    const [title, , first] = summary(eightRanks()).split('\n');
    expect(title).toBe('## 🔴 Out of GPU memory on rank 1');
    expect(first).toContain(
      '`model/block.py:22` in `Block.forward` asked for **16.00 MiB** on GPU 1 (NVIDIA A100-SXM4-40GB)',
    );
    expect(first).toContain('**10.00 MiB** were free of 40.00 GiB');
    expect(first).toContain(
      '**Other processes held 12.20 GiB**: pid 4121 `python3`, there before this step started',
    );
  });

  it('name the first of several ranks', () => {
    const m = manifest({
      receipts: [
        failedRank(10, 3, {}, { time: 1_700_000_400 }),
        failedRank(11, 1, {}, { time: 1_700_000_399 }),
        quietRank(12, 0),
      ],
      exitCode: 1,
    });
    const text = summary(m);
    expect(text).toMatch(/^## 🔴 Out of GPU memory on ranks 1 and 3, first on rank 1\n/);
    expect(text).toMatch(/- rank 3 ran out too at `model\/block\.py:22`, asked for 16\.00 MiB/);
  });

  it('tell of the backward pass where the user had it start', () => {
    const main = [frame(`${WORKSPACE}/train.py`, 31, 'train_step')];
    const m = manifest({
      receipts: [failedRank(1, 0, {}, { thread: 'backward', stack: [], main_stack: main })],
      exitCode: 1,
    });
    expect(summary(m)).toContain(
      'The backward pass, while the main thread stood at `train.py:31` in `train_step`, asked for',
    );
  });

  it('say that a green step held one, and why it is green', () => {
    expect(summary(manifest({ receipts: [failedRank()], exitCode: 0 }))).toContain(
      'though the step itself exited with 0',
    );
  });

  it('are amber for errors that were all caught', () => {
    const r = failedRank(5, 0, {
      ooms: [oom(), oom({ seq: 2 })],
      oom_count: 6,
      end: { kind: 'exit', exception: null, oom: false },
    });
    const text = summary(manifest({ receipts: [r] }));
    expect(text).toMatch(/^## 🟡 6 out-of-memory errors, all caught: the program went on\n/);
    expect(text).toContain('The newest, on rank 0:');
  });

  it('claim nothing of errors whose process nobody saw end', () => {
    const open = { end: null };
    const one = failedRank(5, 0, open);
    const [title, , because] = summary(manifest({ receipts: [one] })).split('\n');
    expect(title).toBe('## 🟡 1 out-of-memory error; whether it was caught is not known');
    expect(because).toBe(
      'The step exited with 0; whether the out-of-memory that was seen was caught is not known: its process ended without exit handlers (killed, or os.\\_exit).',
    );
    const two = summary(
      manifest({ receipts: [one, failedRank(6, 1, { end: { kind: 'exit', oom: false } })] }),
    );
    expect(two).toMatch(/^## 🟡 2 out-of-memory errors; whether all were caught is not known\n/);
    const running = manifest({ receipts: [one], stillRunning: [{ pid: 5, program: null }] });
    expect(summary(running)).toMatch(/^## 🟡 1 out-of-memory error, and its process still runs\n/);
    expect(summary(running)).toContain('is not known: its process still runs.');
    const red = summary(manifest({ receipts: [one], exitCode: 1 }));
    expect(red).toMatch(/^## 🔴 The step failed with exit code 1; an out-of-memory was seen\n/);
    for (const text of [title, because, two, red, summary(running)])
      expect(text).not.toMatch(/caught by the program|all caught|caught:|went on/);
  });

  it('keep a host out-of-memory apart', () => {
    const memory = {
      total: 64 * GIB,
      available: 1,
      limit: 8 * GIB,
      used: 7 * GIB,
      peak: 8 * GIB,
      reason: null,
    };
    const m = manifest({
      exitCode: 137,
      receipts: [quietRank(4, 0, { end: null })],
      verdict: {
        name: 'host-oom',
        because: "the kernel's OOM killer ended 1 process of this cgroup during the step",
      },
      host: { oom: oomFacts, memory },
    });
    const text = summary(m);
    expect(text).toMatch(/^## 🔴 The host ran out of memory, not the GPU\n/);
    expect(text).toContain('The limit is **8.00 GiB**; the highest use was 8.00 GiB');
    const words = (limit: number | null, ooms: number | null): string =>
      summary({ ...m, host: { oom: { ...oomFacts, ooms }, memory: { ...memory, limit } } });
    // As cgroup v2 counts: kills, and no oom of its own, is a limit further up.
    expect(words(null, 0)).toContain(
      "one above that cannot be read here, or the whole machine's **64.00 GiB**",
    );
    expect(words(null, null)).toContain('The whole machine has **64.00 GiB**');
    expect(words(8 * GIB, 0)).toContain('The limit is **8.00 GiB**');
  });

  it("tell that the kernel killed something, where the verdict is another's", () => {
    const told = (exitCode: number, more: { kills?: number; scope?: 'machine' } = {}): string =>
      summary(manifest({ exitCode, host: { oom: { ...oomFacts, ...more }, memory: null } }));
    for (const exitCode of [0, 3])
      expect(told(exitCode)).toContain("**The kernel's OOM killer ended a process of this cgroup**");
    expect(told(0)).toMatch(/^🟡/);
    expect(told(0, { kills: 0 })).toMatch(/^⚪/);
    expect(told(0, { scope: 'machine' })).not.toContain('OOM killer');
  });

  it('tell an out-of-memory that the allocator never saw from one that was missed', () => {
    const gone = { ooms: [], oom_count: 0, snapshots: [], devices: [] };
    const outside = manifest({ receipts: [failedRank(5, 0, gone)], exitCode: 1 });
    expect(summary(outside)).toContain(
      'counted none: where it came from is not known; its traceback in the log tells',
    );
    const missed = manifest({
      receipts: [failedRank(5, 0, { ...gone, devices: [{ index: 0, ooms: 1 }] })],
      exitCode: 1,
    });
    expect(summary(missed)).toContain("torch's allocator counted it, but it was not recorded here");
  });
});

describe('memory of other processes', () => {
  const look = stranger(12 * GIB);
  const empty = { ...look.before, processes: [] };
  /** Of 40 GiB, 39.5 GiB are this process's and 10 MiB free: 502 MiB are left for everybody else. */
  const full = { reserved: 39.5 * GIB, census: null };
  const told = (gpu: NonNullable<Story['gpu']>, event = {}, changes: object = {}): string =>
    summary(manifest({ receipts: [failedRank(5123, 1, {}, event)], exitCode: 1, gpu, ...changes })).replace(
      /\u00a0/g,
      ' ',
    );

  it('is never more than there was outside of the allocator', () => {
    const text = told(look, full);
    expect(text).toContain(
      '**502.00 MiB were held outside of its allocator**: by other processes, or by the driver and libraries. Before this step, pid 4121 `python3` held 12.00 GiB.',
    );
    expect(text).not.toMatch(/Other processes held|belonged to processes|\*\*other processes/);
    expect(told({ before: empty, after: look.before }, full)).toContain(
      'and libraries. After this step, pid 4121 `python3` held 12.00 GiB.',
    );
  });

  it('is told as what was before the step when its process was gone after it', () => {
    const text = told({ before: look.before, after: empty });
    expect(text).toContain('Before this step, pid 4121 `python3` held 12.00 GiB (gone after it).');
    expect(text).not.toMatch(/Other processes held|belonged to processes|\*\*other processes/);
    // A tool that could not be asked for processes has not seen it gone.
    const unasked = told({ before: look.before, after: { ...empty, note: 'no answer' } });
    expect(unasked).toContain('**Other processes held 12.00 GiB**');
    expect(told({ before: look.before, after: look.before })).toContain(
      '**Other processes held 12.00 GiB**: pid 4121 `python3`, there before this step started.',
    );
  });

  it("is nobody else's where it is the step's own server, without a receipt, or where nobody can tell", () => {
    const server = { pid: 4121, startTicks: 70 };
    const after = look.before;
    const listed = (gpu: NonNullable<Story['gpu']>): number => told(gpu).match(/4121/g)?.length ?? 0;
    expect(listed({ before: empty, after })).toBeGreaterThan(1);
    expect(listed({ before: empty, after, own: [server] })).toBe(0);
    // Another process had that pid before the step: it is none of the step's.
    const earlier = { ...after, processes: after.processes.map((p) => ({ ...p, startTicks: 3 })) };
    expect(told({ before: earlier, after, own: [server] })).toMatch(/\| before the step \| GPU 1 \| 4121 \|/);
    expect(told({ before: earlier, after, own: [server] })).not.toMatch(/\| after it \|/);
    // In a container the tool may name pids of the host, the step's own among them.
    const ofHost = {
      ...after,
      pidsKnown: false,
      processes: after.processes.map((p) => ({ ...p, startTicks: null })),
    };
    expect(listed({ before: empty, after: ofHost })).toBe(0);
    expect(listed({ before: ofHost, after: ofHost })).toBeGreaterThan(1);
    const page = renderPage(manifest({ receipts: [failedRank()], gpu: { before: empty, after: ofHost } }));
    expect(page).toContain('python3 (not known whose)');
    const mine = { before: empty, after, own: [server] };
    expect(renderPage(manifest({ receipts: [failedRank()], gpu: mine }))).toContain('python3 (this step');
  });

  it('of this machine is no account of another one', () => {
    const runner = (host: string | null) => ({ runner: { ...manifest().runner, host } });
    for (const host of ['node-b', null]) {
      const text = told(look, {}, runner(host));
      expect(text).not.toMatch(/Other processes held|belonged to processes/);
      expect(text).toMatch(/\*\*12\.89 GiB were held outside of its allocator\*\*: [^.]*\./);
      // What was seen on this machine is still told, as that.
      expect(text).toContain('Who else was on the GPUs');
    }
  });

  it("is a stranger's also when a process of another machine has the same pid", () => {
    const there = read(made(4121, 'deadbeef', 'node-b'), { ooms: [], oom_count: 0, snapshots: [] });
    const m = manifest({ receipts: [failedRank(), there], exitCode: 1, gpu: look });
    expect(summary(m)).toContain('**Other processes held 12.00 GiB**: pid 4121');
    expect(summary(m)).toMatch(/\| before the step \| GPU 1 \| 4121 \|/);
    expect(renderPage(m)).not.toContain('python3 (this step');
  });
});

describe('a cancelled run', () => {
  const cancelled = (...receipts: readonly ReturnType<typeof quietRank>[]): string => {
    const verdict = {
      name: 'cancelled' as const,
      because: 'the step was cancelled or ran into a time limit',
    };
    return summary(manifest({ receipts, exitCode: 130, verdict }));
  };
  const said = 'Recording was disarmed in every process that had it.';
  const unproven = { state: 'disarmed', armed_at: 1, disarmed_at: 2, disarm_proven: false };

  it('says that recording is off only where that was proven in every process that had it', () => {
    expect(cancelled(quietRank(1, 0))).toContain(said);
    expect(cancelled(quietRank(1, 0), quietRank(2, 1, { recorder: { state: 'idle' } }))).toContain(said);
    for (const recorder of [unproven, { state: 'armed', armed_at: 1 }])
      expect(cancelled(quietRank(1, 0), quietRank(2, 1, { recorder }))).not.toContain(said);
    expect(cancelled(quietRank(1, 0, { recorder: { state: 'idle' } }))).not.toContain(said);
  });
});

describe('a green run', () => {
  it('is one line', () => {
    const receipts = [0, 1, 2, 3].map((rank) => quietRank(100 + rank, rank));
    const m = manifest({ receipts, parity: { state: 'match', reason: null, result: null } });
    expect(summary(m, { artifactName: null })).toBe(
      `✅ **No out-of-memory.** 4 processes recorded and disarmed; peak ${formatBytes(CENSUS.allocated - 100)} allocated on rank 0. Parity: match.\n`,
    );
  });

  it('gets no green mark when something was not seen', () => {
    const unsupported = {
      recorder: { state: 'unsupported', reason: 'backend cudaMallocAsync keeps no history: unset it' },
    };
    const text = summary(manifest({ receipts: [quietRank(1, 0), quietRank(2, 1, unsupported)] }));
    expect(text).toMatch(/^🟡 /);
    expect(text).toContain('rank 1 was not recorded: backend cudaMallocAsync keeps no history: unset it');
  });

  it('says that nothing was recorded, with the line of the step that is to blame', () => {
    const text = summary(
      manifest({
        gates: [
          {
            gate: 'if-no-torch',
            level: 'warn',
            message: 'No process of this step imported torch under oom-autopsy',
          },
        ],
        scriptHints: [
          { line: 7, what: 'sudo', advice: 'sudo clears the environment: sudo --preserve-env=PYTHONPATH' },
        ],
        unarmed: [
          {
            pid: 9,
            program: 'python3',
            reason: 'isolated',
            advice: 'it was started with -I, which ignores PYTHONPATH',
          },
        ],
      }),
    );
    expect(text).toMatch(/^🟡 \*\*Nothing was recorded\.\*\*/);
    expect(text).toContain('Line 7 of the step uses `sudo`');
    expect(text).toContain('`python3` (pid 9) had torch loaded and was not recorded: it was started with -I');
  });

  it('names a process that ended before it disarmed', () => {
    const r = quietRank(3, 0, { recorder: { state: 'armed', armed_at: 1, max_entries: 100_000 }, end: null });
    const text = summary(manifest({ receipts: [r] }));
    expect(text).toContain('ended before disarming in 1');
    expect(text).toContain('without exit handlers');
  });

  it('tells one that is still armed because it still runs from one that ended so', () => {
    const armed = { recorder: { state: 'armed', armed_at: 1, max_entries: 100_000 }, end: null };
    const receipts = [quietRank(3, 0, armed), quietRank(4, 1, armed), quietRank(5, 2)];
    const title = (stillRunning: Manifest['still_running']): string =>
      /<summary>(3 processes[^<]*)/.exec(summary(manifest({ receipts, stillRunning })))?.[1] ?? '';
    const [first, second] = [3, 4].map((pid) => ({ pid, program: null }));
    expect(title([first, second] as Manifest['still_running'])).toBe(
      '3 processes · recording disarmed in 1, still armed in 2 that still run',
    );
    expect(title([first] as Manifest['still_running'])).toBe(
      '3 processes · recording disarmed in 1, still armed in 1 that still runs, ended before disarming in 1',
    );
  });

  it('knows of no process under another host name whether it still runs', () => {
    const none = { ooms: [], oom_count: 0, snapshots: [], end: null };
    const there = read(made(77, 'deadbeef', 'node-b'), {
      ...none,
      recorder: { state: 'armed', armed_at: 1 },
    });
    for (const stillRunning of [[], [{ pid: 77, program: null }]]) {
      const text = summary(manifest({ receipts: [there], stillRunning }));
      expect(text).toContain('not seen disarmed in 1 under another host name');
      expect(text).toMatch(
        /\| 77 \|[^\n]*\| no end recorded, under another host name \|[^\n]*\| not seen disarmed \|/,
      );
    }
  });

  it('shows the cycles it had', () => {
    const cycles = cyclesOf(
      {
        seen: 3,
        types: [
          { name: 'app.Trainer', count: 1 },
          { name: 'cell', count: 2 },
        ],
        tensors: 4,
        frames: [{ file: `${WORKSPACE}/hooks.py`, line: 12, function: 'attach', count: 4 }],
      },
      { 'cuda:0': 512 * MIB },
      { tensors: 4 },
    );
    const text = summary(manifest({ receipts: [quietRank(3, 0, { cycles })] }));
    expect(text).toContain('Reference cycles: 1 kind held 4 GPU tensors, 512.00 MiB');
    expect(text).toContain(
      '| `app.Trainer`, `cell` ×2 | 3 | 4 | 512.00\u00a0MiB | `hooks.py:12` in `attach` |',
    );
  });
});

describe('sections', () => {
  // Retries are a hint beside what to do first.
  const text = summary(eightRanks({ retries: 5 }));

  it('come in the order in which a reader needs them', () => {
    const order = [
      '## 🔴',
      'Do this first',
      'What was alive when it failed',
      '**Snapshots**',
      'Where the program stood',
      'What else the numbers suggest',
      'Flamegraph',
      'check its digest',
      'Who else was on the GPUs',
      '8 processes',
    ];
    const places = order.map((words) => text.indexOf(words));
    expect(places).not.toContain(-1);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });

  it('have the categories in a table whose parts add up to the device', () => {
    expect(text).toContain(
      '| 🟧 **activation** (saved for backward)<br>`NativeLayerNormBackward0` 12.80\u00a0GiB | 12.80\u00a0GiB | 32\u00a0% |',
    );
    expect(text).toContain('| 🟥 **other processes** | 12.20\u00a0GiB | 31\u00a0% |');
    expect(text).toContain('96 % of the 25.99 GiB allocated is attributed');
    const [, table = ''] = /\n\| What was alive.*\n\| :---.*\n((?:\|.*\n)+)/.exec(text) ?? [];
    expect(table.trimEnd().split('\n')).toHaveLength(6);
    expect(table).toMatch(
      /\| the rest: unknown 1\.11.GiB; reserved, unused 1\.11.GiB; .*; free 10\.00.MiB \|/,
    );
  });

  it('tell owners of what is unknown, and reasons for what has none', () => {
    const MIB = 2 ** 20;
    const of = (owners: Part['owners'], reasons: Part['reasons']) =>
      markdown(ownersRich({ name: 'unknown', bytes: 12 * MIB, whole: true, count: 3, owners, reasons }));
    const owner = (name: string, gib: number, kind: Part['owners'][number]['kind']) => ({
      name,
      kind,
      bytes: gib * MIB,
      count: 1,
      largest: null,
    });
    const seen = [{ reason: 'visible tensor', bytes: 9 * MIB, count: 2 }];
    expect(of([owner('CACHE[*] in a.py', 7, 'holder')], seen)).toBe(
      '`CACHE[*] in a.py` 7.00 MiB, visible tensor 2.00 MiB',
    );
    expect(of([owner('net', 9, 'compiled')], seen)).toBe('compiled graph of `net` 9.00 MiB');
    const library = owner('cuBLAS workspace, by its size', 1, 'library');
    expect(of([library], [...seen, { reason: library.name, bytes: MIB, count: 1 }])).toBe(
      'visible tensor 9.00 MiB, cuBLAS workspace, by its size 1.00 MiB',
    );
  });

  it('name a cell of a notebook, and who caught the error', () => {
    const file = '/tmp/ipykernel_12/3456.py';
    const told = summary(
      manifest({
        receipts: [
          failedRank(
            5123,
            1,
            { end: { kind: 'exit', exception: null, oom: false, time: 1_700_000_500 } },
            {
              stack: [{ file, line: 3, function: '<module>' }],
              cell: 7,
              outcome: { kind: 'left', at: null, tool: 'IPython', later: null },
            },
          ),
        ],
        exitCode: 1,
      }),
    );
    expect(told).toMatch(/^## 🔴 Out of GPU memory in cell 7 of a notebook\n/);
    expect(told).toContain('`notebook cell, line 3` in');
    expect(told).toContain("`IPython` caught it after it had left the program's own frames.");
  });

  it('count names that were not accepted by reason, and reasons that are not named', () => {
    const reasons = (n: number) =>
      Array.from({ length: n }, (_, at) => ({ reason: `reason ${at}`, count: 1 }));
    const line = (n: number) =>
      rejectedLine({ rejected_count: 30, rejected_reasons: reasons(n) } as unknown as Manifest);
    expect(line(12)).toMatch(/1 × reason 11$/);
    expect(line(13)).toMatch(/1 × reason 11; 1 other reason$/);
    expect(
      rejectedLine({ rejected_count: 10, rejected_reasons: reasons(2) } as unknown as Manifest),
    ).toBeNull();
  });

  it('have the source line, linked and escaped, where there is one', () => {
    const source = {
      file: 'a b/train.py',
      line: 48,
      text: 'x = `a` # <img> @me',
      url: 'https://x.y/a%20b/train.py#L48',
    };
    const told = summary({ ...eightRanks({}), source });
    expect(told).toContain(
      '[`a b/train.py:48`](https://x.y/a%20b/train.py#L48)\n\n```python\nx = `a` # <img> @me\n```\n',
    );
    expect(told.indexOf('```python')).toBeLessThan(told.indexOf('What was alive'));
    expect(text).not.toContain('```python');
  });

  it('says of a category that was not seen whole that it was not, instead of nothing', () => {
    const [device] = CENSUS.census.devices;
    if (!device) throw new Error('no device');
    const { optimizer_state: state, unknown, ...seen } = device.categories;
    const categories = {
      ...seen,
      optimizer_state: { bytes: 0, count: 0, owners: [] },
      unknown: { ...unknown, bytes: unknown.bytes + state.bytes },
    };
    const written = (not_reached: readonly string[]) =>
      summary(
        manifest({
          receipts: [
            failedRank(
              5123,
              1,
              {},
              {
                census: {
                  ...CENSUS.census,
                  complete: false,
                  cut: 'the machine is busy',
                  not_reached,
                  devices: [{ ...device, categories }],
                },
              },
            ),
          ],
          exitCode: 1,
        }),
      );
    const text = written(['optimizer_state', 'activation']);
    expect(text).toContain('| 🟪 **optimizer state** | not reached |  |');
    expect(text).toMatch(
      /\*\*activation\*\* \(saved for backward\).* \| 12\.80\u00a0GiB, not all reached \|/,
    );
    expect(text).toMatch(/🟦 \*\*parameter\*\*.* \| 3\.02\u00a0GiB \|/);
    expect(written([])).not.toMatch(/optimizer.state|reached/);
  });

  it('tells private pools in a sentence, and nothing where there are none', () => {
    const device = CENSUS.census.devices[0];
    const pool = (kind: string, id: string | null, count = 1) => ({
      ...{ id, kind, count, reserved: 3 * GIB, allocated: 2 * GIB },
      categories: { parameter: GIB / 2, activation: 1.5 * GIB },
    });
    const pools = [pool('graph', '7:0'), pool('handle', '0:3'), pool('graph', '8:0'), pool('rest', null, 5)];
    const written = (list: readonly unknown[] | null) =>
      summary(
        manifest({
          receipts: [
            failedRank(5123, 1, {}, { census: { ...CENSUS.census, devices: [{ ...device, pools: list }] } }),
          ],
          exitCode: 1,
        }),
      );
    const text = written(pools);
    expect(text).toContain('that of a CUDA graph with 3.00 GiB reserved, 2.00 GiB of it in blocks');
    expect(text).toContain('(activation 1.50 GiB, parameter 512.00 MiB)');
    expect(text).toMatch(/; and 5 more\. \*\*4\.00 GiB\*\* in them is in no block/);
    expect(written([])).not.toMatch(/Private pools/);
    expect(written(null)).not.toMatch(/Private pools/);
  });

  it('group ranks that ended alike and keep the one that failed apart', () => {
    const rows = section(text, '<details><summary>8 processes')
      .split('\n')
      .filter((line) => line.startsWith('| '));
    expect(rows).toHaveLength(4);
    expect(rows[2]).toContain('| OutOfMemoryError, not caught |');
    expect(rows[3]).toMatch(/^\| 0, 2 to 7 \| 7 processes \|.*SIGTERM/);
    expect(text).toContain('8 processes: 1 out of memory, 7 ended by SIGTERM · recording disarmed in 8');
  });

  it('say when each snapshot was taken', () => {
    expect(text).toContain(
      '| 1 | at an out-of-memory, 412.0 s in | 8.20\u00a0MiB | armed, newest 100,000 events |',
    );
  });

  it('tell how to download and check, with the whole digest', () => {
    expect(text).toContain(
      'gh run download 42 -R acme/llm -n oom-autopsy-train-0-1 -D autopsy\n(cd autopsy && sha256sum -c SHA256SUMS)',
    );
    const name = snapshotFile(made(5123), 1, 1);
    expect(text).toMatch(new RegExp(`\n[0-9a-f]{64}  ${name}\n`));
    expect(text).toContain(`The artifact's own digest is of the zip: \`${'b'.repeat(64)}\``);
  });

  it('stay out when they have nothing to say', () => {
    const bare = summary(manifest({ exitCode: 3 }), { artifactName: null });
    expect(bare).toBe(
      '## 🔴 The step failed with exit code 3; nothing was recorded\n\nThe step exited with 3, and no process of it was recorded.\n',
    );
  });

  it('say that the upload failed, where the files are, and no download command', () => {
    const failed = summary(
      manifest({
        receipts: [failedRank()],
        exitCode: 1,
        published: { state: 'failed', reason: 'the service answered 403', artifact: null, left_out: [] },
      }),
      {
        artifactName: null,
        artifactUrl: null,
        artifactDigest: null,
        reportUrl: null,
        evidenceDir: '/runner/_temp/e v',
      },
    );
    expect(failed).toContain(
      '**Not uploaded**: the service answered 403. The files are on the runner in `/runner/_temp/e v`.',
    );
    expect(failed).not.toContain('gh run download');
  });

  const uploaded = {
    state: 'uploaded',
    reason: null,
    artifact: { name: 'a', id: 5, url: null, digest: null, size: 1 },
    left_out: [],
  } as const;
  const place =
    '**Evidence** · artifact [oom-autopsy-train-0-1](https://github.com/acme/llm/actions/runs/42/artifacts/5) · [open the report](https://github.com/acme/llm/actions/runs/42/artifacts/6)\n';

  it('say where the evidence is when there is no snapshot in it', () => {
    const receipts = [failedRank(5, 0, { snapshots: [] })];
    expect(summary(manifest({ receipts, exitCode: 1, published: uploaded }))).toContain(place);
    // Only pages of cycles, or the account of a drift: the run itself is green.
    const green = summary(manifest({ receipts: [quietRank(1, 0)], published: uploaded }));
    expect(green).toMatch(/^✅ .*\n\n\*\*Evidence\*\* · artifact/);
    expect(green).toContain(place);
  });

  it('say that evidence without a snapshot was not uploaded', () => {
    const failed = { state: 'failed', reason: 'no service', artifact: null, left_out: [] } as const;
    const none = { artifactName: null, artifactUrl: null, artifactDigest: null, reportUrl: null };
    for (const receipts of [[failedRank(5, 0, { snapshots: [] })], [quietRank(1, 0)]]) {
      const text = summary(manifest({ receipts, published: failed }), { ...none, evidenceDir: '/tmp/e' });
      expect(text).toContain('**Not uploaded**: no service. The files are on the runner in `/tmp/e`.');
    }
  });

  it('never call a file without history a full snapshot', () => {
    const of = made(5123);
    const snapshots = [
      { file: snapshotFile(of, 1, 1), bytes: 400 * MIB, reason: 'oom', device: 1, seq: 1, history: 'none' },
    ];
    const none = summary(manifest({ receipts: [failedRank(5123, 1, { snapshots })], exitCode: 1 }));
    expect(none).toContain('none: live blocks without stacks, not a full snapshot');
    expect(none).toMatch(/400\.00\u00a0MiB ⚠/);
    expect(none).toContain('SnapViewer and MemSnapDump');
  });

  it('show parity with its migration table', () => {
    const result = {
      schema: 'oom-autopsy.parity.v1' as const,
      verdict: 'match' as const,
      reason: null,
      view: { status: 'same', differences: [] },
      oracle: { status: 'same' as const, reason: null, differences: [] },
      migration: {
        status: 'same',
        rows: [{ from: 'AUTOGRAD_DETAIL', to: 'unknown', count: 53, bytes: 1_247_232 }],
        lines: ['9 scenarios'],
        differences: [],
      },
      environment: { torch: '2.14.1' },
      fixture: {},
      seconds: 6.1,
    };
    const shown = summary(
      manifest({ receipts: [failedRank()], exitCode: 1, parity: { state: 'match', reason: null, result } }),
    );
    expect(shown).toContain('Parity with the frozen fixture: <b>match</b> (torch 2.14.1, 6.1 s)');
    expect(shown).toContain('| `AUTOGRAD_DETAIL` | `unknown` | 53 | ');
  });

  it('say in one line, on green and red, what of torch is new enough to review the no-parse rule', () => {
    const of = (fresh: readonly string[]) => ({
      schema: 'oom-autopsy.parity.v1' as const,
      verdict: 'match' as const,
      view: { status: 'match', differences: [] },
      oracle: { status: 'same' as const, reason: null, differences: [] },
      migration: { status: 'exact', rows: [], lines: [], differences: [] },
      environment: { torch: '2.15.0' },
      fixture: {},
      trigger: { status: 'fired', new: [...fresh] },
      seconds: 6,
    });
    const show = (fresh: readonly string[], red: boolean) =>
      summary(
        manifest({
          receipts: [red ? failedRank() : quietRank(3, 0)],
          ...(red ? { exitCode: 1 } : {}),
          parity: { state: 'match', reason: null, result: of(fresh) },
        }),
      );
    for (const red of [false, true]) {
      expect(show([], red)).not.toContain('Review trigger');
      const lines = show(['torch.cuda.memory.annotate_tensor'], red).split('\n');
      expect(lines.filter((line) => line.startsWith('**Review trigger**'))).toHaveLength(1);
      expect(lines.join('\n')).toContain('torch.cuda.memory.annotate');
    }
  });

  it('say who still runs and who was killed', () => {
    const m = manifest({
      receipts: [quietRank(3, 0)],
      stillRunning: [{ pid: 77, program: 'vllm' }],
      killed: [{ pid: 78, program: null }],
    });
    expect(summary(m)).toContain('**Still running**: pid 77 `vllm`.');
    expect(summary(m)).toContain('**Ended by SIGKILL** after the grace period: pid 78.');
  });

  it('say how many more still run or were killed than are named', () => {
    const alive = Array.from({ length: 15 }, (_, i) => ({ pid: 100 + i, program: null }));
    const text = summary(
      manifest({ receipts: [quietRank(3, 0)], stillRunning: alive, killed: alive.slice(0, 13) }),
    );
    expect(text).toContain(', pid 111 and 3 more. Evidence that they write later');
    expect(text).toContain(', pid 111 and 1 more.\n');
  });
});

describe('foreign text', () => {
  const parts = (text: string): readonly string[] => [escapeText(text), escapeCode(text)];
  const cases = [
    HOSTILE,
    '| a | b |',
    '`',
    '``` \n# head',
    '<details><summary>x',
    '- item',
    '1. item',
    '# head',
    '## head',
    '###### head',
    '---',
    '--- ',
    '- - -',
    '===',
    '+ + +',
    '    four blanks',
    '     - five blanks',
    '\t\ttabs',
    '> quote',
    'a_b_c __d__ _e_',
    '![i](https://evil.example/x.png)',
    'https://evil.example',
    'www.evil.example',
    'a@b.co',
    '$a$ and $`b`$',
    '[^1]: note',
    '&lt;b&gt;',
    '\\',
    '  ',
    '~~x~~',
    '\u202egpj.exe',
    '<!-- -->',
    '| --- |',
  ];

  it.each(cases)('stays text: %j', (text) => {
    const wanted = text
      .replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
      .replace(/\s+/g, ' ')
      .trim();
    for (const written of parts(text)) {
      for (const around of [
        `x ${written} y`,
        `${written}`,
        `- ${written}\n`,
        `above\n\n- one\n- ${written}\n`,
        `| a |\n| --- |\n| ${written} |\n`,
      ]) {
        const html = renderGfm(around);
        expect(
          tagsOf(html).filter(
            (tag) => !/^<\/?(p|code|span|ul|li|table|thead|tbody|tr|th|td)( align="\w+")?>$/.test(tag),
          ),
        ).toEqual([]);
        const seen = textOf(html).replace(/\s+/g, ' ');
        expect(seen).toContain(wanted);
      }
    }
  });

  it('leaves nothing for what GitHub looks for in the text', () => {
    const written = escapeText('@octocat #12 GH-12 :smile: https://x.y www.x.y $a$');
    expect(written).not.toMatch(/@o|#1|GH-1|:smile:|:\/\/|www\.|(?<!<span>)\$/);
  });

  /** A manifest in which every text that a step can write is hostile. */
  function hostile(): Manifest {
    const evil = HOSTILE.repeat(2);
    const stack = [frame(evil, 1, evil), frame(`${WORKSPACE}/${HOSTILE}.py`, 2, evil)];
    const owners = [{ name: evil, bytes: 100, count: 1 }];
    const census = {
      complete: false,
      cut: evil,
      devices: [
        {
          index: 1,
          allocated: 200,
          reserved: 300,
          reserved_unused: 100,
          attributed: 1,
          categories: {
            parameter: { bytes: 100, count: 1, owners },
            unknown: { bytes: 100, count: 1, owners: [], reasons: [{ reason: evil, bytes: 100, count: 1 }] },
          },
        },
      ],
    };
    const cycles = cyclesOf(
      { types: [{ name: evil, count: 1 }], frames: [{ file: evil, line: 1, function: evil, count: 1 }] },
      { 'cuda:1': 5 },
      { reason: evil },
    );
    const r = failedRank(
      5123,
      1,
      {
        program: evil,
        executable: evil,
        torch: { version: evil, cuda: evil, backend: evil, alloc_conf: evil },
        faults: [evil],
        recorder: { state: 'failed', reason: evil },
        end: { kind: 'exception', exception: evil, oom: true },
        cycles,
      },
      { stack, census, cycles, snapshot_error: evil },
    );
    const result = {
      schema: 'oom-autopsy.parity.v1' as const,
      verdict: 'drift' as const,
      reason: evil,
      view: { status: evil, differences: [evil] },
      oracle: { status: 'changed' as const, reason: evil, differences: [evil] },
      migration: {
        status: evil,
        rows: [{ from: evil, to: evil, count: 1, bytes: 1 }],
        lines: [evil],
        differences: [evil],
      },
      environment: { torch: evil },
      fixture: {},
      trigger: { status: evil, new: [evil] },
      seconds: 1,
    };
    return manifest({
      receipts: [r, quietRank(9, null, { program: evil })],
      exitCode: 1,
      gpu: stranger(GIB, evil),
      faults: [evil],
      notSeen: [evil],
      unarmed: [{ pid: 1, program: evil, reason: 'unknown', advice: evil }],
      scriptHints: [{ line: 1, what: evil, advice: evil }],
      stillRunning: [{ pid: 2, program: evil }],
      gates: [{ gate: 'if-no-torch', level: 'warn', message: evil }],
      parity: { state: 'drift', reason: evil, result },
      evidence: { rejected: [{ name: evil, reason: evil, bytes: 1 }], rejectedCount: 1 },
      runner: {
        name: evil,
        host: 'gpu-07',
        os: evil,
        arch: evil,
        repository: evil,
        sha: evil,
        run_id: evil,
        run_attempt: evil,
        job: evil,
      },
    });
  }

  it('appears as text wherever the summary shows it', () => {
    const text = renderSummary(
      hostile(),
      links({ artifactName: HOSTILE, artifactUrl: 'javascript:alert(1)', evidenceDir: HOSTILE }),
    );
    const html = renderGfm(text);
    const tags = new Set(
      tagsOf(html).map((tag) =>
        tag.replace(/ (align="\w+"|class="language-\w+"|aria-hidden="true"|open)/g, ''),
      ),
    );
    const known =
      /^<\/?(h2|p|code|pre|span|strong|b|ul|li|table|thead|tbody|tr|th|td|details|summary|sub|br)>$|^<a href="https:\/\/github\.com\/acme\/[^"]*">$|^<\/a>$/;
    expect([...tags].filter((tag) => !known.test(tag))).toEqual([]);
    expect(html.match(/<details/g)?.length).toBe(html.match(/<\/details>/g)?.length);
    expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
    expect(text.split('\n').filter((line) => line.startsWith('::'))).toEqual([]);
  });

  it('cannot end the command line that is offered for copying', () => {
    expect(shellWord(`a'; rm -rf ~ #`)).toBe(`'a'\\''; rm -rf ~ #'`);
    expect(shellWord('$(x)\n`y`')).toBe("'$(x) `y`'");
  });
});

describe('the budget', () => {
  it('drops the least important rows first and never cuts one', () => {
    const block = (weight: number, letter: string): Block => ({
      weight,
      open: `${letter}:\n`,
      rows: Array.from({ length: 10 }, (_, i) => `${letter}${i} ${'é'.repeat(20)}\n`),
      close: (dropped) => (dropped > 0 ? `${dropped} more\n` : ''),
    });
    const all = withinBudget([block(2, 'a'), block(1, 'b')], 10_000);
    expect(all).not.toContain('more');
    const some = withinBudget([block(2, 'a'), block(1, 'b')], 700);
    expect(bytesOf(some)).toBeLessThanOrEqual(700);
    expect(some).toContain(`a9 ${'é'.repeat(20)}\n`);
    expect(some).toMatch(/b0[\s\S]*more\n$/);
    const less = withinBudget([block(2, 'a'), block(1, 'b')], 200);
    expect(bytesOf(less)).toBeLessThanOrEqual(200);
    expect(less).not.toContain('b');
    expect(less).toMatch(/^a:\na0/);
  });

  it('holds for 10,000 receipts with multibyte text, and keeps the verdict and the failing rank', () => {
    const long = '記憶体不足エラー🔥'.repeat(20);
    const template = quietRank(1, null, {
      program: long,
      faults: [long, long],
      ooms: [oom({ snapshot_error: long })],
      oom_count: 1,
    });
    const receipts = Array.from({ length: 10_000 }, (_, i) => ({
      ...template,
      pid: i + 10,
      file: `gpu-07-${i + 10}-deadbeef.receipt.json`,
    }));
    const m = manifest({
      receipts: [failedRank(), ...receipts],
      exitCode: 1,
      faults: receipts.map((r) => `${r.pid} ${long}`),
    });
    const text = summary(m);
    expect(bytesOf(text)).toBeLessThanOrEqual(SUMMARY_BUDGET);
    expect(text).toMatch(/^## 🔴 Out of GPU memory on rank 1\n/);
    expect(text).toContain('| OutOfMemoryError, not caught |');
    const tight = renderSummary(m, links(), 4096);
    expect(bytesOf(tight)).toBeLessThanOrEqual(4096);
    expect(tight).toContain('asked for **16.00 MiB**');
    expect(tight.match(/<details/g)?.length).toBe(tight.match(/<\/details>/g)?.length);
  });

  it('is far from needed for a usual failure', () => {
    expect(bytesOf(summary(eightRanks()))).toBeLessThan(6 * 1024);
  });
});

describe('small things', () => {
  it('a flood of names is counted by reason, and hides neither the reasons nor the rare names', () => {
    const junk = 'no receipt, snapshot or page has such a name';
    const changed = { name: snapshotFile(made()), reason: 'changed while it was read', bytes: 5 };
    const rejected = [
      changed,
      ...Array.from({ length: 99 }, (_, i) => ({ name: `junk-${i}`, reason: junk, bytes: null })),
    ];
    const flood = manifest({
      receipts: [quietRank(1, 0)],
      evidence: {
        rejected,
        rejectedCount: 99_951,
        rejectedReasons: [
          { reason: junk, count: 99_950 },
          { reason: changed.reason, count: 1 },
        ],
      },
    });
    const line = `99951 names not accepted as evidence: 99950 × ${junk}; 1 × ${changed.reason}`;
    const told = textOf(renderGfm(summary(flood)));
    expect(told).toContain(line);
    expect(told).toContain(`not accepted as evidence: ${changed.name}, ${changed.reason}`);
    expect(renderPage(flood)).toContain(line);
    const few = manifest({ evidence: { rejected: [changed], rejectedCount: 1 } });
    expect(summary(few)).not.toMatch(/names? not accepted/);
  });

  it('draws a picture whose squares add up', () => {
    const parts = [
      { name: 'parameter', bytes: 1 },
      { name: 'activation', bytes: 1 },
      { name: 'free', bytes: 1 },
    ].map((p) => ({ ...p, count: null, owners: [], reasons: [] })) as unknown as Parameters<
      typeof picture
    >[0];
    expect([...picture(parts)]).toHaveLength(16);
    expect(picture([])).toBe('');
  });

  it('names ranks in short', () => {
    expect(ranges([7, 0, 2, 3, 4, 5, 6])).toBe('0, 2 to 7');
    expect(ranges([1, 2])).toBe('1, 2');
  });

  it('shortens in the middle, whole characters', () => {
    expect(shorten('abcdefghij', 5)).toBe('ab…ij');
    expect(shorten('🔥'.repeat(10), 3)).toBe('🔥…🔥');
    expect(shorten('short', 10)).toBe('short');
  });
});

/** Numbers with a unit in a text, as bytes with the precision they are shown with. */
describe('every number of a summary is in the manifest', () => {
  const numbersIn = (value: unknown, found: Set<string>): Set<string> => {
    if (typeof value === 'number') {
      found.add(String(value));
      if (Number.isSafeInteger(value) && value >= 0) found.add(formatBytes(value));
    } else if (typeof value === 'string') {
      for (const digits of value.match(/[0-9]+/g) ?? []) found.add(digits);
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, inside] of Object.entries(value)) {
        for (const digits of key.match(/[0-9]+/g) ?? []) found.add(digits);
        numbersIn(inside, found);
      }
    }
    return found;
  };

  it.each([
    ['eight ranks', eightRanks()],
    ['one process', manifest({ receipts: [failedRank()], exitCode: 1 })],
    ['a green run', manifest({ receipts: [quietRank(1, 0), quietRank(2, 1)] })],
  ])('%s', (_name, m) => {
    const known = numbersIn(m, new Set<string>());
    // What the summary derives: reserved less allocated, and the device's size less what is free and reserved.
    const device = 40 * GIB - 10 * MIB - (CENSUS.allocated + CENSUS.unused);
    for (const derived of [CENSUS.unused, device, device - Math.round(12.2 * GIB)])
      known.add(formatBytes(derived));
    const text = textOf(renderGfm(summary(m))).replace(/\u00a0/g, ' ');
    const amounts = text.match(/[0-9.]+ (?:[KMGT]iB|B)\b/g) ?? [];
    expect(amounts.length).toBeGreaterThan(0);
    expect(amounts.filter((amount) => !known.has(amount))).toEqual([]);
  });
});

it('has a census that was refused by the reader when its parts do not add up', () => {
  const bad = structuredClone(CENSUS.census);
  (bad.devices[0] as { allocated: number }).allocated += 1;
  const text = summary(
    manifest({
      receipts: [
        read(made(5), {
          ooms: [oom({ census: bad })],
          end: { kind: 'exception', exception: 'x', oom: true },
        }),
      ],
      exitCode: 1,
    }),
  );
  expect(text).toContain('Who held the memory when it failed');
  expect(text).not.toContain('**activation**');
});
