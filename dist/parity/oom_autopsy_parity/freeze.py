"""Makes a fixture: the built-in one from torch 2.13 only, a user's own from whatever torch they train
with."""

from __future__ import annotations

import os
from typing import Any

from . import SCHEMA_FIXTURE, fixture, runs
from .environment import version
from .scenarios import BUILT_IN, ScenarioError
from .sequence import canonical

FROZEN_TORCH = (
    2,
    13,
)  # the oracle is what it was there; a fixture from another torch would be another oracle


class FreezeError(Exception):
    """Nothing was written. The text says why and what to do."""


def _entry(scenario: Any, parts: dict[str, Any]) -> dict[str, Any]:
    entry = {"warm": scenario["warm"], "steps": scenario["steps"], "says": scenario.get("says", "")}
    for name in ("oracle", "view"):
        part = dict(parts[name])
        if "events" in part:
            part["events"] = canonical(part["events"])
        entry[name] = part
    entry["migration"] = parts["join"]
    return entry


def built_in() -> dict[str, Any]:
    import torch

    if version(torch.__version__) != FROZEN_TORCH:
        raise FreezeError(
            f"torch {torch.__version__} cannot freeze the built-in fixture: it is of torch {FROZEN_TORCH[0]}.{FROZEN_TORCH[1]}. "
            "Run this with torch 2.13, or freeze a scenario of your own with --scenario."
        )
    environment, results = runs.run_built_in(list(BUILT_IN))
    for name, parts in results.items():
        for part, value in parts.items():
            if "failed" in value:
                raise FreezeError(f"scenario {name!r}, {part}: {value['failed']}: {value['reason']}")
            if value.get("faults"):
                raise FreezeError(f"scenario {name!r}, {part}: faults of the view: {value['faults']}")
    described = [{"warm": s.warm, "steps": s.steps, "says": s.says, "name": s.name} for s in BUILT_IN]
    return {
        "schema": SCHEMA_FIXTURE,
        "built_in": True,
        "scenario_file": None,
        "environment": environment,
        "scenarios": {s["name"]: _entry(s, results[s["name"]]) for s in described},
    }


def users(path: str, out: str) -> dict[str, Any]:
    """A fixture of the user's own step. Where this torch's oracle cannot run, the fixture says so and holds
    the view alone."""
    if not os.path.isfile(path):
        raise ScenarioError(
            f"scenario file {path!r} is not there. Give the path of a Python file that defines build()."
        )
    described = runs.describe(path)
    if "failed" in described:
        raise FreezeError(described["reason"])
    environment, results = runs.run_file(path, described["name"])
    parts = results[described["name"]]
    if "failed" in environment:
        raise FreezeError(environment["reason"])
    if "failed" in parts["view"]:
        raise FreezeError(
            f"the step could not be recorded ({parts['view']['failed']}): {parts['view']['reason']}"
        )
    folder = os.path.dirname(os.path.abspath(out))
    return {
        "schema": SCHEMA_FIXTURE,
        "built_in": False,
        "scenario_file": {
            "path": os.path.relpath(os.path.abspath(path), folder).replace(os.sep, "/"),
            "sha256": fixture.file_sha256(path),
        },
        "environment": environment,
        "scenarios": {described["name"]: _entry(described, parts)},
    }


def write(data: dict[str, Any], out: str) -> None:
    """Whole or not at all: written beside its place, then moved there."""
    temporary = f"{out}.tmp-{os.getpid()}"
    try:
        with open(temporary, "w", encoding="utf-8", newline="\n") as file:
            file.write(fixture.text(data))
        os.replace(temporary, out)
    except OSError as error:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise FreezeError(
            f"{out!r} could not be written ({error.strerror}). Give a path in a folder that you may write to."
        ) from error
