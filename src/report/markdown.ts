/**
 * Writing GitHub-flavoured Markdown in which foreign text stays text. The one place of the summary that
 * escapes.
 *
 * Besides Markdown and HTML themselves, GitHub looks for things in the text that is left: mentions, links,
 * issue numbers, emoji names and formulas. Backslashes do not stop those, so a word joiner (U+2060,
 * invisible) is put where they would begin.
 */
import { INVISIBLE, type Piece, type Rich, unbroken } from './rich.js';

const JOINER = '\u2060';

/**
 * One line, no control characters and no direction marks. Receipts are cleaned when they are read; this holds
 * for all else.
 */
const oneLine = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\t\r\n]+/g, ' ')
    .replace(INVISIBLE, '');

/** Text outside of code. */
export function escapeText(text: string): string {
  return oneLine(text)
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/[\\`*[\]|~]/g, '\\$&')
    .replace(/_/g, (_, at: number, all: string) =>
      /[A-Za-z0-9]/.test(all[at - 1] ?? '') && /[A-Za-z0-9]/.test(all[at + 1] ?? '') ? '_' : '\\_',
    )
    .replace(/\$/g, '<span>$</span>')
    .replace(/:\/\//g, `:${JOINER}//`)
    .replace(/\bwww\./gi, (found) => `${found.slice(0, 3)}${JOINER}.`)
    .replace(/@(?=\S)/g, `@${JOINER}`)
    .replace(/#(?=[0-9])/g, `#${JOINER}`)
    .replace(/\bGH-(?=[0-9])/gi, (found) => `${found.slice(0, 2)}${JOINER}-`)
    .replace(/:(?=[a-z0-9+_\\-]+:)/gi, `:${JOINER}`)
    .replace(/^ {2,}/, ' ') // four blanks at the start of a line would make it a block of code
    .replace(/^(\s*)([-+=#]+)(?=\s|$)/, '$1\\$2') // items, headings of any depth, rules
    .replace(/^(\s*[0-9]+)([.)])(?=\s|$)/, '$1\\$2');
}

/** Text of which no character means anything inside a code span or a table cell. */
const PLAIN_CODE = /^[^`|\\\s<>&$@]([^`|\\<>&$@]*[^`|\\\s<>&$@])?$/;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/**
 * Text as code: a code span where nothing in it could end that, otherwise a `<code>` element of character
 * references.
 */
export function escapeCode(text: string): string {
  const line = oneLine(text);
  if (line.trim() === '') return '<code>&nbsp;</code>';
  if (PLAIN_CODE.test(line)) return `\`${line}\``;
  const escaped = line.replace(
    /[^\p{L}\p{N} ,./]/gu,
    (char) => ENTITIES[char] ?? `&#${char.codePointAt(0) ?? 0xfffd};`,
  );
  return `<code>${escaped.replace(/\b(www|https?|ftp)(?=[.&])/gi, `$1${JOINER}`)}</code>`;
}

function piece(part: Piece): string {
  if (typeof part === 'string') return escapeText(part);
  if ('code' in part) return escapeCode(part.code);
  if ('strong' in part) return `**${markdown(part.strong)}**`;
  return `[${markdown(part.link)}](${part.href.replace(/[()|*_~\\[\]]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)})`;
}

/** A sentence as Markdown, usable in a line, a list item and a table cell. */
export const markdown = (rich: Rich): string => rich.map(piece).join('');

/** A sentence inside an HTML block (`<summary>`), where Markdown is not read. */
export function inlineHtml(rich: Rich): string {
  return rich
    .map((part) => {
      if (typeof part === 'string') return entity(part);
      if ('code' in part) return `<code>${entity(part.code)}</code>`;
      if ('strong' in part) return `<b>${inlineHtml(part.strong)}</b>`;
      return `<a href="${entity(part.href)}">${inlineHtml(part.link)}</a>`;
    })
    .join('');
}

const entity = (text: string): string =>
  oneLine(text)
    .replace(/[&<>"]/g, (char) => ENTITIES[char] ?? char)
    .replace(/\$/g, '<span>$</span>')
    .replace(/[*_`~[\]|\\]/g, (char) => `&#${char.charCodeAt(0)};`)
    .replace(/@(?=\S)/g, `@${JOINER}`)
    .replace(/:\/\//g, `:${JOINER}//`)
    .replace(/\bwww\./gi, (found) => `${found.slice(0, 3)}${JOINER}.`);

export type Align = 'left' | 'right';

/** What stands in a cell of a table: one line, or several. */
export type Cell = Rich | { readonly lines: readonly Rich[] };

const linesOf = (cell: Cell): readonly Rich[] => ('lines' in cell ? cell.lines : [cell]);

/** One row of a table. */
export const row = (cells: readonly Cell[]): string =>
  `| ${cells.map((cell) => linesOf(cell).map(markdown).map(unbroken).join('<br>')).join(' | ')} |\n`;

/** The two lines that open a table. */
export const tableHead = (names: readonly string[], aligns: readonly Align[] = []): string =>
  `| ${names.map(escapeText).join(' | ')} |\n| ${names.map((_, i) => (aligns[i] === 'right' ? '---:' : ':---')).join(' | ')} |\n`;

/** A word for `sh`: as it is when nothing in it means anything to a shell, in single quotes otherwise. */
export const shellWord = (text: string): string =>
  /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${oneLine(text).replace(/'/g, `'\\''`)}'`;
