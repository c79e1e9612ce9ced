"""Placeholders in shapes: what a provider writes in that depends on the moment and on the request.

@{model}            the model that was asked for
@{epoch 2h}         two hours after the request, as epoch seconds
@{epoch_ms 2h}      in milliseconds
@{iso 2h}           as RFC 3339, in UTC
@{http_date -5m}    as an HTTP date; a minus is before the request
@{stamp 2h}         2031-01-02 03:04:05, by this machine's clock, without a zone
@{clock 2h}         11:50 PM, likewise
@{moment 2d}        Jan 2nd, 2031 11:50 PM, likewise
@{zoned 2d}         Jan 2, 11:50pm (Europe/Zurich)
@{day 2d}           2031-01-02 at 00:00 UTC, the day's beginning

Forms without seconds are rounded up to the minute. A wait needs no placeholder: it is the same at any moment.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Final
from zoneinfo import ZoneInfo

from hermes_tui.simulator.duration import parse_duration

_PLACEHOLDER: Final = re.compile(r"@\{([a-z_]+)(?: (-?)([0-9a-z.]+))?\}")
_MINUTE: Final = 60


def fill(text: str, *, now: float, model: str) -> str:
    """Return `text` with its placeholders filled for a request for `model` at `now` (epoch seconds).

    Raises ValueError for one that is none of those above.
    """

    def filled(found: re.Match[str]) -> str:
        form, minus, ahead = found.groups()
        if form == "model" and ahead is None:
            return model
        if form not in _FORMS or ahead is None:
            raise ValueError(f"{found[0]} is no placeholder: there are @{{model}}, @{{{' …}, @{'.join(_FORMS)} …}}")
        return _FORMS[form](now + parse_duration(ahead) * (-1 if minus else 1))

    return _PLACEHOLDER.sub(filled, text)


def _epoch(at: float) -> str:
    return str(round(at))


def _epoch_ms(at: float) -> str:
    return str(round(at * 1000))


def _iso(at: float) -> str:
    return f"{_utc(at):%Y-%m-%dT%H:%M:%SZ}"


def _http_date(at: float) -> str:
    return format_datetime(_utc(at).replace(microsecond=0), usegmt=True)


def _stamp(at: float) -> str:
    return f"{_utc(at).astimezone():%Y-%m-%d %H:%M:%S}"


def _clock(at: float) -> str:
    return _time_of_day(_full_minute(at).astimezone())


def _moment(at: float) -> str:
    moment = _full_minute(at).astimezone()
    return f"{moment:%b} {_ordinal(moment.day)}, {moment.year} {_time_of_day(moment)}"


def _zoned(at: float) -> str:
    moment = _full_minute(at).astimezone(ZoneInfo("Europe/Zurich"))
    return f"{moment:%b} {moment.day}, {_time_of_day(moment).replace(' ', '').lower()} (Europe/Zurich)"


def _day(at: float) -> str:
    return f"{_utc(at):%Y-%m-%d} at 00:00 UTC"


def _utc(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC)


def _full_minute(at: float) -> datetime:
    return _utc(-(-at // _MINUTE) * _MINUTE)


def _time_of_day(moment: datetime) -> str:
    return f"{moment.hour % 12 or 12}:{moment:%M} {'AM' if moment.hour < 12 else 'PM'}"


def _ordinal(day: int) -> str:
    ending = "th" if 11 <= day <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{ending}"


_FORMS: Final[dict[str, Callable[[float], str]]] = {
    "epoch": _epoch,
    "epoch_ms": _epoch_ms,
    "iso": _iso,
    "http_date": _http_date,
    "stamp": _stamp,
    "clock": _clock,
    "moment": _moment,
    "zoned": _zoned,
    "day": _day,
}
