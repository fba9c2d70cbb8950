"""The rebuilt view in real programs: what they do must work as without it, and what it sees must be so."""

import gc
import threading
import types
import weakref

import pytest
from kit_parity import PARITY  # noqa: F401  (puts the package on the path)
from oom_autopsy_parity.shared import shared

torch = pytest.importorskip("torch")
view, api = shared("timeline.view"), shared("torch_api")
nn = torch.nn


def hooks():
    import sys

    module, optimizer = sys.modules["torch.nn.modules.module"], sys.modules["torch.optim.optimizer"]
    return [
        len(d)
        for d in (
            module._global_forward_hooks,
            module._global_forward_pre_hooks,
            optimizer._global_optimizer_pre_hooks,
            optimizer._global_optimizer_post_hooks,
        )
    ]


@pytest.fixture
def recorder():
    one = view.Recorder().install()
    yield one
    assert one.uninstall()
    assert one.faults == []
    assert hooks() == [0, 0, 0, 0]
    assert api.view_mode_depth() == 0


def category(recorder, tensor):
    return recorder._live[id(tensor.untyped_storage())].row.category.value


def counts(recorder):
    return recorder.ledger.window().counts()


def test_each_role_is_seen(recorder):
    model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8))
    optimizer = torch.optim.Adam(model.parameters())
    x = torch.randn(3, 4)
    out = model(x)
    out.square().mean().backward()
    gradient = model[0].weight.grad
    optimizer.step()
    assert category(recorder, x) == "input"
    assert category(recorder, out) == "activation"
    assert category(recorder, model[0].weight) == "parameter"
    assert category(recorder, gradient) == "gradient"
    assert category(recorder, optimizer.state[model[0].weight]["exp_avg"]) == "optimizer_state"
    assert category(recorder, model[1].running_mean) == "unknown"


def test_keyword_arguments_are_inputs_and_an_op_output_handed_on_is_not(recorder):
    class Model(nn.Module):
        def forward(self, *, batch):
            return batch["x"] @ torch.ones(4, 2)

    x = torch.randn(3, 4)
    out = Model()(batch={"x": x, "rest": [torch.ones(1)]})
    nn.MSELoss()(out, torch.zeros(3, 2))
    assert category(recorder, x) == "input"
    assert category(recorder, out) == "activation"


def test_a_storage_dies_when_its_memory_does_and_not_before(recorder):
    w = torch.randn(100, requires_grad=True)
    y = w * 2
    key = id(y.untyped_storage())
    z = y.sin()  # the graph keeps y
    del y
    gc.collect()
    assert key in recorder._live
    view_of = z[10:20]
    kept = id(z.untyped_storage())
    del z
    assert kept in recorder._live
    del view_of
    assert kept not in recorder._live
    assert key not in recorder._live


def test_what_is_made_outside_of_modules_is_an_activation_only_where_the_graph_grows(recorder):
    w = torch.randn(4, requires_grad=True)
    assert category(recorder, w * 2) == "activation"
    assert category(recorder, torch.add(torch.ones(4), other=w)) == "activation"
    with torch.no_grad():
        assert category(recorder, w * 2) == "unknown"
    assert category(recorder, w.detach() * 2) == "unknown"


def test_nothing_is_recorded_once_it_is_uninstalled():
    recorder = view.Recorder().install()
    kept = [torch.ones(3) + 1]
    assert recorder.uninstall()
    events = len(recorder.ledger.events)
    kept.clear()
    nn.Linear(2, 2)(torch.ones(1, 2)).sum().backward()
    assert len(recorder.ledger.events) == events


def test_a_second_root_forward_recursion_and_a_failing_forward_keep_the_phases_right(recorder):
    class Recursive(nn.Module):
        def forward(self, x, depth):
            if depth == 0:
                raise KeyError("the user's own")
            return self(x + 1, depth - 1)

    model = nn.Linear(2, 2)
    model(torch.ones(1, 2))
    model(torch.ones(1, 2))
    with pytest.raises(KeyError, match="the user's own"):
        Recursive()(torch.ones(1), 5)
    assert recorder.phase() == view.OUTSIDE
    outside = torch.ones(3) + 1
    assert category(recorder, outside) == "unknown"


def test_checkpointing_recomputes_in_a_forward_inside_the_backward(recorder):
    from torch.utils.checkpoint import checkpoint

    layer = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))
    for reentrant in (False, True):
        x = torch.randn(2, 4, requires_grad=True)
        checkpoint(layer, x, use_reentrant=reentrant).sum().backward()
    assert recorder.ledger.window().reasons()["op_output_in_module_forward_inside_backward"]["count"] >= 4
    assert recorder.phase() == view.OUTSIDE


def test_a_forward_that_runs_a_backward_of_its_own(recorder):
    class Inner(nn.Module):
        def forward(self, x):
            (g,) = torch.autograd.grad((x * x).sum(), x)
            return g + 1

    Inner()(torch.randn(3, requires_grad=True))
    reasons = recorder.ledger.window().reasons()
    assert reasons["op_output_in_backward"]["count"] >= 1
    assert reasons["op_output_in_module_forward"]["count"] >= 2


