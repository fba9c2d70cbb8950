export const id = 832;
export const ids = [832];
export const modules = {

/***/ 4832:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  cli: () => (/* binding */ cli)
});

// UNUSED EXPORTS: scriptOf

// EXTERNAL MODULE: external "node:child_process"
var external_node_child_process_ = __webpack_require__(1421);
// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __webpack_require__(3024);
// EXTERNAL MODULE: external "node:os"
var external_node_os_ = __webpack_require__(8161);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
// EXTERNAL MODULE: ./build/inputs.js
var build_inputs = __webpack_require__(8175);
// EXTERNAL MODULE: ./build/lib/text.js
var lib_text = __webpack_require__(4869);
;// CONCATENATED MODULE: ./build/lib/version.js
const VERSION = '0.1.0';

// EXTERNAL MODULE: ./build/report/markdown.js
var markdown = __webpack_require__(4902);
// EXTERNAL MODULE: ./build/runner/runner.js
var runner = __webpack_require__(3281);
;// CONCATENATED MODULE: ./build/runner/outputs.js


const OUTPUT_NAMES = (/* unused pure expression or super */ null && ([
    'exit-code',
    'verdict',
    'oom-count',
    'fingerprint',
    'snapshot-count',
    'snapshots',
    'manifest',
    'artifact-id',
    'artifact-url',
    'artifact-digest',
    'report-url',
    'cycle-count',
    'parity',
    'peak-allocated',
    'peak-reserved',
    'memory-file',
    'summary-file',
    'evidence-dir',
]));
function setOutputs(runner, outputs) {
    runner.setOutputs(Object.fromEntries(OUTPUT_NAMES.map((name) => [name, String(outputs[name])])));
}
function valuesIn(text) {
    const values = new Map();
    let open = null;
    for (const line of text.split(/\r?\n/)) {
        if (open !== null) {
            if (line === open.end)
                open = null;
            else {
                open.lines.push(line);
                values.set(open.name, open.lines.join('\n'));
            }
            continue;
        }
        const [, name, mark, rest = ''] = /^([^=<]*)(=|<<)(.*)$/s.exec(line) ?? [];
        if (name === undefined)
            continue;
        values.set(name, mark === '<<' ? '' : rest);
        if (mark === '<<')
            open = { name, end: rest, lines: [] };
    }
    return values;
}
function replacedOutputs(path) {
    try {
        if (!path)
            return [];
        const file = openFile(path);
        try {
            const names = new Set([...valuesIn(readFileSync(file, 'utf8')).keys()].map((name) => name.toLowerCase()));
            return OUTPUT_NAMES.filter((name) => names.has(name));
        }
        finally {
            closeSync(file);
        }
    }
    catch {
        return [];
    }
}

;// CONCATENATED MODULE: ./build/step/cancel.js
const CANCEL_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const OVERDUE_MS = 6000;
function watchCancel(overdueMs = OVERDUE_MS) {
    const asked = new AbortController();
    const overdue = new AbortController();
    let timer;
    const onSignal = () => {
        if (asked.signal.aborted) {
            overdue.abort();
            return;
        }
        asked.abort();
        timer = setTimeout(() => overdue.abort(), overdueMs);
        timer.unref();
    };
    for (const name of CANCEL_SIGNALS)
        process.on(name, onSignal);
    return {
        asked: asked.signal,
        overdue: overdue.signal,
        stop: () => {
            clearTimeout(timer);
            for (const name of CANCEL_SIGNALS)
                process.off(name, onSignal);
        },
    };
}

;// CONCATENATED MODULE: ./build/cli/options.js

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
};
const NO_FLAGS = (/* unused pure expression or super */ null && ([
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
]));
const FLAG_NAMES = Object.keys(FLAGS);
const DEFAULTS = { ...build_inputs/* INPUT_DEFAULTS */.WJ, parity: 'off' };
function parseArguments(words) {
    const inputs = { parity: DEFAULTS['parity'] ?? '' };
    let out = null;
    for (let at = 0; at < words.length; at++) {
        const word = words[at];
        if (word === '-h' || word === '--help')
            return { kind: 'help' };
        if (word === '--version')
            return { kind: 'version' };
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
        if (name === 'out')
            out = value;
        else
            inputs[name] = value;
    }
    return noCommand;
}
const noCommand = {
    kind: 'wrong',
    message: 'there is no command to run: oom-autopsy [OPTION…] -- python train.py',
};
const helpText = () => {
    const line = (name, what, value) => `  --${name.padEnd(16)} ${what}${value === '' ? '' : ` (${value})`}\n`;
    return `Usage: oom-autopsy [OPTION…] -- COMMAND [ARGUMENT…]

Runs the command as you would, with torch's allocator recording on. When it runs out of GPU memory, the account is
printed, and the report page, the snapshots and their digests are kept in a folder. The exit code is the command's.
Nothing is sent anywhere.

  --${'out'.padEnd(16)} folder in which each run gets one of its own (oom-autopsy, and only where something happened)
${FLAG_NAMES.map((name) => line(name, FLAGS[name], DEFAULTS[name] ?? '')).join('')}
  --help, --version

Our own lines go to stderr. A wrong value of an option is answered with those that are accepted, and nothing is run.
`;
};

