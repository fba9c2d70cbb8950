/** The step runs as the runner's own `run:` would: codes, pipes, shells, output byte for byte; bad inputs run nothing. */
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { cleanUp, freshFolder, plainPython, runStep, type StepOptions } from './kit.js';

afterAll(cleanUp);
const MINUTES = 60_000;

/** A step without torch; `if-no-torch` is ignored unless the test is about it. */
const plain = (run: string, more: Partial<StepOptions> & { with?: Record<string, string> } = {}) =>
  runStep({
    python: plainPython(),
    noService: true,
    ...more,
    inputs: { run, 'if-no-torch': 'ignore', ...more.with },
  });

describe('exit codes', () => {
  it.each([
    ['true', 0],
    ['false\ntrue', 1],
    ['false | true', 1],
    ['exit 3', 3],
    ['exit 137', 137],
    ['kill -SEGV $$', 139],
    ['kill -KILL $$', 137],
    ['python -c "import os; os.abort()"', 134],
    ['echo "$undefined" > /dev/null; (exit 5)', 5],
  ])('%j gives %d', async (run, code) => {
    const { report, outputs } = await plain(run);
    expect(report.main.code).toBe(code);
    expect(outputs['exit-code']).toBe(String(code));
    expect(report.conclusion).toBe(code === 0 ? 'success' : 'failure');
  });

  it('follows the shell: sh has no pipefail, a template is taken as it is', async () => {
    expect((await plain('false | true', { with: { shell: 'sh' } })).report.main.code).toBe(0);
    expect((await plain('false\nexit 4', { with: { shell: 'bash {0}' } })).report.main.code).toBe(4);
    expect((await plain('raise SystemExit(6)', { with: { shell: 'python' } })).report.main.code).toBe(6);
    expect((await plain('true', { with: { shell: 'no-such-shell {0}' } })).report.main.code).toBe(127);
  });
});

describe('scripts', () => {
  it('may hold CRLF, Unicode and 2,000 lines', async () => {
    const lines = Array.from({ length: 2000 }, (_, i) => `echo "zeile ${i} – ☃ \u00e4"`);
    const { report } = await plain(`${lines.join('\r\n')}\r\n`);
    expect(report.main.code).toBe(0);
    expect(report.log.match(/zeile \d+ – ☃ ä$/gm)).toHaveLength(2000);
  });

  it('run in the working directory, with the environment of a plain step', async () => {
    const workspace = freshFolder();
    mkdirSync(join(workspace, 'sub dir'));
    const { report } = await plain(
      'pwd; echo "token=[$ACTIONS_RUNTIME_TOKEN] run=[$INPUT_RUN] mine=[$MINE] state=[$STATE_DIR]"',
      {
        workspace,
        with: { 'working-directory': 'sub dir' },
        env: { MINE: 'yes', STATE_DIR: '/data', ACTIONS_RUNTIME_TOKEN: 'not-for-you' },
      },
    );
    expect(report.log).toContain(`${join(workspace, 'sub dir')}\n`);
    expect(report.log).toContain('token=[] run=[] mine=[yes] state=[/data]');
  });

  it('may leave an output or a summary without a line break at its end, and stay green', async () => {
    const { report, outputs } = await plain(
      'printf "acc=0.93" >> "$GITHUB_OUTPUT"; printf "| a |\\n| - |\\n| 1 |" >> "$GITHUB_STEP_SUMMARY"',
    );
    expect(report.conclusion).toBe('success');
    expect(outputs).toMatchObject({ acc: '0.93', 'exit-code': '0', verdict: 'ok' });
    expect(report.summary).toMatch(/^\S.*\n\n\| a \|\n\| - \|\n\| 1 \|\n$/);
  });

  it('may remove the files of the runner', async () => {
    const { report, outputs } = await plain('rm "$GITHUB_OUTPUT" "$GITHUB_STEP_SUMMARY"');
    expect(report.conclusion).toBe('success');
    expect(outputs).toMatchObject({ 'exit-code': '0' });
    expect(report.summary).not.toBe('');
  });

  it('keep a summary of their own that fills what the runner takes', async () => {
    const { report } = await plain('head -c 1048500 /dev/zero | tr "\\0" x >> "$GITHUB_STEP_SUMMARY"');
    expect(/^x{1048500}\s*$/.test(report.summary)).toBe(true);
    expect(report.log).toContain('leaves no room for ours');
  });

  it('leave the commands of the runner to the runner', async () => {
    const { report } = await plain(
      [
        'echo "::notice title=mine::hello"',
        'echo "::set-env name=A::b"',
        'echo "answer=42" >> "$GITHUB_OUTPUT"',
        'echo "FOO=bar" >> "$GITHUB_ENV"',
        'echo "my own summary" >> "$GITHUB_STEP_SUMMARY"',
        'echo "plan=stolen" >> "$GITHUB_STATE"',
      ].join('\n'),
    );
    expect(report.annotations).toEqual(
      expect.arrayContaining([expect.objectContaining({ message: 'hello' })]),
    );
    expect(report.outputs['answer']).toBe('42');
    expect(report.env['FOO']).toBe('bar');
    expect(report.summary).toContain('my own summary');
    expect(report.state['plan']).toBeUndefined();
  });
});

