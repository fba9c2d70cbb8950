/**
 * The command line of `oom-autopsy`: our options, then the user's command. Pure.
 * The options are the action's inputs by name, without those that only a runner has a use for.
 */
import { INPUT_DEFAULTS } from '../inputs.js';

/** What each option is for, in a line. The values stand in README.md, and a wrong one is answered with them. */
const FLAGS = {
  snapshot: 'when to keep a snapshot: on-oom, on-failure, always, off',
  'max-entries': 'newest allocator events in a snapshot',
  stacks: 'python, or all (C++ frames too; slower dumps)',
  'max-snapshots': 'snapshots for each process',
  cycles: 'reference cycles that hold GPU memory: off, warn, fail',
  'cycles-watch': 'sampled, or continuous (slow)',
  categories: 'memory by category: off, census, timeline (costs time)',
  'timeline-steps': 'optimizer steps that the timeline covers',
  parity: 'the check of the categorized view (4 s): off, warn, fail',
  fixture: 'a fixture of your own for that check',
  python: 'interpreter for that check',
  'if-no-torch': 'no process imported torch: ignore, warn, fail',
  'memory-budget': 'most memory that a rank may use: bytes or a share',
  baseline: 'memory.json of an earlier run, to compare with',
  'max-growth': 'how much more than the baseline: a share or bytes',
  'if-no-baseline': 'ignore, warn, fail',
  'min-free': 'memory that must be free before anything runs',
} as const satisfies Readonly<Record<string, string>>;

/** Inputs that are no option: the command, what uploads, and what a cancelled job needs. */
export const NO_FLAGS: readonly string[] = [
  'run',
  'shell',
  'working-directory',
  'max-upload-size',
  'upload',
  'artifact-name',
  'retention-days',
  'compression-level',
  'evidence-dir',
  'grace-period',
];

export const FLAG_NAMES: readonly string[] = Object.keys(FLAGS);

/** The check is a gate for a pipeline: a person who waits for a program has not asked for it. */
const DEFAULTS: Readonly<Record<string, string>> = { ...INPUT_DEFAULTS, parity: 'off' };

export type Request =
  | {
      readonly kind: 'run';
      readonly command: readonly string[];
      /** Folder for runs; null: the usual one, and only for a run that has something to keep. */
      readonly out: string | null;
      readonly inputs: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'help' | 'version' }
  | { readonly kind: 'wrong'; readonly message: string };

/** @param words the command line after the program's own name */
export function parseArguments(words: readonly string[]): Request {
  const inputs: Record<string, string> = { parity: DEFAULTS['parity'] ?? '' };
  let out: string | null = null;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    if (word === '-h' || word === '--help') return { kind: 'help' };
    if (word === '--version') return { kind: 'version' };
    if (word === '--' || !word.startsWith('-')) {
      const command = words.slice(word === '--' ? at + 1 : at);
      return command.length === 0 ? noCommand : { kind: 'run', command, out, inputs };
    }
    const [, name = '', given] = /^--([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
    if (name !== 'out' && !Object.hasOwn(FLAGS, name))
      return { kind: 'wrong', message: `there is no option ${word}; \`oom-autopsy --help\` lists them` };
    const value = given ?? words[++at];
    if (value === undefined || value === '--')
      return { kind: 'wrong', message: `option --${name} wants a value: --${name}=VALUE` };
    if (name === 'out') out = value;
    else inputs[name] = value;
  }
  return noCommand;
}

const noCommand: Request = {
  kind: 'wrong',
  message: 'there is no command to run: oom-autopsy [OPTION…] -- python train.py',
};

/** What `--help` prints. */
export const helpText = (): string => {
  const line = (name: string, what: string, value: string): string =>
    `  --${name.padEnd(16)} ${what}${value === '' ? '' : ` (${value})`}\n`;
  return `Usage: oom-autopsy [OPTION…] -- COMMAND [ARGUMENT…]

Runs the command as you would, with torch's allocator recording on. When it runs out of GPU memory, the account is
printed, and the report page, the snapshots and their digests are kept in a folder. The exit code is the command's.
Nothing is sent anywhere.

  --${'out'.padEnd(16)} folder in which each run gets one of its own (oom-autopsy, and only where something happened)
${FLAG_NAMES.map((name) => line(name, FLAGS[name as keyof typeof FLAGS], DEFAULTS[name] ?? '')).join('')}
  --help, --version

Our own lines go to stderr. A wrong value of an option is answered with those that are accepted, and nothing is run.
`;
};
