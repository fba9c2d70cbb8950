/**
 * The inputs of the action: read once, validated together, frozen. Pure: text in, values or all problems out.
 * The table below is the only place that knows an input's default and accepted values; action.yml and the
 * README are held equal to it by a test.
 */
import { type Amount, parseAmount } from './lib/amount.js';
import { parseBytes } from './lib/bytes.js';
import { printable } from './lib/text.js';
import { BUILT_IN_SHELLS, templateProblem } from './step/shell.js';

export const SNAPSHOT_POLICIES = ['on-oom', 'on-failure', 'always', 'off'] as const;
export const STACKS = ['python', 'all'] as const;
export const GATES = ['off', 'warn', 'fail'] as const;
export const CYCLE_WATCHES = ['sampled', 'continuous'] as const;
export const CATEGORY_MODES = ['off', 'census', 'timeline'] as const;
export const NO_TORCH_POLICIES = ['ignore', 'warn', 'fail'] as const;
export const NO_BASELINE_POLICIES = ['ignore', 'warn', 'fail'] as const;

export type Gate = (typeof GATES)[number];

/** Everything the user asked for. Sizes in bytes, times in seconds. */
export interface Inputs {
  readonly run: string;
  readonly shell: string;
  readonly workingDirectory: string;
  readonly snapshot: (typeof SNAPSHOT_POLICIES)[number];
  readonly maxEntries: number;
  readonly stacks: (typeof STACKS)[number];
  readonly maxSnapshots: number;
  readonly maxUploadSize: number;
  readonly cycles: Gate;
  readonly cyclesWatch: (typeof CYCLE_WATCHES)[number];
  readonly categories: (typeof CATEGORY_MODES)[number];
  readonly timelineSteps: number;
  readonly parity: Gate;
  readonly fixture: string;
  readonly python: string;
  readonly ifNoTorch: (typeof NO_TORCH_POLICIES)[number];
  /** Null: no budget. */
  readonly memoryBudget: Amount | null;
  readonly baseline: string;
  /** Null: growth is told and turns nothing red. */
  readonly maxGrowth: Amount | null;
  readonly ifNoBaseline: (typeof NO_BASELINE_POLICIES)[number];
  /** Null: nothing is asked before the step. */
  readonly minFree: Amount | null;
  readonly upload: boolean;
  readonly artifactName: string;
  readonly retentionDays: number;
  readonly compressionLevel: number;
  readonly evidenceDir: string;
  readonly gracePeriod: number;
}

/** One wrong input: what was given (made printable, bounded) and what would be accepted. */
export interface InputProblem {
  readonly input: string;
  readonly given: string;
  readonly accepted: string;
}

export type ParsedInputs =
  | { readonly ok: true; readonly inputs: Inputs }
  | {
      readonly ok: false;
      readonly problems: readonly InputProblem[];
      /** Those that are right. */
      readonly valid: Readonly<Partial<Inputs>>;
    };

type Parsed<T> = { readonly value: T } | { readonly accepted: string };
type Parser<T> = (text: string) => Parsed<T>;

const oneOf =
  <T extends string>(values: readonly T[]): Parser<T> =>
  (text) =>
    (values as readonly string[]).includes(text)
      ? { value: text as T }
      : { accepted: values.map((value) => `\`${value}\``).join(', ') };

const wholeNumber =
  (low: number, high: number, unit = ''): Parser<number> =>
  (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return value >= low && value <= high
      ? { value }
      : { accepted: `a whole number from ${low} to ${high}${unit}` };
  };

/**
 * The YAML 1.2 core booleans, as `core.getBooleanInput` has them: a typo is an error, never a silent `false`.
 */
const boolean: Parser<boolean> = (text) => {
  if (/^(true|True|TRUE)$/.test(text)) return { value: true };
  if (/^(false|False|FALSE)$/.test(text)) return { value: false };
  return { accepted: '`true` or `false`' };
};

const size: Parser<number> = (text) => {
  const value = parseBytes(text);
  return value === null
    ? { accepted: 'an amount of bytes such as `500MiB`, `2GiB` or `1048576`' }
    : { value };
};

const amount =
  (mostPercent: number): Parser<Amount | null> =>
  (text) => {
    if (text === '') return { value: null };
    const value = parseAmount(text, mostPercent);
    return value === null
      ? { accepted: `bytes such as \`20GiB\`, or a share such as \`${mostPercent > 100 ? '5' : '90'}%\`` }
      : { value };
  };

/** Paths come from the workflow file; a NUL is refused here, since a later call would throw on it. */
const path: Parser<string> = (text) =>
  text.includes('\0') ? { accepted: 'a path with no NUL character' } : { value: text };

const commands: Parser<string> = (text) => {
  if (text.includes('\0')) return { accepted: 'commands with no NUL character' };
  return text.trim() === '' ? { accepted: 'the commands to run; it is required' } : { value: text };
};

