export const id = 612;
export const ids = [612];
export const modules = {

/***/ 6612:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  jobPost: () => (/* binding */ jobPost)
});

// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __webpack_require__(3024);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
// EXTERNAL MODULE: ./build/account.js + 10 modules
var account = __webpack_require__(8278);
// EXTERNAL MODULE: ./build/deliver/deliver.js + 10 modules
var deliver = __webpack_require__(4908);
// EXTERNAL MODULE: ./build/deliver/reserve.js
var deliver_reserve = __webpack_require__(654);
// EXTERNAL MODULE: ./build/lib/text.js
var lib_text = __webpack_require__(4869);
// EXTERNAL MODULE: ./build/plan.js
var plan = __webpack_require__(1781);
// EXTERNAL MODULE: ./build/runner/runner.js
var runner_runner = __webpack_require__(3281);
// EXTERNAL MODULE: ./build/saved-state.js
var saved_state = __webpack_require__(5123);
// EXTERNAL MODULE: ./build/step/own.js
var own = __webpack_require__(2671);
// EXTERNAL MODULE: ./build/step/proc.js
var proc = __webpack_require__(9503);
;// CONCATENATED MODULE: ./build/job/folders.js





const WORKER = 'worker.json';
const jobFolder = (temp, id) => join(temp, `${JOB_FOLDER}${id}`);
const folderOf = (plan) => (0,external_node_path_.dirname)(plan.stepDir);
function makeJobFolder(folder, worker = process.ppid) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const facts = worker > 1 ? processFacts(worker) : null;
    const group = facts && { pid: worker, startTicks: facts.startTicks };
    writeFileSync(join(folder, WORKER), `${JSON.stringify(group)}\n`, { mode: 0o600 });
}
function isOver(worker, all) {
    return worker !== null && all.length > 0 && !all.some((one) => isLive(one) && sameProcess(worker, one));
}
function removeLeft(temp) {
    let removed = 0;
    try {
        const names = readdirSync(temp).filter((name) => name.startsWith(JOB_FOLDER));
        const all = names.length > 0 ? listProcesses() : [];
        for (const name of names) {
            try {
                const worker = JSON.parse(readFileSync(join(temp, name, WORKER), 'utf8'));
                if (!isOver(worker, all))
                    continue;
                rmSync(join(temp, name), { recursive: true, force: true });
                removed += 1;
            }
            catch {
            }
        }
    }
    catch {
    }
    return removed;
}
const jobProcesses = (shimDir) => (0,proc/* listProcesses */.O3)()
    .filter((facts) => (0,proc/* isLive */.DG)(facts) &&
    facts.pid !== process.pid &&
    ((0,proc/* readEnvironment */.Qo)(facts.pid)?.some((line) => line.startsWith('PYTHONPATH=') && line.includes(shimDir)) ??
        false))
    .map(({ pid, startTicks }) => ({ pid, startTicks }));

// EXTERNAL MODULE: ./build/inputs.js
var inputs = __webpack_require__(8175);
;// CONCATENATED MODULE: ./build/job/inputs.js

const STATUS_INPUT = 'job-status';
const NOT_HERE = ['run', 'shell', 'working-directory', 'min-free', 'grace-period'];
const JOB_INPUT_NAMES = inputs/* INPUT_NAMES */.Qh.filter((name) => !NOT_HERE.includes(name));
const JOB_DEFAULTS = {
    ...Object.fromEntries(JOB_INPUT_NAMES.map((name) => [name, inputs/* INPUT_DEFAULTS */.WJ[name] ?? ''])),
    parity: 'off',
    cycles: 'off',
};
function parseJobInputs(read) {
    return parseInputs((name) => {
        if (name === 'run')
            return 'true';
        if (NOT_HERE.includes(name))
            return '';
        return read(name).trim() === '' ? (JOB_DEFAULTS[name] ?? '') : read(name);
    });
}

;// CONCATENATED MODULE: ./build/job/status.js
function endOfJob(status, times) {
    const red = status === 'failure' || status === 'cancelled';
    const known = red || status === 'success';
    return {
        result: {
            exitCode: red ? 1 : 0,
            signal: null,
            cancelledBy: status === 'cancelled' ? 'SIGINT' : null,
            startError: null,
            ...times,
            killed: [],
        },
        fault: known ? null : "the runner did not tell the job's status, so it is taken for green",
    };
}

// EXTERNAL MODULE: ./build/judge/verdicts.js
var verdicts = __webpack_require__(6344);
// EXTERNAL MODULE: ./build/report/markdown.js
var markdown = __webpack_require__(4902);
// EXTERNAL MODULE: ./build/report/rich.js
var rich = __webpack_require__(6781);
;// CONCATENATED MODULE: ./build/job/wrapped.js





