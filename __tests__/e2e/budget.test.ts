/**
 * The memory budget on dist: a baseline made by one run, and what a later one is told. What the shim measured is recorded
 * (recorded.ts).
 */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { cleanUp, freshFolder, ROOT, runStep, type Step } from './kit.js';
import { recorded } from './recorded.js';

afterAll(cleanUp);
const MINUTES = 60_000;

/** The loop of most trainers: the peak is reset at each step. */
const TRAIN = `
import torch
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(256, WIDTH), torch.nn.ReLU(), torch.nn.Linear(WIDTH, 8)).cuda()
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(3):
    optimizer.zero_grad()
    model(torch.ones(2048, 256, device='cuda')).mean().backward()
    optimizer.step()
    torch.cuda.reset_peak_memory_stats()
FAIL
`;

const run = (
  width: number,
  inputs: Record<string, string> = {},
  workspace = freshFolder(),
  name = `budget-${width}`,
) =>
  recorded(name, {
    workspace,
    inputs: {
      run: TRAIN.replaceAll('WIDTH', String(width)).replace(
        'FAIL',
        name.endsWith('oom') ? "torch.empty(1 << 40, device='cuda')" : '',
      ),
      shell: 'python',
      parity: 'off',
      ...inputs,
    },
  });
/** A workspace that holds the memory.json of a run of that width. */
async function baselineOf(width: number): Promise<string> {
  const workspace = freshFolder();
  const { outputs } = await run(width);
  writeFileSync(join(workspace, 'main.json'), readFileSync(String(outputs['memory-file'])));
  return workspace;
}
const annotations = ({ report }: Step): string => String(report.main.stdout.data);

describe('a green run', () => {
  it(
    'leaves its peaks, in the outputs and in a file of its schema, though the program resets them',
    async () => {
      const { outputs, manifest, artifacts } = await run(512);
      expect([outputs['verdict'], outputs['artifact-id']]).toEqual(['ok', '']);
      expect(artifacts).toEqual([]);
      const memory = JSON.parse(readFileSync(String(outputs['memory-file']), 'utf8'));
      const ajv = new Ajv2020({ strict: false });
      addFormats.default(ajv);
      const validate = ajv.compile(
        JSON.parse(readFileSync(join(ROOT, 'schemas', 'memory.schema.json'), 'utf8')),
      );
      validate(memory);
      expect(validate.errors).toBeNull();
      expect(memory.rows).toHaveLength(1);
      expect(outputs['peak-allocated']).toBe(String(memory.rows[0].peak_allocated));
      expect(outputs['peak-reserved']).toBe(String(memory.rows[0].peak_reserved));
      expect(manifest.memory.peak_allocated).toBe(memory.rows[0].peak_allocated);
      // Activations of 2,048 rows are only alive within a step, and the last reset came after it.
      expect(memory.rows[0].peak_allocated).toBeGreaterThan(memory.rows[0].allocated + 2048 * 512 * 4);
    },
    MINUTES,
  );

  it(
    'that doubles a layer turns red with the sentence; one that halves it is green and says so',
    async () => {
      const workspace = await baselineOf(512);
      const inputs = { baseline: 'main.json', 'max-growth': '5%' };
      const doubled = await run(1024, inputs, workspace);
      expect(doubled.report.main.code).toBe(1);
      expect([doubled.outputs['verdict'], doubled.outputs['exit-code']]).toEqual(['ok', '0']);
      expect(doubled.report.summary).toMatch(/^🔴 \*\*The peak is/);
      expect(doubled.report.summary).toMatch(
        /The peak is [\d.]+ MiB, [\d.]+ MiB \(\d+ %\) more than the baseline's [\d.]+ MiB; at most 5 % more is allowed/,
      );
      expect(doubled.report.summary).toMatch(/optimizer_state grew by [\d.]+ MiB/);
      expect(annotations(doubled)).toMatch(/::error title=oom-autopsy%3A max-growth::The peak is/);
      const halved = await run(256, inputs, workspace);
      expect(halved.report.main.code).toBe(0);
      expect(halved.report.summary).toMatch(
        /The peak is \*\*[\d.]+.MiB \(\d+.%\) less\*\* than that of the baseline/,
      );
    },
    2 * MINUTES,
  );

  it(
    'without a baseline says so and fails nothing, unless that was asked for',
    async () => {
      const inputs = { baseline: 'none.json', 'max-growth': '5%' };
      const warned = await run(512, inputs);
      expect(warned.report.main.code).toBe(0);
      expect(warned.report.summary).toContain('The baseline could not be used: there is no such file');
      expect(annotations(warned)).toContain('::warning title=oom-autopsy%3A if-no-baseline::');
      expect((await run(512, { ...inputs, 'if-no-baseline': 'fail' })).report.main.code).toBe(1);
      const ignored = await run(512, { ...inputs, 'if-no-baseline': 'ignore' });
      expect([ignored.report.main.code, annotations(ignored).includes('if-no-baseline::')]).toEqual([
        0,
        false,
      ]);
    },
    2 * MINUTES,
  );

  it(
    'above its budget turns red and has its snapshot',
    async () => {
      const { report, outputs, artifacts } = await run(
        512,
        { 'memory-budget': '2MiB' },
        freshFolder(),
        'budget-over',
      );
      expect([report.main.code, outputs['verdict'], outputs['snapshot-count']]).toEqual([1, 'ok', '1']);
      expect(report.summary).toMatch(
        /The peak of \S+ on cuda:0 was [\d.]+ MiB, above the memory budget of 2\.00 MiB\. Most at exit: optimizer_state 1\.04 MiB, AdamW exp_avg/,
      );
      const [files] = artifacts.map((one) =>
        one.files.filter((file) => /budget\.pickle$|^memory\.json$/.test(file)),
      );
      expect(files).toHaveLength(2);
    },
    MINUTES,
  );
});

