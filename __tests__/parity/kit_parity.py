"""Helpers of the parity tests: the package on the path, real interpreters, and one small driver for
sabotage."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PARITY = ROOT / "parity"
FIXTURE = PARITY / "fixtures" / "torch-2.13.json"
if str(PARITY) not in sys.path:
    sys.path.insert(0, str(PARITY))


def interpreter(which):
    """The interpreter with torch's `CPU` or `CUDA` build; skips where this machine has none."""
    path = os.environ.get(f"OA_PYTHON_{which}")
    if not path:
        pytest.skip(f"OA_PYTHON_{which} names no interpreter")
    return path


def parity(python, *arguments, env=None, cwd=None):
    """Runs the package by its folder's path, as the action does. (code, stdout, stderr)"""
    done = subprocess.run(
        [python, str(PARITY / "oom_autopsy_parity"), *map(str, arguments)],
        env={**os.environ, **(env or {})},
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


_DRIVER = """
import json, os, sys
sys.path.insert(0, {parity!r})
from oom_autopsy_parity import environment
environment.pin(os.environ)
from oom_autopsy_parity import fixture, judge, runs, trigger
from oom_autopsy_parity.shared import shared
import torch
import torch.profiler._memory_profiler as oracle
view, ledger = shared("view"), shared("view_ledger")
names = {names!r}
frozen = fixture.read({fixture!r})
frozen["scenarios"] = {{name: frozen["scenarios"][name] for name in names}}
scenarios = [s for s in fixture.BUILT_IN if s.name in names]
{sabotage}
facts, results = runs.run_built_in(scenarios)
kernels = {{s.name: s.kernels for s in scenarios}}
print(json.dumps(judge.judge(frozen, "fixture", facts, results, kernels, trigger.detect(), [], 0.0)))
"""


def sabotaged(python, sabotage, names=("mlp/sgd/warm",)):
    """The judgement over a few of the built-in scenarios, with `sabotage` (statements) run first. Real
    processes throughout."""
    code = _DRIVER.format(parity=str(PARITY), fixture=str(FIXTURE), names=tuple(names), sabotage=sabotage)
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])
