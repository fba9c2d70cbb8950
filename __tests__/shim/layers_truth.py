"""A program for test_layers.py: forward passes under hooks that write down which module saved what, and then the names that
the census finds without them. Prints one JSON line for each model: bytes by verdict.

`layer`: the name is a module that saved it, or whose own parameter the operation used. `block`: a module that was being
called. `position`: after the module of those with parameters that was entered
last or left last, or after a parameter of a module that is still being called. `wrong`: none of these. `none`: no name of the program's.
"""

import collections
import gc
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "python", "shim"))

import torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

WIDTH = 64


class Residual(nn.Module):
    def __init__(self, i, o, stride=1):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(i, o, 3, stride, 1, bias=False), nn.BatchNorm2d(o)
        self.conv2, self.bn2 = nn.Conv2d(o, o, 3, 1, 1, bias=False), nn.BatchNorm2d(o)
        self.relu, self.down = nn.ReLU(inplace=True), nn.Conv2d(i, o, 1, stride) if i != o else nn.Identity()

    def forward(self, x):
        y = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        return self.relu(y + self.down(x))


class Cnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.bn, self.pool = nn.Conv2d(3, 16, 3, 1, 1), nn.BatchNorm2d(16), nn.MaxPool2d(2)
        self.stages = nn.Sequential(Residual(16, 16), Residual(16, 16), Residual(16, 32, 2), Residual(32, 32))
        self.fc = nn.Linear(32, 8)

    def forward(self, x):
        return self.fc(self.stages(self.pool(F.relu(self.bn(self.stem(x))))).mean((2, 3)))


class Transformer(nn.Module):
    def __init__(self, **options):
        super().__init__()
        layer = nn.TransformerEncoderLayer(WIDTH, 4, 4 * WIDTH, batch_first=True, **options)
        self.encoder, self.head = (
            nn.TransformerEncoder(layer, 3, enable_nested_tensor=False),
            nn.Linear(WIDTH, 8),
        )

    def forward(self, x):
        return self.head(self.encoder(x).mean(1))


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.head = nn.LSTM(WIDTH, WIDTH, 2, batch_first=True), nn.Linear(WIDTH, 8)

    def forward(self, x):
        return self.head(self.lstm(x)[0])


class Cells(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.head = nn.LSTMCell(WIDTH, WIDTH), nn.Linear(WIDTH, 8)

    def forward(self, x):
        state, outputs = None, []
        for at in range(x.shape[1]):
            state = self.cell(x[:, at], state)
            outputs.append(state[0])
        return self.head(torch.stack(outputs, 1))


class Lora(nn.Module):
    def __init__(self, base):
        super().__init__()
        self.base, self.a, self.b = base, nn.Linear(WIDTH, 4, bias=False), nn.Linear(4, WIDTH, bias=False)
        base.requires_grad_(False)

    def forward(self, x):
        return self.base(x) + self.b(self.a(x)) * 2


class Adapted(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(WIDTH, WIDTH).requires_grad_(False)
        self.blocks = nn.ModuleList(
            nn.ModuleDict(
                {"n": nn.LayerNorm(WIDTH), "q": Lora(nn.Linear(WIDTH, WIDTH)), "o": nn.Linear(WIDTH, WIDTH)}
            )
            for _ in range(3)
        )

    def forward(self, x):
        x = self.embed(x)
        for block in self.blocks:
            x = x + block["o"](F.gelu(block["q"](block["n"](x))))
        return x


class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate, self.head = nn.Linear(WIDTH, 4), nn.Linear(WIDTH, 8)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(WIDTH, 128), nn.GELU(), nn.Linear(128, WIDTH)) for _ in range(4)
        )

    def forward(self, x):
        weights = torch.softmax(self.gate(x), -1)
        return self.head(sum(weights[..., i : i + 1] * e(x) for i, e in enumerate(self.experts)))


