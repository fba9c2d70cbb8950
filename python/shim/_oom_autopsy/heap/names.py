"""Census, part 2: names of owners. Names only, never values: what is no plain name is written "(key)"."""

import re

from .. import torch_api
from .objects import type_name

NAME = re.compile(r"[A-Za-z0-9_.]{1,120}", re.ASCII)
NO_NAME = "(key)"
MAX_NAME = 120
MAX_CLIMB = 200  # modules inside modules


def clean(name):
    """`name` where it is a plain name of at most 120 characters, else "(key)"."""
    return name if type(name) is str and NAME.fullmatch(name) else NO_NAME


def joined(parts):
    """A dotted path of names; where it is too long its end is kept, after three dots."""
    return _short(".".join(clean(part) for part in parts))


def is_dict(value):
    """Whether a value's real type is dict or made from it; `__class__` is not asked."""
    return any(base is dict for base in type.__dict__["__mro__"].__get__(type(value)))


def entries(value):
    """[(key, item)] of a dict, without those that are None; [] for anything else."""
    return [(key, item) for key, item in dict.items(value) if item is not None] if is_dict(value) else []


class ModuleTree:
    """Paths of modules in the live tree. The root is a module that no live module holds. A path is a tuple of names, without
    the parts that wrappers add, and begins with the root's label where there are several roots."""

    def __init__(self, kinds, modules):
        self.parent = {}  # id(child) -> (parent, the child's name in it)
        self.parts = {}  # id(module) -> {PARAMETERS: {...}, BUFFERS: {...}}
        self.modules = modules
        for module in modules:
            fields = {key: value for key, value in kinds.fields(module) if type(key) is str}
            self.parts[id(module)] = fields
            for name, child in entries(fields.get(torch_api.MODULES)):
                if child is not module:
                    self.parent.setdefault(id(child), (module, name))
        self.alike = {id(module) for module in modules if self._children_alike(module)}
        self.labels = {}  # id(root) -> "Net", "Net#2", or the variable that holds it
        self.names = {}  # id(root) -> how the root itself is called
        self._paths, self._shown = {}, {}

    def entries(self, module, part):
        """[(name, tensor)] of torch_api.PARAMETERS or torch_api.BUFFERS."""
        return entries(self.parts[id(module)].get(part))

    def children(self, module):
        """[(name, module)] right below, wrappers looked through."""
        fields = self.parts.get(id(module), {})
        return [(name, self._unwrapped(child)) for name, child in entries(fields.get(torch_api.MODULES))]

    def _children_alike(self, module):
        """Whether its numbered children are of one class, so that their numbers tell nothing: blocks, not steps."""
        found = [child for name, child in self.children(module) if _is_index(name)]
        return len(found) > 1 and len(set(map(id, map(type, found)))) == 1

    def _unwrapped(self, module):
        for _ in range(MAX_CLIMB):
            inner = [
                child
                for name, child in entries(self.parts.get(id(module), {}).get(torch_api.MODULES))
                if _adds(module, name)
            ]
            if not inner:
                break
            module = inner[0]
        return module

    def climb(self, module):
        """(the root module, [(parent, name)] from it down to `module`). A ring of modules ends where it began."""
        path, seen = [], {id(module)}
        for _ in range(MAX_CLIMB):
            up = self.parent.get(id(module))
            if up is None or id(up[0]) in seen:
                break
            path.append(up)
            module = up[0]
            seen.add(id(module))
        path.reverse()
        return module, path

    def root(self, module):
        """The root module above a module."""
        return self.climb(module)[0]

    def name_roots(self, roots, variables=None):
        """Gives roots their labels: none where there is one, else the variable that holds it, or its class, numbered
        where it repeats. variables: {id(root): name}."""
        unique = {id(root): root for root in roots}
        counts, variables = {}, variables or {}
        for number, root in unique.items():
            name = variables.get(number) or clean(type_name(type(root)))
            counts[name] = counts.get(name, 0) + 1
            label = name if counts[name] == 1 else f"{name}#{counts[name]}"
            self.labels[number] = label
            # Models of one variable, as of each failed test, are told together.
            self.names[number] = name if number in variables else label
        if len(unique) < 2:
            self.labels = {}
        self._paths, self._shown = {}, {}

    def path(self, module):
        """The path of a module; `shown` has it as a reader sees it."""
        found = self._paths.get(id(module))
        if found is None:
            root, steps = self.climb(module)
            label = self.labels.get(id(root))
            path, shown = ([], []) if label is None else ([label], [self.names[id(root)]])
            self._show(path, shown, root)
            for parent, name in steps:
                if not _adds(parent, name):
                    path.append(clean(name))
                    shown.append("*" if _is_index(name) and id(parent) in self.alike else clean(name))
                    self._show(path, shown, root)
            found = self._paths[id(module)] = tuple(path)
        return found

    def place(self, module):
        """How a module is called, also one below a root that holds no tensors and has no label."""
        root, path = self.root(module), self.path(module)
        if id(root) in self.names or not self.names:
            return self.shown(path)
        return _short(".".join([clean(type_name(type(root))), *path]))

    def knows(self, module):
        """Whether a module is of a model that holds tensors."""
        return id(self.root(module)) in self.names

    def root_of(self, paths):
        """The name of the root module that paths begin at, or None where that is not known."""
        if not paths:
            return None
        if not self.labels:
            return next(iter(self.names.values()), None)
        return next(
            (self.names[number] for number, label in self.labels.items() if label == paths[0][0]), None
        )

    def _show(self, path, shown, root):
        name = self.names.get(id(root)) or clean(type_name(type(root)))
        if not shown or shown[0] == "*" or _is_index(shown[0]):  # a number says nothing by itself
            shown = [name, *shown]
        self._shown.setdefault(tuple(path), _short(".".join(shown)))

    def shown(self, path):
        """`encoder.layers.*.linear1` of a path; a root's own name where it is empty."""
        found = self._shown.get(path)
        if found is None and len(path) > 1:  # of a parameter
            found = _short(f"{self.shown(path[:-1])}.{clean(path[-1])}")
        return found or joined(path)

    def name(self, module, entry):
        """`layers.*.mlp.weight`."""
        path = self.path(module)
        return _short(f"{self.shown(path)}.{clean(entry)}") if path else clean(entry)


def _is_index(name):
    return type(name) is str and name.isdigit()


def _adds(parent, name):
    """Whether a wrapper adds this part to names: it is none of the user's model."""
    if type(name) is not str:
        return False
    return name in torch_api.WRAPPED or (
        name == torch_api.WRAPPED_PUBLIC and type_name(type(parent)) in torch_api.WRAPPERS
    )


def _short(path):
    """A path of clean names; where it is too long its end is kept, after three dots."""
    return path if len(path) <= MAX_NAME else "..." + path[-(MAX_NAME - 3) :]


def optimizer_name(optimizer, key, variable=None):
    """`AdamW exp_avg of optimizer`, or without the variable that holds it, where none is known."""
    name = f"{clean(type_name(type(optimizer)))} {clean(key)}"
    return name if variable is None else f"{name} of {variable}"
