"""The lock under which every Hermes process changes `auth.json`: the same file, the same call, the same words inside.

Its holder's pid stands in the file while it is held (since 0.22). The kernel releases the lock of a process that ends,
however it ends; the pid it leaves is the next holder's to take out.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from hermes_tui.core.errors import RefusedError, StateLockedError
from hermes_tui.files import flock

LOCK_FILE: Final = "auth.lock"

PATIENCE_SECONDS: Final = 15.0
"""How long Hermes waits for it; a refresh of a token may hold it as long."""

_PAUSE_SECONDS: Final = 0.05
_PID_WIDTH: Final = 20


@contextmanager
def held(home: Path, patience_seconds: float) -> Iterator[None]:
    """Hold the lock of the `auth.json` in `home`. It is not reentrant.

    Raises StateLockedError where it is not free within `patience_seconds`, RefusedError where it is a link or the
    platform has no such locks, OSError where the system refuses.
    """
    if not flock.EXISTS:
        raise RefusedError("this platform has no flock, so auth.json is not written: use `hermes auth reset`")
    path = home / LOCK_FILE
    if path.is_symlink():
        raise RefusedError(f"{path} is a link, and is not followed: Hermes may lock another file by now")
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        _wait(descriptor, path, patience_seconds)
        try:
            os.ftruncate(descriptor, 0)
            os.write(descriptor, f"{os.getpid()}\n".encode())
            yield
        finally:
            try:
                os.ftruncate(descriptor, 0)
            finally:
                flock.unlock(descriptor)
    finally:
        os.close(descriptor)


def _wait(descriptor: int, path: Path, patience_seconds: float) -> None:
    deadline = time.monotonic() + patience_seconds
    while not flock.try_exclusive(descriptor):
        if time.monotonic() >= deadline:
            pid = _living_holder(descriptor)
            who = f" (pid {pid})" if pid is not None else ""
            raise StateLockedError(f"Hermes holds {path}{who}: nothing was changed, try again")
        time.sleep(_PAUSE_SECONDS)


def _living_holder(descriptor: int) -> int | None:
    """Return the pid in the file, None where there is none, or only that of a process that has ended."""
    words = os.pread(descriptor, _PID_WIDTH, 0).split()
    if not words or not words[0].isdigit() or not (pid := int(words[0])):
        return None
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return None
    except PermissionError:
        pass  # another user's: it lives
    return pid
