export const id = 118;
export const ids = [118];
export const modules = {

/***/ 3118:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  keep: () => (/* binding */ keep),
  localSummary: () => (/* binding */ localSummary),
  worthAFolder: () => (/* binding */ worthAFolder)
});

// UNUSED EXPORTS: localAccount

// EXTERNAL MODULE: external "node:fs/promises"
var promises_ = __webpack_require__(1455);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
// EXTERNAL MODULE: ./build/evidence/manifest.js
var evidence_manifest = __webpack_require__(6191);
// EXTERNAL MODULE: ./build/judge/verdicts.js
var verdicts = __webpack_require__(6344);
;// CONCATENATED MODULE: ./build/report/guide.js
function guideUrl(env) {
    const { GITHUB_ACTION_REPOSITORY: repository, GITHUB_ACTION_REF: ref } = env;
    const server = (env['GITHUB_SERVER_URL'] || 'https://github.com').replace(/\/+$/, '');
    return repository && ref && /^[\w.-]+\/[\w.-]+$/.test(repository)
        ? `${server}/${repository}/blob/${encodeURIComponent(ref)}/docs/reading-a-snapshot.md`
        : null;
}
const guide_GUIDE_URL = guideUrl(process.env);

// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __webpack_require__(3024);
// EXTERNAL MODULE: ./build/evidence/safe-fs.js
var safe_fs = __webpack_require__(9531);
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
        const folder = await openFolder(evidence.dir);
        try {
            const same = async (name) => {
                const seal = seals.get(name);
                const now = await promises.lstat(join(folder.path, name), { bigint: true }).catch(() => null);
                return seal !== undefined && now !== null && sameSeal(sealOf(now), seal);
            };
            for await (const { name } of await promises.opendir(folder.path, { bufferSize: 1024 })) {
                if (!(await same(name)))
                    return false;
            }
            for (const name of seals.keys()) {
                if (await same(name))
                    await promises.unlink(join(folder.path, name));
            }
        }
        finally {
            await folder.close();
        }
        await promises.rmdir(evidence.dir);
        return true;
    }
    catch (error) {
        return errorCode(error) === 'ENOENT';
    }
}

;// CONCATENATED MODULE: ./build/deliver/publishing.js







const PUBLISH_DEADLINE_MS = (/* unused pure expression or super */ null && (10 * 60_000));
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
    (evidence.receipts.length > 0 && !VERDICT_TRAITS[verdict].quiet) ||
    hasFailingGate(gates);
