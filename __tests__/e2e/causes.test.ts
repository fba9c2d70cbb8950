/**
 * Sentences of cause and verdicts that need their facts, through dist: evidence that is gone or cannot be read, processes that have torch's
 * libraries and never import it, errors of workers; and the small things of a plain `run:`. On recorded evidence wherever torch itself is
 * not the point; the programs as they were reported are in causes.long.test.ts.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { cleanUp, freshFolder, plainPython, runStep } from './kit.js';
import { expectClean, plain, replayScript } from './replay.js';

afterAll(cleanUp);
const MINUTES = 60_000;

// biome-ignore lint/suspicious/noTemplateCurlyInString: shell text
const EVIDENCE = '"$(dirname "${PYTHONPATH%%:*}")"/evidence';

/** Commands that change the receipts of the step by a statement of Python about `receipt`. */
const changing = (statement: string): string =>
  `cat > change.py <<'PY'
import glob, json, os
folder = os.path.join(os.path.dirname(os.environ['PYTHONPATH'].split(':')[0]), 'evidence')
for path in glob.glob(folder + '/*.receipt.json'):
    receipt = json.load(open(path))
    ${statement}
    json.dump(receipt, open(path, 'w'))
for path in glob.glob(folder + '/*.pickle'): os.remove(path)
PY
python change.py
`;
const QUIET =
  "receipt.update(ooms=[], oom_count=0, snapshots=[], end={'kind': 'exit', 'exception': None, 'oom': False, 'time': 1})";

