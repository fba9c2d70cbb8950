# The start-up hook of oom-autopsy. The action puts this file's folder first on PYTHONPATH, so every Python
# of the wrapped step reads it, 2.7 and 3.6 included: it must parse there and do nothing but let the
# program's own sitecustomize run. From 3.9 on it also places one finder that waits for `import torch`.
# Until then it imports nothing that a bare interpreter has not loaded already (importlib.util alone was
# measured at 3 ms).
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
MARKS = os.path.join(HERE, "marks")


class _TorchFinder(object):
    """Lets the other finders find torch, wraps that loader's exec_module, and retires after it has run.

    Not in find_spec: `importlib.util.find_spec("torch")` is a common probe for "is torch installed?" and
    would use a finder up that retires there.
    """

    oom_autopsy = True  # how a second shim on the path sees that one is here already

    def __init__(self, get_ident):
        self.get_ident = get_ident
        self.searching = set()  # threads in our find_spec: other import patchers search meta_path from within

    def find_spec(self, fullname, path=None, target=None):
        if fullname != "torch":
            return None
        thread = self.get_ident()
        if thread in self.searching:
            return None
        self.searching.add(thread)
        try:
            for finder in list(sys.meta_path):
                find = None if finder is self else getattr(finder, "find_spec", None)
                spec = find(fullname, path, target) if find is not None else None
                if spec is not None:
                    self.wrap(spec)
                    return spec
            return None
        finally:
            self.searching.discard(thread)

    def wrap(self, spec):
        """Shadows exec_module on this one loader (a fresh one per search); a loader that forbids it stays
        as it is."""
        try:
            loader = spec.loader
            inner = loader.exec_module
            finder = self

            def exec_module(module):
                vars(loader).pop("exec_module", None)
                _mark(b"i")
                inner(module)  # torch's own errors pass through; we stay for the next attempt
                raised = finder.loaded(module)
                if raised is not None:
                    raise raised

            # importlib cuts its own frames out of tracebacks and skips them when counting a warning's
            # stacklevel. This frame is as much import machinery as those: named so, a failing `import
            # torch` prints what it always did.
            code = exec_module.__code__.replace(co_filename="<frozen importlib._bootstrap_external>")
            exec_module.__code__ = code
            loader.exec_module = exec_module
        except Exception as error:
            _say("not armed: the loader of torch cannot be wrapped (%s)" % type(error).__name__)

    def loaded(self, module):
        """Returns what a signal handler of the program raised meanwhile, or None."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)
            return _start(module)
        return None


def _say(line):
    """One line to the real stderr: a replaced sys.stderr belongs to the program."""
    try:
        os.write(2, ("oom-autopsy: %s\n" % line).encode("utf-8", "replace"))
    except Exception:
        pass


def _marker():
    """Returns what leaves a line for the action: this process has read the hook (s), begins to import torch (i), has
    done so (t).

    So one with torch's libraries and no receipt is told from one that PYTHONPATH did not reach. Nothing is held open;
    the line at the start takes 40 us. Whoever may not write there leaves none. Bound here, before any program can
    have put others in the place of these functions.
    """
    from posix import O_APPEND, O_NOFOLLOW, O_NONBLOCK, O_WRONLY, close, getpid, open, write
    from time import CLOCK_BOOTTIME, clock_gettime

    def mark(stage):
        try:
            file = open(MARKS, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK)
            try:
                write(file, b"%s %d %.2f\n" % (stage, getpid(), clock_gettime(CLOCK_BOOTTIME)))
            finally:
                close(file)
        except OSError as error:
            if error.__traceback__ is not None and error.__traceback__.tb_next is not None:
                raise  # of a signal handler of the program

    return mark


def _mark(stage):
    """Elsewhere than on Linux the action looks at no process."""


def _package():
    """The package beside this file, whatever has become of sys.path since."""
    from _frozen_importlib import _load
    from _frozen_importlib_external import PathFinder

    return sys.modules.get("_oom_autopsy") or _load(PathFinder.find_spec("_oom_autopsy", [HERE]))


def _start(torch):
    """Loads the package and hands it torch. Returns what a signal handler of the program raised meanwhile, or
    None.

    A handler may cut the loading short: it is begun again, and the package, which can tell whose an exception
    is, gets what was raised.
    """
    raised = []
    for _ in range(3):
        try:
            _mark(b"t")
            return _package().on_torch(torch, raised)
        except BaseException as error:
            raised.append(error)
    for error in raised:
        if not isinstance(error, Exception):
            return error
    _say("not armed: %s: %s" % (type(raised[-1]).__name__, raised[-1]))
    return None


# Launchers that put a folder of theirs first on PYTHONPATH whose sitecustomize runs nobody else's, and then
# exec the program: ours, which does run theirs, has to come first again, or nothing would be armed.
LAUNCHERS = (
    "opentelemetry-instrument",
    "splunk-instrument",
    "splunk-py-trace",
    "elasticapm-run",
    "appsignal-wrap",
)


def _stay_first(event, _):
    """An audit hook, in a launcher's own process only: it has no other moment between its work and the
    program."""
    if event != "os.exec":
        return
    try:
        path = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        if HERE in path[1:]:
            rest = [entry for entry in path if entry != HERE]
            rest.insert(0, HERE)
            os.environ["PYTHONPATH"] = os.pathsep.join(rest)
    except Exception as error:
        _say("not armed: %s: %s" % (type(error).__name__, error))


def _install():
    global _mark
    script = getattr(sys, "orig_argv", ())[1:2]  # 3.10
    if script and os.path.basename(script[0]) in LAUNCHERS:
        sys.addaudithook(_stay_first)
    for finder in sys.meta_path:
        if getattr(finder, "oom_autopsy", False):
            return
    if "_oom_autopsy" in sys.modules:
        return
    if sys.platform == "linux":
        _mark = _marker()
        _mark(b"s")
    if "torch" in sys.modules:  # a .pth file, which site reads before us, may have imported it
        raised = _start(sys.modules["torch"])
        if raised is not None:
            raise raised
        return
    import _thread

    sys.meta_path.insert(0, _TorchFinder(_thread.get_ident))


def _chain():
    """Imports the sitecustomize that this file shadows by the import system itself, so every form of it
    works.

    Whatever it raises goes to site.py as it would have: the ImportError of there being none as well, after
    which sys.modules holds no sitecustomize, as in an interpreter without us. Our folder is off the path
    meanwhile.
    """
    path = sys.path
    places = [index for index, entry in enumerate(path) if entry == HERE]
    taken = [path[index] for index in places]
    for index in reversed(places):
        del path[index]
    ours = sys.modules.pop("sitecustomize", None)  # kept: Python 2 empties a module that nobody holds
    try:
        import sitecustomize  # noqa: F401  # pyright: ignore
    finally:
        for index, entry in zip(places, taken):
            if entry not in sys.path:
                sys.path.insert(index, entry)
        del ours


if sys.version_info >= (3, 9):
    try:
        _install()
    except Exception as error:
        _say("not armed: %s: %s" % (type(error).__name__, error))
_chain()
