"""The Codex responses dialect: `POST {base}/responses`, with reasoning that only its issuer can read (M12)."""

import json
from collections.abc import Sequence
from typing import Final

from hermes_tui.core.known_provider import KeyHeader
from hermes_tui.core.ports import ModelRequest, ReplyFinished, TextReceived, ThoughtReceived
from hermes_tui.core.session import Message, Role
from hermes_tui.core.tokens import claims
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
    refused,
)
from hermes_tui.providers.history import in_turn, sealed
from hermes_tui.providers.sse import Frame

DEFAULT_INSTRUCTIONS: Final = "You are a helpful assistant."
"""The backend refuses a request without instructions."""


class CodexResponses:
    """Requests and replies of the Codex backend."""

    path = "/responses"
    key_header = KeyHeader.BEARER

    def headers(self, token: str | None) -> dict[str, str]:
        """Return the account's header, read from the token's own claims."""
        return account_header(token)

    def body(self, request: ModelRequest) -> dict[str, object]:
        """Return the JSON body; sealed reasoning goes along only where this request's receiver made it."""
        mine = request.issuer
        return {
            "model": request.route.model,
            "instructions": request.system_prompt or DEFAULT_INSTRUCTIONS,
            "input": [
                item
                for _, said in in_turn(request.messages)
                for message in said
                for item in (*_reasoning(message, mine), _item(message))
            ],
            "stream": True,
            "store": False,
            "include": ["reasoning.encrypted_content"],
        }

    def reader(self) -> "CodexReader":
        """Return a reader for one reply."""
        return CodexReader()


def account_header(token: str | None) -> dict[str, str]:
    """Return `ChatGPT-Account-Id` where the token is a JWT that names its account, else nothing."""
    account = claims(token).account if token else None
    return {"ChatGPT-Account-Id": account} if account else {}


def _reasoning(message: Message, mine: str) -> list[JsonObject]:
    return [part for part in sealed(message, mine) if part.get("type") == "reasoning"]


def _item(message: Message) -> JsonObject:
    kind = "input_text" if message.role is Role.USER else "output_text"
    return {"type": "message", "role": message.role, "content": [{"type": kind, "text": message.text}]}


class CodexReader:
    """Interprets one response, streamed or whole."""

    def __init__(self) -> None:
        self.complete = False
        self._has_text = False
        self._response: JsonObject = {}
        self._sealed: list[JsonObject] = []

    def read(self, frame: Frame) -> Sequence[Piece]:
        """Return the chunks in one event: text, signs of thought, or trouble."""
        event = named_event(frame)
        if event is None:
            return ()
        return (event,) if isinstance(event, Trouble) else self._event(*event)

    def read_whole(self, payload: JsonObject) -> Sequence[Piece]:
        """Return the chunks of a reply that was not streamed."""
        return self._end(payload)

    def finish(self) -> Piece:
        """Return the end of the reply with its token counts and sealed reasoning, or why it is none."""
        if not self.complete:
            return CUT_OFF
        if not self._has_text:
            return NO_TEXT
        usage = as_object(self._response.get("usage"))
        return ReplyFinished(
            input_tokens=as_count(usage.get("input_tokens")),
            output_tokens=as_count(usage.get("output_tokens")),
            opaque=json.dumps(self._sealed) if self._sealed else None,
        )

    def _event(self, kind: str, payload: JsonObject) -> Sequence[Piece]:
        if kind == "response.output_text.delta":
            return self._say(payload.get("delta"))
        if kind in ("response.completed", "response.done", "response.incomplete"):
            return self._end(as_object(payload.get("response")))
        if kind == "response.output_item.done":
            return self._item(as_object(payload.get("item")))
        if kind == "response.refusal.done":
            return (refused(str(payload.get("refusal") or "")),)
        return (ThoughtReceived(),) if kind.startswith("response.reasoning") else ()

    def _say(self, text: object) -> list[Piece]:
        if not isinstance(text, str) or not text:
            return []
        self._has_text = self._has_text or not text.isspace()
        return [TextReceived(text)]

    def _item(self, item: JsonObject) -> list[Piece]:
        if item.get("type") == "reasoning":
            content = item.get("encrypted_content")
            if isinstance(content, str) and content:
                self._sealed.append({"type": "reasoning", "summary": [], "encrypted_content": content})
            return [ThoughtReceived()]
        return [
            refused(str(part.get("refusal") or ""))
            for part in map(as_object, as_list(item.get("content")))
            if part.get("type") == "refusal"
        ]

    def _end(self, response: JsonObject) -> Sequence[Piece]:
        if response.get("status") in ("failed", "cancelled") or response.get("error"):
            return (Trouble(json.dumps(response)),)
        reason = as_object(response.get("incomplete_details")).get("reason")
        if reason == "content_filter":
            return (refused(""),)
        if reason != "max_output_tokens" and (reason or response.get("status") == "incomplete"):
            return (CUT_OFF,)
        self.complete = True
        self._response = response
        return () if self._has_text else self._output(response)

    def _output(self, response: JsonObject) -> list[Piece]:
        """Take the text from the response itself where none was streamed."""
        streamed = bool(self._sealed)
        pieces: list[Piece] = []
        for item in map(as_object, as_list(response.get("output"))):
            if item.get("type") == "reasoning" and streamed:
                continue
            pieces.extend(self._item(item))
            for part in map(as_object, as_list(item.get("content"))):
                if part.get("type") == "output_text":
                    pieces.extend(self._say(part.get("text")))
        return pieces
