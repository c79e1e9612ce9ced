"""The lying probe, and its opposite: a quota that really reopens (M26, M32, M37, M38)."""

import asyncio
import base64
import json

import pytest

from hermes_tui.core.configuration import Policy
from hermes_tui.core.cooldown import Said
from hermes_tui.core.credential import Status
from hermes_tui.core.diagnosis import Code
from hermes_tui.core.event import (
    PrimaryRestored,
    PrimaryVerified,
    RestoreChecked,
    RestoreFailed,
    VerdictContradicted,
)
from hermes_tui.core.session import WaitKind
from hermes_tui.core.verdict import TrialOutcome
from hermes_tui.simulator.mode import Mode, UsageMode
from tests.engine.theatre import DAY, START, Theatre, play, scenario, theatre

ONE_FALLBACK = scenario("backup/small")


async def _fall_back_under_a_lie(on: Theatre) -> None:
    on.limit()
    on.lie()
    await on.turn()


@pytest.mark.parametrize(
    ("policy", "restores"), [(Policy.NEVER, 0), (Policy.EVERY_TURN, 6), (Policy.THROTTLED, 1), (Policy.ADAPTIVE, 1)]
)
def test_m37_six_turns_within_a_verdicts_life_cost_what_the_table_says(policy: Policy, restores: int) -> None:
    @play
    async def run() -> None:
        async with theatre(ONE_FALLBACK, policy=policy) as on:
            await _fall_back_under_a_lie(on)
            before = on.calls("openai-codex")
            await on.turns(6, apart=40)
            assert len(on.events(PrimaryRestored)) == restores
            assert on.calls("openai-codex") - before == restores
            assert on.row().on_fallback

    run()


@pytest.mark.parametrize("policy", [Policy.EVERY_TURN, Policy.THROTTLED, Policy.ADAPTIVE])
def test_m37_a_real_reopening_brings_the_session_home_at_once(policy: Policy) -> None:
    @play
    async def run() -> None:
        async with theatre(ONE_FALLBACK, policy=policy) as on:
            on.limit()
            await on.turn()
            on.reopen()
            await on.turns(1, apart=60)
            assert not on.row().on_fallback
            assert len(on.events(PrimaryVerified)) == 1
            assert on.credential("openai-codex").status(on.clock.now()) is Status.OK

    run()


@play
async def test_m37_under_never_the_session_stays_although_the_quota_reopened() -> None:
    async with theatre(ONE_FALLBACK, policy=Policy.NEVER) as on:
        on.limit()
        await on.turn()
        on.reopen()
        await on.turns(6, apart=600)
        assert on.row().on_fallback
        assert on.probes() == 0
        assert on.diagnosis().code is Code.NO_EARLY_REOPEN


@pytest.mark.parametrize(("policy", "restores"), [(Policy.THROTTLED, 6), (Policy.ADAPTIVE, 2)])
def test_m38_six_turns_301_seconds_apart(policy: Policy, restores: int) -> None:
    @play
    async def run() -> None:
        async with theatre(ONE_FALLBACK, policy=policy) as on:
            await _fall_back_under_a_lie(on)
            await on.turns(6, apart=301)
            assert len(on.events(PrimaryRestored)) == restores
            assert on.calls("openai-codex") == 1 + restores

    run()


@play
async def test_m38_two_hours_of_turns_each_five_minutes_cost_at_most_three_failed_calls() -> None:
    async with theatre(ONE_FALLBACK) as on:
        await _fall_back_under_a_lie(on)
        await on.turns(24, apart=300)
        assert 2 <= len(on.events(PrimaryRestored)) <= 3
        assert on.calls("openai-codex") - 1 == len(on.events(RestoreFailed))
        assert [event.count for event in on.events(VerdictContradicted)] == [1, 2, 3]


@play
async def test_m38_new_evidence_ends_the_hold() -> None:
    async with theatre(ONE_FALLBACK) as on:
        await _fall_back_under_a_lie(on)
        await on.turns(1, apart=301)
        assert len(on.events(PrimaryRestored)) == 1
        on.usage(UsageMode.LIES, used_percent=2.0)
        await on.turns(1, apart=301)
        assert len(on.events(PrimaryRestored)) == 2


@play
async def test_m38_rising_use_is_no_new_evidence() -> None:
    async with theatre(ONE_FALLBACK) as on:
        await _fall_back_under_a_lie(on)
        await on.turns(1, apart=301)
        on.usage(UsageMode.LIES, used_percent=9.0)
        await on.turns(2, apart=301)
        assert len(on.events(PrimaryRestored)) == 1


@play
async def test_m46_the_lying_probe_is_diagnosed_and_says_when_the_next_try_comes() -> None:
    async with theatre(ONE_FALLBACK) as on:
        await _fall_back_under_a_lie(on)
        assert on.diagnosis().code is Code.WAITING_FOR_RESET
        await on.turns(1, apart=60)
        diagnosis = on.diagnosis()
        assert diagnosis.code is Code.LYING_PROBE
        hold = next(iter(on.facts.holds.values()))
        assert diagnosis.next is not None
        assert diagnosis.next.at == hold.until
        assert any("quota" in fact.text for fact in diagnosis.facts)


@play
async def test_m46_an_older_verdict_of_quota_is_ordinary_exhaustion() -> None:
    async with theatre(ONE_FALLBACK) as on:
        on.limit()
        await on.turn()
        on.reopen()
        await on.turns(1, apart=60)
        on.limit()
        on.usage(UsageMode.HONEST)
        await on.turns(1, apart=20)
        assert on.row().on_fallback
        assert on.diagnosis().code is Code.WAITING_FOR_RESET


