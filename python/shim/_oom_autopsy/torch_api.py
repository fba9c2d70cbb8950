"""Every private name of torch that the shim uses, each feature-detected, each with the version it was seen in.

No module of the shim imports torch: it is there already when we run, and is looked up in sys.modules. Functions here
may raise what torch raises; callers guard.
"""

import contextlib
import importlib
import inspect
import operator
import os
import re
import sys
import threading
import types

TYPE_CHECKING = False  # as typing's, without importing it
if TYPE_CHECKING:
    from typing import Any


def torch() -> "Any":
    """The torch module, or None."""
    return sys.modules.get("torch")


# --- what this build is -------------------------------------------------------------------------------------------


def versions(module):
    """{version, cuda, hip, path} of a torch module, from public names."""
    version = getattr(module, "version", None)
    return {
        "version": str(getattr(module, "__version__", "?"))[:100],
        "cuda": getattr(version, "cuda", None),
        "hip": getattr(version, "hip", None),
        "path": os.path.dirname(getattr(module, "__file__", None) or "")[:500] or None,
    }


def alloc_conf(environ=None):
    """The allocator's settings as the environment gives them (PYTORCH_ALLOC_CONF since 2.9), or None."""
    environ = os.environ if environ is None else environ
    for name in ("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF"):
        if environ.get(name):
            return environ[name][:500]
    return None


def allocator_settings():
    """The allocator's settings as last given, by the environment or at run time (seen in 2.13 and 2.14); None where torch
    does not tell."""
    ask = getattr(torch()._C, "_accelerator_getAllocatorSettings", None)
    return None if ask is None else str(ask())


def expandable_in(settings):
    """What a text of settings says about expandable segments: True, False, or None for nothing."""
    found = re.findall(r"\bexpandable_segments\s*:\s*(True|False)\b", settings or "")
    return found[-1] == "True" if found else None


# Attributes of torch's objects that are read by name, from the object's own dictionary or slot (1.x to 2.14).
PARAMETERS, BUFFERS, MODULES = (
    "_parameters",
    "_buffers",
    "_modules",
)  # of torch.nn.Module: {name: tensor or module}
# Parts that wrappers add to a module's path: torch.compile, FSDP 1, checkpointing, offloading (2.13.0 and 2.14.1), and, by a
# name that a user's module may have too, DDP, DataParallel, DeepSpeed and averaged models.
WRAPPED = frozenset(
    (
        "_orig_mod",
        "_fsdp_wrapped_module",
        "_checkpoint_wrapped_module",
        "_fpw_module",
        "_offload_wrapped_module",
    )
)
WRAPPED_PUBLIC = "module"
WRAPPERS = frozenset(
    (
        "DistributedDataParallel",
        "DataParallel",
        "DeepSpeedEngine",
        "AveragedModel",
        "FullyShardedDataParallel",
    )
)
IS_PARAMETER = "_is_param"  # of a wrapper subclass that stands for a Parameter
NODE_INPUTS = "_input_metadata"  # of an autograd node: device and shape of each gradient that it takes
# Parts of torch whose threads wait, compile or load data, and keep no tensor of a step.
ASIDE = ("utils/data", "utils/tensorboard", "_inductor", "_dynamo", "distributed", "multiprocessing")
# What the first scenario of the parity check would import in its child processes, each anew.
IMPORTED_BY_SCENARIOS = (
    "torch._dynamo",
    "torch.profiler",
    "torch.profiler._memory_profiler",
    "torch.utils.checkpoint",
)


def counts_allocations():
    """Whether the allocator counts: a pluggable one raises when asked (2.14.1)."""
    return allocator_backend() != "pluggable"


def unrecordable(module):
    """Why this build of torch cannot record, with the remedy, or None. Asks no driver and no runtime."""
    version = getattr(module, "version", None)
    if getattr(version, "hip", None):
        return (
            "ROCm: recording or a snapshot can crash the program there (ROCm/TheRock#4745), so neither is done; "
            "run the step on a CUDA device to get a snapshot"
        )
    if not hasattr(
        getattr(module, "_C", None), "_cuda_record_memory_history"
    ):  # 2.1; 2.0 has only the legacy form
        if hasattr(getattr(module, "_C", None), "_cuda_recordMemoryHistory"):
            return None
        if getattr(version, "xpu", None):
            return "XPU build of torch: its allocator is not recorded; there is no snapshot on Intel GPUs yet"
        if sys.platform == "darwin":
            return "MPS has no allocator recorder; run the step on a CUDA device to get a snapshot"
        return f"torch {getattr(module, '__version__', '?')} has no CUDA: install a CUDA build of torch"
    return None


