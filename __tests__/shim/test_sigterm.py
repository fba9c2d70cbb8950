"""SIGTERM in a program that leaves it alone: a snapshot, and a death as without us."""

import collections
import ctypes
import os
import pathlib
import signal
import struct
import subprocess
import textwrap
import time

import pytest
from _oom_autopsy import facts, sigterm, sigterm_native
from conftest import run
from test_ends import PRELUDE


class Started:
    """A program that has said `ready` and runs on."""

    def __init__(self, lain, python, program):
        self.process = subprocess.Popen(
            [python, "-c", program], env=lain.env(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
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
from _oom_autopsy import process, sigterm
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


HANDLERS = """
signal_of = lambda: signal.getsignal(signal.SIGTERM)
print("ready", signal_of() is signal.SIG_DFL, signal.set_wakeup_fd(-1))
"""


def test_the_programs_table_of_handlers_is_untouched(step, cuda):
    done = step(snapshot="always").run(PRELUDE + HANDLERS, python=cuda)
    assert done.out == "ready True -1\n", done.err


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
from _oom_autopsy import sigterm
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


def test_a_machine_that_refuses_an_executable_page_dies_at_once(step, cuda):
    """As SELinux's execmem does: by the kernel's own deny-write-execute, which is for good."""
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
    assert receipt["end"] is None or receipt["end"]["kind"] == "sigterm"  # an older kernel refuses nothing


MACHINES = tuple(sigterm_native.CODE)
CALLS = {
    "x86_64": {"getpid": 39, "write": 1, "rt_sigaction": 13, "kill": 62},
    "aarch64": {"getpid": 172, "write": 64, "rt_sigaction": 134, "kill": 129},
}


@pytest.mark.parametrize("machine", MACHINES)
def test_the_listing_is_what_a_disassembler_reads(machine):
    import capstone

    disassembler = {
        "x86_64": lambda: capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64),
        "aarch64": lambda: capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM),
    }[machine]()
    listing = sigterm_native.listing(machine)
    code = b"".join(row[0] for row in listing)
    assert len(code) <= sigterm_native.CONSTANTS
    read = [
        (bytes(row.bytes), f"{row.mnemonic} {row.op_str}".strip()) for row in disassembler.disasm(code, 0)
    ]
    assert read == listing


class Emulated:
    """The handler on an emulated processor; system calls are recorded, with what they were given."""

    PAGE, DATA, STACK, BACK, INFO = (0x7F0000000000 + (n << 32) for n in range(5))

    def __init__(self, machine, made_for, end):
        import unicorn
        from unicorn import arm64_const as arm
        from unicorn import x86_const as x86

        self.calls, self.names = [], {number: name for name, number in CALLS[machine].items()}
        if machine == "x86_64":
            self.cpu = unicorn.Uc(unicorn.UC_ARCH_X86, unicorn.UC_MODE_64)
            self.number, self.result = x86.UC_X86_REG_RAX, x86.UC_X86_REG_RAX
            self.given = [getattr(x86, f"UC_X86_REG_{name}") for name in ("RDI", "RSI", "RDX", "R10")]
            self.stack = x86.UC_X86_REG_RSP
            self.kept = [
                getattr(x86, f"UC_X86_REG_{name}") for name in ("RBX", "RBP", "R12", "R13", "R14", "R15")
            ]
            self.spoilt = [x86.UC_X86_REG_RCX, x86.UC_X86_REG_R11]  # by `syscall` itself
        else:
            self.cpu = unicorn.Uc(unicorn.UC_ARCH_ARM64, unicorn.UC_MODE_ARM)
            self.number, self.result = arm.UC_ARM64_REG_X8, arm.UC_ARM64_REG_X0
            self.given = [getattr(arm, f"UC_ARM64_REG_X{number}") for number in range(4)]
            self.stack = arm.UC_ARM64_REG_SP
            self.kept = [getattr(arm, f"UC_ARM64_REG_X{number}") for number in range(19, 30)]
            self.spoilt = []
        self.cpu.mem_map(self.PAGE, 4096, unicorn.UC_PROT_READ | unicorn.UC_PROT_EXEC)
        self.cpu.mem_write(self.PAGE, sigterm_native.page(machine, self.DATA))
        for place in (self.DATA, self.STACK, self.BACK, self.INFO):
            self.cpu.mem_map(place, 4096)
        self.cpu.mem_write(self.DATA, struct.pack("<Ii", made_for, end))
        top = self.STACK + 2048
        if machine == "x86_64":
            self.cpu.mem_write(top, struct.pack("<Q", self.BACK))
            self.cpu.hook_add(unicorn.UC_HOOK_INSN, self.call, None, 1, 0, x86.UC_X86_INS_SYSCALL)
        else:
            self.cpu.reg_write(arm.UC_ARM64_REG_X30, self.BACK)
            self.cpu.hook_add(unicorn.UC_HOOK_INTR, self.call)
        self.cpu.reg_write(self.stack, top)
        self.top = top + (8 if machine == "x86_64" else 0)

    def run(self, pid, code, sender):
        """What the handler calls in process `pid`, for a signal with this si_code and si_pid."""
        self.pid = pid
        for register in self.kept:
            self.cpu.reg_write(register, 0xABCD)
        self.cpu.mem_write(self.INFO, struct.pack("<iiiiI", 15, 0, code, 0, sender))
        for register, value in zip(self.given, (15, self.INFO, 0)):
            self.cpu.reg_write(register, value)
        self.cpu.emu_start(self.PAGE, self.BACK, count=100)
        assert self.cpu.reg_read(self.stack) == self.top
        assert {self.cpu.reg_read(register) for register in self.kept} == {0xABCD}
        return self.calls

    def call(self, *_):
        name = self.names[self.cpu.reg_read(self.number)]
        first, second, third, fourth = (self.cpu.reg_read(register) for register in self.given)
        self.calls.append(
            {
                "getpid": lambda: (name,),
                "write": lambda: (name, first, bytes(self.cpu.mem_read(second, third))),
                "rt_sigaction": lambda: (name, first, bytes(self.cpu.mem_read(second, 32)), third, fourth),
                "kill": lambda: (name, first, second),
            }[name]()
        )
        for register in self.spoilt:
            self.cpu.reg_write(register, 0x5B01)
        self.cpu.reg_write(self.result, self.pid if name == "getpid" else 0)


