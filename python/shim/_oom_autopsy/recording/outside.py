"""Which memory ran out, where that was not torch's caching allocator's: told from an exception by a closed list of types and markers.

Only the kind leaves the process, never a word of the message. What only hints at memory (cuBLAS says "not initialised" when
it found none for its handle, and for other reasons) is a kind that is not certain. docs/reach.md has the list, and what cannot be seen.
"""

import dis

from .. import facts

_RUNTIME = ("RuntimeError",)
_MEMORY = ("MemoryError",)
_NUMBA, _ONNX, _CUPY = ("numba.",), ("onnxruntime.",), ("cupy.", "cupy_backends.")
_JAX = ("jaxlib.", "jax.")

# (kind, certain, beginnings of a name in the exception's MRO, texts that all are in its message). The first that fits counts:
# libraries that call cuBLAS or the driver themselves come before those.
MARKERS = (
    ("nvml-assert", True, _RUNTIME, ("NVML_SUCCESS ==", "INTERNAL ASSERT FAILED", "CUDACachingAllocator")),
    ("onnxruntime", True, _ONNX, ("CUDA failure 2",)),
    ("onnxruntime", True, _ONNX, ("CUBLAS_STATUS_ALLOC_FAILED",)),
    # Of the arena of the device, or of the host's.
    ("onnxruntime", False, _ONNX, ("Failed to allocate memory for requested buffer",)),
    ("cupy", True, ("cupy.cuda.memory.OutOfMemoryError",), ()),
    ("cupy", True, _CUPY, ("cudaErrorMemoryAllocation",)),
    ("cupy", True, _CUPY, ("CUDA_ERROR_OUT_OF_MEMORY",)),
    ("cupy", True, _CUPY, ("CUBLAS_STATUS_ALLOC_FAILED",)),
    ("jax", True, _JAX, ("RESOURCE_EXHAUSTED",)),
    ("rmm", True, _MEMORY, ("std::bad_alloc", "out_of_memory")),
    ("rmm", True, _MEMORY, ("std::bad_alloc", "RMM failure")),
    ("rmm", True, _MEMORY, ("std::bad_alloc", "/rmm/")),
    ("rmm", True, ("rmm.",), ("OUT_OF_MEMORY",)),
    ("tensorrt", True, _RUNTIME, ("Error Code 2: OutOfMemory",)),
    ("tensorrt", True, _RUNTIME, ("Cuda Runtime (out of memory)",)),
    ("nccl", True, _RUNTIME, ("NCCL", "'out of memory'")),
    ("nccl", False, _RUNTIME, ("NCCL", "Failed to CUDA calloc")),
    ("nccl", False, _RUNTIME, ("NCCL", "Failed to CUDA malloc")),
    ("cublas", True, _RUNTIME, ("CUBLAS_STATUS_ALLOC_FAILED",)),
    ("cublas", False, _RUNTIME, ("CUBLAS_STATUS_NOT_INITIALIZED",)),
    ("cusolver", True, _RUNTIME, ("CUSOLVER_STATUS_ALLOC_FAILED",)),
    ("cusolver", False, _RUNTIME, ("CUSOLVER_STATUS_NOT_INITIALIZED",)),
    ("cusolver", False, _RUNTIME, ("CUSOLVER_STATUS_INTERNAL_ERROR", "cusolverDnCreate")),
    ("cudnn", True, _RUNTIME, ("CUDNN_STATUS_ALLOC_FAILED",)),
    ("cudnn", True, _RUNTIME, ("CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED",)),
    ("cudnn", False, _RUNTIME, ("CUDNN_STATUS_NOT_INITIALIZED",)),
    ("cudnn", False, _RUNTIME, ("unable to find an engine to execute this computation",)),
    ("driver", True, _RUNTIME, ("CUDA error: out of memory",)),
    ("driver", True, _RUNTIME, ("CUDA driver error: out of memory",)),
    ("driver", True, _RUNTIME, ("Triton Error [CUDA]: out of memory",)),
    ("driver", True, _MEMORY, ("cudaErrorMemoryAllocation",)),
    ("driver", True, _NUMBA, ("CUDA_ERROR_OUT_OF_MEMORY",)),
)
_PIN_THREAD = "in pin memory thread"
_REMOTE_TRACEBACKS = (
    "RemoteTraceback",
    "_RemoteTraceback",
)  # multiprocessing.pool's, concurrent.futures', loky's
_ANOTHER_PROCESS = (
    "ProcessRaisedException",
    "ProcessExitedException",
    "ChildFailedError",
)  # torch's launchers
_WORKER = "in DataLoader worker process"
_MAX_CHARS = 20_000