def is_initialized():
    """Whether the program has initialised CUDA in this process, or is just doing so on this thread (where our
    queued call runs, `_tls.is_initializing` is set and is_initialized() still False: 1.x to 2.14)."""
    cuda = getattr(torch(), "cuda", None)
    if cuda is None:
        return False
    return bool(cuda.is_initialized()) or hasattr(getattr(cuda, "_tls", None), "is_initializing")


def call_when_initialized(function):
    """Queues `function` for the program's own CUDA initialisation; at once if that has been (1.x to 2.14)."""
    torch().cuda._lazy_call(function)


def allocator_backend():
    """`native` or `cudaMallocAsync` (public since 2.0)."""
    return str(torch().cuda.get_allocator_backend())


# --- the recorder -------------------------------------------------------------------------------------------------

_ours = threading.local()


@contextlib.contextmanager
def ours():
    """Calls of the recorder inside this block are the shim's, not the program's."""
    before = getattr(_ours, "inside", False)
    _ours.inside = True
    try:
        yield
    finally:
        _ours.inside = before


def history_enabled():
    """Whether a recorder is on (2.1 to 2.14); None where torch cannot tell (2.0)."""
    ask = getattr(torch()._C, "_cuda_isHistoryEnabled", None)
    return bool(ask()) if ask is not None else None


def recording_arguments(parameters, max_entries, stacks):
    """Keyword arguments that start recording, for a signature with these parameter names.

    2.1 and newer: enabled="all", context, stacks, max_entries. 2.0: booleans and trace_alloc_*; its own default there
    would keep one entry.
    """
    names = set(parameters)
    if "max_entries" in names:
        wanted = {"enabled": "all", "context": "all", "stacks": stacks, "max_entries": max_entries}
    else:
        wanted = {
            "enabled": True,
            "record_context": True,
            "trace_alloc_max_entries": max_entries,
            "trace_alloc_record_context": True,
            "record_context_cpp": stacks == "all",
        }
    return {name: value for name, value in wanted.items() if name in names}


def start_recording(max_entries, stacks):
    """Turns torch's recorder on."""
    function = torch().cuda.memory._record_memory_history  # 2.0 to 2.14
    with ours():
        function(**recording_arguments(inspect.signature(function).parameters, max_entries, stacks))


def stop_recording():
    """Turns torch's recorder off, which drops the trace."""
    function = torch().cuda.memory._record_memory_history
    modern = "max_entries" in inspect.signature(function).parameters
    with ours():
        function(enabled=None if modern else False)


def watch_recording(before_call):
    """Has `before_call(enabled)` run ahead of the program's own calls of the recorder, whatever name they go through.

    The C function under `_record_memory_history` is looked up at each call (2.1 to 2.14), so the program's references
    to torch's Python functions stay as they are.
    """
    names = ("_cuda_record_memory_history", "_cuda_record_memory_history_legacy")
    _watch(names, lambda args, kwargs: before_call(args[0] if args else kwargs.get("enabled", "all")))


def watch_peak_resets(before_call):
    """Has `before_call(device index or None)` run ahead of the program's own resets of the peak: by
    torch.cuda.reset_peak_memory_stats and its older names (1.x to 2.14), and torch.accelerator's (2.9 to 2.14)."""
    names = ("_cuda_resetPeakMemoryStats", "_accelerator_resetPeakStats")
    _watch(names, lambda args, kwargs: before_call(args[0] if args else None))


def _watch(names, before_call):
    module = torch()._C
    for name in names:
        inner = getattr(module, name, None)
        if inner is None or getattr(inner, "oom_autopsy", False):
            continue

        def watched(*args, _inner=inner, **kwargs):
            if not getattr(_ours, "inside", False):
                before_call(args, kwargs)
            return _inner(*args, **kwargs)

        watched.oom_autopsy = True  # pyright: ignore[reportFunctionMemberAccess]
        setattr(module, name, watched)


def attach_oom_observer(observer):
    """Has `observer(device, wanted, limit, free)` called at each out-of-memory (2.0 to 2.14). Only once CUDA is
    initialised: before, it crashed torch 2.0 (pytorch/pytorch#102796). There is no detach."""
    torch()._C._cuda_attach_out_of_memory_observer(observer)


# --- the snapshot -------------------------------------------------------------------------------------------------


