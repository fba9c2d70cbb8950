"""Judges what was measured against what was frozen. Pure: values in, the check's JSON result out.

Three questions, each with an answer of its own: does the rebuilt view still say the same (match, drift,
unsupported, crashed, not-comparable)? does the oracle (same, changed, removed, crashed, not-comparable)? does
the table between them (exact, changed, not-compared)? Only a difference that the code or torch must have
caused is drift; what could not be compared is `unverifiable`, with the reason and with what is still
verified."""

from __future__ import annotations

from typing import Any

from . import SCHEMA_RESULT, migration
from .environment import differing, version
from .sequence import canonical, first_difference, keyed, without_unkeyed
from .shared import shared

MOST_DIFFERENCES = 20
NEVER_EMITTED = ("TEMPORARY", "AUTOGRAD_DETAIL")


def _difference(scenario: str, what: str, frozen: Any, now: Any) -> dict[str, Any]:
    return {"scenario": scenario, "what": what, "fixture": _short(frozen), "now": _short(now)}


def _short(value: Any) -> Any:
    return value if isinstance(value, (int, str)) or value is None else str(value)[:300]


def _compare(
    scenario: str, frozen: dict[str, Any], now: dict[str, Any], fields: tuple[str, ...]
) -> list[dict[str, Any]]:
    """Every entry of each field that differs: totals first, so that the reader sees the size of it before the
    place."""
    found = []
    for field in fields:
        a, b = frozen.get(field), now.get(field)
        if isinstance(a, dict) and isinstance(b, dict):
            found += [
                _difference(scenario, f"{field} of {key}", a.get(key), b.get(key))
                for key in sorted(set(a) | set(b))
                if a.get(key) != b.get(key)
            ]
        elif a != b:
            found.append(_difference(scenario, field, a, b))
    return found


def view_differences(scenario: str, frozen: dict[str, Any], now: dict[str, Any]) -> list[dict[str, Any]]:
    """What differs in the rebuilt view, and any word in it that it must never say."""
    found = []
    allowed = set(shared("view_ledger").CATEGORIES)
    said = {event.split(" ", 2)[1] for event in now["events"]} | set(now["counts"]) | set(now["bytes"])
    for word in sorted(said - allowed):
        found.append(_difference(scenario, "a category that is never emitted", "(never)", word))
    found += _compare(
        scenario, frozen, now, ("counts", "bytes", "peak", "peak_by", "reasons", "blind", "faults")
    )
    first = first_difference(canonical(frozen["events"]), canonical(now["events"]))
    return found + ([{"scenario": scenario, **first}] if first else [])


def oracle_differences(scenario: str, frozen: dict[str, Any], now: dict[str, Any]) -> list[dict[str, Any]]:
    """What differs in the oracle's account of tensors. Kernels' workspaces have no category and are left
    out."""
    fields = ("keys", "counts", "bytes")
    found = _compare(
        scenario,
        {field: without_unkeyed(frozen[field]) for field in fields},
        {field: without_unkeyed(now[field]) for field in fields},
        fields,
    )
    first = first_difference(keyed(frozen["events"]), keyed(now["events"]))
    return found + ([{"scenario": scenario, **first}] if first else [])


def table_differences(scenario: str, frozen: dict[str, Any], now: dict[str, Any]) -> list[dict[str, Any]]:
    def flat(table: dict[str, Any]) -> dict[str, dict[str, str]]:
        def said(rows: list[dict[str, Any]], *keys: str) -> dict[str, str]:
            return {
                " -> ".join(str(row[k]) for k in keys): f"{row['count']} / {row['bytes']} B" for row in rows
            }

        return {
            "row": said(table["rows"], "from", "to"),
            "oracle alone": said(table["oracle_only"], "category"),
            "view alone": said(table["view_only"], "category", "reason"),
            "joined": {k: str(table[k]) for k in ("keyed_bytes", "joined_bytes", "size_mismatches")},
        }

    return _compare(scenario, flat(frozen), flat(now), ("row", "oracle alone", "view alone", "joined"))


def _view(frozen: dict[str, Any], results: dict[str, Any], older: bool) -> dict[str, Any]:
    differences: list[dict[str, Any]] = []
    failures: dict[str, tuple[str, str]] = {}
    for name, entry in frozen["scenarios"].items():
        now = results[name]["view"]
        if "failed" in now:
            failures[name] = ("unsupported" if now["failed"] == "unsupported" else "crashed", now["reason"])
        else:
            differences += view_differences(name, entry["view"], now)
    status, reason = "match", None
    if differences and not older:
        status = "drift"
    elif failures:
        name = sorted(failures)[0]
        status, reason = failures[name][0], f"{name}: {failures[name][1]}"
    elif differences:
        status = "not-comparable"
        reason = "this torch is older than the fixture's: its operations need not make the same tensors"
    return _part(status, reason, differences, len(frozen["scenarios"]), len(failures))


