export const id = 489;
export const ids = [489];
export const modules = {

/***/ 2489:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  post: () => (/* binding */ post)
});

// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
// EXTERNAL MODULE: ./build/account.js + 10 modules
var account = __webpack_require__(8278);
// EXTERNAL MODULE: ./build/deliver/cleanup.js
var cleanup = __webpack_require__(8142);
// EXTERNAL MODULE: ./build/deliver/deliver.js + 10 modules
var deliver = __webpack_require__(4908);
// EXTERNAL MODULE: ./build/deliver/reserve.js
var deliver_reserve = __webpack_require__(654);
// EXTERNAL MODULE: ./build/evidence/manifest.js
var evidence_manifest = __webpack_require__(6191);
// EXTERNAL MODULE: ./build/evidence/safe-fs.js
var safe_fs = __webpack_require__(9531);
// EXTERNAL MODULE: ./build/judge/outside.js
var outside = __webpack_require__(2455);
// EXTERNAL MODULE: ./build/judge/verdicts.js
var verdicts = __webpack_require__(6344);
// EXTERNAL MODULE: ./build/lib/bytes.js
var lib_bytes = __webpack_require__(9079);
// EXTERNAL MODULE: ./build/lib/files.js
var files = __webpack_require__(3963);
// EXTERNAL MODULE: ./build/lib/text.js
var lib_text = __webpack_require__(4869);
// EXTERNAL MODULE: ./build/report/markdown.js
var markdown = __webpack_require__(4902);
// EXTERNAL MODULE: ./build/report/rich.js
var rich = __webpack_require__(6781);
// EXTERNAL MODULE: ./build/deliver/publish.js + 4 modules
var publish = __webpack_require__(5962);
// EXTERNAL MODULE: ./build/deliver/publishing.js
var publishing = __webpack_require__(1465);
;// CONCATENATED MODULE: ./build/deliver/resume.js














