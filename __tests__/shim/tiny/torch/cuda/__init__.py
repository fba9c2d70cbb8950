"""torch.cuda of the tiny torch: one device of 1000 bytes."""

import collections
import types

import torch

from . import memory as memory

TOTAL = 1000
_queued_calls = []
_initialized = False
_tls = types.SimpleNamespace()
used = 0
stats = collections.Counter()


def is_initialized():
    return _initialized


def _lazy_call(function):
    if _initialized:
        function()
    else:
        _queued_calls.append(function)


def init():
    global _initialized
    if _initialized:
        return
    if torch.KIND in ("cpu", "xpu"):
        raise AssertionError("Torch not compiled with CUDA enabled")
    _tls.is_initializing = True
    for call in _queued_calls:
        call()
    del _tls.is_initializing
    _initialized = True


def allocate(size):
    """Takes memory; runs out of it as torch does: the observers first, then the error."""
    global used
    init()
    if used + size > TOTAL:
        stats["num_ooms"] += 1
        for observer in list(torch._C.observers):
            observer(0, size, TOTAL, TOTAL - used)
        raise torch.OutOfMemoryError(f"CUDA out of memory. Tried to allocate {size} bytes")
    used += size
    return size


def get_allocator_backend():
    return "cudaMallocAsync" if torch.KIND == "async" else "native"


def memory_stats(device=None):
    return {"allocated_bytes.all.current": used, "reserved_bytes.all.peak": used, **stats}


def mem_get_info(device=None):
    return TOTAL - used, TOTAL


def current_device():
    return 0


def device_count():
    return 1


def get_device_properties(device):
    return types.SimpleNamespace(name="Tiny", total_memory=TOTAL)
