"""Census, part 1: finding the program's live objects and looking into them without running any of its code.

Only `type()`, C slots taken from classes, and unbound methods of builtin containers are used:
`isinstance`, `getattr`, `==`, `hash` and `bool` on an object, and iteration of a subclass of dict or list,
may all be the user's code. Types are told apart by `id`, because a metaclass may define `__eq__` and
`__hash__`.
"""

import gc
import itertools
import sys
import time
import types
from collections import deque

from ..facts import FROZEN_BEFORE_TORCH

# What a type is to the census. 0: nothing of interest.
TENSOR, WRAPPER, MODULE, OPTIMIZER, NODE, STORAGE, POOL, TRACEBACK, GENERATOR = 1, 2, 3, 4, 5, 6, 7, 8, 9
_UNKNOWN = -1  # a type that was not met yet

GENERATORS = (types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType)

CHUNK = 8192  # objects between two looks at the clock: about 1 ms
MAX_DEPTH = 10  # containers inside containers
MAX_ITEMS = 200_000  # members of one nested value
HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: a class made at run time, as every class of the user's is

_MRO = type.__dict__["__mro__"].__get__
_NAMESPACE = type.__dict__["__dict__"].__get__
_FLAGS = type.__dict__["__flags__"].__get__
_NAME = type.__dict__["__name__"].__get__


bases_of, space_of, flags_of = _MRO, _NAMESPACE, _FLAGS

WALL_S = 30.0  # the longest that a look may take by the wall, on however busy a machine


class OutOfTime(Exception):
    """The bound of the look was reached; the message says how far it got."""


class Ended(OutOfTime):
    """Nobody waits for the look any more; the message says why."""


def type_name(kind):
    """A type's own name, whatever its metaclass says."""
    name = _NAME(kind)
    return name if type(name) is str else "?"


def without_dispatch(namespace):
    """Whether a class's `__torch_dispatch__` is absent or is torch's own "disabled" one."""
    found = namespace.get("__torch_dispatch__")
    found = found.__func__ if type(found) in (classmethod, staticmethod) else found
    return found is None or type(found) is types.BuiltinFunctionType


class Clock:
    """The bound of one look: `deadline_s` of its thread's processor time, since by the wall a look among many busy
    processes is over before it began; and `wall_s` by the wall. ended() says why nobody waits any more, or None."""

    def __init__(self, deadline_s, now=time.thread_time, wall_s=WALL_S, ended=None):
        self.now, self.start, self.deadline_s = now, now(), deadline_s
        self.began, self.wall_s, self.ended = time.monotonic(), wall_s, ended

    def elapsed(self):
        """Seconds of processor time since the look began."""
        return self.now() - self.start

    def seconds(self):
        """Seconds since the look began."""
        return time.monotonic() - self.began

    def check(self, how_far, share=1.0):
        """Raises OutOfTime with `how_far()` once `share` of a bound is used up."""
        why = None if self.ended is None else self.ended()
        if why is not None:
            raise Ended(why)
        if self.elapsed() > self.deadline_s * share:
            raise OutOfTime(f"{self.deadline_s * share:g} s were over: {how_far()}")
        if self.seconds() > self.wall_s * share:
            raise OutOfTime(f"the machine is busy, and the look took too long: {how_far()}")


class _Known(dict):
    def __missing__(self, _):
        return _UNKNOWN


