"""Painting the cells that changed and no others, and saying how they look once.

Textual's own update writes a piece of a line from the edge of its widget on, however far to the right the change is,
and the style of each piece: ten times as much, over a slow line, as a column of countdowns needs.
"""

from typing import Final, TypeVar

from rich.console import Console
from rich.control import Control
from textual._compositor import ChopsUpdate

T = TypeVar("T")

_PLAIN: Final = "\x1b[0m"


class CellsUpdate(ChopsUpdate):
    """Writes what lies within the spans that changed."""

    def render_segments(self, console: Console) -> str:
        """Return the update as what is written to the terminal."""
        written: list[str] = []
        style = ""
        for y, first, last in self.spans:
            for end, (x, strip) in zip(self.chop_ends[y], self.chops[y].items(), strict=True):
                start, stop = max(x, first), min(end, last)
                if strip is None or start >= stop:
                    continue
                piece = strip if (start, stop) == (x, end) else strip.crop(start - x, stop - x)
                text = piece.render(console)
                goes_on = style and text.startswith(style)
                if goes_on:
                    written[-1] = written[-1].removesuffix(_PLAIN)
                written += (Control.move_to(start, y).segment.text, text[len(style) :] if goes_on else text)
                style = _last_style(text)
        return "".join(written)


def _last_style(text: str) -> str:
    """Return the code of the style in which a text of styled pieces ends, empty where it ends plain."""
    if not text.endswith(_PLAIN):
        return ""
    at = text.rfind("\x1b[", 0, -len(_PLAIN))
    return text[at : text.index("m", at) + 1]


def pared(update: T | ChopsUpdate) -> T | ChopsUpdate:
    """Return what is about to be painted, an update of pieces without the cells that stay the same."""
    return CellsUpdate(update.chops, update.spans, update.chop_ends) if type(update) is ChopsUpdate else update
