"""Which objects only reference cycles keep alive, and which of those cycles hold GPU memory.

`unreachable` asks CPython's own question (Modules/gcmodule.c, "subtract_refs") without collecting: it compares each
object's reference count with the references that come from objects like it. Nothing is freed, resurrected, finalised or
flagged, no debug flag is set, and `gc.garbage` is not touched: what is found is collected by whoever would have
collected it, at the moment it would have been.

`holding` groups what was found into cycles, with the bytes they keep (cycles_memory). Both give up at a deadline.

No object of the user's is compared, hashed, or asked for an attribute here: all work is on `id`s.
"""

from __future__ import annotations

import gc
import hashlib
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any, Callable, NamedTuple

from ..heap.objects import Clock, OutOfTime
from . import names
from .memory import Storage

# Objects handed to one C call of gc.get_referents: about 30 ms, so that a deadline is met to within that.
_BATCH = 20_000

# A look takes some 230 bytes of host memory for each live object.
_MAX_OBJECTS = 2_000_000

# References to one object that a look shows in its picture and its rows.
_MAX_PICTURE_NODES = 24
_MAX_HELD_SHOWN = 4


class Garbage(NamedTuple):
    """Objects that only cycles keep alive; and tensors that only C++ keeps alive, which may be on either side."""

    objects: list
    owned: list


class Picture(NamedTuple):
    """One closed path through a cycle and what hangs on it, in type and attribute names.

    ring: [(type name, label of the reference to the next)], the last one leads back to the first.
    held: [(index in ring, [(label, type name)…] down to the tensor, bytes, device)].
    """

    ring: list
    ring_cut: int
    held: list
    held_cut: int


class Cycle(NamedTuple):
    """A strongly connected group of unreachable objects, with the tensors that no other such group inside it holds."""

    shape: str
    instance: int
    size: int
    types: Counter
    tensors: int
    storages: list
    picture: Picture | None


def can_read_references() -> str | None:
    """None where reference counts tell who holds whom; otherwise the reason why not, in one line."""
    if sys.implementation.name != "cpython":
        return "only CPython counts references"
    import sysconfig

    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return "a free-threaded Python does not keep exact reference counts"
    return None


def unreachable(
    clock: Clock,
    is_owned: Callable[[Any], bool],
    saved: list | None = None,
    everything: list | None = None,
    ours: Sequence[list] = (),
) -> Garbage:
    """Find what a full collection would find unreachable at this moment. Raises OutOfTime.

    About 2 us per live object (a full collection itself takes 0.4), in two steps: follow references from `sys.modules`,
    which reaches nearly everything; then count, for the rest alone, the references that come from within the rest. An
    object with one more than that is held by a frame, by C code or by a frozen object, and so is what it leads to.
    is_owned: whether the one more is C++'s own, of a tensor. saved: a list whose references do not count (gc.garbage,
    where a collection put what it found). everything: the live objects, where they were listed before; ours: lists of
    ours, whose references do not count either. The lists that are returned keep their objects alive: drop them soon.
    """
    by_id: dict = {}
    try:
        return _unreachable(by_id, clock, is_owned, saved, everything or gc.get_objects(), ours)
    finally:
        # It holds everything alive, what we work with included: left full it would be a cycle itself.
        by_id.clear()


def _unreachable(
    by_id: dict,
    clock: Clock,
    is_owned: Callable[[Any], bool],
    saved: list | None,
    everything: list,
    ours: Sequence[list],
) -> Garbage:
    alive = len(everything)
    if alive > _MAX_OBJECTS:
        raise OutOfTime(f"{alive:,} live objects are more than the {_MAX_OBJECTS:,} that are compared")
    by_id.update(zip(map(id, everything), everything))
    clock.check(lambda: f"listed {alive:,} live objects")
    rest = set(by_id)
    rest.difference_update(map(id, (*ours, saved)))
    _strike(rest, [sys.modules], by_id, clock, alive)
    candidates = list(map(by_id.__getitem__, rest))
    by_id.clear()  # from here on two lists hold the only references of ours to each of them
    counted: Counter = Counter()
    for start in range(0, len(candidates), _BATCH):
        clock.check(lambda: _how_far(alive, len(rest)))
        counted.update(map(id, gc.get_referents(*candidates[start : start + _BATCH])))
    for each in (*ours, saved or ()):
        counted.update(map(id, each))
    own = _own_references() + 1
    counts = list(
        map(sys.getrefcount, candidates)
    )  # all at once: in the zip below each has one reference more
    more = [(obj, count - own - counted[id(obj)]) for obj, count in zip(candidates, counts)]
    owned = [obj for obj, excess in more if excess == 1 and is_owned(obj)]
    besides = set(map(id, owned))
    held = [obj for obj, excess in more if excess and id(obj) not in besides]
    del more
    by_id.update(zip(map(id, candidates), candidates))
    del candidates
    rest.difference_update(map(id, held))
    _strike(rest, held, by_id, clock, alive)
    owned = [obj for obj in owned if id(obj) in rest]
    rest.difference_update(map(id, owned))
    _strike(rest, owned, by_id, clock, alive)
    return Garbage([by_id[i] for i in rest], owned)


