"""Calls a function between two instructions of the program, now and then, where it allocates.

What stands in gc.callbacks is C to the end. An exception that leaves a gc callback is printed and dropped, and a signal
handler of the program may raise at any instruction of a Python function: with one in gc.callbacks a quarter of all
timeouts was lost in a loop that allocates. The callback makes a pending call of Python's, which runs between two
instructions of the main thread; what leaves that goes on in the program.
"""

from __future__ import annotations

import ctypes
import gc
from functools import partial
from itertools import cycle, repeat
from types import MethodType
from typing import Callable

from ..signals import handlers

# Collections between two calls, nearly all of the youngest generation: by default 700 allocations each.
EVERY = 10

_soon: list = []  # kept for good: the interpreter's queue holds bare pointers


class _Soon:
    """Py_AddPendingCall wants int f(void *) that gives 0, or -1 with an exception set: PyObject_IsTrue of an object whose
    __bool__ does the work. (A callback of ctypes would print the exception, and drop it.)"""

    def __init__(self, work: Callable[[], None]) -> None:
        self.work = work

    def __bool__(self) -> bool:
        try:
            self.work()
        except BaseException as error:
            raise handlers.without_us(error)  # noqa: B904 - it is the same
        return False


def install(work: Callable[[], None]) -> Callable[[], None]:
    """Has work() called in the main thread; returns a remover. What work() raises is raised in the program."""
    soon = _Soon(work)
    _soon.append(soon)
    # A prototype of our own: what the attributes of ctypes.pythonapi take and give back, the program may have said.
    prototype = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    add = prototype(("Py_AddPendingCall", ctypes.pythonapi))
    is_true = ctypes.cast(ctypes.pythonapi.PyObject_IsTrue, ctypes.c_void_p).value
    nothing = repeat(None)
    schedule = map(add, repeat(is_true), repeat(id(soon)))  # where the queue (32) is full: the next time
    step = partial(next, map(next, cycle([*[nothing] * (EVERY - 1), schedule])))
    # Called as callback(phase, info): getattr(events, phase, info), of which `stop` takes a step.
    events = type("_Events", (), {"__slots__": (), "start": None, "stop": property(step)})()
    callback = MethodType(getattr, events)  # pyright: ignore[reportArgumentType]
    gc.callbacks.append(callback)
    return partial(_remove, callback)


def _remove(callback: object) -> None:
    """By identity: another's callback may say that it is equal to ours."""
    for index, each in enumerate(gc.callbacks):
        if each is callback:
            del gc.callbacks[index]
            return
