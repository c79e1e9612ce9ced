"""One attempt: a request goes out, its reply streams in, and a stall ends it (M10, M11)."""

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass

from hermes_tui.core.configuration import Settings
from hermes_tui.core.failure import Failure, FailureKind, RequestError, Scope
from hermes_tui.core.outcome import Answer
from hermes_tui.core.ports import Clock, ModelRequest, ReplyFinished, TextReceived, Wire
from hermes_tui.core.secret import Secret
from hermes_tui.core.text import PlainText


@dataclass(slots=True)
class Stream:
    """What an attempt needs to run: the wire, the clock, the stall limits, and where streamed text goes."""

    wire: Wire
    clock: Clock
    settings: Settings
    on_text: Callable[[str], None]
    redact: Callable[[str], PlainText]


async def attempt(stream: Stream, request: ModelRequest, secret: Secret | None) -> Answer:
    """Return the complete reply to `request`. Raises RequestError for everything else, stalls included."""
    sent_at = stream.clock.now()
    parts: list[str] = []
    first_token: float | None = None
    limit = stream.settings.first_token_timeout_seconds
    async with aclosing(stream.wire.stream(request, secret)) as chunks:
        while True:
            try:
                async with stream.clock.timeout(limit):
                    chunk = await anext(chunks)
            except TimeoutError:
                raise RequestError(_stalled(limit, begun=first_token is not None)) from None
            except StopAsyncIteration:
                raise RequestError(_cut_short()) from None
            if isinstance(chunk, ReplyFinished):
                break
            if first_token is None:
                first_token = stream.clock.now() - sent_at
                limit = stream.settings.idle_timeout_seconds
            if isinstance(chunk, TextReceived):
                parts.append(chunk.text)
                stream.on_text(chunk.text)
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


def _cut_short() -> Failure:
    return Failure(FailureKind.INVALID_RESPONSE, Scope.REQUEST, PlainText("the reply ended before it said so"))
