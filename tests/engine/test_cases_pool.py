"""Cases of the credential pool, each in a running session over real HTTP (M9, M13 ... M21, C37, C45 ... C70)."""

import asyncio
from dataclasses import replace

import pytest

from hermes_tui.core.acts import ForceRestore, ReloadConfiguration, ResetCooldown
from hermes_tui.core.cooldown import HORIZON_SECONDS, LIMIT_SECONDS, SOLE_THROTTLE_SECONDS, Said
from hermes_tui.core.credential import Status
from hermes_tui.core.diagnosis import Code
from hermes_tui.core.event import (
    CredentialBenched,
    CredentialReplaced,
    PrimaryRestored,
    TurnCompleted,
    TurnFailed,
)
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.pool import Candidate, ReturnsAt, next_available_at
from hermes_tui.simulator.mode import Mode
from hermes_tui.storage.ownership import Ownership
from hermes_tui.wiring import open_ledger
from tests.engine.theatre import DAY, HOUR, Theatre, play, scenario, second_process, theatre, token_of

CODEX = "openai-codex"
ONE_FALLBACK = scenario("backup/small")
ALONE = scenario()
PLAIN = scenario("backup/small", primary="zai/glm")
DATELESS = "mistral-rate-limit"
"""A rate limit that does not say when it ends."""

REFUSALS = (Mode.USAGE_LIMIT, Mode.RATE_LIMIT, Mode.PAYMENT_REQUIRED, Mode.UNAUTHORIZED, Mode.REVOKED)


def keys_asked(on: Theatre, provider: str = CODEX) -> list[str]:
    """Return the credentials that a provider was asked with, in order."""
    return [request.account or "" for request in on.on.simulator.requests if request.provider == provider]


@play
async def test_c37_a_later_refusal_without_a_date_leaves_the_known_one() -> None:
    async with theatre(ONE_FALLBACK) as on:
        on.limit(resets_in=3 * DAY)
        await on.turn()
        known = on.credential(CODEX).longest(on.clock.now())
        on.mode(CODEX, Mode.USAGE_LIMIT)
        await on.fleet.execute(ForceRestore("s1"))
        await on.turns(1, apart=60)
        assert on.calls(CODEX) == 2
        after = on.credential(CODEX).longest(on.clock.now())
        assert known is not None
        assert after == replace(known, last_at=on.clock.now())
        assert after.source is Said.PROVIDER


@pytest.mark.parametrize("mode", REFUSALS)
def test_c45_the_key_that_rotation_comes_to_has_all_its_attempts(mode: Mode) -> None:
    @play
    async def run() -> None:
        async with theatre(scenario("backup/small", keys={CODEX: 10})) as on:
            for number in range(1, 10):
                on.mode(CODEX, mode, account=f"{CODEX}-{number}")
            on.mode(CODEX, Mode.UNAVAILABLE, account=f"{CODEX}-10")
            assert await on.turn()
            assert keys_asked(on) == [f"{CODEX}-{number}" for number in (*range(1, 11), 10, 10)]
            assert on.events(TurnCompleted)[0].provider == "backup"

    run()


@pytest.mark.parametrize("keys", [1, 2])
def test_c46_the_only_live_key_of_a_pool_is_benched_a_minute_for_a_blip(keys: int) -> None:
    @play
    async def run() -> None:
        async with theatre(scenario("backup/small", primary="zai/glm", keys={"zai": keys})) as on:
            on.mode("zai", Mode.REVOKED)
            on.shape("zai", DATELESS, account=f"zai-{keys}")
            await on.turn()
            back = on.clock.now() + SOLE_THROTTLE_SECONDS
            outlook = next_available_at(on.facts, on.pools("zai")[0], "glm", on.clock.now())
            assert isinstance(outlook, ReturnsAt)
            assert outlook.until == on.way().opens_at == pytest.approx(back, abs=1)
            on.mode("zai", Mode.OK, account=f"zai-{keys}")
            await on.turns(1, apart=SOLE_THROTTLE_SECONDS - 2)
            assert on.row().on_fallback
            await on.turns(1, apart=2)
            assert not on.row().on_fallback

    run()