;// CONCATENATED MODULE: ./build/cli/cli.js












const say = (line) => void process.stderr.write(`${line}\n`);
function scriptOf(command, hidden) {
    const restored = Object.entries(hidden).map(([name, value]) => value === undefined ? `unset ${name}` : `export ${name}=${quoted(value)}`);
    return [...restored, `exec ${command.map(quoted).join(' ')}`, ''].join('\n');
}
const quoted = (word) => /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(word) || word === ''
    ? `'${word.replaceAll("'", `'\\''`)}'`
    : (0,markdown/* shellWord */.r7)(word);
function freshFolder(out, now) {
    const two = (n) => String(n).padStart(2, '0');
    const day = [now.getFullYear(), two(now.getMonth() + 1), two(now.getDate())].join('-');
    const base = (0,external_node_path_.join)(out, `${day}-${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`);
    for (let n = 1;; n++) {
        const path = n === 1 ? base : `${base}-${n}`;
        if (!(0,external_node_fs_.existsSync)(path))
            return path;
    }
}
function runBundle(bundle, args, env) {
    return new Promise((done) => {
        const child = (0,external_node_child_process_.spawn)(process.execPath, [(0,external_node_path_.join)(import.meta.dirname, '..', bundle, 'index.js'), ...args], {
            env,
            stdio: 'inherit',
            detached: true,
        });
        const pass = (signal) => void child.kill(signal);
        for (const signal of CANCEL_SIGNALS)
            process.on(signal, pass);
        const end = (code) => {
            for (const signal of CANCEL_SIGNALS)
                process.off(signal, pass);
            done(code);
        };
        child.on('error', (error) => {
            say((0,lib_text/* logLine */.BP)(`${bundle} could not be started (${error.message})`));
            end(126);
        });
        child.on('exit', (code, signal) => end(code ?? 128 + (signal ? external_node_os_.constants.signals[signal] : 0)));
    });
}
const pairsIn = (path) => Object.fromEntries(valuesIn((0,external_node_fs_.readFileSync)(path, 'utf8')));
async function runCommand({ command, out, inputs }) {
    const temp = (0,external_node_fs_.mkdtempSync)((0,external_node_path_.join)((0,external_node_os_.tmpdir)(), 'oom-autopsy-'));
    let inUse = true;
    try {
        const files = {
            GITHUB_OUTPUT: (0,external_node_path_.join)(temp, 'output'),
            GITHUB_STATE: (0,external_node_path_.join)(temp, 'saved'),
            GITHUB_STEP_SUMMARY: (0,external_node_path_.join)(temp, 'summary'),
        };
        for (const path of Object.values(files))
            (0,external_node_fs_.writeFileSync)(path, '');
        const own = { ...files, RUNNER_TEMP: temp, GITHUB_WORKSPACE: process.cwd() };
        const hidden = Object.fromEntries(Object.keys(own).map((name) => [name, process.env[name]]));
        const given = { ...inputs, run: scriptOf(command, hidden), shell: 'sh', upload: 'false' };
        const variables = build_inputs/* INPUT_NAMES */.Qh.map((name) => [
            (0,runner/* inputVariable */.LO)(name),
            given[name] ?? '',
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
        if (!(0,external_node_fs_.existsSync)(path)) {
            inUse = false;
            return code;
        }
        const manifest = JSON.parse((0,external_node_fs_.readFileSync)(path, 'utf8'));
        inUse = manifest.still_running.length > 0;
        const whole = await account(manifest, outputs['evidence-dir'] ?? '', out);
        if (!whole)
            inUse = true;
        else if (inUse)
            say((0,lib_text/* logLine */.BP)(`what still runs was started with a folder of ours, which is left to it: ${temp}`));
        return code;
    }
    finally {
        if (!inUse)
            (0,external_node_fs_.rmSync)(temp, { recursive: true, force: true });
    }
}
async function account(manifest, evidenceDir, asked) {
    const out = (0,external_node_path_.resolve)(asked ?? 'oom-autopsy');
    try {
        const { keep, localSummary, worthAFolder } = await __webpack_require__.e(/* import() */ 118).then(__webpack_require__.bind(__webpack_require__, 3118));
        const { forTerminal } = await __webpack_require__.e(/* import() */ 565).then(__webpack_require__.bind(__webpack_require__, 8565));
        const wanted = worthAFolder(manifest) || (asked !== null && manifest.processes.length > 0);
        const folder = wanted ? freshFolder(out, new Date()) : null;
        const faults = folder === null ? [] : await keep(manifest, evidenceDir, folder);
        const { isTTY, columns } = process.stderr;
        const look = {
            width: Math.min(columns || 100, 120),
            styled: isTTY === true && !process.env['NO_COLOR'],
            page: folder !== null,
        };
        say('');
        process.stderr.write(forTerminal(localSummary(manifest, folder), look));
        for (const fault of faults)
            say((0,lib_text/* logLine */.BP)(fault));
        if (folder !== null)
            tellFolder(manifest, folder);
        return faults.length === 0;
    }
    catch (error) {
        const { code, message } = error;
        say((0,lib_text/* logLine */.BP)(`${out}: nothing could be kept there (${code ?? message}); the evidence is in ${evidenceDir}`));
        return false;
    }
}
function tellFolder(manifest, folder) {
    const shown = (0,external_node_path_.relative)(process.cwd(), folder);
    const at = (file) => (0,markdown/* shellWord */.r7)((0,external_node_path_.join)(shown.startsWith('..') ? folder : shown, file));
    say(`\nReport, to open in a browser: ${at('report.html')}`);
    const [first, ...rest] = manifest.snapshots;
    if (first)
        say(`Snapshot, for pytorch.org/memory_viz: ${at(first.file)}${rest.length > 0 ? ` and ${rest.length} more` : ''}`);
    say(`Digests: (cd ${at('')} && sha256sum -c SHA256SUMS)`);
}
async function cli(words) {
    const request = parseArguments(words);
    switch (request.kind) {
        case 'help':
            process.stdout.write(helpText());
            break;
        case 'version':
            process.stdout.write(`${VERSION}\n`);
            break;
        case 'wrong':
            say((0,lib_text/* logLine */.BP)(request.message));
            process.exitCode = 2;
            break;
        case 'run':
            process.exitCode = await runCommand(request);
    }
}


/***/ }),

/***/ 8175:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Qh: () => (/* binding */ INPUT_NAMES),
/* harmony export */   WJ: () => (/* binding */ INPUT_DEFAULTS)
/* harmony export */ });
/* unused harmony exports SNAPSHOT_POLICIES, STACKS, GATES, CYCLE_WATCHES, CATEGORY_MODES, NO_TORCH_POLICIES, NO_BASELINE_POLICIES, parseInputs, describeProblem */
/* harmony import */ var _lib_amount_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(6078);
/* harmony import */ var _lib_bytes_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(9079);
/* harmony import */ var _step_shell_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(6373);




const SNAPSHOT_POLICIES = ['on-oom', 'on-failure', 'always', 'off'];
const STACKS = ['python', 'all'];
const GATES = ['off', 'warn', 'fail'];
const CYCLE_WATCHES = ['sampled', 'continuous'];
const CATEGORY_MODES = ['off', 'census', 'timeline'];
const NO_TORCH_POLICIES = ['ignore', 'warn', 'fail'];
const NO_BASELINE_POLICIES = ['ignore', 'warn', 'fail'];
const oneOf = (values) => (text) => values.includes(text)
    ? { value: text }
    : { accepted: values.map((value) => `\`${value}\``).join(', ') };
