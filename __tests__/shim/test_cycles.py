"""Reference cycles that hold GPU memory: found with their bytes in both modes, without a value of the program in any file and
without a change to the program. Each program runs in a process of its own, on the CUDA build of torch."""

import json

import pytest

# LOOK_S is lifted: these tests ask what is found, on a machine that may be busy.
PRELUDE = """
import gc, json, os, sys, weakref
import torch
from _oom_autopsy.cycles import start as cycles, watch as cycles_watch
cycles_watch.LOOK_S = 60.0
MiB = 2 ** 20
KEEP = {}

def start(mode, **options):
    torch.zeros(1, device="cuda")
    return cycles.start(mode, **options)

def tensor(mib=1):
    return torch.empty(mib * MiB // 4, device="cuda")

class Node:
    pass

def ring(*held):
    node = Node()
    node.me = node
    node.held = held

def nothing():
    pass

def collect():
    gc.collect()
    nothing(), nothing()  # torch's observer does its work at the next calls

def allocated():
    return torch.cuda.memory_allocated()

def amount(account):
    return sum(account["bytes"].values())
"""

PLANTS = (
    PRELUDE
    + """
def hook_closure():
    module = torch.nn.Linear(1024, 1024, device="cuda")
    module.register_forward_hook(lambda *arguments: module)

def traceback():
    def deep():
        local = tensor(3)
        raise ValueError
    try:
        deep()
    except ValueError as error:
        kept = error

class Context(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.me = ctx
        ctx.scratch = tensor(2)
        return x.clone()
    @staticmethod
    def backward(ctx, grad):
        return grad

def function_context():
    Context.apply(torch.ones(1, device="cuda", requires_grad=True))

def parent_child():
    parent, child = Node(), Node()
    parent.child, child.parent, child.weight = child, parent, tensor(5)

def view_alone():
    ring(tensor(4)[1:])

def view_and_base():
    base = tensor(4)
    ring(base, base[1:], base.view(-1, 2))

def saved_for_backward():
    weight = torch.ones(MiB // 4, device="cuda", requires_grad=True)
    try:
        loss = weight.exp().exp().exp().sum()
        raise ValueError
    except ValueError as error:
        kept = error

def custom_save():
    class Save(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.me = ctx
            ctx.save_for_backward(tensor(2))
            return x.clone()
        @staticmethod
        def backward(ctx, grad):
            return grad
    Save.apply(torch.ones(1, device="cuda", requires_grad=True))

def three_times():
    for _ in range(3):
        ring(tensor(1))

def chain_of_two():
    inner, outer = Node(), Node()
    inner.me, inner.weight = inner, tensor(1)
    outer.me, outer.inner, outer.weight = outer, inner, tensor(2)

def reached_by_weakref_only():
    parent, child = Node(), Node()
    parent.child, child.parent, parent.weight = child, weakref.ref(parent), tensor()

def freed_before():
    if mode == "sampled":  # continuous sees every collection
        ring(tensor())
        gc.collect()

def held_by_a_global():
    node = Node()
    node.me, node.weight = node, tensor()
    KEEP["node"] = node

def held_by_a_frame():
    node = Node()
    node.me, node.weight = node, tensor()
    node.frame = (lambda: (yield node))()
    next(node.frame)
    KEEP["generator"] = node.frame

def plain_global():
    KEEP["tensor"] = tensor()

def shares_with_a_live_tensor():
    KEEP["base"] = tensor()
    ring(KEEP["base"][1:])

def saved_by_a_live_graph():
    weight = torch.ones(MiB // 4, device="cuda", requires_grad=True)
    middle = weight.exp()
    ring(middle)
    KEEP["loss"] = middle.exp().sum()
    KEEP["weight"] = weight

def cpu_tensor():
    ring(torch.empty(1000))

def no_tensor():
    ring(1)

PLANTS = ["hook_closure", "traceback", "function_context", "parent_child", "view_alone", "view_and_base",
          "saved_for_backward", "custom_save", "three_times", "chain_of_two", "reached_by_weakref_only", "freed_before",
          "held_by_a_global", "held_by_a_frame", "plain_global", "shares_with_a_live_tensor", "saved_by_a_live_graph",
          "cpu_tensor", "no_tensor"]
mode = sys.argv[2]
gc.disable()  # collections at a time of the test's choosing
gc.freeze()  # the look's time is that of the objects alive; torch alone has 160,000
torch.cuda.memory._record_memory_history(max_entries=1000, context="all", stacks="python")
watch = start(mode)
report = {}
for name in PLANTS:
    collect()
    before = watch.summary()
    globals()[name]()
    held = allocated()
    if mode == "sampled":
        watch.look()
    collect()
    after = watch.summary()
    seen = {row["id"]: row["seen"] for row in before["cycles"]}
    report[name] = {
        "bytes": amount(after) - amount(before),
        "tensors": after["tensors"] - before["tensors"],
        "freed": held - allocated(),
        "rows": [row for row in after["cycles"] if row["seen"] != seen.get(row["id"])],
    }
    # a cycle that was there all along is not planted twice
    KEEP.clear()
    collect()
watch.stop()
print(json.dumps({"report": report, "summary": watch.summary()}))
"""
)

