"""How much GPU memory unreachable objects hold: under their tensors, and in the autograd graphs that those keep.

Most of a training step's memory is held in C++: a view keeps its base, and a loss keeps every activation that its graph
saved. Python's collector sees neither, but frees both with the object that leads there. An exception whose traceback is
kept in a cycle is the common case: a handful of frames, and all the activations of that step.

Memory counts as held by cycles where nothing alive holds it too: neither a tensor that Python code can reach, nor the
graph of one. Where that cannot be told (a backward pass is running, and reading what its nodes saved would be a race), only
memory with no owner in C++ is counted, and the account says so.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable
from itertools import chain
from typing import Any, Callable, NamedTuple

from .. import torch_api
from ..heap.graph import IDLE, GraphWalk
from ..heap.objects import NODE, TENSOR, WRAPPER, Clock, OutOfTime
from ..heap.scene import Scene

# The caching allocator hands out multiples of this many bytes.
_ROUND = 512
_MAX_NODES = 200_000


class Storage(NamedTuple):
    """GPU memory under a tensor: device such as `cuda:0`, address, bytes as the allocator rounds them."""

    device: str
    address: int
    bytes: int


class Memory:
    """For one look at `scene`, which `clock` bounds; it keeps objects alive, so drop it with the look. Raises OutOfTime."""

    def __init__(self, scene: Scene, clock: Clock) -> None:
        self.clock, self.scene = clock, scene
        self.api, self.kinds, self.reader = scene.api, scene.kinds, scene.reader
        self.note: str | None = None
        self._use_count = torch_api.cycles_use_count()
        self._readable = scene.state == IDLE and self.api.saved_data is not None

    def is_owned(self, obj: Any) -> bool:
        """Whether C++ owns a tensor too, which then keeps its Python object alive by one reference."""
        return (
            self.kinds.of(obj) in (TENSOR, WRAPPER)
            and self._use_count is not None
            and self._use_count(obj) > 1
        )

    def may_hold(self, obj: Any) -> bool:
        """Whether GPU memory may hang on a tensor or a ctx: its own, or what its graph saved."""
        return self.kinds.of(obj) != TENSOR or self.api.is_cuda(obj) or not self.api.is_leaf(obj)

    def concerns(self, objects: list) -> bool:
        """Whether there is any tensor or autograd node among objects, or referred to by one."""
        kinds = (TENSOR, WRAPPER, NODE)
        return any(self.kinds.of(o) in kinds for o in chain(objects, gc.get_referents(*objects)))

    def held(self, objects: list, owned: list) -> dict[int, list]:
        """{index in `objects`: [Storage]} of the memory that would go with these unreachable objects, each listed once.

        owned: tensors that only C++ keeps alive; they count for neither side, unless a graph says for which."""
        with self.api.no_torch_function():
            return self._held(objects, owned)

    def _held(self, objects: list, owned: list) -> dict[int, list]:
        tensors = [i for i, o in enumerate(objects) if self.kinds.of(o) in (TENSOR, WRAPPER)]
        nodes = [i for i, o in enumerate(objects) if self.kinds.of(o) == NODE]
        if not tensors and not nodes:
            return {}
        # Before anything is read: reading makes tensors, aliases of a sparse one's parts and what a graph saved.
        alive = self._alive(objects, owned)
        found = {i: {s[:2]: s for s in self._storages(objects[i])} for i in tensors}
        found.update((i, {}) for i in nodes)
        roots = [(i, self._graph_of(objects[i])) for i in tensors] + [(i, [objects[i]]) for i in nodes]
        if self._readable:
            self._walk(roots, lambda index, storages: found[index].update({s[:2]: s for s in storages}))
        if not any(found.values()):
            return {}
        shared = self._shared(alive)
        return {
            index: [s for key, s in storages.items() if key not in shared]
            for index, storages in found.items()
            if not shared.issuperset(storages)
        }

    def _alive(self, objects: list, owned: list) -> list:
        """The tensors that are on neither list; those that C++ alone owns are, where it cannot be told for whom."""
        besides = set(map(id, objects))
        if self._readable:
            besides.update(map(id, owned))
        else:
            self.note = "memory that autograd keeps is left out: a backward pass was running, or this torch does not show it"
        return [o for o in self.scene.found.tensors if id(o) not in besides]

    def _shared(self, tensors: list) -> set:
        """(device, address) of the memory that these hold, and their graphs."""
        shared: set = set()
        roots = []
        for count, tensor in enumerate(tensors):
            if not count & 255:
                self.clock.check(lambda: "comparing with the tensors in use")
            shared.update(s[:2] for s in self._storages(tensor))
            if self._readable:
                roots.append((0, self._graph_of(tensor)))
        self._walk(roots, lambda _, storages: shared.update(s[:2] for s in storages))
        return shared

    def _walk(self, roots: Iterable[tuple], put: Callable[[int, list], Any]) -> None:
        """Follows graphs, each node for the first root that leads there; put(root's number, [Storage])."""
        current = 0
        walk = GraphWalk(
            self.api,
            self.kinds,
            lambda tensor, _: put(current, self._storages(tensor)),
            lambda tensor: (
                put(current, self._storages(tensor)) if self.kinds.of(tensor) in (TENSOR, WRAPPER) else None
            ),
            IDLE,
            self.scene.device,
        )
        for current, nodes in roots:  # noqa: B007 - `put` above is called with it
            cut = walk.run([node for node in nodes if node is not None], self.clock, _MAX_NODES)
            if cut:
                raise OutOfTime(cut)

    def _graph_of(self, tensor: Any) -> list:
        if self.api.is_leaf(tensor):
            return []
        try:
            return [self.api.grad_fn(tensor)]
        except RuntimeError:  # a view whose graph can no longer be made
            return []

    def _storages(self, tensor: Any) -> list:
        try:
            facts = self.reader.storages(tensor)
        except RuntimeError:
            return []
        return [Storage(f"cuda:{fact[0]}", fact[1], -(-fact[2] // _ROUND) * _ROUND) for fact in facts]
