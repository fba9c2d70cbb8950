"""Joins the rebuilt view with the oracle, tensor by tensor, when both watched the same step in one process.

The join is structural, by no clock: the profiler records each call of the view's `__torch_dispatch__` as a
Python event, and the blocks allocated below that event carry the profiler's allocation ids. The view's row
says in which of its calls it was made and at which address. So row -> call -> block -> tensor of the oracle,
exactly. What was alive before the session joins by address."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any


class JoinImpossible(Exception):
    """The profiler's events cannot be laid beside the view's calls. The text says why."""

    kind = "crashed"


def _below(events: Any) -> Iterator[Any]:
    stack = list(reversed(list(events)))
    while stack:
        event = stack.pop()
        yield event
        stack.extend(reversed(event.children))


def _is_call_of_the_view(event: Any) -> bool:
    kind, fields = event.typed
    if kind.name != "PyCall":
        return False
    try:
        frame = fields.callsite
        return frame.function_name == "__torch_dispatch__" and frame.file_name.endswith("view.py")
    except UnicodeDecodeError:
        # the profiler's names dangle where the code itself is gone (seen in 2.13.0 in a first step); ours is
        # not
        return False


def blocks_by_call(roots: Any, calls: int) -> list[dict[int, int]]:
    """For each of the view's calls of the window, in order: address -> allocation id of the last block made
    there."""
    found = []
    for event in _below(roots):
        if _is_call_of_the_view(event):
            blocks: dict[int, int] = {}
            for inner in _below(event.children):
                kind, fields = inner.typed
                if kind.name == "Allocation" and fields.alloc_size > 0 and fields.allocation_id is not None:
                    blocks[fields.ptr] = fields.allocation_id
            found.append(blocks)
    if len(found) != calls:
        raise JoinImpossible(f"the profiler saw {len(found)} of the view's {calls} calls")
    return found


def join(window: Any, lives: list[Any], blocks: list[dict[int, int]], first_call: int) -> dict[str, Any]:
    """{rows, oracle_only, view_only, keyed_bytes, joined_bytes, size_mismatches}

    rows: [{from, to, count, bytes}], from = the oracle's category, to = the view's. `first_call`: the view's
    number of the first call in `blocks`, less one."""
    by_allocation = {life.allocation: life for life in lives if not life.before}
    by_pointer = {life.pointer: life for life in lives if life.before}
    at_start = {row for row, _ in window.baseline}
    joined: set[Any] = set()
    count: Counter[tuple[str, str]] = Counter()
    total: Counter[tuple[str, str]] = Counter()
    alone: Counter[tuple[str, str]] = Counter()
    alone_bytes: Counter[tuple[str, str]] = Counter()
    mismatches = 0
    for row, nbytes in window.rows.items():
        if row in at_start or row.seen:
            life = by_pointer.get(row.ptr)
        else:
            life = by_allocation.get(blocks[row.call - first_call - 1].get(row.ptr, -1))
        if life is None or life in joined:
            key = (row.category.value, row.reason.label + (", alive at the start" if row in at_start else ""))
            alone[key] += 1
            alone_bytes[key] += nbytes
            continue
        joined.add(life)
        pair = (life.category, row.category.value)
        count[pair] += 1
        total[pair] += nbytes
        mismatches += life.nbytes != nbytes
    left: Counter[str] = Counter()
    left_bytes: Counter[str] = Counter()
    for life in lives:
        if life not in joined:
            left[life.category] += 1
            left_bytes[life.category] += life.nbytes
    return {
        "rows": [{"from": a, "to": b, "count": count[a, b], "bytes": total[a, b]} for a, b in sorted(count)],
        "oracle_only": [{"category": c, "count": left[c], "bytes": left_bytes[c]} for c in sorted(left)],
        "view_only": [
            {"category": c, "reason": r, "count": alone[c, r], "bytes": alone_bytes[c, r]}
            for c, r in sorted(alone)
        ],
        "keyed_bytes": sum(life.nbytes for life in lives),
        "joined_bytes": sum(life.nbytes for life in joined),
        "size_mismatches": mismatches,
    }
