/**
 * Text from outside (inputs, receipts, file names, process names) made safe to show in a log line.
 * Markdown and HTML have their own escaping where they are written; this is about control characters, direction
 * marks and length.
 */

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced here
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

/** Visible stand-ins for control characters and bidirectional marks; cut to `limit` characters with an ellipsis. */
export function printable(text: string, limit = 300): string {
  const cut = text.length > limit ? `${text.slice(0, limit)}…` : text;
  return cut.replace(UNPRINTABLE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A line of ours in the log. Its fixed prefix and the missing line breaks keep the runner from reading a command in it. */
export const logLine = (text: string): string => `oom-autopsy: ${printable(text, 2000)}`;

/** `1 process`, `2 processes`. */
export const count = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;
