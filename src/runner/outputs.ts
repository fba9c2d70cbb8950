/** The outputs of the action, all of them set on every run, also when nothing was recorded. */
import { readFileSync, statSync } from 'node:fs';
import type { Runner } from './runner.js';

/** Names in the order of the contract. */
export const OUTPUT_NAMES = [
  'exit-code',
  'verdict',
  'oom-count',
  'fingerprint',
  'snapshot-count',
  'snapshots',
  'manifest',
  'artifact-id',
  'artifact-url',
  'artifact-digest',
  'report-url',
  'cycle-count',
  'parity',
  'peak-allocated',
  'peak-reserved',
  'memory-file',
  'summary-file',
  'evidence-dir',
] as const;

export type OutputName = (typeof OUTPUT_NAMES)[number];
export type Outputs = Readonly<Record<OutputName, string | number>>;

/** Hands every output to the runner. */
export function setOutputs(runner: Runner, outputs: Outputs): void {
  runner.setOutputs(Object.fromEntries(OUTPUT_NAMES.map((name) => [name, String(outputs[name])])));
}

/** Names that a file in the form of the runner's sets: `name=value`, or `name<<END`, lines, `END`. */
export function namesIn(text: string): readonly string[] {
  const names: string[] = [];
  let end: string | null = null;
  for (const line of text.split(/\r?\n/)) {
    if (end !== null) {
      if (line === end) end = null;
      continue;
    }
    const [, name, mark, rest] = /^([^=<]*)(=|<<)(.*)$/s.exec(line) ?? [];
    if (name === undefined) continue;
    names.push(name);
    if (mark === '<<') end = rest ?? '';
  }
  return names;
}

/**
 * Outputs of ours that the step's own commands have set: the runner takes the last value of a name, so they
 * are replaced.
 * @param path of the runner's file for outputs, before anything of ours is in it
 */
export function replacedOutputs(path: string | undefined): readonly OutputName[] {
  try {
    if (!path || !statSync(path).isFile()) return [];
    // An expression finds an output in any case of its letters.
    const names = new Set(namesIn(readFileSync(path, 'utf8')).map((name) => name.toLowerCase()));
    return OUTPUT_NAMES.filter((name) => names.has(name));
  } catch {
    return []; // the step may have removed it
  }
}
