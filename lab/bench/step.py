"""Cost of a training step with the shim armed, over the hand-written recipe with the same arguments.

    python lab/bench/step.py [--python PATH] [--runs 7] [--steps 60]

The recipe is what people paste today: `_record_memory_history(max_entries=…, stacks="python")` before the
training. Both record the same; what differs is ours: observer, receipt, watches. Interleaved runs, each a
process of its own; the median step of each run, and the medians over the runs. Prints, asserts nothing.
Budget: 1.02x.

The interpreter needs torch's CUDA build and a device (or the stand-in device: there malloc is free and
kernels do nothing, so that recording weighs more than on a GPU).
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

SHIM = pathlib.Path(__file__).resolve().parents[2] / "python" / "shim"
PROGRAM = """
import json, sys, time
import torch
kind, steps, max_entries = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
if kind == "recipe":
    torch.cuda.memory._record_memory_history(max_entries=max_entries, stacks="python")
layer = torch.nn.TransformerEncoderLayer(128, 4, 256, batch_first=True)
model = torch.nn.TransformerEncoder(layer, 4, enable_nested_tensor=False).to("cuda")
optimizer = torch.optim.AdamW(model.parameters())
wall, cpu = [], []
for step in range(steps):
    start, start_cpu = time.perf_counter(), time.process_time()
    loss = model(torch.ones(4, 32, 128, device="cuda")).sum()
    optimizer.zero_grad(); loss.backward(); optimizer.step()
    wall.append(time.perf_counter() - start)
    cpu.append(time.process_time() - start_cpu)
middle = lambda all: sorted(all[10:])[len(all[10:]) // 2]
print(json.dumps([middle(wall), middle(cpu), torch._C._cuda_isHistoryEnabled()]), flush=True)
"""
KINDS = {
    "no recording": None,
    "recipe": None,
    "shim": {"cycles": "off", "categories": "off"},
    "shim, defaults": {"cycles": "warn", "categories": "census"},
}
MAX_ENTRIES = 100_000


def lay(folder, **settings):
    """A step's folder as the action makes it; returns what goes on PYTHONPATH."""
    path, evidence = folder / "path", folder / "evidence"
    shutil.copytree(SHIM, path, ignore=shutil.ignore_patterns("__pycache__"))
    evidence.mkdir(mode=0o700)
    config = {
        "schema": "oom-autopsy.config.v1",
        "step": "0" * 12,
        "evidence": str(evidence),
        "max_entries": MAX_ENTRIES,
        **settings,
    }
    (path / "_oom_autopsy" / "config.json").write_text(json.dumps(config))
    return path


def once(python, kind, steps, path):
    """Median seconds of a step in one process, wall and CPU; whether the recorder was on; the exit code."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    for prefix in ("OA_STANDIN_", "FAKE_CUDA_"):
        env.setdefault(prefix + "TOTAL_BYTES", "4G")
        env.setdefault(prefix + "ZERO_D2H", "8")
    if path is not None:
        env["PYTHONPATH"] = str(path)
    argv = [python, "-c", PROGRAM, kind, str(steps), str(MAX_ENTRIES)]
    done = subprocess.run(argv, env=env, stdout=subprocess.PIPE, text=True)
    # torch 2.14.1 over the stand-in aborts at some exits after a backward, without us too: the code is told,
    # not checked.
    return *json.loads(done.stdout), done.returncode


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", default=os.environ.get("OA_PYTHON_CUDA", sys.executable))
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--steps", type=int, default=60)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        paths = {}
        for number, (kind, settings) in enumerate(KINDS.items()):
            folder = pathlib.Path(root) / str(number)
            folder.mkdir()
            paths[kind] = lay(folder, **settings) if settings is not None else None
        walls = {kind: [] for kind in KINDS}
        cpus = {kind: [] for kind in KINDS}
        codes = {kind: [] for kind in KINDS}
        for _ in range(arguments.runs):
            for kind in KINDS:
                wall, cpu, recording, code = once(arguments.python, kind, arguments.steps, paths[kind])
                if recording != (kind != "no recording"):
                    sys.exit(f"{kind}: recording is {recording}")
                walls[kind].append(wall)
                cpus[kind].append(cpu)
                codes[kind].append(code)
    for kind in KINDS:
        for name, values in (("wall", walls), ("CPU", cpus)):
            mine, recipe = values[kind], values["recipe"]
            middle, best = statistics.median(mine), min(mine)
            # Each run against the recipe's run of the same round: they met the same other work. On a busy
            # machine the best runs and the CPU time are the ones to compare: other work only adds.
            rounds = statistics.median(one / other for one, other in zip(mine, recipe, strict=True))
            print(
                f"  {kind:<16} {name:<4} {1e3 * middle:7.2f} ms a step  ({1e3 * best:.2f} to {1e3 * max(mine):.2f})"
                f"  over the recipe: {rounds:.3f}x by rounds, {best / min(recipe):.3f}x best runs"
            )
        if any(codes[kind]):
            print(f"  {'':<16} exit codes: {codes[kind]}")
    print("  budget: shim at most 1.02x the recipe")


if __name__ == "__main__":
    main()
