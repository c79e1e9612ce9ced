"""Painting the cells that changed and no others.

Textual's own update writes a piece of a line from the edge of its widget on, however far to the right the change is:
five times as much, over a slow line, as a column of countdowns needs.
"""

from typing import TypeVar

from rich.console import Console
from rich.control import Control
from textual._compositor import ChopsUpdate

T = TypeVar("T")


class CellsUpdate(ChopsUpdate):
    """Writes what lies within the spans that changed."""

    def render_segments(self, console: Console) -> str:
        """Return the update as what is written to the terminal."""
        written: list[str] = []
        for y, first, last in self.spans:
            for end, (x, strip) in zip(self.chop_ends[y], self.chops[y].items(), strict=True):
                start, stop = max(x, first), min(end, last)
                if strip is None or start >= stop:
                    continue
                piece = strip if (start, stop) == (x, end) else strip.crop(start - x, stop - x)
                written += (Control.move_to(start, y).segment.text, piece.render(console))
        return "".join(written)


def pared(update: T | ChopsUpdate) -> T | ChopsUpdate:
    """Return what is about to be painted, an update of pieces without the cells that stay the same."""
    return CellsUpdate(update.chops, update.spans, update.chop_ends) if type(update) is ChopsUpdate else update
