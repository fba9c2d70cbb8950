"""A program for test_census.py: DDP and FSDP over gloo, one rank per process, a census at an out-of-memory of
each.

Arguments: the kinds to play. RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT come from the environment.
Prints one JSON line for each kind, as census_scenarios.py does.
"""

import json
import sys
import time
import warnings

from census_scenarios import SHIM, Stage


def wrapped(torch, kind, world):
    """A model under DDP, FSDP 1 or FSDP 2."""
    nn = torch.nn
    net = nn.Sequential(*[m for _ in range(4) for m in (nn.Linear(512, 512), nn.GELU())]).cuda()
    if kind.startswith("ddp"):
        return nn.parallel.DistributedDataParallel(net, gradient_as_bucket_view=kind == "ddp")
    if kind == "fsdp1":
        from torch.distributed.fsdp import FullyShardedDataParallel

        return FullyShardedDataParallel(net, device_id=0)
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    mesh = init_device_mesh("cuda", (world,))
    for layer in net:
        if isinstance(layer, nn.Linear):
            fully_shard(layer, mesh=mesh)
    return fully_shard(net, mesh=mesh)


def play(kinds):
    """Two training steps of each kind, then out of memory: after the optimizer's step, and again after a
    forward pass.

    Models stay until the end: FSDP's are held by hooks anyway.
    """
    sys.path.insert(0, SHIM)
    import torch
    import torch.distributed as dist

    warnings.simplefilter("ignore")
    dist.init_process_group("gloo")
    world = dist.get_world_size()
    stage = Stage(torch)
    torch.empty(1, device="cuda")
    torch._C._cuda_attach_out_of_memory_observer(stage.observe)
    for kind in kinds:
        net = wrapped(torch, kind, world)
        optimizer = torch.optim.AdamW(net.parameters())
        stage.models.append(net)
        stage.optimizers.append(optimizer)
        for _ in range(2):
            optimizer.zero_grad(set_to_none=False)
            net(torch.zeros(16384, 512, device="cuda")).sum().backward()
            optimizer.step()
        report(stage, kind + " step")
        out = net(torch.zeros(16384, 512, device="cuda"))
        report(stage, kind + " forward")
        out.sum().backward()
        del out
    dist.destroy_process_group()


def settle(stage, quiet=15, limit=250):
    """Waits until the device's memory has stood still for a while: gloo's threads let go of what a collective
    held when they get to it, and a look beside them would be compared with what was there before."""
    last, still = stage.memory(), 0
    for _ in range(limit):
        time.sleep(0.02)
        now = stage.memory()
        still = still + 1 if now == last else 0
        last = now
        if still >= quiet:
            return


def report(stage, name):
    """Runs out of memory and prints what the census found there."""
    settle(stage)
    stage.record = None
    stage.burst()
    print(json.dumps({"scenario": name, **stage.record}), flush=True)


if __name__ == "__main__":
    play(sys.argv[1:])