def _part(
    status: str, reason: str | None, differences: list[dict[str, Any]], scenarios: int, failed: int
) -> dict[str, Any]:
    return {
        "status": status,
        "reason": reason,
        "scenarios": scenarios,
        "compared": scenarios - failed,
        "differences": differences[:MOST_DIFFERENCES],
        "differences_total": len(differences),
    }


def _oracle_scenario(
    name: str, entry: dict[str, Any], now: dict[str, Any], moved: list[str], older: bool
) -> dict[str, Any]:
    """{name, status, reason, differences}"""
    if "failed" in entry["oracle"]:
        return {
            "name": name,
            "status": "not-comparable",
            "reason": f"not in the fixture: {entry['oracle']['reason']}",
            "differences": [],
        }
    if "failed" in now:
        return {
            "name": name,
            "status": "removed" if now["failed"] == "removed" else "crashed",
            "reason": now["reason"],
            "differences": [],
        }
    found = oracle_differences(name, entry["oracle"], now)
    if not found:
        return {"name": name, "status": "same", "reason": None, "differences": []}
    if moved:
        return {
            "name": name,
            "status": "not-comparable",
            "reason": "another environment (" + ", ".join(moved) + ")",
            "differences": found,
        }
    if older:
        return {
            "name": name,
            "status": "not-comparable",
            "reason": "this torch is older than the fixture's",
            "differences": found,
        }
    return {"name": name, "status": "changed", "reason": None, "differences": found}


_WORST_FIRST = ("changed", "removed", "crashed", "not-comparable", "same")


def _oracle(
    frozen: dict[str, Any],
    results: dict[str, Any],
    now: dict[str, Any],
    kernels: dict[str, bool],
    older: bool,
) -> dict[str, Any]:
    each = [
        _oracle_scenario(
            name, entry, results[name]["oracle"], differing(frozen["environment"], now, kernels[name]), older
        )
        for name, entry in frozen["scenarios"].items()
    ]
    status = min((one["status"] for one in each), key=_WORST_FIRST.index)
    differences = [d for one in each for d in one["differences"]]
    failed = sum(one["status"] in ("removed", "crashed") for one in each)
    workspaces = sum(
        "failed" not in results[name]["oracle"]
        and results[name]["oracle"]["unkeyed"] != entry["oracle"].get("unkeyed")
        for name, entry in frozen["scenarios"].items()
    )
    part = _part(
        status,
        next((o["reason"] for o in each if o["status"] == status), None),
        differences,
        len(each),
        failed,
    )
    part["by_scenario"] = [{k: one[k] for k in ("name", "status", "reason")} for one in each]
    part["workspaces_differ"] = workspaces  # scenarios whose kernels' own blocks differ: said, never judged
    return part


def _migration(
    frozen: dict[str, Any], results: dict[str, Any], oracle: dict[str, Any], older: bool
) -> dict[str, Any]:
    differences: list[dict[str, Any]] = []
    tables, compared, reason = {}, 0, None
    comparable = {one["name"] for one in oracle["by_scenario"] if one["status"] == "same"}
    for name, entry in frozen["scenarios"].items():
        now = results[name]["join"]
        if name in comparable and "failed" not in now and "failed" not in entry["migration"]:
            compared += 1
            differences += table_differences(name, entry["migration"], now)
            tables[name] = now
        else:
            if reason is None:
                reason = f"{name}: " + (
                    now.get("reason")
                    or entry["migration"].get("reason")
                    or "the oracle is not the same there"
                )
            if "failed" not in entry["migration"]:
                tables[name] = entry["migration"]
    status = "changed" if differences else "exact" if compared == len(frozen["scenarios"]) else "not-compared"
    if differences and older:
        status, reason = "not-compared", "this torch is older than the fixture's"
    return {
        "status": status,
        "reason": reason if status == "not-compared" else None,
        "scenarios": len(frozen["scenarios"]),
        "compared": compared,
        "rows": migration.summed(list(tables.values())),
        "lines": [
            migration.line(name, table, frozen["scenarios"][name]["oracle"].get("bytes"))
            for name, table in tables.items()
        ],
        "source": {
            name: "measured" if tables[name] is results[name]["join"] else "fixture" for name in tables
        },
        "differences": differences[:MOST_DIFFERENCES],
        "differences_total": len(differences),
    }


def verdict(view: dict[str, Any], oracle: dict[str, Any], table: dict[str, Any]) -> str:
    if view["status"] == "drift" or oracle["status"] == "changed" or table["status"] == "changed":
        return "drift"
    return (
        "match"
        if (view["status"], oracle["status"], table["status"]) == ("match", "same", "exact")
        else "unverifiable"
    )


