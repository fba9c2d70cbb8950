/**
 * The check for a machine with a GPU, from its archive: packed, unpacked in an empty folder, and run over the stand-in device
 * with an environment that has no Node.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { cleanUp, cudaPython, freshFolder, ROOT } from './kit.js';

afterAll(cleanUp);
const MINUTES = 60_000;
/** Its own limit is for a quiet machine; this one may run other tests. */
const SECONDS = 1200;

/** A folder that holds every program of the system but Node's, to be the whole PATH. */
function withoutNode(): string {
  const folder = freshFolder('path-');
  for (const bin of ['/usr/bin', '/bin'])
    for (const name of readdirSync(bin)) {
      const link = join(folder, name);
      if (!/^(node|npm|npx|corepack)/.test(name) && !existsSync(link)) {
        try {
          symlinkSync(join(bin, name), link);
        } catch {
          // a link that leads nowhere has taken the name
        }
      }
    }
  return folder;
}

it(
  'packs into 60 MB, runs where there is no Node, and everything passes over the stand-in',
  () => {
    const folder = freshFolder();
    const archive = join(folder, 'packed.tar');
    const env = { PATH: withoutNode(), HOME: folder, LANG: 'C.UTF-8' };
    const packed = spawnSync(join(ROOT, 'lab/scripts/gpu-check'), ['--pack', '--to', archive], {
      encoding: 'utf8',
    });
    expect([packed.status, packed.stderr]).toEqual([0, '']);
    expect(statSync(archive).size).toBeLessThanOrEqual(60e6);
    expect(spawnSync('tar', ['xf', archive], { cwd: folder }).status).toBe(0);
    expect(spawnSync('sh', ['-c', 'command -v node'], { env }).status).not.toBe(0);

    const run = spawnSync('gpu-check/gpu-check', ['--python', cudaPython(), '--seconds', String(SECONDS)], {
      cwd: folder,
      env,
      encoding: 'utf8',
      timeout: (SECONDS + 60) * 1000,
    });
    const report = JSON.parse(readFileSync(join(folder, 'gpu-check.json'), 'utf8'));
    const wrong = Object.fromEntries(
      report.results
        .filter(({ wrong }: { wrong: string[] }) => wrong.length > 0)
        .map(({ name, wrong }: { name: string; wrong: string[] }) => [name, wrong]),
    );
    expect(wrong).toEqual({});
    expect(run.stdout.trimEnd().split('\n').at(-1)).toBe(`${report.passed} passed, 0 failed`);
    expect([run.status, run.stderr]).toEqual([0, '']);
    expect(report.passed).toBeGreaterThanOrEqual(18);
    expect(report).toMatchObject({ schema: 'oom-autopsy.gpu-check.v1', failed: 0 });
    const device = { name: 'CUDA stand-in', total: 4 * 2 ** 30 };
    if (report.machine.device === 'stand-in') expect(report.machine.gpus).toMatchObject([device]);
    // Node came out of the archive, and nothing but the results was left beside it.
    expect(report.machine.node).toMatch(/^24\./);
    expect(readdirSync(folder).sort()).toEqual(['gpu-check', 'gpu-check.json', 'packed.tar']);
  },
  (SECONDS / 60 + 8) * MINUTES,
);
