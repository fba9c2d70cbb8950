/**
 * Recorded evidence: what the shim left in the evidence folder of a step that real torch ran in, and how that step ended.
 * `npm test` replays it by a program without torch, in a tenth of a second and not three. With OA_LONG=1 (`npm run test:all`)
 * the same tests run on real torch, and the evidence of each run must have the shape of what was recorded.
 *
 *   OA_RECORD=1 npm test -- __tests__/e2e/stories.test.ts     runs its steps on real torch and records them anew
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from '@jest/globals';
import { parseReceiptName, thisHost } from '../../src/evidence/names.js';
import { cudaPython, freshFolder, plainPython, ROOT, runStep, type Step, type StepOptions } from './kit.js';
import { shapeOf } from './shape.js';

const RECORD = process.env['OA_RECORD'] === '1';
/** Steps run on real torch, and not on what was recorded of them. */
export const REAL = RECORD || process.env['OA_LONG'] === '1';

// biome-ignore lint/suspicious/noExplicitAny: a receipt as JSON
type Json = any;

interface Recording {
  readonly exit_code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** It ran until it was cancelled. */
  readonly cancelled: boolean;
  /** What its programs printed on stdout. */
  readonly log: readonly string[];
  /** What the parity check printed, where it ran. */
  readonly parity: Json | null;
  /** Sizes of the snapshots. Torch alone knows what their bytes mean, so any bytes will do. */
  readonly snapshots: Readonly<Record<string, number>>;
  readonly receipts: Readonly<Record<string, Json>>;
}

const fileOf = (name: string): string => join(import.meta.dirname, 'recorded', `${name}.json`);

export function readRecording(name: string): Recording {
  return JSON.parse(readFileSync(fileOf(name), 'utf8'));
}

/** Names in receipts that hold a time in seconds since the epoch. */
const TIMES: ReadonlySet<string> = new Set(['started', 'updated', 'armed_at', 'disarmed_at', 'time']);

/** `value` with each number of `TIMES` and each text changed. */
function mapped(
  value: Json,
  change: { readonly text: (text: string) => string; readonly time: (seconds: number) => number },
  key = '',
): Json {
  if (typeof value === 'string') return change.text(value);
  if (typeof value === 'number') return TIMES.has(key) ? change.time(value) : value;
  if (Array.isArray(value)) return value.map((item) => mapped(item, change, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [change.text(name), mapped(item, change, name)]),
  );
}

/** Texts that are the machine's and the run's, each with the word that stands for it. The longest first. */
function wordsOf(step: Step, workspace: string): readonly (readonly [string, string])[] {
  const python = dirname(dirname(cudaPython()));
  const base = dirname(dirname(realpathSync(cudaPython())));
  const words: [string, string][] = [
    [workspace, '@WORKSPACE'],
    [ROOT, '@ACTION'],
    [python, '@PYTHON'],
    [realpathSync(python), '@PYTHON'],
    [base, '@BASE'],
    [step.temp, '@TEMP'],
    [step.manifest.step.id, '@STEP'],
  ];
  return words.sort(([a], [b]) => b.length - a.length);
}

const replaced = (text: string, words: readonly (readonly [string, string])[]): string =>
  words.reduce((now, [from, to]) => now.replaceAll(from, to), text);

/** All files of the evidence, by name, from the artifact or from where they still lie. */
function evidenceFiles(step: Step): ReadonlyMap<string, string> {
  const folders = [
    ...step.artifacts.map(({ dir }) => dir),
    ...readdirSync(step.temp)
      .filter((name) => name.startsWith('oom-autopsy-'))
      .map((name) => join(step.temp, name, 'evidence'))
      .filter(existsSync),
  ];
  const files = new Map<string, string>();
  for (const folder of folders) {
    for (const name of readdirSync(folder))
      if (/\.(receipt\.json|pickle)$/.test(name)) files.set(name, join(folder, name));
  }
  return files;
}

