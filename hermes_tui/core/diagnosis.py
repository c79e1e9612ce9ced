"""Diagnosis: why a session is where it is, from recorded facts, each with its time and source (M46)."""

from dataclasses import replace
from enum import StrEnum
from typing import Final

from hermes_tui.core.advice import remedy
from hermes_tui.core.believing import cached, held
from hermes_tui.core.configuration import Policy, Pool, RestoreMode, Settings
from hermes_tui.core.cooldown import Cooldown
from hermes_tui.core.credential import Credential
from hermes_tui.core.facts import Facts, shared
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.known_providers import provider_behind
from hermes_tui.core.pool import Candidate, NobodyCanSay, ReturnsAt, UsableNow, may_reopen, next_available_at, row_of
from hermes_tui.core.restoring import Step, WayBack, way_back
from hermes_tui.core.session import Session, WaitKind
from hermes_tui.core.text import PlainText
from hermes_tui.core.values import dataclass
from hermes_tui.core.verdict import CachedVerdict, TrialOutcome, Verdict, is_new_evidence


class Code(StrEnum):
    """The diagnoses, as `status --json` names them."""

    ON_PRIMARY = "on_primary"
    WAITING_FOR_RESET = "waiting_for_reset"
    RESTORE_DUE = "restore_due"
    LYING_PROBE = "lying_probe"
    PROBE_BLIND = "probe_blind"
    NO_EARLY_REOPEN = "no_early_reopen"
    OUT_OF_CREDIT = "out_of_credit"
    CREDENTIAL_DEAD = "credential_dead"
    PRIMARY_FAILING = "primary_failing"
    CONFIGURATION_FAULT = "configuration_fault"
    PINNED = "pinned"
    CHAIN_EXHAUSTED = "chain_exhausted"
    COOLDOWN_IN_MEMORY = "cooldown_in_memory"
    LIFT_NOT_SAVED = "lift_not_saved"
    CREDENTIAL_NOT_TRIED = "credential_not_tried"
    PRIMARY_FORGOTTEN = "primary_forgotten"


@dataclass(frozen=True, slots=True)
class Fact:
    """One recorded fact: what, when (epoch seconds, None where timeless), and who said it."""

    text: PlainText
    at: float | None
    source: PlainText


@dataclass(frozen=True, slots=True)
class NextChange:
    """What happens next, and when (epoch seconds, None where nobody can say)."""

    text: PlainText
    at: float | None


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The one answer to "why am I on the fallback?": its code, a sentence, the facts, what helps, what comes next."""

    code: Code
    text: PlainText
    helps: PlainText
    facts: tuple[Fact, ...] = ()
    next: NextChange | None = None


_HERE: Final = PlainText("hermes-tui")

_SENTENCES: Final = {
    Code.ON_PRIMARY: ("It is on its primary.", "Nothing to do."),
    Code.WAITING_FOR_RESET: (
        "The primary has run out; it comes back at its reset.",
        "Wait until the time shown, top up, or add a credential.",
    ),
    Code.RESTORE_DUE: (
        "The usage endpoint says that the quota is open again.",
        "It returns by itself at its next turn; or force restore now.",
    ),
    Code.LYING_PROBE: (
        "The usage endpoint says quota, but requests still answer 429.",
        "Don't force it each turn. Look for a limit of this model or of the organisation, or try another account.",
    ),
    Code.PROBE_BLIND: (
        "The usage endpoint gives no usable answer, so only the date counts.",
        "Refresh the token or fix the network, then probe again.",
    ),
    Code.NO_EARLY_REOPEN: (
        "The primary has run out, and this provider cannot be asked whether it reopened early.",
        "Wait until the time shown, or force restore.",
    ),
    Code.OUT_OF_CREDIT: ("The primary's account is out of credit or at its spend cap.", "Add credit."),
    Code.CREDENTIAL_DEAD: ("No credential of the primary is alive.", "Sign in again."),
    Code.PRIMARY_FAILING: (
        "The primary was left because it failed, not for a limit.",
        "It is tried again at the time shown; look at the errors.",
    ),
    Code.CONFIGURATION_FAULT: (
        "The primary cannot be used as configured.",
        "Mend the configuration file (Edit chain opens it).",
    ),
    Code.PINNED: ("It stays on this route because it was told to.", "Force restore, or change the policy."),
    Code.CHAIN_EXHAUSTED: (
        "No route could answer the last turn.",
        "Wait for the earliest return, or add a route to the chain.",
    ),
}


def diagnose(facts: Facts, session: Session, now: float, way: WayBack | None = None) -> Diagnosis:
    """Return the session's diagnosis at `now`; `way` is its way back, computed here where not given."""
    configuration = facts.configuration
    if configuration is None:
        return _diagnosis(Code.ON_PRIMARY)
    way = way or way_back(facts, session, now)
    pool, settings = configuration.pool(session.requested.pool), configuration.settings
    departed = (_departure_fact(session),) if session.departure else ()
    fault = _fault(session, pool)
    if fault is not None:
        return _diagnosis(Code.CONFIGURATION_FAULT, (Fact(fault, None, configuration.origin), *departed))
    if session.exhaustion is not None or pool is None:
        return _exhausted(session)
    if not session.on_fallback:
        return _diagnosis(Code.ON_PRIMARY, _unverified(session))
    if session.pinned or settings.restore is RestoreMode.STICKY:
        return _diagnosis(Code.PINNED, departed)
    code, evidence = _off_primary(facts, session, pool, settings, now)
    diagnosis = _diagnosis(code, (*departed, *evidence), _next(way, now))
    kind = _to_mend(code, session)
    if kind is not None:
        helps = remedy(kind, provider_behind(session.requested.provider, session.requested.base_url))
        return replace(diagnosis, helps=PlainText(_HELPS_TOO.get(code, "{0}").format(helps)))
    if code is Code.RESTORE_DUE and not evidence:
        return replace(diagnosis, text=PlainText("What kept it away is over."))
    return diagnosis


