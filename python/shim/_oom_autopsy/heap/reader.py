"""Census, part 6: which storages on a device a tensor stands for, wrapped and sharded tensors included.

A storage is known by its address and device. Its size is that of the allocator's block at the address, where the
allocator was asked: torch would make a Python object for each storage that is asked itself, and keep it for as long
as the storage lives. Such objects are held for the length of the look, so that an address stays with its storage.
Nothing is allocated on a device: the parts of a sparse tensor are aliases.
"""

import contextlib
import gc

from .objects import TENSOR, WRAPPER, members

MAX_INNER = 8  # wrappers inside wrappers: DTensor of a quantised tensor of a jagged tensor...


class Reader:
    """Reads tensors through torch's own C slots, for one look."""

    def __init__(self, api, kinds, blocks=None):
        """blocks(): {device index: {address: bytes asked for}} of the allocator's live blocks."""
        self.api, self.kinds = api, kinds
        self.blocks = blocks or dict
        self.keep = []  # storage wrappers and transient parts
        self.by_address = {}  # StorageImpl address -> fact or None
        self.unreadable = 0

    def storages(self, tensor, depth=0):
        """[(device index, address, bytes, whether of the caching allocator)]; [] for CPU, meta, fake."""
        kind = self.kinds.of(tensor)
        if kind == WRAPPER:
            found = []
            if depth < MAX_INNER:
                for _, inner in self.inner(tensor):
                    found.extend(self.storages(inner, depth + 1))
            if self.kinds.dispatches(type(tensor)):
                return found + self._own(tensor)
            return found + self._block(tensor) if self.api.is_cuda(tensor) else found
        return self._block(tensor) if kind == TENSOR and self.api.is_cuda(tensor) else []

    def _block(self, tensor):
        """The same for a tensor that tells its device without running anyone's code."""
        if self.api.data_address is not None:
            try:
                address, device = self.api.data_address(tensor), self.api.get_device(tensor)
            except (RuntimeError, NotImplementedError):  # no storage of its own
                return self._own(tensor)
            size = self.blocks().get(device, {}).get(address)
            if size is not None:
                return [(device, address, size, True)]
        return self._own(tensor)

    def inner(self, tensor):
        """[(attribute, tensor)] that a wrapper holds: in its dictionary, its slots, and containers right
        in those."""
        found = []
        for name, value in self.kinds.fields(tensor):
            if value is tensor:
                continue
            if self.kinds.of(value) in (TENSOR, WRAPPER):
                found.append((name, value))
                continue
            inside = members(self.kinds, value, objects=False)
            found.extend((name, item) for item in inside or () if self.kinds.of(item) in (TENSOR, WRAPPER))
        return found

    def flat_parameter_parts(self, tensor):
        """[(attribute, tensor)] of a FlatParameter of FSDP 1: a plain Parameter with shards in its
        dictionary.

        Asked of `gc`, because reading `__dict__` would give every other parameter a dictionary of its own.
        """
        for held in gc.get_referents(tensor):
            if type(held) is dict and dict.get(held, self.api.flat_parameter_mark) is True:
                return [(k, v) for k, v in dict.items(held) if self.kinds.of(v) in (TENSOR, WRAPPER)]
        return []

    def _own(self, tensor):
        try:
            address = None if self.api.storage_address is None else self.api.storage_address(tensor)
            if address is not None and address in self.by_address:
                fact = self.by_address[address]
            else:
                fact = self._fact(self.api.untyped_storage(tensor))
                if address is not None:
                    self.by_address[address] = fact
        except (RuntimeError, NotImplementedError):
            # no storage of its own: sparse, functional, functorch's wrappers
            return self._parts(tensor)
        return [] if fact is None else [fact]

    def _fact(self, storage):
        self.keep.append(storage)
        device = self.api.storage_device(storage)
        if device.type != "cuda":
            return None
        try:
            address, size = self.api.storage_pointer(storage), self.api.storage_nbytes(storage)
        except RuntimeError:  # deleted, functional or fake: no memory behind it
            return None
        if not address or not size:
            return None
        own = self.api.has_standard_deleter
        return device.index, address, size, own is None or bool(own(self.api.storage_handle(storage)))

    def storage(self, storage):
        """The same for a visible storage object; [] where it stands for no device memory."""
        try:
            fact = self._fact(storage)
        except RuntimeError:
            return []
        return [] if fact is None else [fact]

    def _parts(self, tensor):
        parts = self.api.sparse_parts.get(self.api.layout(tensor))
        if parts is None:
            self.unreadable += 1
            return []
        found = []
        with contextlib.ExitStack() as guards:
            for guard in (self.api.no_torch_dispatch, self.api.below_autograd):
                if guard is not None:
                    guards.enter_context(guard())
            aliases = [part(tensor) for part in parts]
        self.keep.append(aliases)
        for alias in aliases:
            found.extend(self.storages(alias, MAX_INNER))
        return found
