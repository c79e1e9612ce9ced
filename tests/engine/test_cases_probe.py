"""Cases of the usage probe, each in a running session over real HTTP (M34 ... M38, C94 ... C106)."""

import asyncio
from contextlib import AsyncExitStack
from itertools import pairwise
from pathlib import Path

import pytest

from hermes_tui.core.acts import ProbeNow, SwitchModel
from hermes_tui.core.configuration import Policy
from hermes_tui.core.credential import Status
from hermes_tui.core.diagnosis import Code
from hermes_tui.core.event import CredentialLifted, PrimaryRestored, RestoreFailed, VerdictReceived
from hermes_tui.core.pool import Candidate
from hermes_tui.core.verdict import Verdict
from hermes_tui.engine.clock import EngineClock
from hermes_tui.simulator.account import QuotaWindow
from hermes_tui.simulator.action import SetUsage
from hermes_tui.simulator.mode import Mode, UsageMode
from hermes_tui.storage.ownership import Ownership
from hermes_tui.wiring import load_configuration, open_ledger, surround
from tests.engine.theatre import DAY, Theatre, play, scenario, theatre, token_of

CODEX = "openai-codex"
ONE_FALLBACK = scenario("backup/small")


def probe_of(on: Theatre, *, anyway: bool) -> ProbeNow:
    return ProbeNow(on.credential(CODEX).key, "gpt", anyway=anyway)


def leave_alone(on: Theatre, seconds: float) -> None:
    """Let the usage endpoint refuse for its own reasons, and ask to be left alone."""
    on.on.simulator.world.apply(SetUsage(provider=CODEX, mode=UsageMode.THROTTLED, retry_after=seconds))


@play
async def test_c94_a_quota_that_came_back_early_is_found_by_one_probe_and_lifted_with_its_evidence() -> None:
    async with theatre(ONE_FALLBACK) as on:
        on.limit(resets_in=5 * DAY)
        await on.turn()
        on.reopen()
        await on.turns(1, apart=60)
        assert on.probes() == 1
        assert not on.row().on_fallback
        assert on.credential(CODEX).status(on.clock.now()) is Status.OK
        lifted = on.events(CredentialLifted)[0]
        assert (lifted.credential, lifted.by, lifted.on_trial) == (f"{CODEX}-1", "probe: quota", True)


@pytest.mark.parametrize("mode", [Mode.UNAUTHORIZED, Mode.REVOKED, Mode.PAYMENT_REQUIRED])
def test_c94_a_bench_that_is_no_limit_is_neither_probed_nor_lifted(mode: Mode) -> None:
    @play
    async def run() -> None:
        async with theatre(ONE_FALLBACK) as on:
            on.mode(CODEX, mode)
            on.lie()
            await on.turn()
            await on.turns(4, apart=70)
            assert on.probes() == 0
            assert on.events(CredentialLifted) == []
            assert on.row().on_fallback

    run()


@play
async def test_c95_a_token_that_the_endpoint_does_not_accept_is_no_verdict_on_the_quota() -> None:
    async with theatre(ONE_FALLBACK) as on:
        on.limit(resets_in=4 * DAY)
        on.usage(UsageMode.UNAUTHORIZED)
        await on.turn()
        await on.turns(4, apart=301)
        assert {verdict.verdict for verdict in on.facts.verdicts.values()} == {Verdict.UNKNOWN}
        diagnosis = on.diagnosis()
        assert diagnosis.code is Code.PROBE_BLIND
        assert any("does not accept the token" in fact.text for fact in diagnosis.facts)


@play
async def test_c96_a_failed_probe_is_asked_again_when_the_user_wants_to_know() -> None:
    async with theatre(ONE_FALLBACK) as on:
        on.limit()
        on.usage(UsageMode.TIMEOUT)
        await on.turn()
        await on.turns(1, apart=60)
        assert on.probes() == 1
        on.usage(UsageMode.HONEST)
        await on.clock.sleep(15)
        await on.fleet.execute(probe_of(on, anyway=True))
        assert on.probes() == 2
        assert [verdict.verdict for verdict in on.facts.verdicts.values()] == [Verdict.NO_QUOTA]


