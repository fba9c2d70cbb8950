"""A snapshot at SIGTERM, for `snapshot: on-failure` and `always`, in a program that leaves SIGTERM alone.

By Python's own means. At SIGTERM Python calls our handler in the main thread, and writes a byte to the wakeup descriptor,
which wakes a thread of ours: that one comes first where the main thread is in C code that has let go of the GIL (a rank in a
collective). Whichever comes first has the work done. Then SIGTERM is the default again and is sent again, so that the process
dies by it as without us.

The program is told that SIGTERM is the default, as it is. Whoever finds a handler there chains to it: PyTorch Lightning would have died
in ours where it meant to end in order.

What it cannot do stands in docs/faults.md, "SIGTERM with a snapshot".
"""

import _signal  # signal.signal() would take our handler for the number that it is
import _thread
import contextlib
import os
import signal
import struct
import sys
import threading
import time

from .. import process
from . import handlers, threads

# Longest that the program is kept from dying. The snapshot has 10 s of it, and takes a few milliseconds.
PATIENCE_S = 30.0
# A child that was just forked gets its SIGTERM again every 10 ms until it has the default back.
CHILD_TRIES, CHILD_PAUSE_S = 100, 0.01
_CREDENTIALS = struct.Struct("iII")  # struct ucred: pid, uid, gid


class _Handler(int):
    """An int that equals SIG_DFL: signal.getsignal() and signal.signal() give the program SIG_DFL for it."""

    def __call__(self, number, frame):
        state = _state
        if state is None or state.pid != os.getpid():
            _die()  # a child that was just forked
        elif not _busy() or not threads.start(_end, state):
            _end(state)


_HANDLER = _Handler(signal.SIG_DFL)


class _State:
    """What one process has set up. `ends`: those of our socket, where we read first, and what each stood for."""

    def __init__(self, callback, libc, ends):
        self.pid = os.getpid()
        self.callback = callback
        self.libc = libc
        self.ends = [(end, _identity(end)) for end in ends]
        self.c_handler = None  # CPython's own C function
        self.begun, self.done = _thread.allocate_lock(), _thread.allocate_lock()
        self.done.acquire()


_state = None
_fork_hooked = False


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
    except (OSError, ValueError) as error:
        handlers.pass_on(error)
        return True


def install(callback):
    """Has `callback()` run at SIGTERM before the process dies by it. False, with nothing changed, where SIGTERM would not
    kill, where the wakeup descriptor is the program's (asyncio, trio and their like handle signals by it), and
    on another thread than the main one, where Python sets no handler."""
    global _state, _fork_hooked
    if (_state is not None and _state.pid == os.getpid()) or not _may_install():
        return False
    try:
        import _socket  # gevent and eventlet put sockets of theirs into `socket`
        import ctypes

        ours, theirs = _socket.socketpair()
        ours.setsockopt(_socket.SOL_SOCKET, _socket.SO_PASSCRED, 1)  # who has written: a forked child may
        libc = ctypes.CDLL(None)
    except (ImportError, AttributeError, OSError) as error:
        handlers.pass_on(error)
        return False
    theirs.setblocking(False)
    ours.settimeout(None)  # the program may have set a default
    # By number: a socket that is dropped closes its number, which may be a file of the program's by then.
    state = _State(callback, libc, (ours.fileno(), theirs.detach()))
    installed = False
    try:
        if threads.start(_watch, state, ours):
            _state = state
            if _swap_wakeup(-1, state.ends[1][0]):
                _signal.signal(signal.SIGTERM, _HANDLER)
                state.c_handler = _c_handler(libc)
                installed = True
    finally:
        if not installed:  # or a signal handler of the program has raised
            ours.detach()
            _undo(state)
    if installed and not _fork_hooked:
        _fork_hooked = True
        os.register_at_fork(after_in_child=_in_child)
    return installed


def _may_install():
    return (
        _in_main()
        and default_disposition()
        and "trio" not in sys.modules  # it warns when it finds the descriptor taken
    )


