"""Freezing: byte-identical, refused by another torch; and a fixture of the user's own, from a file of
theirs."""

import json
import pathlib
import shutil

import pytest
from kit_parity import FIXTURE, accounts_agree, forked, interpreter, parity
from oom_autopsy_parity import sequence

STEP = """
import torch

WARM = 1
BATCH = 8

def build():
    print("what a scenario prints must not reach the result")
    model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.GELU(), torch.nn.Linear(64, 4))
    optimizer = torch.optim.AdamW(model.parameters())
    x = torch.randn(BATCH, 32)
    y = torch.zeros(len(x), dtype=torch.long)

    def step():
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()

    return step
"""


@pytest.mark.long
def test_two_freezes_are_byte_identical_whatever_the_hash_seed_and_threads(tmp_path):
    for name, seed, threads in (("a.json", "1", "4"), ("b.json", "77", "2")):
        env = {"PYTHONHASHSEED": seed, "OMP_NUM_THREADS": threads, "MKL_NUM_THREADS": threads}
        code, _, err = parity(interpreter("CPU"), "freeze", "-o", tmp_path / name, env=env)
        assert code == 0, err
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


@pytest.mark.long
def test_the_shipped_fixture_is_what_this_version_freezes(tmp_path):
    """On the processor it was frozen on, to the byte; on another, all but kernels' workspaces."""
    code, _, err = forked("freeze", "-o", tmp_path / "f.json")
    assert code == 0, err
    ours, shipped = (json.loads(path.read_text()) for path in (tmp_path / "f.json", FIXTURE))
    if ours["environment"] == shipped["environment"]:
        for data in (ours, shipped):
            del data["sha256"]
            for entry in data["scenarios"].values():
                for name in ("peak", "peak_by", "unkeyed", "actions"):
                    del entry["oracle"][name]
                entry["oracle"]["events"] = sequence.keyed(entry["oracle"]["events"])
                for name in ("counts", "bytes", "keys"):
                    entry["oracle"][name] = sequence.without_unkeyed(entry["oracle"][name])
    assert ours["table"] == shipped["table"]
    assert {n: e["view"] for n, e in ours["scenarios"].items()} == {
        n: e["view"] for n, e in shipped["scenarios"].items()
    }


def test_another_torch_may_not_freeze_the_built_in_fixture(tmp_path):
    code, _, err = parity(interpreter("CUDA"), "freeze", "-o", tmp_path / "f.json")
    assert code == 2
    assert "cannot freeze the built-in fixture: it is of torch 2.13" in err
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def frozen_once(tmp_path_factory):
    folder = tmp_path_factory.mktemp("own")
    (folder / "my_step.py").write_text(STEP)
    code, _, err = forked("freeze", "--scenario", "my_step.py", "-o", "my-step.json", cwd=folder)
    assert code == 0, err
    return folder


@pytest.fixture
def own(frozen_once, tmp_path):
    """A folder with a step and the fixture frozen from it."""
    return pathlib.Path(shutil.copytree(frozen_once, tmp_path / "own"))


def result_of(folder, *arguments, **how):
    code, out, err = forked("check", "--json", "--fixture", folder / "my-step.json", *arguments, **how)
    assert code == 0, err
    return json.loads(out)


