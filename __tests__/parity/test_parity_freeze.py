"""Freezing: byte-identical, refused by another torch; and a fixture of the user's own, from a file of
theirs."""

import json

import pytest
from kit_parity import check, interpreter, parity

STEP = """
import torch

WARM = 1
BATCH = 8

def build():
    print("what a scenario prints must not reach the result")
    model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.GELU(), torch.nn.Linear(64, 4))
    optimizer = torch.optim.AdamW(model.parameters())
    x, y = torch.randn(BATCH, 32), torch.randint(0, 4, (BATCH,))

    def step():
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()

    return step
"""


def test_two_freezes_are_byte_identical_whatever_the_hash_seed_and_threads(tmp_path):
    for name, seed, threads in (("a.json", "1", "4"), ("b.json", "77", "2")):
        env = {"PYTHONHASHSEED": seed, "OMP_NUM_THREADS": threads, "MKL_NUM_THREADS": threads}
        code, _, err = parity(interpreter("CPU"), "freeze", "-o", tmp_path / name, env=env)
        assert code == 0, err
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_another_torch_may_not_freeze_the_built_in_fixture(tmp_path):
    code, _, err = parity(interpreter("CUDA"), "freeze", "-o", tmp_path / "f.json")
    assert code == 2
    assert "cannot freeze the built-in fixture: it is of torch 2.13" in err
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def own(tmp_path):
    (tmp_path / "my_step.py").write_text(STEP)
    code, _, err = parity(
        interpreter("CPU"), "freeze", "--scenario", "my_step.py", "-o", "my-step.json", cwd=tmp_path
    )
    assert code == 0, err
    return tmp_path


def test_a_fixture_of_the_users_own_matches_until_their_step_changes(own, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    result = check(interpreter("CPU"), "--fixture", own / "my-step.json", cwd=elsewhere)
    assert result["verdict"] == "match", result["says"]
    assert result["fixture"]["scenarios"] == ["my_step"]
    assert result["fixture"]["built_in"] is False
    (own / "my_step.py").write_text(STEP.replace("BATCH = 8", "BATCH = 16"))
    result = check(interpreter("CPU"), "--fixture", own / "my-step.json")
    assert result["verdict"] == "drift"
    assert result["view"]["status"] == "drift"
    assert "bytes of activation" in json.dumps(result["view"]["differences"])
    assert any("its sha256 differs" in line for line in result["says"])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "is not there. Put it back"),
        ("x = 1", "defines no build()"),
        ("build = lambda: 3", None),
        ("1 / 0", "ZeroDivisionError"),
        (STEP.replace("WARM = 1", "WARM = -2"), "WARM = -2"),
        (STEP.replace("WARM = 1", "WARM = 2"), "Freeze it again"),
    ],
)
def test_a_scenario_file_that_cannot_be_used_is_named(own, text, says):
    file = own / "my_step.py"
    if text is None:
        file.unlink()
    else:
        file.write_text(text)
    code, out, err = parity(interpreter("CPU"), "check", "--json", "--fixture", own / "my-step.json")
    if says is None:  # it can be read; that it gives no step is a failure of the run
        result = json.loads(out)
        assert result["verdict"] == "unverifiable"
        assert "it must return the step function" in " ".join(result["says"])
    else:
        assert code == 2
        assert says in err


def test_a_fixture_of_another_scenario_is_refused(own):
    (own / "other.py").write_text(STEP)
    code, _, err = parity(
        interpreter("CPU"), "check", "--fixture", own / "my-step.json", "--scenario", own / "other.py"
    )
    assert code == 2
    assert "fixture is of scenario 'my_step', the file gives 'other'" in err
