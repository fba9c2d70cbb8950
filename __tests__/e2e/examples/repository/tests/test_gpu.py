"""Two tests, of which one runs out of memory where `FILL` says so."""

import os

import torch


def test_small():
    assert torch.zeros(8, device="cuda").numel() == 8


def test_large():
    held = [
        torch.empty(64 << 20, dtype=torch.uint8, device="cuda")
        for _ in range(100 if "FILL" in os.environ else 1)
    ]
    assert held
