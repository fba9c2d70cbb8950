/** Finds commands in the step's text that start programs without our PYTHONPATH. Pure. */
import { hintOf, LAUNCHERS, type Launcher } from './launchers.js';

/** One such command. */
export interface ScriptHint {
  /** From 1. */
  readonly line: number;
  readonly what: string;
  readonly advice: string;
}

/** Some patterns take quadratic time: 0.5 s for a line of 20 KB. */
const MAX_COMMAND = 4096;

/**
 * Hints in the text of the step, the first of each kind. Comments are left out; continued lines count as one.
 */
export function scriptHints(script: string): ScriptHint[] {
  const found = new Map<string, ScriptHint>();
  let first = 0;
  let command = '';
  const lines = script.split(/\r?\n/);
  for (const [index, line] of lines.entries()) {
    if (command === '') first = index + 1;
    command += line.replace(/(^|\s)#.*$/, '');
    if (command.endsWith('\\') && index < lines.length - 1) {
      command = `${command.slice(0, -1)} `;
      continue;
    }
    const start = command.slice(0, MAX_COMMAND);
    for (const launcher of Object.values<Launcher>(LAUNCHERS)) {
      const { what, words, pattern } = launcher;
      if (!found.has(what) && words?.some((word) => start.includes(word)) && pattern?.test(start))
        found.set(what, { line: first, what, advice: hintOf(launcher) });
    }
    command = '';
  }
  return [...found.values()];
}
