/** The outputs of the action, all of them set on every run, also when nothing was recorded. */
import { closeSync, readFileSync } from 'node:fs';
import { openFile, type Runner } from './runner.js';

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

/**
 * What a file in the form of the runner's sets: `name=value`, or `name<<END`, lines, `END`. The last value of a
 * name counts.
 */
export function valuesIn(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  let open: { readonly name: string; readonly end: string; readonly lines: string[] } | null = null;
  for (const line of text.split(/\r?\n/)) {
    if (open !== null) {
      if (line === open.end) open = null;
      else {
        open.lines.push(line);
        values.set(open.name, open.lines.join('\n'));
      }
      continue;
    }
    const [, name, mark, rest = ''] = /^([^=<]*)(=|<<)(.*)$/s.exec(line) ?? [];
    if (name === undefined) continue;
    values.set(name, mark === '<<' ? '' : rest);
    if (mark === '<<') open = { name, end: rest, lines: [] };
  }
  return values;
}

/**
 * Outputs of ours that the step's own commands have set: the runner takes the last value of a name, so they
 * are replaced.
 * @param path of the runner's file for outputs, before anything of ours is in it
 */
export function replacedOutputs(path: string | undefined): readonly OutputName[] {
  try {
    if (!path) return [];
    const file = openFile(path);
    try {
      // An expression finds an output in any case of its letters.
      const names = new Set(
        [...valuesIn(readFileSync(file, 'utf8')).keys()].map((name) => name.toLowerCase()),
      );
      return OUTPUT_NAMES.filter((name) => names.has(name));
    } finally {
      closeSync(file);
    }
  } catch {
    return []; // the step may have removed it
  }
}
