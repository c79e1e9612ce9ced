"""One parser for every form in which providers write a time (M14): numbers, durations, dates, sentences.

Each function returns a `Reset` in epoch seconds or None, and never raises. What lies in the past is due now; beyond
the horizon it is cut there and marked approximate; negative, not finite or unreadable is no time at all. A time
without a zone is approximate: of its reasonable readings (here, UTC) the later one counts.
"""

import math
import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from email.utils import parsedate_to_datetime
from typing import Final
from zoneinfo import ZoneInfo

from hermes_tui.core.cooldown import HORIZON_SECONDS
from hermes_tui.core.failure import Reset

_EPOCH_FROM: Final = 1e9
_MILLISECONDS_FROM: Final = 1e12
_NUMBERS_TO: Final = 1e15

_NUMBER: Final = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,12})?")
_PART: Final = (
    r"[0-9]{1,12}(?:\.[0-9]{1,12})?\s{0,3}"
    r"(?:milliseconds?|msecs?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w)(?![a-z])"
)
_SPAN: Final = rf"{_PART}(?:(?:,|\s|and){{0,4}}{_PART}){{0,6}}"
_DURATION: Final = re.compile(_SPAN, re.IGNORECASE)
_PIECE: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([a-z]+)", re.IGNORECASE)
_SECONDS: Final = {"ms": 0.001, "mi": 60.0, "m": 60.0, "s": 1.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}

_STAMP: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?\s?(?:Z|[+-][0-9]{2}:?[0-9]{2})?",
    re.IGNORECASE,
)
_HTTP_DATE: Final = re.compile(r"[A-Z][a-z]{2,8}, [0-9A-Za-z: \-]{10,40}")

_MONTHS: Final = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_ZONE: Final = r"(?:\s{0,2}\(?(?P<zone>[A-Za-z]{2,20}/[A-Za-z_]{2,30}(?:/[A-Za-z_]{2,30})?|[A-Z]{3,4})\)?)?"
_HOUR: Final = r"(?P<hour>[0-9]{1,2})(?::(?P<minute>[0-9]{2}))?(?::[0-9]{2})?"
_HALF: Final = r"\s?(?P<half>[ap]\.?m\.?)?(?![0-9])"
_ON_DATE: Final = re.compile(
    rf"(?P<month>{'|'.join(_MONTHS)})[a-z]{{0,6}}\.?\s{{1,2}}(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)?"
    rf"(?:,?\s(?P<year>[0-9]{{4}}))?,?\s{{1,2}}(?:at\s)?{_HOUR}{_HALF}{_ZONE}",
    re.IGNORECASE,
)
_AT_TIME: Final = re.compile(rf"(?<![0-9:.]){_HOUR}(?:(?<=:[0-9][0-9])|(?=\s?[ap]\.?m)){_HALF}{_ZONE}", re.IGNORECASE)
_CUE: Final = re.compile(
    r"try(?:ing)? (?:it )?again|retry(?:ing)?|resets?|resetting|available|wait|renews?|refresh(?:es)?|reopens?",
    re.IGNORECASE,
)
_WINDOW: Final = 80
_READ: Final = 4000
_ABBREVIATED: Final = {
    "UTC": 0, "GMT": 0, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
    "CET": 1, "CEST": 2, "BST": 1,
}  # fmt: skip


def read_time(value: object, *, now: float, unit: float = 1.0) -> Reset | None:
    """Return the time that a header's or field's value means: epoch, seconds from now, duration or date.

    `unit` is what a bare small number counts, in seconds (0.001 for a field in milliseconds).
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _from_number(value, now, unit)
    if not isinstance(value, str) or not value.strip() or len(value) > 120:
        return None
    text = value.strip()
    if _NUMBER.fullmatch(text):
        return _from_number(float(text), now, unit)
    if _DURATION.fullmatch(text):
        return _reset(now + _duration(text), now)
    if _STAMP.fullmatch(text):
        return _stamp(text, now)
    return _http_date(text, now, None) if _HTTP_DATE.fullmatch(text) else None


def read_wait(value: str, *, now: float, date: str | None = None) -> Reset | None:
    """Return the time that `Retry-After` means; `date` is the response's own `Date`, against skewed clocks."""
    text = value.strip()
    if _HTTP_DATE.fullmatch(text):
        return _http_date(text, now, date)
    return read_time(text, now=now)


