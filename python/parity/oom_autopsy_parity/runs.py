"""Every measurement that a freeze or a check needs, from one import of torch and forked children."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

from . import children
from .environment import environment
from .measure import PARTS, measure
from .scenarios import Scenario, from_file, name_of
from .shared import shared

# A child of the built-in scenarios takes 0.03 to 1 s here, more where the machine is loaded; a user's own
# model is given room.
TIMEOUT_BUILT_IN_S = 120.0
TIMEOUT_USER_S = 600.0

Results = dict[str, dict[str, Any]]
"""name of a scenario -> {view, oracle, join: what was measured, {failed, reason}, or for a join None: not
needed}"""


def prepare() -> None:
    """Imports torch, and what a step would import anyway, once for all children. Nothing is computed: no pool
    of threads may exist at the fork. (The first optimizer of a process imports torch._dynamo: 1 s, else paid
    in each child.)"""
    import importlib

    import torch

    for name in shared("torch_api").IMPORTED_BY_SCENARIOS:
        try:
            importlib.import_module(name)
        except Exception:
            continue  # an older torch; the child says what is missing
    shared("timeline.view")
    torch.set_num_threads(1)


def can_fork() -> bool:
    return hasattr(os, "fork")


class Runs:
    """Measures scenarios, each given as a function that loads it: a user's file is code of theirs, and is
    read in a child only."""

    def __init__(
        self,
        load: dict[str, Callable[[], Scenario]],
        timeout_s: float = TIMEOUT_BUILT_IN_S,
    ) -> None:
        self._load, self._timeout_s = load, timeout_s

    def _all(self, jobs: list[children.Job]) -> dict[Any, Any]:
        return children.run_all(jobs, timeout_s=self._timeout_s)

    def _part(self, name: str, part: str) -> children.Job:
        return children.Job((name, part), lambda: measure(part, self._load[name]()))

    def _views(self) -> dict[str, Any]:
        return {name: children.outcome(self._part(name, "view").run) for name in self._load}

    def _facts(self) -> dict[str, Any]:
        loaded = [
            load() for load in self._load.values()
        ]  # a user's file may set what the environment reports
        return {
            "environment": environment(),
            "scenarios": {s.name: {"warm": s.warm, "steps": s.steps, "says": s.says} for s in loaded},
        }

    def check(
        self, canaries: Iterable[str], join_needed: Callable[..., bool]
    ) -> tuple[dict[str, Any], Results]:
        """(facts, results) with joins of the `canaries`, and of those for which `join_needed(name, facts,
        view, oracle)` holds. All views share one child: alone, each costs a child 0.02 s more than it
        takes."""
        # The longest stand last in the list: begun first, they end with the others.
        jobs = [self._part(name, "oracle") for name in reversed(self._load)]
        jobs.insert(len(jobs) // 2, children.Job("views", self._views))
        jobs += [children.Job("facts", self._facts), *(self._part(name, "join") for name in canaries)]
        found = self._all(jobs)
        facts, views = found.pop("facts"), found.pop("views")
        if isinstance(
            views.get("failed"), str
        ):  # one of them took the others along: each by itself, to see which
            found.update(self._all([self._part(name, "view") for name in self._load]))
        else:
            found.update({(name, "view"): view for name, view in views.items()})
        left = [
            name
            for name in self._load
            if "failed" not in facts
            and (name, "join") not in found
            and join_needed(name, facts["environment"], found[name, "view"], found[name, "oracle"])
        ]
        found.update(self._all([self._part(name, "join") for name in reversed(left)]) if left else {})
        return facts, self._by_scenario(found)

    def everything(self) -> tuple[dict[str, Any], Results]:
        """(facts, results), each part of each scenario in a process of its own."""
        jobs = [self._part(name, part) for name in reversed(self._load) for part in reversed(PARTS)]
        found = self._all([*jobs, children.Job("facts", self._facts)])
        facts = found.pop("facts")
        return facts, self._by_scenario(found)

    def _by_scenario(self, found: dict[Any, Any]) -> Results:
        return {name: {part: found.get((name, part)) for part in PARTS} for name in self._load}


def built_in(scenarios: Iterable[Scenario], **how: Any) -> Runs:
    return Runs({scenario.name: lambda s=scenario: s for scenario in scenarios}, **how)


def of_file(path: str, timeout_s: float = TIMEOUT_USER_S) -> Runs:
    """The runs of a user's scenario file."""
    return Runs({name_of(path): lambda: from_file(path)}, timeout_s)