class _NotNow:
    """Stands for torch._inductor while a snapshot is written, in a program that has not imported it.

    The snapshot asks `hasattr(torch, "_inductor")` to map generated code back, and torch's lazy module attribute then
    imports it: 1.1 to 1.7 s and 800 modules (2.14.1), in the middle of the program's out-of-memory, to find nothing. For
    the dumping thread it has no attributes; any other thread that comes by gets the real module.
    """

    def __init__(self, module, thread):
        self.__dict__.update(_module=module, _thread=thread)

    def __getattr__(self, name):
        if threading.get_ident() == self._thread:
            raise AttributeError(name)
        if self._module.__dict__.get("_inductor") is self:
            del self._module.__dict__["_inductor"]
        return getattr(importlib.import_module("torch._inductor"), name)


@contextlib.contextmanager
def _without_inductor():
    module = torch()
    if "torch._inductor" in sys.modules or "_inductor" in vars(module):
        yield
        return
    stand_in = _NotNow(module, threading.get_ident())
    vars(module)["_inductor"] = stand_in
    try:
        yield
    finally:
        if vars(module).get("_inductor") is stand_in:
            del vars(module)["_inductor"]


def _fx_frames_known():
    """Whether any compiled graph left a map from generated code to source (torch.fx.traceback, 2.12 to 2.14)."""
    return bool(getattr(sys.modules.get("torch.fx.traceback"), "_FX_METADATA_REGISTRY", None))


def dump_snapshot(path):
    """Has torch write its snapshot to `path` (2.0 to 2.14; augment_with_fx_traces since 2.12, passed only where it has
    something to add: it walks every frame)."""
    function = torch().cuda.memory._dump_snapshot
    extra = {}
    if "augment_with_fx_traces" in inspect.signature(function).parameters and _fx_frames_known():
        extra["augment_with_fx_traces"] = True
    with _without_inductor():
        function(path, **extra)


# --- facts by public calls ----------------------------------------------------------------------------------------


def backward_task():
    """(id, node, device): the backward pass that this thread runs a part of (-1: none), the node it is in (None in a
    hook), and its current device. None where this torch cannot tell. (2.0 to 2.14.)"""
    c = torch()._C
    ask, node = getattr(c, "_current_graph_task_id", None), getattr(c, "_current_autograd_node", None)
    if ask is None:
        return None
    number = ask()
    if number == -1:
        return number, None, None
    return number, None if node is None else node(), torch().cuda.current_device()


def memory_stats(device):
    """{allocated, reserved, peak_allocated, peak_reserved, retries, ooms} of a device, bytes and counts."""
    stats = torch().cuda.memory_stats(device)
    return {
        "allocated": int(stats.get("allocated_bytes.all.current", 0)),
        "reserved": int(stats.get("reserved_bytes.all.current", 0)),
        "peak_allocated": int(stats.get("allocated_bytes.all.peak", 0)),
        "peak_reserved": int(stats.get("reserved_bytes.all.peak", 0)),
        "retries": int(stats.get("num_alloc_retries", 0)),
        "ooms": int(stats.get("num_ooms", 0)),
    }


def peak_bytes(device):
    """(allocated, reserved): peaks of a device since the last reset. torch._C._cuda_memoryStats, which
    torch.cuda.memory_stats flattens in twenty times the time (1.x to 2.14)."""
    stats = torch()._C._cuda_memoryStats(device)
    return int(stats["allocated_bytes"]["all"]["peak"]), int(stats["reserved_bytes"]["all"]["peak"])


def used_devices():
    """Indices of the devices, where CUDA was initialised."""
    cuda = torch().cuda
    return range(cuda.device_count()) if cuda.is_initialized() else ()


def device_memory(device):
    """{device_free, device_total} bytes as the driver tells."""
    free, total = torch().cuda.mem_get_info(device)
    return {"device_free": int(free), "device_total": int(total)}


def device_rows():
    """The receipt's `devices`: those where this process has used memory, and the current one. Makes no context."""
    cuda = torch().cuda
    if not counts_allocations():
        return []
    current, rows = cuda.current_device(), []
    for index in range(cuda.device_count()):
        stats = memory_stats(index)
        if index != current and not stats["peak_reserved"] and not stats["ooms"]:
            continue
        properties = cuda.get_device_properties(index)
        total = int(properties.total_memory)
        rows.append(
            {"index": index, "name": str(properties.name)[:100], "total": total, "limit": None, **stats}
        )
        fraction = getattr(cuda, "get_per_process_memory_fraction", None)  # public since 2.8
        if fraction is not None:
            with contextlib.suppress(Exception):
                share = float(fraction(index))
                rows[-1]["limit"] = int(total * share) if share < 1 else None
    return rows


