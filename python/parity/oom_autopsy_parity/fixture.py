"""The fixture file: how it is written, read and checked before anything is compared with it.

JSON, sorted keys, one value a line: a fixture of one environment is byte-identical when frozen again, and a
change of it can be read in a diff. `sha256` is over all the rest, so an edit by hand is not mistaken for
drift. schemas/fixture.schema.json says what is in it, and every fixture is checked against it before anything
is compared."""

from __future__ import annotations

import hashlib
import json
import os
import re
from typing import Any

from . import SCHEMA_FIXTURE, shape
from .scenarios import BUILT_IN, Scenario

BUILT_IN_PATH = os.path.normpath(
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixtures", "torch-2.13.json")
)
SCHEMA = "schemas/fixture.schema.json"
LIMIT_BYTES = 32 * 2**20  # of a fixture's file: the built-in one has under 1 MiB


class FixtureError(Exception):
    """A fixture that nothing can be compared with. The text names the value and the remedy."""


def digest(data: dict[str, Any]) -> str:
    rest = {key: value for key, value in data.items() if key != "sha256"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def text(data: dict[str, Any]) -> str:
    return json.dumps({**data, "sha256": digest(data)}, sort_keys=True, indent=1, ensure_ascii=True) + "\n"


def file_sha256(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def read(path: str) -> dict[str, Any]:
    """A fixture that passed every check, or FixtureError."""
    shown = repr(path)
    try:
        if os.path.getsize(path) > LIMIT_BYTES:
            raise FixtureError(f"fixture {shown} is larger than {LIMIT_BYTES} bytes. Freeze it again.")
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
    except OSError as error:
        raise FixtureError(
            f"fixture {shown} cannot be read ({error.strerror}). Give the path of a frozen fixture."
        ) from error
    except (ValueError, RecursionError) as error:
        raise FixtureError(f"fixture {shown} is no JSON ({error}). Freeze it again.") from error
    problem = _problem(data)
    if problem:
        raise FixtureError(f"fixture {shown}: {problem}")
    return data


def _problem(data: Any) -> str | None:
    if not isinstance(data, dict):
        return "is no JSON object. Freeze it again."
    schema = data.get("schema")
    if schema != SCHEMA_FIXTURE:
        later = re.fullmatch(r"oom-autopsy\.fixture\.v(\d+)", schema) if isinstance(schema, str) else None
        if later and int(later[1]) > 1:
            return f"has schema {schema!r}, a later one than {SCHEMA_FIXTURE!r}. Update the action, or freeze it again with this version."
        return f"has schema {schema!r}; accepted: {SCHEMA_FIXTURE!r}. Freeze it again."
    if data.get("sha256") != digest(data):
        return "does not match its own sha256: it was edited after it was frozen. Freeze it again, or take the file back from git."
    schema = described()
    found = shape.problem(data, schema, schema)
    return f"{found.lstrip('.')}. Freeze it again." if found else None


def described() -> dict[str, Any]:
    """The schema, which lies at the top of the action: above `parity` there, and above `dist/parity`."""
    here = os.path.dirname(os.path.abspath(__file__))
    for up in ("../..", "../../.."):
        path = os.path.normpath(os.path.join(here, up, SCHEMA))
        if os.path.isfile(path):
            with open(path, encoding="utf-8") as file:
                return json.load(file)
    raise FixtureError(f"{SCHEMA} is missing beside the action. Check the action out whole.")


def scenarios_of(data: dict[str, Any]) -> list[Scenario]:
    """The built-in scenarios that a built-in fixture was frozen from; each must be the one that this version
    has."""
    have = {scenario.name: scenario for scenario in BUILT_IN}
    unknown = sorted(set(data["scenarios"]) - set(have))
    if unknown:
        raise FixtureError(
            f"fixture names scenario {unknown[0]!r}, which this version does not have. It has: {', '.join(sorted(have))}. "
            "Use the fixture that belongs to this version."
        )
    missing = sorted(set(have) - set(data["scenarios"]))
    if missing:
        raise FixtureError(
            f"fixture does not hold scenario {missing[0]!r}. Freeze it again with this version."
        )
    for name, entry in data["scenarios"].items():
        if (entry.get("warm"), entry.get("steps")) != (have[name].warm, have[name].steps):
            raise FixtureError(
                f"fixture froze scenario {name!r} with warm={entry.get('warm')}, steps={entry.get('steps')}; here it is "
                f"warm={have[name].warm}, steps={have[name].steps}. Freeze it again with this version."
            )
        for part in ("oracle", "view", "migration"):
            if "failed" in entry[part]:
                raise FixtureError(
                    f"fixture holds no {part} of scenario {name!r}. Freeze it again with this version."
                )
        if "says" not in entry["migration"] or "table" not in data:
            raise FixtureError(
                f"fixture lacks what is told of its tables ({name!r}). Freeze it again with this version."
            )
    return list(BUILT_IN)
