"""The shim of oom-autopsy inside the program's own process: entered once, right after torch's first import.

`on_torch` is the only door. Order of things: read the configuration beside us, put a receipt on disk, and
queue arming for the moment when the program itself initialises CUDA. Nothing here may raise into the
program.
"""


def on_torch(torch):
    """Called by sitecustomize with the freshly imported torch module."""
    from . import start

    start.at_import(torch)
