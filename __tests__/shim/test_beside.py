"""What other threads of the program do while we look at an out-of-memory: they must not be able to tell."""

import pytest

LOOKS = {"categories": "census", "cycles": "warn"}
PRELUDE = """
import faulthandler, gc, os, sys, threading, time
import torch
x = torch.zeros(1, device="cuda")
faulthandler.dump_traceback_later(60, exit=True)
def oom():
    try: torch.empty(1 << 40, dtype=torch.uint8, device="cuda")
    except torch.OutOfMemoryError: pass
"""

# A node that holds 1,000 SavedTensors frees them when a backward pass releases it.
TRAINS = """
class Many(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(*[x + i for i in range(1000)])
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g * 2
stop = False
def train():
    w = torch.ones(16, requires_grad=True)
    while not stop:
        y = w
        for _ in range(10):
            y = Many.apply(y)
        time.sleep(0.1)
        y.sum().backward()
torch.set_num_threads(1)
t = threading.Thread(target=train); t.start()
end = time.monotonic() + {seconds}
while time.monotonic() < end:
    oom(); time.sleep(0.02)
stop = True; t.join()
print("fine", flush=True)
os._exit(0)  # the stand-in's torch aborts now and then at an exit after a backward pass, with us and without
"""


@pytest.mark.parametrize("seconds", (8, pytest.param(50, marks=pytest.mark.soak)))
def test_a_thread_that_trains_lives(seconds, step, cuda):
    """3 of 4 programs died of SIGSEGV within 25 s."""
    lain = step(snapshot="off", categories="census")
    done = lain.run(PRELUDE + TRAINS.replace("{seconds}", str(seconds)), python=cuda)
    assert (done.code, done.out) == (0, "fine\n"), done.err
    cuts = {str(one["census"]["cut"]) for one in done.receipt["ooms"] if one["census"]}
    assert any(cut.startswith("not looked: another thread runs PyTorch code (<string>:") for cut in cuts), (
        cuts
    )


SERVES = """
keep = [[i] for i in range(300_000)]
stop, failed = False, 0
def serve():
    global failed
    while not stop:
        try:
            y = torch.empty(160 << 20, dtype=torch.uint8, device="cuda")
            time.sleep(0.02)
            del y
        except torch.OutOfMemoryError:
            failed += 1
        time.sleep(0.001)
t = threading.Thread(target=serve); t.start()
for _ in range(4):
    time.sleep(0.2)
    oom()
stop = True; t.join()
print(failed)
"""


def test_a_thread_that_serves_runs_out_no_more_often(step, cuda):
    """What it freed stayed for as long as we held it: one failed request for each look."""
    done = step(**LOOKS).run(PRELUDE + SERVES, python=cuda)
    assert (done.code, done.out) == (0, "0\n"), done.err


FINALIZES = """
keep = [[i] for i in range(300_000)]
lock, stop = threading.Lock(), False
class Handle:
    def __del__(self):
        with lock: pass
def work():
    while not stop:
        h = Handle(); {wait}; del h
t = threading.Thread(target=work); t.start()
for _ in range(5):
    time.sleep(0.05)
    with lock:
        oom()
stop = True; t.join()
print("fine")
"""


@pytest.mark.parametrize("wait", ("time.sleep(0.15)", "threading.Event().wait(0.15)"))
def test_a_finalizer_takes_the_lock_that_is_held_at_the_out_of_memory(wait, step, cuda):
    """Its object would have lived on in our list, and have died on the thread that holds the lock."""
    done = step(categories="census").run(PRELUDE + FINALIZES.replace("{wait}", wait), python=cuda)
    assert (done.code, done.out) == (0, "fine\n"), done.err


WAITS = """
model = torch.nn.Linear(256, 256).cuda()
ready, done = threading.Event(), threading.Event()
t = threading.Thread(target=lambda: (ready.set(), done.wait(60)), daemon=True); t.start(); ready.wait()
oom()
done.set()
"""


def test_a_thread_that_waits_keeps_nobody_from_looking(step, cuda):
    (oom,) = step(**LOOKS).run(PRELUDE + WAITS, python=cuda).receipt["ooms"]
    assert oom["census"]["complete"] is True, oom["census"]["cut"]


FORKS = """
keep = [[i] for i in range(300_000)]
go = threading.Event()
def forks():
    go.wait(); off = 0
    for _ in range(20):
        child = os.fork()
        if child == 0: os._exit(0 if gc.isenabled() else 1)
        off += os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(off, flush=True)
t = threading.Thread(target=forks); t.start(); go.set()
while t.is_alive():
    oom(); time.sleep(0.05)
print(gc.isenabled())
"""


def test_a_child_forked_meanwhile_has_its_collector(step, cuda):
    done = step(**LOOKS).run(PRELUDE + FORKS, python=cuda)
    assert (done.code, done.out) == (0, "0\nTrue\n"), done.err


STUCK = """
torch.cuda.memory._dump_snapshot = lambda *_, **__: time.sleep(40)
oom()
print(gc.isenabled(), flush=True)
os._exit(0)
"""


def test_the_collector_is_on_again_though_a_snapshot_is_stuck(step, cuda):
    done = step(dump_deadline_s=1, **LOOKS).run(PRELUDE + STUCK, python=cuda)
    assert (done.code, done.out) == (0, "True\n"), done.err


@pytest.mark.parametrize("enabled", ("gc.enable()", "gc.disable()"))
def test_a_collector_that_was_off_stays_off(enabled, step, cuda):
    done = step(**LOOKS).run(f"{PRELUDE}\n{enabled}\noom()\nprint(gc.isenabled())", python=cuda)
    assert done.out == f"{enabled == 'gc.enable()'}\n", done.err
