"""In which test memory ran out, and what its runner says of that test in the end; in which cell of a notebook.

Nothing is installed for it. At an out-of-memory the runner's own frames, on the stack of the thread that failed or of the main
thread, show the test and where the runner will note its result: pytest's list of reports, unittest's TestResult. That is read
once the test is over: at a later out-of-memory, or at the exit. Where a process ends without exit handlers (pytest-forked,
`os._exit`), nothing is known. Names only: a test's own, and the type of the error that its runner has printed.
"""

import os
import re
import sys
import threading
import weakref

from .. import facts, torch_api
from ..heap.places import local_items

MAX_TESTS = 50  # whose results are waited for
MAX_ID = 200

_RUNNER = os.path.join("_pytest", "runner.py")
_CASE, _SUITE = os.path.join("unittest", "case.py"), os.path.join("unittest", "suite.py")
_SHELL = os.path.join("IPython", "core", "interactiveshell.py")
_PHASES = {
    "pytest_runtest_setup": "setup",
    "pytest_runtest_call": "call",
    "pytest_runtest_teardown": "teardown",
}
_FIXTURES = {
    "_handleClassSetUp": "setup",
    "_handleModuleFixture": "setup",
    "_tearDownPreviousClass": "teardown",
    "_handleModuleTearDown": "teardown",
}
_PARAMETERS = re.compile(r"[A-Za-z0-9_., :-]{1,60}\]", re.ASCII)
_UNFIT = re.compile(r"[^A-Za-z0-9_./: -]", re.ASCII)
_TYPE = re.compile(r"([A-Za-z_][A-Za-z0-9_.]{0,150})(?::|$)", re.ASCII)


def find(thread):
    """(the receipt's `test` or None, who knows its result or None, number of the notebook's cell or None) of the place where
    a thread, by its ident, and the main thread stand. Never raises."""
    main = threading.main_thread().ident or thread
    try:
        for one in dict.fromkeys((thread, main)):
            test, result, cell = _on_stack(sys._current_frames().get(one))
            if test is not None or cell is not None:
                return test, result, cell
        return _of_parent(os.environ.get("PYTEST_CURRENT_TEST")), None, None
    except Exception:  # a runner of another kind
        return None, None, None


def settle(me, row=None, printed=False):
    """Writes down what became of the tests that are over: at the exit of all, at an out-of-memory of those of which its `row` is
    none. printed: whether the last error that a traceback was printed of is an out-of-memory, as IPython does of a cell's."""
    if printed and me.receipt["ooms"]:
        last = me.receipt["ooms"][-1]
        if last["cell"] is not None and last["outcome"] is None:
            last["outcome"] = _outcome("left", tool="IPython")
    waiting, me.tests = me.tests, []
    for one, result in waiting:
        if row is not None and one["test"] == row["test"]:
            me.tests.append((one, result))
            continue
        try:
            one["outcome"] = result()
        except Exception:  # a plugin's own kind of report
            pass


def clean_id(name):
    """A test's name of at most 200 characters; parameters in brackets only where they are plain words."""
    head, bracket, parameters = name.partition("[")
    shown = _UNFIT.sub("?", head)
    if bracket:
        shown += f"[{parameters}" if _PARAMETERS.fullmatch(parameters) else "[(key)]"
    return shown if len(shown) <= MAX_ID else "..." + shown[3 - MAX_ID :]


def _on_stack(frame):
    """As `find`, of one stack. pytest comes before unittest, whose cases it runs too."""
    phase = unit = cell = None
    while frame is not None:
        code = frame.f_code
        file, name = code.co_filename, code.co_name
        if file.endswith(_RUNNER):
            phase = _PHASES.get(name, phase)
            if name == "runtestprotocol":
                return (*_pytest(dict(local_items(frame)), phase), None)
            if name == "pytest_make_collect_report":
                collector = dict(local_items(frame))["collector"]
                return _test("pytest", collector.nodeid, "collect"), None, None
        elif (unit is None and file.endswith(_CASE) and name == "run") or (
            unit is None and file.endswith(_SUITE) and name in _FIXTURES
        ):
            unit = frame
        elif cell is None and file.endswith(_SHELL) and name == "run_code":
            values = dict(local_items(frame, known=True))  # it calls exec() with dictionaries of its own
            cell = _read(values["result"], "__dict__").get("execution_count")
        frame = frame.f_back
    test, result = (None, None) if unit is None else _unittest(unit.f_code.co_name, dict(local_items(unit)))
    return test, result, cell if type(cell) is int and cell > 0 else None


def _of_parent(current):
    """pytest's variable, in a process that a test has started."""
    found = re.fullmatch(r"(.+) \((setup|call|teardown)\)", current or "", re.DOTALL)
    return None if found is None else _test("pytest", found[1], found[2], child=True)


