"""`categories: timeline`: the rebuilt view over a few optimizer steps of the user's program, with no change
of it.

`start(steps)` registers two optimizer hooks and nothing else. The first optimizer step of the program opens
the window (what is made once, like Adam's state, exists by then); `steps` further steps of the same optimizer
close it, and every hook goes.

What stands in the way is said in the result instead of guessed around:
- torch.compile in use: an active dispatch mode would switch it off (measured: 1 graph to 0) and so change
  numerics and memory. The timeline then looks at the boundaries of the optimizer's steps only, and says so.
- another dispatch mode of the user's, or an optimizer that steps inside the backward: the same.
- code that leaves our mode enclosed by one of the user's at the end: ours stays and only passes calls on
  until it can be left. No exception of ours reaches the program; a fault ends the timeline, with a reason.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import weakref
from collections import Counter
from collections.abc import Callable
from typing import Any

from .. import torch_api
from ..signals import handlers
from .ledger import FREE, SEEN, Window
from .view import Recorder, Unsupported

MAX_EVENTS = 400_000  # some 100 MB of ours in the worst case; a window that has more ends early and says so
MAX_POINTS, MAX_DEVICES = 120, 8
# A program with several optimizers (a GAN) may never step the first one again.
MAX_STEPS_OF_OTHERS = 50

NO_ACTIVATIONS = (
    "every operation: looked at the boundaries of optimizer steps only, so activations "
    "and inputs are not seen"
)


def start(steps: int, *, on_done: Callable[[dict[str, Any]], None] | None = None) -> Timeline:
    """Begins to wait for the first optimizer step. `on_done` is called once with the result when the window
    closes."""
    return Timeline(steps, on_done)


class Timeline:
    """States: waiting, recording, done, stopped (the program ended inside the window), unsupported,
    failed."""

    def __init__(self, steps: int, on_done: Callable[[dict[str, Any]], None] | None) -> None:
        self._wanted, self._on_done = max(1, int(steps)), on_done
        self._state, self._reason, self._mode = "waiting", None, None
        self._recorder: Any = None
        self._optimizer: Any = None
        self._covered = self._others = 0
        self._since = 0  # position of the ledger when the window opened
        self._marks: list[int] = []  # position of the ledger at the end of each covered step
        self._began = self._seconds = 0.0
        self._result: dict[str, Any] | None = None
        self._lock = threading.Lock()
        self._before: list[Any] = []
        self._after: list[Any] = []
        missing = torch_api.view_missing()
        if missing:
            self._state, self._reason = "unsupported", missing
            return
        self._before = torch_api.view_optimizer_hooks(self._before_step, None)
        self._after = torch_api.view_optimizer_hooks(None, self._after_step)
        _forget_in_children(self)

    # ---- hooks

    def _before_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        recorder = self._recorder
        if recorder is not None and not recorder.retired:
            recorder.before_step(optimizer, args, kwargs)

    def _after_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        try:
            if self._state == "waiting":
                self._open(optimizer)
            elif self._state == "recording":
                self._recorder.after_step(optimizer, args, kwargs)
                self._count(optimizer)
            else:
                self._tidy()
        except Exception as error:
            self._fail(error)

    def _open(self, optimizer: Any) -> None:
        with self._lock:
            if self._state != "waiting":
                return
            why_not = self._obstacle()
            self._mode = "boundaries" if why_not else "operations"
            self._reason = why_not
            every = why_not is None
            recorder = Recorder(operations=every, modules=every, gradients=every, optimizers=False)
            recorder.on_outermost = self._on_outermost if every else None
            if not every:
                recorder.blind[NO_ACTIVATIONS] += 1
            recorder.install()
            self._recorder = recorder
            self._optimizer = weakref.ref(optimizer)
            self._began = time.monotonic()
            self._state = "recording"
        with torch_api.view_quiet_class()():
            recorder.look_at(optimizer)
        self._since = recorder.ledger.position()

    def _obstacle(self) -> str | None:
        if torch_api.view_compile_in_use():
            return "torch.compile is in use; watching every operation would switch it off"
        depth = torch_api.view_mode_depth()
        if depth is None:
            return "this torch does not tell whether another dispatch mode is active"
        if depth:
            return "another dispatch mode is active around the optimizer's step"
        reader = torch_api.view_graph_task_reader()
        if reader is not None and reader() != -1:
            return "the optimizer steps inside the backward"
        return None

    def _on_outermost(self, module: Any) -> None:
        """Before each outermost forward of the window: nothing may be compiled under our mode, and the
        account stays bounded."""
        if torch_api.view_compile_in_use():
            self._close("done", "torch.compile came into use inside the window, which was closed for it")
        elif self._recorder.ledger.position() > MAX_EVENTS:
            self._close("done", f"closed after {MAX_EVENTS} events, the most that are kept")

    def _count(self, optimizer: Any) -> None:
        if self._optimizer is not None and self._optimizer() is optimizer:
            self._covered += 1
            self._marks.append(self._recorder.ledger.position())
            if self._covered >= self._wanted:
                self._close("done", self._reason)
        else:
            self._others += 1
            if self._others >= MAX_STEPS_OF_OTHERS * self._wanted:
                self._close(
                    "done", "closed after many steps of other optimizers; the first one did not step again"
                )

    # ---- the end

    def _close(self, state: str, reason: str | None) -> None:
        """Ends the window: hooks and mode go, the result is made, the account is let go."""
        with self._lock:
            if self._state != "recording":
                return
            self._seconds = time.monotonic() - self._began
            self._state, self._reason = state, reason
        self._recorder.uninstall()
        try:
            self._result = self._make()
            self._recorder.ledger.events = []
        finally:
            self._tidy()
        if self._on_done is not None:
            self._on_done(self._result)

    def _tidy(self) -> None:
        """Takes out what can be taken out from inside a post-step hook; called again at each later step until
        all is gone."""
        for handle in self._before:
            handle.remove()
        self._before = []
        if self._after and torch_api.view_last_post_hook() == self._after[-1].id and self._left():
            for handle in self._after:
                handle.remove()
            self._after = []

    def _left(self) -> bool:
        return self._recorder is None or self._recorder.leave_mode()

    def _fail(self, error: BaseException) -> None:
        """A fault of ours: the recording ends, the program goes on. What a signal handler of the program raised is
        the program's."""
        if handlers.from_handler(error):
            raise error
        try:
            unsupported = isinstance(error, Unsupported)
            self._state = "unsupported" if unsupported else "failed"
            self._reason = (
                str(error) if unsupported else f"a fault of the timeline's own ({type(error).__name__})"
            )
            if self._recorder is not None:
                self._recorder.uninstall()
            self._tidy()
        except Exception:
            pass  # nothing more can be done without harm

    def stop(self) -> None:
        """Takes every hook out, from outside of an optimizer's step. Safe to call twice, and in any state."""
        if self._state == "recording":
            self._close("stopped", self._reason or "the program ended inside the window")
        elif self._state == "waiting":
            self._state = "stopped"
            self._reason = "no optimizer step was seen"
        for handle in self._before + self._after:
            handle.remove()
        self._before, self._after = [], []
        self._left()

    def forget(self) -> None:
        """In a forked child: the parent's recording must cost nothing here."""
        if self._recorder is not None:
            self._recorder.retired = True
        self._state = "stopped"

    # ---- the result

    def result(self) -> dict[str, Any]:
        """The account, bounded; see `_make`. Before the window closed: what there is so far."""
        return self._result if self._result is not None else self._make()

    summary = result

    def _make(self) -> dict[str, Any]:
        """{state, reason, mode, steps, steps_wanted, seconds, operations, events, devices, devices_dropped,
        blind, faults}"""
        recorder = self._recorder
        out: dict[str, Any] = {
            "state": self._state,
            "reason": self._reason,
            "mode": self._mode,
            "steps": self._covered,
            "steps_wanted": self._wanted,
            "seconds": round(self._seconds, 3),
            "operations": recorder.calls if recorder else 0,
            "events": recorder.ledger.position() if recorder else 0,
            "devices": [],
            "devices_dropped": 0,
            "blind": [],
            "faults": list(recorder.faults) if recorder else [],
        }
        if recorder is None:
            return out
        out["blind"] = [{"what": what, "count": n} for what, n in sorted(recorder.blind.items())]
        window = recorder.ledger.window(self._since)
        devices = sorted({str(row.device) for row in window.rows}, key=lambda name: (name == "cpu", name))
        out["devices"] = [device_account(window, name, self._marks) for name in devices[:MAX_DEVICES]]
        out["devices_dropped"] = max(0, len(devices) - MAX_DEVICES)
        return out


