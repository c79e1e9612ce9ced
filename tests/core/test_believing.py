"""Believing the probe: the cache, early lifts, trials, and holds on what was contradicted (M32 ... M38)."""

from dataclasses import replace

import pytest

from hermes_tui.core.believing import (
    TOKENS_REMEMBERED,
    abandoned,
    believed,
    cleared,
    contradict,
    held,
    lift,
    remember,
    settled,
    trial_in_the_way,
)
from hermes_tui.core.configuration import Policy, Settings
from hermes_tui.core.credential import Credential
from hermes_tui.core.event import CredentialLifted, VerdictContradicted, VerdictReceived
from hermes_tui.core.facts import Facts
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.pool import Candidate
from hermes_tui.core.text import PlainText
from hermes_tui.core.verdict import CachedVerdict, Hold, Reading, Trial, TrialOutcome, Usage, Verdict, Window
from tests.core.made import (
    CODEX,
    FULL,
    HOUR,
    NOW,
    ROOMY,
    after,
    bench,
    benched,
    candidate,
    credential,
    dead,
    event_types,
    facts,
    hold,
    member,
    trial,
    verdict,
)

ADAPTIVE, THROTTLED = Settings(policy=Policy.ADAPTIVE), Settings(policy=Policy.THROTTLED)
EVERY_TURN, NEVER = Settings(policy=Policy.EVERY_TURN), Settings(policy=Policy.NEVER)
WHY = PlainText("as it said")
LESS = replace(ROOMY, windows=(Window("5 h", 4.0),))


def _remember(known: Facts, reading: Reading, *, interval: float = 300.0, asked: Candidate | None = None) -> Facts:
    return after(known, remember(known, asked or candidate(), reading, now=NOW, interval=interval))


def _life(known: Facts) -> float:
    return known.verdicts[candidate().verdict_key].expires_at - NOW


@pytest.mark.parametrize(("said", "usage"), [(Verdict.QUOTA, ROOMY), (Verdict.NO_QUOTA, FULL)])
def test_m35_quota_and_no_quota_count_for_an_interval(said: Verdict, usage: Usage) -> None:
    reading = Reading(said, WHY, usage)
    assert _life(_remember(facts(), reading)) == 300.0
    assert _life(_remember(facts(), reading, interval=7.0)) == 7.0


def test_m35_unknown_waits_a_tenth_and_doubles_up_to_all_of_it() -> None:
    known, lives = facts(), []
    for _ in range(6):
        known = _remember(known, Reading(Verdict.UNKNOWN, WHY))
        lives.append(_life(known))
    assert lives == [30.0, 60.0, 120.0, 240.0, 300.0, 300.0]


def test_m35_unknown_for_days_on_end_still_waits_at_most_an_interval() -> None:
    for_days = replace(verdict(Verdict.UNKNOWN, usage=None), unknown_in_a_row=1100)
    assert _life(_remember(facts(for_days), Reading(Verdict.UNKNOWN, WHY))) == 300.0


def test_m35_an_answer_starts_the_waits_of_unknown_anew() -> None:
    known = facts()
    for said in (Verdict.UNKNOWN, Verdict.UNKNOWN, Verdict.QUOTA, Verdict.UNKNOWN):
        known = _remember(known, Reading(said, WHY, ROOMY))
    assert _life(known) == 30.0


def test_m35_the_endpoints_own_wish_to_be_left_alone_is_kept() -> None:
    assert _life(_remember(facts(), Reading(Verdict.UNKNOWN, WHY, retry_after=90.0))) == 90.0
    assert _life(_remember(facts(), Reading(Verdict.UNKNOWN, WHY, retry_after=5.0))) == 30.0


def test_m35_an_endpoint_cannot_ask_for_more_than_an_hour_of_silence() -> None:
    assert _life(_remember(facts(), Reading(Verdict.UNKNOWN, WHY, retry_after=30 * 86400.0))) == HOUR


