"""Pure parts of the shim, in this process."""

import ast
import json
import os
import pathlib
import re
import sys
import types

import pytest
from _oom_autopsy import config, facts, faults, identity, receipt, torch_api
from _oom_autopsy.recording import dump, ends
from _oom_autopsy.signals import sigterm

GOOD = {"schema": config.SCHEMA, "evidence": "/evidence", "step": "0123456789ab"}


def test_config_takes_what_is_good_and_names_the_rest():
    given = {**GOOD, "max_entries": 7, "stacks": "all", "cycles": "loud", "max_snapshots": True, "more": 1}
    parsed, problems = config.parse(given)
    assert (parsed.max_entries, parsed.stacks, parsed.cycles, parsed.max_snapshots) == (7, "all", "warn", 3)
    assert [problem.split(" must be ")[0] for problem in problems] == [
        "config.json: cycles",
        "config.json: max_snapshots",
    ]


@pytest.mark.parametrize(
    "bad", (None, [], {}, {**GOOD, "schema": "v2"}, {**GOOD, "evidence": "rel"}, {**GOOD, "evidence": 1})
)
def test_config_that_cannot_be_used(bad):
    with pytest.raises(ValueError, match=r"config\.json"):
        config.parse(bad)


def test_ranks_are_digits_only():
    given = {
        "RANK": "3",
        "WORLD_SIZE": "8\n",
        "LOCAL_RANK": "x",
        "NODE_RANK": "٣",
        "OTHER": "1",
        "SLURM_PROCID": "",
    }
    assert identity.ranks(given) == {"RANK": "3"}


SLURM = {
    "SLURM_JOB_ID": "18",
    "SLURM_STEP_ID": "0",
    "SLURM_PROCID": "2",
    "SLURM_STEP_NUM_TASKS": "4",
    "SLURM_NODEID": "1",
    "SLURM_STEP_NUM_NODES": "2",
}


@pytest.mark.parametrize(
    ("given", "known", "in_names"),
    (
        ({}, {}, "ranknone"),
        (
            {"RANK": "3", "WORLD_SIZE": "4", **SLURM},
            {"launcher": "torch", "rank": 3, "size": 4, "job": "slurm 18"},
            "rank3",
        ),
        (
            SLURM,
            {"launcher": "slurm", "rank": 2, "size": 4, "node": 1, "nodes": 2, "job": "slurm 18"},
            "rank2",
        ),
        # the script of sbatch, and mpirun's own daemon, are no rank of a step
        ({**SLURM, "SLURM_STEP_ID": ""}, {"job": "slurm 18"}, "ranknone"),
        (
            {**SLURM, "OMPI_COMM_WORLD_RANK": "5", "OMPI_COMM_WORLD_SIZE": "8"},
            {"launcher": "openmpi", "rank": 5, "size": 8, "job": "slurm 18"},
            "rank5",
        ),
        ({"PMI_RANK": "1", "PMI_SIZE": "2"}, {"launcher": "pmi", "rank": 1, "size": 2}, "rank1"),
        ({"PYTEST_XDIST_WORKER": "gw3"}, {"launcher": "xdist", "name": "gw3"}, "gw3"),
        ({"PYTEST_XDIST_WORKER": "../x", "PBS_JOBID": "a b"}, {}, "ranknone"),
    ),
)
def test_who_a_process_is(given, known, in_names):
    found = identity.identity(given)
    assert {key: value for key, value in found.items() if value is not None} == known
    assert identity.in_names(found) == in_names


class Ray:
    """What Ray says of a worker, by the names that 2.60 has."""

    WORKER_MODE = 1

    def __init__(self, function, actor=None, named=""):
        self.function, self.actor, self.named = function, actor, named
        self.worker = types.SimpleNamespace(mode=1)

    def is_initialized(self):
        return True

    def get_runtime_context(self):
        return self

    def get_task_id(self):
        return self.function and "t"

    def get_task_function_name(self):
        return self.function

    def get_actor_id(self):
        return self.actor

    def get_actor_name(self):
        return self.named

    def get_job_id(self):
        return "01000000"


