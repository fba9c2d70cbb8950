#!/usr/bin/env python3
"""Does the CUDA stand-in do what its README says?

    VENV/bin/python lab/standins/cuda/selftest.py [--all | CASE ...]

Each case runs in a process of its own, with the settings it names. One line for each; exit code 1 when one
failed. Kernels do nothing on the stand-in, so no case looks at a computed number.
"""

from __future__ import annotations

import concurrent.futures
import os
import pickle
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
MIB = 1 << 20
# The stand-in's runtime, to be asked without torch.
RUNTIME = str(Path(sysconfig.get_path("purelib"), "torch/lib/libcudart.so.13"))
SETTINGS = {"OA_STANDIN_TOTAL_BYTES": "256M", "OA_STANDIN_ZERO_D2H": "8"}
CASES = {}


SLOW = set()


def case(slow=False, **settings):
    """Register a function as a case with settings of its own; `OA_STANDIN_` in front is left out."""

    def register(function):
        if slow:
            SLOW.add(function.__name__)
        env = {
            name if name.startswith(("CUDA_", "PYTORCH_")) else f"OA_STANDIN_{name}": value
            for name, value in settings.items()
        }
        CASES[function.__name__] = (function, env)
        return function

    return register


def child(code, **env):
    """Run Python code in a process of its own, with further environment; its output, or an error."""
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **env}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def smi(*arguments):
    return subprocess.run(
        [sys.executable, str(HERE / "bin/nvidia-smi"), *arguments], capture_output=True, text=True, check=True
    ).stdout.splitlines()


def fill():
    """Take device memory until there is none; returns the error and what was taken."""
    import torch

    held = []
    try:
        while True:
            held.append(torch.empty(16 * MIB, dtype=torch.uint8, device="cuda"))
    except torch.OutOfMemoryError as error:
        return error, held


def train(model, shape, optimizer="SGD", steps=2, **loss_options):
    """A few steps of a model on an input of a shape."""
    import torch

    model = model.cuda()
    optimizer = getattr(torch.optim, optimizer)(model.parameters(), lr=0.1)
    for _ in range(steps):
        out = model(torch.zeros(shape, device="cuda"))
        out = out[0] if isinstance(out, tuple) else out
        optimizer.zero_grad()
        out.float().mean().backward()
        optimizer.step()
    assert all(p.grad is not None and p.grad.is_cuda for p in model.parameters())


@case()
def copies_come_back():
    import torch

    values = torch.arange(1000.0)
    assert torch.equal(values.to("cuda").cpu(), values)
    assert torch.equal(values.to("cuda").clone().cpu(), values)
    # OA_STANDIN_ZERO_D2H=8: eight bytes read as zeros, nine and more do not.
    assert torch.ones(2).to("cuda").cpu().tolist() == [0, 0]
    assert torch.ones(3).to("cuda").cpu().tolist() == [1, 1, 1]
    pinned = values.pin_memory()
    assert pinned.is_pinned() and not values.is_pinned()
    assert torch.equal(pinned.to("cuda", non_blocking=True).cpu(), values)


@case()
def linear_and_layer_norm():
    from torch import nn

    train(
        nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.LayerNorm(64), nn.Dropout(), nn.Linear(64, 8)),
        (32, 64),
    )


@case()
def transformer_with_attention():
    from torch import nn

    train(nn.TransformerEncoderLayer(64, 4, 128, batch_first=True), (4, 16, 64), "AdamW")


@case()
def recurrent_layers():
    from torch import nn

    train(nn.GRU(16, 32, batch_first=True), (4, 8, 16))
    train(nn.LSTM(16, 32, batch_first=True), (4, 8, 16))


@case()
def convolutions():
    from torch import nn

    train(
        nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()),
        (2, 3, 16, 16),
    )


@case()
def embedding_and_cross_entropy():
    import torch

    embedding = torch.nn.Embedding(100, 16).cuda()
    logits = embedding(torch.zeros(8, dtype=torch.long, device="cuda")) @ embedding.weight.T
    torch.nn.functional.cross_entropy(logits, torch.zeros(8, dtype=torch.long, device="cuda")).backward()


