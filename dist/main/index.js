import { createRequire as __WEBPACK_EXTERNAL_createRequire } from "module";
/******/ var __webpack_modules__ = ({

/***/ 2613:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("assert");

/***/ }),

/***/ 5317:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("child_process");

/***/ }),

/***/ 6982:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("crypto");

/***/ }),

/***/ 4434:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("events");

/***/ }),

/***/ 9896:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("fs");

/***/ }),

/***/ 8611:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("http");

/***/ }),

/***/ 5692:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("https");

/***/ }),

/***/ 9278:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("net");

/***/ }),

/***/ 4589:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:assert");

/***/ }),

/***/ 6698:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:async_hooks");

/***/ }),

/***/ 4573:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:buffer");

/***/ }),

/***/ 1421:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:child_process");

/***/ }),

/***/ 7540:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:console");

/***/ }),

/***/ 7598:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:crypto");

/***/ }),

/***/ 3053:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:diagnostics_channel");

/***/ }),

/***/ 610:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:dns");

/***/ }),

/***/ 8474:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:events");

/***/ }),

/***/ 3024:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:fs");

/***/ }),

/***/ 1455:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:fs/promises");

/***/ }),

/***/ 7067:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:http");

/***/ }),

/***/ 2467:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:http2");

/***/ }),

/***/ 7030:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:net");

/***/ }),

/***/ 8161:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:os");

/***/ }),

/***/ 6760:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:path");

/***/ }),

/***/ 643:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:perf_hooks");

/***/ }),

/***/ 1792:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:querystring");

/***/ }),

/***/ 7075:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:stream");

/***/ }),

/***/ 1692:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:tls");

/***/ }),

/***/ 3136:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:url");

/***/ }),

/***/ 7975:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:util");

/***/ }),

/***/ 3429:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:util/types");

/***/ }),

/***/ 5919:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:worker_threads");

/***/ }),

/***/ 8522:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:zlib");

/***/ }),

/***/ 857:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("os");

/***/ }),

/***/ 6928:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("path");

/***/ }),

/***/ 3193:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("string_decoder");

/***/ }),

/***/ 3557:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("timers");

/***/ }),

/***/ 4756:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("tls");

/***/ }),

/***/ 9023:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("util");

/***/ }),

/***/ 654:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   XO: () => (/* binding */ layReserve),
/* harmony export */   z8: () => (/* binding */ Reserve)
/* harmony export */ });
/* unused harmony export RESERVE_BYTES */
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(3024);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(6760);
/* harmony import */ var _evidence_names_js__WEBPACK_IMPORTED_MODULE_2__ = __nccwpck_require__(1040);



const RESERVE_BYTES = 256 * 1024;
const LEAST_FREE = 64 * 2 ** 20;
const pathsOf = ({ stepDir, evidenceDir, id }) => [stepDir, evidenceDir].map((folder) => (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(folder, (0,_evidence_names_js__WEBPACK_IMPORTED_MODULE_2__/* .reserveName */ .K6)(id)));
function layReserve(plan) {
    const lay = (folder) => {
        const { bavail, bsize } = (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.statfsSync)(folder);
        if (bavail * bsize < LEAST_FREE)
            return;
        const path = (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(folder, (0,_evidence_names_js__WEBPACK_IMPORTED_MODULE_2__/* .reserveName */ .K6)(plan.id));
        try {
            (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.writeFileSync)(path, Buffer.alloc(RESERVE_BYTES, 'reserve '), { flag: 'wx', mode: 0o600 });
        }
        catch {
            (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.rmSync)(path, { force: true });
        }
    };
    try {
        lay(plan.stepDir);
        if ((0,node_fs__WEBPACK_IMPORTED_MODULE_0__.statSync)(plan.evidenceDir).dev !== (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.statSync)(plan.stepDir).dev)
            lay(plan.evidenceDir);
    }
    catch {
    }
}
class Reserve {
    paths = [];
    of(plan) {
        this.paths = pathsOf(plan);
    }
    free = () => {
        const freed = this.paths.map((path) => {
            try {
                (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.unlinkSync)(path);
                return true;
            }
            catch {
                return false;
            }
        });
        return freed.includes(true);
    };
}


/***/ }),

/***/ 1418:
/***/ ((__webpack_module__, __unused_webpack___webpack_exports__, __nccwpck_require__) => {

__nccwpck_require__.a(__webpack_module__, async (__webpack_handle_async_dependencies__, __webpack_async_result__) => { try {
/* harmony import */ var _main_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(6861);
/* harmony import */ var _runner_runner_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(3281);


const terminal = process.argv[2] === '--terminal';
if (!terminal && process.env[(0,_runner_runner_js__WEBPACK_IMPORTED_MODULE_1__/* .inputVariable */ .LO)('job-status')]) {
    const { jobMain } = await __nccwpck_require__.e(/* import() */ 165).then(__nccwpck_require__.bind(__nccwpck_require__, 9165));
    await jobMain((0,_main_js__WEBPACK_IMPORTED_MODULE_0__/* .actionDir */ .e)(), (0,_runner_runner_js__WEBPACK_IMPORTED_MODULE_1__/* .environmentRunner */ .AJ)(process.env));
}
else {
    await (0,_main_js__WEBPACK_IMPORTED_MODULE_0__/* .main */ .i)((terminal ? _runner_runner_js__WEBPACK_IMPORTED_MODULE_1__/* .terminalRunner */ .bU : _runner_runner_js__WEBPACK_IMPORTED_MODULE_1__/* .environmentRunner */ .AJ)(process.env), terminal);
}

__webpack_async_result__();
} catch(e) { __webpack_async_result__(e); } }, 1);

/***/ }),

/***/ 3154:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   $$: () => (/* binding */ bareDigest),
/* harmony export */   ol: () => (/* binding */ digestOf),
/* harmony export */   tD: () => (/* binding */ digestHandle)
/* harmony export */ });
/* harmony import */ var _lib_random_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(9905);

const CHUNK = 2 ** 20;
async function digestHandle(handle, bounds) {
    const hash = (0,_lib_random_js__WEBPACK_IMPORTED_MODULE_0__/* .lazyCrypto */ .y)().createHash('sha256');
    const length = Math.min(CHUNK, bounds.maxBytes + 1);
    const read = (into, position) => {
        const reading = handle.read(into, 0, length, position);
        reading.catch(() => undefined);
        return reading;
    };
    let [buffer, spare] = [Buffer.allocUnsafe(length), Buffer.allocUnsafe(length)];
    let bytes = 0;
    let reading = read(buffer, 0);
    for (;;) {
        const { bytesRead } = await reading;
        if (bytesRead === 0)
            return { ok: true, digest: `sha256:${hash.digest('hex')}`, bytes };
        bytes += bytesRead;
        if (bytes > bounds.maxBytes)
            return { ok: false, reason: 'too-long' };
        if (performance.now() > bounds.until || bounds.signal?.aborted)
            return { ok: false, reason: 'too-slow' };
        reading = read(spare, bytes);
        const chunk = buffer.subarray(0, bytesRead);
        hash.update(chunk);
        await bounds.onChunk?.(chunk);
        [buffer, spare] = [spare, buffer];
    }
}
function digestOf(content) {
    const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
    return {
        digest: `sha256:${(0,_lib_random_js__WEBPACK_IMPORTED_MODULE_0__/* .lazyCrypto */ .y)().createHash('sha256').update(bytes).digest('hex')}`,
        bytes: bytes.byteLength,
    };
}
const bareDigest = (digest) => digest.replace(/^sha256:/, '');


/***/ }),

/***/ 6191:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   $2: () => (/* binding */ manifestText),
/* harmony export */   Gj: () => (/* binding */ sha256Sums),
/* harmony export */   Sj: () => (/* binding */ cycleTotals),
/* harmony export */   u1: () => (/* binding */ buildManifest)
/* harmony export */ });
/* unused harmony exports MANIFEST_SCHEMA, SNAPSHOT_KIND, rankOf, snapshotReference, snapshotReferences */
/* harmony import */ var _gpu_holders_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(2614);
/* harmony import */ var _judge_outside_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(2455);
/* harmony import */ var _digest_js__WEBPACK_IMPORTED_MODULE_2__ = __nccwpck_require__(3154);



const MANIFEST_SCHEMA = 'oom-autopsy.manifest.v1';
const SNAPSHOT_KIND = 'torch.cuda.memory_snapshot';
const rankOf = ({ identity, rank }) => identity?.rank ?? (rank.RANK === undefined ? null : Number(rank.RANK));
function snapshotReference(snapshot, receipt) {
    return {
        kind: SNAPSHOT_KIND,
        digest: snapshot.digest,
        bytes: snapshot.bytes,
        file: snapshot.file,
        reason: snapshot.reason,
        host: snapshot.host,
        rank: snapshot.rank,
        pid: snapshot.pid,
        device: snapshot.device,
        torch: receipt?.torch?.version ?? null,
        max_entries: receipt?.recorder.max_entries ?? null,
        stacks: receipt?.recorder.stacks ?? null,
        history: snapshot.history,
    };
}
function snapshotReferences(evidence) {
    const receipts = new Map(evidence.receipts.map((r) => [r.file, r]));
    return evidence.snapshots.map((s) => snapshotReference(s, receipts.get(s.receipt ?? '')));
}
function manifestProcess(receipt) {
    return {
        host: receipt.host,
        pid: receipt.pid,
        ppid: receipt.ppid,
        token: receipt.token,
        rank: rankOf(receipt),
        rank_variables: receipt.rank,
        identity: receipt.identity,
        program: receipt.program,
        github_action: receipt.github_action,
        github_action_path: receipt.github_action_path,
        python: receipt.python,
        executable: receipt.executable,
        torch: receipt.torch?.version ?? null,
        build: receipt.torch,
        receipt: receipt.file,
        started: receipt.time.started,
        recorder: receipt.recorder,
        devices: receipt.devices,
        oom_count: receipt.oom_count,
        ooms: receipt.ooms,
        ooms_dropped: receipt.ooms_dropped,
        snapshots_removed: receipt.snapshots_removed,
        census: receipt.census,
        cycles: receipt.cycles,
        timeline: receipt.timeline,
        thread_ends: receipt.thread_ends,
        end: receipt.end,
        faults: receipt.faults,
        notes: receipt.notes,
    };
}
function cycleTotals(receipts) {
    const bytes = {};
    const kinds = new Set();
    let unlisted = 0;
    let tensors = 0;
    for (const { cycles } of receipts) {
        if (!cycles)
            continue;
        for (const { id } of cycles.cycles)
            kinds.add(id);
        unlisted = Math.max(unlisted, cycles.count - cycles.cycles.length);
        tensors += cycles.tensors;
        for (const [device, held] of Object.entries(cycles.bytes))
            bytes[device] = (bytes[device] ?? 0) + held;
    }
    return { count: kinds.size + unlisted, tensors, bytes };
}
function manifestGpu({ before, after, own = [] }, { receipts }, host) {
    const left = receipts
        .filter((receipt) => receipt.host === host)
        .map(({ pid, start_ticks }) => ({ pid, startTicks: start_ticks }));
    return { before, after, holders: (0,_gpu_holders_js__WEBPACK_IMPORTED_MODULE_0__/* .holdersOf */ .p)(before, after, [...left, ...own]) };
}
function buildManifest(parts) {
    const { evidence } = parts;
    const plain = ({ file, bytes, digest }) => ({ file, bytes, digest });
    return {
        schema: MANIFEST_SCHEMA,
        created: new Date(parts.now).toISOString(),
        action: { version: parts.version },
        step: parts.step,
        runner: parts.runner,
        verdict: { name: parts.verdict.name, because: parts.verdict.because },
        oom_count: (0,_judge_outside_js__WEBPACK_IMPORTED_MODULE_1__/* .countOoms */ .ar)(evidence.receipts),
        fingerprint: '',
        source: null,
        snapshots: snapshotReferences(evidence),
        files: evidence.receipts.map(plain),
        processes: evidence.receipts.map(manifestProcess),
        gpu: parts.gpu && manifestGpu(parts.gpu, evidence, parts.runner.host),
        host: parts.host,
        cycles: cycleTotals(evidence.receipts),
        parity: parts.parity,
        memory: parts.memory ?? { peak_allocated: null, peak_reserved: null, baseline: null },
        faults: [...evidence.faults, ...parts.faults],
        rejected: evidence.rejected,
        rejected_count: evidence.rejectedCount,
        rejected_reasons: evidence.rejectedReasons,
        not_seen: parts.notSeen,
        unarmed: parts.unarmed ?? [],
        blind_spots: parts.blindSpots ?? [],
        script_hints: parts.scriptHints ?? [],
        still_running: parts.stillRunning ?? [],
        killed: parts.killed ?? [],
        gates: parts.gates ?? [],
        published: parts.published,
    };
}
const manifestText = (manifest) => `${JSON.stringify(manifest, null, 2)}\n`;
function sha256Sums(files) {
    const lines = files.map(({ file, digest }) => `${(0,_digest_js__WEBPACK_IMPORTED_MODULE_2__/* .bareDigest */ .$$)(digest)}  ${file}\n`);
    return lines.sort((a, b) => (a.slice(66) < b.slice(66) ? -1 : 1)).join('');
}


/***/ }),

/***/ 1040:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   Bn: () => (/* binding */ parseReceiptName),
/* harmony export */   FZ: () => (/* binding */ parseSnapshotName),
/* harmony export */   Jf: () => (/* binding */ isReserve),
/* harmony export */   K6: () => (/* binding */ reserveName),
/* harmony export */   QC: () => (/* binding */ displayName),
/* harmony export */   TE: () => (/* binding */ isSafeName),
/* harmony export */   U8: () => (/* binding */ parseUnfinishedName),
/* harmony export */   VV: () => (/* binding */ SNAPSHOT_REASONS),
/* harmony export */   lf: () => (/* binding */ ownerKey),
/* harmony export */   s0: () => (/* binding */ sameOwner),
/* harmony export */   vk: () => (/* binding */ thisHost)
/* harmony export */ });
/* unused harmony export hostInNames */
/* harmony import */ var node_os__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(8161);

const SNAPSHOT_REASONS = ['oom', 'exception', 'sigterm', 'exit', 'budget'];
const SAFE = /^[A-Za-z0-9._-]{1,200}$/;
const OWNER = '([A-Za-z0-9-]{1,40})';
const TAIL = '([0-9]{1,10})-([0-9a-f]{8})';
const RECEIPT = new RegExp(`^${OWNER}-${TAIL}\\.receipt\\.json$`);
const SNAPSHOT = new RegExp(`^${OWNER}-(rank(?:[0-9]{1,9}|none)|gw[0-9]{1,6}|(?:actor|task)_[A-Za-z0-9_]{1,40})-${TAIL}-([0-9]{1,9})-(oom|exception|sigterm|exit|budget)\\.pickle$`);
const UNFINISHED = /^\.[A-Za-z0-9._-]{1,200}\.tmp-([0-9]{1,10})$/;
const RESERVE = /^\.reserve-[0-9a-f]{12}$/;
const reserveName = (step) => `.reserve-${step}`;
const isReserve = (name) => RESERVE.test(name);
const isSafeName = (name) => SAFE.test(name) && name !== '.' && name !== '..';
const owner = (match) => match ? { host: match[1] ?? '', pid: Number(match[2]), token: match[3] ?? '' } : null;
const parseReceiptName = (name) => owner(RECEIPT.exec(name));
function parseSnapshotName(name) {
    const match = isSafeName(name) ? SNAPSHOT.exec(name) : null;
    if (!match)
        return null;
    const [, host, who = '', pid, token, seq, reason] = match;
    const [, rank] = /^rank([0-9]{1,9})$/.exec(who) ?? [];
    return {
        host: host ?? '',
        rank: rank === undefined ? null : Number(rank),
        label: rank === undefined && who !== 'ranknone' ? who : null,
        pid: Number(pid),
        token: token ?? '',
        seq: Number(seq),
        reason: reason,
    };
}
function parseUnfinishedName(name) {
    const match = UNFINISHED.exec(name);
    return match ? Number(match[1]) : null;
}
const hostInNames = (host) => host.replace(/[^A-Za-z0-9-]/gu, '-').slice(0, 40) || 'host';
const thisHost = () => hostInNames((0,node_os__WEBPACK_IMPORTED_MODULE_0__.hostname)());
const sameOwner = (a, b) => a.host === b.host && a.pid === b.pid && a.token === b.token;
const ownerKey = (o) => `${o.host}-${o.pid}-${o.token}`;
function displayName(name, limit = 120) {
    let shown = '';
    for (const char of name) {
        if (shown.length >= limit)
            return `${shown}...`;
        const code = char.codePointAt(0) ?? 0;
        if (/[A-Za-z0-9._ @+=,-]/.test(char))
            shown += char;
        else
            shown += code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
    }
    return shown;
}


/***/ }),

/***/ 9531:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   CA: () => (/* binding */ errorCode),
/* harmony export */   EW: () => (/* binding */ sameSeal),
/* harmony export */   NE: () => (/* binding */ openFolder),
/* harmony export */   Ru: () => (/* binding */ sealOf),
/* harmony export */   lf: () => (/* binding */ openRegular),
/* harmony export */   vZ: () => (/* binding */ stillSealed)
/* harmony export */ });
/* unused harmony export readRegular */
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(3024);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(6760);


const sealOf = (stat) => ({
    dev: String(stat.dev),
    ino: String(stat.ino),
    size: String(stat.size),
    mtime: String(stat.mtimeNs),
    ctime: String(stat.ctimeNs),
});
const sameSeal = (a, b) => a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtime === b.mtime && a.ctime === b.ctime;
async function openFolder(dir) {
    const handle = await node_fs__WEBPACK_IMPORTED_MODULE_0__.promises.open(dir, node_fs__WEBPACK_IMPORTED_MODULE_0__.constants.O_RDONLY | node_fs__WEBPACK_IMPORTED_MODULE_0__.constants.O_DIRECTORY | node_fs__WEBPACK_IMPORTED_MODULE_0__.constants.O_NOFOLLOW);
    const proc = `/proc/self/fd/${handle.fd}`;
    return { path: (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.existsSync)(proc) ? proc : dir, close: () => handle.close() };
}
function refuse(stat) {
    if (stat.isSymbolicLink())
        return 'a symbolic link';
    if (stat.isDirectory())
        return 'a folder';
    if (stat.isFIFO())
        return 'a FIFO';
    if (stat.isSocket())
        return 'a socket';
    if (stat.isBlockDevice() || stat.isCharacterDevice())
        return 'a device';
    if (!stat.isFile())
        return 'not a regular file';
    if (stat.nlink > 1n)
        return `a hard link (${stat.nlink} names share this file)`;
    return null;
}
async function openRegular(folder, name) {
    const path = (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(folder, name);
    let handle;
    try {
        const seen = refuse(await node_fs__WEBPACK_IMPORTED_MODULE_0__.promises.lstat(path, { bigint: true }));
        if (seen)
            return { ok: false, reason: seen };
        handle = await node_fs__WEBPACK_IMPORTED_MODULE_0__.promises.open(path, node_fs__WEBPACK_IMPORTED_MODULE_0__.constants.O_RDONLY | node_fs__WEBPACK_IMPORTED_MODULE_0__.constants.O_NOFOLLOW | node_fs__WEBPACK_IMPORTED_MODULE_0__.constants.O_NONBLOCK | node_fs__WEBPACK_IMPORTED_MODULE_0__.constants.O_NOCTTY);
        const stat = await handle.stat({ bigint: true });
        const held = refuse(stat);
        if (held === null)
            return { ok: true, handle, seal: sealOf(stat) };
        await handle.close();
        return { ok: false, reason: held };
    }
    catch (error) {
        await handle?.close().catch(() => undefined);
        return { ok: false, reason: `cannot be read (${errorCode(error)})` };
    }
}
async function readRegular(dir, name, maxBytes) {
    const folder = await openFolder(dir);
    try {
        const opened = await openRegular(folder.path, name);
        if (!opened.ok)
            throw new Error(opened.reason);
        try {
            if (Number(opened.seal.size) > maxBytes)
                throw new Error(`longer than ${maxBytes} bytes`);
            return await opened.handle.readFile('utf8');
        }
        finally {
            await opened.handle.close();
        }
    }
    finally {
        await folder.close();
    }
}
async function stillSealed(folder, name, handle, seal) {
    const held = sealOf(await handle.stat({ bigint: true }));
    const there = await node_fs__WEBPACK_IMPORTED_MODULE_0__.promises.lstat((0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(folder, name), { bigint: true }).catch(() => null);
    return there !== null && sameSeal(held, seal) && sameSeal(sealOf(there), seal);
}
function errorCode(error) {
    const code = error?.code;
    return typeof code === 'string' ? code : error instanceof Error ? error.name : 'unknown error';
}


/***/ }),

/***/ 6534:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   Db: () => (/* binding */ RERAISED_FROM),
/* harmony export */   Hr: () => (/* binding */ IDENTITY_LAUNCHERS),
/* harmony export */   K$: () => (/* binding */ OBSERVER_STATES),
/* harmony export */   Ln: () => (/* binding */ TEST_RUNNERS),
/* harmony export */   RJ: () => (/* binding */ RECEIPT_SCHEMA),
/* harmony export */   T: () => (/* binding */ POOL_KINDS),
/* harmony export */   Vl: () => (/* binding */ KEPT_BY),
/* harmony export */   bZ: () => (/* binding */ RANK_VARIABLES),
/* harmony export */   cs: () => (/* binding */ MAX_RECEIPT_BYTES),
/* harmony export */   eC: () => (/* binding */ OWNER_KINDS),
/* harmony export */   iT: () => (/* binding */ OOM_OUTCOMES),
/* harmony export */   ku: () => (/* binding */ CATEGORY_NAMES),
/* harmony export */   sF: () => (/* binding */ OUTSIDE_KINDS)
/* harmony export */ });
const RECEIPT_SCHEMA = 'oom-autopsy.receipt.v1';
const MAX_RECEIPT_BYTES = 4 * 2 ** 20;
const RANK_VARIABLES = [
    'RANK',
    'WORLD_SIZE',
    'GROUP_RANK',
    'GROUP_WORLD_SIZE',
    'OMPI_COMM_WORLD_RANK',
    'OMPI_COMM_WORLD_SIZE',
    'PMI_RANK',
    'PMI_SIZE',
    'SLURM_PROCID',
    'SLURM_STEP_NUM_TASKS',
    'SLURM_NODEID',
    'SLURM_STEP_NUM_NODES',
    'LOCAL_RANK',
    'LOCAL_WORLD_SIZE',
    'NODE_RANK',
    'SLURM_LOCALID',
    'OMPI_COMM_WORLD_LOCAL_RANK',
];
const IDENTITY_LAUNCHERS = ['torch', 'openmpi', 'pmi', 'slurm', 'xdist', 'ray'];
const CATEGORY_NAMES = [
    'parameter',
    'gradient',
    'optimizer_state',
    'activation',
    'input',
    'unknown',
];
const POOL_KINDS = ['graph', 'handle', 'rest'];
const OUTSIDE_KINDS = [
    'cublas',
    'cudnn',
    'cusolver',
    'driver',
    'nccl',
    'rmm',
    'cupy',
    'jax',
    'onnxruntime',
    'tensorrt',
    'nvml-assert',
    'pinned-host',
];
const RERAISED_FROM = ['process', 'ray'];
const OBSERVER_STATES = ['attached', 'refused', 'none'];
const OWNER_KINDS = [
    'tensor',
    'layer',
    'position',
    'compiled',
    'holder',
    'optimizer',
    'node',
    'library',
    'other',
];
const KEPT_BY = ['graph', 'holder', 'traceback'];
const TEST_RUNNERS = ['pytest', 'unittest'];
const OOM_OUTCOMES = ['test-failed', 'handled', 'exit', 'left', 'raised'];


/***/ }),

/***/ 2614:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   V: () => (/* binding */ heldBy),
/* harmony export */   p: () => (/* binding */ holdersOf)
/* harmony export */ });
/* harmony import */ var _step_own_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(2671);

const heldBy = ({ before, after }) => (before ?? after)?.used ?? null;
const processesOf = (look) => look?.state === 'seen' ? look.processes : [];
const plus = (held, used) => held === null || held.used === null ? { used } : { used: held.used + (used ?? 0) };
function holdersOf(before, after, own = []) {
    const late = processesOf(after);
    const asked = after?.state === 'seen' && after.note === null;
    const found = [];
    const add = (process, when) => {
        let one = found.find((f) => f.device === process.device && (0,_step_own_js__WEBPACK_IMPORTED_MODULE_0__/* .sameProcess */ .ID)(f, process));
        if (!one) {
            one = { ...process, before: null, after: null };
            found.push(one);
        }
        one[when] = plus(one[when], process.used);
    };
    for (const process of processesOf(before))
        add(process, 'before');
    for (const process of late)
        add(process, 'after');
    return found
        .map((one) => ({
        pid: one.pid,
        name: one.name,
        device: one.device,
        whose: whoseIs(one, one.before !== null, own),
        before: one.before,
        after: one.after,
        gone: one.before !== null && asked && !late.some((process) => (0,_step_own_js__WEBPACK_IMPORTED_MODULE_0__/* .sameProcess */ .ID)(process, one)),
    }))
        .sort((a, b) => (heldBy(b) ?? 0) - (heldBy(a) ?? 0));
}
function whoseIs(process, early, own) {
    if (early)
        return 'stranger';
    if (process.startTicks === null)
        return 'unknown';
    return own.some((one) => (0,_step_own_js__WEBPACK_IMPORTED_MODULE_0__/* .sameProcess */ .ID)(one, process)) ? 'step' : 'stranger';
}


/***/ }),

/***/ 8949:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   U: () => (/* binding */ observeGpus)
/* harmony export */ });
/* unused harmony export TOOLS */
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(3024);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(6760);
/* harmony import */ var _step_helper_js__WEBPACK_IMPORTED_MODULE_2__ = __nccwpck_require__(1015);
/* harmony import */ var _step_proc_js__WEBPACK_IMPORTED_MODULE_3__ = __nccwpck_require__(9503);




const TOOLS = ['nvidia-smi', 'amd-smi', 'rocm-smi'];
const MAX_OUTPUT = 4 * 2 ** 20;
function findTool(path) {
    const folders = path.split(node_path__WEBPACK_IMPORTED_MODULE_1__.delimiter).filter(node_path__WEBPACK_IMPORTED_MODULE_1__.isAbsolute);
    for (const tool of TOOLS) {
        for (const folder of folders) {
            const file = (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(folder, tool);
            try {
                if (!(0,node_fs__WEBPACK_IMPORTED_MODULE_0__.statSync)(file, { throwIfNoEntry: false })?.isFile())
                    continue;
                (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.accessSync)(file, node_fs__WEBPACK_IMPORTED_MODULE_0__.constants.X_OK);
                return { tool, file };
            }
            catch {
            }
        }
    }
    return null;
}
function asker(file, env, until) {
    return async (...args) => {
        const timeoutMs = Math.max(0, Math.round(until - performance.now()));
        const result = await (0,_step_helper_js__WEBPACK_IMPORTED_MODULE_2__/* .runHelper */ .UA)({ file, args, env }, { timeoutMs, maxBytes: MAX_OUTPUT });
        if (result.kind !== 'ok')
            throw new Error((0,_step_helper_js__WEBPACK_IMPORTED_MODULE_2__/* .noAnswer */ .qE)(result));
        return result.stdout;
    };
}
const parsers = () => __nccwpck_require__.e(/* import() */ 426).then(__nccwpck_require__.bind(__nccwpck_require__, 7426));
const message = (error) => (error instanceof Error ? error.message : String(error));
async function askNvidia(ask) {
    const format = '--format=csv,noheader,nounits';
    const [devicesCsv, processesCsv] = await Promise.all([
        ask('--query-gpu=index,uuid,name,memory.total,memory.used,memory.free', format),
        ask('--query-compute-apps=gpu_uuid,pid,process_name,used_memory', format).catch((error) => error),
    ]);
    const { parseNvidiaDevices, parseNvidiaProcesses } = await parsers();
    const devices = parseNvidiaDevices(devicesCsv);
    if (devices.length === 0)
        throw new Error('named no device');
    return typeof processesCsv === 'string'
        ? { devices, processes: parseNvidiaProcesses(processesCsv, devices), note: null }
        : { devices, processes: [], note: `the processes could not be asked for: ${message(processesCsv)}` };
}
async function askAmd(ask) {
    const none = () => '';
    const [statics, metric, process] = await Promise.all([
        ask('static', '--asic', '--json').catch(none),
        ask('metric', '--mem-usage', '--json'),
        ask('process', '--json').catch(none),
    ]);
    const { parseAmd } = await parsers();
    const facts = parseAmd(statics, metric, process);
    if (!facts)
        throw new Error('named no device');
    return { ...facts, note: process === '' ? 'the processes could not be asked for' : null };
}
async function askRocm(ask) {
    const { parseRocm } = await parsers();
    const facts = parseRocm(await ask('--showmeminfo', 'vram', '--showproductname', '--showuniqueid', '--showpids', '--json'));
    if (!facts)
        throw new Error('named no device');
    return { ...facts, note: null };
}
const QUESTIONS = {
    'nvidia-smi': askNvidia,
    'amd-smi': askAmd,
    'rocm-smi': askRocm,
};
async function observeGpus(options) {
    const env = options.env ?? process.env;
    const found = findTool(env.PATH ?? '');
    if (!found)
        return { state: 'absent', tool: null };
    const started = performance.now();
    const seconds = () => Math.round(performance.now() - started) / 1000;
    try {
        const answers = await QUESTIONS[found.tool](asker(found.file, env, started + options.timeoutMs));
        const processes = answers.processes.map((process) => ({
            ...process,
            startTicks: (0,_step_proc_js__WEBPACK_IMPORTED_MODULE_3__/* .processFacts */ .PJ)(process.pid, options.proc)?.startTicks ?? null,
        }));
        const pidsKnown = processes.length === 0 || processes.some(({ startTicks }) => startTicks !== null);
        return { state: 'seen', tool: found.tool, ...answers, processes, pidsKnown, seconds: seconds() };
    }
    catch (error) {
        return { state: 'failed', tool: found.tool, reason: message(error), seconds: seconds() };
    }
}


/***/ }),

/***/ 8175:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   BJ: () => (/* binding */ describeProblem),
/* harmony export */   Qh: () => (/* binding */ INPUT_NAMES),
/* harmony export */   TL: () => (/* binding */ parseInputs),
/* harmony export */   WJ: () => (/* binding */ INPUT_DEFAULTS)
/* harmony export */ });
/* unused harmony exports SNAPSHOT_POLICIES, STACKS, GATES, CYCLE_WATCHES, CATEGORY_MODES, NO_TORCH_POLICIES, NO_BASELINE_POLICIES */
/* harmony import */ var _lib_amount_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(6078);
/* harmony import */ var _lib_bytes_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(9079);
/* harmony import */ var _lib_text_js__WEBPACK_IMPORTED_MODULE_3__ = __nccwpck_require__(4869);
/* harmony import */ var _step_shell_js__WEBPACK_IMPORTED_MODULE_2__ = __nccwpck_require__(6373);




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
            problems.push({ input: row.name, given: (0,_lib_text_js__WEBPACK_IMPORTED_MODULE_3__/* .printable */ .g$)(given, 120), accepted: parsed.accepted });
    }
    return problems.length > 0
        ? { ok: false, problems, valid: values }
        : { ok: true, inputs: Object.freeze(values) };
}
const describeProblem = (problem) => `input \`${problem.input}\`: ${problem.given === '' ? 'nothing was given' : `"${problem.given}" is not accepted`}; accepted: ${problem.accepted}`;


/***/ }),

/***/ 8377:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

__nccwpck_require__.r(__webpack_exports__);
/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   inStep: () => (/* binding */ inStep),
/* harmony export */   jobAccount: () => (/* binding */ jobAccount),
/* harmony export */   ofJob: () => (/* binding */ ofJob),
/* harmony export */   stepName: () => (/* binding */ stepName)
/* harmony export */ });
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(6760);
/* harmony import */ var _judge_outside_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(2455);
/* harmony import */ var _lib_text_js__WEBPACK_IMPORTED_MODULE_2__ = __nccwpck_require__(4869);



const ofJob = (sentence) => sentence
    .replace(/\bthe step( itself)? exited with 0\b/g, 'the job$1 is green')
    .replace(/\bthe step exited with \d+\b/g, 'the job failed')
    .replace(/\bThe step failed with exit code \d+/g, 'The job failed')
    .replace(/\b(the|The|this|This) step\b/g, '$1 job');
const jobAccount = (account) => ({
    ...account,
    verdict: { ...account.verdict, because: ofJob(account.verdict.because) },
    gates: account.gates.map((gate) => ({ ...gate, message: ofJob(gate.message) })),
});
function actionName(path, workspace) {
    const fetched = /[/\\]_actions[/\\]([^/\\]+)[/\\]([^/\\]+)[/\\]([^/\\]+)(?:[/\\](.*))?$/.exec(path);
    if (fetched) {
        const [, owner, name, ref, folder] = fetched;
        return `${owner}/${name}${folder ? `/${folder}` : ''}@${ref}`;
    }
    const within = workspace !== null && path.startsWith(workspace + node_path__WEBPACK_IMPORTED_MODULE_0__.sep);
    const short = within ? path.slice(workspace.length + 1) : path;
    return short.replace(/^(\.\/)+/, '').replace(/[/\\]+$/, '') || '.';
}
function stepName(process, workspace) {
    const { github_action: step, github_action_path: path } = process;
    if (!step)
        return null;
    return (0,_lib_text_js__WEBPACK_IMPORTED_MODULE_2__/* .printable */ .g$)(path ? `${step} of ${actionName(path, workspace)}` : step, 120);
}
function inStep({ step, processes }) {
    if (step.scope !== 'job')
        return '';
    const ended = processes.filter(_judge_outside_js__WEBPACK_IMPORTED_MODULE_1__/* .endedByOom */ .LU);
    const those = ended.length > 0 ? ended : processes.filter((process) => process.oom_count > 0);
    const names = [...new Set(those.map((process) => stepName(process, step.workspace)))].filter((name) => name !== null);
    if (names.length === 0)
        return '';
    const shown = names.slice(0, 3);
    const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : '';
    return ` in ${names.length === 1 ? 'step' : 'steps'} ${shown.join(', ')}${more}`;
}


/***/ }),

/***/ 9590:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   cp: () => (/* binding */ adviceFor),
/* harmony export */   rM: () => (/* binding */ considered)
/* harmony export */ });
/* unused harmony export ADVICE_IDS */
/* harmony import */ var _evidence_receipt_js__WEBPACK_IMPORTED_MODULE_6__ = __nccwpck_require__(6534);
/* harmony import */ var _lib_bytes_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(9079);
/* harmony import */ var _report_rich_js__WEBPACK_IMPORTED_MODULE_5__ = __nccwpck_require__(6781);
/* harmony import */ var _report_story_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(7234);
/* harmony import */ var _report_words_memory_js__WEBPACK_IMPORTED_MODULE_2__ = __nccwpck_require__(5402);
/* harmony import */ var _report_words_words_js__WEBPACK_IMPORTED_MODULE_3__ = __nccwpck_require__(2072);
/* harmony import */ var _verdict_js__WEBPACK_IMPORTED_MODULE_4__ = __nccwpck_require__(9517);







const ADVICE_IDS = [
    'larger-than-device',
    'weights-larger',
    'same-device',
    'other-processes',
    'eval-activations',
    'graph-passes',
    'traceback',
    'kept',
    'twins',
    'cycles',
    'first-step',
    'optimizer-state',
    'gradients',
    'fragmentation',
    'activations',
];
const WORTH = 0.05;
const FRAGMENTED = 0.1;
const DOMINANT = 0.4;
const gib = _lib_bytes_js__WEBPACK_IMPORTED_MODULE_0__/* .formatBytes */ .z;
const times = (a, b) => (a / b).toFixed(1);
const ofDevice = ({ most, account }, bytes) => `${(0,_report_words_memory_js__WEBPACK_IMPORTED_MODULE_2__/* .share */ .uM)(bytes, most)} of ${account.limit === null ? 'the GPU' : 'what the process may use'}`;
const bytesOf = ({ census }, category) => census?.categories[category]?.bytes ?? 0;
const whole = ({ story: { oom } }, ...categories) => oom.census !== null && categories.every((one) => !oom.census?.not_reached.includes(one));
const inEval = (facts) => Math.min(facts.story.oom.census?.signs?.eval_activations ?? 0, bytesOf(facts, 'activation'));
const largestKept = ({ census, story: { oom } }, ...by) => (census?.kept ?? [])
    .filter((one) => by.includes(one.by))
    .filter((one) => one.by !== 'graph' || (one.name.includes('[*]') && (oom.census?.signs?.live_passes ?? 0) > 1))
    .reduce((a, b) => (a !== null && a.bytes >= b.bytes ? a : b), null);
function largerThanDevice({ most, account, story: { oom } }) {
    if (oom.wanted === null || oom.wanted <= most)
        return null;
    const has = account.limit === null ? 'the whole device has' : 'the process may use at all';
    return {
        bytes: oom.wanted,
        numbers: [oom.wanted, most],
        text: (0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .say */ .cv) `One request of ${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .strong */ .ko)(gib(oom.wanted))} is more than ${has} (${gib(most)}): no freeing of memory makes it fit. A smaller batch or sequence, or a look at the tensor's shape, does.`,
    };
}
function weightsLarger(facts) {
    const { most, story } = facts;
    const parameter = bytesOf(facts, 'parameter');
    const { wanted } = story.oom;
    const rest = (facts.census?.allocated ?? 0) - parameter;
    if (wanted === null || wanted > most || parameter + wanted <= most || rest > 0.1 * parameter)
        return null;
    return {
        bytes: parameter + wanted,
        numbers: [parameter, wanted, most],
        text: (0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .say */ .cv) `Parameters alone took ${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .strong */ .ko)(gib(parameter))}, ${ofDevice(facts, parameter)}; with the ${gib(wanted)} asked for they do not fit into ${gib(most)}. Load the model in a smaller type (${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .code */ .aY)('bfloat16')}, quantised), or shard it over more devices.`,
    };
}
function sameDevice({ manifest, story, account, ...facts }) {
    const { process, oom } = story;
    const { before, after } = manifest.gpu ?? {};
    const look = [before, after].find((one) => one?.state === 'seen');
    const there = look?.state === 'seen' ? look.devices.length : 0;
    const isRank = (one) => _evidence_receipt_js__WEBPACK_IMPORTED_MODULE_6__/* .RANK_VARIABLES */ .bZ.some((key) => key in one.rank_variables);
    if (there < 2 || account.outside === null || !isRank(process))
        return null;
    const ranks = manifest.processes.filter((one) => one !== process &&
        one.host === process.host &&
        isRank(one) &&
        one.devices.some((d) => d.index === oom.device && (d.peak_reserved ?? 0) > 0));
    const held = ranks.flatMap((one) => {
        const device = one.devices.find((d) => d.index === oom.device);
        return one.ooms.at(-1)?.reserved ?? device?.reserved ?? [];
    });
    const theirs = held.reduce((all, bytes) => all + bytes, 0);
    if (theirs === 0 || account.outside - account.othersHeld < theirs)
        return null;
    return {
        bytes: theirs,
        numbers: [theirs],
        text: (0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .say */ .cv) `${ranks.length + 1} ranks of this step used GPU ${oom.device ?? 0}, and the others held ${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .strong */ .ko)(gib(theirs))} of it, ${ofDevice({ manifest, story, account, ...facts }, theirs)}; the host has ${there} GPUs. Give each rank its own: ${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .code */ .aY)("torch.cuda.set_device(int(os.environ['LOCAL_RANK']))")}.`,
    };
}
function otherProcesses(facts) {
    const { othersHeld, free, others } = facts.account;
    const { wanted } = facts.story.oom;
    if (othersHeld === 0 || free === null || wanted === null)
        return null;
    if (free >= wanted || free + othersHeld < wanted)
        return null;
    const early = others.filter((o) => o.before).reduce((sum, o) => sum + (o.used ?? 0), 0);
    const whose = early === othersHeld
        ? 'processes that were there before this step'
        : 'processes that left no receipt here';
    return {
        bytes: othersHeld,
        numbers: [othersHeld, free, wanted],
        text: (0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .say */ .cv) `${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .strong */ .ko)(gib(othersHeld))}, ${ofDevice(facts, othersHeld)}, belonged to ${whose}. With the ${gib(free)} that were free that is more than the ${gib(wanted)} asked for: end them, or use another device.`,
    };
}
function evalActivations(facts) {
    const bytes = inEval(facts);
    return {
        bytes,
        numbers: [bytes],
        text: (0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .say */ .cv) `${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .strong */ .ko)(gib(bytes))} of activations, ${ofDevice(facts, bytes)}, were saved for a backward while the model was in ${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .code */ .aY)('eval()')}. Run it under ${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .code */ .aY)('torch.no_grad()')} or ${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .code */ .aY)('torch.inference_mode()')}.`,
    };
}
function graphPasses(facts) {
    const passes = facts.story.oom.census?.signs?.graph_passes ?? 0;
    if (passes <= 1)
        return null;
    const bytes = bytesOf(facts, 'activation');
    const keeper = facts.census?.kept.find(({ by: how }) => how === 'graph') ?? null;
    const by = keeper === null ? null : (0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .say */ .cv) `, kept by ${(0,_report_words_words_js__WEBPACK_IMPORTED_MODULE_3__/* .name */ .UU)(keeper.name)}`;
    return {
        bytes,
        numbers: [passes, bytes],
        text: (0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .say */ .cv) `One autograd graph goes through the model ${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .strong */ .ko)(String(passes))} times${by}: iterations hang together, and ${gib(bytes)} of activations, ${ofDevice(facts, bytes)}, stay alive. ${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .code */ .aY)('detach()')} what is handed from one iteration to the next.`,
    };
}
function traceback(facts) {
    const kept = largestKept(facts, 'traceback');
    if (kept === null)
        return null;
    return {
        bytes: kept.bytes,
        numbers: [kept.bytes],
        text: (0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .say */ .cv) `${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .strong */ .ko)(gib(kept.bytes))}, ${ofDevice(facts, kept.bytes)}, were left by an earlier failure: its traceback, ${(0,_report_words_words_js__WEBPACK_IMPORTED_MODULE_3__/* .name */ .UU)(kept.name)}, keeps the tensors of its frames. Look at the first failure, and let go of the exception before going on.`,
    };
}
function lists(facts) {
    const state = ['parameter', 'gradient', 'optimizer_state'].reduce((sum, c) => sum + bytesOf(facts, c), 0);
    const { kept = [], categories = {} } = facts.census ?? {};
    const owners = ['activation', 'input', 'unknown'].flatMap((c) => categories[c]?.owners ?? []);
    return [
        ...kept.filter(({ by, bytes }) => by === 'holder' && bytes > state),
        ...owners.filter(({ kind, count }) => kind === 'holder' && count > 1),
    ];
}
function kept(facts) {
    const graph = largestKept(facts, 'graph');
    const [one] = [
        ...(graph === null ? [] : [graph]),
        ...lists(facts).map(({ name: of, bytes }) => ({ name: of, bytes, by: 'holder' })),
    ].sort((a, b) => b.bytes - a.bytes);
    if (one === undefined)
        return null;
    const what = one.by === 'graph' ? ' of activations' : null;
    const remedy = one.by === 'graph'
        ? (0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .say */ .cv) `Keep ${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .code */ .aY)('.detach()')} or ${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .code */ .aY)('.item()')} of it, or run it under ${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .code */ .aY)('torch.no_grad()')}.`
        : (0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .say */ .cv) `Bound it, move what it keeps to the host, or let it go earlier.`;
    return {
        bytes: one.bytes,
        numbers: [one.bytes],
        text: (0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .say */ .cv) `${(0,_report_words_words_js__WEBPACK_IMPORTED_MODULE_3__/* .name */ .UU)(one.name)} keeps ${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .strong */ .ko)(gib(one.bytes))}${what} alive, ${ofDevice(facts, one.bytes)}. ${remedy}`,
    };
}
function twins(facts) {
    const seen = facts.story.oom.census?.signs?.twins;
    if (!seen)
        return null;
    const bytes = seen.bytes * (seen.names.length - 1);
    const names = (0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .joinRich */ .Rz)(seen.names.map((one) => [(0,_report_words_words_js__WEBPACK_IMPORTED_MODULE_3__/* .name */ .UU)(one)]), ', ');
    return {
        bytes,
        numbers: [seen.bytes, bytes],
        text: (0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .say */ .cv) `One model is alive ${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .strong */ .ko)(String(seen.names.length))} times (${names}), ${gib(seen.bytes)} each: ${ofDevice(facts, bytes)} more than one needs. Let the old one go, or keep it on the host.`,
    };
}
function cycles(facts) {
    const { oom } = facts.story;
    const held = oom.cycles?.bytes[`cuda:${oom.device ?? 0}`] ?? 0;
    const enough = oom.wanted !== null && held >= oom.wanted ? (0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .say */ .cv) `, more than the ${gib(oom.wanted)} asked for` : null;
    return {
        bytes: held,
        numbers: [held],
        text: (0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .say */ .cv) `${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .strong */ .ko)(gib(held))}, ${ofDevice(facts, held)}, were held only by reference cycles at that moment${enough}: no variable of the program reached them any more, and Python frees them only when its collector runs. Break the cycles.`,
    };
}
function firstStep(facts) {
    if (facts.story.oom.census?.signs?.optimizer_step !== 'first')
        return null;
    const [parameter, gradient, state] = ['parameter', 'gradient', 'optimizer_state'].map((c) => bytesOf(facts, c));
    const bytes = parameter + gradient + state;
    return {
        bytes,
        numbers: [parameter, gradient, state, bytes],
        text: (0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .say */ .cv) `Memory ran out in the optimizer's first step, which makes its state: parameters, gradients and the state so far took ${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .strong */ .ko)(gib(bytes))}, ${ofDevice(facts, bytes)}. An optimizer with less state (8 bit, ${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .code */ .aY)('SGD')}), sharding or offloading helps; a smaller batch hardly does.`,
    };
}
function against(facts, category, most) {
    const [part, parameter] = [bytesOf(facts, category), bytesOf(facts, 'parameter')];
    if (!whole(facts, category, 'parameter') || parameter === 0 || part <= most * parameter)
        return null;
    return { part, parameter };
}
function optimizerState(facts) {
    const sizes = against(facts, 'optimizer_state', 2.2);
    return (sizes && {
        bytes: sizes.part,
        numbers: [sizes.part, sizes.parameter],
        text: (0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .say */ .cv) `Optimizer state took ${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .strong */ .ko)(gib(sizes.part))}, ${ofDevice(facts, sizes.part)} and ${times(sizes.part, sizes.parameter)} times the parameters (${gib(sizes.parameter)}); Adam's two moments in the parameters' own type are 2.0 times.`,
    });
}
function gradients(facts) {
    const sizes = against(facts, 'gradient', 1.1);
    return (sizes && {
        bytes: sizes.part,
        numbers: [sizes.part, sizes.parameter],
        text: (0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .say */ .cv) `Gradients took ${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .strong */ .ko)(gib(sizes.part))}, ${ofDevice(facts, sizes.part)} and ${times(sizes.part, sizes.parameter)} times the parameters (${gib(sizes.parameter)}): more than one gradient of the same type for each.`,
    });
}
function fragmentation(facts) {
    const { wanted } = facts.story.oom;
    if (facts.account.unused === null || wanted === null || wanted === 0)
        return null;
    const bytes = facts.account.unused - (0,_report_story_js__WEBPACK_IMPORTED_MODULE_1__/* .unusedInPools */ .FD)(facts.census);
    if (bytes < wanted || bytes < FRAGMENTED * facts.most)
        return null;
    const { alloc_conf = null, expandable_segments = null } = facts.story.process.build ?? {};
    const on = expandable_segments ?? (/expandable_segments:\s*true/i.test(alloc_conf ?? '') ? true : null);
    const unsure = on === null ? ', where it is not on already,' : null;
    const remedy = on
        ? (0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .say */ .cv) `${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .code */ .aY)('expandable_segments:True')} is on already.`
        : (0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .say */ .cv) `${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .code */ .aY)('PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True')}${unsure} lets the allocator use such pieces together.`;
    return {
        bytes,
        numbers: [bytes, wanted],
        text: (0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .say */ .cv) `${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .strong */ .ko)(gib(bytes))}, ${ofDevice(facts, bytes)}, were reserved by the allocator and not in use: more than the ${gib(wanted)} asked for, in pieces too small or of another pool. ${remedy}`,
    };
}
function activations(facts) {
    const compiled = (facts.census?.categories.unknown?.owners ?? []).filter(({ kind }) => kind === 'compiled');
    const bytes = compiled.reduce((sum, owner) => sum + owner.bytes, bytesOf(facts, 'activation'));
    const explained = Math.max(inEval(facts), largestKept(facts, 'graph', 'traceback')?.bytes ?? 0);
    if (bytes < DOMINANT * facts.most || explained >= bytes / 2)
        return null;
    return {
        bytes,
        numbers: [bytes],
        text: (0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .say */ .cv) `Activations took ${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .strong */ .ko)(gib(bytes))}, ${ofDevice(facts, bytes)}. A smaller batch or a shorter sequence takes fewer; so do activation checkpointing (${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .code */ .aY)('torch.utils.checkpoint')}) and ${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_5__/* .code */ .aY)('torch.autocast')}.`,
    };
}
const RULES = {
    'larger-than-device': largerThanDevice,
    'weights-larger': weightsLarger,
    'same-device': sameDevice,
    'other-processes': otherProcesses,
    'eval-activations': evalActivations,
    'graph-passes': graphPasses,
    traceback,
    kept,
    twins,
    cycles,
    'first-step': firstStep,
    'optimizer-state': optimizerState,
    gradients,
    fragmentation,
    activations,
};
function considered(manifest, story = (0,_report_story_js__WEBPACK_IMPORTED_MODULE_1__/* .mainStory */ .dE)(manifest)) {
    if (story === null)
        return [];
    const account = (0,_report_story_js__WEBPACK_IMPORTED_MODULE_1__/* .accountOf */ .XP)(manifest, story);
    const most = account.limit ?? account.total;
    if (most === null || most === 0)
        return [];
    const facts = {
        manifest,
        story,
        account,
        census: (0,_report_story_js__WEBPACK_IMPORTED_MODULE_1__/* .censusOf */ .RB)(story.oom.census, story.oom.device),
        most,
    };
    return ADVICE_IDS.flatMap((id) => {
        const found = RULES[id](facts);
        if (found === null || found.bytes < WORTH * most)
            return [];
        return [{ id, text: found.text, numbers: found.numbers, share: found.bytes / most }];
    }).sort((a, b) => b.share - a.share);
}
function adviceFor(manifest) {
    if (manifest.verdict.name !== 'oom' && (0,_verdict_js__WEBPACK_IMPORTED_MODULE_4__/* .allCaught */ ._A)((0,_report_story_js__WEBPACK_IMPORTED_MODULE_1__/* .openOoms */ .fG)(manifest)))
        return null;
    return considered(manifest)[0] ?? null;
}


/***/ }),

/***/ 439:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   GW: () => (/* binding */ blindRemedy),
/* harmony export */   dE: () => (/* binding */ blindSpots),
/* harmony export */   hi: () => (/* binding */ blindWords),
/* harmony export */   iE: () => (/* binding */ isBlind),
/* harmony export */   kv: () => (/* binding */ doubtOf)
/* harmony export */ });
/* unused harmony export BLIND_KINDS */
/* harmony import */ var _lib_text_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(4869);

const BLIND_KINDS = (/* unused pure expression or super */ null && ([
    'not-laid',
    'no-folder',
    'oom-without-receipt',
    'without-receipt',
    'unreadable',
    'refused',
]));
const processes = (n) => (0,_lib_text_js__WEBPACK_IMPORTED_MODULE_0__/* .count */ .U9)(n, 'process', 'processes');
const WORDS = {
    'not-laid': { what: () => 'nothing could be recorded', remedy: 'the reason is a fault of the machine' },
    'no-folder': {
        what: () => 'the folder of the evidence cannot be read',
        remedy: 'something of the step removed it, or took it from the user of the runner',
    },
    'oom-without-receipt': {
        what: (n) => `${processes(n)} left a snapshot of an out-of-memory and no receipt`,
        remedy: 'the receipt would say what became of it; the log of the step may',
    },
    'without-receipt': {
        what: (n) => `${processes(n)} imported torch and left no receipt that is still there`,
        remedy: 'where it could not be written, a line of the log that begins with "oom-autopsy:" says why',
    },
    unreadable: {
        what: (n) => `files that ${processes(n)} left cannot be read`,
        remedy: "where they are another user's, hand them over in the step: chown -R to the user of the runner",
    },
    refused: {
        what: (n) => `torch refused to report out-of-memory errors in ${processes(n)}`,
        remedy: 'it reports those of its own allocator alone, not those of a pluggable one or of cudaMallocAsync',
    },
};
const blindWords = ({ kind, count: n, reason }, because = true) => `${WORDS[kind].what(n)}${reason === null || !because ? '' : ` (${reason})`}`;
const doubtOf = (spots) => spots.some(({ kind }) => kind === 'oom-without-receipt')
    ? 'what became of an out-of-memory is not known'
    : 'whether memory ran out is not known';
const blindRemedy = ({ kind }) => WORDS[kind].remedy;
const isBlind = ({ recorder, torch, }) => recorder.observer === 'refused' || torch?.backend === 'cudaMallocAsync';
function blindSpots(evidence, { shimFault, lost }) {
    if (shimFault !== null)
        return [{ kind: 'not-laid', count: 0, reason: shimFault }];
    const { folderFault, receipts, snapshots, unread } = evidence;
    if (folderFault !== null)
        return [{ kind: 'no-folder', count: lost.length, reason: folderFault }];
    const unreadable = new Set(unread.map(({ owner }) => owner.pid));
    const orphans = snapshots.filter((s) => s.orphan && !unreadable.has(s.pid));
    const atOom = new Set(orphans.filter(({ reason }) => reason === 'oom').map(({ pid }) => pid));
    const silent = new Set([...orphans.map(({ pid }) => pid), ...lost].filter((pid) => !atOom.has(pid) && !unreadable.has(pid)));
    const blind = receipts.filter(isBlind);
    const spots = [
        { kind: 'oom-without-receipt', count: atOom.size, reason: null },
        { kind: 'without-receipt', count: silent.size, reason: null },
        { kind: 'unreadable', count: unreadable.size, reason: unread[0]?.reason ?? null },
        { kind: 'refused', count: blind.length, reason: blind[0]?.recorder.reason ?? null },
    ];
    return spots.filter((spot) => spot.count > 0);
}


/***/ }),

/***/ 5302:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   u: () => (/* binding */ hintsFor)
/* harmony export */ });
/* harmony import */ var _lib_bytes_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(9079);
/* harmony import */ var _report_rich_js__WEBPACK_IMPORTED_MODULE_3__ = __nccwpck_require__(6781);
/* harmony import */ var _report_story_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(7234);
/* harmony import */ var _advice_js__WEBPACK_IMPORTED_MODULE_2__ = __nccwpck_require__(9590);




const gib = (bytes) => (0,_lib_bytes_js__WEBPACK_IMPORTED_MODULE_0__/* .formatBytes */ .z)(bytes);
const memoryFraction = ({ account: { limit, total, free }, story: { oom } }) => {
    if (limit === null || total === null || free === null || oom.wanted === null)
        return null;
    if (free < oom.wanted)
        return null;
    return {
        id: 'memory-fraction',
        numbers: [limit, total, free],
        text: (0,_report_rich_js__WEBPACK_IMPORTED_MODULE_3__/* .say */ .cv) `The process is limited to ${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_3__/* .strong */ .ko)(gib(limit))} of ${gib(total)} (${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_3__/* .code */ .aY)('set_per_process_memory_fraction')}), and ${gib(free)} of the device were free: the limit was reached, not the device's size.`,
    };
};
const privatePools = ({ story: { oom } }) => {
    const { wanted } = oom;
    const unused = (0,_report_story_js__WEBPACK_IMPORTED_MODULE_1__/* .unusedInPools */ .FD)((0,_report_story_js__WEBPACK_IMPORTED_MODULE_1__/* .censusOf */ .RB)(oom.census, oom.device));
    if (wanted === null || wanted === 0 || unused < wanted)
        return null;
    return {
        id: 'private-pools',
        numbers: [unused, wanted],
        text: (0,_report_rich_js__WEBPACK_IMPORTED_MODULE_3__/* .say */ .cv) `${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_3__/* .strong */ .ko)(gib(unused))} were reserved by private pools and in no block, more than the ${gib(wanted)} asked for: while a CUDA graph or a ${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_3__/* .code */ .aY)('MemPool')} lives, its pool serves no other requests. Graphs that never run at the same time can share one (${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_3__/* .code */ .aY)('torch.cuda.graph(g, pool=…)')}).`,
    };
};
const growth = ({ story: { process } }) => {
    const held = process.ooms.flatMap((o) => (o.allocated === null ? [] : [o.allocated]));
    const [first, last] = [held[0], held.at(-1)];
    if (held.length < 3 || first === undefined || last === undefined)
        return null;
    if (first === 0 || last < 1.1 * first)
        return null;
    if (held.some((bytes, index) => index > 0 && bytes < held[index - 1]))
        return null;
    return {
        id: 'growth',
        numbers: [held.length, first, last],
        text: (0,_report_rich_js__WEBPACK_IMPORTED_MODULE_3__/* .say */ .cv) `Over ${held.length} out-of-memory errors of this process the allocated memory only grew: from ${gib(first)} to ${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_3__/* .strong */ .ko)(gib(last))}. Something outlives each attempt (an exception's traceback keeps its frames' tensors).`,
    };
};
const retries = ({ story: { oom } }) => {
    const more = (oom.retries ?? 0) - (oom.ooms ?? 0);
    if (oom.retries === null || more <= 0)
        return null;
    return {
        id: 'retries',
        numbers: [oom.retries],
        text: (0,_report_rich_js__WEBPACK_IMPORTED_MODULE_3__/* .say */ .cv) `The allocator emptied its cache and asked again ${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_3__/* .strong */ .ko)(String(oom.retries))} times, this failure among them: the program had been close to the limit before.`,
    };
};
const RULES = [memoryFraction, privatePools, growth, retries];
function hintsFor(manifest) {
    const story = (0,_report_story_js__WEBPACK_IMPORTED_MODULE_1__/* .mainStory */ .dE)(manifest);
    if (!story)
        return [];
    const first = (0,_advice_js__WEBPACK_IMPORTED_MODULE_2__/* .adviceFor */ .cp)(manifest)?.id;
    const account = (0,_report_story_js__WEBPACK_IMPORTED_MODULE_1__/* .accountOf */ .XP)(manifest, story);
    return [
        ...(0,_advice_js__WEBPACK_IMPORTED_MODULE_2__/* .considered */ .rM)(manifest, story).filter(({ id }) => id !== first),
        ...RULES.flatMap((rule) => rule({ story, account }) ?? []),
    ];
}


/***/ }),

/***/ 7345:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   L: () => (/* binding */ hostAdvice)
/* harmony export */ });
/* harmony import */ var _lib_bytes_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(9079);
/* harmony import */ var _report_rich_js__WEBPACK_IMPORTED_MODULE_2__ = __nccwpck_require__(6781);
/* harmony import */ var _report_words_memory_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(5402);



const WORTH = 0.3;
function hostAdvice({ verdict, host }) {
    const use = host?.use;
    const most = host?.memory?.limit ?? host?.memory?.total ?? null;
    if (verdict.name !== 'host-oom' || !use || most === null)
        return null;
    const of = (bytes) => (0,_report_rich_js__WEBPACK_IMPORTED_MODULE_2__/* .say */ .cv) `${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_2__/* .strong */ .ko)((0,_lib_bytes_js__WEBPACK_IMPORTED_MODULE_0__/* .formatBytes */ .z)(bytes))}, ${(0,_report_words_memory_js__WEBPACK_IMPORTED_MODULE_1__/* .share */ .uM)(bytes, most)} of the ${(0,_lib_bytes_js__WEBPACK_IMPORTED_MODULE_0__/* .formatBytes */ .z)(most)}`;
    const shm = use.shm;
    const workers = use.owners.find((owner) => owner.workers > 0);
    const [first] = use.owners.filter((owner) => owner.workers === 0);
    const held = workers === undefined ? 0 : workers.own + workers.shared;
    if (shm !== null && shm.used >= WORTH * most && shm.used >= held)
        return (0,_report_rich_js__WEBPACK_IMPORTED_MODULE_2__/* .say */ .cv) `Shared memory (${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_2__/* .code */ .aY)('/dev/shm')}) held ${of(shm.used)}: batches on their way from DataLoader workers. A smaller ${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_2__/* .code */ .aY)('prefetch_factor')}, fewer ${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_2__/* .code */ .aY)('num_workers')} or smaller batches take less.`;
    if (workers !== undefined && held >= WORTH * most && held >= (first?.own ?? 0))
        return (0,_report_rich_js__WEBPACK_IMPORTED_MODULE_2__/* .say */ .cv) `${(0,_report_words_memory_js__WEBPACK_IMPORTED_MODULE_1__/* .hostOwnerRich */ .CQ)(workers)} held ${of(held)}, ${(0,_lib_bytes_js__WEBPACK_IMPORTED_MODULE_0__/* .formatBytes */ .z)(workers.own / workers.workers)} each of their own: fewer ${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_2__/* .code */ .aY)('num_workers')}, a smaller ${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_2__/* .code */ .aY)('prefetch_factor')}, or a dataset that they need not copy (arrays instead of Python objects, memory maps).`;
    if (first !== undefined && first.own >= WORTH * most)
        return (0,_report_rich_js__WEBPACK_IMPORTED_MODULE_2__/* .say */ .cv) `${(0,_report_words_memory_js__WEBPACK_IMPORTED_MODULE_1__/* .hostOwnerRich */ .CQ)(first)} itself held ${of(first.own)}: load less at once (memory maps, streaming, ${(0,_report_rich_js__WEBPACK_IMPORTED_MODULE_2__/* .code */ .aY)('map_location')}), pin less memory, or give the job more.`;
    return null;
}


/***/ }),

/***/ 9995:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   BG: () => (/* binding */ isFatal),
/* harmony export */   Bt: () => (/* binding */ fatalBecause),
/* harmony export */   EJ: () => (/* binding */ unexplained),
/* harmony export */   UU: () => (/* binding */ testName),
/* harmony export */   bE: () => (/* binding */ fatalOoms)
/* harmony export */ });
/* harmony import */ var _lib_text_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(4869);

const isFatal = ({ outcome }) => outcome?.kind === 'test-failed' || outcome?.kind === 'exit' || outcome?.kind === 'left';
function testName({ test }) {
    if (test === null)
        return null;
    const phase = test.phase === null || test.phase === 'call' ? '' : ` (${test.phase})`;
    return `${test.id}${phase}`;
}
function fatalOoms(processes) {
    const all = processes
        .flatMap(({ ooms }) => ooms)
        .filter(isFatal)
        .sort((a, b) => (a.time ?? 0) - (b.time ?? 0));
    const of = (kind) => all.filter(({ outcome }) => outcome?.kind === kind);
    return {
        tests: [...new Set(of('test-failed').map((oom) => testName(oom) ?? 'a test'))],
        exits: of('exit').length,
        tools: of('left').map(({ outcome }) => outcome?.tool ?? null),
    };
}
function fatalBecause({ tests, exits, tools }, exitCode) {
    const [first] = tests;
    if (first !== undefined) {
        return tests.length === 1
            ? `the test ${first} failed by an out-of-memory`
            : `${tests.length} tests failed by an out-of-memory, first ${first}`;
    }
    if (exits > 0)
        return `${(0,_lib_text_js__WEBPACK_IMPORTED_MODULE_0__/* .count */ .U9)(exits, 'process', 'processes')} ended itself because of an out-of-memory`;
    if (tools.length > 0 && exitCode !== 0) {
        return `${tools[0] ?? 'a tool'} caught an out-of-memory that had left the program, and the step exited with ${exitCode}`;
    }
    return null;
}
const unexplained = (processes) => processes.filter(({ ooms, oom_count: n, end }) => n > 0 && end?.kind === 'exit' && !end.oom && (ooms.at(-1)?.outcome ?? null) === null).length;


/***/ }),

/***/ 2455:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   LU: () => (/* binding */ endedByOom),
/* harmony export */   Qk: () => (/* binding */ outsideOoms),
/* harmony export */   U1: () => (/* binding */ outsideNames),
/* harmony export */   ar: () => (/* binding */ countOoms),
/* harmony export */   hN: () => (/* binding */ OUTSIDE_NAMES)
/* harmony export */ });
const OUTSIDE_NAMES = {
    cublas: 'cuBLAS',
    cudnn: 'cuDNN',
    cusolver: 'cuSOLVER',
    driver: 'the CUDA driver',
    nccl: 'NCCL',
    rmm: 'RMM',
    cupy: 'CuPy',
    jax: 'JAX',
    onnxruntime: 'ONNX Runtime',
    tensorrt: 'TensorRT',
    'nvml-assert': "torch's allocator, in an internal check of NVML",
    'pinned-host': 'pinned host memory',
};
const endedByOom = ({ end }) => end !== null && (end.oom || (end.kind === 'exception' && end.outside_oom?.certain === true));
function outsideOoms(processes) {
    const kinds = (test) => processes.flatMap(({ end }) => end?.outside_oom && test(end, end.outside_oom.certain) ? [end.outside_oom.kind] : []);
    return {
        ended: kinds(({ kind }, certain) => certain && kind === 'exception'),
        handled: kinds(({ kind }, certain) => certain && kind !== 'exception'),
        maybe: kinds((_, certain) => !certain),
    };
}
const outsideNames = (kinds) => [...new Set(kinds)].map((kind) => OUTSIDE_NAMES[kind]).join(' and ');
function countOoms(processes) {
    const { ended, handled } = outsideOoms(processes);
    return processes.reduce((sum, p) => sum + p.oom_count, 0) + ended.length + handled.length;
}


/***/ }),

/***/ 9517:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   S4: () => (/* binding */ judge),
/* harmony export */   _A: () => (/* binding */ allCaught),
/* harmony export */   fO: () => (/* binding */ openEnds)
/* harmony export */ });
/* harmony import */ var _lib_text_js__WEBPACK_IMPORTED_MODULE_2__ = __nccwpck_require__(4869);
/* harmony import */ var _blind_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(439);
/* harmony import */ var _outcomes_js__WEBPACK_IMPORTED_MODULE_3__ = __nccwpck_require__(9995);
/* harmony import */ var _outside_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(2455);




function openEnds(processes, alive, host) {
    const pids = new Set(alive.map(({ pid }) => pid));
    const open = processes.filter((p) => p.oom_count > 0 && p.end === null);
    const here = open.filter((p) => p.host === host);
    const running = here.filter((p) => pids.has(p.pid)).length;
    return { gone: here.length - running, running, elsewhere: open.length - here.length };
}
const allCaught = ({ gone, running, elsewhere }) => gone + running + elsewhere === 0;
const SIGKILL_EXIT = 137;
const SCOPES = { cgroup: 'of this cgroup', machine: 'on this machine' };
const killed = ({ hostOomKills, hostOomScope }) => `the kernel's OOM killer ended ${hostOomKills === 1 ? '1 process' : 'processes'} ${SCOPES[hostOomScope]} during the step`;
function notKilled({ hostOomKills, hostOomScope, machineOomKills, ownCgroups }) {
    if (hostOomKills === null)
        return 'the kernel counters that would tell a host out-of-memory cannot be read here';
    const where = hostOomScope === 'machine' ? 'on this machine' : 'in this cgroup';
    const none = `the kernel counted no out-of-memory kill ${where}`;
    if (hostOomScope === 'machine')
        return none;
    const others = machineOomKills !== null && machineOomKills > 0;
    const elsewhere = others ? ', but one or more elsewhere on this machine' : '';
    if (ownCgroups.length === 0)
        return `${none}${elsewhere}`;
    return `${none}${elsewhere}; what ${ownCgroups.join(' and ')} ran has a cgroup and a limit of its own, whose kills are not counted here (\`docker inspect\` and its like tell: OOMKilled)`;
}
function unseenBecause({ exitCode, reached, blindSpots, outside }) {
    const exited = `the step exited with ${exitCode}`;
    const names = (0,_outside_js__WEBPACK_IMPORTED_MODULE_1__/* .outsideNames */ .U1)(outside.maybe);
    const doubts = [
        names === '' ? null : `it may be memory that ran out: ${names} failed as it does then`,
        blindSpots.length === 0
            ? null
            : `${(0,_blind_js__WEBPACK_IMPORTED_MODULE_0__/* .doubtOf */ .kv)(blindSpots)}: ${blindSpots.map((spot) => (0,_blind_js__WEBPACK_IMPORTED_MODULE_0__/* .blindWords */ .hi)(spot)).join('; ')}`,
    ].filter((doubt) => doubt !== null);
    if (doubts.length > 0)
        return [exited, ...doubts].join('; ');
    if (reached === 'none')
        return `${exited}, and no process of it was recorded`;
    return `${exited} and no out-of-memory was seen${reached === 'part' ? ' in what was recorded of it' : ''}`;
}
const processes = (n) => (0,_lib_text_js__WEBPACK_IMPORTED_MODULE_2__/* .count */ .U9)(n, 'process', 'processes');
function seenBecause({ exitCode, oomCount, openEnds: open, unexplained }) {
    const one = oomCount === 1;
    const exited = `the step exited with ${exitCode}`;
    if (allCaught(open)) {
        const seen = one
            ? 'the out-of-memory that was seen'
            : `the ${oomCount} out-of-memory errors that were seen`;
        return unexplained === 0
            ? `${exited}; ${seen} had been caught by the program`
            : `${exited}; ${seen} ended no process by ${one ? 'itself' : 'themselves'}: whether the program handled ${one ? 'it' : 'them'} and went on, or ended because of ${one ? 'it' : 'them'}, is not known`;
    }
    const whose = (n) => (one ? 'its process' : `${processes(n)} that had some`);
    const why = [
        open.gone === 0 ? null : `${whose(open.gone)} ended without exit handlers (killed, or os._exit)`,
        open.running === 0 ? null : `${whose(open.running)} still ${open.running === 1 ? 'runs' : 'run'}`,
        open.elsewhere === 0 ? null : `${whose(open.elsewhere)} ran under another host name and recorded no end`,
    ].filter((part) => part !== null);
    const what = one
        ? 'the out-of-memory that was seen was caught'
        : `all ${oomCount} out-of-memory errors that were seen were caught`;
    return `${exited}; whether ${what} is not known: ${why.join(', ')}`;
}
function oomBecause(facts) {
    const { endedByOom, threadsEndedByOom, outside, exitCode } = facts;
    const green = exitCode === 0 ? ', though the step itself exited with 0' : '';
    if (endedByOom > 0) {
        const all = outside.ended.length === endedByOom ? ` of ${(0,_outside_js__WEBPACK_IMPORTED_MODULE_1__/* .outsideNames */ .U1)(outside.ended)}` : '';
        return `${processes(endedByOom)} ended by an out-of-memory${all} that nothing caught${green}`;
    }
    if (threadsEndedByOom > 0) {
        return `a thread of ${processes(threadsEndedByOom)} ended by an out-of-memory that nothing caught, while the process went on${green}`;
    }
    const because = (0,_outcomes_js__WEBPACK_IMPORTED_MODULE_3__/* .fatalBecause */ .Bt)(facts.fatal, exitCode);
    return because === null ? null : `${because}${green}`;
}
function judge(facts) {
    const { exitCode, oomCount, outside, hostOomKills } = facts;
    const oom = oomBecause(facts);
    if (oom !== null)
        return { name: 'oom', because: oom };
    if (facts.cancelled)
        return { name: 'cancelled', because: 'the step was cancelled or ran into a time limit' };
    if (facts.startError !== null)
        return { name: 'not-run', because: 'the shell could not be started' };
    if (exitCode === 0) {
        if (oomCount > 0) {
            const caught = allCaught(facts.openEnds);
            const all = 'every out-of-memory was caught and the program went on';
            return { name: 'oom-recovered', because: caught ? all : seenBecause(facts) };
        }
        const kernel = (hostOomKills ?? 0) > 0 ? `, but ${killed(facts)}` : '';
        const because = `${unseenBecause(facts)}${kernel}`;
        return { name: facts.blindSpots.length > 0 ? 'unknown' : 'ok', because };
    }
    if (outside.handled.length > 0) {
        const of = (0,_outside_js__WEBPACK_IMPORTED_MODULE_1__/* .outsideNames */ .U1)(outside.handled);
        return {
            name: 'oom',
            because: `the step exited with ${exitCode} after an out-of-memory of ${of}`,
        };
    }
    if (hostOomKills !== null && hostOomKills > 0)
        return { name: 'host-oom', because: killed(facts) };
    if (exitCode === SIGKILL_EXIT) {
        const because = `the step exited with 137, as after SIGKILL, and ${notKilled(facts)}`;
        return { name: 'killed', because };
    }
    return { name: 'failed', because: oomCount > 0 ? seenBecause(facts) : unseenBecause(facts) };
}


/***/ }),

/***/ 6344:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   Es: () => (/* binding */ VERDICT_TRAITS),
/* harmony export */   bk: () => (/* binding */ VERDICTS)
/* harmony export */ });
/* unused harmony export isVerdict */
const VERDICTS = [
    'ok',
    'oom-recovered',
    'oom',
    'host-oom',
    'killed',
    'cancelled',
    'failed',
    'unknown',
    'not-run',
];
const traits = (icon, tone, annotation = null, quiet = false) => ({ icon, tone, annotation, quiet });
const VERDICT_TRAITS = {
    ok: traits('✅', 'good', null, true),
    'oom-recovered': traits('🟡', 'warn'),
    oom: traits('🔴', 'bad', 'error'),
    'host-oom': traits('🔴', 'bad', 'error'),
    killed: traits('🔴', 'bad', 'error'),
    cancelled: traits('⚪', 'neutral'),
    failed: traits('🔴', 'bad', 'error'),
    unknown: traits('🟡', 'warn', 'warning'),
    'not-run': traits('🔴', 'bad', 'error'),
};
const isVerdict = (name) => VERDICTS.includes(name);


/***/ }),

/***/ 6078:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   C_: () => (/* binding */ parseAmount),
/* harmony export */   XN: () => (/* binding */ bytesOfAmount),
/* harmony export */   ej: () => (/* binding */ formatAmount)
/* harmony export */ });
/* harmony import */ var _bytes_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(9079);

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
const formatAmount = (amount) => 'bytes' in amount ? (0,_bytes_js__WEBPACK_IMPORTED_MODULE_0__/* .formatBytes */ .z)(amount.bytes) : `${Number((amount.share * 100).toFixed(4))} %`;


/***/ }),

/***/ 9079:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
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
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   Bg: () => (/* binding */ withRoomSync),
/* harmony export */   Eo: () => (/* binding */ withRoom),
/* harmony export */   f8: () => (/* binding */ writeWhole),
/* harmony export */   uq: () => (/* binding */ isFull)
/* harmony export */ });
/* unused harmony export removeHalves */
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(3024);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(6760);
/* harmony import */ var node_util__WEBPACK_IMPORTED_MODULE_2__ = __nccwpck_require__(7975);
/* harmony import */ var _random_js__WEBPACK_IMPORTED_MODULE_3__ = __nccwpck_require__(9905);




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
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   n: () => (/* binding */ randomHex),
/* harmony export */   y: () => (/* binding */ lazyCrypto)
/* harmony export */ });
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(3024);

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
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
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

/***/ 6861:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {


// EXPORTS
__nccwpck_require__.d(__webpack_exports__, {
  e: () => (/* binding */ actionDir),
  i: () => (/* binding */ main)
});

// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __nccwpck_require__(3024);
// EXTERNAL MODULE: external "node:os"
var external_node_os_ = __nccwpck_require__(8161);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __nccwpck_require__(6760);
// EXTERNAL MODULE: ./build/evidence/manifest.js
var evidence_manifest = __nccwpck_require__(6191);
// EXTERNAL MODULE: ./build/lib/files.js
var files = __nccwpck_require__(3963);
// EXTERNAL MODULE: ./build/lib/text.js
var lib_text = __nccwpck_require__(4869);
// EXTERNAL MODULE: ./build/evidence/vocabulary.js
var vocabulary = __nccwpck_require__(6534);
// EXTERNAL MODULE: ./build/report/rich.js
var rich = __nccwpck_require__(6781);
;// CONCATENATED MODULE: ./build/memory/document.js


const MEMORY_SCHEMA = 'oom-autopsy.memory.v1';
const MOST_OWNERS = 10;
const whoIs = (process) => process.rank !== null
    ? `rank ${process.rank}`
    : (0,rich/* shorten */.ml)((process.identity?.launcher === 'ray' && process.identity.name) || (process.program ?? 'process'), 60);
function censusOf(process) {
    const last = process.ooms.at(-1)?.census ?? null;
    if (process.end?.oom && last)
        return { seen: 'at out-of-memory', census: last };
    return process.census ? { seen: 'at exit', census: process.census } : null;
}
function categoriesOf({ categories }) {
    const rows = vocabulary/* CATEGORY_NAMES */.ku.flatMap((name) => {
        const category = categories[name];
        if (!category)
            return [];
        const owners = category.owners
            .slice(0, MOST_OWNERS)
            .map(({ name: who, bytes }) => ({ name: who, bytes }));
        return [[name, { bytes: category.bytes, owners }]];
    });
    return Object.fromEntries(rows);
}
function rowOf(process, device) {
    const { peak_allocated, peak_reserved } = device;
    if (peak_allocated === null || peak_reserved === null)
        return null;
    const found = censusOf(process);
    const row = found?.census.devices.find(({ index }) => index === device.index);
    return {
        who: whoIs(process),
        device: device.index,
        device_name: device.name,
        device_total: device.total,
        processes: 1,
        peak_allocated,
        peak_reserved,
        final: process.end !== null,
        seen: row ? (found?.seen ?? null) : null,
        allocated: row?.allocated ?? null,
        categories: row ? categoriesOf(row) : null,
    };
}
const atOoms = (process) => process.ooms.flatMap((oom) => oom.device === null ? [] : [{ ...oom, index: oom.device, name: null, total: oom.device_total }]);
const order = ({ who, device }) => `${who}, ${device}`.replace(/\d+/g, (digits) => digits.padStart(12, '0'));
function memoryRows(manifest) {
    const rows = new Map();
    for (const process of manifest.processes) {
        const mine = new Map();
        for (const device of [...atOoms(process), ...process.devices]) {
            const row = rowOf(process, device);
            const before = mine.get(device.index);
            if (row !== null && (!before || row.peak_allocated >= before.peak_allocated))
                mine.set(device.index, row);
        }
        for (const row of mine.values()) {
            const key = `${row.who}\0${row.device}`;
            const other = rows.get(key);
            const larger = other && other.peak_allocated >= row.peak_allocated ? other : row;
            rows.set(key, {
                ...larger,
                processes: (other?.processes ?? 0) + 1,
                final: row.final && (other?.final ?? true),
            });
        }
    }
    return [...rows.values()].sort((a, b) => (order(a) < order(b) ? -1 : 1));
}
const largest = (rows, figure = 'peak_allocated') => rows.reduce((best, row) => (best && best[figure] >= row[figure] ? best : row), null);
function settingsOf({ processes }, rows) {
    const used = processes.filter(({ devices, ooms }) => devices.length + ooms.length > 0);
    const first = used[0];
    const sizes = used.map(({ identity, rank_variables }) => Number(identity?.size ?? rank_variables.WORLD_SIZE ?? Number.NaN));
    return {
        devices: [...new Set(rows.map((row) => row.device_name ?? 'unknown'))].sort().slice(0, 64),
        world_size: sizes.find(Number.isSafeInteger) ?? null,
        torch: first?.torch ?? null,
        backend: first?.build?.backend ?? null,
        alloc_conf: first?.build?.alloc_conf ?? null,
    };
}
function memoryOf(manifest) {
    const rows = memoryRows(manifest);
    return {
        schema: MEMORY_SCHEMA,
        created: manifest.created,
        action: manifest.action,
        sha: manifest.runner.sha,
        verdict: manifest.verdict.name,
        settings: settingsOf(manifest, rows),
        rows: [...rows],
    };
}
const memoryText = (memory) => `${JSON.stringify(memory, null, 1)}\n`;
function benchmarkEntries({ rows }) {
    return rows.flatMap((row) => {
        const where = `${row.who}, cuda:${row.device}`;
        const held = vocabulary/* CATEGORY_NAMES */.ku.flatMap((name) => {
            const category = row.categories?.[name];
            return category ? [[`${name} ${row.seen}`, category.bytes]] : [];
        });
        const all = [
            ['peak allocated', row.peak_allocated],
            ['peak reserved', row.peak_reserved],
            ...held,
        ];
        return all.map(([name, value]) => ({ name: `${where}: ${name}`, unit: 'bytes', value }));
    });
}
const benchmarkText = (memory) => `${JSON.stringify(benchmarkEntries(memory), null, 2)}\n`;

// EXTERNAL MODULE: ./build/report/annotations.js
var annotations = __nccwpck_require__(6241);
;// CONCATENATED MODULE: ./build/report/guide.js
function guideUrl(env) {
    const { GITHUB_ACTION_REPOSITORY: repository, GITHUB_ACTION_REF: ref } = env;
    const server = (env['GITHUB_SERVER_URL'] || 'https://github.com').replace(/\/+$/, '');
    return repository && ref && /^[\w.-]+\/[\w.-]+$/.test(repository)
        ? `${server}/${repository}/blob/${encodeURIComponent(ref)}/docs/reading-a-snapshot.md`
        : null;
}
const GUIDE_URL = guideUrl(process.env);

// EXTERNAL MODULE: ./build/judge/outside.js
var outside = __nccwpck_require__(2455);
// EXTERNAL MODULE: ./build/judge/verdicts.js
var verdicts = __nccwpck_require__(6344);
;// CONCATENATED MODULE: ./build/report/blocks.js
const bytesOf = (text) => Buffer.byteLength(text, 'utf8');
const plainBlock = (weight, text) => ({
    weight,
    open: text,
    rows: [],
    close: () => '',
});
function withinBudget(blocks, budget) {
    const kept = blocks.map((block) => ({ block, rows: block.rows.length, whole: true }));
    let size = 0;
    for (const { block, rows } of kept) {
        size += bytesOf(block.open) + bytesOf(block.close(0));
        for (let i = 0; i < rows; i++)
            size += bytesOf(block.rows[i]);
    }
    for (const entry of [...kept].sort((a, b) => a.block.weight - b.block.weight)) {
        if (size <= budget)
            break;
        const { block } = entry;
        size += bytesOf(block.close(block.rows.length)) - bytesOf(block.close(0));
        while (entry.rows > 0 && size > budget) {
            entry.rows -= 1;
            size -= bytesOf(block.rows[entry.rows]);
        }
        if (size > budget) {
            entry.whole = false;
            size -= bytesOf(block.open) + bytesOf(block.close(block.rows.length));
        }
    }
    return kept
        .filter((entry) => entry.whole)
        .map(({ block, rows }) => block.open + block.rows.slice(0, rows).join('') + block.close(block.rows.length - rows))
        .join('');
}

;// CONCATENATED MODULE: ./build/report/markdown.js

const JOINER = '\u2060';
const oneLine = (text) => text
    .toWellFormed()
    .replace(/[\t\r\n]+/g, ' ')
    .replace(rich/* INVISIBLE */.kH, '');
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
const row = (cells) => `| ${cells.map((cell) => linesOf(cell).map(markdown).map(rich/* unbroken */.D_).join('<br>')).join(' | ')} |\n`;
const tableHead = (names, aligns = []) => `| ${names.map(escapeText).join(' | ')} |\n| ${names.map((_, i) => (aligns[i] === 'right' ? '---:' : ':---')).join(' | ')} |\n`;
const shellWord = (text) => /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${oneLine(text).replace(/'/g, `'\\''`)}'`;

// EXTERNAL MODULE: ./build/report/story.js
var report_story = __nccwpck_require__(7234);
// EXTERNAL MODULE: ./build/report/words/verdict.js
var verdict = __nccwpck_require__(6668);
// EXTERNAL MODULE: ./build/lib/bytes.js
var lib_bytes = __nccwpck_require__(9079);
// EXTERNAL MODULE: ./build/report/words/snapshot.js
var snapshot = __nccwpck_require__(6421);
// EXTERNAL MODULE: ./build/report/words/words.js
var words_words = __nccwpck_require__(2072);
;// CONCATENATED MODULE: ./build/report/summary/kit.js

const MOST = {
    processes: 40,
    snapshots: 24,
    cycles: 8,
    migration: 24,
    rejected: 10,
    leftOut: 24,
    stack: 30,
    lines: 12,
    notes: 3,
};
const paragraph = (rich) => `${markdown(rich)}\n\n`;
const heading = (words) => `**${escapeText(words)}**\n\n`;
function folded(weight, title, inside, open = false) {
    return {
        weight,
        open: `<details${open ? ' open' : ''}><summary>${inlineHtml(title)}</summary>\n\n${inside.open}`,
        rows: inside.rows,
        close: (dropped) => `${inside.close(dropped)}\n</details>\n\n`,
    };
}
const moreRows = (hidden) => (dropped) => hidden + dropped === 0 ? '' : `\nand ${hidden + dropped} more, in the report and in manifest.json.\n`;
function fenced(lines, language = 'text') {
    const clean = lines.map((line) => line.toWellFormed().replace(/[\r\n]+/g, ' '));
    const longest = Math.max(2, ...clean.flatMap((line) => (line.match(/`+/g) ?? []).map((run) => run.length)));
    const fence = '`'.repeat(longest + 1);
    return `${fence}${language}\n${clean.join('\n')}\n${fence}\n`;
}

;// CONCATENATED MODULE: ./build/report/summary/evidence.js









function orderedSnapshots(manifest) {
    const failed = new Map((0,report_story/* fatalStories */.Yq)(manifest).map((story, index) => [`${story.process.host}.${story.process.pid}`, index]));
    const order = (s) => failed.get(`${s.host}.${s.pid}`) ?? failed.size;
    return [...manifest.snapshots].sort((a, b) => order(a) - order(b));
}
const leftOutFile = (manifest, file) => manifest.published.left_out.find((left) => left.file === file);
function snapshotsBlock(manifest) {
    const snapshots = orderedSnapshots(manifest);
    if (snapshots.length === 0)
        return null;
    const many = new Set(snapshots.map((s) => s.host)).size > 1;
    const shown = snapshots.slice(0, MOST.snapshots);
    const rows = shown.map((s) => {
        const left = leftOutFile(manifest, s.file);
        const size = (0,rich/* say */.cv) `${(0,lib_bytes/* formatBytes */.z)(s.bytes)}${s.bytes > snapshot/* LARGE_SNAPSHOT */.jV ? ' ⚠' : null}${left ? (0,rich/* say */.cv) ` · not in the artifact: ${(0,rich/* shorten */.ml)(left.reason, 80)}` : null}`;
        return row([
            [s.rank === null ? (0,words_words/* snapshotOwner */.uq)(s) : String(s.rank)],
            ...(many ? [[(0,words_words/* name */.UU)(s.host, 40)]] : []),
            [(0,snapshot/* takenWords */.Nk)(manifest, s)],
            size,
            [(0,snapshot/* historyWords */.mw)(s)],
            [(0,words_words/* name */.UU)(s.digest.replace(/^sha256:/, '').slice(0, 12))],
        ]);
    });
    const ranks = snapshots.some((s) => s.rank !== null);
    const names = [
        ranks ? 'rank' : 'process',
        ...(many ? ['host'] : []),
        'taken',
        'size',
        'history',
        'sha256 of the file',
    ];
    const aligns = names.map((n) => (n === 'size' ? 'right' : 'left'));
    return folded(85, (0,rich/* say */.cv) `${(0,lib_text/* count */.U9)(snapshots.length, 'snapshot')}: what each shows, and which view to open`, {
        open: tableHead(names, aligns),
        rows,
        close: (dropped) => `${moreRows(snapshots.length - shown.length)(dropped)}\n${readingLines(manifest)}`,
    });
}
function whereBlock(manifest, links) {
    const { published, snapshots } = manifest;
    const none = snapshots.length === 0;
    if (none && published.state !== 'uploaded' && published.state !== 'failed')
        return null;
    const report = links.reportUrl === null ? null : (0,rich/* link */.nf)(['open the report'], links.reportUrl);
    const parts = [[(0,rich/* strong */.ko)(none ? 'Evidence' : 'Snapshots')]];
    if (links.artifactName !== null) {
        parts.push((0,rich/* say */.cv) `artifact ${links.artifactUrl === null ? (0,words_words/* name */.UU)(links.artifactName) : (0,rich/* link */.nf)([links.artifactName], links.artifactUrl)}`);
    }
    if (report)
        parts.push([report]);
    const line = none && parts.length === 1 ? '' : paragraph((0,rich/* joinRich */.Rz)(parts, ' · '));
    if (published.state === 'uploaded')
        return plainBlock(86, line);
    if (published.state === 'planned')
        return plainBlock(86, line + paragraph((0,rich/* say */.cv) `${(0,rich/* strong */.ko)('Upload under way')}: if it was ended, the post step goes on.`));
    const kept = links.evidenceDir === null ? null : (0,rich/* say */.cv) ` The files are on the runner in ${(0,words_words/* name */.UU)(links.evidenceDir, 200)}.`;
    const why = (0,rich/* shorten */.ml)(published.reason ?? 'no reason given', 300);
    return plainBlock(86, line + paragraph((0,rich/* say */.cv) `${(0,rich/* strong */.ko)('Not uploaded')}: ${why}.${kept}`));
}
function readingLines(manifest) {
    const backward = manifest.snapshots.some((s) => s.stacks === 'python');
    const large = manifest.snapshots.some((s) => s.bytes > snapshot/* LARGE_SNAPSHOT */.jV);
    const lines = [
        (0,rich/* say */.cv) `${(0,rich/* strong */.ko)('Flamegraph')}: what was alive at the peak. ${(0,rich/* strong */.ko)('Trace view')}: what was allocated right before the failure. A block's stack says where it was allocated, not which operation uses it now.${backward ? ' Blocks allocated in backward carry no Python frames.' : null}`,
    ];
    if (large) {
        lines.push((0,rich/* say */.cv) `⚠ Over ${(0,lib_bytes/* formatBytes */.z)(snapshot/* LARGE_SNAPSHOT */.jV)} the viewer in the browser may freeze or end its tab: SnapViewer and MemSnapDump slice such files; a smaller ${(0,rich/* strong */.ko)('max-entries')} makes the next one smaller.`);
    }
    return lines.map(paragraph).join('');
}
function checkBlock(manifest, links) {
    if (manifest.snapshots.length === 0)
        return null;
    const { run_id: run, repository } = manifest.runner;
    const commands = [];
    if (links.artifactName !== null && run !== null) {
        const repo = repository === null ? '' : ` -R ${shellWord(repository)}`;
        commands.push(`gh run download ${shellWord(run)}${repo} -n ${shellWord(links.artifactName)} -D autopsy`);
        commands.push('(cd autopsy && sha256sum -c SHA256SUMS)');
    }
    const zip = links.artifactDigest === null
        ? null
        : (0,rich/* say */.cv) `The artifact's own digest is of the zip: ${(0,words_words/* name */.UU)(links.artifactDigest.replace(/^sha256:/, ''))}.`;
    const guide = links.guideUrl == null ? null : (0,rich/* say */.cv) `More in the ${(0,rich/* link */.nf)(['reading guide'], links.guideUrl)}.`;
    const text = (0,rich/* joinRich */.Rz)([
        (0,rich/* say */.cv) `Then drop the file on ${(0,words_words/* name */.UU)('pytorch.org/memory_viz')}: it stays on your machine. Never ${(0,words_words/* name */.UU)('pickle.load')} a snapshot that you did not make.`,
        zip,
        guide,
    ]);
    const sums = orderedSnapshots(manifest)
        .slice(0, MOST.snapshots)
        .map((s) => `${s.digest.replace(/^sha256:/, '')}  ${s.file}`);
    const unsaid = manifest.snapshots.length - sums.length;
    const opening = commands.length === 0 ? '' : fenced(commands, 'sh');
    return folded(70, ['Download it, check its digest, open it'], {
        open: `${opening}\n${markdown(text)}\n\n\`\`\`text\n`,
        rows: sums.map((line) => `${line}\n`),
        close: (dropped) => `${unsaid + dropped === 0 ? '' : `… ${unsaid + dropped} more in SHA256SUMS\n`}\`\`\`\n`,
    });
}
function leftOutBlock(manifest, links) {
    const left = manifest.published.left_out;
    if (left.length === 0)
        return null;
    const rows = left
        .slice(0, MOST.leftOut)
        .map((file) => row([
        [(0,words_words/* name */.UU)(file.file, 120)],
        [(0,lib_bytes/* formatBytes */.z)(file.bytes)],
        [(0,rich/* shorten */.ml)(file.reason, 120)],
        [(0,words_words/* name */.UU)(file.digest.replace(/^sha256:/, ''))],
    ]));
    const at = links.evidenceDir === null ? null : (0,rich/* say */.cv) ` in ${(0,words_words/* name */.UU)(links.evidenceDir, 200)}`;
    const whole = !left.some(({ reason }) => /^(changed|vanished) /.test(reason));
    const kept = whole ? ', kept on the runner' : ' as they were collected';
    return folded(40, (0,rich/* say */.cv) `${(0,lib_text/* count */.U9)(left.length, 'file')} not in the artifact${kept}`, {
        open: `${at === null ? '' : paragraph((0,rich/* say */.cv) `${whole ? 'They are' : 'What is left of them is'}${at}.`)}${tableHead(['file', 'size', 'why', 'sha256'], ['left', 'right'])}`,
        rows,
        close: moreRows(left.length - rows.length),
    });
}

// EXTERNAL MODULE: ./build/lib/amount.js
var amount = __nccwpck_require__(6078);
;// CONCATENATED MODULE: ./build/memory/compare.js


const grown = ({ before, after }) => after - before;
const SETTING_WORDS = {
    devices: 'GPU',
    world_size: 'number of ranks',
    torch: 'torch',
    backend: 'allocator',
    alloc_conf: 'PYTORCH_CUDA_ALLOC_CONF',
};
const shown = (value) => value === null ? 'none' : Array.isArray(value) ? value.join(', ') : String(value);
function settingDifferences(then, now) {
    return Object.keys(SETTING_WORDS).flatMap((key) => shown(then[key]) === shown(now[key])
        ? []
        : [`${SETTING_WORDS[key]} ${shown(now[key])}, was ${shown(then[key])}`]);
}
const keyOf = ({ who, device }) => `${who}\0${device}`;
function grewMost(then, now) {
    let most = null;
    const consider = (category, owner, bytes) => {
        if (bytes > (most?.bytes ?? 0))
            most = { category, owner, bytes };
    };
    for (const [name, category] of Object.entries(now.categories ?? {})) {
        const before = then.categories?.[name];
        if (!category || !before)
            continue;
        const more = category.bytes - before.bytes;
        const known = new Map(before.owners.map((owner) => [owner.name, owner.bytes]));
        const whole = before.owners.reduce((sum, owner) => sum + owner.bytes, 0) >= before.bytes;
        const [top] = category.owners
            .filter((owner) => whole || known.has(owner.name))
            .map((owner) => ({ name: owner.name, bytes: owner.bytes - (known.get(owner.name) ?? 0) }))
            .sort((a, b) => b.bytes - a.bytes);
        const owner = top && top.bytes * 2 > more ? top.name : null;
        consider(name, owner, more);
    }
    return most;
}
function compare(then, now) {
    const differences = settingDifferences(then.settings, now.settings);
    const [before, after] = [largest(then.rows), largest(now.rows)];
    if (before === null)
        return { state: 'not-comparable', differences: ['the baseline holds no peak', ...differences] };
    if (after === null)
        return { state: 'not-comparable', differences: ['this step used no GPU', ...differences] };
    if (differences.length > 0)
        return { state: 'not-comparable', differences };
    const old = new Map(then.rows.map((row) => [keyOf(row), row]));
    const rows = now.rows.flatMap((row) => {
        const was = old.get(keyOf(row));
        if (!was)
            return [];
        const names = Object.keys(row.categories ?? {});
        const categories = names.flatMap((name) => {
            const [b, a] = [was.categories?.[name], row.categories?.[name]];
            return b && a ? [[name, { before: b.bytes, after: a.bytes }]] : [];
        });
        return [
            {
                who: row.who,
                device: row.device,
                peak: { before: was.peak_allocated, after: row.peak_allocated },
                categories: Object.fromEntries(categories),
                grew: grewMost(was, row),
            },
        ];
    });
    const named = new Set(now.rows.map(keyOf));
    const words = (row) => `${row.who}, cuda:${row.device}`;
    return {
        state: 'compared',
        peak: { before: before.peak_allocated, after: after.peak_allocated },
        rows: rows.sort((a, b) => grown(b.peak) - grown(a.peak)),
        gone: then.rows.filter((row) => !named.has(keyOf(row))).map(words),
        added: now.rows.filter((row) => !old.has(keyOf(row))).map(words),
    };
}
const grewTooMuch = ({ peak }, most) => grown(peak) > ((0,amount/* bytesOfAmount */.XN)(most, peak.before) ?? Number.POSITIVE_INFINITY);
const overBudget = (rows, budget) => rows.filter((row) => row.peak_allocated > ((0,amount/* bytesOfAmount */.XN)(budget, row.device_total) ?? Number.POSITIVE_INFINITY));

;// CONCATENATED MODULE: ./build/judge/budget.js



const baselineAccount = (baseline, now) => baseline.state === 'read' ? { ...compare(baseline.memory, now), sha: baseline.memory.sha } : baseline;
const where = ({ who, device }) => `${who} on cuda:${device}`;
function changeWords(change) {
    const more = grown(change);
    if (more === 0)
        return 'as much';
    const percent = change.before > 0 ? (100 * Math.abs(more)) / change.before : null;
    const share = percent === null
        ? ''
        : ` (${percent < 0.1 ? 'below 0.1' : percent < 10 ? percent.toFixed(1) : Math.round(percent)} %)`;
    return `${(0,lib_bytes/* formatBytes */.z)(Math.abs(more))}${share} ${more > 0 ? 'more' : 'less'}`;
}
function holderWords({ categories, seen }) {
    const [top] = Object.entries(categories ?? {})
        .flatMap(([name, category]) => category && category.bytes > 0 && name !== 'unknown' ? [{ name, ...category }] : [])
        .sort((a, b) => b.bytes - a.bytes);
    if (!top)
        return '';
    const [owner] = top.owners;
    const most = owner ? `, ${owner.name} ${(0,lib_bytes/* formatBytes */.z)(owner.bytes)} of that` : '';
    return `. Most ${seen}: ${top.name} ${(0,lib_bytes/* formatBytes */.z)(top.bytes)}${most}`;
}
function budgetFinding(rows, budget) {
    const over = [...overBudget(rows, budget)].sort((a, b) => b.peak_allocated - a.peak_allocated);
    const [top] = over;
    if (!top)
        return null;
    const others = over.length > 1 ? ` (and ${over.length - 1} more above it)` : '';
    const total = 'share' in budget && top.device_total !== null ? ` of ${(0,lib_bytes/* formatBytes */.z)(top.device_total)}` : '';
    return {
        gate: 'memory-budget',
        level: 'fail',
        message: `The peak of ${where(top)} was ${(0,lib_bytes/* formatBytes */.z)(top.peak_allocated)}, above the memory budget of ${(0,amount/* formatAmount */.ej)(budget)}${total}${others}${holderWords(top)}`,
    };
}
function grewWords(account) {
    if (account.state !== 'compared')
        return null;
    const [row] = account.rows;
    if (!row?.grew || grown(row.peak) <= 0)
        return null;
    const { category, owner, bytes } = row.grew;
    return `${category}${owner === null ? '' : ` of ${owner}`} grew by ${(0,lib_bytes/* formatBytes */.z)(bytes)}`;
}
function growthFinding(account, most) {
    if (account.state !== 'compared' || !grewTooMuch(account, most))
        return null;
    const { before, after } = account.peak;
    const grew = grewWords(account);
    return {
        gate: 'max-growth',
        level: 'fail',
        message: `The peak is ${(0,lib_bytes/* formatBytes */.z)(after)}, ${changeWords(account.peak)} than the baseline's ${(0,lib_bytes/* formatBytes */.z)(before)}; at most ${(0,amount/* formatAmount */.ej)(most)} more is allowed${grew === null ? '' : `. ${grew}`}`,
    };
}
function baselineFinding(account, options) {
    if (account.state === 'compared' || options.ifNoBaseline === 'ignore')
        return null;
    const reason = account.state === 'not-comparable'
        ? `The baseline is not comparable: ${account.differences.join('; ')}`
        : `The baseline could not be used: ${account.reason}`;
    return {
        gate: 'if-no-baseline',
        level: options.ifNoBaseline,
        message: `${reason}. Nothing was compared; \`if-no-baseline\` says what that means`,
    };
}
function judgeBudget(memory, account, options) {
    return [
        options.memoryBudget === null ? null : budgetFinding(memory.rows, options.memoryBudget),
        account === null || options.maxGrowth === null ? null : growthFinding(account, options.maxGrowth),
        account === null ? null : baselineFinding(account, options),
    ].filter((finding) => finding !== null);
}

;// CONCATENATED MODULE: ./build/report/words/memory-change.js




const WORTH_NAMING = 2 ** 20;
function baselineRich({ memory }) {
    const { baseline } = memory;
    if (baseline === null)
        return null;
    if ('reason' in baseline)
        return (0,rich/* say */.cv) `The baseline could not be used: ${baseline.reason}.`;
    const of = baseline.sha === null ? null : (0,rich/* say */.cv) ` (${(0,rich/* code */.aY)(baseline.sha.slice(0, 7))})`;
    if (baseline.state === 'not-comparable')
        return (0,rich/* say */.cv) `Not comparable with the baseline${of}: ${baseline.differences.join('; ')}.`;
    const { before, after } = baseline.peak;
    if (grown(baseline.peak) === 0)
        return (0,rich/* say */.cv) `The peak is that of the baseline${of}, ${(0,lib_bytes/* formatBytes */.z)(after)}.`;
    const grew = Math.abs(grown(baseline.peak)) < WORTH_NAMING ? null : grewWords(baseline);
    const who = grew === null ? null : (0,rich/* say */.cv) `: ${grew}`;
    return (0,rich/* say */.cv) `The peak is ${(0,rich/* strong */.ko)(changeWords(baseline.peak))} than that of the baseline${of}, ${(0,lib_bytes/* formatBytes */.z)(after)} after ${(0,lib_bytes/* formatBytes */.z)(before)}${who}.`;
}

;// CONCATENATED MODULE: ./build/report/summary/memory.js









const MOST_ROWS = 40;
const BUDGET_GATES = new Set(['memory-budget', 'max-growth', 'if-no-baseline']);
function budgetSentences(manifest) {
    const gates = manifest.gates.filter(({ gate }) => BUDGET_GATES.has(gate));
    const said = gates.map(({ message }) => (0,rich/* say */.cv) `${(0,rich/* strong */.ko)(`${message}.`)}`);
    const beside = baselineRich(manifest);
    return beside === null || gates.some(({ gate }) => gate !== 'memory-budget') ? said : [...said, beside];
}
function budgetBlock(manifest) {
    const sentences = budgetSentences(manifest);
    return sentences.length === 0 ? null : plainBlock(99, sentences.map(paragraph).join(''));
}
function baselineBlock({ memory }) {
    const { baseline } = memory;
    if (baseline?.state !== 'compared')
        return null;
    const line = (who, what, change) => row([
        [(0,words_words/* name */.UU)(who, 60)],
        [what],
        [(0,lib_bytes/* formatBytes */.z)(change.before)],
        [(0,lib_bytes/* formatBytes */.z)(change.after)],
        [changeWords(change)],
    ]);
    const rows = baseline.rows.flatMap(({ who, device, peak, categories }) => {
        const where = `${who}, cuda:${device}`;
        const held = vocabulary/* CATEGORY_NAMES */.ku.flatMap((category) => {
            const change = categories[category];
            return change && change.before + change.after > 0 ? [line(where, category, change)] : [];
        });
        return [line(where, 'peak allocated', peak), ...held];
    });
    const only = [
        ...baseline.added.map((who) => `- ${who} is new here\n`),
        ...baseline.gone.map((who) => `- ${who} is in the baseline only\n`),
    ];
    return folded(60, (0,rich/* say */.cv) `Memory beside the baseline: ${changeWords(baseline.peak)}`, {
        open: tableHead(['who', 'what', 'baseline', 'now', 'change'], ['left', 'left', 'right', 'right', 'left']),
        rows: rows.slice(0, MOST_ROWS),
        close: (dropped) => `${moreRows(Math.max(0, rows.length - MOST_ROWS))(dropped)}${only.length > 0 ? `\n${only.slice(0, 10).join('')}` : ''}`,
    });
}

// EXTERNAL MODULE: ./build/job/words.js
var words = __nccwpck_require__(8377);
// EXTERNAL MODULE: ./build/report/cycles.js
var cycles = __nccwpck_require__(9280);
// EXTERNAL MODULE: ./build/report/frames.js
var report_frames = __nccwpck_require__(5385);
// EXTERNAL MODULE: ./build/report/words/memory.js
var memory = __nccwpck_require__(5402);
// EXTERNAL MODULE: ./build/report/words/process.js
var words_process = __nccwpck_require__(3784);
// EXTERNAL MODULE: ./build/report/words/unseen.js
var unseen = __nccwpck_require__(5605);
;// CONCATENATED MODULE: ./build/report/summary/rest.js















function gpuBlock(manifest) {
    const { before = null, after = null, holders = [] } = manifest.gpu ?? {};
    const rowsOf = (when, words) => holders.flatMap((one) => {
        const held = one[when];
        if (held === null || one.whose !== 'stranger')
            return [];
        return row([
            [words],
            [one.device === null ? '' : `GPU ${one.device}`],
            [String(one.pid)],
            one.name === null ? [] : [(0,words_words/* name */.UU)(one.name, 60)],
            [held.used === null ? '' : (0,lib_bytes/* formatBytes */.z)(held.used)],
        ]);
    });
    const rows = [...rowsOf('before', 'before the step'), ...rowsOf('after', 'after it')];
    if (rows.length === 0)
        return null;
    const tool = before?.state === 'seen' ? before.tool : after?.state === 'seen' ? after.tool : '';
    return folded(35, (0,rich/* say */.cv) `Who else was on the GPUs, by ${tool}`, {
        open: tableHead(['when', 'device', 'pid', 'program', 'held'], ['left', 'left', 'right', 'left', 'right']),
        rows: rows.slice(0, MOST.processes),
        close: moreRows(Math.max(0, rows.length - MOST.processes)),
    });
}
function hostBlock({ host }) {
    const use = host?.use;
    if (!use)
        return null;
    const rows = use.owners.map((owner) => row([(0,memory/* hostOwnerRich */.CQ)(owner), [(0,lib_bytes/* formatBytes */.z)(owner.own)], [(0,lib_bytes/* formatBytes */.z)(owner.shared)]]));
    const shm = use.shm === null
        ? ''
        : `\n${markdown((0,rich/* say */.cv) `${(0,rich/* code */.aY)('/dev/shm')} held ${(0,lib_bytes/* formatBytes */.z)(use.shm.used)} of ${(0,lib_bytes/* formatBytes */.z)(use.shm.total)}.`)}\n`;
    return {
        weight: 90,
        open: tableHead(["Who held the host's memory, when most was seen", 'of its own', 'shared'], ['left', 'right', 'right']),
        rows,
        close: () => `${shm}\n`,
    };
}
function cyclesBlock(manifest) {
    if (manifest.cycles.count === 0)
        return null;
    const held = Object.values(manifest.cycles.bytes).reduce((sum, n) => sum + n, 0);
    const all = (0,cycles/* mergedCycles */._)(manifest);
    const rows = all.slice(0, MOST.cycles).map(({ cycle, seen, bytes }) => {
        const types = (0,rich/* joinRich */.Rz)(cycle.types.slice(0, 4).map((t) => (0,rich/* say */.cv) `${(0,words_words/* name */.UU)(t.name, 60)}${t.count > 1 ? ` ×${t.count}` : null}`), ', ');
        const frame = (0,report_frames/* userFrame */.zO)(cycle.frames, manifest.step.workspace) ?? cycle.frames[0];
        return row([
            types,
            [String(seen)],
            [String(cycle.tensors)],
            [(0,lib_bytes/* formatBytes */.z)(bytes)],
            frame ? (0,rich/* say */.cv) `${(0,words_words/* name */.UU)((0,report_frames/* placeOf */.$t)(frame, manifest.step.workspace))} in ${(0,words_words/* name */.UU)(frame.function, 60)}` : [],
        ]);
    });
    const kinds = manifest.cycles.count;
    return folded(45, (0,rich/* say */.cv) `Reference cycles: ${(0,lib_text/* count */.U9)(kinds, 'kind')} held ${(0,lib_text/* count */.U9)(manifest.cycles.tensors, 'GPU tensor')}, ${(0,lib_bytes/* formatBytes */.z)(held)}`, {
        open: tableHead(['types on the cycle', 'seen', 'tensors', 'held', 'its tensors were allocated at'], ['left', 'right', 'right', 'right', 'left']),
        rows,
        close: (dropped) => `${moreRows(Math.max(0, kinds - rows.length))(dropped)}`,
    });
}
function parityBlock(manifest) {
    const { state, reason, result } = manifest.parity;
    if (state === 'off')
        return null;
    const version = (value) => (typeof value === 'string' ? (0,rich/* shorten */.ml)(value, 60) : null);
    const torch = version(result?.environment.torch);
    const facts = [
        torch === null ? null : `torch ${torch}`,
        result?.earlier
            ? 'checked earlier in this job'
            : result?.seconds == null
                ? null
                : `${result.seconds.toFixed(1)} s`,
    ].filter((f) => f !== null);
    const title = (0,rich/* say */.cv) `Parity with the frozen fixture: ${(0,rich/* strong */.ko)(state)}${facts.length === 0 ? null : ` (${facts.join(', ')})`}`;
    const why = reason === null ? null : (0,rich/* say */.cv) `${(0,rich/* shorten */.ml)(reason, 500)}`;
    if (!result)
        return state === 'match'
            ? null
            : folded(44, title, { open: why ? paragraph(why) : '', rows: [], close: () => '' });
    const lines = [
        (0,rich/* say */.cv) `Rebuilt view: ${result.view.status}. Torch's own categorizer: ${result.oracle.status}${result.oracle.reason ? (0,rich/* say */.cv) ` (${result.oracle.reason})` : null}. Migration table: ${result.migration.status}${result.migration.reason ? (0,rich/* say */.cv) ` (${result.migration.reason})` : null}.`,
    ];
    const differences = [
        ...result.view.differences,
        ...result.oracle.differences,
        ...result.migration.differences,
    ];
    const table = result.migration.rows;
    const rows = table
        .slice(0, MOST.migration)
        .map((r) => row([[(0,words_words/* name */.UU)(r.from, 40)], [(0,words_words/* name */.UU)(r.to, 40)], [r.count.toLocaleString('en-US')], [(0,lib_bytes/* formatBytes */.z)(r.bytes)]]));
    const head = rows.length === 0
        ? ''
        : tableHead(["torch's category", 'here', 'tensors', 'bytes'], ['left', 'left', 'right', 'right']);
    const said = result.migration.lines;
    const notes = said
        .slice(0, MOST.notes)
        .map((line) => `- ${escapeText(line)}\n`)
        .join('');
    return folded(state === 'drift' ? 75 : 44, title, {
        open: `${why ? paragraph(why) : ''}${differences
            .slice(0, MOST.lines)
            .map((line) => `- ${escapeText(line)}\n`)
            .join('')}\n${lines.map(paragraph).join('')}${head}`,
        rows,
        close: (dropped) => `${moreRows(table.length - rows.length)(dropped)}\n${notes}${moreRows(Math.max(0, said.length - MOST.notes))(0)}\n`,
    });
}
function triggerBlock(manifest) {
    const fresh = manifest.parity.result?.trigger?.new ?? [];
    if (fresh.length === 0)
        return null;
    const more = fresh.length > 5 ? ` and ${fresh.length - 5} more` : null;
    return plainBlock(30, paragraph((0,rich/* say */.cv) `${(0,rich/* strong */.ko)('Review trigger')}: ${(0,rich/* joinRich */.Rz)(fresh.slice(0, 5).map((one) => [(0,rich/* shorten */.ml)(one, 120)]), ', ')}${more} in torch is new. Tell the maintainers of this action, who look again at what a snapshot may be read for.`));
}
function processGroups(manifest) {
    const firstFailure = (0,report_story/* fatalStories */.Yq)(manifest)[0]?.process;
    const oneHost = new Set(manifest.processes.map((p) => p.host)).size === 1;
    const groups = new Map();
    for (const process of manifest.processes) {
        const alone = process.rank === null || process === firstFailure || (oneHost && process.oom_count > 0);
        const key = alone
            ? `${process.host}.${process.pid}.${process.token}`
            : [
                process.host,
                process.github_action,
                (0,words_process/* endingWords */.fg)(manifest, process),
                (0,words_process/* disarmWords */.gB)(manifest, process),
                process.program,
            ].join('\n');
        const group = groups.get(key);
        if (group)
            group.push(process);
        else
            groups.set(key, [process]);
    }
    const weight = (p) => (p === firstFailure ? 16 : 0) +
        ((0,report_story/* endingOf */.z6)(manifest, p) === 'oom' ? 8 : 0) +
        (p.oom_count > 0 ? 4 : 0) +
        (['armed-still', 'unproven', 'not-armed'].includes((0,report_story/* disarmOf */.WT)(p)) ? 2 : 0) +
        (p.rank === null ? 0 : 1);
    return [...groups.values()]
        .map((members) => ({ first: members[0], members }))
        .sort((a, b) => weight(b.first) - weight(a.first) || (a.first.rank ?? 0) - (b.first.rank ?? 0));
}
function span(amounts) {
    if (amounts.length === 0)
        return '';
    let [low, high] = [amounts[0], amounts[0]];
    for (const n of amounts) {
        if (n < low)
            low = n;
        if (n > high)
            high = n;
    }
    return low === high ? (0,lib_bytes/* formatBytes */.z)(low) : `${(0,lib_bytes/* formatBytes */.z)(low)} to ${(0,lib_bytes/* formatBytes */.z)(high)}`;
}
function spreadSentence(manifest) {
    const peaks = manifest.processes.flatMap((p) => {
        const peak = (0,report_story/* peakOf */.XC)(p)?.peak_allocated ?? null;
        return p.rank === null || peak === null ? [] : [{ rank: p.rank, peak }];
    });
    const [top, ...others] = [...peaks].sort((a, b) => b.peak - a.peak);
    const [second, last] = [others[0], others.at(-1)];
    if (top === undefined || second === undefined || last === undefined || others.length < 2)
        return null;
    const gap = top.peak - second.peak;
    if (gap <= second.peak - last.peak || gap < top.peak / 100)
        return null;
    return `Rank ${top.rank} peaked at ${(0,lib_bytes/* formatBytes */.z)(top.peak)}; the others at ${span(others.map((o) => o.peak))}.`;
}
function processesBlock(manifest) {
    const { processes } = manifest;
    if (processes.length === 0)
        return null;
    const groups = processGroups(manifest);
    const hosts = new Set(processes.map((p) => p.host)).size > 1;
    const job = manifest.step.scope === 'job';
    const shown = groups.slice(0, MOST.processes);
    const rows = shown.map(({ first, members }) => {
        const ranks = members.flatMap((p) => (p.rank === null ? [] : [p.rank]));
        const peaks = members.map(report_story/* peakOf */.XC).filter((d) => d !== null);
        return row([
            [ranks.length === 0 ? '' : (0,words_words/* rankWords */.cz)(ranks)],
            ...(job ? [[(0,words.stepName)(first, manifest.step.workspace) ?? ''].map((text) => (0,words_words/* name */.UU)(text, 60))] : []),
            ...(hosts ? [[(0,words_words/* name */.UU)(first.host, 40)]] : []),
            [members.length === 1 ? String(first.pid) : `${members.length} processes`],
            first.program === null ? [] : [(0,words_words/* name */.UU)(first.program, 40)],
            [(0,words_process/* endingWords */.fg)(manifest, first)],
            [span(peaks.flatMap((d) => (d.peak_allocated === null ? [] : [d.peak_allocated])))],
            [span(peaks.flatMap((d) => (d.peak_reserved === null ? [] : [d.peak_reserved])))],
            [(0,words_process/* disarmWords */.gB)(manifest, first)],
        ]);
    });
    const names = [
        'rank',
        ...(job ? ['step'] : []),
        ...(hosts ? ['host'] : []),
        'pid',
        'program',
        'ended',
        'peak allocated',
        'peak reserved',
        'disarmed',
    ];
    const rights = new Set(['peak allocated', 'peak reserved']);
    const spread = spreadSentence(manifest);
    const head = tableHead(names, names.map((n) => (rights.has(n) ? 'right' : 'left')));
    return folded(55, processesTitle(manifest), {
        open: `${spread === null ? '' : paragraph([spread])}${head}`,
        rows,
        close: moreRows(groups.length - shown.length),
    });
}
function processesTitle(manifest) {
    const { processes } = manifest;
    const number = (test) => processes.filter(test).length;
    const oom = number(outside/* endedByOom */.LU);
    const sigterm = number((p) => (0,report_story/* endingOf */.z6)(manifest, p) === 'sigterm');
    const disarmed = number((p) => (0,report_story/* disarmOf */.WT)(p) === 'disarmed');
    const open = processes.filter((p) => (0,report_story/* disarmOf */.WT)(p) === 'armed-still');
    const [running, elsewhere] = ['running', 'elsewhere'].map((ending) => open.filter((p) => (0,report_story/* endingOf */.z6)(manifest, p) === ending).length);
    const early = open.length - running - elsewhere;
    const never = number((p) => (0,report_story/* disarmOf */.WT)(p) === 'not-armed');
    const unproven = number((p) => (0,report_story/* disarmOf */.WT)(p) === 'unproven');
    const idle = number((p) => (0,report_story/* disarmOf */.WT)(p) === 'idle');
    const how = [
        oom > 0 ? `${oom} out of memory` : null,
        sigterm > 0 ? `${sigterm} ended by SIGTERM` : null,
    ].filter((x) => x !== null);
    const proof = [
        `recording disarmed in ${disarmed}`,
        running > 0 ? `still armed in ${running} that still ${running === 1 ? 'runs' : 'run'}` : null,
        elsewhere > 0 ? `not seen disarmed in ${elsewhere} under another host name` : null,
        early > 0 ? `ended before disarming in ${early}` : null,
        unproven > 0 ? `not proven off in ${unproven}` : null,
        never > 0 ? `never armed in ${never}` : null,
        idle > 0 ? `no GPU used in ${idle}` : null,
    ].filter((x) => x !== null);
    return [
        `${(0,lib_text/* count */.U9)(processes.length, 'process', 'processes')}${how.length > 0 ? `: ${how.join(', ')}` : ''} · ${proof.join(', ')}`,
    ];
}
function notSeenBlock(manifest) {
    const lines = (0,unseen/* notSeenSentences */.X)(manifest);
    if (lines.length === 0)
        return null;
    const shown = lines.slice(0, MOST.lines);
    return {
        weight: 82,
        open: heading('Not seen'),
        rows: shown.map((line) => `- ${markdown(line)}\n`),
        close: (dropped) => `${moreRows(lines.length - shown.length)(dropped)}\n`,
    };
}
function survivorsBlock(manifest) {
    const list = (all) => {
        const shown = all
            .slice(0, MOST.lines)
            .map((s) => (0,rich/* say */.cv) `pid ${s.pid}${s.program === null ? null : (0,rich/* say */.cv) ` ${(0,words_words/* name */.UU)(s.program, 40)}`}`);
        const hidden = all.length - shown.length;
        return (0,rich/* say */.cv) `${(0,rich/* joinRich */.Rz)(shown, ', ')}${hidden > 0 ? ` and ${hidden} more` : null}`;
    };
    const lines = [];
    const { still_running: running, killed } = manifest;
    if (running.length > 0) {
        lines.push((0,rich/* say */.cv) `${(0,rich/* strong */.ko)('Still running')}: ${list(running)}. Evidence that ${running.length === 1 ? 'it writes' : 'they write'} later is collected at the end of the job.`);
    }
    if (killed.length > 0)
        lines.push((0,rich/* say */.cv) `${(0,rich/* strong */.ko)('Ended by SIGKILL')} after the grace period: ${list(killed)}.`);
    return lines.length === 0 ? null : plainBlock(48, lines.map(paragraph).join(''));
}
function troublesBlock(manifest) {
    const lines = [];
    const reasons = (0,unseen/* rejectedLine */.r)(manifest);
    if (reasons !== null)
        lines.push([(0,rich/* shorten */.ml)(reasons, 1000)]);
    for (const fault of manifest.faults)
        lines.push([(0,rich/* shorten */.ml)(fault, 300)]);
    for (const process of manifest.processes) {
        for (const fault of process.faults)
            lines.push((0,rich/* say */.cv) `${(0,words_words/* processName */.po)(process)}: ${(0,rich/* shorten */.ml)(fault, 300)}`);
        for (const note of process.notes)
            lines.push((0,rich/* say */.cv) `receipt of ${(0,words_words/* processName */.po)(process)}: ${(0,rich/* shorten */.ml)(note, 200)}`);
    }
    for (const rejected of manifest.rejected)
        lines.push((0,rich/* say */.cv) `not accepted as evidence: ${(0,words_words/* name */.UU)(rejected.name)}, ${(0,rich/* shorten */.ml)(rejected.reason, 200)}`);
    if (lines.length === 0)
        return null;
    const total = lines.length + Math.max(0, manifest.rejected_count - manifest.rejected.length);
    const shown = lines.slice(0, MOST.rejected * 2);
    return folded(20, (0,rich/* say */.cv) `${(0,lib_text/* count */.U9)(total, 'remark')} on the recording itself`, {
        open: '',
        rows: shown.map((line) => `- ${markdown(line)}\n`),
        close: moreRows(total - shown.length),
    });
}
function dumpTrouble(manifest) {
    const lines = [];
    for (const process of manifest.processes) {
        const failed = process.ooms.find((oom) => oom.snapshot_error !== null && !oom.snapshot_error.startsWith('removed'));
        if (failed)
            lines.push((0,rich/* say */.cv) `No snapshot of an out-of-memory on ${(0,words_words/* processName */.po)(process)}: ${(0,rich/* shorten */.ml)(failed.snapshot_error ?? '', 300)}`);
    }
    if (lines.length === 0)
        return null;
    const shown = lines.slice(0, MOST.lines);
    return {
        weight: 84,
        open: '',
        rows: shown.map((line) => `- ${markdown(line)}\n`),
        close: (dropped) => `${moreRows(lines.length - shown.length)(dropped)}\n`,
    };
}

// EXTERNAL MODULE: ./build/judge/advice.js
var judge_advice = __nccwpck_require__(9590);
// EXTERNAL MODULE: ./build/judge/hints.js
var judge_hints = __nccwpck_require__(5302);
// EXTERNAL MODULE: ./build/judge/host-advice.js
var host_advice = __nccwpck_require__(7345);
// EXTERNAL MODULE: ./build/judge/outcomes.js
var outcomes = __nccwpck_require__(9995);
// EXTERNAL MODULE: ./build/report/words/headline.js
var headline = __nccwpck_require__(1173);
// EXTERNAL MODULE: ./build/report/words/pools.js
var words_pools = __nccwpck_require__(8574);
;// CONCATENATED MODULE: ./build/report/summary/story.js

















function verdictBlock(manifest) {
    const { icon, title } = (0,headline/* headline */.P)(manifest);
    const advice = (0,host_advice/* hostAdvice */.L)(manifest) ?? (0,judge_advice/* adviceFor */.cp)(manifest)?.text ?? null;
    const [first, ...rest] = (0,verdict/* verdictParagraphs */.Ne)(manifest).map(paragraph);
    const told = advice === null ? '' : `> ${paragraph((0,rich/* say */.cv) `${(0,rich/* strong */.ko)('Do this first')}: ${advice}`)}`;
    return plainBlock(100, `## ${icon} ${escapeText(title)}\n\n${first ?? ''}${told}${rest.join('')}`);
}
function sourceBlock({ source }) {
    if (source === null)
        return null;
    const place = `${source.file}:${source.line}`;
    return plainBlock(95, `${paragraph([(0,rich/* link */.nf)([(0,rich/* code */.aY)(place)], source.url)])}${fenced([source.text], 'python')}\n`);
}
function otherFailures(manifest) {
    const [, ...rest] = (0,report_story/* fatalStories */.Yq)(manifest);
    if (rest.length === 0)
        return null;
    const rows = rest.slice(0, MOST.lines).map((story) => {
        const { frame } = (0,report_story/* tellingStack */.A)(story.oom, manifest.step.workspace);
        const where = frame ? (0,rich/* say */.cv) ` at ${(0,words_words/* name */.UU)((0,report_frames/* placeOf */.$t)(frame, manifest.step.workspace))}` : null;
        const wanted = story.oom.wanted === null ? null : (0,rich/* say */.cv) `, asked for ${(0,lib_bytes/* formatBytes */.z)(story.oom.wanted)}`;
        const test = (0,outcomes/* testName */.UU)(story.oom);
        const who = test === null ? (0,words_words/* processName */.po)(story.process) : (0,rich/* say */.cv) `test ${(0,words_words/* name */.UU)(test)}`;
        return `- ${markdown((0,rich/* say */.cv) `${who} ran out too${where}${wanted}.`)}\n`;
    });
    return {
        weight: 60,
        open: '',
        rows,
        close: (dropped) => `${moreRows(rest.length - rows.length)(dropped)}\n`,
    };
}
function stackLines(stack, workspace) {
    const lines = [];
    for (const group of (0,report_frames/* foldStack */.YI)(stack)) {
        if (group.kind === 'library') {
            lines.push(`… ${(0,lib_text/* count */.U9)(group.frames.length, 'frame')} of ${group.packages.slice(0, 4).join(', ')}`);
            continue;
        }
        for (const frame of group.frames)
            lines.push(`${(0,report_frames/* placeOf */.$t)(frame, workspace)}  ${frame.function}`);
    }
    return lines.map((line) => (0,rich/* shorten */.ml)(line, 200));
}
function stackBlock(manifest, story) {
    const { workspace } = manifest.step;
    const { stack, main } = (0,report_story/* tellingStack */.A)(story.oom, workspace);
    const lines = stackLines(stack, workspace);
    if (lines.length === 0)
        return null;
    const shown = lines.slice(-MOST.stack);
    const own = (0,report_frames/* userFrame */.zO)(stack, workspace) === null
        ? 'no frame of your own code in it'
        : 'your own frames, libraries folded';
    const whose = main
        ? 'main thread while another one failed'
        : story.oom.thread === 'backward'
            ? 'autograd thread'
            : 'innermost last';
    const text = fenced(lines.length > shown.length ? [`… ${lines.length - shown.length} more above`, ...shown] : shown);
    return folded(50, (0,rich/* say */.cv) `Where the program stood: ${own}, ${whose}`, {
        open: text,
        rows: [],
        close: () => '',
    });
}
const SQUARES = {
    parameter: '🟦',
    gradient: '🟩',
    optimizer_state: '🟪',
    activation: '🟧',
    input: '🟨',
    unknown: '🟫',
    allocated: '🟦',
    unused: '🔳',
    others: '🟥',
    outside: '⬛',
    free: '⬜',
};
const PICTURE = 16;
function picture(parts) {
    const whole = parts.reduce((sum, part) => sum + part.bytes, 0);
    if (whole === 0)
        return '';
    const exact = parts.map((part) => (part.bytes / whole) * PICTURE);
    const squares = exact.map(Math.floor);
    const order = exact.map((x, i) => ({ i, left: x - Math.floor(x) })).sort((a, b) => b.left - a.left);
    let open = PICTURE - squares.reduce((sum, n) => sum + n, 0);
    for (const { i } of order) {
        if (open-- <= 0)
            break;
        squares[i] = squares[i] + 1;
    }
    return parts.map((part, i) => SQUARES[part.name].repeat(squares[i])).join('');
}
const MOST_PARTS = 6;
function story_largest(parts) {
    if (parts.length <= MOST_PARTS)
        return parts;
    const order = [...parts].sort((a, b) => Number(a.whole) - Number(b.whole) || b.bytes - a.bytes);
    const kept = new Set(order.slice(0, MOST_PARTS - 1));
    return parts.filter((part) => kept.has(part));
}
function categoriesBlock(manifest, story) {
    const account = (0,report_story/* accountOf */.XP)(manifest, story);
    const census = (0,report_story/* censusOf */.RB)(story.oom.census, story.oom.device);
    const parts = (0,report_story/* partsOf */.CI)(account, story.oom);
    const whole = parts.reduce((sum, part) => sum + part.bytes, 0);
    if (parts.length === 0 || whole === 0)
        return null;
    const title = census ? 'What was alive when it failed' : 'Who held the memory when it failed';
    const shown = story_largest(parts);
    const head = tableHead([title, 'bytes', 'share'], ['left', 'right', 'right']);
    const rows = shown.map((part) => {
        const label = (0,rich/* say */.cv) `${SQUARES[part.name]} ${part.name === 'free' ? ['free'] : (0,memory/* partRich */.q9)(part)}`;
        const owners = (0,memory/* ownersRich */.pP)(part);
        return row([
            { lines: owners.length === 0 ? [label] : [label, owners] },
            [(0,memory/* amount */.vj)(part)],
            [part.bytes === 0 ? '' : (0,memory/* share */.uM)(part.bytes, whole)],
        ]);
    });
    const rest = parts.filter((part) => !shown.includes(part));
    if (rest.length > 0) {
        const each = rest.map((part) => (0,rich/* say */.cv) `${memory/* PART_NAMES */.zK[part.name]} ${(0,memory/* amount */.vj)(part)}`);
        rows.push(row([(0,rich/* say */.cv) `the rest: ${(0,rich/* joinRich */.Rz)(each, '; ')}`, [], []]));
    }
    const whose = (0,words_words/* processName */.po)(story.process);
    const of = account.total === null ? (0,lib_bytes/* formatBytes */.z)(whole) : (0,lib_bytes/* formatBytes */.z)(account.total);
    const notes = [];
    if (census && census.allocated > 0) {
        notes.push((0,rich/* say */.cv) `${(0,memory/* share */.uM)(census.attributed, census.allocated)} of the ${(0,lib_bytes/* formatBytes */.z)(census.allocated)} allocated is attributed to what it was observed to be; ${(0,rich/* strong */.ko)('unknown')} says why it is not.`);
    }
    const pools = (0,words_pools/* poolsRich */.C)(census);
    if (pools !== null)
        notes.push(pools);
    if (story.oom.census?.complete === false) {
        notes.push((0,rich/* say */.cv) `The look was cut short: ${(0,rich/* shorten */.ml)(story.oom.census.cut ?? 'no reason given', 300)}.`);
    }
    return {
        weight: 90,
        open: `<p aria-hidden="true">${picture(parts)}<br><sub>GPU ${story.oom.device ?? 0} of ${entityFree(whose)}, ${of}</sub></p>\n\n${head}`,
        rows,
        close: () => `\n${notes.length === 0 ? '' : paragraph((0,rich/* joinRich */.Rz)(notes))}`,
    };
}
const entityFree = (text) => text.replace(/[^a-z0-9 ]/gi, '');
function hintsBlock(manifest) {
    const hints = (0,judge_hints/* hintsFor */.u)(manifest);
    if (hints.length === 0)
        return null;
    const rows = hints.map((hint) => `- ${markdown(hint.text)}\n`);
    return folded(80, ['What else the numbers suggest'], { open: '', rows, close: () => '' });
}

// EXTERNAL MODULE: ./build/report/timeline.js
var timeline = __nccwpck_require__(7556);
;// CONCATENATED MODULE: ./build/report/summary/timeline.js







const total = (point) => point.bytes.reduce((a, b) => a + b, 0);
function timelineBlock(manifest) {
    const all = (0,timeline/* timelines */.z)(manifest);
    const series = all.flatMap((t) => t.series).sort((a, b) => b.peak - a.peak);
    const [first] = all;
    if (first === undefined)
        return null;
    const steps = all.reduce((most, t) => Math.max(most, t.steps), 0);
    const title = (0,rich/* say */.cv) `Memory by category over ${(0,lib_text/* count */.U9)(steps, 'optimizer step')}`;
    if (series.length === 0) {
        const why = (0,rich/* shorten */.ml)(first.reason ?? first.state, 200);
        return folded(50, title, { open: paragraph((0,rich/* say */.cv) `No timeline: ${why}.`), rows: [], close: () => '' });
    }
    const shown = series.slice(0, MOST.lines);
    const rows = shown.map(({ label, peak, points }) => {
        const fullest = points.reduce((most, point) => (total(point) > total(most) ? point : most));
        const when = `step ${fullest.step}${fullest.phase === '' ? '' : `, ${(0,rich/* shorten */.ml)(fullest.phase, 30)}`}`;
        const peaks = vocabulary/* CATEGORY_NAMES */.ku.map((_, k) => points.reduce((most, point) => Math.max(most, point.bytes[k] ?? 0), 0));
        return row([
            [(0,rich/* shorten */.ml)(label, 60)],
            [`${(0,lib_bytes/* formatBytes */.z)(peak)} (${when})`],
            ...peaks.map((n) => [n === 0 ? '' : (0,lib_bytes/* formatBytes */.z)(n)]),
        ]);
    });
    const names = ['process, device', 'peak of all', ...vocabulary/* CATEGORY_NAMES */.ku];
    const head = tableHead(names, names.map((_, i) => (i === 0 ? 'left' : 'right')));
    return folded(50, title, {
        open: `${paragraph(['The peak of each category by itself: they need not fall on one moment. The chart is in the report.'])}${head}`,
        rows,
        close: moreRows(series.length - shown.length),
    }, true);
}

;// CONCATENATED MODULE: ./build/report/summary/summary.js












const SUMMARY_BUDGET = 900 * 1024;
const COMMENT_BUDGET = 60_000;
function renderSummary(manifest, links, budgetBytes = SUMMARY_BUDGET) {
    const { quiet } = verdicts/* VERDICT_TRAITS */.Es[manifest.verdict.name];
    const story = (0,report_story/* mainStory */.dE)(manifest);
    const some = (...blocks) => blocks.filter((b) => b !== null);
    if (quiet) {
        const rest = some(baselineBlock(manifest), timelineBlock(manifest), notSeenBlock(manifest), whereBlock(manifest, links), snapshotsBlock(manifest), checkBlock(manifest, links), leftOutBlock(manifest, links), cyclesBlock(manifest), manifest.parity.state === 'match' ? null : parityBlock(manifest), triggerBlock(manifest), survivorsBlock(manifest), manifest.processes.some((p) => ['armed-still', 'unproven'].includes((0,report_story/* disarmOf */.WT)(p)))
            ? processesBlock(manifest)
            : null, troublesBlock(manifest));
        const icon = greenIcon(manifest);
        const gates = budgetSentences(manifest);
        const lines = [...(icon === '🔴' ? gates : []), (0,verdict/* greenLine */.IS)(manifest), ...(icon === '🔴' ? [] : gates)];
        const line = `${icon} ${lines.map(markdown).join('\n\n')}\n${rest.length === 0 ? '' : '\n'}`;
        return fitted([plainBlock(100, line), ...rest], budgetBytes);
    }
    return fitted(some(verdictBlock(manifest), sourceBlock(manifest), budgetBlock(manifest), hostBlock(manifest), story ? categoriesBlock(manifest, story) : null, otherFailures(manifest), whereBlock(manifest, links), dumpTrouble(manifest), notSeenBlock(manifest), story && story.oom.stack.length > 0 ? stackBlock(manifest, story) : null, hintsBlock(manifest), snapshotsBlock(manifest), checkBlock(manifest, links), leftOutBlock(manifest, links), gpuBlock(manifest), cyclesBlock(manifest), parityBlock(manifest), triggerBlock(manifest), baselineBlock(manifest), timelineBlock(manifest), processesBlock(manifest), survivorsBlock(manifest), troublesBlock(manifest)), budgetBytes);
}
function greenIcon(manifest) {
    if (manifest.gates.some((gate) => gate.level === 'fail'))
        return '🔴';
    if (manifest.gates.length > 0 || (0,verdict/* notArmed */.to)(manifest).length > 0 || manifest.unarmed.length > 0)
        return '🟡';
    if ((0,verdict/* hostKillsRich */.Qo)(manifest) !== null || (0,outside/* outsideOoms */.Qk)(manifest.processes).maybe.length > 0)
        return '🟡';
    return manifest.processes.length === 0 ? '⚪' : '✅';
}
const fitted = (blocks, budget) => {
    const text = withinBudget(blocks, budget - 1).trimEnd();
    return bytesOf(text) < budget ? `${text}\n` : '';
};

// EXTERNAL MODULE: ./build/runner/runner.js
var runner_runner = __nccwpck_require__(3281);
;// CONCATENATED MODULE: ./build/runner/outputs.js


const OUTPUT_NAMES = [
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
];
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
        const file = (0,runner_runner/* openFile */.Tq)(path);
        try {
            const names = new Set([...valuesIn((0,external_node_fs_.readFileSync)(file, 'utf8')).keys()].map((name) => name.toLowerCase()));
            return OUTPUT_NAMES.filter((name) => names.has(name));
        }
        finally {
            (0,external_node_fs_.closeSync)(file);
        }
    }
    catch {
        return [];
    }
}

// EXTERNAL MODULE: ./build/state.js
var state = __nccwpck_require__(8801);
// EXTERNAL MODULE: ./build/evidence/safe-fs.js
var safe_fs = __nccwpck_require__(9531);
;// CONCATENATED MODULE: ./build/deliver/cleanup.js



const fileKey = ({ file, digest }) => `${file} ${digest}`;
const filesOf = ({ receipts, snapshots }) => [...receipts, ...snapshots];
function cleanup_heldFiles({ files, snapshots, published }) {
    if (published.state !== 'uploaded')
        return [];
    const left = new Set(published.left_out.map(({ file }) => file));
    return [...files, ...snapshots].filter(({ file }) => !left.has(file));
}
function isSpent(evidence, accounts) {
    const held = new Set(accounts.flatMap(cleanup_heldFiles).map(fileKey));
    return (held.size > 0 &&
        evidence.rejectedCount === 0 &&
        accounts.every(({ published }) => published.left_out.length === 0) &&
        filesOf(evidence).every((file) => held.has(fileKey(file))));
}
async function removeSpent(evidence) {
    const seals = new Map(filesOf(evidence).map(({ file, seal }) => [file, seal]));
    try {
        const folder = await (0,safe_fs/* openFolder */.NE)(evidence.dir);
        try {
            const same = async (name) => {
                const seal = seals.get(name);
                const now = await external_node_fs_.promises.lstat((0,external_node_path_.join)(folder.path, name), { bigint: true }).catch(() => null);
                return seal !== undefined && now !== null && (0,safe_fs/* sameSeal */.EW)((0,safe_fs/* sealOf */.Ru)(now), seal);
            };
            for await (const { name } of await external_node_fs_.promises.opendir(folder.path, { bufferSize: 1024 })) {
                if (!(await same(name)))
                    return false;
            }
            for (const name of seals.keys()) {
                if (await same(name))
                    await external_node_fs_.promises.unlink((0,external_node_path_.join)(folder.path, name));
            }
        }
        finally {
            await folder.close();
        }
        await external_node_fs_.promises.rmdir(evidence.dir);
        return true;
    }
    catch (error) {
        return (0,safe_fs/* errorCode */.CA)(error) === 'ENOENT';
    }
}

;// CONCATENATED MODULE: ./build/deliver/publishing.js







const PUBLISH_DEADLINE_MS = 10 * 60_000;
const PUBLISH_AFTER_CANCEL_MS = 120_000;
const REPORT_DEADLINE_MS = 60_000;
const PUBLISH_TIMEOUT_VARIABLE = 'OOM_AUTOPSY_PUBLISH_TIMEOUT';
function publishDeadline(env, hurried) {
    const own = Number(env[PUBLISH_TIMEOUT_VARIABLE]);
    const usual = own >= 1 && own <= 86_400 ? own * 1000 : PUBLISH_DEADLINE_MS;
    return hurried ? Math.min(usual, PUBLISH_AFTER_CANCEL_MS) : usual;
}
const worthKeeping = (evidence, verdict, gates) => evidence.snapshots.length > 0 ||
    evidence.receipts.some(({ cycles, timeline }) => (cycles?.count ?? 0) > 0 || timeline !== null) ||
    (evidence.receipts.length > 0 && !verdicts/* VERDICT_TRAITS */.Es[verdict].quiet) ||
    hasFailingGate(gates);
const toUpload = ({ options }, evidence, account) => options.upload && worthKeeping(evidence, account.verdict.name, account.gates);
const uploadSettings = (ended) => ({
    name: ended.plan.options.artifactName,
    retentionDays: ended.plan.options.retentionDays === 0 ? null : ended.plan.options.retentionDays,
    compressionLevel: ended.plan.options.compressionLevel,
    maxUploadBytes: ended.plan.options.maxUploadSize,
    scratch: ended.plan.outputDir,
    worker: (0,external_node_path_.join)(ended.actionDir, 'dist', 'upload', 'index.js'),
    env: ended.env,
    makeRoom: ended.makeRoom,
    onMask: (line) => void process.stdout.write(`${line}\n`),
});
async function publishEvidence(ended, evidence, account, log) {
    const { plan } = ended;
    if (!worthKeeping(evidence, account.verdict.name, account.gates))
        return { state: 'skipped', reason: 'there is no evidence to keep' };
    if (!plan.options.upload)
        return { state: 'skipped', reason: '`upload` is false' };
    log(`publishing ${(0,lib_text/* count */.U9)(evidence.snapshots.length, 'snapshot')} as artifact ${plan.options.artifactName} …`);
    const { publish } = await __nccwpck_require__.e(/* import() */ 962).then(__nccwpck_require__.bind(__nccwpck_require__, 5962));
    return publish({
        ...uploadSettings(ended),
        ...documentsOf(account),
        evidence,
        deadlineMs: publishDeadline(ended.env, ended.hurried ?? account.step.cancelled),
        log,
        ...(ended.cancel ? { signal: ended.cancel.overdue } : {}),
    });
}
const NOT_YET = { state: 'planned', reason: null, artifact: null, left_out: [] };
const documentsOf = (account) => ({
    memory: memoryText(memoryOf(account)),
    manifest: ({ name, leftOut }) => (0,evidence_manifest/* manifestText */.$2)({
        ...account,
        published: {
            ...NOT_YET,
            artifact: { name, id: null, url: null, digest: null, size: null },
            left_out: leftOut,
        },
    }),
});
const hasFailingGate = (gates) => gates.some((finding) => finding.level === 'fail' && finding.gate !== 'if-no-torch');
function manifestPublished(published) {
    switch (published.state) {
        case 'uploaded':
            return {
                state: 'uploaded',
                reason: null,
                artifact: {
                    name: published.name,
                    id: published.id,
                    url: published.url,
                    digest: published.digest,
                    size: published.size,
                },
                left_out: published.notUploaded,
            };
        case 'skipped':
            return { state: 'skipped', reason: published.reason, artifact: null, left_out: [] };
        case 'failed':
            return { state: 'failed', reason: published.reason, artifact: null, left_out: [] };
    }
}
function publishedOf(account) {
    const { state, artifact, left_out } = account.published;
    if (state !== 'uploaded' || artifact === null || artifact.id === null)
        return null;
    const files = heldFiles(account).map(({ file, bytes, digest }) => ({ file, bytes, digest }));
    return {
        state,
        ...artifact,
        id: artifact.id,
        files,
        notUploaded: left_out,
        changed: [],
        seconds: 0,
        complete: left_out.length === 0 && account.rejected_count === 0,
    };
}
async function reportOf(ended, evidence, manifest, published, log) {
    if (published.state !== 'uploaded' || ended.late)
        return null;
    const { publishReport } = await Promise.all(/* import() */[__nccwpck_require__.e(962), __nccwpck_require__.e(683)]).then(__nccwpck_require__.bind(__nccwpck_require__, 3683));
    const { retentionDays, worker, env, makeRoom, onMask } = uploadSettings(ended);
    return publishReport({
        ...{ evidence, manifest, retentionDays, worker, env, makeRoom, onMask, log },
        artifactName: published.name,
        outputDir: ended.plan.outputDir,
        guideUrl: GUIDE_URL,
        deadlineMs: REPORT_DEADLINE_MS,
        ...(ended.cancel ? { signal: ended.cancel.overdue } : {}),
    });
}

;// CONCATENATED MODULE: ./build/deliver/deliver.js













const CUT_REASON = 'the job was cancelled before the upload was done; the post step tries again';
const MANIFEST = 'manifest.json';
const MEMORY = 'memory.json';
const BENCHMARK = 'memory-benchmark.json';
const SUMMARY = 'summary.md';
const LATE_MANIFEST = 'manifest-late.json';
const TOLD = 'told';
const LIST_BYTES = 32 * 1024;
function boundedList(list) {
    const texts = [];
    let left = LIST_BYTES - 2;
    for (const item of list) {
        const text = JSON.stringify(item);
        left -= Buffer.byteLength(text) + 1;
        if (left < 0)
            break;
        texts.push(text);
    }
    return `[${texts.join(',')}]`;
}
const factsOf = (account, evidenceDir) => ({
    'exit-code': account.step.exit_code ?? 1,
    verdict: account.verdict.name,
    'oom-count': account.oom_count,
    fingerprint: account.fingerprint,
    'snapshot-count': account.snapshots.length,
    snapshots: boundedList(account.snapshots),
    manifest: '',
    'artifact-id': '',
    'artifact-url': '',
    'artifact-digest': '',
    'report-url': '',
    'cycle-count': account.cycles.count,
    parity: account.parity.state,
    'peak-allocated': account.memory.peak_allocated ?? '',
    'peak-reserved': account.memory.peak_reserved ?? '',
    'memory-file': '',
    'summary-file': '',
    'evidence-dir': evidenceDir,
});
async function conclude(runner, ended, evidence, account, before = null) {
    const { plan, late } = ended;
    const log = (line) => runner.info((0,lib_text/* logLine */.BP)(line));
    const facts = factsOf(account, plan.evidenceDir);
    let first;
    if (before === null && toUpload(plan, evidence, account)) {
        setOutputs(runner, facts);
        await keepAccount(ended, account, log);
        first = await tell(runner, account, { state: 'planned' }, ended, {
            ...NOWHERE,
            evidenceDir: plan.evidenceDir,
        });
        await markTold(ended, 'first');
    }
    const outcome = before ?? (await publishEvidence(ended, evidence, account, log));
    const cut = outcome.state === 'failed' && ended.cancel?.overdue.aborted === true;
    const published = cut ? { ...outcome, reason: CUT_REASON } : outcome;
    const manifest = { ...account, published: manifestPublished(published) };
    const manifestPath = await keepAccount(ended, manifest, log);
    const reportUrl = await reportOf(ended, evidence, manifest, published, log);
    const inUse = manifest.still_running.length > 0;
    const spent = !late && !plan.evidenceKept && !inUse && isSpent(evidence, [manifest]);
    const gone = spent && manifestPath === null && (await removeSpent(evidence));
    const where = { evidenceDir: spent ? null : plan.evidenceDir, reportUrl };
    await tell(runner, manifest, published, ended, where, first);
    await markTold(ended, 'all');
    if (!late)
        (0,state/* saveFinished */.Q8)(runner, 'told');
    setOutputs(runner, {
        ...facts,
        manifest: manifestPath ?? '',
        'artifact-id': published.state === 'uploaded' ? published.id : '',
        'artifact-url': published.state === 'uploaded' ? (published.url ?? '') : '',
        'artifact-digest': published.state === 'uploaded' ? (published.digest ?? '') : '',
        'report-url': reportUrl ?? '',
        'memory-file': (0,external_node_fs_.existsSync)((0,external_node_path_.join)(plan.outputDir, MEMORY)) ? (0,external_node_path_.join)(plan.outputDir, MEMORY) : '',
        'summary-file': (0,external_node_fs_.existsSync)((0,external_node_path_.join)(plan.outputDir, SUMMARY)) ? (0,external_node_path_.join)(plan.outputDir, SUMMARY) : '',
        'evidence-dir': spent ? '' : plan.evidenceDir,
    });
    return { manifest, cut, spent: spent && !gone };
}
const NOWHERE = { evidenceDir: null, reportUrl: null };
async function keepAccount({ plan, late, makeRoom }, manifest, log) {
    const write = (file, text) => (0,files/* writeWhole */.f8)((0,external_node_path_.join)(plan.outputDir, file), text, makeRoom).then(() => (0,external_node_path_.join)(plan.outputDir, file), (error) => {
        log(`${file} could not be written (${error.message})`);
        return null;
    });
    const path = await write(late ? LATE_MANIFEST : MANIFEST, (0,evidence_manifest/* manifestText */.$2)(manifest));
    if (manifest.processes.length > 0) {
        const memory = memoryOf(manifest);
        await write(MEMORY, memoryText(memory));
        await write(BENCHMARK, benchmarkText(memory));
    }
    return path;
}
const markTold = ({ plan, late }, told) => late ? Promise.resolve() : (0,files/* writeWhole */.f8)((0,external_node_path_.join)(plan.outputDir, TOLD), told).catch(() => undefined);
async function takeAway(runner, evidence) {
    if (await removeSpent(evidence))
        return true;
    runner.info((0,lib_text/* logLine */.BP)('the evidence folder was kept: something in it came after the rest was collected'));
    runner.setOutputs({ 'evidence-dir': evidence.dir });
    return false;
}
async function tell(runner, manifest, published, { plan, late, makeRoom }, where, first) {
    const again = first !== undefined;
    if (!again)
        runner.info((0,lib_text/* logLine */.BP)(`verdict ${manifest.verdict.name}: ${manifest.verdict.because}`));
    if (published.state === 'failed') {
        const kept = (0,lib_text/* count */.U9)(published.kept.length, 'file');
        runner.info((0,lib_text/* logLine */.BP)(`the evidence was not uploaded: ${published.reason}; ${kept} kept in ${plan.evidenceDir}`));
    }
    let summary = '';
    try {
        const heading = late ? `${LATE_HEADING}\n\n` : '';
        const links = { ...artifactLinks(published), ...where, guideUrl: GUIDE_URL };
        const room = Math.min(SUMMARY_BUDGET, runner.summaryRoom(first) - heading.length);
        const text = renderSummary(manifest, links, room);
        summary = text === '' ? '' : heading + text;
        if (summary !== '')
            runner.summary(summary, first);
        else if (!again)
            runner.info((0,lib_text/* logLine */.BP)('the summary that the step itself wrote leaves no room for ours (1 MiB in all)'));
        if (!late && published.state !== 'planned') {
            const comment = renderSummary(manifest, links, COMMENT_BUDGET);
            await (0,files/* writeWhole */.f8)((0,external_node_path_.join)(plan.outputDir, SUMMARY), comment, makeRoom).catch((error) => runner.info((0,lib_text/* logLine */.BP)(`${SUMMARY} could not be written (${error.message})`)));
        }
    }
    catch (error) {
        runner.info((0,lib_text/* logLine */.BP)(`the summary could not be written (${error.message})`));
    }
    if (again)
        return summary;
    for (const { level, message, place } of (0,annotations/* annotations */.h)(manifest, plan.workspace)) {
        await runner.annotate(level, message, place);
    }
    return summary;
}
const LATE_HEADING = '### After the step had ended\n\nProcesses that it had started went on; this is what they wrote since.';
const artifactLinks = (published) => published.state === 'uploaded'
    ? {
        artifactName: published.name,
        artifactId: published.id,
        artifactUrl: published.url,
        artifactDigest: published.digest,
    }
    : { artifactName: null, artifactId: null, artifactUrl: null, artifactDigest: null };

// EXTERNAL MODULE: ./build/evidence/names.js
var names = __nccwpck_require__(1040);
;// CONCATENATED MODULE: ./build/evidence/nothing.js


function holdsNothing(dir, step) {
    let handle = null;
    try {
        handle = (0,external_node_fs_.openSync)(dir, external_node_fs_.constants.O_RDONLY | external_node_fs_.constants.O_DIRECTORY | external_node_fs_.constants.O_NOFOLLOW);
        return (0,external_node_fs_.readdirSync)(`/proc/self/fd/${handle}`).every((name) => name === (0,names/* reserveName */.K6)(step));
    }
    catch {
        return false;
    }
    finally {
        if (handle !== null)
            (0,external_node_fs_.closeSync)(handle);
    }
}
const nothing = (dir, step) => ({
    dir,
    step,
    receipts: [],
    snapshots: [],
    unread: [],
    folderFault: null,
    rejected: [],
    rejectedCount: 0,
    rejectedReasons: [],
    faults: [],
});

// EXTERNAL MODULE: ./build/gpu/observe.js
var observe = __nccwpck_require__(8949);
// EXTERNAL MODULE: ./build/judge/blind.js
var judge_blind = __nccwpck_require__(439);
;// CONCATENATED MODULE: ./build/judge/gates.js
function judgeGates(facts, options) {
    const findings = [];
    const message = torchMessage(facts);
    if (message !== null && options.ifNoTorch !== 'ignore') {
        const level = facts.torchProcesses === 0 ? options.ifNoTorch : 'warn';
        findings.push({ gate: 'if-no-torch', level, message });
    }
    if (facts.cycleCount > 0 && options.cycles !== 'off') {
        const kinds = facts.cycleCount === 1 ? '1 kind of reference cycle' : `${facts.cycleCount} kinds of reference cycles`;
        findings.push({
            gate: 'cycles',
            level: options.cycles,
            message: `${kinds} kept GPU tensors alive${facts.topCycle === null ? '' : `; the largest: ${facts.topCycle}`}`,
        });
    }
    if (facts.cycleCount === 0 && facts.cyclesUnseen !== null && options.cycles === 'fail') {
        findings.push({
            gate: 'cycles',
            level: 'warn',
            message: `Reference cycles were not fully looked for: ${facts.cyclesUnseen}`,
        });
    }
    if (facts.parity === 'drift' && options.parity !== 'off') {
        findings.push({
            gate: 'parity',
            level: options.parity,
            message: `Parity with the frozen fixture drifted${facts.parityReason === null ? '' : `. ${facts.parityReason}`}`,
        });
    }
    if (facts.parity === 'unverifiable' && facts.parityNotRun && options.parity !== 'off') {
        findings.push({
            gate: 'parity',
            level: 'warn',
            message: `Parity could not be checked: ${facts.parityReason ?? 'the check gave no reason'}`,
        });
    }
    return findings;
}
const NOTHING = 'set `if-no-torch: ignore` if it runs no PyTorch; if it does, its Python was started in a way that PYTHONPATH does not survive (docs/reach.md)';
function torchMessage({ torchProcesses, shimFault, unreached, likely }) {
    if (torchProcesses > 0)
        return unreached === null ? null : `Not all of this step was recorded: ${unreached}`;
    if (shimFault !== null)
        return `No process of this step imported torch under oom-autopsy, so nothing was recorded: ${shimFault}`;
    if (unreached !== null)
        return `PyTorch ran in this step out of reach of oom-autopsy, so nothing was recorded: ${unreached}`;
    return `No process of this step imported torch under oom-autopsy, and none was seen with torch loaded, so nothing was recorded: ${likely ?? NOTHING}`;
}
const finalExitCode = (stepCode, findings) => stepCode === 0 && findings.some((finding) => finding.level === 'fail') ? 1 : stepCode;

;// CONCATENATED MODULE: ./build/judge/ranks.js

const SETS_RANK = {
    torch: 'RANK',
    openmpi: 'OMPI_COMM_WORLD_RANK',
    pmi: 'PMI_RANK',
    slurm: 'SLURM_PROCID',
};
const absent = (size, seen) => Array.from({ length: size }, (_, index) => index).filter((index) => !seen.has(index));
const ranks_MOST = 100_000;
function missingRanks(receipts, env) {
    const groups = new Map();
    for (const { identity } of receipts) {
        const { launcher, rank, size, job } = identity ?? {};
        if (!identity || launcher == null || rank == null || size == null || size > ranks_MOST)
            continue;
        if (env[SETS_RANK[launcher] ?? ''] === String(rank))
            continue;
        const key = `${launcher} ${size} ${job}`;
        groups.set(key, [...(groups.get(key) ?? []), identity]);
    }
    return [...groups.values()].flatMap((group) => {
        const { size, nodes, job } = group[0];
        const ranks = absent(size ?? 0, new Set(group.flatMap(({ rank }) => rank ?? [])));
        if (ranks.length === 0)
            return [];
        const places = absent(nodes ?? 0, new Set(group.flatMap(({ node }) => node ?? [])));
        const which = `${ranks.length === 1 ? 'Rank' : 'Ranks'} ${(0,lib_text/* ranges */.Zz)(ranks)} of ${size}${job === null ? '' : ` (${job})`}`;
        const where = places.length === 0
            ? ''
            : `, and so did ${places.length === 1 ? 'node' : 'nodes'} ${(0,lib_text/* ranges */.Zz)(places)} of ${(0,lib_text/* count */.U9)(nodes ?? 0, 'node')}`;
        return [
            `${which} left nothing here${where}: no torch was imported there, or the evidence folder is not shared (docs/reach.md)`,
        ];
    });
}

// EXTERNAL MODULE: ./build/step/marks.js
var step_marks = __nccwpck_require__(6449);
// EXTERNAL MODULE: ./build/step/unarmed.js
var unarmed = __nccwpck_require__(9493);
;// CONCATENATED MODULE: ./build/judge/reach.js



const reach_MOST = 100;
function unreached(sightings, { receipts, unread, marks }) {
    const armed = new Set(receipts.map(({ pid, start_ticks }) => `${pid}.${start_ticks}`));
    const isArmed = ({ pid, innerPid, startTicks }) => armed.has(`${pid}.${startTicks}`) || armed.has(`${innerPid}.${startTicks}`);
    const bases = new Set(sightings.filter(isArmed).map(({ base }) => base));
    const unreadable = new Map(unread.map(({ owner, reason }) => [owner.pid, reason]));
    const came = new Map();
    for (const seen of sightings) {
        const stage = (0,step_marks/* cameOf */.qN)(marks, seen);
        if (stage !== null)
            came.set(seen.base, stage);
    }
    const missed = sightings
        .filter((seen) => !isArmed(seen) && !bases.has(seen.base))
        .map((seen) => {
        const { pid, innerPid, program, base } = seen;
        const reason = unreadable.get(pid) ?? unreadable.get(innerPid) ?? null;
        const now = (0,unarmed/* settled */.gu)(seen, (0,step_marks/* cameOf */.qN)(marks, seen) ?? came.get(base) ?? null, reason);
        return { pid, program: (0,lib_text/* printable */.g$)(program, 80), ...now };
    });
    const real = missed.filter(({ reason }) => reason !== 'not-imported');
    return (real.length > 0 || receipts.length + unread.length > 0 ? real : missed).slice(0, reach_MOST);
}
function unreachedLine(missed) {
    const processes = missed.filter(({ reason }) => !(0,unarmed/* wasReached */.OC)(reason));
    const [first] = processes;
    if (!first)
        return null;
    const alike = processes.filter((p) => p.program === first.program && p.advice === first.advice).length;
    const others = processes.length - alike;
    const more = alike > 1 ? ` and ${alike - 1} more` : '';
    const rest = others > 0 ? ` (and ${(0,lib_text/* count */.U9)(others, 'other process', 'other processes')}: see the summary)` : '';
    return `${first.program} (pid ${first.pid}${more}) had torch loaded, but ${first.advice}${rest}`;
}
const CARRIED = 'a process outside of the step does its work, and does not get the environment of the step';
function likelyReason(seen, hints) {
    const [hint] = hints;
    if (hint)
        return `line ${hint.line} of the step uses ${hint.what}; ${hint.advice}`;
    if (seen === null)
        return 'main was ended before it finished, and had seen nothing of it yet';
    const [carrier] = seen.carriers;
    if (carrier !== undefined)
        return `the step ran ${carrier}; ${CARRIED} (docs/reach.md)`;
    const [python] = seen.hidden;
    return python
        ? `${(0,lib_text/* printable */.g$)(python.program, 80)} (pid ${python.pid}) ran as another user, where it could not be looked at; as root it is reached by sudo --preserve-env=PYTHONPATH`
        : null;
}

// EXTERNAL MODULE: ./build/judge/verdict.js
var judge_verdict = __nccwpck_require__(9517);
;// CONCATENATED MODULE: ./build/lib/version.js
const VERSION = '0.1.0';

// EXTERNAL MODULE: ./build/inputs.js
var build_inputs = __nccwpck_require__(8175);
// EXTERNAL MODULE: ./build/plan.js
var build_plan = __nccwpck_require__(1781);
;// CONCATENATED MODULE: ./build/parity/paths.js

const fixturePath = (fixture, workspace) => fixture === '' ? null : (0,build_plan/* fromWorkspace */.mr)(fixture, workspace);
const interpreterPath = (python, workspace) => python === '' ? null : python.includes('/') ? (0,build_plan/* fromWorkspace */.mr)(python, workspace) : python;

;// CONCATENATED MODULE: ./build/parity/run.js





const BUILT_IN_TIMEOUT_MS = 28_000;
const OWN_TIMEOUT_MS = 180_000;
const usedTorch = (receipt) => receipt.torch !== null &&
    receipt.executable !== null &&
    (0,external_node_path_.isAbsolute)(receipt.executable) &&
    /^(python|pypy)[\d.]*t?d?$/.test((0,external_node_path_.basename)(receipt.executable));
function cutShort({ result, hurried, cancel }) {
    if (result?.cancelledBy != null)
        return 'the step was cancelled, so the check was not run';
    if (hurried)
        return 'main was ended before it had run the check';
    return cancel?.asked.aborted ? 'the job was cancelled before the check was run' : null;
}
async function parityOf(ended, evidence, log) {
    const { options, workspace } = ended.plan;
    if (options.parity === 'off')
        return { state: 'off', reason: null, result: null };
    const cut = cutShort(ended);
    if (cut !== null)
        return { state: 'unverifiable', reason: cut, result: null, notRun: false };
    const python = interpreterPath(options.python, workspace) ?? evidence.receipts.find(usedTorch)?.executable ?? null;
    if (python === null) {
        return {
            state: 'unverifiable',
            reason: 'no process of the step used torch, so there is nothing to compare',
            result: null,
            notRun: false,
        };
    }
    log(`checking parity with ${python} …`);
    const { checkParity } = await Promise.all(/* import() */[__nccwpck_require__.e(934), __nccwpck_require__.e(260), __nccwpck_require__.e(576)]).then(__nccwpck_require__.bind(__nccwpck_require__, 576));
    const fixture = fixturePath(options.fixture, workspace);
    return checkParity({
        python,
        parityDir: (0,external_node_path_.join)(ended.actionDir, 'python', 'parity'),
        fixture,
        cwd: workspace,
        env: (0,build_plan/* plainStepEnvironment */.M8)(ended.env, build_inputs/* INPUT_NAMES */.Qh.map(runner_runner/* inputVariable */.LO)),
        timeoutMs: fixture === null ? BUILT_IN_TIMEOUT_MS : OWN_TIMEOUT_MS,
        remember: ended.env['RUNNER_TEMP'] || null,
        ...(ended.cancel ? { signal: ended.cancel.asked } : {}),
    });
}

// EXTERNAL MODULE: ./build/step/proc.js
var proc = __nccwpck_require__(9503);
;// CONCATENATED MODULE: ./build/step/abandoned.js



const MARGIN_MS = 60_000;
function goneCheck({ plan, seen, hints }, survivors, now = Date.now()) {
    if (process.platform !== 'linux' || survivors > 0)
        return () => false;
    const outOfSight = hints.length > 0 || (seen !== null && seen.carriers.length + seen.hidden.length > 0);
    const stale = now - (0,build_plan/* shimConfig */.KD)(plan).dump_deadline_s * 1000 - MARGIN_MS;
    const start = `.${(0,names/* thisHost */.vk)()}-`;
    return (pid, file, modified) => file.startsWith(start) && (0,proc/* processFacts */.PJ)(pid) === null && (!outOfSight || modified < stale);
}

// EXTERNAL MODULE: ./build/step/own.js
var step_own = __nccwpck_require__(2671);
;// CONCATENATED MODULE: ./build/step/ended.js


const markOf = (ended) => ({
    leader: ended.leader,
    variable: `${build_plan/* STEP_VARIABLE */.SE}=${ended.plan.id}`,
    since: ended.since,
    met: ended.met,
});
const ownOf = (ended) => [
    ...(0,step_own/* stepProcesses */._M)(markOf(ended)),
    ...(ended.met ?? []),
    ...(ended.seen?.sightings ?? []),
];

// EXTERNAL MODULE: ./build/step/host.js
var step_host = __nccwpck_require__(5589);
// EXTERNAL MODULE: ./build/step/launchers.js
var launchers = __nccwpck_require__(1914);
;// CONCATENATED MODULE: ./build/account.js



























const GPU_TIMEOUT_MS = 5000;
const REFUSED_OUTPUTS = {
    'exit-code': 1,
    verdict: 'not-run',
    'oom-count': 0,
    fingerprint: '',
    'snapshot-count': 0,
    snapshots: '[]',
    manifest: '',
    'artifact-id': '',
    'artifact-url': '',
    'artifact-digest': '',
    'report-url': '',
    'cycle-count': 0,
    parity: 'off',
    'peak-allocated': '',
    'peak-reserved': '',
    'memory-file': '',
    'summary-file': '',
    'evidence-dir': '',
};
async function named(manifest) {
    if (manifest.oom_count === 0)
        return manifest;
    return { ...manifest, fingerprint: (await __nccwpck_require__.e(/* import() */ 836).then(__nccwpck_require__.bind(__nccwpck_require__, 5836))).fingerprintOf(manifest) };
}
async function look(ended) {
    const { evidenceDir: dir, id: step, startedAt: since } = ended.plan;
    const stillRunning = (0,step_own/* stepProcesses */._M)(markOf(ended)).map(({ pid }) => (0,proc/* nameProcess */.HO)(pid));
    const isGone = goneCheck(ended, stillRunning.length);
    if (ended.late)
        return { evidence: ended.late, stillRunning };
    if (holdsNothing(dir, step))
        return { evidence: nothing(dir, step), stillRunning };
    const { collect } = await __nccwpck_require__.e(/* import() */ 44).then(__nccwpck_require__.bind(__nccwpck_require__, 3044));
    return {
        evidence: await collect({ dir, step, since, isGone, signal: ended.cancel?.overdue }),
        stillRunning,
    };
}
async function finish(runner, ended) {
    const { plan, result } = ended;
    const log = (line) => runner.info((0,lib_text/* logLine */.BP)(line));
    const [{ evidence, stillRunning }, gpuAfter] = await Promise.all([
        look(ended),
        ended.before.gpu?.state === 'absent'
            ? ended.before.gpu
            : (0,observe/* observeGpus */.U)({ timeoutMs: GPU_TIMEOUT_MS, env: ended.env }),
    ]);
    const host = ended.before.host === null ? null : (0,step_host/* hostOom */.cD)(ended.before.host, (0,step_host/* readHostCounters */.YW)());
    const parity = await parityOf(ended, evidence, log);
    const stepCode = result?.exitCode ?? 1;
    const cancelled = result === null
        ? !(host?.state === 'read' && host.scope === 'cgroup' && host.kills > 0)
        : result.cancelledBy !== null;
    const { receipts, unread } = evidence;
    const cycles = (0,evidence_manifest/* cycleTotals */.Sj)(receipts);
    const marks = (0,step_marks/* readMarks */.pc)(plan.shimDir);
    const sightings = ended.late ? [] : (ended.seen?.sightings ?? []);
    const unarmed = unreached(sightings, { receipts, unread, marks });
    const shimFault = ended.shimLaid ? null : (ended.faults[0] ?? 'the shim was not laid');
    const blind = (0,judge_blind/* blindSpots */.dE)(evidence, {
        shimFault,
        lost: ended.late ? [] : lost(evidence, marks, stillRunning),
    });
    const verdict = (0,judge_verdict/* judge */.S4)({
        exitCode: stepCode,
        cancelled,
        startError: result?.startError ?? null,
        oomCount: (0,outside/* countOoms */.ar)(receipts),
        endedByOom: receipts.filter(outside/* endedByOom */.LU).length,
        threadsEndedByOom: receipts.filter((receipt) => receipt.thread_ends.some((end) => end.oom)).length,
        fatal: (0,outcomes/* fatalOoms */.bE)(receipts),
        unexplained: (0,outcomes/* unexplained */.EJ)(receipts),
        outside: (0,outside/* outsideOoms */.Qk)(receipts),
        openEnds: (0,judge_verdict/* openEnds */.fO)(receipts, stillRunning, (0,names/* thisHost */.vk)()),
        reached: receipts.length === 0 ? 'none' : unarmed.length > 0 ? 'part' : 'all',
        blindSpots: blind,
        hostOomKills: host?.state !== 'read' ? null : host.scope === 'machine' && stepCode !== 137 ? 0 : host.kills,
        hostOomScope: host?.state === 'read' ? host.scope : 'cgroup',
        machineOomKills: host?.state === 'read' ? host.machine_kills : null,
        ownCgroups: ownCgroups(ended),
    });
    const gates = judgeGates({
        torchProcesses: Math.max(receipts.length, ...blind.map((spot) => spot.count)),
        shimFault,
        unreached: unreachedLine(unarmed),
        likely: likelyReason(ended.seen, ended.hints),
        cycleCount: cycles.count,
        topCycle: topCycle(receipts),
        cyclesUnseen: cyclesUnseen(receipts),
        parity: parity.state,
        parityReason: parity.reason,
        parityNotRun: parity.state === 'unverifiable' && parity.notRun,
    }, plan.options);
    const judged = (0,evidence_manifest/* buildManifest */.u1)({
        evidence,
        version: VERSION,
        now: Date.now(),
        step: {
            id: plan.id,
            ...(ended.job ? { scope: 'job' } : {}),
            shell: ended.job ? null : plan.command.file,
            exit_code: result === null ? null : stepCode,
            signal: result?.signal ?? null,
            cancelled,
            started: plan.startedAt / 1000,
            ended: result === null ? null : result.endedAt / 1000,
            workspace: plan.workspace,
        },
        runner: {
            name: plan.job.runnerName,
            host: (0,names/* thisHost */.vk)(),
            os: process.platform,
            arch: process.arch,
            repository: plan.job.repository,
            sha: plan.job.sha,
            run_id: plan.job.runId,
            run_attempt: plan.job.runAttempt,
            job: plan.job.job,
        },
        verdict,
        gpu: { before: ended.before.gpu, after: gpuAfter, own: gpuAfter.state === 'seen' ? ownOf(ended) : [] },
        host: {
            oom: host,
            memory: host?.state === 'read' && host.kills > 0 ? (0,step_host/* readHostMemory */.sb)('/', host.ooms === 0) : null,
            use: host?.state === 'read' && host.kills > 0 ? (ended.seen?.use ?? null) : null,
        },
        parity: { state: parity.state, reason: parity.reason, result: parity.result },
        notSeen: [
            ...notSeen(receipts),
            ...(ended.late || evidence.unread.length > 0 ? [] : missingRanks(receipts, ended.env)),
        ],
        unarmed,
        blindSpots: blind,
        scriptHints: ended.hints,
        stillRunning,
        killed: result?.killed ?? ended.killed ?? [],
        gates,
        faults: ended.faults,
        published: NOT_YET,
    });
    const measured = await withMemory(await withSource(await named(judged), ended.env), plan);
    const account = ended.job ? (await Promise.resolve(/* import() */).then(__nccwpck_require__.bind(__nccwpck_require__, 8377))).jobAccount(measured) : measured;
    const concluded = await conclude(runner, ended, evidence, account);
    const code = finalExitCode(stepCode, account.gates);
    return { ...concluded, code, stillRunning: stillRunning.length, evidence };
}
async function withSource(account, env) {
    if (account.processes.every(({ oom_count: ooms }) => ooms === 0))
        return account;
    const { storyPlace } = await Promise.resolve(/* import() */).then(__nccwpck_require__.bind(__nccwpck_require__, 6241));
    const place = storyPlace(account, account.step.workspace);
    if (place.file === undefined)
        return account;
    const { sourceLine } = await __nccwpck_require__.e(/* import() */ 75).then(__nccwpck_require__.bind(__nccwpck_require__, 8075));
    const run = { ...account.runner, workspace: account.step.workspace };
    return { ...account, source: await sourceLine(place, run, env) };
}
async function withMemory(account, { options, workspace }) {
    const now = memoryOf(account);
    const path = options.baseline === '' ? null : (0,build_plan/* fromWorkspace */.mr)(options.baseline, workspace);
    const baseline = path === null
        ? null
        : baselineAccount(await (await Promise.all(/* import() */[__nccwpck_require__.e(934), __nccwpck_require__.e(179)]).then(__nccwpck_require__.bind(__nccwpck_require__, 179))).readBaseline(path), now);
    const green = account.step.exit_code === 0 && !account.step.cancelled;
    return {
        ...account,
        memory: {
            peak_allocated: largest(now.rows)?.peak_allocated ?? null,
            peak_reserved: largest(now.rows, 'peak_reserved')?.peak_reserved ?? null,
            baseline,
        },
        gates: [...account.gates, ...(green ? judgeBudget(now, baseline, options) : [])],
    };
}
function lost({ receipts, unread }, marks, stillRunning) {
    const left = [...receipts, ...unread.map(({ owner }) => owner), ...stillRunning];
    return (0,step_marks/* lostPids */.x8)(marks, new Set(left.map(({ pid }) => pid)));
}
const ownCgroups = ({ seen, hints }) => {
    const met = new Set([...(seen?.carriers ?? []), ...hints.map(({ what }) => what)]);
    return [...launchers/* OWN_CGROUP */.iK].filter((program) => met.has(program));
};
function notSeen(receipts) {
    const reasons = new Map();
    for (const receipt of receipts) {
        const { recorder } = receipt;
        if ((0,judge_blind/* isBlind */.iE)(receipt))
            continue;
        if (recorder.state !== 'unsupported' && recorder.state !== 'failed')
            continue;
        const reason = recorder.reason ?? 'the receipt gives no reason';
        reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    }
    const lines = [...reasons].map(([reason, n]) => `${(0,lib_text/* count */.U9)(n, 'process', 'processes')} not recorded: ${reason}`);
    const cycles = cyclesUnseen(receipts);
    return cycles === null ? lines : [...lines, `Reference cycles were not fully looked for: ${cycles}`];
}
function cyclesUnseen(receipts) {
    const reasons = receipts.flatMap(({ cycles }) => cycles !== null &&
        (cycles.state === 'failed' || /^(a look was cut short|not looked)/.test(cycles.reason ?? ''))
        ? [cycles.reason ?? 'the watch failed']
        : []);
    return reasons.length === 0 ? null : `${reasons[0]} (${(0,lib_text/* count */.U9)(reasons.length, 'process', 'processes')})`;
}
function topCycle(receipts) {
    const held = (bytes) => Object.values(bytes).reduce((sum, n) => sum + n, 0);
    const top = receipts
        .flatMap((receipt) => receipt.cycles?.cycles ?? [])
        .sort((a, b) => held(b.bytes) - held(a.bytes))[0];
    if (!top)
        return null;
    const types = top.types
        .slice(0, 3)
        .map((type) => type.name)
        .join(', ');
    return `${types} holding ${(0,lib_bytes/* formatBytes */.z)(held(top.bytes))}`;
}

// EXTERNAL MODULE: ./build/deliver/reserve.js
var deliver_reserve = __nccwpck_require__(654);
// EXTERNAL MODULE: ./build/lib/random.js
var random = __nccwpck_require__(9905);
// EXTERNAL MODULE: ./build/gpu/holders.js
var holders = __nccwpck_require__(2614);
;// CONCATENATED MODULE: ./build/report/words/leftovers.js




const WORTH_TELLING = 512 * 2 ** 20;
function leftoverWarning(before) {
    if (before.state !== 'seen')
        return null;
    const full = before.devices.filter((device) => (device.used ?? 0) >= WORTH_TELLING);
    if (full.length === 0)
        return null;
    return `Before this step started, GPU memory was in use. ${full.map((device) => heldOn(before, device)).join('; ')}`;
}
function heldOn(before, { index, total, used }) {
    const named = (0,holders/* holdersOf */.p)(before, null)
        .filter((holder) => holder.device === index || holder.device === null)
        .slice(0, 5)
        .map((holder) => {
        const [name, held] = [holder.name, (0,holders/* heldBy */.V)(holder)];
        return `pid ${holder.pid}${name === null ? '' : ` ${(0,lib_text/* printable */.g$)(name, 60)}`}${held === null ? '' : ` with ${(0,lib_bytes/* formatBytes */.z)(held)}`}`;
    });
    const who = named.length > 0 ? named.join(', ') : 'no process that can be seen from here';
    return `GPU ${index}: ${(0,lib_bytes/* formatBytes */.z)(used ?? 0)}${total === null ? '' : ` of ${(0,lib_bytes/* formatBytes */.z)(total)}`} held by ${who}`;
}
function visible(devices, setting) {
    if (setting === undefined)
        return devices;
    const named = setting.split(',').map((one) => one.trim());
    const found = [];
    for (const name of named) {
        const device = devices.find(({ index, uuid }) => String(index) === name || (name.length > 4 && uuid?.startsWith(name)));
        if (!device)
            break;
        found.push(device);
    }
    return found;
}
function roomFor(before, minFree, setting) {
    const wanted = (0,amount/* formatAmount */.ej)(minFree);
    const unknown = (reason) => ({
        state: 'unknown',
        message: `Whether ${wanted} are free on the GPUs is not known: ${reason}`,
    });
    if (before.state === 'absent')
        return unknown('there is no nvidia-smi, amd-smi or rocm-smi on PATH');
    if (before.state === 'failed')
        return unknown(`${before.tool} failed (${(0,lib_text/* printable */.g$)(before.reason, 200)})`);
    const devices = visible(before.devices, setting);
    if (devices.length === 0)
        return unknown('no GPU is visible to the step');
    const short = devices.filter(({ free, total, used }) => {
        const room = free ?? (total === null || used === null ? null : total - used);
        const needed = (0,amount/* bytesOfAmount */.XN)(minFree, total);
        return room !== null && needed !== null && room < needed;
    });
    if (short.length === 0)
        return null;
    const lines = short.map((device) => `${(0,lib_bytes/* formatBytes */.z)(device.free ?? (device.total ?? 0) - (device.used ?? 0))} free; ${heldOn(before, device)}`);
    return {
        state: 'full',
        message: `\`min-free\` asks for ${wanted} free on each GPU of the step. ${lines.join('; ')}`,
    };
}

;// CONCATENATED MODULE: ./build/runner/environ.js




const [ENV_START, ENV_END] = [50 - 3, 51 - 3];
const MOST_BYTES = 8 * 2 ** 20;
function hiddenNames(env) {
    const plain = (0,build_plan/* plainStepEnvironment */.M8)(env, build_inputs/* INPUT_NAMES */.Qh.map(runner_runner/* inputVariable */.LO));
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

// EXTERNAL MODULE: ./build/step/cancel.js
var step_cancel = __nccwpck_require__(6693);
// EXTERNAL MODULE: ./build/step/lay.js
var lay = __nccwpck_require__(4181);
// EXTERNAL MODULE: ./build/step/process.js
var step_process = __nccwpck_require__(3910);
;// CONCATENATED MODULE: ./build/step/script-hints.js

const MAX_COMMAND = 4096;
function scriptHints(script) {
    const found = new Map();
    let first = 0;
    let command = '';
    const lines = script.split(/\r?\n/);
    for (const [index, line] of lines.entries()) {
        if (command === '')
            first = index + 1;
        command += line.replace(/(^|\s)#.*$/, '');
        if (command.endsWith('\\') && index < lines.length - 1) {
            command = `${command.slice(0, -1)} `;
            continue;
        }
        const start = command.slice(0, MAX_COMMAND);
        for (const launcher of Object.values(launchers/* LAUNCHERS */.oE)) {
            const { what, words, pattern } = launcher;
            if (!found.has(what) && words?.some((word) => start.includes(word)) && pattern?.test(start))
                found.set(what, { line: first, what, advice: (0,launchers/* hintOf */.$z)(launcher) });
        }
        command = '';
    }
    return [...found.values()];
}

;// CONCATENATED MODULE: ./build/step/sigpipe.js


const SIGPIPE = 13;
function runnerIgnoresSigpipe(runner = process.ppid, root = '/proc') {
    try {
        const [, mask] = /^SigIgn:\s*([0-9a-f]+)$/m.exec((0,external_node_fs_.readFileSync)(`${root}/${runner}/status`, 'utf8')) ?? [];
        return mask !== undefined && ((BigInt(`0x${mask}`) >> BigInt(SIGPIPE - 1)) & 1n) === 1n;
    }
    catch {
        return false;
    }
}
const IGNORE = ['-c', 'trap "" PIPE; exec "$@"'];
const BY_SHELL = {
    bash: ['--norc', '-p', ...IGNORE],
    sh: IGNORE,
};
function ignoringSigpipe({ file, args }) {
    const name = (0,external_node_path_.basename)(file);
    const how = Object.hasOwn(BY_SHELL, name) ? BY_SHELL[name] : undefined;
    return how === undefined ? { file, args } : { file, args: [...how, name, file, ...args] };
}

;// CONCATENATED MODULE: ./build/step/host-use.js


const MOST_PROCESSES = 256;
const host_use_MOST_OWNERS = 6;
const WORTH = 1.05;
function hostOwners(processes) {
    const byPid = new Map(processes.map((one) => [one.pid, one]));
    const owners = new Map();
    for (const { pid, ppid, program, own, shared } of processes) {
        const parent = byPid.get(ppid);
        const worker = parent?.program === program;
        const key = worker ? `workers of ${ppid}` : `${pid}`;
        const known = owners.get(key) ?? { program, pid: worker ? ppid : pid, workers: 0, own: 0, shared: 0 };
        owners.set(key, {
            ...known,
            workers: known.workers + (worker ? 1 : 0),
            own: known.own + own,
            shared: Math.max(known.shared, shared),
        });
    }
    return [...owners.values()].sort((a, b) => b.own + b.shared - (a.own + a.shared)).slice(0, host_use_MOST_OWNERS);
}
class HostUseWatch {
    root;
    #pages = 0;
    #use = null;
    constructor(root = '/proc') {
        this.root = root;
    }
    look(own) {
        const pages = own.reduce((sum, { resident }) => sum + resident, 0);
        if (pages <= this.#pages * WORTH)
            return;
        this.#pages = pages;
        const largest = [...own].sort((a, b) => b.resident - a.resident).slice(0, MOST_PROCESSES);
        const owners = hostOwners(largest.flatMap((facts) => host_use_memoryOf(facts, this.root) ?? []));
        if (owners.length > 0)
            this.#use = { time: Date.now() / 1000, owners, shm: sharedMemory() };
    }
    use() {
        return this.#use;
    }
}
function host_use_memoryOf({ pid, ppid }, root) {
    try {
        const status = (0,external_node_fs_.readFileSync)(`${root}/${pid}/status`, 'utf8');
        const kib = (name) => 1024 * Number(new RegExp(`^${name}:\\s+([0-9]+) kB$`, 'm').exec(status)?.[1] ?? 0);
        const program = (0,proc/* nameProcess */.HO)(pid, root).program ?? '?';
        return { pid, ppid, program, own: kib('RssAnon'), shared: kib('RssFile') + kib('RssShmem') };
    }
    catch {
        return null;
    }
}
function sharedMemory() {
    try {
        const { bsize, blocks, bfree } = (0,external_node_fs_.statfsSync)('/dev/shm');
        return blocks === 0 ? null : { used: (blocks - bfree) * bsize, total: blocks * bsize };
    }
    catch {
        return null;
    }
}

;// CONCATENATED MODULE: ./build/step/watch.js







const TORCH = /^([0-9a-f]+)-.*\/lib(?:torch|torch_cpu|torch_cuda|torch_python|c10)\.(?:so|dylib)/m;
const watch_MOST = 10_000;
const FIRST_LOOK_MS = 250;
const GROWTH = 1.25;
const LONGEST_MS = 1000;
const SPARING = 100;
class TorchWatch {
    mark;
    shimDir;
    root;
    #sightings = new Map();
    #carriers = new Set();
    #hidden = new Map();
    #use;
    #known = new Map();
    #timer;
    #looked = false;
    #told = 0;
    constructor(mark, shimDir, root = '/proc') {
        this.mark = mark;
        this.shimDir = shimDir;
        this.root = root;
        this.#use = new HostUseWatch(root);
    }
    start(tell = () => undefined) {
        if (process.platform !== 'linux')
            return;
        const again = (wait) => {
            this.#timer = setTimeout(() => {
                const before = process.cpuUsage();
                this.look();
                this.#tellNews(tell);
                const { user, system } = process.cpuUsage(before);
                again(Math.max(Math.min(wait * GROWTH, LONGEST_MS), ((user + system) / 1000) * SPARING));
            }, wait);
            this.#timer.unref();
        };
        again(FIRST_LOOK_MS);
    }
    #tellNews(tell) {
        const amount = this.#sightings.size + this.#carriers.size + this.#hidden.size;
        if (amount === 0 || amount < 2 * this.#told)
            return;
        this.#told = amount;
        tell(this.seen());
    }
    stop() {
        clearTimeout(this.#timer);
        if (this.#looked)
            this.look();
    }
    look() {
        this.#looked = true;
        const own = [];
        for (const known of this.#meet()) {
            if (!known.ours)
                continue;
            own.push(known.now);
            if (!known.settled)
                this.#examine(known);
        }
        this.#use.look(own);
    }
    seen() {
        return {
            sightings: [...this.#sightings.values()],
            carriers: [...this.#carriers],
            hidden: [...this.#hidden].map(([pid, program]) => ({ pid, program })),
            use: this.#use.use(),
        };
    }
    met() {
        const ours = [...this.#known.values()].filter((known) => known.ours);
        return ours.map(({ facts: { pid, startTicks } }) => ({ pid, startTicks }));
    }
    #meet() {
        const living = new Map();
        const all = [];
        for (const name of namesIn(this.root)) {
            const pid = Number(name);
            if (!(pid > 1) || pid === process.pid)
                continue;
            const known = this.#known.get(pid);
            const facts = known && !known.ours ? known.facts : (0,proc/* processFacts */.PJ)(pid, this.root);
            if (facts === null)
                continue;
            all.push(facts);
            if (known?.facts.startTicks !== facts.startTicks)
                continue;
            known.now = facts;
            living.set(pid, known);
        }
        const own = (0,step_own/* ownAmong */.nd)(this.mark(), all, ({ pid }) => living.get(pid)?.ours, this.root);
        for (const facts of all.filter(({ pid }) => !living.has(pid)).sort(step_own/* byStart */.oV)) {
            living.set(facts.pid, { facts, now: facts, ours: own.has(facts.pid), settled: false });
        }
        this.#known = living;
        return living.values();
    }
    #examine(known) {
        const { pid } = known.facts;
        const program = (0,external_node_path_.basename)((0,proc/* readExecutable */.pK)(pid, this.root) ?? '');
        if (launchers/* CARRIERS */.Mf.has(program))
            this.#carriers.add(program);
        const maps = this.#maps(pid);
        const base = maps === null ? undefined : TORCH.exec(maps)?.[1];
        if (base === undefined)
            return;
        known.settled = true;
        const { startTicks } = (0,proc/* processFacts */.PJ)(pid, this.root) ?? known.facts;
        if (this.#sightings.size >= watch_MOST)
            return;
        this.#sightings.set(`${pid}.${startTicks}`, {
            pid,
            startTicks,
            innerPid: (0,proc/* innerPid */.QX)(pid, this.root),
            program,
            base,
            ...(0,unarmed/* whyUnarmed */.B8)({
                program,
                args: (0,proc/* readArguments */.lR)(pid, this.root) ?? [],
                env: (0,proc/* readEnvironment */.Qo)(pid, this.root),
                cwd: readLink(`${this.root}/${pid}/cwd`),
                uid: (0,proc/* effectiveUser */.d6)(pid, this.root),
            }, this.shimDir),
        });
    }
    #maps(pid) {
        try {
            return (0,external_node_fs_.readFileSync)(`${this.root}/${pid}/maps`, 'utf8');
        }
        catch (error) {
            const { code } = error;
            if ((code === 'EACCES' || code === 'EPERM') && this.#hidden.size < watch_MOST)
                this.#hide(pid);
            return null;
        }
    }
    #hide(pid) {
        try {
            const name = (0,external_node_fs_.readFileSync)(`${this.root}/${pid}/comm`, 'utf8').trim();
            if (unarmed/* PYTHON */.ZB.test(name))
                this.#hidden.set(pid, name);
        }
        catch {
        }
    }
}
function namesIn(root) {
    try {
        return (0,external_node_fs_.readdirSync)(root).filter((name) => /^\d+$/.test(name));
    }
    catch {
        return [];
    }
}
function readLink(path) {
    try {
        return (0,external_node_fs_.readlinkSync)(path);
    }
    catch {
        return null;
    }
}

;// CONCATENATED MODULE: ./build/main.js


























const main_GPU_TIMEOUT_MS = 5000;
const actionDir = () => (0,external_node_path_.join)(import.meta.dirname, '..', '..');
async function main(runner, terminal) {
    (0,runner_runner/* outliveOutput */.uC)();
    hideEnvironment();
    const reserve = new deliver_reserve/* Reserve */.z8();
    process.exitCode = await run((0,runner_runner/* forgiving */.yr)(runner, reserve.free), process.env, reserve, terminal);
    process.exit();
}
async function run(runner, env, reserve, terminal) {
    const workspace = (0,external_node_path_.resolve)(env.GITHUB_WORKSPACE || '.');
    const parsed = (0,build_inputs/* parseInputs */.TL)(runner.input);
    const problems = [
        ...(parsed.ok ? [] : parsed.problems),
        ...(await fileProblems(parsed.ok ? parsed.inputs : parsed.valid, workspace)),
    ];
    if (!parsed.ok || problems.length > 0)
        return refuse(runner, problems);
    const { inputs } = parsed;
    const planned = (0,build_plan/* makePlan */.Cs)(inputs, env, {
        id: (0,random/* randomHex */.n)(6),
        temp: (0,external_node_path_.resolve)(env.RUNNER_TEMP || (0,external_node_os_.tmpdir)()),
        workspace,
        now: Date.now(),
    });
    (0,state/* savePlan */.hp)(runner, planned);
    let laid;
    try {
        laid = (0,lay/* layStep */.J)(planned, (0,build_plan/* planScript */.lW)(inputs), (0,external_node_path_.join)(actionDir(), 'python', 'shim'));
    }
    catch (error) {
        return notLaid(runner, planned, error);
    }
    const plan = { ...planned, evidenceDir: laid.evidenceDir };
    (0,deliver_reserve/* layReserve */.XO)(plan);
    reserve.of(plan);
    (0,state/* savePlan */.hp)(runner, plan);
    for (const fault of laid.faults)
        runner.info((0,lib_text/* logLine */.BP)(fault));
    const before = { gpu: await (0,observe/* observeGpus */.U)({ timeoutMs: main_GPU_TIMEOUT_MS }), host: (0,step_host/* readHostCounters */.YW)() };
    const room = inputs.minFree === null ? null : roomFor(before.gpu, inputs.minFree, env.CUDA_VISIBLE_DEVICES);
    if (room?.state === 'full')
        return noRoom(runner, plan, room.message);
    if (room !== null)
        await runner.annotate('warning', room.message, { title: 'oom-autopsy: min-free' });
    const warning = leftoverWarning(before.gpu);
    if (warning !== null)
        await runner.annotate('warning', warning, { title: 'oom-autopsy: GPU in use' });
    const hints = scriptHints(inputs.run);
    let known = {
        group: null,
        host: before.host,
        result: null,
        shimLaid: laid.shim,
        faults: laid.faults,
        hints,
        gpu: before.gpu,
        seen: null,
        met: [],
    };
    const learn = (more) => {
        known = { ...known, ...more };
        (0,state/* savePlan */.hp)(runner, plan, known);
    };
    const mark = `${build_plan/* STEP_VARIABLE */.SE}=${plan.id}`;
    const watch = new TorchWatch(() => ({ leader: known.group?.pid ?? null, variable: mark, since: known.group?.startTicks ?? null }), plan.shimDir);
    watch.start((seen) => learn({ seen }));
    const cancel = (0,step_cancel/* watchCancel */.U)();
    const result = await (0,step_process/* runStep */.eg)({
        ...(runnerIgnoresSigpipe() ? ignoringSigpipe(plan.command) : plan.command),
        cwd: plan.cwd,
        env: (0,build_plan/* stepEnvironment */.aK)(plan, env, {
            inputVariables: build_inputs/* INPUT_NAMES */.Qh.map(runner_runner/* inputVariable */.LO),
            scratchState: (0,external_node_path_.join)(plan.stepDir, 'state'),
            shim: laid.shim,
        }),
        graceMs: plan.options.gracePeriod * 1000,
        mark,
        terminal,
        met: () => watch.met(),
        onStart: (group) => learn({ group }),
    });
    watch.stop();
    const replaced = replacedOutputs(env.GITHUB_OUTPUT);
    if (replaced.length > 0) {
        const names = replaced.join(', ');
        runner.info((0,lib_text/* logLine */.BP)(`the step set outputs that are this action's, whose own values replace them: ${names}`));
    }
    const met = watch.met();
    learn({ result, seen: watch.seen(), met });
    const ended = {
        plan,
        env,
        result,
        before,
        seen: watch.seen(),
        hints,
        faults: laid.faults,
        shimLaid: laid.shim,
        leader: known.group?.pid ?? null,
        since: known.group?.startTicks ?? null,
        met,
        actionDir: actionDir(),
        makeRoom: reserve.free,
        cancel,
    };
    try {
        const { code, stillRunning, cut, spent, evidence } = await finish(runner, ended);
        const left = spent ? !(await takeAway(runner, evidence)) : cut || stillRunning > 0;
        if (!left) {
            (0,state/* saveFinished */.Q8)(runner);
            reserve.free();
        }
        return code;
    }
    catch (error) {
        runner.info((0,lib_text/* logLine */.BP)(`the evidence could not be gathered (${error.message})`));
        return result.exitCode;
    }
}
async function notLaid(runner, plan, error) {
    await runner.annotate('error', `The commands could not be written to ${plan.stepDir} (${error.code ?? error.message}); nothing was run.`, { title: 'oom-autopsy: the step could not start' });
    setOutputs(runner, REFUSED_OUTPUTS);
    (0,state/* saveFinished */.Q8)(runner);
    return 1;
}
async function noRoom(runner, plan, message) {
    await runner.annotate('error', `${message}. Nothing was run.`, {
        title: 'oom-autopsy: not enough GPU memory is free',
    });
    runner.summary(`${markdown((0,rich/* say */.cv) `🔴 ${(0,rich/* strong */.ko)('Not run: not enough GPU memory is free.')} ${message}.`)}\n`);
    setOutputs(runner, REFUSED_OUTPUTS);
    (0,external_node_fs_.rmSync)(plan.stepDir, { recursive: true, force: true });
    (0,state/* saveFinished */.Q8)(runner);
    return 1;
}
async function fileProblems(inputs, workspace) {
    const problems = [];
    const { workingDirectory, fixture, parity } = inputs;
    const folder = workingDirectory === undefined ? null : (0,lay/* folderProblem */.I)((0,build_plan/* fromWorkspace */.mr)(workingDirectory, workspace));
    if (folder !== null) {
        problems.push({
            input: 'working-directory',
            given: workingDirectory || workspace,
            accepted: `a folder that exists (${folder})`,
        });
    }
    const path = fixture === undefined || parity === 'off' ? null : fixturePath(fixture, workspace);
    const file = path === null ? null : (await __nccwpck_require__.e(/* import() */ 25).then(__nccwpck_require__.bind(__nccwpck_require__, 1025))).fixtureProblem(path);
    if (file !== null) {
        problems.push({
            input: 'fixture',
            given: (0,lib_text/* printable */.g$)(fixture ?? '', 120),
            accepted: `a file that \`freeze\` of the parity check wrote (${file})`,
        });
    }
    return problems;
}
async function refuse(runner, problems) {
    const lines = problems.map(build_inputs/* describeProblem */.BJ);
    for (const line of lines)
        runner.info((0,lib_text/* logLine */.BP)(line));
    await runner.annotate('error', `${(0,lib_text/* count */.U9)(problems.length, 'input is', 'inputs are')} wrong; nothing was run.\n${lines.join('\n')}`, {
        title: 'oom-autopsy: wrong inputs',
    });
    setOutputs(runner, REFUSED_OUTPUTS);
    (0,state/* saveFinished */.Q8)(runner);
    return 1;
}


/***/ }),

/***/ 1781:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   Cs: () => (/* binding */ makePlan),
/* harmony export */   KD: () => (/* binding */ shimConfig),
/* harmony export */   M8: () => (/* binding */ plainStepEnvironment),
/* harmony export */   Pd: () => (/* binding */ JOB_FOLDER),
/* harmony export */   SE: () => (/* binding */ STEP_VARIABLE),
/* harmony export */   _E: () => (/* binding */ prependPath),
/* harmony export */   aK: () => (/* binding */ stepEnvironment),
/* harmony export */   lW: () => (/* binding */ planScript),
/* harmony export */   mr: () => (/* binding */ fromWorkspace),
/* harmony export */   rg: () => (/* binding */ inWatchedJob)
/* harmony export */ });
/* unused harmony export withoutJob */
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(6760);
/* harmony import */ var _step_shell_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(6373);


const DUMP_DEADLINE_S = { python: 120, all: 600 };
function makePlan(inputs, env, where) {
    const { run: _run, shell, workingDirectory, evidenceDir, ...options } = inputs;
    const stepDir = (0,node_path__WEBPACK_IMPORTED_MODULE_0__.join)(where.temp, `oom-autopsy-${where.id}`);
    const scriptBase = (0,node_path__WEBPACK_IMPORTED_MODULE_0__.join)(stepDir, 'run');
    const command = (0,_step_shell_js__WEBPACK_IMPORTED_MODULE_1__/* .shellCommand */ .q$)(shell, (extension) => `${scriptBase}${extension}`);
    const named = (value) => (value ? value : null);
    return {
        id: where.id,
        stepDir,
        shimDir: (0,node_path__WEBPACK_IMPORTED_MODULE_0__.join)(stepDir, 'path'),
        evidenceDir: evidenceDir === '' ? (0,node_path__WEBPACK_IMPORTED_MODULE_0__.join)(stepDir, 'evidence') : (0,node_path__WEBPACK_IMPORTED_MODULE_0__.normalize)(fromWorkspace(evidenceDir, where.workspace)),
        evidenceKept: evidenceDir !== '',
        outputDir: (0,node_path__WEBPACK_IMPORTED_MODULE_0__.join)(stepDir, 'out'),
        script: `${scriptBase}${command.scriptExtension}`,
        command,
        cwd: fromWorkspace(workingDirectory, where.workspace),
        workspace: where.workspace,
        startedAt: where.now,
        options,
        job: {
            repository: named(env.GITHUB_REPOSITORY),
            job: named(env.GITHUB_JOB),
            runId: named(env.GITHUB_RUN_ID),
            runAttempt: named(env.GITHUB_RUN_ATTEMPT),
            sha: named(env.GITHUB_SHA),
            serverUrl: named(env.GITHUB_SERVER_URL),
            runnerName: named(env.RUNNER_NAME),
        },
    };
}
const fromWorkspace = (path, workspace) => path === '' ? workspace : (0,node_path__WEBPACK_IMPORTED_MODULE_0__.isAbsolute)(path) ? path : (0,node_path__WEBPACK_IMPORTED_MODULE_0__.join)(workspace, path);
function shimBudget(budget) {
    if (budget === null)
        return null;
    if ('share' in budget)
        return budget.share < 1 ? budget.share : null;
    return Math.max(1, budget.bytes);
}
function shimConfig(plan) {
    const { options } = plan;
    return {
        schema: 'oom-autopsy.config.v1',
        step: plan.id,
        evidence: plan.evidenceDir,
        snapshot: options.snapshot,
        max_entries: options.maxEntries,
        stacks: options.stacks,
        max_snapshots: options.maxSnapshots,
        cycles: options.cycles,
        cycles_watch: options.cyclesWatch,
        categories: options.categories,
        timeline_steps: options.timelineSteps,
        dump_deadline_s: DUMP_DEADLINE_S[options.stacks],
        memory_budget: shimBudget(options.memoryBudget),
    };
}
const planScript = (inputs) => (0,_step_shell_js__WEBPACK_IMPORTED_MODULE_1__/* .scriptBody */ .E6)(inputs.run, inputs.shell);
const STEP_VARIABLE = 'OOM_AUTOPSY_STEP';
const ACTION_ONLY = [
    'ACTIONS_RUNTIME_TOKEN',
    'ACTIONS_RUNTIME_URL',
    'ACTIONS_RESULTS_URL',
    'ACTIONS_CACHE_URL',
    'ACTIONS_CACHE_SERVICE_V2',
];
function plainStepEnvironment(env, inputVariables) {
    const hidden = new Set([...inputVariables, ...ACTION_ONLY]);
    return Object.fromEntries(Object.entries(env).filter(([name]) => !hidden.has(name)));
}
function stepEnvironment(plan, env, options) {
    const result = plainStepEnvironment(env, options.inputVariables);
    if (result.GITHUB_STATE !== undefined)
        result.GITHUB_STATE = options.scratchState;
    if (options.shim)
        result.PYTHONPATH = prependPath(plan.shimDir, withoutJob(env.PYTHONPATH));
    result[STEP_VARIABLE] = plan.id;
    return result;
}
const JOB_FOLDER = 'oom-autopsy-job-';
const OF_JOB = new RegExp(`/${JOB_FOLDER}[0-9a-f]{12}/`);
const withoutJob = (path) => (path ?? '')
    .split(node_path__WEBPACK_IMPORTED_MODULE_0__.delimiter)
    .filter((entry) => !OF_JOB.test(entry))
    .join(node_path__WEBPACK_IMPORTED_MODULE_0__.delimiter);
const inWatchedJob = (path) => OF_JOB.test(path ?? '');
const prependPath = (dir, existing) => existing ? `${dir}${node_path__WEBPACK_IMPORTED_MODULE_0__.delimiter}${existing}` : dir;


/***/ }),

/***/ 6241:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   h: () => (/* binding */ annotations),
/* harmony export */   storyPlace: () => (/* binding */ storyPlace)
/* harmony export */ });
/* unused harmony export annotationPlace */
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(6760);
/* harmony import */ var _job_words_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(8377);
/* harmony import */ var _judge_outcomes_js__WEBPACK_IMPORTED_MODULE_9__ = __nccwpck_require__(9995);
/* harmony import */ var _judge_verdicts_js__WEBPACK_IMPORTED_MODULE_2__ = __nccwpck_require__(6344);
/* harmony import */ var _lib_text_js__WEBPACK_IMPORTED_MODULE_7__ = __nccwpck_require__(4869);
/* harmony import */ var _frames_js__WEBPACK_IMPORTED_MODULE_6__ = __nccwpck_require__(5385);
/* harmony import */ var _rich_js__WEBPACK_IMPORTED_MODULE_8__ = __nccwpck_require__(6781);
/* harmony import */ var _story_js__WEBPACK_IMPORTED_MODULE_3__ = __nccwpck_require__(7234);
/* harmony import */ var _words_headline_js__WEBPACK_IMPORTED_MODULE_4__ = __nccwpck_require__(1173);
/* harmony import */ var _words_verdict_js__WEBPACK_IMPORTED_MODULE_5__ = __nccwpck_require__(6668);










const MAX_MESSAGE = 3000;
function annotationPlace(stack, workspace) {
    if (workspace === null)
        return {};
    for (const frame of [...stack].reverse()) {
        if ((0,_frames_js__WEBPACK_IMPORTED_MODULE_6__/* .frameKind */ .A1)(frame) !== 'user' || frame.file.startsWith('<'))
            continue;
        const file = (0,node_path__WEBPACK_IMPORTED_MODULE_0__.normalize)((0,node_path__WEBPACK_IMPORTED_MODULE_0__.isAbsolute)(frame.file) ? frame.file : (0,node_path__WEBPACK_IMPORTED_MODULE_0__.join)(workspace, frame.file));
        if (!(0,_frames_js__WEBPACK_IMPORTED_MODULE_6__/* .liesIn */ .z$)(file, workspace))
            continue;
        const path = file.slice((0,node_path__WEBPACK_IMPORTED_MODULE_0__.normalize)(workspace).replace(/\/+$/, '').length + 1);
        return frame.line > 0 ? { file: path, startLine: frame.line } : { file: path };
    }
    return {};
}
function annotations(manifest, workspace) {
    const level = _judge_verdicts_js__WEBPACK_IMPORTED_MODULE_2__/* .VERDICT_TRAITS */ .Es[manifest.verdict.name].annotation;
    const gates = manifest.gates.map((gate) => (0,_lib_text_js__WEBPACK_IMPORTED_MODULE_7__/* .printable */ .g$)(gate.message, MAX_MESSAGE / 3));
    const failing = manifest.gates.some((gate) => gate.level === 'fail');
    const gateTitle = `oom-autopsy: ${manifest.gates.map((gate) => gate.gate).join(', ')}`;
    const result = [];
    if (manifest.verdict.name === 'failed') {
        result.push(failedAnnotation(manifest, workspace));
    }
    else if (level !== null) {
        const place = storyPlace(manifest, workspace);
        const text = (0,_rich_js__WEBPACK_IMPORTED_MODULE_8__/* .plainText */ .wh)((0,_rich_js__WEBPACK_IMPORTED_MODULE_8__/* .joinRich */ .Rz)((0,_words_verdict_js__WEBPACK_IMPORTED_MODULE_5__/* .verdictParagraphs */ .Ne)(manifest)));
        const message = (0,_lib_text_js__WEBPACK_IMPORTED_MODULE_7__/* .printable */ .g$)(text === '' ? manifest.verdict.because : text, MAX_MESSAGE);
        const { title } = (0,_words_headline_js__WEBPACK_IMPORTED_MODULE_4__/* .headline */ .P)(manifest);
        result.push({ level, message, place: { title, ...place } });
    }
    const [first] = result;
    if (first?.level === 'warning' && gates.length > 0) {
        const message = [first.message, ...gates].join('\n');
        return [{ level: failing ? 'error' : 'warning', message, place: first.place }];
    }
    if (gates.length > 0) {
        result.push({
            level: failing && result.length === 0 ? 'error' : 'warning',
            message: gates.join('\n'),
            place: { title: gateTitle },
        });
    }
    return result;
}
const SHELL_WORDS = {
    126: 'A command could not be run: it is not executable',
    127: 'A command was not found',
};
function failedAnnotation(manifest, workspace) {
    const { step, processes } = manifest;
    const job = step.scope === 'job';
    const code = job || step.exit_code === null ? '' : ` (exit code ${step.exit_code})`;
    const [first] = processes
        .filter(({ end }) => end?.kind === 'exception' && end.exception !== null)
        .sort((a, b) => (a.end?.time ?? 0) - (b.end?.time ?? 0));
    const end = first?.end;
    const name = job && first ? (0,_job_words_js__WEBPACK_IMPORTED_MODULE_1__.stepName)(first, workspace) : null;
    const where = name === null ? '' : ` in step ${name}`;
    const words = end
        ? `${first?.program ?? 'A program'} ended with ${end.exception?.split('.').at(-1)}${where}`
        : job
            ? 'The job failed'
            : (SHELL_WORDS[step.exit_code ?? 0] ?? 'The step failed');
    const open = (0,_judge_outcomes_js__WEBPACK_IMPORTED_MODULE_9__/* .unexplained */ .EJ)(manifest.processes) > 0;
    const place = end?.at ? annotationPlace([end.at], workspace) : open ? storyPlace(manifest, workspace) : {};
    const seen = open && !end ? '; an out-of-memory was seen here' : '';
    return { level: 'error', message: (0,_lib_text_js__WEBPACK_IMPORTED_MODULE_7__/* .printable */ .g$)(`${words}${code}${seen}`, MAX_MESSAGE), place };
}
function storyPlace(manifest, workspace) {
    const story = (0,_story_js__WEBPACK_IMPORTED_MODULE_3__/* .mainStory */ .dE)(manifest);
    const telling = story && (story.fatal || (0,_story_js__WEBPACK_IMPORTED_MODULE_3__/* .unseenOoms */ .x1)(manifest).length === 0);
    return telling ? placeOf(story.oom.stack, story.oom.main_stack, workspace) : {};
}
function placeOf(stack, main, workspace) {
    const place = annotationPlace(stack, workspace);
    return place.file === undefined && main ? annotationPlace(main, workspace) : place;
}


/***/ }),

/***/ 9280:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   _: () => (/* binding */ mergedCycles)
/* harmony export */ });
/* harmony import */ var _words_words_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(2072);

function mergedCycles(manifest) {
    const merged = new Map();
    for (const process of manifest.processes) {
        for (const cycle of process.cycles?.cycles ?? []) {
            const held = Object.values(cycle.bytes).reduce((sum, n) => sum + n, 0);
            const entry = merged.get(cycle.id) ?? { cycle, seen: 0, bytes: 0, processes: new Set() };
            if (entry.cycle.graph === null)
                entry.cycle = { ...entry.cycle, graph: cycle.graph };
            entry.seen += cycle.seen;
            entry.bytes += held;
            entry.processes.add((0,_words_words_js__WEBPACK_IMPORTED_MODULE_0__/* .processName */ .po)(process));
            merged.set(cycle.id, entry);
        }
    }
    return [...merged.values()].sort((a, b) => b.bytes - a.bytes);
}


/***/ }),

/***/ 5385:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   $t: () => (/* binding */ placeOf),
/* harmony export */   A1: () => (/* binding */ frameKind),
/* harmony export */   YI: () => (/* binding */ foldStack),
/* harmony export */   z$: () => (/* binding */ liesIn),
/* harmony export */   zO: () => (/* binding */ userFrame)
/* harmony export */ });
/* unused harmony export packageOf */
const LIBRARY = /(^|\/)(site-packages|dist-packages)\//;
const STANDARD = /(^|\/)lib(64)?\/(python|pypy)[\d.]+\//;
const GENERATED = /(^|\/)([a-z0-9]{2})\/c\2[a-z0-9]{40,}\.py$/;
const slashes = (path) => path.replace(/\\/g, '/');
function liesIn(file, folder) {
    if (folder === null || folder === '')
        return false;
    const base = slashes(folder).replace(/\/+$/, '');
    const path = slashes(file);
    return path.startsWith(`${base}/`) && !path.split('/').includes('..');
}
function frameKind(frame) {
    const file = slashes(frame.file);
    if (/(^|\/)_oom_autopsy\//.test(file) || /\/oom-autopsy-[0-9a-f]{12}\/path\//.test(file))
        return 'shim';
    if (/(^|\/)(site-packages|dist-packages)\/torch\//.test(file))
        return 'torch';
    if (LIBRARY.test(file) || STANDARD.test(file))
        return 'library';
    if (/^<(frozen |__array_function__)/.test(file))
        return 'library';
    if (/^<eval_with_key>/.test(file) || GENERATED.test(file))
        return 'torch';
    return 'user';
}
function packageOf(frame) {
    const file = slashes(frame.file);
    if (file.startsWith('<eval_with_key>') || GENERATED.test(file))
        return 'torch';
    const inside = /(?:site-packages|dist-packages)\/([^/]+)/.exec(file)?.[1];
    return inside === undefined ? 'python' : inside.replace(/\.py$/, '');
}
function userFrame(stack, workspace) {
    const own = stack.filter((frame) => frameKind(frame) === 'user');
    return own.findLast((frame) => liesIn(frame.file, workspace)) ?? own.at(-1) ?? null;
}
function foldStack(stack) {
    const groups = [];
    for (const frame of stack) {
        const kind = frameKind(frame);
        if (kind === 'shim')
            continue;
        const side = kind === 'user' ? 'user' : 'library';
        let group = groups.at(-1);
        if (group?.kind !== side) {
            group = { kind: side, frames: [], packages: [] };
            groups.push(group);
        }
        group.frames.push(frame);
        const name = side === 'library' ? packageOf(frame) : null;
        if (name !== null && !group.packages.includes(name))
            group.packages.push(name);
    }
    return groups;
}
const CELL = /(^|\/)ipykernel_\d+\/\d+\.py$|^<ipython-input-\d+-[0-9a-f]+>$/;
function placeOf(frame, workspace) {
    const file = slashes(frame.file);
    if (CELL.test(file))
        return `notebook cell, line ${frame.line}`;
    let shown = file;
    if (liesIn(file, workspace))
        shown = file.slice(slashes(workspace).replace(/\/+$/, '').length + 1);
    else if (file.startsWith('/')) {
        const inside = /(?:site-packages|dist-packages)\/(.+)$/.exec(file)?.[1];
        shown = inside ?? file.split('/').slice(-2).join('/');
    }
    return frame.line > 0 ? `${shown}:${frame.line}` : shown;
}


/***/ }),

/***/ 6781:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   D_: () => (/* binding */ unbroken),
/* harmony export */   Rz: () => (/* binding */ joinRich),
/* harmony export */   aY: () => (/* binding */ code),
/* harmony export */   cv: () => (/* binding */ say),
/* harmony export */   kH: () => (/* binding */ INVISIBLE),
/* harmony export */   ko: () => (/* binding */ strong),
/* harmony export */   ml: () => (/* binding */ shorten),
/* harmony export */   nf: () => (/* binding */ link),
/* harmony export */   wh: () => (/* binding */ plainText)
/* harmony export */ });
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

/***/ 7234:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   A: () => (/* binding */ tellingStack),
/* harmony export */   CI: () => (/* binding */ partsOf),
/* harmony export */   FD: () => (/* binding */ unusedInPools),
/* harmony export */   OV: () => (/* binding */ deviceOf),
/* harmony export */   RB: () => (/* binding */ censusOf),
/* harmony export */   WT: () => (/* binding */ disarmOf),
/* harmony export */   XC: () => (/* binding */ peakOf),
/* harmony export */   XP: () => (/* binding */ accountOf),
/* harmony export */   Yq: () => (/* binding */ fatalStories),
/* harmony export */   dE: () => (/* binding */ mainStory),
/* harmony export */   fG: () => (/* binding */ openOoms),
/* harmony export */   po: () => (/* binding */ raisedFirst),
/* harmony export */   sG: () => (/* binding */ outcomeOf),
/* harmony export */   x1: () => (/* binding */ unseenOoms),
/* harmony export */   z6: () => (/* binding */ endingOf)
/* harmony export */ });
/* unused harmony export isLocal */
/* harmony import */ var _evidence_receipt_js__WEBPACK_IMPORTED_MODULE_4__ = __nccwpck_require__(6534);
/* harmony import */ var _gpu_holders_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(2614);
/* harmony import */ var _judge_outcomes_js__WEBPACK_IMPORTED_MODULE_3__ = __nccwpck_require__(9995);
/* harmony import */ var _judge_outside_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(2455);
/* harmony import */ var _judge_verdict_js__WEBPACK_IMPORTED_MODULE_2__ = __nccwpck_require__(9517);
/* harmony import */ var _frames_js__WEBPACK_IMPORTED_MODULE_5__ = __nccwpck_require__(5385);






const timeOf = (oom) => oom.time ?? Number.POSITIVE_INFINITY;
function raisedFirst({ processes }, { pid, host, end, recorder }) {
    const said = end?.reraised_from ?? null;
    if (!end?.oom || (said === null && recorder.state !== 'idle'))
        return { from: null, story: null };
    const latest = end.time ?? Number.POSITIVE_INFINITY;
    const had = processes.flatMap((worker) => {
        const oom = worker.end?.oom ? undefined : worker.ooms.findLast((o) => timeOf(o) <= latest);
        return oom === undefined ? [] : [{ process: worker, oom, fatal: true }];
    });
    const children = had.filter(({ process }) => process.ppid === pid && process.host === host);
    const workers = children.length > 0 ? children : said !== null && had.length === 1 ? had : [];
    const story = workers.sort((x, y) => timeOf(x.oom) - timeOf(y.oom)).at(-1) ?? null;
    return { from: said ?? (story === null ? null : 'process'), story };
}
const raisedAgain = new WeakMap();
function isRaisedAgain(manifest, oom) {
    let all = raisedAgain.get(manifest);
    if (all === undefined) {
        all = new Set(manifest.processes.flatMap((p) => raisedFirst(manifest, p).story?.oom ?? []));
        raisedAgain.set(manifest, all);
    }
    return oom !== undefined && all.has(oom);
}
function fatalStories(manifest) {
    return manifest.processes
        .flatMap((process) => {
        const told = process.ooms.filter(_judge_outcomes_js__WEBPACK_IMPORTED_MODULE_3__/* .isFatal */ .BG).map((oom) => ({ process, oom, fatal: true }));
        if (!process.end?.oom)
            return told;
        const { from, story } = raisedFirst(manifest, process);
        if (from !== null)
            return story === null ? told : [...told, story];
        const oom = process.ooms.at(-1);
        return oom && !(0,_judge_outcomes_js__WEBPACK_IMPORTED_MODULE_3__/* .isFatal */ .BG)(oom) ? [...told, { process, oom, fatal: true }] : told;
    })
        .sort((a, b) => timeOf(a.oom) - timeOf(b.oom));
}
function mainStory(manifest) {
    const fatal = fatalStories(manifest)[0];
    if (fatal)
        return fatal;
    let newest = null;
    for (const process of manifest.processes) {
        for (const oom of process.ooms) {
            if (newest === null || (oom.time ?? 0) > (newest.oom.time ?? 0))
                newest = { process, oom, fatal: false };
        }
    }
    return newest;
}
const unseenOoms = (manifest) => manifest.processes.filter((p) => p.end?.outside_oom?.certain === true ||
    (p.end?.oom === true && (p.ooms.length === 0 || p.end.reraised_from !== null)));
const deviceOf = ({ process, oom }) => process.devices.find((d) => d.index === oom.device) ?? null;
const isLocal = (manifest, { host }) => host === manifest.runner.host;
function othersOn(manifest, process, device) {
    const { gpu } = manifest;
    if (!gpu || !isLocal(manifest, process))
        return [];
    return gpu.holders
        .filter((one) => one.whose === 'stranger')
        .filter((one) => sameDevice(one.before ? gpu.before : gpu.after, one.device, device))
        .map((one) => {
        const { pid, name, before, gone } = one;
        return { pid, name, used: (0,_gpu_holders_js__WEBPACK_IMPORTED_MODULE_0__/* .heldBy */ .V)(one), before: before !== null, gone };
    });
}
function sameDevice(look, index, device) {
    if (look?.state !== 'seen')
        return false;
    if (device === null || look.devices.length === 1)
        return true;
    if (index === null || index !== device.index)
        return false;
    const total = look.devices.find((d) => d.index === index)?.total ?? null;
    return total === null || device.total === null || Math.abs(total - device.total) <= 0.05 * total;
}
function accountOf(manifest, story) {
    const { oom } = story;
    const device = deviceOf(story);
    const total = oom.device_total ?? device?.total ?? null;
    const free = oom.device_free ?? oom.free;
    const { reserved, allocated } = oom;
    const limit = oom.limit ?? device?.limit ?? null;
    const seen = othersOn(manifest, story.process, device);
    const there = seen.filter((o) => !o.gone);
    const held = there.reduce((sum, o) => sum + (o.used ?? 0), 0);
    const outside = total === null || free === null || reserved === null ? null : Math.max(0, total - free - reserved);
    const fits = outside === null || held <= outside;
    return {
        total,
        free,
        reserved,
        allocated,
        unused: reserved === null || allocated === null ? null : Math.max(0, reserved - allocated),
        outside,
        limit: limit !== null && total !== null && limit < total ? limit : null,
        others: fits ? there : [],
        othersHeld: fits ? held : 0,
        unsure: fits ? seen.filter((o) => o.gone) : seen,
    };
}
const censusOf = (census, index) => census?.devices.find((d) => d.index === index) ?? (index === null ? (census?.devices[0] ?? null) : null);
const unusedInPools = (census) => (census?.pools ?? []).reduce((sum, pool) => sum + pool.reserved - pool.allocated, 0);
function partsOf(account, oom) {
    const census = censusOf(oom.census, oom.device);
    const parts = [];
    const plain = (name, bytes) => {
        if (bytes !== null && bytes > 0)
            parts.push({ name, bytes, whole: true, count: null, owners: [], reasons: [] });
    };
    if (census) {
        for (const name of _evidence_receipt_js__WEBPACK_IMPORTED_MODULE_4__/* .CATEGORY_NAMES */ .ku) {
            const whole = !oom.census?.not_reached.includes(name);
            const category = census.categories[name];
            if (!category || (category.bytes === 0 && whole))
                continue;
            const { bytes, count, owners, reasons } = category;
            parts.push({ name, bytes, whole, count, owners, reasons });
        }
        plain('unused', census.reserved_unused);
    }
    else {
        plain('allocated', account.allocated);
        plain('unused', account.unused);
    }
    const others = Math.min(account.othersHeld, account.outside ?? 0);
    plain('others', others);
    plain('outside', account.outside === null ? null : account.outside - others);
    plain('free', account.free);
    return parts;
}
function tellingStack(oom, workspace) {
    const own = (0,_frames_js__WEBPACK_IMPORTED_MODULE_5__/* .userFrame */ .zO)(oom.stack, workspace);
    if (own || !oom.main_stack)
        return { frame: own, stack: oom.stack, main: false };
    return { frame: (0,_frames_js__WEBPACK_IMPORTED_MODULE_5__/* .userFrame */ .zO)(oom.main_stack, workspace), stack: oom.main_stack, main: true };
}
function endingOf(manifest, process) {
    if ((0,_judge_outside_js__WEBPACK_IMPORTED_MODULE_1__/* .endedByOom */ .LU)(process))
        return 'oom';
    if (process.end)
        return process.end.kind;
    if (!isLocal(manifest, process))
        return 'elsewhere';
    return manifest.still_running.some((s) => s.pid === process.pid) ? 'running' : 'no-handlers';
}
const openOoms = (manifest) => (0,_judge_verdict_js__WEBPACK_IMPORTED_MODULE_2__/* .openEnds */ .fO)(manifest.processes, manifest.still_running, manifest.runner.host);
const TOLD = {
    'test-failed': 'test',
    handled: 'caught',
    exit: 'exit',
    left: 'left',
    raised: null,
};
function outcomeOf(manifest, process, index) {
    const { ooms } = process;
    const onMain = ooms[index]?.thread === 'main';
    const told = TOLD[ooms[index]?.outcome?.kind ?? 'raised'];
    if (told !== null)
        return told;
    if (process.end?.oom && process.end.reraised_from === null && index === ooms.length - 1)
        return 'process';
    if (isRaisedAgain(manifest, ooms[index]))
        return 'raised-again';
    if (!onMain && process.thread_ends.some((end) => end.oom))
        return 'thread';
    const ending = endingOf(manifest, process);
    if (ending === 'oom' || ending === 'exception')
        return 'caught';
    if (ending === 'exit')
        return index < ooms.length - 1 || manifest.step.exit_code === 0 ? 'caught' : 'exited';
    return onMain && ooms.slice(index + 1).some((later) => later.thread === 'main') ? 'caught' : ending;
}
function disarmOf({ recorder }) {
    switch (recorder.state) {
        case 'idle':
            return 'idle';
        case 'foreign':
            return 'foreign';
        case 'armed':
            return 'armed-still';
        case 'disarmed':
            return recorder.disarm_proven === false ? 'unproven' : 'disarmed';
        default:
            return 'not-armed';
    }
}
function peakOf(process) {
    let best = null;
    for (const device of process.devices) {
        if ((device.peak_allocated ?? -1) > (best?.peak_allocated ?? -1))
            best = device;
    }
    return best;
}


/***/ }),

/***/ 7556:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   z: () => (/* binding */ timelines)
/* harmony export */ });
/* unused harmony export readTimeline */
/* harmony import */ var _evidence_receipt_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(6534);
/* harmony import */ var _words_words_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(2072);


const isFields = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const list = (value) => (Array.isArray(value) ? value : []);
const text = (value) => typeof value === 'string' && value !== '' ? value : null;
const amount = (value) => typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
function readPoint(value) {
    if (!isFields(value))
        return null;
    const parts = isFields(value.by_category) ? value.by_category : {};
    return {
        step: amount(value.step),
        phase: text(value.phase) ?? '',
        bytes: _evidence_receipt_js__WEBPACK_IMPORTED_MODULE_1__/* .CATEGORY_NAMES */ .ku.map((category) => Object.hasOwn(parts, category) ? amount(parts[category]) : 0),
    };
}
function readTimeline(process) {
    const root = process.timeline;
    if (!isFields(root))
        return null;
    const series = list(root.devices).flatMap((device) => {
        if (!isFields(device))
            return [];
        const points = list(device.points)
            .map(readPoint)
            .filter((p) => p !== null);
        const name = text(device.device) ?? '?';
        const peak = points.reduce((most, p) => Math.max(most, p.bytes.reduce((a, b) => a + b, 0)), 0);
        return points.length === 0
            ? []
            : [{ label: `${(0,_words_words_js__WEBPACK_IMPORTED_MODULE_0__/* .processName */ .po)(process)}, ${name}`, device: name, peak, points }];
    });
    return {
        process,
        state: text(root.state) ?? 'unknown',
        reason: text(root.reason),
        mode: text(root.mode),
        steps: amount(root.steps),
        blind: list(root.blind).flatMap((b) => isFields(b) ? [{ what: text(b.what) ?? '?', count: amount(b.count) }] : []),
        series,
    };
}
const timelines = (manifest) => manifest.processes.map(readTimeline).filter((t) => t !== null);


/***/ }),

/***/ 1173:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   P: () => (/* binding */ headline)
/* harmony export */ });
/* harmony import */ var _job_words_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(8377);
/* harmony import */ var _judge_blind_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(439);
/* harmony import */ var _judge_outcomes_js__WEBPACK_IMPORTED_MODULE_7__ = __nccwpck_require__(9995);
/* harmony import */ var _judge_outside_js__WEBPACK_IMPORTED_MODULE_2__ = __nccwpck_require__(2455);
/* harmony import */ var _judge_verdict_js__WEBPACK_IMPORTED_MODULE_3__ = __nccwpck_require__(9517);
/* harmony import */ var _judge_verdicts_js__WEBPACK_IMPORTED_MODULE_4__ = __nccwpck_require__(6344);
/* harmony import */ var _lib_text_js__WEBPACK_IMPORTED_MODULE_9__ = __nccwpck_require__(4869);
/* harmony import */ var _rich_js__WEBPACK_IMPORTED_MODULE_8__ = __nccwpck_require__(6781);
/* harmony import */ var _story_js__WEBPACK_IMPORTED_MODULE_5__ = __nccwpck_require__(7234);
/* harmony import */ var _words_js__WEBPACK_IMPORTED_MODULE_6__ = __nccwpck_require__(2072);










const ranOut = (kinds) => kinds.length > 0 && kinds.every((kind) => kind === 'pinned-host')
    ? 'Out of pinned host memory'
    : 'Out of GPU memory';
function inside(manifest) {
    const { tests } = (0,_judge_outcomes_js__WEBPACK_IMPORTED_MODULE_7__/* .fatalOoms */ .bE)(manifest.processes);
    const [first] = tests;
    if (first !== undefined) {
        return `in test ${(0,_rich_js__WEBPACK_IMPORTED_MODULE_8__/* .shorten */ .ml)(first, 120)}${tests.length > 1 ? ` and ${tests.length - 1} more` : ''}`;
    }
    const oom = (0,_story_js__WEBPACK_IMPORTED_MODULE_5__/* .fatalStories */ .Yq)(manifest)[0]?.oom;
    if (oom?.cell != null)
        return `in cell ${oom.cell} of a notebook`;
    const test = oom?.test?.child ? (0,_judge_outcomes_js__WEBPACK_IMPORTED_MODULE_7__/* .testName */ .UU)(oom) : null;
    return test === null ? null : `in a process of test ${(0,_rich_js__WEBPACK_IMPORTED_MODULE_8__/* .shorten */ .ml)(test, 120)}`;
}
function oomTitle(manifest) {
    const ended = manifest.processes.filter((p) => (0,_judge_outside_js__WEBPACK_IMPORTED_MODULE_2__/* .endedByOom */ .LU)(p) || p.ooms.some(_judge_outcomes_js__WEBPACK_IMPORTED_MODULE_7__/* .isFatal */ .BG));
    const where = inside(manifest);
    const outside = ended.flatMap(({ end }) => (end?.outside_oom ? [end.outside_oom.kind] : []));
    const what = outside.length === ended.length ? ranOut(outside) : ranOut([]);
    const ranks = [...new Set(ended.flatMap((p) => (p.rank === null ? [] : [p.rank])))];
    const process = (0,_story_js__WEBPACK_IMPORTED_MODULE_5__/* .fatalStories */ .Yq)(manifest)[0]?.process;
    const first = process?.rank;
    const hosts = new Set(manifest.processes.map(({ host }) => host));
    const of = process !== undefined && hosts.size > 1 ? ` of ${(0,_rich_js__WEBPACK_IMPORTED_MODULE_8__/* .shorten */ .ml)(process.host, 40)}` : '';
    if (where !== null)
        return `${what} ${where}`;
    if (ranks.length === 1)
        return `${what} on rank ${ranks[0]}${of}`;
    if (ranks.length > 1) {
        return `${what} on ranks ${(0,_words_js__WEBPACK_IMPORTED_MODULE_6__/* .rankWords */ .cz)(ranks)}${first == null ? '' : `, first on rank ${first}${of}`}`;
    }
    if (ended.length > 1)
        return `${what} in ${ended.length} processes`;
    const called = ended[0]?.identity?.name;
    if (called)
        return `${what} in ${(0,_rich_js__WEBPACK_IMPORTED_MODULE_8__/* .shorten */ .ml)(called, 60)}`;
    const program = ended[0]?.program;
    return program ? `${what} in ${(0,_rich_js__WEBPACK_IMPORTED_MODULE_8__/* .shorten */ .ml)(program, 60)}` : what;
}
function recoveredTitle(manifest) {
    const open = (0,_story_js__WEBPACK_IMPORTED_MODULE_5__/* .openOoms */ .fG)(manifest);
    const one = manifest.oom_count === 1;
    const errors = (0,_lib_text_js__WEBPACK_IMPORTED_MODULE_9__/* .count */ .U9)(manifest.oom_count, 'out-of-memory error');
    if ((0,_judge_verdict_js__WEBPACK_IMPORTED_MODULE_3__/* .allCaught */ ._A)(open))
        return `${errors}, ${one ? 'caught' : 'all caught'}: the program went on`;
    if (one && open.running > 0)
        return `${errors}, and its process still runs`;
    return `${errors}; whether ${one ? 'it was' : 'all were'} caught is not known`;
}
function seenTitle(manifest) {
    const { oom_count: n, processes, unarmed, blind_spots } = manifest;
    if (n > 0) {
        if ((0,_judge_verdict_js__WEBPACK_IMPORTED_MODULE_3__/* .allCaught */ ._A)((0,_story_js__WEBPACK_IMPORTED_MODULE_5__/* .openOoms */ .fG)(manifest)) && (0,_judge_outcomes_js__WEBPACK_IMPORTED_MODULE_7__/* .unexplained */ .EJ)(processes) === 0)
            return '';
        return n === 1 ? '; an out-of-memory was seen' : `; ${n} out-of-memory errors were seen`;
    }
    if ((0,_judge_outside_js__WEBPACK_IMPORTED_MODULE_2__/* .outsideOoms */ .Qk)(processes).maybe.length > 0)
        return '; it may be out of memory';
    if (blind_spots.length > 0)
        return `; ${(0,_judge_blind_js__WEBPACK_IMPORTED_MODULE_1__/* .doubtOf */ .kv)(blind_spots)}`;
    if (processes.length === 0)
        return '; nothing was recorded';
    return unarmed.length > 0 ? '; not all of it was recorded' : '; no out-of-memory was seen';
}
const TITLES = {
    ok: () => 'No out-of-memory',
    'oom-recovered': recoveredTitle,
    oom: oomTitle,
    'host-oom': () => 'The host ran out of memory, not the GPU',
    killed: () => 'Killed by SIGKILL',
    cancelled: () => 'Cancelled or out of time',
    failed: (manifest) => {
        const exit = manifest.step.exit_code;
        return `The step failed${exit === null ? '' : ` with exit code ${exit}`}${seenTitle(manifest)}`;
    },
    unknown: ({ blind_spots }) => (0,_words_js__WEBPACK_IMPORTED_MODULE_6__/* .capital */ .Nx)((0,_judge_blind_js__WEBPACK_IMPORTED_MODULE_1__/* .doubtOf */ .kv)(blind_spots)),
    'not-run': () => 'Nothing was run',
};
function headline(manifest) {
    const { name } = manifest.verdict;
    const { icon, tone } = _judge_verdicts_js__WEBPACK_IMPORTED_MODULE_4__/* .VERDICT_TRAITS */ .Es[name];
    const title = TITLES[name](manifest);
    return { icon, tone, title: manifest.step.scope === 'job' ? (0,_job_words_js__WEBPACK_IMPORTED_MODULE_0__.ofJob)(title) + (0,_job_words_js__WEBPACK_IMPORTED_MODULE_0__.inStep)(manifest) : title };
}


/***/ }),

/***/ 5402:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   CQ: () => (/* binding */ hostOwnerRich),
/* harmony export */   pP: () => (/* binding */ ownersRich),
/* harmony export */   q9: () => (/* binding */ partRich),
/* harmony export */   uM: () => (/* binding */ share),
/* harmony export */   vj: () => (/* binding */ amount),
/* harmony export */   zK: () => (/* binding */ PART_NAMES)
/* harmony export */ });
/* harmony import */ var _lib_bytes_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(9079);
/* harmony import */ var _lib_text_js__WEBPACK_IMPORTED_MODULE_3__ = __nccwpck_require__(4869);
/* harmony import */ var _rich_js__WEBPACK_IMPORTED_MODULE_2__ = __nccwpck_require__(6781);
/* harmony import */ var _words_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(2072);




const OWNED = ['module buffer', 'visible tensor'];
const PART_NAMES = {
    parameter: 'parameter',
    gradient: 'gradient',
    optimizer_state: 'optimizer state',
    activation: 'activation',
    input: 'input',
    unknown: 'unknown',
    allocated: 'in use by this process',
    unused: 'reserved, unused',
    others: 'other processes',
    outside: "outside of torch's allocator",
    free: 'free',
};
function partRich(part) {
    const label = (0,_rich_js__WEBPACK_IMPORTED_MODULE_2__/* .strong */ .ko)(PART_NAMES[part.name]);
    if (part.name === 'activation')
        return (0,_rich_js__WEBPACK_IMPORTED_MODULE_2__/* .say */ .cv) `${label} (saved for backward)`;
    if (part.name === 'outside')
        return (0,_rich_js__WEBPACK_IMPORTED_MODULE_2__/* .say */ .cv) `${label} (driver, libraries, processes not listed)`;
    return [label];
}
function amount(part) {
    if (part.whole)
        return (0,_lib_bytes_js__WEBPACK_IMPORTED_MODULE_0__/* .formatBytes */ .z)(part.bytes);
    return part.bytes === 0 ? 'not reached' : `${(0,_lib_bytes_js__WEBPACK_IMPORTED_MODULE_0__/* .formatBytes */ .z)(part.bytes)}, not all reached`;
}
const ownerRich = ({ name: of, kind }) => kind === 'compiled' ? (0,_rich_js__WEBPACK_IMPORTED_MODULE_2__/* .say */ .cv) `compiled graph of ${(0,_words_js__WEBPACK_IMPORTED_MODULE_1__/* .name */ .UU)(of, 60)}` : kind === 'library' ? [of] : [(0,_words_js__WEBPACK_IMPORTED_MODULE_1__/* .name */ .UU)(of, 60)];
function untold({ owners, reasons }) {
    let told = owners.filter(({ kind }) => kind !== 'library').reduce((sum, owner) => sum + owner.bytes, 0);
    const libraries = new Set(owners.filter(({ kind }) => kind === 'library').map(({ name: of }) => of));
    return reasons
        .filter(({ reason }) => !libraries.has(reason))
        .flatMap(({ reason, bytes }) => {
        const less = OWNED.includes(reason) ? Math.min(told, bytes) : 0;
        told -= less;
        return bytes === less ? [] : [{ what: [(0,_rich_js__WEBPACK_IMPORTED_MODULE_2__/* .shorten */ .ml)(reason, _words_js__WEBPACK_IMPORTED_MODULE_1__/* .MAX_NAME */ .zB)], bytes: bytes - less }];
    });
}
function ownersRich(part, most = 2, from = 0) {
    const owners = part.owners.map((owner) => ({ what: ownerRich(owner), bytes: owner.bytes }));
    const all = part.name === 'unknown' ? [...owners, ...untold(part)] : owners;
    const shown = [...all].sort((a, b) => b.bytes - a.bytes).slice(from, from + most);
    return (0,_rich_js__WEBPACK_IMPORTED_MODULE_2__/* .joinRich */ .Rz)(shown.map(({ what, bytes }) => (0,_rich_js__WEBPACK_IMPORTED_MODULE_2__/* .say */ .cv) `${what} ${(0,_lib_bytes_js__WEBPACK_IMPORTED_MODULE_0__/* .formatBytes */ .z)(bytes)}`), ', ');
}
const hostOwnerRich = ({ program, pid, workers }) => (0,_rich_js__WEBPACK_IMPORTED_MODULE_2__/* .say */ .cv) `${workers === 0 ? null : `${(0,_lib_text_js__WEBPACK_IMPORTED_MODULE_3__/* .count */ .U9)(workers, 'worker')} of `}${(0,_words_js__WEBPACK_IMPORTED_MODULE_1__/* .name */ .UU)(program, 40)} (pid ${pid})`;
function share(part, whole) {
    if (whole <= 0)
        return '';
    const percent = (100 * part) / whole;
    return percent > 0 && percent < 1 ? '< 1 %' : `${Math.round(percent)} %`;
}


/***/ }),

/***/ 8574:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   C: () => (/* binding */ poolsRich)
/* harmony export */ });
/* harmony import */ var _evidence_receipt_js__WEBPACK_IMPORTED_MODULE_3__ = __nccwpck_require__(6534);
/* harmony import */ var _lib_bytes_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(9079);
/* harmony import */ var _rich_js__WEBPACK_IMPORTED_MODULE_2__ = __nccwpck_require__(6781);
/* harmony import */ var _story_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(7234);




const SHOWN = 3;
function whose({ kind, count }) {
    switch (kind) {
        case 'graph':
            return (0,_rich_js__WEBPACK_IMPORTED_MODULE_2__/* .say */ .cv) `that of a CUDA graph`;
        case 'handle':
            return (0,_rich_js__WEBPACK_IMPORTED_MODULE_2__/* .say */ .cv) `one made by the program (${(0,_rich_js__WEBPACK_IMPORTED_MODULE_2__/* .code */ .aY)('MemPool')}, ${(0,_rich_js__WEBPACK_IMPORTED_MODULE_2__/* .code */ .aY)('graph_pool_handle')})`;
        case 'rest':
            return (0,_rich_js__WEBPACK_IMPORTED_MODULE_2__/* .say */ .cv) `${count} smaller ones`;
    }
}
function inside(pool) {
    const largest = _evidence_receipt_js__WEBPACK_IMPORTED_MODULE_3__/* .CATEGORY_NAMES */ .ku.map((name) => ({ name, bytes: pool.categories[name] ?? 0 }))
        .filter(({ bytes }) => bytes > 0)
        .sort((a, b) => b.bytes - a.bytes)
        .slice(0, 2);
    return largest.map(({ name, bytes }) => `${name} ${(0,_lib_bytes_js__WEBPACK_IMPORTED_MODULE_0__/* .formatBytes */ .z)(bytes)}`).join(', ');
}
function poolsRich(census) {
    const pools = census?.pools ?? [];
    if (pools.length === 0)
        return null;
    const lines = pools.slice(0, SHOWN).map((pool) => {
        const parts = inside(pool);
        const content = parts === '' ? null : (0,_rich_js__WEBPACK_IMPORTED_MODULE_2__/* .say */ .cv) ` (${parts})`;
        return (0,_rich_js__WEBPACK_IMPORTED_MODULE_2__/* .say */ .cv) `${whose(pool)} with ${(0,_lib_bytes_js__WEBPACK_IMPORTED_MODULE_0__/* .formatBytes */ .z)(pool.reserved)} reserved, ${(0,_lib_bytes_js__WEBPACK_IMPORTED_MODULE_0__/* .formatBytes */ .z)(pool.allocated)} of it in blocks${content}`;
    });
    const hidden = pools.slice(SHOWN).reduce((sum, pool) => sum + pool.count, 0);
    const more = hidden === 0 ? null : (0,_rich_js__WEBPACK_IMPORTED_MODULE_2__/* .say */ .cv) `; and ${hidden} more`;
    const unused = (0,_story_js__WEBPACK_IMPORTED_MODULE_1__/* .unusedInPools */ .FD)(census);
    const idle = unused === 0
        ? null
        : (0,_rich_js__WEBPACK_IMPORTED_MODULE_2__/* .say */ .cv) ` ${(0,_rich_js__WEBPACK_IMPORTED_MODULE_2__/* .strong */ .ko)((0,_lib_bytes_js__WEBPACK_IMPORTED_MODULE_0__/* .formatBytes */ .z)(unused))} in them is in no block and serves no request from outside of them.`;
    return (0,_rich_js__WEBPACK_IMPORTED_MODULE_2__/* .say */ .cv) `Private pools of the allocator, counted above: ${(0,_rich_js__WEBPACK_IMPORTED_MODULE_2__/* .joinRich */ .Rz)(lines, '; ')}${more}.${idle}`;
}


/***/ }),

/***/ 3784:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   fg: () => (/* binding */ endingWords),
/* harmony export */   gB: () => (/* binding */ disarmWords),
/* harmony export */   nx: () => (/* binding */ OUTCOME_WORDS)
/* harmony export */ });
/* harmony import */ var _story_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(7234);
/* harmony import */ var _words_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(2072);


function endingWords(manifest, process) {
    const ending = (0,_story_js__WEBPACK_IMPORTED_MODULE_0__/* .endingOf */ .z6)(manifest, process);
    const exception = process.end?.exception;
    switch (ending) {
        case 'oom':
            return `${(0,_words_js__WEBPACK_IMPORTED_MODULE_1__/* .lastName */ .UK)(exception ?? 'OutOfMemoryError')}, not caught`;
        case 'exception':
            return exception == null ? 'exception' : (0,_words_js__WEBPACK_IMPORTED_MODULE_1__/* .lastName */ .UK)(exception);
        case 'sigterm':
            return 'SIGTERM';
        case 'exit':
            return 'exit';
        case 'running':
            return 'still running';
        case 'elsewhere':
            return 'no end recorded, under another host name';
        default:
            return 'without exit handlers (killed, or os._exit)';
    }
}
const OUTCOME_WORDS = {
    process: 'ended the process',
    test: 'failed a test',
    exit: 'the program ended itself',
    left: 'left the program, and a tool caught it',
    exited: 'not known: the process exited after it',
    'raised-again': 'raised again in another process',
    thread: 'ended a thread, or caught',
    caught: 'caught',
    sigterm: 'not known: ended by SIGTERM',
    'no-handlers': 'not known: ended without exit handlers',
    running: 'not known: still running',
    elsewhere: 'not known: no end recorded',
};
const ARMED_WORDS = {
    running: 'still armed',
    elsewhere: 'not seen disarmed',
};
function disarmWords(manifest, process) {
    switch ((0,_story_js__WEBPACK_IMPORTED_MODULE_0__/* .disarmOf */ .WT)(process)) {
        case 'disarmed':
            return process.recorder.interrupted ? 'yes (the program had switched it off)' : 'yes';
        case 'unproven':
            return 'not proven: still on after it';
        case 'idle':
            return 'never armed: no GPU used';
        case 'foreign':
            return "the program's own recording, left alone";
        case 'not-armed':
            return 'never armed';
        default:
            return ARMED_WORDS[(0,_story_js__WEBPACK_IMPORTED_MODULE_0__/* .endingOf */ .z6)(manifest, process)] ?? 'ended before disarming';
    }
}


/***/ }),

/***/ 6421:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   J$: () => (/* binding */ REASON_WORDS),
/* harmony export */   Nk: () => (/* binding */ takenWords),
/* harmony export */   jV: () => (/* binding */ LARGE_SNAPSHOT),
/* harmony export */   mw: () => (/* binding */ historyWords)
/* harmony export */ });
const REASON_WORDS = {
    oom: 'at an out-of-memory',
    exception: 'at an uncaught exception',
    sigterm: 'at SIGTERM',
    exit: 'at exit',
    budget: 'at exit, above the memory budget',
};
function takenWords(manifest, snapshot) {
    const process = manifest.processes.find((p) => p.host === snapshot.host && p.pid === snapshot.pid);
    const time = process?.ooms.find((oom) => oom.snapshot === snapshot.file)?.time ?? null;
    const words = REASON_WORDS[snapshot.reason];
    return time === null ? words : `${words}, ${Math.max(0, time - manifest.step.started).toFixed(1)} s in`;
}
function historyWords(snapshot) {
    switch (snapshot.history) {
        case 'armed':
            return snapshot.max_entries === null
                ? 'armed'
                : `armed, newest ${snapshot.max_entries.toLocaleString('en-US')} events`;
        case 'interrupted':
            return 'interrupted by the program: live blocks, no trace of what came before';
        case 'foreign':
            return "the program's own recording";
        case 'none':
            return 'none: live blocks without stacks, not a full snapshot';
        default:
            return 'unknown: its process left no receipt of it';
    }
}
const LARGE_SNAPSHOT = 300 * 2 ** 20;


/***/ }),

/***/ 5605:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   X: () => (/* binding */ notSeenSentences),
/* harmony export */   r: () => (/* binding */ rejectedLine)
/* harmony export */ });
/* harmony import */ var _judge_blind_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(439);
/* harmony import */ var _lib_text_js__WEBPACK_IMPORTED_MODULE_5__ = __nccwpck_require__(4869);
/* harmony import */ var _step_unarmed_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(9493);
/* harmony import */ var _rich_js__WEBPACK_IMPORTED_MODULE_4__ = __nccwpck_require__(6781);
/* harmony import */ var _verdict_js__WEBPACK_IMPORTED_MODULE_2__ = __nccwpck_require__(6668);
/* harmony import */ var _words_js__WEBPACK_IMPORTED_MODULE_3__ = __nccwpck_require__(2072);






function notSeenSentences(manifest) {
    const lines = [];
    const said = manifest.gates.find((gate) => gate.gate === 'if-no-torch')?.message ?? '';
    if (said !== '' && manifest.unarmed.length === 0)
        lines.push([(0,_rich_js__WEBPACK_IMPORTED_MODULE_4__/* .shorten */ .ml)(said, 600)]);
    for (const spot of manifest.blind_spots) {
        const told = manifest.verdict.because.includes((0,_judge_blind_js__WEBPACK_IMPORTED_MODULE_0__/* .blindWords */ .hi)(spot));
        lines.push((0,_rich_js__WEBPACK_IMPORTED_MODULE_4__/* .say */ .cv) `${(0,_rich_js__WEBPACK_IMPORTED_MODULE_4__/* .shorten */ .ml)((0,_words_js__WEBPACK_IMPORTED_MODULE_3__/* .capital */ .Nx)((0,_judge_blind_js__WEBPACK_IMPORTED_MODULE_0__/* .blindWords */ .hi)(spot, !told)), 500)}: ${(0,_judge_blind_js__WEBPACK_IMPORTED_MODULE_0__/* .blindRemedy */ .GW)(spot)}`);
    }
    const alike = new Map();
    for (const { program, advice, pid, reason } of manifest.unarmed) {
        if ((0,_step_unarmed_js__WEBPACK_IMPORTED_MODULE_1__/* .wasReached */ .OC)(reason))
            continue;
        const key = JSON.stringify([program, advice]);
        alike.set(key, [...(alike.get(key) ?? []), pid]);
    }
    for (const [key, pids] of alike) {
        const [program, advice] = JSON.parse(key);
        const more = pids.length > 4 ? ` and ${pids.length - 4} more` : '';
        lines.push((0,_rich_js__WEBPACK_IMPORTED_MODULE_4__/* .say */ .cv) `${(0,_words_js__WEBPACK_IMPORTED_MODULE_3__/* .name */ .UU)(program, 40)} (pid ${pids.slice(0, 4).join(', ')}${more}) had torch loaded and was not recorded: ${(0,_rich_js__WEBPACK_IMPORTED_MODULE_4__/* .shorten */ .ml)(advice, 300)}`);
    }
    for (const line of manifest.not_seen)
        lines.push([(0,_rich_js__WEBPACK_IMPORTED_MODULE_4__/* .shorten */ .ml)(line, 500)]);
    if (manifest.not_seen.length === 0) {
        for (const process of (0,_verdict_js__WEBPACK_IMPORTED_MODULE_2__/* .notArmed */ .to)(manifest)) {
            if ((0,_judge_blind_js__WEBPACK_IMPORTED_MODULE_0__/* .isBlind */ .iE)({ ...process, torch: process.build }))
                continue;
            lines.push((0,_rich_js__WEBPACK_IMPORTED_MODULE_4__/* .say */ .cv) `${(0,_words_js__WEBPACK_IMPORTED_MODULE_3__/* .processName */ .po)(process)} was not recorded: ${(0,_rich_js__WEBPACK_IMPORTED_MODULE_4__/* .shorten */ .ml)(process.recorder.reason ?? 'its receipt gives no reason', 400)}`);
        }
    }
    if (lines.length > 0 || manifest.processes.length === 0) {
        for (const hint of manifest.script_hints.filter(({ advice }) => !said.includes(advice))) {
            lines.push((0,_rich_js__WEBPACK_IMPORTED_MODULE_4__/* .say */ .cv) `Line ${hint.line} of the step uses ${(0,_words_js__WEBPACK_IMPORTED_MODULE_3__/* .name */ .UU)(hint.what)}: ${(0,_rich_js__WEBPACK_IMPORTED_MODULE_4__/* .shorten */ .ml)(hint.advice, 300)}`);
        }
    }
    return lines;
}
const FLOOD = 10;
const MOST_REASONS = 12;
function rejectedLine({ rejected_count, rejected_reasons }) {
    if (rejected_count <= FLOOD)
        return null;
    const kinds = rejected_reasons.slice(0, MOST_REASONS).map(({ reason, count: n }) => `${n} × ${reason}`);
    const more = rejected_reasons.length - kinds.length;
    const rest = more > 0 ? [`${(0,_lib_text_js__WEBPACK_IMPORTED_MODULE_5__/* .count */ .U9)(more, 'other reason')}`] : [];
    return `${(0,_lib_text_js__WEBPACK_IMPORTED_MODULE_5__/* .count */ .U9)(rejected_count, 'name')} not accepted as evidence: ${[...kinds, ...rest].join('; ')}`;
}


/***/ }),

/***/ 6668:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   IS: () => (/* binding */ greenLine),
/* harmony export */   Ne: () => (/* binding */ verdictParagraphs),
/* harmony export */   Qo: () => (/* binding */ hostKillsRich),
/* harmony export */   to: () => (/* binding */ notArmed)
/* harmony export */ });
/* unused harmony exports deviceName, whereRich, askedFor, whoHeld, becauseRich */
/* harmony import */ var _judge_blind_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(439);
/* harmony import */ var _judge_outcomes_js__WEBPACK_IMPORTED_MODULE_8__ = __nccwpck_require__(9995);
/* harmony import */ var _judge_outside_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(2455);
/* harmony import */ var _judge_verdict_js__WEBPACK_IMPORTED_MODULE_2__ = __nccwpck_require__(9517);
/* harmony import */ var _lib_bytes_js__WEBPACK_IMPORTED_MODULE_3__ = __nccwpck_require__(9079);
/* harmony import */ var _lib_text_js__WEBPACK_IMPORTED_MODULE_9__ = __nccwpck_require__(4869);
/* harmony import */ var _frames_js__WEBPACK_IMPORTED_MODULE_7__ = __nccwpck_require__(5385);
/* harmony import */ var _rich_js__WEBPACK_IMPORTED_MODULE_6__ = __nccwpck_require__(6781);
/* harmony import */ var _story_js__WEBPACK_IMPORTED_MODULE_4__ = __nccwpck_require__(7234);
/* harmony import */ var _words_js__WEBPACK_IMPORTED_MODULE_5__ = __nccwpck_require__(2072);










const MOST_EACH = 3;
const notArmed = (manifest) => manifest.processes.filter((p) => (0,_story_js__WEBPACK_IMPORTED_MODULE_4__/* .disarmOf */ .WT)(p) === 'not-armed');
const recordedIn = (manifest) => manifest.processes.filter((p) => ['disarmed', 'unproven', 'armed-still'].includes((0,_story_js__WEBPACK_IMPORTED_MODULE_4__/* .disarmOf */ .WT)(p)));
function deviceName(story) {
    const device = (0,_story_js__WEBPACK_IMPORTED_MODULE_4__/* .deviceOf */ .OV)(story);
    const index = story.oom.device ?? device?.index;
    const gpu = index == null ? 'the GPU' : `GPU ${index}`;
    return device?.name ? (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `${gpu} (${(0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .shorten */ .ml)(device.name, 60)})` : [gpu];
}
function whereRich(story, workspace) {
    const { frame, main } = (0,_story_js__WEBPACK_IMPORTED_MODULE_4__/* .tellingStack */ .A)(story.oom, workspace);
    if (!frame)
        return story.process.program === null ? ['The program'] : (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `${(0,_words_js__WEBPACK_IMPORTED_MODULE_5__/* .name */ .UU)(story.process.program)}`;
    const place = (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `${(0,_words_js__WEBPACK_IMPORTED_MODULE_5__/* .name */ .UU)((0,_frames_js__WEBPACK_IMPORTED_MODULE_7__/* .placeOf */ .$t)(frame, workspace))} in ${(0,_words_js__WEBPACK_IMPORTED_MODULE_5__/* .name */ .UU)(frame.function)}`;
    if (story.oom.thread === 'backward')
        return main
            ? (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `The backward pass, while the main thread stood at ${place},`
            : (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `The backward pass at ${place}`;
    return main ? (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `A thread, while the main thread stood at ${place},` : place;
}
function askedFor(manifest, story, account) {
    const { oom } = story;
    const where = whereRich(story, manifest.step.workspace);
    if (oom.wanted === null)
        return (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `${where} ran out of memory on ${deviceName(story)}.`;
    const asked = (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `${where} asked for ${(0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .strong */ .ko)((0,_lib_bytes_js__WEBPACK_IMPORTED_MODULE_3__/* .formatBytes */ .z)(oom.wanted))} on ${deviceName(story)}`;
    if (account.free === null)
        return (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `${asked}.`;
    const of = account.total === null ? null : (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) ` of ${(0,_lib_bytes_js__WEBPACK_IMPORTED_MODULE_3__/* .formatBytes */ .z)(account.total)}`;
    return (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `${asked}, and ${(0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .strong */ .ko)((0,_lib_bytes_js__WEBPACK_IMPORTED_MODULE_3__/* .formatBytes */ .z)(account.free))} were free${of}.`;
}
function whoHeld(account) {
    const { reserved, allocated, outside, others, othersHeld, limit } = account;
    const own = reserved === null
        ? null
        : reserved === 0
            ? ['This process held none of it.']
            : (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `This process had reserved ${(0,_lib_bytes_js__WEBPACK_IMPORTED_MODULE_3__/* .formatBytes */ .z)(reserved)}${allocated === null ? null : ` (${(0,_lib_bytes_js__WEBPACK_IMPORTED_MODULE_3__/* .formatBytes */ .z)(allocated)} of it in use)`}.`;
    const fraction = limit === null ? null : (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `Its limit is ${(0,_lib_bytes_js__WEBPACK_IMPORTED_MODULE_3__/* .formatBytes */ .z)(limit)} (a memory fraction).`;
    let rest = null;
    if (othersHeld > 0) {
        const top = others.slice(0, 3).map((o) => {
            const held = others.length > 1 && o.used !== null ? ` ${(0,_lib_bytes_js__WEBPACK_IMPORTED_MODULE_3__/* .formatBytes */ .z)(o.used)}` : '';
            return (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `pid ${o.pid}${o.name === null ? null : (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) ` ${(0,_words_js__WEBPACK_IMPORTED_MODULE_5__/* .name */ .UU)(o.name, 40)}`}${held}${o.before ? ', there before this step started' : null}`;
        });
        const more = others.length > 3 ? [` and ${others.length - 3} more`] : [];
        rest = (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `${(0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .strong */ .ko)(`Other processes held ${(0,_lib_bytes_js__WEBPACK_IMPORTED_MODULE_3__/* .formatBytes */ .z)(othersHeld)}`)}: ${(0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .joinRich */ .Rz)(top, '; ')}${more}.`;
    }
    else if (outside !== null && outside > 0) {
        rest = (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `${(0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .strong */ .ko)(`${(0,_lib_bytes_js__WEBPACK_IMPORTED_MODULE_3__/* .formatBytes */ .z)(outside)} were held outside of its allocator`)}: by other processes, or by the driver and libraries.`;
    }
    return (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .joinRich */ .Rz)([own, fraction, rest, seenRich(account)]);
}
function handledRich({ oom }, workspace) {
    const { test, outcome } = oom;
    if (outcome === null || outcome.kind === 'test-failed' || outcome.kind === 'raised')
        return null;
    const { kind, at, tool, later } = outcome;
    const where = at === null ? null : (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) ` at ${(0,_words_js__WEBPACK_IMPORTED_MODULE_5__/* .name */ .UU)((0,_frames_js__WEBPACK_IMPORTED_MODULE_7__/* .placeOf */ .$t)(at, workspace))} in ${(0,_words_js__WEBPACK_IMPORTED_MODULE_5__/* .name */ .UU)(at.function)}`;
    if (test !== null && kind === 'handled') {
        const marked = tool === null ? null : (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) ` (${(0,_words_js__WEBPACK_IMPORTED_MODULE_5__/* .name */ .UU)(tool)})`;
        const failed = later === null ? null : (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) ` and failed later by ${(0,_words_js__WEBPACK_IMPORTED_MODULE_5__/* .name */ .UU)((0,_words_js__WEBPACK_IMPORTED_MODULE_5__/* .lastName */ .UK)(later))}`;
        return (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `The test ${(0,_words_js__WEBPACK_IMPORTED_MODULE_5__/* .name */ .UU)((0,_judge_outcomes_js__WEBPACK_IMPORTED_MODULE_8__/* .testName */ .UU)(oom) ?? test.id)} handled it${where}${marked}${failed}.`;
    }
    const who = tool === null ? null : (0,_words_js__WEBPACK_IMPORTED_MODULE_5__/* .name */ .UU)(tool);
    if (kind === 'exit')
        return who === null
            ? (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `The program handled it${where} and ended itself because of it.`
            : (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `${who} caught it and ended the program.`;
    if (kind === 'left')
        return (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `${who ?? 'A tool'} caught it after it had left the program's own frames.`;
    return who === null
        ? (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `The program handled it${where}.`
        : (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `${who} caught it, called${where ?? ' by the program'}.`;
}
function seenRich({ unsure, outside }) {
    if (outside === 0)
        return null;
    const sentence = (when, all) => {
        const named = all.slice(0, 3).map(({ pid, name: program, used, gone }) => {
            const who = (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `pid ${pid}${program === null ? null : (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) ` ${(0,_words_js__WEBPACK_IMPORTED_MODULE_5__/* .name */ .UU)(program, 40)}`}`;
            return (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `${who} held ${(0,_lib_bytes_js__WEBPACK_IMPORTED_MODULE_3__/* .formatBytes */ .z)(used ?? 0)}${gone ? ' (gone after it)' : null}`;
        });
        const more = all.length > 3 ? ` and ${all.length - 3} more` : null;
        return named.length === 0 ? null : (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `${when} this step, ${(0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .joinRich */ .Rz)(named, ', ')}${more}.`;
    };
    const holders = unsure.filter((o) => (o.used ?? 0) > 0);
    return (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .joinRich */ .Rz)([
        sentence('Before', holders.filter((o) => o.before)),
        sentence('After', holders.filter((o) => !o.before)),
    ]);
}
function hostOomRich(manifest) {
    const { host } = manifest;
    const memory = host?.memory;
    const limit = memory?.limit ?? memory?.total ?? null;
    const used = memory?.peak ?? null;
    const elsewhere = host?.oom?.state === 'read' && host.oom.ooms === 0;
    const what = memory?.limit !== null
        ? 'The limit is'
        : elsewhere
            ? "The limit that was hit is not of this cgroup: it is one above that cannot be read here, or the whole machine's"
            : 'The whole machine has';
    const numbers = limit === null
        ? null
        : (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `${what} ${(0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .strong */ .ko)((0,_lib_bytes_js__WEBPACK_IMPORTED_MODULE_3__/* .formatBytes */ .z)(limit))}${used === null ? null : `; the highest use was ${(0,_lib_bytes_js__WEBPACK_IMPORTED_MODULE_3__/* .formatBytes */ .z)(used)}`}.`;
    return (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .joinRich */ .Rz)([
        because(manifest),
        numbers,
        ['No GPU snapshot can be taken of a process that the kernel kills.'],
    ]);
}
function cancelledRich(manifest) {
    const all = recordedIn(manifest);
    const off = all.length > 0 && all.every((p) => (0,_story_js__WEBPACK_IMPORTED_MODULE_4__/* .disarmOf */ .WT)(p) === 'disarmed');
    return (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .joinRich */ .Rz)([because(manifest), off ? ['Recording was disarmed in every process that had it.'] : null]);
}
const because = ({ verdict }) => [`${(0,_words_js__WEBPACK_IMPORTED_MODULE_5__/* .capital */ .Nx)(verdict.because)}.`];
const BECAUSE = {
    ok: () => null,
    'oom-recovered': (manifest) => ((0,_judge_verdict_js__WEBPACK_IMPORTED_MODULE_2__/* .allCaught */ ._A)((0,_story_js__WEBPACK_IMPORTED_MODULE_4__/* .openOoms */ .fG)(manifest)) ? null : because(manifest)),
    oom: (manifest) => (manifest.step.exit_code === 0 ? because(manifest) : null),
    'host-oom': hostOomRich,
    killed: because,
    cancelled: cancelledRich,
    failed: because,
    unknown: because,
    'not-run': because,
};
const becauseRich = (manifest) => BECAUSE[manifest.verdict.name](manifest);
function hostKillsRich({ verdict, host }) {
    const oom = host?.oom;
    if (verdict.name === 'host-oom' || oom?.state !== 'read' || oom.scope !== 'cgroup' || oom.kills === 0)
        return null;
    const whom = oom.kills === 1 ? 'a process' : 'processes';
    return (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `${(0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .strong */ .ko)(`The kernel's OOM killer ended ${whom} of this cgroup`)} during the step: the host's memory ran out there, not the GPU's.`;
}
function greenLine(manifest) {
    const recorded = recordedIn(manifest);
    const disarmed = recorded.filter((p) => (0,_story_js__WEBPACK_IMPORTED_MODULE_4__/* .disarmOf */ .WT)(p) === 'disarmed').length;
    const idle = manifest.processes.filter((p) => (0,_story_js__WEBPACK_IMPORTED_MODULE_4__/* .disarmOf */ .WT)(p) === 'idle').length;
    const foreign = manifest.processes.filter((p) => (0,_story_js__WEBPACK_IMPORTED_MODULE_4__/* .disarmOf */ .WT)(p) === 'foreign').length;
    const what = [];
    if (recorded.length > 0) {
        what.push([
            disarmed === recorded.length
                ? `${(0,_lib_text_js__WEBPACK_IMPORTED_MODULE_9__/* .count */ .U9)(recorded.length, 'process', 'processes')} recorded and disarmed`
                : `${(0,_lib_text_js__WEBPACK_IMPORTED_MODULE_9__/* .count */ .U9)(recorded.length, 'process', 'processes')} recorded, ${disarmed} seen disarmed`,
        ]);
    }
    if (foreign > 0)
        what.push([
            `${(0,_lib_text_js__WEBPACK_IMPORTED_MODULE_9__/* .count */ .U9)(foreign, 'process', 'processes')} with a recording of ${foreign === 1 ? 'its' : 'their'} own, left alone`,
        ]);
    if (idle > 0)
        what.push([`${(0,_lib_text_js__WEBPACK_IMPORTED_MODULE_9__/* .count */ .U9)(idle, 'process', 'processes')} imported torch and used no GPU`]);
    let best = null;
    for (const process of manifest.processes) {
        const peak = (0,_story_js__WEBPACK_IMPORTED_MODULE_4__/* .peakOf */ .XC)(process)?.peak_allocated ?? null;
        if (peak !== null && peak > (best?.peak ?? 0))
            best = { process, peak };
    }
    if (best)
        what.push([
            `peak ${(0,_lib_bytes_js__WEBPACK_IMPORTED_MODULE_3__/* .formatBytes */ .z)(best.peak)} allocated${best.process.rank === null ? '' : ` on rank ${best.process.rank}`}`,
        ]);
    const { state, result } = manifest.parity;
    const earlier = result?.earlier ? ', checked earlier in this job' : '';
    const parity = state === 'off' ? null : (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `Parity: ${state}${earlier}.`;
    const part = manifest.unarmed.length > 0 ? ' in what was recorded' : '';
    const seen = manifest.processes.length === 0 ? 'Nothing was recorded' : `No out-of-memory${part}`;
    return (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .joinRich */ .Rz)([
        (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `${(0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .strong */ .ko)(`${seen}.`)}`,
        what.length === 0 ? null : (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `${(0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .joinRich */ .Rz)(what, '; ')}.`,
        ...maybeRich(manifest),
        parity,
        hostKillsRich(manifest),
    ]);
}
function each(all, words) {
    const shown = all.slice(0, MOST_EACH).map(words);
    const more = all.length - shown.length;
    return more > 0 ? [...shown, [`So did ${(0,_lib_text_js__WEBPACK_IMPORTED_MODULE_9__/* .count */ .U9)(more, 'other process', 'other processes')}.`]] : shown;
}
const maybeRich = (manifest) => each(manifest.processes.filter(({ end }) => end?.outside_oom?.certain === false), (process) => (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `${(0,_words_js__WEBPACK_IMPORTED_MODULE_5__/* .processName */ .po)(process)} ended by ${(0,_words_js__WEBPACK_IMPORTED_MODULE_5__/* .name */ .UU)(process.end?.exception ?? 'an error')}, which may be memory that ran out, or another trouble${process.end?.outside_oom ? ` of ${_judge_outside_js__WEBPACK_IMPORTED_MODULE_1__/* .OUTSIDE_NAMES */ .hN[process.end.outside_oom.kind]}` : null}; its traceback in the log tells more.`);
function outsideRich(process, { kind, device_free: free }) {
    const { end } = process;
    const how = end?.kind === 'exception' ? 'ended by' : 'exited after';
    const again = end?.reraised_from ? ', raised first in a worker of it' : null;
    const what = (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `${(0,_words_js__WEBPACK_IMPORTED_MODULE_5__/* .processName */ .po)(process)} ${how} ${(0,_words_js__WEBPACK_IMPORTED_MODULE_5__/* .name */ .UU)(end?.exception ?? 'an out-of-memory')}${again}`;
    if (kind === 'pinned-host') {
        const room = free === null ? '; the device had room' : (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `; the device had ${(0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .strong */ .ko)((0,_lib_bytes_js__WEBPACK_IMPORTED_MODULE_3__/* .formatBytes */ .z)(free))} free`;
        return (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `${what}: ${(0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .strong */ .ko)('pinned host memory')} (page-locked, as of a DataLoader with ${(0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .code */ .aY)('pin_memory')}) ran out, not the device's${room}. There is no snapshot of it.`;
    }
    const room = free === null ? null : (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `, with ${(0,_lib_bytes_js__WEBPACK_IMPORTED_MODULE_3__/* .formatBytes */ .z)(free)} of the device free`;
    return (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `${what}: the request came from ${(0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .strong */ .ko)(_judge_outside_js__WEBPACK_IMPORTED_MODULE_1__/* .OUTSIDE_NAMES */ .hN[kind])}, outside of torch's caching allocator${room}. There is no snapshot of it.`;
}
function unseenOf(manifest, process) {
    const { end, devices, recorder, faults } = process;
    if (end?.outside_oom?.certain)
        return outsideRich(process, end.outside_oom);
    const ended = (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `${(0,_words_js__WEBPACK_IMPORTED_MODULE_5__/* .processName */ .po)(process)} ended by ${(0,_words_js__WEBPACK_IMPORTED_MODULE_5__/* .name */ .UU)(end?.exception ?? 'an out-of-memory')}`;
    const whence = (0,_story_js__WEBPACK_IMPORTED_MODULE_4__/* .raisedFirst */ .po)(manifest, process);
    if (whence.from !== null) {
        const where = whence.from === 'ray' ? 'a worker of Ray' : 'a worker process';
        const worker = whence.story?.process ?? null;
        return worker === null
            ? (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `${ended}, which was raised first in ${where} and again here; which one is not known.`
            : (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `${ended}, the error of its worker ${(0,_words_js__WEBPACK_IMPORTED_MODULE_5__/* .processName */ .po)(worker)}, which was raised again here.`;
    }
    if ((0,_judge_blind_js__WEBPACK_IMPORTED_MODULE_0__/* .isBlind */ .iE)({ recorder, torch: process.build }))
        return (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `${ended}; torch reports none of this allocator, so its numbers are not known.`;
    const why = faults[0] === undefined ? null : (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) ` (${(0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .shorten */ .ml)(faults[0], 300)})`;
    const counted = devices.reduce((sum, d) => sum + (d.ooms ?? 0), 0);
    if (counted > 0)
        return (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `${ended}; torch's allocator counted ${counted === 1 ? 'it' : String(counted)}, but it was not recorded here${why}.`;
    if (recorder.state === 'idle')
        return (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `${ended}, and never used CUDA itself: the error came to it from elsewhere. From where is not known; its traceback in the log tells.`;
    return (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `${ended}, and torch's caching allocator counted none${why}: where it came from is not known; its traceback in the log tells.`;
}
function verdictParagraphs(manifest) {
    const story = (0,_story_js__WEBPACK_IMPORTED_MODULE_4__/* .mainStory */ .dE)(manifest);
    const unseen = each((0,_story_js__WEBPACK_IMPORTED_MODULE_4__/* .unseenOoms */ .x1)(manifest), (process) => unseenOf(manifest, process));
    const paragraphs = [...unseen, ...maybeRich(manifest)];
    if (story) {
        const account = (0,_story_js__WEBPACK_IMPORTED_MODULE_4__/* .accountOf */ .XP)(manifest, story);
        const asked = askedFor(manifest, story, account);
        const intro = story.fatal ? null : (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .say */ .cv) `The newest, on ${(0,_words_js__WEBPACK_IMPORTED_MODULE_5__/* .processName */ .po)(story.process)}:`;
        const told = (0,_rich_js__WEBPACK_IMPORTED_MODULE_6__/* .joinRich */ .Rz)([intro, asked, whoHeld(account), handledRich(story, manifest.step.workspace)]);
        if (story.fatal)
            paragraphs.unshift(told);
        else
            paragraphs.push(told);
    }
    const why = becauseRich(manifest);
    if (why) {
        if (manifest.verdict.name === 'oom')
            paragraphs.push(why);
        else
            paragraphs.unshift(why);
    }
    const hostKills = hostKillsRich(manifest);
    if (hostKills)
        paragraphs.push(hostKills);
    return paragraphs;
}


/***/ }),

/***/ 2072:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   Nx: () => (/* binding */ capital),
/* harmony export */   UK: () => (/* binding */ lastName),
/* harmony export */   UU: () => (/* binding */ name),
/* harmony export */   cz: () => (/* binding */ rankWords),
/* harmony export */   po: () => (/* binding */ processName),
/* harmony export */   uq: () => (/* binding */ snapshotOwner),
/* harmony export */   zB: () => (/* binding */ MAX_NAME)
/* harmony export */ });
/* harmony import */ var _evidence_names_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(1040);
/* harmony import */ var _lib_text_js__WEBPACK_IMPORTED_MODULE_2__ = __nccwpck_require__(4869);
/* harmony import */ var _rich_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(6781);



const MAX_NAME = 80;
const name = (text, limit = MAX_NAME) => (0,_rich_js__WEBPACK_IMPORTED_MODULE_1__/* .code */ .aY)((0,_rich_js__WEBPACK_IMPORTED_MODULE_1__/* .shorten */ .ml)(text, limit));
const named = (called, pid) => called.startsWith('gw') ? called : `${(0,_rich_js__WEBPACK_IMPORTED_MODULE_1__/* .shorten */ .ml)(called, 60)} (pid ${pid})`;
const processName = ({ rank, identity, pid, }) => {
    if (rank !== null)
        return `rank ${rank}`;
    return identity?.name == null ? `pid ${pid}` : named(identity.name, pid);
};
const snapshotOwner = ({ rank, file, pid }) => {
    const label = (0,_evidence_names_js__WEBPACK_IMPORTED_MODULE_0__/* .parseSnapshotName */ .FZ)(file)?.label;
    return rank !== null ? `rank ${rank}` : label == null ? `pid ${pid}` : named(label.replace('_', ' '), pid);
};
const MOST_RUNS = 12;
function rankWords(ranks) {
    if (ranks.length === 2)
        return [...ranks].sort((a, b) => a - b).join(' and ');
    const runs = (0,_lib_text_js__WEBPACK_IMPORTED_MODULE_2__/* .ranges */ .Zz)(ranks).split(', ');
    if (runs.length <= MOST_RUNS)
        return runs.join(', ');
    return `${runs.slice(0, MOST_RUNS).join(', ')}, … (${ranks.length} ranks)`;
}
const capital = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
const lastName = (exception) => (0,_rich_js__WEBPACK_IMPORTED_MODULE_1__/* .shorten */ .ml)(exception.split('.').at(-1) ?? exception, 60);


/***/ }),

/***/ 3281:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   AJ: () => (/* binding */ environmentRunner),
/* harmony export */   LO: () => (/* binding */ inputVariable),
/* harmony export */   Tq: () => (/* binding */ openFile),
/* harmony export */   bU: () => (/* binding */ terminalRunner),
/* harmony export */   ov: () => (/* binding */ keyValueMessage),
/* harmony export */   uC: () => (/* binding */ outliveOutput),
/* harmony export */   yr: () => (/* binding */ forgiving)
/* harmony export */ });
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(3024);
/* harmony import */ var _lib_files_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(3963);
/* harmony import */ var _lib_random_js__WEBPACK_IMPORTED_MODULE_2__ = __nccwpck_require__(9905);
/* harmony import */ var _lib_text_js__WEBPACK_IMPORTED_MODULE_3__ = __nccwpck_require__(4869);




const SUMMARY_LIMIT = 1024 * 1024;
const SUMMARY_MARGIN = 4096;
const inputVariable = (name) => `INPUT_${name.replace(/ /g, '_').toUpperCase()}`;
function keyValueMessage(values) {
    const all = Object.values(values);
    let delimiter;
    do
        delimiter = `ghadelimiter_${(0,_lib_random_js__WEBPACK_IMPORTED_MODULE_2__/* .randomHex */ .n)(16)}`;
    while (all.some((value) => value.includes(delimiter)));
    return Object.entries(values)
        .map(([name, value]) => `${name}<<${delimiter}\n${value}\n${delimiter}\n`)
        .join('');
}
function sizeOf(path) {
    try {
        return (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.statSync)(path).size;
    }
    catch (error) {
        if (error.code === 'ENOENT')
            return 0;
        throw error;
    }
}
function openFile(path) {
    const { O_RDWR, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = node_fs__WEBPACK_IMPORTED_MODULE_0__.constants;
    const file = (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.openSync)(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0o666);
    if ((0,node_fs__WEBPACK_IMPORTED_MODULE_0__.fstatSync)(file).isFile())
        return file;
    (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.closeSync)(file);
    throw Object.assign(new Error(`${path} is not a regular file`), { code: 'not a regular file' });
}
function readAt(file, buffer, position) {
    let done = 0;
    for (let read = 1; read > 0 && done < buffer.length; done += read)
        read = (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readSync)(file, buffer, done, buffer.length - done, position + done);
    return buffer.subarray(0, done);
}
function writeAt(file, bytes, position) {
    for (let done = 0; done < bytes.length;)
        done += (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.writeSync)(file, bytes, done, bytes.length - done, position + done);
}
function change(path, most, put) {
    const file = openFile(path);
    try {
        const { size } = (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.fstatSync)(file);
        const from = Math.max(0, size - most);
        const end = readAt(file, Buffer.alloc(size - from), from);
        try {
            writeAt(file, Buffer.from(put(end)), from);
        }
        catch (error) {
            writeAt(file, end, from);
            (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.ftruncateSync)(file, size);
            throw error;
        }
    }
    finally {
        (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.closeSync)(file);
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
            const core = await Promise.all(/* import() */[__nccwpck_require__.e(260), __nccwpck_require__.e(264)]).then(__nccwpck_require__.bind(__nccwpck_require__, 7264));
            core[level](message, place);
        },
        summary: (markdown, instead) => {
            const file = env.GITHUB_STEP_SUMMARY;
            if (!file) {
                info('oom-autopsy: GITHUB_STEP_SUMMARY is not set, so the summary follows here.');
                for (const line of markdown.trimEnd().split('\n'))
                    info(line === '' ? '' : `| ${(0,_lib_text_js__WEBPACK_IMPORTED_MODULE_3__/* .printable */ .g$)(line, line.length)}`);
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
                info((0,_lib_text_js__WEBPACK_IMPORTED_MODULE_3__/* .logLine */ .BP)(message.split('\n', 1)[0] ?? ''));
        },
    };
}
function forgiving(runner, makeRoom) {
    const told = new Set();
    const attempt = (what, act) => {
        try {
            (0,_lib_files_js__WEBPACK_IMPORTED_MODULE_1__/* .withRoomSync */ .Bg)(act, makeRoom);
        }
        catch (error) {
            const reason = error.code ?? error.message;
            if (told.has(what))
                return;
            told.add(what);
            runner.info((0,_lib_text_js__WEBPACK_IMPORTED_MODULE_3__/* .logLine */ .BP)(`the runner could not be given ${what} (${reason})`));
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

/***/ 8801:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   GN: () => (/* binding */ NOTHING_KNOWN),
/* harmony export */   Q8: () => (/* binding */ saveFinished),
/* harmony export */   hp: () => (/* binding */ savePlan)
/* harmony export */ });
/* unused harmony exports MAX_LIST, MAX_SEEN, MAX_LINE, STATE_SCHEMA, STATE */
const NOTHING_KNOWN = {
    group: null,
    host: null,
    result: null,
    shimLaid: true,
    faults: [],
    hints: [],
    gpu: null,
    seen: null,
    met: [],
};
const MAX_LIST = 200;
const MAX_SEEN = 50;
const MAX_LINE = 1000;
const STATE_SCHEMA = 'oom-autopsy.state.v1';
const STATE = 'step';
function savePlan(runner, plan, known = NOTHING_KNOWN) {
    const { result } = known;
    const bounded = {
        ...known,
        result: result && {
            ...result,
            startError: result.startError?.slice(0, MAX_LINE) ?? null,
            killed: result.killed.slice(0, MAX_LIST),
        },
        faults: known.faults.slice(0, 5).map((fault) => fault.slice(0, MAX_LINE)),
        gpu: known.gpu && boundedGpu(known.gpu),
        seen: known.seen && {
            sightings: known.seen.sightings.slice(0, MAX_SEEN),
            carriers: known.seen.carriers.slice(0, MAX_SEEN),
            hidden: known.seen.hidden.slice(0, MAX_SEEN),
            use: known.seen.use,
        },
        met: known.met.slice(0, MAX_LIST),
    };
    runner.saveState(STATE, JSON.stringify({ schema: STATE_SCHEMA, plan, known: bounded }));
}
function boundedGpu(gpu) {
    if (gpu.state !== 'seen')
        return gpu;
    const largest = [...gpu.processes].sort((a, b) => (b.used ?? 0) - (a.used ?? 0));
    return { ...gpu, devices: gpu.devices.slice(0, MAX_SEEN), processes: largest.slice(0, MAX_SEEN) };
}
function saveFinished(runner, finish = 'true') {
    runner.saveState('finished', finish);
}


/***/ }),

/***/ 6693:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   D: () => (/* binding */ CANCEL_SIGNALS),
/* harmony export */   U: () => (/* binding */ watchCancel)
/* harmony export */ });
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


/***/ }),

/***/ 1015:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   IM: () => (/* binding */ eachLine),
/* harmony export */   UA: () => (/* binding */ runHelper),
/* harmony export */   qE: () => (/* binding */ noAnswer)
/* harmony export */ });
/* unused harmony exports helperEnvironment, startHelper */
/* harmony import */ var node_child_process__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(1421);
/* harmony import */ var _inputs_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(8175);
/* harmony import */ var _lib_random_js__WEBPACK_IMPORTED_MODULE_2__ = __nccwpck_require__(9905);
/* harmony import */ var _lib_text_js__WEBPACK_IMPORTED_MODULE_7__ = __nccwpck_require__(4869);
/* harmony import */ var _plan_js__WEBPACK_IMPORTED_MODULE_3__ = __nccwpck_require__(1781);
/* harmony import */ var _runner_runner_js__WEBPACK_IMPORTED_MODULE_4__ = __nccwpck_require__(3281);
/* harmony import */ var _cancel_js__WEBPACK_IMPORTED_MODULE_8__ = __nccwpck_require__(6693);
/* harmony import */ var _own_js__WEBPACK_IMPORTED_MODULE_5__ = __nccwpck_require__(2671);
/* harmony import */ var _proc_js__WEBPACK_IMPORTED_MODULE_6__ = __nccwpck_require__(9503);









const COMMAND_FILE = /^GITHUB_(ENV|OUTPUT|PATH|STATE|STEP_SUMMARY)$/;
function helperEnvironment(env) {
    const plain = (0,_plan_js__WEBPACK_IMPORTED_MODULE_3__/* .plainStepEnvironment */ .M8)(env, _inputs_js__WEBPACK_IMPORTED_MODULE_1__/* .INPUT_NAMES */ .Qh.map(_runner_runner_js__WEBPACK_IMPORTED_MODULE_4__/* .inputVariable */ .LO));
    const kept = Object.entries(plain).filter(([name]) => !COMMAND_FILE.test(name) && !/^STATE_/.test(name));
    return { ...Object.fromEntries(kept), LC_ALL: 'C' };
}
const HELPER_VARIABLE = 'OOM_AUTOPSY_HELPER';
function launch({ file, args, env }, begin, end) {
    const id = (0,_lib_random_js__WEBPACK_IMPORTED_MODULE_2__/* .randomHex */ .n)(6);
    let child;
    let since = null;
    let ended = false;
    const killAll = () => {
        const leader = child?.pid;
        if (leader === undefined)
            return;
        const mark = { leader, variable: `${HELPER_VARIABLE}=${id}`, since };
        for (const { pid } of (0,_own_js__WEBPACK_IMPORTED_MODULE_5__/* .stepProcesses */ ._M)(mark, (0,_proc_js__WEBPACK_IMPORTED_MODULE_6__/* .listProcesses */ .O3)('/proc', leader)))
            (0,_proc_js__WEBPACK_IMPORTED_MODULE_6__/* .signalProcess */ .a7)(pid, 'SIGKILL');
        (0,_proc_js__WEBPACK_IMPORTED_MODULE_6__/* .signalProcess */ .a7)(-leader, 'SIGKILL');
    };
    const finish = (how) => {
        if (ended)
            return;
        ended = true;
        killAll();
        child?.stdout?.destroy();
        child?.stderr?.destroy();
        child?.unref();
        end(how);
    };
    const unable = (error) => finish({ kind: 'not-found', code: error.code ?? (0,_lib_text_js__WEBPACK_IMPORTED_MODULE_7__/* .cleanText */ .X5)(error.message, 200) });
    try {
        child = (0,node_child_process__WEBPACK_IMPORTED_MODULE_0__.spawn)(file, args, {
            cwd: '/',
            env: { ...helperEnvironment(env), [HELPER_VARIABLE]: id },
            stdio: ['ignore', 'pipe', 'pipe'],
            detached: true,
            windowsHide: true,
        });
    }
    catch (error) {
        process.nextTick(unable, error);
        return finish;
    }
    if (child.pid)
        since = (0,_proc_js__WEBPACK_IMPORTED_MODULE_6__/* .processFacts */ .PJ)(child.pid)?.startTicks ?? null;
    child.on('error', unable);
    child.on('exit', (code, signal) => {
        const how = code === 0 ? { kind: 'ok' } : { kind: 'failed', code: code ?? signal ?? 0 };
        setImmediate(() => setImmediate(() => finish(how)));
    });
    begin(child);
    return finish;
}
function runHelper(command, limits) {
    const { timeoutMs, maxBytes } = limits;
    const texts = { stdout: [], stderr: [] };
    return new Promise((resolve) => {
        let timer;
        const onSignal = (signal) => {
            stop({ kind: 'cancelled' });
            if (process.listenerCount(signal) === 0)
                process.kill(process.pid, signal);
        };
        const collect = (child) => {
            for (const name of ['stdout', 'stderr']) {
                let bytes = 0;
                child[name]?.on('error', () => undefined);
                child[name]?.on('data', (chunk) => {
                    bytes += chunk.length;
                    if (bytes > maxBytes)
                        stop({ kind: 'too-much-output' });
                    else
                        texts[name].push(chunk);
                });
            }
        };
        for (const name of _cancel_js__WEBPACK_IMPORTED_MODULE_8__/* .CANCEL_SIGNALS */ .D)
            process.on(name, onSignal);
        const stop = launch(command, collect, (how) => {
            clearTimeout(timer);
            for (const name of _cancel_js__WEBPACK_IMPORTED_MODULE_8__/* .CANCEL_SIGNALS */ .D)
                process.off(name, onSignal);
            const [stdout, stderr] = [texts.stdout, texts.stderr].map((all) => Buffer.concat(all).toString());
            resolve({ ...how, stdout: stdout ?? '', stderr: stderr ?? '' });
        });
        timer = setTimeout(() => stop({ kind: 'timed-out', ms: timeoutMs }), timeoutMs);
    });
}
function startHelper(command, use) {
    const read = (child) => {
        eachLine(child.stdout, use);
        eachLine(child.stderr, () => undefined);
    };
    let stop = () => undefined;
    const ended = new Promise((resolve) => {
        const finish = launch(command, read, resolve);
        stop = () => finish({ kind: 'ok' });
    });
    return { ended, stop };
}
function eachLine(stream, use) {
    let rest = '';
    stream?.setEncoding('utf8');
    stream?.on('data', (text) => {
        const lines = (rest + text).split('\n');
        rest = (lines.pop() ?? '').slice(0, 4096);
        for (const line of lines)
            use(line.slice(0, 4096));
    });
    stream?.on('error', () => undefined);
}
function noAnswer(result) {
    switch (result.kind) {
        case 'failed': {
            const said = (0,_lib_text_js__WEBPACK_IMPORTED_MODULE_7__/* .cleanText */ .X5)((result.stderr || result.stdout).trim().split('\n')[0] ?? '', 200);
            return `failed (${result.code})${said === '' ? '' : `: ${said}`}`;
        }
        case 'not-found':
            return `could not be started (${result.code})`;
        case 'too-much-output':
            return 'printed too much';
        case 'cancelled':
            return 'not waited for: the job was cancelled';
        case 'timed-out':
            return `no answer in ${Math.max(1, Math.round(result.ms / 1000))} s`;
    }
}


/***/ }),

/***/ 5589:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   YW: () => (/* binding */ readHostCounters),
/* harmony export */   cD: () => (/* binding */ hostOom),
/* harmony export */   sb: () => (/* binding */ readHostMemory)
/* harmony export */ });
/* unused harmony exports parseCounters, findCgroups */
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(3024);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(6760);


const text = (path) => {
    try {
        return (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readFileSync)(path, 'utf8');
    }
    catch {
        return null;
    }
};
function parseCounters(content) {
    const table = new Map();
    for (const line of content.split('\n')) {
        const match = /^([a-z0-9_]+) ([0-9]+)$/.exec(line.trim());
        if (match)
            table.set(match[1] ?? '', Number(match[2]));
    }
    return table;
}
function findCgroups(cgroup, mountinfo) {
    const found = [];
    const paths = cgroup.split('\n').map((line) => /^(\d+):([^:]*):(.*)$/.exec(line));
    for (const line of mountinfo.split('\n')) {
        const [before, after] = line.split(' - ', 2);
        const fields = before?.split(' ') ?? [];
        const [root, mount] = [fields[3] ?? '/', unescapeMount(fields[4] ?? '')];
        const type = after?.split(' ')[0];
        const version = type === 'cgroup2' ? 2 : type === 'cgroup' ? 1 : null;
        if (version === null)
            continue;
        if (version === 1 && !(after ?? '').split(' ').at(-1)?.split(',').includes('memory'))
            continue;
        const own = paths.find((m) => version === 2 ? m?.[1] === '0' && m[2] === '' : (m?.[2] ?? '').split(',').includes('memory'));
        if (!own)
            continue;
        const path = own[3] ?? '/';
        const below = root !== '/' && (path === root || path.startsWith(`${root}/`)) ? path.slice(root.length) : path;
        if (`${root}/${path}`.split('/').includes('..'))
            continue;
        found.push({ version, mount, folder: below === '/' ? mount : (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(mount, below) });
    }
    return found.sort((a, b) => b.version - a.version);
}
const unescapeMount = (path) => path.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)));
function ownCgroups(root) {
    const cgroup = text((0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(root, 'proc/self/cgroup'));
    const mountinfo = text((0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(root, 'proc/self/mountinfo'));
    return cgroup === null || mountinfo === null ? [] : findCgroups(cgroup, mountinfo);
}
function readHostCounters(root = '/') {
    const machine = parseCounters(text((0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(root, 'proc/vmstat')) ?? '').get('oom_kill') ?? null;
    for (const { version, folder } of ownCgroups(root)) {
        const path = (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(root, folder, version === 2 ? 'memory.events' : 'memory.oom_control');
        const counters = parseCounters(text(path) ?? '');
        const kills = counters.get('oom_kill');
        if (kills === undefined)
            continue;
        return {
            state: 'read',
            source: version === 2 ? 'cgroup-v2' : 'cgroup-v1',
            path: folder,
            oom_kill: kills,
            oom: counters.get('oom') ?? null,
            machine,
        };
    }
    if (machine !== null) {
        return { state: 'read', source: 'vmstat', path: '/proc/vmstat', oom_kill: machine, oom: null, machine };
    }
    return {
        state: 'unreadable',
        reason: process.platform === 'linux' || root !== '/'
            ? 'no memory.events, memory.oom_control or /proc/vmstat with a count of OOM kills can be read here'
            : `not known on ${process.platform}`,
    };
}
const difference = (before, after) => before === null || after === null ? null : Math.max(0, after - before);
function hostOom(before, after) {
    if (before.state === 'unreadable')
        return before;
    if (after.state === 'unreadable')
        return after;
    if (before.source !== after.source || before.path !== after.path) {
        return { state: 'unreadable', reason: `the counters moved from ${before.path} to ${after.path}` };
    }
    const kills = after.oom_kill - before.oom_kill;
    if (kills < 0)
        return { state: 'unreadable', reason: `the count in ${after.path} was set back` };
    return {
        state: 'read',
        kills,
        ooms: difference(before.oom, after.oom),
        machine_kills: difference(before.machine, after.machine),
        scope: after.source === 'vmstat' ? 'machine' : 'cgroup',
        source: after.source,
        path: after.path,
    };
}
const number = (content) => content !== null && /^[0-9]{1,15}$/.test(content.trim()) ? Number(content.trim()) : null;
function lowestLimit(root, { mount, version }, from) {
    let lowest = null;
    for (let at = from; at.startsWith(mount) && at.length >= mount.length; at = (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(at, '..')) {
        const limit = number(text((0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(root, at, version === 2 ? 'memory.max' : 'memory.limit_in_bytes')));
        if (limit !== null && (lowest === null || limit < lowest))
            lowest = limit;
        if (at === mount || at === '/')
            break;
    }
    return lowest;
}
function readHostMemory(root = '/', above = false) {
    const meminfo = text((0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(root, 'proc/meminfo'));
    const kib = (name) => {
        const match = new RegExp(`^${name}:\\s+([0-9]+) kB$`, 'm').exec(meminfo ?? '');
        return match ? Number(match[1]) * 1024 : null;
    };
    const [v2, v1] = [
        { used: 'memory.current', peak: 'memory.peak' },
        { used: 'memory.usage_in_bytes', peak: 'memory.max_usage_in_bytes' },
    ];
    let limit = null;
    let used = null;
    let peak = null;
    for (const cgroup of ownCgroups(root)) {
        const files = cgroup.version === 2 ? v2 : v1;
        const now = number(text((0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(root, cgroup.folder, files.used)));
        if (now === null)
            continue;
        used = now;
        peak = number(text((0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(root, cgroup.folder, files.peak)));
        limit = lowestLimit(root, cgroup, above ? (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(cgroup.folder, '..') : cgroup.folder);
        break;
    }
    const total = kib('MemTotal');
    if (limit !== null && total !== null && limit >= total)
        limit = null;
    const missing = [meminfo === null ? '/proc/meminfo' : null, used === null ? 'the memory cgroup' : null];
    const names = missing.filter((name) => name !== null);
    return {
        total,
        available: kib('MemAvailable'),
        limit,
        used,
        peak,
        reason: names.length > 0 ? `${names.join(' and ')} cannot be read here` : null,
    };
}


/***/ }),

/***/ 1914:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   $z: () => (/* binding */ hintOf),
/* harmony export */   A3: () => (/* binding */ reasonOf),
/* harmony export */   Mf: () => (/* binding */ CARRIERS),
/* harmony export */   iK: () => (/* binding */ OWN_CGROUP),
/* harmony export */   oE: () => (/* binding */ LAUNCHERS)
/* harmony export */ });
/* unused harmony export launcherTable */
const at = (words) => new RegExp(String.raw `(?:^|[\s;&|(])${words}`);
const SUDO_CHORES = 'apt|apt-get|dpkg|dnf|yum|apk|snap|systemctl|service|nvidia-smi|nvidia-persistenced|chown|chmod|chgrp|rm|mkdir|cp|mv|ln|tee|ldconfig|sysctl|mount|umount|kill|pkill|killall|fuser|modprobe|rmmod|usermod|install|sync|dmesg|update-alternatives';
const LAUNCHERS = {
    docker: {
        what: 'docker',
        words: ['docker', 'podman', 'nerdctl'],
        pattern: /\b(?:docker|podman|nerdctl)\s+(?:container\s+|compose\s+(?:[^\s;&|]+\s+)*?)?(?:run|exec|up)\b|\bdocker-compose\s/,
        why: "a container does not get the step's environment",
        remedy: 'run the whole job in `container:`, or see docs/reach.md for the arguments to add',
        more: 'They stand below',
        carriers: ['docker', 'podman', 'nerdctl'],
        ownCgroup: true,
    },
    apptainer: {
        what: 'apptainer',
        words: ['apptainer', 'singularity'],
        pattern: at(String.raw `(?:apptainer|singularity)\s+(?:-\S+\s+)*(?:run|exec|shell)\b`),
        why: 'the folder of the step must be visible in the container',
        remedy: 'add `--bind "$RUNNER_TEMP"`, and no `--cleanenv` or `--containall`',
        carriers: ['apptainer', 'singularity'],
    },
    kubectl: {
        what: 'kubectl',
        words: ['kubectl'],
        pattern: at(String.raw `kubectl\s+(?:\S+\s+)*?(?:run|exec|apply|create)\b`),
        why: 'a pod runs outside of the step and does not get its environment',
        remedy: 'see docs/reach.md',
        carriers: ['kubectl'],
        ownCgroup: true,
    },
    tox: {
        what: 'tox',
        words: ['tox'],
        pattern: at(String.raw `(?<!install\s+(?:[^\s;&|]+\s+)*)tox(?:\s|$)`),
        why: 'tox passes only the variables it is told to',
        remedy: 'set `TOX_OVERRIDE=testenv:NAME.pass_env+=PYTHONPATH` with the name of your environment',
        more: "In the step's `env:`; or `pass_env = PYTHONPATH` in its section. The base section has no effect where the environment has a `pass_env` of its own",
    },
    sudo: {
        what: 'sudo',
        words: ['sudo'],
        pattern: at(String.raw `sudo\s+(?!(?:(?:-\S+|\w+=\S*)\s+)*(?:\S*/)?(?:${SUDO_CHORES})\b)(?!\S*--preserve-env=\S*PYTHONPATH)`),
        why: 'sudo clears the environment',
        past: 'sudo cleared the environment',
        remedy: 'use `sudo --preserve-env=PYTHONPATH`',
        more: '`-E` alone does not pass it where the sudoers file says so',
        carriers: ['sudo'],
    },
    su: {
        what: 'su',
        words: ['su ', 'su\t', 'runuser'],
        pattern: at(String.raw `(?:su\s+(?:-\S*\s+|\w)|runuser\s)`),
        why: 'a login as another user clears the environment',
        remedy: 'use `su --whitelist-environment=PYTHONPATH`, to root',
        more: 'To another user who is not root it is not possible: the folder of the step is for the user of the runner (and root) alone',
        carriers: ['su'],
    },
    environment: {
        what: 'env -i',
        words: ['env'],
        pattern: at(String.raw `env\s+(?:-\S+\s+)*(?:-i|-|--ignore-environment)(?:\s|$)`),
        why: '`env -i` clears the environment',
        past: 'the environment of the step did not reach it (`env -i`, another user, a daemon)',
        remedy: 'hand PYTHONPATH on to it: `env -i PYTHONPATH="$PYTHONPATH" …`',
    },
    slurm: {
        what: 'srun',
        words: ['srun', 'sbatch'],
        pattern: at(String.raw `s(?:run|batch)\s`),
        why: 'Slurm has to export the environment (the default, `--export=ALL`)',
        remedy: 'keep that, and have RUNNER_TEMP on a shared file system',
        carriers: ['srun', 'sbatch'],
        ownCgroup: true,
    },
    ray: {
        what: 'ray',
        words: ['ray'],
        pattern: at(String.raw `(?:ray\s+(?:start|job\s+submit))\b`),
        why: 'workers of a Ray cluster that runs already have the environment of the day it started',
        remedy: 'start it in the wrapped step',
    },
    ssh: {
        what: 'ssh',
        words: ['ssh'],
        pattern: at(String.raw `ssh\s`),
        why: "another machine does not get the step's environment",
        remedy: 'see docs/reach.md',
        carriers: ['ssh'],
    },
    systemd: {
        what: 'systemd-run',
        words: ['systemd-run'],
        pattern: at(String.raw `systemd-run\s`),
        why: 'a unit does not get the environment',
        remedy: 'use `systemd-run --setenv=PYTHONPATH`',
        carriers: ['systemd-run'],
        ownCgroup: true,
    },
    bazel: {
        what: 'bazel',
        words: ['bazel'],
        pattern: at(String.raw `bazel(?:isk)?\s+(?:\S+\s+)*?test\b`),
        why: 'bazel clears the environment of its tests',
        remedy: 'use `--test_env=PYTHONPATH` and `--spawn_strategy=local`',
        carriers: ['bazel'],
    },
    replaced: {
        what: 'PYTHONPATH=',
        words: ['PYTHONPATH='],
        pattern: at(String.raw `(?:export\s+)?PYTHONPATH=(?!.*\$\{?PYTHONPATH)`),
        why: 'this replaces PYTHONPATH',
        past: 'PYTHONPATH was replaced on the way',
        remedy: 'write `PYTHONPATH="$PWD:$PYTHONPATH"`',
    },
    pex: {
        what: 'a PEX',
        words: ['.pex'],
        pattern: at(String.raw `(?<!-o\s+)(?:\S*/)?[\w.-]+\.pex(?:\s|$)`),
        why: 'a PEX hides PYTHONPATH from its program',
        remedy: 'build it with `--venv --non-hermetic-venv-scripts`',
        more: 'Else it starts its program with `-I`, or puts `PYTHONPATH` away',
    },
    cleared: {
        what: 'unset PYTHONPATH',
        words: ['PYTHONPATH'],
        pattern: at(String.raw `(?:unset\s+(?:\S+\s+)*PYTHONPATH\b|env\s+(?:\S+\s+)*?(?:-u\s*|--unset=)PYTHONPATH\b)`),
        why: 'this clears PYTHONPATH',
        past: 'PYTHONPATH was cleared on the way',
        remedy: 'leave it set in the wrapped step, or hand it on',
    },
    flags: {
        what: 'python -I, -E or -S',
        words: ['python'],
        pattern: /\bpython[\d.]*\s+(?:-[A-Za-z]+\s+)*-[A-Zabd-ln-z]*[IES]/,
        why: 'these flags make Python ignore PYTHONPATH or skip sitecustomize',
        remedy: 'drop them',
        more: '`-P` and `-s` do most of what `-I` is used for, and do not hide us',
    },
    shadowed: {
        what: 'a folder in front with a `sitecustomize` that runs no other',
        pattern: null,
        why: 'a folder before ours on PYTHONPATH holds a sitecustomize that runs no other',
        remedy: 'put that folder behind, as in `PYTHONPATH="$PYTHONPATH:FOLDER"`',
    },
};
const carriersOf = (launchers) => new Set(launchers.flatMap(({ carriers }) => carriers ?? []));
const CARRIERS = carriersOf(Object.values(LAUNCHERS));
const OWN_CGROUP = carriersOf(Object.values(LAUNCHERS).filter(({ ownCgroup }) => ownCgroup));
const plain = (text) => text.replaceAll('`', '');
const hintOf = ({ why, remedy }) => plain(`${why}; ${remedy}`);
const reasonOf = (launcher) => plain(`${launcher.past ?? launcher.why}; ${launcher.remedy}`);
function launcherTable() {
    const cell = (text) => text.replaceAll('|', '\\|');
    const rows = Object.values(LAUNCHERS).map(({ what, why, remedy, more }) => {
        const named = what.includes('`') || what.startsWith('a ') ? what : `\`${what}\``;
        return `| ${named} | ${cell(why)} | ${cell(remedy)}${more === undefined ? '' : `. ${cell(more)}`} |`;
    });
    return ['| way | what it does | remedy |', '| --- | --- | --- |', ...rows].join('\n');
}


/***/ }),

/***/ 4181:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   I: () => (/* binding */ folderProblem),
/* harmony export */   J: () => (/* binding */ layStep)
/* harmony export */ });
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(3024);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(6760);
/* harmony import */ var _plan_js__WEBPACK_IMPORTED_MODULE_2__ = __nccwpck_require__(1781);
/* harmony import */ var _marks_js__WEBPACK_IMPORTED_MODULE_3__ = __nccwpck_require__(6449);
/* harmony import */ var _shell_js__WEBPACK_IMPORTED_MODULE_4__ = __nccwpck_require__(6373);





const reason = (error) => error.code ?? error.message;
function layStep(plan, script, shimSource) {
    (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.mkdirSync)(plan.stepDir, { recursive: true, mode: 0o700 });
    (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.mkdirSync)(plan.outputDir, { mode: 0o700 });
    (0,_shell_js__WEBPACK_IMPORTED_MODULE_4__/* .writeScript */ .lF)(plan.script, script);
    (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.writeFileSync)((0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(plan.stepDir, 'state'), '', { mode: 0o600 });
    let { evidenceDir } = plan;
    try {
        (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.mkdirSync)(evidenceDir, { recursive: true, mode: 0o700 });
        (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.accessSync)(evidenceDir, node_fs__WEBPACK_IMPORTED_MODULE_0__.constants.W_OK | node_fs__WEBPACK_IMPORTED_MODULE_0__.constants.X_OK);
        evidenceDir = (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.realpathSync)(evidenceDir);
    }
    catch (error) {
        return {
            shim: false,
            faults: [`evidence folder ${evidenceDir} cannot be written (${reason(error)}); nothing is recorded`],
            evidenceDir,
        };
    }
    try {
        copyPython(shimSource, plan.shimDir);
        const config = (0,_plan_js__WEBPACK_IMPORTED_MODULE_2__/* .shimConfig */ .KD)({ ...plan, evidenceDir });
        (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.writeFileSync)((0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(plan.shimDir, '_oom_autopsy', 'config.json'), `${JSON.stringify(config, null, 1)}\n`);
        (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.writeFileSync)((0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(plan.shimDir, _marks_js__WEBPACK_IMPORTED_MODULE_3__/* .MARKS */ .j7), '', { mode: 0o600 });
    }
    catch (error) {
        return {
            shim: false,
            faults: [`the shim could not be laid (${reason(error)}); nothing is recorded`],
            evidenceDir,
        };
    }
    if (plan.shimDir.includes(':')) {
        return {
            shim: false,
            faults: [
                `RUNNER_TEMP holds a colon (${plan.shimDir}), which cannot be on PYTHONPATH; nothing is recorded`,
            ],
            evidenceDir,
        };
    }
    return { shim: true, faults: [], evidenceDir };
}
function copyPython(from, to) {
    (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.mkdirSync)(to);
    (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.mkdirSync)(`${to}/__pycache__`);
    for (const name of (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readdirSync)(from)) {
        const [source, target] = [`${from}/${name}`, `${to}/${name}`];
        if (name.endsWith('.py'))
            (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.writeFileSync)(target, (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readFileSync)(source));
        else if (!name.startsWith('__'))
            copyPython(source, target);
    }
}
function folderProblem(path) {
    try {
        return (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.statSync)(path).isDirectory() ? null : 'it is not a folder';
    }
    catch (error) {
        return error.code === 'ENOENT' ? 'there is no such folder' : reason(error);
    }
}


/***/ }),

/***/ 6449:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   j7: () => (/* binding */ MARKS),
/* harmony export */   pc: () => (/* binding */ readMarks),
/* harmony export */   qN: () => (/* binding */ cameOf),
/* harmony export */   x8: () => (/* binding */ lostPids)
/* harmony export */ });
/* unused harmony export parseMarks */
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(3024);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(6760);


const MARKS = 'marks';
const STAGES = { s: 'started', i: 'importing', t: 'imported' };
const ORDER = Object.values(STAGES);
const MOST_BYTES = 4 * 2 ** 20;
const TICKS = 100;
function parseMarks(text) {
    const marks = new Map();
    for (const line of text.split('\n')) {
        const [, stage = '', pid, seconds] = /^([sit]) (\d{1,10}) (\d{1,12}\.\d\d)$/.exec(line) ?? [];
        const came = STAGES[stage];
        if (came === undefined)
            continue;
        const own = marks.get(Number(pid)) ?? [];
        marks.set(Number(pid), [...own, { came, seconds: Number(seconds) }]);
    }
    return marks;
}
function readMarks(shimDir) {
    try {
        const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = node_fs__WEBPACK_IMPORTED_MODULE_0__.constants;
        const file = (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.openSync)((0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(shimDir, MARKS), O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0));
        try {
            const stat = (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.fstatSync)(file);
            if (!stat.isFile())
                return new Map();
            const buffer = Buffer.alloc(Math.min(stat.size, MOST_BYTES));
            return parseMarks(buffer.toString('latin1', 0, (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readSync)(file, buffer)));
        }
        finally {
            (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.closeSync)(file);
        }
    }
    catch {
        return new Map();
    }
}
function cameOf(marks, { innerPid, startTicks }) {
    const own = (marks.get(innerPid) ?? []).filter(({ seconds }) => seconds * TICKS >= startTicks - 1);
    return ORDER.findLast((came) => own.some((mark) => mark.came === came)) ?? null;
}
const lostPids = (marks, known) => [...marks].flatMap(([pid, own]) => known.has(pid) || !own.some(({ came }) => came === 'imported') ? [] : [pid]);


/***/ }),

/***/ 2671:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   ID: () => (/* binding */ sameProcess),
/* harmony export */   _M: () => (/* binding */ stepProcesses),
/* harmony export */   nd: () => (/* binding */ ownAmong),
/* harmony export */   oV: () => (/* binding */ byStart)
/* harmony export */ });
/* harmony import */ var _proc_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(9503);

const sameProcess = (a, b) => a.pid === b.pid && (a.startTicks === null || b.startTicks === null || a.startTicks === b.startTicks);
const byStart = (a, b) => a.startTicks - b.startTicks || a.pid - b.pid;
function livingLeader({ leader, since }, all) {
    if (leader === null || leader <= 1)
        return null;
    const now = all.find(({ pid }) => pid === leader);
    return now === undefined || since == null || now.startTicks === since ? leader : null;
}
function ownAmong(mark, all, judged = () => undefined, root = '/proc') {
    const { variable, since } = mark;
    const leader = livingLeader(mark, all);
    const met = new Map(mark.met?.map(({ pid, startTicks }) => [pid, startTicks]));
    const own = new Set();
    const open = [];
    for (const facts of all) {
        const known = met.get(facts.pid) === facts.startTicks || judged(facts);
        if (known === true || facts.pid === leader)
            own.add(facts.pid);
        else if (known === undefined && facts.startTicks >= (since ?? 0))
            open.push(facts);
    }
    for (const { pid, ppid, pgid } of open.sort(byStart)) {
        const marked = () => (0,_proc_js__WEBPACK_IMPORTED_MODULE_0__/* .readEnvironment */ .Qo)(pid, root)?.includes(variable) ?? false;
        if (pgid === leader || own.has(ppid) || marked())
            own.add(pid);
    }
    return own;
}
function stepProcesses(mark, all = (0,_proc_js__WEBPACK_IMPORTED_MODULE_0__/* .listProcesses */ .O3)(), root = '/proc') {
    const own = ownAmong(mark, all, undefined, root);
    return all.filter((facts) => (0,_proc_js__WEBPACK_IMPORTED_MODULE_0__/* .isLive */ .DG)(facts) && facts.pid > 1 && facts.pid !== process.pid && own.has(facts.pid));
}


/***/ }),

/***/ 9503:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   DG: () => (/* binding */ isLive),
/* harmony export */   HO: () => (/* binding */ nameProcess),
/* harmony export */   O3: () => (/* binding */ listProcesses),
/* harmony export */   PJ: () => (/* binding */ processFacts),
/* harmony export */   QX: () => (/* binding */ innerPid),
/* harmony export */   Qo: () => (/* binding */ readEnvironment),
/* harmony export */   a7: () => (/* binding */ signalProcess),
/* harmony export */   d6: () => (/* binding */ effectiveUser),
/* harmony export */   lR: () => (/* binding */ readArguments),
/* harmony export */   pK: () => (/* binding */ readExecutable)
/* harmony export */ });
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(3024);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(6760);


function processFacts(pid, root = '/proc') {
    try {
        const stat = (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readFileSync)(`${root}/${pid}/stat`, 'utf8');
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return {
            pid: Number(stat.slice(0, stat.indexOf(' '))),
            state: fields[0] ?? '?',
            ppid: Number(fields[1]),
            pgid: Number(fields[2]),
            startTicks: Number(fields[19]),
            resident: Number(fields[21]),
        };
    }
    catch {
        return null;
    }
}
function listProcesses(root = '/proc', above = 0) {
    let names;
    try {
        names = (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readdirSync)(root);
    }
    catch {
        return [];
    }
    const result = [];
    for (const name of names) {
        if (!(Number(name) > above))
            continue;
        const facts = processFacts(Number(name), root);
        if (facts)
            result.push(facts);
    }
    return result;
}
const isLive = (facts) => facts.state !== 'Z' && facts.state !== 'X';
function innerPid(pid, root = '/proc') {
    try {
        const line = /^NSpid:.*\s(\d+)$/m.exec((0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readFileSync)(`${root}/${pid}/status`, 'utf8'));
        return line ? Number(line[1]) : pid;
    }
    catch {
        return pid;
    }
}
function effectiveUser(pid, root = '/proc') {
    try {
        const line = /^Uid:\s+\d+\s+(\d+)/m.exec((0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readFileSync)(`${root}/${pid}/status`, 'utf8'));
        return line ? Number(line[1]) : null;
    }
    catch {
        return null;
    }
}
function readEnvironment(pid, root = '/proc') {
    try {
        return (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readFileSync)(`${root}/${pid}/environ`, 'utf8').split('\0');
    }
    catch {
        return null;
    }
}
function readArguments(pid, root = '/proc') {
    try {
        return (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readFileSync)(`${root}/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
    }
    catch {
        return null;
    }
}
function readExecutable(pid, root = '/proc') {
    try {
        return (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readlinkSync)(`${root}/${pid}/exe`);
    }
    catch {
        return null;
    }
}
function nameProcess(pid, root = '/proc') {
    const path = readExecutable(pid, root);
    return { pid, program: path === null ? null : (0,node_path__WEBPACK_IMPORTED_MODULE_1__.basename)(path).slice(0, 80) };
}
function signalProcess(pid, signal) {
    try {
        process.kill(pid, signal);
    }
    catch {
    }
}


/***/ }),

/***/ 3910:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   Ze: () => (/* binding */ drain),
/* harmony export */   eg: () => (/* binding */ runStep)
/* harmony export */ });
/* unused harmony exports shellExitCode, endStep */
/* harmony import */ var node_child_process__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(1421);
/* harmony import */ var node_os__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(8161);
/* harmony import */ var _cancel_js__WEBPACK_IMPORTED_MODULE_5__ = __nccwpck_require__(6693);
/* harmony import */ var _launchers_js__WEBPACK_IMPORTED_MODULE_2__ = __nccwpck_require__(1914);
/* harmony import */ var _own_js__WEBPACK_IMPORTED_MODULE_3__ = __nccwpck_require__(2671);
/* harmony import */ var _proc_js__WEBPACK_IMPORTED_MODULE_4__ = __nccwpck_require__(9503);






const DRAIN_POLL_MS = 50;
const UNKILLABLE_MS = 2000;
const SIGTERM_AFTER_MS = 2500;
const LAUNCHERS_LATER_MS = 300;
const shellExitCode = (code, signal) => code ?? 128 + (signal === null ? 0 : (node_os__WEBPACK_IMPORTED_MODULE_1__.constants.signals[signal] ?? 0));
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
    const found = stepProcesses(mark);
    for (const { pid } of found)
        signalProcess(pid, 'SIGTERM');
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
                (0,_proc_js__WEBPACK_IMPORTED_MODULE_4__/* .signalProcess */ .a7)(-leader, signal);
                return;
            }
            if (signal === 'SIGTERM') {
                if (termed)
                    return;
                termed = true;
            }
            const outside = (0,_own_js__WEBPACK_IMPORTED_MODULE_3__/* .stepProcesses */ ._M)(mark()).filter((facts) => facts.pgid !== leader);
            (0,_proc_js__WEBPACK_IMPORTED_MODULE_4__/* .signalProcess */ .a7)(-leader, signal);
            for (const facts of outside)
                (0,_proc_js__WEBPACK_IMPORTED_MODULE_4__/* .signalProcess */ .a7)(facts.pid, signal);
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
            for (const name of _cancel_js__WEBPACK_IMPORTED_MODULE_5__/* .CANCEL_SIGNALS */ .D)
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
        for (const name of _cancel_js__WEBPACK_IMPORTED_MODULE_5__/* .CANCEL_SIGNALS */ .D)
            process.on(name, onSignal);
        try {
            child = (0,node_child_process__WEBPACK_IMPORTED_MODULE_0__.spawn)(options.file, options.args, {
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
            since = (0,_proc_js__WEBPACK_IMPORTED_MODULE_4__/* .processFacts */ .PJ)(child.pid)?.startTicks ?? null;
            options.onStart?.({ pid: child.pid, startTicks: since });
        }
    });
}


/***/ }),

/***/ 6373:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   E6: () => (/* binding */ scriptBody),
/* harmony export */   MS: () => (/* binding */ templateProblem),
/* harmony export */   P6: () => (/* binding */ BUILT_IN_SHELLS),
/* harmony export */   lF: () => (/* binding */ writeScript),
/* harmony export */   q$: () => (/* binding */ shellCommand)
/* harmony export */ });
/* unused harmony export splitWords */
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(3024);

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
    (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.writeFileSync)(path, body, { flag: 'wx', mode: 0o700 });
}


/***/ }),

/***/ 9493:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   B8: () => (/* binding */ whyUnarmed),
/* harmony export */   OC: () => (/* binding */ wasReached),
/* harmony export */   ZB: () => (/* binding */ PYTHON),
/* harmony export */   gu: () => (/* binding */ settled)
/* harmony export */ });
/* unused harmony exports UNARMED_REASONS, interpreterFlags */
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(3024);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(6760);
/* harmony import */ var _plan_js__WEBPACK_IMPORTED_MODULE_2__ = __nccwpck_require__(1781);
/* harmony import */ var _launchers_js__WEBPACK_IMPORTED_MODULE_3__ = __nccwpck_require__(1914);




const UNARMED_REASONS = (/* unused pure expression or super */ null && ([
    'pex',
    'isolated',
    'ignore-environment',
    'no-site',
    'other-user',
    'tox',
    'sudo',
    'environment-cleared',
    'pythonpath-cleared',
    'pythonpath-replaced',
    'shadowed',
    'old-python',
    'not-python',
    'not-imported',
    'import-unfinished',
    'receipt-lost',
    'receipt-unreadable',
    'unknown',
]));
const ADVICE = {
    pex: (0,_launchers_js__WEBPACK_IMPORTED_MODULE_3__/* .reasonOf */ .A3)(_launchers_js__WEBPACK_IMPORTED_MODULE_3__/* .LAUNCHERS */ .oE.pex),
    isolated: 'it was started with -I, which ignores PYTHONPATH; drop -I (use -P and -s for what they do of it)',
    'ignore-environment': 'it was started with -E, which ignores PYTHONPATH; drop -E',
    'no-site': 'it was started with -S, which skips sitecustomize; drop -S',
    'other-user': 'it ran as another user, who may not read the folder of the step; run it as the user of the runner, or as root',
    tox: (0,_launchers_js__WEBPACK_IMPORTED_MODULE_3__/* .reasonOf */ .A3)(_launchers_js__WEBPACK_IMPORTED_MODULE_3__/* .LAUNCHERS */ .oE.tox),
    sudo: (0,_launchers_js__WEBPACK_IMPORTED_MODULE_3__/* .reasonOf */ .A3)(_launchers_js__WEBPACK_IMPORTED_MODULE_3__/* .LAUNCHERS */ .oE.sudo),
    'environment-cleared': (0,_launchers_js__WEBPACK_IMPORTED_MODULE_3__/* .reasonOf */ .A3)(_launchers_js__WEBPACK_IMPORTED_MODULE_3__/* .LAUNCHERS */ .oE.environment),
    'pythonpath-cleared': (0,_launchers_js__WEBPACK_IMPORTED_MODULE_3__/* .reasonOf */ .A3)(_launchers_js__WEBPACK_IMPORTED_MODULE_3__/* .LAUNCHERS */ .oE.cleared),
    'pythonpath-replaced': (0,_launchers_js__WEBPACK_IMPORTED_MODULE_3__/* .reasonOf */ .A3)(_launchers_js__WEBPACK_IMPORTED_MODULE_3__/* .LAUNCHERS */ .oE.replaced),
    shadowed: (0,_launchers_js__WEBPACK_IMPORTED_MODULE_3__/* .reasonOf */ .A3)(_launchers_js__WEBPACK_IMPORTED_MODULE_3__/* .LAUNCHERS */ .oE.shadowed),
    'old-python': 'its Python is older than 3.9, where nothing is recorded; use Python 3.9 or newer',
    'not-python': 'it is not a Python interpreter of its own (a C++ program, or a frozen or embedded Python), so no sitecustomize is read; run the script with python',
    'not-imported': "it read the hook and never imported torch: it uses torch's libraries from C++ or by ctypes, which cannot be recorded",
    'import-unfinished': 'its `import torch` had begun and not come to its end: it failed, or the process was killed in it or is still at it',
    'receipt-lost': 'it imported torch and left no receipt: where that could not be written, a line of the log that begins with "oom-autopsy:" says why',
    'receipt-unreadable': 'its receipt cannot be read',
    unknown: 'why is not known: it left no mark of the hook, and nothing in its command line and environment explains that. What `python -c "import sitecustomize; print(sitecustomize)"` prints in its place would tell; see docs/reach.md',
};
const PYTHON = /^(python|pypy)[\d.]*[td]*(-\w+)?$/;
function interpreterFlags(args) {
    let flags = '';
    for (let i = 1; i < args.length; i++) {
        const arg = args[i];
        if (!/^-[A-Za-z]/.test(arg))
            break;
        const stop = arg.search(/[cmWX]/);
        flags += stop < 0 ? arg.slice(1) : arg.slice(1, stop);
        if (stop >= 0 && /[cm]/.test(arg[stop]))
            break;
        if (stop === arg.length - 1)
            i++;
    }
    return flags;
}
function whyUnarmed(start, shimDir, exists = node_fs__WEBPACK_IMPORTED_MODULE_0__.existsSync) {
    const reason = find(start, shimDir, exists);
    const name = reason === 'tox' ? variable(start.env ?? [], 'TOX_ENV_NAME') : undefined;
    if (name === undefined || !/^[\w.-]{1,60}$/.test(name))
        return { reason, advice: ADVICE[reason] };
    const advice = ADVICE.tox.replace('testenv:NAME.', `testenv:${name}.`).replace(/ with the name .*$/, '');
    return { reason, advice };
}
function find({ program, args, env, cwd, uid }, shimDir, exists) {
    if (isPex(args, env))
        return 'pex';
    const isPython = PYTHON.test(program);
    if (isPython) {
        const [, major, minor] = /^python(\d)(?:\.(\d+))?/.exec(program) ?? [];
        if (major === '2' || (minor !== undefined && Number(minor) < 9))
            return 'old-python';
        const flags = interpreterFlags(args);
        if (flags.includes('I'))
            return 'isolated';
        if (flags.includes('E'))
            return 'ignore-environment';
        if (flags.includes('S'))
            return 'no-site';
    }
    if (uid !== null && uid !== 0 && uid !== process.getuid?.())
        return 'other-user';
    if (env === null)
        return 'unknown';
    const path = variable(env, 'PYTHONPATH')?.split(':') ?? [];
    const place = path.indexOf(shimDir);
    if (place < 0) {
        if (variable(env, _plan_js__WEBPACK_IMPORTED_MODULE_2__/* .STEP_VARIABLE */ .SE) === undefined) {
            if (variable(env, 'TOX_ENV_NAME') !== undefined)
                return 'tox';
            return variable(env, 'SUDO_COMMAND') !== undefined ? 'sudo' : 'environment-cleared';
        }
        return path.join('') === '' ? 'pythonpath-cleared' : 'pythonpath-replaced';
    }
    if (!isPython)
        return 'not-python';
    const folders = path
        .slice(0, place)
        .map((entry) => ((0,node_path__WEBPACK_IMPORTED_MODULE_1__.isAbsolute)(entry) ? entry : cwd === null ? null : (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(cwd, entry)))
        .filter((folder) => folder !== null);
    const forms = ['sitecustomize.py', (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)('sitecustomize', '__init__.py'), 'sitecustomize.pyc'];
    return folders.some((folder) => forms.some((form) => exists((0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(folder, form)))) ? 'shadowed' : 'unknown';
}
const isPex = (args, env) => env !== null &&
    variable(env, 'PEX') !== undefined &&
    (variable(env, '_PEX_PYTHONPATH') !== undefined ||
        (interpreterFlags(args).includes('I') && args.some((arg) => arg.endsWith('/pex'))));
const wasReached = (reason) => reason === 'receipt-lost' || reason === 'receipt-unreadable';
const GUESSES = new Set(['other-user', 'shadowed', 'not-python', 'unknown']);
const BY_MARK = {
    started: 'not-imported',
    importing: 'import-unfinished',
    imported: 'receipt-lost',
};
function settled(seen, came, unreadable) {
    if (unreadable !== null)
        return {
            reason: 'receipt-unreadable',
            advice: `${ADVICE['receipt-unreadable']} (${unreadable})`,
        };
    if (came === null || !GUESSES.has(seen.reason))
        return { reason: seen.reason, advice: seen.advice };
    const reason = BY_MARK[came];
    return { reason, advice: ADVICE[reason] };
}
const variable = (env, name) => env.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1);


/***/ })

/******/ });
/************************************************************************/
/******/ // The module cache
/******/ var __webpack_module_cache__ = {};
/******/ 
/******/ // The require function
/******/ function __nccwpck_require__(moduleId) {
/******/ 	// Check if module is in cache
/******/ 	var cachedModule = __webpack_module_cache__[moduleId];
/******/ 	if (cachedModule !== undefined) {
/******/ 		return cachedModule.exports;
/******/ 	}
/******/ 	// Create a new module (and put it into the cache)
/******/ 	var module = __webpack_module_cache__[moduleId] = {
/******/ 		// no module.id needed
/******/ 		// no module.loaded needed
/******/ 		exports: {}
/******/ 	};
/******/ 
/******/ 	// Execute the module function
/******/ 	var threw = true;
/******/ 	try {
/******/ 		__webpack_modules__[moduleId](module, module.exports, __nccwpck_require__);
/******/ 		threw = false;
/******/ 	} finally {
/******/ 		if(threw) delete __webpack_module_cache__[moduleId];
/******/ 	}
/******/ 
/******/ 	// Return the exports of the module
/******/ 	return module.exports;
/******/ }
/******/ 
/******/ // expose the modules object (__webpack_modules__)
/******/ __nccwpck_require__.m = __webpack_modules__;
/******/ 
/************************************************************************/
/******/ /* webpack/runtime/asset-relocator-loader */
/******/ if (typeof __nccwpck_require__ !== 'undefined') __nccwpck_require__.ab = decodeURIComponent(new URL('.', import.meta.url).pathname).slice(import.meta.url.match(/^file:\/\/\/\w:/) ? 1 : 0, -1) + "/";
/******/ 
/******/ /* webpack/runtime/async module */
/******/ (() => {
/******/ 	var webpackQueues = typeof Symbol === "function" ? Symbol("webpack queues") : "__webpack_queues__";
/******/ 	var webpackExports = typeof Symbol === "function" ? Symbol("webpack exports") : "__webpack_exports__";
/******/ 	var webpackError = typeof Symbol === "function" ? Symbol("webpack error") : "__webpack_error__";
/******/ 	var resolveQueue = (queue) => {
/******/ 		if(queue && queue.d < 1) {
/******/ 			queue.d = 1;
/******/ 			queue.forEach((fn) => (fn.r--));
/******/ 			queue.forEach((fn) => (fn.r-- ? fn.r++ : fn()));
/******/ 		}
/******/ 	}
/******/ 	var wrapDeps = (deps) => (deps.map((dep) => {
/******/ 		if(dep !== null && typeof dep === "object") {
/******/ 			if(dep[webpackQueues]) return dep;
/******/ 			if(dep.then) {
/******/ 				var queue = [];
/******/ 				queue.d = 0;
/******/ 				dep.then((r) => {
/******/ 					obj[webpackExports] = r;
/******/ 					resolveQueue(queue);
/******/ 				}, (e) => {
/******/ 					obj[webpackError] = e;
/******/ 					resolveQueue(queue);
/******/ 				});
/******/ 				var obj = {};
/******/ 				obj[webpackQueues] = (fn) => (fn(queue));
/******/ 				return obj;
/******/ 			}
/******/ 		}
/******/ 		var ret = {};
/******/ 		ret[webpackQueues] = x => {};
/******/ 		ret[webpackExports] = dep;
/******/ 		return ret;
/******/ 	}));
/******/ 	__nccwpck_require__.a = (module, body, hasAwait) => {
/******/ 		var queue;
/******/ 		hasAwait && ((queue = []).d = -1);
/******/ 		var depQueues = new Set();
/******/ 		var exports = module.exports;
/******/ 		var currentDeps;
/******/ 		var outerResolve;
/******/ 		var reject;
/******/ 		var promise = new Promise((resolve, rej) => {
/******/ 			reject = rej;
/******/ 			outerResolve = resolve;
/******/ 		});
/******/ 		promise[webpackExports] = exports;
/******/ 		promise[webpackQueues] = (fn) => (queue && fn(queue), depQueues.forEach(fn), promise["catch"](x => {}));
/******/ 		module.exports = promise;
/******/ 		body((deps) => {
/******/ 			currentDeps = wrapDeps(deps);
/******/ 			var fn;
/******/ 			var getResult = () => (currentDeps.map((d) => {
/******/ 				if(d[webpackError]) throw d[webpackError];
/******/ 				return d[webpackExports];
/******/ 			}))
/******/ 			var promise = new Promise((resolve) => {
/******/ 				fn = () => (resolve(getResult));
/******/ 				fn.r = 0;
/******/ 				var fnQueue = (q) => (q !== queue && !depQueues.has(q) && (depQueues.add(q), q && !q.d && (fn.r++, q.push(fn))));
/******/ 				currentDeps.map((dep) => (dep[webpackQueues](fnQueue)));
/******/ 			});
/******/ 			return fn.r ? promise : getResult();
/******/ 		}, (err) => ((err ? reject(promise[webpackError] = err) : outerResolve(exports)), resolveQueue(queue)));
/******/ 		queue && queue.d < 0 && (queue.d = 0);
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/create fake namespace object */
/******/ (() => {
/******/ 	var getProto = Object.getPrototypeOf ? (obj) => (Object.getPrototypeOf(obj)) : (obj) => (obj.__proto__);
/******/ 	var leafPrototypes;
/******/ 	// create a fake namespace object
/******/ 	// mode & 1: value is a module id, require it
/******/ 	// mode & 2: merge all properties of value into the ns
/******/ 	// mode & 4: return value when already ns object
/******/ 	// mode & 16: return value when it's Promise-like
/******/ 	// mode & 8|1: behave like require
/******/ 	__nccwpck_require__.t = function(value, mode) {
/******/ 		if(mode & 1) value = this(value);
/******/ 		if(mode & 8) return value;
/******/ 		if(typeof value === 'object' && value) {
/******/ 			if((mode & 4) && value.__esModule) return value;
/******/ 			if((mode & 16) && typeof value.then === 'function') return value;
/******/ 		}
/******/ 		var ns = Object.create(null);
/******/ 		__nccwpck_require__.r(ns);
/******/ 		var def = {};
/******/ 		leafPrototypes = leafPrototypes || [null, getProto({}), getProto([]), getProto(getProto)];
/******/ 		for(var current = mode & 2 && value; typeof current == 'object' && !~leafPrototypes.indexOf(current); current = getProto(current)) {
/******/ 			Object.getOwnPropertyNames(current).forEach((key) => (def[key] = () => (value[key])));
/******/ 		}
/******/ 		def['default'] = () => (value);
/******/ 		__nccwpck_require__.d(ns, def);
/******/ 		return ns;
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/define property getters */
/******/ (() => {
/******/ 	// define getter functions for harmony exports
/******/ 	__nccwpck_require__.d = (exports, definition) => {
/******/ 		for(var key in definition) {
/******/ 			if(__nccwpck_require__.o(definition, key) && !__nccwpck_require__.o(exports, key)) {
/******/ 				Object.defineProperty(exports, key, { enumerable: true, get: definition[key] });
/******/ 			}
/******/ 		}
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/ensure chunk */
/******/ (() => {
/******/ 	__nccwpck_require__.f = {};
/******/ 	// This file contains only the entry chunk.
/******/ 	// The chunk loading function for additional chunks
/******/ 	__nccwpck_require__.e = (chunkId) => {
/******/ 		return Promise.all(Object.keys(__nccwpck_require__.f).reduce((promises, key) => {
/******/ 			__nccwpck_require__.f[key](chunkId, promises);
/******/ 			return promises;
/******/ 		}, []));
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/get javascript chunk filename */
/******/ (() => {
/******/ 	// This function allow to reference async chunks
/******/ 	__nccwpck_require__.u = (chunkId) => {
/******/ 		// return url for filenames based on template
/******/ 		return "" + chunkId + ".index.js";
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/hasOwnProperty shorthand */
/******/ (() => {
/******/ 	__nccwpck_require__.o = (obj, prop) => (Object.prototype.hasOwnProperty.call(obj, prop))
/******/ })();
/******/ 
/******/ /* webpack/runtime/make namespace object */
/******/ (() => {
/******/ 	// define __esModule on exports
/******/ 	__nccwpck_require__.r = (exports) => {
/******/ 		if(typeof Symbol !== 'undefined' && Symbol.toStringTag) {
/******/ 			Object.defineProperty(exports, Symbol.toStringTag, { value: 'Module' });
/******/ 		}
/******/ 		Object.defineProperty(exports, '__esModule', { value: true });
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/import chunk loading */
/******/ (() => {
/******/ 	// no baseURI
/******/ 	
/******/ 	// object to store loaded and loading chunks
/******/ 	// undefined = chunk not loaded, null = chunk preloaded/prefetched
/******/ 	// [resolve, Promise] = chunk loading, 0 = chunk loaded
/******/ 	var installedChunks = {
/******/ 		792: 0
/******/ 	};
/******/ 	
/******/ 	var installChunk = (data) => {
/******/ 		var {ids, modules, runtime} = data;
/******/ 		// add "modules" to the modules object,
/******/ 		// then flag all "ids" as loaded and fire callback
/******/ 		var moduleId, chunkId, i = 0;
/******/ 		for(moduleId in modules) {
/******/ 			if(__nccwpck_require__.o(modules, moduleId)) {
/******/ 				__nccwpck_require__.m[moduleId] = modules[moduleId];
/******/ 			}
/******/ 		}
/******/ 		if(runtime) runtime(__nccwpck_require__);
/******/ 		for(;i < ids.length; i++) {
/******/ 			chunkId = ids[i];
/******/ 			if(__nccwpck_require__.o(installedChunks, chunkId) && installedChunks[chunkId]) {
/******/ 				installedChunks[chunkId][0]();
/******/ 			}
/******/ 			installedChunks[ids[i]] = 0;
/******/ 		}
/******/ 	
/******/ 	}
/******/ 	
/******/ 	__nccwpck_require__.f.j = (chunkId, promises) => {
/******/ 			// import() chunk loading for javascript
/******/ 			var installedChunkData = __nccwpck_require__.o(installedChunks, chunkId) ? installedChunks[chunkId] : undefined;
/******/ 			if(installedChunkData !== 0) { // 0 means "already installed".
/******/ 	
/******/ 				// a Promise means "currently loading".
/******/ 				if(installedChunkData) {
/******/ 					promises.push(installedChunkData[1]);
/******/ 				} else {
/******/ 					if(true) { // all chunks have JS
/******/ 						// setup Promise in chunk cache
/******/ 						var promise = import("./" + __nccwpck_require__.u(chunkId)).then(installChunk, (e) => {
/******/ 							if(installedChunks[chunkId] !== 0) installedChunks[chunkId] = undefined;
/******/ 							throw e;
/******/ 						});
/******/ 						var promise = Promise.race([promise, new Promise((resolve) => (installedChunkData = installedChunks[chunkId] = [resolve]))])
/******/ 						promises.push(installedChunkData[1] = promise);
/******/ 					}
/******/ 				}
/******/ 			}
/******/ 	};
/******/ 	
/******/ 	// no prefetching
/******/ 	
/******/ 	// no preloaded
/******/ 	
/******/ 	// no external install chunk
/******/ 	
/******/ 	// no on chunks loaded
/******/ })();
/******/ 
/************************************************************************/
/******/ 
/******/ // startup
/******/ // Load entry module and return exports
/******/ // This entry module used 'module' so it can't be inlined
/******/ var __webpack_exports__ = __nccwpck_require__(1418);
/******/ __webpack_exports__ = await __webpack_exports__;
/******/ 
