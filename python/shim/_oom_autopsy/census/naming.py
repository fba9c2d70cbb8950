"""Names what a look has found by what made it and by what holds it, and the facts that point to what to do first.

A part of the look, after its facts stand: it changes names, and no category and no number.
"""

import itertools

from .. import torch_api
from ..heap.names import is_dict
from ..heap.objects import OPTIMIZER, TENSOR, field, members, tensors_in
from ..heap.places import FOREIGN, local_items
from . import holders, kept, signs
from . import sums as rank

# What the program holds is named by what holds it: what nothing stronger explains. An argument keeps its name.
HELD = (rank.INPUT, rank.OUTPUT, rank.ARGUMENT, rank.LEAF, rank.VISIBLE)
ARGUMENTS = (rank.INPUT, rank.ARGUMENT)


class Naming:
    """look: the census's look, whose steps `layers`, `holders` and `signs` are."""

    def __init__(self, look):
        self.look = look

    def layers(self):
        """Names what the graph saved and made by the layers that did."""
        found = self.look.activations
        if self.look.walk is None or not self.look.walk.nodes or not self.look.parameters.ready:
            return
        found.close(self.look.kinds, self.look.parameters.tree)
        for tensor, node, _ in self.look.visible:
            uses = self.look.parameters.by_tensor.get(id(tensor))
            if uses and node is not None:
                found.stands_for(node, uses)
        found.settle(
            self.look.api, lambda: self.look.clock.check(lambda: "not all autograd nodes were placed")
        )
        for device, entries in self.look.ledger.own.items():
            for at, (address, entry) in enumerate(entries.items()):
                if not at & 255:
                    self.look.clock.check(lambda: "not all activations were named")
                if entry.rank == rank.SAVED:
                    named = found.name_saved((device, address))
                    if named:
                        entry.call(*named, entry.tensor)
        for tensor, node, facts in self.look.visible:
            for entry in self._entries(facts):
                if node is not None and entry.rank == rank.OUTPUT and entry.tensor is tensor:
                    named = found.name_made(node)
                    if named:
                        entry.call(*named, tensor)

    def _entries(self, facts):
        """Those of the ledger, of storages of the caching allocator."""
        found = [
            self.look.ledger.own.get(device, {}).get(address) for device, address, _, own in facts if own
        ]
        return [entry for entry in found if entry is not None]

    def holders(self):
        """Names what the program holds by what holds it, and adds up what each name keeps alive."""
        if not self.look.parameters.ready:
            return None
        wanted = {
            id(tensor): tensor
            for tensor, node, facts in self.look.visible
            if node is not None or any(entry.rank in HELD for entry in self._entries(facts))
        }
        if not wanted:
            return None
        names = holders.Holders(
            self.look.kinds,
            wanted,
            self.look.user_modules,
            lambda: self.look.clock.check(lambda: "not all holders were named"),
        )
        tree = self.look.parameters.tree
        apart = (torch_api.PARAMETERS, torch_api.BUFFERS, torch_api.MODULES)
        # Of two names the outer one stays: what a function was handed belongs to who handed it.
        frames = [list(group) for _, group in itertools.groupby(self.look.named, lambda each: each.where)]
        for places in (
            holders.of_modules(tree, apart),
            *frames,
            self.look.left,
            self.look.foreign,
        ):
            names.descend(places)
        self._call(names.names)
        return None

    def _call(self, names):
        """Gives names to what they hold. names: {id(tensor): Named}."""
        best, starts, lefts, tree = {}, {}, {}, self.look.parameters.tree
        running = self._running_graph()
        for tensor, node, facts in self.look.visible:
            named = names.get(id(tensor))
            if named is None:
                continue
            for fact in facts:
                known = best.get(fact[:2])
                if known is None or named.rank < known[0].rank:
                    best[fact[:2]] = named, tensor
            at = None if node is None else self.look.activations.index.get(id(node))
            if at is not None and named.kind == "holder":
                side, name = (
                    (starts, holders.text(named, tree)) if named.left is None else (lefts, named.left)
                )
                side.setdefault(name, set()).add(at)
        held, left = {}, {}
        for storage, (named, tensor) in best.items():
            entry = self.look.ledger.own.get(storage[0], {}).get(storage[1])
            if entry is None or entry.rank not in HELD:
                continue
            name = holders.text(named, tree)
            if named.kind == "compiled" and running:
                name = running
            # What torch's own code and libraries hold of a graph, the layer that made it tells better.
            if entry.rank not in ARGUMENTS and (entry.rank != rank.OUTPUT or named.rank < FOREIGN):
                entry.call(name, named.kind, tensor)
            if named.kind == "holder":
                side, name = (held, name) if named.left is None else (left, named.left)
                side.setdefault(name, set()).add(storage)
        self._keep(starts, lefts, held, left)

    def _running_graph(self):
        """The model whose compiled graph's backward is running, or None."""
        node = self.look.scene.task[1] if self.look.scene.task else None
        found = None if node is None else self.look.activations.name_made(node)
        return found[0] if found and found[1] == "compiled" else None

    def _keep(self, starts, lefts, held, left):
        """The rows of `kept`."""
        edges = self.look.activations.edges
        check = lambda: self.look.clock.check(lambda: "not all graphs were followed")  # noqa: E731
        saved = self.look.activations.savers
        graphs = kept.by_graph(edges, starts, saved, check)
        for name, storages, _ in kept.by_graph(edges, lefts, saved, check):
            left.setdefault(name, set()).update(storages)
        for device, entries in self.look.ledger.own.items():
            sizes = {(device, address): rank.rounded(e.size, rank.GRANULE) for address, e in entries.items()}
            self.look.kept[device] = kept.rows(device, sizes, graphs, held, left)

    def signs(self):
        if not self.look.parameters.ready or self.look.walk is None:
            return
        found, tree = self.look.activations, self.look.parameters.tree
        places, saved = found.places, []
        resting = {
            tree.names.get(number) for number, (root, _) in self.look.models.items() if self._rests(root)
        }
        for device, entries in self.look.ledger.own.items() if resting else ():
            for address, entry in entries.items():
                if entry.rank == rank.SAVED:
                    paths = found.placed.get((device, address))
                    saved.append((rank.rounded(entry.size, rank.GRANULE), tree.root_of(paths)))
        models = [
            (tree.names.get(number), id(type(root)), tuple(sorted(sizes.values())))
            for number, (root, sizes) in self.look.models.items()
            if tree.children(root)  # a layer is no model
        ]
        users = set() if places is None else signs.fewest_users(found.leaves, places.uses)
        self.look.signs = {
            "eval_activations": signs.eval_activations(saved, resting, len(resting) == len(self.look.models)),
            "optimizer_step": self._optimizer_step(),
            "graph_passes": None if places is None else signs.passes(found.edges, users, places.group),
            "live_passes": len(users) or None,
            "twins": signs.twins(models),
        }

    def _rests(self, root):
        """Whether a model and all below it are in eval mode."""
        todo, seen = [root], set()
        while todo:
            module = todo.pop()
            if id(module) in seen:
                continue
            seen.add(id(module))
            if field(self.look.kinds, module, "training") is not False:
                return False
            todo += [
                child
                for _, child in self.look.parameters.tree.entries(module, torch_api.MODULES)
                if self.look.is_module(child)
            ]
        return True

    def _optimizer_step(self):
        """`first` or `later` where memory ran out inside an optimizer's step, else None."""
        for frame in self.look.scene.stacks[0] if self.look.scene.stacks else ():
            if id(frame.f_code) in self.look.api.step_codes:
                args = dict(local_items(frame, self.look.scene.lists_it)).get("args")
                if type(args) is tuple and args and self.look.kinds.of(args[0]) == OPTIMIZER:
                    return self._which_step(args[0])
        return None

    def _which_step(self, optimizer):
        """By what it keeps of each parameter: of its first step something is missing yet, or the count of steps is 1."""
        groups = (
            members(self.look.kinds, field(self.look.kinds, optimizer, "param_groups"), objects=False) or ()
        )
        groups = [dict(group) for group in groups if type(group) is dict]
        wanted = [
            p for g in groups for p in tensors_in(self.look.kinds, g.get("params")) if self._has_gradient(p)
        ]
        states = members(self.look.kinds, field(self.look.kinds, optimizer, "state"), objects=False) or ()
        filled = [state for state in states if is_dict(state) and dict.__len__(state)]
        if len(filled) < len(wanted):
            # plain SGD never keeps anything
            return None if not filled and all(g.get("momentum", 1) == 0 for g in groups) else "first"
        steps = [signs.number(dict.get(state, "step"), self._item) for state in filled]
        return "first" if any(step is not None and step <= 1 for step in steps) else "later"

    def _has_gradient(self, tensor):
        return self.look.api.is_leaf(tensor) and self.look.api.grad(tensor) is not None

    def _item(self, tensor):
        """The number in a plain tensor of the CPU's, or None."""
        plain = self.look.kinds.of(tensor) == TENSOR and not self.look.api.is_cuda(tensor)
        return (
            self.look.api.item(tensor)
            if plain and self.look.shape(tensor) == ((), self.look.api.dtype(tensor))
            else None
        )
