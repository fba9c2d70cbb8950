"""The peak of each device over the whole process, though the program resets torch's own count of it.

Most trainers reset the peak at each step. What such a call is about to forget is read first; the program's own figures stay
what they were. Nothing else is hooked.
"""

from .. import faults, process, torch_api
from ..signals import handlers

PEAKS = ("peak_allocated", "peak_reserved")


def watch_program():
    """From now on, reads the peak before the program resets it."""
    torch_api.watch_peak_resets(_before_reset)


def _before_reset(device):
    """Raises only what a signal handler of the program raised meanwhile."""
    held = []
    try:
        handlers.to_the_end(lambda: _remember(device), held)
    except Exception as error:
        faults.report("peak", f"a peak was not read before its reset: {faults.describe(error)}")
    if held:
        raise handlers.without_us(held[0])


def _remember(device):
    me = process.mine()
    if me is None or not torch_api.counts_allocations():
        return
    for index in torch_api.used_devices() if device is None else (device,):
        me.peaks[index] = tuple(map(max, torch_api.peak_bytes(index), me.peaks.get(index, (0, 0))))


def devices(me):
    """The receipt's `devices`, with the peaks of the whole process."""
    rows = torch_api.device_rows()
    for row in rows:
        before = me.peaks.get(row["index"], (0, 0))
        row.update((name, max(row[name], was)) for name, was in zip(PEAKS, before))
    return rows


def over_budget(me, rows):
    """Whether a device's peak of allocated memory is above the budget: bytes, or a share of the device's memory."""
    budget = me.config.memory_budget
    return budget is not None and any(
        row["peak_allocated"] > (budget if budget >= 1 else budget * row["total"]) for row in rows
    )
