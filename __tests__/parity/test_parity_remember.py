"""A match that is remembered for later steps of a job: for the same of everything, and only where it is our own."""

import importlib.metadata
import importlib.util
import json
import os
import stat
import sys

import pytest
from kit_parity import forked
from oom_autopsy_parity import environment, remember

JOB = {"GITHUB_RUN_ID": "7", "GITHUB_RUN_ATTEMPT": "1", "GITHUB_JOB": "train"}
NAMES = ("mlp/sgd/warm",)
FACTS = {name: kind("3") for name, kind in environment.FACTS.items()}


def step(folder, before="", **job):
    arguments = ("check", "--json", "--remember", folder)
    code, out, err = forked(*arguments, before=before, names=NAMES, env={**JOB, **job})
    assert code == 0, err
    return json.loads(out)


UNMEASURED = "runs.Runs.check = runs.prepare = None"  # to measure would be a TypeError


def test_a_later_step_of_the_job_says_so_and_measures_nothing(tmp_path):
    first, second = step(tmp_path), step(tmp_path, UNMEASURED)
    assert "earlier" not in first
    assert (second["verdict"], second["earlier"]) == ("match", True)
    assert second["says"] == [
        "Checked earlier in this job, with the same torch, interpreter, fixture and machine: it matched the fixture in 1 "
        "of 1 scenarios. Nothing was measured again."
    ]
    statuses = [second[part]["status"] for part in ("view", "oracle", "migration")]
    assert statuses == ["match", "same", "not-measured-again"]
    for part in ("environment", "fixture"):
        assert second[part] == first[part]
    assert second["migration"]["rows"] == first["migration"]["rows"]
    assert set(second["migration"]["source"].values()) == {"fixture"}
    (kept,) = tmp_path.iterdir()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert set(json.loads(kept.read_text())) == {"schema", "key", "environment"}


@pytest.fixture
def in_a_job(monkeypatch):
    for name, value in JOB.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m.setenv("GITHUB_RUN_ID", "8"),
        lambda m: m.setenv("GITHUB_RUN_ATTEMPT", "2"),
        lambda m: m.setenv("GITHUB_JOB", "test"),
        lambda m: m.setenv("PYTHONPATH", "/their/own"),
        lambda m: m.setenv("ONEDNN_MAX_CPU_ISA", "SSE41"),
        lambda m: m.setenv("LD_PRELOAD", ""),
        lambda m: m.setattr(sys, "executable", "/another/python"),
        lambda m: m.setattr(sys, "path", [*sys.path, "/their/own"]),
        lambda m: m.setattr(remember, "cpu_facts", lambda: {"flags": "fewer"}),
        lambda m: m.setattr(
            importlib.metadata.PathDistribution, "read_text", lambda self, name: "another RECORD"
        ),
        lambda m: m.setattr(remember, "_content", lambda path: "another" * path.endswith("judge.py")),
        lambda m: m.setattr(remember, "_content", lambda path: "another" * path.endswith("view.py")),
        lambda m: m.setattr(
            remember, "_content", lambda path: "another" * path.endswith("_memory_profiler.py")
        ),
    ],
)
def test_what_differs_in_anything_has_another_key(monkeypatch, in_a_job, change):
    content = remember._content
    if "_content" in change.__code__.co_consts:
        monkeypatch.setattr(remember, "_content", lambda path: "")
    before = remember.key("a fixture")
    assert before is not None
    change(monkeypatch)
    assert remember.key("a fixture") not in (before, None)
    monkeypatch.setattr(remember, "_content", content)