@case()
def optimizers():
    from torch import nn

    for name in ("SGD", "Adam", "AdamW", "RMSprop", "Adagrad"):
        train(nn.Linear(32, 32), (8, 32), name)


@case()
def autocast_and_grad_scaler():
    import torch

    model = torch.nn.Linear(64, 64).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cuda")
    for dtype in (torch.float16, torch.bfloat16):
        with torch.autocast("cuda", dtype=dtype):
            loss = model(torch.zeros(8, 64, device="cuda")).mean()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()


@case()
def checkpointing():
    import torch
    from torch.utils.checkpoint import checkpoint

    model = torch.nn.Linear(64, 64).cuda()
    checkpoint(
        model, torch.zeros(8, 64, device="cuda", requires_grad=True), use_reentrant=False
    ).sum().backward()
    assert model.weight.grad is not None


@case()
def loader_with_fork_and_pinned_memory():
    import torch
    from torch.utils.data import DataLoader, TensorDataset

    data = TensorDataset(torch.arange(64.0).reshape(16, 4))
    loader = DataLoader(data, batch_size=4, num_workers=2, pin_memory=True, multiprocessing_context="fork")
    torch.zeros(1, device="cuda")
    batches = [batch.to("cuda", non_blocking=True).cpu() for (batch,) in loader]
    assert torch.equal(torch.cat(batches), data.tensors[0])


@case()
def out_of_memory_is_torchs_own():
    import torch

    error, held = fill()
    assert len(held) == 16, len(held)
    assert str(error).startswith(
        "CUDA out of memory. Tried to allocate 16.00 MiB. GPU 0 has a total capacity of 256.00 MiB"
    ), error
    assert f"Process {os.getpid()} has" not in str(error)
    stats = torch.cuda.memory_stats()
    assert stats["num_ooms"] == 1 and stats["allocated_bytes.all.current"] == 256 * MIB
    assert torch.cuda.mem_get_info() == (0, 256 * MIB)
    held.clear()
    torch.cuda.empty_cache()
    assert torch.cuda.mem_get_info() == (256 * MIB, 256 * MIB)


@case()
def observer_recorder_and_snapshot():
    import torch

    seen = []
    memory = torch.cuda.memory
    with tempfile.TemporaryDirectory() as folder:
        small = torch.zeros(1, device="cuda")
        memory._record_memory_history(max_entries=1000, stacks="python")
        path = os.path.join(folder, "snapshot.pickle")

        def observer(device, wanted, limit, free):
            memory._dump_snapshot(path)
            seen.append((device, wanted, limit, free))

        torch._C._cuda_attach_out_of_memory_observer(observer)
        fill()
        memory._record_memory_history(enabled=None)
        snapshot = pickle.loads(Path(path).read_bytes())
    assert seen == [(0, 16 * MIB, 256 * MIB, 14 * MIB)], seen
    events = snapshot["device_traces"][0]
    assert small.is_cuda
    assert [event["size"] for event in events if event["action"] == "oom"] == [16 * MIB]
    assert any("fill" in frame["name"] for frame in events[-1]["frames"])


@case()
def out_of_memory_in_backward():
    import torch

    x = torch.zeros(4 * MIB, device="cuda", requires_grad=True)
    y = x
    for _ in range(8):
        y = (y * 1).exp()
    held = fill()[1]
    try:
        y.sum().backward()
    except torch.OutOfMemoryError:
        return
    raise AssertionError(f"no error with {len(held)} held")


@case()
def cycle_observer():
    import gc

    import torch
    from torch.utils.viz._cycles import observe_tensor_cycles

    pages = []
    torch.zeros(1, device="cuda")
    remove = observe_tensor_cycles(pages.append)

    class Node:
        pass

    def make():
        node = Node()
        node.me = node
        node.payload = torch.empty(MIB, device="cuda")

    make()
    gc.collect()
    (lambda: 0)()
    remove()
    assert pages and "make" in pages[0]


@case()
def memory_fraction():
    import torch

    torch.cuda.set_per_process_memory_fraction(0.5)
    error, held = fill()
    assert len(held) == 8, len(held)
    assert "128.00 MiB allowed" in str(error), error