def _diagnosis(code: Code, facts: tuple[Fact, ...] = (), after: NextChange | None = None) -> Diagnosis:
    text, remedy = _SENTENCES[code]
    return Diagnosis(code, PlainText(text), PlainText(remedy), facts, after)


def _fault(session: Session, pool: Pool | None) -> PlainText | None:
    """Return what makes the primary unusable as configured, if anything does."""
    if session.requested_fault:
        return PlainText(session.requested_fault)
    if pool is None:
        return PlainText(f"provider {session.requested.provider} is not configured")
    if all(member.fault for member in pool.members):
        reasons = [member.fault for member in pool.members if member.fault]
        return PlainText("; ".join(reasons) or f"no credential is configured for {pool.provider}")
    return None


_HELPS_TOO: Final = {
    Code.OUT_OF_CREDIT: "{0} Then clear the cooldown.",
    Code.PRIMARY_FAILING: "It is tried again at the time shown. {0}",
}


def _to_mend(code: Code, session: Session) -> FailureKind | None:
    """Return the kind of failure against which something helps beyond the diagnosis' own words."""
    match code:
        case Code.OUT_OF_CREDIT:
            return FailureKind.BILLING
        case Code.CREDENTIAL_DEAD:
            return FailureKind.AUTH_REVOKED
        case Code.CONFIGURATION_FAULT | Code.PRIMARY_FAILING if _left_for_failure(session):
            return session.departure.reason if session.departure else None
        case _:
            return None


def _next(way: WayBack, now: float) -> NextChange:
    match way.step:
        case Step.RESTORE:
            return NextChange(PlainText("returns at its next turn"), now)
        case Step.CHECK:
            return NextChange(PlainText("the next turn asks whether it reopened"), now)
        case _:
            at = way.opens_at
            return NextChange(PlainText("next try" if at is not None else "nothing by itself"), at)


def _exhausted(session: Session) -> Diagnosis:
    gone = session.exhaustion
    if gone is None:
        return _diagnosis(Code.CHAIN_EXHAUSTED)
    lines = tuple(Fact(PlainText(f"{entry.route}: {entry.reason}"), entry.until, _HERE) for entry in gone.tried)
    return _diagnosis(Code.CHAIN_EXHAUSTED, lines, NextChange(PlainText("earliest return"), gone.earliest))


def _unverified(session: Session) -> tuple[Fact, ...]:
    if session.unverified_since is None:
        return ()
    return (Fact(PlainText("restored; not yet verified by a reply"), session.unverified_since, _HERE),)


def _departure_fact(session: Session) -> Fact:
    left = session.departure
    if left is None or left.reason is None:
        return Fact(PlainText("you asked for the fallback"), left.at if left else None, PlainText("you"))
    code = f"{left.code} " if left.code is not None else ""
    who = f" ({left.credential})" if left.credential else ""
    message = f": {left.message}" if left.message else ""
    text = PlainText(f"left {session.requested}{who}: {code}{left.reason.words}{message}")
    return Fact(text, left.at, PlainText(session.requested.provider))


