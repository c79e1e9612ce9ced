"""One attempt: a request goes out, its reply streams in, and a stall ends it (M10, M11)."""

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from hermes_tui.core.ports import Chunk

from hermes_tui.core.configuration import Settings
from hermes_tui.core.failure import Failure, FailureKind, RequestError, Scope
from hermes_tui.core.outcome import Answer
from hermes_tui.core.ports import Clock, ModelRequest, ReplyFinished, TextReceived, Wire
from hermes_tui.core.secret import Secret
from hermes_tui.core.text import PlainText, plain


@dataclass(slots=True)
class Stream:
    """What an attempt needs to run: the wire, the clock, the stall limits, and where streamed text goes."""

    wire: Wire
    clock: Clock
    settings: Settings
    on_text: Callable[[PlainText], None]
    redact: Callable[[str], PlainText]


async def attempt(stream: Stream, request: ModelRequest, secret: Secret | None) -> Answer:
    """Return the complete reply to `request`. Raises RequestError for everything else, stalls included."""
    sent_at = stream.clock.now()
    parts: list[str] = []
    first_token: float | None = None
    limit = stream.settings.first_token_timeout_seconds
    # The port promises an iterator; every wire's is a generator, which must be closed to free its connection.
    chunks = cast("AsyncGenerator[Chunk, None]", stream.wire.stream(request, secret))
    async with aclosing(chunks):
        while True:
            try:
                async with stream.clock.timeout(limit):
                    chunk = await anext(chunks)
            except TimeoutError:
                raise RequestError(_stalled(limit, begun=first_token is not None)) from None
            if isinstance(chunk, ReplyFinished):
                break
            if first_token is None:
                first_token = stream.clock.now() - sent_at
                limit = stream.settings.idle_timeout_seconds
            if isinstance(chunk, TextReceived):
                parts.append(chunk.text)
                stream.on_text(plain(chunk.text))
    return Answer(
        text=stream.redact("".join(parts)),
        first_token=first_token,
        input_tokens=chunk.input_tokens,
        output_tokens=chunk.output_tokens,
        issuer=request.route.issuer if chunk.opaque else None,
        opaque=chunk.opaque,
    )


def _stalled(limit: float, *, begun: bool) -> Failure:
    what = "no further token" if begun else "no first token"
    return Failure(FailureKind.TIMEOUT, Scope.REQUEST, PlainText(f"{what} within {limit:g} s"))
