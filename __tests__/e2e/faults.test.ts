/**
 * Everything around the program fails, one thing at a time: the artifact service, the disk, the host's memory. The exit code and the
 * verdict stay right, the summary says what happened, and what existed on disk exists afterwards.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { cleanUp, plainPython, ROOT, runStep, type Step, type StepOptions, sha256 } from './kit.js';
import { REAL, recorded } from './recorded.js';
import {
  expectClean,
  namesBelow,
  OUT_OF_MEMORY,
  onDisk,
  plain,
  replayScript,
  scratch,
  until,
} from './replay.js';
import { inSmallMemory, possible, version } from './small-memory.js';

afterAll(cleanUp);
const MINUTES = 60_000;
const root = process.getuid?.() === 0;

/** Runs out of memory with a snapshot of half a megabyte. */
const LARGE_SNAPSHOT = OUT_OF_MEMORY.replace('1 << 20', '1 << 10').replace('range(8)', 'range(4000)');
const TINY_OUT_OF_MEMORY = `
import torch
held = torch.cuda.allocate(8)
def train_step():
    return torch.cuda.allocate(1 << 40)
train_step()
`;

describe('an artifact service that fails', () => {
  type Row = { readonly name: string; readonly reason: RegExp } & Partial<StepOptions>;
  /** The client tries these for half a minute or more: here it gets 3 s. */
  const RETRIED = /^(hang|reset|429|5|cut)/;
  const at = (call: string, fault: string, reason: RegExp): Row => ({
    name: `${fault} at ${call}`,
    service: { [call]: fault },
    env: { OOM_AUTOPSY_PUBLISH_TIMEOUT: RETRIED.test(fault) ? '3' : '60' },
    reason,
  });
  /** The same faults meet the code that publishes in __tests__/unit/publish.test.ts, and all of these the action with OA_LONG=1. */
  const more: readonly Row[] = [
    ...['PutBlock', 'PutBlockList'].map((call) => at(call, 'hang', /no end after 3 s/)),
    at('CreateArtifact', 'reset', /cannot be reached|no end after/),
    at('CreateArtifact', '429', /429|no end after/),
    at('CreateArtifact', '500', /500|no end after/),
    at('CreateArtifact', 'quota', /quota/),
    at('PutBlock', '403', /refused it/),
    at('PutBlock', 'cut:100', /cannot be reached|no end after/),
  ];
  const rows: readonly Row[] = [
    ...['CreateArtifact', 'FinalizeArtifact'].map((call) => at(call, 'hang', /no end after 3 s/)),
    at('PutBlock', 'reset', /cannot be reached|no end after/),
    at('CreateArtifact', '403', /refused it/),
    at('CreateArtifact', '409', /exists already in this run \(409\)/),
    at('FinalizeArtifact', '503', /503|no end after/),
    at('FinalizeArtifact', 'okfalse', /./),
    ...(REAL ? more : []),
    { name: 'nobody listens', env: { ACTIONS_RESULTS_URL: 'http://127.0.0.1:1/' }, reason: /ECONNREFUSED/ },
    {
      name: 'GitHub Enterprise Server',
      run: { jobContext: { github: { server_url: 'https://github.example.com' } } },
      reason: /GitHub Enterprise Server/,
    },
    { name: 'none at all', noService: true, reason: /offers no artifact service/ },
  ];

  it.concurrent.each(rows)(
    '$name: the files stay, the summary says why, the step keeps its code',
    async ({ name: _name, reason, ...options }) => {
      const replay = await replayScript();
      const step = await plain(`python '${replay}'\nexit 3`, options);
      expectClean(step);
      expect(step.report.main.code).toBe(3);
      expect(step.outputs).toMatchObject({
        'exit-code': '3',
        verdict: 'oom',
        'snapshot-count': '1',
        'artifact-id': '',
      });
      expect(step.manifest.published.state).toBe('failed');
      expect(step.manifest.published.reason).toMatch(reason);
      const [kept] = onDisk(step).filter((file) => file.endsWith('.pickle'));
      const path = join(step.outputs['evidence-dir'] ?? '', kept ?? '');
      const [reference] = JSON.parse(step.outputs['snapshots'] ?? '');
      expect(reference).toMatchObject({ file: kept, digest: `sha256:${sha256(path)}` });
      expect(step.report.summary).toContain(reference.digest.slice('sha256:'.length));
      expect(step.report.summary).toMatch(/Out of GPU memory/);
      // No signed address gets out.
      expect(step.report.summary + step.report.log).not.toMatch(/[?&]sig=/);
      expect(step.report.post?.log).toBe('');
    },
    2 * MINUTES,
  );

  it.concurrent.each([
    ['is there after a name that was taken', { service: { CreateArtifact: '409x1' } }],
    ['comes back after a 503', { service: { CreateArtifact: '503x1' } }],
    [
      'lies on loopback and a proxy is set',
      { env: { HTTP_PROXY: 'http://127.0.0.1:1', HTTPS_PROXY: 'http://127.0.0.1:1' } },
    ],
  ])(
    'that %s gets the evidence',
    async (_name, options) => {
      const replay = await replayScript();
      const step = await plain(`python '${replay}'\nexit 3`, options);
      expectClean(step);
      expect(step.report.main.code).toBe(3);
      expect(step.artifacts).toHaveLength(1);
      expect(onDisk(step)).toEqual([]);
    },
    MINUTES,
  );

  it.concurrent(
    'that is asked again gets what vanished meanwhile, and the reader is told',
    async () => {
      const replay = await replayScript();
      const [refused, gone] = ['refused', 'gone'].map((name) => join(scratch(), name)) as [string, string];
      const vandal = `until [ -e ${refused} ]; do sleep 0.02; done; rm -rf "$(dirname "$PYTHONPATH")"/evidence/*.pickle; touch ${gone}`;
      const step = await plain(`python '${replay}'\nnohup bash -c '${vandal}' >/dev/null 2>&1 &\nexit 3`, {
        service: { CreateArtifact: '503x1' },
        onService: (service) => {
          void until(() => service.calls().length > 0, 'an upload').then(() => writeFileSync(refused, ''));
        },
      });
      expect(existsSync(gone)).toBe(true);
      expect(step.report.main.code).toBe(3);
      const [artifact] = step.artifacts;
      const pickles = (artifact?.files ?? []).filter((file) => file.endsWith('.pickle'));
      expect(pickles).toHaveLength(1);
      const sums = spawnSync('sha256sum', ['-c', '--strict', 'SHA256SUMS'], { cwd: artifact?.dir });
      expect(sums.status).toBe(0);
      expect(step.manifest.published.left_out).toMatchObject([
        { file: pickles[0], reason: 'changed while it was uploaded: the artifact may hold other bytes' },
      ]);
      expect(step.report.summary).toMatch(/not in the artifact: changed while it was uploaded/);
      expect(onDisk(step)).toHaveLength(1);
      expect(step.outputs['evidence-dir']).not.toBe('');
    },
    2 * MINUTES,
  );

  it(
    'is not even asked after a green step that saw nothing',
    async () => {
      const step = await plain('true', { service: { '*': 'reset' } });
      expectClean(step);
      expect(step.report.conclusion).toBe('success');
      expect(step.calls).toEqual([]);
    },
    MINUTES,
  );
});

