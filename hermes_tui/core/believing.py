"""Believing the probe: caching verdicts, lifting on them, and holding what a request contradicted (M32 ... M38)."""

from dataclasses import replace
from typing import Final

from hermes_tui.core.configuration import Policy, Settings
from hermes_tui.core.cooldown import Cooldown
from hermes_tui.core.credential import Credential
from hermes_tui.core.decision import Decision, Record, Row, VerdictForgotten, nothing
from hermes_tui.core.event import CredentialLifted, VerdictContradicted, VerdictReceived
from hermes_tui.core.facts import Facts
from hermes_tui.core.pool import Candidate, may_reopen, row_of
from hermes_tui.core.text import PlainText
from hermes_tui.core.values import dataclass
from hermes_tui.core.verdict import (
    CachedVerdict,
    Hold,
    Reading,
    Subject,
    Trial,
    TrialOutcome,
    Verdict,
    VerdictKey,
    is_new_evidence,
)

HOLD_INTERVALS: Final = (4, 8, 16)
"""How many probe intervals a contradicted verdict is held, by how often it was contradicted in a row."""

TOKENS_REMEMBERED: Final = 8
"""Cached verdicts kept for one account and model, so that rotating tokens cannot grow the cache."""

LONGEST_SILENCE_SECONDS: Final = 3600.0
"""The longest that a usage endpoint's own Retry-After is honoured."""

PROBE_FLOOR_SECONDS: Final = 10.0
"""At most one probe in this time for a token, even when the user asks (M41)."""


def cached(facts: Facts, candidate: Candidate) -> CachedVerdict | None:
    """Return the last verdict about the candidate, fresh or not."""
    return facts.verdicts.get(candidate.verdict_key)


def unanswered(facts: Facts, candidate: Candidate, now: float) -> CachedVerdict | None:
    """Return the fresh row of an endpoint that gave the candidate's token no answer, about whatever model.

    Its trouble is not the model's: it is left alone about the others too.
    """
    wanted, model = candidate.verdict_key, candidate.model
    rows = (row for row in facts.verdicts.values() if row.key._replace(model=model) == wanted)
    return next((row for row in rows if row.usage is None and row.fresh(now)), None)


def remember(
    facts: Facts, candidate: Candidate, reading: Reading, *, now: float, interval: float
) -> Decision[CachedVerdict]:
    """Cache a reading: quota and no quota for `interval` seconds, unknown for a tenth of it and doubling (M35)."""
    key = candidate.verdict_key
    before = facts.verdicts.get(key)
    unknowns, wait = 0, interval
    if reading.verdict is Verdict.UNKNOWN:
        unknowns = before.unknown_in_a_row + 1 if before else 1
        doubled = interval / 10 * 2.0 ** min(unknowns - 1, 32)
        wait = max(min(interval, doubled), min(reading.retry_after or 0.0, LONGEST_SILENCE_SECONDS))
    row = CachedVerdict(
        key=key,
        verdict=reading.verdict,
        why=reading.why,
        asked_at=now,
        expires_at=now + wait,
        usage=reading.usage,
        unknown_in_a_row=unknowns,
        unreachable=reading.unreachable,
    )
    received = VerdictReceived(
        time=now,
        provider=key.provider,
        account=key.account,
        model=key.model,
        credential=candidate.member.label,
        verdict=row.verdict,
        why=row.why,
        expires_at=row.expires_at,
    )
    return Decision(row, (Record(received, (row, *_beyond_bound(facts, key))),))


def _beyond_bound(facts: Facts, key: VerdictKey) -> tuple[VerdictForgotten, ...]:
    others = [row for row in facts.verdicts.values() if row.key.subject == key.subject and row.key != key]
    others.sort(key=lambda row: row.asked_at, reverse=True)
    return tuple(VerdictForgotten(row.key) for row in others[TOKENS_REMEMBERED - 1 :])


@dataclass(frozen=True, slots=True)
class Disbelief:
    """Why an early lift is not made now, and when that changes."""

    reason: PlainText
    until: float | None


def believed(
    facts: Facts, candidate: Candidate, verdict: CachedVerdict, settings: Settings, now: float
) -> Disbelief | None:
    """Return why `verdict` is not acted on, None where it is: the one test that lifts, gates and screens share."""
    if settings.policy is Policy.NEVER:
        return Disbelief(PlainText("the policy never reopens early"), None)
    if verdict.verdict is not Verdict.QUOTA or verdict.usage is None:
        return Disbelief(PlainText(f"the probe says {verdict.verdict.words}: {verdict.why}"), verdict.expires_at)
    hold = held(facts, candidate, settings, now)
    if hold is not None and not is_new_evidence(hold.evidence, verdict.usage):
        return Disbelief(PlainText("a request contradicted it, and the evidence is the same"), hold.until)
    return None


