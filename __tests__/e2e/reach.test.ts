/**
 * Programs reached through dist, on real torch: launchers and ranks, every process with a receipt, nobody taken for one that was missed.
 * (The many other ways to start a program are in __tests__/shim/test_reach.py.)
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { cleanUp, cudaPython, freshFolder, plainPython, runStep } from './kit.js';

afterAll(cleanUp);
const MINUTES = 60_000;

// biome-ignore lint/suspicious/noExplicitAny: a manifest as JSON
type Json = any;

const USE = "import torch; torch.zeros(1, device='cuda')";

it(
  'torchrun: the rank that ran out is named, with its snapshot; the one that was ended with it is not',
  async () => {
    const workspace = freshFolder();
    writeFileSync(
      join(workspace, 'rank.py'),
      [
        'import os, time, torch',
        'device = f\'cuda:{os.environ["LOCAL_RANK"]}\'',
        'torch.zeros(1, device=device)',
        "open(f'ready{os.environ[\"RANK\"]}', 'w').close()",
        "while not (os.path.exists('ready0') and os.path.exists('ready1')): time.sleep(0.05)",
        "if os.environ['RANK'] == '1': torch.empty(1 << 40, dtype=torch.uint8, device=device)",
        'time.sleep(120)',
      ].join('\n'),
    );
    const { report, outputs, manifest } = await runStep({
      inputs: { run: 'torchrun --nproc-per-node=2 rank.py', snapshot: 'on-failure' },
      workspace,
      devices: 2,
    });
    expect(report.main.code).toBe(1);
    expect(outputs).toMatchObject({ verdict: 'oom', 'oom-count': '1' });
    const byRank = new Map(manifest.processes.map((p: Json) => [p.rank, p]));
    expect([...byRank.keys()].map(String).sort()).toEqual(['0', '1', 'null']);
    const [agent, rank0, rank1] = [null, 0, 1].map((rank) => byRank.get(rank)) as [Json, Json, Json];
    expect(agent.recorder.state).toBe('idle');
    expect(rank0).toMatchObject({
      oom_count: 0,
      end: { kind: 'sigterm' },
      recorder: { disarm_proven: true },
    });
    expect(rank1).toMatchObject({
      oom_count: 1,
      end: { kind: 'exception', oom: true },
      recorder: { state: 'disarmed', disarm_proven: true },
    });
    const snapshots: Json[] = manifest.snapshots;
    expect(snapshots.find(({ reason }) => reason === 'oom')).toMatchObject({ rank: 1, device: 1 });
    expect(snapshots.filter(({ file }) => /-rank1-\d+-[0-9a-f]{8}-\d+-oom\.pickle$/.test(file))).toHaveLength(
      1,
    );
    expect(snapshots.filter(({ reason }) => reason === 'sigterm').map(({ rank }) => rank)).toEqual([0]);
    expect(manifest.unarmed).toEqual([]);
    const errors = report.annotations.filter(({ level }) => level === 'error');
    expect(errors).toHaveLength(1);
    expect(`${errors[0]?.title} ${errors[0]?.message}`).toMatch(/rank 1/i);
    expect(report.summary.split('\n').slice(0, 6).join('\n')).toMatch(/rank 1/i);
  },
  2 * MINUTES,
);

it(
  'a step full of launchers: each process armed and disarmed, none reported as missed',
  async () => {
    const workspace = freshFolder();
    const cuda = cudaPython();
    const tools = dirname(plainPython());
    writeFileSync(join(workspace, 'job.py'), `${USE}\n`);
    writeFileSync(join(workspace, 'rank.py'), 'import torch\n');
    writeFileSync(join(workspace, 'Makefile'), `gpu:\n\t'${cuda}' job.py\n`);
    const venv = join(workspace, 'venv');
    spawnSync(cuda, ['-m', 'venv', '--without-pip', venv]);
    const site = readdirSync(join(venv, 'lib')).map((name) => join(venv, 'lib', name, 'site-packages'))[0];
    const torchSite = spawnSync(cuda, ['-c', 'import sysconfig; print(sysconfig.get_path("purelib"))']);
    // addsitedir also reads the .pth files there, which load the stand-in device.
    writeFileSync(
      join(site as string, 'torch.pth'),
      `import site; site.addsitedir(r'''${String(torchSite.stdout).trim()}''')\n`,
    );
    // Workers of a DataLoader have torch loaded and no receipt, for they use no CUDA; they live while the watch looks.
    writeFileSync(
      join(workspace, 'loader.py'),
      [
        'import time, torch',
        'from torch.utils.data import DataLoader, Dataset',
        'class Slow(Dataset):',
        '    def __len__(self): return 4',
        '    def __getitem__(self, i): time.sleep(0.8); return torch.tensor([i])',
        "x = torch.zeros(1, device='cuda')",
        'print(sum(int(b) for b in DataLoader(Slow(), num_workers=2, multiprocessing_context="fork")))',
      ].join('\n'),
    );
    const old = ['2.7', '3.6', '3.8']
      .map((version) => {
        const root = join(homedir(), '.pyenv', 'versions');
        const name = existsSync(root)
          ? readdirSync(root).find((n) => n.startsWith(`${version}.`))
          : undefined;
        return name === undefined ? null : join(root, name, 'bin', 'python');
      })
      .filter((path) => path !== null);
    const run = [
      // A login shell finds its programs anew, so each is named by its path.
      `'${cuda}' loader.py`,
      `'${tools}/uv' -q run --offline --no-project --python '${cuda}' python job.py`,
      `cd / && timeout 60 '${venv}/bin/python' '${workspace}/job.py'; cd - > /dev/null`,
      'make -s gpu',
      `'${cuda}' -m torch.distributed.run --nproc-per-node=1 rank.py`,
      ...old.map((path) => `'${path}' -c 'print(1)'`),
    ];
    const { report, manifest } = await runStep({
      inputs: { run: run.join('\n'), shell: 'bash -leo pipefail {0}', 'if-no-torch': 'fail' },
      workspace,
      env: { UV_CACHE_DIR: join(workspace, 'cache'), PYTHONPATH: ':.', HOME: workspace },
    });
    expect([report.main.code, report.log.match(/^6$/gm)?.length]).toEqual([0, 1]);
    const states = manifest.processes.map((p: Json) => [
      p.program,
      p.recorder.state,
      p.recorder.disarm_proven,
    ]);
    expect(states.sort()).toEqual([
      ['-m torch.distributed.run', 'idle', null],
      ['job.py', 'disarmed', true],
      ['job.py', 'disarmed', true],
      ['job.py', 'disarmed', true],
      ['loader.py', 'disarmed', true],
      ['rank.py', 'idle', null],
    ]);
    expect([manifest.unarmed, manifest.not_seen, manifest.gates]).toEqual([[], [], []]);
    expect(report.annotations).toEqual([]);
    expect(report.summary).not.toMatch(/Not seen/);
  },
  3 * MINUTES,
);