def out_of_memory_error():
    """torch's OutOfMemoryError class (torch.OutOfMemoryError since 2.5, torch.cuda.OutOfMemoryError before)."""
    module = torch()
    return getattr(module, "OutOfMemoryError", None) or getattr(module.cuda, "OutOfMemoryError", None)


# --- the rebuilt view (view.py, timeline.py) and the parity check --------------------------------------------------
# Names prefixed `view_` serve the view; `oracle_` the parity check. All look torch up when called.

# Files of torch that they stand on, below its folder: a match that is remembered is of these contents.
PARITY_FILES = (
    "_tensor.py",
    "autograd/profiler.py",
    "nn/modules/module.py",
    "optim/optimizer.py",
    "profiler/_memory_profiler.py",
    "profiler/_utils.py",
    "profiler/profiler.py",
    "utils/_python_dispatch.py",
    "utils/checkpoint.py",
    "version.py",
)


def view_missing():
    """What this torch lacks for the rebuilt view, in one line; None when nothing is missing. Asks for features, no version."""
    module = torch()
    if module is None:
        return "torch is not imported"
    if not hasattr(module.Tensor, "register_post_accumulate_grad_hook"):  # public, since 2.1
        return "Tensor.register_post_accumulate_grad_hook is missing (it came with torch 2.1)"
    if view_graph_task_reader() is None:
        return "torch._C._current_graph_task_id is missing (seen in torch 2.1 to 2.14)"
    if view_dispatch_mode() is None:
        return "torch.utils._python_dispatch.TorchDispatchMode is missing (seen in torch 2.0 to 2.14)"
    if not hasattr(_optimizer_module(), "register_optimizer_step_post_hook"):  # public, since 2.0
        return "torch.optim.optimizer.register_optimizer_step_post_hook is missing (it came with torch 2.0)"
    try:
        parameters = inspect.signature(module.nn.modules.module.register_module_forward_hook).parameters
    except (TypeError, ValueError):
        parameters = {}
    if "always_call" not in parameters or "with_kwargs" not in parameters:
        return "torch.nn.modules.module.register_module_forward_hook takes no always_call/with_kwargs (2.13 does, 2.1.2 not)"
    # Identity by storage stands on one Python object per storage, alive as long as the memory is. (Asked without a weak
    # reference: in 2.1.2, which makes a new object at each call, one crashed the interpreter at its exit.)
    probe = module.empty(1, device="cpu")
    first, second = probe.untyped_storage(), probe.untyped_storage()
    if first is not second:
        return "Tensor.untyped_storage() gives a new object at each call (2.13 keeps one, 2.1.2 does not)"
    return None


def _optimizer_module():
    """torch.optim.optimizer; as an attribute of torch.optim it is deleted (2.13), as a module it is there."""
    return importlib.import_module("torch.optim.optimizer")


def view_schema(function):
    """(name, overload, what it returns) of an operator, by its `_schema` (2.0 to 2.14.1)."""
    schema = function._schema
    return schema.name, schema.overload_name, schema.returns


def view_held(module):
    """(parameters, buffers) of a module: lists, without None."""
    held = (module._parameters.values(), module._buffers.values())
    return [[tensor for tensor in list(part) if tensor is not None] for part in held]


def takes_bfloat16():
    """Whether oneDNN takes bfloat16 on this processor; False where torch cannot tell.
    torch.ops.mkldnn._is_mkldnn_bf16_supported: 2.0 to 2.14.1."""
    try:
        return bool(torch().ops.mkldnn._is_mkldnn_bf16_supported())
    except (AttributeError, RuntimeError):
        return False


def view_graph_task_reader():
    """Id of the backward that the calling thread works for, -1 for none. torch._C._current_graph_task_id: 2.1.2 to 2.14.1."""
    return getattr(torch()._C, "_current_graph_task_id", None)


def view_function_mode_reader():
    """Whether a TorchFunctionMode is active. torch._C._is_torch_function_mode_enabled: 2.1.2 to 2.14.1."""
    return getattr(torch()._C, "_is_torch_function_mode_enabled", lambda: True)


def view_quiet_class():
    """A context manager class; inside, reading a tensor runs no `__torch_function__`. torch._C.DisableTorchFunction: 2.0 to 2.14.1."""
    return torch()._C.DisableTorchFunction


def view_dispatch_mode():
    """The TorchDispatchMode class (documented, though its module is private): 2.0 to 2.14.1."""
    try:
        from torch.utils._python_dispatch import TorchDispatchMode
    except ImportError:
        return None
    return TorchDispatchMode


