/** What cannot be handed to the runner turns nothing red, and nothing is ever handed over by half. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { environmentRunner, forgiving, type Runner } from '../../src/runner/runner.js';

const folder = mkdtempSync(join(tmpdir(), 'oa actions '));
afterEach(() => {
  jest.restoreAllMocks();
});

it('is told once for each kind, and goes on', async () => {
  const lines: string[] = [];
  const fail = (): never => {
    throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
  };
  const runner = forgiving({
    input: () => 'given',
    state: () => '',
    info: (line: string) => void lines.push(line),
    saveState: fail,
    setOutputs: fail,
    annotate: async () => fail(),
    summary: fail,
    summaryRoom: fail,
  } satisfies Runner);
  runner.setOutputs({ a: '1' });
  runner.setOutputs({ b: '2' });
  runner.saveState('a', '1');
  runner.summary('x');
  await runner.annotate('error', 'x');
  expect(runner.input('x')).toBe('given');
  expect(lines).toEqual([
    'oom-autopsy: the runner could not be given the outputs (ENOSPC)',
    'oom-autopsy: the runner could not be given the state (ENOSPC)',
    'oom-autopsy: the runner could not be given the summary (ENOSPC)',
    'oom-autopsy: the runner could not be given an annotation (ENOSPC)',
  ]);
});

const small = join(folder, 'small');
mkdirSync(small);
const mounted =
  process.getuid?.() === 0 &&
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'none', small]).status === 0;

(mounted ? it : it.skip)('leaves no half of a value in a file of the runner', () => {
  try {
    const [state, summary] = [join(small, 'state'), join(small, 'summary')];
    writeFileSync(state, 'before\n');
    writeFileSync(summary, '');
    process.env.GITHUB_STATE = state;
    const runner = environmentRunner({ GITHUB_STATE: state, GITHUB_STEP_SUMMARY: summary });
    expect(() => runner.saveState('long', 'x'.repeat(40_000))).toThrow(/ENOSPC/);
    expect(readFileSync(state, 'utf8')).toBe('before\n');
    expect(() => runner.summary('y'.repeat(40_000))).toThrow(/ENOSPC/);
    expect(readFileSync(summary, 'utf8')).toBe('');
    runner.saveState('short', 'z');
    expect(readFileSync(state, 'utf8')).toMatch(/^before\nshort<<(\S+)\nz\n\1\n$/);
  } finally {
    delete process.env.GITHUB_STATE;
    spawnSync('umount', ['-l', small]);
    rmSync(folder, { recursive: true, force: true });
  }
});

describe('after the program', () => {
  let place: string;
  beforeEach(() => {
    place = mkdtempSync(join(tmpdir(), 'oa actions '));
  });
  afterEach(() => rmSync(place, { recursive: true }));
  const at = (name: string): string => join(place, name);
  const read = (name: string): string => readFileSync(at(name), 'utf8');
  const runnerOf = (): Runner =>
    environmentRunner({ GITHUB_OUTPUT: at('output'), GITHUB_STEP_SUMMARY: at('summary') });

  it.each([
    ['a=1', /^a=1\nours<<(\S+)\nx\n\1\n$/],
    ['a=1\n', /^a=1\nours<<(\S+)\nx\n\1\n$/],
    ['', /^ours<<(\S+)\nx\n\1\n$/],
  ])('outputs begin on a line of their own, after %j', (before, after) => {
    writeFileSync(at('output'), before);
    runnerOf().setOutputs({ ours: 'x' });
    expect(read('output')).toMatch(after);
  });

  it.each([
    ['| a |\n| - |\n| 1 |\n', '| a |\n| - |\n| 1 |\n\n## ours\n'],
    ['done', 'done\n\n## ours\n'],
    ['', '## ours\n'],
  ])('the summary begins a paragraph of its own, after %j', (before, after) => {
    writeFileSync(at('summary'), before);
    runnerOf().summary('## ours');
    expect(read('summary')).toBe(after);
  });

  it('files that the program removed are made anew', () => {
    runnerOf().setOutputs({ ours: 'x' });
    runnerOf().summary('## ours\n');
    expect(read('output')).toMatch(/^ours<</);
    expect(read('summary')).toBe('## ours\n');
  });

  it('the room in the summary is what the program left of 1 MiB', () => {
    const runner = runnerOf();
    const all = runner.summaryRoom();
    expect(all).toBeGreaterThan(1_000_000);
    expect(all).toBeLessThan(2 ** 20);
    writeFileSync(at('summary'), 'x'.repeat(1000));
    expect(runner.summaryRoom()).toBe(all - 1000);
    writeFileSync(at('summary'), 'x'.repeat(2 ** 20 - 100));
    expect(runner.summaryRoom()).toBe(0);
  });

  it('without a summary file, nothing in the log can be read as a command', () => {
    const lines: string[] = [];
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
    environmentRunner({}).summary('## ours\n\n::error::PWNED\n  ::add-mask::e\nx ##[error]y\n');
    expect(lines.slice(1)).toEqual([
      '| ## ours\n',
      '\n',
      '| ::error::PWNED\n',
      '|   ::add-mask::e\n',
      '| x # #[error]y\n',
    ]);
  });
});
