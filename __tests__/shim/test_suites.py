"""Tests of test suites: in which test memory ran out, and what became of it, by real pytest and unittest; with and without us."""

import json
import re
import textwrap

import pytest
from _oom_autopsy.recording import suites
from conftest import device_env, run

PYTEST = """
    import pytest, torch, unittest
    MIB = 1 << 20
    HOARD = []
    def fill(room=0):
        return [torch.zeros(16 * MIB, dtype=torch.uint8, device="cuda") for _ in range(99)]
    def test_small():
        assert torch.zeros(1, device="cuda").numel() == 1
    def test_long_context():
        HOARD.extend([torch.zeros(16 * MIB, dtype=torch.uint8, device="cuda")] for _ in range(99))
    @pytest.mark.parametrize("size", [12, "%0A::error::no"])
    def test_after(size):
        fill()
    def test_clear():
        HOARD.clear()
    def test_caught():
        try: torch.zeros(1 << 40, dtype=torch.uint8, device="cuda")
        except torch.OutOfMemoryError: pass
    def test_raises():
        with pytest.raises(torch.OutOfMemoryError): torch.zeros(1 << 40, device="cuda")
    @pytest.mark.xfail
    def test_expected():
        torch.zeros(1 << 40, device="cuda")
    def test_skipped():
        try: torch.zeros(1 << 40, device="cuda")
        except torch.OutOfMemoryError: pytest.skip("too small")
    def test_fails_later():
        try: torch.zeros(1 << 40, device="cuda")
        except torch.OutOfMemoryError: pass
        assert 1 == 2
    def test_another_error():
        try: torch.zeros(1 << 40, device="cuda")
        except torch.OutOfMemoryError: pass
        raise ValueError("secret")
    def test_wrapped():
        try: torch.zeros(1 << 40, device="cuda")
        except torch.OutOfMemoryError as error: raise RuntimeError("no room") from error
    def test_in_a_thread():
        import concurrent.futures
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            future = pool.submit(torch.zeros, 1 << 40, device="cuda")
            concurrent.futures.wait([future])  # or the traceback depends on who is faster
            future.result()
    @pytest.fixture
    def model():
        return torch.zeros(1 << 40, device="cuda")
    def test_fixture(model): pass
    @pytest.fixture
    def closing():
        yield
        torch.zeros(1 << 40, device="cuda")
    def test_teardown(closing): pass
    class TestCase(unittest.TestCase):
        def test_method(self): torch.zeros(1 << 40, device="cuda")
"""
FAILED, HANDLED = ("test-failed", None, None), ("handled", None, None)
# test: (phase, (kind, tool, later))
PYTEST_TRUTH = {
    "test_long_context": ("call", FAILED),
    "test_after[12]": ("call", FAILED),
    "test_after[(key)]": ("call", FAILED),
    "test_caught": ("call", HANDLED),
    "test_raises": ("call", HANDLED),
    "test_expected": ("call", ("handled", "xfail", None)),
    "test_skipped": ("call", ("handled", "skipped", None)),
    "test_fails_later": ("call", ("handled", None, "AssertionError")),
    "test_another_error": ("call", ("handled", None, "ValueError")),
    "test_wrapped": ("call", FAILED),
    "test_in_a_thread": ("call", FAILED),
    "test_fixture": ("setup", FAILED),
    "test_teardown": ("teardown", FAILED),
    "TestCase::test_method": ("call", FAILED),
}
UNITTEST = """
    import torch, unittest
    def burst(): torch.zeros(1 << 40, device="cuda")
    class Suite(unittest.TestCase):
        def test_error(self): burst()
        def test_handled(self):
            with self.assertRaises(torch.OutOfMemoryError): burst()
        @unittest.expectedFailure
        def test_expected(self): burst()
        def test_skipped(self):
            try: burst()
            except torch.OutOfMemoryError: self.skipTest("too small")
        def test_fails_later(self):
            with self.assertRaises(torch.OutOfMemoryError): burst()
            self.assertEqual(1, 2)
        def test_sub(self):
            with self.subTest(n=1): burst()
    class Fixture(unittest.TestCase):
        @classmethod
        def setUpClass(cls): burst()
        def test_nothing(self): pass
    if __name__ == "__main__": unittest.main()
"""
UNITTEST_TRUTH = {
    "__main__.Suite.test_error": (None, FAILED),
    "__main__.Suite.test_handled": (None, HANDLED),
    "__main__.Suite.test_expected": (None, ("handled", "xfail", None)),
    "__main__.Suite.test_skipped": (None, ("handled", "skip", None)),
    "__main__.Suite.test_fails_later": (None, ("handled", None, "AssertionError")),
    "__main__.Suite.test_sub": (None, FAILED),
    "__main__.Fixture": ("setup", FAILED),
}


