export const id = 179;
export const ids = [179];
export const modules = {

/***/ 179:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

// ESM COMPAT FLAG
__webpack_require__.r(__webpack_exports__);

// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  parseBaseline: () => (/* binding */ parseBaseline),
  readBaseline: () => (/* binding */ readBaseline)
});

// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __webpack_require__(3024);
// EXTERNAL MODULE: external "node:fs/promises"
var promises_ = __webpack_require__(1455);
// EXTERNAL MODULE: ./node_modules/valibot/dist/index.mjs
var dist = __webpack_require__(7934);
// EXTERNAL MODULE: ./build/evidence/vocabulary.js
var vocabulary = __webpack_require__(6534);
// EXTERNAL MODULE: ./build/judge/verdicts.js
var verdicts = __webpack_require__(6344);
;// CONCATENATED MODULE: ./build/memory/schema.js



const MEMORY_SCHEMA = 'oom-autopsy.memory.v1';
const MAX_MEMORY_BYTES = 32 * 2 ** 20;
const amount = dist/* pipe */.FsL(dist/* number */.aig(), dist/* safeInteger */.Y2b(), dist/* minValue */.Wwf(0));
const schema_text = (limit) => dist/* pipe */.FsL(dist/* string */.YjP(), dist/* maxLength */.Ru6(limit));
const maybe = (schema) => dist/* nullable */.mee(schema);
const owner = dist/* object */.Ikc({ name: schema_text(200), bytes: amount });
const category = dist/* object */.Ikc({ bytes: amount, owners: dist/* pipe */.FsL(dist/* array */.YOg(owner), dist/* maxLength */.Ru6(10)) });
const row = dist/* object */.Ikc({
    who: schema_text(200),
    device: amount,
    device_name: maybe(schema_text(200)),
    device_total: maybe(amount),
    processes: dist/* pipe */.FsL(amount, dist/* minValue */.Wwf(1)),
    peak_allocated: amount,
    peak_reserved: amount,
    final: dist/* boolean */.zMY(),
    seen: maybe(dist/* picklist */.KIO(['at exit', 'at out-of-memory'])),
    allocated: maybe(amount),
    categories: maybe(dist/* record */.g1P(dist/* picklist */.KIO(vocabulary/* CATEGORY_NAMES */.ku), category)),
});
const settings = dist/* object */.Ikc({
    devices: dist/* pipe */.FsL(dist/* array */.YOg(schema_text(200)), dist/* maxLength */.Ru6(64)),
    world_size: maybe(amount),
    torch: maybe(schema_text(100)),
    backend: maybe(schema_text(100)),
    alloc_conf: maybe(schema_text(500)),
});
const MemorySchema = dist/* object */.Ikc({
    schema: dist/* literal */.euz(MEMORY_SCHEMA),
    created: dist/* pipe */.FsL(dist/* string */.YjP(), dist/* maxLength */.Ru6(40), dist/* isoTimestamp */.yhX()),
    action: dist/* object */.Ikc({ version: schema_text(40) }),
    sha: maybe(schema_text(80)),
    verdict: dist/* picklist */.KIO(verdicts/* VERDICTS */.bk),
    settings,
    rows: dist/* pipe */.FsL(dist/* array */.YOg(row), dist/* maxLength */.Ru6(100_000)),
});

;// CONCATENATED MODULE: ./build/memory/baseline.js




const MOST_RUNS = 100;
const unreadable = (reason) => ({ state: 'unreadable', reason });
function parseBaseline(text) {
    let value;
    try {
        value = JSON.parse(text);
    }
    catch {
        return unreadable('it is not JSON');
    }
    const all = Array.isArray(value) ? value.slice(-MOST_RUNS) : [value];
    if (all.length === 0)
        return unreadable('it is an empty list');
    const runs = [];
    for (const one of all) {
        const parsed = dist/* safeParse */.xLC(MemorySchema, one);
        if (parsed.success) {
            runs.push(parsed.output);
            continue;
        }
        const at = dist/* getDotPath */.BuJ(parsed.issues[0]);
        return unreadable(`it is no memory.json of this action: ${at === null ? 'not an object' : `\`${at.slice(0, 80)}\` is missing or wrong`}`);
    }
    return { state: 'read', memory: runs.at(-1), earlier: runs.slice(0, -1) };
}
async function readBaseline(path) {
    try {
        const file = await (0,promises_.open)(path, external_node_fs_.constants.O_RDONLY | external_node_fs_.constants.O_NONBLOCK);
        try {
            const { size, isFile } = await file.stat().then((s) => ({ size: s.size, isFile: s.isFile() }));
            if (!isFile)
                return unreadable('it is not a file');
            if (size > MAX_MEMORY_BYTES)
                return unreadable(`it has ${size} bytes, and a memory.json has at most ${MAX_MEMORY_BYTES}`);
            return parseBaseline(await file.readFile('utf8'));
        }
        finally {
            await file.close();
        }
    }
    catch (error) {
        const { code, message } = error;
        return code === 'ENOENT'
            ? { state: 'missing', reason: 'there is no such file' }
            : unreadable(code ?? message);
    }
}


/***/ })

};
