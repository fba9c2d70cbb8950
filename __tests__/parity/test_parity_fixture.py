"""The frozen fixture: valid, small, holding what was published and measured; and every fixture that cannot be
used is refused by name."""

import copy
import json

import pytest
from kit_parity import FIXTURE, ROOT, accounts_agree, forked, sabotaged
from oom_autopsy_parity import fixture, freeze, migration, sequence, shape
from oom_autopsy_parity.scenarios import BUILT_IN


@pytest.fixture(scope="module")
def frozen():
    return fixture.read(str(FIXTURE))


def written(tmp_path, data, name="fixture.json"):
    path = tmp_path / name
    path.write_text(fixture.text(data))
    return path


def test_the_built_in_fixture_is_of_torch_2_13_and_belongs_to_this_version(frozen):
    assert frozen["built_in"] is True
    assert frozen["environment"]["torch"].startswith("2.13.")
    assert frozen["environment"]["threads"] == 1
    assert [s.name for s in fixture.scenarios_of(frozen)] == [s.name for s in BUILT_IN]
    assert FIXTURE.stat().st_size < 1.5e6
    assert FIXTURE.read_text() == fixture.text(frozen)


def test_it_is_valid_by_its_schema(frozen):
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((ROOT / "schemas" / "fixture.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    assert list(validator.iter_errors(frozen)) == []
    assert shape.problem(frozen, schema, schema) is None
    view = frozen["scenarios"]["mlp/sgd/first"]["view"]
    bad = {**view, "events": [*view["events"], "+ TEMPORARY 8"]}
    data = {**frozen, "scenarios": {"mlp/sgd/first": {**frozen["scenarios"]["mlp/sgd/first"], "view": bad}}}
    assert list(validator.iter_errors(data)) != []
    assert shape.problem(data, schema, schema).startswith(".scenarios.mlp/sgd/first.view.events.")


KEYWORDS = {
    "$ref",
    "oneOf",
    "const",
    "enum",
    "type",
    "pattern",
    "maxLength",
    "minimum",
    "minProperties",
    "required",
}
KEYWORDS |= {"properties", "additionalProperties", "propertyNames", "items"}


def test_our_readers_know_every_keyword_of_the_schema():
    """shape.py, and src/parity/fixture.ts: one that is not read would be a rule that nobody keeps."""
    schema = json.loads((ROOT / "schemas" / "fixture.schema.json").read_text())
    used, waiting = set(), [schema, *schema["$defs"].values()]
    while waiting:
        one = waiting.pop()
        used |= set(one)
        waiting += [*one.get("properties", {}).values(), *one.get("oneOf", ())]
        waiting += [
            v
            for k, v in one.items()
            if k in ("items", "additionalProperties", "propertyNames") and v not in (True, False)
        ]
    assert used - {"$schema", "$id", "$defs", "title", "description"} == KEYWORDS
    reader = (ROOT / "src" / "parity" / "fixture.ts").read_text()
    assert [word for word in KEYWORDS if f"readonly {word}?:" not in reader] == []


def _edits(value, at=()):
    """Every place of a value that can be spoilt."""
    yield at
    if isinstance(value, dict):
        for key in list(value):
            yield from _edits(value[key], (*at, key))
    elif isinstance(value, list) and value:
        yield from _edits(value[0], (*at, 0))


def test_our_reader_agrees_with_a_validator_wherever_a_fixture_is_spoilt(frozen):
    """Each key gone and each value of another kind, in a fixture of one small scenario."""
    jsonschema = pytest.importorskip("jsonschema")
    schema = fixture.described()
    validator = jsonschema.Draft202012Validator(schema)
    small = {**frozen, "scenarios": {"mlp/sgd/first": frozen["scenarios"]["mlp/sgd/first"]}}
    spoilt = 0
    for at in _edits(small):
        for put in (None, {}, [], "x", -1, True, 1.5):
            data = copy.deepcopy(small)
            place = data
            for key in at[:-1]:
                place = place[key]
            if not at:
                data = put
            elif put is None:
                del place[at[-1]]
            else:
                place[at[-1]] = put
            valid = validator.is_valid(data)
            assert (shape.problem(data, schema, schema) is None) == valid, (at, put)
            spoilt += not valid
    assert spoilt > 500


def test_torchlens_golden_is_met_to_the_number(frozen):
    """Published by TorchLens for its pinned scenario on torch 2.13: 51 keys."""
    keys = frozen["scenarios"]["torchlens-mlp/sgd/first-two"]["oracle"]["keys"]
    assert keys == {
        "ACTIVATION": 10,
        "AUTOGRAD_DETAIL": 4,
        "GRADIENT": 8,
        "INPUT": 5,
        "OPTIMIZER_STATE": 8,
        "PARAMETER": 8,
        "TEMPORARY": 8,
    }
    assert sum(keys.values()) == 51


@pytest.mark.parametrize("name", ["cnn/sgd/first", "cnn/sgd/warm", "transformer/adam/warm"])
def test_nearly_all_keyed_bytes_join_and_the_peaks_agree(frozen, name):
    entry = frozen["scenarios"][name]
    assert entry["migration"]["joined_bytes"] / entry["migration"]["keyed_bytes"] >= 0.997
    assert abs(entry["oracle"]["peak"] - entry["view"]["peak"]) <= 256


def test_no_joined_tensor_differs_in_size_and_no_recording_had_a_fault(frozen):
    for entry in frozen["scenarios"].values():
        assert entry["migration"]["size_mismatches"] == 0
        assert entry["view"]["faults"] == []


def test_the_two_accounts_of_a_fixture_agree_with_themselves(frozen):
    """Peak and bytes are recomputed here from the event sequences that the fixture holds."""
    for name, entry in frozen["scenarios"].items():
        accounts_agree(name, entry)
        assert entry["migration"]["says"] == migration.line(
            name, entry["migration"], entry["oracle"]["bytes"]
        )


def test_sentences_quote_the_scenario_they_speak_of(frozen):
    table = frozen["scenarios"]["transformer/adam/warm"]["migration"]
    said = migration.line(
        "transformer/adam/warm", table, frozen["scenarios"]["transformer/adam/warm"]["oracle"]["bytes"]
    )
    assert said.startswith("transformer/adam/warm: 99.72 % of the oracle's")
    assert "AUTOGRAD_DETAIL went to unknown (53 tensors, 1.19 MiB)" in said
    assert "larger: the view alone saw 24 of gradient" in said
    doubled = {**table, "view_only": []}
    assert "smaller: the oracle alone saw" in migration.line("x", doubled, None)


def test_deaths_with_nothing_between_have_no_order():
    assert sequence.canonical(["- b 2", "- a 1", "+ c 3", "- z 1", "- b 1"]) == [
        "- a 1",
        "- b 2",
        "+ c 3",
        "- b 1",
        "- z 1",
    ]
    assert sequence.first_difference(["a", "b"], ["a"]) == {
        "what": "event 2 of 2",
        "fixture": "b",
        "now": "(no more events)",
    }


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (lambda d: d.update(schema="oom-autopsy.fixture.v2"), "a later one than"),
        (lambda d: d.update(schema="something"), "accepted: 'oom-autopsy.fixture.v1'"),
        (lambda d: d.update(scenarios={}), "scenarios is empty"),
        (lambda d: d.update(environment=None), "environment is no object"),
        (lambda d: d.update(environment={}), "environment.torch is missing"),
        (
            lambda d: d["scenarios"].update({"mlp/other/warm": d["scenarios"]["mlp/sgd/warm"]}),
            "names scenario 'mlp/other/warm'",
        ),
        (lambda d: d["scenarios"].pop("mlp/sgd/warm"), "does not hold scenario 'mlp/sgd/warm'"),
        (lambda d: d["scenarios"]["mlp/sgd/warm"].pop("view"), "scenarios.mlp/sgd/warm.view is missing"),
        (lambda d: d["scenarios"]["mlp/sgd/warm"]["view"].pop("peak"), "warm.view.peak is missing"),
        (
            lambda d: d["scenarios"]["mlp/sgd/warm"]["view"].update(events=[1, 2]),
            "warm.view.events.0 is no string",
        ),
        (
            lambda d: d["scenarios"]["mlp/sgd/warm"]["view"]["events"].append("+ TEMPORARY 8"),
            "is '+ TEMPORARY 8'",
        ),
        (
            lambda d: d["scenarios"]["mlp/sgd/warm"]["migration"]["rows"][0].update(bytes="many"),
            "migration.rows.0.bytes is no integer",
        ),
        (
            lambda d: d["scenarios"]["mlp/sgd/warm"].update(
                oracle={"failed": "crashed", "reason": "planted"}
            ),
            "holds no oracle of scenario 'mlp/sgd/warm'",
        ),
        (lambda d: d.pop("table"), "lacks what is told of its tables"),
        (lambda d: d["scenarios"]["mlp/sgd/warm"].update(warm=7), "with warm=7"),
    ],
)
def test_a_fixture_that_cannot_be_used_is_refused_with_the_value_and_the_remedy(tmp_path, edit, says):
    data = json.loads(FIXTURE.read_text())
    edit(data)
    path = written(tmp_path, data)
    code, out, err = forked("check", "--json", "--fixture", path)
    assert (code, out) == (2, ""), err
    assert says in err
    assert any(remedy in err for remedy in ("Freeze it again", "Update the action", "Use the fixture"))


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        ("view']['counts']['activation'] = 8", "counts of activation: fixture 8, now 7"),
        ("view']['peak'] = 1", "peak: fixture 1, now"),
        ("view']['events'].pop(3)", "The rebuilt view drifted from the fixture: mlp/sgd/warm, event 4 of"),
        ("oracle']['events'].pop(3)", "The oracle changed: mlp/sgd/warm, event 4 of"),
        ("oracle']['keys']['INPUT'] = 0", "The oracle changed: mlp/sgd/warm, keys of INPUT: fixture 0, now"),
        ("migration']['rows'][0]['bytes'] = 1", "row of ACTIVATION -> activation: fixture 7 / 1 B, now"),
        ("migration']['joined_bytes'] = 1", "joined of joined_bytes: fixture 1, now"),
        ("migration']['says'] = 'Nothing.'", "the sentence of the table: fixture Nothing., now mlp/"),
    ],
)
def test_an_edit_whose_digest_was_made_good_is_a_drift_that_names_the_number(edit, says):
    result = sabotaged(f"frozen['scenarios']['mlp/sgd/warm']['{edit}")
    assert result["verdict"] == "drift"
    assert says in " ".join(result["says"])


