"""A page to read over the dashboard: help, or everything about one row."""

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from hermes_tui.tui.screens.overlay import Overlay
from hermes_tui.tui.widgets.panel import MOVES, Make, Panel
from hermes_tui.view.line import Body
from hermes_tui.view.moment import Moment


class _Page(Panel):
    def __init__(self, make: Make, moment: Moment) -> None:
        super().__init__(id="page")
        self._make = make
        self._moment = moment

    def body(self, moment: Moment, cells: int) -> Body:
        return self._make(moment, cells)


class ReadingScreen(ModalScreen[None], Overlay[None]):
    """Shows a body of the view, kept up to date, until esc."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,ctrl+q,enter,question_mark,f1,f2,f4", "close", "Close", show=False, priority=True),
        Binding("space", "page(1)", "Page down", show=False),
        *MOVES,
    ]

    def __init__(self, make: Make, moment: Moment) -> None:
        super().__init__()
        self._page = _Page(make, moment)

    def compose(self) -> ComposeResult:
        """Lay out the page."""
        yield self._page

    def on_mount(self) -> None:
        """Let the page take the keys; it shows itself once it has its size."""
        self._page.focus()

    def show(self, moment: Moment) -> None:
        """Show `moment`."""
        self._page.show(moment)

    def action_move(self, by: int) -> None:
        """Scroll by lines."""
        self._page.move(by)

    def action_page(self, by: int) -> None:
        """Scroll by pages."""
        self._page.move(by * self._page.page())

    def action_close(self) -> None:
        """Go back to the dashboard."""
        self.dismiss()

    def on_click(self, event: events.Click) -> None:
        """Leave by a click outside."""
        if event.widget is self:
            self.dismiss()
