"""Seconds of a training step: `plain`, `recipe` (recording switched on by hand, as people paste it) or `ours`
(by the action around it). Prints the median as one line of JSON, with whether the recording was on."""

import json
import sys
import time

import torch

kind, steps, max_entries = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
WARM_UP = 10
if kind == "recipe":
    torch.cuda.memory._record_memory_history(max_entries=max_entries, stacks="python")
torch.manual_seed(0)
layer = torch.nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True)
model = torch.nn.TransformerEncoder(layer, 6, enable_nested_tensor=False).cuda()
optimizer = torch.optim.AdamW(model.parameters())
batch = torch.ones(32, 128, 512, device="cuda")
wall, cpu = [], []
for _ in range(WARM_UP + steps):
    torch.cuda.synchronize()
    began, began_cpu = time.perf_counter(), time.process_time()
    loss = model(batch).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    torch.cuda.synchronize()
    wall.append(time.perf_counter() - began)
    cpu.append(time.process_time() - began_cpu)


def middle(values):
    """Median after the warm-up."""
    return sorted(values[WARM_UP:])[steps // 2]


row = {"kind": kind, "wall": middle(wall), "cpu": middle(cpu), "recording": torch._C._cuda_isHistoryEnabled()}
print(json.dumps(row), flush=True)
