export const id = 426;
export const ids = [426];
export const modules = {

/***/ 7426:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

__webpack_require__.r(__webpack_exports__);
/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   amount: () => (/* binding */ amount),
/* harmony export */   parseAmd: () => (/* binding */ parseAmd),
/* harmony export */   parseNvidiaDevices: () => (/* binding */ parseNvidiaDevices),
/* harmony export */   parseNvidiaProcesses: () => (/* binding */ parseNvidiaProcesses),
/* harmony export */   parseRocm: () => (/* binding */ parseRocm),
/* harmony export */   programName: () => (/* binding */ programName)
/* harmony export */ });
/* harmony import */ var _lib_text_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(4869);

const MAX_ENTRIES = 1024;
const MIB = 2 ** 20;
function amount(text, unit) {
    const match = /^([0-9]{1,15}(?:\.[0-9]+)?)\s*(B|KB|KiB|MB|MiB|GB|GiB)?$/.exec(String(text ?? '').trim());
    if (!match)
        return null;
    const units = { B: 1, K: 2 ** 10, M: MIB, G: 2 ** 30 };
    const bytes = Math.round(Number(match[1]) * (match[2] ? (units[match[2].charAt(0)] ?? 1) : unit));
    return Number.isSafeInteger(bytes) ? bytes : null;
}
const whole = (text) => {
    const value = String(text ?? '').trim();
    return /^[0-9]{1,10}$/.test(value) ? Number(value) : null;
};
function programName(text) {
    if (typeof text !== 'string')
        return null;
    const clean = (0,_lib_text_js__WEBPACK_IMPORTED_MODULE_0__/* .cleanText */ .X5)(text, 4096).trim();
    if (clean === '' || /^\[?(n\/a|not (found|supported)|insufficient permissions)\]?$/i.test(clean))
        return null;
    const word = (clean.split(/\s/)[0] ?? '').split(/[\\/]/).at(-1) ?? '';
    return word === '' ? null : (0,_lib_text_js__WEBPACK_IMPORTED_MODULE_0__/* .cleanText */ .X5)(word.replace(/[^\p{L}\p{N}._+@=-]/gu, '_'), 60);
}
const label = (text) => {
    const clean = typeof text === 'string' ? (0,_lib_text_js__WEBPACK_IMPORTED_MODULE_0__/* .cleanText */ .X5)(text, 100).trim() : '';
    return clean === '' || /^\[?n\/a\]?$/i.test(clean) ? null : clean;
};
function parseNvidiaDevices(csv) {
    const devices = [];
    for (const line of csv.split('\n').slice(0, MAX_ENTRIES)) {
        const fields = line.split(',').map((field) => field.trim());
        const index = whole(fields[0]);
        if (index === null || fields.length < 6)
            continue;
        const [total, used, free] = fields.slice(-3).map((field) => amount(field, MIB));
        devices.push({
            index,
            uuid: label(fields[1]),
            name: label(fields.slice(2, -3).join(', ')),
            total: total ?? null,
            used: used ?? null,
            free: free ?? null,
        });
    }
    return devices;
}
function parseNvidiaProcesses(csv, devices) {
    const processes = [];
    for (const line of csv.split('\n').slice(0, MAX_ENTRIES)) {
        const fields = line.split(',').map((field) => field.trim());
        const pid = whole(fields[1]);
        if (pid === null || pid === 0 || fields.length < 4)
            continue;
        processes.push({
            pid,
            name: programName(fields.slice(2, -1).join(',')),
            device: devices.find((d) => d.uuid !== null && d.uuid === fields[0])?.index ?? null,
            used: amount(fields.at(-1), MIB),
        });
    }
    return processes;
}
const isFields = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const json = (text) => {
    try {
        return JSON.parse(text.slice(Math.max(0, text.search(/[[{]/))));
    }
    catch {
        return null;
    }
};
function parseRocm(text) {
    const root = json(text);
    if (!isFields(root))
        return null;
    const devices = [];
    const processes = [];
    for (const [key, value] of Object.entries(root).slice(0, MAX_ENTRIES)) {
        if (!isFields(value))
            continue;
        const card = /^card([0-9]{1,4})$/.exec(key);
        if (card) {
            const total = amount(value['VRAM Total Memory (B)'], 1);
            const used = amount(value['VRAM Total Used Memory (B)'], 1);
            devices.push({
                index: Number(card[1]),
                uuid: label(value['Unique ID']),
                name: label(value['Card Series'] ?? value['Card series'] ?? value['Card Model']),
                total,
                used,
                free: total === null || used === null ? null : Math.max(0, total - used),
            });
        }
        else if (key === 'system') {
            for (const [name, row] of Object.entries(value).slice(0, MAX_ENTRIES)) {
                const pid = whole(/^PID([0-9]+)$/.exec(name)?.[1]);
                if (pid === null || typeof row !== 'string')
                    continue;
                const fields = row.split(',').map((field) => field.trim());
                processes.push({
                    pid,
                    name: programName(fields.slice(0, -4).join(',') || fields[0]),
                    device: null,
                    used: amount(fields.at(-3), 1),
                });
            }
        }
    }
    return devices.length > 0 || processes.length > 0 ? { devices, processes } : null;
}
function amdAmount(value) {
    if (!isFields(value))
        return amount(value, MIB);
    return amount(`${String(value.value)} ${String(value.unit ?? 'MB')}`, MIB);
}
const amdList = (value, ...names) => {
    const list = Array.isArray(value)
        ? value
        : names.map((n) => (isFields(value) ? value[n] : null)).find(Array.isArray);
    return (list ?? []).slice(0, MAX_ENTRIES).filter(isFields);
};
function parseAmd(statics, metric, process) {
    const names = new Map();
    for (const gpu of amdList(json(statics), 'gpu_data')) {
        const index = whole(gpu.gpu);
        if (index !== null && isFields(gpu.asic))
            names.set(index, gpu.asic);
    }
    const devices = [];
    for (const gpu of amdList(json(metric), 'gpu_data')) {
        const index = whole(gpu.gpu);
        const memory = gpu.mem_usage;
        if (index === null || !isFields(memory))
            continue;
        devices.push({
            index,
            uuid: label(names.get(index)?.asic_serial),
            name: label(names.get(index)?.market_name),
            total: amdAmount(memory.total_vram),
            used: amdAmount(memory.used_vram),
            free: amdAmount(memory.free_vram),
        });
    }
    const processes = [];
    for (const gpu of amdList(json(process), 'gpu_data')) {
        for (const entry of amdList(gpu.process_list)) {
            const info = entry.process_info;
            const pid = isFields(info) ? whole(info.pid) : null;
            if (!isFields(info) || pid === null)
                continue;
            const usage = isFields(info.memory_usage) ? info.memory_usage.vram_mem : null;
            processes.push({
                pid,
                name: programName(info.name),
                device: whole(gpu.gpu),
                used: amdAmount(usage ?? info.mem),
            });
        }
    }
    return devices.length > 0 ? { devices, processes } : null;
}


/***/ })

};
