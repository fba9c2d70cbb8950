"""The page about one process's reference cycles: one self-contained HTML file, at most 200 KB.

It holds type names, attribute names, byte counts, and the places in code where memory was allocated; no value of the
user's program, no script, and nothing from another host. The pictures are inline SVG, drawn from `cycles_graph.Picture`.
"""

from __future__ import annotations

import html

from .rings import Picture

MAX_BYTES = 200_000

_ROW = 46  # distance of two boxes, top to top, in px
_BOX = 26
_CHAR = 7.3  # advance of one monospace character at 12 px
_LEFT = 40  # room for the edge that closes the ring

_STYLE = """
:root{color-scheme:light dark;--ink:#1f2328;--soft:#59636e;--line:#d1d9e0;--paper:#fff;--box:#f6f8fa;--hold:#ffebe9;--edge:#cf222e}
@media(prefers-color-scheme:dark){:root{--ink:#f0f6fc;--soft:#9198a1;--line:#3d444d;--paper:#0d1117;--box:#151b23;--hold:#3c1618;--edge:#f85149}}
body{font:14px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:1100px;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:4px 10px;border-bottom:1px solid var(--line);vertical-align:top}
td.n,th.n{text-align:right;white-space:nowrap}code,svg text{font:12px ui-monospace,monospace}section{margin:2.5rem 0}
.soft{color:var(--soft)}.wide{overflow-x:auto}svg text{fill:var(--ink)}svg .label{fill:var(--soft)}
svg rect{fill:var(--box);stroke:var(--line)}svg rect.hold{fill:var(--hold);stroke:var(--edge)}svg path{fill:none;stroke:var(--soft)}
svg path.back{stroke:var(--edge)}svg marker path{fill:var(--soft);stroke:none}
""".strip()


