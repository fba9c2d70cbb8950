export const id = 75;
export const ids = [75];
export const modules = {

/***/ 8075:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   sourceLine: () => (/* binding */ sourceLine)
/* harmony export */ });
/* harmony import */ var node_crypto__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7598);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(6760);
/* harmony import */ var _lib_text_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(4869);
/* harmony import */ var _step_helper_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(393);
/* harmony import */ var _safe_fs_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(9531);





const MAX_BYTES = 2 * 2 ** 20;
const MAX_TEXT = 160;
const LIMITS = { timeoutMs: 3000, maxBytes: 64 * 1024 };
function isBlob(bytes, id) {
    const hash = (0,node_crypto__WEBPACK_IMPORTED_MODULE_0__.createHash)(id.length === 64 ? 'sha256' : 'sha1');
    return hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex') === id;
}
async function unchanged(dir, name, id) {
    const folder = await (0,_safe_fs_js__WEBPACK_IMPORTED_MODULE_3__/* .openFolder */ .NE)(dir);
    try {
        const opened = await (0,_safe_fs_js__WEBPACK_IMPORTED_MODULE_3__/* .openRegular */ .lf)(folder.path, name);
        if (!opened.ok)
            return null;
        try {
            if (Number(opened.seal.size) > MAX_BYTES)
                return null;
            const bytes = await opened.handle.readFile();
            return isBlob(bytes, id) ? bytes.toString('utf8') : null;
        }
        finally {
            await opened.handle.close();
        }
    }
    finally {
        await folder.close();
    }
}
async function sourceLine(place, run, env) {
    const { file, startLine: line } = place;
    const { workspace, sha, repository } = run;
    if (file === undefined || line === undefined || workspace === null)
        return null;
    if (sha === null || !/^[0-9a-f]{40,64}$/.test(sha))
        return null;
    try {
        const safe = ['-c', 'safe.directory=*', '-c', 'core.fsmonitor=false'];
        const [folder, name] = [(0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(workspace, (0,node_path__WEBPACK_IMPORTED_MODULE_1__.dirname)(file)), file.slice(file.lastIndexOf('/') + 1)];
        const args = ['-C', folder, ...safe, 'ls-tree', '-z', '--full-name', sha, '--', `:(literal)${name}`];
        const listed = await (0,_step_helper_js__WEBPACK_IMPORTED_MODULE_2__/* .runHelper */ .UA)({ file: 'git', args, env }, LIMITS);
        if (listed.kind !== 'ok')
            return null;
        const [, id, tracked = ''] = /^100(?:644|755) blob ([0-9a-f]{40,64})\t([^\0]+)/.exec(listed.stdout) ?? [];
        const text = id === undefined ? null : await unchanged(folder, name, id);
        const found = text?.split(/\r?\n/)[line - 1]?.trim();
        if (!found)
            return null;
        const server = (env['GITHUB_SERVER_URL'] || 'https://github.com').replace(/\/+$/, '');
        const path = tracked.split('/').map(encodeURIComponent).join('/');
        const url = repository === null ? null : `${server}/${repository}/blob/${sha}/${path}#L${line}`;
        return { file, line, text: (0,_lib_text_js__WEBPACK_IMPORTED_MODULE_4__/* .printable */ .g$)(found, MAX_TEXT), url };
    }
    catch {
        return null;
    }
}


/***/ })

};
