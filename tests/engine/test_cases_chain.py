"""Cases of the fallback chain and of the way back, each in a running session over real HTTP (C71 ... C92)."""

import asyncio
from itertools import pairwise
from typing import Any

import pytest

from hermes_tui.core.acts import ReloadConfiguration, SwitchModel
from hermes_tui.core.cooldown import AUTH_SECONDS, LIMIT_SECONDS
from hermes_tui.core.diagnosis import Code
from hermes_tui.core.errors import RefusedError
from hermes_tui.core.event import (
    AttemptFailed,
    ConversationCompacted,
    FallbackActivated,
    FallbackSkipped,
    PrimaryRestored,
    PrimaryVerified,
    TurnCompleted,
    TurnFailed,
)
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.leaving import FAILING_LADDER_SECONDS, ladder
from hermes_tui.core.secret import fingerprint
from hermes_tui.core.session import Phase, SkipReason
from hermes_tui.simulator.mode import Mode
from tests.engine.theatre import DAY, Theatre, play, scenario, second_process, theatre

CODEX = "openai-codex"
ONE_FALLBACK = scenario("backup/small")
PLAIN = scenario("backup/small", primary="zai/glm")
FIRST_HOLD_SECONDS, LONGEST_HOLD_SECONDS = FAILING_LADDER_SECONDS

DELAYS = {
    Mode.RATE_LIMIT: 30.0,
    Mode.USAGE_LIMIT: LIMIT_SECONDS,
    Mode.PAYMENT_REQUIRED: LIMIT_SECONDS,
    Mode.UNAUTHORIZED: AUTH_SECONDS,
    Mode.FORBIDDEN: AUTH_SECONDS,
    **dict.fromkeys(
        (
            Mode.UNKNOWN_MODEL,
            Mode.TOO_LONG,
            Mode.SERVER_ERROR,
            Mode.UNAVAILABLE,
            Mode.OVERLOADED,
            Mode.TIMEOUT,
            Mode.STALL,
            Mode.EMPTY,
            Mode.BROKEN,
            Mode.ERROR_FRAME,
            Mode.HTML,
        ),
        FIRST_HOLD_SECONDS,
    ),
}
"""How long the primary is left alone for what it was left for: the rate limit's wait is the one that is set here."""


def providers_asked(on: Theatre) -> list[str]:
    """Return who was asked for a reply, in order."""
    return [request.provider or "" for request in on.on.simulator.requests if request.model is not None]


@pytest.mark.parametrize("mode", DELAYS)
def test_c73_from_whatever_it_was_left_for_the_primary_comes_back_after_its_own_delay(mode: Mode) -> None:
    @play
    async def run() -> None:
        async with theatre(PLAIN) as on:
            on.mode("zai", mode, retry_after=DELAYS[mode] if mode is Mode.RATE_LIMIT else None)
            assert await on.turn()
            assert on.row().on_fallback
            left = on.clock.now()
            on.mode("zai", Mode.OK)
            opens_at = on.way().opens_at
            assert opens_at is not None
            assert opens_at - left == pytest.approx(DELAYS[mode], abs=on.events(TurnCompleted)[0].latency + 1)
            calls = on.calls("zai")
            await on.turns(1, apart=opens_at - on.clock.now() - 1)
            assert on.calls("zai") == calls
            await on.turns(1, apart=1.5)
            assert on.calls("zai") == calls + 1
            assert not on.row().on_fallback
            assert len(on.events(PrimaryVerified)) == 1

    run()


@play
async def test_c73_a_request_that_no_route_could_serve_leaves_the_primary_where_it_is() -> None:
    async with theatre(PLAIN) as on:
        on.shape("zai", "openai-bad-request")
        assert not await on.turn()
        assert not on.row().on_fallback
        on.mode("zai", Mode.OK)
        assert await on.turn()
        assert providers_asked(on) == ["zai", "zai"]


@play
async def test_c74_after_an_exhausted_chain_a_later_limit_finds_the_first_entry_again() -> None:
    async with theatre(scenario("backup/small", "spare/tiny", primary="zai/glm")) as on:
        for name in ("zai", "backup", "spare"):
            on.limit(name, resets_in=60)
        assert not await on.turn()
        for name in ("zai", "backup", "spare"):
            on.mode(name, Mode.OK)
        await on.turns(1, apart=61)
        assert on.row().position == 0
        on.limit("zai", resets_in=60)
        assert await on.turn()
        assert on.row().position == 1


