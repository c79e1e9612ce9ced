"""The sessions of a home, as `state.db` has them: those at work first, then the newest.

What a session asks for stands in its own row, and stays there while a fallback serves it; what really answered stands
in `session_model_usage`. A turn in flight holds a lease in the name of the first session of a conversation, while the
turn runs in the last: a session whose context was compressed goes on as its child.
"""

import json
import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple, TypeAlias

from hermes_tui.core.errors import StateError, StateLockedError
from hermes_tui.core.text import PlainText, one_line, plain
from hermes_tui.core.values import dataclass
from hermes_tui.hermes import cells
from hermes_tui.hermes.database import Database, NoDatabaseError
from hermes_tui.hermes.holder import local_pid
from hermes_tui.hermes.stamp import Stamp
from hermes_tui.hermes.values import NOTHING, Conversation, Served

FILE_NAME: Final = "state.db"

SHOWN: Final = 200
"""How many sessions are read; those at work are read however many there are."""

KNOWN_SCHEMA: Final = 31
"""The newest layout that was tried; older ones lack columns, newer ones may mean something else."""

REST: Final = 10.0
"""After a read it rests for so many times what that took: a large database is read for a tenth of the time at most."""

_MOST_LEASES: Final = 1_000
_LONGEST_LINEAGE: Final = 500
_ROUTES: Final = 10
"""So many rows of usage are looked at for each session that is shown: more than one session has routes."""

_TEXT_LIMIT: Final = 5 * cells.NAME_LIMIT
"""Characters of a text that leave the database: more than are kept, so that what is cut is cut at a space."""

_SESSION: Final = (
    "id", "title", "source", "model", "billing_provider", "started_at", "ended_at", "end_reason", "last_activity_at",
    "message_count", "input_tokens", "output_tokens", "parent_session_id",
)  # fmt: skip

_TEXTS: Final = frozenset({"title", "source", "model", "billing_provider", "end_reason"})
_LINEAGE: Final = frozenset({"parent_session_id", "end_reason", "source", "model_config", "ended_at", "started_at"})
_SPOKEN: Final = frozenset({"id", "session_id", "timestamp"})
_USAGE: Final = frozenset(
    {"session_id", "billing_provider", "model", "task", "api_call_count", "first_seen", "last_seen"}
)
_LEASE: Final = frozenset({"conversation_id", "holder", "acquired_at", "expires_at"})

LAST_STARTED: Final = "SELECT id FROM sessions ORDER BY started_at DESC LIMIT :most"
ANSWERED_SINCE: Final = """
    SELECT session_id FROM session_model_usage NOT INDEXED WHERE last_seen >
      (SELECT min(started_at) FROM (SELECT started_at FROM sessions ORDER BY started_at DESC LIMIT :most))
    ORDER BY last_seen DESC LIMIT :most * :routes
"""
"""Older sessions that are among the newest by an answer: one after the last of those that started last. There are few,
but where a great many started at once: hence the limit."""

LAST_SPOKEN: Final = "SELECT session_id FROM messages ORDER BY id DESC LIMIT :most"
SESSIONS: Final = "SELECT {columns} FROM sessions WHERE id IN (SELECT value FROM json_each(:ids))"
CHOSEN: Final = """
    CASE WHEN json_valid(model_config) THEN substr(json_extract(model_config, '$.provider'), 1, {limit}) END,
    CASE WHEN json_valid(model_config) THEN substr(json_extract(model_config, '$.model'), 1, {limit}) END
"""
"""The route that the user gave a session stands apart from what its row says, which may be what answered it."""

SERVED: Final = (
    "SELECT session_id, billing_provider, model, sum(api_call_count), min(first_seen), max(last_seen) AS last"
    " FROM session_model_usage WHERE session_id IN (SELECT value FROM json_each(:ids)) AND task = ''"
    " GROUP BY session_id, billing_provider, model ORDER BY last DESC"
)
LAST_MESSAGES: Final = (
    "SELECT value, (SELECT max(timestamp) FROM messages WHERE session_id = value) FROM json_each(:ids)"
)
LEASES: Final = "SELECT conversation_id, holder, acquired_at, expires_at FROM session_turn_leases LIMIT :most"
CONTINUATION: Final = """
    SELECT child.id FROM sessions AS parent JOIN sessions AS child ON child.parent_session_id = parent.id
    WHERE parent.id = :id AND parent.end_reason = 'compression' AND child.source IS NOT 'tool'
      AND parent.id NOT IN (
        SELECT value FROM json_each(CASE WHEN json_valid(child.model_config) THEN child.model_config ELSE '{}' END)
        WHERE key IN ('_branched_from', '_delegate_from', '_reset_from') AND value IS NOT NULL)
    ORDER BY child.end_reason IS NOT 'compression', child.ended_at IS NOT NULL, child.started_at DESC LIMIT 1
"""


