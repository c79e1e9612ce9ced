"""What can go wrong with the file, said as one sentence for a person."""

import sqlite3
from pathlib import Path
from types import TracebackType
from typing import Final

from hermes_tui.core.errors import StateError, StateLockedError

MOVE_AWAY: Final = "move it away (with its -wal and -shm files) to start anew; nothing in it was overwritten"


class UnreadableEntryError(ValueError):
    """A row or an event in the file does not have the shape that it must have."""


class NoStateError(StateError):
    """There is no state file yet: nothing has run here."""


class Faults:
    """A block whose faults (of SQLite, of the system, of an entry) leave it as StateError about one file."""

    __slots__ = ("_path",)

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, _: type[BaseException] | None, error: BaseException | None, __: TracebackType | None) -> None:
        match error:
            case sqlite3.Error():
                raise _of_sqlite(self._path, error) from error
            case UnreadableEntryError():
                raise StateError(f"{self._path}: cannot be read: it holds {error}; {MOVE_AWAY}") from error
            case OSError():
                raise _of_system(self._path, error) from error


def _of_system(path: Path, error: OSError) -> StateError:
    """Return the error for a refusal of the operating system about `path`."""
    return StateError(f"{path}: the state cannot be used: {error.strerror or error}")


def _of_sqlite(path: Path, error: sqlite3.Error) -> StateError:
    code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    match code:
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return StateError(f"{path}: the state is damaged ({error}); {MOVE_AWAY}")
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return StateLockedError(f"{path}: state is locked by another process; nothing was written, try again")
        case sqlite3.SQLITE_FULL:
            return StateError(f"{path}: the disk is full; nothing was written, free some space and try again")
        case sqlite3.SQLITE_IOERR:
            return StateError(
                f"{path}: the disk does not read or write ({error}); nothing was written, "
                f"look at its space, quota and health, and try again"
            )
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return StateError(f"{path}: the state cannot be opened or written here: {error}")
        case _:
            return StateError(f"{path}: the state cannot be used: {error}")