MiB = 2**20
# name: (bytes, kinds). The allocator rounds up to 512 bytes; two bytes counts differ by how autograd saves.
FOUND = {
    "hook_closure": (4 * MiB + 4096, 1),
    "traceback": (3 * MiB, 1),
    "function_context": (2 * MiB + 512, 1),
    "parent_child": (5 * MiB, 1),
    "view_alone": (4 * MiB, 1),
    "view_and_base": (4 * MiB, 1),
    "saved_for_backward": (4 * MiB + 512, 1),
    "custom_save": (2 * MiB + 512, 1),
    "three_times": (3 * MiB, 1),
    "chain_of_two": (3 * MiB, 1),
}
NOT_FOUND = (
    "reached_by_weakref_only",
    "freed_before",
    "held_by_a_global",
    "held_by_a_frame",
    "plain_global",
    "shares_with_a_live_tensor",
    "saved_by_a_live_graph",
    "cpu_tensor",
    "no_tensor",
)
MODES = ("sampled", "continuous")


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """`planted(mode, interpreter)` -> (report, summary); one run for each mode."""
    from conftest import PLAIN, Step

    runs = {}

    def of(mode, python):
        if mode not in runs:
            root = tmp_path_factory.mktemp("planted")
            step = Step(root / mode if not (root / mode).mkdir() else None, **PLAIN, snapshot="off")
            done = step.run(PLANTS, step.evidence, mode, python=python)
            assert done.code == 0, done.err
            result = json.loads(done.out)
            runs[mode] = result["report"], result["summary"]
        return runs[mode]

    return of


@pytest.mark.parametrize("name", FOUND)
@pytest.mark.parametrize("mode", MODES)
def test_a_planted_cycle_is_found_with_its_bytes(planted, cuda, mode, name):
    report, _ = planted(mode, cuda)
    size, kinds = FOUND[name]
    found = report[name]
    assert found["bytes"] == size
    assert found["freed"] == size  # and no later than it would have been: by the collection that followed
    assert len(found["rows"]) == kinds


@pytest.mark.parametrize("name", NOT_FOUND)
@pytest.mark.parametrize("mode", MODES)
def test_what_is_no_cycle_that_holds_gpu_memory_is_not_found(planted, cuda, mode, name):
    report, _ = planted(mode, cuda)
    assert (report[name]["bytes"], report[name]["tensors"], report[name]["rows"]) == (0, 0, [])


@pytest.mark.parametrize("mode", MODES)
def test_rows_say_types_counts_and_where_the_memory_was_allocated(planted, cuda, mode):
    report, summary = planted(mode, cuda)
    (row,) = report["parent_child"]["rows"]
    assert row["types"] == [{"name": "__main__.Node", "count": 2}]
    assert row["bytes"] == {"cuda:0": 5 * MiB}
    # `tensor` of the test's prelude, at the line of its `return`
    assert [(f["file"], f["function"], f["count"]) for f in row["frames"]] == [("<string>", "tensor", 1)]
    (row,) = report["three_times"]["rows"]
    assert row["seen"] >= 3
    (row,) = report["traceback"]["rows"]
    assert {"ValueError", "traceback", "frame"} <= {t["name"] for t in row["types"]}
    (row,) = report["hook_closure"]["rows"]
    assert "torch.nn.modules.linear.Linear" in {t["name"] for t in row["types"]}
    assert (summary["mode"], summary["state"]) == (mode, "watching")
    assert amount(summary) == sum(amount(row) for row in summary["cycles"])
    rings = [step["label"] for row in summary["cycles"] if row["graph"] for step in row["graph"]["ring"]]
    assert {".child", ".parent"} <= set(rings)


