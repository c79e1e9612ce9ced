"""Strictness: what each simulated API takes, and what it refuses in its own words."""

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import httpx
import pytest

from hermes_tui.core.secret import Secret
from hermes_tui.simulator import Account, Dialect, Provider, World, jumping

from .bench import now, serving

KEY = "simulated-key"
HEADERS = {"authorization": f"Bearer {KEY}", "anthropic-version": "2023-06-01"}
CHAT, CODEX, ANTHROPIC, MISTRAL = (
    "/backup/v1/chat/completions",
    "/openai-codex/backend-api/codex/responses",
    "/anthropic/v1/messages",
    "/mistral/v1/chat/completions",
)
Change = Callable[[dict[str, Any]], object]


def world() -> World:
    dialects = {
        "backup": Dialect.CHAT_COMPLETIONS,
        "openai-codex": Dialect.CODEX_RESPONSES,
        "anthropic": Dialect.ANTHROPIC_MESSAGES,
        "mistral": Dialect.CHAT_COMPLETIONS,
    }
    return World(
        [Provider(name, dialect, {"work": Account("work", Secret(KEY))}) for name, dialect in dialects.items()],
        now=now,
    )


def said(role: str, text: str) -> dict[str, Any]:
    """Return an item of a Codex conversation."""
    kind = "input_text" if role == "user" else "output_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


TALK = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]
LEGAL: dict[str, dict[str, Any]] = {
    CHAT: {"model": "m", "messages": [{"role": "system", "content": "Be brief."}, *TALK]},
    MISTRAL: {"model": "m", "messages": TALK},
    CODEX: {
        "model": "m",
        "instructions": "Be brief.",
        "store": False,
        "include": ["reasoning.encrypted_content"],
        "input": [said("user", "a"), said("assistant", "b"), said("user", "c")],
    },
    ANTHROPIC: {
        "model": "m",
        "max_tokens": 100,
        "messages": [{"role": turn["role"], "content": [{"type": "text", "text": turn["content"]}]} for turn in TALK],
    },
}
FOREIGN_REASONING = {"type": "reasoning", "summary": [], "encrypted_content": "gAAAAforeign"}
FOREIGN_THINKING = {"type": "thinking", "thinking": "hm", "signature": "foreign"}


async def send(
    client: httpx.AsyncClient, path: str, body: dict[str, Any], headers: dict[str, str] = HEADERS
) -> httpx.Response:
    return await client.post(path, headers=headers, json=body)


@pytest.mark.parametrize("path", LEGAL)
@jumping
async def test_a_legal_conversation_is_answered(path: str) -> None:
    async with serving(world()) as (simulator, client):
        assert (await send(client, path, LEGAL[path])).status_code == 200
        assert [request.status for request in simulator.requests] == [200]


@jumping
async def test_codex_takes_messages_in_their_short_form() -> None:
    body = {**LEGAL[CODEX], "input": TALK}
    async with serving(world()) as (_, client):
        assert (await send(client, CODEX, body)).status_code == 200
        blank = {**body, "input": [{"role": "user", "content": " "}]}
        assert (await send(client, CODEX, blank)).status_code == 400


