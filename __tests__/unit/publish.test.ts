// Publishing with the real @actions/artifact client, in its own process, against the artifact service stand-in.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { startService } from '../../lab/standins/service/service.mjs';
import { type PublishOptions, publish, publishPage } from '../../src/deliver/publish.js';
import { manifestPublished } from '../../src/deliver/publishing.js';
import { Staging } from '../../src/deliver/stage.js';
import { collect, type Evidence } from '../../src/evidence/collect.js';
import {
  made,
  receiptFile,
  STEP,
  snapshotFile,
  temporaryFolder,
  writeReceipt,
  writeSnapshot,
} from './evidence-kit.js';

// Each upload starts a Node of its own.
jest.setTimeout(60_000);

/** The uploading process as it is built: it starts in half of the time, and from its source is the first test's. */
const WORKER = resolve('dist/upload/index.js');
const SOURCE = resolve('src/deliver/worker.ts');
const root = temporaryFolder('oa-publish');
afterAll(() => rmSync(root, { recursive: true, force: true }));

type Service = Awaited<ReturnType<typeof startService>>;
let service: Service;
let dir: string;
let n = 0;

// The client waits 3 to 15 s between attempts: in its process the waits are cut short, the attempts stay.
const quick = (longest: number): string => join(root, `quick${longest}.mjs`);
beforeAll(() => {
  for (const ms of [20, 500])
    writeFileSync(
      quick(ms),
      `const real = setTimeout; globalThis.setTimeout = (f, ms, ...a) => real(f, Math.min(ms ?? 0, ${ms}), ...a);`,
    );
});
beforeEach(async () => {
  n += 1;
  dir = join(root, `evidence ü ${n}`);
  mkdirSync(dir);
  service = await startService({ dir: join(root, `service${n}`), maxSeconds: 120 });
});
afterEach(() => service.close());

const env = (changes: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  ...service.env,
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_REPOSITORY: 'octo/repo',
  GITHUB_RUN_ID: '42',
  ...changes,
});

const options = (evidence: Evidence, changes: Partial<PublishOptions> = {}): PublishOptions => ({
  evidence,
  name: 'oom-autopsy-train-0-1',
  retentionDays: 3,
  compressionLevel: 6,
  maxUploadBytes: 2 ** 30,
  deadlineMs: 60_000,
  worker: WORKER,
  env: env(),
  manifest: (plan) => `${JSON.stringify(plan)}\n`,
  ...changes,
});

async function someEvidence(of = dir): Promise<Evidence> {
  writeReceipt(of);
  writeSnapshot(of);
  return collect({ dir: of, step: STEP });
}

function unzip(name: string): string {
  const to = join(root, `unzipped${n}`);
  mkdirSync(to, { recursive: true });
  execFileSync('python3', ['-m', 'zipfile', '-e', service.download(name), to]);
  return to;
}

/** Resolves once the process has ended, reaped or not; a test that waits in vain runs into its time limit. */
async function ended(pid: number): Promise<void> {
  const state = (): string => {
    try {
      return /\) ([A-Z])/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.[1] ?? '';
    } catch {
      return 'gone';
    }
  };
  while (!['gone', 'Z', 'X'].includes(state())) await new Promise((done) => setTimeout(done, 20));
}

const sha256 = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

it('uploads what was digested, with a manifest and checkable sums', async () => {
  const evidence = await someEvidence();
  const seen: number[] = [];
  const onProgress = (bytes: number): void => void seen.push(bytes);
  const result = await publish(options(evidence, { onProgress, worker: SOURCE }));
  expect(result).toMatchObject({
    state: 'uploaded',
    name: 'oom-autopsy-train-0-1',
    complete: true,
    changed: [],
  });
  if (result.state !== 'uploaded') throw new Error('not uploaded');
  expect(result.url).toBe(`https://github.com/octo/repo/actions/runs/42/artifacts/${result.id}`);
  expect(result.digest).toBe(`sha256:${sha256(service.download(result.name))}`);
  expect(seen.at(-1)).toBe(result.size);
  const to = unzip(result.name);
  expect(readdirSync(to).sort()).toEqual(
    ['SHA256SUMS', 'manifest.json', receiptFile(made()), snapshotFile(made())].sort(),
  );
  expect(
    execFileSync('sha256sum', ['-c', '--strict', 'SHA256SUMS'], { cwd: to, encoding: 'utf8' }),
  ).not.toMatch(/FAILED/);
  expect(`sha256:${sha256(join(to, snapshotFile(made())))}`).toBe(evidence.snapshots[0]?.digest);
  expect(readdirSync(dir).filter((name) => name.startsWith('.'))).toEqual([]);
});

