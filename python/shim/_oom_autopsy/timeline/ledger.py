"""The ledger of the rebuilt memory view: which storages lived, as what, how large, in which order. Pure: no
torch.

The vocabulary of the view is here and nowhere else. A `Category` is one of six observed facts; a `Reason` is
the observation itself and implies its category, so a row cannot carry one without the other. torch's own
categorizer also infers TEMPORARY and AUTOGRAD_DETAIL; those words do not exist in these types, so no code
here can say them (`__tests__/parity` proves it).

Bytes everywhere. The order of events is the order of `Ledger.events`, a list that is only ever appended to:
`list.append` is atomic, so storages that die on another thread, or in the middle of a garbage collection,
need no lock (a lock taken inside a weakref callback can deadlock with the code it interrupted)."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Iterator
from typing import Any


class Category(enum.Enum):
    """What a storage was observed to be. Six facts; anything not observed is `UNKNOWN`, with a reason."""

    PARAMETER = "parameter"
    GRADIENT = "gradient"
    INPUT = "input"
    ACTIVATION = "activation"
    OPTIMIZER_STATE = "optimizer_state"
    UNKNOWN = "unknown"


CATEGORIES: tuple[str, ...] = tuple(c.value for c in Category)


class Reason(enum.Enum):
    """The observation behind a row. The value is (name in reports, the category that it implies)."""

    MODULE_PARAMETER = ("module_parameter", Category.PARAMETER)
    OPTIMIZER_PARAMETER = ("optimizer_parameter", Category.PARAMETER)
    GRAD_ACCUMULATED = ("grad_after_accumulation", Category.GRADIENT)
    GRAD_AT_STEP = ("grad_at_optimizer_step", Category.GRADIENT)
    OPTIMIZER_STATE = ("optimizer_state_after_step", Category.OPTIMIZER_STATE)
    MODULE_ARGUMENT = ("outermost_module_argument", Category.INPUT)
    OUTPUT_IN_FORWARD = ("op_output_in_module_forward", Category.ACTIVATION)
    OUTPUT_IN_RECOMPUTE = ("op_output_in_module_forward_inside_backward", Category.ACTIVATION)
    OUTPUT_NEEDS_GRAD = ("op_output_of_input_that_requires_grad", Category.ACTIVATION)
    OUTPUT_IN_BACKWARD = ("op_output_in_backward", Category.UNKNOWN)
    OUTPUT_IN_OPTIMIZER = ("op_output_in_optimizer_step", Category.UNKNOWN)
    OUTPUT_OUTSIDE = ("op_output_outside_modules", Category.UNKNOWN)
    MODULE_BUFFER = ("module_buffer", Category.UNKNOWN)

    def __init__(self, label: str, category: Category) -> None:
        self.label = label
        self.category = category


# A storage can be observed more than once (a gradient is first an op's output in backward). The observation
# that says most about its role wins, whatever the order in which they were made.
_WEIGHT = {
    Category.PARAMETER: 5,
    Category.OPTIMIZER_STATE: 4,
    Category.GRADIENT: 3,
    Category.INPUT: 2,
    Category.ACTIVATION: 1,
    Category.UNKNOWN: 0,
}

SEEN, ALLOC, FREE, RESIZE = "=", "+", "-", "~"


class Row:
    """One storage, from the first sight of it to its death. `nbytes` is its present size."""

    __slots__ = ("call", "device", "nbytes", "phase", "ptr", "reason", "seen")

    def __init__(
        self,
        reason: Reason,
        nbytes: int,
        device: Any,
        seen: bool,
        phase: str = "",
        ptr: int = 0,
        call: int = 0,
    ) -> None:
        self.reason = reason
        self.nbytes = nbytes
        self.device = device
        self.seen = seen  # True: it existed before anything of ours saw it made
        self.phase = phase
        self.ptr = ptr  # data pointer, kept only for the join with the oracle; 0 otherwise
        self.call = call  # number of the dispatched op that made it; 0 when it was not seen being made

    @property
    def category(self) -> Category:
        return self.reason.category


Event = tuple[str, Row, int]
"""(kind, row, bytes): kind is SEEN, ALLOC, FREE (bytes that the row had) or RESIZE (signed difference)."""


def better(old: Reason, new: Reason, *, seen: bool) -> Reason:
    """The reason that a row keeps after a second observation. `seen`: the row was not seen being made.

    A tensor that a module receives is an input unless it was seen being made as something else: an op's output inside a
    forward, a backward or an optimizer's step stays what it was observed as, also when it is handed to the next module
    (a loss module)."""
    if new is Reason.MODULE_ARGUMENT and not (seen or old is Reason.OUTPUT_OUTSIDE):
        return old
    return new if _WEIGHT[new.category] > _WEIGHT[old.category] else old


class Ledger:
    """The ordered account. Written by the recorder (view.py); read by `window` and what builds on it."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def position(self) -> int:
        """Where the account stands now: pass it to `window` as `since` to leave out what came before."""
        return len(self.events)

    def window(self, since: int = 0, until: int | None = None) -> Window:
        return Window(self.events[: len(self.events) if until is None else until], since)


