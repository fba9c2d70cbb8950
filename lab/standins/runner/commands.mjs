// The workflow commands that a step writes to its output, and the log, annotations and masks that come of
// them, after actions/runner (ActionCommand.cs, ActionCommandManager.cs, ExecutionContext.cs). One StepLog
// per step.

/** Annotations kept of each level in one step; the others are only in the log. */
export const MAX_ANNOTATIONS = 10;
/** Longest annotation, in UTF-16 units; the rest is cut off. */
export const MAX_ANNOTATION_LENGTH = 4096;

/**
 * @typedef {object} Annotation
 * @property {'error'|'warning'|'notice'} level
 * @property {string} message
 * @property {string} [title] @property {string} [file] @property {string} [line] @property {string} [endLine]
 * @property {string} [col] @property {string} [endColumn]
 */
/** @typedef {{command: string, properties: Record<string, string>, data: string}} Command */

const COMMANDS = [
  ...[
    'error',
    'warning',
    'notice',
    'debug',
    'group',
    'endgroup',
    'add-mask',
    'save-state',
    'set-output',
    'set-env',
  ],
  ...['add-path', 'add-matcher', 'remove-matcher', 'stop-commands', 'echo'],
];

const unescapeData = (/** @type {string} */ s) =>
  s.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%');
const unescapeProperty = (/** @type {string} */ s) =>
  s
    .replaceAll('%0D', '\r')
    .replaceAll('%0A', '\n')
    .replaceAll('%3A', ':')
    .replaceAll('%2C', ',')
    .replaceAll('%25', '%');
const unescapeOld = (/** @type {string} */ s) =>
  s
    .replaceAll('%3B', ';')
    .replaceAll('%0D', '\r')
    .replaceAll('%0A', '\n')
    .replaceAll('%5D', ']')
    .replaceAll('%25', '%');

/**
 * Reads `::name key=value,key=value::data` at the start of a line, or the older `##[name key=value;…]data`
 * anywhere.
 * @param {string} line
 * @param {(name: string) => boolean} known names that are commands; others are plain output
 * @returns {Command | null}
 */
export function parseCommand(line, known) {
  const trimmed = line.trimStart();
  if (trimmed.startsWith('::')) {
    const end = trimmed.indexOf('::', 2);
    if (end >= 0) {
      const found = read(trimmed.slice(2, end), ',', unescapeProperty, known);
      if (found) return { ...found, data: unescapeData(trimmed.slice(end + 2)) };
    }
  }
  const start = line.indexOf('##[');
  const end = start < 0 ? -1 : line.indexOf(']', start);
  if (end < 0) return null;
  const found = read(line.slice(start + 3, end), ';', unescapeOld, known);
  return found && { ...found, data: unescapeOld(line.slice(end + 1)) };
}

/**
 * @param {string} info
 * @param {string} separator
 * @param {(s: string) => string} decode
 * @param {(name: string) => boolean} known
 */
function read(info, separator, decode, known) {
  const space = info.indexOf(' ');
  const command = space < 0 ? info : info.slice(0, space);
  if (!known(command)) return null;
  /** @type {Record<string, string>} */
  const properties = {};
  for (const pair of space < 0
    ? []
    : info
        .slice(space + 1)
        .trim()
        .split(separator)) {
    const eq = pair.indexOf('=');
    if (eq > 0 && eq < pair.length - 1) properties[pair.slice(0, eq).trim()] = decode(pair.slice(eq + 1));
  }
  return { command, properties };
}

/** Hides values in text. Holds each value as it is, its lines, and its forms in JSON, base64 and a URL. */
export class Masker {
  constructor() {
    /** @type {Set<string>} */
    this.values = new Set();
    /** @type {string[]} */
    this.forms = [];
  }

  /** @param {string} value */
  add(value) {
    if (value.trim() === '') return;
    this.values.add(value);
    const all = [...this.values].flatMap((v) => [v, ...v.split(/[\r\n]+/)]).filter((v) => v.trim() !== '');
    const forms = all.flatMap((v) => [
      v,
      Buffer.from(v).toString('base64'),
      JSON.stringify(v).slice(1, -1),
      encodeURIComponent(v),
    ]);
    this.forms = [...new Set(forms)].sort((a, b) => b.length - a.length);
  }

  /** @param {string} text */
  hide(text) {
    return this.forms.reduce((t, v) => (t.includes(v) ? t.replaceAll(v, '***') : t), text);
  }
}

/** What one step said: its log as a person sees it, and the effects of its commands. */
export class StepLog {
  /**
   * @param {object} options
   * @param {Masker} options.masker shared by the steps of a job
   * @param {boolean} [options.debug] show ::debug:: lines
   * @param {string} [options.workspace] files of annotations under it are made relative to it
   * @param {number} [options.maxLogBytes] oldest lines beyond it are dropped
   * @param {(line: string) => void} [options.onWrite] hears each line of the log as it is written
   */
  constructor({ masker, debug = false, workspace = '', maxLogBytes = Number.POSITIVE_INFINITY, onWrite }) {
    this.masker = masker;
    this.showDebug = debug;
    this.workspace = workspace;
    this.maxLogBytes = maxLogBytes;
    this.onWrite = onWrite;
    /** @type {string[]} */
    this.lines = [];
    this.logLength = 0;
    this.linesDropped = 0;
    /** @type {Annotation[]} */
    this.annotations = [];
    /** @type {Record<Annotation['level'], number>} how many were raised, kept or not */
    this.counts = { error: 0, warning: 0, notice: 0 };
    /** @type {Record<string, string>} */
    this.outputs = {};
    /** @type {Record<string, string>} */
    this.state = {};
    /** a command that could not be carried out fails the step */
    this.failed = false;
    this.echo = debug;
    /** @type {string | null} */
    this.stopToken = null;
  }

