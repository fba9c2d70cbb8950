"""Memory that runs out where torch's allocator does not see it: told apart, by kind, and never by what a message says."""

import json
import subprocess
import textwrap

import pytest
from _oom_autopsy.recording import outside, recorder
from conftest import PLAIN, ROOT, Step, _interpreter, python_or_skip, run

CUBLAS = "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"
CUDNN = "cuDNN error: CUDNN_STATUS_"
CUSOLVER = "cusolver error: CUSOLVER_STATUS_"
NCCL = "NCCL error in: ProcessGroupNCCL.cpp:94, unhandled cuda error, NCCL version 2.27.5\nLast error:\n"
NVML = ' INTERNAL ASSERT FAILED at "/pytorch/c10/cuda/CUDACachingAllocator.cpp":995, please report a bug to PyTorch.'
BFC = "[ONNXRuntimeError] : 6 : RUNTIME_EXCEPTION : Non-zero status code returned while running Conv node. "
SPAN = "x" * 300_000


def made(name, text, *bases):
    """An exception of a class with that qualified name."""
    module, _, own = name.rpartition(".")
    return type(own, bases or (RuntimeError,), {"__module__": module or "builtins"})(text)


# As they were reported in public; (error, what is told).
ERRORS = [
    (RuntimeError(CUBLAS), ("cublas", True)),
    (
        RuntimeError("CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate`"),
        ("cublas", False),
    ),
    (RuntimeError("CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasSgemm`"), None),
    (RuntimeError(CUDNN + "ALLOC_FAILED"), ("cudnn", True)),
    (RuntimeError(CUDNN + "INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED"), ("cudnn", True)),
    (RuntimeError(CUDNN + "NOT_INITIALIZED"), ("cudnn", False)),
    (RuntimeError("GET was unable to find an engine to execute this computation"), ("cudnn", False)),
    (RuntimeError(CUDNN + "EXECUTION_FAILED"), None),
    (RuntimeError(CUSOLVER + "ALLOC_FAILED, when calling `cusolverDnCreate(handle)`"), ("cusolver", True)),
    (RuntimeError(CUSOLVER + "INTERNAL_ERROR, when calling `cusolverDnCreate(handle)`"), ("cusolver", False)),
    (RuntimeError(CUSOLVER + "INTERNAL_ERROR, when calling `cusolverDnSpotrf(...)`"), None),
    (RuntimeError("CUDA error: out of memory\nSearch for `cudaErrorMemoryAllocation'"), ("driver", True)),
    (made("torch.AcceleratorError", "CUDA error: out of memory"), ("driver", True)),
    (RuntimeError("CUDA driver error: out of memory"), ("driver", True)),
    (RuntimeError("Triton Error [CUDA]: out of memory"), ("driver", True)),
    (MemoryError("std::bad_alloc: cudaErrorMemoryAllocation: out of memory"), ("driver", True)),
    (
        made("numba.cuda.cudadrv.driver.CudaAPIError", "[2] CUDA_ERROR_OUT_OF_MEMORY", Exception),
        ("driver", True),
    ),
    (RuntimeError("CUDA error: device-side assert triggered"), None),
    (made("torch.distributed.DistBackendError", NCCL + "Cuda failure 2 'out of memory'"), ("nccl", True)),
    (RuntimeError(NCCL + "Failed to CUDA calloc async 4 bytes"), ("nccl", False)),
    (RuntimeError(NCCL + "Cuda failure 999 'unknown error'"), None),
    (
        MemoryError("std::bad_alloc: out_of_memory: CUDA error at: /rmm/mr/cuda_memory_resource.hpp:62"),
        ("rmm", True),
    ),
    (
        MemoryError(
            "std::bad_alloc: RMM failure at:pool_memory_resource.hpp:196: Maximum pool size exceeded"
        ),
        ("rmm", True),
    ),
    (made("rmm.librmm_cffi.wrapper.RMMError", "RMM_ERROR_OUT_OF_MEMORY", Exception), ("rmm", True)),
    (MemoryError("std::bad_alloc"), None),
    (MemoryError(), None),
    (
        made("cupy.cuda.memory.OutOfMemoryError", "Out of memory allocating 1 bytes", MemoryError),
        ("cupy", True),
    ),
    (
        made("cupy_backends.cuda.api.runtime.CUDARuntimeError", "cudaErrorMemoryAllocation: out of memory"),
        ("cupy", True),
    ),
    (
        made("cupy_backends.cuda.api.runtime.CUDARuntimeError", "cudaErrorInvalidValue: invalid argument"),
        None,
    ),
    (
        made(
            "jaxlib.xla_extension.XlaRuntimeError",
            "RESOURCE_EXHAUSTED: Out of memory while trying to allocate",
        ),
        ("jax", True),
    ),
    (made("jaxlib._jax.JaxRuntimeError", "RESOURCE_EXHAUSTED: Out of memory"), ("jax", True)),
    (made("jaxlib.xla_extension.XlaRuntimeError", "INVALID_ARGUMENT: shapes"), None),
    (
        made("onnxruntime.capi.onnxruntime_pybind11_state.Fail", "CUDA failure 2: out of memory ; GPU=0"),
        ("onnxruntime", True),
    ),
    (
        made(
            "onnxruntime.capi.onnxruntime_pybind11_state.RuntimeException",
            BFC + "bfc_arena.cc:376 Failed to allocate memory for requested buffer of size 285081600",
            Exception,
        ),
        ("onnxruntime", False),
    ),
    (
        RuntimeError("[virtualMemoryBuffer.cpp::resizePhysical::145] Error Code 2: OutOfMemory"),
        ("tensorrt", True),
    ),
    (
        RuntimeError("[defaultAllocator.cpp::allocate::19] Error Code 1: Cuda Runtime (out of memory)"),
        ("tensorrt", True),
    ),
    (RuntimeError("NVML_SUCCESS == r" + NVML), ("nvml-assert", True)),
    (RuntimeError("NVML_SUCCESS == DriverAPI::get()->nvmlInit_v2_()" + NVML), ("nvml-assert", True)),
    (RuntimeError("!block->expandable_segment_" + NVML), None),
    # Words of the program's, in a class of the program's that is no error of the runtime.
    (made("app.Denied", CUBLAS, ValueError), None),
    (OSError(12, "CUDA error: out of memory"), None),
    (RuntimeError(), None),
    (RuntimeError(7, CUBLAS), None),
    (RuntimeError(SPAN + "CUDA error: out of memory" + SPAN), None),
    (
        RuntimeError("Caught RuntimeError." + SPAN + "RuntimeError: CUDA error: out of memory\n"),
        ("driver", True),
    ),
]


