export const id = 962;
export const ids = [962];
export const modules = {

/***/ 5962:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  publish: () => (/* binding */ publish),
  X: () => (/* binding */ publishPage)
});

// UNUSED EXPORTS: keptFiles

// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
// EXTERNAL MODULE: ./build/evidence/digest.js
var digest = __webpack_require__(3154);
// EXTERNAL MODULE: ./build/evidence/manifest.js
var manifest = __webpack_require__(6191);
// EXTERNAL MODULE: ./build/evidence/safe-fs.js
var safe_fs = __webpack_require__(9531);
// EXTERNAL MODULE: ./build/lib/files.js
var files = __webpack_require__(3963);
// EXTERNAL MODULE: external "node:child_process"
var external_node_child_process_ = __webpack_require__(1421);
// EXTERNAL MODULE: ./build/step/helper.js + 1 modules
var helper = __webpack_require__(393);
// EXTERNAL MODULE: ./build/lib/text.js
var lib_text = __webpack_require__(4869);
;// CONCATENATED MODULE: ./build/deliver/reasons.js

const UNREACHABLE = /\b(ECONNREFUSED|ECONNRESET|ENOTFOUND|ETIMEDOUT|EHOSTUNREACH|EAI_AGAIN|EPIPE|ECONNABORTED)\b/;
const oneLine = (text, limit = 300) => (0,lib_text/* cleanText */.X5)((text.trim().split(/[\r\n]/)[0] ?? '').replace(/(https?:\/\/[^\s"'?]+)\?[^\s"']*/g, '$1?…'), limit);
function statusOf(failure) {
    const match = /\(([45][0-9]{2})\)/.exec(failure.message);
    return failure.status ?? (match ? Number(match[1]) : null);
}
const isConflict = (failure) => statusOf(failure) === 409 && failure.message.includes('CreateArtifact');
function explain(failure, name) {
    const status = statusOf(failure);
    const network = failure.code && UNREACHABLE.test(failure.code) ? failure.code : UNREACHABLE.exec(failure.message)?.[1];
    const said = oneLine(failure.message);
    if (failure.name === 'GHESNotSupportedError' || /not currently supported on GHES/.test(failure.message)) {
        return 'GitHub Enterprise Server: the artifact client refuses to upload there (GHESNotSupportedError)';
    }
    if (failure.name === 'UsageError' ||
        /storage quota has been hit|insufficient usage/.test(failure.message)) {
        return 'the artifact storage quota is used up; GitHub counts it anew every 6 to 12 hours';
    }
    if (isConflict(failure))
        return `an artifact named ${oneLine(name, 200)} exists already in this run (409)`;
    if (status !== null && !said.includes(String(status)) && status !== 401 && status !== 403) {
        return `the artifact service answered ${status}: ${said}`;
    }
    if (status === 401 || status === 403)
        return `the artifact service refused it: ${said}`;
    if (network)
        return `the artifact service cannot be reached (${network})`;
    return said === '' ? `the artifact client failed (${oneLine(failure.name, 60)})` : said;
}

;// CONCATENATED MODULE: ./build/deliver/client.js



const CONCURRENCY = '3';
const NODE_FLAGS = ['--max-semi-space-size=2', '--max-old-space-size=96'];
const TOKEN = 'ACTIONS_RUNTIME_TOKEN';
const LOOPBACK = ['localhost', '127.0.0.1', '::1', '[::1]'];
function workerEnvironment(env) {
    const result = { ...env };
    if (!result.ACTIONS_ARTIFACT_UPLOAD_CONCURRENCY)
        result.ACTIONS_ARTIFACT_UPLOAD_CONCURRENCY = CONCURRENCY;
    const proxied = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].some((name) => env[name] || env[name.toLowerCase()]);
    if (proxied) {
        const given = [env.NO_PROXY, env.no_proxy].flatMap((list) => (list ? list.split(',') : []));
        const list = [...new Set([...given.map((entry) => entry.trim()), ...LOOPBACK])].filter((entry) => entry !== '');
        result.NO_PROXY = list.join(',');
        result.no_proxy = result.NO_PROXY;
    }
    return result;
}
const stopped = (message) => ({
    ok: false,
    name: 'Stopped',
    message,
    code: null,
    status: null,
});
const SECRET = /^(ACTIONS_.*TOKEN|INPUT_.*|GITHUB_STATE|STATE_.*)$/;
function parted(env) {
    const shown = Object.fromEntries(Object.entries(env).filter(([name]) => !SECRET.test(name)));
    return { shown, token: env[TOKEN] };
}
function upload(request, ports, deadlineMs) {
    return new Promise((resolve) => {
        const { shown, token } = parted(workerEnvironment(ports.env));
        let trouble = '';
        let child;
        let timer;
        const finish = (result) => {
            clearTimeout(timer);
            ports.signal?.removeEventListener('abort', onAbort);
            child?.kill('SIGKILL');
            child?.unref();
            child?.channel?.unref();
            child?.stdout?.destroy();
            child?.stderr?.destroy();
            resolve(result);
        };
        const onAbort = () => finish(stopped('cancelled'));
        if (ports.signal?.aborted)
            return onAbort();
        ports.signal?.addEventListener('abort', onAbort, { once: true });
        timer = setTimeout(() => {
            const last = trouble === '' ? '' : `; last trouble: ${trouble}`;
            finish(stopped(`no end after ${Math.round(deadlineMs / 1000)} s: stopped${last}`));
        }, deadlineMs);
        try {
            child = (0,external_node_child_process_.spawn)(process.execPath, [...NODE_FLAGS, ports.worker], {
                env: shown,
                stdio: ['ignore', 'pipe', 'pipe', 'ipc', ...request.descriptors],
            });
        }
        catch (error) {
            return finish(stopped(`the uploading process did not start: ${oneLine(String(error))}`));
        }
        child.on('error', (error) => finish(stopped(`the uploading process did not start: ${oneLine(error.message)}`)));
        child.on('message', (answer) => finish(answer));
        child.on('exit', (code, signal) => finish(stopped(`the uploading process ended (${signal ?? code})${trouble === '' ? '' : `: ${trouble}`}`)));
        (0,helper/* eachLine */.IM)(child.stdout, (line) => {
            const progress = /^Uploaded bytes ([0-9]+)$/.exec(line);
            if (progress)
                ports.onProgress?.(Number(progress[1]));
            else if (line.startsWith('::add-mask::'))
                ports.onMask?.(line);
            else if (/^Attempt [0-9]+ of [0-9]+ failed/.test(line))
                trouble = oneLine(line.replace(/ Retrying.*/, ''));
        });
        (0,helper/* eachLine */.IM)(child.stderr, (line) => {
            if (line.trim() !== '')
                trouble = oneLine(line);
        });
        const { descriptors: _held, ...job } = request;
        const secrets = token === undefined ? {} : { [TOKEN]: token };
        child.send({ ...job, secrets }, (error) => {
            if (error)
                finish(stopped(`the uploading process did not answer: ${oneLine(error.message)}`));
        });
    });
}

;// CONCATENATED MODULE: ./build/deliver/names.js
const MAX_NAME = 200;
const FORBIDDEN = /["<>|*?:\\/\u0000-\u001f\u007f]/;
function artifactNameProblem(name) {
    if (name.trim() === '')
        return 'is empty';
    if (FORBIDDEN.test(name))
        return 'holds one of " : < > | * ? \\ / or a control character';
    if (name.length > MAX_NAME)
        return `is longer than ${MAX_NAME} characters`;
    return null;
}
function cleanArtifactName(name) {
    const clean = name
        .toWellFormed()
        .replace(new RegExp(FORBIDDEN, 'g'), '-')
        .trim()
        .slice(0, MAX_NAME)
        .toWellFormed();
    return clean === '' ? 'oom-autopsy' : clean;
}
function otherName(name, suffix) {
    const ending = `-${suffix.slice(0, 8)}`;
    return `${name.slice(0, MAX_NAME - ending.length)}${ending}`;
}

// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __webpack_require__(3024);
// EXTERNAL MODULE: ./build/lib/random.js
var random = __webpack_require__(9905);
;// CONCATENATED MODULE: ./build/deliver/sealed.js





class Unwritable extends Error {
}
const CHANGED = 'changed after it was digested';
const SPARE = 256;
function mostOpen() {
    try {
        const [, soft] = /^Max open files\s+(\d+)/m.exec((0,external_node_fs_.readFileSync)('/proc/self/limits', 'utf8')) ?? [];
        return Math.max(SPARE, Number(soft ?? 1024) - SPARE);
    }
    catch {
        return 1024 - SPARE;
    }
}
class Sealed {
    evidence;
    scratch;
    makeRoom;
    files = [];
    leftOut = [];
    held = new Map();
    most = mostOpen();
    constructor(evidence, scratch, makeRoom) {
        this.evidence = evidence;
        this.scratch = scratch;
        this.makeRoom = makeRoom;
    }
    static async open(dir, scratch, makeRoom) {
        return new Sealed(dir === null ? null : await (0,safe_fs/* openFolder */.NE)(dir), scratch, makeRoom);
    }
    async add(ref) {
        const reason = await this.tryAdd(ref).catch((error) => `cannot be read (${(0,safe_fs/* errorCode */.CA)(error)})`);
        if (reason !== null)
            this.leftOut.push({ file: ref.file, bytes: ref.bytes, digest: ref.digest, reason });
    }
    async tryAdd(ref) {
        if (this.held.size >= this.most)
            return `more files than may be open at a time here (${this.most})`;
        const opened = await (0,safe_fs/* openRegular */.lf)(this.evidence?.path ?? '', ref.file);
        if (!opened.ok)
            return `${CHANGED}: now ${opened.reason}`;
        if (!(0,safe_fs/* sameSeal */.EW)(opened.seal, ref.seal)) {
            await opened.handle.close();
            return CHANGED;
        }
        this.held.set(ref.file, opened);
        this.files.push(ref);
        return null;
    }
    async write(name, text) {
        await this.held.get(name)?.handle.close();
        this.held.delete(name);
        const make = async () => {
            const handle = await nameless(this.scratch);
            try {
                await handle.writeFile(text);
                return handle;
            }
            catch (error) {
                await handle.close();
                throw error;
            }
        };
        const handle = await (0,files/* withRoom */.Eo)(make, this.makeRoom).catch((error) => {
            throw new Unwritable((0,safe_fs/* errorCode */.CA)(error));
        });
        this.held.set(name, { handle, seal: (0,safe_fs/* sealOf */.Ru)(await handle.stat({ bigint: true })) });
    }
    descriptors(names) {
        return names.map((name) => this.held.get(name)?.handle.fd ?? -1);
    }
    async changed() {
        const changed = new Set();
        for (const [file, { handle, seal }] of this.held) {
            if (!(0,safe_fs/* sameSeal */.EW)((0,safe_fs/* sealOf */.Ru)(await handle.stat({ bigint: true })), seal))
                changed.add(file);
        }
        return changed;
    }
    async close() {
        for (const { handle } of this.held.values())
            await handle.close().catch(() => undefined);
        await this.evidence?.close().catch(() => undefined);
    }
}
async function nameless(scratch) {
    const folder = await (0,safe_fs/* openFolder */.NE)(scratch);
    try {
        const path = (0,external_node_path_.join)(folder.path, `.${(0,random/* randomHex */.n)(16)}`);
        const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = external_node_fs_.constants;
        const handle = await external_node_fs_.promises.open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
        await external_node_fs_.promises.unlink(path).catch(() => undefined);
        return handle;
    }
    finally {
        await folder.close();
    }
}

// EXTERNAL MODULE: ./build/deliver/select.js
var deliver_select = __webpack_require__(8392);
;// CONCATENATED MODULE: ./build/deliver/publish.js










const PROGRESS_MS = 10_000;
const plain = ({ file, bytes, digest }) => ({ file, bytes, digest });
const totalBytes = (files) => files.reduce((sum, { bytes }) => sum + bytes, 0);
function keptFiles(evidence) {
    const all = [...evidence.snapshots, ...evidence.receipts];
    return all.map(({ file, bytes, digest }) => ({ path: (0,external_node_path_.join)(evidence.dir, file), digest, bytes }));
}
function artifactUrl(env, id) {
    const { GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = env;
    const server = (env.GITHUB_SERVER_URL || 'https://github.com').replace(/\/+$/, '');
    return repository && run ? `${server}/${repository}/actions/runs/${run}/artifacts/${id}` : null;
}
function noService(env) {
    const missing = ['ACTIONS_RESULTS_URL', 'ACTIONS_RUNTIME_TOKEN'].filter((name) => !env[name]);
    return missing.length > 0
        ? `the runner offers no artifact service (${missing.join(' and ')} not set)`
        : null;
}
function tellProgress(log, total, sent) {
    if (!log)
        return () => undefined;
    const mib = (bytes) => (bytes / 2 ** 20).toFixed(0);
    const timer = setInterval(() => log(`uploading: ${mib(sent())} MiB sent, from ${mib(total)} MiB of files`), PROGRESS_MS);
    timer.unref();
    return () => clearInterval(timer);
}
async function uploadOnce(sealed, files, name, options, until) {
    const { retentionDays, compressionLevel, raw } = options;
    const request = {
        name,
        files,
        retentionDays,
        compressionLevel,
        raw,
        descriptors: sealed.descriptors(files),
    };
    const left = Math.round(until - performance.now());
    if (left <= 0)
        return { ok: false, name: 'Stopped', message: 'out of time before the upload', code: null, status: null };
    return upload(request, options, left);
}
async function publish(options) {
    const { evidence } = options;
    const started = performance.now();
    const until = started + options.deadlineMs;
    const failed = (reason) => ({
        state: 'failed',
        reason,
        kept: keptFiles(evidence),
        seconds: (performance.now() - started) / 1000,
    });
    const absent = noService(options.env);
    if (absent)
        return failed(absent);
    if (artifactNameProblem(options.name))
        return failed(`the artifact name ${artifactNameProblem(options.name)}`);
    const selection = (0,deliver_select/* selectFiles */.AL)(evidence, options.maxUploadBytes);
    try {
        return await withSealed(evidence.dir, options, failed, (sealed) => publishSealed(options, selection, sealed, started, until, failed));
    }
    catch (error) {
        return failed(`the upload could not be prepared (${(0,safe_fs/* errorCode */.CA)(error)})`);
    }
}
async function withSealed(dir, { scratch, makeRoom }, failed, use) {
    let sealed;
    try {
        sealed = await Sealed.open(dir, scratch, makeRoom);
    }
    catch (error) {
        return failed(`the evidence folder cannot be read for the upload (${(0,safe_fs/* errorCode */.CA)(error)})`);
    }
    try {
        return await use(sealed);
    }
    catch (error) {
        if (!(error instanceof Unwritable))
            throw error;
        const remedy = (0,files/* isFull */.uq)({ code: error.message }) ? ': free some space there' : '';
        return failed(`the documents of the upload cannot be written to ${scratch} (${error.message})${remedy}`);
    }
    finally {
        await sealed.close();
    }
}
const SUMS = 'SHA256SUMS';
const SPOILT = 'changed while it was uploaded: the artifact may hold other bytes';
async function publishSealed(options, selection, sealed, started, until, failed) {
    const { evidence } = options;
    for (const ref of selection.files)
        await sealed.add(ref);
    const notUploaded = [...selection.leftOut, ...sealed.leftOut];
    const files = sealed.files.map(plain);
    const total = totalBytes(files);
    let sent = 0;
    const onProgress = (bytes) => {
        sent = bytes;
        options.onProgress?.(bytes);
    };
    const ports = { ...options, raw: false, onProgress };
    const stopTelling = tellProgress(options.log, total, () => sent);
    try {
        let name = options.name;
        for (let attempt = 1;; attempt += 1) {
            const manifest = options.manifest({ name, files, leftOut: notUploaded });
            const texts = {
                'manifest.json': manifest,
                ...(options.memory === undefined ? {} : { 'memory.json': options.memory }),
            };
            const documents = await writeDocuments(sealed, texts, files);
            const order = [...documents, ...files].map(({ file }) => file);
            const answer = await uploadOnce(sealed, order, name, ports, until);
            if (answer.ok) {
                const changed = await sealed.changed();
                const whole = (file) => !changed.has(file.file);
                const spoilt = [...files, ...documents].filter((file) => !whole(file));
                return {
                    state: 'uploaded',
                    name,
                    id: answer.id,
                    url: artifactUrl(options.env, answer.id),
                    digest: answer.digest === null ? null : `sha256:${answer.digest}`,
                    size: answer.size,
                    files: files.filter(whole),
                    notUploaded: [...notUploaded, ...spoilt.map((file) => ({ ...file, reason: SPOILT }))],
                    changed: [...changed],
                    seconds: (performance.now() - started) / 1000,
                    complete: notUploaded.length === 0 && changed.size === 0 && evidence.rejectedCount === 0,
                };
            }
            if (attempt > 1 || !isConflict(answer))
                return failed(explain(answer, name));
            name = otherName(options.name, evidence.step);
            options.log?.(`an artifact named ${options.name} exists already in this run: trying ${name}`);
        }
    }
    finally {
        stopTelling();
    }
}
async function writeDocuments(sealed, texts, files) {
    const documents = Object.entries(texts).map(([file, text]) => ({ file, ...(0,digest/* digestOf */.ol)(text) }));
    for (const [file, text] of Object.entries(texts))
        await sealed.write(file, text);
    const sums = (0,manifest/* sha256Sums */.Gj)([...documents, ...files]);
    await sealed.write(SUMS, sums);
    return [...documents, { file: SUMS, ...(0,digest/* digestOf */.ol)(sums) }];
}
async function publishPage(options) {
    const started = performance.now();
    const until = started + options.deadlineMs;
    const seconds = () => (performance.now() - started) / 1000;
    const failed = (reason) => ({ state: 'failed', reason, kept: [], seconds: seconds() });
    const absent = noService(options.env);
    if (absent)
        return failed(absent);
    const stem = cleanArtifactName(options.name.replace(/\.html$/, ''));
    const publishIn = async (sealed) => {
        const page = (0,digest/* digestOf */.ol)(options.html);
        for (const name of [`${stem}.html`, `${otherName(stem, options.step)}.html`]) {
            await sealed.write(name, options.html);
            const answer = await uploadOnce(sealed, [name], name, { ...options, compressionLevel: 0, raw: true }, until);
            if (!answer.ok && isConflict(answer) && name === `${stem}.html`)
                continue;
            if (!answer.ok)
                return failed(explain(answer, name));
            if (answer.digest !== (0,digest/* bareDigest */.$$)(page.digest))
                return failed('what was uploaded is not the page that was written');
            return {
                state: 'uploaded',
                name,
                id: answer.id,
                url: artifactUrl(options.env, answer.id),
                digest: page.digest,
                size: answer.size,
                files: [{ file: name, ...page }],
                notUploaded: [],
                changed: [],
                seconds: seconds(),
                complete: true,
            };
        }
        return failed('both names for the page are taken');
    };
    try {
        return await withSealed(null, options, failed, publishIn);
    }
    catch (error) {
        return failed(`the page could not be prepared (${(0,safe_fs/* errorCode */.CA)(error)})`);
    }
}


/***/ }),

/***/ 8392:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   AL: () => (/* binding */ selectFiles),
/* harmony export */   d2: () => (/* binding */ byValue)
/* harmony export */ });
/* unused harmony export SMALL_FILES_BYTES */
/* harmony import */ var _evidence_names_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(1040);

const SMALL_FILES_BYTES = 256 * 2 ** 20;
function failure(receipt) {
    const first = Math.min(...(receipt?.ooms ?? []).map((o) => o.time ?? Number.MAX_VALUE), Number.MAX_VALUE);
    return [receipt?.end?.oom === true ? (receipt.end.time ?? first) : Number.POSITIVE_INFINITY, first];
}
const compare = (a, b) => {
    for (const [i, left] of a.entries()) {
        const right = b[i] ?? 0;
        if (left !== right)
            return left < right ? -1 : 1;
    }
    return 0;
};
function bestFirst(snapshots) {
    const reason = (s) => _evidence_names_js__WEBPACK_IMPORTED_MODULE_0__/* .SNAPSHOT_REASONS */ .VV.indexOf(s.reason);
    const sorted = [...snapshots].sort((a, b) => reason(a) - reason(b) || b.seq - a.seq);
    const sameReason = sorted.filter((s) => s.reason === sorted[0]?.reason);
    const first = sameReason.at(-1);
    if (!first || sameReason.length < 3)
        return sorted;
    return [sorted[0] ?? first, first, ...sorted.slice(1).filter((s) => s !== first)];
}
function byValue(evidence) {
    const receipts = new Map(evidence.receipts.map((r) => [(0,_evidence_names_js__WEBPACK_IMPORTED_MODULE_0__/* .ownerKey */ .lf)(r), r]));
    const groups = new Map();
    for (const snapshot of evidence.snapshots) {
        const key = (0,_evidence_names_js__WEBPACK_IMPORTED_MODULE_0__/* .ownerKey */ .lf)(snapshot);
        groups.set(key, [...(groups.get(key) ?? []), snapshot]);
    }
    const ranked = [...groups].map(([key, snapshots]) => ({
        key,
        order: [...failure(receipts.get(key)), snapshots[0]?.rank ?? Number.MAX_VALUE],
        snapshots: bestFirst(snapshots),
    }));
    ranked.sort((a, b) => compare(a.order, b.order) || (a.key < b.key ? -1 : 1));
    const rounds = Math.max(0, ...ranked.map(({ snapshots }) => snapshots.length));
    return Array.from({ length: rounds }, (_, round) => ranked.flatMap(({ snapshots }) => snapshots[round] ?? [])).flat();
}
function selectFiles(evidence, maxUploadBytes) {
    const files = [];
    const leftOut = [];
    const take = (candidates, budget, reason) => {
        let left = budget;
        for (const { file, bytes, digest, seal } of candidates) {
            if (bytes <= left) {
                left -= bytes;
                files.push({ file, bytes, digest, seal });
            }
            else
                leftOut.push({ file, bytes, digest, reason });
        }
    };
    const failures = new Map(evidence.receipts.map((r) => [r, failure(r)]));
    const receipts = [...evidence.receipts].sort((a, b) => compare(failures.get(a) ?? [], failures.get(b) ?? []));
    take(receipts, SMALL_FILES_BYTES, 'more receipts than an artifact takes here');
    take(byValue(evidence), maxUploadBytes, 'over max-upload-size');
    return { files, leftOut };
}


/***/ })

};
