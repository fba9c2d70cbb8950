"""What cannot record says why in one line, with the remedy; an out-of-memory never turns into another
error."""

import pytest
from conftest import device_env, run

ALLOCATE = """
import torch
try:
    torch.cuda.allocate(1)
    torch.cuda.allocate(5000)
except Exception as error:
    print(type(error).__name__, error)
"""
# TINY_TORCH: (recorder.state, a part of the reason, out-of-memories seen, snapshots)
BUILDS = {
    "": ("disarmed", None, 1, 1),
    "cpu": ("unsupported", "install a CUDA build of torch", 0, 0),
    "xpu": ("unsupported", "Intel", 0, 0),
    "hip": ("unsupported", "ROCm/TheRock#4745", 1, 0),
    "async": ("unsupported", "remove it from PYTORCH_CUDA_ALLOC_CONF", 0, 0),
    "2.0": ("disarmed", None, 1, 1),
    "refuses": ("failed", "torch refused to record: RuntimeError: unwinder: stoi", 1, 1),
}


@pytest.mark.parametrize("build", BUILDS)
def test_a_build_of_torch(build, step, cpu):
    state, reason, ooms, snapshots = BUILDS[build]
    lain = step()
    done, plain = (
        run(ALLOCATE, python=cpu, step=s, tiny=True, env={"TINY_TORCH": build}) for s in (lain, None)
    )
    assert (done.code, done.out, done.theirs) == (plain.code, plain.out, plain.theirs)
    receipt = done.receipt
    assert receipt["recorder"]["state"] == state
    assert reason in receipt["recorder"]["reason"] if reason else receipt["recorder"]["reason"] is None
    assert (receipt["oom_count"], len(lain.snapshots())) == (ooms, snapshots)
    assert len(done.ours) == (build in ("refuses", "async")), "a fault of ours, or nothing can be seen"
    observer = {"cpu": "none", "xpu": "none", "async": "refused"}.get(build, "attached")
    assert receipt["recorder"]["observer"] == observer
    if ooms and not snapshots:
        assert receipt["ooms"][0]["snapshot_error"] == receipt["recorder"]["reason"]
    if build == "refuses":
        assert receipt["ooms"][0]["history"] == receipt["snapshots"][0]["history"] == "none"


def test_the_old_recorder_gets_its_own_arguments(step, cpu):
    """2.0 would keep one entry by default."""
    program = "import torch; torch.cuda.init(); print(torch._C.state['calls'])"
    done = step(max_entries=77).run(program, python=cpu, tiny=True, env={"TINY_TORCH": "2.0"})
    assert done.out == "[(True, True, 77, True, False)]\n"
    assert done.receipt["recorder"]["disarm_proven"] is None, "2.0 cannot tell"


@pytest.mark.parametrize("stacks", ("python", "all"))
def test_the_recorder_gets_the_steps_arguments(stacks, step, cpu):
    program = "import torch; torch.cuda.init(); print(torch._C.state['calls'])"
    done = step(max_entries=77, stacks=stacks).run(program, python=cpu, tiny=True)
    assert done.out == f"[('all', 'all', '{stacks}', 77)]\n"


def test_mps(step, cpu):
    program = "import sys; sys.platform = 'darwin'; import torch"
    done = step().run(program, python=cpu, tiny=True, env={"TINY_TORCH": "cpu"})
    assert done.receipt["recorder"]["reason"].startswith("MPS has no allocator recorder")


def test_the_real_cpu_build(step, cpu):
    done = step().run("import torch; print(torch.ones(2).sum().item())", python=cpu)
    assert (done.code, done.out, done.err) == (0, "2.0\n", "")
    assert done.receipt["recorder"]["state"] == "unsupported"
    assert "has no CUDA: install a CUDA build" in done.receipt["recorder"]["reason"]
    assert done.receipt["end"]["kind"] == "exit"


def test_no_device(step, cuda):
    """torch's own error, and a receipt that says CUDA was never initialised."""
    program = "import torch\nprint(torch.cuda.is_available())\ntorch.zeros(1, device='cuda')"
    env = {**device_env(devices=0), "CUDA_VISIBLE_DEVICES": ""}
    done, plain = (run(program, python=cuda, step=s, env=env) for s in (step(), None))
    assert (done.code, done.out, done.theirs) == (plain.code, plain.out, plain.theirs)
    assert done.out == "False\n" and done.code == 1
    receipt = done.receipt
    assert receipt["recorder"]["state"] == "idle" and receipt["end"]["kind"] == "exception"
    assert receipt["recorder"]["reason"].startswith("the program never used CUDA")


def test_cuda_malloc_async(step, cuda):
    program = """
        import torch
        torch.zeros(1, device="cuda")
        try:
            torch.empty(1 << 40, dtype=torch.uint8, device="cuda")
        except Exception as error:
            print(type(error).__name__)
    """
    lain, env = step(), {**device_env(), "PYTORCH_CUDA_ALLOC_CONF": "backend:cudaMallocAsync"}
    done, plain = (run(program, python=cuda, step=s, env=env) for s in (lain, None))
    assert (done.code, done.out) == (plain.code, plain.out), done.err
    if plain.code == 0:
        receipt = done.receipt
        (line,) = done.ours
        assert "an out-of-memory would not be seen here: backend:cudaMallocAsync" in line
        assert receipt["recorder"]["observer"] == "refused"
        assert (
            receipt["recorder"]["state"] == "unsupported"
            and "cudaMallocAsync" in receipt["recorder"]["reason"]
        )
        assert receipt["torch"]["backend"] == "cudaMallocAsync" and lain.snapshots() == []
