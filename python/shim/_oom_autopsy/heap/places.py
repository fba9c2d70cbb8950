"""Places of the program that have a name: fields of modules, globals, locals of functions, tracebacks, generators.

Names only. No code of the program runs, and it can see no trace of the reading but one: before Python 3.13 locals are read as
a snapshot, which refreshes the dictionary that an earlier `locals()` of that very call has returned. So a function that could
have asked for it, or that is traced, is left alone (docs/census.md).
"""

import opcode
import os
import re
import sys
import types
from collections import namedtuple

from ..facts import is_ours
from .names import clean
from .objects import bases_of, space_of

# How close to the program a name is; the lowest wins. ATTRIBUTE: of a module of torch's kind. ELEMENT: of something that a
# variable holds. LEFT: a function that has ended, or is suspended. FOREIGN: a function of a library, RUNNING one of torch's own.
ATTRIBUTE, GLOBAL, ELEMENT, LOCAL, LEFT, FOREIGN, RUNNING = range(7)
# `name` in `where`: the value. `left`: the frame, where a traceback keeps it. `kind`: as OWNER_KINDS of the receipt.
Named = namedtuple("Named", "rank name where value left kind")

FILE = re.compile(r"[^A-Za-z0-9_.-]")
# By which a function may ask for its own locals: of modules and frames, and builtins. `net.eval()` is neither.
PEEKS = frozenset(("_getframe", "currentframe", "f_locals", "settrace"))
BUILTINS = frozenset(("locals", "vars", "eval", "exec", "dir"))
OPTIMIZED = 1  # co_flags: a function, whose locals are no dictionary of the program's
MOST_FRAMES = 300  # of each kind
LIBRARY = os.path.dirname(os.__file__) + os.sep
PACKAGES = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
GENERATED = re.compile(r"<eval_with_key>.*|.*[/\\]([a-z0-9]{2})[/\\]c\1[a-z0-9]{40,}\.py")
FRAMES = {
    types.GeneratorType: "gi_frame",
    types.CoroutineType: "cr_frame",
    types.AsyncGeneratorType: "ag_frame",
}


def _references():
    values = sys._getframe().f_locals
    return sys.getrefcount(values)


_ALONE = _references()  # of a snapshot of locals that nobody else holds


def peeks(code):
    """Whether code may ask for its own locals."""
    if not PEEKS.isdisjoint(code.co_names):
        return True
    wanted = {at for at, name in enumerate(code.co_names) if name in BUILTINS}
    return bool(wanted) and not wanted.isdisjoint(_globals_loaded(code.co_code))


def _globals_loaded(instructions):
    """Indexes of the names that code loads as globals: the other names are attributes. (Not for 3.13 and newer.)"""
    argument, found = 0, set()
    for at in range(0, len(instructions) - 1, 2):
        argument = argument << 8 | instructions[at + 1]
        if instructions[at] == opcode.EXTENDED_ARG:
            continue
        if instructions[at] in _LOADS:
            found.add(argument >> _SHIFT)
        argument = 0
    return found


_LOADS = frozenset(opcode.opmap[name] for name in ("LOAD_GLOBAL", "LOAD_NAME") if name in opcode.opmap)
_SHIFT = (
    1 if sys.version_info >= (3, 11) else 0
)  # its lowest bit then says something else (LOAD_NAME is in no function)


def local_items(frame, listed=lambda values: False, known=False):
    """[(name, value)] of a function's locals; [] where the program could see that they were read. listed(snapshot): whether
    a list of ours refers to it, too, as one of the program's objects: an earlier look has read that frame. known: that the code
    does not ask for its locals, though it names what could."""
    code = frame.f_code
    if not code.co_flags & OPTIMIZED:  # the body of a module, or of a class
        return []
    if sys.version_info >= (3, 13):  # a view: nothing is written
        return list(frame.f_locals.items())
    if frame.f_trace is not None or (not known and peeks(code)):
        return []
    values = frame.f_locals
    found = list(dict.items(values))
    others = sys.getrefcount(values) - _ALONE
    if others <= 0 or (others == 1 and listed(values)):
        values.clear()  # it stays with the frame, and would keep what the function lets go of
    return found


def is_generated(file):
    """Whether a file is code that torch.compile has made."""
    return type(file) is str and GENERATED.fullmatch(file) is not None


def file_name(file):
    """The last part of a path."""
    return FILE.sub("?", os.path.basename(file))[:60] if type(file) is str else "?"


def function_of(frame):
    """`evaluate (eval.py)`."""
    code = frame.f_code
    name = clean(code.co_name) if code.co_name.isidentifier() else FILE.sub("", code.co_name) or "?"
    return f"{name} ({file_name(code.co_filename)})"


