"""The wire over real HTTP, for the Anthropic dialect: its events, its ends, and its failures inside a 200."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from hermes_tui.core.failure import FailureKind
from hermes_tui.core.ports import ModelRequest, ReplyFinished, TextReceived, ThoughtReceived
from hermes_tui.core.route import ApiMode
from hermes_tui.core.secret import Secret
from hermes_tui.providers.wire import HttpWire

from .support import KEY, ScriptedServer, chunks, data, failure, response, sse

Ask = Callable[..., ModelRequest]
MODE = ApiMode.ANTHROPIC_MESSAGES


def event(kind: str, **fields: object) -> str:
    return data({"type": kind, **fields}, kind)


def delta(kind: str, index: int = 0, **piece: str) -> str:
    return event("content_block_delta", index=index, delta={"type": kind, **piece})


def block(kind: str, index: int = 0, **fields: str) -> str:
    return event("content_block_start", index=index, content_block={"type": kind, **fields})


def end(reason: str | None = "end_turn", **fields: object) -> str:
    return event("message_delta", delta={"stop_reason": reason, **fields}, usage={"output_tokens": 5})


USAGE = {"input_tokens": 7, "cache_read_input_tokens": 90, "cache_creation_input_tokens": 3, "output_tokens": 1}
START = event("message_start", message={"type": "message", "content": [], "usage": USAGE})
SAID = block("text", text="") + delta("text_delta", text="hi")
CLOSED = event("content_block_stop", index=0)
STOP = event("message_stop")


async def test_a_streamed_reply_arrives_in_pieces_and_ends_with_its_tokens(
    server: ScriptedServer, wire: HttpWire, ask: Ask
) -> None:
    more = delta("text_delta", text=" there")
    server.scripts = [sse(START, event("ping"), SAID, event("novelty", x=1), more, CLOSED, end(), STOP)]
    assert await chunks(wire, ask(MODE)) == [TextReceived("hi"), TextReceived(" there"), ReplyFinished(100, 5)]
    assert server.seen[0].line == "POST /v1/messages HTTP/1.1"
    assert server.seen[0].json["system"] == "Be brief."


async def test_m12_thinking_is_a_sign_of_life_and_kept_with_its_signature(
    server: ScriptedServer, wire: HttpWire, ask: Ask
) -> None:
    server.scripts = [
        sse(
            START,
            block("thinking", thinking="", signature=""),
            delta("thinking_delta", thinking="first "),
            delta("thinking_delta", thinking="second"),
            delta("signature_delta", signature="mark"),
            CLOSED,
            block("redacted_thinking", 1, data="hidden"),
            event("content_block_stop", index=1),
            SAID,
            CLOSED,
            end(),
            STOP,
        )
    ]
    *first, last = await chunks(wire, ask(MODE))
    assert first == [*[ThoughtReceived()] * 5, TextReceived("hi")]
    assert isinstance(last, ReplyFinished)
    assert json.loads(last.opaque or "") == [
        {"type": "thinking", "thinking": "first second", "signature": "mark"},
        {"type": "redacted_thinking", "data": "hidden"},
    ]


async def test_c29_thinking_without_a_signature_is_not_kept(server: ScriptedServer, wire: HttpWire, ask: Ask) -> None:
    thought = block("thinking", thinking="") + delta("thinking_delta", thinking="hm")
    server.scripts = [sse(START, thought, CLOSED, SAID, CLOSED, end(), STOP)]
    assert (await chunks(wire, ask(MODE)))[-1] == ReplyFinished(100, 5, None)


async def test_a_server_that_ignores_streaming_is_read_as_a_whole_reply(
    server: ScriptedServer, wire: HttpWire, ask: Ask
) -> None:
    thinking = {"type": "thinking", "thinking": "hm", "signature": "mark"}
    whole = {
        "type": "message",
        "content": [thinking, {"type": "text", "text": "hi"}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 3, "output_tokens": 2},
    }
    server.scripts = [response(json.dumps(whole))]
    *first, last = await chunks(wire, ask(MODE))
    assert first == [ThoughtReceived(), TextReceived("hi")]
    assert last == ReplyFinished(3, 2, json.dumps([thinking]))


@pytest.mark.parametrize("reason", ["end_turn", "stop_sequence", "max_tokens", "tool_use", "a_new_one", None])
async def test_text_is_an_answer_however_the_model_came_to_its_end(
    server: ScriptedServer, wire: HttpWire, ask: Ask, reason: str | None
) -> None:
    server.scripts = [sse(START, SAID, CLOSED, end(reason), STOP)]
    assert (await chunks(wire, ask(MODE)))[0] == TextReceived("hi")


async def test_a_reply_that_ends_without_its_last_event_is_complete(
    server: ScriptedServer, wire: HttpWire, ask: Ask
) -> None:
    server.scripts = [sse(START, SAID, CLOSED, end())]
    assert (await chunks(wire, ask(MODE)))[-1] == ReplyFinished(100, 5)


def error(kind: str, message: str = "x") -> str:
    return event("error", error={"type": kind, "message": message})


@pytest.mark.parametrize(
    ("events", "kind"),
    [
        pytest.param((error("overloaded_error", "Overloaded"),), FailureKind.OVERLOADED, id="c21 overloaded"),
        pytest.param((error("rate_limit_error"),), FailureKind.RATE_LIMIT, id="c21 limit"),
        pytest.param((error("api_error", "Internal server error"),), FailureKind.SERVER_ERROR, id="c21 server"),
        pytest.param((error("authentication_error"),), FailureKind.AUTH, id="c21 key"),
        pytest.param((error("billing_error"),), FailureKind.BILLING, id="c21 money"),
        pytest.param((error("invalid_request_error", "prompt is too long"),), FailureKind.CONTEXT_OVERFLOW, id="long"),
        pytest.param((data({"error": {"type": "overloaded_error"}}),), FailureKind.OVERLOADED, id="c21 unnamed"),
        pytest.param((end("refusal"), STOP), FailureKind.REFUSED, id="c24 refusal"),
        pytest.param((end("sensitive"), STOP), FailureKind.REFUSED, id="c24 filter of another provider"),
        pytest.param((end("pause_turn"), STOP), FailureKind.INVALID_RESPONSE, id="paused"),
        pytest.param((end("model_context_window_exceeded"), STOP), FailureKind.CONTEXT_OVERFLOW, id="window full"),
        pytest.param((), FailureKind.INVALID_RESPONSE, id="no end"),
        pytest.param(("data: {oops\n\n",), FailureKind.INVALID_RESPONSE, id="not JSON"),
        pytest.param(("data: Rate limit exceeded\n\n",), FailureKind.RATE_LIMIT, id="c21 bare words"),
    ],
)
async def test_c21_c24_what_makes_streamed_text_no_answer_is_classified(
    server: ScriptedServer, wire: HttpWire, ask: Ask, events: tuple[str, ...], kind: FailureKind
) -> None:
    server.scripts = [sse(START, SAID, *events)]
    assert (await failure(wire, ask(MODE))).kind is kind


@pytest.mark.parametrize(
    ("whole", "kind"),
    [
        ({"content": [], "stop_reason": "refusal"}, FailureKind.REFUSED),
        ({"content": [{"type": "text", "text": "par"}], "stop_reason": "refusal"}, FailureKind.REFUSED),
        ({"content": [], "stop_reason": "end_turn"}, FailureKind.INVALID_RESPONSE),
        ({"content": [{"type": "tool_use", "name": "x", "input": {}}]}, FailureKind.INVALID_RESPONSE),
        ({"content": [{"type": "text", "text": " \n"}], "stop_reason": "end_turn"}, FailureKind.INVALID_RESPONSE),
        ({"content": "hi", "stop_reason": ["end_turn"]}, FailureKind.INVALID_RESPONSE),
        ({"type": "error", "error": {"type": "overloaded_error", "message": "x"}}, FailureKind.OVERLOADED),
    ],
)
async def test_c23_c24_a_whole_message_that_is_no_answer_is_classified(
    server: ScriptedServer, wire: HttpWire, ask: Ask, whole: Mapping[str, object], kind: FailureKind
) -> None:
    server.scripts = [response(json.dumps(whole))]
    assert (await failure(wire, ask(MODE))).kind is kind


async def test_c24_a_refusal_tells_what_the_provider_said_to_it(
    server: ScriptedServer, wire: HttpWire, ask: Ask
) -> None:
    details = {"type": "refusal", "category": "cyber", "explanation": "This asks for malware."}
    server.scripts = [sse(START, end("refusal", stop_details=details), STOP)]
    assert (await failure(wire, ask(MODE))).message == "This asks for malware."


@pytest.mark.parametrize(
    ("provider", "key", "expected"),
    [
        pytest.param("anthropic", KEY, {"x-api-key": KEY.reveal()}, id="a key"),
        pytest.param(
            "anthropic",
            Secret("sk-ant-oat01-0123456789abcdef"),
            {"authorization": "Bearer sk-ant-oat01-0123456789abcdef", "anthropic-beta": "oauth-2025-04-20"},
            id="a subscription's token",
        ),
        pytest.param("acme", KEY, {"x-api-key": KEY.reveal()}, id="somebody who speaks it too"),
        pytest.param("openrouter", KEY, {"authorization": f"Bearer {KEY.reveal()}"}, id="a relay with its own header"),
        pytest.param("acme", None, {}, id="no key"),
    ],
)
async def test_the_key_goes_in_the_header_that_its_provider_wants(
    server: ScriptedServer, wire: HttpWire, ask: Ask, provider: str, key: Secret | None, expected: dict[str, str]
) -> None:
    server.scripts = [sse(START, SAID, CLOSED, end(), STOP)]
    request = ask(MODE)
    await chunks(wire, replace(request, route=replace(request.route, provider=provider)), key)
    headers = server.seen[0].headers
    names = ("authorization", "x-api-key", "api-key", "anthropic-beta")
    assert {name: headers[name] for name in names if name in headers} == expected
    assert headers["anthropic-version"] == "2023-06-01"