def told(receipts):
    """{test: (phase, (kind, tool, later))} of out-of-memories."""
    found = {}
    for one in receipts:
        for oom in one["ooms"]:
            test, outcome = oom["test"], oom["outcome"]
            end = outcome and (outcome["kind"], outcome["tool"], outcome["later"])
            found[test["id"].removeprefix("test_model.py::")] = test["phase"], end
    return found


def plain(text):
    return re.sub(r"in [0-9.]+s|W[0-9]{4} [0-9:.]+|0x[0-9a-f]+|pid [0-9]+|oom-autopsy-[0-9]", "", text)


@pytest.fixture
def suite(tmp_path, cuda):
    """suite(step, text, *arguments): a run of it, with or without us."""

    def play(step, text, *words, module="pytest", env=None):
        (tmp_path / "test_model.py").write_text(textwrap.dedent(text))
        argv = [cuda, "-m", module, *words] if module else [cuda, "test_model.py", *words]
        one = device_env("256M") | {"PYTHONDONTWRITEBYTECODE": "1"} | (env or {})
        return run("", argv=argv, env=one, step=step, cwd=tmp_path, timeout=200)

    return play


@pytest.mark.parametrize(
    "words", [["-q"], ["-x", "--tb=native"], ["-n2"], ["-q", "--tb=line"]], ids=lambda words: words[-1]
)
def test_pytest_says_which_test_and_what_became_of_it(suite, step, words):
    words = [*words, "-p", "no:cacheprovider", "-p", "no:randomly"]
    without = suite(None, PYTEST, *words)
    done = suite(step(), PYTEST, *words)
    assert done.code == without.code == 1
    found = told(done.receipts)
    if "-x" in words:
        assert found == {"test_long_context": ("call", FAILED)}
    elif "-n2" in words:  # what is on the device depends on who plays which
        assert {k: v for k, v in found.items() if k in PYTEST_TRUTH and k != "test_long_context"} == {
            k: v for k, v in PYTEST_TRUTH.items() if k in found and k != "test_long_context"
        }
        assert len(found) > 9
    else:
        assert found == PYTEST_TRUTH
    assert "secret" not in json.dumps(done.receipts)
    if "-n2" not in words:
        assert plain(done.out) == plain(without.out)


def test_a_module_that_cannot_be_collected(suite, step):
    done = suite(step(), 'import torch\ntorch.zeros(1 << 40, device="cuda")\n', "-q")
    assert done.code == 2
    (oom,) = done.receipt["ooms"]
    assert oom["test"] == {"runner": "pytest", "id": "test_model.py", "phase": "collect", "child": False}


def test_a_program_that_a_test_starts(suite, step):
    text = """
        import subprocess, sys
        def test_train():
            program = "import torch; torch.zeros(1 << 40, device='cuda')"
            assert subprocess.run([sys.executable, "-c", program]).returncode == 0
    """
    done = suite(step(), text, "-q")
    (oom,) = done.receipt["ooms"]
    assert oom["test"] == {
        "runner": "pytest",
        "id": "test_model.py::test_train",
        "phase": "call",
        "child": True,
    }
    assert (oom["outcome"], done.receipt["end"]["oom"]) == (None, True)


@pytest.mark.parametrize("module", [None, "unittest"])
def test_unittest_says_which_test_and_what_became_of_it(suite, step, module):
    words = () if module is None else ("test_model",)
    without = suite(None, UNITTEST, *words, module=module)
    done = suite(step(), UNITTEST, *words, module=module)
    assert done.code == without.code == 1
    assert plain("\n".join(done.theirs)) == plain("\n".join(without.theirs))
    name = "__main__" if module is None else "test_model"
    assert told(done.receipts) == {k.replace("__main__", name): v for k, v in UNITTEST_TRUTH.items()}


def test_names_of_tests_are_restricted():
    assert suites.clean_id("a/test_b.py::TestC::test_d[8192-bf16]") == "a/test_b.py::TestC::test_d[8192-bf16]"
    assert suites.clean_id("test_b.py::test_d[<img src=x>]") == "test_b.py::test_d[(key)]"
    assert suites.clean_id("te\nst\u202e.py::test") == "te?st?.py::test"
    assert len(suites.clean_id("x" * 999)) == 200
