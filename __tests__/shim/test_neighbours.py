"""Other tools that hook into Python's start, and the ways a step's programs are started: all work, and we
are there.

The tools come from PyPI into a venv of the tests, so these run under `npm run test:all` only.
"""

import json
import os
import pathlib
import subprocess
import sys
import textwrap

import pytest
from conftest import ROOT, run

TOOLS = "pytest<8 coverage ddtrace opentelemetry-distro wrapt pytest-xdist pytest-forked pytest-timeout nox pytest-rerunfailures nbclient ipykernel"
pytestmark = pytest.mark.soak


@pytest.fixture(scope="session")
def tools(tmp_path_factory):
    """The bin folder of a venv that holds the tools; kept between runs in the project's ignored set-up
    folder."""
    venv = ROOT / ".setup" / "neighbours"
    stamp = venv / "installed.json"
    wanted = {"tools": TOOLS, "python": sys.version}
    if not stamp.exists() or json.loads(stamp.read_text()) != wanted:
        subprocess.run([sys.executable, "-m", "venv", "--clear", venv], check=True)
        made = subprocess.run(
            [venv / "bin" / "pip", "-q", "install", *TOOLS.split()], capture_output=True, text=True
        )
        if made.returncode:
            pytest.skip(f"skipped: the tools cannot be installed here: {made.stderr[-300:]}")
        stamp.write_text(json.dumps(wanted))
    return venv / "bin"


PROGRAM = """
import sys, os
import torch
try:
    torch.cuda.allocate(5000)
except torch.OutOfMemoryError:
    print("caught")
print(sorted(m for m in ("ddtrace", "opentelemetry", "coverage") if m in sys.modules))
"""


def check(step, command, tools, *, more=(), env=None, cwd=None, processes=1):
    """The command's outcome is the same with and without us, and `processes` of it armed."""
    env = {"PATH": f"{tools}:{os.environ['PATH']}", "DD_TRACE_ENABLED": "false", **(env or {})}
    env.update(
        {"OTEL_TRACES_EXPORTER": "none", "OTEL_METRICS_EXPORTER": "none", "OTEL_LOGS_EXPORTER": "none"}
    )
    lain = step()
    shim, plain = (
        run(
            "",
            argv=[str(c) for c in command],
            step=s,
            tiny=True,
            extra_path=more,
            env=env,
            cwd=cwd,
            timeout=300,
        )
        for s in (lain, None)
    )
    assert (shim.code, shim.out) == (plain.code, plain.out), shim.err
    assert shim.ours == []
    armed = [receipt for receipt in shim.receipts if receipt["recorder"]["armed_at"]]
    assert len(armed) == processes, shim.err
    return shim, plain


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "script.py"
    path.write_text(PROGRAM)
    return path


def test_ddtrace(step, tools, script):
    shim, _ = check(step, [tools / "ddtrace-run", tools / "python", script], tools)
    assert shim.out == "caught\n['ddtrace']\n"


def test_ddtrace_with_the_programs_own_sitecustomize(step, tools, script, tmp_path):
    user = tmp_path / "user"
    user.mkdir()
    (user / "sitecustomize.py").write_text("print('user')\n")
    shim, _ = check(step, [tools / "ddtrace-run", tools / "python", script], tools, more=[user])
    assert shim.out == "user\ncaught\n['ddtrace']\n"


def test_opentelemetry(step, tools, script):
    shim, _ = check(step, [tools / "opentelemetry-instrument", tools / "python", script], tools)
    assert shim.out == "caught\n['opentelemetry']\n"


def test_opentelemetry_with_the_programs_own_sitecustomize(step, tools, script, tmp_path):
    """opentelemetry's sitecustomize runs no other: the program's own is not run with it, with us or
    without."""
    user = tmp_path / "user"
    user.mkdir()
    (user / "sitecustomize.py").write_text("print('user')\n")
    shim, _ = check(step, [tools / "opentelemetry-instrument", tools / "python", script], tools, more=[user])
    assert shim.out == "caught\n['opentelemetry']\n"


def test_ddtrace_and_opentelemetry_together(step, tools, script):
    command = [tools / "ddtrace-run", tools / "opentelemetry-instrument", tools / "python", script]
    check(step, command, tools)


def test_coverages_start_up_in_children(step, tools, tmp_path):
    """A .pth line starts coverage in every process; data files are those without us."""
    (tmp_path / "rc").write_text(
        f"[run]\nparallel = True\ndata_file = {tmp_path}/data/.coverage\nsource = {tmp_path}\n"
    )
    (tmp_path / "data").mkdir()
    script = tmp_path / "script.py"
    script.write_text(
        PROGRAM + "import subprocess\nif not sys.argv[1:]: subprocess.run([sys.executable, __file__, 'x'])\n"
    )
    site = next(pathlib.Path(tools).parent.glob("lib/python*/site-packages"))
    line = site / "zz_coverage_of_a_test.pth"
    line.write_text("import coverage; coverage.process_startup()\n")
    try:
        env = {"COVERAGE_PROCESS_START": str(tmp_path / "rc")}
        shim, _ = check(step, [tools / "python", script], tools, env=env, processes=2)
    finally:
        line.unlink()
    assert shim.out.count("['coverage']") == 2
    assert len(list((tmp_path / "data").iterdir())) == 4, "two processes, with and without us"


