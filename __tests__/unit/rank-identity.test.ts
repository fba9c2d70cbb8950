/** Ranks and nodes that left nothing are named. */
import { expect, it } from '@jest/globals';
import type { Receipt } from '../../src/evidence/receipt.js';
import { missingRanks } from '../../src/judge/ranks.js';

type Identity = NonNullable<Receipt['identity']>;
const of = (rank: number | null, more: Partial<Identity> = {}) => ({
  identity: {
    launcher: 'torch' as const,
    rank,
    size: 4,
    node: null,
    nodes: null,
    name: null,
    job: null,
    ...more,
  },
});
const slurm = { launcher: 'slurm', job: 'slurm 18', nodes: 2 } as const;

it.each([
  ['nobody has a rank', [{ identity: null }, of(null)], {}, []],
  ['all are there', [of(0), of(1), of(2), of(3), of(3)], {}, []],
  ['one is missing', [of(0), of(1), of(3)], {}, [/^Rank 2 of 4 left nothing here: /]],
  [
    'a whole machine is missing',
    [of(0, { ...slurm, node: 0 }), of(1, { ...slurm, node: 0 })],
    {},
    [/^Ranks 2, 3 of 4 \(slurm 18\) left nothing here, and so did node 1 of 2 nodes: /],
  ],
  ['the whole step is one rank of others', [of(2)], { RANK: '2' }, []],
  ['two launches, one whole', [of(0, { size: 1 }), of(0)], {}, [/^Ranks 1 to 3 of 4 /]],
  ['a size that is none', [of(0, { size: 999_999_999 })], {}, []],
] as const)('%s', (_, receipts, env, lines) => {
  expect(missingRanks(receipts, env)).toEqual(lines.map((line) => expect.stringMatching(line)));
});
