"""Helpers for the shim's tests: a step's folder as the action lays it, real interpreters run in it, receipts read back.

Every program runs in a process of its own. The interpreters come from OA_PYTHON_CUDA (torch's CUDA build; a device or the
stand-in) and OA_PYTHON_CPU (torch's CPU build); other Pythons are searched for on this machine.

How to choose what a program runs in, cheapest first (seconds of processor time to its first line):

- `tiny=True` (0.03): a torch of a hundred lines, in a fresh interpreter. For what real torch cannot show, and for trees of
  processes by the hundred.
- a fork (0.02, and 0.2 for the end of the interpreter): real torch. `run`, `start` and their like on a step take one
  by themselves where `python` is `cuda` or `cpu` and the command is `-c program` or a script without flags or variables
  that are read early (forked.can_be). Its `import torch` runs the shim in the order of a fresh interpreter.
- `fresh=True` (1.3, and 0.45): real torch in a fresh interpreter. For start-up itself, the whole of the interpreter's
  end, signals at start, spawn, the command line as /proc has it, the threads that torch's import leaves.

Markers: `long` for what is long and rare (a hundred permutations, Pythons beyond two, rounds of random kills), `soak` for
minutes of the same. Both run in `npm run test:all` only.
"""

import atexit
import compileall
import dataclasses
import functools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap

import forked
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHIM = ROOT / "python" / "shim"
sys.path.append(str(SHIM))  # for tests of single functions; nothing here imports torch
if (
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):  # a shell's background job; all programs would inherit that
    signal.signal(signal.SIGINT, signal.default_int_handler)
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
    """A program's end: exit code (negative: signal), output as text, what the evidence folder then held, its pid."""

    code: int
    out: str
    err: str
    step: "Step | None"
    pid: int

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
        final = (".receipt.json", ".pickle")
        return sorted(p.name for p in self.evidence.iterdir() if not p.name.endswith(final))

    def compile(self):
        """Spares a fork the compiling. Where a test has changed a file, Python sees that by its date."""
        for made in compiled().rglob("__pycache__"):
            shutil.copytree(made, self.path / made.relative_to(compiled()), dirs_exist_ok=True)

    def env(self, *, tiny=False, extra_path=(), env=None):
        return environment([self.path], tiny=tiny, extra_path=extra_path, env=env)

    def start(self, program, *args, **options):
        return start(program, *args, step=self, **options)

    def run(self, program, *args, **options):
        return run(program, *args, step=self, **options)


def environment(first=(), *, tiny=False, extra_path=(), env=None):
    """The environment of a test's program: nothing of the shim's but PYTHONPATH."""
    result = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "COV_", "PYTEST"))}
    result.update(device_env())
    result.update(env or {})
    path = [*map(str, first), *map(str, extra_path), *([str(TINY)] if tiny else [])]
    if path:
        result["PYTHONPATH"] = os.pathsep.join(path)
    return result


def start(
    program,
    *args,
    python=None,
    step=None,
    tiny=False,
    extra_path=(),
    env=None,
    cwd=None,
    argv=None,
    flags=(),
    fresh=False,
    ahead=(),
):
    """Starts Python source (by -c) or, with argv, any command line, with the shim (step) or without. What comes back
    is a subprocess.Popen or, for a fork, what stands for one (forked.Process): its output is text, from pipes.
    `ahead`: what a fork's torch has loaded already. A first optimizer step imports torch._dynamo, for 1.0 s."""
    if argv is None:
        argv = [python or sys.executable, *flags, "-c", textwrap.dedent(program), *args]
    argv = [str(word) for word in argv]
    env = environment([step.path] if step else [], tiny=tiny, extra_path=extra_path, env=env)
    known = argv[0] in (os.environ.get("OA_PYTHON_CUDA"), os.environ.get("OA_PYTHON_CPU"))
    if not fresh and not tiny and known and forked.can_be(argv, env):
        if step and argv[1] != "-B":
            step.compile()
        return forked.start(argv, env=env, cwd=cwd, ahead=ahead)
    return subprocess.Popen(
        argv,
        env=env,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )


def run(program, *args, step=None, timeout=120, **options):
    """Runs a program of `start` to its end."""
    process = start(program, *args, step=step, **options)
    try:
        out, err = process.communicate(timeout=timeout)
    except BaseException:
        process.kill()
        process.communicate()
        raise
    return Run(process.returncode, out, err, step, process.pid)


@functools.cache
def compiled():
    """A copy of the shim that is compiled, made once."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="oom-autopsy-compiled-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    shutil.copytree(SHIM, folder, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    compileall.compile_dir(folder, quiet=1)
    return folder


def rarely(all_, often):
    """The parameters of a test, of which those that are not in `often` run in npm run test:all only."""
    assert set(often) <= set(all_)
    return [each if each in often else pytest.param(each, marks=pytest.mark.long) for each in all_]


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