@pytest.mark.parametrize(
    ("ray", "name", "in_names"),
    (
        (Ray("train.Trainer.step", "a"), "actor Trainer", "actor_Trainer"),
        (Ray("Trainer.step", "a", "left"), "actor left", "actor_left"),
        (Ray("train.evaluate"), "task evaluate", "task_evaluate"),
        (Ray(None), None, "ranknone"),
    ),
)
def test_who_a_worker_of_ray_is(monkeypatch, ray, name, in_names):
    monkeypatch.setitem(sys.modules, "ray", ray)
    found = identity.identity({})
    assert (found["name"], found["job"]) == (name, name and "ray 01000000")
    assert identity.in_names(found) == in_names


def test_the_runners_names_of_the_step_are_kept_and_nothing_else_of_its_environment():
    named = {"GITHUB_ACTION": "train", "GITHUB_ACTION_PATH": "/w/actions/train", "GITHUB_TOKEN": "secret"}
    assert facts.job_step(named) == {"github_action": "train", "github_action_path": "/w/actions/train"}
    assert facts.job_step({"GITHUB_ACTION": ""}) == {"github_action": None, "github_action_path": None}
    assert len(facts.job_step({"GITHUB_ACTION": "x" * 999})["github_action"]) == 200


@pytest.mark.parametrize("name", ("python", "a b", "we) ird (x"))
def test_start_ticks_survive_any_name(name):
    assert facts.start_ticks(f"12 ({name}) S " + " ".join(str(n) for n in range(4, 53))) == 22


def test_start_ticks_of_this_process_and_of_nonsense():
    assert facts.start_ticks() > 0
    assert facts.start_ticks("") is None


def test_stack_is_bounded_innermost_last_and_without_us():
    def deep(n):
        return deep(n - 1) if n else facts.stack(sys._getframe())

    rows = deep(150)
    assert len(rows) == 100 and rows[-1]["function"].endswith("deep") and rows[-1]["file"] == __file__
    here = types.SimpleNamespace(
        f_code=types.SimpleNamespace(co_filename=facts.OURS + "/x.py", co_name="x"), f_lineno=1, f_back=None
    )
    assert facts.stack(here) == []


def test_chain_follows_what_a_traceback_would_print():
    first, second, third = ValueError(), TypeError(), KeyError()
    second.__context__ = first
    third.__cause__ = second
    assert facts.chain_of(third) == [third, second, first]
    second.__suppress_context__ = True
    assert facts.chain_of(third) == [third, second]
    first.__context__ = first
    assert facts.chain_of(first) == [first]


def row(seq):
    return {
        "seq": seq,
        "stack": [{"file": "f" * 400, "line": 1, "function": "g"}] * 100,
        "main_stack": None,
        "census": None,
        "cycles": None,
        "snapshot": None,
    }


def test_out_of_memories_keep_the_first_ten_and_the_newest_forty():
    full = receipt.new()
    for seq in range(1, 101):
        receipt.add_oom(full, row(seq))
    assert [r["seq"] for r in full["ooms"]] == [*range(1, 11), *range(61, 101)]
    assert (full["ooms_dropped"], full["oom_count"]) == (50, 100)


def test_a_receipt_has_a_limit_and_keeps_the_first_and_the_last_longest():
    full = receipt.new()
    for seq in range(50):
        receipt.add_oom(full, {**row(seq), "census": {"x": "y" * 100_000}})
    data = receipt.encode(full)
    assert len(data) <= receipt.MAX_BYTES
    slim = json.loads(data)
    assert len(slim["ooms"][0]["stack"]) == len(slim["ooms"][-1]["stack"]) == 100
    assert slim["ooms"][1]["census"] is None and len(full["ooms"][1]["stack"]) == 100, (
        "what we hold stays whole"
    )
    full["census"] = {"x": "y" * 5_000_000}
    assert len(receipt.encode(full)) <= receipt.MAX_BYTES


@pytest.mark.parametrize(
    ("count", "limit", "gone"),
    [(3, 3, []), (4, 3, [1]), (6, 3, [1, 2, 3]), (2, 1, [0]), (3, 2, [1]), (0, 1, [])],
)
def test_which_snapshots_go(count, limit, gone):
    assert receipt.expired(list(range(count)), limit) == gone


