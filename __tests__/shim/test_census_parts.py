"""The parts of the census that need no torch: sums, names, walking objects without running their code, and
its bounds."""

import gc
import os
import pathlib
import sys
import threading
import time
import types
from collections import OrderedDict, defaultdict, deque, namedtuple

import pytest
from conftest import python_or_skip, run
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python" / "shim"))

from _oom_autopsy.census import census
from _oom_autopsy.census import pools as census_pools
from _oom_autopsy.census import sums as census_sum
from _oom_autopsy.heap import frames as census_frames
from _oom_autopsy.heap import names as census_names
from _oom_autopsy.heap import objects as census_objects

# --- adding up ---

entries = st.lists(
    st.tuples(
        st.integers(1, 1 << 34),
        st.integers(0, len(census_sum.RANKS) - 1),
        st.sampled_from([None, "a", "b.c"]),
    )
)


def test_an_owner_has_its_kind_and_its_largest_tensor():
    made = [census_sum.Entry(size, 0, "a", "tensor", f"t{size}") for size in (512, 2048, 1024)]
    found, _ = census_sum.add_up(made, 4096, None, 512, describe=str.upper)
    assert found["parameter"]["owners"] == [
        {"name": "a", "bytes": 3584, "count": 3, "kind": "tensor", "largest": "T2048"}
    ]


@given(entries, st.integers(0, 1 << 38), st.integers(0, 1 << 38) | st.none(), st.sampled_from([1, 512]))
def test_categories_always_add_up_to_the_allocators_number(rows, allocated, requested, granule):
    found, excess = census_sum.add_up([census_sum.Entry(*row) for row in rows], allocated, requested, granule)
    assert sum(category["bytes"] for category in found.values()) == allocated
    assert sum(reason["bytes"] for reason in found["unknown"]["reasons"]) == found["unknown"]["bytes"]
    assert all(category["bytes"] >= 0 for category in found.values())
    seen = sum(census_sum.rounded(row[0], granule) for row in rows)
    assert excess == max(0, seen - allocated)


def segment(pool, address, blocks):
    """A segment as torch's snapshot has it; `blocks`: [(bytes, live)]."""
    rows, at = [], address
    for size, live in blocks:
        state = "active_allocated" if live else "inactive"
        rows.append({"address": at, "size": size, "requested_size": size, "state": state})
        at += size
    return {
        "device": 0,
        "address": address,
        "total_size": at - address,
        "segment_pool_id": pool,
        "blocks": rows,
    }


pool_ids = st.sampled_from([(0, 0), *((n, 0) for n in range(1, 20)), *((0, n) for n in range(1, 20))])
blocks = st.lists(st.tuples(st.integers(1, 8).map(lambda n: n * 512), st.booleans()), min_size=1, max_size=4)


@given(st.lists(st.tuples(pool_ids, blocks), max_size=60), st.randoms())
def test_pools_add_up_each_and_all_together(made, random):
    segments = [segment(pool, 4096 * (n + 1) << 8, held) for n, (pool, held) in enumerate(made)]
    live = [
        (block["address"], block["size"])
        for one in segments
        for block in one["blocks"]
        if block["state"] == "active_allocated"
    ]
    entries = {
        address: census_sum.Entry(size, random.randrange(len(census_sum.RANKS)), None)
        for address, size in live
        if random.random() < 0.7
    }
    private = census_pools.private(segments)
    rows = census_pools.rows(private.get(0, {}), entries, 512)
    foreign = [one for one in segments if one["segment_pool_id"] != (0, 0)]
    assert sum(row["reserved"] for row in rows) == sum(one["total_size"] for one in foreign)
    assert sum(row["count"] for row in rows) == len({one["segment_pool_id"] for one in foreign})
    assert len(rows) <= census_pools.MOST + 1
    for row in rows:
        assert sum(row["categories"].values()) == row["allocated"] <= row["reserved"]
        assert row["kind"] == ("rest" if row["id"] is None else "graph" if row["id"][0] != "0" else "handle")
    inside = [
        entries[address].size
        for one in foreign
        for block in one["blocks"]
        for address in [block["address"]]
        if address in entries
    ]
    seen = sum(size for row in rows for name, size in row["categories"].items() if name != "unknown")
    assert seen <= sum(inside)