  /** @param {string} text a line, or several, already free of commands */
  write(text) {
    const line = this.masker.hide(text);
    this.onWrite?.(line);
    this.lines.push(line);
    this.logLength += line.length + 1;
    if (this.logLength <= this.maxLogBytes) return;
    let drop = 0;
    while (this.logLength > this.maxLogBytes / 2 && drop < this.lines.length - 1) {
      this.logLength -= /** @type {string} */ (this.lines[drop++]).length + 1;
    }
    this.lines.splice(0, drop);
    this.linesDropped += drop;
  }

  /** @returns {string} */
  get log() {
    const head = this.linesDropped > 0 ? `… ${this.linesDropped} lines dropped …\n` : '';
    return this.lines.length === 0 ? head : `${head}${this.lines.join('\n')}\n`;
  }

  /**
   * @param {Annotation['level']} level @param {string} message @param {Record<string, string>} [properties]
   */
  issue(level, message, properties = {}) {
    if (message !== '') this.write(`##[${level}]${message}`);
    if (this.counts[level]++ >= MAX_ANNOTATIONS) return;
    const shown = { ...properties };
    if (shown.file && this.workspace && shown.file.startsWith(`${this.workspace}/`))
      shown.file = shown.file.slice(this.workspace.length + 1);
    this.annotations.push({
      level,
      message: this.masker.hide(message).slice(0, MAX_ANNOTATION_LENGTH),
      ...shown,
    });
  }

  /** One line of the step's output. @param {string} line without its end */
  line(line) {
    if (line !== '' && (line.includes('::') || line.includes('##[')) && this.#command(line)) return;
    this.write(line);
  }

  /** @param {string} line @returns {boolean} whether the line was a command */
  #command(line) {
    const isKnown = (/** @type {string} */ name) =>
      COMMANDS.includes(name.toLowerCase()) || name.toLowerCase() === this.stopToken?.toLowerCase();
    const found = parseCommand(line, isKnown);
    if (!found) return false;
    const command = found.command.toLowerCase();
    if (this.stopToken !== null) {
      if (command !== this.stopToken.toLowerCase()) return false;
      this.write(line);
      this.stopToken = null;
      return true;
    }
    const quiet = ['error', 'warning', 'notice', 'debug', 'add-mask', 'stop-commands', 'echo'].includes(
      command,
    );
    if (this.echo && !quiet) this.write(line);
    const problem = this.#run(command, found, line);
    if (problem !== null) {
      const shown = command === 'add-mask' ? command : line;
      this.issue('error', `Unable to process command '${shown}' successfully.`);
      this.issue('error', problem);
      this.failed = true;
    }
    return true;
  }

  /**
   * @param {string} command @param {Command} found @param {string} line
   * @returns {string | null} why it could not be carried out
   */
  #run(command, { properties, data }, line) {
    switch (command) {
      case 'error':
      case 'warning':
      case 'notice':
        this.issue(command, data, properties);
        return null;
      case 'debug':
        if (this.showDebug) this.write(`##[debug]${data}`);
        return null;
      case 'group':
      case 'endgroup':
        this.write(`##[${command}]${command === 'group' ? data : ''}`);
        return null;
      case 'add-mask':
        if (data.trim() === '')
          this.issue('warning', "Can't add secret mask for empty string in ##[add-mask] command.");
        else this.masker.add(data);
        return null;
      case 'set-output':
      case 'save-state': {
        const name = properties.name;
        if (!name) return `Required field 'name' is missing in ##[${command}] command.`;
        (command === 'set-output' ? this.outputs : this.state)[name] = data;
        this.issue(
          'warning',
          `The \`${command}\` command is deprecated and will be disabled soon. Please upgrade to using Environment Files.`,
        );
        return null;
      }
      case 'set-env':
      case 'add-path':
        return `The \`${command}\` command is disabled. Please upgrade to using Environment Files.`;
      case 'stop-commands':
        if (data === '' || data.toLowerCase() === 'pause-logging' || COMMANDS.includes(data.toLowerCase()))
          return "You cannot use a endToken that is an empty string, the string 'pause-logging', or another workflow command.";
        this.write(line);
        this.stopToken = data;
        return null;
      case 'echo': {
        const value = data.trim().toLowerCase();
        if (value !== 'on' && value !== 'off')
          return `Invalid echo command value. Possible values can be: 'on', 'off'. Current value is: '${data}'.`;
        this.echo = value === 'on';
        return null;
      }
      default:
        return null; // matchers: accepted, and not modelled
    }
  }
}
