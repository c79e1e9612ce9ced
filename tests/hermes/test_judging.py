"""What users of Hermes meet: each is told apart, with the facts that it rests on."""

from dataclasses import replace
from typing import Final

import pytest

from hermes_tui.core.diagnosis import Code, NextChange
from hermes_tui.core.judging import Judged, judged
from hermes_tui.core.restoring import GateName, Step
from hermes_tui.core.text import PlainText
from hermes_tui.core.verdict import CachedVerdict, Verdict, VerdictKey
from hermes_tui.hermes.log_templates import RETRIES_USED_UP
from hermes_tui.hermes.reading import Reading
from hermes_tui.hermes.sentences import SENTENCES
from hermes_tui.hermes.values import Kind
from tests.hermes.made import (
    BENCHED,
    DAY,
    FALLBACK,
    FREE,
    LEFT,
    NOW,
    OLD,
    POOLED,
    POOLLESS,
    PRIMARY,
    conversation,
    facts_of,
    happening,
    judge,
    reading,
    served,
)

QUOTA: Final = CachedVerdict(
    VerdictKey("openai-codex", "aaaaaa", "gpt-5.5", "1111"), Verdict.QUOTA, PlainText("room"), NOW - 10, NOW + 290
)
"""What the usage endpoint told this program after the primary ran out."""


def texts(read: Reading) -> str:
    """Return the facts of the diagnosis as one text, each with its source."""
    return "\n".join(f"{fact.text} ({fact.source})" for fact in judge(read)[1].facts)


def judge_asked(read: Reading, said: CachedVerdict = QUOTA) -> Judged:
    """Return what is decided about the one session once the usage endpoint has answered this program."""
    facts = facts_of(read)
    facts.put(said)
    (session,) = facts.sessions.values()
    return judged(facts, session, NOW)


def test_a_session_that_its_primary_serves_is_on_its_primary() -> None:
    way, diagnosis = judge(reading(FREE, spoken=conversation(served(PRIMARY, 10))))
    assert diagnosis.code is Code.ON_PRIMARY
    assert way.step is Step.NOTHING


def test_c124_the_route_is_that_of_the_last_answer_and_not_the_one_that_the_session_names() -> None:
    (row,) = facts_of(reading(BENCHED, told=(*LEFT, POOLLESS))).sessions.values()
    assert str(row.requested) == "openai-codex/gpt-5.5"
    assert (str(row.active), row.position) == ("custom:fb/small", 1)


def test_a_primary_that_ran_out_waits_for_the_date_of_its_provider() -> None:
    way, diagnosis = judge(reading(BENCHED, told=(*LEFT, POOLLESS)))
    assert diagnosis.code is Code.WAITING_FOR_RESET
    assert diagnosis.next is not None
    assert diagnosis.next.at == NOW + 2 * DAY
    assert [gate.name for gate in way.gates] == [GateName.SESSION_COOLDOWN, GateName.POOL, GateName.RESTORE_CHECK]


def test_what_is_only_in_memory_says_that_it_is_inferred_and_from_what() -> None:
    told = texts(reading(BENCHED, told=(*LEFT, POOLLESS)))
    assert "the session's own cooldown, in Hermes' memory (inferred from agent.log)" in told
    assert "oauth-1 is benched: 429 usage limit (auth.json)" in told


WITHOUT_BACKOFF: Final = (LEFT[0], LEFT[1], LEFT[3])
"""A switch as an older Hermes logs it: its cooldown of a minute is in no line."""


def test_c72_an_older_hermes_asks_nobody_and_tries_again_after_a_minute_whatever_the_date() -> None:
    way, diagnosis = judge(reading(BENCHED, told=WITHOUT_BACKOFF, release=OLD))
    assert (diagnosis.code, way.step) == (Code.NO_EARLY_REOPEN, Step.RESTORE)
    assert "after a minute, whatever the date" in diagnosis.text
    assert "costs a failed request" in diagnosis.helps
    assert [gate.name for gate in way.gates] == [GateName.SESSION_COOLDOWN]


def test_an_older_hermes_stays_on_its_fallback_for_that_minute() -> None:
    read = reading(BENCHED, told=WITHOUT_BACKOFF, release=OLD)
    way, diagnosis = judge(read, NOW - 550)
    assert way.step is Step.STAY
    assert diagnosis.next is not None
    assert diagnosis.next.at == NOW - 540


