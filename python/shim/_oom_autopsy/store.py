"""Files of evidence: whole under their final name or not there at all, private to the user, never somebody
else's.

A file is written under `.<name>.tmp-<pid>` in the same folder, created with O_EXCL and O_NOFOLLOW, and
renamed. The folder may be shared by many machines and processes: names carry host, pid and a token. The
umask is not touched.
"""

import contextlib
import os
import re

_NAME = re.compile(r"[A-Za-z0-9._-]{1,200}")
_FLAGS = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


class Store:
    """One process's hand in the evidence folder."""

    def __init__(self, folder):
        self.folder = folder

    def path(self, name):
        """The absolute path of an evidence name."""
        if not _NAME.fullmatch(name):
            raise ValueError("not an evidence file name")
        return os.path.join(self.folder, name)

    def open(self, name):
        """Creates the empty temporary file of `name`, mode 0600, and returns its path, to be filled by
        anybody."""
        self.path(name)
        temporary = os.path.join(self.folder, f".{name}.tmp-{os.getpid()}")
        self.discard(temporary)  # left by a write that was given up
        file = os.open(temporary, _FLAGS, 0o600)
        try:
            _give(file, self.folder)
        finally:
            os.close(file)
        return temporary

    def commit(self, temporary, name, new=False):
        """Gives a filled temporary file its name; with `new`, FileExistsError where the name is taken."""
        if new:
            _claim(temporary, self.path(name))
        else:
            os.replace(temporary, self.path(name))

    def discard(self, temporary):
        """Removes a temporary file; one that is gone already is fine."""
        with contextlib.suppress(OSError):
            os.unlink(temporary)

    def write(self, name, data, new=False):
        """Writes bytes under `name`, whole or not at all."""
        temporary = self.open(name)
        try:
            with open(temporary, "wb") as file:
                file.write(data)
            self.commit(temporary, name, new)
        except BaseException:
            self.discard(temporary)
            raise

    def remove(self, name):
        """Removes a file of ours; one that is gone already is fine."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path(name))


def _give(file, folder):
    """As root, as docker and sudo run programs: gives a file to the owner of the evidence folder, who is the runner
    and could not read it else."""
    with contextlib.suppress(OSError, AttributeError):
        owner = os.stat(folder)
        if os.geteuid() == 0 != owner.st_uid:
            os.fchown(file, owner.st_uid, owner.st_gid)


def _claim(temporary, final):
    """Gives a whole file a name that must be free: link fails where the name is taken, rename would not."""
    try:
        os.link(temporary, final)
    except FileExistsError:
        raise
    except (OSError, AttributeError, NotImplementedError):  # a file system without hard links
        if os.path.lexists(final):
            raise FileExistsError(final) from None
        os.replace(temporary, final)
    else:
        os.unlink(temporary)
