// Staging where the evidence folder cannot take it: second places, the room in them, and what is left of them. Real client and service.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { startService } from '../../lab/standins/service/service.mjs';
import {
  byRoom,
  freeMemory,
  type Place,
  removeStrays,
  roomIn,
  secondName,
  secondPlaces,
} from '../../src/deliver/places.js';
import { type PublishOptions, publish, publishPage } from '../../src/deliver/publish.js';
import { Staging, type StagingCalls } from '../../src/deliver/stage.js';
import { collect, type Evidence } from '../../src/evidence/collect.js';
import { digestOf } from '../../src/evidence/digest.js';
import {
  made,
  OTHER_STEP,
  receiptFile,
  STEP,
  snapshotFile,
  temporaryFolder,
  writeReceipt,
  writeSnapshot,
} from './evidence-kit.js';

// Each upload starts a Node of its own.
jest.setTimeout(60_000);

const MIB = 2 ** 20;
const root = temporaryFolder('oa-places');
const mounts: string[] = [];
let service: Awaited<ReturnType<typeof startService>>;
let dir: string;
let second: Place;
let n = 0;
beforeEach(async () => {
  n += 1;
  dir = join(root, `evidence ü ${n}`);
  second = { label: 'the second place', path: join(root, `second ü ${n}`) };
  for (const path of [dir, second.path]) mkdirSync(path);
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
  places: [second],
  ...changes,
});
const page = () => ({ ...ports(), dir, html: '<p>é</p>', name: 'full.html', step: STEP });

const fails = (code: string): Promise<never> => Promise.reject(Object.assign(new Error(code), { code }));
const noFolder: Partial<StagingCalls> = {
  mkdir: (path) =>
    path.includes('/.upload-') ? fails('ENOSPC') : Promise.resolve(mkdirSync(path, { mode: 0o700 })),
};
/** The files can be linked and no document can be written, as in a tmpfs that is full. */
const noDocument = (): Partial<StagingCalls> => ({
  write: (path, text) => {
    const inEvidence = readdirSync(dir).some((name) => name.startsWith('.upload-'));
    return inEvidence ? fails('ENOSPC') : Promise.resolve(writeFileSync(path, text, { flag: 'wx' }));
  },
});

/** Unzips the artifact and checks all its files against its sums. @returns their names */
function checked(name: string): readonly string[] {
  const to = join(root, `unzipped${n}`);
  execFileSync('python3', ['-m', 'zipfile', '-e', service.download(name), to]);
  execFileSync('sha256sum', ['-c', '--strict', '--quiet', 'SHA256SUMS'], { cwd: to });
  return readdirSync(to).sort();
}
const BESIDE = ['SHA256SUMS', 'manifest.json'];

it.each([
  ['no folder can be made', () => noFolder],
  ['no document can be written', noDocument],
])('copies to a second place when %s in the evidence folder', async (_what, calls) => {
  writeReceipt(dir);
  writeSnapshot(dir, snapshotFile(made()), Buffer.alloc(3 * MIB, 7));
  const evidence = await collect({ dir, step: STEP });
  const said: string[] = [];
  const result = await publish(options(evidence, { calls: calls(), log: (line) => said.push(line) }));
  expect(result).toMatchObject({ state: 'uploaded', complete: true, changed: [], notUploaded: [] });
  expect(checked('full')).toEqual([...BESIDE, receiptFile(made()), snapshotFile(made())].sort());
  expect(said).toEqual([
    'the evidence folder cannot be prepared for the upload (ENOSPC): trying the second place',
  ]);
  expect(readdirSync(second.path)).toEqual([]);
  expect(readdirSync(dir).sort()).toEqual([receiptFile(made()), snapshotFile(made())].sort());
});

it('hashes what it copies: a file that was written to after it was digested is left out', async () => {
  writeSnapshot(dir, snapshotFile(made(), 1), 'hello');
  writeSnapshot(dir, snapshotFile(made(), 2), 'hello');
  const evidence = await collect({ dir, step: STEP });
  const at = new Date(Number(evidence.snapshots[0]?.seal.mtime) / 1e6);
  writeFileSync(join(dir, snapshotFile(made(), 1)), 'HELLO');
  utimesSync(join(dir, snapshotFile(made(), 1)), at, at);
  // Size and modification time say nothing now, and the change time counts for nothing: only the digest can tell.
  const { snapshots } = await collect({ dir, step: STEP });
  const seals = new Map(snapshots.map(({ file, seal }) => [file, seal]));
  const sealed = evidence.snapshots.map((s) => ({ ...s, seal: seals.get(s.file) ?? s.seal }));
  const result = await publish(options({ ...evidence, snapshots: sealed }, { calls: noFolder }));
  expect(result).toMatchObject({
    state: 'uploaded',
    complete: false,
    files: [{ file: snapshotFile(made(), 2) }],
    notUploaded: [{ file: snapshotFile(made(), 1), reason: 'changed after it was digested' }],
  });
});

