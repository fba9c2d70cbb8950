"""The program's outcome is its own: exit code, output, files, numbers and collections, with and without the
shim."""

import random
import re
import signal
import subprocess

import pytest
from conftest import PLAIN, Step, environment, run

# Kinds of programs, from which random ones are built. Each piece is whole statements, prints only what is
# the same in every run, and leaves `torch` importable. {n} is a small number.
STARTS = [
    "",
    "import torch",
    "import importlib.util; print(importlib.util.find_spec('torch') is not None)",
    "import threading\nt = threading.Thread(target=__import__, args=('torch',)); t.start(); t.join()",
    "import os; os.environ['TINY_TORCH'] = 'broken'\ntry: import torch\nexcept RuntimeError as e: print(e)\n"
    "os.environ['TINY_TORCH'] = ''",
    "import sys; sys.path[:] = [p for p in sys.path if 'autopsy' not in p]",
    "import os; os.chdir(os.curdir)",
    "import os; os.environ.pop('PYTHONPATH', None); import torch",
    "import warnings; warnings.simplefilter('error'); import torch",
    "import sys; sys.excepthook = lambda k, e, t: print('hook', k.__name__)",
    "import gc; gc.disable(); import torch; print(gc.isenabled(), gc.get_threshold())",
    "import sys; sys.setrecursionlimit(200); import torch",
    "import builtins; builtins.print = print; import torch",
    "import sys; sys.stdout.reconfigure(line_buffering=True); import torch",
    "import json, os; open('early.txt', 'w').write('x'); import torch",
    "import sys\nsys.settrace(lambda *a: None); import torch; sys.settrace(None)",
    "import torch, importlib; importlib.reload(torch)",
]
MIDDLES = [
    "for _ in range({n}):\n    try: torch.cuda.allocate(5000)\n    except torch.OutOfMemoryError as e: print(e, e.__context__)",
    "print(torch.cuda.allocate({n}))",
    "torch.cuda.memory._record_memory_history(max_entries={n}); print(torch._C.state['on'])",
    "torch.cuda.init(); torch.cuda.memory._record_memory_history(enabled=None); print(torch._C.state['on'])",
    "torch.cuda.memory._dump_snapshot('own.pickle'); print(len(open('own.pickle', 'rb').read()))",
    "torch._C._cuda_attach_out_of_memory_observer(lambda *a: print('observer', a))",
    "import atexit; atexit.register(print, 'at exit', {n})",
    "import atexit; atexit.register(lambda: 1 / 0)",
    "open('file-{n}.txt', 'a').write('line\\n')",
    "import threading\nt = threading.Thread(target=lambda: 1 / 0, name='dies'); t.start(); t.join()",
    "import threading\nt = threading.Thread(target=torch.cuda.allocate, args=(9999,), name='oom'); t.start(); t.join()",
    "import os, sys\nsys.stdout.flush()\npid = os.fork()\nif pid == 0:\n    print('child', flush=True); os._exit({n})\n"
    "print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))",
    "import os, sys\nsys.stdout.flush()\npid = os.fork()\nif pid == 0:\n    sys.exit({n})\n"
    "print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))",
    "import os, sys\nsys.stdout.flush()\npid = os.fork()\nif pid == 0:\n    torch.cuda.allocate(9999)\n"
    "print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))",
    "import subprocess, sys\n"
    "print(subprocess.run([sys.executable, '-c', 'import torch; torch.cuda.allocate({n})'], capture_output=True))",
    "import subprocess, sys\nprint(subprocess.run([sys.executable, '-I', '-c', 'print({n})'], capture_output=True))",
    "import multiprocessing\np = multiprocessing.get_context('fork').Process(target=torch.cuda.allocate, args=(9999,), name='p')\n"
    "p.start(); p.join(); print(p.exitcode)",
    "import multiprocessing\nwith multiprocessing.get_context('fork').Pool(2) as pool: print(pool.map(abs, [-1, {n}]))",
    "import signal; signal.signal(signal.SIGTERM, lambda *_: print('term')); signal.raise_signal(signal.SIGTERM)",
    "import signal; print(signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT))",
    "import warnings; warnings.warn('careful {n}')",
    "import sys; print('stderr {n}', file=sys.stderr)",
    "import gc; print(gc.collect() >= 0, gc.get_debug(), gc.callbacks)",
    "import sys, io; sys.stderr = io.StringIO()",
    "import threading; print(threading.active_count(), threading.main_thread().name)",
    "import os; print(oct(os.umask(0o22)), os.getcwd() == os.path.realpath(os.curdir))",
    "import asyncio; asyncio.run(asyncio.sleep(0)); print('loop')",
    "import locale, time; print(time.tzname == time.tzname)",
    "import contextlib\nwith contextlib.suppress(torch.OutOfMemoryError): torch.cuda.allocate(9999)",
    "class A:\n    def __del__(self): print('deleted {n}')\na = A(); a.me = a",
]
ENDINGS = [
    "",
    "print('end')",
    "import sys; sys.exit({n})",
    "import sys; sys.exit('message')",
    "raise ValueError('uncaught {n}')",
    "torch.cuda.allocate(9999)",
    "import os; os._exit({n})",
    "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    # Asleep, not at its end: where we take a snapshot first, the program may run on for some milliseconds.
    "import os, signal, time; os.kill(os.getpid(), signal.SIGTERM); time.sleep(30)",
    "import os, signal; os.kill(os.getpid(), signal.SIGINT)",
    "import os; os.abort()",
    "import sys\ntry: torch.cuda.allocate(9999)\nexcept Exception: sys.exit(1)",
    "try: torch.cuda.allocate(9999)\nexcept Exception as e: raise RuntimeError('wrapped') from e",
    "def f(): f()\nf()",
    "import os, sys; sys.stdout.flush(); os.execv(sys.executable, [sys.executable, '-c', 'print(\"next\"); import torch'])",
]
FLAGS = [
    [],
    [],
    [],
    ["-u"],
    ["-B"],
    ["-O"],
    ["-W", "error"],
    ["-X", "dev"],
    ["-bb"],
    ["-X", "utf8"],
    ["-P"],
    ["-s"],
]


