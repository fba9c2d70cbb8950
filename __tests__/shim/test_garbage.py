"""Programs with garbage of their own: the same finalizers, collections and retries with and without us, at the same places.

Half of them were written by others: tests of CPython on its collector, run in a process whose recorder is armed and whose memory has
run out; and what retries with a smaller batch.
"""

import re
import subprocess
import sys

import pytest
from conftest import ROOT, device_env, run

# What is there when memory runs out, what the next request gets, and what comes after it.
HEAD = """
import gc, sys, weakref
import torch
torch.zeros(1, device="cuda"); gc.collect()
start = [g["collections"] for g in gc.get_stats()]
MiB = 1 << 20
def take(n): return torch.zeros(n * MiB, dtype=torch.uint8, device="cuda")
freed, keep = [], []
class Batch:
    def __init__(self, n=2): self.x, self.me = take(n), self
class Loud(Batch):
    def __del__(self): freed.append(1)
def collections(): return [g["collections"] - s for g, s in zip(gc.get_stats(), start)]
def until_full(garbage):
    try:
        while True: keep.append(take(1)); garbage()
    except torch.OutOfMemoryError: print("RESULT full", len(keep), len(freed), collections())
def retry(n):
    try: take(n); print("RESULT fits", len(freed))
    except torch.OutOfMemoryError: print("RESULT out of memory", len(freed))
def go_on(n=3000):
    for _ in range(n): freed.append([])
    print("RESULT after", len([f for f in freed if f == 1]), collections(), gc.isenabled(), gc.get_threshold(), gc.get_freeze_count() > 0)
"""
OWN = {
    "finalizers": "until_full(Loud); retry(40); go_on()",
    "no finalizers": "until_full(Batch); retry(40); go_on()",
    "retries": (
        "def attempt():\n"
        "    n = Batch(); n.t = [take(16) for _ in range(9)]\n"
        "seen = []\n"
        "for _ in range(8):\n"
        "    try: attempt(); seen.append('ok')\n"
        "    except torch.OutOfMemoryError: seen.append('oom')\n"
        "print('RESULT', seen); go_on()"
    ),
    "frozen": "junk = [Loud() for _ in range(9)]; del junk; gc.freeze(); until_full(Loud); retry(40); go_on(); gc.unfreeze()",
    "disabled": "gc.disable(); until_full(Loud); retry(40); gc.collect(); retry(40); go_on()",
    "thresholds of its own": "gc.set_threshold(60, 3, 2); until_full(Loud); retry(40); go_on(500)",
    "a threshold of none": "gc.set_threshold(0); until_full(Loud); retry(40); go_on()",
    "weak references": (
        "gone = []\n"
        "def make():\n"
        "    b = Batch(); gone.append(weakref.ref(b, lambda _: freed.append(1)))\n"
        "until_full(make); print('RESULT', sum(r() is None for r in gone)); retry(40); go_on()"
    ),
    "a weak cache": (
        "cache = weakref.WeakValueDictionary()\n"
        "def make(): cache[len(keep)] = Batch()\n"
        "until_full(make); print('RESULT', len(cache)); retry(40); print('RESULT', len(cache)); go_on()"
    ),
    "resurrection": (
        "back = []\n"
        "class Lazarus(Batch):\n"
        "    def __del__(self): freed.append(1); back.append(self)\n"
        "until_full(Lazarus); retry(40); print('RESULT', len(back)); go_on()"
    ),
    "generators": (
        "def each():\n"
        "    me = [take(2)]; me.append(me)\n"
        "    try: yield me\n"
        "    finally: freed.append(1)\n"
        "def make(): g = each(); next(g).append(g)\n"
        "until_full(make); retry(40); go_on()"
    ),
    "callbacks": (
        "said = []\n"
        "gc.callbacks.append(lambda phase, info: said.append((phase, info['generation'])))\n"
        "until_full(Loud); print('RESULT', said); retry(40); go_on(); print('RESULT', len(said))"
    ),
    "a thread": (
        "import threading\n"
        "def work(): until_full(Loud); retry(40)\n"
        "t = threading.Thread(target=work); t.start(); t.join(); go_on()"
    ),
    "within backward": (
        "class F(torch.autograd.Function):\n"
        "    @staticmethod\n"
        "    def forward(ctx, x): ctx.me = ctx; return x + 1\n"
        "    @staticmethod\n"
        "    def backward(ctx, g): Loud(1); keep.append(take(4)); return g\n"
        "w = torch.zeros(1, device='cuda', requires_grad=True)\n"
        "try:\n"
        "    while True: F.apply(w).backward()\n"
        "except torch.OutOfMemoryError: print('RESULT full', len(keep), len(freed), collections())\n"
        "retry(40); go_on()"
    ),
}
LOOKS = (
    {"cycles": "warn", "categories": "census"},
    {"cycles": "warn", "cycles_watch": "sampled", "snapshot": "always"},
)


