"""One parser for every form in which providers write a time (M14): numbers, durations, dates; sentences beside it.

Each function returns a `Reset` in epoch seconds or None, and never raises. What lies in the past is due now; beyond
the horizon it is cut there and marked approximate; negative, not finite or unreadable is no time at all.
"""

import math
import re
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Final

from hermes_tui.core.cooldown import HORIZON_SECONDS
from hermes_tui.core.failure import Reset
from hermes_tui.providers.durations import SPAN, span_seconds
from hermes_tui.providers.moments import moment_at, placed

_EPOCH_FROM: Final = 1e9
_FINER_FROM: Final = 1e12
"""Epochs from here on count milliseconds, or what is finer still."""
_DIGITS: Final = 19
"""What an epoch in nanoseconds has; longer numbers count nothing."""
_LONGEST: Final = 120
"""Characters of a value beyond which it is not read."""

_NUMBER: Final = re.compile(rf"[0-9]{{1,{_DIGITS}}}(?:\.[0-9]{{1,12}})?")
_HTTP_DATE: Final = re.compile(r"[A-Z][a-z]{2,8},? [0-9A-Za-z: \-]{10,40}")


def read_time(value: object, *, now: float, unit: float = 1.0) -> Reset | None:
    """Return the time that a header's or field's value means: epoch, seconds from now, duration or date.

    `unit` is what a bare small number counts, in seconds (0.001 for a field in milliseconds).
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _from_number(value, now, unit)
    text = _short(value) if isinstance(value, str) else ""
    if _NUMBER.fullmatch(text):
        return _from_number(float(text), now, unit)
    if SPAN.fullmatch(text):
        return bounded(now + span_seconds(text), now)
    moment = moment_at(text)
    if moment and moment["date"] and moment.end == len(text):
        instant = placed(moment, now)
        return bounded(instant.at, now, approximate=instant.approximate) if instant else None
    at = _http_date(text)
    return bounded(at, now) if at is not None else None


def read_wait(value: str, *, now: float, date: str | None = None) -> Reset | None:
    """Return the time that `Retry-After` means; `date` is the response's own `Date`, against skewed clocks."""
    at, sent = _http_date(_short(value)), _http_date(_short(date or ""))
    if at is not None and sent is not None and 0 <= at - sent <= HORIZON_SECONDS:
        return bounded(now + (at - sent), now)
    return read_time(value, now=now)


def bounded(at: float, now: float, *, approximate: bool = False) -> Reset | None:
    """Return `at` as a reset: from now to the horizon, None where it is no number."""
    if not math.isfinite(at):
        return None
    horizon = now + HORIZON_SECONDS
    return Reset(horizon, approximate=True) if at > horizon else Reset(max(at, now), approximate)


def _short(text: str) -> str:
    return " ".join(text.split()) if len(text) <= _LONGEST else ""


def _from_number(number: float, now: float, unit: float) -> Reset | None:
    if not 0 <= number < 10**_DIGITS:  # NaN fails every comparison
        return None
    if number < _EPOCH_FROM:
        return bounded(now + number * unit, now)
    while number >= _FINER_FROM:
        number /= 1000
    return bounded(number, now)


def _http_date(text: str) -> float | None:
    """Return a date in one of the three forms of HTTP in epoch seconds; they are all in GMT."""
    if not _HTTP_DATE.fullmatch(text):
        return None
    try:
        moment = parsedate_to_datetime(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
