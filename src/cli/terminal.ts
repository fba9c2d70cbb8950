/**
 * The job summary as a terminal shows it. It reads the Markdown that `report/summary` writes and no other: headings,
 * paragraphs, items, tables, fences, `<details>`. Pure.
 */
import { cleanText } from '../lib/text.js';

export interface Look {
  /** Columns of the terminal. */
  readonly width: number;
  /** Whether escape sequences are understood. */
  readonly styled: boolean;
  /** There is a page, which shows what is folded away. */
  readonly page: boolean;
}

/** What the command itself says below: where the files are, and how to check them. */
const SKIPPED = /^Download it, check its digest/;
const ALONE = /^\*\*(Snapshots|Evidence)\*\*$/;

/** Folded away on a page where there is much to see at once; on a terminal one scrolls. */
const OPENED = /^(Where the program stood|What else the numbers suggest)/;

const WIDE = /\p{Emoji_Presentation}/gu;
const ESCAPE = String.fromCharCode(27);
const STYLES = new RegExp(`${ESCAPE}\\[[0-9]+m`, 'g');
/** Columns that a text takes. */
const widthOf = (text: string): number => {
  const bare = text.replace(STYLES, '');
  return [...bare].length + (bare.match(WIDE)?.length ?? 0);
};

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' };

/** Text of a line with what stands for other characters put back, and no character that a terminal obeys. */
const plain = (text: string): string =>
  cleanText(
    text
      .replace(/<[^>]*>/g, '')
      .replace(/\\([\\`*[\]|~_+#=.)-])/g, '$1')
      .replace(/&(?:#([0-9]{1,7})|([a-z]+));/g, (all, code, name) =>
        code ? String.fromCodePoint(Math.min(Number(code), 0x10ffff)) : (ENTITIES[name] ?? all),
      )
      .replaceAll('\u2060', ''),
    10_000,
  );

/** A line of Markdown: code spans stay as they are, links show their text. */
function inline(markdown: string, { styled }: Look): string {
  const bold = (text: string): string => (styled ? `${ESCAPE}[1m${text}${ESCAPE}[22m` : text);
  return markdown
    .split(/((?<!\\)`[^`]+`)/)
    .map((part) => {
      if (/^`[^`]+`$/.test(part)) return cleanText(part.slice(1, -1), 10_000);
      return part
        .replace(/(?<!\\)\[((?:[^\]\\]|\\.)*)\]\([^)]*\)/g, '$1')
        .split(/(?<!\\)\*\*|<\/?b>/)
        .map((text, i, all) => (i % 2 === 1 && i < all.length - 1 ? bold(plain(text)) : plain(text)))
        .join('');
    })
    .join('');
}

/** Words in lines of at most `width` columns, `indent` before each but the first. */
function wrapped(text: string, width: number, indent = ''): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && widthOf(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line].join(`\n${indent}`);
}

const cellsOf = (row: string): string[] => row.replace(/^\| ?| ?\|$/g, '').split(/(?<!\\) ?\| ?/);

/**
 * Columns as wide as their widest cell; what does not fit into the last one goes on under it. What follows a line break in the
 * first cell, and a row that has nothing else, has a line of its own.
 */
function table(rows: readonly string[], look: Look): string {
  const [head = '', rule = '', ...body] = rows;
  const right = cellsOf(rule).map((cell) => cell.trim().endsWith(':'));
  const cells = [head, ...body].map((row) => {
    const [first = '', ...others] = cellsOf(row);
    const [start = '', ...below] = first.split('<br>');
    const columns = [start, ...others].map((cell) => inline(cell.trim(), look));
    return { columns, below: below.map((line) => inline(line.trim(), look)) };
  });
  const alone = (columns: readonly string[]): boolean => columns.slice(1).every((cell) => cell === '');
  const measured = cells.filter(({ columns }) => right.length === 1 || !alone(columns));
  const widths = right.map((_, i) =>
    Math.max(0, ...measured.map(({ columns }) => widthOf(columns[i] ?? ''))),
  );
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0);
  const last = Math.max(24, look.width - before);
  return cells
    .flatMap(({ columns, below }) => {
      const line = widths.map((width, i) => {
        const cell = columns[i] ?? '';
        if (i === widths.length - 1 && !right[i]) return wrapped(cell, last, ' '.repeat(before));
        const pad = ' '.repeat(Math.max(0, width - widthOf(cell)));
        return right[i] ? pad + cell : cell + pad;
      });
      return [
        alone(columns) ? wrapped(columns[0] ?? '', look.width) : line.join('  ').trimEnd(),
        ...below.map((text) => `   ${wrapped(text, look.width - 3, '   ')}`),
      ];
    })
    .join('\n');
}

/** The summary as text for a terminal. What is folded away shows its title, but for what a person wants at once. */
export function forTerminal(summary: string, look: Look): string {
  const lines = summary.split('\n');
  const shown: string[] = [];
  const push = (...texts: string[]): void => void shown.push(...texts);
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string;
    const [, unfolded, title] = /^<details( open)?><summary>(.*)<\/summary>$/.exec(line) ?? [];
    const open = unfolded !== undefined || OPENED.test(title ?? '');
    if (title !== undefined) {
      if (!SKIPPED.test(title))
        push(
          wrapped(
            inline(open ? title : `▸ ${title}${look.page ? ' (in the report)' : ''}`, look),
            look.width,
          ),
        );
      if (!open) while (at < lines.length && lines[at] !== '</details>') at++;
    } else if (/^(`{3,})/.test(line)) {
      const fence = /^`+/.exec(line)?.[0] ?? '```';
      for (at++; at < lines.length && lines[at] !== fence; at++)
        push(`  ${cleanText(lines[at] as string, 10_000)}`);
    } else if (line.startsWith('| ')) {
      const rows: string[] = [];
      while (lines[at]?.startsWith('| ')) rows.push(lines[at++] as string);
      at--;
      push(table(rows, look));
    } else if (line === '</details>' || ALONE.test(line)) continue;
    else if (line.startsWith('#')) push(inline(`**${line.replace(/^#+ /, '')}**`, look));
    else if (line.startsWith('- ')) push(`- ${wrapped(inline(line.slice(2), look), look.width - 2, '  ')}`);
    else
      for (const part of line.split('<br>')) push(wrapped(inline(part.replace(/^> /, ''), look), look.width));
  }
  return `${shown
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    // They have kept an amount and its unit in one line; a search for both finds blanks.
    .replaceAll('\u00a0', ' ')
    .trim()}\n`;
}