@play
async def test_c74_a_turn_that_times_out_recovers_and_meets_a_limit_has_its_whole_chain() -> None:
    async with theatre(scenario("backup/small", primary="zai/glm", runtime={"first_token_timeout_seconds": 10})) as on:
        on.mode("zai", Mode.TIMEOUT)
        turn = asyncio.ensure_future(on.turn())
        while on.calls("zai") < 4:
            await on.clock.sleep(1)
        on.limit("zai", resets_in=600)
        on.mode("zai", Mode.OK)
        assert await turn
        on.limit("zai", resets_in=600)
        assert await on.turn()
        assert on.row().position == 1
        assert on.calls("backup") >= 1


@pytest.mark.parametrize("mode", [Mode.TIMEOUT, Mode.STALL])
def test_m11_c75_silence_and_keep_alives_end_in_the_fallback_within_a_bound(mode: Mode) -> None:
    @play
    async def run() -> None:
        limits = {"first_token_timeout_seconds": 20, "idle_timeout_seconds": 20}
        async with theatre(scenario("backup/small", primary="zai/glm", runtime=limits)) as on:
            on.mode("zai", mode)
            before = on.clock.now()
            assert await on.turn()
            # Three attempts with two waits between them (2 s and 4 s, a quarter of jitter), then the recovery.
            assert on.calls("zai") == 4
            assert on.clock.now() - before <= 4 * 20 + (2 + 4) * 1.25 + 1

    run()


@play
async def test_c75_a_model_that_is_slow_and_alive_is_waited_for() -> None:
    limits = {"first_token_timeout_seconds": 20, "idle_timeout_seconds": 20}
    async with theatre(scenario("backup/small", primary="zai/glm", runtime=limits)) as on:
        on.pace("zai", latency=10, tokens_per_second=0.125)
        assert await on.turn()
        assert providers_asked(on) == ["zai"]


@play
async def test_c76_of_two_windows_the_one_that_holds_the_conversation_is_used() -> None:
    entries = {"backup/small": {"context_length": 64_000}, "spare/tiny": {"context_length": 200_000}}
    async with theatre(scenario("backup/small", "spare/tiny", entries=entries)) as on:
        on.limit()
        assert await on.turn(prompt="x" * 375_000)
        assert providers_asked(on) == [CODEX, "spare"]
        (skipped,) = on.events(FallbackSkipped)
        assert skipped.kind is SkipReason.TOO_SMALL
        assert "64000 tokens" in skipped.reason


@play
async def test_c76_an_entry_whose_window_nobody_stated_is_tried_and_compacted_for_before_it_is_left() -> None:
    async with theatre(scenario("backup/small", "spare/tiny")) as on:
        for _ in range(12):
            await on.turn(prompt="word " * 20)
        on.limit()
        on.mode("backup", Mode.TOO_LONG)
        assert await on.turn(prompt="word " * 20)
        assert len(on.events(ConversationCompacted)) == 3
        assert on.calls("backup") == 4
        assert on.row().position == 2


@play
async def test_c76_what_was_left_out_for_a_small_window_is_sent_again_to_a_large_one() -> None:
    async with theatre(scenario("backup/small", "spare/tiny", primary="zai/glm")) as on:
        for _ in range(6):
            await on.turn(prompt="word " * 50)
        on.limit("zai", resets_in=600)
        on.mode("backup", Mode.TOO_LONG)
        await on.turn(prompt="word " * 50)
        on.mode("zai", Mode.OK)
        await on.turns(1, apart=601)
        sizes = [event.input_tokens or 0 for event in on.events(TurnCompleted)]
        assert providers_asked(on)[-2:] == ["spare", "zai"]
        assert all(later > earlier for earlier, later in pairwise(sizes))


@play
async def test_c76_a_conversation_that_cannot_be_made_smaller_is_not_sent_a_second_time() -> None:
    async with theatre(PLAIN) as on:
        on.mode("zai", Mode.TOO_LONG)
        assert await on.turn(prompt="x" * 1000)
        assert on.calls("zai") == 1
        assert not on.events(ConversationCompacted)


