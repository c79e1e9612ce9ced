"""Pools: which credential serves next, when any returns, and who may be lifted early (M15 ... M20)."""

from collections.abc import Callable, Collection
from dataclasses import replace

from hermes_tui.core.configuration import Member, Pool, Strategy
from hermes_tui.core.cooldown import Cooldown, Said
from hermes_tui.core.credential import Credential, CredentialKey, TokenKey
from hermes_tui.core.decision import Decision, Record, nothing
from hermes_tui.core.event import RequestSent
from hermes_tui.core.facts import Facts, shared
from hermes_tui.core.failure import Failure, FailureKind, Scope
from hermes_tui.core.route import Route
from hermes_tui.core.text import PlainText
from hermes_tui.core.values import dataclass
from hermes_tui.core.verdict import Subject, VerdictKey


@dataclass(frozen=True, slots=True)
class UsableNow:
    """At least one credential can serve."""


@dataclass(frozen=True, slots=True)
class ReturnsAt:
    """The first credential returns at `until` (epoch seconds), by its cooldown."""

    until: float
    cooldown: Cooldown


@dataclass(frozen=True, slots=True)
class NobodyCanSay:
    """No credential will return by itself; `reason` says why."""

    reason: PlainText


Outlook = UsableNow | ReturnsAt | NobodyCanSay


@dataclass(frozen=True, slots=True)
class Asker:
    """On whose behalf a pool is asked: a session, what failed in its turn, and whether cooldowns are set aside."""

    session: str
    failed: Collection[TokenKey] = ()
    forced: bool = False


@dataclass(frozen=True, slots=True)
class NoneUsable:
    """A pool has no credential for this request: why, and when that changes."""

    outlook: ReturnsAt | NobodyCanSay

    @property
    def until(self) -> float | None:
        """When the first credential returns, None where nobody can say."""
        return self.outlook.until if isinstance(self.outlook, ReturnsAt) else None


@dataclass(frozen=True, slots=True)
class Selected:
    """The credential that the next request is sent with."""

    key: CredentialKey
    member: Member


@dataclass(frozen=True, slots=True)
class Candidate:
    """A credential as one that may serve a model."""

    pool: Pool
    member: Member
    model: str

    @property
    def key(self) -> CredentialKey:
        """The credential's identity."""
        return CredentialKey(self.pool.name, self.member.label)

    @property
    def token(self) -> TokenKey:
        """The identity of the row that is about it."""
        return TokenKey(self.pool.name, self.member.label, self.member.fingerprint)

    @property
    def subject(self) -> Subject:
        """What a verdict, a hold and a trial of it are about."""
        return Subject(self.pool.provider, self.member.account, self.model)

    @property
    def verdict_key(self) -> VerdictKey:
        """The identity under which a verdict about it is cached (M35)."""
        return VerdictKey(*self.subject, self.member.fingerprint)


def holds_trial(facts: Facts, candidate: Candidate, session: str, now: float) -> bool:
    """Tell whether the candidate serves `session`, and it alone, on trial (M32)."""
    trial = facts.trials.get(candidate.subject)
    return trial is not None and trial.runs(now) and (trial.label, trial.session) == (candidate.member.label, session)


def row_of(facts: Facts, pool: Pool, member: Member) -> Credential:
    """Return the row of the credential's token; one that nothing is known of starts afresh."""
    row = facts.credentials.get(TokenKey(pool.name, member.label, member.fingerprint))
    return row or Credential(CredentialKey(pool.name, member.label), member.fingerprint)


@shared
def next_available_at(facts: Facts, pool: Pool, model: str, now: float) -> Outlook:
    """Return when any credential of `pool` can serve `model`: now, at a time, or nobody can say (M20)."""
    if not pool.members:
        return NobodyCanSay(PlainText(f"no credential is configured for {pool.provider}"))
    bench = facts.bench(pool, model)
    if bench.free(now):
        return UsableNow()
    first = bench.first_to_return(now)
    cooldown = row_of(facts, pool, first).benched_for(model, now) if first is not None else None
    if cooldown is not None:
        return ReturnsAt(cooldown.until, cooldown)
    faults = [member.fault for member in pool.members if member.fault]
    reason = faults[-1] if faults else f"every credential of {pool.provider} is dead: sign in again"
    return NobodyCanSay(PlainText(reason))


def is_sole(facts: Facts, pool: Pool, member: Member) -> bool:
    """Tell whether the pool has no other live credential (M15); those of one account count as one."""
    others = (other for other in pool.members if other.label != member.label and not other.same_account(member))
    return not any(_lives(facts, pool, other) for other in others)


def concerned(facts: Facts, candidate: Candidate, scope: Scope) -> tuple[Candidate, ...]:
    """Return the candidate, and whatever else a failure of `scope` that it met is about (M17).

    That is the same token under another name, in this or another pool, and for an account each of its tokens.
    """

    def alike(member: Member) -> bool:
        if scope is Scope.ACCOUNT:
            return member.same_account(candidate.member)
        return member.fingerprint == candidate.member.fingerprint != ""

    pools = facts.configuration.pools if facts.configuration else ()
    others = (
        Candidate(pool, member, candidate.model)
        for pool in pools
        if pool.provider == candidate.pool.provider
        for member in pool.members
        if alike(member)
    )
    return (candidate, *(other for other in others if other.token != candidate.token))


