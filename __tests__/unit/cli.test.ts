/** The command for a workstation: its arguments, the script it makes of a command, and the summary in a terminal. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { scriptOf } from '../../src/cli/cli.js';
import { FLAG_NAMES, helpText, NO_FLAGS, parseArguments } from '../../src/cli/options.js';
import { forTerminal } from '../../src/cli/terminal.js';
import { INPUT_NAMES } from '../../src/inputs.js';

const look = { width: 80, styled: false, page: true };

describe('arguments', () => {
  it('know every input: as an option, or as none', () => {
    expect([...FLAG_NAMES, ...NO_FLAGS].sort()).toEqual([...INPUT_NAMES].sort());
    for (const name of FLAG_NAMES) expect(helpText()).toContain(`--${name} `);
  });

  it.each([
    [['--', 'python', 'train.py', '--out', 'x'], ['python', 'train.py', '--out', 'x'], null, {}],
    [['python', '-c', ''], ['python', '-c', ''], null, {}],
    [['--out=a b', '--cycles', 'fail', '--', '--odd'], ['--odd'], 'a b', { cycles: 'fail' }],
    [['--parity=warn', '--snapshot=', 'x'], ['x'], null, { parity: 'warn', snapshot: '' }],
  ])('%j', (words, command, out, inputs) => {
    expect(parseArguments(words)).toEqual({
      kind: 'run',
      command,
      out,
      inputs: { parity: 'off', ...inputs },
    });
  });

  it.each([
    [[], 'there is no command to run'],
    [['--'], 'there is no command to run'],
    [['--cycles', 'fail'], 'there is no command to run'],
    [['--cycle=fail', 'x'], 'there is no option --cycle=fail'],
    [['--upload=true', 'x'], 'there is no option --upload=true'],
    [['-x', 'y'], 'there is no option -x'],
    [['--out'], 'option --out wants a value'],
    [['--out', '--', 'x'], 'option --out wants a value'],
    [['--constructor=1', 'x'], 'there is no option --constructor=1'],
  ])('%j is wrong', (words, message) => {
    expect(parseArguments(words)).toMatchObject({ kind: 'wrong', message: expect.stringContaining(message) });
  });
});

it('a script hands every word on as it was, and puts the variables of a runner back', () => {
  const words = [
    '',
    ' ',
    'a b',
    "it's",
    '$HOME',
    '`x`',
    'a\nb',
    '\t',
    '*',
    '"',
    '\\',
    'ä🟦',
    '-n',
    '--',
    '#',
    '~',
  ];
  const show =
    'import json, os, sys; print(json.dumps([sys.argv[1:], os.environ.get("OLD"), os.environ.get("NEW")]))';
  const script = scriptOf(['python3', '-c', show, ...words], { OLD: "it's\nold", NEW: undefined });
  const run = spawnSync('sh', ['-e', '-c', script], {
    encoding: 'utf8',
    env: { ...process.env, OLD: 'ours', NEW: 'ours' },
  });
  expect(run.stderr).toBe('');
  expect(JSON.parse(run.stdout)).toEqual([words, "it's\nold", null]);
});

describe('a summary in the terminal', () => {
  const goldens = join(import.meta.dirname, '..', 'e2e', 'goldens');
  it.each(readdirSync(goldens).filter((name) => name.endsWith('.md')))('%s: no markup is left', (name) => {
    const text = forTerminal(readFileSync(join(goldens, name), 'utf8'), look);
    expect(text).not.toMatch(
      /\*\*|<\/?(?:details|summary|b|p|br|sub|code|span)\b|&[a-z#0-9]+;|\]\(|^#|^\||^>|`{3}|\\[`_*]|\u2060/m,
    );
    // What cannot be broken is longer: a line of a stack, a table whose last column has no room.
    for (const line of text.split('\n')) if (!/ {2}/.test(line)) expect(line.length).toBeLessThanOrEqual(82);
  });

  it('titles of what is folded away stay, and how to download is not said', () => {
    const text = forTerminal(readFileSync(join(goldens, 'oom-one-gpu.md'), 'utf8'), look);
    expect(text).toContain('Do this first: Activations took');
    expect(text).toContain('▸ 1 process: 1 out of memory · recording disarmed in 1 (in the report)');
    expect(text).toContain('  examples/train_oom.py:22  TinyTransformer.forward');
    expect(text).not.toMatch(/Download it|gh run download/);
  });

  it('columns line up, and the last one goes on under itself', () => {
    const rows =
      '| a | n | what |\n| :--- | ---: | :--- |\n| 🟦 **x** | 1 | `one` two three four five six seven |\n| yy | 22 | z |\n';
    expect(forTerminal(rows, { ...look, width: 33 })).toBe(
      ['a      n  what', '🟦 x   1  one two three four five', '          six seven', 'yy    22  z', ''].join(
        '\n',
      ),
    );
  });

  it('has a line for what is below a cell, and for a row that is one sentence', () => {
    const rows =
      '| a | n |\n| :--- | ---: |\n| **x**<br>`one` 1 MiB, `two` 2 MiB | 33 |\n| the rest: much and more |  |\n';
    expect(forTerminal(rows, { ...look, width: 16 })).toBe(
      'a   n\nx  33\n   one 1 MiB,\n   two 2 MiB\nthe rest: much\nand more\n',
    );
  });

  it('obeys no escape sequence that the summary holds, and writes its own only where they are understood', () => {
    const summary =
      '## A **b**\n\n\u001b[31m<code>&#27;&#91;31m</code> `\u009b1m` a\\_b &lt;i&gt; \\*\\* $\n';
    expect(forTerminal(summary, look)).toBe('A b\n\n[31m[31m 1m a_b <i> ** $\n');
    expect(forTerminal('**a** b **c', { ...look, styled: true })).toBe('\u001b[1ma\u001b[22m b c\n');
  });
});

it('the command that package.json names is there, and every file that it needs is packed', () => {
  const root = join(import.meta.dirname, '..', '..');
  const { bin, files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(Object.keys(bin)).toEqual(['oom-autopsy']);
  expect(existsSync(join(root, bin['oom-autopsy']))).toBe(true);
  expect(files).toEqual(expect.arrayContaining(['dist', 'python', 'schemas']));
});
