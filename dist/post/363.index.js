export const id = 363;
export const ids = [363];
export const modules = {

/***/ 7363:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  parseReceipt: () => (/* binding */ parseReceipt)
});

// EXTERNAL MODULE: ./build/evidence/names.js
var names = __webpack_require__(1040);
// EXTERNAL MODULE: ./build/evidence/vocabulary.js
var vocabulary = __webpack_require__(6534);
// EXTERNAL MODULE: ./build/lib/text.js
var lib_text = __webpack_require__(4869);
;// CONCATENATED MODULE: ./build/evidence/receipt-reader.js

const MOST_NOTES = 20;
const JSON_DEPTH = 12;
const JSON_NODES = 50_000;
const isFields = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const UNUSABLE = Symbol('unusable');
const KINDS = {
    string: 'a text',
    boolean: 'true or false',
    object: 'an object',
    record: 'an object',
    array: 'a list',
};
class Walk {
    notes = [];
    more = 0;
    jsonNodes = JSON_NODES;
    note(line) {
        if (this.notes.length < MOST_NOTES)
            this.notes.push(line);
        else
            this.more += 1;
    }
    allNotes() {
        return this.more > 0 ? [...this.notes, `and ${this.more} more like these`] : this.notes;
    }
    read(node, given, at) {
        if (node.type === 'nullable') {
            if (given === undefined || given === null)
                return null;
            const value = this.judged(node.wrapped, given, at);
            return value === UNUSABLE ? null : value;
        }
        const missing = given === undefined || (given === null && node.type !== 'custom');
        const value = missing ? UNUSABLE : this.judged(node, given, at);
        if (value !== UNUSABLE)
            return value;
        if ('fallback' in node)
            return node.fallback;
        const mayBeEmpty = node.type === 'array' && !node.pipe?.some(({ type }) => type === 'min_length');
        return mayBeEmpty ? [] : UNUSABLE;
    }
    judged(node, given, at) {
        const raw = this.raw(node, given, at);
        if (raw === UNUSABLE)
            return UNUSABLE;
        let value = raw;
        for (const action of node.pipe?.slice(1) ?? []) {
            if (action.kind === 'metadata' || action.type === 'max_length')
                continue;
            const dataset = action['~run']({ typed: true, value }, {});
            const issue = dataset.issues?.[0];
            if (issue !== undefined) {
                this.note(action.type === 'raw_check'
                    ? `${at}.${issue.message}`
                    : `${at} is not ${action.message ?? kindOf(node)}: left out`);
                return UNUSABLE;
            }
            value = dataset.value;
        }
        return value;
    }
    raw(node, given, at) {
        switch (node.type) {
            case 'string':
                if (typeof given === 'string')
                    return (0,lib_text/* cleanText */.X5)(given, maxLength(node));
                break;
            case 'number':
                if (typeof given === 'number' && Number.isFinite(given))
                    return given;
                break;
            case 'boolean':
                if (typeof given === 'boolean')
                    return given;
                break;
            case 'picklist':
                if (node.options?.includes(given))
                    return given;
                break;
            case 'literal':
                return given;
            case 'array':
                if (Array.isArray(given))
                    return this.list(node, given, at);
                break;
            case 'object':
                if (isFields(given))
                    return this.object(node, given, at);
                break;
            case 'record':
                if (isFields(given))
                    return this.record(node, given, at);
                break;
            case 'custom':
                return this.json(given, at);
            default:
                throw new Error(`the reader knows no schema of type ${node.type}`);
        }
        this.note(`${at} is not ${kindOf(node)}: left out`);
        return UNUSABLE;
    }
    object(node, given, at) {
        const result = {};
        for (const [key, field] of Object.entries(node.entries ?? {})) {
            const value = this.read(field, own(given, key), at === '' ? key : `${at}.${key}`);
            if (value === UNUSABLE)
                return UNUSABLE;
            result[key] = value;
        }
        for (const key of Object.keys(result)) {
            const dropped = result[`${key}_dropped`];
            const list = own(given, key);
            if (typeof dropped === 'number' && Array.isArray(list))
                result[`${key}_dropped`] = dropped + list.length - result[key].length;
        }
        return result;
    }
    record(node, given, at) {
        const { key, value } = node;
        const names = key.options ?? Object.keys(given).slice(0, 200);
        const entries = [];
        for (const name of names) {
            const field = own(given, name);
            if (field === undefined || (key.options === undefined && !accepts(key, name)))
                continue;
            const read = this.read(value, field, `${at}.${name}`);
            if (read !== UNUSABLE)
                entries.push([key.pipe ? name : (0,lib_text/* cleanText */.X5)(name, 200), read]);
        }
        return Object.fromEntries(entries);
    }
    list(node, all, at) {
        const most = maxLength(node);
        const keep = node.pipe?.find(({ metadata }) => metadata?.keep)?.metadata?.keep ?? 'first';
        const from = keep === 'first' ? 0 : Math.max(0, all.length - most);
        const items = [];
        for (const [index, given] of all.slice(from, from + most).entries()) {
            const where = `${at}[${from + index}]`;
            const kind = node.item;
            const item = kind.type === 'object' && !isFields(given) ? UNUSABLE : this.read(kind, given, where);
            if (item === UNUSABLE)
                this.note(`${where} is not usable: left out`);
            else
                items.push(item);
        }
        if (all.length > most)
            this.note(`${at} has ${all.length} entries: ${keep} ${most} read`);
        return items;
    }
    json(value, at, depth = 0) {
        if (this.jsonNodes === 0)
            this.note(`${at.split('.')[0]} has more than ${JSON_NODES} values: cut`);
        this.jsonNodes -= 1;
        if (this.jsonNodes < 0 || depth > JSON_DEPTH)
            return null;
        if (typeof value === 'string')
            return (0,lib_text/* cleanText */.X5)(value, 500);
        if (typeof value === 'number')
            return Number.isFinite(value) ? value : null;
        if (typeof value === 'boolean' || value === null)
            return value;
        const room = () => this.jsonNodes >= 0;
        if (Array.isArray(value)) {
            const items = [];
            for (const item of value)
                if (room())
                    items.push(this.json(item, at, depth + 1));
            return items;
        }
        if (!isFields(value))
            return null;
        const entries = [];
        for (const key of Object.keys(value))
            if (room())
                entries.push([(0,lib_text/* cleanText */.X5)(key, 200), this.json(value[key], at, depth + 1)]);
        return Object.fromEntries(entries);
    }
}
const own = (fields, key) => (Object.hasOwn(fields, key) ? fields[key] : undefined);
const maxLength = (node) => node.pipe?.find(({ type }) => type === 'max_length')?.requirement ?? 500;
const accepts = (node, value) => (node.pipe ?? []).slice(1).every((action) => !action['~run']({ typed: true, value }, {}).issues);
function kindOf(node) {
    if (node.type === 'picklist')
        return `one of ${node.options?.join(', ')}`;
    if (node.type !== 'number')
        return KINDS[node.type] ?? 'usable';
    return node.pipe?.some(({ type }) => type === 'safe_integer')
        ? 'a whole number from 0'
        : 'a finite number from 0';
}
function readLeniently(schema, value) {
    const walk = new Walk();
    const read = walk.read(schema, value, '');
    return { value: read === UNUSABLE ? null : read, notes: walk.allNotes() };
}

