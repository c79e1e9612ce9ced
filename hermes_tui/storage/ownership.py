"""Who runs a session: one process, by a lock that the kernel releases when it ends, however it ends."""

import hashlib
import os
from pathlib import Path
from typing import Final

from hermes_tui.files.flock import unlock
from hermes_tui.storage.faults import Faults
from hermes_tui.storage.locks import open_lock, try_exclusive, try_shared

OWNERS_FOLDER: Final = "owners"
_TRIES: Final = 100
_PID_WIDTH: Final = 20


class Ownership:
    """The sessions that this process runs, and the question who runs another; any name stands for such a session.

    The owner holds the exclusive lock of the session's file and has written its pid there. Asking takes the shared
    lock for a moment; who wants to own tells an asker from an owner by that.
    """

    def __init__(self, state: Path) -> None:
        self._folder = state / OWNERS_FOLDER
        self._held: dict[str, int] = {}

    def acquire(self, name: str) -> bool:
        """Own the session `name` from now on; tell whether nobody else does. Raises StateError for the system's no."""
        if name in self._held:
            return True
        path = self._path(name)
        with Faults(path):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = open_lock(path)
            if not _taken(descriptor):
                os.close(descriptor)
                return False
            os.write(descriptor, _line(os.getpid()))
            self._held[name] = descriptor
            return True

    def owner(self, name: str) -> int | None:
        """Return the pid of the process that runs `name`, None where none does."""
        if name in self._held:
            return os.getpid()
        path = self._path(name)
        with Faults(path):
            try:
                descriptor = os.open(path, os.O_RDONLY)
            except FileNotFoundError:
                return None
            try:
                return _holder(descriptor)
            finally:
                os.close(descriptor)

    def release(self, name: str) -> None:
        """Give the session `name` up, if this process owns it."""
        descriptor = self._held.pop(name, None)
        if descriptor is not None:
            os.close(descriptor)

    def release_all(self) -> None:
        """Give every session up."""
        for name in tuple(self._held):
            self.release(name)

    def _path(self, name: str) -> Path:
        digest = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()
        return self._folder / f"{digest[:32]}.lock"


def _taken(descriptor: int) -> bool:
    for _ in range(_TRIES):
        if try_exclusive(descriptor):
            return True
        if not try_shared(descriptor):
            return False
        unlock(descriptor)  # only somebody who asked had it
    return False


def _holder(descriptor: int) -> int | None:
    for _ in range(_TRIES):
        if try_shared(descriptor):
            unlock(descriptor)
            return None
        if written := os.pread(descriptor, _PID_WIDTH, 0).strip():
            return int(written)
    return 0


def _line(pid: int) -> bytes:
    return str(pid).rjust(_PID_WIDTH).encode()
