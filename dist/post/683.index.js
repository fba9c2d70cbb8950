export const id = 683;
export const ids = [683];
export const modules = {

/***/ 3683:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  publishReport: () => (/* binding */ publishReport)
});

// UNUSED EXPORTS: viewerFrom

// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
// EXTERNAL MODULE: ./build/lib/files.js
var files = __webpack_require__(3963);
// EXTERNAL MODULE: external "node:crypto"
var external_node_crypto_ = __webpack_require__(7598);
// EXTERNAL MODULE: external "node:util"
var external_node_util_ = __webpack_require__(7975);
// EXTERNAL MODULE: external "node:zlib"
var external_node_zlib_ = __webpack_require__(8522);
// EXTERNAL MODULE: ./build/evidence/digest.js
var evidence_digest = __webpack_require__(3154);
// EXTERNAL MODULE: ./build/evidence/safe-fs.js
var safe_fs = __webpack_require__(9531);
;// CONCATENATED MODULE: ./build/report/page/options.js
const EMBED_LIMIT = 32 * 2 ** 20;
const DEFAULT_VIEWER = {
    url: 'https://cdn.jsdelivr.net/gh/pytorch/pytorch@main/torch/utils/viz/MemoryViz.js',
    origins: ['https://cdn.jsdelivr.net', 'https://cdn.skypack.dev'],
};

;// CONCATENATED MODULE: ./build/report/page/embed.js






const READ_LIMIT = 8 * EMBED_LIMIT;
async function packed(folder, snapshot) {
    const opened = await (0,safe_fs/* openRegular */.lf)(folder, snapshot.file);
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
        const digest = (0,external_node_crypto_.createHash)('sha256').update(bytes).digest('hex');
        return digest === (0,evidence_digest/* bareDigest */.$$)(snapshot.digest) ? await (0,external_node_util_.promisify)(external_node_zlib_.gzip)(bytes) : null;
    }
    finally {
        await opened.handle.close().catch(() => undefined);
    }
}
async function embedSnapshots(evidence, leftOut = [], limit = EMBED_LIMIT) {
    const result = [];
    const withheld = new Set(leftOut.map(({ file }) => file));
    let left = limit;
    try {
        const folder = await (0,safe_fs/* openFolder */.NE)(evidence.dir);
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

// EXTERNAL MODULE: ./build/report/words/process.js
var words_process = __webpack_require__(3784);
// EXTERNAL MODULE: ./build/report/words/unseen.js
var unseen = __webpack_require__(5605);
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
    const viewer = options.viewer === undefined ? DEFAULT_VIEWER : options.viewer;
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
    const limit = embeds ? ` (a page takes ${(0,lib_bytes/* formatBytes */.z)(EMBED_LIMIT)} of them, compressed)` : '';
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
    const viewer = embedded.length === 0 ? null : options.viewer === undefined ? DEFAULT_VIEWER : options.viewer;
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

// EXTERNAL MODULE: ./build/deliver/publish.js + 4 modules
var publish = __webpack_require__(5962);
// EXTERNAL MODULE: ./build/deliver/select.js
var deliver_select = __webpack_require__(8392);
;// CONCATENATED MODULE: ./build/deliver/report.js






const VIEWER_VARIABLE = 'OOM_AUTOPSY_VIEWER_URL';
function viewerFrom(env) {
    const address = env[VIEWER_VARIABLE];
    if (!address)
        return DEFAULT_VIEWER;
    if (address === 'off' || !URL.canParse(address))
        return null;
    const url = new URL(address);
    return /^https?:$/.test(url.protocol) ? { url: url.href, origins: [url.origin] } : null;
}
async function publishReport(request) {
    const { evidence, manifest, artifactName, outputDir, guideUrl, log, ...ports } = request;
    try {
        const html = renderPage(manifest, {
            snapshots: await embedSnapshots({ ...evidence, snapshots: (0,deliver_select/* byValue */.d2)(evidence) }, manifest.published.left_out),
            viewer: viewerFrom(ports.env),
            guideUrl,
        });
        const published = await (0,publish/* publishPage */.X)({
            ...ports,
            html,
            scratch: outputDir,
            name: `${artifactName}.html`,
            step: evidence.step,
        });
        if (published.state === 'uploaded')
            return published.url;
        const path = (0,external_node_path_.join)(outputDir, 'report.html');
        const kept = await (0,files/* writeWhole */.f8)(path, html, ports.makeRoom).then(() => `; it lies at ${path}`, () => '');
        log(`the report page was not uploaded: ${published.reason}${kept}`);
    }
    catch (error) {
        log(`the report page could not be made (${error.message})`);
    }
    return null;
}


/***/ })

};