@case(PYTORCH_CUDA_ALLOC_CONF="expandable_segments:True")
def expandable_segments():
    import torch

    torch.cuda.memory._record_memory_history()
    error, held = fill()
    assert len(held) == 15 and str(error).startswith("CUDA out of memory"), (len(held), error)
    held.clear()
    torch.cuda.empty_cache()
    actions = {event["action"] for event in torch.cuda.memory._snapshot().get("device_traces", [[]])[0]}
    assert {"segment_map", "segment_unmap", "oom"} <= actions, actions
    assert torch.cuda.mem_get_info() == (256 * MIB, 256 * MIB)


@case(PYTORCH_CUDA_ALLOC_CONF="backend:cudaMallocAsync")
def malloc_async_backend():
    import torch

    error, held = fill()
    assert len(held) == 16 and str(error).startswith("Allocation on device"), error
    assert torch.cuda.memory_allocated() == 256 * MIB
    held.clear()
    assert torch.cuda.memory_allocated() == 0
    try:
        torch.cuda.memory._record_memory_history()
    except RuntimeError:
        return
    raise AssertionError("armed")


@case()
def memory_pool():
    import torch

    pool = torch.cuda.MemPool()
    with torch.cuda.use_mem_pool(pool):
        held = torch.empty(MIB, dtype=torch.uint8, device="cuda")
    assert pool.use_count() >= 1 and held.is_cuda


@case()
def streams_and_events():
    import torch

    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    with torch.cuda.stream(torch.cuda.Stream(priority=-1)):
        start.record()
        x = torch.zeros(8, device="cuda")
        x.record_stream(torch.cuda.current_stream())
        end.record()
    torch.cuda.synchronize()
    assert start.elapsed_time(end) >= 0 and end.query()


@case()
def graphs_take_memory_from_a_pool_of_their_own():
    import torch

    def pools():
        return {
            tuple(segment["segment_pool_id"]): segment["total_size"]
            for segment in torch.cuda.memory_snapshot()
        }

    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        assert torch.cuda.is_current_stream_capturing()
        kept = torch.zeros(8 * MIB, device="cuda")
    assert not torch.cuda.is_current_stream_capturing()
    graph.replay()
    assert pools()[tuple(graph.pool())] == 32 * MIB, pools()
    del kept, graph
    torch.cuda.empty_cache()
    assert not any(id != (0, 0) for id in pools()), pools()
    try:
        torch.cuda.CUDAGraph().capture_begin()
    except RuntimeError as error:
        assert "capture" in str(error), error
        return
    raise AssertionError("captured the default stream")


@case()
def what_is_not_possible_says_so():
    """None of these may look like an out-of-memory, which is what the tests are about."""
    import torch

    x = torch.eye(4, device="cuda")
    for attempt in (
        lambda: torch.fft.fft(x),
        lambda: x.to_sparse_csr() @ x,
        lambda: torch.linalg.cholesky(x),
        lambda: torch.gcd(x.int(), x.int()),
        lambda: torch.multiprocessing.reductions.reduce_tensor(x),
    ):
        try:
            attempt()
        except torch.OutOfMemoryError as error:
            raise AssertionError("an out-of-memory") from error
        except RuntimeError as error:
            words = str(error).lower().replace("_", " ")
            assert "not supported" in words or "stand-in" in words, words


@case(DEVICES="2")
def two_devices():
    import torch

    assert torch.cuda.device_count() == 2
    values = torch.arange(8.0)
    assert torch.equal(values.to("cuda:1").to("cuda:0").cpu(), values)
    torch.empty(200 * MIB, dtype=torch.uint8, device="cuda:1")
    assert torch.cuda.mem_get_info(1)[0] < 64 * MIB and torch.cuda.mem_get_info(0)[0] > 200 * MIB
    assert [line.split(":")[0] for line in smi("-L")] == ["GPU 0", "GPU 1"]


