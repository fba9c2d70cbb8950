"""The page about reference cycles, and the rows it is made from: as strings and dicts."""

import os
import sys
from collections import Counter
from html.parser import HTMLParser

sys.path.insert(0, os.path.join(os.path.dirname(__file__), os.pardir, os.pardir, "python", "shim"))

from _oom_autopsy.cycles import page as cycles_page
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


def summary(account, looks=1):
    return {
        "mode": "sampled",
        "state": "watching",
        "reason": None,
        "looks": looks,
        "seconds": 0.1,
        **account.as_json(),
    }


class Tags(HTMLParser):
    """Collects tags, checks that each is closed, and gathers attributes."""

    def __init__(self, text):
        super().__init__()
        self.open, self.attributes, self.seen = [], [], Counter()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.seen[tag] += 1
        self.attributes += attrs
        if tag not in ("meta", "br", "rect", "path"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen[tag] += 1
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def page(account, pictures=None):
    return cycles_page.render(summary(account), pictures or {}, "gpu-07-1-0123abcd")


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


def test_the_page_stands_alone_and_draws_the_ring():
    account = cycles_rows.Account()
    account.add(cycle(amount=2**20), {1: [frame("make")]})
    text = page(account, {"0123abcd": PICTURE})
    tags = Tags(text)
    assert tags.open == []
    assert tags.seen["svg"] == 1 and tags.seen["rect"] == 3
    assert not {"script", "link", "img", "iframe", "object"} & set(tags.seen)
    for name, value in tags.attributes:
        assert name not in ("src", "style") and not name.startswith("on")
        assert name != "href" or value.startswith("#")
    assert "://" not in text and "@import" not in text and "prefers-color-scheme:dark" in text
    for expected in (
        ".child",
        ".parent",
        ".weight",
        "1.0 MiB cuda:0",
        "/srv/train.py:3 make",
        "1 kind of cycle",
        "1 tensor,",
    ):
        assert expected in text


def test_names_are_escaped():
    account = cycles_rows.Account()
    account.add(cycle()._replace(types=Counter({"<b>&\"'": 1})), {1: [frame("<lambda>")]})
    text = cycles_page.render(summary(account), {"0123abcd": Picture([("<i>", "&")], 0, [], 0)}, "<title>")
    assert Tags(text).open == []
    assert "<b>" not in text and "<i>" not in text and "<lambda>" not in text and "&lt;lambda&gt;" in text


def test_the_page_stays_small_and_says_what_it_leaves_out():
    long = "m." + "a" * 60
    held = [(n, [(".b" * 30, long)] * 20, 2**30, "cuda:0") for n in range(4)]
    picture = Picture([(long, ".c" * 30)] * 24, 7, held, 9)
    account, pictures = cycles_rows.Account(), {}
    for number in range(50):
        shape = f"{number:08x}"
        pictures[shape] = picture
        account.add(
            cycle(shape=shape, address=number, amount=(100 - number) * 512),
            {number: [frame("f" * 90, "/" + "d" * 280)]},
        )
    text = page(account, pictures)
    assert len(text.encode()) <= cycles_page.MAX_BYTES
    assert 0 < text.count("<svg") < 50
    assert f"last {50 - text.count('<svg')}" in text
    assert text.count("<tr><td>") == 50


def test_sizes():
    assert [cycles_page.size(n) for n in (0, 1023, 1024, 5 * 2**20, 2**30, 3000 * 2**30)] == [
        "0 B", "1023 B", "1.0 KiB", "5.0 MiB", "1.0 GiB", "3000.0 GiB",
    ]  # fmt: skip
