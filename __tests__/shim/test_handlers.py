"""What a signal handler of the program raises while we look at an out-of-memory comes out in the program."""

import importlib.util
import json
import signal
import sys
import types

import pytest
from _oom_autopsy.signals import handlers
from conftest import python_or_skip

# An out-of-memory whose census takes long (many live objects, each of which it has to see), with a timer that is
# armed by the census itself, so that the handler runs in the middle of it on any machine.
PROGRAM = '''
import functools, gc, json, os, signal, sys, traceback
import torch

class Alarm(Exception): pass
class Runtime(RuntimeError): pass
KINDS = {"SystemExit": SystemExit(7), "TimeoutError": TimeoutError("step took too long"),
         "Alarm": Alarm(), "Runtime": Runtime("r"), "KeyboardInterrupt": KeyboardInterrupt()}
kind, number, look, how = sys.argv[1:]
raised = KINDS[kind]

def handler(*_):
    signal.signal(getattr(signal, number), signal.SIG_DFL)  # as many do: it is no handler any more while it raises
    raise raised

class Handler:
    def __call__(self, *_):
        handler()

signal.signal(getattr(signal, number), {"function": handler, "object": Handler()}[how])
layer = torch.nn.Linear(64, 64, device="cuda")
held = [[i] for i in range(100_000)]
output = layer(torch.ones(8, 64, device="cuda"))

from _oom_autopsy import process
from _oom_autopsy.census import census
from _oom_autopsy.cycles import watch as cycles_watch
owner, name = (census._Look, "_look") if look == "census" else (cycles_watch.Watch, "_cycles")
# A frame of the look's own module starts the clock, once: 20 ms later it is among the many objects, on a thread of ours.
space = {"__name__": owner.__module__, "real": getattr(owner, name), "todo": [getattr(signal, number)],
         "kill": functools.partial(os.kill, os.getpid()), "later": signal.setitimer, "ALARM": signal.ITIMER_REAL,
         "mine": process.mine, "sleep": __import__("time").sleep}
exec("""def call(*args):
    while todo:
        if todo[0] == 14: later(ALARM, 0.02, todo.pop() * 0)
        else: kill(todo.pop())
        for _ in range(1000):  # the look is as fast as it is: wait until nobody waits for it any more
            if mine().events and not mine().events[0].ended: sleep(0.01)
    return real(*args)""", space)
setattr(owner, name, space["call"])

def before_and_after():
    return gc.isenabled(), torch.cuda.memory_allocated()
was = before_and_after()
try:
    torch.empty(1 << 40, device="cuda")
except BaseException as error:
    inside = [frame.f_globals["__name__"] for frame, _ in traceback.walk_tb(error.__traceback__)]
    print(json.dumps({"type": type(error).__name__, "same": error is raised, "frames": inside,
                      "context": type(error.__context__).__name__, "as_it_was": before_and_after() == was}), flush=True)
    if kind == "SystemExit":
        raise
'''


@pytest.mark.parametrize(
    "kind, number, look, how",
    (
        ("SystemExit", "SIGTERM", "census", "function"),
        ("TimeoutError", "SIGALRM", "census", "function"),
        ("Runtime", "SIGALRM", "census", "object"),
        ("KeyboardInterrupt", "SIGINT", "census", "function"),
        ("TimeoutError", "SIGALRM", "cycles", "function"),
        ("SystemExit", "SIGTERM", "cycles", "object"),
    ),
)
def test_an_exception_of_a_signal_handler_comes_out_of_a_look(step, cuda, kind, number, look, how):
    lain = step(cycles="warn", categories="census", snapshot="off")
    done = lain.run(PROGRAM, kind, number, look, how, python=cuda)
    assert done.code == (7 if kind == "SystemExit" else 0), done.err
    said = json.loads(done.out)
    assert (said["type"], said["same"], said["as_it_was"]) == (kind, True, True)
    # As if the handler had been called from the observer: nothing that was looked at is kept by the exception.
    assert [name for name in said["frames"] if name.startswith("_oom_autopsy")] == [
        "_oom_autopsy.recording.observer"
    ]
    assert done.ours == []
    (oom,) = done.receipt["ooms"]
    if look == "census":
        assert oom["census"]["cut"] == "a signal handler of the program ended the look"
        assert oom["census"]["complete"] is False
    else:
        assert oom["census"]["devices"], oom["census"]["cut"]
    assert "a signal handler of the program ended the look" in oom["cycles"]["reason"]
    assert oom["cycles"]["count"] == 0
    # The exit's own looks are not held up by what happened.
    assert done.receipt["census"]["devices"]
    assert done.receipt["end"]["kind"] == "exit"


