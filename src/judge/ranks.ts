/** Which ranks and nodes of a launcher left nothing in the evidence folder. Pure. */
import type { Receipt } from '../evidence/receipt.js';
import { count, ranges } from '../lib/text.js';

const SETS_RANK: Readonly<Record<string, string>> = {
  torch: 'RANK',
  openmpi: 'OMPI_COMM_WORLD_RANK',
  pmi: 'PMI_RANK',
  slurm: 'SLURM_PROCID',
};

const absent = (size: number, seen: ReadonlySet<number>): readonly number[] =>
  Array.from({ length: size }, (_, index) => index).filter((index) => !seen.has(index));

/** Launchers start no more: a larger number is somebody's own variable. */
const MOST = 100_000;

/**
 * A line for each group of ranks that is not whole.
 * @param env of the action: a rank that it has itself was given to the whole step, and the other ranks are steps of other machines
 */
export function missingRanks(
  receipts: readonly Pick<Receipt, 'identity'>[],
  env: NodeJS.ProcessEnv,
): readonly string[] {
  const groups = new Map<string, NonNullable<Receipt['identity']>[]>();
  for (const { identity } of receipts) {
    const { launcher, rank, size, job } = identity ?? {};
    if (!identity || launcher == null || rank == null || size == null || size > MOST) continue;
    if (env[SETS_RANK[launcher] ?? ''] === String(rank)) continue;
    const key = `${launcher} ${size} ${job}`;
    groups.set(key, [...(groups.get(key) ?? []), identity]);
  }
  return [...groups.values()].flatMap((group) => {
    const { size, nodes, job } = group[0] as NonNullable<Receipt['identity']>;
    const ranks = absent(size ?? 0, new Set(group.flatMap(({ rank }) => rank ?? [])));
    if (ranks.length === 0) return [];
    const places = absent(nodes ?? 0, new Set(group.flatMap(({ node }) => node ?? [])));
    const which = `${ranks.length === 1 ? 'Rank' : 'Ranks'} ${ranges(ranks)} of ${size}${job === null ? '' : ` (${job})`}`;
    const where =
      places.length === 0
        ? ''
        : `, and so did ${places.length === 1 ? 'node' : 'nodes'} ${ranges(places)} of ${count(nodes ?? 0, 'node')}`;
    return [
      `${which} left nothing here${where}: no torch was imported there, or the evidence folder is not shared (docs/reach.md)`,
    ];
  });
}
