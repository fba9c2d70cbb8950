"""Two kinds of reference cycles that hold GPU tensors, and one tensor that nothing is wrong with."""

import gc

import scale


class Parent:
    """One kind."""


class Holder(Parent):
    """Another kind, the larger one."""


def plant(kind, size):
    """Two objects that hold each other, and a tensor."""
    parent, child = kind(), Parent()
    parent.child, child.parent = child, parent
    child.held = scale.buffer(size)


MIB = 1 << 20
gc.disable()
plant(Parent, 6 * MIB)
plant(Parent, 6 * MIB)
plant(Holder, 16 * MIB)
alive = scale.buffer(8 * MIB)
print("planted")
