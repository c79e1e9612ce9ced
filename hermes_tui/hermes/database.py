"""Hermes' session database, read only: what it is made of stays as it was, to the byte, and no file appears beside it.

SQLite alone does not promise that. Opened with `mode=ro`, a database with a write-ahead log gets an index (`-shm`) and
an empty log from its reader, and keeps them; where an index is, readers write their marks into it. So each read looks
first. With something in the log, a writer is there or died: the log is read as it stands, its index mapped read only,
and whoever closes the database meanwhile leaves the log there, as SQLite would put an empty one in its place.
Without, a database of that kind is at rest, and the file is all there is: it is taken as immutable, and the read counts
only if nothing has changed meanwhile. One with a rollback journal is read under a shared lock like any other reader's.

Nothing stays open between reads: whoever holds a connection keeps a writer that ends from putting its log away.
"""

import functools
import os
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import Final, NoReturn, TypeVar

from hermes_tui.core.errors import StateError, StateLockedError
from hermes_tui.core.values import dataclass
from hermes_tui.hermes.bounded import read_at_most, reason_of
from hermes_tui.hermes.stamp import Stamp, stamp

if sys.platform != "win32":
    import fcntl

R = TypeVar("R")

_TRIES: Final = 3
_LOCK_TIMEOUT_SECONDS: Final = 0.05
_BETWEEN_TRIES_SECONDS: Final = 0.005
LONGEST_READ_SECONDS: Final = 1.0
"""Then a read is given up: one with a rollback journal keeps Hermes from writing, which waits about as long."""

_STEPS: Final = 10_000
"""SQLite's own steps between two looks at the clock: about a millisecond."""

_LOG_HEADER_BYTES: Final = 32
_VERSION_OFFSET: Final = 18
"""Where the file says how it is written: a byte."""

_WRITTEN_WITH_LOG: Final = 2

_SHARED_START: Final = 0x40000002
_SHARED_BYTES: Final = 510
"""What of the file SQLite's readers lock, and whoever takes the log away locks alone."""

_PASSING: Final = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_READONLY,
    }
)
"""What another process' writing looks like from here: on some file systems an I/O error comes with it, and a log whose
index is just being made cannot be read without writing."""

_DECODED: Final = functools.partial(str, encoding="utf-8", errors="replace")


class NoDatabaseError(StateError):
    """The file is not there."""


class _Way(Enum):
    """How the database can be read right now: the parameters of its address."""

    SHARED = "mode=ro"
    LIVE = "mode=ro&readonly_shm=1"
    RESTING = "mode=ro&immutable=1"
    NONE = ""


@dataclass(frozen=True, slots=True)
class _Look:
    way: _Way
    stamps: tuple[Stamp, Stamp]


class _MovedError(Exception):
    """Another process has changed what there is to read, and how: look again."""


