"""Tests of where an out-of-memory error went: handled, by whom, or the program's end (Python 3.12 and newer)."""

import os
import textwrap

import pytest
from conftest import python_or_skip

HEAD = """
import sys, torch
BIG = 10**6
def ask():
    torch.cuda.allocate(BIG)
"""
# program: (exit code, (kind, function, tool))
CASES = {
    "handled where it was asked for": (
        "def train():\n    try: torch.cuda.allocate(BIG)\n    except RuntimeError: pass\ntrain()",
        (0, ("handled", "train", None)),
    ),
    "handled by a caller": (
        "def train():\n    try: ask()\n    except RuntimeError: pass\ntrain()",
        (0, ("handled", "train", None)),
    ),
    "handled, and failed later": (
        "def train():\n    try: ask()\n    except RuntimeError: pass\ntrain()\nsys.exit(3)",
        (3, ("handled", "train", None)),
    ),
    "logged and exited": (
        "def train():\n    try: ask()\n    except RuntimeError:\n        print('no memory')\n        sys.exit(1)\ntrain()",
        (1, ("exit", "train", None)),
    ),
    "hidden from the exit": (
        "def train():\n    try: ask()\n    except RuntimeError: raise SystemExit('no memory') from None\ntrain()",
        (1, ("exit", "train", None)),
    ),
    "exited with 0": (
        "def train():\n    try: ask()\n    except RuntimeError: sys.exit(0)\ntrain()",
        (0, ("handled", "train", None)),
    ),
    "errors inside of the handler": (
        "def look():\n    try: {}['key']\n    except KeyError: pass\n"
        "def train():\n    try: ask()\n    except RuntimeError: look()\ntrain()",
        (0, ("handled", "train", None)),
    ),
    "kept and raised again": (
        "def train():\n    try: ask()\n    except RuntimeError as error: return error\n"
        "def again(kept): raise kept\n"
        "def main():\n    try: again(train())\n    except RuntimeError: pass\nmain()",
        (0, ("handled", "main", None)),
    ),
    "raised from": (
        "def train():\n    try: ask()\n    except RuntimeError as error: raise ValueError('no') from error\n"
        "def main():\n    try: train()\n    except ValueError: return 1\nsys.exit(main())",
        (1, ("handled", "main", None)),
    ),
    "not caught": ("ask()", (1, ("raised", None, None))),
    "a tool catches": (
        "import tool.core\ndef train(): ask()\ntool.core.run(train, 2)",
        (2, ("exit", "<module>", "tool")),
    ),
    "a tool catches and goes on": (
        "import tool.core\ndef train(): ask()\ntool.core.run(train, None)",
        (0, ("handled", "<module>", "tool")),
    ),
    "in a thread": (
        "from concurrent.futures import ThreadPoolExecutor\ndef main():\n"
        "    with ThreadPoolExecutor(1) as pool: future = pool.submit(ask)\n"
        "    try: future.result()\n    except RuntimeError: pass\nmain()",
        (0, ("handled", "main", None)),
    ),
}
TOOL = "import sys\ndef run(main, code):\n    try: main()\n    except Exception: code is None or sys.exit(code)\n"


@pytest.mark.parametrize("version", ("3.12", "3.13"))
def test_where_an_error_went(version, step, tmp_path):
    folder = tmp_path / "lib" / "site-packages"
    (folder / "tool").mkdir(parents=True)
    (folder / "tool" / "__init__.py").write_text("")
    (folder / "tool" / "core.py").write_text(TOOL)
    python, found, wanted = python_or_skip(version), {}, {}
    for name, (program, want) in CASES.items():
        file = tmp_path / "train.py"
        file.write_text(HEAD + textwrap.dedent(program))
        done = step().run("", argv=[python, file], tiny=True, extra_path=[folder])
        (oom,) = done.receipt["ooms"]
        out = oom["outcome"]
        found[name] = done.code, (out["kind"], out["at"] and out["at"]["function"], out["tool"])
        assert out["at"] is None or out["at"]["file"] == os.fspath(file)
        assert done.ours == []
        wanted[name] = want
    assert found == wanted


@pytest.mark.parametrize("version", ("3.12", "3.13"))
def test_a_tool_that_runs_the_program_caught_it(version, step, tmp_path):
    folder = tmp_path / "lib" / "site-packages"
    folder.mkdir(parents=True)
    (folder / "tool.py").write_text(
        "import runpy, sys\ncode = 0\ntry: runpy.run_path(sys.argv[1], run_name='__main__')\nexcept RuntimeError: code = 5\nsys.exit(code)\n"
    )
    (tmp_path / "train.py").write_text(HEAD + "ask()\n")
    argv = [python_or_skip(version), "-m", "tool", tmp_path / "train.py"]
    done = step().run("", argv=argv, tiny=True, extra_path=[folder])
    (oom,) = done.receipt["ooms"]
    assert done.code == 5
    assert (oom["outcome"]["kind"], oom["outcome"]["tool"], oom["outcome"]["at"]) == ("left", "tool", None)


@pytest.mark.parametrize("version", ("3.12", "3.13"))
def test_exceptions_of_handlers_come_out_while_errors_are_followed(version, step):
    """A time limit that strikes while an error unwinds fifty frames, in a loop of 300."""
    program = """
        import signal, sys, torch
        class Late(BaseException): pass
        late = 0
        def on_alarm(*_):
            raise Late
        signal.signal(signal.SIGALRM, on_alarm)
        def deep(n):
            if n: return deep(n - 1)
            torch.cuda.allocate(10**6)
        raised = 0
        for at in range(300):
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.00002 * (at % 50 + 1))
                try: deep(50)
                except RuntimeError: pass
                while True: pass
            except Late:
                raised += 1
        print(raised)
    """
    done = step().run(program, python=python_or_skip(version), tiny=True, timeout=100)
    assert (done.code, done.out, done.err) == (0, "300\n", "")


def test_a_python_without_monitoring_knows_nothing(step):
    program = HEAD + "try: ask()\nexcept RuntimeError: sys.exit(1)\n"
    done = step().run(program, python=python_or_skip("3.9"), tiny=True)
    assert done.receipt["ooms"][0]["outcome"] is None
