/** On real torch, with all looks on: no value of the program's is in any file, line or output. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { cleanUp, runStep } from './kit.js';

afterAll(cleanUp);
const MINUTES = 60_000;

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
    // The snapshot is torch's own artifact, and nothing of ours is in it either.
    const leaks = files.filter((file) => readFileSync(join(dir, file)).includes(secret));
    expect(leaks).toEqual([]);
    expect(JSON.stringify([report.log, report.summary, report.annotations, outputs, manifest])).not.toContain(
      secret,
    );
  },
  MINUTES,
);
