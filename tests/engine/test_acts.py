"""What the user does to running sessions (M39 ... M45)."""

import asyncio

import pytest

from hermes_tui.core.acts import (
    ForceRestore,
    NewSession,
    ProbeNow,
    ReloadConfiguration,
    ResetChain,
    ResetCooldown,
    SendPrompt,
    SwitchModel,
    UseFallback,
)
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.errors import RefusedError
from hermes_tui.core.event import ActPerformed, PrimaryRestored, PrimaryVerified, TurnCompleted
from hermes_tui.core.preview import Confirm, Ready, Refused
from hermes_tui.core.session import Phase
from hermes_tui.simulator.mode import Mode, UsageMode
from tests.engine.theatre import HOUR, play, scenario, theatre

ONE_FALLBACK = scenario("backup/small")
PRIMARY_KEY = CredentialKey("openai-codex", "openai-codex-1")


@play
async def test_m39_force_restore_asks_first_while_the_providers_reset_lies_ahead() -> None:
    async with theatre(ONE_FALLBACK) as on:
        on.limit()
        await on.turn()
        preview = on.fleet.preview(ForceRestore("s1"))
        assert isinstance(preview, Confirm)
        assert "usage limit" in preview.effect


@play
async def test_m39_a_forced_restore_that_is_answered_clears_the_cooldown() -> None:
    async with theatre(ONE_FALLBACK) as on:
        on.limit()
        await on.turn()
        on.mode("openai-codex", Mode.OK)
        await on.fleet.execute(ForceRestore("s1"))
        assert on.calls("openai-codex") == 1
        await on.turns(1, apart=1)
        assert on.calls("openai-codex") == 2
        assert on.events(PrimaryRestored)[0].forced
        assert len(on.events(PrimaryVerified)) == 1
        assert on.credential("openai-codex").cooldown is None


@play
async def test_m39_a_forced_restore_that_fails_costs_one_call_and_leaves_the_later_date() -> None:
    async with theatre(ONE_FALLBACK) as on:
        on.limit()
        await on.turn()
        before = on.credential("openai-codex").cooldown
        await on.fleet.execute(ForceRestore("s1"))
        await on.turns(1, apart=1)
        after = on.credential("openai-codex").cooldown
        assert before is not None
        assert after is not None
        assert after.until >= before.until
        assert on.calls("openai-codex") == 2
        await on.turns(3, apart=1)
        assert on.calls("openai-codex") == 2


@play
async def test_m39_pressed_while_a_reply_streams_the_stream_ends_unharmed_and_the_next_turn_goes_home() -> None:
    async with theatre(ONE_FALLBACK) as on:
        on.limit()
        await on.turn()
        on.pace("backup", latency=1, tokens_per_second=2)
        turn = asyncio.ensure_future(on.turn())
        await on.until(lambda: bool((live := on.fleet.snapshot().sessions[0].live) and live.text))
        on.mode("openai-codex", Mode.OK)
        await on.fleet.execute(ForceRestore("s1"))
        pending = on.fleet.snapshot().sessions[0].pending
        assert pending == ("force restore at the next turn",)
        assert await turn
        assert on.events(TurnCompleted)[-1].provider == "backup"
        assert on.calls("backup") == 2
        await on.turns(1, apart=1)
        assert on.events(TurnCompleted)[-1].provider == "openai-codex"


@play
async def test_m39_sets_the_cooldown_aside_for_one_request_of_this_session_alone() -> None:
    async with theatre(scenario("backup/small", sessions=2)) as on:
        on.limit()
        await on.turn("s1")
        await on.turn("s2")
        await on.fleet.execute(ForceRestore("s1"))
        await on.turn("s2")
        assert on.calls("openai-codex") == 1


@play
async def test_m39_is_refused_on_the_primary_and_with_nothing_alive() -> None:
    async with theatre(ONE_FALLBACK) as on:
        await on.turn()
        assert isinstance(on.fleet.preview(ForceRestore("s1")), Refused)
        on.mode("openai-codex", Mode.REVOKED)
        await on.turn()
        with pytest.raises(RefusedError, match="sign in again"):
            await on.fleet.execute(ForceRestore("s1"))


@play
async def test_m40_reset_chain_takes_the_marks_away_and_leaves_the_cooldowns() -> None:
    async with theatre(scenario("backup/small", "spare/tiny")) as on:
        on.limit()
        on.mode("backup", Mode.SERVER_ERROR)
        await on.turn()
        assert on.row().holds
        await on.fleet.execute(ResetChain("s1"))
        assert (on.row().index, on.row().holds, on.row().position) == (0, (), 2)
        assert on.credential("openai-codex").cooldown is not None
        on.mode("backup", Mode.OK)
        on.mode("spare", Mode.UNKNOWN_MODEL)
        await on.turns(1, apart=1)
        assert on.row().position == 1


@play
async def test_m41_clearing_one_credential_brings_its_sessions_home_and_leaves_the_sibling() -> None:
    async with theatre(scenario("backup/small", keys={"openai-codex": 2})) as on:
        on.limit()
        await on.turn()
        on.mode("openai-codex", Mode.OK)
        await on.fleet.execute(ResetCooldown(PRIMARY_KEY))
        assert on.credential("openai-codex", 2).cooldown is not None
        assert on.credential("openai-codex").cleared_at is not None
        await on.turns(1, apart=1)
        assert not on.row().on_fallback