const toUpload = ({ options }, evidence, account) => options.upload && worthKeeping(evidence, account.verdict.name, account.gates);
const uploadSettings = (ended) => ({
    name: ended.plan.options.artifactName,
    retentionDays: ended.plan.options.retentionDays === 0 ? null : ended.plan.options.retentionDays,
    compressionLevel: ended.plan.options.compressionLevel,
    maxUploadBytes: ended.plan.options.maxUploadSize,
    scratch: ended.plan.outputDir,
    worker: join(ended.actionDir, 'dist', 'upload', 'index.js'),
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
    log(`publishing ${count(evidence.snapshots.length, 'snapshot')} as artifact ${plan.options.artifactName} …`);
    const { publish } = await Promise.resolve(/* import() */).then(__webpack_require__.bind(__webpack_require__, 6128));
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
    manifest: ({ name, leftOut }) => manifestText({
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
    const { publishReport } = await Promise.resolve(/* import() */).then(__webpack_require__.bind(__webpack_require__, 3302));
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

// EXTERNAL MODULE: ./build/deliver/report.js
var report = __webpack_require__(3302);
// EXTERNAL MODULE: ./build/evidence/digest.js
var digest = __webpack_require__(3154);
// EXTERNAL MODULE: ./build/evidence/vocabulary.js
var vocabulary = __webpack_require__(6534);
// EXTERNAL MODULE: ./build/report/rich.js
var rich = __webpack_require__(6781);
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
const document_largest = (rows, figure = 'peak_allocated') => rows.reduce((best, row) => (best && best[figure] >= row[figure] ? best : row), null);
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
function document_memoryOf(manifest) {
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
const document_memoryText = (memory) => `${JSON.stringify(memory, null, 1)}\n`;
function benchmarkEntries({ rows }) {
    return rows.flatMap((row) => {
        const where = `${row.who}, cuda:${row.device}`;
        const held = CATEGORY_NAMES.flatMap((name) => {
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

// EXTERNAL MODULE: ./build/report/page/embed.js
var page_embed = __webpack_require__(3366);
// EXTERNAL MODULE: ./build/report/page/page.js + 9 modules
var page = __webpack_require__(9802);
// EXTERNAL MODULE: ./build/judge/outside.js
var outside = __webpack_require__(2455);
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

// EXTERNAL MODULE: ./build/report/markdown.js
var markdown = __webpack_require__(4902);
// EXTERNAL MODULE: ./build/report/story.js
var report_story = __webpack_require__(7234);
// EXTERNAL MODULE: ./build/report/words/verdict.js
var verdict = __webpack_require__(6668);
// EXTERNAL MODULE: ./build/lib/bytes.js
var lib_bytes = __webpack_require__(9079);
// EXTERNAL MODULE: ./build/lib/text.js
var lib_text = __webpack_require__(4869);
// EXTERNAL MODULE: ./build/report/words/snapshot.js
var snapshot = __webpack_require__(6421);
// EXTERNAL MODULE: ./build/report/words/words.js
var words_words = __webpack_require__(2072);
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
const paragraph = (rich) => `${(0,markdown/* markdown */.wD)(rich)}\n\n`;
const heading = (words) => `**${(0,markdown/* escapeText */.X1)(words)}**\n\n`;
function folded(weight, title, inside, open = false) {
    return {
        weight,
        open: `<details${open ? ' open' : ''}><summary>${(0,markdown/* inlineHtml */.l0)(title)}</summary>\n\n${inside.open}`,
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
        return (0,markdown/* row */.nM)([
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
        open: (0,markdown/* tableHead */.PP)(names, aligns),
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
        const repo = repository === null ? '' : ` -R ${(0,markdown/* shellWord */.r7)(repository)}`;
        commands.push(`gh run download ${(0,markdown/* shellWord */.r7)(run)}${repo} -n ${(0,markdown/* shellWord */.r7)(links.artifactName)} -D autopsy`);
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
        open: `${opening}\n${(0,markdown/* markdown */.wD)(text)}\n\n\`\`\`text\n`,
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
        .map((file) => (0,markdown/* row */.nM)([
        [(0,words_words/* name */.UU)(file.file, 120)],
        [(0,lib_bytes/* formatBytes */.z)(file.bytes)],
        [(0,rich/* shorten */.ml)(file.reason, 120)],
        [(0,words_words/* name */.UU)(file.digest.replace(/^sha256:/, ''))],
    ]));
    const at = links.evidenceDir === null ? null : (0,rich/* say */.cv) ` in ${(0,words_words/* name */.UU)(links.evidenceDir, 200)}`;
    const whole = !left.some(({ reason }) => /^(changed|vanished) /.test(reason));
    const kept = whole ? ', kept on the runner' : ' as they were collected';
    return folded(40, (0,rich/* say */.cv) `${(0,lib_text/* count */.U9)(left.length, 'file')} not in the artifact${kept}`, {
        open: `${at === null ? '' : paragraph((0,rich/* say */.cv) `${whole ? 'They are' : 'What is left of them is'}${at}.`)}${(0,markdown/* tableHead */.PP)(['file', 'size', 'why', 'sha256'], ['left', 'right'])}`,
        rows,
        close: moreRows(left.length - rows.length),
    });
}

// EXTERNAL MODULE: ./build/lib/amount.js
var amount = __webpack_require__(6078);
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
function compare_compare(then, now) {
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
const compare_grewTooMuch = ({ peak }, most) => grown(peak) > (bytesOfAmount(most, peak.before) ?? Number.POSITIVE_INFINITY);
const compare_overBudget = (rows, budget) => rows.filter((row) => row.peak_allocated > (bytesOfAmount(budget, row.device_total) ?? Number.POSITIVE_INFINITY));

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
    const most = owner ? `, ${owner.name} ${formatBytes(owner.bytes)} of that` : '';
    return `. Most ${seen}: ${top.name} ${formatBytes(top.bytes)}${most}`;
}
function budgetFinding(rows, budget) {
    const over = [...overBudget(rows, budget)].sort((a, b) => b.peak_allocated - a.peak_allocated);
    const [top] = over;
    if (!top)
        return null;
    const others = over.length > 1 ? ` (and ${over.length - 1} more above it)` : '';
    const total = 'share' in budget && top.device_total !== null ? ` of ${formatBytes(top.device_total)}` : '';
    return {
        gate: 'memory-budget',
        level: 'fail',
        message: `The peak of ${where(top)} was ${formatBytes(top.peak_allocated)}, above the memory budget of ${formatAmount(budget)}${total}${others}${holderWords(top)}`,
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
        message: `The peak is ${formatBytes(after)}, ${changeWords(account.peak)} than the baseline's ${formatBytes(before)}; at most ${formatAmount(most)} more is allowed${grew === null ? '' : `. ${grew}`}`,
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
    const line = (who, what, change) => (0,markdown/* row */.nM)([
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
        open: (0,markdown/* tableHead */.PP)(['who', 'what', 'baseline', 'now', 'change'], ['left', 'left', 'right', 'right', 'left']),
        rows: rows.slice(0, MOST_ROWS),
        close: (dropped) => `${moreRows(Math.max(0, rows.length - MOST_ROWS))(dropped)}${only.length > 0 ? `\n${only.slice(0, 10).join('')}` : ''}`,
    });
}

// EXTERNAL MODULE: ./build/job/words.js
var words = __webpack_require__(8377);
// EXTERNAL MODULE: ./build/report/cycles.js
var cycles = __webpack_require__(9280);
// EXTERNAL MODULE: ./build/report/frames.js
var report_frames = __webpack_require__(5385);
// EXTERNAL MODULE: ./build/report/words/memory.js
var memory = __webpack_require__(5402);
// EXTERNAL MODULE: ./build/report/words/process.js
var words_process = __webpack_require__(3784);
// EXTERNAL MODULE: ./build/report/words/unseen.js + 2 modules
var unseen = __webpack_require__(4636);
;// CONCATENATED MODULE: ./build/report/summary/rest.js















function gpuBlock(manifest) {
    const { before = null, after = null, holders = [] } = manifest.gpu ?? {};
    const rowsOf = (when, words) => holders.flatMap((one) => {
        const held = one[when];
        if (held === null || one.whose !== 'stranger')
            return [];
        return (0,markdown/* row */.nM)([
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
        open: (0,markdown/* tableHead */.PP)(['when', 'device', 'pid', 'program', 'held'], ['left', 'left', 'right', 'left', 'right']),
        rows: rows.slice(0, MOST.processes),
        close: moreRows(Math.max(0, rows.length - MOST.processes)),
    });
}
function hostBlock({ host }) {
    const use = host?.use;
    if (!use)
        return null;
    const rows = use.owners.map((owner) => (0,markdown/* row */.nM)([(0,memory/* hostOwnerRich */.CQ)(owner), [(0,lib_bytes/* formatBytes */.z)(owner.own)], [(0,lib_bytes/* formatBytes */.z)(owner.shared)]]));
    const shm = use.shm === null
        ? ''
        : `\n${(0,markdown/* markdown */.wD)((0,rich/* say */.cv) `${(0,rich/* code */.aY)('/dev/shm')} held ${(0,lib_bytes/* formatBytes */.z)(use.shm.used)} of ${(0,lib_bytes/* formatBytes */.z)(use.shm.total)}.`)}\n`;
    return {
        weight: 90,
        open: (0,markdown/* tableHead */.PP)(["Who held the host's memory, when most was seen", 'of its own', 'shared'], ['left', 'right', 'right']),
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
        return (0,markdown/* row */.nM)([
            types,
            [String(seen)],
            [String(cycle.tensors)],
            [(0,lib_bytes/* formatBytes */.z)(bytes)],
            frame ? (0,rich/* say */.cv) `${(0,words_words/* name */.UU)((0,report_frames/* placeOf */.$t)(frame, manifest.step.workspace))} in ${(0,words_words/* name */.UU)(frame.function, 60)}` : [],
        ]);
    });
    const kinds = manifest.cycles.count;
    return folded(45, (0,rich/* say */.cv) `Reference cycles: ${(0,lib_text/* count */.U9)(kinds, 'kind')} held ${(0,lib_text/* count */.U9)(manifest.cycles.tensors, 'GPU tensor')}, ${(0,lib_bytes/* formatBytes */.z)(held)}`, {
        open: (0,markdown/* tableHead */.PP)(['types on the cycle', 'seen', 'tensors', 'held', 'its tensors were allocated at'], ['left', 'right', 'right', 'right', 'left']),
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
        .map((r) => (0,markdown/* row */.nM)([[(0,words_words/* name */.UU)(r.from, 40)], [(0,words_words/* name */.UU)(r.to, 40)], [r.count.toLocaleString('en-US')], [(0,lib_bytes/* formatBytes */.z)(r.bytes)]]));
    const head = rows.length === 0
        ? ''
        : (0,markdown/* tableHead */.PP)(["torch's category", 'here', 'tensors', 'bytes'], ['left', 'left', 'right', 'right']);
    const said = result.migration.lines;
    const notes = said
        .slice(0, MOST.notes)
        .map((line) => `- ${(0,markdown/* escapeText */.X1)(line)}\n`)
        .join('');
    return folded(state === 'drift' ? 75 : 44, title, {
        open: `${why ? paragraph(why) : ''}${differences
            .slice(0, MOST.lines)
            .map((line) => `- ${(0,markdown/* escapeText */.X1)(line)}\n`)
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
        return (0,markdown/* row */.nM)([
            [ranks.length === 0 ? '' : (0,words_words/* rankWords */.cz)(ranks)],
            ...(job ? [[(0,words/* stepName */.u)(first, manifest.step.workspace) ?? ''].map((text) => (0,words_words/* name */.UU)(text, 60))] : []),
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
    const head = (0,markdown/* tableHead */.PP)(names, names.map((n) => (rights.has(n) ? 'right' : 'left')));
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
        rows: shown.map((line) => `- ${(0,markdown/* markdown */.wD)(line)}\n`),
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
        rows: shown.map((line) => `- ${(0,markdown/* markdown */.wD)(line)}\n`),
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
        rows: shown.map((line) => `- ${(0,markdown/* markdown */.wD)(line)}\n`),
        close: (dropped) => `${moreRows(lines.length - shown.length)(dropped)}\n`,
    };
}

// EXTERNAL MODULE: ./build/judge/advice.js
var judge_advice = __webpack_require__(9590);
// EXTERNAL MODULE: ./build/judge/hints.js
var judge_hints = __webpack_require__(5302);
// EXTERNAL MODULE: ./build/judge/host-advice.js
var host_advice = __webpack_require__(7345);
// EXTERNAL MODULE: ./build/judge/outcomes.js
var outcomes = __webpack_require__(9995);
// EXTERNAL MODULE: ./build/report/words/headline.js
var headline = __webpack_require__(1173);
// EXTERNAL MODULE: ./build/report/words/pools.js
var words_pools = __webpack_require__(8574);
;// CONCATENATED MODULE: ./build/report/summary/story.js

















function verdictBlock(manifest) {
    const { icon, title } = (0,headline/* headline */.P)(manifest);
    const advice = (0,host_advice/* hostAdvice */.L)(manifest) ?? (0,judge_advice/* adviceFor */.cp)(manifest)?.text ?? null;
    const [first, ...rest] = (0,verdict/* verdictParagraphs */.Ne)(manifest).map(paragraph);
    const told = advice === null ? '' : `> ${paragraph((0,rich/* say */.cv) `${(0,rich/* strong */.ko)('Do this first')}: ${advice}`)}`;
    return plainBlock(100, `## ${icon} ${(0,markdown/* escapeText */.X1)(title)}\n\n${first ?? ''}${told}${rest.join('')}`);
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
        return `- ${(0,markdown/* markdown */.wD)((0,rich/* say */.cv) `${who} ran out too${where}${wanted}.`)}\n`;
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
    const head = (0,markdown/* tableHead */.PP)([title, 'bytes', 'share'], ['left', 'right', 'right']);
    const rows = shown.map((part) => {
        const label = (0,rich/* say */.cv) `${SQUARES[part.name]} ${part.name === 'free' ? ['free'] : (0,memory/* partRich */.q9)(part)}`;
        const owners = (0,memory/* ownersRich */.pP)(part);
        return (0,markdown/* row */.nM)([
            { lines: owners.length === 0 ? [label] : [label, owners] },
            [(0,memory/* amount */.vj)(part)],
            [part.bytes === 0 ? '' : (0,memory/* share */.uM)(part.bytes, whole)],
        ]);
    });
    const rest = parts.filter((part) => !shown.includes(part));
    if (rest.length > 0) {
        const each = rest.map((part) => (0,rich/* say */.cv) `${memory/* PART_NAMES */.zK[part.name]} ${(0,memory/* amount */.vj)(part)}`);
        rows.push((0,markdown/* row */.nM)([(0,rich/* say */.cv) `the rest: ${(0,rich/* joinRich */.Rz)(each, '; ')}`, [], []]));
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
    const rows = hints.map((hint) => `- ${(0,markdown/* markdown */.wD)(hint.text)}\n`);
    return folded(80, ['What else the numbers suggest'], { open: '', rows, close: () => '' });
}

// EXTERNAL MODULE: ./build/report/timeline.js
var timeline = __webpack_require__(7556);
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
        return (0,markdown/* row */.nM)([
            [(0,rich/* shorten */.ml)(label, 60)],
            [`${(0,lib_bytes/* formatBytes */.z)(peak)} (${when})`],
            ...peaks.map((n) => [n === 0 ? '' : (0,lib_bytes/* formatBytes */.z)(n)]),
        ]);
    });
    const names = ['process, device', 'peak of all', ...vocabulary/* CATEGORY_NAMES */.ku];
    const head = (0,markdown/* tableHead */.PP)(names, names.map((_, i) => (i === 0 ? 'left' : 'right')));
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
        const line = `${icon} ${lines.map(markdown/* markdown */.wD).join('\n\n')}\n${rest.length === 0 ? '' : '\n'}`;
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

;// CONCATENATED MODULE: ./build/cli/keep.js











const worthAFolder = ({ snapshots, cycles, verdict, gates }) => snapshots.length > 0 ||
    cycles.count > 0 ||
    ['oom', 'oom-recovered', 'host-oom'].includes(verdict.name) ||
    gates.some(({ level, gate }) => level === 'fail' && gate !== 'if-no-torch');
const localAccount = (manifest) => ({ ...manifest, published: NOT_YET });
const localSummary = (manifest, evidenceDir) => renderSummary(localAccount(manifest), {
    artifactName: null,
    artifactId: null,
    artifactUrl: null,
    artifactDigest: null,
    reportUrl: null,
    evidenceDir,
});
async function move(from, to) {
    try {
        await (0,promises_.rename)(from, to);
    }
    catch (error) {
        if ((0,safe_fs/* errorCode */.CA)(error) !== 'EXDEV')
            throw error;
        await (0,promises_.copyFile)(from, to);
        await (0,promises_.unlink)(from);
    }
}
async function keep(manifest, evidenceDir, folder) {
    const faults = [];
    const attempt = async (file, work) => {
        await work().catch((error) => {
            faults.push(`${file} could not be kept (${error.code ?? error.message}); the evidence was in ${evidenceDir}`);
        });
    };
    await (0,promises_.mkdir)(folder, { recursive: true });
    const evidence = [...manifest.files, ...manifest.snapshots];
    for (const { file } of evidence)
        await attempt(file, () => move((0,external_node_path_.join)(evidenceDir, file), (0,external_node_path_.join)(folder, file)));
    const account = localAccount(manifest);
    const documents = { 'manifest.json': (0,evidence_manifest/* manifestText */.$2)(account), 'memory.json': document_memoryText(document_memoryOf(account)) };
    for (const [file, text] of Object.entries(documents))
        await attempt(file, () => (0,promises_.writeFile)((0,external_node_path_.join)(folder, file), text));
    const sums = (0,evidence_manifest/* sha256Sums */.Gj)([
        ...evidence,
        ...Object.entries(documents).map(([file, text]) => ({ file, digest: (0,digest/* digestOf */.ol)(text).digest })),
    ]);
    await attempt('SHA256SUMS', () => (0,promises_.writeFile)((0,external_node_path_.join)(folder, 'SHA256SUMS'), sums));
    await attempt('report.html', async () => {
        const snapshots = await (0,page_embed/* embedSnapshots */.X)({ dir: folder, snapshots: manifest.snapshots });
        await (0,promises_.writeFile)((0,external_node_path_.join)(folder, 'report.html'), (0,page/* renderPage */.Cf)(account, { snapshots, viewer: (0,report/* viewerFrom */.N)(process.env) }));
    });
    return faults;
}


/***/ }),

/***/ 6128:
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
// EXTERNAL MODULE: ./build/inputs.js
var inputs = __webpack_require__(8175);
// EXTERNAL MODULE: ./build/lib/random.js
var random = __webpack_require__(9905);
// EXTERNAL MODULE: ./build/plan.js
var plan = __webpack_require__(1781);
// EXTERNAL MODULE: ./build/runner/runner.js
var runner = __webpack_require__(3281);
// EXTERNAL MODULE: ./build/step/own.js
var own = __webpack_require__(2671);
// EXTERNAL MODULE: ./build/step/proc.js
var proc = __webpack_require__(9503);
;// CONCATENATED MODULE: ./build/step/helper.js









const COMMAND_FILE = /^GITHUB_(ENV|OUTPUT|PATH|STATE|STEP_SUMMARY)$/;
function helperEnvironment(env) {
    const plain = plainStepEnvironment(env, INPUT_NAMES.map(inputVariable));
    const kept = Object.entries(plain).filter(([name]) => !COMMAND_FILE.test(name) && !/^STATE_/.test(name));
    return { ...Object.fromEntries(kept), LC_ALL: 'C' };
}
const HELPER_VARIABLE = 'OOM_AUTOPSY_HELPER';
function launch({ file, args, env }, begin, end) {
    const id = randomHex(6);
    let child;
    let since = null;
    let ended = false;
    const killAll = () => {
        const leader = child?.pid;
        if (leader === undefined)
            return;
        const mark = { leader, variable: `${HELPER_VARIABLE}=${id}`, since };
        for (const { pid } of stepProcesses(mark, listProcesses('/proc', leader)))
            signalProcess(pid, 'SIGKILL');
        signalProcess(-leader, 'SIGKILL');
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
    const unable = (error) => finish({ kind: 'not-found', code: error.code ?? cleanText(error.message, 200) });
    try {
        child = spawn(file, args, {
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
        since = processFacts(child.pid)?.startTicks ?? null;
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
        for (const name of CANCEL_SIGNALS)
            process.on(name, onSignal);
        const stop = launch(command, collect, (how) => {
            clearTimeout(timer);
            for (const name of CANCEL_SIGNALS)
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
            const said = cleanText((result.stderr || result.stdout).trim().split('\n')[0] ?? '', 200);
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
        eachLine(child.stdout, (line) => {
            const progress = /^Uploaded bytes ([0-9]+)$/.exec(line);
            if (progress)
                ports.onProgress?.(Number(progress[1]));
            else if (line.startsWith('::add-mask::'))
                ports.onMask?.(line);
            else if (/^Attempt [0-9]+ of [0-9]+ failed/.test(line))
                trouble = oneLine(line.replace(/ Retrying.*/, ''));
        });
        eachLine(child.stderr, (line) => {
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

/***/ 3302:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   N: () => (/* binding */ viewerFrom),
/* harmony export */   publishReport: () => (/* binding */ publishReport)
/* harmony export */ });
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(6760);
/* harmony import */ var _lib_files_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(3963);
/* harmony import */ var _report_page_embed_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(3366);
/* harmony import */ var _report_page_page_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(9802);
/* harmony import */ var _publish_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(6128);
/* harmony import */ var _select_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(8392);






const VIEWER_VARIABLE = 'OOM_AUTOPSY_VIEWER_URL';
function viewerFrom(env) {
    const address = env[VIEWER_VARIABLE];
    if (!address)
        return _report_page_page_js__WEBPACK_IMPORTED_MODULE_3__/* .DEFAULT_VIEWER */ .JW;
    if (address === 'off' || !URL.canParse(address))
        return null;
    const url = new URL(address);
    return /^https?:$/.test(url.protocol) ? { url: url.href, origins: [url.origin] } : null;
}
async function publishReport(request) {
    const { evidence, manifest, artifactName, outputDir, guideUrl, log, ...ports } = request;
    try {
        const html = (0,_report_page_page_js__WEBPACK_IMPORTED_MODULE_3__/* .renderPage */ .Cf)(manifest, {
            snapshots: await (0,_report_page_embed_js__WEBPACK_IMPORTED_MODULE_2__/* .embedSnapshots */ .X)({ ...evidence, snapshots: (0,_select_js__WEBPACK_IMPORTED_MODULE_5__/* .byValue */ .d2)(evidence) }, manifest.published.left_out),
            viewer: viewerFrom(ports.env),
            guideUrl,
        });
        const published = await (0,_publish_js__WEBPACK_IMPORTED_MODULE_4__/* .publishPage */ .X)({
            ...ports,
            html,
            scratch: outputDir,
            name: `${artifactName}.html`,
            step: evidence.step,
        });
        if (published.state === 'uploaded')
            return published.url;
        const path = (0,node_path__WEBPACK_IMPORTED_MODULE_0__.join)(outputDir, 'report.html');
        const kept = await (0,_lib_files_js__WEBPACK_IMPORTED_MODULE_1__/* .writeWhole */ .f8)(path, html, ports.makeRoom).then(() => `; it lies at ${path}`, () => '');
        log(`the report page was not uploaded: ${published.reason}${kept}`);
    }
    catch (error) {
        log(`the report page could not be made (${error.message})`);
    }
    return null;
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


/***/ }),

/***/ 3154:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   $$: () => (/* binding */ bareDigest),
/* harmony export */   ol: () => (/* binding */ digestOf)
/* harmony export */ });
/* unused harmony export digestHandle */
/* harmony import */ var _lib_random_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(9905);

const CHUNK = (/* unused pure expression or super */ null && (2 ** 20));
async function digestHandle(handle, bounds) {
    const hash = lazyCrypto().createHash('sha256');
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
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   $2: () => (/* binding */ manifestText),
/* harmony export */   Gj: () => (/* binding */ sha256Sums)
/* harmony export */ });
/* unused harmony exports MANIFEST_SCHEMA, SNAPSHOT_KIND, rankOf, snapshotReference, snapshotReferences, cycleTotals, buildManifest */
/* harmony import */ var _gpu_holders_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(2614);
/* harmony import */ var _judge_outside_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(2455);
/* harmony import */ var _digest_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(3154);



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
    return { before, after, holders: holdersOf(before, after, [...left, ...own]) };
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
        oom_count: countOoms(evidence.receipts),
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
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   FZ: () => (/* binding */ parseSnapshotName),
/* harmony export */   VV: () => (/* binding */ SNAPSHOT_REASONS),
/* harmony export */   lf: () => (/* binding */ ownerKey)
/* harmony export */ });
/* unused harmony exports reserveName, isReserve, isSafeName, parseReceiptName, parseUnfinishedName, hostInNames, thisHost, sameOwner, displayName */
/* harmony import */ var node_os__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(8161);

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
const thisHost = () => hostInNames(hostname());
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
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   CA: () => (/* binding */ errorCode),
/* harmony export */   EW: () => (/* binding */ sameSeal),
/* harmony export */   NE: () => (/* binding */ openFolder),
/* harmony export */   Ru: () => (/* binding */ sealOf),
/* harmony export */   lf: () => (/* binding */ openRegular)
/* harmony export */ });
/* unused harmony exports readRegular, stillSealed */
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3024);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(6760);


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
    const there = await promises.lstat(join(folder, name), { bigint: true }).catch(() => null);
    return there !== null && sameSeal(held, seal) && sameSeal(sealOf(there), seal);
}
function errorCode(error) {
    const code = error?.code;
    return typeof code === 'string' ? code : error instanceof Error ? error.name : 'unknown error';
}


/***/ }),

/***/ 6534:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   bZ: () => (/* binding */ RANK_VARIABLES),
/* harmony export */   ku: () => (/* binding */ CATEGORY_NAMES)
/* harmony export */ });
/* unused harmony exports RECEIPT_SCHEMA, MAX_RECEIPT_BYTES, IDENTITY_LAUNCHERS, POOL_KINDS, OUTSIDE_KINDS, RERAISED_FROM, OBSERVER_STATES, OWNER_KINDS, KEPT_BY, TEST_RUNNERS, OOM_OUTCOMES */
const RECEIPT_SCHEMA = 'oom-autopsy.receipt.v1';
const MAX_RECEIPT_BYTES = (/* unused pure expression or super */ null && (4 * 2 ** 20));
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
const IDENTITY_LAUNCHERS = (/* unused pure expression or super */ null && (['torch', 'openmpi', 'pmi', 'slurm', 'xdist', 'ray']));
const CATEGORY_NAMES = [
    'parameter',
    'gradient',
    'optimizer_state',
    'activation',
    'input',
    'unknown',
];
const POOL_KINDS = (/* unused pure expression or super */ null && (['graph', 'handle', 'rest']));
const OUTSIDE_KINDS = (/* unused pure expression or super */ null && ([
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
]));
const RERAISED_FROM = (/* unused pure expression or super */ null && (['process', 'ray']));
const OBSERVER_STATES = (/* unused pure expression or super */ null && (['attached', 'refused', 'none']));
const OWNER_KINDS = (/* unused pure expression or super */ null && ([
    'tensor',
    'layer',
    'position',
    'compiled',
    'holder',
    'optimizer',
    'node',
    'library',
    'other',
]));
const KEPT_BY = (/* unused pure expression or super */ null && (['graph', 'holder', 'traceback']));
const TEST_RUNNERS = (/* unused pure expression or super */ null && (['pytest', 'unittest']));
const OOM_OUTCOMES = (/* unused pure expression or super */ null && (['test-failed', 'handled', 'exit', 'left', 'raised']));


/***/ }),

/***/ 2614:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   V: () => (/* binding */ heldBy)
/* harmony export */ });
/* unused harmony export holdersOf */
/* harmony import */ var _step_own_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(2671);

const heldBy = ({ before, after }) => (before ?? after)?.used ?? null;
const processesOf = (look) => look?.state === 'seen' ? look.processes : [];
const plus = (held, used) => held === null || held.used === null ? { used } : { used: held.used + (used ?? 0) };
function holdersOf(before, after, own = []) {
    const late = processesOf(after);
    const asked = after?.state === 'seen' && after.note === null;
    const found = [];
    const add = (process, when) => {
        let one = found.find((f) => f.device === process.device && sameProcess(f, process));
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
        gone: one.before !== null && asked && !late.some((process) => sameProcess(process, one)),
    }))
        .sort((a, b) => (heldBy(b) ?? 0) - (heldBy(a) ?? 0));
}
function whoseIs(process, early, own) {
    if (early)
        return 'stranger';
    if (process.startTicks === null)
        return 'unknown';
    return own.some((one) => sameProcess(one, process)) ? 'step' : 'stranger';
}


/***/ }),

/***/ 8377:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Jn: () => (/* binding */ ofJob),
/* harmony export */   qg: () => (/* binding */ inStep),
/* harmony export */   u: () => (/* binding */ stepName)
/* harmony export */ });
/* unused harmony export jobAccount */
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(6760);
/* harmony import */ var _judge_outside_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(2455);
/* harmony import */ var _lib_text_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(4869);



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
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   cp: () => (/* binding */ adviceFor),
/* harmony export */   rM: () => (/* binding */ considered)
/* harmony export */ });
/* unused harmony export ADVICE_IDS */
/* harmony import */ var _evidence_receipt_js__WEBPACK_IMPORTED_MODULE_6__ = __webpack_require__(6534);
/* harmony import */ var _lib_bytes_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(9079);
/* harmony import */ var _report_rich_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(6781);
/* harmony import */ var _report_story_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(7234);
/* harmony import */ var _report_words_memory_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(5402);
/* harmony import */ var _report_words_words_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(2072);
/* harmony import */ var _verdict_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(9517);







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
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   GW: () => (/* binding */ blindRemedy),
/* harmony export */   hi: () => (/* binding */ blindWords),
/* harmony export */   iE: () => (/* binding */ isBlind),
/* harmony export */   kv: () => (/* binding */ doubtOf)
/* harmony export */ });
/* unused harmony exports BLIND_KINDS, blindSpots */
/* harmony import */ var _lib_text_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(4869);

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
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   u: () => (/* binding */ hintsFor)
/* harmony export */ });
/* harmony import */ var _lib_bytes_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(9079);
/* harmony import */ var _report_rich_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(6781);
/* harmony import */ var _report_story_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(7234);
/* harmony import */ var _advice_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(9590);




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
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   L: () => (/* binding */ hostAdvice)
/* harmony export */ });
/* harmony import */ var _lib_bytes_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(9079);
/* harmony import */ var _report_rich_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(6781);
/* harmony import */ var _report_words_memory_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(5402);



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
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   BG: () => (/* binding */ isFatal),
/* harmony export */   EJ: () => (/* binding */ unexplained),
/* harmony export */   UU: () => (/* binding */ testName),
/* harmony export */   bE: () => (/* binding */ fatalOoms)
/* harmony export */ });
/* unused harmony export fatalBecause */

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
        return `${count(exits, 'process', 'processes')} ended itself because of an out-of-memory`;
    if (tools.length > 0 && exitCode !== 0) {
        return `${tools[0] ?? 'a tool'} caught an out-of-memory that had left the program, and the step exited with ${exitCode}`;
    }
    return null;
}
const unexplained = (processes) => processes.filter(({ ooms, oom_count: n, end }) => n > 0 && end?.kind === 'exit' && !end.oom && (ooms.at(-1)?.outcome ?? null) === null).length;


