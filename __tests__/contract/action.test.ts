/** action.yml, the table of inputs in the code, and the README say the same. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { withTable, withTables } from '../../lab/scripts/tables.mjs';
import { INPUT_DEFAULTS, INPUT_NAMES } from '../../src/inputs.js';
import { OUTPUT_NAMES } from '../../src/runner/outputs.js';
import { launcherTable } from '../../src/step/launchers.js';

const root = join(import.meta.dirname, '..', '..');
const read = (name: string): string => readFileSync(join(root, name), 'utf8');
const action = parse(read('action.yml')) as {
  inputs: Record<string, { default?: string; required?: boolean; description: string }>;
  outputs: Record<string, { description: string }>;
  runs: Record<string, string>;
};

describe('action.yml', () => {
  it('has the inputs of the code, in their order, with their defaults', () => {
    expect(Object.keys(action.inputs)).toEqual(INPUT_NAMES);
    for (const [name, input] of Object.entries(action.inputs)) {
      if (name === 'artifact-name') {
        // The runner fills in job, matrix index and attempt; the code's own default is for a runner that does not.
        expect(input.default).toBe(
          `${INPUT_DEFAULTS[name]}-\${{ github.job }}-\${{ strategy.job-index }}-\${{ github.run_attempt }}`,
        );
      } else expect([name, input.default ?? '']).toEqual([name, INPUT_DEFAULTS[name]]);
    }
    expect(action.inputs.run?.required).toBe(true);
  });

  it('has the outputs of the code', () => {
    expect(Object.keys(action.outputs)).toEqual(OUTPUT_NAMES);
  });

  it('runs what is checked in, on Node 24, post always', () => {
    expect(action.runs).toEqual({
      using: 'node24',
      main: 'dist/main/index.js',
      post: 'dist/post/index.js',
      'post-if': 'always()',
    });
    expect(existsSync(join(root, action.runs.main as string))).toBe(true);
    expect(existsSync(join(root, action.runs.post as string))).toBe(true);
  });
});

describe('README.md', () => {
  it('has the table of launchers in docs/reach.md', () => {
    expect(read('docs/reach.md')).toBe(withTable(read('docs/reach.md'), 'launchers', launcherTable()));
  });

  it('holds the tables of action.yml', () => {
    expect(read('README.md')).toBe(withTables(read('README.md'), action));
  });

  it('names the two commands', () => {
    expect(read('README.md')).toContain('npm run demo');
    expect(read('README.md')).toContain('npm test');
  });
});
