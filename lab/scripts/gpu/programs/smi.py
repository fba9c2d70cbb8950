"""What nvidia-smi costs: one call as the action makes it, five times, and one process that repeats it each
second. Prints one line of JSON; times in seconds."""

import json
import os
import resource
import statistics
import subprocess
import sys
import time

QUESTION = [
    "--query-gpu=index,uuid,name,memory.total,memory.used,memory.free",
    "--format=csv,noheader,nounits",
]
LOOP_S = 6


def spent():
    """Processor seconds of the children that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def call(*question):
    """(wall, processor) seconds of one call."""
    began, before = time.perf_counter(), spent()
    done = subprocess.run(["nvidia-smi", *question], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        sys.exit(f"nvidia-smi answers {done.returncode}: {done.stdout[:200]!r}")
    return time.perf_counter() - began, spent() - before


def loop():
    """Lines and processor seconds of `nvidia-smi -l 1`; None where it does not go on."""
    before = spent()
    child = subprocess.Popen(
        ["nvidia-smi", *QUESTION, "-l", "1"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    time.sleep(LOOP_S)
    if child.poll() is not None:
        return None
    child.terminate()
    lines = child.communicate()[0].count(b"\n")
    return {"seconds": LOOP_S, "lines": lines, "cpu": spent() - before}


def middle(calls):
    """Medians, and the slowest."""
    wall, cpu = zip(*calls)
    return {"wall": statistics.median(wall), "cpu": statistics.median(cpu), "slowest": max(wall)}


apps = ["--query-compute-apps=gpu_uuid,pid,process_name,used_memory", "--format=csv,noheader,nounits"]
row = {
    "devices": middle([call(*QUESTION) for _ in range(5)]),
    "processes": middle([call(*apps) for _ in range(3)]),
    "loop": loop(),
    "load": os.getloadavg()[0],
}
print(json.dumps(row))