/***/ }),

/***/ 2455:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   LU: () => (/* binding */ endedByOom),
/* harmony export */   Qk: () => (/* binding */ outsideOoms),
/* harmony export */   hN: () => (/* binding */ OUTSIDE_NAMES)
/* harmony export */ });
/* unused harmony exports outsideNames, countOoms */
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
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   _A: () => (/* binding */ allCaught),
/* harmony export */   fO: () => (/* binding */ openEnds)
/* harmony export */ });
/* unused harmony export judge */
/* harmony import */ var _blind_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(439);
/* harmony import */ var _outside_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(2455);




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
    const names = outsideNames(outside.maybe);
    const doubts = [
        names === '' ? null : `it may be memory that ran out: ${names} failed as it does then`,
        blindSpots.length === 0
            ? null
            : `${doubtOf(blindSpots)}: ${blindSpots.map((spot) => blindWords(spot)).join('; ')}`,
    ].filter((doubt) => doubt !== null);
    if (doubts.length > 0)
        return [exited, ...doubts].join('; ');
    if (reached === 'none')
        return `${exited}, and no process of it was recorded`;
    return `${exited} and no out-of-memory was seen${reached === 'part' ? ' in what was recorded of it' : ''}`;
}
const processes = (n) => count(n, 'process', 'processes');
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
        const all = outside.ended.length === endedByOom ? ` of ${outsideNames(outside.ended)}` : '';
        return `${processes(endedByOom)} ended by an out-of-memory${all} that nothing caught${green}`;
    }
    if (threadsEndedByOom > 0) {
        return `a thread of ${processes(threadsEndedByOom)} ended by an out-of-memory that nothing caught, while the process went on${green}`;
    }
    const because = fatalBecause(facts.fatal, exitCode);
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
        const of = outsideNames(outside.handled);
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
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Es: () => (/* binding */ VERDICT_TRAITS)
/* harmony export */ });
/* unused harmony exports VERDICTS, isVerdict */
const VERDICTS = (/* unused pure expression or super */ null && ([
    'ok',
    'oom-recovered',
    'oom',
    'host-oom',
    'killed',
    'cancelled',
    'failed',
    'unknown',
    'not-run',
]));
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

/***/ 1781:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* unused harmony exports makePlan, fromWorkspace, shimConfig, planScript, STEP_VARIABLE, plainStepEnvironment, stepEnvironment, JOB_FOLDER, withoutJob, inWatchedJob, prependPath */
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(6760);
/* harmony import */ var _step_shell_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(6373);


const DUMP_DEADLINE_S = { python: 120, all: 600 };
function makePlan(inputs, env, where) {
    const { run: _run, shell, workingDirectory, evidenceDir, ...options } = inputs;
    const stepDir = join(where.temp, `oom-autopsy-${where.id}`);
    const scriptBase = join(stepDir, 'run');
    const command = shellCommand(shell, (extension) => `${scriptBase}${extension}`);
    const named = (value) => (value ? value : null);
    return {
        id: where.id,
        stepDir,
        shimDir: join(stepDir, 'path'),
        evidenceDir: evidenceDir === '' ? join(stepDir, 'evidence') : normalize(fromWorkspace(evidenceDir, where.workspace)),
        evidenceKept: evidenceDir !== '',
        outputDir: join(stepDir, 'out'),
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
const fromWorkspace = (path, workspace) => path === '' ? workspace : isAbsolute(path) ? path : join(workspace, path);
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
const planScript = (inputs) => scriptBody(inputs.run, inputs.shell);
const STEP_VARIABLE = 'OOM_AUTOPSY_STEP';
const ACTION_ONLY = (/* unused pure expression or super */ null && ([
    'ACTIONS_RUNTIME_TOKEN',
    'ACTIONS_RUNTIME_URL',
    'ACTIONS_RESULTS_URL',
    'ACTIONS_CACHE_URL',
    'ACTIONS_CACHE_SERVICE_V2',
]));
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
    .split(delimiter)
    .filter((entry) => !OF_JOB.test(entry))
    .join(delimiter);
const inWatchedJob = (path) => OF_JOB.test(path ?? '');
const prependPath = (dir, existing) => existing ? `${dir}${delimiter}${existing}` : dir;


/***/ }),

/***/ 9280:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   _: () => (/* binding */ mergedCycles)
/* harmony export */ });
/* harmony import */ var _words_words_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(2072);

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
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   $t: () => (/* binding */ placeOf),
/* harmony export */   YI: () => (/* binding */ foldStack),
/* harmony export */   zO: () => (/* binding */ userFrame)
/* harmony export */ });
/* unused harmony exports liesIn, frameKind, packageOf */
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

/***/ 3366:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   X: () => (/* binding */ embedSnapshots)
/* harmony export */ });
/* harmony import */ var node_crypto__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7598);
/* harmony import */ var node_util__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(7975);
/* harmony import */ var node_zlib__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(8522);
/* harmony import */ var _evidence_digest_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(3154);
/* harmony import */ var _evidence_safe_fs_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(9531);
/* harmony import */ var _options_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(6577);






const READ_LIMIT = 8 * _options_js__WEBPACK_IMPORTED_MODULE_5__/* .EMBED_LIMIT */ .E;
async function packed(folder, snapshot) {
    const opened = await (0,_evidence_safe_fs_js__WEBPACK_IMPORTED_MODULE_4__/* .openRegular */ .lf)(folder, snapshot.file);
    if (!opened.ok)
        return null;
    try {
        const bytes = Buffer.alloc(snapshot.bytes);
        for (let at = 0; at < bytes.length;) {
            const { bytesRead } = await opened.handle.read(bytes, at, bytes.length - at, at);
            if (bytesRead === 0)
                return null;
            at += bytesRead;
        }
        const digest = (0,node_crypto__WEBPACK_IMPORTED_MODULE_0__.createHash)('sha256').update(bytes).digest('hex');
        return digest === (0,_evidence_digest_js__WEBPACK_IMPORTED_MODULE_3__/* .bareDigest */ .$$)(snapshot.digest) ? await (0,node_util__WEBPACK_IMPORTED_MODULE_1__.promisify)(node_zlib__WEBPACK_IMPORTED_MODULE_2__.gzip)(bytes) : null;
    }
    finally {
        await opened.handle.close().catch(() => undefined);
    }
}
async function embedSnapshots(evidence, leftOut = [], limit = _options_js__WEBPACK_IMPORTED_MODULE_5__/* .EMBED_LIMIT */ .E) {
    const result = [];
    const withheld = new Set(leftOut.map(({ file }) => file));
    let left = limit;
    try {
        const folder = await (0,_evidence_safe_fs_js__WEBPACK_IMPORTED_MODULE_4__/* .openFolder */ .NE)(evidence.dir);
        try {
            for (const snapshot of evidence.snapshots) {
                if (snapshot.bytes > READ_LIMIT || snapshot.bytes === 0 || withheld.has(snapshot.file))
                    continue;
                const bytes = await packed(folder.path, snapshot);
                if (bytes === null || bytes.length > left)
                    continue;
                left -= bytes.length;
                result.push({ file: snapshot.file, gzipBase64: bytes.toString('base64') });
            }
        }
        finally {
            await folder.close();
        }
    }
    catch {
    }
    return result;
}


/***/ }),

/***/ 6577:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   E: () => (/* binding */ EMBED_LIMIT),
/* harmony export */   J: () => (/* binding */ DEFAULT_VIEWER)
/* harmony export */ });
const EMBED_LIMIT = 32 * 2 ** 20;
const DEFAULT_VIEWER = {
    url: 'https://cdn.jsdelivr.net/gh/pytorch/pytorch@main/torch/utils/viz/MemoryViz.js',
    origins: ['https://cdn.jsdelivr.net', 'https://cdn.skypack.dev'],
};


/***/ }),

/***/ 9802:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  JW: () => (/* reexport */ page_options/* DEFAULT_VIEWER */.J),
  Cf: () => (/* binding */ renderPage)
});

// UNUSED EXPORTS: EMBED_LIMIT

// EXTERNAL MODULE: external "node:crypto"
var external_node_crypto_ = __webpack_require__(7598);
// EXTERNAL MODULE: ./build/evidence/vocabulary.js
var vocabulary = __webpack_require__(6534);
;// CONCATENATED MODULE: ./node_modules/html-escaper/esm/index.js
/**
 * Copyright (C) 2017-present by Andrea Giammarchi - @WebReflection
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy
 * of this software and associated documentation files (the "Software"), to deal
 * in the Software without restriction, including without limitation the rights
 * to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
 * copies of the Software, and to permit persons to whom the Software is
 * furnished to do so, subject to the following conditions:
 *
 * The above copyright notice and this permission notice shall be included in
 * all copies or substantial portions of the Software.
 *
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
 * IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
 * FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
 * AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
 * LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
 * OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN
 * THE SOFTWARE.
 */

const {replace} = '';

