/**
 * The main job end to end: out of memory, recovered, green; the evidence is whole and opaque. The first is on real torch always; of
 * the others what torch left is recorded (recorded.ts).
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { cleanUp, cudaPython, freshFolder, plainPython, ROOT, sha256 } from './kit.js';
import { fresh, recorded } from './recorded.js';
import { OUT_OF_MEMORY } from './replay.js';

afterAll(cleanUp);
const MINUTES = 60_000;

/** What torch's own reader prints of a snapshot: one line for each event of the trace. The reader is a program that needs no torch. */
function trace(path: string): string[] {
  const [reader] = readdirSync(join(dirname(dirname(cudaPython())), 'lib'))
    .map((python) =>
      join(dirname(dirname(cudaPython())), 'lib', python, 'site-packages', 'torch', 'cuda', '_memory_viz.py'),
    )
    .filter(existsSync);
  const read = spawnSync(plainPython(), ['-W', 'ignore', reader ?? '', 'trace', path], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (read.status !== 0) throw new Error(read.stderr);
  return read.stdout.split('\n');
}

describe('a training that runs out of GPU memory', () => {
  it(
    'fails with its own code and leaves a snapshot, its digest and a summary',
    async () => {
      const step = await fresh(
        'oom-one-gpu',
        {
          inputs: { run: 'python examples/train_oom.py', 'max-entries': '2000' },
          workspace: ROOT,
          total: '640M',
        },
        { variation: true },
      );
      const { outputs, manifest, report, artifacts } = step;
      expect(report.main.code).toBe(1);
      expect(report.conclusion).toBe('failure');
      expect(outputs).toMatchObject({
        'exit-code': '1',
        verdict: 'oom',
        'oom-count': '1',
        'snapshot-count': '1',
        'cycle-count': '0',
      });
      expect(report.log).toContain('torch.OutOfMemoryError');

      // One artifact; its zip's digest is the output, the file's digest is everywhere else.
      expect(artifacts).toHaveLength(1);
      const [artifact] = artifacts as [(typeof artifacts)[0]];
      expect(artifact.name).toBe('oom-autopsy-job-0-1');
      expect(outputs['artifact-digest']).toBe(artifact.digest);
      const [reference] = JSON.parse(outputs['snapshots'] ?? '') as Record<string, string | number>[];
      const snapshot = join(artifact.dir, String(reference?.['file']));
      const digest = sha256(snapshot);
      expect(reference).toMatchObject({
        kind: 'torch.cuda.memory_snapshot',
        digest: `sha256:${digest}`,
        reason: 'oom',
        device: 0,
        max_entries: 2000,
        stacks: 'python',
        history: 'armed',
        rank: null,
      });
      expect(manifest.snapshots).toEqual([reference]);
      const uploaded = JSON.parse(readFileSync(join(artifact.dir, 'manifest.json'), 'utf8'));
      expect(uploaded.snapshots).toEqual(manifest.snapshots);
      expect(report.summary).toContain(digest.slice(0, 8));
      expect(report.summary).toMatch(/Out of GPU memory/);
      expect(report.summary).toContain('train_step');
      const check = spawnSync('sha256sum', ['-c', 'SHA256SUMS'], { cwd: artifact.dir, encoding: 'utf8' });
      expect([check.status, check.stderr]).toEqual([0, '']);
      expect(check.stdout.trim().split('\n')).toHaveLength(artifact.files.length - 1);

      // The page is an artifact of its own, not zipped; its link is the output, and it holds the snapshot's digest.
      const [page] = step.pages;
      expect(step.pages).toHaveLength(1);
      expect(page?.name).toBe('oom-autopsy-job-0-1.html');
      expect(page?.html).toContain(digest);
      expect(outputs['report-url']).toMatch(/\/actions\/runs\/1\/artifacts\/\d+$/);
      expect(report.summary).toContain(outputs['report-url']);
      const memory = JSON.parse(readFileSync(join(artifact.dir, 'memory.json'), 'utf8'));
      expect(memory.rows[0]).toMatchObject({ seen: 'at out-of-memory', device: 0, final: true });

      // torch's own reader finds the event with the size that the manifest and the summary tell.
      const [oom] = manifest.processes[0].ooms;
      const lines = trace(snapshot);
      const event = lines.find((line) => line.startsWith('raise OutOfMemoryError')) ?? '';
      const [, amount, unit] = /# ([\d.]+)(\w+) requested/.exec(event) ?? [];
      const scale = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 }[unit ?? ''] ?? Number.NaN;
      expect(Math.round(Number(amount) * scale)).toBe(oom.wanted);
      expect(report.summary).toContain(`${(oom.wanted / 2 ** 20).toFixed(2)} MiB`);
      expect(lines.length).toBeLessThanOrEqual(2000 + 5);
      const stack = oom.thread === 'main' ? oom.stack : oom.main_stack;
      expect(stack.map((frame: { function: string }) => frame.function)).toContain('train_step');

      // Recording was on, is off, and was seen to be off.
      expect(manifest.processes[0].recorder).toMatchObject({ state: 'disarmed', disarm_proven: true });
      expect(manifest.processes[0].end).toMatchObject({ oom: true, exception: 'torch.OutOfMemoryError' });

      // One error annotation, on the user's own line; the evidence is gone from the runner once it is uploaded.
      const errors = report.annotations.filter(({ level }) => level === 'error');
      expect(errors).toHaveLength(1);
      expect(errors[0]).toMatchObject({ file: 'examples/train_oom.py' });
      expect(outputs['evidence-dir']).toBe('');
      expect(existsSync(join(step.temp, 'evidence'))).toBe(false);
      expect(report.post).toMatchObject({ code: 0, log: '' });
    },
    3 * MINUTES,
  );

  it(
    'that ends green behind `|| true` is published all the same',
    async () => {
      const { report, outputs, artifacts } = await recorded(
        'oom-one-gpu',
        { inputs: { run: 'python examples/train_oom.py || true' }, workspace: ROOT, total: '640M' },
        { run: (program) => `python '${program}'`, variation: true },
      );
      expect(report.conclusion).toBe('success');
      expect(outputs).toMatchObject({ 'exit-code': '0', verdict: 'oom', 'snapshot-count': '1' });
      expect(artifacts).toHaveLength(1);
    },
    MINUTES,
  );

  it(
    'in a few lines leaves what the tests of faults replay',
    async () => {
      const workspace = freshFolder();
      writeFileSync(join(workspace, 'train.py'), OUT_OF_MEMORY);
      const { report, outputs, artifacts } = await recorded('small-oom', {
        inputs: { run: 'python train.py' },
        workspace,
      });
      expect(report.main.code).toBe(1);
      expect(outputs).toMatchObject({ 'exit-code': '1', verdict: 'oom', 'snapshot-count': '1' });
      expect(artifacts).toHaveLength(1);
    },
    MINUTES,
  );
});

