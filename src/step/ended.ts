/** What is known once the step has ended: the input of everything that follows. */
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
  /** Null when main was killed before the step ended. */
  readonly result: RunResult | null;
  readonly before: { readonly gpu: GpuObservation | null; readonly host: HostCounters | null };
  /** What the watch saw while the step ran; null when main was killed before it saw anything. */
  readonly seen: Seen | null;
  readonly hints: readonly ScriptHint[];
  readonly faults: readonly string[];
  readonly shimLaid: boolean;
  readonly leader: number | null;
  /** Start time of the leader, in clock ticks since boot; null when unknown. */
  readonly since: number | null;
  /** Processes of the step in the watch's last scan before it ended. */
  readonly met?: readonly Group[] | undefined;
  /** Processes that post had to kill. */
  readonly killed?: readonly NamedProcess[];
  /** The action's checkout: python/parity, dist/upload. */
  readonly actionDir: string;
  /** Deletes the reserve that was laid before the step, for what a full disk has no room for. */
  readonly makeRoom?: MakeRoom;
  /** The handling of a cancel during the work after the step. */
  readonly cancel?: Pick<CancelWatch, 'asked' | 'overdue'>;
  /** Evidence written after main finished. When set, only this is reported and published. */
  readonly late?: Evidence;
  /** A whole job, not a step: `result` is made from its status. */
  readonly job?: true;
  /** main was killed, most likely by a cancel: long work is skipped. */
  readonly hurried?: boolean;
}

/** How to recognise processes of a step that has ended. */
export const markOf = (ended: Pick<Ended, 'plan' | 'leader' | 'since' | 'met'>): StepMark => ({
  leader: ended.leader,
  variable: `${STEP_VARIABLE}=${ended.plan.id}`,
  since: ended.since,
  met: ended.met,
});

/** Processes known to belong to the step: alive now, seen by the watch, or seen with torch loaded. */
export const ownOf = (ended: Ended): readonly Group[] => [
  ...stepProcesses(markOf(ended)),
  ...(ended.met ?? []),
  ...(ended.seen?.sightings ?? []),
];