def test_nothing_else_has_one(monkeypatch, in_a_job):
    before = remember.key("a fixture")
    assert remember.key("another") != before
    for name in ("GITHUB_ACTION", "GITHUB_OUTPUT", "WANDB_NAME"):  # of each step its own
        monkeypatch.setenv(name, "x")
    assert remember.key("a fixture") == before


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m.delenv("GITHUB_RUN_ID"),
        lambda m: m.setattr(importlib.metadata.PathDistribution, "read_text", lambda self, name: None),
        lambda m: m.setattr(importlib.util, "find_spec", lambda name: None),
        lambda m: m.setattr(remember, "_content", lambda path: 1 / 0),
    ],
)
def test_where_not_everything_can_be_told_there_is_no_key(monkeypatch, in_a_job, change):
    change(monkeypatch)
    assert remember.key("a fixture") is None


def test_only_a_match_of_the_built_in_fixture_in_a_job_is_remembered(tmp_path):
    assert step(tmp_path, "oracle.MemoryProfile._set_activations = lambda self: None")["verdict"] == "drift"
    assert step(tmp_path, "del oracle.MemoryProfile")["verdict"] == "unverifiable"
    not_quiet = "import torch.cuda.memory; torch.cuda.memory._annotate_blocks = print"
    assert step(tmp_path, not_quiet)["verdict"] == "match"
    step(tmp_path, GITHUB_RUN_ID="")
    assert list(tmp_path.iterdir()) == []
    step("/no/such/folder")


def kept(folder, of="k" * 64, environment=None, mode=0o600, **changes):
    data = {
        "schema": "oom-autopsy.parity-match.v1",
        "key": of,
        "environment": environment or FACTS,
        **changes,
    }
    path = folder / f"oom-autopsy-parity-{of}.json"
    path.write_text(json.dumps(data))
    path.chmod(mode)
    return path


KEY = "k" * 64


def test_what_we_kept_is_recalled(tmp_path):
    remember.keep(str(tmp_path), KEY, FACTS)
    assert remember.recall(str(tmp_path), KEY) == FACTS
    kept(tmp_path)
    assert remember.recall(str(tmp_path), KEY) == FACTS
    assert remember.recall(str(tmp_path), "l" * 64) is None


@pytest.mark.parametrize(
    "how",
    [
        {"mode": 0o644},
        {"mode": 0o660},
        {"key": "another"},
        {"schema": "oom-autopsy.parity-match.v2"},
        {"verdict": "match"},
        {"environment": {**FACTS, "more": "x"}},
        {"environment": {k: v for k, v in FACTS.items() if k != "cpu"}},
        {"environment": {**FACTS, "threads": True}},
        {"environment": {**FACTS, "torch": "x" * 300}},
        {"environment": [1]},
    ],
)
def test_what_we_cannot_have_kept_is_not_believed(tmp_path, how):
    kept(tmp_path, **how)
    assert remember.recall(str(tmp_path), KEY) is None


def test_no_link_pipe_or_flood_is_read(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    path, real = tmp_path / f"oom-autopsy-parity-{KEY}.json", kept(elsewhere)
    for put in (
        lambda: path.symlink_to(real),
        lambda: os.link(real, path),
        lambda: os.mkfifo(path, 0o600),
        lambda: path.mkdir(0o600),
        lambda: (path.write_text("[" * 5000), path.chmod(0o600)),
        lambda: (path.write_text("[" * 4000), path.chmod(0o600)),
        lambda: (path.write_bytes(b"\xff"), path.chmod(0o600)),
    ):
        put()
        assert remember.recall(str(tmp_path), KEY) is None
        path.rmdir() if path.is_dir() else path.unlink()


def test_what_is_kept_is_written_through_no_link(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("theirs")
    path = tmp_path / f"oom-autopsy-parity-{KEY}.json"
    path.symlink_to(victim)
    (tmp_path / f"{path.name}.{os.getpid()}").symlink_to(victim)
    remember.keep(str(tmp_path), KEY, FACTS)
    assert victim.read_text() == "theirs"
    (tmp_path / f"{path.name}.{os.getpid()}").unlink()
    remember.keep(str(tmp_path), KEY, FACTS)
    assert victim.read_text() == "theirs"
    assert not path.is_symlink()
    assert remember.recall(str(tmp_path), KEY) == FACTS