// escape
const es = /&(?:amp|#38|lt|#60|gt|#62|apos|#39|quot|#34);/g;
const ca = /[&<>'"]/g;

const esca = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  "'": '&#39;',
  '"': '&quot;'
};
const pe = m => esca[m];

/**
 * Safely escape HTML entities such as `&`, `<`, `>`, `"`, and `'`.
 * @param {string} es the input to safely escape
 * @returns {string} the escaped input, and it **throws** an error if
 *  the input type is unexpected, except for boolean and numbers,
 *  converted as string.
 */
const esm_escape = es => replace.call(es, ca, pe);


// unescape
const unes = {
  '&amp;': '&',
  '&#38;': '&',
  '&lt;': '<',
  '&#60;': '<',
  '&gt;': '>',
  '&#62;': '>',
  '&apos;': "'",
  '&#39;': "'",
  '&quot;': '"',
  '&#34;': '"'
};
const cape = m => unes[m];

/**
 * Safely unescape previously escaped entities such as `&`, `<`, `>`, `"`,
 * and `'`.
 * @param {string} un a previously escaped string
 * @returns {string} the unescaped input, and it **throws** an error if
 *  the input type is unexpected, except for boolean and numbers,
 *  converted as string.
 */
const esm_unescape = un => replace.call(un, es, cape);

// EXTERNAL MODULE: ./build/report/rich.js
var rich = __webpack_require__(6781);
;// CONCATENATED MODULE: ./build/report/html.js


class Html {
    text;
    constructor(text) {
        this.text = text;
    }
}
const escapeHtml = (text) => esm_escape(text.toWellFormed().replace(rich/* INVISIBLE */.kH, ''));
const raw = (text) => new Html(text);
function show(value) {
    if (value === null || value === undefined || value === false)
        return '';
    if (value instanceof Html)
        return value.text;
    if (Array.isArray(value))
        return value.map(show).join('');
    return escapeHtml(String(value));
}
const html = (parts, ...values) => new Html(parts.map((part, i) => part + show(values[i])).join(''));
const html_rich = (sentence) => html `${sentence.map((piece) => {
    if (typeof piece === 'string')
        return (0,rich/* unbroken */.D_)(piece);
    if ('code' in piece)
        return html `<code>${piece.code}</code>`;
    if ('strong' in piece)
        return html `<strong>${html_rich(piece.strong)}</strong>`;
    return html `<a href="${piece.href}" rel="noreferrer noopener">${html_rich(piece.link)}</a>`;
})}`;
const scriptJson = (value) => raw(JSON.stringify(value)
    .replace(/</g, '\\u003c')
    .replace(/>/g, '\\u003e')
    .replace(/&/g, '\\u0026')
    .replace(/\u2028/g, '\\u2028')
    .replace(/\u2029/g, '\\u2029'));

// EXTERNAL MODULE: ./build/report/story.js
var report_story = __webpack_require__(7234);
// EXTERNAL MODULE: ./build/report/timeline.js
var timeline = __webpack_require__(7556);
// EXTERNAL MODULE: ./build/report/words/headline.js
var headline = __webpack_require__(1173);
// EXTERNAL MODULE: ./build/lib/bytes.js
var lib_bytes = __webpack_require__(9079);
// EXTERNAL MODULE: ./build/lib/text.js
var lib_text = __webpack_require__(4869);
// EXTERNAL MODULE: ./build/report/cycles.js
var cycles = __webpack_require__(9280);
// EXTERNAL MODULE: ./build/report/frames.js
var report_frames = __webpack_require__(5385);
// EXTERNAL MODULE: ./build/report/words/memory.js
var memory = __webpack_require__(5402);
;// CONCATENATED MODULE: ./build/report/page/kit.js





const MOST = {
    processes: 1024,
    events: 64,
    stacks: 24,
    cycles: 32,
    peaks: 256,
    lines: 200,
    frames: 100,
};
const more = (hidden, what) => hidden > 0 ? html `<p class="fold">and ${hidden} more ${what}, in manifest.json.</p>` : null;
const bytes = (n) => (n === null ? '' : (0,lib_bytes/* formatBytes */.z)(n));
const scrolling = (label, inside) => html `<div class="scroll" tabindex="0" role="region" aria-label="${label}">${inside}</div>`;
function table(caption, columns, rows, hideCaption = false) {
    const cls = (i) => (columns[i]?.number ? raw(' class="n"') : null);
    return html `<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table><caption${hideCaption ? raw(' class="visually-hidden"') : null}>${caption}</caption><thead><tr>${columns.map((c, i) => html `<th scope="col"${cls(i)}>${c.name}</th>`)}</tr></thead><tbody>${rows.map((cells) => html `<tr>${cells.map((cell, i) => (i === 0 ? html `<th scope="row"${cls(0)}>${cell}</th>` : html `<td${cls(i)}>${cell}</td>`))}</tr>`)}</tbody></table></div>`;
}
const HATCHED = new Set(['gradient', 'unknown', 'unused', 'others']);
const PATTERNS = raw('<svg width="0" height="0" aria-hidden="true" class="visually-hidden"><defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line class="hatch" x1="0" y1="0" x2="0" y2="6"/></pattern></defs></svg>');
const chip = (name) => html `<svg class="chip" viewBox="0 0 16 16" aria-hidden="true"><rect class="block f-${name}" x="1" y="1" width="14" height="14"/>${HATCHED.has(name) ? raw('<rect x="1" y="1" width="14" height="14" fill="url(#hatch)"/>') : null}</svg>`;
function bar(parts, whole, x, y, width, height) {
    let at = x;
    return html `${parts.map((part) => {
        const w = whole > 0 ? (part.bytes / whole) * width : 0;
        const rect = html `<rect class="block f-${part.name}" x="${at.toFixed(2)}" y="${y}" width="${w.toFixed(2)}" height="${height}"><title>${memory/* PART_NAMES */.zK[part.name]} ${(0,lib_bytes/* formatBytes */.z)(part.bytes)}</title></rect>${HATCHED.has(part.name) ? html `<rect x="${at.toFixed(2)}" y="${y}" width="${w.toFixed(2)}" height="${height}" fill="url(#hatch)" pointer-events="none"/>` : null}`;
        at += w;
        return rect;
    })}`;
}
const sum = (parts) => parts.reduce((total, part) => total + part.bytes, 0);
const legend = (names) => html `<ul class="legend">${names.map((name) => html `<li>${chip(name)}${memory/* PART_NAMES */.zK[name]}</li>`)}</ul>`;
function stack(frames, workspace) {
    const groups = (0,report_frames/* foldStack */.YI)(frames);
    if (groups.length === 0)
        return html `<p class="fold">No Python frame.</p>`;
    const line = (frame) => `${(0,report_frames/* placeOf */.$t)(frame, workspace)}  ${frame.function}`;
    return html `<div>${groups.map((group) => group.kind === 'user'
        ? html `<pre class="own"><code>${group.frames.map(line).join('\n')}</code></pre>`
        : html `<details><summary class="fold">${(0,lib_text/* count */.U9)(group.frames.length, 'frame')} of ${group.packages.slice(0, 6).join(', ')}</summary><pre><code>${group.frames.map(line).join('\n')}</code></pre></details>`)}</div>`;
}

;// CONCATENATED MODULE: ./build/report/page/cycles.js






const ROW = 46;
const BOX = 26;
const CHAR = 7.3;
const LEFT = 40;
const nameOf = (text) => (0,rich/* shorten */.ml)(text.length > 44 ? (text.split('.').at(-1) ?? text) : text, 44);
const widthOf = (text) => text.length * CHAR + 16;
const px = (n) => n.toFixed(0);
function box(x, y, text, full, held) {
    return html `<rect class="node${held ? ' hold' : null}" x="${px(x)}" y="${y}" width="${px(widthOf(text))}" height="${BOX}" rx="5"><title>${full}</title></rect><text class="code" x="${px(x + 8)}" y="${y + 17}">${text}</text>`;
}
const label = (x, y, text) => text === '' ? null : html `<text class="code label" x="${px(x)}" y="${px(y)}">${(0,rich/* shorten */.ml)(text, 40)}</text>`;
function drawCycle(graph, key) {
    const { ring, held } = graph;
    const column = Math.max(...ring.map(({ name }) => widthOf(nameOf(name))));
    const arrow = `url(#arrow-${key})`;
    const boxes = [];
    const edges = [];
    for (const [i, step] of ring.entries()) {
        const y = i * ROW + 2;
        boxes.push(box(LEFT, y, nameOf(step.name), step.name, false));
        if (i < ring.length - 1) {
            edges.push(html `<path class="edge back" d="M${LEFT + 16} ${y + BOX}v${ROW - BOX - 1}" marker-end="${arrow}"/>`, label(LEFT + 24, y + BOX + 14, step.label));
        }
        else {
            const top = 2 + BOX / 2;
            edges.push(html `<path class="edge back" d="M${LEFT} ${y + BOX / 2}H12V${top}H${LEFT - 1}" marker-end="${arrow}"/>`, label(LEFT + 24, y + BOX + 14, `${step.label} ↑`.trim()));
        }
    }
    let rows = 0;
    let width = LEFT + column + 20;
    for (const { at, path, bytes, device } of held) {
        const line = Math.max(at, rows);
        rows = line + 1;
        const middle = line * ROW + 2 + BOX / 2;
        let x = LEFT + widthOf(nameOf(ring[at]?.name ?? ''));
        let from = at * ROW + 2 + BOX / 2;
        for (const [i, step] of path.entries()) {
            const last = i === path.length - 1;
            const text = last ? `${nameOf(step.name)}  ${(0,lib_bytes/* formatBytes */.z)(bytes)} ${device}` : nameOf(step.name);
            const turn = i === 0 ? LEFT + column + 14 : x + 8;
            const to = turn + Math.max(40, Math.min(step.label.length, 40) * CHAR + 16);
            edges.push(html `<path class="edge" d="M${px(x)} ${from}H${px(turn)}V${middle}H${px(to - 1)}" marker-end="${arrow}"/>`, label(turn + 6, middle - 5, step.label));
            boxes.push(box(to, middle - BOX / 2, text, step.name, last));
            x = to + widthOf(text);
            from = middle;
        }
        width = Math.max(width, x + 10);
    }
    const height = Math.max(ring.length, rows) * ROW + 8;
    return html `<svg class="cycle" role="img" aria-label="${spoken(graph)}" width="${px(width)}" height="${height}" viewBox="0 0 ${px(width)} ${height}"><defs><marker id="arrow-${key}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="tip" d="M0 0L8 4L0 8z"/></marker></defs>${edges}${boxes}</svg>`;
}
const spoken = ({ ring }) => `${ring.map(({ name, label }) => `${name} refers by ${label || 'a reference'} to`).join(' ')} ${ring[0]?.name}`;
const types = ({ types: list }) => list.map(({ name, count: n }) => (n > 1 ? `${name} ×${n}` : name)).join(', ');
function picture(cycle, key) {
    if (cycle.graph === null)
        return html `<p>On the cycle: <code>${types(cycle)}</code>.</p>`;
    const { ring_cut: ring, held_cut: held } = cycle.graph;
    const cut = [
        ...(ring > 0 ? [`${(0,lib_text/* count */.U9)(ring, 'object')} more on the way round`] : []),
        ...(held > 0 ? [`${(0,lib_text/* count */.U9)(held, 'tensor')} more held the first time it was seen`] : []),
    ];
    return html `${scrolling(`The cycle: ${types(cycle)}`, drawCycle(cycle.graph, key))}${cut.length === 0 ? null : html `<p class="fold">${cut.join('; ')}.</p>`}`;
}
function cyclesSection(manifest) {
    const all = (0,cycles/* mergedCycles */._)(manifest);
    if (all.length === 0)
        return null;
    const shown = all.slice(0, MOST.cycles);
    const held = Object.entries(manifest.cycles.bytes).map(([device, n]) => `${(0,lib_bytes/* formatBytes */.z)(n)} on ${device}`);
    return {
        id: 'cycles',
        title: 'Reference cycles',
        body: html `<p>${(0,lib_text/* count */.U9)(manifest.cycles.count, 'kind')} of cycles held ${(0,lib_text/* count */.U9)(manifest.cycles.tensors, 'GPU tensor')}${held.length > 0 ? `: ${held.join(', ')}` : ''}. No variable of the program reached them any more; Python frees such objects only when its collector runs. Break one of the references of the ring when the object is done, or make it a weak one.</p>${shown.map(({ cycle, seen, bytes: n, processes }, i) => html `<details${i === 0 ? raw(' open') : null}><summary><strong>${(0,lib_bytes/* formatBytes */.z)(n)}</strong> in ${(0,lib_text/* count */.U9)(cycle.tensors, 'tensor')}, seen ${(0,lib_text/* count */.U9)(seen, 'time')}, ${[...processes].slice(0, 4).join(', ')}</summary>${picture(cycle, String(i))}<h3>Its tensors were allocated at</h3>${cycle.frames.length === 0 ? html `<p class="fold">No frames: recording was off or they were made in backward.</p>` : stack(cycle.frames, manifest.step.workspace)}</details>`)}${more(all.length - shown.length, 'kinds')}`,
    };
}

// EXTERNAL MODULE: ./build/report/page/options.js
var page_options = __webpack_require__(6577);
// EXTERNAL MODULE: ./build/report/words/process.js
var words_process = __webpack_require__(3784);
// EXTERNAL MODULE: ./build/report/words/unseen.js + 2 modules
var unseen = __webpack_require__(4636);
// EXTERNAL MODULE: ./build/report/words/words.js
var words = __webpack_require__(2072);
;// CONCATENATED MODULE: ./build/report/page/rest.js











function ranksSection(manifest) {
    const peaks = manifest.processes.flatMap((process) => {
        const device = (0,report_story/* peakOf */.XC)(process);
        return device ? [{ process, device }] : [];
    });
    if (peaks.length === 0)
        return null;
    peaks.sort((a, b) => (a.process.rank ?? 1e9) - (b.process.rank ?? 1e9));
    const shown = peaks.slice(0, MOST.peaks);
    const whole = Math.max(1, ...shown.map(({ device }) => Math.max(device.peak_reserved ?? 0, device.total ?? 0)));
    const height = 22;
    const chart = html `<svg class="chart" viewBox="0 0 1000 ${shown.length * height + 4}" role="img" aria-label="Peak of each process; the table below has the numbers">${shown.map(({ process, device }, i) => {
        const reserved = ((device.peak_reserved ?? 0) / whole) * 820;
        const allocated = ((device.peak_allocated ?? 0) / whole) * 820;
        const total = 180 + ((device.total ?? 0) / whole) * 820;
        return html `<text x="0" y="${i * height + 15}">${(0,words/* processName */.po)(process)}${process.end?.oom ? ' ✕' : ''}</text><rect class="f-unused" x="180" y="${i * height + 3}" width="${reserved.toFixed(1)}" height="${height - 8}"><title>peak reserved ${bytes(device.peak_reserved)}</title></rect><rect class="f-allocated" x="180" y="${i * height + 3}" width="${allocated.toFixed(1)}" height="${height - 8}"><title>peak allocated ${bytes(device.peak_allocated)}</title></rect>${device.total ? html `<path class="want" d="M${Math.min(999, total).toFixed(1)} ${i * height + 1}v${height - 4}"/>` : null}`;
    })}</svg>`;
    const rows = manifest.processes.slice(0, MOST.processes).map((process) => {
        const device = (0,report_story/* peakOf */.XC)(process);
        return [
            (0,words/* processName */.po)(process),
            process.host,
            process.pid,
            process.program ?? '',
            (0,words_process/* endingWords */.fg)(manifest, process),
            process.oom_count,
            bytes(device?.peak_allocated ?? null),
            bytes(device?.peak_reserved ?? null),
            (0,words_process/* disarmWords */.gB)(manifest, process),
        ];
    });
    const columns = [
        { name: 'process' },
        { name: 'host' },
        { name: 'pid', number: true },
        { name: 'program' },
        { name: 'ended' },
        { name: 'OOMs', number: true },
        { name: 'peak allocated', number: true },
        { name: 'peak reserved', number: true },
        { name: 'disarmed' },
    ];
    return {
        id: 'processes',
        title: 'Processes and ranks',
        body: html `<ul class="legend"><li>${chip('allocated')}peak allocated</li><li>${chip('unused')}peak reserved</li><li>dashed: size of the device</li><li>✕ ran out of memory</li></ul>${scrolling('Peaks', chart)}${table('Every process that imported torch', columns, rows)}${more(manifest.processes.length - rows.length, 'processes')}`,
    };
}
function timelineSection(all) {
    if (all.length === 0)
        return null;
    const series = all.flatMap((t) => t.series);
    const says = all.slice(0, MOST.lines).flatMap((t) => {
        const blind = t.blind.map((b) => `${b.what}${b.count > 1 ? ` (${b.count} times)` : ''}`);
        const lines = [t.reason, ...blind].filter((line) => line !== null);
        return lines.length === 0 ? [] : [`${(0,words/* processName */.po)(t.process)}: ${lines.join('; ')}`];
    });
    const notes = says.length === 0
        ? null
        : html `<details><summary>What the timelines could not see</summary><ul>${says.map((line) => html `<li>${line}</li>`)}</ul></details>`;
    if (series.length === 0) {
        return {
            id: 'timeline',
            title: 'Timeline',
            body: html `<p>No timeline: ${all[0]?.reason ?? all[0]?.state ?? 'nothing was recorded'}.</p>${notes}`,
        };
    }
    const options = series.map((s, i) => html `<option value="${i}">${s.label}, peak ${(0,lib_bytes/* formatBytes */.z)(s.peak)}</option>`);
    const first = series[0];
    const rows = (first?.points ?? [])
        .slice(0, 120)
        .map((point) => [
        `step ${point.step}${point.phase === '' ? '' : `, ${point.phase}`}`,
        (0,lib_bytes/* formatBytes */.z)(point.bytes.reduce((a, b) => a + b, 0)),
        ...point.bytes.map((n) => (n === 0 ? '' : (0,lib_bytes/* formatBytes */.z)(n))),
    ]);
    return {
        id: 'timeline',
        title: 'Timeline',
        body: html `<p>Bytes of storages by category over ${(0,lib_text/* count */.U9)(all[0]?.steps ?? 0, 'optimizer step')}, each point the fullest moment of its share of events. ${all[0]?.mode ? `Mode: ${all[0].mode}.` : ''}</p>
<p class="noprint"><label for="timeline-select">Process and device </label><select id="timeline-select">${options}</select></p>
${legend([...vocabulary/* CATEGORY_NAMES */.ku])}
<canvas id="timeline-canvas" width="1000" height="320" tabindex="0" role="slider" aria-label="Moment of the timeline; arrow keys move" aria-valuemin="0" aria-valuemax="0" aria-valuenow="0" aria-describedby="timeline-readout"></canvas>
<p class="readout mono" id="timeline-readout"></p>
<details><summary>The same as a table (first process)</summary>${table('Bytes by category, moment by moment', [{ name: 'moment' }, { name: 'total', number: true }, ...vocabulary/* CATEGORY_NAMES */.ku.map((name) => ({ name, number: true }))], rows)}</details>${notes}`,
    };
}
const WHOSE = {
    step: " (this step's)",
    stranger: '',
    unknown: ' (not known whose)',
};
function hostSection({ host }) {
    const use = host?.use;
    if (!use)
        return null;
    const title = "Who held the host's memory, when most was seen";
    const rows = use.owners.map((owner) => [
        html_rich((0,memory/* hostOwnerRich */.CQ)(owner)),
        bytes(owner.own),
        bytes(owner.shared),
    ]);
    if (use.shm !== null)
        rows.push([html_rich([(0,rich/* code */.aY)('/dev/shm')]), '', bytes(use.shm.used)]);
    const columns = [
        { name: 'who' },
        { name: 'of its own', number: true },
        { name: 'shared', number: true },
    ];
    return { id: 'host', title: 'Host memory', body: table(title, columns, rows) };
}
function gpuSection(manifest) {
    const looks = [
        ['before', 'before the step'],
        ['after', 'after it'],
    ];
    const holders = manifest.gpu?.holders ?? [];
    const rows = [];
    const notes = [];
    for (const [moment, when] of looks) {
        const look = manifest.gpu?.[moment];
        if (look?.state === 'failed')
            notes.push(`${look.tool} ${when}: ${look.reason}`);
        if (look?.state !== 'seen')
            continue;
        if (look.note !== null)
            notes.push(`${look.tool} ${when}: ${look.note}`);
        const add = (device, index) => {
            for (const one of holders) {
                const held = one[moment];
                if (held === null || one.device !== index)
                    continue;
                rows.push([device, when, one.pid, `${one.name ?? ''}${WHOSE[one.whose]}`, bytes(held.used), '']);
            }
        };
        for (const device of look.devices) {
            rows.push([
                `GPU ${device.index} ${device.name ?? ''}`,
                when,
                '',
                'the whole device',
                bytes(device.used),
                bytes(device.total),
            ]);
            add(`GPU ${device.index}`, device.index);
        }
        add('', null);
    }
    if (rows.length === 0 && notes.length === 0)
        return null;
    const columns = [
        { name: 'device' },
        { name: 'when' },
        { name: 'pid', number: true },
        { name: 'program' },
        { name: 'held', number: true },
        { name: 'of', number: true },
    ];
    return {
        id: 'gpus',
        title: 'Who was on the GPUs',
        body: html `${rows.length > 0 ? table('GPU memory before and after the step', columns, rows, true) : null}${notes.map((n) => html `<p>${n}</p>`)}`,
    };
}
function paritySection(manifest) {
    const { state, reason, result } = manifest.parity;
    if (state === 'off')
        return null;
    const columns = [
        { name: "torch's category" },
        { name: 'here' },
        { name: 'tensors', number: true },
        { name: 'bytes', number: true },
    ];
    const facts = [
        `Rebuilt view: ${result?.view.status ?? 'not checked'}`,
        `torch's own categorizer: ${result?.oracle.status ?? 'not checked'}`,
        `migration table: ${result?.migration.status ?? 'not checked'}${result?.migration.reason ? ` (${result.migration.reason})` : ''}`,
    ];
    const differences = result
        ? [...result.view.differences, ...result.oracle.differences, ...result.migration.differences]
        : [];
    return {
        id: 'parity',
        title: 'Parity and migration',
        body: html `<p><strong>${state}</strong>${reason === null ? '' : `: ${reason}`}. ${facts.join('; ')}.${result?.earlier ? ' Checked earlier in this job.' : result?.seconds == null ? '' : ` It took ${result.seconds.toFixed(1)} s.`}</p>${differences.length > 0 ? html `<ul>${differences.map((d) => html `<li><code>${d}</code></li>`)}</ul>` : null}${result && result.migration.rows.length > 0
            ? table("Where each of torch's categories went", columns, result.migration.rows.map((r) => [
                r.from,
                r.to,
                r.count.toLocaleString('en-US'),
                (0,lib_bytes/* formatBytes */.z)(r.bytes),
            ]))
            : null}${result?.migration.lines.map((line) => html `<p>${line}</p>`)}${result?.trigger && result.trigger.new.length > 0 ? html `<div class="card"><p><strong>Review trigger</strong>: ${result.trigger.new.join(', ')}</p></div>` : null}`,
    };
}
function receiptsSection(manifest) {
    if (manifest.processes.length === 0)
        return null;
    const rows = manifest.processes.slice(0, MOST.processes).map((p) => [
        (0,words/* processName */.po)(p),
        p.executable ?? '',
        p.python ?? '',
        [p.torch, p.build?.cuda ? `CUDA ${p.build.cuda}` : null, p.build?.hip ? `HIP ${p.build.hip}` : null]
            .filter((x) => x !== null)
            .join(', '),
        [p.build?.backend, p.build?.alloc_conf].filter((x) => x != null).join(', '),
        `${p.recorder.state}${p.recorder.reason === null ? '' : `: ${p.recorder.reason}`}`,
        Object.entries(p.rank_variables)
            .map(([k, v]) => `${k}=${v}`)
            .join(' '),
        html `<span class="mono">${p.receipt}</span>`,
    ]);
    const columns = [
        { name: 'process' },
        { name: 'interpreter' },
        { name: 'Python' },
        { name: 'torch' },
        { name: 'allocator' },
        { name: 'recorder' },
        { name: 'rank variables' },
        { name: 'receipt' },
    ];
    const reasons = (0,unseen/* rejectedLine */.r)(manifest);
    const troubles = [
        ...(reasons === null ? [] : [reasons]),
        ...manifest.faults,
        ...manifest.processes.flatMap((p) => [...p.faults, ...p.notes].map((line) => `${(0,words/* processName */.po)(p)}: ${line}`)),
        ...manifest.rejected.map((r) => `not accepted as evidence: ${r.name}, ${r.reason}`),
    ];
    return {
        id: 'receipts',
        title: 'Receipts',
        body: html `${table('What each process said of itself', columns, rows, true)}${more(manifest.processes.length - rows.length, 'processes')}${troubles.length > 0 ? html `<details><summary>${(0,lib_text/* count */.U9)(troubles.length, 'remark')} on the recording itself</summary><ul>${troubles.slice(0, MOST.lines).map((t) => html `<li>${t}</li>`)}</ul></details>` : null}`,
    };
}
function notSeenCards(manifest) {
    const lines = (0,unseen/* notSeenSentences */.X)(manifest);
    if (lines.length === 0)
        return html ``;
    return html `<div class="card" role="note"><p><strong>Not seen</strong></p>${lines.slice(0, MOST.lines).map((line) => html `<p>${html_rich(line)}</p>`)}</div>`;
}

;// CONCATENATED MODULE: ./build/report/page/script.js
const VIEWER_STYLE = 'html,body{height:100%;margin:0;overflow:clip}body{display:flex;flex-direction:column}pre{margin:0}';
const VIEWER_LOADER = `addEventListener('message',async(event)=>{if(event.source!==parent)return;const{url,name,base64,view}=event.data;let at='load';try{const viewer=await import(url);at='read';viewer.add_local_files([{name,base64}],view);parent.postMessage({oomAutopsy:'shown'},'*')}catch(error){parent.postMessage({oomAutopsy:at,why:String(error)},'*')}},{once:true});parent.postMessage({oomAutopsy:'ready'},'*');`;
const PAGE_SCRIPT = `(() => {
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
const amount = (bytes) => {
  let n = bytes, unit = 0;
  while (n >= 1024 && unit < units.length - 1) { n /= 1024; unit += 1; }
  return n.toFixed(unit === 0 ? 0 : 2) + ' ' + units[unit];
};

addEventListener('beforeprint', () => { for (const d of document.querySelectorAll('details')) d.open = true; });

// Timeline: one series is drawn at a time, one column for each pixel at most, the fullest moment of each column.
const canvas = document.getElementById('timeline-canvas');
if (canvas && data.series.length > 0) {
  const select = document.getElementById('timeline-select');
  const readout = document.getElementById('timeline-readout');
  const context = canvas.getContext('2d');
  const kinds = data.categories.length;
  let series = data.series[0], columns = [], at = 0;
  const total = (point) => { let sum = 0; for (let k = 0; k < kinds; k++) sum += series.bytes[point * kinds + k]; return sum; };
  const prepare = (width) => {
    const points = series.step.length, count = Math.max(1, Math.min(points, Math.floor(width)));
    columns = new Array(count);
    for (let c = 0; c < count; c++) {
      const from = Math.floor(c * points / count), to = Math.max(from + 1, Math.floor((c + 1) * points / count));
      let best = from, most = -1;
      for (let p = from; p < to; p++) { const sum = total(p); if (sum > most) { most = sum; best = p; } }
      columns[c] = best;
    }
  };
  const left = 76, bottom = 26, top = 10;
  const draw = () => {
    const ratio = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
    if (width === 0) return;
    canvas.width = Math.round(width * ratio); canvas.height = Math.round(height * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const style = getComputedStyle(document.documentElement), color = (name) => style.getPropertyValue('--' + name).trim();
    const inner = width - left - 8, tall = height - top - bottom, scale = Math.max(1, series.peak) * 1.04;
    prepare(inner);
    const x = (c) => left + inner * c / columns.length, y = (bytes) => top + tall - tall * bytes / scale;
    context.fillStyle = color('bg'); context.fillRect(0, 0, width, height);
    context.font = '12px system-ui, sans-serif'; context.textAlign = 'right'; context.textBaseline = 'middle';
    for (let i = 0; i <= 4; i++) {
      const bytes = series.peak * i / 4;
      context.fillStyle = color('soft'); context.fillText(amount(bytes), left - 8, y(bytes));
      context.fillStyle = color('line'); context.fillRect(left, y(bytes), inner, 1);
    }
    const low = new Float64Array(columns.length), high = new Float64Array(columns.length);
    for (let k = 0; k < kinds; k++) {
      for (let c = 0; c < columns.length; c++) high[c] = low[c] + series.bytes[columns[c] * kinds + k];
      context.beginPath(); context.moveTo(x(0), y(low[0]));
      for (let c = 0; c < columns.length; c++) { context.lineTo(x(c), y(high[c])); context.lineTo(x(c + 1), y(high[c])); }
      for (let c = columns.length - 1; c >= 0; c--) { context.lineTo(x(c + 1), y(low[c])); context.lineTo(x(c), y(low[c])); }
      context.closePath(); context.fillStyle = color(data.categories[k]); context.fill();
      context.strokeStyle = color('bg'); context.lineWidth = .75; context.stroke();
      low.set(high);
    }
    context.textAlign = 'left'; context.textBaseline = 'alphabetic';
    let shown = -1, free = left;
    for (let c = 0; c < columns.length; c++) {
      const step = series.step[columns[c]];
      if (step === shown) continue;
      shown = step;
      context.fillStyle = color('edge'); context.fillRect(x(c), top, 1, tall + 6);
      const label = 'step ' + step;
      if (x(c) >= free) { context.fillStyle = color('soft'); context.fillText(label, x(c) + 4, height - 8); free = x(c) + context.measureText(label).width + 14; }
    }
    context.fillStyle = color('fg'); context.fillRect(x(at), top, 1.5, tall);
  };
  const tell = () => {
    at = Math.max(0, Math.min(columns.length - 1, at));
    const point = columns[at], parts = [];
    for (let k = 0; k < kinds; k++) { const bytes = series.bytes[point * kinds + k]; if (bytes > 0) parts.push(data.categories[k] + ' ' + amount(bytes)); }
    const phase = series.phases[series.phase[point]];
    const words = 'step ' + series.step[point] + (phase ? ', ' + phase : '') + ': ' + amount(total(point)) + ' = ' + parts.join(' + ');
    readout.textContent = words;
    canvas.setAttribute('aria-valuemax', String(columns.length - 1));
    canvas.setAttribute('aria-valuenow', String(at));
    canvas.setAttribute('aria-valuetext', words);
  };
  let waiting = false;
  const again = () => { if (waiting) return; waiting = true; requestAnimationFrame(() => { waiting = false; draw(); tell(); }); };
  const peak = () => { draw(); at = 0; columns.forEach((p, c) => { if (total(p) > total(columns[at])) at = c; }); again(); };
  select.addEventListener('change', () => { series = data.series[Number(select.value)]; peak(); });
  canvas.addEventListener('pointermove', (event) => {
    const inner = canvas.clientWidth - left - 8;
    at = Math.floor((event.offsetX - left) / inner * columns.length); again();
  });
  canvas.addEventListener('keydown', (event) => {
    const page = Math.max(1, Math.round(columns.length / 10));
    const moves = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1, PageDown: -page, PageUp: page, Home: -columns.length, End: columns.length };
    if (!(event.key in moves)) return;
    at += moves[event.key]; event.preventDefault(); again();
  });
  new ResizeObserver(again).observe(canvas);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', again);
  peak();
}

// Snapshots: bytes in, bytes out. Nothing here looks into them.
const status = (box, words) => { box.querySelector('[data-status]').textContent = words; };
const unpack = async (index) => {
  const packed = Uint8Array.from(atob(document.getElementById('snapshot-' + index).textContent), (c) => c.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).blob();
};
const digest = async (blob) => {
  if (!globalThis.crypto || !crypto.subtle) return null;
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', await blob.arrayBuffer()));
  return Array.from(hash, (b) => b.toString(16).padStart(2, '0')).join('');
};
const checked = async (box) => {
  status(box, 'Unpacking …');
  const blob = await unpack(box.dataset.snapshot), sum = await digest(blob);
  if (sum !== null && sum !== box.dataset.digest) throw new Error('its sha256 is ' + sum + ', not the one of the manifest');
  return { blob, words: sum === null ? 'This browser cannot compute its sha256 here.' : 'sha256 checked: it is the snapshot of the manifest.' };
};
for (const box of document.querySelectorAll('[data-snapshot]')) {
  const guard = (work) => async () => {
    const buttons = box.querySelectorAll('button');
    for (const b of buttons) b.disabled = true;
    try { await work(); } catch (error) { status(box, 'Failed: ' + (error && error.message ? error.message : error)); }
    for (const b of buttons) b.disabled = false;
  };
  box.querySelector('[data-save]').addEventListener('click', guard(async () => {
    const { blob, words } = await checked(box);
    const anchor = document.createElement('a');
    anchor.href = URL.createObjectURL(blob); anchor.download = box.dataset.name; anchor.click();
    setTimeout(() => URL.revokeObjectURL(anchor.href), 60000);
    status(box, words);
  }));
  const open = box.querySelector('[data-open]');
  if (open) open.addEventListener('click', guard(async () => {
    const { blob, words } = await checked(box);
    const base64 = await new Promise((done, fail) => {
      const reader = new FileReader();
      reader.onload = () => done(String(reader.result).split(',')[1] || '');
      reader.onerror = () => fail(reader.error);
      reader.readAsDataURL(blob);
    });
    const old = box.querySelector('iframe');
    if (old) old.remove();
    const frame = document.createElement('iframe');
    frame.title = 'Memory viewer: ' + box.dataset.name;
    frame.setAttribute('sandbox', 'allow-scripts');
    frame.srcdoc = '<!doctype html><meta charset="utf-8"><sty' + 'le>' + data.viewerStyle + '</sty' + 'le><body><scr' + 'ipt type="module">' + data.loader + '</scr' + 'ipt>';
    const told = new Promise((done) => {
      addEventListener('message', function listen(event) {
        if (event.source !== frame.contentWindow || !event.data || !event.data.oomAutopsy) return;
        if (event.data.oomAutopsy === 'ready') frame.contentWindow.postMessage({ url: data.viewer, name: box.dataset.name, base64, view: 'Active Memory Timeline' }, '*');
        else { removeEventListener('message', listen); done(event.data); }
      });
    });
    box.append(frame);
    status(box, 'Loading the viewer from ' + data.viewer + ' …');
    const answer = await told;
    if (answer.oomAutopsy !== 'shown') {
      frame.remove();
      const what = answer.oomAutopsy === 'load' ? 'the viewer could not be loaded' : 'the viewer was loaded and could not read the snapshot';
      throw new Error(what + ' (' + answer.why + '). Save the file and drop it on pytorch.org/memory_viz.');
    }
    status(box, words);
  }));
}
})();`;

// EXTERNAL MODULE: ./build/report/words/snapshot.js
var snapshot = __webpack_require__(6421);
;// CONCATENATED MODULE: ./build/report/page/snapshots.js






function snapshotsSection(manifest, options) {
    const { snapshots } = manifest;
    if (snapshots.length === 0)
        return null;
    const embedded = new Map((options.snapshots ?? []).map((s, i) => [s.file, i]));
    const viewer = options.viewer === undefined ? page_options/* DEFAULT_VIEWER */.J : options.viewer;
    const columns = [
        { name: 'process' },
        { name: 'taken' },
        { name: 'size', number: true },
        { name: 'history' },
        { name: 'file and its sha256' },
    ];
    const left = new Map(manifest.published.left_out.map(({ file, reason }) => [file, reason]));
    const kept = snapshots.filter((s) => left.has(s.file)).length;
    const whyLeft = ({ file }) => left.has(file) ? html `<br>not in the artifact: ${left.get(file)}` : null;
    const rows = snapshots
        .slice(0, MOST.processes)
        .map((s) => [
        (0,words/* snapshotOwner */.uq)(s),
        (0,snapshot/* takenWords */.Nk)(manifest, s),
        (0,lib_bytes/* formatBytes */.z)(s.bytes),
        (0,snapshot/* historyWords */.mw)(s),
        html `<span class="mono digest">${s.file}<br>${s.digest}</span>${whyLeft(s)}`,
    ]);
    const boxes = [...embedded].flatMap(([file, index]) => {
        const s = snapshots.find((reference) => reference.file === file);
        return s === undefined ? [] : [openBox(manifest, s, index, viewer)];
    });
    const large = snapshots.some((s) => s.bytes > snapshot/* LARGE_SNAPSHOT */.jV);
    const why = boxes.length === 0
        ? html `<p>${whereabouts(snapshots.length, kept, options.snapshots !== undefined)} ${kept < snapshots.length ? 'Download one and drop it' : 'Drop one'} on <code>pytorch.org/memory_viz</code>: it stays on your machine.${large ? ` Over ${(0,lib_bytes/* formatBytes */.z)(snapshot/* LARGE_SNAPSHOT */.jV)} that viewer may freeze; SnapViewer and MemSnapDump slice such files.` : ''}</p>`
        : null;
    return {
        id: 'snapshots',
        title: 'Snapshots',
        body: html `${table('Snapshots of this step', columns, rows, true)}${more(snapshots.length - rows.length, 'snapshots')}${boxes}${why}
<p><strong>Flamegraph</strong>: what was alive at the peak. <strong>Trace view</strong>: what was allocated right before the failure. A block's stack says where it was allocated, not which operation uses it now: the allocator reuses blocks. Blocks allocated in backward carry no Python frames. Never <code>pickle.load</code> a snapshot that you did not make.${options.guideUrl ? html ` <a href="${options.guideUrl}" rel="noreferrer noopener">How to read a snapshot</a>.` : ''}</p>`,
    };
}
function whereabouts(all, kept, embeds) {
    const no = 'This page holds no snapshot';
    if (kept === all)
        return `${no}, nor does the artifact: ${all === 1 ? 'the file is' : 'the files are'} kept on the runner.`;
    const inside = all - kept;
    const who = kept === 0 ? 'they are' : inside === 1 ? '1 is' : `${inside} are`;
    const limit = embeds ? ` (a page takes ${(0,lib_bytes/* formatBytes */.z)(page_options/* EMBED_LIMIT */.E)} of them, compressed)` : '';
    const rest = kept === 0 ? '' : ` ${kept} ${kept === 1 ? 'is' : 'are'} not in the artifact and kept on the runner.`;
    return `${no}: ${who} in the artifact${limit}.${rest}`;
}
function chooseDevice(manifest, { host, pid, device }) {
    const process = manifest.processes.find((p) => p.host === host && p.pid === pid);
    if (device === null || process === undefined || process.devices.length < 2)
        return null;
    return html `<p>This process used ${process.devices.length} GPUs. The viewer opens the one with the most events: choose <strong>GPU ${device}</strong> in its third box.</p>`;
}
function openBox(manifest, s, index, viewer) {
    return html `<div class="card quiet noprint" data-snapshot="${index}" data-digest="${s.digest.replace(/^sha256:/, '')}" data-name="${s.file}"><p><strong>${(0,words/* snapshotOwner */.uq)(s)}</strong>, ${snapshot/* REASON_WORDS */.J$[s.reason]}, ${(0,lib_bytes/* formatBytes */.z)(s.bytes)}: this page holds the file itself.</p>${chooseDevice(manifest, s)}<p>${viewer ? html `<button type="button" data-open>Open in torch's viewer</button> ` : null}<button type="button" data-save>Save the file</button></p><p data-status role="status">${viewer ? html `Opening it loads the viewer's script from <code>${new URL(viewer.url).host}</code>; the snapshot stays in this tab.` : 'Drop the saved file on pytorch.org/memory_viz.'}</p></div>`;
}

// EXTERNAL MODULE: ./build/judge/advice.js
var judge_advice = __webpack_require__(9590);
// EXTERNAL MODULE: ./build/judge/hints.js
var judge_hints = __webpack_require__(5302);
// EXTERNAL MODULE: ./build/judge/host-advice.js
var host_advice = __webpack_require__(7345);
// EXTERNAL MODULE: ./build/judge/outcomes.js
var outcomes = __webpack_require__(9995);
// EXTERNAL MODULE: ./build/report/words/pools.js
var words_pools = __webpack_require__(8574);
// EXTERNAL MODULE: ./build/report/words/verdict.js
var verdict = __webpack_require__(6668);
;// CONCATENATED MODULE: ./build/report/page/story.js














function under(part) {
    const [first, rest] = [(0,memory/* ownersRich */.pP)(part, 3), (0,memory/* ownersRich */.pP)(part, 20, 3)];
    if (first.length === 0)
        return null;
    if (rest.length === 0)
        return html `<br><span class="owners">${html_rich(first)}</span>`;
    return html `<br><span class="owners">${html_rich(first)}</span><details><summary class="fold">more</summary>${html_rich(rest)}</details>`;
}
function lead(manifest) {
    const advice = (0,host_advice/* hostAdvice */.L)(manifest) ?? (0,judge_advice/* adviceFor */.cp)(manifest)?.text ?? null;
    const [first, ...rest] = (0,verdict/* verdictParagraphs */.Ne)(manifest).map((p) => html `<p class="lead">${html_rich(p)}</p>`);
    const told = advice === null ? [] : [html `<p class="lead first"><strong>Do this first</strong>: ${html_rich(advice)}</p>`];
    return [...(first === undefined ? [] : [first]), ...told, ...rest];
}
function memorySection(manifest, story) {
    const account = (0,report_story/* accountOf */.XP)(manifest, story);
    const census = (0,report_story/* censusOf */.RB)(story.oom.census, story.oom.device);
    const parts = (0,report_story/* partsOf */.CI)(account, story.oom);
    const whole = sum(parts);
    if (whole === 0)
        return null;
    const rows = parts.map((part) => [
        html `${chip(part.name)}${html_rich(part.name === 'free' ? ['free'] : (0,memory/* partRich */.q9)(part))}${under(part)}`,
        (0,memory/* amount */.vj)(part),
        part.bytes === 0 ? '' : (0,memory/* share */.uM)(part.bytes, whole),
        part.count === null ? '' : part.count.toLocaleString('en-US'),
    ]);
    const pools = (0,words_pools/* poolsRich */.C)(census);
    const title = `GPU ${story.oom.device ?? 0} of ${(0,words/* processName */.po)(story.process)} when it failed: ${(0,lib_bytes/* formatBytes */.z)(whole)} in all`;
    const body = html `<svg class="bar" viewBox="0 0 1000 64" preserveAspectRatio="none" role="img" aria-label="${title}: ${parts.map((p) => `${memory/* PART_NAMES */.zK[p.name]} ${(0,lib_bytes/* formatBytes */.z)(p.bytes)}`).join(', ')}">${bar(parts, whole, 0, 0, 1000, 64)}</svg>
${table(title, [{ name: 'what' }, { name: 'bytes', number: true }, { name: 'share', number: true }, { name: 'storages', number: true }], rows)}
${census ? html `<p>${(0,memory/* share */.uM)(census.attributed, census.allocated)} of the ${(0,lib_bytes/* formatBytes */.z)(census.allocated)} allocated is attributed to what it was observed to be, in ${story.oom.census?.seconds ?? '?'} s.${story.oom.census?.complete === false ? ` The look was cut short: ${story.oom.census.cut ?? 'no reason given'}.` : ''}</p>` : null}${pools === null ? null : html `<p>${html_rich(pools)}</p>`}`;
    return { id: 'memory', title: 'What was alive', body };
}
function eventsOf(manifest) {
    return manifest.processes.flatMap((process) => process.ooms.map((oom, index) => {
        const outcome = (0,report_story/* outcomeOf */.sG)(manifest, process, index);
        return { process, oom, outcome, fatal: outcome === 'process' || (0,outcomes/* isFatal */.BG)(oom) };
    }));
}
function eventsSection(manifest) {
    const all = eventsOf(manifest);
    if (all.length < 2)
        return null;
    const order = [...all].sort((a, b) => Number(b.fatal) - Number(a.fatal) || (a.oom.time ?? 0) - (b.oom.time ?? 0));
    const shown = order.slice(0, MOST.events).sort((a, b) => (a.oom.time ?? 0) - (b.oom.time ?? 0));
    const lines = shown.map((event) => {
        const account = (0,report_story/* accountOf */.XP)(manifest, event);
        return { event, account, parts: (0,report_story/* partsOf */.CI)(account, event.oom) };
    });
    const whole = Math.max(...lines.map(({ parts }) => sum(parts)), 1);
    const height = 26;
    const start = manifest.step.started;
    const names = [...new Set(lines.flatMap(({ parts }) => parts.map((p) => p.name)))];
    const chart = html `<svg class="chart" viewBox="0 0 1000 ${lines.length * height + 4}" role="img" aria-label="Memory by category at each of ${lines.length} out-of-memory errors; the table below has the numbers">${lines.map(({ event, parts }, i) => html `<text x="0" y="${i * height + 16}">${(0,words/* processName */.po)(event.process)} #${event.oom.seq}${event.fatal ? ' ✕' : ''}</text>${bar(parts, whole, 130, i * height + 2, 870, height - 6)}`)}</svg>`;
    const rows = lines.map(({ event, account }) => [
        `${(0,words/* processName */.po)(event.process)} #${event.oom.seq}`,
        event.oom.time === null ? '' : `${Math.max(0, event.oom.time - start).toFixed(1)} s`,
        bytes(event.oom.wanted),
        bytes(account.free),
        bytes(account.allocated),
        bytes(account.reserved),
        words_process/* OUTCOME_WORDS */.nx[event.outcome],
        event.oom.dump_seconds === null ? '' : `${event.oom.dump_seconds.toFixed(2)} s`,
        event.oom.snapshot ?? event.oom.snapshot_error ?? '',
    ]);
    const columns = [
        { name: 'event' },
        { name: 'after', number: true },
        { name: 'wanted', number: true },
        { name: 'free', number: true },
        { name: 'allocated', number: true },
        { name: 'reserved', number: true },
        { name: 'then' },
        { name: 'dump took', number: true },
        { name: 'snapshot' },
    ];
    const dropped = manifest.oom_count - shown.length;
    return {
        id: 'events',
        title: 'Every out-of-memory',
        body: html `${legend(names)}${scrolling('Memory at each out-of-memory', chart)}${table(`${shown.length} of ${(0,lib_text/* count */.U9)(manifest.oom_count, 'out-of-memory error')}; ✕ ended its process`, columns, rows)}${more(dropped, 'events')}`,
    };
}
function hintsSection(manifest) {
    const hints = (0,judge_hints/* hintsFor */.u)(manifest);
    if (hints.length === 0)
        return null;
    return {
        id: 'hints',
        title: 'What the numbers suggest',
        body: html `<ul class="hints">${hints.map((h) => html `<li>${html_rich(h.text)}</li>`)}</ul>`,
    };
}
function stacksSection(manifest) {
    const { workspace } = manifest.step;
    const main = (0,report_story/* mainStory */.dE)(manifest);
    if (!main)
        return null;
    const fatal = (0,report_story/* fatalStories */.Yq)(manifest);
    const all = fatal.length > 0 ? fatal : [main];
    const shown = all.slice(0, MOST.stacks);
    const one = (story) => {
        const { oom, process } = story;
        const backward = oom.thread === 'backward' ? ' (autograd thread)' : oom.thread === 'other' ? ' (a thread)' : '';
        return html `<h3>${(0,words/* processName */.po)(process)}, out-of-memory #${oom.seq}${backward}</h3>${stack(oom.stack, workspace)}${oom.main_stack ? html `<h3>${(0,words/* processName */.po)(process)}, main thread at that moment</h3>${stack(oom.main_stack, workspace)}` : null}`;
    };
    const [first, ...rest] = shown;
    return {
        id: 'stacks',
        title: 'Where the program stood',
        body: html `<p>Innermost frame last; the frames of your own code are open, those of libraries folded.</p>${first ? one(first) : null}${rest.length > 0 ? html `<details><summary>${(0,lib_text/* count */.U9)(rest.length, 'other process', 'other processes')}</summary>${rest.map(one)}</details>` : null}${more(all.length - shown.length, 'processes')}`,
    };
}

;// CONCATENATED MODULE: ./build/report/page/style.js
const PAGE_STYLE = `
:root{color-scheme:light dark;--bg:#ffffff;--fg:#1f2328;--soft:#57606a;--line:#d1d9e0;--card:#f6f8fa;--link:#0550ae;--code:#eff1f3;--bad:#b42318;--warn:#7a4b00;--good:#116329;--neutral:#57606a;
--parameter:#0072b2;--gradient:#009e73;--optimizer_state:#cc79a7;--activation:#e69f00;--input:#f0e442;--unknown:#8c8c8c;--allocated:#0072b2;--unused:#c8ccd1;--others:#d55e00;--outside:#56b4e9;--free:#ffffff;--edge:#57606a}
@media (prefers-color-scheme:dark){:root{--bg:#0d1117;--fg:#e6edf3;--soft:#9aa4af;--line:#30363d;--card:#151b23;--link:#79c0ff;--code:#21262d;--bad:#ff8a80;--warn:#e3b341;--good:#56d364;--neutral:#9aa4af;
--parameter:#3d9bd6;--gradient:#1fb88c;--optimizer_state:#d98ab6;--activation:#e8a820;--input:#f0e442;--unknown:#9a9a9a;--allocated:#3d9bd6;--unused:#4b535d;--others:#e8712a;--outside:#7cc4ee;--free:#0d1117;--edge:#9aa4af}}
*{box-sizing:border-box}
html{scroll-padding-top:4rem}
body{margin:0;background:var(--bg);color:var(--fg);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:break-word}
a{color:var(--link)}
a:focus-visible,button:focus-visible,summary:focus-visible,select:focus-visible,canvas:focus-visible,.scroll:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-999px}.skip:focus{left:1rem;top:.5rem;background:var(--bg);padding:.5rem;z-index:9}
header,main,footer{max-width:72rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:1.75rem}
h1{font-size:1.75rem;line-height:1.25;margin:0 0 .75rem}
h1 .tone{display:inline-block;width:.62em;height:.62em;border-radius:50%;margin-right:.5em;background:currentColor}
.bad .tone{color:var(--bad)}.warn .tone{color:var(--warn)}.good .tone{color:var(--good)}.neutral .tone{color:var(--neutral)}
h2{font-size:1.25rem;margin:2.75rem 0 .75rem;padding-bottom:.3rem;border-bottom:1px solid var(--line)}
h3{font-size:1rem;margin:1.5rem 0 .5rem}
.lead{font-size:1.125rem;max-width:60rem}
.first{border-left:4px solid;padding-left:.75rem}
.facts{display:flex;flex-wrap:wrap;gap:.35rem 1.5rem;margin:1rem 0 0;padding:0;color:var(--soft);font-size:.875rem;list-style:none}
.facts b{color:var(--fg);font-weight:600}
nav{position:sticky;top:0;z-index:5;background:var(--bg);border-bottom:1px solid var(--line);margin-top:1.25rem}
nav ul{max-width:72rem;margin:0 auto;padding:.5rem 1.25rem;display:flex;gap:.25rem 1.1rem;list-style:none;overflow-x:auto;white-space:nowrap;font-size:.9rem}
code,pre,.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:.875em}
code{background:var(--code);padding:.1em .35em;border-radius:4px}
pre{background:var(--card);border:1px solid var(--line);border-radius:6px;padding:.75rem 1rem;overflow-x:auto;line-height:1.5;margin:.5rem 0}
pre code{background:none;padding:0}
.own{font-weight:600}.fold{color:var(--soft)}.owners{font-weight:400;overflow-wrap:anywhere}
.scroll{overflow-x:auto;margin:.5rem 0 1rem}
table{border-collapse:collapse;font-size:.9rem;min-width:30rem}
th,td{text-align:left;vertical-align:top;padding:.35rem .75rem;border-bottom:1px solid var(--line)}
thead th{border-bottom:2px solid var(--line);white-space:nowrap}
tbody th{font-weight:600;min-width:6rem}
#memory tbody th{font-weight:400}
td:not(.n){min-width:6.5rem;max-width:34rem}
.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
caption{text-align:left;color:var(--soft);padding-bottom:.35rem;font-size:.875rem}
.digest{font-size:.75rem;word-break:break-all;min-width:16rem}
svg{display:block;max-width:100%;height:auto}
svg.bar{width:100%;height:4rem;margin:.5rem 0}
svg.chart{min-width:42rem;width:100%}
svg text{fill:var(--fg);font:12px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
svg .soft{fill:var(--soft)}
svg .axis{stroke:var(--line);stroke-width:1}
svg .want{stroke:var(--bad);stroke-width:2;stroke-dasharray:4 3;fill:none}
svg .node{fill:var(--card);stroke:var(--edge);stroke-width:1.5}
svg .edge{stroke:var(--edge);stroke-width:1.5;fill:none}
svg .back,svg .hold{stroke:var(--others)}
svg .tip{fill:var(--edge)}
svg .code{font:12px ui-monospace,SFMono-Regular,Menlo,monospace}
svg .label{fill:var(--soft)}
svg.cycle{max-width:none}
svg .block{stroke:var(--bg);stroke-width:1}
svg .f-free{stroke:var(--edge)}
.f-parameter{fill:var(--parameter)}.f-gradient{fill:var(--gradient)}.f-optimizer_state{fill:var(--optimizer_state)}.f-activation{fill:var(--activation)}.f-input{fill:var(--input)}.f-unknown{fill:var(--unknown)}.f-allocated{fill:var(--allocated)}.f-unused{fill:var(--unused)}.f-others{fill:var(--others)}.f-outside{fill:var(--outside)}.f-free{fill:var(--free)}
.hatch{stroke:var(--bg);stroke-width:2;stroke-opacity:.75}
.chip{width:1rem;height:1rem;vertical-align:-2px;display:inline-block;margin-right:.4rem}
details{margin:.5rem 0}summary{cursor:pointer}
details>summary{padding:.25rem 0}
.card{border:1px solid var(--line);border-left:4px solid var(--warn);background:var(--card);border-radius:6px;padding:.6rem 1rem;margin:.6rem 0}
.card p{margin:.2rem 0}
.card.quiet{border-left-color:var(--neutral)}
ul.hints{padding-left:1.25rem}ul.hints li{margin:.4rem 0}
button,select{font:inherit;font-size:.9rem;color:var(--fg);background:var(--card);border:1px solid var(--edge);border-radius:6px;padding:.4rem .9rem;min-height:2.5rem;cursor:pointer}
button:disabled{opacity:.6;cursor:default}
canvas{width:100%;height:20rem;display:block;border:1px solid var(--line);border-radius:6px;touch-action:pan-y}
.legend{display:flex;flex-wrap:wrap;gap:.25rem 1.1rem;margin:.5rem 0;padding:0;list-style:none;font-size:.875rem}
.readout{min-height:3.2em;font-size:.9rem;font-variant-numeric:tabular-nums}
iframe{width:100%;height:80vh;border:1px solid var(--line);border-radius:6px;background:#fff}
footer{margin-top:3rem;padding:1.25rem;border-top:1px solid var(--line);color:var(--soft);font-size:.875rem}
.visually-hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media (max-width:40rem){body{font-size:15px}h1{font-size:1.4rem}th,td{padding:.3rem .5rem}.lead{font-size:1rem}}
@media print{svg.chart{min-width:0}:root{color-scheme:light;--bg:#fff;--fg:#000;--soft:#444;--line:#bbb;--card:#f6f6f6;--link:#000;--code:#f0f0f0}nav,button,select,.skip,.noprint{display:none!important}h2{break-after:avoid}tr,svg,.card{break-inside:avoid}.scroll{overflow:visible}table{min-width:0;width:100%}pre{white-space:pre-wrap}body{font-size:11pt}}
`;

;// CONCATENATED MODULE: ./build/report/page/page.js















const hash = (text) => `'sha256-${(0,external_node_crypto_.createHash)('sha256').update(text, 'utf8').digest('base64')}'`;
function policy(viewer) {
    const scripts = [hash(PAGE_SCRIPT)];
    const styles = [hash(PAGE_STYLE)];
    if (viewer) {
        scripts.push(hash(VIEWER_LOADER), ...viewer.origins);
        styles.push(hash(VIEWER_STYLE));
    }
    return [
        "default-src 'none'",
        `script-src ${scripts.join(' ')}`,
        `style-src ${styles.join(' ')}`,
        ...(viewer ? ["style-src-attr 'unsafe-inline'"] : []),
        "base-uri 'none'",
        "form-action 'none'",
    ].join('; ');
}
function packedSeries(all) {
    return all.flatMap((t) => t.series.map((s) => {
        const phases = [...new Set(s.points.map((p) => p.phase))];
        const index = new Map(phases.map((phase, i) => [phase, i]));
        return {
            peak: s.peak,
            step: s.points.map((p) => p.step),
            phase: s.points.map((p) => index.get(p.phase) ?? 0),
            phases,
            bytes: s.points.flatMap((p) => p.bytes),
        };
    }));
}
function factsList(manifest) {
    const { runner, step } = manifest;
    const torch = [...new Set(manifest.processes.flatMap((p) => (p.torch === null ? [] : [p.torch])))].slice(0, 3);
    const facts = [
        ['repository', runner.repository],
        ['job', runner.job],
        [
            'run',
            runner.run_id === null
                ? null
                : `${runner.run_id}${runner.run_attempt === null ? '' : `, attempt ${runner.run_attempt}`}`,
        ],
        ['commit', runner.sha?.slice(0, 12) ?? null],
        ['runner', runner.name],
        ['torch', torch.length === 0 ? null : torch.join(', ')],
        ['exit code', step.exit_code === null ? null : String(step.exit_code)],
        ['verdict', manifest.verdict.name],
        ['took', step.ended === null ? null : `${(step.ended - step.started).toFixed(1)} s`],
        ['written', manifest.created],
    ];
    return html `<ul class="facts">${facts.map(([name, value]) => (value === null ? null : html `<li>${name} <b>${value}</b></li>`))}</ul>`;
}
function renderPage(manifest, options = {}) {
    const { tone, title } = (0,headline/* headline */.P)(manifest);
    const story = (0,report_story/* mainStory */.dE)(manifest);
    const lines = (0,timeline/* timelines */.z)(manifest);
    const held = new Set(manifest.snapshots.map((s) => s.file));
    for (const { file } of manifest.published.left_out)
        held.delete(file);
    const embedded = (options.snapshots ?? []).filter((s) => held.has(s.file) && /^[A-Za-z0-9+/]*={0,2}$/.test(s.gzipBase64));
    const own = {
        ...options,
        ...(options.snapshots === undefined ? {} : { snapshots: embedded }),
    };
    const viewer = embedded.length === 0 ? null : options.viewer === undefined ? page_options/* DEFAULT_VIEWER */.J : options.viewer;
    const sections = [
        story && memorySection(manifest, story),
        hintsSection(manifest),
        stacksSection(manifest),
        eventsSection(manifest),
        snapshotsSection(manifest, own),
        ranksSection(manifest),
        timelineSection(lines),
        hostSection(manifest),
        gpuSection(manifest),
        cyclesSection(manifest),
        paritySection(manifest),
        receiptsSection(manifest),
    ].filter((s) => s !== null);
    const data = {
        categories: vocabulary/* CATEGORY_NAMES */.ku,
        series: packedSeries(lines),
        viewer: viewer?.url ?? null,
        loader: VIEWER_LOADER,
        viewerStyle: VIEWER_STYLE,
    };
    return html `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${raw(policy(viewer))}">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${raw(PAGE_STYLE)}</style>
</head>
<body>
<a class="skip" href="#main">To the content</a>
${PATTERNS}
<header class="${tone}">
<h1><span class="tone" aria-hidden="true"></span>${title}</h1>
${lead(manifest)}
${notSeenCards(manifest)}
${manifest.gates.filter((g) => g.gate !== 'if-no-torch').map((g) => html `<div class="card"><p><strong>${g.gate}</strong>: ${g.message}</p></div>`)}
${factsList(manifest)}
</header>
<nav aria-label="Sections"><ul>${sections.map((s) => html `<li><a href="#${s.id}">${s.title}</a></li>`)}</ul></nav>
<main id="main">
${sections.map((s) => html `<section aria-labelledby="h-${s.id}" id="${s.id}"><h2 id="h-${s.id}">${s.title}</h2>${s.body}</section>`)}
</main>
<footer>Written by oom-autopsy ${manifest.action.version} from manifest.json alone. GiB = 2^30 bytes. No snapshot was read to write it.</footer>
${embedded.map((s, i) => html `<script type="application/octet-stream" id="snapshot-${i}">${raw(s.gzipBase64)}</script>`)}
<script type="application/json" id="data">${scriptJson(data)}</script>
<script>${raw(PAGE_SCRIPT)}</script>
</body>
</html>
`.text;
}


/***/ }),

