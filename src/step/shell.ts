/**
 * How the runner's own `run:` turns a script and a `shell:` into a command line (actions/runner,
 * ScriptHandler). Pure but for `writeScript`. The user's text goes into the script file and never into an
 * argument.
 */
import { writeFileSync } from 'node:fs';

interface Shell {
  readonly command: string;
  /**
   * Arguments; `{0}` is replaced by the script's path after the split, so a path with blanks stays one word.
   */
  readonly args: readonly string[];
  readonly extension: string;
  readonly body?: (script: string) => string;
}

const SHELLS: Readonly<Record<string, Shell>> = {
  bash: { command: 'bash', args: ['--noprofile', '--norc', '-e', '-o', 'pipefail', '{0}'], extension: '.sh' },
  sh: { command: 'sh', args: ['-e', '{0}'], extension: '.sh' },
  python: { command: 'python', args: ['{0}'], extension: '.py' },
  pwsh: {
    command: 'pwsh',
    args: ['-command', ". '{0}'"],
    extension: '.ps1',
    body: (script) =>
      [
        "$ErrorActionPreference = 'stop'",
        script,
        'if ((Test-Path -LiteralPath variable:\\LASTEXITCODE)) { exit $LASTEXITCODE }',
      ].join('\n'),
  },
};

export const BUILT_IN_SHELLS: readonly string[] = Object.keys(SHELLS);

/** What the step runs: a program, its arguments, and the script that must first be written. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly scriptExtension: string;
}

/**
 * Words of a template: blanks separate, single and double quotes group, `\"` and `\\` escape inside double
 * quotes.
 */
export function splitWords(template: string): string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let quote: '"' | "'" | null = null;
  for (let i = 0; i < template.length; i++) {
    const char = template[i] as string;
    if (quote !== null) {
      if (char === quote) quote = null;
      else if (quote === '"' && char === '\\' && /["\\]/.test(template[i + 1] ?? '')) {
        word += template[++i] as string;
      } else word += char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
    } else if (/\s/.test(char)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? '') + char;
  }
  if (quote !== null) return null;
  if (word !== null) words.push(word);
  return words;
}

/** Why a `shell` value cannot be used, or null when it can. */
export function templateProblem(shell: string): string | null {
  if (Object.hasOwn(SHELLS, shell.trim())) return null;
  if (!shell.includes('{0}')) return 'it names no built-in shell and holds no `{0}`';
  const words = splitWords(shell);
  if (words === null) return 'a quote in it is not closed';
  if (/[\0\r\n]/.test(shell)) return 'it holds a line break';
  return words[0]?.includes('{0}') === false ? null : 'its first word must be the program';
}

/** Program and arguments of a shell. @param shell a value for which `templateProblem` is null */
export function shellCommand(shell: string, scriptPath: (extension: string) => string): Command {
  const known = SHELLS[shell.trim()];
  if (known && Object.hasOwn(SHELLS, shell.trim())) {
    const path = scriptPath(known.extension);
    return {
      file: known.command,
      args: known.args.map((arg) =>
        arg.replaceAll('{0}', known.command === 'pwsh' ? path.replaceAll("'", "''") : path),
      ),
      scriptExtension: known.extension,
    };
  }
  const [file = '', ...args] = splitWords(shell) ?? [];
  const path = scriptPath('');
  return { file, args: args.map((arg) => arg.replaceAll('{0}', path)), scriptExtension: '' };
}

/**
 * The script as the runner writes it: CRLF becomes LF on POSIX, a last line end is added, pwsh gets its
 * frame.
 */
export function scriptBody(run: string, shell: string): string {
  const body = SHELLS[shell.trim()]?.body?.(run) ?? run;
  const lines = process.platform === 'win32' ? body.replace(/\r?\n/g, '\r\n') : body.replace(/\r\n/g, '\n');
  return lines.endsWith('\n') ? lines : `${lines}\n`;
}

/** Writes the script, readable and executable by its owner alone; never through an existing file or link. */
export function writeScript(path: string, body: string): void {
  writeFileSync(path, body, { flag: 'wx', mode: 0o700 });
}
