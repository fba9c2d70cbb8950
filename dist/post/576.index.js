export const id = 576;
export const ids = [576];
export const modules = {

/***/ 576:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   checkParity: () => (/* binding */ checkParity)
/* harmony export */ });
/* unused harmony exports parseParityOutput, judgeParity */
/* harmony import */ var node_child_process__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(421);
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(24);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(760);
/* harmony import */ var valibot__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(934);
/* harmony import */ var _text_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(977);





const line = valibot__WEBPACK_IMPORTED_MODULE_3__/* .pipe */ .FsL(valibot__WEBPACK_IMPORTED_MODULE_3__/* .string */ .YjP(), valibot__WEBPACK_IMPORTED_MODULE_3__/* .transform */ .pdi((text) => (0,_text_js__WEBPACK_IMPORTED_MODULE_4__/* .printable */ .g$)(text, 500)));
const lines = valibot__WEBPACK_IMPORTED_MODULE_3__/* .pipe */ .FsL(valibot__WEBPACK_IMPORTED_MODULE_3__/* .array */ .YOg(line), valibot__WEBPACK_IMPORTED_MODULE_3__/* .transform */ .pdi((all) => all.slice(0, 50)));
const amount = valibot__WEBPACK_IMPORTED_MODULE_3__/* .pipe */ .FsL(valibot__WEBPACK_IMPORTED_MODULE_3__/* .number */ .aig(), valibot__WEBPACK_IMPORTED_MODULE_3__/* .finite */ .E2x(), valibot__WEBPACK_IMPORTED_MODULE_3__/* .minValue */ .Wwf(0));
const short = valibot__WEBPACK_IMPORTED_MODULE_3__/* .pipe */ .FsL(valibot__WEBPACK_IMPORTED_MODULE_3__/* .union */ .KCZ([valibot__WEBPACK_IMPORTED_MODULE_3__/* .string */ .YjP(), valibot__WEBPACK_IMPORTED_MODULE_3__/* .number */ .aig(), valibot__WEBPACK_IMPORTED_MODULE_3__/* ["null"] */ .chJ()]), valibot__WEBPACK_IMPORTED_MODULE_3__/* .transform */ .pdi((value) => (0,_text_js__WEBPACK_IMPORTED_MODULE_4__/* .printable */ .g$)(String(value), 160)));
const difference = valibot__WEBPACK_IMPORTED_MODULE_3__/* .pipe */ .FsL(valibot__WEBPACK_IMPORTED_MODULE_3__/* .object */ .Ikc({ scenario: line, what: line, fixture: short, now: short }), valibot__WEBPACK_IMPORTED_MODULE_3__/* .transform */ .pdi(({ scenario, what, fixture, now }) => `${scenario}, ${what}: fixture ${fixture}, now ${now}`));
const differences = valibot__WEBPACK_IMPORTED_MODULE_3__/* .optional */ .lqM(valibot__WEBPACK_IMPORTED_MODULE_3__/* .pipe */ .FsL(valibot__WEBPACK_IMPORTED_MODULE_3__/* .array */ .YOg(difference), valibot__WEBPACK_IMPORTED_MODULE_3__/* .transform */ .pdi((all) => all.slice(0, 50))), []);
const facts = valibot__WEBPACK_IMPORTED_MODULE_3__/* .pipe */ .FsL(valibot__WEBPACK_IMPORTED_MODULE_3__/* .nullish */ .cl6(valibot__WEBPACK_IMPORTED_MODULE_3__/* .record */ .g1P(valibot__WEBPACK_IMPORTED_MODULE_3__/* .string */ .YjP(), valibot__WEBPACK_IMPORTED_MODULE_3__/* .unknown */ .L5J()), {}), valibot__WEBPACK_IMPORTED_MODULE_3__/* .transform */ .pdi((value) => value ?? {}));
const ResultSchema = valibot__WEBPACK_IMPORTED_MODULE_3__/* .object */ .Ikc({
    schema: valibot__WEBPACK_IMPORTED_MODULE_3__/* .literal */ .euz('oom-autopsy.parity.v1'),
    verdict: valibot__WEBPACK_IMPORTED_MODULE_3__/* .picklist */ .KIO(['match', 'drift', 'unverifiable']),
    says: valibot__WEBPACK_IMPORTED_MODULE_3__/* .optional */ .lqM(lines),
    view: valibot__WEBPACK_IMPORTED_MODULE_3__/* .object */ .Ikc({ status: line, differences }),
    oracle: valibot__WEBPACK_IMPORTED_MODULE_3__/* .object */ .Ikc({
        status: valibot__WEBPACK_IMPORTED_MODULE_3__/* .picklist */ .KIO(['same', 'changed', 'removed', 'not-comparable', 'crashed']),
        reason: valibot__WEBPACK_IMPORTED_MODULE_3__/* .optional */ .lqM(valibot__WEBPACK_IMPORTED_MODULE_3__/* .nullable */ .mee(line), null),
        differences,
    }),
    migration: valibot__WEBPACK_IMPORTED_MODULE_3__/* .object */ .Ikc({
        status: line,
        rows: valibot__WEBPACK_IMPORTED_MODULE_3__/* .pipe */ .FsL(valibot__WEBPACK_IMPORTED_MODULE_3__/* .array */ .YOg(valibot__WEBPACK_IMPORTED_MODULE_3__/* .object */ .Ikc({ from: line, to: line, count: amount, bytes: amount })), valibot__WEBPACK_IMPORTED_MODULE_3__/* .transform */ .pdi((all) => all.slice(0, 100))),
        lines: valibot__WEBPACK_IMPORTED_MODULE_3__/* .optional */ .lqM(lines, []),
        differences,
    }),
    environment: facts,
    fixture: facts,
    trigger: valibot__WEBPACK_IMPORTED_MODULE_3__/* .nullish */ .cl6(valibot__WEBPACK_IMPORTED_MODULE_3__/* .object */ .Ikc({ status: line, new: valibot__WEBPACK_IMPORTED_MODULE_3__/* .optional */ .lqM(lines, []) })),
    seconds: valibot__WEBPACK_IMPORTED_MODULE_3__/* .optional */ .lqM(valibot__WEBPACK_IMPORTED_MODULE_3__/* .nullable */ .mee(amount), null),
});
const MAX_OUTPUT_BYTES = 4 * 2 ** 20;
const REFUSED = 2;
const OWN_PREFIX = /^oom_autopsy_parity: /;
function parseParityOutput(text) {
    const last = lastLine(text);
    let value;
    try {
        value = JSON.parse(last);
    }
    catch {
        return `the check printed no JSON (${last === '' ? 'nothing at all' : (0,_text_js__WEBPACK_IMPORTED_MODULE_4__/* .printable */ .g$)(last, 120)})`;
    }
    const parsed = valibot__WEBPACK_IMPORTED_MODULE_3__/* .safeParse */ .xLC(ResultSchema, value);
    return parsed.success
        ? parsed.output
        : `the check's result has a wrong value at ${valibot__WEBPACK_IMPORTED_MODULE_3__/* .getDotPath */ .BuJ(parsed.issues[0]) ?? 'its top'}`;
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
    if ((0,node_path__WEBPACK_IMPORTED_MODULE_2__.isAbsolute)(python) && !(0,node_fs__WEBPACK_IMPORTED_MODULE_1__.existsSync)(python)) {
        return `there is no interpreter ${(0,_text_js__WEBPACK_IMPORTED_MODULE_4__/* .printable */ .g$)(python)}; name one that has torch with the input \`python\``;
    }
    if (fixture !== null && !(0,node_fs__WEBPACK_IMPORTED_MODULE_1__.existsSync)(fixture)) {
        return `there is no fixture at ${(0,_text_js__WEBPACK_IMPORTED_MODULE_4__/* .printable */ .g$)(fixture)}; check the input \`fixture\``;
    }
    return null;
}
async function checkParity(request) {
    const { python } = request;
    const problem = obstacle(request);
    if (problem !== null)
        return notRun(problem);
    const args = [(0,node_path__WEBPACK_IMPORTED_MODULE_2__.join)(request.parityDir, 'oom_autopsy_parity'), 'check', '--json'];
    if (request.fixture !== null)
        args.push('--fixture', request.fixture);
    const ended = await capture(python, args, request);
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
        const last = (0,_text_js__WEBPACK_IMPORTED_MODULE_4__/* .printable */ .g$)(lastLine(ended.stderr), 500);
        return notRun(ended.code === REFUSED && OWN_PREFIX.test(last)
            ? last.replace(OWN_PREFIX, '')
            : `the check ended with exit code ${ended.code}: ${last}`);
    }
    const result = parseParityOutput(ended.stdout);
    return typeof result === 'string' ? notRun(result) : judgeParity(result);
}
function capture(file, args, request) {
    const { timeoutMs, signal, cwd } = request;
    const unable = (error) => ({
        kind: 'failed',
        reason: error.code === 'ENOENT' && !(0,node_path__WEBPACK_IMPORTED_MODULE_2__.isAbsolute)(file)
            ? `there is no interpreter "${(0,_text_js__WEBPACK_IMPORTED_MODULE_4__/* .printable */ .g$)(file)}" on PATH; name one that has torch with the input \`python\``
            : `the interpreter ${(0,_text_js__WEBPACK_IMPORTED_MODULE_4__/* .printable */ .g$)(file)} could not be started (${error.code ?? (0,_text_js__WEBPACK_IMPORTED_MODULE_4__/* .printable */ .g$)(error.message, 200)})`,
    });
    return new Promise((resolve) => {
        let child;
        const start = () => (0,node_child_process__WEBPACK_IMPORTED_MODULE_0__.spawn)(file, args, {
            ...((0,node_fs__WEBPACK_IMPORTED_MODULE_1__.existsSync)(cwd) ? { cwd } : {}),
            env: { ...request.env, PYTHONDONTWRITEBYTECODE: '1' },
            stdio: ['ignore', 'pipe', 'pipe'],
            detached: true,
        });
        try {
            child = start();
        }
        catch (error) {
            resolve(unable(error));
            return;
        }
        const output = { stdout: '', stderr: '' };
        for (const name of ['stdout', 'stderr']) {
            child[name].setEncoding('utf8').on('data', (text) => {
                if (output[name].length < MAX_OUTPUT_BYTES)
                    output[name] += text;
            });
        }
        const kill = () => {
            try {
                if (child.pid)
                    process.kill(-child.pid, 'SIGKILL');
            }
            catch {
            }
        };
        const end = (ended) => {
            clearTimeout(timer);
            signal?.removeEventListener('abort', onAbort);
            kill();
            resolve(ended);
        };
        const onAbort = () => end({ kind: 'cancelled' });
        const timer = setTimeout(() => end({
            kind: 'failed',
            reason: `the check took longer than ${Math.round(timeoutMs / 1000)} s and was ended`,
        }), timeoutMs);
        signal?.addEventListener('abort', onAbort, { once: true });
        if (signal?.aborted)
            onAbort();
        child.on('error', (error) => end(unable(error)));
        child.on('close', (code, endedBy) => end(endedBy !== null
            ? { kind: 'failed', reason: `the check was ended by ${endedBy}` }
            : { kind: 'ended', code: code ?? 1, ...output }));
    });
}


/***/ })

};
