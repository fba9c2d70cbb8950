"""Owners of what programs hold, inside real out-of-memories: owners_cases.py beside this has the programs."""

import json
import os
import pathlib
import re
import sys

import pytest
from conftest import SHIM, device_env, python_or_skip, run

HERE = pathlib.Path(__file__).resolve().parent
MIB = 1 << 20
IN = "(owners_cases.py)"
# scenario: {owner: MiB} of what is held, over all categories
HELD = {
    "module_attribute": {"attn.k_cache[*]": 20},
    "local_list": {f"outputs[*] in local_list {IN}": 16},
    "callee_is_not_the_owner": {f"outputs[*] in callee_is_not_the_owner {IN}": 16},
    "module_global": {"HISTORY[*] in owners_cases.py": 12, "STORE[*] in owners_cases.py": 4},
    "object_attribute": {"Trainer.cache[*]": 8},
    "slots": {f"held.buffer in slots {IN}": 4},
    "class_attribute": {"Registry.kept[*] in owners_cases.py": 4},
    "closure": {"big in closure of a lambda": 4},
    "lru_cache": {"cache of encode in owners_cases.py": 12},
    "generator": {f"batch in batches {IN}, suspended": 4},
    "other_thread": {f"prefetched[*] in worker {IN}": 8},
    "traceback": {f"activations[*] in failing {IN}, kept by a traceback": 12},
    "two_models": {f"state[*] in two_models {IN}": 4 * 1026 / 1024},
    "cache_argument": {
        f"past.layers[*].keys in generate {IN}": 12,
        f"past.layers[*].values in generate {IN}": 12,
    },
}
SIGNS = (
    "losses_keep_graphs",
    "graph_grows",
    "one_pass_each",
    "eval_no_grad",
    "train_mode",
    "two_different_models",
    "first_step",
    "later_step",
    "hostile",
    "peeks",
)
STORIES = ("training", "serving", "test_suite")
COMPILED = ("compile_whole", "compile_layers")


@pytest.fixture(scope="module")
def records():
    """{scenario: record}, all played by one process."""
    python = os.environ.get("OA_PYTHON_CUDA")
    if not python:
        pytest.skip("skipped: OA_PYTHON_CUDA is not set (npm test sets it)")
    argv = [python, HERE / "owners_cases.py", *HELD, *SIGNS, *STORIES, *COMPILED]
    done = run("", argv=argv, env=device_env("256M", zero_d2h=8), ahead=["torch._dynamo"], timeout=300)
    assert done.code == 0, "\n".join(done.theirs)[-3000:]
    return {row["scenario"]: row for row in map(json.loads, done.out.splitlines())}


def device(record):
    (row,) = record["census"]["devices"]
    return row


def owners(record, *categories):
    found = {}
    for name, category in device(record)["categories"].items():
        if name in categories or not categories:
            found.update({owner["name"]: owner for owner in category["owners"]})
    return found


def kept(record, by):
    return {row["name"]: row for row in device(record)["kept"] if row["by"] == by}


@pytest.mark.parametrize("name", [*HELD, *SIGNS, *STORIES, *COMPILED])
def test_a_look_is_whole_leaves_nothing_and_runs_no_code(records, name):
    record = records[name]
    assert record["census"]["complete"], record["census"]["cut"]
    assert (record["left"], record["code_ran"]) == (0, 0)
    assert "secret" not in json.dumps(record)
    row = device(record)
    assert sum(category["bytes"] for category in row["categories"].values()) == row["allocated"]


@pytest.mark.parametrize("name", HELD)
def test_what_is_held_is_named_by_what_holds_it(records, name):
    found = owners(records[name])
    by = "traceback" if name == "traceback" else "holder"
    for owner, mib in HELD[name].items():
        assert owner in found, sorted(found)
        assert (found[owner]["bytes"], found[owner]["kind"]) == (mib * MIB, "holder")
    rows = kept(records[name], by)
    wanted = {f"failing {IN}": 12} if name == "traceback" else HELD[name]
    assert {owner: rows[owner]["bytes"] for owner in wanted} == {o: m * MIB for o, m in wanted.items()}