def test_c94_an_older_hermes_goes_back_by_itself_to_a_quota_that_is_back() -> None:
    diagnosis = judge_asked(reading(BENCHED, told=WITHOUT_BACKOFF, release=OLD))[1]
    assert diagnosis.code is Code.RESTORE_DUE
    assert "a minute after a limit" in diagnosis.text
    assert diagnosis.next == NextChange(PlainText("returns at its next turn"), NOW)
    said = replace(QUOTA, asked_at=NOW - 601)
    assert judge_asked(reading(BENCHED, told=WITHOUT_BACKOFF, release=OLD), said)[1].code is Code.LYING_PROBE


def test_where_it_cannot_be_told_which_hermes_runs_that_is_said_and_no_more_is_claimed() -> None:
    back = happening(Kind.RESTORED, 602, model="gpt-5.5", provider="openai-codex")
    told = texts(reading(BENCHED, told=(back, *LEFT), release=None))
    assert "which Hermes runs here could not be told: judged by the rules of 0.22 (hermes-tui)" in told
    assert "this Hermes tries again" not in told
    assert "could not be told" not in texts(reading(BENCHED, told=LEFT, release=OLD))


def test_a_lift_is_not_saved_where_the_fallback_has_a_pool_of_its_own() -> None:
    read = reading(BENCHED, told=(*LEFT, POOLED))
    assert "an early reopening would not be saved" in texts(read)
    assert judge_asked(read)[1].code is Code.LIFT_NOT_SAVED


def test_a_cooldown_in_memory_outlives_a_clean_file() -> None:
    way, diagnosis = judge(reading(replace(FREE, cleared_at=NOW - 60), told=(*LEFT, POOLLESS)))
    assert diagnosis.code is Code.COOLDOWN_IN_MEMORY
    assert way.step is Step.STAY
    assert diagnosis.next is not None
    assert diagnosis.next.at == NOW + 2 * DAY


def test_a_cooldown_in_memory_outlives_a_login_that_somebody_freed_beside_a_benched_one() -> None:
    other = replace(FREE, id="bbbbbb", label="oauth-2", fingerprint="2222")
    assert judge(reading(BENCHED, other, told=(*LEFT, POOLLESS)))[1].code is Code.COOLDOWN_IN_MEMORY


def test_a_refusal_that_stands_in_no_login_says_why() -> None:
    back = happening(Kind.RESTORED, 700, model="gpt-5.5", provider="openai-codex")
    refused = happening(Kind.FAILED, 600, code=429, provider="openai-codex", reason="RateLimitError")
    read = reading(FREE, told=(back, refused, *LEFT[2:], POOLLESS))
    way, diagnosis = judge(read)
    assert diagnosis.code is Code.NO_EARLY_REOPEN
    assert [gate.name for gate in way.gates if gate.passed] == [GateName.POOL]
    assert "its last 429 is not in auth.json: it had been restored without its pool" in texts(read)
    assert "oauth-1 is benched: 429 rate limit (inferred from agent.log)" in texts(read)
    assert "not in auth.json" not in texts(reading(BENCHED, told=(back, *LEFT, POOLLESS)))


def test_c98_the_credential_that_was_taken_back_tells_of_a_lying_probe() -> None:
    again = happening(Kind.SAME_AGAIN, 600)
    assert judge(reading(BENCHED, told=(*LEFT, again, POOLLESS)))[1].code is Code.LYING_PROBE


def test_c98_coming_back_for_nothing_tells_of_a_lying_probe() -> None:
    back = happening(Kind.RESTORED, 602, model="gpt-5.5", provider="openai-codex")
    until_then = happening(Kind.BACKOFF, 900, reason="provider reset", until=NOW + 2 * DAY)
    read = reading(BENCHED, told=(until_then, back, *LEFT, POOLLESS))
    assert judge(read)[1].code is Code.LYING_PROBE
    assert "came back once for nothing" in texts(read)


def test_a_return_that_the_user_forced_is_no_lie_of_the_probe() -> None:
    until_then = happening(Kind.BACKOFF, 900, reason="provider reset", until=NOW + 2 * DAY)
    asked, done = (happening(Kind.ACT, ago, reason="force_restore") for ago in (650, 601))
    back = happening(Kind.RESTORED, 602, model="gpt-5.5", provider="openai-codex")
    forced = (until_then, asked, back, done, *LEFT, POOLLESS)
    assert judge(reading(BENCHED, told=forced))[1].code is Code.WAITING_FOR_RESET
    early = [replace(one, time=one.time + 300) for one in (back, *LEFT, POOLLESS)]
    assert judge(reading(BENCHED, told=(*forced, *early)))[1].code is Code.LYING_PROBE


