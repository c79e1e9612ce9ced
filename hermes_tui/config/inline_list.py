"""An item put into an inline list of a text, or taken out of it; the list stays on one line, or on many."""

import re
from typing import Final

from hermes_tui.config.lines import LineIndex, Span, spliced
from hermes_tui.config.slots import Slot

_COMMA: Final = re.compile(r"(?:\s|#[^\n]*)*+,")
_INDENT: Final = "  "


def with_item(index: LineIndex, brackets: Span, slots: tuple[Slot, ...], at: int, item: str) -> str:
    """Return the text with `item` before the one at `at` (from 0), or at the end of the list in `brackets`."""
    if not slots:
        return _with_first(index, brackets, item)
    if at == len(slots):
        return _with_last(index, slots[-1], item)
    slot = slots[at]
    if not slot.alone:
        return spliced(index.text, (Span(slot.body.start, slot.body.start), f"{item}, "))
    return spliced(
        index.text, (Span(slot.lead.start, slot.lead.start), f"{_indent(index, slot)}{item},{index.line_break}")
    )


def _with_first(index: LineIndex, brackets: Span, item: str) -> str:
    inside = Span(brackets.start + 1, brackets.end - 1)
    if "\n" not in index.text[inside.start : inside.end]:
        return spliced(index.text, (inside, item))
    start = index.line_start(inside.end)
    indent = index.text[start : inside.end] + _INDENT
    return spliced(index.text, (Span(start, start), f"{indent}{item},{index.line_break}"))


def _with_last(index: LineIndex, last: Slot, item: str) -> str:
    end = last.body.end
    if not last.alone:
        return spliced(index.text, (Span(end, end), f", {item}"))
    comma = "," if _COMMA.match(index.text, end) else ""
    line = index.line_end(end)
    return spliced(
        index.text,
        (Span(end, end), "" if comma else ","),
        (Span(line, line), f"{_indent(index, last)}{item}{comma}{index.line_break}"),
    )


def _indent(index: LineIndex, slot: Slot) -> str:
    return index.text[index.line_start(slot.body.start) : slot.body.start]


def without_item(index: LineIndex, brackets: Span, slots: tuple[Slot, ...], at: int) -> str:
    """Return the text without the item at `at` (from 0) of the list in `brackets`, and without its own comments."""
    slot, start, end = slots[at], slots[at].body.start, slots[at].body.end
    before = slots[at - 1].body.end if at else brackets.start + 1
    after = slots[at + 1].body.start if at + 1 < len(slots) else brackets.end - 1
    if slot.alone:
        gone = Span(slot.lead.start, index.line_end(slot.tail.end))
    elif len(slots) == 1 and "\n" not in index.text[before:after]:
        gone = Span(before, after)
    elif at + 1 < len(slots) and "\n" not in index.text[end:after]:
        gone = Span(start, after)
    elif at and "\n" not in index.text[before:start]:
        gone = Span(before, end)
    else:
        comma = _COMMA.match(index.text, end)
        gone = Span(start, comma.end() if comma else end)
    return spliced(index.text, (gone, ""))