class Shared(nn.Module):
    """One block called several times, with an operation of the parent's in between."""

    def __init__(self):
        super().__init__()
        self.block, self.head = (
            nn.TransformerEncoderLayer(WIDTH, 4, 128, batch_first=True),
            nn.Linear(WIDTH, 8),
        )

    def forward(self, x):
        for _ in range(4):
            x = F.gelu(self.block(x))
        return self.head(x)


class Alternating(nn.Module):
    """Calls of one module that do not begin with the same parameter."""

    class Step(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b, self.c = (nn.Linear(WIDTH, WIDTH) for _ in range(3))

        def forward(self, x, i):
            return self.c(torch.tanh((self.b if i % 2 else self.a)(x)))

    def __init__(self):
        super().__init__()
        self.step, self.head = self.Step(), nn.Linear(WIDTH, 1)

    def forward(self, x):
        for i in range(4):
            x = F.gelu(self.step(x, i))
        return self.head(x)


# --- written after the rules, which were not changed for them ---


class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(WIDTH))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.scale


class Tied(nn.Module):
    """A language model whose head is its embedding, with a gated feed-forward part and a norm of its own."""

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2, self.qkv = Norm(), Norm(), nn.Linear(WIDTH, 3 * WIDTH, bias=False)
            self.out, self.up = nn.Linear(WIDTH, WIDTH, bias=False), nn.Linear(WIDTH, 128, bias=False)
            self.gate, self.down = nn.Linear(WIDTH, 128, bias=False), nn.Linear(128, WIDTH, bias=False)

        def forward(self, x):
            q, k, v = (t.unflatten(-1, (4, -1)).transpose(1, 2) for t in self.qkv(self.norm1(x)).chunk(3, -1))
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(y.transpose(1, 2).flatten(2))
            h = self.norm2(x)
            return x + self.down(F.silu(self.gate(h)) * self.up(h))

    def __init__(self):
        super().__init__()
        self.embed, self.head = nn.Embedding(200, WIDTH), nn.Linear(WIDTH, 200, bias=False)
        self.head.weight = self.embed.weight
        self.blocks, self.norm = nn.ModuleList(self.Block() for _ in range(3)), Norm()

    def forward(self, x):
        x = self.embed(x)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        steps = lambda i, o: nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.GroupNorm(4, o), nn.SiLU())  # noqa: E731
        self.down1, self.down2, self.mid = steps(3, 16), steps(16, 32), steps(32, 32)
        self.up, self.merge, self.out = nn.ConvTranspose2d(32, 16, 2, 2), steps(32, 16), nn.Conv2d(16, 4, 1)

    def forward(self, x):
        a = self.down1(x)
        b = self.mid(self.down2(F.max_pool2d(a, 2)))
        return self.out(self.merge(torch.cat([a, self.up(b)], 1)))


class Crossed(nn.Module):
    """Two towers under autocast that look at each other, and a product of their ends."""

    def __init__(self):
        super().__init__()
        self.left, self.right = (
            nn.Sequential(nn.Linear(WIDTH, 128), nn.GELU(), nn.LayerNorm(128), nn.Linear(128, WIDTH))
            for _ in range(2)
        )
        self.look = nn.MultiheadAttention(WIDTH, 4, batch_first=True)
        self.bias = nn.Parameter(torch.zeros(WIDTH))

    def forward(self, x):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            a, b = self.left(x), self.right(x * 2)
            seen, _ = self.look(a, b, b, need_weights=False)
            return torch.sigmoid(seen + self.bias) * (a - b).abs()


def ids():
    return torch.zeros(16, 32, dtype=torch.long, device="cuda")


def words():
    return torch.zeros(16, 32, WIDTH, device="cuda")


def images():
    return torch.zeros(8, 3, 32, 32, device="cuda")


MODELS = {
    "transformer": (Transformer, words),
    "transformer, norm first": (lambda: Transformer(norm_first=True), words),
    "cnn": (Cnn, images),
    "lstm": (Lstm, words),
    "lstm cells": (Cells, words),
    "lora": (Adapted, words),
    "experts": (Experts, words),
    "shared": (Shared, words),
    "alternating": (Alternating, words),
    "tied": (Tied, ids),
    "u-net": (UNet, images),
    "crossed": (Crossed, words),
}


