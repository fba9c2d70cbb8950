"""Many processes at once, and processes killed at any moment: whole files under final names, every process
accounted for."""

import contextlib
import json
import os
import pickletools
import random
import signal
import subprocess
import time

import pytest
from conftest import device_env, rarely

GATE = """
import os, sys, time
import torch
torch.zeros(1, device="cuda")
open(os.path.join(sys.argv[1], f"ready-{os.getpid()}"), "w").close()
while not os.path.exists(os.path.join(sys.argv[1], "go")):
    time.sleep(0.01)
torch.empty(1 << 40, dtype=torch.uint8, device="cuda")
"""


def whole(path):
    """A pickle that ends with its STOP; its opcodes are listed, nothing is loaded."""
    last = None
    for opcode, _, _ in pickletools.genops(path.read_bytes()):
        last = opcode.name
    return last == "STOP"


def all_at_once(lain, python, count, meeting):
    """`count` processes started in batches (imports take memory and time), failing at the same moment."""
    env = lain.env(env=device_env())
    running = []
    for _ in range(count):
        while len(running) - len(list(meeting.glob("ready-*"))) >= 8:
            time.sleep(0.05)
        running.append(
            subprocess.Popen(
                [python, "-c", GATE, str(meeting)], env=env, stderr=subprocess.PIPE, stdout=subprocess.PIPE
            )
        )
    end = time.monotonic() + 300
    while len(list(meeting.glob("ready-*"))) < count and time.monotonic() < end:
        time.sleep(0.05)
    (meeting / "go").touch()
    return [(process.communicate(timeout=120)[1].decode(), process.returncode) for process in running]


FORKS = """
import os, sys
import torch
children = []
for _ in range(int(sys.argv[2])):
    pid = os.fork()
    if pid == 0:
        exec(sys.argv[3])
        sys.exit(99)
    children.append(pid)
while len([n for n in os.listdir(sys.argv[1]) if n.startswith("ready")]) < len(children):
    __import__("time").sleep(0.05)
open(os.path.join(sys.argv[1], "go"), "w").close()
print({os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children})
"""


def check_all(lain, receipts, count):
    assert len(receipts) == len({r["token"] for r in receipts}) == count
    assert all(r["end"]["oom"] and r["oom_count"] == 1 and r["recorder"]["disarm_proven"] for r in receipts)
    assert sorted(r["ooms"][0]["snapshot"] for r in receipts) == lain.snapshots()
    assert len(lain.snapshots()) == count and lain.leftovers() == []
    assert all(whole(path) for path in lain.evidence.glob("*.pickle"))


@pytest.mark.parametrize("count", rarely((8, 20), (8,)))
def test_processes_that_run_out_at_once(count, step, cuda, tmp_path):
    """Forked after the import and before CUDA, as pytest's and a trainer's workers are."""
    lain = step()
    done = lain.run(FORKS, tmp_path, count, GATE, python=cuda, timeout=300)
    assert (done.code, done.out, done.ours) == (0, "{1}\n", []), done.err[-2000:]
    children = [receipt for receipt in done.receipts if receipt["ppid"] == done.pid]
    assert len(done.receipts) == len(children) + 1
    check_all(lain, children, count)


@pytest.mark.soak
def test_64_programs_that_run_out_at_once(step, cuda, tmp_path):
    lain, meeting = step(), tmp_path / "meeting"
    meeting.mkdir()
    ends = all_at_once(lain, cuda, 64, meeting)
    assert {code for _, code in ends} == {1}
    assert not [err for err, _ in ends if "oom-autopsy:" in err]
    check_all(lain, lain.receipts(), 64)


# Each process works through its whole life in a second: receipt, arm, dumps, removal of old ones, last
# dump, disarm.
VICTIM = """
import time, torch
print("up", flush=True)
for _ in range(60):
    try:
        torch.cuda.allocate(5000)
    except torch.OutOfMemoryError:
        pass
"""
REAL_VICTIM = """
import torch
print("up", flush=True)
x = torch.zeros(1, device="cuda")
for _ in range(40):
    try:
        torch.empty(1 << 40, dtype=torch.uint8, device="cuda")
    except torch.OutOfMemoryError:
        pass
"""


def killed_at_random(lain, python, source, tiny, count, longest, seed):
    """Kills `count` processes, a few at a time, each after a random part of `longest` seconds past its
    start."""
    rng = random.Random(seed)
    env = {**device_env(), "TINY_TORCH_SIZE": "20000"}
    pids, left = {}, count
    while left:
        batch = []
        for _ in range(min(6, left)):
            batch.append(lain.start(source, python=python, tiny=tiny, env=env))
        left -= len(batch)
        for process in batch:
            process.stdout.readline()  # torch is imported: there is something to interrupt
        delays = sorted((rng.random() * longest, process.pid, process) for process in batch)
        start = time.monotonic()
        for delay, pid, process in delays:
            time.sleep(max(0.0, start + delay - time.monotonic()))
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGKILL)
            pids[pid] = process.wait()
            process.stdout.close(), process.stderr.close()
    return pids


def check_deaths(lain, pids):
    """No file under a final name that is not whole, and a true receipt for each process, the dead ones
    without an end."""
    receipts = {}
    for path in lain.evidence.glob("*.receipt.json"):
        receipt = json.loads(path.read_bytes())  # whole, or this raises
        receipts[receipt["pid"]] = receipt
    assert set(pids) == set(receipts)
    for pid, code in pids.items():
        receipt = receipts[pid]
        if code == 0:
            assert receipt["end"]["kind"] == "exit"
        elif receipt["end"] is None:
            assert receipt["recorder"]["state"] in ("idle", "armed")
        for row in receipt["snapshots"]:
            path = lain.evidence / row["file"]
            # Killed between the removal of an old snapshot and the receipt that says so.
            assert not path.exists() or path.stat().st_size == row["bytes"]
    for name in lain.leftovers():
        assert name.startswith(".") and ".tmp-" in name, name
    return receipts


@pytest.mark.parametrize("count", (24, pytest.param(1000, marks=pytest.mark.soak)))
def test_random_kills(count, step, cpu):
    lain = step(snapshot="always")
    pids = killed_at_random(lain, cpu, VICTIM, True, count, 0.25, seed=count)
    check_deaths(lain, pids)
    size = len(b"tiny snapshot ") * 20000
    assert {path.stat().st_size for path in lain.evidence.glob("*.pickle")} <= {size}
    assert -signal.SIGKILL in pids.values()


@pytest.mark.parametrize("count", (6, pytest.param(100, marks=pytest.mark.soak)))
def test_random_kills_on_real_torch(count, step, cuda):
    lain = step(snapshot="always")
    pids = killed_at_random(lain, cuda, REAL_VICTIM, False, count, 0.6, seed=count)
    check_deaths(lain, pids)
    assert all(whole(path) for path in lain.evidence.glob("*.pickle"))


def test_a_pid_used_again_is_told_apart(step, cpu):
    """start_ticks and the token: the receipt of a dead process is not taken for that of a living one."""
    lain = step()
    done = lain.run("import torch", python=cpu, tiny=True)
    receipt = done.receipt
    assert isinstance(receipt["start_ticks"], int) or not os.path.exists("/proc/self/stat")
    assert len(receipt["token"]) == 8 and int(receipt["token"], 16) >= 0
