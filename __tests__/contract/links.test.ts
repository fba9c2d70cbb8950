/** Every link of every Markdown file leads somewhere: the file is there, and so is the heading. Addresses of the web are not asked. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '..', '..');
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .trim()
  .split('\n');
const pages = tracked.filter(
  (path) => path.endsWith('.md') && !/^(dist|__tests__\/e2e\/goldens)\//.test(path),
);
const withoutCode = (text: string): string =>
  text.replace(/^(`{3,})[\s\S]*?^\1$/gm, '').replace(/`[^`\n]*`/g, '');

/** Anchors of a page, as GitHub makes them of its headings. */
function anchors(path: string): ReadonlySet<string> {
  const found = new Map<string, number>();
  const result = new Set<string>();
  const text = readFileSync(join(root, path), 'utf8').replace(/^(`{3,})[\s\S]*?^\1$/gm, '');
  for (const [, heading = ''] of text.matchAll(/^#{1,6} (.*)$/gm)) {
    const anchor = heading
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/ /g, '-');
    const times = found.get(anchor) ?? 0;
    found.set(anchor, times + 1);
    result.add(times === 0 ? anchor : `${anchor}-${times}`);
  }
  return result;
}

const linksOf = (text: string): string[] => [
  ...[...withoutCode(text).matchAll(/\]\(([^()\s]+(?:\([^()\s]*\)[^()\s]*)*)\)/g)].map(
    (match) => match[1] as string,
  ),
  ...[...withoutCode(text).matchAll(/(?:src|srcset|href)="([^"]+)"/g)].map((match) => match[1] as string),
];

/** What is wrong with a link of a page, or null. */
function problem(page: string, link: string): string | null {
  if (/^(https?|mailto):/.test(link)) return URL.canParse(link) ? null : 'no address';
  const [file = '', anchor] = link.split('#');
  const path = file === '' ? page : normalize(join(dirname(page), file));
  if (path.startsWith('..')) return 'outside of the repository';
  if (!existsSync(join(root, path))) return 'there is no such file';
  if (!tracked.some((one) => one === path || one.startsWith(`${path.replace(/\/$/, '')}/`)))
    return 'it is not in git';
  if (anchor !== undefined && path.endsWith('.md') && !anchors(path).has(anchor))
    return 'there is no such heading';
  return null;
}

describe('links', () => {
  it.each(pages)('%s', (page) => {
    const text = readFileSync(join(root, page), 'utf8');
    const wrong = linksOf(text).flatMap((link) => {
      const why = problem(page, link);
      return why === null ? [] : [`${link}: ${why}`];
    });
    expect(wrong).toEqual([]);
  });

  it('are found, and a wrong one is seen', () => {
    expect(linksOf('[a](b.md#c) `[x](y)` ![i](p.png) <img src="q.png">')).toEqual([
      'b.md#c',
      'p.png',
      'q.png',
    ]);
    expect(problem('README.md', 'docs/none.md')).toBe('there is no such file');
    expect(problem('docs/gates.md', '#none')).toBe('there is no such heading');
    expect(problem('docs/gates.md', 'parity.md#a-fixture-of-your-own')).toBe(null);
    expect(problem('README.md', '../x')).toBe('outside of the repository');
    expect(pages.length).toBeGreaterThan(20);
  });
});

/** Names in backticks that look like a path from the top of the repository. `NAME` and `*` stand for any. */
it.each(pages.filter((page) => page !== 'CHANGELOG.md'))('%s names only paths that are there', (page) => {
  const text = readFileSync(join(root, page), 'utf8').replace(/^(`{3,})[\s\S]*?^\1$/gm, '');
  const named = [
    ...text.matchAll(/`((?:src|python|lab|docs|schemas|examples|__tests__|\.github)\/[\w./-]*)[^`]*`/g),
  ]
    .map((match) => match[1] as string)
    .filter((path) => !/[A-Z]{4}|\.\.\.|-$/.test(path));
  const there = (path: string): boolean =>
    [path, join(dirname(page), path)].some((one) =>
      tracked.some((file) => file === one || file.startsWith(one)),
    );
  expect(named.filter((path) => !there(path))).toEqual([]);
});
