"""Finding words in a conversation: counted in what was said, highlighted where it is shown."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from hermes_tui.view.code import EDGE
from hermes_tui.view.line import Line, Part, Style
from hermes_tui.view.sight import Spot

_MARKERS: Final = str.maketrans("", "", "*_`~")
_BLANK: Final = re.compile(r"\s+")


@lru_cache(maxsize=512)
def sought_text(text: str) -> str:
    """Return `text` as it is compared: case folded, white space in one, without the signs of Markdown."""
    return _BLANK.sub(" ", text.translate(_MARKERS)).casefold()


def occurrences(text: str, sought: str) -> int:
    """Return how often `sought` occurs in `text`; both as `sought_text` returns them."""
    return sought_text(text).count(sought)


class Match(NamedTuple):
    """One place where the text was found: the part that it is in, and which one of those there, from 0."""

    spot: Spot
    order: int


class Span(NamedTuple):
    """A stretch of a line that belongs to a match: characters `start` to `end` of the line's text."""

    order: int
    line: int
    start: int
    end: int


def spans(lines: Sequence[Line], sought: str) -> Iterator[Span]:
    """Yield where `sought` stands in the lines of a part; a match may go on in the next line."""
    letters: list[str] = []
    places: list[tuple[int, int]] = []
    for line, at, letter in _letters(lines):
        if letter.isspace():
            if letters and letters[-1] == " ":
                continue
            letter = " "  # noqa: PLW2901 - white space is one blank
        for folded in letter.casefold():
            letters.append(folded)
            places.append((line, at))
    text = "".join(letters)
    begin, order = text.find(sought), 0
    while begin >= 0:
        end = begin + len(sought)
        yield from _by_line(order, places[begin:end])
        begin, order = text.find(sought, end), order + 1


def _letters(lines: Sequence[Line]) -> Iterator[tuple[int, int, str]]:
    """Yield every letter that was said, with its line and its place there, and a blank between lines."""
    for number, line in enumerate(lines):
        at = 0
        for part in line:
            if part != EDGE:
                yield from (
                    (number, at + index, letter) for index, letter in enumerate(part.text) if letter not in "*_`~"
                )
            at += len(part.text)
        yield number, at, "\n"


def _by_line(order: int, places: Sequence[tuple[int, int]]) -> Iterator[Span]:
    for line in sorted({line for line, _ in places}):
        ats = [at for one, at in places if one == line]
        yield Span(order, line, ats[0], ats[-1] + 1)


def highlighted(line: Line, found: Iterable[tuple[int, int, Style]]) -> Line:
    """Return a line with the stretches `found` (start, end, style) in their styles."""
    for start, end, style in found:
        line = tuple(_styled(line, start, end, style))
    return line


def _styled(line: Line, start: int, end: int, style: Style) -> Iterator[Part]:
    at = 0
    for part in line:
        low, high = min(max(start - at, 0), len(part.text)), min(max(end - at, 0), len(part.text))
        pieces = ((part.text[:low], part.style), (part.text[low:high], style), (part.text[high:], part.style))
        yield from (Part(text, how, part.act) for text, how in pieces if text)
        at += len(part.text)
