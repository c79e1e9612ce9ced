"""Writing a decision's records, inside the transaction that is open."""

import json
import sqlite3
from collections.abc import Sequence
from typing import Final

from hermes_tui.core.codec import encode, encode_event, row_name
from hermes_tui.core.configuration import Configuration
from hermes_tui.core.credential import Credential
from hermes_tui.core.decision import NameGivenUp, Record, Row, TokenForgotten, VerdictForgotten
from hermes_tui.core.session import Message, Session
from hermes_tui.core.verdict import CachedVerdict, Hold, Trial

_text: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode

_PUT: Final = "INSERT OR REPLACE INTO rows (kind, key, data) VALUES (?, ?, ?)"
_DROP: Final = "DELETE FROM rows WHERE kind = ? AND key = ?"
_SAY: Final = "INSERT OR REPLACE INTO messages (session, number, data) VALUES (?, ?, ?)"
_RETELL: Final = "UPDATE OR REPLACE messages SET session = ? WHERE session = ?"
_NOTE: Final = "INSERT INTO journal (time, session, type, event, rows) VALUES (?, ?, ?, ?, ?)"
_OLD: Final = """
    SELECT max(id) FROM (SELECT id, time FROM journal ORDER BY id LIMIT :step)
    WHERE id < :newest AND (id <= :newest - :kept OR time < :before)
"""


def write(connection: sqlite3.Connection, records: Sequence[Record]) -> int:
    """Write the rows and the events of `records`; return the id of the newest journal entry."""
    newest = 0
    for record in records:
        event = record.event
        rows = ",".join([_written(connection, row) for row in record.rows])
        cursor = connection.execute(
            _NOTE, (event.time, event.session, event.type, _text(encode_event(event)), f"[{rows}]")
        )
        newest = cursor.lastrowid or 0
    return newest


def _written(connection: sqlite3.Connection, row: Row) -> str:
    """Make `row` current, and return it as the journal holds it."""
    name, data = row_name(row), _text(encode(row))
    if isinstance(row, Message):
        connection.execute(_SAY, (row.session, row.number, data))
    elif isinstance(row, VerdictForgotten):
        connection.execute(_DROP, ("verdict", _text(row.key)))
    elif isinstance(row, TokenForgotten):
        connection.execute(_DROP, ("credential", _text(row.token)))
    elif isinstance(row, NameGivenUp):
        connection.execute(_DROP, ("session", row.before))
        connection.execute(_RETELL, (row.after, row.before))
    else:
        connection.execute(_PUT, (name, _identity(row), data))
    return f'["{name}",{data}]'


def _identity(row: Session | Credential | CachedVerdict | Hold | Trial | Configuration) -> str:
    match row:
        case Session():
            return row.name
        case Credential():
            return _text(row.token)
        case CachedVerdict():
            return _text(row.key)
        case Hold() | Trial():
            return _text(row.subject)
        case Configuration():
            return ""


def prune(connection: sqlite3.Connection, *, before: float, kept: int, step: int) -> int:
    """Delete at most `step` of the oldest entries that are from `before` (epoch seconds) or beyond `kept` entries.

    The newest entry always stays: its id is the revision. Returns how many went.
    """
    (newest,) = connection.execute("SELECT coalesce(max(id), 0) FROM journal").fetchone()
    bounds = {"step": step, "newest": newest, "kept": kept, "before": before}
    (last,) = connection.execute(_OLD, bounds).fetchone()
    if last is None:
        return 0
    return connection.execute("DELETE FROM journal WHERE id <= ?", (last,)).rowcount
