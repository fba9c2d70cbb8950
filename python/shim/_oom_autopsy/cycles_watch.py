"""The watch for reference cycles that keep GPU memory, in the program's own process.

Two modes. `sampled` adds one gc callback that reads how much memory is allocated before and after each full collection
that Python does anyway. Memory that falls there was held by cycles alone; only after such a proof is the next full
collection preceded by a look at what it is about to free, and only within BUDGET of the time that has passed.
`continuous` is torch's own observer, a full collection at every gc event, for people who want exactly that.
In both modes there is a look at each out-of-memory and one at exit.

A look of ours reads reference counts and changes nothing (cycles_graph.py). Forcing a collection instead would be simpler,
and would change the program: its finalizers would run earlier, and a retry after an out-of-memory would find memory that
it would not have had.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
from typing import Callable

from . import collector, cycles_callback, cycles_page, cycles_rows, faults, handlers, torch_api
from . import cycles_graph as graph
from .census_objects import Clock, OutOfTime
from .cycles_memory import Memory
from .store import Store

# Looks at collections, and the readings around them, may take this share of the time since the watch began.
BUDGET = 0.01
# The longest that one look may take, in seconds of processor time of its thread: about 2,700,000 live objects on an idle
# machine, more than are looked at. torch alone brings 300,000, and a shared machine was seen to take a second for those. On a busy machine the same look
# may take up to WALL times as long; by wall time alone it was cut at a fourth of 300,000 objects.
LOOK_S = 3.0
WALL = 2.0
# At an out-of-memory a look is taken these many times, whatever the budget; then only where the budget has room.
FREE_OOM_LOOKS = 3
# What a look takes, in units of the full collection before it: 6 with 270,000 live objects. Until one was measured.
_LOOK_PER_COLLECTION = 8.0

_PAGE_SUFFIX = ".cycles.html"


class Watch:
    """What `start` returns. Every method is safe to call at any time, from any thread, and in a forked child."""

    def __init__(
        self,
        mode: str,
        *,
        evidence_dir: str,
        page_name: str,
        on_change: Callable[[], None] | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.mode = mode
        self.state = "watching"
        self.reason: str | None = None
        self._evidence_dir, self._page_name, self._on_change = evidence_dir, page_name, on_change
        self._clock = clock
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._stopped = False
        self._remove: Callable[[], None] = _nothing
        self._account = cycles_rows.Account()
        self._pictures: dict[str, graph.Picture] = {}
        self._page: str | None = None
        self._looks = 0
        self._oom_looks = 0
        self._seconds = 0.0
        self._began = clock()
        self._note: str | None = None
        self._no_frames: str | None = None
        # Cycles that an earlier look counted and no full collection has freed since.
        self._counted: set[int] = set()

    # --- the doors ---------------------------------------------------------------------------------------------------

    def look(self, reason: str) -> dict:
        """Look now, in at most LOOK_S; frees nothing. reason: `oom` or `exit`. Cycles JSON of this look alone."""
        if not self._active():
            return self._json(cycles_rows.Account(), 0, 0.0, self.reason)
        try:
            if reason == "oom":
                self._oom_looks += 1
                if self._oom_looks > FREE_OOM_LOOKS and not self._room_for(LOOK_S):
                    return self._json(
                        cycles_rows.Account(),
                        0,
                        0.0,
                        "not looked: the looks at earlier out-of-memory "
                        "errors have used the time there is for them",
                    )
            return self._undisturbed(reason)
        except Exception as error:
            handlers.pass_on(error)
            self._fail(error)
            return self._json(cycles_rows.Account(), 0, 0.0, self.reason)

    def summary(self) -> dict:
        """Cycles JSON of this process so far."""
        with_notes = (
            self.reason or "; ".join(filter(None, (self._note, self._no_frames, self._hint()))) or None
        )
        return self._json(self._account, self._looks, self._seconds, with_notes, self._page, self._pictures)

    def stop(self) -> None:
        """Everything as it was. Idempotent; raises nothing; what was seen stays in `summary`."""
        if self._stopped or self._pid != os.getpid():
            return
        self._stopped = True
        self.detach()

    def detach(self) -> None:
        """Take the watch out of the collector, in a forked child too."""
        self._stopped = True
        remove, self._remove = self._remove, _nothing
        try:
            remove()
        except Exception as error:
            self._fail(error)

    def nothing(self, reason: str) -> Watch:
        """Makes this a watch that has nothing to do."""
        self.state, self.reason = "nothing-to-watch", reason
        return self

    # --- one look ----------------------------------------------------------------------------------------------------

    def _active(self) -> bool:
        return not self._stopped and self.state == "watching" and self._pid == os.getpid()

    def _undisturbed(self, reason: str, saved: list | None = None) -> dict:
        """A look that starts no collection by what it allocates: the program's finalizers would run in the middle of its
        out-of-memory, on a thread of ours."""
        collecting = collector.hold()
        try:
            return self._look(reason, saved)
        finally:
            collector.let_go(collecting)

    def _look(self, reason: str, saved: list | None = None) -> dict:
        """Counts the cycles among unreachable objects; writes the page when one is new. saved: see cycles_graph.unreachable."""
        if not self._lock.acquire(False):
            return self._json(cycles_rows.Account(), 0, 0.0, "not looked: another look was under way")
        began = self._clock()
        try:
            cycles, note, complete = self._cycles(saved)
            frames = self._frames(cycles)
            seen, new = cycles_rows.Account(), False
            before = self._counted
            self._counted = {cycle.instance for cycle in cycles} | (set() if complete else before)
            for cycle in cycles:
                seen.add(cycle, frames)
                if cycle.instance not in before:
                    new = self._account.add(cycle, frames) or new
                if cycle.picture is not None and cycle.shape in self._account.rows:
                    self._pictures[cycle.shape] = cycle.picture
            self._looks += 1
            self._note = note or self._note
            if new or (reason == "exit" and self._account.rows):
                self._write_page()
            took = self._clock() - began
            self._seconds += took
            result = self._json(seen, 1, took, note)
        finally:
            self._lock.release()
        if new and self._on_change is not None:
            self._on_change()
        return result

    def _cycles(self, saved: list | None) -> tuple[list, str | None, bool]:
        """(cycles that hold GPU memory, a remark on how far that is all, whether it is). Keeps no object of the user's."""
        clock = Clock(LOOK_S, time.thread_time, wall_s=WALL * LOOK_S)
        memory = Memory(clock)
        if memory.elsewhere is not None:
            return [], f"not looked: another thread runs PyTorch code ({memory.elsewhere})", False
        try:
            if saved is not None and not memory.concerns(saved):
                return [], None, True
            garbage = graph.unreachable(clock, memory.is_owned, saved)
            objects = garbage.objects + graph.referred(garbage, clock)
            cycles = graph.holding(objects, memory.held(objects, garbage.owned), set(self._pictures), clock)
            return cycles, memory.note, True
        except OutOfTime as error:
            return [], f"a look was cut short: {error}", False

    def _frames(self, cycles: list) -> dict:
        addresses = {storage.address for cycle in cycles for storage in cycle.storages}
        if not addresses:
            return {}
        try:
            frames, self._no_frames = torch_api.cycles_frames(addresses)
            return frames
        except Exception as error:
            handlers.pass_on(error)
            self._no_frames = f"where tensors were allocated is not known: {type(error).__name__}"
            return {}

    def _write_page(self) -> None:
        title = (
            self._page_name[: -len(_PAGE_SUFFIX)]
            if self._page_name.endswith(_PAGE_SUFFIX)
            else self._page_name
        )
        try:
            page = cycles_page.render(
                self._json(self._account, self._looks, 0.0, None), self._pictures, title
            )
            Store(self._evidence_dir).write(self._page_name, page.encode())
            self._page = self._page_name
        except OSError as error:
            handlers.pass_on(error)
            faults.report(
                "cycles", f"the page about reference cycles was not written: {faults.describe(error)}"
            )

    def _json(
        self,
        account: cycles_rows.Account,
        looks: int,
        seconds: float,
        reason: str | None,
        page: str | None = None,
        pictures: dict[str, graph.Picture] | None = None,
    ) -> dict:
        return {
            "mode": self.mode,
            "state": self.state,
            "reason": reason,
            "looks": looks,
            "seconds": round(seconds, 6),
            **account.as_json(pictures),
            "page": page,
        }

    def _room_for(self, seconds: float) -> bool:
        return self._seconds + seconds <= BUDGET * (self._clock() - self._began)

    def _hint(self) -> str | None:
        return None

    def _fail(self, error: BaseException) -> None:
        """Once something of ours broke, the watch is over: what broke once breaks at each collection."""
        if self.state == "watching":
            self.state, self.reason = "failed", f"the watch stopped itself: {faults.describe(error)}"
            faults.report(
                "cycles", f"the watch for reference cycles stopped itself: {faults.describe(error)}"
            )