def test_wrapts_import_hooks(step, tools, tmp_path):
    for order in ("before", "after"):
        script = tmp_path / f"{order}.py"
        script.write_text(
            "import sys, wrapt\n"
            "wrapt.register_post_import_hook(lambda m: print('hooked', m.__name__), 'torch')\n"
            + ("f = sys.meta_path.pop(0); sys.meta_path.insert(1, f)\n" if order == "after" else "")
            + PROGRAM
        )
        shim, _ = check(step, [tools / "python", script], tools)
        assert shim.out.startswith("hooked torch\ncaught\n")


TESTS = """
import pytest, torch
@pytest.mark.parametrize("n", range(4))
def test_it(n):
    with pytest.raises(torch.OutOfMemoryError):
        torch.cuda.allocate(5000)
"""


@pytest.mark.parametrize(
    ("options", "armed"),
    [((), 1), (("-n", "2"), 2), (("--forked",), 4), (("--timeout=60", "--timeout-method=signal"), 1)],
)
def test_pytest(options, armed, step, tools, tmp_path):
    (tmp_path / "test_it.py").write_text(TESTS)
    lain = step()
    command = [tools / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, tmp_path]
    done = run("", argv=[str(c) for c in command], step=lain, tiny=True, cwd=tmp_path)
    assert done.code == 0 and "4 passed" in done.out, done.out
    used = [receipt for receipt in done.receipts if receipt["recorder"]["armed_at"]]
    assert len(used) == armed and sum(receipt["oom_count"] for receipt in used) == 4


def test_ways_to_start_a_program(step, tools, script, tmp_path):
    """make, timeout, env, xargs, a console script, a module, a pipe, a relative PYTHONPATH of the program's
    own."""
    (tmp_path / "Makefile").write_text(f"all:\n\t{tools}/python script.py\n")
    console = tmp_path / "console"
    console.write_text(f"#!{tools}/python\n{PROGRAM}")
    console.chmod(0o755)
    for command in (
        ["make", "-s"],
        ["timeout", "60", tools / "python", script],
        ["env", "A=b", tools / "python", script],
        ["sh", "-c", f"cd / && exec {tools}/python {script}"],
        ["sh", "-c", f"{tools}/python - < {script} | cat"],
        ["sh", "-c", f"PYTHONPATH=$PYTHONPATH:. {tools}/python -m script"],
        ["sh", "-c", f"echo {script} | xargs {tools}/python"],
        [console],
        [tools / "python", "-c", textwrap.dedent(PROGRAM)],
    ):
        shim, _ = check(step, command, tools, cwd=tmp_path)
        assert shim.out == "caught\n[]\n", command


def test_nox(step, tools, tmp_path):
    (tmp_path / "noxfile.py").write_text(
        "import nox\n@nox.session(venv_backend='none')\ndef gpu(session):\n"
        f"    session.run('{tools}/python', 'script.py', external=True)\n"
    )
    (tmp_path / "script.py").write_text(PROGRAM)
    lain = step()
    done = run("", argv=[str(tools / "nox"), "-s", "gpu"], step=lain, tiny=True, cwd=tmp_path)
    assert done.code == 0 and "caught" in done.out, done.err
    assert [r["oom_count"] for r in done.receipts] == [1]


RERUN = """
import pytest, torch
runs = []
@pytest.mark.flaky(reruns=1)
def test_again():
    runs.append(1)
    if len(runs) == 1: torch.cuda.allocate(5000)
@pytest.mark.flaky(reruns=1)
def test_never():
    torch.cuda.allocate(5000)
"""


def test_pytest_7_and_reruns(step, tools, tmp_path):
    """A test that passes when it is run again has not failed by the first time."""
    (tmp_path / "test_it.py").write_text(RERUN)
    command = [tools / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", tmp_path]
    lain = step()
    done = run("", argv=[str(c) for c in command], step=lain, tiny=True, cwd=tmp_path)
    assert done.code == 1 and "1 failed, 1 passed, 2 rerun" in done.out, done.out
    told = [
        (oom["test"]["id"], oom["outcome"]["kind"], oom["outcome"]["tool"]) for oom in done.receipt["ooms"]
    ]
    assert told == [
        ("test_it.py::test_again", "handled", "rerun"),
        ("test_it.py::test_never", "handled", "rerun"),
        ("test_it.py::test_never", "test-failed", None),
    ]


def test_a_cell_of_a_notebook(step, tools, tmp_path):
    """By the real kernel, which prints the error and waits for the next cell."""
    cells = ["import torch", "def fill():\n    torch.cuda.allocate(5000)\nfill()"]
    book = {
        "cells": [
            {
                "cell_type": "code",
                "id": str(at),
                "execution_count": None,
                "metadata": {},
                "outputs": [],
                "source": cell,
            }
            for at, cell in enumerate(cells)
        ],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    (tmp_path / "train.ipynb").write_text(json.dumps(book))
    env = {"PATH": f"{tools}:{os.environ['PATH']}"}
    command = [tools / "jupyter-execute", tmp_path / "train.ipynb"]
    done = run("", argv=[str(c) for c in command], step=step(), tiny=True, cwd=tmp_path, env=env)
    assert done.code == 1
    (oom,) = done.receipt["ooms"]
    assert (oom["cell"], oom["outcome"]["kind"], oom["outcome"]["tool"]) == (2, "left", "IPython")
    assert done.receipt["end"]["kind"] == "exit"
    assert [
        frame["function"]
        for frame in oom["stack"]
        if "/ipykernel_" in frame["file"] and "launcher" not in frame["file"]
    ] == [
        "<module>",
        "fill",
    ]