def held(facts: Facts, candidate: Candidate, settings: Settings, now: float) -> Hold | None:
    """Return the hold on the candidate's verdict that is in force (M38: under `adaptive` alone)."""
    hold = facts.holds.get(candidate.subject)
    in_force = settings.policy is Policy.ADAPTIVE and hold is not None and hold.until > now
    return hold if in_force else None


def trial_in_the_way(
    facts: Facts, candidate: Candidate, session: str, settings: Settings, now: float
) -> Disbelief | None:
    """Return why `session` may not go first with the candidate now, None where it may (M32)."""
    trial = facts.trials.get(candidate.subject)
    if trial is None or not settings.policy.needs_trial:
        return None
    if trial.runs(now):
        if trial.session == session:
            return None
        return Disbelief(PlainText(f"{trial.session} is trying it"), trial.expires_at)
    if now < trial.next_at:
        return Disbelief(PlainText(f"{trial.session} has tried it"), trial.next_at)
    return None


def lift(
    facts: Facts, candidate: Candidate, session: str, settings: Settings, *, now: float, deadline: float
) -> Decision[Disbelief | None]:
    """Lift the candidate's cooldown early, on a fresh believed verdict; answer why not, or None when lifted.

    Under `throttled` and `adaptive` it is a trial: the date stays until a reply clears it. `deadline` is the end of
    the session's turn (epoch seconds).
    """
    if candidate not in may_reopen(facts, candidate.pool, candidate.model, now):
        return nothing(Disbelief(PlainText("nothing that a probe may lift"), None))
    verdict = cached(facts, candidate)
    if verdict is None or verdict.usage is None or not verdict.fresh(now):
        return nothing(Disbelief(PlainText("no fresh verdict"), None))
    doubt = believed(facts, candidate, verdict, settings, now)
    in_the_way = doubt or trial_in_the_way(facts, candidate, session, settings, now)
    if in_the_way is not None:
        return nothing(in_the_way)
    next_at = now + settings.probe_interval_seconds
    trial = Trial(candidate.subject, candidate.member.label, session, now, deadline, next_at, verdict.usage)
    rows: tuple[Row, ...] = (trial,)
    if not settings.policy.needs_trial:
        rows = (*rows, cleared(row_of(facts, candidate.pool, candidate.member), candidate.model))
    lifted = CredentialLifted(
        time=now,
        session=session,
        provider=candidate.pool.provider,
        credential=candidate.member.label,
        model=candidate.model,
        on_trial=settings.policy.needs_trial,
        by=PlainText(f"probe: {verdict.verdict.words}"),
    )
    return Decision(None, (Record(lifted, rows),))


def cleared(row: Credential, model: str) -> Credential:
    """Return `row` free for `model`: without the account's cooldown and without the model's own."""
    return replace(row.with_model_cooldown(model, None), cooldown=None)


def contradict(facts: Facts, trial: Trial, settings: Settings, *, bench: Cooldown, now: float) -> tuple[Record, ...]:
    """Return the record of a verdict that a limit contradicted, under `adaptive` (M38); else nothing.

    `bench` is the cooldown after the refusal: the hold ends with its date at the latest.
    """
    if settings.policy is not Policy.ADAPTIVE:
        return ()
    before = facts.holds.get(trial.subject)
    count = (before.count if before else 0) + 1
    intervals = HOLD_INTERVALS[min(count, len(HOLD_INTERVALS)) - 1]
    until = min(now + intervals * settings.probe_interval_seconds, bench.until)
    event = VerdictContradicted(
        time=now,
        session=trial.session,
        provider=trial.subject.provider,
        account=trial.subject.account,
        model=trial.subject.model,
        until=until,
        count=count,
    )
    return (Record(event, (Hold(trial.subject, trial.evidence, now, until, count),)),)


def settled(facts: Facts, candidate: Candidate, session: str, *, served: bool, now: float) -> tuple[Row, ...]:
    """Return the rows that end `session`'s trial of the candidate; a served reply also ends the hold and its growth."""
    trial = facts.trials.get(candidate.subject)
    rows: list[Row] = []
    if trial is not None and trial.session == session and trial.outcome is TrialOutcome.RUNNING:
        rows.append(replace(trial, outcome=TrialOutcome.SERVED if served else TrialOutcome.FAILED))
    hold = facts.holds.get(candidate.subject)
    if served and hold is not None and hold.count:
        rows.append(replace(hold, until=now, count=0))
    return tuple(rows)


def abandoned(facts: Facts, session: str, *, besides: Subject | None = None) -> tuple[Row, ...]:
    """Return the rows that end, as failed, the trials `session` leaves behind with its route."""
    return tuple(
        replace(trial, outcome=TrialOutcome.FAILED)
        for trial in facts.trials.values()
        if trial.session == session and trial.outcome is TrialOutcome.RUNNING and trial.subject != besides
    )
