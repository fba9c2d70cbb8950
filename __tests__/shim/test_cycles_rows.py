"""The rows about reference cycles that a receipt holds: as dicts."""

import os
import sys
from collections import Counter

sys.path.insert(0, os.path.join(os.path.dirname(__file__), os.pardir, os.pardir, "python", "shim"))

from _oom_autopsy.cycles import rows as cycles_rows
from _oom_autopsy.cycles.memory import Storage
from _oom_autopsy.cycles.rings import Cycle, Picture


def cycle(shape="0123abcd", size=2, address=1, amount=512, device="cuda:0", picture=None):
    return Cycle(
        shape, address, size, Counter({"m.Node": size}), 1, [Storage(device, address, amount)], picture
    )


def frame(function, file="/srv/train.py"):
    return {"filename": file, "line": 3, "name": function}


PICTURE = Picture(
    [("m.Node", ".child"), ("m.Node", ".parent")], 0, [(1, [(".weight", "torch.Tensor")], 2**20, "cuda:0")], 0
)


def test_one_kind_is_one_row_that_adds_up():
    account = cycles_rows.Account()
    assert account.add(cycle(address=1), {1: [frame("make")]}) is True
    assert account.add(cycle(address=2, amount=1024, size=5), {2: [frame("make")]}) is False
    assert account.add(cycle(address=3, device="cuda:1", size=3), {}) is False
    result = account.as_json()
    assert result["cycles"] == [
        {
            "id": "0123abcd",
            "seen": 3,
            "size": 5,
            "types": [{"name": "m.Node", "count": 5}],
            "tensors": 3,
            "bytes": {"cuda:0": 1536, "cuda:1": 512},
            "frames": [{"file": "/srv/train.py", "line": 3, "function": "make", "count": 2}],
            "graph": None,
        }
    ]
    assert (result["count"], result["tensors"], result["bytes"]) == (1, 3, {"cuda:0": 1536, "cuda:1": 512})


def test_the_kinds_that_held_most_have_their_graph():
    account = cycles_rows.Account()
    for number in range(cycles_rows.MAX_GRAPHS + 2):
        account.add(cycle(shape=f"{number:08x}", address=number, amount=512 * (number + 1)), {})
    rows = account.as_json(dict.fromkeys(account.rows, PICTURE))["cycles"]
    assert [row["graph"] is not None for row in rows] == [True] * cycles_rows.MAX_GRAPHS + [False, False]
    assert rows[0]["graph"] == {
        "ring": [{"name": "m.Node", "label": ".child"}, {"name": "m.Node", "label": ".parent"}],
        "ring_cut": 0,
        "held": [
            {
                "at": 1,
                "path": [{"label": ".weight", "name": "torch.Tensor"}],
                "bytes": 2**20,
                "device": "cuda:0",
            }
        ],
        "held_cut": 0,
    }
    assert all(row["graph"] is None for row in account.as_json()["cycles"])


def test_kinds_beyond_the_bound_are_counted_with_their_bytes():
    account = cycles_rows.Account()
    for number in range(cycles_rows.MAX_KINDS + 3):
        account.add(cycle(shape=f"{number:08x}", address=number), {})
    result = account.as_json()
    assert (len(result["cycles"]), result["cycles_dropped"], result["count"]) == (50, 3, 53)
    assert result["bytes"] == {"cuda:0": 53 * 512}


def test_the_frame_shown_is_the_innermost_of_the_program():
    torch = f"{os.sep}x{os.sep}torch{os.sep}nn{os.sep}functional.py"
    stack = [frame("at::empty", "/x/a.cpp"), frame("linear", torch), frame("forward"), frame("main")]
    assert cycles_rows.allocated_at(stack) == ("/srv/train.py", 3, "forward")
    assert cycles_rows.allocated_at(stack[:2]) == (torch, 3, "linear")
    assert cycles_rows.allocated_at(stack[:1]) is None
    assert cycles_rows.allocated_at([]) is None
    file, _, function = cycles_rows.allocated_at([frame("f\n" * 200, "a\x1b[0m" * 300 + ".py")])
    assert len(file) == 300 and len(function) == 100 and file.isprintable() and function.isprintable()
