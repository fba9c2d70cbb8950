"""Pinned host memory: a loader with workers that pins its batches, copies that do not block, then an
out-of-memory."""

import scale
import torch
from torch.utils.data import DataLoader, TensorDataset


def main():
    """Loads, copies, fails."""
    limit = scale.bound()
    data = TensorDataset(torch.ones(64, 1 << 14))
    loader = DataLoader(data, batch_size=8, num_workers=2, pin_memory=True, multiprocessing_context="fork")
    pinned = [batch.is_pinned() for (batch,) in loader]
    print(f"pinned {sum(pinned)} of {len(pinned)}", flush=True)
    host = torch.empty(limit // 8, dtype=torch.uint8, pin_memory=True)
    here = host.to("cuda", non_blocking=True)
    torch.cuda.synchronize()
    print("copied", here.numel() == host.numel(), flush=True)
    scale.buffer(limit)


if __name__ == "__main__":
    main()