const wholeNumber = (low, high, unit = '') => (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return value >= low && value <= high
        ? { value }
        : { accepted: `a whole number from ${low} to ${high}${unit}` };
};
const boolean = (text) => {
    if (/^(true|True|TRUE)$/.test(text))
        return { value: true };
    if (/^(false|False|FALSE)$/.test(text))
        return { value: false };
    return { accepted: '`true` or `false`' };
};
const size = (text) => {
    const value = (0,_lib_bytes_js__WEBPACK_IMPORTED_MODULE_1__/* .parseBytes */ .C)(text);
    return value === null
        ? { accepted: 'an amount of bytes such as `500MiB`, `2GiB` or `1048576`' }
        : { value };
};
const amount = (mostPercent) => (text) => {
    if (text === '')
        return { value: null };
    const value = (0,_lib_amount_js__WEBPACK_IMPORTED_MODULE_0__/* .parseAmount */ .C_)(text, mostPercent);
    return value === null
        ? { accepted: `bytes such as \`20GiB\`, or a share such as \`${mostPercent > 100 ? '5' : '90'}%\`` }
        : { value };
};
const path = (text) => text.includes('\0') ? { accepted: 'a path with no NUL character' } : { value: text };
const commands = (text) => {
    if (text.includes('\0'))
        return { accepted: 'commands with no NUL character' };
    return text.trim() === '' ? { accepted: 'the commands to run; it is required' } : { value: text };
};
const shell = (text) => {
    const problem = (0,_step_shell_js__WEBPACK_IMPORTED_MODULE_2__/* .templateProblem */ .MS)(text);
    return problem === null
        ? { value: text }
        : {
            accepted: `${_step_shell_js__WEBPACK_IMPORTED_MODULE_2__/* .BUILT_IN_SHELLS */ .P6.map((name) => `\`${name}\``).join(', ')}, or a template with \`{0}\` (${problem})`,
        };
};
const artifactName = (text) => /^[^":<>|*?\\/\p{Cc}]{1,200}$/u.test(text)
    ? { value: text }
    : { accepted: '1 to 200 characters, none of " : < > | * ? \\ / and no control character' };
const retention = (text) => (text === '' ? { value: 0 } : wholeNumber(0, 90, ' days')(text));
const TABLE = {
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
const INPUT_NAMES = Object.values(TABLE).map((row) => row.name);
const INPUT_DEFAULTS = Object.fromEntries(Object.values(TABLE).map((row) => [row.name, row.fallback]));
function parseInputs(read) {
    const problems = [];
    const values = {};
    for (const [key, row] of Object.entries(TABLE)) {
        const raw = read(row.name);
        const given = row.verbatim ? raw : raw.trim();
        const parsed = row.parse(given === '' ? row.fallback : given);
        if ('value' in parsed)
            values[key] = parsed.value;
        else
            problems.push({ input: row.name, given: printable(given, 120), accepted: parsed.accepted });
    }
    return problems.length > 0
        ? { ok: false, problems, valid: values }
        : { ok: true, inputs: Object.freeze(values) };
}
const describeProblem = (problem) => `input \`${problem.input}\`: ${problem.given === '' ? 'nothing was given' : `"${problem.given}" is not accepted`}; accepted: ${problem.accepted}`;


/***/ }),

