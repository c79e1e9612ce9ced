"""Lines: text in parts, each with the name of a style and, where it can be pressed, an action."""

import sys
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final, NamedTuple

from hermes_tui.view.cells import cut, width, wrap


class Style(StrEnum):
    """What a part of a line means; the screen's style sheet says how that looks."""

    PLAIN = "plain"
    OK = "ok"
    COOLING = "cooling"
    DEAD = "dead"
    PROBING = "probing"
    TRIAL = "trial"
    UNSET = "unset"
    MUTED = "muted"
    STRONG = "strong"
    KEY = "key"
    COLUMN = "column"
    ALERT = "alert"
    YOU = "you"
    HEADING = "heading"
    EMPHASIS = "emphasis"
    LINK = "link"
    CODE = "code"
    KEYWORD = "keyword"
    STRING = "string"
    COMMENT = "comment"
    MATCH = "match"
    MATCH_HERE = "match-here"

    __hash__ = str.__hash__
    """Every part that is drawn is looked up by its style; an enumeration's own hash is a call of Python."""


class Part(NamedTuple):
    """A piece of a line; `act` is the identity of the action that pressing it starts, `fresh` tells that it is news."""

    text: str
    style: Style = Style.PLAIN
    act: str = ""
    fresh: bool = False


Line = tuple[Part, ...]

Dates = tuple[float | None, ...]
"""Times in epoch seconds, None for what has none."""


class Row:
    """A line of a list; `key` is what it is about, None where the cursor has nothing to stand on.

    The line may be given as a function: it is made when the row is first looked at, so that rows out of sight cost
    nothing. `dates` returns the times to or from which it counts, a `rough` one in minutes before the last. Two rows
    with the same key that are `made_of` the same values, and of some, read the same until one of those times says
    otherwise.
    """

    __slots__ = ("_line", "dates", "key", "made_of", "rough", "until")

    def __init__(
        self,
        line: Line | Callable[[], Line],
        key: Hashable = None,
        dates: Callable[[], Dates] = tuple,
        made_of: tuple[object, ...] = (),
        *,
        rough: bool = False,
    ) -> None:
        self._line = line
        self.key = key
        self.dates = dates
        self.made_of = made_of
        self.rough = rough
        self.until = 0.0
        """Until when it reads the same, as far as somebody has asked (`rows.row_reads_until`)."""

    @property
    def is_made(self) -> bool:
        """Whether somebody has looked at it."""
        return not callable(self._line)

    @property
    def line(self) -> Line:
        """The line itself."""
        if callable(self._line):
            self._line = self._line()
        return self._line


@dataclass(frozen=True, slots=True)
class Body:
    """What a panel shows: fixed lines above, rows that scroll, fixed lines below, its title and its subtitle.

    `dates` are the times to or from which it counts, without those of its rows; None where it may read differently at
    any second.
    """

    rows: tuple[Row, ...]
    title: str
    subtitle: str = ""
    head: tuple[Line, ...] = ()
    foot: tuple[Line, ...] = ()
    dates: Dates | None = None


EMPTY: Final[Line] = ()

ARROW: Final = "\u203a"
"""The mark of the cursor, of what is in use, and of a way from one route to the next."""

TIMES: Final = "\u00d7"
"""Stands before how often something happened."""


def line(text: str, style: Style = Style.PLAIN) -> Line:
    """Return a line of one part."""
    return (Part(text, style),)


def text_of(parts: Line) -> str:
    """Return a line as plain text, without the blanks at its end."""
    return "".join(part.text for part in parts).rstrip()


def cut_line(parts: Line, cells: int) -> Line:
    """Return the line in at most `cells` cells."""
    left = cells
    kept: list[Part] = []
    for part in parts:
        taken = width(part.text)
        if taken > left:
            kept.append(part._replace(text=cut(part.text, left)))
            break
        kept.append(part)
        left -= taken
    return tuple(kept)


@lru_cache(maxsize=1024)
def filled(parts: Line, cells: int) -> Line:
    """Return the line with what its first part starts up to its end, so that a click anywhere on it starts that."""
    return (*parts, Part(" " * max(cells - line_width(parts), 0), act=parts[0].act))


def wrapped(text: str, cells: int, style: Style = Style.PLAIN, indent: int = 0) -> tuple[Line, ...]:
    """Return `text` as lines of at most `cells` cells; all but the first are indented by `indent`."""
    first, *rest = wrap(text, cells) or [""]
    if rest and indent:
        whole = " ".join(wrap(text, sys.maxsize))
        rest = wrap(whole[len(first) :].strip(), cells - indent)
    return (line(first, style), *(line(" " * indent + piece, style) for piece in rest))


def behind(mark: Part, text: str, cells: int, style: Style = Style.PLAIN) -> Iterator[Line]:
    """Yield `text` behind a mark in lines of at most `cells` cells; all but the first stand below its begin."""
    room = width(mark.text)
    for number, parts in enumerate(wrapped(text, max(cells - room, 1), style)):
        yield (Part(" " * room) if number else mark, *parts)


def side_by_side(pieces: Iterable[Line], cells: int) -> list[Line]:
    """Return the pieces beside each other, on as many lines of at most `cells` cells as they need."""
    lines: list[Line] = []
    for piece in pieces:
        beside = (*lines[-1], Part("  "), *piece) if lines else piece
        if lines and line_width(beside) <= cells:
            lines[-1] = beside
        else:
            lines.append(piece)
    return lines


def joined(pieces: Iterable[Line], separator: str) -> Line:
    """Return the pieces as one line, with a muted separator between them."""
    parts: list[Part] = []
    for piece in pieces:
        if parts:
            parts.append(Part(separator, Style.MUTED))
        parts += piece
    return tuple(parts)


def line_width(parts: Line) -> int:
    """Return the cells that a line takes."""
    return sum(width(part.text) for part in parts)