it('publishes the page from a second place, and under its other name too', async () => {
  for (const name of ['full.html', `full-${STEP.slice(0, 8)}.html`]) {
    expect(await publishPage({ ...page(), calls: noFolder, places: [second] })).toMatchObject({
      state: 'uploaded',
      name,
    });
    expect(readFileSync(service.download(name), 'utf8')).toBe('<p>é</p>');
  }
  expect(readdirSync(second.path)).toEqual([]);
});

it('names every place that failed, and the remedy', async () => {
  writeSnapshot(dir);
  writeFileSync(join(root, 'a file'), '');
  const places = [
    { label: 'a file', path: join(root, 'a file') },
    { label: 'nowhere', path: join(root, 'nowhere') },
  ];
  const reason =
    'the evidence folder cannot be prepared for the upload (ENOSPC), and neither can a file (ENOTDIR), nowhere (ENOENT): ' +
    'free some space there, or name an `evidence-dir` on a disk that has some';
  const evidence = await collect({ dir, step: STEP });
  expect(await publish(options(evidence, { calls: noFolder, places }))).toMatchObject({
    state: 'failed',
    reason,
    kept: [{ path: join(dir, snapshotFile(made())), ...digestOf('hello world') }],
  });
  expect(await publishPage({ ...page(), calls: noFolder, places })).toMatchObject({
    state: 'failed',
    reason,
  });
  const readOnly = await publish(
    options(evidence, { calls: { mkdir: () => fails('EROFS') }, places: [second] }),
  );
  expect(readOnly).toMatchObject({
    reason: expect.stringMatching(/\(EROFS\), .*second place \(EROFS\): name an `evidence-dir` that can/),
  });
  expect(service.calls()).toEqual([]);
  expect(readdirSync(dir)).toEqual([snapshotFile(made())]);
});

const asRoot = process.getuid?.() === 0 ? it : it.skip;
asRoot('leaves half of a small place alone: what does not fit is named, what does is uploaded', async () => {
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2048k', 'none', second.path]);
  expect(String(mounted.stderr)).toBe('');
  mounts.push(second.path);
  writeReceipt(dir);
  writeSnapshot(dir, snapshotFile(made(), 1), 'small');
  writeSnapshot(dir, snapshotFile(made(), 2), Buffer.alloc(1200 * 1024, 1));
  writeSnapshot(dir, snapshotFile(made(), 3), Buffer.alloc(700 * 1024, 2));
  writeSnapshot(dir, snapshotFile(made(), 4), Buffer.alloc(700 * 1024, 3));
  const evidence = await collect({ dir, step: STEP });
  let free = 0;
  const result = await publish(
    options(evidence, {
      calls: noFolder,
      onProgress: () => {
        free ||= Number(execFileSync('stat', ['-f', '-c', '%f', second.path], { encoding: 'utf8' })) * 4096;
      },
    }),
  );
  const [third, fourth] = [snapshotFile(made(), 3), snapshotFile(made(), 4)];
  expect(result).toMatchObject({ state: 'uploaded', complete: false });
  if (result.state !== 'uploaded') throw new Error('not uploaded');
  // The newest snapshot of a process is worth more than the one before it.
  expect(result.files.map((f) => f.file)).toEqual([receiptFile(made()), fourth, snapshotFile(made(), 1)]);
  expect(result.notUploaded.map((f) => [f.file, f.bytes]).sort()).toEqual([
    [snapshotFile(made(), 2), 1200 * 1024],
    [third, 700 * 1024],
  ]);
  for (const { file, digest, reason } of result.notUploaded) {
    expect(reason).toMatch(/^no room to stage it: [0-9.]+.KiB may still be used in the second place$/);
    expect(digest).toBe(evidence.snapshots.find((s) => s.file === file)?.digest);
  }
  expect(checked('full')).toEqual([...BESIDE, ...result.files.map((f) => f.file)].sort());
  expect(free).toBeGreaterThanOrEqual(MIB);
  expect(readdirSync(second.path)).toEqual([]);

  // The next place has room for all of it, and is taken at once.
  const next = { label: 'next', path: join(root, `next${n}`) };
  mkdirSync(next.path);
  const said: string[] = [];
  const log = (line: string): void => void said.push(line);
  expect(await publish(options(evidence, { calls: noFolder, places: [second, next], log }))).toMatchObject({
    state: 'uploaded',
    complete: true,
  });
  expect(said[0]).toMatch(/: trying next$/);

  // Not even our documents fit.
  writeFileSync(join(second.path, 'fill'), Buffer.alloc(2046 * 1024));
  expect(await publish(options(evidence, { calls: noFolder }))).toMatchObject({
    state: 'failed',
    reason: expect.stringMatching(
      /\(ENOSPC\), and neither can the second place \(no room\): free some space/,
    ),
  });
});

