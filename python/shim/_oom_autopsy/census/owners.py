"""Names of what parameters, buffers and gradients are, and of the layers that saved activations."""

from .. import torch_api
from ..heap.graph import GraphWalk
from ..heap.names import ModuleTree, clean
from ..heap.objects import MODULE, NODE
from . import layers
from .sums import GRANULE, rounded


class Parameters:
    """Parameters and buffers of the live module tree, by tensor and by storage."""

    tree: ModuleTree

    def __init__(self):
        self.ready = False  # where the step that reads modules was cut short, there are no names
        self.by_tensor = {}  # id(tensor) -> {(path, name)}
        self.by_storage = {}  # (device, address) -> {(path, name)}; none where many lie in one
        self.flat = {}  # (device, address) -> name of the storage, where many lie in one
        self._found = {}  # (device, address) -> {id(tensor): (path, name, bytes or None)}

    def add(self, module, name, tensor, facts, size):
        """One of them. facts: as Reader.storages gives; size: its own bytes, None where not known."""
        path = self.tree.path(module)
        self.by_tensor.setdefault(id(tensor), set()).add((path, clean(name)))
        for device, address, whole, _ in facts:
            self._found.setdefault((device, address, whole), {})[id(tensor)] = path, name, size

    def settle(self):
        """Tells which storages hold many: none of what lies there fills it."""
        self.ready = True
        for (device, address, whole), found in self._found.items():
            uses = {(path, clean(name)) for path, name, _ in found.values()}
            fills = any(
                size is None or rounded(size, GRANULE) >= rounded(whole, GRANULE)
                for _, _, size in found.values()
            )
            flat = any(name == torch_api.FLAT_PARAMETER for _, name, _ in found.values())
            if flat or (len(found) > 1 and not fills):
                around = self.tree.shown(layers.common([path for path, _ in uses]))
                self.flat[device, address] = f"flat parameter of {around}"
            else:
                self.by_storage[device, address] = uses

    def name(self, module, name, facts):
        """The owner's name of one of them."""
        return self.flat_name(facts) or self.tree.name(module, name)

    def flat_name(self, facts):
        """The name of a storage that holds many, or None."""
        return next((self.flat[fact[:2]] for fact in facts if fact[:2] in self.flat), None)

    def uses(self, tensor, facts):
        """{(path, name)} of what a tensor is or shares its storage with."""
        found = self.by_tensor.get(id(tensor))
        if found is None:
            for device, address, _, _ in facts:
                found = found or self.by_storage.get((device, address))
        return found or ()


def kinds_of_modules(api, tree):
    """{path: "lookup", "product" or "list"}, for Layers."""
    wanted = [(id(api.embedding), "lookup"), (id(api.linear), "product")]
    wanted += [(id(kind), "list") for kind in api.no_forward]
    known, found = {}, {}
    for module in tree.modules:
        kind = type(module)
        if id(kind) not in known:
            bases = set(map(id, type.__dict__["__mro__"].__get__(kind)))
            known[id(kind)] = next((what for number, what in wanted if number in bases), None)
        if known[id(kind)] is not None:
            found[tree.path(module)] = known[id(kind)]
    return found


class Activations:
    """What the graph saved, and the names of the layers that did."""

    walk: GraphWalk
    tree: ModuleTree

    def __init__(self):
        self.savers = {}  # (device, address) -> [node]
        self.uses, self.leaves, self.calls = {}, set(), {}
        self.index = {}  # id(autograd node) -> node
        self.edges = []  # of each node
        self.placed = {}  # (device, address) -> paths of the modules that saved it
        self._names = {}
        self.places = None

    def saved(self, facts, uses):
        """The node that is being visited saved a tensor, which is or is not one of the model's."""
        node = len(self.walk.nodes) - 1
        if uses:
            self._used(node, uses)
            return
        for fact in facts:
            self.savers.setdefault(fact[:2], []).append(node)

    def leaf(self, uses):
        """The node that is being visited stands for a parameter."""
        self.leaves.add(len(self.walk.nodes) - 1)
        self._used(len(self.walk.nodes) - 1, uses)

    def stands_for(self, node, uses):
        """So does a node that made what stands in a module as a parameter: FSDP's views."""
        at = self.index.get(id(node))
        if at is not None:
            self.leaves.add(at)
            self._used(at, uses)

    def _used(self, node, uses):
        if uses:
            self.uses[node] = self.uses.get(node, frozenset()).union(uses)

    def close(self, kinds, tree):
        """Once the walk is over. Nodes of a checkpoint keep the module that they will call."""
        self.tree = tree
        self.index = {id(node): at for at, node in enumerate(self.walk.nodes)}
        for at, node in enumerate(self.walk.nodes):
            if kinds.of(node) == NODE:
                called = [tree.path(value) for _, value in kinds.fields(node) if kinds.of(value) == MODULE]
                if called and called[0]:
                    self.calls[at] = called[0]

    def settle(self, api, check):
        """Places the nodes."""
        self.edges = edges = [
            [self.index[number] for number in ids if number in self.index] for ids in self.walk.edges
        ]
        graph = layers.Graph(self.walk.names, self.walk.numbers, edges)
        graph.uses, graph.leaves, graph.calls = self.uses, self.leaves, self.calls
        kinds = kinds_of_modules(api, self.tree)
        labels = frozenset((label,) for label in self.tree.labels.values())
        self.places = layers.Layers(graph, kinds.get, labels, check)

    def name_saved(self, key):
        """(name, kind) of what lies at a storage; None where no node that was placed saved it."""
        nodes = self.savers.get(key)
        if not nodes or self.places is None:
            return None
        node, place = self.places.best(nodes)
        self.placed[key] = place.paths
        return self._named(place, self.walk.names[node], "")

    def name_made(self, node):
        """(name, kind) of what an autograd node made and nobody saved."""
        at = self.index.get(id(node))
        if at is None or self.places is None:
            return None
        return self._named(self.places.place(at), self.walk.names[at], " output")

    def _named(self, place, operation, made):
        """Memoized: blocks of a model share most of it, and a graph has many nodes that lie nowhere."""
        key = place.kind, tuple(place.paths), operation, made
        found = self._names.get(key)
        if found is None:
            found = self._names[key] = self._name(place, clean(operation) + made)
        return found

    def _name(self, place, operation):
        kind = layers.LAYER if place.kind == layers.BLOCK else place.kind
        return layers.named(place, operation, self.tree.shown), kind
