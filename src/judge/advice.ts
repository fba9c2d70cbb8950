/**
 * What to do first about an out-of-memory: rules over a closed list, each with its number and its share of the device. Every rule is
 * silent where its fact is not known or too small to matter. What the first rule does not say is left to the hints. Pure.
 */

import type { Manifest } from '../evidence/manifest.js';
import { type CategoryName, type CensusDevice, RANK_VARIABLES } from '../evidence/receipt.js';
import { formatBytes } from '../lib/bytes.js';
import { code, joinRich, type Rich, say, strong } from '../report/rich.js';
import {
  type Account,
  accountOf,
  censusOf,
  mainStory,
  type OomStory,
  openOoms,
  unusedInPools,
} from '../report/story.js';
import { share } from '../report/words/memory.js';
import { name } from '../report/words/words.js';
import { allCaught } from './verdict.js';

/** Of two with the same share the earlier is told: the more exact comes first. */
export const ADVICE_IDS = [
  'larger-than-device',
  'weights-larger',
  'same-device',
  'other-processes',
  'eval-activations',
  'graph-passes',
  'traceback',
  'kept',
  'twins',
  'cycles',
  'first-step',
  'optimizer-state',
  'gradients',
  'fragmentation',
  'activations',
] as const;
export type AdviceId = (typeof ADVICE_IDS)[number];

export interface Advice {
  readonly id: AdviceId;
  readonly text: Rich;
  /** The bytes it is about, as a share of what the process could use at most: above 1 for what can never fit. */
  readonly share: number;
  /** The numbers that the sentence stands on: of the manifest, or differences and sums of such. */
  readonly numbers: readonly number[];
}

interface Facts {
  readonly manifest: Manifest;
  readonly story: OomStory;
  readonly account: Account;
  readonly census: CensusDevice | null;
  /** The device, or the limit of the process where that is less. */
  readonly most: number;
}

interface Finding {
  readonly bytes: number;
  readonly numbers: readonly number[];
  readonly text: Rich;
}

/** Below this share of the device nothing is worth to be done first. */
const WORTH = 0.05;
/** Unused memory below this share is what every allocator keeps. */
const FRAGMENTED = 0.1;
/** Activations of less than this share do not dominate. */
const DOMINANT = 0.4;

const gib = formatBytes;
const times = (a: number, b: number): string => (a / b).toFixed(1);
const ofDevice = ({ most, account }: Facts, bytes: number): string =>
  `${share(bytes, most)} of ${account.limit === null ? 'the GPU' : 'what the process may use'}`;

const bytesOf = ({ census }: Facts, category: CategoryName): number =>
  census?.categories[category]?.bytes ?? 0;

/** Was all of it seen? Of a category that was not, the bytes are only the least that they may be. */
const whole = ({ story: { oom } }: Facts, ...categories: readonly CategoryName[]): boolean =>
  oom.census !== null && categories.every((one) => !oom.census?.not_reached.includes(one));

/** Saved activations of models in eval mode. A census counts them over all devices. */
const inEval = (facts: Facts): number =>
  Math.min(facts.story.oom.census?.signs?.eval_activations ?? 0, bytesOf(facts, 'activation'));

/**
 * What a name keeps that it need not. That a variable holds the end of a graph is how every backward pass begins: only a list of
 * several passes' outputs is worth a word, and `graphPasses` has the one graph that goes through many.
 */
const largestKept = ({ census, story: { oom } }: Facts, ...by: readonly string[]) =>
  (census?.kept ?? [])
    .filter((one) => by.includes(one.by))
    .filter(
      (one) => one.by !== 'graph' || (one.name.includes('[*]') && (oom.census?.signs?.live_passes ?? 0) > 1),
    )
    .reduce<CensusDevice['kept'][number] | null>((a, b) => (a !== null && a.bytes >= b.bytes ? a : b), null);

function largerThanDevice({ most, account, story: { oom } }: Facts): Finding | null {
  if (oom.wanted === null || oom.wanted <= most) return null;
  const has = account.limit === null ? 'the whole device has' : 'the process may use at all';
  return {
    bytes: oom.wanted,
    numbers: [oom.wanted, most],
    text: say`One request of ${strong(gib(oom.wanted))} is more than ${has} (${gib(most)}): no freeing of memory makes it fit. A smaller batch or sequence, or a look at the tensor's shape, does.`,
  };
}