@play
async def test_c46_two_keys_of_one_account_are_one_for_a_blip() -> None:
    keys = {f"{CODEX}-{n}": token_of("one", n) for n in (1, 2)}
    async with theatre(scenario("backup/small", keys={CODEX: 2}, api_keys=keys)) as on:
        on.shape(CODEX, DATELESS)
        await on.turn()
        benched = on.events(CredentialBenched)
        assert [event.until for event in benched if event.until] == [
            pytest.approx(event.time + SOLE_THROTTLE_SECONDS) for event in benched
        ]


@play
async def test_c47_a_far_date_on_the_only_key_is_checked_where_that_costs_nothing() -> None:
    async with theatre(ONE_FALLBACK) as on:
        on.limit(resets_in=15 * DAY)
        await on.turns(12 * 6, apart=300)
        assert on.calls(CODEX) == 1
        on.reopen()
        await on.turns(2, apart=300)
        assert not on.row().on_fallback


@play
async def test_c47_without_a_probe_the_date_holds_and_the_way_out_is_shown() -> None:
    async with theatre(PLAIN) as on:
        on.limit("zai", resets_in=15 * DAY)
        await on.turns(24, apart=3600)
        assert on.calls("zai") == 1
        assert on.diagnosis().code is Code.NO_EARLY_REOPEN
        assert "force restore" in on.diagnosis().helps
        on.mode("zai", Mode.OK)
        await on.fleet.execute(ForceRestore("s1"))
        assert await on.turn()
        assert not on.row().on_fallback


@play
async def test_c47_a_date_beyond_the_horizon_is_kept_as_the_horizon() -> None:
    async with theatre(PLAIN) as on:
        on.limit("zai", resets_in=400 * DAY)
        await on.turn()
        cooldown = on.credential("zai").longest(on.clock.now())
        assert cooldown is not None
        assert cooldown.until == pytest.approx(on.clock.now() + HORIZON_SECONDS, abs=1)
        assert cooldown.approximate


@pytest.mark.parametrize("mode", REFUSALS)
def test_m10_c49_what_a_fallback_meets_is_never_put_on_the_primarys_credential(mode: Mode) -> None:
    @play
    async def run() -> None:
        async with theatre(scenario("backup/small", "spare/tiny")) as on:
            on.mode(CODEX, Mode.UNAVAILABLE)
            on.mode("backup", mode)
            assert await on.turn()
            assert [(event.provider, event.credential) for event in on.events(CredentialBenched)] == [
                ("backup", "backup-1")
            ]
            assert on.credential(CODEX).status(on.clock.now()) is Status.OK

    run()


@play
async def test_c51_a_key_that_was_replaced_while_it_was_asked_with_ends_in_the_fallback_and_not_in_a_loop() -> None:
    async with theatre(ONE_FALLBACK) as on:
        on.mode(CODEX, Mode.UNAUTHORIZED)
        on.pace(CODEX, latency=10)
        turn = asyncio.ensure_future(on.turn())
        await on.until_asked(CODEX)
        on.refer_to(CODEX, "another-simulated-key")
        assert await turn
        assert keys_asked(on) == [f"{CODEX}-1", ""]
        assert on.events(TurnCompleted)[0].provider == "backup"


@play
async def test_c53_a_revoked_sign_in_stays_out_over_a_restart_and_is_told_once() -> None:
    async with theatre(ONE_FALLBACK) as on:
        on.mode(CODEX, Mode.REVOKED)
        await on.turn()
        await on.turns(5, apart=HOUR)
        await on.fleet.close()
        async with second_process(on) as again:
            await again.turns(3, apart=HOUR)
            assert again.calls(CODEX) == 1
            assert len(again.events(CredentialBenched)) == 1
            assert again.diagnosis().code is Code.CREDENTIAL_DEAD
            assert "codex login" in again.diagnosis().helps


