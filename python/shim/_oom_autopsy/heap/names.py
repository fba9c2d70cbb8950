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
    path = ".".join(clean(part) for part in parts)
    return path if len(path) <= MAX_NAME else "..." + path[-(MAX_NAME - 3) :]


def is_dict(value):
    """Whether a value's real type is dict or made from it; `__class__` is not asked."""
    return any(base is dict for base in type.__dict__["__mro__"].__get__(type(value)))


def entries(value):
    """[(key, item)] of a dict, without those that are None; [] for anything else."""
    return [(key, item) for key, item in dict.items(value) if item is not None] if is_dict(value) else []


class ModuleTree:
    """Paths of modules in the live tree. The root is a module that no live module holds."""

    def __init__(self, kinds, modules):
        self.parent = {}  # id(child) -> (parent, the child's name in it)
        self.parts = {}  # id(module) -> {PARAMETERS: {...}, BUFFERS: {...}}
        for module in modules:
            fields = {key: value for key, value in kinds.fields(module) if type(key) is str}
            self.parts[id(module)] = fields
            for name, child in entries(fields.get(torch_api.MODULES)):
                if child is not module:
                    self.parent.setdefault(id(child), (module, name))
        self.labels = {}  # id(root) -> "Net", "Net#2"
        self.modules = modules

    def entries(self, module, part):
        """[(name, tensor)] of torch_api.PARAMETERS or torch_api.BUFFERS."""
        return entries(self.parts[id(module)].get(part))

    def root_and_path(self, module):
        """(the root module, names from it down to `module`). A ring of modules ends where it began."""
        path, seen = [], {id(module)}
        for _ in range(MAX_CLIMB):
            up = self.parent.get(id(module))
            if up is None or id(up[0]) in seen:
                break
            module, name = up
            seen.add(id(module))
            path.append(name)
        path.reverse()
        return module, path

    def name_roots(self, roots):
        """Gives roots their prefixes: none where there is one, else class names, numbered where they
        repeat."""
        unique = {id(root): root for root in roots}
        if len(unique) < 2:
            return
        counts = {}
        for number, root in unique.items():
            name = clean(type_name(type(root)))
            counts[name] = counts.get(name, 0) + 1
            self.labels[number] = name if counts[name] == 1 else f"{name}#{counts[name]}"

    def name(self, module, entry):
        """`layers.3.mlp.weight`, with the root's class in front where there are several roots."""
        root, path = self.root_and_path(module)
        plain = joined([*path, entry])
        prefix = self.labels.get(id(root))
        return plain if prefix is None else f"{prefix}.{plain}"[:MAX_NAME]


def optimizer_name(optimizer, key):
    """`AdamW exp_avg`."""
    return f"{clean(type_name(type(optimizer)))} {clean(key)}"