class Sampled(Watch):
    """Looks at full collections that Python does anyway, after one has proved that there is something to see."""

    def install(self) -> None:
        """Adds the gc callback."""
        self._devices = sys.modules["torch"].cuda.device_count()
        self._before: list | None = None
        self._collecting_since = 0.0
        self._collection_s = 0.0
        self._look_s: float | None = None
        self._proved = False
        self._freed = 0
        self._remove = cycles_callback.install(self._on_gc, self._fail, _oldest_generation())

    def _on_gc(self, phase: str) -> None:
        if self._active():
            if phase == "start":
                self._starts()
            else:
                self._stops()

    def _starts(self) -> None:
        self._before = None
        began = self._clock()
        if self._proved:
            expected = self._look_s if self._look_s is not None else self._collection_s * _LOOK_PER_COLLECTION
            if expected <= LOOK_S and self._room_for(expected):
                self._proved = False
                self._look("collection")
                began = self._note_look(began)
        if self._room_for(0.0):
            self._before = torch_api.cycles_allocated(self._devices)
        self._collecting_since = self._clock()
        self._seconds += self._collecting_since - began

    def _note_look(self, began: float) -> float:
        now = self._clock()
        self._look_s = now - began
        return now

    def _stops(self) -> None:
        now = self._clock()
        self._collection_s = now - self._collecting_since
        self._counted.clear()
        if self._before is None:
            return
        before, self._before = self._before, None
        freed = sum(max(0, a - b) for a, b in zip(before, torch_api.cycles_allocated(self._devices)))
        if freed:
            self._proved = True
            self._freed += freed
        self._seconds += self._clock() - now

    def _hint(self) -> str | None:
        if not self._freed or self._account.rows:
            return None
        return (
            f"full collections lowered the allocated memory by {cycles_page.size(self._freed)}, but a look at one was "
            f"never affordable within {BUDGET:.0%} of the time; use cycles-watch: continuous to see those cycles"
        )


