"""What is sent: bodies, headers and addresses of each dialect, and the parser of event streams."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.core.ports import ModelRequest
from hermes_tui.core.route import ApiMode, Route
from hermes_tui.core.session import Message, Role
from hermes_tui.core.text import PlainText
from hermes_tui.providers.anthropic_messages import MAX_TOKENS
from hermes_tui.providers.codex_responses import DEFAULT_INSTRUCTIONS
from hermes_tui.providers.dialect import endpoint
from hermes_tui.providers.sse import Frame, SseParser
from hermes_tui.providers.wire import DIALECTS

from .support import NOW, user
from .test_usage import ACCOUNT, jwt

EVERY_MODE = pytest.mark.parametrize("mode", ApiMode)
REASONING = {"type": "reasoning", "summary": [], "encrypted_content": "sealed"}
THINKING = {"type": "thinking", "thinking": "hm", "signature": "sealed"}
HIDDEN = {"type": "redacted_thinking", "data": "sealed"}
PARTS = {ApiMode.CODEX_RESPONSES: [REASONING], ApiMode.ANTHROPIC_MESSAGES: [THINKING, HIDDEN]}
"""What each API seals."""


def route_by(mode: ApiMode, context_length: int | None = None) -> Route:
    return Route("acme", "model-x", "https://acme.example/v1", mode, "acme", context_length)


def assistant(text: str, parts: object = None, issuer: str | None = None) -> Message:
    opaque = parts if isinstance(parts, str) else json.dumps(parts) if parts is not None else None
    return Message("s", 1, Role.ASSISTANT, PlainText(text), NOW, issuer=issuer, opaque=opaque)


def body(mode: ApiMode, *messages: Message, system: str | None = None, account: str = "") -> Any:
    """Return the body of a request with `messages`."""
    return DIALECTS[mode].body(ModelRequest(route_by(mode), system, messages, 5.0, account))


def spoken(mode: ApiMode, sent: Any) -> list[tuple[str, str]]:
    """Return who says what in a body, in order, of any dialect; sealed parts are left out."""
    if mode is ApiMode.CHAT_COMPLETIONS:
        return [(message["role"], message["content"]) for message in sent["messages"]]
    messages = sent["input" if mode is ApiMode.CODEX_RESPONSES else "messages"]
    return [
        (message["role"], "\n\n".join(part["text"] for part in message["content"] if "text" in part))
        for message in messages
        if "content" in message
    ]


def test_chat_sends_the_system_prompt_first_and_asks_for_a_stream_that_counts_its_tokens() -> None:
    sent = body(ApiMode.CHAT_COMPLETIONS, user("a"), system="Be brief.")
    assert sent["messages"][0] == {"role": "system", "content": "Be brief."}
    assert (sent["stream"], sent["stream_options"]) == (True, {"include_usage": True})


def test_a_provider_that_takes_no_stream_options_is_sent_none() -> None:
    route = Route("mistral", "m", "https://api.mistral.ai/v1", ApiMode.CHAT_COMPLETIONS, "mistral")
    sent = DIALECTS[ApiMode.CHAT_COMPLETIONS].body(ModelRequest(route, None, (user("a"),), 5.0))
    assert sent["stream"] is True
    assert "stream_options" not in sent


def test_codex_sends_instructions_and_typed_items() -> None:
    sent = body(ApiMode.CODEX_RESPONSES, user("a"), assistant("b"), user("c"), system="Be brief.")
    assert sent["instructions"] == "Be brief."
    assert (sent["store"], sent["stream"], sent["include"]) == (False, True, ["reasoning.encrypted_content"])
    assert sent["input"][:2] == [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "b"}]},
    ]


def test_codex_is_never_without_instructions() -> None:
    assert body(ApiMode.CODEX_RESPONSES, user("a"))["instructions"] == DEFAULT_INSTRUCTIONS


def test_anthropic_sends_the_system_prompt_apart_and_a_bound() -> None:
    sent = body(ApiMode.ANTHROPIC_MESSAGES, user("a"), system="Be brief.")
    assert sent == {
        "model": "model-x",
        "max_tokens": MAX_TOKENS,
        "system": "Be brief.",
        "messages": [{"role": "user", "content": [{"type": "text", "text": "a"}]}],
        "stream": True,
    }
    assert "system" not in body(ApiMode.ANTHROPIC_MESSAGES, user("a"))


@pytest.mark.parametrize(("window", "bound"), [(None, MAX_TOKENS), (200_000, MAX_TOKENS), (4096, 2048)])
def test_an_anthropic_reply_leaves_half_of_a_small_window_to_the_conversation(window: int | None, bound: int) -> None:
    route = route_by(ApiMode.ANTHROPIC_MESSAGES, window)
    sent = DIALECTS[ApiMode.ANTHROPIC_MESSAGES].body(ModelRequest(route, None, (user("a"),), 5.0))
    assert sent["max_tokens"] == bound


@EVERY_MODE
@pytest.mark.parametrize(
    ("messages", "said"),
    [
        pytest.param((user("a"), assistant("b"), user("c")), ["user a", "assistant b", "user c"], id="in turn"),
        pytest.param((user("a"), user("b")), ["user a", "user b"], id="an interrupted turn before"),
        pytest.param((user("a"), assistant(" \n"), user("b")), ["user a", "user b"], id="a blank reply"),
        pytest.param((assistant("a"), user("b")), ["user b"], id="begun by the model"),
        pytest.param((user(" "), assistant("a"), user("b")), ["user b"], id="begun with nothing"),
        pytest.param((user("a"), assistant("b"), user("\t")), ["user a"], id="ended by the model"),
    ],
)
def test_c29_roles_are_legal_everywhere(mode: ApiMode, messages: tuple[Message, ...], said: list[str]) -> None:
    found = spoken(mode, body(mode, *messages))
    if mode is not ApiMode.CODEX_RESPONSES:
        roles = [role for role, _ in found]
        assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"]
    assert [f"{role} {line}" for role, text in found for line in text.split("\n\n")] == said


@pytest.mark.parametrize(("mode", "parts"), PARTS.items())
def test_c29_sealed_history_goes_back_to_its_issuer_before_its_text(mode: ApiMode, parts: list[object]) -> None:
    mine = route_by(mode).issuer("acct-1")
    sent = body(mode, user("a"), assistant("b", parts, mine), user("c"), account="acct-1")
    if mode is ApiMode.CODEX_RESPONSES:
        assert sent["input"][1:-1] == [*parts, sent["input"][-2]]
        assert sent["input"][-2]["role"] == "assistant"
    else:
        assert sent["messages"][1]["content"] == [*parts, {"type": "text", "text": "b"}]


@EVERY_MODE
@pytest.mark.parametrize("parts", PARTS.values(), ids=["reasoning", "thinking"])
@pytest.mark.parametrize(
    "issuer",
    [
        pytest.param(route_by(ApiMode.CODEX_RESPONSES).issuer("acct-2"), id="another account"),
        pytest.param(
            Route("acme", "model-y", "https://acme.example/v1", ApiMode.CODEX_RESPONSES, "acme").issuer("acct-1"),
            id="another model",
        ),
        pytest.param("someone else", id="another provider"),
        pytest.param(None, id="nobody"),
    ],
)
def test_c29_sealed_history_of_anyone_else_is_left_out(mode: ApiMode, parts: object, issuer: str | None) -> None:
    sent = body(mode, user("a"), assistant("b", parts, issuer), user("c"), account="acct-1")
    assert "sealed" not in json.dumps(sent)
    assert spoken(mode, sent) == [("user", "a"), ("assistant", "b"), ("user", "c")]


@EVERY_MODE
@pytest.mark.parametrize(
    "opaque",
    [
        "{oops",
        "7",
        '["x", [], null, {}]',
        '{"type": "reasoning"}',
        '[{"type": "thinking", "thinking": "hm"}]',
        '[{"type": "thinking", "thinking": "hm", "signature": ""}]',
        '[{"type": "redacted_thinking"}]',
        '[{"type": "text", "text": "more"}]',
    ],
)
def test_c29_sealed_history_that_its_issuer_would_refuse_is_left_out(mode: ApiMode, opaque: str) -> None:
    plain = body(mode, user("a"), assistant("b"), user("c"))
    assert body(mode, user("a"), assistant("b", opaque, route_by(mode).issuer("")), user("c")) == plain


def test_codex_names_the_account_of_a_token_that_has_one() -> None:
    codex = DIALECTS[ApiMode.CODEX_RESPONSES]
    assert codex.headers(jwt(**ACCOUNT)) == {"ChatGPT-Account-Id": "acc-1"}
    assert codex.headers("sk-plain") == {}
    assert codex.headers(None) == {}


@pytest.mark.parametrize(
    ("base_url", "url"),
    [
        ("https://acme.example/v1", "https://acme.example/v1/messages"),
        ("https://acme.example/v1/", "https://acme.example/v1/messages"),
        ("https://acme.example/d?api-version=2024-10-21", "https://acme.example/d/messages?api-version=2024-10-21"),
    ],
)
def test_a_path_is_put_below_the_base_url_and_before_what_it_asks_for(base_url: str, url: str) -> None:
    assert endpoint(base_url, "/messages") == url


STREAM = 'event: a\ndata: 1\n\n: ping\n\ndata: x\ndata: y\n\n:HTTP_STATUS/429\ndata:{"é":1}\n\ndata: last'
FRAMES = [Frame("a", "1"), Frame("", "x\ny"), Frame("", '{"é":1}', 429), Frame("", "last")]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_a_stream_is_the_same_however_it_is_cut_and_ended(newline: str, size: int) -> None:
    raw = ("\ufeff" if size > 3 else "").encode() + STREAM.replace("\n", newline).encode()
    parser = SseParser()
    frames = [frame for start in range(0, len(raw), size) for frame in parser.feed(raw[start : start + size])]
    assert frames + parser.flush() == FRAMES


@pytest.mark.parametrize("raw", [b"data: " + b"x" * 50, b"x" * 50, b"data: 1\n" * 10])
def test_an_event_beyond_the_limit_is_given_up(raw: bytes) -> None:
    parser = SseParser(limit=40)
    parser.feed(raw)
    assert parser.too_large


def test_comments_without_end_are_no_event_and_cost_no_memory() -> None:
    parser = SseParser(limit=40)
    assert parser.feed(b": ping\n\n" * 100) == []
    assert not parser.too_large


@given(st.lists(st.binary(max_size=40)))
def test_no_bytes_break_the_parser(pieces: list[bytes]) -> None:
    parser = SseParser()
    for piece in pieces:
        parser.feed(piece)
    assert all(isinstance(frame, Frame) for frame in parser.flush())