def test_both_modes_name_the_same_kind_of_cycle_alike(planted, cuda):
    sampled, continuous = (planted(mode, cuda)[0] for mode in MODES)
    for name in ("parent_child", "hook_closure", "three_times", "view_alone"):
        assert [row["id"] for row in sampled[name]["rows"]] == [row["id"] for row in continuous[name]["rows"]]


def amount(account):
    return sum(account["bytes"].values())


ODD = (
    PRELUDE
    + """
import warnings
warnings.simplefilter("ignore")
from torch._subclasses.fake_tensor import FakeTensorMode

def fail(*arguments, **more):
    print("user code ran", file=sys.stderr)
    os._exit(3)

class Meta(type):
    __eq__ = fail
    __hash__ = fail
    __getattribute__ = fail
    __instancecheck__ = fail
    mro = lambda cls: type.mro(cls)

class Hostile(metaclass=Meta):
    __repr__ = __str__ = __eq__ = __hash__ = __getattr__ = __getattribute__ = __len__ = __bool__ = __iter__ = fail
    __class__ = property(fail)

class HostileDict(dict):
    __repr__ = __eq__ = __len__ = __iter__ = keys = items = values = __getitem__ = get = fail

class HostileList(list):
    __repr__ = __eq__ = __len__ = __iter__ = __getitem__ = fail

class HostileStr(str):
    __repr__ = __str__ = __eq__ = __hash__ = fail

class OwnDict:
    __slots__ = ("a",)
    __dict__ = property(fail)

class Slots:
    __slots__ = ("me", "empty", "held")

class Subclass(torch.Tensor):
    @classmethod
    def __torch_function__(cls, *a, **k):
        fail()
    @classmethod
    def __torch_dispatch__(cls, *a, **k):
        fail()
    __repr__ = __eq__ = __len__ = fail

def set_(obj, name, value):
    object.__setattr__(obj, name, value)

def plant_objects():
    hostile = object.__new__(Hostile)
    set_(hostile, "me", hostile)
    set_(hostile, "weight", tensor(1))
    wild = HostileDict(); dict.__setitem__(wild, "w", wild); dict.__setitem__(wild, "t", tensor(1))
    wild.attribute = wild
    row = HostileList(); list.append(row, row); list.append(row, tensor(1))
    own = OwnDict(); own.a = [own, tensor(1)]
    slots = Slots(); slots.me, slots.held = slots, tensor(1)
    word = HostileStr("w"); word.me = word; word.held = tensor(1)
    target = Node(); proxy = weakref.proxy(target); del target
    gone = Node(); gone.me, gone.proxy, gone.held = gone, proxy, tensor(1)
    cell = Node()
    def closure():
        return closure, cell, later
    cell.f, cell.held = closure, tensor(1)
    if 0:
        later = 1

def plant_tensors():
    with FakeTensorMode():
        ring(torch.empty(MiB, device="cuda"))
    ring(torch.empty(MiB, device="meta"))
    eye = torch.eye(4)
    ring(eye.to_sparse().cuda())                                     # 4*2*8 + 4*4 bytes: two blocks
    ring(eye.to_sparse_csr().cuda())                                 # three blocks
    ring(torch.quantize_per_tensor(torch.ones(600), 0.1, 0, torch.qint8).cuda())  # 600 bytes: 1024
    ring(torch.nested.nested_tensor([torch.ones(3), torch.ones(4)]).cuda())       # 28 bytes
    ring(torch.Tensor._make_subclass(Subclass, tensor(1)))
    ring(torch.Tensor._make_wrapper_subclass(Subclass, (4,), device="cuda"))
    ring(torch.empty(0, device="cuda"))
    ring(torch.nn.Parameter(tensor(1)))
    jagged = torch.nested.nested_tensor([torch.ones(3), torch.ones(4)], layout=torch.jagged).cuda()
    ring(jagged)

mode = sys.argv[2]
gc.disable()
gc.freeze()
watch = start(mode)
report = {}
for plant in (plant_objects, plant_tensors):
    collect()
    before = amount(watch.summary())
    plant()
    held = allocated()
    if mode == "sampled":
        watch.look()
    collect()
    report[plant.__name__] = [amount(watch.summary()) - before, held - allocated()]
watch.stop()
print(json.dumps({"report": report, "summary": watch.summary()}))
"""
)