def told(error, native=None, room=None):
    found = outside.outside_oom(error, native, lambda: room)
    return None if found is None else (found["kind"], found["certain"])


@pytest.mark.parametrize(("error", "wanted"), ERRORS, ids=lambda value: None)
def test_an_error_is_told_by_its_type_and_a_marker(error, wanted):
    assert told(error) == wanted


def chained(error, cause=None, context=None):
    error.__context__ = context
    if cause is not None:
        error.__cause__ = cause
    return error


def test_what_an_error_was_raised_from_is_looked_at_too():
    def hint():
        return RuntimeError(CUDNN + "NOT_INITIALIZED")

    assert told(chained(ValueError("no"), cause=RuntimeError(CUBLAS))) == ("cublas", True)
    assert told(chained(hint(), context=RuntimeError(CUBLAS))) == ("cublas", True), "certain before a hint"
    assert told(chained(RuntimeError("no"), context=hint())) == ("cudnn", False)
    hidden = ValueError("no")
    hidden.__context__, hidden.__suppress_context__ = RuntimeError(CUBLAS), True
    assert told(hidden) is None


def test_torchs_own_out_of_memory_is_not_outside():
    class Native(RuntimeError):
        pass

    assert told(Native("CUDA error: out of memory"), native=Native) is None


class Loud(str):
    def __str__(self):
        raise AssertionError("code of the program ran")

    __repr__ = __contains__ = __len__ = __getitem__ = __str__


class Speaking(RuntimeError):
    def __str__(self):
        raise AssertionError("code of the program ran")

    __repr__ = __str__
    args = property(__str__)  # pyright: ignore[reportAssignmentType]


def test_no_code_of_the_program_runs():
    assert told(Speaking(CUBLAS)) == ("cublas", True)
    assert told(RuntimeError(Loud(CUBLAS))) is None


def raised(call):
    try:
        call()
    except Exception as error:
        return error
    raise AssertionError


class Host:
    """Stands for torch: its functions are C, so that the failing frame is the caller's."""

    @staticmethod
    def empty(*_, **__):
        raise RuntimeError("CUDA error: out of memory")

    pin_memory = empty


def by_method():
    Host.pin_memory()


def by_argument():
    Host.empty(5, pin_memory=True)


