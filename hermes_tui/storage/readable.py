"""The state file, read only: leaves no file behind, takes no lock, and disturbs no writer.

While there is anything in the log, a writer is there (or died): log and index are read as they stand, the index
mapped read-only. Else the file is all there is, and immutable until a writer has something to write: each read finds
out anew, with a connection of its own, and is repeated when the file changed under it.
"""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Final, NoReturn, TypeVar

from hermes_tui.core.errors import StateError
from hermes_tui.storage import schema
from hermes_tui.storage.faults import Faults, NoStateError, UnreadableEntryError
from hermes_tui.storage.locks import moments

R = TypeVar("R")

WRITER_THERE: Final = "a writer is there, or died"

_TRIES: Final = 10
_LIVE: Final = "mode=ro&readonly_shm=1"
_RESTING: Final = "mode=ro&immutable=1"
_LOG_HEADER_BYTES: Final = 32


class ReadableFile:
    """A way to read the state file. `refusal` is raised to whoever wants to write."""

    def __init__(self, path: Path, refusal: StateError | None = None) -> None:
        self.path = path
        self.faults = Faults(path)
        self.refusal = refusal or StateError(f"{path}: is open for reading only")

    def read(self, query: Callable[[sqlite3.Connection], R]) -> R:
        """Return what `query` reads at one moment; raises NoStateError where there is no file, or nothing in it yet."""
        for _ in range(_TRIES - 1):
            before = self._look()
            try:
                answer = self._read_once(query, before)
            except (sqlite3.Error, UnreadableEntryError):
                if before == self._look():
                    break
            else:
                if before == self._look():
                    return answer
        with self.faults:
            return self._read_once(query, self._look())

    def _read_once(self, query: Callable[[sqlite3.Connection], R], look: object) -> R:
        how = _LIVE if look is WRITER_THERE else _RESTING
        connection = sqlite3.connect(f"{self.path.absolute().as_uri()}?{how}", uri=True, isolation_level=None)
        try:
            if schema.version_of(connection, self.path) == 0:
                raise self._nothing_yet()
            return query(connection)
        finally:
            connection.close()

    def _nothing_yet(self) -> NoStateError:
        return NoStateError(f"{self.path}: there is no state yet; nothing has run here")

    def _look(self) -> object:
        """Return what differs after anything that a read of the resting file does not survive."""
        with self.faults:
            try:
                found = self.path.stat()
            except FileNotFoundError:
                raise self._nothing_yet() from None
            for _ in moments():  # a writer that closes takes the index away first
                if not self._has_log():
                    return found.st_ino, found.st_size, found.st_mtime_ns
                if self._beside("-shm").exists():
                    return WRITER_THERE
        raise StateError(f"{self.path}-wal: is left over without its index; open the state for writing once")

    def _has_log(self) -> bool:
        """Tell whether there is anything in the log: SQLite cannot read one that ends with its header."""
        try:
            return self._beside("-wal").stat().st_size > _LOG_HEADER_BYTES
        except FileNotFoundError:
            return False

    def _beside(self, suffix: str) -> Path:
        return self.path.with_name(self.path.name + suffix)

    def __enter__(self) -> NoReturn:
        raise self.refusal

    def __exit__(self, *_: object) -> None:
        """Nothing was begun."""

    def close(self) -> None:
        """Nothing stays open between reads."""
