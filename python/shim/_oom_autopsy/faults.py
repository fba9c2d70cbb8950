"""Faults of ours: one line on stderr for each kind, and a row in the receipt. Never an exception into the
program."""

import os

MAX_KEPT = 20
MAX_CHARS = 300

_said: "set[tuple[int, str]]" = set()  # (pid, kind): a forked child has its own first time


def one_line(text, limit=MAX_CHARS):
    """`text` without line breaks or control characters, at most `limit` characters."""
    return "".join(c if c.isprintable() else " " for c in str(text))[:limit].strip()


def describe(error):
    """Type and, for errors whose text cannot hold a value of the program's, the message of an exception of
    ours."""
    name = type(error).__name__
    if isinstance(error, OSError) and error.strerror:
        return f"{name}: {error.strerror}"
    return one_line(f"{name}: {error}" if str(error) else name)


def report(kind, text, kept=None):
    """Says `text` once per kind in this process; `kept` is the receipt's list of faults, or None before
    there is one."""
    line = one_line(text)
    if kept is not None and line not in kept and len(kept) < MAX_KEPT:
        kept.append(line)
    key = (os.getpid(), kind)
    if key in _said:
        return
    _said.add(key)
    try:
        # The real stderr: a replaced sys.stderr belongs to the program (pytest's capture, a logger).
        os.write(2, f"oom-autopsy: {line}\n".encode("utf-8", "replace"))
    except OSError:
        pass