@case(DEVICES="3", CUDA_VISIBLE_DEVICES="2,0")
def visible_devices():
    import torch

    assert torch.cuda.device_count() == 2
    uuid = str(torch.cuda.get_device_properties(0).uuid)
    assert smi("--query-gpu=index,uuid", "--format=csv,noheader,nounits")[2] == f"2, GPU-{uuid}"
    count = "import torch; print(torch._C._cuda_getDeviceCount(), torch.cuda.device_count())"
    for visible, expected in ((f"GPU-{uuid}", 1), ("", 0), ("-1", 0), ("1,7,0", 1), ("1,1", 0)):
        assert child(count, CUDA_VISIBLE_DEVICES=visible).split() == [str(expected)] * 2, (visible, expected)


@case(DEVICES="0")
def no_device():
    import torch

    assert not torch.cuda.is_available() and torch.cuda.device_count() == 0
    try:
        torch.zeros(1, device="cuda")
    except RuntimeError:
        pass
    else:
        raise AssertionError("a device")
    assert (
        child("import torch; print(torch.cuda.is_available())", OA_STANDIN="off", OA_STANDIN_DEVICES="1")
        == "False\n"
    )


@case()
def fork_is_poisoned():
    """Asking the runtime for devices is enough to spoil CUDA in a forked child; asking NVML is not."""
    import torch

    code = """
import os, torch
{before}
pid = os.fork()
if not pid:
    try:
        torch.zeros(1, device='cuda')
    except RuntimeError as error:
        os._exit(3 if {words!r} in str(error) else 4)
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
    # torch guards itself too, so ask the runtime alone: 3 is cudaErrorInitializationError.
    runtime = f"""
import ctypes, os
cuda = ctypes.CDLL({RUNTIME!r})
assert cuda.cudaGetDeviceCount(ctypes.byref(ctypes.c_int())) == 0
pid = os.fork()
if not pid:
    os._exit(cuda.cudaMalloc(ctypes.byref(ctypes.c_void_p()), ctypes.c_size_t(1)))
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
    assert child(runtime) == "3\n"
    poisoned = "initialization error"
    again = "Cannot re-initialize CUDA in forked subprocess"
    assert torch.cuda.device_count() == 1 and not torch.cuda.is_initialized()
    assert child(code.format(before="", words=poisoned)) == "0\n"
    assert child(code.format(before="torch.cuda.device_count()", words=poisoned)) == "0\n"
    assert child(code.format(before="torch._C._cuda_getDeviceCount()", words=again)) == "3\n"
    assert child(code.format(before="torch.zeros(1, device='cuda')", words=again)) == "3\n"


@case(OTHERS_BYTES="100M")
def others_hold_memory():
    import torch

    assert torch.cuda.mem_get_info() == (156 * MIB, 256 * MIB)
    error, held = fill()
    assert len(held) == 9, len(held)
    assert "has 100.00 MiB memory in use" in str(error), error
    assert smi("--query-compute-apps=pid,process_name,used_memory", "--format=csv,noheader,nounits") == [
        "4194304, [Not Found], 100"
    ]


@case()
def processes_share_a_device():
    import torch

    with tempfile.TemporaryDirectory() as folder:
        os.environ["OA_STANDIN_SHARED"] = os.path.join(folder, "ledger")
        code = """
import time, torch
held = torch.empty(96 << 20, dtype=torch.uint8, device='cuda')
print('held', flush=True)
time.sleep(600)
"""
        other = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        try:
            assert other.stdout and other.stdout.readline() == "held\n"
            assert torch.cuda.mem_get_info()[0] == 160 * MIB
            error, held = fill()
            assert len(held) == 10 and f"Process {other.pid} has 96.00 MiB memory in use" in str(error), error
            apps = smi("--query-compute-apps=pid,used_memory", "--format=csv,noheader,nounits")
            assert sorted(apps) == sorted([f"{other.pid}, 96", f"{os.getpid()}, 160"]), apps
        finally:
            other.kill()
        # It is dead, though nobody has waited for it: the device has its memory back.
        os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)
        assert torch.cuda.mem_get_info()[0] == 96 * MIB
        other.wait()
        assert smi("--query-gpu=memory.total,memory.used,memory.free", "--format=csv,noheader,nounits") == [
            "256, 160, 96"
        ]


