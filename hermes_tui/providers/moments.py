"""Dates and times of day, placed in time (M14): `2030-03-17T10:00:00Z`, `11:50 PM`, `Aug 3, 7am (Europe/Zurich)`.

What is left out is taken from `now`: the next such time, the year in which the date is near. Of two readings the
later one counts, and the moment is approximate: where no zone is given, and on the night on which a clock goes back.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from hermes_tui.core.cooldown import HORIZON_SECONDS

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sep(?:t|tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_WEEKDAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
WEEKDAY: Final = r"mon(?:day)?|tue(?:s|sday)?|wed(?:nesday)?|thu(?:r|rs|rsday)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?"

_HOURS: Final = {
    "z": 0, "utc": 0, "gmt": 0, "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7,
    "cet": 1, "cest": 2, "bst": 1, "jst": 9, "kst": 9, "sgt": 8, "hkt": 8,
}  # fmt: skip
_OF_TWO_PLACES: Final = frozenset(["cst", "bst"])
"""Abbreviations that are in use for an earlier zone as well."""
_PLACES: Final = {
    **dict.fromkeys(("pacific", "pt"), "America/Los_Angeles"),
    **dict.fromkeys(("mountain", "mt"), "America/Denver"),
    **dict.fromkeys(("central", "ct"), "America/Chicago"),
    **dict.fromkeys(("eastern", "et"), "America/New_York"),
}
_ABBREVIATION: Final = "|".join(sorted((*_HOURS, *_PLACES), key=len, reverse=True))

_PIECE: Final = re.compile(
    rf"""
    (?:T(?=[0-9])|,?[ ]?\(?(?:(?:at|on)[ ])?)
    (?:
        (?P<weekday>{WEEKDAY})(?![a-z])\.?
      | (?P<date>
            (?P<iso>[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})(?![0-9])
          | (?P<month_number>[0-9]{{2}})-(?P<day_number>[0-9]{{2}})(?=[ ][0-9]{{2}}:)
          | (?P<month>{_MONTH})[ ]?(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)?(?![0-9:])
            (?:,?[ ](?P<year>[0-9]{{4}})(?![0-9:]))?
          | (?P<day_first>[0-9]{{1,2}})(?:st|nd|rd|th)?[ -](?P<month_next>{_MONTH})
            (?:,?[ -](?P<year_last>[0-9]{{4}})(?![0-9:]))?
        )
      | (?P<near>today|tonight|tomorrow)(?![a-z])
      | (?P<time>
            (?P<hour>[0-9]{{1,2}})
            (?:
                :(?P<minute>[0-9]{{2}})(?::(?P<second>[0-9]{{2}})(?:[.,](?P<fraction>[0-9]{{1,9}}))?)?
                (?:[ ]?(?P<half>[ap])\.?m(?![a-z])\.?)?
              | [ ]?(?P<half_alone>[ap])\.?m(?![a-z])\.?
            )(?![0-9:])
          | (?P<named>midnight|noon)(?![a-z])
        )
      | (?P<zone>
            (?:UTC|GMT)[+-][0-9]{{1,2}}(?::?[0-9]{{2}})?
          | [+-][0-9]{{2}}(?::?[0-9]{{2}})?
          | [a-z]{{2,20}}/[a-z0-9_+-]{{1,30}}(?:/[a-z0-9_+-]{{1,30}})?
          | (?:{_ABBREVIATION})
        )(?![a-z0-9/])(?:[ ](?:{_ABBREVIATION})(?![a-z0-9/]))?\)?
    )
    """,
    re.IGNORECASE | re.ASCII | re.VERBOSE,
)
"""A date, a weekday, a time of day or a zone, with what links it to the one before."""

_KINDS: Final = ("weekday", "date", "near", "time", "zone")
_WHEN: Final = frozenset(["weekday", "date", "near", "time"])

_PATIENCE: Final = 60.0
"""How long ago (seconds) the next such time may have been: times without seconds speak of their whole minute."""


@dataclass(frozen=True, slots=True)
class Moment:
    """What a text says of a moment, part by part, and where in the text that ends."""

    said: Mapping[str, str]
    end: int

    def __getitem__(self, part: str) -> str:
        """Return a part as it is spelled, empty where it was left out."""
        return self.said.get(part, "")

    @property
    def month(self) -> str:
        """The month's name, whichever way round the date is."""
        return (self["month"] or self["month_next"])[:3].lower()


class Instant(NamedTuple):
    """A moment in epoch seconds; `approximate` where it had to be chosen among several readings."""

    at: float
    approximate: bool


