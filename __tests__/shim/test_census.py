"""The census inside real out-of-memories: what it finds, what it leaves alone. The programs are
census_*.py beside this."""

import json
import os
import pathlib
import re
import socket

import pytest
from conftest import device_env, run, start

HERE = pathlib.Path(__file__).resolve().parent
MIB = 1 << 20
CATEGORIES = ("parameter", "gradient", "optimizer_state", "activation", "input", "unknown")
EXACT = ("parameter", "gradient", "optimizer_state")
# Nothing checkpointed or offloaded, and big enough that cuBLAS's workspaces (16 MiB here) are small beside
# it.
WHOLE = (
    "transformer_forward",
    "mlp_forward",
    "mlp_backward",
    "hook_backward",
    "cnn",
    "gru",
    "accumulated",
    "custom_function",
    "ema",
    "evaluation",
)
PARTIAL = (
    "checkpointed",
    "checkpoint_recompute",
    "offloaded",
    "optimizer_step",
    "no_model",
    "nested_state",
    "sparse",
    "two_devices",
    "pool",
    "graphs",
    "capture",
    "foreign",
    "unreal",
    "released",
    "thread",
)
CUT = ("two_devices_backward", "million", "cut_time", "cut_objects", "cut_nodes", "frozen")
RANK_KINDS = ("ddp", "ddp_plain", "fsdp2", "fsdp1")


@pytest.fixture(scope="module")
def module_cuda():
    """The interpreter with torch's CUDA build, for fixtures that play all scenarios once."""
    value = os.environ.get("OA_PYTHON_CUDA")
    if not value:
        pytest.skip("skipped: OA_PYTHON_CUDA is not set (npm test sets it)")
    return value


@pytest.fixture(scope="module")
def records(module_cuda):
    """{scenario: record}, all played by one process."""
    argv = [module_cuda, HERE / "census_scenarios.py", *WHOLE, *PARTIAL, *CUT]
    env = device_env("1G", 2, zero_d2h=8)
    done = run("", argv=argv, env=env, ahead=["torch._dynamo"], timeout=400)
    assert done.code == 0, "\n".join(done.theirs)[-3000:]
    return {row["scenario"]: row for row in map(json.loads, done.out.splitlines())}


@pytest.fixture(scope="module")
def ranks(module_cuda):
    """{world size: [{scenario: record} of each rank]}, all ranks at once."""
    started = []
    for world in (1, 2):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        for rank in range(world):
            # zero_d2h 0: DDP compares the parameters' shapes by way of the device
            env = {
                "RANK": str(rank),
                "WORLD_SIZE": str(world),
                "MASTER_ADDR": "127.0.0.1",
                "MASTER_PORT": str(port),
            }
            argv = [module_cuda, HERE / "census_ranks.py", *RANK_KINDS]
            env.update(device_env("1G", 1, zero_d2h=0))
            started.append((world, start("", argv=argv, env=env, ahead=["torch._dynamo"])))
    found = {}
    try:
        for world, process in started:
            out, err = process.communicate(timeout=400)
            lines = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
            # On the stand-in gloo's threads may end the process roughly once everything has been printed.
            assert len(lines) == 2 * len(RANK_KINDS), err[-3000:]
            found.setdefault(world, []).append({row["scenario"]: row for row in lines})
    finally:
        for _, process in started:
            if process.poll() is None:
                process.kill()
    return found


def device(record, index=0):
    (row,) = [row for row in record["census"]["devices"] if row["index"] == index]
    return row


def sums(row):
    return {name: category["bytes"] for name, category in row["categories"].items()}


def owners(row, category):
    return {owner["name"]: owner["bytes"] for owner in row["categories"][category]["owners"]}


def reasons(row):
    """Bytes by reason, without where memory ran out."""
    return {r["reason"].partition(";")[0]: r["bytes"] for r in row["categories"]["unknown"]["reasons"]}


def shown_by_nothing(row):
    """What no object of the program's shows: workspaces, and what is not seen."""
    return reasons(row).get("not seen", 0) + reasons(row).get("cuBLAS workspace, by its size", 0)


