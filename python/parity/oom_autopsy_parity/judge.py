"""Judges what was measured against what was frozen. Pure: values in, the check's JSON result out.

Three questions, each with an answer of its own for each scenario: does the rebuilt view still say the same?
does the oracle? does the table between them? Only a difference that the code or torch must have caused is
drift; what could not be compared is `unverifiable`, with the reason and with what is still verified. A table
is not measured again where view and oracle are, event by event, the two accounts that it was made of."""

from __future__ import annotations

from typing import Any, NamedTuple

from . import SCHEMA_RESULT, migration
from .environment import differing, version
from .sequence import canonical, first_difference, keyed, without_unkeyed
from .shared import shared

MOST_DIFFERENCES = 20
NEVER_EMITTED = ("TEMPORARY", "AUTOGRAD_DETAIL")
EVERY = "all scenarios"

# Worst first: a part's status is the worst of its scenarios'. Each ends with the one that is as it should be.
_VIEW = ("drift", "unsupported", "crashed", "not-comparable", "match")
_ORACLE = ("changed", "removed", "crashed", "not-comparable", "same")
_TABLE = ("changed", "not-compared", "not-measured-again", "exact")


class Outcome(NamedTuple):
    """The answer of one scenario to one question."""

    status: str
    reason: str | None = None
    differences: tuple[dict[str, Any], ...] = ()


# ---- differences


def _difference(scenario: str, what: str, frozen: Any, now: Any) -> dict[str, Any]:
    return {"scenario": scenario, "what": what, "fixture": _short(frozen), "now": _short(now)}


def _short(value: Any) -> Any:
    return value if isinstance(value, (int, str)) or value is None else str(value)[:300]


def said(difference: dict[str, Any]) -> str:
    return "{scenario}, {what}: fixture {fixture}, now {now}".format(**difference)


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
    allowed = set(shared("timeline.ledger").CATEGORIES)
    words = {event.split(" ", 2)[1] for event in now["events"]} | set(now["counts"]) | set(now["bytes"])
    for word in sorted(words - allowed | words & set(NEVER_EMITTED)):
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


def _flat(table: dict[str, Any]) -> dict[str, dict[str, str]]:
    def rows(of: list[dict[str, Any]], *keys: str) -> dict[str, str]:
        return {" -> ".join(str(row[k]) for k in keys): f"{row['count']} / {row['bytes']} B" for row in of}

    return {
        "row": rows(table["rows"], "from", "to"),
        "oracle alone": rows(table["oracle_only"], "category"),
        "view alone": rows(table["view_only"], "category", "reason"),
        "joined": {k: str(table[k]) for k in ("keyed_bytes", "joined_bytes", "size_mismatches")},
    }


def table_differences(scenario: str, frozen: dict[str, Any], now: dict[str, Any]) -> list[dict[str, Any]]:
    return _compare(scenario, _flat(frozen), _flat(now), ("row", "oracle alone", "view alone", "joined"))


def told_differences(frozen: dict[str, Any]) -> list[dict[str, Any]]:
    """Compares the sentences and sums of the frozen tables with those made when they were frozen. For the
    built-in fixture only: a user's fixture may have the wording of an earlier version."""
    if not frozen["built_in"]:
        return []
    tables = {name: entry["migration"] for name, entry in frozen["scenarios"].items()}
    found = [
        _difference(name, "the sentence of the table", table["says"], line)
        for (name, table), line in zip(tables.items(), _lines(frozen, tables))
        if table["says"] != line
    ]
    nothing = {"oracle_only": [], "view_only": [], "keyed_bytes": 0, "joined_bytes": 0, "size_mismatches": 0}
    a, b = ({**nothing, "rows": rows} for rows in (frozen["table"], migration.summed(list(tables.values()))))
    return found + [{**d, "what": f"sum of {d['what']}"} for d in table_differences(EVERY, a, b)]


def _lines(frozen: dict[str, Any], tables: dict[str, Any]) -> list[str]:
    return [
        migration.line(name, table, frozen["scenarios"][name]["oracle"].get("bytes"))
        for name, table in tables.items()
    ]