@pytest.mark.parametrize(
    ("path", "change", "words"),
    [
        (CHAT, lambda body: body.pop("messages"), "at least one message"),
        (CHAT, lambda body: body["messages"].pop(1), "begin and end with a user"),
        (CHAT, lambda body: body["messages"].pop(2), "alternate"),
        (CHAT, lambda body: body["messages"].pop(), "begin and end with a user"),
        (CHAT, lambda body: body["messages"][1].update(content=" "), "content"),
        (CHAT, lambda body: body["messages"][2].update(reasoning_content="hm"), "nothing else"),
        (CHAT, lambda body: body["messages"].append({"role": "system", "content": "x"}), "system"),
        (MISTRAL, lambda body: body.update(stream_options={}), "Extra inputs are not permitted"),
        (CODEX, lambda body: body.update(instructions=""), "Instructions are required"),
        (CODEX, lambda body: body.pop("store"), "Store must be set to false"),
        (CODEX, lambda body: body["input"].clear(), "must be provided"),
        (CODEX, lambda body: body["input"][0]["content"][0].update(type="output_text"), "message by user"),
        (CODEX, lambda body: body["input"][1]["content"][0].update(text=""), "message by assistant"),
        (CODEX, lambda body: body["input"][1].update(role="system"), "Invalid value"),
        (CODEX, lambda body: body["input"].insert(1, FOREIGN_REASONING), "gAAA...eign could not be verified"),
        (ANTHROPIC, lambda body: body.pop("max_tokens"), "max_tokens: Field required"),
        (ANTHROPIC, lambda body: body.update(system=""), "system: text content blocks must be non-empty"),
        (ANTHROPIC, lambda body: body["messages"].pop(), "begin and end with a user"),
        (ANTHROPIC, lambda body: body["messages"].insert(0, {"role": "system", "content": "x"}), "system"),
        (ANTHROPIC, lambda body: body["messages"][0]["content"].clear(), "non-empty content"),
        (ANTHROPIC, lambda body: body["messages"][0]["content"][0].update(text="\n"), "non-whitespace"),
        (ANTHROPIC, lambda body: body["messages"][0]["content"][0].update(type="image"), "'image'"),
        (
            ANTHROPIC,
            lambda body: body["messages"][1]["content"].insert(0, FOREIGN_THINKING),
            "messages.1.content.0: Invalid `signature` in `thinking` block",
        ),
        (
            ANTHROPIC,
            lambda body: body["messages"][1]["content"].insert(0, {"type": "thinking", "thinking": "hm"}),
            "messages.1.content.0.thinking.signature: Field required",
        ),
    ],
)
@jumping
async def test_what_an_api_does_not_take_is_refused_in_its_own_words(path: str, change: Change, words: str) -> None:
    body = deepcopy(LEGAL[path])
    change(body)
    async with serving(world()) as (simulator, client):
        answer = await send(client, path, body)
    assert answer.status_code == simulator.requests[0].status == (422 if path == MISTRAL else 400)
    assert words in json.dumps(answer.json(), ensure_ascii=False)


@jumping
async def test_anthropic_wants_to_know_which_version_is_spoken() -> None:
    async with serving(world()) as (_, client):
        answer = await send(client, ANTHROPIC, LEGAL[ANTHROPIC], {"x-api-key": KEY})
    assert answer.json() == {
        "type": "error",
        "error": {"type": "invalid_request_error", "message": "anthropic-version: header is required"},
    }


def with_answer(path: str, sent: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    """Return the next request of a conversation, with the whole reply before it as it came."""
    after = deepcopy(sent)
    if path == CODEX:
        reasoning, message = ({key: item[key] for key in item if key != "id"} for item in answer["output"])
        part = {"type": "output_text", "text": message["content"][0]["text"]}
        after["input"] += [reasoning, {**said("assistant", "x"), "content": [part]}, said("user", "d")]
    else:
        reply = {"role": "assistant", "content": answer["content"]}
        after["messages"] += [reply, {"role": "user", "content": [{"type": "text", "text": "d"}]}]
    return after


@pytest.mark.parametrize("path", [CODEX, ANTHROPIC])
@pytest.mark.parametrize(
    ("change", "status"),
    [
        (lambda *_: None, 200),
        (lambda body, _: body.update(model="another"), 400),
        (lambda _, account: setattr(account, "label", "another"), 400),
    ],
)
@jumping
async def test_c29_a_seal_is_taken_back_for_its_own_model_and_account_alone(
    path: str, change: Callable[..., object], status: int
) -> None:
    async with serving(world()) as (simulator, client):
        answer = (await send(client, path, LEGAL[path])).json()
        body = with_answer(path, LEGAL[path], answer)
        change(body, simulator.world.providers[path.split("/")[1]].accounts["work"])
        assert (await send(client, path, body)).status_code == status


@jumping
async def test_c29_signed_thinking_is_bound_to_the_conversation_before_it() -> None:
    async with serving(world()) as (_, client):
        answer = (await send(client, ANTHROPIC, LEGAL[ANTHROPIC])).json()
        body = with_answer(ANTHROPIC, LEGAL[ANTHROPIC], answer)
        body["messages"][0]["content"][0]["text"] = "another question"
        assert "Invalid `signature`" in (await send(client, ANTHROPIC, body)).text


@jumping
async def test_c29_reasoning_without_its_message_is_refused() -> None:
    async with serving(world()) as (_, client):
        answer = (await send(client, CODEX, LEGAL[CODEX])).json()
        body = with_answer(CODEX, LEGAL[CODEX], answer)
        body["input"].pop(-2)
        assert "required following item" in (await send(client, CODEX, body)).text
