"""A torch of a hundred lines, for what the real one cannot show here: Pythons it is not installed for,
builds for other devices, and programs by the hundred (it imports in a millisecond). It has the names the
shim meets, with torch's own behaviour: the recorder, the queue of lazy calls, the observers that run before
the error.

TINY_TORCH: "" a CUDA build of 2.14, "cpu", "hip", "xpu", "2.0" (before the recorder's present arguments),
"broken" (its import fails), "async" (backend cudaMallocAsync), "refuses" (arming raises).
"""

import os
import sys
import types

KIND = os.environ.get("TINY_TORCH", "")
if KIND == "broken":
    raise RuntimeError("torch is broken")

__version__ = "2.0.1" if KIND == "2.0" else "2.14.1+tiny"
version = types.SimpleNamespace(
    cuda=None if KIND in ("cpu", "hip", "xpu") else "13.0",
    hip="7.0" if KIND == "hip" else None,
    xpu="2025" if KIND == "xpu" else None,
)


class OutOfMemoryError(RuntimeError):
    """As torch's."""


_C = types.ModuleType("torch._C")
sys.modules["torch._C"] = _C
_C.state = {"on": False, "entries": 0, "calls": []}
_C.observers = []


def _record(enabled, *args):
    if KIND == "refuses" and enabled:
        raise RuntimeError("unwinder: stoi")
    if KIND == "async":
        raise RuntimeError("cudaMallocAsync does not yet support recordHistory")
    _C.state["on"] = bool(enabled)
    _C.state["calls"].append((enabled, *args))


def _enabled():
    if KIND == "async":
        raise RuntimeError("cudaMallocAsync does not yet support recordHistory")
    return _C.state["on"]


if KIND not in ("cpu", "xpu"):
    _C._cuda_attach_out_of_memory_observer = _C.observers.append
    if KIND == "2.0":
        _C._cuda_recordMemoryHistory = _record
    else:
        _C._cuda_record_memory_history = _record
        _C._cuda_isHistoryEnabled = _enabled

from . import cuda  # noqa: E402

cuda.OutOfMemoryError = OutOfMemoryError