def view_mode_depth():
    """How many dispatch modes the calling thread has active; None when it cannot be told. 2.1.2 to 2.14.1."""
    depth = getattr(torch()._C, "_len_torch_dispatch_stack", None)
    return None if depth is None else depth()


def view_top_mode():
    """The innermost dispatch mode of the calling thread, or None. torch.utils._python_dispatch._get_current_dispatch_mode: 2.1.2 to 2.14.1."""
    from torch.utils import _python_dispatch

    return getattr(_python_dispatch, "_get_current_dispatch_mode", lambda: None)()


def view_module_hooks(before, after):
    """Handles of global forward hooks (public). `after` is called when a forward raises, too."""
    module = torch().nn.modules.module
    return [
        module.register_module_forward_pre_hook(before),
        module.register_module_forward_hook(after, with_kwargs=True, always_call=True),
    ]


def view_optimizer_hooks(before, after):
    """Handles of global optimizer step hooks (public since torch 2.0); [] where this torch has none."""
    optimizer = _optimizer_module()
    handles = []
    if before is not None and hasattr(optimizer, "register_optimizer_step_pre_hook"):
        handles.append(optimizer.register_optimizer_step_pre_hook(before))
    if after is not None and hasattr(optimizer, "register_optimizer_step_post_hook"):
        handles.append(optimizer.register_optimizer_step_post_hook(after))
    return handles


def view_last_post_hook():
    """Id of the global post-step hook that runs last, None when that cannot be told. torch.optim.optimizer's own dict
    (_global_optimizer_post_hooks: 2.0 to 2.14.1) is iterated as it is: taking a hook out in mid-iteration raises in the user's
    step, unless it is the last (tried with Python 3.9 to 3.13)."""
    hooks = getattr(_optimizer_module(), "_global_optimizer_post_hooks", None)
    return next(reversed(hooks), None) if hooks else None


def view_compile_in_use():
    """Whether anything was given to torch.compile in this process. torch._dynamo is in sys.modules with any optimizer, so its
    presence says nothing: its table of backends does (torch._dynamo.eval_frame.cached_backends: 2.13.0 to 2.14.1; the
    disabled functions of torch.optim stand in it as None)."""
    frames = sys.modules.get("torch._dynamo.eval_frame")
    if any(
        backend is not None and backend is not False
        for backend in (getattr(frames, "cached_backends", None) or {}).values()
    ):
        return True
    counters = getattr(sys.modules.get("torch._dynamo.utils"), "counters", None) or {}
    return bool((counters.get("frames") or {}).get("total"))


def oracle_parts():
    """(TensorKey, Action) of torch's private categorizer, or a line that says what is gone. Seen in 2.0 to 2.14.1."""
    try:
        from torch.profiler import _memory_profiler
    except ImportError:
        return "torch.profiler._memory_profiler is gone"
    for name in ("MemoryProfile", "TensorKey", "Action", "Category"):
        if not hasattr(_memory_profiler, name):
            return f"torch.profiler._memory_profiler.{name} is gone"
    if not hasattr(torch().profiler.profile, "_memory_profile"):
        return "torch.profiler.profile._memory_profile is gone"
    return _memory_profiler.TensorKey, _memory_profiler.Action


def oracle_profile(session):
    """The categorizer's result for a finished profiler session (torch.profiler.profile._memory_profile)."""
    return session._memory_profile()


def oracle_category(profile, key, version):
    """Name of the category of a tensor's version, NONE where the categorizer gave none (MemoryProfile._categories)."""
    category = profile._categories.get(key, version)
    return "NONE" if category is None else category.name


def oracle_event_tree(session):
    """The roots of the profiler's tree of events (kineto_results.experimental_event_tree: 2.0 to 2.14.1)."""
    return session.profiler.kineto_results.experimental_event_tree()


# What upstream has that could become a stable allocator annotation (read in the wheels 2.12.0 to 2.14.1). All private then.
_ANNOTATION_NAMES = {
    "torch.cuda.memory": {
        "_set_memory_metadata",  # 2.12
        "_get_memory_metadata",  # 2.12
        "_augment_memory_snapshot_stack_traces",  # 2.12
        "_annotate_tensor",  # 2.14
        "_memory_metadata_supported",  # 2.14
    },
    "torch.accelerator.memory": {"_snapshot"},  # 2.14
    "torch._C": {
        "_cuda_annotateMemory",
        "_cuda_getMemoryMetadata",
        "_cuda_memoryMetadataSupported",
        "_cuda_setMemoryMetadata",
    },
}
_ANNOTATION_WORDS = re.compile(r"annotat|metadata|fx_trace|augment", re.I)
_UNRELATED = re.compile(
    r"^__|tensor_metadata|alias_annotation|usage_metadata|From_Storage_And_Metadata|record_annot"
)


