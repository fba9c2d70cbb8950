"""A gc callback that loses no exception of the program's signal handlers.

Python runs signal handlers between two instructions of whatever Python code runs in the main thread, and an exception
that leaves a gc callback is printed and dropped. So with an ordinary function in gc.callbacks, a Ctrl-C or a timeout that
comes while a full collection runs (45 ms with 270,000 objects; one in five with a gc.collect() per step of 0.2 s) is raised
at the callback's first instruction, outside anything the function could do about it, and is lost.

A generator can do something: it is resumed inside its own `try`. And what it caught it gives back through an object that
dies, in C, once no frame of ours is left: its finaliser is a C function that has the exception raised in this thread again
at the thread's next instruction, which is the program's own. The generator stands in gc.callbacks only while a full
collection runs; the rest of the time an ordinary function does, at a third of the price for each collection of the young.
"""

from __future__ import annotations

import contextlib
import functools
import gc
from collections.abc import Iterator
from typing import Any, Callable

from . import handlers


def install(
    on_event: Callable[[str], None], on_fault: Callable[[BaseException], None], oldest: int = 2
) -> Callable[[], None]:
    """Has on_event("start" | "stop") called around collections of the generation `oldest`, or older; returns a remover.

    on_fault(error) gets what on_event raised, unless a signal handler of the program's raised it: that goes on to the program."""
    callbacks, held = gc.callbacks, []
    resumed = _events(on_event, on_fault, held, lambda: _swap(callbacks, end, begin))
    next(resumed)
    # A C function of two arguments that hands both to a function of one: no Python frame before the generator's.
    end = functools.partial(max, key=resumed.send)

    def begin(phase: str, info: dict) -> None:
        if info["generation"] < oldest or phase != "start":
            return
        try:
            _swap(callbacks, begin, end)
            end(phase, info)
        except BaseException as error:
            held.append(error)

    def remove() -> None:
        _swap(callbacks, begin, None)
        _swap(callbacks, end, None)
        with contextlib.suppress(ValueError):  # from within an event
            resumed.close()  # now, and not by the collector, to which it is a cycle

    callbacks.append(begin)
    return remove


def _swap(callbacks: list, old: Any, new: Any) -> None:
    """Puts `new`, or nothing, in the place of `old`. By identity: another's callback may say that it is equal to ours."""
    for index, each in enumerate(callbacks):
        if each is old:
            callbacks[index : index + 1] = [] if new is None else [new]
            return


def _events(
    on_event: Callable[[str], None],
    on_fault: Callable[[BaseException], None],
    held: list,
    after: Callable[[], None],
) -> Iterator[int]:
    """Is sent the phase and the info of each event; held: exceptions to give back once a collection has stopped."""
    phase: str | None = None
    collecting = False
    while True:
        try:
            while True:
                try:
                    sent = yield (handlers.give_back(held) if held and not collecting else 0)
                    if type(sent) is str:
                        phase = sent
                        continue
                    # Where a handler's exception took the place of the phase, it follows from the one before.
                    phase, now = None, phase or ("stop" if collecting else "start")
                    collecting = now == "start"
                    if not collecting:
                        after()
                    on_event(now)
                except GeneratorExit:
                    return
                except BaseException as error:
                    if not isinstance(error, Exception) or handlers.from_handler(error):
                        held.append(error)
                    else:
                        on_fault(error)
        except BaseException as error:  # a handler's, while the one before was dealt with
            held.append(error)
            if (
                type(error.__context__) is GeneratorExit
            ):  # while the generator was closed: there is no next event
                handlers.give_back(held)
                return
