"""The census on a machine that has no time: what it says is exact, or it says what it did not reach."""

import contextlib
import os
import signal
import threading
import time

import pytest
from conftest import device_env

# Children of one that has imported torch, each with a model that has trained a step and 170,000 objects; all fail at once.
PROGRAM = """
import os, sys, time
import torch, torch.nn as nn, torch.optim
class Row:
    def __init__(self, i): self.i = [i]; self.d = {"k": self.i}
def child(number):
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # 48 tracebacks are more than a pipe holds
    rows = [Row(i) for i in range(int(sys.argv[3]))]
    net = nn.Sequential(*[nn.Linear(512, 512) for _ in range(int(sys.argv[4]))]).cuda()
    opt = torch.optim.AdamW(net.parameters())
    net(torch.zeros(8, 512, device="cuda")).sum().backward(); opt.step()
    open(f"{sys.argv[1]}/ready-{os.getpid()}", "w").close()
    while not os.path.exists(f"{sys.argv[1]}/go"): time.sleep(0.05)
    keep = []
    while True: keep.append(net(torch.zeros(1024, 512, device="cuda")))
for wave in range(int(sys.argv[5])):
    children = []
    for number in range(int(sys.argv[2])):
        pid = os.fork()
        if not pid: child(number); os._exit(9)
        children.append(pid)
    print(*children, flush=True)
    end = time.monotonic() + 240
    while len([n for n in os.listdir(sys.argv[1]) if n.startswith("ready")]) < len(children) and time.monotonic() < end: time.sleep(0.05)
    open(f"{sys.argv[1]}/go", "w").close()
    codes = {os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children}
    for name in os.listdir(sys.argv[1]): os.unlink(f"{sys.argv[1]}/{name}")
    print("codes", codes, flush=True)
"""
LAYER = (512 * 512 + 512) * 4  # bytes


def exact_or_said(receipts, count, layers):
    """Every category that facts decide is there to the byte, or named as not reached. Returns how many were whole."""
    rows = [receipt for receipt in receipts if receipt["ooms"]]
    assert len(rows) == count
    whole = 0
    for receipt in rows:
        census = receipt["ooms"][0]["census"]
        assert census is not None, receipt["faults"]
        missing = set(census["not_reached"])
        size = layers * LAYER
        wanted = {"parameter": size, "gradient": size, "optimizer_state": 2 * size}
        (device,) = census["devices"] or [{"categories": {}}]
        for name, bytes_ in wanted.items():
            found = device["categories"].get(name, {"bytes": 0})["bytes"]
            assert found == bytes_ or name in missing, (name, found, bytes_, census["cut"])
        assert bool(missing) == (not census["complete"] and bool(missing))
        whole += not missing
    return whole


class Throttle(threading.Thread):
    """Lets processes run for 25 of each 100 ms, all together: a quarter of a core, however many there are."""

    def __init__(self):
        super().__init__(daemon=True)
        self.pids, self.over = [], threading.Event()

    def run(self):
        for on in (True, False) * 100_000:
            for pid in list(self.pids):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT if on or self.over.is_set() else signal.SIGSTOP)
            if self.over.is_set():
                return
            time.sleep(0.025 if on else 0.075)


def rounds(lain, python, meeting, count, objects, layers, waves, throttled):
    """Runs PROGRAM; returns what it printed of exit codes."""
    meeting.mkdir()
    argv = [meeting, count, objects, layers, waves]
    process = lain.start(PROGRAM, *argv, python=python, env=device_env(f"{16 * layers}M"))
    throttle = Throttle()
    codes = []
    try:
        if throttled:
            throttle.start()
        for line in process.stdout:
            if line.startswith("codes"):
                codes.append(line.strip())
            else:
                throttle.pids[:] = map(int, line.split())
        process.wait(timeout=60)
    finally:
        throttle.over.set()
    return codes


@pytest.mark.long
def test_at_a_quarter_of_a_core(step, cuda, tmp_path):
    lain = step(cycles="warn", categories="census")
    assert rounds(lain, cuda, tmp_path / "meeting", 8, 57_000, 12, 1, throttled=True) == ["codes {1}"]
    assert exact_or_said(lain.receipts(), 8, 12) >= 6


@pytest.mark.long
def test_96_processes_at_once(step, cuda, tmp_path):
    """In two waves of 48: each has its own context on the stand-in device."""
    lain = step(cycles="warn", categories="census")
    assert rounds(lain, cuda, tmp_path / "meeting", 48, 3_000, 4, 2, throttled=False) == ["codes {1}"] * 2
    assert exact_or_said(lain.receipts(), 96, 4) >= 90


def test_a_few_at_once(step, cuda, tmp_path):
    lain = step(cycles="warn", categories="census")
    assert rounds(lain, cuda, tmp_path / "meeting", 3, 3_000, 4, 1, throttled=True) == ["codes {1}"]
    assert exact_or_said(lain.receipts(), 3, 4) == 3