# DistributedDataParallel compares the sizes of parameters through the device: they must not read as zeros.
@case(ZERO_D2H="0")
def distributed_data_parallel():
    code = """
import os, torch
from torch import distributed
rank = int(os.environ['RANK'])
store = 'file://' + os.environ['STORE']
distributed.init_process_group('nccl', init_method=store, rank=rank, world_size=2)
torch.cuda.set_device(rank)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 8).cuda())
model(torch.zeros(2, 8, device='cuda')).sum().backward()
distributed.destroy_process_group()
"""
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor() as pool:
        env = {"STORE": os.path.join(folder, "store"), "OA_STANDIN_DEVICES": "2"}
        for done in [pool.submit(child, code, RANK=str(rank), **env) for rank in range(2)]:
            done.result()


@case()
def profiler():
    import torch
    from torch.profiler import profile

    with profile(record_shapes=True, profile_memory=True, with_stack=True) as profiled:
        train(torch.nn.Linear(8, 8), (2, 8))
    assert any("addmm" in event.name for event in profiled.events())


@case()
def a_wrong_setting_is_refused():
    done = subprocess.run(
        [sys.executable, "-c", "import torch; torch.cuda.init()"],
        env={**os.environ, "OA_STANDIN_TOTAL_BYTES": "lots"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2 and "OA_STANDIN_TOTAL_BYTES=lots is not a size" in done.stderr, done.stderr


def at_once(code, count):
    """Run code in many processes, which all hold what they print `held` about until the last has said it."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(OA_STANDIN_SHARED=os.path.join(folder, "ledger"), OMP_NUM_THREADS="1")
        command = [sys.executable, "-c", f"{code}\nprint('held', flush=True)\nsys.stdin.read()"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        processes = [subprocess.Popen(command, **pipes) for _ in range(count)]
        lines = [process.stdout.readline() for process in processes if process.stdout]
        apps = smi("--query-compute-apps=pid,used_memory", "--format=csv,noheader,nounits")
        for process in processes:
            process.communicate()
        assert lines == ["held\n"] * count, lines
        assert sorted(apps) == sorted(f"{process.pid}, 14" for process in processes), apps


@case(TOTAL_BYTES="1G")
def sixty_four_processes_on_the_runtime():
    """64 processes share a device of 1 GiB, 14 MiB each, all at the same time; without torch."""
    code = f"""
import ctypes, sys
pointer, size = ctypes.c_void_p(), ctypes.c_size_t(14 << 20)
assert not ctypes.CDLL({RUNTIME!r}).cudaMalloc(ctypes.byref(pointer), size)"""
    at_once(code, 64)


@case(TOTAL_BYTES="1G", slow=True)
def sixty_four_processes_with_torch():
    """The same with torch in each."""
    at_once("import sys, torch; x = torch.empty(14 << 20, dtype=torch.uint8, device='cuda')", 64)


def run(name):
    """Run one case in a process of its own; returns (seconds, what it said when it failed)."""
    env = {**os.environ, **SETTINGS, **CASES[name][1]}
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, __file__, "--in-process", name], env=env, capture_output=True, text=True
    )
    failed = "" if done.returncode == 0 else done.stderr.strip() or f"exit code {done.returncode}"
    return time.monotonic() - started, failed


def main(arguments):
    if arguments[:1] == ["--in-process"]:
        CASES[arguments[1]][0]()
        # Not by an ordinary exit: torch's autograd thread may still be dropping the last graph, for which it
        # needs the interpreter, and one that is shutting down ends such a thread so that the process aborts.
        sys.stderr.flush()
        os._exit(0)
    names = (
        list(CASES) if arguments == ["--all"] else arguments or [name for name in CASES if name not in SLOW]
    )
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, (seconds, failed) in zip(names, pool.map(run, names)):
            failures += bool(failed)
            print(f"{'FAILED' if failed else 'ok    '} {name} ({seconds:.1f} s)", flush=True)
            if failed:
                print("    " + failed.replace("\n", "\n    "))
    print(f"{len(names) - failures} passed, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