def render(summary: dict, pictures: dict, title: str) -> str:
    """The page. summary: Cycles JSON; pictures: {cycle id: Picture}; title: names the process.

    Where the page would be larger than MAX_BYTES, the sections of the smallest cycles are left out; their rows stay."""
    rows = summary["cycles"]
    shown = len(rows)
    while True:
        page = _page(summary, pictures, title, shown)
        if len(page.encode()) <= MAX_BYTES or not shown:
            return page
        shown -= max(1, shown // 8)


def _page(summary: dict, pictures: dict, title: str, shown: int) -> str:
    rows = summary["cycles"]
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width,initial-scale=1">',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        f"<title>Reference cycles: {_e(title)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>Reference cycles that held GPU memory</h1><p>{_e(title)}</p>",
        f"<p>{_e(_headline(summary))}</p>",
        '<p class="soft">An object in a reference cycle is not freed when the last name for it goes, but at some later '
        "garbage collection; GPU memory that it holds stays allocated until then. Break the cycle: clear one of the "
        "red references when the object is done, or make it a weakref. Names below are types and attributes; no value "
        "of the program is on this page.</p>",
    ]
    if rows:
        parts.append(
            '<div class="wide"><table><tr><th>cycle</th><th class="n">seen</th><th class="n">tensors</th>'
        )
        parts.append('<th class="n">memory</th><th>types on the cycle</th><th>tensors allocated at</th></tr>')
        parts.extend(_table_row(row, linked=index < shown) for index, row in enumerate(rows))
        parts.append("</table></div>")
    if summary["cycles_dropped"]:
        parts.append(f'<p class="soft">{summary["cycles_dropped"]:,} more kinds of cycle are not listed.</p>')
    if shown < len(rows):
        parts.append(
            f'<p class="soft">The pictures of the last {len(rows) - shown:,} are left out to keep the page small.</p>'
        )
    for row in rows[:shown]:
        parts.append(_section(row, pictures.get(row["id"])))
    parts.append("</body></html>\n")
    return "".join(parts)


def _headline(summary: dict) -> str:
    if not summary["count"]:
        return f"None was found in {_count(summary['looks'], 'look')}."
    held = ", ".join(f"{size(amount)} on {device}" for device, amount in sorted(summary["bytes"].items()))
    return (
        f"{_count(summary['count'], 'kind')} of cycle held {_count(summary['tensors'], 'tensor')}, {held}, "
        f"added up over {_count(summary['looks'], 'look')}."
    )


def _table_row(row: dict, linked: bool) -> str:
    types = ", ".join(
        f"<code>{_e(t['name'])}</code>" + (f" ×{t['count']}" if t["count"] > 1 else "") for t in row["types"]
    )
    frames = (
        "<br>".join(f"<code>{_e(place(f))}</code>" for f in row["frames"][:3])
        or '<span class="soft">not known</span>'
    )
    held = "<br>".join(f"{size(amount)} {_e(device)}" for device, amount in sorted(row["bytes"].items()))
    name = f'<a href="#c{row["id"]}"><code>{row["id"]}</code></a>' if linked else f"<code>{row['id']}</code>"
    return (
        f'<tr><td>{name}</td><td class="n">{row["seen"]:,}</td><td class="n">{row["tensors"]:,}</td>'
        f'<td class="n">{held}</td><td>{types}</td><td>{frames}</td></tr>'
    )


def _section(row: dict, picture: Picture | None) -> str:
    parts = [f'<section id="c{row["id"]}"><h2><code>{row["id"]}</code></h2>']
    if picture is not None:
        parts.append(f'<div class="wide">{draw(picture)}</div>')
        if picture.ring_cut:
            parts.append(f'<p class="soft">{_count(picture.ring_cut, "object")} more on the way round.</p>')
        if picture.held_cut > 0:
            parts.append(
                f'<p class="soft">{_count(picture.held_cut, "tensor")} more held the first time it was seen.</p>'
            )
    if row["frames"]:
        parts.append("<p>Its tensors were allocated at</p><ul>")
        parts.extend(f"<li><code>{_e(place(f))}</code> ×{f['count']:,}</li>" for f in row["frames"])
        parts.append("</ul>")
    parts.append("</section>")
    return "".join(parts)


def draw(picture: Picture) -> str:
    """The ring as a column of boxes, closed by an edge at its left; what it holds to the right, a row for each tensor."""
    names = [name for name, _ in picture.ring]
    column = max(map(_width, names))
    boxes, edges = [], []
    last = len(names) - 1
    for index, (name, label) in enumerate(picture.ring):
        y = index * _ROW + 2
        boxes.append(_box(_LEFT, y, name, _width(name), held=False))
        middle = y + _BOX / 2
        if index < last:
            edges.append(
                f'<path class="back" d="M{_LEFT + 16} {y + _BOX}v{_ROW - _BOX - 1}" marker-end="url(#a)"/>'
            )
            edges.append(_label(_LEFT + 24, y + _BOX + 14, label))
        else:
            edges.append(
                f'<path class="back" d="M{_LEFT} {middle}H12V{2 + _BOX / 2}H{_LEFT - 1}" marker-end="url(#a)"/>'
            )
            edges.append(_label(_LEFT + 24, y + _BOX + 14, label + " ↑" if label else "↑"))
    used = 0
    width = _LEFT + column + 20
    for start, steps, amount, device in picture.held:
        y = max(start, used) * _ROW + 2
        used = y // _ROW + 1
        x = _LEFT + _width(names[start])
        from_y = start * _ROW + 2 + _BOX / 2
        for number, (label, name) in enumerate(steps):
            final = number == len(steps) - 1
            text = f"{name}  {size(amount)} {device}" if final else name
            turn = _LEFT + column + 14 if not number else x + 8
            to = turn + max(40, len(label) * _CHAR + 16)
            edges.append(
                f'<path d="M{x:.0f} {from_y}H{turn:.0f}V{y + _BOX / 2}H{to - 1:.0f}" marker-end="url(#a)"/>'
            )
            edges.append(_label(turn + 6, y + _BOX / 2 - 5, label))
            boxes.append(_box(to, y, text, _width(text), held=final))
            x, from_y = to + _width(text), y + _BOX / 2
        width = max(width, x + 10)
    height = max(len(names), used) * _ROW + 8
    arrow = '<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>'
    return (
        f'<svg role="img" aria-label="{_e(_spoken(picture))}" width="{width:.0f}" height="{height}" '
        f'viewBox="0 0 {width:.0f} {height}">{arrow}{"".join(edges)}{"".join(boxes)}</svg>'
    )


def _spoken(picture: Picture) -> str:
    way = "".join(f"{name} {label or 'to'} " for name, label in picture.ring)
    return f"{way}{picture.ring[0][0]}"


def _width(text: str) -> float:
    return len(text) * _CHAR + 16


def _box(x: float, y: float, text: str, width: float, held: bool) -> str:
    kind = ' class="hold"' if held else ""
    return f'<rect{kind} x="{x:.0f}" y="{y}" width="{width:.0f}" height="{_BOX}" rx="5"/><text x="{x + 8:.0f}" y="{y + 17}">{_e(text)}</text>'


def _label(x: float, y: float, text: str) -> str:
    return f'<text class="label" x="{x:.0f}" y="{y:.0f}">{_e(text)}</text>' if text else ""


def size(amount: int) -> str:
    """Bytes in the unit that leaves at least one digit before the point; GiB = 2^30."""
    value = float(amount)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024 or unit == "GiB":
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    raise AssertionError


def place(frame: dict) -> str:
    """`file:line function` of a frame."""
    return f"{frame['file']}:{frame['line']} {frame['function']}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def _e(text: str) -> str:
    return html.escape(str(text), quote=True)
