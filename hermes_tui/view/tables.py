"""A table of Markdown: columns aligned by cells, cells that are too wide folded."""

from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest
from typing import Final

from hermes_tui.view.flowing import flowed
from hermes_tui.view.line import EMPTY, Line, Part, Style, line_width
from hermes_tui.view.segments import Segment, row_cells

BETWEEN: Final = Part("  ")
LEAST_COLUMN: Final = 6
"""A table in which a column would be narrower is told row by row."""


def table_lines(table: Segment, cells: int, read: Callable[[str], Line]) -> list[Line]:
    """Return a table in lines of at most `cells` cells; `read` makes a cell's Markdown a line."""
    rows = table.source.split("\n")
    head, rules = (rows + [""] * 2)[:2] if not table.about else table.about.split("\n")
    body = [list(map(read, row_cells(row))) for row in (rows if table.about else rows[2:])]
    names = [_strong(read(name)) for name in row_cells(head)]
    count = max(map(len, (names, *body)))
    wanted = [max(1, *(line_width(row[at]) if at < len(row) else 0 for row in (names, *body))) for at in range(count)]
    widths = _shared(wanted, cells - len(BETWEEN.text) * (count - 1))
    if widths is None:
        return [line for row in body or [[]] for line in _told(names, row, cells)]
    right = [rule.endswith(":") and not rule.startswith(":") for rule in row_cells(rules)] + [False] * count
    lines = [] if table.about else [*_row(names, widths, right), _rule(widths)]
    for row in body:
        lines += _row(row, widths, right)
    return lines


def _shared(wanted: Sequence[int], room: int) -> list[int] | None:
    """Return the widths of the columns: the narrow ones as wanted, the wide ones share what is left."""
    widths = list(wanted)
    while sum(widths) > room:
        widest = max(widths)
        if widest <= LEAST_COLUMN:
            return None
        second = max((one for one in widths if one < widest), default=LEAST_COLUMN)
        many = widths.count(widest)
        fair = max(second, widest - -(-(sum(widths) - room) // many), LEAST_COLUMN)
        widths = [min(one, max(fair, LEAST_COLUMN)) if one == widest else one for one in widths]
    return widths


def _row(cells: Sequence[Line], widths: Sequence[int], right: Sequence[bool]) -> list[Line]:
    filled = (*cells, *[EMPTY] * (len(widths) - len(cells)))
    columns = [flowed(cell, width) for cell, width in zip(filled, widths, strict=True)]
    lines = []
    for pieces in zip_longest(*columns, fillvalue=EMPTY):
        line: list[Part] = []
        for at, piece in enumerate(pieces):
            blank = Part(" " * max(widths[at] - line_width(piece), 0))
            line += [*([BETWEEN] if at else []), *((blank, *piece) if right[at] else (*piece, blank))]
        lines.append(tuple(line))
    return lines


def _rule(widths: Iterable[int]) -> Line:
    return (Part(BETWEEN.text.join("─" * width for width in widths), Style.MUTED),)


def _told(names: Sequence[Line], row: Sequence[Line], cells: int) -> list[Line]:
    """Return one row of a table that has no room: each cell below the name of its column."""
    lines: list[Line] = [(Part("─" * min(cells, 12), Style.MUTED),)]
    for name, cell in zip_longest(names, row, fillvalue=EMPTY):
        lines += flowed((*name, Part(": "), *cell), cells)
    return lines


def _strong(line: Line) -> Line:
    return tuple(part._replace(style=Style.STRONG) if part.style is Style.PLAIN else part for part in line)