def test_m35_the_event_carries_what_was_said_and_until_when_it_counts() -> None:
    event = remember(facts(), candidate(), Reading(Verdict.QUOTA, WHY, ROOMY), now=NOW, interval=300.0).records[0].event
    assert isinstance(event, VerdictReceived)
    assert (event.verdict, event.expires_at, event.account) == (Verdict.QUOTA, NOW + 300.0, "acct-one")


def test_m35_rotating_tokens_cannot_grow_the_cache() -> None:
    known = facts()
    for number in range(20):
        token = member("one", fingerprint=f"t{number}")
        asked = Candidate(replace(CODEX, members=(token,)), token, "gpt")
        decision = remember(known, asked, Reading(Verdict.QUOTA, WHY, ROOMY), now=NOW + number, interval=300.0)
        known = after(known, decision)
    kept = sorted(int(key.fingerprint[1:]) for key in known.verdicts)
    assert kept == list(range(20 - TOKENS_REMEMBERED, 20))


def test_m35_the_bound_is_for_each_account_and_model() -> None:
    known = facts()
    for number in range(20):
        other = Candidate(CODEX, member("one", account=f"acct-{number}"), "gpt")
        known = _remember(known, Reading(Verdict.QUOTA, WHY, ROOMY), asked=other)
    assert len(known.verdicts) == 20


def _doubt(settings: Settings, row: CachedVerdict, *others: Hold) -> str | None:
    doubt = believed(facts(benched(), row, *others), candidate(), row, settings, NOW)
    return None if doubt is None else doubt.reason


@pytest.mark.parametrize("settings", [ADAPTIVE, THROTTLED, EVERY_TURN])
def test_m37_a_verdict_of_quota_is_believed_but_under_never(settings: Settings) -> None:
    assert _doubt(settings, verdict()) is None
    assert _doubt(NEVER, verdict()) == "the policy never reopens early"


@pytest.mark.parametrize("said", [Verdict.NO_QUOTA, Verdict.UNKNOWN])
@pytest.mark.parametrize("settings", [ADAPTIVE, THROTTLED, EVERY_TURN])
def test_m28_nothing_but_quota_is_believed(said: Verdict, settings: Settings) -> None:
    row = verdict(said, usage=FULL)
    doubt = believed(facts(benched(), row), candidate(), row, settings, NOW)
    assert doubt is not None
    assert doubt.until == row.expires_at


def test_m38_a_contradicted_verdict_is_not_believed_on_the_same_evidence() -> None:
    doubt = believed(facts(hold()), candidate(), verdict(), ADAPTIVE, NOW)
    assert doubt is not None
    assert doubt.until == NOW + 1200.0


def test_m38_new_evidence_is_believed_during_a_hold() -> None:
    assert _doubt(ADAPTIVE, verdict(usage=LESS), hold()) is None


def test_m38_rising_use_is_no_new_evidence() -> None:
    assert _doubt(ADAPTIVE, verdict(usage=replace(ROOMY, windows=(Window("5 h", 9.0),))), hold()) is not None


def test_m38_a_hold_ends_at_its_time() -> None:
    assert held(facts(hold(0.1)), candidate(), ADAPTIVE, NOW) is not None
    assert held(facts(hold(0.0)), candidate(), ADAPTIVE, NOW) is None


@pytest.mark.parametrize("settings", [THROTTLED, EVERY_TURN])
def test_m38_holds_are_in_force_under_adaptive_alone(settings: Settings) -> None:
    assert _doubt(settings, verdict(), hold()) is None


def test_m38_a_hold_counts_whatever_the_token() -> None:
    rotated = Candidate(CODEX, member("one", fingerprint="another"), "gpt")
    assert held(facts(hold()), rotated, ADAPTIVE, NOW) is not None


def _contradict(known: Facts, settings: Settings = ADAPTIVE) -> Facts:
    for record in contradict(known, trial(), settings, bench=bench(), now=NOW):
        for row in record.rows:
            known.put(row)
    return known


