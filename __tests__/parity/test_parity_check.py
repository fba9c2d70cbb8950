"""The check, with real interpreters: what it says of both torch versions, and of everything that can be
broken, each by its own name."""

import json
import subprocess
import sys

import pytest
from kit_parity import FIXTURE, PARITY, check, interpreter, parity, sabotaged

STATUSES = ("view", "oracle", "migration")


def statuses(result):
    return tuple(result[part]["status"] for part in STATUSES)


@pytest.mark.parametrize("which", ["CPU", "CUDA"])
def test_the_shipped_fixture_matches_on_both_torch_versions(which):
    result = check(interpreter(which), env={"FAKE_CUDA_TOTAL_BYTES": "64M", "OA_STANDIN_TOTAL_BYTES": "64M"})
    assert result["verdict"] == "match", result["says"]
    assert statuses(result) == ("match", "same", "exact")
    assert result["schema"] == "oom-autopsy.parity.v1"
    assert (
        result["view"]["compared"] == result["migration"]["compared"] == len(result["fixture"]["scenarios"])
    )
    assert ("AUTOGRAD_DETAIL", "unknown") in {(row["from"], row["to"]) for row in result["migration"]["rows"]}
    assert len(result["migration"]["lines"]) == len(result["fixture"]["scenarios"])
    assert result["trigger"]["status"] == "quiet", result["trigger"]
    assert not {r["to"] for r in result["migration"]["rows"]} & {"TEMPORARY", "AUTOGRAD_DETAIL"}


NAMES = ("mlp/sgd/warm", "cnn/sgd/first")


@pytest.mark.parametrize(
    ("sabotage", "expected", "verdict", "says"),
    [
        ("", ("match", "same", "exact"), "match", "matches the fixture in 2 of 2"),
        (
            "ledger.Reason.OUTPUT_IN_FORWARD.category = ledger.Category.UNKNOWN",
            ("drift", "same", "changed"),
            "drift",
            "counts of activation: fixture 7, now 4",
        ),
        (
            """
begin = view.Recorder._begin
view.Recorder._begin = lambda self, s, reason, *a: None if reason is ledger.Reason.OUTPUT_NEEDS_GRAD else begin(self, s, reason, *a)
""",
            ("drift", "same", "changed"),
            "drift",
            "counts of activation: fixture 7, now 3",
        ),
        (
            """
begin = view.Recorder._begin
def larger(self, storage, *a):
    begin(self, storage, *a)
    row = self._live[id(storage)].row
    if row.nbytes == 16384:
        row.nbytes += 1
        self.ledger.events[-1] = (*self.ledger.events[-1][:2], 16385)
view.Recorder._begin = larger
""",
            ("drift", "same", "changed"),
            "drift",
            "fixture + activation 16384, now + activation 16385",
        ),
        (
            """
import enum
class Said(enum.Enum):
    TEMPORARY = "TEMPORARY"
ledger.Reason.OUTPUT_IN_BACKWARD.category = Said.TEMPORARY
ledger._WEIGHT[Said.TEMPORARY] = 0
""",
            ("drift", "same", "changed"),
            "drift",
            "a category that is never emitted: fixture (never), now TEMPORARY",
        ),
        (
            """
oracle.Category = __import__("enum").Enum("Category", ["INPUT", "TEMPORARY", "SAVED", "GRADIENT", "AUTOGRAD_DETAIL", "PARAMETER", "OPTIMIZER_STATE"])
oracle.Category.ACTIVATION = oracle.Category.SAVED
""",
            ("match", "changed", "not-compared"),
            "drift",
            "keys of ACTIVATION: fixture 7, now None",
        ),
        (
            "oracle.MemoryProfile._set_activations = lambda self: None",
            ("match", "changed", "not-compared"),
            "drift",
            "ACTIVATION",
        ),
        (
            "del oracle.MemoryProfile",
            ("match", "removed", "not-compared"),
            "unverifiable",
            "MemoryProfile is gone",
        ),
        (
            (
                "[delattr(c, '_memory_profile') for c in torch.profiler.profile.__mro__ if "
                "'_memory_profile' in vars(c)]"
            ),
            ("match", "removed", "not-compared"),
            "unverifiable",
            "_memory_profile is gone",
        ),
        (
            """
def fails(self, result):
    raise AssertionError("as in pytorch/pytorch#167838")
oracle.MemoryProfile.__init__ = fails
""",
            ("match", "crashed", "not-compared"),
            "unverifiable",
            "AssertionError: as in pytorch/pytorch#167838",
        ),
        (
            "import os; oracle.MemoryProfile.__init__ = lambda self, result: os.abort()",
            ("match", "crashed", "not-compared"),
            "unverifiable",
            "died by signal 6",
        ),
        (
            "torch.backends.mkldnn.enabled = False",
            ("match", "not-comparable", "not-compared"),
            "unverifiable",
            "mkldnn: True -> False",
        ),
        (
            "view.torch_api.view_missing = lambda: 'a part of torch is missing'",
            ("unsupported", "same", "not-compared"),
            "unverifiable",
            "a part of torch is missing",
        ),
        ("view.Recorder.observe = None", ("drift", "same", "changed"), "drift", "operation: TypeError"),
        (
            """
frozen["scenarios"]["mlp/sgd/warm"]["migration"]["rows"][0]["bytes"] += 4
""",
            ("match", "same", "changed"),
            "drift",
            "row of ACTIVATION -> activation: fixture 7 / 35344 B, now 7 / 35340 B",
        ),
    ],
)
def test_each_sabotage_gets_its_own_verdict_and_message(sabotage, expected, verdict, says):
    result = sabotaged(interpreter("CPU"), sabotage, NAMES)
    assert (statuses(result), result["verdict"]) == (expected, verdict), result["says"]
    told = json.dumps(result["says"]) + json.dumps([result[part].get("differences") for part in STATUSES])
    told += "".join(
        f"{d['scenario']}, {d['what']}: fixture {d['fixture']}, now {d['now']}"
        for part in STATUSES
        for d in result[part]["differences"]
    )
    assert says in told, result["says"]