# ---- one scenario


class Torch(NamedTuple):
    """What differs between the environment of the fixture and today's, as far as numbers may depend on it."""

    older: (
        str | None
    )  # why its operations need not make the same tensors; None for the fixture's torch, or a newer one
    moved: list[str]  # what the oracle's numbers depend on and is not what it was


def compared(frozen: dict[str, Any], now: dict[str, Any], kernels: bool) -> Torch:
    was = frozen["environment"]
    older = version(now["torch"]) < version(was["torch"])
    return Torch(
        f"torch {now['torch']} is older than the fixture's {was['torch']}" if older else None,
        differing(was, now, kernels),
    )


def view_of(name: str, entry: dict[str, Any], now: dict[str, Any], torch: Torch) -> Outcome:
    if "failed" in now:
        return Outcome("unsupported" if now["failed"] == "unsupported" else "crashed", now["reason"])
    found = tuple(view_differences(name, entry["view"], now))
    if not found:
        return Outcome("match")
    if torch.older:
        return Outcome("not-comparable", f"{torch.older}, and differs: {said(found[0])}", found)
    return Outcome("drift", None, found)


def oracle_of(name: str, entry: dict[str, Any], now: dict[str, Any], torch: Torch) -> Outcome:
    if "failed" in entry["oracle"]:
        return Outcome(
            "not-comparable", f"it could not run when the fixture was frozen: {entry['oracle']['reason']}"
        )
    if "failed" in now:
        return Outcome("removed" if now["failed"] == "removed" else "crashed", now["reason"])
    found = tuple(oracle_differences(name, entry["oracle"], now))
    if not found:
        return Outcome("same")
    why = f"another environment ({', '.join(torch.moved)})" if torch.moved else torch.older
    if why:
        return Outcome("not-comparable", f"{why}, and differs: {said(found[0])}", found)
    return Outcome("changed", None, found)


def table_of(
    name: str,
    entry: dict[str, Any],
    now: dict[str, Any] | None,
    view: Outcome,
    oracle: Outcome,
    torch: Torch,
) -> Outcome:
    if "failed" in entry["migration"]:
        return Outcome(
            "not-compared",
            f"it could not be made when the fixture was frozen: {entry['migration']['reason']}",
        )
    if oracle.status != "same":
        return Outcome("not-compared", f"the oracle: {oracle.reason or said(oracle.differences[0])}")
    if view.status in ("unsupported", "crashed"):
        return Outcome("not-compared", f"the rebuilt view: {view.reason}")
    if now is None:
        return Outcome("not-measured-again" if view.status == "match" else "not-compared", view.reason)
    if "failed" in now:
        return Outcome("not-compared", now["reason"])
    found = tuple(table_differences(name, entry["migration"], now))
    if found and torch.older:
        return Outcome("not-compared", f"{torch.older}, and differs: {said(found[0])}", found)
    return Outcome("changed", None, found) if found else Outcome("exact")


def join_needed(frozen: dict[str, Any], kernels: dict[str, bool]) -> Any:
    """Whether a scenario's table has to be measured again: one of its two accounts is no longer the one that
    it was made of, and a difference would be judged."""

    def needed(name: str, environment: dict[str, Any], view: dict[str, Any], oracle: dict[str, Any]) -> bool:
        entry, torch = frozen["scenarios"][name], compared(frozen, environment, kernels[name])
        statuses = view_of(name, entry, view, torch).status, oracle_of(name, entry, oracle, torch).status
        return (
            statuses[0] in ("drift", "match")
            and statuses[1] in ("changed", "same")
            and statuses != ("match", "same")
        )

    return needed


# ---- all of them


