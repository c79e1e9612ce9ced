"""Locks between processes that the kernel releases when their holder dies; the only waiting of this package."""

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from hermes_tui.core.errors import StateError, StateLockedError

WAIT_SECONDS: Final = 0.1
_FIRST_PAUSE_SECONDS: Final = 0.0001
_LONGEST_PAUSE_SECONDS: Final = 0.002

if sys.platform == "win32":

    def try_exclusive(_descriptor: int) -> bool:
        """Refuse: without a lock nothing is written."""
        raise StateError("this platform has no flock: the state cannot be shared safely, so it is not written")

    def try_shared(_descriptor: int) -> bool:
        """Refuse: without a lock nothing can be told."""
        raise StateError("this platform has no flock: nobody can tell who runs a session")

    def unlock(_descriptor: int) -> None:
        """Do nothing: no lock was given."""

else:
    import fcntl

    def try_exclusive(descriptor: int) -> bool:
        """Take the exclusive lock of an open file if it is free; tell whether it was."""
        return _try(descriptor, fcntl.LOCK_EX)

    def try_shared(descriptor: int) -> bool:
        """Take the shared lock of an open file if nobody holds the exclusive one; tell whether it worked."""
        return _try(descriptor, fcntl.LOCK_SH)

    def unlock(descriptor: int) -> None:
        """Give the lock of an open file back."""
        fcntl.flock(descriptor, fcntl.LOCK_UN)

    def _try(descriptor: int, mode: int) -> bool:
        try:
            fcntl.flock(descriptor, mode | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def moments() -> Iterator[None]:
    """Yield now and after growing pauses, until `WAIT_SECONDS` have gone by: each is worth another try."""
    deadline = time.monotonic() + WAIT_SECONDS
    pause = _FIRST_PAUSE_SECONDS
    yield
    while time.monotonic() < deadline:
        time.sleep(pause)
        yield
        pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)


def open_lock(path: Path) -> int:
    """Return the descriptor of the lock file at `path`, made owner-only where it is missing."""
    return os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)


class FileLock:
    """One lock file, kept open, held inside a `with` block for the moment of a write.

    Entering raises StateLockedError when it is not free within `WAIT_SECONDS`. It is not reentrant.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor = open_lock(path)

    def __enter__(self) -> None:
        if not try_exclusive(self._descriptor):
            self._wait()

    def __exit__(self, *_: object) -> None:
        unlock(self._descriptor)

    def _wait(self) -> None:
        for _ in moments():
            if try_exclusive(self._descriptor):
                return
        raise StateLockedError(
            f"{self._path.parent}: state is locked by another process for longer than "
            f"{WAIT_SECONDS * 1000:.0f} ms; nothing was written, try again"
        )

    def close(self) -> None:
        """Close the file, and with it the lock."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
