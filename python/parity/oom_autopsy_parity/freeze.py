"""Makes a fixture: the built-in one from torch 2.13 only, a user's own from whatever torch they train with.

Everything is measured twice, and a step that is not the same both times is refused: a fixture of it would
drift by itself."""

from __future__ import annotations

import os
from typing import Any

from . import SCHEMA_FIXTURE, fixture, judge, migration, runs
from .environment import version
from .scenarios import BUILT_IN, ScenarioError
from .sequence import canonical

FROZEN_TORCH = (
    2,
    13,
)  # the oracle is what it was there; a fixture from another torch would be another oracle


class FreezeError(Exception):
    """Nothing was written. The text says why and what to do."""


def _entry(facts: dict[str, Any], parts: dict[str, Any]) -> dict[str, Any]:
    entry = {**facts, "migration": parts["join"]}
    for name in ("oracle", "view"):
        part = dict(parts[name])
        if "events" in part:
            part["events"] = canonical(part["events"])
        entry[name] = part
    return entry


def _measured_twice(measured: runs.Runs) -> tuple[dict[str, Any], dict[str, Any]]:
    """(environment, name -> entry of the fixture)"""
    facts, once = measured.everything()
    if "failed" in facts:
        raise FreezeError(facts["reason"])
    _, again = measured.check(once, lambda *_: False)
    entries = {}
    for name, about in facts["scenarios"].items():
        first, second = _entry(about, once[name]), _entry(about, again[name])
        _usable(name, first["view"])
        difference = _difference(name, first, second)
        if difference:
            raise FreezeError(
                f"scenario {name!r} was measured twice and is not the same: {difference}. "
                "Seed what it draws, build anew in build() what it changes, and let no step depend on time or place."
            )
        entries[name] = first
    return facts["environment"], entries


def _usable(name: str, view: dict[str, Any]) -> None:
    if "failed" in view:
        raise FreezeError(f"scenario {name!r} could not be recorded ({view['failed']}): {view['reason']}")
    if view["faults"]:
        raise FreezeError(
            f"scenario {name!r} was not recorded whole, by a fault of the view: {view['faults'][0]}"
        )
    if not any(event.startswith("+ ") for event in view["events"]):
        raise FreezeError(
            f"scenario {name!r} makes no tensor in its window, so nothing could ever differ. "
            "build() must return a function that does one training step."
        )


def _difference(name: str, first: dict[str, Any], second: dict[str, Any]) -> str | None:
    """The first event, and if there is none the first number, by which two measurements differ."""
    found: list[dict[str, Any]] = []
    for part, differences in (
        ("view", judge.view_differences),
        ("oracle", judge.oracle_differences),
        ("migration", judge.table_differences),
    ):
        a, b = first[part], second[part]
        if "failed" in a or "failed" in b:
            if a != b:
                return f"{part}: {a.get('reason', 'it ran')}, then {b.get('reason', 'it ran')}"
            continue
        found += [{**d, "what": f"{part}, {d['what']}"} for d in differences(name, a, b)]
    found.sort(key=lambda d: ", event " not in d["what"])
    return "{what}: {fixture}, then {now}".format(**found[0]) if found else None


def built_in() -> dict[str, Any]:
    import torch

    if version(torch.__version__) != FROZEN_TORCH:
        raise FreezeError(
            f"torch {torch.__version__} cannot freeze the built-in fixture: it is of torch {FROZEN_TORCH[0]}.{FROZEN_TORCH[1]}. "
            "Run this with torch 2.13, or freeze a scenario of your own with --scenario."
        )
    environment, scenarios = _measured_twice(runs.built_in(BUILT_IN))
    for name, entry in scenarios.items():
        for part in ("oracle", "migration"):
            if "failed" in entry[part]:
                raise FreezeError(
                    f"scenario {name!r}, {part}: {entry[part]['failed']}: {entry[part]['reason']}"
                )
        table = entry["migration"]
        table["says"] = migration.line(name, table, entry["oracle"]["bytes"])
    return {
        "schema": SCHEMA_FIXTURE,
        "built_in": True,
        "scenario_file": None,
        "environment": environment,
        "scenarios": scenarios,
        "table": migration.summed([entry["migration"] for entry in scenarios.values()]),
    }


def users(path: str, out: str) -> dict[str, Any]:
    """A fixture of the user's own step. Where this torch's oracle cannot run, the fixture says so and holds
    the view alone."""
    if not os.path.isfile(path):
        raise ScenarioError(
            f"scenario file {path!r} is not there. Give the path of a Python file that defines build()."
        )
    environment, scenarios = _measured_twice(runs.of_file(path))
    folder = os.path.dirname(os.path.abspath(out))
    return {
        "schema": SCHEMA_FIXTURE,
        "built_in": False,
        "scenario_file": {
            "path": os.path.relpath(os.path.abspath(path), folder).replace(os.sep, "/"),
            "sha256": fixture.file_sha256(path),
        },
        "environment": environment,
        "scenarios": scenarios,
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
