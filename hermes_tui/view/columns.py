"""Columns of fixed width, so that nothing jumps; the less important ones give way on a narrow screen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from hermes_tui.view.cells import cut, cut_name, fit, width
from hermes_tui.view.line import ARROW, Line, Part, Style

CURSOR_CELLS: Final = 2
"""Every row starts with the cursor's mark."""

UNCUT: Final = 2000
"""In a panel of so many cells no column is bounded, and two blanks stand between any two: a row for the clipboard."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its least width in cells, and from which panel width on it is shown.

    `grow` shares what is left over; `most` bounds what the column takes of it. `name_first` keeps the end of a
    `provider/model` rather than its start. `title` stands over it, its name where that is None.
    """

    name: str
    cells: int
    from_width: int = 0
    grow: int = 0
    most: int = 200
    name_first: bool = False
    title: str | None = None

    @property
    def heading(self) -> str:
        """What stands over the column; nothing over one that goes on with its neighbour's."""
        return self.name if self.title is None else self.title


def laid_out(columns: Sequence[Column], cells: int) -> tuple[tuple[Column, int], ...]:
    """Return the columns that fit a panel of `cells`, each with its width."""
    shown = [column for column in columns if cells >= column.from_width]
    bounds = {column.name: cells if cells >= UNCUT else column.most for column in shown}
    left = cells - CURSOR_CELLS - sum(column.cells for column in shown) - max(len(shown) - 1, 0)
    widths = {column.name: column.cells + (1 if cells >= UNCUT else 0) for column in shown}
    growing = [column for column in shown if column.grow]
    while left > 0 and growing:
        for column in growing:
            share = min(column.grow, left, bounds[column.name] - widths[column.name])
            widths[column.name] += share
            left -= share
        growing = [column for column in growing if widths[column.name] < bounds[column.name]]
    return tuple((column, widths[column.name]) for column in shown)


def heading(layout: Sequence[tuple[Column, int]], sorted_by: str | None = None, *, reverse: bool = False) -> Line:
    """Return the line with the columns' names; the one that sorts carries an arrow, up where the order is reversed."""
    arrow = "↑" if reverse else "↓"
    names = (
        _marked(column.heading, arrow, cells) if column.name == sorted_by else fit(column.heading, cells)
        for column, cells in layout
    )
    return (Part(" " * CURSOR_CELLS + " ".join(names), Style.COLUMN),)


def _marked(name: str, arrow: str, cells: int) -> str:
    return fit(f"{name} {arrow}" if width(name) + 2 <= cells else f"{cut(name, cells - 1)}{arrow}", cells)


def cells_of(layout: Sequence[tuple[Column, int]], values: Mapping[str, Part], cursor: bool) -> Line:
    """Return one row: each column's part fitted to its width."""
    parts = [Part(f"{ARROW} " if cursor else "  ", Style.STRONG if cursor else Style.PLAIN)]
    for index, (column, cells) in enumerate(layout):
        part = values.get(column.name, Part("-", Style.MUTED))
        blank = " " if index < len(layout) - 1 else ""
        text = cut_name(part.text, cells) if column.name_first else part.text
        parts.append(part._replace(text=fit(text, cells) + blank))
    return tuple(parts)
