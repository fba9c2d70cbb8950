export const id = 165;
export const ids = [165];
export const modules = {

/***/ 9165:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  jobMain: () => (/* binding */ jobMain)
});

// UNUSED EXPORTS: JOB_STATE

// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __webpack_require__(3024);
// EXTERNAL MODULE: external "node:os"
var external_node_os_ = __webpack_require__(8161);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
// EXTERNAL MODULE: ./build/deliver/reserve.js
var reserve = __webpack_require__(654);
// EXTERNAL MODULE: ./build/gpu/observe.js
var observe = __webpack_require__(8949);
// EXTERNAL MODULE: ./build/inputs.js
var inputs = __webpack_require__(8175);
// EXTERNAL MODULE: ./build/lib/random.js
var random = __webpack_require__(9905);
// EXTERNAL MODULE: ./build/lib/text.js
var lib_text = __webpack_require__(4869);
// EXTERNAL MODULE: ./build/plan.js
var build_plan = __webpack_require__(1781);
// EXTERNAL MODULE: ./build/runner/runner.js
var runner_runner = __webpack_require__(3281);
// EXTERNAL MODULE: ./build/state.js
var state = __webpack_require__(8801);
// EXTERNAL MODULE: ./build/step/host.js
var host = __webpack_require__(5589);
// EXTERNAL MODULE: ./build/step/lay.js
var lay = __webpack_require__(4181);
// EXTERNAL MODULE: ./build/step/own.js
var own = __webpack_require__(2671);
// EXTERNAL MODULE: ./build/step/proc.js
var proc = __webpack_require__(9503);
;// CONCATENATED MODULE: ./build/job/folders.js





const WORKER = 'worker.json';
const jobFolder = (temp, id) => (0,external_node_path_.join)(temp, `${build_plan/* JOB_FOLDER */.Pd}${id}`);
const folderOf = (plan) => dirname(plan.stepDir);
function makeJobFolder(folder, worker = process.ppid) {
    (0,external_node_fs_.mkdirSync)(folder, { recursive: true, mode: 0o700 });
    const facts = worker > 1 ? (0,proc/* processFacts */.PJ)(worker) : null;
    const group = facts && { pid: worker, startTicks: facts.startTicks };
    (0,external_node_fs_.writeFileSync)((0,external_node_path_.join)(folder, WORKER), `${JSON.stringify(group)}\n`, { mode: 0o600 });
}
function isOver(worker, all) {
    return worker !== null && all.length > 0 && !all.some((one) => (0,proc/* isLive */.DG)(one) && (0,own/* sameProcess */.ID)(worker, one));
}
function removeLeft(temp) {
    let removed = 0;
    try {
        const names = (0,external_node_fs_.readdirSync)(temp).filter((name) => name.startsWith(build_plan/* JOB_FOLDER */.Pd));
        const all = names.length > 0 ? (0,proc/* listProcesses */.O3)() : [];
        for (const name of names) {
            try {
                const worker = JSON.parse((0,external_node_fs_.readFileSync)((0,external_node_path_.join)(temp, name, WORKER), 'utf8'));
                if (!isOver(worker, all))
                    continue;
                (0,external_node_fs_.rmSync)((0,external_node_path_.join)(temp, name), { recursive: true, force: true });
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
const jobProcesses = (shimDir) => listProcesses()
    .filter((facts) => isLive(facts) &&
    facts.pid !== process.pid &&
    (readEnvironment(facts.pid)?.some((line) => line.startsWith('PYTHONPATH=') && line.includes(shimDir)) ??
        false))
    .map(({ pid, startTicks }) => ({ pid, startTicks }));

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
    return (0,inputs/* parseInputs */.TL)((name) => {
        if (name === 'run')
            return 'true';
        if (NOT_HERE.includes(name))
            return '';
        return read(name).trim() === '' ? (JOB_DEFAULTS[name] ?? '') : read(name);
    });
}

;// CONCATENATED MODULE: ./build/job/main.js















const GPU_TIMEOUT_MS = 5000;
const JOB_STATE = 'job';
async function jobMain(actionDir, runner) {
    (0,runner_runner/* outliveOutput */.uC)();
    process.exitCode = await run((0,runner_runner/* forgiving */.yr)(runner), process.env, actionDir);
    process.exit();
}
async function run(runner, env, actionDir) {
    runner.saveState(JOB_STATE, 'true');
    const parsed = parseJobInputs(runner.input);
    if (!parsed.ok) {
        (0,state/* saveFinished */.Q8)(runner);
        const lines = parsed.problems.map(inputs/* describeProblem */.BJ);
        const message = `${(0,lib_text/* count */.U9)(lines.length, 'input is', 'inputs are')} wrong; the job is not watched.\n${lines.join('\n')}`;
        await runner.annotate('error', message, { title: 'oom-autopsy: wrong inputs' });
        return 1;
    }
    if ((0,build_plan/* inWatchedJob */.rg)(env.PYTHONPATH)) {
        (0,state/* saveFinished */.Q8)(runner);
        runner.info((0,lib_text/* logLine */.BP)('this job is watched already, by an earlier step'));
        return 0;
    }
    const temp = (0,external_node_path_.resolve)(env.RUNNER_TEMP || (0,external_node_os_.tmpdir)());
    const left = removeLeft(temp);
    if (left > 0)
        runner.info((0,lib_text/* logLine */.BP)(`removed what ${(0,lib_text/* count */.U9)(left, 'earlier job')} had left, ended before its post`));
    const id = (0,random/* randomHex */.n)(6);
    const folder = jobFolder(temp, id);
    const workspace = (0,external_node_path_.resolve)(env.GITHUB_WORKSPACE || '.');
    const planned = (0,build_plan/* makePlan */.Cs)(parsed.inputs, env, { id, temp: folder, workspace, now: Date.now() });
    let laid;
    try {
        makeJobFolder(folder);
        laid = (0,lay/* layStep */.J)(planned, '', (0,external_node_path_.join)(actionDir, 'python', 'shim'));
        if (laid.shim)
            putOnPath(env, planned.shimDir);
    }
    catch (error) {
        return notWatched(runner, folder, error.code ?? error.message);
    }
    if (!laid.shim)
        return notWatched(runner, folder, laid.faults[0] ?? 'the shim was not laid');
    const plan = { ...planned, evidenceDir: laid.evidenceDir };
    (0,reserve/* layReserve */.XO)(plan);
    (0,state/* savePlan */.hp)(runner, plan);
    const gpu = await (0,observe/* observeGpus */.U)({ timeoutMs: GPU_TIMEOUT_MS });
    (0,state/* savePlan */.hp)(runner, plan, { ...state/* NOTHING_KNOWN */.GN, host: (0,host/* readHostCounters */.YW)(), gpu });
    return 0;
}
function putOnPath(env, shimDir) {
    if (!env.GITHUB_ENV)
        throw new Error('GITHUB_ENV is not set');
    (0,external_node_fs_.appendFileSync)(env.GITHUB_ENV, (0,runner_runner/* keyValueMessage */.ov)({ PYTHONPATH: (0,build_plan/* prependPath */._E)(shimDir, env.PYTHONPATH) }));
}
async function notWatched(runner, folder, reason) {
    (0,state/* saveFinished */.Q8)(runner);
    (0,external_node_fs_.rmSync)(folder, { recursive: true, force: true });
    await runner.annotate('warning', `The job is not watched: ${reason}`, { title: 'oom-autopsy' });
    return 0;
}


/***/ })

};