SI_USER, SI_TKILL, SI_KERNEL = 0, -6, 0x80
MADE_FOR = 4_000_000


def default(pid):
    return [("getpid",), ("rt_sigaction", 15, bytes(32), 0, 8), ("kill", pid, 15)]


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("made_for", "pid", "code", "sender", "calls"),
    [
        (MADE_FOR, MADE_FOR, SI_USER, 77, [("getpid",), ("write", 513, b"\0")]),
        (MADE_FOR, MADE_FOR, SI_TKILL, 77, [("getpid",), ("write", 513, b"\0")]),
        # Of the kernel, where the place of the sender means something else.
        (MADE_FOR, MADE_FOR, SI_KERNEL, MADE_FOR, [("getpid",), ("write", 513, b"\0")]),
        # From within, in a forked child, and removed.
        (MADE_FOR, MADE_FOR, SI_USER, MADE_FOR, default(MADE_FOR)),
        (MADE_FOR, MADE_FOR, SI_TKILL, MADE_FOR, default(MADE_FOR)),
        (MADE_FOR, MADE_FOR + 1, SI_USER, 77, [("getpid",), *default(MADE_FOR + 1)]),
        (0, MADE_FOR, SI_USER, 77, [("getpid",), *default(MADE_FOR)]),
        (0, MADE_FOR, SI_USER, 0, default(MADE_FOR)),
    ],
)
def test_what_the_handler_calls(machine, made_for, pid, code, sender, calls):
    assert Emulated(machine, made_for, 513).run(pid, code, sender) == calls


def test_a_child_forked_by_c_code_dies_of_its_own_sigterm(step, cuda):
    """Python's hooks after a fork do not run in it, and the handler's byte would have told the parent."""
    lain = step(snapshot="on-failure")
    forking = """
import ctypes
libc = ctypes.CDLL(None)
pid = libc.fork()
if pid == 0:
    libc.pause()
    libc._exit(3)
time.sleep(0.3)
os.kill(pid, signal.SIGTERM)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
    done = lain.run(PRELUDE + forking, python=cuda)
    assert (done.code, done.out) == (0, "-15\n"), done.err
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
def test_a_program_that_takes_signals_by_sigwait_gets_them(name, step, cuda, monkeypatch):
    """No thread of ours may be the only one that is open to them. (OpenBLAS's would be, without us.)"""
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        monkeypatch.setenv(variable, "1")
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


def test_only_descriptors_that_are_still_ours_are_closed(monkeypatch):
    ours, theirs = os.pipe()
    monkeypatch.setattr(sigterm, "_state", (os.getpid(), ((ours, sigterm._identity(ours)), (theirs, (0, 0)))))
    sigterm._close_ends()
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
{end}
print("ready", flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize(
    ("end", "kinds"),
    [
        ("", ["sigterm"]),
        # Removed while the library still calls us, as at the end of the program: the default, at once.
        ("from _oom_autopsy import sigterm; sigterm.remove()", []),
    ],
)
def test_under_the_handler_of_a_library(end, kinds, step, cuda, tmp_path):
    (tmp_path / "chains.c").write_text(CHAINS)
    library = tmp_path / "libchains.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, tmp_path / "chains.c"], check=True)
    lain = step(snapshot="on-failure")
    program = PRELUDE + UNDER.format(library=str(library), end=end)
    assert Started(lain, cuda, program).end(signal.SIGTERM) == (-15, "called", [])
    assert [one["end"]["kind"] for one in lain.receipts() if one["end"]] == kinds
