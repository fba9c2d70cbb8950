"""Reference cycles that keep GPU memory: the watch's front door.

`start` is called on the thread that has just initialised CUDA. The parts: watch (when to look), search and rings (what
nothing reaches, and which cycles hold memory), names (what may be said of an object), rows (the account). docs/cycles.md says what is promised.
"""

from __future__ import annotations

import os
from typing import Callable

from .. import faults, torch_api
from ..signals import handlers
from .rings import can_read_references
from .watch import Continuous, Sampled, Watch

MODES = ("sampled", "continuous")

_current: Watch | None = None
_at_fork = False


def start(
    mode: str,
    *,
    max_entries: int = 0,
    restore_recorder: Callable[[], None] | None = None,
    on_change: Callable[[], None] | None = None,
) -> Watch:
    """Begin to watch; the same watch again where one runs in this process. Raises nothing but
    what a signal handler of the program raised; then there is no watch.

    mode: `sampled` or `continuous`. restore_recorder: puts the recorder's
    bound of `max_entries` back, should torch's observer have to be installed in a way that re-arms it. on_change: called
    after a look that found a new kind of cycle."""
    global _current
    if _current is not None and _current._pid == os.getpid() and not _current._stopped:
        return _current
    kind = Continuous if mode == "continuous" else Sampled
    watch = kind(mode, on_change=on_change)
    try:
        if mode not in MODES:
            raise ValueError(f"cycles-watch is one of {', '.join(MODES)}")
        reason = torch_api.cycles_nothing_to_watch() or can_read_references()
        if reason is not None:
            return watch.nothing(reason)
        _watch_forks()
        if isinstance(watch, Continuous):
            watch.install(restore_recorder)
        else:
            watch.install()
        _current = watch
    except BaseException as error:
        if handlers.of_handler(error):
            watch.detach()
            raise
        watch.state, watch.reason = "failed", f"the watch did not start: {faults.describe(error)}"
        faults.report("cycles", f"the watch for reference cycles did not start: {faults.describe(error)}")
    return watch


def _watch_forks() -> None:
    global _at_fork
    if not _at_fork and hasattr(os, "register_at_fork"):
        _at_fork = True
        os.register_at_fork(after_in_child=_in_child)


def _in_child() -> None:
    """A forked child has the parent's gc callbacks; it starts a watch of its own, if it uses CUDA at all."""
    global _current
    watch, _current = _current, None
    if watch is not None:
        watch.detach()
