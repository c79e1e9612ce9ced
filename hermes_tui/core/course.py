"""The course of a session: which route served when, what moved it, who cooled down meanwhile, what is known to come.

All times are epoch seconds.
"""

from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum

from hermes_tui.core.cooldown import Said
from hermes_tui.core.event import AttemptFailed, Event
from hermes_tui.core.facts import Facts
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.judging import judged
from hermes_tui.core.pool import row_of
from hermes_tui.core.session import Session
from hermes_tui.core.text import PlainText
from hermes_tui.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """Requests went to `route` from `start` to `end`; `position` is its place in the chain, 0 the primary.

    Where the journal does not tell, both are None.
    """

    start: float
    end: float
    route: str | None
    position: int | None

    @property
    def seconds(self) -> float:
        """How long it was."""
        return self.end - self.start


class MarkKind(StrEnum):
    """What happened at a moment of a course."""

    CREATED = "created"
    LEFT = "left"
    MOVED = "moved"
    RESTORED = "restored"
    VERIFIED = "verified"
    FAILED_AGAIN = "failed_again"
    EXHAUSTED = "exhausted"
    FAILED = "failed"
    ACT = "act"
    CHAIN = "chain"
    QUOTA = "quota"
    NO_QUOTA = "no_quota"
    UNKNOWN = "unknown"
    CONTRADICTED = "contradicted"
    BENCHED = "benched"
    LIFTED = "lifted"
    CLOCK = "clock"

    @property
    def words(self) -> str:
        """The kind as a person reads it."""
        return "you" if self is MarkKind.ACT else self.value.replace("_", " ")


@dataclass(frozen=True, slots=True)
class Mark:
    """One moment: its event, and the failed request that caused it, if one did."""

    time: float
    kind: MarkKind
    event: Event
    cause: AttemptFailed | None = None

    def not_after(self, time: float) -> "Mark":
        """Return the mark at `time` at the latest."""
        return self if self.time <= time else replace(self, time=time)


@dataclass(frozen=True, slots=True)
class Cooling:
    """A credential was not tried from `start` to `end`, which may lie ahead; None: it is dead, and stays so."""

    provider: str
    credential: str
    model: str | None
    start: float
    end: float | None
    source: Said
    reason: FailureKind
    approximate: bool = False

    def covers(self, start: float, end: float) -> bool:
        """Tell whether it falls into the time from `start` to `end`."""
        return self.start <= end and (self.end is None or self.end > start)

    def carried_over(self, step: float, time: float) -> "Cooling":
        """Return the same after the clock was set by `step`, to `time`.

        What is over was over then; what is left of an assumed cooldown stays the same, a provider's date stands (M23).
        """
        end = self.end
        if end is not None and end <= time - step:
            end = min(end, time)
        elif end is not None and self.source is Said.ASSUMED:
            end += step
        return replace(self, start=min(self.start, time), end=end)


class Return(StrEnum):
    """How a session came back to its primary."""

    VERDICT = "verdict"
    FORCED = "forced"
    OPEN = "open"
    CHAIN = "chain"


@dataclass(frozen=True, slots=True)
class Absence:
    """A time away from the primary, failed restores included, up to the restore that a reply verified.

    `end` is None while it lasts, `verified_at` until a reply came. `failed_requests` are those that the primary
    refused meanwhile. `served` holds the seconds on each route.
    """

    start: float
    left: str
    reason: PlainText
    cause: AttemptFailed | None
    end: float | None = None
    how: Return | None = None
    verified_at: float | None = None
    failed_restores: int = 0
    failed_requests: int = 0
    served: tuple[tuple[str, float], ...] = ()


class AheadKind(StrEnum):
    """What is known to come."""

    RESET = "reset"
    CHECK = "next_check"
    RUN = "next_run"

    @property
    def words(self) -> str:
        """The kind as a person reads it."""
        return self.value.replace("_", " ")


@dataclass(frozen=True, slots=True)
class Ahead:
    """Something known to come at `at`; `approximate` marks a date that nobody said for certain."""

    at: float
    kind: AheadKind
    text: PlainText
    approximate: bool = False


@dataclass(frozen=True, slots=True)
class Course:
    """One session from `since` to `until`, which is now. Spans touch each other and cover all of it."""

    session: str
    since: float
    until: float
    spans: tuple[Span, ...]
    marks: tuple[Mark, ...] = ()
    coolings: tuple[Cooling, ...] = ()
    absences: tuple[Absence, ...] = ()
    ahead: tuple[Ahead, ...] = ()
    switches: int = 0

    @property
    def failed_restores(self) -> int:
        """How often the primary failed right after it was put back."""
        return sum(absence.failed_restores for absence in self.absences)

    @property
    def failed_requests(self) -> int:
        """How many requests the primary refused while the session was away from it."""
        return sum(absence.failed_requests for absence in self.absences)

    @property
    def served(self) -> tuple[tuple[str, float], ...]:
        """The seconds on each route, in the order of their first use."""
        return served(self.spans)


def served(spans: tuple[Span, ...]) -> tuple[tuple[str, float], ...]:
    """Return the seconds on each route that the journal tells of, in the order of their first use."""
    seconds: dict[str, float] = {}
    for span in spans:
        if span.route is not None:
            seconds[span.route] = seconds.get(span.route, 0.0) + span.seconds
    return tuple(seconds.items())


def present_coolings(facts: Facts, session: Session, now: float) -> Iterator[Cooling]:
    """Yield what keeps the credentials of the session's primary from serving it now, and until when."""
    pool = facts.configuration.pool(session.requested.pool) if facts.configuration else None
    for member in pool.members if pool else ():
        row = row_of(facts, pool, member) if pool else None
        if pool is None or row is None or member.fault:
            continue
        bench = row.benched_for(session.requested.model, now)
        if row.death is not None:
            death = row.death
            yield Cooling(pool.provider, member.label, None, death.at, None, Said.PROVIDER, death.reason)
        elif bench is not None:
            model = session.requested.model if bench is not row.cooldown else None
            start, end, approximate = bench.since, bench.until, bench.approximate
            yield Cooling(pool.provider, member.label, model, start, end, bench.source, bench.reason, approximate)


def ahead(facts: Facts, session: Session, now: float) -> tuple[Ahead, ...]:
    """Return what is known to come: the resets of the primary's credentials, its gates, the next run; soonest first."""
    found = [
        Ahead(cooling.end, AheadKind.RESET, _reset(cooling), cooling.approximate)
        for cooling in present_coolings(facts, session, now)
        if cooling.end is not None
    ]
    dates = {one.at for one in found}
    found += [
        Ahead(gate.changes_at, AheadKind.CHECK, gate.text, gate.approximate)
        for gate in judged(facts, session, now)[0].gates
        if not gate.passed and gate.changes_at is not None and gate.changes_at > now and gate.changes_at not in dates
    ]
    if session.next_run_at is not None and session.next_run_at > now:
        found.append(Ahead(session.next_run_at, AheadKind.RUN, PlainText(f"{session.name} runs by itself")))
    return tuple(sorted(found, key=lambda one: one.at))


def _reset(cooling: Cooling) -> PlainText:
    said = "the provider's date" if cooling.source is Said.PROVIDER else "a date assumed here"
    name = f"{cooling.provider}/{cooling.credential}"
    return PlainText(f"{name} can be used again, {cooling.reason.words} over ({said})")
