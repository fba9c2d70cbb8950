"""What happens at an out-of-memory: facts, stacks, snapshot, a look at what is alive, receipt.

torch calls `on_oom` before it raises, on any thread, for caught errors too, without holding the allocator's
lock. An exception from here would replace the program's OutOfMemoryError: none of ours gets out. What a
signal handler of the program raises while we are at it is the program's, and does (handlers.py).

Limit: in the one frame from which no Python function can be called any more, `on_oom` cannot be either, and
the program gets that RecursionError.
"""

import _thread
import sys
import threading
import time

from . import dump, ends, facts, faults, handlers, process, receipt, recorder, torch_api


def prepare(me):
    """At CUDA's initialisation: loads what an out-of-memory will need, and starts the watches the step
    asked for."""
    from . import looks

    looks.start(me)


def on_oom(device, wanted, limit, free):
    """torch's observer: device index, and bytes wanted, allowed (total, or the memory fraction's limit) and
    free."""
    raised = None
    try:
        me = process.mine()
        if me is not None and _thread.get_ident() not in me.busy:
            raised = _observe(me, sys._getframe().f_back, int(device), int(wanted), int(limit), int(free))
    except BaseException as error:
        # A program close to its recursion limit may leave us no room for a call; so what judges, and what tells, is
        # allowed to fail. Its own error is on the way.
        try:
            if handlers.is_programs(error):
                raised = error
            else:
                faults.report(
                    "observer", f"an out-of-memory was not recorded in full: {faults.describe(error)}"
                )
        except RecursionError:
            pass
    if raised is not None:
        try:
            raised = handlers.without_us(raised)
        except RecursionError:
            pass
        raise raised


def _observe(me, frame, device, wanted, limit, free):
    """Records one out-of-memory. Returns what a signal handler of the program raised meanwhile, or None."""
    ident = _thread.get_ident()
    me.busy.add(ident)
    try:
        row = _row(me, frame, ident, device, wanted, limit, free)
        with me.lock:
            receipt.add_oom(me.receipt, row)
        me.save()  # before the dump: a process killed in it has said what happened
        if row["thread"] != "main":
            ends.watch_threads()
        return _look(me, row, device)
    finally:
        me.busy.discard(ident)


def _row(me, frame, ident, device, wanted, limit, free):
    """The receipt's row for an out-of-memory on this thread."""
    main = threading.main_thread().ident
    thread = "main" if ident == main else "backward" if torch_api.in_backward() else "other"
    main_stack = None
    if thread != "main":
        main_frame = sys._current_frames().get(main or 0)
        main_stack = facts.stack(main_frame) if main_frame is not None else None
    row = {
        "seq": me.next_seq(),
        "time": time.time(),
        "device": device,
        "wanted": wanted,
        "limit": limit,
        "free": free,
        "thread": thread,
        "stack": facts.stack(frame),
        "main_stack": main_stack,
        "allocated": 0,
        "reserved": 0,
        "peak_allocated": 0,
        "peak_reserved": 0,
        "retries": 0,
        "ooms": 0,
        "device_free": None,
        "device_total": None,
        "snapshot": None,
        "snapshot_error": None,
        "dump_seconds": None,
        "history": recorder.history(me),
        "census": None,
        "cycles": None,
    }
    with handlers.suppress_ours():
        recorder.note_settings(me)
    with handlers.suppress_ours():
        row.update(torch_api.memory_stats(device))
    with handlers.suppress_ours():
        row["device_free"], row["device_total"] = torch_api.device_memory(device)
    return row


def _look(me, row, device):
    """Snapshot, census, cycles. The snapshot is written on a thread of ours (dump.py says why); the looks
    stay on this one, since only the thread that runs a part of a backward pass may read what that part
    saved."""
    from . import looks

    row["snapshot_error"] = refused = dump.refusal(me)
    if not refused:
        snapshot = dump.Dump(me, "oom", row["seq"], device, row["history"], row)
        try:
            snapshot.start()
            snapshot.wait(me.config.dump_deadline_s)
        except BaseException as error:
            if not handlers.is_programs(error):
                raise
            return error  # the dump goes on, the exit waits for it
    raised = None
    try:
        looks.at_oom(me, row, device)
    except BaseException as error:
        if not handlers.is_programs(error):
            raise
        raised = error
    me.save()
    return raised