def by_neither():
    pin_memory = 5
    Host.empty(pin_memory)


@pytest.mark.parametrize(
    ("call", "room", "wanted"),
    [
        (by_method, True, ("pinned-host", True)),
        (by_method, None, ("pinned-host", False)),
        (by_method, False, ("driver", True)),
        (by_argument, True, ("pinned-host", True)),
        (by_neither, True, ("driver", True)),
    ],
)
def test_pinned_memory_of_the_host_where_the_device_had_room(call, room, wanted):
    error = raised(call)
    trace = error.__traceback__
    while trace.tb_next is not None and trace.tb_frame.f_code is not call.__code__:
        trace = trace.tb_next
    trace.tb_next = None  # as with a function in C
    assert told(error, room=room) == wanted


def test_the_kinds_are_those_of_the_schema():
    schema = json.loads((ROOT / "schemas" / "receipt.schema.json").read_text())
    kinds = schema["properties"]["end"]["properties"]["outside_oom"]["properties"]["kind"]["enum"]
    assert {row[0] for row in outside.MARKERS} | {"pinned-host"} == set(kinds)


@pytest.mark.parametrize("version", ("3.9", "3.12", "3.13"))
def test_every_python_tells_the_line_that_pins(version):
    """What instructions look like differs."""
    python = python_or_skip(version)
    program = f"""
import sys
sys.path.insert(0, {str(ROOT / "python" / "shim")!r})
from _oom_autopsy.recording import outside
class tensor:
    pin_memory = int
x, pinned = tensor(), 1
def method():
    pinned; x.pin_memory(
        "a")
def argument():
    int(
        "5",
        pin_memory=pinned)
def variable():
    pin_memory = "a"
    int(pin_memory)
def line_before():
    x.pin_memory("1")
    int("a")
for call in (method, argument, variable, line_before):
    try:
        call()
    except Exception as error:
        print(outside._calls_pin_memory(error.__traceback__))
"""
    done = subprocess.run([python, "-c", program], capture_output=True, text=True)
    assert done.stdout.split() == ["True", "True", "False", "False"], done.stderr


# --- real torch, in processes --------------------------------------------------------------------------------------

OUTSIDE = """
import sys, torch
torch.empty(8, device="cuda")
raise {"cublas": RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"),
       "driver": torch.AcceleratorError("CUDA error: out of memory"),
       "rmm": MemoryError("std::bad_alloc: out_of_memory: CUDA error at: cuda_memory_resource.hpp")}[sys.argv[1]]
"""


@pytest.mark.parametrize("kind", ("cublas", "driver", "rmm"))
def test_a_process_that_ends_by_it(kind, step, cuda):
    done = step().run(OUTSIDE, kind, python=cuda)
    end = done.receipt["end"]
    assert (done.code, done.ours, done.receipt["oom_count"]) == (1, [], 0)
    assert (end["kind"], end["oom"], end["reraised_from"]) == ("exception", False, None)
    assert end["outside_oom"] == {"kind": kind, "certain": True}
    assert "STATUS" not in json.dumps(done.receipt) and "bad_alloc" not in json.dumps(done.receipt)