@dataclass(frozen=True, slots=True)
class Sessions:
    """What `state.db` holds: the sessions read last, and whether that is all there is to know.

    `known` tells that it could be read, now or before. `more` are left out. `busy_since` (epoch seconds) is when
    another process was first found to keep the database to itself: what stands here is from before. `fault` says why
    it cannot be read at all; what stands here is then from the last time that it could. `missing` tells that the fault
    is a file that was never there: Hermes has kept no session yet.
    """

    conversations: tuple[Conversation, ...] = ()
    more: int = 0
    schema: int | None = None
    busy_since: float | None = None
    fault: PlainText = NOTHING
    known: bool = False
    missing: bool = False
    warnings: tuple[PlainText, ...] = ()


class SessionReader:
    """Reads the sessions of a home, again only after something has changed; `clock` tells how long that took."""

    def __init__(self, database: Database, most: int = SHOWN, clock: Callable[[], float] = time.monotonic) -> None:
        self._database = database
        self._most = most
        self._clock = clock
        self._rested_at = self._rests = 0.0
        self._sessions = Sessions()
        self._made: dict[object, _Made] = {}
        self._at_work: frozenset[str] = frozenset()
        self._seen: tuple[Stamp, Stamp] | None = None
        self._settled = False

    def read(self, now: float, at_work: Collection[str] = ()) -> Sessions:
        """Return the sessions, the very same value where nothing has changed; `at_work` are read in any case.

        It never raises: a database that is busy, missing or damaged is told in the value. A change within one tick of
        the file system's clock leaves the stamp as it was, so that a stamp is trusted when it was seen twice.
        """
        if 0.0 <= now - self._rested_at < self._rests:
            return self._sessions
        stamps, wanted = self._database.stamps(), frozenset(at_work)
        if self._settled and stamps == self._seen and wanted == self._at_work:
            return self._sessions
        began = self._clock()
        try:
            rows = self._database.read(lambda connection: _rows(connection, self._most, wanted))
        except StateLockedError:
            self._seen = None
            since = now if self._sessions.busy_since is None else self._sessions.busy_since
            self._sessions = replace(self._sessions, busy_since=since, fault=NOTHING, missing=False)
        except StateError as error:
            self._seen = None
            missing = isinstance(error, NoDatabaseError) and not self._sessions.known
            self._sessions = replace(self._sessions, busy_since=None, fault=one_line(str(error)), missing=missing)
        else:
            self._settled, self._seen, self._at_work = stamps == self._seen, stamps, wanted
            if (found := self._of(rows)) != self._sessions:
                self._sessions = found
        self._rested_at, self._rests = now, REST * (self._clock() - began)
        return self._sessions

    def _of(self, rows: "_Rows") -> Sessions:
        """Return the sessions of `rows`; one whose rows are as before is the same object."""
        self._made = {key: self._made_of(key, found) for key, found in _cells(rows).items()}
        found = [made.conversation for made in self._made.values()]
        found.sort(key=lambda one: (one.id in rows.live, one.last_activity_at or one.started_at or 0.0), reverse=True)
        kept = tuple(found[: max(self._most, sum(one.id in rows.live for one in found))])
        return Sessions(kept, rows.total - len(kept), rows.schema, known=True, warnings=_warnings(rows.schema))

    def _made_of(self, key: object, found: "_Cells") -> "_Made":
        known = self._made.get(key)
        return known if known is not None and known.cells == found else _Made(found, _conversation(found))


_Row: TypeAlias = tuple[Any, ...]


class _Lease(NamedTuple):
    since: float | None
    until: float | None
    pid: int | None


def columns_of(connection: sqlite3.Connection, table: str) -> frozenset[str]:
    """Return the names of the columns that `table` has in this version, none where there is no such table."""
    return frozenset(row[1] for row in connection.execute(f"PRAGMA table_info({table})"))


def chosen(wanted: Iterable[str], present: Collection[str], bounded: Collection[str] = ()) -> str:
    """Return a list of columns for a query: those that this version lacks as NULL, of `bounded` ones the beginning."""
    listed = (column if column in present else "NULL" for column in wanted)
    return ", ".join(f"substr({column}, 1, {_TEXT_LIMIT})" if column in bounded else column for column in listed)


class _Rows(NamedTuple):
    """What one read brings: the database is closed again before anything is made of it."""

    schema: int | None
    total: int
    live: frozenset[str]
    leases: Mapping[str, _Lease]
    sessions: Sequence[_Row]
    served: Sequence[_Row]
    spoken: Sequence[_Row]


class _Cells(NamedTuple):
    """All that one session is made of."""

    session: _Row
    served: Sequence[_Row]
    spoken: object
    lease: _Lease | None


class _Made(NamedTuple):
    cells: _Cells
    conversation: Conversation


