"""Lengths of time as providers write them: `6m0s`, `2 days 17 hours`, `1m2.5s`, `270µs`, `02:13:22`, `an hour`."""

import re
from typing import Final

_UNITS: Final = {
    1e-9: ("ns",),
    1e-6: ("us", "\u00b5s", "\u03bcs"),
    1e-3: ("ms", "msec", "msecs", "millisecond", "milliseconds"),
    1.0: ("s", "sec", "secs", "second", "seconds"),
    60.0: ("m", "min", "mins", "minute", "minutes"),
    3600.0: ("h", "hr", "hrs", "hour", "hours"),
    86400.0: ("d", "day", "days"),
    604800.0: ("w", "week", "weeks"),
}
_SECONDS: Final = {name: seconds for seconds, names in _UNITS.items() for name in names}
_UNIT: Final = "|".join(sorted(_SECONDS, key=len, reverse=True))
_AMOUNT: Final = r"(?:[0-9]{1,3}(?:,[0-9]{3}){1,3}|[0-9]{1,12}(?:\.[0-9]{1,12})?)"
_PART: Final = rf"{_AMOUNT}[ ]?(?:{_UNIT})(?![a-z])"
_FLAGS: Final = re.IGNORECASE | re.ASCII

SPAN: Final = re.compile(rf"{_PART}(?:,?[ ]?(?:and[ ])?{_PART}){{0,6}}+|(?:an?|one)[ ](?:{_UNIT})(?![a-z])", _FLAGS)
"""Amounts with their units. It never gives back a part that it has read: a half of a length is another length."""

TIMESPAN: Final = re.compile(
    r"(?:(?P<days>[0-9]{1,4})\.)?(?P<hours>[0-9]{2}):(?P<minutes>[0-9]{2}):(?P<seconds>[0-9]{2}(?:\.[0-9]{1,9})?)(?![0-9:])",
    re.ASCII,
)
"""`days.hours:minutes:seconds`; a time of day looks like it, so that only the words around tell them apart."""

_PIECE: Final = re.compile(rf"({_AMOUNT})[ ]?({_UNIT})(?![a-z])", _FLAGS)


def span_seconds(text: str) -> float:
    """Return the seconds of what `SPAN` matched."""
    pieces = _PIECE.findall(text) or [("1", text.rpartition(" ")[2])]
    return sum(float(amount.replace(",", "")) * _SECONDS[unit.lower()] for amount, unit in pieces)


def timespan_seconds(found: re.Match[str]) -> float:
    """Return the seconds of what `TIMESPAN` matched."""
    hours = int(found["days"] or 0) * 24 + int(found["hours"])
    return (hours * 60 + int(found["minutes"])) * 60 + float(found["seconds"])