def test_a_fixture_of_the_users_own_matches_until_their_step_changes(own, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    result = result_of(own, cwd=elsewhere)
    assert result["verdict"] == "match", result["says"]
    assert result["fixture"]["scenarios"] == ["my_step"]
    assert result["fixture"]["built_in"] is False
    assert result["migration"]["status"] == "not-measured-again"
    assert result_of(own, "--full")["migration"]["status"] == "exact"
    (own / "my_step.py").write_text(STEP.replace("BATCH = 8", "BATCH = 16"))
    result = result_of(own)
    assert result["verdict"] == "drift"
    assert result["view"]["status"] == "drift"
    assert result["migration"]["source"] == {"my_step": "measured"} or result["oracle"]["status"] == "changed"
    assert "bytes of activation" in json.dumps(result["view"]["differences"])
    assert (
        result["says"][0]
        == "The scenario file my_step.py is not the one that was frozen: its sha256 differs."
    )


def test_a_match_of_their_own_is_not_remembered(own, tmp_path):
    """What their code reads, a dataset or a setting, is in no key."""
    (tmp_path / "temp").mkdir()
    env = {"GITHUB_RUN_ID": "7"}
    assert result_of(own, "--remember", tmp_path / "temp", env=env)["verdict"] == "match"
    assert list((tmp_path / "temp").iterdir()) == []


def test_the_accounts_of_a_fresh_fixture_agree_with_themselves(own):
    frozen = json.loads((own / "my-step.json").read_text())
    accounts_agree("my_step", frozen["scenarios"]["my_step"])


def test_two_freezes_of_one_step_are_byte_identical(own):
    env = {"PYTHONHASHSEED": "7"}
    code, _, err = forked("freeze", "--scenario", "my_step.py", "-o", "again.json", cwd=own, env=env)
    assert code == 0, err
    assert (own / "again.json").read_bytes() == (own / "my-step.json").read_bytes()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        # As a step whose length is drawn from the time, or from a dataset that is shuffled elsewhere.
        (
            ("torch.randn(BATCH, 32)", "torch.randn(8 + os.getpid() % 97, 32)"),
            "scenario 'my_step' was measured twice and is not the same: view, event ",
        ),
        (("import torch\n", "import torch\ntorch.set_grad_enabled(False)\n"), "could not be recorded"),
        (("return step", "return lambda: None"), "scenario 'my_step' makes no tensor in its window"),
    ],
)
def test_a_step_that_cannot_be_a_gate_is_not_frozen(tmp_path, change, says):
    (tmp_path / "my_step.py").write_text("import os\n" + STEP.replace(*change))
    code, _, err = forked("freeze", "--scenario", "my_step.py", "-o", "f.json", cwd=tmp_path)
    assert code == 2
    assert says in err
    assert not (tmp_path / "f.json").exists()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "is not there. Put it back"),
        ("x = 1", "defines no build()"),
        ("build = lambda: 3", None),
        ("1 / 0", "ZeroDivisionError"),
        (STEP.replace("WARM = 1", "WARM = -2"), "WARM = -2"),
        (STEP.replace("WARM = 1", "WARM = 2"), "Freeze it again"),
        ("import os; os.abort()", "the process died by signal 6"),
    ],
)
def test_a_scenario_file_that_cannot_be_used_is_named(own, text, says):
    file = own / "my_step.py"
    if text is None:
        file.unlink()
    else:
        file.write_text(text)
    code, out, err = forked("check", "--json", "--fixture", own / "my-step.json")
    if says is None:  # it can be read; that it gives no step is a failure of the run
        result = json.loads(out)
        assert result["verdict"] == "unverifiable"
        assert "it must return the step function" in " ".join(result["says"])
    else:
        assert code == 2
        assert says in err
        assert "Traceback" not in err


def test_a_fixture_of_another_scenario_is_refused(own):
    (own / "other.py").write_text(STEP)
    code, _, err = forked("check", "--fixture", own / "my-step.json", "--scenario", own / "other.py")
    assert code == 2
    assert "fixture is of scenario 'my_step', the file gives 'other'" in err


def test_a_fixture_frozen_where_the_oracle_could_not_run_holds_the_view_alone(tmp_path):
    (tmp_path / "my_step.py").write_text(STEP)
    gone = "del oracle.MemoryProfile"
    code, _, err = forked(
        "freeze", "--scenario", "my_step.py", "-o", "my-step.json", cwd=tmp_path, before=gone
    )
    assert code == 0, err
    result = result_of(tmp_path)
    assert (result["verdict"], result["view"]["status"]) == ("unverifiable", "match")
    assert (
        "it could not run when the fixture was frozen: torch.profiler._memory_profiler.MemoryProfile is gone"
        in (" ".join(result["says"]))
    )
