"""One of several rows to choose, by key or by mouse."""

from collections.abc import Callable, Hashable
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import ModalScreen

from hermes_tui.tui.screens.overlay import Overlay
from hermes_tui.tui.widgets.panel import Panel
from hermes_tui.view.line import Body
from hermes_tui.view.moment import Moment


class ChoiceRows(Panel):
    """The rows, one of them marked: at first the one of `key`."""

    class Chosen(Message):
        """The marked row was clicked again."""

    def __init__(self, make: Callable[[int], Body], key: Hashable) -> None:
        super().__init__(id="page")
        self._make = make
        self._begins_on: Hashable | None = key

    def _keep_cursor(self) -> None:
        """Put the cursor on its first row once there are any: they are laid out for the panel's size."""
        if self._begins_on is not None and self._body.rows:
            self._key, self._begins_on = self._begins_on, None
        super()._keep_cursor()

    def body(self, moment: Moment, cells: int) -> Body:  # noqa: ARG002 - Panel's
        """Return the page in so many cells."""
        return self._make(cells)

    def on_click(self, event: events.Click) -> None:
        """Choose by a double click; a single one has marked the row."""
        if event.chain == 2:
            self.post_message(self.Chosen())


class ChoosingScreen(ModalScreen[Hashable], Overlay[Hashable]):
    """Answers with the key of the row that is chosen, None for esc; begins on `key`. A double click chooses."""

    BINDINGS: ClassVar[list[BindingType]] = [
        # At once, so that of a burst of keys (a slow line delivers them so) none overtakes another.
        Binding("enter", "choose", "Choose", show=False, priority=True),
        Binding("escape,q,ctrl+q", "dismiss(None)", "Leave", show=False, priority=True),
        Binding("j,down", "move(1)", "Down", show=False, priority=True),
        Binding("k,up", "move(-1)", "Up", show=False, priority=True),
    ]

    def __init__(self, make: Callable[[int], Body], moment: Moment, key: Hashable) -> None:
        super().__init__()
        self._choices = self._made(make, key)
        self._moment = moment

    def _made(self, make: Callable[[int], Body], key: Hashable) -> ChoiceRows:
        return ChoiceRows(make, key)

    def compose(self) -> ComposeResult:
        """Lay out the rows."""
        yield self._choices

    def on_mount(self) -> None:
        """Show the rows once the panel has its size."""
        self._choices.show(self._moment)
        self._choices.focus()

    def show(self, moment: Moment) -> None:
        """Show `moment`."""
        self._choices.show(moment)

    def action_move(self, by: int) -> None:
        """Move the mark."""
        self._choices.move(by)

    def action_choose(self) -> None:
        """Answer with the marked row."""
        if self._choices.key is not None:
            self.dismiss(self._choices.key)

    def on_choice_rows_chosen(self) -> None:
        """Answer with the row that was clicked twice."""
        self.action_choose()

    def on_click(self, event: events.Click) -> None:
        """Leave by a click outside."""
        if event.widget is self:
            self.dismiss(None)
