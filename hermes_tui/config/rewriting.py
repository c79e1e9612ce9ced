"""A chain's entries put in, taken out and moved in a text: what is no entry stays where it is, byte for byte."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from hermes_tui.config.entry_text import edited_item, edited_table, new_item, new_table, written
from hermes_tui.config.inline_list import with_item, without_item
from hermes_tui.config.lines import LineIndex, Span, index_lines, spliced
from hermes_tui.config.problems import Where
from hermes_tui.config.slots import CHAIN, LEGACY, Chain, Slot, find_chain
from hermes_tui.core.editing import (
    AddEntry,
    ChainChange,
    ClearChain,
    EditEntry,
    Entry,
    MoveEntry,
    OwnChain,
    RemoveEntry,
)

_LEGACY_NAME: Final = re.compile(rf"""(["']?){LEGACY}\1""")


class UnusualFormError(Exception):
    """The chain is written in a way in which this change cannot be made."""


class _Content(NamedTuple):
    """An entry without its place: its text, and the comments that go with it."""

    lead: str
    body: str
    tail: str


def rewritten(index: LineIndex, owner: Where, change: ChainChange) -> str:
    """Return the text with the chain changed of `owner`: the way to a session, or () for the file's.

    The position has been checked. Raises UnusualFormError; whether the outcome is right is for the caller to see.
    """
    if index.text.endswith("\n"):
        return _rewritten(find_chain(index, owner), change)
    whole = index_lines(index.text + index.line_break)
    return _rewritten(find_chain(whole, owner), change).removesuffix(index.line_break)


def _rewritten(chain: Chain, change: ChainChange) -> str:
    match change:
        case AddEntry(entry, position):
            at = len(chain.all_slots) if position is None else position - 1
            return _with(_reaching(chain, at - 1), at, written(entry))
        case RemoveEntry(position):
            return _without(chain, position - 1)
        case MoveEntry(position, to) if position != to:
            chain = _reaching(chain, max(position, to) - 1)
            order = [_content(chain.index, slot) for slot in chain.slots]
            order.insert(to - 1, order.pop(position - 1))
            return _arranged(chain.index, chain.slots, order)
        case MoveEntry():
            return chain.index.text
        case EditEntry(position, entry):
            return _edited(chain, position - 1, entry)
        case ClearChain():
            return _cleared(chain)
        case OwnChain():
            return _owned(chain)


def _reaching(chain: Chain, last: int) -> Chain:
    """Return the chain with the legacy single entry as one of its list, if that is the entry `last` (from 0)."""
    legacy, count = chain.legacy, len(chain.slots)
    if legacy is None or last < count:
        return chain
    if chain.legacy_is_table and not chain.array:
        contents = [_content(chain.index, slot) for slot in chain.all_slots]
        contents.append(_renamed(contents.pop()))
        return _again(chain, _arranged(chain.index, chain.all_slots, contents))
    text, gone = chain.index.text, (legacy.lead.start, legacy.tail.end)
    comments = [text[span.start : span.end] for span in chain.index.comments if gone[0] <= span.start < gone[1]]
    chain = _again(chain, _without(chain, count))
    chain = _again(chain, _with(chain, count, tomllib.loads(text)[LEGACY]))
    return _again(chain, _commented(chain.index, chain.slots[-1], comments))


def _commented(index: LineIndex, slot: Slot, comments: Sequence[str]) -> str:
    """Return the text with lines of comment directly above an entry."""
    if comments and not slot.alone:
        raise UnusualFormError
    indent = index.text[index.line_start(slot.body.start) : slot.body.start]
    return _put(index, slot.lead.start, "".join(f"{indent}{comment}{index.line_break}" for comment in comments))


def _renamed(content: _Content) -> _Content:
    """Return the legacy single entry's table as one of the list."""
    index, edits = index_lines(content.body), []
    for header in index.headers:
        words = content.body[header.span.start : header.span.end]
        whole = header.where == (LEGACY,)
        edits.append((header.span, f"[[{CHAIN}]]" if whole else _LEGACY_NAME.sub(CHAIN, words, count=1)))
    return content._replace(body=spliced(content.body, *edits))


def _again(chain: Chain, text: str) -> Chain:
    """Return the same chain in what has become of its text. Raises TOMLDecodeError where that is not TOML."""
    tomllib.loads(text)
    return find_chain(index_lines(text), chain.owner)


def _with(chain: Chain, at: int, values: Mapping[str, Any]) -> str:
    """Return the text with a new entry before the one at `at` (from 0), or at the end."""
    index = chain.index
    if chain.array:
        return with_item(index, chain.array, chain.slots, at, new_item(values))
    names = ".".join(name for name in chain.where if isinstance(name, str))
    table = new_table(f"[[{names}]]", values).replace("\n", index.line_break)
    if at < len(chain.slots):
        return _put(index, chain.slots[at].lead.start, table + index.line_break)
    place = chain.slots[-1].tail.end if chain.slots else chain.home
    if place is None:
        raise UnusualFormError
    above = "" if _is_blank_above(index, place) else index.line_break
    below = "" if index.is_blank(place) else index.line_break
    return _put(index, place, above + table + below)


def _is_blank_above(index: LineIndex, start: int) -> bool:
    return start == 0 or index.is_blank(index.line_start(start - 1))


def _put(index: LineIndex, place: int, words: str) -> str:
    return spliced(index.text, (Span(place, place), words))


def _without(chain: Chain, at: int) -> str:
    """Return the text without the entry at `at` (from 0), its own comments and the blank lines of one side."""
    if chain.array and at < len(chain.slots):
        return without_item(chain.index, chain.array, chain.slots, at)
    index, slot = chain.index, chain.all_slots[at]
    start, end = slot.lead.start, slot.tail.end
    if _is_blank_above(index, start):
        while end < len(index.text) and index.is_blank(end):
            end = index.line_end(end)
    if end == len(index.text):
        while start and _is_blank_above(index, start):
            start = index.line_start(start - 1)
    text = spliced(index.text, (Span(start, end), ""))
    return _said_empty(_again(chain, text)) if len(chain.slots) == 1 else text


def _cleared(chain: Chain) -> str:
    while chain.all_slots:
        chain = _again(chain, _without(chain, len(chain.all_slots) - 1))
    return _said_empty(chain)


def _owned(chain: Chain) -> str:
    """Return the text with the file's chain written as the session's own, keys that are no field included."""
    document = tomllib.loads(chain.index.text)
    shared = [*document.get(CHAIN, ()), *([document[LEGACY]] if LEGACY in document else ())]
    if not shared:
        return _said_empty(chain)
    for at, values in enumerate(shared):
        if not isinstance(values, dict):
            raise UnusualFormError
        chain = _again(chain, _with(chain, at, values))
    return chain.index.text


def _said_empty(chain: Chain) -> str:
    """Return the text with a session's empty chain written out: without it the session would take the file's."""
    index = chain.index
    if not chain.owner or chain.array:
        return index.text
    header = next((header.span for header in index.headers if header.where == chain.owner), None)
    if header is None:
        raise UnusualFormError
    following = next((other.span.start for other in index.headers if other.span.start > header.start), len(index.text))
    last = max(span.end for span in (header, *index.pairs) if span.end <= following)
    return _put(index, index.line_end(last - 1), f"{CHAIN} = []{index.line_break}")


def _content(index: LineIndex, slot: Slot) -> _Content:
    return _Content(*(index.text[span.start : span.end] for span in (slot.lead, slot.body, slot.tail)))


def _arranged(index: LineIndex, slots: Sequence[Slot], contents: Sequence[_Content]) -> str:
    """Return the text with `contents`, in this order, in the places of as many entries."""
    edits = []
    for slot, content in zip(sorted(slots, key=lambda slot: slot.body), contents, strict=True):
        if not slot.alone and (content.lead or content.tail):
            raise UnusualFormError
        below = content.tail.endswith("\n") and not index.is_blank(slot.tail.end)
        tail = content.tail + (index.line_break if below else "")
        edits += [(slot.lead, content.lead), (slot.body, content.body), (slot.tail, tail)]
    return spliced(index.text, *edits)


def _edited(chain: Chain, at: int, entry: Entry) -> str:
    slot = chain.all_slots[at]
    body = _content(chain.index, slot).body
    if body.startswith("{"):
        edited = edited_item(body, entry)
    else:
        way = tuple(name for name in index_lines(body).headers[0].where if isinstance(name, str))
        edited = edited_table(body, way, entry).replace("\r\n", "\n").replace("\n", chain.index.line_break)
    return spliced(chain.index.text, (slot.body, edited))