it('takes another name once when the first is taken, and says so in the manifest', async () => {
  const evidence = await someEvidence();
  expect(await publish(options(evidence))).toMatchObject({ state: 'uploaded' });
  const second = await publish(options(evidence));
  expect(second).toMatchObject({ state: 'uploaded', name: 'oom-autopsy-train-0-1-01234567' });
  expect(
    JSON.parse(readFileSync(join(unzip('oom-autopsy-train-0-1-01234567'), 'manifest.json'), 'utf8')).name,
  ).toBe('oom-autopsy-train-0-1-01234567');
  expect(await publish(options(evidence))).toMatchObject({
    state: 'failed',
    reason: 'an artifact named oom-autopsy-train-0-1-01234567 exists already in this run (409)',
  });
});

it.each([
  ['CreateArtifact', '403', /refused it: Failed to CreateArtifact: .*\(403\)/],
  ['CreateArtifact', 'quota', /storage quota is used up/],
  ['CreateArtifact', '503', /Failed to make request after 5 attempts: .*\(503\)/],
  ['CreateArtifact', 'reset', /cannot be reached \(ECONNRESET\)/],
  ['CreateArtifact', 'okfalse', /CreateArtifact: response from backend was not ok/],
  ['PutBlob', '403', /refused it/],
  ['PutBlob', 'reset', /cannot be reached \(ECONNRESET\)/],
  ['PutBlob', 'cut:100', /cannot be reached \(ECONNRESET\)/],
  ['PutBlob', '503', /^the artifact service answered 503: injected$/],
  ['CreateArtifact', '429', /Failed to make request after 5 attempts: .*\(429\)/],
  ['FinalizeArtifact', 'reset', /cannot be reached \(ECONNRESET\)/],
  ['FinalizeArtifact', '500', /Failed to FinalizeArtifact: .*\(500\)/],
])('%s %s: the files are kept and the reason is one line', async (call, fault, reason) => {
  await expectKept(dir, service, call, fault, reason, 30_000);
});

it('the files are kept where a call hangs, whichever it is', async () => {
  // All at once: each waits for its deadline.
  await Promise.all(
    ['CreateArtifact', 'PutBlob', 'FinalizeArtifact'].map(async (call) => {
      const own = join(root, `hangs at ${call}`);
      mkdirSync(own);
      const hanging = await startService({ dir: join(root, `service of ${call}`), maxSeconds: 120 });
      try {
        await expectKept(own, hanging, call, 'hang', /no end after 2 s: stopped/, 2000);
      } finally {
        await hanging.close();
      }
    }),
  );
});

/** Publishing from the folder fails for this reason at this fault of the service, in one line, and all files are left as they were. */
async function expectKept(
  from: string,
  of: Service,
  call: string,
  fault: string,
  reason: RegExp,
  deadlineMs: number,
): Promise<void> {
  const evidence = await someEvidence(from);
  of.setFaults({
    [call]: fault,
    ...(call === 'PutBlob' ? { PutBlock: fault, PutBlockList: fault } : {}),
  });
  const result = await publish(
    options(evidence, {
      deadlineMs,
      env: env({ ...of.env, NODE_OPTIONS: `--import "${quick(20)}"` }),
    }),
  );
  expect(result.state).toBe('failed');
  if (result.state !== 'failed') throw new Error('not failed');
  expect(result.reason).toMatch(reason);
  expect(result.reason).not.toMatch(/[\r\n]|sig=/);
  expect(result.kept.map((f) => f.path)).toEqual(
    [snapshotFile(made()), receiptFile(made())].map((name) => join(from, name)),
  );
  for (const file of result.kept) expect(file.digest).toBe(`sha256:${sha256(file.path)}`);
  expect(readdirSync(from)).toHaveLength(2);
}

