"""Census, part 7: the allocator's private pools (CUDA graphs, torch.cuda.MemPool), each with what was seen in it.

A private pool is part of the device's sum, and what is unused in it is no use to an ordinary request, which the
default pools serve. Bytes throughout.
"""

from bisect import bisect_right

from . import sums as census_sum

DEFAULT = (0, 0)  # the id of the default pools (MempoolId_t, c10/cuda; 2.13.0 and 2.14.1)
MOST = 16  # rows per device; the rest is one row


def kind(pool):
    """Whose a pool is, by its id: c10 counts the first number up for a capture without a pool of its own, the
    second for `MemPool` and `graph_pool_handle`."""
    return "graph" if pool[0] else "handle"


def private(segments):
    """{device index: {pool id: [segment]}} of a snapshot's segments that are not of the default pools."""
    found = {}
    for segment in segments:
        pool = tuple(segment.get("segment_pool_id", DEFAULT))
        if pool != DEFAULT:
            found.setdefault(segment["device"], {}).setdefault(pool, []).append(segment)
    return found


def rows(pools, entries, granule):
    """The pools of one device, the largest first, with the categories of what was seen in each.

    `pools`: {pool id: [segment]}; `entries`: {address: census_sum.Entry} of the device. In each row the bytes of
    the categories add up to `allocated`.
    """
    owner = _Owner(pools)
    seen = {}
    for address, entry in entries.items():
        pool = owner.of(address)
        if pool is not None:
            seen.setdefault(pool, []).append(entry)
    found = [_row(pool, segments, seen.get(pool, []), granule) for pool, segments in pools.items()]
    found.sort(key=lambda row: (-row["reserved"], row["id"]))
    return [*found[:MOST], _together(found[MOST:])] if len(found) > MOST else found


class _Owner:
    """Which pool an address lies in, if any."""

    def __init__(self, pools):
        self.spans = sorted(
            (segment["address"], segment["address"] + segment["total_size"], pool)
            for pool, segments in pools.items()
            for segment in segments
        )
        self.starts = [start for start, _, _ in self.spans]

    def of(self, address):
        at = bisect_right(self.starts, address) - 1
        return self.spans[at][2] if at >= 0 and address < self.spans[at][1] else None


def _row(pool, segments, entries, granule):
    blocks = [b for segment in segments for b in segment["blocks"] if b["state"] == "active_allocated"]
    allocated = sum(block["size"] for block in blocks)
    requested = sum(block.get("requested_size", block["size"]) for block in blocks)
    categories, _ = census_sum.add_up(entries, allocated, requested, granule)
    sums = {name: category["bytes"] for name, category in categories.items()}
    return {
        "id": f"{pool[0]}:{pool[1]}",
        "kind": kind(pool),
        "count": 1,
        "reserved": sum(segment["total_size"] for segment in segments),
        "allocated": allocated,
        "categories": sums,
    }


def _together(rest):
    """One row for pools beyond MOST."""
    return {
        "id": None,
        "kind": "rest",
        "count": len(rest),
        "reserved": sum(row["reserved"] for row in rest),
        "allocated": sum(row["allocated"] for row in rest),
        "categories": {name: sum(row["categories"][name] for row in rest) for name in census_sum.CATEGORIES},
    }
