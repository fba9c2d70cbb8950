"""Work on a thread of ours, while the program's thread waits for it in one call, with collection off.

So whatever comes out of that call was raised by a signal handler of the program, and nothing that is raised in the work
is. The work runs under no trace function, torch mode or recursion limit of the program's. Its other threads may let go of
objects meanwhile, which then die here as we do: on a thread that holds none of its locks, and that nobody waits for longer
than LET_GO_S.
"""

import _thread
import sys

from . import collector, handlers, threads, torch_api

LET_GO_S = 0.1


class Look:
    """One piece of work on behalf of the thread that makes this."""

    def __init__(self):
        self.thread, self.task = _thread.get_ident(), torch_api.backward_task()
        self.scene = None
        self.ended = None  # why nobody waits any more
        self.interrupted = False  # by what a signal handler of the program raised
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
        """What the thread's program looks like now; let go of in the end."""
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
                scene, self.scene = self.scene, None
                if scene is not None:
                    scene.drop()
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


def run(look, seconds):
    """Does the work apart; False where no thread can be had for it. Raises what a signal handler of the program
    raises meanwhile."""
    held = raised = None
    started = False
    try:
        held, marked = collector.hold(), collector.mark()
        started = threads.start(look.run)
        if started:
            try:
                look.wait(seconds)
            except BaseException as error:
                raised = error
        collector.settle(marked)
    except BaseException as error:
        if handlers.of_handler(error):
            raised = raised or error
        else:
            look.fault(error)
    finally:
        del held
    if raised is not None:
        look.interrupted = True
        try:
            raise raised
        finally:
            del raised  # or its traceback would be a cycle
    return started
