"""Each mode, by what a client sees of it on the wire."""

import asyncio
import json
from typing import Any

import httpx
import pytest

from hermes_tui.simulator import Mode, SetMode, SetPace, jumping

from .bench import (
    CHAT,
    CHAT_KEY,
    CODEX,
    CODEX_KEY,
    DAY,
    ask,
    bearer,
    now,
    prompt,
    serving,
    switch,
)

BOTH = pytest.mark.parametrize("path", [CHAT, CODEX])


def payloads(body: str) -> list[dict[str, Any]]:
    """Return the JSON of every event but the end mark."""
    data = [line.removeprefix("data: ") for line in body.splitlines() if line.startswith("data: ")]
    return [json.loads(text) for text in data if text != "[DONE]"]


def said(body: str) -> str:
    """Return the text that a stream brought, in either dialect."""
    text = ""
    for event in payloads(body):
        text += event["delta"] if event.get("type") == "response.output_text.delta" else ""
        text += "".join(choice["delta"].get("content", "") for choice in event.get("choices", []))
    return text


@jumping
async def test_a_chat_stream_ends_with_finish_reason_usage_and_done() -> None:
    async with serving() as (_, client):
        answer = await ask(client)
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert said(answer.text) == "The answer is 42."
    assert payloads(answer.text)[-2]["choices"][0]["finish_reason"] == "stop"
    assert payloads(answer.text)[-1]["usage"]["completion_tokens"] == 4
    assert answer.text.endswith("data: [DONE]\n\n")


@jumping
async def test_a_codex_stream_has_its_numbered_events_and_ends_completed_with_usage() -> None:
    async with serving() as (_, client):
        answer = await ask(client, CODEX, model="gpt-5.5")
    events = payloads(answer.text)
    kinds = list(dict.fromkeys(event["type"] for event in events))
    assert kinds == [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
    ]
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    assert events[-1]["response"]["usage"]["output_tokens"] == 6
    assert events[-1]["response"]["output"][0]["content"][0]["text"] == said(answer.text)


@jumping
async def test_without_stream_a_reply_is_one_json_document() -> None:
    async with serving() as (_, client):
        chat = (await ask(client, stream=False)).json()
        codex = (await ask(client, CODEX, stream=False)).json()
    assert chat["choices"][0]["message"]["content"] == "The answer is 42."
    assert codex["status"] == "completed"


@jumping
async def test_a_usage_limit_names_its_date_in_body_and_seconds() -> None:
    async with serving() as (simulator, client):
        simulator.world.apply(switch(Mode.USAGE_LIMIT, CODEX, resets_in=2 * DAY))
        answer = await ask(client, CODEX)
        error = answer.json()["error"]
        assert answer.status_code == 429
        assert error["type"] == "usage_limit_reached"
        assert error["resets_at"] == round(now() + 2 * DAY)
        assert error["resets_in_seconds"] == 2 * DAY
        assert answer.headers["x-codex-primary-window-minutes"] == "300"


@jumping
async def test_a_rate_limit_says_when_to_retry() -> None:
    async with serving() as (simulator, client):
        simulator.world.apply(SetMode(provider="backup", mode=Mode.RATE_LIMIT, retry_after=90.0))
        answer = await ask(client)
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "90")
    assert answer.json()["error"]["code"] == "rate_limit_exceeded"


@BOTH
@pytest.mark.parametrize(
    ("mode", "status", "code"),
    [
        (Mode.PAYMENT_REQUIRED, 402, "credit_balance_exhausted"),
        (Mode.UNAUTHORIZED, 401, "invalid_api_key"),
        (Mode.REVOKED, 401, "token_revoked"),
        (Mode.FORBIDDEN, 403, "insufficient_permissions"),
        (Mode.UNKNOWN_MODEL, 404, "model_not_found"),
        (Mode.SERVER_ERROR, 500, None),
        (Mode.UNAVAILABLE, 503, "server_is_overloaded"),
        (Mode.OVERLOADED, 529, None),
    ],
)
@jumping
async def test_a_refusal_has_its_status_and_code(path: str, mode: Mode, status: int, code: str | None) -> None:
    async with serving() as (simulator, client):
        simulator.world.apply(switch(mode, path))
        answer = await ask(client, path)
    assert answer.status_code == status
    assert answer.json()["error"]["code"] == code