def test_an_edit_by_hand_is_told_from_a_drift(tmp_path):
    path = tmp_path / "fixture.json"
    text = FIXTURE.read_text()
    path.write_text(text.replace('"+ activation 256"', '"+ activation 512"', 1))
    assert path.read_text() != text
    code, _, err = forked("check", "--fixture", path)
    assert code == 2
    assert "does not match its own sha256" in err


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "cannot be read"),
        ("{", "is no JSON (Expecting property name enclosed in double quotes: line 1 column 2"),
        ("[]", "is no JSON object"),
        ("[" * 100_000, "is no JSON"),
    ],
)
def test_what_is_no_fixture_at_all_is_named(tmp_path, content, says):
    path = tmp_path / "f.json"
    if content is not None:
        path.write_text(content)
    code, _, err = forked("check", "--fixture", path)
    assert code == 2
    assert says in err
    assert str(path) in err


def test_a_fixture_is_written_whole_or_not_at_all(tmp_path):
    with pytest.raises(freeze.FreezeError, match="could not be written"):
        freeze.write({"schema": "x"}, str(tmp_path / "no" / "such.json"))
    assert list(tmp_path.iterdir()) == []


def test_checkpointing_changes_what_is_made_in_forwards_and_nothing_else(frozen):
    """A recomputation that stops early leaves its forward by an exception: what the backward makes next is the backward's."""
    plain = frozen["scenarios"]["transformer/adam/warm"]["view"]["reasons"]
    again = frozen["scenarios"]["transformer-checkpointed/adamw/warm"]["view"]["reasons"]
    assert again["op_output_in_module_forward"] == plain["op_output_in_module_forward"]
    assert again["op_output_in_backward"] == plain["op_output_in_backward"]
    assert again["op_output_in_module_forward_inside_backward"]["count"] > 0