@play
async def test_c78_every_request_goes_with_key_and_model_to_the_place_that_they_belong_to() -> None:
    script = scenario("backup/small", "spare/tiny", "zai/air", primary="zai/glm", keys={"zai": 2, "backup": 2})
    async with theatre(script) as on:
        for mode in (Mode.USAGE_LIMIT, Mode.UNAUTHORIZED, Mode.UNAVAILABLE, Mode.OK, Mode.EMPTY, Mode.OK):
            on.mode("zai", mode)
            on.mode("backup", Mode.RATE_LIMIT if mode is Mode.UNAVAILABLE else Mode.OK, retry_after=60)
            await on.turns(2, apart=700)
        models = {"zai": {"glm", "air"}, "backup": {"small"}, "spare": {"tiny"}}
        assert {"zai", "backup"} <= set(providers_asked(on))
        for request in on.on.simulator.requests:
            assert request.provider is not None
            assert request.model in models[request.provider]
            assert request.key == fingerprint(f"simulated-{request.account}")
            assert (request.account or "").startswith(request.provider)


@play
async def test_c78_a_model_at_a_provider_that_has_no_address_is_refused_and_the_route_stays() -> None:
    async with theatre(PLAIN) as on:
        before = on.row()
        with pytest.raises(RefusedError, match="nowhere is not configured"):
            await on.fleet.execute(SwitchModel("s1", "nowhere", "m"))
        assert on.row() == before
        assert await on.turn()


@play
async def test_c80_an_entry_whose_key_is_not_set_is_skipped_by_name_and_no_other_key_goes_in_its_place() -> None:
    script = scenario("backup/small", "spare/tiny", entries={"backup/small": {"api_key": "env:NOPE"}})
    async with theatre(script) as on:
        on.limit()
        assert await on.turn()
        assert providers_asked(on) == [CODEX, "spare"]
        (skipped,) = on.events(FallbackSkipped)
        assert skipped.kind is SkipReason.NO_CREDENTIAL
        assert skipped.reason == "NOPE is not set"


@play
async def test_c81_a_primary_without_a_key_is_a_standing_fault_for_as_long_as_it_lasts() -> None:
    async with theatre(ONE_FALLBACK) as on:
        on.refer_to(CODEX, "env:NOPE")
        await on.fleet.execute(ReloadConfiguration())
        for _ in range(3):
            await on.turns(1, apart=60)
            assert on.diagnosis().code is Code.CONFIGURATION_FAULT
            assert any("NOPE is not set" in fact.text for fact in on.diagnosis().facts)
        assert on.calls(CODEX) == 0


@play
async def test_c83_the_primarys_failure_is_paid_for_once_by_however_many_sessions_come() -> None:
    async with theatre(scenario("backup/small", primary="zai/glm", sessions=5)) as on:
        on.limit("zai", resets_in=3600)
        for number in range(1, 6):
            assert await on.turn(f"s{number}")
        async with second_process(on) as other:
            assert other.calls("zai") == 1


@play
async def test_c84_what_the_user_picks_on_the_fallback_is_the_primary_that_it_comes_back_to() -> None:
    async with theatre(scenario("backup/small", "spare/tiny", primary="zai/glm")) as on:
        on.limit("zai", resets_in=2 * DAY)
        await on.turn()
        await on.fleet.execute(SwitchModel("s1", "spare", "tiny"))
        await on.turn()
        assert providers_asked(on)[-1] == "spare"
        on.mode("spare", Mode.UNAVAILABLE)
        await on.turn()
        assert on.row().active.provider == "backup"
        on.mode("spare", Mode.OK)
        await on.turns(1, apart=FIRST_HOLD_SECONDS + 1)
        assert on.row().active.provider == "spare"
        configured = on.facts.configuration
        assert configured is not None
        assert str(configured.primary.route) == "zai/glm"