def read_text(text: str, *, now: float) -> Reset | None:
    """Return the time that a sentence gives for trying again, the first one that can be read."""
    text = text[:_READ]
    for cue in _CUE.finditer(text):
        rest = text[cue.end() : cue.end() + _WINDOW]
        found = _in_sentence(rest, now)
        if found is not None:
            return found
    return None


def _in_sentence(rest: str, now: float) -> Reset | None:
    stamp = _STAMP.search(rest)
    if stamp is not None:
        return _stamp(stamp[0].strip(), now)
    dated = _ON_DATE.search(rest)
    if dated is not None:
        return _clock_time(dated, now)
    span = re.search(r"(?<![0-9.:\-])" + _SPAN, rest, re.IGNORECASE)
    if span is not None:
        return _reset(now + _duration(span[0]), now)
    timed = _AT_TIME.search(rest)
    return _clock_time(timed, now) if timed is not None else None


def _reset(at: float, now: float, *, approximate: bool = False) -> Reset | None:
    if not math.isfinite(at):
        return None
    horizon = now + HORIZON_SECONDS
    return Reset(horizon, approximate=True) if at > horizon else Reset(max(at, now), approximate)


def _from_number(number: float, now: float, unit: float) -> Reset | None:
    if not 0 <= number < _NUMBERS_TO:  # NaN fails every comparison
        return None
    if number >= _MILLISECONDS_FROM:
        return _reset(number / 1000, now)
    return _reset(float(number) if number >= _EPOCH_FROM else now + number * unit, now)


def _duration(text: str) -> float:
    return sum(float(amount) * _unit(name.lower()) for amount, name in _PIECE.findall(text))


def _unit(name: str) -> float:
    if name in ("ms", "msec", "msecs") or name.startswith("milli"):
        return _SECONDS["ms"]
    return _SECONDS[name[0]]


def _stamp(text: str, now: float) -> Reset | None:
    try:
        moment = datetime.fromisoformat(text.upper().replace(" Z", "Z").replace(",", "."))
    except ValueError:
        return None
    return _of_datetime(moment, now)


def _http_date(text: str, now: float, date: str | None) -> Reset | None:
    try:
        moment = parsedate_to_datetime(text)
        sent = parsedate_to_datetime(date) if date else None
        skew = now - _aware(sent).timestamp() if sent else 0.0
        return _reset(_aware(moment).timestamp() + skew, now)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _of_datetime(moment: datetime, now: float) -> Reset | None:
    """Place a date in time; without a zone the later of the two reasonable readings counts."""
    try:
        if moment.tzinfo is not None:
            return _reset(moment.timestamp(), now)
        return _reset(max(moment.timestamp(), moment.replace(tzinfo=UTC).timestamp()), now, approximate=True)
    except (ValueError, OverflowError, OSError):
        return None


def _clock_time(found: re.Match[str], now: float) -> Reset | None:
    """Place a time of day, with or without a date; without one it is the next such time."""
    zone = _zone(found["zone"])
    hour, minute = _hour(int(found["hour"]), found["half"]), int(found["minute"] or 0)
    named = found.groupdict()
    try:
        today = datetime.fromtimestamp(now, zone or UTC)
        today = today if zone else today.astimezone().replace(tzinfo=None)
        moment = today.replace(hour=hour, minute=minute, second=0, microsecond=0)
        if named.get("month") is None:
            moment += timedelta(days=1) if moment <= today else timedelta()
        else:
            month = _MONTHS.index(named["month"].lower()) + 1
            year = int(named["year"]) if named["year"] else today.year
            moment = moment.replace(year=year, month=month, day=int(named["day"]))
            if not named["year"] and moment < today - timedelta(days=31):
                moment = moment.replace(year=year + 1)
        if zone is not None:
            return _reset(moment.timestamp(), now)
        return _reset(moment.timestamp(), now, approximate=True)
    except (ValueError, OverflowError, OSError):
        return None


def _hour(hour: int, half: str | None) -> int:
    if not half:
        return hour
    return hour % 12 + (12 if half[0] in "pP" else 0) if 1 <= hour <= 12 else 99


def _zone(name: str | None) -> tzinfo | None:
    if not name:
        return None
    hours = _ABBREVIATED.get(name.upper())
    if hours is not None:
        return timezone(timedelta(hours=hours))
    try:
        return ZoneInfo(name) if "/" in name else None
    except (ValueError, KeyError, OSError):  # an unknown name is a KeyError, a folder's name an OSError
        return None
