"""Helpers for the shim's tests: a step's folder as the action lays it, real interpreters run in it, receipts read back.

Every program runs in a process of its own. The interpreters come from OA_PYTHON_CUDA (torch's CUDA build; a device or the
stand-in) and OA_PYTHON_CPU (torch's CPU build); other Pythons are searched for on this machine.
"""

import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHIM = ROOT / "shim"
sys.path.append(str(SHIM))  # for tests of single functions; nothing here imports torch
TINY = pathlib.Path(__file__).resolve().parent / "tiny"
DEFAULTS = {
    "schema": "oom-autopsy.config.v1",
    "step": "0123456789ab",
    "snapshot": "on-oom",
    "max_entries": 100_000,
    "stacks": "python",
    "max_snapshots": 3,
    "cycles": "warn",
    "cycles_watch": "sampled",
    "categories": "census",
    "timeline_steps": 3,
    "dump_deadline_s": 120,
}
# The looks have tests of their own; without them a run of these is shorter and its receipt smaller.
PLAIN = {"cycles": "off", "categories": "off"}


def device_env(total="256M", devices=1, others="0", zero_d2h=None):
    """Environment of the stand-in device: its size, how many, bytes others hold; a real device ignores it."""
    env = {"TOTAL_BYTES": total, "DEVICES": str(devices), "OTHERS_BYTES": others}
    if zero_d2h is not None:
        env["ZERO_D2H"] = str(zero_d2h)
    return {prefix + name: value for prefix in ("OA_STANDIN_", "FAKE_CUDA_") for name, value in env.items()}


@dataclasses.dataclass
class Run:
    """A program's end: exit code (negative: signal), output as text, what the evidence folder then held."""

    code: int
    out: str
    err: str
    step: "Step | None"

    @property
    def receipts(self):
        return self.step.receipts() if self.step else []

    @property
    def receipt(self):
        (only,) = self.receipts
        return only

    @property
    def ours(self):
        """Our own lines of stderr."""
        return [line for line in self.err.splitlines() if line.startswith("oom-autopsy:")]

    @property
    def theirs(self):
        """stderr less our lines, and less torch's own time-stamped warnings."""
        lines = self.err.splitlines()
        return [
            line for line in lines if not line.startswith("oom-autopsy:") and not re.match(r"\[W\d{4} ", line)
        ]


class Step:
    """A step's folder: `path` goes first on PYTHONPATH, `evidence` receives."""

    def __init__(self, root, **config):
        self.root = pathlib.Path(root)
        self.path = self.root / "path"
        self.evidence = pathlib.Path(config.pop("evidence", self.root / "evidence"))
        shutil.copytree(SHIM, self.path, ignore=shutil.ignore_patterns("__pycache__"))
        if not self.evidence.exists():
            self.evidence.mkdir(mode=0o700)
        self.config = self.path / "_oom_autopsy" / "config.json"
        self.config.write_text(json.dumps({**DEFAULTS, "evidence": str(self.evidence), **config}))

    def receipts(self):
        return [json.loads(p.read_text()) for p in sorted(self.evidence.glob("*.receipt.json"))]

    def snapshots(self):
        return sorted(p.name for p in self.evidence.glob("*.pickle"))

    def leftovers(self):
        """Names in the evidence folder that are neither a receipt, a snapshot nor a cycle page."""
        final = (".receipt.json", ".pickle", ".cycles.html")
        return sorted(p.name for p in self.evidence.iterdir() if not p.name.endswith(final))

    def env(self, *, tiny=False, extra_path=(), env=None):
        return environment([self.path], tiny=tiny, extra_path=extra_path, env=env)

    def run(self, program, *args, python=None, **options):
        return run(program, *args, python=python, step=self, **options)


def environment(first=(), *, tiny=False, extra_path=(), env=None):
    """The environment of a test's program: nothing of the shim's but PYTHONPATH."""
    result = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "COV_", "PYTEST"))}
    result.update(device_env())
    result.update(env or {})
    path = [*map(str, first), *map(str, extra_path), *([str(TINY)] if tiny else [])]
    if path:
        result["PYTHONPATH"] = os.pathsep.join(path)
    return result


def run(
    program,
    *args,
    python=None,
    step=None,
    tiny=False,
    extra_path=(),
    env=None,
    cwd=None,
    timeout=120,
    argv=None,
    flags=(),
):
    """Runs Python source (by -c) or, with argv, any command line, with the shim (step) or without."""
    if argv is None:
        argv = [str(python or sys.executable), *flags, "-c", textwrap.dedent(program), *map(str, args)]
    first = [step.path] if step else []
    done = subprocess.run(
        argv,
        env=environment(first, tiny=tiny, extra_path=extra_path, env=env),
        cwd=cwd,
        timeout=timeout,
        capture_output=True,
        text=True,
        errors="replace",
        stdin=subprocess.DEVNULL,
    )
    return Run(done.returncode, done.stdout, done.stderr, step)


def pytest_collection_modifyitems(config, items):
    """Long runs only where a -m expression is given (npm run soak: -m soak)."""
    if config.option.markexpr:
        return
    soak = [item for item in items if item.get_closest_marker("soak")]
    if soak:
        config.hook.pytest_deselected(items=soak)
        items[:] = [item for item in items if item not in soak]


@pytest.fixture
def step(tmp_path):
    """`step(**config)` lays a step's folder; each call another."""
    made = []

    def lay(**config):
        root = tmp_path / f"oom-autopsy-{len(made)}"
        root.mkdir()
        made.append(Step(root, **{**PLAIN, **config}))
        return made[-1]

    return lay


def _interpreter(name):
    value = os.environ.get(name)
    if not value:
        pytest.skip(f"skipped: {name} is not set (npm test sets it)")
    return value


@pytest.fixture
def cuda():
    """The interpreter with torch's CUDA build and a device."""
    return _interpreter("OA_PYTHON_CUDA")


@pytest.fixture
def cpu():
    """The interpreter with torch's CPU build."""
    return _interpreter("OA_PYTHON_CPU")


def find_python(version):
    """An interpreter of `version` ("3.9") on this machine, or None."""
    for found in sorted(pathlib.Path.home().glob(f".pyenv/versions/{version}.*/bin/python")):
        return str(found)
    found = shutil.which(f"python{version}")
    if found and ".pyenv/shims" not in found:
        return found
    return sys.executable if ".".join(map(str, sys.version_info[:2])) == version else None


def python_or_skip(version):
    found = find_python(version)
    if found is None:
        pytest.skip(f"skipped: no Python {version} here")
    return found
