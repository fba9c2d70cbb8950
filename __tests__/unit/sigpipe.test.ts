/** SIGPIPE as the runner has it: read from its status, handed on by a shell of the same kind that changes nothing else. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { ignoringSigpipe, runnerIgnoresSigpipe } from '../../src/step/sigpipe.js';

const folder = mkdtempSync(join(tmpdir(), 'oom-autopsy-sigpipe-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  ['0000000000001000', true],
  ['0000000180001004', true],
  ['0000000000000000', false],
  ['0000000000000800', false],
  ['ffffffffffffefff', false],
])('SigIgn %s: %s', (mask, ignored) => {
  mkdirSync(join(folder, '5'), { recursive: true });
  writeFileSync(
    join(folder, '5', 'status'),
    `Name:\tRunner.Worker\nSigBlk:\t0\nSigIgn:\t${mask}\nSigCgt:\t0\n`,
  );
  expect(runnerIgnoresSigpipe(5, folder)).toBe(ignored);
});

it('is not known of a runner that is out of sight', () => {
  expect(runnerIgnoresSigpipe(0, folder)).toBe(false);
});

it.each(['python', 'pwsh', 'perl', '/opt/x/constructor'])('%s is started as it is', (file) => {
  expect(ignoringSigpipe({ file, args: ['x'] })).toEqual({ file, args: ['x'] });
});

(process.platform === 'linux' ? describe : describe.skip)('a shell that ignores it', () => {
  const script = join(folder, 'script.sh');
  const env = {
    PATH: process.env.PATH,
    'ODD-NAME': '1',
    'npm_config_//registry:_x': '2',
    'BASH_FUNC_told%%': '() { echo told; }',
    BASH_ENV: join(folder, 'env.sh'),
  };
  writeFileSync(join(folder, 'env.sh'), 'echo "BASH_ENV read"\n');
  const run = (file: string, args: readonly string[], text: string) => {
    writeFileSync(script, text);
    const started = ignoringSigpipe({ file, args: [...args, script] });
    const done = spawnSync(started.file, started.args, { env, encoding: 'utf8' });
    return { ...done, out: done.stdout.trim().split('\n') };
  };

  it.each([
    ['bash', ['--noprofile', '--norc', '-e', '-o', 'pipefail']],
    ['/bin/bash', ['-e']],
    ['sh', ['-e']],
  ])('%s %j: what it starts has it ignored', (file, args) => {
    const { out, status } = run(file, args, 'grep SigIgn /proc/self/status\nexit 7\n');
    expect(BigInt(`0x${out.find((line) => line.startsWith('SigIgn'))?.split('\t')[1]}`) & 0x1000n).toBe(
      0x1000n,
    );
    expect(status).toBe(7);
  });

  it('bash hands the environment on as it is, and BASH_ENV is read once', () => {
    const { out, stderr } = run(
      'bash',
      [],
      'env | grep -c "^ODD-NAME=1$\\|^npm_config_//registry:_x=2$"\ntold\n',
    );
    expect(out).toEqual(['BASH_ENV read', '2', 'told']);
    expect(stderr).toBe('');
  });

  it('a writer into a closed pipe ends by an error and not by a signal', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: shell text
    const ends = 'yes 2>/dev/null | head -1 >/dev/null; echo "${PIPESTATUS[0]}"';
    expect(run('bash', [], ends).out.at(-1)).toBe('1');
    writeFileSync(script, ends);
    expect(spawnSync('bash', [script], { encoding: 'utf8' }).stdout.trim()).toBe('141');
  });

  it('a program that is not there is told as without it', () => {
    const { file, args } = ignoringSigpipe({ file: '/no/such/bash', args: [] });
    expect(spawnSync(file, args).error).toMatchObject({ code: 'ENOENT' });
  });
});