DIES = """
import gc, os, signal, weakref
import torch
class Alarm(Exception): pass
died = []
def handler(*_):
    error = Alarm()
    died.append(weakref.ref(error))
    try:
        raise error
    finally:
        del error
signal.signal(signal.SIGALRM, handler)
torch.zeros(1, device="cuda")
from _oom_autopsy.heap import scene
real = scene.Scene.objects
def objects(*args):
    if not died[1:]: os.kill(os.getpid(), signal.SIGALRM)
    return real(*args)
scene.Scene.objects = objects
gc.collect(), gc.disable()
def attempt():
    mine = type("Mine", (), {})()
    died.append(weakref.ref(mine))
    try:
        torch.empty(1 << 40, device="cuda")
    except Alarm:
        return "alarm"
said = attempt()
__import__("time").sleep(1)  # on a busy machine we let go later than the program goes on
print(said, [ref() for ref in died])
"""


def test_what_a_signal_handler_raised_dies_with_its_traceback(step, cuda):
    """And so does what its frames hold, at once."""
    done = step(cycles="warn", categories="census", snapshot="off").run(DIES, python=cuda)
    assert (done.code, done.out, done.ours) == (0, "alarm [None, None]\n", []), done.err


def raised_in(*functions):
    """The exception that the innermost of nested calls raises, with the traceback of all."""
    try:
        functions[0](*functions[1:])
    except BaseException as error:
        error.__traceback__ = (
            error.__traceback__.tb_next
        )  # as seen from the `except` of the first function's caller
        return error


def of_module(name, filename="<x>"):
    """A function of a module: calls the next one, or raises ValueError."""
    code = "def call(*rest):\n if rest: rest[0](*rest[1:])\n else: raise ValueError(1)\n"
    space = {"__name__": name}
    exec(compile(code, filename, "exec"), space)
    return space["call"]


OURS, TORCH = of_module("_oom_autopsy.census"), of_module("torch.cuda.memory")
STANDARD = of_module("contextlib", importlib.util.find_spec("contextlib").origin)
THEIRS = of_module("train")


@pytest.mark.parametrize(
    "functions",
    (
        (OURS, THEIRS),
        (OURS, TORCH, THEIRS),
        (OURS, STANDARD, OURS, THEIRS, STANDARD),
        (OURS, of_module("site", f"{sys.prefix}/lib/site-packages/x.py")),
    ),
)
def test_the_frames_on_the_way_to_a_handler_are_cut(functions):
    trace = handlers.without_us(raised_in(*functions)).__traceback__
    names = []
    while trace is not None:
        names.append(trace.tb_frame.f_globals["__name__"])
        trace = trace.tb_next
    assert names and names[0] in ("train", "site")


def test_whatever_is_no_exception_is_a_handlers():
    assert all(handlers.of_handler(kind()) for kind in (SystemExit, KeyboardInterrupt, GeneratorExit))
    assert not handlers.of_handler(ValueError())


def test_a_handler_that_torch_or_the_library_defines_is_one():
    number, before = signal.SIGUSR2, signal.getsignal(signal.SIGUSR2)
    error = raised_in(OURS, TORCH)
    try:
        for handler in (TORCH, types.MethodType(TORCH, 1)):
            signal.signal(number, handler)
            assert handlers.from_handler(error)
        signal.signal(number, STANDARD)
        assert not handlers.from_handler(error)
    finally:
        signal.signal(number, before)


def test_in_a_hook_only_a_signal_handler_is_the_programs():
    number, before = signal.SIGUSR2, signal.getsignal(signal.SIGUSR2)
    error = raised_in(OURS, THEIRS)
    assert not handlers.from_handler(error)
    try:
        signal.signal(number, THEIRS)
        assert handlers.from_handler(error)
        assert not handlers.from_handler(raised_in(OURS))
    finally:
        signal.signal(number, before)


HOOKS = '''
import os, signal, torch
class Alarm(Exception): pass
def handler(*_):
    raise Alarm
signal.signal(signal.SIGALRM, handler)
torch.zeros(1, device="cuda")
model = torch.nn.Linear(4, 4, device="cuda")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
from _oom_autopsy.timeline import view
real = view.Recorder.mark
space = {"__name__": "_oom_autopsy.timeline.view", "real": real, "armed": [], "kill": os.kill, "me": os.getpid()}
exec("""def mark(*args):
    while armed: kill(me, armed.pop())
    return real(*args)""", space)
view.Recorder.mark = space["mark"]
for step in range(6):
    if step == 2:
        space["armed"].append(signal.SIGALRM)
    try:
        model(torch.ones(2, 4, device="cuda")).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    except Alarm:
        print("alarm in step", step, flush=True)
'''


