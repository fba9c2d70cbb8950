"""The migration table, summed and said: where each of the oracle's categories went in the rebuilt view. Pure.

Every number in a sentence is one that was measured in that scenario; no constant is quoted.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

INFERRED = ("AUTOGRAD_DETAIL", "TEMPORARY")


def _bytes(n: int) -> str:
    return f"{n:,} B" if n < 2**20 else f"{n / 2**20:,.2f} MiB" if n < 2**30 else f"{n / 2**30:,.2f} GiB"


def summed(tables: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of all scenarios together, largest first within each of the oracle's categories."""
    count: Counter[tuple[str, str]] = Counter()
    total: Counter[tuple[str, str]] = Counter()
    for table in tables:
        for row in table["rows"]:
            count[row["from"], row["to"]] += row["count"]
            total[row["from"], row["to"]] += row["bytes"]
    pairs = sorted(count, key=lambda p: (p[0], -total[p], p[1]))
    return [{"from": a, "to": b, "count": count[a, b], "bytes": total[a, b]} for a, b in pairs]


def _places(rows: list[dict[str, Any]], category: str) -> str:
    found = sorted((r for r in rows if r["from"] == category), key=lambda r: -r["bytes"])
    return " and ".join(f"{r['to']} ({r['count']} tensors, {_bytes(r['bytes'])})" for r in found)


def line(name: str, table: dict[str, Any], alone: dict[str, int] | None) -> str:
    """One scenario in a sentence or two: how much joined, how much the oracle infers, where that went, and
    which total is larger, by how much, and why. `alone`: the oracle's bytes by category in a process without
    the view (beside it, TEMPORARY grows)."""
    keyed, joined = table["keyed_bytes"], table["joined_bytes"]
    said = [
        f"{name}: {100 * joined / keyed if keyed else 100:.2f} % of the oracle's {_bytes(keyed)} joined, "
        + (f"{table['size_mismatches']} sizes differ" if table["size_mismatches"] else "no size differs")
    ]
    total = sum(n for category, n in (alone or {}).items() if category != "UNKEYED")
    if alone and total:
        inferred = sum(alone.get(category, 0) for category in INFERRED)
        said.append(
            f"{100 * inferred / total:.1f} % of its bytes are inferences (AUTOGRAD_DETAIL, TEMPORARY)"
        )
    for category in INFERRED:
        places = _places(table["rows"], category)
        if places:
            said.append(f"{category} went to {places}")
    oracle_only = sum(r["bytes"] for r in table["oracle_only"])
    view_only = sum(r["bytes"] for r in table["view_only"])
    if view_only > oracle_only:
        said.append(f"the view's total is {_bytes(view_only - oracle_only)} larger: {_why(table)}")
    elif view_only < oracle_only:
        said.append(f"the view's total is {_bytes(oracle_only - view_only)} smaller: {_why(table)}")
    else:
        said.append("the totals are equal")
    return "; ".join(said) + "."


def _why(table: dict[str, Any]) -> str:
    parts = [
        f"the view alone saw {r['count']} of {r['category']} ({r['reason']}, {_bytes(r['bytes'])})"
        for r in sorted(table["view_only"], key=lambda r: -r["bytes"])[:3]
    ]
    parts += [
        (
            f"the oracle alone saw {r['count']} of {r['category']} ({_bytes(r['bytes'])}, never an "
            f"operation's output or shown to a hook)"
        )
        for r in sorted(table["oracle_only"], key=lambda r: -r["bytes"])[:3]
    ]
    return ", ".join(parts)
