/**
 * A report of blocks with a budget of bytes. GitHub drops a whole job summary over 1 MiB (GH
 * prefix-dev/rattler-build/issues/2738), so rows are left out, the least important first, and never a byte in
 * the middle of something. Pure.
 */

export interface Block {
  /** Larger is more important; rows of the smallest are dropped first. */
  readonly weight: number;
  readonly open: string;
  /** The most important first; dropped from the end. */
  readonly rows: readonly string[];
  /** Text after the rows; `dropped` of them were left out. */
  readonly close: (dropped: number) => string;
}

export const bytesOf = (text: string): number => Buffer.byteLength(text, 'utf8');

/** A block of one piece. */
export const plainBlock = (weight: number, text: string): Block => ({
  weight,
  open: text,
  rows: [],
  close: () => '',
});

interface Kept {
  readonly block: Block;
  rows: number;
  whole: boolean;
}

/** The text of `blocks`, in their order, in at most `budget` bytes of UTF-8. */
export function withinBudget(blocks: readonly Block[], budget: number): string {
  const kept: Kept[] = blocks.map((block) => ({ block, rows: block.rows.length, whole: true }));
  let size = 0;
  for (const { block, rows } of kept) {
    size += bytesOf(block.open) + bytesOf(block.close(0));
    for (let i = 0; i < rows; i++) size += bytesOf(block.rows[i] as string);
  }
  for (const entry of [...kept].sort((a, b) => a.block.weight - b.block.weight)) {
    if (size <= budget) break;
    const { block } = entry;
    size += bytesOf(block.close(block.rows.length)) - bytesOf(block.close(0));
    while (entry.rows > 0 && size > budget) {
      entry.rows -= 1;
      size -= bytesOf(block.rows[entry.rows] as string);
    }
    if (size > budget) {
      entry.whole = false;
      size -= bytesOf(block.open) + bytesOf(block.close(block.rows.length));
    }
  }
  return kept
    .filter((entry) => entry.whole)
    .map(
      ({ block, rows }) =>
        block.open + block.rows.slice(0, rows).join('') + block.close(block.rows.length - rows),
    )
    .join('');
}
