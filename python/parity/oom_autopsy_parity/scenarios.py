"""The built-in scenarios: small and real training steps, on CPU, made the same way in every process.

A scenario is a name, a way to build a step, how many steps run before the window (`warm`) and how many are in
it (`steps`). `build()` returns a function of no arguments that does one training step."""

from __future__ import annotations

import dataclasses
import importlib.util
import os
import sys
from collections.abc import Callable
from typing import Any

Step = Callable[[], Any]


@dataclasses.dataclass(frozen=True)
class Scenario:
    name: str
    build: Callable[[], Step]
    warm: int
    steps: int = 1
    says: str = ""  # one line for docs and reports
    # its kernels are chosen by the processor (oneDNN): the oracle's TEMPORARY moved with the ISA in one
    kernels: bool = False


class ScenarioError(Exception):
    """A scenario's file cannot be used. The text says why and what to do."""

    kind = "scenario"


def _torch() -> Any:
    import torch

    return torch


# ---- models: each returns (model, inputs, loss of the output)


def _torchlens_mlp() -> Any:
    torch = _torch()
    model = torch.nn.Sequential(torch.nn.Linear(16, 16), torch.nn.ReLU(), torch.nn.Linear(16, 8))
    return model, torch.randn(4, 16), lambda out: out.sum()


def _mlp() -> Any:
    torch = _torch()
    model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
    x, y = torch.randn(32, 64), torch.randint(0, 10, (32,))
    return model, x, lambda out: torch.nn.functional.cross_entropy(out, y)


def _cnn() -> Any:
    torch = _torch()
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(32, 10),
    )
    x, y, loss = torch.randn(8, 3, 32, 32), torch.randint(0, 10, (8,)), nn.CrossEntropyLoss()
    return model, x, lambda out: loss(out, y)


def _transformer(checkpointed: bool = False) -> Any:
    torch = _torch()
    nn = torch.nn

    class Transformer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(100, 64)
            self.position = nn.Parameter(torch.zeros(1, 16, 64))
            self.layers = nn.ModuleList(
                nn.TransformerEncoderLayer(64, 4, 128, batch_first=True) for _ in range(2)
            )
            self.head = nn.Linear(64, 100)

        def forward(self, tokens: Any) -> Any:
            hidden = self.embedding(tokens) + self.position
            for layer in self.layers:
                if checkpointed:
                    hidden = torch.utils.checkpoint.checkpoint(layer, hidden, use_reentrant=False)
                else:
                    hidden = layer(hidden)
            return self.head(hidden)

    if checkpointed:
        import torch.utils.checkpoint
    tokens, target, loss = (
        torch.randint(0, 100, (4, 16)),
        torch.randint(0, 100, (4, 16)),
        nn.CrossEntropyLoss(),
    )
    return Transformer(), tokens, lambda out: loss(out.flatten(0, 1), target.flatten())


def _resnet18() -> Any:
    """The shape of a ResNet-18 (8 blocks of two convolutions, four stages) at a width of 8, on 32 x 32
    images."""
    torch = _torch()
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self, inside: int, outside: int, stride: int) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(inside, outside, 3, stride, 1, bias=False)
            self.bn1 = nn.BatchNorm2d(outside)
            self.conv2 = nn.Conv2d(outside, outside, 3, 1, 1, bias=False)
            self.bn2 = nn.BatchNorm2d(outside)
            self.relu = nn.ReLU(inplace=True)
            self.down = None
            if stride != 1 or inside != outside:
                self.down = nn.Sequential(
                    nn.Conv2d(inside, outside, 1, stride, bias=False), nn.BatchNorm2d(outside)
                )

        def forward(self, x: Any) -> Any:
            out = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
            out += x if self.down is None else self.down(x)
            return self.relu(out)

    widths = (8, 16, 32, 64)
    parts: list[Any] = [nn.Conv2d(3, 8, 3, 1, 1, bias=False), nn.BatchNorm2d(8), nn.ReLU(inplace=True)]
    inside = 8
    for stage, width in enumerate(widths):
        parts += [Block(inside, width, 1 if stage == 0 else 2), Block(width, width, 1)]
        inside = width
    model = nn.Sequential(*parts, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inside, 10))
    x, y, loss = torch.randn(4, 3, 32, 32), torch.randint(0, 10, (4,)), nn.CrossEntropyLoss()
    return model, x, lambda out: loss(out, y)


