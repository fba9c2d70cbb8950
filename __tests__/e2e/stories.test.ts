/**
 * Stories: runs of the built action whose summaries are kept as goldens and read by people (stories-kit.ts). Their evidence is real torch's, recorded (recorded.ts); with OA_LONG=1 each is a real run.
 *
 *   OA_UPDATE_GOLDENS=1 … jest stories     writes them anew
 *   OA_KEEP_STORIES=folder                 keeps manifest, summary and page of each, for lab/scripts/pictures.mjs
 */
import { spawnSync } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { cleanUp, cudaPython, freshFolder, ROOT, runStep } from './kit.js';
import { mappedPython, seenProgram, temporary } from './mapped.js';
import { REAL, recorded } from './recorded.js';
import { inSmallMemory, possible } from './small-memory.js';
import { golden, program, run } from './stories-kit.js';

afterAll(cleanUp);
const MINUTES = 60_000;
const CATCH = `
import torch

def fill(batch):
    return torch.empty(batch << 20, dtype=torch.uint8, device="cuda")

batch = 4096
while True:
    try:
        fill(batch)
        break
    except torch.OutOfMemoryError:
        batch //= 2
print("batch", batch)
`;

const RANKS = `
import os, time
import torch

rank = int(os.environ["RANK"])
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
model = torch.nn.Linear(512, 512).cuda()

def say(word):
    open(f"{word}-{rank}", "w").close()

def wait(word, other):
    while not os.path.exists(f"{word}-{other}"):
        time.sleep(0.05)

def fill():
    return [torch.empty(32 << 20, dtype=torch.uint8, device="cuda") for _ in range(64)]

say("ready")
for other in range(4):
    wait("ready", other)
if rank == 3:
    wait("full", 1)
if rank in (1, 3):
    try:
        held = fill()
    except torch.OutOfMemoryError:
        say("full")
        wait("full", 3)
        raise
time.sleep(60)
`;

// Blocks of 1 to 10 MiB share segments of 20 MiB: a half of each that is in use keeps the whole from being given back.
const FRAGMENTED = `
import torch

def blocks(n, size):
    return [torch.empty(size << 20, dtype=torch.uint8, device="cuda") for _ in range(n)]

held = blocks(22, 9)
del held[1::2]
whole = blocks(1, 60)
`;

const OTHERS = `
import torch

def load():
    return torch.empty(100 << 20, dtype=torch.uint8, device="cuda")

weights = load()
`;

const CYCLES = `
import torch

class Trainer:
    def __init__(self):
        self.buffer = torch.zeros(8 << 20, dtype=torch.uint8, device="cuda")
        self.hook = lambda: self

for _ in range(3):
    Trainer()
`;

// Each worker keeps all that it has read.
const WORKERS = `
import time
import torch

class Samples(torch.utils.data.Dataset):
    def __init__(self):
        self.kept = []

    def __len__(self):
        return 10000

    def __getitem__(self, index):
        self.kept.append(b"1" * (8 << 20))
        time.sleep(0.05)
        return torch.zeros(4)

for batch in torch.utils.data.DataLoader(Samples(), num_workers=4):
    batch.cuda()
`;

/** The same shape in plain Python. */
const WORKERS_WITHOUT_TORCH = `
import os, time
def work():
    kept = []
    while True:
        kept.append(b"1" * (4 << 20))
        time.sleep(0.05)
pids = [os.fork() or work() for _ in range(4)]
gone, _ = os.wait()
for pid in set(pids) - {gone}:
    os.kill(pid, 9)
    os.waitpid(pid, 0)
os.abort()`.trim();

const SLEEP = `
import time
import torch

x = torch.zeros(1 << 20, device="cuda")
print("training", flush=True)
time.sleep(60)
`;

const GREEN = `
import torch

model = torch.nn.Linear(256, 256).cuda()
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(3):
    model(torch.zeros(8, 256, device="cuda")).sum().backward()
    optimizer.step()
`;

/** The built-in fixture as if one parameter more had been frozen, under a digest that fits: today's view differs from it. */
function drifted(path: string): void {
  const script = `
import json, sys
from oom_autopsy_parity import fixture
data = json.load(open(sys.argv[1]))
next(iter(data["scenarios"].values()))["view"]["counts"]["parameter"] += 1
open(sys.argv[2], "w").write(fixture.text(data))
`;
  const parity = join(ROOT, 'python', 'parity');
  const env = { ...process.env, PYTHONPATH: parity };
  const from = join(parity, 'fixtures', 'torch-2.13.json');
  const made = spawnSync(cudaPython(), ['-c', script, from, path], { env, encoding: 'utf8' });
  if (made.status !== 0) throw new Error(made.stderr);
}

