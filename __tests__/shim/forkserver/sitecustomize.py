"""Inside the fork server of the tests: an interpreter that imports torch once and then forks into each program.

forked.py starts it with this folder on PYTHONPATH and a main file that does not exist yet. Once start-up is over, the
interpreter asks its path hooks who runs that file. Ours imports torch there, with no shim near and CUDA untouched, and
waits for requests. A fork returns from the hook as an interpreter that has just started: it runs the step's
sitecustomize, finds its program under the name of the main file, runs it at the bottom of the stack, and ends as every
interpreter ends.

Before that, torch is put out of sight. `import torch` in the program finds it by the import system, so the shim meets it
at the same place as in a fresh interpreter; only its own code has run before.
"""

import os
import sys

PROGRAM = 900  # a file descriptor
MAIN = f"/proc/self/fd/{PROGRAM}"


def hook(path):
    """Called from C, with no Python frame below. The answer is always that nobody but the interpreter runs it."""
    if path == MAIN:
        sys.path_hooks.remove(hook)  # the last one: nobody comes after it
        import atexit
        import gc

        # Called last of all, once the program's own and the shim's are through: the collections of the interpreter's end
        # then pass over the 160,000 objects that torch's import left (0.2 s instead of 0.6 s). All else is the real end.
        atexit.register(gc.freeze)
        for name in sys.argv[2:]:
            __import__(name)
        become(serve())
    raise ImportError(path)


def serve():
    """Forks for each request until nobody can ask any more. Returns in the forks, with the request."""
    import json
    import select
    import signal
    import socket

    control = socket.socket(fileno=int(sys.argv[1]))
    ready = select.poll()
    ready.register(control, select.POLLIN)
    running = {}
    while True:
        for descriptor, _ in ready.poll():
            if descriptor != control.fileno():
                ready.unregister(descriptor)
                os.close(descriptor)
                pid, reply = running.pop(descriptor)
                with reply:
                    reply.send(b"%d" % os.waitpid(pid, 0)[1])
                continue
            request, descriptors, _, _ = socket.recv_fds(control, 1 << 20, 4)
            if not request:
                for pid, _ in running.values():
                    os.kill(pid, signal.SIGKILL)
                os._exit(0)
            pid = os.fork()
            if pid == 0:
                for number, given in enumerate(descriptors[:3]):
                    os.dup2(given, number)
                control.detach()
                os.closerange(3, 4096)
                return json.loads(request)
            for given in descriptors[:3]:
                os.close(given)
            reply = socket.socket(fileno=descriptors[3])
            reply.send(b"%d" % pid)
            death = os.pidfd_open(pid)
            running[death] = pid, reply
            ready.register(death, select.POLLIN)


def become(request):
    """What start-up leaves behind in a fresh interpreter: environment, arguments, path, sitecustomize, main file."""
    import site

    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    sys.dont_write_bytecode = not request["compiles"]
    sys.argv[:], sys.orig_argv[:] = request["argv"], request["orig_argv"]
    here = os.path.dirname(os.path.abspath(__file__))
    given = [entry for entry in request["env"].get("PYTHONPATH", "").split(os.pathsep) if entry]
    sys.path[:] = given + [entry for entry in sys.path if entry != here]
    site.removeduppaths()
    del sys.modules["sitecustomize"]
    sys.path_importer_cache.clear()
    sys.meta_path.insert(0, Hidden())
    site.execsitecustomize()
    lay(request)


class Hidden:
    """Keeps torch out of sys.modules until it is imported, and is its finder and its loader then."""

    def __init__(self):
        names = [name for name in sys.modules if name.partition(".")[0] == "torch"]
        self.modules = {name: sys.modules.pop(name) for name in names}

    def find_spec(self, name, path=None, target=None):
        if name != "torch":
            return None
        real = self.modules[name].__spec__
        found = type(real)(name, Loader(self), origin=real.origin)
        found.submodule_search_locations = real.submodule_search_locations
        found.has_location, found.cached = True, real.cached
        return found


class Loader:
    """One for each search, as the import system has it."""

    def __init__(self, hidden):
        self.hidden = hidden
        self.spec = hidden.modules["torch"].__spec__

    def create_module(self, spec):
        return self.hidden.modules["torch"]

    def exec_module(self, module):
        module.__spec__ = self.spec
        sys.modules.update(self.hidden.modules)
        sys.meta_path.remove(self.hidden)


def lay(request):
    """The program, compiled, as main file. Its first statement is a call of ours that leaves no trace."""
    import ast
    import importlib.machinery
    import importlib.util
    import marshal

    main, file = sys.modules["__main__"], request["file"]

    def begin():
        os.close(PROGRAM)
        sys.path[0] = request["path0"]  # was made from MAIN
        del main.__begin__, main.__file__, main.__cached__
        if file is None:
            main.__loader__ = importlib.machinery.BuiltinImporter
        else:
            main.__file__, main.__cached__ = file, None
            main.__loader__ = importlib.machinery.SourceFileLoader("__main__", file)

    name = file or "<string>"
    tree = ast.parse(request["source"], name)
    first = 0 if ast.get_docstring(tree, clean=False) is None else 1
    while first < len(tree.body) and getattr(tree.body[first], "module", None) == "__future__":
        first += 1
    call = ast.Expr(ast.Call(ast.Name("__begin__", ast.Load()), [], []))
    tree.body.insert(first, ast.fix_missing_locations(call))
    main.__begin__ = begin
    code = compile(tree, name, "exec", dont_inherit=True)
    made = os.memfd_create("program")
    os.write(made, importlib.util.MAGIC_NUMBER + bytes(12) + marshal.dumps(code))
    os.dup2(made, PROGRAM)
    os.close(made)


sys.path_hooks.append(hook)