// As programs under MPI do: the traceback by a hook of their own, then an end for all ranks.
const ABORTER = `
import os, sys, traceback, torch

def hook(*error):
    traceback.print_exception(*error)
    sys.stderr.flush()
    os._exit(1)

sys.excepthook = hook
torch.empty(1 << 40, dtype=torch.uint8, device='cuda')
`;

describe('a program that ends past its exit handlers', () => {
  it(
    'is not said to have caught its out-of-memory; what is not to be uploaded is not in the page',
    async () => {
      const { report, outputs, manifest, artifacts, pages } = await recorded('aborter', {
        inputs: { run: ABORTER, shell: 'python', 'max-upload-size': '1' },
      });
      expect(outputs).toMatchObject({ 'exit-code': '1', verdict: 'failed', 'oom-count': '1' });
      expect(manifest.processes).toEqual([
        expect.objectContaining({ host: manifest.runner.host, end: null }),
      ]);
      expect(report.summary).toContain('The step failed with exit code 1; an out-of-memory was seen');
      expect(report.summary).toContain('is not known: its process ended without exit handlers');
      expect(report.summary).not.toContain('caught by the program');

      expect(artifacts[0]?.files.filter((file) => file.endsWith('.pickle'))).toEqual([]);
      expect(pages[0]?.html).toContain('This page holds no snapshot, nor does the artifact');
      expect(pages[0]?.html).not.toContain('application/octet-stream');
    },
    MINUTES,
  );
});

