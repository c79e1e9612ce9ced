"""What users of Hermes meet: each is told apart, with the facts that it rests on."""

from dataclasses import replace

import pytest

from hermes_tui.core.diagnosis import Code
from hermes_tui.core.restoring import GateName, Step
from hermes_tui.core.text import PlainText
from hermes_tui.core.verdict import CachedVerdict, Verdict, VerdictKey
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


def texts(read: Reading) -> str:
    """Return the facts of the diagnosis as one text, each with its source."""
    return "\n".join(f"{fact.text} ({fact.source})" for fact in judge(read)[1].facts)


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


def test_an_older_hermes_does_not_ask_whether_it_reopened() -> None:
    way, diagnosis = judge(reading(BENCHED, told=LEFT, release=OLD))
    assert diagnosis.code is Code.NO_EARLY_REOPEN
    assert all(gate.name is not GateName.RESTORE_CHECK for gate in way.gates)


def test_where_it_cannot_be_told_which_hermes_runs_that_is_said_and_no_more_is_claimed() -> None:
    back = happening(Kind.RESTORED, 602, model="gpt-5.5", provider="openai-codex")
    told = texts(reading(BENCHED, told=(back, *LEFT), release=None))
    assert "which Hermes runs here could not be told: judged by the rules of 0.22 (hermes-tui)" in told
    assert "this Hermes tries again" not in told
    assert "could not be told" not in texts(reading(BENCHED, told=LEFT, release=OLD))


def test_a_lift_is_not_saved_where_the_fallback_has_a_pool_of_its_own() -> None:
    read = reading(BENCHED, told=(*LEFT, POOLED))
    assert "an early reopening would not be saved" in texts(read)
    facts = facts_of(read)
    key = VerdictKey("openai-codex", "aaaaaa", "gpt-5.5", "1111")
    facts.put(CachedVerdict(key, Verdict.QUOTA, PlainText("room"), NOW - 10, NOW + 290))
    (row,) = facts.sessions.values()
    assert facts.judge is not None
    assert facts.judge(facts, row, NOW)[1].code is Code.LIFT_NOT_SAVED


def test_a_cooldown_in_memory_outlives_a_clean_file() -> None:
    way, diagnosis = judge(reading(replace(FREE, cleared_at=NOW - 60), told=(*LEFT, POOLLESS)))
    assert diagnosis.code is Code.COOLDOWN_IN_MEMORY
    assert way.step is Step.STAY
    assert diagnosis.next is not None
    assert diagnosis.next.at == NOW + 2 * DAY


def test_c98_the_credential_that_was_taken_back_tells_of_a_lying_probe() -> None:
    again = happening(Kind.SAME_AGAIN, 600)
    assert judge(reading(BENCHED, told=(*LEFT, again, POOLLESS)))[1].code is Code.LYING_PROBE


def test_c98_coming_back_for_nothing_tells_of_a_lying_probe() -> None:
    back = happening(Kind.RESTORED, 602, model="gpt-5.5", provider="openai-codex")
    read = reading(BENCHED, told=(back, *LEFT, POOLLESS))
    assert judge(read)[1].code is Code.LYING_PROBE
    assert "came back once for nothing" in texts(read)


def test_c98_our_own_question_and_a_refusal_soon_after_contradict_each_other() -> None:
    facts = facts_of(reading(BENCHED, told=(*LEFT, POOLLESS)))
    key = VerdictKey("openai-codex", "aaaaaa", "gpt-5.5", "1111")
    facts.put(CachedVerdict(key, Verdict.QUOTA, PlainText("room"), NOW - 700, NOW - 400))
    (row,) = facts.sessions.values()
    assert facts.judge is not None
    assert facts.judge(facts, row, NOW)[1].code is Code.LYING_PROBE


def test_a_second_credential_that_is_never_tried_is_named() -> None:
    other = replace(FREE, id="bbbbbb", label="oauth-2", fingerprint="2222")
    read = reading(BENCHED, other, told=(*LEFT, happening(Kind.SAME_AGAIN, 599)))
    assert judge(read)[1].code is Code.CREDENTIAL_NOT_TRIED
    assert "oauth-2 is free (auth.json)" in texts(read)


def test_c95_an_expired_token_blinds_the_check() -> None:
    way, diagnosis = judge(reading(replace(BENCHED, expires_at=NOW - 1), told=(*LEFT, POOLLESS)))
    assert diagnosis.code is Code.PROBE_BLIND
    assert way.gates[-1].text == "the access token has expired"


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
    assert "1 of 2 fallback entries cannot serve (config.yaml)" in texts(read)


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
    not_given = {Code.PINNED, Code.CHAIN_EXHAUSTED}
    assert set(SENTENCES) == set(Code) - not_given