def assert_adds_up(record):
    census = record["census"]
    assert census["devices"], census
    for row in census["devices"]:
        assert tuple(row["categories"]) == CATEGORIES
        found = sums(row)
        assert sum(found.values()) == row["allocated"] == record["before"][0][row["index"]][0]
        assert row["attributed"] == row["allocated"] - found["unknown"]
        assert row["reserved_unused"] == row["reserved"] - row["allocated"] >= 0
        for pool in row["pools"] or []:
            assert sum(pool["categories"].values()) == pool["allocated"] <= pool["reserved"]
            assert all(0 <= size <= found[name] for name, size in pool["categories"].items())
        assert sum(reasons(row).values()) == found["unknown"]
        assert all(size > 0 for size in reasons(row).values())
        for category in row["categories"].values():
            listed = category["owners"]
            assert len(listed) <= 10 and sum(owner["bytes"] for owner in listed) <= category["bytes"]
            assert sum(owner["count"] for owner in listed) <= category["count"]
            for owner in listed:
                assert all(
                    re.fullmatch(r"[A-Za-z0-9_.#*{},()\[\]-]{1,150}", part)
                    for part in owner["name"].split(" ")
                )


def assert_exact(record, extra_state=0):
    expected = record["expected"]
    for row in record["census"]["devices"]:
        wanted = dict(expected.get(str(row["index"]), dict.fromkeys(EXACT, 0)))
        wanted["optimizer_state"] += extra_state
        assert {name: sums(row)[name] for name in EXACT} == wanted


def assert_untouched(record):
    assert record["before"] == record["after"], (
        "device memory, its number of allocations, or the collector's settings"
    )
    assert (record["collections"], record["warnings"]) == (0, 0)
    assert set(record["user_code"].values()) == {0}


@pytest.mark.parametrize("name", WHOLE + PARTIAL + CUT)
def test_adds_up_and_touches_nothing(records, name):
    assert_adds_up(records[name])
    assert_untouched(records[name])
    assert records[name]["left"] <= shown_by_nothing(device(records[name])), "something was kept alive"


@pytest.mark.parametrize("name", WHOLE + PARTIAL)
def test_parameters_gradients_and_optimizer_state_are_exact(records, name):
    record = records[name]
    assert (record["census"]["complete"], record["census"]["cut"]) == (True, None)
    if name not in (
        "unreal",
        "released",
    ):  # torch's ordinary calls would run what is in it; nothing else may hold it
        assert_exact(record, record["extra"].get("shampoo", 0))


@pytest.mark.parametrize("name", WHOLE)
def test_at_least_90_percent_is_attributed(records, name):
    row = device(records[name])
    hoard = records[name]["extra"].get("hoard", 0)  # the test's own, to run out of memory: visible tensors
    assert row["attributed"] / (row["allocated"] - hoard) >= 0.9
    assert reasons(row).get("visible tensor", 0) >= hoard


def test_forward_of_a_transformer(records):
    record = records["transformer_forward"]
    row = device(record)
    assert record["thread"] == "main"
    assert owners(row, "input") == {"Transformer argument 0": 4 * MIB, "Transformer scale": 4096}
    projection = "layers.layers.*.self_attn.in_proj_weight"
    assert owners(row, "parameter")[projection] == 4 * 768 * 1024
    assert projection in owners(row, "gradient")
    (of_it,) = [owner for owner in row["categories"]["parameter"]["owners"] if owner["name"] == projection]
    assert (of_it["count"], of_it["kind"], of_it["largest"]) == (4, "tensor", "float32[768, 256]")
    assert set(owners(row, "optimizer_state")) == {"AdamW exp_avg", "AdamW exp_avg_sq"}
    assert {"layers.layers.*.self_attn", "layers.layers.*.linear2", "layers.layers.*"} <= set(
        owners(row, "activation")
    )


@pytest.mark.parametrize("name", ["mlp_backward", "hook_backward", "checkpoint_recompute"])
def test_backward_on_the_autograd_thread(records, name):
    record = records[name]
    assert (record["thread"], record["graph_task"]) == ("other", True)
    row = device(record)
    assert sums(row)["activation"] > sums(row)["parameter"]
    assert sums(row)["input"] == 0, "no user's call is on a stack; a recomputation is none"


def test_workspaces_of_cublas_are_a_librarys(records):
    found = device(records["mlp_backward"])["categories"]["unknown"]["owners"]
    (row,) = [owner for owner in found if owner["kind"] == "library"]
    assert (row["name"], row["bytes"]) == ("cuBLAS workspace, by its size", row["count"] * 8519680)


def test_buffers_are_unknown_with_their_reason(records):
    row = device(records["cnn"])
    assert reasons(row)["module buffer"] == records["cnn"]["extra"]["buffers"] > 0
    assert owners(row, "unknown")["net.1.running_mean"] == 512, "though batch norm saves it for backward"
    assert sums(row)["input"] == 128 * 3 * 64 * 64 * 4


