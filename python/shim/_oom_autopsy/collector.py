"""Holds Python's garbage collector off while we work, and never longer.

A collection that our own allocations set off would run the program's finalizers and gc callbacks in the middle of its
out-of-memory, or on a thread of ours while its own threads hold their locks. No other thread can tell, unless it switches
collection off itself meanwhile.
"""

import gc
import os

# Pieces of work that want it off. Only set operations, each of which the interpreter's lock makes whole.
_holders = set()
_ours = False  # whether it is off because of us
_fork_hooked = False


def hold():
    """Switches collection off where it is on. Returns what `let_go` wants."""
    global _ours, _fork_hooked
    token = object()
    _holders.add(token)
    if not _fork_hooked and hasattr(os, "register_at_fork"):
        _fork_hooked = True
        os.register_at_fork(after_in_child=_in_child)
    if gc.isenabled():
        _ours = True
        gc.disable()
    return token


def let_go(token):
    """Switches it on again once the last of those who held it off has let go, if it was on. A token counts once."""
    global _ours
    _holders.discard(token)
    if not _holders and _ours:
        _ours = False
        gc.enable()


def _in_child():
    """Another thread forked in the middle of our work: in the child nobody would ever let go."""
    for token in list(_holders):
        let_go(token)
