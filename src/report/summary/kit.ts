/** What the sections of the summary share: bounds, folding, fences. Pure. */
import type { Block } from '../blocks.js';
import { escapeText, inlineHtml, markdown } from '../markdown.js';
import type { Rich } from '../rich.js';

/** Where the evidence went and what the summary can point to. */
export interface SummaryLinks {
  readonly artifactName: string | null;
  readonly artifactId: number | null;
  readonly artifactUrl: string | null;
  /** sha256 of the uploaded zip. */
  readonly artifactDigest: string | null;
  /** The page (report/page.ts), uploaded beside the evidence. */
  readonly reportUrl: string | null;
  /** Folder of the evidence on the runner; null when it was removed after a complete upload. */
  readonly evidenceDir: string | null;
  /** docs/reading-a-snapshot.md of this version of the action. */
  readonly guideUrl?: string | null;
}

/** Rows that a summary shows before it points to the page; the byte budget comes on top. */
export const MOST = {
  processes: 40,
  snapshots: 24,
  cycles: 8,
  migration: 24,
  rejected: 10,
  leftOut: 24,
  stack: 30,
  lines: 12,
  notes: 3,
} as const;

export const paragraph = (rich: Rich): string => `${markdown(rich)}\n\n`;
export const heading = (words: string): string => `**${escapeText(words)}**\n\n`;

/** A folded block. An empty line after `<summary>` makes GitHub read Markdown inside. */
export function folded(weight: number, title: Rich, inside: Omit<Block, 'weight'>, open = false): Block {
  return {
    weight,
    open: `<details${open ? ' open' : ''}><summary>${inlineHtml(title)}</summary>\n\n${inside.open}`,
    rows: inside.rows,
    close: (dropped) => `${inside.close(dropped)}\n</details>\n\n`,
  };
}

export const moreRows =
  (hidden: number) =>
  (dropped: number): string =>
    hidden + dropped === 0 ? '' : `\nand ${hidden + dropped} more, in the report and in manifest.json.\n`;

/** A fenced block whose fence is longer than any run of backticks in it. */
export function fenced(lines: readonly string[], language = 'text'): string {
  const clean = lines.map((line) => line.toWellFormed().replace(/[\r\n]+/g, ' '));
  const longest = Math.max(2, ...clean.flatMap((line) => (line.match(/`+/g) ?? []).map((run) => run.length)));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${clean.join('\n')}\n${fence}\n`;
}
