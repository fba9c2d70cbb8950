"""Which layer of the model an operation of the autograd graph belongs to, told by the graph itself.

What is a fact: which parameters a node uses (it saved one, or an edge leads to one, perhaps through nodes that only reshape
it), and in which order one thread made the nodes of one graph. A node that uses parameters of one module is that `layer`'s.
One that was made between two uses of parameters of a block which was called once lies in that block. Of any other only its
`position` is known: after which layer it was made. Pure: nodes are numbers, parameters are (path of the module, name).
"""

import re
from bisect import bisect_left
from collections import namedtuple

# `paths`: of one or more modules; of a position after a module's own parameter, with that one's name. A BLOCK is a module around the operation, a LAYER the one whose parameters it uses.
Place = namedtuple("Place", "kind paths")
COMPILED, LAYER, BLOCK, POSITION, NODE = "compiled", "layer", "block", "position", "node"
ORDER = (COMPILED, LAYER, BLOCK, POSITION, NODE)

# Nodes that only reshape or convert their one input: a parameter seen through them is still that parameter.
THROUGH = re.compile(
    r"(T|Transpose|Permute|View|UnsafeView|Reshape|ReshapeAlias|Expand|ToCopy|Clone|Slice|Select|Split|SplitWithSizes|"
    r"Unbind|Squeeze|Unsqueeze|AsStrided|Alias)Backward\d*"
)
COMPILED_NODE = re.compile(r"CompiledFunction\w*")
LOOKUP, PRODUCT = re.compile(r"Embedding\w*"), re.compile(r"(Mm|Addmm|Linear)\w*")
MOST_THROUGH = 8  # reshaping nodes one after another
MOST_SIBLINGS = 4  # modules side by side that are named together


class Graph:
    """What is known of the nodes. Nodes are numbered from 0."""

    def __init__(self, names, numbers, edges):
        self.names, self.numbers, self.edges = (
            names,
            numbers,
            edges,
        )  # of each node; edges lead to other nodes
        self.uses = {}  # node -> {(path, parameter)} that it saved, or that it stands for
        self.leaves = set()  # nodes that stand for a parameter
        self.calls = {}  # node -> path of the module that it will call again in backward (checkpointing)


def common(paths):
    """The longest beginning that all paths share."""
    first, last = min(paths), max(paths)
    length = 0
    while length < min(len(first), len(last)) and first[length] == last[length]:
        length += 1
    return first[:length]


def siblings(paths):
    """Whether a few modules right below one are meant, as three projections of one input."""
    return 1 < len(paths) <= MOST_SIBLINGS and len({path[:-1] for path in paths}) == 1 and len(paths[0]) > 1


