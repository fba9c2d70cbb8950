"""The watch for reference cycles that keep GPU memory, in the program's own process.

Two modes. `sampled` has a pending call made now and then, after a collection of the young (trigger.py). Once full
collections have freed cycles, it looks for such that hold GPU memory, within BUDGET of the time that has passed, and less
often the more often it found nothing. `continuous` is torch's own observer, a full collection at every gc event, for
people who want exactly that. In both modes there is a look at each out-of-memory and one at exit.

A look of ours reads reference counts and changes nothing (rings.py). Forcing a collection instead would be simpler,
and would change the program: its finalizers would run earlier, and a retry after an out-of-memory would find memory that
it would not have had.
"""

from __future__ import annotations

import _thread
import gc
import os
import sys
import threading
import time
from typing import Callable

from .. import faults, process, torch_api
from ..heap import apart, collector
from ..heap.objects import WALL_S, Clock, OutOfTime
from ..heap.scene import Scene
from . import rings as graph
from . import rows, trigger
from .memory import Memory
from .search import Search

# Looks at the program's own time may take this share of the time since the watch began.
BUDGET = 0.01
# The longest that one look may take, in seconds of processor time of its thread: about 1,500,000 live objects.
LOOK_S = 3.0
# What a look takes, until one was measured.
EXPECTED_S = 0.3
# Seconds between two looks of `sampled`; doubled by each that finds nothing.
PAUSE_S = 10.0
MAX_OBJECTS = 2_000_000