def test_more_seen_than_allocated_takes_from_the_weakest_fact():
    rows = [
        census_sum.Entry(1024, census_sum.PARAMETER, "w"),
        census_sum.Entry(2048, census_sum.VISIBLE, None),
    ]
    found, excess = census_sum.add_up(rows, 2048, None, 512)
    assert (found["parameter"]["bytes"], found["unknown"]["bytes"], excess) == (1024, 1024, 1024)


def test_blocks_larger_than_asked_for_are_told_from_what_is_not_seen():
    rows = [census_sum.Entry(1000, census_sum.PARAMETER, "w")]
    # 1024 for the parameter (24 of rounding), a block of 3 MiB for a request of 2 MiB, and 512 that nobody
    # shows
    allocated, requested = 1024 + (3 << 20) + 512, 1000 + (2 << 20) + 512
    found, _ = census_sum.add_up(rows, allocated, requested, 512)
    assert found["unknown"]["reasons"] == [
        {"reason": "not seen", "bytes": (2 << 20) + 512, "count": None},
        {"reason": "block larger than asked for", "bytes": 1 << 20, "count": None},
    ]


def test_what_no_storage_accounts_for_is_a_workspace_or_not_seen():
    unseen = census_sum.unseen
    assert unseen(0, [], None) == {}
    assert unseen(10, [], "there") == {"not seen": [10, None]}, "little is worth no word"
    assert unseen(1 << 20, [], "there") == {"not seen; there": [1 << 20, None]}
    assert unseen(30, [8, 8], None) == {census_sum.WORKSPACE: [16, 2], "not seen": [14, None]}
    assert unseen(10, [8, 8], None) == {"not seen": [10, None]}, "blocks that are something else"


def test_the_strongest_fact_wins_whatever_comes_first():
    order = [census_sum.VISIBLE, census_sum.SAVED, census_sum.INPUT, census_sum.BUFFER, census_sum.GRADIENT]
    for facts in (order, order[::-1]):
        ledger = census_sum.Ledger()
        for rank in facts:
            ledger.put(0, 4096, 100, True, rank, str(rank))
        (entry,) = ledger.own[0].values()
        assert (entry.rank, entry.name) == (census_sum.GRADIENT, str(census_sum.GRADIENT))


def test_order_of_precedence():
    assert [census_sum.RANKS[rank] for rank in sorted(range(len(census_sum.RANKS)))] == [
        ("parameter", None),
        ("gradient", None),
        ("optimizer_state", None),
        ("unknown", "module buffer"),
        ("input", None),
        ("activation", None),
        ("activation", None),
        ("input", None),
        ("unknown", "leaf of a live graph"),
        ("unknown", "visible tensor"),
        ("unknown", "visible storage"),
    ]


def test_memory_inside_a_block_joins_it_and_other_memory_stays_outside():
    ledger = census_sum.Ledger()
    ledger.put(0, 4096, 1024, True, census_sum.VISIBLE, None)
    ledger.put(0, 4096 + 512, 256, False, census_sum.SAVED, "MulBackward0")  # a slice of it
    ledger.put(0, 4096 + 1024, 256, False, census_sum.SAVED, None)  # right behind it
    ledger.put(0, 64, 256, False, census_sum.SAVED, None)  # ahead of it
    ledger.put(1, 4096, 128, False, census_sum.SAVED, None)  # another device
    assert ledger.settle() == {0: (2, 512), 1: (1, 128)}
    assert ledger.own[0][4096].name == "MulBackward0"


