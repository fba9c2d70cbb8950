"""What the program holds, by what holds it: down from places that have a name, a few levels, within bounds.

`outputs[*] in evaluate (eval.py)`, `attn.k_cache[*]`, `Trainer.cache[*]`, `HISTORY in train.py`. Never a key, a value or a
position. Only types are asked, and the containers' own C methods.
"""

import functools
import gc
import types
from collections import OrderedDict

from ..heap.names import clean
from ..heap.objects import HEAP_TYPE, bases_of, container_reader, flags_of, members, space_of, type_name
from ..heap.places import ATTRIBUTE, ELEMENT, LOCAL, Named

DEPTH = 7  # containers and objects inside one another
MOST_OPENED = 4000  # containers and objects that are looked into
MOST_MEMBERS = 20_000  # of one of them; and twice that in all
GLANCE = 64  # members from which on a container is first asked whether anything of interest is in it
MAX_NAME = 120
CACHE_OF = "cache of "

_CODE = types.FunctionType.__dict__["__code__"].__get__
_CLOSURE = types.FunctionType.__dict__["__closure__"].__get__
_SELF = types.MethodType.__dict__["__self__"].__get__
_CACHE = type(functools.lru_cache(len))
# By id, as a class's metaclass may define __eq__.
_OPENED = frozenset(map(id, (types.FunctionType, types.MethodType, _CACHE, functools.partial)))
_HOOKS = frozenset(map(id, (dict, OrderedDict)))  # a dozen in each module, nearly all of them empty
_PLAIN = frozenset(map(id, (bool, int, float, str, type(None), bytes)))


class Holders:
    """The names of `wanted`: {id: tensor}. `own`: names of the user's modules, whose classes are looked into."""

    def __init__(self, kinds, wanted, own, check):
        self.kinds, self.wanted, self.own, self.check = kinds, wanted, own, check
        self.names = {}  # id(tensor) -> Named, of the best
        self.opened, self.read = 0, 0
        self.bounded = False  # a bound was reached
        self._seen, self._enters = set(), {}

    def descend(self, level):
        """Names what is reached from a list of Named."""
        for _ in range(DEPTH):
            deeper = []
            for at, named in enumerate(level):
                if not at & 1023:
                    self.check()
                value = named.value
                if id(value) in self.wanted:
                    known = self.names.get(id(value))
                    if known is None or named.rank < known.rank:
                        self.names[id(value)] = named
                elif id(value) not in self._seen and self._entered(value):
                    self._seen.add(id(value))
                    if self.opened >= MOST_OPENED or self.read > 2 * MOST_MEMBERS:
                        self.bounded = True
                        continue
                    self.opened += 1
                    deeper += self._inside(named)
            if not deeper:
                return
            level = deeper

    def _entered(self, value):
        kind = type(value)
        found = self._enters.get(id(kind))
        if found is None:
            found = self._enters[id(kind)] = self._enters_kind(kind)
            self.kinds.keep.append(kind)
        return found

    def _enters_kind(self, kind):
        if id(kind) in _OPENED:
            return True
        if self.kinds.of_type(kind):
            return False
        bases = bases_of(kind)
        if any(base is types.ModuleType for base in bases):
            return False
        if any(base is type for base in bases):
            return True
        return bool(flags_of(kind) & HEAP_TYPE) or container_reader(kind) is not None

    def _inside(self, named):
        """What one thing holds, as Named."""
        value, kind = named.value, type(named.value)
        if kind is types.FunctionType:
            code = _CODE(value)
            cells = zip(code.co_freevars, _CLOSURE(value) or ())
            where = f" in closure of {clean(code.co_name) if code.co_name.isidentifier() else 'a lambda'}"
            return [
                Named(ELEMENT, clean(name), where, held, named.left, named.kind)
                for name, cell in cells
                for held in gc.get_referents(cell)
            ]
        if kind is types.MethodType:
            return [named._replace(value=_SELF(value))]
        if kind is _CACHE:
            return self._elements(
                named._replace(name=_short(f"{CACHE_OF}{named.name}")), gc.get_referents(value)
            )
        if kind is functools.partial:
            return self._elements(named, gc.get_referents(value))
        held = members(self.kinds, value, objects=False)
        if held is not None:
            return self._elements(named, held)
        if any(base is type for base in bases_of(kind)):
            return self._of_class(named)
        # What a method calls `self` is known by its class.
        if named.name == "self" and named.kind == "holder":
            named = named._replace(
                name=clean(type_name(kind)), where="" if named.left is None else named.where
            )
        return [
            named._replace(rank=_inner(named.rank), name=_short(f"{named.name}.{clean(name)}"), value=held)
            for name, held in self.kinds.fields(value)
        ]

    def _of_class(self, named):
        space = space_of(named.value)
        module = space.get("__module__")
        if type(module) is not str or module not in self.own:
            return []
        name = clean(type_name(named.value))
        return [
            named._replace(name=_short(f"{name}.{clean(key)}"), value=value)
            for key, value in space.items()
            if type(key) is str and not key.startswith("__") and type(value) is not types.FunctionType
        ]

    def _elements(self, named, held):
        held = held[:MOST_MEMBERS]
        self.read += len(held)
        if len(held) > GLANCE and self._dull(held):
            return []
        plain = named.name.endswith("[*]") or named.name.startswith(CACHE_OF) or named.kind != "holder"
        name = named.name if plain else f"{named.name}[*]"
        rank = _inner(named.rank)
        return [Named(rank, name, named.where, value, named.left, named.kind) for value in held]

    def _dull(self, held):
        """Whether, asked in C, nothing of interest is in it, nor anything that might hold some."""
        if not self.wanted.keys().isdisjoint(map(id, held)):
            return False
        some = {id(type(each)): each for each in held[:1000]}
        if not any(map(self._entered, some.values())):
            return True
        return len(held) > 1000 and self.wanted.keys().isdisjoint(map(id, gc.get_referents(*held[:5000])))


