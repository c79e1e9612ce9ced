"""A turn, from its first request to its reply or its end (M1 ... M12)."""

import asyncio

import pytest

from hermes_tui.core.diagnosis import Code
from hermes_tui.core.event import (
    ConversationCompacted,
    CredentialBenched,
    FallbackActivated,
    FallbackSkipped,
    PrimaryRecoveryTried,
    PrimaryRestored,
    PrimaryVerified,
    RestoreFailed,
    RestoreRefused,
    RetryScheduled,
    TurnCompleted,
    TurnFailed,
)
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.session import Phase, SkipReason, WaitKind
from hermes_tui.simulator.mode import Mode
from tests.engine.theatre import DAY, HOUR, play, scenario, theatre

ONE_FALLBACK = scenario("backup/small")
TWO_KEYS = scenario("backup/small", keys={"openai-codex": 2})


@play
async def test_m1_a_clean_turn_is_one_request_and_one_reply() -> None:
    async with theatre(ONE_FALLBACK) as on:
        assert await on.turn()
        assert on.calls() == 1
        completed = on.events(TurnCompleted)[0]
        assert (completed.provider, completed.credential) == ("openai-codex", "openai-codex-1")
        assert completed.text
        assert [message.role.value for message in on.on.ledger.messages("s1")] == ["user", "assistant"]


@play
async def test_m2_a_server_error_is_retried_on_the_same_route_with_growing_waits() -> None:
    async with theatre(scenario(primary="backup/small")) as on:
        on.mode("backup", Mode.SERVER_ERROR)
        assert not await on.turn()
        scheduled = on.events(RetryScheduled)
        assert [event.attempt for event in scheduled] == [2, 3]
        waits = [event.until - event.time for event in scheduled]
        assert 2.0 <= waits[0] <= 120.0
        assert waits[1] > waits[0] * 0.6


@play
async def test_m3_the_primary_is_tried_once_more_on_a_new_connection() -> None:
    async with theatre(ONE_FALLBACK) as on:
        on.mode("openai-codex", Mode.SERVER_ERROR)
        assert await on.turn()
        assert on.calls("openai-codex") == 4
        assert len(on.events(PrimaryRecoveryTried)) == 1
        assert on.row().position == 1


@play
async def test_m3_a_fallback_route_is_not_recovered() -> None:
    async with theatre(scenario("backup/small", "spare/tiny")) as on:
        on.limit()
        on.mode("backup", Mode.SERVER_ERROR)
        assert await on.turn()
        assert on.calls("backup") == 3
        assert on.row().position == 2


@pytest.mark.parametrize("mode", [Mode.EMPTY, Mode.BROKEN, Mode.ERROR_FRAME])
def test_m4_an_answer_that_is_none_counts_as_a_failure_and_is_never_kept(mode: Mode) -> None:
    @play
    async def run() -> None:
        async with theatre(ONE_FALLBACK) as on:
            on.mode("openai-codex", mode)
            assert await on.turn()
            assert on.events(TurnCompleted)[0].provider == "backup"
            assert len(on.on.ledger.messages("s1")) == 2
            assert not on.events(PrimaryRecoveryTried)

    run()


@play
async def test_m4_text_of_an_attempt_that_broke_is_not_shown_before_the_next_ones() -> None:
    async with theatre(scenario("backup/small", runtime={"max_retries": 1})) as on:
        on.mode("openai-codex", Mode.BROKEN)
        on.pace("backup", tokens_per_second=2)
        turn = asyncio.ensure_future(on.turn())
        await on.until_asked("backup")
        live = on.fleet.snapshot().sessions[0].live
        assert live is not None
        assert live.text == ""
        await turn


@play
async def test_m5_c41_a_quota_limit_is_one_call_and_no_wait() -> None:
    async with theatre(ONE_FALLBACK) as on:
        on.limit()
        before = on.clock.now()
        assert await on.turn()
        assert on.calls("openai-codex") == 1
        assert on.clock.now() - before < 1.0
        assert not on.events(RetryScheduled)


