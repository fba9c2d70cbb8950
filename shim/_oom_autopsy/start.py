"""The two beginnings: torch's import, and the program's own initialisation of CUDA.

At the first the receipt is written and arming is queued; nothing is initialised and no driver is asked. At the
second this process is armed.
"""

from . import config as settings
from . import ends, faults, observer, process, recorder, torch_api


def at_import(torch):
    """Right after torch's import."""
    try:
        config, problems = settings.load()
    except (OSError, ValueError) as error:
        faults.report("config", f"not armed: {faults.describe(error)}")
        return
    torch_facts = {**torch_api.versions(torch), "backend": None, "alloc_conf": torch_api.alloc_conf()}
    me = process.become(config, torch_facts, torch_api.unrecordable(torch))
    for problem in problems:
        me.fault("config", problem)
    me.save()
    ends.install()
    if me.unrecordable and not me.torch_facts["hip"]:
        return  # this build of torch has no CUDA to wait for
    try:
        if not me.unrecordable:
            recorder.watch_program()
        torch_api.call_when_initialized(_at_cuda)
    except Exception as error:
        recorder.failed(me, error)
        me.save()


def _at_cuda():
    """Runs inside the program's own CUDA initialisation, once per process that has one. Never raises."""
    try:
        me = process.adopt()
        if me is None:
            return
        with me.lock:
            if me.cuda_seen:
                return
            me.cuda_seen = True
    except Exception as error:
        faults.report("arm", f"not armed: {faults.describe(error)}")
        return
    try:
        recorder.arm(me)
    except Exception as error:
        recorder.failed(me, error)
    try:
        # Without the recorder an out-of-memory is still reported with its numbers and stacks.
        if me.receipt["torch"]["backend"] != "cudaMallocAsync":
            torch_api.attach_oom_observer(observer.on_oom)
            me.observing = True
    except Exception as error:
        me.fault("observer", f"out-of-memory errors are not observed: {faults.describe(error)}")
    try:
        ends.on_cuda(me)
        observer.prepare(me)
    except Exception as error:
        me.fault("arm", f"partly armed: {faults.describe(error)}")
    me.save()