it(
  'a step that runs out of memory is told what grew since the baseline',
  async () => {
    const workspace = await baselineOf(512);
    const { report, outputs } = await run(
      1024,
      { baseline: 'main.json', 'max-growth': '5%' },
      workspace,
      'budget-oom',
    );
    expect([report.main.code, outputs['verdict']]).toEqual([1, 'oom']);
    expect(report.summary).toMatch(/The peak is \*\*[\d.]+.MiB \(\d+.%\) more\*\* than that of the baseline/);
  },
  2 * MINUTES,
);

describe('min-free', () => {
  const tool = (used: number): string => {
    const folder = freshFolder('bin-');
    const path = join(folder, 'nvidia-smi');
    const answer = `case "$*" in *query-gpu*) echo '0, GPU-1, H100, 81920, ${used}, ${81920 - used}';; *) echo 'GPU-1, 4121, python3, ${used}';; esac`;
    writeFileSync(path, `#!/bin/sh\n${answer}\n`);
    chmodSync(path, 0o755);
    return folder;
  };
  const with_ = (used: number, minFree: string) =>
    runStep({
      noService: true,
      inputs: { run: 'echo ran', 'if-no-torch': 'ignore', 'min-free': minFree },
      env: { PATH: `${tool(used)}:${process.env['PATH']}` },
    });

  it('with too little starts nothing, names who holds it, and leaves nothing', async () => {
    const { report, outputs } = await with_(60_000, '90%');
    expect([report.main.code, outputs['verdict']]).toEqual([1, 'not-run']);
    expect(String(report.main.stdout.data)).not.toContain('\nran');
    expect(report.summary).toMatch(/Not run: not enough GPU memory is free.*4121/);
  });

  it('with enough runs', async () => {
    const { report, outputs } = await with_(100, '90%');
    expect([report.main.code, outputs['verdict']]).toEqual([0, 'ok']);
  });
});
