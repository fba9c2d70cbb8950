export const id = 44;
export const ids = [44];
export const modules = {

/***/ 3044:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  collect: () => (/* binding */ collect)
});

// UNUSED EXPORTS: COLLECT_LIMITS, joinReceipt

// EXTERNAL MODULE: external "node:fs/promises"
var promises_ = __webpack_require__(1455);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
// EXTERNAL MODULE: ./build/evidence/digest.js
var digest = __webpack_require__(3154);
// EXTERNAL MODULE: ./build/evidence/names.js
var evidence_names = __webpack_require__(1040);
// EXTERNAL MODULE: ./build/evidence/vocabulary.js
var vocabulary = __webpack_require__(6534);
;// CONCATENATED MODULE: ./build/evidence/rejected.js
const MOST_KINDS = 60;
const OTHER = 'other reasons';
const kindOf = (reason) => reason
    .replace(/ \((pid [0-9]+|[0-9]+ names share this file)\)$/, '')
    .replace(/^[0-9]+ bytes, more than the [0-9]+ that are read$/, 'more bytes than are read')
    .replace(/^schema .*, not /s, 'a schema that is not ')
    .replace(/^((?:names|claims) a [^:]*): .*$/s, '$1');
class Rejections {
    limit;
    count = 0;
    kinds = new Map();
    constructor(limit) {
        this.limit = limit;
    }
    add(rejected) {
        const { kept } = this.counted(rejected.reason, 1);
        if (kept.length < this.limit)
            kept.push(rejected);
    }
    skip(reason, count) {
        this.counted(reason, count);
    }
    counted(reason, count) {
        this.count += count;
        const name = kindOf(reason);
        const known = this.kinds.has(name) || this.kinds.size < MOST_KINDS - 1 ? name : OTHER;
        const kind = this.kinds.get(known) ?? { count: 0, kept: [] };
        kind.count += count;
        this.kinds.set(known, kind);
        return kind;
    }
    list() {
        const kinds = [...this.kinds.values()].sort((a, b) => a.count - b.count);
        const rounds = Math.max(0, ...kinds.map(({ kept }) => kept.length));
        return Array.from({ length: rounds }, (_, round) => kinds.flatMap(({ kept }) => kept[round] ?? []))
            .flat()
            .slice(0, this.limit);
    }
    reasons() {
        return [...this.kinds]
            .map(([reason, { count }]) => ({ reason, count }))
            .sort((a, b) => b.count - a.count);
    }
}

// EXTERNAL MODULE: ./build/evidence/safe-fs.js
var safe_fs = __webpack_require__(9531);
;// CONCATENATED MODULE: ./build/evidence/collect.js







