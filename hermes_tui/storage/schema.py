"""What the state file holds, and how its versions are told apart.

`rows` is the current value of every row, `messages` the conversations, `journal` every event with the rows that it
made true, as JSON. A row's place in the journal is its revision: whoever knows the facts up to an entry reads only
the later ones. So the newest entry is never pruned, and no id is ever given twice.
"""

import sqlite3
from pathlib import Path
from typing import Final

from hermes_tui.core.errors import StateError, StateTooNewError
from hermes_tui.storage.faults import MOVE_AWAY

SCHEMA_VERSION: Final = 1
APPLICATION_ID: Final = 0x48544C47
"""Marks the file as ours: `HTLG` in its header."""

_TABLES: Final = (
    """CREATE TABLE rows (
        kind TEXT NOT NULL, key TEXT NOT NULL, data TEXT NOT NULL, PRIMARY KEY (kind, key)
    ) WITHOUT ROWID""",
    """CREATE TABLE messages (
        session TEXT NOT NULL, number INTEGER NOT NULL, data TEXT NOT NULL, PRIMARY KEY (session, number)
    ) WITHOUT ROWID""",
    """CREATE TABLE journal (
        id INTEGER PRIMARY KEY, time REAL NOT NULL, session TEXT, type TEXT NOT NULL,
        event TEXT NOT NULL, rows TEXT NOT NULL
    )""",
)


def version_of(connection: sqlite3.Connection, path: Path) -> int:
    """Return the file's schema version, 0 where nothing is in it yet. Raises StateError for another program's file."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if tables and application != APPLICATION_ID:
        raise StateError(f"{path}: is a database of another program; {MOVE_AWAY}")
    return int(version)


def writable_version(connection: sqlite3.Connection, path: Path) -> int:
    """Return the file's version if it can be written here. Raises StateTooNewError where a newer version made it."""
    version = version_of(connection, path)
    if version > SCHEMA_VERSION:
        raise StateTooNewError(
            f"{path}: a newer version wrote this state (schema {version}, known here: {SCHEMA_VERSION}); "
            f"it is read, never written: update hermes-tui"
        )
    return version


def create(connection: sqlite3.Connection) -> None:
    """Make the tables in an empty file, in the transaction that is open."""
    for statement in _TABLES:
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