Moment = tuple[int, int, str, dict[str, int]]
"""(bytes, step from 1, phase, bytes by category)"""


def device_account(window: Window, name: str, marks: list[int]) -> dict[str, Any]:
    """One device: {device, peak: {bytes, step, phase, by_category}, categories, reasons, points}. Pure.

    `marks`: position of the ledger at the end of each step. Bytes are those of storages, not of the
    allocator's blocks.
    categories: {category: {count, bytes}} of storages that lived in the window. points: at most MAX_POINTS,
    in order, each the fullest moment of its share of the events."""
    moves = [(at, *move) for at, move in zip(window.positions, window.moves) if str(move[1].device) == name]
    live: Counter[str] = Counter()
    for row, nbytes in window.baseline:
        if str(row.device) == name:
            live[row.category.value] += nbytes
    total, phase, step = sum(live.values()), "", 1
    boundaries = iter([*marks, sys.maxsize])
    boundary = next(boundaries)
    share = max(1, -(-len(moves) // (MAX_POINTS - 1)))
    best: Moment | None = (total, step, phase, dict(live))
    moments: list[Moment] = []
    for index, (at, kind, row, delta) in enumerate(moves):
        while at >= boundary:
            boundary = next(boundaries)
            step += 1
        total += delta
        live[row.category.value] += delta
        phase = phase if kind in (FREE, SEEN) else row.phase
        if best is None or total > best[0]:
            best = (total, step, phase, dict(live))
        if (index + 1) % share == 0:
            moments.append(best)
            best = None
    if best is not None:
        moments.append(best)
    top = max(moments, key=lambda moment: moment[0])
    counts: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    reasons: Counter[tuple[str, str]] = Counter()
    reason_bytes: Counter[tuple[str, str]] = Counter()
    for row, nbytes in window.rows.items():
        if str(row.device) == name:
            counts[row.category.value] += 1
            sizes[row.category.value] += nbytes
            reasons[row.category.value, row.reason.label] += 1
            reason_bytes[row.category.value, row.reason.label] += nbytes
    return {
        "device": name,
        "peak": _point(top),
        "categories": {c: {"count": counts[c], "bytes": sizes[c]} for c in sorted(counts)},
        "reasons": [
            {"category": c, "reason": r, "count": reasons[c, r], "bytes": reason_bytes[c, r]}
            for c, r in sorted(reasons)
        ],
        "points": [_point(moment) for moment in moments],
    }


def _point(moment: Moment) -> dict[str, Any]:
    total, step, phase, parts = moment
    return {
        "bytes": total,
        "step": step,
        "phase": phase,
        "by_category": {k: parts[k] for k in sorted(parts) if parts[k]},
    }


_living: weakref.WeakSet[Timeline] = weakref.WeakSet()
_registered: list[bool] = []


def _forget_in_children(timeline: Timeline) -> None:
    _living.add(timeline)
    if not _registered and hasattr(os, "register_at_fork"):
        _registered.append(True)
        os.register_at_fork(after_in_child=lambda: [one.forget() for one in list(_living)])