def test_a_cache_that_is_handed_on_is_no_input(records):
    assert set(owners(records["cache_argument"], "input")) == {"Attend argument 0"}


def test_graphs_are_kept_by_what_holds_their_ends(records):
    rows = kept(records["losses_keep_graphs"], "graph")
    name = f"losses[*] in losses_keep_graphs {IN}"
    assert rows[name]["bytes"] == 4 * 2 * MIB and rows[name]["count"] == 8
    activations = owners(records["losses_keep_graphs"], "activation")
    assert activations["net.0"]["kind"] == "layer"
    first = next(iter(kept(records["graph_grows"], "graph")))
    assert first == f"hidden in graph_grows {IN}", (
        "what goes from one iteration to the next, not the last loss"
    )


def signs(record, name):
    return record["census"]["signs"][name]


def test_passes_through_one_graph(records):
    assert signs(records["graph_grows"], "graph_passes") == 9
    assert signs(records["one_pass_each"], "graph_passes") == 1
    assert signs(records["eval_no_grad"], "graph_passes") == 1


def test_passes_that_are_alive(records):
    alive = {
        "losses_keep_graphs": 4,
        "graph_grows": 9,
        "eval_no_grad": 3,
        "train_mode": 1,
        "two_models": None,
    }
    assert {name: signs(records[name], "live_passes") for name in alive} == alive


def test_activations_of_models_in_eval_mode(records):
    activations = device(records["eval_no_grad"])["categories"]["activation"]["bytes"]
    outputs = 3 * MIB
    assert signs(records["eval_no_grad"], "eval_activations") == activations - outputs > 0
    assert signs(records["train_mode"], "eval_activations") is None, "a part of it is not the model"


def test_inside_which_step_of_the_optimizer(records):
    assert signs(records["first_step"], "optimizer_step") == "first"
    assert signs(records["later_step"], "optimizer_step") == "later"
    assert signs(records["graph_grows"], "optimizer_step") is None


def test_models_that_are_alike(records):
    assert signs(records["two_models"], "twins") == {"names": ["best", "model"], "bytes": 4 * 1026 * 1024}
    assert signs(records["two_different_models"], "twins") is None
    assert signs(records["one_pass_each"], "twins") is None, "a layer is no model"
    found = owners(records["two_models"], "parameter")
    assert set(found) == {f"{root}.*.{part}" for root in ("best", "model") for part in ("weight", "bias")}


def test_code_that_refuses_to_be_run_is_named_all_the_same(records):
    found = owners(records["hostile"])
    assert {f"bad.held in hostile {IN}", f"bad.more[*] in hostile {IN}", "Model.stash"} <= set(found)


def named(record, *kinds):
    """Share of the bytes outside of library workspaces whose owner is of these kinds."""
    row = device(record)
    every = [owner for category in row["categories"].values() for owner in category["owners"]]
    library = sum(owner["bytes"] for owner in every if owner["kind"] == "library")
    return sum(owner["bytes"] for owner in every if owner["kind"] in kinds) / (row["allocated"] - library)


@pytest.mark.parametrize("name", STORIES)
def test_nine_tenths_of_the_bytes_have_a_name_of_the_program(records, name):
    share = named(records[name], "tensor", "layer", "position", "compiled", "holder", "optimizer")
    if name == "training":
        states = [owner for owner in owners(records[name], "optimizer_state")]
        assert states and all(owner.endswith(" of optimizer") for owner in states), "a variable of the user's"
    assert share >= 0.9, device(records[name])


def test_a_function_that_asks_for_its_locals_is_left_alone(records):
    assert records["peeks"]["census"]["extra"]["refreshed"] is False


UNSEEN = {
    "net, x = torch.nn.LSTM(64, 256, batch_first=True).cuda(), torch.zeros(64, 2048, 64, device='cuda'); net(x)": (
        r"memory ran out inside one call of C\+\+ \(torch/nn/modules/rnn\.py:\d+\)"
    ),
    "x = torch.ones(1 << 24, device='cuda', requires_grad=True); (x.exp() * x.exp() * x).sum().backward()": (
        r"memory ran out on the backward engine's thread, in \w+Backward\d"
    ),
}


