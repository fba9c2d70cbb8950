"""The census: what is alive on a device, by category, from the program's own live objects, at one instant.

`take()` is called at an out-of-memory and at exit. Nothing is installed before it and nothing stays after it. It
allocates nothing on a device, runs no code of the program, forces no collection, and lets no exception of ours out;
where it was cut short, it says how far it got, and which categories it did not see the whole of. Categories and their
order: docs/census.md.
"""

import math
import os
import sys

from .. import torch_api
from ..heap import collector
from ..heap.graph import IDLE, OWN_DEVICE, GraphWalk
from ..heap.names import ModuleTree, clean, is_dict, optimizer_name
from ..heap.objects import (
    MAX_ITEMS,
    MODULE,
    OPTIMIZER,
    TENSOR,
    WRAPPER,
    Clock,
    Ended,
    OutOfTime,
    field,
    hidden_objects,
    members,
    tensors_in,
    type_name,
)
from ..heap.places import Places
from ..heap.scene import Scene
from . import holders
from . import pools as census_pools
from . import sums as rank
from .naming import Naming
from .owners import Activations, Parameters

PASS_SHARE = 0.6  # of the time bound, for the pass over all objects
HIDDEN_SHARE = 0.8  # of the time bound, when also following what gc.freeze() hides
# Of the time bound; asking the allocator cannot be cut short (20,000 blocks: 0.04 to 0.17 s)
POOLS_SHARE = 0.8
MAX_CUT = 400  # characters
VARIABLE = (MODULE, OPTIMIZER)  # are called by the variable that holds them
FACTS = rank.CATEGORIES[:-1]  # all but `unknown`
# What is not seen the whole of where a step was cut short.
STEPS = {
    "objects": ("parameter", "gradient", "optimizer_state", "activation"),
    "frozen objects": ("parameter", "gradient", "optimizer_state", "activation"),
    "modules": ("parameter", "gradient"),
    "optimizers": ("parameter", "gradient", "optimizer_state"),
    "arguments": ("input",),
    "tensors": ("parameter", "gradient", "activation"),
    "graph": ("activation",),
    "storages": (),
    "places": (),
    "layers": (),
    "holders": (),
    "signs": (),
}

# pid -> token of the look in progress; by pid, so that a fork in the middle of one leaves no mark
_running = {}


def take(
    device_indices=None, *, deadline_s=1.0, max_objects=3_000_000, max_nodes=500_000, see=None, ended=None
):
    """One look. Returns {"seconds", "complete", "cut", "not_reached", "devices": [...], "looked": {...}}; bytes
    throughout.

    device_indices: those to report, or None for every device where this process holds memory. deadline_s: of processor
    time. see() gives the Scene that is looked at, where another look shares it; it is not dropped then. ended() says why
    nobody waits for the look any more, or None.
    """
    token = object()
    pid = os.getpid()
    clock = Clock(deadline_s, ended=ended)
    held, look, own = None, None, None
    try:
        if _running.setdefault(pid, token) is not token:
            return _result(clock, [], "another look was under way on another thread", None)
        torch = sys.modules.get("torch")
        if torch is None or not torch.cuda.is_initialized():
            return _result(clock, [], None, None)
        if torch_api.forked_after_cuda(torch):
            return _result(clock, [], "a forked child holds no device memory of its own to look at", None)
        held = collector.hold()
        if see is None:
            scene = own = Scene(torch, task=torch_api.backward_task())
        else:
            scene = see()
        look = _Look(clock, scene, device_indices, max_objects, max_nodes)
        return look.run()
    except Ended as error:
        return _result(clock, [], str(error), look)
    except Exception as error:
        return _result(clock, [], f"the look failed: {type_name(type(error))}", look)
    finally:
        if look is not None:
            look.release()
        if own is not None:
            own.drop()  # the tensors it holds go now, before collection is on again
        if _running.get(pid) is token:
            del _running[pid]
        del held


def unfinished(reason):
    """What stands in the place of a look that was not made."""
    return _result(Clock(0.0), [], reason, None)


def _result(clock, devices, cut, look):
    found = None if look is None else look.found
    walk = None if look is None else look.walk
    return {
        "seconds": round(clock.seconds(), 4),
        "complete": cut is None,
        "cut": cut,
        "not_reached": [name for name in FACTS if look is not None and name in look.not_reached],
        "signs": None if look is None else look.signs,
        "devices": devices,
        "looked": {
            "objects": found.objects if found else 0,
            "tensors": len(found.tensors) if found else 0,
            "nodes": len(walk.nodes) if walk else 0,
            "behind_hooks": walk.hooked if walk else 0,
        },
    }


