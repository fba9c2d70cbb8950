export const id = 576;
export const ids = [576];
export const modules = {

/***/ 576:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   checkParity: () => (/* binding */ checkParity)
/* harmony export */ });
/* unused harmony exports parseParityOutput, judgeParity */
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3024);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(6760);
/* harmony import */ var _actions_exec__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(1260);
/* harmony import */ var valibot__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(7934);
/* harmony import */ var _lib_random_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(9905);
/* harmony import */ var _lib_text_js__WEBPACK_IMPORTED_MODULE_6__ = __webpack_require__(4869);
/* harmony import */ var _step_process_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(3910);







const line = valibot__WEBPACK_IMPORTED_MODULE_5__/* .pipe */ .FsL(valibot__WEBPACK_IMPORTED_MODULE_5__/* .string */ .YjP(), valibot__WEBPACK_IMPORTED_MODULE_5__/* .transform */ .pdi((text) => (0,_lib_text_js__WEBPACK_IMPORTED_MODULE_6__/* .printable */ .g$)(text, 500)));
const lines = valibot__WEBPACK_IMPORTED_MODULE_5__/* .pipe */ .FsL(valibot__WEBPACK_IMPORTED_MODULE_5__/* .array */ .YOg(line), valibot__WEBPACK_IMPORTED_MODULE_5__/* .transform */ .pdi((all) => all.slice(0, 50)));
const amount = valibot__WEBPACK_IMPORTED_MODULE_5__/* .pipe */ .FsL(valibot__WEBPACK_IMPORTED_MODULE_5__/* .number */ .aig(), valibot__WEBPACK_IMPORTED_MODULE_5__/* .finite */ .E2x(), valibot__WEBPACK_IMPORTED_MODULE_5__/* .minValue */ .Wwf(0));
const short = valibot__WEBPACK_IMPORTED_MODULE_5__/* .pipe */ .FsL(valibot__WEBPACK_IMPORTED_MODULE_5__/* .union */ .KCZ([valibot__WEBPACK_IMPORTED_MODULE_5__/* .string */ .YjP(), valibot__WEBPACK_IMPORTED_MODULE_5__/* .number */ .aig(), valibot__WEBPACK_IMPORTED_MODULE_5__/* ["null"] */ .chJ()]), valibot__WEBPACK_IMPORTED_MODULE_5__/* .transform */ .pdi((value) => (0,_lib_text_js__WEBPACK_IMPORTED_MODULE_6__/* .printable */ .g$)(String(value), 160)));
const difference = valibot__WEBPACK_IMPORTED_MODULE_5__/* .pipe */ .FsL(valibot__WEBPACK_IMPORTED_MODULE_5__/* .object */ .Ikc({ scenario: line, what: line, fixture: short, now: short }), valibot__WEBPACK_IMPORTED_MODULE_5__/* .transform */ .pdi(({ scenario, what, fixture, now }) => `${scenario}, ${what}: fixture ${fixture}, now ${now}`));
const differences = valibot__WEBPACK_IMPORTED_MODULE_5__/* .optional */ .lqM(valibot__WEBPACK_IMPORTED_MODULE_5__/* .pipe */ .FsL(valibot__WEBPACK_IMPORTED_MODULE_5__/* .array */ .YOg(difference), valibot__WEBPACK_IMPORTED_MODULE_5__/* .transform */ .pdi((all) => all.slice(0, 50))), []);
const facts = valibot__WEBPACK_IMPORTED_MODULE_5__/* .pipe */ .FsL(valibot__WEBPACK_IMPORTED_MODULE_5__/* .nullish */ .cl6(valibot__WEBPACK_IMPORTED_MODULE_5__/* .record */ .g1P(valibot__WEBPACK_IMPORTED_MODULE_5__/* .string */ .YjP(), valibot__WEBPACK_IMPORTED_MODULE_5__/* .unknown */ .L5J()), {}), valibot__WEBPACK_IMPORTED_MODULE_5__/* .transform */ .pdi((value) => value ?? {}));
const ResultSchema = valibot__WEBPACK_IMPORTED_MODULE_5__/* .object */ .Ikc({
    schema: valibot__WEBPACK_IMPORTED_MODULE_5__/* .literal */ .euz('oom-autopsy.parity.v1'),
    verdict: valibot__WEBPACK_IMPORTED_MODULE_5__/* .picklist */ .KIO(['match', 'drift', 'unverifiable']),
    says: valibot__WEBPACK_IMPORTED_MODULE_5__/* .optional */ .lqM(lines),
    view: valibot__WEBPACK_IMPORTED_MODULE_5__/* .object */ .Ikc({ status: line, differences }),
    oracle: valibot__WEBPACK_IMPORTED_MODULE_5__/* .object */ .Ikc({
        status: valibot__WEBPACK_IMPORTED_MODULE_5__/* .picklist */ .KIO(['same', 'changed', 'removed', 'not-comparable', 'crashed']),
        reason: valibot__WEBPACK_IMPORTED_MODULE_5__/* .optional */ .lqM(valibot__WEBPACK_IMPORTED_MODULE_5__/* .nullable */ .mee(line), null),
        differences,
    }),
    migration: valibot__WEBPACK_IMPORTED_MODULE_5__/* .object */ .Ikc({
        status: line,
        reason: valibot__WEBPACK_IMPORTED_MODULE_5__/* .nullish */ .cl6(line),
        rows: valibot__WEBPACK_IMPORTED_MODULE_5__/* .pipe */ .FsL(valibot__WEBPACK_IMPORTED_MODULE_5__/* .array */ .YOg(valibot__WEBPACK_IMPORTED_MODULE_5__/* .object */ .Ikc({ from: line, to: line, count: amount, bytes: amount })), valibot__WEBPACK_IMPORTED_MODULE_5__/* .transform */ .pdi((all) => all.slice(0, 100))),
        lines: valibot__WEBPACK_IMPORTED_MODULE_5__/* .optional */ .lqM(lines, []),
        differences,
    }),
    environment: facts,
    fixture: facts,
    trigger: valibot__WEBPACK_IMPORTED_MODULE_5__/* .nullish */ .cl6(valibot__WEBPACK_IMPORTED_MODULE_5__/* .object */ .Ikc({ status: line, new: valibot__WEBPACK_IMPORTED_MODULE_5__/* .optional */ .lqM(lines, []) })),
    seconds: valibot__WEBPACK_IMPORTED_MODULE_5__/* .optional */ .lqM(valibot__WEBPACK_IMPORTED_MODULE_5__/* .nullable */ .mee(amount), null),
    earlier: valibot__WEBPACK_IMPORTED_MODULE_5__/* .optional */ .lqM(valibot__WEBPACK_IMPORTED_MODULE_5__/* .boolean */ .zMY()),
});
const MAX_OUTPUT_BYTES = 4 * 2 ** 20;
const LEFT_OPEN_MS = 1000;
const REFUSED = 2;
const OWN_PREFIX = /^oom_autopsy_parity: /;
function parseParityOutput(text) {
    const last = lastLine(text);
    let value;
    try {
        value = JSON.parse(last);
    }
    catch {
        return `the check printed no JSON (${last === '' ? 'nothing at all' : (0,_lib_text_js__WEBPACK_IMPORTED_MODULE_6__/* .printable */ .g$)(last, 120)})`;
    }
    const parsed = valibot__WEBPACK_IMPORTED_MODULE_5__/* .safeParse */ .xLC(ResultSchema, value);
    return parsed.success
        ? parsed.output
        : `the check's result has a wrong value at ${valibot__WEBPACK_IMPORTED_MODULE_5__/* .getDotPath */ .BuJ(parsed.issues[0]) ?? 'its top'}`;
}
const lastLine = (text) => text.trimEnd().split('\n').at(-1) ?? '';
const notRun = (reason) => ({ state: 'unverifiable', reason, result: null, notRun: true });
function judgeParity(result) {
    const { verdict } = result;
    const said = (result.says ?? []).join(' ');
    if (verdict === 'match')
        return { state: verdict, reason: null, result };
    if (verdict === 'drift')
        return { state: verdict, reason: said || null, result };
    return {
        state: verdict,
        reason: said || `rebuilt view: ${result.view.status}, oracle: ${result.oracle.status}`,
        result,
        notRun: Object.keys(result.environment).length === 0,
    };
}
function obstacle({ python, fixture }) {
    if ((0,node_path__WEBPACK_IMPORTED_MODULE_1__.isAbsolute)(python) && !(0,node_fs__WEBPACK_IMPORTED_MODULE_0__.existsSync)(python)) {
        return `there is no interpreter ${(0,_lib_text_js__WEBPACK_IMPORTED_MODULE_6__/* .printable */ .g$)(python)}; name one that has torch with the input \`python\``;
    }
    if (fixture !== null && !(0,node_fs__WEBPACK_IMPORTED_MODULE_0__.existsSync)(fixture)) {
        return `there is no fixture at ${(0,_lib_text_js__WEBPACK_IMPORTED_MODULE_6__/* .printable */ .g$)(fixture)}; check the input \`fixture\``;
    }
    return null;
}
async function checkParity(request) {
    const problem = obstacle(request);
    if (problem !== null)
        return notRun(problem);
    const ended = await run(request, argumentsOf(request));
    if (ended.kind === 'cancelled') {
        return {
            state: 'unverifiable',
            reason: 'the job was cancelled, so the check was ended',
            result: null,
            notRun: false,
        };
    }
    if (ended.kind === 'failed')
        return notRun(ended.reason);
    if (ended.code !== 0) {
        const last = (0,_lib_text_js__WEBPACK_IMPORTED_MODULE_6__/* .printable */ .g$)(lastLine(ended.stderr), 500);
        return notRun(ended.code === REFUSED && OWN_PREFIX.test(last)
            ? last.replace(OWN_PREFIX, '')
            : `the check ended with exit code ${ended.code}: ${last}`);
    }
    const result = parseParityOutput(ended.stdout);
    return typeof result === 'string' ? notRun(result) : judgeParity(result);
}
function argumentsOf({ parityDir, fixture, remember, timeoutMs }) {
    return [
        (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(parityDir, 'oom_autopsy_parity'),
        'check',
        '--json',
        ...['--worker', String(timeoutMs / 1000 + 2)],
        ...(remember === null ? [] : ['--remember', remember]),
        ...(fixture === null ? [] : ['--fixture', fixture]),
    ];
}
class Output {
    #chunks = [];
    #bytes = 0;
    take(chunk) {
        this.#bytes += chunk.length;
        if (this.#bytes <= MAX_OUTPUT_BYTES)
            this.#chunks.push(chunk);
        return this.#bytes <= MAX_OUTPUT_BYTES;
    }
    text() {
        return Buffer.concat(this.#chunks).toString('utf8');
    }
}
async function run(request, args) {
    const { python, cwd, timeoutMs, signal, fixture } = request;
    const mark = { name: 'OOM_AUTOPSY_PARITY_CHECK', value: (0,_lib_random_js__WEBPACK_IMPORTED_MODULE_3__/* .randomHex */ .n)(8) };
    const [stdout, stderr] = [new Output(), new Output()];
    const stopping = Promise.withResolvers();
    const stop = (reason) => stopping.resolve({ kind: 'failed', reason });
    const listen = (output) => (chunk) => {
        if (!output.take(chunk))
            stop(`the check printed more than ${MAX_OUTPUT_BYTES / 2 ** 20} MiB and was ended`);
    };
    const timer = setTimeout(() => stop(`the check took longer than ${Math.round(timeoutMs / 1000)} s and was ended`), timeoutMs);
    const cancel = () => stopping.resolve({ kind: 'cancelled' });
    signal?.addEventListener('abort', cancel, { once: true });
    if (signal?.aborted)
        cancel();
    const environment = { ...request.env, PYTHONDONTWRITEBYTECODE: '1', [mark.name]: mark.value };
    const ran = (0,_actions_exec__WEBPACK_IMPORTED_MODULE_2__/* .exec */ .m)(`"${python.replaceAll('"', '\\"')}"`, [...args], {
        ...((0,node_fs__WEBPACK_IMPORTED_MODULE_0__.existsSync)(cwd) ? { cwd } : {}),
        env: Object.fromEntries(Object.entries(environment).filter((entry) => entry[1] !== undefined)),
        silent: true,
        ignoreReturnCode: true,
        delay: LEFT_OPEN_MS,
        listeners: { stdout: listen(stdout), stderr: listen(stderr) },
    }).then((code) => code === null
        ? { kind: 'failed', reason: 'the check was ended by a signal' }
        : { kind: 'ended', code, stdout: stdout.text(), stderr: stderr.text() }, (error) => ({ kind: 'failed', reason: startProblem(python, error) }));
    const stopped = stopping.promise.then((ended) => ({ ended, whole: false }));
    const { ended, whole } = await Promise.race([ran.then((one) => ({ ended: one, whole: true })), stopped]);
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
    if (!whole || fixture !== null) {
        await (0,_step_process_js__WEBPACK_IMPORTED_MODULE_4__/* .drain */ .Ze)({ leader: null, variable: `${mark.name}=${mark.value}` }, { term: null, kill: Date.now() });
    }
    return ended;
}
function startProblem(python, error) {
    const name = (0,_lib_text_js__WEBPACK_IMPORTED_MODULE_6__/* .printable */ .g$)(python);
    return error.message.startsWith('Unable to locate executable') && !(0,node_path__WEBPACK_IMPORTED_MODULE_1__.isAbsolute)(python)
        ? `there is no interpreter "${name}" on PATH; name one that has torch with the input \`python\``
        : `the interpreter ${name} could not be started (${(0,_lib_text_js__WEBPACK_IMPORTED_MODULE_6__/* .printable */ .g$)(error.message.replace(/^.*Error: /, ''), 200)})`;
}


/***/ }),

/***/ 3910:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Cs: () => (/* binding */ endStep),
/* harmony export */   Ze: () => (/* binding */ drain)
/* harmony export */ });
/* unused harmony exports shellExitCode, runStep */
/* harmony import */ var node_child_process__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(1421);
/* harmony import */ var node_os__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(8161);
/* harmony import */ var _launchers_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(1914);
/* harmony import */ var _own_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(2671);
/* harmony import */ var _proc_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(9503);






