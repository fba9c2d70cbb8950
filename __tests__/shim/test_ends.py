"""However a process ends, its receipt says the truth, and it ends exactly as without us."""

import textwrap

import pytest
from conftest import python_or_skip

PRELUDE = """
import atexit, os, signal, sys, threading, time
import torch
x = torch.zeros(1, device="cuda")
def oom():
    torch.empty(1 << 40, dtype=torch.uint8, device="cuda")
"""

# name: (program's end, exit code, end.kind or None, end.oom)
ENDS = {
    "normal": ("", 0, "exit", False),
    "sys.exit": ("sys.exit(3)", 3, "exit", False),
    "exception": ("1 / 0", 1, "exception", False),
    "KeyboardInterrupt": ("os.kill(os.getpid(), signal.SIGINT); time.sleep(9)", -2, "exception", False),
    "translated": ("try: oom()\nexcept Exception as e: raise ValueError('no') from e", 1, "exception", True),
    "during": ("try: oom()\nexcept Exception: {}['x']", 1, "exception", True),
    "hidden": ("try: oom()\nexcept Exception: raise ValueError from None", 1, "exception", False),
    "exit after": ("try: oom()\nexcept Exception: pass\nsys.exit(4)", 4, "exit", False),
    "os._exit": ("os._exit(5)", 5, None, None),
    "SIGTERM": ("os.kill(os.getpid(), signal.SIGTERM); time.sleep(9)", -15, None, None),
    "SIGKILL": ("os.kill(os.getpid(), signal.SIGKILL)", -9, None, None),
    "segfault": ("import ctypes; ctypes.string_at(0)", -11, None, None),
    "excepthook": ("sys.excepthook = lambda *a: print('mine', a[0].__name__)\n1 / 0", 1, "exception", False),
    "thread": ("t = threading.Thread(target=lambda: 1 / 0); t.start(); t.join()", 0, "exit", False),
    "exit in thread": ("t = threading.Thread(target=sys.exit); t.start(); t.join()", 0, "exit", False),
    "failing atexit": ("atexit.register(lambda: 1 / 0)", 0, "exit", False),
}
# In a fresh interpreter, with the whole of its end. That others end in one as in a fork, test_forked.py shows.
WHOLE = ("thread", "failing atexit")


@pytest.mark.parametrize("name", ENDS)
def test_an_end(name, step, cuda):
    program, code, kind, oom = ENDS[name]
    lain = step()
    done = lain.run(PRELUDE + program, python=cuda, fresh=name in WHOLE)
    assert done.code == code, done.err
    assert done.ours == []
    receipt = done.receipt
    if kind is None:
        assert receipt["end"] is None
        assert receipt["recorder"]["state"] == "armed", "it never said disarmed, so nobody may think so"
    else:
        assert (receipt["end"]["kind"], receipt["end"]["oom"]) == (kind, oom)
        assert receipt["recorder"]["state"] == "disarmed" and receipt["recorder"]["disarm_proven"] is True
    if name == "excepthook":
        assert done.out == "mine ZeroDivisionError\n"
    assert lain.leftovers() == []


def test_pytests_failing_tests_are_not_the_processes_end(step, cuda, tmp_path):
    """pytest sets sys.last_value for each failing test; the process then ends by sys.exit."""
    (tmp_path / "test_it.py").write_text(
        textwrap.dedent(PRELUDE) + "def test_oom(): oom()\ndef test_fine(): pass\n"
    )
    lain = step()
    done = lain.run("", argv=[cuda, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)])
    assert done.code == 1 and "1 failed, 1 passed" in done.out
    receipt = done.receipt
    assert receipt["end"]["kind"] == "exit" and receipt["end"]["oom"] is False
    assert receipt["oom_count"] == 1 and receipt["program"] == "-m pytest"


def test_an_unarmed_process_says_idle(step, cuda):
    done = step().run("import torch", python=cuda)
    receipt = done.receipt
    assert receipt["recorder"]["state"] == "idle" and receipt["end"]["kind"] == "exit"
    assert receipt["devices"] == [] and receipt["torch"]["backend"] is None


@pytest.mark.parametrize(
    ("snapshot", "end", "reasons"),
    [
        ("on-failure", "", []),
        ("on-failure", "1 / 0", ["exception"]),
        ("on-failure", "oom()", ["oom"]),
        ("on-failure", "sys.exit(1)", []),
        ("always", "", ["exit"]),
        ("always", "sys.exit(2)", ["exit"]),
        ("always", "1 / 0", ["exception"]),
    ],
)
def test_snapshots_at_the_end(snapshot, end, reasons, step, cuda):
    lain = step(snapshot=snapshot)
    done = lain.run(PRELUDE + end, python=cuda)
    assert done.ours == []
    assert [row["reason"] for row in done.receipt["snapshots"]] == reasons
    assert [name.rpartition("-")[2] for name in lain.snapshots()] == [
        f"{reason}.pickle" for reason in reasons
    ]
    assert done.receipt["recorder"]["disarm_proven"] is True


