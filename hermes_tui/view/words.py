"""Words for states and times: each state has a glyph, a word and a style, never a colour alone."""

from collections.abc import Iterable
from datetime import UTC, datetime
from enum import Enum
from functools import lru_cache
from typing import Final, NamedTuple

from hermes_tui.core.cooldown import HORIZON_SECONDS, Cooldown, Said
from hermes_tui.core.failure import ResetSource
from hermes_tui.core.verdict import CachedVerdict
from hermes_tui.view.cells import width
from hermes_tui.view.line import ARROW, TIMES, Part, Style

DAY_SECONDS: Final = 86400
LAST_SECONDS: Final = 10
"""From here on a countdown is bold."""

DURATION_CELLS: Final = 7
WALL_CELLS: Final = 10

STALE_MARK: Final = "!"
"""Stands after a verdict that no longer counts."""

_ALMOST_A_SECOND: Final = 0.999
"""What is left is rounded up, but not by the imprecision of a float."""


class Mark(NamedTuple):
    """How a state is shown."""

    glyph: str
    word: str
    style: Style

    @property
    def text(self) -> str:
        """The glyph in a cell of its own, then the word."""
        return f"{self.glyph} {self.word}"


class State(Enum):
    """The states of a credential or a route."""

    OK = Mark("✓", "OK", Style.OK)
    IN_USE = Mark("✓", "IN USE", Style.OK)
    COOLING = Mark("◐", "COOLING", Style.COOLING)
    ON_HOLD = Mark("◐", "ON HOLD", Style.COOLING)
    DUE = Mark("◐", "DUE", Style.COOLING)
    DEAD = Mark("✗", "DEAD", Style.DEAD)
    PROBING = Mark("◌", "PROBING", Style.PROBING)
    ON_TRIAL = Mark("↻", "ON TRIAL", Style.TRIAL)
    NOT_SET = Mark("·", "NOT SET", Style.UNSET)
    SKIPPED = Mark("·", "SKIPPED", Style.UNSET)

    def part(self, cells: int = 0) -> Part:
        """Return the state as a part of a line, padded to `cells`."""
        return Part(self.value.text.ljust(cells), self.value.style)


_ASCII: Final = str.maketrans(
    {
        "✓": "+",
        "✗": "x",
        "◐": "~",
        "◌": "?",
        "↻": "^",
        "·": ".",
        ARROW: ">",
        "│": "|",
        "»": ">",
        "…": ".",
        "↓": "v",
        "↑": "^",
        TIMES: "x",
        "▌": "_",
        "▕": "[",
        "▏": "]",
        "█": "#",
        "░": ".",
        **dict.fromkeys("▁▂▃▄▅▆▇", "#"),
        **dict.fromkeys("▔╸╺━", "-"),
        "▒": "=",
        "─": "-",
        "┼": "+",
        "\u2013": "-",
        "—": "-",
        "\u2019": "'",
    }
)


def to_ascii(text: str) -> str:
    """Return `text` in ASCII and of the same width: our glyphs by their twins, any other character as `?`."""
    if text.isascii():
        return text

    translated = text.translate(_ASCII)
    return "".join(letter if letter.isascii() else "?" * width(letter) for letter in translated)


def duration(seconds: float) -> str:
    """Return a length of time in at most seven cells: `2d 14h`, `3h 07m`, `12:41`, `0:41`."""
    whole = max(0, int(seconds))
    if whole >= DAY_SECONDS:
        return f"{whole // DAY_SECONDS}d {whole % DAY_SECONDS // 3600:02}h"
    if whole >= 3600:
        return f"{whole // 3600}h {whole % 3600 // 60:02}m"
    return f"{whole // 60}:{whole % 60:02}"


def countdown(until: float | None, now: float, *, rough: bool = False) -> str:
    """Return what is left until `until`: `due` once it has passed, `-` where there is no such time.

    A rough one counts minutes, and seconds in the last minute alone: `18m`, `0:41`.
    """
    if until is None:
        return "-"
    if until <= now:
        return "due"
    left = until - now + _ALMOST_A_SECOND
    return _minutes(left) if rough else duration(left)


def _minutes(seconds: float) -> str:
    return f"{int(seconds) // 60}m" if 60 <= seconds < 3600 else duration(seconds)


