/**
 * The table of answers: for each story its program, and what a tired engineer must be told: what happened, who held the memory, on
 * which line, what to do first (null: the numbers suggest nothing). Written before the code that answers.
 */

export interface Answer {
  readonly program: string;
  /** `python train.py` where not said. */
  readonly command?: string;
  readonly file?: string;
  readonly verdict: 'oom' | 'oom-recovered' | 'failed';
  readonly headline: string | RegExp;
  /** Owners that the table names. */
  readonly who: readonly string[];
  /** Where the annotation stands; null: nowhere. */
  readonly line: string | null;
  readonly first: RegExp | null;
}

const FILL = `
def fill():
    return [torch.zeros(16 << 20, dtype=torch.uint8, device="cuda") for _ in range(99)]
`;

export const ANSWERS: Readonly<Record<string, Answer>> = {
  'pytest-cascade': {
    file: 'test_model.py',
    command: 'python -m pytest -q -p no:cacheprovider test_model.py',
    program: `
import torch

CACHE = []

def test_small():
    assert torch.zeros(1, device="cuda").numel() == 1

def test_long_context():
    for _ in range(99):
        CACHE.append(torch.zeros(16 << 20, dtype=torch.uint8, device="cuda"))

def test_after():
    assert [torch.zeros(16 << 20, dtype=torch.uint8, device="cuda") for _ in range(12)]

def test_caught():
    try:
        torch.zeros(1 << 40, dtype=torch.uint8, device="cuda")
    except torch.OutOfMemoryError:
        pass
`,
    verdict: 'oom',
    headline: 'Out of GPU memory in test test_model.py::test_long_context and 1 more',
    who: ['CACHE[*] in test_model.py'],
    line: 'test_model.py:11',
    first: /`CACHE\[\*\] in test_model\.py` keeps/,
  },
  unittest: {
    file: 'test_model.py',
    command: 'python -m unittest test_model',
    program: `
import unittest
import torch
${FILL}
class ModelTest(unittest.TestCase):
    def test_forward(self):
        outputs = fill()

    def test_nothing(self):
        pass
`,
    verdict: 'oom',
    headline: 'Out of GPU memory in test test_model.ModelTest.test_forward',
    who: [],
    line: 'test_model.py:6',
    first: null,
  },
  'log-and-exit': {
    program: `
import sys
import torch
${FILL}
def main():
    try:
        fill()
    except torch.OutOfMemoryError as error:
        print("out of memory, stopping")
        sys.exit(1)

main()
`,
    // Python before 3.12 does not tell that the exit was because of it.
    verdict: 'failed',
    headline: 'The step failed with exit code 1; an out-of-memory was seen',
    who: [],
    line: 'train.py:6',
    first: null,
  },
  'kv-cache': {
    program: `
import torch

class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.k_cache = []

    @torch.no_grad()
    def forward(self, x):
        self.k_cache.append(x.clone())
        return x

class Decoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = Attention()

    def forward(self, x):
        return self.attention(x)

model = Decoder().cuda()
tokens = torch.zeros(4096, 1024, device="cuda")
while True:
    model(tokens)
`,
    verdict: 'oom',
    headline: 'Out of GPU memory in train.py',
    who: ['attention.k_cache[*]'],
    line: 'train.py:11',
    first: /`attention\.k_cache\[\*\]` keeps/,
  },
  'list-of-outputs': {
    program: `
import torch

def evaluate(model, batches):
    outputs = []
    for batch in range(batches):
        with torch.no_grad():
            outputs.append(model(torch.zeros(2048, 512, device="cuda")))
    return outputs

evaluate(torch.nn.Linear(512, 512).cuda().eval(), 1000)
`,
    verdict: 'oom',
    headline: 'Out of GPU memory in train.py',
    who: ['outputs[*] in evaluate (train.py)'],
    line: 'train.py:8',
    first: /`outputs\[\*\] in evaluate \(train\.py\)` keeps/,
  },
  'losses-keep-graphs': {
    program: `
import torch

def train(model, steps):
    losses = []
    for step in range(steps):
        loss = model(torch.zeros(2048, 512, device="cuda")).square().mean()
        losses.append(loss)
    return torch.stack(losses)

net = torch.nn.Sequential(*[torch.nn.Linear(512, 512) for _ in range(4)]).cuda()
train(net, 1000)
`,
    verdict: 'oom',
    headline: 'Out of GPU memory in train.py',
    who: ['net.*'],
    line: 'train.py:7',
    first: /`losses\[\*\] in train \(train\.py\)` keeps .* of activations alive/,
  },
  'eval-without-no-grad': {
    program: `
import torch

net = torch.nn.Sequential(*[torch.nn.Linear(512, 512) for _ in range(8)]).cuda().eval()
batch = 256
while True:
    output = net(torch.zeros(batch, 512, device="cuda"))
    batch *= 2
`,
    verdict: 'oom',
    headline: 'Out of GPU memory in train.py',
    who: ['net.*'],
    line: 'train.py:7',
    first: /were saved for a backward while the model was in `eval\(\)`/,
  },
  'one-bad-request': {
    program: `
import torch

net = torch.nn.Linear(1024, 1024).cuda().eval()

@torch.no_grad()
def answer(length):
    return net(torch.zeros(length, 1024, device="cuda")).sum().item()

for length in (16, 1 << 20, 32):
    try:
        answer(length)
    except torch.OutOfMemoryError:
        print("refused", length)
`,
    verdict: 'oom-recovered',
    headline: '1 out-of-memory error, caught: the program went on',
    who: [],
    line: null,
    first: null,
  },
  'compiled-model': {
    program: `
import torch
import torch.nn as nn

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(256), nn.Linear(256, 1024), nn.Linear(1024, 256)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(self.norm(x))))

net = torch.compile(nn.Sequential(*[Block() for _ in range(6)]).cuda(), backend="aot_eager")
batch = 8
while True:
    net(torch.zeros(batch, 64, 256, device="cuda")).sum().backward()
    batch *= 2
`,
    verdict: 'oom',
    headline: 'Out of GPU memory in train.py',
    who: ['net'],
    line: 'train.py:16',
    first: /^Activations took/,
  },
  sharded: {
    program: `
import torch
import torch.nn as nn
from torch.distributed.fsdp import FullyShardedDataParallel

torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
torch.cuda.set_device(0)
layer = nn.TransformerEncoderLayer(256, 4, 1024, batch_first=True)
net = FullyShardedDataParallel(nn.TransformerEncoder(layer, 4).cuda(), use_orig_params=True)
batch = 4
while True:
    net(torch.zeros(batch, 64, 256, device="cuda")).sum().backward()
    batch *= 2
`,
    verdict: 'oom',
    headline: 'Out of GPU memory in train.py',
    who: ['flat parameter of layers', 'layers.*.self_attn'],
    line: 'train.py:12',
    first: /^Activations took/,
  },
  'two-copies': {
    program: `
import copy
import torch

def build():
    return torch.nn.Sequential(*[torch.nn.Linear(1024, 1024) for _ in range(20)]).cuda()

model = build()
best = copy.deepcopy(model)
tokens = torch.zeros(4096, 1024, device="cuda")
with torch.no_grad():
    while True:
        tokens = torch.cat([tokens, model(tokens)])
`,
    verdict: 'oom',
    headline: 'Out of GPU memory in train.py',
    who: ['model.*.weight', 'best.*.weight'],
    line: null,
    first: /One model is alive \*\*2\*\* times/,
  },
  'cache-handed-on': {
    program: `
import torch
import torch.nn as nn

class Cache:
    def __init__(self):
        self.keys = None

    def update(self, keys):
        self.keys = keys if self.keys is None else torch.cat([self.keys, keys], -2)
        return self.keys

class Attend(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(512, 512)

    def forward(self, x, cache):
        return x + cache.update(self.project(x)).mean(-2, keepdim=True)

@torch.no_grad()
def generate(model, x):
    past = Cache()
    while True:
        x = model(x, past)

generate(Attend().cuda(), torch.zeros(8, 512, 512, device="cuda"))
`,
    verdict: 'oom',
    headline: 'Out of GPU memory in train.py',
    who: ['past.keys in generate (train.py)'],
    line: 'train.py:19',
    first: /`past\.keys in generate \(train\.py\)` keeps/,
  },
  'graph-over-iterations': {
    program: `
import torch

net = torch.nn.Sequential(*[torch.nn.Linear(512, 512) for _ in range(6)]).cuda()
hidden = torch.zeros(1024, 512, device="cuda")
for step in range(10000):
    hidden = net(hidden)
    loss = hidden.sum()
    loss.backward(retain_graph=True)
`,
    verdict: 'oom',
    headline: 'Out of GPU memory in train.py',
    who: ['net.*'],
    line: null,
    first: /One autograd graph goes through the model .* times, kept by `hidden in train\.py`/,
  },
  'weights-do-not-fit': {
    program: `
import torch

def load(layers):
    return torch.nn.Sequential(*[torch.nn.Linear(2048, 2048, device="cuda") for _ in range(layers)])

load(64)
`,
    verdict: 'oom',
    headline: 'Out of GPU memory in train.py',
    who: [],
    line: 'train.py:5',
    first: /^Parameters alone took/,
  },
  'first-step': {
    program: `
import torch

net = torch.nn.Sequential(*[torch.nn.Linear(2048, 2048) for _ in range(5)]).cuda()
optimizer = torch.optim.Adam(net.parameters(), foreach=False)
net(torch.zeros(8, 2048, device="cuda")).sum().backward()
optimizer.step()
`,
    verdict: 'oom',
    headline: 'Out of GPU memory in train.py',
    who: ['net.*.weight'],
    line: 'train.py:7',
    first: /Memory ran out in the optimizer's first step/,
  },
  'key-error': {
    program: `
import torch

config = {"lr": 1e-3}
net = torch.nn.Linear(8, 8).cuda()
print(config["batch"])
`,
    verdict: 'failed',
    headline: 'The step failed with exit code 1; no out-of-memory was seen',
    who: [],
    line: 'train.py:6',
    first: null,
  },
  'no-such-command': {
    program: '',
    command: 'pyton train.py',
    verdict: 'failed',
    headline: 'The step failed with exit code 127; nothing was recorded',
    who: [],
    line: null,
    first: null,
  },
};
