/** CONTRIBUTING.md is true: its paths exist, and its lists of files are those that a change really opens. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');

/** Paths in backticks or links. A name in capitals stands for any. */
const paths = (text: string): string[] => [
  ...new Set(
    [
      ...text.matchAll(
        /`((?:src|python|lab|docs|schemas|__tests__)\/[\w./-]*|[\w-]+\.(?:yml|md|json))`|\]\(([^)]+)\)/g,
      ),
    ]
      .map((match) => match[1] ?? match[2] ?? '')
      .filter((path) => !/[A-Z]{4}\.py/.test(path)),
  ),
];
const section = (title: string): string => {
  const from = page.indexOf(`### ${title}`);
  expect(from).toBeGreaterThan(0);
  const to = page.indexOf('\n#', from + 4);
  return page.slice(from, to);
};
/** Tracked files that hold a text, tests, dist and the changelog left out. */
const holding = (pattern: string): string[] =>
  execFileSync(
    'git',
    ['grep', '-lE', pattern, '--', 'src', 'schemas', 'docs', 'python', 'action.yml', 'README.md'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  )
    .trim()
    .split('\n')
    .sort();

it('names only paths that are there', () => {
  const all = paths(page);
  expect(all.length).toBeGreaterThan(25);
  expect(all.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

it('names the files that one opens for a verdict', () => {
  const listed = paths(section('A verdict')).filter(
    (path) => !path.startsWith('lab/') && path !== 'action.yml',
  );
  expect([...listed, 'action.yml'].sort()).toEqual(
    // Written by the build.
    holding(`['"\`]not-run['"\`]`).filter((path) => path !== 'schemas/memory.schema.json'),
  );
  expect(section('A verdict')).toContain(`: ${listed.length + 1} files`);
});

it('names the files that one opens for an input', () => {
  const listed = new Set(paths(section('An input')));
  const found = holding('timeline-steps|timelineSteps');
  // What uses the input, and the shim's side of it, differ from input to input.
  for (const path of ['README.md', 'action.yml', 'src/inputs.ts', 'src/saved-state.ts']) {
    expect(listed.has(path)).toBe(true);
    expect(found).toContain(path);
  }
});

it('names the one file for a launcher', () => {
  expect(holding('bazel')).toEqual(['docs/reach.md', 'src/step/launchers.ts']);
});
