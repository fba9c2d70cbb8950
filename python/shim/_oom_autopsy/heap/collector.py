"""Holds Python's garbage collector off while we work, and leaves its count as it was.

A collection that our allocations set off would run the program's finalizers in the middle of its out-of-memory, and
would free the very cycles that we look for. One that comes earlier afterwards, because of what we allocated, would have a
retry fit that did not fit. So collection is off from our first instruction to our last, and then the next one comes
after as many allocations of the program's own as without us (within twenty; docs/cycles.md says what is measured).

Off by the thresholds and not by gc.disable(): from Python 3.12 on a collection that is already scheduled runs at the
next Python frame's first instruction, ours, though it was disabled meanwhile; but not where no count is over its
threshold. There `around` raises them in C, before that frame exists.
"""

from __future__ import annotations

import gc
import os
import weakref
from collections import deque
from functools import partial
from itertools import islice, repeat, starmap
from operator import getitem, itemgetter
from typing import Any, Callable

_MOST = 2**31 - 1
# The highest thresholds, as Python then tells them (3.14 has no third). Set and put back in one C call, between the parts
# of which no signal handler runs.
_NEVER = next(
    zip(
        starmap(gc.set_threshold, [(_MOST, _MOST, _MOST)]),
        iter(gc.get_threshold, None),
        starmap(gc.set_threshold, [gc.get_threshold()]),
    )
)[1]

# Thresholds as each holder found them. The last to let go finds those of the program; one that finds others than ours in
# force leaves them: somebody has set them meanwhile. Both are C to the end, so that nothing can come between.
_found: deque = deque()
_raise = zip(map(_found.append, iter(gc.get_threshold, None)), starmap(gc.set_threshold, repeat(_NEVER)))
_put_back = starmap(
    gc.set_threshold,
    map(
        getitem,
        zip(iter(gc.get_threshold, None), iter(_found.pop, None)),
        map(_NEVER.__eq__, iter(gc.get_threshold, None)),
    ),
)


def _held(body: dict) -> Any:
    """Objects of a new class, one a step: collection is off from the step until the object has died."""
    kind = type("_Held", (), {"__slots__": (), "__del__": staticmethod(partial(next, _put_back)), **body})
    return starmap(kind, map(itemgetter(slice(0)), _raise))


# One call deeper than the release is: close to the recursion limit there is no hold without a release.
_plain = map(next, repeat(_held({})))


def hold() -> Any:
    """Switches collection off until what is returned has died."""
    return next(_plain)


def around(function: Callable) -> Any:
    """A callable for C code: calls `function`, with collection off from before its frame exists until it is gone."""
    entered = _held({"__call__": staticmethod(function)})
    return type("_Around", (), {"__slots__": (), "__call__": property(partial(next, entered))})()


def _in_child() -> None:
    """Another thread forked in the middle of our work: in the child nobody would ever let go."""
    if _found and gc.get_threshold() == _NEVER:
        gc.set_threshold(*_found[0])


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)


# --- the count --------------------------------------------------------------------------------------------------------

# What is taken off the count again: objects from before that are freed for it (an itertools.repeat: 56 bytes, no free
# list). What stays of an out-of-memory are a few; torch keeps some hundred objects for what it was asked about.
_BALLAST = 8192
_ballast: list = []
_owed: list = []  # weak references
# Kinds that CPython keeps for reuse. One that comes from there is not counted, and one that goes there is not taken off: work
# that frees many leaves the count too high, and the program's next ones come uncounted.
# Lists last: to ask takes lists.
_KINDS = (*(partial(tuple, [0] * size) for size in range(1, 5)), {}.copy, [].copy)
_MOST_KEPT = 2100
_surplus: list = []


def prepare() -> None:
    """Once, with collection held off: the ballast is counted as it is made."""
    if not _ballast:
        _ballast.extend(map(repeat, repeat(None, _BALLAST)))


def mark() -> tuple:
    """Where the count stands, for `settle`. With collection held off, as there."""
    marked = gc.get_count()[0], _kept(), gc.get_stats()[0]["collections"]
    _surplus.clear()  # for our work to take from
    return marked


def settle(marked: tuple, due: int = 0) -> None:
    """Brings the count back to where it stood, and so what is kept for reuse. Allocations of other threads in between
    are taken for ours. due: objects of ours that the program would have made itself right after."""
    count, levels, collections = marked
    if gc.get_stats()[0]["collections"] != collections:
        return  # another thread has called gc.collect(): the count has begun anew
    _kept(levels)
    above = gc.get_count()[0] - count - due
    if above > 0:
        del _ballast[-above:]
    else:
        _ballast.extend(map(repeat, repeat(None, -above)))


def owe(obj: Any, count: int) -> None:
    """`count` objects that were made for us will die with `obj`. They are off the count by then: so as many are counted at
    that moment, in C, and kept as ballast."""
    _owed[:] = [each for each in _owed if each() is not None]
    step = zip(_raise, map(_ballast.extend, [map(repeat, repeat(None, count))]), _put_back)
    _owed.append(weakref.ref(obj, partial(next, step)))


def _kept(levels: tuple = ()) -> tuple:
    """How many of each of _KINDS are kept for reuse: taking until the count rises tells. levels: as many as may be left."""
    gc.get_count()  # its own tuple is counted the first time
    found = []
    for kind, make in enumerate(_KINDS):
        taken, count = [], gc.get_count()[0]
        while gc.get_count()[0] == count and len(taken) < _MOST_KEPT:
            taken.append(make())
        found.append(len(taken))
        if levels:
            _surplus.extend(islice(taken, levels[kind], None))
        del taken
    return tuple(found)
