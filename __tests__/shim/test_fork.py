"""Fork: CUDA is never initialised by us, a child writes nothing of its parent's, and gets a receipt of its
own only when it uses CUDA itself."""

import pytest
from conftest import device_env, rarely, run

# What a child does after its fork, by how it was made. DataLoader workers, plain forks, pools, pytest
# --forked.
FORKED_BEFORE_CUDA = """
import os, sys
import torch
assert not torch.cuda.is_initialized() and torch.cuda._is_in_bad_fork() is False
pid = os.fork()
if pid == 0:
    try:
        print("child", torch.zeros(2, device="cuda").device, flush=True)
        if sys.argv[1] == "oom":
            torch.empty(1 << 40, dtype=torch.uint8, device="cuda")
    except torch.OutOfMemoryError:
        os._exit(7)
    finally:
        sys.stdout.flush()
    sys.exit(3)                                # the atexit handlers run in the child, too
_, status = os.waitpid(pid, 0)
print("parent", os.waitstatus_to_exitcode(status), torch.cuda.is_initialized(), pid, os.getpid())
torch.zeros(1, device="cuda")
"""


@pytest.mark.parametrize(("end", "code"), [("", 3), ("oom", 7)])
def test_import_fork_then_cuda_in_the_child(end, code, step, cuda):
    lain = step()
    done = lain.run(FORKED_BEFORE_CUDA, end, python=cuda)
    plain = run(FORKED_BEFORE_CUDA, end, python=cuda)
    assert done.code == plain.code == 0, done.err
    lines, plain_lines = done.out.splitlines(), plain.out.splitlines()
    assert lines[0] == plain_lines[0] == "child cuda:0"
    _, got, initialised, child, parent = lines[1].split()
    assert (got, initialised) == (str(code), "False") == tuple(plain_lines[1].split()[1:3])
    receipts = {receipt["pid"]: receipt for receipt in done.receipts}
    assert set(receipts) == {int(child), int(parent)}
    assert len({receipt["token"] for receipt in receipts.values()}) == 2
    assert receipts[int(child)]["ppid"] == int(parent)
    assert receipts[int(parent)]["oom_count"] == 0
    if end:
        assert receipts[int(child)]["oom_count"] == 1 and receipts[int(child)]["end"] is None
    else:
        assert receipts[int(child)]["end"]["kind"] == "exit"
        assert receipts[int(child)]["recorder"]["disarm_proven"] is True


FORKED_AFTER_CUDA = """
import atexit, os, sys
import torch
x = torch.zeros(1, device="cuda")
try:
    torch.empty(1 << 40, dtype=torch.uint8, device="cuda")
except torch.OutOfMemoryError:
    pass
pid = os.fork()
if pid == 0:
    try:
        torch.zeros(1, device="cuda")
    except RuntimeError as error:
        print(str(error)[:53], flush=True)
    sys.exit(3)
_, status = os.waitpid(pid, 0)
print(os.waitstatus_to_exitcode(status), torch._C._cuda_isHistoryEnabled())
"""


def test_fork_after_cuda_is_torchs_own_error_and_leaves_the_parents_evidence_alone(step, cuda):
    lain = step(snapshot="always")
    done = lain.run(FORKED_AFTER_CUDA, python=cuda)
    plain = run(FORKED_AFTER_CUDA, python=cuda)
    assert done.code == plain.code == 0, done.err
    assert done.out.splitlines()[0] == plain.out.splitlines()[0]
    assert done.out.splitlines()[1] == "3 True", "the child's exit has not stopped the parent's recorder"
    receipt = done.receipt
    assert receipt["end"]["kind"] == "exit" and [row["reason"] for row in receipt["snapshots"]] == [
        "oom",
        "exit",
    ]
    assert len(lain.snapshots()) == 2


LOADER = """
import multiprocessing, os, sys
import torch
from torch.utils.data import DataLoader
class Numbers(torch.utils.data.Dataset):
    def __len__(self): return 8
    def __getitem__(self, i): return torch.tensor([i])
if __name__ == "__main__":
    x = torch.zeros(1, device="cuda")
    batches = DataLoader(Numbers(), num_workers=2, multiprocessing_context=sys.argv[1])
    print(sum(int(batch) for batch in batches))
"""


@pytest.mark.parametrize("method", rarely(("fork", "spawn"), ("fork",)))  # spawned children: test_ends.py
def test_workers_of_a_data_loader(method, step, cuda, tmp_path):
    (tmp_path / "script.py").write_text(LOADER)
    done = step().run("", argv=[cuda, str(tmp_path / "script.py"), method])
    assert (done.code, done.out, done.ours) == (0, "28\n", []), done.err
    states = sorted(receipt["recorder"]["state"] for receipt in done.receipts)
    assert states == (["disarmed"] if method == "fork" else ["disarmed", "idle", "idle"])


def test_ranks_of_torchrun(step, cuda, tmp_path):
    """Agents are not ranks: they import torch and stay idle. The failing rank's snapshot bears its number."""
    script = tmp_path / "rank.py"
    script.write_text(
        "import os, torch\n"
        "torch.zeros(1, device='cuda')\n"
        "if os.environ['RANK'] == '1': torch.empty(1 << 40, dtype=torch.uint8, device='cuda')\n"
    )
    lain = step()
    done = lain.run(
        "", argv=[cuda, "-m", "torch.distributed.run", "--nproc-per-node=2", str(script)], env=device_env()
    )
    assert done.code == 1
    ranks = {receipt["rank"].get("RANK"): receipt for receipt in done.receipts}
    assert set(ranks) == {None, "0", "1"}
    assert ranks[None]["recorder"]["state"] == "idle"
    assert ranks["1"]["end"]["oom"] is True and ranks["1"]["rank"]["WORLD_SIZE"] == "2"
    (name,) = lain.snapshots()
    assert "-rank1-" in name


def test_a_fork_in_the_middle_of_a_save_is_harmless(step, cpu):
    """Threads save the receipt over and over while the main thread forks: no child hangs on an inherited
    lock."""
    program = """
        import os, sys, threading, torch
        from _oom_autopsy import process
        torch.cuda.allocate(1)
        stop = []
        def save():
            while not stop:
                process.mine().save()
        thread = threading.Thread(target=save); thread.start()
        codes = []
        for _ in range(40):
            pid = os.fork()
            if pid == 0:
                assert process.mine() is None
                torch.cuda._initialized = False
                torch.cuda.init()              # the queued call runs again, as in a child that uses CUDA first
                assert process.mine().recorder["state"] in ("armed", "foreign")
                os._exit(0)
            codes.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        stop.append(1); thread.join()
        print(set(codes))
    """
    lain = step()
    done = lain.run(program, python=cpu, extra_path=[], tiny=True, timeout=60)
    assert (done.code, done.out, done.err) == (0, "{0}\n", "")
    assert len(done.receipts) == 41 and lain.leftovers() == []
