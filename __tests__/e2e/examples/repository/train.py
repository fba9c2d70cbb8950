"""A training program as the examples take it. `FILL` in the environment makes it run out of memory at the end."""

import argparse
import os

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=3)
parser.add_argument("--batch", type=int, default=8)
options = parser.parse_args()

model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 8)).cuda()
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(min(options.steps, 3)):
    optimizer.zero_grad()
    model(torch.ones(options.batch, 64, device="cuda")).mean().backward()
    optimizer.step()


class Cycle:
    """Refers to itself, and holds a tensor."""

    def __init__(self) -> None:
        self.tensor = torch.empty(4 << 20, dtype=torch.uint8, device="cuda")
        self.me = self


if "CYCLES" in os.environ:
    for _ in range(3):
        Cycle()
rank = os.environ.get("RANK") or os.environ.get("SLURM_PROCID") or "0"
if os.environ.get("FILL") == rank or (os.environ.get("FILL_BATCH") == str(options.batch)):
    held = [torch.empty(64 << 20, dtype=torch.uint8, device="cuda") for _ in range(100)]