def outside_oom(error, native, has_room):
    """{kind, certain} of an exception and what it was raised from or during, or None. A certain one comes before a
    hint. native: torch's OutOfMemoryError class, which the allocator's observer has seen. has_room(): whether the device
    has room now, None where that is not known; asked only where pinned memory of the host may be meant."""
    hint = None
    for link in facts.chain_of(error):
        if native is not None and isinstance(link, native):
            continue
        kind, certain = _classify(link, _names(link), _message(link), has_room)
        if certain:
            return {"kind": kind, "certain": True}
        hint = hint or kind
    return {"kind": hint, "certain": False} if hint else None


def reraised_from(error):
    """`process` or `ray` where an exception was first raised by another process, else None."""
    for link in facts.chain_of(error):
        names = _names(link)
        if "ray.exceptions.RayTaskError" in names:
            return "ray"
        own = names[0].rpartition(".")[2]
        if own in _REMOTE_TRACEBACKS or _WORKER in _message(link):
            return "process"
        if own in _ANOTHER_PROCESS and names[0].startswith("torch."):
            return "process"
    return None


def _classify(error, names, text, has_room):
    for kind, certain, types, words in MARKERS:
        if any(name.startswith(types) for name in names) and all(word in text for word in words):
            if kind == "driver":
                return _pinned(error, text, has_room) or (kind, certain)
            return kind, certain
    return None, False


def _pinned(error, text, has_room):
    """The driver refuses pinned memory of the host with the words for the device. Only a device that is full makes those
    true."""
    if _PIN_THREAD not in text and not _calls_pin_memory(error.__traceback__):
        return None
    room = has_room()
    return None if room is False else ("pinned-host", room is True)


def _calls_pin_memory(trace):
    """Whether the line that failed names `pin_memory`: the method, or the argument of a factory."""
    if trace is None:
        return False
    while trace.tb_next is not None:
        trace = trace.tb_next
    code, line = trace.tb_frame.f_code, None
    lines = dict(dis.findlinestarts(code))
    for instruction in dis.get_instructions(code):
        if instruction.offset > trace.tb_lasti:
            break
        line = lines.get(instruction.offset, line)
        if line == trace.tb_lineno and _names_pin_memory(code, instruction):
            return True
    return False


def _names_pin_memory(code, instruction):
    name, value = instruction.opname, instruction.argval
    if name == "KW_NAMES":  # 3.11 and 3.12, where dis does not look the constant up
        value = code.co_consts[instruction.arg]
    if type(value) is tuple:
        return "pin_memory" in value
    return value == "pin_memory" and name in ("LOAD_METHOD", "LOAD_ATTR")


def _names(error):
    """Qualified names of an exception's class and its bases."""
    return [facts.exception_name(kind) for kind in type.mro(type(error))]


def _message(error):
    """The text that an exception was made with, its middle cut. Runs no code of the program, as str() would."""
    args = BaseException.args.__get__(error)
    text = args[0] if args and type(args[0]) is str else ""
    half = _MAX_CHARS // 2
    return text if len(text) <= _MAX_CHARS else text[:half] + text[-half:]
