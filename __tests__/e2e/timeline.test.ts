/** `categories: timeline` on dist: a few steps are covered, bounded, told. What the shim saw is recorded (recorded.ts). */
import { afterAll, expect, it } from '@jest/globals';
import { cleanUp, ROOT } from './kit.js';
import { recorded } from './recorded.js';
import { program } from './timeline-program.js';

afterAll(cleanUp);
const MINUTES = 60_000;

it(
  'covers two steps of a training on the GPU, is bounded, and takes the census of an out-of-memory too',
  async () => {
    const { report, outputs, manifest } = await recorded('timeline', {
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
