"""Census, part 3: what the live autograd graph saved for backward, read without running anyone's unpack hook.

`_raw_saved_*` of a node gives SavedTensor objects; their `data` is the saved tensor, or, where a hook packed
it, what the hook returned. `_saved_*` without `raw` is never touched: it unpacks, and with checkpointing that
recomputed the forward pass inside the out-of-memory, which ran out again.

The engine's own threads run nodes without holding the interpreter's lock, and release what a node saved as
they go; a SavedTensor read at that moment would be a race in C++. So while a backward pass runs, only
nodes of the device whose thread waits for us are read (those run one after another, there), and none where
another thread waits.
"""

import itertools

from .. import torch_api
from .objects import NODE, TENSOR, WRAPPER, tensors_in, type_name

IDLE, OWN_DEVICE, ELSEWHERE = "idle", "own device", "elsewhere"


def backward_state(api, stacks, thread, begins_in_python, task):
    """(IDLE | OWN_DEVICE | ELSEWHERE, device index): is a backward pass running, and is `thread`, which waits for us,
    one of its device threads?

    stacks: [(thread id, frames)]; task: that thread's torch_api.backward_task. A thread that runs a part of a backward
    pass and begins in Python is the one that called it: it runs nodes of the CPU only, while the engine's threads, one
    per device, run the others.
    """
    if task is None:
        return ELSEWHERE, None
    number, node, device = task
    if number == -1:
        running = any(id(frame.f_code) in api.backward_codes for _, stack in stacks for frame in stack)
        return (ELSEWHERE if running else IDLE), None
    if any(one == thread and begins_in_python(one, stack) for one, stack in stacks):
        return ELSEWHERE, None
    devices = set() if node is None else node_devices(api, node)  # None inside a hook
    return OWN_DEVICE, devices.pop() if len(devices) == 1 else device


def node_devices(api, node):
    """The CUDA device indices whose engine thread runs this node; empty for a node of the CPU's thread."""
    slot = api.node_slot(type(node), torch_api.NODE_INPUTS)
    if slot is None:
        return set()
    return {entry.device.index for entry in slot(node) if entry.device.type == "cuda"}


class GraphWalk:
    """Walks from tensors' grad_fn over next_functions; hands each tensor that a node holds to `put(tensor,
    node name)`."""

    def __init__(self, api, kinds, put, put_leaf, state, device):
        self.api, self.kinds, self.put, self.put_leaf = api, kinds, put, put_leaf
        self.state, self.device = state, device
        self.nodes = []  # kept alive, so that an id stays theirs; while a node is visited it is the last
        # Of each node, in the same order: its name, its number in the order of making (None where it has none), and the ids of
        # those that it leads to.
        self.names, self.numbers, self.edges = [], [], []
        self.seen = set()
        self.many = {}  # id(slot) -> whether it gives several SavedTensors
        self.plans = {}  # id(node type) -> (raw slots, next slot, variable slot, number, name)
        self.hooked = 0  # saved tensors that a hook packed
        self.skipped = 0  # nodes not read, as they may run on another thread now
        self.unreadable = 0  # nodes and saved slots that could not be read
        self.released = 0  # slots that backward has released

    def run(self, roots, clock, max_nodes):
        """Walks everything reachable from the root nodes. Returns how it was cut, or None."""
        stack = []
        self._push(stack, [node for node in roots if node is not None])
        while stack:
            if len(self.nodes) >= max_nodes:
                return f"walked {max_nodes} autograd nodes, {len(stack)} more wait"
            if not len(self.nodes) & 255:
                clock.check(lambda: f"walked {len(self.nodes)} autograd nodes, {len(stack)} more wait")
            node = stack.pop()
            self.nodes.append(node)
            try:
                self._visit(node, stack)
            except RuntimeError:  # a ctx whose forward has not returned yet has no edges
                self.unreadable += 1
        return None

    def _visit(self, node, stack):
        slots, following, variable, number, name = self._plan(node)
        leads_to = []
        self.names.append(name)
        self.edges.append(leads_to)
        self.numbers.append(None)
        if variable is None and number is not None:
            self.numbers[-1] = number(node)
        if self.kinds.of(node) == NODE:  # a custom Function's ctx: its attributes live as long as the node
            for _, value in self.kinds.fields(node):
                self._put_all(value, name)
        if following is not None:
            after = [edge[0] for edge in following(node) if edge[0] is not None]
            leads_to += map(id, after)
            self._push(stack, after)
        if variable is not None:
            self.put_leaf(variable(node))
        elif not slots:
            pass
        elif self._readable(node):
            self._read(node, slots, name)
        else:
            self.skipped += 1

    def _push(self, stack, nodes):
        for node in nodes:
            if id(node) not in self.seen:
                self.seen.add(id(node))
                stack.append(node)
                # held from now on: C++ nodes get a new Python wrapper each time they are asked for

    def _plan(self, node):
        kind = type(node)
        plan = self.plans.get(id(kind))
        if plan is None:
            plan = (
                self.api.raw_saved_slots(kind),
                self.api.node_slot(kind, "next_functions"),
                self.api.node_slot(kind, "variable"),
                self.api.node_number(kind),
                type_name(kind),
            )
            self.kinds.keep.append(kind)
            self.plans[id(kind)] = plan
        return plan

    def _readable(self, node):
        if self.state == IDLE:
            return True
        return self.state == OWN_DEVICE and node_devices(self.api, node) == {self.device}

    def _read(self, node, slots, name):
        for slot in slots:
            try:
                values = self._values(node, slot)
            except RuntimeError:  # "Trying to backward through the graph a second time": released
                self.released += 1
                continue
            for value, hook in values:
                if hook is not None:
                    self.hooked += 1
                self._put_all(value, name)

    def _values(self, node, slot):
        """[(what was saved, its unpack hook or None)] of one slot of a node.

        SavedTensors point into the node. One that holds many of them frees those when a backward pass releases it, so
        from the slot to the data there must be no instruction of Python, between two of which another thread may get the
        interpreter's lock: the chain below runs in C as a whole.
        """
        data, hook = self.api.saved_data, self.api.saved_hook
        if data is None:
            self.unreadable += 1
            return ()
        many = self.many.get(id(slot))
        if many is None:
            saved = slot(node)
            if saved is None:
                return ()
            many = self.many[id(slot)] = type(saved) in (tuple, list)
            del saved
        if not many:  # a member of the node, there as long as the node is
            saved = slot(node)
            return () if saved is None else ((data(saved), hook and hook(saved)),)
        values = list(map(data, itertools.chain.from_iterable(map(slot, (node,)))))
        hooks = list(map(hook, itertools.chain.from_iterable(map(slot, (node,))))) if hook else ()
        return list(itertools.zip_longest(values, hooks))

    def _put_all(self, value, name):
        if self.kinds.of(value) in (TENSOR, WRAPPER):
            self.put(value, name)
        elif value is not None:
            for tensor in tensors_in(self.kinds, value):
                self.put(tensor, name)
