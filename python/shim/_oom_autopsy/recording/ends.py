"""How a process ends, and what is done then: the last snapshot, the last look, disarm, the end in the
receipt.

atexit covers the normal end, sys.exit and an uncaught exception, which the interpreter has left in
sys.last_exc by then: the program's sys.excepthook stays untouched. multiprocessing's children end by
os._exit after running their finalizers, where the exception is still in flight. os._exit, SIGKILL and a
crash run nothing: the receipt on disk then has no end, which is the truth.
"""

import atexit
import os
import sys
import threading
import time

from .. import facts, faults, process, torch_api
from ..signals import handlers, sigterm
from . import dump, handled, looks, outside, peaks, recorder

_installed = False
_hooked_threads_of = None  # pid whose threading.excepthook we have chained to
MAX_THREAD_ENDS = 20


def install():
    """At torch's import, once per process tree: forked children inherit the hooks, which do nothing for
    them until they have a state of their own."""
    global _installed
    if _installed:
        return
    _installed = True
    atexit.register(_at_exit)
    util = sys.modules.get("multiprocessing.util")  # torch imports it; nothing is imported for this
    if util is not None:
        # A child of multiprocessing empties the list of finalizers first, then runs these.
        util.register_after_fork(_finish_child, lambda _: in_child())
    in_child()


def in_child():
    """In a child of multiprocessing: has its exit function call us. Idempotent per process."""
    util, parts = sys.modules.get("multiprocessing.util"), sys.modules.get("multiprocessing.process")
    if util is None or parts is None or parts.parent_process() is None:
        return
    for entry in list(util._finalizer_registry.values()):
        if getattr(entry, "_callback", None) is _finish_child:
            return
    util.Finalize(None, _finish_child, exitpriority=-1000)  # after the program's own


def on_cuda(me):
    """At CUDA's initialisation."""
    in_child()
    if me.config.snapshot in ("on-failure", "always"):
        sigterm.install(_at_sigterm)


def watch_threads():
    """Once an out-of-memory has struck a thread other than the main one: notes how such threads end. The
    hook that is there, the program's or Python's, is called with the same arguments."""
    global _hooked_threads_of
    if _hooked_threads_of == os.getpid():
        return
    _hooked_threads_of = os.getpid()
    before = threading.excepthook

    def excepthook(args, /):
        try:
            me = process.mine()
            if me is not None and args.exc_type is not SystemExit:
                _note_thread(me, args.exc_type, args.exc_value)
        except Exception as error:
            faults.report("thread", f"the end of a thread was not recorded: {faults.describe(error)}")
        before(args)

    threading.excepthook = excepthook


def _note_thread(me, kind, error):
    """A thread has ended by an exception that nothing caught."""
    with me.lock:
        rows = me.receipt["thread_ends"]
        if len(rows) < MAX_THREAD_ENDS:
            rows.append(
                {
                    "exception": facts.exception_name(kind),
                    "oom": is_oom(error),
                    "time": time.time(),
                    "at": None if error is None else facts.raised_at(error),
                }
            )
    me.save()


def is_oom(error):
    """Whether an exception is an out-of-memory of the device, or was raised from or while handling one."""
    kind = torch_api.out_of_memory_error()
    return kind is not None and any(isinstance(link, kind) for link in facts.chain_of(error))


def reported():
    """The last exception that the interpreter, or a program in its stead (pytest), has printed a traceback of."""
    error = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
    return error if isinstance(error, BaseException) else None


def uncaught():
    """The exception that ended the main thread, or None.

    sys.last_exc (3.12) and sys.last_value are also set by others, pytest for each failing test. The
    interpreter's own has a traceback that starts at the bottom of the stack.
    """
    error = reported()
    if error is None:
        return None
    trace = getattr(sys, "last_traceback", None) or error.__traceback__
    if trace is not None and (trace.tb_frame.f_back is not None or _of_notebook(trace)):
        return None
    return error


def _of_notebook(trace):
    """Whether a traceback begins in IPython: that has printed the error, and waits for the next cell."""
    return dict.get(trace.tb_frame.f_globals, "__name__") == "IPython.core.interactiveshell"


def _at_exit():
    me = process.mine()
    if me is not None:
        sigterm.join()
        try:
            finish(me, uncaught())
        except BaseException:
            # Of a signal handler of the program, which would not have run any more: an exit function's exceptions are
            # printed and dropped.
            pass


def _finish_child():
    """From multiprocessing.util._exit_function in a child: in the `finally` around its target."""
    parts = sys.modules.get("multiprocessing.process")
    me = process.mine()
    if me is not None and parts is not None and parts.parent_process() is not None:
        finish(me, sys.exc_info()[1])


def _at_sigterm():
    me = process.mine()
    if me is not None:
        finish(me, None, kind="sigterm", limit=10.0)


