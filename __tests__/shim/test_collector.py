"""The collector is left as it was: an out-of-memory starts no collection, and the next one of each generation comes when it
would have come without us."""

import itertools
import json

import pytest
from conftest import SHIM, device_env, python_or_skip, run

VERSIONS = ["3.9", "3.10", "3.11", "3.12", "3.13"]
LOOKS = {"categories": "census", "cycles": "warn"}
WITHIN = 20  # allocations

HOLD = """
import gc, sys, threading
sys.path.insert(0, sys.argv[1])
from _oom_autopsy.heap import collector
T = gc.get_threshold()
def other(act):
    thread = threading.Thread(target=act); thread.start(); thread.join()
def state():
    return [gc.get_threshold() == T, gc.isenabled(), gc.callbacks, gc.get_freeze_count(), gc.get_debug()]
was = state()
report = {}

def held(act=lambda: None):
    hold = collector.hold()
    off = gc.get_threshold()[0] > 10**9
    many = [[] for _ in range(5000)]
    act()
    before = gc.get_stats()[0]["collections"]
    del hold
    return off
before = gc.get_stats()[0]["collections"]
report["held"] = [held(), state() == was]

def called(*args):
    many = [[] for _ in range(5000)]
    return args, gc.get_stats()[0]["collections"], gc.get_threshold()[0] > 10**9
def raises(*args):
    raise KeyError(1)
around = collector.around(called)
given, collections, off = around(1, 2, 3, 4)
report["around"] = [given == (1, 2, 3, 4), off, state() == was]
try:
    collector.around(raises)(1)
    report["raises"] = "nothing"
except KeyError:
    report["raises"] = [state() == was]  # though the exception still has the frame

def nested(depth=0):
    return [gc.get_threshold()[0] > 10**9, *(collector.around(nested)(depth + 1) if depth < 3 else [])]
report["nested"] = [nested()[1:], state() == was]

def two():
    first, second = collector.hold(), collector.hold()
    del first
    still = gc.get_threshold()[0] > 10**9
    del second
    return still
report["in another order"] = [two(), state() == was]

threads = [threading.Thread(target=lambda: [around(1) for _ in range(200)]) for _ in range(4)]
[t.start() for t in threads]; [t.join() for t in threads]
report["threads"] = [state() == was, len(collector._found)]

held(lambda: other(lambda: gc.set_threshold(5, 6, 7)))
report["another thread sets thresholds"] = gc.get_threshold()[:2] == (5, 6)
gc.set_threshold(*T)
held(lambda: other(gc.disable))
report["another thread disables"] = [gc.isenabled(), gc.get_threshold() == T]
gc.set_threshold(0)
held()
report["none"] = gc.get_threshold()[0]
print(__import__("json").dumps(report))
"""


@pytest.mark.parametrize("version", VERSIONS)
def test_collection_is_off_from_the_first_instruction_to_the_last(version):
    done = run(HOLD, SHIM, python=python_or_skip(version))
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out) == {
        "held": [True, True],
        "around": [True, True, True],
        "raises": [True],
        "nested": [[True] * 3, True],
        "in another order": [True, True],
        "threads": [True, 0],
        "another thread sets thresholds": True,
        "another thread disables": [False, True],
        "none": 0,
    }


# Close to the recursion limit, where a call may fail: the thresholds are put back, or were never raised.
DEEP = """
import gc, sys
sys.path.insert(0, sys.argv[1])
from _oom_autopsy.heap import collector
T, held, left = gc.get_threshold(), 0, 0
def hold():
    global held
    it = None
    try:
        it = collector.hold(); held += 1
    finally:
        del it
def down(depth):
    if depth: return down(depth - 1)
    hold()
for depth in range(900, 1000):
    try: down(depth)
    except RecursionError: pass
    left += gc.get_threshold() != T
print(held > 80, left)
"""


@pytest.mark.parametrize("version", VERSIONS)
def test_close_to_the_recursion_limit_it_is_put_back(version):
    done = run(DEEP, SHIM, python=python_or_skip(version))
    assert (done.code, done.out, done.err) == (0, "True 0\n", "")


# A collection that is due is not made at the first instruction of what C code calls, but by the program's next allocation.
DUE = """
import gc, itertools, sys
sys.path.insert(0, sys.argv[1])
from _oom_autopsy.heap import collector
seen = []
def observe(*_):
    seen.append(gc.get_stats()[0]["collections"])
call = collector.around(observe) if sys.version_info >= (3, 12) else observe
def due():
    # as torch does: C code allocates Python objects, and then calls
    keep.append([])  # a collection that the last time has left due
    while gc.get_count()[0] < gc.get_threshold()[0] - 50: keep.append([])
    before = gc.get_stats()[0]["collections"]
    list(itertools.chain(map(itertools.repeat, itertools.repeat(None, 100)), map(call, [0])))
    return before
keep = []
gc.collect()
wrong = [before for before in (due() for _ in range(20)) if sys.version_info >= (3, 12) and seen[-1] != before]
before = gc.get_stats()[0]["collections"]
keep.extend([i] for i in range(5000))
print(len(wrong), gc.get_stats()[0]["collections"] > before)
"""


@pytest.mark.parametrize("version", VERSIONS)
def test_a_collection_that_is_due_waits_for_us(version):
    done = run(DUE, SHIM, python=python_or_skip(version))
    assert (done.code, done.out, done.err) == (0, "0 True\n", "")


