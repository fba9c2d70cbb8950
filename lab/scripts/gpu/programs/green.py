"""A training whose numbers are printed bit by bit, with torch's deterministic algorithms."""

import os
import struct

os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"

import scale
import torch

torch.use_deterministic_algorithms(True, warn_only=True)
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.GELU(), torch.nn.Linear(256, 8)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
batch = torch.ones(32, 64, device="cuda")
for step in range(5):
    optimizer.zero_grad()
    loss = model(batch).square().mean()
    loss.backward()
    optimizer.step()
    print("loss", step, struct.pack(">f", loss.item()).hex())
print("peak", torch.cuda.max_memory_allocated())
scale.settle()