const DRAIN_POLL_MS = 50;
const UNKILLABLE_MS = 2000;
const SIGTERM_AFTER_MS = 2500;
const LAUNCHERS_LATER_MS = 300;
const shellExitCode = (code, signal) => code ?? 128 + (signal === null ? 0 : (constants.signals[signal] ?? 0));
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
async function drain(mark, { term, kill: deadline }, patience = UNKILLABLE_MS, onTerm = () => true) {
    const killed = new Map();
    let termed = term === null;
    for (let empty = 0;;) {
        const left = (0,_own_js__WEBPACK_IMPORTED_MODULE_3__/* .stepProcesses */ ._M)(mark);
        empty = left.length === 0 ? empty + 1 : 0;
        if (empty === 2)
            return [...killed.values()];
        if (!termed && Date.now() >= (term ?? 0)) {
            termed = true;
            if (onTerm())
                for (const { pid } of left)
                    (0,_proc_js__WEBPACK_IMPORTED_MODULE_4__/* .signalProcess */ .a7)(pid, 'SIGTERM');
        }
        if (Date.now() >= deadline) {
            const wait = Date.now() < deadline + Math.min(LAUNCHERS_LATER_MS, patience);
            for (const { pid } of left) {
                const named = killed.get(pid) ?? (0,_proc_js__WEBPACK_IMPORTED_MODULE_4__/* .nameProcess */ .HO)(pid);
                if (wait && _launchers_js__WEBPACK_IMPORTED_MODULE_2__/* .CARRIERS */ .Mf.has(named.program ?? ''))
                    continue;
                killed.set(pid, named);
                (0,_proc_js__WEBPACK_IMPORTED_MODULE_4__/* .signalProcess */ .a7)(pid, 'SIGKILL');
            }
            if (Date.now() >= deadline + patience) {
                for (const { pid } of (0,_own_js__WEBPACK_IMPORTED_MODULE_3__/* .stepProcesses */ ._M)(mark))
                    killed.delete(pid);
                return [...killed.values()];
            }
        }
        await pause(DRAIN_POLL_MS);
    }
}
async function endStep(mark, graceMs, patience) {
    const found = (0,_own_js__WEBPACK_IMPORTED_MODULE_3__/* .stepProcesses */ ._M)(mark);
    for (const { pid } of found)
        (0,_proc_js__WEBPACK_IMPORTED_MODULE_4__/* .signalProcess */ .a7)(pid, 'SIGTERM');
    return {
        found: found.length,
        killed: await drain(mark, { term: null, kill: Date.now() + graceMs }, patience),
    };
}
function runStep(options) {
    const startedAt = Date.now();
    const posix = process.platform !== 'win32';
    return new Promise((resolve) => {
        let child = null;
        let cancelledBy = null;
        let draining = null;
        let settled = false;
        let termed = false;
        let since = null;
        const mark = () => ({
            leader: child?.pid ?? null,
            variable: options.mark,
            since,
            met: options.met?.(),
        });
        const onSignal = (signal) => {
            cancelledBy ??= signal;
            if (!child?.pid)
                return;
            if (!posix) {
                child.kill(signal);
                return;
            }
            const leader = child.pid;
            if (options.terminal) {
                signalProcess(-leader, signal);
                return;
            }
            if (signal === 'SIGTERM') {
                if (termed)
                    return;
                termed = true;
            }
            const outside = stepProcesses(mark()).filter((facts) => facts.pgid !== leader);
            signalProcess(-leader, signal);
            for (const facts of outside)
                signalProcess(facts.pid, signal);
            const now = Date.now();
            const ladder = { term: now + SIGTERM_AFTER_MS, kill: now + options.graceMs };
            draining ??= drain(mark(), ladder, UNKILLABLE_MS, () => {
                const first = !termed;
                termed = true;
                return first;
            });
        };
        const finish = async (code, signal, startError) => {
            if (settled)
                return;
            settled = true;
            const shellEndedAt = Date.now();
            const killed = (await draining) ?? [];
            for (const name of CANCEL_SIGNALS)
                process.off(name, onSignal);
            resolve({
                exitCode: shellExitCode(code, signal),
                signal,
                cancelledBy,
                startError,
                startedAt,
                endedAt: shellEndedAt,
                killed,
            });
        };
        for (const name of CANCEL_SIGNALS)
            process.on(name, onSignal);
        try {
            child = spawn(options.file, options.args, {
                cwd: options.cwd,
                env: options.env,
                stdio: [options.terminal ? 'inherit' : 'ignore', 'inherit', 'inherit'],
                detached: posix,
                windowsHide: true,
            });
        }
        catch (error) {
            void finish(126, null, error.message);
            return;
        }
        child.on('error', (error) => {
            void finish(error.code === 'ENOENT' ? 127 : 126, null, error.message);
        });
        child.on('exit', (code, signal) => void finish(code, signal, null));
        if (child.pid) {
            since = processFacts(child.pid)?.startTicks ?? null;
            options.onStart?.({ pid: child.pid, startTicks: since });
        }
    });
}


/***/ })

};