def a_program(seed):
    """(flags, source, config) of one random program."""
    rng = random.Random(seed)
    pieces = [
        rng.choice(STARTS),
        "import torch",
        *rng.sample(MIDDLES, rng.randint(1, 5)),
        rng.choice(ENDINGS),
    ]
    source = "\n".join(piece.replace("{n}", str(rng.randint(1, 9))) for piece in pieces if piece)
    config = {
        "snapshot": rng.choice(["on-oom", "on-failure", "always", "off"]),
        "max_snapshots": rng.choice([1, 2, 3]),
        "stacks": rng.choice(["python", "all"]),
    }
    return rng.choice(FLAGS), source, config


def outcome(done, folder):
    """What must be the same: exit code, output, stderr less our lines, files."""
    err = [line for line in done.err.splitlines() if not line.startswith("oom-autopsy:")]
    out, err = (re.sub(r"\b0x[0-9a-f]{6,}", "0x", text) for text in (done.out, "\n".join(err)))
    return done.code, out, err, {p.name: p.read_bytes() for p in sorted(folder.iterdir())}


def both(seed, python, tmp_path, source=None):
    """Runs a program twice, in folders of the same name; returns the two outcomes and the step."""
    flags, made, config = a_program(seed)
    root = tmp_path / f"step-{seed}"
    root.mkdir()
    lain = Step(root, **{**PLAIN, **config})
    results = []
    for step in (lain, None):
        folder = tmp_path / ("with" if step else "without") / f"work-{seed}"
        folder.mkdir(parents=True)
        script = tmp_path / f"program-{seed}.py"
        script.write_text(source or made)
        done = run("", argv=[str(python), *flags, str(script)], step=step, tiny=True, cwd=folder)
        results.append(outcome(done, folder))
    return (*results, lain, (flags, made, config))


def check(seeds, python, tmp_path):
    for seed in seeds:
        shim, plain, lain, what = both(seed, python, tmp_path)
        assert shim == plain, what
        assert lain.leftovers() == [], what
        lain.receipts()