// EXTERNAL MODULE: ./node_modules/valibot/dist/index.mjs
var dist = __webpack_require__(7934);
;// CONCATENATED MODULE: ./build/evidence/receipt-schema.js



const [NAME, LINE, PATH] = [200, 500, 1000];
const amount = dist/* pipe */.FsL(dist/* number */.aig(), dist/* safeInteger */.Y2b(), dist/* minValue */.Wwf(0));
const seconds = dist/* pipe */.FsL(dist/* number */.aig(), dist/* minValue */.Wwf(0), dist/* maxValue */.cGV(1e12));
const receipt_schema_text = (limit) => dist/* pipe */.FsL(dist/* string */.YjP(), dist/* maxLength */.Ru6(limit));
const maybe = (schema) => dist/* nullable */.mee(schema);
const flag = dist/* fallback */.NpB(dist/* boolean */.zMY(), false);
const atLeast = (value) => dist/* fallback */.NpB(amount, value);
const list = (item, most, keep = 'first') => dist/* pipe */.FsL(dist/* array */.YOg(item), dist/* maxLength */.Ru6(most), dist/* metadata */.yuE({ keep }));
const receipt_schema_history = maybe(dist/* picklist */.KIO(['armed', 'interrupted', 'foreign', 'none']));
const fileName = dist/* pipe */.FsL(receipt_schema_text(NAME), dist/* regex */.yGV(/^[A-Za-z0-9._-]{1,200}$/));
const deviceBytes = dist/* fallback */.NpB(dist/* record */.g1P(dist/* pipe */.FsL(dist/* string */.YjP(), dist/* regex */.yGV(/^[a-z]{1,10}(:[0-9]{1,4})?$/)), amount), {});
const frameFields = {
    file: dist/* fallback */.NpB(receipt_schema_text(PATH), '?'),
    line: atLeast(0),
    function: dist/* fallback */.NpB(receipt_schema_text(NAME), '?'),
};
const receipt_schema_frame = dist/* pipe */.FsL(dist/* object */.Ikc(frameFields), dist/* check */.z6Y(({ file, function: name }) => file !== '?' || name !== '?'));
const countedFrame = dist/* object */.Ikc({ ...frameFields, count: atLeast(1) });
const stack = list(receipt_schema_frame, 100, 'last');
const counts = {
    allocated: maybe(amount),
    reserved: maybe(amount),
    peak_allocated: maybe(amount),
    peak_reserved: maybe(amount),
    retries: maybe(amount),
    ooms: maybe(amount),
};
const owner = dist/* object */.Ikc({
    name: receipt_schema_text(NAME),
    bytes: amount,
    count: atLeast(0),
    kind: maybe(dist/* picklist */.KIO(vocabulary/* OWNER_KINDS */.eC)),
    largest: maybe(receipt_schema_text(100)),
});
const category = dist/* object */.Ikc({
    bytes: amount,
    count: atLeast(0),
    owners: list(owner, 10),
    reasons: list(dist/* object */.Ikc({ reason: receipt_schema_text(NAME), bytes: amount, count: maybe(amount) }), 20),
});
const categoryName = dist/* picklist */.KIO(vocabulary/* CATEGORY_NAMES */.ku);
const sum = (values) => values.reduce((all, bytes) => all + bytes, 0);
const pool = dist/* pipe */.FsL(dist/* object */.Ikc({
    id: maybe(receipt_schema_text(NAME)),
    kind: dist/* picklist */.KIO(vocabulary/* POOL_KINDS */.T),
    count: atLeast(1),
    reserved: amount,
    allocated: amount,
    categories: dist/* record */.g1P(categoryName, amount),
}), dist/* rawCheck */.H0v(({ dataset, addIssue }) => {
    if (!dataset.typed)
        return;
    const { allocated, reserved, categories } = dataset.value;
    const all = sum(Object.values(categories));
    if (all !== allocated || allocated > reserved)
        addIssue({
            message: `categories add up to ${all} bytes, of ${allocated} allocated and ${reserved} reserved`,
        });
}), dist/* description */.h_('A part of its device: the bytes of the categories add up to `allocated`'));
const keeper = dist/* object */.Ikc({
    name: receipt_schema_text(NAME),
    by: dist/* picklist */.KIO(vocabulary/* KEPT_BY */.Vl),
    bytes: amount,
    count: atLeast(0),
});
const signs = dist/* object */.Ikc({
    eval_activations: maybe(amount),
    optimizer_step: maybe(dist/* picklist */.KIO(['first', 'later'])),
    graph_passes: maybe(amount),
    live_passes: maybe(amount),
    twins: maybe(dist/* object */.Ikc({ names: list(receipt_schema_text(NAME), 8), bytes: amount })),
});
const censusDevice = dist/* pipe */.FsL(dist/* object */.Ikc({
    index: amount,
    allocated: amount,
    reserved: maybe(amount),
    reserved_unused: maybe(amount),
    attributed: maybe(amount),
    categories: dist/* record */.g1P(categoryName, category),
    pools: maybe(list(pool, 17)),
    kept: list(keeper, 10),
}), dist/* rawCheck */.H0v(({ dataset, addIssue }) => {
    if (!dataset.typed)
        return;
    const { allocated, categories } = dataset.value;
    const all = sum(Object.values(categories).map(({ bytes }) => bytes));
    if (all !== allocated)
        addIssue({ message: `categories add up to ${all} bytes, not to the ${allocated} allocated` });
}), dist/* transform */.pdi((device) => {
    const { allocated, categories } = device;
    const reserved = device.reserved ?? allocated;
    return {
        ...device,
        reserved,
        reserved_unused: device.reserved_unused ?? Math.max(0, reserved - allocated),
        attributed: allocated - (categories.unknown?.bytes ?? 0),
    };
}), dist/* description */.h_('The bytes of the categories add up to `allocated`'));
const census = dist/* object */.Ikc({
    seconds: maybe(seconds),
    complete: flag,
    cut: maybe(receipt_schema_text(LINE)),
    not_reached: list(categoryName, 5),
    signs: maybe(signs),
    devices: list(censusDevice, 128),
});
const step = dist/* object */.Ikc({ name: receipt_schema_text(NAME), label: dist/* fallback */.NpB(receipt_schema_text(NAME), '') });
const steps = dist/* pipe */.FsL(dist/* array */.YOg(step), dist/* minLength */.BpQ(1), dist/* maxLength */.Ru6(32));
const cycleGraph = dist/* pipe */.FsL(dist/* object */.Ikc({
    ring: steps,
    ring_cut: atLeast(0),
    held: list(dist/* object */.Ikc({ at: amount, path: steps, bytes: amount, device: receipt_schema_text(NAME) }), 8),
    held_cut: atLeast(0),
}), dist/* transform */.pdi((graph) => ({ ...graph, held: graph.held.filter(({ at }) => at < graph.ring.length) })), dist/* description */.h_('A closed path through a cycle, and what hangs on it; `at` is an index in `ring`'));
const cycle = dist/* object */.Ikc({
    id: dist/* pipe */.FsL(receipt_schema_text(64), dist/* regex */.yGV(/^[0-9a-f]{4,64}$/)),
    seen: atLeast(1),
    size: atLeast(0),
    types: list(dist/* object */.Ikc({ name: receipt_schema_text(NAME), count: atLeast(1) }), 50),
    tensors: atLeast(0),
    bytes: deviceBytes,
    frames: list(countedFrame, 100),
    graph: maybe(cycleGraph),
});
const cycles = dist/* pipe */.FsL(dist/* object */.Ikc({
    mode: dist/* fallback */.NpB(dist/* picklist */.KIO(['sampled', 'continuous', 'off']), 'off'),
    state: dist/* fallback */.NpB(dist/* picklist */.KIO(['watching', 'nothing-to-watch', 'failed']), 'failed'),
    reason: maybe(receipt_schema_text(LINE)),
    looks: atLeast(0),
    seconds: maybe(seconds),
    count: maybe(amount),
    tensors: atLeast(0),
    bytes: deviceBytes,
    cycles: list(cycle, 50),
    cycles_dropped: atLeast(0),
}), dist/* transform */.pdi((look) => ({ ...look, count: look.count ?? look.cycles.length })));
const test = dist/* object */.Ikc({
    runner: dist/* picklist */.KIO(vocabulary/* TEST_RUNNERS */.Ln),
    id: receipt_schema_text(NAME),
    phase: maybe(dist/* picklist */.KIO(['collect', 'setup', 'call', 'teardown'])),
    child: flag,
});
const outcome = dist/* object */.Ikc({
    kind: dist/* picklist */.KIO(vocabulary/* OOM_OUTCOMES */.iT),
    at: maybe(receipt_schema_frame),
    tool: maybe(receipt_schema_text(NAME)),
    later: maybe(receipt_schema_text(NAME)),
});
const oom = dist/* object */.Ikc({
    seq: amount,
    time: maybe(seconds),
    device: maybe(amount),
    wanted: maybe(amount),
    limit: maybe(amount),
    free: maybe(amount),
    thread: maybe(dist/* picklist */.KIO(['main', 'backward', 'other'])),
    stack,
    main_stack: maybe(stack),
    ...counts,
    device_free: maybe(amount),
    device_total: maybe(amount),
    snapshot: maybe(fileName),
    snapshot_error: maybe(receipt_schema_text(LINE)),
    dump_seconds: maybe(seconds),
    history: receipt_schema_history,
    census: maybe(census),
    cycles: maybe(cycles),
    test: maybe(test),
    outcome: maybe(outcome),
    cell: maybe(amount),
});
const snapshot = dist/* pipe */.FsL(dist/* object */.Ikc({
    file: dist/* pipe */.FsL(fileName, dist/* check */.z6Y((name) => (0,names/* parseSnapshotName */.FZ)(name) !== null)),
    bytes: maybe(amount),
    reason: maybe(dist/* picklist */.KIO(names/* SNAPSHOT_REASONS */.VV)),
    device: maybe(amount),
    seq: maybe(amount),
    time: maybe(seconds),
    history: receipt_schema_history,
}), dist/* transform */.pdi((row) => ({ ...row, reason: row.reason ?? (0,names/* parseSnapshotName */.FZ)(row.file)?.reason ?? 'oom' })));
const recorder = dist/* pipe */.FsL(dist/* object */.Ikc({
    state: dist/* pipe */.FsL(dist/* fallback */.NpB(dist/* picklist */.KIO(['idle', 'armed', 'disarmed', 'foreign', 'unsupported', 'failed']), 'failed'), dist/* description */.h_("idle: torch was imported, CUDA never initialised. foreign: the user's own recording, left alone.")),
    reason: maybe(receipt_schema_text(LINE)),
    armed_at: maybe(seconds),
    disarmed_at: maybe(seconds),
    disarm_proven: maybe(dist/* boolean */.zMY()),
    interrupted: flag,
    observer: maybe(dist/* picklist */.KIO(vocabulary/* OBSERVER_STATES */.K$)),
    max_entries: maybe(amount),
    stacks: maybe(receipt_schema_text(20)),
}), dist/* transform */.pdi((said) => said.state === 'failed' && said.reason === null
    ? { ...said, reason: 'the receipt gives no state that is known here' }
    : said));
