"""Work on four streams side by side, blocks recorded on several of them; the last one runs out of memory."""

import scale
import torch

limit = scale.bound()
part = limit // 32
streams = [torch.cuda.Stream() for _ in range(4)]
kept = []
for _ in range(3):
    for stream in streams:
        with torch.cuda.stream(stream):
            block = torch.zeros(part // 4, device="cuda")
            block.add_(1)
            block.record_stream(torch.cuda.current_stream())
            kept.append(block)
    # Freed while another stream may still use it: the allocator holds it back by an event.
    kept[-1].record_stream(streams[0])
    del kept[-1]
torch.cuda.synchronize()
print("streams done", flush=True)
with torch.cuda.stream(streams[3]):
    scale.buffer(limit)
