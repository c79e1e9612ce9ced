"""Text for a terminal that is narrower than its lines: folded between words, what goes on below where it began."""

import re
from typing import Final

from hermes_tui.view.cells import width
from hermes_tui.view.line import text_of, wrapped

_BEFORE: Final = re.compile(r"(?:.*  )?(?:[^\w\s] )?")
"""What stands before a line's text: its columns or its indent, and a mark."""

_LEAST_CELLS: Final = 24
"""A column narrower than this is not worth its place: the text goes on below the whole line."""

_INDENT: Final = 4
"""Where what goes on begins, below a line that has no column to stay in."""


def folded(text: str, cells: int) -> str:
    """Return `text` in lines of at most `cells` cells; a row's last column stays a column where it has room."""
    return "".join(f"{piece}\n" for line in text.splitlines() for piece in _fold(line, max(cells, _LEAST_CELLS)))


def _fold(line: str, cells: int) -> list[str]:
    if width(line) <= cells:
        return [line]
    if not line.strip("- "):
        return [line[:cells].rstrip()]
    before = _BEFORE.match(line)
    column = width(before.group()) if before and not before.group().isspace() else 0
    indent = column if 0 < column <= cells - _LEAST_CELLS else _INDENT
    return [text_of(piece) for piece in wrapped(line, cells, indent=indent)]