const NO_RECORDER = {
    state: 'failed',
    reason: 'the receipt says nothing about the recorder',
    armed_at: null,
    disarmed_at: null,
    disarm_proven: null,
    interrupted: false,
    observer: null,
    max_entries: null,
    stacks: null,
};
const torch = dist/* object */.Ikc({
    version: dist/* fallback */.NpB(receipt_schema_text(100), 'unknown'),
    cuda: maybe(receipt_schema_text(100)),
    hip: maybe(receipt_schema_text(100)),
    backend: maybe(receipt_schema_text(100)),
    alloc_conf: maybe(receipt_schema_text(LINE)),
    expandable_segments: maybe(dist/* boolean */.zMY()),
    path: maybe(receipt_schema_text(PATH)),
});
const outsideOom = dist/* object */.Ikc({
    kind: dist/* picklist */.KIO(vocabulary/* OUTSIDE_KINDS */.sF),
    certain: flag,
    device_free: maybe(amount),
});
const identity = dist/* object */.Ikc({
    launcher: maybe(dist/* picklist */.KIO(vocabulary/* IDENTITY_LAUNCHERS */.Hr)),
    rank: maybe(amount),
    size: maybe(amount),
    node: maybe(amount),
    nodes: maybe(amount),
    name: maybe(receipt_schema_text(NAME)),
    job: maybe(receipt_schema_text(100)),
});
const ending = { exception: maybe(receipt_schema_text(NAME)), oom: flag, time: maybe(seconds), at: maybe(receipt_schema_frame) };
const timeline = dist/* record */.g1P(dist/* string */.YjP(), dist/* custom */.IeY(() => true));
const ReceiptSchema = dist/* object */.Ikc({
    schema: dist/* literal */.euz(vocabulary/* RECEIPT_SCHEMA */.RJ),
    step: dist/* pipe */.FsL(dist/* string */.YjP(), dist/* regex */.yGV(/^[0-9a-f]{12}$/)),
    host: dist/* pipe */.FsL(dist/* string */.YjP(), dist/* regex */.yGV(/^[A-Za-z0-9-]{1,40}$/)),
    pid: dist/* pipe */.FsL(dist/* number */.aig(), dist/* safeInteger */.Y2b(), dist/* minValue */.Wwf(1)),
    token: dist/* pipe */.FsL(dist/* string */.YjP(), dist/* regex */.yGV(/^[0-9a-f]{8}$/)),
    ppid: maybe(amount),
    start_ticks: maybe(amount),
    python: maybe(receipt_schema_text(100)),
    executable: maybe(receipt_schema_text(PATH)),
    program: maybe(receipt_schema_text(NAME)),
    github_action: maybe(receipt_schema_text(NAME)),
    github_action_path: maybe(receipt_schema_text(PATH)),
    rank: dist/* fallback */.NpB(dist/* record */.g1P(dist/* picklist */.KIO(vocabulary/* RANK_VARIABLES */.bZ), dist/* pipe */.FsL(dist/* string */.YjP(), dist/* regex */.yGV(/^[0-9]{1,9}$/, 'a number'))), {}),
    identity: maybe(identity),
    time: dist/* fallback */.NpB(dist/* object */.Ikc({ started: maybe(seconds), updated: maybe(seconds) }), {
        started: null,
        updated: null,
    }),
    torch: maybe(torch),
    recorder: dist/* fallback */.NpB(recorder, NO_RECORDER),
    devices: list(dist/* object */.Ikc({
        index: amount,
        name: maybe(receipt_schema_text(NAME)),
        total: maybe(amount),
        limit: maybe(amount),
        ...counts,
    }), 128),
    ooms: list(oom, 50, 'last'),
    ooms_dropped: atLeast(0),
    oom_count: atLeast(0),
    snapshots: list(snapshot, 256),
    snapshots_removed: atLeast(0),
    census: maybe(census),
    cycles: maybe(cycles),
    timeline: maybe(timeline),
    faults: list(receipt_schema_text(LINE), 20),
    thread_ends: list(dist/* object */.Ikc(ending), 20),
    end: dist/* pipe */.FsL(maybe(dist/* object */.Ikc({
        kind: dist/* picklist */.KIO(['exit', 'exception', 'sigterm']),
        ...ending,
        outside_oom: maybe(outsideOom),
        reraised_from: maybe(dist/* picklist */.KIO(vocabulary/* RERAISED_FROM */.Db)),
    })), dist/* description */.h_('null: ended without running its exit handlers, or still running')),
});
const DEFINITIONS = { frame: receipt_schema_frame, stack, category, censusDevice, census, cycleGraph, cycles };

