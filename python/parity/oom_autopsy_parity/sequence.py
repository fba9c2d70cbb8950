"""Event sequences: their canonical order, and the first place where two of them part. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .oracle import UNKEYED


def canonical(events: Iterable[str]) -> list[str]:
    """Sorts each run of deaths with nothing between them.

    Such deaths have no order that a program could notice, and autocast's cache is emptied in the order of
    addresses (measured:
    the one difference between torch 2.13.0 and 2.14.1 over all scenarios).
    """
    out: list[str] = []
    run: list[str] = []
    for event in events:
        if event.startswith("- "):
            run.append(event)
            continue
        out += sorted(run)
        out.append(event)
        run = []
    return out + sorted(run)


def keyed(events: Iterable[str]) -> list[str]:
    """The events of tensors, in canonical order. Blocks without one are kernels' workspaces: they have no
    category, and they move with the processor (measured: 564 to 474 in one step when oneDNN was held to
    SSE4.1)."""
    return canonical(event for event in events if f" {UNKEYED} " not in event)


def without_unkeyed(counts: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in counts.items() if key != UNKEYED}


def first_difference(frozen: list[str], now: list[str]) -> dict[str, Any] | None:
    """{what, fixture, now} of the first event that differs; None when all are equal."""
    for index, (a, b) in enumerate(zip(frozen, now)):
        if a != b:
            return {"what": f"event {index + 1} of {len(frozen)}", "fixture": a, "now": b}
    if len(frozen) != len(now):
        index = min(len(frozen), len(now))
        return {
            "what": f"event {index + 1} of {len(frozen)}",
            "fixture": frozen[index] if index < len(frozen) else "(no more events)",
            "now": now[index] if index < len(now) else "(no more events)",
        }
    return None