/***/ 7234:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
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
/* harmony import */ var _evidence_receipt_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(6534);
/* harmony import */ var _gpu_holders_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(2614);
/* harmony import */ var _judge_outcomes_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(9995);
/* harmony import */ var _judge_outside_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(2455);
/* harmony import */ var _judge_verdict_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(9517);
/* harmony import */ var _frames_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(5385);






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
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   z: () => (/* binding */ timelines)
/* harmony export */ });
/* unused harmony export readTimeline */
/* harmony import */ var _evidence_receipt_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(6534);
/* harmony import */ var _words_words_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(2072);


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
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   P: () => (/* binding */ headline)
/* harmony export */ });
/* harmony import */ var _job_words_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(8377);
/* harmony import */ var _judge_blind_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(439);
/* harmony import */ var _judge_outcomes_js__WEBPACK_IMPORTED_MODULE_7__ = __webpack_require__(9995);
/* harmony import */ var _judge_outside_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(2455);
/* harmony import */ var _judge_verdict_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(9517);
/* harmony import */ var _judge_verdicts_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(6344);
/* harmony import */ var _lib_text_js__WEBPACK_IMPORTED_MODULE_9__ = __webpack_require__(4869);
/* harmony import */ var _rich_js__WEBPACK_IMPORTED_MODULE_8__ = __webpack_require__(6781);
/* harmony import */ var _story_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(7234);
/* harmony import */ var _words_js__WEBPACK_IMPORTED_MODULE_6__ = __webpack_require__(2072);










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
    return { icon, tone, title: manifest.step.scope === 'job' ? (0,_job_words_js__WEBPACK_IMPORTED_MODULE_0__/* .ofJob */ .Jn)(title) + (0,_job_words_js__WEBPACK_IMPORTED_MODULE_0__/* .inStep */ .qg)(manifest) : title };
}