describe('an evidence folder that is a link to one', () => {
  it(
    'is that folder',
    async () => {
      const folder = scratch();
      mkdirSync(join(folder, 'real'));
      symlinkSync('real', join(folder, 'link'));
      const replay = await replayScript();
      const step = await plain(`python '${replay}'\nexit 3`, {
        with: { 'evidence-dir': join(folder, 'link') },
      });
      expectClean(step);
      expect(step.outputs).toMatchObject({
        verdict: 'oom',
        'snapshot-count': '1',
        'evidence-dir': join(folder, 'real'),
      });
      expect(step.artifacts).toHaveLength(1);
      expect(readdirSync(join(folder, 'real'))).toHaveLength(2);
      const killed = await plain(`python '${replay}' 0123abcd\nkill -KILL $PPID; sleep 60`, {
        with: { 'evidence-dir': join(folder, 'link') },
      });
      expect(killed.report.post?.outputs).toMatchObject({ verdict: 'oom', 'snapshot-count': '1' });
    },
    MINUTES,
  );
});

describe('an evidence folder that two steps share', () => {
  it.concurrent(
    'tells each of its own, also while the other uploads',
    async () => {
      const evidence = join(scratch(), 'shared');
      const replay = await replayScript();
      let second: Promise<Step> | undefined;
      const first = await plain(`python '${replay}' aaaaaaaa\nexit 3`, {
        with: { 'evidence-dir': evidence },
        service: { CreateArtifact: '503x1' },
        onService: (service) => {
          second = until(() => service.calls().length > 0, 'the upload of the first step').then(() =>
            plain('exit 4', { with: { 'evidence-dir': evidence } }),
          );
        },
      });
      const other = await second;
      expectClean(first);
      expect(other?.report.main.code).toBe(4);
      expect(other?.outputs).toMatchObject({ verdict: 'failed', 'snapshot-count': '0' });
      expect(other?.artifacts).toEqual([]);
      const rejected: readonly { name: string; reason: string }[] = other?.manifest.rejected;
      expect(rejected.map(({ reason }) => reason).sort()).toEqual(['of another step', 'of another step']);
      expect(first.artifacts[0]?.files.filter((name) => name.endsWith('.pickle'))).toHaveLength(1);
      expect(first.manifest.published.left_out).toEqual([]);
      expect(readdirSync(evidence).filter((name) => name.startsWith('.'))).toEqual([]);
    },
    2 * MINUTES,
  );
});