def annotation_names():
    """Names that look like an allocator annotation: {"known": [...], "new": [...], "public": [...]}, each with its module."""
    found = {"known": [], "new": [], "public": []}
    for module_name, known in _ANNOTATION_NAMES.items():
        module = sys.modules.get(module_name)
        for name in sorted(vars(module)) if module is not None else ():
            full = f"{module_name}.{name}"
            if name in known:
                found["known"].append(full)
            elif f"_{name}" in known and module_name != "torch._C":
                found["public"].append(full)
            elif _ANNOTATION_WORDS.search(name) and not _UNRELATED.search(name):
                found["new" if name.startswith("_") else "public"].append(full)
    return found


# --- census: tensors, storages and the autograd graph, read without running anyone's code -------------------
# Every reader below is the C slot itself, taken from torch's own base class and never from the object: a
# subclass may override `grad`, `untyped_storage` or `__torch_function__`, and those overrides are the user's
# code.


class CensusApi:
    """The torch names a census needs, looked up once per look; one that this torch lacks is None and is
    named in `lacks`."""

    def __init__(self, torch):
        c = torch._C
        base = getattr(c, "TensorBase", None) or c._TensorBase  # TensorBase since 2.1, _TensorBase before
        storage = c.StorageBase
        slots = type.__dict__["__dict__"].__get__(base)
        self.lacks = []
        self.torch, self.folder = torch, os.path.join(os.path.dirname(torch.__file__), "")
        # tensors (seen in 2.13.0 and 2.14.1)
        self.is_cuda = slots["is_cuda"].__get__
        self.is_leaf = slots["is_leaf"].__get__
        self.grad = slots["grad"].__get__
        self.grad_fn = slots["grad_fn"].__get__
        self.retains_grad = slots["retains_grad"].__get__
        self.requires_grad = slots["requires_grad"].__get__
        self.layout = slots["layout"].__get__
        self.shape, self.dtype = slots["shape"].__get__, slots["dtype"].__get__
        self.untyped_storage = base.untyped_storage
        self.get_device = base.get_device
        # where a tensor's storage begins, without a Python object for it (2.2; seen in 2.13.0 and 2.14.1)
        self.data_address = self._optional(c, "_data_address")
        self.sparse_parts = {
            torch.sparse_coo: (base._indices, base._values),
            torch.sparse_csr: (base.crow_indices, base.col_indices, base.values),
            torch.sparse_bsr: (base.crow_indices, base.col_indices, base.values),
            torch.sparse_csc: (base.ccol_indices, base.row_indices, base.values),
            torch.sparse_bsc: (base.ccol_indices, base.row_indices, base.values),
        }
        # storages: _storage_address and _has_Standard_Deleter came with CUDA graph trees (2.1; seen in
        # 2.14.1)
        self.storage_nbytes = storage.nbytes
        self.storage_pointer = storage.data_ptr
        self.storage_device = type.__dict__["__dict__"].__get__(storage)["device"].__get__
        self.storage_address = self._optional(c, "_storage_address")
        self.has_standard_deleter = self._optional(c, "_has_Standard_Deleter")
        self.storage_handle = operator.attrgetter("_cdata")  # what has_standard_deleter takes
        # guards: no __torch_function__ of a subclass or a mode, no __torch_dispatch__ mode, no autograd
        # recording
        self.no_torch_function = c.DisableTorchFunction
        self.no_torch_dispatch = self._optional(c, "_DisableTorchDispatch")
        self.below_autograd = self._optional(c, "_AutoDispatchBelowAutograd")
        # SavedTensor.data and .unpack_hook read a saved tensor without unpacking it (not in 2.6.0 and 2.9.1; seen
        # in 2.13.0 and 2.14.1)
        saved = getattr(getattr(c, "_autograd", None), "SavedTensor", None)
        self.saved_data = self._slot(saved, "data")
        self.saved_hook = self._slot(saved, "unpack_hook")
        # frames that mark a module's call and a running backward pass
        module = torch.nn.Module
        self.module_call_codes = frozenset(
            id(code)
            for name in ("_wrapped_call_impl", "_call_impl")
            for code in [getattr(getattr(module, name, None), "__code__", None)]
            if code is not None
        )
        # 2.3; before it, autograd.backward itself
        run = getattr(torch.autograd.graph, "_engine_run_backward", None)
        self.backward_codes = frozenset(
            id(code)
            for function in (run, torch.autograd.backward, torch.autograd.grad)
            for code in [getattr(function, "__code__", None)]
            if code is not None
        )
        # frames of an optimizer's step: a wrapper, the optimizer the first of its `args` (1.x to 2.14)
        wrapper = getattr(getattr(torch.optim.Optimizer, "profile_hook_step", None), "__code__", None)
        self.step_codes = frozenset(
            id(code) for code in getattr(wrapper, "co_consts", ()) if type(code) is types.CodeType
        )
        self.item = base.item
        self.plain_tensors = tuple(
            t
            for t in (base, torch.Tensor, torch.nn.Parameter, getattr(torch.nn, "Buffer", None))
            if t is not None
        )
        # the operation tells which module used a weight that two share
        self.embedding, self.linear = torch.nn.Embedding, torch.nn.Linear
        self.no_forward = (torch.nn.ModuleList, torch.nn.ModuleDict)
        self.tensor, self.parameter, self.module = torch.Tensor, torch.nn.Parameter, module
        self.optimizer = torch.optim.Optimizer
        self.function_node = c._FunctionBase
        self.storage = storage
        # what a program holds of a private pool (MemPool since 2.5; seen in 2.13.0 and 2.14.1)
        self.pool_types = tuple(
            found
            for name in ("_MemPool", "_CUDAGraph")
            for found in [getattr(c, name, None)]
            if found is not None
        )
        self.flat_parameter_mark = "_is_flat_param"  # FSDP 1 (seen in 2.13.0 and 2.14.1)

    def _optional(self, owner, name):
        found = getattr(owner, name, None)
        if found is None:
            self.lacks.append(name)
        return found

    def _slot(self, owner, name):
        slot = None if owner is None else type.__dict__["__dict__"].__get__(owner).get(name)
        if slot is None:
            self.lacks.append("SavedTensor." + name)
            return None
        return slot.__get__

    def raw_saved_slots(self, node_type):
        """The `_raw_saved_*` C slots of an autograd node's type. Never `_saved_*`: that runs unpack hooks
        of the user."""
        found = []
        for cls in type.__dict__["__mro__"].__get__(node_type):
            for name, slot in type.__dict__["__dict__"].__get__(cls).items():
                if name.startswith("_raw_saved_") and type(slot) is types.GetSetDescriptorType:
                    found.append(slot.__get__)
        return found

    def node_number(self, node_type):
        """A function that gives a node's place in the order in which its thread made nodes, or None (`_sequence_nr`: 2.1 to
        2.14; a node that accumulates a gradient has the largest number there is)."""
        for cls in type.__dict__["__mro__"].__get__(node_type):
            found = type.__dict__["__dict__"].__get__(cls).get("_sequence_nr")
            if type(found) is types.MethodDescriptorType:
                return found
        return None

    def node_slot(self, node_type, name):
        """A C slot (`next_functions`, `_input_metadata`, `variable`) of a node's type, or None."""
        for cls in type.__dict__["__mro__"].__get__(node_type):
            slot = type.__dict__["__dict__"].__get__(cls).get(name)
            if type(slot) is types.GetSetDescriptorType:
                return slot.__get__
        return None


