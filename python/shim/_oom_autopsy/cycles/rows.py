"""The account of reference cycles that goes into the receipt: one row for each kind of cycle, however often it was seen.

Plain dicts in the form of the receipt's schema; bytes are bytes as the allocator rounds them. Numbers add up: over the
cycles of a kind, over the looks of a process, and over the processes of a step.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

MAX_KINDS = 50
MAX_TYPES = 8
MAX_FRAMES = 5
MAX_GRAPHS = 8  # kinds whose graph goes into the receipt, about 2 KiB each
_MAX_DROPPED = 10_000


class Account:
    """What has been seen so far. Rows by cycle id; the first MAX_KINDS kinds keep their rows, later ones are counted."""

    def __init__(self) -> None:
        self.rows: dict[str, dict[str, Any]] = {}
        self.dropped: set[str] = set()
        self.tensors = 0
        self.bytes: Counter = Counter()

    def add(self, cycle: Any, frames: dict) -> bool:
        """Adds one `cycles_graph.Cycle`; frames: {address: [{"filename", "line", "name"}]}. True where its kind is new."""
        held: Counter = Counter()
        for storage in cycle.storages:
            held[storage.device] += storage.bytes
        self.tensors += cycle.tensors
        self.bytes.update(held)
        row = self.rows.get(cycle.shape)
        if row is None:
            if len(self.rows) >= MAX_KINDS:
                if len(self.dropped) < _MAX_DROPPED:
                    self.dropped.add(cycle.shape)
                return False
            row = self.rows[cycle.shape] = {
                "seen": 0,
                "size": 0,
                "types": Counter(),
                "tensors": 0,
                "bytes": Counter(),
                "frames": Counter(),
            }
        new = not row["seen"]
        row["seen"] += 1
        row["tensors"] += cycle.tensors
        row["bytes"].update(held)
        if cycle.size > row["size"]:  # of a kind with many sizes, the largest is described
            row["size"], row["types"] = cycle.size, cycle.types
        for storage in cycle.storages:
            place = allocated_at(frames.get(storage.address, ()))
            if place is not None and (place in row["frames"] or len(row["frames"]) < 100):
                row["frames"][place] += 1
        return new

    def as_json(self, pictures: dict | None = None) -> dict:
        """{count, tensors, bytes, cycles, cycles_dropped} of the receipt; the row with the most bytes first.

        pictures: {cycle id: cycles_graph.Picture} for the graphs of the first rows."""
        rows = [_row_json(shape, row) for shape, row in self.rows.items()]
        rows.sort(key=lambda row: (-sum(row["bytes"].values()), row["id"]))
        for row in rows[:MAX_GRAPHS]:
            row["graph"] = _graph_json((pictures or {}).get(row["id"]))
        return {
            "count": len(self.rows) + len(self.dropped),
            "tensors": self.tensors,
            "bytes": dict(sorted(self.bytes.items())),
            "cycles": rows,
            "cycles_dropped": len(self.dropped),
        }


def _row_json(shape: str, row: dict) -> dict:
    return {
        "id": shape,
        "seen": row["seen"],
        "size": row["size"],
        "types": [{"name": name, "count": count} for name, count in _most(row["types"], MAX_TYPES)],
        "tensors": row["tensors"],
        "bytes": dict(sorted(row["bytes"].items())),
        "frames": [
            {"file": file, "line": line, "function": function, "count": count}
            for (file, line, function), count in _most(row["frames"], MAX_FRAMES)
        ],
        "graph": None,
    }


def _graph_json(picture: Any) -> dict | None:
    """A closed path through the cycle and what hangs on it. `label`: the reference to the next of the ring, or the
    reference by which an object of a path is held; "" where it has no name."""
    if picture is None:
        return None
    return {
        "ring": [{"name": name, "label": label} for name, label in picture.ring],
        "ring_cut": picture.ring_cut,
        "held": [
            {
                "at": at,
                "path": [{"label": label, "name": name} for label, name in steps],
                "bytes": size,
                "device": device,
            }
            for at, steps, size, device in picture.held
        ],
        "held_cut": max(0, picture.held_cut),
    }


def _most(counter: Counter, limit: int) -> list:
    """The most frequent, ties by name, so that two processes say the same."""
    return sorted(counter.items(), key=lambda item: (-item[1], item[0]))[:limit]


def allocated_at(frames: Any) -> Any:
    """(file, line, function) that a reader would look at first: the innermost Python frame outside torch; None without."""
    python = [f for f in frames if str(f.get("filename", "")).endswith((".py", ">"))]
    outside = [f for f in python if f"{os.sep}torch{os.sep}" not in f["filename"]]
    for frame in (outside or python)[:1]:
        return _line(frame["filename"], 300), int(frame.get("line", 0)), _line(frame.get("name", "?"), 100)
    return None


def _line(text: Any, limit: int) -> str:
    return "".join(c if c.isprintable() else "?" for c in str(text))[:limit]
