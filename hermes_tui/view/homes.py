"""Homes of Hermes as `status`, `why` and `auth` tell them: one document of all profiles, each line with its profile."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from hermes_tui.core.snapshot import Snapshot
from hermes_tui.view import status
from hermes_tui.view.auth import auth_document, credential_lines
from hermes_tui.view.known import known_credentials
from hermes_tui.view.status import Document, credential_row, off, session_row, status_document, why_lines
from hermes_tui.view.table import table
from hermes_tui.view.words import newest

ROOT: Final = "default"
"""What Hermes calls the root's own profile."""


class Shown(NamedTuple):
    """One home: its folder, the name of its profile, and what is known of it."""

    path: str
    profile: str
    snapshot: Snapshot


def homes_document(homes: Sequence[Shown], now: float, *, with_archived: bool = False) -> Document:
    """Return everything that `status --hermes --json` says: the status document, its parts with their profile.

    `homes` has what is true of a home as a whole: `problem` says why its numbers may be old, `notes` what is no fault,
    `left_out` how many sessions are older than those that are read.
    """
    return _joined([_status(home, now, with_archived=with_archived) for home in homes], homes)


def credentials_document(homes: Sequence[Shown], now: float) -> Document:
    """Return everything that `auth list --hermes --json` says: its document, each credential with its profile."""
    return _joined(
        [
            auth_document(known_credentials(home.snapshot.facts, now), _origin(home), now, home.snapshot.source)
            for home in homes
        ],
        homes,
    )


def _status(home: Shown, now: float, *, with_archived: bool) -> Document:
    snapshot = home.snapshot
    owners = {state.name: state.owner for state in snapshot.sessions}
    pending = {state.name: list(state.pending) for state in snapshot.sessions}
    told = status_document(snapshot.facts, owners.get, now, with_archived=with_archived, source=snapshot.source)
    return told | {"sessions": [one | {"pending": pending.get(one["name"], [])} for one in told["sessions"]]}


def _joined(documents: Sequence[Document], homes: Sequence[Shown]) -> Document:
    joined = dict(documents[0])
    for part in ("sessions", "credentials", "verdicts"):
        if part in joined:
            joined[part] = [
                {"profile": home.profile, **one}
                for home, document in zip(homes, documents, strict=True)
                for one in document[part]
            ]
    return joined | {"homes": [_home(home) for home in homes]}


def _home(home: Shown) -> Document:
    snapshot = home.snapshot
    return {
        "path": home.path,
        "profile": home.profile,
        "configuration": _origin(home),
        "problem": snapshot.problem,
        "notes": list(snapshot.notes),
        "read": len(snapshot.facts.sessions),
        "left_out": snapshot.left_out,
    }


def _origin(home: Shown) -> str | None:
    configuration = home.snapshot.facts.configuration
    return configuration.origin if configuration else None


def needs_attention(document: Document) -> bool:
    """Tell whether a session is off its primary, a credential dead, or a file of a home could not be read."""
    return status.needs_attention(document) or any(home["problem"] for home in document["homes"])


def homes_lines(document: Document, now: float) -> str:
    """Return the status of homes as text: what cannot be read, the tables, why sessions are off, then the notes."""
    several = len(document["homes"]) > 1
    sessions = [_row(one, session_row(one, now), several=several) for one in document["sessions"]]
    credentials = [_row(one, credential_row(one, now), several=several) for one in document["credentials"]]
    parts = [problem_lines(document)]
    if sessions:
        parts.append(table(sessions, _heads(status.SESSION_HEADS, several=several)))
    elif not parts[0]:
        parts.append("No sessions yet.\n")
    if credentials:
        parts.append(table(credentials, _heads(status.CREDENTIAL_HEADS, several=several)))
    parts += [_named(one, several=several) + why_lines(one, now) for one in off(document)]
    return "\n".join(filter(None, (*parts, "".join((*_left_out(document), *_notes(document))))))


def credentials_lines(homes: Sequence[Shown], now: float) -> str:
    """Return the credentials of homes as text: what cannot be read, the table of each that has any, then the notes."""
    document = {"homes": [_home(home) for home in homes]}
    parts = [problem_lines(document)]
    for home in homes:
        if known := known_credentials(home.snapshot.facts, now):
            head = f"profile {home.profile}:\n" if len(homes) > 1 else ""
            parts.append(head + credential_lines(known, now))
    if not any(parts) and all(home.snapshot.facts.configuration for home in homes):
        parts.append("No credentials yet: `hermes auth add PROVIDER` makes one.\n")
    return "\n".join(filter(None, (*parts, "".join(_notes(document)))))


def _named(one: Document, *, several: bool) -> str:
    return f"{one['profile']}: " if several else ""


def _row(one: Document, cells: tuple[str, ...], *, several: bool) -> tuple[str, ...]:
    return (one["profile"], *cells) if several else cells


def _heads(heads: tuple[str, ...], *, several: bool) -> tuple[str, ...]:
    return ("profile", *heads) if several else heads


def problem_lines(document: Document) -> str:
    """Return why numbers may be old, a line for each home of which they may."""
    return "".join(f"! {_where(home, document)}{home['problem']}\n" for home in document["homes"] if home["problem"])


def _left_out(document: Document) -> Iterator[str]:
    for home in document["homes"]:
        if home["left_out"]:
            yield f"{_where(home, document)}The {newest(home['read'], home['left_out'])} sessions were read.\n"


def _notes(document: Document) -> Iterator[str]:
    for home in document["homes"]:
        yield from (f"{_where(home, document)}{note}\n" for note in home["notes"])


def _where(home: Document, document: Document) -> str:
    return f"{home['profile']}: " if len(document["homes"]) > 1 else ""
