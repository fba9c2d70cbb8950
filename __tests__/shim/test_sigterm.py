"""SIGTERM in a program that leaves it alone: a snapshot, and a death as without us."""

import collections
import ctypes
import os
import pathlib
import signal
import subprocess
import textwrap
import time

import pytest
from _oom_autopsy import facts
from _oom_autopsy.signals import sigterm
from conftest import run
from test_ends import PRELUDE


class Started:
    """A program that has said `ready` and runs on."""

    def __init__(self, lain, python, program):
        self.process = lain.start(program, python=python)
        assert self.process.stdout.readline() == "ready\n", self.process.stderr.read()

    def end(self, number):
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=60)
        return (
            self.process.returncode,
            out,
            [line for line in err.splitlines() if line.startswith("oom-autopsy")],
        )


TERM = {
    "sleeping": "time.sleep(60)",
    # Holds no GIL and does not come back to Python for minutes.
    "in C": "import hashlib; hashlib.pbkdf2_hmac('sha256', b'x', b'y', 2_000_000_000)",
    "in Python": "\nwhile True: pass",
    "joining": "t = threading.Thread(target=time.sleep, args=(60,)); t.start(); t.join()",
}


@pytest.mark.parametrize("where", TERM)
def test_sigterm_kills_as_before_and_leaves_a_snapshot(where, step, cuda):
    lain = step(snapshot="on-failure")
    started = Started(lain, cuda, PRELUDE + "print('ready', flush=True)\n" + TERM[where])
    assert started.end(signal.SIGTERM) == (-15, "", [])
    (receipt,) = lain.receipts()
    assert receipt["end"]["kind"] == "sigterm" and receipt["recorder"]["disarm_proven"] is True
    assert [row["reason"] for row in receipt["snapshots"]] == ["sigterm"]
    assert len(lain.snapshots()) == 1 and lain.leftovers() == []


def test_the_program_does_not_run_on_while_the_snapshot_is_taken(step, cuda):
    lain = step(snapshot="on-failure")
    slow = """
real = torch.cuda.memory._dump_snapshot
def dump(path, **kw):
    time.sleep(1.5)
    real(path)
torch.cuda.memory._dump_snapshot = dump
print("ready", flush=True)
start = time.monotonic()
while True:
    time.sleep(0.05)
    print(time.monotonic() - start, flush=True)
"""
    code, out, ours = Started(lain, cuda, PRELUDE + slow).end(signal.SIGTERM)
    assert (code, ours) == (-15, [])
    assert len(out.splitlines()) < 15, "held within milliseconds, not after a second and a half"
    assert len(lain.snapshots()) == 1


NATIVE = """
import ctypes
libc = ctypes.CDLL(None)
# A thread that Python does not know, asleep for good.
libc.pthread_create(ctypes.byref(ctypes.c_ulong()), None, libc.pause, None)
print("ready", flush=True)
time.sleep(60)
"""


def test_a_thread_that_python_does_not_know_gets_the_signal(step, cuda):
    lain = step(snapshot="on-failure")
    started = Started(lain, cuda, PRELUDE + NATIVE)
    pid = started.process.pid
    tids = sorted(int(name) for name in os.listdir(f"/proc/{pid}/task"))
    native = [tid for tid in tids if "pause" in pathlib.Path(f"/proc/{pid}/task/{tid}/wchan").read_text()]
    tgkill = {"x86_64": 234, "aarch64": 131}[os.uname().machine]
    assert ctypes.CDLL(None).syscall(tgkill, pid, (native or tids)[-1], signal.SIGTERM) == 0
    assert started.process.wait(timeout=60) == -15
    (receipt,) = lain.receipts()
    assert receipt["end"]["kind"] == "sigterm"
    assert [row["reason"] for row in receipt["snapshots"]] == ["sigterm"]


def test_the_program_dies_though_our_work_waits_for_good(step, cuda):
    lain = step(snapshot="on-failure")
    locked = """
from _oom_autopsy import process
from _oom_autopsy.signals import sigterm
sigterm.PATIENCE_S = 2.0
def hold():
    with process.mine().lock:
        time.sleep(600)
threading.Thread(target=hold, daemon=True).start()
time.sleep(0.2)
print("ready", flush=True)
time.sleep(60)
"""
    assert Started(lain, cuda, PRELUDE + locked).end(signal.SIGTERM) == (-15, "", [])