def moment_at(text: str, start: int = 0) -> Moment | None:
    """Return the moment that stands in `text` from `start` on, None where nothing there names one."""
    said: dict[str, str] = {}
    end = start
    while piece := _PIECE.match(text, end):
        parts = {name: part for name, part in piece.groupdict().items() if part}
        if any(kind in parts and kind in said for kind in _KINDS):
            break
        said |= parts
        end = piece.end()
    return Moment(said, end) if _WHEN & said.keys() else None


def placed(moment: Moment, now: float) -> Instant | None:
    """Return the instant that is meant, seen from `now` (epoch seconds); None where there is no such moment."""
    zone, sure = _zone(moment["zone"])
    # A machine wrote the ISO form, wherever it stands; words are written for people, in the local time.
    zones = (None, UTC) if zone is None and moment["iso"] else (zone,)
    try:
        read = [instant for zone in zones if (instant := _in_zone(moment, zone, now))]
    except (ValueError, OverflowError, OSError):  # no such day or hour, or none that this machine can count
        return None
    latest = max(read, default=None)
    if latest is None:
        return None
    return Instant(latest.at, latest.approximate or not sure or not moment["time"])


def _in_zone(moment: Moment, zone: tzinfo | None, now: float) -> Instant | None:
    """Return the first of the days that may be meant which is not too long over; `zone` None is this machine's."""
    clock, today = _clock(moment), datetime.fromtimestamp(now, UTC).astimezone(zone).date()
    days, patience = _days(moment, today)
    instants = (_instant(datetime.combine(day, clock), zone) for day in days)
    return next((instant for instant in instants if instant.at > now - patience), None)


def _instant(wall: datetime, zone: tzinfo | None) -> Instant:
    """Place a time on the wall: one that exists twice at its second time, one that does not exist after the gap."""
    first, second = (wall.replace(tzinfo=zone, fold=fold).timestamp() for fold in (0, 1))
    return Instant(max(first, second), approximate=first != second)


def _clock(moment: Moment) -> time:
    if moment["named"]:
        return time(12 if moment["named"].lower() == "noon" else 0)
    hour, half = int(moment["hour"] or 0), (moment["half"] or moment["half_alone"]).lower()
    if half:
        if not 1 <= hour <= 12:
            raise ValueError(f"{hour} is no hour of a half day")
        hour = hour % 12 + (12 if half == "p" else 0)
    microsecond = int(moment["fraction"].ljust(6, "0")[:6])
    return time(hour, int(moment["minute"] or 0), int(moment["second"] or 0), microsecond)


def _days(moment: Moment, today: date) -> tuple[Iterator[date], float]:
    """Return the days that may be meant, in order, and how long ago (seconds) the moment may have been."""
    if moment["iso"]:
        return iter([date.fromisoformat(moment["iso"])]), float("inf")
    if moment["date"]:
        month = int(moment["month_number"] or 0) or _MONTHS.index(moment.month) + 1
        day = int(moment["day"] or moment["day_first"] or moment["day_number"])
        year = moment["year"] or moment["year_last"]
        if year:
            return iter([date(int(year), month, day)]), float("inf")
        return _yearly(month, day, today), HORIZON_SECONDS
    if moment["near"]:
        return iter([today + timedelta(days=moment["near"].lower() == "tomorrow")]), float("inf")
    week = (today + timedelta(days=ahead) for ahead in range(8))
    if moment["weekday"]:
        weekday = _WEEKDAYS.index(moment["weekday"][:3].lower())
        return (day for day in week if day.weekday() == weekday), _PATIENCE
    return week, _PATIENCE


def _yearly(month: int, day: int, today: date) -> Iterator[date]:
    for year in (today.year - 1, today.year, today.year + 1):
        try:
            yield date(year, month, day)
        except ValueError:  # 29 February in most years
            continue


def _zone(spelled: str) -> tuple[tzinfo | None, bool]:
    """Return the zone of that name, None where nobody knows it, and whether it is that one for certain."""
    name = spelled.lower()
    if name in _HOURS:
        return timezone(timedelta(hours=_HOURS[name])), name not in _OF_TWO_PLACES
    offset = re.fullmatch(r"(?:utc|gmt)?([+-])([0-9]{1,2}):?([0-9]{2})?", name)
    try:
        if offset is not None:
            ahead = timedelta(hours=int(offset[2]), minutes=int(offset[3] or 0))
            return timezone(ahead if offset[1] == "+" else -ahead), True
        return (ZoneInfo(_PLACES.get(name, spelled)), True) if name else (None, False)
    except (ValueError, KeyError, OSError):  # too large; an unknown name is a KeyError, a folder's name an OSError
        return None, False
