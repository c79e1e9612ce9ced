"""The Codex responses dialect: `POST {base}/responses`, with reasoning that only its issuer can read (M12)."""

import json
from collections.abc import Sequence
from typing import Final

from hermes_tui.core.ports import ModelRequest, ReplyFinished, TextReceived, ThoughtReceived
from hermes_tui.core.route import Route
from hermes_tui.core.session import Message, Role
from hermes_tui.core.tokens import claims
from hermes_tui.providers.dialect import (
    CUT_OFF,
    NO_TEXT,
    NOT_JSON,
    JsonObject,
    Piece,
    Trouble,
    as_count,
    as_list,
    as_object,
    error_in,
    parsed,
    refused,
)
from hermes_tui.providers.sse import Frame

DEFAULT_INSTRUCTIONS: Final = "You are a helpful assistant."
"""The backend refuses a request without instructions."""


class CodexResponses:
    """Requests and replies of the Codex backend."""

    def url(self, route: Route) -> str:
        """Return the URL that requests of `route` are posted to."""
        return f"{route.base_url.rstrip('/')}/responses"

    def headers(self, token: str | None) -> dict[str, str]:
        """Return the account's header, read from the token's own claims."""
        return account_header(token)

    def body(self, request: ModelRequest) -> dict[str, object]:
        """Return the JSON body; opaque history goes along only where this route's issuer made it."""
        mine = request.route.issuer
        return {
            "model": request.route.model,
            "instructions": request.system_prompt or DEFAULT_INSTRUCTIONS,
            "input": [item for message in request.messages for item in _items(message, mine)],
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


def _items(message: Message, mine: str) -> list[object]:
    items: list[object] = []
    if message.opaque and message.issuer == mine:
        items.extend(_reasoning(message.opaque))
    if message.text:
        kind = "input_text" if message.role is Role.USER else "output_text"
        items.append(
            {
                "type": "message",
                "role": message.role.value,
                "content": [{"type": kind, "text": message.text}],
            }
        )
    return items


def _reasoning(opaque: str) -> list[object]:
    try:
        items = json.loads(opaque)
    except (ValueError, RecursionError):
        return []
    return [item for item in as_list(items) if as_object(item).get("type") == "reasoning"]


class CodexReader:
    """Interprets one response, streamed or whole."""

    def __init__(self) -> None:
        self.complete = False
        self._has_text = False
        self._response: JsonObject = {}
        self._sealed: list[JsonObject] = []

    def read(self, frame: Frame) -> Sequence[Piece]:
        """Return the chunks in one event: text, signs of thought, or trouble."""
        if not frame.data or frame.data == "[DONE]":
            return (Trouble("", status=frame.status),) if frame.event == "error" else ()
        payload = parsed(frame.data)
        trouble = error_in(frame, payload)
        if trouble is not None:
            return (trouble,)
        if payload is None:
            return (NOT_JSON,)
        kind = payload.get("type")
        return self._event(kind if isinstance(kind, str) else frame.event, payload)

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
            sealed = item.get("encrypted_content")
            if isinstance(sealed, str):
                self._sealed.append({"type": "reasoning", "summary": [], "encrypted_content": sealed})
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
        if response.get("status") == "incomplete" or reason:
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