@play
async def test_c56_one_models_limit_leaves_the_next_model_of_the_same_key_usable_in_that_very_turn() -> None:
    async with theatre(scenario("zai/air", "backup/small", primary="zai/glm")) as on:
        on.mode("zai", Mode.RATE_LIMIT, model="glm", retry_after=600)
        assert await on.turn()
        assert (on.row().position, on.calls("zai")) == (1, 2)
        on.mode("zai", Mode.UNAUTHORIZED, model="air")
        await on.turn()
        assert on.row().position == 2
        assert on.credential("zai").benched_for("glm", on.clock.now() + 300) is not None
        assert on.credential("zai").cooldown is not None


@play
async def test_c58_an_upstream_without_credit_takes_its_model_out_and_not_the_relay() -> None:
    async with theatre(scenario("openrouter/y", "backup/small", primary="openrouter/x")) as on:
        on.shape("openrouter", "openrouter-upstream-out-of-credit", model="x")
        assert await on.turn()
        assert [request.model for request in on.on.simulator.requests] == ["x", "y"]
        assert [(event.model, event.reason) for event in on.events(CredentialBenched)] == [("x", FailureKind.BILLING)]
        await on.turns(3, apart=300)
        assert on.row().position == 1


@play
async def test_c58_a_relay_without_credit_of_its_own_is_out_for_every_model() -> None:
    async with theatre(scenario("openrouter/y", "backup/small", primary="openrouter/x")) as on:
        on.shape("openrouter", "openrouter-out-of-credit")
        assert await on.turn()
        assert on.calls("openrouter") == 1
        assert on.row().position == 2


@play
async def test_c59_with_every_key_cooling_nothing_is_sent_and_the_next_time_is_told() -> None:
    async with theatre(scenario(keys={CODEX: 2}, runtime={"policy": "never"})) as on:
        on.limit(account=f"{CODEX}-1", resets_in=3600)
        on.limit(account=f"{CODEX}-2", resets_in=7200)
        back = on.clock.now() + 3600
        await on.turn()
        asked = len(on.on.simulator.requests)
        for _ in range(3):
            assert not await on.turn()
        assert len(on.on.simulator.requests) == asked
        failed = on.events(TurnFailed)[-1]
        assert failed.earliest == pytest.approx(back, abs=1)
        assert "usage limit" in failed.error
        assert "authori" not in failed.error
        await on.clock.sleep(3600)
        on.mode(CODEX, Mode.OK)
        assert await on.turn()


@play
async def test_c59_no_request_goes_out_with_a_key_that_is_not_there() -> None:
    async with theatre(ONE_FALLBACK) as on:
        on.refer_to(CODEX, "file:key-that-is-not-there")
        await on.fleet.execute(ReloadConfiguration())
        assert await on.turn()
        assert [request.provider for request in on.on.simulator.requests] == ["backup"]
        assert on.diagnosis().code is Code.CONFIGURATION_FAULT


@play
async def test_c59_a_key_that_is_replaced_while_the_probe_is_waited_for_is_the_one_that_goes_out() -> None:
    async with theatre(ALONE) as on:
        file = await on.keep_in_file(CODEX)
        on.limit()
        assert not await on.turn()
        on.reopen()
        elsewhere = Ownership(on.on.state)
        (subject,) = (Candidate(pool, pool.members[0], "gpt").subject for pool in on.pools(CODEX))
        assert elsewhere.acquire(f"usage of {'/'.join(subject)}")
        turn = asyncio.ensure_future(on.turn())
        await on.clock.sleep(5)
        on.renew(file, CODEX)
        await on.fleet.execute(ReloadConfiguration())
        elsewhere.release_all()
        assert await turn
        (served,) = (row for row in on.facts.credentials.values() if row.last_served_at is not None)
        assert served.fingerprint == on.pools(CODEX)[0].members[0].fingerprint


