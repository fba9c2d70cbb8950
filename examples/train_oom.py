"""A small transformer that grows its batch until the GPU is full: what an out-of-memory looks like in a step.

Nothing in here knows about the action. Run it under the action, or by itself: `python examples/train_oom.py`.
"""

import torch
from torch import nn


class TinyTransformer(nn.Module):
    """Token embedding, four encoder layers, and a head: about 3.7 million parameters."""

    def __init__(self, vocabulary: int = 1024, width: int = 256, layers: int = 4) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        layer = nn.TransformerEncoderLayer(width, nhead=4, dim_feedforward=4 * width, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.head = nn.Linear(width, vocabulary)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """(batch, length) token ids to (batch, length, vocabulary) scores."""
        return self.head(self.encoder(self.embedding(tokens)))


def train_step(model: nn.Module, optimizer: torch.optim.Optimizer, batch: int, length: int = 64) -> None:
    """One optimizer step on made-up data of `batch` sequences."""
    tokens = torch.zeros(batch, length, dtype=torch.long, device="cuda")
    scores = model(tokens)
    loss = scores.float().logsumexp(dim=-1).mean()
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()


def main() -> None:
    """Train with ever larger batches. It ends in `torch.OutOfMemoryError`."""
    model = TinyTransformer().cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    batch = 8
    for step in range(1, 1000):
        train_step(model, optimizer, batch)
        print(f"step {step}: batch {batch}, peak {torch.cuda.max_memory_allocated() >> 20} MiB", flush=True)
        batch *= 2


if __name__ == "__main__":
    main()
