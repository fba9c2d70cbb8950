/** A fault that takes half a gigabyte to be met: main is killed in the middle of a copy. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { cleanUp } from './kit.js';
import { expectClean, plain, replayScript, scratch } from './replay.js';

afterAll(cleanUp);
const MINUTES = 60_000;
const root = process.getuid?.() === 0;

describe('a kill while the upload copies, since links cannot be made', () => {
  (root ? it : it.skip)(
    'leaves the half of a copy: post takes it away and publishes the whole',
    async () => {
      const BYTES = 512 * 2 ** 20;
      const replay = await replayScript();
      const evidence = join(scratch(), 'evidence');
      const large = 'other-rank0-7-aaaaaaaa-1-oom.pickle';
      const path = join(evidence, large);
      let main = 0;
      let half = 0;
      const watch = setInterval(() => {
        if (main === 0 || half > 0 || !existsSync(evidence)) return;
        const staging = readdirSync(evidence).find((name) => name.startsWith('.upload-'));
        const copy = staging === undefined ? '' : join(evidence, staging, large);
        if (!existsSync(copy) || statSync(copy).size === 0) return;
        process.kill(main, 'SIGKILL');
        half = statSync(copy).size;
      }, 5);
      try {
        // A file that is mounted over itself: link(2) answers EXDEV, as for a file of another file system.
        const step = await plain(
          `python '${replay}'\ntruncate -s ${BYTES} '${path}'\nmount --bind '${path}' '${path}'\nexit 3`,
          {
            with: { 'evidence-dir': evidence },
            run: {
              onStart: (stage: string, pid: number) => {
                if (stage === 'main') main = pid;
              },
            },
          },
        );
        expectClean(step);
        expect(step.report.main.signal).toBe('SIGKILL');
        expect(half).toBeGreaterThan(0);
        expect(half).toBeLessThan(BYTES);
        expect(step.report.post?.summary).toContain('its staging folder was taken away');
        expect(readdirSync(evidence).filter((name) => name.startsWith('.'))).toEqual([]);
        const [artifact] = step.artifacts;
        expect(artifact?.files).toContain(large);
        const sums = spawnSync('sha256sum', ['-c', '--strict', 'SHA256SUMS'], { cwd: artifact?.dir });
        expect([sums.status, String(sums.stderr)]).toEqual([0, '']);
      } finally {
        clearInterval(watch);
        spawnSync('umount', ['-l', path]);
      }
    },
    2 * MINUTES,
  );
});
