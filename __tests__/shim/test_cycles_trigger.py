"""The call that is made in the program now and then loses no exception of the program's signal handlers."""

import json

import pytest
from conftest import SHIM, python_or_skip, run

VERSIONS = ["3.9", "3.10", "3.11", "3.12", "3.13"]

PRELUDE = """
import gc, json, os, random, signal, sys, time
sys.path.insert(0, sys.argv[1])
from _oom_autopsy.cycles import trigger as cycles_trigger
"""

# Each exception is raised at a random instant of a loop that allocates, or that collects, with work that takes 1 ms, one time
# in ten. Two more where it is raised for sure: in the work, and in a wait within it.
RAISES = (
    PRELUDE
    + """
lost = []
sys.unraisablehook = lambda unraisable: lost.append(repr(unraisable.exc_value))
class Late(BaseException): pass
raised = arrived = worked = 0
def handler(*_):
    global raised
    raised += 1
    raise Late
signal.signal(signal.SIGALRM, handler)
def work():
    global worked
    worked += 1
    end = time.perf_counter() + 0.001
    while time.perf_counter() < end: pass
remove = cycles_trigger.install(work)
random.seed(1)
many, how = int(sys.argv[2]), sys.argv[3]
base = [[i] for i in range(20_000 if how == "collects" else 100)]
end = time.monotonic() + 100
while raised < many and time.monotonic() < end:
    try:
        signal.setitimer(signal.ITIMER_REAL, random.uniform(0.0002, 0.004), 2)
        while True:
            if how == "collects": gc.collect()
            else: rows = [{"id": [i]} for i in range(3000)]
    except Late:
        arrived += 1
        signal.setitimer(signal.ITIMER_REAL, 0)
signal.setitimer(signal.ITIMER_REAL, 0)
remove()
print(json.dumps([raised >= many, raised - arrived, lost, worked > 0, gc.callbacks]))
"""
)


@pytest.mark.parametrize("how", ["allocates", "collects"])
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("many", [150, pytest.param(1100, marks=pytest.mark.long)])
def test_no_exception_of_a_signal_handler_is_lost(many, version, how):
    done = run(RAISES, SHIM, many, how, python=python_or_skip(version))
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out) == [True, 0, [], True, []]


INSIDE = (
    PRELUDE
    + """
class Late(Exception): pass
class Watchdog:
    def late(self, *_): raise Late(3, "s")
def stop(*_): raise SystemExit(7)
def frames(error):
    trace, names = error.__traceback__, []
    while trace is not None:
        names.append(trace.tb_frame.f_code.co_name)
        trace = trace.tb_next
    return names
def attempt(handler):
    signal.signal(signal.SIGTERM, handler)
    def work():
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(5)
    remove = cycles_trigger.install(work)
    try:
        for _ in range(10 * cycles_trigger.EVERY): gc.collect(0)
        return "lost"
    except BaseException as error:
        return [type(error).__name__, [str(a) for a in error.args], frames(error)]
    finally:
        remove()
print(json.dumps([attempt(stop), attempt(Watchdog().late), attempt(signal.default_int_handler)]))
"""
)


@pytest.mark.parametrize("version", VERSIONS)
def test_what_is_raised_in_the_work_goes_on_in_the_program(version):
    done = run(INSIDE, SHIM, python=python_or_skip(version))
    assert (done.code, done.err) == (0, "")
    # One frame of ours is left, the call's own; `work` is this test's.
    assert json.loads(done.out) == [
        ["SystemExit", ["7"], ["attempt", "__bool__", "work", "stop"]],
        ["Late", ["3", "s"], ["attempt", "__bool__", "work", "late"]],
        ["KeyboardInterrupt", [], ["attempt", "__bool__", "work"]],
    ]


PLACES = (
    PRELUDE
    + """
class Equal:
    def __call__(self, phase, info): pass
    def __eq__(self, other): return True
calls = []
first, last = Equal(), Equal()
gc.callbacks[:] = [first]
removes = [cycles_trigger.install(lambda i=i: calls.append(i)) for i in range(2)]
gc.callbacks.append(last)
for _ in range(3 * cycles_trigger.EVERY): gc.collect(0)
report = {"calls": sorted(set(calls)), "often": len(calls)}
removes[0]()
report["one left"] = len(gc.callbacks)
removes[0](), removes[1](), removes[1]()
report["left"] = [each is mine for each, mine in zip(gc.callbacks, (first, last))]
child = os.fork()
if child == 0:
    before = len(calls)
    for _ in range(3 * cycles_trigger.EVERY): gc.collect(0)
    os._exit(len(calls) - before)
report["child"] = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) if sys.version_info >= (3, 9) else 0
print(json.dumps(report))
"""
)


@pytest.mark.parametrize("version", VERSIONS)
def test_it_is_taken_out_and_others_stay(version):
    done = run(PLACES, SHIM, python=python_or_skip(version))
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out) == {
        "calls": [0, 1],
        "often": 6,
        "one left": 3,
        "left": [True, True],
        "child": 0,
    }


# The functions of ctypes.pythonapi are one set for the whole process: what the program says of one holds for all who call it.
RECIPE = (
    """
import ctypes
add = ctypes.pythonapi.Py_AddPendingCall
add.argtypes, add.restype = (ctypes.py_object,), ctypes.py_object
add.errcheck = lambda *_: 1 / 0
ctypes.pythonapi.PyObject_IsTrue.errcheck = lambda *_: 1 / 0
"""
    + PRELUDE
    + """
calls = []
remove = cycles_trigger.install(lambda: calls.append(1))
for _ in range(2 * cycles_trigger.EVERY): gc.collect(0)
remove()
print(len(calls), add.argtypes == (ctypes.py_object,))
"""
)


@pytest.mark.parametrize("version", ["3.9", "3.11", "3.13"])
def test_what_the_program_tells_ctypes_is_its_own(version):
    done = run(RECIPE, SHIM, python=python_or_skip(version))
    assert (done.code, done.out, done.err) == (0, "2 True\n", "")
