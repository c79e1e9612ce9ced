"""Diagnosis: why a session is where it is, from recorded facts (M46)."""

from dataclasses import replace
from typing import Any

import pytest

from hermes_tui.core.configuration import Policy, RestoreMode
from hermes_tui.core.diagnosis import Code, Diagnosis, diagnose, lies
from hermes_tui.core.facts import Facts
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.lifecycle import step_clock
from hermes_tui.core.restoring import way_back
from hermes_tui.core.session import Departure, Exhaustion, Session, Tried
from hermes_tui.core.text import PlainText
from hermes_tui.core.verdict import CachedVerdict, TrialOutcome, Verdict
from tests.core.made import (
    BACKUP,
    CODEX,
    DAY,
    FULL,
    HOUR,
    NOW,
    PRIMARY,
    ROOMY,
    TWO,
    after,
    away,
    benched,
    candidate,
    configuration,
    dead,
    facts,
    failing,
    hold,
    member,
    session,
    trial,
    verdict,
    waits,
)

FAULTY = replace(CODEX, members=(member("one", fault="CODEX_TOKEN is not set"),))
BROKE = Departure(NOW - 5, FailureKind.SERVER_ERROR, 503, "one", PlainText("upstream"))
CONFIRMED = benched(last_at=NOW - 10.0)
"""A bench that a 429 confirmed after the verdict that `verdict()` makes, and that began before it."""


def _diagnose(row: Session, *rows: Any, **settings: Any) -> Diagnosis:
    return diagnose(facts(*rows, **settings), row, NOW)


def _texts(diagnosis: Diagnosis) -> list[str]:
    return [fact.text for fact in diagnosis.facts]


@pytest.mark.parametrize(
    ("code", "row", "known"),
    [
        (Code.ON_PRIMARY, session(), facts()),
        (Code.WAITING_FOR_RESET, away(), facts(benched())),
        (Code.WAITING_FOR_RESET, away(), facts(benched(), verdict(Verdict.NO_QUOTA, usage=FULL))),
        (Code.RESTORE_DUE, away(), facts(benched(), verdict())),
        (Code.RESTORE_DUE, away(cooldown=waits(-1.0)), facts(benched(seconds=-1.0))),
        (Code.LYING_PROBE, away(), facts(CONFIRMED, verdict())),
        (Code.PROBE_BLIND, away(), facts(benched(), verdict(Verdict.UNKNOWN, usage=None))),
        (Code.NO_EARLY_REOPEN, away(requested=BACKUP, chain=()), facts(benched(pool_name="backup"))),
        (Code.NO_EARLY_REOPEN, away(), facts(benched(), policy=Policy.NEVER)),
        (Code.OUT_OF_CREDIT, away(), facts(benched(reason=FailureKind.BILLING, code=402))),
        (Code.CREDENTIAL_DEAD, away(), facts(dead())),
        (Code.PRIMARY_FAILING, away(cooldown=failing(), departure=BROKE), facts()),
        (Code.PRIMARY_FAILING, away(cooldown=None, departure=BROKE), facts()),
        (Code.PRIMARY_FAILING, away(cooldown=None), facts(benched(reason=FailureKind.AUTH, code=401))),
        (Code.CONFIGURATION_FAULT, session(requested_fault="no model (line 3)"), facts()),
        (Code.CONFIGURATION_FAULT, away(requested_fault="no model (line 3)"), facts()),
        (Code.CONFIGURATION_FAULT, away(requested=replace(BACKUP, pool="gone")), facts()),
        (Code.CONFIGURATION_FAULT, away(), facts(codex=FAULTY)),
        (Code.CONFIGURATION_FAULT, session(), facts(codex=FAULTY)),
        (Code.PINNED, away(pinned=True), facts(benched())),
        (Code.PINNED, away(), facts(benched(), restore=RestoreMode.STICKY)),
        (Code.CHAIN_EXHAUSTED, away(exhaustion=Exhaustion(NOW, (), None)), facts(benched())),
    ],
    ids=lambda value: value.value if isinstance(value, Code) else "",
)
def test_m46_there_is_always_one_diagnosis(code: Code, row: Session, known: Facts) -> None:
    if row.position:
        row = replace(row, chain=away().chain)
    assert diagnose(known, row, NOW).code is code


OF_HERMES_ALONE = {"cooldown_in_memory", "lift_not_saved", "credential_not_tried", "primary_forgotten"}
"""What cannot happen to a session of this program: one truth is read by every gate (M21)."""


def test_m46_every_diagnosis_is_a_sentence_with_its_remedy() -> None:
    assert {code.value for code in Code} == {
        "on_primary", "waiting_for_reset", "restore_due", "lying_probe", "probe_blind", "no_early_reopen",
        "out_of_credit", "credential_dead", "primary_failing", "configuration_fault", "pinned", "chain_exhausted",
        *OF_HERMES_ALONE,
    }  # fmt: skip
    diagnosis = _diagnose(away(), dead())
    assert diagnosis.text.endswith(".")
    assert diagnosis.helps == "Sign in again with codex login."


