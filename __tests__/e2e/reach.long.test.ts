/** A step full of launchers on real torch: six processes that import it, in six ways. */
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
