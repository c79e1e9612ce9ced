"""Replies in parts: what a dialect sends at the start, for each word, at the end, and when it breaks."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hermes_tui.simulator.mode import Behaviour, Mode
from hermes_tui.simulator.sealing import Seal

KEEP_ALIVE = ": keep-alive\n\n"
KEEP_ALIVE_SECONDS = 15.0
THOUGHT = "The answer follows from the question."
"""What a model thinks before it speaks."""

OVERLOAD = {"code": "server_is_overloaded", "message": "The server is overloaded. Try again later."}


@dataclass(frozen=True, slots=True)
class Reply:
    """What is answered: `number` makes its ids, `created` is epoch seconds, an empty `text` says nothing.

    `seal` is what its reasoning is sealed with, None where none is sent.
    """

    number: int
    model: str
    text: str
    created: int
    input_tokens: int
    seal: Seal | None = None

    @property
    def tokens(self) -> list[str]:
        """The text in pieces of one word."""
        return re.findall(r"\s*\S+\s*$|\s*\S+", self.text)


@dataclass(frozen=True, slots=True)
class Script:
    """A whole streamed reply, as server-sent events; `error` is what takes the place of the end when it fails."""

    opening: tuple[str, ...]
    tokens: tuple[str, ...]
    closing: tuple[str, ...]
    error: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """One event to send; a `token` is paced, `before` (seconds) is waited in any case."""

    text: str
    token: bool = False
    before: float = 0.0


def sse(payload: Mapping[str, Any], event: str | None = None) -> str:
    """Return `payload` as one server-sent event."""
    name = f"event: {event}\n" if event else ""
    return f"{name}data: {json.dumps(payload)}\n\n"


def staged(script: Script, behaviour: Behaviour) -> Iterator[Frame]:
    """Yield what the stream brings under `behaviour`; a stall never ends by itself."""
    yield from map(Frame, script.opening)
    kept = len(script.tokens) if behaviour.mode in (Mode.OK, Mode.EMPTY) else behaviour.after_chunks
    yield from (Frame(token, token=True) for token in script.tokens[:kept])
    match behaviour.mode:
        case Mode.STALL:
            while True:
                yield Frame(KEEP_ALIVE, before=KEEP_ALIVE_SECONDS)
        case Mode.BROKEN:
            return
        case Mode.ERROR_FRAME:
            yield from map(Frame, script.error)
        case _:
            yield from map(Frame, script.closing)
