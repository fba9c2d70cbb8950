"""The peak of the whole process, though the program resets torch's own count; the program sees what it saw before."""

import json
import textwrap

import pytest
from conftest import device_env, run

RESETS = """
import torch
for _ in range(3):
    x = torch.zeros(50 << 18, device="cuda"); del x
    print("RESULT peak", torch.cuda.max_memory_allocated() >> 20)
    torch.cuda.reset_peak_memory_stats(); torch.cuda.empty_cache()
print("RESULT end", torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved())
"""

HEAD = """
import json, warnings, torch
warnings.simplefilter("ignore", FutureWarning)
best = {}
def note():
    for index in range(torch.cuda.device_count()):
        was = best.get(index, (0, 0))
        now = torch.cuda.max_memory_allocated(index), torch.cuda.max_memory_reserved(index)
        best[index] = tuple(map(max, was, now))
def reset(*args, how=torch.cuda.reset_peak_memory_stats):
    note(); how(*args)
import atexit; atexit.register(lambda: (note(), print(json.dumps(best))))
def step(size, device="cuda"):
    model = torch.nn.Sequential(torch.nn.Linear(size, size), torch.nn.ReLU(), torch.nn.Linear(size, 8)).to(device)
    opt = torch.optim.AdamW(model.parameters())
    model(torch.ones(16, size, device=device)).sum().backward(); opt.step()
"""
PROGRAMS = {
    "never reset": "step(512)",
    "each step": "for n in (256, 1024, 128):\n    step(n); reset()",
    "largest first": "step(1024); reset(); step(64)",
    "the older names": "step(512); reset(how=torch.cuda.reset_max_memory_allocated); step(64); reset(how=torch.cuda.reset_max_memory_cached)",
    "by accelerator": "step(512)\nhow = getattr(torch.accelerator, 'reset_peak_memory_stats', torch.cuda.reset_peak_memory_stats)\nreset(how=how); step(64)",
    "by index": "step(512); reset(0); step(64); reset(torch.device('cuda:0'))",
    "two devices": "step(512, 'cuda:1'); reset(1); step(256, 'cuda:0'); reset(0); step(64, 'cuda:1')",
    "cache emptied": "step(1024); reset(); torch.cuda.empty_cache(); step(64); reset(); torch.cuda.empty_cache()",
    "out of memory": "step(512); reset()\ntry: torch.empty(1 << 40, device='cuda')\nexcept torch.OutOfMemoryError: pass\nreset()",
    "bound early": "from torch.cuda import reset_peak_memory_stats as mine\nstep(512); reset(how=mine); step(64)",
    "on a thread": "import threading\nstep(512)\nt = threading.Thread(target=reset); t.start(); t.join(); step(64)",
    "accumulated": "step(512); torch.cuda.reset_accumulated_memory_stats(); reset(); step(64)",
}


def test_the_program_sees_its_own_peaks(step, cuda):
    lain = step()
    done = lain.run(RESETS, python=cuda)
    plain = run(RESETS, python=cuda)
    assert (done.code, done.out, done.err) == (plain.code, plain.out, plain.err)
    assert plain.out.splitlines()[:3] == ["RESULT peak 50"] * 3
    assert done.receipt["devices"][0]["peak_allocated"] == 50 << 20
    assert done.receipt["faults"] == []


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_peak_is_torchs_own_to_the_byte(step, cuda, name):
    lain = step()
    done = lain.run(HEAD + PROGRAMS[name], python=cuda, env=device_env(devices=2))
    assert (done.code, done.theirs) == (0, []), done.err
    seen = {index: tuple(peaks) for index, peaks in json.loads(done.out).items()}
    told = {
        str(row["index"]): (row["peak_allocated"], row["peak_reserved"]) for row in done.receipt["devices"]
    }
    assert told == {index: seen[index] for index in told}
    assert {index for index, (_, reserved) in seen.items() if reserved} <= set(told)


SIX_MIB = "x = torch.zeros(6 << 18, device='cuda'); del x; torch.cuda.reset_peak_memory_stats()"


@pytest.mark.parametrize(
    "budget, over",
    (((6 << 20) - 1, True), (6 << 20, False), (0.02, True), (0.03, False), (None, False)),
)
def test_a_peak_above_the_budget_leaves_its_snapshot(step, cuda, budget, over):
    lain = step(**({} if budget is None else {"memory_budget": budget}))
    done = lain.run("import torch\n" + SIX_MIB, python=cuda)
    assert (done.code, done.out, done.err) == (0, "", "")
    assert [row["reason"] for row in done.receipt["snapshots"]] == ["budget"] * over
    assert [name.endswith("-budget.pickle") for name in lain.snapshots()] == [True] * over


def test_an_exit_that_has_its_snapshot_takes_no_second(step, cuda):
    program = (
        "import torch\n"
        + SIX_MIB
        + textwrap.dedent("""
    raise SystemExit(3)
    """)
    )
    lain = step(memory_budget=1 << 20, snapshot="always")
    done = lain.run(program, python=cuda)
    assert done.code == 3
    assert [row["reason"] for row in done.receipt["snapshots"]] == ["exit"]
