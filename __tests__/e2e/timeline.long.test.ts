/** `categories: timeline` on dist and real torch: the program computes what it would have. */
import { afterAll, expect, it } from '@jest/globals';
import { cleanUp, cpuPython, ROOT, runStep } from './kit.js';
import { program } from './timeline-program.js';

afterAll(cleanUp);
const MINUTES = 60_000;

const losses = (log: string): readonly string[] => log.match(/^loss \d [0-9a-f]{8}$/gm) ?? [];

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
