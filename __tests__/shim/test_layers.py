"""Activations by layer: against hooks on real models (layers_truth.py beside this), and the rules on graphs made by hand."""

import json
import pathlib

import pytest
from _oom_autopsy.census import layers
from conftest import device_env, run

HERE = pathlib.Path(__file__).resolve().parent
MODELS = (
    "transformer",
    "transformer, norm first",
    "cnn",
    "lstm",
    "lstm cells",
    "lora",
    "experts",
    "shared",
    "alternating",
)
WRITTEN_AFTER = ("tied", "u-net", "crossed")


@pytest.fixture(scope="module")
def scores():
    """{model: {verdict: bytes}}, all by one process."""
    import os

    python = os.environ.get("OA_PYTHON_CUDA")
    if not python:
        pytest.skip("skipped: OA_PYTHON_CUDA is not set (npm test sets it)")
    done = run("", argv=[python, HERE / "layers_truth.py"], env=device_env("1G"), timeout=300)
    assert done.code == 0, "\n".join(done.theirs)[-3000:]
    return {row["model"]: row for row in map(json.loads, done.out.splitlines())}


@pytest.mark.parametrize("model", MODELS + WRITTEN_AFTER)
def test_saved_bytes_have_the_layer_or_position_that_hooks_saw(scores, model):
    row = scores[model]
    found, total = row["bytes"], sum(row["bytes"].values())
    assert row["cut"] is None and total > 2**20
    right = sum(found.get(verdict, 0) for verdict in ("layer", "block", "position"))
    assert right >= 0.95 * total and found.get("wrong", 0) <= 0.005 * total, row


# --- the rules ---


def graph(*nodes, labels=(), kinds=None):
    """nodes: (operation, [nodes that it leads to], {(path, parameter)} or None), the last made last."""
    names = [name for name, _, _ in nodes]
    made = layers.Graph(names, list(range(len(nodes))), [edges for _, edges, _ in nodes])
    made.uses = {at: frozenset(uses) for at, (_, _, uses) in enumerate(nodes) if uses}
    made.leaves = {at for at, name in enumerate(names) if name == "AccumulateGrad"}
    return layers.Layers(made, (kinds or {}).get, frozenset(labels))


def leaf(*path, parameter="weight"):
    return ("AccumulateGrad", [], {(path, parameter)})


def test_a_node_is_of_the_layer_whose_parameter_it_uses_also_through_a_transpose():
    found = graph(leaf("a"), ("TBackward0", [0], None), ("AddmmBackward0", [1], None))
    assert found.place(2) == (layers.LAYER, [("a",)])


def test_what_lies_between_two_parts_of_a_block_that_was_called_once_is_of_that_block():
    nodes = [leaf("b", "x"), leaf("b", "y"), ("AddmmBackward0", [0], None), ("ReluBackward0", [2], None)]
    found = graph(*nodes, ("AddmmBackward0", [1, 3], None))
    assert found.place(3) == (layers.BLOCK, [("b",)])
    again = graph(*nodes, ("AddmmBackward0", [1, 3], None), ("AddmmBackward0", [0, 4], None))
    assert again.place(3) == (layers.POSITION, [("b", "x")]), "called twice, so it may lie between the calls"
    listed = graph(*nodes, ("AddmmBackward0", [1, 3], None), kinds={("b",): "list"})
    assert listed.place(3) == (layers.POSITION, [("b", "x")]), "nn.ModuleList has no forward"
    several = graph(*nodes, ("AddmmBackward0", [1, 3], None), labels={("b",)})
    assert several.place(3) == (layers.POSITION, [("b", "x")]), "a label is no block"


def test_a_tied_weight_goes_to_the_module_whose_operation_it_was():
    both = ("AccumulateGrad", [], {(("embed",), "weight"), (("head",), "weight")})
    kinds = {("embed",): "lookup", ("head",): "product"}
    found = graph(both, ("EmbeddingBackward0", [0], None), ("MmBackward0", [0, 1], None), kinds=kinds)
    assert found.place(1).paths == [("embed",)] and found.place(2).paths == [("head",)]


def test_numbers_of_two_threads_tell_no_order():
    made = layers.Graph(["AccumulateGrad", "A", "B", "C"], [None, 1, 1, 2], [[], [0], [0, 1], [2]])
    made.uses, made.leaves = {0: frozenset({(("a",), "w")})}, {0}
    assert layers.Layers(made, {}.get).place(3).kind == layers.NODE


def test_a_compiled_graph_is_named_by_what_its_parameters_share():
    found = graph(leaf("h", "0", "a"), leaf("h", "0", "b"), ("CompiledFunctionBackward", [0, 1], None))
    assert found.place(2) == (layers.COMPILED, [("h", "0")])


def test_names():
    shown = lambda path: ".".join("*" if p.isdigit() else p for p in path)  # noqa: E731
    place, block = layers.Place, [("h", "0", "q"), ("h", "0", "k")]
    assert layers.named(place(layers.LAYER, block), "X", shown) == "h.*.{q,k}"
    assert layers.named(place(layers.LAYER, [("h", "0"), ("h", "1")]), "X", shown) == "h.*"
    assert layers.named(place(layers.LAYER, [("a",), ("b", "c")]), "X", shown) == "a and 1 more"
    assert layers.named(place(layers.POSITION, [("a",)]), "X", shown) == "X after a"
    assert layers.named(place(layers.NODE, []), "X", shown) == "X"


def test_what_comes_after_a_compiled_graph_comes_after_what_is_around_it():
    nodes = [leaf("h", "0", "a"), leaf("h", "0", "b"), ("CompiledFunctionBackward", [0, 1], None)]
    found = graph(*nodes, ("SumBackward0", [2], None))
    assert found.place(3) == (layers.POSITION, [("h", "0")])
