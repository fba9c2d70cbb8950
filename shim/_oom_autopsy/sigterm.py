"""A snapshot at SIGTERM, for `snapshot: on-failure` and `always`, in a program that leaves SIGTERM alone.

A Python handler would run only once the main thread is back from C code: a program inside a long call would no longer die
when told to. Ours is a few instructions (sigterm_native.py): it writes to a pipe in whichever thread the kernel gave the
signal to, a thread of ours wakes, holds the main thread, does its work, takes the handler out and sends the signal again, so
that the process dies by it as it would have. Python's own table still says SIG_DFL, wakeup fds stay the program's, and a
handler the program sets later replaces ours.

A SIGTERM that the process sends to itself kills at once, without a snapshot: nothing behind the call runs in a program of its own.

Limits: until our thread has the GIL (5 ms, or as long as the main thread keeps it in C) the program runs
on, as if the signal had come that much later. A C call that keeps the GIL for good cannot be ended by
SIGTERM then. On a machine that is neither x86_64 nor aarch64, or that refuses the handler its page, SIGTERM kills at once and
there is no snapshot.
"""

import _thread
import contextlib
import os
import signal
import threading
import time

from . import process, threads

_state = None  # (pid, ((end of the pipe, what it stands for), …)) of the process that has the handler
_running = _thread.allocate_lock()  # held by our thread from the signal until the death
_held = None  # the callback that the interpreter has been given
_fork_hooked = False
# Longest that the program is kept from dying. The snapshot has 10 s of it, and takes a few milliseconds.
PATIENCE_S = 30.0


def default_disposition(status=None):
    """Whether SIGTERM would kill this process now: never the init of a pid namespace (`docker run python …`), for which the
    kernel drops signals without a handler; otherwise asked of the kernel where /proc can tell (handlers
    of faulthandler and those of C libraries are not in Python's table), of Python elsewhere."""
    if os.getpid() == 1 or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        return False
    try:
        if status is None:
            with open("/proc/self/status", encoding="ascii", errors="replace") as file:
                status = file.read()
        masks = [line.split(":")[1] for line in status.splitlines() if line.startswith(("SigIgn", "SigCgt"))]
        return not any(int(mask, 16) & 1 << (signal.SIGTERM - 1) for mask in masks)
    except (OSError, ValueError):
        return True


def install(callback):
    """Has `callback()` run at SIGTERM before the process dies by it, where SIGTERM would kill it. From any
    thread."""
    global _state, _running, _fork_hooked
    from . import sigterm_native  # ctypes: torch has imported it by now

    if (_state is not None and _state[0] == os.getpid()) or not default_disposition():
        return False
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)  # a full pipe must not hold the signal handler
    _running = _thread.allocate_lock()
    _state = (os.getpid(), tuple((end, _identity(end)) for end in (read_end, write_end)))
    watched = False
    try:
        watched = sigterm_native.install(write_end) and threads.start(_watch, _state, callback)
    finally:
        # Or a signal handler of the program has raised: then a thread that had started finds no writer.
        if not watched:
            remove()
            _close_ends()
    if not watched:
        return False
    if not _fork_hooked:
        _fork_hooked = True
        os.register_at_fork(after_in_child=_in_child)
    return True


def remove():
    """SIGTERM kills at once again: when our work is done, and nobody would wake for it."""
    if _state is not None and _state[0] == os.getpid():
        from . import sigterm_native

        sigterm_native.remove()


def _identity(descriptor):
    """What a descriptor stands for: a program that closes all of them gets the same numbers again for files of its own."""
    status = os.fstat(descriptor)
    return status.st_dev, status.st_ino


def _close_ends():
    """Forgets the pipe and closes those of its ends that are still ours."""
    global _state
    state, _state = _state, None
    for end, identity in () if state is None else state[1]:
        with contextlib.suppress(OSError):
            if _identity(end) == identity:
                os.close(end)


def _in_child():
    """A forked child has the handler and the pipe but not the thread: SIGTERM must kill it as before."""
    global _running
    if _state is None:
        return
    with contextlib.suppress(Exception):
        from . import sigterm_native

        sigterm_native.remove()
    _close_ends()
    _running = _thread.allocate_lock()


def _watch(state, callback):
    """Our thread: waits for the handler's byte."""
    pid, ((read_end, _), _) = state
    try:
        told = os.read(read_end, 1)
    except OSError:
        told = b""
    if not told:  # the program has closed descriptors that are not its own (os.closerange, as daemons do)
        if _state is state:
            remove()
            _close_ends()
        return
    try:
        _running.acquire()
        # Whatever our work may wait for (a lock that a thread of the program holds for good), the program dies.
        threads.start(_die_anyway, pid)
        _hold_main_thread()
        callback()
    except Exception:
        pass
    finally:
        _die(pid)


def _die(pid):
    """Takes our handler out, and one that was set over it and calls it, and sends the signal again."""
    with contextlib.suppress(Exception):
        from . import sigterm_native

        sigterm_native.remove(force=True)
        # For the case that no other thread takes it.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        os.kill(pid, signal.SIGTERM)
        time.sleep(PATIENCE_S)  # the signal is on its way
    with contextlib.suppress(RuntimeError):  # whatever kept it from dying, the program is held no longer
        _running.release()


def _die_anyway(pid):
    time.sleep(PATIENCE_S)
    if os.getpid() == pid:
        _die(pid)


def _hold_main_thread():
    """Has the main thread wait for the death at its next bytecode, instead of running on while we work. A
    thread in our own code is let go: it may hold the lock we need."""
    global _held
    try:
        import ctypes  # torch has imported it

        def wait(_):
            if not busy():
                _running.acquire(True, PATIENCE_S)
            return 0

        _held = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(wait)
        # A function object of our own: whoever sets argtypes on the library's attribute sets them for all who use that.
        add = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(
            ("Py_AddPendingCall", ctypes.pythonapi)
        )
        add(ctypes.cast(_held, ctypes.c_void_p), None)
    except Exception:
        pass


def busy():
    """Whether the main thread is in our code."""
    me, main = process.mine(), threading.main_thread().ident
    return me is None or me.saving == main or main in me.busy


def pending():
    """Whether a SIGTERM is being worked on."""
    return _running.locked()


def join():
    """Waits, at the program's exit, for the death that is under way."""
    _running.acquire(True, PATIENCE_S)
