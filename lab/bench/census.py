"""What one census costs: seconds of a look, for a small training program, with a million live objects more, and with a graph
of 20,000 autograd nodes.

Run it with an interpreter that has a CUDA build of torch and a device (or the stand-in):

    OA_PYTHON_CUDA=... ; "$OA_PYTHON_CUDA" lab/bench/census.py [--looks 9] [--objects 1000000]

Between out-of-memories a census costs nothing: nothing is installed. Prints one line for each case and a
last line of JSON.
"""

import argparse
import gc
import json
import os
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python", "shim"))


def program(torch):
    """A transformer that has made two AdamW steps and stands after a forward pass. Returns what has to
    stay alive."""
    layer = torch.nn.TransformerEncoderLayer(256, 4, 512, batch_first=True)
    net = torch.nn.TransformerEncoder(layer, 4, enable_nested_tensor=False).cuda()
    optimizer = torch.optim.AdamW(net.parameters())
    for _ in range(2):
        net(torch.zeros(64, 64, 256, device="cuda")).sum().backward()
        optimizer.step()
    return net, optimizer, net(torch.zeros(64, 64, 256, device="cuda"))


def large_graph(torch, passes=6, layers=1000):
    """A model of 1,000 small layers whose last six passes are alive: 20,000 autograd nodes. Returns what has to stay alive."""
    parts = [part for _ in range(layers) for part in (torch.nn.Linear(8, 8), torch.nn.GELU())]
    net = torch.nn.Sequential(*parts).cuda()
    return net, [net(torch.zeros(4, 8, device="cuda")) for _ in range(passes)]


def looks(take, count):
    """Median and largest wall time and CPU time, in ms, of `count` looks, and what the last one saw."""
    walls, cpus, last = [], [], None
    for _ in range(count):
        wall, cpu = time.perf_counter(), time.thread_time()
        last = take()
        walls.append((time.perf_counter() - wall) * 1e3)
        cpus.append((time.thread_time() - cpu) * 1e3)
    row = {
        "wall_ms": round(statistics.median(walls), 1),
        "wall_ms_max": round(max(walls), 1),
        "cpu_ms": round(statistics.median(cpus), 1),
    }
    row.update(last["looked"])
    row.update(complete=last["complete"], cut=last["cut"])
    if last["devices"]:
        device = last["devices"][0]
        row["attributed"] = round(device["attributed"] / device["allocated"], 4)
    return row


def main():
    """Measures and prints."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--looks", type=int, default=9)
    parser.add_argument("--objects", type=int, default=1_000_000)
    options = parser.parse_args()
    import torch
    from _oom_autopsy.census import census

    if not torch.cuda.is_available():
        sys.exit("lab/bench/census.py: this torch has no CUDA device; run it with OA_PYTHON_CUDA")
    alive = program(torch)
    gc.collect()
    rows = {}
    before = gc.get_count()[0]
    census.take()
    rows["objects left behind by the first look"] = gc.get_count()[0] - before
    rows["small program"] = looks(census.take, options.looks)
    more = [[] for _ in range(options.objects)]
    rows[f"{options.objects} objects more"] = looks(census.take, options.looks)
    rows[f"{options.objects} objects more, 0.05 s allowed"] = looks(lambda: census.take(deadline_s=0.05), 3)
    del more
    graph = large_graph(torch)
    rows["a graph of 20,000 nodes"] = looks(census.take, options.looks)
    del graph, alive
    for name, row in rows.items():
        print(f"{name}: {row}")
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
