"""The one module that builds styled content. Values are never parsed as markup: what looks like it stays text."""

from collections.abc import Callable, Iterable

from rich.segment import Segment
from rich.style import Style as RichStyle
from textual.content import Content
from textual.strip import Strip
from textual.style import Style as VisualStyle

from hermes_tui.view.cells import even
from hermes_tui.view.line import Line, Style

_BOLD = RichStyle(bold=True)


def say(text: str) -> Content:
    """Return `text` as it stands, for a title, a label or a button, as wide as every terminal draws it."""
    return Content(even(text))


def tabs(names: Iterable[tuple[str, str, bool]]) -> Content:
    """Return a title of tabs: each a name, the action that clicking it starts, and whether it is open.

    Names and actions are constants of this program, never text from outside.
    """
    pieces: list[Content | tuple[str, str | VisualStyle]] = []
    for name, action, is_open in names:
        if pieces:
            pieces.append(("│", ""))
        style = VisualStyle.from_meta({"@click": action}) + VisualStyle(bold=is_open or None, reverse=is_open or None)
        pieces.append((f" {name} ", style))
    return Content.assemble(*pieces)


def strip(parts: Line, cells: int, style_of: Callable[[Style | None], RichStyle]) -> Strip:
    """Return a line as a strip of exactly `cells` cells; `style_of` None is the style of the blank rest."""
    segments = [
        Segment(part.text, style_of(part.style) + _BOLD if part.fresh else style_of(part.style)) for part in parts
    ]
    blank = cells - sum(len(segment.text) for segment in segments)
    if blank < 0 or not all(segment.text.isascii() for segment in segments):
        return Strip(segments).adjust_cell_length(cells, style_of(None))
    if blank:
        segments.append(Segment(" " * blank, style_of(None)))
    return Strip(segments, cells)