const COLLECT_LIMITS = {
    names: 250_000,
    receipts: 4096,
    receiptBytes: 64 * 2 ** 20,
    snapshots: 4096,
    snapshotBytes: 32 * 2 ** 30,
    totalBytes: 256 * 2 ** 30,
    rejected: 100,
    milliseconds: 300_000,
};
const OTHER_STEP = 'of another step';
const ATTEMPTS = 3;
const CLOCKS_MS = 60_000;
const MOST_UNFINISHED = 4096;
async function collect(options) {
    const limits = { ...COLLECT_LIMITS, ...options.limits };
    const { dir, step, since = 0, isGone = () => false, signal } = options;
    const collector = new Collector(dir, step, limits, since, isGone, signal);
    try {
        await collector.run();
    }
    catch (error) {
        collector.folderFault = (0,safe_fs/* errorCode */.CA)(error);
        collector.faults.push(`the evidence folder cannot be read (${collector.folderFault})`);
    }
    return collector.evidence();
}
class Collector {
    dir;
    step;
    limits;
    since;
    isGone;
    signal;
    faults = [];
    folderFault = null;
    receipts = [];
    snapshots = [];
    unread = [];
    rejections;
    strangers = new Set();
    unfinishedSeen = 0;
    hashed = 0;
    receiptBytes = 0;
    until;
    folder = '';
    constructor(dir, step, limits, since, isGone, signal) {
        this.dir = dir;
        this.step = step;
        this.limits = limits;
        this.since = since;
        this.isGone = isGone;
        this.signal = signal;
        this.until = performance.now() + limits.milliseconds;
        this.rejections = new Rejections(limits.rejected);
    }
    evidence() {
        const { dir, step, receipts, snapshots, unread, folderFault, faults, rejections } = this;
        const rejected = {
            rejected: rejections.list(),
            rejectedCount: rejections.count,
            rejectedReasons: rejections.reasons(),
        };
        return { dir, step, receipts, snapshots, unread, folderFault, ...rejected, faults };
    }
    async run() {
        const folder = await (0,safe_fs/* openFolder */.NE)(this.dir);
        this.folder = folder.path;
        try {
            const names = await this.list();
            const dumped = new Set(names.snapshots.map((name) => keyOf((0,evidence_names/* parseSnapshotName */.FZ)(name))));
            const hasDump = (name) => dumped.has(keyOf((0,evidence_names/* parseReceiptName */.Bn)(name)));
            const receipts = [
                ...names.receipts.filter(hasDump),
                ...names.receipts.filter((name) => !hasDump(name)),
            ];
            for (const name of this.some(receipts, this.limits.receipts, 'receipts'))
                await this.receipt(name);
            for (const name of receipts.slice(this.limits.receipts))
                await this.missed((0,evidence_names/* parseReceiptName */.Bn)(name), name, 'too many receipts');
            const owners = new Map(this.receipts.map((r) => [(0,evidence_names/* ownerKey */.lf)(r), r]));
            const listed = new Map(this.receipts.flatMap((r) => r.snapshots.map((s) => [s.file, s])));
            names.snapshots.sort((a, b) => Number(listed.has(b)) - Number(listed.has(a)));
            const snapshots = this.own(names.snapshots, evidence_names/* parseSnapshotName */.FZ);
            for (const name of this.some(snapshots, this.limits.snapshots, 'snapshots')) {
                await this.snapshot(name, owners);
            }
        }
        finally {
            await folder.close();
        }
    }
    reject(name, reason, bytes = null) {
        this.rejections.add({ name: (0,evidence_names/* displayName */.QC)(name), reason, bytes });
    }
    own(names, parse) {
        return names.filter((name) => {
            const stranger = this.strangers.has(keyOf(parse(name)));
            if (stranger)
                this.reject(name, OTHER_STEP);
            return !stranger;
        });
    }
    some(names, limit, what) {
        if (names.length > limit) {
            this.rejections.skip(`not looked at: too many ${what}`, names.length - limit);
            this.faults.push(`${names.length} ${what} are in the evidence folder: only ${limit} were looked at`);
        }
        return names.slice(0, limit);
    }
    async list() {
        const names = { receipts: [], snapshots: [] };
        let seen = 0;
        for await (const { name } of await (0,promises_.opendir)(this.folder, { bufferSize: 1024 })) {
            seen += 1;
            if (seen > this.limits.names || performance.now() > this.until) {
                this.faults.push(`the evidence folder holds more than ${seen - 1} names: the rest was not looked at`);
                break;
            }
            if (!(0,evidence_names/* isReserve */.Jf)(name))
                await this.sort(name, names);
        }
        for (const list of [names.receipts, names.snapshots])
            list.sort();
        return names;
    }
    async sort(name, names) {
        const unfinished = (0,evidence_names/* parseUnfinishedName */.U8)(name);
        if ((0,evidence_names/* parseReceiptName */.Bn)(name))
            names.receipts.push(name);
        else if ((0,evidence_names/* parseSnapshotName */.FZ)(name))
            names.snapshots.push(name);
        else if (unfinished !== null) {
            await this.unfinished(name, unfinished);
        }
        else {
            this.reject(name, (0,evidence_names/* isSafeName */.TE)(name) ? 'no receipt or snapshot has such a name' : 'strange name');
        }
    }
    async unfinished(name, pid) {
        const path = (0,external_node_path_.join)(this.folder, name);
        this.unfinishedSeen += 1;
        const found = this.unfinishedSeen <= MOST_UNFINISHED ? await plainFile(path) : null;
        const bytes = found?.bytes ?? null;
        const removed = found !== null &&
            this.isGone(pid, name, found.modified) &&
            (await (0,promises_.unlink)(path).then(() => true, () => false));
        if (removed)
            this.faults.push(`removed the unfinished dump of a process that died (pid ${pid}, ${bytes} bytes)`);
        else
            this.reject(name, `unfinished dump of a process that died or still runs (pid ${pid})`, bytes);
    }
    async read(name, maxBytes, keepText) {
        let reason = '';
        let bytes = null;
        for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
            const opened = await (0,safe_fs/* openRegular */.lf)(this.folder, name);
            if (!opened.ok) {
                this.reject(name, opened.reason);
                return opened.reason;
            }
            try {
                bytes = Number(opened.seal.size);
                const result = await this.readOnce(name, opened.handle, opened.seal, maxBytes, keepText);
                if (typeof result !== 'string')
                    return result;
                reason = result;
                if (!reason.startsWith('changed'))
                    break;
            }
            catch (error) {
                reason = `cannot be read (${(0,safe_fs/* errorCode */.CA)(error)})`;
                break;
            }
            finally {
                await opened.handle.close().catch(() => undefined);
            }
        }
        this.reject(name, reason, bytes);
        return reason;
    }
    async missed(owner, name, reason) {
        const file = await plainFile((0,external_node_path_.join)(this.folder, name));
        if (owner === null || file === null || file.names > 1 || file.modified < this.since - CLOCKS_MS)
            return;
        const [, code] = /^cannot be read \((.*)\)$/.exec(reason) ?? [];
        this.unread.push({ owner, reason: code ? `${code}: ${name} belongs to uid ${file.uid}` : reason });
    }
    async readOnce(name, handle, seal, maxBytes, keepText) {
        const size = Number(seal.size);
        if (size === 0)
            return 'empty';
        if (size > maxBytes)
            return `${size} bytes, more than the ${maxBytes} that are read`;
        if (this.hashed + size > this.limits.totalBytes)
            return 'not read: too many bytes in all';
        const chunks = [];
        const result = await (0,digest/* digestHandle */.tD)(handle, {
            maxBytes: size,
            until: this.until,
            signal: keepText ? undefined : this.signal,
            ...(keepText ? { onChunk: (chunk) => void chunks.push(Buffer.from(chunk)) } : {}),
        });
        this.hashed += size;
        if (!result.ok && result.reason === 'too-slow')
            return `not read: ${this.signal?.aborted ? 'the job was cancelled' : 'out of time'}`;
        if (!result.ok || result.bytes !== size || !(await (0,safe_fs/* stillSealed */.vZ)(this.folder, name, handle, seal))) {
            return 'changed while it was read';
        }
        const text = keepText ? Buffer.concat(chunks).toString('utf8') : null;
        return { file: name, ...digestAndBytes(result), seal, text };
    }
    async receipt(name) {
        const content = await this.read(name, vocabulary/* MAX_RECEIPT_BYTES */.cs, true);
        const owner = (0,evidence_names/* parseReceiptName */.Bn)(name);
        if (typeof content === 'string') {
            await this.missed(owner, name, content);
            return;
        }
        const { parseReceipt } = await __webpack_require__.e(/* import() */ 363).then(__webpack_require__.bind(__webpack_require__, 7363));
        const parsed = parseReceipt(content.text ?? '', name);
        if (!parsed.ok) {
            this.reject(name, parsed.reason, content.bytes);
            await this.missed(owner, name, parsed.reason);
        }
        else if (parsed.receipt.step !== this.step) {
            this.strangers.add((0,evidence_names/* ownerKey */.lf)(parsed.receipt));
            this.reject(name, OTHER_STEP, content.bytes);
        }
        else if (this.receiptBytes + content.bytes > this.limits.receiptBytes) {
            this.reject(name, 'too many bytes of receipts in all', content.bytes);
            await this.missed(owner, name, 'too many bytes of receipts in all');
        }
        else {
            this.receiptBytes += content.bytes;
            this.receipts.push({ ...parsed.receipt, ...withoutText(content) });
        }
    }
    async snapshot(name, owners) {
        const named = (0,evidence_names/* parseSnapshotName */.FZ)(name);
        if (named === null)
            return;
        const content = await this.read(name, this.limits.snapshotBytes, false);
        const receipt = owners.get((0,evidence_names/* ownerKey */.lf)(named));
        if (typeof content !== 'string')
            this.snapshots.push(joinReceipt(named, withoutText(content), receipt));
        else if (receipt === undefined)
            await this.missed(named, name, content);
    }
}
const keyOf = (named) => (named ? (0,evidence_names/* ownerKey */.lf)(named) : '');
const plainFile = (path) => (0,promises_.lstat)(path).then((stat) => stat.isFile() ? { bytes: stat.size, modified: stat.mtimeMs, names: stat.nlink, uid: stat.uid } : null, () => null);
const withoutText = ({ file, bytes, digest, seal }) => ({ file, bytes, digest, seal });
const digestAndBytes = ({ digest, bytes }) => ({ digest, bytes });
function joinReceipt(named, ref, receipt) {
    const entry = receipt?.snapshots.find((s) => s.file === ref.file);
    const notes = [];
    if (!receipt)
        notes.push('no receipt of its process: known by its name alone');
    else if (!entry)
        notes.push("not listed in its process's receipt: the process died before it could write that down");
    else if (entry.bytes !== null && entry.bytes !== ref.bytes) {
        notes.push(`its receipt says ${entry.bytes} bytes`);
    }
    return {
        ...named,
        ...ref,
        receipt: receipt?.file ?? null,
        orphan: receipt === undefined,
        device: entry?.device ?? null,
        time: entry?.time ?? null,
        history: entry?.history ?? 'unknown',
        notes,
    };
}


/***/ })

};