@pytest.mark.parametrize("mode", MODES)
def test_odd_objects_and_tensors_run_no_code_and_make_no_false_hit(step, cuda, mode):
    place = step(snapshot="off")
    done = place.run(ODD, place.evidence, mode, python=cuda)
    assert done.code == 0, done.err
    result = json.loads(done.out)
    assert result["summary"]["state"] == "watching"
    assert result["report"]["plant_objects"] == [8 * MiB, 8 * MiB]
    found, freed = result["report"]["plant_tensors"]
    assert found == freed
    assert found >= 2 * MiB + 512 * (2 + 3 + 2 + 1)


SECRETS = (
    PRELUDE
    + """
SECRET = "hunter2"
class Loud:
    def __repr__(self):
        return SECRET
    __str__ = __repr__
class Open(dict):
    def __init__(self, **entries):
        super().__init__(**entries)
        self.__dict__ = self
class Child:
    pass
Odd = type("hunter2 is a name", (), {})
Homeless = type("Homeless", (), {"__module__": "hunter2"})
Renamed = type("Renamed", (), {"__qualname__": "hunter2!"})
Tensor = type("Tensor", (), {"__module__": "torch", "hunter2": SECRET})
Number = type("Number", (), {"__module__": 7})

def plant():
    local_variable = SECRET * 3
    loud, odd, homeless, renamed, collides, number, child = (
        kind() for kind in (Loud, Odd, Homeless, Renamed, Tensor, Number, Child))
    everything = Node()
    everything.child = child
    child.parent = everything
    everything.weight = tensor()
    everything.plain = SECRET
    everything.items = [SECRET, (SECRET, everything), {SECRET: everything, "key": SECRET}]
    setattr(everything, "hunter2 as a name", everything)
    members = [loud, odd, homeless, renamed, collides, number]
    for one in members:
        one.value, one.members, one.up = SECRET, members, everything
    everything.members = members
    everything.open = Open(hunter2=everything, other=SECRET)
    everything.by_key = {"hunter2": everything, ("hunter2", 1): members}
    def closure(default=SECRET, *, keyword=SECRET):
        return everything, local_variable
    closure.note = SECRET
    everything.closure = closure
    def hunter2_free(secret):
        raise ValueError(secret)
    try:
        hunter2_free(SECRET)
    except ValueError as error:
        everything.error = error
        error.__traceback__ = error.__traceback__  # the frames, with their locals
        everything.note = error

def plant_rings_that_are_their_secret():
    lone = Node()
    setattr(lone, "hunter2 alone", lone)
    setattr(lone, "hunter2 weight", tensor())
    box = {}
    box["hunter2"], box["hunter2_weight"] = box, tensor()
    opened = Open(hunter2_weight=tensor())
    opened["hunter2"] = opened

mode = sys.argv[2]
gc.disable()
gc.freeze()
torch.cuda.memory._record_memory_history(max_entries=1000, context="all", stacks="python")
watch = start(mode)
plant(), plant_rings_that_are_their_secret()
if mode == "sampled":
    watch.look()
collect()
watch.stop()
print(json.dumps(watch.summary()))
"""
)


@pytest.mark.parametrize("mode", MODES)
def test_no_value_of_the_program_leaves_it(step, cuda, mode):
    place = step(snapshot="off")
    done = place.run(SECRETS, place.evidence, mode, python=cuda)
    assert done.code == 0, done.err
    summary = json.loads(done.out)
    assert (amount(summary), summary["count"]) == (4 * MiB, 4)
    names = {t["name"] for row in summary["cycles"] for t in row["types"]}
    assert len(names) > 3
    files = [p for p in place.evidence.rglob("*") if p.is_file()]
    for text in [done.out, done.err, *(p.read_text() for p in files)]:
        assert "hunter2" not in text