def test_saved_tensor_hooks_are_counted_not_called(records):
    for name in ("checkpointed", "offloaded"):
        looked = records[name]["census"]["looked"]
        assert looked["behind_hooks"] > 10
    assert sums(device(records["offloaded"]))["activation"] == 4 * MIB, "the output; the rest is on the CPU"
    assert records["mlp_forward"]["census"]["looked"]["behind_hooks"] == 0


def test_a_custom_function_holds_what_its_ctx_holds(records):
    block = records["custom_function"]["extra"]["block"]
    found = owners(device(records["custom_function"]), "activation")
    assert found["TripleBackward after net.5"] == 2 * 2 * block, (
        "two calls: one saved tensor, and one in an attribute's list"
    )


def test_averaged_copies_are_told_apart_by_the_variable_that_holds_them(records):
    found = owners(device(records["ema"]), "parameter")
    assert {name.split(".")[0] for name in found} == {"net", "average"}


def test_no_grad_and_no_model(records):
    evaluated, bare = device(records["evaluation"]), device(records["no_model"])
    assert sums(evaluated)["activation"] == sums(evaluated)["gradient"] == 0
    assert sums(evaluated)["input"] == 4 * MIB
    assert reasons(bare)["visible tensor"] == 16 * MIB
    assert sums(bare)["parameter"] == 0


def test_state_of_an_optimizer_in_the_middle_of_its_step(records):
    found = owners(device(records["optimizer_step"]), "optimizer_state")
    assert found["Adam exp_avg of optimizer"] != found["Adam exp_avg_sq of optimizer"], (
        "it failed between the two"
    )


def test_nested_optimizer_state_goes_by_its_first_name(records):
    found = owners(device(records["nested_state"]), "optimizer_state")
    assert found["Shampoo blocks of optimizer"] == 2 * 3 * MIB
    assert found["Shampoo slots of optimizer"] == 2 * MIB
    assert found["Shampoo (key) of optimizer"] == 2 * 2 * MIB, "a key that is no name is not shown"
    assert {"LBFGS d", "LBFGS prev_flat_grad"} <= {name.partition(" of ")[0] for name in found}
    assert "secret" not in json.dumps(records["nested_state"]["census"])


def test_sparse_tensors_count_by_their_parts(records):
    row = device(records["sparse"])
    assert sums(row)["gradient"] == 2048 * 256 * 4 + 2048 * 8, "values and indices"
    assert reasons(row)["visible tensor"] == (4097 * 8 + 511) // 512 * 512 + 2048 * 8 + 2048 * 4


def test_devices_are_kept_apart(records):
    rows = {row["index"]: row for row in records["two_devices"]["census"]["devices"]}
    assert set(rows) == {0, 1}
    assert set(owners(rows[0], "parameter")) == {"first.weight", "first.bias"}
    assert set(owners(rows[1], "parameter")) == {"second.weight", "second.bias"}
    assert all(sums(row)["activation"] > 0 for row in rows.values())


def test_what_another_engine_thread_may_be_changing_is_not_read_and_that_is_said(records):
    record = records["two_devices_backward"]
    assert record["graph_task"] and not record["census"]["complete"]
    assert record["census"]["cut"] == (
        "a backward pass runs on other threads: "
        "the gradients of 2 tensors and what 2 autograd nodes saved were not read"
    )
    on_other, on_this = device(record, 0), device(record, 1)
    assert sums(on_this)["gradient"] == sums(on_this)["parameter"] == record["expected"]["1"]["gradient"] > 0
    assert (
        sums(on_other)["gradient"] == 0
        and sums(on_other)["parameter"] == record["expected"]["0"]["parameter"]
    )


def test_private_pools_are_in_the_sum_and_told_apart(records):
    row = device(records["pool"])
    assert sums(row)["parameter"] == 4 * MIB + 4096
    (pool,) = row["pools"]
    assert (pool["kind"], pool["count"], pool["reserved"]) == ("handle", 1, 22 * MIB)
    assert pool["categories"]["parameter"] == pool["allocated"] == 4 * MIB + 4096
    assert device(records["mlp_forward"])["pools"] == []


def test_a_graphs_pool_and_one_whose_handle_is_gone_are_as_torchs_own_snapshot_says(records):
    record = records["graphs"]
    row = device(record)
    expected = {name: sizes for name, sizes in record["extra"]["segments"].items() if name != "0:0"}
    assert {pool["id"]: [pool["reserved"], pool["allocated"]] for pool in row["pools"]} == expected
    by_kind = {pool["kind"]: pool for pool in row["pools"]}
    assert set(by_kind) == {"graph", "handle"}
    assert by_kind["handle"]["categories"]["parameter"] == 3 * MIB
    assert by_kind["graph"]["categories"]["parameter"] == 0, "the model lies in the default pools"
    assert by_kind["graph"]["categories"]["unknown"] > record["extra"]["out"], (
        "its output, and what only C++ holds"
    )


