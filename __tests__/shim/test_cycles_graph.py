"""What nothing reaches, found by reading: the same objects that a collection then frees, and how cycles are told apart."""

import gc
import itertools
import os
import random
import sys
import weakref

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), os.pardir, os.pardir, "python", "shim"))

from _oom_autopsy.cycles import names
from _oom_autopsy.cycles import rings as graph
from _oom_autopsy.cycles.memory import Storage
from _oom_autopsy.heap.objects import Clock, OutOfTime

pytestmark = pytest.mark.skipif(
    graph.can_read_references() is not None, reason="skipped: no exact reference counts here"
)


class Node:
    pass


class Slots:
    __slots__ = ("__weakref__", "other")


@pytest.fixture(autouse=True)
def _no_collections():
    gc.collect()
    gc.disable()
    yield
    gc.enable()
    gc.collect()


def unreachable(is_owned=lambda obj: False):
    return graph.unreachable(Clock(60.0), is_owned)


def found(kind=(Node, Slots)):
    return sum(1 for o in unreachable().objects if type(o) in kind)


def test_a_ring_is_found_and_what_hangs_on_it_and_nothing_is_freed():
    node, leaf = Node(), Node()
    node.me, node.leaf = node, leaf
    refs = [weakref.ref(node), weakref.ref(leaf)]
    assert found() == 0
    del node, leaf
    assert found() == 2
    assert found() == 2
    assert all(ref() is not None for ref in refs)
    gc.collect()
    assert [ref() for ref in refs] == [None, None]
    assert found() == 0


def test_what_a_frame_a_generator_or_c_code_holds_is_reachable():
    def waiting(node):
        yield node

    node = Node()
    node.me = node
    generator = waiting(node)
    next(generator)
    chain = itertools.chain([node])
    del node
    assert found() == 0
    del generator
    assert found() == 0
    del chain
    assert found() == 1


def test_frozen_objects_hold_what_they_refer_to():
    node = Node()
    node.me = node
    gc.freeze()
    try:
        node.young = young = Node()
        young.me = young
        del node, young
        assert found() == 0
    finally:
        gc.unfreeze()
    assert found() == 2


@pytest.mark.parametrize("seed", range(12))
def test_it_agrees_with_the_collector_on_random_graphs(seed):
    choose = random.Random(seed)
    nodes = [choose.choice((Node, Slots))() for _ in range(60)]
    for node in nodes:
        targets = [choose.choice(nodes) for _ in range(choose.randrange(3))]
        node.other = choose.choice((list, tuple, lambda x: dict(enumerate(x)), lambda x: iter(list(x))))(
            targets
        )
    keep = choose.sample(nodes, 3)
    refs = [weakref.ref(node) for node in nodes]
    del node, nodes, targets
    predicted = set(map(id, (o for o in unreachable().objects if type(o) in (Node, Slots))))
    before = {id(ref()): ref for ref in refs if ref() is not None}
    gc.collect()
    assert predicted == {number for number, ref in before.items() if ref() is None}
    assert keep


def test_one_more_reference_may_be_an_owner_outside_python():
    """A tensor that C++ owns too has one reference more than Python objects hold; what only it leads to stays alive."""
    owned, inner, outer = Node(), Node(), Node()
    inner.me = owned.inner = inner
    outer.me, outer.owned = outer, owned
    keep = itertools.repeat(owned, 1)  # a reference from C that no object shows... so it is
    chain = [owned]
    number = id(owned)
    del inner, outer, owned
    hidden = keep if not any(o is chain[0] for o in gc.get_referents(keep)) else None
    chain.clear()
    garbage = graph.unreachable(Clock(60.0), lambda obj: id(obj) == number)
    assert hidden is None or [id(o) for o in garbage.owned] == [number]
    assert {id(o) for o in garbage.objects if type(o) is Node} == {
        id(o) for o in gc.get_objects() if type(o) is Node and getattr(o, "owned", None) is not None
    }
    assert [id(o) for o in graph.referred(garbage, Clock(60.0))] == ([number] if hidden is not None else [])


def test_the_deadline_ends_a_look_and_leaves_nothing_behind():
    ticks = itertools.count()
    node = Node()
    node.me = node
    alive = weakref.ref(node)
    del node
    with pytest.raises(OutOfTime, match="live objects"):
        graph.unreachable(Clock(0.5, lambda: next(ticks)), lambda obj: False)
    gc.collect()
    assert alive() is None