@pytest.mark.parametrize("program", UNSEEN)
def test_beside_what_was_not_seen_stands_in_what_kind_of_call_memory_ran_out(step, cuda, program):
    setup = "import torch; torch.backends.cudnn.enabled = False\n"
    total = "384M" if "backward" in program else "256M"
    done = step(categories="census").run(setup + program, python=cuda, env=device_env(total))
    census = done.receipt["ooms"][0]["census"]
    reasons = [row["reason"] for row in census["devices"][0]["categories"]["unknown"]["reasons"]]
    assert [each for each in reasons if re.fullmatch("not seen; " + UNSEEN[program], each)], reasons
    at_exit = done.receipt["census"]["devices"]
    assert not [r for d in at_exit for r in d["categories"]["unknown"]["reasons"] if ";" in r["reason"]]


def test_compiled_graphs_are_called_by_their_model(records):
    for name, model in (("compile_whole", "layers"), ("compile_layers", "layers.*")):
        row = device(records[name])
        parts = [row["categories"][category] for category in ("activation", "unknown")]
        found = [owner for part in parts for owner in part["owners"]]
        compiled = [owner for owner in found if owner["kind"] == "compiled"]
        assert {owner["name"] for owner in compiled} == {model}
        unseen = sum(r["bytes"] for r in parts[1]["reasons"] if r["reason"] != "visible tensor")
        seen = sum(part["bytes"] for part in parts) - unseen
        assert sum(owner["bytes"] for owner in compiled) >= 0.9 * seen > 0


# --- frames, on every Python that torch has ---

FRAMES = """
import gc, sys
sys.path.insert(0, sys.argv[1])
from _oom_autopsy.heap import places

class Held:
    alive = 0
    def __init__(self): Held.alive += 1
    def __del__(self): Held.alive -= 1

def look(depth=1, listed=lambda values: False):
    return dict(places.local_items(sys._getframe(depth), listed)).keys()

def plain(net=None):
    held = Held()
    if net: net.eval(), net.vars
    names = set(look())
    del held
    assert Held.alive == 0, "a snapshot kept it"
    return names

assert plain() == {"net", "held"}, plain()

def twice():
    held = Held()
    look()
    everything = gc.get_objects()  # the snapshot of the first reading is in it
    names = set(look(1, lambda values: any(each is values for each in everything)))
    del everything, held
    assert Held.alive == 0, "a snapshot kept it"
    return names

assert "held" in twice()

def asks():
    names = set(look())
    locals()
    return names

old = sys.version_info < (3, 13)
assert not (old and asks()), "before 3.13 it is left alone"
if old:
    assert places.peeks(asks.__code__) and not places.peeks(plain.__code__)

def many():
    x0 = 0
    EXTENDED
    return eval("1")
if old:
    assert places.peeks(many.__code__), "past an EXTENDED_ARG"

def keeps():
    snapshot = sys._getframe().f_locals
    later = 1
    return set(look())

assert not old or keeps() == set()
class Method:
    def run(this):
        items = places.local_items(sys._getframe())
        return places._receiver(sys._getframe().f_code, [("this", this)])
assert Method().run() == "this"
print("ok")
"""


@pytest.mark.parametrize("version", ["3.9", "3.10", "3.11", "3.12", "3.13"])
def test_locals_are_read_and_nothing_stays(version):
    many = "; ".join(f"g{at}" for at in range(300))
    program = FRAMES.replace("EXTENDED", f"if x0: {many}")
    done = run(program, SHIM, python=python_or_skip(version))
    assert (done.out, done.err) == ("ok\n", "")


def test_generated_code_is_told_by_its_file():
    from _oom_autopsy.heap import places

    name = "c" + "abxq3m2vq5yw6o4u7d4l2k3j5h6g7f2d6s3a3p2o3i4u5y6t7r2"
    assert places.is_generated(f"/w/inductor-cache/ab/{name}.py")
    assert places.is_generated("<eval_with_key>.7")
    assert not places.is_generated(f"/w/xy/{name}.py") and not places.is_generated("/w/ab/cab.py")
    assert not places.is_generated(sys.version_info)
