/**
 * Where an out-of-memory of the step may have gone unseen, though its processes were reached: evidence that
 * is missing or cannot be read, or torch that refused to be watched. A closed list. Pure.
 */
import type { Evidence } from '../evidence/collect.js';
import type { Recorder, Torch } from '../evidence/receipt.js';
import { count } from '../lib/text.js';

export const BLIND_KINDS = [
  'not-laid',
  'no-folder',
  'oom-without-receipt',
  'without-receipt',
  'unreadable',
  'refused',
] as const;
export type BlindKind = (typeof BLIND_KINDS)[number];

export interface BlindSpot {
  readonly kind: BlindKind;
  /** Processes; 0 where it is about all of the step. */
  readonly count: number;
  /** What is known of why; null where nothing is. */
  readonly reason: string | null;
}

const processes = (n: number): string => count(n, 'process', 'processes');

const WORDS: Readonly<Record<BlindKind, { readonly what: (n: number) => string; readonly remedy: string }>> =
  {
    'not-laid': { what: () => 'nothing could be recorded', remedy: 'the reason is a fault of the machine' },
    'no-folder': {
      what: () => 'the folder of the evidence cannot be read',
      remedy: 'something of the step removed it, or took it from the user of the runner',
    },
    'oom-without-receipt': {
      what: (n) => `${processes(n)} left a snapshot of an out-of-memory and no receipt`,
      remedy: 'the receipt would say what became of it; the log of the step may',
    },
    'without-receipt': {
      what: (n) => `${processes(n)} imported torch and left no receipt that is still there`,
      remedy: 'where it could not be written, a line of the log that begins with "oom-autopsy:" says why',
    },
    unreadable: {
      what: (n) => `files that ${processes(n)} left cannot be read`,
      remedy: "where they are another user's, hand them over in the step: chown -R to the user of the runner",
    },
    refused: {
      what: (n) => `torch refused to report out-of-memory errors in ${processes(n)}`,
      remedy:
        'it reports those of its own allocator alone, not those of a pluggable one or of cudaMallocAsync',
    },
  };

/** One of them as a part of a sentence. @param because with its reason */
export const blindWords = ({ kind, count: n, reason }: BlindSpot, because = true): string =>
  `${WORDS[kind].what(n)}${reason === null || !because ? '' : ` (${reason})`}`;

/** What is not known for them, as a part of a sentence. */
export const doubtOf = (spots: readonly BlindSpot[]): string =>
  spots.some(({ kind }) => kind === 'oom-without-receipt')
    ? 'what became of an out-of-memory is not known'
    : 'whether memory ran out is not known';

/** What helps, or what would tell. */
export const blindRemedy = ({ kind }: Pick<BlindSpot, 'kind'>): string => WORDS[kind].remedy;

/**
 * Could no out-of-memory of torch's allocator be observed in a process? So it is where torch refused the
 * observer (a pluggable allocator), and under `backend:cudaMallocAsync`, which reports none.
 */
export const isBlind = ({
  recorder,
  torch,
}: {
  readonly recorder: Pick<Recorder, 'observer'>;
  readonly torch: Pick<Torch, 'backend'> | null;
}): boolean => recorder.observer === 'refused' || torch?.backend === 'cudaMallocAsync';

/** What is looked at, beside the evidence. */
interface Sight {
  /** Why the shim was not laid, or null. */
  readonly shimFault: string | null;
  /** Pids of processes that imported torch to the end and of which no receipt is there. */
  readonly lost: readonly number[];
}

/** All of them, the most telling first. */
export function blindSpots(evidence: Evidence, { shimFault, lost }: Sight): readonly BlindSpot[] {
  if (shimFault !== null) return [{ kind: 'not-laid', count: 0, reason: shimFault }];
  const { folderFault, receipts, snapshots, unread } = evidence;
  if (folderFault !== null) return [{ kind: 'no-folder', count: lost.length, reason: folderFault }];
  const unreadable = new Set(unread.map(({ owner }) => owner.pid));
  const orphans = snapshots.filter((s) => s.orphan && !unreadable.has(s.pid));
  const atOom = new Set(orphans.filter(({ reason }) => reason === 'oom').map(({ pid }) => pid));
  const silent = new Set(
    [...orphans.map(({ pid }) => pid), ...lost].filter((pid) => !atOom.has(pid) && !unreadable.has(pid)),
  );
  const blind = receipts.filter(isBlind);
  const spots: BlindSpot[] = [
    { kind: 'oom-without-receipt', count: atOom.size, reason: null },
    { kind: 'without-receipt', count: silent.size, reason: null },
    { kind: 'unreadable', count: unreadable.size, reason: unread[0]?.reason ?? null },
    { kind: 'refused', count: blind.length, reason: blind[0]?.recorder.reason ?? null },
  ];
  return spots.filter((spot) => spot.count > 0);
}