def _part(
    each: dict[str, Outcome], worst_first: tuple[str, ...], told: list[dict[str, Any]]
) -> dict[str, Any]:
    status = min((one.status for one in each.values()), key=worst_first.index)
    ranked = sorted(each.items(), key=lambda item: worst_first.index(item[1].status))
    differences = [d for _, one in ranked for d in one.differences] + told
    name, worst = ranked[0]
    reason = worst.reason
    if reason and name not in reason and any(one.reason != reason for one in each.values()):
        reason = f"{name}: {reason}"
    return {
        "status": worst_first[0] if told else status,
        "reason": reason,
        "scenarios": len(each),
        "matched": sum(one.status == worst_first[-1] for one in each.values()),
        "by_scenario": [{"name": n, "status": one.status, "reason": one.reason} for n, one in each.items()],
        "differences": differences[:MOST_DIFFERENCES],
        "differences_total": len(differences),
    }


def _table(each: dict[str, Outcome], frozen: dict[str, Any], results: dict[str, Any]) -> dict[str, Any]:
    """The part of the table, with the rows and sentences of what was measured, or else of the fixture."""
    part = _part(each, _TABLE, told_differences(frozen))
    tables, source = {}, {}
    for name, entry in frozen["scenarios"].items():
        now = results[name]["join"]
        measured = each[name].status in ("exact", "changed")
        if measured or "failed" not in entry["migration"]:
            tables[name] = now if measured else entry["migration"]
            source[name] = "measured" if measured else "fixture"
    if part["status"] == "not-measured-again":
        part["reason"] = (
            f"measured again and exact in {part['matched']} of {part['scenarios']} scenarios; in the others the view and the "
            "oracle are, event by event, what it was made of"
        )
    return {
        **part,
        "rows": migration.summed(list(tables.values())),
        "lines": _lines(frozen, tables),
        "source": source,
    }


def verdict(view: dict[str, Any], oracle: dict[str, Any], table: dict[str, Any]) -> str:
    statuses = view["status"], oracle["status"], table["status"]
    if statuses[0] == _VIEW[0] or statuses[1] == _ORACLE[0] or statuses[2] == _TABLE[0]:
        return "drift"
    held = statuses[0] == _VIEW[-1] and statuses[1] == _ORACLE[-1] and statuses[2] in _TABLE[-2:]
    return "match" if held else "unverifiable"


def _says(view: dict[str, Any], oracle: dict[str, Any], table: dict[str, Any]) -> list[str]:
    """What holds and what does not, in plain sentences."""

    def first(part: dict[str, Any]) -> str:
        return f"{said(part['differences'][0])} ({part['differences_total']} differences in all)"

    def matched(part: dict[str, Any]) -> str:
        return f"{part['matched']} of {part['scenarios']} scenarios"

    left = sum(one["status"] == "not-compared" for one in table["by_scenario"])
    of_view = {
        "match": f"The rebuilt view matches the fixture in {matched(view)}.",
        "drift": f"The rebuilt view drifted from the fixture: {first(view)}; it matched in {matched(view)}."
        if view["differences"]
        else "",
        "unsupported": f"The rebuilt view cannot run here: {view['reason']}.",
        "crashed": f"The rebuilt view failed: {view['reason']}; it matched in {matched(view)}.",
        "not-comparable": f"The rebuilt view is not comparable here: {view['reason']}; it matched in {matched(view)}.",
    }
    of_oracle = {
        "same": "The oracle (torch's own categorizer) says what it said when it was frozen.",
        "changed": f"The oracle changed: {first(oracle)}." if oracle["differences"] else "",
        "removed": f"The oracle is gone from this torch: {oracle['reason']}. What it said is in the fixture.",
        "crashed": f"The oracle failed here: {oracle['reason']}. Nothing is concluded from that.",
        "not-comparable": f"The oracle is not comparable here: {oracle['reason']}.",
    }
    of_table = {
        "exact": "The migration table is exact.",
        "changed": f"The migration table changed: {first(table)}." if table["differences"] else "",
        "not-compared": f"The migration table was not compared in {left} of {table['scenarios']} scenarios: {table['reason']}.",
        "not-measured-again": f"The migration table is the fixture's: {table['reason']}.",
    }
    lines = [of_view[view["status"]], of_oracle[oracle["status"]], of_table[table["status"]]]
    held = ["the rebuilt view's own account"] if view["status"] == "match" else []
    held += [f"the oracle in {matched(oracle)}"] if oracle["matched"] else []
    if held and oracle["status"] != "same" and oracle["status"] != "changed":
        lines.append(f"Still verified: {', and '.join(held)}.")
    return lines


