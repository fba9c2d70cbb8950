"""What one name of the program keeps alive: by itself, by the autograd graph behind it, by the frame of a failed function. Pure."""

KEPT = 10  # rows
MOST_STARTS = 16  # names whose graphs are followed


def reach(edges, starts, check=lambda: None):
    """Nodes that lead on from `starts`, these among them."""
    seen, todo = set(starts), list(starts)
    while todo:
        if not len(seen) & 4095:
            check()
        for node in edges[todo.pop()]:
            if node not in seen:
                seen.add(node)
                todo.append(node)
    return seen


def ends(edges):
    """Nodes that no other leads to."""
    inner = {node for leads_to in edges for node in leads_to}
    return {node for node in range(len(edges)) if node not in inner}


def by_graph(edges, starts, saved, check=lambda: None):
    """[(name, {storage}, nodes)] of the graphs behind names. starts: {name: {node}}; saved: {storage: [nodes that saved it]}.
    Those that begin at an end of the graph come first where there are too many."""
    last = ends(edges)
    storages_of = {}
    for storage, nodes in saved.items():
        for node in nodes:
            storages_of.setdefault(node, []).append(storage)
    order = sorted(starts, key=lambda name: (last.isdisjoint(starts[name]), -max(starts[name]), name))
    found = []
    for name in order[:MOST_STARTS]:
        nodes = reach(edges, starts[name], check)
        found.append((name, {each for node in nodes for each in storages_of.get(node, ())}, len(nodes)))
    return found


def rows(device, sizes, graphs, holders, frames):
    """The receipt's `kept` of a device: the largest first; of graphs that keep as much, the smallest, which is what goes from
    one iteration to the next. A storage is (device, address); sizes: {storage: bytes}; holders, frames: {name: {storage}}."""
    named = [("graph", *graph) for graph in graphs]
    named += [
        (by, name, held, 0)
        for by, found in (("holder", holders), ("traceback", frames))
        for name, held in found.items()
    ]
    found = []
    for by, name, storages, nodes in named:
        here = [sizes[each] for each in storages if each[0] == device and each in sizes]
        found.append((-sum(here), nodes, name, by, len(here)))
    return [
        {"name": name, "by": by, "bytes": -size, "count": count}
        for size, _, name, by, count in sorted(found)[:KEPT]
        if size
    ]