/***/ 6078:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   C_: () => (/* binding */ parseAmount)
/* harmony export */ });
/* unused harmony exports bytesOfAmount, formatAmount */
/* harmony import */ var _bytes_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(9079);

function parseAmount(text, mostPercent = 100) {
    const percent = /^(\d{1,4}(?:\.\d{1,4})?)\s*%$/.exec(text.trim());
    if (percent) {
        const value = Number(percent[1]);
        return value > 0 && value <= mostPercent ? { share: value / 100 } : null;
    }
    const bytes = (0,_bytes_js__WEBPACK_IMPORTED_MODULE_0__/* .parseBytes */ .C)(text);
    return bytes === null ? null : { bytes };
}
const bytesOfAmount = (amount, whole) => 'bytes' in amount ? amount.bytes : whole === null ? null : Math.floor(amount.share * whole);
const formatAmount = (amount) => 'bytes' in amount ? formatBytes(amount.bytes) : `${Number((amount.share * 100).toFixed(4))} %`;


/***/ }),

/***/ 9079:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   C: () => (/* binding */ parseBytes),
/* harmony export */   z: () => (/* binding */ formatBytes)
/* harmony export */ });
const UNITS = {
    '': 1,
    b: 1,
    k: 2 ** 10,
    m: 2 ** 20,
    g: 2 ** 30,
    t: 2 ** 40,
    kib: 2 ** 10,
    mib: 2 ** 20,
    gib: 2 ** 30,
    tib: 2 ** 40,
    kb: 1e3,
    mb: 1e6,
    gb: 1e9,
    tb: 1e12,
};
function parseBytes(text) {
    const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim());
    const unit = match ? UNITS[(match[2] ?? '').toLowerCase()] : undefined;
    if (!match || unit === undefined)
        return null;
    const bytes = Math.round(Number(match[1]) * unit);
    return Number.isSafeInteger(bytes) ? bytes : null;
}
const STEPS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
function formatBytes(bytes) {
    let step = 0;
    let amount = Math.abs(bytes);
    while (step < STEPS.length - 1 && Number(amount.toFixed(step === 0 ? 0 : 2)) >= 1024) {
        amount /= 1024;
        step++;
    }
    return `${bytes < 0 ? '-' : ''}${amount.toFixed(step === 0 ? 0 : 2)} ${STEPS[step]}`;
}


/***/ }),

/***/ 3963:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Eo: () => (/* binding */ withRoom),
/* harmony export */   f8: () => (/* binding */ writeWhole),
/* harmony export */   uq: () => (/* binding */ isFull)
/* harmony export */ });
/* unused harmony exports withRoomSync, removeHalves */
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3024);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(6760);
/* harmony import */ var node_util__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(7975);
/* harmony import */ var _random_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(9905);




