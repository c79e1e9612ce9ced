"""Markdown in segments: pieces that are laid out one by one, so that a long reply costs what is in sight.

A segment is a paragraph, an item of a list, a heading, a table, or some lines of a fenced block of code. Where one ends
is decided by whole lines alone: a reply that grows settles its segments from the top, and only the last one changes.
None is longer than a few thousand characters, whatever the text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import Final, NamedTuple

MOST_CHARACTERS: Final = 4000
"""A longer segment, or a longer line, is cut."""

CODE_LINES: Final = (16, 32)
"""After so many lines code is cut where a new paragraph of it begins, after so many anywhere."""

_FENCE: Final = re.compile(r"( {0,3})(`{3,}+|~{3,}+)([^`]*)$")
_HEADING: Final = re.compile(r"#{1,6}([ \t]|$)")
_BULLET: Final = re.compile(r"[-+*][ \t]+\S")
_NUMBER: Final = re.compile(r"(\d{1,9})[.)][ \t]+\S")
_ITEM: Final = re.compile(r" {0,3}(?:[-+*]|\d{1,9}[.)])[ \t]")
_DELIMITER: Final = re.compile(r"\|?:?-+:?(\|:?-+:?)*\|?$")
_UNDECIDED: Final = re.compile(r"[ \t]*(?:[#>*_+=~`-]{1,6}|\d{1,9}[.)]?)[ \t]*$|[ \t]*(?:`{2,}+|~{2,}+)[^`]*$")
"""The start of a line that may still become one thing or another."""


class Kind(StrEnum):
    """How a segment is laid out. Typed text is shown as it stands."""

    PROSE = "prose"
    CODE = "code"
    TABLE = "table"
    TYPED = "typed"


class Segment(NamedTuple):
    """A piece of a text; `gap` where a blank line stands before it.

    `about` is what stands beside the fence of code (its language first), or the head of a table. `first` is False for
    what goes on with a block that was cut, `margin` how far a cut block stands to the right.
    """

    kind: Kind
    source: str
    gap: bool = False
    about: str = ""
    first: bool = True
    margin: int = 0


class Piece(NamedTuple):
    """A segment and its place in the text; `block` counts the fenced blocks, from 0."""

    segment: Segment
    start: int
    end: int
    block: int = -1


class _Fence(NamedTuple):
    indent: int
    sign: str
    about: str
    block: int
    first: bool = True


@dataclass(slots=True)
class _Open:
    """The segment that is not settled yet, and what has to be known to go on."""

    start: int = 0
    lines: list[str] = field(default_factory=list)
    size: int = 0
    gap: bool = False
    blank: bool = False
    listing: bool = False
    first: bool = True
    margin: int = 0
    table: str | None = None
    fence: _Fence | None = None
    blocks: int = 0

    def copy(self) -> "_Open":
        """Return the same, to go on from without changing this one."""
        return _Open(**{name: getattr(self, name) for name in self.__slots__} | {"lines": list(self.lines)})

    def pieces(self, end: int) -> list[Piece]:
        """Return what is open as it would be if the text ended at `end`."""
        if self.fence is not None:
            fence = self.fence
            code = Segment(Kind.CODE, "\n".join(self.lines), self.gap, fence.about, fence.first)
            return [Piece(code, self.start, end, fence.block)] if self.lines or fence.first else []
        source = "\n".join(self.lines).rstrip()
        if not source:
            return []
        kind, about = (Kind.PROSE, "") if self.table is None else (Kind.TABLE, self.table)
        return [Piece(Segment(kind, source, self.gap, about, self.first, self.margin), self.start, end)]

    def begin(self, at: int, *, gap: bool = False) -> None:
        """Begin a segment at `at`."""
        self.start, self.lines, self.size, self.gap, self.blank = at, [], 0, gap, False
        self.listing, self.first, self.margin, self.table = False, True, 0, None

    def add(self, line: str) -> None:
        """Put a line to the segment."""
        self.lines.append(line[self.margin :] if not line[: self.margin].strip() else line.lstrip())
        self.size += len(line) + 1
        self.blank = not line.strip()

    def take(self, line: str, at: int, end: int) -> list[Piece]:
        """Go on with the line from `at` to `end`, and return what it settles."""
        return self._take_code(self.fence, line, at, end) if self.fence is not None else self._take_prose(line, at)

    def _take_code(self, fence: _Fence, line: str, at: int, end: int) -> list[Piece]:
        bare = line.strip()
        if bare and bare[0] == fence.sign[0] and bare == bare[0] * len(bare) and len(bare) >= len(fence.sign):
            done = self.pieces(max(at - 1, self.start))
            self.fence = None
            self.begin(end)
            return done
        least, most = CODE_LINES
        pause = len(self.lines) >= least and not self.lines[-1].strip() and line[:1].strip()
        done = []
        if self.lines and (pause or len(self.lines) >= most or self.size + len(line) > MOST_CHARACTERS):
            done = self.pieces(at)
            self.begin(at)
            self.fence = fence._replace(first=False)
        self.add(line[fence.indent :] if not line[: fence.indent].strip() else line)
        return done

    def _take_prose(self, line: str, at: int) -> list[Piece]:
        if not line.strip():
            if self.lines and self.table is None:
                self.add("")
                return []
            done = self.pieces(at)
            self.begin(at, gap=True)
            return done
        fence = _FENCE.match(line)
        if fence and (not fence[1] or not self.listing):
            return self._open_fence(fence, at + len(line) + 1, at)
        done = []
        if self.table is not None and "|" not in line:
            done = self.pieces(at)
            self.begin(at)
        elif self.lines and self._begins(line):
            done = self.pieces(at)
            self.begin(at, gap=self.blank)
        elif self.lines and self.size + len(line) > MOST_CHARACTERS:
            done = self.pieces(at)
            self._go_on(line, at)
        elif not self.lines:
            self.begin(at, gap=self.gap)
        elif self._makes_a_table(line):
            return self._open_table(line)
        self.listing = self.listing or _ITEM.match(line) is not None
        self.add(line)
        return done

    def _go_on(self, line: str, at: int) -> None:
        """Cut a long segment: what follows goes on where it stood."""
        table = self.table or ("\n".join(self.lines[:2]) if self.table is not None else None)
        listing, gap = self.listing, self.blank
        self.begin(at, gap=gap)
        self.listing, self.first, self.table = listing, False, table
        self.margin = len(line) - len(line.lstrip(" ")) if table is None else 0

    def _begins(self, line: str) -> bool:
        """Tell whether a line begins another segment whatever follows."""
        if line[0] in " \t" or self.table is not None:
            return False
        if self.blank or _HEADING.match(line) or _HEADING.match(self.lines[0]) or _BULLET.match(line):
            return True
        number = _NUMBER.match(line)
        return number is not None and (self.listing or int(number[1]) == 1)

    def _makes_a_table(self, line: str) -> bool:
        head = self.lines[-1]
        shaped = not self.listing and self.table is None and "|" in head and _DELIMITER.match("".join(line.split()))
        return bool(shaped) and len(row_cells(head)) == len(row_cells(line))

    def _open_table(self, line: str) -> list[Piece]:
        head = self.lines.pop()
        at = self.start + sum(len(one) + 1 for one in self.lines)
        done, gap = self.pieces(at), self.gap and not self.lines
        self.begin(at, gap=gap)
        self.table = ""
        self.add(head)
        self.add(line)
        return done

    def _open_fence(self, fence: re.Match[str], inside: int, at: int) -> list[Piece]:
        done, gap = self.pieces(at), self.gap if not self.lines else self.blank
        self.begin(inside, gap=gap)
        self.fence = _Fence(len(fence[1]), fence[2], fence[3].strip(), self.blocks)
        self.blocks += 1
        return done


def row_cells(row: str) -> list[str]:
    """Return the cells of a row of a table, with what stands in them as Markdown."""
    inner = row.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", inner)]


class Growing:
    """A Markdown text that grows at its end: settled pieces stay the same objects, the rest is read anew."""

    def __init__(self) -> None:
        self._text = ""
        self._settled: list[Piece] = []
        self._at = 0
        self._open = _Open()
        self.pieces: tuple[Piece, ...] = ()
        """The text in pieces, the last of them as far as they are known."""

    def grow(self, text: str, *, finished: bool = False) -> None:
        """Go on with `text`; where it is not what was there with more at its end, begin anew.

        Of an unfinished text the last line is not shown while it may become one thing or another.
        """
        if not text.startswith(self._text[: self._at]):
            self._settled, self._at, self._open = [], 0, _Open()
        self._text = text
        while (line := _line_at(text, self._at)) is not None:
            body, end = line
            self._settled += self._open.take(body, self._at, end)
            self._at = end
        self.pieces = (*self._settled, *self._rest(finished=finished))

    def _rest(self, *, finished: bool) -> list[Piece]:
        rest, end, ahead = self._text[self._at :], len(self._text), self._open.copy()
        if not finished:
            if _UNDECIDED.match(rest):
                rest = ""
            elif ahead.fence is None and (table := _half_a_table(ahead, rest)):
                return [*ahead.pieces(end), Piece(Segment(Kind.TABLE, table, not ahead.lines and ahead.gap), end, end)]
        taken = ahead.take(rest, self._at, end) if rest else []
        shown = [*taken, *ahead.pieces(end)]
        if finished or not shown or shown[-1].segment.kind is not Kind.PROSE:
            return shown
        last = shown[-1]
        return [*shown[:-1], last._replace(segment=last.segment._replace(source=_closed(last.segment.source)))]


def _line_at(text: str, at: int) -> tuple[str, int] | None:
    """Return the whole line at `at` and where the next one begins, None where it has no end yet."""
    end = text.find("\n", at, at + MOST_CHARACTERS + 1)
    if end >= 0:
        return text[at:end], end + 1
    if len(text) - at > MOST_CHARACTERS:
        return text[at : at + MOST_CHARACTERS], at + MOST_CHARACTERS
    return None


def _half_a_table(ahead: _Open, rest: str) -> str:
    """Return the head of a table whose second line is not there yet, and take it from what is open."""
    if ahead.table is not None or ahead.listing:
        return ""
    if rest.startswith("|") and not (ahead.lines and ahead.lines[-1].startswith("|")):
        return rest
    if ahead.lines and ahead.lines[-1].startswith("|") and not rest.strip("|:- \t"):
        return ahead.lines.pop()
    return ""


def _closed(source: str) -> str:
    """Return unfinished prose with its last code and emphasis closed, as they will be."""
    for sign in ("`", "**"):
        if source.count(sign) % 2:
            source = source.rstrip(sign[0])
            source += sign * (source.count(sign) % 2)
    return source


@lru_cache(maxsize=64)
def pieces_of(text: str) -> tuple[Piece, ...]:
    """Return a whole Markdown text in pieces."""
    growing = Growing()
    growing.grow(text, finished=True)
    return growing.pieces


@lru_cache(maxsize=64)
def typed_pieces(text: str) -> tuple[Piece, ...]:
    """Return a text that is shown as it stands in pieces."""
    return tuple(_typed(text))


def _typed(text: str) -> Iterator[Piece]:
    at = 0
    while at < len(text):
        end = min(at + MOST_CHARACTERS, len(text))
        cut = text.rfind("\n", at, end) + 1 if end < len(text) else end
        end = cut if cut > at else end
        yield Piece(Segment(Kind.TYPED, text[at:end].removesuffix("\n"), first=at == 0), at, end)
        at = end
