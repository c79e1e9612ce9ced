"""Shapes: the answers of real providers that are no reply, each with what it means."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from http import HTTPStatus
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from hermes_tui.core.failure import FailureKind, ResetSource, Scope
from hermes_tui.core.known_provider import KnownProvider
from hermes_tui.core.known_providers import provider_behind
from hermes_tui.core.route import ApiMode
from hermes_tui.simulator.duration import Seconds
from hermes_tui.simulator.placeholders import fill

EVENT_STREAM = "text/event-stream"


class Ending(StrEnum):
    """How an answer ends: as it should, cut off, with the connection reset, in silence, or in signs of life only."""

    CLOSE = "close"
    CUT = "cut"
    RESET = "reset"
    SILENCE = "silence"
    KEEP_ALIVES = "keep_alives"


class Next(StrEnum):
    """What a session does next, by a configuration that changes nothing."""

    RETRY = "retry"
    UNSEAL = "unseal"
    ROTATE = "rotate"
    FALL_BACK = "fall_back"
    COMPACT = "compact"
    STOP = "stop"

    @property
    def words(self) -> str:
        """The step as a person reads it, with what follows where it does not help."""
        return _WORDS[self]


_WORDS = {
    Next.RETRY: "again here after a wait, then the next route",
    Next.UNSEAL: "again without the sealed history, then the next route",
    Next.ROTATE: "the next credential, then the next route",
    Next.FALL_BACK: "the next route",
    Next.COMPACT: "again with a shorter conversation, then the next route",
    Next.STOP: "the turn ends with the reason",
}


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Reading(_Table):
    """What a shape means: the failure's kind and scope, when it ends, and the step after it.

    `resets_in` is seconds from the request, None where no end of a limit is to be believed; `within` (seconds) how
    exactly it can be read, `sure` that it is no guess, `source` where it is said.
    """

    kind: FailureKind
    scope: Scope
    next: Next
    resets_in: Seconds | None = None
    within: Seconds = 1.0
    sure: bool = True
    source: ResetSource | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A shape as it goes over the wire: `status` None is no answer at all; `parts` are sent one by one."""

    status: int | None
    headers: Mapping[str, str]
    parts: tuple[str, ...]
    ending: Ending

    def __str__(self) -> str:
        """The answer as a person reads it, from the status line on."""
        if self.status is None:
            return f"({_ENDINGS[self.ending]})\n"
        known = {status.value: f" {status.phrase}" for status in HTTPStatus}
        head = [f"HTTP/1.1 {self.status}{known.get(self.status, '')}", *(f"{k}: {v}" for k, v in self.headers.items())]
        body = "".join(self.parts).rstrip("\n")
        end = [f"({_ENDINGS[self.ending]})"] if self.ending in _ENDINGS else []
        return "\n".join([*head, "", *([body] if body else []), *end]) + "\n"


_ENDINGS = {
    Ending.CUT: "the connection is closed in the middle",
    Ending.RESET: "the connection is reset",
    Ending.SILENCE: "nothing more comes, and the connection stays open",
    Ending.KEEP_ALIVES: "only comments come from here on",
}


class Shape(_Table):
    """One answer that is no reply, as its provider sends it.

    A `body` is JSON, HTML or text by how it begins, unless a header says otherwise; a `stream` is server-sent events
    with status 200. Both, and the headers, may hold placeholders. `model` is asked for where none is named.
    `grade` tells how well it is known: A documented or often seen, B seen two or three times, C once, G by general
    knowledge. `cases` are the field cases that it belongs to.
    """

    name: Annotated[str, Field(pattern=r"^[a-z0-9]+(?:-[a-z0-9]+)*$")]
    about: str
    provider: str
    model: str
    api_mode: ApiMode = ApiMode.CHAT_COMPLETIONS
    grade: Literal["A", "B", "C", "G"]
    cases: tuple[str, ...] = ()
    status: Annotated[int, Field(ge=200, le=599)] | None = None
    headers: dict[str, str] = {}
    body: str | None = None
    stream: str | None = None
    ending: Ending = Ending.CLOSE
    reading: Reading

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if self.body is not None and self.stream is not None:
            raise ValueError("an answer has a body or a stream, not both")
        if self.status is None and (self.body is not None or self.ending is Ending.CLOSE) and self.stream is None:
            raise ValueError("an answer needs a status; without one the connection only breaks")
        answer = self.answer(now=0.0, model=self.model)
        if answer.headers.get("content-type") == "application/json" and "content-type" not in self.headers:
            json.loads("".join(answer.parts))
        return self

    @property
    def known(self) -> KnownProvider:
        """What is known of its provider."""
        return provider_behind(self.provider)

    def answer(self, *, now: float, model: str) -> Answer:
        """Return what a request for `model` at `now` (epoch seconds) is answered. Raises ValueError."""
        text = fill(self.stream or self.body or "", now=now, model=model)
        headers = {name.lower(): fill(value, now=now, model=model) for name, value in self.headers.items()}
        if self.stream is not None:
            parts = tuple(f"{event}\n\n" for event in text.strip("\n").split("\n\n"))
            return Answer(200, {"content-type": EVENT_STREAM} | headers, parts, self.ending)
        kind = {} if self.status is None else {"content-type": _content_type(text)}
        return Answer(self.status, kind | headers, (text,) if text else (), self.ending)


def _content_type(body: str) -> str:
    match body[:1]:
        case "{" | "[":
            return "application/json"
        case "<":
            return "text/html; charset=utf-8"
        case _:
            return "text/plain; charset=utf-8"
