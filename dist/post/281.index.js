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
/* harmony import */ var node_util__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(7975);
/* harmony import */ var _random_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(9905);




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
            for (const name of (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readdirSync)(open.path))
                if (/^\..*\.tmp-[0-9a-f]{16}$/.test(name))
                    (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.rmSync)((0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(open.path, name), { force: true });
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

/***/ 3281:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   LO: () => (/* binding */ inputVariable),
/* harmony export */   environmentRunner: () => (/* binding */ environmentRunner),
/* harmony export */   terminalRunner: () => (/* binding */ terminalRunner),
/* harmony export */   uC: () => (/* binding */ outliveOutput),
/* harmony export */   yr: () => (/* binding */ forgiving)
/* harmony export */ });
/* unused harmony exports keyValueMessage, openFile */
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
            const core = await Promise.all(/* import() */[__webpack_require__.e(260), __webpack_require__.e(264)]).then(__webpack_require__.bind(__webpack_require__, 7264));
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


/***/ })

};
