"""Another chain in the text of a `config.yaml`: only its own lines change, and entries taken over keep theirs (C110).

What comes out is read again, and is not used unless it is the old document with exactly that chain.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

from hermes_tui.core.errors import ConfigurationError
from hermes_tui.core.values import dataclass
from hermes_tui.hermes.document import read_document, read_nodes
from hermes_tui.hermes.fallbacks import CHAIN, LEGACY, MOST_ENTRIES

_UNUSUAL: Final = "the chain is written in a form that cannot be changed here: change the text itself"
_INDENT: Final = 2
_PLAIN: Final = re.compile(r"[A-Za-z](?:[\w./:-]*\w)?", re.ASCII)
_WORDS: Final = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
_ASIDE: Final = re.compile(r"\s*(?:#.*)?$")
"""What a line holds that says nothing: white space and a remark."""

Document = dict[Any, Any]


@dataclass(frozen=True, slots=True)
class NewEntry:
    """An entry that is not in the file yet. Of its keys, those with a default are not written while they have it."""

    provider: str
    model: str
    base_url: str = ""
    key_env: str = ""
    api_mode: str = ""
    context_length: int | None = None

    @property
    def table(self) -> dict[str, str | int]:
        """The entry as the file will hold it."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return {name: value for name, value in values.items() if value or name in ("provider", "model")}


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A text with another chain; `folded` tells that there was one under the legacy `fallback_model`, which is gone."""

    text: str
    folded: bool


@dataclass(frozen=True, slots=True)
class _Part:
    """The lines from `start` until before `end` that a key takes, and those of each entry, without their indentation.

    `head` is its first line where the entries stand below it, `aside` the remark behind a value that stands in it.
    """

    start: int
    end: int
    head: str
    aside: str
    column: int
    entries: tuple[tuple[str, ...], ...]


class _UnusualFormError(Exception):
    """A form in which nothing is changed here."""


def with_chain(text: str, chain: Sequence[int | NewEntry], path: Path) -> Rewritten:
    """Return the text of the file at `path` with another chain.

    A number stands for the entry at that place, from 0, of the chain that `understood` returns, legacy ones last: it
    keeps its bytes, with the remarks above and in it. An entry that is left out takes its remarks along. A chain under
    `fallback_model` moves to `fallback_providers`. Raises ConfigurationError where the text is not YAML, has no such
    entry, or is written in a form in which this cannot be done.
    """
    mark = text[: text.startswith("\ufeff")]
    root, before = read_nodes(text.encode(errors="surrogatepass"), path)
    old = _entries(before)
    missing = next((one for one in chain if isinstance(one, int) and not 0 <= one < len(old)), None)
    if missing is not None:
        raise ConfigurationError(f"there is no entry {missing + 1} in a chain of {len(old)}: read it again", path=path)
    wanted = [old[one] if isinstance(one, int) else one.table for one in chain]
    if wanted == old and isinstance(before.get(CHAIN), list) and LEGACY not in before:
        return Rewritten(text, folded=False)
    try:
        after = mark + _rewritten(text[len(mark) :], root, chain, len(old))
        read = dict(read_document(after.encode(), path))
    except (_UnusualFormError, ConfigurationError, UnicodeEncodeError):
        raise ConfigurationError(_UNUSUAL, path=path) from None
    if repr(read.pop(CHAIN, None)) != repr(wanted) or repr(read) != repr(_without_chain(before)):
        raise ConfigurationError(_UNUSUAL, path=path)
    return Rewritten(after, folded=bool(before.get(LEGACY)))


def _entries(document: Any) -> list[Any]:
    found: list[Any] = []
    for name in (CHAIN, LEGACY):
        value = document.get(name)
        found += value if isinstance(value, list) else [value] if isinstance(value, dict) and value else []
    return found


def _without_chain(document: Any) -> Document:
    return {key: value for key, value in document.items() if key not in (CHAIN, LEGACY)}


def _rewritten(text: str, root: Any, chain: Sequence[int | NewEntry], count: int) -> str:
    reader = _Reader(text)
    parts = dict(reader.parts(root))
    entries = [entry for name in (CHAIN, LEGACY) if name in parts for entry in parts[name].entries]
    if len(entries) != count or count > MOST_ENTRIES:
        raise _UnusualFormError
    lines = reader.lines
    end = reader.newline
    here = parts.get(CHAIN) or parts.get(LEGACY)
    column = here.column if here is not None else _INDENT
    written = [entries[one] if isinstance(one, int) else _lines_of(one) for one in chain]
    body = [" " * column + line + end if line else end for entry in written for line in entry]
    head, aside = (parts[CHAIN].head, parts[CHAIN].aside) if CHAIN in parts else ("", "")
    block = [f"{head or f'{CHAIN}:{aside}'}{end}", *body] if body else [f"{CHAIN}: []{aside}{end}"]
    pieces = {part.start: (part.end, block if part is here else []) for part in parts.values()}
    if here is None:
        tail = [] if not lines or lines[-1].endswith("\n") else [end]
        return "".join([*lines, *tail, *block])
    for start in sorted(pieces, reverse=True):
        lines[start : pieces[start][0]] = pieces[start][1]
    return "".join(lines)


def _lines_of(entry: NewEntry) -> tuple[str, ...]:
    written = [f"{name}: {_scalar(value)}" for name, value in entry.table.items()]
    return (f"- {written[0]}", *(f"  {line}" for line in written[1:]))


def _scalar(value: str | int) -> str:
    if isinstance(value, int) or (_PLAIN.fullmatch(value) and value.lower() not in _WORDS):
        return str(value)
    return json.dumps(value, ensure_ascii=False)


class _Reader:
    """Where the chain's keys stand in a text, by its lines."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = re.findall(r"[^\n]*\n|[^\n]+$", text)
        self.newline = "\r\n" if self.lines and self.lines[0].endswith("\r\n") else "\n"
        self._starts = [0]
        for line in self.lines:
            self._starts.append(self._starts[-1] + len(line))

    def parts(self, root: Any) -> Iterator[tuple[str, _Part]]:
        """Yield the parts of the file that hold the chain, by their keys."""
        if root is None:
            return
        if root.flow_style:
            raise _UnusualFormError
        for key, value in root.value:
            if key.value in (CHAIN, LEGACY):
                if key.start_mark.column or value.anchor or value.start_mark.index < key.end_mark.index:
                    raise _UnusualFormError
                yield key.value, self._part(key, value)

    def _part(self, key: Any, value: Any) -> _Part:
        start = self._line(key.start_mark)
        if isinstance(value.value, list) and not value.flow_style:
            end = self._without_asides(self._line(value.start_mark), self._end(value), column=0)
            single = not _is_sequence(value)
            column = _INDENT if single else self._column(value)
            head = self.lines[start].rstrip("\r\n")
            entries = [self._single(start, end, value)] if single else list(self._items(start, end, value))
            return _Part(start, end, head, self._aside(key.end_mark.index, start), column, tuple(entries))
        at = value if value.end_mark.index > value.start_mark.index else key  # nothing stands where the next thing does
        last = self._line(at.end_mark)
        aside = self._aside(at.end_mark.index, last)
        return _Part(start, last + 1, "", aside, _INDENT, tuple(self._flow(value)))

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
                raise _UnusualFormError
            at = item.end_mark.index
            lines = self.text[item.start_mark.index : at].splitlines()
            yield (f"- {lines[0]}", *(f"  {line.strip()}" for line in lines[1:]))
        if "#" in self.text[at : value.end_mark.index]:
            raise _UnusualFormError

    def _shifted(self, first: int, last: int, column: int) -> tuple[str, ...]:
        """Return lines without the indentation that all of them share."""
        lines = [line.rstrip("\r\n") for line in self.lines[first:last]]
        if any(line[:column].strip() for line in lines if not line.lstrip().startswith("#")):
            raise _UnusualFormError
        return tuple(line[column:] if not line[:column].strip() else line.lstrip() for line in lines)

    def _dash(self, line: int, column: int) -> int:
        """Return the line of the dash before an item that begins in a line."""
        found = next((one for one in range(line, -1, -1) if self.lines[one].startswith("-", column)), None)
        if found is None:
            raise _UnusualFormError
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
            raise _UnusualFormError
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


def _is_sequence(node: Any) -> bool:
    return bool(node.tag == "tag:yaml.org,2002:seq")