UNCHANGED = (
    PRELUDE
    + """
def mine(phase, info):
    pass
class Equal:
    def __call__(self, phase, info):
        pass
    def __eq__(self, other):
        return True
first, last = Equal(), Equal()
died = []
class Final:
    def __del__(self):
        died.append(1)

def state():
    return [gc.get_threshold(), gc.get_debug(), gc.isenabled(), gc.get_freeze_count() > 100_000, [id(c) for c in gc.callbacks],
            [id(o) for o in gc.garbage], sys.getprofile(), sys.getswitchinterval()]

mode = sys.argv[2]
gc.collect()
gc.freeze()
gc.set_threshold(701, 11, 12)
gc.callbacks[:] = [first, mine]
marker, other = object(), object()
gc.garbage[:] = [marker, other]
gc.set_debug(gc.DEBUG_UNCOLLECTABLE)
if "disabled" in sys.argv:
    gc.disable()
before = state()
cycles_watch.BUDGET = 1e9
watch = start(mode)
gc.callbacks.append(last)
expected = [*before[4], id(last)]
collect()

node = Node()
node.me, node.final, node.weight = node, Final(), tensor()
alive = weakref.ref(node)
del node
result = {}
if mode == "sampled":
    during = state()
    held = allocated()
    watch.look()
    watch.look()
    result["look changes nothing"] = [state() == during, allocated() == held, died == [], alive() is not None]
    # a finaliser runs, and the object dies, by the program's next collection and no other
    result["collected"] = gc.collect() > 0
    result["died at once"] = [died == [1], alive() is None, held - allocated() == MiB]
    result["nothing of ours is garbage"] = [gc.collect(), watch.look()["count"], gc.collect()]
else:
    collect()
watch.stop()
watch.stop()
after = state()
before[4] = expected
result["as before"] = [a == b for a, b in zip(before, after)]
print(json.dumps(result))
"""
)


@pytest.mark.parametrize("how", ["enabled", "disabled"])
@pytest.mark.parametrize("mode", MODES)
def test_the_collector_is_as_it_was(step, cuda, mode, how):
    place = step(snapshot="off")
    done = place.run(UNCHANGED, place.evidence, mode, how, python=cuda)
    assert done.code == 0, done.err
    result = json.loads(done.out)
    assert result.pop("as before") == [True] * 8
    if mode == "sampled":
        assert result == {
            "look changes nothing": [True] * 4,
            "collected": True,
            "died at once": [True] * 3,
            "nothing of ours is garbage": [0, 0, 0],
        }


SAVEALL = (
    PRELUDE
    + """
watch = start("sampled")
cycles_watch.BUDGET = 1e9
gc.set_debug(gc.DEBUG_SAVEALL)
ring(tensor())
gc.collect()
kept = [type(o).__name__ for o in gc.garbage]
ring(tensor())
gc.collect()
look = watch.look()
print(json.dumps([gc.get_debug() == gc.DEBUG_SAVEALL, "Node" in kept, len(gc.garbage) > len(kept), look["count"]]))
"""
)


def test_a_program_that_saves_its_garbage_keeps_it_and_it_is_no_cycle_then(step, cuda):
    place = step(snapshot="off")
    done = place.run(SAVEALL, place.evidence, python=cuda)
    assert json.loads(done.out) == [True, True, True, 0], done.err