def test_m46_what_helps_is_said_in_the_providers_terms() -> None:
    known = facts(dead(pool_name="backup"))
    assert diagnose(known, away(requested=BACKUP), NOW).helps.startswith("Get a valid key ")
    openai = replace(CODEX, name="openai", provider="openai")
    asked = away(requested=replace(BACKUP, provider="openai", pool="openai"))
    helps = diagnose(facts(dead(pool_name="openai"), codex=openai), asked, NOW).helps
    assert helps.startswith("Make a key at platform.openai.com/api-keys ")


def test_c04_an_empty_account_is_told_where_credit_is_added_and_never_to_check_the_key() -> None:
    helps = _diagnose(away(), benched(reason=FailureKind.BILLING, code=402)).helps
    assert helps.startswith("Add credit or raise the cap at chatgpt.com/codex/settings/usage; ")
    assert helps.endswith("Then clear the cooldown.")
    assert "key" not in helps


@pytest.mark.parametrize(
    ("kind", "helps"),
    [
        (FailureKind.AUTH, "It is tried again at the time shown. Sign in again with codex login."),
        (FailureKind.CONNECTION, "It is tried again at the time shown. Look at base_url, the network and its proxy."),
        (FailureKind.WRONG_ENDPOINT, "Correct base_url and api_mode in the configuration."),
    ],
)
def test_m46_a_primary_that_fails_says_what_helps_against_its_failure(kind: FailureKind, helps: str) -> None:
    assert _diagnose(away(cooldown=failing(), departure=replace(BROKE, reason=kind))).helps == helps


def test_m46_without_a_configuration_there_is_still_a_diagnosis() -> None:
    assert diagnose(Facts(), away(), NOW).code is Code.ON_PRIMARY


def test_m46_the_departure_is_a_fact_with_its_time_and_source() -> None:
    fact = _diagnose(away(), benched()).facts[0]
    assert fact.text == "left openai-codex/gpt (one): 429 usage limit: used up"
    assert (fact.at, fact.source) == (NOW - 60.0, "openai-codex")


def test_m46_a_route_chosen_by_hand_is_the_users_fact() -> None:
    chosen = Departure(NOW - 5, None, None, None, PlainText(""))
    fact = _diagnose(away(pinned=True, departure=chosen)).facts[0]
    assert (fact.text, fact.at, fact.source) == ("you asked for the fallback", NOW - 5, "you")


def test_m46_the_bench_and_the_verdict_are_facts() -> None:
    diagnosis = _diagnose(away(), benched(), verdict(Verdict.NO_QUOTA, usage=FULL))
    assert "429 usage limit from docs; its reset is the provider's word" in _texts(diagnosis)
    assert "one: no quota, as it said (5 h 100 %)" in _texts(diagnosis)
    assert diagnosis.facts[-1].at == verdict().asked_at


def test_m46_the_dead_are_named_with_their_reason() -> None:
    assert "openai-codex/one: sign-in revoked" in _texts(_diagnose(away(), dead()))


def test_m46_a_configuration_fault_names_the_file() -> None:
    fact = _diagnose(session(requested_fault="no model (hermes-tui.toml, line 3)")).facts[0]
    assert (fact.text, fact.source) == ("no model (hermes-tui.toml, line 3)", configuration().origin)
    fault, left = _texts(_diagnose(away(), codex=FAULTY))
    assert fault == "CODEX_TOKEN is not set"
    assert left.startswith("left openai-codex/gpt")


def test_m9_a_wrong_url_of_the_primary_is_a_configuration_fault_that_names_the_url() -> None:
    left = Departure(NOW - 5, FailureKind.WRONG_ENDPOINT, 404, "one", PlainText("not found"))
    diagnosis = _diagnose(away(departure=left, cooldown=failing()))
    assert diagnosis.code is Code.CONFIGURATION_FAULT
    assert f"base_url = {PRIMARY.base_url}" in _texts(diagnosis)


def test_m46_an_exhausted_chain_shows_every_route_with_its_reason_and_the_earliest_return() -> None:
    tried = (Tried(PlainText("backup/small"), PlainText("cooling"), NOW + HOUR),)
    diagnosis = _diagnose(away(exhaustion=Exhaustion(NOW, tried, NOW + HOUR)))
    assert _texts(diagnosis) == ["backup/small: cooling"]
    assert diagnosis.next is not None
    assert diagnosis.next.at == NOW + HOUR


@pytest.mark.parametrize(
    ("row", "rows", "text", "at"),
    [
        (away(cooldown=None), [], "returns at its next turn", NOW),
        (away(), [benched()], "the next turn asks whether it reopened", NOW),
        (away(checked_at=NOW - 100), [benched()], "next try", NOW + 200),
        (away(cooldown=None), [dead()], "nothing by itself", None),
    ],
)
def test_m46_what_comes_next_is_what_the_gates_say(row: Session, rows: list[Any], text: str, at: float | None) -> None:
    following = _diagnose(row, *rows).next
    assert following is not None
    assert (following.text, following.at) == (text, at)


