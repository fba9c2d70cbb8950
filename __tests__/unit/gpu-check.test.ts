/** The check for a machine with a GPU: what goes into its archive, and that no part hides another. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { packList, stage } from '../../lab/scripts/gpu/pack.mjs';
import { at, PATHS, ROOT } from '../../lab/scripts/gpu/paths.mjs';
import { count, runParts, Skip } from '../../lab/scripts/gpu/results.mjs';

type Part = Parameters<typeof runParts>[0][number];

describe('what is packed', () => {
  const list = packList();

  it('is what the action, the stand-ins and the check need, and every program of the check', () => {
    for (const file of [
      PATHS.action,
      PATHS.entry,
      PATHS.example,
      PATHS.license,
      `${PATHS.dist}/main/index.js`,
      `${PATHS.dist}/post/index.js`,
      `${PATHS.dist}/upload/index.js`,
      `${PATHS.python}/shim/sitecustomize.py`,
      `${PATHS.python}/parity/fixtures/torch-2.13.json`,
      `${PATHS.runner}/runner.mjs`,
      `${PATHS.service}/service.mjs`,
      `${PATHS.smi}/nvidia-smi`,
      `${PATHS.yaml}/package.json`,
    ])
      expect(list).toContain(file);
    for (const program of readdirSync(at('programs')).filter((name) => name !== '__pycache__'))
      expect(list).toContain(`${PATHS.programs}/${program}`);
    // All chunks of the bundles: one that is missing shows only where it is loaded.
    for (const bundle of ['main', 'post', 'upload'])
      for (const name of readdirSync(at('dist', bundle)))
        expect(list).toContain(`${PATHS.dist}/${bundle}/${name}`);
  });

  it('loads from a folder that holds nothing but it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'packed-'));
    try {
      stage(folder);
      const program = `
        await import('./${PATHS.check}/main.mjs');
        const { loadAction } = await import('./${PATHS.runner}/action.mjs');
        console.log((await loadAction('.')).main);`;
      const options = { cwd: folder, encoding: 'utf8' } as const;
      const run = spawnSync(
        process.execPath,
        ['--input-type=module', '-e', program, '--', '--help'],
        options,
      );
      expect(run.stderr).toBe('');
      expect(run.stdout).toMatch(/^usage: gpu-check[\s\S]*\ndist\/main\/index\.js\n$/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('is nothing else: one package, no hidden file, no cache, no evidence', () => {
    const tops = [...new Set(list.map((path) => path.split('/').slice(0, 2).join('/')))];
    expect(tops.filter((top) => top.startsWith('node_modules'))).toEqual([PATHS.yaml]);
    expect(
      list.filter((path) => /(^|\/)\.|__pycache__|\.(pyc|pickle|log|pem|key|map|ts)$/.test(path)),
    ).toEqual([]);
    expect(list.filter((path) => path.startsWith('..'))).toEqual([]);
    const bytes = list.reduce((sum, path) => sum + statSync(join(ROOT, path)).size, 0);
    expect(bytes).toBeLessThan(20e6);
  });
});

describe('parts', () => {
  const part = (name: string, run: Part['run'], more: Partial<Part> = {}): Part => ({
    ...{ name, what: name, kind: 'check', run },
    ...more,
  });
  const never = () => new Promise<void>(() => {});
  const run = async (parts: Part[], seconds = 300) => {
    const told: string[] = [];
    const results = await runParts(parts, {
      ...{ seconds, jobs: 2, lastWords: 0.05 },
      onResult: ({ name }) => void told.push(name),
    });
    return { told, results, status: Object.fromEntries(results.map(({ name, status }) => [name, status])) };
  };

  it('that fail, throw, hang or are skipped hide no other, and come in their order', async () => {
    const { results, status, told } = await run([
      part('throws', async () => {
        throw new Error('broken');
      }),
      part('hangs', never, { seconds: 0.1 }),
      part('wrong', async (found) => found.same('answer', 41, 42)),
      part('skipped', async () => {
        throw new Skip('no second device');
      }),
      part('reports', async (found) => found.holds('never', false), { kind: 'report' }),
      part('good', async (found) => found.say('fine'), { alone: true }),
    ]);
    expect(status).toEqual({
      ...{ throws: 'failed', hangs: 'failed', wrong: 'failed' },
      ...{ skipped: 'skipped', reports: 'noted', good: 'passed' },
    });
    expect(results.map(({ name }) => name)).toEqual(Object.keys(status));
    expect(told).toHaveLength(6);
    expect(results[0]?.wrong).toEqual(['broken']);
    expect(results[1]?.wrong[0]).toMatch(/^stopped after/);
    expect(results[2]?.wrong).toEqual(['answer: 41, expected 42']);
    expect(count(results)).toEqual({ passed: 1, failed: 3, skipped: 1 });
  });

  it('that are not reached before the time is up have failed, and say so', async () => {
    const wait: Part['run'] = async (_found, signal) => {
      while (!signal.aborted) await delay(5);
    };
    const slow = part('slow', wait, { seconds: 3000 });
    const { results } = await run([slow, part('late', async () => {}, { alone: true })], 0.2);
    expect(results.map(({ status }) => status)).toEqual(['failed', 'failed']);
    expect(results[1]?.wrong).toEqual(['not started: no time was left']);
  });

  it('that need the device to themselves run when no other does', async () => {
    let running = 0;
    const beside: number[] = [];
    const work = async () => {
      beside.push(running++);
      await delay(20);
      running--;
    };
    await run([
      part('a', work, { alone: true }),
      part('b', work),
      part('c', work),
      part('d', work, { alone: true }),
    ]);
    expect(beside).toEqual([0, 1, 0, 0]);
  });
});