def test_owners_are_the_ten_largest_then_by_name():
    owners = [census_sum.Owner(f"n{i:02}") for i in range(30)]
    for i, owner in enumerate(owners):
        owner.add(i // 2, census_sum.Entry(i // 2, 0, owner.name))
    found = census_sum.top(owners)
    assert [owner["name"] for owner in found][:4] == ["n28", "n29", "n26", "n27"]
    assert len(found) == 10


# --- names ---


@pytest.mark.parametrize(
    ("given_name", "shown"),
    [
        ("exp_avg", "exp_avg"),
        ("a.b_1", "a.b_1"),
        ("", "(key)"),
        ("two words", "(key)"),
        ("naïve", "(key)"),
        ("x" * 121, "(key)"),
        ("x\n", "(key)"),
        (7, "(key)"),
        (("a",), "(key)"),
    ],
)
def test_names_are_plain_or_not_shown(given_name, shown):
    assert census_names.clean(given_name) == shown


def test_long_paths_keep_their_end():
    path = census_names.joined(["layer"] * 40 + ["weight"])
    assert len(path) == 120 and path.startswith("...") and path.endswith("layer.weight")


# --- looking into objects ---


class FakeApi:
    """Stands for CensusApi: its roots are plain classes."""

    class Tensor:
        pass

    class Module:
        pass

    class Optimizer:
        pass

    tensor, parameter, module, optimizer = Tensor, type("Parameter", (Tensor,), {}), Module, Optimizer
    function_node, storage = type("Node", (), {}), type("Storage", (), {})
    pool_types = (type("Pool", (), {}),)
    plain_tensors = (Tensor, parameter)


@pytest.fixture
def kinds():
    return census_objects.Kinds(FakeApi)


def test_tensors_are_found_in_nested_values(kinds):
    t = [FakeApi.Tensor() for _ in range(12)]

    class Slotted:
        __slots__ = ("empty", "held")

    class Plain:
        def __init__(self, value):
            self.value = value

    slotted = Slotted()
    slotted.held = t[6]
    Pair = namedtuple("Pair", "a b")
    value = {
        "list": [t[0], (t[1],)],
        "ordered": OrderedDict(x=t[2]),
        3: defaultdict(list, {("k",): deque([t[3]])}),
        None: Pair(t[4], frozenset([t[5]])),
        "slotted": slotted,
        "plain": Plain([Plain(t[7])]),
        "set": {t[8]},
    }
    value["self"] = value
    assert set(census_objects.tensors_in(kinds, value, objects=True)) == set(t[:9])
    assert set(census_objects.tensors_in(kinds, value)) == {*t[:6], t[8]}, "without objects, containers only"
    module = FakeApi.Module()
    module.weight = t[9]
    assert census_objects.tensors_in(kinds, [module, type, census, len], objects=True) == []


def test_no_code_of_the_objects_runs(kinds):
    def used(*_):
        raise AssertionError("the object's code ran")

    class Meta(type):
        __hash__ = __eq__ = __instancecheck__ = __getattribute__ = used

    body = dict.fromkeys(
        (
            "__hash__",
            "__eq__",
            "__bool__",
            "__len__",
            "__iter__",
            "__getattribute__",
            "__repr__",
            "keys",
            "items",
        ),
        used,
    )
    EvilDict = type("EvilDict", (dict,), {**body, "values": used, "__class__": property(used)})
    EvilList = type("EvilList", (list,), {**body, "copy": used})
    Evil = Meta("Evil", (), {**body, "__slots__": ("held", "__dict__")})
    Property = type("Property", (), {"__dict__": property(used)})
    evil, tensor = object.__new__(Evil), FakeApi.Tensor()
    type.__dict__["__dict__"].__get__(Evil)["held"].__set__(evil, tensor)
    found = census_objects.Found()
    for obj in (evil, EvilDict(a=1), EvilList(), Property(), Evil, EvilDict):
        found.take(kinds, obj)
    assert census_objects.tensors_in(kinds, [EvilDict(a=EvilList([evil])), Property()], objects=True) == [
        tensor
    ]


def test_wide_and_deep_values_are_bounded(kinds, monkeypatch):
    monkeypatch.setattr(census_objects, "MAX_ITEMS", 10)
    tensors = [FakeApi.Tensor() for _ in range(14)]
    assert census_objects.tensors_in(kinds, [tensors[:5]]) == tensors[:5] and kinds.wide == 0
    assert census_objects.tensors_in(kinds, [tensors]) == tensors[:9] and kinds.wide == 1
    deep = FakeApi.Tensor()
    for _ in range(census_objects.MAX_DEPTH - 1):
        deep = [deep]
    assert len(census_objects.tensors_in(kinds, deep)) == 1
    assert census_objects.tensors_in(kinds, [deep]) == []


def test_every_live_object_is_looked_at_and_the_clock_stops_it(kinds):
    module = FakeApi.Module()
    holder = [module]  # tracked by the collector
    found, everything = census_objects.Found(), gc.get_objects()
    census_objects.live_objects(kinds, found, everything, census_objects.Clock(60), 10_000_000, 1.0)
    assert any(one is module for one in found.modules) and holder
    assert found.objects == len(everything) > 10_000
    ticks = iter(range(100))
    clock = census_objects.Clock(2.5, now=lambda: next(ticks))
    gone, objects = census_objects.Found(), [[] for _ in range(4 * census_objects.CHUNK)]
    with pytest.raises(census_objects.OutOfTime) as stopped:
        census_objects.live_objects(kinds, gone, objects, clock, 10_000_000, 1.0)
    assert f"looked at {gone.objects} of " in str(stopped.value)
    assert gone.objects == 64 + census_objects.CHUNK
    with pytest.raises(census_objects.OutOfTime):
        census_objects.live_objects(kinds, gone, objects, census_objects.Clock(60), gone.objects, 1.0)
    census_objects.live_objects(kinds, gone, objects, census_objects.Clock(60), 10_000_000, 1.0)
    assert gone.objects == len(objects), "it went on where it had stopped"


def test_the_clock_counts_the_work_of_its_thread_and_the_wall_and_hears_that_nobody_waits():
    started, wall = time.monotonic(), census_objects.Clock(0.2, wall_s=60)
    time.sleep(0.3)
    wall.check(lambda: "asleep")  # that was no work
    with pytest.raises(census_objects.OutOfTime, match="the machine is busy"):
        census_objects.Clock(60, wall_s=0).check(lambda: "x")
    busy = census_objects.Clock(0.05)
    with pytest.raises(census_objects.OutOfTime, match=r"0\.05 s were over: working"):
        while time.monotonic() < started + 60:
            busy.check(lambda: "working")
    with pytest.raises(census_objects.Ended, match="gone"):
        census_objects.Clock(60, ended=lambda: "gone").check(lambda: "x")


def test_paths_in_the_module_tree(kinds):
    def module(cls=FakeApi.Module, **children):
        made = cls()
        made._modules, made._parameters, made._buffers = children, {"weight": object()}, {}
        return made

    Net = type("Net", (FakeApi.Module,), {})
    leaf = module()
    net = module(Net, layers=module(**{"0": leaf, "bad name": module()}))
    other = module(Net, head=module())
    ring = module()
    ring._modules["ring"] = ring
    first, second = module(), module()
    first._modules["b"], second._modules["a"] = second, first
    everything = [net, other, ring, first, second]
    for one in list(everything):
        everything += [c for c in one._modules.values() if c not in everything]
    everything += list(net._modules["layers"]._modules.values())
    tree = census_names.ModuleTree(kinds, everything)
    assert tree.name(leaf, "weight") == "layers.0.weight", "one root, no prefix"
    tree.name_roots([net, other, net])
    assert tree.name(leaf, "weight") == "Net.layers.0.weight"
    assert tree.name(other._modules["head"], "weight") == "Net#2.head.weight"
    assert tree.name(net._modules["layers"]._modules["bad name"], "weight") == "Net.layers.(key).weight"
    assert tree.name(ring, "weight") == "weight"
    assert tree.name(first, "weight") in ("a.weight", "weight")


def test_wrappers_are_not_in_paths_and_numbers_of_like_siblings_are_stars(kinds):
    def module(cls=FakeApi.Module, **children):
        made = cls()
        made._modules, made._parameters, made._buffers = children, {"weight": object()}, {}
        return made

    Wrapper = type("DistributedDataParallel", (FakeApi.Module,), {})
    Other = type("Other", (FakeApi.Module,), {})
    leaves = [module() for _ in range(2)]
    blocks = module(**{str(i): module(_checkpoint_wrapped_module=leaf) for i, leaf in enumerate(leaves)})
    mixed = module(**{"0": module(Other), "1": module()})
    net = module(Wrapper, module=module(_orig_mod=module(blocks=blocks, mixed=mixed, module=module(Other))))
    everything, todo = [], [net]
    while todo:
        everything.append(todo.pop())
        todo += everything[-1]._modules.values()
    tree = census_names.ModuleTree(kinds, everything)
    tree.name_roots([net], {id(net): "model"})
    assert tree.path(leaves[1]) == ("blocks", "1") and tree.name(leaves[1], "weight") == "blocks.*.weight"
    assert tree.name(mixed._modules["1"], "weight") == "mixed.1.weight"
    assert tree.shown(()) == "model"
    inner = net._modules["module"]._modules["_orig_mod"]
    assert tree.name(inner._modules["module"], "weight") == "module.weight", "a name of the user's own"


# --- frames ---


def frame_of(function, *args):
    """The frame of a call, from inside it."""
    seen = []
    function(lambda: seen.append(sys._getframe(1)), *args)
    return seen[0]


def test_the_outermost_call_outside_a_backward_pass():
    def call(then, self=None, args=(), kwargs=None):
        then()

    def backward(then):
        then()

    calls, backwards = {id(call.__code__)}, {id(backward.__code__)}

    def stack_of(*functions):
        stacks = []

        def last():
            frame, stack = sys._getframe(1), []
            while frame is not None:
                stack.append(frame)
                frame = frame.f_back
            stacks.append(stack)

        then = last
        for function in reversed(functions):
            then = lambda function=function, then=then: function(then)  # noqa: E731
        then()
        return stacks[0]

    stack = stack_of(call, call)
    outer = [frame for frame in stack if frame.f_code is call.__code__][-1]
    assert census_frames.outermost_call(stack, calls, backwards) is outer
    assert census_frames.outermost_call(stack_of(backward, call), calls, backwards) is None
    stack = stack_of(call, backward, call)
    outer = [frame for frame in stack if frame.f_code is call.__code__][-1]
    assert census_frames.outermost_call(stack, calls, backwards) is outer


def test_arguments_of_a_frame():
    def call(then, self, args, kwargs):
        then()

    frame = frame_of(call, "self", (1,), {"k": 2})
    assert census_frames.arguments(frame) == ("self", (1,), {"k": 2})
    assert census_frames.arguments(frame_of(lambda then: then())) is None


# --- the look as a whole ---


@pytest.fixture
def torch(monkeypatch):
    """A stand-in for the torch module: CUDA is initialised, and everything else fails."""
    cuda = types.SimpleNamespace(is_initialized=lambda: True, _is_in_bad_fork=lambda: False)
    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(cuda=cuda))
    return sys.modules["torch"]


