"""Uses the device and ends in an exception of its own."""

import torch

torch.zeros(8, device="cuda")
print("before")
raise ValueError("mine")
