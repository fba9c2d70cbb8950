export const id = 25;
export const ids = [25];
export const modules = {

/***/ 1025:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

__webpack_require__.r(__webpack_exports__);
/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   fixtureProblem: () => (/* binding */ fixtureProblem)
/* harmony export */ });
/* harmony import */ var node_crypto__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7598);
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(3024);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(6760);
/* harmony import */ var _lib_text_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(4869);




const LIMIT_BYTES = 32 * 2 ** 20;
const SCHEMA_ID = 'oom-autopsy.fixture.v1';
const SCHEMA_PATH = (0,node_path__WEBPACK_IMPORTED_MODULE_2__.join)(import.meta.dirname, '..', '..', 'schemas', 'fixture.schema.json');
const isMembers = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const typeOf = (value) => value === null
    ? 'null'
    : Array.isArray(value)
        ? 'array'
        : Number.isSafeInteger(value)
            ? 'integer'
            : typeof value;
function shapeProblem(value, given, root, at) {
    const schema = given.$ref === undefined ? given : (root.$defs?.[given.$ref.replace(/^.*\//, '')] ?? given);
    if (schema.oneOf !== undefined) {
        const found = schema.oneOf.map((one) => shapeProblem(value, one, root, at));
        if (found.includes(null))
            return null;
        const depth = (text) => (text.split(' is ')[0] ?? '').split('.').length;
        return found.filter((text) => text !== null).sort((a, b) => depth(b) - depth(a))[0] ?? null;
    }
    if (schema.const !== undefined && value !== schema.const)
        return `${at} is not ${schema.const}`;
    if (schema.enum !== undefined && !schema.enum.includes(value)) {
        return `${at} is none of ${schema.enum.join(', ')}`;
    }
    if (schema.type !== undefined && typeOf(value) !== schema.type)
        return `${at} is no ${schema.type}`;
    if (typeof value === 'string') {
        if (schema.pattern !== undefined && !new RegExp(schema.pattern).test(value)) {
            return `${at} is "${value.slice(0, 60)}"`;
        }
        return value.length > (schema.maxLength ?? value.length)
            ? `${at} is longer than ${schema.maxLength} characters`
            : null;
    }
    if (typeof value === 'number') {
        return value < (schema.minimum ?? value) ? `${at} is below ${schema.minimum}` : null;
    }
    if (isMembers(value))
        return membersProblem(value, schema, root, at);
    if (!Array.isArray(value))
        return null;
    return firstOf(value.entries(), ([index, one]) => shapeProblem(one, schema.items ?? {}, root, `${at}.${index}`));
}
function membersProblem(value, schema, root, at) {
    const missing = schema.required?.find((key) => !Object.hasOwn(value, key));
    if (missing !== undefined)
        return `${at}.${missing} is missing`;
    if (Object.keys(value).length < (schema.minProperties ?? 0))
        return `${at} is empty`;
    const { properties = {}, additionalProperties: rest = true, propertyNames } = schema;
    return firstOf(Object.entries(value), ([key, inner]) => {
        const place = `${at}.${key}`;
        const known = Object.hasOwn(properties, key) ? properties[key] : undefined;
        if ((known === undefined && rest === false) || propertyNames?.enum?.includes(key) === false) {
            return `${place} is not known`;
        }
        return shapeProblem(inner, known ?? (typeof rest === 'object' ? rest : {}), root, place);
    });
}
function firstOf(all, find) {
    for (const one of all) {
        const found = find(one);
        if (found !== null)
            return found;
    }
    return null;
}
function canonical(value) {
    if (Array.isArray(value))
        return `[${value.map(canonical).join(',')}]`;
    if (isMembers(value)) {
        const members = Object.keys(value).sort();
        return `{${members.map((key) => `${canonical(key)}:${canonical(value[key] ?? null)}`).join(',')}}`;
    }
    return JSON.stringify(value).replace(/[\u007f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
function contentProblem(text, path) {
    let value;
    try {
        value = JSON.parse(text);
    }
    catch (error) {
        return `it is no JSON (${(0,_lib_text_js__WEBPACK_IMPORTED_MODULE_3__/* .printable */ .g$)(error.message, 120)}); freeze it again`;
    }
    if (!isMembers(value))
        return 'it is no JSON object; freeze it again';
    const { schema, sha256, ...rest } = value;
    if (schema !== SCHEMA_ID) {
        const later = typeof schema === 'string' && /^oom-autopsy\.fixture\.v([2-9]|[1-9]\d+)$/.test(schema);
        return later
            ? `it has schema ${(0,_lib_text_js__WEBPACK_IMPORTED_MODULE_3__/* .printable */ .g$)(schema, 60)}, a later one than ${SCHEMA_ID}; update the action, or freeze it again with this version`
            : `it has no schema ${SCHEMA_ID}; freeze it again`;
    }
    const digest = (0,node_crypto__WEBPACK_IMPORTED_MODULE_0__.createHash)('sha256')
        .update(canonical({ schema, ...rest }))
        .digest('hex');
    if (sha256 !== digest) {
        return 'it does not match its own sha256: it was edited after it was frozen; freeze it again, or take the file back from git';
    }
    const described = JSON.parse((0,node_fs__WEBPACK_IMPORTED_MODULE_1__.readFileSync)(SCHEMA_PATH, 'utf8'));
    const shape = shapeProblem(value, described, described, '');
    if (shape !== null)
        return `${(0,_lib_text_js__WEBPACK_IMPORTED_MODULE_3__/* .printable */ .g$)(shape.replace(/^\./, ''), 200)}; freeze it again`;
    return scenarioProblem(value, path);
}
function scenarioProblem(fixture, path) {
    const file = fixture['scenario_file'] ?? null;
    const place = isMembers(file) && typeof file['path'] === 'string' ? file['path'] : null;
    if (fixture['built_in'] === true)
        return null;
    if (place === null)
        return 'it names no scenario file; freeze it again';
    const problem = fileProblem((0,node_path__WEBPACK_IMPORTED_MODULE_2__.resolve)((0,node_path__WEBPACK_IMPORTED_MODULE_2__.dirname)(path), place));
    return problem === null
        ? null
        : `its scenario file ${(0,_lib_text_js__WEBPACK_IMPORTED_MODULE_3__/* .printable */ .g$)(place, 120)}: ${problem}; put it back, or freeze the fixture again`;
}
function fileProblem(path) {
    try {
        return (0,node_fs__WEBPACK_IMPORTED_MODULE_1__.statSync)(path).isFile() ? null : 'it is not a file';
    }
    catch (error) {
        const { code, message } = error;
        return code === 'ENOENT' ? 'there is no such file' : (code ?? message);
    }
}
function fixtureProblem(path) {
    const problem = fileProblem(path);
    if (problem !== null)
        return problem;
    try {
        if ((0,node_fs__WEBPACK_IMPORTED_MODULE_1__.statSync)(path).size > LIMIT_BYTES)
            return `it is larger than ${LIMIT_BYTES} bytes; freeze it again`;
        return contentProblem((0,node_fs__WEBPACK_IMPORTED_MODULE_1__.readFileSync)(path, 'utf8'), path);
    }
    catch (error) {
        return `it cannot be read (${error.code ?? (0,_lib_text_js__WEBPACK_IMPORTED_MODULE_3__/* .printable */ .g$)(String(error), 120)})`;
    }
}


/***/ })

};
