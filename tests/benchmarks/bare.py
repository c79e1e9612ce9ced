"""The bare Textual app that ours is measured beside: as many widgets of the same kinds, with a line each.

`python -m tests.benchmarks.bare` shows it; with `tick`, one timer of 1 Hz runs and does nothing.
"""

import sys
from typing import ClassVar, Final

from rich.segment import Segment
from textual.app import App, ComposeResult
from textual.containers import Vertical
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


class BareApp(App[None]):
    """Bars, panels and an input."""

    def __init__(self, *, ticks: bool) -> None:
        super().__init__()
        self._ticks = ticks

    def compose(self) -> ComposeResult:
        """Lay all out below each other."""
        yield from (Bar(f"bare bar {number}") for number in range(1, BARS + 1))
        with Vertical():
            yield from (Panel(f"bare panel {number}") for number in range(1, PANELS + 1))
        yield Input()

    def on_mount(self) -> None:
        """Begin to tick."""
        if self._ticks:
            self.set_interval(1.0, lambda: None)


if __name__ == "__main__":
    BareApp(ticks="tick" in sys.argv).run()