class _Look:
    """The state of one look; dropped whole at its end."""

    def __init__(self, clock, scene, device_indices, max_objects, max_nodes):
        self.clock, self.scene, self.device_indices = clock, scene, device_indices
        self.max_objects, self.max_nodes = max_objects, max_nodes
        self.found, self.api, self.kinds, self.reader = scene.found, scene.api, scene.kinds, scene.reader
        self.state, self.device = scene.state, scene.device
        self.ledger, self.cuts, self.not_reached = rank.Ledger(), [], set()
        self.walk, self.roots = None, []
        self.parameters, self.activations = Parameters(), Activations()
        self.places = Places(self.api.folder, self.api.module_call_codes, scene.lists_it)
        self.named, self.left, self.foreign = [], [], []  # Named
        self.user_modules = set()  # their names
        self.variables = {}  # id(module or optimizer) -> the variable that holds it
        self.kept = {}  # device -> rows
        self.signs = None
        self.cleaned = {}  # (a node's name, what follows) -> as it is shown
        self.over = False  # the time bound was reached
        self.models = {}  # id(root module) -> (root module, {storage: bytes} of its parameters)
        self.visible = []  # (tensor, the node that made it or None, its storages)
        self.saved = {}  # id -> tensor, of those that the graph saved
        self.asked = set()  # ids of tensors whose gradient was asked for
        self.unread_gradients = 0  # another thread may be writing them

    def run(self):
        with self.api.no_torch_function():
            self._look()
            devices = self._devices(self.scene.torch)
        return _result(self.clock, devices, "; ".join(self.cuts)[:MAX_CUT] or None, self)

    def release(self):
        """Lets go of what was made for the look. The walk holds methods of ours, so this would be a cycle."""
        self.__dict__.clear()

    # --- what there is ---

    def _look(self):
        scene, found, clock = self.scene, self.found, self.clock
        if scene.elsewhere is not None:
            self.cuts.append(f"not looked: another thread runs PyTorch code ({scene.elsewhere})")
            self.not_reached.update(FACTS)
            return
        calls, naming = scene.calls, Naming(self)
        # What matters first: should the pass over all objects be cut short, the modules at work are seen all the same.
        scene.modules_on_stacks()
        for name, step in (
            ("places", self._places),  # before objects are listed: see places.local_items
            ("objects", lambda: scene.objects(clock, self.max_objects, PASS_SHARE)),
            (
                "frozen objects",
                lambda: hidden_objects(self.kinds, found, clock, HIDDEN_SHARE, [call[0] for call in calls]),
            ),
            ("modules", self._modules),
            ("optimizers", self._optimizers),
            ("arguments", lambda: self._arguments(calls)),
            ("tensors", self._tensors),
            ("graph", self._graph),
            ("storages", self._storages),
            ("layers", naming.layers),
            ("holders", naming.holders),
            ("signs", naming.signs),
        ):
            self._step(name, step)
        self._owe()
        if self.found.hidden and not self.cuts:
            self.cuts.append(
                f"gc.freeze() hides {self.found.hidden} objects: "
                "those reached from module globals and calls are counted"
            )
        nodes = self.walk.skipped if self.walk else 0
        if self.unread_gradients or nodes:
            self.cuts.append(
                "a backward pass runs on other threads: the gradients of "
                f"{self.unread_gradients} tensors and what {nodes} autograd nodes saved were not read"
            )
            self.not_reached.update(["gradient"] * bool(self.unread_gradients) + ["activation"] * bool(nodes))
        if self.kinds.wide:
            self.cuts.append(f"{self.kinds.wide} nested values were read up to {MAX_ITEMS} members only")
        if self.api.saved_data is None:
            self.cuts.append("this torch does not show saved tensors (2.9 does not, 2.13 does)")

    def _step(self, name, step):
        """Runs one step; one that ends early says so, and the next ones still get what is there."""
        try:
            cut = step()
        except Ended:
            raise
        except OutOfTime as error:
            cut = None if self.over else str(error)
            self.over = self.clock.elapsed() > self.clock.deadline_s
            self.not_reached.update(STEPS[name])
        except Exception as error:
            cut = f"{name}: {type_name(type(error))}"
            self.not_reached.update(STEPS[name])
        if cut:
            self.cuts.append(cut)
            self.not_reached.update(STEPS[name])

    # --- facts ---

    def _read(self, tensor):
        """The storages a tensor stands for; none where it cannot be read."""
        try:
            return self.reader.storages(tensor)
        except (RuntimeError, TypeError, AttributeError, NotImplementedError):
            self.reader.unreadable += 1
            return []

    def _put(self, tensor, fact, name, kind=None):
        """One fact about all the storages a tensor stands for. Returns these."""
        found = self._read(tensor)
        for device, address, size, own in found:
            self.ledger.put(device, address, size, own, fact, name, kind, tensor)
        return found

    def _put_gradient(self, tensor, name):
        """The `.grad` of a leaf (of another tensor only if it retains one: asking warns otherwise)."""
        if id(tensor) in self.asked:
            return
        self.asked.add(id(tensor))
        try:
            if not (self.api.is_leaf(tensor) or self.api.retains_grad(tensor)):
                return
            if not self._settled(tensor):
                self.unread_gradients += 1
                return
            grad = self.api.grad(tensor)
        except RuntimeError:
            return
        if grad is not None:
            self._put(grad, rank.GRADIENT, name, "tensor")

    def _settled(self, tensor):
        """Whether no other thread may be writing a tensor's gradient now. Those of CPU tensors are of no
        interest."""
        if self.state == IDLE or not self.api.requires_grad(tensor):
            return True
        devices = {fact[0] for fact in self._read(tensor)}
        return not devices or (self.state == OWN_DEVICE and devices == {self.device})

    def _put_parameter(self, tensor, name):
        self._put(tensor, rank.PARAMETER, name, "tensor")
        self._put_gradient(tensor, name)
        for attribute, inner in self.reader.flat_parameter_parts(tensor):
            gradient = attribute in torch_api.FLAT_PARAMETER_GRADIENTS
            self._put(inner, rank.GRADIENT if gradient else rank.PARAMETER, name, "tensor")

    def is_module(self, value):
        return self.kinds.of(value) == MODULE

    def _places(self):
        """Variables of the program's own modules and functions, ahead of all that is named by them."""
        self.named, self.user_modules = self.places.globals()
        mine, self.foreign = self.places.locals(self.scene.stacks, self.is_module)
        self.named += mine

    def _modules(self):
        tree = ModuleTree(self.kinds, self.found.modules)
        held = []
        for module in self.found.modules:
            self.clock.check(lambda: f"named {len(held)} tensors of {len(self.found.modules)} modules")
            for part in (torch_api.PARAMETERS, torch_api.BUFFERS):
                for name, tensor in tree.entries(module, part):
                    if self.kinds.of(tensor) in (TENSOR, WRAPPER):
                        facts = self._read(tensor)
                        if facts:
                            held.append((module, part, name, tensor, facts))
        roots = [tree.root(row[0]) for row in held]
        running = {id(frame) for stack in self.scene.stacks for frame in stack}
        self.left = self.places.left(self.found.tracebacks, self.found.generators, running)
        named = [*self.named, *self.left]
        self.variables = holders.variables(self.kinds, named, lambda each: self.kinds.of(each) in VARIABLE)
        tree.name_roots(roots, self.variables)
        for root, (_, part, _, _, facts) in zip(roots, held):
            if part == torch_api.PARAMETERS:
                sizes = self.models.setdefault(id(root), (root, {}))[1]
                sizes.update((fact[:2], rank.rounded(fact[2], rank.GRANULE)) for fact in facts)
        known = self.parameters
        known.tree = tree
        for module, _, name, tensor, facts in held:
            known.add(module, name, tensor, facts, self._size(tensor))
        known.settle()
        for at, (module, part, name, tensor, facts) in enumerate(held):
            if not at & 255:
                self.clock.check(lambda at=at: f"read {at} of {len(held)} parameters and buffers")
            path = known.name(module, name, facts)
            if part == torch_api.PARAMETERS:
                self._put_parameter(tensor, path)
            else:
                self._put(tensor, rank.BUFFER, path, "tensor")

    def _optimizers(self):
        for optimizer in self.found.optimizers:
            self.clock.check(lambda: f"{len(self.found.optimizers)} optimizers, not all of their state")
            groups = field(self.kinds, optimizer, "param_groups")
            for group in members(self.kinds, groups, objects=False) or ():
                if type(group) is dict:
                    for tensor in tensors_in(self.kinds, group.get("params")):
                        flat = self.parameters.flat_name(self._read(tensor))
                        self._put_parameter(
                            tensor,
                            flat or optimizer_name(optimizer, "params", self.variables.get(id(optimizer))),
                        )
            states = members(self.kinds, field(self.kinds, optimizer, "state"), objects=False) or ()
            for at, state in enumerate(states):
                if not at & 255:
                    how_far = f"read {at} of {len(states)} optimizer states"
                    self.clock.check(lambda how_far=how_far: how_far)
                self._optimizer_state(optimizer, state)

    def _optimizer_state(self, optimizer, state):
        """state[param]: a dict of names by custom, whose values may be nested; anything else counts under
        "(key)"."""
        named = [("(key)", state)]
        if is_dict(state):
            named = list(dict.items(state))
        for key, value in named:
            name = optimizer_name(optimizer, key, self.variables.get(id(optimizer)))
            for tensor in tensors_in(self.kinds, value, objects=True):
                self._put(tensor, rank.OPTIMIZER_STATE, name, "optimizer")

    def _arguments(self, calls):
        for module, args, kwargs in calls:
            owner = clean(type_name(type(module)))
            named = [(f"{owner} argument {at}", value) for at, value in enumerate(args)]
            named += [(f"{owner} {clean(key)}", value) for key, value in dict.items(kwargs)]
            for name, value in named:
                # What is reached through an object's attributes only, as a cache that is handed on, is no input.
                for tensor in tensors_in(self.kinds, value):
                    made = self._made_by(tensor) is not None
                    self._put(tensor, rank.ARGUMENT if made else rank.INPUT, name, "other")

    def _made_by(self, tensor):
        """The autograd node that made a tensor, or None."""
        try:
            return self.api.grad_fn(tensor)
        except RuntimeError:  # a view that was changed in a way autograd forbids
            return None

    def _tensors(self):
        for at, tensor in enumerate(self.found.tensors):
            if not at & 255:
                self.clock.check(lambda at=at: f"read {at} of {len(self.found.tensors)} tensors")
            node = self._made_by(tensor)
            if node is not None:
                self.roots.append(node)
                facts = self._put(tensor, rank.OUTPUT, self._clean(type_name(type(node)), " output"), "node")
            elif self._is_parameter(tensor):
                flat = self.parameters.flat_name(self._read(tensor))
                self._put_parameter(tensor, flat or f"{clean(type_name(type(tensor)))} outside modules")
                continue
            else:
                facts = self._put(tensor, rank.VISIBLE, None)
            if facts:
                self.visible.append((tensor, node, facts))
            self._put_gradient(tensor, "leaf outside modules" if node is None else "retained")

    def _is_parameter(self, tensor):
        """A live torch.nn.Parameter that no module or optimizer need hold (FSDP 2 keeps sharded ones
        aside)."""
        if self.kinds.is_parameter_type(type(tensor)):
            return True
        return self.kinds.of(tensor) == WRAPPER and field(self.kinds, tensor, torch_api.IS_PARAMETER) is True

    def _clean(self, name, made=""):
        """A node's name, of which there are few."""
        found = self.cleaned.get((name, made))
        if found is None:
            found = self.cleaned[name, made] = clean(name) + made
        return found

    def _graph(self):
        self.walk = GraphWalk(self.api, self.kinds, self._saved, self._leaf, self.state, self.device)
        self.activations.walk = self.walk
        return self.walk.run([*self.roots, *self.found.nodes], self.clock, self.max_nodes)

    def _saved(self, tensor, name):
        facts = self._put(tensor, rank.SAVED, self._clean(name), "node")
        self.saved.setdefault(id(tensor), tensor)
        self.activations.saved(facts, self.parameters.uses(tensor, facts))

    def _owe(self):
        """torch has made an object for each node and each tensor that it showed, and keeps them until these die. The
        tensors of a graph die together."""
        for known in self.found.tensors:
            self.saved.pop(id(known), None)
        if self.walk is not None and self.saved:
            collector.owe(next(iter(self.saved.values())), len(self.walk.nodes) + len(self.saved))

    def _leaf(self, tensor):
        facts = () if tensor is None else self._put(tensor, rank.LEAF, None)
        self.activations.leaf(() if tensor is None else self.parameters.uses(tensor, facts))
        if tensor is not None:
            self._put_gradient(tensor, "leaf outside modules")

    def _storages(self):
        for storage in self.found.storages:
            for device, address, size, own in self.reader.storage(storage):
                self.ledger.put(device, address, size, own, rank.STORAGE, None)

    # --- numbers ---

    def _workspaces(self, index):
        """Sizes of the blocks that nothing of the program's shows, and that are as large as a workspace of cuBLAS."""
        size, known = torch_api.cublas_workspace(index), self.ledger.own.get(index, {})
        blocks = self.scene.blocks().get(index, {}) if self.scene.asked else {}
        return [each for address, each in blocks.items() if each == size and address not in known]

    def _where(self):
        """In what kind of call memory ran out: what was made in there no object shows yet. None at an exit."""
        stack = self.scene.stacks[0] if self.scene.stacks else ()
        if self.device_indices is None:
            return None
        if self.scene.task and self.scene.task[0] != -1:
            node = self.scene.task[1]
            inside = "" if node is None else f", in {clean(type_name(type(node)))}"
            return f"memory ran out on the backward engine's thread{inside}"
        if not stack or not stack[0].f_code.co_filename.startswith(self.api.folder):
            return None
        file = stack[0].f_code.co_filename[len(self.api.folder) :].replace(os.sep, "/")
        return f"memory ran out inside one call of C++ (torch/{file}:{stack[0].f_lineno})"[:150]

    def shape(self, tensor):
        """(its numbers, its dtype); None where asking would run code of the program, or the numbers are symbols."""
        if self.kinds.of(tensor) == WRAPPER and self.kinds.dispatches(type(tensor)):
            return None
        try:
            shape = tuple.__new__(tuple, self.api.shape(tensor))
        except RuntimeError:  # nested tensors have none
            return None
        return (shape, self.api.dtype(tensor)) if all(type(each) is int for each in shape) else None

    def _size(self, tensor):
        found = self.shape(tensor)
        return None if found is None else math.prod(found[0]) * found[1].itemsize

    def _describe(self, tensor):
        """`float32[4096, 1024]`, or None."""
        found = None if tensor is None else self.shape(tensor)
        if found is None:
            return None
        kind = str(found[1]).rpartition(".")[2]
        return f"{kind}[{', '.join(map(str, found[0]))}]"[:100]

    def _pools(self):
        """{device: {pool id: [segment]}} of the private pools; None where the allocator cannot be asked. That is
        worth a word only where the program holds an object that stands for one; a pool can outlive it."""
        try:
            self.clock.check(lambda: "there was no time left to ask", POOLS_SHARE)
            segments, reason = self.scene.segments()
        except OutOfTime as error:
            segments, reason = None, str(error)
        if segments is None:
            if self.found.pools:
                self.cuts.append(f"private pools are not told apart: {reason}")
            return None
        return census_pools.private(segments)

    def _devices(self, torch):
        """One row per device, while every storage seen is still held, so that none was freed in between."""
        outside = self.ledger.settle()
        native = torch.cuda.get_allocator_backend() == "native"
        granule = rank.GRANULE if native else 1
        pools = self._pools()
        wanted = range(torch.cuda.device_count()) if self.device_indices is None else self.device_indices
        rows = []
        for index in wanted:
            stats = torch.cuda.memory_stats(index)
            allocated = int(stats.get("allocated_bytes.all.current", 0))
            reserved = int(stats.get("reserved_bytes.all.current", 0))
            # since 2.1; cudaMallocAsync leaves it at 0
            requested = stats.get("requested_bytes.all.current") if native else None
            entries = list(self.ledger.own.get(index, {}).values())
            if self.device_indices is None and not (allocated or reserved or entries):
                continue
            categories, excess = rank.add_up(
                entries, allocated, requested, granule, self._describe, self._workspaces(index), self._where()
            )
            if excess:
                self.cuts.append(
                    f"cuda:{index}: {excess} bytes more were seen than are allocated, and left out"
                )
            row = {
                "index": index,
                "allocated": allocated,
                "reserved": reserved,
                "reserved_unused": max(0, reserved - allocated),
                "attributed": allocated - categories["unknown"]["bytes"],
                "categories": categories,
                "kept": self.kept.get(index, []),
                "pools": None
                if pools is None
                else census_pools.rows(pools.get(index, {}), self.ledger.own.get(index, {}), granule),
            }
            if index in outside:
                count, size = outside[index]
                row["outside"] = {"bytes": size, "count": count}
            rows.append(row)
        return rows
