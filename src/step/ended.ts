/** What is known when the step has ended: the input of everything after it. */
import type { Evidence } from '../evidence/collect.js';
import type { GpuObservation } from '../gpu/observe.js';
import type { MakeRoom } from '../lib/files.js';
import { type Plan, STEP_VARIABLE } from '../plan.js';
import type { CancelWatch } from './cancel.js';
import type { HostCounters } from './host.js';
import { type Group, type StepMark, stepProcesses } from './own.js';
import type { NamedProcess } from './proc.js';
import type { RunResult } from './process.js';
import type { ScriptHint } from './script-hints.js';
import type { Seen } from './watch.js';

/** What is known when the step has ended. */
export interface Ended {
  readonly plan: Plan;
  readonly env: NodeJS.ProcessEnv;
  /** Null when main was killed, so that nobody saw how the step ended. */
  readonly result: RunResult | null;
  readonly before: { readonly gpu: GpuObservation | null; readonly host: HostCounters | null };
  /** What was seen of the step's processes while it ran; null when main was killed before it had seen anything. */
  readonly seen: Seen | null;
  readonly hints: readonly ScriptHint[];
  readonly faults: readonly string[];
  readonly shimLaid: boolean;
  readonly leader: number | null;
  /** When the leader started, in clock ticks since boot; null when it is not known. */
  readonly since: number | null;
  /** Processes of the step that were met while it ran: those of the last look before its end, for post. */
  readonly met?: readonly Group[] | undefined;
  /** Processes that post had to kill. */
  readonly killed?: readonly NamedProcess[];
  /** The action's checkout: python/parity, dist/upload. */
  readonly actionDir: string;
  /** Deletes the reserve that was laid before the step, for what a full disk has no room for. */
  readonly makeRoom?: MakeRoom;
  /** A cancel that comes while we are at it. */
  readonly cancel?: Pick<CancelWatch, 'asked' | 'overdue'>;
  /** What the step's processes wrote after main had finished: only that is told and published. */
  readonly late?: Evidence;
  /** main was killed, most likely by a cancel: what takes long is left out. */
  readonly hurried?: boolean;
}

/** What marks the processes of a step that has ended. */
export const markOf = (ended: Pick<Ended, 'plan' | 'leader' | 'since' | 'met'>): StepMark => ({
  leader: ended.leader,
  variable: `${STEP_VARIABLE}=${ended.plan.id}`,
  since: ended.since,
  met: ended.met,
});

/** Processes that are known as the step's: those that live now, those that were met, those that had torch loaded. */
export const ownOf = (ended: Ended): readonly Group[] => [
  ...stepProcesses(markOf(ended)),
  ...(ended.met ?? []),
  ...(ended.seen?.sightings ?? []),
];