const NO_ROOM = () => false;
const isFull = (error) => /^(ENOSPC|EDQUOT)$/.test(String(error?.code));
async function withRoom(work, makeRoom = NO_ROOM) {
    try {
        return await work();
    }
    catch (error) {
        if (!isFull(error) || !makeRoom())
            throw error;
        return work();
    }
}
function withRoomSync(work, makeRoom = NO_ROOM) {
    try {
        work();
    }
    catch (error) {
        if (!isFull(error) || !makeRoom())
            throw error;
        work();
    }
}
const FOLDER = node_fs__WEBPACK_IMPORTED_MODULE_0__.constants.O_RDONLY | node_fs__WEBPACK_IMPORTED_MODULE_0__.constants.O_DIRECTORY | node_fs__WEBPACK_IMPORTED_MODULE_0__.constants.O_NOFOLLOW;
const NEW = node_fs__WEBPACK_IMPORTED_MODULE_0__.constants.O_WRONLY | node_fs__WEBPACK_IMPORTED_MODULE_0__.constants.O_CREAT | node_fs__WEBPACK_IMPORTED_MODULE_0__.constants.O_EXCL | node_fs__WEBPACK_IMPORTED_MODULE_0__.constants.O_NOFOLLOW;
const held = (fd, path) => (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.existsSync)(`/proc/self/fd/${fd}`) ? `/proc/self/fd/${fd}` : path;
function hold(folder) {
    const around = (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.openSync)((0,node_path__WEBPACK_IMPORTED_MODULE_1__.dirname)(folder), FOLDER);
    try {
        const fd = (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.openSync)((0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(held(around, (0,node_path__WEBPACK_IMPORTED_MODULE_1__.dirname)(folder)), (0,node_path__WEBPACK_IMPORTED_MODULE_1__.basename)(folder)), FOLDER);
        return { path: held(fd, folder), close: () => (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.closeSync)(fd) };
    }
    finally {
        (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.closeSync)(around);
    }
}
function writeWhole(path, text, makeRoom) {
    return withRoom(() => writeOnce(path, text), makeRoom);
}
const SMALL = 64 * 1024;
const write = (0,node_util__WEBPACK_IMPORTED_MODULE_2__.promisify)(node_fs__WEBPACK_IMPORTED_MODULE_0__.writeFile);
async function writeOnce(path, text) {
    const folder = hold((0,node_path__WEBPACK_IMPORTED_MODULE_1__.dirname)(path));
    const half = (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(folder.path, `.${(0,node_path__WEBPACK_IMPORTED_MODULE_1__.basename)(path)}.tmp-${(0,_random_js__WEBPACK_IMPORTED_MODULE_3__/* .randomHex */ .n)(8)}`);
    try {
        const file = (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.openSync)(half, NEW, 0o600);
        try {
            if (text.length <= SMALL)
                (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.writeFileSync)(file, text);
            else
                await write(file, text);
        }
        finally {
            (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.closeSync)(file);
        }
        (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.renameSync)(half, (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(folder.path, (0,node_path__WEBPACK_IMPORTED_MODULE_1__.basename)(path)));
    }
    catch (error) {
        try {
            (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.rmSync)(half, { force: true });
        }
        catch {
        }
        throw error;
    }
    finally {
        folder.close();
    }
}
function removeHalves(folder) {
    try {
        const open = hold(folder);
        try {
            for (const name of readdirSync(open.path))
                if (/^\..*\.tmp-[0-9a-f]{16}$/.test(name))
                    rmSync(join(open.path, name), { force: true });
        }
        finally {
            open.close();
        }
    }
    catch {
    }
}


/***/ }),

/***/ 9905:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   n: () => (/* binding */ randomHex),
/* harmony export */   y: () => (/* binding */ lazyCrypto)
/* harmony export */ });
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3024);

const lazyCrypto = () => process.getBuiltinModule('node:crypto');
function randomHex(bytes) {
    const buffer = Buffer.alloc(bytes);
    try {
        const source = (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.openSync)('/dev/urandom', 'r');
        try {
            if ((0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readSync)(source, buffer, 0, bytes, null) === bytes)
                return buffer.toString('hex');
        }
        finally {
            (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.closeSync)(source);
        }
    }
    catch {
    }
    return lazyCrypto().randomBytes(bytes).toString('hex');
}


/***/ }),

/***/ 4869:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   BP: () => (/* binding */ logLine),
/* harmony export */   U9: () => (/* binding */ count),
/* harmony export */   X5: () => (/* binding */ cleanText),
/* harmony export */   Zz: () => (/* binding */ ranges),
/* harmony export */   g$: () => (/* binding */ printable)
/* harmony export */ });
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
function printable(text, limit = 300) {
    const cut = text.length > limit ? `${text.slice(0, limit)}…` : text;
    return cut
        .toWellFormed()
        .replace(UNPRINTABLE, (char) => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)
        .replaceAll('##[', '# #[');
}
const logLine = (text) => `oom-autopsy: ${printable(text, 2000)}`;
const count = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
function cleanText(text, limit) {
    const start = text
        .slice(0, limit * 4)
        .toWellFormed()
        .replace(/[\t\r\n]+/g, ' ')
        .replace(INVISIBLE, '');
    if (start.length <= limit)
        return start;
    return `${start
        .slice(0, limit - 1)
        .toWellFormed()
        .replace(/\ufffd$/, '')}…`;
}
function ranges(numbers) {
    const sorted = [...new Set(numbers)].sort((a, b) => a - b);
    const runs = [];
    for (const n of sorted) {
        const last = runs.at(-1);
        if (last && n === last[1] + 1)
            last[1] = n;
        else
            runs.push([n, n]);
    }
    const one = ([from, to]) => from === to ? `${from}` : to === from + 1 ? `${from}, ${to}` : `${from} to ${to}`;
    return runs.map(one).join(', ');
}


/***/ }),

/***/ 4902:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   PP: () => (/* binding */ tableHead),
/* harmony export */   X1: () => (/* binding */ escapeText),
/* harmony export */   l0: () => (/* binding */ inlineHtml),
/* harmony export */   nM: () => (/* binding */ row),
/* harmony export */   r7: () => (/* binding */ shellWord),
/* harmony export */   wD: () => (/* binding */ markdown)
/* harmony export */ });
/* unused harmony export escapeCode */
/* harmony import */ var _rich_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(6781);

const JOINER = '\u2060';
const oneLine = (text) => text
    .toWellFormed()
    .replace(/[\t\r\n]+/g, ' ')
    .replace(_rich_js__WEBPACK_IMPORTED_MODULE_0__/* .INVISIBLE */ .kH, '');
