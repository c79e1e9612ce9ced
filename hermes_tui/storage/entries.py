"""Reading what the file holds: rows, messages and the journal as values."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from hermes_tui.core.codec import decode_event, decode_row
from hermes_tui.core.decision import Row
from hermes_tui.core.errors import StateError
from hermes_tui.core.event import CONCERN_ALL, Event
from hermes_tui.core.facts import Facts, fold
from hermes_tui.core.session import Message
from hermes_tui.storage.faults import UnreadableEntryError

PAGE: Final = 500
"""Journal entries read at once by whoever reads all of them."""

_HISTORY: Final = f"""
    SELECT id, session, event FROM journal
    WHERE time >= ? AND (session = ? OR type IN ({", ".join("?" * len(CONCERN_ALL))}))
    ORDER BY id DESC LIMIT ?
"""  # noqa: S608 - placeholders alone
"""Reads every entry: an index would cost each commit a fifth more, and this is asked for rarely, by a thread."""


class Entry(NamedTuple):
    """One entry of the journal; `event` is None where a newer version wrote one that is unknown here."""

    id: int
    event: Event | None
    rows: tuple[Row, ...]


def load(connection: sqlite3.Connection) -> tuple[Facts, int]:
    """Return all facts and the id of the journal's newest entry, as of one moment."""
    alone = not connection.in_transaction
    if alone:
        connection.execute("BEGIN")
    try:
        (position,) = connection.execute("SELECT coalesce(max(id), 0) FROM journal").fetchone()
        found = connection.execute("SELECT kind, data FROM rows").fetchall()
    finally:
        if alone:
            connection.execute("ROLLBACK")
    return fold(_rows((kind, _parsed(data)) for kind, data in found)), position


def rows_after(connection: sqlite3.Connection, position: int) -> tuple[list[Row], int] | None:
    """Return the rows of all entries after `position` and the newest id; None where entries between are pruned."""
    found = connection.execute("SELECT id, rows FROM journal WHERE id > ? ORDER BY id", (position,)).fetchall()
    if not found:
        return [], position
    if found[0][0] != position + 1:
        return None
    return [row for _, data in found for row in _rows(_parsed(data))], found[-1][0]


def messages(connection: sqlite3.Connection, session: str) -> tuple[Message, ...]:
    """Return a session's conversation, oldest first, under the name that it has now."""
    found = connection.execute("SELECT data FROM messages WHERE session = ? ORDER BY number", (session,))
    rows = _rows(("message", _parsed(data)) for (data,) in found.fetchall())
    said = (row for row in rows if isinstance(row, Message))
    return tuple(row if row.session == session else replace(row, session=session) for row in said)


def newest_events(connection: sqlite3.Connection, limit: int, after: int) -> tuple[tuple[int, Event], ...]:
    """Return at most `limit` events with their ids, of the entries after the id `after`, newest last."""
    found = connection.execute(
        "SELECT id, session, event FROM journal WHERE id > ? ORDER BY id DESC LIMIT ?", (after, limit)
    ).fetchall()
    return _oldest_first(found)


def history(connection: sqlite3.Connection, session: str, since: float, limit: int) -> tuple[tuple[int, Event], ...]:
    """Return the newest `limit` events of `session` and of all credentials since `since`, newest last."""
    return _oldest_first(connection.execute(_HISTORY, (since, session, *CONCERN_ALL, limit)).fetchall())


def _oldest_first(found: Sequence[tuple[int, str | None, str]]) -> tuple[tuple[int, Event], ...]:
    decoded = ((number, _event(data, session)) for number, session, data in reversed(found))
    return tuple((number, event) for number, event in decoded if event is not None)


def page_after(connection: sqlite3.Connection, position: int) -> list[Entry]:
    """Return the next entries after the id `position`, oldest first, at most a page of them."""
    found = connection.execute(
        "SELECT id, session, event, rows FROM journal WHERE id > ? ORDER BY id LIMIT ?", (position, PAGE)
    ).fetchall()
    return [
        Entry(number, _event(event, session), tuple(_rows(_parsed(rows)))) for number, session, event, rows in found
    ]


def _rows(pairs: Any) -> Iterator[Row]:
    """Yield the rows of `pairs` of name and data; kinds that are unknown here are left out."""
    try:
        for name, data in pairs:
            if (row := decode_row(name, data)) is not None:
                yield row
    except (StateError, TypeError) as error:
        raise UnreadableEntryError(f"a row ({error})") from error


def _event(text: str, session: str | None) -> Event | None:
    """Return an event as it was written, of the session as it is called now."""
    try:
        event = decode_event(_parsed(text))
    except StateError as error:
        raise UnreadableEntryError(f"an event ({error})") from error
    return event if event is None or event.session == session else replace(event, session=session)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise UnreadableEntryError(f"text that is not JSON ({error})") from error
