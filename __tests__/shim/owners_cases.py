"""A program for test_owners.py: programs that hold device memory in ways that have a name. Plays those named in its
arguments, each to a real out-of-memory with a census in it, and prints one JSON line for each."""

import dataclasses
import functools
import gc
import json
import os
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "python", "shim"))

import torch  # noqa: E402
from torch import nn  # noqa: E402

MIB = 1 << 20
ROWS, CODE_RAN = [], []
HISTORY, STORE = [], {}
ERRORS = []


def block(mib=4):
    return torch.zeros(mib * MIB // 4, device="cuda")


def observe(*_):
    if not ROWS:
        from _oom_autopsy.census import census

        ROWS.append(census.take([0], deadline_s=60))


def run_out():
    torch.empty(1 << 40, dtype=torch.uint8, device="cuda")


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.k_cache = []

    def forward(self, x):
        self.k_cache.append(x * 2)
        return x


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.attn = Attention()

    def forward(self, x):
        return self.attn(x)


@torch.no_grad()
def module_attribute():
    net, x = Decoder(), block()
    for _ in range(5):
        net(x)
    run_out()


def local_list():
    outputs = []
    for _ in range(4):
        outputs.append(block())
    run_out()


def callee_is_not_the_owner():
    outputs = [block() for _ in range(4)]

    def add(given):
        run_out()

    add(outputs)


def module_global():
    HISTORY.extend(block() for _ in range(3))
    STORE["secret-key"] = {"secret-inner": [block()]}
    run_out()


@dataclasses.dataclass
class Trainer:
    cache: dict = dataclasses.field(default_factory=dict)

    def fit(this):
        this.cache["secret"] = [block(), block()]
        run_out()


def object_attribute():
    Trainer().fit()


class Slotted:
    __slots__ = ("buffer",)


def slots():
    held = Slotted()
    held.buffer = block()
    run_out()


class Registry:
    kept = []  # noqa: RUF012


def class_attribute():
    Registry.kept.append(block())
    run_out()


def closure():
    def make():
        big = block()
        return lambda: big.sum()

    handlers = [make()]
    call(handlers)


def call(functions):
    run_out()


@functools.lru_cache(None)
def encode(at):
    return block()


def lru_cache():
    for at in range(3):
        encode(at)
    run_out()


def generator():
    def batches():
        while True:
            batch = block()
            yield 1
            del batch

    stream = batches()
    next(stream)
    run_out()


def other_thread():
    ready, done = threading.Event(), threading.Event()

    def worker():
        prefetched = [block(), block()]
        ready.set()
        done.wait()
        del prefetched

    thread = threading.Thread(target=worker)
    thread.start()
    ready.wait()
    try:
        run_out()
    finally:
        done.set()
        thread.join()


def failing():
    activations = [block() for _ in range(3)]
    raise AssertionError(len(activations))


def traceback():
    try:
        failing()
    except AssertionError as error:
        ERRORS.append(error)
    run_out()


def losses_keep_graphs():
    net = nn.Sequential(nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 256)).cuda()
    losses = []
    for _ in range(4):
        losses.append(net(torch.zeros(1024, 256, device="cuda")).sum())
    run_out()


def graph_grows():
    net = nn.Sequential(*[nn.Linear(256, 256) for _ in range(4)]).cuda()
    hidden = torch.zeros(256, 256, device="cuda")
    for _ in range(9):
        hidden = net(hidden)
        loss = hidden.sum()
    run_out()
    del loss


def one_pass_each():
    """Several passes side by side, a cell called often, and a block called often: no iteration hangs on another."""
    net, cell, head = nn.Linear(64, 64).cuda(), nn.LSTMCell(64, 64).cuda(), nn.Linear(64, 64).cuda()
    x, state, total = torch.zeros(32, 64, device="cuda"), None, 0
    for _ in range(5):
        total = total + net(x).sum()
        state = cell(x, state)
    last = head(state[0])
    run_out()
    del last


