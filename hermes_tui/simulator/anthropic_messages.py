"""The Anthropic messages dialect: a reply as its events, or whole, with signed thinking before the text."""

from collections.abc import Iterable
from typing import Any

from hermes_tui.simulator.reply import THOUGHT, Reply, Script, sse


def script(reply: Reply) -> Script:
    """Return `reply` as the events of a stream; an empty one has no content block."""
    blocks = _blocks(reply)
    start = {**_message(reply), "content": [], "stop_reason": None, "usage": {**_usage(reply), "output_tokens": 1}}
    opening: list[dict[str, Any]] = [{"type": "message_start", "message": start}, {"type": "ping"}]
    closing: list[dict[str, Any]] = []
    for index, block in enumerate(blocks):
        place = {"index": index}
        if block["type"] == "thinking":
            empty = {"type": "thinking", "thinking": "", "signature": ""}
            opening += [
                {"type": "content_block_start", **place, "content_block": empty},
                _delta(index, "thinking_delta", thinking=block["thinking"]),
                _delta(index, "signature_delta", signature=block["signature"]),
                {"type": "content_block_stop", **place},
            ]
        else:
            opening.append({"type": "content_block_start", **place, "content_block": {"type": "text", "text": ""}})
            closing.append({"type": "content_block_stop", **place})
    end = {"stop_reason": "end_turn", "stop_sequence": None}
    closing += [{"type": "message_delta", "delta": end, "usage": _usage(reply)}, {"type": "message_stop"}]
    overload = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    return Script(
        opening=_events(opening),
        tokens=_events(_delta(len(blocks) - 1, "text_delta", text=token) for token in reply.tokens),
        closing=_events(closing),
        error=_events([overload]),
    )


def whole(reply: Reply) -> dict[str, Any]:
    """Return `reply` as one message."""
    return {**_message(reply), "content": _blocks(reply), "stop_reason": "end_turn", "usage": _usage(reply)}


def _message(reply: Reply) -> dict[str, Any]:
    return {
        "id": f"msg_{reply.number}",
        "type": "message",
        "role": "assistant",
        "model": reply.model,
        "stop_sequence": None,
    }


def _blocks(reply: Reply) -> list[dict[str, Any]]:
    text = [{"type": "text", "text": reply.text}] if reply.text else []
    if reply.seal is None or not text:
        return text
    return [{"type": "thinking", "thinking": THOUGHT, "signature": reply.seal.mark(THOUGHT)}, *text]


def _delta(index: int, kind: str, **piece: str) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **piece}}


def _events(events: Iterable[dict[str, Any]]) -> tuple[str, ...]:
    return tuple(sse(event, event["type"]) for event in events)


def _usage(reply: Reply) -> dict[str, int]:
    return {
        "input_tokens": reply.input_tokens,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": len(reply.tokens),
    }