COLLECTIONS = (
    PRELUDE
    + """
from _oom_autopsy.cycles import trigger as cycles_trigger
report = {}
gc.disable()
gc.freeze()
cycles_watch.PAUSE_S = 0.05
watch = start("sampled")

def plant():
    # garbage that only a full collection frees
    node = Node()
    node.me, node.weight = node, tensor()
    gc.collect(1)

def events():
    for _ in range(cycles_trigger.EVERY): gc.collect(0)
    nothing()

def seen():
    account = watch.summary()
    return [account["looks"], amount(account) // MiB]

def until(looks):
    end = time.monotonic() + 60
    while seen()[0] < looks and time.monotonic() < end:
        time.sleep(0.02)
        events()
    return seen()

cycles_watch.BUDGET = 1e9
plant(), events(), events()
report["no proof"] = seen()
gc.collect()
plant(), events()
report["right after it"] = seen()
report["proof, then look"] = until(1)
events(), time.sleep(0.2), events()
report["once"] = seen()
cycles_watch.BUDGET = 0.0
gc.collect()
plant(), events(), time.sleep(0.2), events()
report["no budget"] = seen()
cycles_watch.BUDGET = 1e9
report["late"] = until(2)
gc.collect(), events()
report["nothing"] = until(3)
report["back off"] = watch._pause > cycles_watch.PAUSE_S
watch.stop()
gc.collect(), plant(), events(), time.sleep(0.2), events()
report["stopped"] = seen()

changes = []
watch = start("sampled", on_change=lambda: changes.append(1))
watch.look()
ring(tensor())
watch.look(), watch.look(), watch.look()
account = watch.summary()
# one cycle, looked at three times before a collection freed it; and the one from before
report["looked often"] = [account["looks"], account["cycles"][0]["seen"], amount(account) // MiB, len(changes)]
report["same watch"] = start("sampled") is watch
print(json.dumps(report))
"""
)


def test_looks_follow_proof_and_stay_within_the_budget(step, cuda):
    place = step(snapshot="off")
    done = place.run("import time\n" + COLLECTIONS, place.evidence, python=cuda)
    assert done.code == 0, done.err
    report = json.loads(done.out)
    assert report["no proof"] == [0, 0]
    # What a full collection leaves is nothing: a look waits for more.
    assert report["right after it"] == [0, 0]
    assert report["proof, then look"] == [1, 1]
    assert report["once"] == [1, 1]
    assert report["no budget"] == [1, 1]
    assert report["late"] == [2, 2]
    assert report["nothing"] == [3, 2]
    assert report["back off"] is True
    assert report["stopped"] == [3, 2]
    assert report["looked often"] == [4, 2, 2, 1]
    assert report["same watch"] is True


# Random graphs of objects and tensors, held from random places. What a look counts is what the next collection frees, whichever
# of the two ways it found it.
RANDOM = (
    PRELUDE
    + """
import itertools, random, threading
from _oom_autopsy.cycles import rings as cycles_graph, search as cycles_search
if "whole" in sys.argv:
    cycles_search.Search.garbage = lambda self: None
ways = {"search": 0, "whole": 0}
for owner, name, way in ((cycles_search.Search, "garbage", "search"), (cycles_graph, "unreachable", "whole")):
    def counted(*args, real=getattr(owner, name), way=way):
        found = real(*args)
        ways[way] += found is not None
        return found
    setattr(owner, name, counted)
class Slots:
    __slots__ = ("held", "more")
class Holder:
    shared = None
    def method(self): pass
def generator(*held):
    yield held
def closure(*held):
    return lambda: held
KINDS = [lambda: Node(), lambda: Slots(), lambda: [], lambda: {}, lambda: set(), lambda: Holder()]
def give(holder, thing, number):
    if type(holder) is list: holder.append(thing)
    elif type(holder) is dict: holder[number] = thing
    elif type(holder) is set: holder.add(Key(thing))
    elif type(holder) is Slots: holder.held, holder.more = thing, getattr(holder, "held", None)
    else: setattr(holder, "a%d" % number, thing)
class Key:
    def __init__(self, thing): self.thing = thing
def things(choose, count):
    made = []
    for _ in range(count):
        what = choose.randrange(6)
        base = torch.empty(choose.randrange(1, 5) * 65536, device="cuda")
        if what == 1: made.append(base[1:])
        elif what == 2:
            weight = torch.nn.Parameter(base)
            made.append((weight * 2).exp().sum())
        elif what == 3: made.append(torch.nn.Linear(256, 64, device="cuda"))
        elif what == 4:
            layer = torch.nn.Linear(64, 64, device="cuda")
            made.append(torch.optim.SGD(layer.parameters(), 0.1))
        else: made.append(base)
    return made
def build(choose):
    nodes = [choose.choice(KINDS)() for _ in range(choose.randrange(4, 40))]
    for number in range(choose.randrange(3 * len(nodes))):
        other = choose.choice(nodes)
        other = choose.choice([other, other, (other,), closure(other), generator(other), itertools.repeat(other), weakref.ref(other)
                               if type(other) in (Node, Holder) else other, other.method if type(other) is Holder else other])
        if type(other).__name__ == "generator": next(other)
        give(choose.choice(nodes), other, number)
    for number, thing in enumerate(things(choose, choose.randrange(1, 12))):
        for _ in range(choose.randrange(1, 3)): give(choose.choice(nodes), thing, number)
    kept = choose.sample(nodes, choose.randrange(0, 4))
    KEEP["global"] = kept[:1]
    Holder.shared = kept[1:2]
    return kept[2:]
def waits(held, go, done):
    done.set(); go.wait()
wrong = []
watch = start("sampled")
gc.collect(), gc.disable()
for seed in range(int(sys.argv[2]), int(sys.argv[3])):
    choose = random.Random(seed)
    def here():
        local = build(choose)
        go, done = threading.Event(), threading.Event()
        thread = threading.Thread(target=waits, args=([local.pop()] if local else [], go, done))
        thread.start(), done.wait()
        held, look = allocated(), watch.look()
        gc.collect()
        freed = held - allocated()
        if amount(look) != freed: wrong.append([seed, amount(look), freed, look["reason"]])
        go.set(), thread.join()
    here()
    KEEP.clear()
    Holder.shared = None
    gc.collect()
print(json.dumps([wrong, ways]))
"""
)