const MAX_MANIFEST_BYTES = 256 * 2 ** 20;
async function readManifest(plan) {
    try {
        const manifest = JSON.parse(await (0,safe_fs/* readRegular */.VX)(plan.outputDir, deliver/* MANIFEST */.e0, MAX_MANIFEST_BYTES));
        const lists = [manifest.files, manifest.snapshots, manifest.processes, manifest.published.left_out];
        const ours = manifest.schema === evidence_manifest/* MANIFEST_SCHEMA */.KB && manifest.step.id === plan.id && (0,verdicts/* isVerdict */._f)(manifest.verdict.name);
        return ours && lists.every(Array.isArray) ? manifest : null;
    }
    catch {
        return null;
    }
}
const knownFiles = (told) => new Set([...(told?.files ?? []), ...(told?.snapshots ?? [])].map(cleanup/* fileKey */.wm));
function tellsMore(receipt, told) {
    const threads = (ends = []) => ends.filter((end) => end.oom).length;
    return (receipt.oom_count > (told?.oom_count ?? 0) ||
        ((0,outside/* endedByOom */.LU)(receipt) && !(told && (0,outside/* endedByOom */.LU)(told))) ||
        threads(receipt.thread_ends) > threads(told?.thread_ends));
}
function newEvidence(evidence, told) {
    const files = knownFiles(told);
    const processes = new Map((told?.processes ?? []).map((process) => [process.receipt, process]));
    const snapshots = evidence.snapshots.filter((snapshot) => !files.has((0,cleanup/* fileKey */.wm)(snapshot)));
    const owners = new Set(snapshots.map((snapshot) => snapshot.receipt));
    const receipts = evidence.receipts.filter((receipt) => owners.has(receipt.file) || tellsMore(receipt, processes.get(receipt.file)));
    return { ...evidence, receipts, snapshots, unread: [] };
}
function toldEvidence(evidence, told) {
    const files = knownFiles(told);
    const names = new Set(told.files.map(({ file }) => file));
    return {
        ...evidence,
        receipts: evidence.receipts.filter(({ file }) => names.has(file)),
        snapshots: evidence.snapshots.filter((snapshot) => files.has((0,cleanup/* fileKey */.wm)(snapshot))),
    };
}
const hasEvidence = ({ receipts, snapshots }) => receipts.length + snapshots.length > 0;
const LATE_ENDING = '-late';
function latePlan(plan) {
    const name = `${plan.options.artifactName.slice(0, 200 - LATE_ENDING.length)}${LATE_ENDING}`;
    return {
        ...plan,
        options: { ...plan.options, artifactName: name, parity: 'off', cycles: 'off', ifNoTorch: 'ignore' },
    };
}
async function goOn(runner, ended, evidence, told, how) {
    const done = (0,publishing/* publishedOf */.KG)(told);
    if (how === null) {
        const account = done === null ? { ...withFiles(told, evidence), published: publishing/* NOT_YET */.$_ } : told;
        await (0,deliver/* conclude */.Ep)(runner, ended, toldEvidence(evidence, told), account, done);
    }
    else if (done === null && (told.published.state === 'planned' || told.published.reason === deliver/* CUT_REASON */.Uh)) {
        await publishAgain(runner, ended, evidence, told);
    }
    else if (done !== null && how === 'first') {
        const log = (line) => runner.info((0,lib_text/* logLine */.BP)(line));
        const part = toldEvidence(evidence, told);
        runner.summary(uploadParagraph(done, await (0,publishing/* reportOf */.EI)(ended, part, told, done, log)));
    }
}
const readTold = (plan) => (0,safe_fs/* readRegular */.VX)(plan.outputDir, deliver/* TOLD */.Ev, 10).then((text) => (text === 'first' || text === 'all' ? text : null), () => null);
function withFiles(told, evidence) {
    const now = new Map((0,cleanup/* filesOf */.R8)(evidence).map((file) => [file.file, file]));
    const files = told.files.map((file) => {
        const { bytes, digest } = now.get(file.file) ?? file;
        return { file: file.file, bytes, digest };
    });
    return { ...told, files };
}
async function publishAgain(runner, ended, evidence, told) {
    const log = (line) => runner.info((0,lib_text/* logLine */.BP)(line));
    const part = toldEvidence(evidence, told);
    const account = withFiles(told, part);
    log(`publishing ${(0,lib_text/* count */.U9)(part.snapshots.length, 'snapshot')}, whose upload had been stopped …`);
    const published = await (0,publish.publish)({
        ...(0,publishing/* uploadSettings */.BS)(ended),
        evidence: part,
        ...(0,publishing/* documentsOf */.uo)(account),
        deadlineMs: (0,publishing/* publishDeadline */.ag)(ended.env, true),
        log,
    });
    const manifest = { ...account, published: (0,publishing/* manifestPublished */.Cz)(published) };
    await (0,files/* writeWhole */.f8)((0,external_node_path_.join)(ended.plan.outputDir, deliver/* MANIFEST */.e0), (0,evidence_manifest/* manifestText */.$2)(manifest)).catch((error) => log(`${deliver/* MANIFEST */.e0} could not be written (${error.message})`));
    runner.summary(uploadParagraph(published, await (0,publishing/* reportOf */.EI)(ended, part, manifest, published, log)));
}
function uploadParagraph(published, reportUrl = null) {
    const title = '### The upload that had been stopped\n\n';
    if (published.state !== 'uploaded') {
        const kept = published.state === 'failed' ? published.kept : [];
        const rows = kept
            .slice(0, 24)
            .map(({ path, bytes, digest }) => `- ${(0,markdown/* escapeCode */.tn)(path)}, ${(0,lib_bytes/* formatBytes */.z)(bytes)}, ${(0,markdown/* escapeCode */.tn)(digest)}\n`);
        const more = kept.length > rows.length ? `\nand ${kept.length - rows.length} more.\n` : '';
        return `${title}${(0,markdown/* escapeText */.X1)(`It did not succeed: ${published.reason}. The files stay on the runner.`)}\n\n${rows.join('')}${more}`;
    }
    const { name, url, digest, files } = published;
    const words = (0,rich/* say */.cv) `It is done: artifact ${(0,rich/* link */.nf)([name], url)} with ${(0,lib_text/* count */.U9)(files.length, 'file')}, zip ${(0,rich/* code */.aY)(digest ?? 'without a digest')}.${reportUrl === null ? null : (0,rich/* say */.cv) ` ${(0,rich/* link */.nf)(['The report'], reportUrl)}.`}`;
    return `${title}${(0,markdown/* markdown */.wD)(words)}\n`;
}

// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __webpack_require__(3024);
// EXTERNAL MODULE: ./build/inputs.js
var inputs = __webpack_require__(8175);
// EXTERNAL MODULE: ./build/plan.js
var plan = __webpack_require__(1781);
// EXTERNAL MODULE: ./build/runner/runner.js
var runner_runner = __webpack_require__(3281);
;// CONCATENATED MODULE: ./build/runner/environ.js




const [ENV_START, ENV_END] = [50 - 3, 51 - 3];
const MOST_BYTES = 8 * 2 ** 20;
function hiddenNames(env) {
    const plain = (0,plan/* plainStepEnvironment */.M8)(env, inputs/* INPUT_NAMES */.Qh.map(runner_runner/* inputVariable */.LO));
    const ours = (name) => !(name in plain) || name === 'GITHUB_STATE' || name === 'STATE_step';
    return new Set(Object.keys(env).filter(ours));
}
function hideEnvironment(env = process.env) {
    try {
        const fields = (0,external_node_fs_.readFileSync)('/proc/self/stat', 'latin1')
            .replace(/^.*\) /s, '')
            .split(' ');
        const [start, end] = [Number(fields[ENV_START]), Number(fields[ENV_END])];
        if (!(start > 0 && end > start && end - start <= MOST_BYTES))
            return;
        const memory = (0,external_node_fs_.openSync)('/proc/self/mem', 'r+');
        try {
            const block = Buffer.alloc(end - start);
            (0,external_node_fs_.readSync)(memory, block, 0, block.length, start);
            const hidden = hiddenNames(env);
            for (let from = 0; from < block.length;) {
                const stop = block.indexOf(0, from);
                const until = stop === -1 ? block.length : stop;
                const name = block.toString('latin1', from, until).split('=', 1)[0] ?? '';
                const value = env[name];
                if (value !== undefined && hidden.has(name)) {
                    env[name] = value;
                    (0,external_node_fs_.writeSync)(memory, Buffer.alloc(until - from), 0, until - from, start + from);
                }
                from = until + 1;
            }
        }
        finally {
            (0,external_node_fs_.closeSync)(memory);
        }
    }
    catch {
    }
}

