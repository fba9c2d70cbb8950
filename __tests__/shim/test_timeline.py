"""`categories: timeline` in real training programs: the numbers of the program stay to the bit, every hook
goes, and what cannot be watched is said. Each program runs in a process of its own."""

import json
import textwrap

import conftest
import pytest
from conftest import SHIM

PRELUDE = """
import json, os, sys, warnings
warnings.simplefilter("ignore")
sys.path.insert(0, {shim!r})
import torch
from _oom_autopsy import torch_api
from _oom_autopsy.timeline import timeline
torch.manual_seed(0)
torch.set_num_threads(1)

def train(steps, model=None, optimizer=None, device="cpu", each=lambda i: None):
    nn = torch.nn
    parts = nn.Linear(16, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 4)
    model = model or nn.Sequential(*parts).to(device)
    optimizer = optimizer or torch.optim.AdamW(model.parameters())
    losses = []
    for i in range(steps):
        each(i)
        x, y = torch.randn(8, 16, device=device), torch.zeros(8, dtype=torch.long, device=device)
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach().cpu().numpy().tobytes().hex())
    return losses, [p.detach().cpu().numpy().tobytes().hex() for p in model.parameters()]

def hooks():
    module, optimizer = sys.modules["torch.nn.modules.module"], sys.modules["torch.optim.optimizer"]
    tables = [module._global_forward_hooks, module._global_forward_pre_hooks]
    tables += [optimizer._global_optimizer_pre_hooks, optimizer._global_optimizer_post_hooks]
    return [len(table) for table in tables] + [torch._C._len_torch_dispatch_stack()]

def say(**what):
    print(json.dumps(what))
"""


@pytest.fixture
def run(request):
    """`run(program, which, env)`: what the program said last, on torch's CPU build or on its CUDA build."""

    def said(program, which="CPU", env=None):
        python = request.getfixturevalue(which.lower())
        code = PRELUDE.format(shim=str(SHIM)) + textwrap.dedent(program)
        done = conftest.run(code, python=python, env=env, timeout=200, ahead=["torch._dynamo"])
        assert done.code == 0, done.err
        return json.loads(done.out.splitlines()[-1])

    return said


@pytest.mark.parametrize("which", ["CPU", "CUDA"])
def test_losses_and_weights_are_equal_to_the_bit_and_every_hook_is_gone(which, run):
    program = """
    if {watch}:
        line = timeline.start(3)
    model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.BatchNorm1d(32), torch.nn.Dropout(0.1),
                                torch.nn.Linear(32, 4))
    numbers = train(7, model)
    left = sum(len(p._post_accumulate_grad_hooks or {{}}) for p in model.parameters())
    say(numbers=numbers, left=left, hooks=hooks(), result=line.result() if {watch} else None)
    """
    watched, plain = (run(program.format(watch=w), which) for w in (True, False))
    assert watched["numbers"] == plain["numbers"]
    assert watched["hooks"] == plain["hooks"] == [0, 0, 0, 0, 0]
    assert watched["left"] == 0
    result = watched["result"]
    assert (result["state"], result["mode"], result["steps"], result["faults"]) == (
        "done",
        "operations",
        3,
        [],
    )
    (device,) = result["devices"]
    assert device["device"] == "cpu"
    assert set(device["categories"]) == {
        "parameter",
        "gradient",
        "input",
        "activation",
        "optimizer_state",
        "unknown",
    }
    weights = (16 * 32 + 32 + 64 + 32 * 4 + 4) * 4
    assert device["categories"]["parameter"] == {"count": 6, "bytes": weights}
    assert device["categories"]["optimizer_state"]["bytes"] == 2 * weights + 6 * 4
    assert (
        device["peak"]["bytes"]
        == sum(device["peak"]["by_category"].values())
        == max(p["bytes"] for p in device["points"])
    )
    assert all(p["bytes"] == sum(p["by_category"].values()) for p in device["points"])
    assert [p["step"] for p in device["points"]] == sorted(p["step"] for p in device["points"])
    assert {p["step"] for p in device["points"]} == {1, 2, 3}
    assert {"forward", "backward"} <= {p["phase"] for p in device["points"]}


