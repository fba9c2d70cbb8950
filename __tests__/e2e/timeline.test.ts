/** `categories: timeline` on dist: a few steps are covered, bounded, told; the program computes what it would have. */
import { afterAll, expect, it } from '@jest/globals';
import { cleanUp, cpuPython, ROOT, runStep } from './kit.js';

afterAll(cleanUp);
const MINUTES = 60_000;

/** The example's model and step, on any device, with its losses printed bit for bit. */
const TRAIN = `
import struct, sys, torch
sys.path.insert(0, 'examples')
import train_oom as example
device = DEVICE
torch.manual_seed(0)
torch.set_num_threads(1)
model = example.TinyTransformer(64, 32, 2).to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
for step in range(8):
    tokens = torch.arange(64, device=device).reshape(4, 16)
    loss = torch.nn.functional.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten())
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    if device == 'cpu':
        print('loss', step, struct.pack('>f', loss.item()).hex(), flush=True)
END
`;
const program = (device: 'cpu' | 'cuda', end = ''): string =>
  TRAIN.replace('DEVICE', `'${device}'`).replace('END', end);

const losses = (log: string): readonly string[] => log.match(/^loss \d [0-9a-f]{8}$/gm) ?? [];

it(
  'covers two steps of a training on the GPU, is bounded, and takes the census of an out-of-memory too',
  async () => {
    const { report, outputs, manifest } = await runStep({
      workspace: ROOT,
      inputs: {
        run: program('cuda', "torch.empty(1 << 40, device='cuda')"),
        shell: 'python',
        categories: 'timeline',
        'timeline-steps': '2',
      },
    });
    expect(outputs['verdict']).toBe('oom');
    const [process] = manifest.processes;
    const { timeline } = process;
    expect(timeline).toMatchObject({
      state: 'done',
      mode: 'operations',
      steps: 2,
      steps_wanted: 2,
      reason: null,
      devices_dropped: 0,
      faults: [],
    });
    const device = timeline.devices.find(({ device }: { device: string }) => device.startsWith('cuda'));
    expect(Object.keys(device.categories).sort()).toEqual([
      'activation',
      'gradient',
      'input',
      'optimizer_state',
      'parameter',
      'unknown',
    ]);
    expect(device.points.length).toBeLessThanOrEqual(120);
    const sum = (parts: Record<string, number>): number => Object.values(parts).reduce((a, b) => a + b, 0);
    for (const point of [...device.points, device.peak]) expect(sum(point.by_category)).toBe(point.bytes);
    expect(JSON.stringify(timeline).length).toBeLessThan(64_000);
    expect(JSON.stringify(timeline)).not.toMatch(/TEMPORARY|AUTOGRAD_DETAIL/);

    const [oom] = process.ooms;
    expect(oom.census.complete).toBe(true);
    // The view counts storages, the census the allocator's blocks of 512 bytes: the same tensors.
    const { parameter } = oom.census.devices[0].categories;
    expect(parameter.count).toBe(device.categories.parameter.count);
    expect(report.summary).toMatch(/parameter/);
  },
  2 * MINUTES,
);

it(
  'changes no bit of what a training on the CPU computes',
  async () => {
    const run = async (categories: string) => {
      const { report, manifest } = await runStep({
        python: cpuPython(),
        noService: true,
        workspace: ROOT,
        inputs: { run: program('cpu'), shell: 'python', categories },
      });
      expect(report.main.code).toBe(0);
      return { losses: losses(report.log), timeline: manifest.processes[0].timeline };
    };
    const [on, off] = [await run('timeline'), await run('off')];
    expect(off.losses).toHaveLength(8);
    expect(new Set(off.losses).size).toBe(8);
    expect(on.losses).toEqual(off.losses);
    expect(off.timeline).toBeNull();
  },
  2 * MINUTES,
);