def test_m38_the_hold_is_4_then_8_then_16_intervals_and_no_more() -> None:
    known, lengths = facts(), []
    for _ in range(5):
        known = _contradict(known)
        lengths.append((known.holds[candidate().subject].until - NOW) / 300.0)
    assert lengths == [4, 8, 16, 16, 16]


def test_m38_the_hold_keeps_the_evidence_that_was_contradicted() -> None:
    known = _contradict(facts(), replace(ADAPTIVE, probe_interval_seconds=60.0))
    assert known.holds[candidate().subject] == Hold(candidate().subject, ROOMY, NOW, NOW + 240.0, 1)


@pytest.mark.parametrize("settings", [THROTTLED, EVERY_TURN, NEVER])
def test_m38_nothing_is_contradicted_under_other_policies(settings: Settings) -> None:
    assert contradict(facts(), trial(), settings, bench=bench(), now=NOW) == ()


@pytest.mark.parametrize("since", [verdict(Verdict.NO_QUOTA, usage=FULL), verdict(usage=LESS)])
def test_m38_what_was_contradicted_is_what_it_was_lifted_on_whatever_was_said_since(since: CachedVerdict) -> None:
    assert _contradict(facts(since)).holds[candidate().subject].evidence == ROOMY


def test_m38_a_hold_ends_with_the_stored_date() -> None:
    soon = contradict(facts(), trial(), ADAPTIVE, bench=bench(600.0), now=NOW)[0].rows[0]
    assert isinstance(soon, Hold)
    assert soon.until == NOW + 600.0


def test_m38_a_contradiction_is_an_event_with_its_end_and_its_count() -> None:
    event = contradict(facts(hold(count=1)), trial(), ADAPTIVE, bench=bench(), now=NOW)[0].event
    assert isinstance(event, VerdictContradicted)
    assert (event.until, event.count) == (NOW + 2400.0, 2)


def _lift(known: Facts, settings: Settings, by: str = "docs") -> tuple[str | None, Facts]:
    decision = lift(known, candidate(), by, settings, now=NOW, deadline=NOW + 1800.0)
    return (None if decision.value is None else decision.value.reason), after(known, decision)


@pytest.mark.parametrize("settings", [ADAPTIVE, THROTTLED])
def test_m32_an_early_lift_is_a_trial_that_leaves_the_date(settings: Settings) -> None:
    why_not, known = _lift(facts(benched(), verdict()), settings)
    assert why_not is None
    assert known.trials[candidate().subject] == Trial(
        candidate().subject, "one", "docs", NOW, NOW + 1800.0, NOW + 300.0, ROOMY, TrialOutcome.RUNNING
    )
    assert known.credentials[candidate().token].cooldown == bench()


def test_m37_under_every_turn_a_lift_clears_the_date_at_once() -> None:
    row = credential(cooldown=bench(), model_cooldowns=(("gpt", bench()), ("mini", bench())))
    _, known = _lift(facts(row, verdict()), EVERY_TURN)
    lifted = known.credentials[candidate().token]
    assert lifted.cooldown is None
    assert dict(lifted.model_cooldowns) == {"mini": bench()}


def test_m32_the_event_of_a_lift_says_whether_it_is_on_trial() -> None:
    for settings, on_trial in ((ADAPTIVE, True), (EVERY_TURN, False)):
        known = facts(benched(), verdict())
        event = lift(known, candidate(), "docs", settings, now=NOW, deadline=NOW + 9.0).records[0].event
        assert isinstance(event, CredentialLifted)
        assert event.on_trial is on_trial
        assert event.by == "probe: quota"


@pytest.mark.parametrize("settings", [ADAPTIVE, THROTTLED, EVERY_TURN, NEVER])
def test_m28_without_a_fresh_verdict_of_quota_nothing_is_lifted(settings: Settings) -> None:
    for known in (
        facts(benched()),
        facts(benched(), verdict(ago=301.0)),
        facts(benched(), verdict(Verdict.UNKNOWN, usage=None)),
        facts(benched(), verdict(Verdict.NO_QUOTA, usage=FULL)),
    ):
        why_not, changed = _lift(known, settings)
        assert why_not is not None
        assert changed == known


