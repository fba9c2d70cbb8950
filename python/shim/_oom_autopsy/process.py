"""This process's state: its token, its receipt and what the shim has done in it.

A forked child inherits the object but not the identity: `mine()` is None there, so that nothing of the
parent's is written, until the child's own CUDA initialisation calls `adopt()`, which makes a state with a
token, a receipt and locks of its own.
"""

import os
import sys
import threading
import time

from . import facts, faults, identity, receipt, torch_api
from .signals import handlers
from .store import Store


class Process:
    """One process incarnation. `lock` guards the receipt; it is re-entrant since a signal handler of the
    program may run out of memory while the main thread is in here."""

    def __init__(self, config, torch_facts, reason):
        now = time.time()
        self.pid = os.getpid()
        self.token = os.urandom(4).hex()
        self.config = config
        self.torch_facts = torch_facts
        self.unrecordable = reason
        self.host = facts.host()
        self.store = Store(config.evidence)
        self.lock = threading.RLock()
        self.cuda_seen = False  # the program has initialised CUDA here
        self.armed = False  # the recorder is ours to stop
        self.observing = False
        self.settings = torch_facts["alloc_conf"] or ""  # the allocator's, as last seen
        self.expandable = torch_api.expandable_in(self.settings) or False
        self.finished = False
        self.saved = False  # the receipt has its name
        self.saving = None  # ident of the thread that writes the receipt
        self.save_wanted = False
        self.seq = 0
        self.busy = set()  # idents of threads doing our work
        self.dumps = []  # running dumps
        self.events = []  # out-of-memories that are being looked at
        self.suites = None  # the module, where a test runner is at work
        self.tests = []  # (row of an out-of-memory, who knows what became of its test)
        self.ways = {}  # seq of an out-of-memory -> handled.Way
        self.looked = 0  # out-of-memories at which the program's objects were looked at
        self.look_seconds = 0.0  # of processor time
        self.cuda_since = 0.0  # by time.monotonic()
        self.dump_stuck = False
        self.dump_seconds = 0.0
        self.last_dump = None  # (end by time.monotonic(), seconds)
        self.peaks = {}  # device index -> (allocated, reserved): bytes, before the program reset the peak
        self.watch = None  # cycles.Watch
        self.timeline = None  # timeline.Timeline
        self.census = None  # the module, where a census is wanted
        self.receipt = receipt.new(
            step=config.step,
            host=self.host,
            pid=self.pid,
            ppid=os.getppid(),
            token=self.token,
            start_ticks=facts.start_ticks(),
            python=".".join(map(str, sys.version_info[:3])),
            executable=sys.executable or None,
            program=facts.program(),
            **facts.job_step(),
            rank=identity.ranks(),
            identity=identity.identity(),
            time={"started": now, "updated": now},
            torch=dict(torch_facts),
            recorder=receipt.recorder(config.max_entries, config.stacks),
        )
        if reason:
            self.receipt["recorder"].update(state="unsupported", reason=reason)

    @property
    def recorder(self):
        """The receipt's account of the recorder."""
        return self.receipt["recorder"]

    def next_seq(self):
        """A number for the next event of this process, from 1."""
        with self.lock:
            self.seq += 1
            return self.seq

    def snapshot_name(self, seq, reason):
        """File name of a snapshot of this process."""
        who = identity.in_names(self.receipt["identity"])
        return f"{self.host}-{who}-{self.pid}-{self.token}-{seq}-{reason}.pickle"

    def identify(self):
        """Once more, at CUDA's initialisation: Ray and others tell a process its rank after it imported torch."""
        self.receipt.update(rank=identity.ranks(), identity=identity.identity())

    def fault(self, kind, text):
        """A fault of ours: one line on stderr per kind, and a row in the receipt."""
        faults.report(kind, text, self.receipt["faults"])

    def save(self):
        """Puts the receipt on disk as it is now. A call from within (a signal handler, a gc callback) is
        made up for."""
        with self.lock:
            self.save_wanted = True
            if self.saving is not None:
                return
            self.saving = threading.get_ident()
            try:
                while self.save_wanted:
                    self.save_wanted = False
                    self._save()
            finally:
                self.saving = None

    def _save(self):
        self.receipt["time"]["updated"] = time.time()
        for _ in range(5):
            name = f"{self.host}-{self.pid}-{self.token}.receipt.json"
            try:
                self.store.write(name, receipt.encode(self.receipt), new=not self.saved)
                self.saved = True
                return
            except FileExistsError:  # somebody has this token: 1 in 4 billion
                self.token = self.receipt["token"] = os.urandom(4).hex()
            except Exception as error:
                if handlers.from_handler(error):
                    raise
                self.fault("receipt", f"the receipt cannot be written: {faults.describe(error)}")
                return


_current = None


def mine():
    """The state of this very process, or None."""
    return _current if _current is not None and _current.pid == os.getpid() else None


def adopt():
    """The state of this very process, made anew in a child that has inherited its parent's. None before
    `become`."""
    global _current
    if _current is not None and _current.pid != os.getpid():
        _current = Process(_current.config, _current.torch_facts, _current.unrecordable)
        _current.save()
    return _current


def become(config, torch_facts, reason):
    """Makes the state of this process; `reason` says why its torch cannot be recorded, or is None."""
    global _current
    _current = Process(config, torch_facts, reason)
    return _current