def results(done):
    return done.code, [line for line in done.out.splitlines() if line.startswith("RESULT")], done.theirs


WITHIN = 20  # allocations, by which a collection may come earlier or later (test_collector.py)


def alike(one, other):
    """The same words; numbers within what a collection may be early or late."""
    words, numbers = (
        re.compile(r"\d+"),
        [list(map(int, re.findall(r"\d+", " ".join(r[1])))) for r in (one, other)],
    )
    same = [[words.sub("#", line) for line in r[1]] for r in (one, other)]
    return (
        (one[0], same[0], one[2]) == (other[0], same[1], other[2])
        and len(numbers[0]) == len(numbers[1])
        and all(abs(a - b) <= WITHIN for a, b in zip(*numbers))
    )


@pytest.mark.parametrize("name", OWN)
def test_garbage_is_the_programs_own(name, step, cuda):
    plain = results(run(HEAD + OWN[name], python=cuda, env=device_env()))
    assert plain[0] == 0 and len(plain[1]) >= 2, plain
    for looks in LOOKS:
        ours = results(step(**looks).run(HEAD + OWN[name], python=cuda, env=device_env()))
        assert alike(ours, plain), (ours, plain)


CYCLES_LOST = """
import sys, torch
class Batch:
    def __init__(self): self.t = torch.zeros(2 << 20, dtype=torch.uint8, device="cuda"); self.me = self
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x + 1
    @staticmethod
    def backward(ctx, g): return g + torch.zeros(64 << 10, dtype=torch.uint8, device="cuda")[:1].float()
keep, batches = [], 0
w = torch.zeros(1, device="cuda", requires_grad=True)
try:
    while True:
        if sys.argv[1] == "forward":
            Batch(); [[] for _ in range(5)]; keep.append(torch.zeros(64 << 10, dtype=torch.uint8, device="cuda"))
        else:
            keep.append(torch.zeros(1 << 20, dtype=torch.uint8, device="cuda")); F.apply(w).backward(); Batch()
except torch.OutOfMemoryError:
    import gc
    before = torch.cuda.memory_allocated(); gc.collect()
    print(before, before - torch.cuda.memory_allocated())
"""


@pytest.mark.parametrize("where", ("forward", "backward"))
def test_the_cycles_that_filled_the_device_are_found(where, step, cuda):
    """The out-of-memory, its census and its cycles speak of one moment."""
    done = step(cycles="warn", categories="census").run(CYCLES_LOST, where, python=cuda, env=device_env())
    allocated, garbage = map(int, done.out.split())
    oom = done.receipt["ooms"][0]
    assert garbage > 100 << 20
    assert oom["allocated"] == oom["census"]["devices"][0]["allocated"] == allocated
    assert abs(oom["cycles"]["bytes"]["cuda:0"] - garbage) <= garbage / 100


# Tests of CPython's own, in a process that is armed, has run out of memory, and runs out between any two of them.
OTHERS = """
import sys, unittest
import torch
torch.zeros(1, device="cuda")
def full():
    try: torch.empty(1 << 40, device="cuda")
    except torch.OutOfMemoryError: pass
full()
inner = unittest.TestCase.run
def outer(self, result=None):
    full()
    return inner(self, result)
unittest.TestCase.run = outer
unittest.main(module=None, argv=["tests", "-v", *sys.argv[1:]])
"""


def told(done):
    """Each test with its outcome; times and addresses left out."""
    rows = re.findall(r"^(\w+ \([\w.]+\)).*?\.\.\. (\w+)", done.err, re.M)
    return done.code, rows, re.findall(r"^(?:OK|FAILED).*$", done.err, re.M)


