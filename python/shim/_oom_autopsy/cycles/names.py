"""What a report about reference cycles may say of an object: its type's name, and the name of an attribute.

No value, string, dict key, or repr of the user's objects passes through here, and no code of the user's runs: types,
slots and instance dictionaries are read through the C descriptors of ``type`` and of the class itself, never with
``getattr``, ``isinstance``, ``==`` or ``hash`` (an object's ``__class__``, ``__getattr__``, ``__eq__`` and ``__hash__`` may
raise, or do worse; torch's own finder met dead weakref proxies that way, pytorch/pytorch#146922).
"""

from __future__ import annotations

import re
import sys
import types
from typing import Any, NamedTuple

UNNAMED = "?"

_MRO = type.__dict__["__mro__"]
_QUALNAME = type.__dict__["__qualname__"]
_MODULE = type.__dict__["__module__"]
_NAMESPACE = type.__dict__["__dict__"]

# A name comes from code, or it is not printed: type("any text", (), {}) is legal Python, and so is setattr(o, "any text", 1).
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}\Z")
_DOTTED = re.compile(
    r"(?:[A-Za-z_][A-Za-z0-9_]{0,63}|<locals>)(?:\.(?:[A-Za-z_][A-Za-z0-9_]{0,63}|<locals>)){0,9}\Z"
)

# Attributes that CPython's own types hold outside any slot or dictionary, each read through the descriptor of that very
# type. Left out on purpose: what computes or keeps something when read (a frame's f_locals, a generator's gi_frame, a
# function's __annotations__). Keyed by id: hashing a class runs its metaclass's code.
_BUILTIN_ATTRIBUTES: dict[int, tuple[str, ...]] = {
    id(types.FunctionType): ("__defaults__", "__kwdefaults__"),
    id(types.CellType): ("cell_contents",),
    id(types.FrameType): ("f_back",),
    id(types.TracebackType): ("tb_next", "tb_frame"),
    id(BaseException): ("__traceback__", "__context__", "__cause__"),
}

# How a reference out of a container is labelled. The place in it is not said: a dict key is a value of the user's.
_CONTAINER_LABELS: dict[int, str] = {
    id(dict): "[value]",
    id(list): "[item]",
    id(tuple): "[item]",
    id(set): "[element]",
    id(frozenset): "[element]",
    id(types.FrameType): "local variable",
    id(types.GeneratorType): "local variable",
    id(types.CoroutineType): "local variable",
    id(types.AsyncGeneratorType): "local variable",
}


class Bases(NamedTuple):
    """A type's real method resolution order, whatever its metaclass says; and the ids in it, to look one up without `==`."""

    mro: tuple
    ids: frozenset

    def has(self, tp: type) -> bool:
        return id(tp) in self.ids


def bases_of(tp: type) -> Bases:
    """The order is empty while a class is being built: then the type alone."""
    mro = _MRO.__get__(tp) or (tp,)
    return Bases(mro, frozenset(map(id, mro)))


def type_name(tp: type) -> str:
    """`module.Qualified.Name` of a type; bare for built-in types; `?` where the name is not one that code could have."""
    try:
        name = _QUALNAME.__get__(tp)
        module = _MODULE.__get__(tp)
    except Exception:
        return UNNAMED
    if type(name) is not str or not _DOTTED.match(name):
        return UNNAMED
    # `__module__` is an ordinary class attribute that may hold anything: only the name of a module that exists is one.
    if type(module) is not str or not _DOTTED.match(module) or not dict.__contains__(sys.modules, module):
        return UNNAMED + "." + name
    return name if module == "builtins" else module + "." + name


def instance_dict(obj: Any, bases: Bases) -> dict | None:
    """The dictionary that holds `obj`'s attributes; None where there is none, or where it may hold plain dict keys.

    On CPython 3.11 and later reading it gives the object a dictionary of its own, if it had its values inline: callers
    only ask for objects that nothing reaches any more."""
    if bases.has(dict) or bases.has(type) or bases.has(types.ModuleType):
        return None
    for base in bases.mro:
        descriptor = _NAMESPACE.__get__(base).get("__dict__")
        if descriptor is None:
            continue
        # A class may define a property of that name; then its dictionary is its own affair.
        if type(descriptor) is not types.GetSetDescriptorType:
            return None
        try:
            found = descriptor.__get__(obj)
        except Exception:
            return None
        return found if type(found) is dict else None
    return None


def attribute_label(key: Any) -> str:
    """`.name` of a key of an instance dictionary; `attribute` for a key that is no name."""
    return "." + key if type(key) is str and _IDENTIFIER.match(key) else "attribute"


def reference_labels(obj: Any, bases: Bases) -> tuple[dict[int, str], str]:
    """Labels of the references that leave `obj`, without those in its instance dictionary.

    Returns `({id of the referent: label}, label of every other referent)`; a label may be empty."""
    labels: dict[int, str] = {}
    otherwise = ""
    for base in bases.mro:
        namespace = _NAMESPACE.__get__(base)
        if not bases.has(type):
            for name, descriptor in namespace.items():
                # __slots__, and the members of C types such as a function's __closure__ or a partial's func.
                if type(descriptor) is types.MemberDescriptorType:
                    _add(labels, obj, descriptor, name)
        for name in _BUILTIN_ATTRIBUTES.get(id(base), ()):
            _add(labels, obj, namespace.get(name), name)
        otherwise = otherwise or _CONTAINER_LABELS.get(id(base), "")
    labels.pop(id(None), None)
    return labels, otherwise


def _add(labels: dict[int, str], obj: Any, descriptor: Any, name: Any) -> None:
    if descriptor is None or type(name) is not str or not _IDENTIFIER.match(name):
        return
    try:
        value = descriptor.__get__(obj)
    except Exception:  # an empty slot, an empty cell
        return
    labels.setdefault(id(value), "." + name)
