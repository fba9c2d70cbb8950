"""At an out-of-memory, on the real allocator: facts, stacks, snapshots kept, and the program's own error untouched."""

import pathlib
import textwrap

import pytest
from conftest import device_env, run

OOM = """
import torch
def take(n):
    return torch.empty(n << 20, dtype=torch.uint8, device="cuda")
def fail():
    take(4096)
"""


def test_an_uncaught_out_of_memory(step, cuda, tmp_path):
    script = tmp_path / "train.py"
    script.write_text(OOM + "held = take(100)\nfail()\n")
    lain, env = (
        step(),
        {**device_env(), "RANK": "2", "LOCAL_RANK": "x1", "WORLD_SIZE": "4", "SECRET": "s3cret"},
    )
    done = lain.run("", argv=[cuda, str(script), "--key=s3cret"], env=env)
    plain = run("", argv=[cuda, str(script)], env=env)
    assert done.code == plain.code == 1
    assert done.theirs == plain.theirs
    assert done.theirs[-1].startswith("torch.OutOfMemoryError: CUDA out of memory.")
    assert done.ours == []
    receipt = done.receipt
    (oom,) = receipt["ooms"]
    assert (oom["wanted"], oom["thread"], oom["history"], oom["device"]) == (4096 << 20, "main", "armed", 0)
    assert oom["allocated"] == 100 << 20 and oom["reserved"] >= oom["allocated"] and oom["ooms"] == 1
    assert oom["limit"] == oom["device_total"] > oom["free"] == oom["device_free"]
    assert [(f["function"], f["line"]) for f in oom["stack"]] == [("<module>", 8), ("fail", 6), ("take", 4)]
    assert {f["file"] for f in oom["stack"]} == {str(script)}
    assert receipt["end"]["kind"] == "exception" and receipt["end"]["oom"] is True
    assert receipt["end"]["exception"] == "torch.OutOfMemoryError"
    assert receipt["recorder"]["state"] == "disarmed" and receipt["recorder"]["disarm_proven"] is True
    assert receipt["rank"] == {"RANK": "2", "WORLD_SIZE": "4"}, "digits only"
    assert receipt["program"] == "train.py" and receipt["torch"]["backend"] == "native"
    assert receipt["devices"][0]["peak_allocated"] == 100 << 20
    assert lain.snapshots() == [oom["snapshot"]] and lain.leftovers() == []
    assert oom["snapshot"].split("-")[-5:] == [
        "rank2",
        str(receipt["pid"]),
        receipt["token"],
        "1",
        "oom.pickle",
    ]
    assert receipt["snapshots"][0]["bytes"] == (lain.evidence / oom["snapshot"]).stat().st_size > 0
    assert all((path.stat().st_mode & 0o777) == 0o600 for path in lain.evidence.iterdir())
    assert "s3cret" not in str(receipt)


def test_caught_errors_are_counted_and_the_first_and_newest_kept(step, cuda):
    lain = step(max_snapshots=3)
    done = lain.run(
        OOM
        + textwrap.dedent("""
        import sys
        caught = 0
        modules = set(sys.modules)
        for _ in range(6):
            try:
                fail()
            except torch.OutOfMemoryError as error:
                assert type(error) is torch.OutOfMemoryError and error.__cause__ is error.__context__ is None
                caught += 1
        new = {m for m in sys.modules if m not in modules}
        print(caught, [m for m in new if "inductor" in m], "_inductor" in vars(torch))
        """),
        python=cuda,
    )
    assert (done.code, done.out, done.ours) == (0, "6 [] False\n", []), done.err
    receipt = done.receipt
    assert receipt["oom_count"] == 6 and receipt["snapshots_removed"] == 3
    assert [row["seq"] for row in receipt["snapshots"]] == [1, 5, 6]
    assert sorted(row["file"] for row in receipt["snapshots"]) == lain.snapshots()
    assert [bool(oom["snapshot"]) for oom in receipt["ooms"]] == [True, False, False, False, True, True]
    assert receipt["ooms"][1]["snapshot_error"].startswith("removed: max-snapshots")
    assert receipt["end"] == {**receipt["end"], "kind": "exit", "oom": False, "exception": None}