describe('output', () => {
  it('keeps an unterminated last line', async () => {
    const { report } = await plain("printf 'no end'");
    expect(report.log).toContain('no end');
  });

  it(
    'passes 200 MB unharmed',
    async () => {
      const chunk = Buffer.from(`${'0123456789abcdef'.repeat(63)}0123456789abcde\n`);
      const chunks = 204_800;
      const hash = createHash('sha256');
      for (let i = 0; i < chunks; i++) hash.update(chunk);
      const source = `import sys\nb=('0123456789abcdef'*63+'0123456789abcde\\n').encode()\nfor _ in range(${chunks / 100}): sys.stdout.buffer.write(b*100)`;
      const direct = await plain(source, { with: { shell: 'python' }, run: { keepOutput: false } });
      // Our own lines follow the program's: so compare what comes before them.
      expect(direct.report.stdoutBytes).toBeGreaterThanOrEqual(chunk.length * chunks);
      const killer = `${source}\nsys.stdout.flush()\nimport os, signal\nos.kill(os.getppid(), signal.SIGKILL)`;
      const quiet = await plain(killer, { with: { shell: 'python' }, run: { keepOutput: false } });
      // Main was killed right after the last byte, so nothing of ours is in the stream.
      expect(quiet.report.stdoutBytes).toBe(chunk.length * chunks);
      expect(quiet.report.stdoutSha256).toBe(hash.digest('hex'));
    },
    2 * MINUTES,
  );
});

describe('no torch', () => {
  const noTorch = (run: string, policy?: string) =>
    plain(run, { with: policy === undefined ? { 'if-no-torch': '' } : { 'if-no-torch': policy } });

  it.each([
    ['no Python at all', 'echo hi; exit 3'],
    ['Python without torch', 'python -c "print(1)"; exit 3'],
  ])('%s: the code is kept, one warning says so', async (_name, run) => {
    const { report, outputs } = await noTorch(run);
    expect(report.main.code).toBe(3);
    expect(outputs['verdict']).toBe('failed');
    const warnings = report.annotations.filter(({ level }) => level === 'warning');
    expect(warnings).toHaveLength(1);
    expect(warnings[0]?.message).toMatch(/imported torch/);
  });

  it('may be ignored, or fail a green step', async () => {
    const ignored = await noTorch('true', 'ignore');
    expect(ignored.report.main.code).toBe(0);
    expect(ignored.report.annotations).toEqual([]);
    const failed = await noTorch('true', 'fail');
    expect(failed.report.main.code).toBe(1);
    expect(failed.outputs['exit-code']).toBe('0');
    const red = await noTorch('exit 9', 'fail');
    expect(red.report.main.code).toBe(9);
  });

  it('names what in the step is the likely reason', async () => {
    const { report } = await noTorch('true\nif false; then docker run --gpus all img python x.py; fi');
    expect(report.annotations[0]?.message).toMatch(/line 2.*docker/);
  });
});

