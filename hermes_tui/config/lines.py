"""On which line of a TOML text each value stands: what tomllib does not tell.

The text has been accepted by tomllib before, so this reads positions and checks nothing.
"""

import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import Final

from hermes_tui.config.problems import Where

_BLANK: Final = re.compile(r"(?:[ \t\n]+|#[^\n]*)*")
_SPACE: Final = re.compile(r"[ \t]*")
_KEY: Final = re.compile(r"""[ \t]*("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[A-Za-z0-9_-]+)[ \t]*""")
_SCALAR: Final = re.compile(
    r'"{3}(?:[^\\]|\\.)*?"{3,5}'
    r"|'{3}.*?'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'"
    r"|[^,\]}#\n]+",
    re.DOTALL,
)


class LineIndex:
    """Finds the line of a value by the way to it."""

    def __init__(self, lines: Mapping[Where, int]) -> None:
        self._lines = lines

    def __iter__(self) -> Iterator[Where]:
        return iter(self._lines)

    def __getitem__(self, where: Where) -> int:
        return self._lines[where]

    def line(self, where: Where) -> int | None:
        """Return the line (from 1) of `where`, or of the nearest table around it; None for the whole file."""
        for length in range(len(where), 0, -1):
            if where[:length] in self._lines:
                return self._lines[where[:length]]
        return None


def index_lines(text: str) -> LineIndex:
    """Return the lines of all tables, keys and list items of `text`, a valid TOML document."""
    return LineIndex(_Scan(text.replace("\r\n", "\n")).document())


class _Scan:
    """One walk over a text, from its start to its end."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._breaks = [match.start() for match in re.finditer("\n", text)]
        self._lines: dict[Where, int] = {}
        self._tables_in: dict[Where, int] = {}

    def document(self) -> dict[Where, int]:
        table: Where = ()
        while self._skip(_BLANK):
            if self._next("["):
                table = self._header()
            else:
                self._pair(table)
        return self._lines

    def _header(self) -> Where:
        line = self._line()
        brackets = 2 if self._text.startswith("[[", self._at) else 1
        self._at += brackets
        *outer, last = self._key()
        self._at += brackets
        where: Where = ()
        for part in outer:
            where = (*where, part)
            self._lines.setdefault(where, line)
            if where in self._tables_in:
                where = (*where, self._tables_in[where] - 1)
        where = (*where, last)
        if brackets == 2:
            self._lines.setdefault(where, line)
            count = self._tables_in.get(where, 0)
            self._tables_in[where] = count + 1
            where = (*where, count)
        self._lines[where] = line
        return where

    def _pair(self, table: Where) -> None:
        line = self._line()
        where = table
        for part in self._key():
            where = (*where, part)
            self._lines.setdefault(where, line)
        self._at += 1  # the equals sign
        self._skip(_SPACE)
        self._value(where)

    def _value(self, where: Where) -> None:
        if self._next("["):
            self._items(where)
        elif self._next("{"):
            self._at += 1
            while self._skip(_BLANK) and not self._next("}"):
                self._pair(where)
                self._comma()
            self._at += 1
        else:
            self._skip(_SCALAR)

    def _items(self, where: Where) -> None:
        self._at += 1
        position = 0
        while self._skip(_BLANK) and not self._next("]"):
            self._lines[(*where, position)] = self._line()
            self._value((*where, position))
            self._comma()
            position += 1
        self._at += 1

    def _comma(self) -> None:
        self._skip(_BLANK)
        if self._next(","):
            self._at += 1

    def _key(self) -> list[str]:
        parts = []
        while match := _KEY.match(self._text, self._at):
            self._at = match.end()
            part = match[1]
            parts.append(tomllib.loads(f"part = {part}")["part"] if part[0] in "\"'" else part)
            if not self._next("."):
                break
            self._at += 1
        return parts

    def _skip(self, pattern: re.Pattern[str]) -> bool:
        """Step over what matches here; tell whether anything is left."""
        if match := pattern.match(self._text, self._at):
            self._at = match.end()
        return self._at < len(self._text)

    def _next(self, mark: str) -> bool:
        return self._text.startswith(mark, self._at)

    def _line(self) -> int:
        return bisect_right(self._breaks, self._at) + 1
