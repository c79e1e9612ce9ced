"""Painting the cells that changed and no others, and saying how they look once.

Textual's own update has every widget rendered that stands between the first change and the last, and behind them; it
writes a piece of a line from the edge of its widget on, however far to the right the change is, and the style of each
piece: ten times as much, over a slow line, as a column of countdowns needs.
"""

from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

from rich.console import Console
from rich.control import Control
from textual._compositor import ChopsUpdate, Compositor
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

T = TypeVar("T")

_PLAIN: Final = "\x1b[0m"


class SparingCompositor(Compositor):
    """Has the widgets rendered that changed, and of those the lines from the first to the last that did."""

    def __init__(self) -> None:
        super().__init__()
        self._changed: frozenset[Region] = frozenset()

    def render_partial_update(self) -> ChopsUpdate | None:
        """Return what changed as an update."""
        self._changed = frozenset(self._dirty_regions)
        try:
            return super().render_partial_update()
        finally:
            self._changed = frozenset()

    def _get_renders(self, crop: Region | None = None) -> Iterable[tuple[Region, Region, list[Strip]]]:
        if not self._changed:
            yield from super()._get_renders(crop)
            return
        shown = {widget: region.intersection(clip) for widget, (region, clip) in self.visible_widgets.items()}
        wanted: dict[Widget, list[Region]] = {}
        for changed in self._changed:
            for widget, region in shown.items():  # the foremost first
                if region.overlaps(changed):
                    wanted.setdefault(widget, []).append(region.intersection(changed))
                    if region.contains_region(changed):
                        break
        for widget, region in shown.items():
            if widget in wanted:
                part = _lines_of(region, wanted[widget])
                yield part, part, widget.render_lines(part.translate(-self.visible_widgets[widget][0].offset))


def _lines_of(region: Region, changed: Sequence[Region]) -> Region:
    """Return the lines of a region from the first to the last that changed."""
    first, end = min(one.y for one in changed), max(one.bottom for one in changed)
    return Region(region.x, first, region.width, end - first)


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
