export const id = 576;
export const ids = [576];
export const modules = {

/***/ 576:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   checkParity: () => (/* binding */ checkParity),
/* harmony export */   fixturePath: () => (/* binding */ fixturePath)
/* harmony export */ });
/* unused harmony export parseParityOutput */
/* harmony import */ var node_child_process__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(421);
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(24);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(760);
/* harmony import */ var valibot__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(934);
/* harmony import */ var _text_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(977);





const line = valibot__WEBPACK_IMPORTED_MODULE_3__/* .pipe */ .FsL(valibot__WEBPACK_IMPORTED_MODULE_3__/* .string */ .YjP(), valibot__WEBPACK_IMPORTED_MODULE_3__/* .transform */ .pdi((text) => (0,_text_js__WEBPACK_IMPORTED_MODULE_4__/* .printable */ .g$)(text, 500)));
const lines = valibot__WEBPACK_IMPORTED_MODULE_3__/* .pipe */ .FsL(valibot__WEBPACK_IMPORTED_MODULE_3__/* .array */ .YOg(line), valibot__WEBPACK_IMPORTED_MODULE_3__/* .transform */ .pdi((all) => all.slice(0, 50)));
const difference = valibot__WEBPACK_IMPORTED_MODULE_3__/* .union */ .KCZ([
    line,
    valibot__WEBPACK_IMPORTED_MODULE_3__/* .pipe */ .FsL(valibot__WEBPACK_IMPORTED_MODULE_3__/* .object */ .Ikc({ scenario: valibot__WEBPACK_IMPORTED_MODULE_3__/* .string */ .YjP(), what: valibot__WEBPACK_IMPORTED_MODULE_3__/* .string */ .YjP(), fixture: valibot__WEBPACK_IMPORTED_MODULE_3__/* .unknown */ .L5J(), now: valibot__WEBPACK_IMPORTED_MODULE_3__/* .unknown */ .L5J() }), valibot__WEBPACK_IMPORTED_MODULE_3__/* .transform */ .pdi((d) => (0,_text_js__WEBPACK_IMPORTED_MODULE_4__/* .printable */ .g$)(`${d.scenario}, ${d.what}: fixture ${String(d.fixture)}, now ${String(d.now)}`, 500))),
]);
const differences = valibot__WEBPACK_IMPORTED_MODULE_3__/* .pipe */ .FsL(valibot__WEBPACK_IMPORTED_MODULE_3__/* .array */ .YOg(difference), valibot__WEBPACK_IMPORTED_MODULE_3__/* .transform */ .pdi((all) => all.slice(0, 50)));
const amount = valibot__WEBPACK_IMPORTED_MODULE_3__/* .pipe */ .FsL(valibot__WEBPACK_IMPORTED_MODULE_3__/* .number */ .aig(), valibot__WEBPACK_IMPORTED_MODULE_3__/* .finite */ .E2x(), valibot__WEBPACK_IMPORTED_MODULE_3__/* .minValue */ .Wwf(0));
const ResultSchema = valibot__WEBPACK_IMPORTED_MODULE_3__/* .object */ .Ikc({
    schema: valibot__WEBPACK_IMPORTED_MODULE_3__/* .literal */ .euz('oom-autopsy.parity.v1'),
    verdict: valibot__WEBPACK_IMPORTED_MODULE_3__/* .picklist */ .KIO(['match', 'drift', 'unverifiable']),
    reason: valibot__WEBPACK_IMPORTED_MODULE_3__/* .optional */ .lqM(valibot__WEBPACK_IMPORTED_MODULE_3__/* .nullable */ .mee(line), null),
    view: valibot__WEBPACK_IMPORTED_MODULE_3__/* .object */ .Ikc({ status: line, differences: valibot__WEBPACK_IMPORTED_MODULE_3__/* .optional */ .lqM(differences, []) }),
    oracle: valibot__WEBPACK_IMPORTED_MODULE_3__/* .object */ .Ikc({
        status: valibot__WEBPACK_IMPORTED_MODULE_3__/* .picklist */ .KIO(['same', 'changed', 'removed', 'not-comparable', 'crashed']),
        reason: valibot__WEBPACK_IMPORTED_MODULE_3__/* .optional */ .lqM(valibot__WEBPACK_IMPORTED_MODULE_3__/* .nullable */ .mee(line), null),
        differences: valibot__WEBPACK_IMPORTED_MODULE_3__/* .optional */ .lqM(differences, []),
    }),
    migration: valibot__WEBPACK_IMPORTED_MODULE_3__/* .object */ .Ikc({
        status: line,
        rows: valibot__WEBPACK_IMPORTED_MODULE_3__/* .pipe */ .FsL(valibot__WEBPACK_IMPORTED_MODULE_3__/* .array */ .YOg(valibot__WEBPACK_IMPORTED_MODULE_3__/* .object */ .Ikc({ from: line, to: line, count: amount, bytes: amount })), valibot__WEBPACK_IMPORTED_MODULE_3__/* .transform */ .pdi((all) => all.slice(0, 100))),
        lines: valibot__WEBPACK_IMPORTED_MODULE_3__/* .optional */ .lqM(lines, []),
        differences: valibot__WEBPACK_IMPORTED_MODULE_3__/* .optional */ .lqM(differences, []),
    }),
    environment: valibot__WEBPACK_IMPORTED_MODULE_3__/* .optional */ .lqM(valibot__WEBPACK_IMPORTED_MODULE_3__/* .record */ .g1P(valibot__WEBPACK_IMPORTED_MODULE_3__/* .string */ .YjP(), valibot__WEBPACK_IMPORTED_MODULE_3__/* .unknown */ .L5J()), {}),
    fixture: valibot__WEBPACK_IMPORTED_MODULE_3__/* .optional */ .lqM(valibot__WEBPACK_IMPORTED_MODULE_3__/* .record */ .g1P(valibot__WEBPACK_IMPORTED_MODULE_3__/* .string */ .YjP(), valibot__WEBPACK_IMPORTED_MODULE_3__/* .unknown */ .L5J()), {}),
    trigger: valibot__WEBPACK_IMPORTED_MODULE_3__/* .optional */ .lqM(valibot__WEBPACK_IMPORTED_MODULE_3__/* .object */ .Ikc({ status: line, new: valibot__WEBPACK_IMPORTED_MODULE_3__/* .optional */ .lqM(lines, []) })),
    seconds: valibot__WEBPACK_IMPORTED_MODULE_3__/* .optional */ .lqM(valibot__WEBPACK_IMPORTED_MODULE_3__/* .nullable */ .mee(amount), null),
});
const MAX_OUTPUT_BYTES = 4 * 2 ** 20;
function parseParityOutput(text) {
    const last = text.trimEnd().split('\n').at(-1) ?? '';
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
function obstacle(request) {
    if (request.python === null)
        return 'no process of the step used torch, so there is nothing to compare';
    if ((0,node_path__WEBPACK_IMPORTED_MODULE_2__.isAbsolute)(request.python) && !(0,node_fs__WEBPACK_IMPORTED_MODULE_1__.existsSync)(request.python)) {
        return `the interpreter ${(0,_text_js__WEBPACK_IMPORTED_MODULE_4__/* .printable */ .g$)(request.python)} is gone; name one with the input \`python\``;
    }
    if (request.fixture !== null && !(0,node_fs__WEBPACK_IMPORTED_MODULE_1__.existsSync)(request.fixture)) {
        return `there is no fixture at ${(0,_text_js__WEBPACK_IMPORTED_MODULE_4__/* .printable */ .g$)(request.fixture)}; check the input \`fixture\``;
    }
    return null;
}
async function checkParity(request) {
    const problem = obstacle(request);
    if (problem !== null || request.python === null) {
        return { state: 'unverifiable', reason: problem ?? '', result: null };
    }
    const args = ['-m', 'oom_autopsy_parity', 'check', '--json'];
    if (request.fixture !== null)
        args.push('--fixture', request.fixture);
    const env = {
        ...request.env,
        PYTHONPATH: request.parityDir,
        PYTHONDONTWRITEBYTECODE: '1',
    };
    const ended = await capture(request.python, args, env, request.timeoutMs, request.signal);
    if (ended.kind !== 'ended')
        return { state: 'unverifiable', reason: ended.reason, result: null };
    if (ended.code !== 0) {
        const last = ended.stderr.trimEnd().split('\n').at(-1) ?? '';
        return {
            state: 'unverifiable',
            reason: `the check ended with exit code ${ended.code}: ${(0,_text_js__WEBPACK_IMPORTED_MODULE_4__/* .printable */ .g$)(last, 300)}`,
            result: null,
        };
    }
    const result = parseParityOutput(ended.stdout);
    if (typeof result === 'string')
        return { state: 'unverifiable', reason: result, result: null };
    return result.verdict === 'unverifiable'
        ? { state: 'unverifiable', reason: result.reason ?? `oracle: ${result.oracle.status}`, result }
        : { state: result.verdict, reason: result.reason, result };
}
function capture(file, args, env, timeoutMs, signal) {
    return new Promise((resolve) => {
        const child = (0,node_child_process__WEBPACK_IMPORTED_MODULE_0__.spawn)(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
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
        const timer = setTimeout(() => {
            kill();
            resolve({
                kind: 'failed',
                reason: `the check took longer than ${Math.round(timeoutMs / 1000)} s and was ended`,
            });
        }, timeoutMs);
        const onAbort = () => {
            clearTimeout(timer);
            kill();
            resolve({ kind: 'failed', reason: 'the job was cancelled, so the check was ended' });
        };
        signal?.addEventListener('abort', onAbort, { once: true });
        child.on('error', (error) => {
            clearTimeout(timer);
            resolve({
                kind: 'failed',
                reason: `the interpreter could not be started (${(0,_text_js__WEBPACK_IMPORTED_MODULE_4__/* .printable */ .g$)(error.message, 200)})`,
            });
        });
        child.on('close', (code, endedBy) => {
            clearTimeout(timer);
            signal?.removeEventListener('abort', onAbort);
            kill();
            if (endedBy !== null)
                resolve({ kind: 'failed', reason: `the check was ended by ${endedBy}` });
            else
                resolve({ kind: 'ended', code: code ?? 1, ...output });
        });
    });
}
const fixturePath = (fixture, workspace) => fixture === '' ? null : (0,node_path__WEBPACK_IMPORTED_MODULE_2__.isAbsolute)(fixture) ? fixture : (0,node_path__WEBPACK_IMPORTED_MODULE_2__.join)(workspace, fixture);


/***/ })

};
