"""Finds the rebuilt view, which the parity check shares with the shim, in ../../shim/_oom_autopsy.

It is loaded under a package name of its own. A process whose start-up hook already runs the shim keeps that
copy untouched, and the shim's `__init__` (which acts) is never executed here."""

from __future__ import annotations

import importlib
import os
import sys
import types
from typing import Any

_NAME = "_oom_autopsy_shared"
FOLDER = os.path.normpath(
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "shim", "_oom_autopsy")
)


def shared(module: str) -> Any:
    """One module of the shim's package: `shared("timeline.view")`, `shared("torch_api")`."""
    if _NAME not in sys.modules:
        package = types.ModuleType(_NAME)
        package.__path__ = [FOLDER]
        sys.modules[_NAME] = package
    return importlib.import_module(f"{_NAME}.{module}")
