"""The census against the rebuilt view at the same instants of the same step, storage by storage.

Two accounts with nothing in common but the program: the census looks at what is alive now, the view has watched every
operation since. What they call parameter, gradient and optimizer_state is the same memory to the byte; where they
differ, each kind of difference is one of EXPLAINED, and no storage differs in another way.
"""

import json

import pytest
from conftest import SHIM, run

EXACT = ("parameter", "gradient", "optimizer_state")

PROGRAM = """
import json, sys
sys.path.insert(0, SHIM)
import torch
from _oom_autopsy.census import census, sums as census_sum
from _oom_autopsy.timeline.view import Recorder

torch.backends.cudnn.enabled = False
torch.manual_seed(0)

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(64, 32)
        layer = torch.nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
        self.encoder = torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = torch.nn.Linear(32, 64)
        self.register_buffer("scale", torch.full((1024,), 2.0))
    def forward(self, tokens):
        scores = self.head(self.encoder(self.embedding(tokens))) * self.scale[:1]
        instant("in the forward")
        return scores

class Conv(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8), torch.nn.ReLU())
        self.head = torch.nn.Linear(8, 64)
    def forward(self, images):
        scores = self.head(self.layers(images).mean((2, 3)))
        instant("in the forward")
        return scores

kind, = sys.argv[1:]
if kind == "transformer":
    model, batch = Net().cuda(), lambda: torch.randint(0, 64, (4, 16)).cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
else:
    model, batch = Conv().cuda(), lambda: torch.randn(4, 3, 16, 16).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)

def of_census():
    found = {}
    real = census._Look._devices
    def devices(self, torch):
        rows = real(self, torch)
        for address, entry in self.ledger.own.get(0, {}).items():
            category, reason = census_sum.RANKS[entry.rank]
            found[address] = [category, reason or entry.name, entry.size]
        return rows
    census._Look._devices = devices
    try:
        taken = census.take([0], deadline_s=60)
    finally:
        census._Look._devices = real
    return found, taken

def of_view():
    rows = [death.row for death in recorder._live.values()]
    return {row.ptr: [row.category.value, row.reason.label, row.nbytes] for row in rows if row.device.type == "cuda" and row.nbytes}

def instant(name):
    if recorder is None or not warm:
        return
    view = of_view()
    found, taken = of_census()
    if view != of_view():
        raise SystemExit("the census changed what is alive")
    print(json.dumps({"instant": name, "census": found, "view": view, "complete": taken["complete"], "sums": taken["devices"][0]}), flush=True)

recorder, warm = None, False
recorder = Recorder(pointers=True).install()
for warm in (False, True):
    inputs, labels = batch(), torch.randint(0, 64, (4,)).cuda()
    optimizer.zero_grad()
    scores = model(inputs)
    loss = torch.nn.functional.cross_entropy(scores.flatten(1)[:, :64], labels)
    instant("before the backward")
    loss.backward()
    instant("after the backward")
    optimizer.step()
    instant("after the step")
recorder.uninstall()
if recorder.faults:
    raise SystemExit(recorder.faults)
"""


# (census, view) of a storage -> why both are right.
EXPLAINED = {
    ("activation: saved", "input: outermost_module_argument"): (
        "the batch, once the model has returned: the view remembers it as an argument, the census sees that the "
        "graph keeps it for backward"
    ),
    ("activation: saved", "unknown: op_output_outside_modules"): (
        "the labels: made outside of modules from nothing that requires grad, and kept for backward by the loss"
    ),
    ("unknown: visible tensor", "input: outermost_module_argument"): (
        "the batch, after the backward: no call is on the stack and no graph keeps it"
    ),
}
BATCH_SAVED, LABELS_SAVED, BATCH_LEFT = EXPLAINED
DIFFERENT_AT = {
    "in the forward": set(),
    "before the backward": {BATCH_SAVED, LABELS_SAVED},
    "after the backward": {BATCH_LEFT},
    "after the step": {BATCH_LEFT},
}


@pytest.mark.parametrize("kind", ("transformer", "convolutions"))
def test_census_and_view_agree_and_each_difference_is_explained(cuda, kind):
    program = PROGRAM.replace("SHIM", repr(str(SHIM)), 1)
    done = run(program, kind, python=cuda, ahead=["torch._dynamo"])
    assert done.code == 0, done.err
    records = [json.loads(line) for line in done.out.splitlines()]
    assert [record["instant"] for record in records] == list(DIFFERENT_AT)
    for record in records:
        census, view = record["census"], record["view"]
        assert record["complete"] is True
        assert set(census) == set(view), "one of them saw a storage that the other did not"
        assert {at: size for at, (_, _, size) in census.items()} == {at: row[2] for at, row in view.items()}
        for category in EXACT:
            of_census = {at for at, row in census.items() if row[0] == category}
            assert of_census == {at for at, row in view.items() if row[0] == category}
            blocks = sum(-(-view[at][2] // 512) * 512 for at in of_census)
            assert record["sums"]["categories"][category]["bytes"] == blocks
            expected = category != "gradient" or record["instant"].startswith("after")
            assert bool(of_census) is expected, (category, record["instant"])
        different = {}
        for at, (category, reason, size) in census.items():
            if category != view[at][0]:
                saved = category == "activation" and not reason.endswith(" output")
                pair = (
                    f"{category}: {'saved' if saved else reason}",
                    f"{view[at][0]}: {view[at][1]}",
                )
                different[pair] = different.get(pair, 0) + size
        for pair, size in sorted(different.items()):
            print(f"{kind}, {record['instant']}: {size} B, {pair[0]} / {pair[1]}: {EXPLAINED.get(pair)}")
        assert set(different) == DIFFERENT_AT[record["instant"]]