// EXTERNAL MODULE: ./build/saved-state.js
var saved_state = __webpack_require__(5123);
// EXTERNAL MODULE: ./build/step/ended.js
var ended = __webpack_require__(3283);
// EXTERNAL MODULE: ./build/step/process.js
var step_process = __webpack_require__(3910);
;// CONCATENATED MODULE: ./build/post.js













async function post(runner) {
    (0,runner_runner/* outliveOutput */.uC)();
    hideEnvironment();
    const reserve = new deliver_reserve/* Reserve */.z8();
    try {
        await run((0,runner_runner/* forgiving */.yr)(runner, reserve.free), process.env, reserve);
    }
    catch (error) {
        runner.info((0,lib_text/* logLine */.BP)(`post could not finish (${error.message})`));
    }
    reserve.free();
    process.exitCode = 0;
    process.exit();
}
async function run(runner, env, reserve) {
    const state = (0,saved_state/* readState */.u)(runner);
    if ('plan' in state) {
        (0,files/* removeHalves */.YH)(state.plan.outputDir);
        reserve.of(state.plan);
    }
    switch (state.kind) {
        case 'none':
        case 'finished':
            return;
        case 'unreadable':
            runner.info((0,lib_text/* logLine */.BP)(`the state that main saved cannot be read (${state.reason}); nothing was done`));
            return;
        case 'unfinished':
        case 'told':
            return resume(runner, { ...post_ended(env, state.plan, state.known), makeRoom: reserve.free }, state.kind === 'told' ? 'all' : await readTold(state.plan));
    }
}
const actionDir = () => (0,external_node_path_.join)(import.meta.dirname, '..', '..');
const post_ended = (env, plan, known) => ({
    plan,
    env,
    result: known.result,
    before: { gpu: known.gpu, host: known.host },
    seen: known.seen,
    hints: known.hints,
    faults: known.faults,
    shimLaid: known.shimLaid,
    leader: known.group?.pid ?? null,
    since: known.group?.startTicks ?? null,
    met: known.met,
    actionDir: actionDir(),
});
async function resume(runner, facts, told) {
    if (told === 'all')
        return goOnOrFinish(runner, facts, told);
    const { plan, result, faults } = facts;
    if (result !== null) {
        runner.info((0,lib_text/* logLine */.BP)('main was ended before it had told everything; gathering the evidence'));
        return goOnOrFinish(runner, { ...facts, hurried: true }, told);
    }
    runner.info((0,lib_text/* logLine */.BP)('main was ended before it finished; ending its processes and gathering the evidence'));
    const { found, killed } = await (0,step_process/* endStep */.Cs)((0,ended/* markOf */.F)(facts), plan.options.gracePeriod * 1000);
    if (found > 0) {
        runner.info((0,lib_text/* logLine */.BP)(`ended ${(0,lib_text/* count */.U9)(found, 'process', 'processes')} of the step, ${killed.length} by SIGKILL`));
    }
    const unseen = 'main was ended before it finished, so the exit code of the step was not seen';
    return goOnOrFinish(runner, { ...facts, faults: [...faults, unseen], killed, hurried: true }, told);
}
async function goOnOrFinish(runner, facts, how) {
    const told = await readManifest(facts.plan);
    if (told !== null) {
        try {
            const seen = await (0,account/* look */.Op)(facts);
            await goOn(runner, facts, seen.evidence, told, how);
            return await gatherLate(runner, facts, seen);
        }
        catch (error) {
            runner.info((0,lib_text/* logLine */.BP)(`the account that was found is of no use (${error.message})`));
        }
    }
    if (how !== null)
        return gatherLate(runner, facts);
    const { spent, evidence } = await (0,account/* finish */.O9)(runner, facts);
    if (spent && !(await (0,deliver/* takeAway */.uu)(runner, evidence)))
        await gatherLate(runner, facts);
}
async function gatherLate(runner, facts, before) {
    const told = await readManifest(facts.plan);
    const news = ({ evidence }) => newEvidence(evidence, told);
    const seen = before && !hasEvidence(news(before)) ? before : await (0,account/* look */.Op)(facts);
    const late = news(seen);
    const accounts = told === null ? [] : [told];
    if (hasEvidence(late)) {
        runner.info((0,lib_text/* logLine */.BP)('evidence has come since main looked at it; gathering it'));
        const { manifest } = await (0,account/* finish */.O9)(runner, { ...facts, plan: latePlan(facts.plan), late });
        accounts.push(manifest);
    }
    const spent = !facts.plan.evidenceKept && seen.stillRunning.length === 0 && (0,cleanup/* isSpent */.Fh)(seen.evidence, accounts);
    if (spent)
        await (0,cleanup/* removeSpent */.hp)(seen.evidence);
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
