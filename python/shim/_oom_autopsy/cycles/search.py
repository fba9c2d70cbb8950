"""What only cycles hold, found from the tensors upwards; where that does not end soon, cycles_graph goes through all there is.

Most out-of-memories have no such cycle, and to go through all live objects takes 0.6 s of processor time for the 300,000
that torch alone brings. To show that a tensor is reachable, one object that refers to it will do, if that is held by a
frame, by C code or by a module of Python's. So: down from what is certainly alive (the modules that are being called,
values of Python's modules), and up from the tensors that this leaves, until each is held by something alive, or until all
that refers to it refers to nothing else than itself: then it is held by cycles alone.
"""

from __future__ import annotations

import gc
import sys
import types
from collections import Counter
from collections.abc import Iterable
from itertools import chain
from typing import Any

from .. import torch_api
from ..heap.names import entries
from ..heap.objects import Clock, field
from .memory import Memory
from .rings import Garbage

# Passes over all live objects (gc.get_referrers): 0.03 s for 300,000, and 0.8 ms for each that is asked about.
_PASSES = 8
_FIRST = 8  # asked about at once; twice as many in each later pass
# Objects that are followed down from one that is alive.
_MOST_BELOW = 200_000
_BATCH = 20_000

_DICTIONARY = type.__dict__["__dict__"].__get__(types.ModuleType)["__dict__"].__get__
_MRO = type.__dict__["__mro__"].__get__


def _own() -> int:
    """What sys.getrefcount, called through `map`, says of an object that is in one list beside that of all objects."""
    return next(iter(map(sys.getrefcount, [[]]))) + 1


