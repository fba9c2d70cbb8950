"""Census, part 5: one entry per storage, the strongest fact wins, and the sum that is the allocator's own
number.

All sizes in bytes. Ranks are the order of precedence; docs/census.md says why.
"""

from bisect import bisect_right

GRANULE = (
    512  # the native allocator rounds a request up to this (kMinBlockSize, c10/cuda/CUDACachingAllocator)
)

CATEGORIES = ("parameter", "gradient", "optimizer_state", "activation", "input", "unknown")
OWNERS = 10

# rank -> (category, reason within unknown)
RANKS = (
    ("parameter", None),
    ("gradient", None),
    ("optimizer_state", None),
    ("unknown", "module buffer"),
    ("input", None),  # an argument that no recorded operation made
    ("activation", None),  # saved for backward
    ("activation", None),  # output of a recorded operation, referenced, saved by no node
    ("input", None),  # an argument that a recorded operation made and no node saved
    ("unknown", "leaf of a live graph"),
    ("unknown", "visible tensor"),
    ("unknown", "visible storage"),
)
PARAMETER, GRADIENT, OPTIMIZER_STATE, BUFFER, INPUT, SAVED, OUTPUT, ARGUMENT, LEAF, VISIBLE, STORAGE = range(
    11
)


def rounded(size, granule):
    """A request's size as the allocator counts it."""
    return -(-size // granule) * granule


class Entry:
    """One storage: its size as asked for, the rank of the strongest fact so far, the owner's name or None, what that name
    is (OWNER_KINDS of the receipt), and the tensor that the fact is about."""

    __slots__ = ("kind", "name", "rank", "size", "tensor")

    def __init__(self, size, rank, name, kind=None, tensor=None):
        self.size, self.rank = size, rank
        self.call(name, kind, tensor)

    def call(self, name, kind, tensor=None):
        """Gives it an owner."""
        self.name, self.kind, self.tensor = name, kind, tensor


class Ledger:
    """Storages by device and address."""

    def __init__(self):
        self.own = {}  # device -> {address: Entry}, memory of the caching allocator
        self.other = {}  # device -> {address: Entry}, by its deleter not of the caching allocator

    def put(self, device, address, size, own, rank, name, kind=None, tensor=None):
        """Says one fact about one storage. A stronger rank replaces a weaker; of equal ranks the first
        stays."""
        side = (self.own if own else self.other).setdefault(device, {})
        entry = side.get(address)
        if entry is None:
            side[address] = Entry(size, rank, name, kind, tensor)
            return
        entry.size = max(entry.size, size)
        if rank < entry.rank:
            entry.rank = rank
            entry.call(name, kind, tensor)

    def settle(self):
        """Merges storages that lie inside a block of the allocator (slices, DLPack views) into it.

        Returns {device: (count, bytes)} of the rest: from_blob, CUDA IPC, other libraries' memory.
        """
        outside = {}
        for device, entries in self.other.items():
            own = self.own.get(device, {})
            bases = sorted(own)
            count = size = 0
            for address, entry in entries.items():
                at = bisect_right(bases, address) - 1
                block = own[bases[at]] if at >= 0 else None
                if block is None or address >= bases[at] + rounded(block.size, GRANULE):
                    count += 1
                    size += entry.size
                elif entry.rank < block.rank:
                    block.rank = entry.rank
                    block.call(entry.name, entry.kind, entry.tensor)
            if count:
                outside[device] = (count, size)
        return outside


class Owner:
    """What one name owns in a category."""

    __slots__ = ("bytes", "count", "largest", "name")

    def __init__(self, name):
        self.name, self.bytes, self.count, self.largest = name, 0, 0, None

    def add(self, size, entry):
        """`size` bytes of a storage."""
        self.bytes += size
        self.count += 1
        if self.largest is None or entry.size > self.largest.size:
            self.largest = entry


def top(owners, describe=lambda tensor: None):
    """Rows of the largest OWNERS, by bytes, then by name. describe(tensor): its type and shape as text, or None."""
    largest = sorted(owners, key=lambda owner: (-owner.bytes, owner.name))[:OWNERS]
    return [
        {
            "name": owner.name,
            "bytes": owner.bytes,
            "count": owner.count,
            "kind": owner.largest.kind,
            "largest": describe(owner.largest.tensor),
        }
        for owner in largest
    ]


WORKSPACE = "cuBLAS workspace, by its size"
NOT_SEEN = "not seen"
WORTH_SAYING = 1 << 20  # bytes that were not seen, from which on it is said where memory ran out


def unseen(missing, workspaces, where):
    """{reason: [bytes, count or None]} of what no storage accounts for. workspaces: sizes of blocks that nothing shows and
    that are as large as a workspace; where: in what kind of call memory ran out, or None."""
    sizes = list(workspaces) if sum(workspaces) <= missing else []
    left = missing - sum(sizes)
    found: dict = {WORKSPACE: [sum(sizes), len(sizes)]} if sizes else {}
    if left:
        found[f"{NOT_SEEN}; {where}" if where and left >= WORTH_SAYING else NOT_SEEN] = [left, None]
    return found


def add_up(entries, allocated, requested, granule, describe=lambda tensor: None, workspaces=(), where=None):
    """({category: {...}}, bytes seen beyond `allocated`).

    The categories add up to `allocated` exactly. What no storage accounts for is split by a second number
    of the allocator: blocks larger than asked for (allocated - requested, less the rounding already
    counted), and the rest, not seen. Where more was seen than is allocated, the weakest facts give way.
    """
    rows = [[rounded(entry.size, granule), entry.rank, entry] for entry in entries]
    seen = sum(row[0] for row in rows)
    excess = max(0, seen - allocated)
    left = excess
    for row in sorted(rows, key=lambda row: -row[1]):
        if not left:
            break
        cut = min(left, row[0])
        row[0] -= cut
        left -= cut
    sums = {category: [0, 0, {}] for category in CATEGORIES}
    reasons = {}
    for size, rank, entry in rows:
        category, reason = RANKS[rank]
        found = sums[category]
        found[0] += size
        found[1] += 1
        name = entry.name
        if name is not None:
            owner = found[2].get(name) or found[2].setdefault(name, Owner(name))
            owner.add(size, entry)
        if reason is not None:
            why = reasons.setdefault(reason, [0, 0])
            why[0] += size
            why[1] += 1
    missing = max(0, allocated - seen)
    slack = 0
    if requested is not None:
        slack = min(missing, max(0, allocated - requested - sum(row[0] - row[2].size for row in rows)))
    if slack:
        reasons["block larger than asked for"] = [slack, None]
    reasons.update(unseen(missing - slack, workspaces, where))
    sums["unknown"][0] += missing
    categories = {
        name: {"bytes": size, "count": count, "owners": top(owners.values(), describe)}
        for name, (size, count, owners) in sums.items()
    }
    if WORKSPACE in reasons:
        size, count = reasons[WORKSPACE]
        row = {"name": WORKSPACE, "bytes": size, "count": count, "kind": "library", "largest": None}
        owners = [*categories["unknown"]["owners"], row]
        categories["unknown"]["owners"] = sorted(owners, key=lambda each: -each["bytes"])[:OWNERS]
        categories["unknown"]["count"] += count
    categories["unknown"]["reasons"] = [
        {"reason": reason, "bytes": size, "count": count}
        for reason, (size, count) in sorted(reasons.items(), key=lambda item: (-item[1][0], item[0]))
    ]
    return categories, excess
