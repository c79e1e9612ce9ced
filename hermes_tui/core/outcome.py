"""What one request's outcome makes true: benches, trials and holds, verified restores, and who comes home with it."""

import zlib
from dataclasses import replace
from typing import Final

from hermes_tui.core.believing import abandoned, cleared, contradict, settled
from hermes_tui.core.configuration import Configuration
from hermes_tui.core.cooldown import Cooldown, Said, cooldown_after, merged
from hermes_tui.core.credential import Death, Failed
from hermes_tui.core.decision import Decision, Record
from hermes_tui.core.event import (
    AttemptFailed,
    CredentialBenched,
    CredentialLifted,
    PrimaryVerified,
    TurnCompleted,
)
from hermes_tui.core.facts import Facts
from hermes_tui.core.failure import Failure, FailureKind, Scope
from hermes_tui.core.pool import Candidate, concerned, holds_trial, is_sole, row_of
from hermes_tui.core.route import Route
from hermes_tui.core.session import Message, Phase, Role, Session, WaitKind
from hermes_tui.core.text import PlainText
from hermes_tui.core.values import dataclass

HOMECOMING_SECONDS: Final = 5.0
"""The time over which sessions that waited for one credential return (M32)."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A request as it was sent: its outcome is attributed to this, whatever changed meanwhile (M10)."""

    session: str
    route: Route
    by: Candidate
    at: float


@dataclass(frozen=True, slots=True)
class Answer:
    """A complete reply: its text, token counts as the provider said them, and seconds to the first token."""

    text: PlainText
    first_token: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    issuer: str | None = None
    opaque: str | None = None


def request_failed(facts: Facts, sent: Sent, failure: Failure, *, now: float) -> Decision[frozenset[Failed]]:
    """Record a failed request; bench the credentials that it is about, and end the trial with them (M17).

    The value names their tokens: the same turn's next request could only fail with them again (M18). What is retried
    on the same credential keeps its trial, and its restore unproved: both end when the route is left.
    """
    failed = AttemptFailed(
        time=now,
        session=sent.session,
        provider=sent.route.provider,
        model=sent.route.model,
        credential=sent.by.member.label,
        status=failure.status,
        kind=failure.kind,
        message=failure.message,
        latency=now - sent.at,
    )
    session = facts.sessions[sent.session]
    after = _settled(session, sent)
    records = [Record(failed, (after,) if after is not session else ())]
    who = concerned(facts, sent.by, failure.scope)
    if failure.kind.benches and failure.scope is not Scope.PROVIDER:
        for candidate in who:
            records += _bench(facts, sent, candidate, failure, now)
    model = _benched_model(failure, sent.route)
    return Decision(frozenset(Failed(candidate.token, model) for candidate in who), tuple(records))


def _bench(facts: Facts, sent: Sent, candidate: Candidate, failure: Failure, now: float) -> tuple[Record, ...]:
    """Bench one of the credentials that a failure of `sent` is about."""
    row = replace(row_of(facts, candidate.pool, candidate.member), cleared_at=None)
    ended = settled(facts, candidate, sent.session, served=False, now=now)
    if failure.kind is FailureKind.AUTH_REVOKED:
        death = Death(now, failure.kind, failure.status, failure.message, sent.session)
        return (Record(_benched(sent, candidate, None, None, failure, now), (replace(row, death=death), *ended)),)
    sole = is_sole(facts, candidate.pool, candidate.member)
    new = cooldown_after(failure, now=now, session=sent.session, sole=sole)
    model = _benched_model(failure, sent.route)
    bench = merged(row.cooldown if model is None else row.model_cooldown(model), new, now)
    row = replace(row, cooldown=bench) if model is None else row.with_model_cooldown(model, bench)
    benched = Record(_benched(sent, candidate, model, bench, failure, now), (row, *ended))
    trial = facts.trials.get(sent.by.subject)
    lied = failure.kind.is_limit and trial is not None and holds_trial(facts, candidate, sent.session, sent.at)
    if not lied or trial is None:
        return (benched,)
    return (benched, *contradict(facts, trial, _configuration(facts).settings, bench=bench, now=now))


def _benched_model(failure: Failure, route: Route) -> str | None:
    """Return the model that a credential is benched for, None where it is for all (M17).

    What names the model is about the pair, and so is a limit that does not say whose it is.
    """
    named = failure.scope is Scope.MODEL and failure.kind.is_limit_or_billing
    unclear = failure.scope is Scope.REQUEST and failure.kind.is_limit
    return route.model if named or unclear else None


def _benched(
    sent: Sent, candidate: Candidate, model: str | None, bench: Cooldown | None, failure: Failure, now: float
) -> CredentialBenched:
    return CredentialBenched(
        time=now,
        session=sent.session,
        provider=candidate.pool.provider,
        credential=candidate.member.label,
        model=model,
        until=bench.until if bench else None,
        source=bench.source if bench else Said.PROVIDER,
        reason=failure.kind,
        code=failure.status,
        message=failure.message,
        approximate=bench.approximate if bench else False,
    )