class Search:
    """For one look; keeps objects alive, so drop it with the look. Raises OutOfTime."""

    def __init__(self, memory: Memory, clock: Clock) -> None:
        self.memory, self.clock, self.scene = memory, clock, memory.scene
        scene, found = self.scene, self.scene.found
        modules = [m for m in list(sys.modules.values()) if type(m) is types.ModuleType]
        self.namespaces = list(map(_DICTIONARY, modules))
        # Of ours, and refer to the program's objects: no reason for those to be alive.
        self.ours = set(
            map(id, [scene, vars(scene), found, vars(found), scene.everything, *scene.lists(), *scene.calls])
        )
        self.alive = {*map(id, modules), *map(id, self.namespaces), *self.ours}
        self.leads_on: dict[int, tuple[bool, type]] = {}
        self.left: set[int] = set()
        self.seen: set[int] = set()
        self.owned: list = []

    # A variable of a running function that refers to one of the program's objects is a reference that nobody counts: so
    # what follows is many functions, and only lists that are counted live longer than one.

    def garbage(self) -> Garbage | None:
        """What nothing reaches and leads to a tensor; None where that was not found out."""
        found = self.scene.found
        targets = [o for o in chain(found.tensors, found.nodes) if self.memory.may_hold(o)]
        targets.reverse()  # the oldest first: a frame's own are young
        self.left.update(map(id, targets))
        self._leave_out_owned(targets)
        return self._up(targets) if self._down(self._roots(targets)) else None

    def _leave_out_owned(self, targets: list) -> None:
        """Those that Python does not refer to at all."""
        counts = list(map(sys.getrefcount, targets))
        own = _own() + 1  # and among the found
        for obj, count in zip(targets, counts):
            if count - own == 1 and self.memory.is_owned(obj):
                self._is_owned(obj)

    def _roots(self, targets: list) -> list:
        """Targets, modules and optimizers that are values of Python's modules; and what the modules at work were given."""
        found = self.scene.found
        wanted = {id(o): o for o in chain(targets, found.modules, found.optimizers)}
        values = chain.from_iterable(map(dict.values, self.namespaces))
        named = set(filter(wanted.__contains__, map(id, values)))
        return [*map(wanted.__getitem__, named), *chain.from_iterable(self.scene.calls)]

    def _is_owned(self, obj: Any) -> None:
        self.owned.append(obj)
        self.left.discard(id(obj))
        self.seen.add(id(obj))

    def _down(self, frontier: list) -> bool:
        """Takes what these lead to for alive, until nothing is left; False where that is too much. Types and Python's
        modules that are met are not followed: they lead to everything."""
        enough = len(self.alive) + _MOST_BELOW
        self._reach(map(id, frontier))
        while frontier and self.left:
            self._check()
            fresh: dict = {}
            for start in range(0, len(frontier), _BATCH):
                referents = list(filter(gc.is_tracked, gc.get_referents(*frontier[start : start + _BATCH])))
                fresh.update(zip(map(id, referents), referents))
            for number in self.alive.intersection(fresh):
                del fresh[number]
            # What is alive has been followed, or who is asked about what refers to it would have to ask twice.
            frontier = [o for o in fresh.values() if self._leads_on(type(o))]
            self._reach(map(id, frontier))
            if len(self.alive) > enough:
                return False
        return True

    def _reach(self, numbers: Iterable[int]) -> None:
        reached = set(numbers)
        self.alive |= reached
        self.left -= reached

    def _leads_on(self, kind: type) -> bool:
        known = self.leads_on.get(id(kind))
        if known is None:
            bases = _MRO(kind)
            known = not any(base is type or base is types.ModuleType for base in bases), kind
            self.leads_on[id(kind)] = known  # holding the type keeps its id its own
        return known[0]

    def _up(self, targets: list) -> Garbage | None:
        """Asks who refers to what is left, and to those, until all is told."""
        asked: list = []
        # Whole models at once: their parts are many, and deep inside.
        frontier = [*targets, *self._tops()]
        tops = len(frontier) - len(targets)
        for number in range(_PASSES):
            frontier = [o for o in frontier if id(o) not in self.alive and id(o) not in self.seen]
            if not self.left:
                return Garbage([], [])
            if not frontier:
                return self._closed(asked)
            self._check()
            some = frontier[-(_FIRST << number) - tops :]  # those found last lead to many
            tops = 0
            self.seen.update(map(id, some))
            held, referrers = self._referrers(some, [asked, targets, frontier, self.owned])
            if not self._down(held):
                return None
            asked += some
            frontier += referrers
            del some, held, referrers  # or they would be references that nobody counts
        return None

    def _tops(self) -> list:
        """Optimizers, and modules that no module holds."""
        found, kinds = self.scene.found, self.scene.kinds
        parts = {id(part) for m in found.modules for _, part in entries(field(kinds, m, torch_api.MODULES))}
        kinds.forget()
        tops = [o for o in found.modules if id(o) not in parts and id(o) not in self.alive]
        return tops + [o for o in found.optimizers if id(o) not in self.alive]

    def _referrers(self, some: list, lists: list) -> tuple[list, list]:
        """(those of `some` that are held by something alive, what refers to the others). lists: more of ours."""
        counts = list(map(sys.getrefcount, some))  # first: from here on there are more lists of ours
        own = _own()
        numbers = set(map(id, some))
        of_ours = chain.from_iterable((*lists, *self.scene.lists(), *self.scene.calls))
        kept = Counter(filter(numbers.__contains__, map(id, of_ours)))
        besides = {*map(id, lists), id(some), *self.ours}
        referrers = [o for o in gc.get_referrers(*some) if id(o) not in besides]
        counted = Counter(filter(numbers.__contains__, map(id, gc.get_referents(*referrers))))
        by_alive: set = set()
        for each in referrers:
            if id(each) in self.alive:
                by_alive |= numbers.intersection(map(id, gc.get_referents(each)))
        held = []
        for obj, count in zip(some, counts):
            number, owned = id(obj), self.memory.is_owned(obj)
            more = count - own - kept[number] - counted[number] - owned
            if more > 0 or number in by_alive:
                held.append(obj)
            elif owned and not counted[number]:
                self._is_owned(obj)
        return held, [o for o in referrers if id(o) not in self.alive]

    def _closed(self, asked: list) -> Garbage:
        besides = set(map(id, self.owned))
        return Garbage([o for o in asked if id(o) not in self.alive and id(o) not in besides], self.owned)

    def _check(self) -> None:
        self.clock.check(lambda: f"asked who refers to {len(self.left)} tensors")
