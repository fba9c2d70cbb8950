"""A `match` of the built-in fixture, remembered for later steps of the same job, so that they need not
measure it again.

It lies in a folder that the runner empties after the job (RUNNER_TEMP), under a key over everything that the
match stood on. Nothing is kept but the facts of the environment: what a match says is in the fixture. The
step runs as the same user and can write there too, so a forged one can tell later steps of this job that
parity holds, and nothing else to nobody else. (A user's own scenario is never remembered: what its code reads
is in no key.)"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import stat
import sys
from collections.abc import Iterator
from typing import Any

from .environment import FACTS, cpu_facts
from .shared import FOLDER, shared

_SCHEMA = "oom-autopsy.parity-match.v1"
_LIMIT_BYTES = 4096
_JOB = ("GITHUB_RUN_ID", "GITHUB_RUN_ATTEMPT", "GITHUB_JOB", "GITHUB_REPOSITORY", "RUNNER_NAME")
# Of the environment: what torch, its libraries, the loader and Python read. (The pins of environment.py are
# among them.)
_PREFIXES = (
    *(
        "PYTHON",
        "VIRTUAL_ENV",
        "CONDA",
        "LD_",
        "MALLOC_",
        "GLIBC_",
        "CUDA",
        "HIP",
        "TORCH",
        "PYTORCH",
        "KINETO",
    ),
    *("ATEN", "DNNL", "ONEDNN", "MKL", "OMP", "KMP", "GOMP", "OPENBLAS", "VECLIB", "NUMEXPR"),
)


def _sources() -> Iterator[str]:
    for top in (os.path.dirname(os.path.abspath(__file__)), FOLDER):
        for folder, _, names in sorted(os.walk(top)):
            yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(".py"))


def _content(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def _torch() -> list[Any] | None:
    """What names this torch, without importing it; None where that is unknown."""
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        return None
    folder = os.path.dirname(spec.origin)
    record = importlib.metadata.distribution("torch").read_text("RECORD")
    if not record:
        return None  # an editable install, say: nothing tells when it changed
    private = [_content(os.path.join(folder, name)) for name in shared("torch_api").PARITY_FILES]
    libraries = sorted(os.scandir(os.path.join(folder, "lib")), key=lambda entry: entry.name)
    sizes = [(e.name, e.stat().st_size, e.stat().st_mtime_ns) for e in libraries]
    return [folder, hashlib.sha256(record.encode()).hexdigest(), private, sizes]


def key(fixture_sha256: str) -> str | None:
    """One value over all that a match stands on; None outside of a job, and where not all of it can be
    told."""
    if not os.environ.get("GITHUB_RUN_ID"):
        return None
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            boot = file.read()
        customized = [
            getattr(sys.modules.get(n), "__file__", None) for n in ("sitecustomize", "usercustomize")
        ]
        torch = _torch()
        if torch is None:
            return None
        stands_on = [
            fixture_sha256,
            [os.environ.get(name) for name in _JOB],
            [boot, platform.uname()[:5], cpu_facts(), os.geteuid()],
            [sys.version, sys.executable, sys.prefix, sys.path, list(sys.flags), customized],
            [_content(path) for path in [*_sources(), *filter(None, customized)]],
            sorted((k, v) for k, v in os.environ.items() if k.startswith(_PREFIXES)),
            torch,
        ]
    except Exception:  # a part of it is not as we know it: then it is measured
        return None
    return hashlib.sha256(json.dumps(stands_on).encode()).hexdigest()


def _path(folder: str, of: str) -> str:
    return os.path.join(folder, f"oom-autopsy-parity-{of}.json")


def recall(folder: str, of: str) -> dict[str, Any] | None:
    """The environment of the match under this key. Only what `keep` can have written is believed: a regular
    file of our own user's that nobody else may write, with the known facts and no others."""
    try:
        descriptor = os.open(_path(folder, of), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        about = os.fstat(descriptor)
        ours = stat.S_ISREG(about.st_mode) and about.st_uid == os.geteuid() and about.st_nlink == 1
        if not ours or stat.S_IMODE(about.st_mode) != 0o600 or about.st_size > _LIMIT_BYTES:
            return None
        data = json.loads(os.read(descriptor, _LIMIT_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    finally:
        os.close(descriptor)
    if not isinstance(data, dict) or set(data) != {"schema", "key", "environment"}:
        return None
    facts = data["environment"]
    known = (
        isinstance(facts, dict)
        and {name: type(value) for name, value in facts.items()} == FACTS
        and all(len(str(value)) <= 200 for value in facts.values())
    )
    return facts if known and (data["schema"], data["key"]) == (_SCHEMA, of) else None


def keep(folder: str, of: str, environment: dict[str, Any]) -> None:
    """Best effort: else a later step measures again. Written whole or not at all, and through no link: the
    temporary file must be new, and a rename replaces a link that has the name."""
    path = _path(folder, of)
    temporary = f"{path}.{os.getpid()}"
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(temporary, flags, 0o600)
        try:
            data = {"schema": _SCHEMA, "key": of, "environment": environment}
            os.write(descriptor, json.dumps(data).encode())
        finally:
            os.close(descriptor)
        os.rename(temporary, path)
    except OSError:
        return
