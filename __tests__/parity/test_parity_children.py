"""The check as a program of another's: it ends with its standard input and after its time, with all that it started."""

import os
import pathlib
import subprocess
import sys
import time

import pytest
from kit_parity import PARITY

# A measurement that hangs, with a process of its own that left its group's children behind: no torch is needed for that.
HANGING = """
import os, subprocess, sys, time
sys.path.insert(0, {parity!r})
from oom_autopsy_parity import children
children.end_with_caller(0, {seconds})
def hang():
    below = subprocess.Popen(["sleep", "600"])
    with open({pids!r} + ".part", "w") as file:
        file.write(f"{{os.getppid()}} {{os.getpid()}} {{below.pid}}")
    os.rename({pids!r} + ".part", {pids!r})
    time.sleep(600)
print(children.run_all([children.Job("it", hang)]))
"""


def alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def until(holds):
    end = time.monotonic() + 60
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    return holds()


@pytest.mark.parametrize("how", ["its caller is gone", "its time is over"])
def test_all_of_it_ends_when(tmp_path, how):
    pids = tmp_path / "pids"
    seconds = 600 if how == "its caller is gone" else 2
    code = HANGING.format(parity=str(PARITY), seconds=seconds, pids=str(pids))
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert until(pids.exists)
        everybody = [int(pid) for pid in pids.read_text().split()]
        assert everybody[0] == process.pid
        assert os.getpgid(everybody[2]) == process.pid != os.getpgrp()
        if how == "its caller is gone":
            assert all(map(alive, everybody))
            process.stdin.close()
        assert until(lambda: not any(map(alive, everybody))), [p for p in everybody if alive(p)]
    finally:
        process.kill()
        process.wait()


def test_a_standard_input_that_stays_open_ends_nothing(tmp_path):
    code = HANGING.format(parity=str(PARITY), seconds=600, pids=str(tmp_path / "pids")).replace(
        "time.sleep(600)", "below.kill()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    process.stdin.write("what it is sent is not read\n")
    process.stdin.flush()
    assert process.stdout.read() == "{'it': None}\n"
    assert process.wait(60) == 0
