/**
 * What else the numbers suggest, besides what to do first (advice.ts): the advice that came second, and rules of little weight. Each
 * hint is there only when its numbers say so, and carries them; none says what caused what: the allocator reuses blocks, so nothing
 * here could know. Pure.
 */

import type { Manifest } from '../evidence/manifest.js';
import { formatBytes } from '../lib/bytes.js';
import { code, type Rich, say, strong } from '../report/rich.js';
import {
  type Account,
  accountOf,
  censusOf,
  mainStory,
  type OomStory,
  unusedInPools,
} from '../report/story.js';
import { type AdviceId, adviceFor, considered } from './advice.js';

export type HintId = AdviceId | 'memory-fraction' | 'private-pools' | 'growth' | 'retries';

export interface Hint {
  readonly id: HintId;
  readonly text: Rich;
  /**
   * The numbers that the hint stands on: bytes or counts of the manifest, or differences and sums of such.
   */
  readonly numbers: readonly number[];
}

interface Facts {
  readonly story: OomStory;
  readonly account: Account;
}

type Rule = (facts: Facts) => Hint | null;

const gib = (bytes: number): string => formatBytes(bytes);

const memoryFraction: Rule = ({ account: { limit, total, free }, story: { oom } }) => {
  if (limit === null || total === null || free === null || oom.wanted === null) return null;
  if (free < oom.wanted) return null;
  return {
    id: 'memory-fraction',
    numbers: [limit, total, free],
    text: say`The process is limited to ${strong(gib(limit))} of ${gib(total)} (${code('set_per_process_memory_fraction')}), and ${gib(free)} of the device were free: the limit was reached, not the device's size.`,
  };
};

const privatePools: Rule = ({ story: { oom } }) => {
  const { wanted } = oom;
  const unused = unusedInPools(censusOf(oom.census, oom.device));
  if (wanted === null || wanted === 0 || unused < wanted) return null;
  return {
    id: 'private-pools',
    numbers: [unused, wanted],
    text: say`${strong(gib(unused))} were reserved by private pools and in no block, more than the ${gib(wanted)} asked for: while a CUDA graph or a ${code('MemPool')} lives, its pool serves no other requests. Graphs that never run at the same time can share one (${code('torch.cuda.graph(g, pool=…)')}).`,
  };
};

const growth: Rule = ({ story: { process } }) => {
  const held = process.ooms.flatMap((o) => (o.allocated === null ? [] : [o.allocated]));
  const [first, last] = [held[0], held.at(-1)];
  if (held.length < 3 || first === undefined || last === undefined) return null;
  if (first === 0 || last < 1.1 * first) return null;
  if (held.some((bytes, index) => index > 0 && bytes < (held[index - 1] as number))) return null;
  return {
    id: 'growth',
    numbers: [held.length, first, last],
    text: say`Over ${held.length} out-of-memory errors of this process the allocated memory only grew: from ${gib(first)} to ${strong(gib(last))}. Something outlives each attempt (an exception's traceback keeps its frames' tensors).`,
  };
};

const retries: Rule = ({ story: { oom } }) => {
  // Each out-of-memory has a retry of its own: the allocator empties its cache and asks again before it gives
  // up.
  const more = (oom.retries ?? 0) - (oom.ooms ?? 0);
  if (oom.retries === null || more <= 0) return null;
  return {
    id: 'retries',
    numbers: [oom.retries],
    text: say`The allocator emptied its cache and asked again ${strong(String(oom.retries))} times, this failure among them: the program had been close to the limit before.`,
  };
};

const RULES: readonly Rule[] = [memoryFraction, privatePools, growth, retries];

/** Every hint whose numbers are there but the one that is told first, the most telling first. */
export function hintsFor(manifest: Manifest): readonly Hint[] {
  const story = mainStory(manifest);
  if (!story) return [];
  const first = adviceFor(manifest)?.id;
  const account = accountOf(manifest, story);
  return [
    ...considered(manifest, story).filter(({ id }) => id !== first),
    ...RULES.flatMap((rule) => rule({ story, account }) ?? []),
  ];
}
