"""Prints what the check wants to know of this interpreter and its torch, as one line of JSON."""

import json
import os
import platform
import sys

import torch


def nccl():
    """NCCL's version as text; None where torch has none."""
    try:
        return ".".join(map(str, torch.cuda.nccl.version()))
    except Exception:
        return None


def devices():
    """What torch sees."""
    found = []
    for index in range(torch.cuda.device_count()):
        properties = torch.cuda.get_device_properties(index)
        free, _ = torch.cuda.mem_get_info(index)
        found.append(
            {
                "index": index,
                "name": properties.name,
                "total": properties.total_memory,
                "free": free,
                "capability": f"{properties.major}.{properties.minor}",
            }
        )
    return found


print(
    json.dumps(
        {
            "executable": sys.executable,
            "python": platform.python_version(),
            "torch": torch.__version__,
            "cuda": torch.version.cuda,
            "cudnn": torch.backends.cudnn.version(),
            "nccl": nccl(),
            "standin": os.path.isdir(
                os.path.join(os.path.dirname(torch.__file__), "lib", "oom-autopsy-standin")
            ),
            "devices": devices() if torch.cuda.is_available() else [],
        }
    )
)
