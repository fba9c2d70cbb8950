"""A program for test_census.py: real training steps that run out of memory at a known moment, with a census
there.

Plays the scenarios named in its arguments, all in one process, and prints one JSON line for each. The
observer takes the census, and then adds up by torch's ordinary calls what the census has to have found.
"""

import gc
import json
import os
import sys
import threading
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
SHIM = os.path.join(HERE, "..", "..", "python", "shim")
EXACT = ("parameter", "gradient", "optimizer_state")


def play(names):
    """Plays scenarios by name; prints {"scenario", "census", "expected", "before", "after", "seen"} for
    each."""
    sys.path.insert(0, SHIM)
    import torch

    torch.backends.cudnn.enabled = False
    stage = Stage(torch)
    torch.empty(1, device="cuda")
    torch._C._cuda_attach_out_of_memory_observer(stage.observe)
    warnings.simplefilter("ignore")
    for name in names:
        SCENARIOS[name](stage, torch)
        assert stage.record is not None, f"{name} did not run out of memory"
        record, stage.record = stage.record, None
        stage.reset()
        record["left"] = torch.cuda.memory_allocated()
        print(json.dumps({"scenario": name, **record}), flush=True)


class Stage:
    """What the observer measures around the census, and the ways to run out of memory."""

    def __init__(self, torch):
        self.torch = torch
        self.record = None
        self.reset()

    def reset(self):
        """Forgets the last scenario and gives its memory back."""
        self.models, self.optimizers, self.extra, self.hoard = [], [], {}, []
        self.counters = {"hooks": 0, "forwards": 0, "user_code": 0}
        self.options = {"deadline_s": 60}  # nothing here is about time, but where a scenario says so
        self.ignore = False
        gc.collect()
        self.torch.cuda.empty_cache()

    def observe(self, *_):
        """The out-of-memory observer: the first one of a scenario counts."""
        if self.ignore or self.record is not None:
            return
        from _oom_autopsy.census import census

        torch, counters = self.torch, dict(self.counters)
        before, during = [self.memory(), self.collector()], []
        gc.callbacks.append(lambda phase, info: during.append(phase) if inside else None)
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            inside = True
            found = census.take(**self.options)
            inside = False
        gc.callbacks.pop()
        after = [self.memory(), self.collector()]
        self.record = {
            "census": found,
            "before": before,
            "after": after,
            "collections": len(during),
            "warnings": len(warned),
            "user_code": {key: self.counters[key] - counters[key] for key in counters},
            "thread": "main" if threading.current_thread() is threading.main_thread() else "other",
            "graph_task": torch._C._current_graph_task_id() != -1,
            "expected": self.expected(),
            "extra": self.extra,
        }

    def memory(self):
        """What a census must not change on the device: bytes, and the number of allocations ever made."""
        keys = (
            "allocated_bytes.all.current",
            "allocation.all.allocated",
            "reserved_bytes.all.current",
            "num_ooms",
        )
        found = []
        for index in range(self.torch.cuda.device_count()):
            stats = self.torch.cuda.memory_stats(index)
            found.append([stats.get(key, 0) for key in keys])
        return found

    def collector(self):
        """What a census must not change of the garbage collector: switch, thresholds, callbacks."""
        return [gc.isenabled(), gc.get_threshold(), len(gc.callbacks)]

    def expected(self):
        """Bytes per device of the exact categories, by torch's ordinary calls, each storage once, rounded
        to 512."""
        parameters = [p for model in self.models for p in model.parameters()]
        gradients = [p.grad for p in parameters if p.grad is not None]
        states = [state for optimizer in self.optimizers for state in list(optimizer.state.values())]
        seen = set()
        sums = {}
        for category, values in zip(EXACT, (parameters, gradients, states)):
            for storage in self.storages(values):
                if storage.data_ptr() not in seen:
                    seen.add(storage.data_ptr())
                    index = str(storage.device.index)
                    row = sums.setdefault(index, dict.fromkeys(EXACT, 0))
                    row[category] += -(-storage.nbytes() // 512) * 512
        return sums

    def storages(self, value):
        """Every CUDA storage in nested values, DTensors and sparse tensors included."""
        torch = self.torch
        if isinstance(value, torch.Tensor):
            if hasattr(value, "_local_tensor"):
                yield from self.storages(value._local_tensor)
            elif value.is_sparse:
                yield from self.storages([value._indices(), value._values()])
            elif value.is_cuda and value.untyped_storage().nbytes():
                yield value.untyped_storage()
        elif isinstance(value, dict):
            for item in value.values():
                yield from self.storages(item)
        elif isinstance(value, (list, tuple)):
            for item in value:
                yield from self.storages(item)
        elif hasattr(value, "__dict__"):
            yield from self.storages(vars(value))

    def burst(self):
        """Runs out of memory here and now."""
        try:
            self.torch.empty(1 << 44, dtype=self.torch.uint8, device="cuda")
        except self.torch.OutOfMemoryError:
            pass

    def fill(self):
        """Takes what memory is free, so that the next thing that needs some runs out. Its own failures do
        not count."""
        self.ignore = True
        size = 1 << 28
        while size >= 1 << 16:
            try:
                self.hoard.append(self.torch.empty(size, dtype=self.torch.uint8, device="cuda"))
            except self.torch.OutOfMemoryError:
                size //= 2
        self.ignore = False


def training(stage, torch, model, make_input, optimizer=None, steps=2, accumulate=1, loss=None):
    """Runs `steps` training steps; leaves the gradients of the last one in place."""
    stage.models.append(model)
    optimizer = optimizer or torch.optim.AdamW(model.parameters())
    stage.optimizers.append(optimizer)
    for _ in range(steps):
        optimizer.zero_grad(set_to_none=False)
        for _ in range(accumulate):
            out = model(make_input())
            (out if loss is None else loss(out)).sum().backward()
        optimizer.step()
    return optimizer


class Nets:
    """Models, made where torch is there."""

    def __init__(self, torch, stage):
        nn = torch.nn
        self.torch, self.stage = torch, stage

        class Burst(nn.Module):
            """Runs out of memory in the middle of a forward pass, once armed."""

            armed = False

            def forward(self, x):
                if self.armed:
                    stage.burst()
                return x

        class Transformer(nn.Module):
            def __init__(self, layers):
                super().__init__()
                layer = nn.TransformerEncoderLayer(256, 4, 512, batch_first=True)
                self.layers = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
                self.burst = Burst()
                self.head = nn.Linear(256, 256)

            def forward(self, x, scale=None):
                return self.head(self.burst(self.layers(x)))

        class Counted(nn.Module):
            def __init__(self, inner):
                super().__init__()
                self.inner = inner

            def forward(self, x):
                stage.counters["forwards"] += 1
                return self.inner(x)

        class Recurrent(nn.Module):
            def __init__(self):
                super().__init__()
                self.rnn = nn.GRU(64, 128, num_layers=2)
                self.burst = Burst()

            def forward(self, x):
                return self.burst(self.rnn(x)[0])

        class Checkpointed(nn.Module):
            def __init__(self, reentrant=False):
                super().__init__()
                blocks = [
                    Counted(nn.Sequential(nn.Linear(256, 256), nn.GELU(), nn.Linear(256, 256)))
                    for _ in range(6)
                ]
                self.blocks = nn.ModuleList(blocks)
                self.burst = Burst()
                self.reentrant = reentrant

            def forward(self, x):
                from torch.utils.checkpoint import checkpoint

                x.requires_grad_(True)
                for block in self.blocks:
                    x = checkpoint(block, x, use_reentrant=self.reentrant)
                return self.burst(x)

        self.Burst, self.Transformer, self.Recurrent, self.Checkpointed = (
            Burst,
            Transformer,
            Recurrent,
            Checkpointed,
        )

    def mlp(self, width=256, depth=6):
        nn = self.torch.nn
        layers = [m for _ in range(depth) for m in (nn.Linear(width, width), nn.GELU(), nn.LayerNorm(width))]
        return nn.Sequential(*layers, self.Burst())

    def cnn(self):
        nn = self.torch.nn
        return nn.Sequential(
            nn.Conv2d(3, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(32, 64, 3, padding=1), nn.BatchNorm2d(64), nn.ReLU(), nn.AdaptiveAvgPool2d(1),
            nn.Flatten(), nn.Linear(64, 10), self.Burst(),
        )  # fmt: skip


def armed(model):
    """Arms the Burst inside a model."""
    next(m for m in model.modules() if type(m).__name__ == "Burst").armed = True


def transformer_forward(stage, torch):
    net = Nets(torch, stage).Transformer(4).cuda()
    batch = lambda: torch.zeros(64, 64, 256, device="cuda")  # noqa: E731
    training(stage, torch, net, batch)
    armed(net)
    net(batch(), scale=torch.zeros(1000, device="cuda"))


def mlp_forward(stage, torch):
    net = Nets(torch, stage).mlp().cuda()
    batch = lambda: torch.zeros(32768, 256, device="cuda")  # noqa: E731
    training(stage, torch, net, batch)
    armed(net)
    net(batch())


def mlp_backward(stage, torch):
    """The autograd engine's own node runs out of memory, on the engine's thread."""
    net = Nets(torch, stage).mlp().cuda()
    batch = lambda: torch.zeros(16384, 256, device="cuda")  # noqa: E731
    training(stage, torch, net, batch)
    loss = net(batch()).sum()
    stage.fill()
    stage.extra["hoard"] = sum(block.nbytes for block in stage.hoard)
    try:
        loss.backward()
    except torch.OutOfMemoryError:
        pass


def hook_backward(stage, torch):
    """A tensor hook of the user's runs out of memory in the middle of backward."""
    net = Nets(torch, stage).mlp(depth=24).cuda()
    training(stage, torch, net, lambda: torch.zeros(1024, 256, device="cuda"))
    net[57].register_full_backward_hook(lambda *_: stage.burst())
    net(torch.zeros(8192, 256, device="cuda")).sum().backward()


def cnn(stage, torch):
    net = Nets(torch, stage).cnn().cuda()
    batch = lambda: torch.zeros(128, 3, 64, 64, device="cuda")  # noqa: E731
    training(stage, torch, net, batch, torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9))
    stage.extra["buffers"] = sum(-(-b.nbytes // 512) * 512 for b in net.buffers())
    armed(net)
    net(batch())


def gru(stage, torch):
    net = Nets(torch, stage).Recurrent().cuda()
    batch = lambda: torch.zeros(64, 256, 64, device="cuda")  # noqa: E731
    training(stage, torch, net, batch)
    armed(net)
    net(batch())


def checkpointed(stage, torch):
    net = Nets(torch, stage).Checkpointed().cuda()
    batch = lambda: torch.zeros(16384, 256, device="cuda")  # noqa: E731
    training(stage, torch, net, batch)
    armed(net)
    net(batch())


def checkpoint_recompute(stage, torch):
    """Out of memory while backward recomputes a checkpointed block: its call is no user's call."""
    net = Nets(torch, stage).Checkpointed(reentrant=True).cuda()
    batch = lambda: torch.zeros(16384, 256, device="cuda")  # noqa: E731
    training(stage, torch, net, batch)
    loss = net(batch()).sum()
    net.blocks[3].register_forward_hook(lambda *_: stage.burst())
    loss.backward()


def offloaded(stage, torch):
    """Saved-tensor hooks that move to the CPU: they are not called, and what they packed is not on the
    device."""

    def pack(tensor):
        stage.counters["hooks"] += 1
        return tensor.device, tensor.cpu()

    def unpack(packed):
        stage.counters["hooks"] += 1
        return packed[1].to(packed[0])

    net = Nets(torch, stage).mlp().cuda()
    batch = lambda: torch.zeros(4096, 256, device="cuda")  # noqa: E731
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        training(stage, torch, net, batch, steps=1)
        armed(net)
        net(batch())


def accumulated(stage, torch):
    net = Nets(torch, stage).mlp().cuda()
    batch = lambda: torch.zeros(16384, 256, device="cuda")  # noqa: E731
    training(stage, torch, net, batch, steps=1, accumulate=3)
    armed(net)
    net(batch())


def custom_function(stage, torch):
    class Triple(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x * 1)
            ctx.kept = {"twice": [x * 2]}
            return x * 3

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.saved_tensors[0]

    net = Nets(torch, stage).mlp(depth=2).cuda()
    last = lambda out: Triple.apply(Triple.apply(out))  # noqa: E731
    training(stage, torch, net, lambda: torch.zeros(32768, 256, device="cuda"), loss=last)
    out = last(net(torch.zeros(32768, 256, device="cuda")))
    stage.extra["block"] = 32768 * 256 * 4
    stage.burst()
    del out


def ema(stage, torch):
    import copy

    net = Nets(torch, stage).mlp(width=1024, depth=4).cuda()
    average = copy.deepcopy(net).requires_grad_(False)
    training(stage, torch, net, lambda: torch.zeros(4096, 1024, device="cuda"))
    stage.models.append(average)
    armed(net)
    net(torch.zeros(4096, 1024, device="cuda"))


def optimizer_step(stage, torch):
    """The optimizer's first step runs out of memory while it makes its state."""
    net = Nets(torch, stage).mlp(width=1024, depth=6).cuda()
    optimizer = torch.optim.Adam(net.parameters())
    stage.models.append(net)
    stage.optimizers.append(optimizer)
    net(torch.zeros(64, 1024, device="cuda")).sum().backward()
    hoard = [torch.empty(4 << 20, dtype=torch.uint8, device="cuda") for _ in range(5)]
    stage.fill()
    stage.extra["hoard"] = sum(block.nbytes for block in stage.hoard)
    del hoard
    torch.cuda.empty_cache()
    try:
        optimizer.step()
    except torch.OutOfMemoryError:
        pass


def evaluation(stage, torch):
    net = Nets(torch, stage).mlp(width=4096, depth=4).cuda().eval()
    stage.models.append(net)
    armed(net)
    with torch.no_grad():
        net(torch.zeros(256, 4096, device="cuda"))


def no_model(stage, torch):
    kept = torch.empty(1 << 24, dtype=torch.uint8, device="cuda")
    stage.burst()
    del kept


def nested_state(stage, torch):
    """An optimizer in the manner of Shampoo: state in a dataclass in a list in a dict, under keys of any
    kind."""
    import dataclasses

    @dataclasses.dataclass
    class Block:
        factor: object
        rest: tuple

    class Slots:
        __slots__ = ("held",)

    class Shampoo(torch.optim.Optimizer):
        def __init__(self, params):
            super().__init__(params, {})

        def step(self):
            for group in self.param_groups:
                for p in group["params"]:
                    new = lambda: torch.zeros(1 << 18, device="cuda")  # noqa: E731
                    slots = Slots()
                    slots.held = new()
                    self.state[p] = {
                        "blocks": [Block(new(), (new(), {"x": new()}))],
                        "slots": slots,
                        ("secret key", 1): new(),
                        "no name!": new(),
                        "step": 3,
                    }

    net = torch.nn.Linear(512, 512).cuda()
    optimizer = Shampoo(net.parameters())
    lbfgs_net = torch.nn.Linear(512, 512).cuda()
    lbfgs = torch.optim.LBFGS(lbfgs_net.parameters(), max_iter=3)
    net(torch.zeros(8, 512, device="cuda")).sum().backward()
    optimizer.step()

    def closure():
        lbfgs.zero_grad()
        loss = lbfgs_net(torch.zeros(8, 512, device="cuda")).sum()
        loss.backward()
        return loss

    lbfgs.step(closure)
    stage.models += [net, lbfgs_net]
    stage.optimizers += [lbfgs]
    stage.extra["shampoo"] = 2 * 6 * (1 << 20)  # bytes: 2 parameters, 6 tensors each
    stage.burst()


def sparse(stage, torch):
    net = torch.nn.Embedding(4096, 256, sparse=True).cuda()
    optimizer = torch.optim.SparseAdam(net.parameters())
    stage.models.append(net)
    stage.optimizers.append(optimizer)
    net(torch.zeros(2048, dtype=torch.long, device="cuda")).sum().backward()
    csr = torch.sparse_csr_tensor(
        torch.zeros(4097, dtype=torch.long, device="cuda"),
        torch.zeros(2048, dtype=torch.long, device="cuda"),
        torch.zeros(2048, device="cuda"),
        (4096, 4096),
        check_invariants=False,
    )
    stage.burst()
    del csr


def two_devices(stage, torch):
    """A model over two devices: each device has its own account."""
    nn = torch.nn

    class Split(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Linear(512, 512).to("cuda:0")
            self.second = nn.Linear(512, 1024).to("cuda:1")

        def forward(self, x):
            return self.second(self.first(x).relu().to("cuda:1"))

    net = Split()
    training(stage, torch, net, lambda: torch.zeros(8192, 512, device="cuda:0"))
    out = net(torch.zeros(8192, 512, device="cuda:0"))
    stage.burst()
    del out


def two_devices_backward(stage, torch):
    """While engines' threads run, only what this thread's device owns is read; and that is said."""
    nn = torch.nn
    first, second = nn.Linear(512, 512).to("cuda:0"), nn.Linear(512, 512).to("cuda:1")
    model = nn.ModuleList([first, second])
    stage.models.append(model)
    second.register_full_backward_hook(lambda *_: stage.burst())
    second(first(torch.zeros(8192, 512, device="cuda:0")).relu().to("cuda:1")).relu().sum().backward()


def pool(stage, torch):
    """Blocks of a private pool are part of the device's sum."""
    with torch.cuda.use_mem_pool(torch.cuda.MemPool()):
        net = torch.nn.Linear(1024, 1024).cuda()
    stage.models.append(net)
    stage.burst()


def graphs(stage, torch):
    """A captured graph, a pool whose handle is gone, and the default pools: three accounts in one device's sum."""
    net = Nets(torch, stage).mlp(256, 2).cuda()
    static = torch.zeros(512, 256, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph), torch.no_grad():
        out = net(static)
    with torch.cuda.use_mem_pool(torch.cuda.MemPool()):
        kept = torch.nn.Parameter(torch.zeros(3 << 20, dtype=torch.uint8, device="cuda"), requires_grad=False)
    stage.models += [net, torch.nn.ParameterList([kept])]
    stage.extra["segments"] = pool_segments(torch)
    stage.extra["out"] = out.untyped_storage().nbytes()
    stage.burst()
    del graph, kept, static


def capture(stage, torch):
    """Out of memory in the middle of a capture, whose pool has no name yet that Python could ask for."""
    graph, side = torch.cuda.CUDAGraph(), torch.cuda.Stream()
    with torch.cuda.stream(side):
        graph.capture_begin()
        try:
            kept = torch.zeros(1 << 21, dtype=torch.uint8, device="cuda")
            stage.extra["segments"] = pool_segments(torch)
            stage.burst()
        finally:
            graph.capture_end()
    del kept


def pool_segments(torch):
    """{pool id: [bytes reserved, bytes allocated]} by torch's own public snapshot."""
    found = {}
    for segment in torch.cuda.memory_snapshot():
        row = found.setdefault(":".join(map(str, segment["segment_pool_id"])), [0, 0])
        row[0] += segment["total_size"]
        row[1] += segment["allocated_size"]
    return found


def foreign(stage, torch):
    """Memory of other allocators is no part of the sum; views and slices of ours are."""
    import torch.utils.dlpack

    own = torch.empty(1 << 22, dtype=torch.uint8, device="cuda")
    view = own[1 << 20 : 1 << 21]
    back = torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(own))
    piece = own.untyped_storage()[4096:8192]
    host = torch.empty(1 << 23, dtype=torch.uint8)
    other = torch._C._construct_storage_from_data_pointer(host.data_ptr(), torch.device("cuda", 0), 1 << 23)
    outside = torch.empty(0, dtype=torch.uint8, device="cuda").set_(other)
    pinned = torch.empty(1 << 22, pin_memory=True)
    stage.burst()
    del view, back, piece, outside, pinned


def unreal(stage, torch):
    """Tensors with no memory of their own, and objects that run code when looked at."""
    import weakref

    from torch._subclasses.fake_tensor import FakeTensorMode

    def used(*_):
        stage.counters["user_code"] += 1
        raise RuntimeError("looked at")

    class Meta(type):
        __hash__ = __eq__ = used
        __instancecheck__ = __subclasscheck__ = used

        def __getattribute__(cls, name):
            if not stage.ignore:
                used()
            return type.__getattribute__(cls, name)

    stage.ignore = True

    class Evil(metaclass=Meta):
        __slots__ = ("__weakref__", "held")
        __class__ = property(used)
        __hash__ = __eq__ = __bool__ = __repr__ = __len__ = __iter__ = used

        def __getattribute__(self, name):
            used()

    class EvilTensor(torch.Tensor):
        grad = is_cuda = device = grad_fn = shape = property(used)
        untyped_storage = data_ptr = used

        @classmethod
        def __torch_function__(cls, function, kinds, args=(), kwargs=None):
            if not stage.ignore:
                used()
            with torch._C.DisableTorchFunctionSubclass():
                return function(*args, **(kwargs or {}))

    class EvilDict(dict):
        items = values = keys = __iter__ = __len__ = __getitem__ = used

    class EvilModule(torch.nn.Module):
        __hash__ = __eq__ = used

        def __getattr__(self, name):
            if not stage.ignore:
                used()
            return super().__getattr__(name)

        def parameters(self, recurse=True):
            used()

    class Wrapped(torch.Tensor):
        """Holds its data in another tensor, as quantised and sharded tensors do."""

        @staticmethod
        def __new__(cls, inner):
            made = torch.Tensor._make_wrapper_subclass(
                cls, inner.shape, dtype=inner.dtype, device=inner.device, dispatch_device=True
            )
            made.inner = inner
            return made

        @classmethod
        def __torch_dispatch__(cls, function, kinds, args=(), kwargs=None):
            used()

    evil = [object.__new__(Evil) for _ in range(3)]
    proxied = Wrapped(torch.zeros(1 << 20, device="cuda"))
    dead = weakref.proxy(torch.zeros(4, device="cuda"))
    subclass = torch.zeros(1 << 20, device="cuda").as_subclass(EvilTensor)
    module = EvilModule()
    module.weight = torch.nn.Parameter(torch.zeros(1 << 20, device="cuda"))
    wrapped = torch.nn.Module()
    wrapped._parameters["quantised"] = proxied
    optimizer = torch.optim.SGD(module._parameters.values(), lr=0.1)
    optimizer.state[module.weight] = EvilDict({"momentum_buffer": torch.zeros(1 << 20, device="cuda")})
    with FakeTensorMode():
        fake = [torch.empty(1 << 30, device="cuda"), torch.nn.Linear(1 << 15, 1 << 15, device="cuda")]
    unseen = [
        torch.empty(1 << 30, device="meta"),
        torch._to_functional_tensor(torch.zeros(8, device="cuda")),
        torch.nested.nested_tensor([torch.zeros(2, 3, device="cuda"), torch.zeros(4, 3, device="cuda")]),
        torch.zeros(1 << 20, device="cuda"),
    ]
    unseen[-1].untyped_storage().resize_(0)

    class Function(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, function, kinds, args=(), kwargs=None):
            if not stage.ignore and getattr(function, "__name__", "") != "empty":
                stage.counters["user_code"] += 1
            return function(*args, **(kwargs or {}))

    class Dispatch(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, function, kinds, args=(), kwargs=None):
            if not stage.ignore and "empty" not in str(function):
                stage.counters["user_code"] += 1
            return function(*args, **(kwargs or {}))

    coo = torch.sparse_coo_tensor(
        torch.zeros(2, 64, dtype=torch.long, device="cuda"),
        torch.zeros(64, device="cuda"),
        (8, 8),
        check_invariants=False,
    )
    stage.extra["block"] = 4 << 20
    with Function(), Dispatch():
        stage.ignore = False
        stage.burst()
    stage.ignore = True
    del evil, dead, subclass, fake, unseen, coo


def million(stage, torch):
    """A million objects more: in time, or cut with a true statement."""
    net = Nets(torch, stage).mlp().cuda()
    training(stage, torch, net, lambda: torch.zeros(4096, 256, device="cuda"))
    objects = [[] for _ in range(1_000_000)]
    stage.options = {}
    stage.burst()
    del objects


def cut_time(stage, torch):
    stage.options = {"deadline_s": 0}
    mlp_forward(stage, torch)


def cut_objects(stage, torch):
    stage.options["max_objects"] = 1000
    mlp_forward(stage, torch)


def cut_nodes(stage, torch):
    stage.options["max_nodes"] = 3
    mlp_forward(stage, torch)


def frozen(stage, torch):
    """gc.freeze() hides what there was from gc.get_objects()."""
    net = Nets(torch, stage).mlp().cuda()
    globals()["held_by_a_module_global"] = optimizer = torch.optim.AdamW(net.parameters())
    training(stage, torch, net, lambda: torch.zeros(8192, 256, device="cuda"), optimizer)
    gc.freeze()
    armed(net)
    try:
        net(torch.zeros(8192, 256, device="cuda"))
    finally:
        gc.unfreeze()
        del globals()["held_by_a_module_global"]


def released(stage, torch):
    """With collection off, what was looked at is freed by the program's last reference, so the census
    holds none."""
    gc.collect()
    base = torch.cuda.memory_allocated()
    gc.disable()
    net = torch.nn.Sequential(torch.nn.Linear(512, 512), torch.nn.GELU()).cuda()
    net[1].register_forward_hook(lambda *_: stage.burst())
    out = net(torch.zeros(8192, 512, device="cuda"))
    held = torch.cuda.memory_allocated() - base
    del net, out
    stage.extra["held"], stage.extra["kept"] = held, torch.cuda.memory_allocated() - base
    gc.enable()


def thread(stage, torch):
    """Another thread is in a module's call; this one runs out of memory. Collection was off and stays off."""
    net = Nets(torch, stage).mlp().cuda()
    stage.models.append(net)
    inside, done = threading.Event(), threading.Event()

    def wait(*_):
        inside.set()
        done.wait(60)

    net[0].register_forward_hook(wait)
    batch = torch.zeros(8192, 256, device="cuda")
    worker = threading.Thread(target=lambda: net(batch))
    worker.start()
    inside.wait(60)
    gc.disable()
    stage.burst()
    gc.enable()
    done.set()
    worker.join()


SCENARIOS = {
    function.__name__: function
    for function in (
        transformer_forward,
        mlp_forward,
        mlp_backward,
        hook_backward,
        cnn,
        gru,
        checkpointed,
        checkpoint_recompute,
        offloaded,
        accumulated,
        custom_function,
        ema,
        optimizer_step,
        evaluation,
        no_model,
        nested_state,
        sparse,
        two_devices,
        two_devices_backward,
        pool,
        graphs,
        capture,
        foreign,
        unreal,
        million,
        cut_time,
        cut_objects,
        cut_nodes,
        frozen,
        released,
        thread,
    )
}


if __name__ == "__main__":
    play(sys.argv[1:] or list(SCENARIOS))
