/**
 * What the numbers suggest. Each hint is there only when its numbers say so, and carries them; none says what
 * caused what: the allocator reuses blocks, so nothing here could know. Pure.
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

export type HintId =
  | 'larger-than-device'
  | 'memory-fraction'
  | 'other-processes'
  | 'private-pools'
  | 'fragmentation'
  | 'cycles'
  | 'gradients'
  | 'optimizer-state'
  | 'growth'
  | 'retries';

export interface Hint {
  readonly id: HintId;
  readonly text: Rich;
  /**
   * The numbers that the hint stands on: bytes or counts of the manifest, or differences and sums of such.
   */
  readonly numbers: readonly number[];
}

interface Facts {
  readonly manifest: Manifest;
  readonly story: OomStory;
  readonly account: Account;
}

type Rule = (facts: Facts) => Hint | null;

const gib = (bytes: number): string => formatBytes(bytes);

/** Times, in one decimal. */
const times = (a: number, b: number): string => (a / b).toFixed(1);

const largerThanDevice: Rule = ({ story: { oom }, account }) => {
  const most = account.limit ?? account.total;
  if (oom.wanted === null || most === null || oom.wanted <= most) return null;
  return {
    id: 'larger-than-device',
    numbers: [oom.wanted, most],
    text: say`One request of ${strong(gib(oom.wanted))} is more than ${account.limit === null ? 'the whole device has' : 'the process may use at all'} (${gib(most)}): no freeing of memory makes it fit. A smaller batch or sequence, or a look at the tensor's shape, does.`,
  };
};

const memoryFraction: Rule = ({ account: { limit, total, free }, story: { oom } }) => {
  if (limit === null || total === null || free === null || oom.wanted === null) return null;
  if (free < oom.wanted) return null;
  return {
    id: 'memory-fraction',
    numbers: [limit, total, free],
    text: say`The process is limited to ${strong(gib(limit))} of ${gib(total)} (${code('set_per_process_memory_fraction')}), and ${gib(free)} of the device were free: the limit was reached, not the device's size.`,
  };
};

const otherProcesses: Rule = ({ account: { othersHeld, free, others }, story: { oom } }) => {
  if (othersHeld === 0 || free === null || oom.wanted === null) return null;
  if (free >= oom.wanted || free + othersHeld < oom.wanted) return null;
  const early = others.filter((o) => o.before).reduce((sum, o) => sum + (o.used ?? 0), 0);
  const whose =
    early === othersHeld
      ? 'processes that were there before this step'
      : 'processes that left no receipt here';
  return {
    id: 'other-processes',
    numbers: [othersHeld, free, oom.wanted],
    text: say`${strong(gib(othersHeld))} belonged to ${whose}. With the ${gib(free)} that were free that is more than the ${gib(oom.wanted)} asked for.`,
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

const fragmentation: Rule = ({ account, story: { process, oom } }) => {
  if (account.unused === null || oom.wanted === null || oom.wanted === 0) return null;
  // What private pools keep unused is no fragmentation: the rule above has it.
  const unused = account.unused - unusedInPools(censusOf(oom.census, oom.device));
  if (unused < oom.wanted) return null;
  const { alloc_conf = null, expandable_segments = null } = process.build ?? {};
  // The setting can be made at run time, too; the environment tells only where torch does not.
  const on = expandable_segments ?? (/expandable_segments:\s*true/i.test(alloc_conf ?? '') ? true : null);
  const unsure = on === null ? ', where it is not on already,' : null;
  const remedy = on
    ? say`${code('expandable_segments:True')} is on already.`
    : say`${code('PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True')}${unsure} lets the allocator use such pieces together.`;
  return {
    id: 'fragmentation',
    numbers: [unused, oom.wanted],
    text: say`${strong(gib(unused))} were reserved by the allocator but in no block: more than the ${gib(oom.wanted)} asked for, in pieces too small or of another pool. ${remedy}`,
  };
};

const cycles: Rule = ({ story: { oom } }) => {
  const held = oom.cycles?.bytes[`cuda:${oom.device ?? 0}`] ?? 0;
  if (held === 0) return null;
  const enough =
    oom.wanted !== null && held >= oom.wanted ? say`, more than the ${gib(oom.wanted)} asked for` : null;
  return {
    id: 'cycles',
    numbers: [held],
    text: say`${strong(gib(held))} were held only by reference cycles at that moment${enough}: no variable of the program reached them any more, and Python frees them only when its collector runs.`,
  };
};

/** Bytes of two categories at the failure, the second as the measure of the first. */
function pair(
  facts: Facts,
  name: 'gradient' | 'optimizer_state',
): { part: number; parameter: number; allocated: number } | null {
  const { oom } = facts.story;
  const census = censusOf(oom.census, oom.device);
  const partial = oom.census?.not_reached.some((seen) => seen === name || seen === 'parameter');
  const parameter = census?.categories.parameter?.bytes ?? 0;
  const part = census?.categories[name]?.bytes ?? 0;
  return census && parameter > 0 && !partial ? { part, parameter, allocated: census.allocated } : null;
}

/** Below this share of what is allocated, a category is not worth a hint. */
const WORTH = 0.05;

const gradients: Rule = (facts) => {
  const sizes = pair(facts, 'gradient');
  if (!sizes || sizes.part <= 1.1 * sizes.parameter || sizes.part < WORTH * sizes.allocated) return null;
  return {
    id: 'gradients',
    numbers: [sizes.part, sizes.parameter],
    text: say`Gradients took ${strong(gib(sizes.part))}, ${times(sizes.part, sizes.parameter)} times the parameters (${gib(sizes.parameter)}): more than one gradient of the same type for each.`,
  };
};

const optimizerState: Rule = (facts) => {
  const sizes = pair(facts, 'optimizer_state');
  if (!sizes || sizes.part <= 2.2 * sizes.parameter || sizes.part < WORTH * sizes.allocated) return null;
  return {
    id: 'optimizer-state',
    numbers: [sizes.part, sizes.parameter],
    text: say`Optimizer state took ${strong(gib(sizes.part))}, ${times(sizes.part, sizes.parameter)} times the parameters (${gib(sizes.parameter)}); Adam's two moments in the parameters' own type are 2.0 times.`,
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

const RULES: readonly Rule[] = [
  largerThanDevice,
  otherProcesses,
  memoryFraction,
  cycles,
  privatePools,
  fragmentation,
  optimizerState,
  gradients,
  growth,
  retries,
];

/** Every hint whose numbers are there, the most telling first. */
export function hintsFor(manifest: Manifest, story: OomStory | null = mainStory(manifest)): readonly Hint[] {
  if (!story) return [];
  const facts: Facts = { manifest, story, account: accountOf(manifest, story) };
  return RULES.flatMap((rule) => rule(facts) ?? []);
}
