/**
 * What tests of stories share: a run of the built action whose summary is kept as a golden (goldens/NAME.md) and read by people, and
 * whose page in outline. What differs from run to run and from device to device (pids, digests, times, amounts) is replaced by its kind;
 * the words, the order and the sections are compared.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { renderPage } from '../../src/report/page/page.js';
import { freshFolder, type Step, type StepOptions } from './kit.js';
import { type Replay, recorded } from './recorded.js';

const GOLDENS = join(import.meta.dirname, 'goldens');

/** A summary with everything that a machine or a moment decides replaced by its kind. */
function kind(summary: string): string {
  return summary
    .replace(/\u00a0/g, ' ')
    .replace(/[🟦🟩🟪🟧🟨🟫🔳🟥⬛⬜]{16}/gu, '(16 squares)')
    .replace(/\b[0-9a-f]{64}\b/g, 'SHA256')
    .replace(/`[0-9a-f]{12}`/g, '`SHA256…`')
    .replace(
      /[A-Za-z0-9-]+-rank(none|\d+)-\d+-[0-9a-f]{8}-(\d+)-(\w+)\.pickle/g,
      'HOST-rank$1-PID-TOKEN-$2-$3.pickle',
    )
    .replace(/\b[0-9.]+ (?:[KMGT]iB|B)\b/g, 'N MiB')
    .replace(/N MiB to N MiB/g, 'N MiB')
    .replace(/(?:< |&lt; )?\b[0-9]+ %/g, 'N %')
    .replace(/\bpid \d+/g, 'pid PID')
    .replace(/(\|\s*)\d{2,7}(\s*\|)/g, '$1PID$2')
    .replace(/GPU (\d+) \([^)]*\)/g, 'GPU $1 (NAME)')
    .replace(/\b\d+\.\d+ s\b/g, 'N s')
    .replace(/torch \d[\w.+]*/g, 'torch VERSION')
    .replace(/(\d+) frames? of/g, 'N frames of')
    .replace(/out-of-memory kill (in this cgroup|on this machine)/g, 'out-of-memory kill in this cgroup')
    .replace(/ended (1 process|processes) of this cgroup/g, 'ended processes of this cgroup')
    .replace(/asked again \*\*\d+\*\* times/g, 'asked again **N** times');
}

/** Headings, captions, column names and folded titles of a page, in order, one a line. */
function outline(page: string): string {
  const found = page.matchAll(
    /<(h1|h2|h3|caption|th scope="col"|summary)[^>]*>([\s\S]*?)<\/(?:h1|h2|h3|caption|th|summary)>/g,
  );
  const lines = [...found].map(
    ([, tag, inside]) =>
      `${tag?.startsWith('th') ? 'column' : tag}: ${(inside ?? '').replace(/<[^>]*>/g, '')}`,
  );
  return `${kind(lines.join('\n'))}\n`;
}

/** Compares with the goldens (the summary as it is, the page in outline), or writes them. */
export function golden(name: string, step: Step): string {
  const { summary } = step.report;
  // The file for a comment on the pull request says the same: all stories fit into one.
  expect(readFileSync(String(step.outputs['summary-file']), 'utf8').trim()).toBe(summary.trim());
  const keep = process.env['OA_KEEP_STORIES'];
  if (keep) {
    mkdirSync(keep, { recursive: true });
    writeFileSync(join(keep, `${name}.md`), summary);
    writeFileSync(join(keep, `${name}.json`), JSON.stringify(step.manifest, null, 2));
    writeFileSync(join(keep, `${name}.html`), renderPage(step.manifest));
  }
  const page = outline(renderPage(step.manifest));
  const file = join(GOLDENS, `${name}.md`);
  const pageFile = join(GOLDENS, `${name}.page.txt`);
  if (process.env['OA_UPDATE_GOLDENS']) {
    mkdirSync(GOLDENS, { recursive: true });
    writeFileSync(file, kind(summary));
    writeFileSync(pageFile, page);
  }
  expect(kind(summary)).toBe(existsSync(file) ? readFileSync(file, 'utf8') : `no golden ${file}`);
  expect(page).toBe(existsSync(pageFile) ? readFileSync(pageFile, 'utf8') : `no golden ${pageFile}`);
  return summary;
}

/** A program in a workspace of its own, so that its path is short in the report. */
export function program(text: string, name = 'train.py'): string {
  const workspace = freshFolder();
  writeFileSync(join(workspace, name), text);
  return workspace;
}

/** A story of this name, told by the program that real torch runs. @param replay see recorded.ts */
export const run = (
  name: string,
  text: string,
  options: Partial<StepOptions> & { readonly command?: string; readonly file?: string } = {},
  replay: Replay = {},
): Promise<Step> => {
  const { command = 'python train.py', file = 'train.py', inputs = {}, ...rest } = options;
  return recorded(
    name,
    { ...rest, workspace: program(text, file), inputs: { run: command, ...inputs } },
    replay,
  );
};