@play
async def test_c86_each_entry_that_is_passed_over_leaves_its_reason() -> None:
    entries: dict[str, dict[str, Any]] = {"keyless/m": {"api_key": "env:NOPE"}, "tiny/m": {"context_length": 1}}
    script = scenario("bad/m", "cooling/m", "keyless/m", "tiny/m", "good/m", entries=entries)
    async with theatre(script) as on:
        on.edit(lambda tables: tables["fallback_providers"][0].update(provider="nobody"))
        await on.fleet.execute(ReloadConfiguration())
        on.limit(resets_in=600)
        on.limit("cooling", resets_in=DAY)
        assert await on.turn(prompt="a prompt that is longer than one token")
        on.mode(CODEX, Mode.OK)
        await on.turns(1, apart=601)
        on.limit(resets_in=600)
        assert await on.turn()
        rows = on.events(FallbackSkipped)[-4:]
        assert [row.kind for row in rows] == [
            SkipReason.NOT_CONFIGURED,
            SkipReason.COOLING,
            SkipReason.NO_CREDENTIAL,
            SkipReason.TOO_SMALL,
        ]
        assert [row.until is not None for row in rows] == [False, True, False, False]
        assert on.row().position == 5


@play
async def test_m7_a_backend_under_a_second_name_is_not_asked_again_with_the_same_key() -> None:
    def add_alias(tables: dict[str, Any]) -> None:
        tables["providers"]["alias"] = tables["providers"]["zai"]
        tables["fallback_providers"].insert(0, {"provider": "alias", "model": "glm"})

    async with theatre(PLAIN) as on:
        on.edit(add_alias)
        await on.fleet.execute(ReloadConfiguration())
        on.mode("zai", Mode.PAYMENT_REQUIRED)
        assert await on.turn()
        assert providers_asked(on) == ["zai", "backup"]
        (skipped,) = on.events(FallbackSkipped)
        assert (skipped.provider, skipped.kind) == ("alias", SkipReason.ALREADY_TRIED)


@play
async def test_c87_no_switch_is_announced_where_none_is_made() -> None:
    async with theatre(scenario("backup/small", entries={"backup/small": {"api_key": "env:NOPE"}})) as on:
        on.limit()
        assert not await on.turn()
        assert not on.events(FallbackActivated)
        assert "NOPE is not set" in on.events(TurnFailed)[0].error
        assert on.calls("backup") == 0


@play
async def test_c90_an_outage_costs_no_more_tries_of_the_primary_than_its_growing_hold_allows() -> None:
    async with theatre(PLAIN) as on:
        on.mode("zai", Mode.UNAVAILABLE)
        await on.turns(15, apart=120)
        tries, held = 1, 0.0
        while held + ladder(FAILING_LADDER_SECONDS, tries - 1) <= 30 * 60:
            held += max(ladder(FAILING_LADDER_SECONDS, tries - 1), 120)
            tries += 1
        assert len(on.events(PrimaryRestored)) <= tries
        assert on.calls("zai") <= 3 * (tries + 1)
        assert on.calls("backup") == 15


@play
async def test_c92_a_primary_that_fails_now_and_then_is_paid_for_at_most_once_in_each_hold() -> None:
    async with theatre(PLAIN) as on:
        for number in range(40):
            on.mode("zai", Mode.OK if number % 5 < 2 else Mode.UNAVAILABLE)
            await on.turns(1, apart=30)
        failures = [event.time for event in on.events(AttemptFailed) if event.kind is FailureKind.OVERLOADED]
        departures = [event.time for event in on.events(FallbackActivated)]
        assert len(failures) == 3 * len(departures)
        assert all(later - earlier >= FIRST_HOLD_SECONDS for earlier, later in pairwise(departures))
        assert on.row().phase is Phase.IDLE


@play
async def test_m24_after_an_exhausted_walk_the_route_in_use_serves_again_though_the_entry_before_it_cannot() -> None:
    async with theatre(scenario("backup/small", "spare/tiny")) as on:
        on.limit(resets_in=2 * DAY)
        on.mode("backup", Mode.UNAUTHORIZED)
        assert await on.turn()
        on.mode("spare", Mode.UNAUTHORIZED)
        assert not await on.turn()
        await on.turns(1, apart=20)
        error = on.events(TurnFailed)[-1].error
        assert "openai-codex/gpt: this session waits out a limit" in error
        assert "backup/small: cooling: not authorised" in error
        assert "spare/tiny: cooling: not authorised" in error
        on.mode("spare", Mode.OK)
        calls = on.calls()
        await on.turns(1, apart=AUTH_SECONDS + 1)
        assert on.events(TurnCompleted)[-1].provider == "spare"
        assert (on.row().position, on.row().exhaustion) == (2, None)
        assert on.calls() == calls + 2