def test_the_result_is_bounded_and_holds_no_name_or_value_of_the_users(run):
    result = run("""
    class SecretNamed(torch.nn.Linear): pass
    model = torch.nn.Sequential(SecretNamed(16, 16), *[torch.nn.Linear(16, 16) for _ in range(40)], torch.nn.Linear(16, 4))
    line = timeline.start(20)
    train(23, model)
    say(result=line.result(), hooks=hooks())
    """)
    text = json.dumps(result["result"])
    assert result["result"]["events"] > 5000
    assert len(text) < 64 * 1024
    assert "Secret" not in text
    assert len(result["result"]["devices"][0]["points"]) <= 120


def test_torch_compile_goes_on_and_the_result_says_what_was_not_seen(run):
    program = """
    graphs = []
    def backend(gm, inputs):
        graphs.append(len(list(gm.graph.nodes)))
        return gm.forward
    model = torch.compile(torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4)), backend=backend)
    if {watch}:
        line = timeline.start(2)
    numbers = train(5, model)
    say(graphs=graphs, numbers=numbers, hooks=hooks(), result=line.result() if {watch} else None)
    """
    watched, plain = (run(program.format(watch=w)) for w in (True, False))
    assert watched["graphs"] == plain["graphs"] != []
    assert watched["numbers"] == plain["numbers"]
    assert watched["hooks"] == [0, 0, 0, 0, 0]
    result = watched["result"]
    assert (result["mode"], result["state"], result["steps"]) == ("boundaries", "done", 2)
    assert "torch.compile is in use" in result["reason"]
    assert "activations and inputs are not seen" in result["blind"][0]["what"]
    assert {"parameter", "gradient", "optimizer_state"} == set(result["devices"][0]["categories"])


def test_compile_that_begins_inside_the_window_closes_it_before_anything_is_compiled(run):
    result = run("""
    graphs = []
    def backend(gm, inputs):
        graphs.append(1)
        return gm.forward
    f = []
    def each(i):
        if i == 2:
            f.append(torch.compile(torch.nn.Linear(4, 4), backend=backend))
        if f:
            f[0](torch.ones(1, 4))
    line = timeline.start(4)
    train(8, each=each)
    say(graphs=graphs, result=line.result(), hooks=hooks())
    """)
    assert result["graphs"] == [1]
    assert result["hooks"] == [0, 0, 0, 0, 0]
    assert result["result"]["state"] == "done"
    assert "torch.compile came into use" in result["result"]["reason"]
    assert result["result"]["steps"] == 1


def test_a_dispatch_mode_of_the_users_around_all_is_left_alone(run):
    result = run("""
    from torch.utils._python_dispatch import TorchDispatchMode
    class Mine(TorchDispatchMode):
        n = 0
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            Mine.n += 1
            return func(*args, **(kwargs or {}))
    line = timeline.start(2)
    with Mine():
        train(5)
        before = Mine.n
        torch.ones(1)
        still = Mine.n > before
    before = Mine.n
    torch.ones(1)
    say(still=still, gone=Mine.n == before, result=line.result(), hooks=hooks())
    """)
    assert result["still"]
    assert result["gone"]
    assert result["result"]["mode"] == "boundaries"
    assert "another dispatch mode" in result["result"]["reason"]
    assert result["hooks"] == [0, 0, 0, 0, 0]