def test_without_mkldnn_the_report_says_what_is_still_verified():
    result = sabotaged(interpreter("CPU"), "torch.backends.mkldnn.enabled = False", NAMES)
    assert {one["name"]: one["status"] for one in result["oracle"]["by_scenario"]} == {
        "mlp/sgd/warm": "same",
        "cnn/sgd/first": "not-comparable",
    }
    assert (
        "Still verified: the rebuilt view's own account, and the oracle in 1 of 2 scenarios."
        in result["says"]
    )


def test_an_older_torch_is_not_called_drift():
    sabotage = (
        "ledger.Reason.OUTPUT_IN_FORWARD.category = ledger.Category.UNKNOWN; "
        "frozen['environment']['torch'] = '9.0.0'"
    )
    result = sabotaged(interpreter("CPU"), sabotage)
    assert (result["verdict"], result["view"]["status"]) == ("unverifiable", "not-comparable")
    assert "older than the fixture's" in " ".join(result["says"])


def test_a_new_public_name_fires_the_review_trigger_and_a_removed_categorizer_too():
    fired = sabotaged(
        interpreter("CPU"), "import torch.cuda.memory; torch.cuda.memory.set_memory_metadata = print"
    )
    assert fired["trigger"]["status"] == "fired"
    assert fired["trigger"]["new"] == ["torch.cuda.memory.set_memory_metadata"]
    new = sabotaged(
        interpreter("CPU"), "import torch.cuda.memory; torch.cuda.memory._annotate_blocks = print"
    )
    assert (new["trigger"]["status"], new["trigger"]["new"]) == (
        "new",
        ["torch.cuda.memory._annotate_blocks"],
    )
    gone = sabotaged(interpreter("CPU"), "del oracle.MemoryProfile")
    assert gone["trigger"]["status"] == "fired"


def test_an_interpreter_without_torch_gets_a_result_that_says_so(tmp_path):
    (tmp_path / "torch.py").write_text("raise ImportError('no torch here')")
    result = check(sys.executable, env={"PYTHONPATH": str(tmp_path)})
    assert result["verdict"] == "unverifiable"
    assert "torch cannot be imported" in result["says"][0]
    assert result["migration"]["rows"]


def test_the_check_leaves_the_callers_folder_and_modules_alone(tmp_path):
    """A file named like a module of the check's, in the folder it is started from, must not be read."""
    for name in ("judge.py", "json.py", "oracle.py"):
        (tmp_path / name).write_text("raise SystemExit('read from the working folder')")
    code, out, err = parity(sys.executable, "scenarios", cwd=tmp_path)
    assert (code, err) == (0, "")
    assert "torchlens-mlp" in out
    done = subprocess.run(
        [sys.executable, "-m", "oom_autopsy_parity", "environment"],
        env={"PYTHONPATH": str(PARITY)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert json.loads(done.stdout)["threads"] == 1


@pytest.mark.soak
def test_fifty_checks_never_flake():
    for number in range(50):
        result = check(
            interpreter("CPU" if number % 2 else "CUDA"),
            env={"PYTHONHASHSEED": str(number), "OMP_NUM_THREADS": str(1 + number % 4)},
        )
        assert result["verdict"] == "match", (number, result["says"])


def test_the_built_in_fixture_is_where_the_check_looks_for_it():
    from oom_autopsy_parity import fixture

    assert str(FIXTURE) == fixture.BUILT_IN_PATH