def eval_no_grad():
    net = nn.Sequential(nn.Linear(256, 256), nn.Dropout(), nn.Linear(256, 256)).cuda().eval()
    outputs = [net(torch.zeros(1024, 256, device="cuda")) for _ in range(3)]
    run_out()
    del outputs


def train_mode():
    net = nn.Sequential(nn.Linear(256, 256), nn.Dropout(), nn.Linear(256, 256)).cuda()
    net[1].eval()  # frozen in part
    output = net(torch.zeros(1024, 256, device="cuda"))
    run_out()
    del output


def two_models():
    import copy

    def build():
        return nn.Sequential(*[nn.Linear(512, 512) for _ in range(4)]).cuda()

    model = build()
    best, state = copy.deepcopy(model), {k: v.clone() for k, v in model.state_dict().items()}
    run_out()
    del best, state


def two_different_models():
    generator, critic = nn.Linear(512, 512).cuda(), nn.Linear(512, 256).cuda()
    run_out()
    del generator, critic


def step_of(make, steps, gradient=True):
    net = nn.Sequential(*[nn.Linear(512, 512) for _ in range(4)]).cuda()
    optimizer = make(net.parameters())
    for _ in range(steps):
        net(torch.zeros(8, 512, device="cuda")).sum().backward()
        optimizer.step()
    net(torch.zeros(8, 512, device="cuda")).sum().backward()
    hook = optimizer.register_step_pre_hook(lambda *_: None)
    torch.cuda.empty_cache()
    hoard = []
    mine = list(ROWS)
    ROWS.append(None)  # what fills the device is not the one that counts
    try:
        for size in (16 * MIB, 4 * MIB, MIB, 4096, 512):
            try:
                while True:
                    hoard.append(torch.empty(size, dtype=torch.uint8, device="cuda"))
            except torch.OutOfMemoryError:
                pass
    finally:
        ROWS[:] = mine
    optimizer.step()
    del hook


def first_step():
    step_of(torch.optim.AdamW, 0)


def later_step():
    step_of(torch.optim.AdamW, 2)


class Burst(nn.Module):
    armed = False

    def forward(self, x):
        if self.armed:
            run_out()
        return x


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(128, 4, 256, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 3, enable_nested_tensor=False)
        self.burst, self.head = Burst(), nn.Linear(128, 10)

    def forward(self, x):
        return self.head(self.burst(self.encoder(x)))


def training():
    model = Classifier().cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for step in range(3):
        model.burst.armed = step == 2
        batch = torch.zeros(32, 64, 128, device="cuda")
        optimizer.zero_grad()
        model(batch).sum().backward()
        optimizer.step()


@torch.inference_mode()
def serving():
    """Requests whose key and value caches pile up, and what one of them is working on."""

    class Server:
        def __init__(self):
            self.model, self.sessions = Classifier().cuda().eval(), {}

        def prefill(self, name, prompt):
            hidden = self.model.encoder(prompt)
            self.sessions[name] = [(hidden.clone(), hidden.clone()) for _ in range(3)]
            return hidden

    server = Server()
    for at in range(6):
        server.prefill(f"secret-{at}", torch.zeros(8, 64, 128, device="cuda"))
    server.model.burst.armed = True
    server.model(torch.zeros(32, 64, 128, device="cuda"))


def test_suite():
    """What unittest keeps of failed tests: fixtures of the class, and the frames of each failure."""
    import io
    import unittest

    class Suite(unittest.TestCase):
        def setUp(self):
            self.model = Classifier().cuda()

        def test_a(self):
            outputs = [self.model(torch.zeros(16, 64, 128, device="cuda")) for _ in range(2)]
            self.assertEqual(len(outputs), 3)

        test_b = test_a

        def test_c(self):
            reference = block()
            run_out()
            del reference

    errors = []

    class Result(unittest.TestResult):
        def addFailure(self, test, error):
            errors.append(error)

        def addError(self, test, error):
            pass

    suite = unittest.defaultTestLoader.loadTestsFromTestCase(Suite)
    suite.run(Result(io.StringIO()))


