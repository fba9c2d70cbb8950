// A full disk at the end of a step: the reserve that was laid before it, and an upload without one. Real client, service and disks.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { startService } from '../../lab/standins/service/service.mjs';
import { type PublishOptions, publish, publishPage } from '../../src/deliver/publish.js';
import { layReserve, RESERVE_BYTES, Reserve } from '../../src/deliver/reserve.js';
import { collect, type Evidence } from '../../src/evidence/collect.js';
import { digestOf } from '../../src/evidence/digest.js';
import { parseInputs } from '../../src/inputs.js';
import { writeWhole } from '../../src/lib/files.js';
import { makePlan, type Plan } from '../../src/plan.js';
import { environmentRunner, forgiving } from '../../src/runner/runner.js';
import { made, STEP, snapshotFile, temporaryFolder, writeReceipt, writeSnapshot } from './evidence-kit.js';

// Each upload starts a Node of its own.
jest.setTimeout(60_000);

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
  scratch: dir,
  name: 'full',
  compressionLevel: 0,
  maxUploadBytes: 2 ** 30,
  manifest: (plan) => `${JSON.stringify(plan)}\n`,
  ...changes,
});
const page = () => ({ ...ports(), scratch: dir, html: '<p>é</p>', name: 'full.html', step: STEP });

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
  const reason = `the documents of the upload cannot be written to ${dir} (ENOSPC): free some space there`;
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
  const nowhere = join(root, 'nowhere');
  expect(await publish(options(evidence, { scratch: nowhere, makeRoom }))).toMatchObject({
    state: 'failed',
    reason: `the documents of the upload cannot be written to ${nowhere} (ENOENT)`,
  });
  expect(asked).toBe(0);
});
