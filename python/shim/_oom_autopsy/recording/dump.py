"""Taking a snapshot without ever holding the program up for good.

torch writes it on a thread of ours while the program's thread waits with a deadline. A wait for a lock lets
the program's signal handlers run and lets go of the GIL; a dump that hangs in I/O or in Python is given up,
the program goes on. One that hangs inside torch with the GIL held (C++ symbolising, `stacks: all`) cannot
be given up from inside a process: it ends with the step's own time limit.
"""

import _thread
import contextlib
import errno
import os
import time

from .. import faults, receipt, torch_api
from ..heap import collector
from ..signals import threads

# A program that runs into the limit again and again (a batch-size search) pays for the newest snapshot each
# time. Past this many seconds, a snapshot is taken only when the pause since the last was ten times its
# length.
FREE_SECONDS = 60.0
PAUSE_FACTOR = 10.0
REMOVED = "removed: max-snapshots keeps the first and the newest"


class Dump:
    """One snapshot on its way. `oom` is the receipt's row that asked for it, if one did; it is kept up to
    date."""

    def __init__(self, me, reason, seq, device, history, oom=None):
        self.me, self.reason, self.seq, self.device, self.history, self.oom = (
            me,
            reason,
            seq,
            device,
            history,
            oom,
        )
        self.held = None  # while it is there, collection is off
        self.over = False  # written, failed or given up; guarded by me.lock
        self.started = time.monotonic()
        self.done = _thread.allocate_lock()
        self.done.acquire()

    def start(self):
        """Starts it; on the calling thread where no thread can be had (limits, interpreter shutdown)."""
        self.me.dumps.append(self)
        if not threads.start(self._run):
            self._run()

    def wait(self, seconds):
        """Waits until it is over and gives it up after `seconds`. What a signal handler of the program
        raises in the meantime passes through."""
        if self.done.acquire(True, min(seconds, _thread.TIMEOUT_MAX)):
            self.done.release()
        else:
            self._close(error=f"the snapshot was given up after {seconds:g} s", stuck=True)

    def _run(self):
        me, ident = self.me, _thread.get_ident()
        nested = ident in me.busy
        me.busy.add(ident)  # an out-of-memory in here is not the program's
        self.held = collector.hold()
        try:
            self._write()
        except BaseException as error:
            self._close(error=f"the snapshot was not written: {faults.describe(error)}")
        finally:
            self.held = None
            if not nested:
                me.busy.discard(ident)
            self.done.release()

    def _write(self):
        me, name = self.me, self.me.snapshot_name(self.seq, self.reason)
        temporary = me.store.open(name)
        try:
            torch_api.dump_snapshot(temporary)
            size = os.stat(temporary).st_size
            if size == 0:
                raise OSError(errno.EIO, "torch wrote an empty file")
            with me.lock:
                if self.over:  # given up meanwhile: a late file would contradict the receipt
                    raise TimeoutError("given up")
                me.store.commit(temporary, name)
                row = {
                    "file": name,
                    "bytes": size,
                    "reason": self.reason,
                    "device": self.device,
                    "seq": self.seq,
                    "time": time.time(),
                    "history": self.history,
                }
                self._close(row=row)
        except BaseException:
            me.store.discard(temporary)
            raise

    def _close(self, row=None, error=None, stuck=False):
        """Takes down the result, the first one only."""
        me = self.me
        with me.lock:
            if self.over:
                return
            self.over = True
            seconds = round(time.monotonic() - self.started, 3)
            me.dump_stuck = me.dump_stuck or stuck
            if stuck:  # it may never come back
                self.held = None
            me.dump_seconds += seconds
            me.last_dump = (time.monotonic(), seconds)
            me.dumps.remove(self)
            if self.oom is not None:
                self.oom.update(
                    dump_seconds=seconds, snapshot_error=error, snapshot=row["file"] if row else None
                )
            if row is not None:
                _keep(me, row)
            if error is not None:
                me.fault("dump", error)
        me.save()


def refusal(me):
    """Why no snapshot is to be taken now, or None."""
    if me.config.snapshot == "off":
        return "snapshot: off"
    if me.recorder["state"] == "unsupported":
        return me.recorder["reason"]
    if me.dump_stuck:
        return "an earlier snapshot is stuck in torch"
    if me.last_dump is not None and me.dump_seconds > FREE_SECONDS:
        ended, seconds = me.last_dump
        if time.monotonic() - ended < PAUSE_FACTOR * seconds:
            return f"skipped: the snapshots of this process have taken {me.dump_seconds:.0f} s already"
    return None


def _keep(me, row):
    """Adds a snapshot and removes those beyond max_snapshots; their out-of-memories say so."""
    rows = me.receipt["snapshots"]
    rows.append(row)
    for old in receipt.expired(rows, me.config.max_snapshots):
        rows.remove(old)
        me.receipt["snapshots_removed"] += 1
        with contextlib.suppress(OSError):
            me.store.remove(old["file"])
        for oom in me.receipt["ooms"]:
            if oom["snapshot"] == old["file"]:
                oom.update(snapshot=None, snapshot_error=REMOVED)
