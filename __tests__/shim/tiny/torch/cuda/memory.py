"""torch.cuda.memory of the tiny torch."""

import os

import torch

_C = torch._C

if torch.KIND == "2.0":

    def _record_memory_history(
        enabled,
        record_context=True,
        trace_alloc_max_entries=1,
        trace_alloc_record_context=False,
        device=None,
        record_context_cpp=False,
    ):
        _C._cuda_recordMemoryHistory(
            enabled, record_context, trace_alloc_max_entries, trace_alloc_record_context, record_context_cpp
        )

else:

    def _record_memory_history(enabled="all", context="all", stacks="all", max_entries=2**63 - 1):
        _C._cuda_record_memory_history(enabled, context, stacks, max_entries)


def _dump_snapshot(filename="dump_snapshot.pickle"):
    with open(filename, "wb") as file:
        file.write(b"tiny snapshot " * int(os.environ.get("TINY_TORCH_SIZE", "1")))
