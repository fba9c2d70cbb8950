// A full disk at the end of a step: the reserve that was laid before it, and staging without one. Real client, service and disks.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { startService } from '../../lab/standins/service/service.mjs';
import { type PublishOptions, publish, publishPage } from '../../src/deliver/publish.js';
import { layReserve, RESERVE_BYTES, Reserve } from '../../src/deliver/reserve.js';
import { Staging } from '../../src/deliver/stage.js';
import { collect, type Evidence } from '../../src/evidence/collect.js';
import { digestOf } from '../../src/evidence/digest.js';
import { parseInputs } from '../../src/inputs.js';
import { writeWhole } from '../../src/lib/files.js';
import { makePlan, type Plan } from '../../src/plan.js';
import { environmentRunner, forgiving } from '../../src/runner/runner.js';
import { made, STEP, snapshotFile, temporaryFolder, writeReceipt, writeSnapshot } from './evidence-kit.js';

// Each upload starts a Node of its own.
jest.setTimeout(60_000);

const MIB = 2 ** 20;
const root = temporaryFolder('oa-reserve');
const mounts: string[] = [];
let service: Awaited<ReturnType<typeof startService>>;
let dir: string;
let n = 0;
beforeEach(async () => {
  n += 1;
  dir = join(root, `evidence ü ${n}`);
  mkdirSync(dir);
  service = await startService({ dir: join(root, `service${n}`), maxSeconds: 120 });
});
afterEach(async () => {
  await service.close();
  for (const path of mounts.splice(0)) spawnSync('umount', ['-l', path]);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const ports = () => ({
  env: { PATH: process.env.PATH, ...service.env, GITHUB_SERVER_URL: 'https://github.com' },
  worker: resolve('dist/upload/index.js'),
  retentionDays: null,
  deadlineMs: 30_000,
});
const options = (evidence: Evidence, changes: Partial<PublishOptions> = {}): PublishOptions => ({
  ...ports(),
  evidence,
  name: 'full',
  compressionLevel: 0,
  maxUploadBytes: 2 ** 30,
  manifest: (plan) => `${JSON.stringify(plan)}\n`,
  ...changes,
});
const page = () => ({ ...ports(), dir, html: '<p>é</p>', name: 'full.html', step: STEP });

const fails = (code: string): Promise<never> => Promise.reject(Object.assign(new Error(code), { code }));

/** A disk of its own in place of `path`. @param size in KiB */
function disk(path: string, size: number): void {
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}k`, 'none', path]);
  expect(String(mounted.stderr)).toBe('');
  mounts.push(path);
}
/** Takes all that is left of a disk. */
const fill = (folder: string): void =>
  void spawnSync('dd', ['if=/dev/zero', `of=${join(folder, 'fill')}`, 'bs=4k']);

const parsed = parseInputs((name) => (name === 'run' ? 'true' : ''));
if (!parsed.ok) throw new Error('must parse');
const plan = (evidenceDir: string): Plan => {
  const made = makePlan(
    parsed.inputs,
    {},
    { id: STEP, temp: join(root, `temp${n}`), workspace: '/w', now: 1 },
  );
  mkdirSync(made.outputDir, { recursive: true });
  return { ...made, evidenceDir };
};
const reserveOf = (of: Plan): Reserve => {
  const reserve = new Reserve();
  reserve.of(of);
  return reserve;
};
const RESERVE = `.reserve-${STEP}`;
const asRoot = process.getuid?.() === 0 ? it : it.skip;

/** Unzips the artifact and checks all its files against its sums. @returns their names */
function checked(name: string): readonly string[] {
  const to = join(root, `unzipped${n}`);
  execFileSync('python3', ['-m', 'zipfile', '-e', service.download(name), to]);
  execFileSync('sha256sum', ['-c', '--strict', '--quiet', 'SHA256SUMS'], { cwd: to });
  return readdirSync(to).sort();
}
const BESIDE = ['SHA256SUMS', 'manifest.json'];

it('is laid once, with bytes that are really there, and freed once', () => {
  const at = plan(dir);
  layReserve(at);
  const laid = statSync(join(at.stepDir, RESERVE));
  expect([laid.size, laid.blocks * 512]).toEqual([RESERVE_BYTES, RESERVE_BYTES]);
  expect(laid.mode & 0o777).toBe(0o600);
  expect(readdirSync(dir)).toEqual([]);
  const reserve = reserveOf(at);
  expect([reserve.free(), reserve.free()]).toEqual([true, false]);
  expect(existsSync(join(at.stepDir, RESERVE))).toBe(false);
  expect(new Reserve().free()).toBe(false);
});

asRoot('is laid where the evidence is on another disk too, and is no evidence', async () => {
  disk(dir, 96 * 1024);
  const at = plan(dir);
  layReserve(at);
  expect(existsSync(join(at.stepDir, RESERVE))).toBe(true);
  expect(readdirSync(dir)).toEqual([RESERVE]);
  expect(await collect({ dir, step: STEP })).toMatchObject({ rejectedCount: 0, faults: [] });
  expect(reserveOf(at).free()).toBe(true);
  expect(readdirSync(dir)).toEqual([]);
});

asRoot('leaves a small disk to the step', () => {
  disk(dir, 32 * 1024);
  layReserve(plan(dir));
  expect(readdirSync(dir)).toEqual([]);
});

asRoot('has room for what the end of a step writes on a disk that is full', async () => {
  disk(dir, 96 * 1024);
  const at = plan(dir);
  layReserve(at);
  const names = Array.from({ length: 50 }, (_, i) => made(i + 1));
  for (const name of names) {
    writeReceipt(dir, name);
    writeSnapshot(dir, snapshotFile(name));
  }
  fill(dir);
  const evidence = await collect({ dir, step: STEP });
  const manifest = 'x'.repeat(60_000);
  const { free: makeRoom } = reserveOf(at);
  const result = await publish(options(evidence, { manifest: () => manifest, makeRoom }));
  // The file that fills the disk is a stranger's, so it is not complete.
  expect(evidence.rejected.map(({ name }) => name)).toEqual(['fill']);
  expect(result).toMatchObject({ state: 'uploaded', changed: [], notUploaded: [] });
  expect(checked('full')).toHaveLength(2 * names.length + BESIDE.length);
  expect(await publishPage({ ...page(), html: 'x'.repeat(100_000), makeRoom })).toMatchObject({
    state: 'uploaded',
  });
  await writeWhole(join(dir, 'manifest.json'), manifest, makeRoom);
  const [GITHUB_STEP_SUMMARY, GITHUB_OUTPUT] = [join(dir, 'summary'), join(dir, 'outputs')];
  const runner = environmentRunner({ GITHUB_STEP_SUMMARY, GITHUB_OUTPUT });
  runner.summary('y'.repeat(40_000));
  runner.setOutputs({ verdict: 'oom' });
  expect(existsSync(join(dir, RESERVE))).toBe(false);
});

asRoot.each(['manifest', 'summary', 'outputs'])('is freed for the %s', async (what) => {
  disk(dir, 96 * 1024);
  const at = plan(dir);
  layReserve(at);
  const path = join(dir, what);
  writeFileSync(path, 'mine\n');
  fill(dir);
  const { free } = reserveOf(at);
  const said: string[] = [];
  const write = async (makeRoom?: () => boolean): Promise<void> => {
    const env = { GITHUB_STEP_SUMMARY: path, GITHUB_OUTPUT: path };
    const real = { ...environmentRunner(env), info: (line: string) => void said.push(line) };
    const runner = forgiving(real, makeRoom);
    const text = 'z'.repeat(20_000);
    if (what === 'manifest') await writeWhole(path, text, makeRoom).catch((e) => said.push(e.message));
    else if (what === 'summary') runner.summary(text);
    else runner.setOutputs({ snapshots: text });
  };
  await write();
  expect(said).toEqual([expect.stringMatching(/ENOSPC/)]);
  expect(readFileSync(path, 'utf8')).toBe('mine\n');
  await write(free);
  expect(said).toHaveLength(1);
  expect(readFileSync(path, 'utf8')).toContain('zzz');
  expect(readdirSync(dir).sort()).toEqual(['fill', what].sort());
});

asRoot('without one says so, and names every file', async () => {
  disk(dir, 1024);
  writeSnapshot(dir);
  fill(dir);
  const evidence = await collect({ dir, step: STEP });
  const reason =
    'the evidence folder cannot be prepared for the upload (ENOSPC): ' +
    'free some space there, or name an `evidence-dir` on a disk that has some';
  expect(await publish(options(evidence))).toMatchObject({
    state: 'failed',
    reason,
    kept: [{ path: join(dir, snapshotFile(made())), ...digestOf('hello world') }],
  });
  expect(await publishPage(page())).toMatchObject({ state: 'failed', reason });
  expect(service.calls()).toEqual([]);
  expect(readdirSync(dir).sort()).toEqual(['fill', snapshotFile(made())].sort());
});

it('helps against a full disk only', async () => {
  writeSnapshot(dir);
  const evidence = await collect({ dir, step: STEP });
  let asked = 0;
  const makeRoom = (): boolean => {
    asked += 1;
    return true;
  };
  const tried = await publish(options(evidence, { calls: { mkdir: () => fails('EROFS') }, makeRoom }));
  expect(tried).toMatchObject({
    reason: expect.stringMatching(/\(EROFS\): name an `evidence-dir` that can/),
  });
  expect(asked).toBe(0);
  const full = await publish(options(evidence, { calls: { mkdir: () => fails('EDQUOT') }, makeRoom }));
  expect(full).toMatchObject({ reason: expect.stringMatching(/\(EDQUOT\): free some space/) });
  expect(asked).toBe(1);
});

it('hashes what it copies: a file that was written to after it was digested is left out', async () => {
  writeSnapshot(dir, snapshotFile(made(), 1), 'hello');
  writeSnapshot(dir, snapshotFile(made(), 2), 'hello');
  const evidence = await collect({ dir, step: STEP });
  writeFileSync(join(dir, snapshotFile(made(), 1)), 'HELLO');
  // The seal says nothing now: only the digest can tell.
  const { snapshots } = await collect({ dir, step: STEP });
  const seals = new Map(snapshots.map(({ file, seal }) => [file, seal]));
  const sealed = evidence.snapshots.map((s) => ({ ...s, seal: seals.get(s.file) ?? s.seal }));
  const calls = { link: () => fails('EXDEV') };
  const result = await publish(options({ ...evidence, snapshots: sealed }, { calls }));
  expect(result).toMatchObject({
    state: 'uploaded',
    complete: false,
    files: [{ file: snapshotFile(made(), 2) }],
    notUploaded: [{ file: snapshotFile(made(), 1), reason: 'changed after it was digested' }],
  });
});

asRoot('copies take half of what is free: what does not fit is named', async () => {
  disk(dir, 4096);
  writeSnapshot(dir, snapshotFile(made(), 1), 'small');
  writeSnapshot(dir, snapshotFile(made(), 2), Buffer.alloc(1600 * 1024, 1));
  const evidence = await collect({ dir, step: STEP });
  const result = await publish(options(evidence, { calls: { link: () => fails('EXDEV') } }));
  expect(result).toMatchObject({
    state: 'uploaded',
    files: [{ file: snapshotFile(made(), 1) }],
    notUploaded: [
      {
        file: snapshotFile(made(), 2),
        reason: expect.stringMatching(/^no room to stage it: .* may still be used in the evidence folder$/),
      },
    ],
  });
});

asRoot(
  'a disk that others fill meanwhile: the half of a copy goes, and nothing is there but whole copies',
  async () => {
    // Folder and files on one real disk of 4 MiB, where links are refused.
    disk(dir, 4096);
    writeSnapshot(dir, snapshotFile(made(), 1), 'small');
    writeSnapshot(dir, snapshotFile(made(), 2), Buffer.alloc(1200 * 1024, 1));
    const [small, large] = (await collect({ dir, step: STEP })).snapshots;
    if (!small || !large) throw new Error('not collected');
    const link = (_from: string, to: string): Promise<never> => {
      if (to.endsWith(large.file))
        spawnSync('dd', ['if=/dev/zero', `of=${join(dir, 'fill')}`, 'bs=4k', 'count=600']);
      return fails('EXDEV');
    };
    const staging = await Staging.open(dir, STEP, { calls: { link } });
    for (const ref of [small, large]) await staging.add(ref, performance.now() + 10_000);
    expect(staging.files.map(({ file }) => file)).toEqual([small.file]);
    expect(staging.leftOut).toMatchObject([{ file: large.file, reason: 'no room to stage it (ENOSPC)' }]);
    const folder = readdirSync(dir).find((name) => name.startsWith('.upload-')) ?? '';
    expect(readdirSync(join(dir, folder))).toEqual([small.file]);
    expect(await staging.close()).toBe(true);
  },
);

it('stops a copy at once when it is told to', async () => {
  writeSnapshot(dir, snapshotFile(made()), Buffer.alloc(3 * MIB, 7));
  const [large] = (await collect({ dir, step: STEP })).snapshots;
  if (!large) throw new Error('not collected');
  const abort = new AbortController();
  const calls = { link: () => fails('EXDEV') };
  const staging = await Staging.open(dir, STEP, { calls, signal: abort.signal });
  abort.abort();
  await staging.add(large, performance.now() + 10_000);
  expect(staging.leftOut).toMatchObject([{ file: large.file, reason: 'cannot be staged (ECANCELED)' }]);
  expect(await staging.close()).toBe(true);
  expect(readdirSync(dir)).toEqual([large.file]);
});