@pytest.mark.parametrize("part", range(4))
def test_random_programs(part, cpu, tmp_path):
    check(range(part * 10, part * 10 + 10), cpu, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("part", range(40))
def test_many_random_programs(part, cpu, tmp_path):
    check(range(1000 + part * 10, 1010 + part * 10), cpu, tmp_path)


def test_every_kind_is_a_program(cpu, tmp_path):
    """Each piece alone runs as it is meant to: a piece with a typo would compare two equal failures."""
    failing = ("allocate(9999)", "1 / 0", "raise ", "f()", "exit", "_exit", "kill", "abort")
    for piece in [*STARTS, *MIDDLES]:
        source = f"import torch\n{piece.replace('{n}', '1')}" if piece in MIDDLES else piece
        if "stderr" in piece or any(word in piece for word in failing):
            continue
        done = run(source, python=cpu, tiny=True, cwd=tmp_path)
        assert done.code == 0, (piece, done.err)


TRAINING = """
import gc, hashlib, sys
import torch
torch.manual_seed(0); torch.set_num_threads(1)
gc.collect()
before = [generation["collections"] for generation in gc.get_stats()]
model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 8))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
losses = []
for step in range(20):
    x = torch.randn(16, 32)
    loss = torch.nn.functional.cross_entropy(model(x), torch.randint(0, 8, (16,)))
    optimizer.zero_grad(); loss.backward(); optimizer.step()
    losses.append(loss.item())
    junk = [[n] for n in range(3000)]
digest = hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters()))
after = [generation["collections"] for generation in gc.get_stats()]
print(digest.hexdigest(), [loss.hex() for loss in losses], [b - a for a, b in zip(before, after)])
print(torch.initial_seed(), torch.randn(1).item().hex())
"""


@pytest.mark.parametrize("config", ({}, {"cycles": "warn", "categories": "census", "snapshot": "always"}))
def test_training_is_bit_equal_and_collects_as_often(config, step, cpu):
    ahead = [
        "torch._dynamo"
    ]  # compiled, in a new environment, where that would collect more often in a first run
    shim, plain = (run(TRAINING, python=cpu, step=s, ahead=ahead) for s in (step(**config), None))
    assert (shim.code, shim.out, shim.err) == (plain.code, plain.out, plain.err)
    assert plain.code == 0 and re.match(r"[0-9a-f]{64} \[.*\] \[\d{2,}, \d+, \d+\]\n", plain.out), plain.out


ON_A_DEVICE = """
import gc, sys
import torch
import torch.optim
torch.manual_seed(0)
gc.collect()
before = [generation["collections"] for generation in gc.get_stats()]
model = torch.nn.Linear(16, 16).to("cuda")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for step in range(20):
    loss = model(torch.ones(4, 16, device="cuda")).sum()
    optimizer.zero_grad(); loss.backward(); optimizer.step()
    junk = [[n] for n in range(3000)]
print([b["collections"] - a for a, b in zip(before, gc.get_stats())][1:])
print(torch.cuda.memory_allocated(), torch.cuda.max_memory_allocated(), torch.cuda.memory_stats()["num_alloc_retries"])
"""


def test_the_devices_memory_is_the_same(step, cuda):
    """Armed, the allocator gives out the same bytes at the same times."""
    shim, plain = (run(ON_A_DEVICE, python=cuda, step=s, ahead=["torch._dynamo"]) for s in (step(), None))
    assert (shim.code, shim.out, shim.theirs) == (plain.code, plain.out, plain.theirs)
    assert plain.code == 0 and shim.receipt["recorder"]["disarm_proven"] is True


def test_a_pipe_that_is_closed_early(step, cpu, tmp_path):
    """`program | head -1`: SIGPIPE and BrokenPipeError are the program's."""
    codes = []
    for lain in (step(), None):
        env = environment([lain.path] if lain else [], tiny=True)
        script = "import torch; torch.cuda.allocate(1)\nfor n in range(100000): print(n)"
        process = subprocess.Popen(
            [cpu, "-c", script], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        process.stdout.readline()
        process.stdout.close()
        codes.append((process.wait(), process.stderr.read()))
        process.stderr.close()
    assert codes[0] == codes[1] and codes[0][0] not in (0, -signal.SIGKILL)
