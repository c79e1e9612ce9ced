"""One attempt: a request goes out, its reply streams in, and a stall ends it (M10, M11)."""

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass

from hermes_tui.core.configuration import Settings
from hermes_tui.core.failure import Failure, FailureKind, RequestError, Scope
from hermes_tui.core.outcome import Answer
from hermes_tui.core.ports import Clock, ModelRequest, ReplyFinished, TextReceived, Wire
from hermes_tui.core.secret import Secret, tells_any
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
    finished: ReplyFinished | None = None
    silence, idle = stream.settings.first_token_timeout_seconds, stream.settings.idle_timeout_seconds
    try:
        async with stream.clock.watchdog(silence) as watchdog, aclosing(stream.wire.stream(request, secret)) as chunks:
            async for chunk in chunks:
                if isinstance(chunk, ReplyFinished):
                    finished = chunk
                    break
                if first_token is None:
                    first_token = stream.clock.now() - sent_at
                watchdog.touch(idle)
                if isinstance(chunk, TextReceived):
                    parts.append(chunk.text)
                    stream.on_text(chunk.text)
    except TimeoutError:
        raise RequestError(_stalled(silence if first_token is None else idle, begun=first_token is not None)) from None
    except RequestError as error:
        raise RequestError(error.failure, "".join(parts)) from None
    if finished is None:
        raise RequestError(_cut_short(), "".join(parts))
    opaque = None if finished.opaque is None or tells_any(finished.opaque) else finished.opaque
    return Answer(
        text=stream.redact("".join(parts)),
        first_token=first_token,
        input_tokens=finished.input_tokens,
        output_tokens=finished.output_tokens,
        issuer=request.issuer if opaque else None,
        opaque=opaque,
    )


def _stalled(limit: float, *, begun: bool) -> Failure:
    what = "no further token" if begun else "no first token"
    return Failure(FailureKind.TIMEOUT, Scope.REQUEST, PlainText(f"{what} within {limit:g} s"))


def _cut_short() -> Failure:
    return Failure(FailureKind.INVALID_RESPONSE, Scope.REQUEST, PlainText("the reply ended before it said so"))
