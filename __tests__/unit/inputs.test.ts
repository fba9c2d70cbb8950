/** Inputs are validated together, each problem with what would be accepted, and nothing is guessed. */
import { describe, expect, it } from '@jest/globals';
import { describeProblem, INPUT_DEFAULTS, INPUT_NAMES, parseInputs } from '../../src/inputs.js';

const parse = (given: Record<string, string> = {}) =>
  parseInputs((name) => ({ run: 'python train.py', ...given })[name] ?? '');

/** The problems of a parse, by input name. */
const problems = (given: Record<string, string>) => {
  const parsed = parse(given);
  return parsed.ok ? [] : parsed.problems.map((problem) => problem.input);
};

describe('parseInputs', () => {
  it('gives the defaults of the contract', () => {
    const parsed = parse();
    expect(parsed).toEqual({
      ok: true,
      inputs: {
        run: 'python train.py',
        shell: 'bash',
        workingDirectory: '',
        snapshot: 'on-oom',
        maxEntries: 100_000,
        stacks: 'python',
        maxSnapshots: 3,
        maxUploadSize: 2 * 2 ** 30,
        cycles: 'warn',
        cyclesWatch: 'sampled',
        categories: 'census',
        timelineSteps: 3,
        parity: 'fail',
        fixture: '',
        python: '',
        ifNoTorch: 'warn',
        memoryBudget: null,
        baseline: '',
        maxGrowth: null,
        ifNoBaseline: 'warn',
        minFree: null,
        upload: true,
        artifactName: 'oom-autopsy',
        retentionDays: 0,
        compressionLevel: 6,
        evidenceDir: '',
        gracePeriod: 8,
      },
    });
  });

  it('lists every problem at once, in the order of the contract, with accepted values', () => {
    const wrong: Record<string, string> = {
      run: '  \n ',
      shell: 'fish',
      snapshot: 'on-OOM',
      'max-entries': '0',
      stacks: 'cpp',
      'max-snapshots': '1.5',
      'max-upload-size': 'lots',
      cycles: 'true',
      'cycles-watch': 'always',
      categories: 'profile',
      'timeline-steps': '-3',
      parity: 'error',
      'if-no-torch': 'no',
      upload: 'yes',
      'artifact-name': 'a/b',
      'retention-days': '91',
      'compression-level': '10',
      'grace-period': '5s',
    };
    const parsed = parse(wrong);
    if (parsed.ok) throw new Error('these inputs must not be accepted');
    expect(parsed.problems.map((problem) => problem.input)).toEqual(
      INPUT_NAMES.filter((name) => name in wrong),
    );
    const lines = parsed.problems.map(describeProblem);
    expect(lines.find((line) => line.includes('`snapshot`'))).toBe(
      'input `snapshot`: "on-OOM" is not accepted; accepted: `on-oom`, `on-failure`, `always`, `off`',
    );
    expect(lines[0]).toBe(
      'input `run`: "  \\u000a " is not accepted; accepted: the commands to run; it is required',
    );
  });

  it.each([
    ['max-entries', '1', '10000000'],
    ['max-snapshots', '1', '100'],
    ['retention-days', '0', '90'],
    ['compression-level', '0', '9'],
    ['grace-period', '0', '300'],
    ['timeline-steps', '1', '1000'],
  ])('holds %s to its bounds', (name, low, high) => {
    expect(problems({ [name]: low })).toEqual([]);
    expect(problems({ [name]: high })).toEqual([]);
    expect(problems({ [name]: String(Number(high) + 1) })).toEqual([name]);
    if (Number(low) > 0) expect(problems({ [name]: String(Number(low) - 1) })).toEqual([name]);
  });

  it.each(['0x10', '1e3', ' ', '１', 'Infinity', 'NaN', '+1'])('takes no number from %j', (text) => {
    // A lone blank means "not given", so the default holds.
    expect(problems({ 'max-entries': text })).toEqual(text.trim() === '' ? [] : ['max-entries']);
  });

  it.each([
    ['500MiB', 500 * 2 ** 20],
    ['2GiB', 2 ** 31],
    ['1.5 GiB', 1.5 * 2 ** 30],
    ['1048576', 1048576],
    ['10MB', 10_000_000],
  ])('reads the size %s', (text, bytes) => {
    const parsed = parse({ 'max-upload-size': text });
    expect(parsed.ok && parsed.inputs.maxUploadSize).toBe(bytes);
  });

  it('keeps the commands to the byte and trims the rest', () => {
    const parsed = parse({ run: '  echo a\r\n\techo b  ', snapshot: ' always ' });
    expect(parsed.ok && [parsed.inputs.run, parsed.inputs.snapshot]).toEqual([
      '  echo a\r\n\techo b  ',
      'always',
    ]);
  });

  it.each(['bash -leo pipefail {0}', 'conda run -n x bash {0}', '/bin/sh -e {0}', 'python'])(
    'accepts the shell %j',
    (shell) => {
      expect(problems({ shell })).toEqual([]);
    },
  );

  it.each(['zsh', '{0}', 'bash "{0}', 'BASH', 'toString'])('refuses the shell %j', (shell) => {
    expect(problems({ shell })).toEqual(['shell']);
  });

  it('shows hostile values as text, bounded', () => {
    const parsed = parse({ snapshot: `\u001b[31m${'x'.repeat(5000)}\n::error::pwned` });
    if (parsed.ok) throw new Error('must not be accepted');
    const line = describeProblem(parsed.problems[0] as never);
    expect(line.length).toBeLessThan(400);
    expect(line).not.toMatch(/\p{Cc}/u);
  });

  it('knows a default for each name', () => {
    expect(Object.keys(INPUT_DEFAULTS)).toEqual(INPUT_NAMES);
    expect(INPUT_NAMES).toHaveLength(27);
  });
});