it('names a service that is not there, a server that the client refuses, and an environment without one', async () => {
  const evidence = await someEvidence();
  await service.close();
  expect(await publish(options(evidence))).toMatchObject({
    state: 'failed',
    reason: expect.stringMatching(/ECONNREFUSED/),
  });
  expect(
    await publish(options(evidence, { env: env({ GITHUB_SERVER_URL: 'https://ghes.example.com' }) })),
  ).toMatchObject({ state: 'failed', reason: expect.stringMatching(/Enterprise Server/) });
  expect(await publish(options(evidence, { env: {} }))).toMatchObject({
    state: 'failed',
    reason: 'the runner offers no artifact service (ACTIONS_RESULTS_URL and ACTIONS_RUNTIME_TOKEN not set)',
  });
});

it('gives loopback to no proxy', async () => {
  const evidence = await someEvidence();
  const proxy = 'http://127.0.0.1:9';
  const result = await publish(
    options(evidence, { env: env({ HTTP_PROXY: proxy, http_proxy: proxy, https_proxy: proxy }) }),
  );
  expect(result).toMatchObject({ state: 'uploaded' });
});

it('leaves out and names a file that is another one, or a link, by the time of the upload', async () => {
  writeSnapshot(dir, snapshotFile(made(), 1));
  writeSnapshot(dir, snapshotFile(made(), 2), 'second');
  writeSnapshot(dir, snapshotFile(made(), 3), 'third');
  writeSnapshot(dir, snapshotFile(made(), 4), 'fourth');
  const evidence = await collect({ dir, step: STEP });
  writeFileSync(join(root, 'secret'), 'hello world');
  rmSync(join(dir, snapshotFile(made(), 1)));
  symlinkSync(join(root, 'secret'), join(dir, snapshotFile(made(), 1)));
  writeFileSync(join(root, 'other'), 'second');
  renameSync(join(root, 'other'), join(dir, snapshotFile(made(), 2)));
  writeFileSync(join(dir, snapshotFile(made(), 3)), 'grown, third');
  const result = await publish(options(evidence));
  expect(result).toMatchObject({
    state: 'uploaded',
    complete: false,
    files: [{ file: snapshotFile(made(), 4) }],
  });
  if (result.state !== 'uploaded') throw new Error('not uploaded');
  expect(Object.fromEntries(result.notUploaded.map((f) => [f.file, f.reason]))).toEqual({
    [snapshotFile(made(), 1)]: 'changed after it was digested: now a symbolic link',
    [snapshotFile(made(), 2)]: 'changed after it was digested',
    [snapshotFile(made(), 3)]: 'changed after it was digested',
  });
  expect(readdirSync(unzip(result.name)).sort()).toEqual(
    ['SHA256SUMS', 'manifest.json', snapshotFile(made(), 4)].sort(),
  );
});

it('tells a file that is written to while it is uploaded', async () => {
  const evidence = await someEvidence();
  const result = await publish(
    options(evidence, {
      manifest: (plan) => {
        // Staged, not yet uploaded: the moment a process that still runs would use.
        writeFileSync(join(dir, snapshotFile(made())), 'HELLO');
        return JSON.stringify(plan);
      },
    }),
  );
  expect(result).toMatchObject({
    state: 'uploaded',
    changed: [snapshotFile(made())],
    notUploaded: [
      {
        file: snapshotFile(made()),
        reason: 'changed while it was uploaded: the artifact may hold other bytes',
      },
    ],
    complete: false,
  });
  if (result.state !== 'uploaded') throw new Error('not uploaded');
  expect(result.files.map(({ file }) => file)).not.toContain(snapshotFile(made()));
});

it('tells what vanished between the client that was refused and the one that was not', async () => {
  const evidence = await someEvidence();
  service.setFaults({ CreateArtifact: '503x1' });
  let gone: readonly string[] = [];
  const watch = setInterval(() => {
    if (service.calls().length === 0 || gone.length > 0) return;
    const staging = join(dir, readdirSync(dir).find((name) => name.startsWith('.upload-')) ?? '');
    gone = readdirSync(staging);
    for (const name of gone) rmSync(join(staging, name));
  }, 5);
  const result = await publish(options(evidence, { env: env({ NODE_OPTIONS: `--import "${quick(500)}"` }) }));
  clearInterval(watch);
  expect(result).toMatchObject({ state: 'uploaded', files: [], complete: false });
  if (result.state !== 'uploaded') throw new Error('not uploaded');
  // The client calls an archive without a file a success.
  expect(readdirSync(unzip(result.name))).toEqual([]);
  expect(result.notUploaded.map(({ file, reason }) => [file, reason]).sort()).toEqual(
    [...gone].sort().map((file) => [file, 'vanished while it was uploaded']),
  );
  expect(gone).toHaveLength(4);
  const manifest = manifestPublished(result);
  expect(manifest).toMatchObject({ state: 'uploaded', left_out: result.notUploaded });
});