@play
async def test_m5_min_switch_reset_seconds_waits_out_a_near_reset() -> None:
    async with theatre(scenario("backup/small", runtime={"min_switch_reset_seconds": 60})) as on:
        on.mode("openai-codex", Mode.RATE_LIMIT, retry_after=20)
        turn = asyncio.ensure_future(on.turn())
        await on.until(lambda: on.row().phase is Phase.WAITING)
        on.mode("openai-codex", Mode.OK)
        assert await turn
        assert not on.row().on_fallback


@play
async def test_m6_c87_the_notice_names_the_route_that_the_next_request_used() -> None:
    async with theatre(scenario("keyless/big", "backup/small", entries={"keyless/big": {"context_length": 1}})) as on:
        on.limit()
        await on.turn(prompt="A prompt that is longer than three bytes.")
        activated = on.events(FallbackActivated)
        assert [(event.provider, event.position) for event in activated] == [("backup", 2)]
        assert "backup/small" in activated[0].notice
        assert on.calls("keyless") == 0


@play
async def test_m7_c76_an_entry_whose_window_is_too_small_is_skipped_with_its_reason() -> None:
    script = scenario("tiny/model", "backup/small", entries={"tiny/model": {"context_length": 10}})
    async with theatre(script) as on:
        on.limit()
        await on.turn(prompt="word " * 50)
        skipped = on.events(FallbackSkipped)
        assert [(event.kind, event.position) for event in skipped] == [(SkipReason.TOO_SMALL, 1)]
        assert "10 tokens" in skipped[0].reason


@play
async def test_m7_cooling_is_a_reason_of_its_own_and_ends_by_itself() -> None:
    async with theatre(scenario("backup/small", "spare/tiny")) as on:
        on.limit()
        on.limit("backup", resets_in=600)
        await on.turn()
        await on.turns(1, apart=700)
        assert on.row().position == 2
        on.mode("backup", Mode.OK)
        on.mode("spare", Mode.SERVER_ERROR)
        await on.turns(1, apart=10)
        assert on.row().on_fallback


@play
async def test_m8_c128_an_exhausted_chain_names_every_route_and_the_earliest_return() -> None:
    async with theatre(scenario("backup/small", "spare/tiny")) as on:
        on.limit(resets_in=3 * DAY)
        on.limit("backup", resets_in=2 * 3600)
        on.limit("spare", resets_in=5 * 3600)
        assert not await on.turn()
        failed = on.events(TurnFailed)[0]
        for name in ("openai-codex/gpt", "backup/small", "spare/tiny"):
            assert name in failed.error
        assert failed.earliest is not None
        assert failed.earliest == pytest.approx(on.clock.now() + 2 * 3600, abs=5)
        assert on.diagnosis().code is Code.CHAIN_EXHAUSTED


@play
async def test_m8_nothing_restarts_by_itself_and_the_next_turn_walks_from_the_first_entry() -> None:
    async with theatre(scenario("backup/small", "spare/tiny")) as on:
        on.limit()
        on.limit("backup", resets_in=600)
        on.limit("spare", resets_in=3600)
        assert not await on.turn()
        calls = on.calls()
        await on.clock.sleep(1200)
        assert on.calls() == calls
        on.mode("backup", Mode.OK)
        assert await on.turn()
        assert on.row().position == 1


@play
async def test_m9_a_revoked_sign_in_is_dead_and_never_selected_again() -> None:
    async with theatre(scenario("backup/small", keys={"openai-codex": 2})) as on:
        on.mode("openai-codex", Mode.REVOKED, account="openai-codex-1")
        await on.turn()
        assert on.credential("openai-codex").death is not None
        await on.turns(3, apart=HOUR)
        assert on.calls_by_key("openai-codex")["openai-codex-1"] == 1


@play
async def test_m9_with_no_live_credential_the_session_says_so() -> None:
    async with theatre(ONE_FALLBACK) as on:
        on.mode("openai-codex", Mode.REVOKED)
        assert await on.turn()
        assert on.diagnosis().code is Code.CREDENTIAL_DEAD


