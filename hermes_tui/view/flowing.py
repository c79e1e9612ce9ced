"""Styled text in lines: words wrap by cells, and what is longer than a line is broken inside."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from hermes_tui.view.cells import even, head, width
from hermes_tui.view.line import Line, Part, Style

_TOKENS: Final = re.compile(r"\n|[^\S\n]+|\S+")


def flowed(parts: Iterable[Part], cells: int) -> list[Line]:
    """Return `parts` in lines of at most `cells` cells, broken between words where that is possible.

    A newline in a part ends a line. Words in a script without blanks are broken anywhere. A character wider than
    `cells` has a line for itself.
    """
    flow = _Flow(max(cells, 1))
    for part in parts:
        for token in _TOKENS.findall(even(part.text)):
            flow.take(token, part)
    return flow.end()


class _Flow:
    def __init__(self, cells: int) -> None:
        self._cells = cells
        self._lines: list[Line] = []
        self._line: list[Part] = []
        self._used = 0
        self._blank: list[Part] = []
        self._word: list[Part] = []

    def take(self, text: str, part: Part) -> None:
        """Go on with a newline, white space, or a piece of a word, in the style of `part`."""
        if text == "\n":
            self._end_word()
            self._end_line()
        elif text.isspace():
            self._end_word()
            self._blank.append(part._replace(text=" " * len(text.expandtabs(4))))
        else:
            self._word.append(part._replace(text=text))

    def end(self) -> list[Line]:
        """Return the lines."""
        self._end_word()
        if self._line or not self._lines:
            self._end_line()
        return self._lines

    def _end_line(self) -> None:
        self._lines.append(_joined(self._line))
        self._line, self._used, self._blank = [], 0, []

    def _end_word(self) -> None:
        if not self._word:
            return
        word, self._word = self._word, []
        taken, blank = _width(word), _width(self._blank)
        if self._used + blank + taken <= self._cells:
            self._put([*self._blank, *word], blank + taken)
            return
        flexible = not all(part.text.isascii() for part in word) and self._used + blank + 1 < self._cells
        if self._line and not flexible:
            self._end_line()
        elif self._line or blank < self._cells:
            self._put(self._blank, blank)
        self._blank = []
        for part in word:
            self._break(part)

    def _put(self, parts: Iterable[Part], cells: int) -> None:
        self._line += parts
        self._used += cells
        self._blank = []

    def _break(self, part: Part) -> None:
        rest = part.text
        while (needed := width(rest)) > self._cells - self._used:
            fits = _head(rest, self._cells - self._used)
            if not fits and self._used == 0:
                fits = rest[0]
            if fits:
                self._put([part._replace(text=fits)], width(fits))
            self._end_line()
            rest = rest[len(fits) :]
        if rest:
            self._put([part._replace(text=rest)], needed)


def _head(text: str, cells: int) -> str:
    """Return the start of `text` that fits; only as much of it is looked at as may fit."""
    return head(text[: 4 * cells + 4], cells)


def _width(parts: Iterable[Part]) -> int:
    return sum(width(part.text) for part in parts)


def _joined(parts: list[Part]) -> Line:
    """Return the parts with neighbours of one style in one."""
    joined: list[Part] = []
    for part in parts:
        if joined and joined[-1].style is part.style and joined[-1].act == part.act:
            joined[-1] = joined[-1]._replace(text=joined[-1].text + part.text)
        else:
            joined.append(part)
    return tuple(joined)


def broken(parts: Iterable[Part], cells: int, mark: str) -> Iterator[Line]:
    """Yield a line of code in lines of at most `cells` cells, broken anywhere; all but the first begin with `mark`."""
    line: list[Part] = []
    used = 0
    for part in parts:
        rest = even(part.text)
        while (needed := width(rest)) > cells - used:
            fits = _head(rest, cells - used) or (rest[0] if used <= width(mark) else "")
            line.append(part._replace(text=fits))
            yield tuple(line)
            rest = rest[len(fits) :]
            line, used = [Part(mark, Style.MUTED)], width(mark)
        line.append(part._replace(text=rest))
        used += needed
    yield tuple(line)
