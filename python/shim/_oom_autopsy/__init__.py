"""The shim of oom-autopsy inside the program's own process: entered once, right after torch's first import.

`on_torch` is the only door. Order of things: read the configuration beside us, put a receipt on disk, and
queue arming for the moment when the program itself initialises CUDA. Nothing of ours may raise into the
program.
"""


def on_torch(torch, raised):
    """Called by sitecustomize with the freshly imported torch module; raised: exceptions that cut earlier calls
    short. Returns the first that is of a signal handler of the program's, or that one raised meanwhile, or None."""
    from . import start

    return start.at_import(torch, raised)
