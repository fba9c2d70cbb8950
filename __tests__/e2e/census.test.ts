/**
 * What was alive by category, on dist: the sums are the allocator's, at an out-of-memory and at exit; peaks always. What the
 * shim measured is recorded (recorded.ts).
 */
import { afterAll, describe, expect, it } from '@jest/globals';
import { cleanUp, cudaPython, ROOT } from './kit.js';
import { recorded } from './recorded.js';

afterAll(cleanUp);
const MINUTES = 60_000;

interface Category {
  readonly bytes: number;
  readonly count: number;
}
interface CensusDevice {
  readonly index: number;
  readonly allocated: number;
  readonly reserved: number;
  readonly reserved_unused: number;
  readonly attributed: number;
  readonly categories: Readonly<Record<string, Category>>;
}

/** Holds for every device of a census, whatever was alive. */
function addsUp(device: CensusDevice): void {
  const sum = Object.values(device.categories).reduce((all, { bytes }) => all + bytes, 0);
  expect(sum).toBe(device.allocated);
  expect(device.attributed).toBe(device.allocated - (device.categories['unknown']?.bytes ?? Number.NaN));
  expect(device.reserved_unused).toBe(device.reserved - device.allocated);
}

const bytes = (device: CensusDevice): Record<string, number> =>
  Object.fromEntries(Object.entries(device.categories).map(([name, category]) => [name, category.bytes]));

describe('a training that runs out of memory', () => {
  it(
    'is taken apart by category, and the report says what share was attributed',
    async () => {
      const { manifest, report } = await recorded('oom-one-gpu', {
        inputs: { run: 'python examples/train_oom.py' },
        workspace: ROOT,
        total: '640M',
      });
      const [process] = manifest.processes;
      const [oom] = process.ooms;
      expect(oom.census).toMatchObject({ complete: true, cut: null });
      const [device] = oom.census.devices;
      addsUp(device);
      expect(device.allocated).toBe(oom.allocated);
      expect(device.reserved).toBe(oom.reserved);
      // 3.7 million parameters; Adam keeps two numbers for each, and a step count, 512 bytes at least, on the CPU.
      const { parameter, optimizer_state: state, activation } = bytes(device);
      expect(state).toBe(2 * (parameter ?? Number.NaN));
      expect(activation).toBeGreaterThan(device.allocated / 2);
      expect(device.attributed / device.allocated).toBeGreaterThan(0.9);
      const names = device.categories.parameter.owners.map(({ name }: { name: string }) => name);
      expect(names).toContain('encoder.layers.*.linear1.weight');
      expect(report.summary).toMatch(/activation/);

      // At exit the frames of the failed step are gone, the model is not.
      addsUp(process.census.devices[0]);
      const atExit = bytes(process.census.devices[0]);
      expect([atExit['parameter'], atExit['optimizer_state']]).toEqual([parameter, state]);
    },
    2 * MINUTES,
  );
});

const GRAPH = `
import torch
model = torch.nn.Linear(1024, 1024).cuda()
static = torch.zeros(2048, 1024, device='cuda')
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph), torch.no_grad():
    for _ in range(8):
        out = model(static)
graph.replay()
torch.empty(1 << 40, dtype=torch.uint8, device='cuda')
`;

describe('a program with a captured graph', () => {
  it(
    'has the memory of its private pool told apart, within the sum',
    async () => {
      const { manifest, report } = await recorded('graph', {
        noService: true,
        total: '512M',
        inputs: { run: GRAPH, shell: 'python' },
      });
      const [device] = manifest.processes[0].ooms[0].census.devices;
      addsUp(device);
      const [pool, ...others] = device.pools;
      expect(others).toEqual([]);
      expect(pool).toMatchObject({ kind: 'graph', count: 1 });
      expect(pool.reserved).toBeGreaterThan(pool.allocated);
      // The last output is live; those before it went back to the pool.
      expect(pool.allocated).toBeGreaterThanOrEqual(2048 * 1024 * 4);
      expect(pool.categories.parameter).toBe(0);
      expect(report.summary).toMatch(/Private pools of the allocator.*that of a CUDA graph with/);
    },
    MINUTES,
  );
});

const GREEN = `
import torch
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(256, WIDTH), torch.nn.ReLU(), torch.nn.Linear(WIDTH, 8)).cuda()
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(3):
    optimizer.zero_grad()
    loss = model(torch.ones(32, 256, device='cuda')).mean()
    loss.backward()
    optimizer.step()
if torch.cuda.device_count() > 1:
    other = torch.ones(1 << 20, device='cuda:1')
`;

describe('a green run', () => {
  const run = (width: number, inputs: Record<string, string> = {}, devices = 1) =>
    recorded(`census-${inputs['categories'] ?? width}`, {
      noService: true,
      devices,
      inputs: { run: GREEN.replaceAll('WIDTH', String(width)), shell: 'python', ...inputs },
    });

  it(
    'has the same numbers twice, and others for another model: two runs can be compared',
    async () => {
      const all = [await run(512), await run(512), await run(1024)].map(({ manifest }) => {
        const [process] = manifest.processes;
        addsUp(process.census.devices[0]);
        return { categories: bytes(process.census.devices[0]), peak: process.devices[0].peak_allocated };
      });
      expect(all[1]).toEqual(all[0]);
      const [small, , large] = all;
      // Weights of 512 and of 1024 hidden units, each block rounded up to 512 bytes.
      const weights = (width: number) => 4 * (256 * width + width + 8 * width) + 512;
      expect(small?.categories).toMatchObject({ parameter: weights(512), gradient: weights(512) });
      expect(large?.categories).toMatchObject({ parameter: weights(1024), gradient: weights(1024) });
      expect(large?.peak).toBeGreaterThan(small?.peak ?? Number.NaN);
    },
    2 * MINUTES,
  );

  it(
    'has its peaks per device from public calls, without any category too',
    async () => {
      const { manifest, report } = await run(512, { categories: 'off' }, 2);
      const [process] = manifest.processes;
      expect(process.census).toBeNull();
      expect(process.devices.map(({ index }: { index: number }) => index)).toEqual([0, 1]);
      for (const device of process.devices) {
        expect(device.peak_reserved).toBeGreaterThanOrEqual(device.peak_allocated);
      }
      expect(process.devices[1].peak_allocated).toBe(4 << 20);
      expect(report.summary).toMatch(/peak [\d.]+.MiB allocated/);
    },
    MINUTES,
  );

  it(
    'of several ranks has them per rank',
    async () => {
      const rank = (n: number): string =>
        `RANK=${n} LOCAL_RANK=${n} WORLD_SIZE=2 '${cudaPython()}' -c "import torch; x = torch.ones(${n + 1} << 18, device='cuda:${n}')" &`;
      const { manifest } = await recorded('peaks-of-ranks', {
        noService: true,
        devices: 2,
        inputs: { run: `${rank(0)}\n${rank(1)}\nwait` },
      });
      // The device that is current is listed even where nothing was put on it.
      // biome-ignore lint/suspicious/noExplicitAny: JSON
      const peaks = manifest.processes.map(({ rank, devices }: any) => [
        rank,
        devices
          .filter((device: Record<string, number>) => device['peak_allocated'] !== 0)
          .map((device: Record<string, number>) => [device['index'], device['peak_allocated']]),
      ]);
      expect(peaks.sort()).toEqual([
        [0, [[0, 1 << 20]]],
        [1, [[1, 2 << 20]]],
      ]);
    },
    MINUTES,
  );
});