def _off_primary(
    facts: Facts, session: Session, pool: Pool, settings: Settings, now: float
) -> tuple[Code, tuple[Fact, ...]]:
    outlook = next_available_at(facts, pool, session.requested.model, now)
    if isinstance(outlook, NobodyCanSay):
        return Code.CREDENTIAL_DEAD, tuple(_death_facts(facts, pool))
    if isinstance(outlook, ReturnsAt) and outlook.cooldown.reason is FailureKind.BILLING:
        return Code.OUT_OF_CREDIT, (_cooldown_fact(pool, outlook.cooldown),)
    left = session.departure
    if left is not None and left.reason is FailureKind.WRONG_ENDPOINT:
        fact = Fact(PlainText(f"base_url = {session.requested.base_url}"), None, _origin(facts))
        return Code.CONFIGURATION_FAULT, (fact,)
    own = session.cooldown
    failing = own is not None and own.kind is WaitKind.FAILING
    if failing or (own is None and session.departure is not None and _left_for_failure(session)):
        return Code.PRIMARY_FAILING, ()
    if isinstance(outlook, UsableNow):
        return Code.RESTORE_DUE if own is None or own.until <= now else _by_date(pool, settings), ()
    if not outlook.cooldown.reason.is_limit:
        return Code.PRIMARY_FAILING, (_cooldown_fact(pool, outlook.cooldown),)
    if not pool.reopens_early or settings.policy is Policy.NEVER:
        return Code.NO_EARLY_REOPEN, (_cooldown_fact(pool, outlook.cooldown),)
    code, said = _by_verdict(facts, pool, session.requested.model, now)
    return code, (_cooldown_fact(pool, outlook.cooldown), *said)


def _origin(facts: Facts) -> PlainText:
    return facts.configuration.origin if facts.configuration else _HERE


def _by_date(pool: Pool, settings: Settings) -> Code:
    asks = pool.reopens_early and settings.policy is not Policy.NEVER
    return Code.WAITING_FOR_RESET if asks else Code.NO_EARLY_REOPEN


def _left_for_failure(session: Session) -> bool:
    left = session.departure
    return left is not None and left.reason is not None and not left.reason.is_limit_or_billing


def _death_facts(facts: Facts, pool: Pool) -> list[Fact]:
    rows = [row_of(facts, pool, member) for member in pool.members]
    return [
        Fact(PlainText(f"{row.key}: {row.death.reason.words}"), row.death.at, PlainText(pool.provider))
        for row in rows
        if row.death is not None
    ]


def _cooldown_fact(pool: Pool, cooldown: Cooldown) -> Fact:
    code = f"{cooldown.code} " if cooldown.code is not None else ""
    said = "its reset is the provider's word" if cooldown.source == "provider" else "its end is assumed here"
    text = PlainText(f"{code}{cooldown.reason.words} from {cooldown.session}; {said}")
    return Fact(text, cooldown.last_at, PlainText(pool.provider))


@shared
def _by_verdict(facts: Facts, pool: Pool, model: str, now: float) -> tuple[Code, tuple[Fact, ...]]:
    settings = facts.settings
    verdicts: list[tuple[Candidate, CachedVerdict]] = []
    for candidate in may_reopen(facts, pool, model, now):
        verdict = cached(facts, candidate)
        if verdict is not None:
            verdicts.append((candidate, verdict))
    said = tuple(_verdict_fact(candidate, verdict) for candidate, verdict in verdicts)
    quota = [pair for pair in verdicts if pair[1].verdict is Verdict.QUOTA]
    honest = [pair for pair in quota if not lies(facts, *pair, settings, now)]
    if quota and not honest:
        return Code.LYING_PROBE, said
    if any(_newer_than_bench(facts, *pair, now) for pair in honest):
        return Code.RESTORE_DUE, said
    if verdicts and all(pair[1].verdict is Verdict.UNKNOWN for pair in verdicts):
        return Code.PROBE_BLIND, said
    return Code.WAITING_FOR_RESET, said


def lies(facts: Facts, candidate: Candidate, verdict: CachedVerdict, settings: Settings, now: float) -> bool:
    """Tell whether a verdict of `quota` is contradicted by a request (M38, M46).

    Either it was asked after the bench and a 429 came later, or a lift on it failed, or the evidence is on hold.
    """
    if verdict.verdict is not Verdict.QUOTA or verdict.usage is None:
        return False
    hold = held(facts, candidate, settings, now)
    if hold is not None and not is_new_evidence(hold.evidence, verdict.usage):
        return True
    bench = _bench(facts, candidate, now)
    if bench is None:
        return False
    trial = facts.trials.get(candidate.subject)
    refused = (
        trial is not None
        and trial.outcome is TrialOutcome.FAILED
        and bench.last_at >= trial.started_at >= verdict.asked_at
    )
    return bench.since < verdict.asked_at <= bench.last_at or refused


def _bench(facts: Facts, candidate: Candidate, now: float) -> Cooldown | None:
    row: Credential = row_of(facts, candidate.pool, candidate.member)
    return row.benched_for(candidate.model, now)


def _newer_than_bench(facts: Facts, candidate: Candidate, verdict: CachedVerdict, now: float) -> bool:
    bench = _bench(facts, candidate, now)
    return bench is None or verdict.asked_at > bench.last_at


def _verdict_fact(candidate: Candidate, verdict: CachedVerdict) -> Fact:
    windows = verdict.usage.windows if verdict.usage else ()
    used = " · ".join(f"{window.name} {window.used_percent:g} %" for window in windows)
    text = f"{candidate.member.label}: {verdict.verdict.words}, {verdict.why}" + (f" ({used})" if used else "")
    return Fact(PlainText(text), verdict.asked_at, PlainText("usage endpoint"))
