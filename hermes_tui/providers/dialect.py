"""Dialects: what differs between the APIs that routes speak, as pure functions around one exchange."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from hermes_tui.core.failure import FailureKind
from hermes_tui.core.known_provider import KeyHeader
from hermes_tui.core.ports import Chunk, ModelRequest
from hermes_tui.providers.sse import Frame

JsonObject = Mapping[str, object]

NOTHING: Final[JsonObject] = {}

_ERROR_KEYS: Final = ("error", "errors", "error_type", "error_message")
_SPEAKING_KEYS: Final = ("message", "msg", "detail")
_BESIDE_THE_CHOICES: Final = "x_groq"
"""The object of a chunk in which Groq says why it stopped the stream early."""
_TELLING: Final = frozenset([*_ERROR_KEYS, *_SPEAKING_KEYS, _BESIDE_THE_CHOICES, "base_resp"])


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something in a reply that makes it no answer (M4).

    With a `kind` it is known what, and `detail` is a sentence (its outside parts still raw). Without, `detail` is an
    error body to be classified like any other; `status` is the one that the stream told, if it did.
    """

    detail: str
    kind: FailureKind | None = None
    status: int | None = None


Piece = Chunk | Trouble


class Reader(Protocol):
    """Interprets one reply; holds what must be known at its end."""

    @property
    def complete(self) -> bool:
        """Whether the reply said that it is complete: nothing more needs to be read."""

    def read(self, frame: Frame) -> Sequence[Piece]:
        """Return the chunks in one frame of the stream, or its trouble."""

    def read_whole(self, payload: JsonObject) -> Sequence[Piece]:
        """Return the chunks of a reply that came in one piece because the server does not stream."""

    def finish(self) -> Piece:
        """Return the last chunk, or why what came is not a complete reply; called once, at the end."""


class Dialect(Protocol):
    """Builds requests of one API and interprets its replies.

    `path` is what requests are posted to, below a route's base URL; `key_header` carries the key to whoever has no
    header of its own.
    """

    path: str
    key_header: KeyHeader

    def headers(self, token: str | None) -> dict[str, str]:
        """Return the headers that this API wants besides the one with the key."""

    def body(self, request: ModelRequest) -> dict[str, object]:
        """Return the JSON body of `request`."""

    def reader(self) -> Reader:
        """Return a reader for one reply."""


def endpoint(base_url: str, path: str) -> str:
    """Return the URL of `path` below a base URL; what that asks for (`?api-version=…`) stays at the end."""
    address, mark, query = base_url.partition("?")
    return f"{address.rstrip('/')}{path}{mark}{query}"


def parsed(text: str) -> JsonObject | None:
    """Return `text` as a JSON object, or None where it is anything else; an array around it is taken off."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, list) and value:
        value = value[0]
    return value if isinstance(value, dict) else None


def as_object(value: object) -> JsonObject:
    """Return `value` if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else NOTHING


def as_list(value: object) -> Sequence[object]:
    """Return `value` if it is a JSON array, else an empty one."""
    return value if isinstance(value, list) else ()


def as_count(value: object) -> int | None:
    """Return `value` if it is a count of something, else None."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def error_in(frame: Frame, payload: JsonObject | None) -> Trouble | None:
    """Return the error that a frame of a 200 stream carries, in any of the shapes seen, else None (C21)."""
    told = frame.status is not None and frame.status >= 400
    if frame.event in ("error", "response.failed") or told or (payload is not None and is_error(payload)):
        return Trouble(frame.data, status=frame.status)
    return None


def is_error(payload: JsonObject) -> bool:
    """Tell whether a JSON object inside a 200 is an error body: it says so, or has words where a reply would be."""
    if payload.get("object") == "error" or payload.get("type") in ("error", "response.failed"):
        return True
    if _TELLING.isdisjoint(payload):  # nearly every event of a stream
        return False
    if any(payload.get(key) for key in _ERROR_KEYS) or as_object(payload.get(_BESIDE_THE_CHOICES)).get("error"):
        return True
    if as_object(payload.get("base_resp")).get("status_code", 0) not in (0, "0"):
        return True
    speaks = any(isinstance(payload.get(key), str) for key in _SPEAKING_KEYS)
    return speaks and not any(key in payload for key in ("choices", "type"))


NO_TEXT: Final = Trouble("the reply holds no text", FailureKind.INVALID_RESPONSE)
CUT_OFF: Final = Trouble("the stream ended before the reply was complete", FailureKind.INVALID_RESPONSE)
NOT_JSON: Final = Trouble("the stream holds something that is not JSON", FailureKind.INVALID_RESPONSE)


def unreadable(data: str) -> Trouble:
    """Return the trouble of an event that is not JSON: words in the place of one are an error that was not wrapped."""
    return NOT_JSON if data.lstrip()[:1] in ("{", "[", '"') else Trouble(data)


def named_event(frame: Frame) -> tuple[str, JsonObject] | Trouble | None:
    """Return the name and payload of an event of an API that names its events, its trouble, None for a sign of life."""
    if not frame.data or frame.data == "[DONE]":
        return Trouble("", status=frame.status) if frame.event == "error" else None
    payload = parsed(frame.data)
    trouble = error_in(frame, payload)
    if trouble is not None:
        return trouble
    if payload is None:
        return unreadable(frame.data)
    name = payload.get("type")
    return name if isinstance(name, str) else frame.event, payload


def refused(why: str) -> Trouble:
    """Return the trouble of a model that declined to answer, with what it said (M9)."""
    return Trouble(why or "the provider's content filter stopped the reply", FailureKind.REFUSED)
