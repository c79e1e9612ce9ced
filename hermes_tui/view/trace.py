"""The trace of a session's last walk: each entry of its chain, and why it serves, failed or was skipped (M7, M10)."""

from collections.abc import Iterable

from hermes_tui.core.event import AttemptFailed, Event, FallbackSkipped, PrimaryRestored
from hermes_tui.core.session import Session
from hermes_tui.view.words import wall

_Passed = FallbackSkipped | AttemptFailed


def trace_lines(session: Session, events: Iterable[Event], now: float) -> str:
    """Return a line for each entry of the chain of a session that is off its primary, else nothing.

    `events` are the journal's, oldest first.
    """
    if not session.on_fallback:
        return ""
    passed = _passed(session.name, events)
    lines = []
    for position, link in enumerate(session.chain, 1):
        last = passed.get((link.route.provider, link.route.model))
        told = "in use" if position == session.position else _told(last, now)
        lines.append(f"  entry {position} {link.route}: {told}\n")
    return "".join(lines)


def _passed(session: str, events: Iterable[Event]) -> dict[tuple[str, str], _Passed]:
    """Return what last kept each route from serving since the session was on its primary."""
    newest: dict[tuple[str, str], _Passed] = {}
    for event in events:
        if event.session != session:
            continue
        if isinstance(event, PrimaryRestored):
            newest.clear()
        elif isinstance(event, FallbackSkipped | AttemptFailed):
            newest[event.provider, event.model] = event
    return newest


def _told(last: _Passed | None, now: float) -> str:
    match last:
        case FallbackSkipped():
            until = f", until {wall(last.until, now, assumed=last.approximate)}" if last.until is not None else ""
            return f"skipped {wall(last.time, now)}: {last.reason}{until}"
        case AttemptFailed():
            code = f"{last.status} " if last.status is not None else ""
            return f"failed {wall(last.time, now)}: {code}{last.kind.words}"
        case None:
            return "not needed so far"