@pytest.mark.parametrize("row", [dead(), benched(reason=FailureKind.BILLING), benched(seconds=-1.0)])
@pytest.mark.parametrize("settings", [ADAPTIVE, EVERY_TURN])
def test_m18_a_lift_looks_again_whether_there_is_a_limit_to_lift(row: Credential, settings: Settings) -> None:
    why_not, changed = _lift(facts(row, verdict()), settings)
    assert why_not == "nothing that a probe may lift"
    assert changed == facts(row, verdict())


def test_m32_while_one_tries_nobody_else_is_lifted() -> None:
    known = facts(benched(), verdict(), trial("first"))
    assert _lift(known, ADAPTIVE, "docs")[0] == "first is trying it"
    assert _lift(known, ADAPTIVE, "first")[0] is None


@pytest.mark.parametrize(
    ("tried", "until"),
    [
        (trial("first"), NOW + 1790.0),
        (trial("first", TrialOutcome.FAILED), NOW + 290.0),
        (trial("first", TrialOutcome.SERVED), NOW + 290.0),
        (trial("first", expires_at=NOW - 1.0), NOW + 290.0),
        (trial("docs", TrialOutcome.FAILED), NOW + 290.0),
        (trial("first", TrialOutcome.FAILED, next_at=NOW), None),
        (trial("first", expires_at=NOW - 1.0, next_at=NOW), None),
        (trial("docs"), None),
    ],
)
def test_m32_one_trial_for_each_account_model_and_interval(tried: Trial, until: float | None) -> None:
    way = trial_in_the_way(facts(tried), candidate(), "docs", THROTTLED, NOW)
    assert (None if way is None else way.until) == until


def test_m32_without_trials_nobody_is_in_the_way() -> None:
    assert trial_in_the_way(facts(trial("first")), candidate(), "docs", EVERY_TURN, NOW) is None


def test_m32_a_trial_is_in_the_way_of_its_own_model_only() -> None:
    assert trial_in_the_way(facts(trial("first")), candidate(model="mini"), "docs", ADAPTIVE, NOW) is None


def test_m33_a_served_reply_ends_the_trial_the_hold_and_its_growth() -> None:
    rows = settled(facts(trial(), hold(count=3)), candidate(), "docs", served=True, now=NOW)
    assert [row.outcome for row in rows if isinstance(row, Trial)] == [TrialOutcome.SERVED]
    assert [(row.until, row.count) for row in rows if isinstance(row, Hold)] == [(NOW, 0)]


def test_m33_a_failure_ends_the_trial_and_leaves_the_hold() -> None:
    rows = settled(facts(trial(), hold()), candidate(), "docs", served=False, now=NOW)
    assert rows == (trial(outcome=TrialOutcome.FAILED),)


def test_m32_nobody_settles_anothers_trial() -> None:
    assert settled(facts(trial("first")), candidate(), "docs", served=False, now=NOW) == ()


def test_m32_a_trial_left_behind_has_failed() -> None:
    other = replace(trial(), subject=candidate(model="mini").subject, session="first")
    assert abandoned(facts(trial(), other), "docs") == (trial(outcome=TrialOutcome.FAILED),)
    assert abandoned(facts(trial(), other), "docs", besides=trial().subject) == ()


def test_m17_a_row_is_cleared_for_the_account_and_one_model() -> None:
    row: Credential = credential(cooldown=bench(), model_cooldowns=(("gpt", bench()), ("mini", bench(HOUR))))
    assert cleared(row, "gpt") == credential(model_cooldowns=(("mini", bench(HOUR)),))


def test_m28_a_refused_lift_records_nothing() -> None:
    known = facts(benched(), verdict(), hold())
    assert event_types(lift(known, candidate(), "docs", ADAPTIVE, now=NOW, deadline=NOW)) == []