@pytest.mark.parametrize(
    "name",
    [
        "test_finalization",
        "test_generators",
        "test_weakset",
        "test_threading_local",
        "test_coroutines",
        pytest.param("test_gc", marks=pytest.mark.long),
        pytest.param("test_weakref", marks=pytest.mark.long),
        pytest.param("test_copy", marks=pytest.mark.long),
        pytest.param("test_signal", marks=pytest.mark.long),
    ],
)
def test_cpythons_own_tests_end_as_without_us(name, step, cuda):
    argv = [cuda, "-c", OTHERS, f"test.{name}"]
    if run("", argv=[cuda, "-c", f"import test.{name}"]).code:
        pytest.skip("skipped: this Python comes without its tests")
    plain = told(run("", argv=argv, timeout=600, env=device_env()))
    lain = step(cycles="warn", categories="census")
    assert told(run("", argv=argv, step=lain, timeout=600, env=device_env())) == plain
    assert plain[0] == 0 and len(plain[1]) > 5, plain
    assert sum(r["oom_count"] for r in lain.receipts()) > len(plain[1])


RETRIES = {
    "accelerate": """
import gc, torch
from accelerate.utils import find_executable_batch_size
tried = []
@find_executable_batch_size(starting_batch_size=512)
def train(batch_size):
    tried.append(batch_size)
    model = torch.nn.Sequential(torch.nn.Linear(256, 256), torch.nn.ReLU(), torch.nn.Linear(256, 8)).cuda()
    x = torch.zeros(batch_size * 4096, 256, device="cuda")
    model(x).sum().backward()
    return batch_size
print("RESULT", train(), tried, torch.cuda.memory_allocated())
""",
    "lightning": """
import logging, warnings; logging.disable(logging.WARNING); warnings.simplefilter("ignore")
import torch, lightning
from lightning.pytorch.tuner import Tuner
class Model(lightning.LightningModule):
    def __init__(self): super().__init__(); self.batch_size, self.net = 2, torch.nn.Linear(256, 256)
    def training_step(self, batch, i): tried.append(len(batch[0])); return self.net(batch[0]).sum()
    def configure_optimizers(self): return torch.optim.SGD(self.parameters(), 0.1)
    def train_dataloader(self):
        data = torch.utils.data.TensorDataset(torch.zeros(1 << 16, 256))
        return torch.utils.data.DataLoader(data, batch_size=self.batch_size)
tried = []
trainer = lightning.Trainer(max_steps=1, accelerator="gpu", devices=1, logger=False, enable_progress_bar=False,
                            enable_checkpointing=False, enable_model_summary=False)
model = Model()
found = Tuner(trainer).scale_batch_size(model, mode="binsearch", steps_per_trial=1, max_trials=20)
print("RESULT", found, tried)
""",
}


def neighbours_of(package, cuda):
    """A venv of the tests with `package` from PyPI, over the torch of `cuda`; skipped where it cannot be had."""
    venv = ROOT / ".setup" / f"garbage-{package}"
    if not (venv / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", venv], check=True)
        pip = [venv / "bin" / "pip", "-q", "install"]
        needs = {
            "accelerate": ["psutil", "pyyaml", "safetensors", "huggingface_hub", "packaging", "numpy"],
            "lightning": [
                "packaging",
                "pyyaml",
                "tqdm",
                "fsspec",
                "lightning-utilities",
                "typing_extensions",
                "numpy",
            ],
        }[package]
        bare = {
            "accelerate": ["accelerate"],
            "lightning": ["lightning", "torchmetrics", "pytorch-lightning"],
        }[package]
        for words in (needs, ["--no-deps", *bare]):
            made = subprocess.run([*pip, *words], capture_output=True, text=True)
            if made.returncode:
                pytest.skip(f"skipped: {package} cannot be installed here: {made.stderr[-300:]}")
        (venv / "ready").touch()
    where = subprocess.run(
        [cuda, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], capture_output=True, text=True
    )
    (site,) = venv.glob("lib/python*/site-packages")
    (site / "torch.pth").write_text(f"import site; site.addsitedir({where.stdout.strip()!r})\n")
    return str(venv / "bin" / "python")


@pytest.mark.long
@pytest.mark.parametrize("package", RETRIES)
def test_a_smaller_batch_is_found_as_without_us(package, step, cuda, tmp_path):
    python = neighbours_of(package, cuda)
    program = tmp_path / "program.py"
    program.write_text(RETRIES[package])
    argv, options = (
        [python, str(program)],
        {"timeout": 300, "env": device_env("512M" if package == "accelerate" else "32M"), "cwd": tmp_path},
    )
    plain = results(run("", argv=argv, **options))
    assert plain[0] == 0 and len(plain[1]) == 1, plain
    lain = step(cycles="warn", categories="census")
    assert results(run("", argv=argv, step=lain, **options)) == plain
    assert sum(r["oom_count"] for r in lain.receipts()) >= 1