def countdown_style(until: float | None, now: float) -> Style:
    """Return strong in the last ten seconds, else plain."""
    return Style.STRONG if until is not None and 0 < until - now < LAST_SECONDS else Style.PLAIN


def reads_until(dates: Iterable[float | None], now: float, *, rough: bool = False) -> float:
    """Return until when texts that count to or from `dates` read as they do at `now`: to the full minute at most."""
    return now + min(
        (60.0 - now % 60, *(_same_for(date, now, 60 if rough else 3600) for date in dates if date is not None))
    )


def _same_for(date: float, now: float, minutes_from: float) -> float:
    """Return for how many seconds what is left to `date`, or its age, reads the same; seconds below `minutes_from`."""
    left = max(date - now + _ALMOST_A_SECOND, 0.0)
    far = left or now - date
    step = 3600.0 if far >= DAY_SECONDS else 60.0 if far >= minutes_from else 1.0
    return left % step if left else step - far % step


def local(at: float) -> datetime:
    """Return epoch seconds in this machine's time zone."""
    return datetime.fromtimestamp(at, UTC).astimezone()


def clock(at: float) -> str:
    """Return the time of day: `14:07:22`."""
    return f"{local(at):%H:%M:%S}"


def wall(at: float | None, now: float, *, assumed: bool = False) -> str:
    """Return a moment as a person says it: `14:20:03` today, `Wed 09:12` within a week, else `12 Oct`.

    `~` stands before a moment that was assumed here; `-` is no moment.
    """
    return "-" if at is None else _wall(at, now // 60 * 60, assumed)


@lru_cache(maxsize=4096)
def _wall(at: float, now: float, assumed: bool) -> str:
    """Return the words of `wall`; `now` is a full minute, so that a minute's ticks share them."""
    moment, today = local(at), local(now)
    if moment.date() == today.date():
        text = f"{moment:%H:%M:%S}"
    elif abs(at - now) < 7 * DAY_SECONDS:
        text = f"{moment:%a %H:%M}"
    else:
        text = f"{moment.day} {moment:%b}"
    return f"~{text}" if assumed else text


SAID_IN: Final = {
    ResetSource.BODY_DATE: "a date in the provider's answer",
    ResetSource.BODY_WAIT: "a wait in the provider's answer",
    ResetSource.QUOTA_HEADERS: "the provider's quota headers",
    ResetSource.RETRY_AFTER: "the provider's Retry-After",
    ResetSource.SENTENCE: "a sentence of the provider",
    ResetSource.DOCUMENTED: "the provider's documentation",
    None: "the provider",
}
"""Where the end of a limit is said; None: an earlier version kept no more than who said it."""


def date_source(bench: Cooldown) -> str:
    """Return where a cooldown's end comes from, and why it is shown with `~`: `the provider's Retry-After`."""
    if bench.source is Said.ASSUMED:
        return "assumed here"
    if not bench.approximate:
        return SAID_IN[bench.said_in]
    far = bench.until - bench.since >= HORIZON_SECONDS
    return f"{SAID_IN[bench.said_in]}, {'farther ahead than is kept' if far else 'not exact'}"


def verdict_words(verdict: CachedVerdict, now: float, *, contradicted: bool, rough: bool = False) -> str:
    """Return a verdict with how long it still counts, or with its age and `!` once it does not: `quota 3:16 ✗`.

    A rough age counts minutes; what still counts is told to the second.
    """
    if verdict.fresh(now):
        left = countdown(verdict.expires_at, now)
        return f"{verdict.verdict.words} {left}" + (" ✗" if contradicted else "")
    age = now - verdict.asked_at
    return f"{verdict.verdict.words} {_minutes(age) if rough else duration(age)}{STALE_MARK}"


def count(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun: `1 turn`, `2 turns`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def newest(read: int, left_out: int) -> str:
    """Return how many sessions are read of all that there are: `newest 200 of 1,400`."""
    return f"newest {read:,} of {read + left_out:,}"


def sentence(text: str, name: str = "") -> str:
    """Return `text` with a full stop, and a capital first letter unless it begins with `name`."""
    text = text.strip()
    if not text:
        return text
    head = text if name and text.startswith(name) else text[0].upper() + text[1:]
    return head if head[-1] in ".?!:" else f"{head}."