class Watch:
    """What `start` returns. Every method is safe to call at any time, from any thread, and in a forked child."""

    def __init__(
        self,
        mode: str,
        *,
        on_change: Callable[[], None] | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.mode = mode
        self.state = "watching"
        self.reason: str | None = None
        self._on_change = on_change
        self._clock = clock
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._stopped = False
        self._remove: Callable[[], None] = _nothing
        self._account = rows.Account()
        self._pictures: dict[str, graph.Picture] = {}
        self._looks = 0
        self._seconds = 0.0
        self._spent = 0.0  # of processor time
        self._look_s = EXPECTED_S  # what the last one took of it
        self._full = -1  # full collections at the last look
        self._began = clock()
        self._note: str | None = None
        self._no_frames: str | None = None
        # Cycles that an earlier look counted and no full collection has freed since.
        self._counted: set[int] = set()

    # --- the doors ---------------------------------------------------------------------------------------------------

    def look(
        self,
        see: Callable[[], Scene] | None = None,
        ended: Callable[[], str | None] | None = None,
    ) -> dict:
        """Look now, in at most LOOK_S; frees nothing. Cycles JSON of this look alone. see() gives
        what is looked at, where another look shares it. ended() says why nobody waits for it any more, or None."""
        if not self._active():
            return self._nothing(self.reason)
        if see is None:
            return self._apart()
        held = collector.hold()
        try:
            return self._look(see(), Clock(LOOK_S, ended=ended))
        except Exception as error:
            self._fail(error)
            return self._nothing(self.reason)
        finally:
            del held

    def not_looked(self, why: str) -> dict:
        """Cycles JSON in the place of a look that is not made."""
        return self._nothing(f"not looked: {why}")

    def summary(self) -> dict:
        """Cycles JSON of this process so far."""
        notes = self.reason or "; ".join(filter(None, (self._note, self._no_frames))) or None
        return self._json(self._account, self._looks, self._seconds, notes, self._pictures)

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

    def _apart(self, saved: list | None = None) -> dict:
        """A look on a thread of ours, while this one waits. Raises what a signal handler of the program raises."""
        results: list[dict] = []
        raised = apart.run(lambda: _Apart(self, saved, results), WALL_S, self._fail)
        if raised is not None:
            try:
                raise raised
            finally:
                del raised  # or its traceback would be a cycle
        return results[0] if results else self._nothing(self.reason)

    def _look(self, scene: Scene, clock: Clock, saved: list | None = None) -> dict:
        """Counts the cycles among unreachable objects. saved: see cycles_graph.unreachable."""
        if not self._lock.acquire(False):
            return self._nothing("not looked: another look was under way")
        try:
            cycles, note, complete = self._cycles(scene, clock, saved)
            frames = self._frames(cycles, scene)
            seen, new = rows.Account(), False
            full = gc.get_stats()[_oldest_generation()]["collections"]
            before = self._counted if full == self._full else set()
            self._full = full
            self._counted = {cycle.instance for cycle in cycles} | (set() if complete else before)
            for cycle in cycles:
                seen.add(cycle, frames)
                if cycle.instance not in before:
                    new = self._account.add(cycle, frames) or new
                if cycle.picture is not None and cycle.shape in self._account.rows:
                    self._pictures[cycle.shape] = cycle.picture
            self._looks += 1
            self._note = note or self._note
            self._look_s = clock.elapsed()
            self._spent += self._look_s
            self._seconds += clock.seconds()
            result = self._json(seen, 1, clock.seconds(), note)
        finally:
            self._lock.release()
        if new and self._on_change is not None:
            self._on_change()
        return result

    def _cycles(self, scene: Scene, clock: Clock, saved: list | None) -> tuple[list, str | None, bool]:
        """(cycles that hold GPU memory, a remark on how far that is all, whether it is). Keeps no object of the user's."""
        if scene.elsewhere is not None:
            return [], f"not looked: another thread runs PyTorch code ({scene.elsewhere})", False
        memory = Memory(scene, clock)
        try:
            if saved is not None and not memory.concerns(saved):
                return [], None, True
            scene.objects(clock, MAX_OBJECTS)
            scene.kinds.forget()
            garbage = Search(memory, clock).garbage() if saved is None else None
            if garbage is None:
                garbage = graph.unreachable(clock, memory.is_owned, saved, scene.everything, scene.lists())
            objects = garbage.objects + graph.referred(garbage, clock)
            cycles = graph.holding(objects, memory.held(objects, garbage.owned), set(self._pictures), clock)
            return cycles, memory.note, True
        except OutOfTime as error:
            return [], f"a look was cut short: {error}", False

    def _frames(self, cycles: list, scene: Scene) -> dict:
        addresses = {storage.address for cycle in cycles for storage in cycle.storages}
        if not addresses:
            return {}
        try:
            frames, self._no_frames = torch_api.cycles_frames(addresses, *scene.segments())
            return frames
        except Exception as error:
            self._no_frames = f"where tensors were allocated is not known: {type(error).__name__}"
            return {}

    def _json(
        self,
        account: rows.Account,
        looks: int,
        seconds: float,
        reason: str | None,
        pictures: dict[str, graph.Picture] | None = None,
    ) -> dict:
        return {
            "mode": self.mode,
            "state": self.state,
            "reason": reason,
            "looks": looks,
            "seconds": round(seconds, 6),
            **account.as_json(pictures),
        }

    def _nothing(self, reason: str | None) -> dict:
        return self._json(rows.Account(), 0, 0.0, reason)

    def _room_for(self, seconds: float) -> bool:
        return self._spent + seconds <= BUDGET * (self._clock() - self._began)

    def _fail(self, error: BaseException) -> None:
        """Once something of ours broke, the watch is over: what broke once breaks at each collection."""
        if self.state == "watching":
            self.state, self.reason = "failed", f"the watch stopped itself: {faults.describe(error)}"
            faults.report(
                "cycles", f"the watch for reference cycles stopped itself: {faults.describe(error)}"
            )


class _Apart(apart.Look):
    def __init__(self, watch: Watch, saved: list | None, results: list[dict]) -> None:
        super().__init__()
        self.watch, self.saved, self.results = watch, saved, results

    def work(self) -> None:
        clock = Clock(LOOK_S, ended=self.why)
        self.results.append(self.watch._look(self.see(), clock, self.saved))

    def fault(self, error: BaseException) -> None:
        self.watch._fail(error)


class Sampled(Watch):
    """Looks now and then, after full collections of Python's own have freed cycles of whatever kind."""

    def install(self) -> None:
        """Adds the gc callback."""
        self._fulls, self._freed, self._young = _collections()
        self._half = 0.0
        self._proved = False
        self._next = self._clock()
        self._pause = PAUSE_S
        self._remove = trigger.install(self._now_and_then)

    def _now_and_then(self) -> None:
        """On the main thread, between two instructions of the program. Raises what a signal handler of its raises."""
        if not self._active() or not self._due() or self._clock() < self._next:
            return
        me = process.mine()
        if not self._room_for(self._look_s) or (me is not None and _thread.get_ident() in me.busy):
            return
        self._proved = False
        found = self._apart()["count"]
        self._pause = PAUSE_S if found else 2 * self._pause
        self._next = self._clock() + self._pause

    def _due(self) -> bool:
        """Whether full collections have freed cycles since the last look, and the next one is half way off, going by the
        last: right after one there is nothing to see. By collections, not by time, which the full ones take most of."""
        fulls, freed, young = _collections()
        more = fulls - self._fulls
        if more:
            self._proved = self._proved or freed > self._freed
            self._half = (young - self._young) / more / 2
            self._fulls, self._freed, self._young = fulls, freed, young
        return self._proved and (more > 1 or young - self._young >= self._half)


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
        self._counted.clear()
        if garbage:
            self._apart(garbage)


def _collections() -> tuple[int, int, int]:
    """(full collections, objects that these have freed, collections of the young) so far."""
    stats = gc.get_stats()
    full = stats.pop(_oldest_generation())
    return full["collections"], full["collected"], sum(each["collections"] for each in stats)


def _oldest_generation() -> int:
    """The generation whose automatic collections free old cycles. A collector that is incremental (Python 3.14.0 to .4)
    never does generation 2 on its own, and says so by a third threshold of 0: then a slice of the old is what there is."""
    return 1 if sys.version_info >= (3, 14) and gc.get_threshold()[2] == 0 else 2


def _nothing() -> None:
    pass
