"""Entry point: `python -m oom_autopsy_parity`, or `python .../oom_autopsy_parity` (the folder), with any
interpreter that has torch. The commands are in cli.py.
"""

import os
import sys

if not __package__:  # started by the folder's path: the package lies beside it, and nothing of the folder is a top-level module
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

from oom_autopsy_parity.cli import main

if __name__ == "__main__":
    sys.exit(main())
