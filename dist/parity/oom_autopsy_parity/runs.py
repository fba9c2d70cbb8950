"""Every measurement that a freeze or a check needs, from one import of torch and forked children."""

from __future__ import annotations

import os
from typing import Any

from . import children
from .environment import environment
from .measure import PARTS, measure
from .scenarios import Scenario, from_file

# A child of the built-in scenarios takes 0.03 to 3 s here; a user's own model is given room.
TIMEOUT_BUILT_IN_S = 120.0
TIMEOUT_USER_S = 600.0


def prepare() -> None:
    """Imports torch, and what a step would import anyway, once for all children. Nothing is computed: no pool
    of threads may exist at the fork. (The first optimizer of a process imports torch._dynamo: 1 s, else paid
    in each child.)"""
    import importlib

    import torch

    for name in (
        "torch._dynamo",
        "torch.profiler",
        "torch.profiler._memory_profiler",
        "torch.utils.checkpoint",
    ):
        try:
            importlib.import_module(name)
        except Exception:
            continue  # an older torch; the child says what is missing
    torch.set_num_threads(1)


def can_fork() -> bool:
    return hasattr(os, "fork")


def run_built_in(
    scenarios: list[Scenario], at_once: int | None = None
) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """(environment, name -> {view, oracle, join: what was measured, or {failed, reason}})"""
    prepare()
    jobs = [
        children.Job((scenario.name, part), lambda part=part, scenario=scenario: measure(part, scenario))
        for scenario in reversed(
            scenarios
        )  # the longest stand last in the list: begun first, they end with the others
        for part in reversed(PARTS)
    ]
    jobs.append(children.Job(("", "environment"), environment))
    results = children.run_all(jobs, at_once=at_once, timeout_s=TIMEOUT_BUILT_IN_S)
    return results.pop(("", "environment")), _by_scenario(results)


def describe(path: str) -> dict[str, Any]:
    """{name, warm, steps} of a user's scenario file, or {failed, reason}. Read in a child: it is the user's
    code."""
    prepare()

    def look() -> dict[str, Any]:
        scenario = from_file(path)
        return {"name": scenario.name, "warm": scenario.warm, "steps": scenario.steps}

    return children.run_all([children.Job("look", look)], timeout_s=TIMEOUT_USER_S)["look"]


def run_file(path: str, name: str) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """As run_built_in, for a user's scenario file."""
    prepare()

    def facts() -> dict[str, Any]:
        from_file(path)  # it may set what the environment reports
        return environment()

    jobs = [
        children.Job((name, part), lambda part=part: measure(part, from_file(path)))
        for part in reversed(PARTS)
    ]
    jobs.append(children.Job(("", "environment"), facts))
    results = children.run_all(jobs, timeout_s=TIMEOUT_USER_S)
    return results.pop(("", "environment")), _by_scenario(results)


def _by_scenario(results: dict[Any, Any]) -> dict[str, dict[str, Any]]:
    out: dict[str, dict[str, Any]] = {}
    for (name, part), value in results.items():
        out.setdefault(name, {})[part] = value
    return out
