"""Who this process is among those that its launcher started: one name for receipts, file names and tables.

From variables that launchers set, digits and names of a closed form only, and from Ray's own account of its workers.
"""

import os
import re
import sys

# (launcher, rank, number of ranks, node, number of nodes). The innermost comes first: under `mpirun` in a Slurm job
# SLURM_PROCID is that of mpirun's daemon, 0 on every node. DeepSpeed sets RANK, and MPI under Kubernetes is Open MPI's.
LAUNCHERS = (
    ("torch", "RANK", "WORLD_SIZE", "GROUP_RANK", "GROUP_WORLD_SIZE"),
    ("openmpi", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "", ""),
    ("pmi", "PMI_RANK", "PMI_SIZE", "", ""),
    ("slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_NODEID", "SLURM_STEP_NUM_NODES"),
)
VARIABLES = tuple(
    dict.fromkeys(
        [name for row in LAUNCHERS for name in row[1:] if name]
        + ["LOCAL_RANK", "LOCAL_WORLD_SIZE", "NODE_RANK", "SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK"]
    )
)
JOBS = (("slurm", "SLURM_JOB_ID"), ("pbs", "PBS_JOBID"), ("lsf", "LSB_JOBID"))


def ranks(environ=None):
    """The rank variables that are set and made of digits only."""
    environ = os.environ if environ is None else environ
    found = {name: environ.get(name, "") for name in VARIABLES}
    return {name: value for name, value in found.items() if re.fullmatch(r"[0-9]{1,9}", value, re.ASCII)}


def identity(environ=None):
    """{launcher, rank, size, node, nodes, name, job} of this process; None for what is not known."""
    environ = os.environ if environ is None else environ
    numbers = ranks(environ)
    known: dict = dict.fromkeys(("launcher", "rank", "size", "node", "nodes", "name", "job"))
    for launcher, *names in LAUNCHERS:
        # Slurm sets SLURM_PROCID for the batch script too, which is no rank of a step.
        if names[0] in numbers and (launcher != "slurm" or environ.get("SLURM_STEP_ID", "").isdigit()):
            values = [int(numbers[name]) if name in numbers else None for name in names]
            known.update(zip(("rank", "size", "node", "nodes"), values), launcher=launcher)
            break
    for scheduler, name in JOBS:
        job = environ.get(name, "")
        if re.fullmatch(r"[A-Za-z0-9._-]{1,60}", job, re.ASCII):
            known["job"] = f"{scheduler} {job}"
            break
    worker = environ.get("PYTEST_XDIST_WORKER", "")
    if re.fullmatch(r"gw[0-9]{1,6}", worker, re.ASCII):
        known.update(launcher=known["launcher"] or "xdist", name=worker)
    else:
        known.update(_ray(known))
    return known


def _ray(known: dict):
    """The actor or task of a Ray worker, by its given name or that of its class or function."""
    ray = sys.modules.get("ray")
    try:
        if ray is None or not ray.is_initialized():
            return {}
        context = ray.get_runtime_context()
        # Asked in a driver, the rest would log a warning; a thread of ours has no task.
        if context.worker.mode != ray.WORKER_MODE or context.get_task_id() is None:
            return {}
        # `Trainer.step` of an actor, `train` of a task
        function = context.get_task_function_name() or context.get_task_name()
        if context.get_actor_id() is None:
            name = f"task {function.rpartition('.')[2]}"
        else:
            name = f"actor {context.get_actor_name() or function.split('.')[-2]}"
        job = known["job"] or f"ray {context.get_job_id()}"
        return {"launcher": known["launcher"] or "ray", "name": name[:200], "job": job}
    except Exception:  # another version of Ray, or one that is shutting down
        return {}


def in_names(known):
    """The part of a snapshot's name that says who wrote it; `parseSnapshotName` of the action reads it."""
    if known["rank"] is not None or not known["name"]:
        return f"rank{'none' if known['rank'] is None else known['rank']}"
    return re.sub(r"[^A-Za-z0-9]", "_", known["name"], flags=re.ASCII)[:40]
