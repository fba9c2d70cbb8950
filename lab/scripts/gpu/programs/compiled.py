"""A model under torch.compile, forward and backward; prints what was compiled and a rounded result."""

import scale
import torch
import torch._dynamo.utils

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 1)).cuda()
compiled = torch.compile(model)
batch = torch.ones(16, 64, device="cuda")
for _ in range(3):
    loss = compiled(batch).square().mean()
    loss.backward()
counters = torch._dynamo.utils.counters
print("graphs", counters["stats"]["unique_graphs"], "breaks", sum(counters["graph_break"].values()))
print(f"loss {loss.item():.3f}")
scale.settle()
