/**
 * Marks: the start-up hook appends a line to a file beside it at each stage that a process reaches. For a
 * process without a receipt they show how far it came. Any process of the step can write to this file, so
 * only a sentence in the report, or the doubt about a green run, depends on it.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The file, in the folder that is first on the step's PYTHONPATH (`MARKS` of python/shim/sitecustomize.py).
 */
export const MARKS = 'marks';

/**
 * `started`: it read the hook. `importing`: it began to import torch. `imported`: the import is done and its
 * receipt is written.
 */
export type Came = 'started' | 'importing' | 'imported';
const STAGES: Readonly<Record<string, Came>> = { s: 'started', i: 'importing', t: 'imported' };
const ORDER: readonly Came[] = Object.values(STAGES);

interface Mark {
  readonly came: Came;
  /** Since the machine's boot. */
  readonly seconds: number;
}

/** By pid, as each process sees its own. */
export type Marks = ReadonlyMap<number, readonly Mark[]>;

/** Enough for 200,000 processes. Later ones are ignored. */
const MOST_BYTES = 4 * 2 ** 20;
/** Clock ticks of /proc in a second, the same on every Linux. */
const TICKS = 100;

export function parseMarks(text: string): Marks {
  const marks = new Map<number, Mark[]>();
  for (const line of text.split('\n')) {
    const [, stage = '', pid, seconds] = /^([sit]) (\d{1,10}) (\d{1,12}\.\d\d)$/.exec(line) ?? [];
    const came = STAGES[stage];
    if (came === undefined) continue;
    const own = marks.get(Number(pid)) ?? [];
    marks.set(Number(pid), [...own, { came, seconds: Number(seconds) }]);
  }
  return marks;
}

/** Reads the marks of a step; empty when the file cannot be read. */
export function readMarks(shimDir: string): Marks {
  try {
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    const file = openSync(join(shimDir, MARKS), O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0));
    try {
      const stat = fstatSync(file);
      if (!stat.isFile()) return new Map();
      const buffer = Buffer.alloc(Math.min(stat.size, MOST_BYTES));
      return parseMarks(buffer.toString('latin1', 0, readSync(file, buffer)));
    } finally {
      closeSync(file);
    }
  } catch {
    return new Map();
  }
}

/**
 * How far a process came; null when it left no mark. Marks of an earlier process with the same pid are
 * recognised by their time.
 */
export function cameOf(
  marks: Marks,
  { innerPid, startTicks }: { readonly innerPid: number; readonly startTicks: number },
): Came | null {
  const own = (marks.get(innerPid) ?? []).filter(({ seconds }) => seconds * TICKS >= startTicks - 1);
  return ORDER.findLast((came) => own.some((mark) => mark.came === came)) ?? null;
}

/**
 * Pids that imported torch to the end and are none of `known`: their receipts could not be written, or were
 * removed.
 */
export const lostPids = (marks: Marks, known: ReadonlySet<number>): readonly number[] =>
  [...marks].flatMap(([pid, own]) =>
    known.has(pid) || !own.some(({ came }) => came === 'imported') ? [] : [pid],
  );
