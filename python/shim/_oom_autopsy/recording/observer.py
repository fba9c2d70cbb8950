"""What happens at an out-of-memory: facts, stacks, snapshot, a look at what is alive, receipt.

torch calls `on_oom` before it raises, on any thread, for caught errors too, without holding the allocator's
lock. An exception from here would replace the program's OutOfMemoryError: none of ours gets out. The work is done on a
thread of ours, while the program's waits (heap/apart.py): what a signal handler of the program raises meanwhile is the
program's, and does come out.

Limit: in the last frames from which hardly a function can be called any more, nothing is recorded; and in the very last,
where `on_oom` cannot be called either, the program gets that RecursionError.
"""

import _thread
import os
import sys
import threading
import time

from .. import facts, faults, process, receipt, torch_api
from ..heap import apart, collector
from ..heap.objects import WALL_S
from ..signals import handlers
from . import dump, ends, handled, recorder

MOST_FRAMES = (
    15  # so that the next collection is within twenty allocations of its time, whoever catches the error
)


def prepare(me):
    """At CUDA's initialisation: loads what an out-of-memory will need, and starts the watches the step
    asked for."""
    from . import looks

    held = collector.hold()  # of what is made here, no collection of the program's objects comes
    try:
        collector.prepare()
        looks.start(me)
        _know_suites(me)
    finally:
        del held


def _know_suites(me):
    """Where a test runner or a notebook is at work, or a test has started this process."""
    known = ("_pytest.runner", "unittest.case", "IPython.core.interactiveshell")
    if any(name in sys.modules for name in known) or "PYTEST_CURRENT_TEST" in os.environ:
        from . import suites

        me.suites = suites


def observer():
    """What torch is to call."""
    return on_oom if sys.version_info < (3, 12) else collector.around(on_oom)


def on_oom(device, wanted, limit, free):
    """torch's observer: device index, and bytes wanted, allowed (total, or the memory fraction's limit) and
    free."""
    raised = None
    try:
        me, ident = process.mine(), _thread.get_ident()
        if me is not None and ident not in me.busy:
            try:
                me.busy.add(ident)
                # The snapshot has a deadline of its own.
                seconds = me.config.dump_deadline_s + WALL_S
                raised = apart.run(lambda: Event(me, device, wanted, limit, free), seconds, _fault)
            finally:
                me.busy.discard(ident)
    except BaseException as error:
        # A program close to its recursion limit may leave us no room for a call; so what judges, and what tells, is
        # allowed to fail. Its own error is on the way.
        try:
            if handlers.of_handler(error):
                raised = handlers.without_us(error)
            else:
                _fault(error)
        except RecursionError:
            pass
    if raised is not None:
        try:
            raise raised
        finally:
            del raised  # or its traceback would be a cycle that keeps the program's frames


def _fault(error):
    faults.report("observer", f"an out-of-memory was not recorded in full: {faults.describe(error)}")


class Event(apart.Look):
    """One out-of-memory, and all that is done about it."""

    def __init__(self, me, device, wanted, limit, free):
        super().__init__()
        self.me, self.device = me, int(device)
        self.numbers = {"wanted": int(wanted), "limit": int(limit), "free": int(free)}

    def fault(self, error):
        _fault(error)

    def work(self):
        me, ours = self.me, _thread.get_ident()
        nested = ours in me.busy  # no thread could be had
        me.busy.add(ours)
        me.events.append(self)
        try:
            self._observe()
        finally:
            me.events.remove(self)
            if not nested:
                me.busy.discard(ours)

    def _observe(self):
        from . import looks

        # On 3.11 and later to ask for a stack makes an object for each frame, as the traceback of the error that follows does
        # for each up to who catches it: how many these are, nobody knows yet.
        self.due = min(MOST_FRAMES, facts.depth_of(self.thread)) if sys.version_info >= (3, 11) else 0
        me, row = self.me, self._row()
        self._test(row)
        handled.watch(me, row, self.thread)
        with me.lock:
            receipt.add_oom(me.receipt, row)
        me.save()  # before the dump: a process killed in it has said what happened
        if row["thread"] != "main":
            ends.watch_threads()
        row["snapshot_error"] = refused = dump.refusal(me)
        if not refused:
            snapshot = dump.Dump(me, "oom", row["seq"], self.device, row["history"], row)
            snapshot.start()
            snapshot.wait(me.config.dump_deadline_s)
        looks.at_oom(me, row, self)
        me.save()

    def _test(self, row):
        """In which test, and what became of earlier ones."""
        suites = self.me.suites
        if suites is None:
            return
        row["test"], result, row["cell"] = suites.find(self.thread)
        suites.settle(self.me, row)
        if result is not None and len(self.me.tests) < suites.MAX_TESTS:
            self.me.tests.append((row, result))

    def _row(self):
        """The receipt's row."""
        main = threading.main_thread().ident
        backward = self.task is not None and self.task[0] != -1
        thread = "main" if self.thread == main else "backward" if backward else "other"
        row = {
            "seq": self.me.next_seq(),
            "time": time.time(),
            "device": self.device,
            **self.numbers,
            "thread": thread,
            "stack": receipt.pack(facts.stack_of(self.thread) or []),
            "main_stack": receipt.pack(facts.stack_of(main) if thread != "main" else None),
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
            "history": recorder.history(self.me),
            "census": None,
            "cycles": None,
            "test": None,
            "outcome": None,
            "cell": None,
        }
        try:
            recorder.note_settings(self.me)
        except Exception:
            pass
        for read in (torch_api.memory_stats, torch_api.device_memory):
            try:
                row.update(read(self.device))
            except Exception:
                pass
        return row