# More live allocations than this, and the segments are not asked for: about 25 us each, where the frames of each are
# new to torch (2,000 at depth 3: 0.05 s; a second time 2 to 8 us: 20,000 at depth 20 in 0.04 to 0.17 s; 2.14.1).
MAX_ALLOCATIONS = 20_000


def segments_without_traces():
    """(the allocator's segments, None), or (None, why not).

    As torch.cuda.memory_snapshot(include_traces=False) gives them (not in 2.9.1; 2.13, 2.14): without the trace of past events, so that the
    time depends on what is alive alone; with no import of torch._inductor; by the C function below it, in case the program
    has put something in the public one's place.
    """
    module = torch()
    try:
        bounded = "include_traces" in inspect.signature(module.cuda.memory.memory_snapshot).parameters
    except (TypeError, ValueError):
        bounded = False
    if not bounded:
        return None, "this torch gives no snapshot without its whole trace"
    stats = module._C._cuda_memoryStats
    alive = sum(stats(i)["allocation"]["all"]["current"] for i in range(module.cuda.device_count()))
    if alive > MAX_ALLOCATIONS:
        return None, f"{alive:,} live allocations are too many to ask for each"
    with _without_inductor():
        return module._C._cuda_memorySnapshot((0, 0, False))["segments"], None


