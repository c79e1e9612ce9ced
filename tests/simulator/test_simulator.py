"""The running simulator: its log, its controls, its timeline, and how it stops."""

import asyncio
import json

import httpx
import pytest

from hermes_tui.core.secret import fingerprint
from hermes_tui.simulator import Mode, Scenario, Simulator, World, jumping, load_scenario

from .bench import (
    CHAT,
    CHAT_KEY,
    CODEX,
    CODEX_KEY,
    EPOCH,
    ask,
    ask_usage,
    bearer,
    now,
    prompt,
    serving,
    small_world,
    switch,
)


@jumping
async def test_the_log_says_who_asked_what_and_what_it_met() -> None:
    async with serving() as (simulator, client):
        simulator.world.apply(switch(Mode.UNAVAILABLE))
        await ask(client)
        await ask_usage(client)
    refused, usage = simulator.requests
    assert (refused.at, refused.path, refused.provider, refused.account) == (EPOCH, CHAT, "backup", "spare")
    assert (refused.model, refused.met, refused.status) == ("small", Mode.UNAVAILABLE, 503)
    assert refused.key == fingerprint(CHAT_KEY)
    assert (usage.model, usage.met, usage.status) == (None, "honest", 200)


@jumping
async def test_neither_state_nor_log_holds_a_key() -> None:
    async with serving() as (_, client):
        await ask(client)
        shown = (await client.get("/control/state")).text + (await client.get("/control/requests")).text
    assert CHAT_KEY not in shown
    assert CODEX_KEY not in shown
    assert fingerprint(CHAT_KEY) in shown


@jumping
async def test_a_person_can_act_while_it_runs() -> None:
    async with serving() as (_, client):
        action = {"do": "set_mode", "provider": "backup", "mode": "500"}
        state = (await client.post("/control/actions", json=action)).json()
        assert state["modes"][0]["mode"] == "500"
        assert (await ask(client)).status_code == 500
        await client.post("/control/actions", json=[{**action, "mode": "ok"}])
        assert (await ask(client)).status_code == 200


@jumping
async def test_a_person_can_let_it_answer_with_a_shape() -> None:
    async with serving() as (_, client):
        action = {"do": "set_shape", "provider": "backup", "shape": "groq-minute"}
        state = (await client.post("/control/actions", json=action)).json()
        answer = await ask(client)
        log = (await client.get("/control/requests")).json()
    assert state["modes"][0]["shape"] == log[0]["met"] == "groq-minute"
    assert (answer.status_code, answer.headers["x-ratelimit-reset-tokens"]) == (429, "7.66s")
    assert "`small`" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("body", "status", "key"),
    [
        ('{"do": "set_mode", "provider": "backup", "mode": "sleepy"}', 422, "mode"),
        ('{"do": "reopen", "provider": "nobody"}', 422, "provider"),
        ('{"do": "set_shape", "provider": "backup", "shape": "groq-minut"}', 422, "shape"),
        ("not json", 400, ""),
    ],
)
@jumping
async def test_a_wrong_action_is_refused_and_says_where(body: str, status: int, key: str) -> None:
    async with serving() as (_, client):
        answer = await client.post("/control/actions", content=body)
    assert answer.status_code == status
    assert answer.json()["errors"][0]["key"].endswith(key)


@jumping
async def test_an_unknown_path_and_a_body_without_model_are_refused() -> None:
    async with serving() as (_, client):
        assert (await client.get("/v1/nothing")).status_code == 404
        assert (await client.post(CHAT, content="{", headers=bearer(CHAT_KEY))).status_code == 400
        assert (await client.post(CHAT, json={}, headers=bearer(CHAT_KEY))).status_code == 400


@jumping
async def test_it_listens_on_loopback_and_on_the_port_asked_for() -> None:
    async with Simulator(small_world(), now=now) as first:
        port = int(first.base_url.removeprefix("http://127.0.0.1:"))
    async with Simulator(small_world(), now=now, port=port) as second:
        assert second.base_url == first.base_url


@pytest.mark.parametrize("mode", [Mode.STALL, Mode.TIMEOUT])
@pytest.mark.parametrize("path", [CHAT, CODEX])
@jumping
async def test_it_stops_at_once_while_streams_are_open(mode: Mode, path: str, caplog: pytest.LogCaptureFixture) -> None:
    simulator = Simulator(small_world(), now=now)
    async with httpx.AsyncClient(trust_env=False, timeout=None) as client:
        async with simulator:
            simulator.world.apply(switch(mode, path))
            key = CODEX_KEY if path == CODEX else CHAT_KEY
            request = client.post(simulator.base_url + path, headers=bearer(key), json=prompt())
            waiting = asyncio.create_task(request)
            await asyncio.sleep(5)
            stopping_at = now()
        assert now() - stopping_at < 1
        with pytest.raises(httpx.TransportError):
            await waiting
    assert caplog.records == []


@jumping
async def test_the_timeline_happens_on_the_clock() -> None:
    scenario = load_scenario("early-reopening")
    async with serving(scenario) as (simulator, client):
        assert (await ask(client, CODEX)).status_code == 429
        await simulator.play()
        assert now() - EPOCH == pytest.approx(300, abs=1)
        assert (await ask(client, CODEX)).status_code == 200


@jumping
async def test_leaving_early_ends_the_timeline() -> None:
    async with serving(load_scenario("early-reopening")):
        pass
    assert asyncio.get_running_loop().time() < 300
    assert len(asyncio.all_tasks()) == 1


@jumping
async def test_a_fault_in_the_timeline_reaches_whoever_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    async def play() -> None:
        async with Simulator(load_scenario("early-reopening"), now=now) as simulator:
            monkeypatch.setattr(World, "apply", lambda *_: 1 / 0)
            await simulator.play()

    with pytest.raises(ZeroDivisionError):
        await play()


@jumping
async def test_a_driver_meets_the_demo_story_in_its_order() -> None:
    """Prompts sent straight to the primary: two served, refused over the weekend, served again, then lied to."""
    scenario: Scenario = load_scenario("friday-to-monday")
    statuses: list[int] = []
    lied: list[int] = []
    async with serving(scenario) as (simulator, client):
        for turn in scenario.planned_turns():
            await simulator.wait_until(turn.at)
            statuses.append((await ask(client, CODEX, model="gpt-5.5")).status_code)
            usage = (await ask_usage(client)).json()["rate_limit"]
            lied.append(usage["allowed"] and statuses[-1] == 429)
        assert json.dumps(statuses) == json.dumps([200, 200, 429, 429, 200, 429, 429, 429])
        assert lied == [False] * 5 + [True] * 3
        await simulator.play()
