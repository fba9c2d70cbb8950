"""Start-up cost of the hook: `python -c pass` with and without the shim on PYTHONPATH, interleaved.

    python lab/bench/startup.py [--runs 50] [--python PATH ...]

Prints medians, spread (quartiles) and the difference; asserts nothing. Budget: +1 ms or 5 %, whichever is
larger.
"""

import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

SHIM = pathlib.Path(__file__).resolve().parents[2] / "python" / "shim"


def once(python, path):
    """Seconds of one `python -c pass`."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    if path:
        env["PYTHONPATH"] = str(path)
    start = time.perf_counter()
    subprocess.run([python, "-c", "pass"], env=env, check=True)
    return time.perf_counter() - start


def line(name, seconds):
    """One row: median and quartiles in milliseconds."""
    low, middle, high = (1e3 * q for q in statistics.quantiles(seconds, n=4))
    return f"  {name:<16} {middle:7.2f} ms   ({low:.2f} to {high:.2f})"


def compare(python, runs):
    """Measures one interpreter and prints."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "path"
        shutil.copytree(SHIM, path, ignore=shutil.ignore_patterns("__pycache__"))
        # An empty folder in its place: what any entry of PYTHONPATH costs is not the hook's.
        empty = pathlib.Path(folder) / "empty"
        empty.mkdir()
        kinds = {"without": None, "an empty folder": empty, "with the shim": path}
        seconds = {name: [] for name in kinds}
        for name in kinds:
            once(python, kinds[name])
        for _ in range(runs):
            for name in kinds:
                seconds[name].append(once(python, kinds[name]))
    print(python)
    for name in kinds:
        print(line(name, seconds[name]))
    before, after = (statistics.median(seconds[name]) for name in ("without", "with the shim"))
    budget = max(1e-3, 0.05 * before)
    print(
        f"  difference       {1e3 * (after - before):+7.2f} ms   ratio {after / before:.3f}x   "
        f"budget +{1e3 * budget:.2f} ms"
    )


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--python", nargs="*", default=[sys.executable])
    arguments = parser.parse_args()
    for python in arguments.python:
        compare(python, arguments.runs)


if __name__ == "__main__":
    main()