def test_optimizers_with_nested_state_and_closures(recorder):
    parameter = nn.Parameter(torch.randn(5))
    optimizer = torch.optim.LBFGS([parameter], max_iter=3)

    def closure():
        optimizer.zero_grad()
        loss = (parameter**4).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    assert category(recorder, optimizer.state[parameter]["old_dirs"][0]) == "optimizer_state"
    assert recorder.phase() == view.OUTSIDE


def test_an_optimizer_whose_step_raises_does_not_stay_the_phase(recorder):
    class Raises(torch.optim.SGD):
        def step(self, closure=None):
            raise RuntimeError("the user's own")

    parameter = nn.Parameter(torch.ones(2))
    optimizer = Raises([parameter], lr=0.1)
    for _ in range(3):
        with pytest.raises(RuntimeError, match="the user's own"):
            optimizer.step()
    (nn.Linear(2, 2)(torch.ones(1, 2))).sum().backward()
    assert sum(len(stack) for stack in recorder._stacks.values()) <= 1


def test_modules_on_other_threads_run_and_are_said_not_to_be_seen(recorder):
    """As torch.nn.parallel.parallel_apply does."""
    model, results = nn.Linear(3, 3), []
    threads = [
        threading.Thread(target=lambda: results.append(model(torch.ones(1, 3)).sum().item()))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 3
    assert sum(n for what, n in recorder.blind.items() if "another thread" in what) == 3


def test_sparse_gradients_are_counted_as_blind_and_do_no_harm(recorder):
    embedding = nn.Embedding(10, 3, sparse=True)
    embedding(torch.tensor([1, 2])).sum().backward()
    torch.optim.SGD(embedding.parameters(), lr=0.1).step()
    assert any("sparse" in what for what in recorder.blind)


def test_the_users_function_modes_and_subclasses_are_not_run_by_us(recorder):
    from torch.overrides import TorchFunctionMode

    seen = []

    class Spy(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append(getattr(func, "__name__", str(func)))
            return func(*args, **(kwargs or {}))

    class Sub(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            seen.append("sub " + getattr(func, "__name__", str(func)))
            return super().__torch_function__(func, types, args, kwargs)

    x = torch.ones(2).as_subclass(Sub)
    with Spy():
        nn.Linear(2, 2)(x).sum().backward()
    assert not [name for name in seen if "storage" in name or "meta" in name]


def test_modules_that_compare_strangely_or_cannot_be_hashed(recorder):
    class Strange(nn.Module):
        __hash__ = None

        def __eq__(self, other):
            raise AssertionError("compared")

        def forward(self, x):
            return x + 1

    try:
        Strange()(torch.ones(1))
    except TypeError:
        pytest.skip("this torch itself hashes modules")


def test_nothing_of_the_users_is_kept_alive(recorder):
    model = nn.Linear(2, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    refs = [weakref.ref(model), weakref.ref(model.weight), weakref.ref(optimizer)]
    del model, optimizer
    gc.collect()
    alive = [ref() for ref in refs]
    # A handle of a hook that is still registered holds its own dict, not the parameter.
    assert alive == [None, None, None]


def test_a_failing_operation_does_not_leave_its_tensors_in_our_frame(recorder):
    def run():
        return torch.ones(3, 4) @ torch.ones(5, 6)

    with pytest.raises(RuntimeError) as caught:
        run()
    frames, trace = [], caught.value.__traceback__
    while trace is not None:
        frames.append(trace.tb_frame)
        trace = trace.tb_next
    ours = [f for f in frames if f.f_code.co_name == "__torch_dispatch__"]
    assert ours
    assert all(f.f_locals.get("args") is None for f in ours)


def test_a_fault_of_ours_is_noted_and_never_raised():
    recorder = view.Recorder().install()
    try:
        recorder.observe = recorder.mark = lambda *a: 1 / 0
        model = nn.Linear(2, 2)
        model(torch.ones(1, 2)).sum().backward()
        torch.optim.SGD(model.parameters(), lr=0.1).step()
    finally:
        recorder.uninstall()
    assert {"operation: ZeroDivisionError", "before forward: ZeroDivisionError"} <= set(recorder.faults)
    assert len(recorder.faults) <= 8
    assert hooks() == [0, 0, 0, 0]


def test_what_torch_lacks_is_said_and_nothing_is_left_behind(monkeypatch):
    monkeypatch.delattr(torch.Tensor, "register_post_accumulate_grad_hook")
    with pytest.raises(view.Unsupported, match="register_post_accumulate_grad_hook"):
        view.Recorder().install()
    assert hooks() == [0, 0, 0, 0]


def test_resizes_are_events_and_out_arguments_are_no_new_storages(recorder):
    x = torch.empty(0)
    torch.add(torch.ones(4), torch.ones(4), out=x)
    x.resize_(10)
    moves = [
        (kind, delta)
        for kind, row, delta in recorder.ledger.window().moves
        if row is recorder._live[id(x.untyped_storage())].row
    ]
    assert moves == [("~", 16), ("~", 24)]


def test_walk_runs_no_code_of_the_users():
    class Trap(list):
        def __iter__(self):
            raise AssertionError("ran the user's code")

    one = torch.ones(1)
    found = list(view.walk({"a": Trap([one]), "b": (types.SimpleNamespace(), {"c": one})}))
    assert [t for t in found if t is one] == [one, one]
