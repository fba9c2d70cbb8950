"""What a signal handler of the program raises while we look at an out-of-memory comes out in the program."""

import importlib.util
import json
import signal
import sys
import types

import pytest
from _oom_autopsy import handlers

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

from _oom_autopsy import census, cycles_watch
owner, name = (census._Look, "_look") if look == "census" else (cycles_watch.Watch, "_cycles")
# A frame of the look's own module starts the clock, once: 20 ms later it is among the many objects.
space = {"__name__": owner.__module__, "real": getattr(owner, name), "todo": [getattr(signal, number)],
         "kill": functools.partial(os.kill, os.getpid()), "later": signal.setitimer, "ALARM": signal.ITIMER_REAL}
exec("""def call(*args):
    while todo:
        if todo[0] == 14: later(ALARM, 0.02, todo.pop() * 0)
        else: kill(todo.pop())
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
    assert [name for name in said["frames"] if name.startswith("_oom_autopsy")] == ["_oom_autopsy.observer"]
    assert done.ours == []
    (oom,) = done.receipt["ooms"]
    if look == "census":
        assert oom["census"]["cut"] == "a signal handler of the program ended the look"
        assert oom["census"]["complete"] is False
        assert oom["cycles"] is None
    else:
        assert oom["census"]["devices"], oom["census"]["cut"]
    # The exit's own looks are not held up by what happened.
    assert done.receipt["census"]["devices"]
    assert done.receipt["end"]["kind"] == "exit"


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
    "functions, programs",
    (
        ((OURS,), False),
        ((OURS, TORCH), False),
        ((OURS, STANDARD, OURS), False),
        ((OURS, THEIRS), True),
        ((OURS, TORCH, THEIRS), True),
        ((OURS, THEIRS, STANDARD), True),
        ((OURS, of_module("site", f"{sys.prefix}/lib/site-packages/x.py")), True),
    ),
)
def test_whose_an_exception_is(functions, programs):
    error = raised_in(*functions)
    assert handlers.is_programs(error) is programs
    if programs:
        names = []
        trace = handlers.without_us(error).__traceback__
        while trace is not None:
            names.append(trace.tb_frame.f_globals["__name__"])
            trace = trace.tb_next
        assert "_oom_autopsy.census" not in names and names
        with pytest.raises(ValueError):
            handlers.pass_on(error)


def test_whatever_is_no_exception_is_the_programs():
    assert all(handlers.is_programs(kind()) for kind in (SystemExit, KeyboardInterrupt, GeneratorExit))


def test_a_handler_that_torch_or_the_library_defines_is_the_programs():
    number, before = signal.SIGUSR2, signal.getsignal(signal.SIGUSR2)
    error = raised_in(OURS, TORCH)
    try:
        for handler in (TORCH, types.MethodType(TORCH, 1)):
            signal.signal(number, handler)
            assert handlers.is_programs(error)
        signal.signal(number, STANDARD)
        assert not handlers.is_programs(error)
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
from _oom_autopsy import view
real = view.Recorder.mark
space = {"__name__": "_oom_autopsy.view", "real": real, "armed": [], "kill": os.kill, "me": os.getpid()}
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


def test_suppress_keeps_ours_and_passes_the_programs():
    space = {"__name__": "_oom_autopsy.observer", "suppress": handlers.suppress_ours}
    exec("def call(*rest):\n with suppress():\n  rest[0](*rest[1:])", space)
    space["call"](OURS, TORCH)
    with pytest.raises(ValueError):
        space["call"](OURS, THEIRS)
