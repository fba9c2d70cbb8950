/**
 * Ten shapes of steps of public pipelines, with the one line before them: what is recorded of each, and what
 * not (the table in docs/job.md). Their own programs are replaced by a small training.
 */
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { runJob } from './job-kit.js';
import { cleanUp, cudaPython, freshFolder, plainPython } from './kit.js';
import { OUT_OF_MEMORY } from './replay.js';

afterAll(cleanUp);

interface Shape {
  readonly name: string;
  readonly steps: readonly {
    readonly id: string;
    readonly run: string;
    readonly continueOnError?: boolean;
  }[];
  /** Exit code of the last step that ran. */
  readonly code: number;
  readonly verdict: string;
  /** Programs in the report. */
  readonly says: readonly string[];
}

const bin = dirname(cudaPython());
const tools = dirname(plainPython());
const one = (run: string) => [{ id: 'gpu', run }];

const SHAPES: readonly Shape[] = [
  {
    name: 'pytest',
    steps: one('python3 -m pytest -q test_gpu.py'),
    code: 1,
    verdict: 'oom',
    says: ['test_gpu.py', 'in step gpu'],
  },
  {
    name: 'torchrun',
    steps: one('torchrun --nproc-per-node 2 train.py'),
    code: 1,
    verdict: 'oom',
    says: ['on ranks 0 and 1', 'in step gpu'],
  },
  {
    name: 'make',
    steps: one(`source '${bin}/activate'\nmake tests`),
    code: 2,
    verdict: 'oom',
    says: ['train.py in step gpu'],
  },
  {
    name: 'login shell',
    steps: one(`bash -l -c "'${bin}/python' train.py"`),
    code: 1,
    verdict: 'oom',
    says: ['train.py in step gpu'],
  },
  {
    name: 'or true',
    steps: one('python train.py 2>&1 | tee log || true'),
    code: 0,
    verdict: 'oom',
    says: ['though the job itself is green'],
  },
  {
    name: 'service',
    steps: [
      { id: 'serve', run: 'python serve.py > out 2>&1 &\nuntil [ -s out ]; do sleep 0.1; done' },
      { id: 'bench', run: 'python train.py' },
    ],
    code: 1,
    verdict: 'oom',
    says: ['train.py in step bench', 'serve.py'],
  },
  {
    name: 'timeout',
    steps: one('timeout 30m python train.py'),
    code: 1,
    verdict: 'oom',
    says: ['train.py in step gpu'],
  },
  {
    name: 'uv',
    steps: one(`'${tools}/uv' -q run --offline --no-project --python '${bin}/python' python train.py`),
    code: 1,
    verdict: 'oom',
    says: ['train.py in step gpu'],
  },
  {
    name: 'PYTHONPATH',
    steps: one('export PYTHONPATH=$(pwd)\npython train.py'),
    code: 1,
    verdict: 'failed',
    says: ['nothing was recorded'],
  },
  {
    name: 'tox',
    steps: one(`'${tools}/tox' -q -e gpu`),
    code: 1,
    verdict: 'failed',
    says: ['nothing was recorded'],
  },
];

it.each(SHAPES)(
  '$name',
  async ({ steps, code, verdict, says }) => {
    // uv and tox put folders of their own below the workspace, whose names some tools do not quote.
    const workspace = freshFolder('oom-autopsy-shape-');
    const file = (name: string, text: string) => writeFileSync(join(workspace, name), text);
    file('train.py', OUT_OF_MEMORY);
    file('test_gpu.py', `def test_it():\n${OUT_OF_MEMORY.trim().replace(/^/gm, '    ')}\n`);
    file(
      'serve.py',
      "import torch, time; x = torch.zeros(1, device='cuda'); print(1, flush=True); time.sleep(60)\n",
    );
    file('Makefile', 'tests:\n\tpython train.py\n');
    file(
      'tox.ini',
      `[tox]\nskipsdist = true\n[testenv:gpu]\nallowlist_externals = ${bin}/python\ncommands = ${bin}/python train.py\n`,
    );
    const { step, ran } = await runJob(steps, { workspace, devices: 2, inputs: { 'if-no-torch': 'warn' } });
    const told = `${step.report.summary}\n${step.report.log}`;
    expect({
      code: ran.at(-1)?.code,
      verdict: /verdict (\S+):/.exec(told)?.[1],
      output: ran.at(-1)?.output,
    }).toMatchObject({ code, verdict });
    for (const words of says) expect(told).toContain(words);
  },
  120_000,
);