def test_a_lie_of_the_probe_is_over_once_the_session_has_left_for_another_reason() -> None:
    until_then = happening(Kind.BACKOFF, 900, reason="provider reset", until=NOW + 2 * DAY)
    back = happening(Kind.RESTORED, 602, model="gpt-5.5", provider="openai-codex")
    again = replace(back, time=NOW - 300)
    refused = happening(Kind.FAILED, 299, code=400, provider="openai-codex", reason="BadRequestError")
    left = replace(LEFT[3], time=NOW - 299)
    read = reading(FREE, told=(until_then, back, *LEFT, POOLLESS, again, refused, left))
    assert judge(read)[1].code is Code.PRIMARY_FAILING


def test_c98_coming_back_at_the_date_into_another_limit_is_no_lie() -> None:
    until_then = happening(Kind.BACKOFF, 900, reason="exponential fallback", until=NOW - 700)
    back = happening(Kind.RESTORED, 602, model="gpt-5.5", provider="openai-codex")
    read = reading(BENCHED, told=(until_then, back, *LEFT, POOLLESS))
    assert judge(read)[1].code is Code.WAITING_FOR_RESET


def test_c72_coming_back_to_a_primary_that_fails_on_its_own_side_is_no_lie() -> None:
    back = happening(Kind.RESTORED, 602, model="gpt-5.5", provider="openai-codex")
    refused = happening(Kind.FAILED, 600, code=503, provider="openai-codex", reason="overloaded")
    read = reading(FREE, told=(back, refused, LEFT[3], POOLLESS))
    assert judge(read)[1].code is Code.PRIMARY_FAILING
    assert "came back once for nothing" in texts(read)


def test_c98_our_own_question_and_a_refusal_soon_after_contradict_each_other() -> None:
    said = replace(QUOTA, asked_at=NOW - 700, expires_at=NOW - 400)
    assert judge_asked(reading(BENCHED, told=(*LEFT, POOLLESS)), said)[1].code is Code.LYING_PROBE


def test_c98_a_refusal_that_no_login_tells_of_contradicts_as_well() -> None:
    refused = happening(Kind.FAILED, 600, code=429, provider="openai-codex", reason="RateLimitError")
    said = replace(QUOTA, asked_at=NOW - 700, expires_at=NOW - 400)
    read = reading(replace(BENCHED, status_at=NOW - DAY), told=(refused, *LEFT[2:], POOLLESS))
    assert judge_asked(read, said)[1].code is Code.LYING_PROBE


def test_c98_a_refusal_long_after_the_verdict_is_ordinary_exhaustion() -> None:
    said = replace(QUOTA, asked_at=NOW - 1000, expires_at=NOW - 700)
    for pool in (POOLED, POOLLESS):
        assert judge_asked(reading(BENCHED, told=(*LEFT, pool)), said)[1].code is Code.WAITING_FOR_RESET


def test_c94_a_quota_that_is_back_says_when_hermes_will_find_that_out() -> None:
    way, diagnosis = judge_asked(reading(BENCHED, told=(*LEFT, POOLLESS)))
    assert (diagnosis.code, way.step) == (Code.RESTORE_DUE, Step.CHECK)
    assert "at most every 300 s" in diagnosis.text
    assert any(fact.text == "the usage endpoint says quota: room" for fact in diagnosis.facts)


@pytest.mark.parametrize("verdict", [Verdict.NO_QUOTA, Verdict.UNKNOWN])
def test_c101_what_is_no_quota_leaves_the_diagnosis_and_is_a_fact(verdict: Verdict) -> None:
    said = replace(QUOTA, verdict=verdict, why=PlainText("the usage endpoint itself is throttled (429)"))
    diagnosis = judge_asked(reading(BENCHED, told=(*LEFT, POOLLESS)), said)[1]
    assert diagnosis.code is Code.WAITING_FOR_RESET
    (fact,) = (fact for fact in diagnosis.facts if fact.source == "asked by hermes-tui")
    assert "says no quota" in fact.text or "gives no verdict" in fact.text


