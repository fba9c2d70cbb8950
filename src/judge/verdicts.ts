/**
 * The verdicts of the contract, a closed list. One more of them does not compile until each record over it
 * knows it: the traits below, the titles (words-headline.ts), the sentences (words-verdict.ts). Tests hold
 * README, action.yml and the JSON Schema to it.
 */

export const VERDICTS = [
  'ok',
  'oom-recovered',
  'oom',
  'host-oom',
  'killed',
  'cancelled',
  'failed',
  'unknown',
  'not-run',
] as const;
export type VerdictName = (typeof VERDICTS)[number];

/** How the report shows a verdict, beside its words. */
export interface VerdictTraits {
  readonly icon: string;
  readonly tone: 'bad' | 'warn' | 'good' | 'neutral';
  /** Every red step has one, as a plain `run:` has. */
  readonly annotation: 'error' | 'warning' | null;
  /** Nothing happened: one line is the whole summary, and receipts alone are not worth an artifact. */
  readonly quiet: boolean;
}

const traits = (
  icon: string,
  tone: VerdictTraits['tone'],
  annotation: VerdictTraits['annotation'] = null,
  quiet = false,
): VerdictTraits => ({ icon, tone, annotation, quiet });

export const VERDICT_TRAITS: Readonly<Record<VerdictName, VerdictTraits>> = {
  ok: traits('✅', 'good', null, true),
  'oom-recovered': traits('🟡', 'warn'),
  oom: traits('🔴', 'bad', 'error'),
  'host-oom': traits('🔴', 'bad', 'error'),
  killed: traits('🔴', 'bad', 'error'),
  cancelled: traits('⚪', 'neutral'),
  failed: traits('🔴', 'bad', 'error'),
  unknown: traits('🟡', 'warn', 'warning'),
  'not-run': traits('🔴', 'bad', 'error'),
};

/** Is this one of them? An account that lies on disk may have been written by anybody of the step. */
export const isVerdict = (name: unknown): name is VerdictName =>
  (VERDICTS as readonly unknown[]).includes(name);
