"""The chat completions dialect: a reply as chunks, or whole."""

from typing import Any

from hermes_tui.simulator.reply import OVERLOAD, Reply, Script, sse

DONE = "data: [DONE]\n\n"


def script(reply: Reply) -> Script:
    """Return `reply` as the events of a stream."""
    return Script(
        opening=(_chunk(reply, {"role": "assistant", "content": ""}),),
        tokens=tuple(_chunk(reply, {"content": token}) for token in reply.tokens),
        closing=(
            _chunk(reply, {}, finish="stop"),
            sse({**_head(reply, "chat.completion.chunk"), "choices": [], "usage": _usage(reply)}),
            DONE,
        ),
        error=(sse({"error": {"type": "server_error", "param": None, **OVERLOAD}}),),
    )


def whole(reply: Reply) -> dict[str, Any]:
    """Return `reply` as one JSON document; an empty one has no choices."""
    message = {"role": "assistant", "content": reply.text}
    choices = [{"index": 0, "finish_reason": "stop", "message": message}] if reply.text else []
    return {**_head(reply, "chat.completion"), "choices": choices, "usage": _usage(reply)}


def _head(reply: Reply, kind: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{reply.number}",
        "object": kind,
        "created": reply.created,
        "model": reply.model,
    }


def _chunk(reply: Reply, delta: dict[str, str], finish: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return sse({**_head(reply, "chat.completion.chunk"), "choices": [choice]})


def _usage(reply: Reply) -> dict[str, int]:
    words = len(reply.tokens)
    return {
        "prompt_tokens": reply.input_tokens,
        "completion_tokens": words,
        "total_tokens": reply.input_tokens + words,
    }
