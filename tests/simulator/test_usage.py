"""The usage endpoint: honest by default, and every way in which it can mislead."""

import httpx
import pytest

from hermes_tui.simulator import Mode, QuotaWindow, Reopen, SetMode, SetUsage, SetWindow, UsageMode, jumping

from .bench import (
    CODEX,
    CODEX_KEY,
    DAY,
    EPOCH,
    ask,
    ask_usage,
    bearer,
    now,
    serving,
    small_world,
    switch,
)

CODEX_PROVIDER = "openai-codex"


@jumping
async def test_it_tells_the_windows_as_requests_fill_them() -> None:
    async with serving() as (_, client):
        await ask(client, CODEX)
        limits = (await ask_usage(client)).json()["rate_limit"]
    assert (limits["allowed"], limits["limit_reached"]) == (True, False)
    assert limits["primary_window"]["used_percent"] == 50
    assert limits["primary_window"]["limit_window_seconds"] == 18000
    assert limits["secondary_window"] == {
        "used_percent": 11,
        "limit_window_seconds": 7 * DAY,
        "reset_after_seconds": 2 * DAY,
        "reset_at": EPOCH + 2 * DAY,
    }


@jumping
async def test_it_answers_on_the_other_path_too() -> None:
    async with serving() as (_, client):
        answer = await client.get("/api/codex/usage", headers=bearer(CODEX_KEY))
    assert answer.json()["plan_type"] == "plus"


@jumping
async def test_an_honest_page_knows_of_a_limit_that_was_switched_on() -> None:
    async with serving() as (simulator, client):
        simulator.world.apply(switch(Mode.USAGE_LIMIT, CODEX, resets_in=3 * DAY))
        limits = (await ask_usage(client)).json()["rate_limit"]
    assert limits["limit_reached"] is True
    assert limits["secondary_window"]["reset_at"] == EPOCH + 3 * DAY


@jumping
async def test_a_lying_page_says_five_percent_while_requests_are_refused() -> None:
    async with serving() as (simulator, client):
        simulator.world.apply(SetWindow(provider=CODEX_PROVIDER, window="week", resets_in=2 * DAY))
        simulator.world.apply(SetUsage(provider=CODEX_PROVIDER, mode=UsageMode.LIES, used_percent=5.0))
        refused = await ask(client, CODEX)
        limits = (await ask_usage(client)).json()["rate_limit"]
    assert refused.status_code == 429
    assert limits["allowed"] is True
    assert limits["secondary_window"]["used_percent"] == 5


@pytest.mark.parametrize(
    ("mode", "status"),
    [
        (UsageMode.THROTTLED, 429),
        (UsageMode.SERVER_ERROR, 500),
        (UsageMode.UNAUTHORIZED, 401),
        (UsageMode.NOT_FOUND, 404),
    ],
)
@jumping
async def test_a_page_that_fails_has_its_status(mode: UsageMode, status: int) -> None:
    async with serving() as (simulator, client):
        simulator.world.apply(SetUsage(provider=CODEX_PROVIDER, mode=mode))
        assert (await ask_usage(client)).status_code == status


@jumping
async def test_a_page_that_refuses_may_ask_to_be_left_alone() -> None:
    async with serving() as (simulator, client):
        simulator.world.apply(SetUsage(provider=CODEX_PROVIDER, mode=UsageMode.THROTTLED, retry_after=900))
        assert (await ask_usage(client)).headers["Retry-After"] == "900"


@pytest.mark.parametrize("mode", [UsageMode.HTML, UsageMode.GARBAGE])
@jumping
async def test_a_page_that_is_no_json_comes_with_200(mode: UsageMode) -> None:
    async with serving() as (simulator, client):
        simulator.world.apply(SetUsage(provider=CODEX_PROVIDER, mode=mode))
        answer = await ask_usage(client)
    assert answer.status_code == 200
    with pytest.raises(ValueError, match=r"Expecting|Unterminated"):
        answer.json()


@jumping
async def test_a_page_that_hangs_lasts_until_the_client_gives_up() -> None:
    async with serving() as (simulator, client):
        simulator.world.apply(SetUsage(provider=CODEX_PROVIDER, mode=UsageMode.TIMEOUT))
        with pytest.raises(httpx.ReadTimeout):
            await ask_usage(client)


@jumping
async def test_a_key_that_nobody_has_learns_nothing() -> None:
    async with serving() as (_, client):
        assert (await ask_usage(client, "somebody-elses")).status_code == 401


@jumping
async def test_a_window_of_one_model_is_told_apart() -> None:
    world = small_world()
    own = QuotaWindow("week", 7 * DAY, now() + DAY, used_percent=100.0, model="gpt-5.5-large")
    world.providers[CODEX_PROVIDER].accounts["work"].windows.append(own)
    async with serving(world) as (_, client):
        document = (await ask_usage(client)).json()
        small = await ask(client, CODEX, model="gpt-5.5")
        large = await ask(client, CODEX, model="gpt-5.5-large")
    assert document["rate_limit"]["allowed"] is True
    assert document["additional_rate_limits"][0]["limit_name"] == "gpt-5.5-large"
    assert (small.status_code, large.status_code) == (200, 429)


@jumping
async def test_reopening_empties_the_windows_and_ends_the_limit() -> None:
    async with serving() as (simulator, client):
        simulator.world.apply(SetMode(provider=CODEX_PROVIDER, account="work", mode=Mode.USAGE_LIMIT))
        simulator.world.apply(Reopen(provider=CODEX_PROVIDER))
        limits = (await ask_usage(client)).json()["rate_limit"]
        assert limits["primary_window"]["used_percent"] == 0
        assert (await ask(client, CODEX)).status_code == 200
