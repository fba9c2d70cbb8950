"""How much memory a program of the check may take: a share of the device, so that several run side by side
and the amounts are those of the device, not of a test."""

import time

import torch

SHARE = 1 / 16


def bound(device=0, share=SHARE):
    """Limits this process to a share of a device, through the allocator's own limit; returns the bytes."""
    total = torch.cuda.get_device_properties(device).total_memory
    torch.cuda.set_per_process_memory_fraction(share, device)
    return int(total * share)


def buffer(size, device="cuda"):
    """A tensor of so many bytes."""
    return torch.empty(int(size), dtype=torch.uint8, device=device)


def settle():
    """Waits a moment before the end: the autograd thread drops the last graph after backward has returned, and where the
    interpreter ends meanwhile torch aborts (before Python 3.14; exit code 134)."""
    time.sleep(0.5)
