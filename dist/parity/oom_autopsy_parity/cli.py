"""The commands: `check` (exit 0 when the check could run, whatever it found; 2 when it could not be asked),
`freeze`, `environment` and `scenarios`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from typing import Any

from . import environment, fixture, freeze, judge, runs, trigger
from .scenarios import BUILT_IN, ScenarioError

BEGAN = time.monotonic()


def _say(text: str) -> None:
    print(text, file=sys.stderr)


def _torch_problem() -> str | None:
    try:
        import torch  # noqa: F401
    except Exception as error:
        return f"torch cannot be imported by {sys.executable} ({type(error).__name__})"
    return None


def check(path: str, scenario_file: str | None) -> dict[str, Any]:
    frozen = fixture.read(path)
    scenarios = fixture.scenarios_of(frozen) if frozen["built_in"] else []
    where = ""
    if not frozen["built_in"]:
        where = scenario_file or _scenario_file(frozen, path)
    problem = _torch_problem()
    if problem:
        return judge.could_not_run(
            frozen, path, problem, "Name the interpreter that has torch in `python`.", None, _seconds()
        )
    found = trigger.detect()
    if not runs.can_fork():
        return judge.could_not_run(
            frozen, path, "this system cannot fork a process", "Run the check on Linux.", found, _seconds()
        )
    notes = []
    if frozen["built_in"]:
        facts, results = runs.run_built_in(scenarios)
        kernels = {scenario.name: scenario.kernels for scenario in scenarios}
    else:
        name = _the_scenario(frozen, where)
        facts, results = runs.run_file(where, name)
        kernels = {name: True}
        if fixture.file_sha256(where) != (frozen.get("scenario_file") or {}).get("sha256"):
            notes.append(
                f"The scenario file {os.path.basename(where)} is not the one that was frozen: its sha256 differs."
            )
    if "failed" in facts:
        return judge.could_not_run(
            frozen, path, facts["reason"], "Run the scenario file by itself to see why.", found, _seconds()
        )
    return judge.judge(frozen, path, facts, results, kernels, found, notes, _seconds())


def _seconds() -> float:
    return time.monotonic() - BEGAN


def _scenario_file(frozen: dict[str, Any], path: str) -> str:
    relative = (frozen.get("scenario_file") or {}).get("path")
    if not isinstance(relative, str):
        raise fixture.FixtureError(
            f"fixture {path!r} names no scenario file. Freeze it again, or give --scenario FILE."
        )
    return os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(path)), relative))


def _the_scenario(frozen: dict[str, Any], where: str) -> str:
    """The one scenario of a user's fixture, when the file is still that scenario."""
    if not os.path.isfile(where):
        raise ScenarioError(f"scenario file {where!r} is not there. Put it back, or give --scenario FILE.")
    described = runs.describe(where)
    if described.get("failed") == "scenario":
        raise ScenarioError(described["reason"])
    if "failed" in described:
        raise ScenarioError(f"scenario file {where!r} could not be read: {described['reason']}.")
    (name, entry), *more = frozen["scenarios"].items()
    if more or described["name"] != name:
        raise fixture.FixtureError(
            f"fixture is of scenario {', '.join(map(repr, frozen['scenarios']))}, the file gives {described['name']!r}. "
            "Give the fixture that was frozen from this file, or freeze it again."
        )
    if (described["warm"], described["steps"]) != (entry.get("warm"), entry.get("steps")):
        raise fixture.FixtureError(
            f"fixture froze {name!r} with WARM={entry.get('warm')}, STEPS={entry.get('steps')}; the file now has "
            f"WARM={described['warm']}, STEPS={described['steps']}. Freeze it again."
        )
    return name


def _freeze(scenario: str | None, out: str) -> None:
    problem = _torch_problem()
    if problem:
        raise freeze.FreezeError(f"{problem}. Run this with the interpreter that has torch.")
    if not runs.can_fork():
        raise freeze.FreezeError("this system cannot fork a process. Freeze on Linux.")
    data = freeze.built_in() if scenario is None else freeze.users(scenario, out)
    freeze.write(data, out)
    size, count = os.path.getsize(out), len(data["scenarios"])
    _say(f"frozen: {out} ({size} bytes, scenarios: {count}, torch {data['environment']['torch']})")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="oom_autopsy_parity", description="Parity of two views of memory with a frozen fixture."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("check", help="compare this interpreter's torch with a fixture")
    one.add_argument("--fixture", default=fixture.BUILT_IN_PATH)
    one.add_argument(
        "--scenario", help="the scenario file of a fixture of your own, where it is not beside it"
    )
    one.add_argument("--json", action="store_true", help="print the whole result as JSON")
    two = commands.add_parser("freeze", help="write a fixture")
    two.add_argument(
        "--scenario",
        help="a Python file that defines build(); without it the built-in scenarios (torch 2.13 only)",
    )
    two.add_argument("-o", "--out", required=True)
    commands.add_parser("environment", help="print what the numbers depend on")
    commands.add_parser("scenarios", help="list the built-in scenarios")
    return parser


def main(argv: list[str] | None = None) -> int:
    options = _parser().parse_args(argv)
    environment.pin(os.environ)
    try:
        if options.command == "check":
            result = check(options.fixture, options.scenario)
            print(
                json.dumps(result, sort_keys=True)
                if options.json
                else "\n".join([f"verdict: {result['verdict']}", *result["says"]])
            )
        elif options.command == "freeze":
            _freeze(options.scenario, options.out)
        elif options.command == "environment":
            print(json.dumps(environment.environment(), indent=1, sort_keys=True))
        else:
            print(
                "\n".join(
                    f"{s.name}: warm {s.warm}, steps {s.steps}{'; ' + s.says if s.says else ''}"
                    for s in BUILT_IN
                )
            )
    except (fixture.FixtureError, ScenarioError, freeze.FreezeError) as error:
        _say(f"oom_autopsy_parity: {error}")
        return 2
    return 0