;// CONCATENATED MODULE: ./build/evidence/receipt-parse.js




function foreignClaim(name, own) {
    if (!(0,names/* isSafeName */.TE)(name))
        return `names a file outside of the evidence folder's rules: ${(0,names/* displayName */.QC)(name)}`;
    const of = (0,names/* parseSnapshotName */.FZ)(name);
    if (!of)
        return `names a snapshot that no process writes: ${(0,names/* displayName */.QC)(name)}`;
    return (0,names/* sameOwner */.s0)(of, own) ? null : `claims a snapshot of another process: ${(0,names/* displayName */.QC)(name)}`;
}
function* claims(root) {
    const list = (value) => (Array.isArray(value) ? value : []);
    for (const item of list(root.snapshots)) {
        if (isFields(item) && typeof item.file === 'string')
            yield item.file;
    }
    for (const item of list(root.ooms)) {
        if (isFields(item) && typeof item.snapshot === 'string')
            yield item.snapshot;
    }
}
function parseReceipt(text, fileName) {
    const no = (reason) => ({ ok: false, reason });
    const named = (0,names/* parseReceiptName */.Bn)(fileName);
    if (!named)
        return no('its name is not one of a receipt');
    if (text.length > vocabulary/* MAX_RECEIPT_BYTES */.cs)
        return no(`longer than ${vocabulary/* MAX_RECEIPT_BYTES */.cs} bytes`);
    let root;
    try {
        root = JSON.parse(text);
    }
    catch {
        return no(text.trim() === '' ? 'empty' : 'not JSON');
    }
    if (!isFields(root))
        return no('not a JSON object');
    if (root.schema !== vocabulary/* RECEIPT_SCHEMA */.RJ) {
        return no(typeof root.schema === 'string'
            ? `schema ${(0,names/* displayName */.QC)(root.schema, 60)}, not ${vocabulary/* RECEIPT_SCHEMA */.RJ}`
            : `no schema ${vocabulary/* RECEIPT_SCHEMA */.RJ}`);
    }
    const step = root.step;
    if (typeof step !== 'string' || !/^[0-9a-f]{12}$/.test(step))
        return no('step is not 12 hexadecimal digits');
    const pid = root.pid;
    if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid < 1)
        return no('pid is not a process id');
    if (root.host !== named.host || pid !== named.pid || root.token !== named.token) {
        return no("host, pid or token differ from the file's name");
    }
    for (const name of claims(root)) {
        const problem = foreignClaim(name, named);
        if (problem)
            return no(problem);
    }
    return readReceipt(root, fileName);
}
function readReceipt(root, file) {
    const { value, notes } = readLeniently(ReceiptSchema, root);
    if (value === null)
        return { ok: false, reason: 'it is not a receipt' };
    const listed = value.ooms.length;
    const said = value.oom_count < listed ? [`oom_count is ${value.oom_count}, but ${listed} are listed`] : [];
    return {
        ok: true,
        receipt: { ...value, oom_count: Math.max(value.oom_count, listed), file, notes: [...notes, ...said] },
    };
}


/***/ })

};
