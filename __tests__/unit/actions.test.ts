/** What cannot be handed to the runner turns nothing red, and nothing is ever handed over by half. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, jest } from '@jest/globals';
import { environmentRunner, forgiving, type Runner } from '../../src/actions.js';

const folder = mkdtempSync(join(tmpdir(), 'oa actions '));
afterEach(() => {
  jest.restoreAllMocks();
});

it('is told once for each kind, and goes on', () => {
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
    annotate: fail,
    summary: fail,
  } satisfies Runner);
  runner.setOutputs({ a: '1' });
  runner.setOutputs({ b: '2' });
  runner.saveState('a', '1');
  runner.summary('x');
  runner.annotate('error', 'x');
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