def request_served(facts: Facts, sent: Sent, answer: Answer, *, now: float) -> Decision[Message]:
    """Record a complete reply: the conversation, the credential's end of cooldown, a verified restore (M32, M33)."""
    session = facts.sessions[sent.session]
    row = row_of(facts, sent.by.pool, sent.by.member)
    bench = _outlived(row.benched_for(sent.route.model, now), sent)
    message = Message(
        session=session.name,
        number=session.messages,
        role=Role.ASSISTANT,
        text=answer.text,
        at=now,
        route=PlainText(str(sent.route)),
        issuer=answer.issuer,
        opaque=answer.opaque,
    )
    completed = TurnCompleted(
        time=now,
        session=sent.session,
        provider=sent.route.provider,
        model=sent.route.model,
        credential=sent.by.member.label,
        text=answer.text,
        latency=now - sent.at,
        first_token=answer.first_token,
        input_tokens=answer.input_tokens,
        output_tokens=answer.output_tokens,
    )
    after = _served(_settled(session, sent), sent.route, now)
    free = cleared(row, sent.route.model) if bench is not None else row
    row = replace(free, last_served_at=now, cleared_at=None)
    trial_rows = settled(facts, sent.by, sent.session, served=True, now=now)
    trial_rows += abandoned(facts, sent.session, besides=sent.by.subject)
    records = [Record(completed, (after, row, message, *trial_rows))]
    if session.unverified_since is not None and sent.route == session.requested:
        verified = PrimaryVerified(time=now, session=sent.session, provider=sent.route.provider, model=sent.route.model)
        records.insert(0, Record(verified))
    if bench is not None:
        account_wide = facts.credentials[sent.by.token].cooldown is not None
        records.append(_proved(facts, sent, bench, now, model=None if account_wide else sent.route.model))
    return Decision(message, tuple(records))


def _settled(session: Session, sent: Sent) -> Session:
    """Return the session after the request that a force restore was asked for; one asked for later still waits."""
    was_it = session.forced_at is not None and session.forced_at <= sent.at and sent.route == session.requested
    return replace(session, forced_at=None) if was_it else session


def _served(session: Session, route: Route, now: float) -> Session:
    after = replace(
        session,
        phase=Phase.IDLE,
        turn_started_at=None,
        messages=session.messages + 1,
        unverified_since=None,
        exhaustion=None,
        holds=tuple(hold for hold in session.holds if hold.route != route.key and hold.until > now),
    )
    if route == session.requested:
        return replace(after, limit_hits=0, failing_hits=0, cooldown=None, departure=None)
    return after


def _outlived(bench: Cooldown | None, sent: Sent) -> Cooldown | None:
    """Return the bench that a reply proves over: one that was confirmed after the request went out stands."""
    return bench if bench is not None and bench.last_at <= sent.at else None


def _proved(facts: Facts, sent: Sent, bench: Cooldown, now: float, *, model: str | None) -> Record:
    lifted = CredentialLifted(
        time=now,
        session=sent.session,
        provider=sent.by.pool.provider,
        credential=sent.by.member.label,
        model=model,
        on_trial=False,
        by=PlainText(f"a reply to {sent.session}, {bench.reason.words} over"),
    )
    return Record(lifted, homecoming(facts, sent.by.pool.name, model, now, besides=sent.session, spread=True))


def homecoming(
    facts: Facts, pool: str, model: str | None, now: float, *, besides: str | None, spread: bool
) -> tuple[Session, ...]:
    """Return the sessions whose cooldown ends with a credential of `pool`: a limit's, or that of a key (M32, M41).

    `model` None means every model. With `spread` they come home over five seconds, each at a moment of its own.
    """

    def waits(session: Session) -> bool:
        same_pool = session.requested.pool == pool and model in (None, session.requested.model)
        cooldown, left = session.cooldown, session.departure
        for_the_key = left is not None and left.reason is not None and left.reason.is_about_the_key
        ahead = cooldown is not None and cooldown.until > now and (cooldown.kind is WaitKind.LIMIT or for_the_key)
        return session.name != besides and same_pool and ahead

    return tuple(
        replace(session, cooldown=None, home_at=now + _moment(session.name) if spread else None)
        for session in facts.sessions.values()
        if waits(session)
    )


def _moment(name: str) -> float:
    return zlib.crc32(name.encode()) % 1000 / 1000 * HOMECOMING_SECONDS


def _configuration(facts: Facts) -> Configuration:
    if facts.configuration is None:
        raise LookupError("a request was sent without a configuration")
    return facts.configuration
