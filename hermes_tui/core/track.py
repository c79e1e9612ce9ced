"""The track of one session: what its events tell of its routes, its marks and its absences, one event after another.

All times are epoch seconds; an event never comes before the one that went before it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from hermes_tui.core.course import Absence, Mark, MarkKind, Return, Span, served
from hermes_tui.core.event import (
    ActPerformed,
    AttemptFailed,
    ChainTaken,
    CredentialLifted,
    Event,
    FallbackActivated,
    PrimaryRestored,
    PrimaryVerified,
    RestoreFailed,
    SessionCreated,
    TurnFailed,
)
from hermes_tui.core.session import Session

_BEFORE_ALL: Final = float("-inf")

_MARKED: Final[dict[type[Event], MarkKind]] = {
    SessionCreated: MarkKind.CREATED,
    PrimaryRestored: MarkKind.RESTORED,
    PrimaryVerified: MarkKind.VERIFIED,
    RestoreFailed: MarkKind.FAILED_AGAIN,
    ActPerformed: MarkKind.ACT,
    ChainTaken: MarkKind.CHAIN,
}
"""What an event of a session is marked as, whatever came before it."""


@dataclass(slots=True)
class _Change:
    """From `time` on requests go to `route`, at `position` of the chain; None: the journal does not tell."""

    time: float
    route: str | None
    position: int | None


@dataclass(slots=True)
class Track:
    """What is told of one session so far. `created` is when it was made, where that is told."""

    created: float | None = None
    switches: int = 0
    marks: list[Mark] = field(default_factory=list)
    _changes: list[_Change] = field(default_factory=list)
    _absences: list[Absence] = field(default_factory=list)
    _failures: dict[str, AttemptFailed] = field(default_factory=dict)
    _unproved: bool = False
    _lifted: bool = False

    def follow(self, event: Event, time: float) -> None:
        """Take note of an event that the session caused."""
        if (kind := _MARKED.get(type(event))) is not None:
            self.marks.append(Mark(time, kind, event))
        match event:
            case SessionCreated(provider=provider, model=model):
                self.created = time
                self._go(time, f"{provider}/{model}", 0)
            case FallbackActivated():
                self._leave(event, time)
            case PrimaryRestored():
                self._restore(event, time)
            case PrimaryVerified():
                self._unproved = False
                self._note(lambda away: replace(away, verified_at=time))
            case RestoreFailed():
                self._unproved = False
                self._note(_failed_again)
            case AttemptFailed(provider=provider, model=model):
                self._failures[f"{provider}/{model}"] = event
                if self._unproved and self._changes[-1].route == f"{provider}/{model}":
                    self._note(lambda away: replace(away, failed_requests=away.failed_requests + 1))
            case TurnFailed(exhausted=exhausted):
                self.marks.append(Mark(time, MarkKind.EXHAUSTED if exhausted else MarkKind.FAILED, event))
            case ChainTaken():
                self._take_chain(event, time)
            case CredentialLifted():
                self._lifted = True

    @property
    def _is_away(self) -> bool:
        """Whether the last absence has not been ended by a reply."""
        return bool(self._absences) and self._absences[-1].verified_at is None

    def _go(self, time: float, route: str | None, position: int | None) -> None:
        self._changes.append(_Change(time, route, position))

    def _note(self, change: Callable[[Absence], Absence]) -> None:
        """Note a change of the absence that no reply has ended yet, if there is one."""
        if self._is_away:
            self._absences[-1] = change(self._absences[-1])

    def _leave(self, event: FallbackActivated, time: float) -> None:
        before = self._changes[-1] if self._changes else None
        if before is None:
            self._go(_BEFORE_ALL, event.left, None)
        elif before.route is None:
            before.route = event.left
        cause = self._failures.pop(event.left, None)
        moved = self._is_away and before is not None and before.position != 0
        if not self._is_away:
            self._absences.append(Absence(time, event.left, event.reason, cause))
        self._note(lambda away: replace(away, end=None, how=None))
        self._go(time, f"{event.provider}/{event.model}", event.position)
        self.marks.append(Mark(time, MarkKind.MOVED if moved else MarkKind.LEFT, event, cause))
        self._unproved = self._lifted = False
        self.switches += 1

    def _restore(self, event: PrimaryRestored, time: float) -> None:
        self._go(time, f"{event.provider}/{event.model}", 0)
        how = Return.FORCED if event.forced else Return.VERDICT if self._lifted else Return.OPEN
        self._note(lambda away: replace(away, end=time, how=how))
        self._unproved, self._lifted = True, False
        self.switches += 1

    def _take_chain(self, event: ChainTaken, time: float) -> None:
        """Follow the session to where it goes on; a journal of an earlier version does not say where."""
        before = self._changes[-1] if self._changes else None
        if event.primary is None or event.position is None:
            if before is not None and before.position != 0 and before.route not in event.chain:
                self._go(time, None, None)
            return
        route = (event.primary, *event.chain)[event.position]
        if before is None or (before.route, before.position) != (route, event.position):
            self._go(time, route, event.position)
        if event.position == 0:
            self._note(lambda away: replace(away, end=time, how=Return.CHAIN, verified_at=time))

    def not_after(self, time: float) -> None:
        """Take everything that was noted later than `time` to it: the clock was set back."""
        self.created = _capped(self.created, time)
        for change in self._changes:
            change.time = min(change.time, time)
        self.marks = [mark.not_after(time) for mark in self.marks]
        self._absences = [
            replace(
                absence,
                start=min(absence.start, time),
                end=_capped(absence.end, time),
                verified_at=_capped(absence.verified_at, time),
            )
            for absence in self._absences
        ]

    def spans(self, session: Session, begin: float, now: float) -> tuple[Span, ...]:
        """Return the time from `begin` to `now` as spans that touch each other, ending where the row says it stands.

        What no event tells of is unknown.
        """
        changes = self._known(session, begin, now)
        spans = [Span(begin, changes[0].time, None, None)] if changes[0].time > begin else []
        ends = [*(change.time for change in changes[1:]), now]
        for change, end in zip(changes, ends, strict=True):
            start = max(change.time, begin)
            before = spans[-1] if spans else None
            if before is not None and (before.route, before.position) == (change.route, change.position):
                spans[-1] = replace(before, end=max(end, before.end))
            elif end > start or change is changes[-1]:
                spans.append(Span(start, end, change.route, change.position))
        return tuple(spans)

    def _known(self, session: Session, begin: float, now: float) -> list[_Change]:
        told = [_placed(change, session) for change in self._changes if change.time <= now]
        route, position = str(session.active), session.position
        if told and told[-1].route == route:
            return [*told[:-1], _Change(told[-1].time, route, position)]
        last = max(told[-1].time, begin) if told else begin
        left = session.departure.at if session.on_fallback and session.departure else last
        return [*told, _Change(min(max(left, last) if told else left, now), route, position)]

    def absences(self, session: Session, spans: tuple[Span, ...], now: float) -> tuple[Absence, ...]:
        """Return the absences with the time on each route; one that the row knows to be over has ended."""
        return tuple(_told(absence, session, spans, now) for absence in self._absences if absence.start <= now)


def _failed_again(away: Absence) -> Absence:
    return replace(away, end=None, how=None, failed_restores=away.failed_restores + 1)


def _placed(change: _Change, session: Session) -> _Change:
    """Return a change with its place, where the journal does not tell it and the route is the primary."""
    unplaced = change.position is None and change.route == str(session.requested)
    return _Change(change.time, change.route, 0) if unplaced else change


def _told(absence: Absence, session: Session, spans: tuple[Span, ...], now: float) -> Absence:
    back = absence.end is None and session.position == 0 and spans[-1].start >= absence.start
    ended = spans[-1].start if back else absence.end
    end = now if ended is None else ended
    within = tuple(
        replace(span, start=max(span.start, absence.start), end=min(span.end, end))
        for span in spans
        if span.start < end and span.end > absence.start and span.position != 0
    )
    return replace(absence, end=ended, served=served(within))


def _capped(at: float | None, time: float) -> float | None:
    return None if at is None else min(at, time)