/** A recording of a step that real torch ran in. Pids and tokens are counted, times are seconds since its first process. */
function recordingOf(step: Step, workspace: string, parity: Json | null): Recording {
  const files = [...evidenceFiles(step)];
  const words = wordsOf(step, workspace);
  const read = files
    .filter(([name]) => parseReceiptName(name) !== null)
    .map(([name, path]) => ({ name, receipt: JSON.parse(readFileSync(path, 'utf8')) }))
    .sort((a, b) => a.receipt.time.started - b.receipt.time.started);
  const first = read[0]?.receipt.time.started ?? 0;
  const owners = read.map(({ receipt: { host, pid, token } }, i): [RegExp, string] => [
    new RegExp(`${host}-(rank(?:none|\\d+)-)?${pid}-${token}`, 'g'),
    `@HOST-$1${FIRST_PID + i}-${tokenOf(i)}`,
  ]);
  const text = (given: string): string =>
    owners.reduce((now, [from, to]) => now.replace(from, to), replaced(given, words));
  const time = (seconds: number): number => Math.round((seconds - first) * 1000) / 1000;
  const byName = (ending: string, content: (path: string) => Json): Record<string, Json> =>
    Object.fromEntries(
      files
        .filter(([name]) => name.endsWith(ending))
        .map(([name, path]) => [text(name), content(path)])
        .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    );
  const { exit_code, signal, cancelled } = step.manifest.step;
  return {
    ...{ exit_code, signal, cancelled },
    log: String(step.report.main.stdout.data)
      .split('\n')
      .filter((line) => line !== '' && !/^(oom-autopsy: |::)/.test(line))
      .map(text),
    parity: parity === null ? null : mapped(parity, { text, time: (seconds) => seconds }),
    snapshots: byName('.pickle', (path) => readFileSync(path).length),
    receipts: Object.fromEntries(
      read.map(({ name, receipt }, i) => [
        text(name),
        {
          ...mapped(receipt, { text, time }),
          ...{ host: '@HOST', pid: FIRST_PID + i, ppid: 1, start_ticks: i + 1, token: tokenOf(i) },
        },
      ]),
    ),
  };
}

/** Pids that nobody has: the last below PID_MAX_LIMIT. */
const FIRST_PID = 4_194_000;
const tokenOf = (i: number): string => `${i + 1}`.padStart(8, '0');

/** One value a line on the first two levels. */
function textOf(recording: Recording): string {
  const inner = (value: Json): string =>
    typeof value !== 'object' || value === null || Object.keys(value).length === 0
      ? JSON.stringify(value)
      : `${Array.isArray(value) ? '[' : '{'}\n${Object.entries(value)
          .map(([k, v]) => `  ${Array.isArray(value) ? '' : `${JSON.stringify(k)}: `}${JSON.stringify(v)}`)
          .join(',\n')}\n ${Array.isArray(value) ? ']' : '}'}`;
  return `{\n${Object.entries(recording)
    .map(([k, v]) => ` ${JSON.stringify(k)}: ${inner(v)}`)
    .join(',\n')}\n}\n`;
}

/** What of a recording must be the same in every run: names, types and states, never sizes and times. */
const shapeOfRecording = ({ receipts, snapshots, exit_code, signal, cancelled }: Recording) => ({
  ...{ exit_code, signal, cancelled },
  files: Object.keys(snapshots).map((name) => name.replace(/-\d{7}-\d{8}/, '')),
  receipts: shapeOf(Object.values(receipts)),
});

/** Copies the evidence beside it into the step's evidence folder, as if its processes were of this step, and ends as they did. */
const REPLAY = `
import json, os, signal, sys, time
here = os.path.dirname(os.path.abspath(__file__))
evidence = os.path.join(here, 'evidence')
ending = json.load(open(os.path.join(here, 'ending.json')))
token = sys.argv[1] if len(sys.argv) > 1 else None
first = os.environ['PYTHONPATH'].split(':')[0]
config = json.load(open(os.path.join(first, '_oom_autopsy', 'config.json')))
words = {'@WORKSPACE': os.getcwd(), '@TEMP': os.environ.get('RUNNER_TEMP', '/tmp'), '@STEP': config['step']}
def named(text):
    for word, meaning in words.items():
        text = text.replace(word, meaning)
    return text.replace('-00000001', '-' + token) if token else text
times = ${JSON.stringify([...TIMES])}
now = time.time()
def here_and_now(value, key=''):
    if isinstance(value, str):
        return named(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        # In the same order, and all of it while the step ran.
        return now + value / 1e6 if key in times else value
    if isinstance(value, list):
        return [here_and_now(item, key) for item in value]
    return {named(k): here_and_now(v, k) for k, v in value.items()} if isinstance(value, dict) else value
for name in sorted(os.listdir(evidence)):
    data = open(os.path.join(evidence, name), 'rb').read()
    if name.endswith('.receipt.json'):
        content = here_and_now(json.loads(data))
        content['step'] = config['step']
        if token:
            content['token'] = token
        data = json.dumps(content).encode()
    with open(os.path.join(config['evidence'], named(name)), 'xb') as file:
        file.write(data)
print('replayed', flush=True)
if ending['ends'] and not token:
    for line in ending['log']:
        print(named(line))
    sys.stdout.flush()
    if ending['cancelled']:
        time.sleep(600)
    if ending['signal']:
        os.kill(os.getpid(), getattr(signal, ending['signal']))
    os._exit(ending['exit_code'])
`;