@play
async def test_m18_under_a_lying_probe_the_second_credential_is_tried_in_the_same_turn() -> None:
    async with theatre(scenario("backup/small", keys={"openai-codex": 2})) as on:
        await _fall_back_under_a_lie(on)
        assert on.calls_by_key("openai-codex") == {"openai-codex-1": 1, "openai-codex-2": 1}
        await on.turns(1, apart=60)
        assert on.calls_by_key("openai-codex") == {"openai-codex-1": 2, "openai-codex-2": 2}
        assert on.calls("backup") == 2


@play
async def test_m18_a_healthy_sibling_serves_when_the_first_lies() -> None:
    async with theatre(scenario("backup/small", keys={"openai-codex": 2})) as on:
        on.limit(account="openai-codex-1")
        on.lie()
        await on.turn()
        assert not on.row().on_fallback
        assert on.calls_by_key() == {"openai-codex-1": 1, "openai-codex-2": 1}


@pytest.mark.parametrize(
    "mode", [UsageMode.SERVER_ERROR, UsageMode.TIMEOUT, UsageMode.UNAUTHORIZED, UsageMode.HTML, UsageMode.GARBAGE]
)
def test_m28_a_probe_that_cannot_answer_lifts_nothing(mode: UsageMode) -> None:
    @play
    async def run() -> None:
        async with theatre(ONE_FALLBACK) as on:
            on.limit()
            on.usage(mode)
            await on.turn()
            bench, own = on.credential("openai-codex").cooldown, on.row().cooldown
            await on.turns(8, apart=400)
            assert on.calls("openai-codex") == 1
            assert on.credential("openai-codex").cooldown == bench
            assert on.row().cooldown == own
            assert on.diagnosis().code is Code.PROBE_BLIND

    run()


@play
async def test_m26_at_most_one_check_per_interval_while_the_date_lies_ahead() -> None:
    async with theatre(ONE_FALLBACK) as on:
        on.limit()
        await on.turn()
        await on.turns(30, apart=60)
        assert len(on.events(RestoreChecked)) <= 30 * 60 / 300 + 1
        assert on.probes() <= 7


@play
async def test_m27_once_the_date_has_passed_no_check_is_needed() -> None:
    async with theatre(ONE_FALLBACK) as on:
        on.limit(resets_in=3600)
        await on.turn()
        on.mode("openai-codex", Mode.OK)
        await on.turns(1, apart=3601)
        assert not on.row().on_fallback
        assert on.probes() == 0


@play
async def test_m21_the_restored_session_agrees_in_memory_on_disk_and_in_its_gates() -> None:
    async with theatre(ONE_FALLBACK) as on:
        on.limit()
        await on.turn()
        assert on.credential("backup").request_count == 1
        on.reopen()
        await on.turns(1, apart=60)
        assert not on.row().on_fallback
        assert on.credential("openai-codex").cooldown is None
        assert on.row().cooldown is None
        assert on.way().gates == ()


@play
async def test_m32_a_hundred_sessions_under_a_lie_cost_one_failed_call_per_interval() -> None:
    async with theatre(scenario("backup/small", sessions=100), policy=Policy.THROTTLED) as on:
        names = [f"s{n}" for n in range(1, 101)]
        on.limit()
        on.lie()
        await asyncio.gather(*(on.turn(name) for name in names))
        first_wave = on.calls("openai-codex")
        for _ in range(3):
            await on.clock.sleep(301)
            before = on.calls("openai-codex")
            await asyncio.gather(*(on.turn(name) for name in names))
            assert on.calls("openai-codex") - before == 1
        assert first_wave <= 100


@play
async def test_m32_when_it_really_reopens_one_goes_first_and_all_are_home_within_two_turns() -> None:
    async with theatre(scenario("backup/small", sessions=100)) as on:
        names = [f"s{n}" for n in range(1, 101)]
        on.limit()
        await asyncio.gather(*(on.turn(name) for name in names))
        on.reopen()
        await on.clock.sleep(301)
        before = on.calls("openai-codex")
        await asyncio.gather(*(on.turn(name) for name in names))
        assert on.calls("openai-codex") - before == 1
        assert [trial.outcome for trial in on.facts.trials.values()] == [TrialOutcome.SERVED]
        homes = {row.home_at for row in map(on.row, names) if row.home_at is not None}
        assert max(homes) - min(homes) <= 5.0
        assert len(homes) > 50
        await on.clock.sleep(6)
        await asyncio.gather(*(on.turn(name) for name in names))
        assert not [name for name in names if on.row(name).on_fallback]


@play
async def test_m22_the_sibling_that_returns_first_ends_the_sessions_wait() -> None:
    async with theatre(scenario("backup/small", keys={"openai-codex": 2})) as on:
        on.limit(account="openai-codex-1", resets_in=720)
        on.limit(account="openai-codex-2", resets_in=2 * DAY)
        await on.turn()
        own = on.row().cooldown
        assert own is not None
        assert own.kind is WaitKind.LIMIT
        assert own.source is Said.PROVIDER
        assert own.until == pytest.approx(on.clock.now() + 720, abs=2)


@play
async def test_m36_c95_an_expired_token_is_reported_and_never_sent() -> None:
    claims = base64.urlsafe_b64encode(json.dumps({"exp": START - 3600}).encode()).decode().rstrip("=")
    script = scenario("backup/small", api_keys={"openai-codex-1": f"eyJhbGciOiJub25lIn0.{claims}.simulated"})
    async with theatre(script) as on:
        on.limit()
        await on.turn()
        await on.turns(3, apart=400)
        assert on.probes() == 0
        assert on.row().on_fallback
        diagnosis = on.diagnosis()
        assert diagnosis.code is Code.PROBE_BLIND
        assert any("expired" in fact.text for fact in diagnosis.facts)
