"""One measurement of one scenario, in the process it is called in: by the oracle, by the rebuilt view, or by
both for the join.

The oracle and the join need a process of their own each (children.py): the second profiler session of a
process differs from the first, and the oracle's own TEMPORARY grows while a recorder runs beside it
(measured: 8 to 12 tensors in the smallest scenario). The view does not: `freeze` measures it alone and among
others, and refuses to write where that differs."""

from __future__ import annotations

import gc
import random
from typing import Any

from . import join as joining
from . import oracle
from .scenarios import Scenario
from .shared import shared

PARTS = ("view", "oracle", "join")


def _seed(seed: int) -> None:
    import torch

    random.seed(seed)
    torch.manual_seed(seed)
    torch.set_num_threads(1)  # the oracle's sequence moves with the number of threads


def _quiet_collector() -> None:
    """A garbage collection in the middle of the window would move the moment at which things die."""
    gc.collect()
    gc.disable()


def measure(part: str, scenario: Scenario, seed: int = 0) -> dict[str, Any]:
    _seed(seed)
    return {"view": _view, "oracle": _oracle, "join": _join}[part](scenario)


def _oracle(scenario: Scenario) -> dict[str, Any]:
    step = scenario.build()
    for _ in range(scenario.warm):
        step()
    _quiet_collector()
    oracle.parts()  # gone: say so before anything runs
    return oracle.summary(oracle.memory_profile(oracle.session(step, scenario.steps)))


def view_summary(window: Any, recorder: Any) -> dict[str, Any]:
    """{counts, bytes, reasons, peak, peak_by, blind, faults, events}; see timeline/ledger.py"""
    peak, parts, _ = window.peak()
    return {
        "counts": window.counts(),
        "bytes": window.bytes(),
        "reasons": window.reasons(),
        "peak": peak,
        "peak_by": parts,
        "blind": {k: recorder.blind[k] for k in sorted(recorder.blind)},
        "faults": list(recorder.faults),
        "events": window.sequence(),
    }


def _recorded(scenario: Scenario, around: Any, pointers: bool) -> tuple[Any, Any, int, Any]:
    """Runs the scenario under the view. `around(step, steps)` runs the window; (recorder, window, calls
    before it, its result)."""
    step = scenario.build()
    recorder = shared("timeline.view").Recorder(pointers=pointers).install()
    try:
        for _ in range(scenario.warm):
            step()
        _quiet_collector()
        since, before = recorder.ledger.position(), recorder.calls
        result = around(step, scenario.steps)
        window = recorder.ledger.window(since)
    finally:
        recorder.uninstall()
    return recorder, window, before, result


def _run(step: Any, steps: int) -> None:
    for _ in range(steps):
        step()


def _view(scenario: Scenario) -> dict[str, Any]:
    recorder, window, _, _ = _recorded(scenario, _run, False)
    return view_summary(window, recorder)


def _join(scenario: Scenario) -> dict[str, Any]:
    oracle.parts()
    recorder, window, before, session = _recorded(scenario, oracle.session, True)
    profile = oracle.memory_profile(session)
    blocks = joining.blocks_by_call(shared("torch_api").oracle_event_tree(session), recorder.calls - before)
    return joining.join(window, oracle.lives(profile), blocks, before)