def test_an_exception_of_a_signal_handler_comes_out_of_a_hook_of_the_timeline(step, cuda):
    done = step(categories="timeline", timeline_steps=3).run(HOOKS, python=cuda)
    assert (done.code, done.out, done.ours) == (0, "alarm in step 2\n", []), done.err
    assert done.receipt["timeline"]["state"] == "done"
    assert done.receipt["timeline"]["faults"] == []


def test_contexts_of_ours_are_let_go_and_those_of_the_program_stay():
    mine, ours, late = raised_in(THEIRS), raised_in(OURS), raised_in(OURS, THEIRS)
    ours.__context__, late.__context__ = mine, ours
    assert handlers.without_us(late).__context__ is mine
    assert mine.__context__ is None


# A time limit that comes while we are loaded or armed: made sure of by an audit hook that sees us open a file.
ARMING = """
import os, signal, sys
class TooLate(OSError): pass  # as TimeoutError is
def handler(number, frame):
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    raise TooLate("3 s")
def audit(event, args):
    if event == "open" and signal.getsignal(signal.SIGALRM) is handler and where in str(args[0]):
        signal.raise_signal(signal.SIGALRM)
how, where = sys.argv[1:]
if how == "interrupt":
    def handler(number, frame):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        raise KeyboardInterrupt
signal.signal(signal.SIGALRM, handler)
sys.addaudithook(audit)
"""

AT_IMPORT = (
    ARMING
    + """
try:
    import torch
    print("lost")
except BaseException as error:
    import traceback
    print(type(error).__name__, error, [f.name for f in traceback.extract_tb(error.__traceback__) if "oom" in f.filename])
import torch
torch.cuda.allocate(1)
"""
)


@pytest.mark.parametrize(
    "how, said", (("late", "TooLate 3 s []\n"), ("interrupt", "KeyboardInterrupt  []\n"))
)
@pytest.mark.parametrize(
    "where",
    (
        "autopsy/__init__",
        "autopsy/start",
        "autopsy/signals/handlers",
        "autopsy/torch_api",
        "config.json",
        "receipt.json",
    ),
)
def test_an_exception_of_a_signal_handler_comes_out_of_the_import_of_torch(step, cpu, where, how, said):
    lain = step()
    done = lain.run(AT_IMPORT, how, where, python=cpu, tiny=True, flags=["-B"])
    assert (done.code, done.out, done.theirs, done.ours) == (0, said, [], [])
    assert [row["recorder"]["state"] for row in done.receipts] == ["disarmed"], "armed in the end, once"
    assert done.receipt["faults"] == [] and lain.leftovers() == []


AT_CUDA = (
    ARMING
    + """
import torch
try:
    torch.zeros(1, device="cuda")
    print("lost")
except BaseException as error:
    print(type(error).__name__, error)
torch.zeros(1, device="cuda")
print(torch._C._cuda_isHistoryEnabled())
try:
    torch.empty(1 << 40, device="cuda")
except torch.OutOfMemoryError:
    print("out of memory")
"""
)


@pytest.mark.parametrize(
    "where",
    (
        "autopsy/census/census.",
        "autopsy/cycles/start.",
        "autopsy/timeline/timeline",
        "proc/self/status",
        "receipt.json",
    ),
)
def test_an_exception_of_a_signal_handler_comes_out_of_the_initialisation_of_cuda(step, cuda, where):
    program = AT_CUDA
    if where == "receipt.json":  # the one that is written at CUDA's initialisation
        program = program.replace(
            "import torch\n", "import torch\nsignal.signal(signal.SIGALRM, handler)\n", 1
        )
        program = program.replace("signal.signal(signal.SIGALRM, handler)\nsys", "sys", 1)
    lain = step(cycles="warn", categories="timeline", snapshot="on-failure")
    done = lain.run(program, "late", where, python=cuda, flags=["-B"])
    assert (done.code, done.out, done.ours) == (0, "TooLate 3 s\nTrue\nout of memory\n", []), done.err
    receipt = done.receipt
    assert (receipt["recorder"]["state"], receipt["oom_count"], receipt["faults"]) == ("disarmed", 1, [])
    assert receipt["ooms"][0]["census"] and receipt["ooms"][0]["cycles"]["state"] == "watching"
    assert receipt["timeline"]["state"] == "stopped"


