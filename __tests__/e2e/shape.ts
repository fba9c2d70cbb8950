/** The shape of a JSON value: which names it has, of which type, and in which states; one line for each. Pure. */

/** Names whose value is one of a few words: another word is another shape. */
const WORDS: ReadonlySet<string> = new Set(['schema', 'state', 'kind', 'history', 'mode', 'thread', 'phase']);
/** Names of what may be there or not on a machine that is busy: a look that was cut short says so. */
const MOODS: ReadonlySet<string> = new Set(['cut', 'reason']);

export function shapeOf(value: unknown): readonly string[] {
  const lines = new Set<string>();
  const walk = (at: string, key: string, part: unknown): void => {
    if (MOODS.has(key)) lines.add(`${at}: any`);
    else if (part === null) lines.add(`${at}: null`);
    else if (Array.isArray(part)) {
      lines.add(`${at}: list`);
      for (const item of part) walk(`${at}[]`, key, item);
    } else if (typeof part === 'object') {
      lines.add(`${at}: object`);
      for (const [name, item] of Object.entries(part)) walk(`${at}.${name}`, name, item);
    } else lines.add(`${at}: ${WORDS.has(key) ? JSON.stringify(part) : typeof part}`);
  };
  walk('', '', value);
  return [...lines].sort();
}
