"""Two devices: the first has room, the second runs out."""

import scale

first, second = scale.bound(0), scale.bound(1)
held = scale.buffer(first // 4, "cuda:0")
beside = scale.buffer(second // 2, "cuda:1")
print("both in use", flush=True)
scale.buffer(second, "cuda:1")
