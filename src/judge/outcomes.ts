/**
 * What became of out-of-memory errors that ended no process by themselves: a test that failed by one, a program that ended itself
 * because of one, a tool that caught one after it had left the program. Facts of the receipts only. Pure.
 */
import type { Oom, Receipt } from '../evidence/receipt.js';
import { count } from '../lib/text.js';

type Told = Pick<Receipt, 'ooms' | 'oom_count' | 'end'>;

/** Did the step fail by it, though its process ended in another way? A tool that went on after it decides nothing on a green step. */
export const isFatal = ({ outcome }: Pick<Oom, 'outcome'>): boolean =>
  outcome?.kind === 'test-failed' || outcome?.kind === 'exit' || outcome?.kind === 'left';

/** The test in which memory ran out, as its runner calls it, with what it was doing beside the test itself. */
export function testName({ test }: Pick<Oom, 'test'>): string | null {
  if (test === null) return null;
  const phase = test.phase === null || test.phase === 'call' ? '' : ` (${test.phase})`;
  return `${test.id}${phase}`;
}

/** Out-of-memory errors that were fatal, of all processes, the first one first. */
export interface FatalOoms {
  /** Tests that failed by one, each once. */
  readonly tests: readonly string[];
  /** Programs that ended themselves because of one. */
  readonly exits: number;
  /** Tools that caught one which had left the program; null: of no known name. */
  readonly tools: readonly (string | null)[];
}

export function fatalOoms(processes: readonly Told[]): FatalOoms {
  const all = processes
    .flatMap(({ ooms }) => ooms)
    .filter(isFatal)
    .sort((a, b) => (a.time ?? 0) - (b.time ?? 0));
  const of = (kind: string): Oom[] => all.filter(({ outcome }) => outcome?.kind === kind);
  return {
    tests: [...new Set(of('test-failed').map((oom) => testName(oom) ?? 'a test'))],
    exits: of('exit').length,
    tools: of('left').map(({ outcome }) => outcome?.tool ?? null),
  };
}

/** Why the step failed by them, or null. */
export function fatalBecause({ tests, exits, tools }: FatalOoms, exitCode: number): string | null {
  const [first] = tests;
  if (first !== undefined) {
    return tests.length === 1
      ? `the test ${first} failed by an out-of-memory`
      : `${tests.length} tests failed by an out-of-memory, first ${first}`;
  }
  if (exits > 0) return `${count(exits, 'process', 'processes')} ended itself because of an out-of-memory`;
  if (tools.length > 0 && exitCode !== 0) {
    return `${tools[0] ?? 'a tool'} caught an out-of-memory that had left the program, and the step exited with ${exitCode}`;
  }
  return null;
}

/**
 * Processes that exited in the ordinary way after an out-of-memory of which nothing tells who handled it: they may have gone on, or
 * have ended because of it. (An exception of another kind at the end shows that the program went on.)
 */
export const unexplained = (processes: readonly Told[]): number =>
  processes.filter(
    ({ ooms, oom_count: n, end }) =>
      n > 0 && end?.kind === 'exit' && !end.oom && (ooms.at(-1)?.outcome ?? null) === null,
  ).length;