it('leaves out what is over the limit, with its digest', async () => {
  const evidence = await someEvidence();
  expect(await publish(options(evidence, { maxUploadBytes: 5 }))).toMatchObject({
    state: 'uploaded',
    complete: false,
    notUploaded: [
      { file: snapshotFile(made()), reason: 'over max-upload-size', digest: evidence.snapshots[0]?.digest },
    ],
  });
});

it('copies, and hashes again, where links cannot be made', async () => {
  writeSnapshot(dir);
  writeSnapshot(dir, snapshotFile(made(), 2), Buffer.alloc(3 * 2 ** 20, 7));
  const [small, large] = (await collect({ dir, step: STEP })).snapshots;
  if (!small || !large) throw new Error('not collected');
  const link = () => Promise.reject(Object.assign(new Error('no'), { code: 'EPERM' }));
  const staging = await Staging.open(dir, STEP, { calls: { link } });
  const until = performance.now() + 10_000;
  await staging.add(large, until);
  await staging.add({ ...small, digest: large.digest }, until);
  const folder = readdirSync(dir).find((name) => name.startsWith('.upload-')) ?? '';
  expect(`sha256:${sha256(join(dir, folder, large.file))}`).toBe(large.digest);
  expect(staging.files.map((f) => f.file)).toEqual([large.file]);
  expect(staging.leftOut).toMatchObject([{ file: small.file, reason: 'changed after it was digested' }]);
  await staging.add(small, performance.now() - 1);
  expect(staging.leftOut[1]).toMatchObject({ reason: 'out of time while it was copied' });
  expect(readdirSync(join(dir, folder))).toEqual([large.file]);
  expect(await staging.close()).toBe(true);
  expect(readdirSync(dir).sort()).toEqual([small.file, large.file].sort());
});

it('is stopped by its signal, and passes masks on', async () => {
  const evidence = await someEvidence();
  service.setFaults({ FinalizeArtifact: 'hang' });
  const abort = new AbortController();
  const masks: string[] = [];
  const result = await publish(
    options(evidence, {
      signal: abort.signal,
      onMask: (line) => masks.push(line),
      onProgress: () => setImmediate(() => abort.abort()),
    }),
  );
  expect(result).toMatchObject({ state: 'failed', reason: 'cancelled' });
  expect(masks.length).toBeGreaterThan(0);
});

it('publishes a page as it is, under its own name, and under another when that is taken', async () => {
  const page = {
    dir,
    html: '<h1>é</h1>',
    name: 'oom-autopsy-train.html',
    step: STEP,
    retentionDays: null,
    deadlineMs: 30_000,
    worker: WORKER,
  };
  const first = await publishPage({ ...page, env: env() });
  expect(first).toMatchObject({ state: 'uploaded', name: 'oom-autopsy-train.html', complete: true });
  expect(readFileSync(service.download('oom-autopsy-train.html'), 'utf8')).toBe('<h1>é</h1>');
  expect(await publishPage({ ...page, env: env() })).toMatchObject({
    state: 'uploaded',
    name: 'oom-autopsy-train-01234567.html',
  });
  expect(readdirSync(dir)).toEqual([]);
});