def test_backward_threads_and_custom_frames(step, cuda):
    """The autograd thread has no Python of its own; other threads do; each row says where the main thread stood."""
    lain = step()
    done = lain.run(
        OOM
        + textwrap.dedent("""
        import threading, time
        class Greedy(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x.clone()
            @staticmethod
            def backward(ctx, g):
                take(4096)
        def caught(function):
            try:
                function()
            except torch.OutOfMemoryError:
                pass
        def backward():
            Greedy.apply(torch.ones(3, device="cuda", requires_grad=True)).sum().backward()
        caught(backward)
        def late():
            time.sleep(0.5)  # by then the main thread has left start() and stands in join()
            caught(fail)
        thread = threading.Thread(target=late)
        thread.start(); thread.join()
        """),
        python=cuda,
        env=device_env(zero_d2h=8),
    )
    assert done.code == 0, done.err
    first, second = done.receipt["ooms"]
    assert (first["thread"], second["thread"]) == ("backward", "other")
    assert first["main_stack"][-1]["function"].endswith("_engine_run_backward")
    assert [f["function"].rpartition(".")[2] for f in first["stack"]][-2:] == ["backward", "take"]
    assert [f["function"] for f in second["stack"]][-2:] == ["fail", "take"]
    assert second["main_stack"][-1]["function"].endswith(("join", "_wait_for_tstate_lock"))


def test_snapshot_off_keeps_the_facts_alone(step, cuda):
    lain = step(snapshot="off")
    done = lain.run(
        OOM + "torch.zeros(1, device='cuda'); print(torch._C._cuda_isHistoryEnabled())\nfail()", python=cuda
    )
    receipt = done.receipt
    assert (done.code, done.out) == (1, "False\n")
    assert receipt["recorder"]["state"] == "idle" and receipt["recorder"]["reason"] == "snapshot: off"
    assert receipt["oom_count"] == 1 and receipt["ooms"][0]["snapshot_error"] == "snapshot: off"
    assert receipt["devices"] and lain.snapshots() == []


@pytest.mark.parametrize(
    ("conf", "more"),
    [
        ("expandable_segments:True", ""),
        ("", "torch.cuda.set_per_process_memory_fraction(0.5)"),
        ("", "pool = torch.cuda.MemPool()\nwith torch.cuda.use_mem_pool(pool): kept = take(2)"),
    ],
)
def test_allocator_settings(conf, more, step, cuda):
    lain = step()
    env = {**device_env(), **({"PYTORCH_CUDA_ALLOC_CONF": conf} if conf else {})}
    done = lain.run(OOM + "torch.zeros(1, device='cuda')\n" + more + "\nfail()", python=cuda, env=env)
    assert done.theirs[-1].startswith("torch.OutOfMemoryError"), done.err
    (oom,) = done.receipt["ooms"]
    assert oom["history"] == "armed" and oom["snapshot"] in lain.snapshots()
    assert done.receipt["torch"]["alloc_conf"] == (conf or None)
    if "fraction" in more:
        assert oom["limit"] == oom["device_total"] // 2 == done.receipt["devices"][0]["limit"]


def test_arguments_reach_the_recorder_and_the_ring_is_bounded(step, cuda, tmp_path):
    """torch's own reader, in a process of its own, finds no more than max_entries and the failing request."""
    lain = step(max_entries=50)
    done = lain.run(OOM + "for _ in range(200): torch.empty(1000, device='cuda')\nfail()", python=cuda)
    (snapshot,) = lain.evidence.glob("*.pickle")
    reader = tmp_path / "reader.py"
    reader.write_text(
        "import pickle, sys, json\n"
        "trace = pickle.load(open(sys.argv[1], 'rb'))['device_traces'][0]\n"
        "oom = [e for e in trace if e['action'] == 'oom']\n"
        "print(json.dumps([len(trace), oom[-1]['size'], len(oom[-1]['frames'])]))\n"
    )
    read = run("", argv=[cuda, str(reader), str(snapshot)])
    assert read.out == "[50, 4294967296, 3]\n", read.err
    assert done.receipt["recorder"]["max_entries"] == 50


def test_the_programs_signal_handler_runs_during_a_dump(step, cuda):
    """A dump that takes long does not hold back a handler of the program, and what it raises is the program's."""
    lain = step()
    done = lain.run(
        OOM
        + textwrap.dedent("""
        import os, signal, threading
        real, handled = torch.cuda.memory._dump_snapshot, threading.Event()
        def slow(path, **kw):
            os.kill(os.getpid(), signal.SIGALRM)
            print("during the dump" if handled.wait(20) else "after it")
            real(path)
        torch.cuda.memory._dump_snapshot = slow
        class Alarm(Exception): pass
        def handler(*_):
            handled.set()
            raise Alarm
        signal.signal(signal.SIGALRM, handler)
        torch.zeros(1, device="cuda")
        try:
            fail()
        except Alarm:
            print("alarm")
        """),
        python=cuda,
    )
    assert (done.code, sorted(done.out.splitlines())) == (0, ["alarm", "during the dump"]), done.err
    assert done.ours == []
    assert done.receipt["ooms"][0]["snapshot"] in lain.snapshots(), "the exit waited for the dump under way"