class Truth:
    """Which modules were being called when a storage was saved; from hooks."""

    def __init__(self, net):
        self.paths = {id(m): tuple(p.split(".")) if p else () for p, m in net.named_modules()}
        self.owning = {id(m) for m in net.modules() if next(m.parameters(recurse=False), None) is not None}
        self.with_parameters = {self.paths[number] for number in self.owning}
        self.own = {
            (*self.paths[id(m)], name) for m in net.modules() for name, _ in m.named_parameters(recurse=False)
        }
        self.stack, self.entered, self.left = [], None, None
        self.saved, self.last, self.around = (collections.defaultdict(set) for _ in range(3))
        module = nn.modules.module
        self.handles = [
            module.register_module_forward_pre_hook(lambda m, _: self.enter(m)),
            module.register_module_forward_hook(lambda *_: self.leave(), always_call=True),
        ]

    def enter(self, module):
        self.stack.append(self.paths.get(id(module), ()))
        self.entered = self.stack[-1] if id(module) in self.owning else self.entered

    def leave(self):
        left = self.stack.pop()
        self.left = left if left in self.with_parameters else self.left

    def pack(self, tensor):
        if tensor.is_cuda:
            address = tensor.untyped_storage().data_ptr()
            self.saved[address].add(self.stack[-1] if self.stack else None)
            self.last[address].update((self.entered, self.left))
            self.around[address].update(self.stack)
        return tensor.detach()

    def verdict(self, address, place):
        right = self.saved.get(address)
        if right is None:
            return "no truth"
        if place is None or place.kind == "node":
            return "none"
        if place.kind == "position":
            near = [p for p in place.paths if p in self.last[address] or p[:-1] in self.last[address]]
            near += [p for p in place.paths if p in self.own and p[:-1] in self.around[address]]
            return "position" if near else "wrong"
        calls = [path for path in right if path is not None]
        if any(path[: len(p)] == p for p in place.paths for path in calls):
            return "layer" if any(p in right for p in place.paths) else "block"
        # A parameter of a module that torch read without calling it: right for a reader.
        return "layer" if any(p[:-1] == path for p in place.paths for path in calls) else "wrong"


def play(make, batch):
    from _oom_autopsy import torch_api
    from _oom_autopsy.census import census, sums
    from _oom_autopsy.heap.objects import Clock
    from _oom_autopsy.heap.scene import Scene

    net = make().cuda().train()
    truth = Truth(net)
    with torch.autograd.graph.saved_tensors_hooks(truth.pack, lambda tensor: tensor):
        out = net(batch())
    for handle in truth.handles:
        handle.remove()
    look = census._Look(Clock(60), Scene(torch, task=torch_api.backward_task()), [0], 10**7, 10**6)
    cut = look.run()["cut"]
    found, wrong = collections.Counter(), collections.Counter()
    for address, entry in look.ledger.own[0].items():
        nodes = look.activations.savers.get((0, address))
        if entry.rank == sums.SAVED and nodes:
            place = look.activations.places.best(nodes)[1]
            verdict = truth.verdict(address, place)
            found[verdict] += sums.rounded(entry.size, 512)
            if verdict in ("wrong", "none", "no truth"):
                wrong[f"{verdict}: {entry.name}, truly {sorted(map(str, truth.saved.get(address, ())))}"] += (
                    entry.size
                )
        elif entry.rank == sums.SAVED:
            found["none"] += sums.rounded(entry.size, 512)
    scene = look.scene
    look.release()
    scene.drop()
    del out
    return {"cut": cut, "bytes": dict(found), "wrong": dict(wrong.most_common(20))}


if __name__ == "__main__":
    torch.backends.cudnn.enabled = False
    for name in sys.argv[1:] or MODELS:
        print(json.dumps({"model": name, **play(*MODELS[name])}), flush=True)
        gc.collect()