def finish(me, error, kind=None, limit=None):
    """The end of this process, once: snapshot, looks, disarm, receipt. Raises only what a signal handler of the
    program raised meanwhile, when all is done. `limit` bounds the snapshot, in seconds, below the step's own
    deadline: whoever sent a SIGTERM waits."""
    with me.lock:
        if me.finished:
            return
        me.finished = True
    raised = None
    try:
        if kind is None:
            kind = "exit" if error is None or isinstance(error, SystemExit) else "exception"
        me.receipt["end"] = {
            "kind": kind,
            "exception": facts.exception_name(type(error)) if kind == "exception" else None,
            "oom": error is not None and is_oom(error),
            "outside_oom": None,
            "reraised_from": None,
            "time": time.time(),
            "at": facts.raised_at(error) if kind == "exception" and error is not None else None,
        }
        if me.suites is not None:
            me.suites.settle(me, printed=kind == "exit" and is_oom(reported()))
        handled.settle(me)
        if kind != "sigterm":
            _tell_apart(me, error or reported())
        if me.cuda_seen:
            raised = _settle(me, kind, limit)
        else:
            if me.recorder["state"] == "idle":
                me.recorder.update(reason=never_used(os.path.exists))
            looks.without_cuda(me)
    except BaseException as failure:
        if handlers.of_handler(failure):
            raised = failure
        else:
            me.fault("exit", f"the end was not recorded in full: {faults.describe(failure)}")
    me.save()
    if raised is not None:
        raise handlers.without_us(raised)


def _tell_apart(me, error):
    """Whether an exception says that memory ran out outside of torch's allocator, or is another process's."""
    if error is None:
        return
    memory = []

    def has_room():
        """Whether a sixteenth of the current device is free; None where that is not known."""
        memory[:] = _device_memory() if me.cuda_seen else ()
        return memory[0] >= memory[1] / 16 if memory else None

    try:
        end = me.receipt["end"]
        found = outside.outside_oom(error, torch_api.out_of_memory_error(), has_room)
        if found is not None and found["kind"] == "pinned-host" and memory:
            found["device_free"] = memory[0]
        end["outside_oom"] = found
        end["reraised_from"] = outside.reraised_from(error)
    except Exception as failure:
        handlers.pass_on(failure)
        me.fault("exit", f"the error at the end was not told apart: {faults.describe(failure)}")


def _device_memory():
    """(free, total) bytes of the current device, or () where the driver does not tell (after a sticky error)."""
    try:
        return tuple(torch_api.device_memory(None).values())
    except Exception as failure:
        handlers.pass_on(failure)
        return ()


def never_used(exists):
    """Why nothing was recorded in a process that has a CUDA build and never initialised CUDA. Asks no
    runtime."""
    if any(exists(node) for node in ("/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg")):
        return "the program never used CUDA"
    return (
        "the program never used CUDA, and no NVIDIA device is visible here: "
        "run the step on a GPU runner, or give its container the GPU (docker: --gpus all)"
    )


def _settle(me, kind, limit):
    """What a process that used CUDA does at its end. Returns what a signal handler raised meanwhile, or None."""
    seconds = min(me.config.dump_deadline_s, limit or me.config.dump_deadline_s)
    for running in list(
        me.dumps
    ):  # a signal handler of the program cut the wait short, or a thread is in one
        running.wait(seconds)
    for event in list(me.events):
        event.let_go(seconds)
    history = recorder.history(me)
    ident = threading.get_ident()
    raised = None
    me.busy.add(ident)
    try:
        rows = peaks.devices(me)
        reason = last_snapshot_reason(me, kind, peaks.over_budget(me, rows))
        if reason is not None and dump.refusal(me) is None:
            me.save()  # a process killed in the dump has said how it ended
            last = dump.Dump(me, reason, me.next_seq(), None, history)
            last.start()
            last.wait(seconds)
        if kind == "sigterm":
            looks.summarise(me)  # on a thread of ours, while somebody waits for the end: no more than that
        else:
            raised = looks.at_exit(me)
        recorder.note_settings(me)
        me.receipt["devices"] = peaks.devices(me)
    finally:
        me.busy.discard(ident)
        recorder.disarm(me)
    return raised


def last_snapshot_reason(me, kind, over_budget=False):
    """The reason word of a snapshot to take at the end, or None. An end by an out-of-memory has its
    snapshot already, taken when the memory was full."""
    if me.receipt["end"]["oom"] and any(row["reason"] == "oom" for row in me.receipt["snapshots"]):
        return None
    wanted = {"on-failure": ("exception", "sigterm"), "always": ("exception", "sigterm", "exit")}
    if kind in wanted.get(me.config.snapshot, ()):
        return kind
    return "budget" if over_budget and kind == "exit" and me.armed else None
