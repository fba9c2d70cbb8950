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


/***/ })

};
