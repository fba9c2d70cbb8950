/**
 * Sentences of the report as values, so that the summary (Markdown) and the page (HTML) say the very same
 * thing and each escapes in one place. A plain string in a sentence is text, never markup, wherever it came
 * from. Pure.
 */

/**
 * A piece of a sentence. Strings are shown as they are; `code` is for names, paths and other foreign text.
 */
export type Piece =
  | string
  | { readonly code: string }
  | { readonly strong: Rich }
  | { readonly link: Rich; readonly href: string };

export type Rich = readonly Piece[];

/**
 * Characters that nobody sees and that change how text reads: control and format characters (direction marks,
 * joiners, tags) but tab and line break. Receipts are cleaned when they are read; this holds for all else
 * that is shown.
 */
export const INVISIBLE = /(?![\t\n\r])[\p{Cc}\p{Cf}\u2028\u2029]/gu;

export const code = (text: string): Piece => ({ code: text });

/** Bold. */
export const strong = (...pieces: Rich): Piece => ({ strong: pieces });

/** A link, or only its words when the address is not an http(s) one. */
export const link = (words: Rich, href: string | null | undefined): Piece =>
  href != null && /^https?:\/\/[^\s<>"'`\\]+$/.test(href) ? { link: words, href } : { strong: words };

type Value = Piece | Rich | number | null | undefined;

/**
 * Template for a sentence: every value may be text, a number, a piece or a whole sentence; null says nothing.
 */
export function say(parts: TemplateStringsArray, ...values: readonly Value[]): Rich {
  const pieces: Piece[] = [];
  parts.forEach((part, index) => {
    if (part !== '') pieces.push(part);
    const value = values[index];
    if (value === null || value === undefined) return;
    if (typeof value === 'number') pieces.push(String(value));
    else if (Array.isArray(value)) pieces.push(...(value as Rich));
    else pieces.push(value as Piece);
  });
  return pieces;
}

/** Sentences with something between them; empty ones are left out. */
export function joinRich(sentences: readonly (Rich | null)[], between = ' '): Rich {
  const full = sentences.filter((s): s is Rich => s !== null && s.length > 0);
  return full.flatMap((s, index) => (index === 0 ? s : [between, ...s]));
}

/** The words alone: for annotations and log lines. */
export function plainText(rich: Rich): string {
  return rich
    .map((piece) => {
      if (typeof piece === 'string') return piece;
      if ('code' in piece) return piece.code;
      return plainText('strong' in piece ? piece.strong : piece.link);
    })
    .join('');
}

/**
 * `text` in at most `limit` characters, whole code points, its middle left out: both ends of a path or a name
 * tell something.
 */
export function shorten(text: string, limit: number): string {
  const points = [...text.slice(0, limit * 8)];
  const whole = points.length <= limit && text.length <= limit * 8;
  if (whole) return text;
  const head = Math.ceil((limit - 1) / 2);
  const tail = [...text.slice(-limit * 2)].slice(-(limit - 1 - head));
  return `${points.slice(0, head).join('')}…${tail.join('')}`.toWellFormed();
}

/** An amount and its unit stay on one line in a narrow cell. */
export const unbroken = (cell: string): string =>
  cell.replace(/(?<=[0-9]) (?=(?:[KMGT]iB|B|%)(?![A-Za-z]))/g, '\u00a0');
