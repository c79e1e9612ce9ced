"""The simulated Anthropic API, by what a client sees of each mode on the wire."""

import json

import pytest

from hermes_tui.core.secret import Secret
from hermes_tui.simulator import Account, Dialect, Mode, Provider, Scenario, SetMode, World, jumping

from .bench import now, serving
from .test_modes import payloads

PATH = "/anthropic/v1/messages"
HEADERS = {"x-api-key": "simulated-key", "anthropic-version": "2023-06-01"}
ASKED = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": [{"type": "text", "text": "Hello"}]}]}


def world(mode: Mode = Mode.OK) -> World:
    accounts = {"work": Account("work", Secret("simulated-key"))}
    made = World([Provider("anthropic", Dialect.ANTHROPIC_MESSAGES, accounts, replies=("One two three",))], now=now)
    made.apply(SetMode(provider="anthropic", mode=mode))
    return made


async def streamed(mode: Mode) -> tuple[list[str], str]:
    """Return the kinds of the events that a stream brings under `mode`, and its text."""
    async with serving(world(mode)) as (_, client):
        answer = await client.post(PATH, headers=HEADERS, json={**ASKED, "stream": True})
    events = payloads(answer.text)
    kinds = list(dict.fromkeys(event["type"] for event in events))
    deltas = [event["delta"] for event in events if event["type"] == "content_block_delta"]
    return kinds, "".join(delta.get("text", "") for delta in deltas)


@jumping
async def test_a_stream_has_its_events_in_order_and_thinks_before_it_speaks() -> None:
    kinds, text = await streamed(Mode.OK)
    assert kinds == [
        "message_start",
        "ping",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    assert text == "One two three"


@jumping
async def test_without_stream_a_reply_is_one_message() -> None:
    async with serving(world()) as (_, client):
        message = (await client.post(PATH, headers=HEADERS, json=ASKED)).json()
    assert [block["type"] for block in message["content"]] == ["thinking", "text"]
    assert (message["stop_reason"], message["usage"]["output_tokens"]) == ("end_turn", 3)


@pytest.mark.parametrize(
    ("mode", "last", "text"),
    [
        (Mode.EMPTY, "message_stop", ""),
        (Mode.BROKEN, "content_block_delta", "One two"),
        (Mode.ERROR_FRAME, "error", "One two"),
    ],
)
@jumping
async def test_a_stream_that_fails_ends_as_its_mode_says(mode: Mode, last: str, text: str) -> None:
    kinds, said = await streamed(mode)
    assert ("message_stop" in kinds) == (last == "message_stop")
    assert (last in kinds, said) == (True, text)


def test_a_scenario_names_the_dialect_or_the_provider_that_is_known_for_it() -> None:
    scenario = Scenario.model_validate(
        {
            "title": "t",
            "story": "s",
            "configuration": {
                "primary": {"provider": "anthropic", "model": "m"},
                "providers": {
                    "anthropic": {"credentials": [{"label": "a", "api_key": "k"}]},
                    "acme": {"api_mode": "anthropic_messages"},
                },
            },
        }
    )
    assert [scenario.dialect_of(name) for name in ("anthropic", "acme")] == [Dialect.ANTHROPIC_MESSAGES] * 2
    file = json.dumps(scenario.configuration_for("http://127.0.0.1:1"))
    assert "http://127.0.0.1:1/anthropic/v1" in file
