"""Locks between processes that the kernel releases when their holder dies; the only waiting of this package."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from hermes_tui.core.errors import StateError, StateLockedError
from hermes_tui.files import flock

WAIT_SECONDS: Final = 0.1
_FIRST_PAUSE_SECONDS: Final = 0.0001
_LONGEST_PAUSE_SECONDS: Final = 0.002


def try_exclusive(descriptor: int) -> bool:
    """Take the exclusive lock of an open file if it is free; tell whether it was.

    Raises StateError where the platform has no locks, OSError where the file system has none.
    """
    if not flock.EXISTS:
        raise StateError("this platform has no flock: the state cannot be shared safely, so it is not written")
    return flock.try_exclusive(descriptor)


def try_shared(descriptor: int) -> bool:
    """Take the shared lock of an open file if nobody has the exclusive one; tell whether it worked. Raises as above."""
    if not flock.EXISTS:
        raise StateError("this platform has no flock: nobody can tell who runs a session")
    return flock.try_shared(descriptor)


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
        flock.unlock(self._descriptor)

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
