/**
 * Text from outside (inputs, receipts, file names, process names) made safe to show in a log line. Markdown
 * and HTML have their own escaping where they are written; this is about control characters, direction marks
 * and length.
 */

/**
 * Control and format characters (zero-width and direction marks among them), line and paragraph separators.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Visible stand-ins for control characters and direction marks; cut to `limit` characters with an ellipsis.
 * `##[`, which the runner reads as a command anywhere in a line, is taken apart.
 */
export function printable(text: string, limit = 300): string {
  const cut = text.length > limit ? `${text.slice(0, limit)}…` : text;
  return cut
    .toWellFormed()
    .replace(UNPRINTABLE, (char) => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)
    .replaceAll('##[', '# #[');
}

/**
 * A line of ours in the log. Its fixed prefix and the missing line breaks keep the runner from reading a
 * command in it.
 */
export const logLine = (text: string): string => `oom-autopsy: ${printable(text, 2000)}`;

/** `1 process`, `2 processes`. */
export const count = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;

// Control characters, zero-width and direction marks, line and paragraph separators, tag characters.
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters taken out
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/**
 * `text` in one line without control characters and direction marks, whole code points, at most `limit` of
 * UTF-16 units.
 */
export function cleanText(text: string, limit: number): string {
  const start = text
    .slice(0, limit * 4)
    .toWellFormed()
    .replace(/[\t\r\n]+/g, ' ')
    .replace(INVISIBLE, '');
  if (start.length <= limit) return start;
  return `${start
    .slice(0, limit - 1)
    .toWellFormed()
    .replace(/\ufffd$/, '')}…`;
}

/** Numbers in short: `0, 2 to 7`. */
export function ranges(numbers: readonly number[]): string {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b);
  const runs: [number, number][] = [];
  for (const n of sorted) {
    const last = runs.at(-1);
    if (last && n === last[1] + 1) last[1] = n;
    else runs.push([n, n]);
  }
  const one = ([from, to]: [number, number]): string =>
    from === to ? `${from}` : to === from + 1 ? `${from}, ${to}` : `${from} to ${to}`;
  return runs.map(one).join(', ');
}
