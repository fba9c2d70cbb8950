/**
 * Reference cycles on dist: found with their bytes, told once, a gate where asked for. What the shim found is recorded
 * (recorded.ts). That no value of the program's gets out is in cycles.long.test.ts.
 */
import { afterAll, describe, expect, it } from '@jest/globals';
import { cleanUp, type Step } from './kit.js';
import { type Replay, recorded } from './recorded.js';

afterAll(cleanUp);
const MINUTES = 60_000;
const MIB = 2 ** 20;

/** Two cycles of one kind, 3 MiB each, and a larger one of another kind: 8 MiB. */
const PLANTED = `
import gc, torch

class Parent:
    pass

class Child:
    pass

def buffer(mib):
    return torch.empty(mib << 20, dtype=torch.uint8, device='cuda')

def plant(kind, mib):
    parent, child = kind(), Child()
    parent.child, child.parent = child, parent
    child.held = buffer(mib)

class Holder(Parent):
    pass

gc.disable()
plant(Parent, 3)
plant(Parent, 3)
plant(Holder, 8)
alive = buffer(4)
print('planted', torch.cuda.memory_allocated())
`;

const run = (
  inputs: Record<string, string>,
  program = PLANTED,
  name = 'planted',
  replay: Replay = { variation: true },
): Promise<Step> => recorded(name, { inputs: { run: program, shell: 'python', ...inputs } }, replay);

describe('a planted cycle', () => {
  it(
    'is counted, on the page, in the summary, and one warning',
    async () => {
      const { report, outputs, manifest, artifacts, pages } = await run({}, PLANTED, 'planted', {});
      expect(report.log).toContain(`planted ${18 * MIB}`);
      expect(report.conclusion).toBe('success');
      expect(outputs).toMatchObject({ verdict: 'ok', 'cycle-count': '2', 'exit-code': '0' });
      expect(manifest.cycles).toEqual({ count: 2, tensors: 3, bytes: { 'cuda:0': 14 * MIB } });
      const [process] = manifest.processes;
      expect(process.cycles).toMatchObject({ mode: 'sampled', state: 'watching', count: 2 });
      // biome-ignore lint/suspicious/noExplicitAny: JSON
      const rows = process.cycles.cycles.map(({ seen, tensors, bytes }: any) => [
        seen,
        tensors,
        bytes['cuda:0'],
      ]);
      expect(rows).toEqual([
        [1, 1, 8 * MIB],
        [2, 2, 6 * MIB],
      ]);
      expect(process.cycles.cycles[0].frames[0]).toMatchObject({ function: 'buffer' });

      const [artifact] = artifacts;
      expect(artifact?.files.filter((file) => file.endsWith('.receipt.json'))).toHaveLength(1);
      // The report draws each ring with the names of its references.
      expect(pages[0]?.html).toContain('__main__.Holder');
      expect(pages[0]?.html).toContain('.child');

      expect(report.summary).toMatch(/Reference cycles: 2 kinds held 3 GPU tensors, 14\.00.MiB/);
      expect(report.annotations).toHaveLength(1);
      expect(report.annotations[0]).toMatchObject({ level: 'warning' });
      expect(report.annotations[0]?.message).toMatch(
        /^2 kinds of reference cycles kept GPU tensors alive; the largest: .*Holder.* holding 8\.00 MiB$/,
      );
    },
    MINUTES,
  );

  it(
    'turns a green step red with `fail`, and leaves a red one its code',
    async () => {
      const green = await run({ cycles: 'fail' });
      expect(green.report.main.code).toBe(1);
      expect(green.outputs).toMatchObject({ 'exit-code': '0', verdict: 'ok', 'cycle-count': '2' });
      expect(green.report.annotations).toHaveLength(1);
      expect(green.report.annotations[0]).toMatchObject({ level: 'error' });
      expect(green.report.annotations[0]?.message).toMatch(/the largest: .*Holder.* holding 8\.00 MiB/);
      expect(green.artifacts).toHaveLength(1);
      const red = await run({ cycles: 'fail' }, `${PLANTED}\nraise SystemExit(9)`, 'planted', {
        variation: true,
        run: (program) => `python '${program}'\nexit 9`,
      });
      expect(red.report.main.code).toBe(9);
      expect(red.outputs).toMatchObject({ 'exit-code': '9', 'cycle-count': '2' });
    },
    2 * MINUTES,
  );

  it(
    'is nothing with `off`',
    async () => {
      const { report, outputs, manifest, artifacts } = await run(
        { cycles: 'off' },
        PLANTED,
        'planted-off',
        {},
      );
      expect(outputs['cycle-count']).toBe('0');
      expect(manifest.processes[0].cycles).toBeNull();
      expect(report.annotations).toEqual([]);
      expect(artifacts).toEqual([]);
    },
    MINUTES,
  );

  it(
    'is found by torch’s own observer too',
    async () => {
      const { outputs, manifest } = await run(
        { 'cycles-watch': 'continuous' },
        `${PLANTED}\ngc.collect()`,
        'planted-continuous',
        {},
      );
      expect(outputs['cycle-count']).toBe('2');
      expect(manifest.cycles).toEqual({ count: 2, tensors: 3, bytes: { 'cuda:0': 14 * MIB } });
      expect(manifest.processes[0].cycles).toMatchObject({ mode: 'continuous', state: 'watching' });
      expect(manifest.processes[0].recorder).toMatchObject({ max_entries: 100_000, disarm_proven: true });
    },
    MINUTES,
  );
});
