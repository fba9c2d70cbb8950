"""The view's vocabulary and its ledger: six categories, nothing else sayable; sums that add up whatever the
order of events."""

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kit_parity import ROOT
from oom_autopsy_parity.judge import NEVER_EMITTED
from oom_autopsy_parity.shared import shared

ledger = shared("timeline.ledger")


def test_the_view_has_six_categories_and_every_reason_implies_one_of_them():
    assert ledger.CATEGORIES == ("parameter", "gradient", "input", "activation", "optimizer_state", "unknown")
    assert {type(reason.category) for reason in ledger.Reason} == {ledger.Category}
    assert len({reason.label for reason in ledger.Reason}) == len(ledger.Reason)


@pytest.mark.parametrize("word", NEVER_EMITTED)
def test_an_inferred_category_is_no_value_of_the_type(word):
    for spelling in (word, word.lower()):
        with pytest.raises(ValueError):
            ledger.Category(spelling)
        assert not hasattr(ledger.Category, spelling.upper())


@pytest.mark.parametrize("file", ["view.py", "ledger.py", "timeline.py"])
def test_no_code_of_the_view_holds_an_inferred_word(file):
    tree = ast.parse((ROOT / "python" / "shim" / "_oom_autopsy" / "timeline" / file).read_text())
    prose = {
        id(n.body[0].value)
        for n in ast.walk(tree)
        if isinstance(n, (ast.Module, ast.ClassDef, ast.FunctionDef))
        and n.body
        and isinstance(n.body[0], ast.Expr)
    }
    said = [
        n.value
        for n in ast.walk(tree)
        if isinstance(n, ast.Constant) and isinstance(n.value, str) and id(n) not in prose
    ]
    said += [n.id for n in ast.walk(tree) if isinstance(n, ast.Name)] + [
        n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)
    ]
    assert not [s for s in said if "TEMPORARY" in s.upper() or "AUTOGRAD_DETAIL" in s.upper()]


R = ledger.Reason


@pytest.mark.parametrize(
    ("old", "new", "seen", "kept"),
    [
        (R.OUTPUT_IN_BACKWARD, R.GRAD_ACCUMULATED, False, R.GRAD_ACCUMULATED),
        (R.GRAD_ACCUMULATED, R.MODULE_PARAMETER, False, R.MODULE_PARAMETER),
        (R.MODULE_PARAMETER, R.GRAD_AT_STEP, True, R.MODULE_PARAMETER),
        (R.OUTPUT_OUTSIDE, R.MODULE_ARGUMENT, False, R.MODULE_ARGUMENT),
        (R.OUTPUT_IN_FORWARD, R.MODULE_ARGUMENT, False, R.OUTPUT_IN_FORWARD),
        (R.OUTPUT_IN_BACKWARD, R.MODULE_ARGUMENT, False, R.OUTPUT_IN_BACKWARD),
        (R.MODULE_BUFFER, R.MODULE_ARGUMENT, True, R.MODULE_ARGUMENT),
        (R.OUTPUT_IN_OPTIMIZER, R.OPTIMIZER_STATE, False, R.OPTIMIZER_STATE),
        (R.OPTIMIZER_STATE, R.GRAD_AT_STEP, True, R.OPTIMIZER_STATE),
        (R.GRAD_AT_STEP, R.OPTIMIZER_STATE, True, R.OPTIMIZER_STATE),
        (R.OPTIMIZER_STATE, R.MODULE_PARAMETER, True, R.MODULE_PARAMETER),
        (R.MODULE_ARGUMENT, R.GRAD_AT_STEP, True, R.GRAD_AT_STEP),
        (R.MODULE_ARGUMENT, R.OUTPUT_NEEDS_GRAD, True, R.MODULE_ARGUMENT),
        (R.OUTPUT_OUTSIDE, R.OUTPUT_IN_FORWARD, False, R.OUTPUT_IN_FORWARD),
        (R.OUTPUT_IN_BACKWARD, R.OUTPUT_IN_OPTIMIZER, False, R.OUTPUT_IN_BACKWARD),
    ],
)
def test_the_observation_that_says_most_is_kept(old, new, seen, kept):
    assert ledger.better(old, new, seen=seen) is kept


@st.composite
def lives(draw):
    """A ledger of storages that are made, resized and freed in any order, and a place to cut it."""
    book, alive = ledger.Ledger(), []
    for _ in range(draw(st.integers(0, 40))):
        what = draw(st.sampled_from("+=-~"))
        if what in "+=":
            row = ledger.Row(draw(st.sampled_from(list(R))), draw(st.integers(0, 100)), "cpu", what == "=")
            alive.append(row)
            book.events.append((what, row, row.nbytes))
        elif alive:
            row = alive[draw(st.integers(0, len(alive) - 1))]
            if what == "-":
                alive.remove(row)
                book.events.append(("-", row, row.nbytes))
            else:
                size = draw(st.integers(0, 100))
                book.events.append(("~", row, size - row.nbytes))
                row.nbytes = size
    return book, alive, draw(st.integers(0, len(book.events)))


@settings(max_examples=300, deadline=None)
@given(lives())
def test_a_window_accounts_for_every_byte(case):
    book, alive, since = case
    window = book.window(since)
    at_end = sum(n for _, n in window.baseline) + sum(delta for _, _, delta in window.moves)
    assert at_end == sum(row.nbytes for row in alive)
    peak, parts, at = window.peak()
    assert sum(parts.values()) == peak >= at_end
    assert set(window.counts()) <= set(ledger.CATEGORIES)
    assert sum(window.bytes().values()) == sum(entry["bytes"] for entry in window.reasons().values())
    assert sum(window.bytes().values()) >= peak
    assert len(window.sequence()) == len(window.baseline) + len(window.moves)
    assert -1 <= at < max(1, len(window.moves))


def test_the_peak_is_the_first_moment_of_the_most_bytes():
    book = ledger.Ledger()
    first, second = (
        ledger.Row(R.MODULE_PARAMETER, 8, "cpu", False),
        ledger.Row(R.OUTPUT_IN_FORWARD, 8, "cpu", False),
    )
    book.events += [("+", first, 8), ("-", first, 8), ("+", second, 8), ("-", second, 8)]
    assert book.window().peak() == (8, {"parameter": 8}, 0)
    assert book.window(since=1).peak() == (8, {"parameter": 8}, -1)
    assert book.window(since=2).peak() == (8, {"activation": 8}, 0)
    other = ledger.Row(R.OUTPUT_IN_FORWARD, 4, "cuda:0", False)
    book.events.insert(0, ("+", other, 4))
    assert book.window().peak("cuda:0") == (4, {"activation": 4}, 0)
    assert book.window().peak() == (12, {"activation": 4, "parameter": 8}, 1)
    assert book.window(until=1).peak() == (4, {"activation": 4}, 0)