class Continuous(Watch):
    """torch's own observer, with an observer of ours in it that prints no value."""

    def install(self, restore_recorder: Callable[[], None] | None) -> None:
        """Adds torch's gc callback. The user's debug flags and gc.garbage, which torch overwrites, are put back at the end."""
        self._debug = gc.get_debug()
        self._theirs = list(gc.garbage)
        before = set(map(id, gc.callbacks))
        if torch_api.cycles_has_observer("observe_garbage"):
            torchs = torch_api.cycles_observe_garbage(self._on_garbage)
        else:
            try:
                torchs = torch_api.cycles_observe_tensor_cycles(lambda page: self._on_garbage(gc.garbage))
            finally:
                if restore_recorder is not None:
                    restore_recorder()

        added = [c for c in gc.callbacks if id(c) not in before]

        def remove() -> None:
            # torch takes out what is equal to its callback, which another's callback may say it is.
            others = [c for c in gc.callbacks if not any(c is ours for ours in added)]
            try:
                torchs()
            except ValueError:
                pass  # the program took it out itself
            gc.callbacks[:] = others
            # torch does its work in a profile function, at the next call or two after a collection. Let one that waits run.
            for _ in range(3):
                _nothing()
            present = set(map(id, gc.garbage))
            gc.garbage[:0] = [o for o in self._theirs if id(o) not in present]
            gc.set_debug(self._debug)

        self._remove = remove

    def _on_garbage(self, garbage: list) -> None:
        if not self._active():
            return
        try:
            self._counted.clear()
            if garbage:
                self._undisturbed("collection", garbage)
        except Exception as error:
            self._fail(error)


def _oldest_generation() -> int:
    """The generation whose automatic collections free old cycles. A collector that is incremental (Python 3.14.0 to .4)
    never does generation 2 on its own, and says so by a third threshold of 0: then a slice of the old is what there is."""
    return 1 if sys.version_info >= (3, 14) and gc.get_threshold()[2] == 0 else 2


def _nothing() -> None:
    pass
