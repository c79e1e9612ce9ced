"""What is sent: bodies and headers of each dialect, and the parser of event streams."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.core.ports import ModelRequest
from hermes_tui.core.route import ApiMode
from hermes_tui.core.session import Message, Role
from hermes_tui.core.text import PlainText
from hermes_tui.providers.chat_completions import ChatCompletions
from hermes_tui.providers.codex_responses import DEFAULT_INSTRUCTIONS, CodexResponses
from hermes_tui.providers.sse import Frame, SseParser

from .support import NOW, route_to, user
from .test_usage import ACCOUNT, jwt

ROUTE = route_to("https://acme.example/v1", ApiMode.CODEX_RESPONSES)
SEALED = {"type": "reasoning", "summary": [], "encrypted_content": "sealed"}


def assistant(text: str, issued_by: str | None = None, opaque: object = None) -> Message:
    sealed = json.dumps(opaque) if opaque is not None else None
    return Message("s", 1, Role.ASSISTANT, PlainText(text), NOW, issuer=issued_by, opaque=sealed)


def request(*messages: Message, system: str | None = None) -> ModelRequest:
    return ModelRequest(ROUTE, system, messages, 5.0)


def test_chat_merges_neighbours_of_one_role_and_leaves_empty_ones_out() -> None:
    body = ChatCompletions().body(request(user("a"), user("b"), assistant(""), assistant("c"), user("d")))
    assert body["messages"] == [
        {"role": "user", "content": "a\n\nb"},
        {"role": "assistant", "content": "c"},
        {"role": "user", "content": "d"},
    ]


def test_chat_asks_for_a_stream_that_counts_its_tokens() -> None:
    body = ChatCompletions().body(request(user("a")))
    assert (body["stream"], body["stream_options"]) == (True, {"include_usage": True})


def test_codex_sends_instructions_and_typed_items() -> None:
    body = CodexResponses().body(request(user("a"), assistant("b"), system="Be brief."))
    assert body["instructions"] == "Be brief."
    assert (body["store"], body["stream"], body["include"]) == (False, True, ["reasoning.encrypted_content"])
    assert body["input"] == [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "b"}]},
    ]


def test_codex_is_never_without_instructions() -> None:
    assert CodexResponses().body(request(user("a")))["instructions"] == DEFAULT_INSTRUCTIONS


def test_c29_sealed_reasoning_goes_back_to_its_issuer_only() -> None:
    mine = assistant("b", ROUTE.issuer, [SEALED])
    other = replace(mine, issuer="someone@else")
    assert SEALED in CodexResponses().body(request(mine))["input"]  # type: ignore[operator]
    assert SEALED not in CodexResponses().body(request(other))["input"]  # type: ignore[operator]
    assert "sealed" not in json.dumps(ChatCompletions().body(request(mine)))


@pytest.mark.parametrize("opaque", ["{oops", "7", "[[]]", '{"type":"reasoning"}'])
def test_c29_sealed_history_that_cannot_be_read_is_left_out(opaque: str) -> None:
    message = replace(assistant("b", ROUTE.issuer), opaque=opaque)
    assert len(CodexResponses().body(request(message))["input"]) == 1  # type: ignore[arg-type]


def test_codex_names_the_account_of_a_token_that_has_one() -> None:
    assert CodexResponses().headers(jwt(**ACCOUNT)) == {"ChatGPT-Account-Id": "acc-1"}
    assert CodexResponses().headers("sk-plain") == {}
    assert CodexResponses().headers(None) == {}


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
