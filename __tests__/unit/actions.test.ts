/** What cannot be handed to the runner turns nothing red, and nothing is ever handed over by half. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { replacedOutputs } from '../../src/runner/outputs.js';
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
    ['| a |\n| - |\n| 1 |\n', '## ours\n\n| a |\n| - |\n| 1 |\n'],
    ['done', '## ours\n\ndone'],
    ['', '## ours\n'],
    // Open until the end of the page: behind it nothing would be seen.
    ['<!-- ', '## ours\n\n<!-- '],
    ['```\n', '## ours\n\n```\n'],
    ['<details><summary>all</summary>\n', '## ours\n\n<details><summary>all</summary>\n'],
    ['<script>', '## ours\n\n<script>'],
  ])('the summary stands before what the program wrote, %j', (before, after) => {
    writeFileSync(at('summary'), before);
    runnerOf().summary('## ours');
    expect(read('summary')).toBe(after);
  });

  it('the summary is told again in its place, and more after it', () => {
    writeFileSync(at('summary'), 'theirs $& ü\n');
    const runner = runnerOf();
    runner.summary('## first\n');
    appendFileSync(at('summary'), 'theirs too\n');
    runner.summary('## sec$&nd\n', '## first\n');
    expect(read('summary')).toBe('## sec$&nd\n\ntheirs $& ü\ntheirs too\n');
    runner.summary('## more');
    expect(read('summary')).toBe('## sec$&nd\n\n## more\n\ntheirs $& ü\ntheirs too\n');
    expect(runner.summaryRoom('12345')).toBe(runner.summaryRoom() + 5);
    writeFileSync(at('summary'), 'all theirs');
    runner.summary('## again', '## more');
    expect(read('summary')).toBe('## sec$&nd\n\n## again\n\nall theirs');
  });

  it.each(['output', 'summary'])(
    'a FIFO, a link or a folder in place of the %s is a line in the log',
    (name) => {
      const host = at('host');
      writeFileSync(host, 'of the host');
      for (const put of [
        () => execFileSync('mkfifo', [at(name)]),
        () => symlinkSync(host, at(name)),
        () => mkdirSync(at(name)),
      ]) {
        put();
        const lines: string[] = [];
        const runner = forgiving({ ...runnerOf(), info: (line) => void lines.push(line) });
        if (name === 'output') {
          expect(replacedOutputs(at('output'))).toEqual([]);
          runner.setOutputs({ ours: 'x' });
        } else runner.summary('## ours');
        expect(lines).toEqual([expect.stringMatching(/^oom-autopsy: the runner could not be given the /)]);
        rmSync(at(name), { recursive: true });
      }
      expect(readFileSync(host, 'utf8')).toBe('of the host');
    },
  );

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
