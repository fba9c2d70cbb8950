"""Runs measurements in forked children: one import of torch, a fresh process for each, at most one child for
each core.

The parent must fork before any pool of threads exists in it, so it imports, and computes nothing. A child
that raises, is killed or takes too long is a result like any other: {"failed": "crashed" | "removed" |
"unsupported" | "scenario" | "timeout", "reason": one line}."""

from __future__ import annotations

import gc
import json
import os
import selectors
import signal
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple


class Job(NamedTuple):
    key: Any
    run: Callable[[], Any]


class _Child(NamedTuple):
    key: Any
    pid: int
    deadline: float
    data: bytearray


_watched: list[int] = []  # descriptors that close when our caller has exited


def end_with_caller(descriptor: int, seconds: float) -> None:
    """For a check that another program started: all of it ends when `descriptor` does (the caller is gone),
    or after `seconds`. It becomes a process group, so that what a scenario starts goes with it."""
    if os.getpgrp() != os.getpid():
        os.setpgid(0, 0)
    _watched.append(descriptor)
    signal.signal(signal.SIGALRM, lambda *_: _end())
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _end() -> None:
    os.killpg(0, signal.SIGKILL)


def cores() -> int:
    try:
        return max(1, len(os.sched_getaffinity(0)))
    except (AttributeError, OSError):
        return os.cpu_count() or 1


def failed(kind: str, reason: str) -> dict[str, str]:
    return {"failed": kind, "reason": " ".join(reason.split())[:300]}


def outcome(run: Callable[[], Any]) -> Any:
    """What `run` returns, or the failure that it raised."""
    try:
        return run()
    except BaseException as error:
        kind = getattr(type(error), "kind", None)  # our own exceptions name the kind of failure they are
        return failed(kind or "crashed", str(error) if kind else f"{type(error).__name__}: {error}")


def _child(run: Callable[[], Any], end: int) -> None:
    """The child's whole life. Never returns: os._exit runs no handler of the parent's."""
    try:
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)
        os.dup2(null, 1)  # what a scenario prints must not get into the check's own output
        os.dup2(null, 2)
        for number in (signal.SIGTERM, signal.SIGALRM):
            signal.signal(number, signal.SIG_DFL)
        gc.enable()
        data = json.dumps(outcome(run)).encode()
        while data:
            data = data[os.write(end, data) :]
    finally:
        os._exit(0)


def run_all(jobs: list[Job], *, at_once: int | None = None, timeout_s: float = 120.0) -> dict[Any, Any]:
    """key of each job -> what it returned (JSON values), or {"failed", "reason"}. Begun in the order
    given."""
    at_once = at_once or cores()
    # What the parent holds is never traversed in a child: else each collection there copies all of its pages.
    gc.freeze()
    waiting, results = list(reversed(jobs)), {}
    running: dict[int, _Child] = {}
    selector = selectors.DefaultSelector()
    for descriptor in _watched:
        selector.register(descriptor, selectors.EVENT_READ)
    try:
        while waiting or running:
            while waiting and len(running) < at_once:
                job = waiting.pop()
                read, write = os.pipe()
                sys.stdout.flush()
                sys.stderr.flush()
                pid = os.fork()
                if pid == 0:
                    os.close(read)
                    _child(job.run, write)
                os.close(write)
                running[read] = _Child(job.key, pid, time.monotonic() + timeout_s, bytearray())
                selector.register(read, selectors.EVENT_READ)
            nearest = min(child.deadline for child in running.values()) - time.monotonic()
            for event, _ in selector.select(max(0.0, nearest)):
                end = event.fd
                chunk = os.read(end, 1 << 20)
                if end in _watched:
                    if not chunk:
                        _end()
                elif chunk:
                    running[end].data.extend(chunk)
                else:
                    results[running[end].key] = _finish(running[end], None)
                    _drop(selector, running, end)
            for end in [e for e, child in running.items() if child.deadline <= time.monotonic()]:
                os.kill(running[end].pid, signal.SIGKILL)
                results[running[end].key] = _finish(running[end], f"took longer than {timeout_s:g} s")
                _drop(selector, running, end)
    finally:
        for end, child in list(running.items()):  # only when we ourselves are interrupted
            os.kill(child.pid, signal.SIGKILL)
            os.waitpid(child.pid, 0)
            _drop(selector, running, end)
        selector.close()
    return results


def _drop(selector: Any, running: dict[int, _Child], end: int) -> None:
    selector.unregister(end)
    os.close(end)
    del running[end]


def _finish(child: _Child, late: str | None) -> Any:
    _, status = os.waitpid(child.pid, 0)
    if late is not None:
        return failed("timeout", late)
    if os.WIFSIGNALED(status):
        return failed("crashed", f"the process died by signal {os.WTERMSIG(status)}")
    try:
        return json.loads(child.data.decode())
    except ValueError:
        return failed("crashed", "the process ended without a result")