def _says(view: dict[str, Any], oracle: dict[str, Any], table: dict[str, Any]) -> list[str]:
    """What holds and what does not, in plain sentences."""
    total = view["scenarios"]

    def first(part: dict[str, Any]) -> str:
        d = part["differences"][0]
        return (
            f"{d['scenario']}, {d['what']}: fixture {d['fixture']}, now {d['now']} "
            f"({part['differences_total']} differences in all)"
        )

    of_view = {
        "match": f"The rebuilt view matches the fixture in {total} of {total} scenarios.",
        "unsupported": f"The rebuilt view cannot run here: {view['reason']}.",
        "crashed": (
            f"The rebuilt view failed in {total - view['compared']} of {total} scenarios: {view['reason']}."
        ),
        "not-comparable": f"The rebuilt view is not comparable here: {view['reason']}.",
    }
    of_oracle = {
        "same": "The oracle (torch's own categorizer) says what it said when it was frozen.",
        "removed": f"The oracle is gone from this torch: {oracle['reason']}. What it said is in the fixture.",
        "crashed": f"The oracle failed here: {oracle['reason']}. Nothing is concluded from that.",
        "not-comparable": f"The oracle is not comparable here: {oracle['reason']}.",
    }
    of_table = {
        "exact": "The migration table is exact.",
        "not-compared": (
            f"The migration table was compared in {table['compared']} of {total} scenarios "
            f"({table['reason']})."
        ),
    }
    lines = [of_view.get(view["status"]) or f"The rebuilt view drifted from the fixture: {first(view)}."]
    lines.append(of_oracle.get(oracle["status"]) or f"The oracle changed: {first(oracle)}.")
    lines.append(of_table.get(table["status"]) or f"The migration table changed: {first(table)}.")
    if oracle["status"] == "not-comparable":
        same = sum(one["status"] == "same" for one in oracle["by_scenario"])
        lines.append(
            f"Still verified: the rebuilt view's own account, and the oracle in {same} of {total} scenarios."
            if view["status"] == "match"
            else f"Still verified: the oracle in {same} of {total} scenarios."
        )
    elif oracle["status"] in ("removed", "crashed") and view["status"] == "match":
        lines.append("Still verified: the rebuilt view's own account.")
    return lines


def judge(
    frozen: dict[str, Any],
    path: str,
    environment: dict[str, Any],
    results: dict[str, dict[str, Any]],
    kernels: dict[str, bool],
    trigger: dict[str, Any],
    notes: list[str],
    seconds: float,
) -> dict[str, Any]:
    """The whole result. `kernels`: scenario -> whether the processor chooses its kernels. `results`: see
    runs.run_built_in."""
    older = version(environment["torch"]) < version(frozen["environment"].get("torch", ""))
    view = _view(frozen, results, older)
    oracle = _oracle(frozen, results, environment, kernels, older)
    table = _migration(frozen, results, oracle, older)
    return {
        "schema": SCHEMA_RESULT,
        "verdict": verdict(view, oracle, table),
        "says": _says(view, oracle, table) + notes,
        "view": view,
        "oracle": oracle,
        "migration": table,
        "environment": environment,
        "fixture": describe_fixture(frozen, path),
        "trigger": trigger,
        "seconds": round(seconds, 2),
    }


def describe_fixture(frozen: dict[str, Any], path: str) -> dict[str, Any]:
    return {
        "path": path,
        "sha256": frozen["sha256"],
        "built_in": frozen["built_in"],
        "environment": frozen["environment"],
        "scenarios": sorted(frozen["scenarios"]),
    }


def could_not_run(
    frozen: dict[str, Any],
    path: str,
    reason: str,
    remedy: str,
    trigger: dict[str, Any] | None,
    seconds: float,
) -> dict[str, Any]:
    """The result where nothing could be measured at all: unverifiable, with what the fixture says of the
    table."""
    total = len(frozen["scenarios"])
    tables = {n: e["migration"] for n, e in frozen["scenarios"].items() if "failed" not in e["migration"]}
    nothing = {"reason": reason, "scenarios": total, "compared": 0, "differences": [], "differences_total": 0}
    return {
        "schema": SCHEMA_RESULT,
        "verdict": "unverifiable",
        "says": [f"Parity could not be checked: {reason}. {remedy}"],
        "view": {"status": "unsupported", **nothing},
        "oracle": {"status": "not-comparable", **nothing, "by_scenario": [], "workspaces_differ": 0},
        "migration": {
            "status": "not-compared",
            **nothing,
            "rows": migration.summed(list(tables.values())),
            "lines": [
                migration.line(n, t, frozen["scenarios"][n]["oracle"].get("bytes")) for n, t in tables.items()
            ],
            "source": {n: "fixture" for n in tables},
        },
        "environment": None,
        "fixture": describe_fixture(frozen, path),
        "trigger": trigger,
        "seconds": round(seconds, 2),
    }
