"""The bare Textual app that ours is measured beside: as many widgets of the same kinds, with a line each.

`python -m tests.benchmarks.bare` shows it; with `tick`, one timer of 1 Hz runs and does nothing.
"""

import sys
from collections.abc import Callable, Coroutine, Sequence
from typing import ClassVar, Final

from rich.segment import Segment
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input

BARS: Final = 5
PANELS: Final = 6
SIGHT: Final = b"bare panel 6"
"""What the last panel shows."""


class Bar(Widget):
    """One line of text on the line API."""

    DEFAULT_CSS: ClassVar[str] = "Bar { height: 1; }"

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def render_line(self, y: int) -> Strip:
        """Draw the text on the first line."""
        return Strip([Segment("" if y else self._text)]).adjust_cell_length(self.size.width)


class Panel(Bar, can_focus=True):
    """A framed one."""

    DEFAULT_CSS: ClassVar[str] = "Panel { height: 1fr; border: round $primary; }"


class Choice(Panel):
    """A framed one of several lines, of which it shows a page; `down` moves a mark."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("down", "down")]

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__("")
        self._lines, self._marked = lines, 0

    def render_line(self, y: int) -> Strip:
        """Draw a line, the marked one with its mark."""
        line = self._marked // self.size.height * self.size.height + y
        text = f"{'›' if line == self._marked else ' '} {self._lines[line]}" if line < len(self._lines) else ""
        return Strip([Segment(text)]).adjust_cell_length(self.size.width)

    def action_down(self) -> None:
        """Mark the next line."""
        self._marked += 1
        place = self._marked % self.size.height
        self.refresh(Region(0, place - 1, self.size.width, 2) if place else self.size.region)


class BareApp(App[None]):
    """Bars, panels and an input; with `lines` the first panel has those to choose from. `start` is run beside."""

    def __init__(
        self,
        *,
        ticks: bool = False,
        lines: Sequence[str] = (),
        start: Callable[[], Coroutine[object, object, None]] | None = None,
    ) -> None:
        super().__init__()
        self._ticks, self._lines, self._start = ticks, lines, start

    def compose(self) -> ComposeResult:
        """Lay all out below each other."""
        yield from (Bar(f"bare bar {number}") for number in range(1, BARS + 1))
        with Vertical():
            yield Choice(self._lines) if self._lines else Panel("bare panel 1")
            yield from (Panel(f"bare panel {number}") for number in range(2, PANELS + 1))
        yield Input()

    def on_mount(self) -> None:
        """Begin to tick."""
        if self._ticks:
            self.set_interval(1.0, lambda: None)
        if self._start is not None:
            self.query_one(Choice).focus()
            self.run_worker(self._start())


if __name__ == "__main__":
    BareApp(ticks="tick" in sys.argv).run()
