"""The rebuilt memory view: what each storage is, from observed facts alone. Shared by the shim (timeline.py)
and the parity check.

A `Recorder` watches one thread's operations (a TorchDispatchMode), every module (global forward hooks), every
optimizer (global step hooks) and each parameter's gradient accumulation, and writes a `Ledger`
(ledger.py) of storages. Identity is the `untyped_storage()`, held by weak reference: its death is the
true death of the memory, tensors held only by the autograd graph included (seen in torch 2.13.0 and 2.14.1).

Rules kept here: no exception of ours leaves a hook; nothing of the user's is replaced, wrapped or kept alive;
what cannot be seen is counted in `blind` and said, never guessed. torch is looked up when a recorder starts,
not when this file is read."""

from __future__ import annotations

import sys
import threading
import types
import weakref
from collections import Counter, UserDict
from collections.abc import Callable, Iterator
from typing import Any

from .. import torch_api
from ..heap.objects import _MRO, _NAMESPACE, container_reader
from ..signals import handlers
from .ledger import ALLOC, FREE, RESIZE, SEEN, Ledger, Reason, Row, better

FORWARD, RECOMPUTE, BACKWARD, OPTIMIZER, OUTSIDE = "forward", "recompute", "backward", "optimizer", "outside"

_OUTPUT_REASON = {
    FORWARD: Reason.OUTPUT_IN_FORWARD,
    RECOMPUTE: Reason.OUTPUT_IN_RECOMPUTE,
    BACKWARD: Reason.OUTPUT_IN_BACKWARD,
    OPTIMIZER: Reason.OUTPUT_IN_OPTIMIZER,
    OUTSIDE: Reason.OUTPUT_OUTSIDE,
}

_FRESH, _ALIAS, _MAY_RESIZE = 1, 2, 3
# Declared as aliases of an argument, but the argument was made out of our sight just before (torch.tensor's
# own result).
_FRESH_NAMES = ("aten::lift_fresh", "aten::lift_fresh_copy")


class Unsupported(Exception):
    """This torch lacks something that the view stands on. The text says what."""

    kind = "unsupported"


class _Death(weakref.ref):
    """The weak reference to a storage. It carries its row, so that one callback serves all of them."""

    __slots__ = ("key", "row")


# A type is asked, by C functions of `type` itself, and told from others by id. `isinstance` asks the object's `__class__`
# as well, which of a lazy proxy is code of the user's, and a metaclass may define `==`, `hash` and every attribute.
_derives = type.__subclasscheck__  # (class, type)
_leaves = set(map(id, (int, float, bool, str, bytes, type(None))))  # a recorder adds torch's tensors


def walk(value: Any, depth: int = 8) -> Iterator[Any]:
    """The leaves of nested dicts, lists, tuples, sets and dataclasses. Runs no code of the user's (no
    `__iter__` of theirs, no `__class__`)."""
    if depth < 0:
        return
    parts = _parts(value)
    if parts is None:
        yield value
        return
    for part in parts:
        if id(type(part)) in _leaves:
            yield part  # most leaves by far are tensors and numbers: no generator for each of them
        else:
            yield from walk(part, depth - 1)


def _parts(value: Any) -> list[Any] | None:
    """What a container holds; None for what is none."""
    kind = type(value)
    read = container_reader(kind)
    if read is not None:
        return read(value)
    if _derives(UserDict, kind):
        return [dict.get(_attributes(value), "data")]
    if not _derives(type, kind) and any("__dataclass_fields__" in _NAMESPACE(base) for base in _MRO(kind)):
        return list(dict.values(_attributes(value))) or None
    return None


def _attributes(value: Any) -> dict[str, Any]:
    """An object's attributes by the slot that Python made for them: a class may have a property of that name."""
    for base in _MRO(type(value)):
        slot = _NAMESPACE(base).get("__dict__")
        if slot is not None:
            return slot.__get__(value) if type(slot) is types.GetSetDescriptorType else {}
    return {}


def _effect(func: Any) -> int:
    """Whether an operation may return new storages, only aliases of its arguments, or aliases that it may
    have resized."""
    if func.name() in _FRESH_NAMES:
        return _FRESH
    name, overload, returns = torch_api.view_schema(func)
    if not all(r.alias_info is not None for r in returns):
        return _FRESH
    if "resize" in name or name.endswith("::set_") or overload.endswith("out"):
        return _MAY_RESIZE
    return _ALIAS


class _Met:
    """The objects met so far, by identity and without keeping them. (A WeakSet compares: tensors compare
    element by element.)"""

    def __init__(self) -> None:
        self._refs: dict[int, Any] = {}

    def first(self, thing: Any) -> bool:
        """True the first time that `thing` is asked about."""
        known = self._refs.get(id(thing))
        if known is not None and known() is thing:
            return False
        self._refs[id(thing)] = weakref.ref(thing)
        return True