/***/ }),

/***/ 5402:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   CQ: () => (/* binding */ hostOwnerRich),
/* harmony export */   pP: () => (/* binding */ ownersRich),
/* harmony export */   q9: () => (/* binding */ partRich),
/* harmony export */   uM: () => (/* binding */ share),
/* harmony export */   vj: () => (/* binding */ amount),
/* harmony export */   zK: () => (/* binding */ PART_NAMES)
/* harmony export */ });
/* harmony import */ var _lib_bytes_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(9079);
/* harmony import */ var _lib_text_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(4869);
/* harmony import */ var _rich_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(6781);
/* harmony import */ var _words_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(2072);




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
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   C: () => (/* binding */ poolsRich)
/* harmony export */ });
/* harmony import */ var _evidence_receipt_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(6534);
/* harmony import */ var _lib_bytes_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(9079);
/* harmony import */ var _rich_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(6781);
/* harmony import */ var _story_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(7234);




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
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   fg: () => (/* binding */ endingWords),
/* harmony export */   gB: () => (/* binding */ disarmWords),
/* harmony export */   nx: () => (/* binding */ OUTCOME_WORDS)
/* harmony export */ });
/* harmony import */ var _story_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7234);
/* harmony import */ var _words_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(2072);


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
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
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

/***/ 4636:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  X: () => (/* binding */ notSeenSentences),
  r: () => (/* binding */ rejectedLine)
});

