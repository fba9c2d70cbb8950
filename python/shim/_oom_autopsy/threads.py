"""Threads of ours, in a program that may count its own and may have plans for its signals."""

import _thread
import signal
import sys

# Signals that a thread causes itself, at the instruction where it does.
_SYNCHRONOUS = ("SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGTRAP", "SIGABRT", "SIGSYS")


def start(function, *args):
    """Runs function(*args) on a new thread; False where no thread can be started. No signal is delivered to it: a
    program that blocks a signal in all its threads, to take it by sigwait() or signalfd, must not find that ours is
    open to it and be killed by the default.

    Not by threading.Thread: the program may count those. Raises only what a signal handler of the program raises meanwhile,
    with the thread started or not."""
    if not hasattr(signal, "pthread_sigmask"):
        return _start(function, args)
    # Read first: a handler that raises after the change would keep the old mask from us, and the signals blocked.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    ours = signal.valid_signals() - {getattr(signal, name) for name in _SYNCHRONOUS if hasattr(signal, name)}
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, ours)
        return _start(function, args)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start(function, args):
    try:
        _thread.start_new_thread(function, args)
    except RuntimeError:  # limits, or the interpreter is shutting down
        return False
    return True


def drop(container, seconds=0.1):
    """Empties a list or dict; on a thread of ours where the program has several of Python's: another may have let go of
    what it holds meanwhile, and then a finalizer of the program runs, which must not find itself on a thread that holds
    the lock it wants. Waits for the end, at most `seconds`."""
    if len(sys._current_frames()) == 1:
        container.clear()
        return
    done = _thread.allocate_lock()
    done.acquire()

    def run():
        container.clear()
        done.release()

    if start(run):
        done.acquire(True, seconds)
    else:
        container.clear()