def _rows(connection: sqlite3.Connection, most: int, at_work: frozenset[str]) -> _Rows:
    present = columns_of(connection, "sessions")
    if not {"id", "started_at"} <= present:
        raise StateError("state.db holds no sessions in a form that is known here")
    leases = _leases(connection, follows=present >= _LINEAGE)
    live = at_work | leases.keys()
    usage = columns_of(connection, "session_model_usage") >= _USAGE
    spoken = columns_of(connection, "messages") >= _SPOKEN
    newest = (LAST_STARTED, *((LAST_SPOKEN,) if spoken else ()), *((ANSWERED_SINCE,) if usage else ()))
    few = {"most": most, "routes": _ROUTES}
    ids = live | {row[0] for query in newest for row in connection.execute(query, few)}
    some = {"ids": json.dumps([one for one in ids if isinstance(one, str) and len(one) <= cells.NAME_LIMIT])}
    return _Rows(
        schema=_schema(connection),
        total=connection.execute("SELECT count(*) FROM sessions").fetchone()[0],
        live=live,
        leases=leases,
        sessions=connection.execute(_sessions(present), some).fetchall(),
        served=connection.execute(SERVED, some).fetchall() if usage else (),
        spoken=connection.execute(LAST_MESSAGES, some).fetchall() if spoken else (),
    )


def _sessions(present: Collection[str]) -> str:
    given = CHOSEN.format(limit=_TEXT_LIMIT) if "model_config" in present else "NULL, NULL"
    return SESSIONS.format(columns=f"{chosen(_SESSION, present, _TEXTS)}, {given}")


def _cells(rows: _Rows) -> Mapping[object, _Cells]:
    """Return what each session is made of, by its id."""
    served: dict[object, list[_Row]] = {}
    for row in rows.served:
        served.setdefault(row[0], []).append(row)
    spoken: dict[object, object] = dict(rows.spoken)
    return {
        row[0]: _Cells(row, served.get(row[0], ()), spoken.get(row[0]), rows.leases.get(row[0]))
        for row in rows.sessions
    }


def _schema(connection: sqlite3.Connection) -> int | None:
    if "version" not in columns_of(connection, "schema_version"):
        return None
    row = connection.execute("SELECT max(version) FROM schema_version").fetchone()
    return cells.count(row[0]) or None


def _warnings(schema: int | None) -> tuple[PlainText, ...]:
    if schema is None or schema <= KNOWN_SCHEMA:
        return ()
    what = f"state.db is of a newer Hermes (layout {schema}, known up to {KNOWN_SCHEMA}): some of it may be missing."
    return (plain(what),)


def _leases(connection: sqlite3.Connection, *, follows: bool) -> Mapping[str, _Lease]:
    """Return the leases of turns in flight by the session in which the turn runs; none before 0.22.

    That session is found where the layout lets one follow it.
    """
    if not columns_of(connection, "session_turn_leases") >= _LEASE:
        return {}
    rows = connection.execute(LEASES, {"most": _MOST_LEASES}).fetchall()
    return {
        _end_of_lineage(connection, first) if follows else first: _Lease(
            cells.moment(since), cells.moment(until), local_pid(holder)
        )
        for first, holder, since, until in rows
        if isinstance(first, str)
    }


def _end_of_lineage(connection: sqlite3.Connection, first: str) -> str:
    """Follow a conversation through its compressions to the session in which it goes on."""
    lineage = {first: None}
    while len(lineage) < _LONGEST_LINEAGE:
        row = connection.execute(CONTINUATION, {"id": next(reversed(lineage))}).fetchone()
        if row is None or row[0] in lineage:
            break
        lineage[row[0]] = None
    return next(reversed(lineage))


def _served(row: _Row) -> Served:
    """Return a route that answered a session."""
    _session, provider, model, calls, first, last = row
    return Served(
        provider=cells.name(provider),
        model=cells.name(model),
        calls=cells.count(calls),
        first_seen=cells.moment(first),
        last_seen=cells.moment(last),
    )


def _conversation(found: _Cells) -> Conversation:
    *columns, provider, model = found.session
    cell = dict(zip(_SESSION, columns, strict=True))
    served, lease = tuple(map(_served, found.served)), found.lease
    signs = (cells.moment(cell["last_activity_at"]), cells.moment(found.spoken), *(one.last_seen for one in served))
    return Conversation(
        id=cells.name(cell["id"]),
        title=cells.line(cell["title"]),
        surface=cells.name(cell["source"]),
        model=cells.name(cell["model"]),
        provider=cells.name(cell["billing_provider"]),
        started_at=cells.moment(cell["started_at"]),
        ended_at=cells.moment(cell["ended_at"]),
        end_reason=cells.name(cell["end_reason"]),
        last_activity_at=max((at for at in signs if at is not None), default=None),
        messages=cells.count(cell["message_count"]),
        input_tokens=cells.count(cell["input_tokens"]),
        output_tokens=cells.count(cell["output_tokens"]),
        served=served,
        busy_since=lease.since if lease else None,
        busy_until=lease.until if lease else None,
        busy_by=lease.pid if lease else None,
        parent=cells.name(cell["parent_session_id"]) or None,
        chosen=(cells.name(provider), cells.name(model)) if provider and model else None,
    )
