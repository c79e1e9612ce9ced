"""Cases of retrying and waiting, each in a running session over real HTTP (M2 ... M5, C23 ... C44)."""

import asyncio

import pytest

from hermes_tui.core.acts import RetryNow, StopTurn, UseFallback
from hermes_tui.core.event import AttemptFailed, RetryScheduled, SessionInterrupted, TurnCompleted, TurnFailed
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.leaving import FAILING_LADDER_SECONDS
from hermes_tui.core.session import Phase
from hermes_tui.simulator.mode import Mode
from tests.engine.theatre import Theatre, play, scenario, theatre

PLAIN = scenario("backup/small", primary="zai/glm")
SLOW_RETRY = scenario("backup/small", primary="zai/glm", runtime={"backoff_base_seconds": 100})
ALONE = scenario(primary="zai/glm")


async def until_retries(on: Theatre, count: int) -> None:
    """Wait until so many retries were scheduled."""
    await on.until(lambda: len(on.events(RetryScheduled)) == count)


def same_reply(on: Theatre, provider: str) -> None:
    """Let a provider say the same in every reply."""
    on.on.simulator.world.providers[provider].replies = ("Once upon a time there was a reply.",)


@play
async def test_c23_empty_replies_are_retried_in_sight_and_a_good_one_ends_it_without_a_fallback() -> None:
    async with theatre(PLAIN) as on:
        on.mode("zai", Mode.EMPTY)
        turn = asyncio.ensure_future(on.turn())
        for attempt in (2, 3):
            await until_retries(on, attempt - 1)
            live = on.fleet.snapshot().sessions[0].live
            assert live is not None
            assert live.waiting_until is not None
            if attempt == 3:
                on.mode("zai", Mode.OK)
        assert await turn
        assert on.calls() == on.calls("zai") == 3
        assert [event.attempt for event in on.events(RetryScheduled)] == [2, 3]
        assert not on.row().on_fallback


@play
async def test_c23_the_count_of_empty_replies_starts_anew_after_a_good_one() -> None:
    async with theatre(PLAIN) as on:
        for _ in range(2):
            on.mode("zai", Mode.EMPTY)
            turn = asyncio.ensure_future(on.turn())
            await until_retries(on, len(on.events(RetryScheduled)) + 2)
            on.mode("zai", Mode.OK)
            assert await turn
        assert not on.row().on_fallback


@play
async def test_c25_a_reply_cut_off_twice_after_the_same_text_is_not_asked_for_again_there() -> None:
    async with theatre(PLAIN) as on:
        same_reply(on, "zai")
        on.mode("zai", Mode.BROKEN)
        assert await on.turn()
        assert on.calls("zai") == 2
        assert on.events(TurnCompleted)[0].provider == "backup"
        first, second = on.events(AttemptFailed)
        assert first.kind is second.kind is FailureKind.INVALID_RESPONSE
        assert "output filter" not in first.message
        assert "output filter" in second.message


@play
async def test_c25_replies_that_end_at_different_places_were_lost_on_the_way() -> None:
    async with theatre(PLAIN) as on:
        on.mode("zai", Mode.BROKEN)
        assert await on.turn()
        assert on.calls("zai") == 3
        assert {event.kind for event in on.events(AttemptFailed)} == {FailureKind.INVALID_RESPONSE}


@play
async def test_c33_a_long_wait_is_not_slept_out_while_another_key_is_free() -> None:
    async with theatre(scenario("backup/small", primary="zai/glm", keys={"zai": 2})) as on:
        on.mode("zai", Mode.RATE_LIMIT, account="zai-1", retry_after=600)
        before = on.clock.now()
        assert await on.turn()
        assert on.clock.now() - before < 1
        assert on.events(TurnCompleted)[0].credential == "zai-2"


@play
async def test_c33_with_nothing_else_the_turn_ends_and_says_when_it_can_go_on() -> None:
    async with theatre(ALONE) as on:
        on.mode("zai", Mode.RATE_LIMIT, retry_after=600)
        before = on.clock.now()
        assert not await on.turn()
        assert on.clock.now() - before < 1
        assert on.events(TurnFailed)[0].earliest == pytest.approx(before + 600, abs=1)


@play
async def test_c40_the_hold_of_a_primary_doubles_with_each_failure_and_starts_anew_after_a_served_request() -> None:
    async with theatre(PLAIN) as on:
        holds = []
        for mode in (Mode.UNAVAILABLE, Mode.UNAVAILABLE, Mode.UNAVAILABLE, Mode.OK, Mode.UNAVAILABLE):
            on.mode("zai", mode)
            await on.turn()
            own = on.row().cooldown
            holds.append(None if own is None else own.until - own.armed_at)
            await on.clock.sleep((holds[-1] or 0) + 1)
        first, _ = FAILING_LADDER_SECONDS
        assert holds == [first, 2 * first, 4 * first, None, first]


@pytest.mark.parametrize("max_retries", [1, 2, 3, 5])
@pytest.mark.parametrize("mode", [Mode.USAGE_LIMIT, Mode.SERVER_ERROR, Mode.UNAVAILABLE])
def test_c41_no_layer_below_multiplies_the_attempts(mode: Mode, max_retries: int) -> None:
    @play
    async def run() -> None:
        async with theatre(scenario(primary="zai/glm", runtime={"max_retries": max_retries})) as on:
            on.mode("zai", mode)
            assert not await on.turn()
            recovery = 1 if mode is Mode.SERVER_ERROR else 0
            assert on.calls() == (1 if mode is Mode.USAGE_LIMIT else max_retries + recovery)

    run()


@play
async def test_c43_waits_grow_stay_within_their_bounds_and_end() -> None:
    runtime = {"max_retries": 12, "turn_timeout_seconds": 7200}
    async with theatre(scenario(primary="zai/glm", runtime=runtime)) as on:
        on.mode("zai", Mode.UNAVAILABLE)
        assert not await on.turn()
        waits = [event.until - event.time for event in on.events(RetryScheduled)]
        assert len(waits) == 11
        assert all(2 <= wait <= 120 for wait in waits)
        assert 1.5 * waits[0] < waits[2] < waits[4] < waits[-1] <= 120


@pytest.mark.parametrize("act", [StopTurn("s1"), RetryNow("s1"), UseFallback("s1")])
def test_c44_a_wait_ends_with_the_users_word_and_stop_sends_nothing_more(
    act: StopTurn | RetryNow | UseFallback,
) -> None:
    @play
    async def run() -> None:
        async with theatre(SLOW_RETRY) as on:
            on.mode("zai", Mode.UNAVAILABLE)
            turn = asyncio.ensure_future(on.turn())
            await on.until(lambda: on.row().phase is Phase.WAITING)
            await on.clock.sleep(1)
            on.mode("zai", Mode.OK)
            before, calls = on.clock.now(), on.calls()
            await on.fleet.execute(act)
            assert await turn is not isinstance(act, StopTurn)
            assert on.clock.now() - before <= 0.5
            assert on.calls() - calls == (0 if isinstance(act, StopTurn) else 1)
            assert len(on.events(SessionInterrupted)) == (1 if isinstance(act, StopTurn) else 0)
            await on.clock.sleep(600)
            assert on.calls() - calls == (0 if isinstance(act, StopTurn) else 1)
            assert on.row().phase is Phase.IDLE
            assert on.row().pinned is isinstance(act, UseFallback)

    run()