@play
async def test_c98_an_endpoint_that_disagrees_with_requests_costs_three_tries_in_two_hours_and_is_named() -> None:
    async with theatre(ONE_FALLBACK) as on:
        on.limit(resets_in=3 * DAY)
        on.usage(UsageMode.LIES, used_percent=12.0)
        await on.turn()
        await on.turns(24, apart=300)
        tries = [event.time for event in on.events(PrimaryRestored)]
        gaps = [later - earlier for earlier, later in pairwise(tries)]
        assert 2 <= len(tries) <= 3
        assert gaps == sorted(gaps)
        assert len(on.events(RestoreFailed)) == len(tries)
        diagnosis = on.diagnosis()
        assert diagnosis.code is Code.LYING_PROBE
        told = " ".join(fact.text for fact in diagnosis.facts)
        assert "12 %" in told
        assert "429" in told


@play
async def test_c99_a_full_bucket_of_one_model_keeps_that_model_away_and_lets_its_sibling_home() -> None:
    async with theatre(scenario("backup/small", sessions=2)) as on:
        await on.fleet.execute(SwitchModel("s2", CODEX, "other"))
        on.limit()
        await asyncio.gather(on.turn("s1"), on.turn("s2"))
        assert on.row("s1").on_fallback
        assert on.row("s2").on_fallback
        on.reopen()
        account = on.on.simulator.world.providers[CODEX].accounts[f"{CODEX}-1"]
        account.windows.append(QuotaWindow("own", 7 * DAY, on.clock.now() + DAY, used_percent=100.0, model="gpt"))
        await on.clock.sleep(301)
        await asyncio.gather(on.turn("s1"), on.turn("s2"))
        assert on.row("s1").on_fallback
        assert not on.row("s2").on_fallback
        assert {key.model: row.verdict for key, row in on.facts.verdicts.items()} == {
            "gpt": Verdict.NO_QUOTA,
            "other": Verdict.QUOTA,
        }


@play
async def test_c101_eight_sessions_ask_at_most_thirteen_times_an_hour() -> None:
    async with theatre(scenario("backup/small", sessions=8)) as on:
        names = [f"s{n}" for n in range(1, 9)]
        on.limit()
        await asyncio.gather(*(on.turn(name) for name in names))
        for _ in range(60):
            await on.clock.sleep(60)
            await asyncio.gather(*(on.turn(name) for name in names))
        assert 10 <= on.probes() <= 13


@play
async def test_c101_eight_processes_that_ask_at_once_share_one_answer() -> None:
    async with theatre(ONE_FALLBACK) as on, AsyncExitStack() as stack:
        on.limit()
        await on.turn()
        verdicts = await asyncio.gather(*(_asked_alone(stack, on.on.config, on.on.state, on.clock) for _ in range(8)))
        assert on.probes() == 1
        assert set(verdicts) == {Verdict.NO_QUOTA}


async def _asked_alone(stack: AsyncExitStack, config: Path, state: Path, clock: EngineClock) -> Verdict:
    """Ask as a process of its own does: with its own ledger, locks and client."""
    loaded = load_configuration(config, {}, clock.now())
    ledger = stack.enter_context(open_ledger(state))
    around = surround(loaded, ledger, Ownership(state), clock)
    stack.push_async_callback(around.probing.close)
    route = loaded.configuration.primary.route
    pool = loaded.configuration.pool(route.pool)
    assert pool is not None
    return (await around.probing.verdict(Candidate(pool, pool.members[0], route.model), route)).verdict


