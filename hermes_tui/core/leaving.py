"""Leaving a route: the session's own cooldown, the walk along the chain, and the end of it (M6 ... M8, M22)."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from hermes_tui.core.advice import advice
from hermes_tui.core.believing import abandoned
from hermes_tui.core.cooldown import Said
from hermes_tui.core.decision import Decision, Record
from hermes_tui.core.event import FallbackActivated, FallbackSkipped, RestoreFailed, TurnFailed
from hermes_tui.core.facts import Facts
from hermes_tui.core.failure import Failure, FailureKind, Scope
from hermes_tui.core.known_providers import provider_behind
from hermes_tui.core.pool import NoneUsable, Outlook, ReturnsAt, UsableNow, next_available_at, said_by
from hermes_tui.core.route import Link, Route
from hermes_tui.core.session import (
    Departure,
    Exhaustion,
    Phase,
    RouteHold,
    Session,
    SessionCooldown,
    SkipReason,
    Tried,
    WaitKind,
)
from hermes_tui.core.text import PlainText
from hermes_tui.core.values import dataclass

LIMIT_LADDER_SECONDS: Final = (60.0, 4 * 3600.0)
FAILING_LADDER_SECONDS: Final = (15.0, 600.0)


def ladder(first_and_cap: tuple[float, float], hits: int) -> float:
    """Return the seconds of hold number `hits` (from 0): doubling from the first, up to the cap."""
    first, cap = first_and_cap
    return min(cap, first * 2.0 ** min(hits, 32))


def leave_primary(session: Session, failure: Failure, credential: str | None, outlook: Outlook, now: float) -> Session:
    """Return the session as it leaves its primary: departure and its own cooldown armed (M22).

    `outlook` is the primary's pool after the failure; its date outranks the ladder for limits and billing.
    """
    departure = Departure(now, failure.kind, failure.status, credential, failure.message)
    after = replace(session, departure=departure, wait_recorded=False, home_at=None)
    if not failure.kind.is_limit_or_billing:
        wait = ladder(FAILING_LADDER_SECONDS, session.failing_hits)
        cooldown = SessionCooldown(WaitKind.FAILING, now, now + wait, Said.ASSUMED, approximate=True)
        return replace(after, cooldown=cooldown, failing_hits=session.failing_hits + 1)
    if isinstance(outlook, ReturnsAt):
        until, approximate = outlook.until, outlook.cooldown.approximate
    else:
        until, approximate = now + ladder(LIMIT_LADDER_SECONDS, session.limit_hits), True
    cooldown = SessionCooldown(WaitKind.LIMIT, now, until, said_by(outlook), approximate)
    return replace(after, cooldown=cooldown, limit_hits=session.limit_hits + 1)


def hold_route(session: Session, route: Route, failure: Failure, now: float) -> Session:
    """Return the session with a short hold on a fallback route that failed (M22)."""
    before = next((hold for hold in session.holds if hold.route == route.key), None)
    failures = (before.failures if before else 0) + 1
    hold = RouteHold(route.key, now + ladder(FAILING_LADDER_SECONDS, failures - 1), failures, failure.kind)
    others = tuple(other for other in session.holds if other.route != route.key)
    return replace(session, holds=(*others, hold))


@dataclass(frozen=True, slots=True)
class Skip:
    """A chain entry that is passed over: why, and until when (epoch seconds) where it ends by itself.

    `approximate` marks a date that nobody said for certain.
    """

    kind: SkipReason
    reason: PlainText
    until: float | None = None
    approximate: bool = False

    @property
    def ends_by_itself(self) -> bool:
        """Whether time alone may change it."""
        return self.kind in (SkipReason.COOLING, SkipReason.ON_HOLD)


def why_skip(
    facts: Facts, session: Session, link: Link, *, tried: Collection[Route], tokens: int, now: float
) -> Skip | None:
    """Return why a chain entry is passed over (M7), None where it is to be tried.

    `tried` are the routes that this walk need not repeat, `tokens` the size of the conversation. A pool that may
    reopen early is not passed over for cooling: its selection decides.
    """
    route = link.route
    if not route.provider or not route.model:
        missing = "provider" if not route.provider else "model"
        return Skip(SkipReason.INCOMPLETE, PlainText(f"the entry has no {missing}"))
    if link.fault:
        return Skip(SkipReason.NOT_CONFIGURED, PlainText(link.fault))
    configuration = facts.configuration
    if configuration is not None and any(configuration.repeats(route, other) for other in tried):
        return Skip(SkipReason.ALREADY_TRIED, PlainText("the same backend as one already tried"))
    if route.context_length is not None and tokens > route.context_length:
        return Skip(
            SkipReason.TOO_SMALL,
            PlainText(f"its window of {route.context_length} tokens cannot hold about {tokens}"),
        )
    hold = session.hold_on(route, now)
    if hold is not None:
        return Skip(SkipReason.ON_HOLD, PlainText(f"failed just now: {hold.reason.words}"), hold.until)
    return _why_skip_pool(facts, route, now)


def _why_skip_pool(facts: Facts, route: Route, now: float) -> Skip | None:
    pool = facts.configuration.pool(route.pool) if facts.configuration else None
    if pool is None:
        return Skip(SkipReason.NOT_CONFIGURED, PlainText(f"provider {route.provider} is not configured"))
    outlook = next_available_at(facts, pool, route.model, now)
    if isinstance(outlook, UsableNow) or (pool.reopens_early and isinstance(outlook, ReturnsAt)):
        return None
    return skip_for(NoneUsable(outlook))


def skip_for(none: NoneUsable) -> Skip:
    """Return the skip that a pool without a usable credential stands for."""
    if isinstance(none.outlook, ReturnsAt):
        reason = PlainText(f"cooling: {none.outlook.cooldown.reason.words}")
        return Skip(SkipReason.COOLING, reason, none.outlook.until, none.outlook.cooldown.approximate)
    return Skip(SkipReason.NO_CREDENTIAL, none.outlook.reason)


def skipped(session: Session, position: int, skip: Skip, now: float) -> Record:
    """Return the record of a skip, with its reason (M7)."""
    route = session.chain[position - 1].route
    event = FallbackSkipped(
        time=now,
        session=session.name,
        position=position,
        provider=route.provider,
        model=route.model,
        kind=skip.kind,
        reason=skip.reason,
        until=skip.until,
        approximate=skip.approximate,
    )
    return Record(event)


@dataclass(frozen=True, slots=True)
class Leave:
    """Why the active route is left: the failure, and the credential that met it."""

    failure: Failure
    credential: str | None = None

    def apply(self, facts: Facts, session: Session, now: float) -> Session:
        """Return the session with what leaving its active route arms (M22).

        A session without a chain has nowhere to wait, so its primary is not kept from it.
        """
        if session.on_fallback:
            return hold_route(session, session.active, self.failure, now)
        if session.forced_at is not None and session.forced_at <= (session.turn_started_at or now):
            session = replace(session, forced_at=None)
        pool = facts.configuration.pool(session.requested.pool) if facts.configuration else None
        if pool is None or not session.chain:
            return session
        outlook = next_available_at(facts, pool, session.requested.model, now)
        return leave_primary(session, self.failure, self.credential, outlook, now)


def _restore_failed(session: Session, leave: Leave | None, now: float) -> tuple[Record, ...]:
    """Return the record that a restore was not proved, where its route is left before any reply (M33)."""
    if leave is None or session.unverified_since is None or session.on_fallback:
        return ()
    event = RestoreFailed(
        time=now,
        session=session.name,
        provider=session.requested.provider,
        model=session.requested.model,
        kind=leave.failure.kind,
    )
    return (Record(event),)


def activate(facts: Facts, session: Session, position: int, leave: Leave | None, now: float) -> Decision[None]:
    """Move the session to chain entry `position` (from 1), which can serve (M6).

    `leave` None means that the route was left before: the walk of a new turn. A trial of the old route ends with it.
    """
    left, route = session.active, session.chain[position - 1].route
    after = leave.apply(facts, session, now) if leave else session
    after = replace(after, position=position, index=position, exhaustion=None, unverified_since=None)
    reason = PlainText(str(leave.failure) if leave else "the route in use is on hold")
    known = provider_behind(left.provider, left.base_url)
    meant = f" {advice(leave.failure.kind, known, leave.failure.scope)}" if leave else ""
    event = FallbackActivated(
        time=now,
        session=session.name,
        position=position,
        provider=route.provider,
        model=route.model,
        left=PlainText(str(left)),
        reason=reason,
        notice=PlainText(f"{left} is left ({reason}); {route} answers now.{meant}"),
    )
    rows = (after, *abandoned(facts, session.name))
    return Decision(None, (*_restore_failed(session, leave, now), Record(event, rows)))


def misconfigured(fault: str) -> Leave:
    """Return why a primary with `fault` is left without a request: none could be what the user meant (C81)."""
    return Leave(Failure(FailureKind.MISCONFIGURED, Scope.PROVIDER, PlainText(fault)))


@dataclass(frozen=True, slots=True)
class Passed:
    """A route of a walk that did not serve: why. `returns` tells whether time alone may change that."""

    route: Route
    reason: PlainText
    returns: bool = True


def returns_at(facts: Facts, session: Session, route: Route, now: float) -> float | None:
    """Return when a route may be tried again: hold and cooldown over, a credential usable. None: nobody knows."""
    pool = facts.configuration.pool(route.pool) if facts.configuration else None
    if pool is None:
        return None
    match next_available_at(facts, pool, route.model, now):
        case ReturnsAt(until=until):
            back = until
        case UsableNow():
            back = now
        case _:
            return None
    hold = session.hold_on(route, now)
    own = session.cooldown if route == session.requested else None
    return max(back, hold.until if hold else now, own.until if own else now)


def exhausted(
    facts: Facts, session: Session, passed: Sequence[Passed], leave: Leave | None, now: float
) -> Decision[None]:
    """Fail the turn: no route is left; the error lists each with its reason, and the earliest return (M8)."""
    after = leave.apply(facts, session, now) if leave else session
    tried = tuple(
        Tried(PlainText(str(one.route)), one.reason, returns_at(facts, after, one.route, now) if one.returns else None)
        for one in passed
    )
    earliest = min((entry.until for entry in tried if entry.until is not None), default=None)
    after = replace(
        after,
        index=0,
        exhaustion=Exhaustion(now, tried, earliest),
        phase=Phase.IDLE,
        turn_started_at=None,
        unverified_since=None,
    )
    lines = "; ".join(f"{entry.route}: {entry.reason}" for entry in tried)
    error = PlainText(f"No route could answer. {lines}.")
    event = TurnFailed(time=now, session=session.name, error=error, earliest=earliest, exhausted=True)
    rows = (after, *abandoned(facts, session.name))
    return Decision(None, (*_restore_failed(session, leave, now), Record(event, rows)))


def failed(facts: Facts, session: Session, error: PlainText, now: float) -> Decision[None]:
    """Fail the turn at once, with a reason that no other route would change."""
    after = replace(session, phase=Phase.IDLE, turn_started_at=None)
    event = TurnFailed(time=now, session=session.name, error=error, earliest=None)
    return Decision(None, (Record(event, (after, *abandoned(facts, session.name))),))
