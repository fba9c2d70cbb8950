"""A training with 300,000 objects alive and 100,000 events in the recorder runs out of memory three times,
caught. Prints what each took from the program's side; the action's receipt says what of it was the dump, the
census and the cycles."""

import json
import time

import scale
import torch
import train_oom

EVENTS = 100_000
OBJECTS = 300_000

limit = scale.bound()
objects = [[] for _ in range(OBJECTS)]
model = train_oom.TinyTransformer().cuda()
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(2):
    train_oom.train_step(model, optimizer, 8)
scores = model(torch.zeros(8, 64, dtype=torch.long, device="cuda"))
began = time.perf_counter()
# An allocation and its free are three events.
for _ in range(EVENTS // 3 + 1000):
    torch.empty(512, device="cuda")
print(json.dumps({"pairs": EVENTS // 3 + 1000, "seconds": time.perf_counter() - began}))
for _ in range(3):
    began = time.perf_counter()
    try:
        scale.buffer(limit)
    except torch.cuda.OutOfMemoryError:
        print(json.dumps({"caught": time.perf_counter() - began}), flush=True)
scale.settle()
