"""Reminders: a session that stays off its primary is told of again, each time a while has passed (C126)."""

from collections.abc import Iterable, Mapping
from math import floor

from hermes_tui.core.facts import Facts
from hermes_tui.core.judging import judged
from hermes_tui.core.session import Session
from hermes_tui.core.telling import REMINDER
from hermes_tui.core.text import one_line
from hermes_tui.view.telling import NOTICE_LIMIT, Notice
from hermes_tui.view.words import duration

Away = Mapping[str, float]
"""The sessions that are off their primary, each with since when (epoch seconds)."""


def still_away(before: Away, sessions: Iterable[Session], now: float) -> Away:
    """Return who is off the primary now; who only tried to return is not back before a reply proves it (M33)."""
    return {session.name: before.get(session.name, _left_at(session, now)) for session in sessions if _is_away(session)}


def _is_away(session: Session) -> bool:
    return session.on_fallback or session.unverified_since is not None


def _left_at(session: Session, now: float) -> float:
    return session.departure.at if session.departure is not None else now


def reminders(away: Away, facts: Facts, looked_at: float, every: float, now: float) -> tuple[Notice, ...]:
    """Return what has become due since `looked_at`: one reminder for each session, `every` seconds apart."""
    due = (name for name, since in away.items() if floor((now - since) / every) > floor((looked_at - since) / every))
    return tuple(_notice(facts, facts.sessions[name], now - away[name], now) for name in due)


def next_reminder(away: Away, every: float | None, now: float) -> float | None:
    """Return when the next reminder becomes due (epoch seconds), None where none ever does."""
    if every is None:
        return None
    return min((since + every * (floor((now - since) / every) + 1) for since in away.values()), default=None)


def _notice(facts: Facts, session: Session, seconds: float, now: float) -> Notice:
    _, diagnosis = judged(facts, session, now)
    text = f"{session.name} is off its primary for {duration(seconds)}: {diagnosis.text}"
    return Notice(REMINDER, session.name, one_line(text, NOTICE_LIMIT))