@play
async def test_c62_a_reset_clears_everything_and_is_what_the_next_process_reads() -> None:
    async with theatre(scenario("backup/small", "zai/air", primary="zai/glm")) as on:
        on.limit("zai", resets_in=3 * DAY)
        on.mode("zai", Mode.RATE_LIMIT, model="air", retry_after=600)
        on.mode("backup", Mode.UNAVAILABLE)
        await on.turn()
        assert on.credential("zai").status(on.clock.now()) is Status.EXHAUSTED
        await on.fleet.execute(ResetCooldown(on.credential("zai").key))
        with open_ledger(on.on.state) as other:
            (row,) = (row for row in other.facts.credentials.values() if row.key.pool == "zai")
            assert (row.cooldown, row.model_cooldowns) == (None, ())


@play
async def test_c62_a_refusal_after_the_reset_is_newer_and_counts() -> None:
    async with theatre(PLAIN) as on:
        on.limit("zai", resets_in=3 * DAY)
        await on.turn()
        await on.fleet.execute(ResetCooldown(on.credential("zai").key))
        await on.turns(3, apart=60)
        assert on.calls("zai") == 2
        assert on.credential("zai").status(on.clock.now()) is Status.EXHAUSTED


@pytest.mark.parametrize("refused", [Mode.UNAUTHORIZED, Mode.REVOKED])
def test_c64_a_key_that_was_renewed_in_its_file_is_taken_by_the_turn_that_needs_it(refused: Mode) -> None:
    @play
    async def run() -> None:
        async with theatre(ONE_FALLBACK) as on:
            file = await on.keep_in_file(CODEX)
            on.mode(CODEX, refused)
            on.pace(CODEX, latency=10)
            turn = asyncio.ensure_future(on.turn())
            await on.until_asked(CODEX)
            on.renew(file, CODEX)
            on.mode(CODEX, Mode.OK)
            assert await turn
            assert on.calls(CODEX) == 2
            assert not on.row().on_fallback
            assert len(on.events(CredentialReplaced)) == 1

    run()


@play
async def test_c64_a_renewed_key_that_is_refused_as_well_stays_benched() -> None:
    async with theatre(ONE_FALLBACK) as on:
        file = await on.keep_in_file(CODEX)
        on.mode(CODEX, Mode.UNAUTHORIZED)
        on.pace(CODEX, latency=10)
        turn = asyncio.ensure_future(on.turn())
        await on.until_asked(CODEX)
        on.renew(file, CODEX)
        assert await turn
        assert on.calls(CODEX) == 2
        assert on.row().on_fallback
        await on.turns(3, apart=20)
        assert on.calls(CODEX) == 2


@play
async def test_c64_a_pool_whose_sign_in_was_revoked_takes_the_new_one_at_its_next_turn() -> None:
    async with theatre(ALONE) as on:
        file = await on.keep_in_file(CODEX)
        on.mode(CODEX, Mode.REVOKED)
        assert not await on.turn()
        assert not await on.turn()
        assert on.calls(CODEX) == 1
        on.renew(file, CODEX)
        on.mode(CODEX, Mode.OK)
        assert await on.turn()
        assert on.calls(CODEX) == 2


@pytest.mark.parametrize("met", [Mode.USAGE_LIMIT, Mode.PAYMENT_REQUIRED, Mode.UNAUTHORIZED, Mode.REVOKED])
def test_c64_a_session_that_waits_for_its_pool_comes_home_to_a_key_that_was_added(met: Mode) -> None:
    @play
    async def run() -> None:
        async with theatre(scenario("backup/small", primary="zai/glm", keys={"zai": 2})) as on:
            second: list[dict[str, str]] = []
            on.edit(lambda tables: second.append(tables["providers"]["zai"]["credentials"].pop()))
            await on.fleet.execute(ReloadConfiguration())
            on.mode("zai", met, account="zai-1")
            await on.turn()
            assert on.row().on_fallback
            on.edit(lambda tables: tables["providers"]["zai"]["credentials"].extend(second))
            await on.fleet.execute(ReloadConfiguration())
            assert await on.turn()
            assert keys_asked(on, "zai") == ["zai-1", "zai-2"]
            assert not on.row().on_fallback

    run()


@play
async def test_c64_a_reload_that_brings_no_key_ends_no_cooldown() -> None:
    async with theatre(scenario("backup/small", primary="zai/glm", keys={"zai": 2})) as on:
        on.limit("zai", resets_in=2 * DAY)
        await on.turn()
        own = on.row().cooldown
        await on.fleet.execute(ReloadConfiguration())
        assert own is not None
        assert on.row().cooldown == own


