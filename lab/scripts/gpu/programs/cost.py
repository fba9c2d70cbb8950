"""A training that makes as many steps as it is told over a socket, and answers with the seconds of a step: `plain`, `recipe`
(recording switched on by hand, as people paste it) or `ours` (by the action around it). Several take turns, so that they meet
the same other work and pay their start only once.

    cost.py KIND MAX_ENTRIES SOCKET
"""

import json
import socket
import statistics
import sys
import time

import scale
import torch

WARM_UP = 10


def training():
    """A callable that makes one step of a transformer of 19 million parameters on 4,096 tokens."""
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True)
    model = torch.nn.TransformerEncoder(layer, 6, enable_nested_tensor=False).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    batch = torch.ones(32, 128, 512, device="cuda")

    def step():
        loss = model(batch).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return step


def measured(step, count):
    """Medians of `count` steps, each to its end on the device."""
    wall, cpu = [], []
    for _ in range(count):
        torch.cuda.synchronize()
        began, began_cpu = time.perf_counter(), time.process_time()
        step()
        torch.cuda.synchronize()
        wall.append(time.perf_counter() - began)
        cpu.append(time.process_time() - began_cpu)
    return {"wall": statistics.median(wall), "cpu": statistics.median(cpu)}


def main(kind, max_entries, path):
    """Says who it is, then works until the other end is gone."""
    if kind == "recipe":
        torch.cuda.memory._record_memory_history(max_entries=int(max_entries), stacks="python")
    step = training()
    measured(step, WARM_UP)
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        lines = connection.makefile("rw")
        print(
            json.dumps({"kind": kind, "recording": torch._C._cuda_isHistoryEnabled()}), file=lines, flush=True
        )
        for line in lines:
            print(json.dumps(measured(step, int(line))), file=lines, flush=True)
    scale.settle()


main(*sys.argv[1:])
