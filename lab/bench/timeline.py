"""What `categories: timeline` costs on the steps that it covers, beside a no-op TorchDispatchMode and torch's
profiler.

    python lab/bench/timeline.py [--rounds 9] [--steps 10] [--json]

Ratios over the plain step, in CPU time (medians of interleaved rounds in one process, one thread), so that a
busy machine moves them little. Budget: 1.15x on steps of 100 ms or more; on tiny models 1.4x the no-op mode.
Nothing here asserts a time."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python", "parity"))

import torch
from oom_autopsy_parity.scenarios import BUILT_IN
from oom_autopsy_parity.shared import shared
from torch.profiler import ProfilerActivity, profile
from torch.utils._python_dispatch import TorchDispatchMode


class NoOp(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


def large_step():
    """A step of 100 ms and more: a transformer of width 512 on 512 tokens, AdamW."""
    torch.manual_seed(0)
    layers = [torch.nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True) for _ in range(2)]
    model = torch.nn.Sequential(*layers, torch.nn.Linear(512, 1000))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    x = torch.randn(4, 128, 512)

    def step():
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()

    return step


def timed(step, steps):
    """Median CPU seconds of a step."""
    out = []
    for _ in range(steps):
        began = time.process_time()
        step()
        out.append(time.process_time() - began)
    return statistics.median(out)


def plain(step, steps):
    return timed(step, steps)


def no_op(step, steps):
    with NoOp():
        step()
        return timed(step, steps)


def timeline(step, steps):
    line = shared("timeline.timeline").start(steps + 2)
    step()  # opens the window
    step()
    seconds = timed(step, steps)
    line.stop()
    if line.result()["mode"] != "operations":
        raise SystemExit(f"the timeline did not watch operations: {line.result()['reason']}")
    return seconds


def profiler(step, steps):
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True, profile_memory=True, with_stack=True):
        step()
        return timed(step, steps)


WAYS = {"plain": plain, "no-op mode": no_op, "timeline": timeline, "profiler": profiler}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    names = ("mlp/sgd/warm", "mlp/adam/warm", "cnn/sgd/warm", "transformer/adam/warm", "resnet18/sgd/warm")
    cases = {s.name: s.build for s in BUILT_IN if s.name in names}
    cases["transformer-512/adamw"] = large_step
    report = {}
    for name, build in cases.items():
        large = build is large_step
        step = build()
        for _ in range(2 if large else 5):
            step()
        seconds = {way: [] for way in WAYS}
        for _ in range(3 if large else options.rounds):
            for way, run in WAYS.items():
                seconds[way].append(run(step, 3 if large else options.steps))
        row = {way: statistics.median(values) for way, values in seconds.items()}
        ratios = {
            way: statistics.median(v / p for v, p in zip(seconds[way], seconds["plain"])) for way in WAYS
        }
        ratios["timeline over no-op"] = statistics.median(
            t / n for t, n in zip(seconds["timeline"], seconds["no-op mode"])
        )
        report[name] = {
            "plain_ms": round(row["plain"] * 1e3, 3),
            **{k: round(v, 2) for k, v in ratios.items() if k != "plain"},
        }
        if not options.json:
            print(f"{name:24s} {report[name]}", flush=True)
    if options.json:
        print(json.dumps({"torch": torch.__version__, "cases": report}, indent=1))


if __name__ == "__main__":
    main()