const shell: Parser<string> = (text) => {
  const problem = templateProblem(text);
  return problem === null
    ? { value: text }
    : {
        accepted: `${BUILT_IN_SHELLS.map((name) => `\`${name}\``).join(', ')}, or a template with \`{0}\` (${problem})`,
      };
};

/**
 * Limits of the artifact service: no `" : < > | * ? \ /`, no line break; GitHub cuts off at 260 characters.
 */
const artifactName: Parser<string> = (text) =>
  /^[^":<>|*?\\/\p{Cc}]{1,200}$/u.test(text)
    ? { value: text }
    : { accepted: '1 to 200 characters, none of " : < > | * ? \\ / and no control character' };

const retention: Parser<number> = (text) => (text === '' ? { value: 0 } : wholeNumber(0, 90, ' days')(text));

interface Row<T> {
  readonly name: string;
  readonly fallback: string;
  readonly parse: Parser<T>;
  /** Blanks around the value mean nothing (all but the commands themselves). */
  readonly verbatim?: true;
}

const TABLE: { readonly [Key in keyof Inputs]: Row<Inputs[Key]> } = {
  run: { name: 'run', fallback: '', parse: commands, verbatim: true },
  shell: { name: 'shell', fallback: 'bash', parse: shell },
  workingDirectory: { name: 'working-directory', fallback: '', parse: path },
  snapshot: { name: 'snapshot', fallback: 'on-oom', parse: oneOf(SNAPSHOT_POLICIES) },
  maxEntries: { name: 'max-entries', fallback: '100000', parse: wholeNumber(1, 10_000_000) },
  stacks: { name: 'stacks', fallback: 'python', parse: oneOf(STACKS) },
  maxSnapshots: { name: 'max-snapshots', fallback: '3', parse: wholeNumber(1, 100) },
  maxUploadSize: { name: 'max-upload-size', fallback: '2GiB', parse: size },
  cycles: { name: 'cycles', fallback: 'warn', parse: oneOf(GATES) },
  cyclesWatch: { name: 'cycles-watch', fallback: 'sampled', parse: oneOf(CYCLE_WATCHES) },
  categories: { name: 'categories', fallback: 'census', parse: oneOf(CATEGORY_MODES) },
  timelineSteps: { name: 'timeline-steps', fallback: '3', parse: wholeNumber(1, 1000) },
  parity: { name: 'parity', fallback: 'fail', parse: oneOf(GATES) },
  fixture: { name: 'fixture', fallback: '', parse: path },
  python: { name: 'python', fallback: '', parse: path },
  ifNoTorch: { name: 'if-no-torch', fallback: 'warn', parse: oneOf(NO_TORCH_POLICIES) },
  memoryBudget: { name: 'memory-budget', fallback: '', parse: amount(100) },
  baseline: { name: 'baseline', fallback: '', parse: path },
  maxGrowth: { name: 'max-growth', fallback: '', parse: amount(1000) },
  ifNoBaseline: { name: 'if-no-baseline', fallback: 'warn', parse: oneOf(NO_BASELINE_POLICIES) },
  minFree: { name: 'min-free', fallback: '', parse: amount(100) },
  upload: { name: 'upload', fallback: 'true', parse: boolean },
  artifactName: { name: 'artifact-name', fallback: 'oom-autopsy', parse: artifactName },
  retentionDays: { name: 'retention-days', fallback: '', parse: retention },
  compressionLevel: { name: 'compression-level', fallback: '6', parse: wholeNumber(0, 9) },
  evidenceDir: { name: 'evidence-dir', fallback: '', parse: path },
  gracePeriod: { name: 'grace-period', fallback: '8', parse: wholeNumber(0, 300, ' seconds') },
};

/** Names of all inputs, in the order of the contract. */
export const INPUT_NAMES: readonly string[] = Object.values(TABLE).map((row) => row.name);

/** Defaults as text, by input name (what an empty input means). */
export const INPUT_DEFAULTS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values(TABLE).map((row) => [row.name, row.fallback]),
);

/**
 * Reads and validates every input.
 * @param read gives an input's text, or '' when it was not given
 * @returns the frozen values, or every problem at once, in the order of the contract
 */
export function parseInputs(read: (name: string) => string): ParsedInputs {
  const problems: InputProblem[] = [];
  const values: Record<string, unknown> = {};
  for (const [key, row] of Object.entries(TABLE) as [string, Row<unknown>][]) {
    const raw = read(row.name);
    const given = row.verbatim ? raw : raw.trim();
    const parsed = row.parse(given === '' ? row.fallback : given);
    if ('value' in parsed) values[key] = parsed.value;
    else problems.push({ input: row.name, given: printable(given, 120), accepted: parsed.accepted });
  }
  return problems.length > 0
    ? { ok: false, problems, valid: values as Partial<Inputs> }
    : { ok: true, inputs: Object.freeze(values) as unknown as Inputs };
}

/** One line for each problem, for the log and the error annotation. */
export const describeProblem = (problem: InputProblem): string =>
  `input \`${problem.input}\`: ${problem.given === '' ? 'nothing was given' : `"${problem.given}" is not accepted`}; accepted: ${problem.accepted}`;
