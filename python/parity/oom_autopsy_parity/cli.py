"""The commands: `check` (exit 0 when the check could run, whatever it found; 2 when it could not be asked),
`freeze`, `environment` and `scenarios`.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys
import time
from typing import Any

from . import children, environment, fixture, freeze, judge, remember, runs, trigger
from .scenarios import BUILT_IN, CANARY, ScenarioError, name_of
from .shared import shared

BEGAN = time.monotonic()
# Of the time that a check may take, the share that one of its children may.
CHILD_SHARE = 0.7


def _say(text: str) -> None:
    print(text, file=sys.stderr)


def _seconds() -> float:
    return time.monotonic() - BEGAN


def _torch_problem() -> str | None:
    try:
        import torch  # noqa: F401
    except Exception as error:
        said = " ".join(str(error).split())[:200]
        return f"torch cannot be imported by {sys.executable} ({type(error).__name__}: {said})"
    return None


def _obstacle() -> tuple[str, str] | None:
    """(why nothing can be measured here, the remedy). Torch is imported by it."""
    problem = _torch_problem()
    if problem:
        return problem, "Name the interpreter that has torch in `python`."
    if not runs.can_fork():
        return "this system cannot fork a process", "Run the check on Linux."
    missing = shared("torch_api").view_missing()
    if missing:
        import torch

        return (
            f"torch {torch.__version__} cannot carry the rebuilt view: {missing}",
            "Use a newer torch, or `parity: off`.",
        )
    return None


def check(options: argparse.Namespace) -> dict[str, Any]:
    path = options.fixture
    frozen = fixture.read(path)
    scenarios = fixture.scenarios_of(frozen) if frozen["built_in"] else []
    where = "" if scenarios else _scenario_file(frozen, path, options.scenario)
    of = remember.key(frozen["sha256"]) if scenarios and options.remember and not options.full else None
    facts = remember.recall(options.remember, of) if of else None
    if facts is not None:
        return judge.checked_earlier(frozen, path, facts, _seconds())
    obstacle = _obstacle()
    if obstacle:
        found = trigger.detect() if "torch" in sys.modules else None
        return judge.could_not_run(frozen, path, *obstacle, found, _seconds())
    found = trigger.detect()
    runs.prepare()
    if scenarios:
        measured = runs.built_in(scenarios, timeout_s=_limit(runs.TIMEOUT_BUILT_IN_S, options))
        kernels = {scenario.name: scenario.kernels for scenario in scenarios}
        canaries = list(kernels) if options.full else [CANARY]
    else:
        measured = runs.of_file(where, timeout_s=_limit(runs.TIMEOUT_USER_S, options))
        kernels = dict.fromkeys(frozen["scenarios"], True)
        canaries = list(kernels) if options.full else []
    facts, results = measured.check(canaries, judge.join_needed(frozen, kernels))
    if "failed" in facts:
        raise ScenarioError(facts["reason"])
    if not scenarios:
        _same_scenario(frozen, facts["scenarios"])
    result = judge.judge(frozen, path, facts["environment"], results, kernels, found, _seconds())
    if not scenarios and fixture.file_sha256(where) != frozen["scenario_file"]["sha256"]:
        name = os.path.basename(where)
        result["says"].insert(
            0, f"The scenario file {name} is not the one that was frozen: its sha256 differs."
        )
    if of and result["verdict"] == "match" and found["status"] == "quiet":
        remember.keep(options.remember, of, facts["environment"])
    return result


def _limit(seconds: float, options: argparse.Namespace) -> float:
    return min(seconds, CHILD_SHARE * options.worker) if options.worker else seconds


def _scenario_file(frozen: dict[str, Any], path: str, given: str | None) -> str:
    where = given
    if where is None:
        about = frozen["scenario_file"]
        if about is None:
            raise fixture.FixtureError(
                f"fixture {path!r} names no scenario file. Freeze it again, or give --scenario FILE."
            )
        where = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(path)), about["path"]))
    if not os.path.isfile(where):
        raise ScenarioError(f"scenario file {where!r} is not there. Put it back, or give --scenario FILE.")
    names = list(frozen["scenarios"])
    if names != [name_of(where)]:
        raise fixture.FixtureError(
            f"fixture is of scenario {', '.join(map(repr, names))}, the file gives {name_of(where)!r}. "
            "Give the fixture that was frozen from this file, or freeze it again."
        )
    return where


def _same_scenario(frozen: dict[str, Any], loaded: dict[str, Any]) -> None:
    for name, now in loaded.items():
        entry = frozen["scenarios"][name]
        if (now["warm"], now["steps"]) != (entry["warm"], entry["steps"]):
            raise fixture.FixtureError(
                f"fixture froze {name!r} with WARM={entry['warm']}, STEPS={entry['steps']}; the file now has "
                f"WARM={now['warm']}, STEPS={now['steps']}. Freeze it again."
            )


def _freeze(scenario: str | None, out: str) -> None:
    obstacle = _obstacle()
    if obstacle:
        raise freeze.FreezeError(". ".join(obstacle))
    runs.prepare()
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
    one.add_argument(
        "--full", action="store_true", help="measure every migration table again, whatever the rest says"
    )
    one.add_argument(
        "--remember",
        metavar="FOLDER",
        help="keep a match of the built-in fixture there for later steps of this job",
    )
    one.add_argument(
        "--worker", type=float, metavar="SECONDS", help="end when the standard input does, and after SECONDS"
    )
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
    gc.disable()  # of what torch's import makes nothing is garbage: looking for it costs 0.5 s
    try:
        if options.command == "check":
            if options.worker:
                children.end_with_caller(0, options.worker)
            result = check(options)
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