# Each in a forked child that has used CUDA; (what it does, outside_oom, reraised_from, oom).
CHILDREN = {
    "cupy": ("import cupy; raise cupy.cuda.memory.OutOfMemoryError('x')", ("cupy", True), None, False),
    "hint": ("raise RuntimeError('CUBLAS_STATUS_NOT_INITIALIZED')", ("cublas", False), None, False),
    "exit while handling": (
        "try: raise RuntimeError('CUDA error: out of memory')\nexcept RuntimeError: sys.exit(3)",
        ("driver", True),
        None,
        False,
    ),
    "another error": ("raise RuntimeError('shapes cannot be multiplied')", None, None, False),
    "an exit": ("sys.exit(0)", None, None, False),
    "the allocator's": ("torch.empty(1 << 40, device='cuda')", None, None, True),
    # posix_memalign itself refuses 64 TiB: torch's words are real.
    "pinned": (
        "torch.empty(1 << 46, dtype=torch.uint8, pin_memory=True)",
        ("pinned-host", True),
        None,
        False,
    ),
    "pinned on a full device": (
        "x = torch.empty(250 << 20, dtype=torch.uint8, device='cuda')\n"
        "torch.empty(1 << 46, dtype=torch.uint8, pin_memory=True)",
        ("driver", True),
        None,
        False,
    ),
    "pin thread": (
        "loader = torch.utils.data.DataLoader([0] * 4, pin_memory=True, num_workers=1, collate_fn=Batch)\n"
        "next(iter(loader))",
        ("pinned-host", True),
        None,
        False,
    ),
    "DataLoader worker": (
        "next(iter(torch.utils.data.DataLoader(Failing(), num_workers=1)))",
        ("cublas", True),
        "process",
        False,
    ),
    "ray": (
        "import ray.exceptions\n"
        "raise ray.exceptions.as_ray_does(torch.OutOfMemoryError('CUDA out of memory.'))",
        None,
        "ray",
        True,
    ),
}
PACKAGES = {
    "cupy/__init__.py": "from . import cuda",
    "cupy/cuda/__init__.py": "from . import memory",
    "cupy/cuda/memory.py": "class OutOfMemoryError(MemoryError): pass",
    "ray/__init__.py": "",
    "ray/exceptions.py": """
class RayTaskError(Exception):
    def __init__(self, cause):
        self.cause = cause
def as_ray_does(cause):
    kind = type(cause)
    return type(f"RayTaskError({kind.__name__})", (RayTaskError, kind), {})(cause)
""",
}
PARENT = """
import multiprocessing, sys, torch, torch.utils.data
class Batch:
    def __init__(self, *_): pass
    def pin_memory(self):
        return torch.empty(1 << 46, dtype=torch.uint8, pin_memory=True)
class Failing(torch.utils.data.Dataset):
    def __len__(self): return 4
    def __getitem__(self, index): raise RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling")
def child(source):
    torch.zeros(1, device="cuda")
    exec(source)
class Process(multiprocessing.get_context("fork").Process):
    daemon = False
for name, source in CHILDREN.items():
    process = Process(target=child, args=(source,))
    process.start(); process.join()
    print(name, process.pid, sep="\\t")
"""


@pytest.fixture(scope="module")
def ends(tmp_path_factory):
    """The receipts' ends, by name of CHILDREN; one interpreter for all."""
    root = tmp_path_factory.mktemp("outside")
    for name, text in PACKAGES.items():
        (root / "site" / name).parent.mkdir(parents=True, exist_ok=True)
        (root / "site" / name).write_text(text)
    (root / "step").mkdir()
    lain = Step(root / "step", **PLAIN)
    program = f"CHILDREN = { {name: row[0] for name, row in CHILDREN.items()}!r}\n" + textwrap.dedent(PARENT)
    done = run(
        program,
        python=_interpreter("OA_PYTHON_CUDA"),
        step=lain,
        extra_path=[root / "site"],
        timeout=300,
    )
    assert done.code == 0 and done.ours == [], done.err
    by_pid = {row["pid"]: row for row in lain.receipts()}
    pids = dict(line.split("\t") for line in done.out.splitlines())
    return {name: by_pid[int(pid)]["end"] for name, pid in pids.items()}


@pytest.mark.parametrize("name", CHILDREN)
def test_a_child_that_ends_by_it(name, ends):
    _, outside_oom, reraised_from, oom = CHILDREN[name]
    end = ends[name]
    found = end["outside_oom"] and (end["outside_oom"]["kind"], end["outside_oom"]["certain"])
    assert (found, end["reraised_from"], end["oom"]) == (outside_oom, reraised_from, oom)
    # What the device had free is told where that shows whose memory it was.
    free = (end["outside_oom"] or {}).get("device_free")
    assert (free is not None and free > 0) == (outside_oom == ("pinned-host", True))


RERAISED = """
import concurrent.futures as cf, multiprocessing as mp, sys
def work(_):
    import torch
    return [torch.empty(8 << 20, device="cuda") for _ in range(64)]
if __name__ == "__main__":
    import torch
    spawn = mp.get_context("spawn")
    if sys.argv[1] == "executor":
        with cf.ProcessPoolExecutor(1, mp_context=spawn) as ex: ex.submit(work, 0).result()
    if sys.argv[1] == "pool":
        with spawn.Pool(1) as pool: pool.map(work, [0])
    if sys.argv[1] == "torch":
        import torch.multiprocessing
        torch.multiprocessing.spawn(work, nprocs=1)
"""