def _test(runner, name, phase, child=False):
    return {"runner": runner, "id": clean_id(name), "phase": phase, "child": child}


def _read(thing, name):
    """An attribute, without the class's own way of looking one up."""
    return object.__getattribute__(thing, name)


def _outcome(kind, tool=None, later=None):
    return {"kind": kind, "at": None, "tool": tool, "later": later}


# --- pytest ---


def _pytest(values, phase):
    item = values["item"]
    name = item.nodeid
    if "reports" in values:
        reports = values["reports"]  # of setup, call, teardown: text already
        return _test("pytest", name, phase), lambda: _of_reports(reports)
    # In its setup the list is not there yet: all that the terminal shows is kept by outcome, `passed` only of calls.
    terminal = item.config.pluginmanager.get_plugin("terminalreporter")
    if terminal is None:  # `-p no:terminal`
        return _test("pytest", name, phase), None
    shown = terminal.stats
    return _test("pytest", name, phase), lambda: _of_reports(_in_setup(shown, name)) or _outcome("handled")


def _in_setup(shown, name):
    """The reports of a test's setup, where that did not pass."""
    rows = [row for kind, of_kind in shown.items() if kind for row in of_kind if hasattr(row, "when")]
    return [row for row in rows if (row.nodeid, row.when) == (name, "setup")]


def _of_reports(reports):
    """What pytest's reports of one run of a test say; None where there are none."""
    failed, spared = [], None
    for report in reports:
        if report.outcome == "failed":
            failed += _messages(report.longrepr)
        elif report.outcome != "passed":  # `rerun` is of pytest-rerunfailures: it has run the test again
            spared = "xfail" if hasattr(report, "wasxfail") else _word(report.outcome)
    if any(map(_is_oom, failed)):
        return _outcome("test-failed")
    if failed:
        return _outcome("handled", later=_type_of(failed[-1]))
    return _outcome("handled", tool=spared) if reports else None


def _messages(shown):
    """What pytest shows of an exception and of those that it was raised from, the last one last."""
    if type(shown) is str:
        return shown.splitlines()
    chain = getattr(shown, "chain", None)
    if chain:
        return [crash.message for _, crash, _ in chain if crash is not None]
    lines = [
        line for entry in shown.reprtraceback.reprentries for line in entry.lines
    ]  # --tb=native: all in one text
    return [line for text in lines for line in text.splitlines()]


# --- unittest ---


def _unittest(function, values):
    result = values.get("result")
    if function in _FIXTURES:
        kind = values.get("currentClass") or values.get("previousClass")
        name = f"{kind.__module__}.{kind.__qualname__}" if isinstance(kind, type) else "module"
        return _test("unittest", name, _FIXTURES[function]), _of_result(result, None)
    case, kind = values["self"], type(values["self"])
    name = f"{kind.__module__}.{kind.__qualname__}.{_read(case, '_testMethodName')}"
    return _test("unittest", name, None), _of_result(result, weakref.ref(case))


def _of_result(result, case):
    """Who says what a TestResult has got since. case: a weak reference, None for fixtures of a class or module. (Asked, never
    called back; a case that failed is kept by the result.)"""
    before = {} if result is None else {name: len(rows) for name, rows in _lists(result).items()}
    if not before:  # of another kind
        return None
    known = weakref.ref(result)

    def ask():
        now = known()
        if now is None:
            return None
        spared, texts, mine = None, [], None if case is None else case()
        for name, rows in _lists(now).items():
            for row in rows[before[name] :]:
                test = row[0] if type(row) is tuple else row
                if (_read(test, "__dict__").get("test_case", test) if case else None) is not mine:
                    continue
                if name in ("errors", "failures"):
                    texts += row[1].splitlines()
                else:
                    spared = {"skipped": "skip", "expectedFailures": "xfail"}.get(name)
        if any(map(_is_oom, texts)):
            return _outcome("test-failed")
        if texts:
            return _outcome("handled", later=next(filter(None, map(_type_of, reversed(texts))), None))
        return _outcome("handled", tool=spared)

    return ask


def _lists(result):
    fields = _read(result, "__dict__")
    names = ("errors", "failures", "skipped", "expectedFailures", "unexpectedSuccesses")
    return {name: fields[name] for name in names} if all(name in fields for name in names) else {}


# --- texts ---


def _is_oom(line):
    kind = torch_api.out_of_memory_error()
    name = None if kind is None else facts.exception_name(kind)
    return name is not None and (line == name or line.startswith(f"{name}:"))


def _type_of(line):
    """`ValueError` of `ValueError: text`; pytest leaves out that of an assertion."""
    if line.startswith("assert "):
        return "AssertionError"
    found = _TYPE.match(line)
    return found[1] if found and found[1].rpartition(".")[2][:1].isupper() else None


def _word(text):
    return text if type(text) is str and re.fullmatch(r"[a-z]{1,20}", text) else None
