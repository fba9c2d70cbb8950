/** The command line and script of a step are those of the runner's own `run:`. */
import { describe, expect, it } from '@jest/globals';
import { scriptBody, shellCommand, splitWords, templateProblem } from '../../src/step/shell.js';

const at = (extension: string) => `/tmp/a b's/run${extension}`;

describe('shellCommand', () => {
  it.each([
    ['bash', 'bash', ['--noprofile', '--norc', '-e', '-o', 'pipefail', "/tmp/a b's/run.sh"]],
    ['sh', 'sh', ['-e', "/tmp/a b's/run.sh"]],
    ['python', 'python', ["/tmp/a b's/run.py"]],
    ['pwsh', 'pwsh', ['-command', ". '/tmp/a b''s/run.ps1'"]],
    ['bash -l {0}', 'bash', ['-l', "/tmp/a b's/run"]],
    [
      "conda run -n 'my env' bash -eo pipefail {0}",
      'conda',
      ['run', '-n', 'my env', 'bash', '-eo', 'pipefail', "/tmp/a b's/run"],
    ],
    ['perl -e "print q(\\"x\\")" {0}', 'perl', ['-e', 'print q("x")', "/tmp/a b's/run"]],
  ])('%s', (shell, file, args) => {
    expect(shellCommand(shell, at)).toMatchObject({ file, args });
  });

  it('never splits a path or lets the script into an argument', () => {
    const { args } = shellCommand('sh -c "exec sh {0}"', at);
    expect(args).toEqual(['-c', "exec sh /tmp/a b's/run"]);
  });
});

describe('scriptBody', () => {
  it('turns CRLF into LF and ends the last line', () => {
    expect(scriptBody('a\r\nb', 'bash')).toBe('a\nb\n');
    expect(scriptBody('a\n', 'sh')).toBe('a\n');
  });

  it('frames pwsh as the runner does', () => {
    expect(scriptBody('nvidia-smi', 'pwsh')).toBe(
      "$ErrorActionPreference = 'stop'\nnvidia-smi\nif ((Test-Path -LiteralPath variable:\\LASTEXITCODE)) { exit $LASTEXITCODE }\n",
    );
  });
});

describe('templates', () => {
  it('splits words with quotes', () => {
    expect(splitWords(`a  "b c" 'd "e' f"g h"i`)).toEqual(['a', 'b c', 'd "e', 'fg hi']);
    expect(splitWords('a "" b')).toEqual(['a', '', 'b']);
    expect(splitWords('a "b')).toBeNull();
  });

  it('says what is wrong', () => {
    expect(templateProblem('bash {0}')).toBeNull();
    expect(templateProblem('zsh')).toMatch(/no built-in shell/);
    expect(templateProblem("sh 'x {0}")).toMatch(/quote/);
    expect(templateProblem('{0} x')).toMatch(/first word/);
    expect(templateProblem('sh {0}\nrm')).toMatch(/line break/);
  });
});