def _moves(events: list[Event]) -> Iterator[tuple[int, str, Row, int]]:
    """(index, kind, row, signed bytes) of each event that moves bytes."""
    for index, (kind, row, nbytes) in enumerate(events):
        if nbytes:
            yield index, kind, row, -nbytes if kind == FREE else nbytes


class Window:
    """The account from event `since` on: what was alive when it began, what came and went, and the peak.

    Categories are those that the rows ended with: a storage that became a gradient was a gradient all along.
    """

    def __init__(self, events: list[Event], since: int) -> None:
        held: dict[Row, int] = {}
        self.baseline: list[tuple[Row, int]] = []
        self.moves: list[tuple[str, Row, int]] = []  # (kind, row, signed bytes) inside the window
        self.positions: list[int] = []  # of each move: its index in the ledger
        largest: dict[Row, int] = {}
        for index, kind, row, delta in _moves(events):
            if index < since:
                held[row] = held.get(row, 0) + delta
                if kind == FREE:
                    del held[row]
            else:
                if not self.moves and not self.baseline and held:
                    self._open(held, largest)
                self.moves.append((kind, row, delta))
                self.positions.append(index)
                held[row] = held.get(row, 0) + delta
                largest[row] = max(largest.get(row, 0), held[row])
        if not self.moves and held:
            self._open(held, largest)
        self.rows: dict[Row, int] = largest  # every row of the window, with the most bytes that it held in it

    def _open(self, held: dict[Row, int], largest: dict[Row, int]) -> None:
        self.baseline = list(held.items())
        largest.update(held)

    def counts(self) -> dict[str, int]:
        return _sorted(Counter(row.category.value for row in self.rows))

    def bytes(self) -> dict[str, int]:
        total: Counter[str] = Counter()
        for row, nbytes in self.rows.items():
            total[row.category.value] += nbytes
        return _sorted(total)

    def reasons(self) -> dict[str, dict[str, int]]:
        """label of the reason -> {count, bytes}"""
        out: dict[str, dict[str, int]] = {}
        for row, nbytes in self.rows.items():
            entry = out.setdefault(row.reason.label, {"bytes": 0, "count": 0})
            entry["count"] += 1
            entry["bytes"] += nbytes
        return {k: out[k] for k in sorted(out)}

    def sequence(self) -> list[str]:
        """Every event of the window as `<kind> <category> <bytes>`; what was alive at its start comes first,
        as `=`."""
        lines = [f"{SEEN} {row.category.value} {nbytes}" for row, nbytes in self.baseline]
        lines += [
            f"{kind} {row.category.value} {delta if kind == RESIZE else abs(delta)}"
            for kind, row, delta in self.moves
        ]
        return lines

    def peak(self, device: Any = None) -> tuple[int, dict[str, int], int]:
        """(bytes, bytes by category, index of the move; -1 at the start). `device` restricts it to one
        device."""
        live: Counter[str] = Counter()
        for row, nbytes in self.baseline:
            if device is None or row.device == device:
                live[row.category.value] += nbytes
        total = top = sum(live.values())
        at, parts = -1, dict(live)
        for index, (_, row, delta) in enumerate(self.moves):
            if device is None or row.device == device:
                total += delta
                live[row.category.value] += delta
                if total > top:
                    top, at, parts = total, index, dict(live)
        return top, _sorted({k: v for k, v in parts.items() if v}), at


def _sorted(counts: dict[str, int]) -> dict[str, int]:
    return {key: counts[key] for key in sorted(counts)}
