"""Fills the device through torch, then asks something that allocates past torch's allocator: `cublas`,
`cudnn`, `nccl` or `kernel`. Prints what came of it as one line of JSON."""

import json
import os
import sys
import time

# A small workspace, so that it is cuBLAS that asks the driver, not torch for its workspace.
os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":16:8"

import torch

kind = sys.argv[1]
first, second = (torch.ones(1, 8, 16, 16, device="cuda") for _ in range(2))
held = []


def fill():
    """Takes what is free, coarse pieces first, down to a few MiB; returns the bytes left."""
    for _ in range(24):
        free, _total = torch.cuda.mem_get_info()
        size = min(free, 32 << 30) - (8 << 20)
        if size < (12 << 20):
            break
        try:
            held.append(torch.empty(size, dtype=torch.uint8, device="cuda"))
        except torch.cuda.OutOfMemoryError:
            break
    try:
        # Out of the pool of small blocks, which takes 2 MiB at a time from the driver.
        while torch.cuda.mem_get_info()[0] > (2 << 20):
            held.append(torch.empty(1 << 20, dtype=torch.uint8, device="cuda"))
    except torch.cuda.OutOfMemoryError:
        pass
    held.pop()  # room for what torch itself needs
    return torch.cuda.mem_get_info()[0]


def ask():
    """The call."""
    if kind == "cublas":
        return first[0, 0] @ second[0, 0]
    if kind == "cudnn":
        return torch.nn.functional.conv2d(first, second)
    if kind == "kernel":
        return torch.roll(first, 1)
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "0")
    torch.distributed.init_process_group("nccl", store=torch.distributed.HashStore(), rank=0, world_size=1)
    torch.distributed.all_reduce(first)
    return first


row = {"kind": kind, "error": None, "text": None}
began = time.perf_counter()
row["left"] = fill()
try:
    ask()
    torch.cuda.synchronize()
except Exception as error:
    row.update(error=type(error).__name__, text=str(error).splitlines()[0][:300])
row.update(seconds=round(time.perf_counter() - began, 2), held=sum(map(torch.numel, held)))
print(json.dumps(row), flush=True)
# The communicator of a failed start may not come down.
os._exit(0 if row["error"] is None else 1)