it("a GPU tool gets the step's environment, leaves nobody behind, and the step's own server is nobody else", async () => {
  const bin = freshFolder('oa-tool-');
  const tool = join(bin, 'nvidia-smi');
  writeFileSync(
    tool,
    `#!/bin/bash
cd ${bin}
env >> seen
sleep 60 & echo $! >> left
case "$1" in
  *query-gpu*) echo '0, GPU-1, X, 1000, 10, 990' ;;
  *) if [ -e server ]; then echo "GPU-1, $(cat server), serve, 5"; fi; echo "GPU-1, ${process.pid}, node, 4" ;;
esac
`,
  );
  chmodSync(tool, 0o755);
  const { manifest, report } = await plain(
    `setsid bash -c 'echo $$ > ${bin}/server; exec sleep 60' >/dev/null 2>&1 &
until [ -s ${bin}/server ]; do sleep 0.01; done; exit 3`,
    {
      env: {
        PATH: [bin, dirname(plainPython()), process.env['PATH']].join(delimiter),
        ACTIONS_RUNTIME_TOKEN: 'not-for-you',
        MINE: 'yes',
      },
    },
  );
  const server = Number(readFileSync(join(bin, 'server'), 'utf8'));
  const whose = manifest.gpu.holders.map((h: Record<string, unknown>) => [h['pid'], h['whose'], h['before']]);
  expect(whose).toEqual([
    [server, 'step', null],
    [process.pid, 'stranger', { used: 4 * 2 ** 20 }],
  ]);
  expect(report.summary).toMatch(new RegExp(`\\| before the step \\| GPU 0 \\| ${process.pid} \\|`));
  expect(report.summary).not.toMatch(new RegExp(`GPU 0 \\| ${server} \\|`));
  const seen = readFileSync(join(bin, 'seen'), 'utf8');
  expect(seen.match(/^MINE=yes$/gm)).toHaveLength(4);
  expect(seen).not.toMatch(/not-for-you|^INPUT_RUN=|^GITHUB_(STATE|OUTPUT|ENV|PATH|STEP_SUMMARY)=/m);
  const left = readFileSync(join(bin, 'left'), 'utf8').trim().split('\n');
  expect(left).toHaveLength(4);
  const lives = (pid: string): boolean =>
    existsSync(`/proc/${pid}`) && !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  expect(left.filter(lives)).toEqual([]);
});

describe('wrong inputs', () => {
  it('are all listed at once, with what is accepted; nothing is run', async () => {
    const workspace = freshFolder();
    const ran = join(workspace, 'ran');
    writeFileSync(join(workspace, 'plain-file'), '');
    const { report, outputs } = await plain(`touch '${ran}'`, {
      workspace,
      with: { snapshot: 'sometimes', 'max-entries': '0', upload: 'yes', 'artifact-name': 'a:b' },
    });
    expect(report.main.code).toBe(1);
    expect(existsSync(ran)).toBe(false);
    const [error] = report.annotations;
    for (const text of [
      '`snapshot`',
      '`on-failure`',
      '`max-entries`',
      '10000000',
      '`upload`',
      '`artifact-name`',
    ]) {
      expect(error?.message).toContain(text);
    }
    expect(report.annotations).toHaveLength(1);
    expect(outputs['verdict']).toBe('not-run');
    const folder = await plain(`touch '${ran}'`, { workspace, with: { 'working-directory': 'plain-file' } });
    expect(folder.report.annotations[0]?.message).toMatch(/working-directory.*not a folder/);
    expect(existsSync(ran)).toBe(false);
  });
});
