"""Where everything in a TOML text stands: what tomllib does not tell.

The text has been accepted by tomllib before, so this reads positions and checks nothing.
"""

import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final, NamedTuple

from hermes_tui.config.problems import Where

_BLANK: Final = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_COMMENT: Final = re.compile(r"#[^\r\n]*")
_SPACE: Final = re.compile(r"[ \t]*")
_KEY: Final = re.compile(r"""[ \t]*("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[A-Za-z0-9_-]+)[ \t]*""")
_SCALAR: Final = re.compile(
    r'"{3}(?:[^\\]|\\.)*?"{3,5}'
    r"|'{3}.*?'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'"
    r"|[^,\]}#\s](?:[^,\]}#\r\n]*[^,\]}#\s])?",
    re.DOTALL,
)


class Span(NamedTuple):
    """A piece of a text: its first character, and the one behind its last."""

    start: int
    end: int


class Header(NamedTuple):
    """A `[table]` or `[[table]]`: the way to what it begins, and where its brackets stand."""

    where: Where
    span: Span


class LineIndex:
    """Finds the line of a value by the way to it, and knows where tables, values and comments stand in the text.

    `headers`, `pairs` (each `key = value` of a table, inline ones apart) and `comments` are in the text's order.
    `values` has every value but tables with a header of their own.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.headers: list[Header] = []
        self.pairs: list[Span] = []
        self.comments: list[Span] = []
        self.values: dict[Where, Span] = {}
        self._starts: dict[Where, int] = {}
        self._breaks = [match.start() for match in re.finditer("\n", text)]
        _Scan(self, self._starts).document()

    def __iter__(self) -> Iterator[Where]:
        return iter(self._starts)

    def __getitem__(self, where: Where) -> int:
        return self.line_at(self._starts[where])

    def line(self, where: Where) -> int | None:
        """Return the line (from 1) of `where`, or of the nearest table around it; None for the whole file."""
        for length in range(len(where), 0, -1):
            if where[:length] in self._starts:
                return self[where[:length]]
        return None

    def line_at(self, offset: int) -> int:
        """Return the line (from 1) of a character."""
        return bisect_right(self._breaks, offset - 1) + 1

    def line_start(self, offset: int) -> int:
        """Return where the line of a character begins."""
        return self.text.rfind("\n", 0, offset) + 1

    def line_end(self, offset: int) -> int:
        """Return where the line of a character ends: behind its line end, or at the end of the text."""
        return self.text.find("\n", offset) + 1 or len(self.text)

    def at(self, line: int, column: int) -> Where:
        """Return the way to the key at a place (line from 1, column from 0), or to the table that the line is in."""
        start = self._breaks[line - 2] + 1 if line > 1 else 0
        offset, end = start + column, self.line_end(start)
        here = [(begin, len(where), where) for where, begin in self._starts.items() if start <= begin < end]
        named = [one for one in here if isinstance(one[2][-1], str)] or here
        before = [one for one in named if one[0] <= offset]
        if before or named:
            return max(before)[2] if before else min(named)[2]
        within = [(span.start, where) for where, span in self.values.items() if span.start <= start < span.end]
        if within:
            return max(within)[1]
        return next((header.where for header in reversed(self.headers) if header.span.start < start), ())

    @property
    def line_break(self) -> str:
        """How the lines of the text end."""
        return "\r\n" if "\r\n" in self.text else "\n"

    def is_blank(self, offset: int) -> bool:
        """Tell whether nothing but white space follows a character on its line."""
        return not self.text[offset : self.line_end(offset)].strip()


def spliced(text: str, *edits: tuple[Span, str]) -> str:
    """Return `text` with other words in the place of each span; the spans are in order and do not overlap."""
    parts, done = [], 0
    for span, words in edits:
        parts += [text[done : span.start], words]
        done = span.end
    return "".join((*parts, text[done:]))


def index_lines(text: str) -> LineIndex:
    """Return the places of all tables, keys and list items of `text`, a valid TOML document."""
    return LineIndex(text)


class _Scan:
    """One walk over a text, from its start to its end, that fills an index."""

    def __init__(self, index: LineIndex, starts: dict[Where, int]) -> None:
        self._index = index
        self._text = index.text
        self._at = 0
        self._starts = starts
        self._tables_in: dict[Where, int] = {}

    def document(self) -> None:
        table: Where = ()
        while self._blank():
            if self._next("["):
                table = self._header()
            else:
                start = self._at
                self._pair(table)
                self._index.pairs.append(Span(start, self._at))

    def _header(self) -> Where:
        start = self._at
        brackets = 2 if self._text.startswith("[[", self._at) else 1
        self._at += brackets
        *outer, last = self._key()
        self._at += brackets
        where: Where = ()
        for part in outer:
            where = (*where, part)
            self._starts.setdefault(where, start)
            if where in self._tables_in:
                where = (*where, self._tables_in[where] - 1)
        where = (*where, last)
        if brackets == 2:
            self._starts.setdefault(where, start)
            count = self._tables_in.get(where, 0)
            self._tables_in[where] = count + 1
            where = (*where, count)
        self._starts[where] = start
        self._index.headers.append(Header(where, Span(start, self._at)))
        return where

    def _pair(self, table: Where) -> None:
        start = self._at
        where = table
        for part in self._key():
            where = (*where, part)
            self._starts.setdefault(where, start)
        self._at += 1  # the equals sign
        self._skip(_SPACE)
        self._value(where)

    def _value(self, where: Where) -> None:
        start = self._at
        if self._next("["):
            self._items(where)
        elif self._next("{"):
            self._at += 1
            while self._blank() and not self._next("}"):
                self._pair(where)
                self._comma()
            self._at += 1
        else:
            self._skip(_SCALAR)
        self._index.values[where] = Span(start, self._at)

    def _items(self, where: Where) -> None:
        self._at += 1
        position = 0
        while self._blank() and not self._next("]"):
            self._starts[(*where, position)] = self._at
            self._value((*where, position))
            self._comma()
            position += 1
        self._at += 1

    def _comma(self) -> None:
        self._blank()
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

    def _blank(self) -> bool:
        """Step over white space and comments; tell whether anything is left."""
        start = self._at
        self._skip(_BLANK)
        if self._text.find("#", start, self._at) >= 0:
            found = _COMMENT.finditer(self._text, start, self._at)
            self._index.comments.extend(Span(*match.span()) for match in found)
        return self._at < len(self._text)

    def _skip(self, pattern: re.Pattern[str]) -> None:
        if match := pattern.match(self._text, self._at):
            self._at = match.end()

    def _next(self, mark: str) -> bool:
        return self._text.startswith(mark, self._at)
