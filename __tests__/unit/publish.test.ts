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
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { startService } from '../../lab/standins/service/service.mjs';
import { type PublishOptions, publish, publishPage } from '../../src/deliver/publish.js';
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
  scratch: root,
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

it('uploads what was digested, whoever puts other files in the place of all that it uses', async () => {
  for (let seq = 1; seq <= 20; seq += 1) writeSnapshot(dir, snapshotFile(made(), seq), `dump ${seq}`);
  writeReceipt(dir);
  const evidence = await collect({ dir, step: STEP });
  const [scratch, secret] = [join(root, `scratch${n}`), join(root, 'host secret')];
  mkdirSync(scratch);
  writeFileSync(secret, 'the key of the host');
  service.setFaults({ CreateArtifact: '503x1' });
  // As a process in a container would that shares these folders: every name, in them and below, leads elsewhere.
  const plant = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) plant(path);
      else if (entry.isFile()) {
        symlinkSync(secret, join(root, 'planted'));
        renameSync(join(root, 'planted'), path);
      }
    }
  };
  let vandal: NodeJS.Timeout | undefined;
  const seen: string[] = [];
  const result = await publish(
    options(evidence, {
      scratch,
      env: env({ NODE_OPTIONS: `--import "${quick(500)}"` }),
      manifest: (plan) => {
        seen.push(...plan.files.map(({ file }) => file));
        plant(dir);
        vandal ??= setInterval(() => [dir, scratch].forEach(plant), 2);
        return JSON.stringify(plan);
      },
    }),
  );
  clearInterval(vandal);
  if (result.state !== 'uploaded') throw new Error(`not uploaded: ${JSON.stringify(result)}`);
  const to = unzip(result.name);
  expect(seen).toHaveLength(21);
  expect(readdirSync(to).sort()).toEqual([...seen, 'SHA256SUMS', 'manifest.json'].sort());
  expect(
    execFileSync('sha256sum', ['-c', '--strict', 'SHA256SUMS'], { cwd: to, encoding: 'utf8' }),
  ).not.toMatch(/FAILED/);
  for (const name of readdirSync(to))
    expect(readFileSync(join(to, name), 'utf8')).not.toContain('the key of');
  expect(readFileSync(secret, 'utf8')).toBe('the key of the host');
  expect(readdirSync(scratch)).toEqual([]);
  // Their names lead elsewhere by now, which is told.
  expect(result.complete).toBe(false);
});

it('uploads hundreds of files, all held open', async () => {
  for (let seq = 1; seq <= 300; seq += 1) writeSnapshot(dir, snapshotFile(made(), seq), `dump ${seq}`);
  const evidence = await collect({ dir, step: STEP });
  expect(await publish(options(evidence))).toMatchObject({ state: 'uploaded', complete: true });
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
    scratch: dir,
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

it('uploads a file that was removed meanwhile, and tells that it changed', async () => {
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
  if (result.state !== 'uploaded') throw new Error('not uploaded');
  expect(readFileSync(join(unzip(result.name), snapshotFile(made())), 'utf8')).toBe('hello world');
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
    import { openSync } from 'node:fs';
    const child = spawn(process.execPath, [process.argv[2]], { stdio: ['ignore', 'inherit', 'inherit', 'ipc', openSync(process.argv[3])] });
    child.send({ name: 'n', files: ['f'], retentionDays: null, compressionLevel: 0, raw: false }, () =>
      console.log(child.pid));`,
  );
  writeFileSync(join(dir, 'f'), 'x');
  const parent = spawn(process.execPath, [join(root, 'parent.mjs'), WORKER, join(dir, 'f')], {
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
    reason: 'the evidence folder cannot be read for the upload (ENOENT)',
  });
});