@BOTH
@jumping
async def test_a_timeout_lasts_until_the_client_gives_up(path: str) -> None:
    async with serving() as (simulator, client):
        simulator.world.apply(switch(Mode.TIMEOUT, path))
        with pytest.raises(httpx.ReadTimeout):
            await ask(client, path)
        assert simulator.requests[-1].status is None
    assert asyncio.get_running_loop().time() >= 60


@BOTH
@jumping
async def test_a_stall_brings_two_words_and_then_keep_alives_only(path: str) -> None:
    lines: list[str] = []
    key = CODEX_KEY if path == CODEX else CHAT_KEY

    async def listen(client: httpx.AsyncClient) -> None:
        async with client.stream("POST", path, headers=bearer(key), json=prompt()) as answer:
            async for line in answer.aiter_lines():
                lines.append(line)  # noqa: PERF401 the stream never ends by itself

    async with serving() as (simulator, client):
        simulator.world.apply(switch(Mode.STALL, path))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(listen(client), 300)
    assert len(said("\n".join(lines)).split()) == 2
    assert lines.count(": keep-alive") >= 10


@BOTH
@jumping
async def test_an_empty_reply_ends_well_and_says_nothing(path: str) -> None:
    async with serving() as (simulator, client):
        simulator.world.apply(switch(Mode.EMPTY, path))
        answer = await ask(client, path)
        whole = (await ask(client, path, stream=False)).json()
    assert answer.status_code == 200
    assert said(answer.text) == ""
    assert "[DONE]" in answer.text or payloads(answer.text)[-1]["type"] == "response.completed"
    assert whole.get("choices", []) == whole.get("output", []) == []


@BOTH
@jumping
async def test_a_broken_stream_ends_without_saying_so(path: str) -> None:
    async with serving() as (simulator, client):
        simulator.world.apply(switch(Mode.BROKEN, path))
        answer = await ask(client, path)
        whole = await ask(client, path, stream=False)
    assert len(said(answer.text).split()) == 2
    assert "[DONE]" not in answer.text
    assert "response.completed" not in answer.text
    with pytest.raises(json.JSONDecodeError):
        whole.json()


@BOTH
@jumping
async def test_an_error_frame_comes_inside_a_200_stream(path: str) -> None:
    async with serving() as (simulator, client):
        simulator.world.apply(switch(Mode.ERROR_FRAME, path))
        answer = await ask(client, path)
        whole = await ask(client, path, stream=False)
    last = payloads(answer.text)[-1]
    error = last["response"]["error"] if path == CODEX else last["error"]
    assert (answer.status_code, whole.status_code) == (200, 200)
    assert error["code"] == whole.json()["error"]["code"] == "server_is_overloaded"


@BOTH
@jumping
async def test_html_is_a_challenge_page(path: str) -> None:
    async with serving() as (simulator, client):
        simulator.world.apply(switch(Mode.HTML, path))
        answer = await ask(client, path)
    assert (answer.status_code, answer.headers["content-type"]) == (403, "text/html; charset=utf-8")


@jumping
async def test_a_key_that_nobody_has_is_refused() -> None:
    async with serving() as (_, client):
        assert (await ask(client, key="somebody-elses")).status_code == 401


@jumping
async def test_pace_sets_the_latency_and_the_words_per_second() -> None:
    async with serving() as (simulator, client):
        simulator.world.apply(SetPace(provider="backup", latency=3.0, tokens_per_second=0.5))
        started = now()
        await ask(client)
        assert now() - started == pytest.approx(3 + 4 * 2)