def judge(
    frozen: dict[str, Any],
    path: str,
    environment: dict[str, Any],
    results: dict[str, dict[str, Any]],
    kernels: dict[str, bool],
    trigger: dict[str, Any],
    seconds: float,
) -> dict[str, Any]:
    """The whole result. `kernels`: scenario -> whether the processor chooses its kernels. `results`:
    runs.Results."""
    views, oracles, tables = {}, {}, {}
    for name, entry in frozen["scenarios"].items():
        now, torch = results[name], compared(frozen, environment, kernels[name])
        views[name] = view_of(name, entry, now["view"], torch)
        oracles[name] = oracle_of(name, entry, now["oracle"], torch)
        tables[name] = table_of(name, entry, now["join"], views[name], oracles[name], torch)
    view, oracle = _part(views, _VIEW, []), _part(oracles, _ORACLE, [])
    oracle["workspaces_differ"] = sum(  # scenarios whose kernels' own blocks differ: said, never judged
        "failed" not in results[name]["oracle"]
        and results[name]["oracle"]["unkeyed"] != entry["oracle"].get("unkeyed")
        for name, entry in frozen["scenarios"].items()
    )
    table = _table(tables, frozen, results)
    parts = view, oracle, table
    return _result(verdict(*parts), _says(*parts), parts, environment, frozen, path, trigger, seconds)


def _result(
    verdict: str,
    says: list[str],
    parts: tuple[dict[str, Any], dict[str, Any], dict[str, Any]],
    environment: dict[str, Any] | None,
    frozen: dict[str, Any],
    path: str,
    trigger: dict[str, Any] | None,
    seconds: float,
) -> dict[str, Any]:
    view, oracle, table = parts
    return {
        "schema": SCHEMA_RESULT,
        "verdict": verdict,
        "says": says,
        "view": view,
        "oracle": oracle,
        "migration": table,
        "environment": environment,
        "fixture": {
            "path": path,
            "sha256": frozen["sha256"],
            "built_in": frozen["built_in"],
            "environment": frozen["environment"],
            "scenarios": sorted(frozen["scenarios"]),
        },
        "trigger": trigger,
        "seconds": round(seconds, 2),
    }


def _unmeasured(
    frozen: dict[str, Any], statuses: tuple[str, str, str], reason: str | None
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """The three parts where nothing is measured: the table is the fixture's."""
    each = [{name: Outcome(status, reason) for name in frozen["scenarios"]} for status in statuses]
    view, oracle = _part(each[0], _VIEW, []), _part(each[1], _ORACLE, [])
    return view, oracle, _table(each[2], frozen, {name: {"join": None} for name in frozen["scenarios"]})


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
    parts = _unmeasured(frozen, ("unsupported", "not-comparable", "not-compared"), reason)
    says = [f"Parity could not be checked: {reason}. {remedy}"]
    return _result("unverifiable", says, parts, None, frozen, path, trigger, seconds)


def checked_earlier(
    frozen: dict[str, Any], path: str, environment: dict[str, Any], seconds: float
) -> dict[str, Any]:
    """The result of a step whose job has had a `match` with the same of everything (remember.py)."""
    parts = _unmeasured(frozen, ("match", "same", "not-measured-again"), None)
    says = [
        "Checked earlier in this job, with the same torch, interpreter, fixture and machine: it matched the fixture in "
        f"{len(frozen['scenarios'])} of {len(frozen['scenarios'])} scenarios. Nothing was measured again."
    ]
    trigger = {
        "status": "quiet",
        "new": [],
        "known": [],
        "says": "Review trigger: quiet, earlier in this job.",
    }
    result = _result("match", says, parts, environment, frozen, path, trigger, seconds)
    result["earlier"] = True
    result["migration"]["reason"] = "checked earlier in this job"
    return result
