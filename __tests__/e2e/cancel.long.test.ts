/** Cancels at random moments, in both styles, with and without an out-of-memory, and while real torch imports, allocates or dumps. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { cleanUp, runStep } from './kit.js';
import { expectClean, OUT_OF_MEMORY, onDisk, plain, replayScript, scratch } from './replay.js';

afterAll(cleanUp);
const MINUTES = 60_000;
/** The runner's ladder, shorter. */
const FAST = { sigint: 3000, sigterm: 2000, streams: 1000 };

describe('a cancel at any moment', () => {
  const rounds = 20;
  const cases = (['github', 'act'] as const).flatMap((style) =>
    ([false, true] as const).flatMap((oom) =>
      Array.from({ length: rounds }, (_, i) => ({
        style,
        oom,
        at: Math.round(((i + Math.random()) * 2500) / rounds),
      })),
    ),
  );

  it.each(cases)(
    '%j leaves no process and no temporary, and loses no file',
    async ({ style, oom, at }) => {
      const replay = await replayScript();
      const mark = join(scratch(), 'replayed');
      const run = oom
        ? `python '${replay}'; touch ${mark}; sleep 0.3; exit 3`
        : `sleep 0.5; python -c 'print(1)'; sleep 0.3`;
      const step = await plain(run, { run: { cancelAfter: at, cancelStyle: style, graces: FAST } });
      expectClean(step);
      const published = step.artifacts
        .flatMap(({ files }) => files)
        .filter((file) => file.endsWith('.pickle'));
      const kept = onDisk(step).filter((name) => name.endsWith('.pickle'));
      // What was on disk is in an artifact or still there, once. Only a main that is killed at once, between its upload
      // and its account of it, leaves it in two places: post cannot know of that upload, and rather publishes twice than not at all.
      if (existsSync(mark)) {
        const places = published.length + kept.length;
        expect(places).toBeGreaterThanOrEqual(1);
        expect(places).toBeLessThanOrEqual(style === 'act' ? 2 : 1);
      }
      const told = step.outputs['verdict'] ?? step.report.post?.outputs['verdict'];
      if (step.report.conclusion === 'success') expect(told).toBe('ok');
      else if (told !== undefined) expect(['cancelled', 'oom', 'ok', 'failed']).toContain(told);
      if (existsSync(mark)) expect(told).toBe('oom');
    },
    MINUTES,
  );

  const torch = (['github', 'act'] as const).flatMap((style) =>
    Array.from({ length: 10 }, () => ({ style, at: Math.round(300 + Math.random() * 2700) })),
  );

  it.each(torch)(
    '%j of real torch, which may be importing, allocating or dumping, neither',
    async ({ style, at }) => {
      const step = await runStep({
        inputs: { run: OUT_OF_MEMORY, shell: 'python', snapshot: 'always' },
        run: { cancelAfter: at, cancelStyle: style, graces: FAST },
      });
      expectClean(step);
      const told = step.outputs.verdict ?? step.report.post?.outputs.verdict;
      expect(['cancelled', 'oom']).toContain(told);
      const references = step.outputs.snapshots ?? step.report.post?.outputs.snapshots ?? '[]';
      const names = [...step.artifacts.flatMap(({ files }) => files), ...onDisk(step)];
      for (const { file } of JSON.parse(references)) expect(names).toContain(file);
    },
    MINUTES,
  );
});