asRoot(
  'a disk that others fill meanwhile: the half of a copy goes, and nothing is there but whole copies',
  async () => {
    // Folder and files on one real disk of 4 MiB, where links are refused.
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4096k', 'none', dir]).status).toBe(0);
    mounts.push(dir);
    writeSnapshot(dir, snapshotFile(made(), 1), 'small');
    writeSnapshot(dir, snapshotFile(made(), 2), Buffer.alloc(1200 * 1024, 1));
    const [small, large] = (await collect({ dir, step: STEP })).snapshots;
    if (!small || !large) throw new Error('not collected');
    const fill = join(dir, 'fill');
    const link = (_from: string, to: string): Promise<never> => {
      if (to.endsWith(large.file)) spawnSync('dd', ['if=/dev/zero', `of=${fill}`, 'bs=4k', 'count=600']);
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
  const staging = await Staging.open(dir, STEP, { second, signal: abort.signal });
  abort.abort();
  await staging.add(large, performance.now() + 10_000);
  expect(staging.leftOut).toMatchObject([{ file: large.file, reason: 'cannot be staged (ECANCELED)' }]);
  expect(readdirSync(join(second.path, readdirSync(second.path)[0] ?? ''))).toEqual([]);
  expect(await staging.close()).toBe(true);
  expect(readdirSync(second.path)).toEqual([]);
});

it('leaves room on disks and in memory', () => {
  expect(roomIn(1000 * MIB, null)).toBe(936 * MIB);
  expect(roomIn(100 * MIB, null)).toBe(50 * MIB);
  expect(roomIn(0, null)).toBe(0);
  expect(roomIn(2000 * MIB, 64_000 * MIB)).toBe(256 * MIB);
  expect(roomIn(2000 * MIB, 400 * MIB)).toBe(100 * MIB);
  // Docker's /dev/shm.
  expect(roomIn(64 * MIB, 64_000 * MIB)).toBe(32 * MIB);
  const memory = { total: 9000, available: 5000, limit: null, used: 800, peak: null, reason: null };
  expect(freeMemory(memory)).toBe(5000);
  expect(freeMemory({ ...memory, limit: 1000 })).toBe(200);
  expect(freeMemory({ ...memory, available: null, limit: 1000, used: 2000 })).toBe(0);
  expect(freeMemory({ ...memory, available: null })).toBeNull();
});

it('prefers places that hold everything, then roomy ones', () => {
  const places = [1, null, 7, 5, 9].map((room) => ({ label: `${room}`, path: '', room }));
  const order = (wanted: number): string =>
    byRoom(places, wanted)
      .map(({ label }) => label)
      .join(' ');
  expect(order(5)).toBe('7 5 9 1 null');
  expect(order(10)).toBe('9 7 5 1 null');
});

it('knows the places of its environment, each once', () => {
  const paths = secondPlaces({ RUNNER_TEMP: '/dev/shm' }).map(({ path }) => path);
  expect(paths[0]).toBe('/dev/shm');
  expect(new Set(paths).size).toBe(paths.length);
  expect(secondPlaces({}).length).toBeGreaterThan(0);
});

it('takes away what its step left, and what any step left days ago, and nothing that only looks like it', async () => {
  const folder = (name: string, ...files: string[]): string => {
    mkdirSync(join(second.path, name));
    for (const file of files) writeFileSync(join(second.path, name, file), 'x');
    return name;
  };
  folder(secondName(STEP), 'manifest.json', 'a.pickle');
  const young = folder(secondName(OTHER_STEP), 'a.pickle');
  const old = folder(secondName(OTHER_STEP), 'a.pickle');
  utimesSync(join(second.path, old), 1, 1);
  const kept = folder(secondName(STEP));
  mkdirSync(join(second.path, kept, 'a folder'));
  const link = secondName(STEP);
  symlinkSync(folder('elsewhere', 'mine'), join(second.path, link));
  const file = secondName(STEP);
  writeFileSync(join(second.path, file), 'x');
  const like = folder(`${secondName(STEP)}0`, 'x');
  const places = [{ label: 'gone', path: join(root, 'gone') }, second];
  expect(await removeStrays(places, STEP, Date.now())).toBe(2);
  expect(readdirSync(second.path).sort()).toEqual([young, kept, link, file, like, 'elsewhere'].sort());
  expect(existsSync(join(second.path, 'elsewhere', 'mine'))).toBe(true);
  if (process.getuid?.() === 0) {
    spawnSync('chown', ['65534', join(second.path, kept)]);
    rmSync(join(second.path, kept, 'a folder'), { recursive: true });
    expect(await removeStrays(places, STEP, Date.now())).toBe(0);
  }
});
