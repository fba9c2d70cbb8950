"""Threads of ours, in a program that may count its own and may have plans for its signals."""

import _signal  # what `signal` wraps, which makes an enumeration of each: 0.1 ms, and ten calls deep
import _thread

# Signals that a thread causes itself, at the instruction where it does, are not blocked in it.
_SYNCHRONOUS = ("SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGTRAP", "SIGABRT", "SIGSYS")
_BLOCKED = frozenset(_signal.valid_signals()) - {getattr(_signal, name, None) for name in _SYNCHRONOUS}


def start(function, *args):
    """Runs function(*args) on a new thread; False where no thread can be started. No signal is delivered to it: a
    program that blocks a signal in all its threads, to take it by sigwait() or signalfd, must not find that ours is
    open to it and be killed by the default.

    Not by threading.Thread: the program may count those. Raises only what a signal handler of the program raises meanwhile,
    with the thread started or not."""
    mask = getattr(_signal, "pthread_sigmask", None)
    if mask is None:
        return _start(function, args)
    # Read first: a handler that raises after the change would keep the old mask from us, and the signals blocked.
    before = mask(_signal.SIG_BLOCK, ())
    try:
        mask(_signal.SIG_BLOCK, _BLOCKED)
        return _start(function, args)
    finally:
        mask(_signal.SIG_SETMASK, before)


def _start(function, args):
    try:
        _thread.start_new_thread(function, args)
    except RuntimeError:  # limits, or the interpreter is shutting down
        return False
    return True
