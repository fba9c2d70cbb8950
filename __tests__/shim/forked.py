"""Programs of the tests as forks of an interpreter that has imported torch once (forkserver/sitecustomize.py).

Importing torch costs 1.3 s of processor time, a fork 0.02 s. One server for each interpreter and pytest process, from
the first program on until that process ends.
"""

import atexit
import json
import os
import signal
import socket
import subprocess
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
MAIN = "/proc/self/fd/900"  # as the server's own side has it
# Read when the interpreter, its libraries or torch are loaded: for these a fork comes too late.
EARLY = ("PYTHON", "LD_", "MALLOC_", "OMP_", "GOMP_", "OPENBLAS_", "MKL_", "PYTORCH_", "TORCH")
ALLOCATOR = (
    "PYTORCH_ALLOC_CONF",
    "PYTORCH_CUDA_ALLOC_CONF",
)  # but for the backend they are read with CUDA's start
_environ = dict(os.environ)
_servers = {}


def can_be(argv, env):
    """Whether a fork is true to this command line and environment: `python -c program` or `python file.py`, with no
    flag but -B, and no variable that a fork would not heed."""
    first = argv[2 if "-B" in argv[1:2] else 1 :][:1]
    plain = bool(first) and (first[0] == "-c" or first[0].endswith(".py"))
    early = {name for name in {*env, *_environ} if name.startswith(EARLY) and not name.startswith("PYTHON")}
    early |= {name for name in env if name.startswith("PYTHON") and name != "PYTHONPATH"}
    early -= {name for name in ALLOCATOR if "backend" not in env.get(name, "")}
    return plain and all(env.get(name) == _environ.get(name) for name in early)


def start(argv, *, env, cwd, ahead=()):
    """As subprocess.Popen, for a command line that `can_be` allows; standard output and error are pipes, as text.
    `ahead`: modules that come with torch's import in this fork, since the program would load them anyway."""
    cwd = os.path.abspath(cwd or os.getcwd())
    compiles = argv[1] != "-B"
    words = argv[1 if compiles else 2 :]
    request = {"argv": words, "orig_argv": argv, "env": env, "cwd": cwd, "compiles": compiles}
    if words[0] == "-c":
        request.update(source=words[1], argv=["-c", *words[2:]], file=None, path0="")
    else:
        file = os.path.join(cwd, words[0])
        with open(file, encoding="utf-8") as script:
            request.update(source=script.read(), file=file, path0=os.path.dirname(os.path.realpath(file)))
    return Process(_server(argv[0], ahead, env), argv, request)


def _server(python, ahead, env):
    """The server of an interpreter and modules; what its forks' environments may not differ in is that of its first program."""
    key = (python, *ahead)
    if key not in _servers:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            process = subprocess.Popen(
                [python, MAIN, str(theirs.fileno()), "torch", *ahead],
                env={**env, "PYTHONPATH": os.path.join(HERE, "forkserver")},
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
            )
        _servers[key] = process, ours
    return _servers[key][1]


@atexit.register
def _stop():
    for process, control in _servers.values():
        control.close()
        process.stdout.close()
        process.wait(timeout=30)


class Process:
    """What the tests need of subprocess.Popen. The parent of the process is the server, which says how it ended."""

    def __init__(self, control, args, request):
        self.args, self.returncode = args, None
        self._reply, reply = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        (out, out_end), (err, err_end) = os.pipe(), os.pipe()
        nothing = os.open(os.devnull, os.O_RDONLY)
        socket.send_fds(control, [json.dumps(request).encode()], [nothing, out_end, err_end, reply.fileno()])
        reply.close()
        for descriptor in (nothing, out_end, err_end):
            os.close(descriptor)
        self.stdout, self.stderr = (os.fdopen(descriptor, errors="replace") for descriptor in (out, err))
        self.pid = int(self._receive("the fork server has died"))

    def _receive(self, otherwise):
        message = self._reply.recv(64)
        if not message:
            raise RuntimeError(otherwise)
        return message

    def poll(self):
        try:
            return self.wait(timeout=0)
        except subprocess.TimeoutExpired:
            return None

    def wait(self, timeout=None):
        if self.returncode is None:
            self._reply.settimeout(timeout)
            try:
                status = int(self._receive("the fork server has died"))
            except (BlockingIOError, TimeoutError):
                raise subprocess.TimeoutExpired(self.args, timeout) from None
            self.returncode = os.waitstatus_to_exitcode(status)
            self._reply.close()
        return self.returncode

    def communicate(self, timeout=None):
        texts = {}

        def read(stream):
            with stream:
                texts[stream] = stream.read()

        readers = [threading.Thread(target=read, args=(s,), daemon=True) for s in (self.stdout, self.stderr)]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join(timeout)
            if reader.is_alive():
                raise subprocess.TimeoutExpired(self.args, timeout)
        self.wait(timeout)
        return texts[self.stdout], texts[self.stderr]

    def send_signal(self, number):
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self):
        self.send_signal(signal.SIGTERM)

    def kill(self):
        self.send_signal(signal.SIGKILL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stdout.close()
        self.stderr.close()
        self.wait()
