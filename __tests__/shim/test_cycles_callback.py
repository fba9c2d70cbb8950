"""A gc callback of ours loses no exception that a signal handler of the program raises while it, or the collection, runs."""

import json

import pytest
from conftest import SHIM, python_or_skip, run

PROGRAM = """
import gc, json, os, signal, sys, time
sys.path.insert(0, sys.argv[1])
from _oom_autopsy import cycles_callback

class Late(Exception):
    def __init__(self, seconds, unit):
        super().__init__(seconds, unit)
        self.unit = unit

def stop(*_):
    raise SystemExit(7)

class Watchdog:
    def late(self, *_):
        raise Late(3, "s")

gc.disable()
faults, events = [], []
def attempt(handler, when):
    signal.signal(signal.SIGTERM, handler)
    def on_event(phase):
        events.append(phase)
        if phase == when:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(0)
    remove = cycles_callback.install(on_event, faults.append)
    try:
        gc.collect()
        here = there = None
        return "lost"
    except BaseException as error:
        return [type(error).__name__, list(error.args), getattr(error, "code", None), getattr(error, "unit", None)]
    finally:
        remove()

report = {when: [attempt(h, when) for h in (stop, Watchdog().late, signal.default_int_handler)] for when in ("start", "stop")}

# while the collector itself is at work, in C
signal.signal(signal.SIGALRM, stop)
heap = [[i] for i in range(1_500_000)]
remove = cycles_callback.install(lambda phase: None, faults.append)
try:
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    gc.collect()
    here = there = None
    report["during"] = "lost"
except SystemExit as error:
    report["during"] = error.code
remove()

# a fault of ours is ours, and the callback lives on
seen = []
def broken(phase):
    seen.append(phase)
    raise ValueError("ours")
first, last = (lambda *event: None), (lambda *event: None)
gc.callbacks.append(first)
remove = cycles_callback.install(broken, faults.append)
gc.callbacks.append(last)
before = list(gc.callbacks)
gc.collect(), gc.collect(1), gc.collect(0), gc.collect()
report["in place"] = [a is b for a, b in zip(gc.callbacks, before)]
remove()
gc.collect()
report["left"] = [gc.callbacks == [first, last]]
report["faults"] = [[str(fault) for fault in faults], seen]
report["events"] = sorted(set(events))
print(json.dumps(report))
"""


@pytest.mark.parametrize("version", ["3.9", "3.10", "3.11", "3.12", "3.13"])
def test_exceptions_of_signal_handlers_arrive(version):
    done = run(PROGRAM, SHIM, python=python_or_skip(version))
    assert (done.code, done.err) == (0, "")
    report = json.loads(done.out)
    expected = [
        ["SystemExit", [7], 7, None],
        ["Late", [3, "s"], None, "s"],
        ["KeyboardInterrupt", [], None, None],
    ]
    assert report["start"] == expected
    assert report["stop"] == expected
    assert report["during"] == 7
    assert report["faults"] == [["ours"] * 4, ["start", "stop"] * 2]
    assert (report["in place"], report["left"]) == ([True] * 3, [True])
    assert report["events"] == ["start", "stop"]


# The functions of ctypes.pythonapi are one set for the whole process: what the program says of one holds for all who call it.
RECIPE = """
import ctypes, gc, os, signal, sys
raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc
raise_in.argtypes, raise_in.restype = (ctypes.c_long, ctypes.py_object), ctypes.c_long
raise_in.errcheck = lambda *_: 1 / 0
sys.path.insert(0, sys.argv[1])
from _oom_autopsy import cycles_callback

class Late(Exception): pass
def late(*_):
    raise Late(3)
signal.signal(signal.SIGTERM, late)
remove = cycles_callback.install(lambda phase: phase == "stop" and os.kill(os.getpid(), signal.SIGTERM), print)
try:
    gc.collect()
    here = there = None
    print("lost")
except Late as error:
    print(error)
remove()
print(raise_in.argtypes == (ctypes.c_long, ctypes.py_object))
"""


@pytest.mark.parametrize("version", ["3.9", "3.11", "3.13"])
def test_what_the_program_tells_ctypes_is_its_own(version):
    done = run(RECIPE, SHIM, python=python_or_skip(version))
    assert (done.code, done.out, done.err) == (0, "3\nTrue\n", "")