@play
async def test_m9_out_of_credit_is_called_credit_and_never_a_limit() -> None:
    async with theatre(ONE_FALLBACK) as on:
        on.mode("openai-codex", Mode.PAYMENT_REQUIRED)
        await on.turn()
        benched = on.events(CredentialBenched)[0]
        assert benched.reason is FailureKind.BILLING
        assert on.diagnosis().code is Code.OUT_OF_CREDIT
        assert "limit" not in on.diagnosis().text


@play
async def test_m9_an_unknown_model_goes_on_along_the_chain_and_leaves_the_credential_healthy() -> None:
    async with theatre(ONE_FALLBACK) as on:
        on.mode("openai-codex", Mode.UNKNOWN_MODEL)
        assert await on.turn()
        assert on.calls("openai-codex") == 1
        assert not on.events(CredentialBenched)


@play
async def test_m11_the_turn_has_one_deadline_over_everything() -> None:
    async with theatre(scenario(primary="backup/small", runtime={"turn_timeout_seconds": 30})) as on:
        on.pace("backup", latency=100)
        before = on.clock.now()
        assert not await on.turn()
        assert on.clock.now() - before == pytest.approx(30, abs=1)
        assert "30 s" in on.events(TurnFailed)[0].error
        assert on.row().phase is Phase.IDLE


@play
async def test_m22_a_pool_that_is_used_up_is_left_for_its_limit_although_its_first_credential_is_back() -> None:
    async with theatre(TWO_KEYS) as on:
        on.pace("openai-codex", latency=3)
        on.limit(account="openai-codex-1", resets_in=1)
        on.limit(account="openai-codex-2")
        await on.turn()
        left, own = on.row().departure, on.row().cooldown
        assert left is not None
        assert left.reason is FailureKind.USAGE_LIMIT
        assert own is not None
        assert own.kind is WaitKind.LIMIT


@play
async def test_m22_c11_a_primary_that_fails_all_day_is_not_paid_for_at_each_turn() -> None:
    async with theatre(ONE_FALLBACK) as on:
        on.mode("openai-codex", Mode.SERVER_ERROR)
        await on.turn()
        await on.turns(6 * 30, apart=120)
        assert on.row().on_fallback
        # The hold grows to ten minutes: at most one failing try (four requests) in that time.
        assert on.calls("openai-codex") <= 4 * (6 * 6 + 8)
        assert on.diagnosis().code is Code.PRIMARY_FAILING


@play
async def test_m24_c74_after_a_recovery_a_later_limit_starts_at_the_first_entry_again() -> None:
    async with theatre(scenario("backup/small", "spare/tiny")) as on:
        on.limit(resets_in=600)
        on.limit("backup", resets_in=600)
        await on.turn()
        assert on.row().position == 2
        on.mode("backup", Mode.OK)
        on.mode("openai-codex", Mode.OK)
        await on.turns(1, apart=700)
        assert on.row().position == 0
        on.limit()
        await on.turn()
        assert on.row().position == 1


@play
async def test_m25_sticky_stays_on_the_fallback() -> None:
    async with theatre(scenario("backup/small", runtime={"restore": "sticky"})) as on:
        on.limit(resets_in=60)
        await on.turn()
        on.mode("openai-codex", Mode.OK)
        await on.turns(3, apart=600)
        assert on.row().on_fallback
        assert on.diagnosis().code is Code.PINNED


@play
async def test_m30_c72_the_reason_for_staying_is_recorded_once_per_episode() -> None:
    async with theatre(scenario("backup/small", primary="zai/glm")) as on:
        on.limit("zai", resets_in=2 * 3600)
        await on.turn()
        await on.turns(10, apart=60)
        assert on.calls("zai") == 1
        assert len(on.events(RestoreRefused)) == 1
        assert on.probes() == 0