def test_c99_a_verdict_about_another_model_says_nothing_about_this_one() -> None:
    other = replace(QUOTA, key=QUOTA.key._replace(model="gpt-5.5-mini"))
    diagnosis = judge_asked(reading(BENCHED, told=(*LEFT, POOLLESS)), other)[1]
    assert diagnosis.code is Code.WAITING_FOR_RESET
    assert all(fact.source != "asked by hermes-tui" for fact in diagnosis.facts)


def test_c56_a_login_that_is_benched_for_the_primarys_model_alone_says_so() -> None:
    login = replace(FREE, model_cooldowns=(("gpt-5.5", NOW + DAY), ("other", NOW + 9 * DAY)))
    read = reading(login, told=(LEFT[0], LEFT[3], POOLLESS))
    way, diagnosis = judge_asked(read)
    assert (diagnosis.code, way.step) == (Code.NO_EARLY_REOPEN, Step.STAY)
    assert diagnosis.next is not None
    assert diagnosis.next.at == NOW + DAY
    assert "oauth-1 is benched: for gpt-5.5 alone (auth.json)" in texts(read)
    assert judge(reading(replace(login, model_cooldowns=(("other", NOW + DAY),)), told=LEFT[3:]))[1].code is (
        Code.RESTORE_DUE
    )


def test_c104_a_primary_that_looks_healthy_and_refused_the_last_request_says_that() -> None:
    refused = happening(Kind.FAILED, 600, code=401, provider="openai-codex")
    diagnosis = judge_asked(reading(FREE, told=(refused, LEFT[3], POOLLESS)))[1]
    assert diagnosis.code is not Code.ON_PRIMARY
    assert diagnosis.facts[0].text == "left openai-codex/gpt-5.5: 401 not authorised"


UNANSWERED: Final = happening(Kind.ENDED, 590, code=429, reason=RETRIES_USED_UP, text=PlainText("HTTP 429: limit"))


def test_c104_a_primary_that_ran_out_without_a_fallback_is_not_told_as_well() -> None:
    home = conversation(served(PRIMARY, 900))
    read = reading(BENCHED, told=(LEFT[0], LEFT[1], UNANSWERED), spoken=home, chain=())
    diagnosis = judge(read)[1]
    assert diagnosis.code is Code.CHAIN_EXHAUSTED
    assert diagnosis.next is not None
    assert diagnosis.next.at == NOW + 2 * DAY
    told = texts(read)
    assert "no route answered its last turn: 429 rate limit (inferred from agent.log)" in told
    assert "there is no fallback that can serve (config.yaml)" in told
    assert "oauth-1 is benched: 429 usage limit (auth.json)" in told


def test_c104_a_fallback_that_failed_too_is_no_waiting_for_the_primary() -> None:
    assert judge(reading(BENCHED, told=(*LEFT, POOLLESS, UNANSWERED)))[1].code is Code.CHAIN_EXHAUSTED


@pytest.mark.parametrize("kind", [Kind.TURN, Kind.CALLED, Kind.ANSWERED])
def test_a_turn_that_was_not_answered_is_forgotten_with_the_next_one(kind: Kind) -> None:
    read = reading(BENCHED, told=(*LEFT, POOLLESS, UNANSWERED, happening(kind, 5)))
    assert judge(read)[1].code is Code.WAITING_FOR_RESET


def test_a_session_on_its_primary_tells_of_a_login_that_is_benched_meanwhile() -> None:
    read = reading(BENCHED, spoken=conversation(served(PRIMARY, 10)))
    assert judge(read)[1].code is Code.ON_PRIMARY
    assert "oauth-1 is benched: 429 usage limit (auth.json)" in texts(read)


def test_a_second_credential_that_is_never_tried_is_named() -> None:
    other = replace(FREE, id="bbbbbb", label="oauth-2", fingerprint="2222")
    read = reading(BENCHED, other, told=(*LEFT, happening(Kind.SAME_AGAIN, 599)))
    assert judge(read)[1].code is Code.CREDENTIAL_NOT_TRIED
    assert "oauth-2 is free (auth.json)" in texts(read)


