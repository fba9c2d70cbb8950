"""Whose exception is it: a fault of ours, or one that a signal handler of the program raised while we worked?

Python runs signal handlers between two instructions of whatever Python code the main thread is in. Our looks are on a
thread of ours (threads.py), where the question does not arise. While we are loaded and armed, and in hooks, the main
thread's code is ours: what a handler raises there (a time limit, `sys.exit` at SIGTERM) must come out in the program, and
what code of the program raises because of us (import hooks, audit hooks, subclasses) must not. So an exception is the
handler's if it is no `Exception` (nobody raises those because of us), or if a function was running that is set as a
handler, or was called like one. It is held until the work is done (`to_the_end`), and then raised where we were called,
or, where somebody between us and the program would catch it, at the program's next instruction (`give_back`).
"""

import functools
import os
import signal
import types
from _thread import get_ident

from .. import facts

_STANDARD_LIBRARY = os.path.dirname(os.__file__) + os.sep
_OURS = __name__.partition(".")[0]
_MOST_LINKS = 100
_VARARGS = 0x04  # inspect.CO_VARARGS


def from_handler(error):
    """Whether a signal handler was running: a function that is set as one now, or that was called like one."""
    trace, codes = error.__traceback__, None
    while trace is not None:
        owner = _owner(trace.tb_frame)
        if owner != _OURS:
            codes = _handler_codes() if codes is None else codes
            if id(trace.tb_frame.f_code) in codes or (owner is None and _called_as_handler(trace.tb_frame)):
                return True
        trace = trace.tb_next
    return False


def of_handler(error):
    """`from_handler`, or no `Exception`: nobody raises those because of us."""
    return not isinstance(error, Exception) or from_handler(error)


def pass_on(error):
    """Raises an exception of a signal handler again. For an `except` of ours in which the program's could be met."""
    if of_handler(error):
        raise error


def to_the_end(part, held, tries=3):
    """part(), begun again where a signal handler of the program cut it short: what that raised is added to `held`.
    Raises what is ours."""
    for _ in range(tries):
        try:
            return part()
        except BaseException as error:
            if not of_handler(error):
                raise
            held.append(error)
    return None


def give_back(held):
    """Has the first of the exceptions raised in this thread once the value that is returned has died, at the next
    instruction: for places from which an exception does not get to the program. The others have nobody left to go to."""
    error = held[0]
    held.clear()
    return _again(type(error), error.args, get_ident())


def _again(kind, args, thread):
    import ctypes  # torch has imported it

    if args:  # only a class can be raised from afar: one that fills in the arguments itself
        kind = types.new_class(
            kind.__name__,
            (kind,),
            {},
            lambda body: body.update(
                __init__=lambda self, *_: super(kind, self).__init__(*args),
                __new__=lambda cls, *_: super(kind, cls).__new__(cls, *args),
                __module__=kind.__module__,
                __qualname__=kind.__qualname__,
            ),
        )
    # A prototype of our own: what the attributes of ctypes.pythonapi take and give back, the program may have said.
    prototype = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_ulong, ctypes.py_object)
    raise_in = prototype(("PyThreadState_SetAsyncExc", ctypes.pythonapi))
    finaliser = functools.partial(raise_in, thread, kind)
    # It dies in C, once no frame of ours is left.
    return types.new_class("_Again", (int,), {}, lambda body: body.update(__del__=staticmethod(finaliser)))(0)


def without_us(error):
    """The same exception as if the handler had been called from here: without frames and contexts of ours,
    which would keep what we looked at alive as long as the program keeps the exception."""
    trace = error.__traceback__
    while trace is not None and not _begins_theirs(trace):
        trace = trace.tb_next
    error.__traceback__ = trace
    link = error
    for _ in range(_MOST_LINKS):
        context = link.__context__
        if context is None:
            break
        if not of_handler(context) and _has_frame_of_ours(context):
            link.__context__ = context.__context__
        else:
            link = context
    return error


def _owner(frame):
    """`_oom_autopsy`, `torch` or `stdlib`; None for the program's."""
    name = dict.get(frame.f_globals, "__name__")
    root = name.partition(".")[0] if type(name) is str else ""
    if root in (_OURS, "torch"):
        return root
    file = frame.f_code.co_filename
    if file == facts.HOOK:
        return _OURS
    if file.startswith("<frozen "):
        return "stdlib"
    inside = file.startswith(_STANDARD_LIBRARY) and "-packages" not in file[len(_STANDARD_LIBRARY) :]
    return "stdlib" if inside else None


def _called_as_handler(frame):
    """Whether two arguments in a row are a number and the frame that was interrupted, as a signal handler is called.
    Many set the default back before they raise, and are found among the handlers no more."""
    code, caller = frame.f_code, frame.f_back
    names, any_more = code.co_varnames, code.co_flags & _VARARGS
    if caller is None or code.co_argcount + 2 * bool(any_more) < 2:
        return False
    given = [frame.f_locals.get(name) for name in names[: code.co_argcount]]
    if any_more:
        given += frame.f_locals.get(names[code.co_argcount + code.co_kwonlyargcount]) or ()
    return any(type(a) is int and b is caller for a, b in zip(given, given[1:]))


def _begins_theirs(trace):
    """Whether the frame of this entry is the program's, or a handler that the library or torch defines."""
    owner = _owner(trace.tb_frame)
    return owner is None or (owner != _OURS and id(trace.tb_frame.f_code) in _handler_codes())


def _has_frame_of_ours(error):
    trace = error.__traceback__
    while trace is not None:
        if _owner(trace.tb_frame) == _OURS:
            return True
        trace = trace.tb_next
    return False


def _handler_codes():
    """ids of the code objects of the functions that are set as signal handlers now."""
    return {
        id(code)
        for number in signal.valid_signals()
        for code in [_code(signal.getsignal(number))]
        if code is not None
    }


def _code(handler):
    """The code of a function, a method, or an object whose class defines `__call__`; None for all else."""
    if type(handler) is types.MethodType:
        handler = handler.__func__
    if type(handler) is types.FunctionType:
        return handler.__code__
    for base in type.mro(type(handler)):
        call = type.__dict__["__dict__"].__get__(base).get("__call__")
        if call is not None:
            return call.__code__ if type(call) is types.FunctionType else None
    return None