function escapeText(text) {
    return oneLine(text)
        .replace(/&/g, '&amp;')
        .replace(/</g, '&lt;')
        .replace(/>/g, '&gt;')
        .replace(/[\\`*[\]|~]/g, '\\$&')
        .replace(/_/g, (_, at, all) => /[A-Za-z0-9]/.test(all[at - 1] ?? '') && /[A-Za-z0-9]/.test(all[at + 1] ?? '') ? '_' : '\\_')
        .replace(/\$/g, '<span>$</span>')
        .replace(/:\/\//g, `:${JOINER}//`)
        .replace(/\bwww\./gi, (found) => `${found.slice(0, 3)}${JOINER}.`)
        .replace(/@(?=\S)/g, `@${JOINER}`)
        .replace(/#(?=[0-9])/g, `#${JOINER}`)
        .replace(/\bGH-(?=[0-9])/gi, (found) => `${found.slice(0, 2)}${JOINER}-`)
        .replace(/:(?=[a-z0-9+_\\-]+:)/gi, `:${JOINER}`)
        .replace(/^ {2,}/, ' ')
        .replace(/^(\s*)([-+=#]+)(?=\s|$)/, '$1\\$2')
        .replace(/^(\s*[0-9]+)([.)])(?=\s|$)/, '$1\\$2');
}
const PLAIN_CODE = /^[^`|\\\s<>&$@]([^`|\\<>&$@]*[^`|\\\s<>&$@])?$/;
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
function escapeCode(text) {
    const line = oneLine(text);
    if (line.trim() === '')
        return '<code>&nbsp;</code>';
    if (PLAIN_CODE.test(line))
        return `\`${line}\``;
    const escaped = line.replace(/[^\p{L}\p{N} ,./]/gu, (char) => ENTITIES[char] ?? `&#${char.codePointAt(0) ?? 0xfffd};`);
    return `<code>${escaped.replace(/\b(www|https?|ftp)(?=[.&])/gi, `$1${JOINER}`)}</code>`;
}
function piece(part) {
    if (typeof part === 'string')
        return escapeText(part);
    if ('code' in part)
        return escapeCode(part.code);
    if ('strong' in part)
        return `**${markdown(part.strong)}**`;
    return `[${markdown(part.link)}](${part.href.replace(/[()|*_~\\[\]]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)})`;
}
const markdown = (rich) => rich.map(piece).join('');
function inlineHtml(rich) {
    return rich
        .map((part) => {
        if (typeof part === 'string')
            return entity(part);
        if ('code' in part)
            return `<code>${entity(part.code)}</code>`;
        if ('strong' in part)
            return `<b>${inlineHtml(part.strong)}</b>`;
        return `<a href="${entity(part.href)}">${inlineHtml(part.link)}</a>`;
    })
        .join('');
}
const entity = (text) => oneLine(text)
    .replace(/[&<>"]/g, (char) => ENTITIES[char] ?? char)
    .replace(/\$/g, '<span>$</span>')
    .replace(/[*_`~[\]|\\]/g, (char) => `&#${char.charCodeAt(0)};`)
    .replace(/@(?=\S)/g, `@${JOINER}`)
    .replace(/:\/\//g, `:${JOINER}//`)
    .replace(/\bwww\./gi, (found) => `${found.slice(0, 3)}${JOINER}.`);
const linesOf = (cell) => ('lines' in cell ? cell.lines : [cell]);
const row = (cells) => `| ${cells.map((cell) => linesOf(cell).map(markdown).map(_rich_js__WEBPACK_IMPORTED_MODULE_0__/* .unbroken */ .D_).join('<br>')).join(' | ')} |\n`;
const tableHead = (names, aligns = []) => `| ${names.map(escapeText).join(' | ')} |\n| ${names.map((_, i) => (aligns[i] === 'right' ? '---:' : ':---')).join(' | ')} |\n`;
const shellWord = (text) => /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${oneLine(text).replace(/'/g, `'\\''`)}'`;


/***/ }),

/***/ 6781:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   D_: () => (/* binding */ unbroken),
/* harmony export */   Rz: () => (/* binding */ joinRich),
/* harmony export */   aY: () => (/* binding */ code),
/* harmony export */   cv: () => (/* binding */ say),
/* harmony export */   kH: () => (/* binding */ INVISIBLE),
/* harmony export */   ko: () => (/* binding */ strong),
/* harmony export */   ml: () => (/* binding */ shorten),
/* harmony export */   nf: () => (/* binding */ link)
/* harmony export */ });
/* unused harmony export plainText */
const INVISIBLE = /(?![\t\n\r])[\p{Cc}\p{Cf}\u2028\u2029]/gu;
const code = (text) => ({ code: text });
const strong = (...pieces) => ({ strong: pieces });
const link = (words, href) => href != null && /^https?:\/\/[^\s<>"'`\\]+$/.test(href) ? { link: words, href } : { strong: words };
function say(parts, ...values) {
    const pieces = [];
    parts.forEach((part, index) => {
        if (part !== '')
            pieces.push(part);
        const value = values[index];
        if (value === null || value === undefined)
            return;
        if (typeof value === 'number')
            pieces.push(String(value));
        else if (Array.isArray(value))
            pieces.push(...value);
        else
            pieces.push(value);
    });
    return pieces;
}
function joinRich(sentences, between = ' ') {
    const full = sentences.filter((s) => s !== null && s.length > 0);
    return full.flatMap((s, index) => (index === 0 ? s : [between, ...s]));
}
function plainText(rich) {
    return rich
        .map((piece) => {
        if (typeof piece === 'string')
            return piece;
        if ('code' in piece)
            return piece.code;
        return plainText('strong' in piece ? piece.strong : piece.link);
    })
        .join('');
}
function shorten(text, limit) {
    const points = [...text.slice(0, limit * 8)];
    const whole = points.length <= limit && text.length <= limit * 8;
    if (whole)
        return text;
    const head = Math.ceil((limit - 1) / 2);
    const tail = [...text.slice(-limit * 2)].slice(-(limit - 1 - head));
    return `${points.slice(0, head).join('')}…${tail.join('')}`.toWellFormed();
}
const unbroken = (cell) => cell.replace(/(?<=[0-9]) (?=(?:[KMGT]iB|B|%)(?![A-Za-z]))/g, '\u00a0');


/***/ }),

/***/ 3281:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   LO: () => (/* binding */ inputVariable)
/* harmony export */ });
/* unused harmony exports keyValueMessage, openFile, environmentRunner, terminalRunner, forgiving, outliveOutput */
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3024);
/* harmony import */ var _lib_files_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(3963);
/* harmony import */ var _lib_random_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(9905);




const SUMMARY_LIMIT = (/* unused pure expression or super */ null && (1024 * 1024));
const SUMMARY_MARGIN = 4096;
const inputVariable = (name) => `INPUT_${name.replace(/ /g, '_').toUpperCase()}`;
function keyValueMessage(values) {
    const all = Object.values(values);
    let delimiter;
    do
        delimiter = `ghadelimiter_${randomHex(16)}`;
    while (all.some((value) => value.includes(delimiter)));
    return Object.entries(values)
        .map(([name, value]) => `${name}<<${delimiter}\n${value}\n${delimiter}\n`)
        .join('');
}
function sizeOf(path) {
    try {
        return statSync(path).size;
    }
    catch (error) {
        if (error.code === 'ENOENT')
            return 0;
        throw error;
    }
}
function openFile(path) {
    const { O_RDWR, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;
    const file = openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0o666);
    if (fstatSync(file).isFile())
        return file;
    closeSync(file);
    throw Object.assign(new Error(`${path} is not a regular file`), { code: 'not a regular file' });
}
function readAt(file, buffer, position) {
    let done = 0;
    for (let read = 1; read > 0 && done < buffer.length; done += read)
        read = readSync(file, buffer, done, buffer.length - done, position + done);
    return buffer.subarray(0, done);
}
function writeAt(file, bytes, position) {
    for (let done = 0; done < bytes.length;)
        done += writeSync(file, bytes, done, bytes.length - done, position + done);
}
function change(path, most, put) {
    const file = openFile(path);
    try {
        const { size } = fstatSync(file);
        const from = Math.max(0, size - most);
        const end = readAt(file, Buffer.alloc(size - from), from);
        try {
            writeAt(file, Buffer.from(put(end)), from);
        }
        catch (error) {
            writeAt(file, end, from);
            ftruncateSync(file, size);
            throw error;
        }
    }
    finally {
        closeSync(file);
    }
}
const appendLine = (path, text) => change(path, 1, (last) => Buffer.concat([last, Buffer.from(/^(\n|)$/.test(last.toString('latin1')) ? text : `\n${text}`)]));
function environmentRunner(env) {
    const keyValue = (file, values) => {
        const path = env[`GITHUB_${file}`];
        if (!path)
            throw new Error(`GITHUB_${file} is not set`);
        appendLine(path, keyValueMessage(values));
    };
    let [parts, ours] = [[], ''];
    const info = (line) => {
        process.stdout.write(`${line}\n`);
    };
    return {
        input: (name) => env[inputVariable(name)] ?? '',
        state: (name) => env[`STATE_${name}`] ?? '',
        saveState: (name, value) => keyValue('STATE', { [name]: value }),
        setOutputs: (outputs) => keyValue('OUTPUT', outputs),
        info,
        annotate: async (level, message, place = {}) => {
            const core = await __webpack_require__.e(/* import() */ 421).then(__webpack_require__.bind(__webpack_require__, 8802));
            core[level](message, place);
        },
        summary: (markdown, instead) => {
            const file = env.GITHUB_STEP_SUMMARY;
            if (!file) {
                info('oom-autopsy: GITHUB_STEP_SUMMARY is not set, so the summary follows here.');
                for (const line of markdown.trimEnd().split('\n'))
                    info(line === '' ? '' : `| ${printable(line, line.length)}`);
                return;
            }
            const said = parts.filter((part) => part !== instead?.trimEnd());
            parts = [...said, markdown.trimEnd()];
            const [before, now] = [ours, `${parts.join('\n\n')}\n`];
            change(file, SUMMARY_LIMIT, (all) => {
                const known = before !== '' && all.indexOf(before) === 0;
                const theirs = known ? all.subarray(Buffer.byteLength(before)) : all;
                const apart = theirs.length === 0 || theirs[0] === 10 ? '' : '\n';
                return Buffer.concat([Buffer.from(now + apart), theirs]);
            });
            ours = now;
        },
        summaryRoom: (instead = '') => {
            const file = env.GITHUB_STEP_SUMMARY;
            const used = file ? sizeOf(file) - Buffer.byteLength(instead) : 0;
            return Math.max(0, SUMMARY_LIMIT - SUMMARY_MARGIN - used);
        },
    };
}
function terminalRunner(env) {
    const info = (line) => void process.stderr.write(`${line}\n`);
    return {
        ...environmentRunner(env),
        info,
        annotate: async (_, message, { title } = {}) => {
            if (title?.startsWith('oom-autopsy'))
                info(logLine(message.split('\n', 1)[0] ?? ''));
        },
    };
}
function forgiving(runner, makeRoom) {
    const told = new Set();
    const attempt = (what, act) => {
        try {
            withRoomSync(act, makeRoom);
        }
        catch (error) {
            const reason = error.code ?? error.message;
            if (told.has(what))
                return;
            told.add(what);
            runner.info(logLine(`the runner could not be given ${what} (${reason})`));
        }
    };
    return {
        ...runner,
        saveState: (name, value) => attempt('the state', () => runner.saveState(name, value)),
        setOutputs: (outputs) => attempt('the outputs', () => runner.setOutputs(outputs)),
        annotate: (level, message, place) => runner.annotate(level, message, place).catch((error) => attempt('an annotation', () => {
            throw error;
        })),
        summary: (markdown, instead) => attempt('the summary', () => runner.summary(markdown, instead)),
        summaryRoom: (instead) => {
            let room = SUMMARY_LIMIT - SUMMARY_MARGIN;
            attempt('the summary', () => {
                room = runner.summaryRoom(instead);
            });
            return room;
        },
    };
}
function outliveOutput() {
    for (const stream of [process.stdout, process.stderr])
        stream.on('error', () => undefined);
}


/***/ }),

/***/ 6373:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   MS: () => (/* binding */ templateProblem),
/* harmony export */   P6: () => (/* binding */ BUILT_IN_SHELLS)
/* harmony export */ });
/* unused harmony exports splitWords, shellCommand, scriptBody, writeScript */
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3024);

