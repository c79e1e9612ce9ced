"""Locks of open files between processes, tried and never waited for: the kernel releases those of one that ends."""

import sys
from typing import Final

if sys.platform == "win32":
    EXISTS: Final = False
    """Whether this platform has such locks. Where it has none, what needs one refuses before it asks for it."""

    def try_exclusive(_descriptor: int) -> bool:
        """Raise OSError: nothing keeps others out here."""
        raise OSError(None, "this platform has no flock")

    def try_shared(_descriptor: int) -> bool:
        """Raise OSError: nobody can tell whether the exclusive lock is held here."""
        raise OSError(None, "this platform has no flock")

    def unlock(_descriptor: int) -> None:
        """Do nothing: no lock was given."""

else:
    import fcntl

    EXISTS: Final = True
    """Whether this platform has such locks. Where it has none, what needs one refuses before it asks for it."""

    def try_exclusive(descriptor: int) -> bool:
        """Take the exclusive lock if it is free; tell whether it was. Raises OSError where the file system has none."""
        return _try(descriptor, fcntl.LOCK_EX)

    def try_shared(descriptor: int) -> bool:
        """Take the shared lock if nobody holds the exclusive one; tell whether it worked. Raises OSError as above."""
        return _try(descriptor, fcntl.LOCK_SH)

    def unlock(descriptor: int) -> None:
        """Give the lock back: at once, also where a child that was born meanwhile has the file open."""
        fcntl.flock(descriptor, fcntl.LOCK_UN)

    def _try(descriptor: int, mode: int) -> bool:
        try:
            fcntl.flock(descriptor, mode | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
