/**
 * The command for a workstation: main and post of the action, as a runner would start them, over files of its own in a
 * temporary folder. Then the account on the terminal, and what is worth keeping in a folder. The exit code is the program's.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import type { Manifest } from '../evidence/manifest.js';
import { INPUT_NAMES } from '../inputs.js';
import { logLine } from '../lib/text.js';
import { VERSION } from '../lib/version.js';
import { shellWord } from '../report/markdown.js';
import { valuesIn } from '../runner/outputs.js';
import { inputVariable } from '../runner/runner.js';
import { CANCEL_SIGNALS } from '../step/cancel.js';
import { helpText, parseArguments, type Request } from './options.js';

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** The command as a script: nothing of the runner's files is in the program's environment. */
export function scriptOf(
  command: readonly string[],
  hidden: Readonly<Record<string, string | undefined>>,
): string {
  const restored = Object.entries(hidden).map(([name, value]) =>
    value === undefined ? `unset ${name}` : `export ${name}=${quoted(value)}`,
  );
  return [...restored, `exec ${command.map(quoted).join(' ')}`, ''].join('\n');
}

/** `shellWord` is for one line that is shown; an argument may hold any character. */
const quoted = (word: string): string =>
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(word) || word === ''
    ? `'${word.replaceAll("'", `'\\''`)}'`
    : shellWord(word);

/** `2026-12-01-113000`, by the clock on the wall, and a number where there is one already. */
function freshFolder(out: string, now: Date): string {
  const two = (n: number): string => String(n).padStart(2, '0');
  const day = [now.getFullYear(), two(now.getMonth() + 1), two(now.getDate())].join('-');
  const base = join(out, `${day}-${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`);
  for (let n = 1; ; n++) {
    const path = n === 1 ? base : `${base}-${n}`;
    if (!existsSync(path)) return path;
  }
}

/** A bundle of the action. Signals that are sent to us reach it once: Ctrl-C at a terminal goes to its whole group. */
function runBundle(
  bundle: 'main' | 'post',
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  return new Promise((done) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, '..', bundle, 'index.js'), ...args], {
      env,
      stdio: 'inherit',
      detached: true,
    });
    const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
    for (const signal of CANCEL_SIGNALS) process.on(signal, pass);
    const end = (code: number): void => {
      for (const signal of CANCEL_SIGNALS) process.off(signal, pass);
      done(code);
    };
    child.on('error', (error) => {
      say(logLine(`${bundle} could not be started (${error.message})`));
      end(126);
    });
    child.on('exit', (code, signal) => end(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}

const pairsIn = (path: string): Readonly<Record<string, string>> =>
  Object.fromEntries(valuesIn(readFileSync(path, 'utf8')));

async function runCommand({ command, out, inputs }: Extract<Request, { kind: 'run' }>): Promise<number> {
  const temp = mkdtempSync(join(tmpdir(), 'oom-autopsy-'));
  let inUse = true;
  try {
    const files = {
      GITHUB_OUTPUT: join(temp, 'output'),
      GITHUB_STATE: join(temp, 'saved'),
      GITHUB_STEP_SUMMARY: join(temp, 'summary'),
    };
    for (const path of Object.values(files)) writeFileSync(path, '');
    const own = { ...files, RUNNER_TEMP: temp, GITHUB_WORKSPACE: process.cwd() };
    const hidden = Object.fromEntries(Object.keys(own).map((name) => [name, process.env[name]]));
    const given = { ...inputs, run: scriptOf(command, hidden), shell: 'sh', upload: 'false' };
    const variables = INPUT_NAMES.map((name) => [
      inputVariable(name),
      given[name as keyof typeof given] ?? '',
    ]);
    const env = { ...process.env, ...own, ...Object.fromEntries(variables) };

    const code = await runBundle('main', ['--terminal'], env);
    const state = pairsIn(files.GITHUB_STATE);
    if (state['finished'] !== 'true') {
      const saved = Object.entries(state).map(([name, value]) => [`STATE_${name}`, value]);
      await runBundle('post', ['--terminal'], { ...env, ...Object.fromEntries(saved) });
    }
    const outputs = pairsIn(files.GITHUB_OUTPUT);
    const path = outputs['manifest'] ?? '';
    if (!existsSync(path)) {
      inUse = false;
      return code;
    }
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest;
    inUse = manifest.still_running.length > 0;
    const whole = await account(manifest, outputs['evidence-dir'] ?? '', out);
    if (!whole) inUse = true;
    else if (inUse)
      say(logLine(`what still runs was started with a folder of ours, which is left to it: ${temp}`));
    return code;
  } finally {
    if (!inUse) rmSync(temp, { recursive: true, force: true });
  }
}

/**
 * The account on the terminal, and the folder. What goes wrong here is a line, and the program's exit code stays.
 * @returns false where some of the evidence lies where it was
 */
async function account(manifest: Manifest, evidenceDir: string, asked: string | null): Promise<boolean> {
  const out = resolve(asked ?? 'oom-autopsy');
  try {
    const { keep, localSummary, worthAFolder } = await import('./keep.js');
    const { forTerminal } = await import('./terminal.js');
    const wanted = worthAFolder(manifest) || (asked !== null && manifest.processes.length > 0);
    const folder = wanted ? freshFolder(out, new Date()) : null;
    const faults = folder === null ? [] : await keep(manifest, evidenceDir, folder);
    const { isTTY, columns } = process.stderr;
    const look = {
      // A terminal that does not know its size says 0.
      width: Math.min(columns || 100, 120),
      styled: isTTY === true && !process.env['NO_COLOR'],
      page: folder !== null,
    };
    say('');
    process.stderr.write(forTerminal(localSummary(manifest, folder), look));
    for (const fault of faults) say(logLine(fault));
    if (folder !== null) tellFolder(manifest, folder);
    return faults.length === 0;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    say(
      logLine(`${out}: nothing could be kept there (${code ?? message}); the evidence is in ${evidenceDir}`),
    );
    return false;
  }
}

function tellFolder(manifest: Manifest, folder: string): void {
  const shown = relative(process.cwd(), folder);
  const at = (file: string): string => shellWord(join(shown.startsWith('..') ? folder : shown, file));
  say(`\nReport, to open in a browser: ${at('report.html')}`);
  const [first, ...rest] = manifest.snapshots;
  if (first)
    say(
      `Snapshot, for pytorch.org/memory_viz: ${at(first.file)}${rest.length > 0 ? ` and ${rest.length} more` : ''}`,
    );
  say(`Digests: (cd ${at('')} && sha256sum -c SHA256SUMS)`);
}

/** @param words the command line after the program's own name */
export async function cli(words: readonly string[]): Promise<void> {
  const request = parseArguments(words);
  switch (request.kind) {
    case 'help':
      process.stdout.write(helpText());
      break;
    case 'version':
      process.stdout.write(`${VERSION}\n`);
      break;
    case 'wrong':
      say(logLine(request.message));
      process.exitCode = 2;
      break;
    case 'run':
      process.exitCode = await runCommand(request);
  }
}
