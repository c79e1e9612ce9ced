"""Where the entries of a chain stand in a TOML text, each with the comments that belong to it.

An entry's own comments are the lines directly above it (no blank line between), those within its table, the one
behind it, and those directly below its last line, unless they stand directly above what follows. Every other comment
stays where it is, whatever happens to the entry: one above the first entry with a blank line between heads the chain.
"""

import re
from dataclasses import dataclass
from typing import Final

from hermes_tui.config.lines import LineIndex, Span
from hermes_tui.config.problems import Where

CHAIN: Final = "fallback_providers"
LEGACY: Final = "fallback_model"

_BEHIND: Final = re.compile(r"(?:[ \t]*,)?(?P<tail>(?:[ \t]*#[^\r\n]*)?)[ \t]*(?:\r?\n|\Z)")


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of one entry: the comment lines above it, its table or item, and the comments behind or below.

    `alone` tells that nothing else stands on its lines, so that comments can stand with it.
    """

    lead: Span
    body: Span
    tail: Span
    alone: bool = True


@dataclass(frozen=True, slots=True)
class Chain:
    """How a text writes a chain: its entries' slots, in their order, the legacy single one (which comes last) apart.

    `array` is where the brackets of an inline list stand, `home` the offset at which a chain's first table goes, None
    where it could not be one.
    """

    index: LineIndex
    where: Where
    slots: tuple[Slot, ...]
    array: Span | None
    legacy: Slot | None
    home: int | None

    @property
    def owner(self) -> Where:
        """The way to the session whose chain it is, () for the file's."""
        return self.where[:-1]

    @property
    def all_slots(self) -> tuple[Slot, ...]:
        """The slots of all entries, the legacy one last."""
        return self.slots if self.legacy is None else (*self.slots, self.legacy)

    @property
    def legacy_is_table(self) -> bool:
        """Whether the legacy entry has a header of its own."""
        return (LEGACY,) not in self.index.values


def find_chain(index: LineIndex, owner: Where) -> Chain:
    """Return the chain at `owner`: the way to a session, or () for the file's."""
    places = _Places(index)
    where = (*owner, CHAIN)
    array = index.values.get(where)
    tables = [at for at, header in enumerate(index.headers) if header.where[:-1] == where]
    return Chain(
        index=index,
        where=where,
        slots=tuple(places.items(where) if array else map(places.table, tables)),
        array=array,
        legacy=None if owner else places.legacy(),
        home=places.end_of(owner) if owner else places.end_of(("primary",)) or len(index.text),
    )


class _Places:
    """Finds the lines and comments around the tables and items of one text."""

    def __init__(self, index: LineIndex) -> None:
        self._index = index
        self._comments = {span.start for span in index.comments}

    def table(self, number: int) -> Slot:
        """Return the slot of the table under a header, with its sub-tables; all of it whole lines."""
        start = self._index.line_start(self._index.headers[number].span.start)
        following = self._following(number)
        end = self._index.line_end(self._last_before(following, number))
        below = end
        while self._is_comment(below):
            below = self._index.line_end(below)
        if not self._index.is_blank(below):  # they stand directly above what follows
            below = end
        return Slot(Span(self._above(start), start), Span(start, end), Span(end, below))

    def _following(self, number: int) -> int:
        """Return the offset of the next header that is not of a sub-table, or of the end."""
        where = self._index.headers[number].where
        for header in self._index.headers[number + 1 :]:
            if header.where[: len(where)] != where:
                return header.span.start
        return len(self._index.text)

    def _last_before(self, offset: int, number: int) -> int:
        """Return the offset of the last character of a header or a pair before `offset`."""
        headers = self._index.headers[number:]
        ends = [span.end for span in (*(header.span for header in headers), *self._index.pairs) if span.end <= offset]
        return max(ends) - 1

    def items(self, where: Where) -> list[Slot]:
        """Return the slots of the items of an inline list."""
        found: list[Slot] = []
        while span := self._index.values.get((*where, len(found))):
            found.append(self._item(span))
        return found

    def _item(self, body: Span) -> Slot:
        start = self._index.line_start(body.start)
        behind = _BEHIND.match(self._index.text, body.end)
        if behind is None or self._index.text[start : body.start].strip():
            return Slot(Span(body.start, body.start), body, Span(body.end, body.end), alone=False)
        return Slot(Span(self._above(start), start), body, Span(*behind.span("tail")))

    def legacy(self) -> Slot | None:
        """Return the slot of the legacy single entry: a table, or the value of a pair."""
        for number, header in enumerate(self._index.headers):
            if header.where == (LEGACY,):
                return self.table(number)
        body = self._index.values.get((LEGACY,))
        if body is None:
            return None
        start = self._index.line_start(body.start)
        return Slot(Span(self._above(start), start), body, Span(body.end, self._index.line_end(body.end)))

    def end_of(self, where: Where) -> int | None:
        """Return where the table at `where` ends, None where it has no header."""
        for number, header in enumerate(self._index.headers):
            if header.where == where:
                return self.table(number).tail.end
        return None

    def _above(self, start: int) -> int:
        """Return where the comment lines directly above the line at `start` begin."""
        while start and self._is_comment(before := self._index.line_start(start - 1)):
            start = before
        return start

    def _is_comment(self, start: int) -> bool:
        """Tell whether the line at `start` is a comment and nothing else."""
        line = self._index.text[start : self._index.line_end(start)]
        return start + len(line) - len(line.lstrip(" \t")) in self._comments
