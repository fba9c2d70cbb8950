"""Six steps of the example's training, nothing else."""

import scale
import torch
import train_oom

model = train_oom.TinyTransformer().cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for _ in range(6):
    train_oom.train_step(model, optimizer, 16)
torch.cuda.synchronize()
print("done")
scale.settle()
