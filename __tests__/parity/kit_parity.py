"""Helpers of the parity tests: the package on the path, real interpreters, and the check in forks of one process that has
imported torch once.

A fork has done nothing with torch before, as the process of a real check has not: the server is forked from here
when this file is first read, before any test runs an operation."""

import atexit
import contextlib
import faulthandler
import io
import json
import os
import pathlib
import socket
import subprocess
import sys
import traceback

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PARITY = ROOT / "python" / "parity"
FIXTURE = PARITY / "fixtures" / "torch-2.13.json"
if str(PARITY) not in sys.path:
    sys.path.insert(0, str(PARITY))
sys.dont_write_bytecode = False  # else torch._dynamo is compiled anew by each process here: 2.4 s

from oom_autopsy_parity import children, cli, environment, fixture, judge, migration, runs, scenarios  # noqa: E402
from oom_autopsy_parity.shared import shared  # noqa: E402

environment.pin(os.environ)
runs.prepare()


def interpreter(which):
    """The interpreter with torch's `CPU` or `CUDA` build; skips where this machine has none."""
    path = os.environ.get(f"OA_PYTHON_{which}")
    if not path:
        pytest.skip(f"OA_PYTHON_{which} names no interpreter")
    return path


def parity(python, *arguments, env=None, cwd=None):
    """Runs the package by its folder's path, as the action does. (code, stdout, stderr)"""
    inherited = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [python, str(PARITY / "oom_autopsy_parity"), *map(str, arguments)],
        env={**inherited, **(env or {})},
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=300,
    )
    return done.returncode, done.stdout, done.stderr


def check(python, *arguments, **how):
    """The result of `check --json`, which must have run."""
    code, out, err = parity(python, "check", "--json", *arguments, **how)
    assert code == 0, err
    return json.loads(out)


def only(names):
    """Narrows the built-in scenarios, and the fixture that is read next, to a few. Returns what of it a test may change."""
    frozen = fixture.read(str(FIXTURE))
    frozen["scenarios"] = {name: frozen["scenarios"][name] for name in names}
    frozen["table"] = migration.summed([entry["migration"] for entry in frozen["scenarios"].values()])
    fixture.BUILT_IN = tuple(s for s in scenarios.BUILT_IN if s.name in names)
    fixture.read = lambda path: frozen
    return frozen


def _serve(end):
    """One request, one fork: the command line of the check in a folder, with statements that run before it."""
    faulthandler.disable()  # a test's own crash is no news
    with socket.socket(fileno=end) as asked, asked.makefile("r") as requests:
        for line in requests:
            job = children.Job("it", lambda text=line: _command(**json.loads(text)))
            answer = children.run_all([job], timeout_s=200)["it"]
            asked.sendall(json.dumps(answer).encode() + b"\n")


def _command(arguments, before, cwd, env, names):
    os.chdir(cwd)
    os.environ.update(env)
    frozen = only(names) if names else None
    import torch
    import torch.profiler._memory_profiler as oracle

    given = {"torch": torch, "oracle": oracle, "frozen": frozen, "cli": cli, "runs": runs, "judge": judge}
    given |= {"view": shared("timeline.view"), "ledger": shared("timeline.ledger"), "migration": migration}
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            exec(before, given)
            code = cli.main(arguments)
        except SystemExit as done:
            code = done.code
        except BaseException:
            traceback.print_exc()
            code = 1
    return [code, out.getvalue(), err.getvalue()]


_mine, _theirs = socket.socketpair()
_server = os.fork()
if _server == 0:
    _mine.close()
    try:
        _serve(_theirs.detach())
    finally:
        os._exit(0)
_theirs.close()
_answers = _mine.makefile("r")


def _leave():
    _answers.close()
    _mine.close()
    os.waitpid(_server, 0)


atexit.register(_leave)


def forked(*arguments, before="", cwd=".", env=None, names=()):
    """As `parity`, in a fork: the torch that runs the tests, imported already. `before`: statements to run first."""
    request = {
        "arguments": list(map(str, arguments)),
        "before": before,
        "cwd": str(cwd),
        "env": env or {},
        "names": list(names),
    }
    _mine.sendall(json.dumps(request).encode() + b"\n")
    answer = json.loads(_answers.readline())
    assert isinstance(answer, list), answer
    return answer


def sabotaged(sabotage, names=("mlp/sgd/warm",), *arguments):
    """The check's result over a few of the built-in scenarios, with `sabotage` (statements) run first."""
    code, out, err = forked("check", "--json", *arguments, before=sabotage, names=names)
    assert code == 0, err
    return json.loads(out)


def accounts_agree(name, entry):
    """Peaks, bytes and the table's sums of one scenario, recomputed from the events that its fixture holds."""
    live = peak = 0
    for event in entry["view"]["events"]:
        sign, _, nbytes = event.split(" ")
        live += -int(nbytes) if sign == "-" else int(nbytes)
        peak = max(peak, live)
    assert peak == entry["view"]["peak"], name
    made = sum(int(e.split(" ")[2]) for e in entry["view"]["events"] if e[0] in "=+")
    grown = sum(max(0, int(e.split(" ")[2])) for e in entry["view"]["events"] if e[0] == "~")
    assert made + grown == sum(entry["view"]["bytes"].values()), name
    oracle = entry["oracle"]
    live = peak = 0
    signs = {"=": "PREEXISTING", "+": "CREATE", "^": "INCREMENT_VERSION", "-": "DESTROY"}
    actions = dict.fromkeys(oracle["actions"], 0)
    for event in oracle["events"]:
        sign, _, nbytes = event.split(" ")
        actions[signs[sign]] += 1
        live += {"-": -1, "^": 0}.get(sign, 1) * int(nbytes)
        peak = max(peak, live)
    assert (peak, actions) == (oracle["peak"], oracle["actions"]), name
    assert sum(oracle["peak_by"].values()) == peak, name
    assert sum(" UNKEYED " in event for event in oracle["events"]) == oracle["unkeyed"], name
    table = entry["migration"]
    rows = sum(r["bytes"] for r in table["rows"])
    assert rows == table["joined_bytes"]
    assert rows + sum(r["bytes"] for r in table["view_only"]) == sum(entry["view"]["bytes"].values()), name
    assert rows + sum(r["bytes"] for r in table["oracle_only"]) == table["keyed_bytes"], name