const CATCHER = `
import torch
held = torch.empty(64 << 20, dtype=torch.uint8, device='cuda')
for attempt in range(6):
    try:
        torch.empty(1 << 40, dtype=torch.uint8, device='cuda')
    except torch.OutOfMemoryError:
        print('caught', attempt, flush=True)
print('done')
`;

describe('a program that catches it and goes on', () => {
  it(
    'is green, recovered, with six counted and three files: the first and the newest',
    async () => {
      const { report, outputs, manifest, artifacts } = await recorded('six-caught', {
        inputs: { run: CATCHER, shell: 'python' },
      });
      expect(report.conclusion).toBe('success');
      expect(report.log).toContain('done');
      expect(outputs).toMatchObject({
        'exit-code': '0',
        verdict: 'oom-recovered',
        'oom-count': '6',
        'snapshot-count': '3',
      });
      const sequence = (file: string): number => Number(/-(\d+)-oom\.pickle$/.exec(file)?.[1]);
      const kept = manifest.snapshots.map(({ file }: { file: string }) => sequence(file)).sort();
      expect(kept).toEqual([1, 5, 6]);
      expect(artifacts[0]?.files.filter((file) => file.endsWith('.pickle'))).toHaveLength(3);
      expect(report.annotations.filter(({ level }) => level === 'error')).toEqual([]);
    },
    MINUTES,
  );
});

describe('a green run', () => {
  it(
    'leaves no snapshot and no artifact, and shows that recording was on and is off',
    async () => {
      const { report, outputs, manifest, artifacts, calls } = await recorded('zeros', {
        inputs: {
          run: "import torch\nx = torch.zeros(1 << 20, device='cuda')\nprint('fine')",
          shell: 'python',
        },
      });
      expect(report.conclusion).toBe('success');
      expect(outputs).toMatchObject({
        verdict: 'ok',
        'oom-count': '0',
        'snapshot-count': '0',
        'artifact-id': '',
      });
      expect(artifacts).toEqual([]);
      // The artifact client was not even started: nobody spoke to the service.
      expect(calls).toEqual([]);
      expect(manifest.processes).toHaveLength(1);
      const { recorder, devices, end } = manifest.processes[0];
      expect(recorder).toMatchObject({ state: 'disarmed', disarm_proven: true });
      expect(recorder.armed_at).toBeLessThanOrEqual(recorder.disarmed_at);
      expect(devices[0].peak_allocated).toBeGreaterThanOrEqual(4 << 20);
      expect(end).toMatchObject({ kind: 'exit', oom: false });
      expect(report.summary.trim().split('\n')).toHaveLength(1);
      expect(report.annotations).toEqual([]);
    },
    MINUTES,
  );
});

describe('a pickle that would run code', () => {
  it(
    'goes through the whole action as bytes',
    async () => {
      const folder = freshFolder();
      const proof = join(folder, 'somebody unpickled it');
      writeFileSync(
        join(folder, 'caught.py'),
        `
import torch
try:
    torch.empty(1 << 40, dtype=torch.uint8, device='cuda')
except torch.OutOfMemoryError:
    pass
`,
      );
      writeFileSync(
        join(folder, 'evil.py'),
        `
import glob, json, os, pickle
class Evil:
    def __reduce__(self):
        return (open, (${JSON.stringify(proof)}, 'w'))
config = json.load(open(os.path.join(os.environ['PYTHONPATH'].split(':')[0], '_oom_autopsy', 'config.json')))
[snapshot] = glob.glob(os.path.join(glob.escape(config['evidence']), '*.pickle'))
open(snapshot, 'wb').write(pickle.dumps(Evil()))
`,
      );
      const { outputs, artifacts } = await recorded(
        'one-caught',
        { inputs: { run: 'python caught.py\npython evil.py' }, workspace: folder },
        { run: (program) => `python '${program}'\npython evil.py` },
      );
      expect(outputs).toMatchObject({ verdict: 'oom-recovered', 'snapshot-count': '1' });
      const [artifact] = artifacts;
      const snapshot = artifact?.files.find((file) => file.endsWith('.pickle')) ?? '';
      expect(readFileSync(join(artifact?.dir ?? '', snapshot)).includes('somebody unpickled it')).toBe(true);
      expect(existsSync(proof)).toBe(false);
    },
    MINUTES,
  );
});
