"""torch's private categorizer (the oracle) over a step, said in facts that do not depend on the process.

No pointer, id or time leaves this file: they differ from run to run. What is stable (measured over processes,
seeds, hash seeds and torch 2.13.0 against 2.14.1) is counts, bytes and the ordered sequence of (action,
category, bytes)."""

from __future__ import annotations

import collections
import warnings
from collections.abc import Callable
from typing import Any

from .shared import shared

_SIGN = {"PREEXISTING": "=", "CREATE": "+", "INCREMENT_VERSION": "^", "DESTROY": "-"}
UNKEYED = "UNKEYED"  # blocks that no tensor was seen for: kernels' workspaces and the like


class OracleGone(Exception):
    """The categorizer, or a part of it, is not in this torch. The text names the part."""

    kind = "removed"


def session(step: Callable[[], Any], steps: int) -> Any:
    """One profiler session over `steps` steps; only the first of a process is comparable. All three options
    are needed."""
    from torch.profiler import ProfilerActivity, profile

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with profile(
            activities=[ProfilerActivity.CPU], record_shapes=True, profile_memory=True, with_stack=True
        ) as prof:
            for _ in range(steps):
                step()
    return prof


def memory_profile(prof: Any) -> Any:
    api = shared("torch_api")
    parts = api.oracle_parts()
    if isinstance(parts, str):
        raise OracleGone(parts)
    return api.oracle_profile(prof)


def parts() -> Any:
    found = shared("torch_api").oracle_parts()
    if isinstance(found, str):
        raise OracleGone(found)
    return found


def _named(profile: Any, tensor_key: Any) -> Callable[[Any, int], str]:
    category = shared("torch_api").oracle_category
    return lambda key, version: category(profile, key, version) if isinstance(key, tensor_key) else UNKEYED


def summary(profile: Any) -> dict[str, Any]:
    """{keys, counts, bytes, actions, peak, peak_by, unkeyed, events}

    keys: distinct (tensor, version) that events speak of, by category: the rule of TorchLens's published
    golden.
    counts, bytes: tensors, by the category of their first version.
    events: `<sign> <category> <bytes>`; = was there before, + created, ^ new version, - destroyed.
    """
    tensor_key, action = parts()
    name = _named(profile, tensor_key)
    timeline = profile.timeline
    keys: collections.Counter[str] = collections.Counter()
    sizes: dict[Any, int] = {}
    seen = set()
    live: collections.Counter[str] = collections.Counter()
    total = peak = 0
    peak_by: dict[str, int] = {}
    events = []
    actions: collections.Counter[str] = collections.Counter()
    for _, act, (key, version), nbytes in timeline:
        category = name(key, version)
        actions[act.name] += 1
        events.append(f"{_SIGN[act.name]} {category} {nbytes}")
        if isinstance(key, tensor_key):
            sizes[key] = nbytes
        if (key, version) not in seen:
            seen.add((key, version))
            keys[category] += 1
        if act in (action.PREEXISTING, action.CREATE):
            live[category] += nbytes
            total += nbytes
        elif act is action.DESTROY:
            live[category] -= nbytes
            total -= nbytes
        elif isinstance(key, tensor_key):
            live[category] -= nbytes
            live[name(key, version + 1)] += nbytes
        if total > peak:
            peak, peak_by = total, {k: v for k, v in live.items() if v}
    counts: collections.Counter[str] = collections.Counter()
    total_bytes: collections.Counter[str] = collections.Counter()
    for key, nbytes in sizes.items():
        counts[name(key, 0)] += 1
        total_bytes[name(key, 0)] += nbytes
    return {
        "keys": dict(sorted(keys.items())),
        "counts": dict(sorted(counts.items())),
        "bytes": dict(sorted(total_bytes.items())),
        "actions": dict(sorted(actions.items())),
        "peak": peak,
        "peak_by": dict(sorted(peak_by.items())),
        "unkeyed": sum(f" {UNKEYED} " in event for event in events),
        "events": events,
    }


class Life:
    """One tensor of the oracle's: its category at first, its bytes, whether it was there before the
    session."""

    __slots__ = ("allocation", "before", "category", "nbytes", "pointer")

    def __init__(self, category: str, nbytes: int, pointer: int, allocation: int, before: bool) -> None:
        self.category, self.nbytes, self.pointer, self.allocation, self.before = (
            category,
            nbytes,
            pointer,
            allocation,
            before,
        )


def lives(profile: Any) -> list[Life]:
    """Every tensor of the session, in order of its first event. Pointers and allocation ids are good in this
    process only."""
    tensor_key, action = parts()
    name = _named(profile, tensor_key)
    found: dict[Any, Life] = {}
    for _, act, (key, _version), nbytes in profile.timeline:
        if isinstance(key, tensor_key):
            if key not in found:
                found[key] = Life(name(key, 0), nbytes, key.storage.ptr, key.storage.allocation_id, False)
            if act is action.PREEXISTING:
                found[key].before = True
    return list(found.values())