function weightsLarger(facts: Facts): Finding | null {
  const { most, story } = facts;
  const parameter = bytesOf(facts, 'parameter');
  const { wanted } = story.oom;
  // A model that is being loaded: hardly anything else is there yet.
  const rest = (facts.census?.allocated ?? 0) - parameter;
  if (wanted === null || wanted > most || parameter + wanted <= most || rest > 0.1 * parameter) return null;
  return {
    bytes: parameter + wanted,
    numbers: [parameter, wanted, most],
    text: say`Parameters alone took ${strong(gib(parameter))}, ${ofDevice(facts, parameter)}; with the ${gib(wanted)} asked for they do not fit into ${gib(most)}. Load the model in a smaller type (${code('bfloat16')}, quantised), or shard it over more devices.`,
  };
}

/** Other ranks of the step that are on the very same device. */
function sameDevice({ manifest, story, account, ...facts }: Facts): Finding | null {
  const { process, oom } = story;
  const { before, after } = manifest.gpu ?? {};
  const look = [before, after].find((one) => one?.state === 'seen');
  const there = look?.state === 'seen' ? look.devices.length : 0;
  const isRank = (one: typeof process): boolean => RANK_VARIABLES.some((key) => key in one.rank_variables);
  if (there < 2 || account.outside === null || !isRank(process)) return null;
  const ranks = manifest.processes.filter(
    (one) =>
      one !== process &&
      one.host === process.host &&
      isRank(one) &&
      one.devices.some((d) => d.index === oom.device && (d.peak_reserved ?? 0) > 0),
  );
  const held = ranks.flatMap((one) => {
    const device = one.devices.find((d) => d.index === oom.device);
    return one.ooms.at(-1)?.reserved ?? device?.reserved ?? [];
  });
  const theirs = held.reduce((all, bytes) => all + bytes, 0);
  // Where the launcher shows each rank a device of its own, all of them are number 0: only memory that lies outside of this one's
  // allocator can be theirs.
  if (theirs === 0 || account.outside - account.othersHeld < theirs) return null;
  return {
    bytes: theirs,
    numbers: [theirs],
    text: say`${ranks.length + 1} ranks of this step used GPU ${oom.device ?? 0}, and the others held ${strong(gib(theirs))} of it, ${ofDevice({ manifest, story, account, ...facts }, theirs)}; the host has ${there} GPUs. Give each rank its own: ${code("torch.cuda.set_device(int(os.environ['LOCAL_RANK']))")}.`,
  };
}

function otherProcesses(facts: Facts): Finding | null {
  const { othersHeld, free, others } = facts.account;
  const { wanted } = facts.story.oom;
  if (othersHeld === 0 || free === null || wanted === null) return null;
  if (free >= wanted || free + othersHeld < wanted) return null;
  const early = others.filter((o) => o.before).reduce((sum, o) => sum + (o.used ?? 0), 0);
  const whose =
    early === othersHeld
      ? 'processes that were there before this step'
      : 'processes that left no receipt here';
  return {
    bytes: othersHeld,
    numbers: [othersHeld, free, wanted],
    text: say`${strong(gib(othersHeld))}, ${ofDevice(facts, othersHeld)}, belonged to ${whose}. With the ${gib(free)} that were free that is more than the ${gib(wanted)} asked for: end them, or use another device.`,
  };
}

function evalActivations(facts: Facts): Finding | null {
  const bytes = inEval(facts);
  return {
    bytes,
    numbers: [bytes],
    text: say`${strong(gib(bytes))} of activations, ${ofDevice(facts, bytes)}, were saved for a backward while the model was in ${code('eval()')}. Run it under ${code('torch.no_grad()')} or ${code('torch.inference_mode()')}.`,
  };
}

function graphPasses(facts: Facts): Finding | null {
  const passes = facts.story.oom.census?.signs?.graph_passes ?? 0;
  if (passes <= 1) return null;
  const bytes = bytesOf(facts, 'activation');
  const keeper = facts.census?.kept.find(({ by: how }) => how === 'graph') ?? null;
  const by = keeper === null ? null : say`, kept by ${name(keeper.name)}`;
  return {
    bytes,
    numbers: [passes, bytes],
    text: say`One autograd graph goes through the model ${strong(String(passes))} times${by}: iterations hang together, and ${gib(bytes)} of activations, ${ofDevice(facts, bytes)}, stay alive. ${code('detach()')} what is handed from one iteration to the next.`,
  };
}

