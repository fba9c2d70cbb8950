"""Puts the parity package on the path of every test here."""

import parity_kit  # noqa: F401