def join():
    """Waits, at the program's exit, for a death that is under way."""
    if _state is not None and _state.pid == os.getpid() and _state.begun.locked():
        _end(_state)


def _end(state):
    """Has the work done, once, on a thread of its own, and dies when that is done: after PATIENCE_S whatever it waits for (a lock
    that a thread of the program holds for good)."""
    if state.begun.acquire(False) and not threads.start(_work, state):
        _work(state)
    if state.done.acquire(True, PATIENCE_S):
        state.done.release()
    _die(state)


def _work(state):
    try:
        state.callback()
    except Exception:
        pass
    finally:
        state.done.release()
        _die(state)


def _busy():
    """Whether the main thread is in our code: held, it might hold a lock that the work needs."""
    me, main = process.mine(), threading.main_thread().ident
    return me is None or main in me.busy or me.lock._is_owned()


def _die(state=None):
    """Makes SIGTERM the default, over whatever stands over our handler and calls it, and sends it again."""
    with contextlib.suppress(Exception):
        _default(state)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})  # no other thread may be open to it
        os.kill(os.getpid(), signal.SIGTERM)


def _default(state):
    if _in_main():
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    else:
        # signal.signal() works in the main thread only, and that one may stay in C for good.
        state.libc.signal(int(signal.SIGTERM), None)


def _in_main():
    return threading.get_ident() == threading.main_thread().ident


def _watch(state, inbox):
    """Our thread: reads the bytes that Python's C handler writes, one for each signal with a handler in Python."""
    tries = {}
    while True:
        try:
            data, about, _, _ = inbox.recvmsg(256, 256)
        except OSError:
            data, about = b"", []
        if not data:
            break
        if signal.SIGTERM not in data or _signal.getsignal(signal.SIGTERM) is not _HANDLER:
            continue
        writer = next((_CREDENTIALS.unpack(row[2])[0] for row in about), 0)
        if writer == state.pid:
            _end(state)
        elif writer > 1:
            # A forked child, before it had the default back: Python forgets the signals that it got until then.
            tries[writer] = tries.get(writer, 0) + 1
            if tries[writer] <= CHILD_TRIES:
                time.sleep(CHILD_PAUSE_S)
                with contextlib.suppress(OSError):
                    os.kill(writer, signal.SIGTERM)
    # The program has closed descriptors that are not its own (os.closerange, as daemons do).
    inbox.detach()
    if _state is state:
        _undo(state)


def _undo(state):
    """SIGTERM kills at once again, and the socket is closed; what the program has put in the place of ours stays."""
    global _state
    _state = None
    try:
        c_handler = (None, _c_handler(state.libc))
        if _signal.getsignal(signal.SIGTERM) is _HANDLER and state.c_handler in c_handler:
            _default(state)
        if _in_main():
            _swap_wakeup(state.ends[1][0], -1)
    except Exception as error:
        handlers.pass_on(error)
    for end, identity in state.ends:
        with contextlib.suppress(OSError):
            if _identity(end) == identity:
                os.close(end)


def _in_child():
    """A forked child has the handler but not the thread: SIGTERM must kill it as before."""
    if _state is not None:
        _undo(_state)


def _identity(descriptor):
    """What a descriptor stands for: a program that closes all of them gets the same numbers again for files of its own."""
    status = os.fstat(descriptor)
    return status.st_dev, status.st_ino


def _swap_wakeup(expected, descriptor):
    """Makes `descriptor` the wakeup descriptor where that is `expected` now. In the main thread only."""
    before = signal.set_wakeup_fd(descriptor, warn_on_full_buffer=False)
    if before != expected:
        signal.set_wakeup_fd(before, warn_on_full_buffer=False)  # its own flag cannot be asked for
    return before == expected


def _c_handler(libc):
    """The address that C calls at SIGTERM: what Linux's struct sigaction begins with."""
    import ctypes

    action = ctypes.create_string_buffer(1024)
    return action.raw[:8] if libc.sigaction(int(signal.SIGTERM), None, action) == 0 else None