function traceback(facts: Facts): Finding | null {
  const kept = largestKept(facts, 'traceback');
  if (kept === null) return null;
  return {
    bytes: kept.bytes,
    numbers: [kept.bytes],
    text: say`${strong(gib(kept.bytes))}, ${ofDevice(facts, kept.bytes)}, were left by an earlier failure: its traceback, ${name(kept.name)}, keeps the tensors of its frames. Look at the first failure, and let go of the exception before going on.`,
  };
}

/** Lists and caches by name. A model is held by a name as well: bytes count only where they are certainly no part of its state. */
function lists(facts: Facts): readonly { readonly name: string; readonly bytes: number }[] {
  const state = (['parameter', 'gradient', 'optimizer_state'] as const).reduce(
    (sum, c) => sum + bytesOf(facts, c),
    0,
  );
  const { kept = [], categories = {} } = facts.census ?? {};
  const owners = (['activation', 'input', 'unknown'] as const).flatMap((c) => categories[c]?.owners ?? []);
  return [
    ...kept.filter(({ by, bytes }) => by === 'holder' && bytes > state),
    ...owners.filter(({ kind, count }) => kind === 'holder' && count > 1),
  ];
}

function kept(facts: Facts): Finding | null {
  const graph = largestKept(facts, 'graph');
  const [one] = [
    ...(graph === null ? [] : [graph]),
    ...lists(facts).map(({ name: of, bytes }) => ({ name: of, bytes, by: 'holder' as const })),
  ].sort((a, b) => b.bytes - a.bytes);
  if (one === undefined) return null;
  const what = one.by === 'graph' ? ' of activations' : null;
  const remedy =
    one.by === 'graph'
      ? say`Keep ${code('.detach()')} or ${code('.item()')} of it, or run it under ${code('torch.no_grad()')}.`
      : say`Bound it, move what it keeps to the host, or let it go earlier.`;
  return {
    bytes: one.bytes,
    numbers: [one.bytes],
    text: say`${name(one.name)} keeps ${strong(gib(one.bytes))}${what} alive, ${ofDevice(facts, one.bytes)}. ${remedy}`,
  };
}

function twins(facts: Facts): Finding | null {
  const seen = facts.story.oom.census?.signs?.twins;
  if (!seen) return null;
  const bytes = seen.bytes * (seen.names.length - 1);
  const names = joinRich(
    seen.names.map((one) => [name(one)]),
    ', ',
  );
  return {
    bytes,
    numbers: [seen.bytes, bytes],
    text: say`One model is alive ${strong(String(seen.names.length))} times (${names}), ${gib(seen.bytes)} each: ${ofDevice(facts, bytes)} more than one needs. Let the old one go, or keep it on the host.`,
  };
}

function cycles(facts: Facts): Finding | null {
  const { oom } = facts.story;
  const held = oom.cycles?.bytes[`cuda:${oom.device ?? 0}`] ?? 0;
  const enough =
    oom.wanted !== null && held >= oom.wanted ? say`, more than the ${gib(oom.wanted)} asked for` : null;
  return {
    bytes: held,
    numbers: [held],
    text: say`${strong(gib(held))}, ${ofDevice(facts, held)}, were held only by reference cycles at that moment${enough}: no variable of the program reached them any more, and Python frees them only when its collector runs. Break the cycles.`,
  };
}

function firstStep(facts: Facts): Finding | null {
  if (facts.story.oom.census?.signs?.optimizer_step !== 'first') return null;
  const [parameter, gradient, state] = (['parameter', 'gradient', 'optimizer_state'] as const).map((c) =>
    bytesOf(facts, c),
  ) as [number, number, number];
  const bytes = parameter + gradient + state;
  return {
    bytes,
    numbers: [parameter, gradient, state, bytes],
    text: say`Memory ran out in the optimizer's first step, which makes its state: parameters, gradients and the state so far took ${strong(gib(bytes))}, ${ofDevice(facts, bytes)}. An optimizer with less state (8 bit, ${code('SGD')}), sharding or offloading helps; a smaller batch hardly does.`,
  };
}

/** A category, measured by the parameters; null where one of the two was not seen whole. */
function against(facts: Facts, category: 'gradient' | 'optimizer_state', most: number) {
  const [part, parameter] = [bytesOf(facts, category), bytesOf(facts, 'parameter')];
  if (!whole(facts, category, 'parameter') || parameter === 0 || part <= most * parameter) return null;
  return { part, parameter };
}

