"""A worker is forked after `import torch`; it uses CUDA, runs out of memory and nothing catches it."""

import multiprocessing
import sys

import scale
import torch
import train_oom


def work():
    """The worker."""
    scale.bound()
    train_oom.main()


if __name__ == "__main__":
    worker = multiprocessing.get_context("fork").Process(target=work)
    worker.start()
    worker.join()
    print(f"worker: {worker.exitcode}, CUDA initialised in the parent: {torch.cuda.is_initialized()}")
    sys.exit(worker.exitcode)
