"""What the watch for reference cycles costs: each mode over no watch, interleaved in one process, as ratios
of medians.

    python lab/bench/cycles.py [--rounds 9] [--objects 165000] [--skip-continuous]

Three loops: training steps of a small transformer; allocations of small containers with many objects alive,
which is what makes Python collect; and the same allocations after gc.freeze(). Times are CPU times of the
process. Run it with a CUDA build of torch and a device (or the stand-in, whose kernels take no time: there a
training step is all Python, and ratios are upper bounds). Prints the ratios and what a look takes, and
asserts nothing. Budget: 1.02x for `sampled`. `continuous` is torch's own observer, beside it.
"""

from __future__ import annotations

import argparse
import gc
import logging
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python" / "shim"))

import torch
from _oom_autopsy.cycles import start as cycles


def transformer_loop(steps: int):
    """A callable that runs `steps` training steps of a small transformer."""
    model = torch.nn.TransformerEncoder(
        torch.nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True),
        2,
        enable_nested_tensor=False,
    ).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    batch = torch.ones(4, 16, 64, device="cuda")

    def run() -> None:
        for _ in range(steps):
            optimizer.zero_grad()
            model(batch).sum().backward()
            optimizer.step()

    return run


def allocation_loop(count: int):
    """A callable that keeps `count` small lists for a moment: several collections of the young, and some full
    ones."""

    def run() -> None:
        kept = []
        for number in range(count):
            kept.append([number])
            if len(kept) >= 50_000:
                kept.clear()

    return run


def measure(name: str, loop, modes: list, rounds: int) -> None:
    """Prints the ratio of each mode's median to that of no watch; the modes take turns within a round."""
    seconds: dict = {mode: [] for mode in modes}
    full = gc.get_stats()[2]["collections"]
    looks = 0
    loop()
    for number in range(rounds):
        for mode in modes if number % 2 else reversed(modes):
            watch = None if mode == "none" else cycles.start(mode)
            began = time.process_time()
            loop()
            seconds[mode].append(time.process_time() - began)
            if watch is not None:
                watch.stop()
                looks += watch.summary()["looks"]
    full = gc.get_stats()[2]["collections"] - full
    print(f"{name}: {rounds} rounds, {full} full collections, {looks} looks")
    pairs = list(zip(*(seconds[mode] for mode in modes)))
    for place, mode in enumerate(modes):
        ratio = statistics.median(row[place] / row[0] for row in pairs)
        least = min(seconds[mode]) / min(seconds["none"])
        print(
            f"  {mode:<11} {1e3 * statistics.median(seconds[mode]):9.1f} ms   {ratio:8.3f}x   of the fastest {least:8.3f}x"
        )


def look_cost() -> None:
    """Prints what one look takes beside one full collection."""
    watch = cycles.start("sampled")
    looks, collections = [], []
    for _ in range(5):
        began = time.process_time()
        watch.look()
        looks.append(time.process_time() - began)
        began = time.process_time()
        gc.collect()
        collections.append(time.process_time() - began)
    watch.stop()
    look, collection = statistics.median(looks), statistics.median(collections)
    alive = len(gc.get_objects())
    print(
        f"one look, {alive:,} live objects: {look:.3f} s, {1e6 * look / alive:.2f} us an object, {look / collection:.1f} full collections"
    )


def main() -> None:
    """Runs all."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--rounds", type=int, default=9)
    options.add_argument(
        "--objects", type=int, default=165_000, help="live objects beside the allocation loop"
    )
    options.add_argument("--skip-continuous", action="store_true")
    chosen = options.parse_args()
    logging.getLogger("torch.utils.viz._cycles").setLevel(logging.ERROR)
    torch.zeros(1, device="cuda")
    gc.collect()
    missing = max(0, chosen.objects - len(gc.get_objects()))
    heap = [[number] for number in range(missing)]
    print(
        f"torch {torch.__version__}, Python {sys.version.split()[0]}, {len(gc.get_objects()):,} live objects"
    )
    short = ["none", "sampled"]
    measure("transformer, 100 steps", transformer_loop(100), short, chosen.rounds)
    measure("allocations, 500,000", allocation_loop(500_000), short, chosen.rounds)
    if not chosen.skip_continuous:
        # torch's observer makes a full collection of every gc event: shorter loops, fewer rounds.
        measure("transformer, 2 steps", transformer_loop(2), [*short, "continuous"], 3)
        measure("allocations, 5,000", allocation_loop(5_000), [*short, "continuous"], 3)
    look_cost()
    gc.freeze()
    measure("allocations, 500,000, after gc.freeze()", allocation_loop(500_000), short, chosen.rounds)
    gc.unfreeze()
    del heap


if __name__ == "__main__":
    main()
