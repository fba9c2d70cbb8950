"""Holds some memory of the device until its input ends: the other process on the GPU."""

import os
import sys

import scale

held = scale.buffer(int(sys.argv[1]))
held.zero_()
print(os.getpid(), flush=True)
sys.stdin.read()
