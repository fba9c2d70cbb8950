"""Arming and disarming torch's recorder, and telling the program's own recording from ours.

Armed when the program itself initialises CUDA: earlier would ask the runtime for devices, after which CUDA
fails in a forked child (vllm-project/vllm#47446). What the program records is its own: a recorder that is
on is left alone, and one the program starts after ours gets a clean start, as if ours had never been.
"""

import time

from .. import faults, process, torch_api
from ..signals import handlers

OFF = "snapshot: off"
# Allocators that record no history and report no out-of-memory: raising where they are asked.
ASYNC = (
    "backend:cudaMallocAsync records no history and reports no out-of-memory; "
    "remove it from PYTORCH_CUDA_ALLOC_CONF to get a snapshot"
)
PLUGGABLE = (
    "a pluggable allocator (torch.cuda.memory.change_current_allocator, as RMM does) records no history and reports "
    "no out-of-memory; run without it to get a snapshot"
)
BLIND = {"cudaMallocAsync": ASYNC, "pluggable": PLUGGABLE}
FOREIGN = "the program was recording already; its recording is left alone"
TAKEN_OVER = "the program started its own recording, so ours was stopped"


def watch_program():
    """From now on, makes way where the program switches the recorder itself."""
    torch_api.watch_recording(_before_programs_call)


def arm(me):
    """Decides about this process's recorder and starts it where that is ours to do."""
    backend = torch_api.allocator_backend()
    me.receipt["torch"]["backend"] = backend
    if me.unrecordable:
        return
    if backend in BLIND:
        me.recorder.update(state="unsupported", reason=BLIND[backend])
    elif me.config.snapshot == "off":
        me.recorder.update(reason=OFF)
    elif torch_api.history_enabled() and not me.armed:
        me.recorder.update(state="foreign", reason=FOREIGN)
    else:
        me.armed = (
            True  # before: a recorder that has started when a signal handler cuts this short is ours to stop
        )
        torch_api.start_recording(me.config.max_entries, me.config.stacks)
        me.recorder.update(state="armed", reason=None, armed_at=time.time())


def note_settings(me):
    """Whether expandable segments are on, as far as torch tells: they can be switched at run time."""
    now = torch_api.allocator_settings()
    me.expandable = expandable_segments(me.settings, me.expandable, now)
    me.settings = now
    me.receipt["torch"]["expandable_segments"] = me.expandable


def expandable_segments(before, was_on, now):
    """Whether they are on, None where that is not known, from the settings last given, `before` and `now`. Settings add up,
    but only the last are told: others may have come between two looks."""
    said = torch_api.expandable_in(now)
    if said is not None:
        return said
    if now is None:  # this torch does not tell
        return was_on or None
    return was_on if now == before else None


def failed(me, error):
    """Arming raised: the reason is kept, the program goes on (pytorch/pytorch#128131)."""
    me.armed = False
    reason = f"torch refused to record: {faults.describe(error)}"
    me.recorder.update(state="failed", reason=reason)
    me.fault("arm", f"not armed: {reason}")


def _before_programs_call(enabled):
    """The program is about to switch the recorder itself; ours makes way. Raises only what a signal handler of the
    program raised meanwhile."""
    held = []
    try:
        handlers.to_the_end(lambda: _make_way(enabled), held)
    except Exception as error:
        faults.report("arm", f"the program's own recording was not noticed: {faults.describe(error)}")
    if held:
        raise handlers.without_us(held[0])


def _make_way(enabled):
    me = process.mine()
    if me is None or not me.armed:
        return
    if not enabled:
        me.recorder["interrupted"] = True
    else:
        # Else its shorter ring would break the order of ours, and its file would hold events from
        # before its call.
        try:
            disarm(me)
        except BaseException as error:
            me.armed = handlers.of_handler(error)  # what was cut short is begun again
            raise
        me.recorder.update(state="foreign", reason=TAKEN_OVER)
    me.save()


def history(me):
    """What a snapshot taken now would hold: `armed`, `interrupted`, `foreign` or `none`."""
    if me.recorder["state"] == "unsupported":
        return "none"  # such an allocator raises even when asked
    enabled = torch_api.history_enabled()
    if me.armed:
        if enabled is False:
            me.recorder["interrupted"] = True
        return "interrupted" if me.recorder["interrupted"] else "armed"
    return "foreign" if enabled else "none"


def disarm(me):
    """Stops the recorder if this very process started it, and asks torch whether it is off. Idempotent."""
    if not me.armed or me is not process.mine():
        return
    me.armed = False
    if me.dump_stuck:
        # The stuck dump may hold the allocator's lock for good: asking for it would hang the program at its
        # exit.
        me.recorder.update(disarm_proven=False, reason="not disarmed: a snapshot is stuck in torch")
        return
    if torch_api.history_enabled() is False:
        me.recorder["interrupted"] = True  # nothing to stop: a bare stop adds hooks (pytorch/pytorch#153571)
    else:
        torch_api.stop_recording()
    enabled = torch_api.history_enabled()
    me.recorder.update(
        state="disarmed", disarmed_at=time.time(), disarm_proven=None if enabled is None else not enabled
    )