class Places:
    """Finds them. `torch_folder` ends in a separator."""

    def __init__(self, torch_folder, call_codes, listed=lambda values: False):
        self.torch_folder, self.call_codes, self.listed = torch_folder, call_codes, listed
        self._foreign = {}

    def foreign(self, file):
        """Whether code is none of the user's: the standard library, installed packages, torch."""
        found = self._foreign.get(file)
        if found is None:
            found = self._foreign[file] = (
                type(file) is not str
                or file.startswith((self.torch_folder, LIBRARY, "<frozen"))
                or any(part in file for part in PACKAGES)
                or is_ours(file)
            )
        return found

    def globals(self):
        """Variables of the user's modules. Also {name of a module of the user's}."""
        found, names = [], set()
        for module in list(sys.modules.values()):
            if type(module) is not types.ModuleType:
                continue
            space = _SPACE(module)
            name, file = dict.get(space, "__name__"), dict.get(space, "__file__")
            if name != "__main__" if type(file) is not str else self.foreign(file):
                continue
            names.add(name)
            where = f" in {file_name(file) if type(file) is str else '__main__'}"
            found += [
                Named(GLOBAL, clean(key), where, value, None, "holder")
                for key, value in dict.items(space)
                if type(key) is str and not key.startswith("__")
            ]
        return found, names

    def locals(self, stacks, is_module):
        """(of the user's functions, of others) that are running, the outermost first. Where torch's own code is at work
        for a module, that module stands in the place of `where`; for a compiled graph, what is around it: modules and functions
        of the user's, the innermost last."""
        mine, others = [], []
        for stack in stacks:
            around = ()
            for frame in list(reversed(stack))[-MOST_FRAMES:]:
                file = frame.f_code.co_filename
                items = local_items(frame, self.listed)
                own = next((value for key, value in items if key == "self" and is_module(value)), None)
                around = around if own is None else (*around, own)
                if id(frame.f_code) in self.call_codes:
                    continue
                if is_generated(file):
                    mine += [Named(LOCAL, "", around, value, None, "compiled") for _, value in items]
                elif not self.foreign(file):
                    around = around if own is not None else (*around, function_of(frame))
                    where = f" in {function_of(frame)}"
                    first = _receiver(frame.f_code, items)
                    mine += [
                        Named(LOCAL, "self" if key == first else clean(key), where, value, None, "holder")
                        for key, value in items
                    ]
                elif not file.startswith(self.torch_folder):
                    where = f" in {function_of(frame)}"
                    others += [
                        Named(FOREIGN, clean(key), where, value, None, "other") for key, value in items
                    ]
                elif own is not None:
                    others += [Named(RUNNING, clean(key), own, value, None, "layer") for key, value in items]
        return mine, others

    def left(self, tracebacks, generators, running):
        """Locals of functions that have ended, or are suspended. running: ids of the frames that are on a stack."""
        found, seen = [], set(running)
        frames = [(trace.tb_frame, True) for trace in tracebacks[:MOST_FRAMES]]
        frames += [(_frame(each), False) for each in generators[:MOST_FRAMES]]
        for frame, raised in frames:
            if frame is None or id(frame) in seen or self.foreign(frame.f_code.co_filename):
                continue
            seen.add(id(frame))
            function = function_of(frame)
            where = f" in {function}, {'kept by a traceback' if raised else 'suspended'}"
            left = function if raised else None
            items = local_items(frame, self.listed)
            first = _receiver(frame.f_code, items)
            found += [
                Named(LEFT, "self" if key == first else clean(key), where, value, left, "holder")
                for key, value in items
            ]
        return found


def _receiver(code, items):
    """The name of a method's first argument, whatever it is called: its class has a function of that code. Or None."""
    if not code.co_argcount or not code.co_varnames[0].isidentifier():
        return None
    value = next((value for key, value in items if key == code.co_varnames[0]), None)
    for base in bases_of(type(value)):
        method = space_of(base).get(code.co_name)
        if type(method) is types.FunctionType and _CODE(method) is code:
            return code.co_varnames[0]
    return None


def _frame(generator):
    return next((slot(generator) for kind, slot in _FRAMES if type(generator) is kind), None)


_FRAMES = tuple(
    (kind, kind.__dict__[name].__get__)
    for kind, name in (
        (types.GeneratorType, "gi_frame"),
        (types.CoroutineType, "cr_frame"),
        (types.AsyncGeneratorType, "ag_frame"),
    )
)
_CODE = types.FunctionType.__dict__["__code__"].__get__
_SPACE = type.__dict__["__dict__"].__get__(types.ModuleType)["__dict__"].__get__
