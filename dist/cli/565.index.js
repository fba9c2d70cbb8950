export const id = 565;
export const ids = [565];
export const modules = {

/***/ 8565:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   forTerminal: () => (/* binding */ forTerminal)
/* harmony export */ });
/* harmony import */ var _lib_text_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(4869);

const SKIPPED = /^Download it, check its digest/;
const ALONE = /^\*\*(Snapshots|Evidence)\*\*$/;
const OPENED = /^(Where the program stood|What else the numbers suggest)/;
const WIDE = /\p{Emoji_Presentation}/gu;
const ESCAPE = String.fromCharCode(27);
const STYLES = new RegExp(`${ESCAPE}\\[[0-9]+m`, 'g');
const widthOf = (text) => {
    const bare = text.replace(STYLES, '');
    return [...bare].length + (bare.match(WIDE)?.length ?? 0);
};
const ENTITIES = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' };
const plain = (text) => (0,_lib_text_js__WEBPACK_IMPORTED_MODULE_0__/* .cleanText */ .X5)(text
    .replace(/<[^>]*>/g, '')
    .replace(/\\([\\`*[\]|~_+#=.)-])/g, '$1')
    .replace(/&(?:#([0-9]{1,7})|([a-z]+));/g, (all, code, name) => code ? String.fromCodePoint(Math.min(Number(code), 0x10ffff)) : (ENTITIES[name] ?? all))
    .replaceAll('\u2060', ''), 10_000);
function inline(markdown, { styled }) {
    const bold = (text) => (styled ? `${ESCAPE}[1m${text}${ESCAPE}[22m` : text);
    return markdown
        .split(/((?<!\\)`[^`]+`)/)
        .map((part) => {
        if (/^`[^`]+`$/.test(part))
            return (0,_lib_text_js__WEBPACK_IMPORTED_MODULE_0__/* .cleanText */ .X5)(part.slice(1, -1), 10_000);
        return part
            .replace(/(?<!\\)\[((?:[^\]\\]|\\.)*)\]\([^)]*\)/g, '$1')
            .split(/(?<!\\)\*\*|<\/?b>/)
            .map((text, i, all) => (i % 2 === 1 && i < all.length - 1 ? bold(plain(text)) : plain(text)))
            .join('');
    })
        .join('');
}
function wrapped(text, width, indent = '') {
    const lines = [];
    let line = '';
    for (const word of text.split(' ')) {
        const longer = line === '' ? word : `${line} ${word}`;
        if (line !== '' && widthOf(longer) > width) {
            lines.push(line);
            line = word;
        }
        else
            line = longer;
    }
    return [...lines, line].join(`\n${indent}`);
}
const cellsOf = (row) => row.replace(/^\| ?| ?\|$/g, '').split(/(?<!\\) ?\| ?/);
function table(rows, look) {
    const [head = '', rule = '', ...body] = rows;
    const right = cellsOf(rule).map((cell) => cell.trim().endsWith(':'));
    const cells = [head, ...body].map((row) => {
        const [first = '', ...others] = cellsOf(row);
        const [start = '', ...below] = first.split('<br>');
        const columns = [start, ...others].map((cell) => inline(cell.trim(), look));
        return { columns, below: below.map((line) => inline(line.trim(), look)) };
    });
    const alone = (columns) => columns.slice(1).every((cell) => cell === '');
    const measured = cells.filter(({ columns }) => right.length === 1 || !alone(columns));
    const widths = right.map((_, i) => Math.max(0, ...measured.map(({ columns }) => widthOf(columns[i] ?? ''))));
    const before = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0);
    const last = Math.max(24, look.width - before);
    return cells
        .flatMap(({ columns, below }) => {
        const line = widths.map((width, i) => {
            const cell = columns[i] ?? '';
            if (i === widths.length - 1 && !right[i])
                return wrapped(cell, last, ' '.repeat(before));
            const pad = ' '.repeat(Math.max(0, width - widthOf(cell)));
            return right[i] ? pad + cell : cell + pad;
        });
        return [
            alone(columns) ? wrapped(columns[0] ?? '', look.width) : line.join('  ').trimEnd(),
            ...below.map((text) => `   ${wrapped(text, look.width - 3, '   ')}`),
        ];
    })
        .join('\n');
}
function forTerminal(summary, look) {
    const lines = summary.split('\n');
    const shown = [];
    const push = (...texts) => void shown.push(...texts);
    for (let at = 0; at < lines.length; at++) {
        const line = lines[at];
        const [, unfolded, title] = /^<details( open)?><summary>(.*)<\/summary>$/.exec(line) ?? [];
        const open = unfolded !== undefined || OPENED.test(title ?? '');
        if (title !== undefined) {
            if (!SKIPPED.test(title))
                push(wrapped(inline(open ? title : `▸ ${title}${look.page ? ' (in the report)' : ''}`, look), look.width));
            if (!open)
                while (at < lines.length && lines[at] !== '</details>')
                    at++;
        }
        else if (/^(`{3,})/.test(line)) {
            const fence = /^`+/.exec(line)?.[0] ?? '```';
            for (at++; at < lines.length && lines[at] !== fence; at++)
                push(`  ${(0,_lib_text_js__WEBPACK_IMPORTED_MODULE_0__/* .cleanText */ .X5)(lines[at], 10_000)}`);
        }
        else if (line.startsWith('| ')) {
            const rows = [];
            while (lines[at]?.startsWith('| '))
                rows.push(lines[at++]);
            at--;
            push(table(rows, look));
        }
        else if (line === '</details>' || ALONE.test(line))
            continue;
        else if (line.startsWith('#'))
            push(inline(`**${line.replace(/^#+ /, '')}**`, look));
        else if (line.startsWith('- '))
            push(`- ${wrapped(inline(line.slice(2), look), look.width - 2, '  ')}`);
        else
            for (const part of line.split('<br>'))
                push(wrapped(inline(part.replace(/^> /, ''), look), look.width));
    }
    return `${shown
        .join('\n')
        .replace(/\n{3,}/g, '\n\n')
        .replaceAll('\u00a0', ' ')
        .trim()}\n`;
}


/***/ })

};