class Kinds:
    """Tells what a type is to the census, once per type."""

    def __init__(self, api):
        self.roots = (
            (id(api.tensor), TENSOR),
            (id(api.module), MODULE),
            (id(api.optimizer), OPTIMIZER),
            (id(api.function_node), NODE),
            (id(api.storage), STORAGE),
            *((id(kind), POOL) for kind in api.pool_types),
            (id(types.TracebackType), TRACEBACK),
            *((id(kind), GENERATOR) for kind in GENERATORS),
        )
        self.parameter = id(api.parameter)
        self.plain = frozenset(map(id, api.plain_tensors))
        self.known = _Known()  # id(type) -> kind
        self.keep = []  # the types themselves, so that an id stays theirs
        self.readers = {}  # id(type) -> how to list a container of it, or None
        self.wide = 0  # values too wide to be read to their end
        self._fields, self._dispatches, self._parameters = {}, {}, {}

    def of(self, obj):
        """The kind of an object, by its real type."""
        kind = type(obj)
        found = self.known.get(id(kind))
        return self.of_type(kind) if found is None else found

    def of_type(self, kind):
        """The kind of a type. A tensor subclass that is not torch's own may hold other tensors: WRAPPER."""
        found = self.known.get(id(kind))
        if found is not None:
            return found
        bases = set(map(id, _MRO(kind)))
        found = next((what for root, what in self.roots if root in bases), 0)
        if found == TENSOR and id(kind) not in self.plain:
            found = WRAPPER
        self.keep.append(kind)
        self.known[id(kind)] = found
        return found

    def is_parameter_type(self, kind):
        """Whether a type is torch.nn.Parameter or a subclass of it."""
        found = self._parameters.get(id(kind))
        if found is None:
            found = any(id(base) == self.parameter for base in _MRO(kind))
            self.keep.append(kind)
            self._parameters[id(kind)] = found
        return found

    def dispatches(self, kind):
        """Whether reading a tensor's device may call a `__torch_dispatch__` of this type."""
        found = self._dispatches.get(id(kind))
        if found is None:
            found = not all(without_dispatch(_NAMESPACE(base)) for base in _MRO(kind))
            self.keep.append(kind)
            self._dispatches[id(kind)] = found
        return found

    def forget(self):
        """Lets go of what is kept of classes beside `keep`: it leads to them, in a look at who refers to what."""
        self._fields.clear()

    def fields(self, obj):
        """[(name, value)] of an object's instance dictionary and slots; [] for what is not an instance of a
        class.

        On CPython 3.11 and later reading a dictionary may give the object one of its own, where its values
        were inline.
        """
        kind = type(obj)
        plan = self._fields.get(id(kind))
        if plan is None:
            plan = self._plan(kind)
            self.keep.append(kind)
            self._fields[id(kind)] = plan
        dictionary, slots = plan
        found = []
        if dictionary is not None:
            values = dictionary(obj)
            if type(values) is dict:
                found.extend(dict.items(values))
        for name, slot in slots:
            try:
                found.append((name, slot(obj)))
            except AttributeError:  # an empty slot
                continue
        return found

    def _plan(self, kind):
        if not _FLAGS(kind) & HEAP_TYPE or id(kind) in self.plain:
            return None, ()  # reading __dict__ of a plain tensor would give it one
        bases = _MRO(kind)
        if any(base is type or base is types.ModuleType for base in bases):
            return None, ()
        dictionary, slots = None, []
        for base in bases:
            for name, slot in _NAMESPACE(base).items():
                if name == "__dict__" and dictionary is None:
                    # a class may define a property of that name: its code is the user's
                    dictionary = slot.__get__ if type(slot) is types.GetSetDescriptorType else False
                elif type(slot) is types.MemberDescriptorType and name != "__weakref__":
                    slots.append((name, slot.__get__))
        return dictionary or None, tuple(slots)


def field(kinds, obj, name):
    """One entry of an object's instance dictionary or slots, or None."""
    for key, value in kinds.fields(obj):
        if type(key) is str and key == name:
            return value
    return None


CONTAINERS = (
    (dict, lambda value: list(dict.values(value))),
    (list, list.copy),
    (tuple, lambda value: list(tuple.__iter__(value))),
    (set, lambda value: list(set.__iter__(value))),
    (frozenset, lambda value: list(frozenset.__iter__(value))),
    (deque, lambda value: list(deque.__iter__(value))),
)


def container_reader(kind):
    """How to list what a container of this type holds, in one C call of the builtin's own method; None for
    others."""
    for base in _MRO(kind):
        for builtin, read in CONTAINERS:
            if base is builtin:
                return read
    return None


def members(kinds, value, objects):
    """What a container holds, or None where `value` is none. With `objects`, instances of plain classes
    count as one."""
    kind = type(value)
    try:
        read = kinds.readers[id(kind)]
    except KeyError:
        kinds.keep.append(kind)
        read = kinds.readers[id(kind)] = container_reader(kind)
    if read is not None:
        return read(value)
    if objects and kinds.of_type(kind) == 0:
        return [item for _, item in kinds.fields(value)]
    return None


