"""Facts about this process that need no torch: who it is, and where its threads stand.

Only what the receipt's schema lists: no command line, no environment but what identity.py lists and the runner's two
names of the step, no value or repr of an object of the program.
"""

import gc
import os
import re
import sys

# Python 3.12 freezes 375 tuples of its own at start. What was frozen before torch came, when this is first loaded, is no tensor.
FROZEN_BEFORE_TORCH = gc.get_freeze_count()
MAX_FRAMES = 100


def host():
    """The host's name, fit for a file name: letters, digits and dashes, at most 40 characters."""
    try:
        name = os.uname().nodename
    except (AttributeError, OSError):  # Windows has no uname
        name = os.environ.get("COMPUTERNAME", "")
    return host_in_names(name)


def host_in_names(name):
    """A host's name as the names of evidence files begin with it; `hostInNames` of the action says the same."""
    return re.sub(r"[^A-Za-z0-9-]", "-", name)[:40] or "host"


def job_step(environ=None):
    """The step of the job as the runner names it, and the folder of the composite action that it is a part of."""
    environ = os.environ if environ is None else environ
    return {
        "github_action": environ.get("GITHUB_ACTION", "")[:200] or None,
        "github_action_path": environ.get("GITHUB_ACTION_PATH", "")[:1000] or None,
    }


def program():
    """The script's base name, `-c`, or `-m name`; None where unknown (stdin, embedded)."""
    main = sys.modules.get("__main__")
    name = getattr(getattr(main, "__spec__", None), "name", None)
    if isinstance(name, str):
        return ("-m " + (name[: -len(".__main__")] if name.endswith(".__main__") else name))[:200]
    first = sys.argv[0] if getattr(sys, "argv", None) else ""
    if first == "-m":  # the module is still being looked for: its parent package is what imports torch
        words = getattr(sys, "orig_argv", ())  # 3.10
        first = "-m " + words[words.index("-m") + 1] if "-m" in words[:-1] else first
        return first[:200]
    return os.path.basename(first)[:200] or None


def start_ticks(stat=None):
    """Field 22 of /proc/self/stat, which tells a reused pid from this process; None where there is no
    /proc."""
    try:
        if stat is None:
            with open("/proc/self/stat", "rb") as file:
                stat = file.read().decode("ascii", "replace")
        return int(stat.rpartition(")")[2].split()[19])  # the name in field 2 may hold spaces and brackets
    except (OSError, ValueError, IndexError):
        return None


def is_ours(filename):
    """Whether a code object's file belongs to this shim."""
    return filename == HOOK or filename.startswith(OURS + os.sep)


# As the code objects spell it: a path through ".." or a link is not normalised there.
OURS = os.path.dirname(is_ours.__code__.co_filename)
HOOK = os.path.join(os.path.dirname(OURS), "sitecustomize.py")


def stack(frame, limit=MAX_FRAMES):
    """[{file, line, function}] of `frame` and its callers, the innermost last, ours left out, the outermost
    cut."""
    rows = []
    while frame is not None and len(rows) < limit:
        code = frame.f_code
        if not is_ours(code.co_filename):
            rows.append(
                {
                    "file": code.co_filename[:500],
                    "line": frame.f_lineno or 0,
                    "function": getattr(code, "co_qualname", code.co_name)[:200],
                }
            )
        frame = frame.f_back
    rows.reverse()
    return rows


_LIBRARIES = (
    os.path.dirname(os.__file__) + os.sep,
    os.sep + "site-packages" + os.sep,
    os.sep + "dist-packages" + os.sep,
)


def raised_at(error):
    """{file, line, function}: the innermost frame of an exception's traceback in the program's own files, or None."""
    found, trace = None, error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        file = code.co_filename
        library = file.startswith(_LIBRARIES[0]) or any(part in file for part in _LIBRARIES[1:])
        if not (library or file.startswith("<") or is_ours(file)):
            function = getattr(code, "co_qualname", code.co_name)[:200]
            found = {"file": file[:500], "line": trace.tb_lineno or 0, "function": function}
        trace = trace.tb_next
    return found


def stack_of(thread):
    """The same of a thread, by its ident; None where it is in no Python code. (All threads' frames are in no variable here:
    ours is among them, and would be in a cycle that keeps the others.)"""
    frame = sys._current_frames().get(thread)
    return None if frame is None else stack(frame)


def depth_of(thread):
    """How many frames of the program's a thread is deep."""
    frame, depth = sys._current_frames().get(thread), 0
    while frame is not None:
        depth += not is_ours(frame.f_code.co_filename)
        frame = frame.f_back
    return depth


def exception_name(kind):
    """`module.qualname` of an exception class; builtins without their module."""
    module = getattr(kind, "__module__", None)
    name = getattr(kind, "__qualname__", None) or getattr(kind, "__name__", "?")
    return name if module in (None, "builtins") else f"{module}.{name}"[:200]


def chain_of(error, limit=50):
    """`error` and what it was raised from or during, as a traceback would print it."""
    seen = []
    while isinstance(error, BaseException) and len(seen) < limit:
        if any(error is known for known in seen):
            break
        seen.append(error)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return seen
