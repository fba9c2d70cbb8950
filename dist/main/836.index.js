export const id = 836;
export const ids = [836];
export const modules = {

/***/ 5836:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

__webpack_require__.r(__webpack_exports__);
/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   fingerprintOf: () => (/* binding */ fingerprintOf)
/* harmony export */ });
/* harmony import */ var _lib_random_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(9905);
/* harmony import */ var _report_frames_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(5385);
/* harmony import */ var _report_story_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(7234);



function largestOwner({ oom }) {
    const categories = Object.values((0,_report_story_js__WEBPACK_IMPORTED_MODULE_1__/* .censusOf */ .RB)(oom.census, oom.device)?.categories ?? {});
    const owners = categories.flatMap((category) => category?.owners ?? []);
    return owners.sort((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1))[0]?.name ?? '';
}
function fingerprintOf(manifest) {
    const { workspace } = manifest.step;
    const story = (0,_report_story_js__WEBPACK_IMPORTED_MODULE_1__/* .mainStory */ .dE)(manifest);
    const outside = manifest.processes.find(({ end }) => end?.outside_oom?.certain)?.end;
    const beside = outside?.outside_oom && !story?.fatal ? outside : null;
    if (story === null && beside === null)
        return '';
    const frame = beside ? beside.at : story && (0,_report_story_js__WEBPACK_IMPORTED_MODULE_1__/* .tellingStack */ .A)(story.oom, workspace).frame;
    const facts = [
        beside?.outside_oom?.kind ?? 'allocator',
        frame ? (0,_report_frames_js__WEBPACK_IMPORTED_MODULE_2__/* .placeOf */ .$t)({ ...frame, line: 0 }, workspace) : '',
        frame?.function ?? '',
        beside || story === null ? '' : largestOwner(story),
    ];
    return (0,_lib_random_js__WEBPACK_IMPORTED_MODULE_0__/* .lazyCrypto */ .y)().createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 12);
}


/***/ })

};