const MOST = 20;
const MOST_BYTES = 64 * 2 ** 20;
function wrappedSteps(temp, since) {
    const found = [];
    try {
        for (const name of (0,external_node_fs_.readdirSync)(temp).filter((entry) => /^oom-autopsy-[0-9a-f]{12}$/.test(entry))) {
            try {
                const path = (0,external_node_path_.join)(temp, name, 'out', 'manifest.json');
                const { size, mtimeMs } = (0,external_node_fs_.statSync)(path);
                if (size > MOST_BYTES)
                    continue;
                const { step, verdict, published } = JSON.parse((0,external_node_fs_.readFileSync)(path, 'utf8'));
                if (step.started * 1000 < since || !(0,verdicts/* isVerdict */._f)(verdict.name))
                    continue;
                const artifact = published.artifact && { name: published.artifact.name, url: published.artifact.url };
                found.push({ at: mtimeMs, wrapped: { verdict: verdict.name, artifact } });
            }
            catch {
            }
        }
    }
    catch {
    }
    return found
        .sort((a, b) => a.at - b.at)
        .slice(0, MOST)
        .map(({ wrapped }) => wrapped);
}
function wrappedParagraph(steps) {
    if (steps.length === 0)
        return '';
    const rows = steps.map(({ verdict, artifact }) => {
        const where = artifact === null
            ? (0,rich/* say */.cv) `no artifact`
            : (0,rich/* say */.cv) `artifact ${artifact.url === null ? (0,rich/* code */.aY)(artifact.name) : (0,rich/* link */.nf)([artifact.name], artifact.url)}`;
        return `- ${(0,markdown/* markdown */.wD)((0,rich/* say */.cv) `verdict ${(0,rich/* code */.aY)(verdict)}, ${where}`)}\n`;
    });
    return `### Wrapped steps of this job\n\nEach has a report of its own, and what ran in it is not in this one.\n\n${rows.join('')}`;
}

;// CONCATENATED MODULE: ./build/job/post.js













const actionDir = (0,external_node_path_.join)(import.meta.dirname, '..', '..');
async function jobPost(runner) {
    (0,runner_runner/* outliveOutput */.uC)();
    const reserve = new deliver_reserve/* Reserve */.z8();
    let code = 0;
    try {
        code = await run((0,runner_runner/* forgiving */.yr)(silent(runner), reserve.free), process.env, reserve);
    }
    catch (error) {
        runner.info((0,lib_text/* logLine */.BP)(`the job's evidence could not be gathered (${error.message})`));
    }
    process.exitCode = code;
    process.exit();
}
const silent = (runner) => ({ ...runner, setOutputs: () => undefined });
async function run(runner, env, reserve) {
    const state = (0,saved_state/* readState */.u)(runner);
    if (state.kind === 'unreadable')
        runner.info((0,lib_text/* logLine */.BP)(`the state that main saved cannot be read (${state.reason}); nothing was done`));
    if (!('plan' in state))
        return 0;
    const { plan, known } = state;
    reserve.of(plan);
    const status = runner.input(STATUS_INPUT);
    const { result, fault } = endOfJob(status, { startedAt: plan.startedAt, endedAt: Date.now() });
    const ended = {
        plan,
        env: unwatched(env),
        result,
        before: { gpu: known.gpu, host: known.host },
        seen: null,
        hints: [],
        faults: fault === null ? known.faults : [...known.faults, fault],
        shimLaid: known.shimLaid,
        leader: null,
        since: null,
        met: jobProcesses(plan.shimDir),
        actionDir,
        makeRoom: reserve.free,
        job: true,
        ...(status === 'cancelled' ? { hurried: true } : {}),
    };
    process.env.PYTHONPATH = ended.env.PYTHONPATH ?? '';
    const finished = await (0,account/* finish */.O9)(runner, ended);
    const pointers = wrappedParagraph(wrappedSteps((0,external_node_path_.dirname)(folderOf(plan)), plan.startedAt));
    if (pointers !== '')
        runner.summary(pointers);
    reserve.free();
    await removeLaid(runner, plan, finished);
    return status === 'success' || fault !== null ? finished.code : 0;
}
function unwatched({ PYTHONPATH, ...env }) {
    const rest = (0,plan/* withoutJob */.wu)(PYTHONPATH);
    return rest === '' ? env : { ...env, PYTHONPATH: rest };
}
async function removeLaid(runner, plan, finished) {
    const { manifest, spent, stillRunning, evidence } = finished;
    const none = manifest.published.state === 'skipped' && plan.options.upload;
    const held = (spent && (await (0,deliver/* takeAway */.uu)(runner, evidence))) || plan.evidenceKept;
    if (stillRunning === 0 && (none || held))
        (0,external_node_fs_.rmSync)(folderOf(plan), { recursive: true, force: true });
}


/***/ })

};
