"""What one caught out-of-memory costs the program: processor time, and tracked objects that stay, with 300,000 live objects.

    python lab/bench/oom.py [--python PATH] [--objects 300000] [--rounds 3]

The looks at what is alive are on and off in turn, each in a process of its own; "without us" is the program alone. Prints medians
over the rounds and what the last out-of-memory of a process leaves behind; asserts nothing. Aim: 0.2 s by default, a handful of objects.

The interpreter needs torch's CUDA build and a device (or the stand-in device).
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from step import lay

PROGRAM = """
import gc, json, sys, time
import torch
layer = torch.nn.Linear(64, 64, device="cuda")
gc.collect()
held = [[at] for at in range(max(0, int(sys.argv[1]) - len(gc.get_objects())))]
rows = []
for _ in range(5):
    objects, began = len(gc.get_objects()), time.process_time()
    try: torch.empty(1 << 46, device="cuda")
    except torch.OutOfMemoryError: pass
    seconds = time.process_time() - began
    rows.append((seconds, len(gc.get_objects()) - objects))
print(json.dumps({"seconds": rows[1][0], "left": rows[-1][1]}))
"""
KINDS = {
    "without us": None,
    "census and cycles": {"cycles": "warn", "categories": "census"},
    "census": {"cycles": "off", "categories": "census"},
    "cycles": {"cycles": "warn", "categories": "off"},
    "neither": {"cycles": "off", "categories": "off"},
}


def once(python, objects, path):
    """{seconds of processor time of the second out-of-memory, tracked objects that the fifth left}."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    if path is not None:
        env["PYTHONPATH"] = str(path)
    argv = [python, "-c", PROGRAM, str(objects)]
    done = subprocess.run(
        argv, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True
    )
    return json.loads(done.stdout)


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--python", default=os.environ.get("OA_PYTHON_CUDA", sys.executable))
    parser.add_argument("--objects", type=int, default=300_000)
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        paths = {}
        for kind, settings in KINDS.items():
            folder = pathlib.Path(root) / kind.replace(" ", "-")
            folder.mkdir()
            paths[kind] = None if settings is None else lay(folder, **settings)
        rows = {kind: [] for kind in KINDS}
        for _ in range(chosen.rounds):
            for kind in KINDS:
                rows[kind].append(once(chosen.python, chosen.objects, paths[kind]))
    for kind, all_ in rows.items():
        seconds = [row["seconds"] for row in all_]
        print(
            f"  {kind:<18} {1e3 * statistics.median(seconds):6.1f} ms of processor time"
            f"  ({1e3 * min(seconds):.1f} to {1e3 * max(seconds):.1f})  {all_[-1]['left']} tracked objects left"
        )


if __name__ == "__main__":
    main()
