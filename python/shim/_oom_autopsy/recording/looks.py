"""The looks at what is alive: census, cycles and timeline, where the step asked for them.

Their modules are loaded when the program initialises CUDA, not before: a process that imports torch and
never uses a device does not pay for them, and the first out-of-memory does not wait for them. Each look is
guarded on its own: one that fails is a fault of ours, one line, and nothing more.
"""

import time

from .. import faults, process, receipt, torch_api
from ..heap import apart
from ..heap.objects import WALL_S
from ..signals import handlers

# At an out-of-memory the program's objects are looked at these many times, whatever it takes; then only where the looks so
# far have taken less than this share of the time since CUDA was initialised: a loop that retries must not wait for us.
FREE_LOOKS = 3
SHARE = 0.05
USED_UP = "the looks at earlier out-of-memory errors have used the time there is for them"


def start(me):
    """At CUDA's initialisation: starts the watch for reference cycles and the timeline; what has started already,
    before a signal handler of the program cut this short, stays."""
    if me.unrecordable:
        return
    if me.config.categories != "off" and me.census is None and torch_api.counts_allocations():
        with _guard(me, "census", "there will be no census"):
            from ..census import census

            me.census = census
    if me.config.cycles != "off" and me.watch is None:
        # torch's observer, where it is used, starts the recorder itself: not the program's doing.
        with _guard(me, "cycles", "reference cycles are not watched"), torch_api.ours():
            from ..cycles import start as cycles

            me.watch = cycles.start(
                me.config.cycles_watch,
                max_entries=me.config.max_entries,
                restore_recorder=lambda: _restore_recorder(me),
                on_change=lambda: _cycles_changed(me),
            )
    if me.config.categories == "timeline" and me.timeline is None:
        with _guard(me, "timeline", "there is no timeline"):
            from ..timeline import timeline

            me.timeline = timeline.start(
                me.config.timeline_steps, on_done=lambda result: _timeline_done(me, result)
            )


def _timeline_done(me, result):
    """The window has closed: a process that is killed later has said what was in it."""
    if me is process.mine():
        me.receipt["timeline"] = result
        me.save()


def _restore_recorder(me):
    """After torch's own observer has started the recorder with its arguments: ours again, where it is
    ours."""
    if me.armed:
        torch_api.start_recording(me.config.max_entries, me.config.stacks)


def _cycles_changed(me):
    """A new kind of cycle was seen: a process that is killed later has said so."""
    if me is process.mine() and me.watch is not None:
        me.receipt["cycles"] = me.watch.summary()
        me.save()


def at_oom(me, row, event):
    """After an out-of-memory's snapshot, on a thread of ours. event: observer.Event."""
    if (me.census is None and me.watch is None) or not torch_api.is_initialized():
        return
    if me.looked >= FREE_LOOKS and me.look_seconds > SHARE * (time.monotonic() - me.cuda_since):
        if me.census is not None:
            row["census"] = receipt.pack(me.census.unfinished(f"not looked: {USED_UP}"))
        if me.watch is not None:
            row["cycles"] = receipt.pack(me.watch.not_looked(USED_UP))
        return
    me.looked += 1
    began = time.thread_time()
    if me.census is not None:
        with _guard(me, "census", "there is no census of an out-of-memory"):
            row["census"] = receipt.pack(me.census.take([event.device], see=event.see, ended=event.why))
    if me.watch is not None:
        with _guard(me, "cycles", "reference cycles were not looked at"):
            why = event.why()
            look = me.watch.not_looked(why) if why else me.watch.look(event.see, event.why)
            row["cycles"] = receipt.pack(look)
    me.look_seconds += time.thread_time() - began


def at_exit(me):
    """Before the recorder is stopped, on the main thread: looks a last time, and takes the watches' hooks
    out. Returns the first exception that a signal handler of the program raised meanwhile, or None: all is
    done before it goes on."""
    held = []
    if me.census is not None or me.watch is not None:
        with _guard(me, "looks", "there is no look at the exit", held):
            look = _LastLook(me)
            raised = apart.run(lambda: look, WALL_S, look.fault)
            held += [] if raised is None else [raised]
            look.let_go(
                WALL_S
            )  # a thread that is in torch's code while the interpreter ends may abort the process
    for kind, watch in (("timeline", me.timeline), ("cycles", me.watch)):
        if watch is not None:
            with _guard(me, kind, "a watch was not stopped", held):
                watch.stop()
    summarise(me, held)
    return held[0] if held else None


class _LastLook(apart.Look):
    """A short program may never have had the time for a look within the watch's budget."""

    def __init__(self, me):
        super().__init__()
        self.me = me

    def work(self):
        me = self.me
        if me.census is not None:
            with _guard(me, "census", "there is no census at the exit"):
                me.receipt["census"] = me.census.take(see=self.see, ended=self.why)
        if me.watch is not None:
            with _guard(me, "cycles", "reference cycles were not looked at"):
                me.watch.look(self.see, self.why)

    def fault(self, error):
        self.me.fault("looks", f"there is no look at the exit: {faults.describe(error)}")


def without_cuda(me):
    """At the end of a process that never used CUDA: asked for, and nothing to look at, is said. The watch itself is
    not loaded for it."""
    if me.config.cycles != "off":
        me.receipt["cycles"] = {
            "mode": me.config.cycles_watch,
            "state": "nothing-to-watch",
            "reason": me.recorder["reason"],
            "looks": 0,
            "seconds": 0.0,
            "count": 0,
            "tensors": 0,
            "bytes": {},
            "cycles": [],
            "cycles_dropped": 0,
        }


def summarise(me, held=None):
    """What the watches have seen so far, into the receipt. From any thread."""
    for kind, watch in (("timeline", me.timeline), ("cycles", me.watch)):
        if watch is not None:
            with _guard(me, kind, "the summary of a watch is lost", held):
                me.receipt[kind] = watch.summary()


class _guard:
    """`with _guard(me, kind, consequence)`: an exception of a look ends in a fault. One of the program's goes on,
    or is put into `held`."""

    def __init__(self, me, kind, consequence, held=None):
        self.me, self.kind, self.consequence, self.held = me, kind, consequence, held

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if error is None:
            return False
        if not handlers.of_handler(error):
            self.me.fault(self.kind, f"{self.consequence}: {faults.describe(error)}")
            return True
        if self.held is None:
            return False
        self.held.append(error)
        return True