def test_without_torch_or_without_a_device_there_is_nothing_to_look_at(monkeypatch, torch):
    torch.cuda.is_initialized = lambda: False
    assert census.take()["devices"] == [] and census.take()["complete"]
    monkeypatch.delitem(sys.modules, "torch")
    assert census.take()["devices"] == [] and census.take()["cut"] is None


def test_a_forked_child_has_none(torch):
    torch.cuda._is_in_bad_fork = lambda: True
    found = census.take()
    assert not found["complete"] and "forked child" in found["cut"]


@pytest.mark.parametrize("collecting", [True, False])
def test_a_failure_is_a_reason_and_leaves_everything_as_it_was(torch, collecting):
    found = []
    was = gc.isenabled()
    (gc.enable if collecting else gc.disable)()
    try:
        found = [census.take(), census.take()]
        assert gc.isenabled() is collecting
    finally:
        (gc.enable if was else gc.disable)()
    for one in found:
        assert not one["complete"] and one["cut"] == "the look failed: AttributeError"
    assert census._running == {}


def test_a_second_look_at_the_same_time_is_not_taken(torch):
    inside, done, results = threading.Event(), threading.Event(), []

    def slow():
        inside.set()
        done.wait(30)
        return False

    torch.cuda.is_initialized = slow
    worker = threading.Thread(target=lambda: results.append(census.take()))
    worker.start()
    inside.wait(30)
    second = census.take()
    done.set()
    worker.join()
    assert second["cut"] == "another look was under way on another thread"
    assert results[0]["complete"] and census._running == {}
    census._running[os.getpid() + 1] = object()  # left by a parent that forked in the middle of a look
    try:
        assert census.take()["complete"]
    finally:
        census._running.clear()