class Layers:
    """Places of nodes. `kind_of(path)`: "lookup" for nn.Embedding, "product" for nn.Linear, "list" for a container without
    a forward of its own, or None. `labels`: paths that only tell several roots apart."""

    def __init__(self, graph, kind_of, labels=frozenset(), check=lambda: None):
        self.graph, self.kind_of, self.labels = graph, kind_of, labels
        self._sides, self._group = {}, list(range(len(graph.names)))
        names = set(graph.names)  # few, of many nodes
        self._through = {name for name in names if THROUGH.fullmatch(name)}
        self._compiled = {name for name in names if COMPILED_NODE.fullmatch(name)}
        self._sorted = {_NONE: []}  # uses -> paths of their modules
        self.uses = [self._uses_of(node, check) for node in range(len(graph.names))]
        self._runs, self._clash, self._again = {}, set(), set()
        self._order()
        self._around = {
            path[:length] for uses in self.uses for path, _ in uses for length in range(len(path))
        }
        self._places = {}

    def place(self, node):
        """The Place of a node."""
        found = self._places.get(node)
        if found is None:
            found = self._places[node] = self._place(node)
        return found

    def best(self, nodes):
        """(a node, its Place) of what several nodes saved: of the strongest kind; of layers, all."""
        if len(nodes) == 1:
            return nodes[0], self.place(nodes[0])
        places = [self.place(node) for node in nodes]
        kind = min((place.kind for place in places), key=ORDER.index)
        if kind != LAYER:
            first = min(
                nodes, key=lambda node: (ORDER.index(self.place(node).kind), self.graph.numbers[node] or 0)
            )
            return first, self.place(first)
        paths = {path for place in places if place.kind == LAYER for path in place.paths}
        return next(n for n, place in zip(nodes, places) if place.kind == LAYER), Place(LAYER, sorted(paths))

    # --- which parameters a node uses ---

    def _uses_of(self, node, check):
        if not node & 1023:
            check()
        graph, sides = self.graph, self._sides
        uses = graph.uses.get(node, _NONE)
        for other in graph.edges[node]:
            side = sides.get(other)
            side = self._side(other) if side is None else side
            if side:
                uses = uses | side
            elif other not in graph.leaves:
                self._join(node, other)
        if len(uses) > 1:  # tied weights: the operation tells which of the two modules it was
            name = graph.names[node]
            kind = "lookup" if LOOKUP.fullmatch(name) else "product" if PRODUCT.fullmatch(name) else None
            mine = frozenset(use for use in uses if kind and self.kind_of(use[0]) == kind)
            if len({path for path, _ in mine}) == 1:
                return mine
        return uses

    def _side(self, node, depth=MOST_THROUGH):
        """The parameters behind a node that stands for one, or only reshapes it."""
        found = self._sides.get(node)
        if found is None:
            graph = self.graph
            if node in graph.leaves:
                found = graph.uses.get(node, _NONE)
            elif depth and len(graph.edges[node]) == 1 and graph.names[node] in self._through:
                found = self._side(graph.edges[node][0], depth - 1)
            else:
                found = _NONE
            self._sides[node] = found
        return found

    # --- in which order ---

    def group(self, node):
        """The connected graph that a node is in, as one of its nodes."""
        group = self._group
        while group[node] != node:
            group[node] = node = group[group[node]]
        return node

    def _join(self, a, b):
        self._group[self.group(a)] = self.group(b)

    def _order(self):
        """The uses of parameters in each connected graph, in order; and what was used more than once there. A number that
        is there twice is of another thread: no order is known."""
        graph = self.graph
        for node, uses in enumerate(self.uses):
            number = graph.numbers[node]
            if uses and number is not None and node not in graph.leaves and not self._side(node):
                self._runs.setdefault(self.group(node), []).append((number, node))
        for group, run in self._runs.items():
            run.sort()
            if len({number for number, _ in run}) < len(run):
                self._clash.add(group)
            used = set()
            for _, node in run:
                for use in self.uses[node]:
                    if use in used:  # its module, and those around it, may have been called more than once
                        self._again.update((group, use[0][:length]) for length in range(1, len(use[0]) + 1))
                    used.add(use)

    def _paths(self, node):
        """Of the modules whose parameters a node uses; of a compiled graph, what is around them."""
        uses = self.uses[node]
        paths = self._sorted.get(uses)
        if paths is None:
            paths = self._sorted[uses] = sorted({path for path, _ in uses})
        return [common(paths)] if paths and self.graph.names[node] in self._compiled else paths

    def _place(self, node):
        graph = self.graph
        if node in graph.calls:
            return Place(BLOCK, [graph.calls[node]])
        paths = self._paths(node)
        if paths and graph.names[node] in self._compiled:
            return Place(COMPILED, paths)
        if len(paths) == 1 or siblings(paths):
            return Place(LAYER, paths)
        if paths:  # it uses parameters of modules that lie apart: what is around them all has made it
            around = common(paths)
            return Place(BLOCK, [around]) if around and around not in self.labels else _NOWHERE
        group, number = self.group(node), graph.numbers[node]
        if number is None or group in self._clash:
            return _NOWHERE
        run = self._runs.get(group, ())
        at = bisect_left(run, (number, -1))
        last = self.uses[run[at - 1][1]] if at else _NONE
        before = self._paths(run[at - 1][1]) if at else []
        after = self._paths(run[at][1]) if at < len(run) else []
        block = common([*before, *after]) if before and after else ()
        while block and self.kind_of(block) == "list":
            block = block[:-1]
        if block and block not in self.labels and (group, block) not in self._again:
            return Place(BLOCK, [block])
        own = [(*path, parameter) for path, parameter in last if before == [path] and path in self._around]
        if own:  # its module goes on: "after" it would say that it has ended
            return Place(POSITION, sorted(own)[:1])
        if len(before) == 1 or siblings(before):
            return Place(POSITION, before)
        return _NOWHERE


_NONE = frozenset()
_NOWHERE = Place(NODE, [])


def named(place, operation, shown):
    """The owner's name of a Place. `operation`: its node's type; shown(path): a path as a reader sees it."""
    if not place.paths:
        return operation
    if siblings(place.paths) and len(set(map(shown, place.paths))) > 1:
        around = shown(place.paths[0][:-1])
        where = f"{around}.{{{','.join(path[-1] for path in place.paths)}}}"
    else:
        shown_paths = list(dict.fromkeys(map(shown, place.paths)))
        where = shown_paths[0] + (f" and {len(shown_paths) - 1} more" if len(shown_paths) > 1 else "")
    return f"{operation} after {where}" if place.kind == POSITION else where