def _inner(rank):
    """The rank of what something holds: it outlives a variable that goes from value to value."""
    return ELEMENT if rank == LOCAL else rank


def _short(name):
    return name if len(name) <= MAX_NAME else "..." + name[-(MAX_NAME - 3) :]


def text(named, tree):
    """`outputs[*] in evaluate (eval.py)`; of torch's own code the module that it works for, `input in encoder.layers.*`; of
    a compiled graph what is around it."""
    if named.kind == "compiled":
        known = [each for each in named.where if type(each) is str or tree.knows(each)]
        models = [each for each in known if type(each) is not str] or known
        return "?" if not models else models[-1] if type(models[-1]) is str else tree.place(models[-1])
    return named.name + (named.where if type(named.where) is str else f" in {tree.place(named.where)}")


def of_modules(tree, held_apart):
    """Fields of the program's modules, but for those in `held_apart`, as Named."""
    found = []
    for module in tree.modules:
        fields = tree.parts[id(module)]
        path = None
        for name, value in fields.items():
            kind = id(type(value))
            if kind in _PLAIN or name in held_apart or (kind in _HOOKS and not len(value)):
                continue
            if path is None:
                path = tree.place(module)
            found.append(Named(ATTRIBUTE, _short(f"{path}.{clean(name)}"), "", value, None, "holder"))
    return found


def variables(kinds, named, wanted):
    """{id(object): `net`, or `Trainer.net`}, of modules and optimizers that variables and attributes of objects hold."""
    found, objects = {}, []
    for each in named:
        if wanted(each.value):
            found.setdefault(id(each.value), each.name)
        elif kinds.of(each.value) == 0 and flags_of(type(each.value)) & HEAP_TYPE:
            objects.append(each)
    for each in objects:
        owner = clean(type_name(type(each.value))) if each.name == "self" else each.name
        for name, value in kinds.fields(each.value):
            if wanted(value):
                found.setdefault(id(value), f"{owner}.{clean(name)}")
    return found
