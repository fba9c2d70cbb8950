"""The program's own recording, observers and hooks are its own."""

import textwrap

import pytest
from conftest import run

HEAD = """
import json, sys, os
import torch
M = torch.cuda.memory
torch._inductor = None     # the program's own dump would import it: seconds, in every run
def oom():
    try:
        torch.empty(1 << 40, dtype=torch.uint8, device="cuda")
    except torch.OutOfMemoryError:
        pass
def events(path="own.pickle"):
    import pickle
    M._dump_snapshot(path)
    return [e["action"] for e in pickle.load(open(path, "rb"))["device_traces"][0] if e["action"] != "snapshot"]
"""
# name: (program, recorder.state, histories of its out-of-memories, interrupted)
CASES = {
    "before cuda": (
        "M._record_memory_history(max_entries=7)\ntorch.zeros(1, device='cuda')\noom()\nprint(len(events()))",
        "foreign",
        ["foreign"],
        False,
    ),
    "after cuda": (
        "kept = [torch.zeros(1, device='cuda') for _ in range(30)]\n"
        "M._record_memory_history(max_entries=10)\nkept.append(torch.zeros(1, device='cuda'))\n"
        "oom()\nprint(events())",
        "foreign",
        ["foreign"],
        False,
    ),
    "legacy form": (
        "torch.zeros(1, device='cuda')\nM._record_memory_history(True, trace_alloc_max_entries=5)\n"
        "y = torch.zeros(1, device='cuda')\noom()\nprint(events())",
        "foreign",
        ["foreign"],
        False,
    ),
    "switched off": (
        "torch.zeros(1, device='cuda')\noom()\nM._record_memory_history(enabled=None)\noom()\nprint(len(events()))",
        "disarmed",
        ["armed", "interrupted"],
        True,
    ),
    "off and on": (
        "torch.zeros(1, device='cuda')\nM._record_memory_history(enabled=None)\noom()\n"
        "M._record_memory_history()\noom()\nprint(events())",
        "foreign",
        ["interrupted", "foreign"],
        True,
    ),
    "its own off": (
        "M._record_memory_history()\ntorch.zeros(1, device='cuda')\nM._record_memory_history(enabled=None)\noom()\n"
        "print(len(events()))",
        "foreign",
        ["none"],
        False,
    ),
    "refused by torch": (
        "torch.zeros(1, device='cuda')\n"
        "try: M._record_memory_history(enabled='nonsense')\nexcept Exception as e: print(type(e).__name__)\noom()",
        "foreign",
        ["none"],
        False,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_programs_own_recording(name, step, cuda, tmp_path):
    program, state, histories, interrupted = CASES[name]
    lain = step()
    done = lain.run(HEAD + program, python=cuda, cwd=tmp_path)
    plain = run(HEAD + program, python=cuda, cwd=tmp_path)
    assert done.code == plain.code == 0, done.err
    assert done.out == plain.out, "its own file holds what it would have held"
    receipt = done.receipt
    assert [oom["history"] for oom in receipt["ooms"]] == histories
    assert [row["history"] for row in receipt["snapshots"]] == histories
    assert receipt["recorder"]["interrupted"] is interrupted
    assert receipt["recorder"]["state"] == state and done.ours == []


def test_a_foreign_recording_is_still_on_at_the_programs_end(step, cuda):
    program = """
        import atexit, torch
        torch.cuda.memory._record_memory_history()      # before torch's import of ours could, and before CUDA
        torch.zeros(1, device="cuda")
        import _oom_autopsy.recording.ends as ends
        atexit._run_exitfuncs()
        print(torch._C._cuda_isHistoryEnabled())
    """
    done = step().run(program, python=cuda)
    assert (done.out, done.receipt["recorder"]["disarmed_at"]) == ("True\n", None), done.err


def test_observers_hooks_and_settings_stay(step, cuda):
    program = """
        import atexit, gc, signal, sys, threading, warnings
        before = (sys.excepthook, threading.excepthook, sys.unraisablehook, gc.get_threshold(), gc.isenabled(),
                  gc.get_debug(), signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT),
                  list(warnings.filters))
        callbacks = list(gc.callbacks)
        import torch
        filters = list(warnings.filters)
        seen = []
        torch.zeros(1, device="cuda")
        torch._C._cuda_attach_out_of_memory_observer(lambda *a: seen.append(a))
        for _ in range(2):
            try:
                torch.empty(1 << 40, dtype=torch.uint8, device="cuda")
            except torch.OutOfMemoryError:
                pass
        after = (sys.excepthook, threading.excepthook, sys.unraisablehook, gc.get_threshold(), gc.isenabled(),
                 gc.get_debug(), signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT))
        assert after == before[:-1], (before, after)
        assert warnings.filters == filters and gc.callbacks == callbacks
        print(seen, threading.active_count(), [t.name for t in threading.enumerate()])
        atexit.register(print, "at exit")
    """
    program = textwrap.dedent(program)
    done, plain = step().run(program, python=cuda), run(program, python=cuda)
    assert (done.code, done.out) == (plain.code, plain.out), done.err
    assert done.receipt["oom_count"] == 2