it.each([
  ['before the client reads it', 'never'],
  ['while the client reads it', 'at the first bytes'],
])('does not take a page for published that is cut short %s', async (_when, progress) => {
  const html = `<h1>page</h1>${'x'.repeat(64 * 2 ** 20)}`;
  // Blocks of 8 MiB, three at a time: the first are on their way while most of the file has not been read.
  service.setFaults({ PutBlock: `slow:${16 * 2 ** 20}` });
  let cut = 0;
  const cutTo = (bytes: number): void => {
    const folder = readdirSync(dir).find((name) => name.startsWith('.upload-'));
    const path = join(dir, folder ?? '', 'cut.html');
    if (cut > 0 || folder === undefined || !existsSync(path) || statSync(path).size < html.length) return;
    truncateSync(path, bytes);
    cut = bytes;
  };
  // The uploading process is not up yet when its file is there.
  const watch = progress === 'never' ? setInterval(() => cutTo(5), 2) : undefined;
  const result = await publishPage({
    ...{ dir, html, name: 'cut.html', step: STEP, retentionDays: null, deadlineMs: 60_000, worker: WORKER },
    env: env(),
    onProgress: (bytes) => bytes > 0 && cutTo(html.length - 2 ** 20),
  });
  clearInterval(watch);
  expect(cut).toBeGreaterThan(0);
  // The client and the service call it a success.
  expect(service.artifacts()).toMatchObject([{ name: 'cut.html', state: 'finalized', size: cut }]);
  expect(result).toMatchObject({
    state: 'failed',
    reason: 'what was uploaded is not the page that was written',
  });
  expect(readdirSync(dir)).toEqual([]);
});

it('keeps the only name of a file that vanished while it was uploaded', async () => {
  const evidence = await someEvidence();
  const result = await publish(
    options(evidence, {
      manifest: (plan) => {
        rmSync(join(dir, snapshotFile(made())));
        return JSON.stringify(plan);
      },
    }),
  );
  expect(result).toMatchObject({ state: 'uploaded', changed: [snapshotFile(made())], complete: false });
  const left = readdirSync(dir).find((name) => name.startsWith('.upload-')) ?? '';
  expect(readdirSync(join(dir, left))).toEqual([snapshotFile(made())]);
});

it('says so when the uploading process is missing, dies, or answers nothing', async () => {
  const evidence = await someEvidence();
  const worker = (name: string, text: string): string => {
    writeFileSync(join(root, name), text);
    return join(root, name);
  };
  expect(await publish(options(evidence, { worker: join(root, 'none.mjs') }))).toMatchObject({
    state: 'failed',
    reason: expect.stringMatching(/^the uploading process ended \(1\)/),
  });
  expect(
    await publish(options(evidence, { worker: worker('dies.mjs', 'process.kill(process.pid, "SIGSEGV")') })),
  ).toMatchObject({ reason: expect.stringMatching(/ended \(SIGSEGV\)/) });
  const deaf = `import { writeFileSync } from 'node:fs';
    writeFileSync(${JSON.stringify(join(root, 'deaf.pid'))}, String(process.pid));
    process.on('SIGTERM', () => 0);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);`;
  const stopped = await publish(options(evidence, { deadlineMs: 3000, worker: worker('deaf.mjs', deaf) }));
  expect(stopped).toMatchObject({ reason: 'no end after 3 s: stopped' });
  await ended(Number(readFileSync(join(root, 'deaf.pid'), 'utf8')));
});

it('ends with its parent: no upload outlives a main that was killed', async () => {
  service.setFaults({ CreateArtifact: 'hang' });
  writeFileSync(
    join(root, 'parent.mjs'),
    `import { spawn } from 'node:child_process';
    const child = spawn(process.execPath, [process.argv[2]], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    child.send({ name: 'n', root: process.argv[3], files: ['f'], retentionDays: null, compressionLevel: 0, raw: false }, () =>
      console.log(child.pid));`,
  );
  writeFileSync(join(dir, 'f'), 'x');
  const parent = spawn(process.execPath, [join(root, 'parent.mjs'), WORKER, dir], {
    env: env(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = new Promise((done) => parent.stdout.on('close', done));
  const first: Buffer = await new Promise((done) => parent.stdout.once('data', done));
  const pid = Number.parseInt(first.toString(), 10);
  process.kill(pid, 0);
  parent.kill('SIGKILL');
  // The pipe has its end when the last process that holds it, the worker, has ended (where nobody reaps it, as a zombie).
  await closed;
  await ended(pid);
});

it('fails in words when there is no folder', async () => {
  const evidence = { ...(await someEvidence()), dir: join(root, 'nowhere') };
  expect(existsSync(evidence.dir)).toBe(false);
  expect(await publish(options(evidence))).toMatchObject({
    state: 'failed',
    reason: 'the evidence folder cannot be prepared for the upload (ENOENT)',
  });
});
