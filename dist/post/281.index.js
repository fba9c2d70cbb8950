export const id = 281;
export const ids = [281];
export const modules = {

/***/ 3963:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Bg: () => (/* binding */ withRoomSync),
/* harmony export */   Eo: () => (/* binding */ withRoom),
/* harmony export */   YH: () => (/* binding */ removeHalves),
/* harmony export */   f8: () => (/* binding */ writeWhole),
/* harmony export */   uq: () => (/* binding */ isFull)
/* harmony export */ });
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3024);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(6760);


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
function writeWhole(path, text, makeRoom) {
    return withRoom(() => writeOnce(path, text), makeRoom);
}
const SMALL = 64 * 1024;
async function writeOnce(path, text) {
    const half = `${path}.tmp-${process.pid}`;
    try {
        if (text.length <= SMALL) {
            (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.writeFileSync)(half, text, { mode: 0o600 });
            (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.renameSync)(half, path);
            return;
        }
        await node_fs__WEBPACK_IMPORTED_MODULE_0__.promises.writeFile(half, text, { mode: 0o600 });
        await node_fs__WEBPACK_IMPORTED_MODULE_0__.promises.rename(half, path);
    }
    catch (error) {
        try {
            (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.rmSync)(half, { force: true });
        }
        catch {
        }
        throw error;
    }
}
async function removeHalves(folder) {
    const names = await node_fs__WEBPACK_IMPORTED_MODULE_0__.promises.readdir(folder).catch(() => []);
    const halves = names.filter((name) => /\.tmp-\d+$/.test(name));
    await Promise.all(halves.map((name) => node_fs__WEBPACK_IMPORTED_MODULE_0__.promises.rm((0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(folder, name), { force: true }).catch(() => undefined)));
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


/***/ }),

/***/ 3281:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   LO: () => (/* binding */ inputVariable),
/* harmony export */   environmentRunner: () => (/* binding */ environmentRunner),
/* harmony export */   terminalRunner: () => (/* binding */ terminalRunner),
/* harmony export */   uC: () => (/* binding */ outliveOutput),
/* harmony export */   yr: () => (/* binding */ forgiving)
/* harmony export */ });
/* unused harmony export keyValueMessage */
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3024);
/* harmony import */ var _lib_files_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(3963);
/* harmony import */ var _lib_random_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(9905);
/* harmony import */ var _lib_text_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(4869);




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
function lineEnd(path, size) {
    if (size === 0)
        return '';
    const last = Buffer.alloc(1);
    try {
        const file = (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.openSync)(path, 'r');
        try {
            (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readSync)(file, last, 0, 1, size - 1);
        }
        finally {
            (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.closeSync)(file);
        }
    }
    catch {
        return '\n';
    }
    return last.toString('latin1') === '\n' ? '' : '\n';
}
function append(path, text, apart) {
    const size = sizeOf(path);
    const between = apart === null ? '' : `${lineEnd(path, size)}${apart === 'paragraph' && size > 0 ? '\n' : ''}`;
    try {
        (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.appendFileSync)(path, between + text);
    }
    catch (error) {
        if (size > 0 || sizeOf(path) > 0)
            (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.truncateSync)(path, size);
        throw error;
    }
}
function environmentRunner(env) {
    const keyValue = (file, values) => {
        const path = env[`GITHUB_${file}`];
        if (!path)
            throw new Error(`GITHUB_${file} is not set`);
        append(path, keyValueMessage(values), file === 'OUTPUT' ? 'line' : null);
    };
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
            const core = await Promise.all(/* import() */[__webpack_require__.e(260), __webpack_require__.e(264)]).then(__webpack_require__.bind(__webpack_require__, 7264));
            core[level](message, place);
        },
        summary: (markdown) => {
            const file = env.GITHUB_STEP_SUMMARY;
            if (!file) {
                info('oom-autopsy: GITHUB_STEP_SUMMARY is not set, so the summary follows here.');
                for (const line of markdown.trimEnd().split('\n'))
                    info(line === '' ? '' : `| ${(0,_lib_text_js__WEBPACK_IMPORTED_MODULE_3__/* .printable */ .g$)(line, line.length)}`);
                return;
            }
            append(file, markdown.endsWith('\n') ? markdown : `${markdown}\n`, 'paragraph');
        },
        summaryRoom: () => {
            const file = env.GITHUB_STEP_SUMMARY;
            return Math.max(0, SUMMARY_LIMIT - SUMMARY_MARGIN - (file ? sizeOf(file) : 0));
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
        summary: (markdown) => attempt('the summary', () => runner.summary(markdown)),
        summaryRoom: () => {
            let room = SUMMARY_LIMIT - SUMMARY_MARGIN;
            attempt('the summary', () => {
                room = runner.summaryRoom();
            });
            return room;
        },
    };
}
function outliveOutput() {
    for (const stream of [process.stdout, process.stderr])
        stream.on('error', () => undefined);
}


/***/ })

};