# As PyTorch Lightning does: it calls whatever it finds in its own handler, and would have died where it meant to go on.
CHAINING = """
found = signal.getsignal(signal.SIGTERM)
print(found is signal.SIG_DFL, found in (None, signal.SIG_DFL), callable(found))
def handler(number, frame):
    print("asked to end")
    if callable(found):
        found(number, frame)
saved = signal.signal(signal.SIGTERM, handler)
print(saved is signal.SIG_DFL)
os.kill(os.getpid(), signal.SIGTERM)
signal.signal(signal.SIGTERM, saved)
print("in order", signal.getsignal(signal.SIGTERM) is signal.SIG_DFL, flush=True)
os.kill(os.getpid(), signal.SIGTERM)
"""


def test_a_program_that_asks_finds_the_default(step, cuda):
    lain = step(snapshot="on-failure")
    plain, ours = both(lain, cuda, CHAINING)
    assert plain == ours == (-15, "True True False\nTrue\nasked to end\nin order True\n")
    assert lain.snapshots() == [], "it has set the default itself"


@pytest.mark.parametrize("when", ("before", "after"))
def test_a_handler_of_the_program_stays_the_only_one(when, step, cuda):
    lain = step(snapshot="on-failure")
    own = "\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(7))\n"
    head, tail = PRELUDE.split("x = ")
    program = head + own + "x = " + tail if when == "before" else PRELUDE + own
    started = Started(lain, cuda, program + "print('ready', flush=True)\ntime.sleep(60)")
    assert started.end(signal.SIGTERM)[0] == 7
    (receipt,) = lain.receipts()
    assert receipt["end"]["kind"] == "exit" and receipt["snapshots"] == []


def test_ignored_sigterm_stays_ignored(step, cuda):
    lain = step(snapshot="on-failure")
    program = PRELUDE.replace("x = ", "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nx = ")
    done = lain.run(program + "os.kill(os.getpid(), signal.SIGTERM); print('alive')", python=cuda)
    assert (done.code, done.out) == (0, "alive\n")


def test_a_forked_child_dies_of_its_own_sigterm(step, cuda):
    """The child has the handler's pipe but not our thread: without care it would not die, and the parent
    would."""
    lain = step(snapshot="on-failure")
    done = lain.run(
        PRELUDE
        + textwrap.dedent("""
        import multiprocessing
        child = multiprocessing.get_context("fork").Process(target=time.sleep, args=(60,))
        child.start(); time.sleep(0.3); child.terminate(); child.join(10)
        print(child.exitcode)
        """),
        python=cuda,
    )
    assert (done.code, done.out) == (0, "-15\n"), done.err
    assert done.receipt["end"]["kind"] == "exit" and lain.snapshots() == []


def test_no_handler_by_default(step, cuda):
    masks = "print([l for l in open('/proc/self/status') if l.startswith('SigCgt')])"
    done, plain = (run(PRELUDE + masks, python=cuda, step=s) for s in (step(), None))
    assert done.out == plain.out and "SigCgt" in done.out


STARTING = """
import sys
sys.path.insert(0, sys.argv[1])
import threading, time
from _oom_autopsy.signals import sigterm
sigterm.install(lambda: sum(range(20_000)))
print("ready", flush=True)
{work}
"""
WORK = {
    # The kernel gives the signal to a thread that Python does not know yet, while main has all signals blocked in clone().
    "starting a thread": "t = threading.Thread(target=time.sleep, args=(60,)); t.start(); t.join()",
    "starting threads": "while True: threading.Thread(target=int).start()",
    "starting processes": "import subprocess\nwhile True: subprocess.run(['true'])",
}


@pytest.mark.parametrize("work", WORK)
@pytest.mark.parametrize("count", (40, pytest.param(2000, marks=pytest.mark.soak)))
def test_no_signal_is_lost_and_no_program_dies_of_another(count, work, cuda):
    """With faulthandler's handler for all threads, 49 of 1,000 of the first died of SIGSEGV."""
    program, ends, at_once = STARTING.format(work=WORK[work]), collections.Counter(), []

    def reap(process):
        with process:
            ends[process.wait(timeout=60)] += 1

    for _ in range(count):
        arguments = [cuda, "-S", "-c", program, os.path.dirname(facts.OURS)]
        process = subprocess.Popen(arguments, stdout=subprocess.PIPE)
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGTERM)
        at_once.append(process)
        if len(at_once) == 6:
            reap(at_once.pop(0))
    for process in at_once:
        reap(process)
    assert ends == {-15: count}


