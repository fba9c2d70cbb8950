// The artifact service stand-in, driven by the real @actions/artifact client and, where that client cannot be made to
// do wrong, by plain requests.
import { spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { faultPlan, parseFault, parseFaultArgs } from '../../lab/standins/service/faults.mjs';
import { startService } from '../../lab/standins/service/service.mjs';

type Service = Awaited<ReturnType<typeof startService>>;
type Client = InstanceType<typeof import('@actions/artifact')['DefaultArtifactClient']>;

const root = mkdtempSync(join(tmpdir(), 'standin-service-'));
const realTimeout = globalThis.setTimeout;
const realWrite = process.stdout.write;
const sha256 = (data: Buffer) => createHash('sha256').update(data).digest('hex');
let client: Client;
let service: Service;
let dir: string;

beforeAll(async () => {
  // the client waits 3 to 15 s between its attempts: those waits, and no other timers, are made short
  globalThis.setTimeout = ((f: () => void, ms = 0, ...a: unknown[]) =>
    realTimeout(f, ms > 1000 && ms < 20_000 ? 5 : ms, ...(a as []))) as typeof setTimeout;
  const { DefaultArtifactClient } = await import('@actions/artifact');
  client = new DefaultArtifactClient();
  process.env.GITHUB_SERVER_URL = 'https://github.com';
});
afterAll(() => {
  globalThis.setTimeout = realTimeout;
  rmSync(root, { recursive: true, force: true });
});
beforeEach(async () => {
  dir = mkdtempSync(join(root, 't-'));
  service = await startService({ dir: join(dir, 'service'), maxSeconds: 120 });
  Object.assign(process.env, service.env);
  process.stdout.write = (() => true) as typeof process.stdout.write; // the client logs each step
});
afterEach(async () => {
  process.stdout.write = realWrite;
  await service.close();
});

const file = (name: string, data: Buffer | string) => {
  writeFileSync(join(dir, name), data);
  return join(dir, name);
};
const upload = (name: string, files: string[], options = {}) =>
  client.uploadArtifact(name, files, dir, options);
const called = (name: string) => service.calls().filter((c) => c.call === name);
const filesUnder = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((e) => e.isFile())
    .map((e) => e.name);

it('keeps a zip whose digest is the one the client reports, and gives it back', async () => {
  const data = randomBytes(200_000);
  const { id, digest, size } = await upload('evidence', [file('a.bin', data), file('b.txt', 'hello')], {
    compressionLevel: 1,
    retentionDays: 3,
  });
  const stored = readFileSync(service.download('evidence'));
  expect(sha256(stored)).toBe(digest);
  expect(stored.length).toBe(size);
  expect(service.artifacts()).toMatchObject([
    {
      id,
      name: 'evidence',
      state: 'finalized',
      mime: 'application/zip',
      version: 7,
      size,
      digest: `sha256:${digest}`,
    },
  ]);
  expect(Date.parse(String(service.artifacts()[0]?.expires)) - Date.now()).toBeGreaterThan(2 * 86400e3);

  const back = await client.downloadArtifact(id as number, {
    path: join(dir, 'back'),
    expectedHash: `sha256:${digest}`,
  });
  expect(back.digestMismatch).toBe(false);
  expect(readFileSync(join(dir, 'back', 'a.bin'))).toEqual(data);
  expect(readFileSync(join(dir, 'back', 'b.txt'), 'utf8')).toBe('hello');
  expect(called('GET')).toMatchObject([{ status: 200, name: 'evidence' }]);
});

it('keeps a file of several blocks in order with skipArchive, under the file’s name and type', async () => {
  const data = randomBytes(20 * 1024 * 1024 + 17); // three blocks of the client's 8 MiB
  const { id, digest } = await upload('ignored', [file('täble.html', data)], { skipArchive: true });
  expect(digest).toBe(sha256(data));
  expect(readFileSync(service.download('täble.html')).equals(data)).toBe(true);
  expect(
    called('PutBlock')
      .map((c) => c.bytes)
      .sort(),
  ).toEqual([4194321, 8388608, 8388608]);
  expect(filesUnder(join(service.dir, 'blobs'))).toEqual(['blob']);
  await client.downloadArtifact(id as number, { path: join(dir, 'back') });
  expect(readFileSync(join(dir, 'back', 'täble.html')).equals(data)).toBe(true);
});

it('lists, finds by name and deletes', async () => {
  await upload('one', [file('a', 'a')]);
  const two = await upload('two', [file('b', 'b')]);
  expect((await client.listArtifacts()).artifacts.map((a) => a.name)).toEqual(['one', 'two']);
  expect((await client.getArtifact('two')).artifact).toMatchObject({
    id: two.id,
    digest: `sha256:${two.digest}`,
  });
  await client.deleteArtifact('one');
  await expect(client.getArtifact('one')).rejects.toThrow('Artifact not found');
  expect(() => service.download('one')).toThrow('one (deleted), two (finalized)');
  await upload('one', [file('a', 'again')]); // a deleted name is free again
  expect(readFileSync(join(service.dir, 'artifacts.jsonl'), 'utf8').trim().split('\n')).toHaveLength(4);
});

it('answers 409 to a name that is taken in the run, by any job', async () => {
  await upload('same', [file('a', 'a')]);
  const taken =
    'Failed to CreateArtifact: Received non-retryable error: Failed request: (409) Conflict: an artifact with this name already exists on the workflow run';
  await expect(upload('same', [file('a', 'a')])).rejects.toThrow(taken);
  process.env.ACTIONS_RUNTIME_TOKEN = service.tokenFor('another-job');
  await expect(upload('same', [file('a', 'a')])).rejects.toThrow(taken);
  await upload('other', [file('a', 'a')]);
  expect(service.artifacts().map((a) => a.job)).toEqual([expect.any(String), 'another-job']);
});

it('refuses a token of another service', async () => {
  const other = await startService({ dir: join(dir, 'other'), maxSeconds: 60 });
  process.env.ACTIONS_RUNTIME_TOKEN = other.token;
  await expect(upload('x', [file('a', 'a')])).rejects.toThrow(
    '(401) Unauthorized: the token is not one of this service',
  );
  await other.close();
});

// ---- what the client never does wrong: plain requests
const ids = () => {
  const claims = JSON.parse(Buffer.from(service.token.split('.')[1] as string, 'base64url').toString());
  const [, run, job] = /Actions\.Results:([^:]+):(\S+)/.exec(claims.scp) as RegExpExecArray;
  return { workflow_run_backend_id: run, workflow_job_run_backend_id: job };
};
const rpc = async (method: string, body: object, headers: Record<string, string> = {}) => {
  const response = await fetch(
    `${service.url}/twirp/github.actions.results.api.v1.ArtifactService/${method}`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${service.token}`, ...headers },
      body: JSON.stringify({ ...ids(), ...body }),
    },
  );
  const answer = (await response.json()) as Record<string, string>;
  return { ...answer, status: response.status } as Record<string, unknown>;
};
const create = { name: 'x', version: 7, mime_type: 'application/zip' };
const put = (url: string, body: string, headers = { 'x-ms-blob-type': 'BlockBlob' }) =>
  fetch(url, { method: 'PUT', body, headers });

it.each([
  ['a name with a colon', { ...create, name: 'a:b' }, 400, 'invalid_argument'],
  ['no name', { ...create, name: undefined }, 400, 'invalid_argument'],
  ['an unknown version', { ...create, version: 3 }, 400, 'invalid_argument'],
  ['no type', { ...create, mime_type: undefined }, 400, 'invalid_argument'],
  ['a type that is none', { ...create, mime_type: 'zip' }, 400, 'invalid_argument'],
  ['an expiry that has passed', { ...create, expires_at: '2001-01-01T00:00:00Z' }, 400, 'invalid_argument'],
  ['another run', { ...create, workflow_run_backend_id: 'other' }, 403, 'permission_denied'],
  ['another job', { ...create, workflow_job_run_backend_id: 'other' }, 403, 'permission_denied'],
])('refuses to create with %s', async (_what, body, status, code) => {
  expect(await rpc('CreateArtifact', body)).toMatchObject({ status, code });
  expect(service.artifacts()).toEqual([]);
});

it('refuses what is not a call: no token, wrong type, unknown method', async () => {
  expect(await rpc('CreateArtifact', create, { authorization: '' })).toMatchObject({
    status: 401,
    code: 'unauthenticated',
  });
  expect(await rpc('CreateArtifact', create, { 'content-type': 'text/plain' })).toMatchObject({
    status: 404,
    code: 'bad_route',
  });
  expect(await rpc('MakeArtifact', create)).toMatchObject({ status: 404, code: 'bad_route' });
});

it('finalizes only what was received: size and hash must be those of the blob', async () => {
  const { signed_upload_url: url } = await rpc('CreateArtifact', create);
  const hash = `sha256:${sha256(Buffer.from('hello'))}`;
  expect(await rpc('FinalizeArtifact', { name: 'x', size: '5', hash })).toMatchObject({ status: 412 });
  expect((await put(url as string, 'hello', {} as never)).status).toBe(400);
  expect((await put(url as string, 'hello')).status).toBe(201);
  expect(await rpc('FinalizeArtifact', { name: 'x', size: '4', hash })).toMatchObject({
    status: 400,
    msg: 'size 4, but 5 bytes were uploaded',
  });
  expect(
    await rpc('FinalizeArtifact', { name: 'x', size: '5', hash: `sha256:${'0'.repeat(64)}` }),
  ).toMatchObject({ status: 400 });
  expect(service.artifacts()).toMatchObject([
    { state: 'pending', refused: expect.stringContaining('but the upload has') },
  ]);
  expect(await rpc('FinalizeArtifact', { name: 'x', size: '5', hash })).toMatchObject({
    status: 200,
    ok: true,
    artifact_id: '1000',
  });
  expect(await rpc('FinalizeArtifact', { name: 'x', size: '5', hash })).toMatchObject({ status: 404 });
});

it('allows only what a URL was signed for', async () => {
  const { signed_upload_url: url } = await rpc('CreateArtifact', create);
  await put(url as string, 'hello');
  expect((await fetch(url as string)).status).toBe(403);
  expect((await put((url as string).replace('sp=cw', 'sp=cwr'), 'bye')).status).toBe(403);
  await rpc('FinalizeArtifact', { name: 'x', size: '5' });
  const { signed_url: read } = await rpc('GetSignedArtifactURL', { name: 'x' });
  expect((await put(read as string, 'bye')).status).toBe(403);
  expect((await fetch(read as string, { method: 'HEAD' })).headers.get('content-length')).toBe('5');
  expect(await (await fetch(read as string)).text()).toBe('hello');
});

// ---- faults
it.each(['CreateArtifact', 'FinalizeArtifact'])(
  '%s: retried by the client on 500, 503, 429',
  async (call) => {
    service.setFaults({ [call]: ['500x1', '503@1x1', '429:7@2x1'] });
    await upload('x', [file('a', 'a')]);
    expect(called(call).map((c) => c.status)).toEqual([500, 503, 429, 200]);
  },
);

it.each([
  ['403', 'Received non-retryable error: Failed request: (403) Forbidden: injected 403', 1],
  [
    '409',
    'Received non-retryable error: Failed request: (409) Conflict: an artifact with this name already exists',
    1,
  ],
  ['503', 'Failed to make request after 5 attempts: Failed request: (503) Service Unavailable', 5],
  ['quota', 'Artifact storage quota has been hit', 1],
  ['quota:400', 'Artifact storage quota has been hit', 1],
  ['okfalse', 'CreateArtifact: response from backend was not ok', 1],
  ['reset', 'Unable to make request: ECONNRESET', 1],
])('CreateArtifact=%s ends the upload', async (fault, message, attempts) => {
  service.setFaults({ CreateArtifact: fault });
  await expect(upload('x', [file('a', 'a')])).rejects.toThrow(message);
  expect(called('CreateArtifact')).toHaveLength(attempts);
  expect(service.artifacts()).toEqual([]);
});

it('sends Retry-After with a 429', async () => {
  service.setFaults({ CreateArtifact: '429:7x1' });
  const response = await fetch(
    `${service.url}/twirp/github.actions.results.api.v1.ArtifactService/CreateArtifact`,
    { method: 'POST' },
  );
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7']);
});

it.each([
  'FinalizeArtifact=okfalse',
  'FinalizeArtifact=403',
  'PutBlock=403',
  'PutBlockList=403',
  'PutBlock=409',
  'PutBlock=quota',
])('%s leaves the artifact pending', async (fault) => {
  service.setFaults(parseFaultArgs([fault]));
  await expect(upload('x', [file('a', 'a')])).rejects.toThrow();
  expect(service.artifacts()).toMatchObject([{ name: 'x', state: 'pending', digest: null }]);
});

it.each([
  'PutBlock=503x1',
  'PutBlock=500x1',
  'PutBlock=resetx1',
  'PutBlock=cut:4096x1',
  'PutBlockList=503x1',
  'PutBlockList=cut:3x1',
])('%s: the storage client tries again and the blob is whole', async (fault) => {
  service.setFaults(parseFaultArgs([fault]));
  const data = randomBytes(100_000);
  await upload('-', [file('d.bin', data)], { skipArchive: true });
  expect(readFileSync(service.download('d.bin')).equals(data)).toBe(true);
  const [call] = fault.split('=');
  expect(called(call as string).map((c) => c.status === 201)).toEqual([false, true]);
  expect(filesUnder(join(service.dir, 'blobs'))).toEqual(['blob']);
});

it('slow: the same bytes, at a rate', async () => {
  service.setFaults({ PutBlock: 'slow:200000', GET: 'slow:200000', CreateArtifact: 'slow:1000' });
  const data = randomBytes(60_000);
  const { id } = await upload('-', [file('d.bin', data)], { skipArchive: true });
  await client.downloadArtifact(id as number, { path: join(dir, 'back') });
  expect(readFileSync(join(dir, 'back', 'd.bin')).equals(data)).toBe(true);
});

it.each(['CreateArtifact', 'PutBlock', 'PutBlockList', 'FinalizeArtifact'])(
  'hang at %s: no answer until the service is closed',
  async (call) => {
    service.setFaults({ [call]: 'hang' });
    let settled = false;
    const uploading = upload('x', [file('a', 'a')]).finally(() => {
      settled = true;
    });
    uploading.catch(() => {});
    while (called(call).length === 0) await new Promise((ok) => realTimeout(ok, 5));
    await new Promise((ok) => realTimeout(ok, 50));
    expect(settled).toBe(false);
    expect(called(call)).toMatchObject([{ status: null, fault: 'hang' }]); // asked once, and not answered
    await service.close();
    await expect(uploading).rejects.toThrow();
  },
);

it('cut on the way down: the body ends early and the connection with it', async () => {
  await upload('-', [file('d.bin', randomBytes(100_000))], { skipArchive: true });
  const { signed_url: url } = await rpc('GetSignedArtifactURL', { name: 'd.bin' });
  service.setFaults({ GET: 'cut:1000', ListArtifacts: 'cut:10' });
  const reader = (await fetch(url as string)).body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  let bytes = 0;
  const readAll = async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) bytes += part.value.length;
  };
  await expect(readAll()).rejects.toThrow('terminated');
  expect(bytes).toBe(1000);
  await expect(rpc('ListArtifacts', {})).rejects.toThrow('terminated');
});

it('an answer of the service cut in mid-body: the client waits for ever, so its caller needs a deadline', async () => {
  service.setFaults({ CreateArtifact: 'cut:10' });
  let settled = false;
  const uploading = upload('x', [file('a', 'a')]).finally(() => {
    settled = true;
  });
  uploading.catch(() => {});
  while (called('CreateArtifact').length === 0) await new Promise((ok) => realTimeout(ok, 5));
  await service.close();
  await new Promise((ok) => realTimeout(ok, 100));
  expect(settled).toBe(false); // no error even with the service gone: @actions/http-client hears no 'aborted'
});

it('several at once do not know each other', async () => {
  const other = await startService({ dir: join(dir, 'other'), maxSeconds: 60 });
  await upload('mine', [file('a', 'a')]);
  Object.assign(process.env, other.env);
  await upload('mine', [file('a', 'b')]);
  expect([service.artifacts().length, other.artifacts().length]).toEqual([1, 1]);
  expect(service.url).not.toBe(other.url);
  await other.close();
  await expect(fetch(other.url)).rejects.toThrow();
});

it('ends by itself', async () => {
  const brief = await startService({ dir: join(dir, 'brief'), maxSeconds: 0.01 });
  await brief.closed;
  await expect(fetch(brief.url)).rejects.toThrow();
});

it('the command line: says where it is, serves, ends on a signal; refuses what it cannot read', async () => {
  const cli = join(process.cwd(), 'lab/standins/service/cli.mjs');
  const child = spawn(process.execPath, [cli, '--dir', join(dir, 'cli'), '--fault', 'GET=503,HEAD=hang']);
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  Object.assign(process.env, JSON.parse(line).env);
  await upload('x', [file('a', 'a')]);
  expect(JSON.parse(readFileSync(join(dir, 'cli', 'artifacts.jsonl'), 'utf8'))).toMatchObject({
    name: 'x',
    state: 'finalized',
  });
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  for (const [args, why] of [
    [['--dir', dir, '--fault', 'GET=explode'], 'fault of GET: kind explode; accepted are status'],
    [[], '--dir is required'],
  ] as const)
    expect(spawnSync(process.execPath, [cli, ...args], { encoding: 'utf8' })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(why),
    });
});

it('reads faults, and says what is wrong with one', () => {
  expect(parseFault('PutBlock', 'cut:4096@1x2')).toEqual({ kind: 'cut', bytes: 4096, after: 1, times: 2 });
  expect(parseFault('GET', 503)).toMatchObject({
    kind: 'status',
    status: 503,
    times: Number.POSITIVE_INFINITY,
  });
  expect(parseFaultArgs(['GET=503x1,GET=reset', 'PutBlock=hang'])).toEqual({
    GET: ['503x1', 'reset'],
    PutBlock: ['hang'],
  });
  for (const bad of ['cut', 'slow', '200', 'explode', 'hang:3', 'okfalse', 'x1'])
    expect(() => parseFault('GET', bad)).toThrow('fault of GET');
  expect(() => faultPlan({ GetArtifact: 503 })).toThrow('no such call');
  const next = faultPlan({ GET: ['503@1x1', 'reset'], '*': 'hang@1' });
  expect([next('GET')?.kind, next('GET')?.kind, next('GET')?.kind, next('HEAD')?.kind]).toEqual([
    'reset',
    'status',
    'reset',
    'hang',
  ]);
});
