"""The example's training, its batch growing until the share of the device is full. With `catch` it goes on
with a smaller batch, as trainers do that look for the largest one."""

import sys

import scale
import torch
import train_oom


def catching():
    """Halves the batch at an out-of-memory and takes two more steps."""
    model = train_oom.TinyTransformer().cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    batch, left = 8, None
    while left != 0:
        try:
            train_oom.train_step(model, optimizer, batch)
        except torch.cuda.OutOfMemoryError:
            print(f"caught at batch {batch}", flush=True)
            torch.cuda.empty_cache()
            batch, left = batch // 4, 2
            continue
        if left is None:
            batch *= 2
        else:
            left -= 1
    print("done")
    scale.settle()


scale.bound()
if sys.argv[1:] == ["catch"]:
    catching()
else:
    train_oom.main()
