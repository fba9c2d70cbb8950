/**
 * The sentence about the allocator's private pools: whose they are, what is in them, and what lies unused.
 * Pure.
 */

import { CATEGORY_NAMES, type CensusDevice, type CensusPool } from '../../evidence/receipt.js';
import { formatBytes } from '../../lib/bytes.js';
import { code, joinRich, type Rich, say, strong } from '../rich.js';
import { unusedInPools } from '../story.js';

const SHOWN = 3;

function whose({ kind, count }: CensusPool): Rich {
  switch (kind) {
    case 'graph':
      return say`that of a CUDA graph`;
    case 'handle':
      return say`one made by the program (${code('MemPool')}, ${code('graph_pool_handle')})`;
    case 'rest':
      return say`${count} smaller ones`;
  }
}

/** The two largest categories in a pool, with their bytes. */
function inside(pool: CensusPool): string {
  const largest = CATEGORY_NAMES.map((name) => ({ name, bytes: pool.categories[name] ?? 0 }))
    .filter(({ bytes }) => bytes > 0)
    .sort((a, b) => b.bytes - a.bytes)
    .slice(0, 2);
  return largest.map(({ name, bytes }) => `${name} ${formatBytes(bytes)}`).join(', ');
}

/**
 * Private pools of a device in one sentence or two; null where there are none, or where they were not told
 * apart.
 */
export function poolsRich(census: CensusDevice | null): Rich | null {
  const pools = census?.pools ?? [];
  if (pools.length === 0) return null;
  const lines = pools.slice(0, SHOWN).map((pool) => {
    const parts = inside(pool);
    const content = parts === '' ? null : say` (${parts})`;
    return say`${whose(pool)} with ${formatBytes(pool.reserved)} reserved, ${formatBytes(pool.allocated)} of it in blocks${content}`;
  });
  const hidden = pools.slice(SHOWN).reduce((sum, pool) => sum + pool.count, 0);
  const more = hidden === 0 ? null : say`; and ${hidden} more`;
  const unused = unusedInPools(census);
  const idle =
    unused === 0
      ? null
      : say` ${strong(formatBytes(unused))} in them is in no block and serves no request from outside of them.`;
  return say`Private pools of the allocator, counted above: ${joinRich(lines, '; ')}${more}.${idle}`;
}
