"""The two beginnings: torch's import, and the program's own initialisation of CUDA.

At the first the receipt is written and arming is queued; nothing is initialised and no driver is asked. At the
second this process is armed. What a signal handler of the program raises meanwhile waits until that is done, and
then goes on to the program.
"""

import time

from . import config as settings
from . import faults, process, torch_api
from .recording import ends, observer, peaks, recorder
from .signals import handlers


def at_import(torch, raised=()):
    """Right after torch's import. Returns the first exception of a signal handler's, of those in `raised` and what
    comes meanwhile; or None."""
    held = [error for error in raised if handlers.of_handler(error)]
    try:
        handlers.to_the_end(lambda: _begin(torch, held), held)
    except Exception as error:
        faults.report("config", f"not armed: {faults.describe(error)}")
    return handlers.without_us(held[0]) if held else None


def _begin(torch, held):
    """The receipt, the exit's hooks, and the call that waits for CUDA. May be called again where it was cut short."""
    me = process.mine() or _become(torch)
    me.save()
    ends.install()
    if me.unrecordable and not me.torch_facts["hip"]:
        return  # this build of torch has no CUDA to wait for
    try:
        if not me.unrecordable:
            recorder.watch_program()
            peaks.watch_program()
        if torch_api.is_initialized():  # what has imported torch before us may have used it, too
            _arm(held)
        else:
            torch_api.call_when_initialized(_at_cuda)
    except Exception as error:
        if handlers.from_handler(error):
            raise
        recorder.failed(me, error)
        me.save()


def _become(torch):
    config, problems = settings.load()
    torch_facts = {
        **torch_api.versions(torch),
        "backend": None,
        "alloc_conf": torch_api.alloc_conf(),
        "expandable_segments": None,
    }
    me = process.become(config, torch_facts, torch_api.unrecordable(torch))
    for problem in problems:
        me.fault("config", problem)
    return me


def _at_cuda():
    """Runs inside the program's own CUDA initialisation, once per process that has one. Never raises: torch would
    make another exception of it. So what a signal handler raised comes when what is returned here dies."""
    held = []
    try:
        _arm(held)
    except BaseException as error:
        if handlers.of_handler(error):
            held.append(error)
        else:
            faults.report("arm", f"not armed: {faults.describe(error)}")
    return handlers.give_back(held) if held else None


def _arm(held):
    """Arms this process, once. What a signal handler of the program raises meanwhile is put into `held`."""
    me = handlers.to_the_end(process.adopt, held)
    if me is None:
        return
    with me.lock:
        first, me.cuda_seen = not me.cuda_seen, True
    if not first:
        return
    me.cuda_since = time.monotonic()
    me.identify()
    for part, failed in ((recorder.arm, recorder.failed), (_observe, _not_observed), (_watch, _partly)):
        try:
            handlers.to_the_end(lambda part=part: part(me), held)
        except Exception as error:
            failed(me, error)
    handlers.to_the_end(me.save, held)


def _observe(me):
    """Without the recorder an out-of-memory is still reported with its numbers and stacks."""
    recorder.note_settings(me)
    reason = recorder.BLIND.get(me.receipt["torch"]["backend"])
    if reason is not None:
        me.recorder["observer"] = "refused"
        faults.report("arm", f"an out-of-memory would not be seen here: {reason}")
    elif not me.observing:
        me.observing = True  # before: a second call after one that was cut short would observe twice
        torch_api.attach_oom_observer(observer.observer())
        me.recorder["observer"] = "attached"


def _not_observed(me, error):
    me.observing = False
    me.recorder["observer"] = "refused"
    me.fault("arm", f"out-of-memory errors are not observed: {faults.describe(error)}")


def _watch(me):
    ends.on_cuda(me)
    observer.prepare(me)


def _partly(me, error):
    me.fault("arm", f"partly armed: {faults.describe(error)}")
