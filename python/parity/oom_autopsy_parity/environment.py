"""What the numbers depend on besides the program: frozen with them, and compared before a difference is
called a change."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import MutableMapping
from typing import Any

from .shared import shared

# Set before torch is imported. One thread: the oracle's sequence moves with their number. No device: the
# check is made on CPU, beside a job that may be using the GPU, and CUDA must not be initialised before a
# fork.
PINS = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
    "CUDA_VISIBLE_DEVICES": "",
    "HIP_VISIBLE_DEVICES": "",
}

# The facts, each with its type.
FACTS = {
    **dict.fromkeys(("torch", "python", "system", "machine", "cpu", "capability"), str),
    **dict.fromkeys(("mkl", "mkldnn", "mkldnn_bf16"), bool),
    "threads": int,
}
PROCESS_KEY = ("system", "machine", "python", "threads")
KERNEL_KEY = (*PROCESS_KEY, "capability", "cpu", "mkl", "mkldnn", "mkldnn_bf16")


def pin(environ: MutableMapping[str, str]) -> None:
    environ.update(PINS)


def cpu_facts() -> dict[str, str]:
    """What the system says of the first processor: its model, its instruction sets and the rest of it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            first = file.read(1 << 14).partition("\n\n")[0]
    except OSError:
        return {}
    facts = (line.partition(":") for line in first.splitlines())
    return {name.strip(): value.strip() for name, _, value in facts if "MHz" not in name}


def _cpu_model() -> str:
    facts = cpu_facts()
    named = next((facts[n] for n in ("model name", "Model", "cpu model") if n in facts), platform.processor())
    return named[:200] or "unknown"


def _mkldnn(torch: Any) -> tuple[bool, bool]:
    """(oneDNN is there and on, and it takes bfloat16 on this processor)"""
    backend = torch.backends.mkldnn
    on = bool(backend.is_available()) and bool(getattr(backend, "enabled", True))
    return on, shared("torch_api").takes_bfloat16()


def version(text: str) -> tuple[int, int]:
    """(major, minor) of a torch version; (0, 0) when it cannot be read."""
    parts = text.split("+")[0].split(".")
    try:
        return int(parts[0]), int(parts[1])
    except (ValueError, IndexError):
        return 0, 0


def environment() -> dict[str, Any]:
    """Facts of this process. `torch` is without its local part (2.13.0, not 2.13.0+cpu): builds of one
    version agree."""
    import torch

    on, bf16 = _mkldnn(torch)
    capability = getattr(getattr(torch.backends, "cpu", None), "get_cpu_capability", lambda: "unknown")()
    return {
        "torch": str(torch.__version__).split("+")[0],
        "python": ".".join(map(str, sys.version_info[:2])),
        "system": platform.system(),
        "machine": platform.machine(),
        "cpu": _cpu_model(),
        "capability": str(capability),
        "threads": int(os.environ.get("OMP_NUM_THREADS") or torch.get_num_threads()),
        "mkl": bool(torch.backends.mkl.is_available()),
        "mkldnn": on,
        "mkldnn_bf16": bf16,
    }


def differing(frozen: dict[str, Any], now: dict[str, Any], kernels: bool) -> list[str]:
    """`field: frozen -> now` for each field that the oracle's numbers depend on and that is not what it
    was."""
    return [
        f"{k}: {frozen.get(k)} -> {now.get(k)}"
        for k in (KERNEL_KEY if kernels else PROCESS_KEY)
        if frozen.get(k) != now.get(k)
    ]
