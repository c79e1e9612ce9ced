"""The forms about sessions: their fields, and the command that what is filled in stands for."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from hermes_tui.core.acts import ChangeSchedule, NewSession, RenameSession
from hermes_tui.core.durations import seconds, spelled
from hermes_tui.core.facts import Facts
from hermes_tui.core.keeping import arrangement_like, templates
from hermes_tui.core.naming import free_name
from hermes_tui.core.snapshot import OURS, Snapshot

Values = Mapping[str, str]
"""What stands in the fields, by their names."""

FormCommand = NewSession | RenameSession | ChangeSchedule

NAME: Final = "name"
PROMPT: Final = "prompt"
LIKE: Final = "like"
EVERY: Final = "every"

UNDER_WAY: Final = "Under way ... It cannot be called back any more; esc leaves, and it goes on."
"""What a form says while what it asked for is being done."""

_EVERY_HINT: Final = "15m, 2h, 1d; empty: it waits for what you type"


@dataclass(frozen=True, slots=True)
class Field:
    """A line of a form: its name, what stands in it first, a hint where it is empty, and values to complete it."""

    name: str
    value: str = ""
    hint: str = ""
    known: tuple[str, ...] = ()
    several_lines: bool = False


@dataclass(frozen=True, slots=True)
class FieldFault:
    """Why a field cannot be as it is filled in, and what to do."""

    field: str
    text: str


def _nothing(_: str) -> Values:
    return {}


@dataclass(frozen=True, slots=True)
class Form:
    """A form: `read` makes the command of its values, `proposed` what choosing a session to be like puts elsewhere."""

    title: str
    done: str
    fields: tuple[Field, ...]
    read: Callable[[Values], FormCommand | FieldFault]
    proposed: Callable[[str], Values] = _nothing


def form_for_new(snapshot: Snapshot) -> Form:
    """Return the form for a new session of a source: its own, or one that another program runs."""
    if snapshot.runs_new in (None, OURS):
        return new_session_form(snapshot.facts)
    facts = snapshot.facts
    return Form(
        f"New session in {snapshot.runs_new}",
        "starts it",
        (
            Field(NAME, free_name(None, facts.sessions)),
            Field(PROMPT, hint="the first one; ctrl+j begins a line; may stay empty", several_lines=True),
        ),
        lambda values: NewSession(values[NAME].strip(), prompt=values[PROMPT].strip()),
    )


def new_session_form(facts: Facts) -> Form:
    """Return the form for a new session; like another one it is called, and proposes what that one does."""
    known = templates(facts)

    def proposed(like: str) -> Values:
        chosen = like if like in known else None
        own = arrangement_like(facts, chosen) if chosen is not None else None
        return {
            NAME: free_name(chosen, facts.sessions),
            PROMPT: (own.prompt or "") if own and own.every_seconds else "",
            EVERY: spelled(own.every_seconds) if own and own.every_seconds else "",
        }

    among = f"{', '.join(known)}; " if known else ""
    return Form(
        "New session",
        "makes it",
        (
            Field(NAME, free_name(None, facts.sessions)),
            Field(PROMPT, hint="the first one; ctrl+j begins a line; may stay empty", several_lines=True),
            Field(LIKE, hint=f"{among}empty: the file's primary and chain", known=known),
            Field(EVERY, hint=_EVERY_HINT),
        ),
        _new_session,
        proposed,
    )


def _new_session(values: Values) -> FormCommand | FieldFault:
    every = _every(values)
    if isinstance(every, FieldFault):
        return every
    return NewSession(values[NAME].strip(), values[LIKE].strip() or None, values[PROMPT].strip(), every)


def rename_form(session: str) -> Form:
    """Return the form for another name of `session`."""
    return Form(
        f"Rename {session}",
        "renames it",
        (Field(NAME, session),),
        lambda values: RenameSession(session, values[NAME].strip()),
    )


def schedule_form(facts: Facts, session: str) -> Form:
    """Return the form for how often `session` runs by itself."""
    row = facts.sessions.get(session)
    own = row.arranged if row is not None else None
    every = spelled(own.every_seconds) if own and own.every_seconds else ""

    def read(values: Values) -> FormCommand | FieldFault:
        wanted = _every(values)
        return wanted if isinstance(wanted, FieldFault) else ChangeSchedule(session, wanted, values[PROMPT].strip())

    return Form(
        f"Schedule of {session}",
        "puts it in force",
        (
            Field(EVERY, every, "15m, 2h, 1d; empty: it runs by itself no more"),
            Field(PROMPT, (own.prompt or "") if own else "", "what it sends each time", several_lines=True),
        ),
        read,
    )


def _every(values: Values) -> float | FieldFault | None:
    text = values[EVERY].strip()
    if not text:
        return None
    try:
        return seconds(text)
    except ValueError:
        return FieldFault(EVERY, "every is a number with its unit: write 30s, 15m, 1h30m or 1d, or leave it empty")
