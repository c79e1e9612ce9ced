"""Where the chain stands in the text of a `config.yaml`, line by line: what `chain` puts together anew."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, Final

from hermes_tui.core.editing import Place
from hermes_tui.core.values import dataclass
from hermes_tui.hermes.fallbacks import CHAIN, LEGACY

INDENT: Final = 2

_ASIDE: Final = re.compile(r"\s*(?:#.*)?$")
"""What a line holds that says nothing: white space and a remark."""

_REMARK_INSIDE: Final = "a remark stands between its entries, which are in brackets"


class UnusualFormError(Exception):
    """A form in which nothing is changed here; the text says which, and `line` (from 1) where."""

    def __init__(self, why: str, line: int | None = None) -> None:
        super().__init__(why)
        self.line = line


@dataclass(frozen=True, slots=True)
class Part:
    """The lines from `start` until before `end` that a key takes, and those of each entry, without their indentation.

    `head` is its first line where the entries stand below it, `aside` the remark behind a value that stands in it.
    """

    start: int
    end: int
    head: str
    aside: str
    column: int
    entries: tuple[tuple[str, ...], ...]


class ChainText:
    """Where the chain's keys stand in a text, by its lines."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = re.findall(r"[^\n]*\n|[^\n]+$", text)
        self.newline = "\r\n" if self.lines and self.lines[0].endswith("\r\n") else "\n"
        self._starts = [0]
        for line in self.lines:
            self._starts.append(self._starts[-1] + len(line))

    def parts(self, root: Any) -> Iterator[tuple[str, Part]]:
        """Yield the parts of the file that hold the chain, by their keys."""
        if root is None:
            return
        if root.flow_style:
            raise UnusualFormError("the whole file stands in braces")
        for key, value in root.value:
            if key.value in (CHAIN, LEGACY):
                if (why := _why_unusual(key, value)) is not None:
                    raise UnusualFormError(why, int(key.start_mark.line) + 1)
                yield key.value, self._part(key, value)

    def places(self, root: Any) -> Iterator[Place]:
        """Yield the lines of each entry, in the order in which `understood` counts them."""
        values = {key.value: value for key, value in root.value} if root is not None else {}
        for name in (CHAIN, LEGACY):
            value = values.get(name)
            if value is not None and isinstance(value.value, list):
                items = value.value if _is_sequence(value) else [value] if value.value else []
                yield from (Place(self._line(item.start_mark) + 1, self._last_line(item) + 1) for item in items)

    def _last_line(self, node: Any) -> int:
        """Return the last line on which something of a node stands, from 0."""
        if isinstance(node.value, list) and node.value and not node.flow_style:
            last = node.value[-1]
            return max(map(self._last_line, last)) if isinstance(last, tuple) else self._last_line(last)
        return self._line(node.end_mark)

    def _part(self, key: Any, value: Any) -> Part:
        start = self._line(key.start_mark)
        if isinstance(value.value, list) and not value.flow_style:
            end = self._without_asides(self._line(value.start_mark), self._end(value), column=0)
            single = not _is_sequence(value)
            column = INDENT if single else self._column(value)
            head = self.lines[start].rstrip("\r\n")
            entries = [self._single(start, end, value)] if single else list(self._items(start, end, value))
            return Part(start, end, head, self._aside(key.end_mark.index, start), column, tuple(entries))
        at = value if value.end_mark.index > value.start_mark.index else key  # nothing stands where the next thing does
        last = self._line(at.end_mark)
        aside = self._aside(at.end_mark.index, last)
        return Part(start, last + 1, "", aside, INDENT, tuple(self._flow(value)))

    def _items(self, start: int, end: int, sequence: Any) -> Iterator[tuple[str, ...]]:
        """Yield the lines of each item: from the remarks above it to those that are indented below it."""
        column = self._column(sequence)
        first = start + 1
        dashes = [self._dash(self._line(item.start_mark), column) for item in sequence.value]
        for dash, following in zip(dashes, [*dashes[1:], end], strict=True):
            last = self._without_asides(dash, following, column)
            yield self._shifted(first, last, column)
            first = last

    def _single(self, start: int, end: int, table: Any) -> tuple[str, ...]:
        """Return the lines of the one entry that stands where a list could, as an item of one."""
        column, first = self._column(table), self._line(table.start_mark)
        body = self._shifted(first, end, column)
        return (
            *self._shifted(start + 1, first, column),
            f"- {body[0]}",
            *(f"  {line}" if line else "" for line in body[1:]),
        )

    def _flow(self, value: Any) -> Iterator[tuple[str, ...]]:
        """Yield the items of a list in brackets, or the one table in braces; remarks between them have no place."""
        if not isinstance(value.value, list):
            return
        items = value.value if _is_sequence(value) else [value] if value.value else []
        at = value.start_mark.index
        for item in items:
            if "#" in self.text[at : item.start_mark.index]:
                raise UnusualFormError(_REMARK_INSIDE, self._line(item.start_mark) + 1)
            at = item.end_mark.index
            lines = self.text[item.start_mark.index : at].splitlines()
            yield (f"- {lines[0]}", *(f"  {line.strip()}" for line in lines[1:]))
        if "#" in self.text[at : value.end_mark.index]:
            raise UnusualFormError(_REMARK_INSIDE, self._line(value.end_mark) + 1)

    def _shifted(self, first: int, last: int, column: int) -> tuple[str, ...]:
        """Return lines without the indentation that all of them share."""
        lines = [line.rstrip("\r\n") for line in self.lines[first:last]]
        if any(line[:column].strip() for line in lines if not line.lstrip().startswith("#")):
            raise UnusualFormError("an entry stands further left than the others", first + 1)
        return tuple(line[column:] if not line[:column].strip() else line.lstrip() for line in lines)

    def _dash(self, line: int, column: int) -> int:
        """Return the line of the dash before an item that begins in a line."""
        found = next((one for one in range(line, -1, -1) if self.lines[one].startswith("-", column)), None)
        if found is None:
            raise UnusualFormError("an entry has no dash of its own, or is an alias (*)", line + 1)
        return found

    def _without_asides(self, first: int, end: int, column: int) -> int:
        """Return `end` without the lines before it that belong to what follows: blank, or a remark at `column`."""
        while end > first + 1:
            line = self.lines[end - 1]
            is_deeper = line.strip() and len(line) - len(line.lstrip()) > column
            if is_deeper or not _ASIDE.match(line):
                break
            end -= 1
        return end

    def _aside(self, index: int, line: int) -> str:
        """Return the remark behind what ends at an index, with the white space before it; a colon is passed over."""
        rest = self.text[index : self._starts[line + 1]].rstrip("\r\n").lstrip(": ")
        if not _ASIDE.match(rest):
            raise UnusualFormError("more than a remark stands behind it", line + 1)
        return f"  {rest.strip()}" if rest.strip() else ""

    def _line(self, mark: Any) -> int:
        return bisect_right(self._starts, mark.index, hi=len(self._starts) - 1) - 1

    def _column(self, node: Any) -> int:
        return int(node.start_mark.index - self._starts[self._line(node.start_mark)])

    def _end(self, value: Any) -> int:
        """Return the line before which a block ends: the parser finds it out at the next thing that stands there."""
        index = value.end_mark.index
        line = self._line(value.end_mark)
        return line + 1 if self.text[self._starts[line] : index].strip() else line


def _why_unusual(key: Any, value: Any) -> str | None:
    if key.start_mark.column:
        return "the file is indented"
    if value.start_mark.index < key.end_mark.index:
        return "it is an alias (*) of something else"
    return "it has an anchor (&), so that something else may be the same" if value.anchor else None


def _is_sequence(node: Any) -> bool:
    return bool(node.tag == "tag:yaml.org,2002:seq")