@play
async def test_c101_an_endpoint_that_wants_to_be_left_alone_is_and_that_is_never_no_quota() -> None:
    async with theatre(ONE_FALLBACK) as on:
        on.limit()
        leave_alone(on, 900)
        await on.turn()
        await on.turns(1, apart=60)
        asked_at = on.clock.now()
        assert on.probes() == 1
        while on.clock.now() < asked_at + 870:
            await on.turns(1, apart=30)
        assert on.probes() == 1
        verdict = next(iter(on.facts.verdicts.values()))
        assert verdict.verdict is Verdict.UNKNOWN
        assert verdict.why == "the usage endpoint itself is throttled (429)"
        assert any("throttled" in fact.text for fact in on.diagnosis().facts)
        on.usage(UsageMode.HONEST)
        await on.turns(6, apart=30)
        assert on.probes() == 2


@play
async def test_c101_an_endpoint_that_wants_to_be_left_alone_is_asked_about_no_other_model_either() -> None:
    async with theatre(scenario("backup/small", sessions=2)) as on:
        await on.fleet.execute(SwitchModel("s2", CODEX, "other"))
        on.limit()
        await asyncio.gather(on.turn("s1"), on.turn("s2"))
        leave_alone(on, 900)
        for _ in range(28):
            await on.turns(1, apart=16, session="s1")
            await on.turns(1, apart=15, session="s2")
        assert on.probes() == 1
        on.usage(UsageMode.HONEST)
        for _ in range(10):
            await on.turns(1, apart=16, session="s1")
            await on.turns(1, apart=15, session="s2")
        assert {key.model for key, row in on.facts.verdicts.items() if row.verdict is Verdict.NO_QUOTA} == {
            "gpt",
            "other",
        }


@pytest.mark.parametrize("mode", [mode for mode in UsageMode if mode not in (UsageMode.HONEST, UsageMode.LIES)])
def test_c103_a_probe_that_fails_is_never_made_good_by_a_request_to_the_model(mode: UsageMode) -> None:
    @play
    async def run() -> None:
        async with theatre(ONE_FALLBACK) as on:
            on.limit()
            await on.turn()
            on.usage(mode)
            before = on.calls()
            await on.fleet.execute(probe_of(on, anyway=True))
            assert on.probes() == 1
            assert on.calls() == before
            (verdict,) = on.facts.verdicts.values()
            assert verdict.verdict is Verdict.UNKNOWN
            assert verdict.why

    run()


@play
async def test_c105_numbers_carry_the_label_of_the_credential_that_was_asked_with() -> None:
    async with theatre(scenario("backup/small", keys={CODEX: 2})) as on:
        on.limit()
        await on.turn()
        await on.turns(1, apart=60)
        asked = [request.account for request in on.on.simulator.requests if request.model is None]
        assert [event.credential for event in on.events(VerdictReceived)] == asked == [f"{CODEX}-1", f"{CODEX}-2"]


@pytest.mark.parametrize(("accounts", "tries"), [(("one", "one"), 1), (("one", "two"), 2)])
def test_m32_credentials_of_one_account_share_a_trial_and_those_of_two_do_not(
    accounts: tuple[str, str], tries: int
) -> None:
    @play
    async def run() -> None:
        keys = {f"{CODEX}-{n}": token_of(account, n) for n, account in enumerate(accounts, start=1)}
        async with theatre(scenario("backup/small", keys={CODEX: 2}, api_keys=keys), policy=Policy.THROTTLED) as on:
            on.limit()
            on.lie()
            await on.turn()
            before = on.calls(CODEX)
            await on.turns(1, apart=60)
            assert on.calls(CODEX) - before == tries
            assert len(on.facts.trials) == tries

    run()


@play
async def test_m38_a_hold_outlives_the_token_that_it_was_met_with() -> None:
    keys = {f"{CODEX}-{n}": token_of("one", n) for n in (1, 2)}
    async with theatre(scenario("backup/small", keys={CODEX: 2}, api_keys=keys)) as on:
        on.limit()
        on.lie()
        await on.turn()
        await on.turns(4, apart=301)
        assert len(on.events(PrimaryRestored)) == 1
        assert len(on.facts.holds) == 1