@pytest.mark.parametrize("way", ("search", "whole"))
@pytest.mark.parametrize("seeds", ((0, 12), pytest.param((12, 200), marks=pytest.mark.long)))
def test_what_a_look_counts_is_what_the_next_collection_frees(seeds, way, step, cuda):
    place = step(snapshot="off")
    done = place.run(RANDOM, place.evidence, *seeds, way, python=cuda, timeout=600)
    assert done.code == 0, done.err
    wrong, ways = json.loads(done.out)
    assert wrong == []
    # Where the search is not through soon, all objects are looked at: some of these graphs are large for it.
    assert ways[way] > 0.6 * (seeds[1] - seeds[0]), ways


LONG = """
import gc, time
import torch
class Batch:
    def __init__(self):
        self.t = torch.empty(1 << 14, device="cuda"); self.me = self
torch.zeros(1, device="cuda")
rows, steps, end = [], 0, time.monotonic() + {seconds}
while time.monotonic() < end:
    # a step: what it leaves behind survives two collections of the young, and then is garbage
    batches = [Batch() for _ in range(3)]
    rows = [[i] for i in range(12_000)]
    time.sleep(0.002)
    del batches
    steps += 1
    if steps % 40 == 0: gc.collect()
print(gc.get_stats()[2]["collections"] > 3)
"""


def sampled_in_a_run(lain, python, seconds, more=""):
    program = more + LONG.replace("{seconds}", str(seconds))
    done = lain.run(program, python=python, timeout=seconds + 100)
    assert (done.code, done.out, done.ours) == (0, "True\n", []), done.err
    return done.receipt["cycles"]


def test_a_long_run_finds_a_cycle_while_it_runs(step, cuda):
    """With nothing to see at its end, and no out-of-memory."""
    more = """
import atexit, gc
from _oom_autopsy.cycles import watch as cycles_watch
cycles_watch.BUDGET, cycles_watch.PAUSE_S = 1.0, 0.1
"""
    total = sampled_in_a_run(step(cycles="warn"), cuda, 8, more)
    assert total["looks"] >= 2 and total["count"] == 1
    assert total["cycles"][0]["types"] == [{"name": "__main__.Batch", "count": 1}]


@pytest.mark.long
def test_a_long_run_finds_a_cycle_within_its_share_of_the_time(step, cuda):
    total = sampled_in_a_run(step(cycles="warn"), cuda, 75)
    assert total["looks"] >= 2 and total["count"] == 1
    assert total["cycles"][0]["types"] == [{"name": "__main__.Batch", "count": 1}]