class _Frame:
    """One entry of a thread's stack of phases: a module's forward or an optimizer's step."""

    __slots__ = ("owner", "phase", "task")

    def __init__(self, phase: str, owner: int, task: int) -> None:
        self.phase = phase
        self.owner = owner  # id() of the module or optimizer; compared, never followed
        self.task = task  # the autograd task that was running when it began; -1 for none


class Recorder:
    """One recording. `install()` on the thread that trains, `uninstall()` when done; `ledger` holds the
    account.

    `operations`: watch every operation (a dispatch mode). Without it only hooks run and activations are not
    seen.
    `gradients`, `modules`: each parameter's accumulation hook; global module hooks.
    `optimizers`: register the step hooks. Without it the caller's own hooks call `before_step` and
    `after_step`.
    `pointers`: keep each row's data pointer and operation number, for the join with the oracle.
    """

    def __init__(
        self,
        *,
        operations: bool = True,
        pointers: bool = False,
        gradients: bool = True,
        modules: bool = True,
        optimizers: bool = True,
    ) -> None:
        self.ledger = Ledger()
        self.blind: Counter[str] = Counter()  # what was there and could not be accounted for -> how often
        self.faults: list[str] = []  # ours, one line each, bounded
        self.calls = 0  # operations seen so far
        self.retired = False
        self._operations, self._pointers, self._gradients = operations, pointers, gradients
        self._modules, self._optimizers = modules, optimizers
        self._live: dict[int, _Death] = {}
        self._stacks: dict[int, list[_Frame]] = {}
        self._handles: list[Any] = []
        self._known_modules, self._hooked = _Met(), _Met()
        self._mode: Any = None
        self._thread = 0
        self._effects: dict[int, tuple[int, Any]] = {}
        self.on_outermost: Callable[[Any], None] | None = (
            None  # called with each outermost module, before it runs
        )

    # ---- life

    def install(self) -> Recorder:
        """Begins to record. Raises Unsupported, and leaves nothing behind, where this torch cannot carry the
        view."""
        torch = sys.modules.get("torch")
        if torch is None:
            raise Unsupported("torch is not imported")
        missing = torch_api.view_missing()
        if missing:
            raise Unsupported(missing)
        self._torch = torch
        self._tensor = torch.Tensor
        self._plain = frozenset(map(id, (torch.Tensor, torch.nn.Parameter)))
        _leaves.update(self._plain)
        self._task: Any = torch_api.view_graph_task_reader()
        self._function_mode_on = torch_api.view_function_mode_reader()
        # Inside of it, reading a tensor runs no `__torch_function__` of the user's (a mode of theirs, a
        # subclass).
        self._quietly = torch_api.view_quiet_class()
        self._thread = threading.get_ident()
        try:
            if self._modules:
                self._handles += torch_api.view_module_hooks(self._before_forward, self._after_forward)
            if self._optimizers:
                self._handles += torch_api.view_optimizer_hooks(self.before_step, self.after_step)
            if self._operations:
                self._mode = _mode_class()(self)
                self._mode.__enter__()
        except BaseException:
            self._mode = None
            self.uninstall()
            raise
        return self

    def uninstall(self) -> bool:
        """Removes every hook. False when the dispatch mode could not be left yet; see `leave_mode`."""
        for handle in self._handles:
            handle.remove()
        self._handles.clear()
        self.retired = True
        self._live.clear()  # with the weak references go their callbacks
        self._stacks.clear()
        return self.leave_mode()

    def leave_mode(self) -> bool:
        """Leaves the dispatch mode if that is possible here and now.

        Modes are a stack of the thread: leaving out of order would pop a mode of the user's and spoil the
        flag that tells torch.compile whether one is active. Until ours is on top, on its own thread, it stays
        and only passes calls on."""
        if self._mode is None:
            return True
        if threading.get_ident() != self._thread or torch_api.view_top_mode() is not self._mode:
            return False
        mode, self._mode = self._mode, None
        mode.__exit__(None, None, None)
        return True

    def fault(self, where: str, error: BaseException) -> None:
        """One of ours: a line. What a signal handler of the program raised during a hook is the program's."""
        if handlers.from_handler(error):
            raise error
        if len(self.faults) < 8:
            self.faults.append(
                f"{where}: {type(error).__name__}"
            )  # no message: it may hold the user's values

    # ---- where the thread stands

    def phase(self) -> str:
        """The innermost of: a module's forward, an optimizer's step, a backward. Autograd's own task id tells
        a backward, also on the threads that the engine runs it on, and a forward inside of it (checkpointing)
        from the backward around it."""
        stack = self._stacks.get(threading.get_ident())
        task = self._task()
        if stack:
            top = stack[-1]
            if top.task == task:
                return RECOMPUTE if top.phase == FORWARD and task != -1 else top.phase
        return BACKWARD if task != -1 else OUTSIDE

    def _push(self, phase: str, owner: Any) -> list[_Frame]:
        stack = self._stacks.setdefault(threading.get_ident(), [])
        stack.append(_Frame(phase, id(owner), self._task()))
        return stack

    def _pop(self, owner: Any) -> None:
        """Back to before `owner` began. Frames above it belong to calls that ended by an exception."""
        stack = self._stacks.get(threading.get_ident())
        if not stack:
            return
        key = id(owner)
        if stack[-1].owner == key:
            stack.pop()
        elif any(frame.owner == key for frame in stack):
            while stack.pop().owner != key:
                pass

    # ---- storages

    def _is_tensor(self, thing: Any) -> bool:
        kind = type(thing)
        return id(kind) in self._plain or _derives(self._tensor, kind)

    def _storages(self, tensor: Any) -> tuple[Any, ...]:
        """The storages under a tensor; those of its parts for a wrapper (DTensor). What has none is counted
        as blind."""
        kind = type(tensor)
        if id(kind) not in self._plain:
            if hasattr(kind, "__tensor_flatten__"):
                names, _ = tensor.__tensor_flatten__()
                return tuple(storage for name in names for storage in self._storages(getattr(tensor, name)))
            if kind.__name__ in ("FakeTensor", "FunctionalTensor"):
                return ()
        try:
            return (tensor.untyped_storage(),)
        except (NotImplementedError, RuntimeError):
            self.blind["tensor without a storage of its own (sparse, mkldnn layout, functorch)"] += 1
            return ()

    def _begin(self, storage: Any, reason: Reason, seen: bool, phase: str, call: int) -> None:
        device = storage.device
        if device.type == "meta":
            return  # a shape without memory
        nbytes = storage.nbytes()
        row = Row(reason, nbytes, device, seen, phase, storage.data_ptr() if self._pointers else 0, call)
        key = id(storage)
        death = _Death(storage, self._gone)
        death.key, death.row = key, row
        self._live[key] = death
        self.ledger.events.append((SEEN if seen else ALLOC, row, nbytes))

    def _gone(self, death: Any) -> None:
        row = death.row
        if self._live.get(death.key) is death:
            del self._live[death.key]
        self.ledger.events.append((FREE, row, row.nbytes))

    def _size(self, storage: Any, row: Row) -> None:
        nbytes = storage.nbytes()
        if nbytes != row.nbytes:
            self.ledger.events.append((RESIZE, row, nbytes - row.nbytes))
            row.nbytes = nbytes
        if self._pointers:
            row.ptr = storage.data_ptr()

    def mark(self, tensor: Any, reason: Reason) -> None:
        """Records that `tensor` was seen in a role. Anything that is not a tensor is passed over."""
        if not self._is_tensor(tensor):
            return
        for storage in self._storages(tensor):
            death = self._live.get(id(storage))
            if death is None:
                self._begin(storage, reason, True, self.phase(), 0)
            else:
                row = death.row
                self._size(storage, row)
                if row.reason is not reason:
                    row.reason = better(row.reason, reason, seen=row.seen)

    def observe(self, func: Any, args: Any, kwargs: Any, out: Any) -> None:
        """Records what an operation returned. The hot path: everything that returns aliases only is left at
        once."""
        known = self._effects.get(id(func))
        if known is None:
            known = self._effects[id(func)] = (
                _effect(func),
                func,
            )  # func is kept, so that its id stays its own
        effect = known[0]
        if effect == _ALIAS or out is None:
            return
        if self._function_mode_on():
            with self._quietly():
                self._outputs(effect, args, kwargs, out)
        else:
            self._outputs(effect, args, kwargs, out)

    def _outputs(self, effect: int, args: Any, kwargs: Any, out: Any) -> None:
        reason: Reason | None = None
        for tensor in (out,) if id(type(out)) in self._plain else walk(out, 3):
            if not self._is_tensor(tensor):
                continue
            for storage in self._storages(tensor):
                death = self._live.get(id(storage))
                if death is not None:
                    if effect == _MAY_RESIZE:
                        self._size(storage, death.row)
                    continue
                if effect == _MAY_RESIZE:
                    continue
                if reason is None:
                    phase = self.phase()
                    reason = _OUTPUT_REASON[phase]
                    if phase == OUTSIDE and self._needs_grad(args, kwargs):
                        reason = Reason.OUTPUT_NEEDS_GRAD
                self._begin(storage, reason, False, phase, self.calls)

    def _needs_grad(self, args: Any, kwargs: Any) -> bool:
        return self._torch.is_grad_enabled() and any(
            self._is_tensor(a) and a.requires_grad for a in walk((args, kwargs or {}), 3)
        )

    # ---- hooks (each of them swallows its own faults: an exception here would surface in the user's program)

    def _before_forward(self, module: Any, args: Any) -> None:
        if self.retired:
            return
        try:
            stack = self._push(FORWARD, module)
            if len(stack) == 1 or not any(frame.phase == FORWARD for frame in stack[:-1]):
                if threading.get_ident() != self._thread and self._operations:
                    self.blind["module run on another thread (its operations are not seen)"] += 1
                if self.on_outermost is not None:
                    self.on_outermost(module)
                with self._quietly():
                    for leaf in walk(args):
                        self.mark(leaf, Reason.MODULE_ARGUMENT)
            if self._known_modules.first(module):
                with self._quietly():
                    self._contents(module)
        except Exception as error:
            self.fault("before forward", error)

    def _contents(self, module: Any) -> None:
        parameters, buffers = torch_api.view_held(module)
        for parameter in parameters:
            self._parameter(parameter, Reason.MODULE_PARAMETER)
        for buffer in buffers:
            self.mark(buffer, Reason.MODULE_BUFFER)

    def _after_forward(self, module: Any, args: Any, *rest: Any) -> None:
        """`rest` is (kwargs, out); when the forward raised, torch calls global hooks without the kwargs
        (2.13.0, 2.14.1)."""
        if self.retired:
            return
        try:
            self._pop(module)
            stack = self._stacks.get(threading.get_ident())
            kwargs = rest[0] if len(rest) == 2 else None
            if kwargs and not any(frame.phase == FORWARD for frame in stack or ()):
                # The global pre-hook is not given keyword arguments (torch 2.14): they are seen here, after
                # the fact.
                with self._quietly():
                    for leaf in walk(kwargs):
                        self.mark(leaf, Reason.MODULE_ARGUMENT)
        except Exception as error:
            self.fault("after forward", error)

    def _parameter(self, parameter: Any, reason: Reason) -> None:
        self.mark(parameter, reason)
        if (
            self._gradients
            and parameter.requires_grad
            and parameter.is_leaf
            and self._hooked.first(parameter)
        ):
            self._handles.append(parameter.register_post_accumulate_grad_hook(self._after_accumulate))

    def _after_accumulate(self, parameter: Any) -> None:
        if self.retired:
            return
        try:
            with self._quietly():
                self.mark(parameter.grad, Reason.GRAD_ACCUMULATED)
        except Exception as error:
            self.fault("after gradient accumulation", error)

    def before_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        if self.retired:
            return
        try:
            self._pop(optimizer)  # a step that raised never reached after_step
            self._push(OPTIMIZER, optimizer)
            with self._quietly():
                self.look_at(optimizer, state=False)
        except Exception as error:
            self.fault("before optimizer step", error)

    def after_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        if self.retired:
            return
        try:
            with self._quietly():
                for leaf in walk(list(optimizer.state.values())):
                    self.mark(leaf, Reason.OPTIMIZER_STATE)
            self._pop(optimizer)
        except Exception as error:
            self.fault("after optimizer step", error)

    def look_at(self, optimizer: Any, *, state: bool = True) -> None:
        """Marks what an optimizer holds: its parameters, their gradients and, with `state`, its state."""
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                self._parameter(parameter, Reason.OPTIMIZER_PARAMETER)
                self.mark(parameter.grad, Reason.GRAD_AT_STEP)
        if state:
            for leaf in walk(list(optimizer.state.values())):
                self.mark(leaf, Reason.OPTIMIZER_STATE)


_MODE: list[Any] = []


def _mode_class() -> Any:
    """The dispatch mode, made once torch is there. It calls the operation and hands the result to the
    recorder."""
    if _MODE:
        return _MODE[0]
    base: Any = torch_api.view_dispatch_mode()

    class _Watch(base):
        @classmethod
        def ignore_compile_internals(cls) -> bool:
            return True  # torch 2.13+: an active mode then does not switch torch.compile off

        @classmethod
        def _should_skip_dynamo(cls) -> bool:
            # else every call goes through a wrapper that costs more than ours (2.13); no recording runs beside compile
            return False

        def __init__(self, recorder: Recorder) -> None:
            super().__init__()
            self._recorder = recorder

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            recorder = self._recorder
            if recorder.retired:
                return func(*args, **kwargs) if kwargs else func(*args)
            recorder.calls += 1
            try:
                out = func(*args, **kwargs) if kwargs else func(*args)
            except BaseException:
                func = args = kwargs = (
                    None  # an out-of-memory's traceback must not keep this call's tensors alive
                )
                raise
            try:
                recorder.observe(func, args, kwargs, out)
            except Exception as error:
                recorder.fault("operation", error)
            return out

    _MODE.append(_Watch)
    return _Watch
