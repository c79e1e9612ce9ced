"""Where a refusal says when it ends, in order of trust (M14).

An absolute time in the body, then a wait in the body, then the quota windows in headers, then `Retry-After`, then a
sentence. Each reset tells which of them it is from.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from hermes_tui.core.failure import Reset, ResetSource
from hermes_tui.providers.body import ErrorBody
from hermes_tui.providers.envelopes import folded
from hermes_tui.providers.quota_headers import quota_reset
from hermes_tui.providers.resets import read_time, read_wait
from hermes_tui.providers.sentences import read_text

_ABSOLUTE: Final = frozenset(
    ["resetsat", "resetat", "resettime", "resetstime", "quotaresettimestamp", "nextresettime", "resettimestamp"]
)
_RELATIVE: Final = {
    "resetsinseconds": 1.0,
    "resetinseconds": 1.0,
    "resetsin": 1.0,
    "resetin": 1.0,
    "resetafter": 1.0,
    "resetafterseconds": 1.0,
    "retryafter": 1.0,
    "retryafterseconds": 1.0,
    "retryinseconds": 1.0,
    "retrydelay": 1.0,
    "quotaresetdelay": 1.0,
    "retryafterms": 0.001,
}


def find_reset(headers: Mapping[str, str], body: ErrorBody, *, now: float, model: str = "") -> Reset | None:
    """Return when the limit ends, from the best source that can be read; header names in lower case.

    `model` is the one that was asked for: where a provider meters models apart, its windows count.
    """
    return (
        _from(ResetSource.BODY_DATE, _dates(body, now, model))
        or _from(ResetSource.BODY_WAIT, _waits(body, now))
        or _from(ResetSource.QUOTA_HEADERS, [quota_reset(headers, now=now, model=model)])
        or retry_after(headers, now=now)
        or _from(ResetSource.SENTENCE, _spoken(body, now))
    )


def retry_after(headers: Mapping[str, str], *, now: float) -> Reset | None:
    """Return the end of the wait that `retry-after-ms` or `Retry-After` asks for; the former outranks (C30)."""
    precise = read_time(headers.get("retry-after-ms"), now=now, unit=0.001)
    asked = precise or read_wait(headers.get("retry-after", ""), now=now, date=headers.get("date"))
    return _from(ResetSource.RETRY_AFTER, [asked])


def _dates(body: ErrorBody, now: float, model: str) -> Iterable[Reset | None]:
    """Yield the dates in a body, and those of the response headers that some send along in it."""
    for node in body.nodes:
        for key, value in node.items():
            if folded(key) in _ABSOLUTE and value not in (0, "0"):  # which stands for "no date"
                yield read_time(value, now=now)
        headers = {key.lower(): str(value) for key, value in node.items() if isinstance(value, str | int)}
        yield quota_reset(headers, now=now, model=model)


def _waits(body: ErrorBody, now: float) -> Iterable[Reset | None]:
    for node in body.nodes:
        for key, value in node.items():
            unit = _RELATIVE.get(folded(key))
            if unit is not None:
                seconds = value.get("seconds") if isinstance(value, Mapping) else value
                yield read_time(seconds, now=now, unit=unit)


def _spoken(body: ErrorBody, now: float) -> Iterable[Reset | None]:
    return [next((found for text in body.messages if (found := read_text(text, now=now))), None)]


def _from(source: ResetSource, resets: Iterable[Reset | None]) -> Reset | None:
    latest = max((reset for reset in resets if reset), key=lambda reset: reset.at, default=None)
    return replace(latest, source=source) if latest else None