describe('a full disk', () => {
  const mounts: string[] = [];
  afterEach(() => {
    for (const path of mounts.splice(0)) spawnSync('umount', ['-l', path]);
  });
  /** A folder on a disk of its own. @param size in KiB */
  const disk = (size: number): string => {
    const path = join(scratch(), 'small dïsk');
    mkdirSync(path);
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}k`, 'none', path]);
    if (mounted.status !== 0) throw new Error(String(mounted.stderr));
    mounts.push(path);
    return path;
  };
  const fill = (path: string): string => `dd if=/dev/zero of='${path}/fill' bs=1k 2>/dev/null || true`;
  const asRoot = root ? it : it.skip;

  asRoot(
    'before the script is written: said, nothing is run',
    async () => {
      const temp = disk(64);
      spawnSync('bash', ['-c', fill(temp)]);
      const step = await plain('echo RAN', { run: { temp } });
      expectClean(step);
      expect(step.report.main.code).toBe(1);
      expect(step.report.log).not.toContain('RAN');
      expect(step.report.annotations[0]).toMatchObject({ level: 'error' });
      expect(step.report.annotations[0]?.message).toMatch(/ENOSPC/);
    },
    MINUTES,
  );

  asRoot.each([
    ['exit 3', 3],
    ['true', 0],
  ])(
    'while the shim is laid: %s ends with %d as without us, and a warning says that nothing is recorded',
    async (run, code) => {
      const step = await plain(run, { run: { temp: disk(160) }, with: { 'if-no-torch': 'warn' } });
      expectClean(step);
      expect(step.report.main.code).toBe(code);
      expect(step.report.log).toMatch(/shim could not be laid \(ENOSPC\)/);
      expect(step.report.annotations.map(({ level }) => level)).toEqual(
        code === 0 ? ['warning'] : ['error', 'warning'],
      );
    },
    MINUTES,
  );

  asRoot.each([
    ['nothing', 0],
    ['room for a receipt and for no snapshot', 24],
  ])(
    'with %s left when the program runs out of GPU memory',
    async (_name, left) => {
      const evidence = disk(2048);
      // Without torch it is the shim's own code all the same, with a torch of a hundred lines.
      const program = (REAL ? LARGE_SNAPSHOT : TINY_OUT_OF_MEMORY).replace(
        '\ntrain_step()',
        `
import os
fd = os.open(${JSON.stringify(join(evidence, 'fill'))}, os.O_WRONLY | os.O_CREAT)
try:
    while True: os.write(fd, b'0' * 1024)
except OSError:
    os.ftruncate(fd, os.fstat(fd).st_size - ${left * 1024})
os.close(fd)
train_step()`,
      );
      const step = await runStep({
        inputs: { run: program, shell: 'python', 'evidence-dir': evidence },
        ...(REAL
          ? {}
          : {
              python: plainPython(),
              env: { PYTHONPATH: join(ROOT, '__tests__', 'shim', 'tiny'), TINY_TORCH_SIZE: '20000' },
            }),
      });
      expect(step.report.orphans).toEqual([]);
      expect(step.report.main.code).toBe(1);
      expect(step.report.log).toContain('torch.OutOfMemoryError');
      expect([...namesBelow(evidence)].filter((path) => /\.tmp-|\.upload-/.test(path))).toEqual([]);
      expect(step.outputs['snapshot-count']).toBe('0');
      if (left > 0) {
        expect(step.outputs['verdict']).toBe('oom');
        expect(step.report.summary).toMatch(/No space left|ENOSPC|no space/i);
      }
      expect(step.report.summary.length).toBeGreaterThan(0);
    },
    2 * MINUTES,
  );

  /** All files of the artifact are what its sums say, and the snapshot is there. */
  const expectSums = (step: Step): void => {
    const [artifact] = step.artifacts;
    const sums = spawnSync('sha256sum', ['-c', '--strict', 'SHA256SUMS'], { cwd: artifact?.dir });
    expect([sums.status, String(sums.stderr)]).toEqual([0, '']);
    expect(artifact?.files.filter((file) => file.endsWith('.pickle'))).toHaveLength(1);
    expect(String(sums.stdout).trim().split('\n')).toHaveLength((artifact?.files.length ?? 0) - 1);
  };

  asRoot.each([3, 0])(
    'at the upload and the manifest: the reserve makes room, exit code %d is kept, and no half file is left',
    async (code) => {
      const replay = await replayScript();
      const temp = disk(96 * 1024);
      const step = await plain(`python '${replay}'\n${fill(temp)}\nexit ${code}`, { run: { temp } });
      expectClean(step);
      expect(step.report.main.code).toBe(code);
      expect(step.report.conclusion).toBe(code === 0 ? 'success' : 'failure');
      expect(step.report.jobConclusion).toBe(step.report.conclusion);
      expect(step.report.log).not.toMatch(/could not be/);
      expect(step.report.log).toMatch(/verdict oom/);
      expectSums(step);
      expect(step.pages).toHaveLength(1);
      expect(step.report.summary).toMatch(/Out of GPU memory/);
      expect(step.outputs).toMatchObject({ verdict: 'oom', 'artifact-id': expect.stringMatching(/./) });
      expect(step.manifest.published.state).toBe('uploaded');
      expect([...namesBelow(temp)].filter((path) => /\.reserve-|\.tmp-/.test(path))).toEqual([]);
      // All of it is in the artifact, so its folder may go.
      expect(onDisk(step)).toEqual([]);
      expect(step.report.main.log + step.report.post?.log).not.toMatch(/delimiter/i);
    },
    MINUTES,
  );

  asRoot.each([3, 0])(
    'too small for a reserve: exit code %d and verdict are kept, the log says why, and the snapshot is still there',
    async (code) => {
      const replay = await replayScript();
      const temp = disk(4096);
      const step = await plain(`python '${replay}'\n${fill(temp)}\nexit ${code}`, { run: { temp } });
      expectClean(step);
      expect(step.report.main.code).toBe(code);
      expect(step.report.conclusion).toBe(code === 0 ? 'success' : 'failure');
      expect(step.report.log).toMatch(
        /not uploaded: the documents of the upload cannot be written to .* \(ENOSPC\): free some space there; 2 files kept in /,
      );
      expect(step.report.log).toMatch(/verdict oom/);
      expect(step.report.log).toMatch(/manifest\.json could not be written/);
      expect(step.calls).toEqual([]);
      expect([...namesBelow(temp)].filter((path) => path.includes('manifest'))).toEqual([]);
      expect(onDisk(step).filter((name) => name.endsWith('.pickle'))).toHaveLength(1);
    },
    MINUTES,
  );

  asRoot(
    'and main is killed while it uploads: post publishes from what it left, and takes the reserve away',
    async () => {
      const replay = await replayScript();
      const evidence = disk(96 * 1024);
      const temp = join(scratch(), 'temp');
      const stop = new AbortController();
      const step = await plain(`python '${replay}'\n${fill(evidence)}\nexit 3`, {
        with: { 'evidence-dir': evidence },
        service: { CreateArtifact: 'hangx1' },
        onService: (service) => {
          void until(() => service.calls().length > 0, 'an upload').then(() => stop.abort());
        },
        run: { temp, cancelAfter: stop.signal, cancelStyle: 'act' },
      });
      expectClean(step);
      expect(step.report.main.signal).toBe('SIGKILL');
      expectSums(step);
      expect(step.artifacts[0]?.name).toBe('oom-autopsy-job-0-1');
      expect(readdirSync(evidence).filter((name) => name.endsWith('.pickle'))).toHaveLength(1);
      const left = [...namesBelow(evidence), ...namesBelow(temp)];
      expect(left.filter((path) => /\.reserve-|\.upload-/.test(path))).toEqual([]);
    },
    MINUTES,
  );
});

describe('the host runs out of memory', () => {
  const LIMIT = 300 * 2 ** 20;

  (possible ? it : it.skip)(
    `host-oom, with the numbers of the kernel (cgroup ${version})`,
    async () => {
      await inSmallMemory(LIMIT, async ({ node, folder }) => {
        const step = await plain(`python -c 'x = b"1" * ${2 * LIMIT}'`, {
          noService: true,
          run: { node: node() },
        });
        expectClean(step);
        expect(step.report.main.code).toBe(137);
        expect(step.outputs).toMatchObject({ verdict: 'host-oom', 'exit-code': '137', 'oom-count': '0' });
        expect(step.manifest.host.oom).toMatchObject({
          state: 'read',
          scope: 'cgroup',
          kills: 1,
          path: folder,
        });
        expect(step.manifest.host.memory.limit).toBe(LIMIT);
        expect(step.report.summary).toMatch(/300(\.\d+)?\sMiB/);
        expect(step.report.summary).not.toMatch(/Out of GPU memory/);
        const mixed = await plain(`kill -KILL $$`, { noService: true, run: { node: node() } });
        expect(mixed.outputs['verdict']).toBe('killed');
      });
    },
    MINUTES,
  );

  (possible ? it : it.skip)(
    'behind || true: the step stays green, and the summary says what the kernel did',
    async () => {
      await inSmallMemory(LIMIT, async ({ node }) => {
        const step = await plain(`python -c 'x = b"1" * ${2 * LIMIT}' || true`, {
          noService: true,
          run: { node: node() },
        });
        expectClean(step);
        expect(step.report.conclusion).toBe('success');
        expect(step.outputs).toMatchObject({ verdict: 'ok', 'exit-code': '0' });
        expect(step.report.summary).toMatch(/OOM killer ended a process of this cgroup/);
      });
    },
    MINUTES,
  );

  (possible ? it : it.skip)(
    'and main is its victim: post still says host-oom',
    async () => {
      await inSmallMemory(LIMIT, async ({ node }) => {
        const step = await plain(`python -c 'x = b"1" * ${2 * LIMIT}' || true\nkill -KILL $PPID; sleep 60`, {
          noService: true,
          run: { node: node() },
        });
        expectClean(step);
        expect(step.report.post?.outputs['verdict']).toBe('host-oom');
      });
    },
    MINUTES,
  );
});

describe('an out-of-memory that is not of the caching allocator', () => {
  it(
    'is an oom whose summary says where it came from',
    async () => {
      const step = await recorded('of-somewhere-else', {
        inputs: {
          run: `import torch\ntorch.ones(1, device='cuda')\nraise torch.OutOfMemoryError('from somewhere else')`,
          shell: 'python',
        },
      });
      expect(step.report.main.code).toBe(1);
      expect(step.outputs).toMatchObject({ verdict: 'oom', 'oom-count': '0' });
      expect(step.manifest.processes[0].end).toMatchObject({
        oom: true,
        exception: 'torch.OutOfMemoryError',
      });
      expect(step.report.summary).toMatch(/allocator/);
      expect(dirname(step.outputs['manifest'] ?? '')).toContain(step.temp);
    },
    MINUTES,
  );
});