@play
async def test_c65_a_billing_stop_is_tried_once_an_hour_and_ends_with_the_top_up() -> None:
    async with theatre(PLAIN) as on:
        on.mode("zai", Mode.PAYMENT_REQUIRED)
        await on.turns(12 * 5, apart=300)
        hours = 5 * 3600 / LIMIT_SECONDS
        assert on.calls("zai") in (hours, hours + 1)
        on.mode("zai", Mode.OK)
        await on.turns(12, apart=300)
        assert not on.row().on_fallback


@play
async def test_c65_the_date_of_a_billing_stop_is_over_for_a_new_process_too() -> None:
    async with theatre(PLAIN) as on:
        on.mode("zai", Mode.PAYMENT_REQUIRED)
        await on.turn()
        on.mode("zai", Mode.OK)
        await on.fleet.close()
        await on.clock.sleep(LIMIT_SECONDS + 1)
        async with second_process(on) as again:
            assert await again.turn()
            assert again.calls("zai") == 2
            assert not again.row().on_fallback


@pytest.mark.parametrize("act", ["reset", "force"])
def test_c65_the_users_word_gives_a_billing_stop_one_attempt_at_once(act: str) -> None:
    @play
    async def run() -> None:
        async with theatre(PLAIN) as on:
            on.mode("zai", Mode.PAYMENT_REQUIRED)
            await on.turn()
            command = ResetCooldown(on.credential("zai").key) if act == "reset" else ForceRestore("s1")
            await on.fleet.execute(command)
            await on.turns(3, apart=60)
            assert on.calls("zai") == 2
            assert on.diagnosis().code is Code.OUT_OF_CREDIT
            on.mode("zai", Mode.OK)
            await on.fleet.execute(command)
            await on.turn()
            assert not on.row().on_fallback

    run()


@play
async def test_m17_an_empty_account_is_left_for_another_account_and_not_for_its_second_key() -> None:
    keys = {f"{CODEX}-{n}": token_of(account, n) for n, account in ((1, "one"), (2, "one"), (3, "two"))}
    async with theatre(scenario("backup/small", keys={CODEX: 3}, api_keys=keys)) as on:
        on.limit(account=f"{CODEX}-1")
        on.limit(account=f"{CODEX}-2")
        assert await on.turn()
        assert keys_asked(on) == [f"{CODEX}-1", f"{CODEX}-3"]
        assert [event.credential for event in on.events(CredentialBenched)] == [f"{CODEX}-1", f"{CODEX}-2"]
        assert on.probes() == 0


@play
async def test_m39_a_forced_request_to_an_empty_account_costs_one_call_whatever_keys_it_has() -> None:
    keys = {f"{CODEX}-{n}": token_of("one", n) for n in (1, 2, 3)}
    async with theatre(scenario("backup/small", keys={CODEX: 3}, api_keys=keys)) as on:
        on.limit()
        await on.turn()
        await on.fleet.execute(ForceRestore("s1"))
        await on.turns(1, apart=60)
        assert on.calls(CODEX) == 2


@play
async def test_c68_what_one_process_meets_no_other_has_to_meet() -> None:
    async with theatre(scenario("backup/small", sessions=3), only=("s1",)) as on:
        on.limit(resets_in=3600)
        await on.turn("s1")
        for name in ("s2", "s3"):
            async with second_process(on, only=(name,)) as other:
                assert await other.turn(name)
        assert on.calls(CODEX) == 1


@play
async def test_c70_within_a_cooldown_of_seconds_nothing_is_sent() -> None:
    async with theatre(PLAIN) as on:
        on.mode("zai", Mode.RATE_LIMIT, retry_after=15)
        await on.turn()
        await on.turns(14, apart=1)
        assert on.calls("zai") == 1
        on.mode("zai", Mode.OK)
        await on.turns(2, apart=1)
        assert len(on.events(PrimaryRestored)) == 1