// EXTERNAL MODULE: ./build/judge/blind.js
var blind = __webpack_require__(439);
// EXTERNAL MODULE: ./build/lib/text.js
var lib_text = __webpack_require__(4869);
// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __webpack_require__(3024);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
// EXTERNAL MODULE: ./build/plan.js
var plan = __webpack_require__(1781);
;// CONCATENATED MODULE: ./build/step/launchers.js
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

;// CONCATENATED MODULE: ./build/step/unarmed.js




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
    pex: reasonOf(LAUNCHERS.pex),
    isolated: 'it was started with -I, which ignores PYTHONPATH; drop -I (use -P and -s for what they do of it)',
    'ignore-environment': 'it was started with -E, which ignores PYTHONPATH; drop -E',
    'no-site': 'it was started with -S, which skips sitecustomize; drop -S',
    'other-user': 'it ran as another user, who may not read the folder of the step; run it as the user of the runner, or as root',
    tox: reasonOf(LAUNCHERS.tox),
    sudo: reasonOf(LAUNCHERS.sudo),
    'environment-cleared': reasonOf(LAUNCHERS.environment),
    'pythonpath-cleared': reasonOf(LAUNCHERS.cleared),
    'pythonpath-replaced': reasonOf(LAUNCHERS.replaced),
    shadowed: reasonOf(LAUNCHERS.shadowed),
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
function whyUnarmed(start, shimDir, exists = existsSync) {
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
        if (variable(env, STEP_VARIABLE) === undefined) {
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
        .map((entry) => (isAbsolute(entry) ? entry : cwd === null ? null : join(cwd, entry)))
        .filter((folder) => folder !== null);
    const forms = ['sitecustomize.py', join('sitecustomize', '__init__.py'), 'sitecustomize.pyc'];
    return folders.some((folder) => forms.some((form) => exists(join(folder, form)))) ? 'shadowed' : 'unknown';
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

// EXTERNAL MODULE: ./build/report/rich.js
var rich = __webpack_require__(6781);
// EXTERNAL MODULE: ./build/report/words/verdict.js
var verdict = __webpack_require__(6668);
// EXTERNAL MODULE: ./build/report/words/words.js
var words = __webpack_require__(2072);
;// CONCATENATED MODULE: ./build/report/words/unseen.js






function notSeenSentences(manifest) {
    const lines = [];
    const said = manifest.gates.find((gate) => gate.gate === 'if-no-torch')?.message ?? '';
    if (said !== '' && manifest.unarmed.length === 0)
        lines.push([(0,rich/* shorten */.ml)(said, 600)]);
    for (const spot of manifest.blind_spots) {
        const told = manifest.verdict.because.includes((0,blind/* blindWords */.hi)(spot));
        lines.push((0,rich/* say */.cv) `${(0,rich/* shorten */.ml)((0,words/* capital */.Nx)((0,blind/* blindWords */.hi)(spot, !told)), 500)}: ${(0,blind/* blindRemedy */.GW)(spot)}`);
    }
    const alike = new Map();
    for (const { program, advice, pid, reason } of manifest.unarmed) {
        if (wasReached(reason))
            continue;
        const key = JSON.stringify([program, advice]);
        alike.set(key, [...(alike.get(key) ?? []), pid]);
    }
    for (const [key, pids] of alike) {
        const [program, advice] = JSON.parse(key);
        const more = pids.length > 4 ? ` and ${pids.length - 4} more` : '';
        lines.push((0,rich/* say */.cv) `${(0,words/* name */.UU)(program, 40)} (pid ${pids.slice(0, 4).join(', ')}${more}) had torch loaded and was not recorded: ${(0,rich/* shorten */.ml)(advice, 300)}`);
    }
    for (const line of manifest.not_seen)
        lines.push([(0,rich/* shorten */.ml)(line, 500)]);
    if (manifest.not_seen.length === 0) {
        for (const process of (0,verdict/* notArmed */.to)(manifest)) {
            if ((0,blind/* isBlind */.iE)({ ...process, torch: process.build }))
                continue;
            lines.push((0,rich/* say */.cv) `${(0,words/* processName */.po)(process)} was not recorded: ${(0,rich/* shorten */.ml)(process.recorder.reason ?? 'its receipt gives no reason', 400)}`);
        }
    }
    if (lines.length > 0 || manifest.processes.length === 0) {
        for (const hint of manifest.script_hints.filter(({ advice }) => !said.includes(advice))) {
            lines.push((0,rich/* say */.cv) `Line ${hint.line} of the step uses ${(0,words/* name */.UU)(hint.what)}: ${(0,rich/* shorten */.ml)(hint.advice, 300)}`);
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
    const rest = more > 0 ? [`${(0,lib_text/* count */.U9)(more, 'other reason')}`] : [];
    return `${(0,lib_text/* count */.U9)(rejected_count, 'name')} not accepted as evidence: ${[...kinds, ...rest].join('; ')}`;
}


/***/ }),

/***/ 6668:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   IS: () => (/* binding */ greenLine),
/* harmony export */   Ne: () => (/* binding */ verdictParagraphs),
/* harmony export */   Qo: () => (/* binding */ hostKillsRich),
/* harmony export */   to: () => (/* binding */ notArmed)
/* harmony export */ });
/* unused harmony exports deviceName, whereRich, askedFor, whoHeld, becauseRich */
/* harmony import */ var _judge_blind_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(439);
/* harmony import */ var _judge_outcomes_js__WEBPACK_IMPORTED_MODULE_8__ = __webpack_require__(9995);
/* harmony import */ var _judge_outside_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(2455);
/* harmony import */ var _judge_verdict_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(9517);
/* harmony import */ var _lib_bytes_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(9079);
/* harmony import */ var _lib_text_js__WEBPACK_IMPORTED_MODULE_9__ = __webpack_require__(4869);
/* harmony import */ var _frames_js__WEBPACK_IMPORTED_MODULE_7__ = __webpack_require__(5385);
/* harmony import */ var _rich_js__WEBPACK_IMPORTED_MODULE_6__ = __webpack_require__(6781);
/* harmony import */ var _story_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(7234);
/* harmony import */ var _words_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(2072);










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
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Nx: () => (/* binding */ capital),
/* harmony export */   UK: () => (/* binding */ lastName),
/* harmony export */   UU: () => (/* binding */ name),
/* harmony export */   cz: () => (/* binding */ rankWords),
/* harmony export */   po: () => (/* binding */ processName),
/* harmony export */   uq: () => (/* binding */ snapshotOwner),
/* harmony export */   zB: () => (/* binding */ MAX_NAME)
/* harmony export */ });
/* harmony import */ var _evidence_names_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(1040);
/* harmony import */ var _lib_text_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(4869);
/* harmony import */ var _rich_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(6781);



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

