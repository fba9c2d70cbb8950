"""What both looks look at: where the threads stand, the program's live objects, the allocator's blocks.

Made once for an out-of-memory or an exit, and shared: one pass over the live objects, one question to the allocator. It
keeps all of that alive; `drop` it with the look.
"""

import gc
import threading

from .. import torch_api
from .frames import all_stacks, at_work, begins_in_python, outermost_arguments
from .graph import backward_state
from .names import entries
from .objects import MODULE, Found, Kinds, field, live_objects
from .reader import Reader


class Scene:
    """thread: who waits for the look, and task: its torch_api.backward_task."""

    def __init__(self, torch, thread=None, task=None):
        thread = threading.get_ident() if thread is None else thread
        self.torch, self.task = torch, task
        self.api = torch_api.CensusApi(torch)
        self.kinds = Kinds(self.api)
        self.reader = Reader(self.api, self.kinds, self.blocks)
        self.found = Found()
        self.everything = None  # every live object, once it was asked for
        self._listed = None
        self._segments = None
        self._blocks = None
        stacks = all_stacks()
        # Where another thread runs PyTorch code, so that there must be no look; or None.
        self.elsewhere = at_work(self.api, stacks, thread)
        self.state, self.device = backward_state(self.api, stacks, thread, begins_in_python, task)
        # Frames of each thread, the innermost first; the thread that waits for us comes first. None of ours is among them.
        self.stacks = [stack for one, stack in sorted(stacks, key=lambda each: each[0] != thread)]
        # (module, args, kwargs) of the calls on the stacks.
        self.calls = [] if self.elsewhere else outermost_arguments(self.api, stacks)

    def modules_on_stacks(self):
        """Files the modules that are being called, and what they hold: whatever a pass over all objects gets to."""
        todo = [call[0] for call in self.calls if self.kinds.of(call[0]) == MODULE]
        while todo:
            module = todo.pop()
            if self.found.take(self.kinds, module):
                children = [child for _, child in entries(field(self.kinds, module, torch_api.MODULES))]
                todo += [child for child in children if self.kinds.of(child) == MODULE]

    def objects(self, clock, max_objects, share=1.0):
        """Files every live object, the youngest generation first. Goes on where it was cut short before. Raises
        OutOfTime."""
        if self.everything is None:
            self.everything = gc.get_objects()
        live_objects(self.kinds, self.found, self.everything, clock, max_objects, share)

    def lists_it(self, obj):
        """Whether `everything` refers to an object."""
        if self.everything is None:
            return False
        if self._listed is None:
            self._listed = set(map(id, self.everything))
        return id(obj) in self._listed

    def lists(self):
        """Lists of ours that refer to the program's objects, beside `everything`."""
        return [
            *(each for each in vars(self.found).values() if type(each) is list),
            self.kinds.keep,
            *self.stacks,
        ]

    def segments(self):
        """(the allocator's segments, None), or (None, why not)."""
        if self._segments is None:
            try:
                self._segments = torch_api.segments_without_traces()
            except Exception as error:
                self._segments = None, type(error).__name__
        return self._segments

    @property
    def asked(self):
        """Whether the allocator was asked for its blocks already: that takes its time."""
        return self._segments is not None

    def blocks(self):
        """{device index: {address: bytes asked for}} of the live blocks; {} where the allocator cannot be asked."""
        if self._blocks is None:
            self._blocks = {}
            for segment in self.segments()[0] or ():
                of_device = self._blocks.setdefault(segment["device"], {})
                address = segment["address"]
                for block in segment["blocks"]:
                    if block["state"] == "active_allocated":
                        of_device[block.get("address", address)] = block.get("requested_size", block["size"])
                    address += block["size"]
        return self._blocks

    def drop(self):
        """Lets go of everything: the reader holds a method of ours, so this would be a cycle."""
        self.__dict__.clear()
