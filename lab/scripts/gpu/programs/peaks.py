"""A transformer with AdamW and a small convolutional net with SGD; prints torch's own peaks as one line of
JSON."""

import json
import os

import scale
import torch
import train_oom

rows = {"pid": os.getpid()}


def note(name):
    """The peaks so far."""
    torch.cuda.synchronize()
    rows[name] = {
        "allocated": torch.cuda.max_memory_allocated(),
        "reserved": torch.cuda.max_memory_reserved(),
    }


model = train_oom.TinyTransformer().cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for _ in range(3):
    train_oom.train_step(model, optimizer, 64)
note("transformer")
del model, optimizer
net = torch.nn.Sequential(
    torch.nn.Conv2d(3, 64, 7, stride=2, padding=3),
    torch.nn.BatchNorm2d(64),
    torch.nn.ReLU(),
    torch.nn.Conv2d(64, 128, 3, padding=1),
    torch.nn.BatchNorm2d(128),
    torch.nn.ReLU(),
).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
for _ in range(3):
    optimizer.zero_grad()
    net(torch.ones(256, 3, 64, 64, device="cuda")).square().mean().backward()
    optimizer.step()
note("both")
print(json.dumps(rows))
scale.settle()