CHILDREN = """
import multiprocessing, os, sys
def child(kind):
    import torch
    if kind != "idle":
        torch.zeros(1, device="cuda")
    if kind == "oom":
        torch.empty(1 << 40, dtype=torch.uint8, device="cuda")
    if kind == "exit after oom":                 # as torch.multiprocessing.spawn's wrapper does
        try:
            torch.empty(1 << 40, dtype=torch.uint8, device="cuda")
        except Exception:
            sys.exit(1)
    if kind == "os._exit":
        os._exit(6)
if __name__ == "__main__":
    import torch
    method, _, first = sys.argv[1].partition(" ")
    context = multiprocessing.get_context(method)
    if first:
        context.set_forkserver_preload(["torch"])
    children = [(kind, context.Process(target=child, args=(kind,))) for kind in sys.argv[2:]]
    for _, process in children:
        process.start()
    for kind, process in children:
        process.join()
        print(kind, process.exitcode, process.pid, flush=True)
"""
KINDS = {
    "idle": (0, "exit", False),
    "normal": (0, "exit", False),
    "oom": (1, "exception", True),
    "exit after oom": (1, "exit", True),
    "os._exit": (6, None, None),
}


@pytest.mark.parametrize(
    ("method", "kinds"),
    [
        ("fork", KINDS),
        ("spawn", ("idle", "oom", "os._exit")),
        ("forkserver with torch", KINDS),
        pytest.param("spawn", KINDS, marks=pytest.mark.long),
        pytest.param("forkserver", KINDS, marks=pytest.mark.long),
    ],
)
def test_children_of_multiprocessing(method, kinds, step, cuda, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(CHILDREN)
    lain = step()
    done = lain.run("", argv=[cuda, str(script), method, *kinds])
    assert done.code == 0 and done.ours == [], done.err
    by_pid = {receipt["pid"]: receipt for receipt in lain.receipts()}
    for line in done.out.splitlines():
        kind, code, pid = line.rsplit(" ", 2)
        wanted_code, end, oom = KINDS[kind]
        assert int(code) == wanted_code, kind
        receipt = by_pid.pop(int(pid), None)
        if kind == "idle" and method in ("fork", "forkserver with torch"):
            assert receipt is None, "a forked child that never used CUDA is its parent's process to us"
        elif end is None:
            assert receipt["end"] is None and receipt["recorder"]["state"] == "armed"
        else:
            assert (receipt["end"]["kind"], receipt["end"]["oom"]) == (end, oom), kind
            assert receipt["recorder"]["state"] == ("idle" if kind == "idle" else "disarmed"), kind
    assert {r["recorder"]["state"] for r in by_pid.values()} == {"idle"}, "the parent, and a fork server"
    assert len(lain.snapshots()) == sum("oom" in kind for kind in kinds)


@pytest.mark.parametrize("version", ("3.9", "3.12", "3.13"))
@pytest.mark.parametrize("end", ("", "1 / 0", "raise SystemExit(2)"))
def test_the_end_is_seen_by_every_python(end, version, step):
    """Where threads cannot be started at the exit any more (3.12), the snapshot is taken all the same."""
    lain = step(snapshot="always")
    program = "import torch; torch.cuda.allocate(1)\n" + end
    done = lain.run(program, python=python_or_skip(version), tiny=True)
    receipt = done.receipt
    assert receipt["end"]["kind"] == ("exception" if end == "1 / 0" else "exit")
    assert len(lain.snapshots()) == 1 and done.ours == []
    assert receipt["recorder"]["disarm_proven"] is True


def test_a_second_process_under_the_same_pid_is_another(step):
    """exec keeps the pid: two receipts, told apart by their tokens."""
    lain = step()
    program = "import os, sys, torch; torch.cuda.allocate(1)\nif len(sys.argv) < 2: os.execv(sys.executable, [sys.executable, '-c', open('/proc/self/cmdline').read().split(chr(0))[2], 'again'])"
    done = lain.run(program, python=python_or_skip("3.11"), tiny=True)
    assert done.code == 0, done.err
    first, second = done.receipts
    assert first["pid"] == second["pid"] and first["token"] != second["token"]
    assert sorted([first["end"] is None, second["end"] is None]) == [False, True]


PLACED = """
import sys
sys.path.insert(0, sys.argv[1])
import torch, mine
torch.zeros(1, device="cuda")
import threading
t = threading.Thread(target=mine.fails); t.start(); t.join()
mine.fails()
"""


def test_an_exception_has_its_place_in_the_programs_own_files(step, cuda, tmp_path):
    (tmp_path / "mine.py").write_text("import json\n\ndef fails():\n    json.loads('{')\n")
    done = step().run(PLACED, tmp_path, python=cuda)
    place = {"file": str(tmp_path / "mine.py"), "line": 4, "function": "fails"}
    assert done.code == 1
    assert (done.receipt["end"]["exception"], done.receipt["end"]["at"]) == (
        "json.decoder.JSONDecodeError",
        place,
    )
    assert [row["at"] for row in done.receipt["thread_ends"]] in ([place], [])