@play
async def test_m41_a_probe_by_hand_is_asked_at_most_every_ten_seconds() -> None:
    async with theatre(ONE_FALLBACK) as on:
        command = ProbeNow(PRIMARY_KEY, "gpt")
        await on.fleet.execute(command)
        assert on.probes() == 1
        assert isinstance(on.fleet.preview(command), Refused)
        await on.clock.sleep(11)
        assert isinstance(on.fleet.preview(command), Refused)
        anyway = ProbeNow(PRIMARY_KEY, "gpt", anyway=True)
        assert isinstance(on.fleet.preview(anyway), Ready)
        await on.fleet.execute(anyway)
        assert on.probes() == 2


@play
async def test_m35_everybody_who_asks_at_once_shares_one_question() -> None:
    async with theatre(ONE_FALLBACK) as on:
        command = ProbeNow(PRIMARY_KEY, "gpt")
        await asyncio.gather(*(on.fleet.execute(command) for _ in range(20)))
        assert on.probes() == 1


@play
async def test_m42_the_fallback_taken_by_hand_stays_until_the_user_restores() -> None:
    async with theatre(ONE_FALLBACK) as on:
        await on.turn()
        assert isinstance(on.fleet.preview(UseFallback("s1")), Confirm)
        await on.fleet.execute(UseFallback("s1"))
        await on.turns(3, apart=HOUR)
        assert on.row().position == 1
        assert on.calls("openai-codex") == 1
        await on.fleet.execute(ForceRestore("s1"))
        await on.turn()
        assert on.row().position == 0
        assert not on.row().pinned


@play
async def test_m42_using_the_fallback_while_the_probe_is_asked_takes_the_next_entry() -> None:
    async with theatre(scenario("backup/small", "spare/tiny", sessions=2)) as on:
        on.limit()
        on.usage(UsageMode.TIMEOUT)
        await on.turn("s1")
        turn = asyncio.ensure_future(on.turn("s2"))
        await on.until(lambda: on.row("s2").turn_started_at is not None)
        await asyncio.sleep(0.1)
        assert on.calls("backup") == 1
        await on.fleet.execute(UseFallback("s2"))
        await turn
        assert on.row("s2").position == 1
        assert not on.row("s2").holds


@play
async def test_m43_a_switch_during_a_turn_waits_for_its_end() -> None:
    async with theatre(scenario("backup/small", "spare/tiny")) as on:
        on.pace("openai-codex", latency=5)
        on.limit()
        turn = asyncio.ensure_future(on.turn())
        await on.until_asked("openai-codex")
        await on.fleet.execute(SwitchModel("s1", "backup", "small"))
        assert on.fleet.snapshot().sessions[0].pending == ("switch to backup/small at the next turn",)
        await turn
        assert on.calls("backup") == 1
        await on.turn()
        assert str(on.row().active) == "backup/small"
        assert on.row().cooldown is None
        assert on.row().departure is None


@play
async def test_m43_a_switched_model_is_the_new_primary_and_leaves_equal_entries_out() -> None:
    async with theatre(scenario("backup/small", "spare/tiny")) as on:
        on.limit()
        await on.turn()
        await on.fleet.execute(SwitchModel("s1", "spare", "tiny"))
        row = on.row()
        assert (row.requested.provider, row.position, row.cooldown) == ("spare", 0, None)
        assert [link.route.provider for link in row.chain] == ["backup"]
        await on.turn()
        assert on.events(TurnCompleted)[-1].provider == "spare"
        assert len(on.fleet.snapshot().facts.sessions) == 1


@play
async def test_m45_every_act_is_in_the_timeline() -> None:
    async with theatre(ONE_FALLBACK) as on:
        on.limit()
        await on.turn()
        await on.fleet.execute(ForceRestore("s1"))
        await on.fleet.execute(ResetChain("s1"))
        await on.fleet.execute(ResetCooldown(PRIMARY_KEY))
        await on.fleet.execute(ProbeNow(PRIMARY_KEY, "gpt"))
        acts = [event.act for event in on.events(ActPerformed)]
        assert acts == ["force_restore", "reset_chain", "reset_cooldown", "probe"]


@play
async def test_a_configuration_that_is_read_again_during_a_turn_is_no_prompt_that_waits() -> None:
    async with theatre(ONE_FALLBACK) as on:
        on.pace("openai-codex", latency=5)
        turn = asyncio.ensure_future(on.turn())
        await on.until_asked("openai-codex")
        await on.fleet.execute(ReloadConfiguration())
        assert on.fleet.snapshot().sessions[0].pending == ()
        await turn
        assert on.fleet.snapshot().sessions[0].pending == ()


@play
async def test_a_new_session_sends_nothing_before_its_first_prompt() -> None:
    async with theatre(ONE_FALLBACK) as on:
        await on.fleet.execute(NewSession("fresh"))
        await on.clock.sleep(HOUR)
        assert on.calls() == 0
        await on.fleet.execute(SendPrompt("fresh", "Hello."))
        await on.until(lambda: bool(on.events(TurnCompleted, "fresh")))
        assert on.row("fresh").phase is Phase.IDLE


@play
async def test_an_idle_fleet_gives_the_same_snapshot_object() -> None:
    async with theatre(ONE_FALLBACK) as on:
        await on.turn()
        first = on.fleet.snapshot()
        assert on.fleet.snapshot() is first
        await on.turn()
        second = on.fleet.snapshot()
        assert second is not first
        assert second.revision > first.revision