def test_a_pool_that_is_being_captured_is_told_apart_too(records):
    record = records["capture"]
    (pool,) = device(record)["pools"]
    assert pool["kind"] == "graph"
    assert record["extra"]["segments"][pool["id"]] == [pool["reserved"], pool["allocated"]]
    assert pool["categories"]["unknown"] == pool["allocated"] == 2 * MIB


def test_other_memory_is_beside_the_sum(records):
    row = device(records["foreign"])
    assert row["outside"] == {"bytes": 8 * MIB, "count": 1}
    assert reasons(row)["visible tensor"] == 4 * MIB, "once, for all its views, slices and DLPack aliases"


def test_no_code_of_the_users_and_no_tensor_without_memory(records):
    record = records["unreal"]
    row, block = device(record), record["extra"]["block"]
    assert owners(row, "parameter") == {"module.weight": block, "wrapped.quantised": block}
    assert owners(row, "optimizer_state") == {"SGD momentum_buffer of optimizer": block}
    small = (
        512 + 1024 + 512 + 512
    )  # a nested tensor's buffer; a sparse one's indices and values; what a functional one wraps
    assert reasons(row)["visible tensor"] == block + small


def test_a_million_objects_more_are_looked_at_in_time_or_the_cut_says_how_far_it_got(records):
    census = records["million"]["census"]
    if census["complete"]:
        assert census["looked"]["objects"] > 1_000_000
        assert_exact(records["million"])
    else:
        looked, total = map(int, re.search(r"looked at (\d+) of (\d+) objects", census["cut"]).groups())
        assert looked == census["looked"]["objects"] < total > 1_000_000


def test_cuts_say_how_far_they_got(records):
    by_time = records["cut_time"]["census"]
    assert not by_time["complete"]
    assert re.fullmatch(r"0 s were over: looked at 0 of \d{6,} objects", by_time["cut"])
    by_objects = records["cut_objects"]["census"]
    assert re.fullmatch(r"looked at 1000 of \d{6,} objects", by_objects["cut"])
    assert by_objects["looked"]["objects"] == 1000
    by_nodes = records["cut_nodes"]["census"]
    assert re.fullmatch(r"walked 3 autograd nodes, \d+ more wait", by_nodes["cut"])
    assert by_nodes["looked"]["nodes"] == 3
    assert (
        sums(device(records["cut_nodes"]))["activation"] < sums(device(records["mlp_forward"]))["activation"]
    )


def test_frozen_objects_are_followed_and_that_is_said(records):
    record = records["frozen"]
    assert re.fullmatch(
        r"gc.freeze\(\) hides \d{6,} objects: those reached .* are counted", record["census"]["cut"]
    )
    assert_exact(record)
    assert sums(device(record))["activation"] > 100 * MIB


def test_the_last_reference_of_the_program_frees(records):
    record = records["released"]
    assert record["extra"]["held"] > 40 * MIB
    assert record["extra"]["kept"] <= shown_by_nothing(device(record)), "at most cuBLAS's workspace"


def test_another_threads_call_and_collection_left_off(records):
    record = records["thread"]
    assert owners(device(record), "input") == {"Sequential argument 0": 8 * MIB}
    assert record["before"][1][0] is False