def _keyword() -> Any:
    """Its inputs are keyword arguments, one of them inside a dict. A module inside of it is given some too,
    which are no inputs of the program's."""
    torch = _torch()

    class Scaled(torch.nn.Linear):
        def forward(self, x: Any, *, by: Any) -> Any:
            return super().forward(x) * by

    class Keyword(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scaled, self.half = Scaled(64, 10), torch.full((1,), 0.5)

        def forward(self, *, batch: Any, scale: Any) -> Any:
            return self.scaled(batch["x"], by=self.half) * scale

    model, x, scale = Keyword(), torch.randn(32, 64), torch.full((1,), 0.5)
    return model, {"batch": {"x": x}, "scale": scale}, lambda out: out.sum()


def _sparse() -> Any:
    torch = _torch()
    return (
        torch.nn.Embedding(100, 16, sparse=True),
        torch.randint(0, 100, (8,)),
        lambda out: out.sum(),
    )


def _resizing() -> Any:
    """Works in one buffer that it makes larger and smaller, also by no operation."""
    torch = _torch()

    class Resizing(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = torch.nn.Linear(64, 32)
            self.register_buffer("work", torch.empty(0))

        def forward(self, x: Any) -> Any:
            with torch.no_grad():
                torch.mul(x[:16], 2, out=self.work)
                self.work.resize_(48, 64)
                self.work.untyped_storage().resize_(1024)
                self.work.resize_(4, 64)
            return self.linear(x)

    return Resizing(), torch.randn(32, 64), lambda out: out.sum()


def _forces() -> Any:
    """A backward inside the forward, as where forces are the gradient of an energy."""
    torch = _torch()

    class Forces(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.hidden, self.energy = torch.nn.Linear(16, 32), torch.nn.Linear(32, 1)

        def forward(self, x: Any) -> Any:
            x = x.detach().requires_grad_()
            energy = self.energy(self.hidden(x).tanh()).sum()
            (forces,) = torch.autograd.grad(energy, x, create_graph=True)
            return forces

    return Forces(), torch.randn(8, 16), lambda out: out.square().sum()


class _TooLarge(BaseException):
    """As an interrupt: torch calls no hook of a module that is left by what is no Exception."""


def _raising() -> Any:
    """A forward inside a forward is left by an exception, and done again in halves."""
    torch = _torch()

    class Block(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = torch.nn.Linear(16, 16)

        def forward(self, x: Any) -> Any:
            x = self.linear(x)
            if len(x) > 8:
                raise _TooLarge if len(x) > 16 else ValueError
            return x.relu()

    class Halving(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.block, self.head = Block(), torch.nn.Linear(16, 4)

        def forward(self, x: Any) -> Any:
            try:
                return self.head(self.block(x))
            except (_TooLarge, ValueError):
                return torch.cat([self(half) for half in x.split(len(x) // 2)])

    return Halving(), torch.randn(32, 16), lambda out: out.sum() + torch.ones(7).sum()


# ---- optimizers


def _sgd(parameters: Any) -> Any:
    return _torch().optim.SGD(parameters, lr=0.01, momentum=0.9)


def _plain_sgd(parameters: Any) -> Any:
    return _torch().optim.SGD(parameters, lr=0.01)  # momentum takes no sparse gradient


def _adam(**how: Any) -> Callable[[Any], Any]:
    return lambda parameters: _torch().optim.Adam(parameters, lr=1e-3, **how)


def _adamw(parameters: Any) -> Any:
    return _torch().optim.AdamW(parameters, lr=1e-3)


# ---- steps


def _plain(
    make: Callable[[], Any], optimizer_of: Callable[[Any], Any], *, parts: int = 1, autocast: bool = False
) -> Callable[[], Step]:
    """A step with `parts` micro-batches before the optimizer's step (gradient accumulation when more than
    one)."""

    def build() -> Step:
        torch = _torch()
        model, x, loss_of = make()
        optimizer = optimizer_of(model.parameters())

        def run() -> Any:
            return loss_of(model(**x) if isinstance(x, dict) else model(x))

        def step() -> None:
            optimizer.zero_grad()
            for _ in range(parts):
                with torch.autocast("cpu", dtype=torch.bfloat16, enabled=autocast):
                    loss = run() / parts if parts > 1 else run()
                loss.backward()
            optimizer.step()

        return step

    return build


def _by_hand() -> Step:
    """Parameters of no module and no optimizer: only how their gradients flow tells the oracle what they
    are."""
    torch = _torch()
    w, b = torch.randn(16, 8, requires_grad=True), torch.zeros(8, requires_grad=True)
    x = torch.randn(32, 16)

    def step() -> None:
        (x @ w + b).relu().square().mean().backward()
        with torch.no_grad():
            for parameter in (w, b):
                parameter -= 0.1 * parameter.grad
                parameter.grad = None

    return step


_plain_adam = _adam(foreach=False)

# Its table is measured at each check, the others' only where a difference calls for it.
CANARY = "mlp/sgd/warm"

BUILT_IN: tuple[Scenario, ...] = (
    Scenario(
        "torchlens-mlp/sgd/first-two",
        _plain(_torchlens_mlp, _sgd),
        0,
        2,
        "TorchLens's pinned MLP, whose golden is published",
    ),
    Scenario("mlp/sgd/first", _plain(_mlp, _sgd), 0),
    Scenario("mlp/sgd/warm", _plain(_mlp, _sgd), 1),
    Scenario("mlp/adam/warm", _plain(_mlp, _plain_adam), 1),
    Scenario("mlp/adam-foreach/warm", _plain(_mlp, _adam(foreach=True)), 1),
    Scenario("mlp/adam-fused/warm", _plain(_mlp, _adam(fused=True)), 1),
    Scenario("mlp/adamw/first", _plain(_mlp, _adamw), 0),
    Scenario(
        "mlp/sgd-accumulate/warm",
        _plain(_mlp, _sgd, parts=2),
        1,
        1,
        "two micro-batches for each optimizer step",
    ),
    Scenario("keyword/sgd/warm", _plain(_keyword, _sgd), 1, 1, "its inputs are keyword arguments"),
    Scenario("sparse/sgd/warm", _plain(_sparse, _plain_sgd), 1, 1, "its gradients are sparse"),
    Scenario("resize/sgd/first", _plain(_resizing, _sgd), 0, 1, "one storage grows and shrinks"),
    Scenario("backward-in-forward/sgd/warm", _plain(_forces, _sgd), 1),
    Scenario("raising/sgd/warm", _plain(_raising, _sgd), 1, 1, "a forward is left by an exception"),
    Scenario("by-hand/warm", _by_hand, 1, 1, "no module and no optimizer"),
    Scenario("cnn/sgd/first", _plain(_cnn, _sgd), 0, kernels=True),
    Scenario("cnn/sgd/warm", _plain(_cnn, _sgd), 1, kernels=True),
    Scenario("transformer/adam/warm", _plain(_transformer, _plain_adam), 1),
    Scenario("transformer-checkpointed/adamw/warm", _plain(lambda: _transformer(True), _adamw), 1),
    Scenario(
        "transformer-autocast/adam/warm", _plain(_transformer, _plain_adam, autocast=True), 1, kernels=True
    ),
    Scenario("resnet18/sgd/warm", _plain(_resnet18, _sgd), 1, kernels=True),
)


def name_of(path: str) -> str:
    return os.path.splitext(os.path.basename(path))[0]


def from_file(path: str) -> Scenario:
    """A user's scenario: a Python file with `build()` returning the step function; `WARM` and `STEPS` (1 and
    1) are optional."""
    if not os.path.isfile(path):
        raise ScenarioError(
            f"scenario file {path!r} is not there. Give the path of a Python file that defines build()."
        )
    name = name_of(path)
    spec = importlib.util.spec_from_file_location(f"_oom_autopsy_scenario_{name}", path)
    if spec is None or spec.loader is None:
        raise ScenarioError(
            f"scenario file {path!r} is no Python file. Give one that ends in .py and defines build()."
        )
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    folder = os.path.dirname(os.path.abspath(path))
    if folder not in sys.path:
        sys.path.insert(0, folder)  # as `python my_step.py` would, so that it can import what lies beside it
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise ScenarioError(
            f"scenario file {path!r} could not be read: {type(error).__name__}: {error}"
        ) from error
    build = getattr(module, "build", None)
    if not callable(build):
        raise ScenarioError(
            f"scenario file {path!r} defines no build(). It must return a function that does one "
            f"training step."
        )
    warm, steps = getattr(module, "WARM", 1), getattr(module, "STEPS", 1)
    for label, value, least in (("WARM", warm, 0), ("STEPS", steps, 1)):
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= 100:
            raise ScenarioError(f"{label} = {value!r} in {path!r}: give a whole number from {least} to 100.")

    def checked() -> Step:
        step = build()
        if not callable(step):
            raise ScenarioError(
                f"build() in {path!r} returned {type(step).__name__}: it must return the step function."
            )
        return step

    return Scenario(name, checked, warm, steps, kernels=True)