describe('a green step whose evidence', () => {
  it.each([
    ['is a snapshot without a receipt', `rm ${EVIDENCE}/*.receipt.json`, 'oom-without-receipt', 1],
    [
      'is a receipt that is none',
      `for f in ${EVIDENCE}/*.receipt.json; do echo '{' > "$f"; done; rm ${EVIDENCE}/*.pickle`,
      'unreadable',
      0,
    ],
    [
      'says that torch refused to report',
      changing(
        `receipt['recorder'].update(state='failed', observer='refused', reason='torch refused to record: RuntimeError')\n    ${QUIET}`,
      ),
      'refused',
      0,
    ],
    ['was removed with its folder', `rm -rf ${EVIDENCE}`, 'no-folder', 0],
  ])(
    '%s is unknown, with one warning, and nowhere without an out-of-memory',
    async (_name, spoil, kind, snapshots) => {
      const replay = await replayScript();
      const step = await plain(`python '${replay}'\n${spoil}`, {
        // Of a folder that is gone it is not even known that somebody imported torch.
        with: { 'if-no-torch': kind === 'no-folder' ? 'ignore' : 'fail' },
      });
      expectClean(step);
      const { report, outputs, manifest } = step;
      expect(report.conclusion).toBe('success');
      expect(outputs).toMatchObject({
        verdict: 'unknown',
        'exit-code': '0',
        'snapshot-count': String(snapshots),
      });
      expect(manifest.blind_spots.map((spot: { kind: string }) => spot.kind)).toEqual([kind]);
      expect(report.annotations.map(({ level }) => level)).toEqual(['warning']);
      expect(report.summary).toMatch(/^## 🟡 .* is not known\n/);
      expect(report.summary + report.log + report.annotations[0]?.message).not.toMatch(/no out-of-memory/i);
      // What is left of it is kept.
      expect(step.artifacts).toHaveLength(snapshots + (kind === 'refused' ? 1 : 0));
    },
    MINUTES,
  );

  it(
    'lacks a receipt that was taken away, though there was no snapshot either',
    async () => {
      const workspace = freshFolder();
      mkdirSync(join(workspace, 'torch'));
      writeFileSync(join(workspace, 'torch', '__init__.py'), 'class version: cuda = None; hip = None\n');
      const step = await plain(`python -c 'import torch'\nrm ${EVIDENCE}/*.receipt.json`, { workspace });
      expect(step.outputs['verdict']).toBe('unknown');
      expect(step.manifest.blind_spots).toEqual([{ kind: 'without-receipt', count: 1, reason: null }]);
      const whole = await plain(`python -c 'import torch'`, { workspace });
      expect([whole.outputs['verdict'], whole.report.annotations]).toEqual(['ok', []]);
    },
    MINUTES,
  );
});

describe('memory that ran out beside the allocator', () => {
  const after = (end: string, more = ''): string =>
    changing(
      `${QUIET}\n    receipt['end'] = {'kind': 'exception', 'exception': 'RuntimeError', 'oom': False, 'time': 1, ${end}}${more}`,
    );

  it.each([
    ["'outside_oom': {'kind': 'cublas', 'certain': True}", 'oom', '1', /^## 🔴 Out of GPU memory/],
    ["'outside_oom': {'kind': 'cublas', 'certain': False}", 'failed', '0', /it may be out of memory\n/],
    [
      "'outside_oom': {'kind': 'pinned-host', 'certain': True, 'device_free': 1048576}",
      'oom',
      '1',
      /^## 🔴 Out of pinned host memory[\s\S]*the device had \*\*1\.00 MiB\*\* free/,
    ],
  ])(
    '%s is %s',
    async (end, verdict, count, words) => {
      const replay = await replayScript();
      const { outputs, report } = await plain(`python '${replay}'\n${after(end)}exit 1`);
      expect(outputs).toMatchObject({ verdict, 'oom-count': count, 'exit-code': '1' });
      expect(report.summary).toMatch(words);
    },
    MINUTES,
  );
});

describe("a process that has torch's libraries", () => {
  /** A library with the name of torch's, loaded by a line of Python, for as long as the watch needs. */
  const LIBRARY = 'cp "$(ls /lib/*/libm.so.6 /lib64/libm.so.6 2>/dev/null | head -1)" libtorch_cpu.so';
  const LOAD = "import ctypes, time; ctypes.CDLL('./libtorch_cpu.so'); time.sleep(1.5)";

  it(
    'and never imports torch, beside one that was recorded, is no reason for a warning',
    async () => {
      const replay = await replayScript();
      const { outputs, report, manifest } = await plain(
        `python '${replay}'\n${changing(QUIET)}${LIBRARY}\npython -c "${LOAD}"`,
        { with: { 'if-no-torch': 'fail' } },
      );
      expect([outputs['verdict'], manifest.unarmed, report.annotations]).toEqual(['ok', [], []]);
      expect(report.summary).toMatch(/^✅/);
    },
    MINUTES,
  );

  it(
    'and never imports torch, alone, is named for that',
    async () => {
      const { manifest, report } = await plain(`${LIBRARY}\npython -c "${LOAD}"`, {
        with: { 'if-no-torch': 'warn' },
      });
      expect(manifest.unarmed).toMatchObject([{ reason: 'not-imported' }]);
      expect(report.annotations[0]?.message).toMatch(/read the hook and never imported torch/);
    },
    MINUTES,
  );

  it(
    'in a PEX is told how to build that',
    async () => {
      const workspace = freshFolder();
      // As pex 2.105 starts a program with --venv: `python -I …/pex`, and PEX in its environment.
      mkdirSync(join(workspace, 'venvs'));
      writeFileSync(join(workspace, 'venvs', 'pex'), `${LOAD}\n`);
      const { manifest } = await plain(`${LIBRARY}\nPEX=b.pex python -I venvs/pex`, { workspace });
      expect(manifest.unarmed).toMatchObject([{ reason: 'pex' }]);
      expect(manifest.unarmed[0].advice).toContain('--venv --non-hermetic-venv-scripts');
    },
    MINUTES,
  );
});

it('outputs of the step with names of ours are said in the log, and ours stay', async () => {
  const { report, outputs } = await plain(
    'echo "verdict=good" >> "$GITHUB_OUTPUT"; echo "manifest=model/manifest.json" >> "$GITHUB_OUTPUT"; echo "acc=0.9" >> "$GITHUB_OUTPUT"',
  );
  expect(outputs).toMatchObject({ verdict: 'ok', acc: '0.9', manifest: expect.stringMatching(/^\//) });
  expect(report.log).toMatch(
    /oom-autopsy: the step set outputs that are this action's, .*: verdict, manifest\n/,
  );
  expect((await plain('echo "acc=0.9" >> "$GITHUB_OUTPUT"')).report.log).not.toMatch(/outputs that are/);
});

(process.platform === 'linux' ? describe : describe.skip)('SIGPIPE, which the runner ignores,', () => {
  it.each([
    // biome-ignore lint/suspicious/noTemplateCurlyInString: shell text
    ['bash', 'set +e; yes 2>/dev/null | head -1 >/dev/null; echo "ends ${PIPESTATUS[0]}"', /^ends 1$/m],
    ['sh', 'grep SigIgn /proc/self/status', /^SigIgn:\s+[0-9a-f]{12}[13579bdf][0-9a-f]{3}$/m],
    ['bash -l {0}', 'grep SigIgn /proc/self/status', /^SigIgn:\s+[0-9a-f]{12}[13579bdf][0-9a-f]{3}$/m],
  ])('is ignored in a step of %s too', async (shell, run, line) => {
    const { report } = await plain(run, { with: { shell } });
    expect(report.main.code).toBe(0);
    expect(report.log).toMatch(line);
  });
});

describe('a step that cannot start', () => {
  it.each([
    ['a wrong input', { snapshot: 'sometimes' }, '1'],
    ['a fixture that is not there', { parity: 'fail', fixture: 'none.json' }, '1'],
    ['a shell that is not there', { shell: 'no-such-shell {0}' }, '127'],
  ])('for %s is not-run', async (_name, inputs, code) => {
    const { outputs, report } = await runStep({
      python: plainPython(),
      noService: true,
      inputs: { run: 'echo RAN', ...inputs },
    });
    expect(outputs).toMatchObject({ verdict: 'not-run', 'exit-code': code, 'oom-count': '0' });
    expect(report.log).not.toContain('RAN\n');
    expect(report.annotations.filter(({ level }) => level === 'error')).toHaveLength(1);
  });
});