const SHELLS = {
    bash: { command: 'bash', args: ['--noprofile', '--norc', '-e', '-o', 'pipefail', '{0}'], extension: '.sh' },
    sh: { command: 'sh', args: ['-e', '{0}'], extension: '.sh' },
    python: { command: 'python', args: ['{0}'], extension: '.py' },
    pwsh: {
        command: 'pwsh',
        args: ['-command', ". '{0}'"],
        extension: '.ps1',
        body: (script) => [
            "$ErrorActionPreference = 'stop'",
            script,
            'if ((Test-Path -LiteralPath variable:\\LASTEXITCODE)) { exit $LASTEXITCODE }',
        ].join('\n'),
    },
};
const BUILT_IN_SHELLS = Object.keys(SHELLS);
function splitWords(template) {
    const words = [];
    let word = null;
    let quote = null;
    for (let i = 0; i < template.length; i++) {
        const char = template[i];
        if (quote !== null) {
            if (char === quote)
                quote = null;
            else if (quote === '"' && char === '\\' && /["\\]/.test(template[i + 1] ?? '')) {
                word += template[++i];
            }
            else
                word += char;
        }
        else if (char === '"' || char === "'") {
            quote = char;
            word ??= '';
        }
        else if (/\s/.test(char)) {
            if (word !== null)
                words.push(word);
            word = null;
        }
        else
            word = (word ?? '') + char;
    }
    if (quote !== null)
        return null;
    if (word !== null)
        words.push(word);
    return words;
}
function templateProblem(shell) {
    if (Object.hasOwn(SHELLS, shell.trim()))
        return null;
    if (!shell.includes('{0}'))
        return 'it names no built-in shell and holds no `{0}`';
    const words = splitWords(shell);
    if (words === null)
        return 'a quote in it is not closed';
    if (/[\0\r\n]/.test(shell))
        return 'it holds a line break';
    return words[0]?.includes('{0}') === false ? null : 'its first word must be the program';
}
function shellCommand(shell, scriptPath) {
    const known = SHELLS[shell.trim()];
    if (known && Object.hasOwn(SHELLS, shell.trim())) {
        const path = scriptPath(known.extension);
        return {
            file: known.command,
            args: known.args.map((arg) => arg.replaceAll('{0}', known.command === 'pwsh' ? path.replaceAll("'", "''") : path)),
            scriptExtension: known.extension,
        };
    }
    const [file = '', ...args] = splitWords(shell) ?? [];
    const path = scriptPath('');
    return { file, args: args.map((arg) => arg.replaceAll('{0}', path)), scriptExtension: '' };
}
function scriptBody(run, shell) {
    const body = SHELLS[shell.trim()]?.body?.(run) ?? run;
    const lines = process.platform === 'win32' ? body.replace(/\r?\n/g, '\r\n') : body.replace(/\r\n/g, '\n');
    return lines.endsWith('\n') ? lines : `${lines}\n`;
}
function writeScript(path, body) {
    writeFileSync(path, body, { flag: 'wx', mode: 0o700 });
}


/***/ })

};
