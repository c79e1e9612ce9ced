"""The Anthropic messages dialect: `POST {base}/messages`, with thinking that only its issuer accepts back (M12)."""

import json
from collections.abc import Sequence
from typing import Final

from hermes_tui.core.known_provider import KeyHeader
from hermes_tui.core.ports import ModelRequest, ReplyFinished, TextReceived, ThoughtReceived
from hermes_tui.core.route import Route
from hermes_tui.core.session import Message
from hermes_tui.providers.dialect import (
    CUT_OFF,
    NO_TEXT,
    JsonObject,
    Piece,
    Trouble,
    as_count,
    as_list,
    as_object,
    named_event,
)
from hermes_tui.providers.endings import bad_end
from hermes_tui.providers.history import in_turn, sealed
from hermes_tui.providers.sse import Frame

VERSION: Final = "2023-06-01"
"""The version of the API that requests and replies here are written in."""

MAX_TOKENS: Final = 8192
"""Tokens that a reply may have: a request must name a bound, and one above the model's own is refused."""


class AnthropicMessages:
    """Requests and replies of the Anthropic API, and of those that speak it."""

    path = "/messages"
    key_header = KeyHeader.X_API_KEY

    def headers(self, token: str | None) -> dict[str, str]:  # noqa: ARG002 the protocol's shape
        """Return the version of the API."""
        return {"anthropic-version": VERSION}

    def body(self, request: ModelRequest) -> dict[str, object]:
        """Return the JSON body; the system prompt stands apart, thinking goes back to who signed it."""
        mine = request.issuer
        return {
            "model": request.route.model,
            "max_tokens": _max_tokens(request.route),
            **({"system": request.system_prompt} if request.system_prompt else {}),
            "messages": [
                {"role": role, "content": [block for message in said for block in _blocks(message, mine)]}
                for role, said in in_turn(request.messages)
            ],
            "stream": True,
        }

    def reader(self) -> "AnthropicReader":
        """Return a reader for one reply."""
        return AnthropicReader()


def _max_tokens(route: Route) -> int:
    """Return the bound of a reply: it leaves half of a small window to the conversation."""
    return min(MAX_TOKENS, (route.context_length or 2 * MAX_TOKENS) // 2)


def _blocks(message: Message, mine: str) -> list[JsonObject]:
    thinking = [part for part in sealed(message, mine) if _is_signed(part)]
    return [*thinking, {"type": "text", "text": message.text}]


def _is_signed(block: JsonObject) -> bool:
    """Tell whether a block is thinking that its issuer takes back: without a signature it refuses the whole request."""
    match block:
        case {"type": "thinking", "thinking": str(), "signature": str(mark)}:
            return bool(mark)
        case {"type": "redacted_thinking", "data": str(mark)}:
            return bool(mark)
        case _:
            return False


class AnthropicReader:
    """Interprets one message, streamed or whole."""

    def __init__(self) -> None:
        self.complete = False
        self._ended = False
        self._has_text = False
        self._usage: dict[str, object] = {}
        self._thinking: dict[str, list[str]] = {}
        self._sealed: list[JsonObject] = []

    def read(self, frame: Frame) -> Sequence[Piece]:
        """Return the chunks in one event: text, signs of thought, or trouble."""
        event = named_event(frame)
        if event is None:
            return ()
        return (event,) if isinstance(event, Trouble) else self._event(*event)

    def read_whole(self, payload: JsonObject) -> Sequence[Piece]:
        """Return the chunks of a message that was not streamed."""
        pieces: list[Piece] = []
        for block in map(as_object, as_list(payload.get("content"))):
            pieces += self._begin(block)
            self._seal()
        self.complete = True
        return [*pieces, *self._end(payload)]

    def finish(self) -> Piece:
        """Return the end of the reply with its token counts and signed thinking, or why it is none."""
        if not (self.complete or self._ended):
            return CUT_OFF
        if not self._has_text:
            return NO_TEXT
        return ReplyFinished(
            input_tokens=self._input_tokens(),
            output_tokens=as_count(self._usage.get("output_tokens")),
            opaque=json.dumps(self._sealed) if self._sealed else None,
        )

    def _event(self, kind: str, payload: JsonObject) -> Sequence[Piece]:
        match kind:
            case "message_start":
                self._usage.update(as_object(as_object(payload.get("message")).get("usage")))
            case "content_block_start":
                return self._begin(as_object(payload.get("content_block")))
            case "content_block_delta":
                return self._go_on(as_object(payload.get("delta")))
            case "content_block_stop":
                self._seal()
            case "message_delta":
                return self._end({**as_object(payload.get("delta")), "usage": payload.get("usage")})
            case "message_stop":
                self.complete = True
        return ()

    def _begin(self, block: JsonObject) -> Sequence[Piece]:
        kind = block.get("type")
        if kind == "text":
            return self._say(block.get("text"))
        if kind == "thinking":
            self._thinking = {"thinking": [], "signature": []}
            return self._think(block)
        if _is_signed(block):
            self._sealed.append({"type": kind, "data": block["data"]})
        return (ThoughtReceived(),)

    def _go_on(self, delta: JsonObject) -> Sequence[Piece]:
        return self._say(delta.get("text")) if delta.get("type") == "text_delta" else self._think(delta)

    def _say(self, text: object) -> Sequence[Piece]:
        if not isinstance(text, str) or not text:
            return ()
        self._has_text = self._has_text or not text.isspace()
        return (TextReceived(text),)

    def _think(self, part: JsonObject) -> Sequence[Piece]:
        for key, pieces in self._thinking.items():
            if isinstance(piece := part.get(key), str):
                pieces.append(piece)
        return (ThoughtReceived(),)

    def _seal(self) -> None:
        """End the block: thinking is kept as it came, since a changed one is refused."""
        block = {"type": "thinking", **{key: "".join(pieces) for key, pieces in self._thinking.items()}}
        self._thinking = {}
        if _is_signed(block):
            self._sealed.append(block)

    def _end(self, end: JsonObject) -> Sequence[Piece]:
        self._usage.update({key: count for key, count in as_object(end.get("usage")).items() if count is not None})
        reason, why = end.get("stop_reason"), as_object(end.get("stop_details")).get("explanation")
        self._ended = self._ended or bool(reason)
        trouble = bad_end(reason, why if isinstance(why, str) else "")
        return () if trouble is None else (trouble,)

    def _input_tokens(self) -> int | None:
        """Return the tokens of the prompt: those read from a cache or written to it are counted apart."""
        counts = [as_count(self._usage.get(key)) for key in _INPUT_COUNTS]
        return None if counts[0] is None else sum(count or 0 for count in counts)


_INPUT_COUNTS: Final = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