def tensors_in(kinds, value, objects=False):
    """The tensors inside nested containers, at most MAX_DEPTH deep and MAX_ITEMS wide. Modules are not
    entered.

    A wider value is read up to there, and counted in `kinds.wide`.
    """
    found, seen, level, room = [], set(), [value], MAX_ITEMS
    for _ in range(MAX_DEPTH):
        deeper = []
        for item in level:
            if kinds.of(item) in (TENSOR, WRAPPER):
                found.append(item)
                continue
            if id(item) in seen:
                continue
            inside = members(kinds, item, objects)
            if inside is None:
                continue
            seen.add(id(item))  # `value` keeps it, so the id stays its own
            deeper.extend(inside[:room])
            if len(inside) > room:
                kinds.wide += 1
            room = max(0, room - len(inside))
        if not deeper:
            break
        level = deeper
    return found


class Found:
    """What one pass over the live objects found."""

    def __init__(self):
        self.tensors, self.modules, self.optimizers, self.nodes, self.storages = [], [], [], [], []
        self.tracebacks, self.generators = [], []
        self.pools = []  # objects that stand for a private pool: MemPool, CUDAGraph
        self.by_kind = {
            TENSOR: self.tensors,
            WRAPPER: self.tensors,
            MODULE: self.modules,
            OPTIMIZER: self.optimizers,
            NODE: self.nodes,
            STORAGE: self.storages,
            POOL: self.pools,
            TRACEBACK: self.tracebacks,
            GENERATOR: self.generators,
        }
        self.known_modules = set()  # their ids
        self.objects = 0  # looked at
        self.hidden = 0  # frozen by gc.freeze() since torch came, so not listed by gc.get_objects()

    def take(self, kinds, obj):
        """Files one object under its kind; False for a module that is filed already."""
        what = kinds.of(obj)
        if what == MODULE:
            if id(obj) in self.known_modules:
                return False
            self.known_modules.add(id(obj))
        if what:
            self.by_kind[what].append(obj)
        return True


def live_objects(kinds, found, everything, clock, max_objects, share):
    """Files what is of interest in a list of objects, from where the last call stopped.

    Raises OutOfTime at `share` of the time bound, with what was found kept. One C-level pass per chunk, and a
    Python-level loop over the interesting objects only, and those of types not met before.
    """
    total = len(everything)
    chunk = picked = obj = None
    try:
        while found.objects < min(total, max_objects):
            clock.check(lambda: f"looked at {found.objects} of {total} objects", share)
            size = CHUNK if found.objects else 64  # nearly every type is new in the first
            chunk = everything[found.objects : min(found.objects + size, max_objects)]
            picked = itertools.compress(chunk, map(kinds.known.__getitem__, map(id, map(type, chunk))))
            for obj in picked:
                found.take(kinds, obj)
            found.objects += len(chunk)
        if total > max_objects:
            raise OutOfTime(f"looked at {max_objects} of {total} objects")
    finally:
        del chunk, picked, obj


def hidden_objects(kinds, found, clock, share, roots):
    """Adds what gc.freeze() hides from gc.get_objects(), by following references from `roots` and module
    globals.

    Uses `gc.get_referents`, which runs no code of the program. Locals of functions that are running are
    not reached (CPython 3.11 and later keep them off the heap). Stops at `share` of the time bound.
    """
    found.hidden = max(0, gc.get_freeze_count() - FROZEN_BEFORE_TORCH)
    if not found.hidden:
        return
    known = set(
        map(id, itertools.chain(found.tensors, found.modules, found.optimizers, found.nodes, found.storages))
    )
    main = sys.modules.get("__main__")
    level = [*roots, *found.modules, *found.optimizers, *([] if main is None else [main])]
    level += [module for module in list(sys.modules.values()) if type(module) is types.ModuleType]
    keep, seen, looked = [], set(map(id, level)), 0
    for obj in roots:
        if id(obj) not in known:
            known.add(id(obj))
            found.take(kinds, obj)
    while level:
        deeper = []
        for start in range(0, len(level), 256):
            how_far = f"gc.freeze() hides {found.hidden} objects, {looked} followed"
            clock.check(lambda how_far=how_far: how_far, share)
            for obj in gc.get_referents(*level[start : start + 256]):
                if id(obj) in seen or not gc.is_tracked(obj):
                    continue
                seen.add(id(obj))
                looked += 1
                if id(obj) not in known:
                    found.take(kinds, obj)
                deeper.append(obj)
        keep.append(level)
        level = deeper