def referred(garbage: Garbage, clock: Clock) -> list:
    """The tensors among `garbage.owned` that garbage refers to: they go with it if C++ lets go of them."""
    owned = {id(o): o for o in garbage.owned}
    found: set = set()
    for start in range(0, len(garbage.objects) if owned else 0, _BATCH):
        clock.check(lambda: f"looked at {len(garbage.objects):,} unreachable objects")
        found.update(owned.keys() & map(id, gc.get_referents(*garbage.objects[start : start + _BATCH])))
    return [owned[i] for i in found]


def _strike(rest: set, roots: list, by_id: dict, clock: Clock, alive: int) -> None:
    """Take everything that `roots` lead to out of `rest` (a set of ids)."""
    frontier = roots
    while frontier:
        found: set = set()
        for start in range(0, len(frontier), _BATCH):
            clock.check(lambda: _how_far(alive, len(rest)))
            referents = filter(gc.is_tracked, gc.get_referents(*frontier[start : start + _BATCH]))
            found |= rest.intersection(map(id, referents))
        rest.difference_update(found)
        frontier = list(map(by_id.__getitem__, found))


def _how_far(alive: int, left: int) -> str:
    return f"followed the references of {alive - left:,} of {alive:,} live objects"


def _own_references() -> int:
    """What `sys.getrefcount` says, called through `map` as above, of an object that one list alone holds.

    Measured, not known: it differs between Python versions."""
    return next(iter(map(sys.getrefcount, [[]])))


class _Nodes:
    """The unreachable objects as numbers, with the references between them and their labels."""

    def __init__(self, objects: list, targets: list, clock: Clock) -> None:
        self.objects = objects
        self.index = {id(o): i for i, o in enumerate(objects)}
        self._bases: dict[int, tuple[type, names.Bases]] = {}
        back: dict[int, list[int]] = {}
        for source, obj in enumerate(objects):
            if not source & 1023:
                clock.check(lambda at=source: f"looked at {at:,} of {len(objects):,} unreachable objects")
            for referent in gc.get_referents(obj):
                target = self.index.get(id(referent))
                if target is not None:
                    back.setdefault(target, []).append(source)
        # The rest of the garbage leads to no tensor and is none of our business.
        self.wanted = _leading_to(targets, back)
        self.edges = {node: self._out(objects[node]) for node in self.wanted}

    def bases(self, obj: Any) -> names.Bases:
        tp = type(obj)
        found = self._bases.get(id(tp))
        if found is None:
            found = self._bases[id(tp)] = (tp, names.bases_of(tp))  # holding the type keeps its id its own
        return found[1]

    def _out(self, obj: Any) -> dict[int, str]:
        """{index of a referent: label}. The instance dictionary counts as part of its object, whether this Python keeps
        it as one or keeps the values inline: the same cycle has the same shape before and after someone looked."""
        out: dict[int, str] = {}
        referents = gc.get_referents(obj)
        indices = {self.index.get(id(r), -1) for r in referents}.intersection(self.wanted)
        own = names.instance_dict(obj, self.bases(obj))
        if own is not None:
            for key, value in own.items():
                target = self.index.get(id(value))
                if target is not None and target in self.wanted:
                    out.setdefault(target, names.attribute_label(key))
            indices.discard(self.index.get(id(own), -1))
        for target in indices:
            out.setdefault(target, "")
        return out

    def label(self, source: int, target: int) -> str:
        """The name of one reference; asked only for the few that are shown."""
        label = self.edges[source][target]
        if label:
            return label
        obj = self.objects[source]
        known, otherwise = names.reference_labels(obj, self.bases(obj))
        return known.get(id(self.objects[target]), otherwise)

    def name(self, node: int) -> str:
        return names.type_name(type(self.objects[node]))


def holding(objects: list, storages: dict, known: set, clock: Clock) -> list:
    """The cycles among `objects` (all of them unreachable) that keep GPU memory, largest first. Raises OutOfTime.

    storages: {index in objects: [cycles_memory.Storage]}. known: shapes that need no picture any more. Each object and
    each storage is counted once, for the innermost cycle that leads to it, so that the rows add up to the total."""
    if not storages:
        return []
    nodes = _Nodes(objects, list(storages), clock)
    reached: set = set()
    counted: set = set()
    known = set(known)
    cycles = []
    for members in _components(nodes.edges):
        if len(members) == 1 and members[0] not in nodes.edges[members[0]]:
            continue
        # What an inner cycle leads to is that one's already, and need not be walked again.
        found = _reach(members, nodes.edges, reached)
        reached.update(found)
        mine = {i for i in found if i in storages}
        own: dict[tuple, Storage] = {s[:2]: s for i in mine for s in storages[i] if s[:2] not in counted}
        counted.update(own)
        if own:
            cycles.append(_describe(nodes, members, mine, storages, list(own.values()), known))
            known.add(cycles[-1].shape)
        clock.check(lambda: f"described {len(cycles):,} cycles")
    cycles.sort(key=lambda c: (-sum(s.bytes for s in c.storages), c.shape))
    return cycles


