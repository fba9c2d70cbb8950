"""The looks at what is alive: census, cycles and timeline, where the step asked for them and their module
is there.

Each is guarded on its own: a look that fails is a fault of ours, one line, and nothing more.
"""

from . import faults, process, torch_api

try:
    from . import census
except ImportError:
    census = None
try:
    from . import cycles
except ImportError:
    cycles = None
try:
    from . import timeline
except ImportError:
    timeline = None


def wanted(me):
    """Whether an out-of-memory gets a look of any kind."""
    return (census is not None and me.config.categories != "off") or me.watch is not None


def start(me):
    """At CUDA's initialisation: starts the watch for reference cycles and the timeline."""
    if cycles is not None and me.config.cycles != "off" and not me.unrecordable:
        # torch's observer, where it is used, starts the recorder itself: not the program's doing.
        with _guard(me, "cycles", "reference cycles are not watched"), torch_api.ours():
            me.watch = cycles.start(
                me.config.cycles_watch,
                evidence_dir=me.config.evidence,
                page_name=f"{me.host}-{me.pid}-{me.token}.cycles.html",
                max_entries=me.config.max_entries,
                restore_recorder=lambda: _restore_recorder(me),
                on_change=lambda: _cycles_changed(me),
            )
    if timeline is not None and me.config.categories == "timeline" and not me.unrecordable:
        with _guard(me, "timeline", "there is no timeline"):
            me.timeline = timeline.start(me.config.timeline_steps)


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


def at_oom(me, row, device):
    """After an out-of-memory's snapshot."""
    if census is not None and me.config.categories != "off":
        with _guard(me, "census", "there is no census of an out-of-memory"):
            row["census"] = census.take([device])
    if me.watch is not None:
        with _guard(me, "cycles", "reference cycles were not looked at"):
            row["cycles"] = me.watch.look("oom")


def at_exit(me):
    """Before the recorder is stopped."""
    if timeline is not None and me.timeline is not None:
        with _guard(me, "timeline", "the timeline is lost"):
            me.receipt["timeline"] = me.timeline.summary()
    if me.watch is not None:
        with _guard(me, "cycles", "the summary of reference cycles is lost"):
            me.receipt["cycles"] = me.watch.summary()
    if census is not None and me.config.categories != "off":
        with _guard(me, "census", "there is no census at the exit"):
            me.receipt["census"] = census.take()


def stop(me):
    """Takes the watches' hooks out again."""
    for name, watch in (("cycles", me.watch), ("timeline", me.timeline)):
        if watch is not None:
            with _guard(me, name, "a watch was not stopped"):
                watch.stop()


class _guard:
    """`with _guard(me, kind, consequence)`: an exception of a look ends in a fault."""

    def __init__(self, me, kind, consequence):
        self.me, self.kind, self.consequence = me, kind, consequence

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if isinstance(error, Exception):
            self.me.fault(self.kind, f"{self.consequence}: {faults.describe(error)}")
            return True
        return False
