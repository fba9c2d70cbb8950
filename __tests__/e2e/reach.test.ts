/**
 * Programs reached through dist: launchers and ranks, every process with a receipt, nobody taken for one that was missed.
 * (The many other ways to start a program are in __tests__/shim/test_reach.py, launchers of real torch in reach.long.test.ts.)
 */
import { spawnSync } from 'node:child_process';
import { realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { cleanUp, freshFolder, plainPython, ROOT, runStep } from './kit.js';

afterAll(cleanUp);
const MINUTES = 60_000;

// biome-ignore lint/suspicious/noExplicitAny: a manifest as JSON
type Json = any;

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
  'a step full of launchers, on a torch that imports in a millisecond: each process armed and disarmed, none reported as missed',
  async () => {
    const workspace = freshFolder();
    const python = realpathSync(plainPython());
    const tools = dirname(plainPython());
    writeFileSync(
      join(workspace, 'job.py'),
      'import os, torch\ntorch.cuda.init()\nprint("job", os.environ.get("VIRTUAL_ENV", "none")[-4:])\n',
    );
    writeFileSync(join(workspace, 'idle.py'), 'import torch\n');
    writeFileSync(join(workspace, 'Makefile'), `gpu:\n\t'${python}' job.py\n`);
    const venv = join(workspace, 'venv');
    spawnSync(python, ['-m', 'venv', '--without-pip', venv]);
    // Two at once and one that forks, before its child uses the GPU.
    writeFileSync(
      join(workspace, 'ranks.py'),
      [
        'import os, subprocess, sys, torch',
        "ranks = [subprocess.Popen([sys.executable, 'job.py'], env={**os.environ, 'RANK': str(n)}) for n in range(2)]",
        'assert [rank.wait() for rank in ranks] == [0, 0]',
        'if os.fork() == 0:',
        '    torch.cuda.init()',
        '    sys.exit()',
        'os.wait()',
      ].join('\n'),
    );
    const run = [
      // A login shell finds its programs anew, so each is named by its path.
      `'${tools}/uv' -q run --offline --no-project --python '${python}' python job.py`,
      `cd / && timeout 60 '${venv}/bin/python' '${workspace}/job.py'; cd - > /dev/null`,
      'make -s gpu',
      `'${python}' ranks.py`,
      `'${python}' idle.py`,
      `echo | xargs '${python}' job.py`,
    ];
    const { report, manifest } = await runStep({
      inputs: { run: run.join('\n'), shell: 'bash -leo pipefail {0}', 'if-no-torch': 'fail' },
      workspace,
      noService: true,
      env: {
        UV_CACHE_DIR: join(workspace, 'cache'),
        PYTHONPATH: `${join(ROOT, '__tests__', 'shim', 'tiny')}:.`,
        HOME: workspace,
      },
    });
    expect([report.main.code, report.log.match(/^job/gm)?.length]).toEqual([0, 6]);
    const states = manifest.processes.map((p: Json) => [
      p.program,
      p.rank,
      p.recorder.state,
      p.recorder.disarm_proven,
    ]);
    expect(states.map(String).sort()).toEqual([
      'idle.py,,idle,',
      ...Array.from({ length: 4 }, () => 'job.py,,disarmed,true'),
      'job.py,0,disarmed,true',
      'job.py,1,disarmed,true',
      'ranks.py,,disarmed,true',
      'ranks.py,,idle,',
    ]);
    expect([manifest.unarmed, manifest.not_seen, manifest.gates]).toEqual([[], [], []]);
    expect(report.annotations).toEqual([]);
    expect(report.summary).not.toMatch(/Not seen/);
  },
  MINUTES,
);
