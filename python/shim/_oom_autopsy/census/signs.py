"""Facts that point to what to do first, each None where it is not known. Pure, but for what is handed in."""

from collections import Counter

MOST_TWINS = 8


def fewest_users(leaves, uses):
    """The nodes that use the parameter that the fewest use: one for each pass through the model, as a layer that is called
    several times in one pass (a recurrent cell, a shared block) stands beside others that are called once. Empty where no
    parameter is used."""
    users = {}
    for node, used in enumerate(uses):
        if node not in leaves:
            for use in used:
                users.setdefault(use, set()).add(node)
    return users[min(users, key=lambda use: (len(users[use]), use))] if users else set()


def passes(edges, users, group):
    """How often, at least, the model is gone through along one path of the graph; None where no parameter is used.
    users: of `fewest_users`; group(node): the connected graph that it is in."""
    if not users:
        return None
    return longest(edges, users) if max(Counter(map(group, users)).values()) > 1 else 1


def longest(edges, marked):
    """The most marked nodes on one path."""
    most = {}
    for start in range(len(edges)):
        todo = [start]
        while todo:
            node = todo[-1]
            if node in most:
                todo.pop()
                continue
            waiting = [other for other in edges[node] if other not in most]
            if waiting:
                todo += waiting
                continue
            most[node] = (node in marked) + max((most[other] for other in edges[node]), default=0)
            todo.pop()
    return max(most.values(), default=0)


def twins(models):
    """{names, bytes} of models that are alike, of which the largest group counts; None where there are none.

    models: [(name, class, sizes of its parameters, sorted)]."""
    groups = {}
    for name, kind, sizes in models:
        if sizes:
            groups.setdefault((kind, sizes), []).append(name)
    alike = [(sum(sizes), names) for (_, sizes), names in groups.items() if len(names) > 1]
    if not alike:
        return None
    size, names = max(alike, key=lambda found: (found[0] * (len(found[1]) - 1), found[1]))
    return {"names": sorted(names)[:MOST_TWINS], "bytes": size}


def eval_activations(saved, in_eval, everywhere):
    """Bytes that the graph saved below models that are in eval mode as a whole; None where no model is.

    saved: [(bytes, the root of the place or None where it is not known)]; in_eval: {root}; everywhere: all are."""
    if not in_eval:
        return None
    return sum(size for size, root in saved if (everywhere if root is None else root in in_eval))


def number(value, item):
    """A count that is a number or a tensor of one: item(tensor) gives it, or None."""
    if type(value) in (int, float):
        return value
    return None if value is None else item(value)
