"""Reading what the file holds: rows, messages and the journal as values."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from hermes_tui.core.codec import decode_event, decode_row
from hermes_tui.core.decision import Row
from hermes_tui.core.errors import StateError
from hermes_tui.core.event import CONCERN_ALL, COURSE, Event, SessionRenamed, snake_case
from hermes_tui.core.facts import Facts, fold
from hermes_tui.core.session import Message
from hermes_tui.storage.faults import UnreadableEntryError

PAGE: Final = 500
"""Journal entries read at once by whoever reads all of them."""

_RENAMED: Final = snake_case(SessionRenamed.__name__)
_HISTORY: Final = """
    SELECT id, event FROM journal
    WHERE time >= ? AND (session IN (SELECT value FROM json_each(?)) OR type IN ({}))
    ORDER BY id DESC LIMIT ?
"""
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
        "SELECT id, event FROM journal WHERE id > ? ORDER BY id DESC LIMIT ?", (after, limit)
    ).fetchall()
    return _oldest_first(found)


def history(
    connection: sqlite3.Connection, session: str | None, since: float, limit: int
) -> tuple[tuple[int, Event], ...]:
    """Return the newest `limit` events of `session`, whatever it was called, and of all credentials since `since`.

    None stands for all sessions, and asks only for what tells their course.
    """
    types = COURSE if session is None else CONCERN_ALL
    asked = (*types, _RENAMED)
    names = [] if session is None else _names(connection, session)
    query = _HISTORY.format(", ".join("?" * len(asked)))
    found = connection.execute(query, (since, json.dumps(names), *asked, limit)).fetchall()
    told = _oldest_first(found)
    return tuple((number, event) for number, event in told if event.session == session or event.type in types)


def _names(connection: sqlite3.Connection, session: str) -> list[str]:
    """Return what `session` is called and was called before, newest first."""
    names = [session]
    for (data,) in connection.execute("SELECT event FROM journal WHERE type = ? ORDER BY id DESC", (_RENAMED,)):
        event = _event(data)
        if isinstance(event, SessionRenamed) and event.session == names[-1]:
            names.append(event.before)
    return names


def _oldest_first(found: Sequence[tuple[int, str]]) -> tuple[tuple[int, Event], ...]:
    """Return the events of `found`, newest first and up to the newest entry, of sessions as they are called now.

    The journal itself is never written again: what happened under a name says that name.
    """
    told: list[tuple[int, Event]] = []
    called: dict[str | None, str | None] = {}
    for number, data in found:
        event = _event(data)
        if event is None:
            continue
        told.append((number, replace(event, session=called[event.session]) if event.session in called else event))
        if isinstance(event, SessionRenamed):
            called[event.before] = called.pop(event.session, event.session)
    return tuple(reversed(told))


def page_after(connection: sqlite3.Connection, position: int) -> list[Entry]:
    """Return the next entries after the id `position`, oldest first and as they were written, at most a page."""
    found = connection.execute(
        "SELECT id, event, rows FROM journal WHERE id > ? ORDER BY id LIMIT ?", (position, PAGE)
    ).fetchall()
    return [Entry(number, _event(event), tuple(_rows(_parsed(rows)))) for number, event, rows in found]


def _rows(pairs: Any) -> Iterator[Row]:
    """Yield the rows of `pairs` of name and data; kinds that are unknown here are left out."""
    try:
        for name, data in pairs:
            if (row := decode_row(name, data)) is not None:
                yield row
    except (StateError, TypeError) as error:
        raise UnreadableEntryError(f"a row ({error})") from error


def _event(text: str) -> Event | None:
    try:
        return decode_event(_parsed(text))
    except StateError as error:
        raise UnreadableEntryError(f"an event ({error})") from error


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise UnreadableEntryError(f"text that is not JSON ({error})") from error
