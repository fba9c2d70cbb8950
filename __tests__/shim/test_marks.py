"""The marks that the start-up hook leaves beside itself: how far a process came under it, for the action to read."""

import os
import re
import sys
import time

import pytest
from conftest import python_or_skip

LINE = re.compile(r"([sit]) (\d+) (\d+\.\d\d)\n")
SUPPORTED = ("3.9", "3.10", "3.11", "3.12", "3.13")

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="the action looks at processes on Linux alone"
)


def laid(step):
    """A step's folder with the file of marks, as the action lays it."""
    lain = step()
    (lain.path / "marks").write_text("")
    return lain


def stages(lain, pid=None):
    """The stages that are marked, in their order; of one process where `pid` names it."""
    text = (lain.path / "marks").read_text()
    found = LINE.findall(text)
    assert "".join("{} {} {}\n".format(*row) for row in found) == text  # nothing else in it, no half line
    return "".join(stage for stage, of, _ in found if pid is None or int(of) == pid)


@pytest.mark.parametrize("version", SUPPORTED)
def test_each_stage_leaves_its_mark(version, step):
    python = python_or_skip(version)
    for program, expected in (
        ("pass", "s"),
        ("import importlib.util; assert importlib.util.find_spec('torch')", "s"),
        ("import torch", "sit"),
        ("import os, torch; os.fork() or os._exit(0)", "sit"),
    ):
        lain = laid(step)
        done = lain.run(program, python=python, tiny=True)
        assert (done.code, done.err, stages(lain)) == (0, "", expected)


def test_a_mark_has_the_pid_and_the_time_since_boot(step):
    lain = laid(step)
    before = time.clock_gettime(time.CLOCK_BOOTTIME)
    done = lain.run("import os; print(os.getpid())", python=python_or_skip("3.11"))
    ((_, pid, seconds),) = LINE.findall((lain.path / "marks").read_text())
    assert int(pid) == int(done.out)
    assert before - 0.01 <= float(seconds) <= time.clock_gettime(time.CLOCK_BOOTTIME) + 0.01


def test_an_import_that_fails_is_marked_as_begun_alone(step, tmp_path):
    (tmp_path / "torch.py").write_text("raise ImportError('libcudart.so: no such file')\n")
    lain = laid(step)
    program = "try: import torch\nexcept ImportError as error: print(error)"
    done = lain.run(program, python=python_or_skip("3.11"), extra_path=[tmp_path])
    assert (done.out, done.err, stages(lain)) == ("libcudart.so: no such file\n", "", "si")


@pytest.mark.parametrize("version", ("2.7", "3.8"))
def test_an_old_python_leaves_none(version, step):
    lain = laid(step)
    done = lain.run("print(1)", python=python_or_skip(version))
    assert (done.out, done.err, stages(lain)) == ("1\n", "", "")


def test_where_none_can_be_left_nothing_is_said(step):
    for spoil in (
        lambda marks: marks.unlink(),
        lambda marks: (marks.unlink(), os.mkfifo(marks)),
        lambda marks: (marks.unlink(), marks.mkdir()),
        lambda marks: (marks.unlink(), marks.symlink_to("/dev/full")),
    ):
        lain = laid(step)
        spoil(lain.path / "marks")
        done = lain.run("import torch; torch.cuda.allocate(1)", python=python_or_skip("3.11"), tiny=True)
        assert (done.code, done.out, done.err) == (0, "", "")
        assert done.receipt["recorder"]["state"] == "disarmed"


HANDLERS = """
import signal, sys, time
[finder] = [finder for finder in sys.meta_path if getattr(finder, "oom_autopsy", False)]
mark = finder.wrap.__globals__["_mark"]
raised = caught = 0
def handler(*_):
    global raised
    raised += 1
    raise TimeoutError("of the program")
signal.signal(signal.SIGALRM, handler)
end = time.monotonic() + 1
while time.monotonic() < end:
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.00005)
        for _ in range(20): mark(b"i")
        time.sleep(0.001)
    except TimeoutError:
        caught += 1
assert raised > 100, raised
print(raised - caught)
"""


def test_an_exception_of_a_handler_is_the_programs(step):
    """TimeoutError is an OSError, as what is raised where no mark can be left."""
    done = laid(step).run(HANDLERS, python=python_or_skip("3.11"))
    assert (done.code, done.out, done.err) == (0, "0\n", "")


def test_marks_of_many_processes_are_whole_lines(step):
    lain = laid(step)
    done = lain.run(
        "import subprocess, sys\n"
        "all = [subprocess.Popen([sys.executable, '-c', 'pass']) for _ in range(24)]\n"
        "print(sum(p.wait() for p in all))",
        python=python_or_skip("3.11"),
    )
    assert (done.out, stages(lain)) == ("0\n", "s" * 25)
