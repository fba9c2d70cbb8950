"""A program in a fork of the fork server is the program in a fresh interpreter: its end, its output, its receipt, and what
it sees of itself. What no fork can be goes to a fresh interpreter by itself."""

import os
import subprocess

import forked
import pytest

HEAD = """
import atexit, os, signal, sys, threading
atexit.register(print, "at exit")
seen = ([name for name in sys.modules if name.startswith("torch.")], os.getcwd(), sys.argv, sys.flags,
          sorted(vars()), __name__, globals().get("__file__"), type(__loader__), sys.stdin.read(), sys.path,
          signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGPIPE), threading.active_count(),
          sorted(os.environ), len(os.listdir("/proc/self/fd")))
for each in seen:
    print(each)
import torch
print(torch.__spec__.origin, type(torch.__spec__.loader), torch.nn.Linear)
def take(n):
    return torch.empty(n << 20, dtype=torch.uint8, device="cuda")
def oom():
    take(1 << 20)
held = take(8)
"""
# name: (end, exit code)
PROGRAMS = {
    "caught": ("try: oom()\nexcept torch.OutOfMemoryError: print('caught')", 0),
    "script": ("try: oom()\nexcept torch.OutOfMemoryError: print('caught')", 0),
    "uncaught": ("oom()", 1),
    "os._exit": ("sys.stdout.flush(); os._exit(5)", 5),
    "SIGKILL": ("sys.stdout.flush(); os.kill(os.getpid(), signal.SIGKILL)", -9),
    "exit code": ("try: oom()\nexcept torch.OutOfMemoryError: raise SystemExit(4)", 4),
    "message": ("sys.exit('message')", 1),
    "interrupt": ("sys.stdout.flush(); os.kill(os.getpid(), signal.SIGINT); threading.Event().wait(9)", -2),
    "thread": ("threading.Timer(0.2, oom).start()", 0),
    "recursion": ("def down(): down()\ndown()", 1),
}
RARE = ("exit code", "message", "interrupt", "thread", "recursion")


def told(receipt):
    """A receipt less what no two processes have in common."""
    own = (str(receipt["pid"]), receipt["token"])

    def plain(value):
        if isinstance(value, dict):
            drop = ("pid", "ppid", "token", "start_ticks", "bytes")
            return {key: plain(each) for key, each in value.items() if key not in drop}
        if isinstance(value, list):
            return [plain(each) for each in value]
        if isinstance(value, str):
            for word in own:
                value = value.replace(word, "own")
        return 0.0 if isinstance(value, float) else value

    return plain(receipt)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long) if name in RARE else name for name in PROGRAMS]
)
def test_a_fork_is_the_program_that_a_fresh_interpreter_would_be(name, step, cuda, tmp_path):
    end, code = PROGRAMS[name]
    program, lain = HEAD + end, step(snapshot="always")
    (tmp_path / "train.py").write_text(program)
    argv = [cuda, *(("train.py",) if name == "script" else ("-c", program)), "--key", "ü"]
    outcomes = []
    for fresh in (False, True):
        process = lain.start("", argv=argv, cwd=tmp_path, env={"OTHER": "1"}, fresh=fresh)
        assert isinstance(process, subprocess.Popen if fresh else forked.Process)
        out, err = process.communicate(timeout=60)
        lines = [line for line in err.splitlines() if not line.startswith("[W")]
        (receipt,) = [receipt for receipt in lain.receipts() if receipt["pid"] == process.pid]
        outcomes.append((process.returncode, out.splitlines(), lines, told(receipt)))
    for forks, wanted in zip(*outcomes):
        assert forks == wanted
    assert outcomes[0][0] == code


@pytest.mark.parametrize(
    ("words", "env", "forks"),
    [
        (("-c", "pass"), {}, True),
        (("-B", "-c", "pass"), {"PYTHONPATH": "/x"}, True),
        (("train.py", "-m"), {"RANK": "1"}, True),
        (("-m", "torch.distributed.run"), {}, False),
        (("-W", "ignore", "train.py"), {}, False),
        ((), {}, False),
        (("-c", "pass"), {"PYTHONSAFEPATH": "1"}, False),
        (("-c", "pass"), {"PYTORCH_ALLOC_CONF": "expandable_segments:True"}, True),
        (("-c", "pass"), {"PYTORCH_ALLOC_CONF": "backend:cudaMallocAsync"}, False),
        (("-c", "pass"), {"OMP_NUM_THREADS": "1000"}, False),
    ],
)
def test_what_no_fork_can_be_is_known(words, env, forks):
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    assert forked.can_be(["python", *words], {**own, **env}) is forks
