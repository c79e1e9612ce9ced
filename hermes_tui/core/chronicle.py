"""The chronicle: events in the journal's order, folded into the course of every session.

The journal may begin in the middle, lack events and know others; what it does not tell stays unknown. A clock that was
set back takes what was noted later than its new time to that time. All times are epoch seconds.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from heapq import merge
from typing import Final

from hermes_tui.core.course import Cooling, Course, Mark, MarkKind, Span, ahead, present_coolings
from hermes_tui.core.event import (
    ActPerformed,
    ClockStepped,
    CredentialBenched,
    CredentialLifted,
    CredentialReplaced,
    Event,
    VerdictContradicted,
    VerdictReceived,
)
from hermes_tui.core.facts import Facts
from hermes_tui.core.session import Session
from hermes_tui.core.track import Track
from hermes_tui.core.verdict import Verdict

_VERDICTS: Final = {
    Verdict.QUOTA: MarkKind.QUOTA,
    Verdict.NO_QUOTA: MarkKind.NO_QUOTA,
    Verdict.UNKNOWN: MarkKind.UNKNOWN,
}


@dataclass(slots=True)
class Chronicle:
    """Takes events one by one, and tells the course of a session at any time.

    `since` is how far back it reaches, None where that is the first event's time.
    """

    since: float | None = None
    _tracks: dict[str, Track] = field(default_factory=dict)
    _coolings: dict[tuple[str, str], list[Cooling]] = field(default_factory=dict)
    _providers: defaultdict[str, list[Mark]] = field(default_factory=lambda: defaultdict(list))
    _clocks: list[Mark] = field(default_factory=list)
    _last: float = float("-inf")

    def add(self, events: Iterable[Event]) -> None:
        """Take note of events, the newest last."""
        for event in events:
            if self.since is None:
                self.since = event.time
            if isinstance(event, ClockStepped):
                self._step(event)
                continue
            self._last = time = max(event.time, self._last)
            self._note_account(event, time)
            if event.session is not None:
                self._tracks.setdefault(event.session, Track()).follow(event, time)

    def _step(self, event: ClockStepped) -> None:
        """Go on at the clock's new time."""
        if event.time < self._last:
            for track in self._tracks.values():
                track.not_after(event.time)
            for marks in (*self._providers.values(), self._clocks):
                marks[:] = [mark.not_after(event.time) for mark in marks]
        for coolings in self._coolings.values():
            coolings[:] = [one.carried_over(event.step, event.time) for one in coolings]
        self._last = event.time
        self._clocks.append(Mark(event.time, MarkKind.CLOCK, event))

    def _note_account(self, event: Event, time: float) -> None:
        """Take note of what concerns every session with a credential of its provider."""
        match event:
            case VerdictReceived(provider=provider, verdict=verdict):
                self._mark(provider, _VERDICTS[verdict], event, time)
            case VerdictContradicted(provider=provider):
                self._mark(provider, MarkKind.CONTRADICTED, event, time)
            case CredentialBenched(provider=provider):
                self._mark(provider, MarkKind.BENCHED, event, time)
                self._bench(event, time)
            case CredentialLifted(provider=provider, credential=label, model=model, on_trial=on_trial):
                self._mark(provider, MarkKind.LIFTED, event, time)
                if not on_trial:
                    self._free(provider, label, model, time)
            case CredentialReplaced(provider=provider, credential=label):
                self._free(provider, label, None, time)
            case ActPerformed(session=None, act="reset_cooldown", target=target):
                provider, _, label = target.partition("/")
                self._mark(provider, MarkKind.ACT, event, time)
                self._free(provider, label, None, time)

    def _mark(self, provider: str, kind: MarkKind, event: Event, time: float) -> None:
        self._providers[provider].append(Mark(time, kind, event))

    def _bench(self, event: CredentialBenched, time: float) -> None:
        """Begin a cooldown, or go on with the one that has not ended (M16)."""
        coolings = self._coolings.setdefault((event.provider, event.credential), [])
        last = coolings[-1] if coolings and coolings[-1].model == event.model else None
        goes_on = last is not None and last.covers(time, time)
        cooling = Cooling(
            provider=event.provider,
            credential=event.credential,
            model=event.model,
            start=last.start if last is not None and goes_on else time,
            end=None if event.until is None else max(event.until, time),
            source=event.source,
            reason=event.reason,
            approximate=event.approximate,
        )
        coolings[len(coolings) - goes_on :] = [cooling]

    def _free(self, provider: str, label: str, model: str | None, time: float) -> None:
        """End what keeps a credential from serving `model`; None ends all."""
        coolings = self._coolings.get((provider, label), [])
        coolings[:] = [
            replace(one, end=time) if one.covers(time, time) and (model is None or one.model in (None, model)) else one
            for one in coolings
        ]

    def spans(self, session: Session, now: float) -> tuple[Span, ...]:
        """Return which route served `session` when, up to `now`."""
        track = self._tracks.get(session.name, Track())
        begin = min(max((at for at in (self.since, track.created) if at is not None), default=now), now)
        return track.spans(session, begin, now)

    def course(self, facts: Facts, session: Session, now: float) -> Course:
        """Return the course of `session` up to `now`, with what `facts` say of the present and of what comes."""
        track, spans = self._tracks.get(session.name, Track()), self.spans(session, now)
        begin = spans[0].start
        of_provider = self._providers.get(session.requested.provider, ())
        marks = merge(track.marks, of_provider, self._clocks, key=lambda mark: mark.time)
        return Course(
            session=session.name,
            since=begin,
            until=now,
            spans=spans,
            marks=tuple(mark for mark in marks if begin <= mark.time <= now),
            coolings=self._cooled(facts, session, now),
            absences=track.absences(session, spans, now),
            ahead=ahead(facts, session, now),
            switches=track.switches,
        )

    def _cooled(self, facts: Facts, session: Session, now: float) -> tuple[Cooling, ...]:
        """Return the cooldowns of the primary's pool: the past ones as told, the present ones as they stand."""
        provider, model = session.requested.provider, session.requested.model
        present = {cooling.credential: cooling for cooling in present_coolings(facts, session, now)}
        past: list[Cooling] = []
        for (whose, label), coolings in self._coolings.items():
            for one in coolings if whose == provider else ():
                standing = present.get(label)
                if one.model not in (None, model) or one.start >= now:
                    continue
                if standing is not None and one.covers(standing.start, now):
                    present[label] = replace(standing, start=min(one.start, standing.start))
                else:
                    past.append(replace(one, end=now if one.end is None else min(one.end, now)))
        return tuple(sorted((*past, *present.values()), key=lambda one: (one.credential, one.start)))
