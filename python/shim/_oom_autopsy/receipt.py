"""The receipt: what one process that imported torch says about itself. Schema oom-autopsy.receipt.v1.

A plain dict, built and bounded here by pure functions; `store` writes it. Bytes are bytes, times are
seconds since the epoch, and lists are bounded with counts of what was dropped. Large parts that do not change any more are
packed: the garbage collector counts a dict for each stack frame and each category, and bytes as nothing.
"""

import json

SCHEMA = "oom-autopsy.receipt.v1"
MAX_BYTES = 4 * 2**20
OOMS_FIRST = 10
OOMS_KEPT = 50


def pack(value):
    """`value` as JSON text, in bytes, which the receipt will hold as they are; None stays None."""
    return None if value is None else _text(value).encode("ascii")


def unpack(value):
    """What was packed, or a value that was not."""
    return json.loads(value) if type(value) is bytes else value


def new(**known):
    """A fresh receipt in state idle; `known` holds step, host, pid, ppid, token, start_ticks, python, …"""
    return {
        "schema": SCHEMA,
        **known,
        "devices": [],
        "ooms": [],
        "ooms_dropped": 0,
        "oom_count": 0,
        "snapshots": [],
        "snapshots_removed": 0,
        "census": None,
        "cycles": None,
        "timeline": None,
        "thread_ends": [],
        "faults": [],
        "end": None,
    }


def recorder(max_entries, stacks):
    """The recorder's part before anything was armed."""
    return {
        "state": "idle",
        "reason": None,
        "armed_at": None,
        "disarmed_at": None,
        "disarm_proven": None,
        "interrupted": False,
        "observer": "none",
        "max_entries": max_entries,
        "stacks": stacks,
    }


def add_oom(receipt, row):
    """Adds an out-of-memory; the first ten and the newest forty stay."""
    receipt["oom_count"] += 1
    receipt["ooms"].append(row)
    if len(receipt["ooms"]) > OOMS_KEPT:
        del receipt["ooms"][OOMS_FIRST]
        receipt["ooms_dropped"] += 1


def expired(snapshots, limit):
    """The rows to drop so that at most `limit` snapshots stay: the first and the newest (only the newest
    when one)."""
    surplus = len(snapshots) - limit
    keep_first = 1 if limit > 1 else 0
    return snapshots[keep_first : keep_first + surplus] if surplus > 0 else []


def encode(receipt):
    """The receipt's bytes, at most MAX_BYTES: details of the middle out-of-memories go first, then all
    details."""
    data = _dump(receipt)
    if len(data) <= MAX_BYTES:
        return data
    slim = {**receipt, "ooms": [dict(row) for row in receipt["ooms"]]}
    order = [*range(1, len(slim["ooms"]) - 1), len(slim["ooms"]) - 1, 0] if slim["ooms"] else []
    for index in order:
        row = slim["ooms"][index]
        row.update(stack=unpack(row["stack"])[-5:], main_stack=None, census=None, cycles=None)
        data = _dump(slim)
        if len(data) <= MAX_BYTES:
            return data
    slim.update(census=None, cycles=None, timeline=None)
    return _dump(slim)


def _dump(receipt):
    rows = ",".join(map(_object, receipt["ooms"]))
    return _object({**receipt, "ooms": f"[{rows}]".encode("ascii")}).encode("ascii")


def _object(fields):
    """JSON of an object, some of whose values are packed."""
    parts = (
        f"{_text(key)}:{value.decode('ascii') if type(value) is bytes else _text(value)}"
        for key, value in fields.items()
    )
    return "{" + ",".join(parts) + "}"


def _text(value):
    return json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
