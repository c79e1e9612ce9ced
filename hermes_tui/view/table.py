"""A table as lines of text."""

from collections.abc import Sequence

from hermes_tui.view.cells import width


def table(rows: Sequence[Sequence[str]], heads: Sequence[str]) -> str:
    """Return `rows` under `heads`, each column as wide as its widest cell, one line each."""
    every = [tuple(heads), *(tuple(row) for row in rows)]
    widths = [max(width(row[column]) for row in every) for column in range(len(heads))]
    lines = ["  ".join(_padded(cell, widths[column]) for column, cell in enumerate(row)).rstrip() for row in every]
    lines.insert(1, "  ".join("-" * cells for cells in widths))
    return "\n".join(lines) + "\n"


def _padded(cell: str, cells: int) -> str:
    return cell + " " * (cells - width(cell))