def test_several_threads_at_once(step, cuda):
    lain = step(max_snapshots=4)
    done = lain.run(
        OOM
        + textwrap.dedent("""
        import threading
        gate = threading.Barrier(8)
        torch.zeros(1, device="cuda")
        def work():
            gate.wait()
            try:
                fail()
            except torch.OutOfMemoryError:
                pass
        threads = [threading.Thread(target=work) for _ in range(8)]
        [t.start() for t in threads]; [t.join() for t in threads]
        """),
        python=cuda,
    )
    assert (done.code, done.ours) == (0, []), done.err
    receipt = done.receipt
    assert receipt["oom_count"] == 8 and sorted(o["seq"] for o in receipt["ooms"]) == list(range(1, 9))
    assert len(lain.snapshots()) == 4 == len(receipt["snapshots"]) and receipt["snapshots_removed"] == 4
    assert sum(bool(o["snapshot"]) for o in receipt["ooms"]) == 4
    assert all(pathlib.Path(lain.evidence, o["snapshot"]).exists() for o in receipt["ooms"] if o["snapshot"])


RETRIES = """
import time, torch
keep = [[i] for i in range(100_000)]
model = torch.nn.Linear(64, 64).cuda()
spent = time.process_time()
for _ in range(40):
    try: torch.empty(1 << 40, device="cuda")
    except torch.OutOfMemoryError: pass
time.sleep(WAIT)
try: torch.empty(1 << 40, device="cuda")
except torch.OutOfMemoryError: pass
"""


@pytest.mark.parametrize("wait", (0, 4))
def test_a_loop_that_retries_is_looked_at_three_times_and_then_within_a_share_of_its_time(wait, step, cuda):
    lain = step(snapshot="off", cycles="warn", categories="census")
    done = lain.run(RETRIES.replace("WAIT", str(wait)), python=cuda)
    assert (done.code, done.ours) == (0, []), done.err
    looked = [bool(row["census"]["devices"]) for row in done.receipt["ooms"]]
    assert looked[:3] == [True] * 3 and looked[-1] is bool(wait)
    refused = next(row for row, yes in zip(done.receipt["ooms"], looked) if not yes)
    for look in (refused["census"]["cut"], refused["cycles"]["reason"]):
        assert look.startswith("not looked: the looks at earlier out-of-memory errors have used the time")
    assert [row["cycles"]["looks"] for row in done.receipt["ooms"]] == [int(yes) for yes in looked]


def test_a_thread_that_dies_of_it(step, cuda):
    lain = step()
    program = (
        OOM + "import threading, sys\nt = threading.Thread(target=fail)\nt.start(); t.join()\nprint('on')"
    )
    done, plain = lain.run(program, python=cuda), run(program, python=cuda)
    assert (done.code, done.out) == (plain.code, plain.out) == (0, "on\n")
    assert done.theirs == plain.theirs and "Exception in thread Thread-1 (fail):" in done.theirs
    receipt = done.receipt
    assert [(e["exception"], e["oom"]) for e in receipt["thread_ends"]] == [("torch.OutOfMemoryError", True)]
    assert receipt["end"]["kind"] == "exit" and receipt["end"]["oom"] is False


DEEP = """
import sys, torch
torch.zeros(1, device="cuda")
seen = {True: 0, False: 0}
def down(depth):
    if depth > 50:  # ours need less than that
        try:
            torch.empty(1 << 40, device="cuda")
        except BaseException as error:
            seen[type(error) is torch.OutOfMemoryError] += 1
    down(depth + 1)
sys.setrecursionlimit(120)
try:
    down(0)
except RecursionError:
    pass
sys.setrecursionlimit(1000)
print(seen[True], seen[False])
"""


@pytest.mark.parametrize(
    "config", ({}, {"snapshot": "off", "cycles": "warn", "categories": "census"}), ids=("snapshot", "looks")
)
def test_close_to_the_recursion_limit_an_out_of_memory_stays_one(config, step, cuda):
    """Where there is no room for a call of ours, the program gets its own error. In the very last frame, where not even
    our observer can be called, it cannot."""
    done, plain = step(**config).run(DEEP, python=cuda), run(DEEP, python=cuda)
    assert (done.code, done.theirs) == (plain.code, plain.theirs) == (0, [])
    (ours, others), (plain_ours, plain_others) = (map(int, each.out.split()) for each in (done, plain))
    assert ours + others == plain_ours + plain_others > 60 and others <= plain_others + 1
    assert done.receipt["recorder"]["state"] in ("disarmed", "idle") and done.receipt["oom_count"] > 45