class Database:
    """The file at `path`, read a moment at a time, by one thread after the other."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._log = path.with_name(path.name + "-wal")
        self._index = path.with_name(path.name + "-shm")
        self._one_at_a_time = threading.Lock()

    def stamps(self) -> tuple[Stamp, Stamp]:
        """Return what differs after a change: two questions to the system, nothing read.

        Of the log, the time of change tells nothing: the SQLite of a root user sets its owner whenever it is opened.
        """
        return stamp(self.path), replace(stamp(self._log), changed_ns=0)

    def read(self, query: Callable[[sqlite3.Connection], R]) -> R:
        """Return what `query` reads at one moment; while it runs, a writer with a rollback journal waits.

        Raises StateLockedError while another process writes: it passes, ask again. Raises NoDatabaseError where there
        is no file, StateError, with a sentence of why, where it cannot be read, or not within LONGEST_READ_SECONDS.
        """
        with self._one_at_a_time:
            for _ in range(_TRIES):
                try:
                    return self._read_at(self._look(), query)
                except _MovedError:
                    time.sleep(_BETWEEN_TRIES_SECONDS)
        raise StateLockedError(f"{self.path}: is being written")

    def _read_at(self, look: _Look, query: Callable[[sqlite3.Connection], R]) -> R:
        try:
            if look.way is _Way.NONE:
                return self._without_index(look)
            if look.way is not _Way.LIVE:
                answer = self._read_once(query, look.way)
            else:
                with self._log_kept():
                    answer = self._read_once(query, look.way)
        except sqlite3.Error as error:
            if look.way is not _Way.SHARED and look != self._look():
                raise _MovedError from error
            raise _told(self.path, error) from error
        except OSError as error:
            raise _unreadable(self.path, error) from error
        if look.way is _Way.RESTING and look != self._look():
            raise _MovedError
        return answer

    def _without_index(self, look: _Look) -> NoReturn:
        """Say what a log without its index means, unless both are being made or taken away right now."""
        time.sleep(_BETWEEN_TRIES_SECONDS)
        if look != self._look():
            raise _MovedError
        raise StateError(
            f"{self.path}: its log has no index, as after a copy; start Hermes once, which puts it in order"
        )

    @contextmanager
    def _log_kept(self) -> Iterator[None]:
        """Hold the log and its index where they are; raises _MovedError where one of them is no longer there."""
        with self.path.open("rb") as file:
            if sys.platform != "win32":
                try:
                    fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB, _SHARED_BYTES, _SHARED_START)
                except (BlockingIOError, PermissionError) as error:
                    raise _MovedError from error
            if self._look().way is not _Way.LIVE:
                raise _MovedError
            yield

    def _read_once(self, query: Callable[[sqlite3.Connection], R], way: _Way) -> R:
        address = f"{self.path.absolute().as_uri()}?{way.value}"
        connection = sqlite3.connect(address, uri=True, isolation_level=None, timeout=_LOCK_TIMEOUT_SECONDS)
        try:
            connection.text_factory = _DECODED
            deadline = time.monotonic() + LONGEST_READ_SECONDS
            connection.set_progress_handler(_whether_past(deadline), _STEPS)
            connection.execute("BEGIN")
            return query(connection)
        finally:
            connection.close()

    def _look(self) -> _Look:
        file, log = stamps = self.stamps()
        if file.fault is not None:
            raise _unreadable(self.path, OSError(file.fault, os.strerror(file.fault)))
        if log.size <= _LOG_HEADER_BYTES:  # SQLite cannot read a log that ends with its header
            return _Look(_Way.RESTING if self._has_log() else _Way.SHARED, stamps)
        return _Look(_Way.LIVE if stamp(self._index).fault is None else _Way.NONE, stamps)

    def _has_log(self) -> bool:
        """Tell whether writers use a log. Closing a file drops the locks of a whole process: not beside a read."""
        try:
            head, _ = read_at_most(self.path, _VERSION_OFFSET + 1)
        except OSError as error:
            raise _unreadable(self.path, error) from error
        return head[_VERSION_OFFSET:] == bytes((_WRITTEN_WITH_LOG,))


def _whether_past(deadline: float) -> Callable[[], bool]:
    """Return what tells whether a monotonic moment has passed, without a line of Python.

    In such a line a signal would be taken whose error, ctrl+c say, SQLite takes for an answer: it would be lost.
    """
    return map(deadline.__lt__, iter(time.monotonic, None)).__next__


def _unreadable(path: Path, error: OSError) -> StateError:
    if isinstance(error, FileNotFoundError):
        return NoDatabaseError(f"{path}: is not there; Hermes has kept no session in this home yet")
    if isinstance(error, PermissionError):
        return StateError(f"{path}: may not be read by this user")
    return StateError(f"{path}: cannot be read ({reason_of(error)})")


def _told(path: Path, error: sqlite3.Error) -> StateError:
    """Return what SQLite says as an error of ours, with what to do about it."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    primary = code & 0xFF
    if code == sqlite3.SQLITE_READONLY_ROLLBACK:
        return StateError(f"{path}: a write was cut off in the middle; start Hermes once, which takes it back")
    if primary == sqlite3.SQLITE_INTERRUPT:
        return StateError(f"{path}: takes longer than {LONGEST_READ_SECONDS:g} s to read, which would hold Hermes up")
    if primary in _PASSING:
        return StateLockedError(f"{path}: is locked by another process ({error})")
    if primary in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
        return StateError(f"{path}: is damaged or no database ({error}); `hermes doctor` looks into it")
    if primary == sqlite3.SQLITE_CANTOPEN:
        return StateError(f"{path}: cannot be opened; may this user read it, and are files left to open?")
    return StateError(f"{path}: cannot be read ({error})")
