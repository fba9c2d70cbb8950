"""The step's settings: config.json beside this file, written by the action, read only once torch is
imported."""

import json
import os
from dataclasses import dataclass

SCHEMA = "oom-autopsy.config.v1"
_CHOICES = {
    "snapshot": ("on-oom", "on-failure", "always", "off"),
    "stacks": ("python", "all"),
    "cycles": ("off", "warn", "fail"),
    "cycles_watch": ("sampled", "continuous"),
    "categories": ("off", "census", "timeline"),
}
_RANGES = {
    "max_entries": (1, 10_000_000),
    "max_snapshots": (1, 1_000_000),
    "timeline_steps": (1, 1_000_000),
    "dump_deadline_s": (0.001, 86_400),
    "memory_budget": (0.0001, 2**50),
}


@dataclass(frozen=True)
class Config:
    """One step's settings. `evidence` is an absolute folder; `dump_deadline_s` is in seconds; `memory_budget` in
    bytes, or below 1 a share of the device's memory."""

    evidence: str
    step: str = ""
    snapshot: str = "on-oom"
    max_entries: int = 100_000
    stacks: str = "python"
    max_snapshots: int = 3
    cycles: str = "warn"
    cycles_watch: str = "sampled"
    categories: str = "census"
    timeline_steps: int = 3
    dump_deadline_s: float = 120
    memory_budget: "float | None" = None


def parse(data):
    """(Config, problems) of a decoded config.json. A bad setting takes its default and is named; ValueError
    where nothing can be done without it."""
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise ValueError(f"config.json is not of schema {SCHEMA}")
    evidence = data.get("evidence")
    if not isinstance(evidence, str) or not os.path.isabs(evidence):
        raise ValueError("config.json names no absolute evidence folder")
    values: dict = {"evidence": evidence, "step": str(data.get("step", ""))[:64]}
    problems = []
    for name, allowed in _CHOICES.items():
        value = data.get(name)
        if value in allowed:
            values[name] = value
        elif value is not None:
            problems.append(f"config.json: {name} must be one of {', '.join(allowed)}; the default is used")
    for name, (low, high) in _RANGES.items():
        value = data.get(name)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and low <= value <= high:
            values[name] = value
        elif value is not None:
            problems.append(f"config.json: {name} must be from {low} to {high}; the default is used")
    return Config(**values), problems


def load(path=None):
    """(Config, problems) from `path`, by default the file beside this one. OSError or ValueError if there
    is none."""
    path = path or os.path.join(os.path.dirname(os.path.abspath(__file__)), "config.json")
    with open(path, encoding="utf-8") as file:
        return parse(json.load(file))