@play
async def test_m31_c71_a_restore_selects_anew_and_never_puts_a_dead_key_back() -> None:
    async with theatre(scenario("backup/small", keys={"openai-codex": 2})) as on:
        on.mode("openai-codex", Mode.REVOKED, account="openai-codex-1")
        on.limit(account="openai-codex-2", resets_in=60)
        await on.turn()
        on.mode("openai-codex", Mode.OK, account="openai-codex-2")
        await on.turns(1, apart=61)
        assert len(on.events(PrimaryRestored)) == 1
        assert on.calls_by_key("openai-codex") == {"openai-codex-1": 1, "openai-codex-2": 2}


@play
async def test_m32_a_restored_primary_that_answers_503_is_retried_on_its_trial() -> None:
    async with theatre(ONE_FALLBACK) as on:
        on.limit()
        await on.turn()
        on.reopen()
        on.mode("openai-codex", Mode.SERVER_ERROR)
        before = on.calls("openai-codex")
        await on.turns(1, apart=60)
        assert on.calls("openai-codex") - before == 4
        left = on.row().departure
        assert left is not None
        assert left.reason is FailureKind.SERVER_ERROR


@play
async def test_m33_a_second_credential_that_serves_verifies_the_restore() -> None:
    async with theatre(TWO_KEYS) as on:
        on.limit()
        on.lie()
        await on.turn()
        on.mode("openai-codex", Mode.OK, account="openai-codex-2")
        await on.turns(1, apart=60)
        assert len(on.events(PrimaryRestored)) == 1
        assert not on.row().on_fallback
        assert len(on.events(PrimaryVerified)) == 1
        assert not on.events(RestoreFailed)


@play
async def test_c60_a_new_session_starts_on_the_fallback_and_says_so_while_the_primary_cools_down() -> None:
    async with theatre(scenario("backup/small", sessions=2)) as on:
        on.limit(resets_in=3600)
        await on.turn("s1")
        assert await on.turn("s2")
        assert on.calls("openai-codex") == 1
        (activated,) = on.events(FallbackActivated, "s2")
        assert "usage limit" in activated.notice
        assert "backup/small answers now" in activated.notice
        assert on.row("s2").cooldown is not None
        on.mode("openai-codex", Mode.OK)
        await on.turns(1, apart=3601, session="s2")
        assert not on.row("s2").on_fallback


@play
async def test_m9_an_overflow_is_compacted_three_times_and_then_goes_along_the_chain() -> None:
    async with theatre(ONE_FALLBACK) as on:
        for _ in range(12):
            await on.turn(prompt="word " * 20)
        on.mode("openai-codex", Mode.TOO_LONG)
        assert await on.turn(prompt="word " * 20)
        compacted = on.events(ConversationCompacted)
        assert len(compacted) == 3
        assert compacted[0].left_out < compacted[-1].left_out
        assert on.row().position == 1
        assert len(on.on.ledger.messages("s1")) == 26


@play
async def test_m9_c26_a_refused_content_stops_and_goes_to_no_other_provider() -> None:
    async with theatre(ONE_FALLBACK) as on:
        on.mode("openai-codex", Mode.CONTENT_REFUSED)
        assert not await on.turn()
        assert on.calls() == 1
        assert "content policy" in on.events(TurnFailed)[0].error


@play
async def test_m9_a_refused_content_moves_on_where_the_configuration_says_so() -> None:
    async with theatre(scenario("backup/small", runtime={"on_refusal": "fallback"})) as on:
        on.mode("openai-codex", Mode.CONTENT_REFUSED)
        assert await on.turn()
        assert on.events(TurnCompleted)[0].provider == "backup"


@play
async def test_the_prompt_stands_in_the_conversation_while_its_reply_streams() -> None:
    async with theatre(ONE_FALLBACK) as on:
        on.pace("openai-codex", latency=1, tokens_per_second=1)
        turn = asyncio.ensure_future(on.turn(prompt="What is new?"))
        await on.until(lambda: bool((live := on.fleet.snapshot().sessions[0].live) and live.text))
        assert [message.text for message in on.fleet.snapshot().sessions[0].messages] == ["What is new?"]
        assert await turn
        assert len(on.fleet.snapshot().sessions[0].messages) == 2