def test_m46_a_way_back_that_is_known_gives_the_same_diagnosis() -> None:
    known, row = facts(benched(), verdict()), away(checked_at=NOW - 100)
    assert diagnose(known, row, NOW, way_back(known, row, NOW)) == diagnose(known, row, NOW)


def test_m33_on_the_primary_an_unverified_restore_is_a_fact() -> None:
    assert _texts(_diagnose(session(unverified_since=NOW - 3))) == ["restored; not yet verified by a reply"]
    assert _texts(_diagnose(session())) == []


def _lies(row: CachedVerdict, *rows: Any, **settings: Any) -> bool:
    known = facts(row, *rows, **settings)
    assert known.configuration is not None
    return lies(known, candidate(), row, known.configuration.settings, NOW)


def test_m46_a_429_after_a_verdict_that_was_asked_after_the_bench_is_a_lie() -> None:
    assert _lies(verdict(), CONFIRMED)


def test_m46_a_429_after_an_older_verdict_is_ordinary_exhaustion() -> None:
    assert not _lies(verdict(ago=30.0), benched(since=NOW - 10.0, last_at=NOW - 10.0))
    assert _diagnose(away(), verdict(ago=30.0), benched(since=NOW - 10.0, last_at=NOW - 10.0)).code is (
        Code.WAITING_FOR_RESET
    )


def test_m46_a_verdict_that_no_request_has_tested_is_no_lie() -> None:
    assert not _lies(verdict(), benched())
    assert not _lies(verdict())


@pytest.mark.parametrize(("seconds", "lie"), [(0.1, True), (0.0, False)])
def test_m38_evidence_on_hold_is_a_lie_until_the_holds_end(seconds: float, lie: bool) -> None:
    assert _lies(verdict(), benched(), hold(seconds)) is lie


def test_m38_new_evidence_is_no_lie() -> None:
    assert not _lies(verdict(usage=FULL), benched(), hold(evidence=ROOMY))


def test_m46_a_trial_that_a_429_ended_is_a_lie_under_throttled_too() -> None:
    tested = trial(outcome=TrialOutcome.FAILED, started_at=NOW - 20.0)
    row = benched(since=NOW - 10.0, last_at=NOW - 10.0)
    assert _lies(verdict(ago=30.0), row, tested, policy=Policy.THROTTLED)
    assert not _lies(verdict(ago=30.0), row, replace(tested, outcome=TrialOutcome.RUNNING), policy=Policy.THROTTLED)


def test_m46_a_trial_that_a_server_error_ended_is_no_lie() -> None:
    tested = trial(outcome=TrialOutcome.FAILED, started_at=NOW - 10.0)
    assert not _lies(verdict(ago=30.0), benched(since=NOW - 20.0, last_at=NOW - 20.0), tested)


@pytest.mark.parametrize("step", [HOUR, -HOUR])
@pytest.mark.parametrize(
    ("code", "rows"),
    [
        (Code.WAITING_FOR_RESET, [benched(since=NOW - 30.0, last_at=NOW - 30.0)]),
        (
            Code.LYING_PROBE,
            [
                benched(since=NOW - 30.0, last_at=NOW - 30.0),
                trial(outcome=TrialOutcome.FAILED, started_at=NOW - 40.0),
            ],
        ),
    ],
)
def test_m23_a_step_of_the_clock_changes_no_diagnosis(step: float, code: Code, rows: list[Any]) -> None:
    known = facts(verdict(ago=60.0), away(), *rows, policy=Policy.THROTTLED)
    assert diagnose(known, known.sessions["docs"], NOW).code is code
    moved = after(known, step_clock(known, step, NOW + step))
    assert diagnose(moved, moved.sessions["docs"], NOW + step).code is code


@pytest.mark.parametrize("said", [Verdict.NO_QUOTA, Verdict.UNKNOWN])
def test_m46_only_a_verdict_of_quota_can_lie(said: Verdict) -> None:
    assert not _lies(verdict(said, usage=FULL), CONFIRMED)


def test_m46_one_honest_verdict_is_enough_to_be_due() -> None:
    known = facts(CONFIRMED, benched("two"), verdict(), verdict(label="two"), codex=TWO)
    assert diagnose(known, away(), NOW).code is Code.RESTORE_DUE


def test_m46_the_own_date_counts_where_the_pool_is_free_already() -> None:
    assert _diagnose(away(cooldown=waits(DAY))).code is Code.WAITING_FOR_RESET
    assert _diagnose(away(cooldown=waits(DAY)), policy=Policy.NEVER).code is Code.NO_EARLY_REOPEN