def test_a_program_that_closes_all_descriptors_lives_on_and_dies_as_without_us(step, cuda):
    lain = step(snapshot="on-failure")
    closing = """
os.closerange(3, 4096)
time.sleep(0.3)
print("ready", flush=True)
time.sleep(60)
"""
    assert Started(lain, cuda, PRELUDE + closing).end(signal.SIGTERM) == (-15, "", [])


def test_an_exit_that_hangs_in_c_dies_of_sigterm(step, cuda):
    """After Python's end no thread of ours would wake."""
    lain = step(snapshot="on-failure")
    hang = """
import ctypes
libc = ctypes.CDLL(None)
libc.on_exit(libc.pause, None)
print("ready", flush=True)
"""
    started = Started(lain, cuda, PRELUDE + hang)
    for _ in range(600):
        if lain.receipts()[0]["end"] is not None:
            break
        time.sleep(0.1)
    time.sleep(1)  # the interpreter's end, and into pause()
    assert started.end(signal.SIGTERM) == (-15, "", [])
    assert lain.receipts()[0]["end"]["kind"] == "exit"


def test_a_machine_that_refuses_executable_pages_gets_its_snapshot(step, cuda):
    """As SELinux's execmem does: by the kernel's own deny-write-execute, which is for good. Nothing here makes code."""
    lain = step(snapshot="on-failure")
    refuse = """
import ctypes
# PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN: Linux 6.3
refused = ctypes.CDLL(None, use_errno=True).prctl(65, 1, 0, 0, 0) == 0
"""
    head, tail = PRELUDE.split("x = ")
    started = Started(
        lain, cuda, head + refuse + "x = " + tail + "print('ready', flush=True); time.sleep(60)"
    )
    assert started.end(signal.SIGTERM) == (-15, "", [])
    (receipt,) = lain.receipts()
    assert receipt["end"]["kind"] == "sigterm" and len(lain.snapshots()) == 1


FORKED_BY_C = """
import ctypes, hashlib
libc = ctypes.CDLL(None)
pid = libc.fork()
if pid == 0:
    {child}
    libc._exit(3)
time.sleep(0.3)
os.kill(pid, signal.SIGTERM)
time.sleep(1.5)
done, status = os.waitpid(pid, os.WNOHANG)
os.kill(pid, signal.SIGKILL) if done == 0 else None
print(os.waitstatus_to_exitcode(status) if done else "alive")
"""


@pytest.mark.parametrize(
    ("child", "out"),
    [
        ("libc.pause()", "-15\n"),
        # What Python does not come back from, outlives SIGTERM there: docs/faults.md.
        ("hashlib.pbkdf2_hmac('sha256', b'x', b'y', 2_000_000_000)", "alive\n"),
    ],
)
def test_a_child_forked_by_c_code(child, out, step, cuda):
    """Python's hooks after a fork do not run in it, and the byte that its handler writes would have told the parent."""
    lain = step(snapshot="on-failure")
    done = lain.run(PRELUDE + FORKED_BY_C.format(child=child), python=cuda)
    assert (done.code, done.out) == (0, out), done.err
    assert done.receipt["end"]["kind"] == "exit" and lain.snapshots() == []


def both(lain, python, program):
    """(exit code, output) of a program without us and with us."""
    plain, ours = (run(PRELUDE + program, python=python, step=step) for step in (None, lain))
    assert ours.ours == [], ours.err
    return (plain.code, plain.out), (ours.code, ours.out)


def test_a_signal_to_itself_is_over_before_the_next_instruction(step, cuda):
    plain, ours = both(
        step(snapshot="on-failure"), cuda, "os.kill(os.getpid(), signal.SIGTERM); print('after'); os._exit(3)"
    )
    assert plain == ours == (-15, "")


TAKES = """
taken = {{signal.SIGTERM, signal.{name}}}
signal.pthread_sigmask(signal.SIG_BLOCK, taken)
import subprocess
subprocess.run(["kill", "-{short}", str(os.getpid())])
print("took", signal.sigtimedwait(taken, 20).si_signo)
"""


@pytest.mark.parametrize("name", ("SIGTERM", "SIGUSR1"))
def test_a_program_that_takes_signals_by_sigwait_gets_them(name, step, cuda):
    """No thread of ours may be the only one that is open to them. (OpenBLAS's would be, which a fork has not.)"""
    program = TAKES.format(name=name, short=name[3:])
    plain, ours = both(step(snapshot="on-failure"), cuda, program)
    assert plain == ours == (0, f"took {int(getattr(signal, name))}\n")