describe('stories', () => {
  it(
    'out of memory on one GPU',
    async () => {
      const step = await recorded('oom-one-gpu', {
        inputs: { run: 'python examples/train_oom.py' },
        workspace: ROOT,
        total: '640M',
      });
      expect(step.outputs['verdict']).toBe('oom');
      expect(step.outputs['fingerprint']).toMatch(/^[0-9a-f]{12}$/);
      const text = golden('oom-one-gpu', step);
      expect(Buffer.byteLength(text)).toBeLessThan(6 * 1024);
    },
    MINUTES,
  );

  it(
    'caught, and the program went on',
    async () => {
      const step = await run('caught', CATCH);
      expect(step.outputs['verdict']).toBe('oom-recovered');
      golden('caught', step);
    },
    MINUTES,
  );

  it(
    'two of four ranks',
    async () => {
      const step = await run('two-of-four-ranks', RANKS, {
        command: 'python -m torch.distributed.run --nproc-per-node 4 --monitor-interval 2 train.py',
        devices: 4,
      });
      expect([step.outputs['verdict'], step.report.log]).toEqual(['oom', expect.anything()]);
      expect(golden('two-of-four-ranks', step)).toContain('first on rank 1');
    },
    2 * MINUTES,
  );

  it(
    'fragmentation',
    async () => {
      const step = await run('fragmentation', FRAGMENTED);
      expect(step.outputs['verdict']).toBe('oom');
      expect(golden('fragmentation', step)).toContain('expandable_segments:True');
    },
    MINUTES,
  );

  it(
    "somebody else's memory",
    async () => {
      const tools = join(ROOT, 'lab', 'standins', 'cuda', 'bin');
      const env = {
        OA_STANDIN_OTHERS_BYTES: '192M',
        PATH: [tools, dirname(cudaPython()), process.env['PATH']].join(delimiter),
      };
      const step = await run('others-memory', OTHERS, { env });
      expect(step.outputs['verdict']).toBe('oom');
      expect(golden('others-memory', step)).toContain('Other processes held 192.00 MiB');
    },
    MINUTES,
  );

  it(
    'killed by SIGKILL',
    async () => {
      const step = await run('killed', `${GREEN}\nimport os\nos.kill(os.getpid(), 9)`, {
        command: 'exec python train.py',
      });
      expect(['killed', 'host-oom']).toContain(step.outputs['verdict']);
      golden('killed', step);
    },
    MINUTES,
  );

  (possible ? it : it.skip)(
    'the host ran out of memory',
    async () => {
      // Torch alone takes more than a replay may.
      await inSmallMemory((REAL ? 1200 : 200) * 2 ** 20, async ({ node }) => {
        const step = await run(
          'host-oom',
          `${GREEN}\nimport time\npart = b"1" * (500 << 20)\ntime.sleep(1.5)\nhost = b"1" * (4 << 30)`,
          { command: 'exec python train.py', run: { node: node() } },
          {
            run: (replay) =>
              `python '${replay}'\nexec python -c 'import time; part = b"1" * (90 << 20); time.sleep(1.5); host = b"1" * (4 << 30)'`,
          },
        );
        expect(step.outputs['verdict']).toBe('host-oom');
        golden('host-oom', step);
      });
    },
    MINUTES,
  );

  (possible ? it : it.skip)(
    'DataLoader workers fill the host',
    async () => {
      await inSmallMemory((REAL ? 2200 : 400) * 2 ** 20, async ({ node }) => {
        const step = await run(
          'host-oom-workers',
          WORKERS,
          { command: 'exec python train.py', run: { node: node() } },
          { run: (replay) => `python '${replay}'\nexec python -c '${WORKERS_WITHOUT_TORCH}'` },
        );
        expect(step.outputs['verdict']).toBe('host-oom');
        expect(golden('host-oom-workers', step)).toMatch(/Do this first\*\*: 4 workers of `python[0-9.]*` /);
      });
    },
    MINUTES,
  );

  it(
    'cancelled mid-run',
    async () => {
      const step = await run('cancelled', SLEEP, {
        run: { cancelAfter: (line: string) => line.includes('training') },
      });
      expect(step.outputs['verdict']).toBe('cancelled');
      golden('cancelled', step);
    },
    MINUTES,
  );

  it(
    'never armed under -I',
    async () => {
      const temp = temporary();
      const step = await runStep({
        workspace: program(seenProgram(freshFolder(), temp)),
        python: mappedPython(),
        inputs: { run: 'python -I train.py' },
        run: { temp },
      });
      expect(step.outputs['verdict']).toBe('ok');
      expect(golden('isolated', step)).toContain('-I');
    },
    MINUTES,
  );

  it(
    'cudaMallocAsync',
    async () => {
      const step = await run('cuda-malloc-async', OTHERS, {
        env: { PYTORCH_CUDA_ALLOC_CONF: 'backend:cudaMallocAsync', OA_STANDIN_TOTAL_BYTES: '64M' },
      });
      golden('cuda-malloc-async', step);
    },
    MINUTES,
  );

  it(
    'reference cycles',
    async () => {
      const step = await run('cycles', CYCLES);
      expect(step.outputs['verdict']).toBe('ok');
      expect(golden('cycles', step)).toContain('Reference cycles: 1 kind');
    },
    MINUTES,
  );

  it(
    'parity drift',
    async () => {
      const workspace = program(GREEN);
      drifted(join(workspace, 'fixture.json'));
      const step = await recorded('parity-drift', {
        workspace,
        inputs: { run: 'python train.py', parity: 'warn', fixture: 'fixture.json' },
      });
      expect(step.outputs['parity']).toBe('drift');
      golden('parity-drift', step);
    },
    3 * MINUTES,
  );

  it(
    'all green',
    async () => {
      const step = await run('green', GREEN);
      expect(step.outputs['verdict']).toBe('ok');
      expect(step.outputs['fingerprint']).toBe('');
      const text = golden('green', step);
      expect(text.trim().split('\n')).toHaveLength(1);
    },
    MINUTES,
  );
});
