// The files a step writes to: GITHUB_OUTPUT, GITHUB_STATE, GITHUB_ENV, GITHUB_PATH and GITHUB_STEP_SUMMARY,
// made anew for each step and read after it, after actions/runner (FileCommandManager.cs).
import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A summary of more bytes than this is dropped whole. */
export const MAX_SUMMARY_BYTES = 1024 * 1024;

/**
 * @param {string} temp RUNNER_TEMP
 * @returns {Record<'path'|'env'|'output'|'state'|'summary', string>} paths of new, empty files
 */
export function makeFiles(temp) {
  const dir = join(temp, '_runner_file_commands');
  mkdirSync(dir, { recursive: true });
  const id = randomUUID();
  const files = {
    path: join(dir, `add_path_${id}`),
    env: join(dir, `set_env_${id}`),
    output: join(dir, `set_output_${id}`),
    state: join(dir, `save_state_${id}`),
    summary: join(dir, `step_summary_${id}`),
  };
  for (const file of Object.values(files)) writeFileSync(file, '');
  return files;
}

/** @param {ReturnType<typeof makeFiles>} files */
export const fileVariables = (files) => ({
  GITHUB_PATH: files.path,
  GITHUB_ENV: files.env,
  GITHUB_OUTPUT: files.output,
  GITHUB_STATE: files.state,
  GITHUB_STEP_SUMMARY: files.summary,
});

/**
 * Reads `NAME=VALUE` and `NAME<<DELIMITER` entries, one after the other. The entries before a faulty one
 * count.
 * @param {string} text
 * @returns {{entries: [string, string][], problem: string | null}}
 */
export function parsePairs(text) {
  /** @type {[string, string][]} */
  const entries = [];
  let at = 0;
  /** @returns {{text: string, end: number} | null} the line, and where the text before its line end stops */
  const next = () => {
    if (at >= text.length) return null;
    const lf = text.indexOf('\n', at);
    const end = lf < 0 ? text.length : lf;
    const line = { text: text.slice(at, end), end };
    at = lf < 0 ? text.length : lf + 1;
    return line;
  };
  for (let line = next(); line !== null; line = next()) {
    if (line.text === '') continue;
    const equals = line.text.indexOf('=');
    const here = line.text.indexOf('<<');
    const invalid = (/** @type {string} */ why) => ({
      entries,
      problem: `Invalid format '${line?.text}'${why}`,
    });
    if (equals >= 0 && (here < 0 || equals < here)) {
      if (equals === 0) return invalid('. Name must not be empty');
      entries.push([line.text.slice(0, equals), line.text.slice(equals + 1)]);
    } else if (here >= 0) {
      const name = line.text.slice(0, here);
      const delimiter = line.text.slice(here + 2);
      if (!name || !delimiter) return invalid('. Name must not be empty and delimiter must not be empty');
      const start = at;
      let stop = at;
      for (let inner = next(); inner?.text !== delimiter; inner = next()) {
        if (inner === null)
          return { entries, problem: `Invalid value. Matching delimiter not found '${delimiter}'` };
        stop = inner.end;
      }
      entries.push([name, stop > start ? text.slice(start, stop) : '']);
    } else return invalid('');
  }
  return { entries, problem: null };
}

/** A file that the step removed, or made something else of, is as an empty one. @param {string} file */
function readText(file) {
  try {
    return lstatSync(file).isFile() ? readFileSync(file, 'utf8') : '';
  } catch {
    return '';
  }
}

/**
 * Carries out what a step left in its files.
 * @param {ReturnType<typeof makeFiles>} files
 * @param {import('./commands.mjs').StepLog} log takes errors, outputs and state
 * @returns {{env: Record<string, string>, path: string[], summary: string}}
 */
export function readFiles(files, log) {
  /** @type {Record<string, string>} */
  const env = {};
  const path = readText(files.path).split(/\r?\n/).filter(Boolean);
  const pairs = (
    /** @type {'env'|'output'|'state'} */ kind,
    /** @type {(name: string, value: string) => void} */ set,
  ) => {
    const { entries, problem } = parsePairs(readText(files[kind]));
    for (const [name, value] of entries) set(name, value);
    if (problem === null) return;
    log.issue('error', `Unable to process file command '${kind}' successfully.`);
    log.issue('error', problem);
    log.failed = true;
  };
  pairs('env', (name, value) => {
    if (name.toUpperCase() === 'NODE_OPTIONS')
      log.issue('error', `Can't store ${name} output parameter using '$GITHUB_ENV' command.`);
    else env[name] = value;
  });
  pairs('output', (name, value) => {
    log.outputs[name] = value;
  });
  pairs('state', (name, value) => {
    log.state[name] = value;
  });
  return { env, path, summary: readSummary(files.summary, log) };
}

/** @param {string} file @param {import('./commands.mjs').StepLog} log */
function readSummary(file, log) {
  let bytes = 0;
  try {
    const stat = lstatSync(file);
    bytes = stat.isFile() ? stat.size : 0;
  } catch {}
  if (bytes === 0) return '';
  if (bytes > MAX_SUMMARY_BYTES) {
    log.issue(
      'error',
      `$GITHUB_STEP_SUMMARY upload aborted, supports content up to a size of ${MAX_SUMMARY_BYTES / 1024}k, got ${Math.floor(bytes / 1024)}k. For more information see: https://docs.github.com/actions/using-workflows/workflow-commands-for-github-actions#adding-a-markdown-summary`,
    );
    return '';
  }
  const lines = readFileSync(file, 'utf8').replace(/\r\n?/g, '\n').replace(/\n$/, '').split('\n');
  return `${lines.map((l) => log.masker.hide(l)).join('\n')}\n`;
}