CHAINED = """
import faulthandler
faulthandler.register(signal.SIGTERM, file=open(os.devnull, "w"), chain=True)
print("ready", flush=True)
time.sleep(60)
"""


def test_a_handler_that_calls_ours_dies_at_the_first_signal(step, cuda):
    assert Started(step(snapshot="on-failure"), cuda, PRELUDE + CHAINED).end(signal.SIGTERM)[0] == -15


REUSED = """
import pathlib
os.closerange(3, 256)
mine = [open(os.devnull) for _ in range(60)]
time.sleep(0.3)
child = os.fork()
if child == 0:
    for one in mine:
        os.fstat(one.fileno())
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
os._exit(0)
"""


def test_descriptors_that_the_program_got_again_are_its_own(step, cuda):
    plain, ours = both(step(snapshot="on-failure"), cuda, REUSED)
    assert plain == ours == (0, "0\n")


def test_the_init_of_a_pid_namespace_ignores_sigterm_as_without_us(step, cuda):
    """`docker run python …`: the kernel drops signals that it has no handler for."""
    within = ["unshare", "--pid", "--fork", "--mount-proc"]
    if subprocess.run([*within, "true"], capture_output=True).returncode != 0:
        pytest.skip("skipped: no pid namespace can be made here")
    lain = step(snapshot="on-failure")
    ticking = """
print("ready", flush=True)
start = last = time.monotonic()
longest = 0
while last - start < 3:
    time.sleep(0.05)
    now = time.monotonic()
    last, longest = now, max(longest, now - last)
print("held" if longest > 2 else "went on")
"""
    argv = [*within, cuda, "-c", PRELUDE + ticking]
    process = subprocess.Popen(argv, env=lain.env(), stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    (init,) = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    os.kill(int(init), signal.SIGTERM)
    assert process.communicate(timeout=90)[0] == "went on\n"
    (receipt,) = lain.receipts()
    assert receipt["end"]["kind"] == "exit" and receipt["recorder"]["disarm_proven"] is True


def test_init_is_never_given_a_handler(monkeypatch):
    monkeypatch.setattr(os, "getpid", lambda: 1)
    assert sigterm.default_disposition("Name:\tx\n") is False


def test_only_descriptors_that_are_still_ours_are_closed():
    ours, theirs = os.pipe()
    state = sigterm._State(None, None, (ours, theirs))
    state.ends[1] = (theirs, (0, 0))
    sigterm._undo(state)
    os.close(theirs)
    with pytest.raises(OSError, match="Bad file"):
        os.fstat(ours)


CHAINS = """
#include <signal.h>
#include <unistd.h>
static struct sigaction before;
static void chain(int number, siginfo_t *info, void *context) {
    write(1, "called", 6);
    if (before.sa_flags & SA_SIGINFO) before.sa_sigaction(number, info, context);
    else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) before.sa_handler(number);
}
void take(void) {
    struct sigaction mine = {0};
    mine.sa_sigaction = chain;
    mine.sa_flags = SA_SIGINFO;
    sigaction(SIGTERM, &mine, &before);
}
"""
UNDER = """
import ctypes
ctypes.CDLL({library!r}).take()
print("ready", flush=True)
time.sleep(60)
"""


def test_under_the_handler_of_a_library(step, cuda, tmp_path):
    (tmp_path / "chains.c").write_text(CHAINS)
    library = tmp_path / "libchains.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, tmp_path / "chains.c"], check=True)
    lain = step(snapshot="on-failure")
    program = PRELUDE + UNDER.format(library=str(library))
    assert Started(lain, cuda, program).end(signal.SIGTERM) == (-15, "called", [])
    assert [one["end"]["kind"] for one in lain.receipts() if one["end"]] == ["sigterm"]


AT_ONCE = """
import multiprocessing
context = multiprocessing.get_context("fork")
codes = set()
for _ in range({count}):
    child = context.Process(target=time.sleep, args=(60,))
    child.start(); child.terminate(); child.join(20)
    codes.add(child.exitcode)
    child.kill()
print(codes)
"""


@pytest.mark.parametrize("count", (40, pytest.param(1000, marks=pytest.mark.soak)))
def test_children_that_are_told_to_end_before_they_have_begun(count, step, cuda):
    """Python forgets the signals that came between the fork and its first hook: without care 31 of 40 lived on."""
    done = step(snapshot="on-failure").run(PRELUDE + AT_ONCE.format(count=count), python=cuda, timeout=600)
    assert (done.code, done.out) == (0, "{-15}\n"), done.err


def test_a_call_that_keeps_the_gil_ends_first(step, cuda):
    """The limit of a handler in Python (docs/faults.md): the death comes when the call is over, before anything else."""
    lain = step(snapshot="on-failure")
    holding = """
import ctypes
hold = ctypes.PyDLL(None).usleep
print("ready", flush=True)
hold(2_000_000)
print("after", flush=True)
"""
    assert Started(lain, cuda, PRELUDE + holding).end(signal.SIGTERM) == (-15, "", [])
    assert len(lain.snapshots()) == 1


HEAD, USE = PRELUDE.split("x = ")
NOTHING_IS_SET = {
    # There Python sets no handler.
    "another thread": "t = threading.Thread(target=lambda: torch.zeros(1, device='cuda')); t.start(); t.join()",
    # It warns when it finds the wakeup descriptor taken.
    "trio": "sys.modules['trio'] = type(sys)('trio'); torch.zeros(1, device='cuda')",
}
LOOP = """
import asyncio
async def main():
    loop = asyncio.get_running_loop()
    asked = asyncio.Event()
    loop.add_signal_handler(signal.SIGUSR1, asked.set)
    {early}
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGUSR1)).start()
    await asyncio.wait_for(asked.wait(), 20)
    print("ready", flush=True)
    await asyncio.sleep(60)
{late}
asyncio.run(main())
"""


@pytest.mark.parametrize("why", NOTHING_IS_SET)
def test_where_nothing_is_set_sigterm_kills_as_without_us(why, step, cuda):
    lain = step(snapshot="on-failure")
    program = HEAD + NOTHING_IS_SET[why] + "\nprint('ready', flush=True)\ntime.sleep(60)"
    assert Started(lain, cuda, program).end(signal.SIGTERM) == (-15, "", [])
    (receipt,) = lain.receipts()
    assert receipt["recorder"]["state"] == "armed" and receipt["end"] is None and lain.snapshots() == []


@pytest.mark.parametrize(("early", "snapshots"), [(True, 0), (False, 1)])
def test_asyncio_gets_its_signals(early, snapshots, step, cuda):
    """By the wakeup descriptor: where it is asyncio's we keep away; where it was ours, the handler goes on by itself."""
    lain = step(snapshot="on-failure")
    use = "x = " + USE.splitlines()[0]
    program = HEAD + LOOP.format(early=use if early else "", late="" if early else use)
    assert Started(lain, cuda, program).end(signal.SIGTERM) == (-15, "", [])
    assert len(lain.snapshots()) == snapshots


TICKING = """
ticks = 0
def tick(number, frame):
    global ticks
    ticks += 1
signal.signal(signal.SIGALRM, tick)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
while ticks < 500:
    sum(range(1000))
print("ready", flush=True)
while True:
    sum(range(1000))
"""


def test_other_signals_wake_us_for_nothing(step, cuda):
    lain = step(snapshot="on-failure")
    assert Started(lain, cuda, PRELUDE + TICKING).end(signal.SIGTERM) == (-15, "", [])
    assert [row["reason"] for row in lain.receipts()[0]["snapshots"]] == ["sigterm"]


RANK = """
import os, time
import torch
import torch.distributed as dist
dist.init_process_group("gloo")
torch.zeros(1, device="cuda")
dist.barrier()
if dist.get_rank() == 1:
    time.sleep(1)
    torch.empty(1 << 40, dtype=torch.uint8, device="cuda")
dist.distributed_c10d._get_default_store().wait(["never"])
"""


def test_a_rank_that_waits_in_c_and_is_ended_by_torchrun(step, cuda, tmp_path):
    """Its main thread is in C++ that has let go of the GIL, as in a collective, and does not come back to Python."""
    script = tmp_path / "rank.py"
    script.write_text(RANK)
    lain = step(snapshot="on-failure")
    argv = [cuda, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", str(script)]
    done = lain.run("", argv=argv, timeout=300)
    assert done.code == 1 and done.ours == [], done.err[-2000:]
    ranks = {receipt["rank"].get("RANK"): receipt for receipt in done.receipts}
    assert (ranks["0"]["end"]["kind"], ranks["1"]["end"]["oom"]) == ("sigterm", True)
    reasons = {rank: [row["reason"] for row in ranks[rank]["snapshots"]] for rank in "01"}
    assert reasons == {"0": ["sigterm"], "1": ["oom"]}
