"""A course in words: what happened at each mark, each absence in one sentence, what comes, and the sums."""

from collections.abc import Iterator
from typing import Final

from hermes_tui.core.course import Absence, Ahead, AheadKind, Course, Mark, MarkKind, Return
from hermes_tui.core.event import (
    ActPerformed,
    ChainTaken,
    CredentialBenched,
    CredentialLifted,
    FallbackActivated,
    PrimaryRestored,
    RestoreFailed,
    VerdictReceived,
)
from hermes_tui.view.event_words import tell
from hermes_tui.view.line import ARROW
from hermes_tui.view.words import DAY_SECONDS, count, countdown, local, sentence, wall

_HOW: Final = {
    Return.VERDICT: "restored by a verdict",
    Return.FORCED: "put back by you",
    Return.OPEN: "restored, its cooldown over",
    Return.CHAIN: "another primary was taken",
}

_TOLD_BY_ABSENCES: Final = frozenset(
    (
        MarkKind.LEFT,
        MarkKind.MOVED,
        MarkKind.RESTORED,
        MarkKind.VERIFIED,
        MarkKind.FAILED_AGAIN,
        MarkKind.BENCHED,
        MarkKind.LIFTED,
        MarkKind.QUOTA,
        MarkKind.NO_QUOTA,
        MarkKind.UNKNOWN,
    )
)
"""What the sentences of the absences and the sums hold already."""


def day_and_time(at: float) -> str:
    """Return a moment with its day: `Fri 18:02`."""
    return f"{local(at):%a %H:%M}"


def long_duration(seconds: float) -> str:
    """Return a length of time as a person says it: `39 h 12 min`, `12 min`, `40 s`, `3 d 4 h`."""
    whole = max(0, int(seconds))
    days, hours, minutes = whole // DAY_SECONDS, whole // 3600, whole % 3600 // 60
    if days > 2:
        return f"{days} d {hours % 24} h"
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min" if minutes else f"{whole} s"


def mark_sentence(mark: Mark) -> str:
    """Return what happened at a mark, without the session's name and the time."""
    event = mark.event
    match event:
        case FallbackActivated():
            credential = f" ({mark.cause.credential})" if mark.cause is not None else ""
            return f"left {event.left}{credential} for {event.provider}/{event.model}: {event.reason}"
        case PrimaryRestored():
            how = "put back by you on" if event.forced else "restored to"
            return f"{how} {event.provider}/{event.model}; the first reply will tell"
        case RestoreFailed():
            return f"{event.provider}/{event.model} failed again: {event.kind.words}"
        case ActPerformed():
            return f"you: {event.act.replace('_', ' ')}: {event.effect}"
        case ChainTaken():
            return f"took the chain {f' {ARROW} '.join((event.primary or 'as before', *event.chain))}"
        case CredentialBenched() | CredentialLifted() | VerdictReceived():
            return tell(event).text
        case _:
            return tell(event).text.removeprefix(f"{event.session} ").removeprefix(f"{event.session}: ")


def ahead_sentence(coming: Ahead, now: float) -> str:
    """Return what is known to come: `in 2d 14h: openai-codex/work can be used again ...`."""
    ends = " this ends" if coming.kind is AheadKind.CHECK else ""
    return f"in {countdown(coming.at, now)}{ends}: {coming.text}"


def absence_sentence(absence: Absence) -> str:
    """Return an absence in one sentence, failed restores counted: `Fri 18:02 left a for b (429 usage limit), ...`."""
    routes = [route for route, _ in absence.served]
    to = f" for {routes[0]}" if routes else ""
    why = f"{absence.reason}, {absence.cause.credential}" if absence.cause is not None else absence.reason
    parts = [f"{day_and_time(absence.start)} left {absence.left}{to} ({why})"]
    if absence.failed_restores:
        requests = f", {count(absence.failed_requests, 'request')} refused" if absence.failed_requests else ""
        parts.append(f"{count(absence.failed_restores, 'restore')} failed{requests}")
    parts.append(_ending(absence))
    lasted = "; ".join(f"{long_duration(seconds)} on {route}" for route, seconds in absence.served)
    return ", ".join(parts) + (f": {lasted}" if lasted else "") + ("" if absence.end is not None else " so far") + "."


def _ending(absence: Absence) -> str:
    if absence.end is None:
        return "still away"
    if absence.how is None:
        return f"back {day_and_time(absence.end)}"
    back = f"{day_and_time(absence.end)} {_HOW[absence.how]}"
    if absence.how is Return.CHAIN:
        return back
    proof = f"verified {day_and_time(absence.verified_at)}" if absence.verified_at is not None else "not yet verified"
    return f"{back}, {proof}"


def sentences(course: Course, now: float) -> Iterator[tuple[float, str]]:
    """Yield the course in sentences with their times, oldest first: the absences, and what they do not hold."""
    told = [(absence.start, absence_sentence(absence)) for absence in course.absences]
    told += [
        (mark.time, sentence(f"{day_and_time(mark.time)} {mark_sentence(mark)}"))
        for mark in course.marks
        if mark.kind not in _TOLD_BY_ABSENCES
    ]
    yield from sorted(told, key=lambda pair: pair[0])
    for coming in course.ahead:
        yield coming.at, f"{wall(coming.at, now, assumed=coming.approximate)} {ahead_sentence(coming, now)}."


def sums(course: Course) -> tuple[str, ...]:
    """Return the sums of a course in sentences: the time on each route, switches, failed restores, verdicts."""
    whole = max(course.until - course.since, 1.0)
    untold = sum(span.seconds for span in course.spans if span.route is None)
    times = [*course.served, *([("not recorded", untold)] if untold else [])]
    on = "; ".join(f"{name} {long_duration(seconds)} ({_share(seconds / whole)})" for name, seconds in times)
    counted = [
        count(course.switches, "switch", "switches"),
        count(course.failed_restores, "failed restore"),
        f"{count(course.failed_requests, 'request')} refused by the primary while away",
    ]
    recorded = f"Recorded since {day_and_time(course.since)}, {long_duration(course.until - course.since)}"
    return (
        f"{recorded}: {on or 'nothing'}.",
        f"{', '.join(counted)}.",
        *_verdicts(course),
    )


def _share(part: float) -> str:
    return "<1%" if 0 < part < 0.01 else f"{part:.0%}"


def _verdicts(course: Course) -> tuple[str, ...]:
    kinds = [mark.kind for mark in course.marks]
    words = {
        MarkKind.QUOTA: "quota",
        MarkKind.NO_QUOTA: "no quota",
        MarkKind.UNKNOWN: "unknown",
        MarkKind.CONTRADICTED: "contradicted by a request",
    }
    told = [f"{kinds.count(kind)} {word}" for kind, word in words.items() if kind in kinds]
    return (f"Verdicts about its primary: {', '.join(told)}.",) if told else ()
