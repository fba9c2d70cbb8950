"""The check, with real interpreters: what it says of both torch versions, and of everything that can be
broken, each by its own name."""

import json
import subprocess
import sys

import pytest
from kit_parity import FIXTURE, PARITY, ROOT, check, forked, interpreter, parity, sabotaged

STATUSES = ("view", "oracle", "migration")


def statuses(result):
    return tuple(result[part]["status"] for part in STATUSES)


def told(result):
    """Everything that the result says in words."""
    differences = [d for part in STATUSES for d in result[part]["differences"]]
    lines = [f"{d['scenario']}, {d['what']}: fixture {d['fixture']}, now {d['now']}" for d in differences]
    return "\n".join([*result["says"], *lines])


DEVICE = {"FAKE_CUDA_TOTAL_BYTES": "64M", "OA_STANDIN_TOTAL_BYTES": "64M"}


@pytest.mark.parametrize("which", ["CPU", "CUDA"])
def test_the_shipped_fixture_matches_on_both_torch_versions(which):
    result = check(interpreter(which), env=DEVICE)
    assert result["verdict"] == "match", result["says"]
    assert statuses(result) == ("match", "same", "not-measured-again")
    assert result["schema"] == "oom-autopsy.parity.v1"
    everything = len(result["fixture"]["scenarios"])
    assert (result["view"]["matched"], result["oracle"]["matched"]) == (everything, everything)
    assert f"measured again and exact in 1 of {everything} scenarios" in result["says"][2]
    assert [n for n, where in result["migration"]["source"].items() if where == "measured"] == [
        "mlp/sgd/warm"
    ]
    assert ("AUTOGRAD_DETAIL", "unknown") in {(row["from"], row["to"]) for row in result["migration"]["rows"]}
    assert len(result["migration"]["lines"]) == everything
    assert result["trigger"]["status"] == "quiet", result["trigger"]
    assert not {r["to"] for r in result["migration"]["rows"]} & {"TEMPORARY", "AUTOGRAD_DETAIL"}


@pytest.mark.long
@pytest.mark.parametrize("which", ["CPU", "CUDA"])
def test_every_table_of_it_is_exact_on_both_torch_versions(which):
    result = check(interpreter(which), "--full", env=DEVICE)
    assert statuses(result) == ("match", "same", "exact"), result["says"]
    assert set(result["migration"]["source"].values()) == {"measured"}


NAMES = ("mlp/sgd/warm", "cnn/sgd/first")


@pytest.mark.parametrize(
    ("sabotage", "expected", "verdict", "says"),
    [
        (
            "",
            ("match", "same", "not-measured-again"),
            "match",
            "measured again and exact in 1 of 2 scenarios",
        ),
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
            "oracle.MemoryProfile.timeline = property(lambda self: ())",
            ("match", "changed", "not-compared"),
            "drift",
            "keys of ACTIVATION: fixture 7, now None",
        ),
        (
            "import os; oracle.MemoryProfile.__init__ = lambda self, result: os._exit(0)",
            ("match", "crashed", "not-compared"),
            "unverifiable",
            "ended without a result",
        ),
        (
            "torch.backends.mkldnn.enabled = False",
            ("match", "not-comparable", "not-compared"),
            "unverifiable",
            "mkldnn: True -> False), and differs: cnn/sgd/first, keys of ACTIVATION: fixture 18, now 4",
        ),
        (
            "view.torch_api.view_missing = lambda: 'a part of torch is missing'",
            ("unsupported", "not-comparable", "not-compared"),
            "unverifiable",
            "cannot carry the rebuilt view: a part of torch is missing. Use a newer torch",
        ),
        (
            "view.Recorder.install = lambda self: (_ for _ in ()).throw(view.Unsupported('a hook is missing'))",
            ("unsupported", "same", "not-compared"),
            "unverifiable",
            "The rebuilt view cannot run here: a hook is missing",
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
        (
            "summed = migration.summed; migration.summed = lambda tables: summed(tables + tables)",
            ("match", "same", "changed"),
            "drift",
            "all scenarios, sum of row of ACTIVATION -> activation: fixture 25 / 2789912 B, now 50 / 5579824 B",
        ),
        (
            "migration.INFERRED = ('TEMPORARY',)",
            ("match", "same", "changed"),
            "drift",
            "the sentence of the table: fixture mlp/sgd/warm: 99.83 % of the oracle's",
        ),
    ],
)
def test_each_sabotage_gets_its_own_verdict_and_message(sabotage, expected, verdict, says):
    result = sabotaged(sabotage, NAMES)
    assert (statuses(result), result["verdict"]) == (expected, verdict), result["says"]
    assert says in told(result), result["says"]


