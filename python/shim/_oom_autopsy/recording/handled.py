"""Where an out-of-memory error went, on Python 3.12 and newer: who handled it, and whether the program ended itself because of it.

From the first out-of-memory on, `sys.monitoring` tells of each frame that an exception leaves (1 us each; exceptions that have
nothing to do with memory are let by). Before 3.12 nothing tells that without tracing the program, so it is not known there.
Only places are kept: no frame, and of an error a weak reference, which is asked and never called back.
"""

import _thread
import os
import sys
import weakref

from .. import facts, process, receipt, torch_api
from ..heap import collector
from ..heap.places import LIBRARY, PACKAGES
from ..signals import handlers

TOOLS = (4, 3)  # ids that no kind of tool has been given
MOST = 50  # errors whose way is followed
_DEEP = 1000  # frames


class Spot:
    """A frame of the program's, and the innermost of the user's from there on: code and line of each. Nothing is made for what
    is put in here that the collector would count."""

    __slots__ = ("code", "line", "user", "user_line")

    def __init__(self):
        self.code = self.line = self.user = self.user_line = None

    def put(self, frame):
        """None: nothing is left of the stack."""
        self.code, self.line = (None, None) if frame is None else (frame.f_code, frame.f_lineno)
        for _ in range(_DEEP):
            if frame is None or not _foreign(frame.f_code.co_filename):
                break
            frame = frame.f_back
        self.user, self.user_line = (None, None) if frame is None else (frame.f_code, frame.f_lineno)


class Way:
    """Of one error: `now` handles it, unless an exception leaves that frame, too."""

    __slots__ = ("began", "depth", "error", "exit", "now", "thread")

    def __init__(self, thread, depth):
        self.thread, self.depth = thread, depth
        self.error = None  # a weak reference, once it was seen to leave a frame
        self.now = Spot()
        self.began = Spot()  # of an exception that was raised because of it
        self.exit = None  # of a SystemExit that has left the program: whether its code is not 0


_tool = None


def watch(me, row, thread):
    """At an out-of-memory, on any thread: begins to follow its error."""
    if not hasattr(sys, "monitoring") or len(me.ways) >= MOST or not _installed():
        return
    me.ways[row["seq"]] = Way(thread, facts.depth_of(thread))


def settle(me):
    """At the end: writes down what became of the errors of which nothing else has told."""
    for row in me.receipt["ooms"]:
        way = me.ways.get(row["seq"])
        if way is not None and row["outcome"] is None:
            stack = receipt.unpack(row["stack"])
            asked = stack[-1] if stack else None
            row["outcome"] = _outcome(way, asked, row["thread"] == "main", me.receipt["end"])
    me.ways.clear()


def _installed():
    global _tool
    if _tool is None:
        monitoring = sys.monitoring
        free = [number for number in TOOLS if monitoring.get_tool(number) is None]
        _tool = free[0] if free else -1
        if free:
            monitoring.use_tool_id(_tool, "oom-autopsy")
            # A collection that is due would run at our first instruction, before that of the program that it is due at.
            monitoring.register_callback(_tool, monitoring.events.PY_UNWIND, collector.around(_unwound))
            monitoring.set_events(_tool, monitoring.events.PY_UNWIND)
    return _tool != -1


def _unwound(code, offset, error):
    """An exception leaves a frame of the program's. What a signal handler of the program raises in here goes on, as from there."""
    me = process.mine()
    if me is None or not me.ways:
        return
    kind = torch_api.out_of_memory_error()
    if kind is None:
        return
    link = _link(error, kind)
    if link is None or facts.is_ours(code.co_filename):
        return
    try:
        _follow(me.ways, error, link, sys._getframe(1))
    except Exception as failure:
        handlers.pass_on(failure)


def _link(error, kind):
    """The out-of-memory error that an exception is, or was raised from or during, hidden or not."""
    for _ in range(20):
        if error is None or isinstance(error, kind):
            return error
        error = error.__cause__ or error.__context__
    return None


def _follow(ways, error, link, frame):
    thread, depth = _thread.get_ident(), _depth(frame)
    known = [way for way in ways.values() if way.error is not None and way.error() is link]
    fresh = [way for way in ways.values() if way.error is None and way.thread == thread]
    way = known[-1] if known else fresh[-1] if fresh else None
    if way is None:
        return
    if error is not link:
        # Raised while it was handled, and perhaps caught there: only what leaves the frame that handles it counts.
        if thread != way.thread or depth > way.depth:
            return
        if way.began.code is None:
            way.began.put(frame)
    way.error = way.error or weakref.ref(link)
    way.thread, way.depth = thread, depth - 1
    way.now.put(frame.f_back)
    if way.now.code is None and type(error) is SystemExit:
        way.exit = error.code not in (None, 0)


def _depth(frame):
    depth = 0
    while frame is not None and depth < _DEEP:
        depth += not facts.is_ours(frame.f_code.co_filename)
        frame = frame.f_back
    return depth


def _frame(code, line):
    """A frame as the receipt has it, or None."""
    if code is None:
        return None
    return {"file": code.co_filename[:500], "line": line or 0, "function": code.co_qualname[:200]}


def _foreign(file):
    return file.startswith((LIBRARY, "<frozen")) or any(part in file for part in PACKAGES)


def _tool_of(file):
    """`click` of `…/site-packages/click/core.py`; of the standard library the module's name."""
    for part in (*PACKAGES, LIBRARY):
        _, found, rest = file.rpartition(part)
        if found:
            return os.path.splitext(rest.lstrip(os.sep).split(os.sep)[0])[0][:100]
    return None


def _outcome(way, asked, main, end):
    told = {"kind": "handled", "at": asked, "tool": None, "later": None}
    if way.error is None:  # it left no frame: who asked for memory has handled it
        return told
    if way.now.code is not None:
        return _by(told, way.now, "handled" if way.now.user else "left")
    if way.exit is None:
        return {**told, "kind": "raised", "at": None} if main and end["oom"] else None
    return _by(told, way.began, "exit" if way.exit else "handled")


def _by(told, spot, kind):
    """With who handled it: a frame of the user's, or a tool that was called from one."""
    file = spot.code.co_filename
    tool = _tool_of(file) if _foreign(file) else None
    return {**told, "kind": kind, "at": _frame(spot.user, spot.user_line), "tool": tool}