def test_an_exception_of_a_signal_handler_comes_out_of_the_programs_own_recording(step, cpu):
    program = (
        ARMING.replace("signal.signal(signal.SIGALRM, handler)\nsys", "sys")
        + """
import torch
torch.cuda.allocate(1)
signal.signal(signal.SIGALRM, handler)
try:
    torch.cuda.memory._record_memory_history(max_entries=5)
    print("lost")
except TooLate as error:
    print(error)
torch.cuda.memory._record_memory_history(max_entries=5)
print(torch._C.state["on"])
"""
    )
    done = step().run(program, "late", "receipt.json", python=cpu, tiny=True)
    assert (done.code, done.out, done.theirs, done.ours) == (0, "3 s\nTrue\n", [], [])
    assert done.receipt["recorder"]["state"] == "foreign"


def test_what_an_import_hook_raises_because_of_us_is_no_signal_handlers(step, cpu):
    """A program that lets nothing more be opened: its exception is for us, and stays with us."""
    program = """
import sys
class Forbidden(Exception): pass
def audit(event, args):
    if event == "open" and "receipt.json" in str(args[0]):
        raise Forbidden("open")
sys.addaudithook(audit)
import torch
print(torch.cuda.allocate(1))
"""
    done = step().run(program, python=cpu, tiny=True)
    assert (done.code, done.out, done.theirs) == (0, "1\n", [])
    assert len(done.ours) >= 1


def test_a_signal_handler_is_told_by_what_it_is_called_with():
    space = {"__name__": "train"}
    exec(
        "class Method:\n def late(self, number, frame): raise ValueError(1)\n"
        "def star(*_): raise ValueError(1)\n"
        "def two(number, frame):\n def inner(): return frame\n raise ValueError(1)\n"
        "def other(first, second): raise ValueError(1)\n"
        "def alone(frame): raise ValueError(1)\n",
        space,
    )

    def called(function, *given):
        here = sys._getframe()
        try:
            function(*[here if each == "frame" else each for each in given])
        except ValueError as error:
            return handlers.from_handler(error)

    assert all(
        called(function, 14, "frame") for function in (space["star"], space["two"], space["Method"]().late)
    )
    assert not any(
        (
            called(space["other"], "frame", 14),
            called(space["other"], "x", "frame"),
            called(space["star"], "open", ()),
            called(space["star"]),
            called(space["alone"], "frame"),
        )
    )


# Time limits in a loop that makes garbage, with out-of-memories in it or without: a thousand of them.
LIMITS = """
import signal, sys, torch
fired = raised = 0
class Late(Exception): pass
def on_alarm(*_):
    global fired
    fired += 1
    raise Late
signal.signal(signal.SIGALRM, on_alarm)
class Node:
    def __init__(self): self.me = self
def run_out():
    try: ASK
    except torch.OutOfMemoryError: pass
run_out()
while raised < 1000:
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.0005 + (raised % 97) * 0.00003)
        while True:
            if sys.argv[1] == "oom": run_out()
            garbage = [Node() for _ in range(50)], [{} for _ in range(200)]
    except Late:
        raised += 1
signal.setitimer(signal.ITIMER_REAL, 0)
print("lost", fired - raised)
"""
LOOKS = {"cycles": "warn", "categories": "census"}


@pytest.mark.long
@pytest.mark.parametrize("mode", ("garbage", "oom"))
def test_a_thousand_time_limits_come_out(mode, step, cuda):
    program = LIMITS.replace("ASK", 'torch.zeros(1 << 40, device="cuda")')
    done = step(**LOOKS).run(program, mode, python=cuda, fresh=True, timeout=300)
    assert (done.code, done.out, done.theirs, done.ours) == (0, "lost 0\n", [], [])


@pytest.mark.long
@pytest.mark.parametrize("mode", ("garbage", "oom"))
@pytest.mark.parametrize("version", ("3.9", "3.10", "3.11", "3.12", "3.13", "3.14"))
def test_a_thousand_time_limits_come_out_of_every_python(version, mode, step):
    program = LIMITS.replace("ASK", "torch.cuda.allocate(10**6)")
    done = step(**LOOKS).run(program, mode, python=python_or_skip(version), tiny=True, timeout=300)
    assert (done.code, done.out, done.err) == (0, "lost 0\n", "")