def test_a_dispatch_mode_of_the_users_over_ours_is_not_popped_when_the_window_closes(run):
    result = run("""
    from torch.utils import _python_dispatch
    class Mine(_python_dispatch.TorchDispatchMode):
        n = 0
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            Mine.n += 1
            return func(*args, **(kwargs or {}))
    line = timeline.start(2)
    model = torch.nn.Linear(16, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train(2, model, optimizer)  # the window is open: our mode is on the stack
    with Mine():
        train(2, model, optimizer)  # it closes in here, under theirs
        before = Mine.n
        torch.ones(1)
        theirs = Mine.n > before
        inside = torch._C._len_torch_dispatch_stack()
    train(1, model, optimizer)
    say(theirs=theirs, inside=inside, result=line.result(), hooks=hooks(), flag=_python_dispatch.is_in_torch_dispatch_mode())
    """)
    assert result["theirs"]
    assert result["inside"] == 2
    assert result["hooks"] == [0, 0, 0, 0, 0]
    assert result["flag"] is False
    assert (result["result"]["state"], result["result"]["steps"]) == ("done", 2)


def test_hooks_of_the_users_beside_ours_keep_running_and_are_left(run):
    result = run("""
    calls = []
    def mine(*a): calls.append(1)
    line = timeline.start(1)
    register = sys.modules["torch.optim.optimizer"].register_optimizer_step_post_hook
    later = register(mine)  # after ours: ours may not be taken out while theirs is still to come
    train(4)
    n = len(calls)
    line.stop()
    later.remove()
    say(calls=n, hooks=hooks(), result=line.result())
    """)
    assert result["calls"] == 4
    assert result["hooks"] == [0, 0, 0, 0, 0]
    assert result["result"]["state"] == "done"


def test_a_fault_of_ours_ends_the_timeline_and_not_the_program(run):
    result = run("""
    from _oom_autopsy.timeline import view
    view.Recorder.look_at = lambda *a, **k: 1 / 0
    line = timeline.start(2)
    numbers = train(4)
    say(n=len(numbers[0]), result=line.result(), hooks=hooks())
    """)
    assert result["n"] == 4
    assert result["result"]["state"] == "failed"
    assert "ZeroDivisionError" in result["result"]["reason"]
    assert result["hooks"] == [0, 0, 0, 0, 0]


def test_a_program_that_ends_early_or_never_steps_is_said(run):
    result = run("""
    done = []
    line = timeline.start(9, on_done=done.append)
    train(3)
    line.stop()
    line.stop()
    never = timeline.start(1)
    never.stop()
    say(early=line.result(), never=never.result(), done=len(done), hooks=hooks())
    """)
    assert (result["early"]["state"], result["early"]["steps"]) == ("stopped", 2)
    assert (result["never"]["state"], result["never"]["reason"]) == ("stopped", "no optimizer step was seen")
    assert result["done"] == 1
    assert result["hooks"] == [0, 0, 0, 0, 0]


def test_a_forked_worker_carries_no_recording(run):
    result = run("""
    line = timeline.start(3)
    train(2)
    before = line.result()["events"]
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        torch.ones(100) + 1
        n = line._recorder.ledger.position()
        os.write(write, str(n).encode())
        os._exit(0)
    os.waitpid(pid, 0)
    say(before=before, child=int(os.read(read, 99)), result=line.result())
    """)
    assert result["child"] == result["before"]
    assert result["result"]["state"] == "recording"


def test_a_gan_closes_its_window_by_the_first_optimizer(run):
    result = run("""
    a, b = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)
    oa, ob = torch.optim.SGD(a.parameters(), lr=.1, momentum=.9), torch.optim.Adam(b.parameters())
    line = timeline.start(2)
    for _ in range(4):
        for model, optimizer in ((a, oa), (b, ob)):
            optimizer.zero_grad(); model(torch.ones(2, 4)).sum().backward(); optimizer.step()
    say(result=line.result(), hooks=hooks())
    """)
    assert (result["result"]["state"], result["result"]["steps"]) == ("done", 2)
    assert result["result"]["devices"][0]["categories"]["parameter"]["count"] == 4
    assert result["hooks"] == [0, 0, 0, 0, 0]


def test_an_optimizer_that_steps_inside_the_backward_is_looked_at_from_its_steps_only(run):
    result = run("""
    model = torch.nn.Linear(16, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    def step(p):
        optimizer.step()
        p.grad = None
    model.weight.register_post_accumulate_grad_hook(step)
    line = timeline.start(2)
    for _ in range(5):
        model(torch.ones(2, 16)).sum().backward()
    say(result=line.result(), hooks=hooks())
    """)
    assert result["result"]["mode"] == "boundaries"
    assert "inside the backward" in result["result"]["reason"]
    assert result["hooks"] == [0, 0, 0, 0, 0]


