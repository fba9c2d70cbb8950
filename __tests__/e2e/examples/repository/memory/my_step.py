"""The step whose memory the fixture of the example holds."""

import torch


def build():
    model = torch.nn.Linear(16, 8)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    batch = torch.ones(4, 16)

    def step():
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()

    return step
