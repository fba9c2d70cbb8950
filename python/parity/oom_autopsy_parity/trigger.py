"""The review trigger: does this torch have a stable allocator annotation, or has the categorizer gone?

Nothing of ours parses a snapshot, because no annotation of torch's survives into its events under a public
name. Should one appear, that rule is looked at again: this says so, in one line, and does nothing else."""

from __future__ import annotations

from typing import Any

from .shared import shared


def detect() -> dict[str, Any]:
    """{status: quiet | new | fired, new: [full names], known: [full names], says: one line}"""
    api = shared("torch_api")
    _load()
    names = api.annotation_names()
    gone = api.oracle_parts()
    fired = names["public"] + ([gone] if isinstance(gone, str) else [])
    if fired:
        says = f"Review trigger: {'; '.join(fired)}. Look again at what the snapshot may be read for."
    elif names["new"]:
        says = f"Review trigger: new private names in torch, not yet looked at: {', '.join(names['new'])}."
    else:
        says = "Review trigger: quiet (no public allocator annotation; the categorizer is there)."
    status = "fired" if fired else "new" if names["new"] else "quiet"
    return {"status": status, "new": fired + names["new"], "known": names["known"], "says": says}


def _load() -> None:
    """The modules that the names live in; an older torch lacks some."""
    import importlib

    for name in ("torch.cuda.memory", "torch.accelerator.memory"):
        try:
            importlib.import_module(name)
        except ImportError:
            pass
