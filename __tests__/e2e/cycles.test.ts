/** Reference cycles on dist: found with their bytes, told once, a gate where asked for, and no value of the program's in any file. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { cleanUp, runStep, type Step } from './kit.js';

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

const run = (inputs: Record<string, string>, program = PLANTED): Promise<Step> =>
  runStep({ inputs: { run: program, shell: 'python', ...inputs } });

describe('a planted cycle', () => {
  it(
    'is counted, on the page, in the summary, and one warning',
    async () => {
      const { report, outputs, manifest, artifacts } = await run({});
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
      expect(artifact?.files).toContain(process.cycles.page);
      const page = readFileSync(join(artifact?.dir ?? '', process.cycles.page), 'utf8');
      expect(page).toContain('__main__.Holder');
      expect(page).not.toMatch(/<script|https?:\/\/(?!www\.w3\.org)/);

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
      const red = await run({ cycles: 'fail' }, `${PLANTED}\nraise SystemExit(9)`);
      expect(red.report.main.code).toBe(9);
      expect(red.outputs).toMatchObject({ 'exit-code': '9', 'cycle-count': '2' });
    },
    2 * MINUTES,
  );

  it(
    'is nothing with `off`',
    async () => {
      const { report, outputs, manifest, artifacts } = await run({ cycles: 'off' });
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
      const { outputs, manifest } = await run({ 'cycles-watch': 'continuous' }, `${PLANTED}\ngc.collect()`);
      expect(outputs['cycle-count']).toBe('2');
      expect(manifest.cycles).toEqual({ count: 2, tensors: 3, bytes: { 'cuda:0': 14 * MIB } });
      expect(manifest.processes[0].cycles).toMatchObject({ mode: 'continuous', state: 'watching' });
      expect(manifest.processes[0].recorder).toMatchObject({ max_entries: 100_000, disarm_proven: true });
    },
    MINUTES,
  );
});

/**
 * Every place in which a value might hide, on a cycle and beside it, in an out-of-memory with all looks on. Names do leave, as
 * docs/census.md says: of attributes, of keyword arguments and of an optimizer's own entries (`exp_avg`).
 */
const SECRETIVE = `
import gc, os, torch
SECRET = os.environ['MY' + '_SECRET']

class Loud:
    def __repr__(self):
        return SECRET
    __str__ = __repr__

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(64, 64, device='cuda')
        self.token = SECRET
    def forward(self, batch, **more):
        local = SECRET
        torch.empty(1 << 40, device='cuda')

def plant():
    me = Loud()
    me.me = me
    me.token = SECRET
    me.words = [SECRET, (SECRET,), {SECRET: SECRET, 'key': SECRET.encode()}]
    me.held = torch.ones(1 << 20, device='cuda')
    me.held.tag = SECRET
    inner = SECRET
    me.closure = lambda: (me, inner)
    try:
        raise ValueError(SECRET)
    except ValueError as error:
        me.error = error

def fail():
    try:
        torch.empty(1 << 40, device='cuda')
    except torch.OutOfMemoryError:
        pass

model = Model()
optimizer = torch.optim.AdamW(model.parameters())
fail()
# The optimizer and the first snapshot load 200,000 objects: on a busy machine more than a look gets through.
gc.collect()
gc.freeze()
gc.disable()
plant()
optimizer.state[model.layer.weight] = {'nested': {SECRET: torch.ones(64, device='cuda')}}
try:
    model(torch.ones(4, 64, device='cuda'), more={SECRET: torch.ones(4, device='cuda')})
except torch.OutOfMemoryError:
    pass
print('done')
`;

it(
  'no value of the program is in a file of the artifact, the log, the summary or an output',
  async () => {
    const secret = 'hunter2swordfish';
    const { report, outputs, manifest, artifacts } = await runStep({
      inputs: { run: SECRETIVE, shell: 'python', categories: 'census' },
      env: { MY_SECRET: secret },
    });
    expect(report.log).toContain('done');
    // All the looks have been there: the cycle is counted, the census names the module's parameter.
    expect(outputs).toMatchObject({ 'cycle-count': '1', verdict: 'oom-recovered' });
    const oom = manifest.processes[0].ooms[1];
    expect(JSON.stringify(oom.census)).toContain('layer.weight');
    expect(oom.cycles.count).toBe(1);
    const dir = artifacts[0]?.dir ?? '';
    const files = readdirSync(dir);
    expect(files.filter((file) => file.endsWith('.cycles.html'))).toHaveLength(1);
    // The snapshot is torch's own artifact, and nothing of ours is in it either.
    const leaks = files.filter((file) => readFileSync(join(dir, file)).includes(secret));
    expect(leaks).toEqual([]);
    expect(JSON.stringify([report.log, report.summary, report.annotations, outputs, manifest])).not.toContain(
      secret,
    );
  },
  MINUTES,
);