def cache_argument():
    class Layer:
        def __init__(self):
            self.keys = self.values = None

        def update(self, k, v):
            self.keys = k if self.keys is None else torch.cat([self.keys, k])
            self.values = v if self.values is None else torch.cat([self.values, v])

    class Cache:
        def __init__(self):
            self.layers = [Layer() for _ in range(3)]

    class Attend(nn.Module):
        def __init__(self, at):
            super().__init__()
            self.at, self.proj = at, nn.Linear(8, 8)

        def forward(self, x, cache):
            cache.layers[self.at].update(block(), block())
            if self.at == 2:
                run_out()
            return x

    @torch.no_grad()
    def generate(blocks, x):
        past = Cache()
        for one in blocks:
            x = one(x, past)

    generate(nn.ModuleList(Attend(at) for at in range(3)).cuda(), block())


def compiled(make):
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(128, 512), nn.Linear(512, 128)

        def forward(self, x):
            return x + self.b(torch.relu(self.a(x)))

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList(Block() for _ in range(4))

        def forward(self, x):
            for layer in self.layers:
                x = layer(x)
            return x

    net = make(Net().cuda())
    size = 64
    while True:
        net(torch.zeros(size, 128, device="cuda")).sum().backward()
        size *= 2


def compile_whole():
    compiled(lambda net: torch.compile(net, backend="aot_eager"))


def compile_layers():
    def each(net):
        for layer in net.layers:
            layer.compile(backend="aot_eager")
        return net

    compiled(each)


def hostile():
    """Whatever can be told by running code of the program is not told."""

    def ran(*_):
        CODE_RAN.append(1)
        raise RuntimeError

    class Meta(type):
        __instancecheck__ = __eq__ = __getattribute__ = ran
        __hash__ = ran

    class Bad(metaclass=Meta):
        __slots__ = ("__dict__", "held")
        __getattr__ = __getattribute__ = __eq__ = __hash__ = __repr__ = __len__ = __bool__ = ran

    class BadDict(dict):
        items = values = keys = __iter__ = __len__ = ran

    class Properties:
        __dict__ = property(ran)
        __class__ = property(ran)

    class Model(nn.Module):
        __getattr__ = ran

        def forward(self, x):
            return x

    bad, model, other = type.__call__(Bad), Model(), Properties()
    object.__setattr__(bad, "held", block())
    object.__setattr__(bad, "more", BadDict(x=block()))
    object.__setattr__(model, "stash", block())
    odd = {1: bad, b"x": other, None: block()}
    run_out()
    del odd


def peeks():
    """A function that asks for its locals is left alone: what `locals()` returned is not refreshed."""
    held = block()
    before = locals()
    later = block()
    try:
        run_out()
    finally:
        ROWS[0]["extra"] = {"refreshed": "later" in before, "held": held is not later}


def forget():
    for kept in (HISTORY, ERRORS, Registry.kept):
        del kept[:]
    STORE.clear()
    encode.cache_clear()
    gc.collect()


def play(name):
    del ROWS[:]
    before = torch.cuda.memory_allocated()
    try:
        globals()[name]()
    except torch.OutOfMemoryError as error:
        error.__traceback__ = None
    forget()
    until = time.monotonic() + 5  # a look lets go on a thread of its own, which a busy machine may let wait
    while torch.cuda.memory_allocated() != before and time.monotonic() < until:
        time.sleep(0.01)
    left = torch.cuda.memory_allocated() - before
    row = {"scenario": name, "census": ROWS[0], "left": left, "code_ran": len(CODE_RAN)}
    print(json.dumps(row), flush=True)


if __name__ == "__main__":
    torch.backends.cudnn.enabled = False
    torch.empty(1, device="cuda")
    # The workspaces of cuBLAS stay, of this thread and of the engine's.
    torch.nn.Linear(8, 8).cuda()(torch.zeros(8, 8, device="cuda")).sum().backward()
    torch._C._cuda_attach_out_of_memory_observer(observe)
    for scenario in sys.argv[1:]:
        play(scenario)