/**
 * Path of a program without torch that puts recorded evidence into the step that runs it. Its files lie in `evidence` beside it.
 * @param ends it prints what was printed, and ends as the recorded step did
 */
export function replayProgram(name: string, ends: boolean): string {
  const recording = readRecording(name);
  const folder = freshFolder('oom-autopsy-recorded-');
  const put = (file: string, data: string | Buffer): void => writeFileSync(join(folder, file), data);
  const named = (text: string): string => replaced(text, [['@HOST', thisHost()], ...PLACES]);
  mkdirSync(join(folder, 'evidence'));
  for (const [file, receipt] of Object.entries(recording.receipts))
    put(join('evidence', named(file)), named(JSON.stringify(receipt)));
  for (const [file, bytes] of Object.entries(recording.snapshots))
    put(join('evidence', named(file)), Buffer.alloc(bytes, `${file}\n`));
  const log = recording.log.map(named);
  put('ending.json', JSON.stringify({ ...recording, log, ends, receipts: null }));
  put('replay.py', REPLAY);
  if (recording.parity !== null) {
    put('parity.json', JSON.stringify(recording.parity));
    writeFileSync(join(folder, 'python'), `#!/bin/sh\ncat '${join(folder, 'parity.json')}'\n`, {
      mode: 0o755,
    });
  }
  return join(folder, 'replay.py');
}

/** Where a recording's Python lies, for the reader of a replay. */
const PLACES: readonly (readonly [string, string])[] = [
  ['@ACTION', '/action'],
  ['@PYTHON', '/opt/venv'],
  ['@BASE', '/usr'],
];

/** How a replay differs. */
export interface Replay {
  /** Commands around the program that puts the evidence there, which does not end as the recorded step did then. */
  readonly run?: (program: string) => string;
  /** The recording is another step's, of the same program: only that one is recorded, and ends as recorded. */
  readonly variation?: boolean;
}

/** A step whose evidence is recorded: on real torch where `REAL` says so, else replayed. */
export const recorded = (name: string, options: StepOptions, replay: Replay = {}): Promise<Step> =>
  REAL ? fresh(name, options, replay) : replayed(name, options, replay);

function replayed(name: string, options: StepOptions, { run }: Replay): Promise<Step> {
  const program = replayProgram(name, run === undefined);
  const { parity = 'off' } = options.inputs;
  return runStep({
    ...options,
    python: plainPython(),
    inputs: {
      ...options.inputs,
      run: run?.(program) ?? `exec python '${program}'`,
      shell: 'bash',
      ...(parity === 'off' ? {} : { python: join(dirname(program), 'python') }),
    },
  });
}

/** Runs the step on real torch, whatever `REAL` says, and compares what it leaves with the recording. */
export async function fresh(name: string, options: StepOptions, { variation }: Replay = {}): Promise<Step> {
  const workspace = options.workspace ?? freshFolder();
  const said = join(freshFolder(), 'parity.json');
  const listening = RECORD && (options.inputs['parity'] ?? 'off') !== 'off';
  const step = await runStep({
    ...options,
    workspace,
    inputs: { ...options.inputs, ...(listening ? { python: listener(said) } : {}) },
  });
  const parity = listening ? JSON.parse(readFileSync(said, 'utf8').trimEnd().split('\n').at(-1) ?? '') : null;
  const recording = recordingOf(step, workspace, parity);
  if (RECORD && !variation) {
    const text = textOf(recording);
    if (text.includes('the machine is busy'))
      throw new Error('this machine is too busy to record on: a look was cut short');
    writeFileSync(fileOf(name), text);
  }
  // A recording that is not of today's shim would show today's action what no run shows it.
  const stored = readRecording(name);
  const { exit_code, signal, cancelled } = stored;
  const compared = variation ? { ...recording, exit_code, signal, cancelled } : recording;
  expect(shapeOfRecording(compared)).toEqual(shapeOfRecording(stored));
  return step;
}

/** An interpreter with torch whose output is kept. */
function listener(file: string): string {
  const path = join(freshFolder(), 'python');
  writeFileSync(path, `#!/bin/bash\nset -o pipefail\n'${cudaPython()}' "$@" | tee '${file}'\n`, {
    mode: 0o755,
  });
  return path;
}