def holding(objects, storages, known=()):
    """Of these objects, with the dictionaries of their own that Python may have given them."""
    own = [o for o in gc.get_referents(*objects) if type(o) is dict]
    return graph.holding([*objects, *own], storages, set(known), Clock(60.0))


def one(weight=1 << 20, kind=Node):
    """A ring of two and a stand-in for a tensor that hangs on it."""
    first, second, tensor = kind(), kind(), []
    first.other, second.other = second, first
    second.held = tensor
    return [first, second, tensor], {2: [Storage("cuda:0", id(tensor), weight)]}


def test_equal_cycles_have_one_shape_and_others_another():
    objects, storages = one()
    more, _ = one()
    everything = objects + more
    storages[5] = [Storage("cuda:0", id(more[2]), 512)]
    cycles = holding(everything, storages)
    assert [c.shape for c in cycles] == [cycles[0].shape] * 2
    assert [c.size for c in cycles] == [2, 2]
    assert [[s.bytes for s in c.storages] for c in cycles] == [[1 << 20], [512]]
    assert cycles[0].picture.ring == [("test_cycles_graph.Node", ".other")] * 2
    assert cycles[0].picture.held == [(1, [(".held", "list")], 1 << 20, "cuda:0")] or cycles[0].picture.held[
        0
    ][1] == [(".held", "list")]
    assert cycles[1].picture is None  # known by then
    objects[0].third = third = Node()
    third.back = objects[0]
    (changed,) = holding([*objects, third], {2: storages[2]})
    assert changed.shape != cycles[0].shape


def test_memory_goes_to_the_innermost_cycle_once():
    inner, inner_storages = one()
    outer, _ = one()
    outer[1].inner = inner[0]
    objects = inner + outer
    cycles = holding(objects, {**inner_storages, 5: [Storage("cuda:1", 7, 1024)]})
    assert [sum(s.bytes for s in c.storages) for c in cycles] == [1 << 20, 1024]
    only = holding(objects, inner_storages)
    assert len(only) == 1


def test_garbage_in_no_cycle_is_no_row():
    holder, tensor = Node(), []
    holder.held = tensor
    assert holding([holder, tensor], {1: [Storage("cuda:0", 1, 512)]}) == []


def test_a_long_ring_needs_no_recursion_and_its_picture_is_bounded():
    nodes = [Node() for _ in range(5000)]
    for node, following in zip(nodes, [*nodes[1:], nodes[0]]):
        node.other = following
    tensor = nodes[0].held = []
    (cycle,) = holding([*nodes, tensor], {5000: [Storage("cuda:0", 1, 512)]})
    assert (cycle.size, len(cycle.picture.ring), cycle.picture.ring_cut) == (5000, 24, 4976)


def test_names_come_from_code_or_are_not_said():
    def name(*arguments):
        return names.type_name(type(*arguments))

    assert names.type_name(dict) == "dict"
    assert names.type_name(Node) == "test_cycles_graph.Node"
    assert name("Fine", (), {"__module__": "os.path"}) == "os.path.Fine"
    assert name("Fine", (), {"__module__": "no such module"}) == "?.Fine"
    assert name("Fine", (), {"__module__": "no.such"}) == "?.Fine"
    assert name("Fine", (), {"__module__": 3}) == "?.Fine"
    assert name("not fine", (), {}) == "?"
    assert name("Fine", (), {"__qualname__": "f.<locals>.Fine", "__module__": "os"}) == "os.f.<locals>.Fine"
    assert name("Fine", (), {"__qualname__": "a" * 65}) == "?"


def test_attributes_are_named_and_dict_keys_are_not():
    node = Node()
    node.__dict__.update({"fine": 1, "not fine": 2})
    own = names.instance_dict(node, names.bases_of(Node))
    assert [names.attribute_label(key) for key in own] == [".fine", "attribute"]

    class Mapping(dict):
        pass

    assert names.instance_dict(Mapping(), names.bases_of(Mapping)) is None
    labels, otherwise = names.reference_labels({"key": node}, names.bases_of(dict))
    assert (labels, otherwise) == ({}, "[value]")
    slots = Slots()
    slots.other = node
    assert names.reference_labels(slots, names.bases_of(Slots))[0][id(node)] == ".other"