def test_fault_texts_are_one_bounded_line():
    assert faults.one_line("a\nb\r\x1b[1m" + "c" * 999) == ("a b  [1m" + "c" * 999)[:300]
    assert (
        faults.describe(FileNotFoundError(2, "No such file", "/secret/path"))
        == "FileNotFoundError: No such file"
    )


def test_recording_arguments_by_signature():
    modern = ("enabled", "context", "stacks", "max_entries", "device", "clear_history")
    assert torch_api.recording_arguments(modern, 5, "all") == {
        "enabled": "all",
        "context": "all",
        "stacks": "all",
        "max_entries": 5,
    }
    assert torch_api.recording_arguments(("enabled", "trace_alloc_max_entries"), 5, "python") == {
        "enabled": True,
        "trace_alloc_max_entries": 5,
    }


def test_repeated_dumps_are_paced():
    """A program that runs into the limit all the time pays a bounded share of its time."""
    me = types.SimpleNamespace(
        config=types.SimpleNamespace(snapshot="on-oom"),
        recorder={"state": "armed", "reason": None},
        dump_stuck=False,
        dump_seconds=61.0,
        last_dump=(dump.time.monotonic(), 5.0),
    )
    assert "skipped" in dump.refusal(me)
    me.last_dump = (dump.time.monotonic() - 51, 5.0)
    assert dump.refusal(me) is None
    me.dump_seconds, me.last_dump = 59.0, (dump.time.monotonic(), 5.0)
    assert dump.refusal(me) is None


@pytest.mark.parametrize(("mask", "default"), [("0", True), ("4000", False), ("4002", False), ("2", True)])
@pytest.mark.parametrize("name", ("SigIgn", "SigCgt"))
def test_sigterms_disposition_is_the_kernels(name, mask, default):
    other = "SigCgt" if name == "SigIgn" else "SigIgn"
    assert sigterm.default_disposition(f"Name:\tx\n{name}:\t{mask}\n{other}:\t0\n") is default


def test_an_end_without_cuda_has_a_remedy():
    assert "--gpus all" in ends.never_used(lambda node: False)
    assert ends.never_used(lambda node: node == "/dev/nvidia0") == "the program never used CUDA"


# Private names outside of torch that the shim reads: CPython's own.
_OF_PYTHON = {
    "_getframe",
    "_bootstrap",
    "_callback",
    "_current_frames",
    "_exit",
    "_finalizer_registry",
    "_replace",
    "_RemoteTraceback",
    # of unittest and IPython, in recording/suites.py
    "_handleClassSetUp",
    "_handleModuleFixture",
    "_handleModuleTearDown",
    "_tearDownPreviousClass",
    "_testMethodName",
}


def _private_names(tree):
    """[(line, name)] of what begins with one underscore, as an attribute, a string or a part of a dotted one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield node.lineno, node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and " " not in node.value:
            for part in re.split(r"[./]", node.value):
                yield node.lineno, part


def test_private_names_of_torch_live_in_one_file():
    """Each private name that shim and parity check use outside of torch_api.py is defined by one of them, or CPython's."""
    shim = pathlib.Path(facts.OURS)
    files = [*shim.rglob("*.py"), *shim.parents[1].joinpath("parity").rglob("*.py")]
    trees = {file: ast.parse(file.read_text()) for file in files}
    assert len(trees) > 50
    own = set(_OF_PYTHON)
    for tree in trees.values():
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                own.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                own.add(node.id)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                own.add(node.attr)
            elif isinstance(node, ast.ImportFrom):
                own.update(alias.asname or alias.name for alias in node.names)
    ours = re.compile(
        r"_(oom_autopsy.*|Around|Again|Events|Held)"
    )  # names of modules and of classes made by name
    elsewhere = [
        f"{file.name}:{line} {name}"
        for file, tree in trees.items()
        if file.name != "torch_api.py"
        for line, name in _private_names(tree)
        if re.fullmatch(r"_[a-zA-Z]\w*", name) and name not in own and not ours.fullmatch(name)
    ]
    assert elsewhere == []


def test_nobody_imports_torch_at_the_top():
    assert os.path.isdir(facts.OURS)
    for file in pathlib.Path(facts.OURS).rglob("*.py"):
        assert not [
            line for line in file.read_text().splitlines() if line.startswith(("import torch", "from torch"))
        ]
