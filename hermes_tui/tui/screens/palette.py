"""The command palette: every action by its name."""

from collections.abc import Callable
from typing import ClassVar, cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from hermes_tui.tui.screens.overlay import Overlay
from hermes_tui.tui.widgets.lines import Lines
from hermes_tui.tui.widgets.panel import Panel
from hermes_tui.view.actions import Action
from hermes_tui.view.line import Body
from hermes_tui.view.moment import Moment
from hermes_tui.view.palette import palette_body


class _Offers(Panel):
    ALWAYS_MARKED = True
    can_focus = False

    def __init__(self, why_not: Callable[[Action], str]) -> None:
        super().__init__(id="offers")
        self._why_not = why_not

    def body(self, moment: Moment, cells: int) -> Body:
        return palette_body(self.sought, moment.keymap, self._why_not, cells)


class PaletteScreen(ModalScreen[str | None], Overlay[str | None]):
    """Answers with the identity of the action to start, None for none; `why_not` says why one can't be used."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+q", "dismiss(None)", "Leave", show=False),
        Binding("down", "move(1)", "Down", show=False),
        Binding("up", "move(-1)", "Up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
    ]

    def __init__(self, why_not: Callable[[Action], str], moment: Moment) -> None:
        super().__init__()
        self._offers = _Offers(why_not)
        self._moment = moment

    def compose(self) -> ComposeResult:
        """Lay out what is typed, and the actions below."""
        with Vertical(id="box") as box:
            box.border_title = "Commands"
            yield Input(placeholder="the name of what to do", id="sought")
            yield self._offers

    def on_mount(self) -> None:
        """Begin with every action."""
        self.query_one(Input).focus()
        self.show(self._moment)

    def show(self, moment: Moment) -> None:
        """Show `moment`."""
        self._offers.show(moment)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Offer what matches, the best first."""
        event.stop()
        self._offers.seek(event.value)
        self._offers.go_first()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Answer with the marked action."""
        event.stop()
        if self._offers.key is not None:
            self.dismiss(cast("str", self._offers.key))

    def on_lines_pressed(self, event: Lines.Pressed) -> None:
        """Answer with the action that was clicked."""
        event.stop()
        self.dismiss(event.act)

    def action_move(self, by: int) -> None:
        """Move the mark."""
        self._offers.move(by)

    def action_page(self, by: int) -> None:
        """Move the mark by pages."""
        self._offers.move(by * self._offers.page())
