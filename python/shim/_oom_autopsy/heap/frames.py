"""Census, part 4: arguments of the outermost module call that is still on a thread's Python stack.

Only frames of torch's own `Module.__call__` are looked into. Before CPython 3.13 reading `f_locals` of a
frame refreshes a dictionary that `locals()` of that very function may have handed out; torch's own never
does, a function of the user's may.
"""

import os
import sys
import threading

from .. import torch_api
from ..facts import is_ours


def all_stacks():
    """[(thread id, frames with the innermost first)] of every thread of this process, without our own frames.

    A list of frames that one of those frames holds would be a reference cycle, and would keep every
    frame's locals alive.
    """
    stacks = []
    for thread, frame in list(sys._current_frames().items()):
        while frame is not None and is_ours(frame.f_code.co_filename):
            frame = frame.f_back
        stack = []
        while frame is not None:
            stack.append(frame)
            frame = frame.f_back
        stacks.append((thread, stack))
    return stacks


def outermost_call(stack, call_codes, backward_codes):
    """The outermost frame of a module's call, or None.

    Calls inside a running backward pass do not count: those are recomputations (checkpointing), whose
    arguments were saved.
    """
    found = None
    for frame in stack:
        code = id(frame.f_code)
        if code in call_codes:
            found = frame
        elif code in backward_codes:
            found = None
    return found


def begins_in_python(thread, stack):
    """Whether a stack begins in Python (the main thread, or `threading`): an engine's thread begins in a
    call from C++."""
    if not stack:
        return False
    return thread == threading.main_thread().ident or stack[-1].f_code is threading.Thread._bootstrap.__code__


_LIBRARY = os.path.dirname(threading.__file__)
_ASIDE = tuple(os.path.join(*part.split("/")) + os.sep for part in torch_api.ASIDE)


def at_work(api, stacks, this_thread):
    """Where another thread runs PyTorch code now, as `FILE:LINE in FUNCTION`, or None.

    Such a thread may begin a backward pass, which releases what autograd nodes saved while they are read (3 of 4 programs died
    of SIGSEGV that ran out of memory on one thread and trained custom Functions of 1,000 saved tensors on another). What
    it lets go of stays while we hold it: it ran out of memory itself where it would not have. So nobody looks then.

    The thread that called a running backward pass and waits for it, and those of the engine, are left to
    census_graph.backward_state. A thread that waits, for a queue or a socket, may be back within the look: then its
    tensors stay for those milliseconds, and what a node saved is read in one piece (census_graph).
    """
    for thread, stack in stacks:
        if thread == this_thread or not begins_in_python(thread, stack):
            continue
        if id(stack[0].f_code) in api.backward_codes or _waits(stack[0]):
            continue
        if any(_computes(api, frame) for frame in stack) or _knows_torch(api, stack[0]):
            code = stack[0].f_code
            return f"{os.path.basename(code.co_filename)}:{stack[0].f_lineno} in {code.co_name}"
    return None


# Where the standard library waits for other threads, processes and machines.
_WAITING = ("threading", "queue", "selectors", "socket", "socketserver", "ssl", "subprocess", "connection")


def _waits(frame):
    folder, name = os.path.split(frame.f_code.co_filename)
    packages = (os.path.join(_LIBRARY, package) for package in ("multiprocessing", "concurrent"))
    inside = folder == _LIBRARY or folder.startswith(tuple(packages))
    return inside and os.path.splitext(name)[0] in _WAITING


def _computes(api, frame):
    """Whether a frame is of torch's own code that computes."""
    file = frame.f_code.co_filename
    return file.startswith(api.folder) and not file[len(api.folder) :].startswith(_ASIDE)


def _knows_torch(api, frame):
    """Whether a frame's module has imported torch by that name, and is not one of torch's that stand aside."""
    if frame.f_code.co_filename.startswith(api.folder):
        return False
    return dict.get(frame.f_globals, "torch") is api.torch


def arguments(frame):
    """(the module, its positional arguments, its keyword arguments) of a frame of Module.__call__, or
    None."""
    if frame.f_trace is not None and sys.version_info < (3, 13):
        return None  # a debugger is in this frame: its view of the locals is left alone
    values = frame.f_locals
    try:
        return values["self"], values["args"], values["kwargs"]
    except KeyError:
        return None
    finally:
        if type(values) is dict:
            values.clear()  # a copy, which would outlive `traceback.clear_frames`


def outermost_arguments(api, stacks):
    """[(module, args, kwargs)] of every thread that is in a module's call."""
    calls = []
    for thread, stack in stacks:
        if begins_in_python(thread, stack):
            frame = outermost_call(stack, api.module_call_codes, api.backward_codes)
            found = None if frame is None else arguments(frame)
            if found is not None:
                calls.append(found)
    return calls