@pytest.mark.parametrize(("how", "oom"), [("executor", True), ("pool", True), ("torch", False)])
def test_an_error_that_another_process_raised_first(how, oom, step, cuda, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(RERAISED)
    lain = step()
    done = lain.run("", argv=[cuda, str(script), how])
    assert done.code == 1, done.err
    (parent,) = [
        row for row in done.receipts if row["program"] == "script.py" and row["recorder"]["state"] == "idle"
    ]
    assert (parent["end"]["oom"], parent["end"]["outside_oom"]) == (oom, None)
    assert parent["end"]["reraised_from"] == "process" and parent["oom_count"] == 0
    assert [row["oom_count"] for row in done.receipts if row is not parent and row["oom_count"]] == [1]


def test_a_failing_test_of_pytest_is_seen_though_the_process_goes_on(step, cuda, tmp_path):
    (tmp_path / "test_it.py").write_text(
        "import torch\n"
        "def test_it():\n    torch.zeros(1, device='cuda')\n    raise RuntimeError('CUBLAS_STATUS_ALLOC_FAILED')\n"
    )
    done = step().run("", argv=[cuda, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)])
    end = done.receipt["end"]
    assert done.code == 1 and (end["kind"], end["oom"]) == ("exit", False)
    assert end["outside_oom"] == {"kind": "cublas", "certain": True}


PLUG = """
#include <stdlib.h>
#include <sys/types.h>
void* my_malloc(ssize_t n, int d, void* s) { return malloc(n); }
void my_free(void* p, ssize_t n, int d, void* s) { free(p); }
"""
PLUGGABLE = """
import sys, torch
a = torch.cuda.memory.CUDAPluggableAllocator(sys.argv[1], "my_malloc", "my_free")
torch.cuda.memory.change_current_allocator(a)
x = torch.empty(1 << 20, dtype=torch.uint8, device="cuda")
print(x.numel())
"""


def test_an_allocator_that_refuses_recorder_and_observer(step, cuda, tmp_path):
    (tmp_path / "plug.c").write_text(PLUG)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", tmp_path / "plug.so", tmp_path / "plug.c"], check=True)
    lain = step(cycles="warn", categories="census", snapshot="always")
    done = lain.run(PLUGGABLE, tmp_path / "plug.so", python=cuda)
    assert (done.code, done.out) == (0, f"{1 << 20}\n"), done.err
    (line,) = done.ours
    assert "an out-of-memory would not be seen here: a pluggable allocator" in line
    receipt = done.receipt
    assert (receipt["recorder"]["state"], receipt["recorder"]["observer"]) == ("unsupported", "refused")
    assert receipt["torch"]["backend"] == "pluggable" and "pluggable" in receipt["recorder"]["reason"]
    assert (receipt["end"]["kind"], receipt["faults"], lain.snapshots()) == ("exit", [], [])
    assert receipt["cycles"]["state"] == "nothing-to-watch" and receipt["census"] is None


EXPANDABLE = """
import torch
{before}
torch.zeros(1, device="cuda")
{after}
try:
    torch.empty(1 << 40, dtype=torch.uint8, device="cuda")
except torch.OutOfMemoryError:
    pass
{last}
"""
ON, OFF, OTHER = (
    f"torch._C._accelerator_setAllocatorSettings({text!r})"
    for text in ("expandable_segments:True", "expandable_segments:False", "max_split_size_mb:200")
)


@pytest.mark.parametrize(
    ("conf", "before", "after", "last", "wanted"),
    [
        ("", "", "", "", False),
        ("", "", ON, "", True),
        ("", ON, "", "", True),
        ("", "", ON, OTHER, None),
        ("expandable_segments:True", "", "", OFF, False),
    ],
)
def test_expandable_segments_are_seen_at_run_time(conf, before, after, last, wanted, step, cuda):
    program = EXPANDABLE.format(before=before, after=after, last=last)
    done = step().run(program, python=cuda, env={"PYTORCH_CUDA_ALLOC_CONF": conf})
    assert done.code == 0 and done.ours == [], done.err
    assert done.receipt["torch"]["expandable_segments"] is wanted
    assert done.receipt["recorder"]["observer"] == "attached"


@pytest.mark.parametrize(
    ("before", "was_on", "now", "wanted"),
    [
        ("", False, "", False),
        ("", False, "expandable_segments:True,max_split_size_mb:9", True),
        ("a:1", True, "max_split_size_mb:9, expandable_segments : False", False),
        ("expandable_segments:True", True, "max_split_size_mb:9", None),
        ("", None, "", None),
        # A torch that does not tell: what the environment says counts, and its silence says nothing.
        ("expandable_segments:True", True, None, True),
        ("", False, None, None),
        (None, True, None, True),
    ],
)
def test_settings_add_up(before, was_on, now, wanted):
    assert recorder.expandable_segments(before, was_on, now) is wanted