function optimizerState(facts: Facts): Finding | null {
  const sizes = against(facts, 'optimizer_state', 2.2);
  return (
    sizes && {
      bytes: sizes.part,
      numbers: [sizes.part, sizes.parameter],
      text: say`Optimizer state took ${strong(gib(sizes.part))}, ${ofDevice(facts, sizes.part)} and ${times(sizes.part, sizes.parameter)} times the parameters (${gib(sizes.parameter)}); Adam's two moments in the parameters' own type are 2.0 times.`,
    }
  );
}

function gradients(facts: Facts): Finding | null {
  const sizes = against(facts, 'gradient', 1.1);
  return (
    sizes && {
      bytes: sizes.part,
      numbers: [sizes.part, sizes.parameter],
      text: say`Gradients took ${strong(gib(sizes.part))}, ${ofDevice(facts, sizes.part)} and ${times(sizes.part, sizes.parameter)} times the parameters (${gib(sizes.parameter)}): more than one gradient of the same type for each.`,
    }
  );
}

function fragmentation(facts: Facts): Finding | null {
  const { wanted } = facts.story.oom;
  if (facts.account.unused === null || wanted === null || wanted === 0) return null;
  // What private pools keep unused is no fragmentation: a hint has it.
  const bytes = facts.account.unused - unusedInPools(facts.census);
  if (bytes < wanted || bytes < FRAGMENTED * facts.most) return null;
  const { alloc_conf = null, expandable_segments = null } = facts.story.process.build ?? {};
  // The setting can be made at run time, too; the environment tells only where torch does not.
  const on = expandable_segments ?? (/expandable_segments:\s*true/i.test(alloc_conf ?? '') ? true : null);
  const unsure = on === null ? ', where it is not on already,' : null;
  const remedy = on
    ? say`${code('expandable_segments:True')} is on already.`
    : say`${code('PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True')}${unsure} lets the allocator use such pieces together.`;
  return {
    bytes,
    numbers: [bytes, wanted],
    text: say`${strong(gib(bytes))}, ${ofDevice(facts, bytes)}, were reserved by the allocator and not in use: more than the ${gib(wanted)} asked for, in pieces too small or of another pool. ${remedy}`,
  };
}

function activations(facts: Facts): Finding | null {
  const compiled = (facts.census?.categories.unknown?.owners ?? []).filter(({ kind }) => kind === 'compiled');
  const bytes = compiled.reduce((sum, owner) => sum + owner.bytes, bytesOf(facts, 'activation'));
  // In eval mode, or where a name or a traceback keeps them, a smaller batch is not the answer.
  const explained = Math.max(inEval(facts), largestKept(facts, 'graph', 'traceback')?.bytes ?? 0);
  if (bytes < DOMINANT * facts.most || explained >= bytes / 2) return null;
  return {
    bytes,
    numbers: [bytes],
    text: say`Activations took ${strong(gib(bytes))}, ${ofDevice(facts, bytes)}. A smaller batch or a shorter sequence takes fewer; so do activation checkpointing (${code('torch.utils.checkpoint')}) and ${code('torch.autocast')}.`,
  };
}

const RULES: Readonly<Record<AdviceId, (facts: Facts) => Finding | null>> = {
  'larger-than-device': largerThanDevice,
  'weights-larger': weightsLarger,
  'same-device': sameDevice,
  'other-processes': otherProcesses,
  'eval-activations': evalActivations,
  'graph-passes': graphPasses,
  traceback,
  kept,
  twins,
  cycles,
  'first-step': firstStep,
  'optimizer-state': optimizerState,
  gradients,
  fragmentation,
  activations,
};

/** All that the numbers of an out-of-memory suggest, the largest share first. */
export function considered(
  manifest: Manifest,
  story: OomStory | null = mainStory(manifest),
): readonly Advice[] {
  if (story === null) return [];
  const account = accountOf(manifest, story);
  const most = account.limit ?? account.total;
  if (most === null || most === 0) return [];
  const facts: Facts = {
    manifest,
    story,
    account,
    census: censusOf(story.oom.census, story.oom.device),
    most,
  };
  return ADVICE_IDS.flatMap((id): Advice[] => {
    const found = RULES[id](facts);
    if (found === null || found.bytes < WORTH * most) return [];
    return [{ id, text: found.text, numbers: found.numbers, share: found.bytes / most }];
  }).sort((a, b) => b.share - a.share);
}

/** What to do first; null where the numbers suggest nothing, or where the program handled the error and went on. */
export function adviceFor(manifest: Manifest): Advice | null {
  if (manifest.verdict.name !== 'oom' && allCaught(openOoms(manifest))) return null;
  return considered(manifest)[0] ?? null;
}
