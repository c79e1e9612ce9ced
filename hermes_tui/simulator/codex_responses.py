"""The Codex Responses dialect: a reply as its numbered events, or whole."""

import base64
from typing import Any

from hermes_tui.simulator.reply import OVERLOAD, THOUGHT, Reply, Script, sse
from hermes_tui.simulator.sealing import Seal


def script(reply: Reply) -> Script:
    """Return `reply` as the events of a stream; an empty one has no output item."""
    started = {**_response(reply), "status": "in_progress", "output": [], "usage": None}
    opening: list[dict[str, Any]] = [
        {"type": "response.created", "response": started},
        {"type": "response.in_progress", "response": started},
    ]
    closing: list[dict[str, Any]] = []
    output = _output(reply)
    last = len(output) - 1
    place = {"item_id": f"msg_{reply.number}", "output_index": last, "content_index": 0}
    for thought in output[:-1]:
        opening += [
            {"type": "response.output_item.added", "output_index": 0, "item": {**thought, "encrypted_content": ""}},
            {"type": "response.output_item.done", "output_index": 0, "item": thought},
        ]
    if reply.text:
        item = {**_item(reply), "status": "in_progress", "content": []}
        opening += [
            {"type": "response.output_item.added", "output_index": last, "item": item},
            {"type": "response.content_part.added", **place, "part": _part("")},
        ]
        closing += [
            {"type": "response.output_text.done", **place, "text": reply.text},
            {"type": "response.content_part.done", **place, "part": _part(reply.text)},
            {"type": "response.output_item.done", "output_index": last, "item": _item(reply)},
        ]
    closing.append({"type": "response.completed", "response": whole(reply)})
    tokens = [{"type": "response.output_text.delta", **place, "delta": token} for token in reply.tokens]
    failed = {**started, "status": "failed", "error": OVERLOAD}
    end = len(opening) + len(tokens)
    return Script(
        opening=_numbered(opening, 0),
        tokens=_numbered(tokens, len(opening)),
        closing=_numbered(closing, end),
        error=_numbered([{"type": "response.failed", "response": failed}], end),
    )


def whole(reply: Reply) -> dict[str, Any]:
    """Return `reply` as one completed response."""
    return {**_response(reply), "status": "completed", "output": _output(reply), "usage": _usage(reply)}


def _numbered(events: list[dict[str, Any]], first: int) -> tuple[str, ...]:
    return tuple(
        sse({"type": event["type"], "sequence_number": number, **event}, event["type"])
        for number, event in enumerate(events, first)
    )


def _response(reply: Reply) -> dict[str, Any]:
    return {
        "id": f"resp_{reply.number}",
        "object": "response",
        "created_at": reply.created,
        "model": reply.model,
        "error": None,
    }


def _output(reply: Reply) -> list[dict[str, Any]]:
    if not reply.text:
        return []
    return [_item(reply)] if reply.seal is None else [_reasoning(reply, reply.seal), _item(reply)]


def _reasoning(reply: Reply, seal: Seal) -> dict[str, Any]:
    text = f"{THOUGHT} {reply.number}"
    hidden = base64.b64encode(text.encode()).decode()
    return {
        "id": f"rs_{reply.number}",
        "type": "reasoning",
        "summary": [],
        "encrypted_content": f"{hidden}.{seal.mark(hidden)}",
    }


def _item(reply: Reply) -> dict[str, Any]:
    return {
        "id": f"msg_{reply.number}",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [_part(reply.text)],
    }


def _part(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": []}


def _usage(reply: Reply) -> dict[str, Any]:
    words = len(reply.tokens)
    return {
        "input_tokens": reply.input_tokens,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": words,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": reply.input_tokens + words,
    }