/***/ 2671:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* unused harmony exports sameProcess, byStart, ownAmong, stepProcesses */
/* harmony import */ var _proc_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(9503);

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
        const marked = () => readEnvironment(pid, root)?.includes(variable) ?? false;
        if (pgid === leader || own.has(ppid) || marked())
            own.add(pid);
    }
    return own;
}
function stepProcesses(mark, all = listProcesses(), root = '/proc') {
    const own = ownAmong(mark, all, undefined, root);
    return all.filter((facts) => isLive(facts) && facts.pid > 1 && facts.pid !== process.pid && own.has(facts.pid));
}


/***/ }),

/***/ 9503:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* unused harmony exports processFacts, listProcesses, isLive, innerPid, effectiveUser, readEnvironment, readArguments, readExecutable, nameProcess, signalProcess */
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3024);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(6760);


function processFacts(pid, root = '/proc') {
    try {
        const stat = readFileSync(`${root}/${pid}/stat`, 'utf8');
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
        names = readdirSync(root);
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
        const line = /^NSpid:.*\s(\d+)$/m.exec(readFileSync(`${root}/${pid}/status`, 'utf8'));
        return line ? Number(line[1]) : pid;
    }
    catch {
        return pid;
    }
}
function effectiveUser(pid, root = '/proc') {
    try {
        const line = /^Uid:\s+\d+\s+(\d+)/m.exec(readFileSync(`${root}/${pid}/status`, 'utf8'));
        return line ? Number(line[1]) : null;
    }
    catch {
        return null;
    }
}
function readEnvironment(pid, root = '/proc') {
    try {
        return readFileSync(`${root}/${pid}/environ`, 'utf8').split('\0');
    }
    catch {
        return null;
    }
}
function readArguments(pid, root = '/proc') {
    try {
        return readFileSync(`${root}/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
    }
    catch {
        return null;
    }
}
function readExecutable(pid, root = '/proc') {
    try {
        return readlinkSync(`${root}/${pid}/exe`);
    }
    catch {
        return null;
    }
}
function nameProcess(pid, root = '/proc') {
    const path = readExecutable(pid, root);
    return { pid, program: path === null ? null : basename(path).slice(0, 80) };
}
function signalProcess(pid, signal) {
    try {
        process.kill(pid, signal);
    }
    catch {
    }
}


/***/ })

};