def usable(facts: Facts, pool: Pool, model: str, now: float, asker: Asker) -> tuple[Member, ...]:
    """Return the members that may serve the asker now, in the file's order.

    A credential on trial serves its holder alone (M32); one that failed in this turn is left out (M18); a forced
    request sets cooldowns aside, the dead apart (M39).
    """

    if asker.forced:
        serving = [member for member in pool.members if _lives(facts, pool, member)]
    else:
        serving = facts.bench(pool, model).free(now)
        if held := _held_by(facts, pool, model, asker.session, now):
            labels = {member.label for member in (*serving, *held)}
            serving = [member for member in pool.members if member.label in labels]
    if not asker.failed:
        return tuple(serving)
    return tuple(m for m in serving if TokenKey(pool.name, m.label, m.fingerprint) not in asker.failed)


def _held_by(facts: Facts, pool: Pool, model: str, session: str, now: float) -> list[Member]:
    """Return the members that serve `session` on trial, whatever their date (M32)."""
    labels = {trial.label for trial in facts.trials.values() if trial.session == session and trial.runs(now)}
    return [
        member
        for member in (pool.members if labels else ())
        if member.label in labels
        and _lives(facts, pool, member)
        and holds_trial(facts, Candidate(pool, member, model), session, now)
    ]


def _lives(facts: Facts, pool: Pool, member: Member) -> bool:
    return not member.fault and row_of(facts, pool, member).death is None


def select(
    facts: Facts, route: Route, pool: Pool, asker: Asker, *, now: float, attempt: int, dice: Callable[[], float]
) -> Decision[Selected | NoneUsable]:
    """Choose the credential of the next request and count it (M18), clearing its cooldowns that have elapsed.

    `dice` returns a number in [0, 1) and is thrown by the `random` strategy alone.
    """
    waiting = replace(asker, forced=False) if asker.forced else asker
    candidates = usable(facts, pool, route.model, now, waiting)
    if not candidates and asker.forced:
        candidates = usable(facts, pool, route.model, now, asker)
    if not candidates:
        return nothing(none_usable(facts, pool, route.model, now))
    member = _by_strategy(facts, pool, candidates, dice)
    row = row_of(facts, pool, member)
    row = replace(without_elapsed(row, now), request_count=row.request_count + 1, last_used_at=now)
    sent = RequestSent(
        time=now,
        session=asker.session,
        provider=route.provider,
        model=route.model,
        credential=member.label,
        attempt=attempt,
    )
    return Decision(Selected(row.key, member), (Record(sent, (row,)),))


def none_usable(facts: Facts, pool: Pool, model: str, now: float) -> NoneUsable:
    """Return why nothing of `pool` serves now; what is usable but failed in this turn counts as failed."""
    outlook = next_available_at(facts, pool, model, now)
    if isinstance(outlook, UsableNow):
        return NoneUsable(NobodyCanSay(PlainText("every credential has failed in this turn")))
    return NoneUsable(outlook)


def without_elapsed(row: Credential, now: float) -> Credential:
    """Return `row` without the cooldowns whose date has passed."""
    kept = tuple(pair for pair in row.model_cooldowns if pair[1].ahead(now))
    cooldown = row.cooldown if row.cooldown is not None and row.cooldown.ahead(now) else None
    if len(kept) == len(row.model_cooldowns) and cooldown is row.cooldown:
        return row
    return replace(row, cooldown=cooldown, model_cooldowns=kept)


def _by_strategy(facts: Facts, pool: Pool, candidates: tuple[Member, ...], dice: Callable[[], float]) -> Member:
    match pool.strategy:
        case Strategy.FILL_FIRST:
            return candidates[0]
        case Strategy.ROUND_ROBIN:
            return min(candidates, key=lambda member: row_of(facts, pool, member).last_used_at or 0.0)
        case Strategy.LEAST_USED:
            return min(candidates, key=lambda member: row_of(facts, pool, member).request_count)
        case Strategy.RANDOM:
            return candidates[int(dice() * len(candidates))]


def may_reopen(
    facts: Facts, pool: Pool, model: str, now: float, failed: Collection[TokenKey] = ()
) -> tuple[Candidate, ...]:
    """Return the candidates whose bench a usage endpoint may shorten: limits only, never auth, billing or the dead."""
    limited = _limited(facts, pool, model, now) if pool.reopens_early else ()
    return tuple(candidate for candidate in limited if candidate.token not in failed) if failed else limited


@shared
def _limited(facts: Facts, pool: Pool, model: str, now: float) -> tuple[Candidate, ...]:
    def limited(member: Member) -> bool:
        bench = row_of(facts, pool, member).benched_for(model, now)
        return bench is not None and bench.reason.is_limit and _lives(facts, pool, member)

    return tuple(Candidate(pool, member, model) for member in pool.members if limited(member))


def failure_of(none: NoneUsable) -> Failure:
    """Return the failure that a pool without a usable credential is to the turn that asked."""
    if isinstance(none.outlook, ReturnsAt):
        bench = none.outlook.cooldown
        return Failure(bench.reason, Scope.CREDENTIAL, PlainText("every credential cools down"), bench.code)
    return Failure(FailureKind.NO_CREDENTIAL, Scope.CREDENTIAL, none.outlook.reason)


def said_by(outlook: Outlook) -> Said:
    """Return who stands behind an outlook's date."""
    return outlook.cooldown.source if isinstance(outlook, ReturnsAt) else Said.ASSUMED