def cublas_workspace(device):
    """Bytes of the workspace that torch gives cuBLAS for each handle and stream: as CUBLAS_WORKSPACE_CONFIG says, else 32 MiB
    on Hopper, 8 MiB and 128 KiB before (CUDABlas.cpp, getChosenWorkspaceSize: 1.11 to 2.14)."""
    asked = re.findall(r":(\d{1,9}):(\d{1,9})", os.environ.get("CUBLAS_WORKSPACE_CONFIG", ""))
    if asked:
        return sum(int(size) * int(count) for size, count in asked) * 1024
    major, minor = torch().cuda.get_device_capability(device)
    return 4096 * 8 * 1024 if (major, minor) == (9, 0) else (4096 * 2 + 16 * 8) * 1024


def forked_after_cuda(torch):
    """Whether this process is a forked child of one that had initialised CUDA (0.4 to 2.14)."""
    ask = getattr(torch.cuda, "_is_in_bad_fork", None)
    return bool(ask is not None and ask())


# What FlatParameter (FSDP 1) keeps in attributes that is a gradient; its other tensors are shards of the
# parameter (torch/distributed/fsdp/_flat_param.py, seen in 2.13.0 and 2.14.1).
FLAT_PARAMETER = "_flat_param"  # its name in the module that FSDP 1 wraps
FLAT_PARAMETER_GRADIENTS = frozenset({"_saved_grad_shard", "_cpu_grad"})
# --- end of census ------------------------------------------------------------------------------------------


# --- reference cycles (cycles.py) -----------------------------------------------------------------------------------


def cycles_nothing_to_watch():
    """Why no cycle can hold GPU memory in this process, in one line with a remedy; None where one can."""
    module = torch()
    if module is None:
        return "torch is not imported"
    if not hasattr(module._C, "_cuda_memoryStats"):  # 1.6 to 2.14; absent in CPU builds
        version = getattr(module, "__version__", "?")
        return f"torch {version} has no CUDA: there is no GPU memory a cycle could hold; install a CUDA build of torch"
    if not is_initialized():
        return "CUDA is not initialised in this process: there is no GPU memory a cycle could hold"
    if not counts_allocations():
        return "a pluggable allocator does not tell what is allocated: there is nothing to measure a cycle by"
    return None


def cycles_allocated(devices):
    """Bytes allocated now on each of the first `devices` devices. `_cuda_memoryStats` (1.6 to 2.14) takes 12 us; the public
    memory_allocated, which flattens every statistic, 88 us (2.14.1)."""
    stats = torch()._C._cuda_memoryStats
    return [stats(index)["allocated_bytes"]["all"]["current"] for index in range(devices)]


def cycles_use_count():
    """f(tensor) -> owners of a tensor's C++ part, its Python object one of them (TensorBase._use_count: 2.0 to 2.14); or None.

    Where C++ owns it too, the Python object is kept alive by one reference that no Python object holds (2.14.1)."""
    c = torch()._C
    return getattr(getattr(c, "TensorBase", None) or c._TensorBase, "_use_count", None)


def cycles_frames(addresses, segments, reason):
    """(frames by address, None) of where live memory was allocated, or ({}, why not). segments, reason: what
    segments_without_traces gave.

    Each list of frames: [{"filename", "line", "name"}], innermost first. In this process's memory only.
    """
    if not history_enabled():
        return {}, "the recorder was off, so where tensors were allocated is not known"
    if segments is None:
        return {}, f"where tensors were allocated is not known: {reason}"
    frames = {}
    for segment in segments:
        address = segment["address"]
        for block in segment["blocks"]:
            at = block.get("address", address)
            if at in addresses and block["state"] == "active_allocated":
                frames[at] = block.get("frames") or []
            address += block["size"]
    return frames, None


def cycles_observe_garbage(observer):
    """torch's own observer: `observer(gc.garbage)` after every collection of any generation. Returns a remover.

    `observe_garbage` (torch.utils.viz._cycles, 2.1 to 2.14) is what `observe_tensor_cycles` installs. Its other half is left
    out: it re-arms the recorder over the bound that is set, and its page prints strings and dict keys, and runs the
    `__repr__` and `__getattr__` of the user's objects where an exception surfaces in the user's code.
    """
    return _cycles_module().observe_garbage(observer)


def cycles_observe_tensor_cycles(callback):
    """The whole of torch's observer, for a torch in which its half cannot be had. Re-arms the recorder. Returns a remover."""
    with ours():
        return _cycles_module().observe_tensor_cycles(callback)


def cycles_has_observer(name):
    """Whether torch.utils.viz._cycles has a function of that name."""
    try:
        return callable(getattr(_cycles_module(), name, None))
    except ImportError:
        return False


def _cycles_module():
    return importlib.import_module("torch.utils.viz._cycles")