@pytest.mark.parametrize(
    ("setting", "rounding", "reason"),
    [
        ("expandable_segments:True", 512, "cuBLAS workspace, by its size"),
        ("roundup_power2_divisions:4", 512, "block larger than asked for"),
        ("backend:cudaMallocAsync", 1, "not seen"),
    ],
)
def test_allocator_settings(cuda, setting, rounding, reason):
    """300 x 300 floats are no multiple of 512 bytes, and roundup_power2_divisions makes more of them."""
    program = """
        import json, sys
        sys.path.insert(0, sys.argv[1])
        import torch
        from _oom_autopsy.census import census
        net = torch.nn.Linear(300, 300).cuda()
        out = net(torch.zeros(3000, 300, device="cuda"))
        print(json.dumps({"census": census.take()}))
    """
    env = {**device_env(), "PYTORCH_ALLOC_CONF": setting, "PYTORCH_CUDA_ALLOC_CONF": setting}
    done = run(program, HERE.parents[1] / "python" / "shim", python=cuda, env=env)
    assert done.code == 0, done.err
    row = device(json.loads(done.out))
    size = sum(-(-size // rounding) * rounding for size in (300 * 300 * 4, 300 * 4))
    assert sums(row)["parameter"] == size
    assert sum(sums(row).values()) == row["allocated"]
    assert reason in reasons(row)


def test_in_the_receipt(step, cuda):
    """Through the shim itself: one at the out-of-memory, of its device; one at the exit."""
    program = """
        import torch
        net = torch.nn.Linear(1024, 1024).cuda()
        try:
            torch.empty(1 << 40, device="cuda")
        except torch.OutOfMemoryError:
            pass
        more = torch.nn.Linear(1024, 1024, bias=False).cuda()
    """
    done = step(categories="census").run(program, python=cuda, env=device_env(devices=2))
    assert (done.code, done.ours) == (0, [])
    receipt = done.receipt
    (oom,) = receipt["ooms"]
    for census, parameters in ((oom["census"], 4 * MIB + 4096), (receipt["census"], 8 * MIB + 4096)):
        (row,) = census["devices"]
        assert census["complete"] and sums(row)["parameter"] == row["allocated"] == parameters
    found = owners(receipt["census"]["devices"][0], "parameter")
    assert sorted(found.values()) == [4096, 4 * MIB, 4 * MIB]
    assert set(found) == {"net.weight", "more.weight", "net.bias"}


def test_what_a_cpu_build_has_of_the_names(cpu):
    """torch 2.13's CPU build: the slots are there, and saved tensors are read without unpacking; no
    device, no look."""
    program = """
        import sys
        sys.path.insert(0, sys.argv[1])
        import torch
        from _oom_autopsy import torch_api
        from _oom_autopsy.census import census
        from _oom_autopsy.heap.graph import IDLE, GraphWalk, backward_state
        from _oom_autopsy.heap.objects import Clock, Kinds
        print(census.take()["devices"], census.take()["complete"])
        api = torch_api.CensusApi(torch)
        print(set(api.lacks) - {"_has_Standard_Deleter"})
        unpacked, found = [], []
        x = torch.ones(3, requires_grad=True)
        with torch.autograd.graph.saved_tensors_hooks(lambda t: [t], lambda t: unpacked.append(t) or t[0]):
            y = (x * 2).exp().tanh()
        z = y.sin().sum()
        put, leaf = lambda t, name: found.append(name), lambda t: found.append("leaf")
        walk = GraphWalk(api, Kinds(api), put, leaf, IDLE, None)
        walk.run([z.grad_fn], Clock(60), 1000)
        print(sorted(found), walk.hooked, unpacked)
        print(backward_state(api, [], 0, lambda *_: True, torch_api.backward_task())[0])
    """
    done = run(program, HERE.parents[1] / "python" / "shim", python=cpu)
    assert done.code == 0, done.err
    assert done.out.splitlines() == [
        "[] True",
        "set()",
        "['ExpBackward0', 'MulBackward0', 'SinBackward0', 'TanhBackward0', 'leaf'] 2 []",
        "idle",
    ]


@pytest.mark.parametrize("world", [1, 2])
@pytest.mark.parametrize("kind", RANK_KINDS)
def test_ranks(ranks, world, kind):
    assert len(ranks[world]) == world
    for rank in ranks[world]:
        step, forward = rank[kind + " step"], rank[kind + " forward"]
        for record in (step, forward):
            assert record["census"]["complete"], record["census"]["cut"]
            assert_adds_up(record)
            assert_untouched(record)
        assert_exact(step)
        row = device(forward)
        assert row["attributed"] / row["allocated"] >= 0.9
        if kind == "fsdp1" and world == 2:
            full = 4 * (512 * 512 + 512) * 4
            assert sums(row)["parameter"] == forward["expected"]["0"]["parameter"] + full, (
                "shards and the gathered whole"
            )
        else:
            assert_exact(forward)


def test_buckets_of_ddp_are_not_seen(ranks):
    (rank,) = ranks[1]
    grown = (
        reasons(device(rank["ddp_plain step"]))["not seen"]
        - shown_by_nothing(device(rank["ddp step"]))
        + reasons(device(rank["ddp_plain step"]))["cuBLAS workspace, by its size"]
    )
    assert grown == 4 * (512 * 512 + 512) * 4, (
        "gradient_as_bucket_view=False keeps a second copy, in C++ only"
    )