FORK = (
    PRELUDE
    + """
mode = sys.argv[2]
watch = start(mode)
ring(tensor())
child = os.fork()
if child == 0:
    ring(1)
    collect()
    look, account = watch.look(), watch.summary()
    watch.stop()
    ok = look["looks"] == account["looks"] == 0 and gc.get_debug() == 0 and not gc.callbacks
    os._exit(0 if ok else 9)
status = os.waitpid(child, 0)[1]
before = len(gc.callbacks)
collect()
if mode == "sampled":
    ring(tensor())
    watch.look()
print(json.dumps([status, before, watch.summary()["count"]]))
"""
)


@pytest.mark.parametrize("mode", MODES)
def test_a_forked_child_has_no_watch(step, cuda, mode):
    place = step(snapshot="off")
    done = place.run(FORK, place.evidence, mode, python=cuda)
    assert json.loads(done.out) == [0, 1, 1], done.err


CONTINUOUS = (
    PRELUDE
    + """
from _oom_autopsy import torch_api
def history():
    return len(torch.cuda.memory._snapshot()["device_traces"][0])
def churn():
    for _ in range(300):
        torch.empty(1, device="cuda")
whole = "whole" in sys.argv
if whole:
    torch_api.cycles_has_observer = lambda name: False  # as a torch would be that hides it
torch.zeros(1, device="cuda")
arm = lambda: torch.cuda.memory._record_memory_history(max_entries=100, context="all", stacks="python")
arm()
gc.disable()
restored = []
watch = start("continuous", restore_recorder=lambda: (restored.append(1), arm()))
churn()
ring(tensor())
collect()
watch.stop()
account = watch.summary()
churn()
print(json.dumps([len(restored), amount(account), gc.get_debug(), len(gc.callbacks), history() <= 101]))
"""
)


@pytest.mark.parametrize("how", ["half", "whole"])
def test_continuous_leaves_the_recorder_with_its_bound(step, cuda, how):
    place = step(snapshot="off")
    done = place.run(CONTINUOUS, place.evidence, how, python=cuda)
    assert done.code == 0, done.err
    assert json.loads(done.out) == [int(how == "whole"), MiB, 0, 0, True]


CPU = """
import json, sys
import torch
from _oom_autopsy.cycles import start as cycles
watch = cycles.start(sys.argv[2])
first = watch.look()
watch.stop()
print(json.dumps([watch.summary()["state"], watch.summary()["reason"], first["state"], first["count"]]))
"""


@pytest.mark.parametrize("mode", MODES)
def test_a_cpu_build_has_nothing_to_watch_and_says_so(step, cpu, mode):
    place = step(snapshot="off")
    done = place.run(CPU, place.evidence, mode, python=cpu)
    assert done.code == 0, done.err
    state, reason, look, count = json.loads(done.out)
    assert (state, look, count) == ("nothing-to-watch", "nothing-to-watch", 0)
    assert "no CUDA" in reason and "install" in reason


OOM = """
import gc, torch
from _oom_autopsy.cycles import watch as cycles_watch
cycles_watch.LOOK_S = 60.0
gc.disable()
class Node:
    pass
def plant():
    node = Node()
    node.me, node.weight = node, torch.empty(64 * 2**18, device="cuda")
torch.zeros(1, device="cuda")
plant()
held = torch.cuda.memory_allocated()
try:
    torch.empty(300 * 2**18, device="cuda")
except torch.OutOfMemoryError:
    pass
print(torch.cuda.memory_allocated() == held)
"""


def test_an_out_of_memory_says_what_only_cycles_held_and_frees_nothing(step, cuda):
    place = step(cycles="warn")
    done = place.run(OOM, python=cuda)
    assert (done.code, done.out.strip(), done.ours) == (0, "True", []), done.err
    (event,) = done.receipt["ooms"]
    assert event["snapshot"]
    look = event["cycles"]
    assert (look["state"], look["reason"], look["bytes"], look["count"]) == (
        "watching",
        None,
        {"cuda:0": 64 * MiB},
        1,
    )
    assert look["cycles"][0]["types"] == [{"name": "__main__.Node", "count": 1}]
    assert look["cycles"][0]["frames"][0]["function"] == "plant"
    total = done.receipt["cycles"]
    assert (total["count"], total["bytes"]) == (1, {"cuda:0": 64 * MiB})
