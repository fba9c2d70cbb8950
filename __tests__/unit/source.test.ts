/** The source line: of what the run's commit has, and of nothing else. Real git. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { sourceLine } from '../../src/evidence/source.js';

const folder = mkdtempSync(join(tmpdir(), 'source-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const git = (...args: readonly string[]): string => {
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'core.autocrlf=false'];
  return execFileSync('git', ['-C', folder, ...who, ...args], { encoding: 'utf8' }).trim();
};

describe('the source line', () => {
  const text = 'import torch\n\n  x = torch.zeros(1 << 40)  # \u202e\n';
  git('init', '-q');
  mkdirSync(join(folder, 'a b'));
  for (const name of ['train.py', 'a b/[x]*.py', 'changed.py', 'replaced.py'])
    writeFileSync(join(folder, name), text);
  symlinkSync('train.py', join(folder, 'linked.py'));
  git('add', '.');
  git('commit', '-q', '-m', 'a');
  const sha = git('rev-parse', 'HEAD');
  writeFileSync(join(folder, 'changed.py'), `${text}\n`);
  writeFileSync(join(folder, 'untracked.py'), text);
  rmSync(join(folder, 'replaced.py'));
  symlinkSync('train.py', join(folder, 'replaced.py'));
  const run = { workspace: folder, sha, repository: 'o/r' };
  const line = (file: string, startLine = 3, of: Partial<typeof run> = {}) =>
    sourceLine({ file, startLine }, { ...run, ...of }, process.env);

  it('is that of a file that git tracks at the commit', async () => {
    expect(await line('train.py')).toEqual({
      file: 'train.py',
      line: 3,
      text: 'x = torch.zeros(1 << 40)  # \\u202e',
      url: `https://github.com/o/r/blob/${sha}/train.py#L3`,
    });
    expect((await line('a b/[x]*.py'))?.url).toBe(`https://github.com/o/r/blob/${sha}/a%20b/%5Bx%5D*.py#L3`);
  });

  it.each(['changed.py', 'untracked.py', 'linked.py', 'replaced.py', 'none.py', '../x.py'])(
    'is not shown of %s',
    async (file) => {
      expect(await line(file)).toBeNull();
    },
  );

  it('is not shown of another commit, another line, or where there is no repository', async () => {
    expect(await line('train.py', 3, { sha: 'f'.repeat(40) })).toBeNull();
    expect(await line('train.py', 99)).toBeNull();
    expect(await line('train.py', 3, { workspace: tmpdir() })).toBeNull();
  });
});
