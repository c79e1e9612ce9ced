"""Writing the configuration file: all of it or nothing, and never over what somebody else wrote meanwhile.

Who writes through here holds the lock of the file's folder; nothing stays of it, and the kernel releases it. An editor
that neither locks nor looks can write over what was saved a moment before. What it wrote is never written over: it is
in the file, or in the backup if it came while the names changed, and the save says that there was a conflict.
"""

import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from hermes_tui.config.load import LARGEST, digest, missing, read
from hermes_tui.core.errors import ConfigurationError, ConflictError
from hermes_tui.files import flock
from hermes_tui.files.exchange import exchange
from hermes_tui.files.writing import written_beside

WAIT_SECONDS: Final = 2.0
"""How long a save waits for another one to end."""

_PAUSE_SECONDS: Final = 0.002


@contextmanager
def locked(path: Path) -> Iterator["LockedFile"]:
    """Hold the lock of the folder of `path`. Raises ConfigurationError where it cannot be had within WAIT_SECONDS."""
    with _said_clearly(path):
        folder = _open_folder(path.parent)
    try:
        with _said_clearly(path):
            held = _is_locked(folder)
        if not held:
            raise ConfigurationError("another process is writing it: nothing was saved, try again", path=path)
        yield LockedFile(path, folder)
    finally:
        os.close(folder)


def _open_folder(folder: Path) -> int:
    """Return a descriptor that the lock of a folder can be taken on. Raises OSError, also where there are no locks."""
    if not flock.EXISTS:
        raise OSError("this platform has no flock")
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY)


@contextmanager
def _said_clearly(path: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise missing(path) from None
    except OSError as error:
        reason = error.strerror or error
        raise ConfigurationError(f"its folder cannot be locked ({reason}), so it is not written", path=path) from None


def _is_locked(folder: int) -> bool:
    """Take the lock as soon as it is free; tell whether it was within WAIT_SECONDS."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not flock.try_exclusive(folder):
        if time.monotonic() > deadline:
            return False
        time.sleep(_PAUSE_SECONDS)
    return True


class LockedFile:
    """The file at `path`, while no other that asks for the lock of its folder writes it."""

    def __init__(self, path: Path, folder: int) -> None:
        self._path = path
        self._folder = folder
        self._backup = path.with_name(f"{path.name}.bak")

    def read(self) -> bytes:
        """Return the file's content. Raises ConfigurationError."""
        return read(self._path)

    def replace(self, content: bytes, expected: str) -> None:
        """Write `content` in the place of the content with the digest `expected`, which becomes the backup.

        Raises ConflictError where the file is another one, ConfigurationError where it must not or cannot be written.
        """
        try:
            found = self._path.lstat()
            self._refuse(found)
            new = written_beside(self._path, content, found)
            try:
                self._put_in_place(new, expected)
            finally:
                self._clear_away(new, digest(content))
            self._look_again(digest(content), expected)
        except FileNotFoundError:
            raise self._conflict() from None
        except OSError as error:
            reason = error.strerror or "input or output error"
            advice = "see to that and try again; what it held is not lost"
            raise ConfigurationError(f"cannot be saved ({reason}): {advice}", path=self._path) from None

    def _refuse(self, found: os.stat_result) -> None:
        """Raise ConfigurationError where the file is not ours to replace."""
        path, folder = self._path, self._path.parent
        if stat.S_ISLNK(found.st_mode):
            why = f"is a link, and is not replaced: name the file that it leads to, {path.resolve()}, with --config"
        elif not stat.S_ISREG(found.st_mode):
            why = "is not a regular file, and is not replaced: name one with --config"
        elif found.st_uid != os.geteuid():
            why = "belongs to another user, and would become yours: change it as that user"
        elif not found.st_mode & stat.S_IWUSR:
            why = "is protected against writing: to allow it, chmod u+w the file"
        elif not os.access(folder, os.W_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids):
            why = f"is in a folder that you cannot write: to allow it, chmod u+w {folder}"
        elif self._backup.is_dir():
            why = f"has a folder in the place of its backup: move {self._backup} away"
        else:
            return
        raise ConfigurationError(why, path=path)

    def _conflict(self) -> ConflictError:
        return ConflictError(
            "was changed elsewhere meanwhile, and stays as it is: make your change anew", path=self._path
        )

    def _put_in_place(self, new: Path, expected: str) -> None:
        """Let `new` become the file, and the file the backup; undo it where it was not the expected one."""
        if _found(self._path) != expected:
            raise self._conflict()
        exchange(new, self._path)
        try:
            self._keep(new, expected)
        except BaseException:
            exchange(new, self._path)
            raise
        os.fsync(self._folder)

    def _keep(self, old: Path, expected: str) -> None:
        """Make what the file was the backup; raises ConflictError where it was written in the last moment."""
        if _found(old) != expected:
            raise self._conflict()
        old.replace(self._backup)

    def _look_again(self, ours: str, expected: str) -> None:
        """Raise ConflictError where somebody wrote while the names changed; give the file back to who had it open."""
        backup, file = _found(self._backup), _found(self._path)
        if file == ours and backup != expected:
            exchange(self._backup, self._path)
        if (file, backup) != (ours, expected):
            raise self._conflict()

    def _clear_away(self, new: Path, ours: str) -> None:
        """Remove what was written beside the file; what somebody else wrote into it becomes the backup."""
        match _found(new):
            case None:
                return
            case found if found == ours:
                new.unlink()
            case _:
                new.replace(self._backup)


def _found(path: Path) -> str | None:
    """Return the digest of the file at `path`, None where there is none, or none that can be read."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as stream:
            return digest(stream.read(LARGEST + 1))
    except OSError:
        return None