def test_without_mkldnn_the_report_says_what_is_still_verified():
    result = sabotaged("torch.backends.mkldnn.enabled = False", NAMES)
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
    result = sabotaged(sabotage)
    assert (result["verdict"], result["view"]["status"]) == ("unverifiable", "not-comparable")
    assert (
        f"torch {result['environment']['torch']} is older than the fixture's 9.0.0, and differs: mlp/sgd/warm, counts of "
        "activation: fixture 7, now 4; it matched in 0 of 1 scenarios."
    ) in result["says"][0]


def test_a_new_public_name_fires_the_review_trigger_and_a_removed_categorizer_too():
    fired = sabotaged("import torch.cuda.memory; torch.cuda.memory.set_memory_metadata = print")
    assert fired["trigger"]["status"] == "fired"
    assert fired["trigger"]["new"] == ["torch.cuda.memory.set_memory_metadata"]
    new = sabotaged("import torch.cuda.memory; torch.cuda.memory._annotate_blocks = print")
    assert (new["trigger"]["status"], new["trigger"]["new"]) == (
        "new",
        ["torch.cuda.memory._annotate_blocks"],
    )
    gone = sabotaged("del oracle.MemoryProfile")
    assert gone["trigger"]["status"] == "fired"


def test_an_interpreter_without_torch_gets_a_result_that_says_so(tmp_path):
    (tmp_path / "torch.py").write_text("raise ImportError('no torch here')")
    result = check(sys.executable, env={"PYTHONPATH": str(tmp_path)})
    assert result["verdict"] == "unverifiable"
    assert "torch cannot be imported" in result["says"][0]
    assert "(ImportError: no torch here). Name the interpreter" in result["says"][0]
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


@pytest.mark.parametrize(
    ("sabotage", "measured"),
    [
        ("", 1),
        ("oracle.MemoryProfile._set_activations = lambda self: None", 2),
        # Of a difference that nothing can be concluded from, a table is not measured.
        ("torch.backends.mkldnn.enabled = False", 1),
    ],
)
def test_a_table_is_measured_where_its_accounts_moved_and_in_the_canary(tmp_path, sabotage, measured):
    noted = """
from oom_autopsy_parity import measure
joined = measure.joining.join
def join(window, lives, blocks, first_call):
    open("joins", "a").write("x")
    return joined(window, lives, blocks, first_call)
measure.joining.join = join
"""
    forked("check", "--json", before=noted + sabotage, cwd=tmp_path, names=NAMES)
    assert len((tmp_path / "joins").read_text()) == measured


def test_with_full_every_table_is_measured_and_exact():
    names = ("mlp/sgd/warm", "resnet18/sgd/warm")  # in the second, one call has two blocks at one address
    result = sabotaged("", names, "--full")
    assert result["migration"]["status"] == "exact", result["says"]
    assert result["migration"]["source"] == dict.fromkeys(names, "measured")


def test_one_view_that_takes_its_process_along_does_not_take_the_others():
    sabotage = """
import os
from oom_autopsy_parity import measure
summary = measure.view_summary
measure.view_summary = lambda w, r: os.abort() if "module_buffer" in w.reasons() else summary(w, r)
"""
    result = sabotaged(sabotage, NAMES)
    assert {one["name"]: one["status"] for one in result["view"]["by_scenario"]} == {
        "mlp/sgd/warm": "match",
        "cnn/sgd/first": "crashed",
    }
    assert "died by signal 6; it matched in 1 of 2 scenarios" in result["says"][0]


def test_a_torch_that_cannot_match_is_said_at_once():
    nothing = "runs.Runs.check = None; view.torch_api.view_missing = lambda: 'a hook is missing'"
    result = sabotaged(nothing)
    assert (result["verdict"], result["environment"]) == ("unverifiable", None)
    assert "a hook is missing" in result["says"][0]
    assert result["migration"]["rows"]


def test_the_loss_is_an_activation_as_torch_has_it():
    """Every loss is a scalar: with it unknown, as in the first prototype, a row of 4 bytes stood beside these."""
    frozen = json.loads(FIXTURE.read_text())["scenarios"]
    for name in ("mlp/sgd/warm", "cnn/sgd/warm", "transformer/adam/warm"):
        rows = {(row["from"], row["to"]) for row in frozen[name]["migration"]["rows"]}
        assert ("ACTIVATION", "activation") in rows
        assert ("ACTIVATION", "unknown") not in rows


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
    assert fixture.described() == json.loads((ROOT / "schemas" / "fixture.schema.json").read_text())