# --- other Pythons ---

ELSEWHERE = """
import gc, sys
sys.path.insert(0, sys.argv[1])
from _oom_autopsy.census import census
from _oom_autopsy.heap import frames as census_frames, objects as census_objects

assert census.take()["cut"] is None

class Api:
    class Tensor: pass
    class Parameter(Tensor): pass
    class Module: pass
    class Optimizer: pass
    class Node: pass
    class Storage: pass
    tensor, parameter, module, optimizer = Tensor, Parameter, Module, Optimizer
    function_node, storage, pool_types = Node, Storage, ()
    plain_tensors = (Tensor, Parameter)

class Slotted:
    __slots__ = ("held",)

kinds, found = census_objects.Kinds(Api), census_objects.Found()
module, slotted = Api.Module(), Slotted()
module.weight, slotted.held = Api.Tensor(), Api.Tensor()
assert census_objects.tensors_in(kinds, {"a": [slotted]}, objects=True) == [slotted.held]
assert census_objects.field(kinds, module, "weight") is module.weight
census_objects.live_objects(kinds, found, gc.get_objects(), census_objects.Clock(60), 10**7, 1.0)
assert len(found.modules) == 1 and len(found.tensors) == 2

def call(self, *args, **kwargs):
    (stack,) = [stack for _, stack in census_frames.all_stacks()]
    frame = census_frames.outermost_call(stack, {id(call.__code__)}, set())
    return census_frames.begins_in_python(0, stack), census_frames.arguments(frame), args, kwargs

begins, (self, args, kwargs), own_args, own_kwargs = call("module", module, key=slotted)
assert (self, args, kwargs) == ("module", (module,), {"key": slotted})
assert (own_args, own_kwargs) == (args, kwargs), "the function's own locals are as they were"

hidden = census_objects.Found()
census_objects.hidden_objects(kinds, hidden, census_objects.Clock(60), 1.0, [])
assert hidden.hidden == 0, "what the interpreter froze at its start is nobody's tensor"

gc.freeze()
hidden = census_objects.Found()
census_objects.live_objects(kinds, hidden, gc.get_objects(), census_objects.Clock(60), 10**7, 1.0)
assert not hidden.modules
census_objects.hidden_objects(kinds, hidden, census_objects.Clock(60), 1.0, [])
assert len(hidden.modules) == 1 and len(hidden.tensors) == 2, hidden.__dict__
print("ok")
"""


@pytest.mark.parametrize("version", ["3.9", "3.10", "3.11", "3.12", "3.13"])
def test_on_every_python_that_torch_has(version):
    python = python_or_skip(version)
    done = run(ELSEWHERE, pathlib.Path(census.__file__).parents[2], python=python)
    assert (done.out, done.err) == ("ok\n", "")
