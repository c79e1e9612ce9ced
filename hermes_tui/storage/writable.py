"""The state file, open for writing: one connection, and one lock around every write and every checkpoint.

SQLite before 3.51.3 can damage a write-ahead log that one connection checkpoints while another writes; so SQLite
never checkpoints by itself here, and nobody writes or checkpoints without the lock.
"""

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from hermes_tui.core.errors import StateLockedError
from hermes_tui.storage import schema
from hermes_tui.storage.faults import Faults
from hermes_tui.storage.locks import WAIT_SECONDS, FileLock

R = TypeVar("R")

STATE_FILE: Final = "state.db"
LOCK_FILE: Final = "state.lock"
WAL_LIMIT_BYTES: Final = 4 * 1024 * 1024

_PRAGMAS: Final = (
    f"PRAGMA busy_timeout = {WAIT_SECONDS * 1000:.0f}",
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA wal_autocheckpoint = 0",
    "PRAGMA journal_size_limit = 0",  # a log that starts again starts small, so that its size can be trusted
)


class WritableFile:
    """One process's way to the state file; use it in the thread that opened it."""

    refusal: Final = None

    def __init__(self, directory: Path) -> None:
        """Open the file in `directory`; makes what is missing, readable by its owner only."""
        self.path = directory / STATE_FILE
        self.faults = Faults(self.path)
        self._log = f"{self.path}-wal"
        self._checkpoint_at = WAL_LIMIT_BYTES
        self._closed = False
        with self.faults:
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = FileLock(directory / LOCK_FILE)
        try:
            with self._lock, self.faults:
                self.connection = _connected(self.path)
        except BaseException:
            self._lock.close()
            raise

    def read(self, query: Callable[[sqlite3.Connection], R]) -> R:
        """Return what `query` reads."""
        with self.faults:
            return query(self.connection)

    def __enter__(self) -> sqlite3.Connection:
        """Take the lock and begin a transaction; the block commits it, or it is rolled back."""
        self._lock.__enter__()
        try:
            with self.faults:
                self.connection.execute("BEGIN IMMEDIATE")
        except BaseException:
            self._lock.__exit__()
            raise
        return self.connection

    def __exit__(self, *_: object) -> None:
        try:
            if self.connection.in_transaction:
                with self.faults:
                    self.connection.execute("ROLLBACK")
            else:
                self._checkpoint_when_due()
        finally:
            self._lock.__exit__()

    def _checkpoint_when_due(self) -> None:
        try:
            if os.stat(self._log).st_size < self._checkpoint_at:  # noqa: PTH116 - on the way of every commit
                return
            _, pages, moved = self.connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            rest = 0 if pages == moved else os.stat(self._log).st_size  # noqa: PTH116
            self._checkpoint_at = rest + WAL_LIMIT_BYTES
        except (sqlite3.Error, OSError):
            # The commit is safe in the log already, and a later one tries again.
            self._checkpoint_at += WAL_LIMIT_BYTES

    def close(self) -> None:
        """Move the log into the file, where the lock is free, and close both; again is nothing."""
        if self._closed:
            return
        self._closed = True
        try:
            with self._lock, self.faults:
                self.connection.execute("PRAGMA busy_timeout = 0")
                self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                self.connection.close()
        except StateLockedError:
            # Others are at work: the last of them moves the log.
            self.connection.close()
        finally:
            self._lock.close()


def _connected(path: Path) -> sqlite3.Connection:
    _make_private(path)
    connection = sqlite3.connect(path, isolation_level=None, timeout=WAIT_SECONDS)
    try:
        version = schema.writable_version(connection, path)
        for pragma in _PRAGMAS:
            connection.execute(pragma)
        if version == 0:
            connection.execute("BEGIN IMMEDIATE")
            schema.create(connection)
            connection.execute("COMMIT")
    except BaseException:
        connection.close()
        raise
    return connection


def _make_private(path: Path) -> None:
    """Make the file where it is missing, and take it away from others where they could read it."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        if path.stat().st_mode & 0o077:
            path.chmod(0o600)
