/** Why a process was not reached, from its start alone. */
import { describe, expect, it } from '@jest/globals';
import { interpreterFlags, type Start, whyUnarmed } from '../../src/step/unarmed.js';

describe('interpreterFlags', () => {
  it.each([
    [['python', 'train.py', '-I'], ''],
    [['python', '-I', 'train.py'], 'I'],
    [['python', '-uIS', '-c', 'x'], 'uIS'],
    [['python', '-X', 'dev', '-E', 't.py'], 'E'],
    [['python', '-Xdev', '-W', 'ignore', '-S', 't.py'], 'S'],
    [['python', '-m', 'pytest', '-I'], ''],
    [['python', '-Em', 'pytest'], 'E'],
    [['python'], ''],
  ])('%j', (args, flags) => {
    expect(interpreterFlags(args)).toBe(flags);
  });
});

describe('whyUnarmed', () => {
  const MARK = 'OOM_AUTOPSY_STEP=0123456789ab';
  const ours = [MARK, 'PYTHONPATH=/shim:/mine'];
  const files = ['/srv/src/sitecustomize.py', '/pkg/sitecustomize/__init__.py'];
  const why = (start: Partial<Start>) =>
    whyUnarmed(
      { program: 'python3.11', args: ['python', 'x'], env: ours, cwd: '/srv', uid: 0, ...start },
      '/shim',
      (path) => files.includes(path),
    );

  it.each<[string, Partial<Start>, string]>([
    ['-I', { args: ['python', '-I', 'x'] }, 'isolated'],
    ['-E', { args: ['python', '-E', 'x'] }, 'ignore-environment'],
    ['-S', { args: ['python', '-S', 'x'] }, 'no-site'],
    ['a free-threaded build', { program: 'python3.13t', args: ['python', '-S', 'x'] }, 'no-site'],
    ['another path', { env: [MARK, 'PYTHONPATH=/mine'] }, 'pythonpath-replaced'],
    ['no path', { env: [MARK] }, 'pythonpath-cleared'],
    ['an empty path', { env: [MARK, 'PYTHONPATH='] }, 'pythonpath-cleared'],
    ['an environment of its own', { env: ['A=1'] }, 'environment-cleared'],
    ['sudo', { env: ['SUDO_COMMAND=x'] }, 'sudo'],
    ['tox', { env: ['TOX_ENV_NAME=gpu', 'PYTHONPATH=/mine'] }, 'tox'],
    ['a folder before ours', { env: [MARK, 'PYTHONPATH=/other:/pkg:/shim'] }, 'shadowed'],
    ['a relative folder before ours', { env: [MARK, 'PYTHONPATH=src:/shim'] }, 'shadowed'],
    ['the same, where its folder is hidden', { env: [MARK, 'PYTHONPATH=src:/shim'], cwd: null }, 'unknown'],
    ['an innocent folder before ours', { env: [MARK, 'PYTHONPATH=/other:/shim:/pkg'] }, 'unknown'],
    ['an old Python', { program: 'python3.8' }, 'old-python'],
    ['a very old Python', { program: 'python2.7', env: null }, 'old-python'],
    ['another program', { program: 'trainer' }, 'not-python'],
    ['another program without the path', { program: 'trainer', env: ['A=1'] }, 'environment-cleared'],
    ['flags of another program', { program: 'trainer', args: ['trainer', '-I'] }, 'not-python'],
    // As pex 2.105 starts a program: by itself, and with --venv.
    [
      'a PEX',
      { args: ['python', '/r/unzipped_pexes/4/x'], env: ['PEX=/w/b.pex', '_PEX_PYTHONPATH=/shim', MARK] },
      'pex',
    ],
    [
      'a PEX with a venv',
      { args: ['/r/venvs/4/x/bin/python', '-I', '-I', '/r/venvs/4/x/pex'], env: ['PEX=/w/b.pex', ...ours] },
      'pex',
    ],
    [
      'what a PEX starts with -I',
      { args: ['python', '-I', 'x'], env: ['PEX=/w/b.pex', ...ours] },
      'isolated',
    ],
    [
      'what a PEX starts with another path',
      { env: ['PEX=/w/b.pex', MARK, 'PYTHONPATH=/mine'] },
      'pythonpath-replaced',
    ],
    ['another user', { uid: 4_000_000 }, 'other-user'],
    ['another user without the path', { uid: 4_000_000, env: ['SUDO_COMMAND=x'] }, 'other-user'],
    ['a user that cannot be read', { uid: null }, 'unknown'],
    ['nothing odd', {}, 'unknown'],
    ['an environment that cannot be read', { env: null }, 'unknown'],
  ])('%s', (_name, start, reason) => {
    const found = why(start);
    expect(found.reason).toBe(reason);
    expect(found.advice).not.toMatch(/[\n\r]/);
  });

  it('names the environment of tox in its remedy, unless the name is odd', () => {
    expect(why({ env: ['TOX_ENV_NAME=py311-gpu'] }).advice).toContain(
      'TOX_OVERRIDE=testenv:py311-gpu.pass_env+=',
    );
    for (const name of ['', 'a b', '`x`', 'x'.repeat(61)]) {
      expect(why({ env: [`TOX_ENV_NAME=${name}`] }).advice).toContain('testenv:NAME.pass_env+=PYTHONPATH');
    }
  });
});
