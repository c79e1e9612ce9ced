"""What was said in one session of a home: the end of it, read when somebody looks."""

import json
import sqlite3
from typing import Any, Final

from hermes_tui.core.errors import StateError
from hermes_tui.core.session import Message, Role
from hermes_tui.core.text import PlainText
from hermes_tui.core.values import dataclass
from hermes_tui.hermes import cells
from hermes_tui.hermes.database import Database
from hermes_tui.hermes.state import chosen, columns_of

NEWEST: Final = 200
"""How many messages are read, from the end."""

TEXT_LIMIT: Final = 8_000
"""Characters kept of a message."""

_CALLS: Final = "(calls "
_STOPPED: Final = "(stopped here)"
_SPEAKERS: Final = frozenset(Role)

_PARTS_MARK: Final = "\x00json:"
"""Begins a content that is a list of parts: text, pictures."""

_MESSAGE: Final = ("id", "role", "content", "timestamp", "tool_name", "tool_calls", "display_metadata")

MESSAGES: Final = (
    "SELECT {columns} FROM messages WHERE session_id = :session{shown} ORDER BY timestamp DESC, id DESC LIMIT :most"
)
COUNTED: Final = "SELECT count(*) FROM messages WHERE session_id = :session"


@dataclass(frozen=True, slots=True)
class Spoken:
    """One message. `role` is the agent's word for who speaks (`user`, `assistant`, `tool`, or another).

    `tools` are those that an assistant calls, or the one that a tool's answer comes from. `number` orders them.
    Of one that `was_stopped` there is what had been said until then.
    """

    number: int
    role: str
    text: PlainText
    at: float | None
    tools: tuple[str, ...] = ()
    was_stopped: bool = False


@dataclass(frozen=True, slots=True)
class Transcript:
    """The end of a session, the oldest message first; `earlier` were said before, or are no longer part of it."""

    messages: tuple[Spoken, ...] = ()
    earlier: int = 0


def transcript(database: Database, session: str, most: int = NEWEST) -> Transcript:
    """Return the last `most` messages of `session`, none where there is no such session; raises as `Transcripts`."""
    return Transcripts(database).read(session, most)


class Transcripts:
    """Reads the ends of sessions; of one that is read again, only what is new has to be made safe to show."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: dict[int, Spoken] = {}

    def read(self, session: str, most: int = NEWEST) -> Transcript:
        """Return the last `most` messages of `session`, none where there is no such session.

        Raises StateLockedError while another process writes (ask again), StateError where the database cannot be read.
        """
        rows, counted = self._database.read(lambda connection: _rows(connection, session, most))
        before = self._known  # by what a row comes to, as a message may be long
        self._known = {at: before.get(at) or _spoken(*row) for at, row in ((hash(row), row) for row in reversed(rows))}
        return Transcript(tuple(self._known.values()), counted - len(rows))


def shown(found: Transcript, session: str) -> tuple[Message, ...]:
    """Return what a conversation panel shows of it: what the user and the agent said, and which tools it called.

    A last line says where a reply was stopped. What tools answered, and what has no time, is left out.
    """
    return tuple(
        Message(session, one.number, Role(one.role), _whole(one), one.at)
        for one in found.messages
        if one.at is not None and one.role in _SPEAKERS and (one.text or one.tools)
    )


def words_of(message: Message) -> str:
    """Return what was said in a message that is shown, without the tools that it calls, or that it was stopped."""
    words, _, last = message.text.rpartition("\n")
    return words if last.startswith((_CALLS, _STOPPED)) else message.text


def _whole(one: Spoken) -> PlainText:
    calls = f"{_CALLS}{', '.join(one.tools)})" if one.tools else ""
    return PlainText("\n".join(filter(None, (one.text, calls, _STOPPED if one.was_stopped else ""))))


def _rows(connection: sqlite3.Connection, session: str, most: int) -> tuple[list[tuple[Any, ...]], int]:
    present = columns_of(connection, "messages")
    if not {"id", "session_id", "timestamp"} <= present:
        raise StateError("state.db holds no messages in a form that is known here")
    shown = " AND (active = 1 OR compacted = 1)" if {"active", "compacted"} <= present else ""
    query = MESSAGES.format(columns=chosen(_MESSAGE, present), shown=shown)
    rows = connection.execute(query, {"session": session, "most": most}).fetchall()
    return rows, connection.execute(COUNTED, {"session": session}).fetchone()[0]


def _spoken(
    number: int, role: object, content: object, at: object, tool: object, calls: object, display: object
) -> Spoken:
    shown = _parsed(display) if isinstance(display, str) else None
    return Spoken(
        number=number,
        role=cells.name(role),
        text=cells.passage(_text(content), TEXT_LIMIT),
        at=cells.moment(at),
        tools=((cells.name(tool),) if isinstance(tool, str) else _called(calls)),
        was_stopped=isinstance(shown, dict) and shown.get("interrupted") is True,
    )


def _text(content: object) -> object:
    """Return the text of a content; of one in parts what can be read, a word for the others."""
    if not isinstance(content, str) or not content.startswith(_PARTS_MARK):
        return content
    parts = _parsed(content.removeprefix(_PARTS_MARK))
    if not isinstance(parts, list):
        return content
    return "\n".join(_part(part) for part in parts)


def _part(part: object) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return ""
    text = part.get("text")
    return text if isinstance(text, str) else f"({part.get('type', 'something else')})"


def _called(calls: object) -> tuple[str, ...]:
    """Return the names of the tools that an assistant's message calls."""
    listed = _parsed(calls) if isinstance(calls, str) else None
    functions = (call.get("function") for call in listed if isinstance(call, dict)) if isinstance(listed, list) else ()
    named = (cells.name(function.get("name")) for function in functions if isinstance(function, dict))
    return tuple(filter(None, named))


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