# Allocations of the program from a collection to the next, with an out-of-memory after the 200th.
UNTIL = """
import gc, json, sys
import torch
kinds = {"lists": lambda: [1], "pairs": lambda: (kinds, keep), "dicts": lambda: {"a": keep}, "nodes": lambda: Node()}
class Node: pass
keep = [None] * 100_000
PREPARE
def until(make, at):
    before = gc.get_stats()[0]["collections"]
    for i in range(100_000):
        if gc.get_stats()[0]["collections"] != before: break
        keep[i] = make()
        if i == at: oom()
    for k in range(i): keep[k] = None
    return i
gc.collect()
report = {}
for name, make in kinds.items():
    for _ in range(3): until(make, -1)
    report[name] = [until(make, 200) for _ in range(REPEAT)]
print(json.dumps(report))
"""
TINY_OOM = """
torch.cuda.init()
def oom():
    try: torch.cuda.allocate(5000)
    except torch.OutOfMemoryError: pass
"""
REAL_OOM = """
model = torch.nn.Sequential(*[torch.nn.Linear(64, 64) for _ in range(3)]).cuda()
optimizer = torch.optim.AdamW(model.parameters())
model(torch.zeros(8, 64, device="cuda")).sum().backward(); optimizer.step()
out = model(torch.zeros(8, 64, device="cuda"))
def oom():
    try: torch.empty(1 << 40, dtype=torch.uint8, device="cuda")
    except torch.OutOfMemoryError: pass
"""


# The graph of a transformer dies as the error goes up, and with it what torch made for the census.
GRAPH_OOM = """
nn = torch.nn
net = nn.TransformerEncoder(nn.TransformerEncoderLayer(64, 4, 128, batch_first=True), 4, enable_nested_tensor=False).cuda()
x = torch.zeros(4, 16, 64, device="cuda")
class Greedy(nn.Module):
    def forward(self, x): return torch.empty(1 << 40, dtype=torch.uint8, device="cuda")
full = nn.Sequential(net, Greedy())
optimizer = torch.optim.AdamW(net.parameters())
net(x).sum().backward(); optimizer.step()
def oom():
    try: full(x)
    except torch.OutOfMemoryError: pass
"""


def compared(program, lain, **options):
    """{kind: [by how many allocations the next collection came too late]}."""
    shim, plain = lain.run(program, **options), run(program, **options)
    assert (shim.code, plain.code) == (0, 0), shim.err + plain.err
    assert shim.ours == [] and shim.receipt["oom_count"] > 0
    ours, theirs = json.loads(shim.out), json.loads(plain.out)
    return {name: [a - b for a, b in zip(ours[name], theirs[name])] for name in theirs}


@pytest.mark.parametrize("version", VERSIONS)
def test_the_next_collection_comes_when_it_would_have_come(version, step):
    program = UNTIL.replace("PREPARE", TINY_OOM).replace("REPEAT", "12")
    late = compared(program, step(), python=python_or_skip(version), tiny=True)
    assert all(abs(each) <= WITHIN for each in itertools.chain(*late.values())), late


@pytest.mark.parametrize("prepare", (REAL_OOM, GRAPH_OOM), ids=("a graph that stays", "a graph that dies"))
def test_the_next_collection_comes_when_it_would_have_come_with_all_looks(prepare, step, cuda):
    """The census of a graph makes torch keep some objects for it: it is as if they had not been made."""
    program = UNTIL.replace("PREPARE", prepare).replace("REPEAT", "3")
    lain = step(**LOOKS)
    late = compared(program, lain, python=cuda, env=device_env())
    assert all(abs(each) <= WITHIN for each in itertools.chain(*late.values())), late
    (receipt,) = lain.receipts()
    assert receipt["ooms"][0]["census"]["looked"]["nodes"] > 0


# Garbage in cycles, with finalizers, made step by step, and out-of-memories in between: when each collection was.
GARBAGE = """
import gc, json, sys
import torch
finalized, log, step, now = 0, [], 0, False
class Node:
    def __init__(self): self.me = self
    def __del__(self):
        global finalized
        finalized += 1
PREPARE
keep = []
gc.collect()
gc.callbacks.append(lambda phase, info: phase == "start" and log.append((info["generation"], step, now)))
for step in range(STEPS):
    Node(); keep.append([step]); keep.append({"a": [step]})
    if step % EVERY == EVERY // 2:
        now = True; oom(); now = False
gc.callbacks.pop()
gc.collect()
left = [gc.get_threshold(), gc.isenabled(), gc.get_debug(), gc.get_freeze_count()]
print(json.dumps([log, finalized, left]))
"""
A_STEP = 4  # allocations that the collector counts


def the_same_collections(program, every, lain, **options):
    shim, plain = lain.run(program, **options), run(program, **options)
    assert (shim.code, plain.code) == (0, 0), shim.err + plain.err
    assert shim.ours == [] and shim.receipt["oom_count"] > 5
    (log, *rest), (plain_log, *plain_rest) = json.loads(shim.out), json.loads(plain.out)
    assert rest == plain_rest
    assert abs(len(log) - len(plain_log)) <= 1 and len(log) > 30
    for (generation, step, _), (expected, at, _) in zip(log, plain_log):
        ooms = at // every + 1  # what each of them moves adds up
        assert generation == expected and abs(step - at) * A_STEP <= WITHIN * ooms, (step, at)
    assert sum(now for _, _, now in log) <= sum(now for _, _, now in plain_log) + 1, "during an out-of-memory"


@pytest.mark.parametrize("version", VERSIONS)
def test_collections_come_when_they_would_have_come(version, step):
    program = GARBAGE.replace("PREPARE", TINY_OOM).replace("STEPS", "60_000").replace("EVERY", "977")
    the_same_collections(program, 977, step(), python=python_or_skip(version), tiny=True)


def test_collections_come_when_they_would_have_come_with_all_looks(step, cuda):
    program = GARBAGE.replace("PREPARE", GRAPH_OOM).replace("STEPS", "20_000").replace("EVERY", "2477")
    the_same_collections(program, 2477, step(**LOOKS), python=cuda)
