/** The outputs of the action, all of them set on every run, also when nothing was recorded. */
import type { Runner } from './actions.js';

/** Names in the order of the contract. */
export const OUTPUT_NAMES = [
  'exit-code',
  'verdict',
  'oom-count',
  'snapshot-count',
  'snapshots',
  'manifest',
  'artifact-id',
  'artifact-url',
  'artifact-digest',
  'report-url',
  'cycle-count',
  'parity',
  'evidence-dir',
] as const;

export type OutputName = (typeof OUTPUT_NAMES)[number];
export type Outputs = Readonly<Record<OutputName, string | number>>;

/** Hands every output to the runner. */
export function setOutputs(runner: Runner, outputs: Outputs): void {
  runner.setOutputs(Object.fromEntries(OUTPUT_NAMES.map((name) => [name, String(outputs[name])])));
}
