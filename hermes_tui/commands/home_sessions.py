"""`status`, `why` and `timeline` of a real Hermes: where its sessions stand and why, from its files alone."""

import asyncio
from collections.abc import Sequence

from hermes_tui.commands.homes import Asked, Opened, choose, opened, unless_unread, write
from hermes_tui.commands.terminal import show
from hermes_tui.commands.wall_clock import now
from hermes_tui.core.chronicle import Chronicle
from hermes_tui.core.errors import UsageError
from hermes_tui.view.course_document import course_document, course_lines
from hermes_tui.view.homes import homes_document, homes_lines, needs_attention, problem_lines
from hermes_tui.view.status import is_off, why_lines


def status(asked: Asked, *, as_json: bool, with_archived: bool) -> int:
    """Print where every session of the homes stands; return 0 when all is well, 1 when something needs attention."""
    homes, at = [home.shown() for home in opened(asked)], now()
    document = homes_document(homes, at, with_archived=with_archived)
    if as_json:
        write(document)
    else:
        show(homes_lines(document, at))
    return 1 if needs_attention(document) else 0


def why(asked: Asked, name: str) -> int:
    """Print why a session is where it is; return 0 on a primary that works, else 1; 1 too where that may be old.

    Raises UsageError where there is no such session, or one in several profiles.
    """
    home, at = _home_with(name, opened(asked)), now()
    document = homes_document([home.shown()], at, with_archived=True)
    found = next(session for session in document["sessions"] if session["name"] == name)
    old = problem_lines(document)
    show(old + why_lines(found, at))
    return 1 if old or is_off(found) else 0


def timeline(asked: Asked, name: str, since: float | None, *, as_json: bool) -> int:
    """Print which route served a session when, as far as the logs tell; `since` is how many seconds back.

    Return 0 on a primary that works, else 1. Raises UsageError as `why` does.
    """
    home, at = _home_with(name, opened(asked)), now()
    snapshot = home.source.snapshot()
    session, begin = snapshot.facts.sessions[name], at - since if since is not None else None
    chronicle = Chronicle(begin)
    chronicle.add(event for _, event in asyncio.run(home.source.history(None, begin or 0.0)))
    course = chronicle.course(snapshot.facts, session, at)
    if as_json:
        write(course_document(course))
    else:
        show(problem_lines(homes_document([home.shown()], at)) + course_lines(course))
    return 1 if session.on_fallback or session.exhaustion is not None else 0


def session_names(asked: Asked) -> tuple[str, ...]:
    """Return the names of all sessions of the homes."""
    return tuple(name for home in opened(asked) for name in home.source.snapshot().facts.sessions)


def _home_with(name: str, homes: Sequence[Opened]) -> Opened:
    """Return the home that has the session `name`, whether it ended or not."""
    found = [home for home in homes if name in home.source.snapshot().facts.sessions]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f'several profiles have a session "{name}": {choose(found)}')
    from hermes_tui.core.nearest import did_you_mean  # noqa: PLC0415 - only a mistyped name needs it

    unless_unread(homes)
    names = [name for home in homes for name in home.source.snapshot().facts.sessions]
    hint = did_you_mean(name, names) or "."
    raise UsageError(f'there is no session "{name}"{hint} There are: {", ".join(names) or "none"}')
