"""A widget that draws lines by itself and repaints only the parts that changed."""

from collections.abc import Iterable
from functools import partial
from itertools import takewhile
from typing import Final

from rich.style import Style as RichStyle
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from hermes_tui.tui.content import strip
from hermes_tui.view.cells import width
from hermes_tui.view.line import EMPTY, Line, Style, line_width

CLASS_OF: Final = {style: f"lines--{style.value}" for style in Style}
MARKED: Final = "lines--marked"
COMPONENTS: Final = frozenset((*CLASS_OF.values(), MARKED))
"""Styled once, on the app: on each widget of its own they would be most of the work of a first paint."""


class Lines(Widget):
    """Lines of parts. A part with an act can be clicked."""

    class Pressed(Message):
        """A part was clicked that starts the action `act`."""

        def __init__(self, act: str) -> None:
            super().__init__()
            self.act = act

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._lines: tuple[Line, ...] = ()
        self._marked: int | None = None
        self._styles_known: tuple[dict[Style | None, RichStyle], dict[Style | None, RichStyle]] = ({}, {})

    @property
    def lines(self) -> tuple[Line, ...]:
        """What is drawn, from the top."""
        return self._lines

    def draw(self, lines: tuple[Line, ...], marked: int | None = None) -> None:
        """Draw `lines` from now on, the one at index `marked` highlighted; repaint what differs."""
        before, mark_before = self._lines, self._marked
        self._lines, self._marked = lines, marked
        width, height = self.size
        changed: list[Region] = []
        for index in range(min(max(len(before), len(lines)), height)):
            old, new = _line_at(before, index), _line_at(lines, index)
            if mark_before != marked and index in (mark_before, marked):
                changed.append(Region(0, index, width, 1))
            elif old is not new and old != new:
                changed.append(_difference(old, new, index, width))
        if changed:
            self.refresh(*_joined(changed))

    def notify_style_update(self) -> None:
        """Forget the styles that lines were drawn with: the theme or the focus has changed."""
        super().notify_style_update()
        for known in self._styles_known:
            known.clear()

    def render_line(self, y: int) -> Strip:
        """Return the line at height `y` as Textual draws it."""
        return strip(_line_at(self._lines, y), self.size.width, partial(self._style_of, y == self._marked))

    def _style_of(self, marked: bool, style: Style | None) -> RichStyle:
        """Return how a part is drawn, None for the blank rest of a line."""
        styles = self._styles_known[marked]
        known = styles.get(style)
        if known is None:
            known = self.rich_style
            if marked:
                known += self.app.get_component_styles(MARKED).partial_rich_style
            if style is not None:
                known += self.app.get_component_styles(CLASS_OF[style]).partial_rich_style
            styles[style] = known
        return known

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002 - Textual's
        """Return the height that all lines take."""
        return self.wanted_height

    @property
    def wanted_height(self) -> int:
        """The height that all lines take."""
        return len(self._lines)

    def act_at(self, x: int, y: int) -> str:
        """Return the action of the part at a place in the content, empty where there is none."""
        for part in _line_at(self._lines, y):
            x -= width(part.text)
            if x < 0:
                return part.act
        return ""

    def on_click(self, event: events.Click) -> None:
        """Start the action of the part under the mouse."""
        offset = event.get_content_offset(self)
        act = self.act_at(offset.x, offset.y) if offset is not None else ""
        if act:
            event.stop()
            self.post_message(self.Pressed(act))


def _line_at(lines: tuple[Line, ...], index: int) -> Line:
    return lines[index] if index < len(lines) else EMPTY


def _difference(old: Line, new: Line, y: int, cells: int) -> Region:
    """Return the region at height `y` of the parts in which two lines differ; fixed columns keep the rest in place."""
    start = line_width(_same_parts(old, new))
    total = line_width(new)
    end = total - line_width(_same_parts(old[::-1], new[::-1])) if line_width(old) == total else cells
    return Region(start, y, max(min(end, cells) - start, 1), 1)


def _same_parts(one: Line, other: Line) -> Line:
    """Return the parts with which both lines begin."""
    return tuple(mine for mine, _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _joined(regions: Iterable[Region]) -> list[Region]:
    """Return the regions with those in one that stand right below each other."""
    joined: list[Region] = []
    for region in regions:
        above = joined[-1] if joined else None
        if above is not None and above.column_span == region.column_span and above.bottom == region.y:
            joined[-1] = above.grow((0, 0, region.height, 0))
        else:
            joined.append(region)
    return joined