def test_what_this_torch_lacks_is_said(run):
    result = run("""
    del torch.Tensor.register_post_accumulate_grad_hook
    line = timeline.start(2)
    say(n=len(train(3)[0]), result=line.result(), hooks=hooks())
    """)
    assert result["n"] == 3
    assert result["result"]["state"] == "unsupported"
    assert "register_post_accumulate_grad_hook" in result["result"]["reason"]


def test_on_a_device_its_memory_is_accounted_apart_from_the_hosts(run):
    env = {"FAKE_CUDA_TOTAL_BYTES": "64M", "OA_STANDIN_TOTAL_BYTES": "64M"}
    result = run(
        """
    if not torch.cuda.is_available():
        say(skip=True)
    else:
        model = torch.nn.Linear(16, 4).cuda()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        line = timeline.start(2)
        for _ in range(4):
            optimizer.zero_grad(); model(torch.empty(8, 16, device="cuda")).sum().backward(); optimizer.step()
        say(skip=False, result=line.result(), hooks=hooks())
    """,
        "CUDA",
        env,
    )
    if result["skip"]:
        pytest.skip("no device and no stand-in here")
    first = result["result"]["devices"][0]
    assert first["device"] == "cuda:0"
    assert first["categories"]["parameter"] == {"count": 2, "bytes": (16 * 4 + 4) * 4}
    assert first["categories"]["gradient"]["count"] >= 4
    # The backward ran on the engine's thread: it is told from a forward there, too.
    assert "op_output_in_backward" in {
        r["reason"] for r in first["reasons"]
    } or "grad_after_accumulation" in {r["reason"] for r in first["reasons"]}
    assert result["hooks"] == [0, 0, 0, 0, 0]


def test_no_code_of_the_users_classes_runs(run):
    """Arguments whose class answers for itself: lazy proxies, metaclasses with an opinion, properties named `__dict__`."""
    result = run("""
    import collections, dataclasses, traceback
    ran = []
    def told(self, *_):
        ran.append("".join(traceback.format_stack()[-2:-1]))
        return dict
    class Lazy:
        __class__ = property(told)
    class Kind(type):
        __eq__ = __hash__ = __getattr__ = __instancecheck__ = __subclasscheck__ = told
        __module__ = property(told)
        def __getattribute__(self, name):
            told(name)
            return type.__getattribute__(self, name)
    class Odd(metaclass=Kind):
        pass
    class Listed(list):
        __iter__ = __len__ = __getattribute__ = told
    class Held(collections.UserDict):
        __getattribute__ = told
    @dataclasses.dataclass
    class Data:
        part: object
    class Closed(Data):
        __dict__ = property(told)
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(16, 4)
        def forward(self, x, *rest, **more):
            return self.layer(x)
    def of(kind, **parts):
        thing = object.__new__(kind)
        for name, part in parts.items():
            object.__setattr__(thing, name, part)
        return thing
    def inputs():
        return [torch.ones(5) for _ in range(3)]
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    line = timeline.start(2)
    for _ in range(4):
        first, second, third = inputs()
        listed = list.__new__(Listed)
        list.append(listed, first)
        rest = [Lazy(), type.__call__(Odd), listed, of(Held, data={1: second}), Data(third), of(Closed)]
        net(torch.ones(8, 16), *rest, lazy=rest[0]).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    say(ran=ran[:3], result=line.result(), hooks=hooks())
    """)
    assert result["ran"] == []
    assert (result["result"]["state"], result["result"]["faults"]) == ("done", [])
    # Per step 8 rows of 16, and three times 5 numbers, each found in its container.
    assert result["result"]["devices"][0]["categories"]["input"] == {
        "count": 2 * 4,
        "bytes": 2 * (8 * 16 + 3 * 5) * 4,
    }
