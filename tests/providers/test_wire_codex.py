"""The wire over real HTTP, for the Codex dialect: its events, and its failures inside a 200."""

import json
from collections.abc import Callable

import pytest

from hermes_tui.core.failure import FailureKind
from hermes_tui.core.ports import ModelRequest, ReplyFinished, TextReceived, ThoughtReceived
from hermes_tui.core.route import ApiMode
from hermes_tui.providers.wire import HttpWire

from .support import ScriptedServer, chunks, data, failure, sse

Ask = Callable[..., ModelRequest]


async def test_codex_events_become_text_thought_and_sealed_reasoning(
    server: ScriptedServer, wire: HttpWire, ask: Ask
) -> None:
    item = {"type": "reasoning", "id": "rs_1", "encrypted_content": "sealed", "summary": []}
    done = {"status": "completed", "usage": {"input_tokens": 9, "output_tokens": 4}, "error": None}
    server.scripts = [
        sse(
            data({"type": "response.created", "response": {"status": "in_progress"}}, "response.created"),
            data({"type": "response.reasoning_summary_text.delta", "delta": "hm"}),
            data({"type": "response.output_item.done", "item": item}),
            data({"type": "response.output_text.delta", "delta": "hi"}),
            data({"type": "response.completed", "response": done}),
        )
    ]
    *first, last = await chunks(wire, ask(ApiMode.CODEX_RESPONSES))
    assert first == [ThoughtReceived(), ThoughtReceived(), TextReceived("hi")]
    assert isinstance(last, ReplyFinished)
    assert (last.input_tokens, last.output_tokens) == (9, 4)
    assert last.opaque is not None
    assert json.loads(last.opaque) == [{"type": "reasoning", "summary": [], "encrypted_content": "sealed"}]
    assert server.seen[0].line == "POST /v1/responses HTTP/1.1"


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        (
            {"type": "response.failed", "response": {"error": {"code": "rate_limit_exceeded", "message": "x"}}},
            FailureKind.RATE_LIMIT,
        ),
        (
            {"type": "error", "error": {"type": "tokens", "code": "server_is_overloaded", "message": "x"}},
            FailureKind.OVERLOADED,
        ),
        (
            {
                "type": "response.incomplete",
                "response": {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}},
            },
            FailureKind.REFUSED,
        ),
        (
            {
                "type": "response.incomplete",
                "response": {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
            },
            FailureKind.INVALID_RESPONSE,
        ),
        (
            {"type": "response.output_item.done", "item": {"content": [{"type": "refusal", "refusal": "no"}]}},
            FailureKind.REFUSED,
        ),
        ({"type": "response.completed", "response": {"status": "completed"}}, FailureKind.INVALID_RESPONSE),
    ],
)
async def test_m4_codex_failures_inside_a_200_are_classified(
    server: ScriptedServer, wire: HttpWire, ask: Ask, event: dict[str, object], kind: FailureKind
) -> None:
    server.scripts = [sse(data(event))]
    assert (await failure(wire, ask(ApiMode.CODEX_RESPONSES))).kind is kind


async def test_a_codex_reply_that_is_cut_at_its_length_is_an_answer(
    server: ScriptedServer, wire: HttpWire, ask: Ask
) -> None:
    cut = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    said = data({"type": "response.output_text.delta", "delta": "hi"})
    server.scripts = [sse(said, data({"type": "response.incomplete", "response": cut}))]
    assert await chunks(wire, ask(ApiMode.CODEX_RESPONSES)) == [TextReceived("hi"), ReplyFinished()]