def test_c95_an_expired_token_that_nothing_renews_blinds_the_check() -> None:
    read = reading(replace(BENCHED, expires_at=NOW - 1), told=(*LEFT, POOLLESS))
    way, diagnosis = judge(read)
    assert (diagnosis.code, way.step) == (Code.PROBE_BLIND, Step.STAY)
    assert way.gates[-1].text == "the access token has expired"
    assert "its access token has expired, and nothing renews it (auth.json)" in texts(read)


def test_c95_an_expired_token_that_hermes_can_renew_blinds_nothing() -> None:
    way, diagnosis = judge(reading(replace(BENCHED, expires_at=NOW - 1, can_refresh=True), told=(*LEFT, POOLLESS)))
    assert (diagnosis.code, way.step) == (Code.WAITING_FOR_RESET, Step.CHECK)
    assert way.gates[-1].text.endswith("Hermes renews the expired token first")


@pytest.mark.parametrize(
    ("code", "reason", "step"),
    [(401, "unauthorized", Step.STAY), (402, "billing", Step.STAY), (403, "usage_limit_reached", Step.CHECK)],
)
def test_c94_hermes_asks_about_a_quota_alone(code: int, reason: str, step: Step) -> None:
    benched = replace(BENCHED, code=code, reason=reason)
    assert judge(reading(benched, told=(*LEFT, POOLLESS)))[0].step is step


def test_c65_a_pool_out_of_credit_is_not_told_to_wait() -> None:
    broke = replace(BENCHED, code=402, reason="billing", reset_at=None, benched_until=NOW + 3000)
    assert judge(reading(broke, told=LEFT))[1].code is Code.OUT_OF_CREDIT


@pytest.mark.parametrize(
    "login", [replace(FREE, status="dead", status_at=NOW - 60, code=401), replace(FREE, has_token=False)]
)
def test_c54_a_login_that_looks_healthy_and_is_not_is_dead(login: object) -> None:
    read = reading(login, told=LEFT)  # type: ignore[arg-type]
    assert judge(read)[1].code is Code.CREDENTIAL_DEAD
    assert "oauth-1 is dead" in texts(read)


def test_c72_a_primary_that_fails_without_a_limit_is_tried_at_every_turn() -> None:
    told = (happening(Kind.FAILED, 600, code=503, reason="overloaded"), LEFT[-1])
    assert judge(reading(FREE, told=told))[1].code is Code.PRIMARY_FAILING


def test_nothing_in_the_way_is_told_as_that() -> None:
    way, diagnosis = judge(reading(FREE, told=LEFT[-1:]))
    assert diagnosis.code is Code.RESTORE_DUE
    assert way.step is Step.RESTORE


def test_c82_a_session_on_an_older_chain_says_when_it_takes_the_new_one() -> None:
    assert "it takes the chain at its next turn once its cooldown is over (config.yaml)" in texts(
        reading(BENCHED, told=(*LEFT, POOLLESS), modified_at=NOW - 5)
    )


def test_c116_entries_that_cannot_serve_are_counted() -> None:
    broken = replace(FALLBACK, faults=(PlainText("no model"),))
    read = reading(FREE, chain=(broken, FALLBACK), spoken=conversation(served(PRIMARY, 5)))
    assert "1 of 2 fallback entries cannot serve: custom:fb/small: no model (config.yaml)" in texts(read)


def test_a_session_that_was_restored_without_its_pool_says_what_that_costs() -> None:
    told = (*LEFT, POOLLESS, happening(Kind.RESTORED, 30, model="gpt-5.5", provider="openai-codex"))
    read = reading(FREE, told=told, spoken=conversation(served(PRIMARY, 20), served(FALLBACK, 500)))
    assert judge(read)[1].code is Code.ON_PRIMARY
    assert "a next 429 will not be written to auth.json" in texts(read)


def test_a_restore_that_no_answer_has_proved_says_so() -> None:
    told = (*LEFT, POOLLESS, happening(Kind.RESTORED, 30, model="gpt-5.5", provider="openai-codex"))
    assert "restored; no answer of the primary since" in texts(reading(FREE, told=told))


def test_a_serving_route_that_the_file_no_longer_has_is_shown_at_the_end() -> None:
    (row,) = facts_of(reading(BENCHED, told=(*LEFT, POOLLESS), chain=())).sessions.values()
    assert (row.position, row.chain[-1].fault) == (1, "not in the file any more")


def test_every_diagnosis_that_can_be_given_has_its_sentences() -> None:
    assert set(SENTENCES) == set(Code)
