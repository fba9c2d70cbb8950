"""Fork after `import torch`: CUDA works in the child, and in the parent afterwards. It fails where anybody
has initialised CUDA, or asked the driver for devices, before the fork."""

import os
import sys

import torch

print("initialised by the import:", torch.cuda.is_initialized(), flush=True)
pid = os.fork()
if pid == 0:
    code = 1
    try:
        print("child:", tuple(torch.zeros(3, device="cuda").shape), flush=True)
        code = 0
    finally:
        os._exit(code)
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print("parent:", tuple(torch.zeros(3, device="cuda").shape))
sys.exit(code)