def _leading_to(targets: list, back: dict) -> set:
    """The nodes from which a target can be reached, targets included. back: {node: [who refers to it]}."""
    found = set(targets)
    todo = list(found)
    while todo:
        for source in back.get(todo.pop(), ()):
            if source not in found:
                found.add(source)
                todo.append(source)
    return found


def _reach(start: list, edges: dict, without: Any = ()) -> dict[int, int]:
    """{node: the node it was first reached from}, breadth first, so that paths read from it are shortest."""
    found = dict.fromkeys(start, -1)
    todo = list(start)
    for node in todo:
        for target in edges[node]:
            if target not in found and target not in without:
                found[target] = node
                todo.append(target)
    return found


def _components(edges: dict) -> list:
    """Strongly connected components (Tarjan 1972, without recursion), innermost first."""
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    components = []
    for root in edges:
        if root in number:
            continue
        number[root] = low[root] = len(number)
        stack.append(root)
        on_stack.add(root)
        work = [(root, iter(edges[root]))]
        while work:
            node, targets = work[-1]
            for target in targets:
                if target not in number:
                    number[target] = low[target] = len(number)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(edges[target])))
                    break
                if target in on_stack:
                    low[node] = min(low[node], number[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    members = []
                    while True:
                        member = stack.pop()
                        on_stack.discard(member)
                        members.append(member)
                        if member == node:
                            break
                    components.append(members)
    return components


def _describe(nodes: _Nodes, members: list, tensors: set, storages: dict, own: list, known: set) -> Cycle:
    inside = set(members)
    types = Counter(nodes.name(i) for i in members)
    shape = _shape(nodes, members, inside)
    picture = None if shape in known else _picture(nodes, members, inside, tensors, storages)
    return Cycle(
        shape=shape,
        instance=hash(frozenset(id(nodes.objects[i]) for i in members)),
        size=len(members),
        types=types,
        tensors=len(tensors),
        storages=own,
        picture=picture,
    )


def _shape(nodes: _Nodes, members: list, inside: set) -> str:
    """8 hex digits that are the same for the same kind of cycle in every process: which type refers to which, by what
    name. How often is left out, so that a ring of three nodes and one of four are the same kind."""
    kinds = set()
    for source in members[:2000]:
        for target in nodes.edges[source]:
            if target in inside:
                kinds.add((nodes.name(source), nodes.label(source, target), nodes.name(target)))
    return hashlib.sha256(repr(sorted(kinds)).encode()).hexdigest()[:8]


def _picture(nodes: _Nodes, members: list, inside: set, tensors: set, storages: dict) -> Picture:
    ring = _shortest_ring(nodes, members, inside)
    shown = ring[:_MAX_PICTURE_NODES]
    drawn = []
    for place, node in enumerate(shown):
        following = ring[(place + 1) % len(ring)]
        drawn.append((nodes.name(node), nodes.label(node, following)))
    reached = _reach(ring, nodes.edges)
    weight = {i: sum(s.bytes for s in storages[i]) for i in tensors}
    held = []
    for tensor in sorted((i for i in tensors if i in reached), key=lambda i: (-weight[i], i)):
        path = [tensor]
        while reached[path[-1]] >= 0:
            path.append(reached[path[-1]])
        path.reverse()
        if path[0] not in shown or len(path) > _MAX_PICTURE_NODES:
            continue
        steps = [(nodes.label(a, b), nodes.name(b)) for a, b in zip(path, path[1:])]
        held.append((shown.index(path[0]), steps, weight[tensor], storages[tensor][0].device))
        if len(held) == _MAX_HELD_SHOWN:
            break
    return Picture(drawn, len(ring) - len(shown), held, len(tensors) - len(held))


def _shortest_ring(nodes: _Nodes, members: list, inside: set) -> list:
    """A shortest closed path, through an object of a class that Python code defined where there is one."""
    ours = [i for i in members if _made_by_code(type(nodes.objects[i]))]
    start = min(ours or members)
    if start in nodes.edges[start]:
        return [start]
    came: dict[int, int] = {start: -1}
    todo = [start]
    for node in todo:
        for target in nodes.edges[node]:
            if target == start:
                path = [node]
                while came[path[-1]] >= 0:
                    path.append(came[path[-1]])
                path.reverse()
                return path
            if target in inside and target not in came:
                came[target] = node
                todo.append(target)
    return [start]


def _made_by_code(tp: type) -> bool:
    """Whether a `class` statement made the type (Py_TPFLAGS_HEAPTYPE)."""
    return bool(type.__dict__["__flags__"].__get__(tp) & (1 << 9))
