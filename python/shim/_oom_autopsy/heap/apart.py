"""Work on a thread of ours, while the program's thread waits for it in one call, with collection off.

So whatever comes out of that call was raised by a signal handler of the program, and nothing that is raised in the work
is. The work runs under no trace function, torch mode or recursion limit of the program's. Its other threads may let go of
objects meanwhile, which then die here as we do: on a thread that holds none of its locks, and that nobody waits for longer
than LET_GO_S.
"""

import _thread
import sys

from .. import torch_api
from ..signals import handlers, threads
from . import collector

LET_GO_S = 0.1


class Look:
    """One piece of work on behalf of the thread that makes this."""

    def __init__(self):
        self.thread, self.task = _thread.get_ident(), torch_api.backward_task()
        self.scene = None
        self.ended = None  # why nobody waits any more
        self.due = 0  # see collector.settle
        self._done, self._dropped = _thread.allocate_lock(), _thread.allocate_lock()
        self._done.acquire()
        self._dropped.acquire()

    def work(self):
        """What is done. What it raises is given to `fault`."""
        raise NotImplementedError

    def fault(self, error):
        """Takes down an error of ours."""
        raise NotImplementedError

    def see(self):
        """What the thread's program looks like now, the same for all that ask; let go of in the end."""
        if self.scene is None:
            from .scene import Scene

            self.scene = Scene(sys.modules["torch"], self.thread, self.task)
        return self.scene

    def why(self):
        """Why nobody waits any more, or None."""
        return self.ended

    def run(self):
        """The work, on this thread."""
        held = collector.hold()
        try:
            self.work()
        except Exception as error:
            self.fault(error)
        finally:
            del held
            self._done.release()
            try:
                if self.scene is not None:
                    self.scene.drop()
                self.scene = None
            finally:
                self._dropped.release()

    def wait(self, seconds):
        """Until it is done, or `seconds` are over. Raises what a signal handler of the program raises, which ends
        the work."""
        why = "a signal handler of the program ended the look"
        try:
            if not self._done.acquire(True, min(seconds, _thread.TIMEOUT_MAX)):
                why = "the machine is busy, and the look took too long"
        finally:
            self.ended = why
            self.let_go(LET_GO_S)

    def let_go(self, seconds):
        """Waits until it has let go of everything."""
        if self._dropped.acquire(True, seconds):
            self._dropped.release()


def run(make, seconds, fault):
    """Does the work of the Look that make() gives apart, or here where no thread can be had. The collector is left as
    it was. Returns what a signal handler of the program raised meanwhile, or None; fault(error) gets what is ours."""
    held = raised = None
    try:
        held, marked = collector.hold(), collector.mark()  # before anything is made
        raised, due = _wait(make, seconds)
        collector.settle(marked, due)
    except BaseException as error:
        if handlers.of_handler(error):
            raised = raised or error
        else:
            fault(error)
    finally:
        del held
    try:
        return None if raised is None else handlers.without_us(raised)
    finally:
        del raised  # its traceback leads to this frame: it would be a cycle that keeps the program's frames


def _wait(make, seconds):
    look = make()
    if not threads.start(look.run):
        look.run()
        return None, 0
    try:
        look.wait(seconds)
    except BaseException as error:
        return error, look.due  # nothing else comes out of there
    return None, look.due
